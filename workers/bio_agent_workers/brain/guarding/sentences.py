"""Reading a person's sentence that forbids or asks: its act, the tools, names, paths, dates and amounts in it."""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

from bio_agent_workers.brain.guarding.act_words import (
    ACTION_WORDS,
    GENERIC,
    KINDS,
    STOP,
    THING_WORDS,
    THING_WORDS_ABROAD,
)
from bio_agent_workers.brain.guarding.amounts import take_bounds
from bio_agent_workers.brain.guarding.circumstances import without_circumstances
from bio_agent_workers.brain.guarding.conditions import take_conditions
from bio_agent_workers.brain.guarding.cues import ASK, FORBID
from bio_agent_workers.brain.guarding.date_bounds import take_dates
from bio_agent_workers.brain.guarding.forbidden_acts import ANY_ACT, JOINED, blanked, take_acts
from bio_agent_workers.brain.guarding.held_states import take_held
from bio_agent_workers.brain.guarding.hours import read_hours
from bio_agent_workers.brain.guarding.object_names import (
    apposed_names,
    brought_along,
    either_of,
    ends_named,
    kinds_before_names,
    kinds_of_names,
    proper_names,
    take_labels,
    telling_things,
)
from bio_agent_workers.brain.guarding.properties import take_properties
from bio_agent_workers.brain.guarding.qualifiers import NEVER_SHOWN, qualifiers
from bio_agent_workers.brain.guarding.rule_clause import STANDING, clauses_of, excepted, without_reasons
from bio_agent_workers.brain.guarding.sentence import VERSIONS, Sentence
from bio_agent_workers.brain.guarding.sentence_frames import framed

#: `.pem files`: an ending, no name; `.env` is a file of that name.
_ENDING = re.compile(
    r"(?<![\w.*/])\.(?!(?:env|git\w*|\w+rc|profile|ssh|aws|kube|github|vscode|dockerignore|editorconfig)\b)"
    r"(?:([A-Za-z]\w{0,7})(?=[`'\"]?\s*(?:files\b|文件))|(?<=file \.)(\w{1,8})\b|(?<=tệp \.)(\w{1,8})\b)", re.I
)  # fmt: skip
_HANDLE = re.compile(r"(?<![\w.])([#@])([A-Za-z][\w.-]*\w)(?![\w/-])")
#: The name of a package in a scope: `@acme/core`.
_SCOPED = re.compile(r"(?<![\w.])@[A-Za-z][\w.-]*/[\w.-]*\w")
#: "an API endpoint": what an abbreviation stands before, it tells the kind of.
_ABBREVIATION = re.compile(r"(?<![\w-])[A-Z]{2,5}(?= [a-z]{3,})")
_FILE_NAME = re.compile(r"(?<![\w./-])[\w@+-]+(?:/[\w@+.-]+)*\.[A-Za-z][A-Za-z0-9]{0,7}(?![\w/]|\.\w)", re.ASCII)
#: Acts on a folder that are acts on what lies in it.
_REACHES_IN = frozenset({"write", "edit", "update", "touch", "create", "copy"})
#: The slash of "the legacy/ folder"; "in this checkout", where a checkout is no service.
_FOLDER_MARK = re.compile(r"(?<![\w./-])\.?([A-Za-z][\w-]*)/(?=[\s,;)`'\"，。]|$)")
_THIS_CHECKOUT = re.compile(r"\b(?:this|my|your|whole|entire|the) (?:git )?checkout\b(?!\s+\w)", re.I)
_INSIDE = re.compile(
    r"(?:\b(?:in|under|inside|within|below|from|off|out of)|(?<!\w)(?:trong|dưới|khỏi|từ)|[从在])\s*(?:the )?(?:[a-z]+ |thư mục |目录)?[\"'`]?$",
    re.I,
)
_PATH = re.compile(r"(?<![\w./-])(?:/|~/)[\w.@+-]*\w(?:/[\w.@+-]*\w)*/?|(?<= )/(?=\s*(?:$|[.,;]))")
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
    r"(?:(?:folder|directory|domain|company|organi[sz]ation|thư mục|(?:tên )?miền|công ty|tổ chức)\s+)?[`\"'@]?(?P<a>~?/?[\w.@+/-]*\w)"
    r"|[`\"'@]?(?P<b>~?/?[A-Za-z][\w.@+/-]*\w)\s*(?:域名|目录)?(?:以外|之外)",
    re.IGNORECASE,
)
_DOTFILE = re.compile(r"(?<![\w.*])\.[A-Za-z][\w.-]*\w", re.ASCII)
_GLOB_NAME = re.compile(r"(?<![\w*/])(?:\*\.?[\w.-]*\w|\w[\w./-]*\*)(?![\w*])", re.ASCII)
#: `s3://bucket/key`: what stands behind the scheme is the name.
_ADDRESS = re.compile(r"\b((?:s3|gs|az|r2|oss|cos)://)([\w.-]{1,128}(?:/[\w.@/-]{0,256})?)", re.I)
#: A name that no word is, right behind the word for what it names.
_NAMED_BEHIND = re.compile(
    r"\s*(?:(?:host|server|node|machine)s?\s+)?(?:\0|[`'\"“「]?[A-Za-z][A-Za-z]*[\d_-][\w.-]*)", re.ASCII
)
#: A label as tools write it: `tier=db`.
_PAIR = re.compile(r"(?<![\w.-])([A-Za-z][\w.-]*)=([\w.-]*\w)")
_VAGUE = re.compile(r"\b(?:in|of|on|from) (?:it|them|there)\b|\b(?:one|it|them)\s*$", re.I)
_DOER = re.compile(
    r"\s*(?:the|our|this|your|any)\s+([\w-]+(?: [\w-]+)?)\s+(?:(?:must|may|should|shall|can|will) (?:not|never)"
    r"|never|cannot)\s+(?!be\b|get)(?=[a-z])",
    re.I,
)
_VI_WORD = re.compile(r"[^\W\d_]+")
_HAN = re.compile("[\u4e00-\u9fff]")
#: Behind an act that is the object of another: "approve payments" (审批付款。).
_OBJECT = re.compile(r"\s*(?:的?(?:单据?|申请|记录)?)?\s*(?:$|[，。；])")
_DONE = re.compile("已经?被?$")
#: Chinese words that say nothing about what a rule is about.
_HAN_FILLERS = re.compile(
    "机器人|助手|数据|内容|信息|也|[设改变弄置][为成]|任何人|所有人|别人|其他人|存储桶|对象|资源|已经|已|东西|都|执行|运行|仓库|代码库|自行|擅自|随意|单价|单笔|每笔|金额|人民币|手动|手工|使用|操作|命令|进行|直接|绝对|一律|必须|时候|期间|[号到把时的地得了着过在对把将和与或及我你您他它这那一个任何所有里中上下请先问征求确认应该需要前从给往用]"
)
_APPROVED = re.compile(
    r"\b(?:approval|permission|consent|confirmation|sign-?off|ok(?:ay)?) (?:of|from|by) (?:the )?\w+(?: [A-Z]\w+)?|"
    r"\b[A-Z]\w+'s (?:prior |written |explicit )?(?:ok(?:ay)?|approval|permission|consent|sign-?off)\b|"
    r"(?<!\w)(?:phải|cần)\s+(?:được\s+)?(?:(?:tôi|anh|chị|em|mình|sếp|ông|bà)\s+(?:[A-ZĐ]\w+\s+)?)?(?:hỏi|xin phép|báo|duyệt|đồng ý|cho phép)"
    r"(?!\w)(?:\s+(?:anh|chị|ông|bà|cô|chú|sếp))?(?:\s+[A-ZĐ]\w+){0,3}"
    r"|(?:必须|需要?|须|要)先?(?:经过?|得到)?.{0,4}(?:批准|同意|审批|许可|确认)"
)
#: Sentences without a verb of their own: "no new dependencies", "the seed script must not be run", "anything with --x".
_NOTHING_NEW = re.compile(
    r"\bno (?:new|more|additional|further|extra) (?=\w)|不(?:要|得|许)?(?:再)?(?:新增|增加)|(?<!\w)không (?:thêm|bổ sung)(?!\w)",
    re.I,
)
_TO_RUN = re.compile(
    r"\b(?:run|ran|running|execute[ds]?|executing|launch|invoke)\b|(?<!\w)(?:chạy|thực thi)(?!\w)|运行|执行", re.I
)
#: "/etc/x or a file in /etc/y.d": alternatives.
_PATHS_JOINED = re.compile(
    rf"(?:{JOINED.pattern})(?:(?:an?|any|the|some|một)\s+)?(?:\w+\s+)?(?:(?:files?|folders?|director(?:y|ies)|anything|tệp|gì)\s+)?"
    r"(?:(?:in|under|inside|below|within|of|trong|dưới)\s+)?", re.I
)  # fmt: skip
_LONG_OPTION = re.compile(r"(?<![\w-])--[A-Za-z][\w-]{2,}")


#: Says that what is named is an example of a kind.
_EXAMPLES = re.compile(r"\b(?:such as|for example|e\.g\.)|(?<!\w)(?:ví dụ|chẳng hạn)(?!\w)|例如|比如", re.I)


#: Something is sent to somebody: who that is, no text of a message says.
_ADDRESSEE = re.compile(
    r"\b(?:e-?mail|text|message|phone|notify)\s+(?:the |our |any |all )?(?!address|server|list|account|to\b)[a-z]{4,}"
    r"|\b(?:send|sent|sending|e-?mail|forward|share)\b.*\b(?:to|with)\s+(?:the|our|any|all)\b|(?<!\w)(?:gửi|chuyển)(?!\w).*(?<!\w)(?:cho|tới|đến)(?!\w)"
    r"|发(?:送)?(?:给|到)|给.*发", re.I
)  # fmt: skip
#: "Keep /etc/x as it is; nothing there may be edited": the place stands in another clause.
_THERE = re.compile(r"\b(?:there|in it|inside it)\b|(?<!\w)(?:ở đó|trong đó)(?!\w)|那里|其中", re.I)


@lru_cache(maxsize=16_384)
def read_sentence(text: str, command: str) -> Sentence | None:
    """What a sentence speaks against, None when it forbids no act that is known. command: a command of the sentence that
    is matched by itself; then only its objects are read."""
    text = without_reasons(text)
    clauses = clauses_of(STANDING.sub(" ", framed(read_hours(text).rest)))
    read = [one for clause, begin in clauses if (one := _read_clause(text, clause, begin, command)) is not None]
    if not read:
        return None
    first, *further = read
    # A further clause is read for itself where it says by name what it is about.
    named = [one for one in further if (one.names or one.places or one.patterns) and not command]
    first.others = [*(first.others or [first]), *named] if named else first.others
    spared = excepted(text)
    for one in (first, *first.others):
        one.spared = spared
    return first


def _read_clause(text: str, clause: str, begin: int, command: str) -> Sentence | None:
    """What one clause speaks against; None when that is no act that is known, or something that another clause names."""
    clause, meanwhile = without_circumstances(clause, begin)
    out = _read(text, clause, begin, command)
    told = out and (out.names or out.places or out.patterns or out.open_words or out.tools or set(out.things) - KINDS)
    if out is None or (not told and _VAGUE.search(clause)):
        return None
    out.others = [one for other in either_of(clause) if (one := _read(text, other, begin, command)) is not None]
    out.meanwhile = meanwhile
    held, without = take_held(clause)
    if without != clause:
        apart = _read(text, without, begin, command)
        telling = apart is not None and (
            apart.things or apart.names or apart.open_words or apart.paths or apart.tools or apart.unread
        )
        if apart is not None:
            out.actions = apart.actions  # "mở" in "không chạy máy khi nắp đang mở" is no act of the rule
        out.held, out.apart = held, apart if telling else None
    return out


def _read(text: str, clause: str, begin: int, command: str) -> Sentence | None:
    out = Sentence(abroad=not text.isascii(), said=frozenset(re.findall(r"[^\W_]+", clause.lower())))
    out.addressed = _ADDRESSEE.search(clause) is not None
    out.lacking, clause = take_conditions(text, clause)
    stored = [found[2].rstrip("/.").lower() for found in _ADDRESS.finditer(clause)]
    clause = _ADDRESS.sub(lambda found: " " * len(found[1]) + found[2], clause)
    out.toward, out.away = ends_named(clause)
    clause = _take_outside(clause, out)
    out.inside = any(
        _INSIDE.search(clause[: m.start()])
        or re.match(r"\s*(?:目录|文件夹|路径)?\s*(?:下|里|中|内|之下)", clause[m.end() :])
        for m in _PATH.finditer(clause)
    )
    there = _THERE.search(clause) is not None
    out.inside = out.inside or there
    out.places = _alternatives(clause) or (_alternatives(text) if there else [])
    out.alike = out.alike or bool(out.places and _EXAMPLES.search(clause))
    out.names += stored
    for name in stored:
        clause = re.sub(rf"(?<![\w./-]){re.escape(name)}/?", lambda found: " " * len(found.group()), clause, flags=re.I)
    rest = _THIS_CHECKOUT.sub(_blank, _PATH.sub(_blank, clause))
    out.names += [found[0].lower() for found in _FOLDER_MARK.finditer(rest)]
    rest = _FOLDER_MARK.sub(_blank, rest)
    if command:
        for word in command.split():
            rest = re.sub(rf"(?<![A-Za-z0-9_.-]){re.escape(word)}(?![A-Za-z0-9_-])", " ", rest, count=1)
    told = kinds_before_names(rest)
    whole = rest
    out.bounds, rest = take_dates(rest)
    out.amounts, rest = take_bounds(rest)
    if rest[:begin] != whole[:begin]:  # what was taken stood before the act
        begin = max(0, begin - len(whole) + len(rest))
    if not command:
        rest = _take_tools(rest, out)
    # Before words are looked up: `build.gradle` is no build, `schema.sql` no schema.
    out.names += [name.lower() for name in _FILE_NAME.findall(rest)]
    rest = _FILE_NAME.sub(lambda m: "\0" + " " * (len(m.group()) - 1), rest)
    if not command:
        asked = [word.lower() for word in _LONG_OPTION.findall(rest)]
        if len(asked) == 1 and asked[0] != "--force" and not any(asked[0] in words for words in out.lacking):
            out.names += asked  # with that option only
        given: set[str] = set()
        if not out.tools:
            given, rest = take_properties(rest)
            out.actions |= given
            if not given:
                acts, rest = take_acts(rest, begin, amounts=bool(out.amounts), names=apposed_names(rest))
                out.actions |= acts
        if not out.actions and not out.tools:
            out.names += [flag.lower() for flag in _LONG_OPTION.findall(rest)]
            if _NOTHING_NEW.search(rest):
                out.actions |= {"create", "install"}
            elif _TO_RUN.search(rest):
                out.actions.add("run")
            elif out.names and out.names[-1].startswith("--"):
                out.actions.add(ANY_ACT)
            else:
                return None
            rest = _LONG_OPTION.sub(" ", rest)
        if out.actions & {"leav", "exit"}:
            out.away |= frozenset(out.kind_of or kinds_of_names(clause))
        out.inside = out.inside or bool(given) or not _REACHES_IN.isdisjoint(out.actions)
    apposed = sorted(apposed_names(rest)) if not command else []
    out.kind_of = kinds_of_names(clause)
    rest = _ENDING.sub(lambda m: f" *.{next(g for g in m.groups() if g)} ", rest)
    out.names += [name.lower() for name in _SCOPED.findall(rest)]
    rest = _SCOPED.sub(" ", rest)
    if text.isascii():
        rest = _ABBREVIATION.sub(lambda found: found.group().lower(), rest)
    out.names += [(mark + name).lower() for mark, name in _HANDLE.findall(rest)]
    told |= kinds_before_names(_HANDLE.sub(r"\2-x1", rest))
    rest = _HANDLE.sub(" ", rest)
    out.patterns = [_pattern(p.lower()) for p in _GLOB_NAME.findall(rest)]
    rest = _GLOB_NAME.sub(" \0 ", rest)
    out.names += [part.lower() for pair in _PAIR.findall(rest) for part in pair]
    rest = _PAIR.sub(" ", rest)
    # What stands before the cue belongs to the rule too ("In VN01 do not post …"), the cue itself does not.
    rest = FORBID.sub(" ", ASK.sub(" ", _APPROVED.sub(" ", rest)))
    # Before words are looked up: `.env` is no environment.
    out.names += [name.lower() for name in _DOTFILE.findall(rest)]
    rest = _DOTFILE.sub(" ", rest)
    labels, rest = take_labels(re.sub(r"(?<!\w)cổng (?=\d{3,5}(?!\d))", "port ", rest))
    out.names += labels
    out.kind_of |= {label: kind for label, kind in labels.items() if kind}
    out.proper = proper_names(rest) if text.isascii() else []
    found = (THING_WORDS if text.isascii() else THING_WORDS_ABROAD).find(rest)
    named = [one for one in found if _NAMED_BEHIND.match(rest, one[1])]  # 网关 gw-1: the name tells
    out.things = list(dict.fromkeys(one[2] for one in found if one not in named))
    out.telling = telling_things(rest, found, abroad=not text.isascii()) - (KINDS if apposed else frozenset())
    rest = blanked(rest, found)
    if out.abroad:
        rest = _take_states(rest, out)
    for word in _NAME.findall(rest):
        if any(c.isdigit() or c.isupper() for c in word[1:]) or any(c in "-_./" for c in word):
            out.names.append(word.lower())
    aside = (
        told
        | NEVER_SHOWN
        | {bound.noun for bound in out.amounts}
        | (brought_along(out.actions) if out.names or out.things else frozenset())
    )
    for word in _VI_WORD.findall(re.sub(r"\S*[\d_./-]\S*", " ", rest)):
        lowered = word.lower()
        if _HAN.search(word):
            out.uncovered_han += len(_HAN_FILLERS.sub("", word))
        elif lowered not in STOP and lowered not in GENERIC and lowered not in aside and len(lowered) > 1:
            if not any(c.isupper() for c in word[1:]):
                out.open_words.append(lowered)
            elif not word.isascii():
                out.names.append(lowered)  # "nhóm hàng SỮA"
    out.proper = [word for word in out.proper if word in out.open_words]
    out.proper += apposed
    if not out.abroad:
        anchored = bool(out.names or out.patterns)
        out.loose = qualifiers(clause, out.open_words, anchored=anchored, things=out.things)
        out.loose |= {
            word: ""
            for word in _doer(clause)
            if word in out.open_words and (len(out.open_words) > 1 or anchored or out.amounts or out.things)
        }
        if ANY_ACT in out.actions and len(out.open_words) > 1:  # "stock corrections above 50": the act, as a noun
            out.loose |= {word: "" for word in out.open_words if _DEVERBAL.fullmatch(word)}
    return out


_DEVERBAL = re.compile(r"[a-z]{3,}(?:ions?|ments?)")


def _doer(clause: str) -> list[str]:
    """The words for who must not do something, who is the agent itself: "the arm must not lift …"."""
    found = _DOER.match(clause)
    return found[1].lower().split() if found else []


def _pattern(said: str) -> str:
    """A pattern of names; of one letter and `*` the number of a version: v* is v2.1, no word with a v."""
    return said[0] + VERSIONS if len(said) == 2 and said[0].isalpha() else said


def _blank(found: re.Match[str]) -> str:
    return " " * len(found.group())


def _alternatives(text: str) -> list[tuple[str, ...]]:
    """The paths of a text; those joined by "or" or a comma are alternatives of one another."""
    groups: list[list[str]] = []
    end = -1
    for found in _PATH.finditer(text):
        if end >= 0 and _PATHS_JOINED.fullmatch(text[end : found.start()]):
            groups[-1].append(posixpath.normpath(found.group()))
        else:
            groups.append([posixpath.normpath(found.group())])
        end = found.end()
    return [tuple(group) for group in groups]


def _take_states(rest: str, out: Sentence) -> str:
    """Acts that are left beside the forbidden one say what has become of its object ("đơn hàng đã thanh toán")."""
    found = [
        (start, end, act)
        for start, end, act in ACTION_WORDS.find(rest)
        if not rest[start:end].isascii()
        and (not _HAN.match(rest[start:end]) or _DONE.search(rest[:start]) or _OBJECT.match(rest, end))
    ]
    out.states = [act for _, _, act in found]
    return blanked(rest, found)


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
