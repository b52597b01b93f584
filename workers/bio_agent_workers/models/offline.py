"""The language model that needs no key and no network: rules over the structured items of a request.

It says what it is: `model_id` "offline-rules-1", `offline` True. What it can do: find an owner's standing directives
and remember-requests (`brain.directives.reader`), pass on the lessons the server read off commands, read failure → fix sequences
off system events and tool reports that carry no command, note failures left open, summarise a group in one line.
What it cannot do: paraphrase, judge whether a rule is wise, draw a lesson from prose, or see that two wordings mean one
thing beyond their shared words. Its rule texts quote the sources, with numbers and ids as placeholders.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bio_agent_workers.models.offline_compile import compile_memories
from bio_agent_workers.models.offline_label import label_items
from bio_agent_workers.models.protocol import ModelError, ModelReply, ModelRequest, Role

MODEL_ID = "offline-rules-1"


class OfflineModel:
    """A `LanguageModel` made of rules; deterministic, without state."""

    @property
    def model_id(self) -> str:
        return MODEL_ID

    @property
    def offline(self) -> bool:
        return True

    def complete(self, request: ModelRequest) -> ModelReply:
        """Raises ModelError (not transient) for a role it has no rules for."""
        data: Mapping[str, Any]
        if request.role is Role.LABEL:
            data = {"labels": label_items(request.items)}
        elif request.role is Role.COMPILE:
            data = {"memories": compile_memories(request.items, request.context)}
        else:
            raise ModelError(
                f"the offline model has no rules for the role {request.role.value!r}: configure a model for it"
                f" or leave"
                " such pairs undecided",
                transient=False,
            )
        return ModelReply(
            data=data,
            raw_input=json.dumps({"items": request.items, "context": request.context}, ensure_ascii=False, default=str),
            raw_output=json.dumps(data, ensure_ascii=False),
            model_id=MODEL_ID,
        )
