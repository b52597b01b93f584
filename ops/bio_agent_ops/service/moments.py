"""Times that callers give: with an offset, within the years that every part can hold."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from sqlmodel import Session

from bio_agent_ops.service.context import BadRequest, Unprocessable
from bio_agent_schema import beliefs

YEARS = (1970, 9998)  # UTC; year 9999 is year 10000 in some zone, which neither Python nor RFC 3339 has
AHEAD = timedelta(minutes=1)  # what a caller's clock may be ahead of the database's
_SPACE_FOR_PLUS = re.compile(r"(T\S+) (\d\d:?\d\d)$")  # "+" in an address that was not escaped arrives as a space


def checked(name: str, given: datetime | None) -> datetime | None:
    """The time in UTC, None for None. Raises BadRequest without an offset, Unprocessable outside the years."""
    if given is None:
        return None
    if given.tzinfo is None:
        raise BadRequest(f"{name}: give an offset, such as 2026-12-05T23:59:59+07:00")
    try:
        at = given.astimezone(UTC)
    except OverflowError:
        at = None
    if at is None or not all(YEARS[0] <= year <= YEARS[1] for year in (given.year, at.year)):
        raise Unprocessable(f"{name}: the year must lie in {YEARS[0]} to {YEARS[1]}; leave it out for no limit")
    return at


def read_at(given: str) -> datetime | None:
    """The `at` of an address, None for "". Raises BadRequest or Unprocessable."""
    if not given:
        return None
    try:
        at = datetime.fromisoformat(_SPACE_FOR_PLUS.sub(r"\1+\2", given.strip()))
    except ValueError:
        raise BadRequest(f"at: {given[:60]!r} is no RFC 3339 time; write 2026-12-05T09:00:00Z") from None
    return checked("at", at)


def not_ahead(session: Session, at: datetime) -> datetime:
    """`at`, or the present for what is a moment ahead of it. Raises Unprocessable: what will be believed is not known."""
    now = beliefs.now(session)
    if at > now + AHEAD:
        raise Unprocessable(
            f"at: {at.isoformat()} lies ahead; it is {now.isoformat()} here. Leave it out for the present"
        )
    return min(at, now)
