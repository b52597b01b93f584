"""What was learned: `sleep`, `dream`, `beliefs`, `explain`, `decide`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from bio_agent_ops.commands.common import Place, all_beliefs, belief_id_of, placed, plain, show
from bio_agent_ops.commands.exceptions import told_exception
from bio_agent_workers.brain.counting import counted


@click.command()
@placed
def sleep(place: Place) -> None:
    """Run the pending work to its end."""
    show(place.api().call("POST", "/api/sleep", {}))


@click.command()
@click.option("--journal", is_flag=True, help="Do not dream: print the journal of the last one.")
@click.option("--night", default="", metavar="DATE", help="With --journal: of the dream of that night.")
@click.option("--continue", "go_on", is_flag=True, help="Let the dream that asks go on to its end.")
@click.option("--stop", is_flag=True, help="Stop the dream that asks.")
@click.option("--why", default="", help="Goes to the review, with --continue or --stop.")
@placed
def dream(place: Place, journal: bool, night: str, go_on: bool, stop: bool, why: str) -> None:
    """Run the dream cycle now, or read and answer one."""
    if journal + go_on + stop > 1:
        raise click.UsageError("one of --journal, --continue and --stop at a time")
    if night and not journal:
        raise click.UsageError("--night belongs to --journal")
    if why and not (go_on or stop):
        raise click.UsageError("--why belongs to --continue or --stop")
    if journal:
        told_dream(place.api().call("GET", "/api/dream", night=night))
    elif go_on or stop:
        told_dream(place.api().call("POST", f"/api/dream/{'continue' if go_on else 'stop'}", {"why": why}))
    else:
        told_dream(place.api().call("POST", "/api/dream", {}))


_DREAM_STATES = {
    "asking": "has spent what a night may change: `bio-agent dream --continue` lets it go on, `--stop` ends it",
    "running": "is under way, or rests in a blackout",
    "stopped": "was stopped by a person",
    "left": "did not come to its end; another one began",
}


def told_dream(dreamt: dict[str, Any]) -> None:
    """A dream as lines for a person: what changed and why, by step."""
    click.echo(f"dream {dreamt['slot']}, begun {dreamt['started_at']}: {counted(dreamt['changes'], 'change')}")
    if dreamt["state"] in _DREAM_STATES:
        click.echo(f"  it {_DREAM_STATES[dreamt['state']]}")
    step = ""
    for line in dreamt["journal"]:
        if line["step"] != step:
            step = line["step"]
            click.echo(f"{step.replace('_', ' ')}")
        what = plain(line.get("text") or line.get("subject") or f"{line['count']} more")
        into = f" ⇒ {plain(line['into_text'])}" if line.get("into_text") else ""
        click.echo(f"  {line['did']}: {what}{into} ({line['why']})")
    if not dreamt["journal"]:
        click.echo("  nothing to do")


@click.command()
@click.option("--state", default="", help="Only these states, separated by commas.")
@click.option(
    "--workspace", default=None, help="Only what holds in this workspace: its own, and what holds everywhere."
)
@click.option("--json", "as_json", is_flag=True, help="Everything that is known of each, as data.")
@placed
def beliefs(place: Place, state: str, workspace: str | None, as_json: bool) -> None:
    """What is believed, with state and confidence. `explain` and `decide` take the id, or a part of it (the last
    characters tell best)."""
    found = all_beliefs(place.api(), state)
    if workspace is not None:
        from bio_agent_workers.brain.scopes import format_path, of_workspace

        at = format_path(of_workspace(workspace).path)
        found = [b for b in found if not b["scope"] or at == b["scope"] or at.startswith(b["scope"] + "/")]
    if as_json:
        show(found)
        return
    for b in found:
        core = "core" if b["layer"] == "core" else ""
        click.echo(
            f"{b['id']}  {b['state']:<11} {core:<4} {b['confidence']:.2f}  {plain(b['scope'] or 'everywhere'):<20} {plain(b['content'])}"
        )
    if not found:
        click.echo("none")


@click.command()
@click.argument("belief_id")
@click.argument("act", type=click.Choice(["approve", "reject", "pin", "deprecate", "undo", "edit", "literal"]))
@click.option("--why", default="", help="Goes to the audit.")
@click.option("--content", default=None, help="The new text, for edit.")
@click.option("--json", "as_json", is_flag=True, help="Everything that is known of it, as data.")
@placed
def decide(place: Place, belief_id: str, act: str, why: str, content: str | None, as_json: bool) -> None:
    """A person's act on a belief. BELIEF_ID: its id, or a part of it.

    \b
    approve    it becomes core, from any state: it speaks, learning no longer
               changes it, and the guard BLOCKS a call that it forbids
    pin        the same as approve; the audit tells which of the two it was
    edit       gives it the text of --content, and makes it core as well
    reject     it falls silent, and comes back only as a proposal after new
               and independent evidence
    deprecate  it is taken out of force as outdated, without being called wrong
    undo       takes the last act on it back; without one, what learning raised
               is rejected, and what learning let fall comes back
    literal    the guard goes by its own words alone, and leaves aside what a
               language model read in it (`explain` shows both)

    A learned rule only warns, an owner's directive asks. To let single calls through a core rule: `bio-agent exceptions grant`.
    """
    if act == "edit" and not (content or "").strip():
        raise click.UsageError("edit needs the new text: --content TEXT")
    if act != "edit" and content is not None:
        raise click.UsageError(f"--content belongs to edit, not to {act}")
    body = {"why": why} | ({"content": content} if content else {})
    api = place.api()
    decided = api.call("POST", f"/api/beliefs/{belief_id_of(api, belief_id)}/{act}", body)
    if as_json:
        show(decided)
        return
    click.echo(told_belief(decided))
    for other in decided.get("also", []):
        click.echo(f"  also changed: {plain(other.get('content') or other.get('id'))}")
    if decided["layer"] == "core":
        click.echo("  core: learning no longer changes it, and the guard blocks what it recognises as forbidden by it")
    if act == "literal":
        click.echo("  the guard goes by its own words alone, whatever a language model read in it")
    if act != "undo":
        click.echo(f"  `bio-agent decide {decided['id']} undo` takes this back")


@click.command()
@click.argument("belief_id")
@click.option("--json", "as_json", is_flag=True, help="Everything that is known of it, as data.")
@placed
def explain(place: Place, belief_id: str, as_json: bool) -> None:
    """A belief with the episodes that taught it, its exceptions and history. BELIEF_ID: its id, or a part of it."""
    api = place.api()
    found = api.call("GET", f"/api/beliefs/{belief_id_of(api, belief_id)}")
    if as_json:
        show(found)
        return
    click.echo(told_belief(found))
    against = found["contradiction_count"]
    click.echo(f"  evidence: {found['support_count']} for it ({found['independent']} independent), {against} against")
    _told_some(found["evidence"], _evidence_line)
    for name, shown in (("exceptions", told_exception), ("conflicts", _conflict_line), ("reviews", _review_line)):
        if found[name]:
            click.echo(f"  {'open questions' if name == 'reviews' else name}:")
            _told_some(found[name], shown)
    click.echo("  history:")
    _told_some(found["history"], _history_line)


MOST_LINES = 8  # of one part of an explanation; --json has them all


def told_belief(b: dict[str, Any]) -> str:
    """A belief as two lines for a person."""
    core = ", core" if b["layer"] == "core" else ""
    scope = plain(b["scope"] or "everywhere")
    return f"{plain(b['content'])}\n  {b['state']}{core}, confidence {b['confidence']:.2f}, {scope}; id {b['id']}"


def _told_some(rows: list[dict[str, Any]], line: Callable[[dict[str, Any]], str]) -> None:
    for row in rows[:MOST_LINES]:
        click.echo(f"    {line(row)}")
    if len(rows) > MOST_LINES:
        click.echo(f"    … and {len(rows) - MOST_LINES} more (--json has all)")


def _short(text: str, width: int = 100) -> str:
    flat = plain(text)
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def _evidence_line(e: dict[str, Any]) -> str:
    what = f"$ {e['command']}" + (" (failed)" if e["failed"] else "") if e["command"] else e["text"]
    side = "for" if e["supports"] else "against"
    return f"{str(e['at'])[:16]}  {side:<8} {_short(what or 'the episode is gone')}  (episode {plain(e['episode_id'])})"


def _conflict_line(c: dict[str, Any]) -> str:
    return f"{c['relation'].replace('_', ' ')} {c['with']}"


def _review_line(r: dict[str, Any]) -> str:
    return _short(r["question"] or r["kind"])


def _history_line(h: dict[str, Any]) -> str:
    moved = f": {h['before']} → {h['after']}" if h.get("before") and h.get("after") else ""
    why = f" ({h['cause'].replace('_', ' ')})" if h.get("cause") else ""
    by = f" by {h['actor']}" if h.get("actor") else ""
    return f"{str(h['at'])[:16]}  {h['act'].replace('_', ' ')}{moved}{why}{by}"
