"""People's rules read by a language model in the background: kept beside the rule, obeyed by the guard, set aside by a person."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from bio_agent_ops.auth import Caller
from bio_agent_ops.requests import Check, LiteralAct, NewBelief, PersonAct
from bio_agent_ops.service import guarding, people, reading
from bio_agent_ops.service.context import Context
from bio_agent_workers import rule_forms
from bio_agent_workers.brain.lifecycle import Act
from bio_agent_workers.models.protocol import ModelError, ModelReply, ModelRequest
from bio_agent_workers.runner import Runtime

OWNER = Caller("default", "owner", True, "owner")
RULE = "Hands off the archive of the north wing."
NO_NUMBER = {"of": [], "side": "none", "bound": 0}


class Reader:
    """A model that reads one form in each rule, and counts what it is asked."""

    model_id, offline = "test/reader", False

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.away = False

    def complete(self, request: ModelRequest) -> ModelReply:
        if self.away:
            raise ModelError("away", transient=True)
        self.asked.append([str(item["text"]) for item in request.items])
        form = {"command": "shelfctl wipe <name>", "words": [["north"]], "unless": ["--rehearse"], "number": NO_NUMBER}
        rules = [
            {"n": item["n"], "forms": [form, form | {"command": "shelfctl list"}], "meant": [], "not_meant": ["shelfctl list north"]}
            for item in request.items
        ]  # fmt: skip
        return ModelReply({"rules": rules}, "in", "out", self.model_id)


@pytest.fixture
def reader(ctx: Context) -> Reader:
    model = Reader()
    runtime = ctx.runtime
    ctx.__dict__["runtime"] = Runtime(ctx.db, replace(runtime.models, compile=model), ctx.settings)
    return model


def verdict(ctx: Context, command: str) -> str:
    return str(guarding.check(ctx, "default", Check(tool="Bash", tool_input={"command": command}))["verdict"])


def test_what_a_model_reads_in_a_rule_is_guarded_until_a_person_takes_it_literally(
    ctx: Context, reader: Reader
) -> None:
    rule: dict[str, Any] = people.add_belief(ctx, OWNER, NewBelief(content=RULE))
    assert verdict(ctx, "shelfctl wipe north") == "allow", "its words alone name no such command"
    assert rule_forms.tend(ctx.runtime) == 1
    assert verdict(ctx, "shelfctl wipe --now north") == "block"
    assert verdict(ctx, "shelfctl wipe --rehearse north") == "allow"
    assert verdict(ctx, "shelfctl wipe south") == "allow"
    assert verdict(ctx, "shelfctl list north") == "allow", "the model itself says that this is not meant"
    shown = reading.show_belief(ctx, "default", rule["id"])
    assert any("shelfctl wipe" in said and "test/reader" in said for said in shown["guarded_by"])
    assert any(step["act"] == "rule_read" for step in shown["history"]), shown["history"]
    assert rule_forms.tend(ctx.runtime) == 0
    assert reader.asked == [[RULE]], "asked once"

    people.take_literally(ctx, OWNER, rule["id"], LiteralAct(why="too wide"))
    assert verdict(ctx, "shelfctl wipe north") == "allow"
    assert rule_forms.tend(ctx.runtime) == 0
    people.take_literally(ctx, OWNER, rule["id"], LiteralAct(literal=False))
    assert verdict(ctx, "shelfctl wipe north") == "block"

    people.take_literally(ctx, OWNER, rule["id"], LiteralAct())
    people.act(ctx, OWNER, rule["id"], Act.UNDO, PersonAct())
    assert verdict(ctx, "shelfctl wipe north") == "block", "undo takes back that it is meant literally, not the rule"

    people.act(ctx, OWNER, rule["id"], Act.EDIT, PersonAct(content="Hands off the archive of the south wing."))
    assert verdict(ctx, "shelfctl wipe north") == "allow", "it was read in another text"
    assert rule_forms.tend(ctx.runtime) == 1
    assert verdict(ctx, "shelfctl wipe north") == "block"


def test_only_what_a_person_said_is_read_and_a_model_that_is_away_loses_nothing(ctx: Context, reader: Reader) -> None:
    from tests.services.test_guard import put

    put(ctx, "Do not run `make all` here: it failed.", "learned")
    for i in range(rule_forms.AT_ONCE + 1):
        people.add_belief(ctx, OWNER, NewBelief(content=f"Hands off shelf {i} of the archive."))
    reader.away = True
    assert rule_forms.tend(ctx.runtime) == 0
    reader.away = False
    assert rule_forms.tend_tenant(ctx.runtime, "default", time.monotonic() + 60) == rule_forms.AT_ONCE + 1
    assert sorted(map(len, reader.asked)) == [1, rule_forms.AT_ONCE]
    assert not any("make all" in said for part in reader.asked for said in part)


def test_a_rule_that_the_model_refuses_or_leaves_out_holds_the_others_up_no_longer(
    ctx: Context, reader: Reader
) -> None:
    for word in ("one", "two", "POISON", "four", "five"):
        people.add_belief(ctx, OWNER, NewBelief(content=f"Hands off shelf {word} of the archive."))
    answer = reader.complete

    def complete(request: ModelRequest) -> ModelReply:
        if any("POISON" in str(item["text"]) for item in request.items):
            raise ModelError("I will not", transient=False)
        reply = answer(request)
        return replace(
            reply, data={"rules": [r for r in reply.data["rules"] if len(request.items) == 1 or r["n"] != 1]}
        )

    reader.complete = complete  # type: ignore[method-assign]
    assert rule_forms.tend(ctx.runtime) == 5
    guarded = [b["guarded_by"] for b in reading.list_beliefs(ctx, "default")]
    assert sum(any("shelfctl" in form for form in forms) for forms in guarded) == 4
    assert rule_forms.tend(ctx.runtime) == 0, "asked once"


def test_without_a_model_nothing_is_asked(ctx: Context) -> None:
    people.add_belief(ctx, OWNER, NewBelief(content=RULE))
    assert rule_forms.tend(ctx.runtime) == 0
    assert verdict(ctx, "shelfctl wipe north") == "allow"
