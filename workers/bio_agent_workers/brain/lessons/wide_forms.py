"""A lesson told of the kind of command instead of the one that failed: what both commands share becomes a placeholder,
what they differ in stays.

This is the least general form that covers both (Plotkin 1970), word by word. It is what an agent is told; what the guard
holds against a call is narrower (`rendering.generalised`). The words that went are named beside it, so that a reader can
weigh whether another command is of that kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType

from bio_agent_schema.types import Act, FixKind
from bio_agent_workers.brain.guarding.act_forms import (
    COSMETIC,
    EVERYBODYS,
    INTERPRETERS,
    TASK_RUNNERS,
    TRUNKS,
    core,
    is_read,
    operand_kind,
    word_set,
)
from bio_agent_workers.brain.guarding.commands import works_alone
from bio_agent_workers.brain.lessons.tokens import ASSIGNED, Token, text_of, tokens_of
from bio_agent_workers.brain.lessons.word_pairs import ASKING, FILE, as_module, bare, other_form, other_part, words_of
from bio_agent_workers.brain.remedies.destructive import destroys, telling_operand
from bio_agent_workers.brain.remedies.gives_up import gives_up

__all__ = ["SUBCOMMANDED", "WideForms", "subcommand", "wide", "words_of"]

MOST_NAMED = 2  # words named beside a form
_OPEN_ADDRESS = "://<"
_CLUSTER = re.compile(r"-[A-Za-z]{2,5}")
_LOOKS = {"q": "--quiet", "v": "--verbose", "s": "--silent", "S": "--show-error"}
_NUMBER = re.compile(r"\d{1,6}")
_SWITCH = re.compile(r"[A-Za-z_]\w*=\d{1,6}", re.ASCII)
_NAME = re.compile(r"[A-Za-z][\w:-]*", re.ASCII)
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9_:-]*")
_PLAIN = re.compile(r"[\w./:@+~%*=,-]+")
_SAFE = re.compile(r"[\w./:@+-]{1,40}", re.ASCII)
#: Options whose value is a file the command reads or writes: the option tells the kind of act, its value nothing.
_FILE_OPTIONS = word_set("-f --file -C --directory")
#: Programs with sub-commands that the parser does not know as such.
SUBCOMMANDED = word_set(
    "openssl gh aws gcloud az ip nmcli launchctl adb flutter dotnet mise asdf rclone restic hg svn unittest rails gradle"
    " gradlew mvn mvnw vagrant turbo nx lerna ng vite next nuxt astro expo eas flask alembic django-admin nvm rbenv pyenv"
    " direnv sam serverless sls wrangler vercel netlify firebase supabase prisma hatch pdm flit mix sbt lein stack cabal"
)
#: What any program may be asked to do, where it stands first.
_ASKED = word_set(
    "test build deploy publish release install uninstall update upgrade downgrade migrate rollback start stop restart serve"
    " run exec init apply destroy create delete remove add push pull sync clean lint format check up down login logout"
)
#: Sub-commands of package managers that run a task of the project by its name.
_RUNS = re.compile(r"(?:run|run-script) (\S+)")
#: Programs whose name says what is done, to a file or a folder that may have any name.
_FILES = word_set("mkdir cd pushd cp mv ln touch chmod chown rsync tar zip unzip gzip open source cmake meson tee")


@dataclass(frozen=True, slots=True)
class WideForms:
    """failed, fixed: forms of a lesson as its sentence shows them; steps: what is done first; named: words of the very
    command that failed, for which placeholders stand. numbers: settings and addresses in which the two forms
    differ."""

    failed: Act
    fixed: Act
    steps: tuple[Act, ...]
    named: tuple[str, ...]
    numbers: frozenset[str] = frozenset()


def wide(failed: Act, fixed: Act, kind: FixKind, steps: Sequence[Act] = ()) -> WideForms | None:
    """The wide forms of a lesson, None where nothing could be left out of it. Acts as parsed."""
    if kind is FixKind.FLAKY or any(destroys(act) or gives_up(act) for act in (failed, fixed, *steps)):
        return None  # what destroys is told as it was: a placeholder could hide how far it reaches
    left, right = tokens_of(failed), tokens_of(fixed)
    names: dict[str, str] = {}
    if kind is FixKind.PREPARE:
        asked = {bare(word) for step in steps for word in words_of(step.text)}
        needed = frozenset(
            t.word for t in left if t.role == "value"
            and any(bare(t.word) == word or bare(t.word).startswith(f"{word}/") for word in asked)
        )  # fmt: skip
        told = _told(left, left, failed, names, needed=needed)
        script = next((t.word for t in left if t.role == "program" and "/" in t.word), "")
        if script and any(bare(script) in map(bare, words_of(step.text)) for step in steps):
            # `chmod +x x.sh`, then `./x.sh`: which script it was does not matter.
            names[script] = "<script>"
            told = told.replace(script, "./<script>", 1)
        done = tuple(_bound(step, failed, names) for step in steps)
        if told == text_of(left):
            return None
        form = replace(failed, text=told, operands=())
        return WideForms(form, replace(fixed, text=told, operands=()), done, _named(left, names))
    before = right[: len(right) - len(left)]
    handed = failed.tool != fixed.tool and any(t.role != "var" for t in before)
    if handed and f"{text_of(before)} {text_of(left)}" == text_of(right):
        return _wrapped(left, before, failed, fixed)
    derived = _derived(left, right)
    if failed.tool != fixed.tool and failed.tool in INTERPRETERS and failed.operands[:1] == fixed.operands[:1] != ():
        names[failed.operands[0]] = "<file>"  # another interpreter: which script it was does not matter
    # Where a word of the failed command is at fault, the options that both have besides it are no part of the lesson.
    lean = bool(Counter(t.word for t in left if t.role != "program") - Counter(t.word for t in right))
    a = _told(left, right, failed, names, {old: new[0] for old, new in derived.items()}, lean)
    b = _told(right, left, fixed, names, {new[1]: new[2] for new in derived.values()}, lean)
    program = next((t.word for t in left if t.role == "program" and "/" in t.word), "")
    own = ("/" in failed.tool or program.startswith("bin/")) and not _known(program.rsplit("/", 1)[-1])
    if program and own and [t for t in right if t.role != "var"] == left:
        # What a program of the project lacked is set before it: the others most likely lack it as well.
        names[program] = "<script>"
        a, b = (told.replace(program, "./<script>", 1) for told in (a, b))
    if a == b or (a == text_of(left) and b == text_of(right)):
        return None
    unshared = [tuple(o for o in act.operands if o not in names) for act in (failed, fixed)]
    return WideForms(
        replace(failed, text=a, operands=unshared[0]),
        replace(fixed, text=b, operands=unshared[1]),
        (),
        _named(left, names),
        _settings(left, right) | _settings(right, left) | {w for w in words_of(f"{a} {b}") if _OPEN_ADDRESS in w},
    )


def wide_swap(failed: Act, fixed: Act, swap: tuple[str, str], slots: tuple[str, str]) -> WideForms | None:
    """The wide forms of two commands that differ in one word only, for which `slots` stand; None where one destroys."""
    if any(destroys(act) or gives_up(act) for act in (failed, fixed)):
        return None
    told: list[Act] = []
    named: tuple[str, ...] = ()
    for act, word, slot in zip((failed, fixed), swap, slots, strict=True):
        tokens = tokens_of(act)
        names = {t.word: slot for t in tokens if bare(t.word) == word}
        text = _told(tokens, tokens, act, names, needed=frozenset(names))
        for program in (t.word for t in tokens if t.role == "program" and t.word in names and "/" in t.word):
            text = text.replace(program, f"./{slot}", 1)
        told.append(replace(act, text=text, operands=()))
        named = named or _named(tokens, names)
    return WideForms(told[0], told[1], (), named)


def _wrapped(left: Sequence[Token], before: Sequence[Token], failed: Act, fixed: Act) -> WideForms | None:
    """The wide forms where the whole failed command was handed to another: what it was asked is no part of the lesson."""
    names: dict[str, str] = {}
    script = failed.operands[0] if failed.tool in INTERPRETERS and failed.operands and not failed.verb else ""
    kept = []
    for token in left:
        if token.role in ("program", "verb"):
            kept.append(token.word)
        elif token.role == "operand" and token.plain == script and token.at == 0:
            kept.append(_put(names, token.word, "file"))
        elif token.role == "operand":
            _put(names, token.word, _kind_of(token.plain))
    told = " ".join(kept)
    if told == text_of(left):
        return None
    return WideForms(
        replace(failed, text=told, operands=()),
        replace(fixed, text=f"{text_of(before)} {told}", operands=()),
        (),
        _named(left, names),
    )


def _settings(mine: Sequence[Token], others: Sequence[Token]) -> frozenset[str]:
    """The numbers that this side alone gives to an option or a variable (`-m 1`, `CI=1`): a setting, no literal of one
    moment."""
    theirs = {(a.word, b.word) for a, b in pairwise(others)}
    given = {
        b.word for a, b in pairwise(mine)
        if a.role == "option" and _NUMBER.fullmatch(b.word) and (a.word, b.word) not in theirs
    }  # fmt: skip
    return frozenset(
        given | {t.word for t in mine if t.role == "var" and t not in others and _SWITCH.fullmatch(t.word)}
    )


def _told(
    mine: Sequence[Token],
    others: Sequence[Token],
    act: Act,
    names: dict[str, str],
    derived: Mapping[str, str] = MappingProxyType({}),
    lean: bool = False,
    needed: frozenset[str] = frozenset(),
) -> str:
    """A side of the lesson in its wide form. names: word → placeholder of what went, added to. derived: words that take
    another form. lean: options that both sides have go. needed: values of options that a step
    takes up."""
    left = Counter(t.word for t in others if t.role not in ("program", "var"))
    kept: list[str] = []
    for at, token in enumerate(mine):
        both = left[token.word] > 0 and token.role not in ("program", "var")
        left[token.word] -= both
        value = mine[at + 1] if at + 1 < len(mine) and mine[at + 1].role == "value" else None
        if token.role == "verb" and (task := _task(act, mine, at)) and both:
            kept.append(_put(names, token.word, task))
        elif (
            token.role == "option"
            and both
            and (_incidental(token, value, mine, others) or (lean and value is None and _stands_alone(mine, at)))
        ):
            continue
        elif token.role == "option" and both and (plain := _without_looks(token.word, act)) != token.word:
            kept += [plain] if plain else []
        elif token.role == "value" and both and _holds(mine, others, at):
            option = mine[at - 1].word
            if option in _FILE_OPTIONS or (not option.startswith("--") and len(option) > 2):
                kept.append(_put(names, token.word, _kind_of(token.plain, "path")))
            elif token.word in needed:
                kept += [option, _put(names, token.word, _kind_of(token.plain))]
        elif token.role == "value" and (both or token.word in names):
            kept.append(_put(names, token.word, _kind_of(token.plain)))  # what the other side has as an operand
        elif token.role == "verb" and both and any(t.word == token.word and t.role == "operand" for t in others):
            kept.append(_put(names, token.word, _kind_of(token.plain)))  # a name that was taken for a sub-command
        elif token.role in ("operand", "verb") and token.word in derived:
            kept.append(derived[token.word])
        elif token.role == "operand" and both:
            kept.append(_operand(act, token, names))
        else:
            kept.append(token.word)
    return re.sub(r"(<[a-z_]+>)(?: \1)+", r"\1", " ".join(kept))


def _holds(mine: Sequence[Token], others: Sequence[Token], at: int) -> bool:
    """Whether both sides give the option before place `at` the same value."""
    pair = (mine[at - 1].word, mine[at].word)
    return any((a.word, b.word) == pair for a, b in pairwise(others))


def _stands_alone(mine: Sequence[Token], at: int) -> bool:
    """Whether nothing stands behind an option that might be its value."""
    return at + 1 == len(mine) or mine[at + 1].role == "option"


def _incidental(token: Token, value: Token | None, mine: Sequence[Token], others: Sequence[Token]) -> bool:
    """Whether an option that both sides have is about looks, or a setting of this one command."""
    if token.word in COSMETIC and not _may_take(token.word, mine, others):
        return True
    if value is None or not _holds(mine, others, mine.index(value)):
        return False
    cluster = not token.word.startswith("--") and len(token.word) > 2  # `-xzf`: what is done, and a file
    return token.word not in _FILE_OPTIONS and not cluster


def _without_looks(word: str, act: Act) -> str:
    """A cluster of short options without those that are about looks, where the program's options are known: `-xvf` is `-xf`;
    "" where nothing is left."""
    if not _CLUSTER.fullmatch(word):
        return word
    rest = "".join(c for c in word[1:] if _LOOKS.get(c) not in act.flags)
    return f"-{rest}" if rest else ""


def _may_take(word: str, *sides: Sequence[Token]) -> bool:
    """Whether `-s` may be more than "silent": on every side a word stands behind it that it may take (`discover -s tests`)."""
    behind = [b.role for side in sides for a, b in pairwise(side) if a.word == word]
    return word == "-s" and len(behind) == len(sides) and all(role in ("operand", "value") for role in behind)


def _operand(act: Act, token: Token, names: dict[str, str]) -> str:
    """A shared operand: a placeholder, or itself where it says what is done."""
    word, at = token.plain, token.at
    if token.word in names:
        return names[token.word]
    if word.isdigit() or (act.operands[at : at + 1] == (word,) and subcommand(act, at)):
        return token.word
    if word in EVERYBODYS or word.startswith(("<", "-")) or ASSIGNED.match(word) or not word:
        return token.word
    if act.tool in INTERPRETERS and not act.verb:
        asked = len(act.operands) > 1 and _SUBCOMMAND.fullmatch(act.operands[1]) is not None
        if asked and at < 2:
            return token.word  # `manage.py migrate`: the script is a program of its own
        return _put(names, token.word, "file" if at == 0 else _kind(act, at, word))
    if act.tool in TASK_RUNNERS and _NAME.fullmatch(word):
        return _put(names, token.word, "target")
    if word in TRUNKS and (act.tool != "git" or act.verb == "push"):
        return token.word
    return _put(names, token.word, _kind(act, at, word))


def _kind(act: Act, at: int, word: str) -> str:
    found = operand_kind(act, at) if at < len(act.operands) and act.operands[at] == word else ""
    return found if found and _PLAIN.fullmatch(word) else _kind_of(word)


def _kind_of(word: str, otherwise: str = "arg") -> str:
    """What a word looks like by itself."""
    if "://" in word:
        return "url"
    if not _PLAIN.fullmatch(word):
        return "text"
    return "file" if FILE.fullmatch(word) else "path" if "/" in word else otherwise


def _task(act: Act, mine: Sequence[Token], at: int) -> str:
    """What token number `at` names, where it is a task that is asked for by `run`; `npm test` is an act of its own."""
    found = _RUNS.fullmatch(act.verb)
    said = found is not None and found[1] == mine[at].word and mine[at - 1].role == "verb"
    return "script" if said else ""


def subcommand(act: Act, at: int) -> bool:
    """Whether operand number `at` says what is done, in a program whose sub-commands the parser does not know: the first
    one of `rails test`, `./gradlew build`, `mytool deploy`; a tester's first operand is what it tests."""
    if at or (act.tool in INTERPRETERS and not act.verb) or not _SUBCOMMAND.fullmatch(act.operands[0]):
        return False
    program = act.verb.removeprefix("-m ") if act.verb.startswith("-m ") else core(act).split(" ")[0]
    if program.rsplit("/", 1)[-1] in SUBCOMMANDED:
        return True
    itself = act.verb and program == act.tool  # `npm install build`: the parser has found what is done
    return act.operands[0] in _ASKED and not (itself or _known(program) or is_read(act))


def _known(program: str) -> bool:
    """Whether a program is everybody's, and no program of the project."""
    return works_alone(program) or program in _FILES | TASK_RUNNERS | SUBCOMMANDED


def _put(names: dict[str, str], word: str, kind: str) -> str:
    if telling_operand(word.strip("'\"")):
        return word
    names.setdefault(word, f"<{kind}>")
    return names[word]


def _named(tokens: Sequence[Token], names: dict[str, str]) -> tuple[str, ...]:
    """The words for which placeholders stand, as they were, where they are names and nothing longer."""
    went = dict.fromkeys(t.plain for t in tokens if t.word in names)
    return tuple(word for word in went if _SAFE.fullmatch(word))[:MOST_NAMED]


def _derived(left: Sequence[Token], right: Sequence[Token]) -> dict[str, tuple[str, str, str]]:
    """Words that stand in both in another form. Word of the failed form → (its wide form, the word of the fix, that word's
    wide form)."""
    asks = any(t.role == "program" and t.word in ASKING for t in left)
    gone = [t for t in left if t.role == "operand" and t.word not in {r.word for r in right}]
    come = [t for t in right if t.role in ("operand", "verb") and t.word not in {x.word for x in left}]
    out: dict[str, tuple[str, str, str]] = {}
    for old in gone:
        for new in come:
            found = as_module(old.plain, new.plain)
            if found is None and new.role == "operand":
                found = (other_part(old.plain, new.plain) if asks else None) or other_form(old.plain, new.plain)
            if found is not None:
                out[old.word] = (found[0], new.word, found[1])
                break
    return out


def _bound(step: Act, failed: Act, names: dict[str, str]) -> Act:
    """A step with the words that it takes from the failed command as placeholders: `mkdir -p out` before `tar -C out`."""
    known = {bare(word): slot for word, slot in names.items()}
    words = []
    for at, word in enumerate(words_of(step.text)):
        plain = bare(word)
        # The folder that holds what was named: `mkdir -p out` before `cp a out/b`.
        above = any(other.startswith(plain + "/") for other in known) and plain != "."
        words.append(known[plain] if at and plain in known else "<path>" if at and above else word)
    text = re.sub(r"(<[a-z_]+>)(?: \1)+", r"\1", " ".join(words))
    return replace(step, text=text, operands=tuple(o for o in step.operands if o in words))
