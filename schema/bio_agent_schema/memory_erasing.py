"""A memory is erased on a person's word: its text and all that repeats it, here and in what was derived from it.

Erased with it: twins that were merged into it and memories of the same words in its workspace (of its user, or of nobody in
particular), observations that taught nothing else, rules that rest on nothing else and that no person approved, and what the
dream drew from it (summaries, skills), which the next dream makes anew from what is left. Whatever else was derived from it
waits for a re-check. A tombstone with a keyed hash, times and reason stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_schema import episodes
from bio_agent_schema.derived import REMEMBERED
from bio_agent_schema.ledger import Entry, audit, keyed_hash, tenant_secret

DREAM = "dream"  # the source of what the dream drew from other memories


def _words(of: str) -> str:
    """SQL: a text without what stands around its words; two that are equal in it say the same."""
    return f"lower(btrim({of}, E' \\t\\r\\n.!。！'))"


_REPEATS = f"""
    with recursive same(id, workspace, user_id, words) as (  -- the user is that of the memory asked for, all the way
        select m.id, m.workspace, m.user_id, {_words("m.content")} from bio.memories m where m.tenant = :t and m.id = :m
        union
        select x.id, x.workspace, s.user_id, {_words("x.content")} from same s cross join lateral (
            select b.* from bio.memories b where b.tenant = :t and b.superseded_by = s.id and b.state = 'merged'
            union all
            select c.* from bio.memories c where c.tenant = :t and c.workspace = s.workspace and c.state <> 'erased'
              and s.words <> '' and {_words("c.content")} = s.words
              and (c.user_id = s.user_id or c.user_id = '' or s.user_id = '')
            union all
            select d.* from bio.edges e join bio.memories d on d.tenant = :t and d.id = substr(e.source, 8)
            where e.tenant = :t and e.relation = 'derived_from' and e.target = 'memory:' || s.id
              and starts_with(e.source, 'memory:') and d.source = :dream
        ) x
    )
    select m.id, m.content, m.type, m.source, m.occurred_at, m.created_at, m.workspace, m.user_id, s.words from same s
    join bio.memories m on m.tenant = :t and m.id = s.id where m.state <> 'erased' order by m.id for update of m
"""  # noqa: S608 - built from this module's constants
_ERASE = """
    update bio.memories set content = '', embedding = null, next_embedding = null, next_model = '', term_count = 0, tags = '{}',
        entities = '{}', source = '', origin = '', thread = '', user_id = '', agent = '',
        meta = '{}', recheck = false, state = 'erased', updated_at = bio.now()
    where tenant = :t and id = any(:ids)
"""
# Observations behind these memories, and others of the same words there, that no other memory rests on.
_BEHIND = f"""
    select n.id from (
        select s.episode_id from bio.memory_sources s where s.tenant = :t and s.memory_id = any(:ids)
        union
        select e.id from bio.episodes e where e.tenant = :t and e.workspace = any(:workspaces) and e.user_id = any(:users)
          and {_words("e.content")} = any(:words)
    ) n(id)
    where not exists (select 1 from bio.memory_sources o where o.tenant = :t and o.episode_id = n.id
                      and not o.memory_id = any(:ids))
      and not exists (select 1 from bio.edges o where o.tenant = :t and o.relation = 'derived_from'
                      and o.target = 'episode:' || n.id and starts_with(o.source, 'memory:') and not o.source = any(:nodes))
"""  # noqa: S608 - built from this module's constants
# Of these observations those that no rule rests on which stands.
_ALONE = """
    select e.id from unnest(cast(:behind as text[])) as e(id)
    where not exists (select 1 from bio.evidence v where v.tenant = :t and v.episode_id = e.id
                      and v.retracted_at is null and not v.belief_id = any(:fallen))
"""
# Of these rules those that no person approved and that rest on these observations alone.
_FALLEN = """
    select b.id, b.content, b.created_at from bio.beliefs b where b.tenant = :t and 'belief:' || b.id = any(:rules)
      and b.approved_by = '' and (select bool_and(v.episode_id = any(:behind)) from bio.evidence v
          where v.tenant = :t and v.belief_id = b.id and v.supports and v.retracted_at is null)
    order by b.id for update of b
"""
# Whatever holds a rule's words or speaks of it; what was rendered of it is rendered anew.
_WITH_RULES = (
    "delete from bio.persona_blocks where tenant = :t and rule_ids && cast(:ids as text[])",
    "delete from bio.reviews where tenant = :t and (belief_id = any(:ids) or other_id = any(:ids))",
    "delete from bio.exceptions where tenant = :t and belief_id = any(:ids)",
    "delete from bio.injections where tenant = :t and rule_id = any(:ids)",
    "delete from bio.evidence where tenant = :t and belief_id = any(:ids)",
    "delete from bio.edges where tenant = :t and (source = any(:nodes) or target = any(:nodes))",
    "update bio.beliefs set superseded_by = null where tenant = :t and superseded_by = any(:ids)",
    "delete from bio.beliefs where tenant = :t and id = any(:ids)",
    "delete from bio.belief_history where tenant = :t and belief_id = any(:ids)",
)
# What was heard when these memories were asked to be kept and no other memory rests on: an approved rule stands without it.
_HEARD = f"""
    select distinct substr(e.target, 9) from bio.edges e where e.tenant = :t and e.relation = 'derived_from'
      and e.source = any(:nodes) and starts_with(e.target, 'episode:{REMEMBERED}')
      and not exists (select 1 from bio.edges o where o.tenant = :t and o.relation = 'derived_from' and o.target = e.target
                      and starts_with(o.source, 'memory:') and not o.source = any(:nodes))
      and not exists (select 1 from bio.memory_sources o where o.tenant = :t and o.episode_id = substr(e.target, 9)
                      and not o.memory_id = any(:ids))
"""  # noqa: S608 - a constant
_RULES = f"""
    select e.target from bio.edges e where e.tenant = :t and e.relation = 'derived_from' and e.source = any(:nodes)
      and starts_with(e.target, 'belief:')
    union
    select 'belief:' || v.belief_id from bio.edges e
    join bio.evidence v on v.tenant = :t and v.episode_id = substr(e.target, 9) and v.supports and v.retracted_at is null
    where e.tenant = :t and e.relation = 'derived_from' and e.source = any(:nodes) and starts_with(e.target, 'episode:')
    union
    select 'belief:' || b.id from bio.beliefs b where b.tenant = :t and b.scope_user = any(:users)
      and ({_words("b.content")} = any(:words) or {_words("b.rendering")} = any(:words))
      and exists (select 1 from bio.evidence v join bio.episodes e on e.tenant = :t and e.id = v.episode_id
                  where v.tenant = :t and v.belief_id = b.id and e.workspace = any(:workspaces))
    order by 1
"""  # noqa: S608 - built from this module's constants
_STATES = """
    delete from bio.working_states w using bio.episodes e where w.tenant = :t and e.tenant = :t and e.id = any(:ids)
      and w.workspace = e.workspace and w.session = e.session
"""
# What a session has before it of these memories, and of what was said in it its newest line.
_SHOWN = """
    with holding as (
        select w.workspace, w.session, coalesce((select jsonb_agg(s.item order by s.place)
            from jsonb_array_elements(w.state -> 'shown') with ordinality as s(item, place)
            where not s.item ->> 'id' = any(:ids)), '[]') as left_
        from bio.working_states w where w.tenant = :t
          and exists (select 1 from jsonb_array_elements(w.state -> 'shown') s where s ->> 'id' = any(:ids))
        order by w.workspace collate "C", w.session collate "C" for update of w
    )
    update bio.working_states w set state = jsonb_set(w.state, '{shown}', h.left_) from holding h
    where w.tenant = :t and w.workspace = h.workspace and w.session = h.session
"""
_LAST = """
    with holding as (
        select w.workspace, w.session from bio.working_states w where w.tenant = :t and exists (
            select 1 from bio.episodes e where e.tenant = :t and e.id = any(:ids) and e.workspace = w.workspace
              and e.session = w.session)
        order by w.workspace collate "C", w.session collate "C" for update of w
    )
    update bio.working_states w set state = jsonb_set(w.state, '{last}', '""') from holding h
    where w.tenant = :t and w.workspace = h.workspace and w.session = h.session
"""
_RECHECK = """
    with down as (
        select distinct e.source from bio.edges e where e.tenant = :t and e.relation = 'derived_from' and e.target = any(:nodes)
          and not e.source = any(:nodes)
    ), m as (
        update bio.memories set recheck = true, updated_at = bio.now() where tenant = :t and not recheck and state <> 'erased'
          and id in (select substr(source, 8) from down where starts_with(source, 'memory:')) returning 'memory:' || id as node
    ), b as (
        update bio.beliefs set recheck = true, updated_at = bio.now() where tenant = :t and not recheck
          and id in (select substr(source, 8) from down where starts_with(source, 'belief:')) returning 'belief:' || id as node
    )
    select node from m union all select node from b order by 1
"""


def erase(
    session: Session, tenant: str, memory_id: str, *, actor: str, reason: str = "erased"
) -> dict[str, Any] | None:
    """Erase the memory and what repeats it. Returns {erased, remade, observations, recheck, rules, rules_erased}: memories
    erased, those of them that the next dream makes anew, how many observations went with them, what waits for a re-check,
    the rules that tell the same and stand still, and those that went. None when there is no such memory, or it is erased
    already."""
    doomed = session.execute(text(_REPEATS), {"t": tenant, "m": memory_id, "dream": DREAM}).all()
    if memory_id not in {r.id for r in doomed}:
        return None
    ids = [r.id for r in doomed]
    nodes = [f"memory:{i}" for i in ids]
    same = {
        "t": tenant, "ids": ids, "nodes": nodes, "workspaces": sorted({r.workspace for r in doomed}),
        "users": sorted({"", *(r.user_id for r in doomed)}),
        "words": sorted({r.words for r in doomed if r.words and r.source != DREAM}),
    }  # fmt: skip
    behind = list(session.execute(text(_BEHIND), same).scalars())
    heard = list(session.execute(text(_HEARD), {"t": tenant, "ids": ids, "nodes": nodes}).scalars())
    rules = list(session.execute(text(_RULES), same).scalars())
    rests_on = {"behind": [*behind, *heard], "rules": rules}
    fallen = session.execute(text(_FALLEN), {"t": tenant, **rests_on}).all()
    gone_rules = [f"belief:{b.id}" for b in fallen]
    without = {"t": tenant, "behind": behind, "fallen": [b.id for b in fallen]}
    alone = list(session.execute(text(_ALONE), without).scalars())
    waits = list(session.execute(text(_RECHECK), {"t": tenant, "nodes": [*nodes, *gone_rules]}).scalars())
    _tombstones(session, tenant, [(f"memory:{r.id}", r.content, r.occurred_at) for r in doomed], reason)
    if fallen:
        _tombstones(session, tenant, [(f"belief:{b.id}", b.content, b.created_at) for b in fallen], reason)
        for statement in _WITH_RULES:
            session.execute(text(statement), {"t": tenant, "ids": [b.id for b in fallen], "nodes": gone_rules})
    session.execute(text(_ERASE), {"t": tenant, "ids": ids})
    for table in ("memory_terms", "memory_sources"):
        session.execute(
            text(f"delete from bio.{table} where tenant = :t and memory_id = any(:ids)"),  # noqa: S608 - two constants
            {"t": tenant, "ids": ids},
        )
    session.execute(
        text("delete from bio.edges where tenant = :t and (source = any(:n) or target = any(:n))"),
        {"t": tenant, "n": nodes},
    )
    # What the dream asked a model shows memories without naming them: each of its calls since may have shown these.
    session.execute(
        text(
            "delete from bio.model_calls where tenant = :t and starts_with(cycle_id, 'dream:') and created_at >= :since"
        ),
        {"t": tenant, "since": min(r.created_at for r in doomed)},
    )
    session.execute(text(_STATES), {"t": tenant, "ids": heard})
    session.execute(text(_SHOWN), {"t": tenant, "ids": ids})
    session.execute(text(_LAST), {"t": tenant, "ids": alone})
    gone = episodes.forget(session, tenant, dict.fromkeys([*alone, *heard], reason))
    remade = [r.id for r in doomed if r.source == DREAM and r.id != memory_id]
    audit(session, tenant, [
        *(Entry("memory_erased", subject=f"memory:{i}", actor=actor, cause=reason, data={"with": memory_id}) for i in ids),
        *(Entry("belief_erased", subject=b, actor=actor, cause=reason, data={"with": memory_id}) for b in gone_rules),
    ])  # fmt: skip
    if waits:
        audit(session, tenant, [
            Entry("cascade", subject=f"memory:{memory_id}", actor=actor, cause=reason, data={"marked": len(waits)}),
        ])  # fmt: skip
    session.expire_all()
    standing = [rule for rule in rules if rule not in gone_rules]
    return {
        "erased": ids, "remade": remade, "observations": gone, "recheck": waits, "rules": standing, "rules_erased": gone_rules,
    }  # fmt: skip


def _tombstones(session: Session, tenant: str, doomed: Sequence[tuple[str, str, datetime]], reason: str) -> None:
    """doomed: (node, its text, when it was)."""
    secret = tenant_secret(session, tenant)
    session.execute(
        text(
            "insert into bio.tombstones (tenant, subject, keyed_hash, reason, occurred_at)"
            " values (:tenant, :subject, :hash, :reason, :at) on conflict do nothing"
        ),
        [
            {"tenant": tenant, "subject": node, "hash": keyed_hash(secret, said), "reason": reason, "at": at}
            for node, said, at in doomed
        ],
    )  # fmt: skip
