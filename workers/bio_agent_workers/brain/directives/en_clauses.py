"""English rules read clause by clause: a lead-in or a reason and the rule it leads to, a class of things and what is done with
it, an occasion and the act.
"""

from __future__ import annotations

import re

from bio_agent_workers.brain.directives.en_cues import (
    PAST,
)
from bio_agent_workers.brain.directives.en_elsewhere import (
    CHEER,
    LONG_AGO,
    SELF,
)
from bio_agent_workers.brain.directives.en_generic import (
    NEGATED,
    generic,
)
from bio_agent_workers.brain.directives.en_mood import (
    NO_RULE,
    REPORTED,
    imperative_verb,
)
from bio_agent_workers.brain.directives.en_things import (
    EACH,
    IGNORECASE,
    LEAD,
    MADE,
    OCCASION,
    OFTEN,
    STANDING,
    STYLE,
    TASK_VERBS,
    WHO,
    any_of,
)

#: One thing, one time: what is spoken of is at hand.
_AT_HAND = any_of(
    r"\b(?:this|these|those"
    r"|(?<!mind )(?<!agree )(?<!sure )(?<!it )(?<!so )(?<!note )(?<!know )(?<!ensure )(?<!find )that) (?!is\b"
    r"|are\b|goes\b|means\b|way\b|sort\b|kind\b|for\b|to\b|in\b|on\b|every\b)[a-z-]+"
    r"|\b(?:today|tonight|tomorrow|right now|right away|at once|asap|this once|for now|for the moment"
    r"|yet|in the meantime)\b"
    r"(?! on)|\bnow\b(?=\W*$)|\bthe (?:whole|entire|rest of|remaining|last|first few) \w+|\b(?:when"
    r"|once|after|as soon as) (?:it|that|they"
    r"|this|everything|you)(?:'s|'re| is| are)? (?:done|ready|finished|over|complete|through|back|here|been)\b"
    r"|\bwhile I'?m\b"
)
_SUCH_THAT = re.compile(
    r"\b(?:any|every|each|no|all|anything|everything|nothing|[\w-]+s)(?: [\w-]+){0,2} that\b", IGNORECASE
)
_AS_AGREED = re.compile(r",? (?:like|as) (?:we |I )?(?:agreed|discussed|usual|said before|told you)\b", IGNORECASE)
_TAG = re.compile(
    r",\s*(?:ok(?:ay)?|right|please|all ?right|deal|agreed|would you|will you|could you)\s*\?\W*$", IGNORECASE
)
_FUTURE_LEAD = re.compile(
    rf"{LEAD}(?:(?:just|only|a|an|one|another|last|small|quick|little|general|more|final|two) )*(?:(?:things?"
    r"|notes?|requests?|points?|words?|"
    r"favou?rs?|remarks?|tips?|reminders?|wish|rules?|so you know)\b(?: (?:more|please|from me|to (?:self"
    r"|remember)))? (?:for|about|on|from))?"
    r" ?(?:for )?(?:(?:the |any )?(?:future|later|next|other|coming|upcoming|new)(?: (?:one|time|reference"
    r"|\w+s))?s?"
    rf"|going forward|moving forward|next time|in (?:the )?future|here on|now on)\s*[:,—–-]+\s*(?P<then>[^?]+)$",
    IGNORECASE,
)
_CORRECTED = re.compile(
    rf"{LEAD}(?:(?:scrap|forget|ignore|drop|disregard|never ?mind|strike|skip) (?:about )?(?:what I (?:said"
    r"|told you|asked)|my (?:earlier|old"
    rf"|last|previous)|the (?:old|earlier|previous|former)|last \w+'s|that (?:bit|thing))\b[^:;,—–]{{0,50}}[:;,—–]"
    rf"|I(?:'ve| have)? changed my mind\b[^:;,—–]{{0,40}}[:;,—–]"
    r"|(?:earlier|before|last \w+|originally|at first|previously|the other day) (?:on )?,?I(?:'d"
    r"| had)? (?:said|asked|told|wanted|wrote)\b"
    r"[^:;,—–]{3,60}[:;,—–](?=.*\b(?:now|on|will do|enough|instead|forward)\b))\s*(?:but "
    r"|and |so |please |now )*(?P<then>[^?]+)$",
    IGNORECASE,
)
#: A reason, a thank-you or a complaint, and what follows from it.
_SPLIT = re.compile(
    r"[;:—–]\s+|\s-\s|,\s+(?=(?:so|but|and so|and from|hence|therefore|please|from|use)\b)|\s(?=but please\b)"
)
_FIRST_PERSON = re.compile(
    r"^\W*(?:I|I'm|I've|I'll|he|she|they|it's|it)\b(?! (?:want|need|expect|prefer|belongs|goes|should|must))",
    IGNORECASE,
)
_TOLD_OF = re.compile(
    r"^\W*(?:the|he|she|they|his|her|their|everyone|nobody|(?-i:[A-Z])\w+) [^,;:]*\b(?:was|were|had|did|got|came"
    r"|went)\b",
    IGNORECASE,
)
_THEN_LEAD = re.compile(r"^\W*(?:(?:so|but|and|hence|therefore|please|just|kindly|then)\b[\s,]*)+", IGNORECASE)
_GOES = (
    r"(?:goes|go|ships?|starts?|ends?|comes?|carr(?:y|ies)|stays?|uses?|gets?|needs?|includes?|belongs?"
    r"|follows?|waits?|leaves?|opens?"
    r"|begins?|bears?|takes?|keeps?|runs? (?:through|by|past)|sits?|has to|have to|moves? to|passes?"
    r"|pass|(?:is|are) (?:always|never|only|first) (?:\w+(?:ed|en|wn|pt|nt|ld|ut|id)\b|in\b|on\b|at\b|by\b))"
)
_NOT_GOING = any_of(
    r"\b(?:late|again|still|already|yesterday|usually|often|sometimes|tend|badly|well|wrong|up by"
    r"|down by|missing|lost|soon|anyway|too (?:long|much|many)|forever|ages|apparently"
    r"|better|worse|crazy|on my nerves|longer|cheaper|expensive|days? to|weeks? to|minutes|why|up(?! (?:to|front))"
    r"|down|fun|special|nice|good|great)\b"
)
_CLASS_GOES = re.compile(
    r"^\W*(?:(?:and|also|please|but|so) )*(?:(?:all|any|every|each|no) )?(?!the|this|that|these|those"
    rf"|my|his|her|their|its|your)(?:[\w'-]+ ){{0,2}}?{MADE}(?:(?<=s)|(?<=stock)|(?<=mail))"
    r"(?: (?:with|without|from|for|to|in|on|above|over|below|under|of|about|between|by|after|before"
    rf"|\w+ing) (?!the last)[\w€$£%',-]+(?: [\w€$£%'-]+){{0,3}}?)? {_GOES}\b(?! (?:on|out of|off|away|down"
    r"|up|wrong|well)\W*$)",
    IGNORECASE,
)
_TO_ME = re.compile(
    r"^\W*(?:any|every|each|all|anything|everything|whatever|no|[\w-]+s)\b(?!.*\b(?:was"
    r"|were|did|came|went)\b)[^?]*?\b(?:(?:comes?|goes|go|gets?|runs?|passes?) (?:straight |first |back "
    r"|only )*(?:to|past|by|through|via|across) (?:me|my desk)\b|cross(?:es)? my desk"
    r"|(?:is|are|stays?|remains?) (?:my (?:call|job|decision|business)|up to me|for me to (?:decide|approve|sign))"
    r"|needs? my (?:ok(?:ay)?|approval|say|signature|nod|blessing|go-ahead))",
    IGNORECASE,
)
_NOTHING = re.compile(
    rf"^\W*(?:nothing|no (?:[\w'-]+ )?{MADE}) (?:with|from|above|over|below|under|that|which|containing"
    r"|without|older|for|to|on|in|after|before)\b[^?]*? (?:goes|go|leaves?|gets?|enters?|ships?|"
    rf"stays?|makes? it|appears?|is \w+ed|are \w+ed|belongs?)\b(?! (?:wrong|well|better))",
    IGNORECASE,
)
_FRAGMENT = re.compile(
    rf"^\W*(?:(?:all|every|each) )?(?:[\w'-]+ ){{0,2}}?{MADE} (?:in|by|as|with|without|at|on|to|under|before|after"
    r"|first)\b[^?]*(?:,? please\b|, (?:not|never|always|no)\b)[^?]*$",
    IGNORECASE,
)
_LIKES = any_of(
    r"\bI(?:'d| would)? (?:really |much |always |do )*(?:like|prefer|want|need|love|rather have) (?:(?:my"
    rf"|your|all|every) (?:[\w-]+ ){{0,2}}?{MADE}|the (?:[\w-]+ ){{0,2}}?{MADE}(?<=s)) (?:to (?:be"
    r"|have|start|end|come|carry)|short|brief"
    r"|long|plain|simple|crisp|in\b|with(?:out)?\b|as\b|sorted|grouped|split|first|last|at the|on top"
    r"|by\b|before|kept|up front|under|below|spelled|written)(?! (?:you|he|she|they|the (?:last|first) one))",
    r"\bI(?:'d| would)? (?:really |much |strongly |far )*(?:prefer|favou?r|(?:rather|sooner) (?:have"
    rf"|read|see|get|wait|know)) (?!this|that|the (?:first|second|other|latter))(?=[^?]*(?:\b{STYLE}\b"
    rf"|\byour\b|\b{MADE}\b|\bfor (?:anything|any|all|every)\b|\bdetail|\bin an? \w+))[^?]*\b(?:to|over|rather than"
    rf"|instead of|than|in (?:an?|your|my|all|every))\b",
    r"\bI (?:can't stand|cannot stand|hate|dislike|don't like|can't bear|loathe) (?!this"
    rf"|that|it\b|the\b)[\w' -]{{3,30}} in (?:my|your|our|any|all) (?:[\w-]+ )?{MADE}",
    r"\bI(?:'d)? (?:always |really |do )?find it (?:much |far |so |really |a lot )?(?:easier"
    r"|clearer|better|quicker|simpler|hard(?:er)?|difficult|confusing|handy|helpful|annoying|tiring)"
    r" (?:when|if)\b(?!.*\b(?:he|she|they)\b)",
    rf"^\W*{STYLE} (?:beats?|are better than|work better than|over|trump) {STYLE}(?: for me)?\b",
)
_ASKED = re.compile(
    rf"{LEAD}(?:(?:could|can|would|will|might|may) (?:you|that be|this be|we (?:agree|make|keep|please|stick"
    r"|settle)|the \w+)"
    rf"|(?:would|is) it (?:be )?(?:possible|ok(?:ay)?|fine|too much|all right))\b",
    IGNORECASE,
)
_ASKED_STANDING = any_of(
    rf"\b(?:can|could) we agree\b|\bmake (?:it|that) (?:standard|a (?:habit|rule)|the (?:norm|default|standard))\b"
    r"|\bwould you mind (?:not )?\w+ing\b.*\b(?:when you|in (?:your|my|all)|every|each|whenever|to (?:clients"
    rf"|{WHO}))\b|\b(?:in|on|for|to|with) (?:all|every|each|any) (?:[\w-]+ )?{MADE}\b"
)
_MAKE_SURE = re.compile(
    rf"{LEAD}(?:make sure|see to it|ensure|mind|take care|be sure)(?: that)? (?:(?:every|each|any|no|all (?!the"
    rf"|these|those|of))\b|(?=.*(?:{OFTEN.pattern})))",
    IGNORECASE,
)
_STOP_ING = re.compile(
    rf"{LEAD}(?:could you |can you |will you |would you )?(?:please )?(?:stop|quit|no more) \w+ing (?:me"
    rf"|us|people|everyone|{WHO}|(?:my|our|your|the )?(?:\w+ )?(?:{MADE}|{STYLE}))\b(?! (?:now"
    r"|this|and (?:help|listen)))",
    IGNORECASE,
)
_DONT_BARE = re.compile(
    rf"{LEAD}(?:do not|don'?t|never) (?!(?:worry|bother|forget|be|panic|get|think|feel|mind|wait|give|let"
    r"|know|say|laugh|cry|look|rush|mention|hesitate|believe|overthink|fret|count|hold|"
    r"take|go|you|we|I|they|have|want|need|like|see|expect|judge|bite|put all|cross|shoot|cry|had|been"
    r"|done|seen|thought|heard|felt|\w+ed)\b)\w+(?: (?:in|out|up|on|off|to|for|with))? (?!(?:the|this"
    r"|that|these|those|it|them|him|her|me|us|my|his|their|yet|so|too|now|or|and)\b)"
    r"(?:any|[\w-]+) ?(?:[\w'-]+ ){0,4}?(?:by|in|to|for|from|with|without|on|at|over|under|before"
    r"|after|outside|unless|into|as)\b(?! (?:me|you|it|now|today|a second|a moment|that|this)\b)",
    IGNORECASE,
)
_INSTEAD_OF = re.compile(
    rf"{LEAD}(?:instead of|rather than) (?:\w+ing|an? [\w -]+|[\w-]+s)(?: (?!this"
    r"|that|it\b|the\b)[^,;:]{2,50})?, (?P<then>.+)$",
    IGNORECASE,
)
_BELONGS = re.compile(
    rf"\b(?:it|that|this|they|(?:[\w'-]+ )?{MADE}) (?:belongs?|goes|go|comes?|should (?:be|go|come|sit)|must (?:be"
    r"|go)|stays?) [^?]*\b(?:in|on|for|with|to) (?:all|every|each|any)\b",
    IGNORECASE,
)


def parts(sentence: str) -> list[str]:
    """The clauses that follow a reason, a thank-you or a complaint, each to be read by itself."""
    pieces = _SPLIT.split(sentence)
    if _TOLD_OF.match(pieces[0]):
        return []
    rest = [_THEN_LEAD.sub("", p).strip() for p in pieces[1:]]
    return [p for p in rest if len(p.split()) > 2 and not _FIRST_PERSON.match(p)]


def asks(clause: str) -> bool:
    """Whether a clause by itself asks or forbids: an order, or what must, should or may be."""
    return bool(
        imperative_verb(clause)
        or NEGATED.match(clause)
        or (
            re.search(
                r"\b(?:must|should|may|shall|has to|have to|needs? to|never|always|only|(?:is|are) to|goes?|no)\b(?! \w+ed\b)",
                clause,
                IGNORECASE,
            )
            and not clause.endswith("!")
        )
    )


def rule(sentence: str, question: bool) -> bool:
    """Whether the sentence is a standing rule for the agent by one of the forms of this module."""
    s = _AS_AGREED.sub("", sentence.strip())
    if question and _TAG.search(s):
        s, question = _TAG.sub(".", s), False
    if NO_RULE.search(s) or CHEER.search(s) or REPORTED.search(s):
        return False
    if _CORRECTED.match(s) or _BEFORE_SAID.match(s):
        return not question
    if LONG_AGO.match(s):
        return False
    # What was done may stand inside an order ("the month it was paid in"), not in what is told.
    if PAST.search(s):
        return not question and any(_then(p, s) or generic(p) for p in [s, *parts(s)] if imperative_verb(p))
    if _AT_HAND.search(_SUCH_THAT.sub(" ", s)) and not STANDING.search(s):
        return False
    if question:
        if re.match(r"^\W*would you (?:always|never|ever)\b(?!.*\bplease\b)", s, IGNORECASE):
            return False
        return bool(_ASKED.match(s) and (_ASKED_STANDING.search(s) or STANDING.search(s)))
    ahead = _FUTURE_LEAD.match(s)
    if ahead and not SELF.search(ahead["then"]) and len(ahead["then"].split()) > 1:
        return not re.match(r"^\W*(?:I|he|she|they|it)\b", ahead["then"])
    if _LIKES.search(s) or _STOP_ING.match(s) or _DONT_BARE.match(s) or _TO_ME.match(s) or _NOTHING.match(s):
        return True
    if _MAKE_SURE.match(s) or _FRAGMENT.match(s):
        return True
    if (
        _CLASS_GOES.match(s)
        or (
            re.search(r"\bplease\W*$", s, IGNORECASE)
            and re.match(r"^\W*(?:any|every|each|all) (?!the\b)\w+ \w+ ?\w*s\b", s, IGNORECASE)
        )
    ) and not _NOT_GOING.search(s):
        return True
    if any(generic(p) for p in [s, *parts(s)]):
        return True
    instead = _INSTEAD_OF.match(s)
    if instead and imperative_verb(instead["then"]):
        return True
    return any(_then(p, s) for p in [s, *parts(s)])


_BEFORE_SAID = re.compile(
    r"^\W*I(?:'ve| have)? (?:already )?(?:said|told you|asked for|mentioned)(?: (?:it"
    rf"|this|that|you))?(?: (?:before|already|once|twice|many times))*\s*[:,—–-]+\s*(?=.*\b(?:{MADE}"
    rf"|{WHO}|never|always|no|not|don't)\b)",
    IGNORECASE,
)


def _then(clause: str, whole: str) -> bool:
    """Whether a clause asks for an act on every one of a class, as often as something happens, or at a fixed interval."""
    if _BELONGS.search(clause) and not _NOT_GOING.search(clause):
        return True
    if not imperative_verb(clause) and not re.match(rf"{LEAD}be \w+", clause, IGNORECASE):
        return False
    if re.match(
        rf"{LEAD}be (?!careful|quick|good|nice|back|there|patient|honest|my|sure)\w+ (?:with"
        rf"|to|towards|in|about) (?:all|every|each|any|our|{WHO})\b",
        clause,
        IGNORECASE,
    ):
        return True
    if re.match(rf"{LEAD}{TASK_VERBS}\b", clause, IGNORECASE) and not (
        STANDING.search(clause) or OCCASION.search(clause) or clause is not whole
    ):
        return False
    return bool(
        EACH.search(clause)
        or OFTEN.search(clause)
        or STANDING.search(clause)
        or re.search(r"\bin (?:mine|yours)\b", clause, IGNORECASE)
    )
