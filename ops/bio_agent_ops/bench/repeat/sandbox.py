"""Folders in which scenarios happen, and commands run there by a shell, as an agent's shell tool runs them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

RUN_S = 120.0  # longest run of one command
GIT = "[user]\n\tname = Bench\n\temail = bench@localhost\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended. output: standard output and standard error."""

    exit_code: int
    output: str

    @property
    def ok(self) -> bool:
        return self.exit_code == 0


def new_user(home: Path) -> None:
    """A user's home folder with a name for git's commits; nothing of the real user's."""
    home.mkdir(parents=True, exist_ok=True)
    (home / ".gitconfig").write_text(GIT, encoding="utf-8")


def environment(home: Path) -> dict[str, str]:
    """What commands run under: the machine's programs, and a home of their own."""
    kept = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "NPM_CONFIG_UPDATE_NOTIFIER": "false",
    }


def run(command: str, place: Path, home: Path | None = None) -> Ran:
    """`command` in `place` by bash, standard input empty. A command that takes too long counts as failed with 124."""
    if home is None:
        home = place.parent if place.parent.is_dir() else place
        home = next((p for p in (home, *home.parents) if (p / ".gitconfig").exists()), home)
    process = subprocess.Popen(
        ["bash", "-c", command], cwd=place, env=environment(home), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip
    try:
        out, _ = process.communicate(timeout=RUN_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        out, _ = process.communicate()
        return Ran(124, out.decode("utf-8", "replace") + f"\nended after {RUN_S:.0f} s")
    return Ran(process.returncode, out.decode("utf-8", "replace"))


def make(folder: Path, scripts: Sequence[str], home: Path | None = None) -> Ran:
    """An empty `folder`, then each script run there, ended at its first failure."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    last = Ran(0, "")
    for script in scripts:
        last = run("set -e\n" + script, folder, home)
        if not last.ok:
            return last
    return last
