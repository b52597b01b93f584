"""Cases of comparing rules, searching memories and rendering the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import text

from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.case_held import prompt_facts, prompt_of
from bio_agent_ops.eval.case_world import PEOPLE
from bio_agent_ops.eval.guard import put_learned
from bio_agent_ops.eval.house import House
from bio_agent_ops.requests import NewException, Recall, Remember
from bio_agent_ops.service import contexts, governing, learning
from bio_agent_schema.types import BeliefState
from bio_agent_workers.brain.relations.canonical import canonicalize
from bio_agent_workers.brain.relations.contradiction import relate as relate_words
from bio_agent_workers.brain.remedies.sanitize import carries_out


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
        kept = _seeded(house, tenants[name], seed)
        index[kept] = i
        ids.append(kept)
        for newer, older in _replaced(seed, i):
            house.execute("update bio.memories set superseded_by = :n where tenant = :t and id = :o", n=ids[newer],
                          t=tenants[name], o=ids[older])  # fmt: skip
    named = str(given.get("tenant") or "")
    asked = tenants.get(named) or ("" if named else next(iter(tenants.values()), "")) or house.tenant()
    if given.get("now"):
        house.set_clock(datetime.fromisoformat(str(given["now"])))
    more = {name: given[name] for name in Recall.model_fields if name != "query" and given.get(name) is not None}
    queries = [str(q) for q in given["queries"]] if isinstance(given.get("queries"), list) else [given["query"]]
    found, *others = [house.recall(asked, query, **{"limit": 8, **more}) for query in queries]
    again = [
        house.recall(asked, queries[0], **{"limit": 8, **more})
        for _ in range(min(int(given.get("times") or 1), 50) - 1)
    ]
    order = [index.get(i, -1) for i in found]
    orders = [order, *([index.get(i, -1) for i in other] for other in others)]  # one for each query
    seeds = [str(s["text"]) for s in given["seed"]]
    facts = Facts(
        values={"found": order, "found_count": len(order), "rows": len(order),
                "wrong_tenant_reads": sum(_whose(given["seed"], i) != named for i in order if i >= 0) if named else 0,
                "top": order[0] if order else None, "no_error": True, "no_5xx": True,
                "no_crash": True, "status": 200},
        texts={"found": [seeds[i] for i in order if i >= 0]},
        alternatives={"accepted": True, "rejected": False},
    )  # fmt: skip
    facts.values["deterministic"] = all(other == found for other in again)
    facts.checks = {
        "first": lambda v: bool(order) and (order[0] == v if isinstance(v, int) else str(v).casefold() in seeds[order[0]].casefold()),
        "must_rank_above": lambda v: v[0] in order and (v[1] not in order or order.index(v[0]) < order.index(v[1])),
        "order": lambda v: [i for i in order if i in v] == list(v),
        "must_include": lambda v: all(_place(i, seeds) in one for i in v for one in orders),
        "must_exclude": lambda v: not any(_place(i, seeds) in one for i in v for one in orders),
        "found_at": lambda v: _place(v, seeds) in order,
        "rank_before": lambda v: v[0] in order and (v[1] not in order or order.index(v[0]) < order.index(v[1])),
        "empty": lambda v: (not order) is v,
    }  # fmt: skip
    return facts


def _whose(seeds: Sequence[Mapping[str, Any]], i: int) -> str:
    return str(seeds[i].get("tenant") or "")


def _place(which: Any, seeds: list[str]) -> int:
    """The index of a seed that an expectation names by its number or by words of it."""
    if isinstance(which, int):
        return which
    named = [i for i, text_ in enumerate(seeds) if str(which).casefold() in text_.casefold()]
    if len(named) != 1:
        raise NotSupported(f"the seed {str(which)[:60]!r}, named by {len(named)} of them")
    return named[0]


_OF_SEEDS = frozenset(
    ["text", "tenant", "state", "correction_of", "supersedes", "superseded_by", "valid_from", "valid_to", "created_at",
     "timestamp", "at", "id", "confidence", "note"]
)  # fmt: skip


def _seeded(house: House, tenant: str, seed: Mapping[str, Any]) -> str:
    """A memory kept as the seed describes it. Raises NotSupported for a field that the service does not take."""
    fields = {k: v for k, v in seed.items() if k in Remember.model_fields and k != "content"}
    if unknown := set(seed) - set(fields) - _OF_SEEDS:
        raise NotSupported(f"a seed with {min(unknown)!r}")
    at = next((seed[k] for k in ("occurred_at", "valid_from", "created_at", "timestamp", "at") if seed.get(k)), None)
    kept = house.remember(tenant, seed["text"], **{**fields, **({"occurred_at": _instant(at)} if at else {})})
    columns = {k: seed[k] for k in ("valid_from", "valid_to", "confidence") if seed.get(k) is not None}
    columns |= {k: _instant(columns[k]) for k in ("valid_from", "valid_to") if k in columns}
    state = seed.get("state")
    if state in ("cold", "archived"):
        columns["state"] = "cold"
    elif state not in (None, "", "active", "proposed", "reinforced", "stable"):
        raise NotSupported(f"a seed in the state {str(state)[:40]!r}")
    for name, value in columns.items():
        house.execute(f"update bio.memories set {name} = :v where tenant = :t and id = :i", v=value, t=tenant, i=kept)  # noqa: S608
    return kept


def _instant(said: Any) -> str:
    """A time as a row writes it; a date, or a time without an offset, is meant in UTC."""
    at = datetime.fromisoformat(str(said))
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).isoformat()


def _replaced(seed: Mapping[str, Any], place: int) -> list[tuple[int, int]]:
    """(newer, older) seeds by index: which one a seed corrects, or by which earlier one it was corrected."""
    older = seed.get("correction_of", seed.get("supersedes"))
    newer = seed.get("superseded_by")
    return [(place, o) for o in [older] if isinstance(o, int)] + [
        (n, place) for n in [newer] if isinstance(n, int) and n < place
    ]


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


def _by_owner(rule: Mapping[str, Any]) -> bool:
    """Whether a rule is a person's own: by its layer, or by who said it."""
    return any(
        str(rule.get(k) or "").casefold() in ("core", *PEOPLE) for k in ("layer", "tier", "kind", "source", "by")
    )


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
            put_learned(house, tenant, rule["text"], str(rule.get("scope") or ""), owner=_by_owner(rule), state=state)
    learning.dream(house.ctx, tenant)
    whose = {k: str(given[k]) for k in ("workspace", "agent", "user") if k in given}
    if given.get("scope"):
        kind, _, name = str(given["scope"]).partition(":")
        if kind != "workspace" or "/" in name:
            raise NotSupported(f"a prompt for the scope {str(given['scope'])[:60]!r}")
        whose["workspace"] = name
    given.get("task")  # what the agent is about changes nothing of its rules
    budget = given.get("budget")
    if budget is not None:
        whole = contexts.context(house.ctx, tenant, session_id="", query="", budget=int(budget),
                                 **{"workspace": "default", "agent": "", "user": "", **whose})  # fmt: skip
    facts = prompt_facts(prompt_of(house, tenant, **whose) if budget is None else whole["text"])
    facts.values |= (
        {} if budget is None else {"left_out": whole["rules"].get("left_out", 0), "prompt_tokens": whole["tokens"]}
    )
    with house.ctx.db.tenant(tenant) as session:
        states = list(session.execute(text("select state from bio.beliefs where tenant = :t"), {"t": tenant}).scalars())
    facts.values["quarantined"] = "quarantined" in states
    facts.checks |= {
        "deterministic": lambda v: (prompt_of(house, tenant, **whose) == facts.texts["prompt"][0]) is v,
    }  # fmt: skip
    return facts
