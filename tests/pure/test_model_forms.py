"""Forms of calls that a model read in a person's rule: what is met by a call, and what is no form at all."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_ops.service.guard_calls import call_of, comparable
from bio_agent_ops.service.guard_rules import keys_of_form, read_forms
from bio_agent_workers import shell
from bio_agent_workers.brain.guarding import model_forms
from bio_agent_workers.rule_forms import mark_of

NONE = {"of": [], "side": "none", "bound": 0}


def form(command: str = "", words: Any = (), unless: Any = (), number: Any = NONE) -> dict[str, Any]:
    return {"command": command, "words": [list(w) for w in words], "unless": list(unless), "number": number}


def met(one: dict[str, Any], tool: str, tool_input: Any) -> bool:
    forms = model_forms.read([one])
    assert forms, "it is one that can be held against calls"
    seen = comparable(call_of(tool, tool_input))
    found = bool(model_forms.matches(forms, seen, shell.parse_pattern))
    keys = {word for shown in seen.shown.values() for word in model_forms.keys_of(shown)}
    for key in keys_of_form(forms[0]):
        if found and key[0] == "shown":  # type: ignore[index]
            assert {k[1] for k in keys_of_form(forms[0])} & keys, "the index finds what is met"  # type: ignore[index]
    return found


@pytest.mark.parametrize(
    ("command", "words", "line", "expected"),
    [
        ("dd of=<device>", [["/dev/sd*", "/dev/nvme*"]], "sudo dd if=a.iso of=/dev/sdb bs=4M", True),
        ("dd of=<device>", [["of=/dev/sd*", "of=/dev/nvme*"]], "dd if=/dev/sdb of=backup.img", False),
        ("aws s3 rb <bucket>", [["s3://acme-*"]], "aws --profile ops s3 rb s3://acme-2025 --force", True),
        ("aws s3 rb <bucket>", [["s3://acme-*"]], "aws s3 ls s3://acme-2025", False),
        ("git push <remote> :<ref>", [["refs/tags/v*"]], "git push origin :refs/tags/v2.3", True),
        ("", [["flushall", "flushdb"], ["redis-cli"]], "redis-cli -h cache1 FLUSHALL", True),
        ("", [["flushall", "flushdb"], ["redis-cli"]], "redis-cli -h cache1 DBSIZE", False),
        ("npm publish", [], "npm publish --dry-run", False),
    ],
)
def test_a_command_line(command: str, words: Any, line: str, expected: bool) -> None:
    assert met(form(command, words), "Bash", {"command": line}) is expected


DOOR = form(
    words=[["open", "open_door"], ["balcony", "ban công", "阳台"], ["living room", "living_room", "phòng khách"]],
    unless=["child_at=outside"],
)


@pytest.mark.parametrize(
    ("tool_input", "expected"),
    [
        ({"action": "open_door", "door": "balcony", "child_at": "living_room"}, True),
        ({"action": "openDoor", "door": "ban_cong", "childAt": "phong_khach"}, True),
        ({"action": "open_door", "door": "balcony", "child_at": "bedroom"}, False),
        ({"action": "close_door", "door": "balcony", "child_at": "living_room"}, False),
        ({"action": "open_door", "door": "阳台门", "child_at": "living_room"}, True),
        ({"action": "open_door", "door": "balcony", "child_at": "outside", "robot_at": "living_room"}, False),
    ],
)
def test_a_structured_call(tool_input: dict[str, Any], expected: bool) -> None:
    assert met(DOOR, "robot_action", tool_input) is expected


def test_a_field_that_says_no_shows_nothing_of_its_name() -> None:
    lift = form(words=[["enter lift"], ["people inside", "people_inside=true"]])
    assert met(lift, "robot_action", {"action": "enter_lift", "people_inside": 2})
    assert not met(lift, "robot_action", {"action": "enter_lift", "people_inside": 0})
    assert not met(lift, "robot_action", {"action": "enter_lift", "people_inside": False})


def test_a_value_of_a_field_and_an_amount() -> None:
    bare = form(words=[["hand over", "give"], ["knife"], ["sheathed=false", "sheath=off"]])
    assert met(bare, "robot", {"action": "hand_over", "object": "paring_knife", "sheathed": False})
    assert not met(bare, "robot", {"action": "hand_over", "object": "paring_knife", "sheathed": True})
    discount = form(words=[["sales order"]], number={"of": ["discount percent"], "side": "above", "bound": 15})
    order = {"action": "create_sales_order", "discount_percent": 17.5, "total": 36}
    assert met(discount, "erp_call", order)
    assert not met(discount, "erp_call", order | {"discount_percent": 15})
    assert not met(discount, "erp_call", {"action": "create_sales_order", "total": 36})


@pytest.mark.parametrize(
    "one",
    [
        form(),
        form(words=[["open"]]),
        form("<program> <arg>"),
        form(words=[[], ["  "]]),
        {"command": 3},
        "git push",
        None,
    ],
)
def test_what_tells_no_call_from_another_is_no_form(one: Any) -> None:
    assert model_forms.read([one]) == []


def test_a_form_that_meets_what_the_model_itself_says_is_not_meant_is_dropped() -> None:
    rule = "Never remove a docker volume."
    kept = {
        "of": mark_of(rule), "by": "m", "forms": [form("docker volume rm <name>"), form("docker volume")],
        "meant": ["docker volume rm data"], "not_meant": ["docker volume ls", '{"tool": "Bash", "input": {"command": "docker ps"}}'],
    }  # fmt: skip
    assert [f.command for f in read_forms(rule, kept)] == ["docker volume rm <name>"]
    assert read_forms("Never remove a docker image.", kept) == (), "of another text"
    assert read_forms(rule, kept | {"literal": True}) == ()
    assert read_forms(rule, {}) == ()


FIELDS = st.sampled_from(["command", "words", "unless", "number", "of", "side", "bound"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=True) | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(FIELDS, inner, max_size=5),
    max_leaves=20,
)


@given(ANYTHING)
def test_whatever_a_model_says_is_read_or_left_out(said: Any) -> None:
    forms = model_forms.read(said)
    assert all(isinstance(str(f), str) for f in forms)
    model_forms.matches(forms, comparable(call_of("Bash", {"command": "git push -f"})), shell.parse_pattern)


def test_a_form_that_everyday_commands_meet_is_dropped_and_a_long_call_is_read_quickly() -> None:
    rule = "Never push."
    kept = {
        "of": mark_of(rule),
        "forms": [form("git <verb>"), form("git"), form("cat <file>"), form("git push")],
        "not_meant": [],
    }
    assert [f.command for f in read_forms(rule, kept)] == ["git <verb>", "git push"]
    wide = form(words=[[f"*{a}{b}x*" for a in "abcdef" for b in "abcdef"]] * 12)
    began = time.process_time()
    seen = comparable(call_of("note", {"text": ["word " * 400] * 190}))
    model_forms.matches(model_forms.read([wide] * 24), seen, shell.parse_pattern)
    assert time.process_time() - began < 0.5
