"""Code in the colours of the terminal, by rich."""

from __future__ import annotations

import io

from rich.console import Console
from rich.style import Style
from rich.syntax import ANSI_DARK, ANSISyntaxTheme, Syntax

from connote.faces.render import Highlighter

_LEXERS = {
    "c_sharp": "csharp",
    "csharp": "csharp",
    "objc": "objective-c",
    "tsx": "tsx",
    "vue": "html",
    "svelte": "html",
}
"""Languages that rich's highlighter knows by another name."""


def highlighter() -> Highlighter:
    """Return a function that colours lines of code; of a language that is not known it returns them as they are."""
    # The sixteen colours are the terminal's own, so that they suit a light background as well as a dark one.
    # rich underlines the names of imported modules, which draws the eye to the least interesting lines.
    theme = ANSISyntaxTheme({token: style + Style(underline=False) for token, style in ANSI_DARK.items()})
    console = Console(file=io.StringIO(), force_terminal=True, color_system="standard", width=10_000, no_color=False)

    def highlight(lines: list[str], language: str | None) -> list[str]:
        if not lines or language is None:
            return lines
        syntax = Syntax("", _LEXERS.get(language, language), theme=theme)
        if syntax.lexer is None:
            return lines
        colored = []
        for line in syntax.highlight("\n".join(lines)).split("\n", allow_blank=True)[: len(lines)]:
            with console.capture() as capture:
                console.print(line, end="", soft_wrap=True)
            colored.append(capture.get())
        return colored if len(colored) == len(lines) else lines

    return highlight
