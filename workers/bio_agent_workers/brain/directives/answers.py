"""A short answer to what the assistant asked or did, when it says what is to be done from then on."""

from __future__ import annotations

import re
from types import ModuleType

from bio_agent_schema.types import Directive, Polarity
from bio_agent_workers.brain.directives.parts import sentences
from bio_agent_workers.brain.text import content_tokens, detect_lang

_YES = re.compile(
    r"^\W*(?:yes|yep|yeah|yup|sure|correct|right|exactly|absolutely|definitely|please do|of course|do(?: that"
    r"| it| so)?|agreed|ok(?:ay)?"
    r"|对|是的?|好的?|嗯|没错|可以|行|当然|要的|需要|必须的?"
    r"|vâng|dạ|ừ|ừm|đúng(?: rồi| vậy)?|có|được|ok|phải|chuẩn|nên)(?:[\W]|$)",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^\W*(?:no|nope|never|not|don't|do not|不|不行|不用|不要|别|不必|永远不|从不|không|đừng|chớ|khỏi"
    r"|thôi)(?:[\W]|$|要|用|行|必)",
    re.IGNORECASE,
)
_STANDING_ANSWER = re.compile(
    r"\b(?:always|never|every ?time|each time|every single|from now on|in general|by default|as a rule"
    r"|without exception|ever)\b"
    r"|每次|总是|一直都?要|永远|以后|今后|从今|从现在|一律|都要|都得|绝不|从不|任何时候"
    r"|\b(?:luôn(?: luôn)?|lúc nào cũng|lần nào cũng|mỗi lần|mọi lần|từ nay|từ giờ|không bao giờ|đừng bao giờ"
    r"|bao giờ cũng|về sau|sau này|mãi)\b",
    re.IGNORECASE,
)
_ANSWER_ONE_OFF = re.compile(
    r"\b(?:this (?:once|time)|today|for now|just now|tonight)\b|这次|这回|今天|先|暂时|lần này|hôm nay|tạm thời"
    r"|bữa nay",
    re.IGNORECASE,
)
_ASSISTANT_PREFIX = re.compile(r"^\s*(?:assistant|agent|ai|助手|trợ lý)\s*[:：]\s*", re.IGNORECASE)
# An answer longer than this says by itself what it means.
_SHORT_ANSWER_CHARS = 90
_ELLIPSIS = re.compile(
    # A pronoun, not the article of a thing named ("in this repo") nor the empty one of "I like it better when …".
    r"\b(?:that|this|those|these)(?: one)?\b(?=\W*(?:$|[,.;:!?]|(?:is|was|are|and|or|but|when|if|way|again|instead"
    r"|please"
    r"|now|every|each|from|before"
    r"|after|to|for|in|on|with|at|without|always|everywhere|too|only|first|last|by|as)\b))"
    r"|(?<!like )(?<!prefer )(?<!love )(?<!hate )\bit\b(?! (?:better|best|much|when|is (?:\w+ )?(?:to|that|better"
    r"|best)\b))"
    r"|\bthem\b|\b(?:do|did|like|think) so\b"
    r"|\bthe (?:same|other) one\b|^\W*(?:not|always|never)\b|那样|这样|这个(?=[，。]|$)|那个(?=[，。]"
    r"|$)|它|^\W*(?:每次|都)"
    r"|\b(?:vậy|cái đó|cái này|việc đó|việc này|như vậy|như thế|nó)\b|\bthế(?! nào| giới)\b",
    re.IGNORECASE,
)
_CONTEXT_CHARS = 300


def _last_utterance(context: str) -> str:
    """The assistant's last sentence(s) the answer refers to: the last question, else the last statement."""
    said = _ASSISTANT_PREFIX.sub("", context.strip())
    parts = sentences(said)
    asked = [s for s in parts if s.question]
    chosen = asked[-1] if asked else (parts[-1] if parts else None)
    return said[chosen.start : chosen.end][:_CONTEXT_CHARS] if chosen else ""


# A question that asks for nothing in particular: what answers it needs no question beside it.
_OFFER = re.compile(
    r"^\W*(?:(?:good \w+|hello|hi|hey|sure|ok(?:ay)?)\W+)*(?:what (?:shall|should|can|would|do) (?:we|i"
    r"|you)\b[^?]{0,40}|how (?:can|may) i help[^?]*"
    r"|anything else[^?]*|what(?:'s| is) next[^?]*|what now)\?"
    r"|有什么(?:可以|能|要)[^？?]*[？?]|还有(?:什么|别的)[^？?]*[？?]|(?:今天|现在)?(?:想|要|需要)?(?:做"
    r"|看|聊)(?:点|些)?什么[？?]"
    r"|(?:em|tôi|mình) (?:có thể )?giúp (?:gì|được gì)[^?]*\?|còn gì (?:nữa|khác)[^?]*\?",
    re.IGNORECASE,
)


def _stands_alone(text: str) -> bool:
    """Whether an answer says enough to be understood without its question."""
    words = content_tokens(text)
    return len(words) > (9 if detect_lang(text) == "zh" else 5)


_SO_BE_IT = re.compile(
    r"^\W*(?:please|go |sounds|good|great|perfect|works|let|fine|by all|certainly)|^\W*(?:就|没问题|同意|麻烦|那)"
    r"|^\W*(?:cứ|đồng ý|tốt|hay|vậy|làm)\b",
    re.IGNORECASE,
)
# "Shall I … from now on?": the question itself says that it is to hold from then on, so a bare yes is enough.
_PROPOSES = re.compile(
    r"\b(?:shall|should|may|can|could|do you want|would you (?:like|prefer)|want) (?:I|me|us|it)\b"
    r"|要不要|需不需要|需要我|是否(?:需要)?|要我|(?:好|行|可以)吗|我.*吗"
    r"|\bem (?:có )?(?:nên|cần)\b|\bcó cần em\b|\b(?:muốn|để) em\b|\bem\b.*\b(?:nhé|được không|không)\b",
    re.IGNORECASE,
)
_FROM_THEN_ON = re.compile(
    r"\b(?:from (?:now|here|today|then|next \w+) on|always|whenever|in (?:the )?future|(?:going|moving) forward"
    r"|by default|(?:every|each) (?:single )?(?:time|day|week|month|morning"
    r"|evening|\w+day)|as a rule|each time|daily|weekly|monthly)\b"
    r"|以后|今后|往后|每次|每当|每[天周月晚早]|一律|凡是?|默认|从[^，。]{1,8}(?:起|开始)"
    r"|\b(?:từ nay|từ giờ|luôn|mỗi (?:khi|lần|ngày|tuần|tháng|sáng|tối)|lần nào|về sau|sau này|hằng (?:ngày"
    r"|tuần|tháng)|hàng (?:ngày|tuần|tháng)|mặc định)\b",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"\W*(?:(?:yes|yeah|yep|yup|sure|ok(?:ay)?|please|do|that|it|so|go ahead|go for it|sounds? (?:good"
    r"|great|right)|good idea|great|perfect|works for me|that works|let'?s|agreed|fine|fine by me"
    r"|absolutely|definitely|of course|certainly|by all means|exactly|correct|right"
    r"|thanks|thank you)\b[\s,.!;–—-]*)+"
    r"|\W*(?:(?:好|可以|行|嗯|对|是|没问题|同意|就?(?:这么|这样|照这样|按这个)(?:办|做|定|来)|要|需要"
    r"|麻烦你?|那就?|当然|没错|必须|应该|谢谢|辛苦你?|吧|呀|啊|了|的|呢|哈|你)[\s，,。.!！]*)+"
    r"|\W*(?:(?:ừ|ừm|có|vâng|dạ|được|ok|okay|đúng|rồi|cứ|vậy|thế|làm|đi|em|nhé|nha|chứ|tốt|nên"
    r"|phải|đồng ý|chuẩn|cảm ơn|ạ|như|giúp|anh|chị|tôi|cô|thì|quá|hay)\b[\s,.!]*)+",
    re.IGNORECASE,
)


def ellipsis_joined(span: str, context: str) -> str:
    """The words of a rule that points at what the assistant said ("do that every time"), joined to it; else as they are."""
    if not context or len(span) > _SHORT_ANSWER_CHARS or not _ELLIPSIS.search(span):
        return span
    said = _last_utterance(context)
    return f"{said} — {span}" if said and not _OFFER.search(said) else span


def answer(text: str, context: str, grammar: ModuleType) -> Directive | None:
    """A short standing answer to what the assistant asked or did, joined to it so that it stands alone.

    grammar: the module of the answer's language. None when the answer holds for once, or says enough by itself.
    """
    body = text.strip()
    said = _last_utterance(context)
    if not said or len(body) > _SHORT_ANSWER_CHARS or body.endswith(("?", "？")):
        return None
    proposed = bool(_PROPOSES.search(said) and _FROM_THEN_ON.search(said) and said.endswith(("?", "？")))
    agreed = proposed and bool(_AGREES.fullmatch(body)) and bool(_YES.match(body) or _SO_BE_IT.match(body))
    if not (agreed or _STANDING_ANSWER.search(body)) or _ANSWER_ONE_OFF.search(body):
        return None
    if grammar.JEST.search(body) or grammar.DENIAL.search(body) or grammar.HYPOTHETICAL.search(body):
        return None
    asked = said.endswith(("?", "？"))
    yes_no = _YES.match(body) or _NO.match(body)
    if not (agreed or yes_no or (asked and len(body) <= 40 and not _OFFER.search(said) and not _stands_alone(body))):
        return None
    refused = bool(_NO.match(body)) or (not _YES.match(body) and bool(grammar.negative(body)))
    polarity = Polarity.NEGATIVE if refused and not agreed else Polarity.POSITIVE
    start = text.find(body)
    return Directive(f"{said} — {body}", polarity, start, start + len(body), detect_lang(body))
