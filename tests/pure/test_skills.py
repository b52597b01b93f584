"""Skills: what several successes of one procedure have in common."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bio_agent_workers import shell
from bio_agent_workers.brain.lessons import skills
from bio_agent_workers.brain.retrieval import summaries

DAY = datetime(2026, 5, 4, 9, tzinfo=UTC)


def success(n: int, goal: str, *commands: str, session: str = "") -> skills.Success:
    acts = tuple(a for c in commands for a in shell.parse_command(c))
    return skills.Success(f"o{n}", session or f"s{n}", goal, acts, DAY + timedelta(days=n))


def released(n: int, **more: str) -> skills.Success:
    return success(
        n, f"release the shop, ticket {3000 + n}", "ls -la", "npm ci", "npm test", f"scp out-{n}.tar ci@host{n}.shop.test:/srv/{n}",
        **more,
    )  # fmt: skip


def test_three_successes_in_three_sessions_make_one_skill() -> None:
    assert skills.abstract([released(0), released(1)]) == []
    assert skills.abstract([released(n, session="one") for n in range(5)]) == []
    (skill,) = skills.abstract([released(n) for n in range(3)])
    assert skill.successes == ("o0", "o1", "o2")
    assert skill.sessions == 3
    assert skill.steps[:2] == ("npm ci", "npm run test")
    assert skill.steps[2].startswith("scp ")
    assert skill.goal.startswith("release the shop")


@pytest.mark.parametrize(
    "step", ["git push --no-verify origin main", "kubectl delete pvc data", "curl -k https://a.test/x -o x"]
)
def test_a_step_that_needs_a_persons_word_makes_no_skill(step: str) -> None:
    assert skills.abstract([success(n, "release the shop", "npm ci", "npm test", step) for n in range(3)]) == []
    safe = [success(n, "release the shop", "npm ci", "npm test") for n in range(3, 6)]
    (skill,) = skills.abstract([success(0, "release the shop", "npm ci", "npm test", step), *safe])
    assert skill.successes == ("o3", "o4", "o5")


def test_no_literal_of_one_place_or_moment_is_in_it() -> None:
    (skill,) = skills.abstract([
        success(n, f"restore /var/backups/{n}.sql to db{n}.shop.test on 2026-05-0{n + 1}", "cd /home/ann/app",
                f"psql --host=10.0.0.{n} --file=/var/backups/{n}.sql", "./ops/verify.sh", "systemctl restart web")
        for n in range(3)
    ])  # fmt: skip
    assert not any(x in skill.text for x in ("/var", "/home", "10.0.0", "shop.test", "2026", "ops/"))
    assert "systemctl restart web" in skill.steps
    assert "<path>/verify.sh" in skill.steps


def test_what_differs_between_the_runs_is_a_placeholder_and_what_only_one_did_is_left_out() -> None:
    (skill,) = skills.abstract([
        success(0, "publish the docs", "git switch release", "npm run docs --strict", "git push origin v1"),
        success(1, "publish the docs again", "npm run docs --strict", "npm audit fix", "git push origin v2"),
        success(2, "please publish docs", "npm run docs --strict", "git push origin v3"),
    ])  # fmt: skip
    assert skill.steps == ("npm run docs --strict", "git push origin <branch>")


@pytest.mark.parametrize(
    "command",
    [
        'git commit -m "fix the bug"', "git -C sub commit -am 'one two'", "pytest -k 'a or b'", "make 'CFLAGS=-O2 -g' all",
        "npm run build -- --mode prod", "python3 -m unittest discover -s tests", "alembic -c setup upgrade head",
        "uv run --with x python -c 'print()'", "NAME='a b' make test", "terraform apply -var 'x=a b'", "gcc -o main all",
    ],
)  # fmt: skip
def test_a_step_can_be_pasted(command: str) -> None:
    """A shell reads the step as it reads what was run: options keep their values, and words with blanks their quotes."""
    (act,) = shell.parse_command(command)
    (part,) = skills.procedure([act])
    (again,) = shell.parse_command(part.text)
    assert (again.tool, again.verb, set(again.flags), again.operands) == (
        act.tool,
        act.verb,
        set(act.flags),
        act.operands,
    )


def test_options_that_differ_between_runs_keep_their_place() -> None:
    (skill,) = skills.abstract([
        success(n, "ship the shop", f"git commit -m 'ticket {word}'", f"python3 -m unittest discover -s {word}")
        for n, word in enumerate(("one", "two", "three"))
    ])  # fmt: skip
    assert skill.steps == ("git commit --message=<value>", "python3 -m unittest discover -s <value>")


def test_another_goal_or_another_way_is_another_procedure() -> None:
    water = [success(n, "water the plants in the office", "pump start", "pump stop") for n in range(3)]
    backups = [success(n + 3, "back up the ledger", "pg_dump ledger", "gpg --encrypt ledger") for n in range(3)]
    found = skills.abstract([*water, *backups])
    assert [s.steps for s in found] == [("pump start", "pump stop"), ("pg_dump ledger", "gpg --encrypt ledger")]
    assert skills.abstract([water[0], backups[1], success(9, "water the plants", "hose open")]) == []
    assert skills.abstract([success(n, "look around", "ls", "cat notes.txt") for n in range(4)]) == []
    assert skills.abstract([success(n, f"{n}", "make release") for n in range(4)]) == []


@pytest.mark.parametrize(
    ("goals", "beginning"),
    [
        (("发布商城新版本", "发布商城旧版本 2026-05-01", "请发布商城"), "要发布商城"),
        (("phát hành bản mới", "phát hành bản mới cho kho 7", "phát hành bản mới"), "Để phát hành bản mới"),
    ],
)  # fmt: skip
def test_it_is_told_in_the_language_of_its_goal(goals: tuple[str, ...], beginning: str) -> None:
    (skill,) = skills.abstract([success(n, g, "make release", "make publish") for n, g in enumerate(goals)])
    assert skill.text.startswith(beginning)


@given(st.lists(st.integers(0, 4), max_size=12), st.lists(st.integers(0, 4), max_size=12))
def test_a_longest_common_subsequence_is_one_and_the_longest(a: list[int], b: list[int]) -> None:
    pairs = skills.lcs(a, b, lambda x: x)
    assert all(x == y for x, y in pairs)
    for mine, side in ((0, a), (1, b)):
        rest = iter(side)
        assert all(any(x == pair[mine] for x in rest) for pair in pairs)
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
    assert len(pairs) == table[-1][-1]
    assert len(skills.lcs(b, a, lambda x: x)) == len(pairs)


STEPS = st.lists(
    st.sampled_from(["npm ci", "npm test", "make release", "git push origin main", "ls", "docker build ."]), max_size=6
)
GOALS = st.sampled_from(["release the shop", "release the shop now", "count the stock", "发布商城", "", "/tmp/x 42"])


@settings(max_examples=60)
@given(st.lists(st.tuples(GOALS, STEPS, st.integers(0, 4)), max_size=9), st.randoms(use_true_random=False))
def test_the_order_in_which_successes_are_given_changes_nothing(
    given_: list[tuple[str, list[str], int]], random: Random
) -> None:
    some = [success(n, goal, *steps, session=f"s{place}") for n, (goal, steps, place) in enumerate(given_)]
    found = skills.abstract(some)
    random.shuffle(some)
    assert skills.abstract(some) == found
    told = [i for s in found for i in s.successes]
    assert len(told) == len(set(told))
    for s in found:
        assert s.sessions >= skills.MIN_SUCCESSES
        assert s.steps
        assert s.goal


# ----------------------------------------------------------------------------------------------------------- summaries


def test_a_summary_holds_turns_for_each_part_in_their_order() -> None:
    turns = [
        "The oven of the bakery on Mill Road heats up too slowly since Monday.",
        "Ok.",
        "The oven heats up slowly, yes, the oven of the bakery.",
        "The delivery van needs new tyres before winter comes.",
        "Thanks!",
    ]
    assert summaries.extract(turns, most=2) == [0, 3]
    assert summaries.extract(["ok", "", "thanks"]) == []


@given(
    st.lists(st.text(alphabet="abcdef ghi 发布商城", max_size=60), max_size=20), st.integers(1, 6), st.integers(10, 200)
)
def test_a_summary_stays_within_its_bounds(turns: list[str], most: int, chars: int) -> None:
    chosen = summaries.extract(turns, most, chars)
    assert chosen == sorted(set(chosen))
    assert len(chosen) <= most
    assert sum(len(turns[i]) for i in chosen) <= chars
