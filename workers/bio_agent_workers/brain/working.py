"""Working state of one session: the tasks in hand, the goals, what stands where, what was done and how it ended.

Pure: an event and a time give the next state. Everything is bounded; the oldest goes first, and what is still open goes
last. Times are seconds since the epoch, given by the caller.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bio_agent_workers.brain.text import content_tokens

MOST_TASKS = 16
MOST_GOALS = 48
MOST_DEEDS = 40
MOST_IDS = 100
MOST_THINGS = 120
MOST_PLACES = 40
MOST_PROPERTIES = 8
MOST_SHOWN = 12
MOST_CREDITS = 200
LINE_CHARS = 300  # of a task, a goal, an act
NAME_CHARS = 80  # of a thing, a place, a property
STUCK_AFTER = 3  # failures of one act in a row
SHOWN_WORDS = 24  # of a memory that are kept to see whether an act is one it speaks of

OPEN, DONE, FAILED, DROPPED = "open", "done", "failed", "dropped"
ACTIVE, WAITING, INTERRUPTED = "active", "waiting", "interrupted"


class NothingThere(Exception):
    """The verb finds nothing to act on; the message says what the state is and what to do."""


@dataclass(slots=True)
class Task:
    """state: active (the last of the stack), waiting (has a subtask above it), interrupted (by the one above it)."""

    text: str
    state: str = ACTIVE
    at: float = 0.0


@dataclass(slots=True)
class Goal:
    text: str
    state: str = OPEN
    at: float = 0.0
    task: str = ""


@dataclass(slots=True)
class Deed:
    """An act and how it ended. `times`: in a row, with the same end. `token`: a code of the failure, never a sentence."""

    act: str
    failed: bool
    at: float
    goal: str = ""
    token: str = ""
    times: int = 1
    id: str = ""
    credited: bool = False  # a goal's end was counted for it
    task: str | None = ""  # in hand when it was done; None once that ended


@dataclass(slots=True)
class Thing:
    """Where a thing was last seen; "" for a thing in hand or without a place."""

    place: str
    at: float
    properties: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Shown:
    """A memory that was before the agent, and words to know an act of it by."""

    id: str
    words: list[str]


@dataclass(slots=True)
class State:
    workspace: str = "default"
    session: str = ""
    tasks: list[Task] = field(default_factory=list)
    goals: list[Goal] = field(default_factory=list)
    deeds: list[Deed] = field(default_factory=list)
    things: dict[str, Thing] = field(default_factory=dict)
    places: dict[str, dict[str, str]] = field(default_factory=dict)  # place → exit → where it leads, "" where unknown
    place: str = ""
    last: str = ""  # first line of the newest observation
    shown: list[Shown] = field(default_factory=list)
    credits: dict[str, str] = field(default_factory=dict)  # memory → helped or hurt, once a session
    ids: list[str] = field(default_factory=list)  # newest acts', so that one told twice counts once
    version: int = 0

    @property
    def task(self) -> str:
        return self.tasks[-1].text if self.tasks else ""

    @property
    def goal(self) -> str:
        """The goal that the newest deed served if it is open still, else the oldest open one of the task in hand."""
        open_ = [g.text for g in self.goals if g.state == OPEN and g.task in ("", self.task)]
        if self.deeds and self.deeds[-1].goal in open_:
            return self.deeds[-1].goal
        return open_[0] if open_ else ""


def dumped(state: State) -> dict[str, Any]:
    return asdict(state)


def loaded(data: Mapping[str, Any]) -> State:
    """A state as it was dumped. Fields that this version does not know are left out."""
    known = {k: v for k, v in data.items() if k in State.__dataclass_fields__}
    state = State(**known)
    state.tasks = [Task(**t) for t in known.get("tasks", [])]
    state.goals = [Goal(**g) for g in known.get("goals", [])]
    state.deeds = [Deed(**d) for d in known.get("deeds", [])]
    state.things = {k: Thing(**t) for k, t in known.get("things", {}).items()}
    state.shown = [Shown(**s) for s in known.get("shown", [])]
    return state


def line(text: str, most: int = LINE_CHARS) -> str:
    """One line of at most that many characters."""
    flat = " ".join(text[: most * 4].split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"


# -------------------------------------------------------------------------------------------------------------- tasks


def push(state: State, text: str, now: float, *, interrupting: bool = False) -> None:
    """A subtask on top of the stack, or one that interrupts what is in hand. What is in hand already stays (a request may
    arrive twice). Raises NothingThere when the stack is full."""
    if line(text) == state.task:
        state.tasks[-1].state = ACTIVE
        return
    if len(state.tasks) >= MOST_TASKS:
        raise NothingThere(f"{MOST_TASKS} tasks lie on the stack; pop one first")
    if state.tasks:
        state.tasks[-1].state = INTERRUPTED if interrupting else WAITING
    state.tasks.append(Task(line(text), ACTIVE, now))


def pop(state: State, expected: str = "") -> Task:
    """Take the task in hand off; the one below it is in hand again, unless it was interrupted: that waits for `resume`.
    expected: the task it should be, so that a request that arrives twice takes off one."""
    if not state.tasks:
        raise NothingThere("no task lies on the stack; push one first")
    if expected and line(expected) != state.task:
        raise NothingThere(f"the task in hand is {state.task[:80]!r}, not the one named; nothing was taken off")
    return _taken_off(state, -1)


def resume(state: State) -> tuple[Task, Task | None]:
    """Back to the newest interrupted task: (it, what had interrupted it and is ended by this, None if it was popped)."""
    at = next((i for i in reversed(range(len(state.tasks))) if state.tasks[i].state == INTERRUPTED), None)
    if at is None:
        raise NothingThere("no task was interrupted; nothing to resume")
    ended = state.tasks[at + 1] if at + 1 < len(state.tasks) else None
    _leave(state, state.tasks[at + 1 :])
    del state.tasks[at + 1 :]
    state.tasks[at].state = ACTIVE
    return state.tasks[at], ended


def follow_task(state: State, text: str, now: float) -> None:
    """The producer names the task it is at: a new one beside another in hand interrupts it, a known one is resumed."""
    text = line(text)
    if not text or text == state.task:
        if text and state.tasks[-1].state == INTERRUPTED:
            state.tasks[-1].state = ACTIVE
        return
    at = next((i for i, t in enumerate(state.tasks) if t.text == text), None)
    if at is not None:
        back = state.tasks.pop(at)
        if state.tasks and state.tasks[-1].state == ACTIVE:
            state.tasks[-1].state = INTERRUPTED
        back.state = ACTIVE
        state.tasks.append(back)
        return
    if len(state.tasks) >= MOST_TASKS:
        del state.tasks[0]
    push(state, text, now, interrupting=True)


def end_task(state: State, text: str) -> Task | None:
    """A task that ended, wherever it lies on the stack; None when it does not lie there."""
    text = line(text)
    at = next((i for i in reversed(range(len(state.tasks))) if state.tasks[i].text == text), None)
    if at is None:
        return None
    return _taken_off(state, at)


def _taken_off(state: State, at: int) -> Task:
    gone = state.tasks.pop(at)
    _leave(state, [gone])
    if state.tasks and state.tasks[-1].state == WAITING:
        state.tasks[-1].state = ACTIVE
    return gone


def _leave(state: State, gone: Sequence[Task]) -> None:
    """A later task of the same words starts afresh: what was done for these is no more its own."""
    names = {t.text for t in gone}
    for deed in state.deeds:
        if deed.task in names:
            deed.task = None


# -------------------------------------------------------------------------------------------------------------- goals


def set_goal(state: State, text: str, to: str, now: float) -> tuple[bool, Deed | None]:
    """Open or end a goal. Returns (whether that changed it, the deed that its end is to be counted for).

    The deed is the newest one that served the goal and has not been counted for an end yet.
    """
    text = line(text)
    goal = next((g for g in state.goals if g.text == text), None)
    if goal is None:
        goal = Goal(text, OPEN, now, state.task)
        state.goals.append(goal)
        if to == OPEN:
            _bound_goals(state)
            return True, None
    elif goal.state == to:
        return False, None
    goal.state, goal.at = to, now
    _bound_goals(state)
    if to not in (DONE, FAILED):
        return True, None
    deed = next((d for d in reversed(state.deeds) if d.goal == text), None)
    if deed is None or deed.credited:
        return True, None
    deed.credited = True
    return True, deed


def _bound_goals(state: State) -> None:
    while len(state.goals) > MOST_GOALS:
        ended = next((i for i, g in enumerate(state.goals[:-1]) if g.state != OPEN), 0)
        del state.goals[ended]


# -------------------------------------------------------------------------------------------------------- environment


def see(state: State, seen: Mapping[str, Any], now: float) -> None:
    """A snapshot: {place?, exits?: {way: where} or [way], objects?: {name: properties} or [name], gone?: [name], only?}.

    Objects are at `place` unless their properties name another (`place`: "" is in hand). With `only` true the snapshot
    shows all there is at the place: what was seen there before and is not named has gone.
    """
    place = _name(seen.get("place"))
    if place:
        state.place = place
        exits = seen.get("exits")
        known = state.places.pop(place, {})
        if isinstance(exits, Mapping):
            known = {_name(k): _name(v) for k, v in list(exits.items())[:16]}
        elif isinstance(exits, Sequence) and not isinstance(exits, str):
            known = {_name(k): known.get(_name(k), "") for k in exits[:16]}
        state.places[place] = known
        while len(state.places) > MOST_PLACES:
            del state.places[next(iter(state.places))]
    objects = seen.get("objects")
    named: dict[str, Any] = {}
    if isinstance(objects, Mapping):
        named = {_name(k): v for k, v in list(objects.items())[:MOST_THINGS]}
    elif isinstance(objects, Sequence) and not isinstance(objects, str):
        named = {_name(k): None for k in objects[:MOST_THINGS]}
    if seen.get("only") is True and place:
        for name in [n for n, t in state.things.items() if t.place == place and n not in named]:
            del state.things[name]
    gone = seen.get("gone")
    for name in gone if isinstance(gone, Sequence) and not isinstance(gone, str) else ():
        state.things.pop(_name(name), None)
    for name, given in named.items():
        if name:
            _see_thing(state, name, given, place or state.place, now)
    while len(state.things) > MOST_THINGS:
        del state.things[next(iter(state.things))]


def _see_thing(state: State, name: str, given: Any, place: str, now: float) -> None:
    before = state.things.pop(name, None)
    properties = dict(before.properties) if before else {}
    where = place
    if isinstance(given, Mapping):
        for key, value in list(given.items())[: 2 * MOST_PROPERTIES]:
            if key == "place":
                where = _name(value)
            elif value is None:
                properties.pop(_name(key), None)
            else:
                properties[_name(key)] = line(str(value), NAME_CHARS)
    elif given is not None:
        properties["is"] = line(str(given), NAME_CHARS)
    while len(properties) > MOST_PROPERTIES:
        del properties[next(iter(properties))]
    state.things[name] = Thing(where, now, properties)


def in_sight(state: State) -> list[str]:
    """Names of the things where the agent is, and in its hand."""
    return [name for name, thing in state.things.items() if thing.place in ("", state.place)]


def _name(value: Any) -> str:
    return line(str(value), NAME_CHARS) if value is not None else ""


# --------------------------------------------------------------------------------------------------------------- acts


def act(state: State, deed: Deed) -> bool:
    """Append what was done for the task in hand. The same act with the same end folds into the one before it. False: known
    by its id."""
    deed.act, deed.goal, deed.task = line(deed.act), line(deed.goal), state.task
    if deed.id and deed.id in state.ids:
        return False
    if deed.id:
        state.ids = [*state.ids, deed.id][-MOST_IDS:]
    last = state.deeds[-1] if state.deeds else None
    if last is not None and _same(last, deed):
        deed.token, deed.times, deed.id = deed.token or last.token, last.times + 1, ""
        state.deeds[-1] = deed
    else:
        state.deeds.append(deed)
    del state.deeds[:-MOST_DEEDS]
    return True


def _same(a: Deed, b: Deed) -> bool:
    return (a.act, a.failed, a.goal, a.task) == (b.act, b.failed, b.goal, b.task)


def stuck(state: State) -> Deed | None:
    """The newest deed of the task in hand if it failed STUCK_AFTER times in a row, nothing else done for it between."""
    own = [deed for deed in state.deeds if deed.task == state.task]
    if not own:
        return None
    last, times = own[-1], 0
    for deed in reversed(own):
        if deed.act != last.act or not deed.failed:
            break
        times += deed.times
    return last if times >= STUCK_AFTER else None


def show(state: State, memories: Iterable[tuple[str, str]]) -> bool:
    """Note which memories (id, text) are before the agent now. Whether that is new."""
    given = [Shown(i, sorted(set(content_tokens(t[:2000])))[:SHOWN_WORDS]) for i, t in list(memories)[:MOST_SHOWN]]
    if [s.id for s in given] == [s.id for s in state.shown]:
        return False
    state.shown = given
    return True


def credit(state: State, deed: Deed) -> dict[str, str]:
    """Memory → helped or hurt: those shown that speak of the act, none twice in a session."""
    own = frozenset(content_tokens(deed.act))
    out: dict[str, str] = {}
    for shown in state.shown:
        if shown.id in state.credits or len(own) < 2:
            continue
        if len(own & frozenset(shown.words)) >= max(2, 0.6 * len(own)):
            out[shown.id] = "hurt" if deed.failed else "helped"
    state.credits |= out
    while len(state.credits) > MOST_CREDITS:
        del state.credits[next(iter(state.credits))]
    return out
