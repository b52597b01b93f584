"""Inputs that broke systems of this kind in the field: each is carried out by the part of the product that it concerns,
then what came of it (facts) is held against what the row expects.

An act or an expectation that nothing is known of is reported as not understood and counts as not passed.
"""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from bio_agent_ops.eval import case_acts, case_faults, case_http, case_limits, case_more, case_run, case_words
from bio_agent_ops.eval import rows as form
from bio_agent_ops.eval.case_deeds import DEEDS, single
from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.case_steps import sequence
from bio_agent_ops.eval.case_world import refusal, status_of
from bio_agent_ops.eval.house import House
from bio_agent_ops.eval.report import Result
from bio_agent_ops.eval.rows import Form, Row

FORM = Form(
    "field cases",
    {"id": form.ID, "input": (lambda v: isinstance(v, dict) and form.name(v.get("op")), "an object with op")},
    {"expected": (form.mapping, "an object")},
)
MOST_BYTES = 64 * 1024 * 1024  # of one content that a row describes by a repetition
COMMENTS = ("note", "notes", "comment", "why", "explanation_for_people")  # for people
NOT_UNDERSTOOD = "not understood"
MOST_EVENTS = 2000  # that a row asks for by their number
DEPTH = 12  # of an input; deeper lies only what is data
_DESCRIBED = re.compile(r"(\w+?)_(parts|b64|repeat|random_words)")

Act = Callable[[House, Mapping[str, Any]], Facts]

ACTS: Mapping[str, Act] = {
    "ingest": case_run.ingest, "consolidate": case_run.consolidate, "search": case_acts.search, "dedup": case_acts.dedup,
    "relate": case_acts.relate, "render_prompt": case_acts.render_prompt, "decay": case_more.decay,
    "dream": case_more.dream, "roundtrip": case_more.roundtrip, "clock": case_more.clock,
    "concurrent": case_more.concurrent, "all_read_paths": case_more.all_read_paths,
    "pgbouncer_transaction_mode": case_more.one_connection, "celery": case_more.redelivered,
    "change_embedding_model": case_more.change_embedding_model, "fault": case_faults.fault, "sequence": sequence,
    "redact": case_limits.redaction, "config": case_limits.settings, "quota": case_limits.quota, "health": case_limits.health,
    "exception": case_more.clock, "http": case_http.request,
}  # fmt: skip

KNOWN = frozenset(ACTS) | frozenset(DEEDS)


def run(rows: Sequence[Row], result: Result, house: House) -> None:
    for row in rows:
        passed, got = _case(house, row)
        item = {"id": row["id"], "passed": passed, "got": got}
        result.items.append(item)
        house.set_clock(None)
        if "expected" not in row:
            continue
        kind = str(row.get("kind", ""))
        result.score.add("passed", bool(passed), kind=kind)
        understood = not str(got).startswith(NOT_UNDERSTOOD)
        result.score.add("understood", understood, kind=kind)
        if not understood:
            result.score.miss(NOT_UNDERSTOOD, f"{row['id']} {str(got).removeprefix(NOT_UNDERSTOOD + ': ')}"[:200])
        elif not passed:
            cause = "failed: " + ", ".join(got["failed"]) if "failed" in got else str(got)
            result.score.miss(kind, f"{row['id']} {cause}"[:200])


def act_of(op: str) -> Act | None:
    """The adapter of an act (by the name it has here): one of its own, else the act alone in a world made for it."""
    own = ACTS.get(op)
    if op not in DEEDS:
        return own
    alone = partial(single, op)
    if own is None:
        return alone

    def either(house: House, given: Mapping[str, Any]) -> Facts:
        try:
            return own(house, given)
        except (NotSupported, KeyError):  # the row describes another case of this act
            return alone(house, given)

    return either


def shaped(op: str, given: dict[str, Any]) -> dict[str, Any]:
    """The input in the form that the act's adapter reads: fields by their names here, bare texts as objects."""
    out = case_words.fields(op, given)
    if op in ("ingest", "consolidate") and "events" not in out and any(k in out for k in ("content", "text")):
        out = {"events": [{k: v for k, v in out.items() if k not in ("op", "llm_script")}], **out}
    if "events" in out:
        events = out["events"]
        if isinstance(events, (list, tuple)):
            out["events"] = [case_words.event(e) for e in events]
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
    if "llm_script" in out and not isinstance(out["llm_script"], list):
        out["llm_script"] = [out["llm_script"]]
    if op == "render_prompt" and isinstance(out.get("rules"), (str, dict)):
        rule = out["rules"]
        out["rules"] = [rule if isinstance(rule, dict) else {"text": rule}]
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


def _said(value: Any) -> Any:
    if isinstance(value, dict):
        return value.get("text", value.get("content", value))
    return value


def _case(house: House, row: Row) -> tuple[bool | None, Any]:
    """(passed, what was got): facts with the expectations that failed, or why it could not run."""
    given = expanded(row["input"])
    op = case_words.op(given["op"], KNOWN)
    given = shaped(op, given)
    if op == "celery" and isinstance(given.get("event"), dict):
        given["event"] = case_words.event(given["event"])
    act = act_of(op)
    if act is None:
        return False, f"{NOT_UNDERSTOOD}: the act {given['op']!r}"
    try:
        facts = act(house, given | {"kind": str(row.get("kind", ""))})
    except NotSupported as why:
        return False, f"{NOT_UNDERSTOOD}: {why}"
    except KeyError as missing:
        return False, f"{NOT_UNDERSTOOD}: {op} without {missing}"
    except Exception as error:
        if (status := status_of(error)) is None:
            return False, {"failed": ["no error"], "error": f"{type(error).__name__}: {error}"[:500]}
        facts = refusal(error, status)
    expected = {k: v for k, v in (row.get("expected") or {}).items() if k not in COMMENTS}
    shown = facts.shown()
    if "expected" not in row:
        return None, shown
    failed: list[str] = []
    unknown: list[str] = []
    for name, value in expected.items():
        try:
            if not facts.meets(name, value):
                failed.append(name)
        except NotSupported as why:
            unknown.append(str(why))
    if unknown:
        return False, f"{NOT_UNDERSTOOD}: {'; '.join(unknown)}" + (
            f" (and failed: {', '.join(failed)})" if failed else ""
        )
    return not failed, {"failed": failed, **shown} if failed else shown


def expanded(given: Any, depth: int = 0) -> Any:
    """The input with every described text made, wherever it stands: `content_b64`, `query_repeat`, `text_parts` …"""
    if isinstance(given, list):
        return [expanded(v, depth + 1) for v in given]
    if not isinstance(given, dict) or depth > DEPTH:
        return given
    out: dict[str, Any] = {}
    for name, value in given.items():
        described = _DESCRIBED.fullmatch(name)
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
    if how == "parts" and isinstance(value, list):
        return "".join(map(str, value))
    if how == "b64" and isinstance(value, str):
        return base64.b64decode(value).decode("utf-8", "surrogateescape")
    if how == "repeat" and isinstance(value, list) and len(value) == 2 and isinstance(value[0], str):
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
