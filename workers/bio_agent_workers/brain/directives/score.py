"""How likely one sentence is a standing directive: a logistic regression over its wording and what grammar says of it.

Its features are its n-grams, each once, and the cues of `grammar.cues`, each CUE_TIMES, so that a few cues are not drowned by
a hundred n-grams. An n-gram is a run of one to four characters, two or three words in a row, or the first one to three words.
The sum is divided by the square root of the number of features, so that a long sentence weighs no more than a short one. The
weights stand in `words/directive_weights.txt`; `bio_agent_ops.eval.directive_fit` makes them from labelled rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from bio_agent_workers.brain.directives.grammar import cues

#: What the grammar takes for a directive is none at or below this.
UNLIKELY = 0.3
#: Above this a sentence is a directive (`reader.find` says what may still take it back). A missed one costs less than a
#: false one, which takes effect at once: hence above one half.
SURE = 0.65
CUE_TIMES = 4  # n-grams that a cue counts for
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


def features(sentence: str) -> list[str]:
    """The n-grams and cues of a sentence, a cue as often as it counts; none for a sentence without a word."""
    grams = sorted(ngrams(sentence))
    return grams + sorted(f"§{cue}" for cue in cues(sentence[:MAX_CHARS].strip())) * CUE_TIMES if grams else []


@cache
def weights() -> Mapping[str, float]:
    text = (files("bio_agent_workers.brain") / "words" / "directive_weights.txt").read_text("utf-8")
    pairs = (line.split("\t") for line in text.split("\n") if line)
    return {gram: int(whole) / SCALE for whole, gram in pairs}


def score(sentence: str, by: Mapping[str, float] | None = None) -> float:
    """The probability, 0 to 1, that the sentence is a standing directive; 0 for one without a word. by: feature → weight."""
    by = weights() if by is None else by
    found = features(sentence)
    if not found:
        return 0.0
    total = math.fsum(by.get(name, 0.0) for name in found) / math.sqrt(len(found)) + by.get(BIAS, 0.0)
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))
