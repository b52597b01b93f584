"""The tables, as SQLModel classes; every one carries its tenant first and lives in the Postgres schema `bio`.

The migrations create them (with row-level security and roles, which metadata cannot say); a test compares the two.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    Date,
    DateTime,
    Float,
    Identity,
    Integer,
    LargeBinary,
    SmallInteger,
    Text,
)
from sqlalchemy.dialects.postgresql import JSONB, REAL
from sqlmodel import Field, MetaData, SQLModel

SCHEMA = "bio"

metadata = MetaData(schema=SCHEMA)


class _Row(SQLModel):
    metadata: ClassVar[MetaData] = metadata


def _text(default: str | None = "", **kw: Any) -> Any:
    server: dict[str, Any] = {} if default is None else {"sa_column_kwargs": {"server_default": default}}
    return Field(default=default, sa_type=Text, **server, **kw)


def _time(**kw: Any) -> Any:
    return Field(sa_type=DateTime(timezone=True), **kw)


def _now(**kw: Any) -> Any:
    from sqlalchemy import text

    return Field(
        default=None,
        sa_type=DateTime(timezone=True),
        nullable=False,
        sa_column_kwargs={"server_default": text("bio.now()")},
        **kw,
    )


def _json(default: str = "{}") -> Any:
    return Field(
        default_factory=dict if default == "{}" else list,
        sa_type=JSONB,
        sa_column_kwargs={"server_default": default},
        nullable=False,
    )


def _list() -> Any:
    return Field(
        default_factory=list,
        sa_type=ARRAY(Text),
        sa_column_kwargs={"server_default": "{}"},
        nullable=False,
    )


def _int(default: int = 0, big: bool = False) -> Any:
    return Field(
        default=default,
        sa_type=BigInteger if big else Integer,
        sa_column_kwargs={"server_default": str(default)},
        nullable=False,
    )


def _float(default: float = 0.0) -> Any:
    return Field(default=default, sa_type=Float, sa_column_kwargs={"server_default": str(default)}, nullable=False)


def _bool(default: bool = False) -> Any:
    return Field(
        default=default,
        sa_type=Boolean,
        sa_column_kwargs={"server_default": "true" if default else "false"},
        nullable=False,
    )


class TenantRow(_Row, table=True):
    """One customer. `secret` keys its hashes; `persona_epoch` moves whenever what may be injected changed."""

    __tablename__ = "tenants"
    tenant: str = Field(sa_type=Text, primary_key=True)
    name: str = _text()
    secret: bytes = Field(sa_type=LargeBinary)
    time_zone: str = _text("UTC")
    review_mode: bool = _bool()
    blackouts: list[Any] = _json("[]")
    limits: dict[str, Any] = _json()
    persona_epoch: int = _int(1, big=True)
    last_served_at: datetime | None = _time(default=None, nullable=True)
    created_at: datetime = _now()


class ApiKeyRow(_Row, table=True):
    """A program's credential: only its hash is kept. `ceiling`: the highest provenance it may claim."""

    __tablename__ = "api_keys"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    prefix: str = _text()
    hash: str = _text(unique=True)
    ceiling: str = _text("agent")
    created_at: datetime = _now()
    expires_at: datetime | None = _time(default=None, nullable=True)
    revoked_at: datetime | None = _time(default=None, nullable=True)


class EpisodeRow(_Row, table=True):
    """L1: one row an observation. The primary key makes intake exactly-once."""

    __tablename__ = "episodes"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    seq: int | None = Field(default=None, sa_type=BigInteger, sa_column_args=(Identity(always=True),), nullable=False)
    content_hash: str = _text()
    workspace: str = _text("default")
    agent: str = _text("default")
    user_id: str = _text()
    session: str = _text()
    turn: str = _text()
    kind: str = _text("event")
    source: str = _text()
    origin: str = _text()
    speaker: str = _text()
    host: str = _text()
    call_id: str = _text()
    provenance: str = _text("untrusted")
    content: str = _text()
    last_content: str = _text()
    tool: str = _text()
    tool_input: Any = Field(default=None, sa_type=JSONB(none_as_null=True), nullable=True)
    command: str = _text()
    act_form: str = _text()
    exit_code: int | None = Field(default=None, sa_type=Integer, nullable=True)
    is_failure: bool = _bool()
    error_token: str = _text()
    severity: float = Field(default=0.2, sa_type=REAL, sa_column_kwargs={"server_default": "0.2"}, nullable=False)
    duration_ms: int | None = Field(default=None, sa_type=Integer, nullable=True)
    cwd: str = _text()
    task: str = _text()
    goal: str = _text()
    mode: str = _text("normal")
    project_version: str = _text()
    entities: list[str] = _list()
    meta: dict[str, Any] = _json()
    occurred_at: datetime = _time()
    received_at: datetime = _now()
    template: str = _text()
    novelty: float = Field(default=1.0, sa_type=REAL, sa_column_kwargs={"server_default": "1"}, nullable=False)
    salience: float | None = Field(default=None, sa_type=REAL, nullable=True)
    task_relevance: float | None = Field(default=None, sa_type=REAL, nullable=True)
    recalled: bool = _bool()
    directive: bool = _bool()
    state: str = _text("open")
    unresolved: bool = _bool()
    resolved_by: str | None = _text(None, nullable=True)
    folded: int = _int(1)
    folded_into: str | None = _text(None, nullable=True)
    importance: int | None = Field(default=None, sa_type=SmallInteger, nullable=True)
    topic: str = _text()
    tags: list[str] = _list()
    labelled_by: str = _text()
    label_reason: str = _text()
    cycle_id: str | None = _text(None, nullable=True)
    considered_at: datetime | None = _time(default=None, nullable=True)
    cited: bool = _bool()
    age_cycles: int = _int()
    aged_at: datetime | None = _time(default=None, nullable=True)
    attempts: int = _int()


class L1ScopeRow(_Row, table=True):
    """An L1 scope (tenant, workspace, agent): what the dispatcher needs to know, and nothing of the content."""

    __tablename__ = "l1_scopes"
    tenant: str = Field(sa_type=Text, primary_key=True)
    workspace: str = Field(sa_type=Text, primary_key=True)
    agent: str = Field(sa_type=Text, primary_key=True)
    new_count: int = _int()
    oldest_new_at: datetime | None = _time(default=None, nullable=True)
    last_arrival_at: datetime | None = _time(default=None, nullable=True)
    stress: float = _float()
    directive_waiting: bool = _bool()
    session_ended: bool = _bool()
    requested_at: datetime | None = _time(default=None, nullable=True)
    cycles_done: int = _int(0, big=True)
    last_cycle_at: datetime | None = _time(default=None, nullable=True)
    held_until: datetime | None = _time(default=None, nullable=True)


class CycleRow(_Row, table=True):
    """One consolidation of one batch. `stage` is the next stage to run; `fence` moves with every taker."""

    __tablename__ = "cycles"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    workspace: str = _text("default")
    agent: str = _text("default")
    trigger: str = _text()
    state: str = _text("running")
    stage: str = _text("label")
    fence: int = _int(1, big=True)
    lease_owner: str = _text()
    lease_until: datetime | None = _time(default=None, nullable=True)
    not_before: datetime | None = _time(default=None, nullable=True)
    attempts: int = _int()
    root: str = _text()
    episode_ids: list[str] = _list()
    outputs: dict[str, Any] = _json()
    counts: dict[str, Any] = _json()
    error: str = _text()
    created_at: datetime = _now()
    updated_at: datetime = _now()
    finished_at: datetime | None = _time(default=None, nullable=True)


class ModelCallRow(_Row, table=True):
    """A model's raw input and output under its request digest: a retry does not pay twice, replay shows it."""

    __tablename__ = "model_calls"
    tenant: str = Field(sa_type=Text, primary_key=True)
    digest: str = Field(sa_type=Text, primary_key=True)
    cycle_root: str = _text()
    cycle_id: str = _text()
    role: str = _text()
    model_id: str = _text()
    prompt_version: str = _text()
    episode_ids: list[str] = _list()
    raw_input: str = _text()
    raw_output: str = _text()
    data: dict[str, Any] = _json()
    input_tokens: int = _int()
    output_tokens: int = _int()
    created_at: datetime = _now()


class MemoryRow(_Row, table=True):
    """L2: what is remembered and can be recalled."""

    __tablename__ = "memories"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    kind: str = _text("episodic")
    type: str = _text()
    content: str = _text()
    term_count: int = _int()
    thread: str = _text()
    position: int = _int()
    occurred_at: datetime = _now()
    workspace: str = _text("default")
    agent: str = _text()
    user_id: str = _text()
    source: str = _text()
    origin: str = _text()
    provenance: str = _text("untrusted")
    tags: list[str] = _list()
    entities: list[str] = _list()
    importance: int = _int(5)
    confidence: float = _float(0.5)
    severity: float = _float(0.2)
    mode: str = _text("normal")
    stress_band: str = _text("calm")
    lang: str = _text("en")
    embedding: Any = Field(default=None, sa_type=HALFVEC(), nullable=True)
    embedding_model: str = _text()
    next_embedding: Any = Field(default=None, sa_type=HALFVEC(), nullable=True)
    next_model: str = _text()
    confirmations: int = _int()
    confirmed_at: datetime = _now()
    valid_from: datetime = _now()
    valid_to: datetime | None = _time(default=None, nullable=True)
    superseded_by: str | None = _text(None, nullable=True)
    state: str = _text("active")
    recheck: bool = _bool()
    meta: dict[str, Any] = _json()
    cycle_id: str | None = _text(None, nullable=True)
    created_at: datetime = _now()
    updated_at: datetime = _now()


class VectorStateRow(_Row, table=True):
    """Which model's vectors answer a tenant's questions, which index of them is wanted, and who is embedding anew."""

    __tablename__ = "vector_states"
    tenant: str = Field(sa_type=Text, primary_key=True)
    answers_with: str = _text()
    index_model: str = _text()
    index_dimensions: int = _int()
    lease_owner: str = _text()
    lease_until: datetime | None = _time(default=None, nullable=True)
    updated_at: datetime = _now()


class BeliefRow(_Row, table=True):
    """A rule with its life. `content` is what a person reads, `rendering` what may enter a prompt (may be empty)."""

    __tablename__ = "beliefs"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    content: str = _text()
    rendering: str = _text()
    model_text: str = _text()
    search: str = _text()
    lang: str = _text("en")
    canonical_key: str = _text()
    canonical: dict[str, Any] = _json()
    acts: dict[str, Any] = _json()
    kind: str = _text("procedural")
    layer: str = _text("adaptive")
    scope_path: str = _text()
    scope_agent: str = _text()
    scope_user: str = _text()
    state: str = _text("proposed")
    directive: bool = _bool()
    pair: bool = _bool()
    needs_person: bool = _bool()
    approved_by: str = _text()
    disputed: bool = _bool()
    recheck: bool = _bool()
    compiled_confidence: float = _float(0.5)
    alpha: float = _float(1.0)
    beta: float = _float(1.0)
    confidence: float = _float(0.5)
    support_count: int = _int()
    contradiction_count: int = _int()
    independent: int = _int()
    rank: str = _text("untrusted")
    injected: int = _int()
    helped: int = _int()
    hurt: int = _int()
    embedding: Any = Field(default=None, sa_type=HALFVEC(), nullable=True)
    embedding_model: str = _text()
    valid_from: datetime = _now()
    valid_to: datetime | None = _time(default=None, nullable=True)
    superseded_by: str | None = _text(None, nullable=True)
    version: int = _int(1)
    cause: str = _text()
    cycle_id: str | None = _text(None, nullable=True)
    created_at: datetime = _now()
    updated_at: datetime = _now()


class BeliefHistoryRow(_Row, table=True):
    """A belief as a transaction left it; the database's own trigger writes it, so that no writer can forget to."""

    __tablename__ = "belief_history"
    tenant: str = Field(sa_type=Text, primary_key=True)
    seq: int | None = Field(default=None, sa_type=BigInteger, sa_column_args=(Identity(always=True),), primary_key=True)
    belief_id: str = _text()
    at: datetime = _now()
    snapshot: dict[str, Any] = _json()


class EvidenceRow(_Row, table=True):
    """One episode counts once per belief: that is the primary key."""

    __tablename__ = "evidence"
    tenant: str = Field(sa_type=Text, primary_key=True)
    belief_id: str = Field(sa_type=Text, primary_key=True)
    episode_id: str = Field(sa_type=Text, primary_key=True)
    supports: bool = _bool(True)
    trust: str = _text("untrusted")
    speaker: str = _text()
    origin: str = _text()
    session: str = _text()
    pair: bool = _bool()
    cycle_id: str | None = _text(None, nullable=True)
    at: datetime = _now()
    retracted_at: datetime | None = _time(default=None, nullable=True)


class MemoryTermRow(_Row, table=True):
    """The inverted index of recall by words: a term, a memory that holds it and how often."""

    __tablename__ = "memory_terms"
    tenant: str = Field(sa_type=Text, primary_key=True)
    term: str = Field(sa_type=Text, primary_key=True)
    memory_id: str = Field(sa_type=Text, primary_key=True)
    frequency: int = Field(default=1, sa_type=SmallInteger, sa_column_kwargs={"server_default": "1"}, nullable=False)


class MemorySourceRow(_Row, table=True):
    __tablename__ = "memory_sources"
    tenant: str = Field(sa_type=Text, primary_key=True)
    memory_id: str = Field(sa_type=Text, primary_key=True)
    episode_id: str = Field(sa_type=Text, primary_key=True)


class EdgeRow(_Row, table=True):
    """The graph. A node is a typed id: `belief:…`, `memory:…`, `episode:…`, `entity:…`."""

    __tablename__ = "edges"
    tenant: str = Field(sa_type=Text, primary_key=True)
    source: str = Field(sa_type=Text, primary_key=True)
    relation: str = Field(sa_type=Text, primary_key=True)
    target: str = Field(sa_type=Text, primary_key=True)
    weight: float = _float(1.0)
    props: dict[str, Any] = _json()
    created_at: datetime = _now()


class ReviewRow(_Row, table=True):
    """Something only a person decides: a tie, a challenge to an owner's rule, a rule that must wait."""

    __tablename__ = "reviews"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    kind: str = _text()
    belief_id: str = _text()
    other_id: str = _text()
    question: str = _text()
    state: str = _text("open")
    decided_by: str = _text()
    why: str = _text()
    created_at: datetime = _now()
    decided_at: datetime | None = _time(default=None, nullable=True)


class ExceptionRow(_Row, table=True):
    """A governed exception to a belief; it applies only while approved, unexpired and within its bounds."""

    __tablename__ = "exceptions"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    belief_id: str = _text()
    text: str = _text()
    policy: str = _text()
    bounds: dict[str, Any] = _json()
    state: str = _text("proposed")
    proposed_by: str = _text()
    approved_by: str = _text()
    why: str = _text()
    valid_from: datetime = _now()
    expires_at: datetime | None = _time(default=None, nullable=True)
    created_at: datetime = _now()
    updated_at: datetime = _now()


class GuardFactRow(_Row, table=True):
    """A failure without a fix: warns on the same canonical command until its next success."""

    __tablename__ = "guard_facts"
    tenant: str = Field(sa_type=Text, primary_key=True)
    workspace: str = Field(sa_type=Text, primary_key=True)
    act_form: str = Field(sa_type=Text, primary_key=True)
    act: dict[str, Any] = _json()
    error_token: str = _text()
    failures: int = _int()
    last_failed_at: datetime | None = _time(default=None, nullable=True)
    last_succeeded_at: datetime | None = _time(default=None, nullable=True)
    last_episode_id: str = _text()
    last_seq: int = _int(0, big=True)


class PersonaBlockRow(_Row, table=True):
    """The prompt block last rendered for a caller; stays byte-identical until the tenant's epoch moves."""

    __tablename__ = "persona_blocks"
    tenant: str = Field(sa_type=Text, primary_key=True)
    scope_path: str = Field(sa_type=Text, primary_key=True)
    agent: str = Field(sa_type=Text, primary_key=True)
    user_id: str = Field(sa_type=Text, primary_key=True)
    epoch: int = _int(0, big=True)
    version: str = _text()
    block: str = _text()
    rule_ids: list[str] = _list()
    in_force: int = _int(0)
    valid_until: datetime | None = _time(default=None, nullable=True)
    created_at: datetime = _now()


class InjectionRow(_Row, table=True):
    """A rule that a session had before it: in its block, as a hint or as a warning. Credited at most once."""

    __tablename__ = "injections"
    tenant: str = Field(sa_type=Text, primary_key=True)
    session: str = Field(sa_type=Text, primary_key=True)
    rule_id: str = Field(sa_type=Text, primary_key=True)
    how: str = _text("block")
    command: str = _text()
    credited: str = _text()
    at: datetime = _now()


class WorkingStateRow(_Row, table=True):
    """What a session has in hand: tasks, goals, surroundings, acts. `state`: as `brain/working.py` dumps it."""

    __tablename__ = "working_states"
    tenant: str = Field(sa_type=Text, primary_key=True)
    workspace: str = Field(sa_type=Text, primary_key=True)
    session: str = Field(sa_type=Text, primary_key=True)
    state: dict[str, Any] = _json()
    updated_at: datetime = _now()


class AttemptRow(_Row, table=True):
    """How an act ended under a goal, in a workspace; `act_form` is empty for how the goal itself ended."""

    __tablename__ = "attempts"
    tenant: str = Field(sa_type=Text, primary_key=True)
    workspace: str = Field(sa_type=Text, primary_key=True)
    goal_form: str = Field(sa_type=Text, primary_key=True)
    act_form: str = Field(sa_type=Text, primary_key=True)
    worked: int = _int()
    failed: int = _int()
    nowhere: int = _int()
    error_token: str = _text()
    risky: bool = _bool()
    last_at: datetime = _now()


class UsageRow(_Row, table=True):
    """What a tenant used on a day of UTC: "observations", "tokens", and the tokens of each stage and model."""

    __tablename__ = "usage"
    tenant: str = Field(sa_type=Text, primary_key=True)
    day: date = Field(sa_type=Date, primary_key=True)
    what: str = Field(sa_type=Text, primary_key=True)
    amount: int = _int(big=True)


class VerdictRow(_Row, table=True):
    """A cached judgement of a pair of texts, direction kept relative to the sorted order of the two."""

    __tablename__ = "verdicts"
    tenant: str = Field(sa_type=Text, primary_key=True)
    pair: str = Field(sa_type=Text, primary_key=True)
    model_id: str = Field(sa_type=Text, primary_key=True)
    prompt_version: str = Field(sa_type=Text, primary_key=True)
    relation: str = _text()
    exception_of: str = _text()
    confidence: float = _float()
    created_at: datetime = _now()


class AuditRow(_Row, table=True):
    """Every step, written in the changing transaction: ids, states, numbers and keyed hashes, never text."""

    __tablename__ = "audit"
    tenant: str = Field(sa_type=Text, primary_key=True)
    seq: int | None = Field(default=None, sa_type=BigInteger, sa_column_args=(Identity(always=True),), primary_key=True)
    at: datetime = _now()
    actor: str = _text()
    act: str = _text()
    subject: str = _text()
    episode_id: str = _text()
    cycle_id: str = _text()
    cause: str = _text()
    before: str = _text()
    after: str = _text()
    data: dict[str, Any] = _json()
    instance: str = _text()
    seal: str = _text()


class TombstoneRow(_Row, table=True):
    """What stays of forgotten content: a keyed hash, times and the reason."""

    __tablename__ = "tombstones"
    tenant: str = Field(sa_type=Text, primary_key=True)
    subject: str = Field(sa_type=Text, primary_key=True)
    keyed_hash: str = _text()
    reason: str = _text()
    occurred_at: datetime | None = _time(default=None, nullable=True)
    at: datetime = _now()


class DeadLetterRow(_Row, table=True):
    """What could not be processed, with its cause; visible and re-drivable."""

    __tablename__ = "dead_letters"
    tenant: str = Field(sa_type=Text, primary_key=True)
    id: str = Field(sa_type=Text, primary_key=True)
    kind: str = _text("episode")
    subject: str = _text()
    stage: str = _text()
    cause: str = _text()
    attempts: int = _int()
    payload: str = _text()
    created_at: datetime = _now()
    redriven_at: datetime | None = _time(default=None, nullable=True)


class DreamRunRow(_Row, table=True):
    """One dream per tenant and slot, however many beats run.

    state: running, done, left (another took the place), asking (a person is asked whether it may go on), approved (it may),
    stopped (it may not). night: local date, whose allowance of changes it uses. cursor: where the step stands.
    """

    __tablename__ = "dream_runs"
    tenant: str = Field(sa_type=Text, primary_key=True)
    slot: str = Field(sa_type=Text, primary_key=True)
    night: str = _text()
    state: str = _text("running")
    fence: int = _int(1, big=True)
    lease_until: datetime | None = _time(default=None, nullable=True)
    step: str = _text()
    cursor: str = _text()
    finished_steps: list[str] = _list()
    changed: int = _int()
    lifted: bool = _bool()
    calls: int = _int()
    tokens: int = _int()
    stats: dict[str, Any] = _json()
    journal: list[Any] = _json("[]")
    started_at: datetime = _now()
    finished_at: datetime | None = _time(default=None, nullable=True)


TENANT_TABLES = [t.name for t in metadata.sorted_tables]
