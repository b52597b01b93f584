"""What was learned: `sleep`, `dream`, `beliefs`, `explain`, `decide`."""

from __future__ import annotations

import click

from bio_agent_ops.commands.common import Place, placed, show


@click.command()
@placed
def sleep(place: Place) -> None:
    """Run the pending work to its end."""
    show(place.api().call("POST", "/api/sleep", {}))


@click.command()
@click.option("--journal", is_flag=True, help="Only the journal, a line each.")
@placed
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
