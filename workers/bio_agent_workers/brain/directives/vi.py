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
    r"^\W*bắt đầu từ (?!hôm qua|năm ngoái)\w+|\b(?:từ|kể từ) (?:nay|giờ|bây giờ|rày|hôm nay|tuần sau|tháng sau|mai"
    r"|đây|thứ \w+|tháng \d+|ngày \d+)"
    r"|\bsau này\b(?! (?:tính|xem|bàn|hẵng|rồi tính))|\bvề sau\b|\btrở đi\b|\bkhỏi .{0,20} nữa\b",
    r"\bluôn(?: luôn)?\b|\blúc nào cũng\b|\blần nào cũng\b|\bbao giờ cũng\b|\bkhông bao giờ\b|\bđừng bao giờ\b"
    r"|\bchớ bao giờ\b|\bmãi\b|\bnhất (?:thiết|loạt|luật)\b|\btuyệt đối\b|\bmặc định\b|\bnghiêm cấm\b",
    r"\bmỗi (?:lần|khi|ngày|tuần|tháng|đêm|sáng|tối|năm|commit|bản|đơn|hóa đơn|file|PR)|\bmọi\b|\bhễ\b"
    r"|\bcứ (?:mỗi|khi|hễ|trước|sau|thứ|cuối|đầu|sáng|chiều|tối)|\btất cả\b|\btoàn bộ\b|\bai cũng\b|\bbất (?:kỳ"
    r"|kể|cứ)\b|\bdù (?:có|cho"
    r"|thế nào)|\bcấm\b|\bkhông ngoại lệ\b|\bxuyên suốt\b|\btừ đầu (?:đến|tới) cuối\b|\bcho đến khi (?:anh|chị"
    r"|tôi) (?:nói|bảo)|\bhằng (?:ngày|tuần"
    r"|tháng)\b|\bhàng (?:ngày|tuần|tháng)\b|\btrừ khi (?:anh|chị|tôi|mình)\b|\blần sau\b|\bthống nhất\b"
    r"|\bcác\b",
)
STRONG = _c(
    r"^\W*bắt đầu từ (?:thứ|tuần sau|tháng|mai|ngày mai|nay|giờ|bây giờ|hôm nay)\b|\b(?:từ|kể từ) (?:nay|giờ"
    r"|bây giờ|rày|hôm nay|đây|mai|tuần sau|tháng sau)\b|\btrở đi\b|\bvề sau\b"
    r"|\bsau này\b|\bkhông bao giờ\b|\bđừng bao giờ\b|\btuyệt đối\b|\bcho đến khi (?:anh|chị|tôi) (?:nói|bảo)"
)
ONE_OFF = _c(
    r"\b(?:lần|hôm|bữa|tuần|tháng|sáng|chiều|tối|đợt|phen|buổi|chuyến) (?:này|nay)\b(?! trở đi)"
    r"|\btạm(?: thời)?\b|\btrước mắt\b|\bmột lần (?:này|thôi)\b|\bchỉ (?:lần|hôm|bữa|riêng) (?:này|nay)"
    r"|\bngoại lệ lần\b|\bngày mai\b|\bhiện giờ\b|\bbây giờ\b|\bngay (?:đi|bây giờ)\b|\b(?:PR|commit|file|nhánh"
    r"|đơn|phiếu|hóa đơn|bản|việc) (?:này|đó|kia)\b|\bđể (?:mai|lát|tí)\b|\blát nữa\b"
    r"|^\W*(?:em )?(?!lần nào|khi nào)\w+ xong (?!mỗi|từng|bất)[^,.]{0,30}\bthì\b"  # "when you are done": one task
)
_FROM_TODAY = re.compile(r"\b(?:từ|kể từ) (?:hôm|bây giờ|bây|ngày|tuần|tháng)? ?(?:nay|giờ|mai|này)\b", _I)
HYPOTHETICAL = _c(
    r"\bchưa (?:chắc|quyết|nghĩ xong)\W*$|\b(?:đáng (?:lẽ|ra|lý)|lẽ ra|giá mà|phải chi)\b|^\W*phải (?:công nhận"
    r"|nói|thừa nhận|chăng|rồi|không)\b"
    r"|^\W*nếu (?:đây|mình|chúng ta|anh|chị|tôi) (?:là|làm)\b|\bgiả (?:sử|dụ|thử|như)\b|\bthử (?:tưởng tượng"
    r"|hình dung|nghĩ)|\btưởng tượng\b"
    r"|\bnếu như\b[^,]*\b(?:thì sao|sẽ ra sao|thế nào)|\bcó thể (?:mình|anh|chị|tôi|sẽ|là|sau)|\bcó lẽ\b"
    r"|\bchắc (?:là|mình|anh|sẽ|cũng)\b|^\W*chắc\b(?! chắn)|\bbiết đâu\b|\bhay là\b|\bđang (?:tính|nghĩ"
    r"|cân nhắc)\b|\bkhông biết\b(?! thì)|\bphân vân\b|\bước gì\b|\bbao giờ (?:rảnh|xong)\b"
    r"|\bmai mốt\b|\bhình như\b"
)
PAST = _c(
    r"\b(?:nhiều|mấy|vài|hai|ba|bốn|năm|mười|\d+) (?:năm|tháng|tuần|thập kỷ) trước\b"
    r"|\b(?:xưa kia|thuở|hè năm ngoái|đông năm ngoái)\b",
    r"\b(?:hồi|ngày|thời|lúc) (?:trước|xưa|đó|ấy|còn)\b|\bngày xưa\b|\btrước đây\b|\bdạo (?:trước|đó|ấy)\b"
    r"|\bhồi\b|\bnăm (?:ngoái|trước|kia|20\d\d)\b|\b(?:tuần|tháng|hôm|lần) (?:trước|qua|rồi)\b|\bhôm qua\b"
    r"|\bđã từng\b|\btừng\b|\bvừa (?:rồi|nãy)\b|\blúc nãy\b|\bhôm kia\b|\b(?:anh|chị|tôi|mình|em|bọn \w+) đã\b",
)
THIRD = _c(
    r"^\W*(?:em (?:gái|trai)|chị gái|anh trai|bố|ba|mẹ|má|con (?:gái|trai)|vợ|chồng|bạn(?: thân)?)(?: (?:anh|chị"
    r"|tôi|mình))? (?:không bao giờ|luôn|hay|thường|lúc nào)\b",
    r"^\W*(?:nhưng |mà |thì |à |ừ,? )?(?:họ|nó|hắn|ông (?:ấy|ta|\w+)|bà (?:ấy|ta|\w+)|anh (?:ấy|ta"
    r"|(?-i:[A-ZĐ]\w+))|chị (?:ấy|ta|(?-i:[A-ZĐ]\w+))|cô (?:ấy|ta|(?-i:[A-ZĐ]\w+))|người ta|thiên hạ|sếp(?: cũ"
    r"| anh| chị)?|đối (?:tác|thủ)|nhiều người|có người|một số|bạn anh|vợ anh|chồng chị|hàng xóm"
    r"|đồng nghiệp(?: cũ)?)\b",
    r"\bcủa (?:họ|người ta|nó|bên kia|ông ấy|bà ấy)\b|\bbên (?:kia|đó|ấy|họ|phòng|nhóm|đội|kế|kho|nhà máy"
    r"|(?-i:[A-ZĐ]))\w*|\b(?:phòng|nhóm|đội|công ty|nhà máy|chi nhánh) (?:\w+ ){0,3}(?:kia|đó|ấy|bên ấy|bên đó"
    r"|người ta|họ)\b|\b(?:họ|người ta|ông ấy|sếp cũ) (?:hay|luôn|thường|bảo|nói|cấm|bắt)\b|\b(?:tài liệu|sách"
    r"|bài viết|trang web|hướng dẫn|diễn đàn|quảng cáo|trên mạng) (?:\w+ ){0,3}(?:ghi|viết|nói|bảo|khuyên)\b"
    r"|\b(?:sếp|thầy|bạn|khách|giám đốc|trưởng phòng)(?: (?:anh|chị|tôi|mình|cũ|mới))? (?:hay |vừa |mới "
    r"|cứ )?(?:bảo|nói|dặn|kể|khuyên)\b(?! thì\b)|^\W*(?!anh|chị|tôi|mình|em\b|từ|nhớ|hãy|đừng|đã"
    r"|quy)[^,.?]{1,24}?\b(?<!đảm )(?:(?:bảo|khuyên|dặn|cảnh báo)(?: là| rằng)?|(?:ghi|viết|nói) (?:là"
    r"|rằng)) (?:phải|không"
    r"|đừng|luôn(?= \w)|nên|cấm|chớ|mọi|mỗi|chỉ)\b|, (?!trừ|nếu|khi|anh|chị|tôi|em|mình)[^,.]{2,20}\b(?:ghi"
    r"|viết|nói|bảo"
    r"|dặn)(?: vậy| thế| rồi)?\W*$|\bcó người (?:bảo|nói)\b|\bnghe (?:nói|đồn|bảo)\b|\bkhông liên quan\b",
)
DENIAL = _c(
    r"\bý (?:anh|chị|tôi|mình) (?:đâu |có )?không phải\b|\bkhông có nghĩa\b|\bchưa chắc\b(?! thì)",
    r"\b(?:đâu|có|chưa|không|chẳng) (?:có |hề |bao giờ )*(?:nói|bảo|bắt|cấm|yêu cầu|dặn)(?! (?:anh|lại|trước"
    r"|cho))\b(?=.*\b(?:đâu|là|cấm|phải|không)\b)|\bđâu (?:có )?(?:nói|bảo|bắt|cấm|yêu cầu|nhất thiết)"
    r"|\bkhông (?:phải|có nghĩa)(?: là)? (?:lúc nào|cấm|luôn|bắt|anh|mỗi|ai|mọi)|\bkhông (?:nhất thiết"
    r"|cần) (?:phải |lúc nào |lần nào |luôn )|\bai (?:nói|bảo)\b|\bđâu phải\b",
)
JEST = _c(
    r"\bai (?:cần|thèm)\b.*\b(?:làm gì|làm chi|đâu)\b|(?<!không )(?<!đừng )(?<!cấm )(?<!được )\bđùa\b"
    r"|\bgiỡn\b|\bhaha|\bhihi|\bkaka|\bhề hề|\bnói chơi"
    r"|\bcho vui\b|😂|🤣|😏|🙃|=\)\)|:\)\)|\bhay nhỉ\b"
    r"|\bgiỏi nhỉ\b|\btuyệt nhỉ\b|\bhay ghê\b"
)
SELF = _c(
    r"^\W*(?:dạ,? |vâng,? |ừ,? |ok,? |thôi,? )?(?:anh|chị|tôi|mình|tao|em) (?:sẽ|hứa|xin|toàn|hay|luôn|lúc nào"
    r"|thường|cũng|không bao giờ|chưa bao giờ|chẳng bao giờ|mà)\b(?! (?:phải|nhớ|được|nên))|^\W*cảm ơn"
    r"|^\W*cám ơn|^\W*em (?:luôn|lúc nào cũng) (?:\w+ )?(?:giỏi|nhanh|tốt|chậm|quên)"
)
COMPLAINT = _c(
    r"\b(?:lúc nào|lần nào|luôn|toàn|mỗi lần|bao giờ|ngày nào|mọi|tất cả)\b[^,.;]{0,28}\b(?:lỗi|hỏng|chậm|treo"
    r"|sập|quên|thất bại|hết hạn|đứng|đơ|trễ|vậy|thế|như thế|mệt|chán|rớt|hư|kẹt)\b(?! (?:thì|phải))|\bbực\b"
    r"|\bchán (?:ghê|thật|quá)\b|\bmệt (?:ghê|thật|quá)\b"
)
_FROM_NOW = _c(
    r"\b(?:từ|kể từ) (?:nay|giờ|bây giờ|rày|hôm nay|đây|mai|tuần sau|tháng sau)\b|\btrở đi\b|\bvề sau\b|\bsau này\b"
)
# "than last month" compares, it does not tell of the past.
_COMPARED = re.compile(r"\b(?:so với|như|hơn) (?:hôm|ngày|tuần|tháng|năm|kỳ|quý|lần) (?:trước|qua|ngoái|kia)\b", _I)
QUESTION = _c(
    r"\?\s*$|\b(?:không|chưa|sao|gì|đâu|nào|nhỉ|hả|à|ư|chứ)\s*\?|\btại sao\b|\bvì sao\b|\bsao (?:em|lúc nào|lại"
    r"|cứ|phải)\b|\blàm sao\b|\bthế nào\b|\bbao nhiêu\b|\bcó phải\b|\bcó nên\b|\bở đâu\b"
)
POLITE = _c(
    r"\b(?:được không|được chứ|nhé|nha|giúp (?:anh|chị|tôi|mình) (?:được|nhé|với)"
    r"|có thể\b.*\bgiúp)\b[^?]*\?\s*$|\b(?:phiền|nhờ|mong|làm ơn|vui lòng|xin)\b"
)
REMEMBER = _c(
    r"^\W*(?:này,? |à,? |em |bạn |hãy |làm ơn |vui lòng |và |nhờ em |thêm (?:một )?(?:điều|ý)(?: nữa)?[:,]? "
    r"|nhân tiện,? )*(?:nhớ (?!hồi|ngày|không|lúc trước|lần trước|mang|quá|lại|ra)|ghi nhớ\b|đừng quên\b"
    r"|lưu ý\b|ghi chú\b|ghi lại(?: là\b| rằng\b|\s*:)|lưu lại (?:là|rằng)|(?:một )?(?:điều|thứ|việc) cần nhớ\b)"
)
FORBID = _c(
    r"(?:^|[,;:.—-]\s*|\b(?:thôi|nhớ|xin|hãy|em|bạn|và|nhưng|thì|nên|là|nay|giờ|đi|sau|này|người|ai|vui lòng"
    r"|làm ơn) )(?:đừng|chớ|không (?:được|nên|cho phép|để|dùng|ghi|viết|gửi|xóa|sửa|chạy|đẩy|đụng|commit|push"
    r"|chèn|đưa|in|tự|lưu|gọi|cho|thêm|làm)|cấm|nghiêm cấm|tuyệt đối không|miễn|khỏi|tránh)\b",
    r"\b(?:không được(?: phép)?|nghiêm cấm|cấm|tuyệt đối không|không bao giờ(?: được)?|đừng bao giờ|chớ|đừng)\b",
)
REQUIRE = _c(
    r"\b(?:vui lòng|làm ơn|xin|phải|cần(?: phải)?|nên|bắt buộc|buộc|hãy|nhớ|chỉ (?:được|dùng|gửi|khi|có|nên"
    r"|chạy|ghi)|mới (?:được|ghi|gửi|chạy|làm)|trước khi|rồi mới|thì (?:mới|luôn|cứ|gửi|chạy|báo|hỏi|ghi|dùng"
    r"|hủy|để|dừng|chuyển|gọi|làm)|nhé|nha|giúp (?:anh|chị|tôi|mình)|đi nhé|được phép|có thể)\b"
)
PREFER = _c(
    r"\b(?:anh|chị|tôi|mình) (?:rất |không |chẳng |chỉ |vẫn |cũng )*(?:thích|muốn|ưa|ghét|mong|ngại|khoái"
    r"|prefer)\b(?! (?:xem lại|hỏi|biết|nói|ăn|uống|đi|về|ngủ|nghỉ|cái (?:này|đó|thứ|đầu)))|\b(?:anh|chị"
    r"|tôi) (?:chịu|đọc) không nổi\b"
)
_LABEL = _c(
    r"^\W*(?:quy (?:định|tắc|ước)|nguyên tắc|luật|nội quy|lệ)(?! (?:cũ|trước|hồi))(?: (?:mới|chung|của (?:nhóm"
    r"|mình|anh|công ty|dự án|bên mình)))* ?[:]"
)
CONVENTION = _c(
    r"^\W*(?:(?:ở|trong|với) )?(?:đây|ở đây|bên mình|nhóm mình|team mình|đội mình|công ty mình|dự án này"
    r"|repo này|chỗ mình|nhà mình|bên này|tụi mình|chúng ta|mình)\b[^.?]*\b(?:không|chỉ|luôn|dùng|ai cũng|đều"
    r"|cấm|thống nhất|viết|ghi|quen|thôi|vào thứ)\b(?!.*\b(?:được chưa|chưa xong)\b)",
    r"^\W*(?:quy (?:định|tắc|ước)(?: mới| chung)?|nguyên tắc|luật|nội quy|ngoại lệ|lệ)\b(?! của (?!mình|nhóm mình"
    r"|team|công ty|dự án|bên mình|chúng ta|tụi mình|anh\b|chị\b|tôi\b))"
    r"(?! (?:cũ|trước|hồi"
    r"|của họ|của khách|bên))[^:.]{0,24}(?::|\blà\b)|^\W*riêng\b[^.]*\bthì\b",
)
CONDITION = _c(
    r"\b(?:khi|nếu|hễ|trường hợp|lúc|trước khi|sau khi|quá|trên|dưới|từ|chưa có|thiếu|trùng|gặp|mỗi khi"
    r"|mà)\b.*\bthì\b"
)
_DEFINITE = _c(r"(?<!sau )\b(?:này|đó|kia|ấy|vừa rồi|ban nãy)\b")
_DONE = r"(?!.*\b(?:đã|rồi|xong|hết|bị|vừa|đang|sáng nay|hôm nay|đều (?:qua|ổn|tốt|chạy))\b)"
# A quantified or timed topic first makes a general statement ("mọi file đặt tên theo ngày"); as an object it is a task.
_TOPIC = _c(
    rf"^\W*{_DONE}(?:mọi(?! người\b(?! phải))|mỗi|tất cả|toàn bộ|bất kỳ|khoản nào|đơn nào|ai)\b.*\b(?:phải|đều"
    rf"|cần|cũng|đặt|ghi|dùng|gửi|để|làm|lưu|chuyển|tính|qua|theo|không|có(?! (?:một|hai|ba|bốn|năm|sáu|bảy|tám"
    rf"|chín|mười|\d)))\b",
    rf"^\W*{_DONE}(?:(?:vào )?(?:ngày (?:lễ|nghỉ|thường)|cuối tuần|chủ nhật|thứ \w+|ban đêm|ngoài giờ|buổi \w+"
    rf"|cuối tháng|đầu tháng)) .*\b(?:không|chỉ|luôn|phải|đừng)\b",
)
_HABIT = _c(
    r"^\W*(?!anh|tôi|chị|em|họ|nó|mình|hôm|lần)[^,.?]{3,40}? (?:ghi|viết|đặt tên|tính|làm tròn"
    r"|trình bày) (?:theo|bằng|kiểu|đến)\b",
    r"^\W*(?!anh|tôi|chị|em|họ|nó|mình|hôm|lần)[^,.?]{3,50}? chỉ (?:cấp|cho|dùng|được|gửi|nhận|xem|giao|mở|lưu"
    r"|bán|trả)\b",
    r"^\W*(?:gặp|khi|nếu|hễ|lúc|thấy)\b[^.?]{3,60}\bthì (?!sao|thôi$|chết|hỏng|mất|hết|bị|nó|sẽ|đã|có thể"
    r"|được rồi|mình sẽ|anh sẽ|tôi sẽ|chắc|hay|tốt|chịu|mệt)\w+",
    r"^\W*(?!hôm|lần|bây|lúc|anh|tôi|chị|em|nó|họ)[^,.?]{8,60} thì (?:ghi|dùng|gửi|viết|để|làm|lưu|chuyển|tính"
    r"|gộp|báo|hỏi|chờ|trả|đặt|xuất|nhập|cộng|trừ|làm tròn)\b",
    r"^\W*chỉ (?:dùng|được|khi|nên|gửi|nhận|viết|ghi|lưu|xuất|nhập)\b",
    r"^\W*(?:trả lời|viết|giải thích|báo cáo|nói|tóm tắt)\b[^.?]*\b(?:ngắn|gọn|rõ ràng|chi tiết|lịch sự"
    r"|đơn giản|đừng dài)\b",
)
_VERB_FIRST = _c(
    r"^\W*(?:(?:từ nay|từ giờ|từ bây giờ|từ mai|về sau|sau này|kể từ \w+ \w+|mỗi lần"
    r"|mỗi khi)[^,]{0,40},? )?(?:em |bạn |hãy |cứ |nhớ |vui lòng |làm ơn |xin )*(?:dùng|gửi|chạy|ghi|viết|đặt"
    r"|báo|hỏi|kiểm tra|sao lưu|lưu|trả lời|gọi|nộp|tạo|để|làm|giữ|xóa|sửa|cập nhật|đính kèm|thêm|bỏ|đẩy|mở"
    r"|đóng|ký|duyệt|đếm|tính|làm tròn|in|xuất|nhập|chuyển|thông báo|xác nhận|nhắc|trình bày|format|commit|push"
    r"|review|tag|test|deploy|rebase|squash)\b"
)


def negative(sentence: str) -> bool:
    body = re.sub(
        r"(?:có )?được không\W*$|\bthôi(?: nhé| nha| ạ)?\W*$|không ngoại lệ|không những|không chỉ|không quá"
        r"|đừng quên|nếu không|không thì",
        "",
        sentence,
        flags=_I,
    )
    # The first clause that asks or forbids tells: "nhớ hỏi lại khi không chắc, đừng đoán" asks to ask.
    body = re.sub(r"^[^,;]*\bthì\b", "", body, flags=_I)  # the condition is not the rule
    for clause in re.split(r"[,;:.!]", re.sub(r"\b(?:khi|lúc|nếu|chỗ nào|gì) (?:không|chưa) \w+", "", body, flags=_I)):
        if FORBID.search(clause) or re.search(r"\b(?:không|đừng|cấm|chớ|ghét|tránh|khỏi|thôi|bớt|dẹp)\b", clause, _I):
            return True
        if re.search(r"\b(?:nhớ|hãy|cứ|luôn|phải|nên|dùng|gọi|thống nhất|bắt buộc)\b", clause, _I):
            return False
    return False


def directive(sentence: str, question: bool) -> bool:
    """Whether one sentence (quotes masked) is a standing directive."""
    s = sentence.strip()
    if DENIAL.search(s) or HYPOTHETICAL.search(s):
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
        return not _DEFINITE.search(s) and (
            permanent
            or bool(
                re.search(
                    r"\b(?:em|bạn|hơn|khi|trước|câu|báo cáo|ngắn|gọn|code|thấy|nhận|trả lời|thông báo|nữa"
                    r"|đọc)\b",
                    s,
                    _I,
                )
            )
        )
    if SELF.search(s) and not re.search(r"\b(?:phải|nhớ|nhé|nha)\b", s, _I):
        return False
    if COMPLAINT.search(s) and not REQUIRE.search(s):
        return False
    strong = bool(STRONG.search(s))
    if PAST.search(_COMPARED.sub(" ", s)) and not _FROM_NOW.search(s):
        return False
    if _LABEL.search(s):
        return True
    if CONVENTION.search(s) and not (_DEFINITE.search(s) and not re.search(r"\b(?:dự án|repo|bên) này\b", s, _I)):
        return True
    if FORBID.search(s):
        return permanent or (
            (
                bool(re.search(r"\bnữa\b|\bkhông được\b|\bcấm\b|\bnghiêm cấm\b|\bkhông nên\b", s, _I))
                or bool(
                    re.search(
                        r"(?:đừng|chớ|tránh|^\W*không)\s+\w+(?:\s+\w+)?\s+\w+.*\b(?:vào|trong|lên|cho|ở|khi"
                        r"|trước|bằng|vì|với|ra|qua|thay|theo|trực tiếp)\b",
                        s,
                        _I,
                    )
                )
            )
            and not _DEFINITE.search(s)
        )
    if re.match(r"^\W*(?:hễ|cứ|mỗi khi|khi nào|bất kỳ ai|ai)\b.*\bthì\b", s, _I):
        return True
    if _TOPIC.search(s) or _HABIT.search(s):
        return not _DEFINITE.search(s)
    if permanent and (REQUIRE.search(s) or _VERB_FIRST.search(s) or strong):
        return (
            bool(
                re.search(
                    r"\b(?:luôn|lúc nào cũng|lần nào cũng|bao giờ cũng|lần sau|mọi|mỗi|cứ|hễ|phải|bất k"
                    r"|mặc định|thống nhất|nhất)\b",
                    s,
                    _I,
                )
            )
            or strong
        )
    if CONDITION.search(s) and re.search(
        r"\b(?:phải|luôn|cần|mới|chỉ|nhớ|không|bắt buộc|được)\b|\bthì (?:cứ|gửi|chạy|báo|hỏi|ghi|dùng|hủy|để"
        r"|dừng|chuyển|gọi|trả|làm|xóa|sửa|lưu|thôi|khóa|mở|giữ|tạo|nhắc)\b",
        s,
        _I,
    ):
        return not _DEFINITE.search(s)
    if re.search(r"\b(?:trên|dưới|quá|từ|hơn)\b[^,.]*\d[^,.]*\bthì\b", s, _I) and not _DEFINITE.search(s):
        return True
    return (
        bool(
            re.search(
                r"\b(?:bắt buộc|phải(?! (?:một|hai|ba|bốn|năm|\d+|mất|tốn|chịu|trả giá|công nhận|đợi|chờ|không"
                r"|chăng)))\b|^\W*chỉ (?:được"
                r"|khi|nên)\b",
                s,
                _I,
            )
        )
        and not _DEFINITE.search(s)
        and not re.match(r"^\W*(?:anh|chị|tôi|mình|em)\b", s, _I)
    )
