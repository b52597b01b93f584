"""What perception keeps of a scope agrees with the formula it stands in for."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.brain import novelty
from bio_agent_workers.perception import RECENT, ScopeView

lines = st.lists(
    st.sampled_from(["build", "test", "deploy", "order", "stock", "port", "cache", "failed", "done", "端口", "đơn"]),
    max_size=9,
).map(" ".join)


@given(st.lists(lines, max_size=12), lines)
def test_novelty_over_what_is_kept_is_the_formula(before: list[str], now: str) -> None:
    scope = ScopeView()
    for line in before:
        scope.keep(novelty.signature(line))
    own = novelty.signature(now)
    expected = novelty.novelty_of(own, [novelty.signature(line) for line in before])
    assert math.isclose(scope.novelty_of(own), expected, abs_tol=1e-12)


def test_only_the_newest_signatures_are_looked_back_on() -> None:
    scope = ScopeView()
    own = novelty.signature("the order was shipped")
    scope.keep(own)
    assert scope.novelty_of(own) == 0.0
    for number in range(RECENT):
        scope.keep(novelty.signature(f"{'xyz'[number % 3]}ebra w{number % 7}alk"))
    assert len(scope.recent) == RECENT
    assert scope.novelty_of(own) > 0.5
