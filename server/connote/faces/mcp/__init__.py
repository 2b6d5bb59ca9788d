"""The MCP face: `connote mcp`."""
