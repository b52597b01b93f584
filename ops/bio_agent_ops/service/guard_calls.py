"""A tool call as the guard reads it: its acts, what they say, and the parameters that exceptions are bound to."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from itertools import pairwise
from typing import Any

from bio_agent_schema.types import Act, Polarity
from bio_agent_workers import shell
from bio_agent_workers.brain.guarding import branches, call_view, model_forms
from bio_agent_workers.brain.guarding.act_forms import make_act
from bio_agent_workers.brain.guarding.act_words import PUBLISHES
from bio_agent_workers.brain.guarding.ansible import ansible_acts
from bio_agent_workers.brain.guarding.hours import in_hours, planned_at
from bio_agent_workers.brain.guarding.matching import match_prose
from bio_agent_workers.brain.guarding.structured import is_free_text
from bio_agent_workers.shell.feeds import feeds

_SCRIPT_OPTIONS = frozenset({"-c", "-lc", "-ec"})
#: Commands whose last operand is what they write.
_COPIES = frozenset({"cp", "mv", "rsync", "install", "scp", "ln"})
_OBJECT = re.compile(r"(?:s3|gs|az|r2|oss|cos)://([^/]+)/?(.*)")
_MAIL = re.compile(r"[^@\s]+@([\w-]+(?:\.[\w-]+)+)")
#: Fields that say who asks or sends, not to whom something is done.
_ASKS = re.compile(r"(?:_by|^by|^from|sender|requester|approver|author)$", re.I)
_LASTS = re.compile(r"(?:(\d{1,3})-)?(\d{1,3}):(\d{2})(?::(\d{2}))?")
#: Fields that say where a command is run, by the option that says so; fields about how a shell is to run it; and fields
#: beside a command line that are read, and characters of each.
_PLACES = {
    **dict.fromkeys(("host", "hostname", "server", "machine", "target_host", "remote_host", "node"), "host"),
    "namespace": "namespace", "context": "context", "container": "container", "pod": "pod", "cluster": "cluster",
}  # fmt: skip
_OF_A_SHELL = frozenset(
    {"command", "cmd", "args", "argv", "arguments", "program", "executable", "script", "code", "language", "cwd", "workdir",
     "commandline", "command_line", "timeout", "timeout_ms", "timeoutms", "shell", "explanation", "session_id", "id"}
)  # fmt: skip
_MOST_BESIDE, _MOST_SAID = 16, 100
#: Levels of an input below its fields that are read for the bounds of exceptions.
_DEEPEST = 4
#: Options that name the packages to be published, and those beside which they are still all that is.
_NAMES_PACKAGES = ("workspace", "filter", "package", "p")
_BESIDE_PACKAGES = frozenset({"access", "tag", "otp", "provenance", "no_git_checks", "allow_dirty", "json"})
_EXECS = frozenset({"docker", "podman", "nerdctl", "kubectl", "oc"})


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call about to be made. own: what it does, in order, the branch of a push written out where it is known;
    acts: the same and what it has another machine or container do; views: all of them as words; parameters: of each."""

    tool: str
    tool_input: Any
    own: tuple[Act, ...]
    acts: tuple[Act, ...]
    views: tuple[call_view.Call, ...]
    parameters: tuple[Mapping[str, Any], ...]

    @property
    def key(self) -> str:
        """The call's canonical form, under which a warning of it is remembered."""
        return " && ".join(a.form for a in self.own) or self.tool


def acts_of(tool: str, tool_input: Any) -> tuple[Act, ...]:
    return shell.act_of(tool, tool_input, "")


def call_of(tool: str, tool_input: Any, branch: str = "") -> Call:
    """branch: the git branch the session is known to be on, "" for none."""
    own = tuple(branches.with_branch(acts_of(tool, tool_input), branch))
    flat = {name: _one(values) for name, values in _fields(tool_input).items()}
    line = shell.line_of(tool, tool_input)
    acts = own
    if line is not None:
        there = _there(tool_input, shell.is_shell_tool(tool))
        acts = tuple(
            replace(act, flags=(*act.flags, *there)) if there else act
            for act in (*own, *_elsewhere(own), *_written(line, own), *_fed(line, own))
        )
    views = tuple(call_view.calls(acts, tool, tool_input, branch))
    return Call(tool, tool_input, own, acts, views, tuple(parameters_of(a, flat, line is not None) for a in acts))


def _there(tool_input: Any, shell_tool: bool) -> list[str]:
    """What a call says beside its command line of where it is run, as options; of a tool that is more than a shell, all that
    it says beside it."""
    out: list[str] = []
    for name, said in tool_input.items() if isinstance(tool_input, Mapping) else ():
        key = str(name).lower()
        if key in _PLACES or (not shell_tool and key not in _OF_A_SHELL and not is_free_text(key)):
            given = said if isinstance(said, str) else str(said).lower() if isinstance(said, (int, float)) else ""
            if given and given != "false" and len(given) <= _MOST_SAID and not any(c.isspace() for c in given):
                out.append(f"--{_PLACES.get(key, key).replace('_', '-')}={given}")
    return out[:_MOST_BESIDE]


def _fields(value: Any, depth: int = 0) -> dict[str, list[Any]]:
    """The values that an input gives under each name, at whatever depth: an exception is bound to all of them. What lies
    too deep to be read is None, which keeps to no bound."""
    out: dict[str, list[Any]] = {}
    for name, given in value.items() if isinstance(value, Mapping) else ():
        for one in given or [None] if isinstance(given, list) else [given]:
            if isinstance(one, Mapping) and depth < _DEEPEST:
                for inner, values in _fields(one, depth + 1).items():
                    out.setdefault(str(inner), []).extend(values)
            else:
                out.setdefault(str(name), []).append(None if isinstance(one, (Mapping, list)) else one)
    return out


def _elsewhere(acts: Sequence[Act]) -> list[Act]:
    """What a remote login or a container is told to run: a person's rule holds there too."""
    out: list[Act] = []
    for act in acts:
        inner: list[Act] = []
        if act.tool == "ssh" or (act.tool in _EXECS and act.verb.rsplit(" ", 1)[-1] in ("exec", "run")):
            words = act.operands[1:]
            line = words[0] if len(words) == 1 else shlex.join(words)
            script = next((w for f, w in pairwise(words) if f in _SCRIPT_OPTIONS), "")
            for said in (line, script):
                inner += [*shell.parse_command(said), *_tees(shell.written_by(said))]
        if act.tool == "ansible":
            inner += ansible_acts(act)
        # Where it is done is a part of what is done.
        there = [f for f in act.flags if f.startswith(("--namespace=", "--context="))]
        there += [f"--host={act.operands[0]}"] if act.operands else []
        out += [replace(done, flags=(*done.flags, *there)) for done in inner]
    return out


def _written(line: str, acts: Sequence[Act]) -> list[Act]:
    """What a line writes besides what its commands name: the targets of its redirections, copies and moves."""
    files = list(shell.written_by(line))
    for act in acts:
        into = next((f.partition("=")[2] for f in act.flags if f.startswith("--target-directory=")), "")
        if (act.tool in _COPIES or _stores(act)) and (into or len(act.operands) > 1):
            files.append(into or act.operands[-1])
    return _tees(files)


def _tees(files: Sequence[str]) -> list[Act]:
    return [make_act("tee", "", (), (file,), f"tee {file}") for file in files]


def _fed(line: str, acts: Sequence[Act]) -> list[Act]:
    """What a command does to the files that another one lists for it (`ls *.py | xargs python`)."""
    listed = {
        text: tuple(name for one in choosers if one.tool in call_view.LISTS_FILES for name in one.operands)
        for text, choosers in (feeds(line) if len(line) <= call_view.MAX_LINE else {}).items()
    }
    return [
        make_act(act.tool, act.verb, act.flags, (*act.operands, *listed[act.text]), act.text)
        for act in acts
        if listed.get(act.text)
    ]


def _stores(act: Act) -> bool:
    """Whether the act copies to or from an object store: its last operand is written as well."""
    return act.tool in ("aws", "gsutil", "rclone", "gcloud") and act.verb.rsplit(" ", 1)[-1] in (
        "cp",
        "mv",
        "sync",
        "rsync",
    )


def leaves_branch_open(acts: Sequence[Act]) -> bool:
    """Whether a push or commit in it goes to a branch that only the session's history can tell."""
    named = branches.with_branch(acts)
    return any(
        a.tool == "git"
        and (
            (a.verb == "push" and (len(a.operands) < 2 or "HEAD" in a.operands))
            or (a.verb == "commit" and not branches.branch_after(named[:at]))
        )
        for at, a in enumerate(named)
    )


def parameters_of(act: Act, given: Mapping[str, Any], shelled: bool) -> dict[str, Any]:
    """Named parameters of one act: the fields of the input; of a command also what was parsed, which no field of the
    input can contradict. An option given twice holds a list."""
    out: dict[str, Any] = dict(given)
    meant = [one for name, value in given.items() if not _ASKS.search(name) for one in _listed(value)]
    domains = {mail[1].casefold() for one in meant if (mail := _MAIL.fullmatch(str(one)))}
    if domains:
        out.setdefault("email_domain", _one(sorted(domains)))
    if not shelled:
        return out
    parsed: dict[str, Any] = stored_at(act.operands)
    for flag in act.flags:
        name, found, value = flag.partition("=")
        if name.startswith("-"):
            key = name.lstrip("-").replace("-", "_")
            said: Any = value if found else True
            parsed[key] = [*_listed(parsed[key]), said] if key in parsed else said
    if act.verb.rsplit(" ", 1)[-1] in PUBLISHES:
        parsed["package"] = _published(act, parsed)
        parsed.setdefault("dist_tag", parsed.get("tag", "latest"))
    if act.tool == "git" and act.verb == "push":
        refs = list(act.operands[1:])
        parsed |= {
            "remote": act.operands[0] if act.operands else None,
            "source_branch": _one([_branch(r.partition(":")[0]) for r in refs]),
            "target_branch": _one([_branch(r.rpartition(":")[2]) for r in refs]),
        }
        parsed["branch"] = parsed["target_branch"]
    lasts = [hours for key in ("time", "walltime", "duration") if (hours := _hours(parsed.get(key))) is not None]
    if lasts:
        parsed["hours"] = _one(lasts)
    return out | parsed


def _hours(value: Any) -> float | None:
    """Hours of a length of time as job schedulers write it, `days-hours:minutes:seconds`; None for any other value."""
    found = _LASTS.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return days * 24 + hours + minutes / 60 + seconds / 3600


def stored_at(operands: Sequence[str]) -> dict[str, Any]:
    """Bucket and key of the objects in a store that an act names (`s3://bucket/a/b`); the key is its prefix as well."""
    found = [m for m in map(_OBJECT.fullmatch, operands) if m is not None]
    if not found:
        return {}
    keys = _one([m[2] for m in found])
    return {"bucket": _one([m[1] for m in found]), "key": keys, "prefix": keys}


def _published(act: Act, parsed: Mapping[str, Any]) -> Any:
    """The packages that an act publishes, None where its options and operands leave it open."""
    if act.operands or set(parsed) - _BESIDE_PACKAGES - set(_NAMES_PACKAGES):
        return None
    return _one([name for option in _NAMES_PACKAGES for name in _listed(parsed.get(option, []))])


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _branch(ref: str) -> str:
    return ref.removeprefix("refs/heads/")


def _one(values: list[Any]) -> Any:
    return (values[0] if len(values) == 1 else values) if values else None


def comparable(call: Call) -> model_forms.Seen:
    """The call as the forms that a model read in rules are compared with it."""
    line = shell.line_of(call.tool, call.tool_input)
    return model_forms.seen(call.acts, call.views, call.tool, call.tool_input, line=line)


def _when(call: Call, now: datetime, zone: tzinfo) -> datetime:
    """When what a call does happens: as it says itself, where it is one act."""
    return planned_at(call.views[0].texts, now, zone) if len(call.views) == 1 else now


def form_matches(
    forms: Sequence[model_forms.Form], text: str, call: Call, seen: model_forms.Seen, now: datetime, zone: tzinfo = UTC
) -> list[Mapping[str, Any]]:
    """Parameters of each act of the call that is of one of the forms of a rule at `now`; [] when none is."""
    if not forms or not in_hours(text, _when(call, now, zone), zone):
        return []
    found = model_forms.matches(forms, seen, shell.parse_pattern)
    return [call.parameters[at] if at < len(call.parameters) else {} for at in found]


def prose_matches(
    text: str, polarity: Polarity, call: Call, now: datetime, zone: tzinfo = UTC
) -> list[Mapping[str, Any]]:
    """Parameters of each act of the call that a rule's text speaks of at `now`; [] when it speaks of none."""
    if not in_hours(text, _when(call, now, zone), zone):
        return []
    today = now.astimezone(zone).date()
    views = [replace(view, today=today) for view in call.views]
    found = match_prose(text, polarity, call.acts, call.tool, call.tool_input, parse=shell.parse_pattern, views=views)
    if not found.matched:
        return []
    return [call.parameters[at] for at in found.acts] or [{}]
