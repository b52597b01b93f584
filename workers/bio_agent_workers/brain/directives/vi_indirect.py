"""Standing directives that Vietnamese says indirectly: a habit asked for, a wish about what the agent does, a manner to give
up, how things are done here, a trait of the owner's and what follows from it; and facts about one thing, which are none.
"""

from __future__ import annotations

import re

_I = re.IGNORECASE


def _c(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), _I)


_LEAD = (
    r"^\W*(?:(?:em|bạn|cậu|mày|hãy|nhớ|nên|phải|cần|cố|cố gắng|làm ơn|xin|vui lòng|nhờ em|nhờ bạn|phiền em|ráng|này"
    r"|à|thôi|rồi|giúp anh|giúp chị|giúp tôi"
    r"|từ nay|từ giờ|sau này|mong em|mong bạn|anh muốn em|chị muốn em|tôi muốn bạn)\b[\s,]*)*"
)
_HABIT = _c(
    rf"{_LEAD}(?:có thể )?(?:tập|tạo|giữ|hình thành|rèn|rèn luyện|xây dựng|luyện|duy trì)(?: (?:lấy|cho mình|cho em"
    rf"|dần))* (?:cái )?(?:thói quen|nếp)\b"
    rf"|{_LEAD}(?:có thể )?(?:tập|làm) (?:cho )?quen (?:với )?(?:việc |cách )?\w+"
)
_MADE = (
    r"(?:báo cáo|câu trả lời|trả lời|tin nhắn|e?mail|thư|file|code|commit|bản|bảng|tài liệu|tóm tắt|ghi chú|số liệu"
    r"|hợp đồng|hóa đơn|báo giá|biểu đồ|kế hoạch)"
)
_WISH = _c(
    rf"^\W*(?:anh |chị |tôi |mình )?(?:chỉ |rất |cũng )?(?:mong|mong là|mong rằng|mong sao|giá mà|giá như|giá"
    rf"|ước gì|ước|phải chi|hy vọng|hi vọng|ước sao)\b[^.?]{{0,24}}?\b(?:em|bạn|cậu|{_MADE})\b",
    rf"\b(?:sẽ|thì) (?:rất |thật )?(?:tốt|hay|tiện|đỡ|vui|tuyệt)(?: \w+)? (?:nếu|khi) (?:em|bạn|{_MADE})\b|\b(?:nếu"
    rf"|mà) (?:em|bạn|{_MADE})\b[^.?]*\bthì (?:tốt|hay|tiện|đỡ|tuyệt|quý)\b",
    r"^\W*(?:tốt nhất|hay nhất|tốt hơn|tốt hơn hết)(?: là)?,? (?:em|bạn|cứ|nên)\b",
)
_WISH_ALWAYS = _c(
    r"\b(?:luôn|lúc nào|lần nào|mỗi|mọi|nào cũng|đừng|không|trước khi|trước|sau khi|khi|hàng|hằng|bất cứ|bất kỳ"
    r"|tất cả|đều|bớt|thôi|ngừng|chỉ)\b"
)
_WAY = r"(?:kiểu|thói|tật|trò|lối|cách|việc|chuyện|màn|vụ)"
_GIVES_UP = _c(
    rf"{_LEAD}(?:bớt|hạn chế|giảm|đỡ|tiết chế)(?: lại| bớt)? (?:mấy|những|các|cái|dùng|nói|viết|chèn|hỏi|thêm"
    rf"|{_WAY}|lời|câu|chữ|xã giao|dài dòng|rườm rà|lan man|vòng vo|khách sáo|màu mè"
    r"|hoa mỹ|icon|emoji|biểu tượng|sử dụng|lạm dụng|đưa|kèm)\b",
    rf"{_LEAD}(?:thôi|ngừng|ngưng|dẹp|chấm dứt|bỏ|chừa|dừng)(?: ngay| hẳn| luôn| giúp anh| giúp tôi| giùm)* (?:cái "
    rf"|cái |mấy |các |những )?{_WAY}\b",
    r"^\W*(?:em |bạn |nhớ )*(?:làm ơn|xin|vui lòng|em|bạn|hãy)(?: em| bạn| hãy)* (?:thôi|ngừng|ngưng|đừng)(?: ngay"
    r"| hẳn)? (?!nhé|nha|đi\b|mà|được|máy|chạy máy|việc)\w+",
    rf"\b(?:dẹp|chấm dứt|bỏ|thôi|chừa)(?: ngay| hẳn| luôn)? (?:cái |mấy )?(?:{_WAY})\b[^.?]{{0,30}}\b(?:đó|này|vậy"
    rf"|đi|ấy|nhé|nha)\b",
    r"\b(?:anh|chị|tôi|mình) (?:rất |cực |cũng )?(?:ghét|bực|không ưa|không chịu được|ngán|cáu|khó chịu"
    r"|dị ứng)(?: nhất| lắm| với)?(?: (?:là|khi|việc|chuyện|cái|kiểu|mấy|những|phải|lúc))? (?:em|bạn|báo cáo|câu"
    r"|bài|file|mail|thư|code|nhìn|đọc|nghe|thấy|phải|bị|kiểu|\w+ không)\b",
)
#: "You keep doing it: drop it": a complaint of what the agent keeps doing, and what to do instead.
_AGAIN = _c(
    r"\b(?:sao|em|bạn|lại|tại sao|cứ)\b[^.?]{0,40}\b(?:cứ|hoài|lại|lúc nào cũng|lần nào cũng|mãi|suốt|nữa rồi|toàn"
    r"|liên tục)\b[^.?]{0,50}[,.?!;]\s*(?:\w+ ){0,3}?(?:bỏ|thôi|dẹp|đừng|ngừng|ngưng|sửa|chừa)\b"
    r"[^.?]{0,40}\b(?:kiểu|thói|tật|trò|đó|vậy|thế|đi|nhé|nha|nữa|ngay)\b"
)
_OTHERS = _c(
    r"^\W*(?:sao )?(?:nó|họ|hắn|máy|hệ thống|phần mềm|server|sếp|khách|(?:anh|chị|cô|chú|bạn|thằng|con|ông"
    r"|bà) (?-i:[A-ZĐÂÁÀẢÃẠĂÊÔƠƯÍÝÚÓÉ])\w*|anh ấy|chị ấy|bạn ấy|em ấy)\b"
)
_US = (
    r"(?:ở đây|bên mình|nhóm mình|team mình|đội mình|công ty mình|chỗ mình|nhà mình|tụi mình|bọn mình|bên này"
    r"|của (?:mình|nhóm|team|công ty|dự án|bên mình|tụi mình|chúng ta|quán|tiệm|xưởng))"
)
_HOW_HERE = _c(
    rf"\b(?:quy ước|quy định|quy tắc|nguyên tắc|lệ|luật|thông lệ|nề nếp|cách làm|thói quen|chuẩn"
    rf"|nếp)(?: chung)? {_US}(?: \w+)? (?:là|thì|:)(?! (?:gì|sao|như thế nào|thế nào|không))",
    rf"[,;.]\s*(?:đó là |đấy là )?(?:{_US}|ở đây|bên mình) (?:vẫn |luôn |toàn |đều |quen |xưa nay |trước giờ "
    rf"|cứ )*(?:làm|quen|để|chia|xếp) (?:vậy|thế|như vậy|như thế)\b",
    rf"^\W*{_US} (?:\w+ )?(?:quen|có lệ|có nếp|vẫn|xưa nay|trước giờ|luôn) \w+[^.?]*$",
    r"[,;]\s*(?:em|bạn) (?:cứ |nhớ |phải )*(?:theo|làm theo|bám theo|tuân theo) (?:đó|thế|vậy|như vậy|như thế"
    r"|quy ước|lệ)\b",
)
#: A whole sentence that says of the one before it that such is the rule here.
CONFIRMS = re.compile(
    rf"^\W*(?:từ nay|từ giờ|sau này|về sau|lần sau|lần nào|lúc nào)(?: cũng| thì| em| cứ| nhớ)* (?:làm )?(?:vậy|thế"
    rf"|như vậy|như thế|như này)(?: nhé| nha| giúp \w+| đi)*\W*$|^\W*(?:đó là |đấy là |đó |thế là )?(?:(?:quy ước"
    rf"|quy định|lệ|luật|cách làm|thông lệ|nguyên tắc|nếp) (?:{_US})|{_US} (?:vẫn |luôn |toàn |đều |quen |xưa nay "
    rf"|trước giờ )*(?:làm|quen|để|chia|xếp)"
    r" (?:vậy|thế|như vậy|như thế))(?: \w+){0,2}\W*$",
    _I,
)
#: A whole sentence that tells the agent to give up what the one before it complains of.
STOPS = re.compile(
    r"^\W*(?:em |bạn |làm ơn |xin |thôi |nhớ )*(?:đừng|thôi|bỏ|dẹp|ngừng|ngưng|chừa|không được)(?: ngay"
    r"| hẳn)? (?:làm |cái |kiểu |trò |thói |tật )*(?:thế|vậy|đó|đấy|như vậy|như thế|kiểu đó)(?: nữa| đi| nhé"
    r"| nha)*\W*$",
    _I,
)
#: What the agent does again and again, as its owner complains of it.
HABITUAL = re.compile(
    r"\b(?:em|bạn|cậu)\b.{0,20}\b(?:lại|cứ|lúc nào cũng|lần nào cũng|hoài|toàn|suốt|mãi)\b|\blần thứ (?:hai|ba|tư"
    r"|năm|\d+)\b.*\b(?:em|bạn)\b"
    rf"|\b{_MADE} nào (?:của em )?cũng\b",
    _I,
)
_PERSONAL = _c(
    r"^\W*(?:anh|chị|tôi|mình|mắt anh|mắt chị)\b(?! (?:sẽ|vừa|đã|bận|đang bận))[^.?]{2,50}?[, ](?:nên|vì vậy"
    r"|vì thế|cho nên|do đó)\b,? (?P<then>(?:em |bạn )?[^.?]*(?:\b(?:nào cũng|luôn|mọi|tất cả|lúc nào cũng|đều"
    r"|mỗi)\b"
    r"|\b(?:trả lời|viết|nói|giải thích|báo cáo|nhắn|trình bày|tóm tắt)\b[^.?]*\b(?:ngắn|gọn|to|chậm|rõ|đơn giản"
    r"|dài|chi tiết|tiếng \w+|cỡ chữ)))"
)
_EACH_TIME_YOU = _c(
    r"^\W*(?:mỗi|hằng|hàng|cứ|mọi|cứ mỗi) (?:sáng|tối|trưa|chiều|đêm|ngày|tuần|tháng|quý|thứ \w+|cuối \w+|đầu \w+"
    r"|lần|khi)\b[^.?]{0,40}?,? (?:em|bạn) (?!đã|bị|lại|vẫn|toàn|đều|cũng|hay|làm gì|ăn|ngủ|ở)\w+",
    r"\bthì (?:em |bạn )?(?:cứ|nhớ|hãy|phải|nên|luôn|chỉ|đừng|hỏi|dùng|viết|xưng|gọi)\b(?! (?:việc"
    r"|thế|yên tâm|hiểu))",
    r"^\W*không ai(?: trong \w+)? được\b|^\W*(?:ngoài|trừ) [^,.?]{2,30} (?:ra,? )?không ai\b"
    r"|\bkhông ai được\b[^.?]*\b(?:ngoài|trừ)\b",
)
_ONCE = _c(
    r"\b(?:này|kia|ban nãy|vừa rồi|hôm nay|bây giờ|lần này|sáng nay|chiều nay|mai|ngày mai|tối nay)\b|\b(?:file"
    r"|dòng|bản|đơn|trang|câu|đoạn|hàng|cột) (?:đó|cuối|đầu|trên|dưới)\b"
)
#: What holds of a class of things: "không có phiếu thì không xuất kho", "thư gửi ra ngoài không viết tắt".
_OF_A_CLASS = _c(
    r"^\W*(?:không có|chưa có|thiếu|chưa (?:ký|duyệt|đủ|xác nhận)|ngoài giờ)\b[^.?]{2,40}?(?:,| thì)? (?:không|đừng"
    r"|chớ|cấm|miễn)(?! (?:ai|có|thể|biết|sao|hiểu|được|phải))\b(?! \w+ (?:được|nổi|ra|kịp))",
    r"^\W*(?!anh|chị|tôi|mình|em|bạn|họ|nó|ai|sao|đừng|không|hôm|lần|bây|giờ)[^,.?]{3,40}? không (?:viết|dùng|ghi"
    r"|để|chèn|kèm|tô|làm tròn|in)\b(?! (?:được|nổi|kịp|xong|ra))",
    r"^\W*(?!anh|chị|tôi|mình|họ|nó|hôm|lần|bây|giờ)[^,.?]{3,50}? thì (?:em |bạn )?(?:coi|xem như|coi như|tính|nhắc"
    r"|tách|in|thêm|lưu|đánh dấu|gộp|xếp|ghi|dùng|viết|trả lời|hỏi|báo|đặt|làm tròn|sắp|ký|trả lại|gắn|kèm|chuyển"
    r"|từ chối|hủy)\b",
    r"^\W*(?:lần|lúc|ngày|bản|file|bài|câu|tuần|tháng) nào cũng (?!vậy|thế|có|bị|là|lỗi|được|đông|vui|mưa"
    r"|như)\w+ \w+|^\W*mặc định (?:thì )?(?:để|dùng|ghi|chọn|bật|tắt|viết|gửi)\b|\bxuyên suốt\b(?!.*\b(?:đã"
    r"|rồi)\b)",
    r"^\W*(?:trước|sau)? ?(?:khi|lúc) \w+ (?:\w+ )?(?:gì|nào|cái gì|ai)\b[^,.?]{0,20}\bthì\b \w+",
    r"^\W*(?!anh|chị|tôi|em|nó|họ|bạn)[^,.?]{2,20} (?:dùng|theo|ghi theo) (?:giờ|đơn vị|hệ|định dạng|phông|font|mẫu"
    r"|múi giờ|chữ|tiếng)\b[^,.?]*$",
    r"\btrừ (?:khi|phi) (?:anh|chị|tôi|mình) (?:nói(?! (?:hớ|sai|nhầm|dối))|bảo|dặn|yêu cầu|cho|đồng ý|duyệt|có ý)",
    r"^\W*(?:mỗi|mọi|các|tất cả)\b[^,.?]{2,30}\b(?:giữ|không quá|tối đa|ít nhất|tối thiểu|giới hạn|gói gọn)\b \w+",
    r"^\W*(?:(?:mình |chúng ta |anh em )?đã )?(?:thống nhất|thỏa thuận|giao kèo|chốt)(?: với nhau| là"
    r"| rồi)?,? [^?]*\b(?:không|đừng|luôn|phải|để|chỉ)\b",
    r"^\W*(?:(?:anh |chị |tôi )?(?:đã )?nói (?:rõ|trước|thẳng|lại|\w+ lần)[^:,]{0,16}|nhắc lại|xin nhắc|nhấn mạnh"
    r"|nghe cho kỹ|nghe này)\s*[:,]\s*[^?]*\b(?:không|đừng|luôn|phải|trước|chỉ|mọi|mỗi|cấm)\b",
    r"^\W*(?!anh|chị|tôi|em|bạn|mình|họ|nó|không|hôm|lúc|bây)[^,.?]{2,25}? phải (?!mất|tốn|chịu|trả giá|công nhận"
    r"|đợi|chờ|không|chăng|là|hoảng|lo)\w+ \w+(?=.*(?:, (?:điều|cái|việc) đó\b))",
    # "Whatever", "whoever": an indefinite word and what follows from it.
    r"^\W*(?!anh|tôi|chị|hôm|không có|chẳng có|có gì|chả|ai (?:muốn|thích|rảnh|đói))[^,.?]{0,30}\b(?:gì|nào|ai"
    r"|đâu)\b[^,.?]{0,50}\b(?:thì|phải"
    r"|đều|đừng|nhớ|chớ)\b (?!sao\b|chịu|vậy|thế|được\W*$|cũng|là\b|biết)\w+",
    r"^\W*(?!anh|chị|tôi|em|bạn|mình|họ|nó|thôi|xin|làm ơn|nhớ|hãy|vui lòng|từ|ai\b)[^\W\d][^,.?]{2,34}? (?:đừng"
    r"|chớ|không được|cấm|miễn)(?! (?:lo|sợ|ngại|buồn|giận|chưa|đâu))\b \w+",
    r"^\W*[^,.?]{3,40}, (?:em|bạn|cậu) (?:đừng|chớ|không được|phải|luôn|hãy|nhớ|cứ)(?! (?:lo|sợ|ngại|buồn|giận"
    r"|yên tâm))\b \w+",
    r"^\W*(?:cuối|đầu|trong|ở|với|sau|trước) (?:mỗi|các|mọi|những|từng)\b[^,.?]{2,30}? (?:không cần|khỏi|đừng|không"
    r"|phải|cần|nên|nhớ)\b \w+",
    r"^\W*(?:sau|trước|từ|ngoài|quá) (?:[^\s,.?]+ ){0,3}(?:giờ|tối|sáng|chiều|đêm|trưa|hạn|cuối tuần)(?: (?:tối"
    r"|sáng|chiều|đêm|trưa|hành chính|làm))? ?,?(?:thì )?(?:không|đừng|chớ|miễn|cấm)(?: được)? (?!có|phải|ai|biết"
    r"|ngủ|ăn|thể)\w+",
    r"^\W*(?!anh|chị|tôi|hôm)[^,.?]{2,40} xong,? (?:thì )?(?:nhớ|phải|luôn|cứ|nào cũng)\b",
    r"^\W*(?:em |bạn |cứ |nhớ )*gọi (?:anh|chị|tôi|mình|thầy|cô|bác) (?:là|bằng)\b",
)
_TASK_IN_HAND = _c(
    r"^\W*[^,.?]{2,40} xong\b[^.?]*\b(?:gửi|đưa|báo|chuyển|nộp|cho)\b[^.?]*\b(?:anh|chị|tôi|mình)\b(?!.*\b(?:luôn"
    r"|mọi|mỗi|lần nào)\b)"
)
#: Measure, preference by comparison, what must not be said twice, who alone decides, the tongue to speak.
_SAID_OTHERWISE = _c(
    r"^\W*(?!hai vé|vé)[^,.?]{2,20}\b(?:chỉ cần|ghi|viết|lấy|để|cho) (?:một|hai|ba|bốn|năm|\d+|vài) (?:số lẻ|dòng"
    r"|câu|ý|chữ|mục|trang|đoạn|số)\b[^,.?]{0,10}(?:là|thì) (?:đủ|được|ổn)",
    r"^\W*(?:anh|chị|tôi|mình) (?:thấy|nghĩ|cho là)\b[^,.?]{0,12}(?:danh sách|bảng|đoạn|tóm tắt|câu trả lời"
    r"|gạch đầu dòng|biểu đồ|văn bản)\b[^,.?]{0,20}\b(?:dễ|rõ|hay|gọn|nhanh|tiện)\b[^,.?]{0,10}\bhơn\b",
    r"\b(?:coi|xem) [^,.?]{2,30} (?:là|như|là một) (?:vùng cấm|khu cấm|bí mật|tuyệt mật|mật|chỉ đọc"
    r"|bất khả xâm phạm|lằn ranh)\b",
    r"\b(?:nói|dặn|nhắc|bảo)(?: em| bạn)? (?:bao nhiêu|mấy|cả trăm"
    r"|không biết bao nhiêu) lần\b[^?]*?[,:.!] ?[^?]*\b(?:đừng|không|phải|nhớ|luôn)\b",
    r"\bđừng (?:bắt|để) (?:anh|chị|tôi|mình) (?:phải )?(?:nhắc|nói|hỏi|lặp)\b|\bđừng để (?:lần|lúc|ngày) nào (?:anh"
    r"|chị|tôi) cũng\b",
    r"^\W*(?:em |bạn |hãy |cứ )*(?:nói chuyện|nói|trả lời|viết|giao tiếp|nhắn)(?: với)?(?: anh| chị| tôi"
    r"| mình)? bằng tiếng \w+(?: \w+){0,2}\W*$",
    r"^\W*(?:em |bạn |hãy |cứ )*(?:trả lời|nói|giải thích|báo cáo|viết|trình bày)(?: cho)? (?:ngắn gọn|ngắn|gọn"
    r"|thẳng|súc tích|đơn giản|lịch sự|rõ ràng|vắn tắt)\b",
    r"^\W*(?:em|bạn) mà [^,.?]{4,40} thì (?:đỡ|tốt|hay|quý|tiện|mừng|khỏe)\b|\bđỡ cho (?:anh|chị|tôi) (?:lắm|nhiều"
    r"|quá)\b",
    r"\bchỉ (?:mình |một mình |có )?(?:anh|chị|tôi)(?: mới)?(?: được)? (?:duyệt|ký|quyết|sửa|chốt|gửi|xóa|phê)\b",
    r"^\W*(?:anh|chị|tôi|mình) không (?:quan tâm|cần biết|hứng thú)\b[^,.?]*, ?[^?]*\b(?:cứ|luôn|chỉ|lần nào|cho"
    r"|đưa|nói thẳng)\b",
    r"^\W*thà [^,.?]{2,30} còn hơn \w+",
    r"\bgiúp (?:anh|chị|tôi) (?:nhiều )?nhất\b[^?]*, ?[^?]*\b(?:cứ|luôn|nào cũng|thêm|để|ghi)\b",
    r"^\W*chỉ là [^,.?]{2,20} thì (?:đừng|không|khỏi|miễn)\b",
    r"^\W*(?!anh|chị|tôi|em|nó|họ|bạn)[^,.?]{3,24} (?:hỏng|lỗi|sập|xong|hết|trễ|đầy|chết|đứt|cạn) (?:là|thì) (?:báo"
    r"|gọi|nhắn|dừng|khởi động|đổi|hủy|chuyển)\b",
)
#: "Kho số 2 không bao giờ nhập hàng …": what one thing does is a fact.
FACT = _c(
    r"^\W*(?:không|chẳng|chả) có (?:lý do|gì|ai|chuyện gì)\b",
    r"^\W*(?!từ |mục |điều |khoản |bước )[^\W\d]+(?: [^\W\d]+){0,2} (?:số |tầng |lầu |khu |thứ )?(?:\d+"
    r"|(?-i:[A-Z])\b) (?:\w+ )?(?:không bao giờ|chẳng bao giờ|luôn(?: luôn)?|lúc nào cũng|bao giờ cũng"
    r"|chỉ)(?! (?:được|phải|nên|cần))\b",
)
_SUPPOSED = _c(r"^\W*(?:giả (?:sử|dụ|thử|như)|(?:thử )?(?:tưởng tượng|hình dung)|lỡ (?:như|mà)|nếu như)\b")
_PAST = _c(
    r"\b(?:hồi|trước đây|ngày xưa|hôm qua|hôm trước|năm ngoái|tuần trước|lẽ ra|sớm hơn|hồi đó"
    r"|lúc đó)\b(?! \w+ đến giờ)"
)


def told(sentence: str) -> bool:
    """Whether the sentence tells what one thing does or speaks of the task in hand, and asks for nothing standing."""
    return bool(FACT.search(sentence) or _TASK_IN_HAND.search(sentence))


def wish(sentence: str) -> bool:
    """Whether the sentence wishes for what an agent does: its "if" supposes nothing."""
    return bool(_HABIT.search(sentence) or _WISH.search(sentence))


def standing(sentence: str, question: bool) -> bool:
    """Whether the sentence is one of these. What makes none of any sentence (a jest, one time only) is told elsewhere."""
    body = sentence.strip()
    if _PAST.search(body) or _OTHERS.search(body) or _SUPPOSED.search(body):
        return False
    if _HABIT.search(body):
        return True
    if _AGAIN.search(body) and not re.search(r"\b(?:file|dòng|đơn) này\b", body, _I):
        return True
    if question or _ONCE.search(body):
        return False
    if _SAID_OTHERWISE.search(body):
        return True
    if _OF_A_CLASS.search(body) and not _TASK_IN_HAND.search(body):
        return True
    if _GIVES_UP.search(body) or _HOW_HERE.search(body) or _PERSONAL.search(body) or _EACH_TIME_YOU.search(body):
        return True
    return bool(_WISH.search(body) and _WISH_ALWAYS.search(body))


def gives_up(sentence: str) -> bool:
    """Whether the sentence names a manner to give up: the rule is against it."""
    return bool(_GIVES_UP.search(sentence) or _AGAIN.search(sentence))
