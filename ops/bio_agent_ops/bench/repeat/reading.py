"""How the scripted agent reads what a memory tells it: which lines are a memory's, and which of them name an act.

The rule, the same in every arm and on every host:

1. The agent heeds nothing but lines that a memory marks as its own: the lines of a delimited block (`<…-memory-…>`) and
   lines that begin with a mark in brackets (`[…-memory]`). Of such a line it takes the commands in backticks. The first is
   the one spoken against, the others are what is offered instead, in order.
2. A line of a block names the act the agent is about to do, if program and sub-command are the same and every other word
   of the first command stands in the act too. `<anything>` stands for any one word. `python3 -m pip` is `pip`; `sudo`, a
   folder in front of a program, `cd … &&` and the order of words make no difference. Nothing else is guessed.
3. A line that answers this very call (a guard's word on it) names the act if program and sub-command are the same.
4. A line that names the act and offers a command is followed: the agent does not do the act but what is offered, with the
   names of the case it has before it. It can do so if what works in this case (the scenario's fix) is of the offered form:
   the same program and sub-command, with the options, variables, program's place and partly given words (`data/<file>`) by
   which the offer differs from what it speaks against.
   Otherwise it types the offer as it stands, or, where a placeholder is in it, cannot follow it and does what it meant to.
5. It follows also where the cause is gone and the session has just shown it so: it never weighs, it obeys.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_MARKED = re.compile(r"\[[a-z]+-memory\]\s*(.*)")
_BLOCK = re.compile(r"<([a-z]+-memory-[0-9a-f]+)\b[^>\n]*>\n(.*?)\n</\1>", re.DOTALL)
_QUOTED = re.compile(r"`([^`\n]+)`")
_PLACEHOLDER = re.compile(r"<[\w ./-]{1,40}>")
_ENTITY = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'", "&#39;": "'", "&amp;": "&"}
# Programs whose first plain word says what is done.
_WITH_VERBS = frozenset(
    {"git", "npm", "pip", "make", "cargo", "docker", "uv", "apt-get", "systemctl", "kubectl", "ninja"}
)
_VERB = re.compile(r"[a-z][a-z0-9:_-]*")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Command:
    """A command line as far as the agent reads it: variables set in front, program, sub-command, further words, whether
    Python runs the program as a module, and whether the program is named by its place (`.venv/bin/python`)."""

    variables: tuple[str, ...]
    program: str
    verb: str
    words: tuple[str, ...]
    module: bool = False
    by_path: bool = False

    @property
    def options(self) -> frozenset[str]:
        return frozenset(word.split("=", 1)[0] for word in self.words if word.startswith("-"))


@dataclass(frozen=True, slots=True)
class Advice:
    """A line of a memory's. against: the first command in it; offered: the others. answers: it was said of this call."""

    line: str
    against: str
    offered: tuple[str, ...]
    answers: bool = False


def lines_of(text: str) -> Iterable[str]:
    """The lines in `text` that a memory marks as its own, without the marks, in order."""
    for block in _BLOCK.finditer(text):
        yield from (line.removeprefix("- ") for line in block[2].splitlines() if line.startswith("- "))
    for line in _BLOCK.sub("", text).splitlines():
        if found := _MARKED.search(line):
            yield found[1]


def memory_size(text: str) -> int:
    """UTF-8 bytes of the blocks and marked lines in `text`."""
    blocks = sum(len(found[0].encode()) for found in _BLOCK.finditer(text))
    rest = _BLOCK.sub("", text).splitlines()
    return blocks + sum(len(found[0].encode()) for line in rest if (found := _MARKED.search(line)))


def advice(line: str, *, answers: bool = False) -> Advice | None:
    """What a memory's line says of commands; None when it says nothing of any."""
    plain = line
    for entity, character in _ENTITY.items():
        plain = plain.replace(entity, character)
    quoted = _QUOTED.findall(plain)
    return Advice(plain, quoted[0], tuple(quoted[1:]), answers) if quoted else None


def without_cd(line: str) -> str:
    """The line without the absolute folder it begins in."""
    return re.sub(r"^cd (?:/\S*|<[\w ./-]{1,40}>\S*) && ", "", line.strip())


def command(line: str) -> Command | None:
    """The command that a line comes to; None when it holds none."""
    rest = list(_split(without_cd(line)))
    variables = []
    module = False
    while rest and (found := _ASSIGNED.fullmatch(rest[0])):
        variables.append(found[1])
        rest.pop(0)
    if rest and rest[0] in ("sudo", "env"):
        rest.pop(0)
    if not rest:
        return None
    by_path = "/" in rest[0]
    program = rest.pop(0).rsplit("/", 1)[-1]
    if re.fullmatch(r"python[\d.]*", program):
        program = "python"
        if len(rest) > 1 and rest[0] == "-m":
            program, rest, module = rest[1], rest[2:], True
    program = {"pip3": "pip"}.get(program, program)
    verb = ""
    if program in _WITH_VERBS:
        at = next((i for i, word in enumerate(rest) if _is_verb(rest, i, word)), None)
        verb = rest.pop(at) if at is not None else ""
    if program == "tar" and rest and re.fullmatch(r"[a-zA-Z]{2,6}", rest[0]):
        rest[0] = "-" + rest[0]
    return Command(tuple(variables), program, verb, tuple(w for word in rest for w in _spread(word)), module, by_path)


def names(said: Advice, intended: str) -> bool:
    """Whether a memory's line names the act that the agent is about to do (points 2 and 3 of the rule)."""
    against, now = command(said.against), command(intended)
    if against is None or now is None or not _same(against, now):
        return False
    if any(_written_alike(one, intended) for one in said.offered):
        return False  # the act is what the line offers
    return said.answers or _covers(against, now)


def same_program(said: Advice, intended: str) -> bool:
    """Whether the line speaks of the program that is about to be run, whatever of it."""
    against, now = command(said.against), command(intended)
    return against is not None and now is not None and bool(_word_matches(against.program, now.program))


def follow(said: Advice, fix: Sequence[str]) -> tuple[str, ...] | None:
    """The lines the agent types when it follows `said` (point 4 of the rule); None when it cannot."""
    if not said.offered:
        return None
    if all(_fits(one, said.against, fix) for one in said.offered):
        return tuple(fix)
    if any(_PLACEHOLDER.search(one) for one in said.offered):
        return None
    return said.offered


def _is_verb(words: Sequence[str], at: int, word: str) -> bool:
    takes_value = at > 0 and words[at - 1] in ("-C", "--prefix", "-c", "--git-dir")
    # A placeholder stands for any one word, a sub-command as well: `make <target>`.
    return not takes_value and (_VERB.fullmatch(word) or _PLACEHOLDER.fullmatch(word)) is not None


def _split(line: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(line))
    except ValueError:
        return tuple(line.split())


def _spread(word: str) -> list[str]:
    """`-xzf` is -x, -z, -f; any other word is itself."""
    if re.fullmatch(r"-[A-Za-z]{2,5}", word):
        return ["-" + letter for letter in word[1:]]
    return [word.removeprefix("./")]


def _same(a: Command, b: Command) -> bool:
    return bool(_word_matches(a.program, b.program)) and _word_matches(a.verb, b.verb)


def _word_matches(pattern: str, word: str) -> bool:
    if pattern == word:
        return True
    if not _PLACEHOLDER.search(pattern):
        return False
    return re.fullmatch(".+".join(re.escape(part) for part in _PLACEHOLDER.split(pattern)), word, re.DOTALL) is not None


def _covers(against: Command, now: Command) -> bool:
    left = [*now.words, *now.variables]
    wanted = [*against.words, *against.variables]
    for word in sorted(
        wanted, key=lambda w: bool(_PLACEHOLDER.search(w))
    ):  # plain words first: they have one place each
        found = next((i for i, other in enumerate(left) if _word_matches(word, other)), None)
        if found is None:
            return False
        left.pop(found)
    return True


def _written_alike(a: str, b: str) -> bool:
    return _split(without_cd(a)) == _split(without_cd(b))


def _further(wanted: Command, wrong: Command) -> list[str]:
    """Words that an offer has over the form spoken against: no option, no option's value, no bare placeholder."""
    out = []
    for before, word in zip(("", *wanted.words), wanted.words, strict=False):
        new = word not in wrong.words and not word.startswith("-") and not _PLACEHOLDER.fullmatch(word)
        if new and (not before.startswith("-") or before in wrong.words):
            out.append(word)
    return out


def _own(word: str) -> str:
    """A setting (`STAGE=test`) takes the value of the case at hand."""
    return re.sub(r"^([A-Za-z_]\w*=).+", r"\1<value>", word)


def _fits(offered: str, against: str, fix: Sequence[str]) -> bool:
    """Whether a line of the fix is the offered form, with the names of its own case: it has what the offer has over the
    form spoken against, and lacks what the offer leaves out."""
    wanted, wrong = command(offered), command(against)
    if wanted is None or wrong is None:
        return False
    added, variables = wanted.options - wrong.options, set(wanted.variables) - set(wrong.variables)
    as_module, by_path = wanted.module and not wrong.module, wanted.by_path and not wrong.by_path
    further = [_own(w) for w in _further(wanted, wrong)]
    partly = [w for w in further if _PLACEHOLDER.search(w)]  # a whole word may be a name, and each case has its own
    other = not _same(wanted, wrong)
    gone = [w for w in wrong.words if w not in wanted.words]
    for line in fix:
        done = command(line)
        if done is None or not _same(wanted, done):
            continue
        has = added <= done.options and variables <= set(done.variables)
        has = has and (done.module or not as_module) and (done.by_path or not by_path)
        has = has and all(any(_word_matches(part, word) for word in done.words) for part in partly)
        tells = other or added or variables or as_module or by_path or further
        if has and (tells or any(word not in done.words for word in gone)):
            return True
    return False
