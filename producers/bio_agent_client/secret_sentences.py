"""Secrets told in a sentence, in English, Chinese, Vietnamese and a few more. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from bio_agent_client.secret_budget import (
    COARSE,
    MAX_SEEDS,
    MAX_SPOKEN,
    Span,
    Words,
    budget,
)
from bio_agent_client.secret_names import (
    Strength,
    is_random,
    is_secret_value,
    is_spoken_secret,
)

_STARTS = (
    "pass",
    "pwd",
    "cred",
    "login",
    "pin",
    "secret",
    "token",
    "key",
    "mk",
    "kho",
    "contrase",
    "mot de passe",
    "senha",
)
_WIDE_STARTS = (
    "mật", "mã ", "khó", "密", "口令", "秘钥", "令牌", "凭", "授权码", "暗号", "金鑰", "парол", "パスワード", "비밀번호",
)  # fmt: skip
_SPOKEN_STARTS = Words(*_STARTS)
_SPOKEN_STARTS_ANYWHERE = Words(*_STARTS, *_WIDE_STARTS)
_SPOKEN = re.compile(
    r"(?:passwords?|passphrase|passcode|passwd|pwd|pass|creds?|credentials?|login|pin|secret|token|key)(?:'s)?(?![\w\-=])"
    r"|m\u1eadt kh\u1ea9u|m\u00e3 (?:api|b\u00ed m\u1eadt|truy c\u1eadp|kho\u00e1|kh\u00f3a|x\u00e1c th\u1ef1c|token|pin)|kho[\u00e1]|kh\u00f3a|mk(?!\w)"
    r"|\u5bc6\u7801|\u53e3\u4ee4|\u5bc6\u94a5|\u79d8\u94a5|\u4ee4\u724c|\u51ed\u8bc1|\u51ed\u636e|\u6388\u6743\u7801|\u6697\u53f7|\u5bc6\u78bc|\u91d1\u9470"
    r"|contrase\u00f1a|mot de passe|passwort|senha|\u043f\u0430\u0440\u043e\u043b\u044c|\u30d1\u30b9\u30ef\u30fc\u30c9|\ube44\ubc00\ubc88\ud638"
)
_MACHINE_WORD = ("secret", "token", "key", "kh", "m\u00e3", "\u5bc6\u94a5", "\u79d8\u94a5", "\u4ee4\u724c", "\u51ed")
_WINDOW_CHARS = 110  # after the word; a secret further away belongs to another thought
_STOP_AT = re.compile(r"[\n{}|<>]|\",|\":|; ")
_TOKEN = re.compile(r"[!-~]+")
_WORTH_READING = re.compile(
    r"[\"'`]|(?<![!-~])(?=[!-~]*\d)[!-~]{6}"
)  # every secret told has a digit, or stands in quotes
_SAID = re.compile(
    r"(?:[:\uff1a=\u2192]|'s|\b(?:is|was|are|to|as|l\u00e0|th\u00e0nh|es|ist|est|use|try)|\u662f|\u4e3a|\u6210|\u505a|\u7528|\u4e86|->|=>)[ \t\"'`\u300c\u201c(]*$"
)
_KEY_OF = re.compile(r"([\w\-]+)[ \t]+$")
_NOT_OF = frozenset(
    """
    sort primary foreign cache idempotency dedup partition object index row lock map public unique group shard routing
    by s3 redis wrapping cursor lookup order message config column unexpected invalid next eos pad bos stop commit
    host gpg apt pgp
    """.split()  # noqa: SIM905 - a list of this length would fill a screen
)
_OTP_WORDS = Words(" code", "otp", "pin", "\u9a8c\u8bc1\u7801", "\u52a8\u6001\u7801", "m\u00e3 x\u00e1c")
_SEED_NAMES = Words("phrase", "mnemonic", " words", "kh\u00f4i ph\u1ee5c", "\u52a9\u8bb0\u8bcd", "\u6062\u590d\u8bcd")
_OTP = re.compile(
    r"(?:otp\b|one-time (?:code|password)|(?:verification|2fa|login|security) code|recovery code|m\u00e3 otp|m\u00e3 x\u00e1c (?:nh\u1eadn|th\u1ef1c)"
    r"|\u9a8c\u8bc1\u7801|\u52a8\u6001\u7801|pin\b(?: code)?|m\u00e3 pin)[^\w\n]{0,4}(?:is|l\u00e0|\u662f|\u4e3a|code)?[^\w\n]{0,3}(\d{4,8})(?![\w.:\-/])"
)
_SEED = re.compile(
    r"(?:seed|recovery|mnemonic|backup|secret)(?: phrase| words?)|mnemonic|kh\u00f4i ph\u1ee5c|\u52a9\u8bb0\u8bcd|\u6062\u590d\u8bcd|12 words|24 words"
)
_SEED_WORDS = re.compile(
    r"(?<![\w])(?:(?:\d{1,2}[.)] ?)?[a-z]{3,10}[ ,]{1,3}){11,23}(?:\d{1,2}[.)] ?)?[a-z]{3,10}(?![\w])"
)
_QUOTED = re.compile(r"[\"\u201c\u300c'`]([^\"\u201d\u300d'`\n]{6,128})[\"\u201d\u300d'`]")


def sentences(text: str, low: str) -> Iterator[Span]:
    """Secrets told in a sentence, in English, Chinese, Vietnamese and a few more; one-time codes; seed phrases."""
    resume = 0
    places, unseen = (_SPOKEN_STARTS if low.isascii() else _SPOKEN_STARTS_ANYWHERE).places(low)
    number = 0
    for place in places:
        hit = _SPOKEN.match(low, place)
        if not hit:
            continue
        if number >= budget(MAX_SPOKEN, text):
            unseen = min(unseen, place)
            break
        before = low[hit.start() - 1] if hit.start() else " "
        if hit.start() < resume or (hit[0].isascii() and (before.isalnum() or before in "_-.")):
            continue
        number += 1
        word = hit.group()
        machine = word.startswith(_MACHINE_WORD)
        if word in ("key", "token") and names_another(low, hit.start()):
            continue
        window_end = min(len(text), hit.end() + _WINDOW_CHARS)
        stop = _STOP_AT.search(text, hit.end(), window_end)
        window_end = stop.start() if stop else _whole_word(text, window_end)
        span = _spoken_span(text, hit.end(), window_end, machine, word == "login")
        if span:
            resume = span[1]
            yield span[0], span[1], "token" if machine else "password"
    if unseen < len(text):
        yield unseen, len(text), COARSE
    if _OTP_WORDS.within(low):
        for found in _OTP.finditer(low):
            if found.start() and low[found.start() - 1].isalnum() and found[0][0] in "op":
                continue
            yield found.start(1), found.end(1), "one_time_code"
    for found in islice(_SEED.finditer(low), MAX_SEEDS) if _SEED_NAMES.within(low) else ():
        if words := _SEED_WORDS.search(text, found.end(), found.end() + 400):
            yield words.start(), words.end(), "seed_phrase"


def names_another(low: str, at: int) -> bool:
    """Whether the word before `at` makes "key" or "token" something that is no secret: a cache key, a public key."""
    before = _KEY_OF.search(low, max(0, at - 24), at)
    return bool(before and before[1] in _NOT_OF)


def _whole_word(text: str, end: int) -> int:
    limit = min(len(text), end + 512)
    while end < limit and "!" <= text[end] <= "~":
        end += 1
    return end


def _spoken_span(text: str, start: int, end: int, machine: bool, name_follows: bool) -> tuple[int, int] | None:
    """The first word in text[start:end] that is the secret spoken of."""
    if not _WORTH_READING.search(text[start:end]):
        return None
    at = start
    for number, token in enumerate(_TOKEN.finditer(text, start, end)):
        if number >= 14:
            return None
        raw = token.group()
        value = raw.lstrip("\"'`([").rstrip("\"'`)],.;:")
        begin = token.start() + raw.find(value) if value else token.start()
        said = not name_follows and bool(_SAID.search(text, max(start, at - 12, token.start() - 12), begin))
        at = token.end()
        if said and not machine and raw[0] in "\"'`" and (quote := _QUOTED.match(text, token.start(), end)):
            inner = quote[1]
            if is_secret_value(inner, Strength.PASSWORD, quoted=True, env=False):
                return quote.start(1), quote.end(1)
        if len(value) < 6 or value.startswith("[redacted") or re.match(r"[A-Za-z_][\w.\-]*[=:][^=]", value):
            continue
        word_and_number = said and not machine and re.fullmatch(r"[a-z]{4,}\d{2,}[!.]?", value) and len(value) >= 8
        if not word_and_number and not is_spoken_secret(value, said=said):
            continue
        if machine and not is_random(value, 12) and not (said and is_spoken_secret(value, said=False)):
            continue
        return begin, begin + len(value)
    return None
