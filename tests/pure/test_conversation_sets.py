"""Public sets of conversations, each read from a tiny file in the form it is published in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_ops.eval.conversation_sets import SetError, fact_consolidation, made_facts, read


def written(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), "utf-8")
    return path


def entry(question_id: str) -> dict[str, Any]:
    return {
        "question_id": question_id, "question_type": "knowledge-update", "question": "How many bees are in the hive?",
        "answer": "900", "question_date": "2023/06/02 (Fri) 10:00", "haystack_session_ids": ["s_1", "s_2"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/27 (Sat) 11:05"], "answer_session_ids": ["s_2"],
        "haystack_sessions": [
            [{"role": "user", "content": "The hive has 400 bees."}, {"role": "assistant", "content": "Noted."}],
            [{"role": "user", "content": "The hive has 900 bees now.", "has_answer": True}],
        ],
    }  # fmt: skip


def test_longmemeval(tmp_path: Path) -> None:
    plain, without = read(written(tmp_path / "oracle.json", [entry("q1"), entry("q2_abs")]))
    assert [t.session for t in plain.turns] == ["s_1", "s_1", "s_2"]
    assert plain.turns[2].at.isoformat() == "2023-05-27T11:05:00+00:00"
    question = plain.questions[0]
    assert question.relevant == (plain.turns[2].id,)
    assert question.sessions == ("s_2",)
    assert without.questions[0].relevant == without.questions[0].sessions == ()  # nothing in the haystack answers it


def test_fact_consolidation(tmp_path: Path) -> None:
    row = {
        "context": "Here is a list of facts:\n0. The keeper of Elm House is Orla.\n1. The roof of Elm House is red.\n"
        "2. The keeper of Elm House is Bram.\n",
        "questions": ["Who is the keeper of Elm House?"], "answers": [["Bram"]], "metadata": {"source": "factconsolidation_sh_6k"},
    }  # fmt: skip
    (found,) = read(written(tmp_path / "sample.json", row))
    assert found.turns[0].text == "The keeper of Elm House is Orla."
    question = found.questions[0]
    assert question.newer == ("2",)
    assert question.older == ("0",)
    hops = row | {"metadata": {"source": "factconsolidation_mh_6k"}}
    assert fact_consolidation(hops, 0).questions[0].relevant == ()


def test_rows_may_stand_one_a_line(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text("\n".join(json.dumps(entry(f"q{n}")) for n in range(3)), "utf-8")
    assert [c.id for c in read(path)] == ["q0", "q1", "q2"]


def test_beam(tmp_path: Path) -> None:
    chat = tmp_path / "100K" / "1"
    chat.mkdir(parents=True)
    written(chat / "chat.json", [{"batch_number": 1, "turns": [[
        {"id": 0, "role": "user", "content": "The kiln reaches 900 degrees. ->-> 1,1", "time_anchor": "March-15-2024"},
        {"id": 1, "role": "assistant", "content": "Good."},
        {"id": 2, "role": "user", "content": "I never fired the kiln."},
    ]]}])  # fmt: skip
    written(chat / "probing_questions.json", {
        "contradiction_resolution": [{
            "question": "Did I fire the kiln?", "source_chat_ids": {"first_statement": [0], "second_statement": [2]},
        }],
        "instruction_following": [{"question": "How hot?", "source_chat_ids": "[1]"}],
    })  # fmt: skip
    (found,) = read(tmp_path)
    assert found.turns[0].text == "The kiln reaches 900 degrees."
    assert found.questions[0].sides == (("0",), ("2",))
    assert found.questions[1].present == ("1",)


@given(st.integers(0, 10_000))
def test_of_made_facts_the_newest_holds(seed: int) -> None:
    row = made_facts(seed, subjects=5, updates=2)
    assert row == made_facts(seed, subjects=5, updates=2)
    found = fact_consolidation(row, 0)
    assert len(found.turns) == 15
    for question, answers in zip(found.questions, row["answers"], strict=True):
        newest = next(t for t in found.turns if t.id == question.newer[0])
        assert answers[0] in newest.text
        assert all(int(older) < int(newest.id) for older in question.older)


def test_another_form_is_refused_with_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(SetError, match="haystack_sessions"):
        list(read(written(tmp_path / "other.json", [{"dialogue": []}])))
