"""What Postgres, JSON or a terminal chokes on, removed; and long text cut to a size. Standard library only.

The same functions run in the client, at intake and on model replies. Ordinary text costs one character-class search.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

CUT_LIMIT_BYTES = 32 * 1024
"""Bytes of UTF-8 a content is cut to in the client; enough for head, tail and errors of any tool's output."""
MAX_DEPTH = 32
"""Levels of nesting kept in JSON; Postgres' jsonb parser recurses and fails at a few thousand."""
MAX_KEY_CHARS = 256
"""Characters of a JSON key; longer ones are not names but data."""
MAX_NODES = 10_000
"""Values kept in one JSON object; bounds the work done on wide or cyclic input."""
MAX_INT_BITS = 1024
"""Larger integers do not fit a double and Python refuses to print those of more than 4,300 digits."""

# C0 without tab and newline, DEL, C1, Arabic letter mark, LRM/RLM, bidi embeddings and isolates, BOM, surrogates, and
# the invisible tag characters that smuggle ASCII past a reader.
_SUSPICIOUS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
_FRAME_START = re.compile("(?:\x1b\\[|\x9b)(?:2K|1?G)")  # erase the line, go to column 1: a new frame of a progress bar
_ANSI = re.compile(
    "\x1b\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\)?"  # OSC (titles, links); an unterminated one ends with its line
    "|\x1b[PX^_][^\x1b\n]*(?:\x1b\\\\)?"  # DCS, SOS, PM, APC
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI, also one that was cut off
    "|\x1b[ -/]*[0-~]?"
)
_OVERSTRIKE = re.compile("[^\n\x08]\x08")
_NEWLINES = re.compile("\r+\n|[\x0b\x0c\x85]")
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_CR_LINE = re.compile("[^\n]*\r[^\n]*")
_TOO_DEEP = f"[cut: nested deeper than {MAX_DEPTH} levels]"
_TOO_MANY = f"[cut: more than {MAX_NODES} values]"


def _join_pair(match: re.Match[str]) -> str:
    pair = match.group()
    high, low = pair[0], pair[1]
    return chr(0x10000 + ((ord(high) - 0xD800) << 10) + (ord(low) - 0xDC00))


def _last_frame(match: re.Match[str]) -> str:
    """The last non-empty frame of a line that carriage returns rewrote."""
    return next((frame for frame in reversed(match.group().split("\r")) if frame.strip()), "")


def clean_text(text: str) -> str:
    """`text` without controls, escape sequences, bidi marks and lone surrogates; rewritten lines keep the last frame.

    Idempotent. Tabs and newlines stay; CRLF becomes LF; a lone surrogate becomes U+FFFD; emoji joiners stay.
    """
    if not _SUSPICIOUS.search(text):
        return text
    if "\x1b" in text or "\x9b" in text:
        text = _ANSI.sub("", _FRAME_START.sub("\r", text))
    text = _NEWLINES.sub("\n", text)
    if "\r" in text:
        text = _CR_LINE.sub(_last_frame, text)
    if "\x08" in text:
        text = _OVERSTRIKE.sub("", text)
    if not text.isascii():
        text = _LONE_SURROGATE.sub("\ufffd", _SURROGATE_PAIR.sub(_join_pair, text))
    return _SUSPICIOUS.sub("", text)


def clean_json(value: Any, *, max_depth: int = MAX_DEPTH) -> Any:
    """`value` as plain JSON types that every parser and Postgres take: see the constants for the bounds.

    NaN, infinities and integers beyond a double become null; other types become their text; two keys that clean to
    the same name are both kept (the second as `name~2`). Never raises, also on cyclic input.
    """
    return _clean(value, max_depth, [MAX_NODES])


def _clean(value: Any, depth: int, left: list[int]) -> Any:
    if type(value) is str:
        return value if value.isascii() and value.isprintable() else clean_text(value)
    if isinstance(value, str):
        return clean_text(str.__str__(value))
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if value.bit_length() <= MAX_INT_BITS else None
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    left[0] -= 1
    if left[0] <= 0:
        return _TOO_MANY
    if isinstance(value, Mapping):
        return _clean_mapping(value, depth, left)
    if isinstance(value, (list, tuple, set, frozenset)):
        return _clean_list(value, depth, left)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return clean_text(bytes(value).decode("utf-8", "replace"))
    try:
        return clean_text(str(value))
    except Exception:  # a foreign object's __str__ may do anything; an observation is not lost for it
        return f"[{type(value).__name__}]"


def _clean_mapping(value: Mapping[Any, Any], depth: int, left: list[int]) -> Any:
    if depth <= 0:
        return _TOO_DEEP
    out: dict[str, Any] = {}
    for raw, item in value.items():
        if left[0] <= 0:
            out[_TOO_MANY] = None
            break
        left[0] -= 1
        key = clean_text(raw if isinstance(raw, str) else str(raw))
        if len(key) > MAX_KEY_CHARS:
            key = key[: MAX_KEY_CHARS - 1] + "…"
        if key in out:
            number = 2
            while f"{key}~{number}" in out:
                number += 1
            key = f"{key}~{number}"
        out[key] = _clean(item, depth - 1, left)
    return out


def _clean_list(value: Any, depth: int, left: list[int]) -> Any:
    if depth <= 0:
        return _TOO_DEEP
    out = []
    for item in value:
        if left[0] <= 0:
            out.append(_TOO_MANY)
            break
        left[0] -= 1
        out.append(_clean(item, depth - 1, left))
    return out


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def compact(value: Any) -> str:
    """`value` as compact JSON text. Raises ValueError on NaN: clean first."""
    return _encode(value)


# ------------------------------------------------------------------------------------------------------------- cutting

_ERROR_LINE = re.compile(
    r"error|Error|ERROR|fail|Fail|FAIL|exception|Exception|Traceback|fatal|Fatal|FATAL|panic|denied|Denied|refused"
    r"|not found|undefined|Killed|CRITICAL|错误|失败|异常|lỗi|Lỗi|thất bại"
)
_CONTEXT_LINES = 2  # lines kept on each side of an error line: the statement before, the cause after
_LONG_LINE_BYTES = 600  # of a line kept for its error; longer ones are dumps
_MARK_BYTES = 48  # room for one mark


def _mark(cut_bytes: int) -> str:
    return f"[… {cut_bytes} bytes cut …]"


def _head(data: bytes, size: int) -> bytes:
    """At most `size` bytes, ending at a line or word where one is near, never inside a character."""
    piece = data[:size]
    for sep in (b"\n", b" "):
        at = piece.rfind(sep, max(0, len(piece) - 512))
        if at > 0:
            return piece[: at + 1]
    return piece.decode("utf-8", "ignore").encode()


def _tail(data: bytes, size: int) -> bytes:
    piece = data[len(data) - size :]
    for sep in (b"\n", b" "):
        at = piece.find(sep, 0, 512)
        if 0 <= at < len(piece) - 1:
            return piece[at + 1 :]
    return piece.decode("utf-8", "ignore").encode()


def _error_windows(middle: bytes, budget: int) -> list[tuple[int, int]]:
    """Byte ranges of the lines around errors, in order, within `budget` bytes and without overlap."""
    windows: list[tuple[int, int]] = []
    text = middle.decode("utf-8", "ignore")
    ascii_only = len(text) == len(middle)
    position = 0
    while budget > _MARK_BYTES and (found := _ERROR_LINE.search(text, position)):
        at = found.start() if ascii_only else len(text[: found.start()].encode())
        start = end = at
        for _ in range(_CONTEXT_LINES + 1):
            start = max(middle.rfind(b"\n", max(0, start - _LONG_LINE_BYTES), max(0, start - 1)) + 1, 0) or max(
                0, start - _LONG_LINE_BYTES
            )
            end = middle.find(b"\n", end + 1, end + _LONG_LINE_BYTES)
            if end < 0:
                end = min(len(middle), at + _LONG_LINE_BYTES)
                break
        if windows:
            start = max(start, windows[-1][1])
        end = min(end, start + budget - _MARK_BYTES)
        if end > start:
            windows.append((start, end))
            budget -= end - start + _MARK_BYTES
        position = max(found.end(), end if ascii_only else len(middle[:end].decode("utf-8", "ignore")))
    return windows


def cut(content: str, limit: int = CUT_LIMIT_BYTES) -> str:
    """`content` within `limit` bytes of UTF-8: head, tail and the lines around errors, a mark where something went.

    limit: at least 256 bytes. Content that fits is returned as it is; so cutting twice changes nothing.
    """
    if len(content) * 4 <= limit:
        return content
    data = content.encode("utf-8", "replace")
    if len(data) <= limit:
        return content
    limit = max(limit, 256)
    side = (limit - 2 * _MARK_BYTES) * 35 // 100
    head, tail = _head(data, side), _tail(data, side)
    middle = data[len(head) : len(data) - len(tail)]
    parts, at = [head.decode("utf-8", "ignore").rstrip("\n")], 0
    for start, end in _error_windows(middle, limit - len(head) - len(tail) - 2 * _MARK_BYTES):
        if start > at:
            parts.append(_mark(start - at))
        parts.append(middle[start:end].decode("utf-8", "ignore").strip("\n"))
        at = end
    if len(middle) > at:
        parts.append(_mark(len(middle) - at))
    parts.append(tail.decode("utf-8", "ignore"))
    return "\n".join(parts)
