"""Governed exceptions: whether one lets a call through now, and if not, why not.

Everything doubtful counts against the exception: a parameter the call does not name, a value of another kind, a bound
that cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from fnmatch import fnmatchcase

IN_FORCE = "in_force"
MAX_BOUNDS = 32  # parameters one exception may limit; more is no rule that a person can read

_MAX, _MIN = "max_", "min_"
_PARENT_STEP = re.compile(r"(?:^|[/\\])\.\.(?:[/\\]|$)")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ].*)?")


@dataclass(frozen=True, slots=True)
class ExceptionTerms:
    """An exception to one rule.

    state: in_force, or whatever else it is (proposed, revoked, expired …). approved_by: principal, "" for nobody.
    bounds: parameter → what it must equal; text may hold `*` and `?`, a list holds alternatives, `max_<p>`/`min_<p>`
    bound a number or an ISO date. starts, expires: aware datetimes, None for no limit; at `expires` it is over.
    """

    id: str
    rule_id: str
    state: str
    approved_by: str
    text: str = ""
    bounds: Mapping[str, object] = field(default_factory=dict)
    starts: datetime | None = None
    expires: datetime | None = None


def read_terms(rule_id: str, exception_id: str, terms: Mapping[str, object], text: str = "") -> ExceptionTerms:
    """ExceptionTerms from stored JSON {state, approved_by, bounds, starts?, expires?}; times in RFC 3339 with offset.

    Raises ValueError saying which term is wrong.
    """
    bounds = terms.get("bounds") or {}
    if not isinstance(bounds, Mapping):
        raise ValueError(f"bounds of exception {exception_id!r} must be an object of parameter and value")
    return ExceptionTerms(
        id=exception_id,
        rule_id=rule_id,
        state=str(terms.get("state") or ""),
        approved_by=str(terms.get("approved_by") or ""),
        text=text,
        bounds={str(name): value for name, value in bounds.items()},
        starts=_time(terms.get("starts"), "starts", exception_id),
        expires=_time(terms.get("expires"), "expires", exception_id),
    )


def refusal(terms: ExceptionTerms, parameters: Mapping[str, object], now: datetime) -> str | None:
    """None when the exception lets a call with these parameters through at `now`, else why it does not."""
    if terms.state != IN_FORCE:
        return f"it is {terms.state or 'of unknown state'}, not in force"
    if not terms.approved_by.strip():
        return "nobody has approved it"
    if terms.starts is not None and now < terms.starts:
        return f"it begins only at {terms.starts.isoformat()}"
    if terms.expires is not None and now >= terms.expires:
        return f"it expired at {terms.expires.isoformat()}"
    outside = next((name for name, bound in terms.bounds.items() if not within(name, bound, parameters)), None)
    return None if outside is None else f"the call is outside its bound {outside!r}"


def standing(state: str, starts: datetime | None, expires: datetime | None, now: datetime) -> str:
    """How a stored exception stands at `now`: proposed, rejected, revoked, not_begun, in_force or expired.

    state: proposed, approved, rejected or revoked. A proposal whose time is over is expired too: approving it is vain.
    """
    if state in ("approved", "proposed") and expires is not None and now >= expires:
        return "expired"
    if state != "approved":
        return state
    return "not_begun" if starts is not None and now < starts else IN_FORCE


def bounds_fault(bounds: Mapping[str, object]) -> str | None:
    """Why these bounds could never be kept by any call (None: they could), so that nobody waits for what cannot come."""
    if len(bounds) > MAX_BOUNDS:
        return f"holds {len(bounds)} bounds; at most {MAX_BOUNDS} are taken"
    for name, bound in bounds.items():
        if not name.strip():
            return "holds a bound without a name; name the parameter it limits"
        members = bound if isinstance(bound, (list, tuple)) else [bound]
        if not members or any(isinstance(m, (dict, list, tuple)) or m is None for m in members):
            return f"{name[:80]!r}: give a text, a number, true or false, or a list of these"
        if name.startswith((_MAX, _MIN)) and (
            isinstance(bound, (list, tuple)) or (_number(bound) is None and _day(bound) is None)
        ):
            return f"{name[:80]!r}: a limit must be a number or a date such as 2026-12-31"
    return None


def within(name: str, bound: object, parameters: Mapping[str, object]) -> bool:
    """Whether the call keeps to one bound. A parameter that holds a list keeps to it when every member does."""
    if name in parameters:
        return all(_equals(value, bound) for value in _members(parameters[name]))
    for prefix, holds in ((_MAX, _at_most), (_MIN, _at_least)):
        parameter = name.removeprefix(prefix)
        if parameter != name and parameter in parameters:
            return all(holds(value, bound) for value in _members(parameters[parameter]))
    return False


def _members(value: object) -> list[object]:
    """The values a parameter names; an empty list names nothing and therefore fails every bound, as [None] does."""
    return (list(value) or [None]) if isinstance(value, (list, tuple)) else [value]


def _equals(value: object, bound: object) -> bool:
    """Same scalar, or one of a list of alternatives. true is no 1; 5, 5.0 and "5" are one number."""
    if isinstance(bound, (list, tuple)):
        return any(_equals(value, alternative) for alternative in bound)
    if isinstance(value, bool) or isinstance(bound, bool):
        return value is bound
    if isinstance(value, str) and isinstance(bound, str):
        return _text_matches(value.strip(), bound.strip())
    number, limit = _number(value), _number(bound)
    return number is not None and number == limit


def _text_matches(value: str, bound: str) -> bool:
    if value == bound:
        return True
    # A pattern such as hotfix/* must not be left again by hotfix/../main.
    return (
        ("*" in bound or "?" in bound)
        and not _PARENT_STEP.search(value)
        and fnmatchcase(value, _literal_brackets(bound))
    )


def _literal_brackets(pattern: str) -> str:
    return pattern.replace("[", "[[]")


def _at_most(value: object, bound: object) -> bool:
    """value ≤ bound. A negative amount counts by its size: "up to 50" does not cover a reversal of 1,000."""
    number, limit = _number(value), _number(bound)
    if number is not None and limit is not None:
        return (abs(number) if limit >= 0 else number) <= limit
    day, last = _day(value), _day(bound)
    return day is not None and last is not None and day <= last


def _at_least(value: object, bound: object) -> bool:
    number, limit = _number(value), _number(bound)
    if number is not None and limit is not None:
        return number >= limit
    day, first = _day(value), _day(bound)
    return day is not None and first is not None and day >= first


def _number(value: object) -> Decimal | None:
    """A finite number, also written as plain decimal text; separators of thousands are ambiguous and refused."""
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal, str)):
        return None
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _day(value: object) -> date | None:
    """The day of an ISO date or date and time; other forms are ambiguous."""
    if not isinstance(value, str) or not _ISO_DATE.fullmatch(value.strip()):
        return None
    try:
        return date.fromisoformat(value.strip()[:10])
    except ValueError:
        return None


def _time(value: object, name: str, exception_id: str) -> datetime | None:
    if value is None or value == "":
        return None
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        raise ValueError(f"{name} of exception {exception_id!r} is {value!r}: use RFC 3339 with an offset") from None
    if moment.tzinfo is None:
        raise ValueError(f"{name} of exception {exception_id!r} is {value!r}: it has no offset, add Z or +07:00")
    return moment
