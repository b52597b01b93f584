"""A tiny OpenAI-compatible chat service on loopback that answers what a test tells it to."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """What goes over the wire: `text` as the message of the model, or another status, after `delay_s`.

    finish: why the model stopped. error: what the service says of a refusal.
    """

    text: str = ""
    status: int = 200
    finish: str = "stop"
    error: str = "no"
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0


@dataclass
class Asked:
    """One request as the service saw it; `numbers` are the numbers of its items, `again` marks a second ask."""

    role: str
    numbers: list[int]
    again: bool
    body: dict[str, Any] = field(default_factory=dict)


def sensible(asked: Asked) -> Answer:
    """What a well-behaved model would say: one topic, one memory of the first item."""
    if asked.role == "label":
        return Answer(json.dumps({"labels": [label(n) for n in asked.numbers]}))
    return Answer(json.dumps({"memories": [memory(asked.numbers[:1])]}))


def label(n: object, **more: Any) -> dict[str, Any]:
    return {"n": n, "topic": "printing", "importance": 5, "junk": False, **more}


def memory(cites: object, **more: Any) -> dict[str, Any]:
    text = "The invoice printer in room four needs new toner."
    return {"kind": "semantic", "text": text, "cites": cites, "confidence": 0.5, "is_rule": False, **more}


class FakeModel:
    def __init__(self) -> None:
        self.answer: Callable[[Asked], Answer] = sensible
        self.asked: list[Asked] = []
        self.url = ""

    def _handle(self, body: dict[str, Any]) -> Answer:
        shown = body["messages"][1]["content"]
        lines = re.search(r"<items>\n(.*?)\n</items>", shown, re.DOTALL)
        numbers = [json.loads(line)["n"] for line in lines[1].split("\n")] if lines else []
        schema = body.get("response_format", {}).get("json_schema", {})
        asked = Asked(schema.get("name", ""), numbers, len(body["messages"]) > 2, body)
        self.asked.append(asked)
        return self.answer(asked)


@contextmanager
def serving() -> Iterator[FakeModel]:
    fake = FakeModel()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = fake._handle(body)
            time.sleep(answer.delay_s)
            message = {"role": "assistant", "content": answer.text}
            reply = {
                "id": "x", "object": "chat.completion", "created": 1, "model": body["model"],
                "choices": [{"index": 0, "message": message, "finish_reason": answer.finish}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            }  # fmt: skip
            data = json.dumps(reply if answer.status == 200 else {"error": {"message": answer.error}}).encode()
            try:
                self.send_response(answer.status)
                for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
            except OSError:
                self.close_connection = True  # the client gave up waiting

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    fake.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        server.shutdown()
        server.server_close()
