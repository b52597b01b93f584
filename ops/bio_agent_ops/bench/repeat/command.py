"""`bio-agent bench repeat`: the arms one after the other, and what came of them."""

from __future__ import annotations

import json
import signal
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from bio_agent_ops.bench.conditions import conditions, load
from bio_agent_ops.bench.repeat import hosts, scenarios, trial
from bio_agent_ops.bench.repeat.scenarios import CELLS, Again, Scenario
from bio_agent_ops.bench.repeat.trial import ArmResult, Plan
from bio_agent_ops.hosts_trial import drive
from bio_agent_ops.local import CommandError

AVOIDED_AT_LEAST = 0.80
WARNED_AT_MOST = 0.02


@dataclass(frozen=True)
class Asked:
    """What the command line asked for. limit: 0 for all."""

    host: str
    files: tuple[Path, ...]
    arms: tuple[str, ...]
    limit: int
    shift: int
    harmless: bool
    as_json: bool


def main(asked: Asked) -> int:
    """Measure and report. Exit code 0 also when a target is missed: the report says so. Raises CommandError."""
    before = load()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the service it started ends with it
    chosen, left_out = _scenarios(asked)
    program = None
    if asked.host != "direct":
        try:
            program = hosts.REAL[asked.host].installed(_programs())
        except drive.NotHere as why:
            raise CommandError(f"{asked.host}: {why}") from why
    with tempfile.TemporaryDirectory(prefix="bio-rep-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        under = conditions(
            folder, before, host=_version(asked.host), scenarios=len(chosen), left_out=left_out or "none",
            days_between=trial.DAYS, scenarios_of_a_session=trial.PER_SESSION, shift=asked.shift,
        )  # fmt: skip
        again = scenarios.assigned(chosen, asked.shift)
        harmless = trial.harmless_blocks() if asked.harmless else []
        plan = Plan(asked.host, program, again, harmless, folder, lambda line: click.echo(line, err=True))
        try:
            # Where a host cannot be wired with an arm, it runs in this process: what it avoids does not depend on the host.
            here = replace(plan, host="direct", program=None)
            results = [
                trial.run_arm(here if (asked.host, arm) in hosts.NOT_OFFERED else plan, arm) for arm in asked.arms
            ]
        except (hosts.HostError, RuntimeError) as error:
            raise CommandError(str(error)) from error
    under |= {"load_average_after": load()}
    if asked.as_json:
        click.echo(json.dumps(_as_json(under, results, plan.runs()), indent=2, ensure_ascii=False))
    else:
        _print(under, results, plan.runs())
    return 0


def _scenarios(asked: Asked) -> tuple[list[Scenario], str]:
    found: list[Scenario] = []
    left_out = []
    for file in asked.files or (scenarios.OWN,):
        try:
            read, refused = scenarios.read(file)
        except OSError as error:
            raise CommandError(f"cannot read {file}: {error.strerror}") from error
        left_out += [str(r) for r in refused]
        found += read
    chosen = []
    for one in found:
        if lacking := one.missing():
            left_out.append(f"{one.id} (no {lacking})")
        else:
            chosen.append(one)
    chosen = chosen[: asked.limit] if asked.limit else chosen
    if not chosen:
        raise CommandError("there is no scenario to run: " + ("; ".join(left_out) or "the files are empty"))
    return chosen, "; ".join(left_out)


def _programs() -> Path:
    return Path(tempfile.gettempdir()) / "bio-agent-hosts"


def _version(host: str) -> str:
    return f"{host} {hosts.REAL[host].package.version}" if host in hosts.REAL else "in this process, no host program"


# -------------------------------------------------------------------------------------------------------------- figures


def summary(result: ArmResult, again: Sequence[Again], plain: ArmResult | None) -> dict[str, Any]:
    """The figures of an arm. plain: the arm without a memory, against which time is measured."""
    cells = {}
    for cell in CELLS:
        mine = [o for o in result.outcomes if o.cell == str(cell)]
        if mine:
            cells[str(cell)] = {
                "runs": len(mine), "reached": sum(o.reached for o in mine),
                "not_tried" if cell.cause_gone else "avoided": sum(o.avoided for o in mine),
                "held_once": sum(o.held for o in mine), "blocked": sum(o.blocked for o in mine),
                "heeded": sum(bool(o.heeded) for o in mine),
            }  # fmt: skip
    present = [o for o in result.outcomes if o.cell.endswith("present")]
    gone = [o for o in result.outcomes if o.cell.endswith("gone")]
    turns = sum(turns for _, turns in result.memory_tokens)
    out: dict[str, Any] = {
        "failed_the_first_time": result.first_failed if result.arm != "none" else None,
        "cells": cells,
        "avoided": _share(sum(o.avoided for o in present), len(present)),
        "wrongly_blocked": sum(o.blocked for o in gone),
        "held_once_where_right": sum(o.held and not o.blocked for o in gone),
        "warning_heeded_where_right": sum(bool(o.heeded) for o in gone),
        "fixes_stopped": sum(o.fix_stopped for o in result.outcomes),
        "harmless": len(result.harmless),
        "harmless_stopped": sum(h.stopped for h in result.harmless),
        "harmless_warned": _share(sum(bool(h.told) for h in result.harmless), len(result.harmless)),
        "tokens_per_turn": round(sum(tokens for tokens, _ in result.memory_tokens) / max(1, turns), 1),
        "turns": result.turns,
        "seconds": result.seconds,
    }
    if result.gaps:
        out["ms_per_turn"] = round(statistics.median(result.gaps) * 1000, 1)
        if plain is not None and plain.gaps:
            out["added_ms_per_turn"] = round(out["ms_per_turn"] - statistics.median(plain.gaps) * 1000, 1)
    return out


def misses(result: ArmResult, again: Sequence[Again]) -> list[dict[str, str]]:
    """The runs in which the failure was repeated, each with its cause."""
    out = []
    for place, (outcome, one) in enumerate(zip(result.outcomes, again, strict=True)):
        why = trial.miss(outcome, one, trial.known_to(result, place))
        if why and not one.cell.cause_gone:
            out.append({"id": one.scenario.id, "name": one.scenario.name, "cell": outcome.cell, "cause": why})
    return out


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _as_json(under: dict[str, Any], results: Sequence[ArmResult], again: Sequence[Again]) -> dict[str, Any]:
    plain = next((r for r in results if r.arm == "none"), None)
    return {
        "bench": "repeat", "conditions": under,
        "targets": {"avoided": AVOIDED_AT_LEAST, "wrongly_blocked": 0, "harmless_stopped": 0, "harmless_warned": WARNED_AT_MOST},
        "arms": {r.arm: summary(r, again, plain) | {"misses": misses(r, again)} for r in results},
        "runs": [r.as_json() for r in results],
    }  # fmt: skip


def _print(under: dict[str, Any], results: Sequence[ArmResult], again: Sequence[Again]) -> None:
    click.echo("bench repeat")
    for name, value in under.items():
        click.echo(f"  {name.replace('_', ' '):<24} {value}")
    plain = next((r for r in results if r.arm == "none"), None)
    for result in results:
        found = summary(result, again, plain)
        click.echo(f"\n  {result.arm}  ({result.seconds:.0f} s)")
        click.echo(
            f"    {'':<34} {'runs':>5} {'goal':>5} {'avoided':>8} {'held once':>10} {'blocked':>8} {'heeded':>7}"
        )
        for name, cell in found["cells"].items():
            kept = cell.get("avoided", cell.get("not_tried"))
            click.echo(
                f"    {name:<34} {cell['runs']:>5} {cell['reached']:>5} {kept:>8} {cell['held_once']:>10}"
                f" {cell['blocked']:>8} {cell['heeded']:>7}"
            )
        judged = result.arm.startswith("bio")
        avoided, warned = found["avoided"] or 0.0, found["harmless_warned"] or 0.0
        stopped = found["harmless_stopped"]
        rows = [
            ("repeated failures avoided", _percent(found["avoided"]), f"≥ {AVOIDED_AT_LEAST:.0%}", avoided >= AVOIDED_AT_LEAST),
            ("right commands blocked", found["wrongly_blocked"], "0", found["wrongly_blocked"] == 0),
            ("harmless commands stopped", f"{stopped} of {found['harmless']}", "0", stopped == 0),
            ("harmless commands warned of", _percent(found["harmless_warned"]), f"≤ {WARNED_AT_MOST:.0%}", warned <= WARNED_AT_MOST),
        ]  # fmt: skip
        for name, value, target, met in rows:
            verdict = f"target {target:>6}  {'hit' if met else 'MISS'}" if judged else ""
            click.echo(f"    {name:<34} {value!s:>12}  {verdict}".rstrip())
        for name in ("failed_the_first_time", "held_once_where_right", "warning_heeded_where_right", "fixes_stopped",
                     "tokens_per_turn", "turns", "ms_per_turn", "added_ms_per_turn"):  # fmt: skip
            if found.get(name) is not None:
                click.echo(f"    {name.replace('_', ' '):<34} {found[name]!s:>12}")
        for cause, number in Counter(m["cause"] for m in misses(result, again)).most_common():
            named = ", ".join(m["name"] for m in misses(result, again) if m["cause"] == cause)
            click.echo(f"    {number} × {cause}: {named}")
    _print_cells(results, again)


def _print_cells(results: Sequence[ArmResult], again: Sequence[Again]) -> None:
    """The four cells of every arm beside each other."""
    click.echo(f"\n  {'':<34} " + " ".join(f"{r.arm:>16}" for r in results))
    for cell in CELLS:
        shown = []
        for result in results:
            found = summary(result, again, None)["cells"].get(str(cell))
            if found is None:
                shown.append("–")
            elif cell.cause_gone:
                shown.append(f"{found['blocked']}, {found['heeded']} of {found['runs']}")
            else:
                shown.append(f"{found['avoided']} of {found['runs']}")
        what = "blocked, heeded" if cell.cause_gone else "avoided"
        click.echo(f"  {cell!s:<34} " + " ".join(f"{one:>16}" for one in shown) + f"  {what}")


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.1%}"
