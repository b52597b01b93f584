"""What a result without an exit code says of itself: the status in its JSON, the status words of a short report, and for a
tool that only shows something the one line in which it would say that it could not."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from bio_agent_workers.brain.lessons.reports import is_done

JSON_CHARS = 200_000  # of a result that is parsed
REPORT_CHARS, REPORT_LINES = 320, 3  # a longer text is no report but something shown
FIRST_LINE_CHARS = 300

_STATUS_KEYS = ("status", "state", "result", "outcome", "resultcode")
_BAD = re.compile(
    r"(?:err(?:or(?:ed)?)?|fail(?:ed|ure)?|fatal|crashed|rejected|denied|declined|refused|blocked|aborted|timed?[ _-]?out"
    r"|exception|unauthori[sz]ed|forbidden|invalid|not[ _-]?found|ng|失败|错误|异常|拒绝|驳回|lỗi|thất bại|từ chối)",
    re.IGNORECASE,
)
_SAYS_NOT = ("success", "ok", "succeeded", "successful")
_SAYS_ERROR = ("iserror", "is_error", "failed", "haserror", "has_error", "has_errors")
_ERROR_KEYS = ("error", "errors", "exception", "fault", "traceback", "errormessage", "error_message", "err", "errmsg")
_CODE_KEYS = ("code", "statuscode", "status_code", "httpstatus", "http_status", "exit_code", "exitcode", "returncode")
#: Codes by which an interface says "all is well" although they are not 0 or 200.
_FINE_WORDS = re.compile(r"(?:ok|success|none|null|no error|0|成功)?", re.IGNORECASE)

#: What a report of a few words says where something did not come about. Weaker signs than these are left to a severity.
_REPORTED = re.compile(
    r"\b(?:(?:is|was|are|were|been|got|now|still|not)? ?(?:blocked|declined|refused|denied|jammed|stalled|crashed|unreachable|offline"
    r"|disconnected|overloaded)|emergency stop|e-stop|collision|slip(?:page)? detected|grip(?:per)? lost|gave up|giving up"
    r"|not (?:reached|reachable|posted|sent|saved|delivered|printed|booked|found|available|responding)|did not (?:respond|start|finish"
    r"|complete|arrive|open|close)|(?:limit|quota|deadline|budget|size|load|range)(?: was| is)? exceeded|exceeds? (?:the|its|max\w*|allowed)"
    r"|lost (?:connection|contact|signal|grip)|(?:connection|contact|signal|grip) (?:was )?lost|does(?: not|n't) (?:match|balance|exist)"
    r"|(?:tipped|fell) over|overload)\b"
    r"|驳回|(?:被|审批|系统)退回|未通过|不通过|未能|被[^，。：:\s]{0,6}(?:拦截|冻结|拒|锁定)|中止|打滑|滑落|卡住|卡纸|卡料|急停|离线|断开|掉线|连接不上|连不上|碰撞|溢出|报警"
    r"|(?<!\w)(?:bị (?:\w+ ){0,3}(?:chặn|từ chối|kẹt|treo|rớt|rơi|trượt|ngắt|gián đoạn)|mất (?:kết nối|tín hiệu)"
    r"|không (?!thể|nên|cần)(?:\w+ ){1,3}được"
    r"|không (?:đạt|phản hồi|tồn tại|hợp lệ|khớp|tìm thấy)|vượt(?: quá)? (?:hạn mức|giới hạn|tải|ngân sách)|quá (?:hạn mức|tải)|dừng khẩn cấp"
    r"|ngoại tuyến|kẹt giấy|va chạm|tràn)(?!\w)",
    re.IGNORECASE,
)
_NONE_OF_IT = re.compile(
    r"\b(?:no|not|without|never|0|zero|free of)(?: any| a| longer)? (?:collisions?|overload\w*|slip\w*|blocked|jammed|offline|emergency)"
    r"(?: detected| stop)?|(?:无|没有|未(?:发生|检测到|发现)?)(?:碰撞|打滑|报警|卡纸|溢出)|không (?:có |bị )(?:va chạm|kẹt\w*|tràn|trượt|chặn)",
    re.IGNORECASE,
)
_READING = re.compile(
    r"(?:^|__|[._-])(?:read|view|open|cat|fetch|browse|crawl|scrape|search|find|grep|list|ls|show|recall|lookup|web|glob|http_get"
    r"|get_?(?:page|url|file|text|doc\w*|content\w*))(?:$|[._-]|(?=[A-Z]))",
)
_REFUSED = re.compile(
    r"^\W*(?:error|fatal|exception|failed|failure|\w*(?:Error|Exception))\b\W*\S"
    r"|^[\w./ -]{1,60}: ?(?:FAILED|failed|error|Error|No such file|Permission denied|not found)\b"
    r"|^\W*(?:HTTP(?:/\d(?:\.\d)?)? ?)?[45]\d\d\b|^(?:错误|失败|lỗi)\s*[:：]",
)


def said_by_json(content: str) -> bool | None:
    """Whether a JSON result says that it failed (True) or went well (False); None where it is no JSON or says neither."""
    text = content.strip()
    if not text.startswith("{") or not text.endswith("}") or len(text) > JSON_CHARS:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return _of(value) if isinstance(value, dict) else None


def _of(value: Mapping[str, Any]) -> bool | None:
    fields = {str(k).lower(): v for k, v in value.items()}
    for name in _SAYS_NOT:
        if isinstance(fields.get(name), bool):
            return not fields[name]
    for name in _SAYS_ERROR:
        if isinstance(fields.get(name), bool):
            return bool(fields[name])
    for name in _STATUS_KEYS:
        said = fields.get(name)
        if isinstance(said, str) and _BAD.fullmatch(said.strip()):
            return True
    if any(_tells(fields.get(name)) for name in _ERROR_KEYS):
        return True
    codes = [
        c for name in (*_CODE_KEYS, "status") if isinstance(c := fields.get(name), int) and not isinstance(c, bool)
    ]
    if any(400 <= c < 600 for c in codes) or any(fields.get(n) for n in ("exit_code", "exitcode", "returncode")):
        return True
    if any(name in fields for name in (*_STATUS_KEYS, *_ERROR_KEYS)) or codes:
        return False
    return None


def _tells(error: Any) -> bool:
    """Whether what stands under "error" is one: not null, false, 0, an empty list or "none"."""
    if isinstance(error, str):
        return _FINE_WORDS.fullmatch(error.strip()) is None
    if isinstance(error, Mapping):
        return any(_tells(v) for v in error.values())
    return bool(error)


def is_report(content: str) -> bool:
    """Whether a text is short enough to tell of what happened rather than to show something."""
    text = content.strip()
    return len(text) <= REPORT_CHARS and text.count("\n") < REPORT_LINES


def reports_failure(content: str) -> bool:
    """Whether a short report says in words of its trade that something did not come about, and says nothing better later."""
    if not is_report(content):
        return False
    text = _NONE_OF_IT.sub(" ", content)
    told = [m.end() for m in _REPORTED.finditer(text)]
    return bool(told) and not is_done(text[told[-1] :])


def only_shows(tool: str) -> bool:
    """Whether a tool's name says that its result is something shown: a page, a file, hits."""
    return _READING.search(tool) is not None


def could_not_show(content: str) -> bool:
    """Whether what such a tool gave back is no page or file but the word that there is none."""
    first = next((line for line in content.splitlines() if line.strip()), "")
    return is_report(content) and len(first) <= FIRST_LINE_CHARS and _REFUSED.search(first) is not None
