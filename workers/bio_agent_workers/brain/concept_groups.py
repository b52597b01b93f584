"""Sets whose members exclude each other, words that carry little, and the cues of a carve-out. Form: `concept_acts`."""

from __future__ import annotations

# One line a set, led by the slot its members fill where they alone name it; members parted by ";", each
# "en words | zh | vi"; "+ " goes on with the line above. As the value of one slot they contradict.
EXCLUSIVE_VALUES = """
package_manager: npm | npm | npm; yarn | yarn | yarn; pnpm | pnpm | pnpm; bun | bun | bun
merge_commit merge | 合并 | gộp; rebase | 变基 | rebase; squash | squash | squash
indent: tab tabs | 制表符 | dấu_tab; space spaces | 空格 | dấu_cách
name: snake_case snake underscore underscores | 下划线 蛇形 | gạch_dưới snake_case;
+ camelcase camel_case camel | 驼峰 小驼峰 | camelcase; pascalcase pascal_case pascal | 大驼峰 帕斯卡 | pascalcase;
+ kebab-case kebab_case kebab | 短横线 | kebab-case
hash: bcrypt | bcrypt | bcrypt; argon2id argon2 | argon2id | argon2id; scrypt | scrypt | scrypt; md5 | md5 | md5;
+ sha256 sha-256 | sha256 | sha256
clock_zone: utc gmt | utc | utc; local_time | 本地时间 当地时间 | giờ_địa_phương
currency: eur euro euros | 欧元 | euro; usd us_dollar us_dollars dollars | 美元 | usd đô_la; vnd dong | 越南盾 | vnd đồng;
+ cny yuan rmb | 人民币 | nhân_dân_tệ; gbp sterling | 英镑 | bảng_anh; jpy yen | 日元 | yên_nhật
json | json | json; xml | xml | xml; yaml yml | yaml | yaml; toml | toml | toml; csv | csv | csv
postgres postgresql | postgres | postgres; mysql | mysql | mysql; sqlite | sqlite | sqlite; oracle | oracle | oracle;
+ mongodb mongo | mongodb | mongodb
english | 英文 英语 | tiếng_anh; chinese mandarin | 中文 汉语 | tiếng_trung; vietnamese | 越南语 越语 | tiếng_việt;
+ french | 法语 | tiếng_pháp; german | 德语 | tiếng_đức; japanese | 日语 | tiếng_nhật
spelling: british british_spelling | 英式 | anh-anh; american american_spelling | 美式 | anh-mỹ
script: traditional_chinese | 繁体 繁体中文 | phồn_thể; simplified_chinese | 简体 简体中文 | giản_thể
north_accent | 北方口音 | miền_bắc; south_accent | 南方口音 | miền_nam; central_accent | 中部口音 | miền_trung
channel: by_post registered_post registered_mail post courier_mail | 挂号信 邮寄 | bưu_điện;
+ by_email via_email e-mail email | 邮件 电子邮件 | email; by_fax fax | 传真 | fax;
+ in_person face_to_face | 当面 亲自 | trực_tiếp tận_tay; by_phone over_the_phone | 电话里 | qua_điện_thoại
bullet bullet_point bullets list lists | 列表 要点 | gạch_đầu_dòng;
+ prose paragraph paragraphs | 段落 大段文字 | đoạn_văn văn_xuôi
daily every_day each_day | 每天 每日 天天 | hằng_ngày hàng_ngày mỗi_ngày;
+ weekly every_week each_week | 每周 每星期 | hằng_tuần hàng_tuần mỗi_tuần;
+ monthly every_month each_month | 每月 按月 | hằng_tháng hàng_tháng mỗi_tháng;
+ quarterly every_quarter end_of_the_quarter | 每季 季度末 每季度 | hằng_quý hàng_quý cuối_quý mỗi_quý;
+ yearly annually every_year | 每年 | hằng_năm hàng_năm mỗi_năm
before prior_to ahead_of beforehand in_advance | 之前 以前 前 事先 预先 | trước trước_khi;
+ after following once_after | 之后 以后 后 | sau sau_khi
first_in fifo | 先进先出 | fifo; last_in lifo | 后进先出 | lifo
dark_theme dark | 深色 | tối; light_theme light | 浅色 | sáng
steel | 钢 | thép; ceramic | 陶瓷 | sứ gốm; plastic | 塑料 | nhựa; wood wooden | 木 木头 | gỗ; glass | 玻璃 | thủy_tinh
http | http | http; https | https | https; ssh | ssh | ssh; ftp | ftp | ftp
logging logger | logging | logging; print | print | print
vim | vim | vim; emacs | emacs | emacs; vscode | vscode | vscode
windows | windows | windows; linux | linux | linux; macos | macos | macos
docker | docker | docker; podman | podman | podman
median | 中位数 | trung_vị; mean average | 平均值 均值 | trung_bình; mode_value | 众数 | số_mode
round_up | 向上取整 进位 | làm_tròn_lên; round_down | 向下取整 舍去 | làm_tròn_xuống
quarantine_store quarantine_warehouse quarantine | 隔离库 隔离区 | kho_cách_ly;
+ sales_store sales_warehouse | 可售库 销售仓 | kho_bán
time_off_in_lieu comp_time time_off | 调休 | nghỉ_bù; overtime_pay | 加班费 | tiền_làm_thêm
"""

# One line a set; members tell apart to whom, where or to which kind a rule applies. Both rules may hold.
EXCLUSIVE_SCOPES = """
production prod | 生产环境 生产 线上 | production môi_trường_thật;
+ staging test_environment test_server | 测试环境 预发 测试服 | môi_trường_thử; sandbox | 沙箱 | sandbox;
+ development dev_environment | 开发环境 | môi_trường_dev
adult adults | 成人 | người_lớn; child children | 儿童 小孩 | trẻ_em
domestic | 国内 | nội_địa; import imported foreign overseas | 进口 国外 | nhập_khẩu
private private_key | 私钥 私有 | khóa_riêng; public public_key | 公钥 公开 | khóa_công_khai
new | 新 | mới; existing old | 现有 老 旧 | cũ đang_giao_dịch
frozen freezer | 冷冻 冷冻库 | đông_lạnh tủ_đông; chilled fridge | 冷藏 冷藏库 | mát hàng_mát tủ_lạnh; dry_goods | 常温 | hàng_khô
draft drafts | 草稿 | nháp; signed final | 已签署 正式 定稿 | đã_ký
intern interns trainee | 实习生 | thực_tập_sinh; freelancer contractor | 外包人员 自由职业 外包 | cộng_tác_viên;
+ probation probationer | 试用期 | thử_việc; permanent_staff | 正式员工 | nhân_viên_chính_thức
savings savings_account | 储蓄账户 | tiết_kiệm; current_account checking_account | 活期账户 | vãng_lai
main master | main master 主分支 | main nhánh_chính; feature_branch own_branch | 特性分支 | nhánh_tính_năng
morning | 早上 上午 清晨 | sáng buổi_sáng; evening night | 晚上 夜里 | tối buổi_tối đêm
order_confirmed sales_order | 销售订单 | đơn_bán; quotation quotations | 报价单 | báo_giá
savings | 储蓄 | tiết_kiệm; loan | 贷款 | khoản_vay
"""

# Small words that face each other: they decide nothing, but where they differ two texts are not the same rule.
FACING = """
up upper | 上 | lên trên; down lower | 下 | xuống dưới
in into inside within | 内 里 进 | vào trong; out outside | 外 出 | ra ngoài
on onto | 开 | bật; off | 关 | tắt
first | 首 第一 最先 | đầu đầu_tiên; last final | 末 最后 | cuối cuối_cùng; next second | 次 下一个 第二 | kế tiếp
over above | 以上 超过 | hơn; under below | 以下 低于 | dưới_mức
more most | 更 最 多 | nhiều hơn_nữa; less least fewer | 少 较少 | ít
all every each any | 所有 全部 每 各 任何 | mọi tất_cả mỗi; some one single | 某 一个 单个 | một một_số; half | 一半 | nửa
to | 到 往 给 | đến tới; from | 从 自 由 | từ
"""

# What names no subject: it neither joins two rules nor parts them.
LIGHT = """
plenty enough sufficient inside further additional actually currently properly correctly directly completely carefully immediately | 自 就 先 |
+ there that's it's there's codebase code_base style via | 设为 设成 设 | đổi_thành đổi_sang chuyển_sang làm tiến_hành
+ configure configured run runs draw range change_to changes_to | 定为 配置成 风格 方式 进行 做 改成 | thực_hiện xử_lý việc cái con
+ switch_to do make have get go come take be set put keep | 改为 换成 通过 办理 处理 情况 方式 时候 之内 | chiếc người các những mỗi một
+ stay leave let want see need thing way item person people | 以内 内 中 里 上 下 的 了 着 过 地 | mọi tất_cả toàn_bộ thì là mà và
+ somebody someone anyone everyone everybody one ones time case place part | 得 就 都 也 还 再 才 把 | hoặc hay của cho với ở
+ kind type number amount rest side end same such other another each | 被 将 给 对 和 与 及 或 | tại trong trên dưới lên xuống
+ every all any both full own again also still only just even | 在 是 到 去 来 往 向 从 由 为 以 | đến tới từ về theo bằng do bởi
+ more most less least much many few well then so too here there | 按 照 依照 根据 并 而 且 但 所 其 | để cũng lại còn nữa rồi đã
+ now today out up down off away back over into onto from to | 该 各 每 某 个 位 名 份 件 张 | đang sẽ được bị phải cần nên hãy
+ at by for with about per via on in of as than like when | 次 一律 统一 所有 全部 任何 请 要 需 需要 应 | này kia đó ấy như cứ lần giờ
+ if while since until through between within across along around | 应当 应该 必须 须 会 能 成 起 时 | ngày tháng tuần mới vẫn
+ because why how what which who whose bound look show mean seem become | 天 日 年 月 小时 我 你 您 他 | luôn chỉ đều ai gì nào
+ happen turn apply follow provide require ensure wish matter reason | 她 它 我们 你们 大家 公司 这 那 | có không đi qua hơn khác
+ team company day hour minute week month year always once twice | 哪 这里 那里 只 仅 更 最 很 已 | chúng_ta tôi anh chị em bạn
+ first last next afterwards instead whole total certain | 已经 均 皆 凡 便 即 即可 等 等等 | mình họ quy_định trường_hợp lúc khi
+ relevant current given able must should may can our your their | 一下 一份 一次 每次 处 项 类 | sau trước ngoài giữa riêng sang
+ his her its my this that these those | 种 人 者 方 边 侧 | thêm_nữa bên phía đỡ
"""

# Cues that one rule is the special case of a governed exception; the number is their weight.
CUES = """
1.5 approval approve approved approves consent consents permission | 同意 批准 审批通过 核准 授权 | đồng_ý phê_duyệt được_duyệt
+ sign-off sign_off go-ahead authorised authorized authorisation | 书面授权 许可证 特批 凭 经 | cho_phép_của chấp_thuận ủy_quyền
+ authorization agrees agree okays written_instruction key_card | 处方 持有 持 请假条 | giấy_phép giấy_ủy_quyền có_đơn
+ waiver dispensation permit permits licence license prescription doctor's_note | 证明 准许 工单 | có_thẻ có_giấy có_chữ_ký
+ letter_from written_order medical_certificate written_consent signed_form | 补签 补单 许可 | chữ_ký_của đơn_của ký_bù
+ justification ticket countersigned countersign |  | đã_ghi_sổ
1.5 emergency emergencies hotfix outage incident sev-1 sev1 disaster | 紧急 突发 抢修 热修 应急 抢救 罢工 | khẩn_cấp sự_cố cấp_cứu
+ cardiac_arrest resuscitation crisis strike urgent urgently force_majeure | 故障期间 灾难 火灾 | đình_công hỏa_hoạn nguy_cấp
+ breakdown rescue fire_alarm | 急救 | thiên_tai
1.5 policy under_policy under_the_policy charter | 政策 依照 特例 豁免 破例 试点 | chính_sách ngoại_lệ đặc_cách
+ exemption exempt pilot_programme legal_hold dispute court_order | 诉讼 | thí_điểm tranh_chấp
0.75 provided as_long_as only_for for_the_duration temporarily | 期间 暂时 临时 遇 至多 | trong_thời_gian miễn_là tạm_thời
+ tolerated up_to as_much_as |  | trường_hợp tối_đa
0.75 recorded logged audited afterwards right_after | 登记 录像 备案 事后 监护 | ghi_biên_bản giám_sát có_ghi_sổ
+ attach supervised within_the_hour documented registered | | trong_vòng_một_giờ
0.75 lab test_bench trial prototype on_leave | 实验室 样机 休假 住院 | phòng_lab thử_nghiệm nằm_viện
+ teach_mode hospitalised sick dying | 病危 危重 | ốm nặng nghỉ_phép
"""
