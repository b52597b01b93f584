"""What the pipeline asks of models: one protocol each for the language model, the embedder and NLI.

A request carries its observations as structured items, not as finished prompt text. An OpenAI-compatible adapter
renders them into messages; the offline model reads them directly. Both answer with JSON that fits `reply_schema`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from bio_agent_schema.types import Relation


class Role(StrEnum):
    """Which job a request is for; each role may have a model of its own."""

    LABEL = "label"
    COMPILE = "compile"
    NLI = "nli"
    FORMS = "forms"


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call. `items` are numbered from 1 in their field "n" and hold quoted data, never instructions.

    instructions: what to do, fixed text. context: further structured input (e.g. the lessons the server read off the
    acts). reply_schema: a JSON schema of the reply object. prompt_version changes whenever instructions or schema do.
    """

    role: Role
    prompt_version: str
    instructions: str
    items: tuple[Mapping[str, Any], ...]
    reply_schema: Mapping[str, Any]
    context: Mapping[str, Any] = field(default_factory=dict)
    max_output_tokens: int = 2048

    def digest(self, model_id: str) -> str:
        """Key under which the reply is stored, so that a retry does not pay twice."""
        body = [model_id, self.role.value, self.prompt_version, self.items, self.context]
        return hashlib.sha256(json.dumps(body, sort_keys=True, ensure_ascii=True, default=str).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class ModelReply:
    """`data` fits the schema; `raw_input` / `raw_output` are what went over the wire, kept for replay."""

    data: Mapping[str, Any]
    raw_input: str
    raw_output: str
    model_id: str
    input_tokens: int = 0
    output_tokens: int = 0


class ModelError(Exception):
    """The model gave no usable reply. `transient`: worth another try later; `retry_after_s`: the provider's word."""

    def __init__(self, message: str, *, transient: bool, retry_after_s: float | None = None, raw: str = "") -> None:
        super().__init__(message)
        self.transient = transient
        self.retry_after_s = retry_after_s
        self.raw = raw


class LanguageModel(Protocol):
    @property
    def model_id(self) -> str: ...
    @property
    def offline(self) -> bool: ...
    def complete(self, request: ModelRequest) -> ModelReply:
        """Raises ModelError when there is no usable reply."""
        ...


class Embedder(Protocol):
    """Vectors are unit length. A query and a passage may be embedded differently."""

    @property
    def model_id(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    def passages(self, texts: Sequence[str]) -> list[list[float]]: ...
    def query(self, text: str) -> list[float]: ...


class NLI(Protocol):
    """Judges an ordered pair; used only for what the heuristic left open."""

    @property
    def model_id(self) -> str: ...
    def relate(self, a: str, b: str) -> tuple[Relation, float]: ...


LABEL_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["labels"],
    "properties": {
        "labels": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["n", "topic", "importance", "junk"],
                "properties": {
                    "n": {"type": "integer"},
                    "topic": {"type": "string", "maxLength": 60},
                    "importance": {"type": "integer", "minimum": 1, "maximum": 10},
                    "junk": {"type": "boolean"},
                    "transient": {"type": "boolean"},
                    "failure_kind": {"type": "string", "maxLength": 40},
                    "tags": {"type": "array", "items": {"type": "string", "maxLength": 40}, "maxItems": 6},
                    "entities": {"type": "array", "items": {"type": "string", "maxLength": 80}, "maxItems": 8},
                },
            },
        }
    },
}

COMPILE_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["memories"],
    "properties": {
        "memories": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["kind", "text", "cites", "confidence", "is_rule"],
                "properties": {
                    "kind": {"enum": ["episodic", "semantic", "procedural", "exception", "preference", "goal"]},
                    "text": {"type": "string", "maxLength": 600},
                    "cites": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
                    "confidence": {"type": "number", "minimum": 0, "maximum": 1},
                    "is_rule": {"type": "boolean"},
                    "importance": {"type": "integer", "minimum": 1, "maximum": 10},
                    "entities": {"type": "array", "items": {"type": "string", "maxLength": 80}, "maxItems": 8},
                },
            },
        }
    },
}

_WORDS: Mapping[str, Any] = {"type": "array", "items": {"type": "string", "maxLength": 200}, "maxItems": 40}

FORMS_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["rules"],
    "properties": {
        "rules": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["n", "forms", "meant", "not_meant"],
                "properties": {
                    "n": {"type": "integer"},
                    "forms": {
                        "type": "array",
                        "maxItems": 24,
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["command", "words", "unless"],
                            "properties": {
                                "command": {"type": "string", "maxLength": 200},
                                "words": {"type": "array", "items": _WORDS, "maxItems": 12},
                                "unless": _WORDS,
                                "number": {
                                    "type": "object",
                                    "additionalProperties": False,
                                    "required": ["of", "side", "bound"],
                                    "properties": {
                                        "of": _WORDS,
                                        "side": {"enum": ["above", "below", "none"]},
                                        "bound": {"type": "number"},
                                    },
                                },
                            },
                        },
                    },
                    "meant": {"type": "array", "items": {"type": "string", "maxLength": 400}, "maxItems": 6},
                    "not_meant": {"type": "array", "items": {"type": "string", "maxLength": 400}, "maxItems": 6},
                },
            },
        }
    },
}
