"""Rules that are read clause by clause, and sentences that only sound like them, in the three languages."""

from __future__ import annotations

import pytest

from bio_agent_workers.brain.directives.reader import find
from tests.pure import directives_clauses_en as en
from tests.pure import directives_clauses_vi as vi
from tests.pure import directives_clauses_zh as zh


@pytest.mark.parametrize("text", [*en.RULES, *zh.RULES, *vi.RULES])
def test_a_rule_is_found(text: str) -> None:
    found = find(text)
    assert found
    assert all(text[d.start : d.end] == d.text for d in found)


@pytest.mark.parametrize("text", [*en.NONE, *zh.NONE, *vi.NONE])
def test_what_only_sounds_like_a_rule_is_none(text: str) -> None:
    assert find(text) == []
