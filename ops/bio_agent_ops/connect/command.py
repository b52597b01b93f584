"""`bio-agent connect`: show the change to the host's settings, make it, or take it back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bio_agent_ops.commands.common import Place, mcp_install, placed
from bio_agent_ops.local import CommandError
from bio_agent_workers.brain.counting import counted

if TYPE_CHECKING:
    from bio_agent_ops.connect.hosts import Wiring
    from bio_agent_ops.connect.settings_file import Change


@click.command()
@click.argument("host", type=click.Choice(["claude-code", "codex", "openclaw", "hermes", "swe-agent", "mcp"]))
@click.option("--yes", is_flag=True, help="Make the change without asking.")
@click.option("--undo", is_flag=True, help="Take the memory out of the host again.")
@click.option("--project", is_flag=True, help="Only in this folder's project, not for all of yours.")
@click.option("--workspace", default="", help="[default: the name of the repository the host works in]")
@click.option("--agent", default="", help="[default: the host's name]")
@click.option(
    "--warn",
    type=click.Choice(["tell", "hold"]),
    default="hold",
    show_default=True,
    help="A learned warning holds the call back once, so that it is read before the act; or is told beside the call, when "
    "it has run. A person's rules hold either way.",
)
@click.option(
    "--prompts",
    type=click.Choice(["owner", "untrusted"]),
    help="Whose words the prompts are: yours, or nobody's, where a script passes on what others wrote.  [default: owner; "
    "untrusted for swe-agent, whose tasks are often issues that anybody wrote]",
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
    prompts: str | None,
    file: Path | None,
) -> None:
    """Connect an agent HOST: its hooks then capture, inject rules and ask the guard. Settings of yours stay."""
    from bio_agent_ops.connect import hosts, programs
    from bio_agent_ops.connect.checks import register
    from bio_agent_ops.connect.settings_file import connecting, disconnecting

    if place.tenant != "default":
        raise CommandError("hooks and the MCP server speak as the default tenant; leave --tenant out")
    url = f"http://127.0.0.1:{place.port}" if place.port else ""
    trusted = prompts or ("untrusted" if host == "swe-agent" else "owner")
    wiring = hosts.Wiring(place.home, workspace, agent, url, warn, trusted)
    here = Path.cwd() if project else None
    if host in ("openclaw", "hermes", "swe-agent"):
        if project or file is not None:
            raise CommandError(
                f"{host} is connected through its own program, for all of yours; leave --project and --file out"
            )
        if host == "swe-agent":
            settings = _mini_swe_agent(wiring, yes=yes, undo=undo)
        else:
            _through_program(host, wiring, yes=yes, undo=undo)
            settings = programs.settings_of(host)
        if not undo or place.home.root.is_dir():
            register(place.home, host, settings, gone=undo)
        return
    if host == "mcp":
        if not undo and not hosts.has_mcp():
            raise CommandError(f"the MCP server needs the extra bio-agent-os[mcp]: {mcp_install()}")
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
        click.echo(_taken_out(change) if undo else change.diff(), nl=False)
        if not yes and not click.confirm(f"Change {path}?"):
            raise CommandError("nothing was changed")
        change.apply()
        click.echo(f"{'disconnected' if undo else 'connected'} {title}: {path}")
        if not undo:
            click.echo(afterwards)
    if not undo or place.home.root.is_dir():
        register(place.home, host, path, gone=undo)


def _taken_out(change: Change) -> str:
    """What an undo does, in two lines at most: everybody has seen what was put in."""
    if change.after is None:
        return f"{change.path} held nothing but the memory's entries: the file is removed\n"
    removed = sum(line.startswith("-") for line in change.diff().splitlines()[2:])
    return f"{change.path}: the memory's entries are taken out ({counted(removed, 'line')}); everything else stays as it is\n"


def _through_program(host: str, wiring: Wiring, *, yes: bool, undo: bool) -> None:
    """Shows what will be done and does it."""
    from bio_agent_ops.connect import programs

    steps = programs.steps(host, wiring, undo=undo)
    if not steps:
        click.echo(f"there is no `{host}` on the PATH, so its own settings stay as they are")
    for step in steps:
        click.echo(step.shown)
    for note in programs.notes(host, undo=undo):
        click.echo(note)
    if steps and not yes and not click.confirm("Do this?"):
        raise CommandError("nothing was changed")
    for step in steps:
        step.act()
    click.echo(f"{'disconnected' if undo else 'connected'} {host}; it takes effect when it starts next")


def _mini_swe_agent(wiring: Wiring, *, yes: bool, undo: bool) -> Path:
    """Shows what changes in mini-swe-agent's files and changes it; returns its settings file."""
    from bio_agent_ops.connect import mini_swe_agent
    from bio_agent_ops.connect.installed import mini_swe_agent_found

    mini = mini_swe_agent_found()
    click.echo(f"mini-swe-agent found: {mini.package}")
    changes = [one for one in mini_swe_agent.changes(mini, wiring, undo=undo) if not one.nothing]
    if not changes:
        click.echo(
            f"{mini.settings} {'holds nothing of the memory' if undo else 'is connected already'}; nothing to do"
        )
        return mini.settings
    for one in changes:
        click.echo(
            one.diff() if one.path == mini.settings else _of_ours(mini_swe_agent.base_config(mini), one), nl=False
        )
    if not yes and not click.confirm("Do this?"):
        raise CommandError("nothing was changed")
    for one in changes:
        one.apply()
    click.echo(f"{'disconnected' if undo else 'connected'} mini-swe-agent; it takes effect with the next `mini`")
    if not undo:
        click.echo(
            f"A run with -c of its own needs `-c {mini.config}` first. SWE-agent's own runs: bio-agent replay FILE.traj"
        )
    return mini.settings


def _of_ours(base: Path, change: Change) -> str:
    """One line for a file that is wholly ours."""
    if change.after is None:
        return f"remove {change.path}\n"
    made_from = f": a copy of {base} with the memory's agent" if change.path.suffix == ".yaml" else ""
    return f"write {change.path}{made_from}\n"
