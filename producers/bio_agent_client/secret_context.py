"""Secrets known by what stands around them: URLs, command lines, keys in PEM, sentences, tables, Kubernetes objects.

Every finder yields (start, end, kind), works in time linear in the text, and starts with a substring test. Standard
library only.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from bio_agent_client.secret_names import (
    Strength,
    is_placeholder,
    is_random,
    is_secret_value,
    is_spoken_secret,
    name_strength,
)

Span = tuple[int, int, str]

COARSE: Final = "coarse"
"""Kind of a span that a finder yields where its budget ended: what follows is to be treated by the coarse rule."""
MAX_PEM = 1_000  # BEGIN and END lines looked at in one text
MAX_COMMANDS = 1_000  # program names looked at in one text
MAX_SPOKEN = 800  # words such as "password" whose sentence is read in one text; each costs up to 50 µs
MAX_CELLS = 10_000  # table lines read in one text
MAX_PLACES = 20_000  # places of one word in one text
LARGE_CHARS = 256 * 1024
MAX_SEEDS = 100  # mentions of a seed phrase followed up in one text


def budget(base: int, text: str) -> int:
    """A budget for a text of that length: a third in a large one, where the plain passes already take their time."""
    return base if len(text) <= LARGE_CHARS else base // 3


def word_places(text: str, words: tuple[str, ...]) -> tuple[list[int], int]:
    """(where any of `words` begins, in order; the first place that was not looked at, len(text) when all were).

    A substring search for each word is several times faster than one alternation in `re`.
    """
    places, unseen = [], len(text)
    for word in words:
        at, number = text.find(word), 0
        while at >= 0:
            number += 1
            if number > MAX_PLACES:
                unseen = min(unseen, at)
                break
            places.append(at)
            at = text.find(word, at + 1)
    places.sort()
    return ([place for place in places if place < unseen] if unseen < len(text) else places), unseen


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

_SCHEME = re.compile(
    r"(?i)\b(bearer|basic|bot|token|apikey|api-key|oauth|negotiate|ntlm)[ \t]+([A-Za-z0-9._~+/=\-|:]{8,})"
)
_COOKIE = re.compile(r"(?i)(?:\bcookies?\b[\"']?\s*[:=]\s*[\"'\[]*|\s-b\s+[\"']?|--cookie[ =][\"']?)([^\n\"']{4,2000})")
_PAIR = re.compile(r"([\w.\-]{1,64})=([^;\s,]{8,})")
_DIGEST = re.compile(r"\b(?:response|nonce|cnonce)=\"([0-9a-f]{16,64})\"")


def headers(text: str, low: str) -> Iterator[Span]:
    """Values after an authentication scheme, and cookies whose value looks drawn."""
    if any(
        word in low for word in ("bearer", "basic", "bot ", "token ", "apikey", "api-key", "oauth", "negotiate", "ntlm")
    ):
        for found in _SCHEME.finditer(text):
            scheme, value = found[1].lower(), found[2].rstrip(".:")
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


# -------------------------------------------------------------------------------------------------------- command lines

_PROGRAM_STARTS = (
    "mysql", "mariadb", "ldap", "redis-cli", "valkey-cli", "curl", "wget", "http", "sshpass", "docker", "podman", "nerdctl",
    "helm", "skopeo", "buildah", "crane", "oc ", "mongo", "sqlcmd", "bcp", "isql", "tsql", "mosquitto_", "ipmitool", "zip", "unzip",
    "7z", "rar", "unrar", "openssl", "smbclient", "rpcclient", "winexe", "xfreerdp", "rdesktop", "snmp", "htpasswd", "az ",
    "vault", "impacket", "crackmapexec", "psexec", "influx", "cqlsh", "rsync", "lftp", "ftp", "net use", "svn", "hg ", "nmcli",
    "wpa_passphrase", "twine", "consul", "nomad", "rabbitmqctl", "nats", "snowsql",
)  # fmt: skip
_PROGRAM = re.compile(
    r"(?<![\w.\-])(mysql\w*|mariadb[\w\-]*|ldap\w+|redis-cli|valkey-cli|curl|wget|https?|sshpass|docker|podman|nerdctl|helm"
    r"|skopeo|buildah|crane|oc|mongo\w*|sqlcmd|bcp|isql|tsql|mosquitto_\w+|ipmitool|zip|unzip|7z[ar]?|rar|unrar|openssl|smbclient|rpcclient"
    r"|winexe|xfreerdp\d?|rdesktop|snmp\w+|htpasswd|az|vault|impacket\S*|crackmapexec|psexec\S*|influx|cqlsh|rsync|lftp|ftp"
    r"|net use|svn|hg|nmcli|wpa_passphrase|twine|consul|nomad|rabbitmqctl|nats|snowsql)\s"
)
_Q = r"(?:\\?[\"'])?"
_V = r"([^\s\"'\\]+)"


def _flag(pattern: str) -> re.Pattern[str]:
    return re.compile(r"(?:^|\s)" + pattern)


_P_LOWER = _flag(rf"-p(?:\s+|=)?{_Q}{_V}")
_P_SPACED = _flag(rf"(?:-p|--pass)\s+{_Q}{_V}")
_P_UPPER = _flag(rf"-P\s*{_Q}{_V}")
_PERCENT = _flag(rf"(?:-U|--user)[ =]?{_Q}[^\s%\"']+%{_V}")
_USER_COLON = _flag(
    rf"(?:-\w*u|--user|--proxy-user|-U|--creds|--src-creds|--dest-creds|-a|--auth)[ =]?{_Q}[^\s:\"']{{1,64}}:{_V}"
)
_FLAGS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    ("mysql", _flag(rf"-p{_Q}{_V}")),
    ("mariadb", _flag(rf"-p{_Q}{_V}")),
    ("ldap", _flag(rf"-w\s*{_Q}{_V}")),
    ("redis-cli", _flag(rf"-a\s+{_Q}{_V}")),
    ("valkey-cli", _flag(rf"-a\s+{_Q}{_V}")),
    ("sshpass", _P_LOWER),
    ("mongo", _P_SPACED),
    ("sqlcmd", _P_UPPER),
    ("bcp", _P_UPPER),
    ("isql", _P_UPPER),
    ("tsql", _P_UPPER),
    ("mosquitto", _P_UPPER),
    ("ipmitool", _P_UPPER),
    ("zip", _P_UPPER),
    ("unzip", _P_UPPER),
    ("7z", _flag(rf"-p{_Q}{_V}")),
    ("rar", _flag(rf"-h?p{_Q}{_V}")),
    ("unrar", _flag(rf"-p{_Q}{_V}")),
    ("openssl", _flag(rf"(?:-k\s+|-pass(?:in|out)?\s+{_Q}pass:|-K\s+){_Q}{_V}")),
    ("smbclient", _PERCENT),
    ("rpcclient", _PERCENT),
    ("winexe", _PERCENT),
    ("xfreerdp", _flag(rf"/p:{_Q}{_V}")),
    ("rdesktop", _P_SPACED),
    ("snmp", _flag(rf"-[AX]\s+{_Q}{_V}")),
    ("htpasswd", _flag(rf"-\w*b\w*\s+\S+\s+\S+\s+{_Q}{_V}")),
    ("az", _P_SPACED),
    ("influx", _flag(rf"(?:-t|-password)\s+{_Q}{_V}")),
    ("cqlsh", _P_SPACED),
    ("snowsql", _P_SPACED),
    ("psexec", _P_SPACED),
    ("nmcli", _flag(rf"password\s+{_Q}{_V}")),
    ("wpa_passphrase", re.compile(rf"^\s*{_Q}\S+\s+{_Q}{_V}")),
    ("net use", _flag(rf"/user:\S+\s+{_Q}{_V}")),
    ("vault", _flag(rf"login\s+(?:token=)?{_Q}{_V}")),
    ("docker", _flag(rf"(?:login|-p)\s[^\n]*?-p\s+{_Q}{_V}")),
    ("podman", _flag(rf"login\s[^\n]*?-p\s+{_Q}{_V}")),
    ("helm", _flag(rf"login\s[^\n]*?-p\s+{_Q}{_V}")),
    ("oc", _flag(rf"login\s[^\n]*?-p\s+{_Q}{_V}")),
    ("twine", _P_SPACED),
    ("rabbitmqctl", _flag(rf"(?:add_user|change_password)\s+\S+\s+{_Q}{_V}")),
)
_SEGMENT_CHARS = 400  # of a command line searched for its flags
_LOGIN_PIPE = re.compile(
    r"\becho\s+(?:-n\s+)?[\"']?(?:[\w.\-]+:)?([^\s\"'|]{4,128})[\"']?\s*\|\s*[^\n|]{0,80}(?:chpasswd|password-stdin|--stdin|kinit|sudo -S|cryptsetup)"
)
_LONG_FLAG = re.compile(r"(?<![\w\-])--?([A-Za-z][\w\-]{1,40})[ \t]+(\\?[\"']?)([^\s\"'`|;&\\]{4,512})")
_NETRC = re.compile(r"\blogin\s+\S{1,128}\s+password\s+(\S{3,256})")
_SHELL_SET = re.compile(
    r"(?:\bsetx|\bsetenv|\bset\s+-\w+|\bconfig set)\s+([A-Za-z_][\w.\-]*)\s+([\"']?)([^\s\"'`|;&]{4,512})"
)
_SQL = re.compile(
    r"(?i)\b(?:identified\s+(?:with\s+\S+\s+)?by|password(?:\s+to)?|encrypted\s+password)\s+(['\"])([^'\"\n]{3,128})\1"
)


def command_lines(text: str, low: str) -> Iterator[Span]:
    """Secrets given as arguments: flags with a telling name, and the short flags of well-known programs."""
    if " -" in text or "/p:" in text or "/user:" in text or "login" in low or "wpa_" in low or "rabbitmq" in low:
        places, unseen = word_places(text, _PROGRAM_STARTS)
        number = 0
        for place in places:
            found = _PROGRAM.match(text, place)
            if not found:
                continue
            number += 1
            if number > budget(MAX_COMMANDS, text):
                unseen = place
                break
            stop = text.find("\n", found.end(), found.end() + _SEGMENT_CHARS)
            while stop > 0 and text[stop - 1] == "\\":
                stop = text.find("\n", stop + 1, found.end() + _SEGMENT_CHARS)
            segment = text[found.end() - 1 : stop if stop >= 0 else found.end() + _SEGMENT_CHARS]
            yield from _program_flags(found[1], segment, found.end() - 1)
        if unseen < len(text):
            yield unseen, len(text), COARSE
    if "echo " in low and "|" in text:
        for found in _LOGIN_PIPE.finditer(text):
            if _is_argument(found[1]):
                yield found.start(1), found.end(1), "password"
    if " -" in text or text.startswith("-") or "\n-" in text:
        for found in _LONG_FLAG.finditer(text):
            strength = name_strength(found[1])
            value = found[3].rstrip(",)")
            if (
                strength > Strength.WEAK
                and not value.startswith("-")
                and not value.replace("_", "").replace("-", "").isupper()
            ):
                upper_hint = value.isupper() and value.isalpha()
                if not upper_hint and is_secret_value(value, strength, quoted=bool(found[2]), env=True):
                    yield found.start(3), found.start(3) + len(value), strength.name.lower()
    if "set" in low:
        for found in _SHELL_SET.finditer(text):
            if is_secret_value(found[3], name_strength(found[1]), quoted=bool(found[2]), env=True):
                yield found.start(3), found.end(3), "secret"
    if "password" in low or "identified" in low:
        for pattern, group in ((_NETRC, 1), (_SQL, 2)):
            for found in pattern.finditer(text):
                if _is_argument(found[group]):
                    yield found.start(group), found.end(group), "password"


def _program_flags(program: str, segment: str, offset: int) -> Iterator[Span]:
    for name, pattern in _FLAGS:
        if program.startswith(name) and (name != "zip" or program == "zip"):
            flag = pattern.search(segment)
            if flag and _is_argument(flag[1]) and not segment[: flag.start()].count(" && "):
                yield offset + flag.start(1), offset + flag.end(1), "password"
            return
    flag = _USER_COLON.search(segment)
    if flag and _is_argument(flag[1]) and not flag[1].startswith("//") and not flag[1].isdigit():
        yield offset + flag.start(1), offset + flag.end(1), "password"


def _is_argument(value: str) -> bool:
    return (
        len(value) >= 3
        and value[0] not in "-$<%{[(@&|>"
        and not is_placeholder(value)
        and value.lower().strip("'\";,.")
        not in ("password", "passwd", "pass", "pwd", "secret", "token", "value", "required")
        and not value.isupper() | (value.startswith(("./", "/", "~/")) and "/" in value[1:])
    ) or (value.isupper() and any(map(str.isdigit, value)) and len(value) >= 6)


# ------------------------------------------------------------------------------------------------------------ sentences

_SPOKEN_STARTS = (
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
_SPOKEN_WIDE = (
    "mật", "mã ", "khó", "密", "口令", "秘钥", "令牌", "凭", "授权码", "暗号", "金鑰", "парол", "パスワード", "비밀번호",
)  # fmt: skip
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
_OTP_WORDS = (" code", "otp", "pin", "\u9a8c\u8bc1\u7801", "\u52a8\u6001\u7801", "m\u00e3 x\u00e1c")
_SEED_NAMES = ("phrase", "mnemonic", " words", "kh\u00f4i ph\u1ee5c", "\u52a9\u8bb0\u8bcd", "\u6062\u590d\u8bcd")
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
    places, unseen = word_places(low, _SPOKEN_STARTS if low.isascii() else _SPOKEN_STARTS + _SPOKEN_WIDE)
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
    if any(word in low for word in _OTP_WORDS):
        for found in _OTP.finditer(low):
            if found.start() and low[found.start() - 1].isalnum() and found[0][0] in "op":
                continue
            yield found.start(1), found.end(1), "one_time_code"
    for found in islice(_SEED.finditer(low), MAX_SEEDS) if any(word in low for word in _SEED_NAMES) else ():
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
            if _is_argument(found[1]):
                yield found.start(1), found.end(1), "password"
