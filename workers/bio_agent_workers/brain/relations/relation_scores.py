"""The scores of two rules' relation: a weighted sum of features for each relation, turned into probabilities.

A multinomial logistic regression with shared weights for the two directions of an exception, so that swapping the rules
swaps the directions and nothing else. The weights stand in `words/relation_weights.json`; `bio_agent_ops.eval.relation_fit`
makes them from labelled pairs.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

BIAS = "bias"
CLASSES = ("neutral", "contradiction", "equivalent", "b is general", "a is general")


@dataclass(frozen=True, slots=True)
class Weights:
    """Feature → weight. exception: of the pair; order: of the special case against the general rule."""

    contradiction: Mapping[str, float]
    equivalent: Mapping[str, float]
    exception: Mapping[str, float]
    order: Mapping[str, float]


@cache
def weights() -> Weights:
    found = json.loads((files("bio_agent_workers.brain") / "words" / "relation_weights.json").read_text("utf-8"))
    return Weights(found["contradiction"], found["equivalent"], found["exception"], found["order"])


def total(features: Mapping[str, float], by: Mapping[str, float]) -> float:
    return by.get(BIAS, 0.0) + sum(value * by.get(name, 0.0) for name, value in features.items() if value)


def probabilities(
    pair: Mapping[str, float], a_special: Mapping[str, float], b_special: Mapping[str, float], by: Weights | None = None
) -> tuple[float, float, float, float, float]:
    """Of CLASSES, in that order; they add up to 1."""
    by = by or weights()
    exception = total(pair, by.exception)
    scores = (
        0.0,
        total(pair, by.contradiction),
        total(pair, by.equivalent),
        exception + total(a_special, by.order),
        exception + total(b_special, by.order),
    )
    return _softmax(scores)


def _softmax(scores: Sequence[float]) -> tuple[float, float, float, float, float]:
    top = max(scores)
    n, c, q, b, a = (math.exp(s - top) for s in scores)
    whole = n + c + q + b + a
    return n / whole, c / whole, q / whole, b / whole, a / whole


def reasons(features: Mapping[str, float], by: Mapping[str, float], most: int = 3) -> str:
    """The features that speak most for a relation, strongest first."""
    ranked = sorted(((value * by.get(name, 0.0), name) for name, value in features.items() if value), reverse=True)
    return ", ".join(name for weight, name in ranked[:most] if weight > 0)
