"""Lines that systems and machines report without a command: what each is about, and whether a later one closed a failure."""

from __future__ import annotations

import re

from bio_agent_schema.types import Episode, Kind

_IDS = re.compile(r"\b[A-Z]{1,8}[-/_][A-Z0-9]*\d[\w/-]*|\b[A-Z]{2,8}\d{2,}\b|(?<![\d.,])\d{5,}(?![\d.,])")
_DONE = re.compile(
    r"\b(?:ok|success(?:ful(?:ly)?)?|succeeded|passed|posted|confirmed|completed?|done|released|approved|accepted"
    r"|validated|created|delivered|resolved|fixed|finished|paid|shipped|closed|recovered|restored|cleared|unblocked|repaired"
    r"|reconnected|connected|online|available|healthy|works|booked|sent|printed"
    r"|(?:reachable|working|running|responding|normal|stable|well|fine|up|in service) again|back (?:to normal|in service|up))\b"
    r"|成功|通过|完成|已过账|已审批|已确认|已发布|已解决|已放行|已发送|已恢复|已修复|恢复|完毕|重新(?:上线|连接|连上)|在线"
    r"|(?<!\w)(?:thành công|hoàn tất|hoàn thành|đã (?:được )?(?:duyệt|ghi sổ|xong|phát hành|giải phóng|gửi|in|khôi phục|khắc phục"
    r"|sửa|kết nối|hoạt động)|được duyệt|kết nối lại|hoạt động (?:lại|bình thường)|trực tuyến|khôi phục|xong|trở lại)(?!\w)",
    re.IGNORECASE,
)
#: What in front of such a word takes it back: not done, or not done yet.
_TAKES_BACK = re.compile(
    r"(?:\b(?:not|no(?: longer)?|zero|never|cannot|awaiting|waiting (?:for|to)|pending|until|before|unless|to be|being|isn|wasn"
    r"|won|could|if)(?:n't|'t|’t)?(?: (?:yet|be|been|get|to|still|fully|fail(?:ed)?))*[\s-]*"
    r"|[不未没非待需][\u4e00-\u9fff]{0,2}|尚未|(?<!\w)(?:chưa|không|chờ|cần|đang|sẽ)(?: \w+)?\s*)$",
    re.IGNORECASE,
)
#: A step that is under way, or was left, has not succeeded.
_NOT_OVER = re.compile(
    r"\b(?:start(?:s|ed|ing)?|begin(?:s|ning)?|began|retry(?:ing)?|retries|resum(?:e|ed|ing)|running|queued|waiting|pending"
    r"|scheduled|planned|prepar\w+|in progress|attempt(?:s|ing)?|trying|skipp(?:ed|ing)|cancell?ed|abort(?:ed|ing)?|paused"
    r"|stopp(?:ed|ing)|postponed|disabled|unknown|warning|still|again)\b|\d ?%"
    r"|开始|正在|准备|等待|排队|重试|跳过|取消|中止|暂停|停止|仍|还是|再次|未知"
    r"|(?<!\w)(?:bắt đầu|đang|chuẩn bị|chờ|thử lại|bỏ qua|hủy|tạm dừng|dừng|vẫn|chưa)(?!\w)",
    re.IGNORECASE,
)
_STATUS_WORDS = re.compile(
    r"\b(?:failed|failure|error|errors|retry|ok|success(?:ful(?:ly)?)?|passed|attempt|again|warning|rejected"
    r"|completed?|done|"
    r"posted|the|a|an|was|is|has|been|for|of|at|to)\b|\d+\w?(?:/\d+)?|(?<!\w)(?:bị lỗi|báo lỗi|lỗi|lần|thành công"
    r"|thất bại|lại|đã|bị)(?!\w)"
    r"|失败|报错|错误|出错|成功|通过|再次|重试|第|次|已",
    re.IGNORECASE,
)
_COLON = re.compile(r"[:：](?:\s|$)|：")
_PART_OF = 0.6  # share of a label's words that a shorter one must hold to name the same thing


def is_done(text: str) -> bool:
    """Whether a line says that something is done or well again, and does not take it back ("not yet released")."""
    return affirmed(_DONE, text)


def affirmed(pattern: re.Pattern[str], text: str) -> bool:
    """Whether a text holds what the pattern says without "not", "not yet" or the like in front of it."""
    return any(not _TAKES_BACK.search(text[max(0, m.start() - 24) : m.start()]) for m in pattern.finditer(text))


def _label(content: str) -> str:
    """What a line without a command is about: its words up to the colon, ids, numbers and status words taken out."""
    line = content.strip().split("\n", 1)[0][:200]
    if line.startswith("{"):
        return ""  # fields and values: the tool's name says what was asked for
    head = re.split(r"[:：]\s", line + " ", maxsplit=1)[0] if _COLON.search(line) else line
    head = re.sub(r"\([^)]*\)|\[[^\]]*\]", " ", re.split(r"：", head, maxsplit=1)[0])
    head = _STATUS_WORDS.sub(" ", _IDS.sub(" ", head))
    return " ".join(re.sub(r"[^\w]+", " ", head.lower()).split())


def _same_label(a: str, b: str) -> bool:
    """Chinese has no blanks between words; where one stands, an id or a status word was taken out. Of two labels one may
    say less ("price sync job", "price sync"), as long as it says most of it."""
    if a == b or (not a.isascii() and a.replace(" ", "") == b.replace(" ", "")):
        return True
    less, more = sorted((a.split(), b.split()), key=len)
    return len(less) >= max(2.0, _PART_OF * len(more)) and f" {' '.join(less)} " in f" {' '.join(more)} "


_WORD = re.compile(r"[a-z]{4,}")
#: How the act ended is no part of what it was.
_ENDED_BADLY = re.compile(
    r"\b(?:fail\w*|reject\w*|block\w*|deni\w*|declin\w*|refus\w*|abort\w*|cancel\w*|stop\w*|crash\w*|jam\w*|interrupt\w*|delay\w*)\b"
    r"|失败|报错|错误|拒绝|驳回|退回|拦截|取消|中止|停止|(?<!\w)(?:lỗi|thất bại|từ chối|chặn|hủy|dừng|hỏng|kẹt)(?!\w)",
    re.IGNORECASE,
)
_HAN_DONE = re.compile("已(?:经)?([\u4e00-\u9fff]{2})")
_VI_DONE = re.compile(r"(?<!\w)đã (?:được )?(\w+(?: \w+)?)")


def _did_it(failed: str, later: str) -> bool:
    """Whether the very act that failed is told as done: "import failed" and "imported", 导入失败 and 已导入. Of the failed
    line only what stands before its reason counts."""
    head = _COLON.split(failed.strip().lower(), maxsplit=1)[0].split(",", 1)[0][:200]
    head, after = _ENDED_BADLY.sub(" ", head), later.lower()[:400]
    stems = {w[:5].rstrip("eing") for w in _WORD.findall(head)}
    done = [w for w in _WORD.findall(after) if w.endswith("ed") and any(len(s) > 2 and w.startswith(s) for s in stems)]
    told = [
        *done,
        *(w for w in _HAN_DONE.findall(after) if w in head),
        *(w for w in _VI_DONE.findall(after) if w in head),
    ]
    return any(affirmed(re.compile(re.escape(w)), after) for w in told)


def _shape(identifier: str) -> str:
    return re.sub(r"\d+", "0", re.sub(r"[A-Za-z]+", "A", identifier))


def _step_is_over(failure: Episode, later: Episode) -> bool:
    """Whether a machine tells of the very step that failed, by its name, and of nothing that is still to come."""
    named = all(_COLON.search(e.content.strip().split("\n", 1)[0][:200]) for e in (failure, later))
    return named and later.kind is Kind.TOOL and later.severity < 0.5 and not _NOT_OVER.search(later.content[:400])


def closes(failure: Episode, later: Episode) -> bool:
    """For system events and tools that only print: the same document, or the same step, later succeeded."""
    if failure.source != later.source or failure.tool != later.tool:
        return False
    status = str(later.metadata.get("event", "")) or str(later.metadata.get("status", ""))
    done = later.exit_code == 0 or is_done(later.content) or is_done(status.replace("_", " "))
    done = done or _did_it(failure.content, later.content)
    if not done and not _step_is_over(failure, later):
        return False
    named = _IDS.findall(failure.content)
    before, after = set(named), set(_IDS.findall(later.content))
    # The first one is the document that failed; what else the line names (a place, a partner) may do well without it.
    if done and named and named[0] in after:
        return True
    label, other = _label(failure.content), _label(later.content)
    if not label and not other and done and failure.tool:
        label = other = failure.tool
    if not label or not (_same_label(label, other) if done else label == other):
        return False
    # Two documents of one kind are two objects, whatever their lines say.
    return not ({_shape(i) for i in before} & {_shape(i) for i in after})
