"""Statements of SQL: what each does, to which tables, and which of its words name what it changes rather than what it reads."""

from __future__ import annotations

import re

from bio_agent_workers.brain.guarding.act_words import actions_of

SQL_KIND = re.compile(r"(?i)\b(?:drop|truncate|alter)\s+(table|database|schema|index|view|user|role)\b")
_NAME = r"[\"'`\[]?\w[\w.\"`\]]*"
_TABLES = re.compile(
    r"(?i)\b(?:from|into|update|table|truncate)\s+(?!table\b|if\b|only\b)(?:if\s+exists\s+|only\s+)?"
    rf"({_NAME}(?:\s*,\s*{_NAME})*)"
)
_CHANGES = re.compile(r"(?i)(?:^|;)\s*(drop|delete|truncate|update|insert|alter|grant|create|merge|replace)\s")
#: What changes how data is laid out.
_ON_SCHEMA = re.compile(
    r"(?i)(?:^|;)\s*(?:drop|create|alter|rename)\s+(?:or\s+replace\s+)?(?:(?:unique|temp(?:orary)?|materialized|unlogged|global|external)\s+)*"
    r"(?:table|index|view|column|schema|sequence|type|trigger|constraint|database)\b"
)
_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.S)
_ENDS = re.compile(r";(?=(?:[^']*'[^']*')*[^']*$)")
_SUBQUERY = re.compile(r"(?i)\(\s*select\b[^()]*(?:\([^()]*\)[^()]*)*\)")
_UPDATE = re.compile(
    r"(?is)(update\s+(?:only\s+)?\S+(?:\s+(?:as\s+)?(?!set\b)\w+)?\s+set\s)(.*?)(?:\sfrom\s.*?)?(?:\swhere\s(.*))?$"
)
_ASSIGNED = re.compile(r"([\w.\"`]+)\s*=\s*((?:'[^']*'|\([^()]*\)|[^,'(])*)")
_VALUE = re.compile(r"'[^']*'|\b\d[\w.:-]*")
#: A key says which rows are meant by what they belong to: no word for what they are.
_KEY = re.compile(r"(?i)\b[\w.]*_id\s*(?=[=<>]|in\b)")
_READ = re.compile(r"(?is)\b(?:select|using)\b.*")


def statements(text: str) -> list[str]:
    """The statements of a text, each without the words of what it only reads; [] where it changes nothing.

    Of an update the columns set count, and of its condition the values; what is selected from, joined or asked for in a
    sub-query is read.
    """
    if not _CHANGES.search(text):
        return []
    return [_changed(one.strip()) for one in _ENDS.split(_COMMENT.sub(" ", text)) if one.strip()]


def _changed(statement: str) -> str:
    verb = statement.split(None, 1)[0].lower()
    bare = statement
    while (cut := _SUBQUERY.sub(" ", bare)) != bare:
        bare = cut
    if verb == "update" and (found := _UPDATE.match(bare)) is not None:
        columns = ", ".join(f"{name} = {_values(to)}" for name, to in _ASSIGNED.findall(found[2]))
        return f"{found[1]}{columns} {_values(found[3] or '')}".strip()
    if verb == "delete":
        return _KEY.sub(" ", re.sub(r"(?is)\busing\b.*?(?=\bwhere\b|$)", " ", bare))
    if verb in ("insert", "replace", "create", "merge"):
        return _READ.sub(" ", bare).strip()
    return bare


def _values(text: str) -> str:
    return " ".join(_VALUE.findall(text))


def tables_of(text: str) -> list[str]:
    """Names of the tables in a statement, without their schema, lower case."""
    found = [name for named in _TABLES.findall(text) for name in named.split(",")]
    return [name.strip().strip("\"'`[]").rsplit(".", 1)[-1].lower() for name in found]


def kinds_of(text: str) -> set[str]:
    """What kind of thing a statement works on as a whole, lower case."""
    kinds = {kind.lower() for kind in SQL_KIND.findall(text)}
    return kinds or ({"table"} if re.search(r"(?i)(?:^|;)\s*truncate\b", text) else set())


def sql_actions(text: str) -> set[str]:
    """What the statements in a text do, as verbs of SQL and as concepts."""
    found = {
        word.lower()
        for word in re.findall(r"(?i)(?:^|;)\s*(drop|delete|truncate|update|insert|alter|grant|create|revoke)\s", text)
    }
    if "alter" in found:
        found |= {
            word.lower() for word in re.findall(r"(?i)\b(drop|rename|add)\s+(?:column|constraint|partition|to)\b", text)
        }
    schema = {"alter schema"} if _ON_SCHEMA.search(text) else set()
    return found | actions_of(found) | schema
