#!/usr/bin/env python3
"""Run the product from a checkout: `python3 ops/start.py ARGS…` is `bio-agent ARGS…`, and `test` runs the tests.

Makes a virtual environment once, installs exactly what `ops/requirements.lock` lists (by hash) and the checkout itself,
then becomes the program asked for. Standard library only. Installs again only when the lock, `pyproject.toml` or the
Python version has changed; an installation that was interrupted is made anew.

Where the environment goes: BIO_AGENT_VENV if set, else `.venv` in the checkout if that is ours to write, else
`$XDG_CACHE_HOME/bio-agent/venv-<digest of the checkout's path>`.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

MINIMUM = (3, 11)
ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "ops" / "requirements.lock"
TEST_LOCK = ROOT / "ops" / "requirements-test.lock"
PYPROJECT = ROOT / "pyproject.toml"
# Written before anything is installed: says that the environment is ours to rebuild.
OURS = ".bio-agent-made-this"
# Written last: says what is completely installed.
DONE = ".bio-agent-installed"
LAYOUT = "1"


class StartError(Exception):
    """Cannot go on; the message says why and what to do."""


def say(text: str) -> None:
    print(f"bio-agent: {text}", file=sys.stderr, flush=True)


def check_python(version: tuple[int, ...] = sys.version_info[:2], platform: str = sys.platform) -> None:
    """Raise StartError on a Python or a system that cannot work."""
    if tuple(version) < MINIMUM:
        found = ".".join(str(part) for part in version)
        raise StartError(
            f"Python {MINIMUM[0]}.{MINIMUM[1]} or newer is needed, this is {found}; "
            "start it with a newer one, for example: python3.12 ops/start.py"
        )
    if platform == "win32":
        raise StartError("Windows is not supported directly; use WSL 2, or `docker compose up` with compose.yaml")


def digest(*parts: bytes | str) -> str:
    total = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()


def wanted(venv: Path, lock: Path) -> str:
    """Digest of everything an installation of `lock` in `venv` depends on."""
    version = f"{sys.implementation.name} {sys.version_info[0]}.{sys.version_info[1]}"
    return digest(LAYOUT, str(venv), str(ROOT), version, lock.read_bytes(), PYPROJECT.read_bytes())


def is_ours(folder: Path) -> bool:
    """May we write (and clear) this folder as an environment? One that someone else made is left alone."""
    if not folder.exists():
        return True
    return folder.is_dir() and os.access(folder, os.W_OK) and ((folder / OURS).exists() or not any(folder.iterdir()))


def choose_venv(environment: dict[str, str], root: Path = ROOT) -> Path:
    """The environment's folder, by the rules in this file's docstring."""
    asked = environment.get("BIO_AGENT_VENV")
    if asked:
        folder = Path(asked).expanduser().absolute()
        if not is_ours(folder):
            raise StartError(
                f"BIO_AGENT_VENV names {folder}, which this launcher did not make or cannot write; "
                "name a folder that does not exist yet"
            )
        return folder
    beside = root / ".venv"
    if os.access(root, os.W_OK) and root.stat().st_uid == os.geteuid() and is_ours(beside):
        return beside
    cache = environment.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(cache):
        home = environment.get("HOME", "")
        if not os.path.isabs(home):
            raise StartError("neither HOME nor XDG_CACHE_HOME is set; name a folder with BIO_AGENT_VENV")
        cache = os.path.join(home, ".cache")
    folder = Path(cache) / "bio-agent" / f"venv-{digest(str(root))[:16]}"
    if not is_ours(folder):
        raise StartError(f"{folder} is not ours to write; name another folder with BIO_AGENT_VENV")
    return folder


def installed(venv: Path) -> dict[str, str]:
    """Lock name → digest of what is completely installed; empty when the environment is absent or broken."""
    if not (venv / "bin" / "python").exists():
        return {}
    try:
        kept = json.loads((venv / DONE).read_text())
    except (OSError, ValueError):
        return {}
    return {str(name): str(value) for name, value in kept.items()} if isinstance(kept, dict) else {}


def working_uv() -> str | None:
    """The path of `uv`, if one is on PATH and runs (a version manager's stub may not)."""
    path = shutil.which("uv")
    if path is None:
        return None
    try:
        tried = subprocess.run([path, "--version"], capture_output=True, check=False)
    except OSError:
        return None
    return path if tried.returncode == 0 else None


def run(command: list[str]) -> None:
    """Run an installer. Settings that would install elsewhere are taken out of its environment; indexes stay."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in {"PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "VIRTUAL_ENV"}
    }
    environment["PIP_USER"] = "0"
    done = subprocess.run(command, check=False, env=environment, cwd=str(ROOT), stdout=sys.stderr)
    if done.returncode != 0:
        raise StartError(f"this failed with status {done.returncode}: {' '.join(command)}")


class Installer:
    """How environments are made and filled: by uv, or by venv and pip."""

    def __init__(self, uv: str | None) -> None:
        self.uv = uv
        self._outer_pip = False

    def make(self, venv: Path) -> None:
        """A new, empty environment; what was there before is removed."""
        shutil.rmtree(venv, ignore_errors=True)
        venv.mkdir(parents=True)
        (venv / OURS).write_text("Made by ops/start.py, which may remove and rebuild this folder.\n")
        if self.uv:
            run([self.uv, "venv", "--quiet", "--no-project", "--allow-existing", "--python", sys.executable, str(venv)])
        elif importlib.util.find_spec("ensurepip"):
            run([sys.executable, "-m", "venv", str(venv)])
        elif importlib.util.find_spec("pip"):
            self._outer_pip = True
            run([sys.executable, "-m", "venv", "--without-pip", str(venv)])
        else:
            name = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
            raise StartError(
                "this Python cannot make an environment with pip in it (the module ensurepip is missing); "
                f"install it (Debian, Ubuntu: apt install {name}), or install uv"
            )

    def _command(self, venv: Path) -> list[str]:
        python = str(venv / "bin" / "python")
        if self.uv:
            return [self.uv, "pip", "install", "--quiet", "--python", python]
        quiet = ["--disable-pip-version-check", "--no-input", "--quiet"]
        if self._outer_pip or not any(venv.glob("lib/python*/site-packages/pip")):
            return [sys.executable, "-m", "pip", "--python", python, "install", *quiet]
        return [python, "-m", "pip", "install", *quiet]

    def fill(self, venv: Path, lock: Path) -> None:
        """Install what `lock` lists, by hash, then the checkout itself in place."""
        run([*self._command(venv), "--require-hashes", "-r", str(lock)])
        run([*self._command(venv), "--no-deps", "--no-build-isolation", "-e", str(ROOT)])


def install(venv: Path, lock: Path, uv: str | None) -> None:
    """Bring `venv` to what `lock` says. Whatever interrupts it leaves an environment known to be incomplete."""
    kept = installed(venv)
    whole = bool(kept)
    with contextlib.suppress(FileNotFoundError):
        (venv / DONE).unlink()
    what = "the test environment" if lock == TEST_LOCK else "the environment"
    say(f"installing {what} in {venv} (only when something changed; about half a minute)")
    try:
        fill(Installer(uv), venv, lock, whole)
    except StartError as error:
        if uv is None:
            raise StartError(
                f"{error}\nIs the package index reachable? Running the same command again is safe"
            ) from None
        # uv does not read pip's configuration, where a private index may be set.
        say(f"uv could not do it, trying pip ({error})")
        fill(Installer(None), venv, lock, whole=False)
    names = [LOCK, TEST_LOCK] if lock == TEST_LOCK else [LOCK]
    draft = venv / (DONE + ".new")
    draft.write_text(json.dumps({name.name: wanted(venv, name) for name in names}))
    draft.replace(venv / DONE)


def fill(installer: Installer, venv: Path, lock: Path, whole: bool) -> None:
    """Install into `venv`, made anew unless it is `whole` and belongs to this Python."""
    config = venv / "pyvenv.cfg"
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if not whole or not (venv / "lib" / f"python{version}").is_dir() or not config.exists():
        installer.make(venv)
    installer.fill(venv, lock)


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Keep other runs of this launcher on the same checkout out. The lock needs no file of its own."""
    import fcntl

    with LOCK.open("rb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another installation of this checkout")
            fcntl.flock(stream, fcntl.LOCK_EX)
        except OSError:
            # Some network file systems lock only files open for writing.
            pass
        yield


def ensure(venv: Path, lock: Path) -> None:
    with alone():
        if installed(venv).get(lock.name) != wanted(venv, lock):
            install(venv, lock, working_uv())


def command_line(venv: Path, arguments: list[str]) -> list[str]:
    """What to become. The script is run through Python, since its first line breaks on very long paths."""
    python = str(venv / "bin" / "python")
    if arguments[:1] == ["test"]:
        quiet = [] if os.access(ROOT, os.W_OK) else ["-p", "no:cacheprovider"]
        # Three processes on any machine: most of the time is waiting for servers; a later `-n 0` of the user's wins.
        return [python, "-m", "pytest", "-n", "3", "--dist", "worksteal", *quiet, *arguments[1:]]
    return [python, str(venv / "bin" / "bio-agent"), *arguments]


def main(arguments: list[str]) -> int:
    try:
        check_python()
        venv = choose_venv(dict(os.environ))
        testing = arguments[:1] == ["test"]
        try:
            ensure(venv, TEST_LOCK if testing else LOCK)
        except OSError as error:
            raise StartError(f"cannot install in {venv}: {error}; name another folder with BIO_AGENT_VENV") from None
        if testing:
            os.chdir(ROOT)
        command = command_line(venv, arguments)
        sys.stderr.flush()
        os.execv(command[0], command)  # noqa: S606 - no shell on purpose
    except StartError as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("interrupted; running the same command again is safe")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
