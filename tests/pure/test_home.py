"""The home's secrets and lock, and how children's lines and restarts are handled."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_ops.children import LONGEST_DELAY_S, restart_delay_s, safe_line
from bio_agent_ops.home import Home, HomeError, HomeInUse


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path / "home")
    made.create()
    return made


def test_a_secret_is_made_once_and_for_the_owner_alone(home: Home) -> None:
    first = home.secret("a.password")
    assert len(bytes.fromhex(first)) == 32
    assert home.secret("a.password") == first != home.secret("b.password")
    file = home.root / "a.password"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o644)
    assert home.secret("a.password") == first
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not [path for path in home.root.iterdir() if path.name.startswith(".")], "no drafts are left"


def test_an_empty_secret_left_by_a_full_disk_is_replaced(home: Home) -> None:
    (home.root / "a.password").touch(mode=0o600)
    assert len(home.secret("a.password")) == 64


def test_everything_made_is_for_the_owner_alone(home: Home) -> None:
    for folder in (home.root, home.redis, home.run, home.logs):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_one_holder_at_a_time(home: Home) -> None:
    lock = home.lock().acquire()
    assert home.lock().holder() == os.getpid()
    with pytest.raises(HomeInUse, match=str(os.getpid())):
        home.lock().acquire()
    lock.release()
    assert home.lock().holder() is None
    home.lock().acquire().release()


def test_a_file_is_no_home(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HomeError):
        Home(tmp_path / "file").create()
    with pytest.raises(HomeError):
        Home(tmp_path / "file" / "below").create()


def test_where_the_home_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("BIO_AGENT_HOME", raising=False)
    assert Home.default().root == (tmp_path / ".bio-agent").resolve()
    monkeypatch.setenv("BIO_AGENT_HOME", str(tmp_path / "named"))
    assert Home.default().root == (tmp_path / "named").resolve()
    assert Home.default(tmp_path / "given").root == (tmp_path / "given").resolve()


def test_restart_delays_grow_to_a_bound() -> None:
    assert [restart_delay_s(n) for n in range(1, 9)] == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert restart_delay_s(10**6) == LONGEST_DELAY_S
    with pytest.raises(ValueError, match="at least 1"):
        restart_delay_s(0)


@given(st.binary(max_size=300))
def test_a_shown_line_is_one_line_without_controls(raw: bytes) -> None:
    shown = safe_line(raw)
    assert len(shown.splitlines()) <= 1
    assert all(character == "\t" or character.isprintable() or character.isspace() or ord(character) > 0x9F
               for character in shown)  # fmt: skip


def test_text_stays_and_tricks_become_visible() -> None:
    assert safe_line("已处理 3 条 · đã xử lý\n".encode()) == "已处理 3 条 · đã xử lý"
    assert safe_line(b"\x1b[32mgreen\x1b[0m") == "green"
    assert safe_line(b"a\rb\x1b[2J") == "a\\x0db\\x1b[2J"
    assert safe_line("abc\u202edef".encode()) == "abc\\x202edef"
