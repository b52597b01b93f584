"""What an act does, as action concepts: by its verb, by the table of commands, by the name of what it runs."""

from __future__ import annotations

import re
from functools import cache
from itertools import takewhile

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import (
    INTERPRETERS,
    TASK_RUNNERS,
    core,
    family,
    is_read,
    looks_only,
    names_the_act,
    word_set,
)
from bio_agent_workers.brain.guarding.act_words import ACTION_OF, actions_of
from bio_agent_workers.brain.guarding.branches import VERSIONED
from bio_agent_workers.brain.guarding.call_words import words_in
from bio_agent_workers.brain.guarding.commands import meaning, works_alone
from bio_agent_workers.brain.guarding.forbidden_acts import stem
from bio_agent_workers.brain.guarding.http_calls import ACTIONS as HTTP_ACTIONS
from bio_agent_workers.brain.guarding.http_calls import endpoint_of, last_word
from bio_agent_workers.brain.guarding.structured import known_action, nominal_actions, prepares, without_reach
from bio_agent_workers.brain.guarding.vocabulary import gerund
from bio_agent_workers.shell.tools import SPECS

#: First words of an act that ends or prevents the one behind them, and options that do.
_UNDOES = word_set("stop cancel abort undo unschedule halt quit interrupt prevent dismiss pause suspend end")
_UNDOING = word_set("--cancel --abort --quit --undo --disable-auto")
_TASK_PROGRAMS = word_set("redis-cli valkey-cli rails rake make just task invoke mix artisan gradle gradlew ufw pm2")
_NO_TASK = re.compile(r"[=*?\[]")
_SCRIPT = re.compile(r"\.(?:sh|bash|py|rb|pl|js|ts|ps1)$")
#: First words of the names of scripts that only look.
_CHECKS = word_set("check test tests verify validate list show status get lint dry preview plan print watch")
_PLAIN_WORD = re.compile(r"[a-z]{2,}(?:-[a-z]+)*")


def labels_of(act: Act, structured: bool) -> list[str]:
    """The words of an act's verb, for a structured call without one of the tool's own name."""
    said = act.verb or (act.tool.rsplit("__", 1)[-1] if structured else "")
    return [word for word in re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", said).lower()) if word]


def actions_in(act: Act, structured: bool) -> set[str]:
    """What the act does: by its verb, for a structured call also by the tool's own name."""
    labels = labels_of(act, structured)
    if structured and looks_only(act):
        return {"read", *actions_of(labels[:1])}
    known = meaning(act)
    if not structured and known.looks:  # `rollout status` rolls nothing out
        asked = re.split(r"[^a-z]", act.verb.rsplit(" ", 1)[-1])[0]
        return ({ACTION_OF[asked]} & {"read", "print"} if asked in ACTION_OF else {stem(asked)}) - {""}
    said = act.verb or (act.tool.rsplit("__", 1)[-1] if structured else "")
    out = actions_of([said.lower(), *words_in(said, labels=True), *said.lower().split(), *labels])
    out |= {stem(word) for word in (*labels, "-".join(labels))}
    if structured:
        out |= nominal_actions(labels)
        out = without_reach(out) if prepares(labels) else out
    else:
        out |= _of_command(act) | concepts(known.does)
    called = endpoint_of(act)
    if called is not None:
        out |= HTTP_ACTIONS.get(called.method, frozenset()) | ({known_action(last_word(called))} - {""})
    return out


@cache
def concepts(does: frozenset[str]) -> frozenset[str]:
    """Action concepts of plain verbs, and their stems: a sentence may be read either way ("add", "adding")."""
    known = {ACTION_OF[verb] for verb in does if verb in ACTION_OF}
    return frozenset(known | {stem(form) for verb in does for form in (verb, gerund(verb))})


def undone(act: Act, structured: bool) -> set[str]:
    """What an act does that ends, cancels or prevents another one: that and nothing else; empty for any other act."""
    labels = labels_of(act, structured)
    if structured and len(labels) > 1 and labels[0] in _UNDOES and not {"and", "then"} & set(labels):
        return actions_of(labels[:1]) | {stem(labels[0])}
    return {"cancel"} if not _UNDOING.isdisjoint(act.flags) else set()


def _of_command(act: Act) -> set[str]:
    """What a command does by the task or script that it names, and by its options."""
    out = {"rename"} if _renames(act) else set()
    task = _task(act)
    script = act.operands[0].rsplit("/", 1)[-1] if act.tool in INTERPRETERS and act.operands else ""
    if _SCRIPT.search(script):
        task = f"{task}:{script.lower()}".lstrip(":")
    parts = re.split(r"[:_.-]", task)
    if parts[0] not in _CHECKS and parts[-1] != "status":  # `check-deploy.sh` deploys nothing
        out |= actions_of([task, *parts])
    if task or act.tool in INTERPRETERS | TASK_RUNNERS:
        out.add("run")
    if act.verb == "" and act.tool in ACTION_OF:
        out.add(ACTION_OF[act.tool])
    program = core(act)  # what a runner starts: `bundle exec cap production deploy`
    known = meaning(act)
    # What works on files alone is not said to be run.
    unlisted = program not in SPECS and not is_read(act) and not (works_alone(program) and not known.to)
    unlisted = unlisted and (not act.verb or program != family(act))
    out |= {"run"} if unlisted else set()
    if unlisted and not known.does:
        out |= _leading_acts(act)
    return out | ({"edit"} if act.tool == "git" and act.verb == "checkout" and _names_files(act) else set())


def _renames(act: Act) -> bool:
    """Whether a move leaves a thing in its folder under another name."""
    moved = act.tool == "mv" or (act.tool == "git" and act.verb == "mv")
    if not moved or len(act.operands) != 2:
        return False
    old, new = (operand.rstrip("/").rpartition("/")[0] for operand in act.operands)
    return old == new


def _task(act: Act) -> str:
    """The task an act runs where the program does what it is told by name (`rails db:migrate`, `manage.py migrate`)."""
    folder, _, name = act.tool.rpartition("/")
    if folder and not folder.endswith("init.d"):
        return name.lower() if _SCRIPT.search(name) else ""
    if act.tool == "rc-service":
        return act.operands[-1] if act.operands else ""
    if act.tool in _TASK_PROGRAMS or act.tool.endswith("ctl") or folder:
        return next((o.lower() for o in act.operands if not _NO_TASK.search(o)), "")
    return next((o.lower() for at, o in enumerate(act.operands) if at and names_the_act(act, at)), "")


def _leading_acts(act: Act) -> set[str]:
    """What a program that no table knows is told to do by the plain words it begins with (`doctl compute droplet delete 7`)."""
    plain = list(takewhile(_PLAIN_WORD.fullmatch, act.operands[:4]))
    return set().union(*(actions_of([word, *word.split("-")]) for word in plain), map(stem, plain[:2]))


def _names_files(act: Act) -> bool:
    """Whether a checkout takes files from a commit instead of changing the branch."""
    named = [operand for operand in act.operands if operand != "--"]
    return len(named) > 1 or any("." in o.rsplit("/", 1)[-1] and not VERSIONED.fullmatch(o) for o in named)
