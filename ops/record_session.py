"""Record the coding session that `bio-agent try` plays.

    python ops/record_session.py

Builds a scratch home with a small project and a bare git repository, runs the commands of `record_session_day.py` for
real, and writes each with its true output and exit code to `bio_agent_ops/data/try_session.jsonl`, beside
`try_session.expect.json` (what a person would learn from it; the pipeline never reads it). What people say is scripted;
what commands print is not. Only the scratch root is cut from paths, and the clock is the script's own, so two
recordings on one machine differ only in what was measured: durations, transfer rates, frames of curl's meter.

Needs git, curl and a system python3 with venv, and a machine where `python` is not a command (Debian, Ubuntu): the
recorded agent trips over that. Refuses when a command ends otherwise than the script expects.
"""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import record_session_day as day
import record_session_shop as shop

DATA = Path(__file__).parent / "bio_agent_ops" / "data"
PATH = "/usr/bin:/bin"
ZONE = timezone(timedelta(hours=7))
COMMAND_TIMEOUT_S = 60.0
HEARTBEAT_EVERY = timedelta(minutes=3)
RATES_PORT = 8970  # the scripted commands name it
PRINTER_PORT = 9163  # nobody may listen here: the printer bridge is down all day
SECRET_PIECE_CHARS = 5  # short enough that no piece has the shape of a secret
CHUNK_BYTES, CHUNK_PAUSE_S = 64 * 1024, 0.45  # slow enough that curl draws several frames of its meter


class Refused(Exception):
    """The recording cannot be made here; the message says what to change."""


def made_up_secret(name: str) -> str:
    """A secret-shaped text that stands in no file: made from a digest while recording."""
    return hashlib.sha256(b"recorded session: " + name.encode()).hexdigest()[:32]


@dataclass
class Recorder:
    """Collects observations; `root` is the scratch directory that plays the machine's `/`."""

    root: Path
    secrets: tuple[str, ...]
    rows: list[dict[str, Any]] = field(default_factory=list)
    marks: dict[str, list[str]] = field(default_factory=dict)
    now: datetime = datetime(2026, 11, 24, tzinfo=ZONE)
    next_beat: datetime = datetime(2026, 11, 24, tzinfo=ZONE)
    name: str = ""
    person: str = ""
    task: str = ""
    turn: int = 0

    def session(self, name: str, person: str, clock: str, task: str) -> None:
        """Begin session `name` of `person` at `clock` ("HH:MM")."""
        hour, minute = map(int, clock.split(":"))
        self.now = self.now.replace(hour=hour, minute=minute, second=0)
        self.name, self.person, self.task, self.turn = name, person, task, 0
        self.next_beat = self.now + timedelta(seconds=100)

    def user(self, text: str, mark: str = "") -> None:
        self._wait(75)
        self.turn += 1
        row = {"kind": "user", "source": "chat", "content": text, "speaker": self.person, "provenance": "owner"}
        self._append(row, mark, self.now)

    def says(self, text: str, mark: str = "") -> None:
        self._add({"kind": "assistant", "source": "chat", "content": text, "provenance": "agent"}, mark, 8)

    def event(self, source: str, text: str, severity: str = "info", mark: str = "", **metadata: Any) -> None:
        row = {"kind": "event", "source": source, "content": text, "provenance": "system"}
        self._add(row | {"metadata": {"severity": severity, **metadata}}, mark, 40)

    def recalled(self, text: str, mark: str) -> None:
        """Text that an earlier memory put into the prompt: known, therefore no evidence."""
        row = {"kind": "event", "source": "memory", "content": text, "provenance": "agent"}
        self._add(row | {"metadata": {"recalled": True}}, mark, 5)

    def state(self, command: str, cwd: str) -> None:
        """A snapshot of the surroundings, read by a real command that the agent did not ask for."""
        _, output = self._execute(command, cwd)
        self._add({"kind": "state", "source": "workspace", "content": output.rstrip(), "provenance": "system"}, "", 5)

    def outcome(self, text: str) -> None:
        self._add({"kind": "outcome", "source": "host", "content": text, "provenance": "system"}, "", 20)

    def run(self, command: str, cwd: str = "shop", expect: int = 0, mark: str = "") -> str:
        """Run `command` in `cwd` (below the home), record and return what it printed. Refuses on another exit code."""
        started = time.monotonic()
        code, output = self._execute(command, cwd)
        took_ms = round((time.monotonic() - started) * 1000)
        if code != expect:
            raise Refused(f"`{command}` in {cwd or '~'} ended with {code}, the script expects {expect}:\n{output}")
        self._add(
            {
                "kind": "tool",
                "source": "terminal",
                "tool": "Bash",
                "tool_input": {"command": command},
                "content": output,
                "exit_code": code,
                "duration_ms": took_ms,
                "cwd": "/home/dev" + ("/" + cwd if cwd else ""),
                "provenance": "agent",
            },
            mark,
            9 + took_ms // 1000,
        )
        return output

    def offstage(self, command: str, cwd: str = "shop") -> None:
        """Something another person did meanwhile; not recorded."""
        code, output = self._execute(command, cwd)
        if code:
            raise Refused(f"`{command}` failed off the record:\n{output}")

    def _execute(self, command: str, cwd: str) -> tuple[int, str]:
        stamp = self.now.isoformat()
        environment = {
            "PATH": PATH,
            "HOME": str(self.root / "home/dev"),
            "LANG": "C.UTF-8",
            "TZ": "Asia/Ho_Chi_Minh",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUNBUFFERED": "1",  # as in most agent containers: output and errors keep their order
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": self.person or "dana",
            "GIT_AUTHOR_EMAIL": f"{self.person or 'dana'}@shop.example",
            "GIT_AUTHOR_DATE": stamp,
            "GIT_COMMITTER_NAME": self.person or "dana",
            "GIT_COMMITTER_EMAIL": f"{self.person or 'dana'}@shop.example",
            "GIT_COMMITTER_DATE": stamp,
        }
        real = re.sub(r"/(home/dev|srv/git|var/log/shop)\b", lambda m: f"{self.root}/{m[1]}", command)
        done = subprocess.run(
            ["bash", "-c", real],
            cwd=self.root / "home/dev" / cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=COMMAND_TIMEOUT_S,
            check=False,
        )
        return done.returncode, done.stdout.decode("utf-8", "replace").replace(str(self.root), "")

    def _add(self, row: dict[str, Any], mark: str, gap_s: int) -> None:
        """Append `row` about `gap_s` seconds after the one before."""
        self._wait(gap_s)
        self._append(row, mark, self.now)

    def _wait(self, gap_s: int) -> None:
        """Let about `gap_s` seconds pass, with the scheduler's heartbeats that fall into them."""
        spread = (len(self.rows) * 37 + 11) % 19 / 12  # 0 … 1.5: uneven as people and programs are, yet repeatable
        self.now += timedelta(seconds=round(gap_s * (0.5 + spread)))
        while self.next_beat < self.now:
            lag = 0.2 + self.next_beat.minute % 7 / 10
            beat = f"heartbeat shop-cron alive queue={self.next_beat.minute % 3} lag={lag:.1f}s"
            event = {"kind": "event", "source": "scheduler", "content": beat, "provenance": "system"}
            self._append(event | {"metadata": {"severity": "debug"}}, "noise", self.next_beat)
            self.next_beat += HEARTBEAT_EVERY

    def _append(self, row: dict[str, Any], mark: str, at: datetime) -> None:
        row = {"id": f"try-{self.name}-{len(self.rows) + 1:03d}", **row}
        row |= {
            "workspace": "shop",
            "agent": "coder",
            "user": self.person,
            "session": self.name,
            "turn": f"{self.name}-t{self.turn}",
            "task": self.task,
            "occurred_at": at.isoformat(),
        }
        self.rows.append(row)
        if mark:
            self.marks.setdefault(mark, []).append(row["id"])


class RatesServer(http.server.BaseHTTPRequestHandler):
    """The rate feed on loopback: overloaded at the first request for the rates, well afterwards."""

    asked = 0

    def do_GET(self) -> None:
        if self.path == "/rates.json":
            type(self).asked += 1
            if self.asked == 1:
                self.send_error(503)
                return
            self._send([shop.RATES.encode()])
        elif self.path == "/catalogue.tar":
            self._send([bytes(CHUNK_BYTES)] * 10)
        else:
            self.send_error(404)

    def _send(self, chunks: list[bytes]) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(sum(map(len, chunks))))
        self.end_headers()
        for chunk in chunks:
            self.wfile.write(chunk)
            if len(chunks) > 1:
                time.sleep(CHUNK_PAUSE_S)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent: the recorder's own output is for the person who records."""


@contextmanager
def rates_server() -> Iterator[None]:
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", RATES_PORT), RatesServer)
    except OSError as error:
        raise Refused(f"port {RATES_PORT} is taken; stop what listens there and record again") from error
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def check_machine() -> None:
    """Raises Refused when the scripted failures would not happen here."""
    for program in ("bash", "curl", "git", "python3"):
        if not shutil.which(program, path=PATH):
            raise Refused(f"{program} is missing in {PATH}; install it and record again")
    if shutil.which("python", path=PATH):
        raise Refused(f"`python` exists in {PATH}; record on a machine that has only python3")
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", PRINTER_PORT)) == 0:
            raise Refused(f"something listens on port {PRINTER_PORT}; the printer bridge must be down")


def build_machine(recorder: Recorder) -> None:
    """The bare repository with its protected branch, the developer's home, the web server's log."""
    root = recorder.root
    for folder in ("home/dev/seed", "srv/git", "var/log/shop"):
        (root / folder).mkdir(parents=True)
    (root / "home/dev/.gitconfig").write_text("[init]\n\tdefaultBranch = main\n[pull]\n\tff = only\n")
    (root / "var/log/shop/access.log").write_text(shop.access_log())
    for name, content in shop.files().items():
        path = root / "home/dev/seed" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    recorder.now -= timedelta(days=4)
    recorder.offstage("git init -q && git add -A && git commit -qm 'Import the shop as it stands'", "seed")
    recorder.offstage("git clone -q --bare . /srv/git/shop.git", "seed")
    recorder.now += timedelta(days=4)
    shutil.rmtree(root / "home/dev/seed")
    hook = root / "srv/git/shop.git/hooks/pre-receive"
    hook.write_text(shop.PROTECTED_BRANCH_HOOK)
    hook.chmod(0o755)


def pieces(text: str) -> list[str]:
    return [text[i : i + SECRET_PIECE_CHARS] for i in range(0, len(text), SECRET_PIECE_CHARS)]


def without_secrets(row: dict[str, Any], secrets: tuple[str, ...]) -> dict[str, Any]:
    """`content` that holds a secret becomes `content_parts`, cut within each secret; the loader joins them."""
    content = row["content"]
    found = [secret for secret in secrets if secret in content]
    if not found:
        return row
    parts: list[str] = []
    for text in re.split("(" + "|".join(map(re.escape, found)) + ")", content):
        parts += pieces(text) if text in found else [text]
    return {("content_parts" if key == "content" else key): value for key, value in row.items()} | {
        "content_parts": parts
    }


def main() -> None:
    check_machine()
    secrets = tuple(made_up_secret(name) for name in day.SECRETS)
    with tempfile.TemporaryDirectory(prefix="record-") as scratch, rates_server():
        recorder = Recorder(Path(scratch).resolve(), secrets)
        build_machine(recorder)
        day.play(recorder, day.env_file(secrets))
    lines = [json.dumps(without_secrets(row, secrets), ensure_ascii=False) for row in recorder.rows]
    text = "\n".join(lines) + "\n"
    if any(secret in text for secret in secrets):
        raise Refused("a secret of the recording would stand in the file; nothing was written")
    for place in (tempfile.gettempdir(), str(Path.home()), str(DATA.resolve().parents[2])):
        if place != "/home/dev" and place + "/" in text:
            raise Refused(f"{place} of this machine would stand in the file; nothing was written")
    DATA.mkdir(exist_ok=True)
    (DATA / "try_session.jsonl").write_text(text, encoding="utf-8")
    expect = day.expectations(recorder.marks)
    expect["redacted"] = {
        "secret_parts": [pieces(secret) for secret in secrets],
        "observations": recorder.marks["secret"],
    }
    expect_text = json.dumps(expect, ensure_ascii=False, indent=2) + "\n"
    (DATA / "try_session.expect.json").write_text(expect_text, encoding="utf-8")
    print(f"{len(lines)} observations, {len(text.encode()) / 1024:.0f} KiB")


if __name__ == "__main__":
    try:
        main()
    except Refused as refusal:
        sys.exit(f"not recorded: {refusal}")
