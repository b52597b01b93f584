"""What an agent does, from the shell: `exec`, `replay`, `remember`, `recall`, `rules`, `check`."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import replace
from pathlib import Path

import click

from bio_agent_ops import quota_words
from bio_agent_ops.commands.common import Place, here, placed, plain, show
from bio_agent_ops.local import Api, CommandError, Refused, running_api
from bio_agent_workers.brain.counting import counted


@click.command("exec", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--workspace",
    envvar="BIO_WORKSPACE",
    default=here,
    help="Workspace it belongs to.  [default: this repository's name]",
)
@click.option("--agent", envvar="BIO_AGENT", default="exec", show_default=True)
@click.option("--session", envvar="BIO_SESSION", default="", help="Session it belongs to.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@placed
def exec_(place: Place, workspace: str, agent: str, session: str, command: tuple[str, ...]) -> None:
    """Run a command and observe it; output and exit code are the command's own."""
    from bio_agent_client.client import Memory
    from bio_agent_client.run import run

    key = os.environ.get("BIO_AGENT_KEY")
    if place.tenant != "default" and not key:
        raise CommandError("the tenant of an observation comes from a key: set BIO_AGENT_KEY (`bio-agent keys create`)")
    # While the service is away the spool in the home keeps what was observed.
    api = running_api(place.home, place.port)
    port = api.port if api else place.port or 8055
    place.home.create()
    with Memory(
        f"http://127.0.0.1:{port}",
        key=key,
        spool_dir=place.home.spool,
        workspace=workspace,
        agent=agent,
        session=session,
    ) as memory:
        code = run(list(command), memory)
    if api is not None:
        _tell_held(replace(api, token=key or api.token).of(place.tenant))
    sys.exit(code)


def _as_agent(place: Place) -> Api:
    """The service as an agent meets it: by its key, without one on loopback; by the owner's token only for a tenant that is
    reached no other way. What the owner asks the owner may not approve."""
    key, api = os.environ.get("BIO_AGENT_KEY", ""), place.api()
    return replace(api, token=key) if key or place.tenant == "default" else api


def _tell_held(api: Api) -> None:
    """Says on standard error that what was just observed waits, where a limit is reached; what cannot be asked is left."""
    with contextlib.suppress(CommandError):
        if said := quota_words.warning(api.call("GET", "/api/quotas", timeout_s=3)):
            click.echo(f"bio-agent: {said}", err=True)


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--workspace", default="", help="Workspace for observations that name none.")
@click.option("--sleep", "then_sleep", is_flag=True, help="Consolidate afterwards.")
@placed
def replay(place: Place, file: Path, workspace: str, then_sleep: bool) -> None:
    """Send what FILE recorded: SWE-agent .traj, mini-swe-agent, Claude Code transcript, plain JSONL."""
    from bio_agent_client import replay as reader

    problems = reader.Problems(lambda text: click.echo(text, err=True))
    try:
        found = list(reader.read(file, on_problem=problems))
    except (OSError, ValueError) as error:
        raise CommandError(f"cannot replay it: {error}", exit_code=2) from error
    if not found:
        raise CommandError(f"{file} holds no observation", exit_code=2)
    problems.end()
    if workspace:
        found = [o if o.get("workspace") else {**o, "workspace": workspace} for o in found]
    api = place.api(may_begin=True)
    total = {"accepted": 0, "duplicates": 0, "refused": 0}
    refusals = reader.Problems(lambda text: click.echo(text, err=True))
    for start in range(0, len(found), 200):
        answer = api.call("POST", "/api/ingest", found[start : start + 200])
        for name in ("accepted", "duplicates"):
            total[name] += answer[name]
        for refusal in answer["refused"]:
            total["refused"] += 1
            refusals(f"{file}: observation {start + refusal['index'] + 1}: {refusal['reason']}")
    refusals.end()
    click.echo(f"{counted(len(found), 'observation')} read, " + ", ".join(f"{v} {k}" for k, v in total.items()))
    if total["refused"] == len(found):
        raise CommandError(f"nothing of {file} was taken", exit_code=2)
    if then_sleep:
        show(api.call("POST", "/api/sleep", {}))


@click.command()
@click.argument("text")
@click.option("--type", "memory_type", default="", help="Free text, such as preference or project_context.")
@click.option(
    "--workspace",
    envvar="BIO_WORKSPACE",
    default=here,
    help="Workspace it belongs to.  [default: this repository's name]",
)
@click.option("--json", "as_json", is_flag=True, help="What was kept, as data.")
@placed
def remember(place: Place, text: str, memory_type: str, workspace: str, as_json: bool) -> None:
    """Keep TEXT; a standing directive in it becomes a rule."""
    api = place.api(may_begin=True)
    kept = api.call(
        "POST", "/api/remember", {"content": text, "type": memory_type, "workspace": workspace, "source": "cli"}
    )
    if as_json:
        show(kept)
        return
    said = "known already, confirmed" if kept["merged"] else "remembered"
    rule = "; what it asks for becomes a rule when it is slept on" if kept.get("directive") else ""
    click.echo(f"{said} in workspace {workspace}: {', '.join(kept['ids'])}{rule}")
    if rule:
        _tell_held(api)


@click.command()
@click.argument("query")
@click.option("--workspace", default=None, help="Only what belongs to it.  [default: all]")
@click.option("--limit", default=8, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="The whole answer, as data: scores, reasons, conversations.")
@placed
def recall(place: Place, query: str, workspace: str | None, limit: int, as_json: bool) -> None:
    """Memories that fit QUERY, best first: what holds now stands before what it replaced, whatever their scores."""
    found = place.api().call("POST", "/api/recall", {"query": query, "workspace": workspace, "limit": limit})
    if as_json:
        show(found)
        return
    for place_, m in enumerate(found["memories"], 1):
        click.echo(f"{place_:>2}. {m['kind']:<10} {plain(m['content'])}")
        marks = ["replaced since"] * bool(m["superseded_by"]) + ["another says otherwise"] * bool(
            m.get("conflicts_with")
        )
        click.echo("    " + "  ".join([m["id"], f"in {plain(m['workspace'] or 'default')}", *marks]))
    if not found["memories"]:
        click.echo("nothing fits")
    if without := found.get("without"):
        click.echo(f"searched without {without}", err=True)


@click.command()
@click.option("--workspace", envvar="BIO_WORKSPACE", default=here, help="[default: this repository's name]")
@placed
def rules(place: Place, workspace: str) -> None:
    """The prompt block an agent of this workspace gets."""
    click.echo(
        place.api().call("GET", "/api/persona", workspace=workspace)["block"]
        or f"(no rule speaks in workspace {workspace} yet; name another with --workspace)"
    )


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--workspace", envvar="BIO_WORKSPACE", default=here, help="[default: this repository's name]")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@placed
def check(place: Place, workspace: str, command: tuple[str, ...]) -> None:
    """Ask the guard about a shell command; exit code 0 allow, 3 warn, 4 needs approval, 5 block."""
    import html
    import shlex

    own = [word for word in command[1:] if word.partition("=")[0] in ("--workspace", "--tenant", "--home", "--port")]
    if own and " " in command[0].strip():  # the whole line is one argument, so what follows was meant for us
        raise CommandError(
            f"{own[0]} stands behind the command; put it before: bio-agent check {own[0]} … {command[0]!r}", exit_code=2
        )
    line = command[0] if len(command) == 1 else shlex.join(command)
    if not line.strip():
        raise CommandError(
            'no command to check: give it behind `check`, such as `bio-agent check "git push"`', exit_code=2
        )
    asked = {"tool": "Bash", "tool_input": {"command": line}, "workspace": workspace}
    try:
        said = _as_agent(place).call("POST", "/api/check", asked)
    except Refused as error:
        if error.status_code not in (401, 403):
            raise
        said = place.api().call("POST", "/api/check", asked)
    click.echo(f"{said['verdict']}: {plain(html.unescape(said['reason']))}")
    sys.exit({"allow": 0, "warn": 3, "needs_approval": 4, "block": 5}[said["verdict"]])
