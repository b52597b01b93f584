"""Standing directives that English says indirectly: a habit asked for, a wish about what the agent does, a manner to give
up, how things are done here, a trait of the owner's and what follows from it; and facts about one thing, which are none.
"""

from __future__ import annotations

import re

from bio_agent_workers.brain.directives.en_mood import imperative_verb

_I = re.IGNORECASE


def _c(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), _I)


_LEAD = r"^\W*(?:(?:and|but|so|also|oh|hey|ok(?:ay)?|please|just|now|look|honestly|seriously|right|well)\b[\s,:;.!-]*)*"
_ASKED = (
    r"(?:(?:could|can|would|will) (?:you|we) (?:please |kindly |maybe |perhaps )?|you(?: should|'d better| need to"
    r"| ought to)"
    r" |I(?:'d like| want| need|'d love) you to |let'?s |try to |please |it(?:'s| is) time (?:you|to) )?"
)
#: "make a habit of …", "get used to checking …", "make sure you always …".
_HABIT = _c(
    rf"{_LEAD}{_ASKED}(?:(?:make|made) (?:it )?(?:a|your|the) (?:habit|practice|routine|rule|point)(?: of| to|\b)"
    r"|(?:get|got|fall|be|getting) (?:in|into) the (?:habit|routine|practice) of"
    r"|(?:develop|form|adopt|pick up|build|acquire) (?:a|the) (?:habit|routine|practice) of"
    r"|(?:get|grow|become|be) (?:used|accustomed) to \w+ing)\b"
)
_GOOD = (
    r"(?:lovely|nice|nicer|great|good|better|best|helpful|ideal|perfect|wonderful|fantastic|appreciated|handy"
    r"|useful|easier|cool"
    r"|awesome|kind|brilliant|a relief|a (?:great |big |real )?help)"
)
#: What a wish is about: the agent, what it makes, or a whole class of things.
_ABOUT_AGENT = (
    r"(?:you\b|your\b|(?:every|each|all|no|any)\b(?: of)?(?: your)? ?(?:answer|repl|report|summar|message|commit"
    r"|mail|e-?mail|update"
    r"|summ|section|heading|ticket|pull|estimate|response|draft|quote|figure|number|file|change|plan|review|table"
    r"|chart|note)\w*)"
)
_WISH = _c(
    rf"\b(?:it|that)(?:'d| would| will|'ll)(?: really| also)?(?: be)?(?: \w+){{0,3}}?(?: {_GOOD}"
    rf"| help(?: \w+){{0,2}}| save \w+(?: \w+){{0,2}}"
    rf"| make my \w+(?: \w+){{0,2}}) (?:if|when|to have|to see) {_ABOUT_AGENT}",
    rf"\bI(?:'d| would) (?:be (?:\w+ )?(?:happier|happy|glad|grateful|thankful|pleased|obliged)|(?:really "
    rf"|very much |greatly )?(?:appreciate"
    rf"|love|like|prefer)(?: it)?)(?: \w+){{0,2}}? (?:if|when|that) {_ABOUT_AGENT}",
    rf"\bI(?:'d| would)(?: much)? (?:wish|hope|rather)?(?:,)? ?{_ABOUT_AGENT}(?=.*\b(?:always|never|every|each"
    rf"|before|after|when)\b)",
    rf"\bI (?:really |only |just )?(?:wish|hope) {_ABOUT_AGENT}(?! (?:could|can|would|were|will) (?:see|be|come"
    rf"|have|hear|feel))",
    rf"{_LEAD}(?:if only|would be {_GOOD} if) {_ABOUT_AGENT}",
    rf"{_LEAD}(?:ideally|preferably),? {_ABOUT_AGENT}",
)
_STANDING = _c(
    r"\b(?:always|never|every|each|all|any|anything|everything|whenever|when(?:ever)? you|before (?:you|\w+ing)"
    r"|after (?:you|\w+ing)|first"
    r"|without|unless|stop(?:ped)?|quit|kept?|keep|avoid(?:ed)?|no longer|any ?more|next to|by default|instead of)\b"
)
#: Manners of writing and speaking, which are given up for good and not once.
_MANNERS = (
    r"(?:(?:self-)?intro(?:duction)?s?|openers?|openings?|greetings?|pleasantries|niceties|disclaimers?|apolog(?:y"
    r"|ies|i[sz]ing)|preambles?"
    r"|small ?talk|chit-?chat|emojis?|emoticons?|exclamation (?:marks?|points?)|jargon|fillers?|filler words"
    r"|caveats?|recaps?|summar(?:y|ies)"
    r"|sign-?offs?|buzz ?words?|bullet(?: ?points?|s)?|headings?|headers|bold(?: text)?|quotes|quotations|jokes?"
    r"|puns|compliments?|flattery"
    r"|praise|hedging|platitudes?|clich[eé]s?|metaphors?|fluff|waffle|waffling|rambling|lectures?|lecturing|sarcasm"
    r"|slang|acronyms"
    r"|abbreviations|all[- ]caps|capitals|italics|tables|footnotes|pep talks?|motivational \w+|cheerleading"
    r"|follow-?up questions"
    r"|repetitions?|over-?explaining|explanations|comments|reminders|formalit(?:y|ies)|theatrics|drama|hype|gushing"
    r"|thanks|thank-yous)"
)
_SAID_SO = r"(?:\ue000+|[\"'“‘][^\"'”’]{1,40}[\"'”’])"
_GIVE_UP = (
    r"(?:(?:I(?:'ve| have) had )?enough (?:with|of)|(?:please )?(?:spare me|lay off|ease (?:up|off) on|go (?:easy"
    r"|light) on|cut (?:out|down on|back on)|cut|drop"
    r"|skip|ditch|lose|leave out|dispense with|do away with|knock off|hold|omit|forget|save|stop(?: it)? with"
    r"|quit with|tone down|dial down)"
    r"|(?:a (?:lot|bit|little) )?(?:less|fewer)|no more|I(?:'m| am) (?:so )?(?:tired|sick|done|fed up|bored) (?:of"
    r"|with))"
    r"(?: (?:all|any))?(?: (?:of )?(?:the|your|those|these|that|this|such))?(?: [\w-]+){0,3}?"
)
_GIVES_UP = _c(
    rf"{_LEAD}{_ASKED}{_GIVE_UP} ?(?:{_SAID_SO}(?: \w+)?|{_MANNERS})(?:[,.!?\s]|$)(?!(?:from|of|in|on) (?:the|this"
    rf"|that|page|line|chapter|section)\b)",
    rf"{_LEAD}(?:less|fewer|no|not so (?:much|many)) (?:[\w-]+ ){{1,3}}in your \w+",
    r"\b(?:what I (?:can't|cannot) stand|what I (?:hate|dislike|don't want|do not want)|my pet peeve)s? (?:is"
    r"|are) (?:when|if|being|having|your|\w+ing|reports|answers|long|vague)\b",
    r"\bI (?:really )?(?:hate|can't stand|cannot stand|dislike|detest|don't (?:like|want|appreciate"
    r"|enjoy)) (?:being|getting|having to|it when you|you \w+ing)\b",
)
#: "How it is done here": with "we", "our" or "here", in the present.
_HOW_HERE = _c(
    r"\bour (?:\w+ )?(?:convention|rule|standard|practice|custom|style|norm|policy|format|habit|way)s?(?: here"
    r"| for [^,.;]{2,30})? (?:is|are)\b",
    r"\bthe (?:\w+ )?(?:convention|rule|standard|practice|custom|style|norm|policy|format|way we (?:do|work"
    r"|handle)[^,.;]{0,20}) (?:here|around here|in this"
    r" \w+|with us|for us|on this (?:team|project)|we (?:use|follow|keep|have)(?: here)?) (?:is|are)\b"
    r"|\bthe way we (?:do|handle|work)\b[^,.;]{0,30} (?:is|are)\b",
    r"^\W*[\w ,'-]{3,60}\b(?:is|are|gets?|goes|go|comes?|live|stay)\b[^.?]{2,60}\b(?:with us|around here"
    r"|in our (?:house|shop|team|office|company|repo)|at ours)\W*$",
)
#: A whole sentence that says of the one before it that such is the rule here.
CONFIRMS = re.compile(
    r"^\W*(?:and )?(?:that|this|it)(?:'s| is)(?: (?:just|simply|how|always))* (?:(?:how|the way|what) we(?: all"
    r"| always)? (?:do|work|handle|keep|want|like"
    r"|run|name|file|prefer|go about|use)\b[^.?!]{0,40}|our (?:\w+ ){0,2}(?:convention|rule|policy|standard|custom"
    r"|way|practice|norm|style|agreement)\b[^.?!]{0,30}"
    r"|the (?:\w+ ){0,2}(?:convention|rule|policy|standard|custom|practice|norm|style|agreement)(?: here"
    r"| around here| in this \w+| with us| we (?:use|follow|keep|have))"
    r"|(?:the|a) (?:house|team|company|shop|standing|golden) (?:convention|rule|policy|standard|custom|style))\W*$",
    _I,
)
#: A whole sentence that tells the agent to give up what the one before it complains of.
STOPS = re.compile(
    r"^\W*(?:so |and |please |just |can you |could you |will you )*(?:(?:stop|quit|drop|cut"
    r"|knock)(?: doing)? (?:that|this|it)(?: off| out| stuff| nonsense| habit)?(?: please"
    r"| already| now| for good)*|(?:don't|do not|never) do (?:that|this|it)(?: again| any ?more| please| ever)*"
    r"|no more of (?:that|this)"
    r"|I (?:don't|do not) (?:want|like|need|appreciate) (?:that|this|it)(?: any ?more| again)?|enough of (?:that"
    r"|this)|not again(?:,? please)?)\W*$",
    _I,
)
#: What the agent does again and again, as its owner complains of it.
HABITUAL = re.compile(
    r"\byou(?:'ve| have| keep| always| constantly| again| still|'re always|'re constantly|r \w+ (?:always|keep"
    r"|are full of))\b|\byou \w+(?:ed)? (?:it |my \w+ |this |that )?again\b"
    r"|\b(?:third|second|fourth|fifth|tenth|nth|hundredth) time\b.*\byou(?:'ve|r)?\b|\bevery (?:single )?(?:time"
    r"|answer|reply|report|message|commit|mail)\b"
    r"|\byour (?:\w+ )?(?:answers|replies|reports|messages|commits|mails|summaries|comments)\b",
    _I,
)
_PERSONAL = _c(
    r"^\W*(?:I(?:'m| am| like| use| read| prefer| work| live| speak| have| hate| can't| cannot| don't| do not| only"
    r"| always|'ve)|my \w+ (?:is|are|can't|don't"
    r"|doesn't|only))\b[^.;]{2,60}?[,;]? (?:so|therefore|hence|which is why)\b,? (?:please |always "
    r"|just )*(?P<then>.+)$"
)
_FOR_ALL = _c(r"\b(?:always|never|every\w*|each|all|any\w*|whenever|wherever|by default)\b")
_MANNER_OBJECT = _c(
    r"\b(?:repl(?:y|ies)|answers?|messages?|summar(?:y|ies)|reports?|mails|e-?mails|explanations?|comments|updates"
    r"|sentences|paragraphs|lines)\b"
    r"(?!.*\b(?:it|this|that)\b)"
)
_DEFINITE = _c(
    r"\b(?:this|that) (?:one|file|branch|pr|report|mail|message|ticket|page|order|invoice|release)\b|\b(?:it"
    r"|them)\W*$"
)
_EXPECTED = _c(
    r"\byou(?:'re| are) (?:not |never |always )?(?:supposed|expected|required|meant|asked"
    r"|obliged) to\b(?=.*\b(?:before|after|when|unless|every|each|any|always|first|without|over"
    r"|above)\b)",
    r"\bI (?:expect|demand|require|insist on) (?!an? answer from)(?:an?|the|two|three|\d+|some"
    r"|your)\b(?=.*\b(?:every|each"
    r"|all|any)\b)",
    r"\b(?:is|are) (?:not|never|only|always) to (?!blame)\w+\b(?=.*\b(?:any|every|all|each|public|without|unless"
    r"|before|\w+s)\b)",
    r"^\W*(?:no ?one|nobody|none)(?: else)? (?:but|except|other than|besides|apart from) \w+(?: \w+)? (?!was|had"
    r"|did|knew|came|saw|knows)(?:\w+s|may|can|is|should)\b",
)
_FOR_ANY = _c(
    r"^\W*(?:and |also,? )?(?:for|with|on|in|about) any(?:thing|one|body|where)?\b[^,;:?]{0,40}[,;:] (?:please "
    r"|always )?(?P<then>.+)$"
)
#: What holds of a class of things: "every table gets a caption", "nothing leaves without a note", "whatever you change, …".
_OF_A_CLASS = _c(
    r"^\W*(?:every|each|all|any)(?: of)? (?!time\b|day\b|night\b|morning\b|week\b|year\b|saturday\b"
    r"|now and|driver|kid|child|person|man|woman|parent|dog|cat|plant|baby|bus|train)[\w' -]{2,50}? (?:gets?|needs?"
    r"|goes|go|starts? with|ends? (?:with|in)|begins? with"
    r"|comes? with|bears?|is to|are to|has to|have to|belongs? (?:in|to)|counts? as|stays?|requires?)\b(?! (?:me|my"
    r"|us|worse|better|on my|wrong|down|to (?:sleep|school|work))\b)",
    r"^\W*(?:nothing|nobody|no ?one|no \w+(?: \w+)?) (?:ever )?(?:leaves?|goes|go|gets?|enters?|moves?|ships?"
    r"|merges?|changes?|touches?|sends?|starts?|is \w+|are \w+|may \w+|can \w+)\b[^?]*\b(?:without|before|unless"
    r"|until)\b",
    r"^\W*no (?!doubt|problem|wonder|worries|idea|pain|rush|pressure|hurry|strings|fuss|joke|big deal"
    r"|hard feelings)\w+(?: \w+){0,2}, no \w+(?: \w+)?\W*$",
    r"^\W*an? [\w-]+(?: [\w-]+)? (?:without|with|over|under|above|below|that|which|from) [^,.?]{2,40}? (?:gets?"
    r"|goes|needs?|must|has to|is to|should|stays?|may not|cannot)\b",
    r"^\W*default to\b|[,;:] so (?:no|never|don't) (?!worries|need|problem)\w+",
    r"\bunless (?:I|we) (?:say (?:so|otherwise|you|it|to|go|yes)\b|say[.!]?$|tell|ask|specify|state|decide"
    r"|explicitly|give|approve|request|instruct)\b|\bwe(?:'ve"
    r"| have)? agreed (?:(?:not|never|always) to\b|to [^.?]*\b(?:every|each|all|always|on \w+days)\b)",
    r"\b(?:important|vital|crucial|essential|imperative|critical)(?: to me| for me| for us| to us)? (?:that )(?:you"
    r"|your|every|each|all|no)\b|\bI go by (?-i:[A-Z])",
    r"^\W*(?:(?:let me (?:make|be|say)|just|to be)\b[^:]{0,30}\bclear|I(?:'ve| have|'ll| will) (?:told|asked|said"
    r"|say|tell|repeat|mention\w*)\b[^:]{0,40}|for the (?:last|hundredth|third|second|umpteenth) time"
    r"|once and for all|listen(?: up)?"
    r"|here(?:'s| is) (?:how it works|the deal|the rule)|this is important|remember this|mark my words"
    r"|ground rules?)\s*[:,—-]\s*(?=.*\b(?:no|never|always|don't|first|last|every|each|all|must|only|stop|use|keep"
    r"|ask|before)\b).+",
    r"^\W*let(?:'s| us) (?:just )?(?:agree|settle|make it a rule)\b(?! (?:to (?:meet|disagree)|on (?:a|the) (?:date"
    r"|price)))",
    r"\bmy (?:\w+ )?(?:preference|wish|rule|request) is\b",
    r"\bI (?:really |honestly |just )?(?:don't|do not|never)(?: really| ever)? (?:need|want|like|care for) (?:an?"
    r"|any|the|your|more) (?!help\b)[^?]*\b(?:at the (?:end|start|top|beginning|bottom)|each|every|any ?more|again"
    r"|in (?:your|my|any)|when|unless)\b",
    r"\b(?:drives?|makes?|gets?) me (?:mad|crazy|nuts|angry|nervous|sick|so angry|up the wall"
    r"|cringe)\b[^?]*\b(?:when|if|that) you\b|\bI get (?:so |really )?(?:annoyed|angry|irritated|upset|mad) (?:when"
    r"|if|every time) you\b|\bit(?:'s| is) (?:so |really |very )?"
    r"(?:annoying|irritating|confusing|unhelpful) (?:when|if|that) you\b|\b(?:annoys|irritates|bothers|bugs"
    r"|frustrates|confuses) me(?: no end| a lot)? (?:when|if|that) you\b",
    r"^\W*(?:please |just )*(?:leave|keep (?:your hands|away|off|out)|stay (?:out|away|clear|off)|hands) (?:of "
    r"|from |off )?(?:the |my |our |all )?[^?]*\b(?:my|our|all|any|every|\w+s)\b[^?]*(?:\balone\b|(?<=hands )off"
    r"|\bunless\b)",
    r"^\W*[\w-]+s\b(?: (?:over|under|above|below|from|for|in|of|with|without|to|about"
    r"|on) [\w ,$€£%-]{1,30}?)? (?:go|get|need|stay|end up|come) (?:to|through|by|past|via|in|on|an?|two"
    r"|\w+ed)\b[^?]*(?:\bfor (?:approval|review|sign-?off"
    r"|signature|checking|a second)|\bfirst\b|\bbefore\b|\bwithout\b)",
    r"\bI (?:don't|do not|never)(?: (?:ever|really|want|wish|need|care))* (?:want|wish|need|care|like) to (?:see"
    r"|hear|read|get|find|receive)\b(?=.*\b(?:again|any ?more|ever|any|\w+s)\b)",
    r"^\W*(?:could|can|would|will) you (?:please |kindly |just )?(?:stop|quit|avoid|refrain from) (?!this|that"
    r"|it\b)\w+ing (?!the |this|that|it\b|my (?:\w+ )?(?:machine|server|box)|now\b)\w+",
    r"\byou (?:should|need to|have to|must|ought to|'d better|'re to|are to) (?!know|see|have|be (?!careful)|try"
    r"|think|hear|look)[^?]*\b(?:before|when|after|unless|without) (?:you )?\w+(?:ing)? "
    r"(?:an?|any|each|every|(?!this|is|was|as|us|yes|its|these|those)\w+s)\b",
)
#: A clause on any of a kind of things, then what is to be done.
_ANY_THEN = _c(
    r"^\W*(?:and |also,? )?(?:(?:next time (?:you|I|we|an?|there|any\w*)|the (?:moment|minute|second"
    r"|instant) (?:an?|any|some)\w*)\b[^,;:?]{2,60}[,;:]|(?:whatever|whichever"
    r"|wherever|whoever|however|anything|everything|any\w* \w+|every\w* \w+)\b [^,;:?]{2,50}[,;:]"
    r"|(?:once|as soon as|after|before|whenever|when|if|unless) (?:(?:you|we|someone|anyone|anybody) (?!are|have"
    r"|find|see|get)\w+ (?:(?:for|to|with|on|in|out|off|up) )?)?(?:an?|any|each|every"
    r"|some)\w*\b[^,;:?]{0,60}[,;:]) (?:please |always |just |then )*(?P<then>.+)$",
    r"^\W*(?:and |also,? |please )*(?P<act>(?:treat|handle|consider|regard|keep|read|take|count|file|mark|store"
    r"|check|send) (?:any|every|all)(?:thing|one|body)?\b(?: \w+)? (?:from|about|to do with|in|on|by|that|with|over"
    r"|under|above|below|of)\b.+)$",
)
_PHRASAL = re.compile(r"(?:loop|rope|copy|bring) in\b", _I)
_TASK_IN_HAND = _c(
    r"^\W*(?:check|send|mark|file|store|take|read) (?:any|every|all)\b.*\b(?:in|on|from) (?:the|this|that"
    r"|my) (?:\w+ )?(?:folder|file|list|page|branch|table|sheet|report|desk|inbox|draft)\b"
)
#: Measure, preference by comparison, what must not be asked twice, who alone decides, the tongue to speak.
_SAID_OTHERWISE = _c(
    r"\b(?:one|two|three|four|five|\d+|a few|a couple of|half a) (?:[\w-]+ )?(?!tickets|people|days|hours|weeks"
    r"|cars|beds|rooms)[\w-]+ (?:is|are) (?:plenty|enough|sufficient|fine|all I need)"
    r"(?: for (?:me|any|every|each|a|an|all|\w+s)\b|\W*$)(?! us\b)",
    rf"^\W*(?:I|my eyes) (?:find|think|consider|read)\b(?!.{{0,12}}\b(?:the|this"
    rf"|that)\b)[^.?]{{0,10}}\b(?:[\w-]+ )?(?:lists?|tables?|paragraphs?"
    rf"|summar(?:y|ies)|answers?|prose|charts?|diffs?|{_MANNERS})\b[^.?]{{0,24}}\b(?:easier|better|clearer|quicker"
    r"|more \w+)\b[^.?]{0,24}\bthan\b",
    r"^\W*(?:please )?(?:consider|regard|treat|think of|count|see) (?:the|my|our|every|any"
    r"|all)\b[^.?]{2,40}\b(?:off[- ]limits|sacred|read-only|untouchable|confidential|taboo|frozen|forbidden|private"
    r"|mine alone|no-go)\b",
    r"^\W*let(?:'s| us) make\b[^.?]{2,50}\b(?:mandatory|compulsory|obligatory|standard|optional|the (?:rule|default"
    r"|norm)|a (?:rule|habit|must))\b",
    r"\bI (?:shouldn't|should not|don't want to|do not want to|won't|hate to|am tired of having to"
    r"|shouldn't ever) (?:have to )?(?:ask|asking|tell|remind|repeat|chase|request|look for|dig"
    r"|scroll)\b(?=.*\b(?:every|each|again|twice|always|all the time|for)\b)",
    r"\bhow (?:many times|often)(?: more)? (?:do|must|should|did|will) I (?:have to |need to )?(?:tell|ask|remind"
    r"|say|repeat|told)\b(?=.*\b(?:not to|to|don't|never)\b)",
    r"^\W*(?:please )?(?:don't|do not) make me (?:repeat|say|ask|tell|remind)\b[^.?]*[:;,—-]\s*\w+",
    r"^\W*if (?:it|that|something|a \w+)(?:'s| is)(?:n't| not) (?:in|on|part of|covered by|listed|written|signed"
    r"|approved|tested)\b[^,?]{0,30},\s*(?:please )?(?:don't|do not|never|leave|skip|ask|it (?:doesn't|does not))\b",
    r"^\W*(?:please )?(?:answer|reply|respond|talk|speak|write|address|explain things|chat|communicate)(?: to"
    r"| with)?(?: me| us)? (?:only )?(?:in (?!January|February|March|April|May|June|July|August|September|October"
    r"|November|December)(?-i:[A-Z])\w+|in (?:plain|simple|short|full|formal|informal)\b|as (?:if"
    r"|though) I\b)[^.?]*\W*$",
    r"^\W*(?:please )?(?:be|stay|keep (?:it|things|everything)) (?:brief|concise|succinct|blunt|direct|terse|polite"
    r"|formal|factual|honest with me)\b(?! (?:this|today|now|here)\b)",
    r"\byou(?:'d| would) (?:do me|be doing me|help me|save me|make me)\b[^.?]{0,30} (?:if|by|when) (?:you|your"
    r"|checking|asking|\w+ing)\b",
    r"\bI(?:'m| am) the only (?:one|person) (?:who|that) (?!\w+ed\b|broke|knows|knew|likes|thinks|saw|came|has)\w+"
    r"|^\W*only I (?:may |can |am to )?(?!know|like|think)\w+",
    r"\b(?:I(?:'m| am) not interested in|I don't (?:care about|need to know))\b[^.?]*[,;] (?:so |just |only "
    r"|always )*(?:give|show|tell|get|keep|skip|leave|send)\b",
    r"^\W*(?:it(?:'s| is) )?(?:better|rather|safer|wiser)(?: to)? (?:ask|check|wait|be|fail|stop|warn"
    r"|have)\b[^.?]{0,30}\bthan (?:to )?\w+",
    r"^\W*what (?:really )?helps me(?: most| a lot| best)? is (?!tea|sleep|music|to sleep)[^.?]*\b(?:summar|report"
    r"|answer|list|table|example|repl|top|end|every|each|when you|if you|you)\w*",
    r"\bI (?:never|don't ever) want to be (?:\w+ )?(?:woken|called|asked|disturbed|interrupted|pinged|paged|copied"
    r"|cc'd|notified|told|bothered|reminded)\b",
)
#: "Line 4 never stops on weekends": what one thing does is a fact.
FACT = _c(
    r"^\W*(?:the |our |my )?[a-z]+(?: [a-z]+)? (?:no\.? ?|number |#)?(?-i:\d+|[A-Z]) (?:\w+ )?(?:never|always|only"
    r"|usually) (?!must|should|may|to )\w+s\b",
)
_PAST = _c(
    r"^\W*(?:suppose|imagine|what if|pretend|say we)\b|(?<!get )(?<!be )(?<!grow )(?<!getting )\bused to\b|\b(?:was"
    r"|were|had|did)\b(?!n't)|\b(?:last|back) (?:year|month|week|then|when)\b|\b(?:they|their|he|she|his|her|he's"
    r"|she's|them)\b"
)


def told(sentence: str) -> bool:
    """Whether the sentence tells what one thing does, and asks for nothing."""
    return bool(FACT.search(sentence))


def wish(sentence: str) -> bool:
    """Whether the sentence wishes for what an agent does: its "if" supposes nothing."""
    return bool(_HABIT.search(sentence) or _WISH.search(sentence))


_ONCE = _c(r"\b(?:tomorrow|tonight|this (?:week|month|morning|afternoon)|next week|today|right now)\b(?! on)")


def standing(sentence: str, question: bool) -> bool:
    """Whether the sentence is one of these. What makes none of any sentence (a jest, one time only) is told elsewhere."""
    if _ONCE.search(sentence) and not re.search(r"\b(?:from|starting|as of|until)\b", sentence, _I):
        return False
    if _HABIT.search(sentence):
        return not _PAST.search(sentence)
    if _OF_A_CLASS.search(sentence) and (not question or re.match(r"^\W*(?:could|can|would|will) you\b", sentence, _I)):
        return not _DEFINITE.search(sentence) and not _PAST.search(sentence)
    if _GIVES_UP.search(sentence):
        return not _DEFINITE.search(sentence) and not _PAST.search(sentence)
    if question and not re.match(r"^\W*how (?:many|often)\b.*\bI\b.*\b(?:not to|don't|never)\b", sentence, _I):
        return False
    if _WISH.search(sentence):
        wished = re.sub(r"\b(?:was|were|had|did|didn't)\b", "", sentence, flags=_I)
        return bool(_STANDING.search(sentence)) and not _DEFINITE.search(sentence) and not _PAST.search(wished)
    if _HOW_HERE.search(sentence) or _EXPECTED.search(sentence):
        return not _PAST.search(sentence)
    if _SAID_OTHERWISE.search(sentence):
        return not _DEFINITE.search(sentence) and not _PAST.search(sentence)
    found = _PERSONAL.search(sentence)
    of_any = _FOR_ANY.search(sentence) or _ANY_THEN.search(sentence)
    if of_any and not found:
        verb = imperative_verb(then := of_any.groupdict().get("act") or of_any["then"]) or _PHRASAL.match(then)
        return (
            bool(verb)
            and not _TASK_IN_HAND.search(sentence)
            and not re.search(r"\bthis (?:file|one|branch|pr)\b", sentence, _I)
        )
    if found:
        then = found["then"]
        return bool(
            imperative_verb(then)
            and not _DEFINITE.search(sentence)
            and (_FOR_ALL.search(then) or _MANNER_OBJECT.search(then))
        )
    return False


def gives_up(sentence: str) -> bool:
    """Whether the sentence names a manner to give up: the rule is against it."""
    return bool(_GIVES_UP.search(sentence))
