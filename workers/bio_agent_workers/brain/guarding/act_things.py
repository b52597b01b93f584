"""General vocabulary of things in English, Chinese and Vietnamese: what an act is done to, and the state it is in.

One concept a line: its name and its words. Words of several syllables or parts are joined with "_".
"""

from __future__ import annotations

import re


def concept_table(text: str) -> dict[str, frozenset[str]]:
    """Concept → its words, from lines of `concept: word word …`; lines of one concept are put together."""
    out: dict[str, frozenset[str]] = {}
    for line in text.strip().splitlines():
        name, _, words = line.partition(":")
        said = frozenset(w.replace("_", " ").lower() for w in (name.strip(), *words.split()))
        out[name.strip()] = out.get(name.strip(), frozenset()) | said
    return out


THINGS = concept_table(
    """
container: containers jars bottles pots bowls vessel jar bottle can tin jug box pot bowl canister flask vật_chứa bình hộp lọ chai 容器 罐 瓶 盒
sealed: airtight closed_tight đậy_kín đóng_kín bịt_kín kín 密封的 密封 密闭
hot: scalding boiling nóng sôi 热的 烫的 高温 烫
cold: frozen lạnh đông_lạnh 冷的 冰冷
wet: ướt 湿的 湿
sharp: sắc nhọn 锋利
fragile: dễ_vỡ 易碎
holding: hold held carry carrying carried bưng bê đang_cầm 端着 拿着 抱着
metal: kim_loại steel aluminium aluminum foil 金属
glass: thủy_tinh thuỷ_tinh ly cốc 玻璃
knife: knives blade blades dao 刀
pan: chảo 锅
food: meal đồ_ăn thức_ăn 食物
child: children kid trẻ_em trẻ 儿童 孩子
person: people human người 人员
prod: production live sản_xuất_thật môi_trường_thật 生产环境 生产 正式环境
staging: 预发 预发布
database: db cơ_sở_dữ_liệu csdl 数据库
table: bảng_dữ_liệu bảng 数据表 表里 表中
schema: structure cấu_trúc 表结构 结构
leave: vacation nghỉ_phép đơn_nghỉ_phép 请假 休假 年假
branch: nhánh 分支
tag: thẻ_phiên_bản 标签
container image: container_images docker_image docker_images 容器镜像 镜像
owner: ownership chủ_sở_hữu 所有者 属主
remote ref: remote_branch remote_branches git_server máy_chủ_git nhánh_từ_xa 远程分支 远端分支 远程 远端
quantity: quantities qty số_lượng 数量
workspace: workspaces không_gian_làm_việc 工作区 工作空间
namespace: ns không_gian_tên 命名空间
environment: env envs môi_trường 环境
server: host máy_chủ 服务器
service: dịch_vụ 服务
file: tệp tập_tin 文件
folder: directory dir thư_mục 目录 文件夹
journal: journals bút_toán 凭证 分录
invoice: invoices hóa_đơn hoá_đơn 发票
order: orders đơn_hàng 订单 采购单
customer: customers khách_hàng khách 客户
supplier: vendor nhà_cung_cấp 供应商
payment: khoản_thanh_toán 付款单
period: kỳ_kế_toán kỳ 期间 会计期间
debt: debts owed owes owe owe_money owes_money owed_money outstanding_balance open_balance công_nợ còn_nợ nợ 欠款 欠债
closed: đã_khóa_sổ đã_khóa 已关账 已关闭的
password: passwords mật_khẩu 密码
secret: secrets khóa_bí_mật 密钥 机密
config: configuration configurations configs conf configmap configmaps cấu_hình 配置文件 配置
backup: backups bản_sao_lưu sao_lưu 备份
rights: right access_rights access_right permission permissions role roles privilege privileges quyền quyền_hạn vai_trò 权限 角色
user: users người_dùng 用户
migration: migrations 迁移脚本
node: nodes máy_trạm 节点
pod: pods
cluster: clusters cụm 集群
volume: volumes ổ_đĩa 卷
main: nhánh_chính 主分支 主干
force: forced --force cưỡng_ép 强制
united states: usa america hoa_kỳ 美国
china: trung_quốc 中国
vietnam: viet_nam việt_nam 越南
japan: nhật_bản 日本
korea: south_korea hàn_quốc 韩国
germany: 德国
france: 法国
united kingdom: britain 英国
russia: 俄罗斯
singapore: 新加坡
thailand: thái_lan 泰国
india: ấn_độ 印度
australia: 澳大利亚 澳洲
european union: liên_minh_châu_âu 欧盟
occupied: non-empty còn_hàng còn_đồ còn_người đang_có_người có_người_bên_trong chưa_trống 有货 有人 装着东西 不为空 非空 里面有东西
"""
)
#: Things whose English words a rule means literally ("the logs folder"); behind "|" the words of other languages, which a
#: call shows in English.
_ABROAD = """
freezer: deep_freezer | tủ_đông 冰柜 冷冻柜 冷柜
fridge: refrigerator | tủ_lạnh 冰箱
microwave: | lò_vi_sóng 微波炉
washer: washing_machine | máy_giặt 洗衣机
dishwasher: | máy_rửa_bát 洗碗机
heater: | lò_sưởi máy_sưởi 加热器 暖气
aircon: air_conditioner ac hvac | điều_hòa máy_lạnh 空调
fan: | quạt 风扇
lamp: light lights bulb | đèn 灯 电灯 灯光 台灯
boiler: | nồi_hơi lò_hơi 锅炉
pump: pumps | máy_bơm bơm 水泵 泵
valve: valves | van 阀门 阀
irrigation: watering sprinkler | tưới tưới_tiêu 灌溉
tank: | bồn bể_chứa bể 储罐 水箱
water: | nước
shop: store | cửa_hàng 商店 门店
office: | văn_phòng 办公室
gas: | khí khí_đốt ga 燃气 煤气
motor: engine | động_cơ 电机 马达
conveyor: conveyor_belt | băng_chuyền băng_tải 传送带 输送带
crane: | cần_cẩu cần_trục 起重机 吊车
forklift: | xe_nâng 叉车
drone: | máy_bay_không_người_lái 无人机
car: vehicle | xe 车辆 汽车
elevator: lift | thang_máy 电梯
alarm: | báo_động còi_báo 警报 报警器
port: ports | cổng_mạng 端口
internet: | mạng_ngoài 公网 外网 互联网
spindle: | trục_chính 主轴
camera: | máy_quay 摄像头 相机
sensor: | cảm_biến 传感器
route: routing routes | bảng_định_tuyến 路由表 路由
furnace: kiln | lò lò_nung 炉 窑
payslip: payslips | phiếu_lương 工资单
snapshot: snapshots | ảnh_chụp_nhanh 快照
gateway: | 网关
router: | bộ_định_tuyến 路由器
printer: | máy_in 打印机
door: doors | cửa 房门 车门 库门 大门 防护门 安全门 舱门
replicas: | số_bản_sao 副本数 副本
pen: stall | chuồng 畜栏 圈舍
gate: | cổng 闸门
window: | cửa_sổ 窗户
curtain: blinds | rèm 窗帘
warehouse: | kho_hàng nhà_kho 库房 仓储
room: | phòng 房间
kitchen: | nhà_bếp 厨房
greenhouse: | nhà_kính 温室
garage: | nhà_xe 车库
zone: area | khu khu_vực vùng 区域 片区
floor: storey | tầng 楼层
shelf: rack | kệ_hàng giá_hàng 货架
tray: | khay 托盘
salary: payroll wages | lương bảng_lương 工资 薪资
contract: contracts | hợp_đồng 合同
budget: | ngân_sách 预算
employee: staff | nhân_viên 员工
stock: inventory | tồn_kho 库存
price: prices | giá giá_bán đơn_giá 价格
discount: | chiết_khấu giảm_giá 折扣
expense: expenses reimbursement | chi_phí 费用
account: accounts | tài_khoản 账户 账号
report: reports | báo_cáo 报告 报表
plan: | gói_cước 套餐
product: products | sản_phẩm 产品 商品
hotel: | khách_sạn 酒店
bedroom: | phòng_ngủ 卧室
bathroom: | phòng_tắm 浴室
basement: cellar | tầng_hầm 地下室
hallway: corridor | hành_lang 走廊
balcony: | ban_công 阳台
garden: | vườn 花园
living room: lounge | phòng_khách 客厅
ticket: tickets | vé phiếu_yêu_cầu 工单
draft: drafts | bản_nháp 草稿
firewall: | tường_lửa 防火墙
certificate: cert certs | chứng_chỉ 证书
queue: | hàng_đợi 队列
cache: | bộ_nhớ_đệm 缓存
temperature: temp | nhiệt_độ 温度
log: logs | nhật_ký 日志
audit: | kiểm_toán 审计
centrifuge: | máy_ly_tâm 离心机
compressor: | máy_nén 压缩机
press: | máy_ép máy_dập 冲床 压力机
lathe: | máy_tiện 车床
drill: | máy_khoan 钻床 电钻
welder: | máy_hàn 焊机
saw: | máy_cưa 锯床 电锯
water level: | mực_nước 水位
department: departments | phòng_ban 部门
lid: cover cap | nắp 盖子 锅盖 盖
blender: mixer | máy_xay 搅拌机 搅拌器
robot vacuum: vacuum_cleaner | máy_hút_bụi robot_hút_bụi 扫地机 吸尘器
milk: dairy | sữa 牛奶
kettle: | ấm_đun 水壶
speaker: | loa 音箱 扬声器
mower: lawnmower | máy_cắt_cỏ 割草机
tablet: pills pill | viên_thuốc 药片
medicine: drug medication | thuốc 药品 药物
patient: patients | bệnh_nhân 病人 患者
student: students pupil | học_sinh sinh_viên 学生
grade: grades mark score | 成绩
channel: channels | kênh 频道
photo: photos picture | 照片
video: | 视频
playlist: | danh_sách_phát 播放列表
ssh key: | khóa_ssh khoá_ssh
bank account: iban bank_details banking_details | tài_khoản_ngân_hàng 银行账户 银行账号
baby: infant nursery | em_bé trẻ_sơ_sinh 婴儿 宝宝
arm: | cánh_tay cánh_tay_robot tay_máy 机械臂 机器臂 手臂
fence: | hàng_rào 围栏 护栏
group: | nhóm 组
goods: merchandise | hàng_hóa hàng_hoá 货物
full: complete_sync | toàn_phần 全量
incremental: | gia_tăng 增量
"""
TRANSLATED = {
    word: name for name, words in concept_table(re.sub(r":[^|\n]*\|", ":", _ABROAD)).items() for word in words - {name}
}
THINGS |= concept_table(_ABROAD.replace("|", " "))
#: Words of a call that show a state, besides those that a sentence says it with.
SHOWN_BY = {
    "container image": frozenset({"image", "images"}),
    "remote ref": frozenset({"remote"}),
    "internet": frozenset({"web", "online", "public", "url", "http", "https", "world"}),
    "quantity": frozenset({"delta", "count", "units", "stock"}),
    "door": frozenset({"gate", "hatch"}),
    "united states": frozenset({"us", "usa"}),
    "china": frozenset({"cn", "chn"}),
    "vietnam": frozenset({"vn", "vnm"}),
    "japan": frozenset({"jp", "jpn"}),
    "korea": frozenset({"kr", "kor"}),
    "germany": frozenset({"de", "deu"}),
    "france": frozenset({"fr", "fra"}),
    "united kingdom": frozenset({"gb", "uk", "gbr"}),
    "russia": frozenset({"ru", "rus"}),
    "singapore": frozenset({"sg", "sgp"}),
    "thailand": frozenset({"th", "tha"}),
    "india": frozenset({"ind"}),
    "australia": frozenset({"au", "aus"}),
    "european union": frozenset({"eu"}),
    "occupied": frozenset({"contents", "content", "occupants", "occupancy", "load", "payload", "people inside"}),
}
