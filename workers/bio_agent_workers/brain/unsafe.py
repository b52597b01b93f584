"""Remedies that make a command pass by lowering a protection: checks skipped, certificates not verified, rights widened,
isolation given up, foreign code run. Such a remedy may work and still be no advice; a person decides.

Told by classes: an option, assignment or setting that negates the name of a protection, and a few acts that are nothing
else. What a file is and where it came from is followed over the acts of a session.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from bio_agent_schema.types import Act, Episode
from bio_agent_workers.brain.act_forms import INTERPRETERS, word_set

FETCHERS = frozenset({"curl", "wget", "fetch", "aria2c", "http", "https", "scp", "rsync"})

#: What is protected by what; part of a name such as `--no-verify`, `NODE_TLS_REJECT_UNAUTHORIZED`, `http.sslVerify`.
_GUARDED = (
    r"verif(?:y|ication)|checks?|checksums?|check[-_]?certificates?|certs?|certificates?|ssl|tls|gpg(?:[-_]?check)?"
    r"|sign(?:atures?|ing)?|auth(?:entication|orization)?|authori[sz]ed|unauthori[sz]ed|hooks?|sandbox|seccomp|apparmor|selinux"
    r"|security|safety|safe(?:guards?)?|polic(?:y|ies)|permissions?|protect(?:ion|ed)?|host[-_]?keys?|validat(?:e|ion)|audit"
    r"|integrity|firewall|tests?|lint|scan|grant(?:[-_]tables)?|preserve[-_]root|sum(?:db|check)?|warnings[-_]as[-_]errors"
)
_NEGATES = r"no|not|non|skip|disable|disabled|ignore|without|bypass|omit|suppress"
_OFF = r"(?:0|false|no|off|none|disabled?|never|skip|insecure|permissive|allow|bypass)"
_OPTION = re.compile(
    rf"^-{{1,2}}D?(?:[\w.]+[-.])?(?:{_NEGATES})[-_.]?(?:[a-z]+[-_])*(?:{_GUARDED})(?:$|[-_=.])"
    rf"|^--?(?:[\w-]*[-_])?(?:{_GUARDED})[-_](?:skip|bypass|disabled?|off)(?:$|=)"
    r"|insecure|unsafe|dangerous|untrusted|unauthenticated|trusted-host|^--privileged|^--cap-add|^--security-opt"
    r"|^--allow-(?:root|run-as-root|downgrades?|all|http|remove-essential)|^--break-system-packages|^--force-yes|test\.skip|^-{1,2}lock=false|no-revoke"
    r"|^--(?:pid|ipc|userns|uts)=host|^--user=(?:root|0)(?:$|:)|docker\.sock|^--volume=/:|^-auto-approve",
    re.I,
)
_SETTING = re.compile(
    rf"(?:{_GUARDED})[\w.-]{{0,40}}\s{{0,3}}[= :]\s{{0,3}}{_OFF}(?:$|[\s,;])"
    rf"|hookspath\s*[= ]\s*(?:/dev/null|\S*none)",
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
_ENDS = word_set("stop disable mask kill")
#: Tools that install or start what a local file holds.
_RUNS_FILES = word_set(
    "dpkg rpm installer msiexec source . sh bash zsh dash ksh pip npm apt-get dnf make ruby perl php java"
)


def lowers_safety(act: Act) -> str:
    """The word of an act by which it lowers a protection, "" when it lowers none."""
    for given in act.flags:
        if given.startswith("@"):
            continue
        flag = given[:_READ]
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
    if act.tool == "setenforce" or (act.tool == "ufw" and act.operands[:1] == ("disable",)):
        return act.tool
    words = [act.verb, *act.operands]
    if act.tool in ("systemctl", "service", "launchctl") and _ENDS.intersection(act.verb.split()):
        return next((operand for operand in act.operands if operand in _DEFENCES), "")
    if act.tool == "export" and any(_ASSIGNED.search(operand[:_READ]) for operand in act.operands):
        return act.operands[0]
    if "config" in act.verb.split() or "set" in words[:2] or act.tool == "sysctl":
        found_setting = _SETTING.search(" ".join([*act.verb.split()[1:], *act.operands])[:_READ])
        return found_setting.group().strip() if found_setting else ""
    return next((o for o in act.operands if o.startswith("-") and _OPTION.search(o[:_READ])), "")


def _opens_to_all(mode: str) -> bool:
    """Whether a file mode lets everybody write, or runs with the owner's rights."""
    if mode.isdigit():
        return int(mode[-1]) & 2 != 0 or (len(mode) == 4 and mode[0] in "2467")
    return any(
        re.search(r"^[ugo]*[oa][ugoa]*[+=][rwxXst]*w|^[ugoa]*[+=][rwxX]*s", part) is not None
        for part in mode.split(",")
    )


def fetched_files(episodes: Iterable[Episode], acts: Mapping[str, tuple[Act, ...]]) -> frozenset[str]:
    """Names of files and folders that the acts of these episodes brought in from elsewhere."""
    out: set[str] = set()
    for episode in episodes:
        for act in acts.get(episode.id, ()):
            out |= _brought(act)
            if act.tool in FETCHERS:
                out.update(_base(name) for name in re.findall(r">\s*([^\s;&|<>]+)", episode.command))
    return frozenset(name for name in out if name and name not in (".", ".."))


def _brought(act: Act) -> set[str]:
    if act.tool in FETCHERS:
        told = [
            f.partition("=")[2] for f in act.flags if f.startswith(("--output=", "--output-document=", "-o=", "-O="))
        ]
        urls = [operand for operand in act.operands if "/" in operand or "." in operand]
        return {_base(name) for name in (*told, *(url.split("?", 1)[0] for url in urls))}
    if act.tool == "git" and act.verb == "clone" and act.operands:
        return {_base(act.operands[-1]).removesuffix(".git")}
    if act.tool == "gh" and act.verb in ("repo clone", "release download"):
        return {_base(act.operands[0])} if act.operands else set()
    return set()


def runs_any(act: Act, files: frozenset[str]) -> bool:
    """Whether an act runs, sources or installs one of these files, or something in one of these folders."""
    if not files:
        return False
    if "/" in act.tool and _parts(act.tool) & files:
        return True
    runs = act.tool in INTERPRETERS or act.tool in _RUNS_FILES
    words = [*act.operands, *(f.partition("=")[2] for f in act.flags)]
    return runs and any(_parts(word) & files for word in words)


def runs_fetched(remedy: Sequence[Act], before: Sequence[Episode], acts: Mapping[str, tuple[Act, ...]]) -> bool:
    """Whether a remedy runs what the session downloaded, in one act or several. before: the session up to the fix."""
    files = fetched_files(before, acts)
    entered = any(act.tool in ("cd", "pushd") and any(_parts(o) & files for o in act.operands) for act in remedy)
    return any(runs_any(act, files) or (entered and act.tool in ("make", "ninja", "cmake")) for act in remedy)


def _base(name: str) -> str:
    return name.rstrip("/").rsplit("/", 1)[-1].strip("'\"")


def _parts(path: str) -> frozenset[str]:
    return frozenset(part for part in path.strip("'\"").split("/") if part not in ("", ".", ".."))
