"""The memory inside mini-swe-agent: agents that observe, read the rules and ask the guard.

    mini --agent-class bio_agent_client.hosts.swe_agent.MemoryInteractiveAgent …     the command line
    agent_class: bio_agent_client.hosts.swe_agent.MemoryAgent                        batches and scripts

Importing this module needs mini-swe-agent. Settings come from the environment: BIO_AGENT_HOME, BIO_AGENT_URL,
BIO_AGENT_WORKSPACE, BIO_AGENT_AGENT, BIO_AGENT_KEY, BIO_AGENT_WARN (tell | hold), BIO_AGENT_PROMPTS (untrusted | owner).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from minisweagent.agents.default import DefaultAgent  # type: ignore[import-not-found]
from minisweagent.agents.interactive import InteractiveAgent  # type: ignore[import-not-found]
from minisweagent.exceptions import InterruptAgentFlow  # type: ignore[import-not-found]

from bio_agent_client.hosts import answers
from bio_agent_client.hosts.in_process import InProcess
from bio_agent_client.hosts.workspace import workspace_of
from bio_agent_client.observation import derive_id, uuid7

if TYPE_CHECKING:

    class _Agent:
        env: Any
        messages: list[dict[str, Any]]

        def run(self, task: str = "", **kwargs: Any) -> dict[str, Any]: ...
        def add_messages(self, *messages: dict[str, Any]) -> list[dict[str, Any]]: ...
        def execute_actions(self, message: dict[str, Any]) -> list[dict[str, Any]]: ...
else:
    _Agent = object

HOST = "mini-swe-agent"
STOPPED = 126  # the shell's code for "may not be executed"
MAX_HINT_CHARS = 4_000


class _Guarded:
    """The agent's environment with the guard before each command and the memory's words after it."""

    def __init__(self, inner: Any, execute: Callable[..., dict[str, Any]]) -> None:
        self._inner, self._execute = inner, execute

    def execute(self, action: dict[str, Any], *args: Any, **kwargs: Any) -> dict[str, Any]:
        return self._execute(self._inner, action, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _Memory(_Agent):
    """Mixed into an agent of mini-swe-agent; uses what every one of them has: run, add_messages, env."""

    def run(self, task: str = "", **kwargs: Any) -> dict[str, Any]:
        self._session = uuid7()
        self._count = 0
        self._memory = memory_of(os.environ, str(getattr(getattr(self.env, "config", None), "cwd", "") or os.getcwd()))
        self._hold = os.environ.get("BIO_AGENT_WARN") == "hold"
        if not isinstance(self.env, _Guarded):
            self.env = _Guarded(self.env, self._act)
        self._observe({"kind": "event", "content": "session started", "source": HOST,
                       "metadata": {"event": "session_start", "severity": "debug"}})  # fmt: skip
        if task.strip():
            # "task" is a place where anybody may have written; the owner's own words come from the command line.
            source = "cli" if self._memory.prompts == "owner" else "task"
            self._observe({"kind": "user", "content": task, "source": source})
        ended = "interrupted"
        try:
            result = super().run(task, **kwargs)
            ended = str(result.get("exit_status") or "ended")
            return result
        except Exception as error:
            ended = type(error).__name__
            raise
        finally:
            self._observe({"kind": "outcome", "content": f"exit_status: {ended}", "source": HOST,
                           "metadata": {"event": "session_end"}})  # fmt: skip
            self._memory.close()

    def add_messages(self, *messages: dict[str, Any]) -> list[dict[str, Any]]:
        for message in messages:
            content = message.get("content")
            if message.get("role") == "system" and not self.messages and isinstance(content, str):
                block = str(self._memory.persona(self._session).get("block") or "")
                message["content"] = f"{content}\n\n{block}" if block else content
            elif message.get("role") == "assistant" and isinstance(content, str) and content.strip():
                self._observe({"kind": "assistant", "content": content, "source": "chat"})
        return super().add_messages(*messages)

    def _act(self, inner: Any, action: dict[str, Any], *args: Any, **kwargs: Any) -> dict[str, Any]:
        command = str(action.get("command", ""))
        said = self._memory.check(self._session, "Bash", {"command": command}, can_ask=False)
        verdict, reason = said.get("verdict"), f"{answers.MARK} {answers.plain(str(said.get('reason') or ''))}"
        if verdict in ("block", "needs_approval"):  # nobody is there to approve
            return _stopped(reason)
        if verdict == "warn" and self._hold:
            return _stopped(f"{reason} This is said once; run the same command again if it is right all the same.")
        try:
            output: dict[str, Any] = inner.execute(action, *args, **kwargs)
        except InterruptAgentFlow:  # how the environment says that the task was submitted
            self._saw(command, "", 0)
            raise
        text = str(output.get("output") or "")
        code = output.get("returncode")
        failed = isinstance(code, int) and code != 0
        self._saw(command, "\n".join(t for t in (text, str(output.get("exception_info") or "")) if t), code)
        told = reason if verdict == "warn" else self._memory.hint("Bash", {"command": command}) if failed else ""
        return {**output, "output": f"{text.rstrip()}\n{told[:MAX_HINT_CHARS]}"} if told else output

    def _saw(self, command: str, text: str, code: Any) -> None:
        self._observe({"kind": "tool", "source": "terminal", "tool": "Bash", "tool_input": {"command": command},
                       "content": text} | ({"exit_code": code} if isinstance(code, int) else {}))  # fmt: skip

    def _observe(self, found: Mapping[str, Any]) -> None:
        self._count += 1
        self._memory.observe(self._session, {"id": derive_id(HOST, self._session, self._count), **found})


def _stopped(reason: str) -> dict[str, Any]:
    return {"output": reason, "returncode": STOPPED, "exception_info": ""}


def memory_of(environ: Mapping[str, str], cwd: str) -> InProcess:
    """The memory that the environment names. A task is often an issue that anybody may have written: untrusted, unless
    BIO_AGENT_PROMPTS=owner says that it is the owner's own."""
    return InProcess(
        HOST, os.path.expanduser(environ.get("BIO_AGENT_HOME") or "~/.bio-agent"),
        workspace=environ.get("BIO_AGENT_WORKSPACE") or workspace_of(cwd),
        agent=environ.get("BIO_AGENT_AGENT") or HOST, url=environ.get("BIO_AGENT_URL", ""),
        key=environ.get("BIO_AGENT_KEY", ""), prompts=environ.get("BIO_AGENT_PROMPTS") or "untrusted",
    )  # fmt: skip


class MemoryAgent(_Memory, DefaultAgent):  # type: ignore[misc]
    """mini-swe-agent's plain agent with the memory."""


class MemoryInteractiveAgent(_Memory, InteractiveAgent):  # type: ignore[misc]
    """The agent of the command line `mini` with the memory. Its own confirmation of commands stays in force."""
