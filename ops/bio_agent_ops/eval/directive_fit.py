"""Weights of the wording score of directives: `python -m bio_agent_ops.eval.directive_fit [ROWS…] > directive_weights.txt`.

A logistic regression with an L2 penalty over the features of single sentences, by Adam on the whole set; deterministic. Each
row has lang, text, speaker, is_directive. What others said and answers to a question teach nothing: the grammar rules on them.
All sentences of a turn without a directive are examples of none; of a turn with one, the likeliest by a first fit is the
example. Without ROWS the rows are those the shipped weights come from.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bio_agent_ops.eval.adam import Matrix, descend
from bio_agent_workers.brain.directives.ownership import own_words
from bio_agent_workers.brain.directives.parts import MASK, sentences
from bio_agent_workers.brain.directives.score import BIAS, SCALE, features, score

SHIPPED = Path(__file__).parents[1] / "data" / "directive_rows.jsonl"
PENALTY = 0.08
STEPS, RATE = 250, 0.05
FEWEST = 4  # sentences a feature must stand in
#: A speaker whose turn the grammar reads: the owner, also with quoted or pasted words in it.
TYPED = ("owner", "pasted", "quoted", "")


@dataclass(frozen=True, slots=True)
class Examples:
    """Sentences with their labels, and the sentences of each turn that holds a directive somewhere."""

    said: tuple[str, ...]
    labels: tuple[bool, ...]
    somewhere: tuple[tuple[str, ...], ...]


def examples(rows: Sequence[Mapping[str, Any]]) -> Examples:
    said: dict[str, bool] = {}
    somewhere: list[tuple[str, ...]] = []
    for row in rows:
        if row.get("context") or (row.get("speaker") or "") not in TYPED:
            continue
        own = [s.masked.replace(MASK, " ").strip() for s in sentences(own_words(row["text"])) if not s.only_quote]
        if row["is_directive"] and len(own) > 1:
            somewhere.append(tuple(own))
        for sentence in own if not row["is_directive"] or len(own) == 1 else ():
            # A sentence that is a rule elsewhere is one here too: a jest or a correction took this one back.
            said[sentence] = bool(row["is_directive"]) or said.get(sentence, False)
    return Examples(tuple(said), tuple(said.values()), tuple(somewhere))


def fit(said: Sequence[str], labels: Sequence[bool]) -> dict[str, float]:
    """Feature → weight. Both labels weigh the same in all."""
    found = [features(s) for s in said]
    counts = Counter(gram for grams in found for gram in set(grams))
    names = sorted(gram for gram, n in counts.items() if n >= FEWEST)
    place = {gram: i for i, gram in enumerate(names)}
    columns = [sorted(place[g] for g in grams if g in place) for grams in found]
    row = np.repeat(np.arange(len(said)), [len(c) for c in columns])
    column: NDArray[np.int64] = np.array([i for c in columns for i in c], dtype=np.int64)
    size = np.array([1.0 / np.sqrt(max(1, len(grams))) for grams in found])
    target = np.array(labels, dtype=np.float64)
    yes = max(1.0, target.sum())
    weight = np.where(target > 0, len(said) / (2 * yes), len(said) / (2 * max(1.0, len(said) - yes)))

    def slopes(w: list[Matrix]) -> list[Matrix]:
        total = np.bincount(row, weights=w[0][column], minlength=len(said)) * size + w[1][0]
        g = (1 / (1 + np.exp(-np.clip(total, -30, 30))) - target) * weight
        slope = np.bincount(column, weights=(g * size)[row], minlength=len(names)) + PENALTY * w[0]
        return [slope, np.array([g.sum()])]

    w, bias = descend([np.zeros(len(names)), np.zeros(1)], slopes, steps=STEPS, rate=RATE)
    return {BIAS: float(bias[0]), **{n: float(x) for n, x in zip(names, w, strict=True)}}


def fitted(rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    found = examples(rows)
    by = fit(found.said, found.labels)
    likeliest = [max(turn, key=lambda s: score(s, by)) for turn in found.somewhere]
    return fit([*found.said, *likeliest], [*found.labels, *(True for _ in likeliest)])


def written(by: Mapping[str, float]) -> str:
    """One "weight<tab>feature" a line, a weight as a whole number; those that round to nothing are left out."""
    whole = {gram: round(weight * SCALE) for gram, weight in by.items()}
    return "".join(f"{n}\t{gram}\n" for gram, n in sorted(whole.items()) if n)


def main(paths: Sequence[str]) -> None:
    rows = [json.loads(line) for p in paths for line in Path(p).read_text("utf-8").splitlines() if line.strip()]
    sys.stdout.write(written(fitted(rows)))


if __name__ == "__main__":
    main(sys.argv[1:] or [str(SHIPPED)])
