"""What `bench kitchen` reports of the episodes played."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import click

from bio_agent_ops.bench.kitchen_world import World

BLOCK = 20  # episodes of a row of the report
BACK_WITHIN = 10  # steps after the interruption in which an agent that is back at its task gains something
LOST_SHOWN = 8


@dataclass(slots=True)
class Played:
    """One episode. game: what tells it from others; first: not played before in this arm; new_goals: goals to be found out
    whose words no earlier episode had. repeated: failing acts that had failed before under a goal of the same words, things
    left out. returned: steps from the interruption's end to the next gain; None without one, -1 never."""

    seed: int
    game: str = ""
    first: bool = True
    new_goals: int = 0
    success: bool = False
    steps: int = 0
    guesses: int = 0
    failing: list[str] = field(default_factory=list)
    repeated: int = 0
    interrupted: bool = False
    returned: int | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Arm:
    """asked_s: how long each context took; cpu_s: processor time of the bench itself, intake included."""

    played: Sequence[Played]
    asked_s: Sequence[float]
    seconds: float
    cpu_s: float


def summary(played: Sequence[Played]) -> dict[str, Any]:
    back = [p.returned for p in played if p.returned is not None]
    steps = [p.steps for p in played]
    return {
        "episodes": len(played), "success": sum(p.success for p in played),
        "interrupted": len(back), "returned": sum(0 <= r <= BACK_WITHIN for r in back),
        "success_when_interrupted": sum(p.success for p in played if p.returned is not None),
        "failing_acts": sum(len(p.failing) for p in played), "repeated_failing_acts": sum(p.repeated for p in played),
        "guesses": sum(p.guesses for p in played), "mean_steps": round(sum(steps) / max(1, len(steps)), 1),
    }  # fmt: skip


def of_world(world: World, seeds: range, arms: Mapping[str, Arm]) -> dict[str, Any]:
    """What is reported of one world: the games first, then each arm."""
    games = Counter(p.game for p in next(iter(arms.values())).played)
    return {
        "parameters": world.parameters, "agent": world.rule, "steps_at_most": world.steps,
        "seeds": f"{seeds.start} to {seeds.stop - 1}", "interrupted_at_step": world.interrupted_at,
        "games": {"distinct": len(games), "episodes": len(seeds), "played_most_often": max(games.values())},
        "arms": {name: _of_arm(arm) for name, arm in arms.items()},
        "interrupted_in_every_arm": _interrupted(arms),
    }  # fmt: skip


def _of_arm(arm: Arm) -> dict[str, Any]:
    played = arm.played
    return {
        "seconds": round(arm.seconds, 1), "bench_cpu_s": round(arm.cpu_s, 1),
        "context_ms": {"median": _ms(arm.asked_s, 0.5), "p95": _ms(arm.asked_s, 0.95)} if arm.asked_s else None,
        "all": summary(played),
        "blocks": [summary(played[at : at + BLOCK]) for at in range(0, len(played), BLOCK)],
        "first_time_games": _share(p for p in played if p.first),
        "repeated_games": _share(p for p in played if not p.first),
        "with_a_goal_of_new_words": _share(p for p in played if p.new_goals),
        "with_known_goals_only": _share(p for p in played if not p.new_goals),
        "lost": [{"seed": p.seed, "why": p.why} for p in played if not p.success],
        "played": [asdict(p) for p in played],
    }  # fmt: skip


def _share(played: Iterable[Played]) -> dict[str, int]:
    given = list(played)
    return {"episodes": len(given), "success": sum(p.success for p in given)}


def _interrupted(arms: Mapping[str, Arm]) -> dict[str, Any]:
    """The same episodes in every arm: those that none of them had ended before the interruption was over."""
    by_seed = [{p.seed: p for p in arm.played if p.returned is not None} for arm in arms.values()]
    seeds = set(by_seed[0]).intersection(*by_seed)
    return {
        "episodes": len(seeds),
        "arms": {
            name: {key: told[key] for key in ("returned", "success")}
            for name, held in zip(arms, by_seed, strict=True)
            for told in [summary([held[s] for s in sorted(seeds)])]
        },
    }  # fmt: skip


def _ms(seconds: Sequence[float], share: float) -> float:
    return round(1000 * sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))], 1)


def show_world(name: str, found: Mapping[str, Any]) -> None:
    click.echo(f"bench kitchen: {name}")
    games = found["games"]
    for what, said in (
        ("world", found["parameters"]), ("agent", found["agent"]),
        ("episodes", f"seeds {found['seeds']}, at most {found['steps_at_most']} steps; interrupted before step "
                     f"{found['interrupted_at_step'] + 1}"),
        ("games", f"{games['distinct']} distinct in {games['episodes']} episodes, none more than "
                  f"{games['played_most_often']} time(s)"),
    ):  # fmt: skip
        click.echo(f"  {what:<10} {said}")
    for arm, told in found["arms"].items():
        context = f", context median {c['median']} ms, p95 {c['p95']} ms" if (c := told["context_ms"]) else ""
        click.echo(f"\n  {arm}: {told['seconds']} s{context}")
        click.echo(
            f"  {'episodes':>10} {'success':>8} {'back':>8} {'failing':>8} {'repeated':>9} {'guesses':>8} {'steps':>6}"
        )
        rows = [(f"{at * BLOCK + 1}-{at * BLOCK + b['episodes']}", b) for at, b in enumerate(told["blocks"])]
        for label, b in [*rows, ("all", told["all"])]:
            click.echo(
                f"  {label:>10} {b['success']:>8} {b['returned']:>3} of {b['interrupted']:<2} {b['failing_acts']:>7}"
                f" {b['repeated_failing_acts']:>9} {b['guesses']:>8} {b['mean_steps']:>6}"
            )
        for key in ("first_time_games", "repeated_games", "with_a_goal_of_new_words", "with_known_goals_only"):
            if (share := told[key])["episodes"]:
                click.echo(f"    {key.replace('_', ' '):<26} {share['success']} of {share['episodes']}")
        for case in told["lost"][-LOST_SHOWN:] if arm == "memory" else ():
            click.echo(f"    lost: seed {case['seed']}: {case['why']}")
    both = found["interrupted_in_every_arm"]
    click.echo(
        f"\n  interrupted in every arm: {both['episodes']} episodes; back at the task within {BACK_WITHIN} steps"
    )
    for arm, told in both["arms"].items():
        click.echo(f"    {arm:<8} back {told['returned']}, success {told['success']}")
    click.echo("")


def show(under: Mapping[str, Any], results: Mapping[str, Mapping[str, Any]], *, as_json: bool) -> None:
    """The conditions, after the worlds; or all of it as JSON."""
    if as_json:
        click.echo(json.dumps({"bench": "kitchen", "conditions": under, "worlds": results}, indent=2))
        return
    click.echo("conditions")
    for name, value in under.items():
        click.echo(f"  {name.replace('_', ' '):<24} {value}")
