"""Cases of comparing rules, searching memories and rendering the prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import text

from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.guard import put_learned
from bio_agent_ops.eval.house import House
from bio_agent_ops.requests import NewException
from bio_agent_ops.service import governing, learning, speaking
from bio_agent_schema.types import BeliefState
from bio_agent_workers.brain import block
from bio_agent_workers.brain.canonical import canonicalize
from bio_agent_workers.brain.contradiction import relate as relate_words
from bio_agent_workers.brain.sanitize import carries_out

_BLOCK_MARK = "- "


def relate(house: House, given: Mapping[str, Any]) -> Facts:
    found = relate_words(given["a"], given["b"])
    relation, by = found.relation, "words"
    nli = house.ctx.runtime.models.nli
    if not found.decided and nli is not None:
        relation, _ = nli.relate(given["a"], given["b"])
        by = nli.model_id
    turned = relate_words(given["b"], given["a"])
    same = turned.relation is found.relation or nli is not None
    facts = Facts(
        values={
            "relation": relation.value,
            "decided": found.decided,
            "by": by,
            "symmetric": same,
            "same": relation.value == "equivalent",
            "no_error": True,
        },
        alternatives={r: relation.value == r for r in ("contradiction", "governed_exception", "neutral", "equivalent")},
    )
    facts.alternatives |= {"conflict": relation.value == "contradiction", "exception": relation.value == "governed_exception",
                           "duplicate": relation.value == "equivalent", "unrelated": relation.value == "neutral"}  # fmt: skip
    facts.checks = {"requires": lambda names: all(_required(house, str(n), given) for n in names)}
    return facts


def _required(house: House, name: str, given: Mapping[str, Any]) -> bool:
    """What an exception needs before it is in force, tried on the service."""
    if name == "approval_or_policy":
        tenant = house.tenant()
        rule = put_learned(house, tenant, given["a"], "", owner=True)
        asked = NewException(belief_id=rule, text=given["b"])
        return bool(governing.add_exception(house.ctx, house.program(tenant), asked)["state"] == "proposed")
    if name == "expiry_or_condition":
        return any(canonicalize(given[side]).condition or canonicalize(given[side]).exception for side in ("a", "b"))
    raise NotSupported(f"the requirement {name!r}")


def dedup(house: House, given: Mapping[str, Any]) -> Facts:
    """Whether texts are one and the same: as rules (canonical form, relation) and as memories (merged when kept)."""
    texts = given["texts"]
    tenant = house.tenant()
    kept = [house.remember(tenant, t, type="semantic") for t in texts]
    first = texts[0]
    same_rule = [
        canonicalize(first).key == canonicalize(t).key or relate_words(first, t).relation.value == "equivalent"
        for t in texts[1:]
    ]
    merged = len(set(kept)) < len(kept)
    left = {
        r[0] for r in house.rows("select content from bio.memories where tenant = :t and state = 'active'", t=tenant)
    }
    relation = "duplicate" if merged or all(same_rule) else "distinct"
    return Facts(values={
        "relation": relation, "same": relation == "duplicate", "stored_count": len(set(kept)),
        "merged": merged, "merged as memories": merged, "one rule": all(same_rule),
        "no_overwrite": all(" ".join(t.split()) in left for t in texts),
    })  # fmt: skip


def search(house: House, given: Mapping[str, Any]) -> Facts:
    """Seed memories, then recall. Facts of places are the seeds' indices, best first."""
    if "seed_bulk" in given:
        return _bulk_search(house, given)
    tenants: dict[str, str] = {}
    index: dict[str, int] = {}
    ids: list[str] = []
    for i, seed in enumerate(given["seed"]):
        name = str(seed.get("tenant") or "")
        if name not in tenants:
            tenants[name] = house.tenant()
        tenant = tenants[name]
        more = {k: seed[k] for k in ("workspace", "user", "tags", "importance", "source") if k in seed}
        at = next(
            (seed[k] for k in ("occurred_at", "valid_from", "created_at", "timestamp", "at") if seed.get(k)), None
        )
        kept = house.remember(
            tenant, seed["text"], type=str(seed.get("type") or ""), **more, **({"occurred_at": at} if at else {})
        )
        index[kept] = i
        ids.append(kept)
        if seed.get("correction_of") is not None:
            house.execute("update bio.memories set superseded_by = :n where tenant = :t and id = :o", n=kept, t=tenant,
                          o=ids[seed["correction_of"]])  # fmt: skip
    asked = tenants.get(str(given.get("tenant") or "")) or next(iter(tenants.values()))
    found = house.recall(asked, given["query"], limit=int(given.get("limit") or 8))
    order = [index.get(i, -1) for i in found]
    seeds = [str(s["text"]) for s in given["seed"]]
    facts = Facts(
        values={"found": order, "found_count": len(order), "top": order[0] if order else None, "no_error": True, "no_5xx": True,
                "no_crash": True, "status": 200},
        texts={"found": [seeds[i] for i in order if i >= 0]},
        alternatives={"accepted": True, "rejected": False},
    )  # fmt: skip
    facts.checks = {
        "first": lambda v: bool(order) and (order[0] == v if isinstance(v, int) else str(v).casefold() in seeds[order[0]].casefold()),
        "must_rank_above": lambda v: v[0] in order and (v[1] not in order or order.index(v[0]) < order.index(v[1])),
        "order": lambda v: [i for i in order if i in v] == list(v),
        "must_include": lambda v: all(i in order for i in v), "must_exclude": lambda v: not any(i in order for i in v),
        "rank_before": lambda v: v[0] in order and (v[1] not in order or order.index(v[0]) < order.index(v[1])),
        "empty": lambda v: (not order) is v,
    }  # fmt: skip
    return facts


def _bulk_search(house: House, given: Mapping[str, Any]) -> Facts:
    """Tenants of very different size, then the same query again and again on one connection."""
    tenants = {}
    vectors = house.ctx.embedder.passages(
        [f"note {i} about {w}" for i, w in enumerate(("stock", "tax", "ovens", "ports"))]
    )
    for name, count in given["seed_bulk"].items():
        tenant = tenants[name.removeprefix("tenant_")] = house.tenant()
        house.execute(
            """
            insert into bio.memories (tenant, id, content, workspace, embedding, embedding_model)
            select :t, 'bulk-' || n, 'note ' || n, 'default', cast((cast(:v as text[]))[1 + n % 4] as halfvec), :m
            from generate_series(1, :n) n
            """,
            t=tenant, n=min(int(count), 200_000), m=house.ctx.embedder.model_id,
            v=["[" + ",".join(f"{x:.4g}" for x in v) + "]" for v in vectors],
        )  # fmt: skip
    limit = int(given.get("limit") or 10)
    got = [
        len(house.recall(tenants[given["tenant"]], "a note about stock", limit=limit))
        for _ in range(min(int(given.get("repeat_same_connection") or 1), 50))
    ]
    facts = Facts(values={"rows": got})
    facts.checks = {"rows_each_time": lambda v: all(n == v for n in got)}
    return facts


# --------------------------------------------------------------------------------------------------------- the prompt


def render_prompt(house: House, given: Mapping[str, Any]) -> Facts:
    """Rules that are in force, a night's dream over them, and the block that an agent gets."""
    tenant = house.tenant()
    for rule in given["rules"]:
        state = (
            BeliefState.QUARANTINED if carries_out(rule["text"]) else BeliefState.STABLE
        )  # as canonicalize and promote do
        key = canonicalize(rule["text"]).key
        held = house.rows("select 1 from bio.beliefs where tenant = :t and canonical_key = :k", t=tenant, k=key)
        if not held:  # a rule of the same canonical form is the same rule, as canonicalize leaves it
            put_learned(house, tenant, rule["text"], str(rule.get("scope") or ""), owner=False, state=state)
    learning.dream(house.ctx, tenant)
    prompt = speaking.persona(house.ctx, tenant, workspace="default", agent="", user="")["block"]
    with house.ctx.db.tenant(tenant) as session:
        states = list(session.execute(text("select state from bio.beliefs where tenant = :t"), {"t": tenant}).scalars())
    tag = prompt.partition("<")[2].partition(" ")[0]
    facts = Facts(
        values={
            "prompt_rule_lines": sum(line.startswith(_BLOCK_MARK) for line in prompt.splitlines()),
            "prompt_wrapper_closed_once": bool(tag) and prompt.count(f"</{tag}>") == 1 and prompt.rstrip().endswith(f"</{tag}>"),
            "scope_note": block.HEADER in prompt, "quarantined": "quarantined" in states,
        },
        texts={"prompt": [prompt]},
    )  # fmt: skip
    facts.checks = {"prompt_has_header": lambda v: str(v).casefold() in prompt.casefold()}
    return facts
