"""English orders, leaves and wishes that speak of no one thing: of a class, a time that comes again, a measure, a condition."""

from __future__ import annotations

import re

from bio_agent_workers.brain.directives.en_mood import (
    imperative_verb,
)
from bio_agent_workers.brain.directives.en_things import (
    EACH,
    IGNORECASE,
    LEAD,
    MADE,
    STYLE,
    WHO,
)

#: How a thing is done; what is done once with things at hand is no manner.
_MANNER_VERBS = (
    r"(?:sort|group|order|treat|use|leave (?:out|off|blank)|hold(?: back)?|charge|put|keep|mark"
    r"|write|spell(?: out)?|round|give|name|label|address|answer|ask|quote|format|show|start|begin"
    r"|end|sign|mention|cite"
    r"|speak|talk|avoid|prefer|report|include|exclude|skip|indent|capitali[sz]e|number|tag|store|file"
    r"|record|log|note|cc|bcc|copy|loop|warn|tell|notify|remind|confirm|wait|refuse|decline|reject|accept|escalate"
    r"|route|forward|offer|price|weigh|wrap|seal|pay|bill|stick|limit|cap|drop|omit|link|attach|list"
    r"|pick|choose|respect|greet|thank|apologi[sz]e|call|say|stay|don'?t|do not|never)"
)
_BARE_CLASS = re.compile(
    rf"{LEAD}{_MANNER_VERBS}\b(?: (?:in|out|up|off|back|down|over|to|with|about|for))? (?!(?:the"
    r"|this|that|these|those|it|them|him|her|me|us|my|his|their|an?|your|our|some|one|two|three"
    r"|\d+|both|more|everything|all)\b)"
    r"(?:[\w'-]+ ){0,3}?[\w'-]+s\b(?: (?:of|from|under|over|above|below|with|without|that"
    r"|which|who)\b[^,;]*)?,? (?:by|in|as|with|without|before|after|first|last|at|on|to|under|only|not|unless"
    r"|until|separately|when)\b",
    IGNORECASE,
)
_ANY_SUCH = re.compile(
    rf"{LEAD}(?:please )?{_MANNER_VERBS}\b[^;:]*?\b(?:any (?!of\b)[\w-]+|anything|whatever|what (?:you"
    r"|they|clients|people|guests|customers|patients|\w+s) \w+|per [\w-]+|(?:in|on|for|to|with|from) (?!this"
    rf"|these|those|his|always|us\b|yes\b)(?:[a-z-]+ )?(?:{MADE}|{WHO})(?<=s))\b(?! (?:on"
    r"|in|at) (?:the|this|my) (?:desk|page|file|list|table))",
    IGNORECASE,
)
_PERIODIC = re.compile(
    rf"{LEAD}(?:please )?{_MANNER_VERBS}\b[^,;]*\b(?:daily|weekly|fortnightly|monthly"
    rf"|quarterly|yearly|annual) (?:{MADE}|sheet|round|mailing)\b",
    IGNORECASE,
)
_CONVENTION_OF = re.compile(
    rf"{LEAD}(?:please )?(?:use|stick to|keep to|follow|prefer) (?:the )?(?:[\w-]+ ){{0,3}}(?:system"
    r"|format|font|template|tone|spelling|currency|units?|calendar|clock|convention|style|palette"
    r"|notation|alphabet|imperative|passive|active voice|serial comma|tabs|spaces|quotes|metres|kilos|celsius"
    r"|fahrenheit|euros)(?:\W*$|, (?:my|I|we|our|it|because|since)\b)",
    IGNORECASE,
)
_DAYS = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day(?:s| (?:mornings|evenings|afternoons|nights))\b"
    r"|\b(?:on|at|over|during) (?:weekends|weekdays|holidays|bank holidays)\b|\bin the (?:mornings"
    r"|evenings|afternoons)\b",
    IGNORECASE,
)
#: What goes before what: such is said of rules.
_PRECEDES = re.compile(
    r"^\W*(?:where|when(?:ever)?|if|in case)\b(?! (?:this|that|the two of)\b)[^,;]{3,60}, (?:the "
    r"|an? |then )?[\w' -]{1,40}? (?:wins|goes first|comes first|takes (?:precedence|priority)"
    r"|has priority|prevails|counts|decides|applies|has the last word|is (?:enough|final|off|out|void))\b",
    IGNORECASE,
)
_MAY = re.compile(
    rf"{LEAD}(?:you(?:'re| are)? (?:can|may|free to|allowed to|welcome to)|feel free to) (?!see"
    r"|imagine|tell me|guess|find|expect|read|always|never|hear|stop|have|go|come|skip this)\w+ (?!it\b"
    r"|that\b|this\b|the\b|them\b|me\b|your?\b)(?:[\w'-]+ ){0,3}?[\w'-]+\b[^?]*\b(?:yourself"
    r"|on your own|without (?:asking|me|checking)|up to|under|below|of up to|as long as|unless)\b",
    IGNORECASE,
)
_NO_NEED = re.compile(
    rf"{LEAD}(?:there(?:'s| is) )?(?:no need|you (?:don't|do not|needn't)(?: (?:need|have))?) (?:to )?(?:ask"
    r"|check|tell|warn|consult|notify|wait for|copy|cc|remind) (?:with )?me (?:about|for|on|over|when|before"
    r"|of|if)\b(?! (?:it|this|that|the)\b)",
    IGNORECASE,
)
_NOT_BELONG = re.compile(
    rf"\b(?:{MADE}|{WHO})(?<=s) (?:do not|don't|never|must not|should not|are not to) (?:belong"
    r"|go|appear|come|get|need|carry|contain|include|leave|enter|apply|count|qualify)\b",
    IGNORECASE,
)
_WISHES = re.compile(
    r"\bI(?:'d| would) (?:really |very much )?(?:appreciate|like|love|welcome|prefer"
    r"|be glad of|be grateful for) (?:an?|the|two|three|one|some|your) [\w' -]{3,60}?\b(?:each"
    r"|every|with all|before any|per)\b",
    IGNORECASE,
)
_LETS = re.compile(
    rf"{LEAD}let(?:'s| us) (?:please )?(?:keep|stick|limit|hold|cap|call|write|use|agree"
    r"|stop|avoid|not)\b[^?]*\b(?:per [\w-]+|always|never|every|each|in all|from now on|any ?more"
    r"|in future|for good)\b",
    IGNORECASE,
)
_FROM_LEAD = re.compile(
    r"^\W*(?:starting |as of |effective )?(?:from )?(?:today|now|tomorrow|next (?:week|month|year|\w+day)|(?:mon"
    r"|tues|wednes|thurs|fri|satur|sun)day|(?:january|february|march|april|may|june|july|august"
    r"|september|october|november|december)(?: \d+)?)(?: on(?:wards?)?)?, (?:please )?(?:every"
    r"|each|all|any|no|only|never|always|don't|use|[\w'-]+s )\b",
    IGNORECASE,
)
_FUTURE_ONES = re.compile(
    r"\b(?:all |any )?(?:future|later|upcoming|new) [\w-]+s (?:should|must|need|get|have to"
    r"|go|carry|start|are to)\b",
    IGNORECASE,
)
_ONLY_IF_I = re.compile(
    r"\bonly\b[^?]*\b(?:when|if|once|after|on) (?:I|we|my) (?:ask|say|tell|request|approve|confirm"
    r"|want|okay|word)|\b(?:not|never|don't)\b[^?]*\b(?:until|unless|before) (?:I|we) (?:ask"
    r"|say|tell|request|approve|confirm|okay|have (?:said|seen|approved))\b",
    IGNORECASE,
)
_MEASURED = re.compile(
    r"^\W*(?:if|when(?:ever)?|once|as soon as|should) (?:the|an?|our|any|your|some)? ?[\w' -]{2,40}? (?:is"
    r"|are|drops?|falls?|rises?|goes|gets|reach(?:es)?|exceeds?|weighs?|costs?|takes?|lasts?|runs?) (?:under"
    r"|over|below|above|less|more|past|longer|beyond|at least|to|\d)[^,]{1,30}, (?P<then>.+)$",
    IGNORECASE,
)
_LIMIT = re.compile(
    r"^\W*(?:(?:at most|no more than|up to|at least|never more than) (?:\w+ ){1,3}|(?:one|two|three|four"
    r"|five|six|ten|\d+) (?:[\w-]+ ){1,2}(?:at most|max(?:imum)?|tops|at least|minimum),? )(?:when|in"
    r"|per|for|if) (?!the\b|this|that)",
    IGNORECASE,
)
_KEEP_TO = re.compile(r"[,;] (?:please |so |just )*(?:keep|stick|hold) to (?:that|it|this|those)\W*$", IGNORECASE)
_FOR_ALL = re.compile(
    r"^\W*(?:please )?(?:do|apply|use|keep) (?:that|this|it|the same) (?:for|with|in|on|to) (?:all"
    r"|every|each|any)\b",
    IGNORECASE,
)
_NOT_EACH_TIME = re.compile(
    r"^\W*you (?:don't|do not|needn't) (?:have to|need to) \w+[^?]*\b(?:every|each) (?:single )?time\W*$", IGNORECASE
)
_WITH_ME = re.compile(
    rf"{LEAD}be (?:blunt|direct|honest|frank|brief|formal|informal|polite|concise|strict|patient|straight"
    r"|open) with (?:me|us)\b(?! (?:today|now|here|this))",
    IGNORECASE,
)
_SHOULD_ANY = re.compile(r"^\W*should (?:an?|any\w*|some\w*|two) [^,?]{3,50}, (?:please )?(?P<then>.+)$", IGNORECASE)
_THEY_NEED = re.compile(
    rf"^\W*{WHO}(?<=s)(?: (?:under|over|from|with|without|who|in|on|above|below) [\w' ,-]{{2,30}}?)? (?:need"
    r"|pay|sign|get|wait|show|bring|have to|may|can|must)\b[^?]*\b(?:before|first|in advance|up front"
    r"|only|without|until|no)\b",
    IGNORECASE,
)
_NOBODY = re.compile(
    r"^\W*(?:nobody|no ?one) (?:but \w+ )?(?:gets|sees|touches|enters|leaves|uses|opens|signs|sends"
    r"|moves|edits|books|orders|pays|changes|approves|drives|takes|answers) (?!me\b|it\b|here\W*$|that\b|my jokes)",
    IGNORECASE,
)
_SHORT_ONES = re.compile(
    r"^\W*(?:short(?:er)?|long(?:er)?|plain|simple|big(?:ger)?|small(?:er)?|clear(?:er)?|fewer|round|full|separate"
    rf"|formal|crisp|neutral|metric) (?:[\w-]+ )?(?:{MADE}|{STYLE})(?<=s),? please\W*$",
    IGNORECASE,
)
_DONE_TO = re.compile(
    rf"\bI(?:'d)? (?:want|need|like|expect|prefer) (?:all |every |any )?(?:{MADE}"
    rf"|{STYLE})(?<=s) (?:to be )?(?!sent to me\W*$)\w{{2,}}(?:ed|en|t|n)\b(?! (?:today|now|yesterday))",
    IGNORECASE,
)
_HAPPIER = re.compile(
    r"\bI(?:'d| would) be (?:much |far |a lot )?(?:happier|happy|better off|more comfortable) with (?!the\b"
    r"|that|this|it\b|a (?:coffee|tea|beer))",
    IGNORECASE,
)
_UNLESS = re.compile(
    r"\b(?:unless|except when|except if) (?:an?|any\w*|some\w*|I|we|it(?:'s| is)|they|the|no)\b", IGNORECASE
)
_OR_ELSE = re.compile(
    r",? (?:or else|or they|or it|otherwise|they \w+ otherwise|or (?:the|we|people|customers|guests) )\b", IGNORECASE
)
#: What a person is for good, and what follows from it.
_TRAIT_SO = re.compile(
    r"^\W*(?:I(?:'m| am)?|we(?:'re| are)?|my|our)\b (?!.*\b(?:hungry|late|tired|busy|ill|sick|stuck|out|away|sorry"
    r"|afraid|leaving|going|driving|waiting|running|in a|on the|at the|at a|back|ready|done|need"
    r"|want|must|have to|today|tonight|now)\b[^,;]*[,;] so)[^,;]{4,70}[,;] so (?:please "
    r"|just |always )*(?P<then>(?!come|let|help|call me (?:back|later)|wait|hurry|go\b"
    r"|tell me\b|forget|don't worry).+)$",
    IGNORECASE,
)
_BARE_PLURAL = re.compile(r"^\w+ (?:[\w-]+ ){0,2}?(?!this|was|is|as\b|us\b|yes\b)[\w-]+s\b", IGNORECASE)
_PARALLEL = re.compile(
    r"^\W*[\w-]+(?: [\w-]+)? (?:in|by|at|on|to|with|as) [\w-]+(?: [\w-]+)?, (?:and )?[\w-]+(?: [\w-]+)? (?:in"
    r"|by|at|on|to|with|as) [\w-]+(?: [\w-]+)?\W*$",
    IGNORECASE,
)
_SETTLED = re.compile(
    r"^\W*(?:we(?:'ve| have)? (?:settled|agreed|decided)(?: on)?(?: this| that| it)?(?: already)?"
    r"|one correction|(?:a )?correction|small correction|to clarify"
    r"|just to be clear|all I ask is(?: that)?)\s*(?:[:,—–]|(?= you)) ?(?=.*\b(?:never|always|no|not|on \w+days"
    r"|from now on|every|each|all|only|gets?|goes?)\b)",
    IGNORECASE,
)
_WHEN_ANY = re.compile(
    r"\b(?:when(?:ever)?|before|after|unless|until) (?:you \w+ |you're \w+ing )?(?:any(?:one"
    r"|body|thing)?|some(?:one|body)|an?)\b(?! (?:while|bit|minute|second|moment|hour|day|week|month|year"
    r"|few|lot|break|coffee|try)\b)",
    IGNORECASE,
)
_FROM_SEASON = re.compile(
    r"^\W*(?:by the way, |also, |and |oh, )*(?:starting |beginning )?from (?:the "
    r"|next |this )?[\w ]{2,20} on(?:wards?)?,? (?!I\b|he\b|she\b|they\b|it\b)\w+",
    IGNORECASE,
)
_RATHER = re.compile(
    r"^(?!.*\b(?:the|this|that|these|it)\b[^,;]*\b(?:rather|instead)\b)[^,;]* (?:rather than"
    r"|instead of|and not|, not) \w+ing\b",
    IGNORECASE,
)
_ONLY_DO = re.compile(
    rf"{LEAD}only (?:ever )?(?P<then>(?!the|this|that|one|two|three|just)\w+ (?!the\b|this"
    r"|that|these|it\b|one\b)[\w-]+.*)$",
    IGNORECASE,
)
_PRIVATE = re.compile(
    rf"{LEAD}(?:don'?t|do not|never) (?:ever )?(?:give out|share|hand out|pass on|post|publish|forward"
    r"|reveal|disclose|tell (?:anyone|anybody|people)) (?:my|our) ",
    IGNORECASE,
)
_STOP_WORD = re.compile(
    rf"{LEAD}(?:(?:could|can|will|would) you )?(?:please )?(?:stop|quit|avoid) (?:using|saying|writing) the (?:word"
    r"|words|phrase|term|expression|form) ",
    IGNORECASE,
)
_NO_SUCH = re.compile(
    rf"^\W*no (?:[\w-]+ )?{MADE}(?<=s)(?: [\w-]+){{0,6}}? (?:after(?! all)|before|without|on|during|unless|until) ",
    IGNORECASE,
)
#: "…, no exceptions": said of rules.
_NO_EXCEPTION = re.compile(
    r"^(?!.*\b(?:was|were|had|did|went|he|she|they)\b)[^?]{8,}, (?:no exceptions?|without exception|no matter what"
    r"|whatever happens|every single time)\W*$",
    IGNORECASE,
)
_EACH_DAY_DO = re.compile(
    r"^\W*(?:every|each|on) (?:other |single )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|day|week|month"
    r"|quarter|year|morning|evening|night|spring|autumn)\b(?: \w+)?,? (?:please )?(?P<then>.+)$",
    IGNORECASE,
)
_NAMES = re.compile(
    rf"{LEAD}(?:spell|write|pronounce) (?:my|our) (?:\w+ )?(?:name|title|surname)s?\b|{LEAD}(?:address"
    r"|refer to) (?:me|us) (?:as|by|with)\b",
    IGNORECASE,
)
_UNTIL_I = re.compile(
    r"\b(?:nothing|nobody|no one|no \w+)\b[^?]*\b(?:until|before|unless) (?:I|we)(?:'ve| have)? (?:checked|seen"
    r"|approved|signed|read|okayed|said|agreed|confirmed)\b",
    IGNORECASE,
)
#: "I don't read attachments, put it all in the body": a trait and what follows from it.
_TRAIT_COMMA = re.compile(
    r"^\W*I (?:don't|do not|never|can't|cannot|only|hate|rarely) (?!want|think|know|understand"
    r"|see|have|need|remember|feel|get|find|believe)[^,;]{3,40}[,;] (?:please |so )?(?P<then>(?!come"
    r"|let|help|wait|hurry|go\b|tell me\b|call\b|forget|don't worry).+)$",
    IGNORECASE,
)
_WE_SAY = re.compile(
    r"^\W*(?:here |around here )?we (?:say|write|call|spell|use|go (?:by|with)) [^,]{2,40}, (?:and "
    r"|but )?(?:never|not) ",
    IGNORECASE,
)
_FEWER = re.compile(
    r"(?:^|[:,—–] ?)(?:fewer|less|no more|shorter|more|simpler) [\w -]{2,24} in (?:our"
    rf"|my|your|all|any) (?:[\w-]+ )?(?:{MADE}|\w+s)\W*$",
    IGNORECASE,
)


NEGATED = re.compile(
    rf"{LEAD}(?:don'?t|do not|never|leave out|leave off|hold back|hold off|spell out) [a-z]+", IGNORECASE
)
_BE = re.compile(r"^(?:please )?be \w+", IGNORECASE)


def generic(s: str) -> bool:
    """Whether the sentence speaks of no one thing: an order, a leave or a wish about a class."""
    if (imperative_verb(s) or NEGATED.match(s)) and any(p.match(s) for p in (_BARE_CLASS, _ANY_SUCH, _PERIODIC)):
        return True
    if any(
        p.match(s)
        for p in (
            _CONVENTION_OF,
            _PRECEDES,
            _MAY,
            _NO_NEED,
            _LETS,
            _LIMIT,
            _FOR_ALL,
            _NOT_EACH_TIME,
            _WITH_ME,
            _THEY_NEED,
            _NOBODY,
            _SHORT_ONES,
            _SETTLED,
            _FROM_SEASON,
            _WE_SAY,
            _NO_EXCEPTION,
            _NAMES,
            _UNTIL_I,
            _PRIVATE,
            _STOP_WORD,
            _NO_SUCH,
        )
    ):
        return True
    if _DONE_TO.search(s) or _HAPPIER.search(s):
        return True
    trait = _TRAIT_SO.match(s)
    if (
        trait
        and imperative_verb(trait["then"])
        and _BARE_PLURAL.match(trait["then"])
        and not re.search(r"\b(?:the|this|that|my|these|it|them)\b", trait["then"], IGNORECASE)
    ):
        return True
    should = _SHOULD_ANY.match(s)
    if should and (imperative_verb(should["then"]) or _BE.match(should["then"])):
        return True
    only = _ONLY_DO.match(s)
    if (only and imperative_verb(only["then"])) or _FEWER.search(s) or (imperative_verb(s) and _RATHER.match(s)):
        return True
    if _PARALLEL.match(s) and not imperative_verb(s):
        return True
    if imperative_verb(s) and (_UNLESS.search(s) or _WHEN_ANY.search(s) or (_OR_ELSE.search(s) and EACH.search(s))):
        return True
    for lead in (_EACH_DAY_DO.match(s), _TRAIT_COMMA.match(s)):
        if lead and imperative_verb(lead["then"]) and not re.search(r"\b(?:when|while) I\b", s):
            return True
    measured = _MEASURED.match(s)
    if measured and (
        imperative_verb(measured["then"])
        or re.match(
            r"^(?:two|three|both|someone|nobody|no one|it|they) (?:\w+ )?(?:lifts?|signs?|checks?|goes|go|must|gets?)\b",
            measured["then"],
            IGNORECASE,
        )
    ):
        return True
    if _ONLY_IF_I.search(s) or _KEEP_TO.search(s):
        return True
    if _WISHES.search(s) or _NOT_BELONG.search(s) or _FUTURE_ONES.search(s):
        return True
    if s.lower().startswith(("from ", "starting ", "as of ", "effective ")) and _FROM_LEAD.match(s):
        return True
    return bool(imperative_verb(s) and _DAYS.search(s))
