"""What the guard says of a tool call under given rules: each row's rules in a tenant of its own, then the service's check."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import text

from bio_agent_client.observation import uuid7
from bio_agent_ops.eval import rows as form
from bio_agent_ops.eval.house import House
from bio_agent_ops.eval.report import Result
from bio_agent_ops.eval.rows import Form, Row
from bio_agent_ops.requests import Check, NewBelief, NewException
from bio_agent_ops.service import governing, guarding, people
from bio_agent_schema import beliefs, guard_facts
from bio_agent_schema.guard_facts import Happened
from bio_agent_schema.tables import BeliefRow
from bio_agent_schema.types import BeliefState, Layer, Provenance, Verdict
from bio_agent_workers import rule_forms, shell
from bio_agent_workers.brain import scopes
from bio_agent_workers.brain.relations.canonical import canonicalize
from bio_agent_workers.brain.text import content_tokens, detect_lang
from bio_agent_workers.models.protocol import Role

ASKED_AT_ONCE = 4  # requests to a model
KINDS = ("core", "owner", "learned", "guard_fact")
_COMMAND = re.compile(r"`([^`]+)`")
_SUCCEEDED = re.compile(r"succe(?:ss|eded)|成功|thành công", re.IGNORECASE)
_NOT_SINCE = re.compile(
    r"not (?:yet )?succeeded|(?:no|without) success|never succeeded|(?:没有?|未|尚未|从未|不曾)[^，。；,;]{0,6}成功"
    r"|(?:chưa|không|chẳng)[^,.;]{0,16}thành công", re.IGNORECASE
)  # fmt: skip


def _rule(value: Any) -> bool:
    return isinstance(value, dict) and form.text(value.get("text")) and value.get("kind") in KINDS


def _rules(value: Any) -> bool:
    return isinstance(value, list) and all(_rule(r) for r in value)


def _call(value: Any) -> bool:
    return (
        isinstance(value, dict) and form.name(value.get("tool")) and ("now" not in value or form.moment(value["now"]))
    )


FORM = Form(
    "guard",
    {
        "id": form.ID,
        "rule": (_rule, f"an object with text and kind ({', '.join(KINDS)})"),
        "call": (_call, "an object with tool, input, and now (if any) with its offset"),
    },
    {"also": (_rules, "a list of rules"), "expect": form.one_of([v.value for v in Verdict])},
)


def run(rows: Sequence[Row], result: Result, house: House) -> None:
    read = _read(house, rows)
    for row in rows:
        call = row["call"]
        at = datetime.fromisoformat(call["now"]) if call.get("now") else datetime.now(UTC)
        try:
            said = _said(house, [row["rule"], *row.get("also", ())], call, at, read)
        except (ValueError, LookupError) as error:
            said = {"verdict": "", "reason": f"not supported: {error}"}
        item = {"id": row["id"], "verdict": said["verdict"], "reason": said["reason"]}
        result.items.append(item)
        if "expect" not in row:
            continue
        got, expected = said["verdict"], row["expect"]
        kind, lang = row["rule"]["kind"], str(row.get("lang", ""))
        result.score.add("verdict right", got == expected, lang=lang, kind=kind, expected=expected)
        if expected == "allow":
            result.score.add("false alarms (of what is allowed)", got != "allow", lang=lang)
        else:
            result.score.add("caught (any word against it)", got != "allow", lang=lang)
        if got != expected:
            result.score.miss(kind, f"{expected} expected, {got or said['reason']} said")
    house.set_clock(None)


def _read(house: House, rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """What the model says of each text of a person's rule, each asked about once; {} where no model is configured."""
    runtime = house.ctx.runtime
    if runtime.models.of(Role.FORMS).offline:
        return {}
    rules = (rule for row in rows for rule in (row["rule"], *row.get("also", ())))
    texts = list(dict.fromkeys(rule["text"] for rule in rules if rule["kind"] in ("core", "owner")))
    asked = [texts[i : i + rule_forms.AT_ONCE] for i in range(0, len(texts), rule_forms.AT_ONCE)]
    with ThreadPoolExecutor(ASKED_AT_ONCE) as pool:
        said = list(
            pool.map(
                lambda part: rule_forms.ask(runtime, house.tenant(), [(one, detect_lang(one)) for one in part]), asked
            )
        )
    return {one: told for part, of in zip(asked, said, strict=True) for one, told in zip(part, of, strict=True)}


def _said(
    house: House,
    rules: Sequence[Mapping[str, Any]],
    call: Mapping[str, Any],
    at: datetime,
    read: Mapping[str, dict[str, Any]],
) -> dict[str, Any]:
    tenant, model = house.tenant(), house.ctx.runtime.models.of(Role.FORMS)
    _live_at(house, tenant, at)
    # What is in force now was set up before: a day earlier, or before the earliest expiry.
    ends = [_moment(e["expires"]) for r in rules for e in _exceptions(r) if e.get("expires")]
    house.set_clock(min([at, *ends]) - timedelta(days=1))
    for rule in rules:
        belief_id = put(house, tenant, rule, at)
        if belief_id and rule["text"] in read:
            with house.ctx.db.tenant(tenant) as session:
                rule_forms.keep(session, tenant, belief_id, rule["text"], read[rule["text"]], model.model_id)
    house.set_clock(at)
    ask = Check(
        tool=call["tool"], tool_input=call.get("input"), workspace=call.get("workspace") or "default",
        mode=call.get("mode") or "normal", session=call.get("session") or "", agent=call.get("agent") or "",
        user=call.get("user") or "",
    )  # fmt: skip
    said = guarding.check(house.ctx, tenant, ask)
    if said["approval"]:  # an id of these databases is nothing that a reader could approve
        said["reason"] = said["reason"].replace(said["approval"]["id"], "ID")
    return said


def _live_at(house: House, tenant: str, at: datetime) -> None:
    """Let the tenant's clocks show what the row's `now` says: hours of a rule are those of the place it is said in."""
    offset = at.utcoffset() or timedelta()
    hours, rest = divmod(offset, timedelta(hours=1))
    if hours and not rest:
        with house.ctx.db.tenant(tenant) as session:
            zone = f"Etc/GMT{-hours:+d}"  # these names count westwards
            session.execute(text("update bio.tenants set time_zone = :z where tenant = :t"), {"z": zone, "t": tenant})


def _exceptions(rule: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The exceptions of a rule, each with its terms beside its text."""
    given = rule.get("exception") or rule.get("exceptions") or []
    return [{**x, **(x.get("terms") or {})} for x in (given if isinstance(given, list) else [given])]


def _moment(value: str) -> datetime:
    at = datetime.fromisoformat(value)
    if at.tzinfo is None:
        raise ValueError(f"the time {value!r} has no offset")
    return at


def put(house: House, tenant: str, rule: Mapping[str, Any], at: datetime) -> str:
    """Put a rule into the tenant as its kind comes about. Returns the belief's id ("" for a guard fact)."""
    if rule["kind"] == "guard_fact":
        _put_fact(house, tenant, rule, at)
        return ""
    scope = str(rule.get("scope") or "")
    if rule["kind"] == "core":
        ask = NewBelief(content=rule["text"], scope=scope)
        belief_id: str = people.add_belief(house.ctx, house.person(tenant), ask)["id"]
    else:
        belief_id = put_learned(house, tenant, rule["text"], scope, owner=rule["kind"] == "owner")
    for x in _exceptions(rule):
        _put_exception(house, tenant, belief_id, x)
    return belief_id


def put_learned(
    house: House, tenant: str, said: str, scope: str, *, owner: bool, state: BeliefState = BeliefState.REINFORCED
) -> str:
    """A rule as learning leaves it: an owner's directive in force, or a sentence that rests on what agents saw."""
    lang = detect_lang(said)
    reading = canonicalize(said, lang)
    path = scopes.format_path(scopes.parse(scope).path)
    rank = Provenance.OWNER if owner else Provenance.AGENT
    embedder = house.ctx.embedder
    with house.ctx.db.tenant(tenant) as session:
        now = beliefs.now(session)
        row = beliefs.insert(session, BeliefRow(
            tenant=tenant, id=uuid7(), content=said, rendering=said, search=" ".join(content_tokens(said, lang)), lang=lang,
            canonical_key=reading.key, canonical=asdict(reading), layer=Layer.PROJECT.value, scope_path=path,
            state=state.value, directive=owner, rank=rank.value, alpha=3.0, beta=1.0, confidence=0.75, support_count=2,
            independent=2, embedding=embedder.passages([said])[0], embedding_model=embedder.model_id, valid_from=now,
            created_at=now, updated_at=now, cause="directive" if owner else "compiled",
        ))  # fmt: skip
        beliefs.touch_epoch(session, tenant)
        return row.id


def _put_exception(house: House, tenant: str, belief_id: str, x: Mapping[str, Any]) -> None:
    """Granted by a person when somebody approved it, else proposed by a program; any other state is set as given."""
    state = str(x.get("state") or ("in_force" if x.get("approved_by") else "proposed"))
    granted = bool(x.get("approved_by")) or state in ("in_force", "approved")
    caller = house.person(tenant) if granted else house.program(tenant)
    starts = x.get("starts") or x.get("valid_from")
    made = governing.add_exception(house.ctx, caller, NewException(
        belief_id=belief_id, text=x["text"], bounds=x.get("bounds") or {}, policy=str(x.get("policy") or ""),
        expires_at=_moment(x["expires"]) if x.get("expires") else None, valid_from=_moment(starts) if starts else None,
    ))  # fmt: skip
    if state not in ("in_force", "approved", "proposed"):
        house.execute(
            "update bio.exceptions set state = :s where tenant = :t and id = :i", s=state, t=tenant, i=made["id"]
        )


def _put_fact(house: House, tenant: str, rule: Mapping[str, Any], at: datetime) -> None:
    """The failures that the sentence tells of, and the success after them if it tells of one."""
    command = _COMMAND.search(rule["text"])
    if command is None:
        raise ValueError("a guard fact names its command between backticks")
    rest = rule["text"][command.end() :]
    told = re.search(r"\d+", rest)
    failures = min(int(told.group()), 20) if told else guard_facts.ACTIVE_AFTER
    acts = shell.act_of("Bash", {"command": command[1]}, command[1])
    workspace = str(rule.get("scope") or "").removeprefix("workspace:") or "default"
    begin = at - timedelta(hours=2)
    happened = [
        Happened(workspace, acts, True, "", f"failure-{i}", begin + timedelta(minutes=i)) for i in range(failures)
    ]
    if _SUCCEEDED.search(_NOT_SINCE.sub(" ", rest)):
        happened.append(Happened(workspace, acts, False, "", "success", begin + timedelta(hours=1)))
    with house.ctx.db.tenant(tenant) as session:
        guard_facts.record(session, tenant, happened)
