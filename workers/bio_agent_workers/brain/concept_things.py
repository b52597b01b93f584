"""Vocabulary of what rules speak about and of its qualities; the form is that of `concept_acts`."""

from __future__ import annotations

THINGS = """
alert alarm page_on-call notification paging | 告警 警报 报警 通知消息 | cảnh_báo báo_động
cluster node_pool | 集群 | cụm cluster
namespace | 命名空间 | namespace không_gian_tên
replica replicas instance instances copies_running | 副本 实例 | bản_sao thực_thể
ingress gateway load_balancer load-balancer | 网关 负载均衡 | bộ_cân_bằng_tải cổng_vào
traffic requests | 流量 | lưu_lượng
certificate cert tls ssl | 证书 | chứng_chỉ chứng_thư
cronjob cron scheduled_job batch_job nightly_job | 定时任务 批处理 | tác_vụ_định_kỳ
artifact artefact build_output binary | 构建产物 制品 | bản_dựng
lockfile package-lock.json yarn.lock lock_file | 锁文件 | tệp_khóa
dependency dependencies library_dep third-party_package | 依赖 依赖包 | phụ_thuộc thư_viện
type_hint type_hints type_annotation | 类型注解 类型标注 | chú_thích_kiểu
exception_code exceptions traceback | 异常 | ngoại_lệ_mã
docstring docstrings | 文档字符串 | chuỗi_tài_liệu
import_line imports | 导入语句 | câu_nhập
virtualenv venv virtual_environment | 虚拟环境 | môi_trường_ảo
linter lint formatter | 检查器 代码检查 | công_cụ_kiểm_mã
coverage test_coverage | 覆盖率 | độ_phủ
pull_request pr merge_request mr prs | 合并请求 拉取请求 | yêu_cầu_gộp pr
reviewer code_review | 评审人 代码评审 | người_duyệt
commit_message commit_title commit_subject | 提交信息 提交说明 提交标题 | thông_điệp_commit
tag release_tag | 标记版本 发布标签 | thẻ_phát_hành
hook pre-commit_hook | 钩子 | hook
history git_history | 历史 提交历史 | lịch_sử
index_db indexes indices | 索引 | chỉ_mục
query sql_query queries | 查询 查询语句 | truy_vấn
transaction_db transactions | 事务 | giao_dịch
schema ddl | 表结构 模式 | lược_đồ cấu_trúc_bảng
column_db field_db | 字段 列名 | trường_dữ_liệu
primary_key | 主键 | khóa_chính
foreign_key | 外键 | khóa_ngoại
connection_pool | 连接池 | bể_kết_nối
slow_query | 慢查询 | truy_vấn_chậm
session user_session | 会话 | phiên phiên_đăng_nhập
vault secret_store password_manager | 保险库 密码库 密钥库 | kho_bí_mật két
firewall | 防火墙 | tường_lửa
vpn | 专线 | vpn
audit_log audit_trail | 审计日志 | nhật_ký_kiểm_toán
admin administrator superuser root_account | 管理员 超级用户 | quản_trị quản_trị_viên
permission_right privilege access access_right | 权限 访问权限 访问 | quyền quyền_truy_cập truy_cập
ticket support_ticket issue_ticket | 工单 事故单 | phiếu_hỗ_trợ yêu_cầu_hỗ_trợ sự_vụ
complaint | 投诉 | khiếu_nại
agent_support operator_support support_staff | 客服 坐席 | tổng_đài_viên nhân_viên_hỗ_trợ
response_time first_response | 响应时间 首次响应 | thời_gian_phản_hồi
warranty guarantee | 保修 质保 | bảo_hành
discount rebate | 折扣 优惠 | chiết_khấu giảm_giá
credit_note | 红字发票 贷项 | hóa_đơn_điều_chỉnh
exchange_rate | 汇率 | tỷ_giá
fixed_asset asset | 固定资产 资产 | tài_sản tài_sản_cố_định
depreciation depreciate | 折旧 | khấu_hao
cost_center cost_centre | 成本中心 | trung_tâm_chi_phí
number_range numbering sequence_number | 编号 流水号 号码段 | dải_số đánh_số số_thứ_tự
advance_payment prepayment advance | 预付款 预支 垫付 | tạm_ứng ứng_trước ứng
debt receivable | 应收账款 欠款 债务 | công_nợ nợ
payment_term due_date | 账期条款 付款期限 到期日 | hạn_thanh_toán
tender bid rfq | 招标 询价 | đấu_thầu hỏi_giá
lead_time | 交期 | thời_gian_giao
safety_stock minimum_stock reorder_point | 安全库存 再订货点 | tồn_kho_an_toàn
serial_number | 序列号 | số_sê-ri
expiry_date shelf_life best-before | 保质期 有效期 | hạn_dùng hạn_sử_dụng
goods_receipt receiving arrival arrive | 收货 到货 | nhập_hàng hàng_về
goods_issue outbound | 出库 发货 | xuất_kho xuất_hàng
scrap waste | 报废 废料 | phế_liệu phế_phẩm
spare_part spare_parts | 备件 | phụ_tùng
attendance clock_in | 打卡 出勤 | điểm_danh quẹt_thẻ
shift work_shift | 班次 早班 夜班 白班 | ca ca_làm
maternity parental_leave | 产假 | thai_sản
insurance | 保险 社保 | bảo_hiểm
allowance subsidy per_diem | 津贴 补贴 | phụ_cấp trợ_cấp
performance_review appraisal | 绩效 考核 | đánh_giá
stove burner hob | 炉灶 灶 炉子 | bếp lò
oven | 烤箱 | lò_nướng
cutting_board chopping_board | 砧板 菜板 | thớt
pasta noodle noodles | 面条 面 | mì bún
vegetable vegetables salad | 蔬菜 菜 | rau rau_củ
fish seafood | 鱼 海鲜 | cá hải_sản
milk dairy | 牛奶 奶 | sữa
sugar | 糖 | đường_ăn
sauce | 酱 酱汁 | nước_sốt
dish plate bowl | 盘子 碗 碟 | đĩa bát
camera_robot camera sensor | 摄像头 相机 传感器 | camera cảm_biến
speed velocity | 速度 | tốc_độ
force pressure | 力 压力 | lực áp_lực
temperature | 温度 | nhiệt_độ
emergency_stop e-stop | 急停 | dừng_khẩn_cấp
breakfast_meal | 早饭 | bữa_sáng
bedroom desk | 书桌 | bàn
airport flight plane aircraft | 航班 飞机 飞行 起飞 | chuyến_bay máy_bay bay
crew cabin_crew | 机组 机组人员 | tổ_bay
hotel_stay hotel | 酒店 | khách_sạn
headline heading title subject_line | 标题 | tiêu_đề
article piece story | 文章 稿件 | bài bài_viết
summary_doc abstract | 摘要文 总结 | tóm_tắt
slide presentation deck | 幻灯片 演示文稿 | bài_trình_bày
spreadsheet excel | 电子表格 表格 | bảng_tính
chart graph_chart | 图表 | biểu_đồ
language_used | 语言 | ngôn_ngữ
tone tone_of_voice | 语气 | giọng_văn
emoji emojis emoticon | 表情 表情符号 | biểu_tượng_cảm_xúc
decimal decimals decimal_place | 小数 小数位 | số_lẻ thập_phân
font typeface | 字体 | phông_chữ
screen monitor display_screen | 屏幕 | màn_hình
weekend weekends | 周末 | cuối_tuần
public_holiday bank_holiday | 节假日 法定假日 | ngày_lễ
production prod live_system | 生产环境 生产库 线上 正式环境 生产 正式库 正式服 | môi_trường_thật máy_chủ_thật production môi_trường_chính
sandbox | 沙箱 沙盒 | sandbox
staging test_environment test_server testbed | 预发 测试环境 测试服 测试库 | môi_trường_thử máy_chủ_thử
branch_git feature_branch branch | 分支 | nhánh
main master trunk main_branch default_branch | 主分支 主干 main master | nhánh_chính main master
repository repo | 脚本仓库 代码库 代码仓库 | kho_mã kho_mã_nguồn
database db datastore | 数据库 库表 库 | cơ_sở_dữ_liệu csdl
table_db table | 表 数据表 | bảng
data dataset | 数据 | dữ_liệu
file document paper_file | 文件 文档 资料 | tệp tập_tin file tài_liệu
folder directory dir | 目录 文件夹 | thư_mục
log logs logfile | 日志 | nhật_ký log
config configuration setting parameter | 配置 参数 设置 | cấu_hình thiết_lập tham_số
password passphrase passcode credential secret_key | 密码 口令 凭证 凭据 | mật_khẩu
api endpoint | 接口 | api
key_secret api_key token secret | 密钥 令牌 秘钥 | khóa_api khóa_bí_mật mã_bí_mật
private_key | 私钥 | khóa_riêng
public_key | 公钥 | khóa_công_khai
account user_account | 账户 账号 帐户 | tài_khoản
login sign-in sign_in log_in logon | 登录 登陆 | đăng_nhập
two_factor two-factor 2fa mfa second_factor | 双因素 两步验证 双重认证 双因素认证 | xác_thực_hai_lớp hai_lớp
server host machine box | 服务器 主机 | máy_chủ server
service microservice process_srv daemon process | 服务 进程 | dịch_vụ tiến_trình
pod container | 容器 | container pod
pipeline ci build_pipeline | 流水线 构建流水线 | pipeline luồng_dựng
migration_db schema_migration down_step | 数据库迁移 | bước_migration
test_case unit_test tests test_suite | 单元测试 用例 单测 | bài_kiểm_thử ca_kiểm_thử test
version | 版本 | phiên_bản
code source_code source | 代码 源码 源代码 | mã_nguồn mã code
variable local_variable | 变量 局部变量 | biến
function method routine handler | 函数 方法 处理函数 | hàm
comment_code comment | 注释 评论 | bình_luận ghi_chú_mã
quote_mark quotation_mark | 引号 | dấu_nháy nháy
semicolon | 分号 | chấm_phẩy
statement_code | 语句 | câu_lệnh
line_length line-length column columns wrap_at line_width | 行宽 每行 行长 列宽 | độ_dài_dòng mỗi_dòng cột
timeout expire expiry fire time_out time_limit wait_time | 超时 等待时间 | thời_gian_chờ hết_hạn hết_giờ
interrupt_hw interrupts interrupt irq | 中断 | ngắt
memory_ram memory ram heap | 内存 | bộ_nhớ
flash flash_memory | 闪存 | flash bộ_nhớ_flash
firmware image firmware_image | 固件 | firmware
board dev_board circuit_board | 开发板 电路板 主板 | bo_mạch
invoice bill | 发票 账单 | hóa_đơn
receipt voucher slip | 收据 凭证单 小票 票据 | biên_lai chứng_từ phiếu
order_doc purchase_order po sales_order | 订单 采购单 采购订单 销售订单 | đơn_hàng đơn_mua đơn_đặt_hàng
quotation quote quotes price_quote | 报价 报价单 | báo_giá
contract agreement | 合同 协议 | hợp_đồng
price cost fee rate charge | 价格 价 费用 费率 单价 收费 | giá phí chi_phí đơn_giá
tax vat | 税 增值税 税率 | thuế vat
currency reporting_currency | 货币 币种 本位币 | tiền_tệ đồng_tiền
salary wage wages pay_packet paycheck | 工资 薪水 薪资 薪 月薪 | lương tiền_lương tiền_công
payslip pay_slip | 工资单 工资条 | phiếu_lương bảng_lương
bonus | 奖金 | thưởng tiền_thưởng
expense expenses expense_claim claim | 报销单 费用单 | công_tác_phí khoản_chi
cash | 现金 | tiền_mặt
money funds | 钱 资金 款 款项 | tiền
deposit | 存款 押金 | tiền_gửi đặt_cọc
cheque check_bank | 支票 | séc
bank | 银行 | ngân_hàng
period accounting_period fiscal_period | 期间账 会计期间 账期 | kỳ kỳ_kế_toán
journal journal_entry ledger entry entries | 分录 凭证分录 | bút_toán sổ_cái
stock inventory | 库存 存货 | tồn_kho
warehouse depot store_room storeroom | 仓库 仓库房 仓 北仓 库房 | kho
shelf rack bin_loc | 货架 货位 | kệ giá_kệ
goods merchandise cargo item product | 货物 商品 货 物品 产品 | hàng hàng_hóa sản_phẩm
lot batch | 批次 批 | lô lô_hàng
parcel packet | 包裹 快递 | bưu_kiện kiện_hàng
box crate carton | 箱子 箱 纸箱 | thùng hộp
pallet | 托盘 | pallet
container_ship shipping_container containers | 集装箱 | container công_te_nơ
truck lorry vehicle van | 卡车 货车 车辆 车 | xe xe_tải
driver drivers trucker | 司机 驾驶员 | tài_xế lái_xe
highway motorway freeway | 高速 高速公路 | cao_tốc đường_cao_tốc
road street | 道路 公路 | đường
port_sea harbour harbor | 港口 | cảng
supplier vendor | 供应商 | nhà_cung_cấp
customer client guest shopper buyer_customer | 客户 顾客 客人 | khách khách_hàng
user end_user | 用户 | người_dùng
employee staff worker personnel | 员工 职工 人员 | nhân_viên công_nhân người_lao_động
manager boss supervisor team_lead lead department_head section_head | 经理 主管 领导 部门经理 | quản_lý trưởng_phòng cấp_trên
director ceo cfo managing_director | 总监 董事 总经理 | giám_đốc
head_office headquarters | 总部 总公司 | trụ_sở trụ_sở_chính
branch_office local_branch | 分公司 支行 网点 门店 | chi_nhánh
office bureau | 办公室 事务所 | văn_phòng
patient patients | 病人 患者 | bệnh_nhân người_bệnh
relative family next_of_kin | 家属 亲属 | người_nhà thân_nhân
nurse | 护士 | điều_dưỡng y_tá
doctor physician | 医生 医师 | bác_sĩ
ward sickroom | 病房 | khoa phòng_bệnh
hospital clinic | 医院 | bệnh_viện
medicine drug medication tablet pill | 药 药品 药片 片剂 | thuốc viên viên_thuốc
opioid narcotic | 麻醉药 | thuốc_gây_nghiện
vaccine | 疫苗 | vắc_xin
hand hands | 手 双手 | tay bàn_tay
pupil student learner schoolchild | 学生 | học_sinh sinh_viên
parent guardian_parent | 家长 父母 | phụ_huynh cha_mẹ
teacher | 老师 教师 | giáo_viên thầy_cô
school campus grounds | 学校 校园 校门 | trường trường_học
lesson class lessons | 上课 课 课堂 | giờ_học tiết_học lớp lớp_học
exam examination | 考试 | bài_thi kỳ_thi thi
homework assignment | 作业 | bài_tập bài_về_nhà
library | 图书馆 | thư_viện
book books | 书 图书 | sách
mobile_phone phone cellphone smartphone | 手机 | điện_thoại
lift_elevator elevator lift | 电梯 | thang_máy
door gate | 门 闸门 | cửa cổng_ra_vào
window | 窗 窗户 | cửa_sổ
room | 房间 房 客房 | phòng
pet animal livestock animals | 动物 宠物 牲畜 | thú_cưng vật_nuôi động_vật
cow cattle herd | 牛 牛群 | bò đàn_bò
garden orchard | 花园 果园 | vườn
seedling plant sprout | 苗 幼苗 植物 | cây cây_con cây_giống
field farm | 农场 田 | ruộng nông_trại
barn stable | 棚 牛棚 | chuồng
food foodstuff | 食品 食物 | thực_phẩm đồ_ăn
tea | 茶 | trà
coffee | 咖啡 | cà_phê
rice | 米饭 米 饭 | cơm gạo
egg eggs | 鸡蛋 蛋 | trứng
meat beef pork | 肉 猪肉 牛肉 | thịt
poultry chicken duck turkey | 鸡 鸭 禽肉 | gà vịt gia_cầm
oil cooking_oil | 油 | dầu
wok pan frying_pan | 锅 炒锅 铁锅 | chảo nồi
knife blade | 刀 刀具 刀片 | dao lưỡi_dao
robot arm robot_arm | 机器人 机械臂 | robot cánh_tay
watchdog | 看门狗 | watchdog
enemy monster | 敌人 怪 怪物 | quái kẻ_địch
player gamer | 玩家 | người_chơi
music soundtrack | 音乐 | nhạc âm_nhạc
menu_ui menu | 菜单 | thực_đơn menu
dialogue dialog script_text | 对白 台词 | lời_thoại thoại
skin costume outfit | 皮肤 时装 | trang_phục
tutorial newbie_guide | 新手教程 教程 | hướng_dẫn_tân_thủ
level stage_game | 关 关卡 | màn màn_chơi
court tribunal | 法院 法庭 | tòa tòa_án
letter correspondence mail_letter | 信 信函 信件 文书 | thư văn_bản công_văn
email e-mail electronic_mail | 邮件 电子邮件 | email thư_điện_tử
lawyer attorney associate | 律师 律师助理 | luật_sư
assistant aide | 助理 助手 | trợ_lý
case matter lawsuit | 案件 案 案情 | vụ_án vụ_việc vụ
deed title_deed | 契据 房契 | giấy_tờ_nhà_đất
original original_copy | 原件 正本 | bản_gốc
watermark | 水印 | dấu_chìm
report_doc summary | 报表 | bản_báo_cáo
statement_fin financial_statement consolidated group_reporting | 合并报表 财务报表 | báo_cáo_hợp_nhất
schedule agenda calendar plan_day | 日程 日历 安排 | lịch lịch_trình
meeting stand-up standup | 会议 开会 会 | họp cuộc_họp
timestamp time_stamp | 时间戳 | mốc_thời_gian dấu_thời_gian
missing_value missing_values null_value | 缺失值 空值 | giá_trị_thiếu giá_trị_trống
value_data value | 值 数值 | giá_trị
event_data events event | 事件 | sự_kiện
autovacuum vacuum_db | autovacuum | autovacuum
attachment | 附件 | tệp_đính_kèm
image_picture photo picture | 图片 照片 | ảnh hình_ảnh
path filepath | 路径 | đường_dẫn
license licence permit business_license | 执照 许可证 营业执照 | giấy_phép
identity id_card identity_card caller_identity | 身份 身份证 | danh_tính căn_cước
tooling toolchain tool | 工具 | công_cụ
theme ui_theme | 主题 | giao_diện
bullet bullet_point bullets list_format list lists | 列表 要点 条目 | gạch_đầu_dòng danh_sách
prose paragraph flowing_prose paragraphs | 段落 散文 大段文字 | đoạn_văn văn_xuôi
infusion saline saline_bag drip infusion_bag | 输液 输液袋 | dịch_truyền túi_dịch_truyền
cage_tray tray | 托盘盒 塑料托盘 | khay
battery | 电池 | ắc_quy pin
cabin cab | 驾驶室 | cabin buồng_lái
helmet hard_hat | 头盔 安全帽 | mũ_bảo_hộ mũ
glove | 手套 | găng găng_tay
uniform workwear | 制服 工服 | đồng_phục
clinic_visit appointment booking | 预约 | lịch_hẹn đặt_lịch
badge pass_card | 工牌 门卡 | thẻ thẻ_ra_vào
timesheet time_sheet | 考勤 考勤表 工时表 | bảng_công bảng_chấm_công chấm_công
business_trip trip | 出差 | công_tác
fridge refrigerator cold_store cold_room | 冰箱 冷藏库 | tủ_lạnh kho_lạnh
freezer | 冷冻库 冰柜 | tủ_đông kho_đông
"""

QUALITIES = """
new fresh first-time | 新 新建的 | mới
!new old existing current used | 旧 老 现有 已有 在用 | cũ hiện_có đang_giao_dịch đã_dùng
private own personal internal | 私有 自己的 私人 内部 自有 | riêng nội_bộ cá_nhân của_riêng
!private public external third-party hosted outside | 公开的 公共 外部 对外 托管 | công_khai bên_ngoài công_cộng
domestic local_country | 国内 | nội_địa trong_nước
!domestic foreign overseas abroad | 国外 境外 | nước_ngoài ngoài_nước
left left-hand | 左 左侧 左边 | trái bên_trái
!left right right-hand | 右 右侧 右边 | bên_phải
top upper above_deck beginning | 上层 顶层 上面 最上层 开头 顶部 | tầng_trên trên_cùng đầu
!top bottom lower_deck foot_of | 下层 底层 底部 最下层 末尾 结尾 | tầng_dưới dưới_cùng cuối
front forward | 前排 前面 | dãy_trước phía_trước
!front back rear | 后排 后面 | dãy_sau phía_sau
hot | 热 热的 | nóng
!hot cold cool_temp | 冷 凉 冷的 | lạnh nguội
wet | 湿 | ướt
!wet dry | 干 干燥 | khô
full | 满 | đầy
!full vacant blank | 空 空白 | trống rỗng
big large long_size | 大 大型 | lớn to
!big small tiny minor little | 小 小型 小额 | nhỏ bé
fast quick rapid | 快 快速 | nhanh
!fast slow slowly | 慢 慢速 | chậm
early sooner | 提早 早 | sớm
!early late later | 迟 晚点 | muộn trễ
safe secure | 安全 | an_toàn
!safe dangerous hazardous unsafe | 危险 | nguy_hiểm
parallel concurrent in_parallel concurrently simultaneously | 并行 并发 同时 | song_song đồng_thời
!parallel serial sequential one_by_one one_at_a_time serially | 串行 逐个 依次 | tuần_tự lần_lượt từng_cái
raw uncooked crude | 生 生的 原始 | sống thô
!raw cooked processed refined | 熟 熟的 加工过 | chín đã_chế_biến
light_color light white | 浅色 白色 亮色 | sáng_màu màu_trắng
!light_color dark black | 深色 黑色 暗色 | tối_màu màu_đen
single one_only | 单 单个 | đơn
!single double twofold | 双 双份 | đôi kép
soft | 软 | mềm
!soft hard stiff | 硬 | cứng
uppercase upper-case capitals upper_case | 大写 | chữ_hoa viết_hoa
!uppercase lowercase lower-case lower_case | 小写 | chữ_thường viết_thường
ascending | 升序 | tăng_dần
!ascending descending | 降序 | giảm_dần
inclusive gross including_tax | 含税 税前 | gồm_thuế gộp
!inclusive net excluding_tax | 不含税 税后 未税 净额 | chưa_thuế ròng
common shared_by_all central centralised centralized one_common | 共用的 统一编号 集中 公共的 | dùng_chung_một tập_trung chung_một
+ company-wide |  |
!common per_branch per-branch separate_per individual decentralised per_unit | 分别 各自 单独 独立 | riêng_từng từng_chi_nhánh
draft provisional | 草稿 草案 | nháp bản_nháp
free free_of_charge gratis complimentary | 免费 无偿 | miễn_phí
!free paid_for chargeable premium | 付费 收费的 有偿 | trả_phí có_phí
with_paper paper on_paper hard_copy printed | 纸质 纸质版 纸 纸质件 | giấy bằng_giấy bản_giấy
!with_paper online electronic electronically digital | 在线 电子 线上提交 电子版 网上 | trực_tuyến qua_mạng điện_tử bản_điện_tử
+ digitally | 电子送达 |
same_day same-day on_the_day immediately at_once right_away instantly | 当日 当天 立即 马上 立刻 | ngay ngay_lập_tức trong_ngày
+ promptly | 即时 |
alone solo single-handed by_oneself unaccompanied | 单独一人 独自 一个人 | một_mình
!alone together in_pairs accompanied with_colleague | 两人一起 一起 结伴 | cùng_nhau cùng
strict loose_not | 严格 | nghiêm_ngặt
!strict loose lax lenient | 宽松 | lỏng
synchronous sync | 同步 | đồng_bộ
!synchronous asynchronous async | 异步 | bất_đồng_bộ
indoors indoor | 室内 屋内 | trong_nhà
!indoors outdoors outdoor | 室外 户外 | ngoài_trời
upstairs upper_floor | 楼上 | tầng_lầu
!upstairs basement cellar downstairs ground_floor | 地下室 楼下 | tầng_hầm
adult adults grown-up | 成人 成年人 | người_lớn
!adult child children kid minor_person | 儿童 小孩 未成年人 | trẻ_em trẻ
frozen deep-frozen | 冷冻 冷冻货 | đông_lạnh
chilled refrigerated | 冷藏货 | hàng_mát
internal_note north northern | 北 北边 | bắc phía_bắc
!internal_note south southern | 南 南边 | nam miền_nam phía_nam
formal polite | 正式语气 礼貌 敬语 | trang_trọng lịch_sự
!formal informal casual | 随意 口语 | thân_mật suồng_sã
verbose detailed long long-winded | 详细 冗长 | chi_tiết dài
!verbose terse brief short concise | 简短 简洁 简明 | ngắn ngắn_gọn
absolute | 绝对路径 绝对 | tuyệt_đối_đường
!absolute relative_path relative | 相对路径 相对 | tương_đối
overweight overloaded over_the_limit overload | 超载 超重 | quá_tải
blocked_state banned_state blocked | 被冻结 黑名单里的 | bị_khóa
closed_state completed finished_state concluded | 已结 结案 已关闭 已完成 | đã_xong
slow-release slow_release sustained-release | 缓释 缓释片 | giải_phóng_chậm
cross_border | 跨境 | xuyên_biên_giới
"""
