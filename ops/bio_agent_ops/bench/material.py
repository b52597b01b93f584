"""Observations to measure with: about 300 bytes each, varied as an agent's day is, the same for the same seed."""

from __future__ import annotations

import random
from typing import Any

_WORDS = (
    "order", "total", "branch", "module", "cache", "worker", "config", "invoice",
    "stock", "report", "parser", "session", "index", "query", "build", "login",
)  # fmt: skip
_COMMANDS = (
    "pytest tests/test_{w}.py -q", "git commit -m '{w} {n}'", "npm run build:{w}", "ls src/{w}", "python3 tools/{w}.py --limit {n}",
    "grep -rn '{w}' src", "make {w}", "docker compose up -d {w}", "git push origin feature/{w}-{n}", "cat src/{w}/main.py",
)  # fmt: skip


def observation(rng: random.Random, n: int, sessions: int = 8) -> dict[str, Any]:
    word, other = rng.choice(_WORDS), rng.choice(_WORDS)
    where = {"workspace": "bench", "agent": "bench", "session": f"s{rng.randrange(sessions)}", "source": "terminal"}
    filler = " ".join(rng.choice(_WORDS) for _ in range(5))
    kind = rng.random()
    if kind < 0.72:
        failed = rng.random() < 0.12
        said = f"{other}Error: cannot read {word} at line {n}" if failed else f"{n} {word} done"
        return where | {
            "kind": "tool", "tool": "Bash", "tool_input": {"command": rng.choice(_COMMANDS).format(w=word, n=n)},
            "content": f"{said}\n{filler}", "exit_code": int(failed), "duration_ms": n % 9000,
        }  # fmt: skip
    if kind < 0.88:
        return where | {
            "kind": "event",
            "content": f"{word} {n} confirmed: {filler}",
            "metadata": {"severity": "info", "event": f"{word}.confirmed"},
        }
    if kind < 0.95:
        return where | {"kind": "assistant", "content": f"I will look at {word} and {other} next. {filler}"}
    return where | {"kind": "user", "content": f"Please look at {word} {n} first. {filler}", "speaker": "bench"}


def observations(count: int, seed: int = 1, sessions: int = 8) -> list[dict[str, Any]]:
    rng = random.Random(seed)  # noqa: S311 - material, not a secret
    return [observation(rng, n, sessions) for n in range(count)]
