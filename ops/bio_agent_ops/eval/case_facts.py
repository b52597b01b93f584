"""What came of a case, and how an expectation is held against it.

A fact is a number, a word, a flag, or a list of texts. `rules_max: 0` asks of the fact `rules`, `stored_contains` of the
texts `stored`, and so on: an expectation is the name of a fact with what is asked of it. A name that is not spelled as here is
read word by word (case_reading); one that still meets no fact is not understood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from bio_agent_ops.eval import case_lexicon as lexicon
from bio_agent_ops.eval import case_words
from bio_agent_ops.eval.case_compare import (
    COMPARISONS,
    OF_TEXTS,
    OF_VALUES,
    OPPOSITES,
    NotSupported,
    at_most_layer,
    number_of,
    same,
    typed,
)
from bio_agent_ops.eval.case_reading import Reading, compared, readings

__all__ = ["Facts", "NotSupported", "at_most_layer", "same"]

SHOWN_CHARS, SHOWN_TEXTS = 200, 12  # of a text, and of texts, in what is reported
_TEXT = frozenset({"text"})
_THINGS = frozenset({"event", "memory", "rule"})
_STANDING = frozenset({"state", "status", "stat"})


@lru_cache(maxsize=8)
def _aliases() -> Mapping[str, Sequence[lexicon.Meant]]:
    """Canonical fact → what its other names mean."""
    found: dict[str, list[lexicon.Meant]] = {}
    for alias, canonical in case_words.FACTS.items():
        found.setdefault(canonical, []).append(lexicon.of_name(alias))
    return found


@dataclass(slots=True)
class Facts:
    """values: numbers, words, flags. texts: lists of texts by name. alternatives: flags that `either` may name.

    more: what else is known of the case, looked up only for an expectation that nothing here answers."""

    values: dict[str, Any] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    alternatives: dict[str, bool] = field(default_factory=dict)
    checks: dict[str, Callable[[Any], bool]] = field(default_factory=dict)
    more: Callable[[], Facts] | None = None
    failed: list[str] = field(default_factory=list)  # what a case expected on its way and did not find

    def meets(self, name: str, value: Any) -> bool:
        """Whether an expectation holds. Raises NotSupported when nothing is known of what it asks for."""
        for way in (self._meets, self._otherwise_named, self._of_value, self._joined, self._composed, self._looked_up):
            try:
                return way(name, value)
            except NotSupported:
                continue
        raise NotSupported(
            f"the expectation {name!r}" + ("" if isinstance(value, (dict, list)) else f" ({value!r})"[:80])
        )

    def held_against(self, expected: Mapping[str, Any]) -> tuple[list[str], list[str]]:
        """(names of the expectations that fail, what was not understood)."""
        failed, unknown = list(self.failed), []
        for name, value in expected.items():
            try:
                if not self.meets(name, value):
                    failed.append(name)
            except NotSupported as why:
                unknown.append(str(why))
        return failed, unknown

    # ------------------------------------------------------------------------------------------- names read as a whole

    def _otherwise_named(self, name: str, value: Any) -> bool:
        for base, ending in case_words.asked(name):
            if f"{base}{ending}" != name:
                try:
                    return self._meets(f"{base}{ending}", value)
                except NotSupported:
                    continue
        raise NotSupported(name)

    def _of_value(self, name: str, value: Any) -> bool:
        """The value says the comparison, or asks several things of one subject: {"min": 1}, {"contains": "x", "count": 2}."""
        if not isinstance(value, Mapping) or not value:
            raise NotSupported(name)
        if (pairs := compared(value)) is not None:
            return all(self.meets(f"{name}{how or '_is'}", v) for how, v in pairs)
        return all(self.meets(f"{name}_{part}", v) for part, v in value.items())

    def _joined(self, name: str, value: Any) -> bool:
        """`redacted_or_rejected`, `stored_and_recalled`: each part by itself, or with the words before the first."""
        for word, together in (("_or_", any), ("_and_", all)):
            if word in name and isinstance(value, bool):
                first, *rest = name.split(word)
                subject = first.rpartition("_")[0]
                held = [self.meets(first, True)]
                for part in rest:
                    try:
                        held.append(self.meets(part, True))
                    except NotSupported:
                        if not subject:
                            raise
                        held.append(self.meets(f"{subject}_{part}", True))
                return together(held) is value
        raise NotSupported(name)

    def _looked_up(self, name: str, value: Any) -> bool:
        if self.more is None:
            raise NotSupported(name)
        more, self.more = self.more, None
        found = more()
        self.values = {**found.values, **self.values}
        self.texts = {**found.texts, **self.texts}
        self.checks = {**found.checks, **self.checks}
        self.alternatives = {**found.alternatives, **self.alternatives}
        return self.meets(name, value)

    # --------------------------------------------------------------------------------------------- names read by words

    def _composed(self, name: str, value: Any) -> bool:
        for reading in readings(name):
            try:
                return self._as_word(reading, value)
            except NotSupported:
                pass
            for fact, opposed in self._named(reading):
                try:
                    return self._read(fact, reading, opposed, value)
                except NotSupported:
                    continue
            try:
                return self._audited(reading, value)
            except NotSupported:
                pass
        raise NotSupported(name)

    def _as_word(self, reading: Reading, value: Any) -> bool:
        """`blocked: true` of the word that the verdict is."""
        about = reading.about
        for fact, words in case_words.VOCABULARY.items():
            found = self.values.get(fact)
            for word in words if isinstance(found, str) and isinstance(value, bool) and not reading.comparison else ():
                others = (w for w, meant in case_words.VALUES.items() if meant == word)
                for said in map(lexicon.of_name, (word, *others)):
                    if said.words == about.words:
                        return (same(found, word) is (said.denied == about.denied)) is value
        raise NotSupported("a word")

    def _audited(self, reading: Reading, value: Any) -> bool:
        """`bisected_max`: how often the audit recorded it."""
        about = reading.about
        asked = about.words - {"audit"} if len(about.words) > 1 else about.words
        acts = [
            a
            for a in case_words.AUDITED
            if (w := lexicon.of_name(a).words) == about.words or ("audit" in about.words and asked <= w)
        ]
        if not acts or "audit" not in self.texts:
            raise NotSupported("an act of the audit")
        often = Facts(values={"often": sum(a in acts for a in self.texts["audit"])})
        return often._read("often", reading, about.denied, value)

    def _named(self, reading: Reading) -> Iterator[tuple[str, bool]]:
        """Facts that a reading is about, and whether it says the opposite of the fact."""
        about = reading.about
        for fact in list({**self.values, **self.texts, **self.checks, **self.alternatives}):
            own = lexicon.of_name(fact)
            for known in (own, *_aliases().get(fact, ())):
                texts = fact in self.texts and known is own
                one_of = fact in self.texts and len(known.words) == 2 and known.words - _THINGS == about.words  # folded
                word = (
                    isinstance(self.values.get(fact), str) and known.words == about.words - _STANDING
                )  # exception_state
                if (
                    known.words == about.words
                    or word
                    or one_of
                    or (texts and known.words - _TEXT == about.words - _TEXT)
                ):
                    yield fact, known.denied != about.denied
                    break

    def _read(self, fact: str, reading: Reading, opposed: bool, value: Any) -> bool:
        how = reading.comparison
        if reading.number is not None:
            if not isinstance(value, bool) or isinstance(self.values.get(fact), bool):
                raise NotSupported(fact)
            held = self._meets(f"{fact}{how or '_count'}", reading.number)
            return (held is not opposed) is value
        if not opposed:
            return self._meets(f"{fact}{how}", value)
        if how in OPPOSITES:
            return self._meets(f"{fact}{OPPOSITES[how]}", value)
        if not how and (isinstance(value, bool) or value == 0):
            return self._truth(fact) is not bool(value)
        raise NotSupported(fact)

    def _truth(self, fact: str) -> bool:
        found = self.values.get(fact, self.alternatives.get(fact, self.texts.get(fact)))
        if isinstance(found, (bool, int, float, list)):
            return bool(found)
        raise NotSupported(fact)

    # --------------------------------------------------------------------------------------------- names as they are here

    def _meets(self, name: str, value: Any) -> bool:
        if name in self.checks:
            return self.checks[name](value)
        if name in case_words.EITHER and isinstance(value, (list, Mapping)):
            return self._any_of([{k: v} for k, v in value.items()] if isinstance(value, Mapping) else value)
        if name in case_words.ALL and isinstance(value, list):
            return all(self._alternative(v) for v in value)
        if name in case_words.NONE and isinstance(value, list):
            return not any(self._alternative(v) for v in value)
        of_texts = (
            isinstance(value, (list, str)) and name in self.texts and not (isinstance(value, str) and compared(value))
        )
        if name in self.values and not of_texts:
            return self._equal(name, value)
        for ending, holds in COMPARISONS.items():
            base = name.removesuffix(ending)
            if name.endswith(ending) and (number := self._number(base)) is not None:
                return holds(number, number_of(value, ending))
        for ending, all_of in OF_TEXTS.items():
            base = name.removesuffix(ending)
            if name.endswith(ending):
                for known in (base, f"{base}s", f"{base.removesuffix('y')}ies"):
                    if known in self.texts:
                        return all_of(self.texts[known], list(map(str, value if isinstance(value, list) else [value])))
                if isinstance(self.values.get(base), str):
                    return all_of([self.values[base]], list(map(str, value if isinstance(value, list) else [value])))
        for ending, wanted in (("_empty", 0), ("_nonempty", 1)):
            count = self._number(name.removesuffix(ending))
            if name.endswith(ending) and count is not None and isinstance(value, bool):
                return (min(count, 1) == wanted) is value
        for ending, fits in OF_VALUES.items():
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
        if name in self.texts:
            return self._equal_texts(self.texts[name], value)
        raise NotSupported(f"the expectation {name!r}")

    def _equal(self, name: str, value: Any) -> bool:
        found = self.values[name]
        if isinstance(found, (int, float)) and not isinstance(found, bool):
            if isinstance(value, bool):
                return bool(found) is value
            if isinstance(value, str) and (pairs := compared(value)) is not None:
                return all(self._meets(f"{name}{how or '_is'}", v) for how, v in pairs)
        if isinstance(found, list) and isinstance(value, int) and not isinstance(value, bool):
            return len(found) == value
        if isinstance(value, Mapping) and not isinstance(found, Mapping):
            raise NotSupported(name)
        return same(found, value)

    @staticmethod
    def _equal_texts(texts: Sequence[str], value: Any) -> bool:
        if value is None or (isinstance(value, str) and value.casefold() in ("none", "nothing", "empty")):
            return not texts
        if isinstance(value, str):
            return any(value.casefold() in t.casefold() for t in texts)
        if isinstance(value, list):
            return sorted(texts) == sorted(map(str, value))
        if isinstance(value, (int, float)):
            return len(texts) == value
        raise NotSupported("texts")

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
                known.append(self._alternative(name))
            except NotSupported as why:
                unknown.append(why)
        if not any(known) and unknown:
            raise unknown[0]
        return any(known)

    def _alternative(self, name: Any) -> bool:
        if isinstance(name, Mapping):
            return all(self.meets(str(k), v) for k, v in name.items())
        name = str(name)
        if name in self.alternatives:
            return self.alternatives[name]
        for mark in ("=", ":"):
            key, _, value = (part.strip() for part in name.partition(mark))
            if value and value in self.texts.get(key, ()):
                return True
            if value and key.isidentifier():
                try:
                    return self.meets(key, typed(value))
                except NotSupported:
                    continue
        for known, held in self.alternatives.items():
            if case_words.FACTS.get(name, name) == known or name == f"{known}_with_reason":
                return held
        try:
            return self.meets(name, True)
        except NotSupported:
            raise NotSupported(f"the alternative {name!r}") from None

    def shown(self) -> dict[str, Any]:
        """The facts as they are reported: long texts cut, what is stored left out."""
        texts: Mapping[str, Sequence[str]] = {
            n: [t[:SHOWN_CHARS] for t in ts[:SHOWN_TEXTS]] for n, ts in self.texts.items() if n != "stored"
        }
        return {**self.values, **texts, **({"alternatives": self.alternatives} if self.alternatives else {})}
