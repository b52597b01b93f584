"""What was learned: `sleep`, `dream`, `beliefs`, `explain`, `decide`."""

from __future__ import annotations

from typing import Any

import click

from bio_agent_ops.commands.common import Place, placed, show


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
    click.echo(f"dream {dreamt['slot']}, begun {dreamt['started_at']}: {dreamt['changes']} changes")
    if dreamt["state"] in _DREAM_STATES:
        click.echo(f"  it {_DREAM_STATES[dreamt['state']]}")
    step = ""
    for line in dreamt["journal"]:
        if line["step"] != step:
            step = line["step"]
            click.echo(f"{step.replace('_', ' ')}")
        what = line.get("text") or line.get("subject") or f"{line['count']} more"
        into = f" ⇒ {line['into_text']}" if line.get("into_text") else ""
        click.echo(f"  {line['did']}: {what}{into} ({line['why']})")
    if not dreamt["journal"]:
        click.echo("  nothing to do")


@click.command()
@click.option("--state", default="", help="Only these states, separated by commas.")
@placed
def beliefs(place: Place, state: str) -> None:
    """What is believed, with state and confidence."""
    for b in place.api().call("GET", "/api/beliefs", state=state, limit=1000):
        click.echo(
            f"{b['id']}  {b['state']:<11} {b['confidence']:.2f}  {b['scope'] or 'everywhere':<20} {b['content']}"
        )


@click.command()
@click.argument("belief_id")
@click.argument("act", type=click.Choice(["approve", "reject", "pin", "deprecate", "undo", "edit"]))
@click.option("--why", default="", help="Goes to the audit.")
@click.option("--content", default=None, help="The new text, for edit.")
@placed
def decide(place: Place, belief_id: str, act: str, why: str, content: str | None) -> None:
    """A person's act on a belief."""
    if act == "edit" and not (content or "").strip():
        raise click.UsageError("edit needs the new text: --content TEXT")
    if act != "edit" and content is not None:
        raise click.UsageError(f"--content belongs to edit, not to {act}")
    body = {"why": why} | ({"content": content} if content else {})
    show(place.api().call("POST", f"/api/beliefs/{belief_id}/{act}", body))


@click.command()
@click.argument("belief_id")
@placed
def explain(place: Place, belief_id: str) -> None:
    """A belief with the episodes that taught it, its exceptions and history."""
    show(place.api().call("GET", f"/api/beliefs/{belief_id}"))
