"""`bio-agent connect`: puts the memory's hooks or its MCP server into an agent host's own settings, and takes them out."""
