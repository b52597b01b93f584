"""Vietnamese sentences that only sound like rules for the agent: a text to be written, a task on a set at hand, a truth, what others
say, demand or do, the past, a supposition, an explanation, a verdict, comfort, an errand.
"""

from __future__ import annotations

import re

from bio_agent_workers.brain.directives.vi_things import (
    I_ALONE,
    IGNORECASE,
    MADE,
    ME,
    any_of,
)

_OTHERS = any_of(
    r"^\W*(?:ông|bà|dì|cậu|mợ|thím|cô|chú(?! thích| ý)|bác|mẹ|má|bố|ba|cha|vợ|chồng|anh trai|chị gái"
    r"|em gái|em trai|con gái|con trai|ngoại|nội|nhà ngoại|thằng|con nhỏ|bạn|hàng xóm|thầy|sếp|chủ nhà"
    r"|công đoàn|thanh tra|nhà trường|trường|bệnh viện|ngân hàng|bảo hiểm|shipper|tài xế"
    r"|thực tập sinh|bạn thực tập|đối thủ|tổ dân phố|phường|ban quản lý|bảo vệ|giám thị|bác sĩ|luật sư|công an"
    r"|kiểm toán"
    r"|khách|nhân viên|chi nhánh|đội|phe)\b(?: (?:nội|ngoại|hàng xóm|thầy|cô|bạn|cũ|mới|thực tập|chủ"
    r"|thanh tra|sếp|trai|gái|họ|kia|ấy|tôi|anh|chị|mình|em|quản lý|trưởng|phó|giám đốc|(?-i:[A-ZĐ])\w*))*"
    r" (?:cứ|hay|luôn|lúc nào|không bao giờ|chẳng bao giờ|bắt|đòi|dạy|khăng khăng|khuyên|dặn|bảo|cấm|yêu cầu"
    r"|xe nào|\w+ nào|toàn|thường|quen|chuyên|chỉ|không cho|quy định|thích|ghét|muốn|hét)\b"
    r"(?! (?:em|bạn)\b)",
    r"^\W*[^,.?]{0,24}\b(?:đối diện|hàng xóm|bên kia|kế bên|nhà bên|bên cạnh|chỗ khác"
    r"|nước ngoài|đối thủ)\b[^,.?]{0,12}\b(?:không|cấm|luôn|chỉ|bắt|quy định|lúc nào|toàn|đều|nào cũng)\b",
    r"\b(?:hợp đồng|tờ(?: hướng dẫn| rơi)?|tấm (?:bảng|biển)|biển|bảng|sách(?: hướng dẫn)?|cuốn|luật|điều khoản"
    r"|nội quy|thực đơn|bao bì|nhãn|thông báo|báo(?! cáo| giá)|bài báo|trang|phim|bài hát|lời bài hát|câu"
    r"|thơ|vỏ hộp|hộp thuốc"
    r"|quảng cáo|khẩu hiệu|tài liệu"
    r"|quy chế)\b[^,.?:]{0,24}?\b(?<!phải )(?<!luôn )(?<!nhớ )(?<!đều )(?<!cũng )(?<!thì )(?<!không )(?<!đừng )(?<!khi )(?<!em )(?:ghi"
    r"|viết|bảo|nói|khuyên|dặn|cấm|yêu cầu|quy định|in|nhắc)\b(?! (?:bằng|theo|giúp|cho (?:anh"
    r"|chị|tôi)|thêm|tên|số|ngày|đầy đủ|rõ|gọn|ngắn|hoa|thường|đậm))",
)
#: "Khách sạn đó cấm …": what anybody's house but the owner's asks for.
_HOUSES = re.compile(
    r"^\W*(?!.*\b(?:mình|nhà anh|nhà chị|chúng ta|tụi mình|bên em)\b)(?:khách sạn|quán|tiệm|cửa hàng|trường"
    r"|hãng|nước|thành phố|hiệp ước|hiến pháp|luật|bang|sân bay|bảo tàng|nhà hàng|rạp|thư viện|phòng tập|bể bơi"
    r"|hồ bơi|chung cư|tòa nhà|ngân hàng|bệnh viện|chùa|nhà thờ"
    r"|công viên|siêu thị|bưu điện|hải quan|thuế|ủy ban|hội|câu lạc bộ|cô chỉ huy"
    r"|ông chủ|bà chủ)\b[^,.?:]{0,30}\b(?:cấm|quy định|bắt|buộc|đòi|yêu cầu|không cho|chỉ cho"
    r"|luôn|lúc nào cũng|không bao giờ)\b",
    IGNORECASE,
)
_FRAME = any_of(
    r"^\W*(?:nhiều|mấy|vài|hai|ba|bốn|năm|mười|\d+) (?:năm|tháng|thập kỷ) trước\b|^\W*(?:xưa kia|thuở)\b",
    r"^\W*(?:lúc|khi|hồi|ngày|thời|dạo|đợt|năm|mấy (?:năm|tháng)|những (?:năm|ngày)) (?:còn|ấy|đó|xưa|trước|đi học"
    r"|học|mới ra trường|chưa có|\w+ còn|ở (?:quê|tiệm cũ|chỗ cũ|công ty cũ))\b",
    r"^\W*trước (?:khi|lúc) (?:sáp nhập|chuyển (?:nhà|chỗ|văn phòng)|dọn|có (?:máy|phần mềm|hệ thống)|nghỉ (?:hưu"
    r"|việc)|dịch)\b",
    r"^\W*mấy (?:ngày|hôm|tuần|tháng) (?:hội chợ|lễ|tết|dịch|đó|ấy|trước|qua)\b",
)
NOW = any_of(r"\b(?:giờ|bây giờ|từ nay|từ giờ|nay thì|về sau|sau này|từ tháng|từ tuần|đổi lại)\b")
_WRITTEN = any_of(
    r"^\W*(?:em |bạn |hãy |giúp (?:anh|chị|tôi|mình) |nhờ em |làm ơn )*(?:soạn|viết|thảo|làm|thiết kế|in"
    r"|dịch|nghĩ|vẽ|chuẩn bị|tạo|đặt|gõ|treo|dán)(?: (?:giúp|hộ|giùm|cho|ra|lại|thử))*(?: (?:anh|chị|tôi|mình))?"
    r" (?:một |cái |tấm |bản |tờ |mẫu |vài )*(?:đoạn|câu|dòng|thông báo|nội quy|email|thư|tin nhắn|quy định"
    r"|biển|bảng|poster|tờ rơi|khẩu hiệu|lời nhắc|bài|thiệp|quy chế|hướng dẫn|kịch bản|hợp đồng|điều khoản"
    r"|cẩm nang|slogan|mẫu|văn bản|chú thích)\b"
    r"(?=.*(?:[:]|\b(?:nhắc|ghi|nói|bảo|khuyên|dặn|với nội dung|trong đó|rằng|yêu cầu|cảnh báo"
    r"|kêu gọi)\b))(?!.*\b(?:mỗi khi|mỗi lần|từ nay|lần nào)\b)"
)
_SELF = any_of(
    rf"^\W*(?:(?:từ nay|từ giờ|sau này|lần sau|về sau|thôi|ừ|để),? )*(?:để )?{ME} (?:sẽ|tự|định|đang (?:định"
    r"|tính|nghĩ|tìm|làm)|không bao giờ|chưa bao giờ|luôn|lúc nào cũng|chẳng bao giờ|hứa)\b(?!.*\b(?:muốn em"
    r"|muốn bạn|để em)\b)",
    rf"^\W*(?:từ nay|từ giờ|sau này|lần sau|về sau)\b[^,.?]{{0,24}}\b(?:để|cứ để)? ?{ME} (?:tự"
    r"|làm|lo|kiểm tra|xử lý|trả|gọi)\b",
    rf"^\W*(?:lần sau|từ (?:nay|mai|giờ|hôm nay|tuần sau|tháng sau|ngày mai)|sau này|mai mốt),? {I_ALONE} (?!muốn"
    r"|thích|cần|mong|nhờ|dặn|bảo|không muốn|không thích)\w+",
    rf"^\W*(?:(?:tuần|tháng|hôm|lúc|bữa) \w+ )?{ME} (?:đã |vừa |có |mới )?(?:dặn|bảo|nói với|nhắc|kêu) (?:ông"
    r"|bà|thằng|con|cô|chú|bác|thợ|họ|nó|người|khách|tụi|bọn|mấy đứa|nhân viên|shipper|hàng xóm|anh"
    r"|chị|(?-i:[A-ZĐ])\w+)\b",
    rf"^\W*{ME} (?:đọc|nghe|thấy|xem)(?: thấy| được| đâu đó)* (?:bảo|nói|ghi|rằng|là|người ta)\b"
    r"|^\W*em mà\b[^,.?]* thì (?:hết|mất|chết|mệt|khổ|toi|còn gì|vui)\b",
    rf"^\W*(?!{ME}\b|em\b|bạn\b|từ|nhớ|hãy|đừng|khi|nếu"
    r"|hễ)[^,.?]{2,30}? (?<!thì )(?<!cứ )(?<!nhớ )(?<!cũng )(?<!mỗi lần )(?<!khi )(?:dặn|bảo|khuyên|kêu|nhắc|đòi"
    rf"|bắt|ép|xúi) {ME}\b",
    rf"^\W*{ME} (?:biết|nhớ|tưởng|nghĩ|tin|hiểu) (?:là |rằng )?(?:em|bạn)\b",
    rf"^\W*{ME} mà (?:là|làm)\b|^\W*{ME} (?:không|đâu|chẳng|chưa) (?:có |hề |bao giờ )*(?:bảo|nói"
    r"|bắt|yêu cầu|kêu)\b(?! (?:lại|nhiều|lần|hai))",
    r"^\W*(?:tụi|bọn|bên|đội|nhóm) (?:anh|chị|tôi|mình|tui) (?:đang|định|tính|sẽ|dự định|sắp|đã)\b",
)
_COMFORT = any_of(
    r"\b(?:đừng|chớ|không cần|khỏi) (?:có )?(?:bận tâm|lo(?: lắng)?|buồn|ngại|sợ|giận|nản|bỏ cuộc|tự trách"
    r"|khách sáo|nghĩ nhiều|để bụng|để ý|khóc|cười|căng thẳng|hoảng|vội|khiêm tốn|thất vọng|quên mang"
    r"|quên gọi)\b(?!.*\b(?:mỗi|luôn|lần nào|từ nay)\b)"
)
_CHECKS = any_of(r"\b(?:kiểm tra|xem|coi|hỏi)(?: giúp \w+)?(?: xem| coi| thử)?\b[^?]*\b(?:chưa|không)\W*$")
_ERRAND = any_of(
    r"^\W*(?:mai|mốt|lát|tí nữa)\b|^\W*trước khi (?:về|đi|ra|rời|ngủ|đi ngủ|tan ca)\b(?!.*\b(?:luôn"
    r"|mỗi|ngày nào|hằng|lúc nào)\b)|^\W*(?!dự án|repo|bên|nhóm|team)[^,.?]{2,20} (?:này|kia) (?:thì )?(?:khỏi"
    r"|đừng|không cần|cứ|để|bỏ|làm|cho)\b|\b(?:sáng|trưa|chiều|tối|đêm) nay\b|^\W*(?:sáng|chiều|tối"
    r"|trưa) (?:đừng|nhớ)|\btuần này\b|\b\d+ giờ (?:chiều|sáng|tối)? ?(?:nay|này)\b|\briêng (?:\w+ ){1,3}(?:này"
    r"|nay|đó)\b"
)
_ABROAD = any_of(
    r"^\W*(?:ở|bên|tại) (?:(?-i:[A-ZĐÂĂÊÔƠƯ])\w+(?: (?-i:[A-ZĐ])\w+)*|nước ngoài|châu \w+|nhà quê"
    r"|quê|thời xưa)\b[^,.?]{0,6}(?:,|thì|không|đừng|lúc nào|ai cũng|người ta)(?!.*\b(?:em"
    r"|bên mình|chi nhánh mình)\b)"
)
_JEER = any_of(
    r"^\W*(?:ừ |ồ |à |trời |wow )*(?:được thôi|hay|giỏi|tuyệt(?: vời)?|đỉnh|xuất sắc|khá|được|siêu"
    r"|tài|khéo|ngon|chuẩn|thông minh|đẹp)(?: mặt)? ?(?:lắm|ghê|quá|thật|dữ|ha|nhỉ|đó|vậy|rồi)*(?: ha| đó"
    r"| nhỉ)?[,!.]+ ?[^?]*\b(?:xóa (?:luôn|hết)|vứt|ba giờ sáng|nửa đêm|nhầm|sai|mất|hỏng|quên|đốt|phá|sập"
    r"|trễ|lộn|mặt trăng|sao hỏa"
    r"|cho (?:đủ|trọn) bộ|cho vui|cho chết|cho rồi đời|xem nữa|một ngàn|cả làng|cả phố|luôn đi)\b"
)
_SUPPOSED = any_of(
    r"^\W*[\w ]{2,14} mà (?:của|là|có) [^,.?]{2,30} thì\b",
    r"^\W*(?:nếu|giả sử|giá mà|thử|lỡ|ví dụ|hình dung) (?:như |mà )?(?:chỉ|mình|khách|ai cũng|ngày nào|mọi người"
    r"|cả|tất cả|không ai|hình dung|tưởng tượng|tụi|bên)\b[^,.?]*(?:\bthì\b|,)[^?]*\b(?:đỡ|lợi|lỗ"
    r"|tiết kiệm|mất|được|sẽ|có lẽ|chắc|khối|tốn|sao|còn)\b(?!.*\b(?:nhé|nha|giúp)\b)",
)
_TASK = any_of(
    r"^\W*(?:em |bạn |hãy |giúp \w+ |nhờ em )*(?:xóa|đổi tên|in|chuyển|gửi|tải|dọn|sửa|cập nhật|dịch|gộp"
    r"|đóng|sao chép|copy|liệt kê|đếm|chạy|cài|hủy|mua|đặt|tìm|quét|rà|thay)(?: (?:hết|lại|giúp|giùm|cho))* (?:mọi"
    r"|tất cả|toàn bộ|hết|cả|các|những|từng)\b"
    r"(?!.*\b(?:mỗi|luôn|lần nào|từ nay|từ giờ|khi|trước khi|hằng|hàng ngày|hàng tuần|sau này|về sau)\b)"
)
# "Ong không bao giờ bay lúc mưa": a truth about what no agent has in hand; "không bao giờ được" is a ban.
_TRUTH = re.compile(
    r"^\W*(?!.*\b(?:em|bạn|nhớ|nhé|nha|phải|nên|bên mình|ở đây|quy định|tuyệt đối"
    rf"|cấm|đừng|giúp|giùm)\b)(?!(?:[\w-]+ ){{0,2}}?{MADE}\b)"
    r"(?!(?:từ|không|luôn|lúc|mình|tụi|chúng|hễ|cứ|nếu|khi|trước|sau|mỗi|mọi|với|trong|ở|cho|gặp"
    r"|có|về|làm|nói)\b)(?:[\w-]+ ){1,8}?(?:không bao giờ|chẳng bao giờ)(?! được)\b",
    IGNORECASE,
)
_THE_ONE = re.compile(
    r"^\W*(?:cái|chiếc|con|căn|máy|cỗ|thằng|ông|bà|quán|tiệm|nhà|cây|bếp|lò) [^,.?]{1,30}\b(?:này"
    r"|kia|đó|mới|cũ|đối diện|nhà anh|nhà chị)\b [^,.?]*\b(?:không bao giờ|luôn|chỉ|lúc nào cũng"
    r"|chẳng bao giờ|toàn)\b(?!.*\b(?:em|được phép|phải|nhé|nha)\b)",
    IGNORECASE,
)
_TRUTH_OF_ALL = re.compile(
    r"^\W*(?:bác sĩ|luật sư|tài xế|giáo viên|cảnh sát|người ta|con người|trẻ con|đàn ông|phụ nữ|hầu hết"
    r"|đa số|quan tòa)\b(?!.*\b(?:em|nhé|nha|giúp)\b)|^\W*(?:tài xế|tiệm|quán|trường|ngân hàng"
    r"|đứa trẻ|người|ai|con|nước|thành phố|làng|nhà|chợ|cửa hàng|xe buýt"
    r"|tàu|chim|cây)(?: \w+)? nào (?:[^,.?]{0,20})?cũng\b(?!.*\b(?:em|nhé|nha|giúp|cho (?:anh|chị|tôi))\b)"
    r"|^\W*ai (?:muốn|thích|cần|uống|ăn|đi|rảnh|có)\b[^,.?]* thì (?:giơ tay|lấy|đi|ăn|cứ|nói|vào|lên|uống)\b"
    r"|^\W*(?:xe tải|xe máy|ô tô|xe đạp|người đi bộ|trẻ em|công dân|tài xế"
    r"|chó|thú cưng) (?:\w+ ){0,2}(?:không được|phải|bị cấm|cấm)\b"
    r"|^\W*(?:tàu|xe buýt|máy bay|phà|thuyền|trẻ con|chim|cá|mèo|chó) [^,.?]*\bđều\b",
    IGNORECASE,
)
#: What a sentence explains, judges or tells of somebody, whatever is "luôn" or "không bao giờ" in it.
_EXPLAINS = any_of(
    r"^\W*[^,.?]{2,40} là (?:do|vì|bởi|tại)\b(?!.*\b(?:nên|em|nhé|đừng)\b)",
    rf"^\W*(?!{ME}\b|em\b|bạn\b)[^,.?]{{2,24}} (?:viết|nói|cho biết|khẳng định|tuyên bố|báo|kể|bảo|ghi) (?:rằng"
    r"|là)\b",
)
_JUDGES = any_of(
    r"\b(?:sướng|mệt|khổ|vui|chán|phiền|thích|tiện|tiếc|lạ|hay|dễ thương|kỳ|tội|ghét|bực|oải|đã) (?:ghê"
    r"|quá|thật|lắm|dữ|nhỉ)(?: luôn| ha| đó| chứ)?\W*$|^\W*(?:anh|chị|tôi) (?:thề|cá là"
    r"|dám chắc)|\b(?:em tin nổi không|ai mà tin|không ngờ|hèn gì|hèn chi|thảo nào|đâu có ngờ)\b",
    r"\bkhông bao giờ \w+(?: \w+)? (?:được|nổi)\W*$",
)
_OF_HIM = any_of(
    r"(?<!với )(?<!cho )(?<!của )(?<!hỏi )(?<!gọi )(?<!báo )(?<!nhắc )(?<!gặp )(?<!để )\b(?:ông"
    r"|bà|anh|chị|cô|cậu|chú|thằng|con) (?:ấy|ta|đó|kia)\b (?!phải|không được|mà)"
)


def elsewhere(sentence: str) -> bool:
    """Whether the sentence, however it sounds, is no rule for the agent: a text to be written, a task on a set at hand, a truth,
    what somebody else says or demands, the past, a supposition, comfort, an errand."""
    s = sentence.strip()
    turned = re.search(r",\s*(?:còn |nhưng |nên |vì vậy |vậy nên )(?:\w+ )?\w+", s, IGNORECASE)
    if (_OTHERS.search(s) or _SUPPOSED.search(s) or _HOUSES.match(s)) and not turned:
        return True
    if _EXPLAINS.search(s) or _JUDGES.search(s) or (_OF_HIM.search(s) and not turned):
        return True
    if _FRAME.search(s) and not NOW.search(s):
        return True
    if any(p.search(s) for p in (_WRITTEN, _COMFORT, _ABROAD, _JEER, _TASK, _CHECKS, _ERRAND)):
        return True
    if _SELF.search(s) and not re.search(r",\s*(?:nên|nhưng|còn|vì vậy|em|bạn|đừng|nhớ)\b", s, IGNORECASE):
        return True
    return bool(_TRUTH.match(s) or _THE_ONE.match(s) or _TRUTH_OF_ALL.match(s))
