"""Secrets on command lines: flags with a telling name, and the short flags of well-known programs. Standard library only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from bio_agent_client.secret_budget import (
    COARSE,
    MAX_COMMANDS,
    MAX_FLAGS,
    Span,
    Words,
    budget,
)
from bio_agent_client.secret_names import (
    Strength,
    is_argument,
    is_secret_value,
    may_be_strong,
    name_strength,
)

_PROGRAM_STARTS = Words(
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
    r"(?:identified(?<!\widentified)\s+(?:with\s+\S+\s+)?by|password(?<!\wpassword)(?:\s+to)?)\s+(['\"])([^'\"\n]{3,128})\1"
)


def command_lines(text: str, low: str) -> Iterator[Span]:
    """Secrets given as arguments: flags with a telling name, and the short flags of well-known programs."""
    if " -" in text or "/p:" in text or "/user:" in text or "login" in low or "wpa_" in low or "rabbitmq" in low:
        places, unseen = _PROGRAM_STARTS.places(text)
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
            if is_argument(found[1]):
                yield found.start(1), found.end(1), "password"
    if " -" in text or text.startswith("-") or "\n-" in text:
        yield from _long_flags(text)
    if "set" in low:
        for number, found in enumerate(f for f in _SHELL_SET.finditer(text) if may_be_strong(f[1])):
            if number >= budget(MAX_FLAGS, text):
                yield found.start(), len(text), COARSE
                break
            if is_secret_value(found[3], name_strength(found[1]), quoted=bool(found[2]), env=True):
                yield found.start(3), found.end(3), "secret"
    if "password" in low or "identified" in low:
        for found in _NETRC.finditer(text) if "login" in low else ():
            if is_argument(found[1]):
                yield found.start(1), found.end(1), "password"
        for found in _SQL.finditer(low):
            if is_argument(text[found.start(2) : found.end(2)]):
                yield found.start(2), found.end(2), "password"


def _long_flags(text: str) -> Iterator[Span]:
    for number, found in enumerate(f for f in _LONG_FLAG.finditer(text) if may_be_strong(f[1])):
        if number >= budget(MAX_FLAGS, text):
            yield found.start(), len(text), COARSE
            return
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


def _program_flags(program: str, segment: str, offset: int) -> Iterator[Span]:
    for name, pattern in _FLAGS:
        if program.startswith(name) and (name != "zip" or program == "zip"):
            flag = pattern.search(segment)
            if flag and is_argument(flag[1]) and not segment[: flag.start()].count(" && "):
                yield offset + flag.start(1), offset + flag.end(1), "password"
            return
    flag = _USER_COLON.search(segment)
    if flag and is_argument(flag[1]) and not flag[1].startswith("//") and not flag[1].isdigit():
        yield offset + flag.start(1), offset + flag.end(1), "password"
