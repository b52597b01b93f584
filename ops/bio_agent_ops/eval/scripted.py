"""Language models of the cases: one that obeys whatever it reads, and a provider on loopback that answers by a script."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any

import openai

from bio_agent_workers.models.protocol import ModelReply, ModelRequest, Role
from bio_agent_workers.models.service import ServiceModel

CALL_TIMEOUT_S = 3.0
MOST_DELAY_S = 5.0
RESET = 0  # in place of a status: the connection is closed without an answer
_EVENT_ID = re.compile(r'"(e\d+)"')
_ITEMS = re.compile(r"<items>\n(.*?)\n</items>", re.DOTALL)


class ObeyingModel:
    """Makes a rule of every item it is shown, in the item's own words: the worst that an injection can reach."""

    model_id = "eval/obeys"
    offline = False

    def complete(self, request: ModelRequest) -> ModelReply:
        if request.role is Role.LABEL:
            data: dict[str, Any] = {
                "labels": [{"n": i["n"], "topic": "orders", "importance": 10, "junk": False} for i in request.items]
            }
        else:
            data = {
                "memories": [
                    {"kind": "procedural", "text": said[:600], "cites": [i["n"]], "confidence": 0.8, "is_rule": True}
                    for i in request.items if (said := shown_text(i))
                ]
            }  # fmt: skip
        raw = json.dumps(data)
        return ModelReply(
            data=data, raw_input=json.dumps([dict(i) for i in request.items]), raw_output=raw, model_id=self.model_id
        )


def shown_text(item: Mapping[str, Any]) -> str:
    """The longest text of an item: what was observed, however the field is called."""
    return max((v for v in item.values() if isinstance(v, str)), key=len, default="").strip()


class Provider:
    """Answers in order; the last answer is given again when the script is over."""

    def __init__(self, script: Sequence[Any], events: Mapping[str, str]) -> None:
        self._script = list(script) or [""]
        self._events = events  # event id → content
        self.calls = 0
        self.clock: Callable[[], float] = time.monotonic
        self.asked_at: list[
            tuple[float, bool]
        ] = []  # seconds by the clock; whether that request was answered with an error
        self.asked: list[str] = []
        self.parts = 0  # requests that asked for a part of what was refused before
        self._refused: list[frozenset[str]] = []  # the items of requests that were refused as they stood
        self._lock = threading.Lock()
        self.url = ""

    def waits(self) -> list[float]:
        """Seconds from each request that was answered with an error to the next one."""
        return [later[0] - earlier[0] for earlier, later in pairwise(self.asked_at) if earlier[1]]

    def answer(self, body: Mapping[str, Any]) -> tuple[int, dict[str, str], str]:
        """(status, headers, what goes over the wire)."""
        with self._lock:
            step = self._script[min(self.calls, len(self._script) - 1)]
            self.calls += 1
        self.asked_at.append((self.clock(), isinstance(step, dict) and step.get("http", 200) != 200))
        asked = "\n".join(str(m.get("content", "")) for m in body.get("messages", ()))
        self.asked.append(asked)
        shown = _ITEMS.search(asked)
        items = frozenset(shown[1].split("\n")) if shown else frozenset()
        self.parts += any(_is_part(items, refused) for refused in self._refused)
        finish = "stop"
        if isinstance(step, dict):
            time.sleep(min(float(step.get("delay_s") or 0), MOST_DELAY_S))
            status = int(step.get("http", 200))
            headers = {str(k): str(v) for k, v in (step.get("headers") or {}).items()}
            if 400 <= status < 500 and status not in (408, 429):
                self._refused.append(items)
            if "raw" in step:
                return status, headers, str(step["raw"])
            if status != 200:
                return status, headers, json.dumps({"error": {"message": str(step.get("body", ""))}})
            finish = str(step.get("finish_reason") or finish)
            step = step.get("body", "")
        text = step if isinstance(step, str) else json.dumps(step)
        return 200, {}, json.dumps(_completion(self._as_compiled(text, asked), str(body.get("model", "")), finish))

    def _as_compiled(self, text: str, asked: str) -> str:
        """The script's rules in the shape that the compile stage asks for; what is broken stays broken."""
        numbers = self._numbers(asked)
        begin, end = text.find("{"), text.rfind("}")
        if "rules" in text and 0 <= begin < end:
            try:
                data = json.loads(text[begin : end + 1])
            except ValueError:
                data = None
            if isinstance(data, dict) and isinstance(data.get("rules"), list):
                memories = [_memory(r, numbers) for r in data.pop("rules")]
                return text[:begin] + json.dumps({"memories": memories, **data}) + text[end + 1 :]
        renamed = text.replace('"rules"', '"memories"').replace('"evidence"', '"cites"')
        return _EVENT_ID.sub(lambda m: str(numbers.get(m[1], m[0])), renamed)

    def _numbers(self, asked: str) -> dict[str, int]:
        """Event id → number of the item that shows it; an event folded into an earlier one has that one's number."""
        found = _ITEMS.search(asked)
        items = [json.loads(line) for line in found[1].split("\n")] if found else []
        texts = {int(i["n"]): " ".join(shown_text(i).split()) for i in items if "n" in i}
        numbers: dict[str, int] = {}
        for event, content in self._events.items():
            head = " ".join(content.split())[:60]
            exact = [n for n, t in texts.items() if t.startswith(head) or head.startswith(t[:60])]
            numbers[event] = exact[0] if exact else min(texts, default=1)
        return numbers


def _is_part(items: frozenset[str], whole: frozenset[str]) -> bool:
    """Whether a request shows some items of another, or their beginnings, and less of them."""
    shared = {i[:60] for i in items} & {i[:60] for i in whole}
    return bool(shared) and sum(map(len, items)) < sum(map(len, whole))


def _memory(rule: Any, numbers: Mapping[str, int]) -> Any:
    if not isinstance(rule, dict):
        return rule
    rest = {k: v for k, v in rule.items() if k != "evidence"}
    cites = rule.get("evidence")
    if isinstance(cites, list):
        cites = [numbers.get(c, _number(c)) if isinstance(c, str) else c for c in cites]
    return {"kind": "procedural", "is_rule": True, **rest, "cites": cites}


def _number(cite: str) -> int:
    """The number an invented id names."""
    digits = re.sub(r"\D", "", cite)
    return int(digits) if digits else -1


def _completion(text: str, model: str, finish: str) -> dict[str, Any]:
    return {
        "id": "x", "object": "chat.completion", "created": 1, "model": model,
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }  # fmt: skip


@contextmanager
def serving(script: Sequence[Any], events: Mapping[str, str]) -> Iterator[tuple[Provider, ServiceModel]]:
    """The provider, and the product's own client of it."""
    provider = Provider(script, events)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, headers, text = provider.answer(body)
            if status == RESET:
                self.close_connection = True
                return
            data = text.encode("utf-8", "backslashreplace")
            try:
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", **headers}.items():
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
    provider.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    client = openai.OpenAI(base_url=provider.url, api_key="none", timeout=CALL_TIMEOUT_S, max_retries=0)
    try:
        yield provider, ServiceModel(client, "eval-script")
    finally:
        client.close()
        server.shutdown()
        server.server_close()
