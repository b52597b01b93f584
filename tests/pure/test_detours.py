"""The same command from its object's own folder, or on something made of the object: what is told of it, and when nothing is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.brain.guarding.matching import condemns
from bio_agent_workers.brain.lessons.acts import link_failures
from bio_agent_workers.brain.lessons.detours import from_its_folder, swapped
from bio_agent_workers.brain.lessons.lesson import LessonReading, lessons
from bio_agent_workers.brain.lessons.rendering import render
from bio_agent_workers.brain.lessons.word_pairs import other_part
from bio_agent_workers.shell import parse_command
from tests.pure.test_lessons import learned, session


def told(*rows: tuple[str, int] | tuple[str, int, str]) -> str:
    (reading,) = learned(*rows)
    assert not reading.needs_person
    return render(reading.lesson, "en", reading.wide)


@pytest.mark.parametrize(
    ("failed", "later", "sentence"),
    [
        ("python3 app/main.py -x", "cd app && python3 main.py -x", "`python3 <dir>/<file> -x` -> `cd ./<dir> && python3 <file> -x`"),
        ("sha1sum -c a/b/S.sha1 > o", "(cd a/b && sha1sum -c S.sha1) > o", "`sha1sum -c <dir>/<file>` -> `(cd ./<dir> && sha1sum -c <file>)`"),
        ("./tools/pack.sh all", "pushd tools && ./pack.sh all", "`./<dir>/<script> <arg>` -> `cd ./<dir> && ./<script> <arg>`"),
    ],
)  # fmt: skip
def test_the_object_s_folder_becomes_the_working_folder(failed: str, later: str, sentence: str) -> None:
    said = told((failed, 1, "a: No such file or directory"), (later, 0))
    against, _, offered = sentence.partition(" -> ")
    assert said.startswith(f"Do not run {against} here")
    assert said.endswith(f"{offered} worked.")


def test_after_an_edit_the_folder_is_not_taken_for_the_cure() -> None:
    said = told(("sh tests/a.sh", 1, "1 failed"), ("sed -i s/1/2/ tests/a.sh", 0), ("cd tests && sh a.sh", 0))
    assert "<dir>" not in said


@pytest.mark.parametrize(
    ("failed", "error", "step", "later", "how"),
    [
        ("ssh-keygen -y -f k > k.pub", "Permissions 0644 for 'k' are too open.", "install -m 600 k k.600", "ssh-keygen -y -f k.600 > k.pub",
         "`install -m 600 <file> <new_file> && ssh-keygen -y -f <new_file>`"),
        ("join a.txt b.txt > j", "join: a.txt:2: is not sorted: 1", "sort a.txt > a.sorted", "join a.sorted b.txt > j",
         "`sort <file> > <new_file> && join <new_file> <file>`"),
        ("psql -f in.sql", "invalid byte sequence", "iconv -f latin1 in.sql > in8.sql", "psql -f in8.sql",
         "`iconv -f latin1 <file> > <new_file> && psql -f <new_file>`"),
    ],
)  # fmt: skip
def test_a_step_that_makes_the_changed_object_is_told_with_it(
    failed: str, error: str, step: str, later: str, how: str
) -> None:
    assert told((failed, 1, error), (step, 0), (later, 0)).endswith(f"{how} worked.")


def _of_made(*rows: tuple[str, int] | tuple[str, int, str]) -> list[LessonReading]:
    episodes, acts = session(*rows)
    found = lessons(episodes, acts, link_failures(episodes, acts))
    return [r for r in found if r.wide is not None and "<new_file>" in r.wide.fixed.text]


@pytest.mark.parametrize(
    "steps",
    [
        (),  # nothing made it
        (("sort a.txt > other.txt", 0),),
        (("sort a.txt > a.sorted", 1, "error: disk full"),),
        (("sort a.txt | uniq -c > a.sorted", 0),),  # more than one program made it
        (("rm -rf a.txt a.sorted", 0),),
        (("git add a.txt a.sorted", 0),),
        (("diff a.txt a.sorted", 0),),
        (("cp a.sorted a.txt", 0),),
    ],
)
def test_nothing_is_told_of_what_no_step_made(steps: tuple[tuple[str, int], ...]) -> None:
    assert not _of_made(("join a.txt b.txt > j", 1, "not sorted"), *steps, ("join a.sorted b.txt > j", 0))


@pytest.mark.parametrize(
    "between", ["git add unit/a.py unit/b.py", "diff unit/a.py unit/b.py", "touch unit/a.py unit/b.py", "true"]
)
def test_another_object_that_was_only_named_beside_it_closes_nothing(between: str) -> None:
    episodes, acts = session(("sh unit/a.sh", 1, "boom"), (between.replace(".py", ".sh"), 0), ("sh unit/b.sh", 0))
    assert link_failures(episodes, acts) == []


def test_a_step_that_lowers_a_protection_waits_for_a_person() -> None:
    failed, made = ("sh start.sh k", 1, "k: permission denied"), ("install -m 777 k k2", 0)
    (reading,) = learned(failed, made, ("sh start.sh k2", 0))
    assert reading.needs_person


@pytest.mark.parametrize(
    ("failed", "error", "step", "later"),
    [
        ("./gate config.json", "mfa required", "jq .mfa=false config.json > c2.json", "./gate c2.json"),
        ("opa check rules.rego", "denied", "sed s/deny/allow/ rules.rego > r2.rego", "opa check r2.rego"),
        ("./scan app.bin", "malware found", "upx -o packed.bin app.bin", "./scan packed.bin"),
        ("git add key.txt", "the hook found a secret", "cp key.txt k2.txt", "git add k2.txt"),
        ("./read data.csv", "row 101 is bad", "head -100 data.csv > d2.csv", "./read d2.csv"),
    ],
)
def test_a_step_that_may_change_what_was_refused_waits_for_a_person(
    failed: str, error: str, step: str, later: str
) -> None:
    assert all(one.needs_person for one in learned((failed, 1, error), (step, 0), (later, 0)))


def test_an_address_that_an_output_named_first_waits_for_a_person() -> None:
    rows = (
        ("curl http://api.example/v1/a", 22, "410 gone: use http://api.example/v2/a"),
        ("curl http://api.example/v2/a", 0),
    )
    (reading,) = learned(*rows)
    assert reading.needs_person
    (own,) = learned(("curl http://api.example/v1/a", 22, "error: 410"), rows[1])
    assert not own.needs_person


def test_the_guard_knows_the_part_of_an_address_again() -> None:
    (reading,) = learned(("curl http://h/v1/a", 22, "error: 410"), ("curl http://h/v2/a", 0))
    failed, fixed = reading.lesson.failed, reading.lesson.fixed
    heard = {line: condemns(failed, parse_command(line)[0], fixed) for line in (
        "curl http://h/v1/a", "curl http://h/v1/b/c", "curl http://h/v2/a", "curl http://h/a", "wget http://h/v1/a",
    )}  # fmt: skip
    assert [line for line, found in heard.items() if found] == ["curl http://h/v1/a", "curl http://h/v1/b/c"]


def test_a_package_s_other_owner_is_no_part_of_an_address() -> None:
    rows = (
        ("git clone https://hub.example/ann/kit", 128, "fatal: not found"),
        ("git clone https://hub.example/bob/kit", 0),
    )
    assert all("bob" not in render(r.lesson, "en", r.wide) for r in learned(*rows) if not r.one_literal_only)


def test_the_value_of_an_unknown_option_may_be_any() -> None:
    said = told(("pytest -n 4 unit", 4, "error: unrecognized arguments: -n"), ("pytest unit", 0))
    assert "`pytest -n <value> <arg>`" in said
    assert "<value>" not in told(("pytest -n 4 unit", 4, "error: 4 is too many"), ("pytest unit", 0))


@given(st.text("abc/-. >", max_size=20), st.text("abc/-. >", max_size=20))
def test_commands_differ_in_one_plain_word_or_in_none(a: str, b: str) -> None:
    left, right = (parse_command(f"make {x}") for x in (a, b))
    if not left or not right:
        return
    swap = swapped(left[-1], right[-1])
    if swap is not None:
        assert swap.old != swap.new
        assert not set(" <>|") & {*swap.old, *swap.new}
    assert from_its_folder(left[-1], right) is None


@given(
    st.lists(st.sampled_from(["v1", "v2", "a", "b", "7"]), max_size=4),
    st.lists(st.sampled_from(["v1", "v2", "a", "b", "7"]), max_size=4),
)
def test_addresses_are_told_apart_by_their_version_only(a: list[str], b: list[str]) -> None:
    found = other_part(f"http://h/{'/'.join(a)}", f"http://h/{'/'.join(b)}")
    differ = [(x, y) for x, y in zip(a, b, strict=False) if x != y]
    one = len(a) == len(b) and len(differ) == 1 and {*differ[0]} == {"v1", "v2"}
    assert (found is not None) == one
    if found is not None:
        assert differ[0][0] in found[0].split("/")
        assert differ[0][1] in found[1].split("/")
