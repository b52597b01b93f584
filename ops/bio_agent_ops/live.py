"""Two failures and their repairs, run for real on the machine at hand: what a memory can learn from while you watch.

Needs nothing but the Python that runs this. The condemned command is run once and not again: whether it would be
stopped the next time is for the guard to show.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bio_agent_schema.types import FixKind

__all__ = ["LiveError", "LiveResult", "run_live"]

Observation = dict[str, Any]

COMMAND_TIMEOUT_S = 10.0  # each command takes well under a second; beyond this the machine is the story, not the lesson
SCRATCH = "<scratch>"  # stands for the folder in everything that is observed: where it lies teaches nothing


class LiveError(RuntimeError):
    """The commands did not behave as they must to teach something; the message says which and what to check."""


@dataclass(frozen=True, slots=True)
class LiveResult:
    """One failure and what repaired it, as they happened.

    kind: what the pair teaches. failed / fixed: command lines as a person would type them; `fixed` in the order they
    ran, the last one is the act that worked. error_token: the exception class. exit_codes: of failed, then of each of
    `fixed`. observation_ids in the same order.
    """

    name: str
    kind: FixKind
    cwd: str
    failed: str
    error_token: str
    fixed: tuple[str, ...]
    exit_codes: tuple[int, ...]
    observation_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Case:
    name: str
    kind: FixKind
    error_token: str
    failed: str
    fixed: tuple[str, ...]
    files: Mapping[str, str]


_REPORT = """import stockbook

print(f"{len(stockbook.ENTRIES)} entries, {sum(stockbook.ENTRIES)} pieces in stock")
"""

_STOCKBOOK = "ENTRIES = (12, 40, 7)\n"

_MIGRATE = """import sqlite3

db = sqlite3.connect("members.sqlite3")
with db:
    db.execute("DROP TABLE IF EXISTS member_new")
    db.execute("CREATE TABLE member_new (id INTEGER PRIMARY KEY, email TEXT NOT NULL)")
    db.execute("INSERT INTO member_new SELECT id, email FROM member")
    db.execute("DROP TABLE member")
    db.execute("ALTER TABLE member_new RENAME TO member")
db.close()
print("migrated: member.email is NOT NULL")
"""

_BACKFILL = """import sqlite3

db = sqlite3.connect("members.sqlite3")
with db:
    changed = db.execute("UPDATE member SET email = 'unknown-' || id WHERE email IS NULL").rowcount
db.close()
print(f"email filled for {changed} members")
"""

_CREATE = """import sqlite3

db = sqlite3.connect("members.sqlite3")
with db:
    db.execute("CREATE TABLE member (id INTEGER PRIMARY KEY, email TEXT)")
    db.executemany("INSERT INTO member (email) VALUES (?)", [("ann@shop.example",), (None,), (None,)])
db.close()
"""

_PREPARE_FILE = "create.py"  # run once, unobserved, before a case that has it

CASES: tuple[_Case, ...] = (
    _Case(
        name="reports",
        kind=FixKind.REPLACE,
        error_token="ModuleNotFoundError",  # noqa: S106  an exception class
        failed="python3 tools/report.py",
        fixed=("PYTHONPATH=src python3 tools/report.py",),
        files={"tools/report.py": _REPORT, "src/stockbook/__init__.py": _STOCKBOOK},
    ),
    _Case(
        name="members",
        kind=FixKind.PREPARE,
        error_token="IntegrityError",  # noqa: S106
        failed="python3 migrate.py",
        fixed=("python3 backfill.py", "python3 migrate.py"),
        files={"migrate.py": _MIGRATE, "backfill.py": _BACKFILL, _PREPARE_FILE: _CREATE},
    ),
)


def run_live(scratch: Path, observe: Callable[[Observation], None]) -> list[LiveResult]:
    """Run both cases in a new folder below `scratch` (made when missing) and send each command to `observe`.

    The folder stays, so that what was learned can be tried in it; the caller owns and removes `scratch`. Observations
    carry the real exit code and output, the command as a person would type it, and `<scratch>` for the folder; their
    ids are new at each run. Takes 10 s a command at most. Raises LiveError when the folder cannot be written or a
    command does not end as it must.
    """
    try:
        scratch.mkdir(parents=True, exist_ok=True)
        root = Path(tempfile.mkdtemp(prefix="live-", dir=scratch)).resolve()
        for case in CASES:
            for name, text in case.files.items():
                path = root / case.name / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise LiveError(f"cannot write in {scratch}: {error.strerror or error}; name a folder you may write") from error
    run = uuid.uuid4().hex[:12]
    return [_play(case, f"live-{run}-{case.name}", root, observe) for case in CASES]


def _play(case: _Case, prefix: str, root: Path, observe: Callable[[Observation], None]) -> LiveResult:
    cwd = root / case.name
    if _PREPARE_FILE in case.files:
        code, output = _execute(f"python3 {_PREPARE_FILE}", cwd, root)
        if code:
            raise LiveError(f"this Python cannot prepare the case {case.name!r} (exit code {code}): {_last(output)}")
    codes: list[int] = []
    ids: list[str] = []
    for number, command in enumerate((case.failed, *case.fixed), 1):
        started_at, started = datetime.now(UTC), time.monotonic()
        code, output = _execute(command, cwd, root)
        took_ms = round((time.monotonic() - started) * 1000)
        if number == 1 and (code == 0 or case.error_token not in output):
            raise LiveError(
                f"`{command}` was to fail with {case.error_token} and ended with {code}: {_last(output)};"
                " nothing can be learned from it here"
            )
        if number > 1 and code != 0:
            raise LiveError(f"`{command}` was to succeed and ended with {code}: {_last(output)}")
        codes.append(code)
        ids.append(f"{prefix}-{number}")
        observe(
            {
                "id": ids[-1],
                "kind": "tool",
                "source": "terminal",
                "tool": "Bash",
                "tool_input": {"command": command},
                "content": output,
                "exit_code": code,
                "duration_ms": took_ms,
                "cwd": f"{SCRATCH}/{case.name}",
                "workspace": "scratch",
                "agent": "coder",
                "user": "you",
                "session": "live",
                "turn": f"live-{case.name}",
                "occurred_at": started_at.isoformat(),
                "provenance": "agent",
            }
        )
    return LiveResult(
        name=case.name,
        kind=case.kind,
        cwd=str(cwd),
        failed=case.failed,
        error_token=case.error_token,
        fixed=case.fixed,
        exit_codes=tuple(codes),
        observation_ids=tuple(ids),
    )


def _execute(command: str, cwd: Path, root: Path) -> tuple[int, str]:
    """Exit code and output (errors included) of `[NAME=value …] python3 FILE`, run by the Python that runs us."""
    words = shlex.split(command)
    # The person's own PYTHONPATH and the like must not decide whether the lesson happens; PYTHONHOME may be needed
    # for the interpreter to start at all.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON") or k == "PYTHONHOME"}
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
        environment.pop(name, None)
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONNOUSERSITE": "1", "PYTHONUTF8": "1", "PYTHON_COLORS": "0"}
    while re.fullmatch(r"[A-Z_]+=.*", words[0]):
        name, value = words.pop(0).split("=", 1)
        environment[name] = value
    try:
        done = subprocess.run(
            [sys.executable, *words[1:]],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=COMMAND_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise LiveError(f"`{command}` did not end within {COMMAND_TIMEOUT_S:g} s; the machine is too busy") from error
    except OSError as error:
        raise LiveError(f"cannot start {sys.executable or 'Python'}: {error.strerror or error}") from error
    output = done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
    return done.returncode, output.replace(str(root), SCRATCH)


def _last(output: str) -> str:
    """The last line that says something."""
    return next((line.strip() for line in reversed(output.splitlines()) if line.strip()), "no output")
