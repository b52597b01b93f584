"""What came of a case, and how an expectation is held against it.

A fact is a number, a word, a flag, or a list of texts. `rules_max: 0` asks of the fact `rules`, `stored_contains` of the
texts `stored`, and so on: an expectation is the name of a fact with what is asked of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bio_agent_ops.eval import case_words

_LAYERS = ("adaptive", "project", "core")
SHOWN_CHARS, SHOWN_TEXTS = 200, 12  # of a text, and of texts, in what is reported


class NotSupported(Exception):
    """There is no adapter for this; the message says for what."""


@dataclass(slots=True)
class Facts:
    """values: numbers, words, flags. texts: lists of texts by name. alternatives: flags that `either` may name."""

    values: dict[str, Any] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    alternatives: dict[str, bool] = field(default_factory=dict)
    checks: dict[str, Callable[[Any], bool]] = field(default_factory=dict)

    def meets(self, name: str, value: Any) -> bool:
        """Whether an expectation holds. Raises NotSupported when nothing is known of what it asks for."""
        try:
            return self._meets(name, value)
        except NotSupported:
            for base, ending in case_words.asked(name):
                if f"{base}{ending}" != name:
                    try:
                        return self._meets(f"{base}{ending}", value)
                    except NotSupported:
                        continue
            raise

    def _meets(self, name: str, value: Any) -> bool:
        if name in self.checks:
            return self.checks[name](value)
        if name in case_words.EITHER and isinstance(value, list):
            return self._any_of(value)
        if name in case_words.ALL and isinstance(value, list):
            return all(self._alternative(str(v)) for v in value)
        if name in self.values and not (isinstance(value, (list, str)) and name in self.texts):
            found = self.values[name]
            if isinstance(value, bool) and not isinstance(found, bool) and isinstance(found, (int, float)):
                return bool(found) is value
            return bool(found == value)
        for ending, holds in _COMPARISONS.items():
            base = name.removesuffix(ending)
            if name.endswith(ending) and (number := self._number(base)) is not None:
                return holds(number, value)
        for ending, all_of in _OF_TEXTS.items():
            base = name.removesuffix(ending)
            if name.endswith(ending):
                for known in (base, f"{base}s", f"{base.removesuffix('y')}ies"):
                    if known in self.texts:
                        return all_of(self.texts[known], value if isinstance(value, list) else [value])
        if name.endswith("_matches") and name.removesuffix("_matches") in self.texts:
            patterns = value if isinstance(value, list) else [value]
            return all(any(re.search(p, t) for t in self.texts[name.removesuffix("_matches")]) for p in patterns)
        for ending, wanted in (("_empty", 0), ("_nonempty", 1)):
            count = self._number(name.removesuffix(ending))
            if name.endswith(ending) and count is not None and isinstance(value, bool):
                return (min(count, 1) == wanted) is value
        for ending, fits in _OF_VALUES.items():
            base = name.removesuffix(ending)
            if name.endswith(ending) and base in self.values:
                return fits(self.values[base], value)
        denied = name.removeprefix("no_")
        if denied != name and isinstance(value, bool) and (found := self._number(denied)) is not None:
            return (not found) is value
        if isinstance(value, bool):
            if name in self.alternatives:
                return self.alternatives[name] is value
            if (bare := name.removeprefix("not_")) != name and bare in self.alternatives:
                return self.alternatives[bare] is not value
            if name in self.texts:
                return bool(self.texts[name]) is value
        if isinstance(value, str) and name in self.texts:
            return any(value.casefold() in t.casefold() for t in self.texts[name])
        if isinstance(value, list) and name in self.texts:
            return sorted(self.texts[name]) == sorted(map(str, value))
        raise NotSupported(f"the expectation {name!r}")

    def _number(self, name: str) -> float | None:
        """A fact as a number: itself, or how many texts it has."""
        value = self.values.get(name)
        if isinstance(value, (int, float)):
            return value
        return len(self.texts[name]) if name in self.texts else None

    def _any_of(self, names: Sequence[Any]) -> bool:
        """Whether one of the alternatives holds; those that nothing is known of do not, unless none is known."""
        known: list[bool] = []
        unknown: list[NotSupported] = []
        for name in names:
            try:
                held = (
                    all(self.meets(str(k), v) for k, v in name.items())
                    if isinstance(name, Mapping)
                    else self._alternative(str(name))
                )
                known.append(held)
            except NotSupported as why:
                unknown.append(why)
        if not any(known) and unknown:
            raise unknown[0]
        return any(known)

    def _alternative(self, name: str) -> bool:
        if name in self.alternatives:
            return self.alternatives[name]
        key, _, value = name.partition("=")
        if value and key in self.texts:
            return value in self.texts[key]
        if value and key in self.values:
            return str(self.values[key]) == value
        if isinstance(self.values.get(name), bool):
            return bool(self.values[name])
        if value:
            try:
                return self.meets(key, _typed(value))
            except NotSupported:
                pass
        for known, held in self.alternatives.items():
            if case_words.FACTS.get(name, name) == known or name == f"{known}_with_reason":
                return held
        raise NotSupported(f"the alternative {name!r}")

    def shown(self) -> dict[str, Any]:
        """The facts as they are reported: long texts cut, what is stored left out."""
        texts: Mapping[str, Sequence[str]] = {
            n: [t[:SHOWN_CHARS] for t in ts[:SHOWN_TEXTS]] for n, ts in self.texts.items() if n != "stored"
        }
        return {**self.values, **texts, **({"alternatives": self.alternatives} if self.alternatives else {})}


def _typed(text: str) -> Any:
    """A number or flag that is written as text."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def _within(value: float, bounds: Any) -> bool:
    return bool(bounds[0] <= value <= bounds[1])


_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "_max": lambda value, most: bool(value <= most),
    "_min": lambda value, least: bool(value >= least),
    "_count": lambda value, count: bool(value == count),
    "_range": _within,
}


_OF_VALUES: Mapping[str, Callable[[Any, Any], bool]] = {
    "_is": lambda found, value: bool(found == value),
    "_not_in": lambda found, values: found not in values,
    "_in": lambda found, values: found in values,
    "_not": lambda found, value: bool(found != value),
}


def _none_holds(texts: Sequence[str], words: Sequence[str]) -> bool:
    return not any(w.casefold() in t.casefold() for w in words for t in texts)


_OF_TEXTS: Mapping[str, Callable[[Sequence[str], Sequence[str]], bool]] = {
    # The longest endings first: each is also the end of none before it.
    "_not_contains_concat": lambda texts, parts: not any("".join(parts) in t for t in texts),
    "_not_contains": lambda texts, words: not any(w in t for w in words for t in texts),
    "_contains_any": lambda texts, words: any(w in t for t in texts for w in words),
    "_contains": lambda texts, words: all(any(w in t for t in texts) for w in words),
    "_equals": lambda texts, words: sorted(texts) == sorted(words),
    "_absent": _none_holds,
    "_present": lambda texts, words: all(any(w.casefold() in t.casefold() for t in texts) for w in words),
}


def at_most_layer(layers: Sequence[str], most: str) -> bool:
    return all(_LAYERS.index(layer) <= _LAYERS.index(most) for layer in layers)
