"""What a call says, as words: its actions and tools, its objects, the paths, hosts, dates and numbers in it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import (
    SHELL_READS,
    is_dry,
    is_read,
    looks_only,
    spelling,
    word_set,
)
from bio_agent_workers.brain.guarding.act_kinds import adds_dependency, copy_direction
from bio_agent_workers.brain.guarding.act_words import (
    PUBLISHES,
    REGISTRY_OF,
)
from bio_agent_workers.brain.guarding.amounts import is_debt, to_number
from bio_agent_workers.brain.guarding.branches import PUSHES_ALL, branch_after, with_branch
from bio_agent_workers.brain.guarding.call_actions import actions_in, labels_of, undone
from bio_agent_workers.brain.guarding.call_words import environments, hosts_in, kind_of_host, meant_by, words_in
from bio_agent_workers.brain.guarding.choosers import chosen_by_act, names_sought
from bio_agent_workers.brain.guarding.commands import serves
from bio_agent_workers.brain.guarding.effects import actions_brought, leaves, pushed, replicas, served
from bio_agent_workers.brain.guarding.held_states import state_of
from bio_agent_workers.brain.guarding.http_calls import endpoint_of
from bio_agent_workers.brain.guarding.properties import act_gives, field_gives, made
from bio_agent_workers.brain.guarding.roles import FREE_TEXT, deeds, ends_of
from bio_agent_workers.brain.guarding.statements import kinds_of, sql_actions, tables_of
from bio_agent_workers.brain.guarding.structured import (
    is_free_text,
    runs_statements,
    state_action,
)
from bio_agent_workers.shell.feeds import feeds
from bio_agent_workers.shell.lines import folder_of, line_of
from bio_agent_workers.shell.tools import PROGRAMS as ALIASES

#: A name put together of plain words.
_JOINED = re.compile(r"[a-z]{3,}(?:-[a-z]{2,}){1,3}")
_ON_CONTAINERS = word_set("stop start restart rm kill pause unpause exec run up down create")
#: Words in the name of a tool behind what it works on, and at its end those that say only how.
_LINKS = word_set("by for from in on with to of at as via and or")
_MANNERS = word_set("bulk batch all request id ids async now list data info entry entries record records row rows")
#: Options that say who signs in, not what is worked on.
_SIGNS_IN = word_set("--user --username --login --password -U -u")
#: What kubectl does to pods without saying so.
_ON_PODS = word_set("exec logs attach port-forward cp")
#: Options that are acts of their own.
_DOES = word_set("approve delete remove publish deploy destroy purge merge disable revoke release")
#: Programs that list files, and characters of a line in which it is looked for what chooses the objects of a command.
LISTS_FILES = word_set("find ls fd fdfind locate")
MAX_LINE = 8_000
#: Options that name another registry than the public one.
_REGISTRY_OPTIONS = ("--registry", "--repository", "--index", "--publish-url", "--source", "-r")
_PUBLIC_REGISTRY = re.compile(
    r"=(?:crates-io|(?:test)?pypi)$|//(?:registry\.npmjs\.org|upload\.pypi\.org|rubygems\.org)\b"
)
_HOME = re.compile(r"^\$(?:HOME|\{HOME\})(?=/|$)")
_MAILS = word_set("mail email mailbox inbox")
#: Words of a call by which to post is to send a message.
_CHATS = word_set("slack chat channel teams discord telegram mattermost zalo lark")
#: Programs that work on files and folders alone.
_ON_FILES = word_set("rm rmdir unlink shred chmod chown chgrp mv cp touch truncate tee install ln")
_TRUNKS = word_set("main master trunk develop production release")


@dataclass(slots=True)
class Call:
    """What one act of a call says. index: its number among the acts. actions: concepts; tools: names it may be called by,
    lower case; words; paths it acts on; hosts; dates; numbers and texts by key. compounds: names of tables as words, the
    last saying what kind of thing it is; kinds: what a statement says it works on ("table"); sql: it
    holds one; said: words of text for
    people; denied: words of fields that are false; onto: the branch
    checked out. joined: parts of names such as `payment-gateway`; states: what its fields show to be on or off; towards:
    words of the place it leaves for. dry: it only shows what it would do; looks: it only reads. on_files: what it
    names are files and folders. sources, goals: words, hosts and paths of what something comes from and of what it goes to.
    today: the day of the call where that is known;
    about: words of its name behind the verb."""

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
    sql: bool = False
    said: set[str] = field(default_factory=set)
    denied: set[str] = field(default_factory=set)
    onto: set[str] = field(default_factory=set)
    joined: list[frozenset[str]] = field(default_factory=list)
    states: dict[str, bool] = field(default_factory=dict)
    towards: set[str] = field(default_factory=set)
    dry: bool = False
    looks: bool = False
    on_files: bool = False
    sources: set[str] = field(default_factory=set)
    goals: set[str] = field(default_factory=set)
    today: date | None = None
    about: set[str] = field(default_factory=set)

    def addresses(self, place: str) -> list[str]:
        """What of the call can lie beyond a place of this kind: absolute paths for a path, else hosts."""
        return [p for p in self.paths if p.startswith(("/", "~"))] if "/" in place else self.hosts


def _iso(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


def _add_value(call: Call, key: str, value: str) -> None:
    """Note a value for what it is: a number, an address, a text."""
    call.words |= environments(value)
    call.texts.setdefault(key, value)
    number = to_number(value)
    if number is not None and not key.endswith("id"):
        call.numbers.setdefault(key, number)
    call.hosts += hosts_in(value.lower())


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
    call.actions |= sql_actions(text)
    if not sql_actions(text):
        return
    call.sql = True
    call.words |= {"column", "columns"} if "update" in call.actions else set()
    call.kinds |= kinds_of(text)
    call.words |= kinds_of(text)
    call.words |= {kind.lower() for kind in re.findall(r"(?i)\b(column|constraint|partition)\b", text)}
    for table in tables_of(text):
        words = [word for word in re.split(r"[_\W]+", table) if word]
        call.words.update(words)
        _add_compound(call, words)


def _act_call(act: Act, cwd: str, context: set[str], structured: bool) -> Call:
    call = Call(dry=is_dry(act), looks=is_read(act))
    call.words |= context
    call.tools = {
        t.lower() for t in (act.tool, act.tool.rsplit("__", 1)[-1], act.tool.rsplit(".", 1)[-1], act.verb) if t
    }
    _add_actions(call, act, structured)
    call.words.update(spelling(act).split()[:2])
    call.words |= serves(act.tool)
    if act.verb.rsplit(" ", 1)[-1] in PUBLISHES:
        call.words |= {"registry", *REGISTRY_OF.get(act.tool, ())}
        named = [flag for flag in act.flags if flag.startswith(_REGISTRY_OPTIONS)]
        call.words |= {"public"} if all(map(_PUBLIC_REGISTRY.search, named)) else set()
    for at, value in enumerate(_values(act)):
        _add_operand(call, act, at, value, cwd, structured)
    if act.tool in ("env", "printenv") and act.operands:
        call.actions.discard("print")
    elif act.tool in ("env", "printenv"):
        call.words.add("environment")
    if act.tool in ("kubectl", "oc") and act.operands:
        call.kinds |= {act.operands[0]} if act.verb not in _ON_PODS else set()
        call.words |= {"pod", "pods"} if act.verb in _ON_PODS else set()
    call.actions |= {name for flag in act.flags if (name := flag[2:]) in _DOES and flag[:2] == "--"}
    if act.verb.rsplit(" ", 1)[-1] in ("cp", "sync", "mv", "rsync") or act.tool in ("scp", "rsync"):
        call.actions |= copy_direction(act)
    if act.tool == "crontab" and "-l" in act.flags:
        call.actions = {"read"}
    if act.tool == "sed" and not any(flag.startswith(("-i", "--in-place")) for flag in act.flags):
        call.actions.discard("edit")
    if not _MAILS.isdisjoint(call.words):
        call.words |= {"message", "messages"}
    for flag in act.flags:
        key, found, told = flag.partition("=")
        if flag.startswith(FREE_TEXT) or (call.sql and key in _SIGNS_IN):
            continue  # who signs in is not what is worked on
        if key not in _SIGNS_IN:
            call.words.update(words_in(key.lstrip("-"), labels=False))
        call.words.add(key)
        if key == "--force-with-lease" or (key == "--mirror" and act.tool == "git"):
            call.words.add("--force")  # rewrites the branch as well
        if found:
            call.words.update(words_in(told, labels=False))
            if key == "--host":
                call.words.add(kind_of_host(told))
            _add_statement(call, told)
            call.words |= meant_by(told)
            _add_value(call, key.lstrip("-"), told)
            if key.endswith("_VISIBLE_DEVICES"):
                call.words |= {"gpu", "gpus"}
                call.texts["gpu"] = told
    if "install" in call.actions and not structured and adds_dependency(act):
        call.words |= {"dependency", "dependencies"}
    if (
        act.tool in ("docker", "podman")
        and act.verb.rsplit(" ", 1)[-1] in _ON_CONTAINERS
        and act.verb.split(" ")[0] in (_ON_CONTAINERS | {"compose", "container"})
    ):
        call.words |= {"container", "containers"}
    if act.tool in ("gh", "glab") and act.verb.startswith(("pr", "mr")):
        call.words |= {"pull", "request", "requests"}
    if act.tool == "git" and act.verb == "push" and PUSHES_ALL.intersection(act.flags) - {"--tags"}:
        call.words |= _TRUNKS  # all branches, so these too
    call.words.update(words_in(act.verb, labels=True))
    call.words.update(act.verb.lower().replace("-", " ").split())
    call.words.update(words_in(act.tool, labels=True))
    _add_effects(call, act, structured)
    call.actions = undone(act, structured) or call.actions
    call.on_files = act.tool in _ON_FILES and bool(call.paths)
    came, goes = ends_of(act, structured)
    call.sources, call.goals = (_borne(values, cwd) for values in (came, goes))
    call.joined = [frozenset(word.split("-")) for word in call.words if _JOINED.fullmatch(word)]
    return call


def _borne(values: Sequence[str], cwd: str) -> set[str]:
    """Words, hosts and paths of some values."""
    out: set[str] = set()
    for value in values:
        out |= {
            *words_in(value, labels=False),
            *hosts_in(value.lower()),
            _lies(cwd, value),
        }
    return out


def _lies(cwd: str, value: str) -> str:
    """The path of what a command names in a folder."""
    named = _HOME.sub("~", value)
    return posixpath.normpath(named if named.startswith("~") else posixpath.join(cwd or ".", named))


def _add_effects(call: Call, act: Act, structured: bool) -> None:
    """What the act brings about beyond its verb: properties, states of other things, places left."""
    if {"post", "send"} & call.actions and not _CHATS.isdisjoint(call.words):
        call.actions |= {"post", "send"}
    if structured:
        call.towards = leaves(call.actions, call.texts)
        call.actions |= {"exit"} if call.towards else set()
        given = (
            {name for key, value in call.texts.items() for name in field_gives(key, value)} if not call.looks else set()
        )
    else:
        call.actions |= actions_brought(act)
        call.words |= served(act)
        if act.tool == "git" and act.verb == "push":
            call.words = call.words - {"branch", "branches"} | pushed(act)
        given = act_gives(act, call.words) if not call.looks else set()
        asked = replicas(act)
        if asked is not None:
            call.numbers["replicas"] = asked
    call.actions |= {made(name) for name in given}


def _add_actions(call: Call, act: Act, structured: bool) -> None:
    """What the act does, and what it thereby works on."""
    call.actions |= actions_in(act, structured)
    if structured and not looks_only(act):
        call.about = set(labels_of(act, structured)[1:])
        _add_compound(call, labels_of(act, structured)[1:])
    if "migrate" in call.actions:
        call.words |= {"database", "db"}
    if act.tool == "git" and act.verb == "push":
        call.words |= {"remote"}
    if endpoint_of(act) is not None:
        call.words |= {"api", "http"}


def _values(act: Act) -> list[str]:
    if any("$(" in operand or "`" in operand for operand in act.operands):  # what is put there, the chooser says
        act = replace(act, operands=tuple("$" if o.startswith(("$(", "`")) else o for o in act.operands))
    if act.tool == "git" and act.verb == "push":
        return [v.rsplit(":", 1)[-1].removeprefix("refs/heads/") if "://" not in v else v for v in act.operands]
    return list(act.operands)


def _add_operand(call: Call, act: Act, at: int, given: str, cwd: str, structured: bool) -> None:
    value = given
    key, found, told = value.partition("=")
    if act.tool == "dd" and found:
        if key != "of":
            return  # what is read from, and how
        value = told
    if structured and found:
        on = state_of(key, told)
        if on is not None:
            call.states[key] = on
        if told.lower() in ("false", "none", "null", "0", ""):
            call.denied.update(words_in(key, labels=True))
            return
        call.words.update(words_in(key, labels=True))
        number = to_number(told)
        if number is not None and is_debt(key):  # an amount that means a state
            (call.words if number else call.denied).add("debt")
        value = told
        call.actions |= {state_action(key, told)} - {""}
        if is_free_text(key) and not runs_statements(act.tool):
            call.said.update(words_in(value, labels=True))
            call.texts.setdefault(key, value)
            return
    # Compose joins project and name with "_".
    call.words.update(words_in(value, labels=structured or act.tool == "docker"))
    if act.tool not in SHELL_READS:  # a text that is searched for is not run
        _add_statement(call, value)
    call.paths.append(_lies(cwd, value) if "=" not in value else value)
    call.words |= meant_by(value) | ({ALIASES[value]} if value in ALIASES else set())
    _add_value(call, key if structured and found else str(at), value)
    when = _iso(value)
    if when is not None:
        call.dates.append(when)


def _add_chosen(call: Call, chooser: Act, cwd: str) -> None:
    """What is chosen by another command is what that one names: `docker stop $(docker ps -q --filter label=x)`."""
    for at, value in enumerate(chooser.operands):
        if chooser.tool in LISTS_FILES:
            _add_operand(call, chooser, at, value, cwd, False)
        else:
            call.words |= {*words_in(value, labels=False), *environments(value)}
    for flag in chooser.flags:
        told = flag.partition("=")[2]
        call.words |= {*words_in(told, labels=False), *environments(told)} if told else set()


def calls(acts: Sequence[Act], call_tool: str, call_input: Any, branch: str = "") -> list[Call]:
    """One view per act, relative paths resolved against the folders that the line itself enters. branch: the git branch
    that is known to be checked out, which a commit goes to."""
    out: list[Call] = []
    cwd, left, context = folder_of(call_input), "", set[str]()
    chosen: dict[str, set[str]] = {}
    line = line_of(call_tool, call_input)
    structured = line is None and isinstance(call_input, Mapping) and bool(acts) and len(acts) == 1
    fed = feeds(line) if line is not None and len(line) <= MAX_LINE else {}
    for index, act in enumerate(with_branch(acts)):
        if act.tool in ("cd", "pushd", "popd"):
            entered = next(iter(act.operands), "-" if act.tool == "popd" else "~")
            cwd, left = (left, cwd) if entered == "-" else (_lies(cwd, entered), cwd)
            context |= {word for word in words_in(entered, labels=False) if word not in ("", "-", "~")}
            continue
        if act.tool in ("echo", "printf"):
            continue
        on = ""
        if act.tool == "git" and act.verb != "push":
            on = branch_after(acts[:index], branch if act.verb == "commit" else "")
            call_words = set(words_in(on, labels=False)) - {""} if on else set()
        else:
            call_words = set()
        known = context | call_words | chosen.get("export", set()) | chosen.get(act.tool, set())
        chosen_by = fed.get(act.text, ())
        for deed in deeds(act):
            call = _act_call(deed, cwd, known, structured)
            call.index = index
            call.onto = call_words
            if on:
                call.texts.setdefault("branch", on)
            for chooser in chosen_by:
                _add_chosen(call, chooser, cwd)
            for pattern in names_sought(acts[:index], act):
                _add_operand(call, act, 0, pattern, cwd, structured)
            out.append(call)
        if act.tool == "git" and act.verb == "commit":
            for added in (a for a in acts[:index] if a.tool == "git" and a.verb == "add"):
                for at, operand in enumerate(added.operands):
                    _add_operand(call, added, at, operand, cwd, structured)
        words = chosen_by_act(act)
        if words:
            chosen[act.tool] = words if act.tool != "export" else chosen.get(act.tool, set()) | words
    return out
