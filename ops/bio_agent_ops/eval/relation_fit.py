"""Weights of the relation of two rules from labelled pairs: `python -m bio_agent_ops.eval.relation_fit [ROWS…] > weights.json`.

A multinomial logistic regression with an L2 penalty, by Adam on the whole set; deterministic. Each row has a, b, relation
and, for an exception, exception_of (the general side). Pairs of rows that have nothing to do with each other are added as
neutral, so that cues of an exception alone make none. Without ROWS the pairs are those the shipped weights come from.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bio_agent_ops.eval.adam import Matrix, descend
from bio_agent_workers.brain.relations import validity
from bio_agent_workers.brain.relations.relation_features import of_order, of_pair
from bio_agent_workers.brain.relations.relation_scores import BIAS, CLASSES
from bio_agent_workers.brain.relations.rule_pairs import apart, read_pair

SHIPPED = Path(__file__).parents[1] / "data" / "relation_rows.jsonl"
PENALTY = 0.5
STEPS, RATE = 1_500, 0.05
SHUFFLED, SHUFFLED_WEIGHT = 10, 0.1  # partners tried for each row, and what an unrelated pair weighs
_LABELS = {"neutral": 0, "contradiction": 1, "equivalent": 2}


@dataclass(frozen=True, slots=True)
class Data:
    pair: Matrix
    a_special: Matrix
    b_special: Matrix
    labels: NDArray[np.int64]
    weights: Matrix
    pair_names: tuple[str, ...]
    order_names: tuple[str, ...]


def label(row: Mapping[str, Any]) -> int:
    if row["relation"] == "governed_exception":
        return 3 if row["exception_of"] == "b" else 4
    return _LABELS[row["relation"]]


def settled(a: str, b: str) -> bool:
    """Whether a pair is settled before any score."""
    return validity.disjoint(a, b) or bool(apart(read_pair(a, b)))


def unrelated(rows: Sequence[Mapping[str, Any]], times: int = SHUFFLED) -> list[dict[str, Any]]:
    """Pairs of texts of different rows that happen to share a word, the same ones at every call."""
    n = len(rows)
    order = [int(i) for i in np.random.default_rng(7).permutation(n)]
    tried = ((order[k], order[(k + shift) % n]) for shift in range(1, min(times, n - 1) + 1) for k in range(n))
    made = [{"a": rows[i]["a"], "b": rows[j]["b"], "relation": "neutral", "exception_of": None} for i, j in tried]
    return [r for r in made if not settled(r["a"], r["b"])]


def data(rows: Sequence[Mapping[str, Any]], extra: Sequence[Mapping[str, Any]] = ()) -> Data:
    """Features of labelled rows and, at a lower weight, of unrelated pairs."""
    read = [read_pair(r["a"], r["b"]) for r in (*rows, *extra)]
    pairs = [of_pair(p) for p in read]
    firsts, seconds = [of_order(p, "a") for p in read], [of_order(p, "b") for p in read]
    names, orders = tuple(pairs[0]), tuple(firsts[0])

    def matrix(found: Sequence[Mapping[str, float]], columns: Sequence[str]) -> Matrix:
        return np.array([[f[c] for c in columns] for f in found], dtype=np.float64)

    ones = np.ones((len(read), 1))
    weight = np.array([1.0] * len(rows) + [SHUFFLED_WEIGHT] * len(extra))
    return Data(
        np.concatenate([matrix(pairs, names), ones], axis=1), matrix(firsts, orders), matrix(seconds, orders),
        np.array([label(r) for r in (*rows, *extra)], dtype=np.int64), weight, (*names, BIAS), orders,
    )  # fmt: skip


def scores(found: Sequence[Matrix], pair: Matrix, a_special: Matrix, b_special: Matrix) -> Matrix:
    contradiction, equivalent, exception, order = found
    either = pair @ exception
    return np.stack(
        [
            np.zeros(len(pair)), pair @ contradiction, pair @ equivalent, either + a_special @ order,
            either + b_special @ order,
        ],
        axis=1,
    )  # fmt: skip


def softmax(s: Matrix) -> Matrix:
    e = np.exp(s - s.max(axis=1, keepdims=True))
    found: Matrix = e / e.sum(axis=1, keepdims=True)
    return found


def fit(d: Data, chosen: NDArray[np.int64] | None = None, penalty: float = PENALTY) -> list[Matrix]:
    """[contradiction, equivalent, exception, order]; chosen: rows to fit on, all when None."""
    rows = np.arange(len(d.labels)) if chosen is None else chosen
    pair, a_special, b_special = d.pair[rows], d.a_special[rows], d.b_special[rows]
    target = np.eye(len(CLASSES))[d.labels[rows]]
    weight = d.weights[rows][:, None]
    held = np.ones(pair.shape[1])
    held[-1] = 0.1  # the bias

    def slopes(w: list[Matrix]) -> list[Matrix]:
        g = (softmax(scores(w, pair, a_special, b_special)) - target) * weight
        return [
            pair.T @ g[:, 1] + penalty * held * w[0],
            pair.T @ g[:, 2] + penalty * held * w[1],
            pair.T @ (g[:, 3] + g[:, 4]) + penalty * held * w[2],
            a_special.T @ g[:, 3] + b_special.T @ g[:, 4] + penalty * w[3],
        ]

    start = [np.zeros(pair.shape[1]) for _ in range(3)] + [np.zeros(a_special.shape[1])]
    return descend(start, slopes, steps=STEPS, rate=RATE)


def named(found: Sequence[Matrix], d: Data) -> dict[str, dict[str, float]]:
    columns = (d.pair_names, d.pair_names, d.pair_names, d.order_names)
    return {
        name: {c: round(float(x), 3) for c, x in zip(names, w, strict=True) if abs(x) >= 0.0005}
        for name, names, w in zip(("contradiction", "equivalent", "exception", "order"), columns, found, strict=True)
    }


def main(paths: Sequence[str]) -> None:
    rows = [json.loads(line) for p in paths for line in Path(p).read_text("utf-8").splitlines() if line.strip()]
    rows = [r for r in rows if not settled(r["a"], r["b"])]
    d = data(rows, unrelated(rows))
    json.dump(named(fit(d), d), sys.stdout, indent=0, ensure_ascii=False)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:] or [str(SHIPPED)])
