"""What a row has a language model's provider answer: texts, objects, HTTP errors, slowness, broken connections, odd completions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from bio_agent_ops.eval import case_lexicon as lexicon
from bio_agent_ops.eval.case_facts import NotSupported
from bio_agent_ops.eval.scripted import CALL_TIMEOUT_S, RESET

MOST = 200  # answers that a row may repeat
_FIELDS = {
    name: field
    for field, names in {
        "http": "http status status_code code http_status",
        "headers": "headers header",
        "body": "body text content reply output answer response raw completion",
        "delay_s": "delay_s delay sleep_s latency_s slow_s wait_s",
        "delay_ms": "delay_ms latency_ms sleep_ms",
        "retry_after": "retry_after retry-after",
        "hangs": "timeout hang hangs silence timed_out",
        "reset": "reset disconnect close closed connection_reset drop abort",
        "choices": "choices empty_choices no_choices",
        "finish_reason": "finish_reason stop_reason finish",
        "refusal": "refusal refuses",
        "error": "error fault kind",
        "times": "times repeat n count",
        "cut_at": "cut_at truncate_at truncated_at truncate",
    }.items()
    for name in names.split()
}  # fmt: skip
_TROUBLES: Sequence[tuple[str, Mapping[str, Any]]] = (  # what a fault says of the provider → how it answers
    (r"time[sd]?[ -]?out|hang|silen|slow|stall", {"hangs": True}),
    (r"reset|refus\w+ connection|connection refused|disconnect|drop|unreachable|\bdown\b|away|offline|outage|unavailable", {"reset": True}),
    (r"rate.?limit|quota|throttl|too many", {"http": 429}),
    (r"empty choices|no choices", {"choices": []}),
    (r"refusal|refuses", {"body": "I'm sorry, I can't help with that."}),
    (r"truncat|cut off|half", {"body": '{"rules":[{"text":"Pin'}),
    (r"empty|blank|nothing", {"body": ""}),
    (r"garbage|malformed|invalid|not json|non-json|broken json|prose", {"body": "Sure! Here is what I think about it."}),
)  # fmt: skip


def steps(script: Any) -> list[Any]:
    """The provider's answers in order, in the form that it reads. Raises NotSupported for a field that nothing is known of."""
    out: list[Any] = []
    for given in script if isinstance(script, list) else [] if script is None else [script]:
        step, times = _step(given)
        out += [step] * times
    return out


def _step(given: Any) -> tuple[Any, int]:
    if not isinstance(given, Mapping):
        return ("" if given is None else given), 1
    known = {
        _FIELDS["_".join(lexicon.split(str(k)))]: v
        for k, v in given.items()
        if "_".join(lexicon.split(str(k))) in _FIELDS
    }
    if not known or known.keys() <= {"times"}:
        return json.dumps(given, ensure_ascii=False), 1  # the model's own object
    if len(known) < len(given):
        raise NotSupported(f"an answer of the model with {next(str(k) for k in given if str(k) not in _FIELDS)[:60]!r}")
    times = min(int(known.pop("times", 1)), MOST)
    if error := known.pop("error", None):
        known |= trouble(str(error)) or _unknown(f"the model's error {str(error)[:60]!r}")
    step: dict[str, Any] = {}
    if "http" in known:
        step["http"] = int(known["http"])
    headers = dict(known.get("headers") or {})
    if "retry_after" in known:
        headers["Retry-After"] = str(known["retry_after"])
    step["headers"] = headers
    step["delay_s"] = (
        CALL_TIMEOUT_S + 1
        if known.get("hangs")
        else float(known.get("delay_s", float(known.get("delay_ms", 0)) / 1000))
    )
    body = known.get("body", "")
    body = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    step["body"] = body[: int(known["cut_at"])] if isinstance(known.get("cut_at"), int) else body
    if known.get("reset"):
        step["http"] = RESET
    if "choices" in known:
        step["raw"] = json.dumps({"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []})
    if "refusal" in known:
        step["body"] = body or (
            known["refusal"] if isinstance(known["refusal"], str) else "I'm sorry, I can't help with that."
        )
    if "finish_reason" in known:
        step["finish_reason"] = str(known["finish_reason"])
    return step, times


def _unknown(what: str) -> Any:
    raise NotSupported(what)


def trouble(said: str) -> dict[str, Any] | None:
    """How a provider answers that has the trouble a sentence tells of; None when it tells of none."""
    if status := re.search(r"\b([45]\d\d)\b", said):
        return {"http": int(status[1])}
    return next((dict(how) for pattern, how in _TROUBLES if re.search(pattern, said, re.IGNORECASE)), None)


def of_provider(said: str) -> bool:
    """Whether a fault is one of the language model's provider."""
    return (
        bool(re.search(r"\b(?:llm|model|provider|openai|completion|api key)\b", said, re.IGNORECASE))
        and trouble(said) is not None
    )


def answers(said: str, times: int) -> Sequence[Any]:
    """The provider's answers while it has the trouble, `times` of them; the last goes on when the script is over."""
    return steps([{**(trouble(said) or {}), "times": times}])
