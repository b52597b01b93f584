"""The memory as Hermes Agent's external memory provider, and the hooks that let it guard and see tool calls.

Hermes loads the same plugin folder twice: as the memory provider (memory.provider) and, where plugins.enabled names it,
as a plugin with hooks. The provider alone captures whole turns when they end; with the hooks every tool call is seen at
once, asked about before and helped after. Both share one state.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import OrderedDict
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from bio_agent_client.hosts import answers
from bio_agent_client.hosts.by_place import BY_PLACE
from bio_agent_client.hosts.in_process import InProcess
from bio_agent_client.hosts.link import Away, query
from bio_agent_client.hosts.workspace import workspace_of
from bio_agent_client.observation import derive_id
from bio_agent_client.redact import redact

HOST = "hermes"
HINT_KEY = "bio_memory"  # under which a hint stands in a tool's JSON result
MAX_CALLS = 500  # tool calls of a process about which something is remembered
LOCAL_PLATFORMS = ("", "cli", "tui", "acp", "desktop", "local")  # where whoever types sits at this machine
OWN_TOOLS = ("bio_recall", "bio_remember", "bio_rules", "bio_feedback")
_READING = {*OWN_TOOLS, "memory", "session_search"}  # what reads back what is remembered is nothing that happened
_KINDS = ["episodic", "semantic", "procedural", "exception", "goal", "preference"]


class State:
    """What provider and hooks of one process share. settings: home, workspace, agent, url, warn, prompts."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        self.warn = settings.get("warn", "tell")
        workspace = settings.get("workspace") or workspace_of(os.environ.get("TERMINAL_CWD") or os.getcwd())
        self.memory = InProcess(
            HOST, settings["home"], workspace=workspace, agent=settings.get("agent") or HOST, url=settings.get("url", ""),
            key=os.environ.get("BIO_AGENT_KEY", ""), prompts=os.environ.get("BIO_AGENT_PROMPTS") or settings.get("prompts", "owner"),
        )  # fmt: skip
        self._calls: OrderedDict[str, str] = OrderedDict()

    def once(self, call: str, what: str = "seen") -> bool:
        """Whether this is the first time that `what` is said of the call."""
        key = f"{call}\0{what}"
        if not call or key in self._calls:
            return not call
        self._calls[key] = ""
        while len(self._calls) > MAX_CALLS:
            self._calls.popitem(last=False)
        return True

    def keep(self, call: str, text: str) -> None:
        self._calls[f"{call}\0warning"] = text

    def kept(self, call: str) -> str:
        return self._calls.get(f"{call}\0warning", "")


_states: dict[str, State] = {}


def state_of(settings: Mapping[str, str]) -> State:
    key = json.dumps(dict(settings), sort_keys=True)
    if key not in _states:
        _states[key] = State(settings)
    return _states[key]


# ------------------------------------------------------------------------------------------------------- observations


def tool_observation(name: str, args: Any, result: Any, call: str, session: str) -> dict[str, Any] | None:
    """One tool call. `result`: Hermes' JSON text, the terminal's as {output, exit_code, error}."""
    if name in _READING:
        return None
    content, exit_code, is_error = read_result(result)
    out: dict[str, Any] = {
        "kind": "tool", "tool": name[:256] or "tool", "tool_input": args, "content": content,
        "source": "terminal" if name == "terminal" else "tool",
        "id": derive_id(HOST, session, call) if call else "",
    }  # fmt: skip
    if not call:
        del out["id"]
    else:
        out["call_id"] = call[:256]
    if exit_code is not None:
        out["exit_code"] = exit_code
    elif is_error:
        out["is_error"] = True
    if isinstance(args, dict) and isinstance(args.get("workdir"), str):
        out["cwd"] = args["workdir"]
    return out


def read_result(result: Any) -> tuple[str, int | None, bool]:
    """(text, exit code, whether Hermes calls it an error), without what the memory had put into it."""
    if not isinstance(result, str):
        return json.dumps(result, ensure_ascii=False, default=str), None, False
    try:
        parsed = json.loads(result)
    except ValueError:
        return result, None, False
    if not isinstance(parsed, dict):
        return result, None, False
    parsed.pop(HINT_KEY, None)
    code, error = parsed.get("exit_code"), parsed.get("error")
    said = [str(part) for part in (parsed.get("output"), error) if isinstance(part, str) and part]
    text = "\n".join(said) if "output" in parsed or error else json.dumps(parsed, ensure_ascii=False)
    known = code if isinstance(code, int) and not isinstance(code, bool) and abs(code) < 2**31 else None
    return text, known, bool(error)


def with_hint(result: str, text: str) -> str:
    """A tool's result with a hint in it, still JSON where it was."""
    try:
        parsed = json.loads(result)
    except ValueError:
        return f"{result}\n{text}"
    if not isinstance(parsed, dict):
        return f"{result}\n{text}"
    return json.dumps({**parsed, HINT_KEY: text}, ensure_ascii=False)


def calls_in(messages: list[dict[str, Any]]) -> list[tuple[str, str, Any, Any]]:
    """(call id, tool, arguments, result) of every answered tool call since the last user message, in order."""
    start = max((i for i, m in enumerate(messages) if m.get("role") == "user"), default=0)
    asked: dict[str, tuple[str, Any]] = {}
    out = []
    for message in messages[start:]:
        for call in message.get("tool_calls") or []:
            function = call.get("function") or {}
            arguments: Any = function.get("arguments")
            with contextlib.suppress(ValueError):
                arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
            asked[str(call.get("id"))] = (str(function.get("name") or "tool"), arguments)
        call_id = str(message.get("tool_call_id"))
        if message.get("role") == "tool" and call_id in asked:
            out.append((call_id, *asked[call_id], message.get("content")))
    return out


# -------------------------------------------------------------------------------------------------- the memory provider


class Provider:
    """Hermes' MemoryProvider, without importing Hermes; the plugin's file joins the two."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        self._settings = dict(settings)
        self._state: State | None = None
        self._session, self._writes, self._local = "", True, True
        self._turn_began = ""

    @property
    def name(self) -> str:
        return "bio-agent"

    @property
    def state(self) -> State:
        if self._state is None:
            self._state = state_of(self._settings)
        return self._state

    def is_available(self) -> bool:
        return True  # without the service everything waits on disk

    def initialize(self, session_id: str, **kwargs: Any) -> None:
        self._session = session_id
        # What a schedule or another agent says is nobody's word; its tool calls are seen by the hooks all the same.
        self._writes = kwargs.get("agent_context", "primary") == "primary" and kwargs.get("platform") != "cron"
        self._local = kwargs.get("platform", "cli") in LOCAL_PLATFORMS
        if self._writes:
            self._event("started")

    def on_turn_start(self, turn_number: int, message: str, **kwargs: Any) -> None:
        self._turn_began = datetime.now(UTC).isoformat()

    def system_prompt_block(self) -> str:
        return str(self.state.memory.persona(self._session).get("block") or "")

    def prefetch(self, query: str, *, session_id: str = "") -> str:
        try:
            return self.state.memory.recall(query, session_id or self._session)
        except (Away, KeyError, TypeError):
            return ""

    def queue_prefetch(self, query: str, *, session_id: str = "") -> None:
        pass

    def sync_turn(
        self, user_content: str, assistant_content: str, *, session_id: str = "", messages: list[dict[str, Any]] | None = None
    ) -> None:  # fmt: skip
        session, memory = session_id or self._session, self.state.memory
        if not self._writes:
            return
        number = sum(m.get("role") == "user" for m in messages or [])
        if user_content.strip():
            # Over a messaging platform many may write; that it is the owner is not proven there.
            doubt = {} if self._local else {"provenance": "untrusted"}
            memory.observe(session, {"id": derive_id(HOST, session, "user", number, user_content), "kind": "user",
                                     "source": "chat", "content": user_content,
                                     "occurred_at": self._turn_began or datetime.now(UTC).isoformat(), **doubt})  # fmt: skip
        for call, tool, args, result in calls_in(messages or []):
            if self.state.once(f"{session}:{call}") and (seen := tool_observation(tool, args, result, call, session)):
                memory.observe(session, seen)
        if assistant_content.strip():
            memory.observe(session, {"id": derive_id(HOST, session, "assistant", number, assistant_content),
                                     "kind": "assistant", "source": "chat", "content": assistant_content})  # fmt: skip

    def get_tool_schemas(self) -> list[dict[str, Any]]:
        text = {"type": "string"}
        return [
            _schema("bio_recall", "Search the memory: earlier failures and what fixed them, facts, preferences, procedures.",
                    {"query": text, "limit": {"type": "integer", "minimum": 1, "maximum": 20}, "kind": {**text, "enum": _KINDS}}, ["query"]),
            _schema("bio_remember", "Keep a lasting fact, preference or decision in the memory. Never a secret.",
                    {"content": text, "kind": {**text, "enum": _KINDS}}, ["content"]),
            _schema("bio_rules", "The rules that hold in this workspace, with their ids.", {}, []),
            _schema("bio_feedback", "Say whether a rule helped or hurt in this session.",
                    {"rule_id": text, "outcome": {**text, "enum": ["helped", "hurt"]}, "why": text}, ["rule_id", "outcome"]),
        ]  # fmt: skip

    def handle_tool_call(self, tool_name: str, args: dict[str, Any], **kwargs: Any) -> str:
        try:
            return json.dumps({"result": self._answer(tool_name, args)}, ensure_ascii=False)
        except Away as away:
            return json.dumps({"error": str(away)}, ensure_ascii=False)
        except (KeyError, TypeError, ValueError) as error:
            return json.dumps({"error": f"bad arguments: {type(error).__name__} {error}"}, ensure_ascii=False)

    def _answer(self, tool: str, args: Mapping[str, Any]) -> str:
        memory = self.state.memory
        if tool == "bio_recall":
            found = memory.recall(
                str(args["query"]), self._session, int(args.get("limit") or 8), str(args.get("kind") or "")
            )
            return found or "nothing fits"
        if tool == "bio_remember":
            body = {**memory.where, "content": redact(str(args["content"])), "type": str(args.get("kind") or ""),
                    "source": HOST, "speaker": "agent"}  # fmt: skip
            kept = memory.ask("POST", "/api/remember", body)
            return f"already known, confirmed: {kept['id']}" if kept.get("merged") else f"kept: {kept['id']}"
        if tool == "bio_rules":
            said = memory.ask("GET", "/api/persona?" + query({**memory.where, "session": self._session}))
            ids = "\n".join(f"{rule['id']}: {rule['text'][:100]}" for rule in said["rules"])
            return (
                f"{said['block']}\n\nTheir ids, for bio_feedback:\n{ids}"
                if said["block"]
                else "no rule speaks here yet"
            )
        if tool == "bio_feedback":
            body = {"rule_id": str(args["rule_id"]), "outcome": str(args["outcome"]), "session": self._session,
                    "why": redact(str(args.get("why") or ""))[:500]}  # fmt: skip
            counted = memory.ask("POST", "/api/feedback", body)
            return f"noted: {body['outcome']}" if counted.get("counted", True) else "this session has said so already"
        raise ValueError(f"no such tool: {tool}")

    def on_session_end(self, messages: list[dict[str, Any]]) -> None:
        if self._writes:
            self._event("ended")

    def on_session_switch(self, new_session_id: str, **kwargs: Any) -> None:
        self._session = new_session_id

    def shutdown(self) -> None:
        self.state.memory.close()

    def _event(self, word: str) -> None:
        found = {"kind": "event", "source": HOST, "content": f"session {word}",
                 "metadata": {"event": "session_start" if word == "started" else "session_end", "severity": "debug"}}  # fmt: skip
        self.state.memory.observe(self._session, found)


def _schema(name: str, description: str, properties: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    parameters = {"type": "object", "properties": dict(properties), "required": required}
    return {"name": name, "description": description, "parameters": parameters}


# ------------------------------------------------------------------------------------------------------------ the hooks


def register_hooks(register_hook: Any, settings: Mapping[str, str]) -> None:
    """Registers what sees and guards tool calls with Hermes' plugin context."""
    state = state_of(settings)

    def before(tool_name: str = "", args: Any = None, session_id: str = "", tool_call_id: str = "", **_: Any) -> Any:
        if tool_name in _READING:
            return None
        # With approvals bypassed (one-shot and --yolo runs) nobody is asked: what needs approval is stopped instead.
        can_ask = os.environ.get("HERMES_YOLO_MODE", "").lower() not in ("1", "true", "yes", "on")
        said = state.memory.check(session_id, tool_name, args, can_ask=can_ask)
        verdict = said.get("verdict")
        reason = f"{answers.MARK} {answers.plain(str(said.get('reason') or ''))}"
        if verdict == "block" or (verdict == "needs_approval" and not can_ask):
            return {"action": "block", "message": reason}
        if verdict == "needs_approval":  # "always" lets this one rule's calls through from then on
            return {"action": "approve", "message": reason, "rule_key": f"bio-agent:{said.get('rule_id')}"}
        if verdict == "warn" and state.warn == "hold":
            return {
                "action": "block",
                "message": f"{reason} This is said once; run the same call again if it is right all the same.",
            }
        if verdict == "warn":
            state.keep(f"{session_id}:{tool_call_id}", reason)
        return None

    def after(
        tool_name: str = "", args: Any = None, result: Any = None, session_id: str = "", tool_call_id: str = "",
        duration_ms: Any = 0, status: str | None = None, **_: Any,
    ) -> None:  # fmt: skip
        call = f"{session_id}:{tool_call_id}"
        if not state.once(call) or status == "blocked":
            return  # seen already, or it did not run
        seen = tool_observation(tool_name, args, result, tool_call_id, session_id)
        if seen is not None:
            took = (
                {"duration_ms": int(duration_ms)} if isinstance(duration_ms, (int, float)) and duration_ms >= 0 else {}
            )
            state.memory.observe(session_id, {**seen, **took})

    def changed(
        tool_name: str = "",
        args: Any = None,
        result: Any = None,
        session_id: str = "",
        tool_call_id: str = "",
        **_: Any,
    ) -> Any:
        if not isinstance(result, str) or tool_name in _READING:
            return None
        text = state.kept(f"{session_id}:{tool_call_id}")
        code, is_error = read_result(result)[1:]
        if not text and (code or (code is None and is_error)):
            text = state.memory.hint(tool_name, args)
        return with_hint(result, text) if text else None

    for name, act in (("pre_tool_call", before), ("post_tool_call", after), ("transform_tool_result", changed)):
        register_hook(name, act)


# ---------------------------------------------------------------------------------------------------- the plugin's files

_INIT = (
    '''"""bio-agent's memory for Hermes Agent. Written by `python -m bio_agent_client.hosts.hermes_install`."""

import json

from agent.memory_provider import MemoryProvider

SETTINGS = json.loads({settings!r})

'''
    + BY_PLACE
    + """
from bio_agent_client.hosts.hermes import Provider, register_hooks  # noqa: E402


class BioAgent(Provider, MemoryProvider):
    pass


def register(ctx):
    if hasattr(ctx, "register_memory_provider"):
        ctx.register_memory_provider(BioAgent(SETTINGS))
    register_hooks(ctx.register_hook, SETTINGS)
"""
)

_YAML = """name: bio-agent
version: 0.1.0
kind: standalone
description: "Learns from what fails and what fixes it: rules before the model, a guard before tools, recall."
"""


def plugin_files(settings: Mapping[str, str], package: str) -> dict[str, str]:
    """File name → text of the plugin folder. package: the folder of bio_agent_client."""
    return {"__init__.py": _INIT.format(settings=json.dumps(dict(settings)), package=package), "plugin.yaml": _YAML}
