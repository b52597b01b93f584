"""OpenClaw from the npm registry with a Node of its own: its gateway run for a while, its agent asked one thing at a time."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bio_agent_ops.hosts_trial.drive import INSTALL_S, NotHere, Ran
from bio_agent_ops.hosts_trial.fake_provider import Asked, Call, Policy, Turn

NODE = "24.21.0"  # what OpenClaw asks for; it refuses to install on older ones
OPENCLAW = "2026.9.6"
RUN_S = 400.0  # of one command: it loads the whole program, which takes a slow machine half a minute
START_S = 300.0  # of the gateway; six seconds on an idle machine
STOP_S = 20.0
_NOBODY_SAID = "BEGIN_OPENCLAW_INTERNAL_CONTEXT"  # OpenClaw puts a user message of its own after the tools' results


@dataclass(frozen=True, slots=True)
class Program:
    """The installed program and the Node that runs it."""

    node: Path
    script: Path


def installed(folder: Path) -> Program:
    """OpenClaw below `folder`, fetched if it is not there yet (650 MB). Raises NotHere."""
    node = _package(folder / f"node-{NODE}", f"node@{NODE}", "node/bin/node", dict(os.environ))
    path = f"{node.parent}:{os.environ.get('PATH', '')}"
    script = _package(
        folder / f"openclaw-{OPENCLAW}", f"openclaw@{OPENCLAW}", "openclaw/openclaw.mjs", {**os.environ, "PATH": path}
    )
    return Program(node, script)


def _package(place: Path, package: str, file: str, environment: Mapping[str, str]) -> Path:
    found = place / "node_modules" / file
    if found.exists():
        return found
    npm = shutil.which("npm")
    if npm is None:
        raise NotHere("there is no npm on the PATH; install Node.js to try real hosts")
    place.mkdir(parents=True, exist_ok=True)
    (place / "package.json").write_text("{}\n", encoding="utf-8")
    done = subprocess.run(
        [npm, "install", package, "--no-audit", "--no-fund"],
        cwd=place, env=dict(environment), capture_output=True, text=True, timeout=INSTALL_S, check=False,
    )  # fmt: skip
    if done.returncode or not found.exists():
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise NotHere(f"npm cannot install {package}: {last[:200]}")
    return found


def settings(provider_url: str, workspace: Path, port: int) -> dict[str, Any]:
    """Settings of an OpenClaw that knows the scripted provider and nothing else."""
    model = {
        "id": "fake-1", "name": "fake-1", "reasoning": False, "input": ["text"], "contextWindow": 65536, "maxTokens": 4096,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0},
    }  # fmt: skip
    provider = {"baseUrl": f"{provider_url}/v1", "apiKey": "any", "api": "openai-completions", "models": [model]}
    return {
        "gateway": {"mode": "local", "port": port, "bind": "loopback", "auth": {"mode": "token", "token": "only-here"}},
        "agents": {
            "defaults": {"workspace": str(workspace), "model": {"primary": "fakep/fake-1"}, "skipBootstrap": True}
        },
        "models": {"mode": "merge", "providers": {"fakep": provider}},
        "tools": {"toolSearch": False},
    }


def policy(calls: Sequence[str | Call], last: str = "Done.") -> Policy:
    """The policy that makes `calls` one after the other in each turn (a text is a command line) and then says `last`."""

    def answer(asked: Asked) -> Turn:
        spoken = [i for i, (role, text) in enumerate(asked.said) if role == "user" and _NOBODY_SAID not in text]
        done = sum(role == "tool" for role, _ in asked.said[spoken[-1] if spoken else 0 :])
        if "exec" not in asked.tools or done >= len(calls):
            return Turn(last)
        call = calls[done]
        return Turn(calls=(call if isinstance(call, Call) else Call("exec", {"command": call}),))

    return answer


class OpenClaw:
    """One OpenClaw with a folder of its own for home, state and settings."""

    def __init__(self, program: Program, folder: Path, given: Mapping[str, Any]) -> None:
        self.program, self.folder = program, folder
        self.settings = folder / "state" / "openclaw.json"
        self.settings.parent.mkdir(parents=True, exist_ok=True)
        self.settings.write_text(json.dumps(given, indent=1), encoding="utf-8")
        self.port = int(given["gateway"]["port"])

    @property
    def environment(self) -> dict[str, str]:
        """Not the caller's own keys and settings: nothing but the scripted provider may be reached."""
        kept = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
        return {
            **kept, "PATH": f"{self.program.node.parent}:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.folder / "home"),
            "OPENCLAW_STATE_DIR": str(self.settings.parent), "OPENCLAW_CONFIG_PATH": str(self.settings),
        }  # fmt: skip

    def command(self, *arguments: str) -> Ran:
        """One command of the program."""
        (self.folder / "home").mkdir(exist_ok=True)
        done = subprocess.run(
            [self.program.node, self.program.script, *arguments], cwd=self.folder, env=self.environment, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=RUN_S,
        )  # fmt: skip
        return Ran(done.returncode, done.stdout.decode("utf-8", "replace"))

    def turn(self, session: str, message: str) -> Ran:
        """One turn of the agent in a session, through the gateway."""
        return self.command("agent", "--agent", "main", "--session-key", f"agent:main:{session}", "--message", message)

    @contextmanager
    def gateway(self) -> Iterator[Path]:
        """The gateway for the time of the block; yields the file of its output. Raises NotHere when it does not start."""
        log = self.folder / "gateway.log"
        (self.folder / "home").mkdir(exist_ok=True)
        with log.open("ab") as out:
            process = subprocess.Popen(
                [self.program.node, self.program.script, "gateway", "run", "--port", str(self.port), "--bind", "loopback"],
                cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
            )  # fmt: skip
        try:
            end = time.monotonic() + START_S
            while not _listens(self.port):
                if process.poll() is not None or time.monotonic() > end:
                    raise NotHere(f"OpenClaw's gateway does not start; see {log}")
                time.sleep(0.2)
            yield log
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.2)
        return probe.connect_ex(("127.0.0.1", port)) == 0
