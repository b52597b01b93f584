"""The clause of a rule's sentence that forbids an act or wants to be asked before it, in three languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from bio_agent_workers.brain.guarding.act_words import GENERIC, KINDS, PROGRAMS, STOP
from bio_agent_workers.brain.guarding.cues import ASK, ASK_AFTER, FORBID, VI_EXCEPT
from bio_agent_workers.brain.guarding.sentence_frames import framed

_VI_PERSON = r"(?:anh|chị|em|tôi|mình|sếp|ông|bà|cô|chú)"
_WITHOUT = re.compile(
    r"\bwithout (?:first )?(?:asking|telling|checking|(?:my|explicit|prior)\b|permission|approval"
    r"|\w+'s (?:\w+ )?(?:ok(?:ay)?|approval|permission|consent|sign-?off)"
    r"|an? (?:\w+ )?(?:ok(?:ay)?|approval|permission|confirmation|go-ahead|sign-?off|review|yes|green light)\b).*"
    r"|\b(?:before|until) (?:you(?:'ve| have)? )?(?:first )?(?:ask|check|confirm)(?:ed|ing)(?: it)?(?: (?:with )?(?:me|us))\b"
    r"|\b(?:before|until) I(?:'ve| have)? (?:\w+ )?(?:ok'?d|okayed|approved?|agreed?|confirm(?:ed)?|said (?:yes|so))\b.*"
    r"|(?<!\w)(?:mà|khi|nếu) (?:không|chưa) (?:hỏi|xin phép|được|có (?:phê duyệt|sự đồng ý|phép)).*"
    rf"|(?<!\w)(?:khi|nếu|mà) {_VI_PERSON} (?:chưa|không) (?:\w+ )?(?:đồng ý|duyệt|cho phép|gật đầu|xác nhận).*"
    rf"|(?<!\w)trước khi (?:được )?(?:hỏi(?: ý kiến)?|xin phép|{_VI_PERSON} (?:đồng ý|duyệt|cho phép))(?!\w)(?: {_VI_PERSON})?"
    r"|(?:未经|没有?(?:得到|经过?|征得|先)?)[^，。；]{0,8}?(?:同意|批准|允许|许可|点头|审批|授权|签字)(?!的(?!时候|情况))(?:之?前|的?时候|就|的情况下)?|[没不]有?先?问过?我(?:之?前|就|的情况下)?",
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
#: Verbs of one character that are parts of many other words: 改, 写.
_ONE_CHARACTER = (
    (re.compile(r"(?<![修更删批])改(?![动用名善进版革期变写口])"), "修改"),
    (re.compile(r"(?<![填编书改手])写(?![作字信入])"), "写入"),
)
#: Verbs of one character right behind a prohibition.
_BEHIND_NOT = re.compile(
    r"(?<=[要许准得能别勿止])(?:去|再|乱|随便)?(?:(开)(?![始会发放展车票])|(关)(?![闭掉机上心于])|(停)(?![止掉用机车])|(删)(?![除掉库表])|(推)(?![送到荐迟])|(发)(?![送给布信邮消短往货现])|(拔))"
)
_FULL = ("打开", "关闭", "停止", "删除", "推送", "发送", "拔掉电源")
#: What is to be asked before: "before you rotate any key, ask me".
_BEFORE = re.compile(r"\bbefore\s+(?:(?:you|we|they|anyone|anybody|someone)\s+)?(?=[A-Za-z]{3})", re.I)
#: 动 alone is "touch" behind a prohibition only: it is a part of many other words.
_MOVE_NOT = re.compile(r"(?<=[要许准得能别勿止])(?:去|再|乱|随便)?动(?![态作画手员用])")
_EXCEPT = re.compile(
    rf"\b(?:unless|except|other than|apart from)\b|(?<!\w)(?:ngoại )?{VI_EXCEPT}(?!\w)|除非|除了", re.IGNORECASE
)
_REASON = re.compile(
    r"\b(?:because|since|so that|as it|instead)\b|(?<!\w)(?:vì|bởi vì|để khỏi)(?!\w)|因为|以免", re.IGNORECASE
)
#: "turn the heating off": the verb in two parts.
_APART = re.compile(r"\b(turn|switch|shut|power)((?: \w[\w-]*){1,4}?) (on|off|down)\b", re.I)
#: "let the robot into the nursery": whoever is let in goes there.
_LET = re.compile(
    r"\b(?:let|allow)((?: \w[\w-]*){1,4}?) (?=(?:in|into|inside|out of|onto)\b)|(?<!\w)(?:cho|để)((?: \w+){1,4}?) (?=(?:vào|ra|lên|xuống)(?!\w))"
    r"|让(\w{1,6}?)(?=进入?)", re.I
)  # fmt: skip
_CLAUSE = re.compile(r"(?:[;!?。；！？：]|:(?!//)|\.(?=\s|$))\s*")
_PRONOUN = re.compile(
    r"^\s*(?:they|it|these|those)\b(?=\s+(?:is|are|must|may|can|should|shall|will|never)\b)|(?<=\w )(?:them"
    r"|it)\b(?!\s+(?:is|has|was|are|were|have|does|do|must|can|will)\b)|\b(?:these|those)\b(?=\s*(?:$|[,.;]))"
    r"|(?<!\w)(?:chúng|nó)(?!\w)|它们?|这些(?=$|[，。])", re.I
)  # fmt: skip
#: The same behind a preposition: "no row in it is ever changed", "nothing in there".
_IN_IT = re.compile(
    r"\b(?P<where>in|of|on|to|from|under|inside)\s+(?:it|them|there)\b|\b(?P<act>[a-z]+s?)\s+one\s*$", re.I
)
_LEADING = re.compile(
    r"(?P<en>[^,;.]{1,40}?) (?:is|are|has|holds?|runs?|keeps?)\b[^,;.]*, (?:so |and |please )*(?=(?:do not|don't|never)\b)"
    r"|(?P<zh>[^，。；]{1,30}?)(?:正在|还在|仍在|正|是|有|存着|属于)[^，。；]*，(?=[不别请严禁勿])", re.I
)  # fmt: skip
_SUBJECT_ENDS = re.compile(
    r"\b(?:is|are|was|were|has|have|holds?|contains?|belongs?|must|stays?|keeps?)\b|(?<!\w)(?:là|thuộc|chứa|đang)(?!\w)|[是属存]",
    re.I,
)
#: What an aside says that narrows a rule.
_NARROWS = re.compile(
    r"\b(?:prod(?:uction)?|staging)\b|生产|预发|(?<![\w*/])(?:[\w.-]*\w[-_.]\*|\*[-_.]\w[\w.-]*)(?![\w*])", re.I
)
_ASIDE = re.compile(r"\([^)]*\)|（[^）]*）")


def asks_or_forbids(text: str) -> bool:
    """Whether a sentence holds a word that forbids an act or wants to be asked before it."""
    text = framed(text)
    return bool(ASK.search(text) or ASK_AFTER.search(text) or FORBID.search(text))


def wants_asking(text: str) -> bool:
    """Whether a sentence wants somebody asked before the act, which it lets through then: "ask me before …"."""
    text = framed(text)
    return bool(ASK.search(text) or ASK_AFTER.search(text))


#: Where a clause may begin behind another one; a reason begins without a mark as well.
_BECAUSE = r"\b(?:because|since (?=(?:it|this|that|we|they|I|our|the)\b)|as (?=(?:we|they|our)\b))|(?<!\w)(?:bởi )?vì(?!\w)|因为|由于|否则"
_BOUNDARY = re.compile(
    rf"[,;:]\s+|\.(?=\s|$)\s*|[!?，；：。！？]\s*|,(?=[^\x00-\x7f])|\s+[-–—]+\s+|\s+and (?=never\b)|(?={_BECAUSE})", re.I
)  # fmt: skip
_STRONG = re.compile(r"[;:.!?；：。！？]")
#: A clause with a subject and a plain verb of its own, or what to do instead: a reason or an alternative.
_FINITE = (
    r"(?:is|are|was|were|has|have|had|will|would|can|could|might|does|did|uses?|runs?|relies|rely|depends?|needs?|breaks?"
    r"|broke|lost|triggers?|reads?|wants?|gets?|goes|loses?|costs?|takes?|keeps?|lives?|always|only|already|standardi[sz]ed"
    r"|doesn't|don't|isn't|aren't|can't|won't|didn't)\b"
)
_OWN = re.compile(
    r"(?:(?:and|as|for|so|well|since|but|you see) )*(?:"
    rf"(?:because|since)\b|(?:this|that)(?:'\w+| (?!(?:are|were|have)\b)(?:\w+[^s\W]s|{_FINITE}|cost|took|went|made|once|never)\b)"
    r"|(?:(?-i:I)|it|he|she|we|they|everyone|everybody|people|someone|somebody|there)(?:'\w+| \w+)"
    rf"|you(?:'ll|'d| (?:will|would|could|can't|don't|lose|risk|break|already))\b|only (?:ever )?to\b|(?-i:[A-Z][\w-]*) {_FINITE}"
    rf"|(?:the|our|my|this|that|these|your) (?!(?:rule|one)\b)(?:[\w'’-]+ ){{1,3}}?{_FINITE}"
    r"|(?:please )?(?:always|instead|rather|simply) (?!(?:of|than|on|in|at|for|with|when|if|to)\b)\w+"
    r"|(?=[\w `'/-]+ instead\s*$)(?!(?:or|and)\b)[a-z]+ (?!of\b))"
    rf"|(?:{_BECAUSE})"
    r"|(?:因|免得|以免|省得|不然|毕竟|这(?:样|会|是|个|里)?|它们?|他们?|她们?|我们?|咱们?|大家|团队|公司|项目|会|容易|上次|以前|本|里面|很|太"
    r"|始终|一直|总是|统一|请?改用|换成|而是|应该?|请用|直接|一律用|都用|要用|只用)(?![，。；\s]*$)"
    r"|(?:và |mà |thì |nên )?(?:bởi|vì|kẻo|không thì|nếu không (?:thì|sẽ|tôi|mình|nó|chúng)|để khỏi|nó|điều (?:này|đó)|cái (?:này|đó)"
    r"|việc (?:này|đó)|rất|quá|ở đây|trong đó|chúng(?: (?:ta|tôi|mình|em))?"
    r"|bọn (?:mình|tôi|em)|tụi (?:mình|tôi|em)|mình|tôi|em|cả (?:nhóm|đội|team)|nhóm|đội|team"
    r"|dự án|mọi người|họ|sẽ|dễ|từng|hãy|luôn|thay vào đó)(?!\w) \w",
    re.I,
)
#: A clause with a subject of its own that belongs to the rule for all that: whom to ask, what is let through or held for.
_OF_THE_RULE = re.compile(
    r"\b(?:ask(?:ed|ing|s)?|appro\w+|permi(?:ssion|tted)|confirm\w*|sign(?:ed)?[- ]?off|ok|okay|fine|allowed|acceptable|exempt|unless|except\w*)\b"
    r"|\b(?:it|this|that|these|they) (?:only |also |does not |doesn't )?(?:appl(?:y|ies)"
    r"|counts?|covers?|concerns?|goes for|holds? for|includes?|means?)\b"
    r"|\b(?:must|should|may) (?:not|never)\b"
    r"|同意|批准|[问过]我|询问|确认|允许|许可|除非|除了|除外|可以|没关系|没问题|例外|适用|不[要许准得能可]|禁止|严禁|[请切]勿"
    r"|(?<!\w)(?:hỏi|xin phép|duyệt|đồng ý|cho phép|xác nhận|trừ|ngoại trừ|được phép|thì được|áp dụng|đừng|cấm|không được)(?!\w)",
    re.I,
)
#: What is to be used, in front of what is not: "we use pnpm, never npm".
_RECOMMENDS = re.compile(
    r"(?:(?:please|and|so|in|here|always|only|just|we|I|everyone|our|the|team|this|repo|repository|project|company|all|now) )*"
    r"(?:(?:we|I)(?:'re| are|'m| am)(?: all)? (?:on|using)|use[sd]?|using|prefer|stick (?:to|with)|run|standardi[sz]ed? on|go with)\b"
    r"|(?:因为|这个|本|仓库|我们|咱们?|大家|团队|项目|统一|都|只能?|一律|始终|一直|总是|请|要|这里|里)*(?:用|使用|改用)"
    r"|(?:(?:vì|chúng ta|chúng tôi|bọn mình|mình|cả nhóm|nhóm|team|dự án|này|luôn|chỉ|hãy|nên|phải|ở đây"
    r"|được|đang|đều|cứ|luôn luôn) )*(?:dùng|sử dụng|xài)(?!\w)",
    re.I,
)
_NOT_USED = re.compile(
    r"(?:(?:and|but|so|please|then|we|nên|và|chứ|nhưng|xin"
    r"|所以|请|但|而|绝对?|千万|我们) ?)*(?:never|don't|do not|not|no|avoid"
    r"|không (?:bao giờ|được|nên)|tuyệt đối không|đừng|không|cấm|chớ|绝不|决不|不|别|禁止|严禁|切勿|勿)"
    r"[要许准能得]?\s*(?P<use>(?:use|using|run|running|call|install|sử dụng|dùng|xài|chạy)(?!\w)|使用|用|运行|跑|安装)?\s*`?(?P<what>[\w.-]*)",
    re.I,
)
_BACK = re.compile(r"\b(?:it|them|there|these|those)\b|(?<!\w)(?:nó|chúng|đó)(?!\w)|[它那其]", re.I)


@lru_cache(maxsize=16_384)
def reasons_of(text: str) -> tuple[tuple[int, int], ...]:
    """Where a rule's text says why, or what is to be used instead, in clauses of their own: "…, it triggers a deploy",
    "…, we use pnpm", "we use pnpm, never …". Each from the mark before it to its end; none where nothing is forbidden."""
    starts = [(0, 0), *((m.start(), m.end()) for m in _BOUNDARY.finditer(text)), (len(text), len(text))]
    starts = [one for at, one in enumerate(starts) if not at or one[1] > starts[at - 1][1] or one[0] == len(text)]
    out: list[tuple[int, int]] = []
    forbids = inside = False
    for (mark, begin), (end, behind) in pairwise(starts):
        clause = text[begin:end]
        inside = inside and _STRONG.search(text[mark:begin]) is None
        if _OF_THE_RULE.search(clause):
            why = False
        elif forbids:
            why = (inside and not asks_or_forbids(clause)) or _OWN.match(clause) is not None
        else:
            rest = text[behind : next((m.start() for m in _CLAUSE.finditer(text, behind)), len(text))]
            not_used = None if asks_or_forbids(clause) or _BACK.search(rest) else _NOT_USED.match(rest)
            instead = not_used and (not_used["use"] or not_used["what"] in PROGRAMS) and _RECOMMENDS.match(clause)
            why = bool(instead or (not_used and re.match(_BECAUSE, clause, re.I)))
        inside = why and forbids
        if why:
            out.append((mark, end) if forbids else (begin, behind))
        else:
            forbids = forbids or asks_or_forbids(text[:end])
    return tuple(out)


def without_reasons(text: str) -> str:
    """A rule's text without what `reasons_of` finds in it."""
    for start, end in reversed(reasons_of(text)):
        text = text[:start] + text[end:]
    return text


def _forced(found: re.Match[str]) -> str:
    return (
        f" {(found[1] or {'推': 'push', '删除': 'delete', '停止': 'stop', '合并': 'merge'}[found[2]]).lower()} force "
    )


def _led(clause: str) -> str:
    """A clause that says first what goes on, with its subject in place of the pronoun: "node-7 正在训练，不要重启它"."""
    found = _LEADING.match(clause)
    rest = clause[found.end() :] if found else ""
    if found is None or not _PRONOUN.search(rest) or FORBID.search(found.group()):
        return clause
    return _PRONOUN.sub(lambda _: f" {found['en'] or found['zh']} ", rest, count=1)


def _with_subject(clause: str, before: str) -> str:
    """A clause with what its pronoun stands for: "Files in x are read-only: never change them"."""
    subject = _SUBJECT_ENDS.split(before, maxsplit=1)[0].strip(" ,")
    if not subject:
        return clause
    subject = subject[:1].lower() + subject[1:]
    clause = _IN_IT.sub(lambda found: f"{found['where'] or found['act']} {subject}", clause, count=1)
    return _PRONOUN.sub(lambda _: subject, clause, count=1)


def clauses_of(text: str) -> Iterator[tuple[str, int]]:
    """The clauses that forbid or ask, each with where in it the forbidden act begins."""
    plain = _ASIDE.sub(lambda aside: f" {' '.join(_NARROWS.findall(aside[0]))} ", text)
    before = ""
    for clause in _CLAUSE.split(plain):
        before, clause = clause, _led(_with_subject(clause, before))
        found = _located(clause)
        if found is not None:
            yield found


def _located(clause: str) -> tuple[str, int] | None:
    cut = _EXCEPT.search(clause)
    body = clause[: cut.start()] if cut else clause
    if cut and not body.strip(" ,，"):  # "Except for x, never do y": the exception is led by
        body = re.split("[,，]", clause[cut.end() :], maxsplit=1)[-1]
    body = _MOVE_NOT.sub("触碰", _FORCED.sub(_forced, _APART.sub(r"\1 \3 \2", body)))
    body = _LET.sub(lambda let: f" go_to {let[1] or let[2] or let[3]} ".replace("_", " "), body)
    body = _BEHIND_NOT.sub(lambda one: next(full for full, said in zip(_FULL, one.groups(), strict=True) if said), body)
    for one, word in _ONE_CHARACTER:
        body = one.sub(word, body)
    without = _WITHOUT.search(body)
    if without is not None:
        # "not without asking" asks first; the act stands behind what forbids it, else anywhere.
        body = body[: without.start()] + body[without.end() :]
        forbids = FORBID.search(body)
        return body, forbids.end() if forbids else 0
    if ASK_AFTER.search(body):
        asked_before = _BEFORE.search(body)
        return body, asked_before.end() if asked_before else 0
    asked = ASK.search(body)
    found = asked or FORBID.search(body)
    if found is None:
        return None
    ends = [m.start() for m in (_REASON.search(body, found.end()), _INSTEAD.search(body, found.end())) if m]
    return body[: min(ends)] if ends else body, found.end()


_VI_KINDS = frozenset({"nhánh", "thư", "mục", "môi", "trường", "máy", "chủ", "bảng", "tệp", "cụm"})
#: What an exception is said to be of: "except the branch dev", "trừ thư mục tmp", 除了 dev 以外.
_OF = re.compile(
    rf"(?:\b(?:except|other than|apart from)(?: for)?|(?<!\w)(?:ngoại )?{VI_EXCEPT}(?!\w)|除了)"
    r"(?!\s*(?:when|if|by|with|after|during|khi|nếu|lúc)\b)\s*"
    r"(?:(?:in|on|to|under|into|from|for|the|an?|our|my|trong|trên|ở|các|những)\s+)*(?P<what>[^,;!?，。；：]{1,60}?)(?=[.](?:\s|$)|[,;!?，。；：]|$|以外|之外|\b(?:is|are|may|nothing|no)\b)",
    re.I,
)


def excepted(text: str) -> frozenset[str]:
    """The words by which a rule names what it does not hold for, lower case; none where it is told otherwise."""
    found = _OF.search(text)
    words = re.findall(r"[A-Za-z0-9_~.@][\w@./*-]*", found["what"]) if found else []
    told = [word.lower() for word in words if word.lower() not in STOP | GENERIC | KINDS | _VI_KINDS]
    return frozenset(told) if len(told) <= 2 else frozenset()
