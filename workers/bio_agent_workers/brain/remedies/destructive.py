"""Acts that destroy or overwrite what cannot be had back, or act with more power than a project needs.

Told by the parse of an act (tool, verb, flags, operands), by classes over any tool. Such an act may have been what fixed a
failure; it is no advice before a person has agreed.
"""

from __future__ import annotations

import re

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import is_read, word_set
from bio_agent_workers.brain.remedies.installs import ARCHIVERS

__all__ = ["clears_installed", "destroys", "telling_operand"]

_READ = 4000  # characters of one word that are read
_DEVICE = re.compile(r"(?:^|=)/dev/(?!(?:null|zero|u?random|std(?:in|out|err)|tty|fd|shm)(?:$|/))", re.I)
_SYSTEM = re.compile(
    r"(?:^|=)(?:/+\*?$|/+\.*/*$|/+(?:etc|usr|s?bin|lib(?:32|64)?|boot|dev|sys|proc|var|opt|root|System|Library|Applications)(?:/|$)"
    r"|[A-Za-z]:[\\/]+(?:Windows|Program)?)",
)
_SHARED = re.compile(r"(?:^|=)/(?:dev/(?:null|std\w+|tty|fd|shm)|var/(?:tmp|folders))(?:/|$)")
_ROOTED = re.compile(r"(?:/|~|\$\{?HOME\b|[A-Za-z]:[\\/]|\.\./)")
_TEMPORARY = re.compile(r"/(?:tmp|var/tmp|private/tmp|var/folders)/[^/.]")
_SQL = re.compile(
    r"\b(?:drop|truncate)\s+(?:table|database|schema|view|index|role|user|column|owned|tablespace|keyspace|collection|materialized)\b"
    r"|\btruncate\s+[\w\"`.]+|\bdelete\s+from\b|\bdrop\s+[\w\"`.]+\s*;|\bflush(?:all|db)\b|dropDatabase|delete(?:Many|One)\s*\(|\.drop\s*\(",
    re.I,
)
#: Statements that change what a database holds or who may do what in it; what adds a table or an extension is none.
_SQL_WRITES = re.compile(
    r"\bupdate\s+(?:only\s+)?[\w\"`.]+\s+(?:as\s+\w+\s+)?set\b|\binsert\s+(?:or\s+\w+\s+|ignore\s+)?into\b|\breplace\s+into\b|\bmerge\s+into\b"
    r"|\balter\s+(?:role|user|table|system|database|default|schema|login)\b|\bcreate\s+(?:role|user|login|(?:or\s+replace\s+)?(?:function|trigger|rule))\b"
    r"|\bgrant\s+\w|\brevoke\s+\w|\bcopy\s+\S+\s+(?:from|to)\b|\b(?:load\s+data|into\s+outfile|set\s+password)\b"
    r"|\.(?:insert|update|replace)(?:One|Many)?\s*\(",
    re.I,
)
_CODE = re.compile(
    r"\brmtree\b|\brm(?:dir)?Sync\b|\brm_rf?\b|\bos\.(?:remove|unlink|removedirs)\b|\bunlink(?:Sync)?\b|\brm\s+-\w*[rf]"
)
_ELEVATES = word_set("sudo doas su pkexec runas gosu run0")
_DISKS = word_set(
    "mke2fs fdisk sfdisk gdisk sgdisk cfdisk parted wipefs shred blkdiscard mkswap diskutil diskpart format cryptsetup lvremove",
    "vgremove pvremove mdadm badblocks zpool srm unlink truncate killall killall5 pkill skill taskkill shutdown reboot halt",
    "poweroff dropdb dropuser",
)
_DATABASES = word_set(
    "psql mysql mariadb sqlite3 sqlite duckdb sqlcmd clickhouse-client clickhouse cqlsh mongosh mongo redis-cli bq usql pgcli"
)
_DELETES = word_set("delete del destroy drop rm remove rb rmi prune purge uninstall down clean-all terminate")
_GONE = word_set("destroy purge flushall flushdb wipe db:drop db:reset db:purge dropdatabase")
_FORCES = word_set(
    "--force -f --recursive -r -R --all -a --volumes -v --cascade --now --force-delete --yes --purge --delete"
)
_RESETS = word_set("--hard --mirror --delete --prune --delete-force --discard-changes")
_WRITERS = word_set("cp mv ln install rsync scp tee sed truncate touch unzip gunzip bsdtar 7z patch")
_WRITES_TO = word_set("-o -O --output --output-document --directory -C -d --target-directory -t")
_INSTALLED = re.compile(
    r"(?:\./)?(?:[\w.-]+/)*(?:node_modules|__pycache__|\.(?:pytest|mypy|ruff)_cache|\.tox)/?", re.ASCII
)
_HOST_KEYS = re.compile(
    r"StrictHostKeyChecking\s*[= ]\s*\W?(?:no|off|accept-new)\b|UserKnownHostsFile\s*[= ]\s*\W?/dev/null", re.I
)


def telling_operand(word: str) -> bool:
    """Whether an operand says how far an act reaches, so that a placeholder must not stand for it: the root, a device, a
    path of the system, SQL that destroys or writes."""
    word = word[:_READ]
    return bool((_SYSTEM.search(word) and not _SHARED.search(word)) or _DEVICE.search(word) or _writes_sql(word))


def _writes_sql(text: str) -> bool:
    return bool(_SQL.search(text) or _SQL_WRITES.search(text))


def clears_installed(act: Act) -> bool:
    """Whether all that an act removes are folders of the project that tools fill and nobody writes in: `node_modules`."""
    return (
        act.tool == "rm"
        and not _elevated(act)
        and bool(act.operands)
        and all(_INSTALLED.fullmatch(operand) and ".." not in operand for operand in act.operands)
    )


def destroys(act: Act) -> str:
    """The word of an act by which it destroys, overwrites by force, or takes more power; "" where it does not."""
    words = frozenset((*act.verb.split(), *act.operands[:1]))
    names = frozenset(flag.partition("=")[0] for flag in act.flags if not flag.startswith("@"))
    texts = [word[:_READ] for word in (*act.flags, *act.operands) if not word.startswith("@")]
    if found := _elevated(act):
        return found
    if act.tool in _DISKS or act.tool.startswith("mkfs"):
        return act.tool
    if any(_HOST_KEYS.search(text) for text in texts) or (act.tool == "ssh-keygen" and "-R" in names):
        return "StrictHostKeyChecking"
    if act.tool in ("rm", "rmdir", "del") and (
        names & {"--recursive", "--force"} or any(_ROOTED.match(o) and not _TEMPORARY.match(o) for o in act.operands)
    ):
        return act.tool
    if act.tool == "git":
        return _git(act, names)
    if act.tool in _DATABASES and (found := next((t for t in texts if _writes_sql(t)), "")):
        return found
    if found := next((t for t in texts if " " in t and _CODE.search(t)), "") or next(
        (t for t in act.flags if t.startswith("-") and _CODE.search(t[:_READ])), ""
    ):
        return found
    if act.tool == "kill" and any(operand in ("-1", "0") for operand in act.operands[-1:]):
        return "kill"
    if "rm" in act.operands[1:] and act.text.find(" rm -") > 0:  # `docker exec c rm -rf x`
        return "rm"
    verbs = set() if is_read(act) else {word.lower() for word in words}
    if verbs & _GONE or (verbs & _DELETES and (names & _FORCES or "--grace-period" in names)):
        return sorted(verbs & (_GONE | _DELETES))[0]
    if act.tool in ("docker", "podman") and "prune" in verbs:
        return "prune"
    if act.tool in ("find", "rsync") and any(name.lstrip("-").startswith("delete") for name in names):
        return "delete"
    return _reaches_out(act, names)


def _elevated(act: Act) -> str:
    """The program by which an act is run with more rights. What installs a system's package needs them; the package's
    own name is looked at elsewhere (installs.py)."""
    spelled = [word for flag in act.flags if flag.startswith("@") for word in flag[1:].split()[:-1]]
    found = next((w for w in (act.tool, *spelled) if w.rpartition("/")[2] in _ELEVATES), "")
    installs = act.tool in ARCHIVERS and act.verb in ("install", "add", "update")
    return "" if installs and not any("/" in operand for operand in act.operands) else found


def _git(act: Act, names: frozenset[str]) -> str:
    """The word by which an act of git discards work or rewrites what others hold."""
    verb = act.verb.split()[0] if act.verb else ""
    if "--force" in names and verb not in ("add", "submodule"):
        return "--force"
    if found := sorted(names & _RESETS) if verb not in ("fetch", "pull", "remote") else []:
        return found[0]
    if verb == "push" and any(o[:1] in ("+", ":") for o in act.operands):
        return "push"
    if verb in ("filter-branch", "filter-repo") or act.verb in ("stash drop", "stash clear", "reflog expire"):
        return act.verb
    if verb in ("checkout", "restore") and "." in act.operands and "--staged" not in names:
        return verb  # all of the work, where one file's name says what is given up
    return ""


def _reaches_out(act: Act, names: frozenset[str]) -> str:
    """The device or path of the system that an act writes."""
    if act.tool == "dd":
        return next((o for o in act.operands if o.startswith("of=")), "")
    if act.tool in ("tar", "bsdtar") and names & {"-P", "--absolute-names", "--absolute-paths"}:
        return "-P"
    if act.tool in ("chown", "chgrp", "chmod") and (
        (act.tool != "chmod" and "--recursive" in names) or any(telling_operand(o) for o in act.operands[1:])
    ):
        return act.tool
    if act.tool in _WRITERS:
        written = act.operands if act.tool in ("tee", "mv", "touch") else act.operands[-1:]
        if act.tool == "sed" and not any(name.startswith(("-i", "--in-place")) for name in names):
            written = ()
        if found := next((o for o in written if telling_operand(o)), ""):
            return found
    return next(
        (f for f in act.flags if f.partition("=")[0] in _WRITES_TO and telling_operand(f.partition("=")[2])
         and act.tool in ("curl", "wget", "tar", "bsdtar", "unzip", "cp", "mv", "install", "ln")), ""
    )  # fmt: skip
