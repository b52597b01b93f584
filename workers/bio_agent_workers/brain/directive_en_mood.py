"""Whether a clause of English is an imperative: the base verb it starts with."""

from __future__ import annotations

import re

from bio_agent_workers.brain.wordlists import word_list

_I = re.IGNORECASE

IMPERATIVE_VERBS = frozenset(
    word_list(
        "add address agree allow answer append apply approve archive ask assign assume attach back base batch begin"
        " block book"
        " branch bring build bump call cap capture change charge check cite clean clear close collect comment"
        " commit compare"
        " compress confirm convert copy count create cut default delete deliver deploy describe disable discard"
        " document draft"
        " drop dry echo email enable encrypt end ensure escalate estimate exclude explain export fail fetch file"
        " fill fix flag"
        " follow format forward freeze generate get give go group guard handle hash have heat hold ignore implement"
        " import include"
        " increase indent inform insert install invoice isolate join keep label lead leave let lift limit link lint"
        " list load"
        " lock log look lower make mark mask match measure mention merge mind mirror mock monitor move mute name"
        " notify number"
        " offer omit open order pack pass paste pause pay pick pin ping place plan post pour prefer prefix prepare"
        " present print"
        " propose protect prove publish pull purge push put query quote raise re-run read rebase rebuild record"
        " redact refer"
        " reject release reload remember remind remove rename render repeat replace reply report request require"
        " rerun reserve"
        " reset respond restart restore retry return reuse revert review revoke rinse roll rotate round route run"
        " salt save say"
        " scan schedule scrub seal search seed select send separate serve set share ship show shut sign simplify"
        " skip sort"
        " speak specify spell split squash stage start state stay stick stop store strip submit summarise summarize"
        " suppress"
        " switch sync tag take talk target tell terminate test throw time timestamp touch track translate treat"
        " trim truncate try"
        " turn type undo unlock update upgrade upload use validate verify version wait walk warn wash watch weigh"
        " wipe wire work"
        " wrap write zip"
    )
)
CONVENTION_VERBS = frozenset(
    word_list(
        "address answer ask attach avoid back book call cap cc check cite close commit confirm count default delete"
        " deliver"
        " document encrypt end format hash indent include keep label leave limit link log mark mask name notify"
        " number open pay"
        " pin prefer prefix put quote read record release remember reply report respond review rotate round route"
        " run salt save"
        " send set show sign skip speak spell squash start stay stick store tag talk tell test treat use validate"
        " verify write wrap"
        " ping rebase switch"
    )
)
_CLOSED = frozenset(
    word_list(
        "the a an this that these those it its we you they he she i my your our their his her and or but so if when"
        " while once"
        " unless until because since although though as at by for from in into of off on over to under with without"
        " after before"
        " during between through against about is are was were be been am do does did have has had can could will"
        " would shall"
        " should may might must not no yes why what who whom which whose where how there here then than too very"
        " just only even"
        " all each every any some most many much few both either neither nobody everyone someone nothing everything"
        " something"
        " anything anyone let ok okay please sorry thanks hello hi great good fine right well now today tomorrow"
        " yesterday"
    )
)
_LEAD = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|no|yes|yeah|hey|hmm|whoa|ah|oh|right|well|look|listen|so|and|but|also|then|please"
    r"|again|one more thing|by the way"
    r"|btw|fyi|seriously|honestly|in general|generally|as a rule|by default|going forward|moving forward"
    r"|in future|in the future"
    r"|always|just|kindly|instead|remember|note|from [^,]{3,20} on(?:wards?)?|next time|until [^,]{3,40}"
    r"|starting [^,]{3,20}|every(?:one|body)|team|folks|guys|same here)"
    r"\b[\s,:;.!—–-]*)+",
    _I,
)
_SUBCLAUSE = re.compile(
    r"^\W*(?:when(?:ever)?|if|once|before|after|unless|for|on|in|at|during|while|until|as soon as"
    r"|every time)\b[^,;:]{2,80}[,;:]\s*(?:then )?",
    _I,
)
_DETERMINER = re.compile(r"^(?:a|an|the|my|our|your|every|each|all|any|only|it|them|me|us|no|both|\d+|two|three)\b", _I)


def imperative_verb(sentence: str) -> str:
    """The base verb a main clause starts with, "" when the clause is no imperative."""
    rest = sentence
    for _ in range(3):
        rest = _SUBCLAUSE.sub("", _LEAD.sub("", rest), count=1)
    words = re.findall(r"[A-Za-z][\w'-]*|\S", rest)
    if not words:
        return ""
    first: str = words[0].lower()
    after = rest[rest.lower().find(first) + len(first) :].strip()
    if first in IMPERATIVE_VERBS:
        # "Tests run …": a plural noun is no verb; "Release tags are …": noun + noun + verb.
        if re.match(r"^[\w-]+s? (?:is|are|was|were|must|should|may|can|has|have|need|needs|go|goes|will)\b", after, _I):
            return ""
        if re.match(r"^(?:is|are|was|were|must|should|may|can|has|have|needs|will|fails?|takes|goes)\b", after, _I):
            return ""
        return first
    if (
        first not in _CLOSED
        and first.isalpha()
        and not first.endswith(("s", "ed", "ing", "ly"))
        and _DETERMINER.match(after)
    ):
        return first
    return ""


CLAUSE = re.compile(r"[:;—]\s+|,\s+(?:but|so|and|then|just)\b|\s(?:but|so)\s")


def imperatives(sentence: str) -> list[str]:
    """The imperative verbs that clauses of the sentence start with, in order."""
    return [verb for verb in map(imperative_verb, [sentence, *CLAUSE.split(sentence)[1:]]) if verb]
