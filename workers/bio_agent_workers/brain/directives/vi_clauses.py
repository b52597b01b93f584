"""Vietnamese rules read clause by clause: a reason and the rule it leads to, a class of things and what is done with it, an
occasion and the act.
"""

from __future__ import annotations

import re

from bio_agent_workers.brain.directives.vi import (
    PAST,
)
from bio_agent_workers.brain.directives.vi_elsewhere import (
    NOW,
)
from bio_agent_workers.brain.directives.vi_things import (
    ACT,
    ADV,
    IGNORECASE,
    MADE,
    ME,
    WHO,
    any_of,
)

_AT_HAND = any_of(
    r"(?<!sau )(?<!thế )(?<!như )(?<!kiểu )(?<!từ )\b(?:này|đó|kia|ấy|vừa rồi|ban nãy"
    r"|hồi nãy|lúc nãy)\b(?! trở đi)|\b(?:hôm|bữa|sáng|trưa|chiều|tối|đêm|tuần|tháng) nay\b"
    r"|\b(?:ngay bây giờ|tạm thời|lát nữa|ngày mai|xong thì|cả danh sách)\b"
)
_AS_AGREED = re.compile(
    r",? như (?:đã |mình |chúng ta )*(?:thỏa thuận|bàn|nói|thống nhất|dặn|hẹn)(?: trước)?", IGNORECASE
)
# "Lưu cái nào thì báo cái đó": the same one, whichever it is.
_SAME = re.compile(
    r"(?<=\bnào\b) (?:[^,.?]{0,40}) (?:cái|việc|chỗ|người|món|đơn|thứ|ngày) (?:đó|ấy)\b"
    r"|\bkiểu (?:đó|này)\b|\btrong đó\b",
    IGNORECASE,
)
#: "…, nên nhắc": a reason and what follows; a thank-you, a complaint, a correction and the wish.
_REASONS = re.compile(
    r",\s*(?:(?:cho |vậy |vì thế |vì vậy |do đó )?nên|nhưng|mà|còn|vậy thì|giờ|thôi)\s+|,\s+(?=(?:trên|dưới|quá"
    r"|hơn|hễ|cứ|đừng|viết|ghi|xếp|(?:\w+ ){1,2}(?:nào|gì)|cái nào)\b)|[;:]\s+|\s[–—-]\s",
    IGNORECASE,
)
_EACH = any_of(
    r"\b(?:[\w-]+ )?nào (?:[\w-]+ ){0,6}?cũng\b|\b(?:mỗi|mọi|từng|bất kỳ|bất cứ|hễ|lần nào|lúc nào"
    r"|luôn|hằng|hàng (?:ngày|tuần|tháng))\b|\btrước khi \w+|\b(?:ngày|tuần|tháng|giờ|ca|năm) (?:một|hai"
    r"|ba|bốn|\d+) lần\b|\b(?:một|hai|ba|\d+) lần (?:một|mỗi) (?:ngày|tuần|tháng)\b"
)
_TOPIC_THEN = re.compile(
    rf"^\W*(?:tiện đây dặn luôn|nhân tiện|à|còn|với|đối với|gặp|có|không|hễ|nếu|khi)? ?,?(?!(?:{ME}"
    r"|em|bạn|họ|nó|ai|hôm|lần|bây|lúc|giá mà|thôi|vậy"
    r"|thế|nói|biết)\b)[^,.?]{3,60}?,? thì (?:(?:một|hai|ba|bốn|năm|vài|\d+) (?:ngày|giờ|tuần|tháng|phút) (?:sau"
    rf"|trước) |(?:thứ \w+|cuối tuần|buổi \w+) )?{ADV}(?:{MADE} )?(?P<act>{ACT})\b"
    r"(?! (?:nhớ|được|nổi|xong|ra|kịp|thôi$|sao|chịu|vui|hay|ai|có|thể|biết|phải lo))[^?]*$",
    IGNORECASE,
)
_NOT_SO = any_of(
    r"\b(?:đã(?!\W*$)|rồi(?=\W*$|,| đó\b| mà\b)|bị|vừa|đang|(?<=\bem )còn|còn (?:ướt|nóng|mới|bận|ngủ|đang|sơn"
    r"|đau)|sắp|mới \w+ xong|hoài|mãi|vẫn|lại (?:bị|hỏng|trễ|quên|lỗi|hết|kẹt|chậm|sai)|quá trời"
    r"|đẹp|ngon|mắc|rẻ|đắt|tăng|giảm|lỗi|hỏng|kẹt|trễ|chậm|hết hàng|thiệt|ghê)\b|\?\s*$|\b(?:sao|tại sao"
    r"|thế nào|bao nhiêu|có phải)\b"
)
_TOPIC = re.compile(
    rf"^\W*(?:à,? |còn |tất cả |mọi |các )?(?!{ME}\b|em\b|bạn\b)(?:[\w-]+ )?{MADE}(?: (?!thì\b"
    rf"|có\b|cần\b|là\b)[\w-]+){{0,6}}? (?:{ADV}(?:ghi|viết|dùng|để|đặt|xếp|kèm|gồm|phải qua|phải có"
    r"|qua|đi qua|in|làm tròn|tính|giữ|tách|dán|bọc|quấn|lưu|gửi|đưa hết|giao hết|chuyển hết|ưu tiên"
    r"|ngắn|gọn|tối đa|không quá|chỉ)|không (?:ghi|để|dùng|viết|in|kèm|gửi|chuyển|giao|nhận|bán"
    r"|đăng|xuất)(?! (?:được|kịp|chạy))|đừng)\b[^?]*$",
    IGNORECASE,
)
_MANNER = any_of(
    r"\b(?:bằng|theo|lên đầu|ở cuối|ở đầu|trước|sau|bên (?:trái|phải)|kiểu|dạng|tối đa|tối thiểu"
    r"|không quá|gồm thuế|kèm|dấu|qua (?:anh|chị|tôi)|hết|đậm|hoa|ra ngoài|màu|giờ|đơn vị|định dạng"
    r"|lần nhé|lần nha|rồi (?:hãy|mới)|riêng|chung|nhé|nha|giúp|giùm|đừng|thôi|luôn)\b"
)
_FIRST_THEN = re.compile(
    rf"^\W*(?!{ME}\b|em\b|hôm|lần|lúc)[^,.?]{{3,40}} rồi (?:hãy|mới)(?: được| cho)? {ACT}\b", IGNORECASE
)
_BEFORE_DO = re.compile(
    r"^\W*(?:(?:trước|sau) (?:mỗi|mọi|các) |(?:trước|sau|mỗi) (?:khi|lúc|lần) (?!nào"
    rf"|đó|đi làm|ngủ|về|ra))[\w -]{{2,30}}?(?:, ?|\s){ADV}(?:{ACT})\b[^?]*$",
    IGNORECASE,
)
_BARE_NOT = re.compile(
    r"^\W*(?:bên mình |ở đây )?không (?:nhận|bán|trả|giao|báo giá|gọi|thu|đổi|cho (?:mượn|thuê|nợ)|tiếp|dùng|xài"
    r"|gửi|in|ghi|đăng|hẹn|xếp)\b(?! (?:được|nổi|kịp|ra|xong|lại|nữa$))[^,?]{2,}",
    IGNORECASE,
)
_FROM_HOUR = re.compile(
    r"^\W*(?:sau|trước|từ) (?:thứ \w+|chủ nhật|\w+ giờ|ngày \w+|hạn)(?: (?:trở đi|sáng"
    rf"|tối|chiều))? (?:thì )?(?:không|đừng) (?:được )?{ACT}\b[^?]*$",
    IGNORECASE,
)
_NO_EXCEPTION = re.compile(r"^\W*(?!.*\b(?:đã|rồi|họ|nó|hồi)\b)[^?]{6,}, không (?:có )?ngoại lệ\W*$", IGNORECASE)
_BY_NAME = re.compile(rf"^\W*(?:em |hãy |cứ |nhớ )*{ACT} {WHO}\b[^,.?]{{0,16}}\b(?:bằng|theo)\b[^?]*$", IGNORECASE)
_TRAIT = re.compile(
    rf"^\W*{ME} (?:không|chẳng|hay|chỉ|ghét|ít) (?!có|biết|hiểu|nhớ|thấy|muốn|cần|nghĩ|được|phải|rảnh"
    rf"|khỏe)[^,.?]{{3,40}}, (?:nên )?{ADV}(?!đừng lo){ACT}\b[^?]*$",
    IGNORECASE,
)
_SIGNED = re.compile(r"^\W*[^,.?]{2,30} phải (?:có |đủ )?(?:hai|ba|\d+) (?:chữ ký|người|bản|lớp)\b", IGNORECASE)
_NOT_IN = re.compile(
    r"^\W*không (?:bàn|nói|nhắc|kể|chia sẻ|mang|để|đăng) (?!được|nổi)[^,.?]{2,24} (?:trong|ở|với|cho|về|qua|tại"
    r"|trên) ",
    IGNORECASE,
)
_NO_MORE = re.compile(
    r"^\W*không (?!sao|có|cần|phải|biết|vội|được|thành|lẽ|ổn)\w+(?: \w+){0,3} (?:nhé|nha)\W*$", IGNORECASE
)
_NOT_YOURS = re.compile(
    rf"^\W*[^,.?]{{2,40}}?,? (?:thì )?(?:em |bạn )?đừng (?!{ME}\b|có|lo|sợ|ngại|buồn)(?:đụng"
    r"|chạm|sửa|đổi|xóa|mở|gọi|gửi|động|đoán|nhận|cho|dùng|ghi|in|xếp|đặt|viết|chỉnh)\b",
    IGNORECASE,
)
_ALWAYS_SO = re.compile(
    rf"^\W*{ADV}{ACT}\b[^?]*, (?:lúc|lần|món|ngày|cái|khi) nào cũng (?:vậy|thế|như vậy)(?: nhé| nha)?\W*$", IGNORECASE
)
_HERE_DO = re.compile(
    rf"^\W*(?:ở đây|bên mình|nhóm mình|chỗ mình|tiệm mình|quán mình|công ty mình)(?: thì)? {ADV}{ACT}\b[^?]*$",
    IGNORECASE,
)
_ENSURE = re.compile(
    r"^\W*(?:em |nhớ |hãy )*(?:đảm bảo|bảo đảm|chắc chắn)(?: là| rằng)? (?:mọi|mỗi|tất cả|bất kỳ|\w+ nào)\b", IGNORECASE
)
#: "theo mã bưu chính, đừng theo họ": this way and not that way.
_CONTRAST = re.compile(
    rf"^\W*(?:em |hãy |cứ )*{ACT}\b [^,.?]{{2,40}}, (?:đừng|không|chứ không|chớ) (?:chỉ )?(?:theo"
    r"|bằng|dùng|ghi|để|viết|phải|xếp|làm)\b[^?]*$|^\W*[^,.?]{2,24} do [^,.?]{2,20} (?:làm"
    r"|lo|duyệt|quyết), (?:không|đừng) \w+[^?]*$",
    IGNORECASE,
)
_DONT_KIND = re.compile(
    rf"^\W*(?:em |bạn |làm ơn |nhớ |thì )*(?:đừng|chớ) (?!có|lo|sợ|ngại|buồn|quên){ACT}\b[^?]*\b(?:phải"
    r"|có|gì|nào|mấy|những|các|loại|kiểu|nhiều|quá|khi|nếu|ai|thứ (?:hai|ba|tư|năm|sáu|bảy)|chủ nhật)\b[^?]*$",
    IGNORECASE,
)
_BUT_NOT = re.compile(
    rf"^\W*(?:em |hãy |cứ |thì )*{ACT}\b [^,.?]{{2,40}},? chứ (?:đừng|không|chớ) \w+[^?]*$"
    rf"|^\W*(?!{ME})[^,.?]{{2,16}} thì (?:được|ok|cho), [^,.?]{{2,16}} thì (?:không|cấm|miễn)\b",
    IGNORECASE,
)
_FEWER = re.compile(r"[:,] [^?]{2,40}\b(?:bớt|hạn chế|giảm) \w+", IGNORECASE)
_ONLY_SO = re.compile(
    r"^\W*(?:em |cứ )*chỉ (?:cho|nhận|gửi|dùng|bán|giao"
    r"|in|ghi|báo|đặt|mở) [^,.?]{3,40}(?: thôi)?,? [^?]*\b(?:thì không|không được|khỏi|thôi)\W*$",
    IGNORECASE,
)
_HABITS = re.compile(
    r"^\W*(?:mỗi|hằng|hàng|cứ mỗi|sáng|tối|chiều|cuối|đầu) (?:sáng|trưa|chiều|tối|ngày|tuần"
    rf"|tháng|quý|ca|thứ \w+)(?: nào cũng)?,? {ADV}{ACT}\b(?! (?:mù|mưa|đông|vui))[^?]*$",
    IGNORECASE,
)
_AT_MOST = re.compile(
    r"^\W*(?:mỗi|một|các) [^,.?]{2,24} (?:nhiều nhất|ít nhất|tối đa|tối thiểu|không quá|đừng quá)\b[^?]*$", IGNORECASE
)
_INSIDE = re.compile(
    r"^\W*(?:dùng|xài|theo) (?:hệ|định dạng|mẫu|phông|font|đơn vị|múi giờ|tiếng|giọng|kiểu)\b[^?]*(?:hết"
    r"|nhé|nha|thôi|cho (?:anh|chị|tôi))\b",
    IGNORECASE,
)
_MAY = re.compile(
    r"^\W*[^,.?]{3,40}\b(?:dưới|tới|đến|từ)\b[^,.?]{1,20} (?:thì )?(?:em )?(?:tự|cứ|khỏi|không cần) (?:hỏi"
    r"|duyệt|quyết|đặt|làm|xin|báo|ký)\b[^?]*$",
    IGNORECASE,
)
_EACH_MADE = re.compile(
    rf"^\W*{MADE}(?: [\w-]+){{0,3}}? nào (?:em |trước khi [\w ]{{2,16}} )?cũng {ADV}(?!đừng|không){ACT}\b[^?]*$",
    IGNORECASE,
)
_SAME_ONE = re.compile(r"\b(\w+) nào\b[^,.?]*\b\1 (?:đó|nấy|ấy)\b", IGNORECASE)
_I_BEG = re.compile(
    rf"^\W*{ME} chỉ (?:xin|nhờ|mong|cần) (?:em |bạn )?(?:một điều|một việc|có thế)[^?]*\b(?:đừng"
    r"|luôn|nhớ|lúc nào|không)\b",
    IGNORECASE,
)
_MY_TONGUE = re.compile(
    rf"^\W*{ME} (?:viết|hỏi|nói|nhắn)(?: bằng)? tiếng \w+ thì (?:em )?(?:trả lời|đáp|viết|nói)\b", IGNORECASE
)
_THIS_REPO = re.compile(
    r"^\W*(?:repo|dự án|project) này (?:thụt lề|đặt tên|xuống dòng|commit)\b[^?]*\b(?:bằng|theo|kiểu)\b", IGNORECASE
)
_UNLESS = re.compile(
    r"^\W*(?:em |cứ )*(?:giữ|để|dùng|đừng|không|gửi|ghi|mở|tắt|bật) [^,.?]{3,40},? trừ khi\b", IGNORECASE
)
_OR_ELSE = re.compile(
    rf"^\W*(?!nhanh|mau|đi|chạy)[^,.?]*\b(?:nào cũng|mỗi|mọi|thì|phải|luôn)\b[^,.?]*\b{ACT}\b[^,.?]*, (?:không là"
    r"|không thì|kẻo|nếu không)\b",
    IGNORECASE,
)
_DECIDES = any_of(
    r"\bchỉ (?:có |mình )?(?:anh|chị|cô|chú|tôi|mình|bác)(?: (?-i:[A-ZĐ])\w+)?(?: mới)?(?: được)? (?:quyết"
    r"|duyệt|ký|sửa|cho phép|chốt|quyền)\b|\bphải qua (?:anh|chị|tôi|mình)(?: trước| duyệt)?\b|\bdo (?:anh"
    r"|chị|tôi) (?:quyết|duyệt|chốt)\b"
)
_ONLY_IF_I = re.compile(
    r"\b(?:chỉ\b[^?]*\b(?:khi|nếu)|(?:đợi|chờ)) (?:anh|chị|tôi|mình) (?:bảo|nói|yêu cầu|đồng ý|duyệt"
    r"|gật|cho phép)(?: rồi (?:hãy|mới))?\b",
    IGNORECASE,
)
_KEEP_TO = re.compile(
    r"\b(?:cứ|nhớ) (?:theo (?:thứ tự|kiểu|cách|mẫu) (?:đó|này|vậy)\W*$|(?:thế|vậy|theo (?:đó|vậy|thế)|như (?:thế"
    r"|vậy)) mà (?:làm|dùng|theo|ghi|viết)\b)",
    IGNORECASE,
)
_LIKES = re.compile(
    r"^\W*(?:[^,.?]{0,30}\b)?(?:anh|chị|tôi|mình)(?: vẫn| rất| chỉ)* (?:thích|muốn|quen|ưa|ngại|ghét"
    rf"|không thích|không quen|không ưa)\b(?=[^.?]*(?:{MADE}|gạch đầu dòng|đoạn dài"
    r"|bảng|rào đón|số|chữ|hình))[^.?]*(?:\bhơn\b|, [^.?]*\b(?:cho|giúp|giùm) (?:anh|chị|tôi)"
    r"|,)|(?:anh|chị|tôi|mình) (?:nhìn|đọc|xem|coi) (?:cho |mới |thấy )?(?:dễ|rõ|quen|tiện|nhanh|chóng mặt|rối)",
    IGNORECASE,
)
_CORRECTED = re.compile(
    r"^\W*(?:(?:bỏ|dẹp|thôi) [^,.:]{2,24} đi, (?:chuyển|đổi|thay)|(?:bỏ|quên|dẹp|hủy|thôi) (?:vụ|cái"
    r"|chuyện|điều|quy định|việc|khỏi)\b[^,.:]{2,40}[,:] ?(?:giờ|từ|bây giờ|nay|chuyển"
    rf"|đổi|cứ)|{ME} đổi ý(?: rồi)?\b[^:,]{{0,20}}[:,]|(?:hồi|hôm|lúc|lần|bữa) (?:trước|đầu|nọ) {ME} (?:bảo"
    r"|dặn|nói|kêu|nhờ)\b[^.?]{3,50}[,:] ?(?:nhưng |mà )?(?:giờ|từ|bây giờ|nay)) ?[^?]+$",
    IGNORECASE,
)
_AHEAD = re.compile(
    r"^\W*(?:à,? |[^,.?]{0,30}, )?(?:từ (?:nay|giờ|mai|tuần sau|tháng sau|hôm nay|(?:mùa|quý|năm"
    r"|tháng|thứ|ngày) \w+)|về sau|sau này|lần sau|kỳ sau|(?:mấy|những|các) \w+ sau|lần tới)\b,? ?(?:thì "
    rf"|trở đi,? |nhớ )?(?P<then>(?!{ME} (?:sẽ|tự|làm|lo))[^?]{{6,}})$",
    IGNORECASE,
)
_COMPLAINS = re.compile(
    r"^\W*(?:em|bạn)\b[^,.?]{0,10}\b(?:cứ|lại|toàn|hay|lúc nào cũng"
    rf"|lần nào cũng)\b[^,.?]{{2,40}},[^?]*?(?:, ?)?\b{ADV}{ACT}\b[^?]*\b(?:giùm|giúp|nhé|nha|đi|thôi|anh|chị)\b",
    IGNORECASE,
)
_ASKED = re.compile(r"\b(?:được không|được chứ|nhé|nha|được hông|có được không)\b", IGNORECASE)
_ASKED_EACH = any_of(
    r"\b(?:nào cũng (?:vậy|thế|\w+)|mỗi \w+|mọi|từ nay|từ giờ|lần sau|về sau|luôn|viết cho (?:khách"
    r"|\w+) thì|(?:lúc|khi) \w+ \w+|thôi \w+ \w+)\b"
)


def parts(sentence: str) -> list[str]:
    """The clauses that follow a reason, a thank-you or a complaint, each to be read by itself."""
    return [p.strip() for p in _REASONS.split(sentence.strip())[1:] if len(p.split()) > 2]


def asks(clause: str) -> bool:
    """Whether a clause by itself asks or forbids."""
    return bool(
        re.match(rf"^\W*{ADV}{ACT}\b", clause, IGNORECASE)
        or re.search(r"\b(?:phải|đừng|cấm|không được|nhớ|hãy|từ nay|nào cũng|luôn|chỉ)\b", clause, IGNORECASE)
    )


def rule(sentence: str, question: bool) -> bool:
    """Whether the sentence is a standing rule for the agent by one of the forms of this module."""
    s = sentence.strip()
    if _CORRECTED.match(s) and not question:
        return True
    if question:
        return bool(_ASKED.search(s) and _ASKED_EACH.search(s)) and not re.search(
            r"\b(?:có nên|có phải|tại sao|vì sao|hợp lý|ai)\b", s, IGNORECASE
        )
    if _COMPLAINS.match(s) and not re.search(r"\bfile này|dòng này\b", s, IGNORECASE):
        return True
    if _SAME_ONE.search(s) and re.search(rf"\b{ACT}\b", s, IGNORECASE) and not _NOT_SO.search(s):
        return True
    if _MY_TONGUE.match(s) or _THIS_REPO.match(s):
        return True
    if _AT_HAND.search(_SAME.sub(" ", s)) or (PAST.search(s) and not NOW.search(s)):
        return False
    ahead = _AHEAD.match(s)
    if ahead and not re.search(r"\b(?:sẽ|chắc|có lẽ|có thể|tính|xem sao|rồi tính)\b", ahead["then"], IGNORECASE):
        return bool(re.search(rf"\b{ACT}\b", ahead["then"], IGNORECASE))
    if _FEWER.search(s) or _ONLY_IF_I.search(s) or _KEEP_TO.search(s) or _LIKES.match(s) or _DECIDES.search(s):
        return True
    return any(_asks(part) for part in [s, *parts(s)])


def _asks(part: str) -> bool:
    """Whether a clause says what is to be done with a class of things, on an occasion, or in a set order."""
    s = _AS_AGREED.sub("", part.strip())
    then = _TOPIC_THEN.match(s)
    if then or _BEFORE_DO.match(s) or _FIRST_THEN.match(s):
        return not _NOT_SO.search(s[then.start("act") :] if then else s)
    if (
        any(p.match(s) for p in (_NO_EXCEPTION, _BY_NAME, _TRAIT, _SIGNED, _NOT_IN))
        or _FROM_HOUR.match(s)
        or _NO_MORE.match(s)
        or _BARE_NOT.match(s)
        or _NOT_YOURS.match(s)
    ):
        return not _NOT_SO.search(s)
    if _TOPIC.match(s) and (
        _MANNER.search(s) or _EACH.search(s) or re.search(r"\bkhông (?:ghi|để|dùng|viết|in|kèm|gửi)\b", s, IGNORECASE)
    ):
        return not _NOT_SO.search(s)
    if _DONT_KIND.match(s) or re.match(r"^\W*(?:[^,.?]{0,24} thì )?thà [^.?]{2,40} còn hơn \w+", s, IGNORECASE):
        return not _NOT_SO.search(s.replace("còn hơn", ""))
    if any(
        p.match(s)
        for p in (
            _CONTRAST,
            _ONLY_SO,
            _HABITS,
            _AT_MOST,
            _INSIDE,
            _MAY,
            _EACH_MADE,
            _UNLESS,
            _OR_ELSE,
            _I_BEG,
            _BUT_NOT,
        )
    ) and not _NOT_SO.search(s):
        return True
    if _ALWAYS_SO.match(s) or _HERE_DO.match(s) or _ENSURE.match(s):
        return not _NOT_SO.search(s)
    if re.match(rf"^\W*(?:lúc|lần) nào cũng (?:{ACT})\b(?! (?:mù|bị|lỗi))", s, IGNORECASE):
        return not _NOT_SO.search(s)
    each = _EACH.search(s)
    return bool(
        each
        and re.match(rf"^\W*(?:[^.?]{{0,50}}\b)?{ADV}{ACT}\b", s, IGNORECASE)
        and re.search(r"\b(?:em|bạn|nhé|nha|giúp|cho (?:anh|chị|tôi)|ghi|lại|trước khi)\b", s, IGNORECASE)
    ) and not _NOT_SO.search(s.replace(" lại", ""))
