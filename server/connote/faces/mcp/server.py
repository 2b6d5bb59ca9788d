"""The MCP server: which requests there are, and who answers them."""

from __future__ import annotations

from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from connote import __version__
from connote.faces.mcp.prompts import PROMPTS, prompt
from connote.faces.mcp.resources import RESOURCES, TEMPLATES, Resources
from connote.faces.mcp.tools import TOOLS, Tools
from connote.faces.serving.service import Service

INSTRUCTIONS = """\
connote finds code by meaning. Ask connote_search in your own words ("where do we stop hammering a failing server") \
or by a name; it answers with places and short previews. Read what you need of them with connote_read_file and its \
lines. connote_similar finds code like that at a place. Paths are relative to the root. What is ignored by git, looks \
like credentials or is no code can be neither found nor read. The index follows the files by itself; while the first \
one is built, answers say how far it is."""

Context = ServerRequestContext[Any, Any]


def build(service: Service) -> Server[Any]:
    """Return the server over a service; it is not run yet."""
    tools, resources = Tools(service), Resources(service)

    async def list_tools(_context: Context, _params: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(TOOLS))

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await tools.call(params.name, params.arguments or {}, context.session.report_progress)

    async def list_resources(_context: Context, _params: object) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=list(RESOURCES))

    async def list_templates(_context: Context, _params: object) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=list(TEMPLATES))

    async def read(_context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await resources.read(str(params.uri))

    async def complete(_context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        return await resources.complete(params.argument.name, params.argument.value)

    async def list_prompts(_context: Context, _params: object) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=list(PROMPTS))

    async def get_prompt(_context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return prompt(params.name, params.arguments or {})

    return Server(
        "connote",
        version=__version__,
        title="connote",
        description="Search code by meaning.",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read,
        on_completion=complete,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )
