"""A question to the guard that names nothing to be checked is no question, and its answer no yes."""

from __future__ import annotations

from typing import Any

import pytest
from click.testing import CliRunner

from bio_agent_ops.cli import main
from bio_agent_ops.service.context import BadRequest
from bio_agent_ops.service.guarding import need_command


@pytest.mark.parametrize("tool", ["Bash", "terminal", "mcp__box__exec"])
@pytest.mark.parametrize(
    "given", [None, {}, "", " \n", [], {"command": ""}, {"command": " "}, {"comand": "ls"}, {"x": 1}]
)
def test_a_shell_without_a_command_is_refused_with_the_form_it_wants(tool: str, given: Any) -> None:
    with pytest.raises(BadRequest, match="no command to check: send it as"):
        need_command(tool, given)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Bash", {"command": "ls"}),
        ("Bash", {"cmd": "ls"}),
        ("Bash", "ls"),
        ("exec", {"command": ["git", "push"]}),
        ("Bash", {"command": "# nothing yet"}),
        ("Bash", {"command": "git push; " * 30_000}),  # beyond what is read
        ("list_files", None),
        ("list_files", {}),
        ("orders.cancel", {"order": 7}),
    ],
)
def test_whatever_says_what_it_does_is_a_question(tool: str, given: Any) -> None:
    need_command(tool, given)


@pytest.mark.parametrize("given", ["", "  "])
def test_the_shell_s_check_wants_a_command(given: str) -> None:
    said = CliRunner().invoke(main, ["check", given])
    assert said.exit_code == 2
    assert "no command to check" in said.output
