"""The roles of what a call names: each deed of an act with only what that deed is done to.

A rule speaks of a call when what it names is borne in the role that the rule gives it. So an act that reads one thing and
changes another is read as several: a synchronising copy takes from its source and deletes at its target; of two
statements each has its own table. A word that stands elsewhere in the call is no evidence.
"""

from __future__ import annotations

import re
from dataclasses import replace

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import SHELL_READS, make_act, word_set
from bio_agent_workers.brain.guarding.statements import statements

#: Programs that read a dump into a database, and the names of such files.
_RESTORES = word_set("pg_restore mongorestore psql mysql mariadb")
_DUMP = re.compile(r"\.(?:dump|sql|bak|backup|tar|gz|zst|archive|bson)$", re.I)
#: Verbs and programs that make one place like another.
_COPIES = word_set("cp sync rsync mv move mirror copy robocopy")
#: Parts of a field's name that say what something comes from, and what it goes to.
_CAME, _GOES = word_set("from source src origin old"), word_set("to target dest destination dst into new recipient")
#: Options whose value is a file or folder that a program writes.
_OUTPUTS = {
    **dict.fromkeys(("curl", "wget", "sort", "gcc", "clang", "pg_dump"), ("--output", "-o", "--output-document", "--file")),
    "tar": ("--directory",), "unzip": ("-d",), "wget": ("--output-document", "--directory-prefix", "-P"),
}  # fmt: skip
#: An option with which a program sends a file.
_SENT_FILE = re.compile(r"(?:--(?:form|data(?:-\w+)?|json)=(?:[\w.-]+=)?@|--upload-file=)([^;,]+)")
#: What a command removes besides when it is told to.
_BESIDES = {
    ("docker", "compose down"): {"--volumes": "volume rm", "--rmi": "rmi"},
    ("docker", "rm"): {"--force": "kill"},
    ("docker", "compose rm"): {"--force": "compose stop", "--stop": "compose stop"},
    ("docker", "run"): {"--publish": "expose port", "--publish-all": "expose port"},
}
#: Options by which a copy deletes what its source lacks, and those by which it deletes the source.
_SWEEPS_TARGET = ("--delete", "--del", "--remove", "--mirror", "--purge")
_SWEEPS_SOURCE = ("--remove-source-files", "--delete-source")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*://|[\w.@-]{2,}:", re.I)
#: Options whose value is text for people.
FREE_TEXT = ("--subject=", "--message=", "--body=", "--title=", "-m=", "--notes=", "--description=")


def deeds(act: Act) -> list[Act]:
    """The acts that one act consists of, each with only the objects of its own deed; [act] for most."""
    written = [
        told
        for flag in act.flags
        for key, _, told in [flag.partition("=")]
        if told and key in _OUTPUTS.get(act.tool, ())
    ]
    besides = _BESIDES.get((act.tool, act.verb), {})
    more = [replace(act, verb=verb) for flag in act.flags if (verb := besides.get(flag.partition("=")[0]))]
    more += [make_act("tee", "", (), (file,), act.text) for file in written]
    sent = [m[1] for flag in act.flags if act.tool == "curl" and (m := _SENT_FILE.match(flag))]
    more += [make_act("upload", "", (), (file, *act.operands), act.text) for file in sent]
    return [*(_copied(act) or _stated(act) or [act]), *more]


def _copied(act: Act) -> list[Act]:
    """A copy that also deletes: the copy, and the deletion of what lies at its target or of its source."""
    verb = act.verb.rsplit(" ", 1)[-1] or act.tool
    if verb not in _COPIES or len(act.operands) < 2:
        return []
    source = [f for f in act.flags if f.startswith(_SWEEPS_SOURCE)]
    target = [f for f in act.flags if f.startswith(_SWEEPS_TARGET) and f not in source]
    kept = tuple(f for f in act.flags if f not in source and f not in target)
    gone: list[tuple[str, ...]] = []
    if target or (act.tool, verb) in {("rclone", "sync"), ("azcopy", "sync")}:
        gone.append(act.operands[-1:])
    if source or (verb in ("mv", "move") and any(_ELSEWHERE.match(o) for o in act.operands)):
        gone.append(act.operands[:-1])
    swept = [make_act("rm", "", (*kept, "--recursive"), operands, act.text) for operands in gone]
    return [replace(act, flags=kept), *swept] if swept else []


def ends_of(act: Act, structured: bool) -> tuple[list[str], list[str]]:
    """What something comes from and what it goes to, where an act says both; ([], []) where it does not."""
    came: list[str] = []
    goes: list[str] = []
    if structured:
        for key, found, value in (operand.partition("=") for operand in act.operands):
            parts = set(re.split(r"[^a-z]+", key.lower())) if found else set()
            came += [value] if _CAME & parts else []
            goes += [value] if _GOES & parts else []
        return (came, goes) if came and goes else ([], [])
    if act.tool in _RESTORES:
        given = [flag.partition("=")[2] for flag in act.flags if flag.startswith(("--dbname=", "--file="))]
        files = [named for named in (*act.operands, *given) if _DUMP.search(named)]
        if files:
            return files, [named for named in (*act.operands, *given) if named not in files]
    verb = act.verb.rsplit(" ", 1)[-1] or act.tool
    if verb in _COPIES | {"scp"} and len(act.operands) > 1:
        into = next((f.partition("=")[2] for f in act.flags if f.startswith("--target-directory=")), "")
        return (list(act.operands), [into]) if into else (list(act.operands[:-1]), list(act.operands[-1:]))
    return [], []


def _stated(act: Act) -> list[Act]:
    """An act that runs statements: one for each, without what it only reads."""
    if act.tool in SHELL_READS:
        return []
    for at, flag in enumerate(act.flags):
        key, found, told = flag.partition("=")
        said = statements(told) if found and not flag.startswith(FREE_TEXT) else []
        if said:
            return [replace(act, flags=_put(act.flags, at, f"{key}={one}")) for one in said]
    for at, operand in enumerate(act.operands):
        key, found, told = operand.partition("=")
        keyed = bool(found) and key.isidentifier()
        said = statements(told if keyed else operand)
        if said:
            lead = f"{key}=" if keyed else ""
            return [replace(act, operands=_put(act.operands, at, lead + one)) for one in said]
    return []


def _put(values: tuple[str, ...], at: int, value: str) -> tuple[str, ...]:
    return (*values[:at], value, *values[at + 1 :])
