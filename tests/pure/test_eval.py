"""The evaluation's own measuring: files read and refused, shares and intervals, what a rule must mention."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_ops.eval import cases, contradictions, directives, distill, guard, recall, redaction, rows
from bio_agent_ops.eval.bm25 import BM25, ranked
from bio_agent_ops.eval.command import group
from bio_agent_ops.eval.report import NO_ANSWERS, Result, as_json
from bio_agent_ops.eval.scoring import Score, wilson


def write(path: Path, lines: list[object]) -> Path:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text(text + "\n", encoding="utf-8")
    return path


# ----------------------------------------------------------------------------------------------------------- intervals


def test_wilson_as_in_the_literature() -> None:
    low, high = wilson(8, 10)
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)
    assert wilson(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="no proportion"):
        wilson(3, 2)


@given(st.integers(0, 500), st.integers(0, 500))
def test_wilson_holds_the_share_and_narrows_with_more(k: int, more: int) -> None:
    n = k + more
    low, high = wilson(k, n)
    assert 0 <= low <= high <= 1
    if n:
        assert low <= k / n <= high
        wider = wilson(k * 4, n * 4)
        assert wider[1] - wider[0] <= high - low


@given(st.integers(0, 200), st.integers(1, 200))
def test_wilson_is_the_same_seen_from_the_other_side(k: int, more: int) -> None:
    n = k + more
    low, high = wilson(k, n)
    other = wilson(n - k, n)
    assert low == pytest.approx(1 - other[1], abs=1e-9)
    assert high == pytest.approx(1 - other[0], abs=1e-9)


def test_score_counts_in_all_and_by_group() -> None:
    score = Score()
    for hit, lang in ((True, "en"), (False, "vi"), (True, "vi")):
        score.add("right", hit, lang=lang)
    assert score.totals()["right"]["k"] == 2
    assert score.groups()["lang"]["vi"]["right"] == {"k": 1, "n": 2, "share": 0.5, "low": 0.0945, "high": 0.9055}


# --------------------------------------------------------------------------------------------------------------- files


@pytest.mark.parametrize(
    "line, why",
    [
        ("{not json", "not JSON"),
        ("[1, 2]", "not an object"),
        ('{"id": "x", "a": "one"}', "no field 'b'"),
        ('{"id": "x", "a": "one", "b": 3}', "field 'b' must be"),
        ('{"id": "", "a": "one", "b": "two"}', "field 'id' must be"),
        ('{"id": "x", "a": "one", "b": "two", "relation": "friends"}', "field 'relation' must be one of"),
        ('{"id": "good", "a": "one", "b": "two"}', "before"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_line_that_is_no_row_is_refused_with_its_place_and_the_rest_goes_on(
    tmp_path: Path, line: str, why: str
) -> None:
    good = {"id": "good", "a": "Run the tests.", "b": "Skip the tests."}
    other = {"id": "other", "a": "Run the tests.", "b": "Skip the tests."}
    read, refused = rows.read(write(tmp_path / "f.jsonl", [good, "", line, other]), contradictions.FORM)
    assert [r["id"] for r in read] == ["good", "other"]
    assert [(r.file, r.line) for r in refused] == [("f.jsonl", 3)]
    assert why in refused[0].reason


def test_bytes_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "f.jsonl"
    file.write_bytes(b'{"id": "x", "text": "\xff"}\n')
    read, refused = rows.read(file, directives.FORM)
    assert not read
    assert "UTF-8" in refused[0].reason


@pytest.mark.parametrize(
    "form, row",
    [
        (distill.FORM, {"id": "a", "observations": []}),
        (distill.FORM, {"id": "a", "observations": [{}], "expect": {"rules": [{"must_mention": ["("]}]}}),
        (guard.FORM, {"id": "a", "rule": {"text": "x", "kind": "law"}, "call": {"tool": "Bash"}}),
        (guard.FORM, {"id": "a", "rule": {"text": "x", "kind": "core"}, "call": {"tool": "Bash", "now": "2026-12-01"}}),
        (recall.CORPUS, {"id": "a", "content": "x y", "ts": "yesterday"}),
        (cases.FORM, {"id": "a", "input": {"events": []}}),
        (redaction.FORM, {"id": "a", "content_parts": ["a"], "spans_parts": [[1]]}),
    ],
)
def test_forms_know_their_rows(form: rows.Form, row: dict[str, object]) -> None:
    assert form.fault(row)


# ------------------------------------------------------------------------------------------------------- the commands


def called(*argv: str) -> tuple[int, dict[str, object], str]:
    done = CliRunner().invoke(group, [*argv, "--json"])
    return done.exit_code, json.loads(done.stdout), done.stderr


def test_directives(tmp_path: Path) -> None:
    file = write(tmp_path / "d.jsonl", [
        {"id": "1", "lang": "en", "text": "Never commit straight to main.", "speaker": "owner", "is_directive": True},
        {"id": "2", "lang": "en", "text": "What is the weather like?", "speaker": "owner", "is_directive": False},
        {"id": "3", "lang": "en", "text": "Never commit straight to main.", "speaker": "assistant", "is_directive": False},
    ])  # fmt: skip
    code, got, _ = called("directives", str(file))
    assert code == 0
    assert [(i["id"], i["is_directive"]) for i in got["items"]] == [("1", True), ("2", False), ("3", False)]
    assert got["totals"]["right"]["k"] == got["totals"]["right"]["n"] == 3
    assert got["by"]["kind"]["assistant, none"]["right"]["n"] == 1
    assert got["conditions"]["models"]["backend"]


def test_questions_without_answers_are_answered_and_not_scored(tmp_path: Path) -> None:
    file = write(tmp_path / "d.jsonl", [{"id": "1", "text": "Never commit straight to main.", "speaker": "owner"}])
    code, got, _ = called("directives", str(file))
    assert code == 0
    assert got["totals"] == NO_ANSWERS
    assert got["items"][0]["is_directive"] is True


def test_refused_lines_end_with_code_2_and_are_named(tmp_path: Path) -> None:
    file = write(tmp_path / "d.jsonl", ["{", {"id": "1", "text": "Never commit straight to main."}])
    code, got, err = called("directives", str(file))
    assert code == 2
    assert "d.jsonl:1" in err
    assert got["refused"][0]["line"] == 1
    assert len(got["items"]) == 1


def test_contradictions_have_a_curve_and_the_keys_of_their_form(tmp_path: Path) -> None:
    file = write(tmp_path / "c.jsonl", [
        {"id": "1", "lang": "en", "a": "Never force push to main.", "b": "Always force push to main.", "relation": "contradiction",
         "exception_of": None},
        {"id": "2", "lang": "en", "a": "Soup is served at noon.", "b": "Back up the database.", "relation": "neutral",
         "exception_of": None},
    ])  # fmt: skip
    code, got, _ = called("contradictions", str(file))
    assert code == 0
    assert {"id", "relation", "exception_of", "decided_by"} <= got["items"][0].keys()
    assert got["items"][0]["relation"] == "contradiction"
    assert got["items"][1]["decided_by"] == "undecided"
    recalls = [p["recall"] for p in got["curve"]]
    assert recalls == sorted(recalls, reverse=True), "a stricter threshold finds no more"
    assert got["totals"]["false alarms (other pairs called so)"]["k"] == 0


def test_redaction_counts_what_is_left_and_what_is_lost(tmp_path: Path) -> None:
    secret = ["gh", "p_", "x7Kq2mZp9LwTn4Rb", "8VsYc3Fd6HjGa1Eu0QiO"]
    file = write(tmp_path / "r.jsonl", [
        {"id": "1", "kind": "github", "secret": True, "content_parts": ["token ", *secret, " used"], "spans_parts": [secret],
         "keep": ["used"]},
        {"id": "2", "kind": "prose", "secret": False, "content_parts": ["the harbour is ", "blue"], "spans_parts": [["harbour"]],
         "keep": ["green"]},
    ])  # fmt: skip
    code, got, _ = called("redaction", str(file))
    assert code == 0
    assert [(i["spans_left"], i["keep_lost"]) for i in got["items"]] == [(0, 0), (1, 1)]
    assert got["misses"]["prose"] == {"secret left": 1, "more than the secret taken": 1}


def test_the_report_for_a_person_names_the_interval(tmp_path: Path) -> None:
    file = write(
        tmp_path / "d.jsonl", [{"id": "1", "text": "What time is it?", "speaker": "owner", "is_directive": True}]
    )
    done = CliRunner().invoke(group, ["directives", str(file)])
    assert "0/1  0.000  [0.000, 0.793]" in done.stdout
    assert "not found" in done.stdout


def test_half_a_character_never_breaks_the_output() -> None:
    result = Result("x", items=[{"id": "1", "text": "half \ud835 of it", "zh": "规则"}])
    data = as_json(result)
    assert json.loads(data)["items"][0]["text"] == "half \ud835 of it"
    assert "规则".encode() in data


# ------------------------------------------------------------------------------------------------------------- scoring


def test_one_rule_must_hold_every_pattern() -> None:
    wanted = ["17:00|5 ?pm", "ICT|UTC ?\\+ ?7"]
    assert distill.mentions_all("The cut-off is 5 PM (utc+7).", wanted)
    assert not distill.mentions_all("The cut-off is 17:00.", wanted)
    assert distill.mentions_all("Hi\u1ec7u", ["Hie\u0323\u0302u"]), "the same letters, composed or not"


@pytest.mark.parametrize(
    "given, secrets", [([], []), (["a"], ["a"]), ([{"index": 1, "secret": "b"}], ["b"]), (None, [])]
)
def test_secrets_of_a_row(given: object, secrets: list[str]) -> None:
    assert distill.secrets_of({"secret": given}) == secrets


def test_stale_above_fresh() -> None:
    q = {"relevant": ["new"], "stale": ["old"]}
    assert recall.stale_above(q, ["other", "old", "new"])
    assert recall.stale_above(q, ["old"])
    assert not recall.stale_above(q, ["new", "old"])
    assert not recall.stale_above(q, [])


def test_bm25_prefers_the_rare_word_and_leaves_out_what_shares_none() -> None:
    documents = [
        ["the", "oven", "is", "hot"],
        ["the", "door", "is", "open"],
        ["the", "oven", "door", "sticks"],
        ["rain"],
    ]
    order = ranked(BM25(documents).scores(["the", "hot", "oven"]), ["a", "b", "c", "d"])
    assert order[0] == "a"
    assert set(order) == {"a", "b", "c"}


@given(
    st.lists(st.lists(st.sampled_from("abcde"), max_size=6), max_size=6),
    st.lists(st.sampled_from("abcdef"), max_size=4),
)
def test_bm25_scores_are_zero_exactly_without_a_common_word(documents: list[list[str]], query: list[str]) -> None:
    for document, score in zip(documents, BM25(documents).scores(query), strict=True):
        assert (score > 0) == bool(set(document) & set(query))


# ------------------------------------------------------------------------------------------------ what help and rows say

EXAMPLES = Path(__file__).resolve().parents[2] / "ops" / "examples" / "eval"
FORMS = {
    "contradictions": [contradictions.FORM], "distill": [distill.FORM], "recall": [recall.CORPUS, recall.QUERIES],
    "cases": [cases.FORM], "directives": [directives.FORM], "redaction": [redaction.FORM], "guard": [guard.FORM],
}  # fmt: skip


@pytest.mark.parametrize("verb", FORMS)
def test_the_help_names_every_field_and_an_example_that_is_there(verb: str) -> None:
    said = CliRunner().invoke(group, [verb, "--help"]).output
    words = set(re.findall(r"\w+", said))
    for form in FORMS[verb]:
        assert not (set(form.question) | set(form.answer)) - words
    named = re.search(r"ops/examples/eval/(\S+)", said)
    assert named is not None
    shown = (EXAMPLES / named[1]).read_text("utf-8").splitlines()
    assert not {field for line in shown for field in json.loads(line)} - words, "what rows hold is explained"


def test_an_answer_under_another_name_is_warned_of(tmp_path: Path) -> None:
    file = write(tmp_path / "d.jsonl", [
        {"id": "a", "text": "Always ask me first.", "directive": True, "lang": "en"},
        {"id": "b", "text": "Tea is at four.", "is_directive": False, "author": "me"},
        {"id": "c", "text": "Tea is at five.", "lang": "en"},
    ])  # fmt: skip
    done = CliRunner().invoke(group, ["directives", str(file)])
    assert done.exit_code == 0
    assert done.stderr.count("warning:") == 1, "an answered row may hold more, and one without anything is just asked"
    assert "1 rows (such as a) have no is_directive" in done.stderr
    assert "directive" in done.stderr.rpartition("reads their")[2]


def test_the_examples_that_need_no_database_are_scored_and_right() -> None:
    for verb in ("contradictions", "directives", "redaction"):
        done = CliRunner().invoke(group, [verb, str(EXAMPLES / f"{verb}.jsonl"), "--json"])
        assert done.exit_code == 0, done.output
        result = json.loads(done.stdout)
        assert result["misses"] == {}, verb
        assert result["totals"] != NO_ANSWERS
        assert not done.stderr
