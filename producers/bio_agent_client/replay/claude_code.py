"""Claude Code transcripts (`~/.claude/projects/…/<session>.jsonl`): one JSON object a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bio_agent_client.observation import Refused, derive_id, parse_time
from bio_agent_client.replay.swe_agent import text_of

Problem = Callable[[str], None]
_LINE_TYPES = ("user", "assistant", "system", "summary", "file-history-snapshot", "queue-operation", "progress")
# What the program itself puts into the user's turn: command echoes, reminders, notices. Nobody said it.
_NOT_SAID = ("<command-", "<local-command-", "<system-reminder>", "Caveat: The messages below", "[Request interrupted",
             "<bash-", "<task-notification>")  # fmt: skip
_EXIT_CODE = re.compile(r"\AExit code (-?\d{1,9})\b")  # how a failed command's result begins


def is_claude_code(line: Mapping[str, Any]) -> bool:
    """Whether a line is of such a transcript and not an observation (which has `content` or `kind` at its top)."""
    if "kind" in line or ("content" in line and "sessionId" not in line):
        return False
    return "sessionId" in line or (
        line.get("type") in _LINE_TYPES and bool(line.keys() & {"message", "leafUuid", "snapshot"})
    )


class ClaudeCode:
    """Turns lines into observations; remembers tool calls until their results come."""

    def __init__(self, path: Path, problem: Problem) -> None:
        self._path, self._problem = path, problem
        self._calls: dict[str, tuple[str, Any]] = {}
        self._prompts: set[str] = set()

    def line(self, line: Mapping[str, Any], number: int) -> Iterator[dict[str, Any]]:
        kind, message = line.get("type"), line.get("message")
        if kind not in ("user", "assistant") or line.get("isMeta") or line.get("isCompactSummary"):
            return
        if not isinstance(message, Mapping):
            self._problem(f"{self._path}:{number}: a {kind} line without a message")
            return
        common = self._common(line, number)
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not isinstance(blocks, list):
            self._problem(f"{self._path}:{number}: message.content is neither text nor a list of blocks")
            return
        name = line.get("uuid") or message.get("id") or f"{self._path.name}.{number}"
        prompt = self._prompt(line, content) if kind == "user" else ""
        for at, block in enumerate(blocks):
            if isinstance(block, Mapping):
                yield from self._block(
                    block,
                    str(kind),
                    common,
                    _id(name, at, prompt),
                    line,
                )
            else:
                self._problem(f"{self._path}:{number}: block {at} is not an object")

    def _prompt(self, line: Mapping[str, Any], content: Any) -> str:
        """The id by which live capture knows what a person typed: that of the prompt, for its first line alone (the
        lines of tool results and of what the program adds carry it too)."""
        prompt = line.get("promptId")
        shown = text_of(content).lstrip() if isinstance(content, (str, list)) else ""
        if not isinstance(prompt, str) or not shown or shown.startswith(_NOT_SAID) or prompt in self._prompts:
            return ""
        if isinstance(content, list) and any(
            isinstance(b, Mapping) and b.get("type") == "tool_result" for b in content
        ):
            return ""
        self._prompts.add(prompt)
        return prompt

    def _common(self, line: Mapping[str, Any], number: int) -> dict[str, Any]:
        cwd = line.get("cwd") if isinstance(line.get("cwd"), str) else ""
        out: dict[str, Any] = {
            "host": "claude-code",
            "agent": "claude-code",
            "session": str(line.get("sessionId") or self._path.stem),
        }
        if cwd:
            out["cwd"] = cwd
            out["workspace"] = Path(str(cwd)).name or "root"
        if stamp := line.get("timestamp"):
            try:
                out["occurred_at"] = parse_time(stamp, "timestamp").isoformat()
            except Refused as error:
                self._problem(f"{self._path}:{number}: {error}")
        if line.get("isSidechain"):
            out["metadata"] = {"sidechain": True}
        return out

    def _block(
        self, block: Mapping[str, Any], kind: str, common: Mapping[str, Any], name: str, line: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        shape = block.get("type")
        if shape == "text":
            said = text_of([block])
            if said.strip() and not (kind == "user" and said.lstrip().startswith(_NOT_SAID)):
                # In a side chain the "user" is the agent that gave the order.
                extra = {"provenance": "agent"} if kind == "user" and line.get("isSidechain") else {}
                yield {**common, "id": name, "kind": kind, "source": "chat", "content": said, **extra}
        elif shape == "tool_use" and block.get("id"):
            self._calls[str(block["id"])] = (str(block.get("name") or ""), block.get("input"))
        elif shape == "tool_result" and block.get("tool_use_id"):
            yield self._result(block, common)

    def _result(self, block: Mapping[str, Any], common: Mapping[str, Any]) -> dict[str, Any]:
        call = str(block["tool_use_id"])
        tool, tool_input = self._calls.pop(call, ("", None))
        out: dict[str, Any] = {
            **common, "id": derive_id("claude-code", call), "call_id": call, "kind": "tool",
            "source": "terminal" if tool == "Bash" else "tool", "content": text_of(block.get("content")),
        }  # fmt: skip
        if tool:
            out["tool"] = tool
        if tool_input is not None:
            out["tool_input"] = tool_input
        if isinstance(block.get("is_error"), bool):
            out["is_error"] = block["is_error"]
            if block["is_error"] and (code := _EXIT_CODE.match(out["content"])):
                out["exit_code"] = int(code[1])
        return out


def _id(name: Any, at: int, prompt: str) -> str:
    if prompt:
        return derive_id("claude-code", "prompt", prompt) if not at else derive_id("claude-code", "prompt", prompt, at)
    return derive_id("claude-code", name, at) if at else derive_id("claude-code", name)
