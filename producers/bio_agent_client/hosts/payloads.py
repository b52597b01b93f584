"""What Claude Code and Codex hand to a hook, as observations. Pure functions; nothing is sent here.

Ids come from what the host calls the act (tool call id, prompt id), as in the replay of its transcripts, so that live
capture and a later replay are one observation.
"""

from __future__ import annotations

import json
import os
import re

TYPE_CHECKING = False  # as `typing` has it, whose import alone costs a quarter of a hook's time
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

CLAUDE_CODE, CODEX = "claude-code", "codex"
NAME_CHARS = 256  # of a session's, tool's or call's name, as the service takes them
TAIL_BYTES = 256 * 1024  # of a transcript that are read for the name of its last message
_OWN_TOOL = re.compile(r"mcp__bio[-_]agent__")  # the memory's own answers are nothing that happened
_EXIT_CODE = re.compile(r"\AExit code (-?\d{1,9})\b")
# What the host itself puts into the user's turn: command echoes, reminders, notices. Nobody said it.
_NOT_SAID = ("<command-", "<local-command-", "<system-reminder>", "Caveat: The messages below", "[Request interrupted",
             "<bash-", "<task-notification>", "<environment_context>", "<user_instructions>")  # fmt: skip

Observation = dict[str, "Any"]


def text_of(value: Any) -> str:
    """The text of a string, a list of content blocks or a tool's structured result."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list):
        return "\n".join(part for part in (text_of(item) for item in value) if part)
    if isinstance(value, dict):
        if "stdout" in value or "stderr" in value:
            return "\n".join(part for part in (_end(value.get("stdout")), _end(value.get("stderr"))) if part)
        for name in ("text", "content", "output", "result"):
            if isinstance(value.get(name), (str, list)):
                return text_of(value[name])
        if isinstance(value.get("file"), dict):
            return text_of(value["file"])
    return json.dumps(value, ensure_ascii=False, default=str)


def bounded(value: Any) -> Any:
    """`value` with every string cut as a content is: a file that is written whole stands in its tool's input."""
    from bio_agent_client.redact import first_cut

    if isinstance(value, str):
        return first_cut(value)
    if isinstance(value, dict):
        return {key: bounded(item) for key, item in value.items()}
    return [bounded(item) for item in value] if isinstance(value, list) else value


def _end(value: Any) -> str:
    return value.rstrip("\n") if isinstance(value, str) else ""


def observation(host: str, payload: Mapping[str, Any]) -> Observation | None:
    """The observation in one hook call, None for events that say nothing new."""
    from bio_agent_client.observation import derive_id  # here: the guard's way must not pay for its imports

    event = str(payload.get("hook_event_name") or "")
    if event in ("PostToolUse", "PostToolUseFailure"):
        if _OWN_TOOL.match(str(payload.get("tool_name"))):
            return None
        return _tool(host, payload, failed=event == "PostToolUseFailure")
    if event == "UserPromptSubmit":
        said = payload.get("prompt")
        if not isinstance(said, str) or not said.strip() or said.lstrip().startswith(_NOT_SAID):
            return None
        prompt = payload.get("prompt_id") or payload.get("turn_id")
        name = {"id": derive_id(host, "prompt", prompt)} if prompt else {}
        return {**name, "kind": "user", "source": "chat", "content": said}
    if event in ("Stop", "SubagentStop"):
        said = payload.get("last_assistant_message")
        if not isinstance(said, str) or not said.strip():
            return None
        side = {"metadata": {"sidechain": True}} if event == "SubagentStop" else {}
        name = {"id": _assistant_id(host, payload, said)}
        return {**name, "kind": "assistant", "source": "chat", "content": said, **side}
    if event in ("SessionStart", "SessionEnd"):
        word, why = ("started", payload.get("source")) if event == "SessionStart" else ("ended", payload.get("reason"))
        named = "session_start" if event == "SessionStart" else "session_end"
        return {
            "kind": "event", "source": host, "content": f"session {word}" + (f": {why}" if why else ""),
            "metadata": {"event": named, "severity": "debug"},
        }  # fmt: skip
    return None


def _tool(host: str, payload: Mapping[str, Any], *, failed: bool) -> Observation:
    from bio_agent_client.observation import derive_id

    tool, call = str(payload.get("tool_name") or "tool")[:NAME_CHARS], payload.get("tool_use_id")
    content = text_of(payload.get("error") if failed else payload.get("tool_response"))
    out: Observation = {
        "kind": "tool", "source": "terminal" if tool in ("Bash", "shell") else "tool", "tool": tool,
        "tool_input": bounded(payload.get("tool_input")), "content": content,
    }  # fmt: skip
    if call:
        out |= {"id": derive_id(host, call), "call_id": str(call)[:NAME_CHARS]}
    took = payload.get("duration_ms")
    if isinstance(took, (int, float)) and not isinstance(took, bool) and 0 <= took < 2**31:
        out["duration_ms"] = int(took)
    if host == CLAUDE_CODE:
        # Claude Code says itself what failed. A success says nothing of the exit code: it counts `grep` without a hit
        # as one, and a command sent to the background has none yet.
        out["is_error"] = failed and not payload.get("is_interrupt")
        if failed and (code := _EXIT_CODE.match(content)):
            out["exit_code"] = int(code[1])
        if payload.get("is_interrupt"):
            out["metadata"] = {"interrupted": True}
    elif (exit_code := _codex_exit_code(payload)) is not None:
        out["exit_code"] = exit_code
    return out


def failed(host: str, payload: Mapping[str, Any]) -> bool:
    """Whether the host says that the act failed. What only its text says is the service's to judge."""
    event = payload.get("hook_event_name")
    if host == CLAUDE_CODE:
        return event == "PostToolUseFailure" and not payload.get("is_interrupt")
    return event == "PostToolUse" and bool(_codex_exit_code(payload))


def _codex_exit_code(payload: Mapping[str, Any]) -> int | None:
    """Codex gives a hook the output alone; its transcript has the exit code by then. None when it does not say.

    Only the transcript's own field counts: the output is whatever the command printed.
    """
    call = payload.get("tool_use_id")
    if not isinstance(call, str) or not call:
        return None
    for line in _tail(payload.get("transcript_path")):
        if call not in line or '"exit_code"' not in line:
            continue
        try:
            item = json.loads(line)["payload"]["item"]
            if item["id"] == call and isinstance(item["exit_code"], int):
                return int(item["exit_code"])
        except (ValueError, KeyError, TypeError):
            continue
    return None


def _assistant_id(host: str, payload: Mapping[str, Any], said: str) -> str:
    """The id that a replay of the transcript gives this message, where the transcript has it already."""
    from bio_agent_client.observation import derive_id

    path = payload.get("agent_transcript_path") or payload.get("transcript_path")
    for line in _tail(path) if host == CLAUDE_CODE else ():
        if '"assistant"' not in line:
            continue
        try:
            item = json.loads(line)
            blocks = item["message"]["content"]
            for at, block in enumerate(blocks):
                if (
                    item["type"] == "assistant"
                    and block.get("type") == "text"
                    and block["text"].strip() == said.strip()
                ):
                    return derive_id(host, item["uuid"], at) if at else derive_id(host, item["uuid"])
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    turn = payload.get("prompt_id") or payload.get("turn_id") or ""
    return derive_id(host, payload.get("session_id") or "", turn, "answer", said)


def _tail(path: Any) -> list[str]:
    """The last lines of a transcript, newest first."""
    if not isinstance(path, str) or not path:
        return []
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL_BYTES))
            data = file.read(TAIL_BYTES)
    except OSError:
        return []
    return data.decode("utf-8", "replace").splitlines()[::-1]
