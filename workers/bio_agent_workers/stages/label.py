"""Label: what each episode is about, how much it matters, and what is junk. Cheap rules first, a model for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlmodel import Session

from bio_agent_schema import episodes, ledger
from bio_agent_schema.tables import CycleRow
from bio_agent_schema.types import Episode, Label
from bio_agent_workers.brain.junk import is_junk
from bio_agent_workers.models.protocol import LABEL_SCHEMA, ModelRequest, Role
from bio_agent_workers.runner import Runtime
from bio_agent_workers.stages import prompts
from bio_agent_workers.stages.asking import ask
from bio_agent_workers.stages.items import items_of

GROUP_MOST = 24  # episodes in one compile call; a larger topic is cut in order of arrival


@dataclass(frozen=True, slots=True)
class Loaded:
    batch: list[Episode]
    linked: frozenset[str]  # ids that failed and were fixed, or that fixed something
    known: Mapping[str, dict[str, Any]]  # labels a model already gave in an earlier attempt


def load(session: Session, cycle: CycleRow, rt: Runtime) -> Loaded:
    batch = episodes.by_ids(session, cycle.tenant, cycle.episode_ids)
    linked = {e.id for e in batch if e.resolved_by} | episodes.fixes_among(session, cycle.tenant, cycle.episode_ids)
    known = ledger.stored_labels(session, cycle.tenant, cycle.root or cycle.id) if cycle.attempts else {}
    return Loaded(batch, frozenset(linked), known)


def think(loaded: Loaded, cycle: CycleRow, rt: Runtime) -> list[Label]:
    labels: list[Label] = []
    open_ones: list[Episode] = []
    for episode in loaded.batch:
        junk, reason = is_junk(episode, linked=episode.id in loaded.linked)
        if junk:
            labels.append(Label(episode.id, topic="noise", importance=1, junk=True, reason=reason))
        else:
            open_ones.append(episode)
    answered = dict(loaded.known)
    asked = [e for e in open_ones if e.id not in answered]
    if asked:
        request = ModelRequest(
            role=Role.LABEL, prompt_version=prompts.LABEL_VERSION, instructions=prompts.LABEL,
            items=tuple(items_of(asked)), reply_schema=LABEL_SCHEMA, max_output_tokens=120 * len(asked) + 200,
        )  # fmt: skip
        reply = ask(rt, cycle, request, [e.id for e in asked])
        for given in reply.data.get("labels", []):
            if 1 <= given["n"] <= len(asked):
                answered.setdefault(asked[given["n"] - 1].id, given)
    labels += [_label(e, answered.get(e.id), e.id in loaded.linked) for e in open_ones]
    return labels


def _label(episode: Episode, given: Mapping[str, Any] | None, linked: bool) -> Label:
    """The model's word, within what is never its to decide: a failure, a fix and a person's word are not junk."""
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


def groups_of(batch: Sequence[Episode], labels: Mapping[str, Label]) -> list[list[str]]:
    """What is compiled together: one topic of one session, and always a failure with what fixed it."""
    leader: dict[str, str] = {}

    def find(x: str) -> str:
        while leader.setdefault(x, x) != x:
            leader[x] = leader[leader[x]]
            x = leader[x]
        return x

    kept = [e for e in batch if not labels[e.id].junk]
    by_topic: dict[tuple[str, str], str] = {}
    for episode in kept:
        key = (episode.session, labels[episode.id].topic)
        leader[find(episode.id)] = find(by_topic.setdefault(key, episode.id))
        if episode.resolved_by and any(e.id == episode.resolved_by for e in kept):
            leader[find(episode.id)] = find(episode.resolved_by)
    groups: dict[str, list[str]] = {}
    for episode in kept:
        groups.setdefault(find(episode.id), []).append(episode.id)
    cut = [g[i : i + GROUP_MOST] for g in groups.values() for i in range(0, len(g), GROUP_MOST)]
    return cut


def save(session: Session, cycle: CycleRow, labels: list[Label], rt: Runtime) -> tuple[dict[str, Any], dict[str, int]]:
    batch = episodes.by_ids(session, cycle.tenant, cycle.episode_ids)
    by_id = {label.episode_id: label for label in labels}
    episodes.save_labels(session, cycle.tenant, labels)
    outputs = {"labels": [asdict(x) for x in labels], "groups": groups_of(batch, by_id)}
    return outputs, {"labelled": len(labels), "junk": sum(x.junk for x in labels)}
