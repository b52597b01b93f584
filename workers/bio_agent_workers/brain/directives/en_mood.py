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
        " wipe wire work suggest recommend arrange bundle crop wake refuse decline accept serve seat lend greet thank iron fold water"
        " feed dim double-check proofread charge aim weigh hang hide lay rinse rest rely signal sketch stamp steer sweep swap teach"
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
    r"^\W*(?:(?:ok(?:ay)?|no|yes|yeah|hey|hmm|whoa|ah|oh|right|well|look(?! (?:at|into|up|for|over|through|after))|listen|so|and|but|also|then|please"
    r"|again|one more thing|by the way"
    r"|btw|fyi|seriously|honestly|in general|generally|as a rule|by default|going forward|moving forward"
    r"|in future|in the future"
    r"|always|just|kindly|instead|remember|note|from [^,]{3,20} on(?:wards?)?|next time|until [^,]{3,40}"
    r"|starting [^,]{3,20}|do me a favou?r(?: and)?|for my sake|every(?:one|body)|team|folks|guys|same here)"
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


#: Cheer and comfort, what people say of life in general, and what a turn is about at this moment: no rule for an agent.
NO_RULE = re.compile(
    r"\b(?:asks?|asked|wants? to know|wondered?) (?:me |us |you )?(?:whether|if|why|how)\b(?! (?:in doubt|unsure))|"
    r",? as you know\b|^\W*better to have\b|\byou should(?:'ve| have)? (?:see|seen|hear|heard)\b|\b(?:don'?t|do not"
    r"|never) (?:be (?:afraid|scared|shy|sad"
    r"|discouraged|hard|too hard|upset|sorry|silly)|give up|quit\b(?! \w+ing)|stop (?:believing|dreaming|trying)"
    r"|let (?:anything|anyone|it|that|them|the \w+)\b[^.]*\b(?:stop|bring|get|hold|discourage|define)\b"
    r"|let (?:anything|anyone) \w+|feel (?:bad|like|guilty)|hesitate|lose (?:hope|heart|faith)"
    r"|sweat|stress|say never|underestimate|look back)\b|\b(?:keep (?:going|it up|pushing|persevering|dreaming"
    r"|motivating|smiling|shining)|hang in there|believe in yourself|stay (?:strong|positive|safe))\b"
    r"|^\W*(?:and |but |just |please |so )*remember,? (?:that )?(?:just |even |sometimes |staying |being |you(?:'re"
    r"| are| can| have)|I(?:'m| am)|we(?:'re| are)|it(?:'s| is) (?:ok|okay|normal|never))"
    r"|\bcan'?t (?:agree more|beat|wait|complain)\b|^\W*(?:no worries|you never know|you can always|I(?:'m"
    r"| am) always|I(?:'m| am) (?:so |really )?(?:glad|happy|excited|proud|gonna|going to)|we(?:'ll| will)|I(?:'ll"
    r"| will| may| might)|but I(?:'ll| will))\b"
    r"|^\W*(?:and |but |plus |yeah |oh |really |so |well )*,?(?:it|that|this|there)(?:'s| is"
    r"| was)(?: \w+){0,2}? (?:always|such|so|never|the best|been)\b(?! to be\b)"
    r"|\b(?:is|are|'s) (?:always|never) (?:so |such |a |really )?(?:fun|great|good|nice|hard|tough|interesting"
    r"|inspiring|satisfying|easy|awesome|there|worth|welcome|hungry|tired|late|busy)\b"
    r"|^\W*(?:but |and |so |yeah,? |really |sometimes |plus |even )*(?:[\w'’-]+[, ]+){0,8}?(?:can|must) (?:really "
    r"|truly |also |often |even |still |always |sometimes |make|help|bring|take|have|be (?:so |such |a |an |really "
    r"|quite |very |too )?(?!sent|merged|used|deployed|changed|opened"
    r"|shared|paid|given|skipped|left|done|run|made|kept|signed|approved|shipped|released|booked|ignored|omitted"
    r"|reused|committed|pushed|closed|deleted|\w{3,}ed\b)\w+)"
    r"|\b(?:looks? forward to|make[s]? us|remind(?:er|s) (?:us )?that|I love how|(?:awesome|amazing|incredible|wild"
    r"|nice|great|crazy) (?:how|what|when))\b"
    r"|^\W*(?:nope|no|yeah|yes|oh|wow)?,? ?(?:\w+ )?(?:never|always) (?:been|tried|seen|saw|had|thought|heard|done"
    r"|met|\w{3,}(?<!e)ed)\b|\bbut never \w+ed\b|\bI never want to\b"
    r"|\bI(?:'m| am) (?:trying to|having (?:trouble|difficulty|issues)|working on|stuck|struggling|learning"
    r"|preparing|prepping|planning|currently|kinda|kind of|not sure)\b"
    r"|\bI(?:'ve| have) (?:got|been|recently|already|just)\b[^.]*\b(?:can|could) you\b|\bI need (?:some )?help\b"
    r"|,? (?:and |so )?(?:can|could) you (?:help|provide|explain|review|fill|show|give|suggest|walk"
    r"|tell)\b(?!.*\b(?:always|every time|from now on)\b)"
    r"|\bI'd (?:like|love) to (?:see|hear) (?:a|an|the|another|some|your|more)\b(?! \w+ (?:before|every|each"
    r"|with every|for every|after|when))|\bI'd (?:like|love|appreciate) it if you could (?:review|help|check|look"
    r"|take)\b",
    _I,
)
JEST = re.compile(
    "|".join(
        (
            r"\b(?:just )?(?:kidding|joking)\b|\bjust a joke\b|\blol\b|\bhaha|\brofl\b|(?:^|\s)/s\b|\bthat'?ll (?:teach"
            r"|show|learn)\b|\bwhat could (?:possibly )?go wrong\b|;-?\)|😂|🤣|😉|🙃|\bsarcasm\b|\byeah,? right\b"
            r"|\bsure,? (?:and|because)\b",
            r"^\W*(?:oh )?(?:brilliant|wonderful|fantastic|genius|lovely|marvellous|marvelous|bravo|terrific"
            r"|how clever)\b[^.!?]*\b(?:every|always|never|again|all)\b|\boh (?:sure|great|yes),",
        )
    ),
    _I,
)
COMPLAINT = re.compile(
    "|".join(
        (
            r"\b(?:always|never|every (?:single )?(?:time|day|night|morning|week)|whenever)\b[^.;:]{0,30}?\b(?:fail"
            r"|break|crash|hang|forget|work|happen|seem|look|feel|take|time out|get stuck|go wrong|go down|complain"
            r"|lose|stall|freeze|know|wonder|like this|the same|end|finish|win|learn)(?:s|es|ing|ed)?\b(?! (?:at|care"
            r"|before|after|for) )",
            r"\b(?:the|it|this|that|our|my) ?(?:[\w-]+ ){0,3}(?:always|never) (?:\w+s)\b(?<!ss)",
        )
    ),
    _I,
)

#: What somebody else says or wants.
REPORTED = re.compile(
    r"^\W*(?:(?!(?:the|our) (?:house |team |ground )?rule\b)(?:my|the|our|his|her|their"
    r"|an?|one|some|every)\b[\w' -]{1,25}?"
    r"|(?!(?:until|unless|if|when|whatever|what|never|no|as|before|after|once|even|just|like|whoever"
    r"|always)\b)(?-i:[A-Z])\w+)"
    r" (?:says?|said|claims?|claimed|told|tells|insists?|insisted|recommends?|advises?|advised|suggests?"
    r"|warns?|swears?|wrote|writes|noted|reported|announced|decided|demands?|demanded"
    r"|thinks?|believes?)\b(?! no\b)",
    _I,
)
