"""What a row gives: described texts made, fields under the names that the acts read, and which of them were read."""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Iterator, Mapping
from typing import Any

from bio_agent_ops.eval import case_lexicon as lexicon
from bio_agent_ops.eval import case_words

ROW_KIND = "kind of the row"
MOST_BYTES = 64 * 1024 * 1024  # of one content that a row describes by a repetition
MOST_EVENTS = 2000  # that a row asks for by their number
DEPTH = 12  # of an input; deeper lies only what is data
_DESCRIBED = re.compile(
    r"(\w+?)_(parts|b64|base64|hex|repeat|repeated|random_words|random_bytes|bytes|chars|kb|mb|lines|codepoints)"
)
_COPIES = ("repeat", "times", "copies")
_DOING = frozenset({"run", "do", "send", "sent", "call", "render", "delivered", "deliver", "repeat", "ingest", "ask"})
_FOR_PEOPLE = (
    "op kind note notes comment comments title description name id why about label tags lang language source role purpose"
    " seed_tenant"
)
_ANNOTATIONS = frozenset(_FOR_PEOPLE.split())


class Given(Mapping[str, Any]):
    """An input that knows which of its fields an act has looked at."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = dict(fields)
        self._read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self._read.add(name)
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def begin_again(self) -> None:
        """Another act looks at the input: only what that one reads counts."""
        self._read.clear()

    def unread(self) -> list[str]:
        """Fields that the act took no notice of, without those that are for people."""
        return [
            n
            for n, v in self._fields.items()
            if n not in self._read | _ANNOTATIONS | {ROW_KIND} and v not in (None, "", [], {})
        ]


def shaped(op: str, given: dict[str, Any]) -> dict[str, Any]:
    """The input in the form that the act's adapter reads: fields by their names here, bare texts as objects."""
    out = case_words.fields(op, given)
    if "times" not in out:
        for name in [n for n in given if _said_times(n, given[n])]:
            out["times"] = _said_times(name, out.pop(name))
    if op in ("ingest", "consolidate") and any(k in out for k in ("content", "text")):
        alone = {k: out.pop(k) for k in ("content", "text", "role", "event_id", "metadata", "speaker") if k in out}
        if "events" not in out:
            out["events"] = [alone]
        elif isinstance(out["events"], int):
            out["events"] = [{**alone, "times": out["events"]}]
    if "events" in out:
        events = out["events"]
        if isinstance(events, (list, tuple)):
            out["events"] = [copy for e in events for copy in _copies(case_words.event(e))]
        elif isinstance(events, int) and op in ("ingest", "consolidate"):
            out["events"] = [
                {"content": f"Delivery {i} came in on dock {i % 7}."} for i in range(min(events, MOST_EVENTS))
            ]
        elif not isinstance(events, int):
            out["events"] = [case_words.event(events)]
    for name in ("seed", "rules", "memories"):
        if isinstance(out.get(name), (list, tuple)):
            out[name] = [case_words.fields("", v) if isinstance(v, dict) else {"text": str(v)} for v in out[name]]
            out[name] = [{**v, "text": v["content"]} if "content" in v and "text" not in v else v for v in out[name]]
    if op == "ingest" and isinstance(out.get("times"), int) and isinstance(out.get("events"), list):
        out["events"] = out["events"] * min(out.pop("times"), MOST_EVENTS)  # sent again as they are
    if "llm_script" in out and not isinstance(out["llm_script"], list):
        out["llm_script"] = [out["llm_script"]]
    if isinstance(out.get("rules"), (str, dict)):
        rule = out["rules"]
        out["rules"] = [rule if isinstance(rule, dict) else {"text": rule}]
    if op == "celery" and isinstance(out.get("event"), dict):
        out["event"] = case_words.event(out["event"])
    if op == "relate":
        two = next(
            (
                out[k]
                for k in ("pair", "rules", "texts", "statements")
                if isinstance(out.get(k), list) and len(out[k]) == 2
            ),
            None,
        )
        if two and "a" not in out:
            out["a"], out["b"] = two
        out |= {k: _said(out[k]) for k in ("a", "b") if k in out}
    if op == "dedup":
        if "texts" not in out and "a" in out and "b" in out:
            out["texts"] = [out["a"], out["b"]]
        if isinstance(out.get("texts"), list):
            out["texts"] = [_said(t) for t in out["texts"]]
    return out


def _said_times(name: str, value: Any) -> int:
    """How often a field says that the act is done: `run_twice: true`."""
    words = lexicon.split(name)
    said = [lexicon.NUMBERS[w] for w in words if w in lexicon.NUMBERS]
    verbs = set(words) - set(lexicon.NUMBERS)
    return said[0] if value is True and len(said) == 1 and verbs and verbs <= _DOING else 0


def _copies(event: dict[str, Any]) -> list[dict[str, Any]]:
    """An event that is to come several times: `repeat: 50`; `{i}` in its content is the number of the copy."""
    times = next((event[k] for k in _COPIES if isinstance(event.get(k), int) and not isinstance(event[k], bool)), None)
    if times is None:
        return [event]
    bare = {k: v for k, v in event.items() if k not in _COPIES}
    said = bare.get("content")
    return [
        {**bare, "content": said.replace("{i}", str(i)).replace("{n}", str(i)) if isinstance(said, str) else said}
        for i in range(min(times, MOST_EVENTS))
    ]


def _said(value: Any) -> Any:
    if isinstance(value, dict):
        return value.get("text", value.get("content", value))
    return value


def expanded(given: Any, depth: int = 0) -> Any:
    """The input with every described text made, wherever it stands: `content_b64`, `query_repeat`, `text_parts` …"""
    if isinstance(given, list):
        return [expanded(v, depth + 1) for v in given]
    if not isinstance(given, dict) or depth > DEPTH:
        return given
    out: dict[str, Any] = {}
    for name, value in given.items():
        described = _DESCRIBED.fullmatch(name.replace("_base64_random_bytes", "_random_bytes"))
        if described and (made := _described(described[2], value)) is not None:
            out[described[1]] = made
        else:
            out[name] = expanded(value, depth + 1)
    if "metadata_nested_depth" in out:
        nested: Any = "leaf"
        for _ in range(min(int(out.pop("metadata_nested_depth")), 200_000)):
            nested = {"n": nested}
        out["metadata"] = {"deep": nested}
    return out


def _described(how: str, value: Any) -> str | None:
    """The text that a value describes, None when it describes none."""
    if how in ("bytes", "chars", "kb", "mb") and isinstance(value, int) and not isinstance(value, bool):
        size = value * {"kb": 1024, "mb": 1024 * 1024}.get(how, 1)
        return ("lorem ipsum dolor sit amet " * (min(size, MOST_BYTES) // 27 + 1))[: min(size, MOST_BYTES)]
    if how == "random_bytes" and isinstance(value, int) and not isinstance(value, bool):
        return base64.b64encode(random.Random(1).randbytes(min(value, MOST_BYTES))).decode()  # noqa: S311 - material
    if how == "lines" and isinstance(value, int) and not isinstance(value, bool):
        return "\n".join(f"line {i} of the listing" for i in range(min(value, MOST_BYTES // 32)))
    if how == "lines" and isinstance(value, list):
        return "\n".join(map(str, value))
    if how == "codepoints" and isinstance(value, list):
        return "".join(chr(int(str(c).removeprefix("U+"), 16) if isinstance(c, str) else int(c)) for c in value)
    if how == "hex" and isinstance(value, str):
        return bytes.fromhex(value).decode("utf-8", "surrogateescape")
    how = {"base64": "b64", "repeated": "repeat"}.get(how, how)
    if how == "repeat" and isinstance(value, dict):
        said = next((value[k] for k in ("text", "content", "unit", "what", "char", "chunk", "s") if k in value), None)
        value = [said, next((value[k] for k in (*_COPIES, "count", "n") if k in value), None)]
    if how == "parts" and isinstance(value, list):
        return "".join(map(str, value))
    if how == "b64" and isinstance(value, str):
        return base64.b64decode(value).decode("utf-8", "surrogateescape")
    if how == "repeat" and isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and value[1]:
        return value[0] * min(int(value[1]), MOST_BYTES // max(1, len(value[0].encode("utf-8", "replace"))))
    return _random_words(value) if how == "random_words" else None


def _random_words(given: Any) -> str:
    count, seed = (given, 1) if isinstance(given, int) else (
        (given.get("n") or given.get("words") or 1000, given.get("seed", 1)) if isinstance(given, dict)
        else (given[0], given[1] if len(given) > 1 else 1)
    )  # fmt: skip
    rng = random.Random(seed)  # noqa: S311 - material, not a secret
    letters = "abcdefghijklmnopqrstuvwxyz"
    return " ".join("".join(rng.choices(letters, k=rng.randint(2, 9))) for _ in range(min(int(count), 1_000_000)))
