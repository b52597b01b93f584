"""Everything that a tenant holds, as facts: its rules, memories, events, evidence, exceptions, letters, and what enters a prompt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bio_agent_ops.eval.case_facts import Facts, NotSupported, at_most_layer, same
from bio_agent_ops.eval.house import House, strings
from bio_agent_ops.service import reading, speaking
from bio_agent_schema.types import BeliefState, Layer
from bio_agent_workers.brain import block

OUT_OF_FORCE = (BeliefState.QUARANTINED, BeliefState.REJECTED, BeliefState.DEPRECATED, BeliefState.ARCHIVED)
AGED = (BeliefState.ARCHIVED, BeliefState.DEPRECATED)
CHARS_A_TOKEN = 3  # the rougher bound of what a token is: bytes of UTF-8
_LINE = "- "
_RENAMED = {"lang": "language", "user_id": "user"}  # columns by the names that people use


def rules_and_states(house: House, tenant: str) -> list[dict[str, Any]]:
    """Every belief of the tenant, whatever its state."""
    found: list[dict[str, Any]] = []
    while page := reading.list_beliefs(house.ctx, tenant, limit=1000, after=found[-1]["id"] if found else ""):
        found += page
    return found


def prompt_of(house: House, tenant: str, **whose: str) -> str:
    block_: str = speaking.persona(house.ctx, tenant, **{"workspace": "default", "agent": "", "user": "", **whose})[
        "block"
    ]
    return block_


def prompt_facts(prompt: str) -> Facts:
    """The block that an agent gets: its size, its rules' lines, whether its wrapper is whole."""
    tag = prompt.partition("<")[2].partition(" ")[0]
    opened = prompt.count(f"<{tag} ") if tag else 0
    lines = [line for line in prompt.splitlines() if line.startswith(_LINE)]
    facts = Facts(
        values={
            "prompt_rule_lines": len(lines), "prompt_length": len(prompt), "prompt_bytes": len(prompt.encode("utf-8", "replace")),
            "prompt_tokens": len(prompt.encode("utf-8", "replace")) // CHARS_A_TOKEN,
            "prompt_wrapper_closed_once": bool(tag) and prompt.count(f"</{tag}>") == 1 and prompt.rstrip().endswith(f"</{tag}>"),
            "prompt_wrapper_opened_once": opened == 1, "wrappers": max(opened, prompt.count(f"</{tag}>")) if tag else 0,
            "scope_note": block.HEADER in prompt,
        },
        texts={"prompt": [prompt], "lines": lines},
    )  # fmt: skip
    facts.checks = {
        "prompt_has_header": lambda v: (
            (block.HEADER in prompt) is v if isinstance(v, bool) else str(v).casefold() in prompt.casefold()
        )
    }
    return facts


def held(house: House, tenant: str) -> Facts:
    rows = {
        table: [r[0] for r in house.rows(f"select to_jsonb(x) - 'embedding' - 'next_embedding' from bio.{table} x"  # noqa: S608
                                         f" where tenant = :t order by {order}", t=tenant)]
        for table, order in (("episodes", "seq"), ("memories", "id"), ("dead_letters", "1"), ("exceptions", "created_at"),
                             ("reviews", "1"), ("model_calls", "1"))
    }  # fmt: skip
    beliefs = rules_and_states(house, tenant)
    rules = [b for b in beliefs if b["state"] not in OUT_OF_FORCE]
    episodes, active = rows["episodes"], [m for m in rows["memories"] if m["state"] == "active"]
    evidence = house.rows(
        "select distinct episode_id from bio.evidence where tenant = :t and supports and retracted_at is null order by 1",
        t=tenant,
    )
    in_force = house.rows(
        "select text from bio.exceptions where tenant = :t and state = 'approved' and (valid_from is null or valid_from <= bio.now())"
        " and (expires_at is null or expires_at > bio.now())", t=tenant,
    )  # fmt: skip
    acts = house.rows("select act from bio.audit where tenant = :t", t=tenant)
    facts = prompt_facts(prompt_of(house, tenant))
    facts.values |= {
        "rules": len(rules), "memories": len(active), "beliefs": len(beliefs), "batch_stored": len(episodes),
        "dead_letter": len(rows["dead_letters"]), "exceptions": len(rows["exceptions"]),
        "evidence": len(evidence), "llm_calls": len(rows["model_calls"]), "waiting": len(rows["reviews"]),
        "consolidated": bool(episodes) and all(e["state"] in ("considered", "junk", "folded", "forgotten") for e in episodes),
        "attempts": max([e["attempts"] for e in episodes] + [x["attempts"] for x in rows["dead_letters"]] + [0]),
        "support_count": max((b["support_count"] for b in rules), default=0), "quarantined": any(b["state"] == "quarantined" for b in beliefs),
        "aged": sum(b["state"] in AGED for b in beliefs) + sum(m["state"] == "cold" for m in rows["memories"]),
        "audited": bool(acts),
    }  # fmt: skip
    facts.texts |= {
        "rules": [b["content"] for b in rules], "memories": [m["content"] for m in active], "evidence": [e[0] for e in evidence],
        "beliefs": [b["content"] for b in beliefs], "scope": [b["scope"] for b in rules], "languages": [b["lang"] for b in rules],
        "ranks": [b["rank"] for b in rules], "kinds": [b["kind"] for b in rules], "layers": [b["layer"] for b in rules],
        "episodes": [e["content"] for e in episodes], "audit": [a[0] for a in acts],
        "rules_without_evidence": [b["content"] for b in rules if not b["support_count"] and b["layer"] != "core"],
        "promoted_rules": [b["content"] for b in rules if b["state"] in ("reinforced", "stable") and b["layer"] != "core"],
        "global_rules": [b["content"] for b in rules if not b["scope"] and not b["user"] and not b["agent"]],
        "exceptions_active": [x[0] for x in in_force], "dead_letter_causes": [str(x["cause"]) for x in rows["dead_letters"]],
        "stored": [t for row in house.stored(tenant) for t in strings(row)],
        **{f"{s.value}_rules": [b["content"] for b in beliefs if b["state"] == s] for s in BeliefState},
        **{f"{layer.value}_rules": [b["content"] for b in rules if b["layer"] == layer] for layer in Layer},
        **{f"{s}_memories": [m["content"] for m in rows["memories"] if m["state"] == s] for s in ("cold", "superseded", "quarantined")},
        **{f"{s}_events": [e["content"] for e in episodes if e["state"] == s] for s in ("junk", "open", "waiting", "dead", "folded", "considered")},
    }  # fmt: skip
    of_rules, of_memories, of_events = (
        _of_each(n, v) for n, v in (("rule", rules), ("memory", active), ("event", episodes))
    )
    facts.checks |= of_rules | of_memories | of_events | {
        "confidence_range": lambda r: all(r[0] <= b["confidence"] <= r[1] for b in beliefs),
        "rule_state": lambda v: bool(rules) and all(same(b["state"], v) for b in rules),
        "rule_language": lambda v: bool(rules) and all(same(b["lang"], v) for b in rules),
        "tier_max": lambda v: at_most_layer([b["layer"] for b in rules], v),
    }  # fmt: skip
    for name, things in (("rule", rules), ("memory", active), ("event", episodes)):
        facts.values |= _alike(name, things)
    if beliefs:
        last = beliefs[-1]
        shown = {
            k: v
            for k, v in last.items()
            if isinstance(v, (str, int, float)) and k not in ("id", "injected", "kind", "user", "agent")
        }
        facts.values = {
            **shown,
            **facts.values,
            **{k: last[k] for k in ("state", "layer", "confidence", "content", "lang")},
        }
    facts.alternatives = {
        "quarantined": bool(facts.values["quarantined"]), "stored_as_data_only": bool(episodes or active) and not rules,
        "dead_letter": bool(rows["dead_letters"]),
    }  # fmt: skip
    return facts


def _of_each(name: str, things: Sequence[Mapping[str, Any]]) -> dict[str, Callable[[Any], bool]]:
    """`rule_kind`, `memory_language` …: holds when there is one and each has that value."""

    def check(column: str) -> Callable[[Any], bool]:
        def holds(value: Any) -> bool:
            if not things:
                return value in (None, [], "")
            if isinstance(value, Mapping) or any(isinstance(t.get(column), Mapping) for t in things):
                raise NotSupported(f"{name}_{column} as an object")
            return all(same(t.get(column), value) for t in things)

        return holds

    columns = {c for t in things for c in t if c not in ("id", "tenant", "content", "embedding")}
    return {f"{name}_{_RENAMED.get(c, c)}": check(c) for c in columns}


def _alike(name: str, things: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Numbers and words that all of them have alike; of unlike ones there is no one value to compare with."""
    first: Mapping[str, Any] = things[0] if things else {}
    return {
        f"{name}_{_RENAMED.get(column, column)}": value for column, value in first.items()
        if column not in ("id", "tenant", "content") and isinstance(value, (int, float, str)) and value != ""
        and all(t.get(column) == value for t in things)
    }  # fmt: skip
