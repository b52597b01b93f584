"""`backup` and `restore`: what goes into the file comes out of it, and nothing is overwritten on the way."""

from __future__ import annotations

import json
import os
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from click.testing import CliRunner, Result

from bio_agent_ops.backup import backup
from bio_agent_ops.cli import main
from bio_agent_ops.home import Home
from bio_agent_ops.local import CommandError, prepare
from bio_agent_ops.stack import Stack
from bio_agent_schema.db import Database, ensure_tenant
from bio_agent_workers.intake import Intake, connect, stream_of
from bio_agent_workers.settings import Settings

pytestmark = pytest.mark.services

BYTES = bytes(range(256))


@pytest.fixture(autouse=True)
def embedded(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "DATABASE_ADMIN_URL", "REDIS_URL", "BIO_APP_PASSWORD"):
        monkeypatch.delenv(name, raising=False)


def call(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def rows(stack: Stack, database: Database) -> dict[str, list[object]]:
    from sqlalchemy import text

    seen: dict[str, list[object]] = {}
    for tenant in ("default", "acme"):
        with database.tenant(tenant) as session:
            for table in ("episodes", "audit"):
                found = session.execute(text(f"select to_jsonb(t) from bio.{table} t order by 1")).scalars()
                seen[f"{tenant} {table}"] = list(found)
    return seen


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[tuple[Home, Stack, Database]]:
    """A home with two tenants' episodes in the database and one observation not read yet."""
    home = Home(tmp_path / "home")
    with Stack(home, database_url=None, redis_url=None) as stack:
        url = prepare(stack)["DATABASE_URL"]
        database = Database(url, pool_size=2)
        client = connect(stack.redis_url)
        for tenant in ("default", "acme"):
            with database.tenant(tenant) as session:
                ensure_tenant(session, tenant)
            for n in range(3):
                wire = json.dumps({"kind": "user", "id": f"{tenant}-{n}", "content": f"câu nói {n} 你好 · {tenant}"})
                client.xadd(stream_of(tenant), {b"o": wire.encode()})
        settings = Settings(DATABASE_URL=url, REDIS_URL=stack.redis_url, _env_file=None)  # type: ignore[call-arg]
        Intake(database, client, settings).run_once(block_ms=10)
        client.xadd(stream_of("acme"), {b"o": b'{"kind":"user","content":"later"}', b"m": BYTES})
        yield home, stack, database
        database.close()
        client.close()


def test_everything_comes_back_in_another_home(filled: tuple[Home, Stack, Database], tmp_path: Path) -> None:
    home, stack, database = filled
    before = rows(stack, database)
    assert len(before["acme episodes"]) == len(before["default episodes"]) == 3
    file = tmp_path / "all.tar"
    saved = backup(home, file)
    assert saved["counts"]["episodes"] == 6
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sorted(p.name for p in tmp_path.iterdir()) == ["all.tar", "home"], "no draft is left"
    text = file.read_bytes()
    for name in ("owner.token", "postgres.password", "app-db.password", "redis.password"):
        assert home.secret(name).encode() not in text

    other = Home(tmp_path / "other")
    done = call("restore", file, "--home", other.root)
    assert done.exit_code == 0, done.output
    assert "6 episodes" in done.output
    with Stack(other, database_url=None, redis_url=None) as restored:
        copy = Database(prepare(restored)["DATABASE_URL"], pool_size=1)
        assert rows(restored, copy) == before
        client = redis.Redis.from_url(restored.redis_url)
        unread = [fields for _, fields in client.xrange(stream_of("acme"))]
        assert unread[-1] == {b"o": b'{"kind":"user","content":"later"}', b"m": BYTES}
        copy.close()
        client.close()
    again = call("restore", file, "--home", other.root)
    assert again.exit_code == 1
    assert "not empty (6 episodes" in again.output


def test_refusals_leave_everything_as_it_is(filled: tuple[Home, Stack, Database], tmp_path: Path) -> None:
    home, _, _ = filled
    file = tmp_path / "all.tar"
    backup(home, file)
    size = file.stat().st_size
    with pytest.raises(CommandError, match="never overwrites"):
        backup(home, file)
    assert file.stat().st_size == size
    with pytest.raises(CommandError, match="holds no database"):
        backup(Home(tmp_path / "none"), tmp_path / "none.tar")
    assert not (tmp_path / "none").exists()

    done = call("restore", file, "--home", home.root)
    assert done.exit_code == 1
    assert f"already in use by process {os.getpid()}" in done.output

    torn = tmp_path / "torn.tar"
    torn.write_bytes(file.read_bytes()[: size // 2])
    newer = tmp_path / "newer.tar"
    (tmp_path / "manifest.json").write_text(json.dumps({"format": 1, "revision": "9999", "version": "9.0"}))
    with tarfile.open(newer, "w") as tar:
        tar.add(tmp_path / "manifest.json", "manifest.json")
    for bad, said in ((torn, "whole backup"), (newer, "install that version"), (Path(__file__), "whole backup")):
        done = call("restore", bad, "--home", tmp_path / "third")
        assert done.exit_code == 1
        assert said in done.output, done.output
        assert len(done.output.strip().splitlines()) == 1
