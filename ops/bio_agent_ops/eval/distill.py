"""What is learned from a session: each row played through stream, intake and the five stages in a tenant of its own,
then the beliefs, the junk, the unresolved failures and whatever of a secret is stored, read back."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bio_agent_client.observation import Refused, parse
from bio_agent_ops.eval import rows as form
from bio_agent_ops.eval.house import House, in_valkey, strings
from bio_agent_ops.eval.report import Result
from bio_agent_ops.eval.rows import Form, Row
from bio_agent_ops.service import reading
from bio_agent_schema.types import BeliefState
from bio_agent_workers.brain.lessons.failures import infer

NOT_LEARNED = (BeliefState.QUARANTINED, BeliefState.REJECTED, BeliefState.DEPRECATED)
PAGE = 1000


def _expectation(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    rules = value.get("rules", [])
    if not isinstance(rules, list) or not all(
        isinstance(r, dict) and _patterns(r.get("must_mention", [])) for r in rules
    ):
        return False
    return all(
        isinstance(value.get(name, []), list) and all(isinstance(i, int) for i in value.get(name, []))
        for name in ("junk", "unresolved")
    )


def _patterns(value: Any) -> bool:
    if not form.texts(value):
        return False
    try:
        return all(bool(re.compile(p)) for p in value)
    except re.error:
        return False


FORM = Form(
    "distill",
    {"id": form.ID, "observations": (form.objects, "a list of observations, at least one")},
    {
        "expect": (
            _expectation,
            "an object with rules (must_mention: regular expressions), junk and unresolved (indices)",
        )
    },
)


@dataclass(slots=True)
class Learned:
    """What one session came to. junk, unresolved: indices of observations."""

    rules: list[dict[str, Any]] = field(default_factory=list)
    junk: list[int] = field(default_factory=list)
    unresolved: list[int] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def run(rows: Sequence[Row], result: Result, house: House) -> None:
    tenants: dict[str, str] = {}
    refused: dict[str, list[str]] = {}
    for row in rows:
        tenants[row["id"]] = house.tenant()
        refused[row["id"]] = send(house, tenants[row["id"]], row["observations"])
    house.take_in(list(tenants.values()))
    for row in rows:
        tenant = tenants[row["id"]]
        slept = house.sleep(tenant)
        learned = read_back(house, tenant, row["observations"])
        learned.refused, learned.errors = refused[row["id"]], slept["errors"]
        secrets = secrets_of(row.get("expect") or {})
        left = secrets_left(house, tenant, secrets) if "expect" in row else None
        result.items.append({
            "id": row["id"], "rules": [r["text"] for r in learned.rules], "junk": learned.junk,
            "unresolved": learned.unresolved, "secrets_left": left, "states": [r["state"] for r in learned.rules],
            "refused": learned.refused, "errors": learned.errors,
        })  # fmt: skip
        if "expect" in row:
            _score(row, learned, left or 0, len(secrets), result)


def send(house: House, tenant: str, observations: Sequence[Mapping[str, Any]]) -> list[str]:
    """Put a session on its stream; ids are the indices. Returns why observations were refused."""
    taken, refused = [], []
    for i, obs in enumerate(observations):
        try:
            parse(obs)
        except Refused as refusal:
            refused.append(f"{i}: {refusal}")
            continue
        taken.append({**obs, "id": str(i)})
    house.send(tenant, taken)
    return refused


def read_back(house: House, tenant: str, observations: Sequence[Mapping[str, Any]]) -> Learned:
    learned = Learned()
    found: list[dict[str, Any]] = []
    while not found or len(found) % PAGE == 0:
        page = reading.list_beliefs(house.ctx, tenant, limit=PAGE, after=found[-1]["id"] if found else "")
        found += page
        if not page:
            break
    learned.rules = [
        {"text": b["content"], "state": b["state"], "scope": b["scope"], "lang": b["lang"], "support": b["support_count"],
         "confidence": b["confidence"], "layer": b["layer"], "id": b["id"]}
        for b in found if b["state"] not in NOT_LEARNED
    ]  # fmt: skip
    stored = {
        r[0]: r for r in house.rows(
            "select id, state, unresolved, folded_into from bio.episodes where tenant = :t", t=tenant
        )
    }  # fmt: skip
    groups: dict[str, list[int]] = {}
    for i in range(len(observations)):
        head = str(i)
        while head in stored and stored[head][3]:
            head = stored[head][3]
        if head in stored:
            groups.setdefault(head, []).append(i)
    for head, members in groups.items():
        if stored[head][1] == "junk":
            learned.junk += members
        if stored[head][2]:
            # A command and its output are one episode: the failure is where it shows.
            shown = [i for i in members if _fails(observations[i])]
            learned.unresolved += shown or [int(head)]
    learned.junk.sort()
    learned.unresolved.sort()
    return learned


def _fails(observation: Mapping[str, Any]) -> bool:
    obs = parse(observation)
    severity = obs.metadata.get("severity")
    given = severity if isinstance(severity, (str, int, float)) else None
    return infer(
        obs.content, exit_code=obs.exit_code, is_error=obs.is_error, severity=given, kind=obs.kind
    ).failed  # fmt: skip


def secrets_of(expect: Mapping[str, Any]) -> list[str]:
    """The secrets that a row names: texts, or objects with a `secret`."""
    return [s["secret"] if isinstance(s, dict) else str(s) for s in expect.get("secret") or () if s]


def secrets_left(house: House, tenant: str, secrets: Sequence[str]) -> int:
    """How many of the secrets stand anywhere: in a row of any table, or in Valkey."""
    if not secrets:
        return 0
    texts = [t for row in house.stored(tenant) for t in strings(row)]
    raw = b"\n".join(in_valkey(house.ctx.redis))
    return sum(any(s in t for t in texts) or s.encode("utf-8", "replace") in raw for s in secrets)


# ------------------------------------------------------------------------------------------------------------- scoring


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def mentions_all(rule: str, patterns: Sequence[str]) -> bool:
    """Whether one rule's text holds every pattern, whatever the case."""
    said = _plain(rule)
    return all(re.search(_plain(p), said, re.IGNORECASE) for p in patterns)


def _score(row: Row, learned: Learned, left: int, secrets: int, result: Result) -> None:
    expect = row["expect"]
    lang, kind = str(row.get("lang", "")), str(row.get("domain", ""))
    texts = [_plain(r["text"]) for r in learned.rules]
    right = True
    for rule in expect.get("rules", ()):
        said = any(mentions_all(t, rule.get("must_mention", ())) for t in texts)
        wanted = str(rule.get("kind", "rule"))
        result.score.add("expected rules learned", said, lang=lang, rule=wanted)
        right &= said
        if not said:
            near = max((sum(mentions_all(t, [p]) for p in rule.get("must_mention", ())) for t in texts), default=0)
            cause = (
                "nothing learned" if not texts else "a rule that says only part of it" if near else "other rules only"
            )
            result.score.miss(wanted, f"{lang}: {cause}")
    forbidden = [_plain(w) for rule in expect.get("rules", ()) for w in rule.get("must_not_mention", ())]
    said_forbidden = [w for w in forbidden if any(w in t for t in texts)]
    if forbidden:
        result.score.add("rows free of what must not be said", not said_forbidden, lang=lang)
        if said_forbidden:
            result.score.miss("forbidden words", f"{lang}: too specific")
    if expect.get("none"):
        result.score.add("rows that must teach nothing, and do not", not texts, lang=lang)
        right &= not texts
        if texts:
            result.score.miss("nothing to learn", f"{lang}: {len(texts)} learned")
    junk, unresolved = set(expect.get("junk", ())), set(expect.get("unresolved", ()))
    for i in range(len(row["observations"])):
        if i in junk:
            result.score.add("junk recognised", i in learned.junk, lang=lang)
        else:
            result.score.add("taken for junk and is none", i in learned.junk, lang=lang)
    if unresolved or learned.unresolved:
        same = unresolved == set(learned.unresolved)
        result.score.add("unresolved failures as expected", same, lang=lang)
        right &= same
        if not same:
            missing = unresolved - set(learned.unresolved)
            result.score.miss("unresolved", f"{lang}: {'one not seen' if missing else 'one too many'}")
    if secrets:
        result.score.add("secrets gone everywhere", not left, lang=lang)
        if left:
            result.score.miss("secret", f"{lang}: stored")
    right &= not said_forbidden and not left and junk == set(learned.junk)
    result.score.add("rows right in all", right, lang=lang, domain=kind)
    if learned.errors:
        result.score.miss("errors", "a cycle ended with an error")
