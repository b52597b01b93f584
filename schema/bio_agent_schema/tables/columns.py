"""What the table modules share: the schema's metadata, and the kinds of column with their defaults in the database."""

from __future__ import annotations

from typing import Any, ClassVar

from sqlalchemy import ARRAY, BigInteger, Boolean, DateTime, Float, Integer, Text, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlmodel import Field, MetaData, SQLModel

SCHEMA = "bio"

metadata = MetaData(schema=SCHEMA)


class Row(SQLModel):
    metadata: ClassVar[MetaData] = metadata


def text_column(default: str | None = "", **kw: Any) -> Any:
    server: dict[str, Any] = {} if default is None else {"sa_column_kwargs": {"server_default": default}}
    return Field(default=default, sa_type=Text, **server, **kw)


def time_column(**kw: Any) -> Any:
    return Field(sa_type=DateTime(timezone=True), **kw)


def now_column(**kw: Any) -> Any:
    return Field(
        default=None,
        sa_type=DateTime(timezone=True),
        nullable=False,
        sa_column_kwargs={"server_default": text("bio.now()")},
        **kw,
    )


def json_column(default: str = "{}") -> Any:
    return Field(
        default_factory=dict if default == "{}" else list,
        sa_type=JSONB,
        sa_column_kwargs={"server_default": default},
        nullable=False,
    )


def list_column() -> Any:
    return Field(
        default_factory=list,
        sa_type=ARRAY(Text),
        sa_column_kwargs={"server_default": "{}"},
        nullable=False,
    )


def int_column(default: int = 0, big: bool = False) -> Any:
    return Field(
        default=default,
        sa_type=BigInteger if big else Integer,
        sa_column_kwargs={"server_default": str(default)},
        nullable=False,
    )


def float_column(default: float = 0.0) -> Any:
    return Field(default=default, sa_type=Float, sa_column_kwargs={"server_default": str(default)}, nullable=False)


def bool_column(default: bool = False) -> Any:
    return Field(
        default=default,
        sa_type=Boolean,
        sa_column_kwargs={"server_default": "true" if default else "false"},
        nullable=False,
    )
