"""Label: what each episode is about, how much it matters, and what is junk. Cheap rules first, a model for the rest.

A batch of nothing but an owner's directives needs no model. When the model is away, the directives of a mixed batch go
on alone, so that they act at once, and the rest waits in a cycle of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlmodel import Session

from bio_agent_schema import cycles, episodes, ledger
from bio_agent_schema.ledger import Entry
from bio_agent_schema.tables import CycleRow
from bio_agent_schema.types import Episode, Kind, Label, Provenance
from bio_agent_workers.brain.directives import reader as directives
from bio_agent_workers.brain.lessons.junk import is_junk
from bio_agent_workers.models.protocol import LABEL_SCHEMA, ModelError, ModelRequest, Role
from bio_agent_workers.runner import WAIT, Runtime
from bio_agent_workers.stages import prompts
from bio_agent_workers.stages.asking import ask
from bio_agent_workers.stages.items import items_of

GROUP_MOST = 24  # episodes in one compile call; a larger topic is cut in order of arrival
PACK_MOST = (
    16  # episodes up to which small groups of one session share a call to a service: the prompt costs 800 tokens
)
BETWEEN_MOST = 8  # episodes between a failure and its fix that are read with them, whatever their topic
READ_SHARE = 0.8  # of a turn's characters that lie in directives, from which the model has nothing to add
TOKENS_A_LABEL = 160  # room in the reply for one item's label, every field filled
DIRECTIVE_TOPIC = "owner instructions"


@dataclass(frozen=True, slots=True)
class Loaded:
    batch: list[Episode]
    linked: frozenset[str]  # ids that failed and were fixed, or that fixed something
    known: Mapping[str, dict[str, Any]]  # labels a model already gave in an earlier attempt
    read: frozenset[str] = frozenset()  # ids of an owner's turns that are directives and nothing else


@dataclass(frozen=True, slots=True)
class Thought:
    labels: list[Label]
    waiting: tuple[str, ...] = ()  # ids that could not be labelled now


def load(session: Session, cycle: CycleRow, rt: Runtime) -> Loaded:
    batch = episodes.by_ids(session, cycle.tenant, cycle.episode_ids)
    linked = {e.id for e in batch if e.resolved_by} | episodes.fixes_among(session, cycle.tenant, cycle.episode_ids)
    known = ledger.stored_labels(session, cycle.tenant, cycle.root or cycle.id) if cycle.attempts else {}
    said = [] if rt.models.label.offline else [e for e in batch if e.kind is Kind.USER]
    read = {e.id for e in said if read_in_full(e, episodes.said_before(session, cycle.tenant, e.session, e.seq))}
    return Loaded(batch, frozenset(linked), known, frozenset(read))


def read_in_full(episode: Episode, said_before: str) -> bool:
    """Whether an owner's turn holds directives and hardly anything else: the server takes it in the owner's own words.

    said_before: the assistant's words right before it, "" if none.
    """
    if episode.kind is not Kind.USER or episode.provenance is not Provenance.OWNER or episode.recalled:
        return False
    found = directives.find(episode.content, context=said_before)
    return sum(d.end - d.start for d in found) >= READ_SHARE * len(episode.content.strip()) > 0


def think(loaded: Loaded, cycle: CycleRow, rt: Runtime) -> Thought:
    labels: list[Label] = []
    open_ones: list[Episode] = []
    answers = answers_to_directives(loaded.batch)
    for episode in loaded.batch:
        # "Will do." says that the order was heard: it belongs to it.
        junk, reason = is_junk(episode, linked=episode.id in loaded.linked or episode.id in answers)
        if junk:
            labels.append(Label(episode.id, topic="noise", importance=1, junk=True, reason=reason))
        else:
            open_ones.append(episode)
    answered: dict[str, Mapping[str, Any]] = dict(loaded.known)
    asked = [e for e in open_ones if e.id not in answered]
    if all(e.id in loaded.read for e in asked):
        asked = []
    waiting: tuple[str, ...] = ()
    if asked:
        try:
            answered |= _answers(asked, cycle, rt)
        except ModelError as error:
            waiting = tuple(e.id for e in asked if e.id not in loaded.read)
            if not error.transient or len(waiting) == len(asked):
                raise
    open_ones = [e for e in open_ones if e.id not in waiting]
    labels += [_label(e, answered.get(e.id), e.id in loaded.linked, e.id in loaded.read) for e in open_ones]
    return Thought(labels, waiting)


def answers_to_directives(batch: Sequence[Episode]) -> frozenset[str]:
    """The agent's turns right after an owner's standing order."""
    found: set[str] = set()
    ordered: dict[str, bool] = {}  # session → whether its last turn gave an order
    for e in sorted(batch, key=lambda e: e.seq):
        if e.kind is Kind.ASSISTANT and ordered.get(e.session):
            found.add(e.id)
        owner = e.kind is Kind.USER and e.provenance is Provenance.OWNER and not e.recalled
        ordered[e.session] = owner and bool(directives.find(e.content) or directives.explicit_memory(e.content))
    return frozenset(found)


def _answers(asked: Sequence[Episode], cycle: CycleRow, rt: Runtime) -> dict[str, Mapping[str, Any]]:
    """The model's label of each episode that it gave one. Raises ModelError."""
    request = ModelRequest(
        role=Role.LABEL, prompt_version=prompts.LABEL_VERSION, instructions=prompts.LABEL,
        items=tuple(items_of(asked)), reply_schema=LABEL_SCHEMA, max_output_tokens=TOKENS_A_LABEL * len(asked) + 300,
    )  # fmt: skip
    reply = ask(rt, cycle, request, [e.id for e in asked])
    answers: dict[str, Mapping[str, Any]] = {}
    for given in reply.data.get("labels", []):
        if 1 <= given["n"] <= len(asked):
            answers.setdefault(asked[given["n"] - 1].id, given)
    return answers


def _label(episode: Episode, given: Mapping[str, Any] | None, linked: bool, read: bool) -> Label:
    """The model's word, within what is never its to decide: a failure, a fix and a person's word are not junk."""
    if given is None and read:
        return Label(episode.id, topic=DIRECTIVE_TOPIC, importance=9, junk=False, reason="an owner's directive")
    if given is None:
        topic = episode.tool or episode.kind.value
        return Label(episode.id, topic=topic, importance=5, junk=False, reason="the model left it out")
    protected = episode.is_failure or linked or episode.kind.value == "user"
    return Label(
        episode.id,
        topic=" ".join(given["topic"].lower().split())[:60] or "misc",
        importance=given["importance"],
        junk=given["junk"] and not protected,
        transient=bool(given.get("transient", False)),
        failure_kind=given.get("failure_kind", "") if episode.is_failure else "",
        tags=tuple(given.get("tags", ())),
        entities=tuple(given.get("entities", ())),
        decided_by="model",
        reason="junk" if given["junk"] else "",
    )


def groups_of(batch: Sequence[Episode], labels: Mapping[str, Label], *, pack: bool = False) -> list[list[str]]:
    """What is compiled together: one topic of one session, and always a failure with what fixed it and, where that is
    not long, with what lies between: a topic is a model's guess, the order of the acts is not.

    pack: let small groups of one session share a call, which is cheaper and shows a model what belongs around them.
    """
    leader: dict[str, str] = {}

    def find(x: str) -> str:
        while leader.setdefault(x, x) != x:
            leader[x] = leader[leader[x]]
            x = leader[x]
        return x

    kept = [e for e in batch if e.id in labels and not labels[e.id].junk]
    by_id = {e.id: e for e in kept}
    by_topic: dict[tuple[str, str], str] = {}
    for episode in kept:
        key = (episode.session, labels[episode.id].topic)
        leader[find(episode.id)] = find(by_topic.setdefault(key, episode.id))
        if episode.resolved_by and episode.resolved_by in by_id:
            leader[find(episode.id)] = find(episode.resolved_by)
            for between in _between(episode, by_id[episode.resolved_by], kept):
                leader[find(between.id)] = find(episode.id)
    groups: dict[str, list[str]] = {}
    for episode in kept:
        groups.setdefault(find(episode.id), []).append(episode.id)
    cut = [g[i : i + GROUP_MOST] for g in groups.values() for i in range(0, len(g), GROUP_MOST)]
    return _packed(cut, by_id) if pack else cut


def _packed(groups: Sequence[list[str]], by_id: Mapping[str, Episode]) -> list[list[str]]:
    packs: list[list[str]] = []
    filling: dict[str, list[str]] = {}  # session → its pack that still has room
    for group in groups:
        session = by_id[group[0]].session
        pack = filling.get(session)
        if pack is None or len(pack) + len(group) > PACK_MOST:
            filling[session] = pack = []
            packs.append(pack)
        pack += group
    return packs


def _between(failure: Episode, fix: Episode, kept: Sequence[Episode]) -> list[Episode]:
    found = [e for e in kept if e.session == failure.session and failure.seq < e.seq < fix.seq]
    return found if len(found) <= BETWEEN_MOST else []


def save(session: Session, cycle: CycleRow, thought: Thought, rt: Runtime) -> tuple[dict[str, Any], dict[str, int]]:
    if thought.waiting:
        _set_apart(session, cycle, thought.waiting)
    labels = thought.labels
    batch = episodes.by_ids(session, cycle.tenant, cycle.episode_ids)
    by_id = {label.episode_id: label for label in labels}
    episodes.save_labels(session, cycle.tenant, labels)
    outputs = {
        "labels": [asdict(x) for x in labels],
        "groups": groups_of(batch, by_id, pack=not rt.models.compile.offline),
    }
    return outputs, {"labelled": len(labels), "junk": sum(x.junk for x in labels)}


def _set_apart(session: Session, cycle: CycleRow, waiting: Sequence[str]) -> None:
    """Queue what waits for the model as a cycle of its own; this one goes on with the rest."""
    kept = [i for i in cycle.episode_ids if i not in set(waiting)]
    sibling = cycles.open_cycle(
        session, cycle.tenant, cycle.workspace, cycle.agent, trigger="model_away", episode_ids=list(waiting), lease=WAIT,
        state="queued", root=cycle.root or cycle.id,
    )  # fmt: skip
    cycles.set_batch(session, cycle.tenant, cycle.id, kept, cycle.outputs)
    session.refresh(cycle)
    ledger.audit(session, cycle.tenant, [
        Entry("set_apart", subject=f"cycle:{cycle.id}", cycle_id=cycle.id, cause="model_away",
              data={"kept": len(kept), "sibling": sibling, "queued": len(waiting)}),
    ])  # fmt: skip
