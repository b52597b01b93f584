"""Remedies that make a command pass by lowering a protection: checks skipped, certificates not verified, rights widened,
isolation given up, foreign code run. Such a remedy may work and still be no advice; a person decides.

Told by classes: an option, assignment or setting that negates the name of a protection, and a few acts that are nothing
else. What a file is and where it came from is followed over the acts of a session.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import INTERPRETERS, word_set
from bio_agent_workers.brain.remedies.destructive import clears_installed, destroys
from bio_agent_workers.brain.remedies.fetched import runs_fetched
from bio_agent_workers.brain.remedies.gives_up import gives_up
from bio_agent_workers.brain.remedies.sends_out import sends_out
from bio_agent_workers.brain.remedies.sources import moves_trust

__all__ = ["lowers_safety", "runs_fetched"]

#: What is protected by what; part of a name such as `--no-verify`, `NODE_TLS_REJECT_UNAUTHORIZED`, `http.sslVerify`.
_GUARDED = (
    r"verif(?:y|ication)|checks?|checksums?|check[-_]?certificates?|certs?|certificates?|ssl|tls|gpg(?:[-_]?check)?"
    r"|sign(?:atures?|ing)?|auth(?:entication|orization)?|authori[sz]ed|unauthori[sz]ed|hooks?|sandbox|seccomp|apparmor|selinux"
    r"|security|safety|safe(?:guards?)?|polic(?:y|ies)|permissions?|protect(?:ion|ed)?|host[-_]?keys?|validat(?:e|ion)|audit"
    r"|integrity|firewall|tests?|lint|scan|grant(?:[-_]tables)?|preserve[-_]root|sum(?:db|check)?|warnings[-_]as[-_]errors"
    r"|[cx]srf(?:[-_]\w+)?|quarantine|stack[-_]protector|approvals?|protected[-_]mode"
)
_NEGATES = r"no|not|non|skip|disable|disabled|ignore|without|bypass|omit|suppress"
_OFF = r"(?:0|false|no|off|none|disabled?|never|skip|insecure|permissive|allow|bypass|yolo|danger[\w-]*|full[-_]?(?:auto|access))"
_OPTION = re.compile(
    rf"^-{{1,2}}[Df]?(?:[\w.]+[-.])?(?:{_NEGATES})[-_.]?(?:[a-z]+[-_])*(?:{_GUARDED})(?:$|[-_=.])"
    rf"|^--?(?:[\w-]*[-_])?(?:{_GUARDED})[-_](?:skip|bypass|disabled?|off)(?:$|=)"
    r"|insecure|unsafe|dangerous|untrusted|unauthenticated|trusted-host|^--privileged|^--cap-add|^--security-opt"
    r"|^--allow-(?:root|run-as-root|downgrades?|all|http|remove-essential)|^--break-system-packages|^--force-yes|test\.skip|^-{1,2}lock=false|no-revoke"
    r"|^--(?:pid|ipc|userns|uts)=host|^--user=(?:root|0)(?:$|:)|docker\.sock|^--volume=/:|^-auto-approve"
    r"|^--nodeps$|^--(?:yolo|full-auto)$|^--overwrite$|^--(?:yes-)?i-(?:really|know|understand|accept|am-sure)",
    re.I,
)
_SETTING = re.compile(
    rf"(?:{_GUARDED})[\w.-]{{0,40}}\s{{0,3}}[= :]\s{{0,3}}{_OFF}(?:$|[\s,;])"
    rf"|hookspath\s*[= ]\s*(?:/dev/null|\S*none)|safe\.directory\s*[= ]\s*['\"]?(?:\*|/+$)",
    re.I,
)
_ASSIGNED = re.compile(
    rf"^\w*(?:{_GUARDED})\w*={_OFF}$|^\w*(?:NO_VERIFY|INSECURE|UNSAFE|SKIP|BYPASS|TRUSTED_HOST|NOSUM\w*|DISABLE_\w+|NO_\w*CHECK)\w*="
    rf"(?!(?:0|false|no|off)?$)|^HUSKY={_OFF}$",
    re.I,
)
_READ = 300  # characters of one word that are read
_DEFENCES = word_set(
    "firewalld ufw iptables nftables apparmor auditd fail2ban selinux clamav-daemon falco osqueryd crowdsec"
)
# What these leave out is a report printed after an install that happens all the same.
_PACKAGERS = word_set("npm pnpm yarn bun")
_UNREPORTED = word_set("--no-audit --audit=false --no-fund --fund=false")
_ENDS = word_set("stop disable mask kill")
_NAMED = re.compile(rf"^--?(?:[\w-]+[-_])?(?:{_GUARDED})(?:[-_](?:mode|policy|level|for))?$|^--ask-for-approval$", re.I)
_OFF_WORD = re.compile(_OFF, re.I)
#: Folders that everybody writes to, and addresses: a program or its input from there is nobody's.
_NOBODYS = re.compile(r"(?:^|=)(?:/(?:var/|private/)?tmp/|/dev/shm/|/var/folders/|https?://(?!localhost|127\.))", re.I)
_READS_FILE = re.compile(r"^(?:-f|--file(?:name)?|--makefile|-r|--requirement)=")
_RUNS = INTERPRETERS | word_set(
    "python3 source . dash ksh fish pwsh make just task ansible-playbook kubectl oc psql mysql"
)


def lowers_safety(act: Act) -> str:
    """The word of an act by which it lowers a protection, changes what is trusted (sources.py), destroys (destructive.py),
    gives up what is stored, agreed or checked (gives_up.py), sends something out (sends_out.py) or runs what lies outside
    the project; "" for none of them."""
    if moved := moves_trust(act) or gives_up(act) or ("" if clears_installed(act) else destroys(act)):
        return moved
    if left := sends_out(act, routine=False) or _runs_nobodys(act):
        return left
    for given in act.flags:
        if given.startswith("@"):
            continue
        flag = given[:_READ]
        if act.tool in _PACKAGERS and flag in _UNREPORTED:
            continue
        if flag.startswith("-"):
            lowers = bool(_OPTION.search(flag)) or ("=" in flag and bool(_SETTING.search(flag)))
        else:
            options = flag.partition("=")[2].split()
            lowers = bool(_ASSIGNED.search(flag)) or any(o.startswith("-") and _OPTION.search(o) for o in options)
        if lowers:
            return flag
    if act.tool == "git" and act.verb == "push" and "--force" in act.flags:
        return "--force"
    if act.tool == "chmod" and act.operands and _opens_to_all(act.operands[0]):
        return act.operands[0]
    if act.tool in ("install", "mkdir") and (mode := next((m for m in _modes(act) if _opens_to_all(m)), "")):
        return mode
    if act.tool == "umask" and act.operands and act.operands[0].isdigit() and not int(act.operands[0][-1]) & 2:
        return act.operands[0]
    if act.tool == "deno" and "-A" in act.flags:
        return "-A"
    if any(_NAMED.search(f[:_READ]) for f in act.flags) and (
        stated := next((o for o in act.operands if _OFF_WORD.fullmatch(o[:_READ])), "")
    ):
        return stated
    if act.tool == "setenforce" or (act.tool == "ufw" and act.operands[:1] == ("disable",)):
        return act.tool
    words = [w.lower() for w in (*act.verb.split(), *act.operands)]
    if act.tool in ("systemctl", "service", "launchctl") and _ENDS.intersection(act.verb.split()):
        return next((operand for operand in act.operands if operand in _DEFENCES), "")
    if act.tool == "export" and any(_ASSIGNED.search(operand[:_READ]) for operand in act.operands):
        return act.operands[0]
    if "config" in words[:2] or "set" in words[:2] or act.tool == "sysctl":
        found_setting = _SETTING.search(" ".join([*act.verb.split()[1:], *act.operands])[:_READ])
        return found_setting.group().strip() if found_setting else ""
    return next((o for o in act.operands if o.startswith("-") and _OPTION.search(o[:_READ])), "")


def _runs_nobodys(act: Act) -> str:
    """The file of a shared folder, or the address, that an act runs or takes its orders from."""
    if _NOBODYS.search(act.tool[:_READ]):
        return act.tool
    if act.tool not in _RUNS:
        return ""
    named = [*(act.operands[:1] if act.tool in INTERPRETERS | {"source", ".", "python3"} else ())]
    named += [f for f in act.flags if _READS_FILE.search(f)]
    return next((n for n in named if _NOBODYS.search(n[:_READ])), "")


def _modes(act: Act) -> Iterator[str]:
    """The file modes that an act gives by an option (`install -m 600 a b`)."""
    named = [flag.partition("=") for flag in act.flags]
    yield from (value for name, _, value in named if name in ("-m", "--mode") and value)
    if any(name == "-m" and not value for name, _, value in named):
        yield from act.operands[:1]


def _opens_to_all(mode: str) -> bool:
    """Whether a file mode lets everybody write, or runs with the owner's rights."""
    if mode.isdigit():
        return int(mode[-1]) & 2 != 0 or (len(mode) == 4 and mode[0] in "2467")
    return any(
        re.search(r"^[ugo]*[oa][ugoa]*[+=][rwxXst]*w|^[ugoa]*[+=][rwxX]*s", part) is not None
        for part in mode.split(",")
    )
