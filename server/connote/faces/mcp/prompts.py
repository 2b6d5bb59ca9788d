"""Prompts: two ways of working with the tools, for people to choose in their client."""

from __future__ import annotations

from collections.abc import Mapping

import mcp_types as types
from mcp.shared.exceptions import MCPError

_LONGEST = 10_000
_SEMANTIC_GREP = """\
Find the code that answers this: {question}

1. Ask connote_search with the question in plain words. When its hits are off, ask in other words, by a name that the \
code may use, or in a part of the project (`prefix`, `include`, `languages`); `mode: "lexical"` finds exact words.
2. Judge the hits by their previews. Read those that matter with connote_read_file, only the lines of the hit and what \
is around them.
3. Answer with the places as path:line, each with one sentence on what it does there. Say so when nothing fits, or \
when the index was not complete."""
_TRACE_SYMBOL = """\
Trace the symbol {symbol} through this project.

1. Find where it is defined: connote_search with its name and `definitions: true`.
2. Find who uses it: connote_search with its name and `mode: "lexical"`, then in words for what it does, as callers \
may say it in theirs. connote_similar at the definition finds code of the same kind.
3. Read the definition and the lines of each use with connote_read_file.
4. Answer with the definition as path:line, what it takes and gives, its callers as path:line each with what they want \
of it, and what it calls itself. Name what you have not found."""

_TEXTS = {"semantic_grep": ("question", _SEMANTIC_GREP), "trace_symbol": ("symbol", _TRACE_SYMBOL)}

PROMPTS = (
    types.Prompt(
        name="semantic_grep",
        title="Semantic grep",
        description="Find the code that answers a question.",
        arguments=[types.PromptArgument(name="question", description="What to find, in plain words.", required=True)],
    ),
    types.Prompt(
        name="trace_symbol",
        title="Trace a symbol",
        description="Find where a symbol is defined, who uses it and for what.",
        arguments=[types.PromptArgument(name="symbol", description="The symbol's name.", required=True)],
    ),
)


def prompt(name: str, arguments: Mapping[str, str]) -> types.GetPromptResult:
    """Return a prompt, filled in. Raises MCPError for one that there is not, and for arguments that it has not."""
    if name not in _TEXTS:
        raise MCPError(code=types.INVALID_PARAMS, message=f"There is no prompt {name[:100]!a}.")
    argument, text = _TEXTS[name]
    value = arguments.get(argument, "").strip()
    if not value or len(value) > _LONGEST or set(arguments) - {argument}:
        message = f"{name} takes {argument}, of at most {_LONGEST:,} characters, and nothing else."
        raise MCPError(code=types.INVALID_PARAMS, message=message)
    return types.GetPromptResult(
        description=next(one.description for one in PROMPTS if one.name == name),
        messages=[
            types.PromptMessage(role="user", content=types.TextContent(text=text.replace(f"{{{argument}}}", value)))
        ],
    )
