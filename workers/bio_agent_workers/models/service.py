"""The language model of any OpenAI-compatible service: structured output, repaired where it can be, refused where not.

One place has the time-out, and there is no retry here: the pipeline's own back-off is the only one.
"""

from __future__ import annotations

import ipaddress
import json
import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, cast
from urllib.parse import urlsplit

import openai

from bio_agent_client.clean import clean_json, clean_text
from bio_agent_client.redact import redact, redact_json
from bio_agent_schema.types import Relation
from bio_agent_workers.models.embedding import MAX_CHARS
from bio_agent_workers.models.protocol import ModelError, ModelReply, ModelRequest, Role
from bio_agent_workers.models.structured import ReplyUnusable, fit, parse_object
from bio_agent_workers.settings import Settings

PRESETS: Mapping[str, str] = {
    "openai": "https://api.openai.com/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta/openai/",
    "vllm": "http://127.0.0.1:8000/v1",
    "lmstudio": "http://127.0.0.1:1234/v1",
}
MAX_REPLY_CHARS = 400_000  # a reply beyond this is no answer to a bounded question
MAX_RETRY_AFTER_S = 300.0  # a provider may ask for more; more than this is treated as this


def client_for(settings: Settings, *, base_url: str = "") -> openai.OpenAI:
    """A client of the configured service. Raises ValueError when its address or key is missing or not allowed."""
    backend = settings.llm_backend
    url = base_url or settings.openai_base_url
    if not url:
        url = settings.ollama_base_url.rstrip("/") + "/v1" if backend == "ollama" else PRESETS.get(backend, "")
    key = (settings.gemini_api_key if backend == "gemini" else settings.openai_api_key).get_secret_value()
    if not url:
        raise ValueError("EMBEDDING_MODEL_ID is set, but no service: set EMBEDDING_BASE_URL (or OPENAI_BASE_URL)")
    if backend in ("openai", "gemini") and not key and not (base_url or settings.openai_base_url):
        name = "GEMINI_API_KEY" if backend == "gemini" else "OPENAI_API_KEY"
        raise ValueError(f"LLM_BACKEND={backend} needs {name}; or set LLM_BACKEND=offline, which needs no key")
    check_address(url)
    return openai.OpenAI(
        api_key=key or "none",
        base_url=url,
        timeout=settings.llm_timeout_s,
        max_retries=0,
        http_client=openai.DefaultHttpxClient(follow_redirects=False),
    )


def check_address(url: str) -> None:
    """The operator names the service; still no scheme but http(s), no user info, and no link-local (metadata) address."""
    parts = urlsplit(url)
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or parts.username
        or re.search(r"[\s\x00-\x1f]", url)
    ):
        raise ValueError(
            f"model service {parts.scheme}://{parts.hostname or ''}: give an http(s) URL without user info"
        )
    try:
        address = ipaddress.ip_address(parts.hostname)
    except ValueError:
        return
    mapped = getattr(address, "ipv4_mapped", None) or address
    if mapped.is_link_local or mapped.is_multicast or mapped.is_unspecified:
        raise ValueError(f"model service {parts.hostname}: this address is never a model service")


def render(request: ModelRequest) -> list[dict[str, str]]:
    """The request as chat messages. Observations are quoted as one JSON line each, so nothing can close the wrapper."""
    lines = [
        json.dumps(item, ensure_ascii=False).replace("<", "\\u003c").replace(">", "\\u003e") for item in request.items
    ]
    parts = ["<items>", *lines, "</items>"]
    for name, value in request.context.items():
        shown = json.dumps(value, ensure_ascii=False).replace("<", "\\u003c").replace(">", "\\u003e")
        parts += [f"<{name}>", shown, f"</{name}>"]
    return [
        {"role": "system", "content": request.instructions},
        {"role": "user", "content": "\n".join(parts)},
    ]


class ServiceModel:
    """One model of the service. The first call asks for a strict JSON schema; services that refuse it get plainer asks."""

    offline = False

    def __init__(self, client: openai.OpenAI, model: str) -> None:
        self._client = client
        self._model = model
        self._formats = ["json_schema", "json_object", "none"]

    @property
    def model_id(self) -> str:
        return self._model

    def complete(self, request: ModelRequest) -> ModelReply:
        messages = render(request)
        raw, usage = self._ask(messages, request)
        try:
            data = fit(parse_object(raw), request.reply_schema)
        except ReplyUnusable as first:
            # One more try with the fault named; models mend a shape far more often than they find it unasked.
            messages = [
                *messages,
                {"role": "assistant", "content": raw[:4000]},
                {
                    "role": "user",
                    "content": f"That reply cannot be used: {first}. Answer again with only the JSON object.",
                },
            ]
            raw, usage = self._ask(messages, request)
            try:
                data = fit(parse_object(raw), request.reply_schema)
            except ReplyUnusable as second:
                raise ModelError(
                    f"model {self._model} gave no usable {request.role} reply: {second}",
                    transient=False,
                    raw=redact(raw[:8000]),
                ) from second
        return ModelReply(
            data=redact_json(clean_json(data)),
            raw_input=redact(clean_text(json.dumps(messages, ensure_ascii=False))),
            raw_output=redact(clean_text(raw)),
            model_id=self._model,
            input_tokens=usage[0],
            output_tokens=usage[1],
        )

    def _ask(self, messages: list[dict[str, str]], request: ModelRequest) -> tuple[str, tuple[int, int]]:
        while True:
            extra: dict[str, Any] = {}
            if self._formats[0] == "json_schema":
                schema = {"name": request.role.value, "schema": dict(request.reply_schema)}
                extra["response_format"] = {"type": "json_schema", "json_schema": schema}
            elif self._formats[0] == "json_object":
                extra["response_format"] = {"type": "json_object"}
            try:
                reply = self._client.chat.completions.create(
                    model=self._model,
                    messages=cast(Any, messages),
                    temperature=0,
                    max_tokens=request.max_output_tokens,
                    **extra,
                )
                break
            except openai.BadRequestError as error:
                if len(self._formats) == 1:
                    raise ModelError(f"model service refused the request: {_short(error)}", transient=False) from error
                self._formats.pop(0)
            except openai.APIError as error:
                raise _as_model_error(self._model, error) from error
        if not reply.choices:
            raise ModelError(f"model {self._model} answered with no choice", transient=True)
        text = reply.choices[0].message.content or ""
        if len(text) > MAX_REPLY_CHARS:
            raise ModelError(f"model {self._model} answered {len(text)} characters", transient=False)
        usage = reply.usage
        return text, (usage.prompt_tokens, usage.completion_tokens) if usage else (0, 0)


def _as_model_error(model: str, error: openai.APIError) -> ModelError:
    """Provider trouble as the pipeline knows it. The provider's body is never echoed: it may repeat the key."""
    if isinstance(error, (openai.AuthenticationError, openai.PermissionDeniedError)):
        return ModelError(
            f"model {model}: the service refused the key ({_short(error)})", transient=True, retry_after_s=60
        )
    if isinstance(error, openai.NotFoundError):
        return ModelError(f"model {model}: the service does not know it", transient=True, retry_after_s=60)
    after = _retry_after(getattr(getattr(error, "response", None), "headers", {}) or {})
    return ModelError(f"model {model}: {_short(error)}", transient=True, retry_after_s=after)


def _short(error: openai.APIError) -> str:
    status = getattr(error, "status_code", None)
    return f"{type(error).__name__}{f' {status}' if status else ''}"


def _retry_after(headers: Mapping[str, str]) -> float | None:
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return min(max(seconds, 1.0), MAX_RETRY_AFTER_S) if math.isfinite(seconds) else MAX_RETRY_AFTER_S


NLI_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["relation", "confidence"],
    "properties": {
        "relation": {"enum": ["contradiction", "governed_exception", "equivalent", "neutral"]},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
    },
}


class ServiceNLI:
    """The language model as judge of a pair of rules."""

    INSTRUCTIONS = (
        "You judge how two rules relate. contradiction: both cannot be followed in the same case. governed_exception: "
        "one is a general rule, the other allows a special case of it under a condition. equivalent: each says the same. "
        "neutral: anything else. Answer with a JSON object {relation, confidence}."
    )

    def __init__(self, client: openai.OpenAI, model: str) -> None:
        self._model = ServiceModel(client, model)

    @property
    def model_id(self) -> str:
        return self._model.model_id

    def relate(self, a: str, b: str) -> tuple[Relation, float]:
        request = ModelRequest(
            role=Role.NLI, prompt_version="nli-1", instructions=self.INSTRUCTIONS, reply_schema=NLI_SCHEMA,
            items=({"n": 1, "rule": a}, {"n": 2, "rule": b}), max_output_tokens=200,
        )  # fmt: skip
        data = self._model.complete(request).data
        return Relation(data["relation"]), float(data["confidence"])


class ServiceEmbedder:
    """An OpenAI-compatible `/embeddings` endpoint; vectors are brought to unit length."""

    def __init__(self, client: openai.OpenAI, model: str) -> None:
        self._client = client
        self.model_id = f"service/{model}"
        self._model = model
        self._dimensions = 0

    @property
    def dimensions(self) -> int:
        if not self._dimensions:
            self._dimensions = len(self.query("dimensions"))
        return self._dimensions

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        if not texts:
            return []
        try:
            reply = self._client.embeddings.create(model=self._model, input=[t[:MAX_CHARS] or "." for t in texts])
        except openai.APIError as error:
            raise ModelError(f"embedding model {self._model}: {type(error).__name__}", transient=True) from error
        return [_unit(item.embedding) for item in sorted(reply.data, key=lambda d: d.index)]

    def query(self, text: str) -> list[float]:
        return self.passages([text])[0]


def _unit(vector: Sequence[float]) -> list[float]:
    length = math.sqrt(sum(x * x for x in vector)) or 1.0
    return [x / length for x in vector]
