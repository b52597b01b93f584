"""One observation → one episode: what was done, whether it failed, what it resolves, whether it folds into another.

A `SessionView` is what perception remembers of one session while it reads a tenant's stream in order; it is rebuilt
from Postgres whenever a reader takes a stream over, so it is a cache and never the truth.
"""

from __future__ import annotations

import hashlib
import math
from collections import OrderedDict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bio_agent_client.clean import cut
from bio_agent_client.observation import Observation
from bio_agent_schema.types import Act, Episode, Kind, Provenance
from bio_agent_workers import shell
from bio_agent_workers.brain import novelty
from bio_agent_workers.brain.directives import reader as directives
from bio_agent_workers.brain.directives import voices
from bio_agent_workers.brain.guarding.act_forms import is_read
from bio_agent_workers.brain.lessons import acts as brain_acts
from bio_agent_workers.brain.lessons import answers, failures, probes
from bio_agent_workers.brain.lessons.junk import is_binary
from bio_agent_workers.brain.lessons.reports import is_done

KEEP_BYTES = 32 * 1024  # of one episode's text: what a client should have cut to, done for those that did not
RECENT = 100  # signatures of a scope that novelty looks back on
OPEN_FAILURES = 50  # unresolved failures of a session that a success is held against; older ones wait for a person
ANSWERABLE = 8  # the newest open failures that an owner's words are held against
FOLD_HEADS = 64  # templates of a session that may still fold
_COMMAND_FIELDS = ("command", "cmd", "script")
_SHOWS = frozenset({"journalctl", "dmesg", "cd", "tee", "export", "set"})  # beside the acts that only look
BLOCK_MARK = "bio-memory"  # opens every block and hint that recall itself injected


@dataclass(slots=True)
class SessionView:
    """What is known of one session: its open failures, its fold heads, the command that waits for its output."""

    failures: OrderedDict[str, brain_acts.OpenFailure] = field(default_factory=OrderedDict)
    heads: OrderedDict[str, str] = field(default_factory=OrderedDict)
    last_outcome_key: str = ""
    awaiting_output: str = ""
    awaiting_source: str = ""
    awaiting: Perceived | None = None  # the command of that id, while this reader has it in hand
    reopened: tuple[brain_acts.OpenFailure, ...] = ()  # what that command closed, until its output shows that it failed
    last_assistant: str = ""
    failed_last: bool = False  # nothing that changes anything has succeeded since the newest failure
    injected: tuple[str, ...] = ()


@dataclass(slots=True)
class ScopeView:
    """What is known of one scope: the signatures of its newest episodes as (bits, number of bits)."""

    recent: deque[tuple[int, int]] = field(default_factory=lambda: deque(maxlen=RECENT))

    def keep(self, signature: novelty.Signature) -> None:
        self.recent.append((signature.bits, signature.bits.bit_count()))

    def novelty_of(self, signature: novelty.Signature) -> float:
        """`novelty.novelty_of` over what is kept: it looks at a hundred signatures for every observation, so each one's
        bits are counted once and not each time."""
        own, count = signature.bits, signature.bits.bit_count()
        if not own:
            return 0.0
        most = 0.0
        for bits, number in self.recent:
            shared = (own & bits).bit_count()
            if shared > most * (count + number - shared):
                most = shared / (count + number - shared)
        return 1.0 - most


@dataclass(slots=True)
class Perceived:
    """An episode row to be written, and what it changes in others."""

    row: dict[str, Any]
    episode: Episode
    acts: tuple[Act, ...]
    fold_into: str = ""
    joins: str = ""
    resolves: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()  # failures that an owner's words leave nothing open in
    directive: bool = False
    session_ended: bool = False
    lowered_from: str | None = None
    joined: bool = False


def command_of(obs: Observation) -> str:
    """The shell line of a tool observation, "" when the tool is not a shell."""
    value = obs.tool_input
    if isinstance(value, Mapping):
        for name in _COMMAND_FIELDS:
            if isinstance(value.get(name), str):
                return str(value[name])
    if isinstance(value, str) and shell.is_shell_tool(obs.tool):
        return value
    return ""


def content_hash(obs: Observation) -> str:
    """Digest of what the observation says: the same id with another digest is a conflict, not a repeat."""
    body = f"{obs.kind}\0{obs.content}\0{obs.tool}\0{obs.tool_input!r}\0{obs.exit_code}"
    return hashlib.blake2b(body.encode("utf-8", "replace"), digest_size=16).hexdigest()


def is_recalled(obs: Observation, view: SessionView) -> bool:
    """Whether this text came out of the memory itself: marked, delimited, or a rule that this session was given."""
    if obs.metadata.get("recalled") is True or BLOCK_MARK in obs.content[:4000]:
        return True
    if obs.kind == "assistant" or not view.injected or obs.kind not in ("user", "tool"):
        return False
    flat = " ".join(obs.content.split()).casefold()
    return any(rule in flat for rule in view.injected if len(rule) > 20)


def perceive(obs: Observation, view: SessionView, scope: ScopeView, seq: int) -> Perceived:
    """Read one observation. `seq` is above that of everything stored; the order that is kept comes from Postgres."""
    content = cut(obs.content, KEEP_BYTES) if len(obs.content) * 4 > KEEP_BYTES else obs.content
    command = command_of(obs) if obs.kind == "tool" else ""
    plain = str(obs.metadata.get("plain_type", ""))
    given_input = obs.tool_input
    if plain == "run_command" and command:
        if content.startswith(command):
            content = content[len(command) :].lstrip("\n")
        # A line that was run in a shell; the tool beside it names the program, and the line is in `command`.
        if isinstance(given_input, Mapping) and given_input.keys() <= set(_COMMAND_FIELDS):
            given_input = None
    acts = shell.act_of(obs.tool, given_input, command) if obs.kind == "tool" and (command or given_input) else ()
    severity = obs.metadata.get("severity")
    reading = failures.infer(
        content,
        exit_code=obs.exit_code,
        is_error=obs.is_error,
        severity=severity if isinstance(severity, (str, int, float)) else None,
        kind=obs.kind,
        tells=tells(acts),
        answered_no=probes.answered_no(command, acts, obs.exit_code, content),
        tool=obs.tool,
    )
    recalled = is_recalled(obs, view)
    # A turn that says where it comes from is that place's words, whoever sent it.
    foreign = obs.kind == "user" and (
        voices.from_elsewhere(obs.source, obs.origin) or not voices.is_person(obs.speaker)
    )
    provenance = Provenance.UNTRUSTED if foreign else Provenance(obs.provenance)
    owner = obs.kind == "user" and provenance is Provenance.OWNER and not recalled
    standing = [d.text for d in directives.find(content, context=view.last_assistant)] if owner else []
    template = novelty.template(f"{command}\n{content}" if command else content)
    signature = novelty.signature(template)
    fresh = scope.novelty_of(signature)
    scope.keep(signature)
    form = " && ".join(a.form for a in acts)[:2000]
    outcome = Kind(obs.kind) in (Kind.TOOL, Kind.OUTCOME, Kind.EVENT)
    unresolved = reading.failed and outcome and not recalled
    episode = Episode(
        id=obs.id, seq=seq, workspace=obs.workspace or "default", agent=obs.agent or "default", user=obs.user,
        session=obs.session or "default", turn=obs.turn, kind=Kind(obs.kind), source=obs.source, origin=obs.origin,
        speaker=obs.speaker or obs.user, provenance=provenance, content=content, tool=obs.tool,
        tool_input=given_input, command=command[:8000], exit_code=obs.exit_code, is_failure=reading.failed,
        error_token=reading.error_token, severity=reading.severity, cwd=obs.cwd, task=obs.task, goal=obs.goal,
        mode=obs.mode, occurred_at=obs.occurred_at, novelty=fresh, salience=_unit(obs.metadata.get("salience")),
        task_relevance=_unit(obs.metadata.get("task_relevance")), unresolved=unresolved, recalled=recalled,
        metadata=obs.metadata,
    )  # fmt: skip
    directs = bool(standing) or (owner and directives.revocation(content))  # what is taken back is heard as soon
    seen = Perceived(_row(obs, episode, form, template, directs), episode, acts, directive=directs,
                     lowered_from=obs.lowered_from)  # fmt: skip
    if owner and view.failures:
        seen.answers = answered(view, content, standing)
    seen.session_ended = obs.kind == "outcome" or str(obs.metadata.get("event", "")) in ("session_end", "SessionEnd")
    if plain == "terminal_output" and _is_output(obs, view) and not command and not is_binary(content):
        seen.joins = view.awaiting_output
        if view.awaiting is not None:  # now, so that what follows in this batch can resolve what the output shows
            join_output(view.awaiting, seen, view)
            seen.joined = True
    else:
        _fold(seen, view, form, template)
    _remember(seen, view, plain)
    return seen


def _is_output(obs: Observation, view: SessionView) -> bool:
    """Whether a line is what the command before it printed, and not a line of another source that came in between."""
    return bool(view.awaiting_output) and obs.source in ("", view.awaiting_source)


def _fold(seen: Perceived, view: SessionView, form: str, template: str) -> None:
    """Lines of one template within a session fold. What a person or the agent says never does; a command only folds
    into the outcome right before it, so that a failure, its fix and the next failure stay apart."""
    e = seen.episode
    if e.kind in (Kind.USER, Kind.ASSISTANT, Kind.STATE, Kind.OUTCOME) or seen.directive:
        return
    key = f"{e.kind}\0{e.tool}\0{form}\0{e.is_failure}\0{e.error_token}\0{template}"
    digest = hashlib.blake2b(key.encode("utf-8", "replace"), digest_size=12).hexdigest()
    head = view.heads.get(digest, "")
    if head and (not form or view.last_outcome_key == digest):
        seen.fold_into = head
    else:
        view.heads[digest] = e.id
    view.heads.move_to_end(digest)
    while len(view.heads) > FOLD_HEADS:
        view.heads.popitem(last=False)
    if form or e.is_failure:
        view.last_outcome_key = digest


def _remember(seen: Perceived, view: SessionView, plain: str) -> None:
    e = seen.episode
    waits = plain == "run_command" and not seen.fold_into
    view.awaiting_output, view.awaiting, view.awaiting_source = (e.id, seen, e.source) if waits else ("", None, "")
    view.reopened = ()
    if e.kind is Kind.ASSISTANT:
        view.last_assistant = e.content[-2000:]
    elif e.kind is Kind.USER:
        view.last_assistant = ""
    if e.recalled:
        return
    if e.is_failure:
        view.failed_last = True
        if e.unresolved and not seen.joins and not seen.fold_into:
            view.failures[e.id] = brain_acts.open_failure(e, seen.acts)
            while len(view.failures) > OPEN_FAILURES:
                view.failures.popitem(last=False)
        return
    if e.kind in (Kind.TOOL, Kind.EVENT, Kind.OUTCOME) and (tells(seen.acts) if seen.acts else is_done(e.content)):
        view.failed_last = False
    if e.kind in (Kind.TOOL, Kind.EVENT, Kind.OUTCOME, Kind.USER):
        goals, keys = brain_acts.main_acts(seen.acts, e.content), brain_acts.keys_of(seen.acts)
        closed = [
            fid
            for fid, failure in reversed(view.failures.items())
            # Asked first and here: of fifty open failures a success shares a mark with one or two.
            if not (failure.keys and keys and failure.keys.isdisjoint(keys))
            and brain_acts.closed_by(failure, e, seen.acts, goals, keys)
        ]
        view.reopened = tuple(view.failures.pop(fid) for fid in closed) if waits else ()
        for fid in closed:
            view.failures.pop(fid, None)
        seen.resolves = tuple(closed)


def answered(view: SessionView, said: str, standing: Sequence[str]) -> tuple[str, ...]:
    """The open failures of a session that an owner's words answer; they stay in view, for what comes may still fix them.

    A rule on what a system reported says how to deal with it. On a command of the agent's own it only says what to do next
    time: that one stays open until something succeeds, or the owner says that it is over.
    """
    kept = [*(standing or filter(None, (directives.explicit_memory(said),))), *answers.general(said)]
    open_ones = list(view.failures.items())[-ANSWERABLE:]
    about = {fid: answers.subject(f.episode.command, f.episode.content) for fid, f in open_ones}
    newest = about[open_ones[-1][0]]
    heard = f"{newest}\n{answers.asked(view.last_assistant)}" if view.failed_last else newest
    settled = answers.settles(said, heard, just_now=view.failed_last)
    if not kept and not settled:
        return ()
    out = []
    for fid, failure in open_ones:
        again = answers.repeats(about[fid], newest)
        reported = not failure.attempts and not failure.episode.command
        ruled = reported and answers.bears_on(
            kept, heard if again else about[fid], just_now=again and view.failed_last
        )  # fmt: skip
        if ruled or (again and settled):
            out.append(fid)
    return tuple(out)


def join_output(command: Perceived, output: Perceived, view: SessionView | None) -> None:
    """Give a command the output that followed it, and read the pair again: the output may show that it failed.

    view: None where the view knows of it already.
    """
    e, o = command.episode, output.episode
    content = f"{e.content}\n{o.content}".strip("\n") if e.content else o.content
    given = [x for x in (_severity(e.metadata), _severity(o.metadata)) if x is not None]
    code = e.exit_code if e.exit_code is not None else o.exit_code
    reading = failures.infer(
        content, exit_code=code, is_error=None, severity=max(given) if given else None, kind="tool",
        tells=tells(command.acts), answered_no=probes.answered_no(e.command, command.acts, code, content), tool=e.tool,
    )  # fmt: skip
    failed = reading.failed
    command.row |= {
        "content": content, "is_failure": failed, "unresolved": failed, "error_token": reading.error_token,
        "severity": reading.severity,
    }  # fmt: skip
    command.episode = replace(e, content=content, is_failure=failed, unresolved=failed,
                              error_token=reading.error_token, severity=reading.severity)  # fmt: skip
    if failed:
        command.resolves = ()
    if view is None:
        return
    if failed:
        view.failures |= {f.episode.id: f for f in view.reopened}
        view.failures[e.id] = brain_acts.open_failure(command.episode, command.acts)
        view.last_outcome_key = ""  # the same line again is another outcome
    else:
        view.failures.pop(e.id, None)
    view.failures.pop(o.id, None)
    view.reopened = ()


def tells(acts: Sequence[Act]) -> bool:
    """Whether what a call printed may tell that it failed although it ended well: not where it only shows something."""
    return bool(acts) and not all(is_read(a) or a.tool in _SHOWS for a in acts)


def _severity(metadata: Mapping[str, Any]) -> float | None:
    value = metadata.get("severity")
    return failures.severity_of(value) if isinstance(value, (str, int, float)) else None


def _unit(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return min(1.0, max(0.0, float(value)))


def _row(obs: Observation, e: Episode, form: str, template: str, directive: bool) -> dict[str, Any]:
    """The columns of `bio.episodes` for this episode."""
    return {
        "id": e.id, "content_hash": content_hash(obs), "workspace": e.workspace, "agent": e.agent, "user_id": e.user,
        "session": e.session, "turn": e.turn, "kind": e.kind.value, "source": e.source, "origin": e.origin,
        "speaker": e.speaker, "host": obs.host, "call_id": obs.call_id, "provenance": e.provenance.value,
        "content": e.content, "tool": e.tool, "tool_input": e.tool_input, "command": e.command, "act_form": form,
        "exit_code": e.exit_code, "is_failure": e.is_failure, "error_token": e.error_token, "severity": e.severity,
        "duration_ms": obs.duration_ms, "cwd": e.cwd, "task": e.task, "goal": e.goal, "mode": e.mode,
        "project_version": obs.project_version, "entities": list(obs.entities), "meta": dict(obs.metadata),
        "occurred_at": e.occurred_at.isoformat(), "template": template[:500], "novelty": e.novelty,
        "salience": e.salience, "task_relevance": e.task_relevance, "recalled": e.recalled, "directive": directive,
        "unresolved": e.unresolved, "state": "open", "folded_into": None,
    }  # fmt: skip


def failures_of(episodes: Sequence[Episode]) -> OrderedDict[str, brain_acts.OpenFailure]:
    """Failures of a session that may still be fixed, as a view holds them, for a reader that takes a stream over."""
    return OrderedDict(
        (e.id, brain_acts.open_failure(e, shell.act_of(e.tool, e.tool_input, e.command)))
        for e in episodes
        if e.unresolved or e.resolved_by
    )
