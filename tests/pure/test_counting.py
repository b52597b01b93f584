"""A number of things in words."""

from __future__ import annotations

import pytest

from bio_agent_workers.brain.counting import counted


@pytest.mark.parametrize(
    ("number", "thing", "told"),
    [(1, "memory", "1 memory"), (0, "memory", "0 memories"), (2, "vector index", "2 vector indexes"), (3, "day", "3 days"),
     (1200, "change", "1,200 changes"), (2, "success", "2 successes")],
)  # fmt: skip
def test_a_number_of_things_is_told_in_its_plural(number: int, thing: str, told: str) -> None:
    assert counted(number, thing) == told
