"""Where a rule's sentence does not hold: "without --atomic", "--force-with-lease is fine", "while the lid is open"."""

from __future__ import annotations

import re

#: "without a plan file", "without --atomic": the act is forbidden only where that is lacking.
_LACKING = re.compile(
    r"\bwithout (?:an? |the |any |its |passing |giving |specifying |using |setting )?"
    r"(?P<en>--?[A-Za-z][\w-]*|[A-Za-z][\w-]*(?<!ing) (?:file|flag|option|argument|parameter|switch|clause))"
    r"(?=\s*(?:$|[,.;]|(?:needs?|requires?|is|are|must|may)\b))"
    r"|\b(?:before|until) (?:it|they|this|that|the \w+) (?:has|have|is|are|was|were)(?: been)? (?P<done>[a-z]+(?:ed|id|en))\b"
    r"|(?<!\w)(?:mà )?không (?:có|kèm|dùng|thêm) (?:cờ |tùy chọn |tham số |file |tệp |mệnh đề |điều kiện )?"
    r"(?P<vi>--?[A-Za-z][\w-]*|(?:(?<=file )|(?<=mệnh đề )|(?<=điều kiện ))[a-z]\w*)"
    r"|(?:不带|没有?带?|不加|缺少)\s*(?P<zh>--?[A-Za-z][\w-]*|[A-Za-z]{3,}(?=\s*(?:条件|子句)))\s*(?:参数|选项|条件|子句)?(?:时|的情况下|就)?",
    re.IGNORECASE,
)
#: "--force-with-lease is fine": an act with that option is not meant.
_FINE = re.compile(
    r"(?P<flag>--?[A-Za-z][\w-]*)[`'\"”」]?\s*(?:(?:is|are)\s+(?:fine|ok(?:ay)?|allowed|permitted|acceptable|good)\b(?!\s*(?:only|when|if|with|after))"
    r"|thì\s+(?:được|ok|không sao)|(?:vẫn\s+)?được phép|(?:是)?(?:可以|允许|没问题))", re.I
)  # fmt: skip
#: A state that is said by what it is not.
_NOT_EMPTY = re.compile(
    r"\b(?:is|are|it's)?\s*(?:not|isn't|still not) empty\b|\bstill holds \w+|(?<!\w)(?:chưa|không) trống(?!\w)", re.I
)
#: A state that must hold: where the call shows the other one, it does not.
_WHILE = re.compile(
    r"\b(?:when|while|if|as long as)\b[^,;.]*|(?<!\w)(?:khi|nếu|lúc)(?!\w)[^,;.]*|[^，。；]*?(?:时候|的情况下|期间|时)",
    re.I,
)
#: What no call can show: that something has not been done yet; "bất kỳ ai" is anybody.
_UNSEEN = re.compile(
    r"(?<!\w)(?:khi|nếu|mà|lúc) (?:còn )?chưa(?!\w)[^,;.]*|(?<!\w)bất (?:kỳ|kì|cứ) (?:ai|cái gì|thứ gì)(?!\w)", re.I
)
#: To whom an object went that is told by having been sent: "an invoice already sent to the customer".
_RECEIVED = re.compile(
    r"(?P<en>\b(?:already|been|is|are|was|were) (?:sent|delivered|issued|handed|given|shown))\s+to\s+(?:the |a |an |our |any )?\w+"
    r"|(?P<vi>(?<!\w)đã (?:gửi|giao|chuyển|phát|đưa))\s+(?:cho|tới|đến)\s+(?:khách(?: hàng)?|nhà cung cấp|đối tác|nhân viên|người dùng|bên \w+)(?!\w)"
    r"|(?P<zh>已经?(?:发送?|寄|送|交))给[^，。；的]{1,5}(?=的)", re.I
)  # fmt: skip
_OPPOSITE = (
    (re.compile(r"\bopen\b|(?<!\w)mở(?!\w)|打开|开着", re.I), frozenset({"closed", "shut"})),
    (re.compile(r"\b(?:closed|shut)\b|(?<!\w)đóng(?!\w)|关着|关闭", re.I), frozenset({"open", "opened"})),
    (re.compile(r"\brunning\b|đang chạy|运行中", re.I), frozenset({"stopped", "idle", "off"})),
    (re.compile(r"\bunlocked\b|未锁", re.I), frozenset({"locked"})),
)


def take_conditions(text: str, clause: str) -> tuple[list[frozenset[str]], str]:
    """Words of which a call must show none, by what a rule lets pass or where it does not hold, and the clause of the
    forbidden act without them. text: the whole rule."""
    lacking = [frozenset({found["flag"].lower()}) for found in _FINE.finditer(text)]
    clause = _RECEIVED.sub(lambda found: next(said for said in found.groups() if said), clause)
    clause = _UNSEEN.sub(" ", _NOT_EMPTY.sub(" occupied ", clause))
    held = " ".join(_WHILE.findall(clause))
    lacking += [other for said, other in _OPPOSITE if said.search(held)]
    found = _LACKING.search(clause)
    if found is None:
        return lacking, clause
    told = next(group for group in found.groups() if group).lower().split()
    return [*lacking, frozenset(told[:1])], clause[: found.start()] + " " + clause[found.end() :]
