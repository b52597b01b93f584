"""Compile: groups of episodes become candidates: memories, and rules with the episodes that support them.

What the acts themselves teach (a failure and its fix) and what an owner plainly asked for is read by the server; the
model adds the rest, and its wording of a lesson is only kept beside the server's own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlmodel import Session

from bio_agent_client.redact import redact
from bio_agent_schema import episodes, memories
from bio_agent_schema.tables import CycleRow
from bio_agent_schema.types import Act, Episode, FixKind, Kind, MemoryKind, Polarity, Provenance
from bio_agent_workers import shell
from bio_agent_workers.brain.directives import reader as directives
from bio_agent_workers.brain.guarding.rule_clause import asks_or_forbids
from bio_agent_workers.brain.lessons.lesson import LessonReading, lessons
from bio_agent_workers.brain.lessons.rendering import render
from bio_agent_workers.brain.remedies.lowering import lowers_protection
from bio_agent_workers.brain.text import detect_lang
from bio_agent_workers.models.offline_compile import compile_memories
from bio_agent_workers.models.protocol import COMPILE_SCHEMA, ModelRequest, Role
from bio_agent_workers.runner import Runtime
from bio_agent_workers.stages import closing, from_model, prompts, retracting, successes, vouching
from bio_agent_workers.stages.asking import ask_all
from bio_agent_workers.stages.canonicalize import trust_of
from bio_agent_workers.stages.from_model import DIRECTIVE_CONFIDENCE, shared
from bio_agent_workers.stages.items import items_of
from bio_agent_workers.stages.label import read_in_full

PAIR_CONFIDENCE = 0.5
_FETCHES = re.compile(r"https?://|\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b|\b(?:curl|wget)\b", re.IGNORECASE)
_PARTS = re.compile(r"[,;:.!?](?=\s|$)|[，。；：！？\n]|\b(?:but|instead|rather)\b", re.IGNORECASE)
SAME_SHARE = 1 / 3  # of a rule's words that the server's own reading holds, from which it says nothing new
REPEATED_SHARE = 0.8  # of a memory's words that such a reading holds, from which it is the same memory
REPLY_TOKENS = 2000  # room in a compile reply: about fifteen memories
BEFORE_CHARS = 600  # of the assistant's words right before a person's turn
STRETCH = 60  # episodes of a session looked at between a failure and its fix


@dataclass(frozen=True, slots=True)
class Loaded:
    groups: list[list[Episode]]
    partners: list[list[Episode]]  # per group: failures and fixes outside it that its own are linked with
    stretches: Mapping[str, list[Episode]]  # session → where its linked pairs happened, and what led there
    links: Mapping[str, list[tuple[str, str]]]  # session → (failure, fix)
    importance: Mapping[str, int]
    said_before: Mapping[str, str]  # user episode → the assistant's words right before it
    typed: frozenset[str] = field(default_factory=frozenset)
    ways: Mapping[str, list[Episode]] = field(default_factory=dict)  # outcome of a goal reached → what led to it
    told_open: frozenset[str] = frozenset()  # failures resolved by now that a memory tells as open
    lifting: Mapping[str, frozenset[str]] = field(
        default_factory=dict
    )  # episode → its sentences that only take a rule back


def load(session: Session, cycle: CycleRow, rt: Runtime) -> Loaded:
    by_id = {e.id: e for e in episodes.by_ids(session, cycle.tenant, cycle.episode_ids)}
    groups = [[by_id[i] for i in g if i in by_id] for g in cycle.outputs.get("groups", [])]
    groups = [g for g in groups if g]
    fixed_by = {e.id: e for e in episodes.resolved_through(session, cycle.tenant, list(by_id))}
    fix_ids = {e.resolved_by for e in by_id.values() if e.resolved_by} - set(by_id)
    fixes = {e.id: e for e in episodes.by_ids(session, cycle.tenant, fix_ids)} if fix_ids else {}
    everyone = by_id | fixed_by | fixes
    links: dict[str, list[tuple[str, str]]] = {}
    bounds: dict[str, tuple[int, int]] = {}
    for e in everyone.values():
        if e.resolved_by and e.resolved_by in everyone:
            links.setdefault(e.session, []).append((e.id, e.resolved_by))
            low, high = bounds.get(e.session, (e.seq, e.seq))
            bounds[e.session] = (min(low, e.seq), max(high, everyone[e.resolved_by].seq, e.seq))
    stretches = {
        s: episodes.of_session(session, cycle.tenant, s, low, high, STRETCH) for s, (low, high) in bounds.items()
    }
    # What was shown before the failure counts as much as what came after it.
    stretches = {s: [*vouching.before(session, cycle.tenant, found), *found] for s, found in stretches.items()}
    partners = []
    for group in groups:
        own = {e.id for e in group}
        linked = [e for e in fixed_by.values() if e.resolved_by in own and e.id not in own]
        linked += [fixes[e.resolved_by] for e in group if e.resolved_by in fixes]
        partners.append(list({e.id: e for e in linked}.values()))
    said = {
        e.id: episodes.said_before(session, cycle.tenant, e.session, e.seq)
        for e in by_id.values() if e.kind is Kind.USER
    }  # fmt: skip
    importance = {x["episode_id"]: x["importance"] for x in cycle.outputs.get("labels", [])}
    resolved = [failure for pairs in links.values() for failure, _ in pairs]
    told = memories.open_accounts(session, cycle.tenant, resolved) if resolved else {}
    return Loaded(
        groups, partners, stretches, links, importance, said,
        ways=successes.ways(session, cycle.tenant, by_id.values()),
        told_open=frozenset(failure for ids in told.values() for failure in ids),
        lifting=retracting.only_lifts(session, cycle.tenant, list(by_id.values())),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Group:
    """One compile call: the episodes shown (numbered from 1), those of the group's own, and the lessons among them."""

    shown: list[Episode]
    own: frozenset[str]
    first: str
    lessons: list[LessonReading]

    @property
    def number(self) -> dict[str, int]:
        return {e.id: n for n, e in enumerate(self.shown, 1)}


def think(loaded: Loaded, cycle: CycleRow, rt: Runtime) -> list[dict[str, Any]]:
    readings = _lessons(loaded)
    groups = [_group(g, p, readings) for g, p in zip(loaded.groups, loaded.partners, strict=True)]
    requests = [_request(g, loaded) for g in groups]
    offline = rt.models.compile.offline
    asked = [offline or _worth_asking(g, loaded) for g in groups]
    replies = iter(
        ask_all(rt, cycle, [(r, [e.id for e in g.shown]) for g, r, a in zip(groups, requests, asked, strict=True) if a])
    )
    out: list[dict[str, Any]] = []
    for group, request, was_asked in zip(groups, requests, asked, strict=True):
        memories = list(next(replies).data.get("memories", [])) if was_asked else []
        if not offline:
            memories += _overlooked(request, memories)
        out += _candidates(group, memories, loaded)
    return out


def _overlooked(request: ModelRequest, given: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Failures and their fixes that a service's model drew nothing from, as the rules of the offline model read them."""
    fix_of = {i["n"]: i["resolved_by"] for i in request.items if i["failed"] and i["resolved_by"]}
    if not fix_of:
        return []
    told = {n for m in given if m["is_rule"] for n in m["cites"] if fix_of.get(n) in m["cites"]}
    return [
        m for m in compile_memories(request.items, request.context)
        if m["is_rule"] and any(fix_of.get(n) in m["cites"] for n in m["cites"]) and not told & set(m["cites"])
    ]  # fmt: skip


def _worth_asking(group: Group, loaded: Loaded) -> bool:
    """Whether a model could add anything: not where nothing may be cited, nor where an owner's directives are all."""
    return any(
        not e.recalled and e.kind is not Kind.ASSISTANT and not read_in_full(e, loaded.said_before.get(e.id, ""))
        for e in group.shown
    )


def _lessons(loaded: Loaded) -> list[LessonReading]:
    readings: list[LessonReading] = []
    for session_id, stretch in loaded.stretches.items():
        acts: dict[str, tuple[Act, ...]] = {e.id: shell.act_of(e.tool, e.tool_input, e.command) for e in stretch}
        readings += lessons(stretch, acts, loaded.links[session_id], typed=loaded.typed)
    return [r for r in readings if r.lesson.kind is not FixKind.FLAKY and not r.one_literal_only]


def _group(group: Sequence[Episode], partners: Sequence[Episode], readings: Sequence[LessonReading]) -> Group:
    own = frozenset(e.id for e in group)
    # A lesson belongs to the group that holds its fix (else its last failure), so that it is compiled once.
    mine = [r for r in readings if (r.lesson.fix_id if r.lesson.fix_id in own else r.lesson.failure_ids[-1]) in own]
    return Group(sorted([*group, *partners], key=lambda e: e.seq), own, group[0].id, mine)


def _request(group: Group, loaded: Loaded) -> ModelRequest:
    number = group.number
    answered = [
        {"n": number[e.id], "text": loaded.said_before[e.id][-BEFORE_CHARS:]}
        for e in group.shown
        if loaded.said_before.get(e.id) and not any(x.content == loaded.said_before[e.id] for x in group.shown)
    ]
    told = [
        {
            "failed_n": [number[i] for i in r.lesson.failure_ids if i in number],
            "fix_n": number.get(r.lesson.fix_id),
            "between_n": [number[i] for i in r.lesson.between_ids if i in number],
            "kind": r.lesson.kind.value,
            "sentence": render(r.lesson, wide=r.wide),
        }
        for r in group.lessons
    ]
    return ModelRequest(
        role=Role.COMPILE,
        prompt_version=prompts.COMPILE_VERSION,
        instructions=prompts.COMPILE,
        items=tuple(items_of(group.shown)),
        reply_schema=COMPILE_SCHEMA,
        context=({"lessons": told} if told else {}) | ({"said_before": answered} if answered else {}),
        max_output_tokens=REPLY_TOKENS,
    )


def _candidates(group: Group, memories: Sequence[Mapping[str, Any]], loaded: Loaded) -> list[dict[str, Any]]:
    """What the server reads off the group, and what the model adds to it."""
    number, own = group.number, group.own
    by_number = {n: e for e, n in ((e, number[e.id]) for e in group.shown)}
    given = [m for m in (from_model.read(m, by_number, loaded.said_before, loaded.importance) for m in memories) if m]
    out = [_from_lesson(r, number, group.shown, given, loaded) for r in group.lessons]
    for episode in group.shown:
        if (
            episode.id in own
            and episode.kind is Kind.USER
            and episode.provenance is Provenance.OWNER
            and not episode.recalled
        ):
            lifting = loaded.lifting.get(episode.id, frozenset())
            out += _from_owner(episode, loaded.said_before.get(episode.id, ""), given, lifting)
    # The server's own reading of the same episodes stands; the model's text is kept beside it.
    out += [m for m in given if not _covered(m, out, own)]
    out += closing.candidates(group.shown, out, loaded.told_open)
    out += successes.candidates([e for e in group.shown if e.id in own], loaded.ways)
    for candidate in out:
        candidate["home"] = next((i for i in candidate["cites"] if i in own), group.first)
        candidate["text"] = redact(candidate["text"])
    return out


def _covered(memory: Mapping[str, Any], servers: Sequence[Mapping[str, Any]], own: frozenset[str]) -> bool:
    """Whether the server read the same off the same episodes: a rule about the pair of a lesson, a rule in other words
    than the owner's, or hardly any other words at all."""
    cites = set(memory["cites"])

    def same_episodes(theirs: set[str]) -> bool:
        return cites <= theirs or theirs <= cites or cites == theirs & own

    read = [c for c in servers if c["is_rule"] and same_episodes(set(c["cites"]))]
    share = shared(memory["text"], "\n".join(c["text"] for c in read))
    if not memory["is_rule"]:
        return share >= REPEATED_SHARE
    return any(c["pair"] for c in read) or share >= SAME_SHARE


def _from_lesson(
    reading: LessonReading,
    number: Mapping[str, int],
    shown: Sequence[Episode],
    given: Sequence[Mapping[str, Any]],
    loaded: Loaded,
) -> dict[str, Any]:
    """A failure and what fixed it, as the server renders it from the slots; the model's sentence is kept beside."""
    lesson = reading.lesson
    cites = [i for i in (*lesson.failure_ids, lesson.fix_id) if i in number]
    about = {*cites, *lesson.between_ids, *(e.id for e in shown if e.is_failure)}
    worded = next(
        (m["text"] for m in given if m["is_rule"] and lesson.fix_id in m["cites"] and set(m["cites"]) <= about), ""
    )
    langs = [detect_lang(e.content) for e in shown if e.kind is Kind.USER]
    lang = max(set(langs), key=langs.count) if langs else "en"
    rendering = render(lesson, lang, reading.wide)
    return {
        "kind": MemoryKind.PROCEDURAL.value,
        "text": rendering,
        "confidence": PAIR_CONFIDENCE,
        "cites": cites,
        "is_rule": True,
        "directive": False,
        "pair": True,
        "rendering": "" if reading.needs_person else rendering,
        "model_text": worded,
        "acts": {
            "kind": lesson.kind.value,
            "failed": asdict(lesson.failed),
            "fixed": asdict(lesson.fixed),
            "between": [asdict(a) for a in lesson.between],
            "error_token": lesson.error_token,
        },
        "needs_person": reading.needs_person,
        # A step in between is cited by nothing, and yet it may be all that the lesson says.
        "untrusted_step": any(
            e.id in lesson.between_ids and trust_of(e) is Provenance.UNTRUSTED
            for stretch in loaded.stretches.values()
            for e in stretch
        ),
        "importance": max([loaded.importance.get(i, 6) for i in cites] or [6]),
        "entities": [lesson.failed.tool],
        "lang": lang,
    }


def _fetches(rule: str, polarity: Polarity) -> bool:
    """Whether a rule has agents fetch something or pipe it into a shell. Who pastes a page says its words: such a rule is worth
    one look by a person. One that only forbids it is not ("never use curl")."""
    said = _PARTS.split(rule) if polarity is Polarity.NEGATIVE else [rule]
    return any(_FETCHES.search(part) and not (polarity is Polarity.NEGATIVE and asks_or_forbids(part)) for part in said)


def _from_owner(
    episode: Episode, said_before: str, given: Sequence[Mapping[str, Any]], lifting: Collection[str] = ()
) -> list[dict[str, Any]]:
    """An owner's standing directives in the owner's words, and what the owner asked to remember. lifting: sentences that only
    take a rule back, and give none."""
    out: list[dict[str, Any]] = []
    mine = [m for m in given if episode.id in m["cites"] and m["is_rule"]]
    common: dict[str, Any] = {
        "cites": [episode.id], "pair": False, "acts": {}, "needs_person": False, "importance": 9, "entities": [],
        "confidence": DIRECTIVE_CONFIDENCE, "model_text": "",
    }  # fmt: skip
    for found in directives.find(episode.content, context=said_before):
        if any(found.text in said or said in found.text for said in lifting):
            continue
        text = redact(" ".join(found.text.split()))
        risky = _fetches(text, found.polarity) or lowers_protection(text)
        worded = max(mine, key=lambda m: shared(m["text"], text), default=None)
        if worded and shared(worded["text"], text) < SAME_SHARE:
            worded = None
        out.append(common | {
            "kind": worded["kind"] if worded else MemoryKind.PROCEDURAL.value, "text": text,
            "rendering": "" if risky else text, "needs_person": risky,
            "model_text": worded["text"] if worded else "", "entities": list(worded["entities"]) if worded else [],
            "is_rule": True, "directive": True, "lang": found.lang, "polarity": found.polarity.value,
        })  # fmt: skip
    asked = None if out else directives.explicit_memory(episode.content)
    if asked:
        out.append(common | {
            "kind": MemoryKind.SEMANTIC.value, "text": redact(asked), "rendering": "", "is_rule": False,
            "directive": False, "lang": detect_lang(asked), "importance": 8,
        })  # fmt: skip
    return out


def save(
    session: Session, cycle: CycleRow, candidates: list[dict[str, Any]], rt: Runtime
) -> tuple[dict[str, Any], dict[str, int]]:
    rules = sum(c["is_rule"] for c in candidates)
    return {"candidates": candidates}, {"candidates": len(candidates), "rule_candidates": rules}
