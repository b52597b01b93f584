"""The cheap rules that settle the obvious before a model is asked: what carries nothing to learn from.

By structure first (empty, binary, progress lines, templates with counters from a scheduler at info level), by a small
generic vocabulary second (greetings, thanks, heartbeats). Never junk: a failure, what a failure is linked with,
anything an owner says beyond a greeting, thanks or praise.
"""

from __future__ import annotations

import re

from bio_agent_schema.types import Episode, Kind

# Severity of "info" and below, see the attention formula (info 0.2, warning 0.5).
_INFO = 0.2
# Folded lines of one template at info level: from here on they are a counter, not news.
_REPEATED = 5
_PROGRESS_SHARE = 0.8

_TIMER_SOURCE = re.compile(
    r"\b(?:scheduler|cron(?:tab|job)?|timer|heartbeat|monitor(?:ing)?|watchdog|health(?:check)?|systemd|probe"
    r"|keep-?alive|beat)\b",
    re.I,
)
_HEARTBEAT = re.compile(
    r"\b(?:heart-?beats?|keep-?alive|still alive|i'?m alive|alive|ping|pong|health ?-?check|liveness|readiness"
    r"|no changes?|nothing to do|idle|tick|poll(?:ing|ed)?)\b"
    r"|心跳|保活|存活|在线，?序号|健康检查|无变化|空闲|无任务"
    r"|nhịp tim|còn sống|giữ kết nối|không có thay đổi|kiểm tra định kỳ|trực tuyến, số",
    re.I,
)
_TROUBLE = re.compile(
    r"\b(?:err(?:or)?s?|fail(?:ed|ure|s|ing)?|warn(?:ing)?s?|exception|denied|refused|timed? ?out|unreachable"
    r"|lost|missing|expired?|full|critical|fatal|panic|abort(?:ed)?|degraded|down|mismatch|corrupt\w*"
    r"|leak\w*)\b(?!\s*[:=]?\s*0\b)(?<!0 errors)(?<!0 warnings)(?<!0 failed)(?<!no errors)"
    r"|失败|错误|报错|异常|超时|警告|拒绝|过期|中断|丢失|不足|离线"
    r"|\blỗi\b|thất bại|cảnh báo|từ chối|quá hạn|hết hạn|mất kết nối|không thể|ngoại tuyến",
    re.I,
)
_PROGRESS_LINE = re.compile(
    r"^\W*(?:(?:downloading|uploading|fetching|receiving|resolving|counting|compressing|writing|unpacking"
    r"|extracting|pulling|pushing|installing|building|indexing|copying|syncing|loading|processing|remote:"
    r"|get:\d+|transferring"
    r"|正在|下载|上传|处理|安装|解压|同步|đang|tải|cài đặt|giải nén).*)?"
    r"(?:\d{1,3}(?:\.\d+)? ?%|\[[=#>\-. █▉▊▋▌▍▎▏]{4,}\]|[█▉▊▋▌▍▎▏━╸#=]{4,}|\d+(?:\.\d+)? ?(?:[kmgt]i?b"
    r"|bytes)(?:/s\b|\s*/\s*\d)|\b\d+(?:\.\d+)? ?[kmg]i?b/s\b|\beta \d|\b\d+/\d+ \[)",
    re.I,
)
_DOWNLOAD_LINE = re.compile(
    r"^\W*(?:downloading|fetching|pulling from|pull(?:ing)? complete|download complete|already exists|waiting"
    r"|verifying checksum|get:\d+ |hit:\d+ |remote: (?:counting|compressing|enumerating)|receiving objects"
    r"|resolving deltas|đang tải|正在下载)\b",
    re.I,
)
_GREETING = (
    r"(?:good )?(?:morning|afternoon|evening|night)|hi|hello|hey(?: there| team| all)?|bye|goodbye"
    r"|see you(?: later| tomorrow)?|cheers|welcome back|have a (?:nice|good|great) (?:day|weekend|evening|one)"
    r"|早上好|早安|上午好|下午好|晚上好|晚安|你好|您好|大家好|嗨|再见|拜拜|早"
    r"|(?:xin )?chào(?: (?:em|anh|chị|bạn|buổi sáng|cả nhà|mọi người))?|tạm biệt|chúc ngủ ngon|buổi sáng tốt lành"
)
_PRAISE = (
    r"thanks?(?: you)?(?: (?:a lot|so much|very much|again|for that|mate))?|thx|ty|great(?: (?:job|work"
    r"|stuff))?|nice(?: one| work)?|perfect|cool|awesome|excellent|well done|good (?:job|work)|lovely|super"
    r"|brilliant|wonderful|much appreciated|lgtm"
    r"|谢谢(?:你|您|啦|了)?|多谢|辛苦(?:了|啦)?|感谢|太好了|很好|不错|真棒|棒|完美|厉害|赞"
    r"|cảm ơn(?: (?:em|anh|chị|bạn))?(?: nhiều| nhé)?|cám ơn(?: (?:em|anh|chị|bạn))?(?: nhiều| nhé)?|tốt(?: lắm"
    r"| quá)?|hay(?: lắm| quá)|tuyệt(?: vời)?(?: quá)?|giỏi(?: lắm| quá)|ngon"
)
_ACK = (
    r"ok(?:ay)?|sure(?: thing)?|will do|got it|understood|noted|on it|done|alright|all right|right away"
    r"|of course|no problem|you'?re welcome|my pleasure|happy to help|one moment(?: please)?|let me (?:know|see"
    r"|check)|working on it|sounds good|certainly|absolutely|great|what (?:shall|can|should|would) (?:we|i"
    r"|you)\b[^?]*\?|how (?:can|may) i help[^?]*\?|anything else\?"
    r"|好的?|收到|明白(?:了)?|了解|没问题|马上|不客气|知道了|稍等|有什么(?:可以|能)[^？?]*[？?]|还有(?:什么"
    r"|别的)[^？?]*[？?]|今天(?:想|要)?[^？?]{0,10}什么[？?]|记下了|已记录"
    r"|dạ|vâng(?: ạ)?|ok ạ|em (?:hiểu|biết|rõ) rồi(?: ạ)?|đã rõ|đã hiểu|đã ghi nhận|rõ ạ|được ạ"
    r"|không có gì(?: ạ)?|để em xem|(?:hôm nay )?(?:em|tôi) (?:giúp|có thể giúp)[^?]*\?"
)
_SEP = r"[\s,，.。!！~～;:;…—–-]*"
_SMALL_TALK = re.compile(rf"{_SEP}(?:(?:{_GREETING}|{_PRAISE})(?![\w\u4e00-\u9fff]){_SEP})+", re.I)
_ZH_TALK = re.compile(rf"{_SEP}(?:(?:{_GREETING}|{_PRAISE}){_SEP})+", re.I)
_ASSISTANT_TALK = re.compile(rf"{_SEP}(?:(?:{_GREETING}|{_PRAISE}|{_ACK})(?![\w\u4e00-\u9fff]){_SEP})+", re.I)
_NAVIGATION = re.compile(r"^\s*(?:clear|pwd|whoami|history|date|cls|true|ls(?: -\w+)*|dir|cd(?: [^&|;]*)?)\s*$")
_WORDS = re.compile(r"[^\W_]", re.UNICODE)


_ODD = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffd]")


def is_binary(content: str) -> bool:
    """A dump of bytes rather than text: replacement or control characters in force."""
    odd = len(_ODD.findall(content))
    return odd >= 2 and odd >= 0.1 * len(content)


def _progress(content: str) -> bool:
    lines = [line for line in re.split(r"[\r\n]+", content) if line.strip()]
    if not lines:
        return False
    hits = sum(bool(_PROGRESS_LINE.search(line) or _DOWNLOAD_LINE.search(line)) for line in lines)
    return hits >= _PROGRESS_SHARE * len(lines)


def is_junk(episode: Episode, *, linked: bool = False) -> tuple[bool, str]:
    """(junk, reason). linked: the episode closed a failure or is part of a failure–fix pair; then it is never junk."""
    if linked or episode.is_failure or episode.unresolved or episode.resolved_by:
        return False, ""
    return classify(
        kind=episode.kind,
        source=episode.source,
        content=episode.content,
        command=episode.command,
        severity=episode.severity,
        folded=episode.folded,
    )


def classify(*, kind: Kind, source: str, content: str, command: str, severity: float, folded: int) -> tuple[bool, str]:
    """The rules of `is_junk` on the bare fields of something that is no failure. severity in [0, 1]."""
    body = content.strip()
    if kind is Kind.USER:
        if not body:
            return True, "empty"
        if not _WORDS.search(body):
            # "👍" says nothing; "!!!" or "?" may ask for something.
            return (True, "emoji only") if not re.search(r"[?？!！]", body) else (False, "")
        if _SMALL_TALK.fullmatch(body) or _ZH_TALK.fullmatch(body):
            return True, "greeting or thanks"
        return False, ""
    if kind is Kind.ASSISTANT:
        if not body or not _WORDS.search(body):
            return True, "empty"
        if _ASSISTANT_TALK.fullmatch(body):
            return True, "acknowledgement"
        return False, ""
    if kind is Kind.OUTCOME:
        return False, ""
    output = body.removeprefix(command.strip()).strip() if command else body
    if is_binary(output):
        return (False, "") if command else (True, "binary output")
    if command:
        return (True, "navigation") if _NAVIGATION.match(command) else (False, "")
    if not output:
        return True, "empty"
    if severity > _INFO or _TROUBLE.search(output):
        return False, ""
    if _progress(output):
        return True, "progress"
    if _TIMER_SOURCE.search(source):
        return True, "routine of a scheduler"
    if _HEARTBEAT.search(output) and len(output) <= 160 and kind is not Kind.EVENT:
        return True, "heartbeat"
    if folded >= _REPEATED and kind is not Kind.EVENT and re.search(r"\d", output) and len(output) <= 200:
        return True, "repeated template with a counter"
    return False, ""
