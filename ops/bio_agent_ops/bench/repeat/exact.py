"""The plain memory that others are measured against: it keeps the exact strings of commands that failed, nothing else.

Run by a host for every event as `python -I -S exact.py FILE HOST CLIENT` with the event as JSON on standard input, like the
product's own hook; CLIENT is the folder of `bio_agent_client`, found by path as that hook finds it. A command that
failed before, letter for letter, is stopped once a session, with the command that worked next.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MARK = "[exact-memory]"


def answer(file: Path, host: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The output for the host; what happened is appended to `file`."""
    event, given = payload.get("hook_event_name"), payload.get("tool_input")
    line = given.get("command") if isinstance(given, Mapping) else None
    if not isinstance(line, str):
        return {}
    session = str(payload.get("session_id"))
    if event == "PreToolUse":
        said = _known(file, line, session)
        if said:
            _keep(file, {"said": line, "session": session})
            return {"hookSpecificOutput": {"hookEventName": event, "permissionDecision": "deny",
                                           "permissionDecisionReason": f"{MARK} {said}"}}  # fmt: skip
    elif event in ("PostToolUse", "PostToolUseFailure"):
        from bio_agent_client.hosts.payloads import failed

        _keep(file, {"ran": line, "failed": failed(host, payload), "session": session})
    return {}


def _known(file: Path, line: str, session: str) -> str:
    """What is told of a command before it runs, "" when it is new, has worked since, or was told in this session."""
    failed, next_one = False, ""
    for entry in _entries(file):
        if entry.get("said") == line and entry["session"] == session:
            return ""
        if "ran" not in entry:
            continue
        if entry["ran"] == line:
            failed, next_one = entry["failed"], ""
        elif failed and not next_one and not entry["failed"]:
            next_one = entry["ran"]
    if not failed:
        return ""
    return f"`{line}` failed before." + (f" `{next_one}` worked." if next_one else "")


def _entries(file: Path) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _keep(file: Path, entry: Mapping[str, Any]) -> None:
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(entry) + "\n")


def _find_client(folder: str) -> None:
    """Makes `bio_agent_client` importable without running its __init__, which costs more than all else here."""
    package = type(sys)("bio_agent_client")
    package.__path__ = [folder]
    sys.modules.setdefault("bio_agent_client", package)


if __name__ == "__main__":
    _find_client(sys.argv[3])
    said = answer(Path(sys.argv[1]), sys.argv[2], json.load(sys.stdin))
    if said:
        json.dump(said, sys.stdout)
