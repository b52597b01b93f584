"""Things that rules speak of, and the states they are in, as `words/guard_things.txt` has them in three languages."""

from __future__ import annotations

from bio_agent_workers.brain.guarding.vocabulary import by_concept, lexicon, plural

_LINES = tuple(lexicon("guard_things.txt"))
#: By concept, the words by which a rule in English is read, and those by which one in another language is.
READ = by_concept((line.name, line.words) for line in _LINES if line.read)
READ_ABROAD = by_concept((line.name, line.words if line.read else line.abroad) for line in _LINES)
#: The words of each concept.
THINGS = by_concept((line.name, line.words | frozenset(map(plural, line.english))) for line in _LINES if line.name)
#: Words of a call that show a concept, besides those that a sentence says it with.
SHOWN_BY = by_concept((line.name, line.shown) for line in _LINES if line.shown)
#: English words of things that a rule in another language would have named by a word that is known.
KNOWN = frozenset[str]().union(*(line.english for line in _LINES if line.abroad and not line.read))
