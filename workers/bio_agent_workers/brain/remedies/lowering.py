"""Whether a wish lowers a protection: skips tests or reviews, turns checks off, opens rights, runs what was fetched.

This is what poisoned text asks for, so that such a wish waits for a person even in an owner's own words. A wish against
lowering ("never skip the tests", 「不得绕过评审」) raises a protection and is not meant. Told clause by clause.
"""

from __future__ import annotations

import re

_I = re.IGNORECASE
_READ = 2000  # characters of a wish that are read

_GUARD = (
    r"(?:(?:unit |e2e |integration |smoke |regression )?tests?|testing|(?:code |peer |security )?reviews?|approvals?|sign-?offs?|(?:pre-?commit "
    r"|git )?hooks?|linter?s?|linting|ci|tls|ssl|https|certificates?|certs?|auth(?:entication|ori[sz]ation)?|2fa|mfa|firewalls?|selinux|apparmor"
    r"|sandbox(?:ing)?|confirmations?|encryption|signatures?|(?:signature |certificate |host key |tls |ssl )?(?:verification|validation"
    r"|checks?|checking)"
    r"|backups?|audits?|scans?|antivirus|permissions?|safeguards?|protections?|guard ?rails?|passwords?|csrf|cors)"
)
_FILL = r"(?:(?:the|a|an|any|all|every|our|your|for|further|of) )*"
_EN_OFF = re.compile(
    rf"\b(?:skip|bypass|circumvent|disabl|turn(?:s|ed|ing)? off|switch(?:es|ed|ing)? off|ignor|omit|suppress|deactivat|by-?pass|drop|remov"
    rf"|without|no need for|switch|leave out)"
    rf"(?:ping|ped|e|es|ed|ing|s)? {_FILL}(?:[\w-]+ )?{_GUARD}\b|\b{_GUARD} (?:off|disabled|skipped)\b|\bno {_GUARD}\b",
    _I,
)
# "Never write tests", "don't use HTTPS"; not "never run tests against production", which says where.
_EN_NOT = re.compile(
    rf"\b(?:never|don'?t|do not|no longer|stop|avoid|quit)\b (?:ever |bother |to )*(?:us(?:e|ing)|run(?:ning)?|writ(?:e|ing)|do(?:ing)?"
    rf"|requir(?:e|ing)"
    rf"|ask(?:ing)? for|wait(?:ing)? for|add(?:ing)?|perform(?:ing)?|verify(?:ing)?|check(?:ing)?|validat(?:e|ing)|enabl(?:e|ing)|mak(?:e|ing)"
    rf"|request(?:ing)?"
    rf"|set(?:ting)? up) {_FILL}{_GUARD}\b(?! (?:on|against|in|with|at|from|while|before|unless|if|when|until|during|data|to|for)\b)"
    r"|\b(?:never|don'?t|do not|no need to|stop) (?:ever )?(?:ask(?:ing)?|confirm(?:ing)?|check(?:ing)?)(?: (?:me|us|first|anyone|anybody"
    r"|again|for permission"
    r"|with (?:me|us)))*\W*$",
    _I,
)
_EN_OPENS = re.compile(
    r"\b(?:push|commit|merge|deploy|land)\w*\b[^.]{0,30}\b(?:(?:straight|directly) (?:on)?to|to|on|into) (?:the )?(?:main|master|trunk"
    r"|prod(?:uction)?|release)\b(?! (?:only|must))"
    r"|\bforce[- ]push\w*|\bas (?:root|admin(?:istrator)?|superuser)\b|\broot (?:account|user)\b|\b(?:always|just) (?:use )?sudo\b|\buse sudo\b"
    r"|\b(?:auto-?|automatically |always |blindly )(?:approv|accept|trust|merg)\w*|\bpip(?:e|ing) \S* ?(?:\w+ )?(?:in)?to (?:a )?(?:ba"
    r"|z)?sh(?:ell)?\b"
    r"|\b(?:grant|give)\b[^.]{0,30}\b(?:everyone|everybody|all users|admin|full access)\b|\bin (?:plain ?text|the clear)\b|\b(?:ba|z)?sh <\(",
    _I,
)
_FLAG = re.compile(
    r"(?<![\w-])--(?:no-(?:verify|check\w*|gpg\S*|auth\S*|sandbox|ssl\S*|hooks?|tests?|lint)|skip-(?:tests?|checks?|verify|hooks?|auth|review"
    r"|validation)"
    r"|insecure\S*|trusted-host|allow-(?:root|unauthenticated|untrusted)\S*|privileged|force(?!-with-lease)\S*|disable-\S+|unsafe\S*"
    r"|dangerously\S*|ignore-scripts=false"
    r"|yolo|break-system-packages)"
    r"|\bcurl\b[^\n]{0,80} -\w*k\b|\b(?:chmod|mode|umask)\b[^\n]{0,30}\b(?:0?[0-7]?[0-7]{2}[2367]|a\+rwx|o\+w)\b|(?:curl|wget"
    r"|fetch)\b[^\n|]{0,200}\|\s*(?:sudo )?\w*sh\b"
    r"|\b(?:verify|ssl_?verify|strict_?ssl|StrictHostKeyChecking|TLS_REJECT_UNAUTHORIZED)\s*[= ]\s*(?:false|0|no|off)\b|\bsudo su\b"
    r"|\bsetenforce 0\b",
    _I,
)
_EN_AGAINST = re.compile(
    r"\b(?:never|don'?t|do not|must(?: not|n'?t)|should(?: not|n'?t)|may not|cannot|can'?t|no(?:body| one)?|not|stop|avoid|quit|without ever"
    r"|forbidden|banned|prohibited"
    r"|not allowed|refuse|reject)\b",
    _I,
)

_ZGUARD = (
    r"(?:测试|单测|评审|审查|审批|审核|复核|代码检查|检查|校验|验证|TLS|HTTPS|SSL|证书|钩子|hook|认证|鉴权|授权|防火墙|加密|备份|确认|lint|CI|沙箱|签名|扫描|权限|杀毒|SELinux"
    r"|批准|密码)"
)
_ZH_OFF = re.compile(
    rf"(?:跳过|绕过|略过|忽略|关闭|关掉|关了|禁用|停用|省略|省掉|免去|免|取消|去掉)[^，。；]{{0,8}}{_ZGUARD}|(?:不经|不经过|无需|无须|不必|不需要|不用|未经|不做|不走|不带)(?:再)?[^，。；]{{0,4}}{_ZGUARD}"
    rf"|{_ZGUARD}[^，。；]{{0,4}}(?:全部)?(?:跳过|关闭|关掉|禁用)",
    _I,
)
_ZH_NOT = re.compile(
    rf"(?:不要|别|不许|不准|不得|永远不|从不|再也不|不)(?:再|要)?(?:跑|写|做|用|使用|运行|执行|开启|启用|等|要求|加|进行){_ZGUARD}(?![^，。；]{{0,3}}(?:账|环境|库|数据|服务器))"
    rf"|(?:不要|别|永远不要|不用)(?:再)?(?:校验|验证|检查){_ZGUARD}?|(?:不要|别|不用|不必|无需)(?:再)?(?:问我|问|确认|请示)(?:了)?\W*$",
    _I,
)
_ZH_OPENS = re.compile(
    r"(?:推送?|提交|合并|push|发布|部署)[^，。；]{0,6}(?:到|至|进)\s?(?:main|master|主干|主分支|生产)|强(?:制)?推|(?:用|以)\s?(?:root|管理员)|root\s?(?:账号|账户|权限|身份)"
    r"|一律\s?(?:用)?\s?sudo"
    r"|自动(?:批准|通过|同意|合并)|一律(?:批准|通过|同意)|明文|(?:用|管道)[^，。；]{0,6}(?:bash|sh)\s?(?:执行|运行)",
    _I,
)
_ZH_AGAINST = re.compile(
    r"不得|不许|不准|不能|不可以?|禁止|严禁|不要|别(?!的)|切勿|请勿|绝不|决不|从不|永远不|不允许|勿|杜绝|避免"
)

_VGUARD = (
    r"(?:(?:chạy |viết |unit )?test|kiểm thử|review|duyệt|phê duyệt|kiểm tra|kiểm duyệt|xác thực|xác minh|TLS|HTTPS|SSL|chứng chỉ|hook"
    r"|tường lửa|mã hóa|sao lưu|xác nhận|CI|lint|"
    r"chữ ký|bảo mật|quét|phân quyền|mật khẩu)"
)
_VI_OFF = re.compile(
    rf"\b(?:bỏ qua|bỏ|tắt|vô hiệu(?: hóa)?|khỏi|miễn|lờ|né|gỡ)(?: \w+){{0,2}}? {_VGUARD}\b|\b(?:không cần|không qua|chưa qua|không phải"
    rf"|khỏi cần|không)(?: \w+)? {_VGUARD}\b",
    _I,
)
_VI_NOT = re.compile(
    rf"\b(?:đừng(?: bao giờ)?|không bao giờ|chớ|thôi|không)(?: (?:được|cần|phải))?(?: (?:chạy|viết|dùng|làm|bật|chờ|yêu cầu"
    rf"|đòi))? {_VGUARD}\b(?! (?:trên|với|ở|trong|khi|trước))"
    r"|\b(?:đừng|không cần|khỏi|không bao giờ)(?: phải)? (?:hỏi(?: lại)?|xác nhận)(?: (?:anh|tôi|chị|ai))?\W*$",
    _I,
)
_VI_OPENS = re.compile(
    r"\b(?:đẩy|push|commit|merge|deploy|triển khai)\b[^.,]{0,16}\b(?:lên|vào) (?:main|master|production|prod)\b|\bforce[- ]push|\b(?:bằng"
    r"|quyền|tài khoản|với) root\b|\b(?:luôn )?dùng sudo\b"
    r"|\btự động (?:duyệt|phê duyệt|chấp nhận)\b|\bluôn (?:duyệt|chấp nhận|phê duyệt)\b|\bbằng bash\b",
    _I,
)
_VI_AGAINST = re.compile(
    r"\b(?:đừng|không (?:được|bao giờ|nên|cho phép)|cấm|nghiêm cấm|chớ|tuyệt đối không|tránh)\b", _I
)
# "Ask me before …" and "… phải hỏi tôi" ask for a protection, whatever act stands beside; one clause, nothing joined to it.
_ASKS_BEFORE = re.compile(
    r"^\W*(?:please |always |you (?:must|should|have to|need to) |first )*(?:ask|check with|confirm with|consult|get (?:my|our) (?:ok|okay"
    r"|approval|permission))\b(?: (?:me|us|first))*,? before\b(?P<between>.*)|^\W*(?:luôn |hãy |phải )*(?:hỏi|xin phép)"
    r"(?: ý kiến)?(?: (?:tôi|anh|chị|mình|em))?(?: trước)? (?:trước )?khi\b(?P<giua>.*)",
    _I,
)
_ASKS_AFTER = re.compile(
    r"\b(?:before|when(?:ever)?|if)\b(?P<between>.*),? (?:you (?:must |should |have to )?)?(?:always )?(?:ask|check with|consult) (?:me|us)"
    r"(?: first)?\W*$|(?P<qian>[^，。；]*)(?:之?前|时)[，,]?\s?(?:都)?(?:要|得|必须|一定要|请)?(?:先|得)(?:来)?"
    r"(?:问(?:一下|过)?我|请示我?|征得我(?:的)?同意)\W*$"
    r"|\b(?:trước khi|khi|nếu)\b(?P<giua>.*?),? (?:thì |đều )?(?:phải |cần )?(?:hỏi|xin phép|báo) (?:ý kiến )?(?:tôi|anh|chị|mình|em)"
    r"(?: trước)?(?: đã)?\W*$",
    _I,
)
_JOINED = re.compile(r"\b(?:and|then|but|or|so|without|và|rồi|nhưng|hoặc|không)\b|并且|然后|但|或者|不", _I)
_ASKS_NOT = re.compile(
    r"\b(?:never|don'?t|do not|no need to|needn'?t|stop|without)\b (?:ever |bother(?:ing)? (?:to )?)*(?:ask|confirm|check|consult)(?:ing)?"
    r"(?: with)?(?: (?:me|us|anyone|anybody))? (?:first|before|for (?:permission|approval))\b"
    r"|(?:不要|别|不用|不必|无需|无须|不需要)(?:再)?(?:先|事先|提前)(?:问|请示|征求)"
    r"|\b(?:đừng|không cần|khỏi|không bao giờ|không phải)(?: phải)? (?:hỏi|xin phép)(?: (?:tôi|anh|chị|mình|em|ai))? (?:trước|khi)\b",
    _I,
)
_CLAUSE = re.compile(
    r"[.;:!?]+(?=\s|$)|[。；：！？\n]+|，|,\s+(?:but|and|so|then|always|never|don't|nhưng|và|luôn)\b", _I
)
_VI_FORBIDS = re.compile(r"\W*không (?!cần\b|phải\b|sao\b|qua\b)", _I)  # "Không push thẳng lên main": bare, it forbids
# What two negations around "without" make: "never merge without review".
_WITHOUT = re.compile(
    r"\bwithout\b|\bunless\b|\buntil\b|未经|没有|不经|chưa|không có|mà không|không qua|khi không|trừ khi", _I
)
#: "Pushing to main is forbidden": what is said of the act behind it, and nothing else.
_IS_BANNED = re.compile(
    r"\W*(?:--?[\w-]+ )*(?:[\w./-]+ ){0,3}?(?:is|are|remains?|stays?) (?:strictly |absolutely |always |explicitly )?"
    r"(?:forbidden|banned|prohibited|off limits|not (?:allowed|permitted|ok(?:ay)?|acceptable)|never (?:allowed|ok(?:ay)?))\W*$"
    r"|.{0,6}(?:是)?(?:被?禁止的?|不允许的?|不行)\W*$|.{0,16}\b(?:là điều )?(?:bị cấm|không được phép|cấm)\W*$",
    _I,
)
_GROUPS = (
    (_EN_OFF, _EN_OPENS, _EN_NOT),
    (_ZH_OFF, _ZH_OPENS, _ZH_NOT),
    (_VI_OFF, _VI_OPENS, _VI_NOT),
)
_AGAINST = (_EN_AGAINST, _ZH_AGAINST, _VI_AGAINST)


def lowers_protection(wish: str) -> bool:
    """Whether a wish, in English, Chinese or Vietnamese, asks that a protection be lowered."""
    for clause in _CLAUSE.split(wish[:_READ]):
        if not clause or _asks_first(clause):
            continue
        if (unasked := _ASKS_NOT.search(clause)) and not _refused(clause, unasked):
            return True
        for off, opens, refusal in _GROUPS:
            if refusal.search(clause):
                return True
            for m in filter(None, (off.search(clause), opens.search(clause), _FLAG.search(clause))):
                if not _refused(clause, m):
                    return True
    return False


def _asks_first(clause: str) -> bool:
    """Whether a clause wants somebody asked before the act that it names, and says nothing else of that act."""
    found = _ASKS_BEFORE.search(clause) or _ASKS_AFTER.search(clause)
    if found is None or _ASKS_NOT.search(clause):
        return False
    return not any(_JOINED.search(said) for said in found.groupdict().values() if said)


def _refused(clause: str, lowering: re.Match[str]) -> bool:
    """Whether the clause speaks against what lowers: a negation before it, or around a "without" ("未经批准不得合并")."""
    if _VI_FORBIDS.match(clause[: lowering.start()]):
        return True
    before, after = clause[: lowering.start()], clause[lowering.end() :]
    if any(against.search(before) for against in _AGAINST):  # of any language: terms of the trade are the same in all
        return True
    if _IS_BANNED.match(after):
        return True
    if not _WITHOUT.search(lowering.group()):
        return False
    return any(against.match(lowering.group()) or against.search(after) for against in _AGAINST)
