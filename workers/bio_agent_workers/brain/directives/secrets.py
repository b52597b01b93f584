"""Whether what somebody says hands over a secret to be kept."""

from __future__ import annotations

import re

_SECRET = re.compile(
    r"\b(?:api[ _-]?keys?|pass ?words?|passwd|pass ?phrase|secret(?: key)?s?|access (?:key|token)s?|(?:bearer"
    r"|auth|refresh) tokens?|tokens?"
    r"|private keys?|credentials?|pin(?: code| number)?|cvv|credit card|card number|seed phrase"
    r"|recovery (?:code|phrase)s?|otp)\b"
    r"|密码|口令|密钥|私钥|令牌|验证码|银行卡号|助记词|信用卡"
    r"|mật khẩu|khóa bí mật|mã pin|mã otp|mã xác thực|số thẻ|khóa api|\bsk-\w",
    re.IGNORECASE,
)
# A rule about secrets ("never log passwords") may be kept; what gives a secret away may not.
_HANDED = re.compile(
    r"\s*(?:now |currently |still )?(?:\bis\b|\bare\b|=|:|：|是|为|\blà\b)\s*(?:[\"'“`][^\s\"'”`]{3,}"
    r"|(?=[^\s，。]*[\d!@#$%^&*_+=])[^\s，。,]{3,}|[^\s，。,.:]{3,}(?=\s*[.。!！]?\s*$|[，,。]))",
    re.IGNORECASE,
)
# "password for the router", 「密码（路由器）」, "mật khẩu wifi": what the secret opens, between its name and its value.
_BETWEEN = re.compile(
    r"^(?: (?:for|of|to|on|của|cho) (?:[^\W\d]+ ?){1,4}?(?=\s*(?:is|=|:|：|là)\b)"
    r"| (?!is\b|are\b|là\b)[^\W\d]+(?=\s*(?:is|=|:|：|là)))",
    re.IGNORECASE,
)
_MIXED = re.compile(r"(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[^\s]{6,}")
_OWN_SECRET = re.compile(r"\bmy (?:[\w'’-]+ ){0,1}$|我的\S{0,12}$", re.IGNORECASE)
_OF_MINE = re.compile(r"^ (?:\w+ )?của (?:tôi|anh|em|mình|chị)\b", re.IGNORECASE)
# What is said of secrets in general: how long they last, where they live, what is done with them.
_ABOUT_SECRETS = re.compile(
    r"^\W*(?:\w+ )??(?:polic(?:y|ies)|rotation|rules?|manager|length|expir\w+"
    r"|reset\w*|vault|store[ds]?|require\w*|strength|fields?|prompts?|hash\w*|budget|limit|count|usage|costs?|lifetime"
    r"|duration|of"
    r"|format|must|should|may|can(?:not)?|need\w*|never|always|has to|have to|every|lives?"
    r"|belongs?|管理|策略|规则|长度|轮换|过期|有效期|必须|应|不|每"
    r"|phải|nên|không|được|cần|hết hạn|mỗi)\b|^\W*(?:is|are|是|为|là)\W*"
    r"(?:never|always|must|not|stored|kept|in\b|on\b|at\b|required|rotated|managed|hashed"
    r"|encrypted|expired|missing|wrong|invalid|empty|unset|necessary|optional|every|only"
    r"|必须|不|存|放|保存|每|加密|được|phải|không|ở|trong|mỗi)",
    re.IGNORECASE,
)


def asks_to_keep_secret(text: str) -> bool:
    """Whether the text hands over a secret (a password, a key) to be kept."""
    return any(_handed_over(text, m) for m in _SECRET.finditer(text))


def _handed_over(text: str, name: re.Match[str]) -> bool:
    """Whether the secret of this name follows it ("… is x7kq", "…: hunter22"), or it is the speaker's own that is spoken of."""
    rest = text[name.end() : name.end() + 200]
    if _ABOUT_SECRETS.match(rest) and not _MIXED.search(rest):
        return False
    if _HANDED.match(_BETWEEN.sub("", rest, count=1)):
        return True
    own = text[max(0, name.start() - 40) : name.start()]
    return bool(_OWN_SECRET.search(own) or _OF_MINE.match(rest))
