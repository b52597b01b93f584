"""Secrets known by what stands around them: keys in PEM, URLs, headers, tables, Kubernetes objects.

Every finder yields (start, end, kind), works in time linear in the text, and starts with a substring test. Standard
library only.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final

from bio_agent_client.secret_budget import (
    COARSE,
    MAX_CELLS,
    MAX_PEM,
    Span,
    Words,
    budget,
)
from bio_agent_client.secret_names import (
    Strength,
    is_argument,
    is_placeholder,
    is_random,
    is_secret_value,
    is_spoken_secret,
    name_strength,
)

# ------------------------------------------------------------------------------------------------------------------ PEM

_PEM_BEGIN = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----"
)
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- END SSH2 ENCRYPTED PRIVATE KEY ----")
_PEM_BODY = re.compile(
    r"(?:[A-Za-z0-9+/=]{4,}|\\+[nrt]|[\s\"'`,>|+\\:]|(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash|MessageID): [^\n\\]{0,200}"
    r"|\d{1,4}[:|] )*"
)
_KEY_LINE_BACK = re.compile(r"[\s\"'`,>|+]*(?:\d{1,5}[:| ]\s*)?[A-Za-z0-9+/=]{8,}[\s\"'`,+\\]*")
_BASE64_RUN = re.compile(r"[A-Za-z0-9+/]{16,}")
_PEM_MAX = 32 * 1024  # characters between BEGIN and END; an 16,384-bit RSA key has 13,000


def pem(text: str) -> Iterator[Span]:
    """Private keys, also with escaped newlines, without their first or last line, or behind a decoy header."""
    if "PRIVATE KEY" not in text and "PuTTY-User-Key" not in text:
        return
    begins, ends = list(_PEM_BEGIN.finditer(text)), list(_PEM_END.finditer(text))
    if len(begins) + len(ends) > budget(MAX_PEM, text):
        yield (begins + ends)[0].start() if begins else ends[0].start(), len(text), COARSE
        return
    done, next_end = 0, 0
    for number, begin in enumerate(begins):
        if begin.start() < done:
            continue
        while next_end < len(ends) and ends[next_end].start() < begin.end():
            next_end += 1
        end = ends[next_end] if next_end < len(ends) and ends[next_end].end() - begin.end() < _PEM_MAX else None
        if end and not (number + 1 < len(begins) and begins[number + 1].start() < end.start()):
            stop = end.end()
        else:
            body = _PEM_BODY.match(text, begin.end(), begin.end() + _PEM_MAX)
            stop = begin.end() + len(body.group().rstrip()) if body else begin.end()
        if _BASE64_RUN.search(text, begin.end(), stop):
            yield begin.start(), stop, "private_key"
            done = stop
    for end in ends:
        if end.start() < done:
            continue
        start, floor = end.start(), max(done, end.start() - _PEM_MAX)
        before = text[floor:start]
        newline = "\n" if "\n" in before else "\\n"
        for line in reversed(before.split(newline)):
            if line.strip() and not _KEY_LINE_BACK.fullmatch(line):
                break
            start -= len(line) + len(newline)
        start = min(max(start + len(newline), floor), end.start())
        if start < end.start() and len(text[start : end.start()].strip()) >= 12:
            yield start, end.end(), "private_key"
        done = end.end()
    for found in re.finditer(r"Private-Lines: \d+\r?\n((?:[A-Za-z0-9+/=]{4,76}\r?\n)+)", text):
        yield found.start(1), found.end(1) - 1, "private_key"


# ----------------------------------------------------------------------------------------------------------------- URLs

_USERINFO = re.compile(r"://([^\s:/@\"'<>`]{0,128}):([^\s/\"'<>`]{1,256})@(?=[\w\[$.\-])")
_URL_TOKEN = re.compile(r"://([A-Za-z0-9_\-.~+=]{20,256})@(?=[\w\[])")
_ORACLE = re.compile(r"(?:oracle:(?:thin|oci8?):|sqlplus\s+(?:-\w+\s+)*)[^\s/@\"']{1,64}/([^\s@\"']{1,128})@")
_WEBHOOK = re.compile(r"(?i)https?://[^\s\"'<>`]{0,200}?(?:hook|webhook|/bot/v2/)[^\s\"'<>`]{0,400}")
_QUERY_KEY = re.compile(r"[?&](?:key|token|sign)=([\w\-%.]{16,256})")
_TELEGRAM = re.compile(r"(?<![\w])(?:bot)?(\d{8,11}:AA[\w\-]{30,40})(?![\w])")
_SCP_URL = re.compile(r"(?<![\w/])([\w.\-]{1,64}+):([^\s:/@\"'<>`]{6,128})@((?:[\w\-]+\.)+[\w\-]+:\d{2,5})(?![\w.])")


def urls(text: str) -> Iterator[Span]:
    """Passwords in URLs, tokens in place of a user, and the secret last segment of webhook addresses."""
    if "@" in text:
        if "://" in text:
            for found in _USERINFO.finditer(text):
                value = found[2]
                if (
                    not value.startswith(("$", "<", "{", "%("))
                    and "redacted:" not in found[0]
                    and not _docs_userinfo(value)
                ):
                    yield found.start(2), found.end(2), "url_password"
            for found in _URL_TOKEN.finditer(text):
                if is_random(found[1], 20) and "sentry" not in text[found.end() : found.end() + 60]:
                    yield found.start(1), found.end(1), "url_token"
        for found in _ORACLE.finditer(text) if "oracle:" in text or "sqlplus" in text else ():
            if not _docs_userinfo(found[1]) and not found[1].startswith(("$", "<", "{", "[redacted")):
                yield found.start(1), found.end(1), "url_password"
        for found in _SCP_URL.finditer(text):
            if is_spoken_secret(found[2], said=True):
                yield found.start(2), found.end(2), "url_password"
    if "hook" in text or "/bot/" in text:
        for found in _WEBHOOK.finditer(text):
            path_end = min(
                (i for i in (found.group().find("?"), found.group().find("#")) if i >= 0), default=len(found[0])
            )
            for segment in re.finditer(r"[^/]+", found[0][:path_end]):
                value = segment.group().rstrip(".,;:)]}")
                if segment.start() > 8 and (is_random(value) or (len(value) == 36 and value.count("-") == 4)):
                    at = found.start() + segment.start()
                    if "." not in value and not re.fullmatch(r"[A-Z0-9]{9,12}|\d+", value):
                        yield at, at + len(value), "webhook"
            for query in _QUERY_KEY.finditer(found[0], path_end):
                if is_random(query[1]) or query[1].count("-") == 4:
                    yield found.start() + query.start(1), found.start() + query.end(1), "webhook"
    if ":AA" in text:
        for found in _TELEGRAM.finditer(text):
            yield found.start(1), found.end(1), "telegram_token"


def _docs_userinfo(value: str) -> bool:
    return value.lower() in ("pass", "password", "passwd", "pwd", "secret", "token", "x-oauth-basic") or (
        is_placeholder(value) and not any(map(str.isdigit, value))
    )


# ----------------------------------------------------------------------------------------------------- headers, schemes

_SCHEMES = ("bearer", "basic", "bot", "token", "apikey", "api-key", "oauth", "negotiate", "ntlm")
# A border is asked for after the word: a pattern that begins with one is tried at every character.
_SCHEME = re.compile("(" + "|".join(rf"{word}(?<!\w{word})" for word in _SCHEMES) + r")[ \t]+([a-z0-9._~+/=\-|:]{8,})")
_SCHEME_WORDS = Words("bearer", "basic", "bot ", "token ", "apikey", "api-key", "oauth", "negotiate", "ntlm")
_COOKIE = re.compile(r"(?i)(?:\bcookies?\b[\"']?\s*[:=]\s*[\"'\[]*|\s-b\s+[\"']?|--cookie[ =][\"']?)([^\n\"']{4,2000})")
_PAIR = re.compile(r"([\w.\-]{1,64})=([^;\s,]{8,})")
_DIGEST = re.compile(r"\b(?:response|nonce|cnonce)=\"([0-9a-f]{16,64})\"")


def headers(text: str, low: str) -> Iterator[Span]:
    """Values after an authentication scheme, and cookies whose value looks drawn."""
    if _SCHEME_WORDS.within(low):
        for found in _SCHEME.finditer(low):
            scheme, value = found[1], text[found.start(2) : found.end(2)].rstrip(".:")
            if is_placeholder(value) or value.startswith("[redacted"):
                continue
            if (scheme == "basic" and _is_basic(value)) or (scheme != "basic" and _is_bearer(value, scheme)):
                yield found.start(2), found.start(2) + len(value), "authorization"
    if "ookie" in text or " -b " in text or "COOKIE" in text:
        for found in _COOKIE.finditer(text):
            for pair in _PAIR.finditer(found[1]):
                if (is_random(pair[2]) and name_strength(pair[1] + "_x") is not Strength.NONE) or is_random(
                    pair[2], 20
                ):
                    yield found.start(1) + pair.start(2), found.start(1) + pair.end(2), "cookie"
    if "digest " in low and "response=" in low:
        for found in _DIGEST.finditer(text):
            yield found.start(1), found.end(1), "authorization"


def _is_basic(value: str) -> bool:
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in plain and len(plain) >= 5 and all(byte >= 32 or byte > 127 for byte in plain)


def _is_bearer(value: str, scheme: str) -> bool:
    digits = sum(map(str.isdigit, value))
    if scheme == "bearer":
        return (digits >= 1 and len(value) >= 10) or (len(value) >= 20 and len(set(value)) >= 10 and "." not in value)
    return is_random(value, 16) and "/" not in value


# --------------------------------------------------------------------------------------------------- tables, Kubernetes

_DELIMITERS = (",", "|", "\t", ";", "  ")
_ALIGNED = re.compile(r"\S+(?: \S+)*")
_Columns = tuple[tuple[int, Strength], ...]


def tables(text: str, low: str) -> Iterator[Span]:
    """The cells under a header cell that names a secret: CSV, TSV, Markdown, psql, columns set with spaces."""
    if "\n" not in text or not any(d in text for d in _DELIMITERS):
        return
    position, columns, count, delimiter = 0, _NO_COLUMNS, 0, ""
    for number, line in enumerate(text.splitlines(keepends=True)):
        if number >= budget(MAX_CELLS, text):
            if columns:
                yield position, len(text), COARSE
            return
        cells = _split(line, delimiter) if columns else []
        if columns and len(cells) == count:
            yield from _cells(cells, position, columns)
        elif any(stem in low[position : position + min(len(line), _HEADER_CHARS)] for stem in _HEADER_STEMS):
            columns, count, delimiter = _header(line)
        else:
            columns = _NO_COLUMNS
        position += len(line)


_NO_COLUMNS: Final[_Columns] = ()
_HEADER_CHARS = 2000
_HEADER_STEMS = ("pass", "secret", "token", "key", "pwd", "\u5bc6", "\u53e3\u4ee4", "kh\u1ea9u")


def _split(line: str, delimiter: str) -> list[tuple[int, str]]:
    """The cells of a line with their places in it."""
    if delimiter == "  ":
        return [(found.start(), found.group()) for found in _ALIGNED.finditer(line)]
    out, at = [], 0
    for cell in line.split(delimiter):
        out.append((at, cell))
        at += len(cell) + 1
    return out


def _header(line: str) -> tuple[_Columns, int, str]:
    if len(line) <= _HEADER_CHARS:
        for delimiter in _DELIMITERS:
            cells = _split(line, delimiter) if delimiter in line else []
            names = [cell.strip(" \r\n\"'`*") for _, cell in cells]
            if len(cells) < 2 or any(len(n) > 40 or not re.fullmatch(r"[\w .\-/()#]*", n) for n in names):
                continue
            found = tuple((at, strength) for at, n in enumerate(names) if (strength := _column(n)) > Strength.WEAK)
            if found:
                return found, len(cells), delimiter
    return _NO_COLUMNS, 0, ""


def _column(name: str) -> Strength:
    if "\u5bc6\u7801" in name or "\u53e3\u4ee4" in name or name.lower() == "m\u1eadt kh\u1ea9u":
        return Strength.PASSWORD
    return name_strength(name) if name.count(" ") <= 1 else Strength.NONE


def _cells(cells: list[tuple[int, str]], position: int, columns: _Columns) -> Iterator[Span]:
    for number, strength in columns:
        at, cell = cells[number]
        value = cell.strip(" \r\n\"'`")
        if is_secret_value(value, strength, quoted=True, env=True):
            start = position + at + cell.find(value)
            yield start, start + len(value), strength.name.lower()


_KUBERNETES = re.compile(r"[\"']?kind[\"']?\s*:\s*[\"']?(?:Sealed)?Secret\b")
_DATA_BLOCK = re.compile(r"^([ \t]*)(?:data|stringData):[ \t]*\n((?:\1[ \t]+[^\n]*\n?)+)", re.MULTILINE)
_DATA_LINE = re.compile(r"^[ \t]+[\w.\-]+:[ \t]*[\"']?([^\s\"'#][^\s\"']{3,})", re.MULTILINE)
_DATA_JSON = re.compile(r"\\?\"(?:data|stringData)\\?\"\s*:\s*\{([^{}]{0,20000})\}")
_DATA_JSON_ITEM = re.compile(r":\s*\\?\"([^\"\\]{4,})\\?\"")
_CRYPT = re.compile(
    r"(?<![\w$])(?:\$(?:1|5|6|y|7|2[abxy]|argon2(?:id|i|d)|apr1|pbkdf2(?:-sha\d+)?|scrypt)\$[A-Za-z0-9./$,=+\-]{20,})"
)
_PGPASS = re.compile(r"^[\w.\-*]{1,128}:(?:\d{1,5}|\*):[\w.\-*]{1,64}:[\w.\-*]{1,64}:(\S{3,128})$", re.MULTILINE)


def objects(text: str) -> Iterator[Span]:
    """Values of Kubernetes Secrets, crypt(3) hashes, lines of a .pgpass file."""
    if "Secret" in text and "ata" in text and _KUBERNETES.search(text):
        for block in _DATA_BLOCK.finditer(text):
            for line in _DATA_LINE.finditer(text, block.start(2), block.end(2)):
                yield line.start(1), line.end(1), "kubernetes_secret"
        for block in _DATA_JSON.finditer(text):
            for item in _DATA_JSON_ITEM.finditer(text, block.start(1), block.end(1)):
                yield item.start(1), item.end(1), "kubernetes_secret"
    if "$" in text:
        for found in _CRYPT.finditer(text):
            yield found.start(), found.end(), "password_hash"
    if text.count(":") >= 4:
        for found in _PGPASS.finditer(text):
            if is_argument(found[1]):
                yield found.start(1), found.end(1), "password"
