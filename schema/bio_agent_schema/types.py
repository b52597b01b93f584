"""The words of this system, in the order of the pipeline. Standard library only.

observation → episode (L1) → label → candidate (compile) → canonical candidate → memory / belief (L2) → rendering.
Frozen records: a decision is a value that the storage layer carries out, never an object that changes by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """What an observation is."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    EVENT = "event"
    STATE = "state"
    OUTCOME = "outcome"


class Provenance(StrEnum):
    """Who vouches for a piece of text; the order is the order of trust, highest first."""

    OWNER = "owner"
    SYSTEM = "system"
    AGENT = "agent"
    UNTRUSTED = "untrusted"


class EpisodeState(StrEnum):
    """Where an episode stands. `waiting`: stored, not ranked. `open`: ranked, not considered yet.
    `claimed`: in a running cycle. `considered`: a cycle ended with it. `folded`: counted in an earlier episode of the
    same template. `junk` / `forgotten`: content erased or to be. `dead`: isolated after its attempts were spent."""

    WAITING = "waiting"
    OPEN = "open"
    CLAIMED = "claimed"
    CONSIDERED = "considered"
    FOLDED = "folded"
    JUNK = "junk"
    FORGOTTEN = "forgotten"
    DEAD = "dead"


class BeliefState(StrEnum):
    PROPOSED = "proposed"
    REINFORCED = "reinforced"
    STABLE = "stable"
    CHALLENGED = "challenged"
    DEPRECATED = "deprecated"
    ARCHIVED = "archived"
    REJECTED = "rejected"
    QUARANTINED = "quarantined"


class Layer(StrEnum):
    """core: a person set it. project: reinforced or better. adaptive: still proposed."""

    CORE = "core"
    PROJECT = "project"
    ADAPTIVE = "adaptive"


class MemoryKind(StrEnum):
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    EXCEPTION = "exception"
    GOAL = "goal"
    PREFERENCE = "preference"


class Polarity(StrEnum):
    POSITIVE = "positive"
    NEGATIVE = "negative"


class Relation(StrEnum):
    CONTRADICTION = "contradiction"
    GOVERNED_EXCEPTION = "governed_exception"
    EQUIVALENT = "equivalent"
    NEUTRAL = "neutral"


class FixKind(StrEnum):
    """What a fix teaches about a failed act.

    replace: another form worked, the failed form is condemned.
    prepare: the same form worked after other acts; when it fails so, do those first. The form is not condemned.
    flaky: the same form worked with nothing between. Teaches no rule.
    """

    REPLACE = "replace"
    PREPARE = "prepare"
    FLAKY = "flaky"


class Verdict(StrEnum):
    ALLOW = "allow"
    WARN = "warn"
    NEEDS_APPROVAL = "needs_approval"
    BLOCK = "block"


class StageName(StrEnum):
    LABEL = "label"
    COMPILE = "compile"
    CANONICALIZE = "canonicalize"
    PROMOTE = "promote"
    RECONCILE = "reconcile"


@dataclass(frozen=True, slots=True)
class Scope:
    """Where a belief applies: a path of typed segments, plus optional agent and user limits.

    `path` is () for the whole tenant, or e.g. (("workspace", "web"),) or
    (("company", "VN01"), ("branch", "HCM"), ("module", "accounting")).
    """

    path: tuple[tuple[str, str], ...] = ()
    agent: str | None = None
    user: str | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """One act in canonical form: what was done, apart from how it was spelled.

    tool: the program or API ("git", "npm", "erp.post_journal"); verb: its sub-command, "" where it has none
    ("push", "run test"); flags: normalised and sorted ("--force", "--port=<n>"), leading assignments ("CI=1") among
    them, and first "@<spelling>" where it was run another way (`python -m`, `sudo`, a path); operands: what it acts
    on, with literals replaced by placeholders in `form` only. `text` is the one-line rendering with literals kept, `form`
    the same with paths, hosts, hashes, ids, dates as placeholders: the key under which failures of one kind meet.
    """

    tool: str
    verb: str
    flags: tuple[str, ...]
    operands: tuple[str, ...]
    text: str
    form: str


@dataclass(frozen=True, slots=True)
class Episode:
    """One L1 episode: an observation as stored, or several of one template folded together.

    id: the producer's idempotency key, unique within the tenant (of the first observation when folded).
    seq: order of arrival within the tenant. is_failure: decided once, at intake. severity in [0, 1].
    resolved_by: id of the episode that closed this failure.
    """

    id: str
    seq: int
    workspace: str
    agent: str
    user: str
    session: str
    turn: str
    kind: Kind
    source: str
    origin: str
    speaker: str
    provenance: Provenance
    content: str
    tool: str
    tool_input: Any
    command: str
    exit_code: int | None
    is_failure: bool
    error_token: str
    severity: float
    cwd: str
    task: str
    goal: str
    mode: str
    occurred_at: datetime
    novelty: float = 1.0
    salience: float | None = None
    task_relevance: float | None = None
    importance: int | None = None
    unresolved: bool = False
    resolved_by: str | None = None
    folded: int = 1
    last_content: str = ""
    recalled: bool = False
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Label:
    """What the label stage says of one episode. importance 1–10. decided_by: "rule" or "model"."""

    episode_id: str
    topic: str
    importance: int
    junk: bool
    transient: bool = False
    failure_kind: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    decided_by: str = "rule"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a failure and its fix teach, read off the acts alone; no model is asked.

    failed / fixed: canonical acts. between: acts that succeeded between them (prepare only).
    error_token: one error code or exception class, "" when none was recognised.
    failure_ids / fix_id / between_ids: the episodes behind it. tainted: words of the remedy that the session first saw
    in untrusted text (rendered as placeholders).
    """

    kind: FixKind
    failed: Act
    fixed: Act
    error_token: str
    failure_ids: tuple[str, ...]
    fix_id: str
    between: tuple[Act, ...] = ()
    between_ids: tuple[str, ...] = ()
    tainted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Directive:
    """A standing instruction found in what somebody said. `text`: the instruction in the speaker's own words."""

    text: str
    polarity: Polarity
    start: int
    end: int
    lang: str


@dataclass(frozen=True, slots=True)
class CanonicalRule:
    """One form for what a rule says; two texts with one key must be interchangeable.

    terms: content words of action and object after removing polarity; values: (number or name, unit) pairs;
    condition / exception: content words of such clauses; key: a stable digest-ready text of all of these.
    """

    lang: str
    polarity: Polarity
    action: tuple[str, ...]
    object: tuple[str, ...]
    condition: tuple[str, ...]
    exception: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    key: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """What compile proposes: a memory, or a rule when `is_rule`. confidence in [0, 1] after the server's clamp.

    rendering: the server's own sentence when the rule comes from acts (the only form that may be injected without a
    person), or the owner's words when it is a directive. model_text: what the model said, kept beside.
    """

    kind: MemoryKind
    text: str
    confidence: float
    cites: tuple[str, ...]
    is_rule: bool = False
    directive: bool = False
    rendering: str = ""
    model_text: str = ""
    scope: Scope = field(default_factory=Scope)
    lesson: Lesson | None = None
    entities: tuple[str, ...] = ()
    importance: int = 5
    tags: tuple[str, ...] = ()
    lang: str = "en"


@dataclass(frozen=True, slots=True)
class BeliefNumbers:
    """The numbers a belief's life is decided on. alpha / beta: pseudo-counts, confidence = alpha / (alpha + beta)."""

    alpha: float
    beta: float
    support_count: int
    contradiction_count: int
    independent: int
    sessions: int
    first_support_at: datetime
    last_support_at: datetime
    last_contradiction_at: datetime | None = None
    beta_gained_24h: float = 0.0


@dataclass(frozen=True, slots=True)
class StateChange:
    """A legal move of a belief and why; `cause` is a short code kept in the audit."""

    before: BeliefState
    after: BeliefState
    cause: str


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One rule as the prompt block and the guard see it."""

    id: str
    text: str
    layer: Layer
    state: BeliefState
    confidence: float
    rank: Provenance
    scope: Scope
    helped: int
    hurt: int
    injected: int
    created_at: datetime
    disputed: bool = False
    exceptions: Sequence[str] = ()
