"""`quotas`, `memories`, `erase`, `verdicts`: what a tenant may use, what is held, and what is not to be kept any more."""

from __future__ import annotations

from urllib.parse import quote

import click

from bio_agent_ops.commands.common import Place, belief_id_of, every, placed, plain, show
from bio_agent_ops.ids import first_words
from bio_agent_schema.types import MemoryKind
from bio_agent_workers.brain.counting import counted

LIMITS = ("observations_a_day", "tokens_a_day", "tokens_a_month", "rules")


@click.command()
@click.option(
    "--set", "given", multiple=True, metavar="NAME=NUMBER", help=f"A limit of its own: {', '.join(LIMITS)}; 0 lifts it."
)
@click.option("--unset", multiple=True, type=click.Choice(LIMITS), help="Take a limit of its own back.")
@click.option("--json", "as_json", is_flag=True, help="Everything, as data.")
@placed
def quotas(place: Place, given: tuple[str, ...], unset: tuple[str, ...], as_json: bool) -> None:
    """What the tenant may use and what it used.

    Beyond a day's observations, what comes in is kept and waits for the next day; beyond the tokens, no model is asked
    until the next day or month; beyond the rules, what agents learn stays a memory. An owner's rules are taken all the same.
    """
    body: dict[str, int | None] = dict.fromkeys(unset)
    for one in given:
        name, mark, number = one.partition("=")
        if name not in LIMITS or not mark or not number.isdecimal():
            raise click.UsageError(f"--set {one}: NAME=NUMBER with one of {', '.join(LIMITS)}")
        body[name] = int(number)
    api = place.api(may_begin=bool(body))
    found = api.call("POST", "/api/quotas", body) if body else api.call("GET", "/api/quotas")
    if as_json:
        show(found)
        return
    for name, one in found["limits"].items():
        of = "no limit" if one["limit"] is None else f"of {one['limit']:,}, {one['standing']}"
        click.echo(f"{name:<20} {one['used']:>12,} {of}")
    for what, amount in found["tokens_this_month"].items():
        click.echo(f"  {what}: {amount:,}")
    if found["held_until"]:
        click.echo(f"what is new waits until {found['held_until']}")


@click.command()
@click.option("--kind", default="", help=f"Only these kinds, separated by commas: {', '.join(MemoryKind)}.")
@click.option("--workspace", default="", help="Only what was kept in this workspace.")
@click.option("--state", default="", help="Only these states, separated by commas: active, cold, merged, erased.")
@click.option("--text", default="", help="Only what holds these words.")
@click.option("--json", "as_json", is_flag=True, help="Whole texts, as data.")
@placed
def memories(place: Place, kind: str, workspace: str, state: str, text: str, as_json: bool) -> None:
    """What is held, the oldest first. `erase` takes the id, or a part of it: the last characters tell best."""
    asked = {"kind": kind, "workspace": workspace, "state": state, "text": text}
    found = every(place.api(), "/api/memories", **asked)
    if as_json:
        show(found)
        return
    for m in found:
        stands = "replaced" if m["superseded_by"] and m["state"] != "merged" else m["state"]
        stands = "re-check" if m["recheck"] else stands
        click.echo(
            f"{m['id']}  {m['kind']:<10} {stands:<8} {m['occurred_at'][:16]}  {plain(m['workspace']):<12} {first_words(m['content'])}"
        )
    if not found:
        click.echo("none")


@click.command()
@click.argument("memory_id")
@click.option("--yes", is_flag=True, help="Do not ask.")
@placed
def erase(place: Place, memory_id: str, yes: bool) -> None:
    """Erase the memory MEMORY_ID (its id, or a part of it; the last characters tell best) for
    good: its text, its twins and all of the same words in its workspace, the rules that rest on
    nothing else and that no person approved, and what the dream drew from it."""
    api = place.api()
    found = api.call("GET", f"/api/memories/{quote(memory_id, safe='')}")
    if not yes:
        click.echo(f"{found['id']}  in {plain(found['workspace'] or 'default')}: {plain(found['content'])}")
        click.confirm("Erase this memory? It cannot be brought back", abort=True)
    done = api.call("POST", f"/api/memories/{found['id']}/erase", {})
    click.echo(f"erased: {counted(len(done['erased']), 'memory')}, {counted(done['observations'], 'observation')}")
    if done["remade"]:
        click.echo(f"  {len(done['remade'])} of them are made anew by the next dream, from what is left")
    for node in done["recheck"]:
        click.echo(f"  waits for a re-check: {node}")
    for node in done["rules_erased"]:
        click.echo(f"  a rule that rested on nothing else went with it: {node.removeprefix('belief:')}")
    for node in done["rules"]:
        click.echo(f"  a rule tells the same and stands: `bio-agent decide {node.removeprefix('belief:')} reject`")


@click.group()
def verdicts() -> None:
    """What a model judged of pairs of rules, and is not asked again."""


@verdicts.command("erase")
@click.option("--rule", default="", metavar="ID", help="Only those on this rule.")
@click.option("--other", default="", metavar="ID", help="With --rule: only those on this pair.")
@click.option("--model", default="", metavar="NAME", help="Only those of this model.")
@placed
def erase_verdicts(place: Place, rule: str, other: str, model: str) -> None:
    """Erase cached verdicts of the tenant: the pairs are judged anew when they come up."""
    if other and not rule:
        raise click.UsageError("--other belongs to --rule")
    api = place.api()
    body = {
        "belief_id": rule and belief_id_of(api, rule),
        "other_id": other and belief_id_of(api, other),
        "model_id": model,
    }
    click.echo(f"erased: {counted(api.call('POST', '/api/verdicts/erase', body)['erased'], 'verdict')}")
