"""Trajectories of SWE-agent (all versions: `state` as object or JSON text, with or without `query`, retries, history
only) and of mini-swe-agent."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bio_agent_client.observation import derive_id

Problem = Callable[[str], None]


def text_of(content: Any) -> str:
    """The text of a message's content: a string, or a list of blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(b["text"] for b in content if isinstance(b, Mapping) and isinstance(b.get("text"), str))
    return ""


class _Clock:
    """Times for a file that states none: its modification time is the end, one second for each act before."""

    def __init__(self, path: Path, acts: int) -> None:
        self._now = datetime.fromtimestamp(int(path.stat().st_mtime), UTC) - timedelta(seconds=acts)

    def next(self) -> str:
        self._now += timedelta(seconds=1)
        return self._now.isoformat()


def _task_name(path: Path) -> str:
    return path.name.removesuffix(".json").removesuffix(".traj")


def swe_agent(document: Mapping[str, Any], path: Path, problem: Problem) -> Iterator[dict[str, Any]]:
    attempts = document.get("attempts")
    if isinstance(attempts, list) and attempts:
        for number, attempt in enumerate(attempts):
            if isinstance(attempt, Mapping):
                yield from _run(attempt, path, f"attempt{number}", problem)
            else:
                problem(f"{path}: attempts[{number}] is not an object")
        return
    yield from _run(document, path, "", problem)


def _run(document: Mapping[str, Any], path: Path, attempt: str, problem: Problem) -> Iterator[dict[str, Any]]:
    history = [m for m in document.get("history") or [] if isinstance(m, Mapping)]
    steps = document.get("trajectory")
    if not isinstance(steps, list):
        steps = _steps_of_history(history)
    name = _task_name(path)
    session = derive_id("swe-agent", name, attempt) if attempt else derive_id("swe-agent", name)
    clock = _Clock(path, 2 * len(steps) + 2)
    common = {"host": "swe-agent", "agent": "swe-agent", "session": session, "workspace": _workspace(document, name)}
    task = next((m for m in history if m.get("role") == "user" and not m.get("is_demo")), None)
    if task is not None and (said := text_of(task.get("content"))):
        # The task quotes an issue that anybody may have written.
        yield {**common, "id": derive_id("swe-agent", path.name, attempt or "run", "task"), "kind": "user",
               "content": said, "provenance": "untrusted", "source": "task", "occurred_at": clock.next()}  # fmt: skip
    for number, step in enumerate(steps):
        if not isinstance(step, Mapping):
            problem(f"{path}: trajectory[{number}] is not an object")
            continue
        yield from _step(step, (path.name, attempt or "run", number), common, clock)
    info = document.get("info")
    if isinstance(info, Mapping) and info.get("exit_status"):
        yield {**common, "id": derive_id("swe-agent", path.name, attempt or "run", "end"), "kind": "outcome",
               "content": f"exit_status: {info['exit_status']}", "source": "swe-agent", "occurred_at": clock.next(),
               "metadata": {"submission_chars": len(str(info.get("submission") or ""))}}  # fmt: skip


def _workspace(document: Mapping[str, Any], name: str) -> str:
    """The repository of the task: SWE-bench names are owner__repository-number."""
    found = re.match(r"(?:.*__)?([\w.\-]+__[\w.\-]+?)-\d+$", name)
    return found[1].split("__")[-1] if found else str(document.get("environment") or name)[:200]


def _step(
    step: Mapping[str, Any], key: tuple[str, str, int], common: Mapping[str, Any], clock: _Clock
) -> Iterator[dict[str, Any]]:
    thought = text_of(step.get("thought")) or text_of(step.get("response"))
    if thought.strip():
        yield {**common, "id": derive_id("swe-agent", *key, "thought"), "kind": "assistant", "content": thought,
               "occurred_at": clock.next()}  # fmt: skip
    action = text_of(step.get("action")).strip()
    if not action:
        return
    out: dict[str, Any] = {
        **common, "id": derive_id("swe-agent", *key, "tool"), "kind": "tool", "source": "terminal", "tool": "Bash",
        "tool_input": {"command": action}, "content": text_of(step.get("observation")), "occurred_at": clock.next(),
    }  # fmt: skip
    seconds = step.get("execution_time")
    if isinstance(seconds, (int, float)) and seconds >= 0:
        out["duration_ms"] = int(seconds * 1000)
    if cwd := _state(step.get("state")).get("working_dir"):
        out["cwd"] = str(cwd)
    yield out


def _state(state: Any) -> Mapping[str, Any]:
    if isinstance(state, str):
        try:
            state = json.loads(state)
        except ValueError:
            return {}
    return state if isinstance(state, Mapping) else {}


def _steps_of_history(history: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Steps of a file that holds only messages: an assistant's action, then the message that answers it."""
    steps: list[dict[str, Any]] = []
    for message in history:
        role = message.get("role")
        if role == "assistant":
            action = text_of(message.get("action")) or _called(message)
            steps.append(
                {"thought": message.get("thought") or message.get("content"), "action": action, "observation": ""}
            )
        elif (
            steps and (role == "tool" or message.get("message_type") == "observation") and not steps[-1]["observation"]
        ):
            steps[-1]["observation"] = text_of(message.get("content"))
    return steps


def _called(message: Mapping[str, Any]) -> str:
    """The commands of a message's tool calls, in the OpenAI form."""
    commands = []
    for call in message.get("tool_calls") or []:
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping):
            continue
        arguments = _state(function.get("arguments"))
        commands.append(
            str(arguments.get("command") or " ".join([str(function.get("name")), *map(str, arguments.values())]))
        )
    return "\n".join(commands)


# ------------------------------------------------------------------------------------------------------ mini-swe-agent

_BLOCK = re.compile(r"```(?:bash|sh|mswea_bash_command)?[^\n]*\n(.*?)```", re.DOTALL)
_RETURN_CODE = re.compile(r"<returncode>\s*(-?\d+)\s*</returncode>")
_OUTPUT = re.compile(r"<output>\n?(.*?)</output>", re.DOTALL)


def mini_swe_agent(document: Mapping[str, Any], path: Path, problem: Problem) -> Iterator[dict[str, Any]]:
    messages = document["messages"]
    name = _task_name(path)
    common = {"host": "mini-swe-agent", "agent": "mini-swe-agent", "session": derive_id("mini-swe-agent", name),
              "workspace": _workspace(document, name)}  # fmt: skip
    clock = _Clock(path, 2 * len(messages) + 2)
    pending: list[str] = []
    task_seen = False
    for number, message in enumerate(messages):
        if not isinstance(message, Mapping):
            problem(f"{path}: messages[{number}] is not an object")
            continue
        role, said = message.get("role"), text_of(message.get("content"))
        extra = message.get("extra") if isinstance(message.get("extra"), Mapping) else {}
        at = {**common, "id": derive_id("mini-swe-agent", path.name, number), "occurred_at": _time(extra, clock)}
        if role == "assistant":
            pending = _commands(message, extra, said)
            if said.strip():
                yield {**at, "kind": "assistant", "content": said}
        elif role in ("user", "tool") and pending and (role == "tool" or task_seen):
            command = pending.pop(0)
            if role == "user":
                pending = []
            yield _result(at, command, said, extra)
        elif role == "user" and not task_seen and said:
            task_seen = True
            yield {**at, "kind": "user", "content": said, "provenance": "untrusted", "source": "task"}
    info = document.get("info")
    if isinstance(info, Mapping) and info.get("exit_status"):
        yield {**common, "id": derive_id("mini-swe-agent", path.name, "end"), "kind": "outcome", "source": "mini-swe-agent",
               "content": f"exit_status: {info['exit_status']}", "occurred_at": clock.next()}  # fmt: skip


def _time(extra: Any, clock: _Clock) -> str:
    stated = extra.get("timestamp")
    if isinstance(stated, (int, float)) and 0 < stated < 4e9:
        return datetime.fromtimestamp(stated, UTC).isoformat()
    return clock.next()


def _commands(message: Mapping[str, Any], extra: Any, said: str) -> list[str]:
    actions = [str(a["command"]) for a in extra.get("actions") or [] if isinstance(a, Mapping) and a.get("command")]
    return actions or [c for c in [_called(message)] if c] or [block.strip() for block in _BLOCK.findall(said)][:1]


def _result(at: Mapping[str, Any], command: str, said: str, extra: Any) -> dict[str, Any]:
    """A result as the file states it: the return code is written there, not guessed."""
    code = extra.get("returncode")
    if not isinstance(code, int) and (found := _RETURN_CODE.search(said)):
        code = int(found[1])
    output = _OUTPUT.search(said)
    raw = extra.get("raw_output")
    out = {**at, "kind": "tool", "source": "terminal", "tool": "Bash", "tool_input": {"command": command},
           "content": raw if isinstance(raw, str) else output[1] if output else said}  # fmt: skip
    if isinstance(code, int) and not isinstance(code, bool):
        out["exit_code"] = code
    return out
