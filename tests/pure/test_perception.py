"""What perception keeps of a scope agrees with the formula it stands in for."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bio_agent_client.observation import parse
from bio_agent_workers.brain import novelty
from bio_agent_workers.perception import RECENT, Perceived, ScopeView, SessionView, perceive

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


def _ran(line: str, code: int = 0, **more: Any) -> dict[str, Any]:
    tool = line.split(maxsplit=1)[0]
    return {"type": "run_command", "content": line, "metadata": {"exit_code": code, "tool": tool, **more}}


def _printed(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "terminal_output", "content": text, "metadata": more}


def _seen(*given: dict[str, Any]) -> list[Perceived]:
    view, scope = SessionView(), ScopeView()
    return [perceive(parse({**o, "id": str(i)}), view, scope, i) for i, o in enumerate(given)]


def test_a_plain_command_is_read_as_a_shell_line_whatever_tool_is_named() -> None:
    (seen,) = _seen(_ran("helm upgrade shop ./chart"))
    assert [(a.tool, a.verb) for a in seen.acts] == [("helm", "upgrade")]
    assert seen.row["tool_input"] is None
    assert seen.row["command"] == "helm upgrade shop ./chart"


def test_an_output_that_shows_the_failure_is_resolved_by_what_follows_in_the_same_batch() -> None:
    command, output, fix = _seen(
        _ran("sphinx-build docs out"), _printed("Error: theme is missing"), _ran("sphinx-build docs out")
    )
    assert output.joins == "0"
    assert command.episode.is_failure
    assert command.row["unresolved"]
    assert fix.resolves == ("0",)
    assert not fix.fold_into


def test_a_success_that_its_output_takes_back_leaves_the_failure_open() -> None:
    _, second, _, fix = _seen(_ran("make site", 2), _ran("make site"), _printed("FAILED: no theme"), _ran("make site"))
    assert second.resolves == ()
    assert set(fix.resolves) == {"0", "1"}


def test_what_only_shows_something_does_not_fail_by_what_it_shows() -> None:
    command, _ = _seen(_ran("tail -3 app.log"), _printed("ERROR: out of paper"))
    assert not command.episode.is_failure
    told, _ = _seen(_ran("tail -3 app.log"), _printed("out of paper", severity="error"))
    assert told.episode.is_failure


def test_a_dump_of_bytes_is_no_part_of_the_command_before_it() -> None:
    _, dump = _seen(_ran("cat label.bin"), _printed("PK\ufffd\ufffd\ufffd\ufffdZ"))
    assert dump.joins == ""
