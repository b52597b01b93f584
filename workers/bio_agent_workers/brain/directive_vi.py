"""What makes a Vietnamese sentence a standing directive: particles, modals, permanence, person, who is spoken of.

Patterns are matched on text with marks; text typed without marks is matched by the same patterns stripped of them, for
words that stay unambiguous so.
"""

from __future__ import annotations

import re

_I = re.IGNORECASE


def _c(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), _I)


_YOU = r"(?:em|bạn|mày|cậu|bot|trợ lý|các em|mọi người|chúng ta|tụi mình|bên mình|mình)"
PERMANENT = _c(
    r"\b(?:từ|kể từ) (?:nay|giờ|bây giờ|rày|hôm nay|tuần sau|tháng sau|mai|đây|thứ \w+|tháng \d+|ngày \d+)|\bsau này\b(?! (?:tính|xem|bàn|hẵng|rồi tính))|\bvề sau\b|\btrở đi\b|\bkhỏi .{0,20} nữa\b",
    r"\bluôn(?: luôn)?\b|\blúc nào cũng\b|\blần nào cũng\b|\bbao giờ cũng\b|\bkhông bao giờ\b|\bđừng bao giờ\b|\bchớ bao giờ\b|\bmãi\b|\bnhất (?:thiết|loạt|luật)\b|\btuyệt đối\b|\bmặc định\b|\bnghiêm cấm\b",
    r"\bmỗi (?:lần|khi|ngày|tuần|tháng|đêm|sáng|tối|năm|commit|bản|đơn|hóa đơn|file|PR)|\bmọi\b|\bhễ\b|\bcứ (?:mỗi|khi|hễ|trước|sau)|\btất cả\b|\btoàn bộ\b|\bai cũng\b|\bbất (?:kỳ|kể|cứ)\b|\bdù (?:có|cho|thế nào)|\bcấm\b|\bkhông ngoại lệ\b|\bcho đến khi (?:anh|chị|tôi) (?:nói|bảo)|\bhằng (?:ngày|tuần|tháng)\b|\bhàng (?:ngày|tuần|tháng)\b|\btrừ khi (?:anh|chị|tôi|mình)\b|\blần sau\b|\bthống nhất\b|\bcác\b",
)
STRONG = _c(
    r"\b(?:từ|kể từ) (?:nay|giờ|bây giờ|rày|hôm nay|đây|mai|tuần sau|tháng sau)\b|\btrở đi\b|\bvề sau\b|\bsau này\b|\bkhông bao giờ\b|\bđừng bao giờ\b|\btuyệt đối\b|\bcho đến khi (?:anh|chị|tôi) (?:nói|bảo)"
)
ONE_OFF = _c(
    r"\b(?:lần|hôm|bữa|tuần|tháng|sáng|chiều|tối|đợt|phen|buổi|chuyến) (?:này|nay)\b(?! trở đi)|\btạm(?: thời)?\b|\btrước mắt\b|\bmột lần (?:này|thôi)\b|\bchỉ (?:lần|hôm|bữa|riêng) (?:này|nay)|\bngoại lệ lần\b|\bngày mai\b|\bhiện giờ\b|\bbây giờ\b|\bngay (?:đi|bây giờ)\b|\b(?:PR|commit|file|nhánh|đơn|phiếu|hóa đơn|bản|việc) (?:này|đó|kia)\b|\bđể (?:mai|lát|tí)\b|\blát nữa\b"
)
_FROM_TODAY = re.compile(r"\b(?:từ|kể từ) (?:hôm|bây giờ|bây|ngày|tuần|tháng)? ?(?:nay|giờ|mai|này)\b", _I)
HYPOTHETICAL = _c(
    r"\bgiả (?:sử|dụ|thử|như)\b|\bthử (?:tưởng tượng|hình dung|nghĩ)|\btưởng tượng\b|\bnếu như\b[^,]*\b(?:thì sao|sẽ ra sao|thế nào)|\bcó thể (?:mình|anh|chị|tôi|sẽ|là|sau)|\bcó lẽ\b|\bchắc (?:là|mình|anh|sẽ|cũng)\b|^\W*chắc\b(?! chắn)|\bbiết đâu\b|\bhay là\b|\bđang (?:tính|nghĩ|cân nhắc)\b|\bkhông biết\b|\bphân vân\b|\bước gì\b|\bbao giờ (?:rảnh|xong)\b|\bmai mốt\b|\bhình như\b"
)
PAST = _c(
    r"\b(?:hồi|ngày|thời|lúc) (?:trước|xưa|đó|ấy|còn)\b|\bngày xưa\b|\btrước đây\b|\bdạo (?:trước|đó|ấy)\b|\bhồi\b|\bnăm (?:ngoái|trước|kia|20\d\d)\b|\b(?:tuần|tháng|hôm|lần) (?:trước|qua|rồi)\b|\bhôm qua\b|\bđã từng\b|\btừng\b|\bvừa (?:rồi|nãy)\b|\blúc nãy\b|\bhôm kia\b|\b(?:anh|chị|tôi|mình|em|bọn \w+) đã\b"
)
THIRD = _c(
    r"^\W*(?:nhưng |mà |thì |à |ừ,? )?(?:họ|nó|hắn|ông (?:ấy|ta|\w+)|bà (?:ấy|ta|\w+)|anh (?:ấy|ta|[A-ZĐ]\w+)|chị (?:ấy|ta|[A-ZĐ]\w+)|cô (?:ấy|ta|[A-ZĐ]\w+)|người ta|thiên hạ|sếp(?: cũ| anh| chị)?|đối (?:tác|thủ)|nhiều người|có người|một số|bạn anh|vợ anh|chồng chị|hàng xóm|đồng nghiệp(?: cũ)?)\b",
    r"\bbên (?:kia|đó|ấy|họ|phòng|nhóm|đội|kế|kho|nhà máy|[A-ZĐ])\w*|\b(?:phòng|nhóm|đội|công ty|nhà máy|chi nhánh) (?:\w+ ){0,3}(?:kia|đó|ấy|bên ấy|bên đó|người ta|họ)\b|\b(?:họ|người ta|ông ấy|sếp cũ) (?:hay|luôn|thường|bảo|nói|cấm|bắt)\b|\b(?:tài liệu|sách|bài viết|trang web|hướng dẫn|diễn đàn|quảng cáo|trên mạng) (?:\w+ ){0,3}(?:ghi|viết|nói|bảo|khuyên)\b|\bnghe (?:nói|đồn|bảo)\b|\bkhông liên quan\b",
)
DENIAL = _c(
    r"\b(?:đâu|có|chưa|không|chẳng) (?:có |hề |bao giờ )*(?:nói|bảo|bắt|cấm|yêu cầu|dặn)(?! (?:anh|lại|trước|cho))\b(?=.*\b(?:đâu|là|cấm|phải|không)\b)|\bđâu (?:có )?(?:nói|bảo|bắt|cấm|yêu cầu|nhất thiết)|\bkhông (?:phải|có nghĩa)(?: là)? (?:lúc nào|cấm|luôn|bắt|anh|mỗi|ai|mọi)|\bkhông (?:nhất thiết|cần) (?:phải |lúc nào |lần nào |luôn )|\bai (?:nói|bảo)\b|\bđâu phải\b"
)
JEST = _c(r"\bđùa\b|\bgiỡn\b|\bhaha|\bhihi|\bkaka|\bhề hề|\bnói chơi|\bcho vui\b|😂|🤣|😏|🙃|=\)\)|:\)\)|\bhay nhỉ\b|\bgiỏi nhỉ\b|\btuyệt nhỉ\b|\bhay ghê\b")
SELF = _c(
    r"^\W*(?:dạ,? |vâng,? |ừ,? |ok,? |thôi,? )?(?:anh|chị|tôi|mình|tao|em) (?:sẽ|hứa|xin|toàn|hay|luôn|lúc nào|thường|cũng|không bao giờ|chưa bao giờ|chẳng bao giờ|mà)\b(?! (?:phải|nhớ|được|nên))|^\W*cảm ơn|^\W*cám ơn|^\W*em (?:luôn|lúc nào cũng) (?:\w+ )?(?:giỏi|nhanh|tốt|chậm|quên)"
)
COMPLAINT = _c(
    r"\b(?:lúc nào|lần nào|luôn|toàn|mỗi lần|bao giờ|ngày nào|mọi|tất cả)\b[^,.;]{0,28}\b(?:lỗi|hỏng|chậm|treo|sập|quên|thất bại|hết hạn|đứng|đơ|trễ|vậy|thế|như thế|mệt|chán|rớt|hư|kẹt)\b(?! (?:thì|phải))|\bbực\b|\bchán (?:ghê|thật|quá)\b|\bmệt (?:ghê|thật|quá)\b"
)
_FROM_NOW = _c(r"\b(?:từ|kể từ) (?:nay|giờ|bây giờ|rày|hôm nay|đây|mai|tuần sau|tháng sau)\b|\btrở đi\b|\bvề sau\b|\bsau này\b")
# "than last month" compares, it does not tell of the past.
_COMPARED = re.compile(r"\b(?:so với|như|hơn) (?:hôm|ngày|tuần|tháng|năm|kỳ|quý|lần) (?:trước|qua|ngoái|kia)\b", _I)
QUESTION = _c(r"\?\s*$|\b(?:không|chưa|sao|gì|đâu|nào|nhỉ|hả|à|ư|chứ)\s*\?|\btại sao\b|\bvì sao\b|\bsao (?:em|lúc nào|lại|cứ|phải)\b|\blàm sao\b|\bthế nào\b|\bbao nhiêu\b|\bcó phải\b|\bcó nên\b|\bở đâu\b")
POLITE = _c(r"\b(?:được không|được chứ|nhé|nha|giúp (?:anh|chị|tôi|mình) (?:được|nhé|với)|có thể\b.*\bgiúp)\b[^?]*\?\s*$|\b(?:phiền|nhờ|mong|làm ơn|vui lòng|xin)\b")
REMEMBER = _c(r"^\W*(?:này,? |à,? |em |bạn |hãy |làm ơn |vui lòng |và |nhờ em |thêm (?:một )?(?:điều|ý)(?: nữa)?[:,]? |nhân tiện,? )*(?:nhớ (?!hồi|ngày|không|lúc trước|lần trước|mang|quá|lại|ra)|ghi nhớ\b|đừng quên\b|lưu ý\b|ghi chú\b|ghi lại(?: là| rằng)?\b|lưu lại (?:là|rằng)|(?:một )?(?:điều|thứ|việc) cần nhớ\b)")
FORBID = _c(
    r"(?:^|[,;:.—-]\s*|\b(?:thôi|nhớ|xin|hãy|em|bạn|và|nhưng|thì|nên|là|nay|giờ|đi|sau|này|người|ai|vui lòng|làm ơn) )(?:đừng|chớ|không (?:được|nên|cho phép|để|dùng|ghi|viết|gửi|xóa|sửa|chạy|đẩy|đụng|commit|push|chèn|đưa|in|tự|lưu|gọi|cho|thêm|làm)|cấm|nghiêm cấm|tuyệt đối không|miễn|khỏi|tránh)\b",
    r"\b(?:không được(?: phép)?|nghiêm cấm|cấm|tuyệt đối không|không bao giờ(?: được)?|đừng bao giờ|chớ|đừng)\b",
)
REQUIRE = _c(r"\b(?:phải|cần(?: phải)?|nên|bắt buộc|buộc|hãy|nhớ|chỉ (?:được|dùng|gửi|khi|có|nên|chạy|ghi)|mới (?:được|ghi|gửi|chạy|làm)|trước khi|rồi mới|thì (?:mới|luôn|cứ|gửi|chạy|báo|hỏi|ghi|dùng|hủy|để|dừng|chuyển|gọi|làm)|nhé|nha|giúp (?:anh|chị|tôi|mình)|đi nhé|được phép|có thể)\b")
PREFER = _c(r"\b(?:anh|chị|tôi|mình) (?:rất |không |chẳng |chỉ |vẫn |cũng )*(?:thích|muốn|ưa|ghét|mong|ngại|khoái|prefer)\b(?! (?:xem lại|hỏi|biết|nói|ăn|uống|đi|về|ngủ|nghỉ|cái (?:này|đó|thứ|đầu)))|\b(?:anh|chị|tôi) (?:chịu|đọc) không nổi\b")
CONVENTION = _c(
    r"^\W*(?:ở đây|bên mình|nhóm mình|team mình|đội mình|công ty mình|dự án này|repo này|chỗ mình|nhà mình|bên này|tụi mình|chúng ta|mình)\b[^.?]*\b(?:không|chỉ|luôn|dùng|ai cũng|đều|cấm|thống nhất|viết|ghi|quen)\b(?!.*\b(?:được chưa|chưa xong)\b)",
    r"^\W*(?:quy (?:định|tắc|ước)(?: mới| chung)?|nguyên tắc|luật|nội quy|ngoại lệ|lệ)\b[^:.]{0,24}(?::|\blà\b)|^\W*riêng\b[^.]*\bthì\b",
)
CONDITION = _c(r"\b(?:khi|nếu|hễ|trường hợp|lúc|trước khi|sau khi|quá|trên|dưới|từ|chưa có|thiếu|trùng|gặp|mỗi khi|mà)\b.*\bthì\b")
_DEFINITE = _c(r"\b(?:này|đó|kia|ấy|vừa rồi|ban nãy)\b")
_VERB_FIRST = _c(
    r"^\W*(?:(?:từ nay|từ giờ|từ bây giờ|từ mai|về sau|sau này|kể từ \w+ \w+|mỗi lần|mỗi khi)[^,]{0,40},? )?(?:em |bạn |hãy |cứ |nhớ |vui lòng |làm ơn |xin )*(?:dùng|gửi|chạy|ghi|viết|đặt|báo|hỏi|kiểm tra|sao lưu|lưu|trả lời|gọi|nộp|tạo|để|làm|giữ|xóa|sửa|cập nhật|đính kèm|thêm|bỏ|đẩy|mở|đóng|ký|duyệt|đếm|tính|làm tròn|in|xuất|nhập|chuyển|thông báo|xác nhận|nhắc|trình bày|format|commit|push|review|tag|test|deploy|rebase|squash)\b"
)


def negative(sentence: str) -> bool:
    body = re.sub(r"không ngoại lệ|không những|không chỉ|không quá|đừng quên|nếu không|không thì", "", sentence, flags=_I)
    return bool(FORBID.search(body) or re.search(r"\b(?:không|đừng|cấm|chớ|ghét|tránh|khỏi|thôi)\b", body, _I))


def directive(sentence: str, question: bool, turn: str) -> bool:
    """Whether one sentence (quotes masked) is a standing directive."""
    s = sentence.strip()
    if JEST.search(turn) or DENIAL.search(s) or HYPOTHETICAL.search(s):
        return False
    permanent = bool(PERMANENT.search(s))
    if question or QUESTION.search(s):
        return bool(POLITE.search(s)) and permanent and not re.search(r"\btại sao\b|\bsao \w+\b(?!.*được không)", s, _I)
    if ONE_OFF.search(_FROM_TODAY.sub(" ", s)) and not STRONG.search(s):
        return False
    if REMEMBER.search(s):
        return len(s.split()) > 2
    if THIRD.search(s) and not re.search(r",\s*(?:còn |nhưng )?(?:em|mình|bên mình|từ nay|đừng)\b", s, _I):
        return False
    if PREFER.search(s):
        return not _DEFINITE.search(s) and (permanent or bool(re.search(r"\b(?:em|bạn|hơn|khi|trước|câu|báo cáo|ngắn|gọn|code|thấy|nhận|trả lời|thông báo|nữa|đọc)\b", s, _I)))
    if SELF.search(s) and not re.search(r"\b(?:phải|nhớ|nhé|nha)\b", s, _I):
        return False
    if COMPLAINT.search(s) and not REQUIRE.search(s):
        return False
    strong = bool(STRONG.search(s))
    if PAST.search(_COMPARED.sub(" ", s)) and not _FROM_NOW.search(s):
        return False
    if CONVENTION.search(s) and not (_DEFINITE.search(s) and not re.search(r"\b(?:dự án|repo|bên) này\b", s, _I)):
        return True
    if FORBID.search(s):
        return permanent or (bool(re.search(r"\bnữa\b|\bkhông được\b|\bcấm\b|\bnghiêm cấm\b|\bkhông nên\b", s, _I)) or bool(re.search(r"(?:đừng|chớ|tránh)\s+\w+(?:\s+\w+)?\s+\w+.*\b(?:vào|trong|lên|cho|ở|khi|trước|bằng|vì|trực tiếp)\b", s, _I))) and not _DEFINITE.search(s)
    if re.match(r"^\W*(?:hễ|cứ|mỗi khi|khi nào|bất kỳ ai|ai)\b.*\bthì\b", s, _I):
        return True
    if permanent and (REQUIRE.search(s) or _VERB_FIRST.search(s) or strong):
        return bool(re.search(r"\b(?:luôn|mọi|mỗi|cứ|hễ|phải|tất cả|toàn bộ|bất k|mặc định|thống nhất|nhất)\b", s, _I)) or strong
    if CONDITION.search(s) and re.search(r"\b(?:phải|luôn|cần|mới|chỉ|nhớ|không|bắt buộc|được)\b|\bthì (?:cứ|gửi|chạy|báo|hỏi|ghi|dùng|hủy|để|dừng|chuyển|gọi|trả|làm|xóa|sửa|lưu|thôi|khóa|mở|giữ|tạo|nhắc)\b", s, _I):
        return not _DEFINITE.search(s)
    return bool(re.search(r"\b(?:bắt buộc|phải)\b|^\W*chỉ (?:được|khi|nên)\b", s, _I)) and not _DEFINITE.search(s) and not re.match(r"^\W*(?:anh|chị|tôi|mình|em)\b", s, _I)
