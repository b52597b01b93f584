"""Scenarios of repeated failures are what their rows say; and the whole bench on the product, without a host program."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bio_agent_ops.bench.repeat import sandbox, scenarios, trial
from bio_agent_ops.bench.repeat.scenarios import CELLS, Again
from bio_agent_ops.bench.repeat.trial import Plan

OWN, _ = scenarios.read(scenarios.OWN)


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder with a short name: sockets lie below it."""
    with tempfile.TemporaryDirectory(prefix="rep-", ignore_cleanup_errors=True) as name:
        sandbox.new_user(Path(name))
        yield Path(name)


@pytest.mark.parametrize("scenario", OWN, ids=lambda s: s.name)
def test_a_scenario_fails_and_is_fixed_as_its_row_says(scenario: scenarios.Scenario, short: Path) -> None:
    if lacking := scenario.missing():
        pytest.skip(f"this machine has no {lacking}")
    assert scenario.first.observed
    assert list(scenarios.faults(scenario, short)) == []


def test_a_false_row_is_found_out(short: Path) -> None:
    one = OWN[0]
    wrong = scenarios.Case(one.first.cwd, one.first.setup, "true", ("false",), "true", None, 3)
    found = list(scenarios.faults(scenarios.Scenario("x", "x", "git", (), "no such words", wrong, None), short))
    assert len(found) >= 4


def test_the_product_avoids_what_failed_before_and_a_memory_less_agent_does_not(short: Path) -> None:
    named = {s.name: s for s in OWN}
    runs = [
        Again(named["divergent-pull"], named["divergent-pull"].first, CELLS[0]),
        Again(named["gcc-include"], named["gcc-include"].other or named["gcc-include"].first, CELLS[1]),
        Again(named["mkdir-parents"], named["mkdir-parents"].first, CELLS[2]),
    ]
    plan = Plan("direct", None, runs, [["ls", "git --version"]], short, lambda _: None)
    without, with_it = trial.run_arm(plan, "none"), trial.run_arm(plan, "bio-hold")
    assert [o.avoided for o in without.outcomes[:2]] == [False, False]
    assert with_it.first_failed == 3
    assert [o.avoided for o in with_it.outcomes[:2]] == [True, True], with_it.rules
    assert [o.cell for o in with_it.outcomes[3:]] == [str(CELLS[3]), str(CELLS[2])], "two tell of the cause gone"
    assert [o.reached for o in with_it.outcomes] == [True] * 5
    assert not any(o.blocked for o in with_it.outcomes)
    assert [(h.stopped, h.told) for h in with_it.harmless] == [(False, [])] * 2
    assert with_it.memory_tokens[0][0] > 0
