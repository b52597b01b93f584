"""The git branch that acts work on, where a command leaves it to what is checked out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import make_act, word_set

#: Options of `git push` that say themselves what is pushed.
PUSHES_ALL = word_set("--all --mirror --tags --branches")
#: `release/2.x`, `v1.4`: a branch for all its dot.
VERSIONED = re.compile(r"(?:[\w.-]+/)*[A-Za-z]*[-_]?v?\d+(?:\.(?:\d+|x))+")
_NEW_BRANCH = ("-b=", "-B=", "-c=", "-C=", "--create=", "--orphan=")


def branch_after(acts: Sequence[Act], branch: str = "") -> str:
    """The git branch checked out after some acts, "" where it cannot be told. branch: the one before."""
    for act in acts:
        if act.tool != "git" or act.verb not in ("checkout", "switch"):
            continue
        made = next((f.partition("=")[2] for f in act.flags if f.startswith(_NEW_BRANCH)), "")
        named = [operand for operand in act.operands if not operand.startswith("-")]
        if made:
            branch = made
        elif act.verb == "switch" or (len(named) == 1 and ("." not in named[0] or VERSIONED.fullmatch(named[0]))):
            # `git checkout x.py` restores a file; "-" goes back to a branch that is not known.
            branch = named[0] if named else ""
    return branch


def with_branch(acts: Sequence[Act], branch: str = "") -> list[Act]:
    """The acts with the branch written out where `git push` leaves it to what is checked out (also as `HEAD`)."""
    out: list[Act] = []
    for at, act in enumerate(acts):
        now = branch_after(acts[:at], branch) if act.tool == "git" and act.verb == "push" else ""
        if now and not PUSHES_ALL.intersection(act.flags):
            named = [now if operand == "HEAD" else operand for operand in act.operands]
            if len(named) < 2:
                named = [*(named or ["origin"]), now]
            act = make_act(act.tool, act.verb, act.flags, named, act.text)
        out.append(act)
    return out
