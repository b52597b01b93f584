"""A lesson told of the kind of command instead of the one that failed: what both commands share becomes a placeholder,
what they differ in stays.

This is the least general form that covers both (Plotkin 1970), word by word. It is what an agent is told; what the guard
holds against a call is narrower (`rendering.generalised`). The words that went are named beside it, so that a reader can
weigh whether another command is of that kind.
"""

from __future__ import annotations

import posixpath
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
    spelling,
    word_set,
)
from bio_agent_workers.brain.guarding.act_words import COMMANDS
from bio_agent_workers.brain.remedies.destructive import destroys, telling_operand
from bio_agent_workers.brain.remedies.gives_up import gives_up

MOST_NAMED = 2  # words named beside a form
_WORD = re.compile(r"(?:[^\s'\"]|'[^']*'|\"[^\"]*\")+")
_ASSIGNED = re.compile(r"[A-Za-z_]\w*=")
_NUMBER = re.compile(r"\d{1,6}")
_NAME = re.compile(r"[A-Za-z][\w:-]*", re.ASCII)
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9_:-]*")
_FILE = re.compile(r"[^\s=]*[^\s=/.][^\s=/]*\.[A-Za-z][A-Za-z0-9]{0,7}")
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
    command that failed, for which placeholders stand. numbers: settings in which the two forms differ."""

    failed: Act
    fixed: Act
    steps: tuple[Act, ...]
    named: tuple[str, ...]
    numbers: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Token:
    """A word of a command. role: var, program, verb, option, value (of the option before it) or operand. at: number of
    an operand."""

    word: str
    role: str
    at: int = -1

    @property
    def plain(self) -> str:
        return self.word.replace("'", "").replace('"', "")


def wide(failed: Act, fixed: Act, kind: FixKind, steps: Sequence[Act] = ()) -> WideForms | None:
    """The wide forms of a lesson, None where nothing could be left out of it. Acts as parsed."""
    if kind is FixKind.FLAKY or any(destroys(act) or gives_up(act) for act in (failed, fixed, *steps)):
        return None  # what destroys is told as it was: a placeholder could hide how far it reaches
    left, right = _tokens(failed), _tokens(fixed)
    names: dict[str, str] = {}
    if kind is FixKind.PREPARE:
        asked = {_bare(word) for step in steps for word in words_of(step.text)}
        needed = frozenset(
            t.word for t in left if t.role == "value"
            and any(_bare(t.word) == word or _bare(t.word).startswith(f"{word}/") for word in asked)
        )  # fmt: skip
        told = _told(left, left, failed, names, needed=needed)
        script = next((t.word for t in left if t.role == "program" and "/" in t.word), "")
        if script and any(_bare(script) in map(_bare, words_of(step.text)) for step in steps):
            # `chmod +x x.sh`, then `./x.sh`: which script it was does not matter.
            names[script] = "<script>"
            told = told.replace(script, "./<script>", 1)
        done = tuple(_bound(step, failed, names) for step in steps)
        if told == _text(left):
            return None
        form = replace(failed, text=told, operands=())
        return WideForms(form, replace(fixed, text=told, operands=()), done, _named(left, names))
    derived = _derived(left, right)
    if failed.tool != fixed.tool and failed.tool in INTERPRETERS and failed.operands[:1] == fixed.operands[:1] != ():
        names[failed.operands[0]] = "<file>"  # another interpreter: which script it was does not matter
    # Where a word of the failed command is at fault, the options that both have besides it are no part of the lesson.
    bare = bool(Counter(t.word for t in left if t.role != "program") - Counter(t.word for t in right))
    a = _told(left, right, failed, names, {old: new[0] for old, new in derived.items()}, bare)
    b = _told(right, left, fixed, names, {new[1]: new[2] for new in derived.values()}, bare)
    if a == b or (a == _text(left) and b == _text(right)):
        return None
    unshared = [tuple(o for o in act.operands if o not in names) for act in (failed, fixed)]
    return WideForms(
        replace(failed, text=a, operands=unshared[0]),
        replace(fixed, text=b, operands=unshared[1]),
        (),
        _named(left, names),
        _settings(left, right) | _settings(right, left),
    )


def _settings(mine: Sequence[_Token], others: Sequence[_Token]) -> frozenset[str]:
    """The numbers that this side alone gives to an option (`-m 1`, `-b 2048`): a setting, no literal of one moment."""
    theirs = {(a.word, b.word) for a, b in pairwise(others)}
    return frozenset(
        b.word for a, b in pairwise(mine)
        if a.role == "option" and _NUMBER.fullmatch(b.word) and (a.word, b.word) not in theirs
    )  # fmt: skip


def words_of(text: str) -> list[str]:
    """The words of a command line, quotes kept around what they hold together."""
    return _WORD.findall(text)


def _text(tokens: Sequence[_Token]) -> str:
    return " ".join(t.word for t in tokens)


def _tokens(act: Act) -> list[_Token]:
    words = words_of(act.text)
    out: list[_Token] = []
    said = spelling(act).split()
    at = 0
    while at < len(words) and _ASSIGNED.match(words[at]):
        out.append(_Token(words[at], "var"))
        at += 1
    for _ in said or (act.tool,):
        if at < len(words):
            out.append(_Token(words[at], "program"))
            at += 1
    verbs, number = act.verb.split(), 0
    asked = False
    values = {f.partition("=")[2] for f in act.flags if "=" in f and f[:1] == "-"}
    for word in words[at:]:
        plain = _Token(word, "").plain
        if verbs and word == verbs[0]:
            out.append(_Token(word, "verb"))
            verbs, asked = verbs[1:], True
        elif verbs and not asked and out[-1].role == "program" and word[:1] != "-" and plain not in act.operands:
            out.append(_Token(word, "verb"))  # the short for it: `npm test` is `npm run test`, `npm i` is `npm install`
            verbs = []
        elif word.startswith("-") and len(word) > 1:
            out.append(_Token(word, "option"))
        elif out[-1].role == "option" and plain in values and plain not in act.operands[number : number + 1]:
            out.append(_Token(word, "value"))
        else:
            out.append(_Token(word, "operand", number))
            number += 1
    return out


def _told(
    mine: Sequence[_Token],
    others: Sequence[_Token],
    act: Act,
    names: dict[str, str],
    derived: Mapping[str, str] = MappingProxyType({}),
    bare: bool = False,
    needed: frozenset[str] = frozenset(),
) -> str:
    """A side of the lesson in its wide form. names: word → placeholder of what went, added to. derived: words that take
    another form. bare: options that both sides have go. needed: values of options that a step
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
            and (_incidental(token, value, mine, others) or (bare and value is None and _stands_alone(mine, at)))
        ):
            continue
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


def _holds(mine: Sequence[_Token], others: Sequence[_Token], at: int) -> bool:
    """Whether both sides give the option before place `at` the same value."""
    pair = (mine[at - 1].word, mine[at].word)
    return any((a.word, b.word) == pair for a, b in pairwise(others))


def _stands_alone(mine: Sequence[_Token], at: int) -> bool:
    """Whether nothing stands behind an option that might be its value."""
    return at + 1 == len(mine) or mine[at + 1].role == "option"


def _incidental(token: _Token, value: _Token | None, mine: Sequence[_Token], others: Sequence[_Token]) -> bool:
    """Whether an option that both sides have is about looks, or a setting of this one command."""
    if token.word in COSMETIC and not _may_take(token.word, mine, others):
        return True
    if value is None or not _holds(mine, others, mine.index(value)):
        return False
    cluster = not token.word.startswith("--") and len(token.word) > 2  # `-xzf`: what is done, and a file
    return token.word not in _FILE_OPTIONS and not cluster


def _may_take(word: str, *sides: Sequence[_Token]) -> bool:
    """Whether `-s` may be more than "silent": on every side a word stands behind it that it may take (`discover -s tests`)."""
    behind = [b.role for side in sides for a, b in pairwise(side) if a.word == word]
    return word == "-s" and len(behind) == len(sides) and all(role in ("operand", "value") for role in behind)


def _operand(act: Act, token: _Token, names: dict[str, str]) -> str:
    """A shared operand: a placeholder, or itself where it says what is done."""
    word, at = token.plain, token.at
    if token.word in names:
        return names[token.word]
    if word.isdigit() or (act.operands[at : at + 1] == (word,) and subcommand(act, at)):
        return token.word
    if word in EVERYBODYS or word.startswith(("<", "-")) or _ASSIGNED.match(word) or not word:
        return token.word
    if act.tool in INTERPRETERS and not act.verb:
        asked = len(act.operands) > 1 and _SUBCOMMAND.fullmatch(act.operands[1]) is not None
        if asked and at < 2:
            return token.word  # `manage.py migrate`: the script is a program of its own
        return _put(names, token.word, "file" if at == 0 else _kind(act, at, word))
    if act.tool in TASK_RUNNERS and _NAME.fullmatch(word):
        return _put(names, token.word, "target")
    if word in TRUNKS:
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
    return "file" if _FILE.fullmatch(word) else "path" if "/" in word else otherwise


def _task(act: Act, mine: Sequence[_Token], at: int) -> str:
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
    done = program in COMMANDS or program in _FILES or program in TASK_RUNNERS or is_read(act)
    return act.operands[0] in _ASKED and not (itself or done)


def _put(names: dict[str, str], word: str, kind: str) -> str:
    if telling_operand(word.strip("'\"")):
        return word
    names.setdefault(word, f"<{kind}>")
    return names[word]


def _named(tokens: Sequence[_Token], names: dict[str, str]) -> tuple[str, ...]:
    """The words for which placeholders stand, as they were, where they are names and nothing longer."""
    went = dict.fromkeys(t.plain for t in tokens if t.word in names)
    return tuple(word for word in went if _SAFE.fullmatch(word))[:MOST_NAMED]


def _derived(left: Sequence[_Token], right: Sequence[_Token]) -> dict[str, tuple[str, str, str]]:
    """Words that stand in both in another form: `x.db` and `data/x.db`, `a/b.py` and `a.b`, `.id` and `.[].id`. Word of
    the failed form → (its wide form, the word of the fix, that word's wide form)."""
    gone = [t for t in left if t.role == "operand" and t.word not in {r.word for r in right}]
    come = [t for t in right if t.role in ("operand", "verb") and t.word not in {x.word for x in left}]
    out: dict[str, tuple[str, str, str]] = {}
    for old in gone:
        for new in come:
            module = old.plain.removesuffix(".py").removeprefix("./").replace("/", ".")
            if "/" in old.plain and module == new.plain:
                out[old.word] = ("<file>", new.word, "<module>")
                break
            if new.role == "operand" and (tags := _other_tag(old.plain, new.plain)):
                out[old.word] = (tags[0], new.word, tags[1])
                break
            tail = _common_tail(old.plain, new.plain)
            if tail and tail not in TRUNKS and new.role == "operand":
                kind = "<file>" if _FILE.fullmatch(tail) else "<name>"
                told = new.word if "://" in new.plain else new.plain[: -len(tail)] + kind
                out[old.word] = (old.plain[: -len(tail)] + kind, new.word, told)
                break
    return out


def _other_tag(old: str, new: str) -> tuple[str, str] | None:
    """Names that differ in their ending, or in one part with a number in it, a version or a platform, with what stands
    before it left open: `x.db` and `x.sqlite`, `a-1.0-py2-none.whl` and `a-1.0-py3-none.whl`."""
    stem, ending = posixpath.splitext(old)
    if ending and posixpath.splitext(new)[0] == stem and posixpath.splitext(new)[1]:
        return f"<name>{ending}", f"<name>{posixpath.splitext(new)[1]}"
    parts, others = re.split(r"([-_/])", old), re.split(r"([-_/])", new)
    differ = [at for at, (a, b) in enumerate(zip(parts, others, strict=False)) if a != b]
    if len(parts) != len(others) or len(differ) != 1 or differ[0] < 2:
        return None
    at = differ[0]
    if not any(c.isdigit() for c in parts[at]) or not any(c.isdigit() for c in others[at]) or at + 1 == len(parts):
        return None
    rest = "".join(parts[at + 1 :])
    return f"<name>{parts[at - 1]}{parts[at]}{rest}", f"<name>{others[at - 1]}{others[at]}{rest}"


def _common_tail(old: str, new: str) -> str:
    """The longest run of whole names at the end of both."""
    size = 0
    while size < min(len(old), len(new)) and old[-1 - size] == new[-1 - size]:
        size += 1
    tail = old[len(old) - size :]
    while tail and (not (tail[0].isalnum() or tail[0] in "_.") or _inside(old, tail) or _inside(new, tail)):
        tail = tail[1:]
    tail = tail.lstrip(".") if not _FILE.fullmatch(tail) else tail
    if _FILE.fullmatch(old) and not _FILE.fullmatch(tail):
        return ""  # an ending is no name
    return tail if len(tail) > 1 and tail[0].isalnum() and not tail.isdigit() and " " not in tail else ""


def _inside(word: str, tail: str) -> bool:
    """Whether `tail` begins in the middle of a name of `word`."""
    before = word[: len(word) - len(tail)][-1:]
    return bool(before) and (before.isalnum() or before in "_-") and (tail[0].isalnum() or tail[0] == "_")


def _bound(step: Act, failed: Act, names: dict[str, str]) -> Act:
    """A step with the words that it takes from the failed command as placeholders: `mkdir -p out` before `tar -C out`."""
    known = {_bare(word): slot for word, slot in names.items()}
    words = []
    for at, word in enumerate(words_of(step.text)):
        bare = _bare(word)
        # The folder that holds what was named: `mkdir -p out` before `cp a out/b`.
        above = any(other.startswith(bare + "/") for other in known) and bare != "."
        words.append(known[bare] if at and bare in known else "<path>" if at and above else word)
    text = re.sub(r"(<[a-z_]+>)(?: \1)+", r"\1", " ".join(words))
    return replace(step, text=text, operands=tuple(o for o in step.operands if o in words))


def _bare(word: str) -> str:
    return word.replace("'", "").replace('"', "").removeprefix("./").rstrip("/")
