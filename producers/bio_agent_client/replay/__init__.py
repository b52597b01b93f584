"""What agents have already done, as observations: SWE-agent and mini-swe-agent trajectories, Claude Code transcripts, and
JSON Lines of observations. Whether an act failed is not decided here.

Ids are derived from what the host calls the act, so that reading a file twice, or after live capture, adds nothing.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bio_agent_client.observation import Refused, derive_id, parse
from bio_agent_client.replay.claude_code import ClaudeCode, is_claude_code
from bio_agent_client.replay.swe_agent import mini_swe_agent, swe_agent

__all__ = ["Problems", "read"]

log = logging.getLogger("bio_agent_client")
Problem = Callable[[str], None]


SHOWN = 5  # problems of one file that are worth a line each


class Problems:
    """Passes the first few problems of a file on to `say` and counts the rest, which `end` tells."""

    def __init__(self, say: Problem) -> None:
        self._say, self.count = say, 0

    def __call__(self, text: str) -> None:
        self.count += 1
        if self.count <= SHOWN:
            self._say(text)

    def end(self) -> None:
        if self.count > SHOWN:
            self._say(f"… and {self.count - SHOWN} more that could not be read")


class _Held:
    """Keeps problems back until the file has proved to hold an observation: a file of another kind is one problem."""

    def __init__(self, problem: Problem) -> None:
        self._problem: Problem | None = None
        self._then, self.count = problem, 0
        self.first: list[str] = []

    def __call__(self, text: str) -> None:
        self.count += 1
        if self._problem is not None:
            self._problem(text)
        elif len(self.first) < 1000:
            self.first.append(text)

    def release(self) -> None:
        if self._problem is None:
            self._problem = self._then
            for text in self.first:
                self._then(text)


def read(path: str | Path, *, on_problem: Problem | None = None) -> Iterator[dict[str, Any]]:
    """The observations of one file, oldest first, in the form that `Memory.observe` takes.

    The format is found by looking. on_problem: called with "file:line: what could not be read" (default: a warning in
    the log). Raises Refused when the file is none of the formats or nothing in it is an observation, OSError when it
    cannot be opened.
    """
    path = Path(path)
    held = _Held(on_problem or (lambda text: log.warning("%s", text)))
    found = False
    for observation in _read(path, held):
        if not found:
            found = True
            held.release()
        yield observation
    if held.count and not found:
        raise Refused(f"none of its {held.count} parts is an observation; the first: {held.first[0]}", str(path))


def _read(path: Path, problem: Problem) -> Iterator[dict[str, Any]]:
    document = _whole_document(path)
    if isinstance(document, dict):
        if "trajectory" in document or "history" in document or "attempts" in document:
            yield from swe_agent(document, path, problem)
            return
        if isinstance(document.get("messages"), list):
            yield from mini_swe_agent(document, path, problem)
            return
        if not is_claude_code(document):
            yield from _plain(document, path, 1, problem)
            return
    if isinstance(document, list):
        for number, item in enumerate(document, 1):
            yield from _plain(item, path, number, problem)
        return
    yield from _lines(path, problem)


def _whole_document(path: Path) -> Any:
    """The file as one JSON document, or None when it is not one (JSON Lines) or only one line long."""
    with path.open("rb") as file:
        first = file.readline()
        if file.read(1) and first.strip() not in (b"{", b"[") and _json(first) is not None:
            return None  # a whole object on the first line and more behind it: JSON Lines
    return _json(path.read_bytes())


def _json(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _lines(path: Path, problem: Problem) -> Iterator[dict[str, Any]]:
    transcript: ClaudeCode | None = None
    seen = readable = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            seen += 1
            item = _json(line)
            if not isinstance(item, dict):
                problem(f"{path}:{number}: not a JSON object")
                continue
            readable += 1
            if transcript is None and is_claude_code(item):
                transcript = ClaudeCode(path, problem)
            if transcript is not None:
                yield from transcript.line(item, number)
            else:
                yield from _plain(item, path, number, problem)
    if seen and not readable:
        raise Refused(
            "is none of: SWE-agent .traj, mini-swe-agent trajectory, Claude Code transcript, JSON Lines of observations",
            str(path),
        )


def _plain(item: Any, path: Path, number: int, problem: Problem) -> Iterator[dict[str, Any]]:
    """One observation as it stands; its id, when it has none, is the file's name and the line."""
    try:
        parse(item, loopback_defaults=False, oversize="cut")
    except Refused as error:
        problem(f"{path}:{number}: {error}")
        return
    yield item if item.get("id") else {**item, "id": derive_id("replay", path.name, number)}
