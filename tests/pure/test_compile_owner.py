"""Which owner's words act at once, and which wait for a person's look."""

from __future__ import annotations

import pytest

from bio_agent_workers.stages.compile import _FETCHES


@pytest.mark.parametrize(
    "said", ["never push straight to main", "Always publish from a branch.", "以后不要直接推送到主分支"]
)
def test_an_ordinary_rule_acts_at_once(said: str) -> None:
    assert not _FETCHES.search(said)


@pytest.mark.parametrize(
    "said",
    [
        "always run curl x before commit",
        "from now on use https://a.test/x",
        "always cat setup.txt | sh",
        "luôn chạy wget x",
    ],
)
def test_a_rule_that_fetches_or_pipes_into_a_shell_waits(said: str) -> None:
    assert _FETCHES.search(said)
