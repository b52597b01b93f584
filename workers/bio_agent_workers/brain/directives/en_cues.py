"""English cues of a standing directive and of what is none: permanence, one time only, supposition, the past, other people,
denial, guesses, polite asking, what is to be remembered."""

from __future__ import annotations

import re

_I = re.IGNORECASE


def _c(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), _I)


PERMANENT = _c(
    r"\bfrom (?:now|today|this (?:day|point|week|month)|here|tomorrow|(?:the )?next \w+|the \w+|(?:mon|tues"
    r"|wednes|thurs|fri|satur|sun)day"
    r"|january|february|march|april|may|june|july|august|september|october|november"
    r"|december)\b[^,.;]{0,20}?\b(?:on|onwards?|forward)\b",
    r"\b(?:going|moving) forward\b|\bin (?:the )?future\b|\bhence ?forth\b|\bas of (?:now|today|\w+day|next \w+"
    r"|\w+ \d+)\b|\beverywhere\b|\beffective \w+|\bstarting (?:now|today|tomorrow|next|from|with|on|\w+day)\b",
    r"\b(?:always|never|at all times|no matter (?:what|how|who)|under (?:no|any) circumstances"
    r"|without exception|no exceptions?)\b",
    r"\b(?:every|each) (?:single )?(?:time|day|night|week|month|morning|evening|quarter|release|other day"
    r"|commit|deploy\w*|pr|change)\b",
    r"\bwhenever\b|\bany ?time\b|\bby default\b|\bas a rule\b|\bfor good\b|\bpermanently\b|\bon principle\b"
    r"|\bever\b|\bany ?more\b",
    r"\buntil (?:I|we) (?:say|tell|decide|change|lift)\b|\buntil further notice\b|\buntil told otherwise\b"
    r"|\bunless (?:I|we|told|stated)\b",
    r"\bmake (?:it|that) (?:a (?:habit|rule|point)|the default|standard)\b|\bget (?:in|into) the habit\b"
    r"|\b(?:new|house|ground|team|our|standing) (?:rule|policy|convention|default)\b",
    r"\bthroughout\b|\bacross the board\b|\bnext time\b|\bfrom then on\b|\bon every\b|\bmust not\b|\bno more\b",
)
STRONG = _c(
    r"^\W*(?:starting |effective |as of )?(?:from )?(?:today|now|tomorrow|next (?:week"
    r"|month|year)|\w+day)(?: on(?:wards?)?)?, (?:every|each|all|no|only) ",
    r"\bfrom (?:now|today|this (?:day|point|week|month)|here|tomorrow|(?:the )?next \w+) on|\b(?:going"
    r"|moving) forward\b|\bhence ?forth\b",
    r"\buntil (?:I|we) (?:say|tell|decide)|\buntil further notice\b|\bas of (?:now|today|\w+day|next \w+"
    r"|\w+ \d+)\b|\b(?:new|house|ground|standing) rule\b",
    r"\bin future\b|\bmake (?:it|that) (?:a (?:habit|rule|point)|the default)\b|\bunder (?:no"
    r"|any) circumstances\b|\bevery single time\b",
)
ONE_OFF = _c(
    r"\b(?:just|only) (?:this|for) (?:once|one|now|today|the moment)\b|\bjust this\b|\bthis (?:once|one time"
    r"|time)\b|\bfor once\b|\bone[- ]off\b",
    r"\bfor (?:this|the next|that) (?:one|pr|commit|release|deploy\w*|run|build|ticket|task|branch|hour|time"
    r"|file|change|sprint|migration|demo|call|round)\b",
    r"\b(?:for|right|until) (?:now|today|tonight|tomorrow|the moment|the time being)\b(?! on)"
    r"|\btoday\b(?!,? and every)|\btonight\b|\btemporar(?:y|ily)\b|\btill (?:noon|tomorrow|monday|lunch)\b",
    r"\bthis (?:morning|afternoon|evening|week|weekend|sprint|once)\b(?! on)|\bwhile I'?m (?:out|away|on)\b"
    r"|\buntil (?:he|she|they|it|the \w+) (?:is|are|'s|comes?|gets?)\b",
    r"\bat the moment\b|\bthis (?:pr|commit|branch|file|ticket|release) only\b|\bonly (?:for )?this\b",
)
HYPOTHETICAL = _c(
    r"^\W*(?:apparently|supposedly|reportedly|allegedly|rumou?r has it|word is|legend has it|it(?:'s| is) said"
    r"|(?:they|people|some|experts) say"
    r"|I(?:'ve)? (?:read|heard|saw)(?: somewhere| online)? that|imagine|suppose|supposing|say we|let'?s say|assume"
    r"|assuming|what if|pretend|hypothetically"
    r"|in theory|if only|picture)\b",
    r"\bif (?:we|you|I|they|someone|somebody|the \w+) (?:said|had|were|was|did|never|always|banned|stopped"
    r"|would|could)\b|\bwould(?:n't)? (?:it|that) (?:help|hurt|work|break|be)\b|\bhow (?:long|much|many|about"
    r"|bad)\b|\bwhat would\b",
    r"\b(?:I|we) (?:wonder|could|might|would) (?:if|have|consider|try|even|perhaps|maybe)\b|\b(?:might|maybe"
    r"|perhaps|possibly|probably|someday|one day|eventually)\b|\bcould one day\b|\bthinking (?:about|of)\b"
    r"|\bnot sure (?:if|whether)\b|\bwondering\b",
)
PAST = _c(
    r"\bused to\b|\bback (?:in|then|when)\b|\b(?:last|previous) (?:year|month|week|night|time|sprint|quarter"
    r"|monday|friday)\b|\bin (?:19|20)\d\d\b(?!,? on)|\byears? ago\b|\byesterday\b|\bin those days\b"
    r"|\bonce upon\b|\bat my (?:last|old|previous|former)\b|\bbefore .{3,40} existed\b",
    r"\b(?:I|we|you|he|she|they|it|who|that|nobody|everyone) (?:\w+ly )?(?:always |never |often |just "
    r"|only )?(?:was|were|had|did|didn't|got|went|said|told|made|took|kept|ran|wrote|broke|saw|came|left|put"
    r"|lost|found|thought|knew|gave|sent|built|slept|ate|drank|drove|rode|sang|wore|met|spent|paid"
    r"|bought|sold|stood|sat|felt|won|fell|flew|grew|held|hid|led|\w{2,}ed)\b(?! (?:it|that|this)? ?(?:always"
    r"|never))",
    r"\bhave(?:n't)? (?:always|never|ever)\b|\b(?:I|we|he|she|they|it)'(?:ve|d) (?:always|never)\b"
    r"|\bhas (?:always|never)\b",
)
THIRD = _c(
    r"^\W*(?:and |but |so |well,? )?(?:he|she|they|someone|somebody|people|some \w+|most \w+|other (?:teams"
    r"|people|shops)|my (?:old|former|last|previous|ex)\b[\w' -]*|my (?:boss|colleague|friend|wife|husband"
    r"|brother|sister|neighbour|teacher|father|mother)|(?:their|his|her) \w+|the (?:\w+ )?(?:team|guys|folks"
    r"|people|department|plant|office|vendor|customer|client|competitor)s?|(?:corporate|marketing|sales|legal"
    r"|finance|management|google|amazon|microsoft|facebook|netflix|apple))\b(?! (?:must|should|may|can|need"
    r"|has to|have to|wants? you|is (?:not )?to|asked you))",
    r"\bover (?:at|in) (?:the )?\w|\bat (?:my|the) (?:other|old|last|previous|client)|\b(?:he|she"
    r"|they) (?:always|never|usually|often|say|says|claim|insist|want|do|don't|think|told|has|have|had)\b",
    r",\s*(?:my|the|our|his|her) [\w -]{3,20} (?:says?|said|claims?|claimed)\W*$|,\s*(?:says?|said|reads?"
    r"|claims?) (?:the|my|our|a|an|his|her|their|he|she|they|(?-i:[A-Z])\w+)\b[^,;]*$"
    r"|\b(?:according to|as \w+ (?:says|put it|likes to say))\b|\b(?:docs|guide|wiki|manual|article|blog|book"
    r"|readme|policy|mail|email|linter|traceback|error|log|console|output|compiler|terminal|browser|tutorial"
    r"|standard) (?:says?|claims?|recommends?|states?|tells?|insists?"
    r"|suggests?)\b",
)
DENIAL = _c(
    r"\b(?:I'?m|I am|I was|we'?re|we are) not (?:saying|asking|telling|suggesting|demanding|claiming)\b|\b(?:I"
    r"|we|nobody|no one) (?:never|didn't|did not|don't|do not|haven't) (?:say|said|ask(?:ed)?|tell|told|mean"
    r"|meant|mention(?:ed)?|claim(?:ed)?|expect)\b|\bnot that (?:you|we|it)\b|\bit(?:'s| is) not (?:as if|like"
    r"|that)\b|\bno (?:need|reason) to\b(?!.*[,;] (?:just|simply|you (?:can|may))\b)|\b(?:doesn't|does not"
    r"|don't) (?:have to|need to|mean)\b(?!.*\b(?:every|each) (?:single )?time\b)"
    r"|\bnobody said\b",
)
SELF = _c(
    r"^\W*(?:ok(?:ay)?,? |well,? |so |sorry,? |ah,? )?(?:I|I'll|I will|I'm|my \w+) (?:will |'ll |am going to "
    r"|shall )?(?:always|never|usually|every time|keep|forget|do|try|run|promise|go)\b(?! (?:want (?:you"
    r"|to see)|like it when))",
    r"^\W*(?:thanks|thank you|cheers|as always|never mind|nevermind|same as (?:ever|always))\b|\byou(?:'re"
    r"| are)? (?:always|never) (?:so|\w+ (?:me|so))\b|\byou(?:'re| are) (?:always|never)\b|^\W*(?:why|how"
    r"|what) \w+",
)
# Guesses, regrets and feelings: "it must be the firewall", "we should have checked", "I think it should pass now".
EPISTEMIC = _c(
    r"\b(?:must|should|could|might|may|can't|cannot|would|ought)(?:n't| not)? (?:(?:I|you|we|they|he|she"
    r"|it) )?(?:(?:always|never|just|really|\w+ly) )?have (?:been|\w+ed|\w+n|had|gone|made|got|known|kept|put"
    r"|run|said|told)\b",
    r"^\W*(?:it|that|this|there|he|she|they) (?:must|should|may|can't|cannot)\b"
    r"|\byou must be (?!sure)\w+\b(?! to)|\bshould (?:be (?:fine|ok(?:ay)?|done|ready|good|enough|working|there"
    r"|back)|work|pass|do|help|suffice)\b(?: now| then)?\W*$",
    r"^\W*(?:and |but |so |well,? |hmm,? )?I (?:think|guess|believe|suppose|bet|hope|doubt|feel|assume|suspect"
    r"|wish)\b|\bif only\b",
    r"^\W*(?:never|always) (?:seen|had|been|heard|thought|known|\w+(?<!e)ed)\b",  # "never feed" is no past
)
POLITE = _c(
    r"^\W*(?:and |so |also,? |hey,? )?(?:would|could|can|will) you (?:mind|please|kindly|(?:always"
    r"|never)(?! (?:need|be|have|want|know|like|take|get|feel|see|choose|pick|say|think|call|consider"
    r"|recommend)\b)|also|just|make|stop|start|not|from|keep"
    r"|ask|try)\b|^\W*(?:can|could|shall|may) (?:we|I ask you to) (?:please |just )?(?:agree|always|never|stop"
    r"|start|make|keep|stick)\b|\bwould you mind\b|^\W*(?:would|is) it (?:be )?(?:possible|ok(?:ay)?"
    r"|fine) (?:to\b|if you\b)",
)
REMEMBER = _c(
    r"^\W*(?:\w+,? )?(?:please )?(?:remember|keep in mind|bear in mind|note|make a note|take note|don'?t forget"
    r"|do not forget|never forget|memori[sz]e|write (?:this|that) down)\b(?: this| that| it| for (?:later"
    r"|next time|the future))?\s*(?:that\b|[:,-]|this\b|for\b)",
    r"\b(?:thing|one|point|fact|something|another) (?:to|worth) (?:remember(?:ing)?|keep(?:ing)? in mind"
    r"|not(?:e|ing)|know(?:ing)?)\s*[::-]|\bnote (?:for|to) (?:later|self|next time|the future|you|future)\b"
    r"|\bfor (?:future reference|your (?:notes|memory|records)|the record)\b|\b(?:save|store|put|keep"
    r"|add) (?:this|that|it) (?:in|to|into) (?:your |the )?(?:memory|notes|memories)\b|\bremember that one\b"
    r"|\bplease remember\b",
)
