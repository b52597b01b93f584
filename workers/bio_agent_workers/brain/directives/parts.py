"""Sentences and clauses of a turn, with what is not the speaker's own voice masked out.

Masked: quoted sentences, fenced code, block quotes, log and comment lines, and everything under a lead-in for
pasted or forwarded text. A masked stretch keeps its length, so that positions stay those of the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bio_agent_workers.brain.directives.ownership_marks import OWN_HEAD

# Private-use characters: a masked character, and one that belongs to a short quoted term inside a sentence ("您").
MASK = "\ue000"

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_TAGGED = re.compile(r"<([a-z][\w-]*)[^>\n]*>.*?</\1>", re.DOTALL | re.IGNORECASE)
_QUOTE = re.compile(
    r"\"[^\"\n]*\"|“[^”]*”|«[^»]*»|「[^」]*」|『[^』]*』|‘[^’\n]*’|(?<![\w])'[^'\n]{2,}'(?!\w)|`[^`\n]*`",
)
_LINE = re.compile(r"[^\n]*\n?")
_FOREIGN_LINE = re.compile(
    r"\s*(?:>|#{1,6}\s|//|\*\s|/\*|<!--|\$ |\|)"
    r"|\s*(?:\[[^\]\n]{2,30}\]|【[^】\n]{2,30}】)\s*\S"
    r"|\s*(?:warning|error|info|note|caution|debug|fatal|警告|错误|提示|cảnh báo|lỗi|chú ý)\s*[:：]\s"
    r"|\s*\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\s*\d\d:\d\d:\d\d"
    r"|\s*(?:from|to|subject|date|re|fwd|发件人|主题|người gửi|từ|tiêu đề)\s*[:：]\s*\S",
    re.IGNORECASE,
)
#: What a program says when it fails, even as one line alone; "Error handling: …" is a heading.
_ERROR_LINE = re.compile(
    r"\s*(?:(?:npm|pip|yarn|pnpm|cargo|git|docker|make|java|python3?|node|eslint"
    r"|tsc)\b[^:\n]{0,40}\b(?:warn(?:ing)?|err(?:or)?!?|deprecated|fatal)\b[^:\n]{0,30}"
    r"|(?:npm |pip |git )?(?:error|err!|fatal|panic|exception|traceback|warning|(?-i:[A-Z])\w*(?:Error"
    r"|Exception|Warning))"
    r"(?: ?[\[(]?[A-Z]{0,6}\d{1,6}[\])]?){0,2}(?: \([\w ]{1,20}\))?"
    r"|(?:报错|错误|出错|异常|警告|告警|系统提示|控制台|编译器)(?:信息|提示|消息|内容|输出|报)?(?:是|为|如下)?"
    r"|(?:thông )?báo lỗi|lỗi(?: hệ thống"
    r"| biên dịch| \w*\d\w*)?"
    r"|cảnh báo(?: hệ thống)?|hệ thống báo)\s*[:：]",
    re.IGNORECASE,
)
# A note the owner heads with a bracket or a label is still the owner's.
_OWN_LABEL = re.compile(r"\s*note(?: for (?:later|next time|the future|you)| to self)?\s*[:：]", re.IGNORECASE)
_PASTE_LEAD = re.compile(
    r"\b(?:past(?:e|ing|ed)|cop(?:y|ied|ying)|quot(?:e|ing|ed)|forward(?:ed|ing)?|fwd|excerpt|snippet|transcript|"
    r"(?:here(?:'s| is| are| comes)|this is|below is|see|found|got|look at|reads?|says?|writes?|wrote|states?"
    r"|goes) )[^\n]*[:：]\s*$"
    r"|\b(?:their|the|his|her|its|this|a|an|vendor'?s?|old|\w+'s) (?:[\w-]+ ){0,3}(?:guide|docs?|documentation"
    r"|readme|manual|"
    r"wiki|page|e?mail|message|article|post|prompt|policy|handbook|checklist|changelog|template|log|output"
    r"|ticket|issue|leaflet|flyer|poster|brochure|"
    r"comment|spec|script|config)\b[^\n]*[:：]\s*$"
    r"|(?:转发|粘贴|贴一下|摘自|摘录|引用|原文|复制|如下|截取|文档里|邮件里|手册|说明书|聊天记录|传单|告示|日志|他说|她说"
    r"|写着|写的是|写道)[^\n]*[:：]\s*$"
    r"|(?:dán|chép|trích|chuyển tiếp|sao chép|nguyên văn|như sau|đoạn này|tài liệu|tờ rơi|hướng dẫn|email|thư|tin nhắn"
    r"|log|nội quy)"
    r"[^\n]*[:：]\s*$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…]+[\"”’)]*(?=\s|$)|[。！？；]+[”」』’）]*|…{2,}|;(?=\s)|\n+")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|mr|mrs|ms|dr|no|approx|p\.m|a\.m|tp|ts|ths)|\b[A-Z])\.$", re.IGNORECASE
)
_A_TOOL = (
    r"`?(?!(?:the|this|that|these|those|my|your|our|their|his|her|its?|them|an?|one|all|any)\b)[a-z][\w.+@/-]*`?"
    r"(?: `?(?!(?:for|here|now|today|to|in|on|and|but|at|with|because)\b)[a-z-][\w.+@/-]*`?){0,2}"
)
#: "Don't use npm, use pnpm": a choice between two tools by name is a habit to take on, not one act.
TOOL_CHOICE = re.compile(
    rf"^\W*(?:please |and |also,? |so |ok,? )*(?:do not|don't|dont|stop|avoid|quit|never) (?:ever )?"
    rf"(?:use|using|run|running|call|calling) {_A_TOOL}(?: here| any ?more)?\s*[,;.–—-]*\s*"
    rf"(?:but |just |please |and |always )*(?:use|run|prefer|switch to|go with) {_A_TOOL}"
    r"(?: instead| here| please| for everything| from now on)*\W*$"
    rf"|^\W*(?:请|麻烦)?(?:不要|别|不|请勿|勿)(?:再)?(?:使用|用|运行)\s*{_A_TOOL}\s*(?:了)?[，,；;、]?\s*"
    rf"(?:而是|请|要|都|一律)*(?:改用|换成|换用|使用|用)\s*{_A_TOOL}\W*$"
    rf"|^\W*(?:em |bạn |hãy )*(?:đừng|không|thôi|chớ) (?:dùng|sử dụng|chạy) {_A_TOOL}(?: nữa)?\s*[,;]?\s*"
    rf"(?:mà |hãy |nên |cứ |thì )*(?:dùng|sử dụng|chuyển sang) {_A_TOOL}(?: thay| nhé| nha| đi| thôi)*\W*$",
    re.IGNORECASE,
)
# "… at 2 a.m. All mail waits …": what can end a sentence too does so before a capital.
_ABBREVIATION_ENDS = re.compile(r"\b(?:[ap]\.m|etc)\.$", re.IGNORECASE)
_LONG_TERM = 18
# Characters before a quote in which a word of saying is looked for.
_LEAD_CHARS = 40
_ABBREVIATION_CHARS = 12


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: position in the text, the text as masked, and whether it asks. `only_quote`: nothing of it is the
    speaker's own."""

    start: int
    end: int
    masked: str
    question: bool
    only_quote: bool


def _blank(chars: list[str], start: int, end: int) -> None:
    for i in range(start, end):
        if chars[i] != "\n":
            chars[i] = MASK


def _is_term(text: str, start: int, end: int) -> bool:
    """A short quoted word used as a term within the speaker's sentence stays: 一律用“您”, `make lint`."""
    inner = text[start + 1 : end - 1]
    if text[start] == "`":
        return True
    sentence_like = re.search(r"[.!?。！？]\s*$", inner) or len(inner.split()) > 3
    before = text[max(0, start - _LEAD_CHARS) : start].rstrip()
    starts_turn = not before or before[-1] in ".!?。！？\n"
    reports = before[-1:] in {":", "："} and bool(
        re.search(r"(?:话|说|道|写|say|says|said|reads|nói|bảo)\w*\s*[:：]$", before)
    )
    reports = reports or bool(
        re.search(r"(?:写着|写道|写了|说|喊|标着|叫道|\bsays?|\bsaid|\breads?|\bwrote|\bnói|\bbảo)[:：,， ]*$", before)
    )
    return not sentence_like and not starts_turn and not reports and len(inner) <= _LONG_TERM


def mask(text: str) -> str:
    """The text with everything that is not the speaker's own voice replaced, character by character."""
    chars = list(text)
    for pattern in (_FENCE, _TAGGED):
        for m in pattern.finditer(text):
            _blank(chars, m.start(), m.end())
    for m in _QUOTE.finditer(text):
        if not _is_term(text, m.start(), m.end()):
            _blank(chars, m.start(), m.end())
    lines = [m for m in _LINE.finditer(text) if m.group()]
    pasted = own_list = False
    for m in lines:
        line = m.group().rstrip("\n")
        own_head = OWN_HEAD.match(text, m.start()) is not None
        own_list = own_head or (own_list and (not line.strip() or _ITEM.match(line) is not None))
        if pasted and not line.strip():
            pasted = False  # a blank line ends what the lead-in announced
        multi = len(lines) > 1 or line.lstrip().startswith((">", "["))
        bullet = own_list and line.lstrip().startswith("* ")  # elsewhere a line of a comment
        foreign = _ERROR_LINE.match(line) or (
            multi and _FOREIGN_LINE.match(line) and not _OWN_LABEL.match(line) and not bullet
        )
        if pasted or foreign:
            _blank(chars, m.start(), m.end())
        elif _PASTE_LEAD.search(line) and m.end() < len(text) and not own_head:
            pasted = True
            _blank(chars, m.start(), m.end())
    return "".join(chars)


def sentences(text: str) -> list[Sentence]:
    """Sentences of the text in order; a sentence that lies wholly in masked text has `only_quote`."""
    masked = mask(text)
    out: list[Sentence] = []
    start = 0
    ends = [
        m
        for m in _SENTENCE_END.finditer(text)
        if not _ABBREVIATION.search(before := text[max(0, m.end() - _ABBREVIATION_CHARS) : m.end()].rstrip('"”’)'))
        or (_ABBREVIATION_ENDS.search(before) and re.match(r"\s+[A-Z]", text[m.end() :]))
    ]
    for m in [*ends, None]:
        end = m.end() if m else len(text)
        raw = text[start:end]
        if raw.strip():
            left = start + len(raw) - len(raw.lstrip())
            right = start + len(raw.rstrip())
            part = masked[left:right]
            own = re.sub(rf"[{MASK}\W]", "", part)
            out.append(Sentence(left, right, part, bool(re.search(r"[?？][\"”)]*$", part)), not own))
        start = end
    return out


#: What stands before an item of a list.
_ITEM = re.compile(r"^\s*(?:(?:[-*•–]|\d{1,2}[.)])\s+|\d{1,2}[、．）]\s*)")
#: Ends a line that heads the lines below it: "Rules for this repo:".
_HEADS = re.compile(r"[:：]\s*$")


def without_mark(own: str) -> str:
    """An item of a list without what marks it as one."""
    return _ITEM.sub("", own)


def heads(parts: Sequence[Sentence], i: int, body: str) -> bool:
    """Whether a sentence only heads the lines below it, and is no rule without them."""
    return (
        i + 1 < len(parts) and bool(_HEADS.search(parts[i].masked)) and "\n" in body[parts[i].end : parts[i + 1].start]
    )


def under(heading: Sentence, item: Sentence) -> Sentence:
    """An item read with the line that heads its list: "From now on:" holds for each."""
    return replace(item, masked=f"{_HEADS.sub('', heading.masked)} {without_mark(item.masked)}")
