"""How a person takes a rule back, in each language: the frames around what the rule was about (the group `about`).

In the order in which they are tried: a frame that names a rule as a rule, one that lifts a duty, one that allows again what
was forbidden, one that puts something else in the place of what was asked for, and one that only points back.
"""

from __future__ import annotations

import re
from enum import StrEnum


class Manner(StrEnum):
    """How a rule is taken back. named: as a rule ("the rule about …"). allowed: what it forbids may be done again. found_fine:
    likewise, in words that may only tell how something is. waived: what it asks for need not be done. replaced: something
    else stands in its place. pointed: "forget that", whatever was said last."""

    NAMED = "named"
    ALLOWED = "allowed"
    FOUND_FINE = "found_fine"
    WAIVED = "waived"
    REPLACED = "replaced"
    POINTED = "pointed"


_I = re.IGNORECASE
_ABOUT = r"(?P<about>[^,;:，；：。\n]{1,120}?)"
_END = r"[\s.!~。！，,;；]*$"

# English
_DROP = (
    r"(?:forget|drop|lift|cancel|revoke|scrap|scratch|withdraw|retract|ignore|disregard|remove|retire|undo|delete|abandon|repeal"
    r"|get rid of|do away with|take back|stop (?:following|applying|using))(?: about)?"
)
_RULE = r"(?:rules?|bans?|polic(?:y|ies)|restrictions?|instructions?|limits?|limitations?|prohibitions?|freezes?|requirements?)"
_ON = r"(?:about|on|against|for|regarding|concerning|that says(?: to)?|saying|of|not to|never to|to)"
_OVER = (
    r"(?:(?:is|are|was) (?:now )?(?:off|gone|lifted|history|over|void|cancell?ed|withdrawn|dropped|obsolete|revoked|retired|no more"
    r"|no longer (?:needed|valid|in force|in effect))"
    r"|no longer (?:appl(?:y|ies)|holds?|stands?)|(?:does not|doesn't|do not|don't) (?:apply|hold|stand) any ?more)"
)
_DROPPED = r"(?:I|we)(?:'ve| have)? (?:lifted|dropped|removed|cancell?ed|scrapped|withdr[ae]wn?|revoked|ended|retired|repealed)"
_LEAD_EN = (
    r"^\W*(?:(?:please|ok(?:ay)?|actually|and|so|now|well|hey|no|sorry|also|let's|you can|you may|we can|I|I'd like to|I want to|I want you to|just"
    r"|from now on|can you),? )*"
)
_NOW_EN = r"(?:again|now|from now on|after all|once (?:more|again)|going forward|from here on|too|as well|these days)"
_ONE_WORD = r"(?:that|this|it|those|the last (?:one|rule|instruction)|(?:that|this|the) rule|that (?:last )?one|what I(?: just)? said)"
_MAY_EN = r"(?:can|may|could|(?:are|'re|is) (?:now |again )?(?:allowed|permitted|free|welcome) to)"
_FINE_EN = r"(?:ok|okay|fine|allowed|permitted|alright|all right|acceptable|welcome|good|legal|possible)"

# Chinese
_DROP_ZH = (
    r"(?:忘掉|忘了|忘记|取消|撤销|撤回|废除|废掉|作废|删掉|删除|去掉|解除|收回|别管|不用管|不要管|不用理会?|放弃)"
)
_RULE_ZH = r"(?:规则|规定|规矩|限制|禁令|要求|指令|命令|约定|那条|这条|那一条|这一条|说法)"
_OVER_ZH = r"(?:取消|作废|解除|撤销|撤回|不算|不用|废了|废除|失效|无效|不再有效|不再适用|不适用|过时|算了|收回|没了)"
_EARLIER_ZH = (
    r"(?:之前|以前|先前|刚才|上次|我|说|过|的|那个|那条|这条|关于|有关|对于|不能|不要|不许|不准|不得|禁止|别|里){0,8}"
)
_NOW_ZH = r"(?:从今以后|从今往后|从现在起|从现在开始|今后|以后|现在|已经|又|重新|往后)"
_MAY_ZH = r"(?:可以|能够?|允许|准许|许可|获准|同意)"

# Vietnamese
_DROP_VI = r"(?:bỏ|hủy|huỷ|quên|gỡ|xóa|xoá|dẹp|rút lại|rút|thu hồi|bãi bỏ|hủy bỏ|huỷ bỏ|gỡ bỏ|bỏ qua|thôi)"
_RULE_VI = r"(?:quy tắc|quy định|luật|lệnh|yêu cầu|điều|chuyện|vụ|việc|giới hạn|hạn chế|chỉ thị|dặn dò|lời dặn)"
_ON_VI = r"(?:(?:về|cấm|không được|không|đừng|liên quan đến|liên quan tới|là|phải|việc|rằng|anh nói về|tôi nói về) )*"
_OVER_VI = r"(?:không còn (?:hiệu lực|áp dụng|cần)|hết hiệu lực|(?:đã |được |bị )*(?:bỏ|hủy|huỷ|gỡ|bãi bỏ)|thôi)"
_NOW_VI = r"(?:bây giờ|từ nay(?: trở đi)?|từ giờ(?: trở đi)?|kể từ nay|giờ|nay|hiện tại)"
_TAIL_VI = r"(?:(?: (?:rồi|lại|trở lại|nhé|nha|nhá|đi|ạ|luôn|nữa|như trước|thôi))*)"
_MAY_VI = r"(?:được phép|được|có thể|cho phép|cứ)"

#: In what would be allowed again: it is not, or only that is.
STILL_BARRED = {
    "en": re.compile(r"^\W*(?:not|never|only|no|hardly|barely)\b|\b(?:not|n't|never)$", _I),
    "zh": re.compile(r"[不没未别只]|仅"),
    "vi": re.compile(r"\b(?:không|chưa|chỉ|chẳng|đừng|sao|đâu)\b", _I),
}

_FINE_ZH = r"(?:没问题|可以|行|没事|没关系|允许)"
_NO_NEED_ZH = r"(?:不用|不必|不需要|无需|无须|用不着|没必要)"
_FINE_VI = r"(?:được phép|được|ok|ổn)"
FRAMES: dict[str, tuple[tuple[Manner, re.Pattern[str]], ...]] = {
    "en": tuple(
        (manner, re.compile(pattern, _I))
        for manner, pattern in (
            (Manner.NAMED,
             rf"{_LEAD_EN}{_DROP} (?:the|that|this|my|our|your|any|all)? ?(?:\w+ )?{_RULE} {_ON} {_ABOUT}{_END}"),
            (Manner.NAMED,
             rf"{_LEAD_EN}{_DROP} (?:about )?what I (?:\w+ )?(?:said|told you|asked)(?: \w+)? {_ON} {_ABOUT}{_END}"),
            (Manner.NAMED, rf"{_LEAD_EN}{_DROP} (?:the|that|this|my|our|your) {_ABOUT} {_RULE}(?: please)?{_END}"),
            (Manner.NAMED, rf"\b{_DROPPED} (?:the|that|this|my|our) {_RULE} {_ON} {_ABOUT}{_END}"),
            (Manner.NAMED, rf"\b(?:the|that|this|my|our) {_RULE} {_ON} {_ABOUT} {_OVER}"),
            (Manner.NAMED, rf"\b(?:the|that|this|my|our) {_ABOUT} {_RULE} {_OVER}"),
            (
                Manner.WAIVED,
                rf"\b(?:(?:you|we|nobody|agents?) )?(?:no longer (?:need|have) to|(?:don't|do not) (?:need|have) to|needn't|need not|no need to)"
                rf" {_ABOUT} (?:any ?more|any longer|from now on|now|going forward){_END}",
            ),
            (Manner.WAIVED, rf"\b(?:you|we|agents?) no longer (?:need|have) to {_ABOUT}{_END}"),
            (Manner.WAIVED, rf"^\W*(?:{_ABOUT}) (?:is|are) no longer (?:necessary|needed|required|mandatory){_END}"),
            (Manner.ALLOWED,
             rf"\b(?:you|we|everyone|agents?)(?: {_MAY_EN}|'re (?:now |again )?"
             rf"(?:allowed|permitted|free|welcome) to)(?: now| again)? {_ABOUT}(?:,? {_NOW_EN})+{_END}"),
            (Manner.ALLOWED, rf"\b{_NOW_EN},? (?:you|we|everyone|agents?) {_MAY_EN} {_ABOUT}{_END}"),
            (Manner.ALLOWED,
             rf"\b(?:it is|it's|that's) (?:now |again )?{_FINE_EN}(?: now| again)? (?:for you )?to {_ABOUT}(?:,? "
             rf"{_NOW_EN})+{_END}"),
            (Manner.ALLOWED,
             rf"\b(?:it is|it's) (?:{_FINE_EN} (?:now|again)|(?:now|again) {_FINE_EN}) to {_ABOUT}{_END}"),
            (Manner.ALLOWED, rf"\bfeel free to {_ABOUT}(?:,? {_NOW_EN})+{_END}"),
            (Manner.ALLOWED,
             rf"^\W*{_ABOUT} (?:is|are) no longer "
             rf"(?:forbidden|banned|prohibited|off[- ]limits|disallowed|taboo|blocked|frozen)\b"),
            (Manner.ALLOWED,
             rf"\bI(?:'m| am)? (?:now )?(?:allow|permit)(?:ing)? (?:you to )?{_ABOUT}(?:,? {_NOW_EN})+{_END}"),
            (Manner.ALLOWED, rf"^\W*from now on,? (?:please )?{_ABOUT} (?:too|as well|again){_END}"),
            (Manner.FOUND_FINE,
             rf"^\W*(?:actually|ok|okay|well|so|and|now)?,? ?{_ABOUT} (?:is|are) (?:now |again )?{_FINE_EN}(?:,? "
             rf"{_NOW_EN})+{_END}"),
            (Manner.FOUND_FINE,
             rf"^\W*(?:actually|ok|okay|well|so|and)?,? ?{_ABOUT} (?:is|are) (?:now|again) {_FINE_EN}{_END}"),
            (Manner.FOUND_FINE, rf"^\W*from now on,? {_ABOUT} (?:is|are) {_FINE_EN}{_END}"),
            (Manner.REPLACED, rf"\b(?:instead of|rather than|in place of) {_ABOUT}(?: {_NOW_EN}| please)*{_END}"),
            (Manner.REPLACED,
             rf"(?:,|\b(?:and|but)) (?:not|no more) (?!to\b|the other\b|sure\b|even\b|only\b|because\b|when\b|if"
             rf"\b){_ABOUT}(?: any ?more| {_NOW_EN})*{_END}"),
            (Manner.POINTED,
             rf"^\W*(?:ok(?:ay)?|no|actually|please|sorry|oh|hm+)?,? ?(?:{_DROP}|never mind) {_ONE_WORD}\s*"
             rf"(?:$|[.,;!])"),
            (Manner.POINTED, r"\bI take (?:that|it) back\b"),
            (Manner.POINTED, rf"^\W*(?:that|this)(?: rule)? {_OVER}"),
        )
    ),
    "zh": tuple(
        (manner, re.compile(pattern, _I))
        for manner, pattern in (
            (Manner.NAMED, rf"{_DROP_ZH}{_EARLIER_ZH}{_ABOUT}的?(?:那个|这个)?{_RULE_ZH}(?:吧|了|掉|哈|呀)*{_END}"),
            (Manner.NAMED, rf"^\W*{_EARLIER_ZH}{_ABOUT}的?(?:那个|这个)?{_RULE_ZH}(?:已经?|就|现在|都|也|被|可以|从今天起)*{_OVER_ZH}"),
            (Manner.NAMED,
             rf"(?:之前|以前|刚才|上次)我?(?:说|讲|提)(?:过)?(?:的)?{_EARLIER_ZH}{_ABOUT}，(?:这|那)(?:条|个|句|一条)?(?:话)?(?:就|都|现在|已经)*"
             rf"{_OVER_ZH}"),
            (Manner.NAMED,
             rf"(?:之前|以前|刚才|上次)我?(?:说|讲|提)(?:过)?(?:的)?{_EARLIER_ZH}{_ABOUT}(?:就|都|现在)?(?:不算|作废|取消|撤销|收回)"),
            (Manner.WAIVED,
             rf"^\W*(?:{_NOW_ZH}){{0,2}}(?P<before>[^，；：。\n]{{0,30}}?)(?:{_NOW_ZH}){{0,2}}{_NO_NEED_ZH}再{_ABOUT}"
             rf"(?:了|啦)?{_END}"),
            (Manner.WAIVED,
             rf"^\W*(?:{_NOW_ZH}){{0,2}}(?P<before>[^，；：。\n]{{0,30}}?)(?:{_NOW_ZH}){{0,2}}{_NO_NEED_ZH}{_ABOUT}"
             rf"(?:了|啦){_END}"),
            (Manner.REPLACED,
             rf"(?:不用|别用|不要用|不再用|别再用|不要再用|不再使用|别再使用|而不是|代替|替代|取代|换掉){_ABOUT}(?:了|啦|吧)?(?:{_END}|[，,；])"),
            (Manner.REPLACED, rf"(?:把|将){_ABOUT}(?:换成|改成|改为|替换成|替换为)"),
            (Manner.ALLOWED,
             rf"^\W*(?:好的?，?|其实)*(?:{_NOW_ZH}){{1,2}}(?:你|我们|大家)?(?P<before>[^，；：。\n]{{0,30}}?)(?:也|都|又|就){{0,2}}{_MAY_ZH}"
             rf"(?:再|又|重新|继续)?{_ABOUT}(?:了|啦)?(?:吧)?{_END}"),
            (Manner.ALLOWED, rf"^\W*(?P<before>[^，；：。\n]{{0,30}}?)(?:又|重新|再次|恢复){_MAY_ZH}{_ABOUT}?(?:了|啦)?{_END}"),
            (Manner.ALLOWED,
             rf"^\W*(?P<before>[^，；：。\n]{{1,30}}?)(?:{_NOW_ZH}){{1,2}}(?:也|都|又|就){{0,2}}{_MAY_ZH}{_ABOUT}?(?:了|啦){_END}"),
            (Manner.ALLOWED, rf"^\W*(?:你|我们|大家)?{_MAY_ZH}(?:再|又|重新|继续)?{_ABOUT}(?:了|啦){_END}"),
            (Manner.ALLOWED, rf"^\W*{_ABOUT}(?:已经|现在)?(?:不再|不)(?:被)?(?:禁止|受限|限制|是禁区|禁用)(?:了)?"),
            (Manner.ALLOWED, rf"^\W*{_ABOUT}(?:已经|现在|又)?(?:解禁|放开|解封)了?{_END}"),
            (Manner.FOUND_FINE,
             rf"^\W*(?:其实|好的?)?，?(?:{_NOW_ZH}){{0,2}}{_ABOUT}(?:{_NOW_ZH}){{1,2}}(?:也|都|又|就){{0,2}}{_FINE_ZH}(?:了|啦)?"
             rf"{_END}"),
            (Manner.FOUND_FINE, rf"^\W*{_ABOUT}[也又]{_FINE_ZH}(?:了|啦)?{_END}"),
            (Manner.FOUND_FINE, rf"^\W*(?:{_NOW_ZH}){{1,2}}{_ABOUT}(?:也|都|又|就){{0,2}}{_FINE_ZH}(?:了|啦)?{_END}"),
            (Manner.POINTED,
             rf"^\W*(?:算了，?)?{_DROP_ZH}(?:这条|那条|这个|那个|它|上一条|刚才(?:我)?(?:说)?的(?:话|那条|规则)?|(?:这|那)(?:条|个)"
             r"(?:规则|规定|要求))(?:吧|了|掉)*(?:$|[，。！,])"),
            (Manner.POINTED, r"^\W*(?:我)?(?:刚才|之前|上面|刚刚)我?(?:说)?的?(?:那条|话|规则|规定|那句)?(?:就|都)?(?:不算|作废|取消|收回)"),
            (Manner.POINTED, rf"^\W*(?:这|那)(?:条|个)(?:规则|规定|要求|限制)?(?:已经|就|现在)?{_OVER_ZH}"),
        )
    ),
    "vi": tuple(
        (manner, re.compile(pattern, _I))
        for manner, pattern in (
            (Manner.NAMED, rf"\b{_DROP_VI} (?:(?:cái|đi|luôn|hết) )*(?:{_RULE_VI} )+{_ON_VI}{_ABOUT}{_TAIL_VI}{_END}"),
            (Manner.NAMED, rf"^\W*(?:cái )?(?:{_RULE_VI} )+{_ON_VI}{_ABOUT} {_OVER_VI}{_TAIL_VI}{_END}"),
            (Manner.WAIVED,
             rf"\b(?:không cần(?: phải)?|khỏi(?: cần| phải)?|không phải|chẳng cần|không nhất thiết phải) "
             rf"{_ABOUT} nữa{_TAIL_VI}{_END}"),
            (Manner.REPLACED, rf"\bthay (?:cho|vì|thế|cho việc) (?:dùng )?{_ABOUT}{_TAIL_VI}{_END}"),
            (Manner.REPLACED,
             rf"\b(?:không|đừng|thôi|chứ không|chứ đừng) (?:dùng|xài|sử dụng) {_ABOUT} nữa{_TAIL_VI}{_END}"),
            (Manner.REPLACED, rf",? (?:chứ )?không phải {_ABOUT}{_TAIL_VI}{_END}"),
            (Manner.ALLOWED,
             rf"^\W*(?:(?:à|ok|thôi|thực ra|ừ),? )?{_NOW_VI},? (?:(?:em|bạn|mọi người|anh em|thì|cũng|lại|đã) )*"
             rf"{_MAY_VI} {_ABOUT}{_TAIL_VI}{_END}"),
            (Manner.ALLOWED,
             rf"^\W*(?:(?:em|bạn|mọi người) )?(?:lại )?{_MAY_VI} {_ABOUT}(?: (?:rồi|lại|trở lại|như trước))"
             rf"{_TAIL_VI}{_END}"),
            (Manner.ALLOWED,
             rf"^\W*{_NOW_VI},? {_ABOUT} (?:cũng |lại |đã )*{_FINE_VI}(?P<after> [^,;.\n]{{1,40}}?)?"
             rf"{_TAIL_VI}{_END}"),
            (Manner.ALLOWED,
             rf"^\W*{_ABOUT} {_NOW_VI} (?:(?P<after>[^,;.\n]{{1,40}}?) )?(?:đã |lại |cũng )*"
             rf"{_FINE_VI}{_TAIL_VI}{_END}"),
            (Manner.FOUND_FINE,
             rf"^\W*{_ABOUT} (?:lại |đã |cũng )*{_FINE_VI}(?: rồi| lại| trở lại| như trước)+{_TAIL_VI}{_END}"),
            (Manner.ALLOWED, rf"^\W*{_ABOUT} (?:không còn|hết)(?: bị)? cấm(?: nữa)?{_TAIL_VI}{_END}"),
            (Manner.POINTED,
             rf"^\W*(?:thôi,? )?{_DROP_VI} (?:(?:cái|điều|lệnh|câu|quy tắc|quy định|yêu cầu|luật|đi) )*"
             rf"(?:đó|này|vừa rồi|lúc nãy|đấy|trên|vừa nói|kia)\b"),
        )
    ),
}  # fmt: skip
