"""`bio-agent mcp`: serve the memory's tools to an MCP client."""

from __future__ import annotations

import os
from pathlib import Path

import click

from bio_agent_ops.commands.common import Place, mcp_install, placed
from bio_agent_ops.local import CommandError


@click.command()
@click.option(
    "--http",
    "http_port",
    type=click.IntRange(1, 65535),
    help="Serve streamable HTTP on http://127.0.0.1:PORT/mcp instead of standard input and output.",
)
@click.option("--workspace", default="", help="[default: the name of the repository of this folder]")
@click.option("--agent", default="mcp", show_default=True, help="Who asks.")
@placed
def mcp(place: Place, http_port: int | None, workspace: str, agent: str) -> None:
    """Serve the memory to an MCP client: remember, recall, rules, check, feedback, sleep."""
    try:
        from bio_agent_ops.mcp.server import build
    except ImportError as error:
        raise CommandError(f"the MCP server needs the extra bio-agent-os[mcp]: {mcp_install()}") from error
    from bio_agent_client.hosts.workspace import workspace_of
    from bio_agent_client.observation import uuid7
    from bio_agent_ops.mcp.backend import Backend
    from bio_agent_ops.supervisor import status, version

    if place.tenant != "default":
        raise CommandError("the tenant comes from the key: set BIO_AGENT_KEY (`bio-agent keys create`)")

    def address() -> str:
        port = place.port or status(place.home).get("port") or 8055
        return f"http://127.0.0.1:{port}"

    backend = Backend(
        address,
        workspace=workspace or workspace_of(str(Path.cwd())),
        agent=agent,
        session=f"mcp-{uuid7()}",
        key=os.environ.get("BIO_AGENT_KEY") or None,
    )
    server = build(backend, version())
    if http_port is None:
        server.run("stdio")
        return
    from bio_agent_ops.processes import port_is_free

    if not port_is_free(http_port):
        raise CommandError(f"port {http_port} on 127.0.0.1 is taken; give another with --http")
    click.echo(f"MCP on http://127.0.0.1:{http_port}/mcp", err=True)
    server.run("streamable-http", host="127.0.0.1", port=http_port)
