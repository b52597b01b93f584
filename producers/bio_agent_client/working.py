"""What an agent says and asks of its session's working state; part of `Memory`. Needs the service's HTTP address."""

from __future__ import annotations

import urllib.parse
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from bio_agent_client.redact import redact_json
from bio_agent_client.transport import HttpTransport, answer


class WorkingVerbs(ABC):
    """Mixed into `Memory`. Each verb returns the state after it; raises Away or Denied, and Refused for a bad body."""

    _defaults: dict[str, str]
    _context: tuple[str, dict[str, Any]] | None = None

    @abstractmethod
    def _ask(self, what: str) -> HttpTransport:
        """The way to the service. Raises RuntimeError, naming `what`, when no address was given."""

    def context(self, query: str = "", *, budget: int | None = None) -> dict[str, Any]:
        """{text, tokens, version, memories, query, state, …}: rules, recalled memories and the session's state, to put
        before the model at this turn. Asked with the last version (ETag). Raises Away when the service is not there."""
        given = {k: v for k, v in self._defaults.items() if k in ("workspace", "agent", "user", "session")}
        if query:
            given["query"] = str(redact_json(query))
        if budget is not None:
            given["budget"] = str(budget)
        path = f"/api/context?{urllib.parse.urlencode(given)}"
        headers = {"If-None-Match": self._context[0]} if self._context else {}
        status, answered, data = self._ask("context").request("GET", path, headers=headers)
        if status == 304 and self._context:
            return self._context[1]
        reply = dict(answer(status, answered, data))
        if etag := answered.get("etag"):
            self._context = (etag, reply)
        return reply

    def working(self) -> dict[str, Any]:
        """The session's state: tasks, goals, places, things, deeds, what is stuck."""
        where = urllib.parse.urlencode({"workspace": self._defaults.get("workspace", "default")})
        status, answered, data = self._ask("working").request("GET", f"{self._session_path()}?{where}")
        return dict(answer(status, answered, data))

    def push_task(self, task: str) -> dict[str, Any]:
        """Begin a part of the task in hand."""
        return self._tell("push", task=task)

    def pop_task(self, outcome: str = "done", *, task: str = "") -> dict[str, Any]:
        """The task in hand is done, failed or dropped. `task`: which it should be; Denied (409) when it is another."""
        return self._tell("pop", outcome=outcome, task=task)

    def interrupt_task(self, task: str) -> dict[str, Any]:
        """Something comes between; what is in hand waits for `resume_task`."""
        return self._tell("interrupt", task=task)

    def resume_task(self, outcome: str = "done") -> dict[str, Any]:
        """Back to what was interrupted; `outcome`: how what had come between ended."""
        return self._tell("resume", outcome=outcome)

    def set_goal(self, goal: str, state: str = "open") -> dict[str, Any]:
        """A temporary goal: open, done, failed or dropped."""
        return self._tell("goal", goal=goal, state=state)

    def snapshot(self, place: str = "", **seen: Any) -> dict[str, Any]:
        """What is seen: objects, exits, gone, only."""
        return self._tell("snapshot", place=place, **seen)

    def acted(self, tool: str, tool_input: Any, *, failed: bool = False, **more: Any) -> dict[str, Any]:
        """What was done and how it ended (goal, error, id). Not needed for what is observed as a tool's result."""
        return self._tell("act", tool=tool, tool_input=tool_input, failed=failed, **more)

    def _session_path(self) -> str:
        session = self._defaults.get("session", "")
        if not session:
            raise ValueError("working state belongs to a session: Memory(session='…', …)")
        return f"/api/working/{urllib.parse.quote(session, safe='')}"

    def _tell(self, verb: str, **fields: Any) -> dict[str, Any]:
        body: Mapping[str, Any] = {
            "workspace": self._defaults.get("workspace", "default"), **redact_json(fields),
        }  # fmt: skip
        return dict(self._ask(verb).json("POST", f"{self._session_path()}/{verb}", body))
