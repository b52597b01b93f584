"""Matching a person's sentence against a call: the act it forbids, and every name, path, date and amount in it."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from bio_agent_schema.types import Act, Polarity
from bio_agent_workers.brain.guarding.act_things import READ
from bio_agent_workers.brain.guarding.act_words import ACTIONS, KINDS, KNOWN_ABROAD, NOMINAL_ACTIONS, PROGRAMS
from bio_agent_workers.brain.guarding.amounts import all_met
from bio_agent_workers.brain.guarding.at_odds import at_odds
from bio_agent_workers.brain.guarding.borne import (
    acts_on_path,
    in_other_role,
    in_own_field,
    is_beyond,
    shows_name,
    shows_thing,
    shows_word,
    words_of_thing,
)
from bio_agent_workers.brain.guarding.call_view import Call, calls
from bio_agent_workers.brain.guarding.call_words import words_in
from bio_agent_workers.brain.guarding.families import differ, named_families, shown_families
from bio_agent_workers.brain.guarding.meant_acts import QUALIFIERS, REMOVES, concepts, is_done
from bio_agent_workers.brain.guarding.properties import made
from bio_agent_workers.brain.guarding.qualifiers import is_quality, opposites
from bio_agent_workers.brain.guarding.rule_clause import asks_or_forbids
from bio_agent_workers.brain.guarding.sentence import VERSIONS, Sentence
from bio_agent_workers.brain.guarding.sentences import read_sentence

#: What goes on for as long as the rule holds; "if" and "when" make it hold now and then.
_ONGOING = re.compile(r"\b(?:while|whilst|as long as)\b|(?<!\w)trong (?:khi|lúc)(?!\w)|期间", re.I)
#: Share of a sentence's open words (neither names nor kinds) that a call must show.
COVERAGE = 0.6


#: A rule on what is added speaks of no install of what the project has.
_NEW = re.compile(
    r"\b(?:new|additional|extra) (?:\w+ )?(?:dependenc|package|librar|module)|(?<!\w)gói(?: \w+)? mới(?!\w)|新的?(?:依赖|包|库)",
    re.I,
)
#: Acts on a record, whatever texts of it mention; another act may be about what its text is about.
_TITLES = ("title", "name", "subject")
_ON_RECORDS = frozenset({"edit", "update", "cancel"})
#: Words for the repository on this machine.
_HERE = frozenset({"local", "locally", "here", "máy", "本地"})
#: The branch that something is merged into.
_INTO = re.compile(
    r"(?:\b(?:in)?to (?:the )?(?:branch )?|(?<!\w)vào (?:nhánh )?|合并到\s*)[`'\"]?([A-Za-z][\w./-]*\w)", re.I
)
#: Kinds that an environment is the name of.
_PLACES = frozenset({"environment", "namespace", "workspace", "cluster", "server", "branch", "service", "node"})
#: Words for a folder of files under version control.
_CHECKOUT = frozenset({"repo", "repository", "codebase", "checkout"})
#: Names put together of words: `backup-db` is a job, perhaps.
_NAMES = re.compile(r"\b\w+[-_./]\w\S*")
#: The careful way of forcing, said beside what is forbidden.
_LEASE = re.compile(r"(?<!or )(?<!and )(?<!with )--force-with-lease", re.I)
_KINDS_OF_THINGS = "cluster|database|table|schema|namespace|pod|deployment|service|secret|configmap|node|job"
#: The kind of thing right behind the act: "drop a database", "delete any tables".
_DIRECT = re.compile(
    rf"\b(?:drop|delete|remove|truncate)\s+(?:an?\s+|the\s+|any\s+|whole\s+|entire\s+|prod(?:uction)?\s+|live\s+|staging\s+|kubernetes\s+|k8s\s+)*({_KINDS_OF_THINGS})s?\b"
    r"(?=\s*(?:$|[,.;]|(?:in|from|on|of|or|and|without|with|unless|when|while|that|which)\b))"
    rf"|\b({_KINDS_OF_THINGS})s?\s+(?:must|may|should|can|are|is|shall)\b[^.;]{{0,30}}?\b(?:deleted|dropped|removed|truncated)\b", re.I
)  # fmt: skip


#: The same with its name: "delete the namespace monitoring" speaks of no pod in it.
_NAMED_DIRECT = re.compile(
    rf"\b(?:drop|delete|remove|truncate)\s+the\s+(?:\w+\s+)?({_KINDS_OF_THINGS})\s+[`'\"]?[\w.-]+[`'\"]?"
    r"(?=\s*(?:$|[,.;]|(?:in|from|on|of|or|and|without|unless|when|while)\b))", re.I
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SentenceMatch:
    """matched; why: the words of the sentence that the call shows, for the answer; acts: numbers of the acts it is
    about."""

    matched: bool
    why: str
    acts: tuple[int, ...] = ()


def _only_qualified(sentence: Sentence) -> bool:
    """Whether a kind of thing is told from others by its environment alone ("the production database"): then the
    environment's name is not enough to know it by."""
    told = {thing for thing in sentence.things if thing not in KINDS}
    named = bool(sentence.names or sentence.open_words or sentence.patterns)
    return not named and bool(told) and told <= QUALIFIERS and not KINDS.isdisjoint(set(sentence.things) - _PLACES)


def _part_of_name(word: str, call: Call) -> bool:
    """Whether a word is shown only as a part of file names: `data.txt` is not the folder "data"."""
    names = {name for path in call.paths for name in path.lower().split("/")}
    return word not in names and any(word in name.split(".") for name in names)


def match_sentence(
    text: str,
    polarity: Polarity,
    acts: Sequence[Act],
    call_tool: str,
    call_input: Any,
    *,
    command: str,
    views: Sequence[Call] | None = None,
) -> SentenceMatch:
    """Whether a sentence speaks of a call. command: a command of the sentence that is known to match already; then only
    its objects count. views: `calls(acts, …)` where the caller has them already."""
    sentence = read_sentence(text, command)
    if sentence is not None and sentence.others:
        each = [_match(one, text, polarity, acts, call_tool, call_input, command, views) for one in sentence.others]
        return next((one for one in each if one.matched), each[0])
    return _match(sentence, text, polarity, acts, call_tool, call_input, command, views)


def _match(
    sentence: Sentence | None,
    text: str,
    polarity: Polarity,
    acts: Sequence[Act],
    call_tool: str,
    call_input: Any,
    command: str,
    views: Sequence[Call] | None,
) -> SentenceMatch:
    if sentence is None:
        return SentenceMatch(False, "the rule forbids no act that is known")
    if polarity is Polarity.POSITIVE and not asks_or_forbids(text):
        return SentenceMatch(False, "the rule forbids nothing")
    hits: list[int] = []
    said = ""
    read = sentence
    shelled = isinstance(call_input, Mapping) and isinstance(call_input.get("command"), str)
    for call in views if views is not None else calls(acts, call_tool, call_input):
        held = read.held.shown(call.states) if read.held is not None else None
        if held is False or at_odds(text, call):
            continue
        if held and read.apart is not None:
            call = replace(call, words=call.words - _only_of_states(call))
        sentence = read.apart if held and read.apart is not None else read
        if held and read.apart is None:
            sentence = replace(read, uncovered_han=0)  # what was not read told of the state, which is shown
        if held and call.denied:
            call = replace(
                call, words=call.words | call.denied
            )  # `lid_on: false` is the state asked for: its lid is named
        wanted = concepts(sentence)
        if held is None and read.apart is not None and shelled and _ONGOING.search(text):
            sentence = read.apart  # no command shows what goes on meanwhile
        elif held is None and read.apart is not None and read.amounts and not read.apart.amounts:
            sentence = replace(read.apart, amounts=read.amounts)  # a number that the call must show is the circumstance
        elif held is None and read.apart is not None and _objects(read.apart, call) is None:
            continue  # what only the circumstances name is no object
        if call.dry or (not command and not is_done(sentence, wanted, call)):
            continue
        why = _objects(sentence, call)
        if why is None and held and sentence.unread and call.about and KNOWN_ABROAD.isdisjoint(call.about):
            why = []  # the state is shown, and neither language's word for the object is known to be another's
        if why is not None and not _other_object(text, sentence, call):
            shown = sorted(wanted & call.actions) or sorted(set(sentence.tools) & call.tools) or [command]
            said = said or " ".join([*shown, *why])
            hits.append(call.index)
    return SentenceMatch(bool(hits), said or "another act or other objects", tuple(hits))


def _only_of_states(call: Call) -> set[str]:
    """Words that only the names of fields for states hold: of `grandma_state: asleep` no room is Grandma's."""
    beside = {
        word
        for key, value in call.texts.items()
        if key not in call.states
        for word in words_in(f"{key} {value}", labels=True)
    }
    named = {word for key in call.states for word in words_in(key, labels=True)}
    return named - beside - call.about - call.tools - call.actions


def _other_object(text: str, sentence: Sentence, call: Call) -> bool:
    """Whether the call is of another kind than what is meant: a table where databases are, `order_drafts` where orders
    are, a push with a lease where the rule recommends that."""
    meant = {(found[1] or found[2]).lower() for found in _DIRECT.finditer(text)}
    named = {found[1].lower() for found in _NAMED_DIRECT.finditer(text)}
    if named and call.kinds and named.isdisjoint(call.kinds):
        return True
    shown = not meant.isdisjoint(call.words) or meant == {"cluster"}  # of which there are many names
    if meant and meant.isdisjoint(call.kinds) and (call.kinds or not shown):
        return True
    if (
        "git" in call.tools
        and {"branch", "tag"} & call.tools
        and "remote" in sentence.said
        and _HERE.isdisjoint(sentence.said)
    ):
        return True  # of the local repository
    if {"server"} == set(sentence.things) and not (sentence.names or sentence.open_words):
        if "service" in call.words or "systemctl" in call.tools:
            return True  # what runs there is restarted, not the machine
    if made("public") in sentence.actions:
        kinds = [shown for said, shown in _OPENED if said.search(text)]
        if kinds and all(shown.isdisjoint(call.words | call.tools) for shown in kinds):
            return True
    removes = sentence.actions <= REMOVES and not {"column", "columns"} & sentence.said
    if removes and "alter" in call.actions and {"column", "columns"} & call.words:
        return True  # a column goes, not the table
    if "exit" in call.actions and any(not words_of_thing(thing).isdisjoint(call.towards) for thing in sentence.things):
        return True  # it is gone to, not left
    if "install" in call.actions and "dependency" not in call.words and _NEW.search(text):
        return True  # what is there already is installed again
    into = _INTO.search(text) if "merge" in call.actions and "git" in call.tools else None
    if into and into[1].lower() not in call.onto:
        return True  # it is merged from there
    if differ(named_families(_NAMES.sub(" ", text)), shown_families(call.tools, call.words, sql=call.sql)):
        return True
    if "--force-with-lease" in call.words and "force" in sentence.things and _LEASE.search(text):
        return True
    said = {word.removesuffix("s") for thing in sentence.things for word in words_of_thing(thing)}
    said |= {word.removesuffix("s") for word in sentence.open_words}
    return any(
        compound[-1].removesuffix("s") not in said and any(word.removesuffix("s") in said for word in compound[:-1])
        for compound in call.compounds
    )


def spared(sentence: Sentence, call: Call) -> bool:
    """Whether a call has what the sentence forbids to go without ("without --atomic"), or is of what it excepts."""
    if sentence.spared and all(_has(word, call) or shows_name(word, call) for word in sentence.spared):
        return True
    return any(any(_has(word, call) for word in words) for words in sentence.lacking)


def _has(word: str, call: Call) -> bool:
    if not word.startswith("-"):
        return shows_thing(word, call) or shows_word(word, call)
    # `-s` may have been read as its long form.
    long = [shown for shown in call.words if shown.startswith("--")]
    return word in call.words or (len(word) == 2 and any(shown[2] == word[1] for shown in long if len(shown) > 2))


#: Kinds of things that are made public: how a sentence names one, and what a call on one shows.
_OPENED = (
    (re.compile(r"\bbuckets?\b|存储桶", re.I), frozenset({"bucket", "s3", "s3api", "gs", "gsutil", "container", "blob"})),
    (re.compile(r"\brepo(?:s|sitory|sitories)?\b|代码库|仓库|(?<!\w)kho mã(?!\w)", re.I), frozenset({"repo", "repository", "project", "gh", "glab"})),
    (re.compile(r"\bdashboards?\b|看板|仪表板", re.I), frozenset({"dashboard"})),
)  # fmt: skip


#: What a record's own field calls what was done to it, besides the verb's own forms.
_BECAME = {
    "publish": frozenset({"issued"}),
    "approve": frozenset({"confirmed", "accepted"}),
    "close": frozenset({"locked"}),
}


def _has_become(state: str, call: Call) -> bool:
    if any(NOMINAL_ACTIONS.get(word) == state for word in call.about):
        return True
    return state in call.actions or not (ACTIONS[state] | _BECAME.get(state, frozenset())).isdisjoint(call.words)


def needed_words(sentence: Sentence) -> float:
    """How many of the open words a call must show.

    One word of another language than the calls' need not be shown beside an amount ("hoàn tiền đơn trên 2 triệu").
    """
    names = any("\u4e00" <= word[0] <= "\u9fff" for word in sentence.said)  # among Han, only names are in letters
    unsaid = 0
    if sentence.abroad and not names:
        # What no table knows of a text in another language is not demanded beside what tells the object well enough.
        unknown = sum(not word.isascii() for word in sentence.open_words)
        anchored = sentence.names or sentence.patterns or any(thing not in KINDS for thing in sentence.things)
        unsaid = unknown if anchored else bool(sentence.amounts)
    return COVERAGE * (_told(sentence) - len(sentence.loose) - unsaid)


def _told(sentence: Sentence) -> int:
    return len(sentence.open_words) + len(sentence.states)


def _another(word: str, behind: str, sentence: Sentence, call: Call) -> bool:
    """Whether a call says something else where a sentence says which one it means: the opposite, or another word in front
    of the same one (`purchase_order` where sales orders are meant)."""
    if shows_word(word, call):
        return False
    if not opposites(word).isdisjoint(call.words):
        return True
    pairs = [pair for compound in call.compounds for pair in pairwise(compound)]
    return any(b.removesuffix("s") == behind.removesuffix("s") and a not in sentence.said for a, b in pairs)


def _objects(sentence: Sentence, call: Call) -> list[str] | None:
    """The names of a sentence that a call shows, None when one that counts is missing."""
    if spared(sentence, call) or not sentence.meanwhile.isdisjoint(call.denied):
        return None
    joined = {part for parts in call.joined if parts <= sentence.said for part in parts}
    told = call.said
    if sentence.addressed:
        told = set()
    elif sentence.actions <= _ON_RECORDS:
        told = {word for key in _TITLES for word in words_in(call.texts.get(key, ""), labels=True)}
    if joined or told is not call.said:
        call = replace(call, words=call.words | joined, said=told)
    why: list[str] = []
    for alternatives in sentence.places:
        hit = next(
            (path for path in alternatives if any(acts_on_path(path, at, sentence, call) for at in call.paths)), None
        )
        if hit is None:
            return None
        why.append(hit)
    dated = all(bound.holds_for(call.dates, call.today) for bound in sentence.bounds)
    if not dated or not all_met(sentence.amounts, call.numbers, call.texts):
        return None
    for place in sentence.outside:
        if not any(
            is_beyond(place, at) and not in_other_role(at, place, sentence, call) for at in call.addresses(place)
        ):
            return None
        why.append(f"outside {place}")
    for name in sentence.names:
        if (
            not shows_name(name, call)
            or not in_own_field(name, sentence, call)
            or in_other_role(name, name, sentence, call)
        ):
            return None
        why.append(name)
    if not all(shows_word(word, call) and in_own_field(word, sentence, call) for word in sentence.proper):
        return None
    for pattern in sentence.patterns:
        if not any(fnmatch.fnmatchcase(word, pattern) for word in call.words):
            return None
        why.append(pattern)
    if any(pattern.endswith(VERSIONS) for pattern in sentence.patterns) and not all(
        shows_thing(thing, call) for thing in sentence.things
    ):
        return None  # `v2` in an address is no tag
    unshown = 0
    for thing in sentence.things:
        if shows_thing(thing, call) or (call.on_files and thing in ("file", "folder")):
            why.append(thing)
        elif not words_of_thing(thing).isdisjoint(call.denied) or not opposites(thing).isdisjoint(call.words):
            return None
        elif thing in KINDS and thing not in sentence.telling:
            continue
        elif sentence.abroad and thing not in READ and thing not in sentence.telling:
            unshown += not (is_quality(thing) and (why or sentence.names))
        else:
            return None
    # In English these would be open words: most of them must be shown.
    if unshown and unshown > (1 - COVERAGE) * sum(thing not in READ for thing in sentence.things):
        return None
    if sentence.paths or any("/" in name for name in sentence.names):
        return why  # what lies there is meant, whatever else is said of it
    if _only_qualified(sentence) and not any(shows_thing(t, call) for t in sentence.things if t in KINDS - _PLACES):
        return None
    if any(_another(word, behind, sentence, call) for word, behind in sentence.loose.items()):
        return None
    stood = sum(_has_become(state, call) for state in sentence.states)
    hits = [
        word
        for word in sentence.open_words
        if shows_word(word, call) and not ("folder" in sentence.things and _part_of_name(word, call))
    ]
    heads = sum(word not in sentence.loose for word in hits)
    # Enough of what it is, or of all that is said of it.
    enough = heads + stood >= needed_words(sentence) or len(hits) + stood >= COVERAGE * _told(sentence)
    if (sentence.open_words or sentence.states) and not enough:
        return None
    aims = sentence.toward | sentence.away
    if hits and not why and aims.issuperset(hits) and not aims.issuperset(sentence.open_words) and not sentence.amounts:
        return None  # where it goes is shown, what goes there is not
    covered = len(why) + len(hits)
    if sentence.uncovered_han > 2 * max(1, covered) and sentence.uncovered_han > 2:
        return None
    if (
        not covered
        and sentence.actions
        and sentence.actions <= REMOVES
        and _CHECKOUT & sentence.said
        and not (call.on_files or "git" in call.tools or _CHECKOUT & (call.actions | call.about))
    ):
        return None  # "nothing in this repository": files
    if sentence.amounts or sentence.tools or sentence.bounds:
        return why + hits
    if sentence.uncovered_han > 1 and not covered:
        return None  # all that is known is the act: what it is done to was not read
    if not why and PROGRAMS.issuperset(hits) and (sentence.things or set(sentence.open_words) - PROGRAMS):
        # Only the kind of thing is named ("the environment"): the call must at least show that.
        return None
    return why + hits
