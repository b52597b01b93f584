-- The tables of the first revision, frozen. Later revisions change them; this file never changes.

CREATE TABLE bio.api_keys (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    prefix TEXT DEFAULT '' NOT NULL,
    hash TEXT DEFAULT '' NOT NULL,
    ceiling TEXT DEFAULT 'agent' NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE,
    revoked_at TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (tenant, id),
    UNIQUE (hash)
);

CREATE TABLE bio.audit (
    tenant TEXT NOT NULL,
    seq BIGINT GENERATED ALWAYS AS IDENTITY,
    at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    actor TEXT DEFAULT '' NOT NULL,
    act TEXT DEFAULT '' NOT NULL,
    subject TEXT DEFAULT '' NOT NULL,
    episode_id TEXT DEFAULT '' NOT NULL,
    cycle_id TEXT DEFAULT '' NOT NULL,
    cause TEXT DEFAULT '' NOT NULL,
    before TEXT DEFAULT '' NOT NULL,
    after TEXT DEFAULT '' NOT NULL,
    data JSONB DEFAULT '{}' NOT NULL,
    instance TEXT DEFAULT '' NOT NULL,
    seal TEXT DEFAULT '' NOT NULL,
    PRIMARY KEY (tenant, seq)
);

CREATE TABLE bio.belief_history (
    tenant TEXT NOT NULL,
    seq BIGINT GENERATED ALWAYS AS IDENTITY,
    belief_id TEXT DEFAULT '' NOT NULL,
    at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    snapshot JSONB DEFAULT '{}' NOT NULL,
    PRIMARY KEY (tenant, seq)
);

CREATE TABLE bio.beliefs (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    content TEXT DEFAULT '' NOT NULL,
    rendering TEXT DEFAULT '' NOT NULL,
    model_text TEXT DEFAULT '' NOT NULL,
    search TEXT DEFAULT '' NOT NULL,
    lang TEXT DEFAULT 'en' NOT NULL,
    canonical_key TEXT DEFAULT '' NOT NULL,
    canonical JSONB DEFAULT '{}' NOT NULL,
    acts JSONB DEFAULT '{}' NOT NULL,
    forms JSONB DEFAULT '{}' NOT NULL,
    kind TEXT DEFAULT 'procedural' NOT NULL,
    layer TEXT DEFAULT 'adaptive' NOT NULL,
    scope_path TEXT DEFAULT '' NOT NULL,
    scope_agent TEXT DEFAULT '' NOT NULL,
    scope_user TEXT DEFAULT '' NOT NULL,
    state TEXT DEFAULT 'proposed' NOT NULL,
    directive BOOLEAN DEFAULT 'false' NOT NULL,
    pair BOOLEAN DEFAULT 'false' NOT NULL,
    needs_person BOOLEAN DEFAULT 'false' NOT NULL,
    approved_by TEXT DEFAULT '' NOT NULL,
    disputed BOOLEAN DEFAULT 'false' NOT NULL,
    recheck BOOLEAN DEFAULT 'false' NOT NULL,
    compiled_confidence FLOAT DEFAULT '0.5' NOT NULL,
    alpha FLOAT DEFAULT '1.0' NOT NULL,
    beta FLOAT DEFAULT '1.0' NOT NULL,
    confidence FLOAT DEFAULT '0.5' NOT NULL,
    support_count INTEGER DEFAULT '0' NOT NULL,
    contradiction_count INTEGER DEFAULT '0' NOT NULL,
    independent INTEGER DEFAULT '0' NOT NULL,
    rank TEXT DEFAULT 'untrusted' NOT NULL,
    injected INTEGER DEFAULT '0' NOT NULL,
    helped INTEGER DEFAULT '0' NOT NULL,
    hurt INTEGER DEFAULT '0' NOT NULL,
    embedding HALFVEC,
    embedding_model TEXT DEFAULT '' NOT NULL,
    valid_from TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    valid_to TIMESTAMP WITH TIME ZONE,
    superseded_by TEXT,
    version INTEGER DEFAULT '1' NOT NULL,
    cause TEXT DEFAULT '' NOT NULL,
    cycle_id TEXT,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    PRIMARY KEY (tenant, id)
);

CREATE TABLE bio.cycles (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    workspace TEXT DEFAULT 'default' NOT NULL,
    agent TEXT DEFAULT 'default' NOT NULL,
    trigger TEXT DEFAULT '' NOT NULL,
    state TEXT DEFAULT 'running' NOT NULL,
    stage TEXT DEFAULT 'label' NOT NULL,
    fence BIGINT DEFAULT '1' NOT NULL,
    lease_owner TEXT DEFAULT '' NOT NULL,
    lease_until TIMESTAMP WITH TIME ZONE,
    not_before TIMESTAMP WITH TIME ZONE,
    attempts INTEGER DEFAULT '0' NOT NULL,
    root TEXT DEFAULT '' NOT NULL,
    episode_ids TEXT[] DEFAULT '{}' NOT NULL,
    outputs JSONB DEFAULT '{}' NOT NULL,
    counts JSONB DEFAULT '{}' NOT NULL,
    error TEXT DEFAULT '' NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    finished_at TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (tenant, id)
);

CREATE TABLE bio.dead_letters (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT DEFAULT 'episode' NOT NULL,
    subject TEXT DEFAULT '' NOT NULL,
    stage TEXT DEFAULT '' NOT NULL,
    cause TEXT DEFAULT '' NOT NULL,
    attempts INTEGER DEFAULT '0' NOT NULL,
    payload TEXT DEFAULT '' NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    redriven_at TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (tenant, id)
);

CREATE TABLE bio.dream_runs (
    tenant TEXT NOT NULL,
    slot TEXT NOT NULL,
    night TEXT DEFAULT '' NOT NULL,
    state TEXT DEFAULT 'running' NOT NULL,
    fence BIGINT DEFAULT '1' NOT NULL,
    lease_until TIMESTAMP WITH TIME ZONE,
    step TEXT DEFAULT '' NOT NULL,
    cursor TEXT DEFAULT '' NOT NULL,
    finished_steps TEXT[] DEFAULT '{}' NOT NULL,
    changed INTEGER DEFAULT '0' NOT NULL,
    lifted BOOLEAN DEFAULT 'false' NOT NULL,
    calls INTEGER DEFAULT '0' NOT NULL,
    tokens INTEGER DEFAULT '0' NOT NULL,
    stats JSONB DEFAULT '{}' NOT NULL,
    journal JSONB DEFAULT '[]' NOT NULL,
    started_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    finished_at TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (tenant, slot)
);

CREATE TABLE bio.edges (
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    relation TEXT NOT NULL,
    target TEXT NOT NULL,
    weight FLOAT DEFAULT '1.0' NOT NULL,
    props JSONB DEFAULT '{}' NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    PRIMARY KEY (tenant, source, relation, target)
);

CREATE TABLE bio.episodes (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    seq BIGINT GENERATED ALWAYS AS IDENTITY,
    content_hash TEXT DEFAULT '' NOT NULL,
    workspace TEXT DEFAULT 'default' NOT NULL,
    agent TEXT DEFAULT 'default' NOT NULL,
    user_id TEXT DEFAULT '' NOT NULL,
    session TEXT DEFAULT '' NOT NULL,
    turn TEXT DEFAULT '' NOT NULL,
    kind TEXT DEFAULT 'event' NOT NULL,
    source TEXT DEFAULT '' NOT NULL,
    origin TEXT DEFAULT '' NOT NULL,
    speaker TEXT DEFAULT '' NOT NULL,
    host TEXT DEFAULT '' NOT NULL,
    call_id TEXT DEFAULT '' NOT NULL,
    provenance TEXT DEFAULT 'untrusted' NOT NULL,
    content TEXT DEFAULT '' NOT NULL,
    last_content TEXT DEFAULT '' NOT NULL,
    tool TEXT DEFAULT '' NOT NULL,
    tool_input JSONB,
    command TEXT DEFAULT '' NOT NULL,
    act_form TEXT DEFAULT '' NOT NULL,
    exit_code INTEGER,
    is_failure BOOLEAN DEFAULT 'false' NOT NULL,
    error_token TEXT DEFAULT '' NOT NULL,
    severity REAL DEFAULT '0.2' NOT NULL,
    duration_ms INTEGER,
    cwd TEXT DEFAULT '' NOT NULL,
    task TEXT DEFAULT '' NOT NULL,
    goal TEXT DEFAULT '' NOT NULL,
    mode TEXT DEFAULT 'normal' NOT NULL,
    project_version TEXT DEFAULT '' NOT NULL,
    entities TEXT[] DEFAULT '{}' NOT NULL,
    meta JSONB DEFAULT '{}' NOT NULL,
    occurred_at TIMESTAMP WITH TIME ZONE NOT NULL,
    received_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    template TEXT DEFAULT '' NOT NULL,
    novelty REAL DEFAULT '1' NOT NULL,
    salience REAL,
    task_relevance REAL,
    recalled BOOLEAN DEFAULT 'false' NOT NULL,
    directive BOOLEAN DEFAULT 'false' NOT NULL,
    state TEXT DEFAULT 'open' NOT NULL,
    unresolved BOOLEAN DEFAULT 'false' NOT NULL,
    resolved_by TEXT,
    folded INTEGER DEFAULT '1' NOT NULL,
    folded_into TEXT,
    importance SMALLINT,
    topic TEXT DEFAULT '' NOT NULL,
    tags TEXT[] DEFAULT '{}' NOT NULL,
    labelled_by TEXT DEFAULT '' NOT NULL,
    label_reason TEXT DEFAULT '' NOT NULL,
    cycle_id TEXT,
    considered_at TIMESTAMP WITH TIME ZONE,
    cited BOOLEAN DEFAULT 'false' NOT NULL,
    age_cycles INTEGER DEFAULT '0' NOT NULL,
    aged_at TIMESTAMP WITH TIME ZONE,
    attempts INTEGER DEFAULT '0' NOT NULL,
    PRIMARY KEY (tenant, id)
);

CREATE TABLE bio.evidence (
    tenant TEXT NOT NULL,
    belief_id TEXT NOT NULL,
    episode_id TEXT NOT NULL,
    supports BOOLEAN DEFAULT 'true' NOT NULL,
    trust TEXT DEFAULT 'untrusted' NOT NULL,
    speaker TEXT DEFAULT '' NOT NULL,
    origin TEXT DEFAULT '' NOT NULL,
    session TEXT DEFAULT '' NOT NULL,
    pair BOOLEAN DEFAULT 'false' NOT NULL,
    cycle_id TEXT,
    at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    retracted_at TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (tenant, belief_id, episode_id)
);

CREATE TABLE bio.exceptions (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    belief_id TEXT DEFAULT '' NOT NULL,
    text TEXT DEFAULT '' NOT NULL,
    policy TEXT DEFAULT '' NOT NULL,
    bounds JSONB DEFAULT '{}' NOT NULL,
    state TEXT DEFAULT 'proposed' NOT NULL,
    proposed_by TEXT DEFAULT '' NOT NULL,
    approved_by TEXT DEFAULT '' NOT NULL,
    why TEXT DEFAULT '' NOT NULL,
    valid_from TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    expires_at TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    PRIMARY KEY (tenant, id)
);

CREATE TABLE bio.guard_facts (
    tenant TEXT NOT NULL,
    workspace TEXT NOT NULL,
    act_form TEXT NOT NULL,
    act JSONB DEFAULT '{}' NOT NULL,
    error_token TEXT DEFAULT '' NOT NULL,
    failures INTEGER DEFAULT '0' NOT NULL,
    last_failed_at TIMESTAMP WITH TIME ZONE,
    last_succeeded_at TIMESTAMP WITH TIME ZONE,
    last_episode_id TEXT DEFAULT '' NOT NULL,
    last_seq BIGINT DEFAULT '0' NOT NULL,
    PRIMARY KEY (tenant, workspace, act_form)
);

CREATE TABLE bio.injections (
    tenant TEXT NOT NULL,
    session TEXT NOT NULL,
    rule_id TEXT NOT NULL,
    how TEXT DEFAULT 'block' NOT NULL,
    command TEXT DEFAULT '' NOT NULL,
    credited TEXT DEFAULT '' NOT NULL,
    at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    PRIMARY KEY (tenant, session, rule_id)
);

CREATE TABLE bio.l1_scopes (
    tenant TEXT NOT NULL,
    workspace TEXT NOT NULL,
    agent TEXT NOT NULL,
    new_count INTEGER DEFAULT '0' NOT NULL,
    oldest_new_at TIMESTAMP WITH TIME ZONE,
    last_arrival_at TIMESTAMP WITH TIME ZONE,
    stress FLOAT DEFAULT '0.0' NOT NULL,
    directive_waiting BOOLEAN DEFAULT 'false' NOT NULL,
    session_ended BOOLEAN DEFAULT 'false' NOT NULL,
    requested_at TIMESTAMP WITH TIME ZONE,
    cycles_done BIGINT DEFAULT '0' NOT NULL,
    last_cycle_at TIMESTAMP WITH TIME ZONE,
    held_until TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (tenant, workspace, agent)
);

CREATE TABLE bio.memories (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT DEFAULT 'episodic' NOT NULL,
    type TEXT DEFAULT '' NOT NULL,
    content TEXT DEFAULT '' NOT NULL,
    term_count INTEGER DEFAULT '0' NOT NULL,
    thread TEXT DEFAULT '' NOT NULL,
    position INTEGER DEFAULT '0' NOT NULL,
    occurred_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    workspace TEXT DEFAULT 'default' NOT NULL,
    agent TEXT DEFAULT '' NOT NULL,
    user_id TEXT DEFAULT '' NOT NULL,
    source TEXT DEFAULT '' NOT NULL,
    origin TEXT DEFAULT '' NOT NULL,
    provenance TEXT DEFAULT 'untrusted' NOT NULL,
    tags TEXT[] DEFAULT '{}' NOT NULL,
    entities TEXT[] DEFAULT '{}' NOT NULL,
    importance INTEGER DEFAULT '5' NOT NULL,
    confidence FLOAT DEFAULT '0.5' NOT NULL,
    severity FLOAT DEFAULT '0.2' NOT NULL,
    mode TEXT DEFAULT 'normal' NOT NULL,
    stress_band TEXT DEFAULT 'calm' NOT NULL,
    lang TEXT DEFAULT 'en' NOT NULL,
    embedding HALFVEC,
    embedding_model TEXT DEFAULT '' NOT NULL,
    next_embedding HALFVEC,
    next_model TEXT DEFAULT '' NOT NULL,
    confirmations INTEGER DEFAULT '0' NOT NULL,
    confirmed_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    valid_from TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    valid_to TIMESTAMP WITH TIME ZONE,
    superseded_by TEXT,
    state TEXT DEFAULT 'active' NOT NULL,
    recheck BOOLEAN DEFAULT 'false' NOT NULL,
    meta JSONB DEFAULT '{}' NOT NULL,
    cycle_id TEXT,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    -- What recall's words ask of a memory: those of 2,000 postings are told by the key without the wide rows.
    PRIMARY KEY (tenant, id)
        INCLUDE (term_count, thread, state, recheck, valid_from, valid_to, superseded_by, workspace, user_id)
);

CREATE TABLE bio.memory_terms (
    tenant TEXT NOT NULL,
    term TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    frequency SMALLINT DEFAULT '1' NOT NULL,
    PRIMARY KEY (tenant, term, memory_id) INCLUDE (frequency)
);

CREATE TABLE bio.memory_sources (
    tenant TEXT NOT NULL,
    memory_id TEXT NOT NULL,
    episode_id TEXT NOT NULL,
    PRIMARY KEY (tenant, memory_id, episode_id)
);

CREATE TABLE bio.model_calls (
    tenant TEXT NOT NULL,
    digest TEXT NOT NULL,
    cycle_root TEXT DEFAULT '' NOT NULL,
    cycle_id TEXT DEFAULT '' NOT NULL,
    role TEXT DEFAULT '' NOT NULL,
    model_id TEXT DEFAULT '' NOT NULL,
    prompt_version TEXT DEFAULT '' NOT NULL,
    episode_ids TEXT[] DEFAULT '{}' NOT NULL,
    raw_input TEXT DEFAULT '' NOT NULL,
    raw_output TEXT DEFAULT '' NOT NULL,
    data JSONB DEFAULT '{}' NOT NULL,
    input_tokens INTEGER DEFAULT '0' NOT NULL,
    output_tokens INTEGER DEFAULT '0' NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    PRIMARY KEY (tenant, digest)
);

CREATE TABLE bio.persona_blocks (
    tenant TEXT NOT NULL,
    scope_path TEXT NOT NULL,
    agent TEXT NOT NULL,
    user_id TEXT NOT NULL,
    epoch BIGINT DEFAULT '0' NOT NULL,
    version TEXT DEFAULT '' NOT NULL,
    block TEXT DEFAULT '' NOT NULL,
    rule_ids TEXT[] DEFAULT '{}' NOT NULL,
    in_force INTEGER DEFAULT '0' NOT NULL,
    valid_until TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    PRIMARY KEY (tenant, scope_path, agent, user_id)
);

CREATE TABLE bio.reviews (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    kind TEXT DEFAULT '' NOT NULL,
    belief_id TEXT DEFAULT '' NOT NULL,
    other_id TEXT DEFAULT '' NOT NULL,
    question TEXT DEFAULT '' NOT NULL,
    state TEXT DEFAULT 'open' NOT NULL,
    decided_by TEXT DEFAULT '' NOT NULL,
    why TEXT DEFAULT '' NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    decided_at TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (tenant, id)
);

CREATE TABLE bio.tenants (
    tenant TEXT NOT NULL,
    name TEXT DEFAULT '' NOT NULL,
    secret BYTEA NOT NULL,
    time_zone TEXT DEFAULT 'UTC' NOT NULL,
    review_mode BOOLEAN DEFAULT 'false' NOT NULL,
    blackouts JSONB DEFAULT '[]' NOT NULL,
    limits JSONB DEFAULT '{}' NOT NULL,
    persona_epoch BIGINT DEFAULT '1' NOT NULL,
    last_served_at TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    PRIMARY KEY (tenant)
);

CREATE TABLE bio.tombstones (
    tenant TEXT NOT NULL,
    subject TEXT NOT NULL,
    keyed_hash TEXT DEFAULT '' NOT NULL,
    reason TEXT DEFAULT '' NOT NULL,
    occurred_at TIMESTAMP WITH TIME ZONE,
    at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    PRIMARY KEY (tenant, subject)
);

CREATE TABLE bio.usage (
    tenant TEXT NOT NULL,
    day DATE NOT NULL,
    what TEXT NOT NULL,
    amount BIGINT DEFAULT '0' NOT NULL,
    PRIMARY KEY (tenant, day, what)
);

CREATE TABLE bio.working_states (
    tenant TEXT NOT NULL,
    workspace TEXT NOT NULL,
    session TEXT NOT NULL,
    state JSONB DEFAULT '{}' NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    PRIMARY KEY (tenant, workspace, session)
);

CREATE TABLE bio.attempts (
    tenant TEXT NOT NULL,
    workspace TEXT NOT NULL,
    goal_form TEXT NOT NULL,
    act_form TEXT NOT NULL,
    worked INTEGER DEFAULT '0' NOT NULL,
    failed INTEGER DEFAULT '0' NOT NULL,
    nowhere INTEGER DEFAULT '0' NOT NULL,
    error_token TEXT DEFAULT '' NOT NULL,
    risky BOOLEAN DEFAULT 'false' NOT NULL,
    last_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    PRIMARY KEY (tenant, workspace, goal_form, act_form)
);

CREATE TABLE bio.vector_states (
    tenant TEXT NOT NULL,
    answers_with TEXT DEFAULT '' NOT NULL,
    index_model TEXT DEFAULT '' NOT NULL,
    index_dimensions INTEGER DEFAULT '0' NOT NULL,
    lease_owner TEXT DEFAULT '' NOT NULL,
    lease_until TIMESTAMP WITH TIME ZONE,
    updated_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    PRIMARY KEY (tenant)
);

CREATE TABLE bio.verdicts (
    tenant TEXT NOT NULL,
    pair TEXT NOT NULL,
    model_id TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    relation TEXT DEFAULT '' NOT NULL,
    exception_of TEXT DEFAULT '' NOT NULL,
    confidence FLOAT DEFAULT '0.0' NOT NULL,
    created_at TIMESTAMP WITH TIME ZONE DEFAULT bio.now() NOT NULL,
    PRIMARY KEY (tenant, pair, model_id, prompt_version)
);

create index episodes_new on bio.episodes (tenant, workspace, agent, seq) where state in ('open', 'waiting');
create index episodes_session on bio.episodes (tenant, session, seq);
create index episodes_unresolved on bio.episodes (tenant, workspace, agent) where unresolved;
create index episodes_resolved_by on bio.episodes (tenant, resolved_by) where resolved_by is not null;
create index episodes_seq on bio.episodes (tenant, seq);
create index episodes_ageing on bio.episodes (tenant, workspace, agent) where state = 'considered' and not cited;
create index episodes_cycle on bio.episodes (tenant, cycle_id) where cycle_id is not null;
create unique index cycles_one_running on bio.cycles (tenant, workspace, agent) where state = 'running';
create index cycles_live on bio.cycles (tenant, lease_until) where state in ('running', 'queued');
create index model_calls_root on bio.model_calls (tenant, cycle_root, role);
create index model_calls_episodes on bio.model_calls using gin (episode_ids);
create unique index beliefs_one_active on bio.beliefs (tenant, scope_path, scope_agent, scope_user, canonical_key)
    where state in ('proposed', 'reinforced', 'stable', 'challenged', 'quarantined');
create index beliefs_state on bio.beliefs (tenant, state, scope_path);
-- What speaks to a caller, in the order of the prompt block; `speaking` in beliefs.py asks in the same words.
create index beliefs_speaking on bio.beliefs (tenant, scope_path, scope_agent, scope_user, (layer <> 'core'),
    (rank <> 'owner'), (hurt - helped), created_at, id collate "C") include (layer, state, confidence, valid_from, valid_to)
    where state in ('proposed', 'reinforced', 'stable', 'challenged') and not recheck and rendering <> ''
        and (layer = 'core' or rank <> 'untrusted' and (state = 'stable' or state = 'reinforced'
             or state = 'challenged' and rank = 'owner'));
create index beliefs_key on bio.beliefs (tenant, canonical_key);
create index beliefs_search on bio.beliefs using gin (to_tsvector('simple', search));
create index belief_history_of on bio.belief_history (tenant, belief_id, seq);
create index evidence_episode on bio.evidence (tenant, episode_id);
create index memories_scope on bio.memories (tenant, workspace, state, kind);
create index memories_model on bio.memories (tenant, embedding_model);
create index memories_thread on bio.memories (tenant, thread, position) where thread <> '';
create index memory_terms_memory on bio.memory_terms (tenant, memory_id);
create index memories_entities on bio.memories using gin (entities);
create index memory_sources_episode on bio.memory_sources (tenant, episode_id);
create index edges_target on bio.edges (tenant, target, relation);
create index exceptions_belief on bio.exceptions (tenant, belief_id);
create index reviews_open on bio.reviews (tenant, state);
create index audit_episode on bio.audit (tenant, episode_id) where episode_id <> '';
create index audit_subject on bio.audit (tenant, subject);
create index audit_unsealed on bio.audit (tenant, seq) where seal = '';

-- What a belief said and how it stood after each transaction that changed it: for readings of the past, and for undo.
-- One row a transaction; counters of use alone make none.
create function bio.keep_belief() returns trigger language plpgsql set search_path = pg_catalog as $$
declare
    left_as jsonb = to_jsonb(new) - array['tenant', 'embedding', 'injected'];
    newest bigint;
begin
    select max(h.seq) into newest from bio.belief_history h where h.tenant = new.tenant and h.belief_id = new.id;
    update bio.belief_history h set snapshot = left_as
        where h.tenant = new.tenant and h.seq = newest and h.at = bio.now();
    if not found then
        insert into bio.belief_history (tenant, belief_id, snapshot) values (new.tenant, new.id, left_as);
    end if;
    return null;
end $$;

create trigger keep_new after insert on bio.beliefs for each row execute function bio.keep_belief();
create trigger keep_changed after update of content, rendering, model_text, search, lang, canonical_key, canonical, acts, kind,
    layer, scope_path, scope_agent, scope_user, state, directive, pair, needs_person, approved_by, disputed, recheck, alpha,
    beta, confidence, support_count, contradiction_count, independent, rank, helped, hurt, valid_from, valid_to, superseded_by
    on bio.beliefs for each row execute function bio.keep_belief();

-- The vector index of the transaction's own tenant, for one model: what the application may make of it without the right to
-- change a table. It holds writes to memories back while it is built, seconds for some thousand rows; a large one is built
-- from outside, concurrently, under the same name.
create function bio.index_vectors(model text, dimensions int) returns void
    language plpgsql security definer set search_path = pg_catalog, public set lock_timeout = '3s'
    set maintenance_work_mem = '256MB' as $$
declare
    own text = nullif(current_setting('bio.tenant', true), '');
begin
    if own is null or dimensions not between 1 and 4000 then
        raise exception 'an index needs a tenant and 1 to 4000 dimensions, not %', dimensions;
    end if;
    execute format(
        'create index if not exists memories_near_%s on bio.memories using hnsw ((embedding::halfvec(%s)) halfvec_cosine_ops)'
        ' where tenant = %L and embedding_model = %L', left(md5(own || chr(10) || model), 24), dimensions, own, model);
end $$;
create function bio.unindex_vectors(model text) returns void
    language plpgsql security definer set search_path = pg_catalog, public set lock_timeout = '1s' as $$
declare
    own text = nullif(current_setting('bio.tenant', true), '');
begin
    execute format('drop index if exists bio.memories_near_%s', left(md5(own || chr(10) || model), 24));
end $$;
revoke all on function bio.index_vectors(text, int), bio.unindex_vectors(text) from public;
grant execute on function bio.index_vectors(text, int), bio.unindex_vectors(text) to bio_app;
