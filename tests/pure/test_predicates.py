"""Two short statements that give one subject another place or name."""

from __future__ import annotations

import pytest

from bio_agent_workers.brain.retrieval.freshness import replaces
from bio_agent_workers.brain.retrieval.predicates import other_value, reads


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("I moved to Lyon last month.", "I live in Nantes."),
        ("Our biggest sponsor is Umbra.", "Our biggest sponsor is Kestrel."),
        ("Since Monday the treasurer is Ilse.", "The treasurer is Omar."),
        ("The archive has moved from Bergen to Narvik.", "The archive is in Bergen."),
        ("我上个月搬到了成都。", "我住在西安。"),
        ("我们的主要供应商是 Norda。", "我们的主要供应商是 Velo。"),
        ("Kho hàng đã chuyển sang Huế.", "Kho hàng nằm ở Vinh."),
        ("Trưởng nhóm là Hạnh.", "Trưởng nhóm là Sơn."),
    ],
)
def test_another_value_of_the_same_subject_replaces(newer: str, older: str) -> None:
    assert other_value(newer, older)
    assert replaces(newer, older, 0.0, lambda _: 1.0)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("One of our sponsors is Umbra.", "One of our sponsors is Kestrel."),
        ("A sponsor is Umbra.", "A sponsor is Kestrel."),
        ("The treasurer is tired.", "The treasurer is Omar."),
        ("My brother moved to Lyon.", "I live in Nantes."),
        ("I moved to the next topic.", "I live in Nantes."),
        ("The archive is in Bergen.", "The archive is in Bergen."),
        ("The party is on Friday.", "The party is in Bergen."),
        ("他是对的。", "他是经理。"),
    ],
)
def test_what_is_said_of_another_or_of_several_replaces_nothing(newer: str, older: str) -> None:
    assert not other_value(newer, older)


def test_a_long_statement_is_not_read() -> None:
    assert reads("The archive is in Bergen.")
    assert not reads("The archive that we " + "really " * 40 + "need is in Bergen.")
