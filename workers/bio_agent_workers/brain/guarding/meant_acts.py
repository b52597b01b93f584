"""Which acts a sentence speaks against, with those that people do not tell apart, and which a call does."""

from __future__ import annotations

import re

from bio_agent_workers.brain.guarding.act_words import ALIKE
from bio_agent_workers.brain.guarding.call_view import Call
from bio_agent_workers.brain.guarding.forbidden_acts import ANY_ACT
from bio_agent_workers.brain.guarding.sentence import Sentence

#: Things that only say which of a kind.
QUALIFIERS = frozenset({"prod", "staging"})
#: Acts by which a thing goes elsewhere, those that take it away, and those by which somebody is given a role.
_TRANSFERS = frozenset({"upload", "send", "share", "copy", "move", "export", "download"})
REMOVES = frozenset({"delete", "drop", "destroy", "clear", "truncate"})
_GIVES = frozenset({"create", "ad", "edit", "update", "set", "assign", "attach", "bind"})
_HOSTS = frozenset({"host", "server", "machine", "node", "computer", "vm"})
#: Words for what a project is built with.
_PACKAGES = re.compile(r"^(?:packages?|dependenc(?:y|ies)|librar(?:y|ies)|modules?|gói|viện)$|[包库]|依赖")
#: Acts that switch, and the fields that say what becomes of a thing.
_OFF, _ON = frozenset({"power off", "disable", "stop"}), frozenset({"power on", "enable", "start"})
_SETS = frozenset({"set", "update", "edit", "toggl"})
_SWITCHED = frozenset({"enabled", "active", "on", "power", "powered"})


def concepts(sentence: Sentence) -> set[str]:
    """The action concepts a sentence speaks against, with those that people do not tell apart."""
    out = set().union(*(ALIKE.get(a, {a}) for a in sentence.actions)) if sentence.actions else set()
    if {"leav", "exit"} & sentence.actions:
        if _HOSTS & set(sentence.kind_of.values()):
            out |= _TRANSFERS
        elif sentence.places or any("." in name for name in sentence.names):
            out |= {"upload", "send", "share"}  # a file leaves by being sent
    if "place" in sentence.actions and sentence.toward:
        out |= _TRANSFERS | {"commit", "import", "sync"}  # what is put into a store or folder goes there somehow
    if "print" in sentence.actions and (sentence.places or any("." in name for name in sentence.names)):
        out |= {"read"}  # a file is printed by what shows it
    if {"publish", "release"} & sentence.actions and QUALIFIERS & set(sentence.things):
        out |= {"deploy"}  # what is published "to production" is deployed
    if "edit" in sentence.actions:
        out |= {"put"}
    if "migrate" in sentence.actions:
        out |= {"alter"}
    if {"ad", "create"} & sentence.actions and any(map(_PACKAGES.search, sentence.said)):
        out |= {"install"}  # a package is added by installing it
    if "grant" in sentence.actions and "access" in sentence.said:
        out |= {"share", "ad", "invit"}
    if "grant" in sentence.actions and "role" in sentence.kind_of.values():
        out |= _GIVES
    return out | ({"grant", "revoke"} if "rights" in sentence.things and "edit" in out else set())


def acts_shown(call: Call) -> set[str]:
    """What a call does, also by the state to which it sets a thing: `set_flag(enabled=false)` switches off."""
    if _SETS.isdisjoint(call.actions):
        return call.actions
    ends = {on for key, on in call.states.items() if not _SWITCHED.isdisjoint(re.split(r"[^a-z]+", key.lower()))}
    return call.actions | (_OFF if False in ends else frozenset()) | (_ON if True in ends else frozenset())


def is_done(sentence: Sentence, wanted: set[str], call: Call) -> bool:
    """Whether a call does one of the acts that a sentence speaks against (`wanted`), or calls a tool it names."""
    if sentence.tools:
        return any(tool in call.tools for tool in sentence.tools)
    return bool(wanted & acts_shown(call)) or (ANY_ACT in wanted and not call.looks)
