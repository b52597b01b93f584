"""The command line: `bio-agent`. Each command is a few lines over the service, the supervisor or the client."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import click

from bio_agent_ops.home import Home, HomeError
from bio_agent_ops.local import Api, CommandError, running_api

P = ParamSpec("P")
R = TypeVar("R")


class Place:
    """Where the command works: home, port, tenant."""

    def __init__(self, home: Home, port: int | None, tenant: str) -> None:
        self.home, self.port, self.tenant = home, port, tenant

    def api(self) -> Api:
        found = running_api(self.home, self.port)
        if found is None:
            raise CommandError(f"no service runs on {self.home.root}; start one with `bio-agent up`")
        return Api(found.port, found.token, self.tenant)


pass_place = click.make_pass_decorator(Place)


def told(call: Callable[P, R]) -> Callable[P, R]:
    """Known trouble as one line on standard error and exit code 1, never a stack trace."""

    @wraps(call)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        from bio_agent_ops.postgres import PostgresError
        from bio_agent_ops.valkey import ValkeyError

        try:
            return call(*args, **kwargs)
        except (CommandError, HomeError, PostgresError, ValkeyError) as error:
            click.echo(f"bio-agent: {error}", err=True)
            sys.exit(1)

    return wrapper


def here() -> str:
    """The workspace of a command that names none: this folder's name, for `exec`, `rules` and `check` alike."""
    return Path.cwd().name or "default"


def show(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--home",
    envvar="BIO_AGENT_HOME",
    type=click.Path(path_type=Path),
    help="Folder of everything this writes.  [default: ~/.bio-agent]",
)
@click.option(
    "--port", envvar="BIO_AGENT_PORT", type=click.IntRange(1, 65535), help="HTTP port on 127.0.0.1.  [default: 8055]"
)
@click.option("--tenant", default="default", show_default=True, help="Whose memory.")
@click.version_option(package_name="bio-agent-os")
@click.pass_context
@told
def main(context: click.Context, home: Path | None, port: int | None, tenant: str) -> None:
    """A memory that lets AI agents learn from what happened to them."""
    context.obj = Place(Home.default(home), port, tenant)


def port_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--port", "own_port", type=click.IntRange(1, 65535), help="HTTP port on 127.0.0.1.")(command)


# ------------------------------------------------------------------------------------------------------- running it


@main.command("try")
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="The result as data.")
@click.option("--keep", is_flag=True, help="Leave the service up afterwards.")
@port_option
@pass_place
@told
def try_(place: Place, file: Path | None, as_json: bool, keep: bool, own_port: int | None) -> None:
    """Play a real agent session (or FILE) and show what is learned from it."""
    from bio_agent_ops import trying

    say = (lambda line: click.echo(line, err=True)) if as_json else click.echo
    result = trying.run(place.home, own_port or place.port, file, keep=keep, say=say)
    if as_json:
        show(result)
    else:
        trying.report(result, click.echo)


@main.command()
@click.option("--flower", is_flag=True, help="Also Flower on 127.0.0.1:5555, behind a generated password.")
@port_option
@pass_place
@told
def up(place: Place, flower: bool, own_port: int | None) -> None:
    """Run everything in the foreground: Postgres, Valkey, worker, intake, beat, HTTP."""
    from bio_agent_ops.local import prepare
    from bio_agent_ops.supervisor import up as run_up

    sys.exit(
        run_up(place.home, own_port or place.port or 8055, flower, prepare=prepare, queues=("bio.beat", "bio.think"))
    )


@main.command()
@pass_place
@told
def down(place: Place) -> None:
    """End what runs on this home."""
    from bio_agent_ops.supervisor import down as run_down

    sys.exit(run_down(place.home))


@main.command()
@click.option("--json", "as_json", is_flag=True)
@pass_place
@told
def status(place: Place, as_json: bool) -> None:
    """What runs, and how each component is doing."""
    from bio_agent_ops.supervisor import status as supervised

    state: dict[str, Any] = {"process": supervised(place.home)}
    api = running_api(place.home, place.port)
    if api is not None:
        state["components"] = Api(api.port, api.token, place.tenant).call("GET", "/api/status")
    if as_json:
        show(state)
        return
    process = state["process"]
    click.echo(f"home     {place.home.root}")
    click.echo(
        f"running  {'yes, process ' + str(process.get('pid')) + ', port ' + str(process.get('port', '?')) if process['running'] else 'no'}"
    )
    for name, part in state.get("components", {}).items():
        click.echo(
            f"{name:<14} " + (", ".join(f"{k} {v}" for k, v in part.items()) if isinstance(part, dict) else str(part))
        )


@main.command()
@click.option("--json", "as_json", is_flag=True)
@pass_place
@told
def doctor(place: Place, as_json: bool) -> None:
    """Say what is wrong and what to do."""
    from bio_agent_ops.doctor import checks

    found = checks(place.home)
    if as_json:
        show([{"name": c.name, "ok": c.ok, "detail": c.detail, "fix": c.fix} for c in found])
    else:
        for c in found:
            mark = "–" if c.ok is None else "✓" if c.ok else "✗"
            click.echo(f"{mark} {c.name}: {c.detail}" + (f"\n    → {c.fix}" if not c.ok and c.fix else ""))
    sys.exit(1 if any(c.ok is False for c in found) else 0)


@main.command()
@pass_place
@told
def migrate(place: Place) -> None:
    """Bring the schema up to date (DATABASE_ADMIN_URL migrates, BIO_APP_PASSWORD becomes the application role's)."""
    from bio_agent_schema.db import migrate as run_migrate

    admin = os.environ.get("DATABASE_ADMIN_URL") or os.environ.get("DATABASE_URL")
    password = os.environ.get("BIO_APP_PASSWORD")
    if not admin or not password:
        raise CommandError(
            "set DATABASE_ADMIN_URL (a role that may create roles) and BIO_APP_PASSWORD; `bio-agent up` does this by itself"
        )
    url = run_migrate(admin, password)
    click.echo(
        f"the schema is up to date; the application connects as {url.split('@')[0].split('//')[1].split(':')[0]}"
    )


# ------------------------------------------------------------------------------------------------- the agent's side


@main.command("exec", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--workspace",
    envvar="BIO_WORKSPACE",
    default=here,
    help="Workspace it belongs to.  [default: this folder's name]",
)
@click.option("--agent", envvar="BIO_AGENT", default="exec", show_default=True)
@click.option("--session", envvar="BIO_SESSION", default="", help="Session it belongs to.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@pass_place
@told
def exec_(place: Place, workspace: str, agent: str, session: str, command: tuple[str, ...]) -> None:
    """Run a command and observe it; output and exit code are the command's own."""
    from bio_agent_client.client import Memory
    from bio_agent_client.run import run

    sys.exit(run(list(command), _memory(place, Memory, workspace=workspace, agent=agent, session=session)))


def _memory(place: Place, memory: Any, **where: str) -> Any:
    """A client of this home's service; while it is away the spool in the home keeps what was observed."""
    api = running_api(place.home, place.port)
    port = api.port if api else place.port or 8055
    place.home.create()
    return memory(f"http://127.0.0.1:{port}", spool_dir=place.home.root / "spool", **where)


@main.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--workspace", default="", help="Workspace for observations that name none.")
@click.option("--sleep", "then_sleep", is_flag=True, help="Consolidate afterwards.")
@pass_place
@told
def replay(place: Place, file: Path, workspace: str, then_sleep: bool) -> None:
    """Send what FILE recorded: SWE-agent .traj, mini-swe-agent, Claude Code transcript, plain JSONL."""
    from bio_agent_client import replay as reader

    api = place.api()
    total = {"accepted": 0, "duplicates": 0, "refused": 0}
    try:
        found = [
            {**({"workspace": workspace} if workspace and not o.get("workspace") else {}), **o}
            for o in reader.read(file)
        ]
    except (OSError, ValueError) as error:
        raise CommandError(f"cannot read {file}: {error}") from error
    for start in range(0, len(found), 200):
        answer = api.call("POST", "/api/ingest", found[start : start + 200])
        for name in ("accepted", "duplicates"):
            total[name] += answer[name]
        for refusal in answer["refused"]:
            total["refused"] += 1
            click.echo(f"{file}: observation {start + refusal['index'] + 1}: {refusal['reason']}", err=True)
    click.echo(f"{len(found)} observations read, " + ", ".join(f"{v} {k}" for k, v in total.items()))
    if then_sleep:
        show(api.call("POST", "/api/sleep", {}))


@main.command()
@click.argument("text")
@click.option("--type", "memory_type", default="", help="Free text, such as preference or project_context.")
@click.option("--workspace", default="default", show_default=True)
@pass_place
@told
def remember(place: Place, text: str, memory_type: str, workspace: str) -> None:
    """Keep TEXT."""
    show(
        place.api().call(
            "POST", "/api/remember", {"content": text, "type": memory_type, "workspace": workspace, "source": "cli"}
        )
    )


@main.command()
@click.argument("query")
@click.option("--workspace", default=None)
@click.option("--limit", default=8, show_default=True)
@pass_place
@told
def recall(place: Place, query: str, workspace: str | None, limit: int) -> None:
    """Memories that fit QUERY."""
    found = place.api().call("POST", "/api/recall", {"query": query, "workspace": workspace, "limit": limit})
    for m in found["memories"]:
        click.echo(f"{m['score']:.2f}  {m['kind']:<10} {m['content']}")
    if not found["memories"]:
        click.echo("nothing fits")


@main.command()
@click.option("--workspace", envvar="BIO_WORKSPACE", default=here, help="[default: this folder's name]")
@pass_place
@told
def rules(place: Place, workspace: str) -> None:
    """The prompt block an agent of this workspace gets."""
    click.echo(
        place.api().call("GET", "/api/persona", workspace=workspace)["block"]
        or f"(no rule speaks in workspace {workspace} yet; name another with --workspace)"
    )


@main.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--workspace", envvar="BIO_WORKSPACE", default=here, help="[default: this folder's name]")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@pass_place
@told
def check(place: Place, workspace: str, command: tuple[str, ...]) -> None:
    """Ask the guard about a shell command; exit code 0 allow, 3 warn, 4 needs approval, 5 block."""
    import html
    import shlex

    line = command[0] if len(command) == 1 else shlex.join(command)
    said = place.api().call(
        "POST", "/api/check", {"tool": "Bash", "tool_input": {"command": line}, "workspace": workspace}
    )
    click.echo(f"{said['verdict']}: {html.unescape(said['reason'])}")
    sys.exit({"allow": 0, "warn": 3, "needs_approval": 4, "block": 5}[said["verdict"]])


# -------------------------------------------------------------------------------------------------- what was learned


@main.command()
@pass_place
@told
def sleep(place: Place) -> None:
    """Run the pending work to its end."""
    show(place.api().call("POST", "/api/sleep", {}))


@main.command()
@click.option("--journal", is_flag=True, help="Only the journal, a line each.")
@pass_place
@told
def dream(place: Place, journal: bool) -> None:
    """Run the dream cycle now."""
    dreamt = place.api().call("POST", "/api/dream", {})
    if not journal:
        show(dreamt)
        return
    for line in dreamt["journal"]:
        click.echo(f"{line['did']}: {line['text']} ({line['why']})")
    if not dreamt["journal"]:
        click.echo("nothing to do")


@main.command()
@click.option("--state", default="", help="Only these states, separated by commas.")
@pass_place
@told
def beliefs(place: Place, state: str) -> None:
    """What is believed, with state and confidence."""
    for b in place.api().call("GET", "/api/beliefs", state=state, limit=1000):
        click.echo(
            f"{b['id']}  {b['state']:<11} {b['confidence']:.2f}  {b['scope'] or 'everywhere':<20} {b['content']}"
        )


@main.command()
@click.argument("belief_id")
@click.argument("act", type=click.Choice(["approve", "reject", "pin", "deprecate", "undo", "edit"]))
@click.option("--why", default="", help="Goes to the audit.")
@click.option("--content", default=None, help="The new text, for edit.")
@pass_place
@told
def decide(place: Place, belief_id: str, act: str, why: str, content: str | None) -> None:
    """A person's act on a belief."""
    body = {"why": why} | ({"content": content} if content else {})
    show(place.api().call("POST", f"/api/beliefs/{belief_id}/{act}", body))


@main.command()
@click.argument("belief_id")
@pass_place
@told
def explain(place: Place, belief_id: str) -> None:
    """A belief with the episodes that taught it, its exceptions and history."""
    show(place.api().call("GET", f"/api/beliefs/{belief_id}"))


# --------------------------------------------------------------------------------------------------------- operation


@main.group()
def keys() -> None:
    """API keys of programs."""


def _database(place: Place) -> Any:
    from bio_agent_ops.stack import Stack
    from bio_agent_schema.db import Database

    url = os.environ.get("DATABASE_URL")
    if url:
        return Database(url, pool_size=1)
    stack = Stack.attached(place.home)
    if stack is None:
        raise CommandError(f"no service runs on {place.home.root}; start one with `bio-agent up`")
    from sqlalchemy.engine import make_url

    app = make_url(stack.database_url).set(username="bio_app", password=place.home.secret("app-db.password"))
    return Database(app.render_as_string(hide_password=False), pool_size=1)


@keys.command("create")
@click.option(
    "--ceiling",
    type=click.Choice(["owner", "system", "agent", "untrusted"]),
    default="agent",
    show_default=True,
    help="The highest provenance it may claim.",
)
@click.option("--days", type=click.IntRange(1, 3650), default=None, help="Days until it expires.")
@pass_place
@told
def create_key(place: Place, ceiling: str, days: int | None) -> None:
    """Make a key for the tenant; it is shown once."""
    from bio_agent_ops.auth import create_key as make

    key_id, key = make(_database(place), place.tenant, ceiling, days)
    show({"id": key_id, "tenant": place.tenant, "ceiling": ceiling, "key": key})


@keys.command("revoke")
@click.argument("key_id")
@pass_place
@told
def revoke(place: Place, key_id: str) -> None:
    """End a key."""
    from bio_agent_ops.auth import revoke_key

    if not revoke_key(_database(place), place.tenant, key_id):
        raise CommandError(f"tenant {place.tenant} has no live key {key_id}")
    click.echo("revoked")


@main.command("dead-letters")
@click.option("--redrive", default=None, metavar="ID", help="Put this one back to work.")
@pass_place
@told
def dead_letters(place: Place, redrive: str | None) -> None:
    """What could not be processed, with its cause."""
    api = place.api()
    show(
        api.call("POST", f"/api/dead-letters/{redrive}/redrive", {})
        if redrive
        else api.call("GET", "/api/dead-letters")
    )


@main.command()
@click.argument("what", type=click.Choice(["ingest", "sleep"]))
@click.option("--json", "as_json", is_flag=True)
@pass_place
@told
def bench(place: Place, what: str, as_json: bool) -> None:
    """Measure this machine; conditions are printed with the figures."""
    from bio_agent_ops.bench import ingest, sleep

    sys.exit(ingest.main(as_json=as_json) if what == "ingest" else sleep.main(as_json=as_json))


if __name__ == "__main__":
    main()
