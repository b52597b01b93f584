"""`bio-agent connect`: show the change to the host's settings, make it, or take it back."""

from __future__ import annotations

from pathlib import Path

import click

from bio_agent_ops.commands.common import Place, placed
from bio_agent_ops.local import CommandError


@click.command()
@click.argument("host", type=click.Choice(["claude-code", "codex", "mcp"]))
@click.option("--yes", is_flag=True, help="Make the change without asking.")
@click.option("--undo", is_flag=True, help="Take the memory out of the host again.")
@click.option("--project", is_flag=True, help="Only in this folder's project, not for all of yours.")
@click.option("--workspace", default="", help="[default: the name of the repository the host works in]")
@click.option("--agent", default="", help="[default: the host's name]")
@click.option(
    "--warn",
    type=click.Choice(["tell", "hold"]),
    default="tell",
    show_default=True,
    help="A learned warning is told beside the call, or holds the call back once. A person's rules hold either way.",
)
@click.option(
    "--prompts",
    type=click.Choice(["owner", "untrusted"]),
    default="owner",
    show_default=True,
    help="Whose words the prompts are: yours, or nobody's, where a script passes on what others wrote.",
)
@click.option(
    "--file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The settings file, where it is not the host's usual one.",
)
@placed
def connect(
    place: Place,
    host: str,
    yes: bool,
    undo: bool,
    project: bool,
    workspace: str,
    agent: str,
    warn: str,
    prompts: str,
    file: Path | None,
) -> None:
    """Connect an agent HOST: its hooks then capture, inject rules and ask the guard. Settings of yours stay."""
    from bio_agent_ops.connect import hosts
    from bio_agent_ops.connect.checks import register
    from bio_agent_ops.connect.settings_file import connecting, disconnecting

    if place.tenant != "default":
        raise CommandError("hooks and the MCP server speak as the default tenant; leave --tenant out")
    url = f"http://127.0.0.1:{place.port}" if place.port else ""
    wiring = hosts.Wiring(place.home, workspace, agent, url, warn, prompts)
    here = Path.cwd() if project else None
    if host == "mcp":
        if not undo and not hosts.has_mcp():
            raise CommandError("the MCP server needs the package mcp: pip install 'bio-agent-os[mcp]'")
        path = file or Path.cwd() / ".mcp.json"
        change = (
            disconnecting(path, hosts.without_mcp)
            if undo
            else connecting(path, lambda found: hosts.with_mcp(found, wiring), hosts.without_mcp)
        )
        title, afterwards = "the MCP client", "It takes effect when the client starts next."
    else:
        known = hosts.HOOK_HOSTS[host]
        found = known.found()
        if not found and not undo and file is None:
            raise CommandError(
                f"{known.title} is not here: there is no `{known.program}` on the PATH and no {known.config_folder()}; "
                f"install it first, or name its settings with --file"
            )
        path = file or known.settings(here)
        command = hosts.hook_command(known, wiring)
        change = (
            disconnecting(path, hosts.without_hooks)
            if undo
            else connecting(path, lambda settings: hosts.with_hooks(settings, known, command), hosts.without_hooks)
        )
        title, afterwards = known.title, known.afterwards
        if found and not undo:
            click.echo(f"{known.title} found: {found}")
    path = path.absolute()
    if change.nothing:
        click.echo(f"{path} {'holds nothing of the memory' if undo else 'is connected already'}; nothing to do")
    else:
        click.echo(change.diff(), nl=False)
        if not yes and not click.confirm(f"Change {path}?"):
            raise CommandError("nothing was changed")
        change.apply()
        click.echo(f"{'disconnected' if undo else 'connected'} {title}: {path}")
        if not undo:
            click.echo(afterwards)
    if not undo or place.home.root.is_dir():
        register(place.home, host, path, gone=undo)
