"""Vietnamese names of what an agent makes or handles and of the owner, and of what an agent is asked to do."""

from __future__ import annotations

import re

IGNORECASE = re.IGNORECASE


def any_of(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), IGNORECASE)


#: What an agent makes or handles; of nature, machines and strangers one tells facts.
MADE = (
    r"(?:báo cáo|báo giá|bảng giá|bảng(?: lương| điểm| biểu)?|tóm tắt|bản tóm tắt|tổng (?:số|kết|cộng)|số (?:tiền"
    r"|liệu|lượng|điện thoại)|ngày(?: giao| tháng)|hạn chót|thời hạn"
    r"|khoảng cách|kích thước|đơn vị|giá(?: cả)?|hóa đơn|biên (?:lai|bản)|chứng từ|đơn(?: hàng| thuốc)?|phiếu|hợp đồng"
    r"|tài liệu|hồ sơ|tệp|file|tên (?:file|tệp|món|thuốc|khách)|ảnh|hình"
    r"|áp phích|poster|tờ rơi|tiêu đề|phông|chữ|danh (?:sách|mục)|thực đơn|món|e?mail|thư|tin nhắn|thông báo"
    r"|câu trả lời|trả lời|bản dịch|bài(?: viết| tập| thi| kiểm tra)?|văn bản"
    r"|code|commit|nhánh|hàm|biến|test|log|bản sao lưu|sao lưu|backup|cấu hình|mật khẩu|tài khoản|đặt (?:chỗ"
    r"|phòng|bàn)|lịch(?: hẹn| họp| ca| khám)?|cuộc (?:họp|gọi)|ca trực|ca(?= )|sơ đồ|sảnh"
    r"|tên|địa chỉ|nhãn|(?:bưu )?kiện(?: hàng)?|khiếu nại|số đo|hàng(?: hóa| \w+)?|đồ(?: \w+)?|mẫu"
    r"|kho|tiền(?: \w+)?|cọc|hoàn tiền|đổi ca|nghỉ phép|khiếu nại|liều(?: lượng)?|điểm|nhiệt độ|độ ẩm|cảm biến"
    r"|kết quả"
    r"|khoản(?: chi)?|chi phí|công nợ|nhà cung cấp|ghi chú|trang|slide|biểu đồ|phiên bản|phòng|đoạn(?: văn)?"
    r"|ngân sách|cáo phó|bản (?:nháp|in|vẽ|tin)|vé|link|liên kết|yêu cầu|ticket|xe|lô|sách|catalogue|gói|bưu phẩm"
    r"|quà|hoa|logo|nhắc)"
)
WHO = (
    r"(?:khách(?: hàng| quen| nước ngoài| lớn tuổi)?|bệnh nhân|học viên|học sinh|phụ huynh|người (?:già"
    r"|thuê|nhận|lớn tuổi)|thành viên|nhà cung cấp|nhân viên mới)"
)
ME = r"(?:anh|chị|tôi|mình|tui|cô|chú|bác|thầy)"
I_ALONE = r"(?:anh|chị|tôi|tui|cô|chú|bác|thầy)"
ADV = (
    r"(?:(?:em|bạn|thì|cứ|hãy|nhớ|phải|cũng|luôn|đều|cần|nên|vui lòng|làm ơn|trước|mới|giúp (?:anh"
    r"|chị|tôi|mình)|giùm|nhờ em|rồi|ưu tiên|chỉ) )*"
)
ACT = (
    r"(?:ghi|viết|dùng|gửi|đặt|báo|hỏi|kiểm tra|sao lưu|lưu|trả lời|gọi|nộp|tạo|để|làm|giữ|xóa|sửa|cập nhật"
    r"|đính kèm|kèm|thêm|bỏ|đẩy|mở|đóng|ký|duyệt|đếm|tính|làm tròn|in|xuất|nhập|chuyển|thông báo|xác nhận|nhắc"
    r"|trình bày|bọc|quấn|gói|hoàn|tách|chụp|xếp|sắp|đối chiếu|so|dán|đo|cân|xem|coi|đọc|bấm|thử|chia"
    r"|chờ|đợi|dừng|khóa|hủy|từ chối|nhận|giao|phát|chào|xưng|thu|trả|đổi|quy đổi|quay|rà|soát"
    r"|tra|tìm|ưu tiên|lấy|cho|cộng|trừ|gắn"
    r"|đánh dấu|gộp|tô|in đậm|căn|canh|dịch|tóm tắt|kết luận|diễn giải|nêu|liệt kê|xin phép|trình"
    r"|chốt|mang|đeo|rửa|tưới|vào thẳng|nói thẳng|đi thẳng|bắt đầu|kết thúc|hẹn|nói|niềm nở|lịch sự|nhường"
    r"|hạ|nâng|quét|lau|rút|tắt|bật|cất|chuẩn bị|né|mời|chúc|trích|che|phủ|đưa|nhắn|dọn|rửa|sơn|đổ|gom|úp|khoan|bán|nhiều nhất"
    r"|ít nhất|tối đa|tối thiểu|kể|tự|nghỉ|ngừng|thôi|đừng|không|chớ|khỏi|miễn|tránh|hạn chế)"
)
