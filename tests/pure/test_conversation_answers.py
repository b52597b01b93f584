"""What `POST /recall` at the root tells of each memory."""

from __future__ import annotations

from typing import Any

from bio_agent_ops.conversation_routes import told


def memory(name: str, score: float, **more: Any) -> dict[str, Any]:
    given = {"id": name, "content": name, "type": "semantic", "tags": [], "source": "", "importance": 5}
    return {**given, "superseded_by": None, "score": score, "kind": "semantic", **more}


def test_scores_fall_with_the_order_and_stay_within_one() -> None:
    answer = told([memory("newer", 0.76), memory("older", 1.06, superseded_by="newer"), memory("third", 0.5)])
    scores = [m["similarity_score"] for m in answer]
    assert [m["id"] for m in answer] == ["newer", "older", "third"]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 1.0
    assert told([memory("one", 0.4)])[0]["similarity_score"] == 0.4


def test_what_was_replaced_says_so_and_by_what() -> None:
    newer, older = told([memory("newer", 1.0), memory("older", 0.9, superseded_by="newer", partly_replaced=["8"])])
    assert (older["superseded"], older["superseded_by"], older["partly_replaced"]) == (True, "newer", ["8"])
    assert not {"superseded", "superseded_by", "partly_replaced"} & newer.keys()
