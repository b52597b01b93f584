"""The memory as an MCP server: six tools over the running service, on standard input and output or streamable HTTP."""
