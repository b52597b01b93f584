"""How likely one sentence is a standing directive, by its wording alone: a logistic regression over the n-grams in it.

It knows no grammar and so errs elsewhere than the grammar does: `directives.find` lets the two agree. An n-gram is a run of
one to four characters, two or three words in a row, or the first one to three words. Each that occurs counts once, and the
sum is divided by the square root of their number, so that a long sentence weighs no more than a short one. The weights
stand in `words/directive_weights.txt`; `bio_agent_ops.eval.directive_fit` makes them from labelled rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

#: A sentence of the grammar's is no directive at or below this, whatever its form.
UNLIKELY = 0.12
#: Above this a sentence that asks for something is a directive without a form the grammar knows (see `find`).
SURE = 0.9
#: The same for one that shows no order, duty or ban.
SURE_BARE = 0.98
MAX_CHARS = 300  # of a sentence; what follows is not read
BIAS = "bias"
SCALE = 64.0  # the file holds whole numbers: a weight times SCALE
_BLANKS = re.compile(r"\s+")
_WORD = re.compile(r"\w+|[^\w\s]")


def ngrams(text: str) -> set[str]:
    """The n-grams of a sentence's first MAX_CHARS characters; those of words begin with "_", those of its start with "^"."""
    said = _BLANKS.sub(" ", text[:MAX_CHARS].lower()).strip()
    if not said:
        return set()
    padded = f" {said} "
    found = {padded[i : i + n] for n in range(1, 5) for i in range(len(padded) - n + 1)}
    words = _WORD.findall(said)
    found.update("^" + " ".join(words[:n]) for n in (1, 2, 3))
    for n in (2, 3):
        found.update("_" + " ".join(words[i : i + n]) for i in range(len(words) - n + 1))
    return found


@cache
def weights() -> Mapping[str, float]:
    text = (files("bio_agent_workers.brain") / "words" / "directive_weights.txt").read_text("utf-8")
    pairs = (line.split("\t") for line in text.split("\n") if line)
    return {gram: int(whole) / SCALE for whole, gram in pairs}


def score(sentence: str, by: Mapping[str, float] | None = None) -> float:
    """The probability, 0 to 1, that the sentence is a standing directive; 0 for one without a word. by: n-gram → weight."""
    by = weights() if by is None else by
    found = ngrams(sentence)
    if not found:
        return 0.0
    # Summed exactly, so that the order of a set changes nothing.
    total = math.fsum(by.get(gram, 0.0) for gram in found) / math.sqrt(len(found)) + by.get(BIAS, 0.0)
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))
