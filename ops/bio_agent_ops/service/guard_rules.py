"""A tenant's rules as the guard reads them: compiled once, indexed, and kept in this process until something changed."""

from __future__ import annotations

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from functools import cache, lru_cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import bindparam, text
from sqlmodel import Session

from bio_agent_ops import data
from bio_agent_ops.service.guard_calls import call_of, comparable
from bio_agent_ops.service.wording import REWORDED
from bio_agent_schema.beliefs import ACTIVE
from bio_agent_schema.tables import BeliefRow
from bio_agent_schema.types import Act, BeliefState, Layer, Polarity, Provenance, RuleLine, Scope
from bio_agent_workers import shell
from bio_agent_workers.brain import scopes
from bio_agent_workers.brain.guarding import model_forms
from bio_agent_workers.brain.guarding.act_forms import act_from
from bio_agent_workers.brain.guarding.decision import MatchKind
from bio_agent_workers.brain.guarding.matching import read_rule
from bio_agent_workers.brain.guarding.model_forms import Form, example
from bio_agent_workers.brain.guarding.rule_clause import wants_asking
from bio_agent_workers.brain.guarding.rule_index import Key, RuleIndex, keys_of_act, keys_of_text
from bio_agent_workers.brain.guarding.sentences import read_sentence
from bio_agent_workers.brain.relations.canonical import canonicalize
from bio_agent_workers.rule_forms import LITERAL, mark_of

SPEAKING = frozenset({BeliefState.REINFORCED, BeliefState.STABLE, BeliefState.CHALLENGED})
MAX_TENANTS = 64  # whose rules are kept compiled; the one asked longest ago goes first
MANY = 1_000  # active rules; looking through so many for what changed takes longer than matching a call
PAGE = 500  # rows read at once, so that other threads come to their turn
EVERYDAY = Path(data.__file__).with_name("harmless_commands.txt")
OF_EVERYDAY = 1  # of 121 such commands, which a form may meet: `git push` is one of them
LOOK_S = 1.0  # for which the tenant's epoch and the number of its rules say enough where there are many

_MOMENT = "select t.persona_epoch, t.time_zone, bio.now() as now"
_OF = "from bio.beliefs where tenant = t.tenant and state in :states"
_STATE = text(
    f"""
    {_MOMENT}, b.active, b.n, b.newest from bio.tenants t, lateral (
        select count(*) as active, count(*) filter (where not recheck) as n, max(updated_at) filter (where not recheck) as newest
        {_OF}) b
    where t.tenant = :t
    """
).bindparams(bindparam("states", expanding=True))
# The same without what only the rows themselves can tell: an index answers it.
_GLANCE = text(
    f"{_MOMENT}, b.active from bio.tenants t, lateral (select count(*) as active {_OF}) b where t.tenant = :t"
).bindparams(bindparam("states", expanding=True))
# Which version of each row there is, in one value: ids hold no spaces, and xmin is another after each change of the row.
_VERSIONS = text(
    """
    select string_agg(id || ' ' || cast(xmin as text), ' ') from bio.beliefs
    where tenant = :t and state in :states and not recheck
    """
).bindparams(bindparam("states", expanding=True))
_ROWS = text(
    """
    select id, version, content, rendering, lang, canonical ->> 'polarity' as polarity, acts, forms, layer, scope_path, scope_agent,
        scope_user, state, directive, approved_by, disputed, confidence, rank, injected, helped, hurt, valid_from, valid_to,
        created_at, updated_at
    from bio.beliefs where tenant = :t and id = any(:ids) and state in :states and not recheck
    """
).bindparams(bindparam("states", expanding=True))


@dataclass(frozen=True, slots=True)
class GuardRule:
    """One active rule, ready to be matched. failed, fixed: the slots of a rule learned from acts, else None; text: a
    person's words. keys: see `rule_index`. by_words: the text is matched (besides
    the acts, where a person reworded a learned rule). lang: of the text."""

    id: str
    version: int
    text: str
    polarity: Polarity
    failed: Act | None
    fixed: Act | None
    kind: MatchKind
    line: RuleLine
    valid_from: datetime
    valid_to: datetime | None
    keys: tuple[Key, ...]
    by_words: bool
    lang: str
    forms: tuple[Form, ...] = ()

    def in_time(self, now: datetime) -> bool:
        return self.valid_from <= now and (self.valid_to is None or now < self.valid_to)


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one tenant at one moment. mark: what tells whether they still are; glance: the part of it that is
    cheaply known; looked: when the whole mark was last compared (monotonic seconds); versions: of all active rows, also of
    those that do not speak; formed: whether a model read any of the rules."""

    mark: tuple[Any, ...]
    glance: tuple[Any, ...]
    looked: float
    index: RuleIndex[GuardRule]
    by_id: Mapping[str, GuardRule]
    versions: Mapping[str, str]
    formed: bool


@dataclass(frozen=True, slots=True)
class Moment:
    """The database's clock, and the tenant's time zone."""

    now: datetime
    zone: tzinfo


class GuardRules:
    """Rules of all tenants asked about, compiled. A change is seen at the next question, by the tenant's epoch and by
    the number and the newest change of its active rules; among MANY rules one that moves neither the epoch nor their
    number (a ground was erased) within LOOK_S. Only what changed is read and compiled again."""

    def __init__(self) -> None:
        self._sets: OrderedDict[tuple[str, str], RuleSet] = OrderedDict()
        self._making: dict[tuple[str, str], threading.Lock] = {}
        self._lock = threading.Lock()

    def of(self, session: Session, tenant: str, database: str) -> tuple[RuleSet, Moment]:
        """The tenant's rules as its transaction sees them. database: which one, for tests with several."""
        key, asked = (database, tenant), {"t": tenant, "states": list(ACTIVE)}
        known = self._known(key)
        if known is not None and len(known.versions) > MANY and time.monotonic() - known.looked < LOOK_S:
            row = session.execute(_GLANCE, asked).one()
            if known.glance == (row.persona_epoch, row.active):
                return known, Moment(row.now, _zone(row.time_zone))
        row = session.execute(_STATE, asked).one()
        moment, mark = Moment(row.now, _zone(row.time_zone)), (row.persona_epoch, row.n, row.newest)
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:  # who comes meanwhile waits for what is being made instead of making it too
            known, looked = self._known(key), time.monotonic()
            if known is not None and known.mark == mark:
                made = replace(known, looked=looked)
            else:
                made = _made(session, asked, mark, (row.persona_epoch, row.active), looked, known)
            with self._lock:
                self._sets[key] = made
                self._sets.move_to_end(key)
                while len(self._sets) > MAX_TENANTS:
                    self._making.pop(self._sets.popitem(last=False)[0], None)
        return made, moment

    def _known(self, key: tuple[str, str]) -> RuleSet | None:
        with self._lock:
            known = self._sets.get(key)
            if known is not None:
                self._sets.move_to_end(key)
            return known


def _made(
    session: Session, asked: dict[str, Any], mark: tuple[Any, ...], glance: tuple[Any, ...], looked: float,
    before: RuleSet | None,
) -> RuleSet:  # fmt: skip
    words = (session.execute(_VERSIONS, asked).scalar() or "").split()
    versions = dict(zip(words[::2], words[1::2], strict=True))
    old = before.versions if before is not None else {}
    changed = [i for i, version in versions.items() if old.get(i) != version]
    fresh: dict[str, GuardRule] = {}
    for start in range(0, len(changed), PAGE):
        rows = session.execute(_ROWS, {**asked, "ids": changed[start : start + PAGE]})
        fresh |= {row.id: _compile(row) for row in rows if _speaks(row)}
    # A rule that no longer speaks is among the changed, and not among the fresh.
    kept = {} if before is None else {i: r for i, r in before.by_id.items() if old.get(i) == versions.get(i)}
    rules = kept | fresh
    formed = any(r.forms for r in rules.values())
    return RuleSet(mark, glance, looked, RuleIndex((r, r.keys) for r in rules.values()), rules, versions, formed)


def _speaks(row: Any) -> bool:
    return row.layer == Layer.CORE or (row.state in SPEAKING and bool(row.rendering))


def _compile(row: Any) -> GuardRule:
    acts: Mapping[str, Any] = row.acts or {}
    failed = fixed = None
    keys: Sequence[Key] = ()
    polarity = Polarity(row.polarity or canonicalize(row.content, row.lang).polarity)
    if acts:
        # "When it fails so, first do that" condemns nothing.
        if acts["kind"] == "replace":
            failed, fixed = act_from(acts["failed"]), act_from(acts["fixed"])
            keys = keys_of_act(failed)
    by_words = not acts or bool(acts.get(REWORDED))
    if by_words:
        keys = [*keys, *keys_of_text(row.content, polarity, shell.parse_pattern)]
    forms = read_forms(row.content, row.forms) if by_words else ()
    keys = [*keys, *(key for form in forms for key in keys_of_form(form))]
    kind = MatchKind.LEARNED
    if row.layer == Layer.CORE and wants_asking(row.content):
        kind = MatchKind.OWNER  # "ask me before …" is kept by asking, also as core; a block would forbid what it allows
    elif row.layer == Layer.CORE:
        kind = MatchKind.CORE
    elif row.rank == Provenance.OWNER and row.directive:
        kind = MatchKind.OWNER
    # What rests on untrusted evidence alone has no text until a person approved.
    trusted = row.rank != Provenance.UNTRUSTED or row.layer == Layer.CORE or bool(row.approved_by)
    line = RuleLine(
        id=row.id, text=row.rendering if trusted else "", layer=Layer(row.layer), state=BeliefState(row.state),
        confidence=row.confidence, rank=Provenance(row.rank), scope=_scope(row), helped=row.helped, hurt=row.hurt,
        injected=row.injected, created_at=row.created_at, disputed=row.disputed,
    )  # fmt: skip
    return GuardRule(
        row.id, row.version, row.content, polarity, failed, fixed, kind, line, row.valid_from, row.valid_to,
        tuple(keys), by_words, row.lang, forms,
    )  # fmt: skip


@lru_cache(maxsize=1024)
def _usable(given: str) -> tuple[Form, ...]:
    """The forms of a model's reply, as JSON, without those that are met by a call which the same reply says is not meant, and
    those that everyday commands meet: a form that says too little stops all work."""
    said = json.loads(given)
    spared = [comparable(call_of(*example(str(one)))) for one in said.get("not_meant") or ()]

    def met(form: Form, calls: Iterable[model_forms.Seen]) -> int:
        return sum(bool(model_forms.matches([form], one, shell.parse_pattern)) for one in calls)

    forms = model_forms.read(said.get("forms"))
    return tuple(f for f in forms if not met(f, spared) and met(f, _everyday()) <= OF_EVERYDAY)


@cache
def _everyday() -> tuple[model_forms.Seen, ...]:
    """Commands that nothing speaks against, as the bench of repeated failures has them."""
    lines = EVERYDAY.read_text(encoding="utf-8").splitlines()
    return tuple(
        comparable(call_of("Bash", {"command": one})) for one in lines if one.strip() and not one.startswith("#")
    )


def read_forms(content: str, kept: Mapping[str, Any] | None) -> tuple[Form, ...]:
    """The forms that a model read in a rule; none where they are of another text, or a person takes it literally."""
    if not kept or kept.get("of") != mark_of(content) or LITERAL in kept:
        return ()
    return _usable(json.dumps({name: kept.get(name) for name in ("forms", "not_meant")}))


def keys_of_form(form: Form) -> list[Key]:
    acts = shell.parse_pattern(form.command) if form.command else []
    if acts:
        return keys_of_act(acts[-1])
    return [("shown", word) for word in model_forms.telling(form)] or [("any tool",)]


def forms_of(rule: BeliefRow) -> list[str]:
    """What the guard matches a rule by, as a person may read it: `git push --force`, "delete: migrations, file". Empty:
    the rule is told to agents, but no call can be held against it."""
    out: list[str] = []
    acts: Mapping[str, Any] = rule.acts or {}
    if acts.get("kind") == "replace":
        out.append(f"`{acts['failed']['text']}`")
    if acts and not acts.get(REWORDED):
        return out
    said = (rule.canonical or {}).get("polarity")
    polarity = Polarity(said) if said else canonicalize(rule.content, rule.lang).polarity
    read = [f"{form} (as {rule.forms.get('by')} reads it)" for form in read_forms(rule.content, rule.forms)]
    return list(dict.fromkeys([*out, *forms_of_text(rule.content, polarity), *read]))


def is_guarded(rule: BeliefRow, forms: Sequence[str]) -> bool:
    """Whether the guard holds calls against the rule as it stands. forms: `forms_of` it."""
    speaks = rule.layer == Layer.CORE or (rule.state in SPEAKING and bool(rule.rendering))
    return bool(forms) and speaks and rule.state in ACTIVE and not rule.recheck


def forms_of_text(said: str, polarity: Polarity) -> list[str]:
    """The same of words alone."""
    if not keys_of_text(said, polarity, shell.parse_pattern):
        return []
    commands = [f"`{command}`" for command in read_rule(said).condemned]
    if commands:
        return commands
    sentence = read_sentence(said, "")
    if sentence is None:
        return []
    objects = [*sentence.paths, *sentence.names, *sentence.patterns, *sentence.things, *sentence.open_words]
    done = sorted(sentence.actions) or sentence.tools
    return [f"{act}: {', '.join(objects)}" if objects else act for act in done]


def _scope(row: Any) -> Scope:
    return scopes.parse(row.scope_path, agent=row.scope_agent, user=row.scope_user)


def _zone(name: str) -> tzinfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return UTC
