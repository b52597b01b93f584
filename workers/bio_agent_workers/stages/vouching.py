"""What was shown, used and named before a stretch of a session: earlier in the session, and lately in its workspace.

Only episodes that hold a risky word of the stretch are read. The database looks for them in a bounded number of the
newest episodes, so the cost does not grow with what is stored; a stretch without risky words costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from sqlalchemy import text
from sqlmodel import Session

from bio_agent_schema import episodes
from bio_agent_schema.types import Episode, Kind
from bio_agent_workers import shell
from bio_agent_workers.brain.remedies.taint import CUT_MARK, risky_words

DAYS = 7  # for which the workspace's other sessions are looked at
NEWEST = 4000  # episodes of a tenant, and of the session, among which is looked
MOST_WORDS = 32  # of a stretch that are looked for
MOST_FOUND = 60  # episodes that are read
_PART = re.compile(r"[^\W_]{3,}")
_BRINGS = (
    r"(curl|wget|aria2c|scp|rsync|git\s+clone|release\s+download|base64|xxd|openssl|urlopen|urlretrieve|s3\s+cp|docker\s+cp"
    r"|unzip|\mtar\M|\mmv\M|\mcp\M)"
)


def words_of(stretch: Sequence[Episode]) -> list[str]:
    """Risky words of the acts of a stretch that succeeded, the newest first, at most MOST_WORDS."""
    found: dict[str, None] = {}
    for episode in reversed(stretch):
        if episode.kind is Kind.TOOL and not episode.is_failure:
            for act in shell.act_of(episode.tool, episode.tool_input, episode.command):
                found.update(dict.fromkeys(risky_words(act)))
    return list(found)[:MOST_WORDS]


def before(session: Session, tenant: str, stretch: Sequence[Episode]) -> list[Episode]:
    """Earlier episodes, in order of arrival, that hold a risky word of the stretch or brought in files in its session.

    Those of other sessions that happened during the stretch come as plain text, without their acts.
    """
    words = words_of(stretch)
    acted = any(e.kind is Kind.TOOL and e.command and not e.is_failure for e in stretch)
    if not stretch or not acted:
        return []
    first, last = stretch[0], stretch[-1]
    rows = session.execute(
        text(
            """
            with own as (
                select id, seq, session, kind, provenance, content, last_content, command, tool_input from bio.episodes
                where tenant = :t and session = :s and seq < :low and state <> 'folded' order by seq desc limit :newest),
            lately as (
                select id, seq, session, kind, provenance, content, last_content, command, tool_input from (
                    select * from bio.episodes where tenant = :t and seq <= :high order by seq desc limit :newest) n
                where workspace = :w and session <> :s and state <> 'folded'
                  and received_at >= bio.now() - make_interval(days => :days)),
            hits as (
                select id, seq from (select * from own union all select * from lately) c
                where lower(content) like any(:shown) or lower(last_content) like any(:shown) or lower(command) like any(:shown)
                   or lower(tool_input::text) like any(:shown)
                union
                select id, seq from own where content like :cut or last_content like :cut or command ~* :brings)
            (select id from hits order by seq limit :half) union (select id from hits order by seq desc limit :half)
            """
        ),
        {
            "t": tenant, "s": first.session, "w": first.workspace, "low": first.seq, "high": last.seq, "newest": NEWEST,
            "days": DAYS, "shown": _patterns(words), "cut": f"%{CUT_MARK}%", "brings": _BRINGS, "half": MOST_FOUND // 2,
        },
    ).scalars()  # fmt: skip
    own = {e.id for e in stretch}
    found = [e for e in episodes.by_ids(session, tenant, rows) if e.id not in own]
    return [
        e if e.seq < first.seq else replace(e, kind=Kind.EVENT, tool="", tool_input=None, command="", is_failure=False)
        for e in found
    ]


def _patterns(words: Collection[str]) -> list[str]:
    """LIKE patterns for the words, whole and in their pieces. Never empty: a pattern that matches nothing stands in."""
    out = ["\\_no\\_word\\_" * 4]
    for word in words:
        low = word.lower()
        out.append(f"%{_escaped(low)}%")
        parts = _PART.findall(low)
        if len(parts) > 1:
            out.append("%" + "%".join(_escaped(part) for part in parts) + "%")
    return out


def _escaped(word: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", word)
