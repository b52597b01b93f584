"""Secrets out of text and JSON, before anything leaves the process. Standard library only.

`redact` replaces each secret by a typed mark such as `[redacted:aws_access_key]`. Three mechanisms meet here: forms that
vendors publish (secret_vendors), names that say what follows (secret_names), and what stands around a value
(secret_context). All run in time linear in the text; ordinary text pays a few substring tests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import islice
from typing import Any, Final

from bio_agent_client import secret_context as context
from bio_agent_client.clean import CUT_LIMIT_BYTES, cut
from bio_agent_client.observation import Observation, parse
from bio_agent_client.secret_budget import COARSE, Span, any_of, budget
from bio_agent_client.secret_commands import command_lines
from bio_agent_client.secret_names import Strength, is_secret_value, is_spoken_secret, name_strength
from bio_agent_client.secret_sentences import names_another, sentences
from bio_agent_client.secret_vendors import JWT, prefixed_at, vendor_at
from bio_agent_client.secret_wrapped import broken, encoded

__all__ = ["prepare", "redact", "redact_json", "redact_observation", "spans"]

# Any of these makes a closer look worth its cost. Lower case. Where a short word is common, what must follow is given.
_GATES: Final = (
    "secret", "token", "key", "auth", "cred", "cookie", "://", "bearer", "basic ", "private", "signature", "psk",
    "hook", "phrase", "mnemonic", "pwd", "jwt", "login", "identified", "stdin", " code ", "otp", "@", "senha", "hmac",
    "salt", "seed", " words", "mot de passe", "/p:", "/user:", " -p", " -u", " -w", " -a", " -b", " -k", "sig=", "sig:",
    'sig"', "sign=", "sign:", "sid=", "sid:", 'sid"', " pin", "pin ", "pin:", "pin=", "pat=", "pat:", "pat'", 'pat"', "pat ",
    "pw=", "pw:", "pw ", 'pw"', "_pw", "mk ", "mk:", "mk=", "$1$", "$2", "$5$", "$6$", "$7$", "$y$", "$argon", "$apr1",
    "$scrypt", "$pbkdf", ":5432:", ":3306:", ":*:",
)  # fmt: skip
_WIDE_GATES: Final = (
    "khẩu", "mã ", "khoá", "khóa", "密", "口令", "令牌", "凭", "授权码", "验证码", "动态码", "暗号", "助记词", "恢复词",
    "contraseña", "парол", "パスワード", "비밀번호", "金鑰", "khôi phục",
)  # fmt: skip
_FORMS_FROM: Final = 16  # characters of the shortest credential known by its form alone


_WIDE_GATE = re.compile(any_of(_WIDE_GATES))
_GATE = re.compile(any_of(_GATES)[3:-1] + "|pass(?!ed|es|ing|ive|age|port|eng)")


_SIXTEEN = re.compile(r"\S{16}")  # no shorter value under a session's name is taken for a secret


def _named_gate(low: str) -> bool:
    if _GATE.search(low) or ("sess" in low and (_SIXTEEN.search(low) or _JOIN.search(low))):
        return True
    return not low.isascii() and _WIDE_GATE.search(low) is not None


_LONG = re.compile(r"[A-Za-z0-9_\-.~]{16,}")
_BODY_WORDS = re.compile(r"(?i)example|placeholder|redacted|your|xxxx|dummy|0000000|changeme")
_ASSIGNED = re.compile(r"[A-Z][A-Z0-9_]{3,40}=[\"']?$")  # a variable's value: no example, however monotonous
_JOIN = re.compile(
    r"\\\r?\n[ \t]*|([\"'])[ \t]*(?:\+[ \t]*\\?(?:\r?\n)?[ \t]*|\.[ \t]*(?:\r?\n)?[ \t]*|\\?\r?\n[ \t]+)\1"
)
_STEMS = any_of((
    "pass", "pwd", "secret", "token", "key", "auth", "cred", "cookie", "sess", "sid", "psk", "sig", "mnemonic", "jwt", "bearer",
    "hmac", "salt", "seed", "pat", "code", "webhook", "pw", "senha", "contrase", "sas", "psswd", "pswd", "totp", "pin",
    "密码", "口令", "密钥", "秘钥", "令牌", "mật khẩu",
))  # fmt: skip
_CLOSE = r"(?:\\{0,7}[\"'`]|[\])]){0,4}"
_ASSIGN = re.compile(
    _STEMS + r"[\w\-.]{0,32}+(?:"
    rf"(?P<eq>{_CLOSE}[ \t]{{0,40}}(?::=|=>|==?|:(?!:)|：|%3[ad])[ \t]{{0,40}})"
    r"|(?P<pair>\\?[\"']\s{0,8},?\s{0,8}\\?[\"']?value\\?[\"']?\s{0,4}[:=]\s{0,4})"
    r"|(?P<cell>\\?[\"'`]?[ \t]{0,40}[,|\t][ \t]{0,40})"
    r"|(?P<xml>>)"
    r"|(?P<space>[ \t]{1,4}(?=[\"'])))"
    r"(?=[^\s])"
)
_IDENT: Final = "abcdefghijklmnopqrstuvwxyz0123456789_-."
_BARE = re.compile(r"[^\s<>`|，。；、）（「」]+")
_NAME_VALUE = re.compile(r",\s*[\w\-\"']+\s*[=:]|[,;)}\]]+$")
_SCHEMES = re.compile(r"(?i)(?:bearer|basic|token|bot|apikey|digest)[ \t]+")
_MAX_JUDGED = 3_000  # named values looked at one by one in one text; each costs about 10 µs
_MAX_JOINTS = 300  # joints of lines and literals that are looked across in one text
_AROUND_JOINT = 200  # characters on each side of a joint that are read as one
_MAX_RUNS = 60_000  # long runs of token characters looked at in one text
_MAX_JUDGED_CHARS = 96  # of a value that decide whether it is a secret
_MAX_BARE = 1024  # characters of a value without quotes
_MAX_VALUE = 4096  # characters of one in quotes


def _lower(text: str) -> str:
    low = text.lower()
    if len(low) == len(text):
        return low
    return "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def spans(text: str) -> list[Span]:
    """Where the secrets of `text` are: (start, end, kind), in order, without overlap."""
    if len(text) < 8 or (len(text) < _FORMS_FROM and text.isidentifier()):
        return []
    low = _lower(text)
    named = _named_gate(low)
    long = _LONG.search(text)
    if not named and not long:
        return []
    found = _bounded(text, _find(text, low, named, bool(long)))
    if ("'" in text or '"' in text or "\\" in text) and _JOIN.search(text):
        found += _joined(text)
    if long:
        found += [*broken(text), *encoded(text, spans)]
    return _merge(found) if found else []


_MAX_COARSE = 10_000  # words taken out one by one under the coarse rule; what follows them goes as a whole
_COARSE_WORD = re.compile(r"(?<![!-~])(?=[!-~]*?\d)(?=[!-~]*?[A-Za-z])[!-~]{8,}")


def _bounded(text: str, finders: Iterator[Span]) -> list[Span]:
    """The spans found. Where a finder's budget ended, every word with a letter and a digit goes: a text with thousands
    of passwords is no text, and time stays bounded without letting any of them through."""
    out, coarse_from = [], len(text)
    for span in finders:
        if span[2] == COARSE:
            coarse_from = min(coarse_from, span[0])
        else:
            out.append(span)
    if coarse_from < len(text):
        limit = len(out) + _MAX_COARSE
        for found in _COARSE_WORD.finditer(text[coarse_from:]):
            if len(out) > limit:
                out.append((coarse_from + found.start(), len(text), "unsorted"))
                break
            out.append((coarse_from + found.start(), coarse_from + found.end(), "unsorted"))
    return out


def _find(text: str, low: str, named: bool, long: bool) -> Iterator[Span]:
    if long:
        yield from _shapes(text)
    if not named:
        if "eyj" in low or "@" in low or ":AA" in text:
            yield from context.urls(text)
        return
    yield from context.pem(text)
    yield from context.urls(text)
    yield from context.headers(text, low)
    yield from _named(text, low)
    yield from command_lines(text, low)
    yield from context.objects(text)
    yield from sentences(text, low)
    yield from context.tables(text, low)


def _shapes(text: str) -> Iterator[Span]:
    """Credentials known by their own form."""
    done, limit = 0, budget(_MAX_RUNS, text)
    for number, run in enumerate(_LONG.finditer(text)):
        if number >= limit:
            yield run.start(), len(text), COARSE
            return
        start = run.start()
        if start < done:
            continue
        before = text[start - 1] if start else ""
        if before == "\\" and text[start] in "nrt":  # the n of an escaped newline
            start += 1
        elif before == "%" and len(run.group()) > 18:
            start += 2
        if text.startswith("eyJ", start) and (jwt := JWT.match(text, start)):
            yield start, jwt.end(), "jwt"
            done = jwt.end()
            continue
        if hit := vendor_at(text, start):
            end, kind = hit
            body = text[start:end]
            varied = len(set(body)) >= 8 or _ASSIGNED.search(text, max(0, start - 48), start) is not None
            if not _BODY_WORDS.search(body) and varied and before != "^":
                yield start, end, kind
                done = end
        elif end_at := prefixed_at(text, start):
            if not _BODY_WORDS.search(text, start, end_at):
                yield start, end_at, "token"
                done = end_at


def _named(text: str, low: str) -> Iterator[Span]:
    """Values under a name that says they are secret."""
    limit = budget(_MAX_JUDGED, text)
    for number, hit in enumerate(_ASSIGN.finditer(low)):
        if number >= limit:
            yield hit.start(), len(text), COARSE
            return
        left = low[max(0, hit.start() - 48) : hit.start()]
        begin = hit.start() - (len(left) - len(left.rstrip(_IDENT)))
        separator = hit.lastgroup or "eq"
        name = text[begin : hit.start(separator)]
        strength = name_strength(name)
        if strength is Strength.NONE and name.isascii():
            continue
        if name.lower() in ("key", "token", "keys") and names_another(low, begin):
            continue
        if not name.isascii():
            strength = Strength.PASSWORD
        span = _value(text, hit.end(), separator, begin)
        if span is None:
            continue
        start, end, quoted = span
        if _judge(text, begin, start, end, name, strength, separator, quoted):
            yield start, end, strength.name.lower() if strength is not Strength.WEAK else "secret"


def _judge(
    text: str, begin: int, start: int, end: int, name: str, strength: Strength, separator: str, quoted: bool
) -> bool:
    value = text[start : min(end, start + _MAX_JUDGED_CHARS)]
    env = separator == "eq" and text[start - 1] in "=\"'" and name.replace("_", "").isupper()
    if separator == "space" and strength is not Strength.PASSWORD:
        return False
    if separator == "cell":
        return is_secret_value(value, strength, quoted=True, env=False) and is_spoken_secret(value, said=True)
    return is_secret_value(value, strength, quoted=quoted or separator in ("pair", "xml"), env=env)


def _value(text: str, at: int, separator: str, begin: int) -> tuple[int, int, bool] | None:
    """(start, end, quoted) of the value at `at`."""
    if scheme := _SCHEMES.match(text, at):
        at = scheme.end()
    escapes = at
    while escapes < len(text) and text[escapes] == "\\" and escapes - at < 7:
        escapes += 1
    if text[escapes : escapes + 1] in ('"', "'", "`") and text[escapes : escapes + 1]:
        return _quoted(text, at, escapes)
    if text[at : at + 1] in ("[", "(", "{") and text[at + 1 : at + 2] in ('"', "'"):
        return _quoted(text, at + 1, at + 1)  # ["Bearer …"]
    bare = _BARE.match(text, at, at + _MAX_BARE)
    if not bare:
        return None
    value = bare.group()
    for char in "\"'":
        if (cut_at := value.find(char)) >= 0:
            value = value[:cut_at]
    if begin and text[begin - 1] in "?&" and (cut_at := value.find("&")) >= 0:
        value = value[:cut_at]
    if (cut_at := value.find(";")) >= 0:
        value = value[:cut_at]
    if (cut_at := value.find("&")) >= 0 and "=" in value[cut_at:]:
        value = value[:cut_at]
    if (more := _NAME_VALUE.search(value)) and not value.startswith(("$", "{", "[")):
        value = value[: more.start()]
    value = value.rstrip("\\,")
    for opener, closer in ("()", "[]", "{}"):
        while value.endswith(closer) and value.count(closer) > value.count(opener):
            value = value[:-1]
    return (at, at + len(value), False) if value else None


def _quoted(text: str, at: int, quote_at: int) -> tuple[int, int, bool]:
    opener = text[at : quote_at + 1]  # one quote, or backslashes and a quote
    start = quote_at + 1
    limit = min(len(text), start + _MAX_VALUE)
    end = text.find(opener, start, limit)
    while end > 0 and len(opener) == 1 and text[end - 1] == "\\" and text[end - 2] != "\\":
        end = text.find(opener, end + 1, limit)
    line = text.find("\n", start, limit)
    if end < 0 or 0 <= line < end:
        end = line if line >= 0 else limit
    if scheme := _SCHEMES.match(text, start, end):
        start = scheme.end()
    return start, end, True


def _joined(text: str) -> list[Span]:
    """Secrets split over lines or string literals: found in the text without the joints, given in the text's places."""
    pieces: list[str] = []
    starts: list[tuple[int, int]] = []  # (place in the joined text, what to add to get the place in the text)
    length = last = until = 0

    def take(start: int, end: int) -> None:
        nonlocal length
        if end > start:
            starts.append((length, start - length))
            pieces.append(text[start:end])
            length += end - start

    for joint in islice(_JOIN.finditer(text), _MAX_JOINTS):
        if joint.start() - _AROUND_JOINT > until:  # far from the joint before: a new neighbourhood on its own line
            take(last, until)
            pieces.append("\n")
            length += 1
            last = joint.start() - _AROUND_JOINT
        take(last, joint.start())
        last, until = joint.end(), min(len(text), joint.end() + _AROUND_JOINT)
    take(last, until)
    joined = "".join(pieces)
    low = _lower(joined)
    out: list[Span] = []
    found = sorted(_bounded(joined, _find(joined, low, True, True)))
    at = 0
    for start, end, kind in found:
        while at + 1 < len(starts) and starts[at + 1][0] <= start:
            at += 1
        stop = at
        while stop + 1 < len(starts) and starts[stop + 1][0] < end:
            stop += 1
        if stop > at:  # the others were found in the text itself
            out.append((start + starts[at][1], end + starts[stop][1], kind))
    return out


def _merge(found: list[Span]) -> list[Span]:
    """Overlapping spans become one, under the kind of the one found first."""
    order = sorted(range(len(found)), key=lambda i: (found[i][0], -found[i][1]))
    out: list[Span] = []
    ranks: list[int] = []
    for i in order:
        start, end, kind = found[i]
        if end <= start:
            continue
        if out and start < out[-1][1]:
            if end > out[-1][1] or i < ranks[-1]:
                out[-1] = (out[-1][0], max(end, out[-1][1]), kind if i < ranks[-1] else out[-1][2])
                ranks[-1] = min(ranks[-1], i)
        else:
            out.append((start, end, kind))
            ranks.append(i)
    return out


def redact(text: str) -> str:
    """`text` with each secret replaced by `[redacted:<kind>]`. Redacting twice changes nothing more."""
    found = spans(text)
    if not found:
        return text
    parts: list[str] = []
    last = 0
    for start, end, kind in found:
        if text.startswith("[redacted:", start):
            continue
        parts += (text[last:start], f"[redacted:{kind}]")
        last = end
    parts.append(text[last:])
    return "".join(parts)


def redact_json(obj: Any) -> Any:
    """`obj` (plain JSON types) with the secrets of its strings replaced; keys and the first of two strings name the
    other (`{"password": "…"}`, `["authorization", "Bearer …"]`, `{"name": "X_TOKEN", "value": "…"}`)."""
    if isinstance(obj, str):
        return redact(obj)
    if isinstance(obj, Mapping):
        label = obj.get("name") or obj.get("key") or obj.get("header")
        strength = name_strength(label) if isinstance(label, str) and "value" in obj else Strength.NONE
        out = {}
        for key, item in obj.items():
            if isinstance(item, str):
                name = (
                    strength if key == "value" and strength else name_strength(key) if len(key) >= 2 else Strength.NONE
                )
                item = _under(item, name)
            elif isinstance(item, (list, tuple)) and item and all(isinstance(each, str) for each in item):
                name = name_strength(key)
                item = [_under(each, name) for each in item] if name else redact_json(item)
            else:
                item = redact_json(item)
            out[redact(key) if len(key) >= 16 else key] = item
        return out
    if isinstance(obj, (list, tuple)):
        if len(obj) == 2 and isinstance(obj[0], str) and isinstance(obj[1], str) and len(obj[0]) <= 64:
            return [obj[0], _under(obj[1], name_strength(obj[0]))]
        return [redact_json(item) for item in obj]
    return obj


def _under(value: str, strength: Strength) -> str:
    """A string that stands under a name of that strength."""
    if strength:
        scheme = _SCHEMES.match(value)
        bare = value[scheme.end() :] if scheme else value
        if is_secret_value(bare, strength, quoted=True, env=False):
            return f"{value[: scheme.end()] if scheme else ''}[redacted:{strength.name.lower()}]"
    return redact(value)


# --------------------------------------------------------------------------------------------------------- observations

_FIRST_CUT: Final = 2  # times the limit; bounds the time of redaction and leaves room to choose what is kept
_HUGE_CHARS: Final = (
    1024 * 1024
)  # beyond this even the search for error lines is slow: only head and tail are looked at
_HALF_WORD: Final = re.compile(r"(?<!\S)\S{16,}+(\n\[… \d+ bytes cut …\]\n)|(?<=bytes cut …\]\n)\S{16,}")
_TEXT_FIELDS: Final = ("origin", "cwd", "task", "goal", "source", "speaker")
_NAMES: Final = tuple(f.name for f in fields(Observation))


def first_cut(content: str, limit_bytes: int = CUT_LIMIT_BYTES) -> str:
    """`content` within twice the limit, for what is far larger: before redaction, so that redaction keeps its time.

    The words at the cuts go: a half of a secret would not be known as one.
    """
    if len(content) <= _FIRST_CUT * limit_bytes:
        return content
    if len(content) > _HUGE_CHARS:
        half = _HUGE_CHARS // 2
        content = f"{content[:half]}\n[… {len(content) - 2 * half} bytes cut …]\n{content[-half:]}"
    return _HALF_WORD.sub(r"\1", cut(content, _FIRST_CUT * limit_bytes))


def redact_observation(obs: Observation, *, limit_bytes: int = CUT_LIMIT_BYTES) -> Observation:
    """`obs` without secrets in any text, its content cut to `limit_bytes` of UTF-8. The same object if nothing changed.

    Redaction comes before the cut, so that no secret is split by it and stays. Only what is far larger is cut first, to
    a multiple of the limit and between words; the words at those cuts go, they may be halves.
    """
    changed: dict[str, Any] = {}
    content = cut(redact(first_cut(obs.content, limit_bytes)), limit_bytes)
    if content is not obs.content:
        changed["content"] = content
    if obs.tool_input is not None:
        tool_input = _cut_strings(redact_json(obs.tool_input), limit_bytes)
        if tool_input != obs.tool_input:
            changed["tool_input"] = tool_input
    if obs.metadata:
        metadata = redact_json(obs.metadata)
        if metadata != obs.metadata:
            changed["metadata"] = metadata
    for name in _TEXT_FIELDS:
        value = getattr(obs, name)
        if len(value) >= 8 and (clean := redact(value)) is not value:
            changed[name] = clean
    from bio_agent_client.names import clean_names  # the two modules need each other

    if not changed:
        return clean_names(obs)
    return clean_names(Observation(**{name: changed.get(name, getattr(obs, name)) for name in _NAMES}))


def _cut_strings(value: Any, limit: int) -> Any:
    if isinstance(value, str):
        return cut(value, limit)
    if isinstance(value, dict):
        return {key: _cut_strings(item, limit) for key, item in value.items()}
    if isinstance(value, list):
        return [_cut_strings(item, limit) for item in value]
    return value


def prepare(obj: Mapping[str, Any], **options: Any) -> Observation:
    """`parse` (its options), then secrets out and content cut: what may leave the process. Raises Refused."""
    return redact_observation(parse(obj, **options))
