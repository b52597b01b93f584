"""The agents of `bench kitchen`, what its worlds show, and its report. The worlds themselves only where they are installed."""

from __future__ import annotations

import random
import re
import shutil
import sys
from pathlib import Path

import pytest

import bio_agent_schema
import bio_agent_workers
from bio_agent_ops.bench import kitchen, kitchen_cooking, kitchen_report, kitchen_science
from bio_agent_ops.bench.kitchen_agent import Seen
from bio_agent_ops.bench.kitchen_report import Arm, Played
from bio_agent_ops.bench.kitchen_world import WORLDS, Step

LOOK = """This outside location is called the outside. Here you see:
\tthe agent
\ta substance called air
\tan axe
\ta dove egg
\ta red box (containing nothing)
\tthe ground
You also see:
\tA door to the foundry (that is closed)
\tA door to the kitchen (that is open)
"""

# ------------------------------------------------------------------------------------------------------ cookingworld


def test_the_cook_follows_the_context_and_guesses_without_it() -> None:
    valid = ("cook leek in oven", "cook leek in stove", "drop leek", "move south")
    window = [Seen("read cookbook", "Ingredients:\n  leek\n\nDirections:\n  fry the leek\n  prepare meal\n")]
    alone = {kitchen_cooking.choose("", window, valid, random.Random(n)).action for n in range(20)}
    assert alone == {"cook leek in oven", "cook leek in stove"}
    told = (
        "- Goal in hand: fry the leek\n- Open goals: fry the leek; eat meal\n"
        "- For this goal, worked before: `cook leek in stove` (2 times)"
    )
    assert kitchen_cooking.choose(told, [], valid, random.Random(0)).action == "cook leek in stove"
    warned = told.replace("worked before: `cook leek in stove`", "failed before: `cook leek in oven`")
    assert {kitchen_cooking.choose(warned, [], valid, random.Random(n)).action for n in range(20)} == {
        "cook leek in stove"
    }


def test_the_cook_goes_where_the_context_says_that_the_thing_is() -> None:
    told = (
        "- Goal in hand: take salt\n- Open goals: take salt\n- Here: corridor. Exits: south to kitchen; east to yard\n"
        "- Seen before, just now: kitchen. Things: oven. Exits: north to corridor; west to pantry\n"
        "- Seen before, 2 min ago: pantry. Things: shelf; salt. Exits: east to kitchen"
    )
    assert kitchen_cooking.choose(told, [], ("move east", "move south"), random.Random(1)).action == "move south"


def test_a_snapshot_of_the_kitchen_is_read_off_what_it_shows() -> None:
    text = (
        "You are in the kitchen. In one part of the room you see a stove. There is also a counter that has a knife, a red"
        " apple, and some salt on it. \nTo the North you see the pantry. "
    )
    assert kitchen_cooking.surroundings(Step("look around", text, ())) == {
        "place": "kitchen",
        "exits": {"north": "pantry"},
        "objects": ["stove", "counter", "knife", "red apple", "salt"],
    }
    assert kitchen_cooking.surroundings(Step("prepare meal", "Adding the meal to your inventory.", ())) is None


# ------------------------------------------------------------------------------------------------------ scienceworld


@pytest.mark.parametrize(
    ("task", "goals"),
    [
        (
            "Your task is to find a(n) living thing. First, focus on the thing. Then, move it to the red box in the kitchen.",
            ["focus on living thing", "move living thing to the red box in the kitchen"],
        ),
        (
            "Your task is to find the animal with the longest life span, then the shortest life span. First, focus on the"
            " animal with the longest life span.  Then, focus on the animal with the shortest life span. The animals are in"
            " the 'outside' location.",
            [
                "focus on the animal with the longest life span in the outside",
                "focus on the animal with the shortest life span in the outside",
            ],
        ),
        ("This room is called the hallway. You focus on nothing.", []),
    ],
)
def test_the_goals_of_a_task_are_its_sentences(task: str, goals: list[str]) -> None:
    assert kitchen_science.task_goals(task) == goals


def test_what_is_on_offer_and_what_is_seen_are_read_off_the_look() -> None:
    valid = kitchen_science.offered(LOOK, "In your inventory, you see:\n\tan orange\n")
    assert {"focus on axe", "pick up dove egg", "move orange to red box", "put down orange", "go to kitchen"} <= {
        *valid
    }
    assert "open door to foundry" in valid
    assert not [a for a in valid if "agent" in a or "ground" in a or "air" in a]
    seen = kitchen_science.surroundings(Step("look around", LOOK, valid))
    assert seen is not None
    assert (seen["place"], seen["objects"], [*seen["exits"]]) == (
        "outside",
        ["axe", "dove egg"],
        ["foundry", "kitchen"],
    )


def test_the_seeker_follows_the_context_and_reads_its_task_again_without_one() -> None:
    valid = kitchen_science.offered(LOOK, "")
    assert kitchen_science.choose("", [Seen("", LOOK)], valid, random.Random(0)).action == "task"
    goal = "focus on the animal with the longest life span in the outside"
    told = f"- Goal in hand: {goal}\n- Open goals: {goal}\n- Here: outside. Things: axe; dove egg"
    guesses = {kitchen_science.choose(told, [], valid, random.Random(n)).action for n in range(20)}
    assert guesses == {"focus on axe", "focus on dove egg"}
    worked = told + "\n- For this goal, worked before: `focus on dove egg` (1 time)"
    assert kitchen_science.choose(worked, [], valid, random.Random(0)).action == "focus on dove egg"
    move = "move living thing to the red box in the kitchen"
    moving = (
        f"- Goal in hand: {move}\n- Open goals: {move}\n- Done here, newest last (just now): `focus on dove egg` ok"
    )
    assert kitchen_science.choose(moving, [], valid, random.Random(0)).action == "move dove egg to red box"


# ------------------------------------------------------------------------------------------------------------- report


def test_games_that_come_again_are_reported_apart() -> None:
    played = [
        Played(0, "a", first=True, new_goals=1, success=False, interrupted=True, returned=-1),
        Played(1, "b", first=True, success=True, steps=4, interrupted=True, returned=3),
        Played(2, "a", first=False, success=True, steps=2),
    ]
    other = [Played(0, "a", interrupted=True, returned=2, success=True), Played(1, "b"), Played(2, "a")]
    world = kitchen_cooking.Cooking.__new__(kitchen_cooking.Cooking)
    told = kitchen_report.of_world(
        world, range(3), {"none": Arm(played, [], 1.0, 1.0), "memory": Arm(other, [], 1.0, 1.0)}
    )
    assert told["games"] == {"distinct": 2, "episodes": 3, "played_most_often": 2}
    none = told["arms"]["none"]
    assert none["first_time_games"] == {"episodes": 2, "success": 1}
    assert none["repeated_games"] == {"episodes": 1, "success": 1}
    assert none["with_a_goal_of_new_words"] == {"episodes": 1, "success": 0}
    assert (none["all"]["interrupted"], none["all"]["returned"]) == (2, 1)
    both = told["interrupted_in_every_arm"]
    assert (both["episodes"], both["arms"]["none"]["returned"], both["arms"]["memory"]["returned"]) == (1, 0, 1)


def test_the_memory_has_no_word_of_the_worlds() -> None:
    words = re.compile(r"\b(stove|oven|barbeque|toaster|cookbook|cookingworld|scienceworld|life span|axe)\b", re.I)
    for package in (bio_agent_workers, bio_agent_schema):
        root = Path(package.__file__ or "").parent
        assert not [p.name for p in root.rglob("*.py") if words.search(p.read_text("utf-8"))]


# --------------------------------------------------------------------------------------------------------- the worlds


def test_a_world_that_is_not_installed_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for package in ("textworld_express", "scienceworld"):
        monkeypatch.setitem(sys.modules, package, None)
    for name in WORLDS:
        with pytest.raises(SystemExit) as end:
            kitchen.command(["--world", name], as_json=False)
        assert end.value.code == 2
        assert "pip install 'bio-agent-os[kitchen]'" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "package"), [("cookingworld", "textworld_express"), ("scienceworld", "scienceworld")])
def test_a_seed_is_a_game_and_the_agent_can_play_it(name: str, package: str) -> None:
    pytest.importorskip(package, reason="the extra bio-agent-os[kitchen] is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed")
    world = WORLDS[name]()
    try:
        first = world.reset(3)
        game = world.game()
        assert ("look around" in first.valid, first.over) == (True, False)
        assert (seen := world.snapshot(first)) is not None
        assert seen["place"]
        assert world.step("swallow the house").failed
        played = kitchen.play(world, 3, None, random.Random(3), kitchen.Past(), interrupted=False)
        assert played.game == game, "the same seed is the same game"
        assert 0 < played.steps <= world.steps
        assert played.new_goals, "the agent found what it is told to do"
        world.reset(4)
        assert world.game() != game
    finally:
        world.close()
