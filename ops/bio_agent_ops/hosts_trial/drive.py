"""Real agent hosts, installed from their registry into a folder of their own and run for one prompt at a time.

Nothing of the user's is touched: each run has a home directory of its own, and the only model it knows is the scripted one.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

INSTALL_S = 600.0  # 100 MB to fetch; seconds on a good line
RUN_S = 180.0  # of one prompt, where it is not said otherwise


class NotHere(Exception):
    """The host cannot be had on this machine; the message says why."""


@dataclass(frozen=True, slots=True)
class Package:
    """A host as its registry has it, in the version that was tried."""

    name: str
    version: str
    program: str


CLAUDE_CODE = Package("@anthropic-ai/claude-code", "2.1.332", "claude")
CODEX = Package("@openai/codex", "0.171.0", "codex")
MINI_VERSION = "2.4.6"  # of mini-swe-agent, from the Python package index


@dataclass(frozen=True, slots=True)
class Ran:
    """How a run ended. output: standard output and standard error."""

    exit_code: int
    output: str


def installed(package: Package, folder: Path) -> Path:
    """The program of `package`, installed below `folder` if it is not yet. Raises NotHere."""
    place = folder / f"{package.program}-{package.version}"
    program = place / "node_modules" / ".bin" / package.program
    if not program.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise NotHere("there is no npm on the PATH; install Node.js to try real hosts")
        place.mkdir(parents=True, exist_ok=True)
        (place / "package.json").write_text("{}\n", encoding="utf-8")
        command = [
            npm,
            "install",
            f"{package.name}@{package.version}",
            "--no-audit",
            "--no-fund",
            "--prefix",
            str(place),
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_S, check=False)
        except subprocess.TimeoutExpired as error:
            raise NotHere(f"npm did not install {package.name} within {INSTALL_S:.0f} s") from error
        if done.returncode or not program.exists():
            last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise NotHere(f"npm cannot install {package.name}@{package.version}: {last[:200]}")
    try:
        subprocess.run([program, "--version"], capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise NotHere(f"{package.program} {package.version} does not start here: {type(error).__name__}") from error
    return program


def claude_code(
    program: Path, prompt: str, *, url: str, project: Path, home: Path, more: Sequence[str] = (), seconds: float = RUN_S
) -> Ran:
    """`claude -p` in `project` against the provider at `url`; `home` holds its settings and transcripts."""
    environment = {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "any",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    arguments = ["-p", prompt, "--allowedTools", "Bash", "--output-format", "json", *more]
    return _run(program, arguments, project, home, environment, seconds)


def codex(
    program: Path, prompt: str, *, url: str, project: Path, home: Path, more: Sequence[str] = (), seconds: float = RUN_S
) -> Ran:
    """`codex exec` in `project` against the provider at `url`, its sandbox and the trust in hooks waived."""
    folder = home / ".codex"
    folder.mkdir(parents=True, exist_ok=True)
    provider = f'name = "fake"\nbase_url = {json.dumps(url + "/v1")}\nwire_api = "responses"\nenv_key = "FAKE_KEY"\n'
    (folder / "config.toml").write_text(
        f'model = "fake-1"\nmodel_provider = "fake"\n[model_providers.fake]\n{provider}supports_websockets = false\n',
        encoding="utf-8",
    )
    arguments = [
        "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox",
        "--json", *more, prompt,
    ]  # fmt: skip
    return _run(program, arguments, project, home, {"FAKE_KEY": "any", "CODEX_HOME": str(folder)}, seconds)


def _run(
    program: Path, arguments: Sequence[str], project: Path, home: Path, environment: Mapping[str, str], seconds: float
) -> Ran:
    home.mkdir(parents=True, exist_ok=True)
    # Not the caller's own keys and settings: nothing but the scripted provider may be reached.
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    done = subprocess.run(
        [program, *arguments],
        cwd=project,
        env={**kept, "HOME": str(home), **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=seconds,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode("utf-8", "replace"))


def mini_swe_agent(
    program: Path, prompt: str, *, url: str, project: Path, home: Path, more: Sequence[str] = (), seconds: float = RUN_S
) -> Ran:
    """`mini -y` in `project` against the provider at `url`; `home` holds its settings, as for the user who connected it."""
    environment = {
        "MSWEA_GLOBAL_CONFIG_DIR": str(home / "mini-swe-agent"), "MSWEA_CONFIGURED": "true", "MSWEA_COST_TRACKING": "ignore_errors",
        "OPENAI_API_BASE": f"{url}/v1", "OPENAI_API_KEY": "any", "LITELLM_LOCAL_MODEL_COST_MAP": "True", "COLUMNS": "400",
    }  # fmt: skip
    arguments = ["-y", "--exit-immediately", "-m", "openai/fake-1", "-t", prompt, *more]
    return _run(program, arguments, project, home, environment, seconds)


def mini_swe_agent_installed(folder: Path) -> Path:
    """mini-swe-agent's `mini` from the Python package index, in an environment of its own below `folder`. Raises NotHere."""
    place = folder / f"mini-swe-agent-{MINI_VERSION}"
    program = place / "bin" / "mini"
    if not program.exists():
        steps = ([sys.executable, "-m", "venv", str(place)],
                 [str(place / "bin" / "python"), "-m", "pip", "install", "-q", f"mini-swe-agent=={MINI_VERSION}"])  # fmt: skip
        try:
            for step in steps:
                subprocess.run(step, capture_output=True, text=True, timeout=INSTALL_S, check=True)
        except subprocess.SubprocessError as error:
            last = (str(getattr(error, "stderr", "") or "").strip().splitlines() or [type(error).__name__])[-1]
            raise NotHere(f"pip cannot install mini-swe-agent=={MINI_VERSION}: {last[:200]}") from error
    return program
