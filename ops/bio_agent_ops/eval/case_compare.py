"""How facts are compared with what is expected of them: numbers with bounds, words with words, texts with what they hold."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bio_agent_ops.eval import case_lexicon as lexicon
from bio_agent_ops.eval import case_words

_LAYERS = ("adaptive", "project", "core")
_OUTCOMES = ("accepted", "rejected")


class NotSupported(Exception):
    """There is no adapter for this; the message says for what."""


def typed(text: str) -> Any:
    """A number or flag that is written as text."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def number_of(value: Any, ending: str) -> Any:
    """A bound that can be compared. Raises NotSupported for one that is none ("few")."""
    if ending == "_range" and isinstance(value, (list, tuple)) and len(value) == 2:
        return value
    if ending != "_range" and isinstance(value, (int, float)):
        return value
    raise NotSupported(f"the bound {value!r}"[:80])


def word_of(value: Any) -> Any:
    """A word in the form in which two that mean the same are equal: "denied" and "block", "Duplicate" and "equivalent"."""
    if not isinstance(value, str):
        return value
    said = "_".join(lexicon.split(value)) or value.casefold()
    return case_words.VALUES.get(said, said)


def same(found: Any, value: Any) -> bool:
    """Whether a fact is the value; a list of values for one word is a choice, so is `block|warn`."""
    if found == value:
        return True
    if isinstance(found, list):
        return False
    if isinstance(value, list):
        return any(same(found, v) for v in value)
    if isinstance(found, str) and isinstance(value, str):
        if "|" in value:
            return any(same(found, v) for v in value.split("|"))
        outcome = found.partition(":")[0]  # "rejected: too long"
        return bool(word_of(found) == word_of(value) or (outcome in _OUTCOMES and word_of(outcome) == word_of(value)))
    return False


def _within(value: float, bounds: Any) -> bool:
    return bool(bounds[0] <= value <= bounds[1])


COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "_max": lambda value, most: bool(value <= most),
    "_min": lambda value, least: bool(value >= least),
    "_below": lambda value, bound: bool(value < bound),
    "_above": lambda value, bound: bool(value > bound),
    "_count": lambda value, count: bool(value == count),
    "_range": _within,
}


OF_VALUES: Mapping[str, Callable[[Any, Any], bool]] = {
    "_is_number": lambda found, value: (isinstance(found, (int, float)) and math.isfinite(found)) is value,
    "_is": same,
    "_not_in": lambda found, values: (
        not any(same(found, v) for v in (values if isinstance(values, list) else [values]))
    ),
    "_in": lambda found, values: any(same(found, v) for v in (values if isinstance(values, list) else [values])),
    "_not": lambda found, value: not same(found, value),
}
OPPOSITES: Mapping[str, str] = {
    "_contains": "_not_contains", "_not_contains": "_contains_any", "_present": "_absent", "_in": "_not_in", "_is": "_not",
    "_starts": "_not_starts", "_ends": "_not_ends", "_matches": "_not_matches",
    "_empty": "_nonempty", "_nonempty": "_empty", "_contains_any": "_not_contains",
}  # fmt: skip


def _none_holds(texts: Sequence[str], words: Sequence[str]) -> bool:
    return not any(w.casefold() in t.casefold() for w in words for t in texts)


OF_TEXTS: Mapping[str, Callable[[Sequence[str], Sequence[str]], bool]] = {
    # The longest endings first: each is also the end of none before it.
    "_not_contains_concat": lambda texts, parts: not any("".join(parts) in t for t in texts),
    "_not_contains": lambda texts, words: not any(w in t for w in words for t in texts),
    "_contains_any": lambda texts, words: any(w in t for t in texts for w in words),
    "_contains": lambda texts, words: all(any(w in t for t in texts) for w in words),
    "_equals": lambda texts, words: sorted(texts) == sorted(words),
    "_absent": _none_holds,
    "_present": lambda texts, words: all(any(w.casefold() in t.casefold() for t in texts) for w in words),
    "_not_starts": lambda texts, words: not any(t.startswith(w) for w in words for t in texts),
    "_not_ends": lambda texts, words: not any(t.rstrip().endswith(w) for w in words for t in texts),
    "_not_matches": lambda texts, patterns: not any(re.search(p, t) for p in patterns for t in texts),
    "_matches": lambda texts, patterns: all(any(re.search(p, t) for t in texts) for p in patterns),
    "_starts": lambda texts, words: bool(texts) and all(any(t.startswith(w) for w in words) for t in texts),
    "_ends": lambda texts, words: bool(texts) and all(any(t.rstrip().endswith(w) for w in words) for t in texts),
}


def at_most_layer(layers: Sequence[str], most: str) -> bool:
    return all(_LAYERS.index(layer) <= _LAYERS.index(most) for layer in layers)
