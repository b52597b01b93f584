"""Whether an observation is a failure, how severe it is, and which error it shows.

The producer's flags decide; only where it sends none is the text read. What comes out of the text is one token of a
bounded alphabet, never a sentence: it may be shown to a model as part of a rule.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from bio_agent_workers.brain.guarding.act_forms import placeholders, word_set
from bio_agent_workers.brain.lessons import results

#: Characters read from the head and from the tail of a text; errors stand at either end.
_WINDOW = 16_000
#: Characters of a signature and lines it is made of.
_SIGNATURE = 160
SEVERITIES = {
    "trace": 0.0,
    "debug": 0.0,
    "info": 0.2,
    "notice": 0.2,
    "success": 0.2,
    "ok": 0.2,
    "warning": 0.5,
    "warn": 0.5,
    "error": 0.8,
    "err": 0.8,
    "failure": 0.8,
    "critical": 1.0,
    "fatal": 1.0,
    "alert": 1.0,
    "emergency": 1.0,
}
_FAILED = 0.8
_FINE = 0.2
_TALK = frozenset({"user", "assistant", "state"})


@dataclass(frozen=True, slots=True)
class FailureReading:
    """failed; error_token: one code or exception class, "" when none; severity in [0, 1]."""

    failed: bool
    error_token: str
    severity: float


# Codes and classes, most telling first. Each alternative has a fixed alphabet and length.
_TOKENS = tuple(
    re.compile(pattern, re.ASCII | re.MULTILINE)
    for pattern in (
        r"\b(GH\d{3})\b",
        r"\bnpm (?:ERR!|error) code (E[A-Z0-9]{2,24})\b",
        r"\b((?:E[A-Z]{4,20}))\b(?=[:,\s])",
        r"\berror\[(E\d{4})\]",
        r"\berror (TS\d{3,5}|CS\d{4}|MSB\d{4}|NU\d{4}|C\d{4}|LNK\d{4})\b",
        r"\b(ORA-\d{5}|PLS-\d{5})\b",
        r"\bSQLSTATE[\[: =(]*([0-9A-Z]{5})\b",
        r"^(?:psycopg\.|sqlalchemy\.|\w+: )?ERROR: +([0-9][0-9A-Z]{4}):",
        r"^(?:E +)?(?:[a-z_][\w]*\.){0,6}([A-Z][A-Za-z0-9]{2,48}(?:Error|Exception|Warning|Interrupt|Exit|Timeout"
        r"|Fault))"
        r"(?:$|[:(\s])",
        r"\b(?:[a-z_][\w]*\.){0,6}([A-Z][A-Za-z0-9]{2,48}(?:Error|Exception))\b",
        r"\b(SC\d{4}|ERR_[A-Z0-9_]{3,40}|ERR[A-Z]{4,24})\b",
        r"\berror:([0-9A-F]{8}):",
        r"\b(Error \d{3,5} \([0-9A-Z]{5}\))",
        r"\bcode=([A-Za-z]{2,12}\.[A-Z][A-Z0-9_]{2,32})\b",
        r"\b(externally-managed-environment)\b",
        r"\b(CrashLoopBackOff|ImagePullBackOff|ErrImagePull|OOMKilled|CreateContainerConfigError)\b",
    )
)
# Well-known failures that programs tell in words. What is kept is the name on the left, never the program's words.
_NAMED = tuple(
    (name, re.compile(pattern, re.IGNORECASE))
    for name, pattern in (
        ("port-in-use", r"address already in use|port is already allocated|bind for \S+ failed"),
        ("command-not-found", r"command not found|is not recognized as an internal"),
        ("ModuleNotFoundError", r"No module named '?[\w.]+"),
        ("protected-branch", r"protected branch"),
        ("non-fast-forward", r"non-fast-forward|updates were rejected because|fetch first"),
        ("unknown-refspec", r"src refspec \S+ does not match any"),
        ("merge-conflict", r"CONFLICT \(|automatic merge failed|merge conflict"),
        ("not-a-git-repository", r"not a git repository"),
        ("missing-script", r"missing script"),
        ("no-makefile", r"no targets specified and no makefile found"),
        ("no-rule-for-target", r"no rule to make target"),
        ("undefined-reference", r"undefined reference to"),
        ("import-file-mismatch", r"import file mismatch"),
        ("no-matching-distribution", r"no matching distribution found|could not find a version that satisfies"),
        ("not-gzip", r"not in gzip format"),
        ("unknown-role", r"role \"[^\"]*\" does not exist"),
        ("unknown-relation", r"relation \"[^\"]*\" does not exist"),
        ("authentication-failed", r"authentication failed|invalid credentials|bad credentials"),
        ("certificate-error", r"certificate verify failed|certificate has expired|self[- ]signed certificate"),
        ("disk-full", r"no space left on device|disk quota exceeded"),
        ("out-of-memory", r"out of memory|cannot allocate memory|heap out of memory"),
        (
            "lock-held",
            r"could not get lock|unable to lock|database is locked|is locked by another|\.lock' ?: File exists",
        ),
        ("connection-refused", r"connection refused"),
        ("host-not-found", r"could not resolve host|name or service not known|temporary failure in name resolution"),
        ("read-only", r"read-only file system"),
        ("permission-denied", r"permission denied|operation not permitted|access denied"),
        ("no-such-file", r"no such file or directory|cannot find the path"),
        ("unknown-option", r"(?:unknown|unrecognized|invalid|illegal) (?:option|argument|flag)|no such option"),
        ("timeout", r"timed out|deadline exceeded|time-?out expired"),
        ("syntax-error", r"syntax error"),
    )
)
_HTTP = re.compile(r"\b(?:HTTP(?:/\d(?:\.\d)?)?|status(?: code)?|http_code|statusCode)[\s:=\"]{1,3}([45]\d\d)\b", re.I)
_HTTP_REASON = re.compile(
    r"\b([45]\d\d)\b:? (?:Forbidden|Unauthorized|Not Found|Bad Request|Conflict|Too Many Requests"
    r"|Internal Server Error|"
    r"Bad Gateway|Service Unavailable|Gateway Time-?out|Unprocessable|Method Not Allowed|Payment Required)",
    re.I,
)
_EXIT = re.compile(
    r"\b(?:exit(?:ed)?(?: with)?(?: code| status)?|return code|exit_code|rc)[\s:=]{1,3}([1-9]\d{0,2})\b", re.I
)
# Words that some codes look like without being one.
_NO_TOKEN = word_set(
    "ERROR ERRORS EXIT EMPTY EXISTS ENABLE ENABLED EVENT EVENTS EXPORT EXECUTE EXPLAIN EXCEPT EXAMPLE "
    "ENGLISH ENTER EITHER EVERY EXPECTED EXTRA EDITOR EMAIL ELSE ENDPOINT ENTITY ESCAPE EXACT "
    "EXTERNAL "
    "ENVIRONMENT ENGINE EXISTING EXPIRED EXTENSION EXCLUDE EXPRESS EXTRACT"
)

_STRONG = re.compile(
    r"^\s*Traceback \(most recent call last\)"
    r"|^(?:E +)?(?:[a-z_]\w*\.)*[A-Z]\w*(?:Error|Exception)(?:: |$)"
    r"|^npm (?:ERR!|error) "
    r"|^\s*(?:fatal|error|ERROR|Error|FATAL|panic|Fatal error|error\[E\d{4}\]|Unhandled exception)(?: \(\w+\))?: ?\S"
    r"|^\S{1,40}: (?:fatal |syntax |line \d+: )?(?:error|fatal)\b: ?\S"
    r"|^[\w./-]+(?:\(\d+,\d+\)|:\d+(?::\d+)?): (?:fatal )?error\b"
    r"|: command not found$|: not found$|: No such file or directory$|: Permission denied\b|: Operation not permitted\b"
    r"|^\S+: cannot \w+ |^make(?:\[\d+\])?: \*\*\* "
    r"|\b[1-9]\d* (?:failed|failing|errors?)\b(?=[ ,.;)=]|$)|^FAILED\b|^FAIL\b|\bBUILD FAILED\b|\bBUILD FAILURE\b"
    r"|^! ?\[(?:remote )?rejected\]| ! \[(?:remote )?rejected\]|\bSegmentation fault\b|^Killed$"
    r"|^\s*(?:level|lvl|severity)[=:] ?\"?(?:error|fatal|critical|panic)\b"
    r"|^\w+ aborted!|^(?:[A-Z]\w*::)+[A-Z]\w*: "
    r"|^\[?(?:\d{4}-\d\d-\d\d[T ][\d:.,Z+-]+\]? )?\[?(?:ERROR|FATAL|CRITICAL|SEVERE)\b",
    re.MULTILINE,
)
_WEAK = re.compile(
    r":\s*(?:FAILED|failed|FAIL|failure)\b|\b(?:FAILED|failed)(?:$|[:!.,;])|\bfailed to \w+|\bcould not \w+"
    r"|\bunable to \w+"
    r"|\bnot (?:permitted|authori[sz]ed|allowed)\b|\baccess denied\b|\bpermission denied\b|\b(?:was )?rejected\b"
    r"|\btimed out\b|\bconnection refused\b|\btripped\b|\baborted\b|\bunsuccessful\b"
    r"|(?<![\w])(?:bị )?lỗi(?: lần \d+)?\s*[:：]|(?:^|[\s:])(?:báo lỗi|thất bại|không thành công|bị từ chối"
    r"|không thể)(?![\w])"
    r"|失败|报错|出错|错误[:：]|异常[:：]|被拒绝|无法|不成功|超时",
    re.MULTILINE | re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:0|no|zero|without(?: any)?|never|not) (?:(?:test|build|lint|type|syntax|new|known) )?(?:errors?|failures?"
    r"|failed|failing|"
    r"fail)\b|\b(?:errors?|failed|failures?|fail)\s*[:=]\s*0\b|\berror[- ](?:handling|handler|free|codes?|messages?"
    r"|pages?|"
    r"boundary|log|reporting)\b|(?<!\w)không (?:có |còn |bị )?(?:lỗi|thất bại)|0 lỗi|(?:没有|无|未发现|零"
    r"|0 ?个?)(?:任何)?"
    r"(?:错误|失败|报错|异常)|\bif (?:it )?(?:fails|failed)\b|失败率|错误处理|错误码|容错",
    re.IGNORECASE,
)
_WENT_WELL = re.compile(
    r"\b(?:success(?:ful(?:ly)?)?|succeeded|passed|completed?|finished|done|recovered|retr(?:y|ied|ying) ok|started|ready"
    r"|up to date)\b|成功|完成|通过|thành công|hoàn tất|hoàn thành",
    re.IGNORECASE,
)
# Lines that show code, a listing, a diff or a search hit: what they say is not said by the command.
_QUOTED_LINE = re.compile(
    r"^\s*(?:[-dlrwx]{10}[.+@]? |[+-](?![+-])|@@ |diff --git|(?:\./)?[\w./-]+\.\w{1,6}:\d+:|[\w./-]+\.(?:md|txt|py"
    r"|js|ts|log|json)$"
    r"|(?:def|class|import|from|return|raise|except|try|catch|throw|function|const|let|var|if|for|while|public"
    r"|private)\b"
    r"|#|//|/\*|\*|<!--|\d+[\t→|] ?)"
)


def severity_of(value: str | float | None) -> float | None:
    """Severity in [0, 1] from a name or a number, None when it says nothing."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return min(1.0, max(0.0, float(value))) if not math.isnan(value) else None
    return SEVERITIES.get(value.strip().lower())


def _window(content: str) -> str:
    return content if len(content) <= 2 * _WINDOW else content[:_WINDOW] + "\n" + content[-_WINDOW:]


def _said(text: str) -> str:
    """The text without lines that quote code or list files; whole again when nothing else is in it but a traceback."""
    return "\n".join(line[:400] for line in text.splitlines() if not _QUOTED_LINE.match(line))


def _wordy(token: str) -> bool:
    """Whether a class name is long enough to be a sentence without blanks."""
    return len(token) > 36 or sum(c.isupper() for c in token if token[:1].isupper() and not token.isupper()) > 6


def error_token(content: str) -> str:
    """One error code, exception class or name of a well-known failure found in a text, else "".

    At most 50 characters of [A-Za-z0-9 ._()-].
    """
    text = _window(content)
    best = ""
    for pattern in _TOKENS:
        found = [m for m in pattern.findall(text) if m not in _NO_TOKEN and not _wordy(m)]
        if found:
            best = found[-1]
            break
    best = best or next((name for name, pattern in _NAMED if pattern.search(text)), "")
    if not best:
        http = _HTTP.search(text) or _HTTP_REASON.search(text)
        exit_ = _EXIT.search(text)
        best = f"HTTP {http.group(1)}" if http else f"exit {exit_.group(1)}" if exit_ and exit_.group(1) != "1" else ""
    return best[:50]


def _infer_failed(content: str, severity: float | None, tool: str = "") -> bool:
    said = results.said_by_json(content)
    if said is not None:
        return said
    if results.only_shows(tool):
        return results.could_not_show(content)
    text = _said(_NEGATED.sub(" ", _window(content)))
    if _STRONG.search(text) or _HTTP.search(text) or _HTTP_REASON.search(text):
        return True
    if severity is not None:
        return False  # a warning, or less, by the producer's own word
    return bool(_EXIT.search(text) or _WEAK.search(text)) or results.reports_failure(text)


def _ended_in_error(content: str) -> bool:
    """Whether a program that ended well says in so many words that it failed, and nothing after it that it went well."""
    text = _said(_NEGATED.sub(" ", _window(content)))
    told = [m.end() for m in _STRONG.finditer(text)]
    return bool(told) and not _WENT_WELL.search(text, told[-1])


def infer(
    content: str,
    *,
    exit_code: int | None,
    is_error: bool | None,
    severity: str | float | None,
    kind: str,
    tells: bool = False,
    answered_no: bool = False,
    tool: str = "",
) -> FailureReading:
    """Read one observation.

    exit_code, is_error: the producer's flags; either can say "failed". severity: its name or number; at least "error"
    counts as failed unless `is_error` denies it. kind: an observation kind; what somebody says is no failure by itself.
    tells: of a command that ended with 0 (a pipe, a script without `set -e`), what it printed may still say it failed.
    answered_no: its exit code is the answer to a question (`probes.answered_no`), and only a severity makes it a failure.
    tool: name of the tool; of one that only shows something (a page, a file) the text is somebody else's.
    """
    given = severity_of(severity)
    if answered_no:
        failed = given is not None and given >= _FAILED
    elif is_error is not None or exit_code not in (None, 0):
        failed = bool(is_error) or exit_code not in (None, 0)
    elif exit_code == 0:
        failed = (given is not None and given >= _FAILED) or (tells and _ended_in_error(content))
    elif kind in _TALK:
        failed = False
    elif given is not None and given >= _FAILED:
        failed = True
    else:
        failed = _infer_failed(content, given, tool)
    if not failed:
        return FailureReading(False, "", given if given is not None else _FINE)
    token = error_token(content)
    if not token and exit_code is not None and exit_code >= 126:
        token = f"exit {exit_code}"
    return FailureReading(True, token, max(_FAILED, given or 0.0))


def error_signature(content: str) -> str:
    """The shape of a failure: its token and the line that says it, literals replaced; equal for failures of one "
    "kind."""
    text = _window(content)
    token = error_token(text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line for line in lines if _STRONG.search(line) or _WEAK.search(line) or (token and token in line)]
    line = (told or lines or [""])[-1]
    line = re.sub(r"(['\"`“「])[^'\"`”」]{1,200}(['\"`”」])", "<q>", placeholders(line[:400]))
    line = re.sub(r"\d+", "<n>", line)
    return f"{token}|{' '.join(line.lower().split())[:_SIGNATURE]}"
