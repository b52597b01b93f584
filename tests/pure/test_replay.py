"""Reading what agents have already done."""

import json
from pathlib import Path
from typing import Any

import pytest

from bio_agent_client.observation import Refused, parse
from bio_agent_client.replay import read


def write(path: Path, value: Any) -> Path:
    if isinstance(value, list):
        path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in value))
    else:
        path.write_text(json.dumps(value))
    return path


def taken(path: Path, problems: list[str] | None = None) -> list[dict[str, Any]]:
    out = list(read(path, on_problem=(problems if problems is not None else []).append))
    for obs in out:
        parse(obs, loopback_defaults=False)
    assert len({o["id"] for o in out}) == len(out)
    assert [o["id"] for o in read(path)] == [o["id"] for o in out]  # the same ids each time
    return out


OLD_STEP = {"action": "ls\n", "observation": "a.py", "thought": "Look.", "response": "Look.\n```\nls\n```",
            "state": '{"open_file": "n/a", "working_dir": "/repo"}\n'}  # fmt: skip
NEW_STEP = {**OLD_STEP, "state": {"working_dir": "/repo"}, "execution_time": 0.25, "query": [], "extra_info": {}}
HISTORY = [
    {"role": "system", "content": "You are …"},
    {"role": "user", "content": "demonstration", "is_demo": True},
    {"role": "user", "content": [{"type": "text", "text": "Fix the bug"}]},
]


@pytest.mark.parametrize("step", [OLD_STEP, NEW_STEP])
def test_swe_agent(tmp_path: Path, step: dict[str, Any]) -> None:
    path = write(
        tmp_path / "acme__tool-12.traj",
        {
            "environment": "e",
            "trajectory": [step, {**step, "action": ""}],
            "history": HISTORY,
            "info": {"exit_status": "submitted"},
        },
    )
    out = taken(path)
    assert [o["kind"] for o in out] == ["user", "assistant", "tool", "assistant", "outcome"]
    assert out[0]["content"] == "Fix the bug"
    assert out[0]["provenance"] == "untrusted"
    tool = out[2]
    assert (tool["tool_input"], tool["content"], tool["cwd"]) == ({"command": "ls"}, "a.py", "/repo")
    assert tool.get("duration_ms") == (250 if step is NEW_STEP else None)
    assert "exit_code" not in tool
    assert tool["workspace"] == "tool"
    assert out == sorted(out, key=lambda o: o["occurred_at"])


def test_swe_agent_retries_and_broken_steps(tmp_path: Path) -> None:
    problems: list[str] = []
    path = write(tmp_path / "a.traj", {"attempts": [{"trajectory": [OLD_STEP, 3]}, {"trajectory": [OLD_STEP]}, "x"]})
    out = taken(path, problems)
    assert len([o for o in out if o["kind"] == "tool"]) == 2
    assert len({o["session"] for o in out}) == 2
    assert any("trajectory[1]" in p for p in problems)
    assert any("attempts[2]" in p for p in problems)


def test_swe_agent_history_only(tmp_path: Path) -> None:
    call = {"function": {"name": "bash", "arguments": '{"command": "pytest"}'}, "id": "c1"}
    history = [
        *HISTORY,
        {"role": "assistant", "content": "Run.", "tool_calls": [call]},
        {"role": "tool", "content": "2 failed"},
    ]
    tool = taken(write(tmp_path / "h.traj", {"history": history}))[-1]
    assert (tool["tool_input"], tool["content"]) == ({"command": "pytest"}, "2 failed")


def test_mini_swe_agent(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "Fix it"},
        {"role": "assistant", "content": "Look.\n```bash\nls -l\n```", "extra": {"timestamp": 1764000000.0}},
        {"role": "user", "content": "<returncode>2</returncode>\n<output>\nno such file\n</output>"},
        {"role": "assistant", "content": "", "extra": {"actions": [{"command": "pwd"}]}},
        {"role": "tool", "content": "x", "extra": {"returncode": 0, "raw_output": "/repo"}},
    ]
    path = write(
        tmp_path / "m.traj.json",
        {"trajectory_format": "mini-swe-agent-1.1", "info": {"exit_status": "Submitted"}, "messages": messages},
    )
    out = taken(path)
    assert [o["kind"] for o in out] == ["user", "assistant", "tool", "tool", "outcome"]
    assert (out[2]["tool_input"]["command"], out[2]["exit_code"], out[2]["content"]) == ("ls -l", 2, "no such file\n")
    assert (out[3]["tool_input"]["command"], out[3]["exit_code"], out[3]["content"]) == ("pwd", 0, "/repo")


def line(kind: str, content: Any, uuid: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "sessionId": "s1", "cwd": "/home/bao/web", "timestamp": "2026-11-30T02:00:00.000Z", "uuid": uuid,
            "message": {"role": kind, "content": content}, **more}  # fmt: skip


def test_claude_code(tmp_path: Path) -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "npm test"}}
    result = {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "is_error": True,
        "content": [{"type": "text", "text": "Exit code 1\nfail"}],
    }
    problems: list[str] = []
    path = write(
        tmp_path / "s1.jsonl",
        [
            {"type": "summary", "summary": "x", "leafUuid": "l"},
            line("user", "never use npm here", "u1"),
            line("user", "<command-name>/clear</command-name>", "u2"),
            line("user", "caveat", "u3", isMeta=True),
            line(
                "assistant", [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "I run it."}, use], "a1"
            ),
            "{ torn",
            line("user", [result], "u4"),
            line("user", "do the sub-task", "u5", isSidechain=True),
        ],
    )
    out = taken(path, problems)
    assert [(o["kind"], o["content"]) for o in out] == [
        ("user", "never use npm here"), ("assistant", "I run it."), ("tool", "Exit code 1\nfail"), ("user", "do the sub-task"),
    ]  # fmt: skip
    tool = out[2]
    assert tool["id"] == "claude-code:toolu_1"
    assert tool["call_id"] == "toolu_1"
    assert (tool["tool"], tool["tool_input"], tool["is_error"]) == ("Bash", {"command": "npm test"}, True)
    assert (tool["workspace"], tool["session"], tool["cwd"]) == ("web", "s1", "/home/bao/web")
    assert out[3]["provenance"] == "agent"
    assert problems == [f"{path}:6: not a JSON object"]


def test_json_lines(tmp_path: Path) -> None:
    problems: list[str] = []
    path = write(
        tmp_path / "log.jsonl",
        [
            {"kind": "user", "content": "hi", "id": "x"},
            {"type": "run_command", "content": "ls", "metadata": {}},
            "",
            {"content": "?"},
            "[1]",
        ],
    )
    out = taken(path, problems)
    assert [o["id"] for o in out] == ["x", "replay:log.jsonl:2"]
    assert [p.split(": ")[0] for p in problems] == [f"{path}:4", f"{path}:5"]
    assert len(taken(write(tmp_path / "one.jsonl", [{"kind": "user", "content": "alone"}]))) == 1
    array = tmp_path / "array.json"
    array.write_text(json.dumps([{"kind": "user", "content": "a"}, {"kind": "user", "content": "b"}], indent=1))
    assert len(taken(array)) == 2


def test_none_of_the_formats(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("just\nprose\n")
    with pytest.raises(Refused, match="is none of"):
        list(read(path, on_problem=lambda _: None))
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    assert list(read(empty)) == []
    with pytest.raises(OSError, match="missing"):
        list(read(tmp_path / "missing.jsonl"))
