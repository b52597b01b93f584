"""The bench of repeated failures: its agent's rule, its script, its sums; and the lessons it found fault with."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bio_agent_ops.bench.repeat import command, exact, reading, sandbox, scenarios, trial
from bio_agent_ops.bench.repeat.agent import Agent, Outcome, Task
from bio_agent_ops.bench.repeat.scenarios import CELLS, Again, Case, Gone, Scenario
from bio_agent_ops.bench.repeat.trial import ArmResult
from bio_agent_ops.cli import main
from bio_agent_schema.types import FixKind
from bio_agent_workers.brain.guarding.matching import condemns
from bio_agent_workers.brain.lessons.acts import link_failures
from bio_agent_workers.brain.lessons.lesson import LessonReading, lessons, render
from bio_agent_workers.shell import parse_command
from tests.pure.test_lessons import learned, session
from tests.pure.test_matching import hit

# ------------------------------------------------------------------------------------------------ the rule of the agent

RULE = "Do not run `git push <remote> master` here: it failed (unknown-refspec). `git push <remote> main` worked."


@pytest.mark.parametrize(
    ("line", "act", "answers", "expected"),
    [
        (RULE, "cd /srv/shop && git push hub master", False, True),
        (RULE, "git push -u hub master", False, True),
        (RULE, "git push hub main", False, False),
        (RULE, "git pull hub master", False, False),
        (RULE, "git push hub topic", True, True),
        (RULE, "git fetch hub", True, False),
        ("Do not run `make` here: it failed. `make -C lib` worked.", "make publish", False, False),
        ("Do not run `make` here: it failed. `make -C lib` worked.", "make -j2 V=1", False, True),
        ("Do not run `make` here: it failed. `make -C lib` worked.", "make -C lib", False, False),
        ("Do not run `pip install <package>` here.", "sudo python3 -m pip install left", False, True),
        ("Do not run `./<script>` here: it failed. `bash <script>` worked.", "bin/purge.sh --all", False, True),
        ("Do not run `tar -xzf <path>` here.", "tar xvfz a.tgz", False, True),
        ("Do not run `tar -xzf <path>` here.", "tar -xf a.tgz", False, False),
        ("Ask before you deploy.", "make deploy", True, False),
    ],
)
def test_which_lines_name_an_act(line: str, act: str, answers: bool, expected: bool) -> None:
    said = reading.advice(line, answers=answers)
    assert (said is not None and reading.names(said, act)) is expected


@pytest.mark.parametrize(
    ("line", "fix", "expected"),
    [
        (RULE, ("git push hub trunk",), ("git push hub trunk",)),  # the offered form, with the names of the case
        ("`gcc a.c` failed. `gcc a.c -lm` worked.", ("gcc -O2 b.c -lm",), ("gcc -O2 b.c -lm",)),
        ("`gcc a.c` failed. `gcc a.c -lm` worked.", ("gcc -O2 b.c -lz",), ("gcc a.c -lm",)),  # typed as it stands
        ("`gcc <file>` failed. `gcc <file> -lm` worked.", ("clang b.c",), None),  # cannot be followed
        ("`node x.js` failed. `REGION=eu node x.js` worked.", ("REGION=us node y.js",), ("REGION=us node y.js",)),
        ("`pytest t` failed. `python3 -m pytest t` worked.", ("pytest -q u",), ("python3 -m pytest t",)),
        ("When `make pdf` fails, first run `mkdir -p out`; then it worked.", ("mkdir -p x", "make pdf"), ("mkdir -p x", "make pdf")),
        ("`make` failed 3 times here.", ("make -C lib",), None),
    ],
)  # fmt: skip
def test_how_a_line_is_followed(line: str, fix: tuple[str, ...], expected: tuple[str, ...] | None) -> None:
    said = reading.advice(line)
    assert said is not None
    assert reading.follow(said, fix) == expected


def test_only_marked_lines_are_a_memory() -> None:
    block = '<bio-memory-0123abcd version="1">\nHeader `rm x`.\n- Do not run `a &lt;b&gt;`.\n</bio-memory-0123abcd>'
    text = f"Do not run `ls`.\n- Do not run `ls`.\n{block}\n[bio-memory] `x` failed.\n<bio-memory-1>\n- no end"
    assert list(reading.lines_of(text)) == ["Do not run `a &lt;b&gt;`.", "`x` failed."]
    said = reading.advice("Do not run `a &lt;b&gt;`.")
    assert said is not None
    assert said.against == "a <b>"
    assert reading.memory_size(text) == len(block) + len("[bio-memory] `x` failed.")


@pytest.mark.parametrize("line", ["", "   ", "`", "echo 'unclosed", "cd /x && ", "A=1", "sudo", "`a` " * 3, "<b>`<c>`"])
def test_odd_lines_are_read_without_trouble(line: str) -> None:
    said = reading.advice(f"[bio-memory] `{line}` and `{line}`")
    if said is not None:
        reading.names(said, line)
        reading.follow(said, (line,))


# ------------------------------------------------------------------------------------------------ the script of the agent


def case(condemned: str = "cat a", fix: tuple[str, ...] = ("cp b a",), gone: Gone | None = None) -> Case:
    return Case("w", ("mkdir w", "touch w/b"), condemned, fix, "test -f a", gone)


def task(folder: Path, again: Again) -> Task:
    sandbox.new_user(folder / "u")
    assert sandbox.make(folder / "t", again.setup, folder / "u").ok
    return Task(again, folder / "t", folder / "u")


def again(one: Case, *, gone: bool = False) -> Again:
    return Again(Scenario("s", "s", "cat", (), "No such file", one, None), one, CELLS[2] if gone else CELLS[0])


def played(agent: Agent, folder: Path, guard: Callable[[str, int], str], block: str = "") -> list[str]:
    """Play the host: run what the agent says unless the guard (command, how often said) stops it. Returns the commands."""
    said = [("system", block), ("user", "go")]
    lines: list[str] = []
    while (line := agent.step(said)) is not None:
        assert agent.step(said) == line, "a host may ask twice"
        lines.append(line)
        stopped = guard(line, lines.count(line))
        said += [("assistant", line), ("tool", stopped or sandbox.run(line, folder, folder / "u").output)]
    assert agent.ended
    return [line.rsplit(" && ", 1)[-1] for line in lines]


def free(_line: str, _times: int) -> str:
    return ""


SAID = "`cat a` failed. `cp b a` worked."


def test_without_a_memory_the_failure_is_repeated(tmp_path: Path) -> None:
    agent = Agent([task(tmp_path, again(case()))], [], tmp_path, heeds=True)
    assert played(agent, tmp_path, free) == ["cat a", "cp b a"]
    (outcome,) = agent.outcomes
    assert (outcome.reached, outcome.tried, outcome.failed, outcome.avoided) == (True, True, True, False)


def test_a_block_is_heeded_before_the_act(tmp_path: Path) -> None:
    agent = Agent([task(tmp_path, again(case()))], ["true"], tmp_path, heeds=True)
    block = f"<x-memory-00>\n- {SAID}\n</x-memory-00>"
    assert played(agent, tmp_path, free, block) == ["cp b a", "true"]
    (outcome,) = agent.outcomes
    assert outcome.avoided
    assert outcome.before
    assert not outcome.held
    assert agent.memory_bytes == len(block)


def test_the_first_session_heeds_nothing(tmp_path: Path) -> None:
    agent = Agent([task(tmp_path, again(case()))], [], tmp_path, heeds=False)
    assert played(agent, tmp_path, free, f"<x-memory-00>\n- {SAID}\n</x-memory-00>") == ["cat a", "cp b a"]


def test_a_held_call_is_followed_and_counts_as_avoided(tmp_path: Path) -> None:
    agent = Agent([task(tmp_path, again(case()))], [], tmp_path, heeds=True)
    assert played(agent, tmp_path, lambda line, n: f"[x-memory] {SAID}" if "cat" in line and n == 1 else "") == [
        "cat a",
        "cp b a",
    ]
    (outcome,) = agent.outcomes
    assert outcome.avoided
    assert outcome.held
    assert not outcome.blocked


def test_a_right_command_that_is_stopped_twice_is_blocked(tmp_path: Path) -> None:
    gone = Gone(("touch w/a0",), "ls", "a0", "cp a0 a", "test -f a")
    agent = Agent([task(tmp_path, again(case(gone=gone), gone=True))], [], tmp_path, heeds=True)
    lines = played(agent, tmp_path, lambda line, _: "[x-memory] a core rule forbids it" if "cp a0" in line else "")
    assert lines == ["ls", "cp a0 a", "cp a0 a", "cp b a"]
    assert agent.outcomes[0].blocked


def test_a_wrong_remedy_does_not_count_as_avoided(tmp_path: Path) -> None:
    agent = Agent([task(tmp_path, again(case()))], [], tmp_path, heeds=True)
    block = "<x-memory-00>\n- `cat a` failed. `ls b` worked.\n</x-memory-00>"
    assert played(agent, tmp_path, free, block) == ["ls b", "cat a", "cp b a"]
    assert not agent.outcomes[0].avoided
    assert agent.outcomes[0].literal


def test_a_hint_behind_an_output_is_no_stop(tmp_path: Path) -> None:
    agent = Agent([], ["echo '[x-memory] Known about this: `echo` failed.'"], tmp_path, heeds=True)
    sandbox.new_user(tmp_path / "u")
    played(agent, tmp_path, free)
    assert agent.harmless[0].stopped is False


def test_a_harmless_command_held_once_is_warned_of_and_not_stopped(tmp_path: Path) -> None:
    sandbox.new_user(tmp_path / "u")
    agent = Agent([], ["true", "ls"], tmp_path, heeds=True)
    played(agent, tmp_path, lambda line, n: "[x-memory] `true` failed" if line == "true" and n == 1 else "")
    assert [(bool(h.told), h.stopped) for h in agent.harmless] == [(True, False), (False, False)]


# ---------------------------------------------------------------------------------------------------- the plain memory


def test_the_exact_memory_knows_the_same_string_only(tmp_path: Path) -> None:
    file = tmp_path / "kept"

    def event(name: str, line: str, session: str = "1") -> dict[str, Any]:
        return exact.answer(
            file, "claude-code", {"hook_event_name": name, "session_id": session, "tool_input": {"command": line}}
        )

    assert event("PreToolUse", "make x") == {}
    event("PostToolUseFailure", "make x")
    event("PostToolUse", "make y")
    said = event("PreToolUse", "make x", "2")["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert said["permissionDecisionReason"] == "[exact-memory] `make x` failed before. `make y` worked."
    assert event("PreToolUse", "make x", "2") == {}, "once a session"
    assert event("PreToolUse", "make  x", "3") == {}
    event("PostToolUse", "make x", "3")
    assert event("PreToolUse", "make x", "4") == {}, "it worked since"


# -------------------------------------------------------------------------------------------------------------- cells


def test_half_have_other_arguments_and_in_a_quarter_the_cause_is_gone() -> None:
    gone = Gone((), "ls", "", "ls", "true")
    found = [Scenario(str(i), str(i), "ls", (), "", case(gone=gone), case(gone=gone)) for i in range(40)]
    for shift in range(8):
        cells = Counter(one.cell for one in scenarios.assigned(found, shift))
        assert sum(n for cell, n in cells.items() if cell.other_arguments) == 20
        assert sum(n for cell, n in cells.items() if cell.cause_gone) == 10
        assert set(cells) == set(CELLS)
    seen = {(place, one.cell) for shift in range(8) for place, one in enumerate(scenarios.assigned(found, shift))}
    assert len(seen) == 40 * 4


def test_a_cell_that_is_not_offered_falls_back() -> None:
    plain = [Scenario(str(i), str(i), "ls", (), "", case(), None) for i in range(8)]
    assert {one.cell for one in scenarios.assigned(plain)} == {CELLS[0]}


def test_own_scenarios_are_many_and_read_without_refusal() -> None:
    found, refused = scenarios.read(scenarios.OWN)
    assert refused == []
    assert len(found) >= 30
    assert len({s.tool for s in found}) >= 15
    assert all(s.other is not None for s in found)
    assert {one.cell for one in scenarios.assigned(found)} == set(CELLS)
    assert sum(len(block) for block in trial.harmless_blocks()) >= 100


def test_rows_that_cannot_be_used_are_refused_with_the_reason(tmp_path: Path) -> None:
    good = json.loads(scenarios.OWN.read_text(encoding="utf-8").splitlines()[0])
    rows = [good, {**good, "id": "a", "cwd": "/etc"}, {**good, "id": "b", "error_like": "("}, {**good, "id": "c", "fix": []},
            {**good, "id": "d", "cause_gone": {"see": 1}}, {k: v for k, v in good.items() if k != "variant"}]  # fmt: skip
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found, refused = scenarios.read(file)
    assert [s.id for s in found] == [good["id"]]
    assert len(refused) == 5
    assert all(r.reason for r in refused)


# --------------------------------------------------------------------------------------------------------------- sums


def test_the_shares_are_those_of_the_runs() -> None:
    present, gone = again(case()), again(case(gone=Gone((), "ls", "", "ls", "true")), gone=True)
    result = ArmResult("bio", 4, 4, outcomes=[
        Outcome("1", str(present.cell), reached=True), Outcome("2", str(present.cell), reached=True, tried=True),
        Outcome("3", str(present.cell), reached=False), Outcome("4", str(gone.cell), reached=True, blocked=True),
    ])  # fmt: skip
    found = command.summary(result, [present, present, present, gone], None)
    assert found["avoided"] == pytest.approx(1 / 3, abs=1e-4)
    assert found["wrongly_blocked"] == 1
    missed = command.misses(result, [present, present, present, gone])
    assert [m["cause"] for m in missed] == ["no rule on this program was learned"] * 2


@pytest.mark.parametrize(
    ("told", "rules", "cause"),
    [
        (["`cat a` failed. `cp b a` worked."], [], "warned of beside the call"),
        (["`cat a` failed 3 times here."], [], "nothing was offered"),
        ([], ["Do not run `cat zz`."], "neither block nor guard"),
        ([], ["Do not run `ls`."], "no rule on this program"),
    ],
)
def test_misses_have_causes(told: list[str], rules: list[str], cause: str) -> None:
    outcome = Outcome("s", str(CELLS[0]), reached=True, tried=True, told=told)
    assert cause in trial.miss(outcome, again(case()), rules)


# ------------------------------------------------------------------------------- what the bench found in the lessons


def sentence(*rows: tuple[str, int] | tuple[str, int, str]) -> str:
    (found,) = learned(*rows)
    return render(found.lesson)


def test_what_both_lines_did_first_is_no_part_of_the_remedy() -> None:
    said = sentence(("cd /srv/a && make", 2), ("cd /srv/a && make -C lib", 0))
    assert "`make -C lib` worked" in said
    assert "`cd app && make -B` worked" in sentence(("make", 2), ("cd app && make -B", 0))


def test_the_folder_a_host_tells_is_no_lesson_where_the_line_goes_elsewhere() -> None:
    rows, acts = session(("cd /srv/b && python3 serve.py", 1), ("cd /srv/b && .venv/bin/python serve.py", 0))
    moved = [replace(row, cwd=cwd) for row, cwd in zip(rows, ("/srv/a", "/srv/b"), strict=True)]
    (found,) = lessons(moved, acts, link_failures(moved, acts))
    assert "`.venv/bin/python serve.py` worked" in render(found.lesson)


def test_a_sentence_names_kinds_where_any_name_is_matched() -> None:
    said = sentence(("git rebase main", 1), ("git rebase --autostash main", 0))
    assert "`git rebase <branch>`" in said
    assert "`./<script>`" in sentence(("./rotate.sh", 126), ("bash rotate.sh", 0))


def test_forms_that_look_alike_teach_nothing() -> None:
    found: list[LessonReading] = learned(
        ("sqlite3 menu.db 'select order from dishes'", 1, "syntax error"),
        ("sqlite3 menu.db 'select \"order\" from dishes'", 0),
    )
    assert all(one.one_literal_only for one in found)


def test_an_empty_word_is_a_difference() -> None:
    (found,) = learned(("sed -i '' 's/red/blue/' main.css", 2), ("sed -i 's/red/blue/' main.css", 0))
    assert found.lesson.kind is FixKind.REPLACE

    def speaks(line: str) -> bool:
        return any(condemns(found.lesson.failed, act, found.lesson.fixed) for act in parse_command(line))

    assert speaks("sed -i '' 's/80/8080/' app.ini")
    assert not speaks("sed -i 's/80/8080/' app.ini")


def test_a_task_is_no_placeholder() -> None:
    (found,) = learned(("make upload", 2), ("make upload STAGE=test", 0))
    assert found.lesson.failed.operands == ("upload",)


@pytest.mark.parametrize(
    ("condemned", "call", "fixed", "expected"),
    [
        ("cmake -B out", "cmake -S flight -B out", "cmake -S firmware -B out", False),
        ("gzip -d a.xz", "gzip -dk a.xz", "", True),
        ("gzip -d a.xz", "gzip -k a.xz", "", False),
    ],
)
def test_options_of_unknown_programs(condemned: str, call: str, fixed: str, expected: bool) -> None:
    assert hit(condemned, call, fixed) is expected


def test_a_plain_word_is_no_file() -> None:
    (found,) = learned(("cp assets public/", 1), ("cp -r assets public/", 0))

    def speaks(line: str) -> bool:
        return any(condemns(found.lesson.failed, act, found.lesson.fixed) for act in parse_command(line))

    assert speaks("cp photos out/")
    assert not speaks("cp notes.txt copy.txt")


# -------------------------------------------------------------------------------------------------- the command line


def test_the_command_line_says_what_is_wrong(tmp_path: Path) -> None:
    runner = CliRunner()
    helped = runner.invoke(main, ["bench", "repeat", "--", "--help"])
    assert helped.exit_code == 0
    assert "--no-harmless" in helped.output
    assert runner.invoke(main, ["bench", "up", "now"]).exit_code == 2
    assert runner.invoke(main, ["bench", "repeat", "--host", "nobody"]).exit_code == 2
    empty = tmp_path / "none.jsonl"
    empty.write_text('{"id": "x"}\n', encoding="utf-8")
    said = runner.invoke(main, ["bench", "repeat", "--scenarios", str(empty)])
    assert said.exit_code == 1
    assert "there is no scenario to run" in said.output
    assert "none.jsonl:1" in said.output
