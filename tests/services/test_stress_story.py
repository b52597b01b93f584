"""The narrated run of stress, through stream, intake and Postgres."""

from __future__ import annotations

import pytest

from bio_agent_ops.eval import stress
from bio_agent_ops.eval.house import opened
from bio_agent_ops.eval.report import Result
from bio_agent_workers.models import configured
from bio_agent_workers.settings import Settings

pytestmark = pytest.mark.services


def test_worked_values_and_the_order_of_consolidation() -> None:
    settings = Settings()
    result = Result("stress")
    with opened(configured(settings), settings, None) as house:
        stress.run(result, house)
    assert result.score.all["stress is the worked value"].k == result.score.all["stress is the worked value"].n == 6
    assert result.score.all["what is consolidated first changes under stress"].k == 1
    calm, tense, quiet = (item["order"] for item in result.items[:3])
    assert calm != [t for t in tense if t in calm]
    assert [t for t in quiet if t in calm] == calm, "quiet hours bring the calm order back"
