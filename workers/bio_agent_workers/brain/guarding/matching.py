"""Whether an act about to be done is one that a rule speaks of.

Rules about commands are matched on canonical acts. A person's sentence is matched on the act it forbids and on every
name in it; what the sentence leaves open is left to the caller (scope, exceptions, hours). High precision: a guard that
cries wolf is switched off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from bio_agent_schema.types import Act, Polarity
from bio_agent_workers.brain.guarding.act_forms import COSMETIC, is_dry, options, spelling, word_set
from bio_agent_workers.brain.guarding.act_words import PUBLISHES, REGISTRIES, REGISTRY_OF
from bio_agent_workers.brain.guarding.branches import with_branch
from bio_agent_workers.brain.guarding.call_view import Call, calls
from bio_agent_workers.brain.guarding.http_calls import endpoint_of
from bio_agent_workers.brain.guarding.prose import match_sentence, spared
from bio_agent_workers.brain.guarding.rule_clause import asks_or_forbids, without_reasons
from bio_agent_workers.brain.guarding.rule_commands import OVER, RuleCommands, read_rule, rule_commands, speaks_against
from bio_agent_workers.brain.guarding.sentence import Sentence
from bio_agent_workers.brain.guarding.sentences import read_sentence

__all__ = [
    "MatchReading",
    "RuleCommands",
    "condemns",
    "match_prose",
    "names_another",
    "read_rule",
    "rule_commands",
    "speaks_against",
]

#: Options that turn a command into another kind of act, by tool.
_OTHER_ACT = {
    **dict.fromkeys(("gcc", "g++", "clang", "clang++", "cc", "c++"), frozenset({"-c", "-S", "-E", "-M", "-MM"})),
    "git": frozenset({"--delete", "--abort", "--continue"}),
    "tar": frozenset({"--list", "--create"}),
    "docker": frozenset({"--check"}),
}
#: Verbs that only name a group of others.
_GROUPS = word_set(
    "compose volume network image container system buildx s3 ec2 iam rds pip tool rollout workspace auth config"
)
#: Programs that run another one with another user's rights.
ELEVATORS = frozenset({"sudo", "doas", "su", "runuser"})
PLACEHOLDER = re.compile(r"<[\w|./ -]+>")
_CLUSTER = re.compile(r"-[A-Za-z]{2,4}")
_FILE_NAME = re.compile(r"[^\s=]*\.[A-Za-z][A-Za-z0-9]{0,7}")


@dataclass(frozen=True, slots=True)
class MatchReading:
    """matched: the rule speaks of the call. why: the words or options that made it so, for the answer. acts: numbers of
    the acts it speaks of."""

    matched: bool
    why: str
    acts: tuple[int, ...] = ()


@lru_cache(maxsize=4096)
def _value_pattern(pattern: str) -> re.Pattern[str] | None:
    if not PLACEHOLDER.search(pattern):
        return None
    parts = PLACEHOLDER.split(pattern)
    return re.compile(".+".join(re.escape(part) for part in parts), re.DOTALL)


def _value_matches(pattern: str, value: str) -> bool:
    if pattern == value:
        return True
    if pattern == "<file>" and "." not in value and "/" not in value:
        return False
    if pattern == "<arg>" and _FILE_NAME.fullmatch(value):
        return False  # it stands for a word, perhaps a folder; a file is another kind of object
    compiled = _value_pattern(pattern)
    return compiled is not None and compiled.fullmatch(value) is not None


def _bare(operand: str) -> str:
    return operand.removeprefix("./").rstrip("/") or operand


def targets(act: Act) -> list[str]:
    """Operands as the act means them; `git push origin a:main` goes to main."""
    if act.tool == "git" and act.verb == "push":
        out = []
        for operand in act.operands:
            target = operand.rsplit(":", 1)[-1] if ":" in operand and "://" not in operand else operand
            out.append(target.removeprefix("refs/heads/"))
        return out
    return [_bare(operand) for operand in act.operands]


def _operands_in(condemned: Sequence[str], now: Sequence[str]) -> bool:
    left = list(now)
    for literal in [c for c in condemned if not PLACEHOLDER.search(c)]:
        if literal not in left:
            return False
        left.remove(literal)
    for pattern in [c for c in condemned if PLACEHOLDER.search(c)]:
        found = next((value for value in left if _value_matches(pattern, value)), None)
        if found is None:
            return False
        left.remove(found)
    return True


_TRUE, _FALSE = word_set("true yes on 1"), word_set("false no off 0")
_NEGATED = re.compile(r"--no-?(?=[a-z])")


@lru_cache(maxsize=4096)
def _one_spelling(option: str) -> str:
    """An option in one spelling: `--noX`, `--no-X` and `--X=0` are `--X=false`, `--X=yes` is `--X`, `_` is `-`."""
    name, found, value = option.partition("=")
    if not name.startswith("--"):
        return option
    name = name.replace("_", "-")
    negated, value = _NEGATED.match(name) is not None, value.lower() if found else "true"
    if value not in _TRUE | _FALSE:
        return name + option[len(name) :]
    name = _NEGATED.sub("--", name)
    return name if (value in _TRUE) is not negated else f"{name}=false"


def _options_in(condemned: frozenset[str], now: frozenset[str]) -> bool:
    condemned, now = frozenset(map(_one_spelling, condemned)), frozenset(map(_one_spelling, now))
    # `-dk` is -d and -k where the program's own options are not known.
    letters = {f"-{letter}" for given in now if _CLUSTER.fullmatch(given) for letter in given[1:]}
    return all(flag in letters or any(_value_matches(flag, given) for given in now) for flag in condemned)


def _manner(act: Act) -> str:
    """How the program was called, as far as it can matter: plainly, as a module, by a path, by another name."""
    said = spelling(act)
    first, _, rest = said.partition(" ")
    if first in ELEVATORS:
        first, said = rest.partition(" ")[0], rest
    if not said or said == act.tool:
        return ""
    return "module" if " -m " in said else "path" if "/" in first else first


def _elevated(act: Act) -> str:
    """The program that gives the act another user's rights, "" for none."""
    first = spelling(act).partition(" ")[0]
    return first if first in ELEVATORS else ""


def _same_tool(condemned: str, now: str) -> bool:
    if condemned == now:
        return True
    if "/" in condemned and "/" in now and PLACEHOLDER.search(condemned):
        return True
    return _value_matches(condemned, now)


def _same_verb(condemned: Act, now: Act, *, alone: bool = False) -> bool:
    """alone: the program without a sub-command is meant by itself."""
    if condemned.verb == now.verb or (not condemned.verb and not alone):
        return True
    # `docker compose` does nothing by itself: its name stands for all it can do.
    group = condemned.verb.rsplit(" ", 1)[-1] in _GROUPS and not options(condemned) and not condemned.operands
    return group and now.verb.startswith(condemned.verb + " ")


def condemns(condemned: Act, now: Act, fixed: Act | None = None) -> bool:
    """Whether a rule against `condemned` speaks of the act `now`.

    Same tool and verb, the condemned options and operands contained in the call (a placeholder stands for any value, so
    a shorter rule is more general). Not when the call is the recommended form `fixed`, that is, has what that form
    added.
    """
    if condemned.tool in ELEVATORS and not condemned.operands:
        return _elevated(now) == condemned.tool  # "never use sudo": whatever it runs
    # A remedy without a sub-command as well: `yarn` is what failed, not all that yarn can do.
    alone = fixed is not None and fixed.tool == condemned.tool and not (fixed.verb or condemned.verb)
    alone = alone and fixed is not None and _manner(fixed) == _manner(condemned)
    if not _same_tool(condemned.tool, now.tool) or not _same_verb(condemned, now, alone=alone):
        return False
    if is_dry(now) and not is_dry(condemned):
        return False
    if _manner(condemned).startswith(f"{condemned.tool}-") and _manner(now) != _manner(condemned):
        return False  # `docker-compose` is a program of its own, however its acts are filed
    given, wanted = options(now), options(condemned)
    changing = _OTHER_ACT.get(now.tool, frozenset())
    if (given & changing) - wanted:
        return False
    if not _options_in(wanted, given) or not _operands_in(targets(condemned), targets(now)):
        return False
    if fixed is None:
        # A rule against `sudo pip` says nothing of pip without it.
        return not _elevated(condemned) or bool(_elevated(now))
    if names_another(condemned, now, fixed):
        return False
    if fixed.tool == condemned.tool and fixed.verb == condemned.verb:
        called = [
            of(now) == of(condemned) for of in (_manner, _elevated) if of(condemned) != of(fixed)
        ]  # fmt: skip
        if called:
            # A remedy that is another copy of the program: whatever is not called by a path is the failed one still.
            return all(called) or (
                _manner(fixed) == "path" and _manner(condemned) != "path" and _manner(now) == "module"
            )
    if fixed.tool != condemned.tool or fixed.verb != condemned.verb:
        return not (fixed.tool == now.tool and fixed.verb == now.verb)
    if any(not PLACEHOLDER.search(o) and o not in targets(fixed) for o in targets(condemned)):
        # What the remedy replaced is there again (`git push -u origin main`): its options cure nothing.
        return True
    added = options(fixed) - wanted
    added_operands = [o for o in targets(fixed) if o not in targets(condemned)]
    if not added and not added_operands:
        return True
    said_new = _words_of(fixed) - _words_of(condemned)
    named_new = {word for word in said_new if len(word) > 2 and word.startswith("--")} or said_new
    if said_new and named_new <= _words_of(now):
        return False  # `--import=x` is `--import x` where the program's options are not known
    # Another value of an option that the condemned form lacks is the cure as well: `make -C elsewhere`.
    lacking = {flag.partition("=")[0] for flag in added} - {flag.partition("=")[0] for flag in wanted}
    added = frozenset(
        f"{f.partition('=')[0]}=<any>" if "=" in f and f.partition("=")[0] in lacking else f for f in added
    )
    if added and len(targets(now)) >= len(targets(fixed)):
        # Which value an added option takes is the caller's own: `cmake -S elsewhere -B build` has the cure as well.
        return not _options_in(added, given)
    return not (_options_in(added, given) and _operands_in(added_operands, targets(now)))


def names_another(condemned: Act, now: Act, fixed: Act) -> bool:
    """Whether a call says what it is about, by an object or by an option of its own, where the bare command failed because
    it did not and the remedy does: `git push origin main` is no `git push` without an upstream."""
    bare = not (condemned.operands or options(condemned) or spelling(condemned))
    if not bare or (fixed.tool, fixed.verb) != (condemned.tool, condemned.verb) or not _names_objects(fixed):
        return False
    # The guard writes out the branch of a bare `git push`: what its words do not name, the call does not.
    written = any(operand in now.text for operand in now.operands)
    # An option of a program without sub-commands (`pytest -x`) says how it is done; it goes where the bare one goes.
    return written or bool(now.verb and options(now) - COSMETIC)


def _names_objects(act: Act) -> bool:
    """Whether an act has more operands than may be the values of options that the parser does not know (`-C obj`)."""
    given = {flag.partition("=")[2] for flag in act.flags}
    pairs = pairwise(act.text.rsplit(" && ", 1)[-1].split())
    values = [b for a, b in pairs if a.startswith("-") and "=" not in a and not b.startswith("-") and b not in given]
    return len(act.operands) > len(values)


def _words_of(act: Act) -> frozenset[str]:
    """Options, their values and operands of an act, placeholders left out."""
    parts = [part for said in (*options(act), *act.operands) for part in (said, *said.partition("=")[::2])]
    return frozenset(part for part in parts if part and not PLACEHOLDER.search(part))


def with_alike(act: Act, rule_text: str) -> list[Act]:
    """A forbidden command, and what does the same outside by another program: a package published with pnpm is published
    as much as with npm. Not where the rule tells of a failure, which may be the program's own."""
    verb, registry = act.verb.rsplit(" ", 1)[-1], next(iter(REGISTRY_OF.get(act.tool, ())), "")
    if not registry or verb not in PUBLISHES or not asks_or_forbids(rule_text) or OVER.search(rule_text):
        return [act]
    others = [tool for tool in REGISTRIES[registry] if tool != act.tool]
    return [act, *(replace(act, tool=tool, verb="upload" if tool == "twine" else "publish") for tool in others)]


def _names_of(act: Act) -> frozenset[str]:
    return frozenset(option.partition("=")[0] for option in options(act))


def _as_options(sentence: Sentence, command: str, plain: Act, parse: Callable[[str], Sequence[Act]]) -> frozenset[str]:
    """The options that a sentence wants with its command, by the names under which the command's parser files them."""
    given = [word for words in sentence.lacking for word in words if word.startswith("-")]
    read = [act for word in given for act in parse(f"{command} {word}")[-1:]]
    return frozenset().union(*(_names_of(act) for act in read)) - _names_of(plain)


def with_exports(acts: Sequence[Act]) -> list[Act]:
    """The acts with what the same line exported before them: `export A=b && make` makes with A=b."""
    out: list[Act] = []
    exported: tuple[str, ...] = ()
    for act in acts:
        out.append(replace(act, flags=(*act.flags, *exported)) if exported else act)
        if act.tool == "export":
            exported += tuple(operand for operand in act.operands if "=" in operand)
    return out


def match_prose(
    rule_text: str,
    polarity: Polarity,
    acts: Sequence[Act],
    call_tool: str,
    call_input: Any,
    *,
    parse: Callable[[str], Sequence[Act]] | None = None,
    views: Sequence[Call] | None = None,
) -> MatchReading:
    """Whether a rule, as its text stands, speaks of a call.

    acts: canonical acts of the call in order. parse: reads a command of the rule, `<name>` being a placeholder; without
    it a rule that quotes commands is matched as a plain sentence. views: `call_view.calls(acts, …)` where they are made.
    """
    acts = with_exports(with_branch(acts))
    reading = read_rule(rule_text)
    rule_text = without_reasons(rule_text)
    quoted = reading.quoted
    if quoted and reading.condemned and reading.spares:
        return MatchReading(False, "the rule says what to do on failure and condemns nothing")
    if polarity is Polarity.POSITIVE and not speaks_against(rule_text):
        return MatchReading(False, "the rule forbids nothing")
    if reading.endpoints and asks_or_forbids(rule_text):
        called = [(at, endpoint_of(act)) for at, act in enumerate(acts)]
        at_them = [at for at, call in called if call and any(named.covers(call) for named in reading.endpoints)]
        if at_them:
            return MatchReading(True, reading.endpoints[0].told, tuple(at_them))
        if reading.only_endpoints:
            return MatchReading(False, "another endpoint")
    if parse is not None and reading.condemned:
        for command in reading.condemned:
            wrong = list(parse(command))[-1:]
            right = [act for text in reading.recommends for act in parse(text)][-1:]
            fixed = right[0] if right else None
            said_against = with_alike(wrong[0], rule_text) if wrong else []
            hits = [at for at, act in enumerate(acts) if any(condemns(one, act, fixed) for one in said_against)]
            if hits and not quoted and not re.search(rf"(?:{OVER.pattern})\s*{re.escape(command)}", rule_text, re.I):
                said = match_sentence(
                    rule_text, polarity, acts, call_tool, call_input, command=command, views=views
                ).acts
                hits = [at for at in hits if at in said]
                if not hits:
                    return MatchReading(False, f"`{command}` with other objects than the rule names")
            sentence = read_sentence(rule_text, command) if hits else None
            if sentence is not None and sentence.lacking:
                shown = views if views is not None else calls(acts, call_tool, call_input)
                lacked = _as_options(sentence, command, wrong[0], parse)
                hits = [
                    at
                    for at in hits
                    if not (lacked & _names_of(acts[at]) or any(v.index == at and spared(sentence, v) for v in shown))
                ]
                if not hits:
                    return MatchReading(False, f"`{command}` with what the rule asks for")
            if hits:
                return MatchReading(True, f"`{command}`", tuple(hits))
            if wrong and wrong[0].verb and not wrong[0].operands:
                return MatchReading(False, "another command")
        if quoted or any(" -" in command for command in reading.condemned):
            # A command that is named with its options is what the rule is about, no less and no more.
            return MatchReading(False, "another command")
    found = match_sentence(rule_text, polarity, acts, call_tool, call_input, command="", views=views)
    used = _to_be_used(reading, parse) if parse is not None else frozenset()
    left = tuple(at for at in found.acts if at >= len(acts) or acts[at].tool not in used)
    return MatchReading(found.matched and bool(left or not found.acts), found.why, left)


def _to_be_used(reading: RuleCommands, parse: Callable[[str], Sequence[Act]]) -> frozenset[str]:
    """Programs that a rule wants used instead of another, whatever they are called with: uv in "only use uv, never pip"."""
    wrong = {act.tool for command in reading.condemned for act in parse(command)[-1:]}
    right = {act.tool for command in reading.recommends if " " not in command for act in parse(command)[-1:]}
    return frozenset(right - wrong if wrong else ())
