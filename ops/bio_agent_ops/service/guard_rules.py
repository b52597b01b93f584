"""A tenant's rules as the guard reads them: compiled once, indexed, and kept in this process until something changed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import bindparam, text
from sqlmodel import Session

from bio_agent_ops.service.wording import REWORDED
from bio_agent_schema.beliefs import ACTIVE
from bio_agent_schema.tables import BeliefRow
from bio_agent_schema.types import Act, BeliefState, Layer, Polarity, Provenance, RuleLine, Scope
from bio_agent_workers import shell
from bio_agent_workers.brain import scopes
from bio_agent_workers.brain.act_forms import act_from
from bio_agent_workers.brain.canonical import canonicalize
from bio_agent_workers.brain.guard import MatchKind
from bio_agent_workers.brain.matching import read_rule
from bio_agent_workers.brain.rule_index import Key, RuleIndex, keys_of_act, keys_of_text
from bio_agent_workers.brain.sentences import read_sentence

SPEAKING = frozenset({BeliefState.REINFORCED, BeliefState.STABLE, BeliefState.CHALLENGED})
MAX_TENANTS = 64  # whose rules are kept compiled; the one asked longest ago goes first

_STATE = text(
    """
    select t.persona_epoch, t.time_zone, bio.now() as now, b.n, b.newest
    from bio.tenants t, lateral (select count(*) as n, max(updated_at) as newest from bio.beliefs
                                 where tenant = t.tenant and state in :states and not recheck) b
    where t.tenant = :t
    """
).bindparams(bindparam("states", expanding=True))
_ROWS = text(
    """
    select id, version, content, rendering, lang, canonical ->> 'polarity' as polarity, acts, layer, scope_path, scope_agent,
        scope_user, state, directive, approved_by, disputed, confidence, rank, injected, helped, hurt, valid_from, valid_to,
        created_at, updated_at
    from bio.beliefs where tenant = :t and state in :states and not recheck
    """
).bindparams(bindparam("states", expanding=True))


@dataclass(frozen=True, slots=True)
class GuardRule:
    """One active rule, ready to be matched. failed, fixed: the slots of a rule learned from acts, else None; text: a
    person's words. stamp: changes whenever the row does. keys: see `rule_index`. by_words: the text is matched (besides
    the acts, where a person reworded a learned rule)."""

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
    stamp: tuple[Any, ...]
    keys: tuple[Key, ...]
    by_words: bool

    def in_time(self, now: datetime) -> bool:
        return self.valid_from <= now and (self.valid_to is None or now < self.valid_to)


@dataclass(frozen=True, slots=True)
class RuleSet:
    """The rules of one tenant at one moment."""

    mark: tuple[Any, ...]
    index: RuleIndex[GuardRule]
    by_id: Mapping[str, GuardRule]


@dataclass(frozen=True, slots=True)
class Moment:
    """The database's clock, and the tenant's time zone."""

    now: datetime
    zone: tzinfo


class GuardRules:
    """Rules of all tenants asked about, compiled. A change is seen at the next question, by the tenant's epoch and by
    the number and the newest change of its active rules."""

    def __init__(self) -> None:
        self._sets: OrderedDict[tuple[str, str], RuleSet] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, session: Session, tenant: str, database: str) -> tuple[RuleSet, Moment]:
        """The tenant's rules as its transaction sees them. database: which one, for tests with several."""
        row = session.execute(_STATE, {"t": tenant, "states": list(ACTIVE)}).one()
        moment = Moment(row.now, _zone(row.time_zone))
        mark = (row.persona_epoch, row.n, row.newest)
        key = (database, tenant)
        with self._lock:
            known = self._sets.get(key)
            if known is not None:
                self._sets.move_to_end(key)
                if known.mark == mark:
                    return known, moment
        made = self._made(session, tenant, mark, known.by_id if known else {})
        with self._lock:
            self._sets[key] = made
            self._sets.move_to_end(key)
            while len(self._sets) > MAX_TENANTS:
                self._sets.popitem(last=False)
        return made, moment

    def _made(self, session: Session, tenant: str, mark: tuple[Any, ...], before: Mapping[str, GuardRule]) -> RuleSet:
        rules = list(_compiled(session.execute(_ROWS, {"t": tenant, "states": list(ACTIVE)}), before))
        return RuleSet(mark, RuleIndex((rule, rule.keys) for rule in rules), {rule.id: rule for rule in rules})


def _compiled(rows: Any, before: Mapping[str, GuardRule]) -> Iterator[GuardRule]:
    for row in rows:
        core = row.layer == Layer.CORE
        if not core and (row.state not in SPEAKING or not row.rendering):
            continue
        stamp = tuple(str(value) if isinstance(value, dict) else value for value in row)
        known = before.get(row.id)
        yield known if known is not None and known.stamp == stamp else _compile(row, stamp)


def _compile(row: Any, stamp: tuple[Any, ...]) -> GuardRule:
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
    kind = MatchKind.LEARNED
    if row.layer == Layer.CORE:
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
        row.id, row.version, row.content, polarity, failed, fixed, kind, line, row.valid_from, row.valid_to, stamp,
        tuple(keys), by_words,
    )  # fmt: skip


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
    return list(dict.fromkeys([*out, *forms_of_text(rule.content, polarity)]))


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
