"""A cross-encoder as judge: both orders count, and a folder that holds none says what it needs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bio_agent_schema.types import Relation
from bio_agent_workers.models import configured
from bio_agent_workers.models.cross_encoder import CrossEncoder, load
from bio_agent_workers.settings import Settings

LABELS = {0: "ENTAILMENT", 1: "neutral", 2: "Contradiction"}


def judge(there: list[float], back: list[float]) -> tuple[Relation, float]:
    def logits(premise: str, hypothesis: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.array(there if premise == "a" else back)

    return CrossEncoder(logits, LABELS, "m").relate("a", "b")


@pytest.mark.parametrize(
    ("there", "back", "relation"),
    [
        ([0, 0, 5], [0, 0, 4], Relation.CONTRADICTION),
        ([5, 0, 0], [4, 0, 0], Relation.EQUIVALENT),
        ([5, 0, 0], [0, 4, 0], Relation.NEUTRAL),  # one says more than the other
        ([0, 0, 5], [0, 9, 0], Relation.NEUTRAL),  # only one order speaks against it
    ],
)
def test_both_orders_count(there: list[float], back: list[float], relation: Relation) -> None:
    said, confidence = judge(there, back)
    assert said is relation
    assert 0 <= confidence <= 1
    assert judge(back, there)[1] == pytest.approx(confidence) or said is not Relation.CONTRADICTION


def test_labels_without_contradiction_are_refused() -> None:
    with pytest.raises(ValueError, match="no label contradiction"):
        CrossEncoder(lambda _a, _b: np.zeros(2), {0: "entailment", 1: "other"}, "m")


def test_a_folder_says_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"exactly one \.onnx file \(0 there\).*missing: tokenizer.json, config.json"):
        load(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"x")
    (tmp_path / "tokenizer.json").write_text("{}")
    (tmp_path / "config.json").write_text(json.dumps({"id2label": None}))
    with pytest.raises(ValueError, match="id2label"):
        configured(Settings(_env_file=None, nli_model_path=str(tmp_path)))  # type: ignore[call-arg]


def test_a_language_model_judges_pairs_unless_told_otherwise() -> None:
    def chosen(**more: str) -> str | None:
        given = Settings(
            _env_file=None, llm_backend="vllm", model_id="m", openai_base_url="http://127.0.0.1:9/v1", **more
        )  # type: ignore[call-arg,arg-type]
        nli = configured(given).nli
        return nli and nli.model_id

    assert chosen() == "m"
    assert chosen(nli_model_id="other") == "other"
    assert chosen(nli_model_id="none") is None
