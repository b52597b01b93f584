"""What the service does: one function per verb, for HTTP, the command line and MCP alike."""
