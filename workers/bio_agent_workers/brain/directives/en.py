"""What makes an English sentence a standing directive: mood, person, permanence, generic objects, tense."""

from __future__ import annotations

import re

from bio_agent_workers.brain.directives.en_cues import (
    DENIAL,
    EPISTEMIC,
    HYPOTHETICAL,
    ONE_OFF,
    PAST,
    PERMANENT,
    POLITE,
    REMEMBER,
    SELF,
    STRONG,
    THIRD,
)
from bio_agent_workers.brain.directives.en_mood import (
    CLAUSE,
    COMPLAINT,
    CONVENTION_VERBS,
    JEST,  # noqa: F401 - read through this module, like every cue
    NO_RULE,
    REPORTED,
    imperatives,
)  # fmt: skip
from bio_agent_workers.brain.wordlists import word_list

_I = re.IGNORECASE


def _c(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), _I)


PREFER = _c(
    r"\bI(?:'d| would)(?: much| really)? (?:rather|prefer|like|love|appreciate) (?:it )?(?:if )?(?:you|to see"
    r"|that|not|no|all|every|short|plain|when|answers|replies)\b|\bI (?:really |much |strongly "
    r"|always )?(?:prefer|favou?r)\b(?! not to say)|\bI (?:really )?(?:like|love|hate|dislike|can't stand"
    r"|detest)(?: it)?(?: \w+){0,3}? (?:when|if) (?:you|the agent|it)\b|\bI (?:don't|do not|never) (?:want|like"
    r"|need) (?:to (?:see|hear|read|get|be)|you to|it when|any)\b|\bI (?:want|need|expect|insist|require"
    r"|ask)(?: you| that| to (?:see|be (?:asked|told|informed|notified|consulted|kept|copied|warned)))\b"
    r"|\bI must insist\b|\bit (?:annoys|bothers) me when\b"
    r"|\bI am (?:not )?a fan of\b|\bI(?:'m| am) tired of\b",
)
PREFER_STANDING = _c(
    r"\b(?:when|if|unless|always|never|any|every|each|all|again|before|after|replies|answers|messages|commits?"
    r"|comments?|tests?|reports?|code|\w+s) ?\b",
)
CONVENTION = _c(
    r"\bwe (?:all )?(?:don't|do not|never|always|only|stick to|standardi[sz]e on) \w+|\bwe (?:use|write|keep"
    r"|name|put|store|format|indent|sign|tag|squash|rebase|merge|deploy|release|run|test|review|pay|ship|log"
    r"|prefer|go (?:with|through|via)|spell|call|round|book|count|report|quote|bill)\b[^.]*\b(?:here"
    r"|in this (?:repo|project|team|company|house|codebase|code base)|around here|in our|for everything|for all"
    r"|for every|everywhere|by default|only|not|instead|throughout|never|always)\b",
    r"^\W*no (?:\w+[ -]?){1,4}?, please\W*$|^\W*no (?:\w+[ -]){1,4}?(?:here|please|in (?:this|the|our|my) \w+|on (?:\w+days?|weekends)|at (?:all"
    r"|night)|ever|without|before|after|unless)\b|\b(?:is|are) (?:strictly )?(?:forbidden|banned|prohibited"
    r"|off[- ]limits|not (?:allowed|permitted|acceptable)|mandatory|compulsory|required|obligatory|a must"
    r"|a no-go)\b",
    r"\b(?:around|over|round) here\b[^.]*\b(?:everyone|everybody|nobody|we|all)\b|\bin this (?:repo|project"
    r"|house|team|company|codebase)\b",
    r"^\W*(?:all|every|each) [\w -]+, please\W*$|^\W*(?:\w+ )?\w+s (?:start|go|live|belong|end|stay|come|are"
    r"|get) [^.?]*\bhere\W*$"
    r"|:\s*no (?:\w+[ -]){1,4}?(?:without|before|after|unless|in|on)\b",
    r"^\W*(?:except|apart from) (?:on|for|when|if|in|at|during)\b[^?]*$|^\W*no more \w+|^\W*hands off\b"
    r"|^\W*(?:please )?(?:leave|keep) (?:\w+ )?\w+s (?:alone|out of|away from)\b"
    r"|^\W*you (?:don't|do not|never) (?!know|have to|need|want|seem|look|say|get|understand|think"
    r"|care)\w+ .*\b(?:without|before|unless|until|on|in|after)\b|^\W*same (?:rule|goes|applies|procedure"
    r"|policy)\b|^\W*not (?:a single|one single|any) \w+|^\W*(?:whoever|(?:any|every)one who"
    r"|those who) \w+\b(?!.*\b(?:knows?|thinks?|likes?|wants?|sees?|understands?|remembers?)\b)"
    r"|^\W*only (?:(?-i:[A-Z])\w+|the \w+(?: \w+)?|\w+s) (?:\w+s|may|can|is|are)\b|\b(?:no ?one"
    r"|nobody) \w+s (?:on|without|before|after|to|from|directly|until|outside|into|in)\b",
    r"^\W*(?:new |house |team |ground |standing |our |the |one |another |simple |golden |an? )*(?:rule|policy"
    r"|exception|convention|guideline|standing order|ground rule)s?(?: (?:of thumb|to our|from|for|number"
    r"|to the|to my|here)[^:]*)?\s*[:：]|\bthe rule is\b|\bstick to\b[^.]*\b(?:everywhere|throughout|always)\b",
)
_GENERIC_Q = (
    r"(?:every|each|all|any|no|anything|everything|anyone|everyone|nobody|nothing|none|whoever|whatever|wherever)"
)
DEONTIC = _c(
    r"\b(?:must|should|shall|has to|have to|needs? to|needs?(?= (?:an?|my|our|his|her|two|three|four|\d+|both"
    r"|written) )|ought to|may(?: not| only)?|can(?:not|'t| only)?|(?:is|are) (?:not |never |always )?(?:to \w+"
    r"|supposed to|allowed to)|mustn't|shouldn't|(?:gets?|goes|go) (?:past|through|via|to|by|into))\b",
)
NEGATIVE_IMPERATIVE = _c(
    r"(?:^\W*|[,;:—–-]\s*|\b(?:please|kindly|but|and|so|then|ok|okay|again|also) )(?:please |kindly )?(?:(?:do not"
    r"|don't|dont"
    r"|never|avoid|stop|quit|refrain from|no need ever)(?! (?:worry|bother|mind|panic|think|know|you|we"
    r"|I)\b)[ ,])",
)
DEFINITE_OBJECT = _c(
    r"\bthe (?:new|other|first|second|latter|left|right) one\b",  # one of two at hand
    r"\b(?:do not|don't|dont|stop|avoid)\b(?: \w+){1,2} (?:it|that|this|these|those|them|him|her|yet|now)\b"
    r"|\byet\b|\bthis (?:file|one|branch|pr|script|test|bug|ticket|thing|error|line|function|order|invoice)\b"
    r"|\bthat (?:file|one|branch|pr|script|test|bug|ticket|thing|error|line|function|order|invoice|part)\b",
)
CONDITION = _c(
    r"(?:^|[,;:—-]\s*|\b(?:and|but|please|also),? )(?:when(?:ever)?|if|once|as soon as|after|before|unless"
    r"|in case|for|on|in|during|while|until)\b"
)
# A rule's condition: "when a delivery is late, …"; not "when you are done, …", which speaks of the task in hand.
_WHEN = _c(
    r"^\W*(?:and |but |also,? |please,? )?(?:when(?:ever)?|if|unless|in case) (?:(?:the|our|any"
    r"|an?) (?:[\w-]+ ){1,2}\w+s|an?|any|some\w*|no|every|each|two|three|you (?!are|have|'re|'ve|find|see|can"
    r"|could|want|get|don't|do not)\w+ (?:an?|any|to an?)|(?:the |our )?[\w-]+ (?:is|are|has|have|gets?|goes"
    r"|exceeds?|drops?|includes?|asks?|fails?|comes?)|[\w-]+s (?:are|have|come|fail|arrive)|in doubt"
    r"|unsure)\b[^,;:]*[,;:]"
    r"|\b(?:when(?:ever)?|unless) (?:an?|any|no|some\w*) [\w -]+$"
    r"|^\W*(?:and |but |also,? |please,? )?(?:for|on|in|with) (?!the\b|this|that|these|those|now|today|yes\b"
    r"|as\b|his\b|its\b)(?:[\w-]+ )?[\w-]+s\b[^,;:]*,"
)
TASK = _c(
    r"\b(?:when|once|after|if|as soon as) (?:you(?:'re| are|'ve| have) (?:\w+ )?(?:done|finished|ready|through|back"
    r"|got|read)|you (?:finish|get|find)) |\b(?:it|this|that|them)\W*$|\blet me know\b|\bgo ahead\b|\bi'?ll\b"
)
_STYLE_VERBS = frozenset(
    word_list("use prefer keep stick quote speak spell round prefix sign avoid show treat answer reply write")
)
_IN_ALL = _c(r"\b(?:in|on|for|across|with|to|at) (?:all|every|each|any)\b")
_FOR_A_CLASS = _c(
    r"^\W*(?:please )?(?:use|keep|prefer|stick|avoid|quote|speak|treat|round)\b[^,;]*\b(?:with|for|to|in"
    r"|towards) (?!this|these|those|the )(?:\w+ )?(?!this|was|is|as\b|minutes|hours"
    r"|days|seconds|weeks|months)\w+s\W*$"
)
_ANSWERING = _c(
    r"\bI (?:want|need|expect|'d like|would like) you to (?:answer|reply|respond|write|speak|use|call|keep"
    r"|format|explain|address|show|ask|treat|stick)\b"
)
_YOU_ARE_TOLD = _c(
    r"^\W*you(?:'re| are)? (?:(?:not |never )to|must (?:not|never)|mustn't|may not|are to (?:always|never))\b"
)
_SKIPPING = _c(
    r"^\W*(?:you|we) (?:can|may) (?:skip|omit|leave out|drop|ignore|bypass)\b.*\b(?:for|when|on|if"
    r"|in) (?:\w+ ){0,2}\w+(?:s|es)\b"
)
EXCLAIM_RULE = _c(
    r"\b(?:always|never)(?: means)?\b\s*[.!:]|\b(?:always|never|ever|every time|everywhere"
    r"|without exception)\s*[.!]*$"
)
# "No more emojis, okay?" asks for assent, not for an answer.
_TAG = _c(r",\s*(?:ok(?:ay)?|right|please|alright|all right|will you|got it|deal|agreed|understood)\s*\?\W*$")


def fragment_rule(sentence: str) -> bool:
    """A verbless rule: "Branches, always.", "Tests first, then the commit.", "Editor: dark theme, always."."""
    return bool(EXCLAIM_RULE.search(sentence)) and len(sentence.split()) <= 12


def generic(sentence: str) -> bool:
    """Whether the sentence speaks of a class of things, not of one."""
    return bool(
        re.search(
            rf"\b{_GENERIC_Q}\b|\bwhen(?:ever)?\b|\b(?:before|after|on|for|in|with|without|per) (?:\w+ing\b"
            rf"|each|every|any)",
            sentence,
            _I,
        )
    ) or bool(
        re.search(
            r"(?<![\w.-])(?!this\b|is\b|was\b|its\b|as\b|us\b|yes\b|thus\b|plus\b|does\b|has\b|always\b"
            r"|unless\b|across\b|less\b|access\b)[a-z][a-z-]{2,}(?<!s)s\b(?!')",
            sentence,
            _I,
        )
    )


_NEG = _c(
    r"\b(?:never|not|don't|dont|doesn't|didn't|wouldn't|mustn't|shouldn't|can't|cannot|won't|isn't|aren't|no|nobody"
    r"|nothing"
    r"|none|avoid|stop|refrain|without ever|forbidden|banned|prohibited|off[- ]limits|hate|can't stand|alone"
    r"|done with|enough (?:of|with)|spare me|less|fewer|as it is"
    r"|(?:bugs|annoys|bothers|irritates) me|(?:drives?|makes?) me (?:mad|crazy|nuts|angry))\b",
)
_NEG_HARMLESS = _c(
    r"\bnot? (?:matter|exceptions?|longer than)\b|\bnot only\b|\bwhy not\b|, not\b[^,.;]*|\bif not\b"
    r"|\bdon't forget\b|\bdo not forget\b|\bnever (?:mind|forget)\b|\bno matter\b|^\W*no[,.!]\s|\binstead of\b"
    r"|\brather than\b"
)


def negative(sentence: str) -> bool:
    # The occasion is not the rule: "when an invoice has no number, send it back".
    sentence = re.sub(
        r"^\W*(?:when(?:ever)?|if|once|before|after|where|should)\b[^,;]{3,80}, (?!no\b)", "", sentence, flags=_I
    )
    return len(_NEG.findall(_NEG_HARMLESS.sub(" ", sentence))) % 2 == 1


def blocked(sentence: str, question: bool) -> str:
    """Why the sentence is no directive whatever else it says; "" when nothing stands against it."""
    if question and not POLITE.search(sentence) and not _TAG.search(sentence):
        return "question"
    if DENIAL.search(sentence):
        return "denial"
    if HYPOTHETICAL.search(sentence):
        return "hypothetical"
    if NO_RULE.search(sentence) or EPISTEMIC.search(sentence):
        return "guess"
    if ONE_OFF.search(sentence) and not (
        STRONG.search(sentence) or re.search(r"\bevery (?:other )?day\b|\buntil (?:I|we) say\b", sentence, _I)
    ):
        return "one-off"
    if (THIRD.search(sentence) or REPORTED.search(sentence)) and not re.search(
        r"[,;:—] ?(?:but|so|and) (?:\w+ ){0,3}(?:you|we|ignore|disregard|forget|please|never|always|don't)\b",
        sentence,
        _I,
    ):
        return "third party"
    return ""


def directive(sentence: str, question: bool) -> bool:
    """Whether one sentence (quotes masked) is a standing directive."""
    if blocked(sentence, question):
        return False
    if REMEMBER.search(sentence):
        return True
    permanent = bool(PERMANENT.search(sentence))
    # A remark on the past in one clause does not spoil a rule in the next.
    told = [c for c in CLAUSE.split(sentence) if not PAST.search(c)]
    verbs = imperatives(sentence) if not PAST.search(sentence) else [v for c in told[-1:] for v in imperatives(c)]
    verb = bool(verbs)
    if POLITE.search(sentence):
        return permanent or (generic(sentence) and bool(re.search(r"\bstop\b|\bnot\b|\bbefore\b|\bwhen", sentence, _I)))
    if _YOU_ARE_TOLD.search(sentence) and not DEFINITE_OBJECT.search(sentence):
        return True
    if _SKIPPING.search(sentence) or (_ANSWERING.search(sentence) and not DEFINITE_OBJECT.search(sentence)):
        return True
    if PREFER.search(sentence):
        return bool(PREFER_STANDING.search(sentence)) and not re.search(
            r"\b(?:prefer|like|want) (?:the|this|that) (?:first|second|other|last|one|option)\b", sentence, _I
        )
    if CONVENTION.search(sentence) and not PAST.search(sentence):
        return True
    if (
        fragment_rule(sentence)
        and not SELF.search(sentence)
        and not PAST.search(sentence)
        and not COMPLAINT.search(sentence)
    ):
        return True
    if PAST.search(sentence) and not verb:
        return False
    if SELF.search(sentence) and not DEONTIC.search(sentence):
        return False
    if verb and (
        permanent
        or (_FOR_A_CLASS.search(sentence) and not DEFINITE_OBJECT.search(sentence))
        or (not _STYLE_VERBS.isdisjoint(verbs) and _IN_ALL.search(sentence) and not DEFINITE_OBJECT.search(sentence))
    ):
        return True
    if NEGATIVE_IMPERATIVE.search(sentence):
        return permanent or (generic(sentence) and not DEFINITE_OBJECT.search(sentence))
    if DEONTIC.search(sentence):
        if (
            re.search(
                r"\b(?:we|you|I) (?:can|could|may|should|need to|have to|must)\b(?! (?:always|never|only|not))",
                sentence,
                _I,
            )
            and not permanent
        ):
            return bool(re.search(r"\b(?:must|may)\b", sentence, _I)) and generic(sentence)
        return permanent or (
            bool(
                re.search(
                    rf"^\W*(?:[\w-]+ ){{0,2}}{_GENERIC_Q}\b|^\W*(?:[\w'-]+ ){{0,4}}[\w-]+s (?:\w+ly )?(?:must"
                    rf"|should|may|can|shall|have to|need|are|go)",
                    sentence,
                    _I,
                )
            )
            and not DEFINITE_OBJECT.search(sentence)
        )
    if verb and _WHEN.search(sentence) and not DEFINITE_OBJECT.search(sentence) and not TASK.search(sentence):
        return True
    if not CONVENTION_VERBS.isdisjoint(verbs):
        return bool(
            re.search(
                r"\b(?:every|each|any)\b(?!.*\b(?:in|of|on|from|under) (?:this|that|the|these) )|\bfor (?:all"
                r"|everything)\b|^\W*(?:when(?:ever)?|if|before|after|unless)\b|\b(?:when(?:ever)?|unless"
                r"|before (?:you|each|every|\w+ing)|not \w+)\b",
                sentence,
                _I,
            )
        ) and not (DEFINITE_OBJECT.search(sentence) or TASK.search(sentence))
    if permanent and not COMPLAINT.search(sentence):
        # "Tests never hit the network", "Every commit gets signed": a generic subject in the present tense.
        return bool(
            re.search(
                rf"^\W*(?!(?:the|their|his|her|its|this|that|these|those|my|your)\b)(?:{_GENERIC_Q}\b"
                rf"|[\w'-]+ ?[\w-]*s\b (?:always|never|only)|[\w' -]{{0,40}}s\b[\w ]{{0,24}} are (?:always"
                rf"|never|only) \w+(?:ed|en|n|t)\b)",
                sentence,
                _I,
            )
        ) or bool(STRONG.search(sentence))
    return False
