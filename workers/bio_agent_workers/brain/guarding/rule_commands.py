"""The commands and endpoints that a rule's text names: which of them it speaks against, and which it recommends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from bio_agent_workers.brain.guarding.act_forms import word_set
from bio_agent_workers.brain.guarding.act_words import AMBIGUOUS, PROGRAMS, STOP
from bio_agent_workers.brain.guarding.http_calls import Endpoint, named_endpoints
from bio_agent_workers.brain.guarding.rule_clause import asks_or_forbids, reasons_of

__all__ = ["OVER", "RuleCommands", "read_rule", "rule_commands", "speaks_against"]


@dataclass(frozen=True, slots=True)
class RuleCommands:
    """Commands in a rule's text: `condemned`, the ones it `recommends`, and whether it only says what to do on failure
    or that the failure is over (`spares`: nothing is condemned). quoted: a command stands between marks, so that nothing
    else is meant; endpoints: what must not be called over HTTP; only_endpoints: and nothing else is meant."""

    condemned: tuple[str, ...]
    recommends: tuple[str, ...]
    spares: bool
    quoted: bool = False
    endpoints: tuple[Endpoint, ...] = ()
    only_endpoints: bool = False


_QUOTED = re.compile(r"`([^`\n]{1,400})`|「([^」\n]{1,400})」|“([^”\n]{1,400})”|\"([^\"\n]{2,400})\"")
_RUN_CUE = re.compile(
    r"(?:\b(?:run|runs|running|use|using|execute|call|type)\s+|(?:chạy|dùng|gọi|gõ)\s+(?:lệnh\s+)?|(?:运行|执行|使用"
    r"|用|跑)\s*|\buse\s+[\w.-]+(?:\s+\w+){0,3}(?:,| and| but)\s+never\s+|\b(?:use|run)\s*[:：]\s*)$",
    re.I,
)
_RUN_BEHIND = re.compile(
    r"\s+(?:is|are|must|may|should|can) (?:not|never) (?:be )?(?:run|executed|used|called|started)\b|\s*(?:不许"
    r"|不得|不要|禁止|不能)(?:运行|执行|使用)"
    r"|\s+(?:không|cấm)(?: được)? (?:chạy|dùng)(?!\w)", re.I
)  # fmt: skip
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
_RECOMMEND_AFTER = re.compile(
    r"^[`'\"”」]?\s*(?:worked|works|instead|chạy được|可以成功|才行|succeeded|(?:is|are) (?:fine|ok(?:ay)?|good|allowed|permitted)\b"
    r"(?!\s*(?:only|when|if|with|after))|thì (?:được|ok|không sao)|(?:是)?(?:可以的|允许的|没问题))", re.I
)  # fmt: skip
#: Behind a quoted word: it was run.
_WAS_RUN = re.compile(
    r"^[`'\"”」]?\s*(?:fail|break|crash|error|exits?\b|times? out|hang|does not|doesn't|needs|lỗi|báo lỗi|失败|报错|在这里)",
    re.I,
)
_ONE_NAME = re.compile(r"[\w@.-]+(?:[/*][\w@.*-]+)*[/*]?")
_FORBID_BEFORE = re.compile(
    r"(?:\b(?:not|never|don't|avoid|stop|before|without)\b[^`;.)]{0,24}|(?<!\w)(?:đừng|không|cấm|tránh|trước khi)(?!\w)[^`;.)]{0,24}|(?:不要"
    r"|不许|禁止|别|严禁|勿|[绝决]不)[^`；。）]{0,8})$",
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
_BY_MEANS = re.compile(
    r"(?:\b(?:to|on|onto|with|via|through)|(?<!\w)(?:lên|trên|bằng|qua|với|vào)|到|通过|在)\s*$", re.I
)
#: Everyday words that are sub-commands right behind a program's name: `docker run`, `kubectl get`.
_SUB_COMMANDS = frozenset({"run", "get", "exec", "call", "use"})
_ARTICLE = re.compile(r"\b(?:the|an?|my|our|his|her|their)\s+$", re.I)
_AS_TOOL = re.compile(r"\s+(?:command|tool|program|cli|binary|utility|client)\b", re.I)
#: Things of a program that are no sub-commands of any, behind its name and (elsewhere) before it.
_OF_PROGRAMS = word_set(
    "registry registries server servers repository repositories client clients rule rules host hosts package packages",
    "deployment deployments firewall credentials settings chains group groups",
)
_THING_OF = re.compile(r"(?<!\w)(?:máy chủ|kho|cụm|quy tắc|luật|registry|server|gói|thư viện|package|module)\s*$", re.I)
_THING_OF_ZH = re.compile(r"\s*(?:服务器|仓库|镜像|集群|规则|防火墙|包)")
_SECOND = {"compose": ("up", "down", "run", "exec")}


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
            known = word in _SUB_COMMANDS if len(words) == 1 else word in _SECOND.get(words[-1], ())
            everyday = word.lower() in STOP and not known
            # The next letter may belong to a word of another alphabet: the "n" of "nữa".
            cut = text[following.end() : following.end() + 1]
            if not word.strip("-") or everyday or not word.isascii() or (cut.isalpha() and not _HAN.match(cut)):
                break
            words.append(word)
            at = following.end()
            if word != following.group():
                break
        if len(words) > 1 and words[1].lower() in _OF_PROGRAMS:
            continue  # "the npm registry": a thing of the program
        before, after = text[: found.start()], text[found.end() :]
        if len(words) == 1 and (_BY_MEANS.search(before) or _THING_OF.search(before) or _THING_OF_ZH.match(after)):
            continue  # "publish to npm": where or with what, no command
        if len(words) == 1 and _ARTICLE.search(before) and not _AS_TOOL.match(after):
            continue  # "the crontab of root": a thing that is worked on
        sure = name not in AMBIGUOUS or any(word.startswith("-") for word in words)
        if sure or _RUN_CUE.search(before) or _RUN_BEHIND.match(text, at):
            out.append((found.start(), " ".join(words)))
            end = at
    return out


#: What is said beside: an endpoint or a program there is an example of what the sentence names.
_ASIDE = re.compile(r"\([^)]*\)|（[^）]*）")


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _located(text: str) -> list[tuple[int, int, str]]:
    out: list[tuple[int, int, str]] = []
    for found in _QUOTED.finditer(text):
        inner = next(group for group in found.groups() if group)
        head = inner.split()[0] if inner.split() else ""
        ticked = found.group().startswith("`")
        if head.startswith("-") or next(named_endpoints(inner), None) is not None:
            continue  # an option or an endpoint by itself
        if ticked and _is_name(inner, text[: found.start()], text[found.end() :]):
            continue
        if ticked or head.rsplit("/", 1)[-1] in PROGRAMS or head.startswith("./"):
            out.append((found.start(), found.end(), inner.strip()))
    if not out:
        masked = _ASIDE.sub(_blank, _QUOTED.sub(_blank, text))
        out = [(start, start + len(command), command) for start, command in _bare_commands(masked)]
    return out


def _is_name(inner: str, before: str, after: str) -> bool:
    """Whether a quoted word is no command: one word, of no known program, that is not said to be run."""
    if _ONE_NAME.fullmatch(inner) is None or inner.rsplit("/", 1)[-1] in PROGRAMS or inner.startswith("./"):
        return False
    return not _RUN_CUE.search(before) and not _WAS_RUN.match(after) and asks_or_forbids(before + " " + after)


def rule_commands(text: str) -> list[str]:
    """Commands that a rule's text quotes (`…`, 「…」, “…”) or names outright, in order."""
    return [command for _, _, command in _located(text)]


#: "git commit with --no-verify", "`docker run` using `--privileged`": the option is part of what is spoken against.
_FLAGS_BEHIND = re.compile(
    r"[`'\"”」]?\s*(?:with|using|and|plus|带上?|加上?|使用|với|kèm|có)\s+(?:the\s+|an?\s+)?(?:(?:flags?|options?|switch|cờ|tham số)\s+)?"
    r"[`'\"“「]?(--?[A-Za-z][\w-]*(?:=\S+)?)"
)


#: "`--no-cache` with docker build": the same the other way round.
_FLAG_BEFORE = re.compile(
    r"(?<![\w-])(--?[A-Za-z][\w-]*(?:=\S+)?)[`'\"”」]?\s+(?:(?:flag|option|switch)\s+)?(?:with|on|for|in|to|với|cho|khi)\s+[`'\"“「]?$"
)


def _flag_before(text: str, start: int) -> str:
    found = _FLAG_BEFORE.search(text[:start])
    return f" {found[1]}" if found else ""


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
    reasons = reasons_of(text)
    # An error message in backticks is no command; one is told by what stands around it.
    for start, end, command in _located(text):
        flag = _flag_before(text, start)
        command += flag + _flags_behind(text, end)
        before, after = text[:start], text[end:]
        if any(first <= start < last for first, last in reasons):
            recommends.append(command)  # why, or what is used instead: never what is spoken against
            continue
        if not flag and re.search(
            r"\b(?:with|says|error|because)\s*:?\s*$|(?<!\w)(?:báo|lỗi)\s*$|报\s*$", before, re.I
        ):
            continue
        forbidden = _FORBID_BEFORE.search(before) is not None and not _RECOMMEND_CLAUSE.search(before)
        if not forbidden and (_RECOMMEND_AFTER.match(after) or _RECOMMEND_BEFORE.search(before)):
            recommends.append(command)
        else:
            condemned.append(command)
    endpoints = [
        named for start, _, named in named_endpoints(text)
        if not _RECOMMEND_CLAUSE.search(text[:start])
    ]  # fmt: skip
    over = bool(_SINCE_WON.search(text)) and not _NOT_WON.search(text)
    spares = over or bool(_ON_FAILURE.search(text) and _FIRST.search(text))
    quoted = bool(condemned or recommends) and ("`" in text or "「" in text)
    return RuleCommands(
        tuple(condemned),
        tuple(recommends),
        spares,
        quoted,
        tuple(endpoints),
        any(named_endpoints(_ASIDE.sub(" ", text))),
    )


#: Stands before what is not to be used: "pnpm instead of npm".
OVER = re.compile(
    r"\b(?:instead of|rather than|in place of)\b|(?<!\w)(?:thay vì|thay cho)(?!\w)|而不是|而非|代替", re.I
)
_FAILED = re.compile(
    r"\b(?:fail(?:s|ed|ing|ure)?|breaks?|broken?|error(?:s|ed)?|crash(?:es|ed)?|does(?:n't| not) work)\b|失败|报错|出错|不行|(?<!\w)lỗi(?!\w)|hỏng",
    re.I,
)


def speaks_against(text: str) -> bool:
    """Whether a rule's text forbids, wants to be asked, or tells that something failed; else nothing it names is condemned."""
    return asks_or_forbids(text) or _FAILED.search(text) is not None or OVER.search(text) is not None
