"""What a call says, as words: its actions and tools, its objects, the paths, hosts, dates and numbers in it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from bio_agent_schema.types import Act
from bio_agent_workers.brain.act_forms import (
    SHELL_READS,
    family,
    is_dry,
    is_read,
    looks_only,
    make_act,
    names_the_act,
    spelling,
    word_set,
)
from bio_agent_workers.brain.act_words import (
    ACTION_OF,
    COMMANDS,
    LIGHT_VERBS,
    NOMINAL_ACTIONS,
    SERVES,
    actions_of,
)
from bio_agent_workers.brain.amounts import to_number
from bio_agent_workers.brain.sentences import stem

#: Options whose value is text for people.
_FREE_TEXT = ("--message=", "--body=", "--title=", "-m=", "--notes=", "--description=")


#: Acts that choose what the later commands of a tool work on, by tool: the verbs that do, and the options.
_CHOOSES = {
    "terraform": ("workspace select", "workspace new"),
    "kubectl": ("config use-context", "config set-context"),
    "docker": ("context use",),
    "gcloud": ("config set", "config configurations"),
    "az": ("account set",),
    "export": ("",),
}
#: Words that name a kind of environment, and those that turn such a name into another one ("prod-test", "non-prod").
_LIVE = word_set("prod production live prd")
_NOT_LIVE = word_set("non not no pre test tests testing dev staging stage stg sandbox sim demo like copy backup")
_SQL_KIND = re.compile(r"(?i)\b(?:drop|truncate|alter)\s+(table|database|schema|index|view|user|role)\b")
_SQL_TABLE = re.compile(
    r"(?i)\b(?:from|into|update|table|truncate)\s+(?!table\b|if\b|only\b)(?:if\s+exists\s+|only\s+)?[\"'`\[]?(\w[\w.\"]*)"
)
_HOST = re.compile(r"^(?:[a-z][a-z0-9+.-]*://)?(?:[^@\s/]*@)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d+)?(?:[/?#].*)?$")
_MAIL = re.compile(r"[^@\s<>,;]+@([a-z0-9-]+(?:\.[a-z0-9-]+)+)")
_TASK_PROGRAMS = word_set("rails rake make just task invoke mix artisan gradle gradlew ufw pm2")
_SCRIPT = re.compile(r"\.(?:sh|bash|py|rb|pl|js|ts|ps1)$")
_ON_CONTAINERS = word_set("stop start restart rm kill pause unpause exec run up down create")
#: Words in the name of a tool behind what it works on, and at its end those that say only how.
_LINKS = word_set("by for from in on with to of at as via and or")
_MANNERS = word_set("bulk batch all request id ids async now list data info entry entries record records row rows")
#: First words of the names of scripts that only look.
_CHECKS = word_set("check test tests verify validate list show status get lint dry preview plan print watch")
#: Options of `git push` that say themselves what is pushed.
_PUSHES_ALL = word_set("--all --mirror --tags --branches")
_TRUNKS = word_set("main master trunk develop production release")
_NEW_BRANCH = ("-b=", "-B=", "-c=", "-C=", "--create=", "--orphan=")


@dataclass(slots=True)
class Call:
    """What one act of a call says. index: its number among the acts. actions: concepts; tools: names it may be called by,
    lower case; words; paths it acts on; hosts; dates; numbers and texts by key. compounds: names of tables as words, the
    last saying what kind of thing it is; kinds: what a statement says it works on ("table"). dry: it only shows what it
    would do; looks: it only reads."""

    index: int = 0
    actions: set[str] = field(default_factory=set)
    tools: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    paths: list[str] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)
    dates: list[date] = field(default_factory=list)
    numbers: dict[str, Decimal] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    compounds: list[tuple[str, ...]] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)
    dry: bool = False
    looks: bool = False

    def addresses(self, place: str) -> list[str]:
        """What of the call can lie beyond a place of this kind: absolute paths for a path, else hosts."""
        return [p for p in self.paths if p.startswith(("/", "~"))] if "/" in place else self.hosts


def _iso(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _split(text: str, *, labels: bool) -> Iterable[str]:
    """Words of a value: its parts between `/ = : , .` and blanks; a label (`soup_jar`, `hotPan`) also at `_`."""
    lowered = text.lower()
    yield lowered
    parts = re.split(r"[/=:,\s\"'()@;]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text).lower() if labels else lowered)
    for part in parts:
        yield part
        yield from part.split(".")
        if labels:
            yield from re.split(r"[_\s]+", part)
            yield part.replace("_", " ")


def _environments(text: str) -> set[str]:
    """ "prod" for a name such as `prod-eu` or `eks_prod`, unless it says that it is none ("non-prod", "prod-test")."""
    out: set[str] = set()
    for token in re.split(r"[/:,=\s]+", text.lower()):
        parts = re.split(r"[-_.]+", token)
        if len(parts) > 1 and not _NOT_LIVE.intersection(parts):
            out.update(_LIVE.intersection(parts))
    return out


def _add_value(call: Call, key: str, value: str) -> None:
    """Note a value for what it is: a number, an address, a text."""
    call.words |= _environments(value)
    call.texts.setdefault(key, value)
    number = to_number(value)
    if number is not None and not key.endswith("id"):
        call.numbers.setdefault(key, number)
    lowered = value.lower()
    call.hosts += _MAIL.findall(lowered)
    host = _HOST.match(lowered)
    if host is not None and "@" not in lowered.partition("://")[2] + lowered:
        call.hosts.append(host.group(1))


def _sql_actions(text: str) -> set[str]:
    found = {
        word.lower() for word in re.findall(r"(?i)(?:^|;)\s*(drop|delete|truncate|update|insert|alter|grant)\b", text)
    }
    return found | actions_of(found)


def _add_compound(call: Call, words: Sequence[str]) -> None:
    """Note what a name of several words names: `order_drafts` are drafts, `journal_entries` a journal's."""
    named = [word for word in words if word]
    named = named[: next((at for at, word in enumerate(named) if word in _LINKS), len(named))]
    while len(named) > 1 and named[-1] in _MANNERS:
        named.pop()
    if len(named) > 1:
        call.compounds.append(tuple(named))


def _add_statement(call: Call, text: str) -> None:
    """What a statement of SQL does, to what kind of thing, and the words in its tables' names (`journal_entries`)."""
    call.actions |= _sql_actions(text)
    if not _sql_actions(text):
        return
    call.kinds |= {kind.lower() for kind in _SQL_KIND.findall(text)}
    for table in _SQL_TABLE.findall(text):
        words = [word for word in re.split(r"[_\W]+", table.rsplit(".", 1)[-1].lower()) if word]
        call.words.update(words)
        _add_compound(call, words)


def _act_call(act: Act, cwd: str, context: set[str], structured: bool) -> Call:
    call = Call(dry=is_dry(act), looks=is_read(act))
    call.words |= context
    call.tools = {
        t.lower() for t in (act.tool, act.tool.rsplit("__", 1)[-1], act.tool.rsplit(".", 1)[-1], act.verb) if t
    }
    _add_actions(call, act, structured)
    if spelling(act).startswith(("sudo", "doas")):
        call.words.add("sudo")
    for at, value in enumerate(_values(act)):
        _add_operand(call, act, at, value, cwd, structured)
    if act.tool in ("env", "printenv") and act.operands:
        call.actions.discard("print")
    elif act.tool in ("env", "printenv"):
        call.words.add("environment")
    if act.tool == "sed" and not any(flag.startswith(("-i", "--in-place")) for flag in act.flags):
        call.actions.discard("edit")
    for flag in act.flags:
        if flag.startswith(_FREE_TEXT):
            continue
        key, found, told = flag.partition("=")
        call.words.update(_split(key.lstrip("-"), labels=False))
        call.words.add(key)
        if key == "--force-with-lease":
            call.words.add("--force")  # rewrites the branch as well
        if found:
            call.words.update(_split(told, labels=False))
            _add_statement(call, told)
            _add_value(call, key.lstrip("-"), told)
    call.words |= SERVES.get(act.tool, frozenset())
    if "install" in call.actions and act.operands and not structured:
        call.words |= {"dependency", "dependencies"}
    if (
        act.tool in ("docker", "podman")
        and act.verb.rsplit(" ", 1)[-1] in _ON_CONTAINERS
        and act.verb.split(" ")[0] in (_ON_CONTAINERS | {"compose", "container"})
    ):
        call.words |= {"container", "containers"}
    if act.tool in ("gh", "glab") and act.verb.startswith(("pr", "mr")):
        call.words |= {"pull", "request", "requests"}
    if act.tool == "git" and act.verb == "push" and _PUSHES_ALL.intersection(act.flags) - {"--tags"}:
        call.words |= _TRUNKS  # all branches, so these too
    call.words.update(_split(act.verb, labels=True))
    call.words.update(act.verb.lower().replace("-", " ").split())
    call.words.update(_split(act.tool, labels=True))
    return call


def _add_actions(call: Call, act: Act, structured: bool) -> None:
    """What the act does: by its verb, by the table of commands, for a structured call also by the tool's own name."""
    said = act.verb or (act.tool.rsplit("__", 1)[-1] if structured else "")
    labels = [word for word in re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", said).lower()) if word]
    if structured and looks_only(act):
        call.actions |= {"read", *actions_of(labels[:1])}
        return
    call.actions |= actions_of([said.lower(), *_split(said, labels=True), *said.lower().split(), *labels])
    if structured and labels and labels[0] in LIGHT_VERBS:
        # "create_payment" pays, "submit_transfer" transfers.
        call.actions |= {NOMINAL_ACTIONS[word] for word in labels[1:] if word in NOMINAL_ACTIONS}
    call.actions |= {stem(word) for word in labels}
    if structured:
        _add_compound(call, labels[1:])
    task = _task(act) if not structured else ""
    parts = re.split(r"[:_.-]", task)
    if parts[0] not in _CHECKS and parts[-1] != "status":  # `check-deploy.sh` deploys nothing
        call.actions |= actions_of([task, *parts])
    if act.tool == "ssh" and not SHELL_READS.intersection(act.operands[1:3]):
        call.actions |= actions_of(act.operands[1:])
    if "migrate" in call.actions:
        call.words |= {"database", "db"}
    name = family(act)
    for known in (name, act.tool, " ".join(name.split()[:2])):
        if COMMANDS.get(known):
            call.actions.add(COMMANDS[known])
    if not structured and act.verb == "" and act.tool in ACTION_OF:
        call.actions.add(ACTION_OF[act.tool])
    if act.tool == "git" and (act.verb == "restore" or (act.verb == "checkout" and _names_files(act))):
        call.actions.add("edit")
    if act.tool == "git" and any(f in ("--delete", "--delete-force") for f in act.flags):
        call.actions.add("delete")


def _task(act: Act) -> str:
    """The task an act runs where the program does what it is told by name (`rails db:migrate`, `manage.py migrate`)."""
    folder, _, name = act.tool.rpartition("/")
    if folder and not folder.endswith("init.d"):
        return name.lower() if _SCRIPT.search(name) else ""
    if act.tool == "rc-service":
        return act.operands[-1] if act.operands else ""
    if act.tool in _TASK_PROGRAMS or act.tool.endswith("ctl") or folder:
        return next((o.lower() for o in act.operands if "=" not in o), "")
    return next((o.lower() for at, o in enumerate(act.operands) if at and names_the_act(act, at)), "")


def _names_files(act: Act) -> bool:
    """Whether a checkout takes files from a commit instead of changing the branch."""
    named = [operand for operand in act.operands if operand != "--"]
    return len(named) > 1 or any("." in operand.rsplit("/", 1)[-1] for operand in named)


def _values(act: Act) -> list[str]:
    if act.tool == "git" and act.verb == "push":
        return [v.rsplit(":", 1)[-1].removeprefix("refs/heads/") if "://" not in v else v for v in act.operands]
    return list(act.operands)


def _add_operand(call: Call, act: Act, at: int, given: str, cwd: str, structured: bool) -> None:
    value = given
    key, found, told = value.partition("=")
    if structured and found:
        if told in ("false", "none", "null", "0", ""):
            return
        call.words.update(_split(key, labels=True))
        value = told
    # Compose joins project and name with "_".
    call.words.update(_split(value, labels=structured or act.tool == "docker"))
    if act.tool not in SHELL_READS:  # a text that is searched for is not run
        _add_statement(call, value)
    call.paths.append(posixpath.normpath(posixpath.join(cwd or ".", value)) if "=" not in value else value)
    _add_value(call, key if structured and found else str(at), value)
    when = _iso(value)
    if when is not None:
        call.dates.append(when)


def _chosen(act: Act) -> set[str]:
    """Words that hold for the later commands of the tool: the branch checked out, the workspace selected."""
    if not any(act.verb == verb for verb in _CHOOSES.get(act.tool, ())) or "--" in act.operands:
        return set()
    named = list(act.operands[-1:]) + [f.partition("=")[2] for f in act.flags if f.startswith("--namespace=")]
    if act.tool == "export":
        named = [operand.partition("=")[2] for operand in act.operands]
    return {word for name in named for word in (*_split(name, labels=False), *_environments(name)) if word}


def calls(acts: Sequence[Act], call_tool: str, call_input: Any, branch: str = "") -> list[Call]:
    """One view per act, relative paths resolved against the folders that the line itself enters. branch: the git branch
    that is known to be checked out, which a commit goes to."""
    out: list[Call] = []
    cwd, context = "", set[str]()
    chosen: dict[str, set[str]] = {}
    # A shell call holds its line in the input; any other input is structured.
    structured = isinstance(call_input, Mapping) and bool(acts) and acts[0].tool == call_tool and len(acts) == 1
    for index, act in enumerate(with_branch(acts)):
        if act.tool in ("cd", "pushd") and act.operands:
            cwd = posixpath.normpath(posixpath.join(cwd, act.operands[0]))
            context |= {word for word in _split(act.operands[0], labels=False) if word}
            continue
        if act.tool in ("echo", "printf"):
            continue
        if act.tool == "git" and act.verb != "push":
            on = branch_after(acts[:index], branch if act.verb == "commit" else "")
            call_words = set(_split(on, labels=False)) - {""} if on else set()
        else:
            call_words = set()
        known = context | call_words | chosen.get("export", set()) | chosen.get(act.tool, set())
        call = _act_call(act, cwd, known, structured)
        call.index = index
        if act.tool == "git" and act.verb == "commit":
            for added in (a for a in acts[:index] if a.tool == "git" and a.verb == "add"):
                for at, operand in enumerate(added.operands):
                    _add_operand(call, added, at, operand, cwd, structured)
        out.append(call)
        words = _chosen(act)
        if words:
            chosen[act.tool] = words if act.tool != "export" else chosen.get(act.tool, set()) | words
    return out


def branch_after(acts: Sequence[Act], branch: str = "") -> str:
    """The git branch checked out after some acts, "" where it cannot be told. branch: the one before."""
    for act in acts:
        if act.tool != "git" or act.verb not in ("checkout", "switch"):
            continue
        made = next((f.partition("=")[2] for f in act.flags if f.startswith(_NEW_BRANCH)), "")
        named = [operand for operand in act.operands if not operand.startswith("-")]
        if made:
            branch = made
        elif act.verb == "switch" or (len(named) == 1 and "." not in named[0]):
            # `git checkout x.py` restores a file; "-" goes back to a branch that is not known.
            branch = named[0] if named else ""
    return branch


def with_branch(acts: Sequence[Act], branch: str = "") -> list[Act]:
    """The acts with the branch written out where `git push` leaves it to what is checked out (also as `HEAD`)."""
    out: list[Act] = []
    for at, act in enumerate(acts):
        now = branch_after(acts[:at], branch) if act.tool == "git" and act.verb == "push" else ""
        if now and not _PUSHES_ALL.intersection(act.flags):
            named = [now if operand == "HEAD" else operand for operand in act.operands]
            if len(named) < 2:
                named = [*(named or ["origin"]), now]
            act = make_act(act.tool, act.verb, act.flags, named, act.text)
        out.append(act)
    return out
