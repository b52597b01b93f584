"""`bio-agent bench kitchen`: a long-lived agent in a kitchen it does not know, with this memory and without.

The same scripted agent plays the same episodes in the same order in three arms: `none` (the window alone), `session`
(working state, but every episode in a workspace of its own: nothing carries over) and `memory` (one workspace throughout).
Every fourth episode is interrupted half way by something else that fills the window. The memory is the whole product: HTTP
face, stream, intake, Postgres. No sleep is run: what an act came to is counted as intake reads it.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import click

from bio_agent_client.client import Memory
from bio_agent_client.transport import Away
from bio_agent_ops.bench import kitchen_agent as agent
from bio_agent_ops.bench.conditions import conditions, load
from bio_agent_ops.bench.ingest import wait_for_health
from bio_agent_ops.bench.kitchen_agent import Choice, Seen
from bio_agent_ops.bench.kitchen_world import PARAMETERS, STEPS, TASK, Missing, Step, World, snapshot
from bio_agent_ops.bench.own import Own, default_settings, end, own_stack
from bio_agent_ops.local import free_port
from bio_agent_schema.db import Database
from bio_agent_workers.intake import Intake, connect

EPISODES = 200
BLOCK = 20  # episodes of a row of the report
ARMS = ("none", "session", "memory")
INTERRUPTED_EVERY = 4  # the 4th, 8th … episode
INTERRUPTED_AT = 14  # step before which the interruption comes
ERRAND = "look over the furniture"
ERRAND_STEPS = 6  # more than the window holds
BACK_WITHIN = 10  # steps after the interruption in which an agent that is back at its task gains something
LOST_SHOWN = 12
ANSWERS_WITHIN_S = 120.0
STARTS_WITHIN_S = 240.0  # the HTTP face, on a machine that is busy


@dataclass(slots=True)
class Played:
    """One episode. repeated: failing acts that had failed in an earlier episode under a goal of the same words, things
    left out. returned: steps from the interruption's end to the next gain; None without interruption, -1 never."""

    seed: int
    success: bool = False
    steps: int = 0
    guesses: int = 0
    failing: list[str] = field(default_factory=list)
    repeated: int = 0
    interrupted: bool = False
    returned: int | None = None
    why: str = ""


class Link:
    """The memory as the agent has it: observations over HTTP, read by intake at once so that the figures are the same
    on every machine; the context over HTTP."""

    def __init__(self, port: int, intake: Intake, workspace: str, session: str) -> None:
        self._memory = Memory(
            f"http://127.0.0.1:{port}",
            workspace=workspace,
            agent="cook",
            session=session,
            read_timeout_s=ANSWERS_WITHIN_S,
        )
        self._intake, self._session, self._told = intake, session, 0
        self.asked_s: list[float] = []

    def observe(self, *observations: dict[str, Any]) -> None:
        for o in observations:
            self._told += 1
            o["id"] = f"{self._session}:{self._told}"
        until = time.monotonic() + ANSWERS_WITHIN_S
        while True:  # a service that does not answer in time is asked again; the ids make that harmless
            try:
                self._memory.publish(observations)
                break
            except Away:
                if time.monotonic() > until:
                    raise
        while not self._intake.run_once(block_ms=1).read:
            pass

    def context(self) -> str:
        began = time.perf_counter()
        text = str(self._memory.context()["text"])
        self.asked_s.append(time.perf_counter() - began)
        return text

    def begin(self) -> None:
        self._memory.push_task(TASK)

    def goals(self, goals: Sequence[str]) -> None:
        for goal in goals:
            self._memory.set_goal(goal)

    def interrupt(self) -> None:
        self._memory.interrupt_task(ERRAND)

    def resume(self) -> None:
        self._memory.resume_task()

    def close(self) -> None:
        self._memory.close()


def tell(link: Link, step: Step, goal: str) -> None:
    """What a host observes of one step."""
    said: list[dict[str, Any]] = [{
        "kind": "tool", "tool": "cookingworld", "tool_input": {"action": step.action}, "content": step.text or "(nothing)",
        "is_error": step.failed, "goal": goal,
    }]  # fmt: skip
    if seen := snapshot(step):
        said.append({"kind": "state", "content": step.text or "(nothing)", "metadata": seen})
    if goal and (step.gained or step.failed):
        said.append({"kind": "outcome", "content": "the score rose" if step.gained else "it failed", "goal": goal,
                     "is_error": not step.gained})  # fmt: skip
    if step.over:
        said.append({"kind": "outcome", "content": "the meal is eaten" if step.success else "no meal", "task": TASK,
                     "is_error": not step.success})  # fmt: skip
    link.observe(*said)


def play(
    world: World, seed: int, link: Link | None, rng: random.Random, past: Counter[str], interrupted: bool
) -> Played:
    """One episode. past: failing acts of earlier episodes, added to."""
    step = world.reset(seed)
    played = Played(seed, interrupted=interrupted)
    window: deque[Seen] = deque([Seen("", step.text)], maxlen=agent.WINDOW)
    things: list[str] = []
    noted = False
    if link:
        link.begin()
        if seen := snapshot(step):
            link.observe({"kind": "state", "content": step.text, "metadata": seen})
    left, over_errand = 0, 0
    while not step.over and played.steps < STEPS:
        if interrupted and played.steps == INTERRUPTED_AT:
            left = ERRAND_STEPS
            if link:
                link.interrupt()
        if left:
            looks = [a for a in step.valid if a.startswith("examine ")] or ["look around"]
            choice = Choice(rng.choice(looks))
        else:
            choice = agent.choose(link.context() if link else "", window, step.valid, rng)
        step = world.step(choice.action, step.valid)
        played.steps += 1
        played.guesses += choice.guessed
        window.append(Seen(step.action, step.text))
        if found := agent.recipe(step.text):
            things = [g.removeprefix("take ") for g in found if g.startswith("take ")]
            if link and not noted:
                link.goals(found)
                noted = True
        if step.failed:
            key = _without(things, f"{choice.goal} | {choice.action}")
            played.failing.append(f"{choice.goal} | {choice.action}")
            played.repeated += past[key] > 0
            past[key] += 1
        if link:
            tell(link, step, choice.goal)
        if left:
            left -= 1
            if not left:
                over_errand, played.returned = played.steps, -1
                if link:
                    link.resume()
        elif step.gained and played.returned == -1:
            played.returned = played.steps - over_errand
    played.success = step.success
    if not step.success:
        played.why = (
            played.failing[-1] if step.failed and played.failing else f"{played.steps} steps spent at {choice.goal!r}"
        )
    if link and not step.over:
        link.observe({"kind": "outcome", "content": "no steps left", "task": TASK, "is_error": True})
    return played


def _without(things: Sequence[str], said: str) -> str:
    for thing in sorted(things, key=len, reverse=True):
        said = said.replace(thing, "…")
    return said


def run(own: Own, port: int, arm: str, episodes: int) -> tuple[list[Played], list[float]]:
    """One arm: its episodes, and how long each context took (s)."""
    world = World()
    settings = default_settings(own.folder / "home", own.database_url, own.redis_url)
    db = Database(own.database_url)
    intake = Intake(db, connect(own.redis_url), settings)
    past: Counter[str] = Counter()
    done: list[Played] = []
    asked: list[float] = []
    try:
        for seed in range(episodes):
            workspace = "kitchen" if arm == "memory" else f"kitchen-{seed}"
            link = Link(port, intake, workspace, f"{arm}-{seed}") if arm != "none" else None
            rng = random.Random(seed)  # noqa: S311 - the same guesses in every arm, no secret
            done.append(play(world, seed, link, rng, past, seed % INTERRUPTED_EVERY == INTERRUPTED_EVERY - 1))
            if link:
                asked += link.asked_s
                link.close()
    finally:
        intake.release()
        db.close()
        world.close()
    return done, asked


def summary(played: Sequence[Played]) -> dict[str, Any]:
    back = [p.returned for p in played if p.returned is not None]
    steps = [p.steps for p in played]
    return {
        "episodes": len(played), "success": sum(p.success for p in played),
        "interrupted": len(back), "returned": sum(0 <= r <= BACK_WITHIN for r in back),
        "success_when_interrupted": sum(p.success for p in played if p.interrupted),
        "failing_acts": sum(len(p.failing) for p in played), "repeated_failing_acts": sum(p.repeated for p in played),
        "guesses": sum(p.guesses for p in played), "mean_steps": round(sum(steps) / max(1, len(steps)), 1),
    }  # fmt: skip


def command(more: Sequence[str], *, as_json: bool) -> int:
    """`bench kitchen [EPISODES]`. Raises click.UsageError for anything else."""
    if len(more) > 1 or not all(m.isascii() and m.isdigit() and 0 < int(m) <= 10_000 for m in more):
        raise click.UsageError(f"bench kitchen takes one number, of episodes: {EPISODES} when it is left out")
    return main(as_json=as_json, episodes=int(more[0]) if more else EPISODES)


def main(*, as_json: bool, episodes: int = EPISODES, arms: Sequence[str] = ARMS) -> int:
    """Play and report. Exit code 2 when the game is not there."""
    before = load()
    try:
        World().close()
    except Missing as missing:
        click.echo(str(missing), err=True)
        return 2
    results: dict[str, Any] = {}
    with own_stack() as own:
        port = free_port()
        server = own.start([sys.executable, "-m", "bio_agent_ops.http"], BIO_AGENT_PORT=str(port))
        try:
            wait_for_health(port, lambda: server.poll() is None, STARTS_WITHIN_S)
            under = conditions(
                own.folder, before, **own.servers(), world=f"cookingworld {PARAMETERS}", steps_at_most=STEPS,
                seeds=f"0 to {episodes - 1}", window=agent.WINDOW, interrupted=f"every {INTERRUPTED_EVERY}th at step {INTERRUPTED_AT}",
            )  # fmt: skip
            for arm in arms:
                began = time.perf_counter()
                played, asked = run(own, port, arm, episodes)
                results[arm] = {
                    "seconds": round(time.perf_counter() - began, 1),
                    "context_ms": {"median": _ms(asked, 0.5), "p95": _ms(asked, 0.95)} if asked else None,
                    "all": summary(played),
                    "blocks": [summary(played[at : at + BLOCK]) for at in range(0, len(played), BLOCK)],
                    "lost": [{"seed": p.seed, "why": p.why} for p in played if not p.success],
                    "played": [asdict(p) for p in played] if as_json else [],
                }  # fmt: skip
        finally:
            end(server)
    under["load_average_after"] = load()
    if as_json:
        click.echo(json.dumps({"bench": "kitchen", "conditions": under, "arms": results}, indent=2))
    else:
        _report(under, results)
    return 0


def _ms(seconds: Sequence[float], share: float) -> float:
    return round(1000 * sorted(seconds)[min(len(seconds) - 1, int(share * len(seconds)))], 1)


def _report(under: dict[str, Any], results: dict[str, Any]) -> None:
    click.echo("bench kitchen")
    for name, value in under.items():
        click.echo(f"  {name.replace('_', ' '):<24} {value}")
    for arm, found in results.items():
        click.echo(f"\n  {arm}: {found['seconds']} s, context {found['context_ms']}")
        click.echo(
            f"  {'episodes':>10} {'success':>8} {'back':>8} {'failing':>8} {'repeated':>9} {'guesses':>8} {'steps':>6}"
        )
        rows = [(f"{at * BLOCK + 1}-{at * BLOCK + b['episodes']}", b) for at, b in enumerate(found["blocks"])]
        for name, b in [*rows, ("all", found["all"])]:
            click.echo(
                f"  {name:>10} {b['success']:>8} {b['returned']:>3} of {b['interrupted']:<2} {b['failing_acts']:>7}"
                f" {b['repeated_failing_acts']:>9} {b['guesses']:>8} {b['mean_steps']:>6}"
            )
        for case in found["lost"][-LOST_SHOWN:] if arm == "memory" else ():
            click.echo(f"    lost: seed {case['seed']}: {case['why']}")
