"""A correction of one part of a fact leaves the other part standing."""

from __future__ import annotations

import pytest

from bio_agent_workers.brain.context_text import recalled_lines
from bio_agent_workers.brain.retrieval.parts import parted
from bio_agent_workers.brain.retrieval.search_terms import terms

GATE = "The north gate opens at 06:30 and its alarm code has 8 digits."
MORE = "Correction: the gate alarm code has 10 digits, not 8."


@pytest.mark.parametrize(
    ("newer", "older", "replaced"),
    [
        (MORE, GATE, ("8",)),
        (
            "Now the wiki listens on port 8090.",
            "The wiki listens on port 8080, backups land in /srv/wiki daily.",
            ("8080",),
        ),
        ("更正：测试库的端口是 7001，不是 7000。", "测试机在 10.1.1.2，测试库的端口是 7000。", ("7000",)),
        (
            "Cổng của Kafka giờ là 9193, không phải 9092.",
            "Máy chủ log ở 10.2.0.3 và cổng của Kafka là 9092.",
            ("9092",),
        ),
    ],
)
def test_the_value_that_no_longer_holds_is_named(newer: str, older: str, replaced: tuple[str, ...]) -> None:
    part = parted(newer, older)
    assert part is not None
    assert part.replaced == replaced


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("The standup is now at 10:00.", "The standup is at 9:30."),  # all of it
        ("The gate opens at 07:00 now and its alarm code has 10 digits.", GATE),  # both parts
        ("The cafeteria closes at 15:00.", GATE),  # nothing of it
    ],
)
def test_what_was_replaced_as_a_whole_has_no_standing_part(newer: str, older: str) -> None:
    assert parted(newer, older) is None


@pytest.mark.parametrize(
    ("question", "which"),
    [("when does the north gate open", 1), ("how many digits has the alarm code", -1), ("tell me about lunch", 0)],
)
def test_the_part_that_is_asked_for(question: str, which: int) -> None:
    part = parted(MORE, GATE)
    assert part is not None
    assert part.asked(terms(question)) == which


def test_a_context_says_which_value_was_replaced() -> None:
    memory = {"content": GATE, "kind": "semantic", "superseded_by": "m2", "partly_replaced": ["8"]}
    assert recalled_lines([memory]) == [f"- semantic (partly replaced since: 8): {GATE}"]
