"""L1 episodes: written by intake, claimed by a cycle, considered, aged, forgotten."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_schema import erasing
from bio_agent_schema.ledger import Entry, audit, keyed_hash, tenant_secret
from bio_agent_schema.types import Episode, Kind, Label, Provenance

_COLUMNS = (
    "id, seq, workspace, agent, user_id, session, turn, kind, source, origin, speaker, provenance, content, tool,"
    " tool_input, command, exit_code, is_failure, error_token, severity, cwd, task, goal, mode, occurred_at, novelty,"
    " salience, task_relevance, importance, unresolved, resolved_by, folded, last_content, recalled, meta"
)


def _episode(row: Mapping[str, Any]) -> Episode:
    values = dict(row)
    values["user"] = values.pop("user_id")
    values["metadata"] = values.pop("meta")
    values["kind"] = Kind(values["kind"])
    values["provenance"] = Provenance(values["provenance"])
    return Episode(**values)


def _select(session: Session, where: str, /, **params: Any) -> list[Episode]:
    rows = session.execute(text(f"select {_COLUMNS} from bio.episodes where tenant = :tenant and {where}"), params)  # noqa: S608 - `where` is a constant of this module
    return [_episode(dict(r)) for r in rows.mappings()]


def by_ids(session: Session, tenant: str, ids: Iterable[str]) -> list[Episode]:
    """The named episodes of this tenant, in order of arrival; unknown ids are left out."""
    return _select(session, "id = any(:ids) order by seq", tenant=tenant, ids=list(ids))


def of_session(
    session: Session, tenant: str, session_id: str, after_seq: int, until_seq: int, most: int = 80
) -> list[Episode]:
    """A stretch of one session, both ends included, folded rows left out; at most the newest `most`."""
    return _select(
        session,
        "session = :session and seq between :a and :b and state <> 'folded' order by seq desc limit :most",
        tenant=tenant, session=session_id, a=after_seq, b=until_seq, most=most,
    )[::-1]  # fmt: skip


def fixes_among(session: Session, tenant: str, ids: Sequence[str]) -> set[str]:
    """Which of these episodes resolved a failure."""
    rows = session.execute(
        text("select distinct resolved_by from bio.episodes where tenant = :t and resolved_by = any(:ids)"),
        {"t": tenant, "ids": list(ids)},
    )
    return set(rows.scalars())


def way_to(session: Session, tenant: str, end: Episode, most: int) -> list[Episode]:
    """The tool calls of an outcome's session that succeeded since the outcome before it, the newest `most` in order."""
    return _select(
        session,
        "session = :session and workspace = :workspace and kind = 'tool' and seq < :seq and not is_failure and not recalled"
        " and state <> 'folded' and (command <> '' or tool_input is not null) and seq > coalesce((select max(o.seq)"
        " from bio.episodes o where o.tenant = :tenant and o.session = :session and o.kind = 'outcome' and o.seq < :seq), 0)"
        " order by seq desc limit :most",
        tenant=tenant, session=end.session, workspace=end.workspace, seq=end.seq, most=most,
    )[::-1]  # fmt: skip


def acts_since(session: Session, tenant: str, since: datetime, most: int) -> list[Episode]:
    """The newest tool calls that a cycle has considered since then and whose content is still there, in order of arrival."""
    return _select(
        session,
        "kind = 'tool' and state = 'considered' and considered_at >= :since and (command <> '' or tool_input is not null)"
        " order by seq desc limit :most",
        tenant=tenant, since=since, most=most,
    )[::-1]  # fmt: skip


def resolved_through(session: Session, tenant: str, ids: Sequence[str]) -> list[Episode]:
    """The failures that these episodes resolved, in order of arrival."""
    return _select(session, "resolved_by = any(:ids) order by seq", tenant=tenant, ids=list(ids))


def fixes_of(session: Session, tenant: str, ids: Sequence[str]) -> dict[str, str]:
    """Of these failures, those that are resolved → the command that resolved them."""
    rows = session.execute(
        text(
            "select f.id, x.command from bio.episodes f join bio.episodes x on x.tenant = :t and x.id = f.resolved_by"
            " where f.tenant = :t and f.id = any(:ids) and x.command <> ''"
        ),
        {"t": tenant, "ids": list(ids)},
    )
    return {r[0]: r[1] for r in rows}


def newest_outcomes(session: Session, tenant: str, workspace: str, agent: str, most: int = 12) -> list[dict[str, Any]]:
    """The newest outcomes of an L1 scope for the stress window: severity, is_failure, unresolved, occurred_at, folded."""
    rows = session.execute(
        text(
            """
            select severity, is_failure, unresolved, occurred_at, received_at, folded from bio.episodes
            where tenant = :tenant and workspace = :workspace and agent = :agent and state not in ('folded', 'junk')
              and (kind in ('tool', 'outcome') or (kind = 'event' and severity >= 0.5))
            order by seq desc limit :most
            """
        ),
        {"tenant": tenant, "workspace": workspace, "agent": agent, "most": most},
    )
    return [dict(r) for r in rows.mappings()]


def new_of_scope(session: Session, tenant: str, workspace: str, agent: str, most: int) -> list[Episode]:
    """What attention ranks: directives and unresolved failures first, then open ones, then waiting ones as places free."""
    return _select(
        session,
        "workspace = :workspace and agent = :agent and state in ('open', 'waiting')"
        " order by (directive or unresolved) desc, (state = 'open') desc, seq limit :most",
        tenant=tenant, workspace=workspace, agent=agent, most=most,
    )  # fmt: skip


def claim(session: Session, tenant: str, cycle_id: str, ids: Sequence[str], ranked: Sequence[str]) -> list[str]:
    """Take `ids` into the cycle, keep the rest of `ranked` in working memory, send what is beyond it back to waiting.

    Returns the ids that were really taken: one that another cycle took meanwhile is left alone.
    """
    taken = session.execute(
        text(
            """
            update bio.episodes set state = 'claimed', cycle_id = :cycle
            where tenant = :tenant and id = any(:ids) and state in ('open', 'waiting') returning id
            """
        ),
        {"tenant": tenant, "cycle": cycle_id, "ids": list(ids)},
    ).scalars()
    mine = set(taken)
    rest = [i for i in ranked if i not in mine]
    if rest:
        session.execute(
            text(
                "update bio.episodes set state = 'open' where tenant = :tenant and id = any(:ids) and state = 'waiting'"
            ),
            {"tenant": tenant, "ids": rest},
        )
    return [i for i in ids if i in mine]


def send_back_beyond(session: Session, tenant: str, workspace: str, agent: str, keep: Sequence[str]) -> None:
    """Episodes that attention did not keep wait in Postgres; directives and unresolved failures are never sent back."""
    session.execute(
        text(
            """
            update bio.episodes set state = 'waiting'
            where tenant = :tenant and workspace = :workspace and agent = :agent and state = 'open'
              and not directive and not unresolved and not (id = any(:keep))
            """
        ),
        {"tenant": tenant, "workspace": workspace, "agent": agent, "keep": list(keep)},
    )


def release(session: Session, tenant: str, ids: Sequence[str]) -> None:
    """Give claimed episodes back to working memory (a cycle was cut down or given up)."""
    session.execute(
        text(
            "update bio.episodes set state = 'open', cycle_id = null"
            " where tenant = :t and id = any(:ids) and state = 'claimed'"
        ),
        {"t": tenant, "ids": list(ids)},
    )


def save_labels(session: Session, tenant: str, labels: Iterable[Label]) -> None:
    rows = [
        {"id": x.episode_id, "topic": x.topic, "importance": x.importance, "tags": list(x.tags), "by": x.decided_by,
         "reason": x.reason, "entities": list(x.entities)}
        for x in labels
    ]  # fmt: skip
    session.execute(
        text(
            """
            update bio.episodes e set topic = l.topic, importance = l.importance, tags = l.tags, labelled_by = l.by,
                label_reason = l.reason, entities = (select array(select distinct unnest(e.entities || l.entities)))
            from jsonb_to_recordset(cast(:rows as jsonb))
                as l(id text, topic text, importance smallint, tags text[], by text, reason text, entities text[])
            where e.tenant = :tenant and e.id = l.id
            """
        ),
        {"tenant": tenant, "rows": json.dumps(rows)},
    )


def finish(session: Session, tenant: str, considered: Sequence[str], junk: Sequence[str], cited: Iterable[str]) -> None:
    """The cycle's outcome for its episodes: each gets exactly one."""
    session.execute(
        text(
            """
            update bio.episodes set considered_at = bio.now(), age_cycles = 0, aged_at = bio.now(), attempts = 0,
                state = case when id = any(:junk) then 'junk' else 'considered' end,
                cited = cited or id = any(:cited)
            where tenant = :tenant and id = any(:all) and state = 'claimed'
            """
        ),
        {"tenant": tenant, "all": [*considered, *junk], "junk": list(junk), "cited": list(cited)},
    )


def mark_cited(session: Session, tenant: str, ids: Sequence[str]) -> None:
    session.execute(
        text("update bio.episodes set cited = true where tenant = :t and id = any(:ids) and not cited"),
        {"t": tenant, "ids": list(ids)},
    )


def count_attempt(session: Session, tenant: str, ids: Sequence[str]) -> int:
    """Count an attempt against each episode before the work starts; returns the highest count."""
    highest: int = session.execute(
        text(
            "with n as (update bio.episodes set attempts = attempts + 1 where tenant = :t and id = any(:ids)"
            " returning attempts) select coalesce(max(attempts), 0) from n"
        ),
        {"t": tenant, "ids": list(ids)},
    ).scalar_one()
    return highest


def mark_dead(session: Session, tenant: str, ids: Sequence[str]) -> None:
    session.execute(
        text("update bio.episodes set state = 'dead' where tenant = :t and id = any(:ids)"),
        {"t": tenant, "ids": list(ids)},
    )


@dataclass(frozen=True, slots=True)
class Ageing:
    """A considered, uncited episode on its way out. `session_open`: its session had an observation within 30 min."""

    id: str
    importance: int
    age_cycles: int
    aged_at: datetime
    unresolved: bool
    occurred_at: datetime
    session_last_at: datetime
    junk: bool


def ageing(session: Session, tenant: str, workspace: str, agent: str, most: int = 2000) -> list[Ageing]:
    """What can age or go now: junk at once, the rest at most once an hour."""
    rows = session.execute(
        text(
            """
            select e.id, coalesce(e.importance, 5) as importance, e.age_cycles, e.aged_at, e.unresolved, e.occurred_at,
                   (select max(s.received_at) from bio.episodes s where s.tenant = e.tenant and s.session = e.session)
                       as session_last_at,
                   e.state = 'junk' as junk
            from bio.episodes e
            where e.tenant = :tenant and e.workspace = :workspace and e.agent = :agent and not e.cited
              and e.state in ('considered', 'junk') and e.content <> ''
              and (e.state = 'junk' or e.aged_at is null or e.aged_at <= bio.now() - interval '1 hour')
            order by e.seq limit :most
            """
        ),
        {"tenant": tenant, "workspace": workspace, "agent": agent, "most": most},
    )
    return [Ageing(**r) for r in rows.mappings()]


def grow_older(session: Session, tenant: str, ids: Sequence[str]) -> None:
    session.execute(
        text(
            "update bio.episodes set age_cycles = age_cycles + 1, aged_at = bio.now()"
            " where tenant = :t and id = any(:ids)"
        ),
        {"t": tenant, "ids": list(ids)},
    )


def forget(session: Session, tenant: str, reasons: Mapping[str, str], cycle_id: str = "") -> int:
    """Erase the content of the named episodes, here and in the stored model calls; a tombstone with keyed hash, times and
    reason stays, in its table and in the audit. Why a rule of the server found it junk stays too; a model's words do not.
    """
    if not reasons:
        return 0
    secret = tenant_secret(session, tenant)
    doomed = [e for e in by_ids(session, tenant, reasons) if e.content]
    if not doomed:
        return 0
    hashes = {e.id: keyed_hash(secret, e.content) for e in doomed}
    session.execute(
        text(
            """
            insert into bio.tombstones (tenant, subject, keyed_hash, reason, occurred_at)
            values (:tenant, :subject, :hash, :reason, :at) on conflict do nothing
            """
        ),
        [
            {
                "tenant": tenant,
                "subject": f"episode:{e.id}",
                "hash": hashes[e.id],
                "reason": reasons[e.id],
                "at": e.occurred_at,
            }
            for e in doomed
        ],
    )
    ids = [e.id for e in doomed]
    session.execute(
        text(
            """
            update bio.episodes set content = '', last_content = '', content_hash = '', command = '', tool_input = null,
                act_form = '', cwd = '', template = '', entities = '{}', tags = '{}', topic = '', meta = '{}', task = '',
                goal = '', origin = '', error_token = '',
                label_reason = case when labelled_by = 'rule' then label_reason else '' end,
                state = case when state = 'junk' then 'junk' else 'forgotten' end
            where tenant = :tenant and id = any(:ids)
            """
        ),
        {"tenant": tenant, "ids": ids},
    )
    erasing.from_model_calls(session, tenant, ids)
    audit(session, tenant, [
        Entry("forgotten", subject=f"episode:{e.id}", episode_id=e.id, cycle_id=cycle_id, cause=reasons[e.id],
              data={"hash": hashes[e.id], "occurred_at": e.occurred_at})
        for e in doomed
    ])  # fmt: skip
    return len(doomed)


def known_ids(session: Session, tenant: str, ids: Sequence[str]) -> set[str]:
    return set(
        session.execute(
            text("select id from bio.episodes where tenant = :t and id = any(:ids)"), {"t": tenant, "ids": list(ids)}
        ).scalars()
    )


# ---------------------------------------------------------------------------------------------- for intake


#: A failure that only words have closed: what succeeds later may still be its fix.
_ANSWERED = (
    "exists (select 1 from bio.episodes a where a.tenant = :tenant and a.id = {e}.resolved_by and a.kind = 'user')"
)


def open_failures(session: Session, tenant: str, session_id: str, most: int = 50) -> list[Episode]:
    """Failures of a session that a later success may close, those that an owner's words answered among them."""
    return _select(
        session,
        f"session = :s and (unresolved or {_ANSWERED.format(e='episodes')}) and state <> 'folded' order by seq desc limit :most",
        tenant=tenant, s=session_id, most=most,
    )[::-1]  # fmt: skip


def failed_last(session: Session, tenant: str, session_id: str) -> bool:
    """Whether the newest outcome of a session is a failure."""
    return bool(
        session.execute(
            text(
                "select is_failure from bio.episodes where tenant = :t and session = :s and not recalled"
                " and kind in ('tool', 'event', 'outcome') and state <> 'folded' order by seq desc limit 1"
            ),
            {"t": tenant, "s": session_id},
        ).scalar()
    )


def recent_templates(session: Session, tenant: str, workspace: str, agent: str, most: int = 200) -> list[str]:
    rows = session.execute(
        text(
            "select template from bio.episodes where tenant = :t and workspace = :w and agent = :a and state <> 'folded'"
            " order by seq desc limit :m"
        ),
        {"t": tenant, "w": workspace, "a": agent, "m": most},
    )
    return [r[0] for r in rows][::-1]


def still_new_among(session: Session, tenant: str, ids: Iterable[str]) -> set[str]:
    wanted = list(ids)
    if not wanted:
        return set()
    rows = session.execute(
        text("select id from bio.episodes where tenant = :t and id = any(:ids) and state in ('open', 'waiting')"),
        {"t": tenant, "ids": wanted},
    )
    return set(rows.scalars())


def still_new(session: Session, tenant: str, episode_id: str) -> bool:
    return bool(still_new_among(session, tenant, [episode_id]))


def give_output(session: Session, tenant: str, episode_id: str, read: Mapping[str, Any]) -> None:
    """A command's output came in a later batch: content and reading of the pair replace the command's own."""
    session.execute(
        text(
            """
            update bio.episodes set content = :content, is_failure = :is_failure, unresolved = :unresolved,
                error_token = :error_token, severity = :severity
            where tenant = :tenant and id = :id and state in ('open', 'waiting')
            """
        ),
        {"tenant": tenant, "id": episode_id, **read},
    )


def add_folds(session: Session, tenant: str, folds: Mapping[str, tuple[int, str]]) -> None:
    """Head id → (how many more, the last one's text)."""
    if folds:
        session.execute(
            text(
                """
                update bio.episodes e set folded = folded + f.n, last_content = f.last
                from jsonb_to_recordset(cast(:rows as jsonb)) as f(id text, n int, last text)
                where e.tenant = :tenant and e.id = f.id
                """
            ),
            {"tenant": tenant, "rows": json.dumps([{"id": i, "n": n, "last": last} for i, (n, last) in folds.items()])},
        )


def resolve(session: Session, tenant: str, pairs: Sequence[tuple[str, str]], *, said: bool = False) -> None:
    """(failure, fix) pairs: the failure closes; one that was considered already comes back to be read with its fix. said:
    an owner's words close it; a later success takes their place."""
    session.execute(
        text(
            """
            update bio.episodes e set unresolved = false, resolved_by = p.fix,
                state = case when e.state = 'considered' and e.content <> '' then 'open' else e.state end
            from jsonb_to_recordset(cast(:rows as jsonb)) as p(failure text, fix text)
            where e.tenant = :tenant and e.id = p.failure and (e.unresolved or (not :said and {closed_by_words}))
            """.format(closed_by_words=_ANSWERED.format(e="e"))  # noqa: S608 - a constant of this module
        ),
        {"tenant": tenant, "said": said, "rows": json.dumps([{"failure": a, "fix": b} for a, b in pairs])},
    )


def said_before(session: Session, tenant: str, session_id: str, seq: int) -> str:
    """The assistant's words right before a turn, "" when the last thing said was not the assistant's."""
    row = session.execute(
        text(
            "select kind, content from bio.episodes where tenant = :t and session = :s and seq < :seq"
            " and kind in ('user', 'assistant') order by seq desc limit 1"
        ),
        {"t": tenant, "s": session_id, "seq": seq},
    ).first()
    return row[1] if row and row[0] == "assistant" else ""
