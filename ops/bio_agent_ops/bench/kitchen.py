"""`bio-agent bench kitchen`: a long-lived agent in worlds that others wrote, with this memory and without.

The same scripted agent plays the same episodes in the same order in each arm: `none` (the window alone), `memory` (one
workspace throughout) and, when asked for, `session` (working state, but every episode in a workspace of its own: nothing
carries over). Every fourth episode is interrupted half way by something else that fills the window. The memory is the
whole product: HTTP face, stream, intake, Postgres. No sleep is run: what an act came to is counted as intake reads it.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import click

from bio_agent_client.client import Memory
from bio_agent_client.transport import Away
from bio_agent_ops.bench import kitchen_report
from bio_agent_ops.bench.conditions import conditions, load
from bio_agent_ops.bench.ingest import wait_for_health
from bio_agent_ops.bench.kitchen_agent import WINDOW, Choice, Seen
from bio_agent_ops.bench.kitchen_report import Played
from bio_agent_ops.bench.kitchen_world import EPISODES, WORLDS, Missing, Step, World
from bio_agent_ops.bench.own import Own, default_settings, end, own_stack
from bio_agent_ops.local import free_port
from bio_agent_schema.db import Database
from bio_agent_workers.intake import Intake, connect

_USUAL = ", ".join(f"{number} of {name}" for name, number in EPISODES.items())
ARMS = ("none", "session", "memory")
USUAL_ARMS = ("none", "memory")
INTERRUPTED_EVERY = 4  # the 4th, 8th … episode
ERRAND = "look over the furniture"
ERRAND_STEPS = 6  # more than the window holds
ANSWERS_WITHIN_S = 120.0
STARTS_WITHIN_S = 240.0  # the HTTP face, on a machine that is busy


class Link:
    """The memory as the agent has it: observations over HTTP, read by intake at once so that the figures are the same
    on every machine; the context over HTTP."""

    def __init__(self, port: int, intake: Intake, workspace: str, session: str) -> None:
        self._memory = Memory(
            f"http://127.0.0.1:{port}",
            workspace=workspace,
            agent="player",
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

    def begin(self, task: str) -> None:
        self._memory.push_task(task)

    def goals(self, goals: Sequence[str]) -> None:
        for goal in goals:
            self._memory.set_goal(goal)

    def interrupt(self) -> None:
        self._memory.interrupt_task(ERRAND)

    def resume(self) -> None:
        self._memory.resume_task()

    def close(self) -> None:
        self._memory.close()


def tell(link: Link, world: World, step: Step, choice: Choice) -> None:
    """What a host observes of one step."""
    content, goal = step.text or "(nothing)", choice.goal
    said: list[dict[str, Any]] = [{
        "kind": "tool", "tool": world.tool, "tool_input": {"action": step.action}, "content": content,
        "is_error": step.failed, "goal": goal,
    }]  # fmt: skip
    if seen := world.snapshot(step):
        said.append({"kind": "state", "content": content, "metadata": dict(seen)})
    if goal and ((step.gained and choice.aims) or step.failed):
        said.append({"kind": "outcome", "content": "it failed" if step.failed else "the score rose", "goal": goal,
                     "is_error": step.failed})  # fmt: skip
    if step.over:
        said.append({"kind": "outcome", "content": "all is done" if step.success else "it is lost", "task": world.task,
                     "is_error": not step.success})  # fmt: skip
    link.observe(*said)


@dataclass(slots=True)
class Past:
    """What earlier episodes of an arm held. failing: acts that failed, things left out; goals: their words; games."""

    failing: Counter[str] = field(default_factory=Counter)
    goals: set[str] = field(default_factory=set)
    games: set[str] = field(default_factory=set)


def play(
    world: World, seed: int, link: Link | None, rng: random.Random, past: Past, interrupted: bool
) -> Played:  # fmt: skip
    """One episode. past: added to."""
    step = world.reset(seed)
    played = Played(seed, game=world.game(), first=world.game() not in past.games, interrupted=interrupted)
    past.games.add(played.game)
    window: deque[Seen] = deque([Seen("", step.text)], maxlen=WINDOW)
    goals: list[str] = []
    if link:
        link.begin(world.task)
        if seen := world.snapshot(step):
            link.observe({"kind": "state", "content": step.text, "metadata": dict(seen)})
    left, over_errand = 0, 0
    while not step.over and played.steps < world.steps:
        if interrupted and played.steps == world.interrupted_at:
            left = ERRAND_STEPS
            if link:
                link.interrupt()
        if left:
            choice = Choice(world.idle(step.valid, rng))
        else:
            choice = world.choose(link.context() if link else "", tuple(window), step.valid, rng)
        step = world.step(choice.action)
        played.steps += 1
        played.guesses += choice.guessed
        window.append(Seen(step.action, step.text, step.gained))
        if not goals and (goals := world.goals(step.text)):
            played.new_goals = sum(world.to_find_out(g) and g not in past.goals for g in goals)
            if link:
                link.goals(goals)
        if step.failed:
            key = _without([g[5:] for g in goals if g.startswith("take ")], f"{choice.goal} | {choice.action}")
            played.failing.append(f"{choice.goal} | {choice.action}")
            played.repeated += past.failing[key] > 0
            past.failing[key] += 1
        if link:
            tell(link, world, step, choice)
        if left:
            left -= 1
            if not left:
                over_errand, played.returned = played.steps, -1
                if link:
                    link.resume()
        elif step.gained and played.returned == -1:
            played.returned = played.steps - over_errand
    past.goals.update(goals)
    played.success = step.success
    if not step.success:
        spent = f"{played.steps} steps spent at {choice.goal!r}"
        played.why = played.failing[-1] if step.failed and played.failing else spent
    if link and not step.over:
        link.observe({"kind": "outcome", "content": "no steps left", "task": world.task, "is_error": True})
    return played


def _without(things: Sequence[str], said: str) -> str:
    for thing in sorted(things, key=len, reverse=True):
        said = said.replace(thing, "…")
    return said


def run(own: Own, port: int, name: str, arm: str, seeds: range) -> tuple[list[Played], list[float]]:
    """One arm in one world: its episodes, and how long each context took (s)."""
    world = WORLDS[name]()
    settings = default_settings(own.folder / "home", own.database_url, own.redis_url)
    db = Database(own.database_url)
    intake = Intake(db, connect(own.redis_url), settings)
    past, done, asked = Past(), list[Played](), list[float]()
    try:
        for number, seed in enumerate(seeds):
            workspace = name if arm == "memory" else f"{name}-{seed}"
            link = Link(port, intake, workspace, f"{name}-{arm}-{seed}") if arm != "none" else None
            rng = random.Random(seed)  # noqa: S311 - the same guesses in every arm, no secret
            done.append(play(world, seed, link, rng, past, number % INTERRUPTED_EVERY == INTERRUPTED_EVERY - 1))
            if link:
                asked += link.asked_s
                link.close()
            if len(done) % kitchen_report.BLOCK == 0:
                won = sum(p.success for p in done[-kitchen_report.BLOCK :])
                click.echo(
                    f"{name}, {arm}: {len(done)} of {len(seeds)} episodes, {won} of the newest block won", err=True
                )
    finally:
        intake.release()
        db.close()
        world.close()
    return done, asked


@click.command("kitchen")
@click.option(
    "--world", "worlds", multiple=True, type=click.Choice([*WORLDS]), help="May be given twice.  [default: all]"
)
@click.option("--episodes", type=click.IntRange(1, 500), default=None, help=f"Of each world.  [default: {_USUAL}]")
@click.option(
    "--seed",
    type=click.IntRange(0, 1_000_000),
    default=0,
    show_default=True,
    help="Of the first episode; each next one's is one higher.",
)
@click.option(
    "--arm",
    "arms",
    multiple=True,
    type=click.Choice(ARMS),
    help=f"May be given several times.  [default: {', '.join(USUAL_ARMS)}]",
)
@click.option("--json", "as_json", is_flag=True, help="Every episode too.")
def kitchen(worlds: tuple[str, ...], episodes: int | None, seed: int, arms: tuple[str, ...], as_json: bool) -> None:
    """A scripted agent in worlds that others wrote, with the memory and without it."""
    sys.exit(main(worlds or tuple(WORLDS), episodes, seed, arms or USUAL_ARMS, as_json=as_json))


def command(more: Sequence[str], *, as_json: bool) -> int:
    """`bench kitchen …`. Raises click.UsageError for what it does not know."""
    kitchen.main([*more, *(["--json"] if as_json else [])], prog_name="bio-agent bench kitchen")
    return 0


def main(worlds: Sequence[str], episodes: int | None, seed: int, arms: Sequence[str], *, as_json: bool) -> int:
    """Play and report. Exit code 2 when a world is not there."""
    before = load()
    played_in: dict[str, World] = {}
    for name in worlds:
        try:
            played_in[name] = WORLDS[name]()
            played_in[name].close()
        except Missing as missing:
            click.echo(str(missing), err=True)
            return 2
    results: dict[str, Mapping[str, Any]] = {}
    with own_stack() as own:
        port = free_port()
        server = own.start([sys.executable, "-m", "bio_agent_ops.http"], BIO_AGENT_PORT=str(port))
        try:
            wait_for_health(port, lambda: server.poll() is None, STARTS_WITHIN_S)
            under = conditions(
                own.folder, before, **own.servers(),
                agent_sees=f"the context's text, the newest {WINDOW} observations, the actions on offer",
                interruption=f"every {INTERRUPTED_EVERY}th episode, by {ERRAND_STEPS} steps of {ERRAND!r}",
                long_term_memory="empty: no sleep is run; what acts came to is counted at intake",
            )  # fmt: skip
            for name, world in played_in.items():
                seeds = range(seed, seed + (episodes or EPISODES[name]))
                found = {arm: _measured(own, port, name, arm, seeds) for arm in arms}
                results[name] = kitchen_report.of_world(world, seeds, found)
                if not as_json:
                    kitchen_report.show_world(name, results[name])
        finally:
            end(server)
    under["load_average_after"] = load()
    kitchen_report.show(under, results, as_json=as_json)
    return 0


def _measured(own: Own, port: int, name: str, arm: str, seeds: range) -> kitchen_report.Arm:
    began, cpu = time.perf_counter(), time.process_time()
    played, asked = run(own, port, name, arm, seeds)
    return kitchen_report.Arm(played, asked, time.perf_counter() - began, time.process_time() - cpu)
