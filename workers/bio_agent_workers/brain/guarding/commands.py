"""What commands do: by program, sub-command and option, as `words/commands.txt` says. Its form: the head of that file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, takewhile

from bio_agent_schema.types import Act

#: Programs that run the one behind them, and the sub-command with which they do.
RUNNERS = {
    "uv": "run", "poetry": "run", "pipenv": "run", "pdm": "run", "pipx": "run", "bundle": "exec", "npx": "", "npm": "exec",
    "pnpm": "exec", "yarn": "exec", "heroku": "run", "railway": "run", "doppler": "run", "infisical": "run", "op": "run",
}  # fmt: skip
#: Programs whose first operand is the script that they run.
_OPENERS = frozenset({"python", "php", "ruby", "node", "perl"})
#: The section that holds for every program.
_ALL = "*"
#: Words of a command that are compared; sub-commands stand within the first few.
_MOST_WORDS = 8
#: How deep sub-commands lie in groups, and what they look like.
_DEEPEST = 3
_PLAIN = re.compile(r"[a-z][a-z:_-]*")
#: Letters that may be several options.
_LETTERS = re.compile(r"-[A-Za-z]{2,3}")
#: Values with which an option for a trial asks for none.
_NO_TRIAL = frozenset({"none", "false", "False", "0", "no"})


@dataclass(frozen=True, slots=True)
class Meaning:
    """does: what a command does, in plain verbs; to: words of what it does it to. looks: it changes nothing; dry: it only
    shows what it would do."""

    does: frozenset[str] = frozenset()
    to: frozenset[str] = frozenset()
    looks: bool = False
    dry: bool = False


@dataclass(frozen=True, slots=True)
class _Entry:
    """A command of a program. words: its sub-commands, `*` for anything in one; options: of each group one must be given;
    adds: what it does comes to what the command does without its options."""

    words: tuple[str, ...]
    options: tuple[tuple[str, ...], ...]
    does: frozenset[str]
    to: frozenset[str]
    adds: bool

    @property
    def exactness(self) -> tuple[int, int, int, int]:
        """Words that stand as they are, options, letters and words: the greater, the more a command must have to fit."""
        plain = sum("*" not in word for word in self.words)
        return plain, len(self.options), len("".join(self.words).replace("*", "")), len(self.words)


@cache
def _sections() -> tuple[dict[str, list[str]], dict[str, frozenset[str]]]:
    """The lines of each program, and the words for what it serves."""
    lines: dict[str, list[str]] = {}
    serves: dict[str, frozenset[str]] = {}
    named: list[str] = []
    for line in (files("bio_agent_workers.brain") / "words" / "commands.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            heads, _, words = line[1:].partition("]")
            named = heads.split()
            for program in named:  # which may have a section of its own and others that it shares
                lines.setdefault(program, [])
                serves[program] = serves.get(program, frozenset()) | _with_plurals(words)
        elif line and line[0] != "#":
            for program in named:
                lines[program].append(line)
    return lines, serves


def _with_plurals(words: str) -> frozenset[str]:
    """Words, and the plurals of those that have more than an "s" in it (repositories)."""
    said = words.split()
    return frozenset(said + [f"{word[:-1]}ies" for word in said if word.endswith("y") and word[-2] not in "aeo"])


def _entries(line: str) -> Iterator[_Entry]:
    commands, _, meaning = line.partition(": ")
    acts, _, things = meaning.partition("|")
    adds = acts.startswith("+")
    does = frozenset(act.strip() for act in acts.removeprefix("+").split(",")) - {""}
    for command in commands.split(", "):
        parts = command.split()
        words = tuple(part for part in parts if part != "." and part[0] != "-")
        options = tuple(tuple(part.split("/")) for part in parts if part[0] == "-")
        yield _Entry(words, options, does, _with_plurals(things), adds)


@cache
def _entries_of(program: str) -> tuple[_Entry, ...]:
    return tuple(chain.from_iterable(map(_entries, _sections()[0].get(program, ()))))


def programs() -> frozenset[str]:
    """The programs that the file has."""
    return frozenset(_sections()[0]) - {_ALL}


def _named(tool: str) -> str:
    """A program as the file has it, in lower case where it has no such name; "" for none. A script of the project's own is no
    program of its name (`./migrate`)."""
    known = _sections()[0]
    return next((name for name in (tool, tool.lower()) if name in known), "")


def command_of(act: Act) -> tuple[str, tuple[str, ...]]:
    """The program that does the work, "" where the file has none, and the words behind it: what a runner starts (`npx prisma
    migrate`), a module (`python -m build`), a script that takes sub-commands (`php artisan migrate`)."""
    words = (*act.verb.split(), *act.operands)[:_MOST_WORDS]
    first, runs = words[:1], RUNNERS.get(act.tool)
    if act.tool in _OPENERS or runs == "":
        inner = words[1:] if first == ("-m",) else words
    else:
        inner = words[1:] if runs is not None and first in ((runs,), ("dlx",)) else ()
    named = _named(inner[0].rsplit("/", 1)[-1]) if inner else ""
    return (named, inner[1:]) if named else (_named(act.tool), words)


def _given(wanted: tuple[str, ...], flags: tuple[str, ...], joined: bool) -> bool:
    """Whether one of some options is given. joined: as well among letters behind one dash ("-ri")."""
    for flag in flags:
        name = flag.partition("=")[0]
        if name in wanted or any("*" in one and fnmatchcase(name, one) for one in wanted):
            return True
        if joined and _LETTERS.fullmatch(name) and any(len(one) == 2 and one[1] in name[1:] for one in wanted):
            return True
    return False


def _says(entry: _Entry, words: tuple[str, ...]) -> bool:
    """Whether the words of an entry are the first ones of a command."""
    return len(entry.words) <= len(words) and all(
        said == word or ("*" in said and fnmatchcase(word, said))
        for said, word in zip(entry.words, words, strict=False)
    )


def _fitting(entries: list[_Entry], flags: tuple[str, ...]) -> list[_Entry]:
    """Of the entries that have a command's words, those whose options are given."""
    out = [e for e in entries if all(_given(wanted, flags, joined=False) for wanted in e.options)]
    if not any(entry.options for entry in out):
        out = [e for e in entries if all(_given(wanted, flags, joined=True) for wanted in e.options)]
    return out


def _caught(entry: _Entry, words: tuple[str, ...]) -> Iterator[str]:
    """What stands for a part of a word in the file: the thing of `delete-db-cluster`."""
    for said, word in zip(entry.words, words, strict=False):
        if "-*" in said:
            yield from word.removeprefix(said.partition("*")[0]).split("-")


def _usually(words: tuple[str, ...]) -> frozenset[str]:
    """What the first words of a command say whatever the program: the last of them that says anything (`logs delete`)."""
    said = frozenset[str]()
    for word in takewhile(_PLAIN.fullmatch, words[:_DEEPEST]):
        said = next((e.does for e in _entries_of(_ALL) if e.words and _says(e, (word,))), said)
    return said


def _tries(flags: tuple[str, ...]) -> bool:
    """Whether an option asks only to be shown what would be done, whatever the program."""
    given = {name for name, _, value in (flag.partition("=") for flag in flags) if value not in _NO_TRIAL}
    return any(entry.options and not given.isdisjoint(entry.options[0]) for entry in _entries_of(_ALL))


@lru_cache(maxsize=8192)
def meaning(act: Act) -> Meaning:
    """What a command does. Of several entries that fit, the one with the most words, then options, says what; all say to
    what. An option whose value the parser does not know may have left a word in front of the sub-command."""
    flags = tuple(flag for flag in act.flags if flag[:1] != "@")
    dry = bool(flags) and _tries(flags)
    program, words = command_of(act)
    if not program:
        return Meaning(dry=dry)
    entries = _entries_of(program)
    start = next((at for at in range(min(_loose(act.text, words), len(words)) + 1) if _begins(entries, words[at:])), 0)
    words = words[start:]
    fitting = _fitting([entry for entry in entries if _says(entry, words)], flags)
    to = _sections()[1][program].union(*(entry.to for entry in fitting), *(_caught(entry, words) for entry in fitting))
    telling = [entry for entry in fitting if entry.does - {"dry"}]
    best = max((entry.exactness for entry in telling if not entry.adds), default=None)
    does = frozenset[str]().union(*(entry.does for entry in telling if entry.adds or entry.exactness == best)) - {"dry"}
    does = does or (_usually(words) if any(entry.words for entry in entries) else does)
    return Meaning(does - {"looks"}, to, does == {"looks"}, dry or any("dry" in e.does for e in fitting))


def _loose(text: str, words: tuple[str, ...]) -> int:
    """How many of the first words of a command may be values of the options in front of them."""
    before = list(takewhile(lambda token: token not in words[:1], text.split()))
    return sum(token[0] == "-" and "=" not in token for token in before)


def _begins(entries: tuple[_Entry, ...], words: tuple[str, ...]) -> bool:
    """Whether a sub-command begins with the first of some words."""
    return any(entry.words and _says(entry, words) for entry in entries) or bool(_usually(words[:1]))


def serves(tool: str) -> frozenset[str]:
    """Words for what a program works on, where people call that by its own name."""
    return _sections()[1].get(_named(tool), frozenset())


def works_alone(program: str) -> bool:
    """Whether the file says what a program does without a sub-command: its first operand is then what it works on."""
    return any(not entry.words for entry in _entries_of(program))
