"""Whether a standing wish is about how its speaker is to be treated: addressed, answered, spoken to, called.

Such a wish binds those who deal with that person; it is nobody else's rule. What is to be done in the work, or who is to be
asked before something is done, holds for everybody: a rule that only names the speaker as the one to ask is no such wish.
"""

from __future__ import annotations

import re

from bio_agent_workers.brain.text import detect_lang

_I = re.IGNORECASE
_OWN_EN = (
    r"(?:full |first |last |given |family |middle |nick|user ?)?(?:name|surname|title|honorific|pronouns?|language|dialect|mother tongue"
    r"|time ?zone|birthday|age|taste|tastes|preferences?|questions?|answers?|repl(?:y|ies)|responses?|messages?|greetings?|summar(?:y|ies))"
)
_STYLE_EN = (
    r"(?:answers?|repl(?:y|ies)|responses?|explanations?|summar(?:y|ies)|greetings?|jokes?|emojis?|details?|examples?|tone|bullet points"
    r"|headlines?|versions?)"
)
_TREATED = {
    "en": re.compile(
        r"\b(?:address|call|greet|answer|name|treat|nickname|refer to|reply to|respond to|talk to|speak (?:to|with)|write (?:to )?|chat with"
        r"|explain (?:\w+ ){0,3}to|address yourself to) me\b(?! (?:when(?:ever)?|if|before|after|as soon|once|about|immediately|at \d))"
        rf"|\b(?:my|by my|with my) {_OWN_EN}\b(?! (?:branch|repo|server|account))"
        rf"|\b(?:give|tell|send|show|write|explain) me (?:\w+,? ){{0,4}}{_STYLE_EN}\b"
        rf"|\bI(?:'d| would)?(?: \w+)? (?:prefer|like|love|want|hate|dislike|enjoy|need) (?:\w+,? ){{0,4}}{_STYLE_EN}\b"
        r"|\bI(?:'d| would)? (?:\w+ )?(?:prefer|like|love|want|hate|dislike) (?:to be|being|it when you|you to (?:call|address|answer|reply|speak"
        r"|talk|greet))\b"
        r"|\b(?:I am|I'm|I go by) (?:a |an |the )?[\w' -]{1,30}(?:,| so\b)[^.]*\b(?:call|address|answer|explain|speak|talk|reply)\b",
        _I,
    ),
    "zh": re.compile(
        r"(?:叫|称呼|喊|管|回答|回复|答复|答|称)我(?!们)|(?:跟|和|对|同|与|给)我(?!们)[^，。；]{0,6}(?:说话|讲话|聊天?|交流|沟通|对话|打招呼|问好|讲|说|解释"
        r"|回复|回答|答复|写信)|用[^，。；]{1,10}(?:称呼|回答|回复|答复)我(?!们)|我的(?:名字|姓名|姓|昵称|称呼|母语|语言|方言|时区|生日|年龄|头衔|职称|口味|偏好|喜好|问题"
        r"|提问|消息)|我(?:更|比较|很)?(?:喜欢|偏好|希望|想要?|习惯|讨厌|不喜欢)[^，。；]{0,12}(?:回答|回复|答复|答案|语气|称呼|解释|叫我)",
        _I,
    ),
    "vi": re.compile(
        r"\bgọi (?:tôi|mình|tớ|anh|chị|em|cô|chú|bác|ông|bà|sếp)\b(?! (?:khi|nếu|trước|lúc|ngay))|\bxưng(?: hô)?\b|\bxưng\b"
        r"|\b(?:trả lời|nói chuyện|trò chuyện|nói|giải thích|nhắn tin|nhắn|chào|phản hồi|đáp|viết|thưa)(?: lại)?(?: (?:cho|với))?"
        r" (?:tôi|mình|tớ|anh|chị|cô|chú|bác|ông|bà)\b(?! (?:khi|nếu|trước|lúc|ngay|biết))"
        r"|\b(?:tên|biệt danh|họ tên|tiếng mẹ đẻ|ngôn ngữ|múi giờ|sinh nhật|tuổi|câu hỏi|sở thích)(?: gọi)?(?: của)? (?:tôi|mình|tớ|anh|chị)\b"
        r"|\b(?:tôi|mình|anh|chị) (?:rất |không |hay )?(?:thích|muốn|ưa|ghét) (?:\w+ ){0,5}(?:trả lời|câu trả lời|giải thích|gọi|xưng hô|giọng)",
        _I,
    ),
}
# Who is to be asked or told before an act: a safeguard of the work, whoever the person is.
_GUARDS = re.compile(
    r"\b(?:before|until|unless|without)\b|\bask me\b|\b(?:approval|approve|permission|confirm\w*|sign-?off)\b"
    r"|之前|以前|前先|先问|问我|经我|征得|同意|批准|确认"
    r"|\b(?:trước khi|hỏi (?:ý kiến )?(?:tôi|anh|chị|mình)|xin phép|xác nhận|đồng ý|cho phép)\b",
    _I,
)


def about_speaker(wish: str) -> bool:
    """Whether a wish, in English, Chinese or Vietnamese, is only about how its speaker is to be treated."""
    return bool(_TREATED[detect_lang(wish)].search(wish)) and not _GUARDS.search(wish)
