"""A model provider on loopback whose answers are scripted, so that a real agent host can be driven without a model.

It speaks the three streaming dialects the hosts use: Anthropic messages, OpenAI responses and OpenAI chat completions.
A policy is a function of what was asked; what was asked is kept, so that a test can see what reached the model.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Dialect = Literal["anthropic", "responses", "chat"]
MAX_ASKED = 200  # requests after which the provider ends every turn: a host that loops must not run for ever


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call the model makes."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Turn:
    """What the model answers: text, tool calls, or both."""

    text: str = ""
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, in one form for all dialects.

    said: (role, text) in order, the system text first; a tool's result has the role "tool". tools: names offered.
    raw: the body as it came.
    """

    dialect: Dialect
    said: tuple[tuple[str, str], ...]
    tools: tuple[str, ...]
    raw: Mapping[str, Any] = field(repr=False)

    @property
    def results(self) -> list[str]:
        """The results of the tool calls made so far in this conversation."""
        return [text for role, text in self.said if role == "tool"]

    @property
    def text(self) -> str:
        """All that the model was shown, without the tools' descriptions."""
        return "\n".join(text for _, text in self.said)


Policy = Callable[[Asked], Turn]


def commands(tool: str, lines: Sequence[str], last: str = "Done.", argument: str = "command") -> Policy:
    """The policy that runs `lines` one after the other, whatever they return, and then says `last`.

    Which one is next is read off the conversation (the results in it), so that a host may repeat a request. Requests
    that offer no such tool (titles, summaries) get a text.
    """

    def policy(asked: Asked) -> Turn:
        done = len(asked.results)
        if tool not in asked.tools or done >= len(lines):
            return Turn(last)
        return Turn(calls=(Call(tool, {argument: lines[done]}),))

    return policy


class Provider:
    """The running provider. `url` has no path; the hosts add theirs. `policy` may be exchanged between sessions."""

    def __init__(self, policy: Policy, most: int = MAX_ASKED) -> None:
        self.policy, self.most = policy, most
        self.asked: list[Asked] = []
        self.url = ""
        self._lock = threading.Lock()

    def answer(self, dialect: Dialect, body: Mapping[str, Any]) -> Iterator[bytes]:
        asked = _READ[dialect](body)
        with self._lock:
            self.asked.append(asked)
            over = len(self.asked) > self.most
        turn = Turn("That is enough.") if over else self.policy(asked)
        return _WRITE[dialect](turn, str(body.get("model", "fake-1")))

    def conversations(self) -> list[Asked]:
        """The requests that offered tools: the turns of the agent itself."""
        return [asked for asked in self.asked if asked.tools]


@contextmanager
def serving(policy: Policy, most: int = MAX_ASKED) -> Iterator[Provider]:
    """A provider on a free port of 127.0.0.1 for the time of the block. most: requests before it ends every turn."""
    provider = Provider(policy, most)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))) or b"{}")
            path = self.path.split("?")[0]
            dialect = next((d for end, d in _PATHS.items() if path.endswith(end)), None)
            if path.endswith("/count_tokens"):
                self._plain({"input_tokens": max(1, len(json.dumps(body)) // 4)})
            elif dialect is None:
                self._plain({"error": {"message": f"no such path: {path}"}}, 404)
            elif dialect == "chat" and not body.get("stream"):
                self._plain(_whole(provider.answer(dialect, body)))
            else:
                self._stream(provider.answer(dialect, body))

        def do_GET(self) -> None:
            self._plain({"object": "list", "data": [{"id": "fake-1", "object": "model"}], "models": []})

        def do_HEAD(self) -> None:
            self._plain({})

        def _plain(self, value: Mapping[str, Any], status: int = 200) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def _stream(self, events: Iterator[bytes]) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            for event in events:
                self.wfile.write(event)
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, name="fake-provider", daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


# --------------------------------------------------------------------------------------------------- reading requests


def _text(content: Any) -> str:
    """The text of a content that is a string or a list of blocks."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else json.dumps(content, ensure_ascii=False)
    return "\n".join(
        str(b.get("text") or b.get("output") or _text(b.get("content")) or "") if isinstance(b, Mapping) else str(b)
        for b in content
    )


def _read_anthropic(body: Mapping[str, Any]) -> Asked:
    said = [("system", _text(body.get("system")))]
    for message in body.get("messages", []):
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for block in blocks:
            kind = block.get("type")
            if kind == "text":
                said.append((message["role"], str(block.get("text"))))
            elif kind == "tool_result":
                said.append(("tool", _text(block.get("content"))))
    return Asked("anthropic", tuple(said), tuple(str(t.get("name")) for t in body.get("tools") or []), body)


def _read_responses(body: Mapping[str, Any]) -> Asked:
    said = [("system", str(body.get("instructions") or ""))]
    items = body.get("input")
    for item in items if isinstance(items, list) else [{"role": "user", "content": items}]:
        kind = str(item.get("type") or "message")
        if kind == "message":
            said.append((str(item.get("role")), _text(item.get("content"))))
        elif kind.endswith("_output"):
            said.append(("tool", _text(item.get("output"))))
    names = tuple(str(t.get("name") or t.get("type")) for t in body.get("tools") or [])
    return Asked("responses", tuple(said), names, body)


def _read_chat(body: Mapping[str, Any]) -> Asked:
    said = tuple((str(m.get("role")), _text(m.get("content"))) for m in body.get("messages", []))
    names = tuple(str((t.get("function") or {}).get("name")) for t in body.get("tools") or [])
    return Asked("chat", said, names, body)


# --------------------------------------------------------------------------------------------------- writing answers


def _event(data: Mapping[str, Any], name: str = "") -> bytes:
    return (f"event: {name}\n" if name else "").encode() + b"data: " + json.dumps(data).encode() + b"\n\n"


def _write_anthropic(turn: Turn, model: str) -> Iterator[bytes]:
    def event(kind: str, **more: Any) -> bytes:
        return _event({"type": kind, **more}, kind)

    usage = {"input_tokens": 10, "output_tokens": 10, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    message = {"id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant", "model": model, "content": []}
    yield event("message_start", message={**message, "stop_reason": None, "stop_sequence": None, "usage": usage})
    blocks: list[tuple[dict[str, Any], dict[str, Any]]] = []
    if turn.text:
        blocks.append(({"type": "text", "text": ""}, {"type": "text_delta", "text": turn.text}))
    for call in turn.calls:
        start = {"type": "tool_use", "id": f"toolu_{uuid.uuid4().hex[:24]}", "name": call.tool, "input": {}}
        blocks.append((start, {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}))
    for at, (start, delta) in enumerate(blocks):
        yield event("content_block_start", index=at, content_block=start)
        yield event("content_block_delta", index=at, delta=delta)
        yield event("content_block_stop", index=at)
    reason = "tool_use" if turn.calls else "end_turn"
    yield event("message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage=usage)
    yield event("message_stop")


def _write_responses(turn: Turn, model: str) -> Iterator[bytes]:
    response = {"id": f"resp_{uuid.uuid4().hex}", "object": "response", "model": model, "output": []}
    yield _event({"type": "response.created", "response": {**response, "status": "in_progress"}}, "response.created")
    items: list[dict[str, Any]] = []
    if turn.text:
        content = [{"type": "output_text", "text": turn.text, "annotations": []}]
        items.append({"type": "message", "id": f"msg_{uuid.uuid4().hex}", "role": "assistant", "content": content})
    for call in turn.calls:
        items.append({
            "type": "function_call", "id": f"fc_{uuid.uuid4().hex}", "call_id": f"call_{uuid.uuid4().hex[:24]}",
            "name": call.tool, "arguments": json.dumps(call.arguments),
        })  # fmt: skip
    for at, item in enumerate(items):
        done = "response.output_item.done"
        yield _event({"type": done, "output_index": at, "item": {**item, "status": "completed"}}, done)
    usage = {"input_tokens": 10, "output_tokens": 10, "total_tokens": 20, "input_tokens_details": {"cached_tokens": 0},
             "output_tokens_details": {"reasoning_tokens": 0}}  # fmt: skip
    completed = {**response, "status": "completed", "output": items, "usage": usage}
    yield _event({"type": "response.completed", "response": completed}, "response.completed")


def _write_chat(turn: Turn, model: str) -> Iterator[bytes]:
    def chunk(delta: Mapping[str, Any], finish: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return _event({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": model,
                       "choices": [choice], **more})  # fmt: skip

    yield chunk({"role": "assistant", "content": turn.text})
    for at, call in enumerate(turn.calls):
        function = {"name": call.tool, "arguments": json.dumps(call.arguments)}
        named = {"index": at, "id": f"call_{uuid.uuid4().hex[:24]}", "type": "function", "function": function}
        yield chunk({"tool_calls": [named]})
    usage = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}
    yield chunk({}, "tool_calls" if turn.calls else "stop", usage=usage)
    yield b"data: [DONE]\n\n"


def _whole(events: Iterator[bytes]) -> dict[str, Any]:
    """The chunks of a chat completion as the one answer a client gets that did not ask for a stream."""
    chunks = [json.loads(event.removeprefix(b"data: ")) for event in events if b"[DONE]" not in event]
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    calls = [
        {k: v for k, v in call.items() if k != "index"} for delta in deltas for call in delta.get("tool_calls", [])
    ]
    message = {"role": "assistant", "content": "".join(delta.get("content") or "" for delta in deltas)}
    choice = {
        "index": 0,
        "message": message | ({"tool_calls": calls} if calls else {}),
        "finish_reason": chunks[-1]["choices"][0]["finish_reason"],
    }
    return {**chunks[-1], "object": "chat.completion", "choices": [choice]}


_PATHS: dict[str, Dialect] = {"/messages": "anthropic", "/responses": "responses", "/chat/completions": "chat"}
_READ: dict[Dialect, Callable[[Mapping[str, Any]], Asked]] = {
    "anthropic": _read_anthropic,
    "responses": _read_responses,
    "chat": _read_chat,
}
_WRITE: dict[Dialect, Callable[[Turn, str], Iterator[bytes]]] = {
    "anthropic": _write_anthropic,
    "responses": _write_responses,
    "chat": _write_chat,
}
