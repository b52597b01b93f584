"""`bio-agent bench forgetting`: what forgetting does to recall, to stale answers, to size and to the prompt, by taking it out.

Two tenants live through the same seeded months, one with forgetting as it is by default (episodes that taught nothing fade,
memories that nobody confirms cool), one without. Afterwards both are asked the same questions. The material is made up from
a small grammar and its vectors from its words (no embedder runs): what is measured is what is kept, not how well a model
reads.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from sqlalchemy import create_engine, text

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.auth import Caller
from bio_agent_ops.bench.conditions import Figure, conditions, load, report
from bio_agent_ops.bench.embedder import WordsEmbedder
from bio_agent_ops.bench.forgetting_material import CHANGES, FACTS, PASSING, Said, directive, stream
from bio_agent_ops.bench.material import observations
from bio_agent_ops.bench.own import default_settings, temporary
from bio_agent_ops.home import Home
from bio_agent_ops.requests import Recall, Remember
from bio_agent_ops.service import learning, recalling, remembering, speaking
from bio_agent_ops.service.context import Context
from bio_agent_ops.stack import Stack
from bio_agent_schema.db import Database, ensure_tenant, migrate, move_clock, normal_url
from bio_agent_workers import dreaming
from bio_agent_workers.models import configured
from bio_agent_workers.runner import Runtime

SEED = 7
ROUNDS = 8  # consolidations and nights
APART = timedelta(days=25)  # between two of them: together about six months
NOISE = 8  # observations of a round that mostly teach nothing
RECENT = timedelta(days=60)  # an event is recent for that long: two half-lives
AT = 5  # of recall@5
NEVER = 1_000_000  # a TTL in cycles that no run reaches
BYTES_A_TOKEN = 3


def main(*, as_json: bool) -> int:
    """Measure and report; nothing is judged."""
    before, began, used = load(), time.monotonic(), time.process_time()
    with temporary() as folder, Stack(home := Home(folder / "home")) as stack:
        url = migrate(stack.database_url, home.secret("app-db.password"))
        _without_waiting_for_the_disk(stack.database_url)
        settings = default_settings(home.root, url, stack.redis_url)
        models = replace(configured(settings), embedder=WordsEmbedder())
        under = conditions(
            folder, before, material=f"synthetic, seed {SEED}", vectors="synthetic, drawn from words",
            simulated_days=(ROUNDS * APART).days, rounds=ROUNDS, noise_of_a_round=NOISE,
            ebbinghaus_lambda=settings.ebbinghaus_lambda, default_ttl=settings.default_ttl,
            commits="not waited for: durability is no part of this",
            without_forgetting="no TTL runs out, no memory cools",
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
    under |= {
        "took_s": round(time.monotonic() - began),
        "processor_s_of_this_process": round(time.process_time() - used),
    }
    report("forgetting", under, figures(found), as_json=as_json)
    return 0


def _without_waiting_for_the_disk(admin_url: str) -> None:
    engine = create_engine(normal_url(admin_url))
    with engine.begin() as connection:
        connection.execute(text("alter role bio_app set synchronous_commit = off"))
    engine.dispose()


def run(
    arms: Mapping[str, Context], admin_url: str, rounds: Sequence[Sequence[Said]] = ()
) -> dict[str, dict[str, float]]:
    """Live through the rounds in each arm, in step, and measure. Returns arm → measure → value."""
    given = list(rounds) or stream(ROUNDS, SEED)
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
    told = {"kind": "user", "speaker": "bench", "content": directive(n), "session": "owner"}
    for obs in [told, *observations(NOISE, seed=SEED * 1000 + n, sessions=2)]:
        wire = to_wire(prepare(obs | {"workspace": "bench", "agent": "bench", "session": f"{obs['session']}-{n}"}))
        ctx.redis.xadd(f"bio:obs:{tenant}", {"o": wire})
    learning.sleep(ctx, tenant, inline=True)
    steps = [s for s in dreaming.STEPS.values() if tenant == "on" or s.name != "apply_retention"]
    dreaming.dream(ctx.runtime, tenant, f"round-{n}", steps)


def _measure(ctx: Context, tenant: str, given: Sequence[Sequence[Said]], kept: Mapping[str, str]) -> dict[str, float]:
    last = len(given) - 1
    hits: dict[str, list[bool]] = {}
    stale: dict[str, list[bool]] = {"changed facts": [], "passing states": []}
    shown: list[int] = []
    for one in (x for said in given for x in said):
        old = (last - one.round) * APART > RECENT
        answers = recalling.recall(ctx, tenant, Recall(query=one.query, limit=AT, workspace="bench"))["memories"]
        ids = [m["id"] for m in answers]
        shown.append(sum(len(m["content"].encode()) for m in answers))
        if one.what == PASSING:
            if old:
                stale["passing states"].append(kept[one.content] in ids)
            continue
        if one.outdates:
            first = next((i for i in ids if i in (kept[one.content], kept[one.outdates])), "")
            stale["changed facts"].append(first == kept[one.outdates])
        if one.outdated:
            continue
        group = {FACTS: "facts that hold", CHANGES: "facts that changed"}.get(one.what, "")
        hits.setdefault(group or ("old events" if old else "recent events"), []).append(kept[one.content] in ids)
    block = speaking.persona(ctx, tenant, workspace="bench", agent="", user="")["block"]
    with ctx.db.tenant(tenant) as session:
        size = session.execute(text(_SIZE), {"t": tenant}).mappings().one()
    order = ("facts that hold", "facts that changed", "recent events", "old events")
    return {
        **{f"recall@{AT} of {g}": sum(hits[g]) / len(hits[g]) for g in order if hits.get(g)},
        **{f"stale answers, {g}": sum(s) / len(s) for g, s in stale.items() if s},
        "prompt block, tokens": -(-len(block.encode()) // BYTES_A_TOKEN),
        f"bytes of {AT} memories shown": sum(shown) / len(shown),
        **{k: float(v) for k, v in size.items()},
    }


_SIZE = """
    select (select count(*) from bio.episodes where tenant = :t) as "rows of episodes",
           (select count(*) from bio.episodes where tenant = :t and content <> '') as "episodes with content",
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
