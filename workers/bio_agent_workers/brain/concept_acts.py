"""Vocabulary of what rules ask to be done: one line a concept, synonyms in English | Chinese | Vietnamese.

Blanks part words, "_" joins the words of one phrase. A line that begins with "!" is the opposite pole of the line above
it: "disable" is "enable" with the sign turned. Words stand in base form; English is matched by its stem.
"""

from __future__ import annotations

ACTS = """
drink_alcohol alcohol | 喝酒 饮酒 酒 | uống_rượu rượu
lend loan lending | 借出 出借 | cho_vay cho_mượn_ra
photograph photography take_photos take_pictures | 拍照 摄影 | chụp_ảnh chụp
log_in sign_on authenticate | 认证 鉴权 | xác_thực
grant give_access authorise_access assign_role | 授予 开通 赋权 | cấp_quyền
!grant revoke withdraw_access take_away_access | 收回 吊销 撤权 | thu_hồi_quyền
commit_to_stock receive_goods | 验货 | nhận_hàng
escalate hand_up | 升级处理 升级 | chuyển_cấp leo_thang
round rounding | 取整 四舍五入 | làm_tròn
sort order_by sorting | 排序 | sắp_xếp
validate_input sanitise_input | 校验输入 | kiểm_tra_đầu_vào
log_event logging_level | 打日志 | ghi_log
monitor watch observe supervise | 监控 监视 观察 | giám_sát theo_dõi
rename | 重命名 改名 | đổi_tên
quote_text quote_string cite | 引用 | trích_dẫn
wait hold_on delay postpone defer | 等待 推迟 延后 延迟 等 | chờ đợi hoãn dời_lại
!wait hurry bring_forward expedite | 提前 加急 | đẩy_nhanh
split divide break_into | 拆分 分拆 | tách_nhỏ chia_nhỏ
slice cut carve | 切 切片 | cắt thái
peel | 削皮 去皮 | gọt bóc
taste try_food | 尝 品尝 | nếm
serve dish_up plate_up | 上菜 端 | dọn_ra bưng
defrost thaw | 解冻 | rã_đông
!defrost deep_freeze refreeze | 再冻 冷冻保存 | cấp_đông
dry_off drain_dry | 晾干 擦干 | phơi lau_khô
interrupt_me disturb bother | 打扰 | làm_phiền quấy_rầy
remind reminder | 提醒 | nhắc nhắc_nhở
schedule_meeting plan arrange | 安排 排期 计划 | sắp_lịch lên_kế_hoạch
summarise summarize | 总结要点 概括 | tóm_lược
explain clarify | 解释 说明 | giải_thích
apologise apologize | 道歉 | xin_lỗi
promise commit_date | 承诺 | hứa cam_kết
record_call record_session | 录音 录像 | ghi_âm ghi_hình
deploy release ship publish roll_out go_live launch | 发布 上线 部署 发版 发行 推出 投产 | triển_khai phát_hành lên_bản_mới lên_bản
+ deployment rollout |  | đưa_lên ra_mắt
!deploy roll_back rollback revert undo | 回滚 撤回 撤销 回退 还原 | hoàn_tác quay_lui thu_hồi lùi_lại
push force-push force_push | 推送 直推 推 强推 强制推送 | đẩy push
pull fetch check_out checkout | 拉取 拉代码 检出 | kéo_về lấy_về
merge | 合并 合入 | gộp hợp_nhất
commit check_in | 提交 入库代码 | commit
rebase | 变基 rebase | rebase
squash | squash 压缩提交 压缩 | squash gộp_commit
approve approver approvers sign_off okay authorise authorize | 批准 审批 同意 核准 审批通过 许可 | duyệt phê_duyệt đồng_ý chấp_thuận
+ approval consent permission go-ahead authorisation authorization clearance | 授权 准许 审核 | cho_phép ủy_quyền phê_chuẩn
+ agree sanction | 特批 点头 | ký_duyệt
!approve reject refuse decline deny turn_down turn_away | 拒绝 拒收 驳回 退回 谢绝 | từ_chối bác_bỏ không_nhận trả_hồ_sơ
sign signature signed countersign autograph initial | 签字 签名 签署 签收 签 补签 已签 已签署 已签名 | ký chữ_ký ký_tên ký_số đã_ký
!sign unsigned | 未签名 未签 未签署 | chưa_ký
enable turn_on switch_on switched_on activate stay_on leave_on keep_on | 启用 开启 打开 开 开机 开着 | bật kích_hoạt mở bật_lên
+ start_up power_on | 激活 | mở_lên
!enable disable turn_off switch_off switched_off deactivate stay_off | 禁用 关闭 关掉 关 关机 停用 关上 | tắt vô_hiệu_hóa ngắt_điện
+ leave_off_power shut_down power_off shut_off mute | 静音 | tắt_đi
open reopen | 开放 开门 开启门 营业 | mở_cửa mở_ra
!open close shut closed lock locked seal | 关门 闭馆 锁定 关账 封存 锁 锁上 上锁 停业 歇业 | đóng_cửa đóng khóa khóa_sổ đóng_lại
keep retain preserve hold archive maintain save | 保留 留存 保存 存档 归档 留 保管 | giữ lưu_giữ giữ_lại lưu_trữ bảo_lưu
!keep delete remove erase destroy drop purge shred discard | 删除 删掉 销毁 丢弃 清除 删 抹掉 | xóa hủy bỏ_đi tiêu_hủy vứt loại_bỏ
+ throw_away throw_out dispose wipe leave_out strip dump trash bin | 扔掉 丢掉 去掉 移除 剔除 作废 | gỡ xóa_bỏ bỏ hủy_bỏ
include contain embed attach enclose add insert | 包含 附上 附 加上 添加 加入 插入 附带 带上 | kèm đính_kèm bao_gồm thêm kèm_theo chèn
+ append | 加 |
!include exclude omit skip bypass leave_off miss | 排除 跳过 省略 略过 不含 绕过 免去 | bỏ_qua loại_trừ lược_bỏ không_gồm
start begin commence resume kick_off | 开始 启动 恢复 开工 | bắt_đầu khởi_động khởi_chạy
!start stop end halt abort cease finish terminate pause | 停止 中止 结束 终止 停 暂停 取消 | dừng ngừng kết_thúc hủy_chạy tạm_dừng
+ cancel suspend | 中断执行 停线 | chấm_dứt
continue carry_on go_on keep_running proceed | 继续 接着 | tiếp_tục
!continue break_off call_off | 中断任务 放弃 | bỏ_dở
encrypt cipher encrypted | 加密 | mã_hóa
!encrypt decrypt plaintext plain_text clear_text cleartext unencrypted | 解密 明文 未加密 | giải_mã bản_rõ không_mã_hóa
lock_account | 锁定账户 锁定账号 | khóa_tài_khoản
pay payment pay_out paid reimburse remunerate payday | 支付 付款 发放 发工资 发薪 付 结算 报销 | trả thanh_toán chi trả_tiền chi_trả
+ pay_day payout disburse settle | 发薪日 计发 打款 付钱 支出 | chi_tiền nhận_lương chi_lương phát_lương
buy purchase order procure purchasing | 采购 购买 买 订购 下单 购置 | mua mua_hàng đặt_hàng đặt_mua mua_sắm
sell sale | 销售 出售 卖 售 | bán bán_hàng
refund return_money | 退款 退钱 | hoàn_tiền trả_lại_tiền
return give_back bring_back send_back returns | 退货 归还 退还 退回货 还 | trả_hàng trả_lại trả_về hoàn_trả đổi_trả
give hand_over hand_out give_away grant donate gift hand | 赠送 发给 给予 赠 交给 发放给 给出 | tặng cho_không cấp giao_cho biếu đưa
+ hand_in | 送人 |
submit turn_in lodge deliver_in enter_for | 提交材料 上交 交 递交 呈交 提报 交付材料 | nộp gửi_nộp đệ_trình nộp_lên
send mail transmit post_out message messages dispatch forward | 发送 寄 寄出 发 推给 发给 通知 告知 | gửi báo thông_báo chuyển nhắn
+ notify message inform alert tell ping | 发消息 消息 投递 传 发出 抄送 | gửi_đi báo_cho nhắn_tin
deliver delivery hand_off | 送货 交货 送达 配送 派送 交付 送 | giao giao_hàng chuyển_giao phát_hàng vận_giao
carry transport haul travel move_goods freight convey | 运输 搬运 运 运送 转移 拉货 | chở vận_chuyển chuyên_chở di_chuyển vận_tải
+ transfer |  |
load stack pile put_on_board stow | 装 装载 码 堆 码放 堆放 装货 叠放 | xếp chất chất_hàng xếp_chồng bốc_lên
!load unload | 卸 卸货 | dỡ bốc_dỡ dỡ_hàng
store stored put_away stock_up keep_in stash place put | 存放 储存 存 放 放在 入库 摆放 | cất để cất_giữ bảo_quản đặt nhập_kho nằm
+ lay | 摆 放置 | lưu lưu_kho
write draft compose author spell word write_down note record | 写 写成 编写 撰写 记录 登记 记 录入 | viết ghi ghi_lại soạn đăng_ký
+ log jot register enter | 记下 填写 标注 | ghi_chép nhập điền
read | 读取 阅读 读 | đọc
post posting book_entry | 记账 过账 入账 | ghi_sổ hạch_toán
call phone ring telephone dial | 打电话 致电 电话 通话 | gọi gọi_điện điện_thoại_cho
talk speak discuss chat converse discussion | 谈论 讨论 谈 聊 说 交谈 谈话 | nói bàn thảo_luận nói_chuyện bàn_luận trò_chuyện
+ talking conversation |  | trao_đổi
ask request apply query enquire inquire apply_for | 申请 请求 要求提供 询问 问 提出申请 | xin hỏi yêu_cầu đề_nghị xin_phép đăng_kí
+ application |  |
answer reply respond | 回答 回复 答复 答 应答 回信 | trả_lời đáp hồi_đáp phản_hồi
test check verify validate inspect examine | 测试 检查 验证 核对 检验 校验 复核 | kiểm_tra kiểm_thử xác_minh rà_soát soát đối_chiếu
+ review audit proof vet | 评审 验收 查验 抽检 | thẩm_định kiểm_duyệt nghiệm_thu
scan | 扫描 扫码 扫 | quét
count stocktake tally inventory_count | 盘点 清点 点数 计数 点 | đếm kiểm_kê kiểm_đếm
change modify edit alter update amend replace swap | 修改 更改 更新 改 更换 换 变更 轮换 替换 | sửa đổi thay thay_đổi cập_nhật sửa_đổi
+ renew rotate rotation switch_over hang_new | 订正 换新 改动 | thay_mới xoay_vòng thay_thế chỉnh_sửa
!change freeze leave_alone leave_untouched immutable read-only | 冻结 只读 保持不变 不变 | chỉ_đọc đóng_băng giữ_nguyên bất_biến
+ unchanged readonly untouched | 原样 |
create make generate produce build establish construct set_up | 创建 新建 生成 制作 建立 构建 产生 | tạo lập dựng sinh xây tạo_mới
copy duplicate replicate | 复制 拷贝 抄 | sao_chép nhân_bản chép
back_up backup | 备份 | sao_lưu dự_phòng
restore recover | 恢复数据 还原数据 | khôi_phục phục_hồi
print | 打印 印 | in in_ấn
label tag mark sticker | 标签 贴标 打标签 标记 贴 | dán dán_nhãn nhãn gắn_nhãn đánh_dấu
wrap pack package bubble_wrap | 包装 打包 包 | gói bọc đóng_gói bao_gói
clean wash rinse wipe_down | 清洗 洗 清洁 打扫 擦 | rửa lau vệ_sinh làm_sạch dọn giặt
disinfect sanitise sanitize sterilise sterilize autoclave sterilisation | 消毒 灭菌 高压锅消毒 | khử_trùng tiệt_trùng sát_khuẩn
+  |  | hấp_tiệt_trùng
heat warm preheat heat_up boil cook fry bake | 加热 预热 煮 蒸 炒 烧 烤 煮沸 烧开 煮饭 | đun nấu làm_nóng hâm luộc hấp chiên nướng
+ steam | 蒸米饭 | sôi
!heat cool chill refrigerate cool_down | 冷却 冷藏 降温 | làm_mát ướp_lạnh làm_nguội hạ_nhiệt
add_salt salt season | 放盐 加盐 撒盐 | nêm ướp_muối cho_muối
pour fill top_up refill | 倒 灌 倒入 注入 加满 | đổ rót châm đổ_đầy
!pour drain empty | 倒空 清空 排空 放空 | xả đổ_bỏ
water irrigate watering | 浇水 浇 灌溉 | tưới tưới_nước
spray | 喷 喷洒 | phun xịt
feed eat meal breakfast lunch dinner food_intake | 喂 喂食 吃 进食 早餐 用餐 吃饭 饮食 服用 | ăn cho_ăn bữa ăn_uống ăn_nhẹ
!feed fast fasting abstain nil_by_mouth | 禁食 空腹 断食 | nhịn_ăn nhịn
drink | 喝 饮用 饮 | uống
smoke smoking | 抽烟 吸烟 | hút_thuốc hút
grip grasp grab pick_up pick handle hold_item clamp gripper | 抓 抓取 夹 夹取 夹爪 拿 | kẹp gắp cầm tay_kẹp nắm
crush grind break_up split_tablet halve mash chop | 掰开 磨碎 捣碎 掰成两半 碾碎 掰 切碎 | nghiền bẻ tán giã
move jog drive motion travel_arm | 移动 动作 运动 行进 | di_chuyển_tay chuyển_động chạy_tay
!move stand_still stay_still stationary motionless stop_moving | 静止 不动 停住 | đứng_yên bất_động
enter go_in get_in come_in entrance admit let_in entry_to | 进入 进棚 进场 进 入内 进门 | vào vào_trong đi_vào bước_vào
!enter leave exit go_out depart get_out leaving | 离开 出场 出校门 离场 出门 退出 | ra rời rời_khỏi ra_khỏi ra_bãi đi_khỏi
stay_over stay_overnight sleep_over spend_the_night overnight | 留宿 过夜 住 留下 停留 | ở_lại ở_lại_qua_đêm lưu_trú ngủ_lại
visit visiting visitor | 探视 探访 探望 来访 探视者 | thăm thăm_bệnh người_thăm đến_thăm
check_in_guest check-in register_guest | 入住 办理入住 | nhận_phòng
check_out_guest check-out vacate | 退房 | trả_phòng
hire recruit employ | 招聘 雇用 录用 | tuyển tuyển_dụng thuê_người
!hire dismiss lay_off sack | 解雇 辞退 开除 裁员 | sa_thải đuổi_việc cho_thôi_việc
promote raise increase grow up_scale scale_up | 提高 增加 提升 上调 扩容 涨 | tăng nâng tăng_lên mở_rộng
!promote lower reduce decrease cut shrink scale_down trim | 降低 减少 下调 缩容 削减 降 | giảm hạ giảm_bớt thu_hẹp
connect attach_cable plug_in link join | 连接 接入 接 插上 | kết_nối nối cắm liên_kết
!connect disconnect unplug detach | 断开 拔掉 断网 分离 | ngắt_kết_nối rút tháo
install set_up_software | 安装 装上 | cài_đặt cài lắp_đặt
!install uninstall | 卸载 | gỡ_cài_đặt
allow_list whitelist allowlist | 白名单 | danh_sách_trắng
!allow_list blacklist blocklist denylist | 黑名单 | danh_sách_đen
block hold_back stop_invoice hold_up withhold block_invoice | 拦截 冻结付款 卡住 扣住 阻止 | chặn giữ_lại_hóa_đơn ngăn
!block unblock let_through go_through pass_through release_hold | 放行 解冻 通过放行 解除 | cho_qua bỏ_chặn mở_chặn thông_qua
+ wave_through |  |
hash hashed digest | 哈希 散列 | băm
cache cached caching | 缓存 | lưu_đệm bộ_đệm cache
compress zip | 压缩 | nén
compile | 编译 | biên_dịch
allocate malloc memory_allocation | 分配 申请内存 分配内存 | cấp_phát
retry try_again repeat | 重试 再试 重复 | thử_lại lặp_lại_lệnh
loop looping replay | 循环 循环播放 重复播放 | lặp lặp_lại phát_lặp
play play_back | 播放 放音乐 | phát chơi
respawn revive resurrect come_back_to_life | 重生 复活 | sống_lại hồi_sinh
!respawn stay_dead remain_dead | 不再复活 | chết_luôn
kill slay defeat killed | 打死 击杀 杀死 | giết hạ_gục đã_chết
fail failure fail_over crash break broken is_red | 失败 出错 故障 报错 未通过 不通过 没通过 | thất_bại lỗi hỏng đổ_vỡ
+ are_red turns_red go_wrong | 挂掉 崩溃 | không_đạt
+ fall_over |  |
!fail pass succeed success is_green are_green | 审批通过 测试通过 通过后 全部通过 成功 全绿 | thành_công đạt vượt_qua
+ all_green successful | 合格 变绿 | qua_hết
+ go_well |  |
confirm confirmed acknowledge | 确认 确定 | xác_nhận chốt
reserve set_aside allocate_stock earmark | 预留 保留库存 预定 占用 | giữ_chỗ giữ_hàng đặt_trước
quarantine isolate quarantined hold_lot | 隔离 待检 | cách_ly biệt_trữ
negotiate bargain haggle | 谈判 议价 砍价 协商 | thương_lượng đàm_phán mặc_cả
hide mask conceal redact | 隐藏 屏蔽 遮盖 脱敏 打码 | ẩn che giấu
!hide show display reveal expose visible | 显示 展示 公开 露出 | hiện hiển_thị lộ phơi_bày
share shared sharing lend | 共享 分享 借给 共用 | chia_sẻ dùng_chung cho_mượn
listen bind port containerport listening | 监听 端口 绑定 | lắng_nghe nghe cổng
compare comparison | 比较 对比 | so_sánh
reboot restart | 重启 | khởi_động_lại
migrate migration | 迁移 | di_trú chuyển_đổi_dữ_liệu migration
cover guard protect shield | 防护 保护 护罩 | bảo_vệ che_chắn
wear put_on | 戴 穿 佩戴 穿戴 | đeo mặc đội mang_đồ
!wear take_off | 脱 摘下 | cởi tháo_ra
train teach instruct training | 培训 教 示教 训练 | đào_tạo dạy huấn_luyện hướng_dẫn
borrow | 借 借用 | mượn
rent lease hire_out | 租 租赁 出租 | thuê
vaccinate vaccinated vaccination immunise immunize | 接种 打疫苗 疫苗接种 | tiêm_phòng tiêm_chủng
inject | 注射 打针 | tiêm
use utilise handle utilize employ_tool prefer reach_for go_for adopt | 使用 用 采用 选用 走 使 首选 | dùng sử_dụng áp_dụng chọn
+ stick_to opt_for rely_on apply_tool | 改用 | ưu_tiên xài
work_overtime overtime extra_hours overtime_hours | 加班 | tăng_ca làm_thêm làm_thêm_giờ làm_ngoài_giờ
take_leave leave_day holiday day_off time_off vacation | 休假 请假 调休 年假 休息日 放假 假期 病假 | nghỉ nghỉ_phép nghỉ_bù ngày_nghỉ
+ sick_leave |  | nghỉ_ốm
resign quit_job | 离职 辞职 | thôi_việc nghỉ_việc
attend present_at take_part join_meeting | 参加 出席 到场 参会 | tham_gia tham_dự dự có_mặt
partition shard_by split_by | 分区 切分 | phân_vùng chia chia_theo
drop_values impute fill_in fill_missing | 填充 补全 插补 | điền_giá_trị bù_giá_trị
clear_customs customs clearance_customs cleared_customs | 清关 报关 通关 | thông_quan khai_hải_quan
report report_to escalate | 上报 报告 汇报 报备 | báo_cáo trình_báo báo_lên
park parking | 停车 停放 | đỗ_xe đậu đỗ
discharge discharge_patient | 出院 | xuất_viện
dispense issue prescribe hand_medicine draw_drug | 领用 开药 发药 处方 凭处方 | lĩnh kê_đơn cấp_thuốc lĩnh_thuốc
operate surgery operation surgical | 手术 开刀 术前 | mổ phẫu_thuật
touch contact handle_with physical_contact | 接触 触碰 碰 | chạm tiếp_xúc đụng sờ
import_goods import imported importing | 进口 | nhập_khẩu
export_goods export exporting | 出口 导出 | xuất_khẩu
invoice_out issue_invoice | 开票 开发票 | xuất_hóa_đơn
terminate_tls tls_terminate | 终止TLS | kết_thúc_tls
annotate annotated | 附注 注释 | chú_thích
indent indentation | 缩进 | thụt_đầu_dòng thụt_lề thụt
name naming | 命名 取名 | đặt_tên tên_biến
format formatting layout | 格式 排版 格式化 | định_dạng
translate translation | 翻译 译 | dịch
learn study | 学习 | học
sit seat seated | 坐 就座 | ngồi
greet address_customer | 称呼 问候 | xưng_hô chào gọi_khách
lift_up hoist raise_arm | 抬起 举起 吊 | nhấc nâng_lên
mix blend stir combine_stuff | 混合 搅拌 混放 混装 | trộn pha khuấy để_chung xếp_chung
!mix separate segregate apart keep_apart | 分开 隔开 分离放 分放 | tách để_riêng riêng_rẽ phân_tách
inspect_vehicle service_vehicle maintain_machine servicing maintenance | 维护 维修 保养 检修 | bảo_trì bảo_dưỡng sửa_chữa
work working_on be_at_work | 上班 工作 办公 | làm_việc đi_làm
automate automatic automatically auto automated | 自动 自动化 | tự_động
!automate manual manually by_hand hand-edit by_hand | 手工 手动 人工 手工改 | thủ_công bằng_tay
"""
