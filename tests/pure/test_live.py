"""The live failures really fail and their repairs really work, wherever the scratch folder lies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bio_agent_ops import live
from bio_agent_ops.live import LiveError, LiveResult, run_live
from bio_agent_schema.types import FixKind


def play(scratch: Path) -> tuple[list[LiveResult], list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    return run_live(scratch, rows.append), rows


def test_failures_fail_and_repairs_work(tmp_path: Path) -> None:
    results, rows = play(tmp_path / "a folder with spaces, 目录")
    assert [r.kind for r in results] == [FixKind.REPLACE, FixKind.PREPARE]
    by_id = {row["id"]: row for row in rows}
    assert [i for r in results for i in r.observation_ids] == list(by_id)
    for result in results:
        seen = [by_id[i] for i in result.observation_ids]
        assert tuple(row["tool_input"]["command"] for row in seen) == (result.failed, *result.fixed)
        assert tuple(row["exit_code"] for row in seen) == result.exit_codes
        assert result.exit_codes[0] != 0
        assert not any(result.exit_codes[1:])
        assert result.error_token in seen[0]["content"]
        assert result.error_token not in seen[-1]["content"]
        assert Path(result.cwd).is_dir()
    replace, prepare = results
    assert replace.failed not in replace.fixed
    assert prepare.fixed[-1] == prepare.failed


def test_observations_have_the_common_form_and_no_path_of_the_machine(tmp_path: Path) -> None:
    _, rows = play(tmp_path)
    for row in rows:
        assert (row["kind"], row["session"], row["workspace"]) == ("tool", "live", "scratch")
        assert (row["tool"], row["source"], row["provenance"]) == ("Bash", "terminal", "agent")
        assert row["cwd"].startswith("<scratch>/")
        assert row["occurred_at"].endswith("+00:00")
        assert 0 <= row["duration_ms"] < live.COMMAND_TIMEOUT_S * 1000
    text = json.dumps(rows, ensure_ascii=False)
    assert str(tmp_path) not in text
    assert 'File \\"<scratch>/reports/tools/report.py\\"' in text


def test_the_persons_own_python_settings_do_not_decide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "stockbook.py").write_text("ENTRIES = ()\n")
    monkeypatch.setenv("PYTHONPATH", str(library))
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    results, rows = play(tmp_path / "scratch")
    assert results[0].exit_codes == (1, 0)
    assert "59 pieces" in rows[1]["content"]
    assert "\x1b" not in "".join(row["content"] for row in rows)


def test_two_runs_in_one_folder_are_two_experiences(tmp_path: Path) -> None:
    first, _ = play(tmp_path)
    second, _ = play(tmp_path)
    assert {i for r in first for i in r.observation_ids}.isdisjoint(i for r in second for i in r.observation_ids)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LiveError, match=r"cannot write in .*name a folder you may write"):
        play(tmp_path / "file" / "below")


def test_a_command_that_hangs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "COMMAND_TIMEOUT_S", 0.0001)
    with pytest.raises(LiveError, match=r"did not end within 0\.0001 s"):
        play(tmp_path)


@pytest.mark.parametrize(
    "files, words",
    [
        ({"act.py": "print('fine')"}, "was to fail with KeyError and ended with 0: fine"),
        ({"act.py": "raise SystemExit('other')"}, "was to fail with KeyError and ended with 1: other"),
        (
            {"act.py": "raise KeyError", "repair.py": "raise SystemExit('no use')"},
            "was to succeed and ended with 1: no use",
        ),
        ({"act.py": "", "create.py": "import no_such_part"}, "cannot prepare the case 'x' .*ModuleNotFoundError"),
    ],
)
def test_a_case_that_teaches_nothing_here_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], words: str
) -> None:
    case = live._Case("x", FixKind.REPLACE, "KeyError", "python3 act.py", ("python3 repair.py",), files)
    monkeypatch.setattr(live, "CASES", (case,))
    with pytest.raises(LiveError, match=words):
        play(tmp_path)
