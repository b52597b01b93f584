"""English sentences that only sound like rules for the agent: a text to be written, a task on a set at hand, a truth, what others
demand or do, the past, a supposition, an explanation, a verdict, a courtesy.
"""

from __future__ import annotations

import re

from bio_agent_workers.brain.directives.en_things import (
    IGNORECASE,
    LEAD,
    MADE,
    OCCASION,
    OFTEN,
    STANDING,
    TASK_VERBS,
    WHO,
    any_of,
)

_TASK = re.compile(
    rf"{LEAD}(?:could you |can you |would you )?(?:please )?{TASK_VERBS}\b[^,;:]*?\b(?:all|every|each|everywhere"
    r"|everything|any)\b",
    IGNORECASE,
)
_WRITTEN = re.compile(
    rf"{LEAD}(?:(?:can|could|would|will) you )?(?:please )?(?:help me )?(?:draft|write|compose|prepare"
    r"|make|design|create|print|put up|type(?: up)?"
    r"|word|phrase|come up with|give me|send|add|draw(?: up)?)(?: (?:me|us|up|out|them))* (?:an?"
    r"|the|some|another|one|two|three|our|new)\b"
    r"(?: [\w'-]+){0,4}? (?:notices?|texts?|signs?|policy|policies|posters?|(?:e-?)?mails?"
    r"|letters?|leaflets?|messages?|notes?|memos?"
    r"|announcements?|reminders?|rules?|guidelines?|handbook|speech|poem|story|jokes?"
    r"|captions?|sections?|paragraphs?|faq|contracts?"
    r"|clauses?|checklists?|instructions?|manual|page|slides?|prompt|code of conduct|lines?|sentences?|banner"
    r"|label|script|blurb)\b"
    r"(?=.*(?::|\b(?:that|which|saying|says|telling|tells|reminding|asking|warning|explaining|stating|about"
    r"|where|with the words)\b))",
    IGNORECASE,
)
_OTHERS_RULE = any_of(
    r"^\W*(?:the|my|our|his|her|their|some|an?|one|that|every)\b (?!agent|rule|house rule|team rule"
    r"|policy)[\w' -]{2,40}? (?:wants?|demands?|requires?|expects?|forbids?"
    r"|bans?|insists?|swears?|preach(?:es)?|likes? to say|used to|keeps? (?:saying|telling)|taught|teach(?:es)?"
    r"|has (?:us|me)|makes (?:us|me)"
    r"|won't let|never lets?|only lets?|doesn't let) (?!you\b|your\b)",
    r"^\W*(?:as )?(?:my|his|her|our|their|the|an?|grandma|grandpa|mum|mom|dad) ?[\w' -]{0,30}?(?:motto"
    r"|saying|mantra|slogan|advice|catchphrase|favou?rite line)\b",
)
_SUPPOSED = any_of(
    r"\bif (?:we|they|I|everyone|everybody|nobody|people) (?:only |just |ever |always |never "
    r"|all )*(?!need|want|have|get|are)\w+\b[^?]*\b(?:would|could|might|'d)\b",
    r"^\W*(?:what if|imagine|suppose|supposing|picture)\b",
)
# "Bees never fly in the rain": a truth about what no agent has in hand.
_TRUTH = re.compile(
    rf"^\W*(?!.*\b(?:must|should|shall|please|we|you|our|your|here)\b)(?!(?:[\w'-]+ ){{0,4}}?(?:{MADE}|{WHO})\b)"
    r"(?!(?:I|no|nobody|nothing|only|always|never|and|but|so|also|then|from|in|on|at|for|with|when"
    r"|whenever|if|unless|before|after|to|until|by|as|about|during|while|once|just|next|ok|okay|use|do|dont)\b)"
    r"(?:(?:the|every|all|most|some|my|an?) )?(?:[\w'-]+ )?[\w'-]+ (?:always|never) (?!to\b|be\b|again\b"
    r"|have to\b)[a-z]+\b",
    IGNORECASE,
)
_TRUTH_OF_ALL = re.compile(
    r"^\W*(?:every|all|each) (?:[\w'-]+ ){0,2}?(?:driver|bus|train|ferry|bakery|shop|store|pub|bank|school"
    r"|country|city|town|village|child|kid"
    r"|parent|person|human|man|woman|dog|cat|animal|bird|plant|tree|river|planet|star|neighbou?r"
    r"|family|house|road|street|citizen|adult"
    r"|player|team|actor|king|language|culture)s?\b(?!.*\bplease\b)",
    IGNORECASE,
)
_THE_ONE = re.compile(
    r"^\W*(?:the|this|that|our|my) (?!rule|policy|convention|agent|first|last|only"
    r"|total|word|answer|subject)(?:[\w'-]+ ){0,3}?(?:never|always|only) [a-z]+s\b"
    r"(?!.*\b(?:must|should|please|you|unless)\b)",
    IGNORECASE,
)
LONG_AGO = re.compile(
    r"^\W*(?:on that \w+|that (?:day|year|summer|winter|night|week|trip)\b|back (?:in|at|then|when)|during the"
    r"|in those days|in (?:the )?(?:19|20)\d\d|years ago|as a (?:kid|child|student|trainee))\b",
    IGNORECASE,
)
_EACH_DAY_IT = re.compile(
    r"^\W*(?:each|every) (?:morning|evening|night|day|week|month|year|spring|summer|autumn|winter|\w+day),? (?:the"
    r"|my|his|her|their|our) [\w' -]{2,30}?\w+s\b(?! \w*(?:must|should))(?!.*\bmust\b)",
    IGNORECASE,
)
_ON_LEAVING = re.compile(r"\bbefore you (?:leave|go|head|come|finish|start)\b(?! (?:an?|any|each|every)\b)", IGNORECASE)
SELF = any_of(
    r"^\W*(?:(?:so|but|and|from now on|in future|next time|ok(?:ay)?|then),? )*(?:I(?:'ll"
    r"| will|'m going to| am going to| promise| plan)|we(?:'re| are) (?:thinking|planning"
    r"|going|hoping|considering))\b"
)
CHEER = re.compile(
    r"\blet me know\b|\btake care\b|\bkeep (?:doing|up|each other|believing|helping|chasing"
    r"|supporting|growing|moving)\b|\blet's (?:keep|stay|make)\b[^?]*\b(?:dreams?|each other|world|going"
    r"|touch|better place|memories)\b"
    r"|\bif you need (?:any|anything|some|help)\b|\byou got this\b|\bmake(?:s)? (?:you"
    r"|me|us) happy\b|\bwhat you love\b",
    IGNORECASE,
)
#: What a sentence explains, judges or tells of somebody, whatever is "always" or "never" in it.
_EXPLAINS = re.compile(
    r"\b(?:is|are|was|were|'s|'re|isn't|aren't|gets?|looks?|feels?|takes?)\b[^,;:]*\b(?:because"
    r"|since|as|due to|thanks to)\b",
    IGNORECASE,
)
_JUDGES = any_of(
    r",\s*(?:and )?(?:it|that|which|this)(?:'s| is)? (?:so |really |just |simply |a )*(?:great|nice|lovely"
    r"|awful|annoying|wonderful|terrible|a pity|a shame|sad|funny|weird|odd|amazing|bliss|madness|ridiculous"
    r"|typical|boring|fun|good|tasty|cute|yummy|delicious)\b",
    r"^\W*(?:I swear|no wonder|funny how|strange how|typical|what a|how \w+ that|I bet|turns out|it turns out"
    r"|fun fact|did you know|apparently|rumou?r|guess what)\b",
    r"\bI\b(?!'d| would| want| need| prefer| like| ask| expect)[^,;:.]*\band (?:never|always) (?!send|write"
    r"|put|use|ask|tell|call|let|make)\w+",
    r"\b(?:is|are|was|were|'s|'re) (?:always|never) (?:so|such|a|an|very|really|quite|too|rather) \w+",
    r"\b(?:can you believe|would you believe|believe it or not|of all things|for crying out loud)\b",
)
_SOCIAL = any_of(
    r"\b(?:if|whenever|any ?time) you (?:ever|need|want|feel like|have)\b[^?]*\blet me know\b"
    r"|^\W*(?:got it|understood|noted|sure|okay|ok|thanks|will do)[,.!]* I'll\b"
    r"|\bso no [\w-]+(?: [\w-]+)? for me\b",
    r"^\W*(?:nothing|nobody|no one) ever \w+s\b(?!.*\b(?:without|before|unless|until)\b)|\bI'm (?:thinking|toying"
    r"|playing) (?:we|with|maybe|that)\b|\bnot sure yet\b|\bhaven't decided\b|\bstill (?:thinking"
    r"|deciding|undecided)\b",
    r"\b(?:best|worst|greatest|coolest|funniest|most [a-z]+|[a-z]{3,}est)\b[^.,;]*\bever\b"
    r"|\bmore [a-z]+ than ever\b|^\W*we (?:don't|all|never)\b[^?]*\b(?:often|usually|sometimes|rarely"
    r"|much|lately)\b",
    r"\bI(?:'d| would) (?:appreciate|love|like) it if you could (?:review|help|check|look|explain"
    r"|guide|provide|walk)\b|\bdon't forget (?:they|you|we|that (?:they|you|we))\b",
    r"^\W*[\w-]+s (?:always|never) (?:go|come|get|seem|look|feel|tend|taste|smell|turn|grow|sell"
    r"|sound) (?:up|down|out|off|better|worse|late|so|to be|bad|good|great|well|cold|old|fast|slow"
    r"|like|alike|the same)\b",
)
_WAS_NEVER = re.compile(
    r"^\W*(?:the|they|he|she|it|we|his|her|their|our|my|(?-i:[A-Z])\w+)\b[^,;:]*\b(?:was|were|had|did|got|came"
    r"|went|\w+ed)\b[^;:]*\b(?:but|and|yet) (?:was |were )?(?:never|always)\b",
    IGNORECASE,
)
_OF_HIM = re.compile(
    r"(?<!if )(?<!when )(?<!until )(?<!unless )(?<!once )(?<!before )(?<!after )(?<!that )(?<!what )(?<!because )(?<!as )\b(?:he"
    r"|she|they) (?!must|should|may|can|need|pay|ask|want|call|say)(?:\w+ly )?(?:\w+s|\w+ed|was|were|never"
    r"|always|just|had|got|did|told|said|went)\b",
    IGNORECASE,
)


def elsewhere(sentence: str) -> bool:
    """Whether the sentence, however it sounds, is no rule for the agent: a text to be written, a task on a set at hand, a truth,
    what somebody else demands, a supposition."""
    standing = STANDING.search(sentence) or OFTEN.search(sentence)
    if _EXPLAINS.search(sentence) and not re.search(
        r"\b(?:you|please|must|should|never \w+ (?:a|any)|so)\b", sentence, IGNORECASE
    ):
        return True
    if (
        _SOCIAL.search(sentence)
        or _JUDGES.search(sentence)
        or _WAS_NEVER.match(sentence)
        or (
            _OF_HIM.search(sentence)
            and not re.search(
                r"[,;:—] ?(?:so|but|and|please)? ?(?:please |never |always |you |don't )", sentence, IGNORECASE
            )
        )
    ):
        return True
    if _SUPPOSED.search(sentence) or _OTHERS_RULE.search(sentence) or SELF.search(sentence):
        return not re.search(
            r"[,;:—] ?(?:but|so|and) (?:\w+ ){0,2}(?:you|please|never|always|don't|from)\b", sentence, IGNORECASE
        )
    if _WRITTEN.search(sentence) and not re.match(
        rf"{LEAD}(?:from|always|whenever|each time|every time)\b", sentence, IGNORECASE
    ):
        return True
    if _TASK.search(sentence) and not standing and not OCCASION.search(sentence):
        return not re.search(
            r"\b(?:each|any|every) (?:new|incoming|future|outgoing|other)\b|\bfirst\b", sentence, IGNORECASE
        )
    if (
        re.search(
            r"\bthe (?:whole|entire|rest)\b|\bwhen it(?:'s| is) (?:done|ready|finished|over)\b", sentence, IGNORECASE
        )
        and not standing
    ):
        return True
    if _EACH_DAY_IT.match(sentence) or (_ON_LEAVING.search(sentence) and not standing):
        return True
    return bool(_TRUTH.search(sentence) or _TRUTH_OF_ALL.search(sentence) or _THE_ONE.search(sentence))
