"""`bio-agent bench up`: how long until `/api/health` answers after `bio-agent up`, on a fresh home and on a used one."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from bio_agent_ops.bench.conditions import Figure, conditions, load, report
from bio_agent_ops.bench.ingest import wait_for_health
from bio_agent_ops.bench.own import end, plain_environment, temporary
from bio_agent_ops.local import free_port

RUNS = 3
GIVES_UP_S = 120.0


def main(*, as_json: bool) -> int:
    """Measure and report. Exit code 0 also when a target is missed: the report says so."""
    before = load()
    fresh, warm = [], []
    with temporary() as folder:
        under = conditions(
            folder, before, note="program files were read before: the first start of a machine is slower"
        )
        for number in range(RUNS):
            home = folder / f"home-{number}"
            fresh.append(seconds_to_health(home, folder))
            warm.append(seconds_to_health(home, folder))
    figures = [
        Figure("up on a fresh home, until health answers", tuple(fresh), "s", 15, at_least=False),
        Figure("up on a used home, until health answers", tuple(warm), "s", 5, at_least=False),
    ]
    report("up", under, figures, as_json=as_json)
    return 0


def seconds_to_health(home: Path, folder: Path) -> float:
    """Start it as a person would, wait for a good answer, end it again. Raises RuntimeError with the log's end."""
    port, log = free_port(), folder / "up.log"
    argv = [sys.executable, "-m", "bio_agent_ops.cli", "--home", str(home), "up", "--port", str(port)]
    with log.open("wb") as out:
        began = time.perf_counter()
        process = subprocess.Popen(
            argv, env=plain_environment(), cwd=folder, stdout=out, stderr=out, stdin=subprocess.DEVNULL
        )
        try:
            wait_for_health(port, lambda: process.poll() is None, GIVES_UP_S)
            return time.perf_counter() - began
        except RuntimeError as error:
            raise RuntimeError(f"{error}; the log ends with:\n{log.read_text(errors='replace')[-1500:]}") from None
        finally:
            end(process)
