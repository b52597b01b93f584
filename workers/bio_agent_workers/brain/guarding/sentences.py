"""Reading a person's sentence that forbids or asks: its act, the tools, names, paths, dates and amounts in it."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from functools import lru_cache

from bio_agent_workers.brain.guarding.act_words import (
    ACTION_WORDS,
    GENERIC,
    NOMINAL_ACTIONS,
    STOP,
    THING_WORDS,
    THING_WORDS_ABROAD,
    VAGUE_VERBS,
)
from bio_agent_workers.brain.guarding.amounts import Bound, take_bounds
from bio_agent_workers.brain.guarding.conditions import take_conditions
from bio_agent_workers.brain.guarding.date_bounds import DateBound, take_dates
from bio_agent_workers.brain.guarding.held_states import Held, take_held
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
from bio_agent_workers.brain.guarding.rule_clause import ASK, FORBID, STANDING, clause_of

#: `.pem files`: an ending, no name; `.env` is a file of that name.
_ENDING = re.compile(
    r"(?<![\w.*/])\.(?!(?:env|git\w*|\w+rc|profile|ssh|aws|kube|github|vscode|dockerignore|editorconfig)\b)"
    r"(?:([A-Za-z]\w{0,7})(?=[`'\"]?\s*(?:files\b|文件))|(?<=file \.)(\w{1,8})\b|(?<=tệp \.)(\w{1,8})\b)", re.I
)  # fmt: skip
_HANDLE = re.compile(r"(?<![\w.])([#@])([A-Za-z][\w.-]*\w)")
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
_GLOB_NAME = re.compile(r"(?<![\w*/])(?:\*\.?[\w.-]*\w|\w[\w.-]*\*)(?![\w*])", re.ASCII)
#: A label as tools write it: `tier=db`.
_PAIR = re.compile(r"(?<![\w.-])([A-Za-z][\w.-]*)=([\w.-]*\w)")
_VI_WORD = re.compile(r"[^\W\d_]+")
_HAN = re.compile("[\u4e00-\u9fff]")
_DONE = re.compile("已经?被?$")
#: Chinese words that say nothing about what a rule is about.
_HAN_FILLERS = re.compile(
    "机器人|助手|[设改变弄置][为成]|任何人|所有人|别人|其他人|存储桶|对象|资源|已经|已|东西|都|执行|运行|仓库|代码库|自行|擅自|随意|单价|单笔|每笔|金额|人民币|手动|手工|使用|操作|命令|进行|直接|绝对|一律|必须|时候|期间|[号到把时的地得了着过在对把将和与或及我你您他它这那一个任何所有里中上下请先问征求确认应该需要前从给往用]"
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
_LONG_OPTION = re.compile(r"(?<![\w-])--[A-Za-z][\w-]{2,}")
#: Stands for any act that does more than look: the amount alone says what the sentence is about.
ANY_ACT = "*"
_JOINED = re.compile(r"\s*(?:,|or|and|/|hoặc|hay|và|或|或者|和|、|，)\s*(?:or|and)?\s*")
#: A verb that no table knows, joined to one before it: "removed or paused", "delete or pause the job".
_MORE_VERBS = re.compile(r"\s*(?:,|or|and|,\s*or)\s+([a-z]{3,}(?:ed\b|(?=\s+(?:the|an?|any|my|our|its)\b)))")
_PLAIN_VERB = re.compile(
    r"\s*(?:(?:to|ever|you|just|please|may|can|should|must|will|shall|else)\s+)*([A-Za-z]{3,20}(?:-[A-Za-z]{2,9})*)\b",
    re.ASCII,
)


#: Says that what is named is an example of a kind.
_EXAMPLES = re.compile(r"\b(?:such as|for example|e\.g\.)|(?<!\w)(?:ví dụ|chẳng hạn)(?!\w)|例如|比如", re.I)
_VOWEL = re.compile("[aeiouy]")


def stem(verb: str) -> str:
    """draining, drained, drains → drain. Cut off rather than spelled: both sides of a comparison go through it."""
    for ending in ("ing", "ed", "es", "s"):
        base = verb[: -len(ending)]
        if verb.endswith(ending) and len(base) >= 3 and _VOWEL.search(base):
            doubled = ending in ("ing", "ed") and base[-1] == base[-2] and base[-1] not in "sl"
            return base[:-1] if doubled else base.removesuffix("e")
    return verb.removesuffix("e")


#: Something is sent to somebody: who that is, no text of a message says.
_ADDRESSEE = re.compile(
    r"\b(?:e?mail|text|message|phone|notify)\s+(?:the |our |any |all )?(?!address|server|list|account|to\b)[a-z]{4,}"
    r"|\b(?:send|sent|sending|e?mail|forward|share)\b.*\b(?:to|with)\s+(?:the|our|any|all)\b|(?<!\w)(?:gửi|chuyển)(?!\w).*(?<!\w)(?:cho|tới|đến)(?!\w)"
    r"|发(?:送)?(?:给|到)|给.*发", re.I
)  # fmt: skip
#: "Keep /etc/x as it is; nothing there may be edited": the place stands in another clause.
_THERE = re.compile(r"\b(?:there|in it|inside it)\b|(?<!\w)(?:ở đó|trong đó)(?!\w)|那里|其中", re.I)
#: A subject that there is to be none of, and the verb of what is not to be done to it.
_NO_SUBJECT = re.compile(r"\W*(?:no|none of|nothing|nobody|no one)\b", re.I)
_SUBJECT = re.compile(r"\s*(?:an?|the|any|some|each|every|my|our|one|another)\s", re.I)
_PASSIVE = re.compile(
    r"\b(?:be|is|are|gets?|being)\s+(?:ever\s+|to\s+be\s+)?"
    r"(?!allowed|permitted|accepted|tolerated|needed|required|supposed|meant|made|started|performed|executed|carried|triggered|initiated)([A-Za-z]{3,17}(?:ed|ent|ten|wn|old|id))\b"
)


@dataclass(slots=True)
class Sentence:
    """What a rule's sentence speaks against.

    actions: concepts, any of which must be done. tools: names of tools, one of which must be called instead. names: words
    that a call must show; patterns: the same with `*` in them. things: concepts it must show, apart from kinds.
    open_words: of which most must be shown. places: paths, of each of which one alternative must be acted on; inside: or what lies in them.
    outside: a host, folder or name that the call must go beyond. lacking: words of which a call must show none ("without
    --atomic"). bounds: dates; amounts: numbers. uncovered_han: Chinese
    characters nothing was read from. states: acts of which the object is said to have been done to it ("đơn đã thanh toán"),
    as open words. proper: open words with a capital, each of which must be shown. abroad: in another language than English.
    said: its words. held: the state in which it holds, where it names one; apart: the sentence without that.
    addressed: it says to whom something goes. alike: its paths are examples of a kind. toward, away: what something is
    to go to, or to come from. kind_of: the kind of thing that a name is said to be of.
    others: the same with one of several alternative objects each. telling: things that tell which of another is meant ("the server room").
    """

    actions: set[str] = field(default_factory=set)
    tools: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)
    things: list[str] = field(default_factory=list)
    open_words: list[str] = field(default_factory=list)
    places: list[tuple[str, ...]] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    bounds: list[DateBound] = field(default_factory=list)
    amounts: list[Bound] = field(default_factory=list)
    lacking: list[frozenset[str]] = field(default_factory=list)
    uncovered_han: int = 0
    inside: bool = False
    states: list[str] = field(default_factory=list)
    proper: list[str] = field(default_factory=list)
    abroad: bool = False
    said: frozenset[str] = frozenset()
    held: Held | None = None
    apart: Sentence | None = None
    addressed: bool = False
    alike: bool = False
    toward: frozenset[str] = frozenset()
    away: frozenset[str] = frozenset()
    kind_of: dict[str, str] = field(default_factory=dict)
    others: list[Sentence] = field(default_factory=list)
    telling: frozenset[str] = frozenset()

    @property
    def paths(self) -> list[str]:
        """Its paths, alternatives of one another side by side."""
        return [path for alternatives in self.places for path in alternatives]


@lru_cache(maxsize=16_384)
def read_sentence(text: str, command: str) -> Sentence | None:
    """What a sentence speaks against, None when it forbids no act that is known. command: a command of the sentence that
    is matched by itself; then only its objects are read."""
    located = clause_of(STANDING.sub(" ", read_hours(text).rest))
    if located is None:
        return None
    clause, begin = located
    out = _read(text, clause, begin, command)
    if out is not None:
        out.others = [one for other in either_of(clause) if (one := _read(text, other, begin, command)) is not None]
    held, without = take_held(clause)
    if without != clause:
        apart = _read(text, without, begin, command)
        if out is None:
            return None
        told = apart is not None and (apart.things or apart.names or apart.open_words or apart.paths or apart.tools)
        out.held, out.apart = held, apart if told else None
    return out


def _read(text: str, clause: str, begin: int, command: str) -> Sentence | None:
    out = Sentence(said=frozenset(re.findall(r"[^\W_]+", clause.lower())))
    out.addressed = _ADDRESSEE.search(clause) is not None
    out.lacking, clause = take_conditions(text, clause)
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
    rest = _THIS_CHECKOUT.sub(" ", _PATH.sub(" ", clause))
    out.names += [found[0].lower() for found in _FOLDER_MARK.finditer(rest)]
    rest = _FOLDER_MARK.sub(" ", rest)
    if command:
        for word in command.split():
            rest = re.sub(rf"(?<![A-Za-z0-9_.-]){re.escape(word)}(?![A-Za-z0-9_-])", " ", rest, count=1)
    told = kinds_before_names(rest)
    out.bounds, rest = take_dates(rest)
    out.amounts, rest = take_bounds(rest)
    if not command:
        rest = _take_tools(rest, out)
    # Before words are looked up: `build.gradle` is no build, `schema.sql` no schema.
    out.names += [name.lower() for name in _FILE_NAME.findall(rest)]
    rest = _FILE_NAME.sub(lambda m: " " * len(m.group()), rest)
    if not command:
        asked = [word.lower() for word in _LONG_OPTION.findall(rest)]
        if len(asked) == 1 and asked[0] != "--force" and not any(asked[0] in words for words in out.lacking):
            out.names += asked  # with that option only
        given: set[str] = set()
        if not out.tools:
            given, rest = take_properties(rest)
            out.actions |= given
            rest = rest if given else _take_actions(rest, begin, out)
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
        out.inside = out.inside or bool(given) or not _REACHES_IN.isdisjoint(out.actions)
    apposed = sorted(apposed_names(rest)) if not command else []
    out.kind_of = kinds_of_names(clause)
    rest = _ENDING.sub(lambda m: f" *.{next(g for g in m.groups() if g)} ", rest)
    out.names += [(mark + name).lower() for mark, name in _HANDLE.findall(rest)]
    told |= kinds_before_names(_HANDLE.sub(r"\2-x1", rest))
    rest = _HANDLE.sub(" ", rest)
    out.patterns = [p.lower() for p in _GLOB_NAME.findall(rest)]
    rest = _GLOB_NAME.sub(" ", rest)
    out.names += [part.lower() for pair in _PAIR.findall(rest) for part in pair]
    rest = _PAIR.sub(" ", rest)
    # What stands before the cue belongs to the rule too ("In VN01 do not post …"), the cue itself does not.
    rest = FORBID.sub(" ", ASK.sub(" ", _APPROVED.sub(" ", rest)))
    # Before words are looked up: `.env` is no environment.
    out.names += [name.lower() for name in _DOTFILE.findall(rest)]
    rest = _DOTFILE.sub(" ", rest)
    labels, rest = take_labels(rest)
    out.names += labels
    out.proper = proper_names(rest) if text.isascii() else []
    found = (THING_WORDS if text.isascii() else THING_WORDS_ABROAD).find(rest)
    out.things = list(dict.fromkeys(concept for _, _, concept in found))
    out.telling = telling_things(rest, found, abroad=not text.isascii())
    rest = _without(rest, found)
    out.abroad = not text.isascii()
    if out.abroad:
        rest = _take_states(rest, out)
    for word in _NAME.findall(rest):
        if any(c.isdigit() or c.isupper() for c in word[1:]) or any(c in "-_./" for c in word):
            out.names.append(word.lower())
    aside = (
        told
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
    return out


def _alternatives(text: str) -> list[tuple[str, ...]]:
    """The paths of a text; those joined by "or" or a comma are alternatives of one another."""
    groups: list[list[str]] = []
    end = -1
    for found in _PATH.finditer(text):
        if end >= 0 and _JOINED.fullmatch(text[end : found.start()]):
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
        if not rest[start:end].isascii() and (not _HAN.match(rest[start:end]) or _DONE.search(rest[:start]))
    ]
    out.states = [act for _, _, act in found]
    return _without(rest, found)


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
    if not rest.isascii():  # 打印 is no act in 打印机
        held = THING_WORDS_ABROAD.find(rest)
        every = [a for a in every if not any(s <= a[0] and a[1] <= e and e - s > a[1] - a[0] for s, e, _ in held)]
    spoken_of = _NO_SUBJECT.match(rest) or _SUBJECT.match(rest[begin:])
    passive = _PASSIVE.search(rest) if spoken_of else None
    if passive is not None:  # "no file … gets vacuumed": the verb stands behind the noun
        begin = passive.start(1)
    matches = [found for found in every if found[0] >= begin - 1]
    if passive is not None and matches and matches[0][0] != begin:
        # "is vacuumed", "is added, changed or removed": a verb that no table knows stands first.
        rest, begin = _take_unknown(rest, passive, out)
        matches = [found for found in matches if _JOINED.fullmatch(rest[begin : found[0]])][:1] and matches
        if not matches:
            return rest
    if not matches:
        cue = FORBID.search(rest) if begin == 0 else None
        plain = passive or _PLAIN_VERB.match(rest, cue.end() if cue else begin)
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
    more = _MORE_VERBS.match(rest, end) if end >= 0 else None
    if more is not None:
        out.actions.add(stem(more.group(1).lower()))
        taken.append((more.start(1), more.end(1), ""))
    return _without(rest, taken)


def _take_unknown(rest: str, verb: re.Match[str], out: Sentence) -> tuple[str, int]:
    out.actions.add(stem(verb.group(1).lower()))
    return rest[: verb.start()] + " " * (verb.end() - verb.start()) + rest[verb.end() :], verb.end()


def _without(text: str, found: list[tuple[int, int, str]]) -> str:
    """The text with blanks where something was read from it."""
    for start, end, _ in reversed(found):
        text = text[:start] + " " * (end - start) + text[end:]
    return text
