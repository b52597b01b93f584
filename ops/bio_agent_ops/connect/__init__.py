"""`bio-agent connect`: puts the memory's hooks or its MCP server into an agent host's own settings, and takes them out."""

from bio_agent_ops.connect.checks import Finding, check_hosts

__all__ = ["Finding", "check_hosts"]
