"""A session of a real host with the memory, as it runs: `python -m bio_agent_ops.hosts_trial.record HOST [FOLDER]`.

Prints what a terminal would show, and in between what the scripted model was shown, in the form in which `ops/hosts` quotes
it: a failure, what fixed it, a rule of the owner's, a sleep, the next session. Nothing of the user's is touched; FOLDER keeps
the installed hosts.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import bio_agent_client
from bio_agent_ops.home import Home
from bio_agent_ops.hosts_trial import drive, openclaw
from bio_agent_ops.hosts_trial.fake_provider import Asked, Policy, Provider, commands, serving
from bio_agent_ops.local import Api, free_port, service

FAILS, WORKS = "python3 tools/report.py", "PYTHONPATH=src python3 tools/report.py"
FIRST = "Run the report. From now on never run touch in this repository."
SECOND = "Run the report again and make a mark."
SHOWN = 20  # lines of a change to somebody's settings
ENDED_S = 20.0  # for what a session observed to have arrived
_OURS = re.compile(r"<bio-(?:memory|recall)-.*?</bio-(?:memory|recall)-\w+>|^.*\[bio-memory\].*$", re.S | re.M)
_BLANK = re.compile(r"\n\s*\n+")

Run = Callable[[str, Sequence[str]], drive.Ran]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a recording happens: the user's home directory, the project, the folder of programs on the PATH."""

    user: Path
    project: Path
    programs: Path
    environment: dict[str, str]

    def shown(self, text: str) -> str:
        """A text with its paths shortened as a reader would know them."""
        python, package = Path(sys.executable).parent, Path(bio_agent_client.__file__).parents[1]
        known = (
            (self.project, "~/shop"),
            (self.user, "~"),
            (self.programs, "…/bin"),
            (python, "…/bin"),
            (package, "…"),
        )
        for path, short in known:
            text = text.replace(str(path), short)
        return text

    def say(self, text: str) -> None:
        print(_BLANK.sub("\n", self.shown(text)).strip("\n"))

    def command(self, *argv: str) -> None:
        """A command of ours, with its output."""
        done = subprocess.run(
            [sys.executable, "-m", "bio_agent_ops.cli", *argv], cwd=self.project, env=self.environment, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.say(f"$ bio-agent {shlex.join(argv)}")
        self.say(_without_diff(done.stdout))
        print()


def _without_diff(text: str) -> str:
    """A text in which a long change is not shown whole."""
    lines = text.splitlines()
    changed = [line.startswith(("+", "-", "@@", " ")) for line in lines]
    if sum(changed) <= SHOWN:
        return text
    first = changed.index(True)
    return "\n".join(
        [*lines[: first + 2], "…", *(line for line, of in zip(lines[first:], changed[first:], strict=True) if not of)]
    )


@contextmanager
def _place(folder: Path) -> Iterator[Place]:
    user, programs = folder / "home", folder / "bin"
    project = user / "shop"
    for made in (programs, project / "tools", project / "src" / "stockbook"):
        made.mkdir(parents=True)
    (project / "tools" / "report.py").write_text("import stockbook\nprint(sum(stockbook.ENTRIES))\n")
    (project / "src" / "stockbook" / "__init__.py").write_text("ENTRIES = (12, 40, 7)\n")
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    kept = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
    path = os.pathsep.join([str(programs), "/usr/local/bin", "/usr/bin", "/bin"])
    yield Place(user, project, programs, {**kept, "HOME": str(user), "PATH": path})


def _linked(place: Place, program: Path) -> None:
    (place.programs / program.name).symlink_to(program)


@contextmanager
def _hooked(
    host: str, place: Place, provider: Provider, folder: Path
) -> Iterator[tuple[str, Run, Callable[..., Policy]]]:
    package, run, tool, argument, line = {
        "claude-code": (drive.CLAUDE_CODE, drive.claude_code, "Bash", "command", "claude -p {} --allowedTools Bash"),
        "codex": (drive.CODEX, drive.codex, "exec_command", "cmd", "codex exec --dangerously-bypass-hook-trust … {}"),
    }[host]
    program = drive.installed(package, folder)
    _linked(place, program)
    yield (
        line,
        lambda said, _: run(program, said, url=provider.url, project=place.project, home=place.user),
        lambda lines: commands(tool, lines, argument=argument),
    )


@contextmanager
def _mini(place: Place, provider: Provider, folder: Path) -> Iterator[tuple[str, Run, Callable[..., Policy]]]:
    program = drive.mini_swe_agent_installed(folder)
    _linked(place, program)
    place.environment["MSWEA_GLOBAL_CONFIG_DIR"] = str(place.user / "mini-swe-agent")
    submit = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
    yield (
        "mini -y --exit-immediately -t {}",
        lambda said, _: drive.mini_swe_agent(program, said, url=provider.url, project=place.project, home=place.user),
        lambda lines: commands("bash", [*lines, submit]),
    )


@contextmanager
def _openclaw(place: Place, provider: Provider, folder: Path) -> Iterator[tuple[str, Run, Callable[..., Policy]]]:
    program = openclaw.installed(folder)
    host = openclaw.OpenClaw(
        program, place.user / ".openclaw", openclaw.settings(provider.url, place.project, free_port())
    )
    script = place.programs / "openclaw"
    script.write_text(f'#!/bin/sh\nexec {program.node} {program.script} "$@"\n')
    script.chmod(0o755)
    place.environment.update({**host.environment, "PATH": place.environment["PATH"], "HOME": str(place.user)})

    def run(said: str, _: Sequence[str]) -> drive.Ran:
        with host.gateway():
            return host.turn("recorded" + str(len(said)), said)

    yield "openclaw agent --agent main --message {}", run, openclaw.policy


def record(host: str, folder: Path) -> None:
    """Prints the session. Raises NotHere when the host cannot be had."""
    with (
        tempfile.TemporaryDirectory(prefix="bio-record-") as made,
        _place(Path(made).resolve()) as place,
        serving(commands("none", [])) as provider,
    ):
        way = (
            _openclaw(place, provider, folder) if host == "openclaw"
            else _mini(place, provider, folder) if host == "swe-agent" else _hooked(host, place, provider, folder)
        )  # fmt: skip
        with (
            way as (line, run, policy),
            service(Home(place.user / ".bio-agent"), free_port(), say=lambda _: None) as api,
        ):
            owner = ["--prompts", "owner"] if host == "swe-agent" else []
            place.command("connect", host, "--yes", *owner)

            def session(said: str, lines: Sequence[str]) -> None:
                provider.policy = policy(lines)
                provider.asked.clear()
                ran = run(said, lines)
                place.say("$ " + line.format(shlex.quote(said)))
                if ran.exit_code:
                    place.say(ran.output)
                block = str(api.call("GET", "/api/persona", workspace="shop").get("block") or "")
                _told(place, [a for a in provider.asked if a.tools], lines, block)
                print()

            session(FIRST, [FAILS, WORKS])
            _arrived(api)
            place.command("sleep")
            place.command("rules")
            session(SECOND, [FAILS, FAILS, "touch left-behind"])
            made_it = (place.project / "left-behind").exists()
            place.say(
                f"$ ls left-behind\n{'left-behind' if made_it else 'ls: left-behind: No such file or directory'}\n"
            )
            place.command("doctor")
            place.command("connect", host, "--undo", "--yes")


def _told(place: Place, asked: Sequence[Asked], lines: Sequence[str], shown: str) -> None:
    """What the model was shown in a session: of all but the tools' results only what the memory put there. shown: the
    block of rules that stands above already."""
    done = iter(lines)
    for role, text in asked[-1].said if asked else ():
        if role == "tool":
            place.say(f"[{role}: {next(done, '')}] {text}")
            continue
        for found in _OURS.finditer(text):
            block = found.group()
            again = block.startswith("<bio-memory-") and block in shown
            place.say(f"[{role}] {block.splitlines()[0]} …" if again else f"[{role}] {block}")


def _arrived(api: Api) -> None:
    import time

    end = time.monotonic() + ENDED_S
    while time.monotonic() < end:
        seen = api.call("GET", "/api/episodes", limit=1000)
        if any("session ended" in e["text"] or "exit_status" in e["text"] for e in seen):
            return
        time.sleep(0.2)


def main(argv: Sequence[str]) -> int:
    hosts = ("claude-code", "codex", "openclaw", "swe-agent")
    if not argv or argv[0] not in hosts:
        print(f"usage: python -m bio_agent_ops.hosts_trial.record {{{','.join(hosts)}}} [FOLDER]", file=sys.stderr)
        return 2
    folder = Path(argv[1] if len(argv) > 1 else Path(tempfile.gettempdir()) / "bio-agent-hosts")
    try:
        record(argv[0], folder)
    except drive.NotHere as why:
        print(f"{argv[0]} cannot be recorded here: {why}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main(sys.argv[1:]))
