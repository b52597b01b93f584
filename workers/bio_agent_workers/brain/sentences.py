"""Reading a person's sentence that forbids or asks: its act, the tools, names, paths, dates and amounts in it."""

from __future__ import annotations

import calendar
import posixpath
import re
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from bio_agent_workers.brain.act_words import ACTION_WORDS, GENERIC, NOMINAL_ACTIONS, STOP, THING_WORDS, VAGUE_VERBS
from bio_agent_workers.brain.amounts import Bound, take_bounds
from bio_agent_workers.brain.hours import read_hours

FORBID = re.compile(
    r"\b(?:never|do not|don't|dont|must not|mustn't|should not|shouldn't|may not|cannot|can't|no one|nobody|nothing"
    r"|avoid|"
    r"stop|forbidden|prohibited|not allowed|no)\b|(?<!\w)(?:đừng|không được|không bao giờ|cấm|chớ|tuyệt đối không"
    r"|không nên|"
    r"không)(?!\w)|不要|不许|不准|不得|不能|禁止|严禁|切勿|请勿|别|勿|不可",
    re.IGNORECASE,
)
ASK = re.compile(
    r"\b(?:ask|check with|confirm with|tell|get (?:my )?(?:ok|okay|approval|permission)"
    r"|wait for)\b.{0,40}?\b(?:before|first)\b"
    r"|(?<!\w)(?:hỏi|xin phép|báo)(?!\w).{0,30}?(?<!\w)trước khi(?!\w)|(?:先|事先).{0,6}(?:问|确认|征求|请示)"
    r"|之?前.{0,4}(?:先)?(?:问|确认)",
    re.IGNORECASE,
)
# The same with the act first: "before you deploy, ask me".
ASK_AFTER = re.compile(
    r"\b(?:needs?|requires?)\s+(?:my |your |explicit |prior |an? |the \w+(?:'s)? )?(?:approval|permission|confirmation|okay|ok)\b"
    r"|\bmust be (?:approved|confirmed)\b|(?<!\w)(?:phải|cần|nhớ)\s+(?:được\s+)?(?:hỏi|xin phép|báo|duyệt)(?!\w)"
    r"|(?:必须|需要|须|要)(?:经过?|得到)?.{0,4}(?:批准|同意|审批|许可)"
    r"|\bbefore\b.{2,80}\b(?:ask|check with|confirm with|get (?:my )?(?:ok|okay|approval|permission))\b"
    r"|(?<!\w)trước khi(?!\w).{2,60}(?<!\w)(?:hỏi|xin phép|báo)(?!\w)|.前.{0,4}(?:先|必须|要|需).{0,3}(?:问|确认"
    r"|征求|请示)",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"\bwithout (?:first )?(?:asking|telling|checking|(?:my|explicit|prior)\b|permission|approval"
    r"|an? (?:\w+ )?(?:ok(?:ay)?|approval|permission|confirmation|go-ahead|sign-?off|review|yes|green light)\b).*"
    r"|(?<!\w)(?:mà|khi|nếu) (?:không|chưa) (?:hỏi|xin phép|được|có (?:phê duyệt|sự đồng ý|phép)).*|未经[^，。；]{0,8}(?:同意|批准|允许|许可)",
    re.IGNORECASE,
)
_FORCED = re.compile(
    r"\bforce[- ]?(push|delete|remove|stop|kill|merge|reset|install|update)(?:ed|d|ing|es|s)?\b|强制?(推|删除|停止|合并)送?",
    re.I,
)
#: How long a rule holds says nothing of what it is about ("from now on"); behind a date it is a bound instead.
STANDING = re.compile(
    r"\bfrom (?:now|today|here|this (?:point|day)) on(?:wards?)?\b|\b(?:going|moving) forward\b|\bfrom now onwards?\b"
    r"|\bin (?:the )?future\b|\bhenceforth\b|\bat all times\b|\bunder (?:no|any) circumstances\b"
    r"|(?<!\w)(?:kể )?từ (?:nay|giờ|bây giờ|hôm nay|rày)(?: trở đi| về sau)?(?!\w)|(?<!\w)(?:sau này|về sau|từ đây)(?!\w)"
    r"|(?<![\d日号月年点])(?:从今以后|从今往后|从此以后|从此|从今天起|从现在起|从现在开始|从今天开始|以后|今后|往后|永远|千万)",
    re.IGNORECASE,
)
#: "…, use pnpm": what to do instead is no part of what is forbidden.
_INSTEAD = re.compile(
    r"(?:[,，]|\b(?:but|and)\b|(?<!\w)(?:mà|nhưng|và)(?!\w))\s*(?:please |just |always |only |rather |hãy |nên |phải |cứ |请|应该?|要|而是|都|一律)*"
    r"(?:\b(?:use|prefer|run|try|switch to|go with|call)\b|(?<!\w)(?:dùng|chạy|sử dụng|thay bằng|chuyển sang)(?!\w)|改用|换成|换用|使用|运行|用).*",
    re.IGNORECASE | re.DOTALL,
)
#: "without a plan file", "without --atomic": the act is forbidden only where that is lacking.
_LACKING = re.compile(
    r"\bwithout (?:an? |the |any |its |passing |giving |specifying |using |setting )?"
    r"(?P<en>--?[A-Za-z][\w-]*|[A-Za-z][\w-]*(?<!ing) (?:file|flag|option|argument|parameter|switch))(?=\s*(?:$|[,.;]))"
    r"|(?<!\w)(?:mà )?không (?:có|kèm|dùng|thêm) (?:cờ |tùy chọn |tham số |file |tệp )?(?P<vi>--?[A-Za-z][\w-]*|(?<=file )[a-z]\w*)"
    r"|(?:不带|没有?带?|不加|缺少)\s*(?P<zh>--?[A-Za-z][\w-]*)\s*(?:参数|选项)?(?:时|的情况下|就)?",
    re.IGNORECASE,
)
_FILE_NAME = re.compile(r"(?<![\w./-])[\w@+-]+(?:/[\w@+.-]+)*\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/]|\.\w)", re.ASCII)
#: Acts on a folder that are acts on what lies in it.
_REACHES_IN = frozenset({"write", "edit", "update", "touch", "create", "copy"})
#: 动 alone is "touch" behind a prohibition only: it is a part of many other words.
_MOVE_NOT = re.compile(r"(?<=[要许准得能别勿止])(?:去|再|乱|随便)?动(?![态作画手员用])")
#: The slash of "the legacy/ folder"; "in this checkout", where a checkout is no service.
_FOLDER_MARK = re.compile(r"(?<=\w)/(?=[\s,;)`'\"]|$)")
_THIS_CHECKOUT = re.compile(r"\b(?:this|my|your|whole|entire|the) (?:git )?checkout\b(?!\s+\w)", re.I)
_INSIDE = re.compile(
    r"(?:\b(?:in|under|inside|within|below)|(?<!\w)(?:trong|dưới))\s+(?:the )?(?:folder |thư mục )?[\"'`]?$", re.I
)
_EXCEPT = re.compile(
    r"\b(?:unless|except|other than|apart from)\b|(?<!\w)(?:trừ khi|trừ|ngoại trừ)(?!\w)|除非|除了", re.IGNORECASE
)
_REASON = re.compile(
    r"\b(?:because|since|so that|as it|instead)\b|(?<!\w)(?:vì|bởi vì|để khỏi)(?!\w)|因为|以免", re.IGNORECASE
)
_CLAUSE = re.compile(r"(?:[:;!?。；！？：]|\.(?=\s|$))\s*")
_ASIDE = re.compile(r"\([^)]*\)|（[^）]*）")
_PATH = re.compile(r"(?<![\w./-])(?:/|~/)[\w.@+-]+(?:/[\w.@+-]+)*/?")
_NAME = re.compile(r"(?<![\w.])\.?[A-Za-z0-9_][\w.+@/-]*[A-Za-z0-9_*]|[A-Za-z0-9]", re.ASCII)
#: A tool that the rule calls by its name; an everyday word counts as one only beside "tool".
_IDENT = r"[A-Za-z][A-Za-z0-9]*(?:[._-][A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+"
_TOOL = re.compile(
    rf"(?:(?:\b(?:call|calling|invoke|invoking|use|using|run|running|execute|trigger)|(?<!\w)(?:gọi|dùng|sử dụng|chạy)|调用"
    rf"|使用|运行|执行)\s*(?:the\s+|hàm\s+|công cụ\s+|tool\s+|工具\s*)?[`\"']?(?P<called>{_IDENT})[`\"']?)"
    rf"(?:\s*(?:tool|function|action|工具|函数|接口))?"
    rf"|\bthe\s+[`\"']?(?P<the>[A-Za-z][\w.-]*)[`\"']?\s+(?:tool|function)\b"
    rf"|(?<!\w)(?:công cụ|工具|\btool)\s+[`\"']?(?P<vi>[A-Za-z][\w.-]*)|[`\"']?(?P<zh>[A-Za-z][\w.-]*)[`\"']?\s*(?:工具|函数|接口)"
)
_OUTSIDE = re.compile(
    r"(?:\b(?:outside(?: of)?|not (?:in|inside|under))|(?<!\w)(?:bên ngoài|ngoài|không thuộc))\s+(?:the\s+)?"
    r"(?:(?:folder|directory|domain|thư mục|miền)\s+)?[`\"'@]?(?P<a>~?/?[\w.@+/-]*\w)"
    r"|[`\"'@]?(?P<b>~?/?[A-Za-z][\w.@+/-]*\w)\s*(?:域名|目录)?(?:以外|之外)",
    re.IGNORECASE,
)
_DOTFILE = re.compile(r"(?<![\w.*])\.[A-Za-z][\w.-]*\w", re.ASCII)
_GLOB_NAME = re.compile(r"(?<![\w*/])(?:\*\.?[\w.-]*\w|\w[\w.-]*\*)(?![\w*])", re.ASCII)
_VI_WORD = re.compile(r"[^\W\d_]+")
_HAN = re.compile("[\u4e00-\u9fff]")
#: Chinese words that say nothing about what a rule is about.
_HAN_FILLERS = re.compile(
    "执行|运行|手动|手工|使用|操作|命令|进行|直接|绝对|一律|必须|时候|期间|[时的地得了着过在对把将和与或及我你您他它这那一个任何所有里中上下请先问征求确认应该需要前从给往用]"
)
_MONTHS = {name.lower(): n for n, name in enumerate(calendar.month_name) if name} | {
    name.lower(): n for n, name in enumerate(calendar.month_abbr) if name
}
_DATE = re.compile(
    rf"(?P<mon>\b(?:{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b)\.? (?P<y1>20\d\d)"
    rf"|(?P<y2>20\d\d)-(?P<m2>\d\d)(?:-(?P<d2>\d\d))?"
    r"|tháng (?P<m3>\d{1,2})[/ -]+(?:năm )?(?P<y3>20\d\d)|(?P<y4>20\d\d) ?年 ?(?P<m4>\d{1,2}) ?月(?:"
    r" ?(?P<d4>\d{1,2}) ?日)?",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:or earlier|and earlier|or before|before|until|up to)\b|trở về trước|trở về|trước|及以前|及之前|以前|之前"
    r"|前的",
    re.I,
)
_LATER = re.compile(r"\b(?:or later|and later|after|from|since)\b|trở đi|từ|sau|及以后|以后|之后|起", re.I)


#: Stands for any act that does more than look: the amount alone says what the sentence is about.
ANY_ACT = "*"
_JOINED = re.compile(r"\s*(?:,|or|and|/|hoặc|hay|và|或|或者|和|、|，)\s*(?:or|and)?\s*")
_PLAIN_VERB = re.compile(r"\s*(?:(?:to|ever|you|just|please)\s+)*([A-Za-z]{3,20})\b", re.ASCII)


def stem(verb: str) -> str:
    """draining, drained, drains → drain. Cut off rather than spelled: both sides of a comparison go through it."""
    for ending in ("ing", "ed", "es", "s"):
        if verb.endswith(ending) and len(verb) - len(ending) >= 3:
            return verb[: -len(ending)].removesuffix("e")
    return verb.removesuffix("e")


@dataclass(slots=True)
class Sentence:
    """What a rule's sentence speaks against.

    actions: concepts, any of which must be done. tools: names of tools, one of which must be called instead. names: words
    that a call must show; patterns: the same with `*` in them. things: concepts it must show, apart from kinds.
    open_words: of which most must be shown. paths: of which each must be acted on; inside: or what lies in them.
    outside: a host, folder or name that the call must go beyond. lacking: words of which a call must show none ("without
    --atomic"). bounds: dates; amounts: numbers. uncovered_han: Chinese
    characters nothing was read from.
    """

    actions: set[str] = field(default_factory=set)
    tools: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)
    things: list[str] = field(default_factory=list)
    open_words: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    bounds: list[tuple[str, date, date]] = field(default_factory=list)
    amounts: list[Bound] = field(default_factory=list)
    lacking: list[frozenset[str]] = field(default_factory=list)
    uncovered_han: int = 0
    inside: bool = False


def asks_or_forbids(text: str) -> bool:
    """Whether a sentence holds a word that forbids an act or wants to be asked before it."""
    return bool(ASK.search(text) or ASK_AFTER.search(text) or FORBID.search(text))


def _forced(found: re.Match[str]) -> str:
    return (
        f" {(found[1] or {'推': 'push', '删除': 'delete', '停止': 'stop', '合并': 'merge'}[found[2]]).lower()} force "
    )


def _clause_of(text: str) -> tuple[str, int] | None:
    """The clause that forbids or asks, and where in it the forbidden act begins."""
    plain = _ASIDE.sub(" ", text)
    for clause in _CLAUSE.split(plain):
        cut = _EXCEPT.search(clause)
        body = clause[: cut.start()] if cut else clause
        body = _MOVE_NOT.sub("触碰", _FORCED.sub(_forced, body))
        without = _WITHOUT.search(body)
        if without is not None:
            # "not without asking" asks first; the act may stand on either side.
            return body[: without.start()] + body[without.end() :], 0
        if ASK_AFTER.search(body):
            return body, 0
        asked = ASK.search(body)
        found = asked or FORBID.search(body)
        if found is not None:
            ends = [m.start() for m in (_REASON.search(body, found.end()), _INSTEAD.search(body, found.end())) if m]
            return body[: min(ends)] if ends else body, found.end()
    return None


def _date_bounds(clause: str, into: Sentence) -> str:
    found = _DATE.search(clause)
    if found is None:
        return clause
    g = found.groupdict()
    year = int(g["y1"] or g["y2"] or g["y3"] or g["y4"])
    month = _MONTHS[g["mon"].lower()] if g["mon"] else int(g["m2"] or g["m3"] or g["m4"])
    if not 1 <= month <= 12:
        return clause
    day = int(g["d2"] or g["d4"] or 0)
    last = calendar.monthrange(year, month)[1]
    first_day, last_day = date(year, month, min(day, last) or 1), date(year, month, min(day, last) or last)
    around = clause[max(0, found.start() - 16) : found.start()] + " " + clause[found.end() : found.end() + 16]
    side = "earlier" if _EARLIER.search(around) else "later" if _LATER.search(around) else "within"
    if side == "earlier" and re.search(r"\bbefore\s*$", clause[: found.start()], re.I):
        side = "before"
    into.bounds.append((side, first_day, last_day))
    tail = re.sub(_EARLIER if side != "later" else _LATER, " ", clause[found.end() : found.end() + 16], count=1)
    return clause[: found.start()] + " " + tail + clause[found.end() + 16 :]


@lru_cache(maxsize=16_384)
def read_sentence(text: str, command: str) -> Sentence | None:
    """What a sentence speaks against, None when it forbids no act that is known. command: a command of the sentence that
    is matched by itself; then only its objects are read."""
    located = _clause_of(STANDING.sub(" ", read_hours(text).rest))
    if located is None:
        return None
    clause, begin = located
    out = Sentence()
    clause = _take_outside(_take_lacking(clause, out), out)
    out.inside = any(
        _INSIDE.search(clause[: m.start()]) or re.match(r"\s*(?:下|里|中|内|之下)", clause[m.end() :])
        for m in _PATH.finditer(clause)
    )
    out.paths = [posixpath.normpath(p) for p in _PATH.findall(clause)]
    rest = _FOLDER_MARK.sub(" ", _THIS_CHECKOUT.sub(" ", _PATH.sub(" ", clause)))
    if command:
        for word in command.split():
            rest = re.sub(rf"(?<![A-Za-z0-9_.-]){re.escape(word)}(?![A-Za-z0-9_-])", " ", rest, count=1)
    rest = _date_bounds(rest, out)
    out.amounts, rest = take_bounds(rest)
    if not command:
        rest = _take_tools(rest, out)
    # Before words are looked up: `build.gradle` is no build, `schema.sql` no schema.
    out.names += [name.lower() for name in _FILE_NAME.findall(rest)]
    rest = _FILE_NAME.sub(lambda m: " " * len(m.group()), rest)
    if not command:
        if not out.tools:
            rest = _take_actions(rest, begin, out)
        if not out.actions and not out.tools:
            return None
        out.inside = out.inside or not _REACHES_IN.isdisjoint(out.actions)
    out.patterns = [p.lower() for p in _GLOB_NAME.findall(rest)]
    rest = _GLOB_NAME.sub(" ", rest)
    # What stands before the cue belongs to the rule too ("In VN01 do not post …"), the cue itself does not.
    rest = FORBID.sub(" ", ASK.sub(" ", rest))
    # Before words are looked up: `.env` is no environment.
    out.names += [name.lower() for name in _DOTFILE.findall(rest)]
    rest = _DOTFILE.sub(" ", rest)
    found = THING_WORDS.find(rest)
    out.things = list(dict.fromkeys(concept for _, _, concept in found))
    rest = _without(rest, found)
    for word in _NAME.findall(rest):
        if any(c.isdigit() or c.isupper() for c in word[1:]) or any(c in "-_./" for c in word):
            out.names.append(word.lower())
    for word in _VI_WORD.findall(re.sub(r"\S*[\d_./-]\S*", " ", rest)):
        lowered = word.lower()
        if _HAN.search(word):
            out.uncovered_han += len(_HAN_FILLERS.sub("", word))
        elif (
            lowered not in STOP
            and lowered not in GENERIC
            and not any(c.isupper() for c in word[1:])
            and len(lowered) > 1
        ):
            out.open_words.append(lowered)
    return out


def _take_lacking(clause: str, out: Sentence) -> str:
    found = _LACKING.search(clause)
    if found is None:
        return clause
    said = next(group for group in found.groups() if group).lower().split()
    out.lacking.append(frozenset(said[:1]))
    return clause[: found.start()] + " " + clause[found.end() :]


def _take_outside(clause: str, out: Sentence) -> str:
    found = _OUTSIDE.search(clause)
    name = (found["a"] or found["b"]) if found else ""
    if found is None or not ("." in name or "/" in name or "-" in name):
        return clause
    out.outside.append(name.lower().lstrip("@"))
    return clause[: found.start()] + " " + clause[found.end() :]


def _take_tools(rest: str, out: Sentence) -> str:
    """Tools that the sentence names; what is an identifier is no everyday word, so it needs no quotes."""
    for found in list(_TOOL.finditer(rest)):
        name = next(group for group in found.groups() if group)
        if name.lower() not in STOP and name not in ("the", "this", "that"):
            out.tools.append(name.lower())
            rest = rest[: found.start()] + " " * (found.end() - found.start()) + rest[found.end() :]
    return rest


def _take_actions(rest: str, begin: int, out: Sentence) -> str:
    """The first act behind the cue, with those joined to it by "or" or a comma; returns the text without them."""
    begin = min(begin, len(rest))
    every = ACTION_WORDS.find(rest)
    matches = [found for found in every if found[0] >= begin - 1]
    if not matches:
        cue = FORBID.search(rest) if begin == 0 else None
        plain = _PLAIN_VERB.match(rest, cue.end() if cue else begin)
        nominal = NOMINAL_ACTIONS.get(plain.group(1).lower().removesuffix("s"), "") if plain is not None else ""
        if plain is not None and nominal:
            out.actions.add(nominal)  # "payments above 500 need approval"
            return rest[: plain.start()] + " " * (plain.end() - plain.start()) + rest[plain.end() :]
        if plain is not None and plain.group(1).lower() not in STOP | VAGUE_VERBS:
            # A verb of a tool that no table knows: `drain`, `vacuum`.
            out.actions.add(stem(plain.group(1).lower()))
            return rest[: plain.start()] + " " * (plain.end() - plain.start()) + rest[plain.end() :]
        if out.amounts and plain is not None and plain.group(1).lower() in VAGUE_VERBS:
            out.actions.add(ANY_ACT)
            return rest[: plain.start()] + " " * (plain.end() - plain.start()) + rest[plain.end() :]
        matches = every
    end = -1
    taken: list[tuple[int, int, str]] = []
    for match in matches:
        between = rest[end : match[0]]
        if end >= 0 and _JOINED.fullmatch(between) is None:
            break
        out.actions.add(match[2])
        taken.append(match)
        end = match[1]
    return _without(rest, taken)


def _without(text: str, found: list[tuple[int, int, str]]) -> str:
    """The text with blanks where something was read from it."""
    for start, end, _ in reversed(found):
        text = text[:start] + " " * (end - start) + text[end:]
    return text
