"""Inputs that broke systems of this kind in the field: each is carried out by the part of the product that it concerns,
then what came of it (facts) is held against what the row expects.

An act or an expectation that nothing is known of is reported as not understood and counts as not passed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from bio_agent_ops.eval import (
    case_abreast,
    case_acts,
    case_faults,
    case_http,
    case_limits,
    case_more,
    case_run,
    case_words,
)
from bio_agent_ops.eval import rows as form
from bio_agent_ops.eval.case_deeds import DEEDS, single
from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.case_given import ROW_KIND, Given, expanded, shaped
from bio_agent_ops.eval.case_held import held
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
COMMENTS = ("note", "notes", "comment", "why", "explanation_for_people")  # for people
NOT_UNDERSTOOD = "not understood"

Act = Callable[[House, Mapping[str, Any]], Facts]

ACTS: Mapping[str, Act] = {
    "ingest": case_run.ingest, "consolidate": case_run.consolidate, "search": case_acts.search, "dedup": case_acts.dedup,
    "relate": case_acts.relate, "render_prompt": case_acts.render_prompt, "decay": case_more.decay,
    "dream": case_more.dream, "roundtrip": case_more.roundtrip, "clock": case_more.clock,
    "concurrent": case_abreast.concurrent, "all_read_paths": case_more.all_read_paths,
    "pgbouncer_transaction_mode": case_more.one_connection, "celery": case_more.redelivered,
    "change_embedding_model": case_more.change_embedding_model, "fault": case_faults.fault, "sequence": sequence,
    "redact": case_limits.redaction, "config": case_limits.settings, "quota": case_limits.quota, "health": case_limits.health,
    "exception": case_more.clock, "migrate": case_limits.migrated, "http": case_http.request,
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
            if isinstance(given, Given):
                given.begin_again()
            return alone(house, given)

    return either


def _case(house: House, row: Row) -> tuple[bool | None, Any]:
    """(passed, what was got): facts with the expectations that failed, or why it could not run."""
    fields = expanded(row["input"])
    op = case_words.op(fields["op"], KNOWN)
    given = Given(shaped(op, fields) | {ROW_KIND: str(row.get("kind", ""))})
    act = act_of(op)
    if act is None:
        return False, f"{NOT_UNDERSTOOD}: the act {fields['op']!r}"
    before = _tenants(house)
    began = time.perf_counter()
    try:
        facts = act(house, given)
    except NotSupported as why:
        return False, f"{NOT_UNDERSTOOD}: {why}"
    except KeyError as missing:
        return False, f"{NOT_UNDERSTOOD}: {op} without {missing}"
    except Exception as error:
        if (status := status_of(error)) is None:
            return False, {"failed": ["no error"], "error": f"{type(error).__name__}: {error}"[:500]}
        facts = refusal(error, status)
        given = Given({})  # what comes after a refusal is not looked at
    seconds = time.perf_counter() - began
    if unread := given.unread():  # what was left aside may change what the case means
        return False, f"{NOT_UNDERSTOOD}: the field {unread[0]!r} of {op}"
    _of_every_case(facts, seconds)
    facts.more = facts.more or (lambda: _left(house, before))
    shown = facts.shown()
    if "expected" not in row:
        return None, shown
    failed, unknown = facts.held_against({k: v for k, v in (row["expected"] or {}).items() if k not in COMMENTS})
    if unknown:
        also = f" (and failed: {', '.join(failed)})" if failed else ""
        return False, f"{NOT_UNDERSTOOD}: {'; '.join(unknown)}{also}"
    return not failed, {"failed": failed, **shown} if failed else shown


def _of_every_case(facts: Facts, seconds: float) -> None:
    """What can be said of every act that came to an end."""
    refused = bool(facts.texts.get("refused")) or facts.values.get("status") not in (None, 200, 201)
    for name, value in {
        "no_crash": True, "no_5xx": True, "no_error": not refused, "seconds": round(seconds, 3),
        "milliseconds": round(seconds * 1000, 1), "hangs": False,
        "no_traceback": not any("Traceback (" in t for t in facts.texts.get("refused", ()) or facts.texts.get("reason", ())),
    }.items():  # fmt: skip
        if name not in facts.values:
            facts.values[name] = value


def _tenants(house: House) -> set[str]:
    return {r[0] for r in house.rows("select tenant from bio.tenants")}


def _left(house: House, before: set[str]) -> Facts:
    """What the case left behind in the one tenant that it made."""
    made = _tenants(house) - before
    if len(made) != 1:
        raise NotSupported("what one of several tenants holds")
    return held(house, made.pop())
