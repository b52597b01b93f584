"""The launcher's decisions, and that the locks fit what `pyproject.toml` asks for."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)(?:\s*;\s*([^\\]+?))?\s*\\$")


def locked(name: str) -> dict[str, set[str]]:
    """Canonical name → versions pinned in a lock (several where they differ by Python version)."""
    found: dict[str, set[str]] = {}
    for line in (ROOT / "ops" / name).read_text().splitlines():
        pin = PIN.match(line)
        if pin:
            found.setdefault(canonicalize_name(pin[1]), set()).add(pin[2])
    return found


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("bio_agent_start", ROOT / "ops" / "start.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def checkout(start: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "a checkout"
    (root / "ops").mkdir(parents=True)
    for attribute, name in (("LOCK", "ops/requirements.lock"), ("TEST_LOCK", "ops/requirements-test.lock"),
                            ("PYPROJECT", "pyproject.toml")):  # fmt: skip
        (root / name).write_text(f"{name}\n")
        monkeypatch.setattr(start, attribute, root / name)
    monkeypatch.setattr(start, "ROOT", root)
    return root


def test_an_old_python_and_windows_are_refused_in_words(start: ModuleType) -> None:
    start.check_python((3, 11), "linux")
    start.check_python((3, 14), "darwin")
    with pytest.raises(start.StartError, match=r"3\.11 or newer is needed, this is 3\.10"):
        start.check_python((3, 10), "linux")
    with pytest.raises(start.StartError, match="WSL"):
        start.check_python((3, 12), "win32")


def test_the_environment_is_beside_the_checkout_when_that_is_ours(start: ModuleType, checkout: Path) -> None:
    environment = {"HOME": str(checkout.parent)}
    assert start.choose_venv(environment, checkout) == checkout / ".venv"
    (checkout / ".venv" / "bin").mkdir(parents=True)
    elsewhere = start.choose_venv(environment, checkout)
    assert elsewhere.parent == checkout.parent / ".cache" / "bio-agent", "somebody's own .venv is left alone"
    (checkout / ".venv" / start.OURS).touch()
    assert start.choose_venv(environment, checkout) == checkout / ".venv"


def test_a_checkout_that_is_not_ours_gets_an_environment_in_the_cache(
    start: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: checkout.stat().st_uid + 1)
    cache = checkout.parent / "cache"
    found = start.choose_venv({"HOME": "/nowhere", "XDG_CACHE_HOME": str(cache)}, checkout)
    assert found.parent == cache / "bio-agent"
    assert start.choose_venv({"XDG_CACHE_HOME": str(cache)}, checkout.parent).name != found.name
    assert start.choose_venv({"HOME": "/h", "XDG_CACHE_HOME": "relative"}, checkout).is_relative_to("/h/.cache")
    with pytest.raises(start.StartError, match="BIO_AGENT_VENV"):
        start.choose_venv({}, checkout)


def test_a_named_environment_is_used_unless_it_is_somebody_elses(start: ModuleType, checkout: Path) -> None:
    named = checkout.parent / "named"
    assert start.choose_venv({"BIO_AGENT_VENV": str(named)}, checkout) == named
    named.mkdir()
    assert start.choose_venv({"BIO_AGENT_VENV": str(named)}, checkout) == named
    (named / "thesis.txt").touch()
    with pytest.raises(start.StartError, match="did not make"):
        start.choose_venv({"BIO_AGENT_VENV": str(named)}, checkout)


def test_what_is_wanted_changes_with_each_thing_it_depends_on(start: ModuleType, checkout: Path) -> None:
    venv = checkout / ".venv"
    first = start.wanted(venv, start.LOCK)
    assert start.wanted(venv, start.LOCK) == first
    assert start.wanted(checkout / "other", start.LOCK) != first
    assert start.wanted(venv, start.TEST_LOCK) != first
    start.LOCK.write_text("changed\n")
    second = start.wanted(venv, start.LOCK)
    start.PYPROJECT.write_text("changed\n")
    assert len({first, second, start.wanted(venv, start.LOCK)}) == 3
    assert start.digest("ab", "c") != start.digest("a", "bc")


class Recorder:
    """Stands for the installer: makes the folder a whole environment has, or breaks off."""

    def __init__(self, start: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[list[str]] = []
        self.fail = ""
        self._start = start
        monkeypatch.setattr(start, "run", self)
        monkeypatch.setattr(start, "working_uv", lambda: None)

    def __call__(self, command: list[str]) -> None:
        self.calls.append(command)
        if self.fail and self.fail in command:
            raise self._start.StartError("broke off")
        if command[1:3] == ["-m", "venv"]:
            venv = Path(command[-1])
            (venv / "bin").mkdir()
            (venv / "bin" / "python").touch()
            (venv / "pyvenv.cfg").touch()
            version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
            (venv / "lib" / version / "site-packages" / "pip").mkdir(parents=True)


def test_it_installs_once_by_hash_and_again_only_after_a_change(
    start: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Recorder(start, monkeypatch)
    venv = checkout / ".venv"
    start.ensure(venv, start.LOCK)
    made, by_hash, itself = run.calls
    assert made[1:3] == ["-m", "venv"]
    assert "--require-hashes" in by_hash
    assert by_hash[-1] == str(start.LOCK)
    assert itself[-2:] == ["-e", str(checkout)]
    assert {"--no-deps", "--no-build-isolation"} <= set(itself)
    start.ensure(venv, start.LOCK)
    assert len(run.calls) == 3
    start.PYPROJECT.write_text("changed\n")
    start.ensure(venv, start.LOCK)
    assert len(run.calls) == 5, "the environment itself is kept"
    start.ensure(venv, start.TEST_LOCK)
    start.ensure(venv, start.LOCK)
    start.ensure(venv, start.TEST_LOCK)
    assert len(run.calls) == 7, "the test lock holds the other one too"


def test_an_interrupted_or_broken_environment_is_made_anew(
    start: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Recorder(start, monkeypatch)
    venv = checkout / ".venv"
    run.fail = "--require-hashes"
    with pytest.raises(start.StartError, match="again is safe"):
        start.ensure(venv, start.LOCK)
    assert start.installed(venv) == {}
    (venv / "half-installed").touch()
    run.fail = ""
    start.ensure(venv, start.LOCK)
    assert not (venv / "half-installed").exists()
    (venv / "bin" / "python").unlink()
    before = len(run.calls)
    start.ensure(venv, start.LOCK)
    assert run.calls[before][1:3] == ["-m", "venv"]
    (venv / start.DONE).write_text("{ not json")
    assert start.installed(venv) == {}


def test_when_uv_fails_pip_is_tried(start: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Recorder(start, monkeypatch)
    run.fail = "/bin/uv"
    monkeypatch.setattr(start, "working_uv", lambda: "/bin/uv")
    start.ensure(checkout / ".venv", start.LOCK)
    assert run.calls[0][0] == "/bin/uv"
    assert set(json.loads((checkout / ".venv" / start.DONE).read_text())) == {"requirements.lock"}


def test_a_python_without_ensurepip_is_told_what_to_install(
    start: ModuleType, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Recorder(start, monkeypatch)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(start.StartError, match=r"apt install python3\.\d+-venv"):
        start.ensure(checkout / ".venv", start.LOCK)


def test_what_it_becomes(start: ModuleType, checkout: Path) -> None:
    venv = checkout / ".venv"
    python, script = str(venv / "bin" / "python"), str(venv / "bin" / "bio-agent")
    assert start.command_line(venv, ["up", "--home", "a b"]) == [python, script, "up", "--home", "a b"]
    parallel = ["-n", "3", "--dist", "worksteal"]
    assert start.command_line(venv, ["test", "-k", "x"]) == [python, "-m", "pytest", *parallel, "-k", "x"]


def test_the_launcher_can_say_its_word_on_an_old_python() -> None:
    compile((ROOT / "ops" / "start.py").read_text(), "start.py", "exec", dont_inherit=True)
    import ast

    ast.parse((ROOT / "ops" / "start.py").read_text(), feature_version=(3, 7))


def test_the_locks_hold_every_dependency_in_a_fitting_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    main, test = locked("requirements.lock"), locked("requirements-test.lock")
    needed = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    extra = project["project"]["optional-dependencies"]["test"]
    for lock, texts in ((main, needed), (test, needed + extra)):
        for requirement in map(Requirement, texts):
            versions = lock.get(canonicalize_name(requirement.name))
            assert versions, f"{requirement.name} is in no lock: compile the locks again"
            assert all(requirement.specifier.contains(version) for version in versions), str(requirement)
    assert {name: test.get(name) for name in main} == main, "what is tested is what is installed"


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-test.lock"])
def test_every_pin_has_hashes_and_no_index_is_named(name: str) -> None:
    text = (ROOT / "ops" / name).read_text()
    assert "://" not in text
    assert not re.search(r"^-", text, re.MULTILINE), "no options: which index is the user's choice"
    entries = re.split(r"\n(?=\S)", text.strip())
    assert len(entries) > 50
    for entry in entries:
        assert PIN.match(entry.splitlines()[0]), entry.splitlines()[0]
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry)
