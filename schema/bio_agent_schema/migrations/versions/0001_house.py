"""The house: tables, row-level security, the one clock, and the few functions that see across tenants."""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

# Tables that bio_dispatch may read across tenants, and only through the functions below.
DISPATCHED = ("tenants", "l1_scopes", "cycles", "api_keys", "dream_runs", "vector_states")

CLOCK = """
create table bio.clock (one boolean primary key default true check (one), shift interval not null default '0');
insert into bio.clock default values;
-- The only clock of rules, leases and expiry. Only the owner role can move it (tests do).
create function bio.now() returns timestamptz language sql stable security definer set search_path = pg_catalog
    as $$ select now() + (select shift from bio.clock) $$;
"""

ACROSS_TENANTS = """
create function bio.tenant_ids() returns setof text
    language sql stable security definer set search_path = pg_catalog
    as $$ select tenant from bio.tenants order by tenant $$;

create function bio.authenticate(key_hash text)
    returns table (tenant text, id text, ceiling text)
    language sql stable security definer set search_path = pg_catalog
    as $$
        select k.tenant, k.id, k.ceiling from bio.api_keys k
        where k.hash = key_hash and k.revoked_at is null and (k.expires_at is null or k.expires_at > bio.now())
    $$;

-- Work that is due, over all tenants: ids, scopes and reasons, never content. Tenants take turns by last_served_at, and none
-- has more than most_of_one cycles in work, so that the queue is never one tenant's.
create function bio.due_work(min_new int, max_wait interval, crisis real, most int, most_of_one int)
    returns table (tenant text, workspace text, agent text, cycle_id text, reason text)
    language sql stable security definer set search_path = pg_catalog
    as $$
        with live as (
            select c.* from bio.cycles c where c.state in ('running', 'queued')
        ), due as (
            select c.tenant, c.workspace, c.agent, c.id as cycle_id, 'resume' as reason, c.created_at as since
            from live c
            where (c.not_before is null or c.not_before <= bio.now())
              and ((c.state = 'running' and c.lease_until < bio.now())
                   or (c.state = 'queued' and not exists (
                        select 1 from live r where r.state = 'running'
                        and (r.tenant, r.workspace, r.agent) = (c.tenant, c.workspace, c.agent))))
            union all
            select s.tenant, s.workspace, s.agent, null,
                   case when s.directive_waiting then 'directive'
                        when s.requested_at is not null then 'requested'
                        when s.session_ended then 'session_ended'
                        when s.stress >= crisis then 'stress'
                        when s.new_count >= min_new then 'count'
                        else 'waited' end,
                   s.oldest_new_at
            from bio.l1_scopes s
            where s.new_count > 0
              and (s.directive_waiting or s.held_until is null or s.held_until <= bio.now())
              and (s.requested_at is not null or s.directive_waiting or s.session_ended or s.stress >= crisis
                   or s.new_count >= min_new or s.oldest_new_at < bio.now() - max_wait)
              and not exists (select 1 from live r
                              where (r.tenant, r.workspace, r.agent) = (s.tenant, s.workspace, s.agent))
        ), busy as (
            select r.tenant, count(*) as cycles from live r
            where r.state = 'running' and r.lease_until >= bio.now() and (r.not_before is null or r.not_before <= bio.now())
            group by r.tenant
        ), placed as (
            select d.*, row_number() over (partition by d.tenant
                       order by d.reason <> 'directive', d.cycle_id is null, d.since nulls first) as place
            from due d
        )
        select p.tenant, p.workspace, p.agent, p.cycle_id, p.reason
        from placed p join bio.tenants t on t.tenant = p.tenant left join busy b on b.tenant = p.tenant
        where p.place + coalesce(b.cycles, 0) <= most_of_one
        order by p.place, t.last_served_at nulls first, p.tenant
        limit most
    $$;

create function bio.dreams_due(before timestamptz)
    returns table (tenant text, time_zone text, slot text, state text)
    language sql stable security definer set search_path = pg_catalog
    as $$
        select t.tenant, t.time_zone, d.slot, d.state from bio.tenants t
        left join lateral (
            select r.slot, r.state from bio.dream_runs r where r.tenant = t.tenant order by r.started_at desc limit 1
        ) d on true
        where before is not null
    $$;
"""

FUNCTIONS = (
    "bio.tenant_ids()",
    "bio.authenticate(text)",
    "bio.due_work(int, interval, real, int, int)",
    "bio.dreams_due(timestamptz)",
)


def upgrade() -> None:
    op.execute("set local role bio_owner")
    op.execute(CLOCK)
    op.execute((Path(__file__).with_suffix(".sql")).read_text())
    op.execute(
        """
        grant usage on schema bio to bio_app, bio_dispatch;
        revoke all on function bio.now() from public;
        grant execute on function bio.now() to bio_app, bio_dispatch;
        grant select, insert, update, delete on all tables in schema bio to bio_app;
        revoke all on bio.clock from bio_app;
        revoke update, delete on bio.audit from bio_app;
        grant update (seal) on bio.audit to bio_app;
        """
    )
    own = "tenant = (select nullif(current_setting('bio.tenant', true), ''))"
    tables = [
        r[0]
        for r in op.get_bind().exec_driver_sql(
            "select tablename from pg_tables where schemaname = 'bio' and tablename not in ('clock', 'schema_revision')"
        )
    ]
    for table in tables:
        op.execute(
            f"""
            alter table bio.{table} enable row level security;
            alter table bio.{table} force row level security;
            create policy own_tenant on bio.{table} for all to bio_app using ({own}) with check ({own});
            """
        )
    for table in DISPATCHED:
        op.execute(f"create policy due on bio.{table} for select to bio_dispatch using (true)")
        op.execute(f"grant select on bio.{table} to bio_dispatch")
    op.execute("revoke all on bio.schema_revision from bio_app; grant select on bio.schema_revision to bio_app")
    op.execute("grant create on schema bio to bio_dispatch")
    op.execute("reset role")
    op.execute("set local role bio_dispatch")
    op.execute(ACROSS_TENANTS)
    for function in FUNCTIONS:
        op.execute(f"revoke all on function {function} from public; grant execute on function {function} to bio_app")
    op.execute("reset role")
    op.execute("set local role bio_owner")
    op.execute("revoke create on schema bio from bio_dispatch")
    op.execute("reset role")


def downgrade() -> None:
    raise RuntimeError("the first revision has no way down: drop the schema `bio` by hand if that is what you mean")
