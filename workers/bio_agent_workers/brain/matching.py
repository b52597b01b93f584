"""Whether an act about to be done is one that a rule speaks of.

Rules about commands are matched on canonical acts. A person's sentence is matched on the act it forbids and on every
name in it; what the sentence leaves open is left to the caller (scope, exceptions, hours). High precision: a guard that
cries wolf is switched off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from bio_agent_schema.types import Act, Polarity
from bio_agent_workers.brain.act_forms import is_dry, options, spelling, word_set
from bio_agent_workers.brain.act_words import AMBIGUOUS, PROGRAMS, STOP
from bio_agent_workers.brain.call_view import Call, calls, with_branch
from bio_agent_workers.brain.prose import match_sentence, spared
from bio_agent_workers.brain.sentences import Sentence, asks_or_forbids, read_sentence

__all__ = ["MatchReading", "RuleCommands", "condemns", "match_prose", "read_rule", "rule_commands", "speaks_against"]

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
ELEVATORS = frozenset({"sudo", "doas"})
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


@dataclass(frozen=True, slots=True)
class RuleCommands:
    """Commands in a rule's text: `condemned`, the ones it `recommends`, and whether it only says what to do on failure
    or that the failure is over (`spares`: nothing is condemned)."""

    condemned: tuple[str, ...]
    recommends: tuple[str, ...]
    spares: bool


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


def _options_in(condemned: frozenset[str], now: frozenset[str]) -> bool:
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


def _same_verb(condemned: Act, now: Act) -> bool:
    if not condemned.verb or condemned.verb == now.verb:
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
    if not _same_tool(condemned.tool, now.tool) or not _same_verb(condemned, now):
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
    if fixed.tool == condemned.tool and fixed.verb == condemned.verb:
        called = [
            of(now) == of(condemned) for of in (_manner, _elevated) if of(condemned) != of(fixed)
        ]  # fmt: skip
        if called:
            return all(called)
    if fixed.tool != condemned.tool or fixed.verb != condemned.verb:
        return not (fixed.tool == now.tool and fixed.verb == now.verb)
    if any(not PLACEHOLDER.search(o) and o not in targets(fixed) for o in targets(condemned)):
        # What the remedy replaced is there again (`git push -u origin main`): its options cure nothing.
        return True
    added = options(fixed) - wanted
    added_operands = [o for o in targets(fixed) if o not in targets(condemned)]
    if not added and not added_operands:
        return True
    # Another value of an option that the condemned form lacks is the cure as well: `make -C elsewhere`.
    lacking = {flag.partition("=")[0] for flag in added} - {flag.partition("=")[0] for flag in wanted}
    added = frozenset(
        f"{f.partition('=')[0]}=<any>" if "=" in f and f.partition("=")[0] in lacking else f for f in added
    )
    if added and len(targets(now)) >= len(targets(fixed)):
        # Which value an added option takes is the caller's own: `cmake -S elsewhere -B build` has the cure as well.
        return not _options_in(added, given)
    return not (_options_in(added, given) and _operands_in(added_operands, targets(now)))


_QUOTED = re.compile(r"`([^`\n]{1,400})`|「([^」\n]{1,400})」|“([^”\n]{1,400})”|\"([^\"\n]{2,400})\"")
_RUN_CUE = re.compile(
    r"(?:\b(?:run|runs|running|use|using|execute|call|type)\s+|(?:chạy|dùng|gọi|gõ)\s+(?:lệnh\s+)?|(?:运行|执行|使用"
    r"|用|跑)\s*|\b(?:use|run)\s*[:：]\s*)$",
    re.I,
)
_WORD = re.compile(r"[A-Za-z0-9_.+=@:/~<>*-]+")
_RECOMMEND_BEFORE = re.compile(
    r"(?:\b(?:use|prefer|instead|rather|try|run)\b|(?<!\w)(?:dùng|hãy|thay bằng|nên chạy)(?!\w)|改用|请用|使用|用"
    r"|先运行|应)\s*[:：]?\s*$",
    re.I,
)
#: A clause of its own that says what to do instead: "don't use npm, use …".
_RECOMMEND_CLAUSE = re.compile(
    r"(?:[,，;；.。]|\b(?:but|and)\b|(?<!\w)(?:mà|nhưng)(?!\w))\s*"
    r"(?:please |just |always |only |rather |hãy |nên |phải |cứ |请|应该?|要|而是|都|一律)*"
    r"(?:\b(?:use|prefer|run|try|switch to|go with)\b|(?<!\w)(?:dùng|chạy|sử dụng|thay bằng|chuyển sang)(?!\w)"
    r"|改用|换成|换用|使用|运行|用)\s*[:：]?\s*[`\"“「]?$",
    re.I,
)
_RECOMMEND_AFTER = re.compile(r"^\s*(?:worked|works|instead|chạy được|可以成功|才行|succeeded)", re.I)
_FORBID_BEFORE = re.compile(
    r"(?:\b(?:not|never|don't|avoid|stop|before|without)\b[^`;.)]{0,24}|(?<!\w)(?:đừng|không|cấm|tránh|trước khi)(?!\w)[^`;.)]{0,24}|(?:不要"
    r"|不许|禁止|别|严禁|勿)[^`；。）]{0,8})$",
    re.I,
)
_ON_FAILURE = re.compile(
    r"\b(?:when|if|whenever)\b.*\bfails?\b|(?<!\w)(?:khi|nếu)(?!\w).*lỗi|(?:当|如果|若).*失败", re.I | re.S
)
_FIRST = re.compile(r"\bfirst\b|trước hết|trước tiên|先", re.I)
_SINCE_WON = re.compile(
    r"(?<!not )\bsucceeded (?:since|later|at|after)|\blater succeeded|\bsince succeeded|后来.{0,12}成功"
    r"|之后.{0,12}成功过"
    r"|(?:sau đó|về sau).{0,16}(?<!chưa )(?:đã )?(?:chạy được|thành công)",
    re.I,
)
_NOT_WON = re.compile(
    r"not succeeded|never succeeded|没有?成功|未(?:再)?成功|chưa (?:thành công|chạy được)|không thành công", re.I
)


_HAN = re.compile("[\u4e00-\u9fff]")
#: Everyday words that are sub-commands right behind a program's name: `docker run`, `kubectl get`.
_SUB_COMMANDS = frozenset({"run", "get", "exec", "call", "use"})


def _bare_commands(text: str) -> list[tuple[int, str]]:
    """Commands in running text: a known program and the words behind it up to the next everyday word."""
    out: list[tuple[int, str]] = []
    end = 0
    for found in _WORD.finditer(text):
        name = found.group().rstrip(".:")
        if found.start() < end or name not in PROGRAMS:
            continue
        words, at = [name], found.end()
        while len(words) < 7:
            following = _WORD.match(text, at + 1) if text[at : at + 1] == " " else None
            if following is None:
                break
            word = following.group().rstrip(".,;:")
            everyday = word.lower() in STOP and not (len(words) == 1 and word in _SUB_COMMANDS)
            # The next letter may belong to a word of another alphabet: the "n" of "nữa".
            cut = text[following.end() : following.end() + 1]
            if not word or everyday or not word.isascii() or (cut.isalpha() and not _HAN.match(cut)):
                break
            words.append(word)
            at = following.end()
            if word != following.group():
                break
        sure = name not in AMBIGUOUS or any(word.startswith("-") for word in words)
        if sure or _RUN_CUE.search(text[: found.start()]):
            out.append((found.start(), " ".join(words)))
            end = at
    return out


def _located(text: str) -> list[tuple[int, int, str]]:
    out: list[tuple[int, int, str]] = []
    for found in _QUOTED.finditer(text):
        inner = next(group for group in found.groups() if group)
        head = inner.split()[0] if inner.split() else ""
        ticked = found.group().startswith("`")
        if ticked or head.rsplit("/", 1)[-1] in PROGRAMS or head.startswith("./"):
            out.append((found.start(), found.end(), inner.strip()))
    if not out:
        masked = _QUOTED.sub(lambda m: " " * len(m.group()), text)
        out = [(start, start + len(command), command) for start, command in _bare_commands(masked)]
    return out


def rule_commands(text: str) -> list[str]:
    """Commands that a rule's text quotes (`…`, 「…」, “…”) or names outright, in order."""
    return [command for _, _, command in _located(text)]


#: "git commit with --no-verify", "`docker run` using `--privileged`": the option is part of what is spoken against.
_FLAGS_BEHIND = re.compile(
    r"[`'\"”」]?\s*(?:with|using|and|plus|带上?|加上?|使用|với|kèm|có)\s+(?:the\s+|an?\s+)?(?:(?:flags?|options?|switch|cờ|tham số)\s+)?"
    r"[`'\"“「]?(--?[A-Za-z][\w-]*(?:=\S+)?)"
)


def _flags_behind(text: str, end: int) -> str:
    """Options that running text adds to the command that ends there, each with a blank before it."""
    out = ""
    while found := _FLAGS_BEHIND.match(text, end):
        out += f" {found[1].rstrip('.,;:')}"
        end = found.end()
    return out


@lru_cache(maxsize=4096)
def read_rule(text: str) -> RuleCommands:
    """Which commands of a rule's text it speaks against, and which it recommends."""
    condemned: list[str] = []
    recommends: list[str] = []
    # An error message in backticks is no command; one is told by what stands around it.
    for start, end, command in _located(text):
        command += _flags_behind(text, end)
        before, after = text[:start], text[end:]
        if re.search(r"\b(?:with|says|error|because)\s*:?\s*$|(?<!\w)(?:báo|lỗi)\s*$|报\s*$", before, re.I):
            continue
        forbidden = _FORBID_BEFORE.search(before) is not None and not _RECOMMEND_CLAUSE.search(before)
        if not forbidden and (_RECOMMEND_AFTER.match(after) or _RECOMMEND_BEFORE.search(before)):
            recommends.append(command)
        else:
            condemned.append(command)
    over = bool(_SINCE_WON.search(text)) and not _NOT_WON.search(text)
    spares = over or bool(_ON_FAILURE.search(text) and _FIRST.search(text))
    return RuleCommands(tuple(condemned), tuple(recommends), spares)


#: Stands before what is not to be used: "pnpm instead of npm".
_OVER = re.compile(
    r"\b(?:instead of|rather than|in place of)\b|(?<!\w)(?:thay vì|thay cho)(?!\w)|而不是|而非|代替", re.I
)
_FAILED = re.compile(
    r"\b(?:fail(?:s|ed|ing|ure)?|breaks?|broken?|error(?:s|ed)?|crash(?:es|ed)?|does(?:n't| not) work)\b|失败|报错|出错|不行|(?<!\w)lỗi(?!\w)|hỏng",
    re.I,
)


def speaks_against(text: str) -> bool:
    """Whether a rule's text forbids, wants to be asked, or tells that something failed; else nothing it names is condemned."""
    return asks_or_forbids(text) or _FAILED.search(text) is not None or _OVER.search(text) is not None


def _names_of(act: Act) -> frozenset[str]:
    return frozenset(option.partition("=")[0] for option in options(act))


def _as_options(sentence: Sentence, command: str, plain: Act, parse: Callable[[str], Sequence[Act]]) -> frozenset[str]:
    """The options that a sentence wants with its command, by the names under which the command's parser files them."""
    given = [word for words in sentence.lacking for word in words if word.startswith("-")]
    read = [act for word in given for act in parse(f"{command} {word}")[-1:]]
    return frozenset().union(*(_names_of(act) for act in read)) - _names_of(plain)


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
    acts = with_branch(acts)
    quoted = "`" in rule_text or "「" in rule_text
    reading = read_rule(rule_text)
    if quoted and reading.condemned and reading.spares:
        return MatchReading(False, "the rule says what to do on failure and condemns nothing")
    if polarity is Polarity.POSITIVE and not speaks_against(rule_text):
        return MatchReading(False, "the rule forbids nothing")
    if parse is not None and reading.condemned:
        for command in reading.condemned:
            wrong = list(parse(command))[-1:]
            right = [act for text in reading.recommends for act in parse(text)][-1:]
            fixed = right[0] if right else None
            hits = [at for at, act in enumerate(acts) if wrong and condemns(wrong[0], act, fixed)]
            if hits and not quoted and not re.search(rf"(?:{_OVER.pattern})\s*{re.escape(command)}", rule_text, re.I):
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
    return MatchReading(found.matched, found.why, found.acts)
