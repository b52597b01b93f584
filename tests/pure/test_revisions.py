"""What a database records about the migrations that made it, and what is said of one that other migrations made."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bio_agent_ops.doctor_servers import schema
from bio_agent_schema.revisions import VERSIONS, fault, mark, newest


@pytest.fixture
def versions(tmp_path: Path) -> Path:
    folder = tmp_path / "versions"
    shutil.copytree(VERSIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def test_the_same_migrations_fit(versions: Path) -> None:
    assert fault(newest(), mark(newest())) == ""
    assert mark(newest(), versions) == mark(newest()), "it depends on the files alone"


def test_another_state_of_the_same_revision_is_refused(versions: Path) -> None:
    made = mark("0001", versions)
    file = next(versions.glob("0001_*.sql"))
    file.write_text(file.read_text() + "alter table bio.beliefs add column mood text;\n")
    said = fault("0001", made, versions)
    assert "another state of schema revision 0001" in said
    assert "bio-agent backup" in said
    assert "--home" in said
    assert fault("0001", None, versions), "a database from before there were marks"


def test_a_later_migration_continues_what_the_earlier_ones_made(versions: Path) -> None:
    made = mark("0001", versions)
    (versions / "0002_more.py").write_text("revision = '0002'\n")
    assert newest(versions) == "0002"
    assert fault("0001", made, versions) == ""
    assert mark("0002", versions) != made


def test_a_newer_database_is_refused() -> None:
    assert "a newer version made it" in fault("9999", "sha256:0")


def test_line_endings_of_a_checkout_do_not_matter(versions: Path) -> None:
    before = mark("0001", versions)
    for file in versions.glob("0001_*"):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert mark("0001", versions) == before


def test_doctor_tells() -> None:
    assert schema(newest(), mark(newest())).ok is True
    other = schema(newest(), "sha256:" + "0" * 64)
    assert other.ok is False
    assert "empty home" in other.fix
    assert schema("", None).fix == "run `bio-agent migrate`"
