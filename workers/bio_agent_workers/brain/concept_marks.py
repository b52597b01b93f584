"""Words of logic in rules: one line an operator, English | Chinese | Vietnamese; "_" joins the words of one phrase."""

from __future__ import annotations

# NOT negates its part of the clause, NOT1 the next concept only; MAY permits, EXEMPT lifts a duty; IF opens a condition,
# ENDIF closes one that began with the clause; UNLESS and WITHOUT open a negated one; ONLYIF opens a necessary one,
# THENONLY closes it; INSTEAD opens what is not to be; BUT opens a clause of its own.
OPERATORS = """
NOT no_one | 任何人不得 谁也不得 | không_ai không_ai_được
NOT | 永不 永远不 从来不 从未 绝不会 | không_hề
NOT not don't dont doesn't didn't isn't aren't wasn't won't | 不得 不要 不能 不许 不准 不可 | không_được không_được_phép không_nên
NOT wouldn't can't cannot mustn't shouldn't couldn't | 不可以 不允许 不应 不应该 不该 不再 严禁 | không_bao_giờ không_bao_giờ_được đừng
NOT may_not never no nobody none nothing neither nor forbidden prohibited | 禁止 切勿 勿 别 绝不 | đừng_bao_giờ chớ nghiêm_cấm
NOT banned disallowed avoid avoids refrain unacceptable no_longer no_more | 决不 从不 杜绝 避免 禁用 不 | cấm tránh không chẳng
NOT not_allowed annoy annoys hates dislikes nowhere barred is_not are_not | 绝不能 一律不得 不让 不算 不收 禁 | không_thể không_cho
NOT do_not does_not must_not should_not shall_not can_not will_not | 莫 谁也不能 不会 不宜 免 | tuyệt_đối_không không_cho_phép
NOT under_no_circumstances out_of_the_question no_one |  | không_để
NOT1 not_been not_yet | 未 没 非 无 未曾 尚未 没有经过 | chưa chưa_được không_phải_là phi
LIMIT no_sooner_than no_earlier_than not_before not_until once_a_day | 不得超过 不超过 不能超过 | không_quá
LIMIT once_a_week once_a_month once_a_year once_an_hour once_per |  | không_vượt_quá
LIMIT once_every once_daily once_more at_once not_exceed must_not_exceed | 不要超过 不低于 不少于 | không_dưới không_được_quá
LIMIT no_more_than not_more_than no_later_than no_less_than not_less_than no_fewer_than | 不得低于 | không_vượt không_hơn
LIMIT never_exceed may_not_exceed do_not_exceed no_longer_than not_longer_than | 不得少于 |
MAY will_do suffices is_enough is_sufficient may can could allowed permitted | 可以 允许 准许 可 能 能够 | có_thể được_phép được
MAY tolerated acceptable free_to might permissible are_free_to is_allowed | 得以 可由 方可 即可 就行 | cho_phép thoải_mái là_đủ
MAY are_allowed may_be can_be | 就够 就够了 | cũng_được
EXEMPT optional voluntary need_not needn't don't_have_to | 可选 选填 自愿 不必 不用 无需 无须 | tùy_chọn không_cần không_cần_phải
EXEMPT doesn't_have_to do_not_have_to does_not_have_to don't_need doesn't_need | 不需要 用不着 | không_phải không_bắt_buộc
EXEMPT don't_need_to doesn't_need_to do_not_need does_not_need no_need no_need_to | 不要求 可以不 可不 毋须 | khỏi_cần miễn khỏi
EXEMPT not_required not_necessary not_mandatory is_not_required are_not_required | 不强制 | khỏi_phải không_nhất_thiết
EXEMPT exempt_from |  |
MUST must compulsory should shall has_to have_to need_to | 必填 必选 一律 必须 须 务必 应 应当 应该 | phải_được cần_được nên_được phải
MUST needs_to required mandatory compulsory required_to ought_to | 要 需 需要 必需 | bắt_buộc cần_phải bắt_buộc_phải nên cần
MUST needs need | 得先 |
ONLY only solely exclusively nothing_but | 只 只能 仅 仅限 只准 只可 只许 唯一 只在 | chỉ chỉ_được chỉ_dùng duy_nhất
ANY anyone anybody any everyone everybody whoever | 任何人 任何 谁都 人人 所有人 谁 | ai_cũng nào_cũng bất_kỳ bất_cứ mọi_người
ANY  |  | ai_cũng_được
ONLYIF only_if only_when only_after only_once only_with only_while | 只有 只有在 仅当 仅在 | chỉ_khi chỉ_sau_khi chỉ_nếu
ONLYIF only_on |  |
THENONLY  | 才 才能 才可 才可以 方能 才算 才准 | mới_được mới_có_thể mới_cho
IF if when whenever while during provided as_long_as in_case | 如果 如 若 凡 当 只要 | khi nếu trong_khi trong_lúc hễ miễn_là
IF once as_soon_as where in_the_event_of at_the_time_of | 一旦 遇 要是 假如 凭 | một_khi trong_thời_gian lúc mỗi_khi
IF every_time |  |
ENDIF then | 时 期间 的话 则 的时候 的情况下 | thì
UNLESS unless except_when except_if except_with except_after | 除非 | trừ_khi trừ_phi ngoại_trừ_khi
WITHOUT without lacking in_the_absence_of | 没有 未经 无 缺少 | không_có thiếu chưa_có mà_không mà_không_có
INSTEAD instead_of rather_than in_place_of as_opposed_to | 而不是 而非 代替 不是 | thay_vì chứ_không chứ_không_phải thay_cho
INSTEAD  |  | chứ_đừng
BUT but however yet | 而是 但 但是 不过 而 | mà_là nhưng song tuy_nhiên
"""

# Words of Chinese and Vietnamese in which a mark of the list above is no mark: 时间 is no "when", địa chỉ no "only".
COMPOUNDS = """
应用 应用程序 主要 重要 需求 时间 时钟 时区 时段 时长 工时 学时 时效 实时 定时 及时 按时 准时 限时 计时 当前 当地 当班 应当地 如下 例如
比如 无线 无人机 无关 无效 非常 别名 区别 类别 级别 个别 特别 性别 识别 门禁 门禁卡 禁忌 免疫 免责 可用 可读 可见 可靠 可选项 要求 要点
要素 摘要 概要 纪要 不锈钢 不动产 不良品 不合格品 不合格 反应 响应 相应 供应 供应链 适应 效应 对应 须知 只读 人才 没收 未来 未知 未婚
能力 功能 智能 性能 节能 技能 若干 凭证 凭据 才华 临时 临时文件 当事人 当面 应收 应付 应付账款 应收账款 能源 能耗 凡士林 禁区 勿忘 别墅
别针 莫名 không_khí không_gian hàng_không địa_chỉ chỉ_số chỉ_tiêu chỉ_dẫn chỉ_định
chỉ_huy cần_cẩu cần_trục nhu_cầu cần_thiết bên_phải tay_phải miễn_dịch nên_thơ
trở_nên cấm_địa thiếu_tá thiếu_nhi có_lẽ phi_công phi_cơ mới_nhất đổi_mới
làm_mới đời_mới thể_thao
"""
