"""`bio-agent bench forgetting`: what forgetting does to recall and to size, by taking it out.

Two tenants live through the same seeded months, one with forgetting as it is by default (episodes that taught nothing fade,
memories that nobody confirms cool), one without. Afterwards both are asked the same questions.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import text

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.auth import Caller
from bio_agent_ops.bench.conditions import Figure, conditions, load, report
from bio_agent_ops.bench.material import observations
from bio_agent_ops.bench.own import default_settings, temporary
from bio_agent_ops.home import Home
from bio_agent_ops.requests import Recall, Remember
from bio_agent_ops.service import learning, recalling, remembering
from bio_agent_ops.service.context import Context
from bio_agent_ops.stack import Stack
from bio_agent_schema.db import Database, ensure_tenant, migrate, move_clock
from bio_agent_workers import dreaming
from bio_agent_workers.models import configured
from bio_agent_workers.runner import Runtime

SEED = 7
ROUNDS = 12  # consolidations and nights
APART = timedelta(days=17)  # between two of them: together about seven months
NOISE = 8  # observations of a round that mostly teach nothing
FACTS, EVENTS = 2, 4  # of a round: what stays true, and what happened once
RECENT = timedelta(days=60)  # an event is recent for that long: two half-lives
AT = 5  # of recall@5
NEVER = 1_000_000  # a TTL in cycles that no run reaches

_PLACES = ("Harbour Street", "Mill Road", "the north hall", "the airport depot", "Canal Square", "the old dairy")
_THINGS = ("label printer", "forklift", "cold store", "packing line", "scale", "gate", "charger", "scanner")
_GOODS = (
    "oat flour",
    "steel hinges",
    "blue paint",
    "paper bags",
    "olive oil",
    "cedar boards",
    "copper wire",
    "jam jars",
)
_TROUBLE = ("came two hours late", "was short by one pallet", "had a torn seal", "was signed for by the night guard")


@dataclass(frozen=True, slots=True)
class Said:
    """One thing to keep, and the question that asks for it. day: of the run."""

    content: str
    query: str
    kind: str
    day: int


def stream(seed: int = SEED) -> list[list[Said]]:
    """What is said in each round: no two alike, many of one form, so that finding the right one is no matter of course."""
    rng = random.Random(seed)  # noqa: S311 - material of a bench
    facts = [(t, p) for t in _THINGS for p in _PLACES]
    events = [(g, p, x) for g in _GOODS for p in _PLACES for x in _TROUBLE]
    rng.shuffle(facts)
    rng.shuffle(events)
    rounds: list[list[Said]] = []
    for n in range(ROUNDS):
        said = []
        for _ in range(min(FACTS, len(facts))):
            thing, place = facts.pop()
            code = f"{rng.choice('ABCDEFGH')}-{rng.randrange(100, 999)}"
            said.append(Said(f"The {thing} at {place} has the service code {code}.", f"service code of the {thing} at {place}",
                             "semantic", n))  # fmt: skip
        for _ in range(min(EVENTS, len(events))):
            goods, place, trouble = events.pop()
            said.append(Said(f"The delivery of {goods} to {place} {trouble}.", f"which delivery of {goods} to {place} {trouble}?",
                             "episodic", n))  # fmt: skip
        rounds.append(said)
    return rounds


def main(*, as_json: bool) -> int:
    """Measure and report; nothing is judged."""
    before = load()
    with temporary() as folder, Stack(home := Home(folder / "home")) as stack:
        url = migrate(stack.database_url, home.secret("app-db.password"))
        settings = default_settings(home.root, url, stack.redis_url)
        models = configured(settings)
        under = conditions(
            folder, before, embedder=models.embedder.model_id, seed=SEED, simulated_days=(ROUNDS * APART).days,
            ebbinghaus_lambda=settings.ebbinghaus_lambda, default_ttl=settings.default_ttl,
        )  # fmt: skip
        arms: dict[str, Context] = {}
        for name, ttl in (("on", settings.default_ttl), ("off", NEVER)):
            own = settings.model_copy(update={"default_ttl": ttl})
            arms[name] = Context(Database(url), own)
            arms[name].__dict__["runtime"] = Runtime(arms[name].db, models, own)
            with arms[name].db.tenant(name) as session:
                ensure_tenant(session, name)
        found = run(arms, stack.database_url)
        for ctx in arms.values():
            ctx.close()
    report("forgetting", under, figures(found), as_json=as_json)
    return 0


def run(
    arms: Mapping[str, Context], admin_url: str, rounds: Sequence[Sequence[Said]] = ()
) -> dict[str, dict[str, float]]:
    """Live through the rounds in each arm, in step, and measure. Returns arm → measure → value."""
    given = list(rounds) or stream()
    kept: dict[str, dict[str, str]] = {name: {} for name in arms}
    for n, said in enumerate(given):
        move_clock(admin_url, f"{(n * APART).total_seconds()} seconds")
        for name, ctx in arms.items():
            _live(ctx, name, n, said, kept[name])
    return {name: _measure(ctx, name, given, kept[name]) for name, ctx in arms.items()}


def _live(ctx: Context, tenant: str, n: int, said: Sequence[Said], kept: dict[str, str]) -> None:
    caller = Caller(tenant=tenant, actor="bench", person=False, ceiling="agent")
    for one in said:
        ask = Remember(content=one.content, type=one.kind, workspace="bench")
        kept[one.content] = remembering.remember(ctx, caller, ask)["id"]
    for obs in observations(NOISE, seed=SEED * 1000 + n, sessions=2):
        session = f"{obs['session']}-{n}"
        ctx.redis.xadd(f"bio:obs:{tenant}", {"o": to_wire(prepare(obs | {"session": session}))})
    learning.sleep(ctx, tenant, inline=True)
    steps = [s for s in dreaming.STEPS.values() if tenant == "on" or s.name != "apply_retention"]
    dreaming.dream(ctx.runtime, tenant, f"round-{n}", steps)


def _measure(ctx: Context, tenant: str, given: Sequence[Sequence[Said]], kept: Mapping[str, str]) -> dict[str, float]:
    last = len(given) - 1
    hits: dict[str, list[bool]] = {"facts": [], "recent events": [], "old events": []}
    for one in (x for said in given for x in said):
        old = (last - one.day) * APART > RECENT
        group = "facts" if one.kind == "semantic" else "old events" if old else "recent events"
        ask = Recall(query=one.query, limit=AT, workspace="bench")
        hits[group].append(kept[one.content] in {m["id"] for m in recalling.recall(ctx, tenant, ask)["memories"]})
    with ctx.db.tenant(tenant) as session:
        size = session.execute(text(_SIZE), {"t": tenant}).mappings().one()
    return {f"recall@{AT} of {g}": sum(h) / len(h) for g, h in hits.items() if h} | {
        k: float(v) for k, v in size.items()
    }


_SIZE = """
    select (select count(*) from bio.episodes where tenant = :t and content <> '') as "episodes with content",
           (select coalesce(sum(pg_column_size(e)), 0) from bio.episodes e where tenant = :t) as "bytes of episodes",
           (select coalesce(sum(pg_column_size(c)), 0) from bio.model_calls c where tenant = :t) as "bytes of model calls",
           (select count(*) from bio.tombstones where tenant = :t) as "tombstones",
           (select count(*) from bio.memories where tenant = :t and state = 'active') as "active memories",
           (select count(*) from bio.memories where tenant = :t and state = 'cold') as "cold memories",
           (select coalesce(sum(pg_column_size(m)), 0) from bio.memories m where tenant = :t) as "bytes of memories"
"""


def figures(found: Mapping[str, Mapping[str, float]]) -> list[Figure]:
    """Each measure with forgetting and without it."""
    out = []
    for name in found["on"]:
        unit = "B" if name.startswith("bytes") else ""
        out += [Figure(f"{name}, forgetting {arm}", (found[arm][name],), unit) for arm in ("on", "off")]
    return out
