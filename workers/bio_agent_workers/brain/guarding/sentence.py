"""What a person's sentence speaks against, as read: its act, and the tools, names, paths, dates and amounts in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from bio_agent_workers.brain.guarding.amounts import Bound
from bio_agent_workers.brain.guarding.date_bounds import DateBound
from bio_agent_workers.brain.guarding.held_states import Held

#: Behind a single letter, what a pattern of versions goes on with.
VERSIONS = "[0-9]*"


@dataclass(slots=True)
class Sentence:
    """What a rule's sentence speaks against.

    actions: concepts, any of which must be done. tools: names of tools, one of which must be called instead. names: words
    that a call must show; patterns: the same with `*` in them. things: concepts it must show, apart from kinds.
    open_words: of which most must be shown. places: paths, of each of which one alternative must be acted on; inside: or what lies in them.
    outside: a host, folder or name that the call must go beyond. lacking: words of which a call must show none ("without
    --atomic"). bounds: dates; amounts: numbers. uncovered_han: Chinese
    characters nothing was read from. states: acts of which the object is said to have been done to it ("đơn đã thanh toán"),
    as open words. proper: open words with a capital, each of which must be shown. abroad: in another language than English.
    said: its words. held: the state in which it holds, where it names one; apart: the sentence without that.
    addressed: it says to whom something goes. alike: its paths are examples of a kind. toward, away: what something is
    to go to, or to come from. kind_of: the kind of thing that a name is said to be of.
    others: the same with one of several alternative objects each. telling: things that tell which of another is meant
    ("the server room"). meanwhile: words of circumstances that no call has to show. loose: open words that only tell which
    of a kind is meant, each with the word behind it.
    spared: words of what it is said not to hold for, all of which a call of that shows.
    """

    actions: set[str] = field(default_factory=set)
    tools: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    patterns: list[str] = field(default_factory=list)
    things: list[str] = field(default_factory=list)
    open_words: list[str] = field(default_factory=list)
    places: list[tuple[str, ...]] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    bounds: list[DateBound] = field(default_factory=list)
    amounts: list[Bound] = field(default_factory=list)
    lacking: list[frozenset[str]] = field(default_factory=list)
    uncovered_han: int = 0
    inside: bool = False
    states: list[str] = field(default_factory=list)
    proper: list[str] = field(default_factory=list)
    abroad: bool = False
    said: frozenset[str] = frozenset()
    held: Held | None = None
    apart: Sentence | None = None
    addressed: bool = False
    alike: bool = False
    toward: frozenset[str] = frozenset()
    away: frozenset[str] = frozenset()
    kind_of: dict[str, str] = field(default_factory=dict)
    others: list[Sentence] = field(default_factory=list)
    telling: frozenset[str] = frozenset()
    meanwhile: frozenset[str] = frozenset()
    loose: dict[str, str] = field(default_factory=dict)
    spared: frozenset[str] = frozenset()

    @property
    def paths(self) -> list[str]:
        """Its paths, alternatives of one another side by side."""
        return [path for alternatives in self.places for path in alternatives]

    @property
    def unread(self) -> bool:
        """Whether all that it says of its object, in another language, are words that no table translates."""
        named = self.names or self.places or self.things or self.amounts or self.bounds or self.outside or self.tools
        words = self.open_words
        return self.abroad and not named and not any(map(str.isascii, words)) and bool(words or self.uncovered_han > 1)
