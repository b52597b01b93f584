"""What one act chooses for others: the workspace or branch selected, the names that a `find` looks for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.call_words import environments, words_in

#: Acts that choose what the later commands of a tool work on, by tool: the verbs that do, and the options.
_CHOOSES = {
    "terraform": ("workspace select", "workspace new"),
    "kubectl": ("config use-context", "config set-context"),
    "docker": ("context use",),
    "gcloud": ("config set", "config configurations"),
    "az": ("account set",),
    "export": ("",),
}


def chosen_by_act(act: Act) -> set[str]:
    """Words that hold for the later commands of the tool: the branch checked out, the workspace selected."""
    if not any(act.verb == verb for verb in _CHOOSES.get(act.tool, ())) or "--" in act.operands:
        return set()
    named = list(act.operands[-1:]) + [f.partition("=")[2] for f in act.flags if f.startswith("--namespace=")]
    if act.tool == "export":
        named = [operand.partition("=")[2] for operand in act.operands]
    return {word for name in named for word in (*words_in(name, labels=False), *environments(name)) if word}


def names_sought(before: Sequence[Act], act: Act) -> list[str]:
    """The names that a `find` just before looks for, where the act is what it has done to what it finds."""
    found = next((a for a in reversed(before[-2:]) if a.tool == "find"), None)
    if found is None or not {"-exec", "-execdir", "-delete"} & set(found.flags) or not act.operands:
        return []
    words = found.text.split()
    named = [name.strip("'\"") for option, name in pairwise(words) if option in ("-name", "-iname")]
    return named if set(act.operands) & set(words) else []
