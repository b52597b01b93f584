"""Which later act closed a failure: the same command, a corrected form of it, or the same goal by another tool.

Precise rather than greedy: an unlinked pair is found again by a model or a person, a wrong pair becomes a wrong rule.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from bio_agent_schema.types import Act, Episode, Kind
from bio_agent_workers.brain.guarding.act_forms import (
    SHELL_READS,
    core,
    family,
    is_dry,
    is_edit,
    is_read,
    make_act,
    operand_kind,
    options,
    placeholders,
    same_act,
    spelling,
    word_set,
)
from bio_agent_workers.brain.lessons import reports
from bio_agent_workers.brain.lessons.corrections import (
    MISUSED,
    RIVALS,
    corrects,
    names_added_option,
    operands_of,
    script_of,
)
from bio_agent_workers.brain.lessons.detours import INTO, from_its_folder, products, swapped
from bio_agent_workers.brain.lessons.word_pairs import bare, words_of

__all__ = [
    "core",
    "family",
    "is_dry",
    "is_edit",
    "is_read",
    "link_failures",
    "main_acts",
    "make_act",
    "operand_kind",
    "options",
    "placeholders",
    "resolves",
    "same_act",
    "spelling",
    "with_outputs",
]

#: Tools whose reads are attempts: a query that failed is worth a correction.
_ASKING = frozenset({"curl", "wget", "psql", "mysql", "sqlite3"})


#: Files noted as made of what a failure names.
MOST_MADE = 100
#: What a line does beside what it is for: it moves about, waits, looks at where it is, or says how it ends.
BESIDES = word_set("cd pushd popd export unset set source . sleep wait true false : exit return clear pwd date")


def main_acts(acts: Sequence[Act], content: str = "") -> tuple[Act, ...]:
    """The acts of one call that can have failed it: the last that does more than change folder or filter output, and
    any whose name the output names first."""
    doing = [act for act in acts if act.tool not in BESIDES]
    if not doing:
        return tuple(acts[-1:])
    strong = [
        act
        for act in doing
        if not is_read(act) or act.tool not in ("echo", "tail", "head", "grep", "sort", "wc", "cat")
    ]
    head = content[:200].lower()
    named = [
        act for act in strong if len(strong) > 1 and head.startswith((act.tool.lower() + ":", act.tool.lower() + " "))
    ]
    return tuple(named or (strong or doing)[-1:])


@dataclass(frozen=True, slots=True)
class OpenFailure:
    """A failure that waits for what resolves it, with what every later success would have to compute again.

    attempts: acts that can have failed; tried: those of them that were more than a look; error: lower case; keys: see
    `keys_of`. made: files that later lines made of something it names.
    """

    episode: Episode
    attempts: tuple[Act, ...]
    tried: tuple[Act, ...]
    error: str
    keys: frozenset[str]
    made: set[str] = field(default_factory=set, compare=False)


def open_failure(failure: Episode, acts: Sequence[Act]) -> OpenFailure:
    attempts = _attempts(failure, acts)
    # A look that found nothing was no attempt; only the same look again would close it.
    error = failure.content[:4000].lower()
    misused = MISUSED.search(error) is not None
    tried = [act for act in attempts if not is_read(act) or act.tool in _ASKING or _is_test(act) or misused]
    return OpenFailure(failure, tuple(attempts), tuple(tried), error, keys_of(acts))


def resolves(failure: Episode, failure_acts: Sequence[Act], later: Episode, later_acts: Sequence[Act]) -> bool:
    """Whether `later` closed `failure`: the same command, test or goal succeeded afterwards in the same session."""
    return closed_by(
        open_failure(failure, failure_acts),
        later,
        later_acts,
        main_acts(later_acts, later.content),
        keys_of(later_acts),
    )


def closed_by(
    failure: OpenFailure, later: Episode, later_acts: Sequence[Act], goals: Sequence[Act], keys: frozenset[str]
) -> bool:
    """As `resolves`; goals, keys: main_acts and keys_of of `later_acts`, computed once for all open failures. Where it did not
    close the failure, what it made is noted: `install -m 600 k k2` makes `k2` of `k`."""
    e = failure.episode
    if failure.keys and keys and failure.keys.isdisjoint(keys):
        return False
    if later.is_failure or later.seq <= e.seq or later.session != e.session or e.workspace != later.workspace:
        return False
    if later.kind is Kind.OUTCOME and e.goal and e.goal == later.goal:
        return later.exit_code == 0 or reports.is_done(later.content) or later.severity < 0.5
    if later.kind not in (Kind.TOOL, Kind.EVENT, Kind.OUTCOME):
        return False
    if not failure.attempts:
        return reports.closes(e, later)
    if any(same_act(a, b) and _same_objects(a, b) for a in failure.attempts for b in later_acts):
        return True
    if _same_product(failure, later, goals):
        return True
    if any(corrects(a, b, failure.error) for a in failure.tried for b in goals):
        return True
    pairs = [(a, b) for a in failure.attempts for b in goals]
    if any(names_added_option(a, b, failure.error) or from_its_folder(a, later_acts) for a, b in pairs):
        return True
    if failure.made and any((swap := swapped(a, b)) and swap.new in failure.made and not is_dry(b) for a, b in pairs):
        return True
    for _, sources, file in products(later.command, later_acts) if len(failure.made) < MOST_MADE else ():
        if any(bare(word) in sources for a in failure.attempts for word in words_of(a.text)):
            failure.made.add(file)
    return False


def _same_product(failure: OpenFailure, later: Episode, goals: Sequence[Act]) -> bool:
    """Whether the later line wrote the very file that the failed one was to write, from something that it read as well:
    `tail -r x > y`, then `tac x > y`. A look that found nothing says nothing, and is no failure of that kind."""
    before, after = INTO.search(failure.episode.command), INTO.search(later.command)
    if before is None or after is None or before[1] != after[1] or not failure.episode.content.strip():
        return False
    return any(
        not operands_of(a).isdisjoint(operands_of(b)) or corrects(a, b, failure.error)
        for a in failure.attempts for b in goals
    )  # fmt: skip


def _same_objects(a: Act, b: Act) -> bool:
    """Two acts of one form are one goal unless they name another file or address; ids, dates and numbers may differ."""
    for x, y in zip(a.operands, b.operands, strict=False):
        if x != y and x.rstrip("/").rsplit("/", 1)[-1] != y.rstrip("/").rsplit("/", 1)[-1]:
            form = placeholders(x)
            if "<path>" in form or "<url>" in form or "<host>" in form:
                return False
    return True


def _attempts(failure: Episode, acts: Sequence[Act]) -> list[Act]:
    """The acts that can have failed, without bare tool names that say nothing of what was tried."""
    said = main_acts(acts, failure.content)
    return [act for act in said if act.verb or act.operands or act.flags or failure.command]


def _is_test(act: Act) -> bool:
    return "test" in act.tool or "test" in act.verb or not _known_read(act)


def _known_read(act: Act) -> bool:
    return act.tool in SHELL_READS or act.tool in ("git", "docker", "kubectl", "find")


def keys_of(acts: Sequence[Act]) -> frozenset[str]:
    """Cheap marks of which at least one must be shared before two episodes are compared."""
    keys: set[str] = set()
    for act in acts:
        keys.update((act.tool, core(act).split(" ", 1)[0], *list(operands_of(act))[:16]))
        keys.update(f"rival:{n}" for n, group in enumerate(RIVALS) if act.tool in group)
        script = script_of(act)
        if script:
            keys.update((script, posixpath.basename(script)))
    return frozenset(keys)


def with_outputs(ordered: Sequence[Episode], acts: Mapping[str, tuple[Act, ...]]) -> Mapping[str, tuple[Act, ...]]:
    """An output that came as an observation of its own shares the acts of the command in front of it."""
    out = dict(acts)
    for before, output in pairwise(ordered):
        bare = output.kind is Kind.TOOL and not output.command and not output.tool_input
        named = any(act.verb or act.operands or act.flags for act in out.get(output.id, ()))
        if bare and not named and before.command and not before.content.strip() and before.tool == output.tool:
            out[output.id] = out.get(before.id, ())
    return out


def link_failures(episodes: Sequence[Episode], acts: Mapping[str, tuple[Act, ...]]) -> list[tuple[str, str]]:
    """(failure id, fix id) for each failure of one session that a later episode closed; the first that did counts.

    episodes: of one session, any order. acts: canonical acts by episode id; missing means none.
    """
    ordered = sorted(episodes, key=lambda e: e.seq)
    acts = with_outputs(ordered, acts)
    keys = [keys_of(acts.get(e.id, ())) for e in ordered]
    goals = [main_acts(acts.get(e.id, ()), e.content) for e in ordered]
    links: list[tuple[str, str]] = []
    for at, failure in enumerate(ordered):
        if not failure.is_failure:
            continue
        waiting = open_failure(failure, acts.get(failure.id, ()))
        for next_at in range(at + 1, len(ordered)):
            later = ordered[next_at]
            if closed_by(waiting, later, acts.get(later.id, ()), goals[next_at], keys[next_at]):
                links.append((failure.id, later.id))
                break
    return links
