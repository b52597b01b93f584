"""Which vectors answer for a tenant: the model, the change from one model to another, and the tenant's own index.

A memory has the vector it was written with. While the embedder changes, the new one waits beside it (`next_embedding`);
recall answers with the old model until every memory has a vector of the new one, then with the new, and what waited
takes its place page by page.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import Connection, create_engine, text
from sqlmodel import Session

from bio_agent_schema import memory_sizes
from bio_agent_schema.beliefs import vector_text
from bio_agent_schema.db import INSTANCE, normal_url
from bio_agent_schema.ledger import Entry, audit
from bio_agent_schema.memory_sizes import index_name, is_indexed

BUILT_INSIDE_UP_TO = 15_000  # memories whose index the application has made at once; it holds back writes for seconds
INDEX_LOCK = 7_215_002  # any constant, as MIGRATION_LOCK: one builder at a time
_STALE = "m.tenant = :t and m.state <> 'erased' and m.embedding_model <> :m and m.next_model <> :m"
_STALE_BELIEF = "b.tenant = :t and b.embedding_model <> :m"

Page = list[tuple[str, str]]  # (id, content)


def answering(session: Session, tenant: str, configured: str) -> str:
    """The model whose vectors answer: the configured one where nothing else was said."""
    found = session.execute(
        text("select answers_with from bio.vector_states where tenant = :t"), {"t": tenant}
    ).scalar()
    return str(found or configured)


def settle(session: Session, tenant: str, configured: str) -> str:
    """As `answering`, and kept: a tenant of which nothing is known yet answers with the model most of its memories have."""
    known = session.execute(
        text("select answers_with from bio.vector_states where tenant = :t"), {"t": tenant}
    ).scalar()
    if known:
        return str(known)
    most = session.execute(
        text(
            "select embedding_model from bio.memories where tenant = :t and embedding is not null group by 1"
            " order by count(*) desc, 1 limit 1"
        ),
        {"t": tenant},
    ).scalar()
    answer_with(session, tenant, str(most or configured))
    return str(most or configured)


def answer_with(session: Session, tenant: str, model: str) -> None:
    session.execute(
        text(
            "insert into bio.vector_states (tenant, answers_with) values (:t, :m) on conflict (tenant)"
            " do update set answers_with = :m, updated_at = bio.now()"
        ),
        {"t": tenant, "m": model},
    )


def lease(session: Session, tenant: str, length: timedelta) -> bool:
    """Take or renew the tenant's work on vectors. False: another instance has it."""
    held = session.execute(
        text(
            """
            update bio.vector_states set lease_owner = :o, lease_until = bio.now() + :l
            where tenant = :t and (lease_owner in ('', :o) or lease_until is null or lease_until < bio.now()) returning 1
            """
        ),
        {"t": tenant, "o": INSTANCE, "l": length},
    ).first()
    return held is not None


def release(session: Session, tenant: str) -> None:
    session.execute(
        text(
            "update bio.vector_states set lease_owner = '', lease_until = null where tenant = :t and lease_owner = :o"
        ),
        {"t": tenant, "o": INSTANCE},
    )


def any_stale(session: Session, tenant: str, model: str) -> bool:
    """Whether a memory or belief has no vector of that model yet. Cheap where none is: an index has them by model."""
    memory = "select 1 from bio.memories m where m.embedding_model {} :m and " + _STALE  # noqa: S608
    belief = f"select 1 from bio.beliefs b where {_STALE_BELIEF}"  # noqa: S608 - built from this module's constants
    found = session.execute(
        text(f"select exists ({memory.format('<')}) or exists ({memory.format('>')}) or exists ({belief})"),
        {"t": tenant, "m": model},
    ).scalar_one()
    return bool(found)


def stale_memories(session: Session, tenant: str, model: str, after: str, most: int) -> Page:
    """Memories without a vector of that model, by id from `after` on."""
    rows = session.execute(
        text(f"select m.id, m.content from bio.memories m where {_STALE} and m.id > :a order by m.id limit :n"),  # noqa: S608
        {"t": tenant, "m": model, "a": after, "n": most},
    )
    return [(r[0], r[1]) for r in rows]


def stale_beliefs(session: Session, tenant: str, model: str, after: str, most: int) -> Page:
    rows = session.execute(
        text(f"select b.id, b.content from bio.beliefs b where {_STALE_BELIEF} and b.id > :a order by b.id limit :n"),  # noqa: S608
        {"t": tenant, "m": model, "a": after, "n": most},
    )
    return [(r[0], r[1]) for r in rows]


_READ = """
    from unnest(cast(:ids as text[]), cast(:said as text[]), cast(:vectors as text[])) as r (id, said, vector)
"""


def keep_memories(session: Session, tenant: str, model: str, page: Page, vectors: Sequence[Sequence[float]]) -> None:
    """New vectors beside the old ones. A memory that was reworded or erased meanwhile is left for the next page."""
    session.execute(
        text(
            f"update bio.memories m set next_embedding = cast(r.vector as halfvec), next_model = :m {_READ}"  # noqa: S608
            f" where {_STALE} and m.id = r.id and m.content = r.said"
        ),
        _params(tenant, model, page, vectors),
    )


def keep_beliefs(session: Session, tenant: str, model: str, page: Page, vectors: Sequence[Sequence[float]]) -> None:
    """New vectors in place of the old: rules are found by their words and forms too, so that none is lost meanwhile."""
    session.execute(
        text(
            f"update bio.beliefs b set embedding = cast(r.vector as halfvec), embedding_model = :m {_READ}"  # noqa: S608
            f" where {_STALE_BELIEF} and b.id = r.id and b.content = r.said"
        ),
        _params(tenant, model, page, vectors),
    )


def _params(tenant: str, model: str, page: Page, vectors: Sequence[Sequence[float]]) -> dict[str, object]:
    return {
        "t": tenant, "m": model, "ids": [i for i, _ in page], "said": [said for _, said in page],
        "vectors": [vector_text(v) for v in vectors],
    }  # fmt: skip


def switch(session: Session, tenant: str, model: str) -> bool:
    """Answer with that model if every memory has a vector of it. Returns whether it answers with it now."""
    if answering(session, tenant, "") == model:
        return True
    if any_stale(session, tenant, model):
        return False
    before = answering(session, tenant, "")
    answer_with(session, tenant, model)
    audit(session, tenant, [Entry("embedder_changed", subject=f"tenant:{tenant}", before=before, after=model)])
    return True


def take_place(session: Session, tenant: str, model: str, most: int) -> int:
    """Vectors of that model that wait beside the old ones take their place. Returns how many of the page did."""
    moved = session.execute(
        text(
            """
            update bio.memories m set embedding = m.next_embedding, embedding_model = m.next_model, next_embedding = null,
                next_model = ''
            where m.tenant = :t and m.id in (
                select w.id from bio.memories w where w.tenant = :t and w.next_model = :m and w.embedding_model <> :m limit :n)
            returning 1
            """
        ),
        {"t": tenant, "m": model, "n": most},
    ).all()
    return len(moved)


# ------------------------------------------------------------------------------------------------------ the index


def want_index(session: Session, tenant: str, model: str, dimensions: int) -> bool:
    """Ask for the index of a tenant that has outgrown the exact scan; make it at once while that takes only seconds:
    while few vectors of the model are in their place, however many wait. The index of another model goes: it costs each
    write and is no use. A tenant that has shrunk to half of the bound asks for none any more, and whoever builds from
    outside drops what it has; until then the exact scan answers beside it. Returns whether one was made now."""
    other = session.execute(
        text("select index_model from bio.vector_states where tenant = :t and index_model not in ('', :m)"),
        {"t": tenant, "m": model},
    ).scalar()
    if other and is_indexed(session, tenant, other):
        session.execute(text("select bio.unindex_vectors(:m)"), {"m": other})
    kept, coming = session.execute(
        text(
            """
            select (select count(*) from (
                        select 1 from bio.memories where tenant = :t and embedding_model = :m limit :n) x),
                   (select count(*) from (
                        select 1 from bio.memories where tenant = :t and embedding_model < :m and next_model = :m
                        union all
                        select 1 from bio.memories where tenant = :t and embedding_model > :m and next_model = :m
                        limit :n) y)
            """
        ),
        {"t": tenant, "m": model, "n": BUILT_INSIDE_UP_TO + 1},
    ).one()
    if kept + coming <= memory_sizes.EXACT_UP_TO // 2:
        session.execute(
            text("update bio.vector_states set index_model = '' where tenant = :t and index_model <> ''"), {"t": tenant}
        )
    if kept + coming <= memory_sizes.EXACT_UP_TO:
        return False
    session.execute(
        text(
            "update bio.vector_states set index_model = :m, index_dimensions = :d, updated_at = bio.now() where tenant = :t"
            " and (index_model, index_dimensions) is distinct from (:m, :d)"
        ),
        {"t": tenant, "m": model, "d": dimensions},
    )
    if kept > BUILT_INSIDE_UP_TO or is_indexed(session, tenant, model):
        return False
    session.execute(text("select set_config('statement_timeout', '0', true)"))
    # What a builder outside broke off is in the way, and is no use: valid ones were seen above.
    session.execute(text("select bio.unindex_vectors(:m), bio.index_vectors(:m, :d)"), {"m": model, "d": dimensions})
    return True


def build_wanted(admin_url: str) -> list[str]:
    """Build the indexes that tenants wait for, one by one and without holding back reads or writes, and drop those that
    nobody wants any more. Returns the names of what was built.

    admin_url: as for `migrate`, a role that is a member of bio_owner and bio_dispatch. What a broken build left behind is
    dropped and built again. Does nothing while another builder is at it.
    """
    engine = create_engine(normal_url(admin_url), isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": 10})
    try:
        with engine.connect() as connection:
            if not connection.execute(text("select pg_try_advisory_lock(:k)"), {"k": INDEX_LOCK}).scalar():
                return []
            connection.exec_driver_sql("set role bio_dispatch")
            rows = connection.execute(
                text("select tenant, index_model, index_dimensions from bio.vector_states where index_model <> ''")
            ).all()
            connection.exec_driver_sql("reset role")
            connection.exec_driver_sql("set role bio_owner")
            wanted = {index_name(tenant, model): (tenant, model, dimensions) for tenant, model, dimensions in rows}
            there = {row.relname: bool(row.indisvalid) for row in connection.execute(text(_INDEXES))}
            for name in sorted(there):
                if name not in wanted or not there[name]:
                    connection.exec_driver_sql(f"drop index concurrently if exists bio.{name}")
            missing = [name for name in wanted if not there.get(name)]
            for name in missing:
                _build(connection, name, *wanted[name])
        return missing
    finally:
        engine.dispose()


_INDEXES = """
    select c.relname, i.indisvalid from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid = to_regclass('bio.memories') and c.relname like 'memories\\_near\\_%'
"""


def _build(connection: Connection, name: str, tenant: str, model: str, dimensions: int) -> None:
    # No parallel workers: they need shared memory that containers seldom have. The graph of 400,000 fits this.
    connection.exec_driver_sql("set maintenance_work_mem = '512MB'")
    connection.exec_driver_sql("set max_parallel_maintenance_workers = 0")
    where = connection.execute(
        text("select format('tenant = %L and embedding_model = %L', cast(:t as text), cast(:m as text))"),
        {"t": tenant, "m": model},
    ).scalar_one()
    connection.exec_driver_sql(
        f"create index concurrently {name} on bio.memories using hnsw"
        f" ((embedding::halfvec({int(dimensions)})) halfvec_cosine_ops) where {where}".replace("%", "%%")
    )


if (
    __name__ == "__main__"
):  # from outside, for instance once an hour: DATABASE_ADMIN_URL=… python -m bio_agent_schema.vectors
    given = os.environ.get("DATABASE_ADMIN_URL", "")
    if not given:
        sys.exit("set DATABASE_ADMIN_URL to the role that migrates")
    print("built:", ", ".join(build_wanted(given)) or "nothing was waited for")
