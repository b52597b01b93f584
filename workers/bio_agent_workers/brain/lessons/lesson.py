"""What a failure and its fix teach, read off the acts alone, and the server's own sentence for it.

No model is asked and no free text of an output enters a sentence: it is made of command forms and one error token.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bio_agent_schema.types import Act, Episode, FixKind, Kind, Lesson
from bio_agent_workers.brain.guarding.act_forms import (
    INSTANCE_KINDS,
    INTERPRETERS,
    is_edit,
    is_read,
    make_act,
    operand_kind,
    options,
    same_act,
    spelling,
    word_set,
)
from bio_agent_workers.brain.guarding.matching import ELEVATORS
from bio_agent_workers.brain.lessons.acts import BESIDES, main_acts, with_outputs
from bio_agent_workers.brain.lessons.detours import detour
from bio_agent_workers.brain.lessons.guard_facts import GuardFact, guard_fact_counts
from bio_agent_workers.brain.lessons.rendering import (
    forms,
    generalised,
    readdressed,
    render,
    resized,
    set_numbers,
    stripped_is_empty,
)
from bio_agent_workers.brain.lessons.rendering import shown as in_sentence
from bio_agent_workers.brain.lessons.wide_forms import SUBCOMMANDED, WideForms, wide
from bio_agent_workers.brain.lessons.word_pairs import words_of
from bio_agent_workers.brain.remedies.installs import foreign_names, lacking
from bio_agent_workers.brain.remedies.taint import FETCHERS, PIPE_TO_SHELL, SHELLS, pipes_to_shell, tainted_words
from bio_agent_workers.brain.remedies.unsafe import lowers_safety, runs_fetched

__all__ = ["GuardFact", "LessonReading", "guard_fact_counts", "lessons", "render"]

#: Acts between failure and fix that are shown, newest first to be kept.
MAX_BETWEEN = 4
#: Tool calls after a fix among which the failed command itself, now successful, still belongs to it.
SOON_AFTER = 3
#: The token of a shell that knows no such command.
NOT_FOUND = "command-not-found"
#: The token of a program that does not know an option.
UNKNOWN_OPTION = "unknown-option"


@dataclass(frozen=True, slots=True)
class LessonReading:
    """needs_person: the remedy lowers a protection, runs what was downloaded, or is nothing without a word that came from
    untrusted text. one_literal_only: failed and
    fixed form differ in one literal of that moment only (a path, an id); to be dropped. wide: its forms for the
    sentence, None where they would say no more."""

    lesson: Lesson
    needs_person: bool
    one_literal_only: bool
    wide: WideForms | None = None


@dataclass(frozen=True, slots=True)
class _Session:
    by_id: Mapping[str, Episode]
    ordered: Sequence[Episode]
    acts: Mapping[str, tuple[Act, ...]]
    typed: frozenset[str]
    manifest: frozenset[str]


def _pair(failure: Episode, failed: Sequence[Act], fixed: Sequence[Act]) -> tuple[Act, Act] | None:
    """The failed act and the act of the fix that answers it."""
    wrong, right = main_acts(failed, failure.content), main_acts(fixed)
    for a in wrong:
        for b in fixed:
            if same_act(a, b):
                return a, b
    return (wrong[-1], right[-1]) if wrong and right else None


#: Programs that show the state of a machine or of a file: a look on the way to the cure, and no part of it.
_DIAGNOSE = word_set(
    "journalctl dmesg traceroute tracepath mtr nc telnet tcpdump strace ltrace lscpu lsblk lsmod lspci lsusb ifconfig vmstat iostat"
    " nvidia-smi nm ldd objdump readelf apt-cache pgrep pidof getent"
)


#: Programs that change nothing when they are called with nothing: the shell's own, those that wait for a person, and those
#: that only tell how they are used.
_IDLE = BESIDES | INTERPRETERS | SUBCOMMANDED | word_set(
    "alias bg fg hash history jobs trap type ulimit umask shopt stty reset tput sync su sudo login logout exec eval tmux screen"
    " psql mysql sqlite3 redis-cli irb pry git docker podman kubectl helm terraform npm pnpm npx pip pipx uv poetry pipenv conda"
    " cargo rustup go gem composer brew apt-get dnf yum apk snap systemctl service"
)  # fmt: skip
_LOOKING = re.compile(r"(?:(?:run[-_])?tests?|check|verify|validate|status|lint|show|list|print)(?:[-_.]|$)", re.I)


def _bare(act: Act) -> bool:
    return not (act.verb or act.operands or options(act))


def _matters(act: Act) -> bool:
    """Whether an act may be a step of a cure: it does more than look. A program that is called with nothing is one as much."""
    if is_read(act) or act.tool in _DIAGNOSE or is_edit(act):
        return False
    if not _bare(act):
        return True
    return act.tool not in _IDLE and not ("/" in act.tool and _LOOKING.match(posixpath.basename(act.tool)))


def _between(
    failure: Episode,
    fix: Episode,
    fixed: Act,
    ordered: Sequence[Episode],
    acts: Mapping[str, tuple[Act, ...]],
) -> tuple[list[tuple[Act, str]], bool]:
    """Acts that changed something between a failure and its fix, with their episode, and whether files were edited."""
    found: list[tuple[Act, str]] = []
    edited = False
    already = {act.form for act in acts.get(failure.id, ())}
    for episode in ordered:
        if not failure.seq < episode.seq <= fix.seq or episode.kind is not Kind.TOOL:
            continue
        mine = acts.get(episode.id, ())
        if pipes_to_shell(mine) and not episode.is_failure:
            found.append((_piped(mine), episode.id))
        for act in mine:
            if episode.id == fix.id and act is fixed:
                break
            if episode.is_failure:
                continue
            edited = edited or is_edit(act)
            if not episode.command and _bare(act):
                continue  # a tool's bare name says nothing of what was done
            if _matters(act) and not same_act(act, fixed) and act.form not in already:
                found = [pair for pair in found if pair[0].form != act.form]
                found.append((act, episode.id))
    # A host tells the folder in which a line began; where the line itself goes elsewhere, that says nothing.
    moved = any(act.tool in ("cd", "pushd") for e in (failure, fix) for act in acts.get(e.id, ()))
    if not found and not moved and failure.cwd and fix.cwd and failure.cwd != fix.cwd:
        folder = posixpath.relpath(fix.cwd, failure.cwd)
        found.append((make_act("cd", "", (), (folder,), f"cd {folder}"), fix.id))
    # A line of inline code is most often a look at the state; it counts only when nothing else was done.
    done = [pair for pair in found if not _inline_code(pair[0])]
    return (done or found)[-MAX_BETWEEN:], edited


def _inline_code(act: Act) -> bool:
    return act.tool in INTERPRETERS and any(f.split("=", 1)[0] in ("-c", "-e", "--eval", "-p") for f in act.flags)


def _piped(acts: Sequence[Act]) -> Act:
    """A download run by a shell, as one act."""
    at = next(i for i, act in enumerate(acts) if act.tool in FETCHERS)
    urls = acts[at].operands
    return make_act(acts[-1].tool, "", (), urls, f"{acts[at].text} | {acts[-1].text}")


def _one_literal_only(failed: Act, fixed: Act) -> bool:
    """Whether the two differ, but not once literals of one moment are replaced: nothing is left that could be told."""
    return (
        same_act(failed, fixed)
        and spelling(failed) == spelling(fixed)
        and (failed.operands != fixed.operands or options(failed) != options(fixed))
    )


def _instances_only(failed: Act, fixed: Act) -> bool:
    """Whether they differ only in operands that name one thing of one moment (a container, a process)."""
    if (failed.tool, failed.verb, options(failed)) != (fixed.tool, fixed.verb, options(fixed)):
        return False
    if len(failed.operands) != len(fixed.operands) or failed.operands == fixed.operands:
        return False
    pairs = enumerate(zip(failed.operands, fixed.operands, strict=True))
    return all(operand_kind(fixed, at) in INSTANCE_KINDS for at, (a, b) in pairs if a != b)


def lessons(
    episodes: Sequence[Episode],
    acts: Mapping[str, tuple[Act, ...]],
    links: Sequence[tuple[str, str]],
    *,
    typed: Collection[str] = (),
    manifest: Collection[str] = (),
) -> list[LessonReading]:
    """Lessons of one session, one for each failed form and fix, in the order of the fixes.

    links: (failure id, fix id). typed: words the agent had typed in earlier sessions; manifest: names the workspace's
    manifests name. Both lift the taint off a word of the remedy.
    """
    ordered = sorted(episodes, key=lambda e: e.seq)
    by_id = {episode.id: episode for episode in ordered}
    acts = with_outputs(ordered, acts)
    grouped: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    pairs: dict[tuple[str, str, str], tuple[Act, Act]] = {}
    for failure_id, fix_id in links:
        failure, fix = by_id.get(failure_id), by_id.get(fix_id)
        if failure is None or fix is None:
            continue
        pair = _pair(failure, acts.get(failure_id, ()), acts.get(fix_id, ()))
        if pair is None or not all(act.verb or act.operands or act.flags or fix.command for act in pair):
            continue
        key = (pair[0].form + "\0" + spelling(pair[0]), fix_id, pair[1].form)
        grouped[key].append(failure_id)
        pairs.setdefault(key, pair)
    out: list[LessonReading] = []
    for key, failure_ids in grouped.items():
        session = _Session(by_id, ordered, acts, frozenset(typed), frozenset(manifest))
        reading = _read(session, pairs[key], failure_ids, key[1])
        if reading is not None:
            out.append(reading)
    return sorted(out, key=lambda r: by_id[r.lesson.fix_id].seq)


def _read(session: _Session, pair: tuple[Act, Act], failure_ids: Sequence[str], fix_id: str) -> LessonReading | None:
    failed, fixed = pair
    by_id, ordered, acts = session.by_id, session.ordered, session.acts
    last = max((by_id[i] for i in failure_ids), key=lambda e: e.seq)
    fix = by_id[fix_id]
    token = next((by_id[i].error_token for i in reversed(failure_ids) if by_id[i].error_token), "")
    between, edited = _between(last, fix, fixed, ordered, acts)
    # A form does not show an empty word, and yet it is one (`sed -i '' …`).
    other_words = resized(failed, fixed) or readdressed(failed, fixed)
    same = same_act(failed, fixed) and failed.operands.count("") == fixed.operands.count("") and not other_words
    respelled = same and spelling(failed) != spelling(fixed)
    if between and (same or (_only_more_options(failed, fixed) and _supplied(last, between))):
        kind = FixKind.PREPARE
    elif (same and not respelled) or _instances_only(failed, fixed):
        if edited or not same:
            # A hand-made edit made it work: what it changed holds for that file alone.
            return None
        kind, between = FixKind.FLAKY, []
    elif again := _won_later(session, failed, fix):
        # What closed it was a step on the way: the failed command itself worked then.
        kind, between, fixed = FixKind.PREPARE, [*between, (fixed, fix_id)][-MAX_BETWEEN:], again
    else:
        kind, between = FixKind.REPLACE, []
    chain: list[Act] = []
    way = detour(failed, fixed, (last, fix), ordered, acts) if kind is FixKind.REPLACE and not edited else None
    if kind is FixKind.REPLACE:
        # `cd app && make`: what the fixing line did before belongs to the form that worked.
        line = acts.get(fix_id, ())
        # What the failing line did as well (`cd app && …` in both) is no part of it.
        already = {act.form for act in acts.get(last.id, ())}
        before = line[: line.index(fixed)] if fixed in line else ()
        chain = [act for act in before if _matters(act) and act.form not in already]
        if way is not None:
            chain = [way.step]
    remedy = [*chain, fixed] if kind is FixKind.REPLACE else [act for act, _ in between]
    known = session.typed | session.manifest | ({way.made} if way is not None and way.made else set())
    tainted = tainted_words(remedy, (failed, last.seq, fix.seq), ordered, acts, known=known)
    if any(f"| {shell}" in act.text for act in remedy for shell in SHELLS) and PIPE_TO_SHELL not in tainted:
        # Whoever typed it: without the address nothing is left of it, and an address is never shown.
        tainted.append(PIPE_TO_SHELL)
    if PIPE_TO_SHELL not in tainted and runs_fetched(remedy, [e for e in ordered if e.seq <= fix.seq], acts):
        tainted.append(PIPE_TO_SHELL)
    only = _one_literal_only(failed, fixed) and kind is FixKind.FLAKY
    shown = (failed, fixed) if kind is FixKind.FLAKY else generalised(failed, fixed, kind)
    if token == NOT_FOUND and kind is FixKind.REPLACE and respelled:
        shown = _program_only(failed, fixed), _program_only(fixed, failed)
    if chain:
        steps = " && ".join([*(in_sentence(act, tainted, kept=set_numbers(act)) for act in chain), shown[1].text])
        shown = (shown[0], replace(shown[1], text=steps))
    lesson = Lesson(
        kind=kind,
        failed=shown[0],
        fixed=shown[1],
        error_token=token,
        failure_ids=tuple(failure_ids),
        fix_id=fix_id,
        between=tuple(act for act, _ in between),
        between_ids=(way.episode_id,) if way is not None else tuple(dict.fromkeys(i for _, i in between)),
        tainted=tuple(tainted),
    )
    unsafe = kind is not FixKind.FLAKY and any(lowers_safety(act) for act in remedy)
    led = any(word in tainted for word in readdressed(failed, fixed))
    needs_person = unsafe or led or (way is not None and way.changes) or (bool(tainted) and stripped_is_empty(lesson))
    if kind is FixKind.REPLACE and len(set(forms(lesson))) == 1 and not other_words:
        only = True  # they differ in what a sentence does not show (a query, a message): nothing is left to be told
    # Where a chain of steps or the program itself is the lesson, there is no word to leave out.
    plain = not chain and shown == (generalised(failed, fixed, kind) if kind is not FixKind.FLAKY else (failed, fixed))
    told = wide(failed, fixed, kind, lesson.between) if plain else way.wide if way is not None else None
    word = lacking(last.content[:4000]) if told is not None and kind is FixKind.PREPARE else ""
    if told is not None and word and any(name in tainted for act in remedy for name in foreign_names(act)):
        # Which package it was is not said; what it brought is.
        told = replace(told, named=(word, *(w for w in told.named if w != word)))
    if told is not None and _LIMIT.search(last.content[:4000]):
        # Another number beyond the same limit fails as well.
        beyond = told.numbers - set(words_of(told.fixed.text))
        told = replace(told, numbers=told.numbers - beyond, named=(*told.named, *sorted(beyond)))
    if told is not None and token == UNKNOWN_OPTION:
        told = replace(told, failed=replace(told.failed, text=_any_value(told, last.content[:4000])))
    return LessonReading(lesson, needs_person, only, told)


def _any_value(told: WideForms, error: str) -> str:
    """The failed form with any value for an option that the program does not know, where the remedy has neither."""
    words, kept = words_of(told.failed.text), {*words_of(told.fixed.text)}
    for at, (option, value) in enumerate(pairwise(words)):
        name = option.lstrip("-")
        unknown = option != name and option not in kept and re.search(rf"(?<![\w-])-*{re.escape(name)}(?![\w-])", error)
        if unknown and value not in kept and value[:1] not in ("-", "<", "'", '"'):
            words[at + 1] = "<value>"
    return " ".join(words)


def _won_later(session: _Session, failed: Act, fix: Episode) -> Act | None:
    """The failed command as it succeeded soon after its fix, None where it did not."""
    after = [e for e in session.ordered if e.seq > fix.seq and e.kind is Kind.TOOL]
    for episode in after[:SOON_AFTER]:
        mine = session.acts.get(episode.id, ())
        found = next((a for a in mine if same_act(a, failed) and a.operands == failed.operands), None)
        if found is not None:
            return None if episode.is_failure or spelling(found) != spelling(failed) else found
    return None


#: Verbs that bring in what was missing, and what a failure for that says.
_SUPPLIES = word_set("install add get ci sync restore require update bootstrap i")
_MISSING = re.compile(
    r"no module named|module ?not ?found|cannot find (?:module|package)|can't resolve|could not (?:resolve|find) (?:module|package|gem)"
    r"|not installed|missing (?:module|package|dependenc)|no required module|unresolved import|command not found"
    r"|cannot load such file|not found|找不到模块|未安装|chưa cài",
    re.IGNORECASE,
)


#: What a failure says of a value that lies beyond a limit.
_LIMIT = re.compile(
    r"\b(?:minimum|maximum|at (?:least|most)|too (?:small|short|large|long|big|many|few|low|high)|exceed|out of range|exhausted)"
    r"|must be (?:between|greater|less|more)|至少|最多|太[大小短长]|超出|tối (?:thiểu|đa)|quá (?:lớn|nhỏ|dài|ngắn)",
    re.IGNORECASE,
)


def _only_more_options(failed: Act, fixed: Act) -> bool:
    """Whether the fix is the failed act with options added."""
    alike = (failed.tool, failed.verb, failed.operands, spelling(failed)) == (
        fixed.tool, fixed.verb, fixed.operands, spelling(fixed),
    )  # fmt: skip
    return alike and options(failed) < options(fixed) and not any("=" in f and f[0] != "-" for f in options(fixed))


def _supplied(failure: Episode, between: Sequence[tuple[Act, str]]) -> bool:
    """Whether something was missing and then installed: that was the cure, not an option that came with the next try."""
    brought = any(not _SUPPLIES.isdisjoint(act.verb.split()) for act, _ in between)
    return brought and _MISSING.search(f"{failure.error_token} {failure.content[:4000]}") is not None


def _program_only(act: Act, other: Act) -> Act:
    """The program without what it was asked: where a command does not exist, its arguments are no part of the lesson.

    Where the other form spells a sub-command as a part of the name (`docker-compose`), it is named with it here
    (`docker compose`).
    """
    said = tuple(flag for flag in act.flags if flag.startswith("@"))
    named = [w for w in act.text.split() if "=" not in w and w not in ELEVATORS]
    name = named[0] if named else act.tool
    verb = act.verb.split(" ", 1)[0]
    if verb and f"{act.tool}-{verb}" in spelling(other).split():
        name = f"{name} {verb}"
    return make_act(act.tool, "", said, (), name)
