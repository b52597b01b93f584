"""What makes a Chinese sentence a standing directive: modal words, permanence, person, who is spoken of.

Judged clause by clause (，；：), because a Chinese sentence often joins a remark and a rule.
"""

from __future__ import annotations

import re

PERMANENT = re.compile(
    r"^(?:从)?(?:下|明|这)(?:个)?(?:周|星期|礼拜|月|季度|年|天)[一二三四五六日天]?(?:开始"
    r"|起)|(?:一次|一个|半个|一点)(?:都|也)(?:不行|不许|不能|不准|不可以)|全程|通篇"
    r"|处处|(?<![完束成了好毕过所期])以后(?!来|再说|再看|再议|再聊|再讨论|有空|有时间"
    r"|可能|也许|会不会|怎么)|今后|往后|从今|从现在|自现在|打今儿"
    r"|自即日|即日起|从(?:下|本|这)?(?:个)?(?:周|月|星期|季度|年)[一二三四五六日天]?(?:开始|起)|(?:从"
    r"|自)(?!去年|前年|小|古|当年|那)[^，。]{1,12}(?:起|开始)"
    r"|一律|统一|永远|始终|一直(?!以来|没|在)|总是要|随时都|每次|每回|每当|每逢|(?<![平不非])凡是?|任何(?:时候"
    r"|情况|人)|无论"
    r"|不管|不论|一概|全部都?要|所有|每(?:个|条|天|周|月|晚|份|张|笔|次|封)|各个|都(?:要|得|必须|应该?|不|别|用"
    r"|按|走|改)|之前(?=先|要|都)|长期(?=都|要|保持|按|用)|默认"
    r"|除非(?:我|另)|没有例外|绝对|绝不|决不|千万|从不|再也不|再别|不要再|别再|不许再|下次|今年起"
    r"|没(?:有)?我(?:的)?(?:同意|点头|批准)"
)
# What permanence rests on when only a quantifier carries it: "把每张发票都打印出来" is a task,
# "每张发票都要双签" a rule.
_TEMPORAL = re.compile(
    r"全程|通篇|处处|(?<![完束成了好毕过所期])以后(?!来)|今后|往后|从今|从现在|即日|(?:从"
    r"|自)(?!去年|前年|小|古|当年|那)[^，。]{1,12}(?:起|开始)|一律|统一|永远|始终|总是要"
    r"|随时都|每次"
    r"|每回|每当|每逢|(?<![平不非])凡是?|任何时候|默认|除非|没有例外|绝不|决不|下次|不管|无论|不论|之前(?=先|要|都)"
)
TASK = re.compile(
    r"^(?:请|麻烦)?(?:你)?(?:帮我)?(?:把|将|给)[^，。]*(?:出来|完|掉|好|一下|个[\u4e00-\u9fff]+|发过去|过来"
    r"|一遍)$|^(?:请|麻烦)?(?:你)?(?:帮我)?(?:把|将|给)[^，。]*(?:所有|全部|每)"
    r"|^(?:请|麻烦)?(?:你)?(?:帮我)?(?:给[^，。每]{1,10})?(?:写|拟|起草|发|打)(?:一|个)[封份条篇段通个]"  # one piece: one task
)
STRONG = re.compile(
    r"^(?:从)?(?:下|明|这)(?:个)?(?:周|星期|礼拜|月|季度|年|天)[一二三四五六日天]?(?:开始"
    r"|起)|从今以?后|从今往后|今后|以后(?:都|就|要|请|别|不|一律|凡|每|所有)"
    r"|从现在(?:起|开始)|即日起|一律|统一"
    r"|没有例外|永远|再也|除非我|(?:从|自)(?!去年|前年|小|古|当年|那)[^，。]{1,12}(?:起|开始)"
)
ONE_OFF = re.compile(
    r"这(?:次|回|一次|一回|趟|轮|遍|单|会儿)(?!.{0,6}(?:以后|之后|起))|今天|今晚|今早|明天|现在先|先(?:别|不要"
    r"|用|这样|把|放|跳过)|暂时|暂且|先(?:不|别)(?:管|做|弄|看|改|动|处理|说)|临时|目前|眼下|就这一|仅此|仅限(?:本"
    r"|这)|下不为例|这(?:个|条|张|份)(?:PR"
    r"|pr|分支|提交|文件|脚本|单子|订单|工单|发票)|(?:本|这)周|只(?:这|此)一?次|破例|(?<!用)(?<!都)等(?:他"
    r"|她|我(?!说|发话|同意|点头|通知|批准|确认)|一下|会儿)"
    r"|^\W*(?:请|麻烦|帮我|那)*再(?![也有不没]|[^，。]{0,3}(?:申|说|讲|强调|提醒|声明))[^，。]{1,4}一(?:次|遍|张|份|个|下|条|封|轮)"  # once more
)
HYPOTHETICAL = re.compile(
    r"还没(?:想好|定|决定)|在琢磨|要是早|(?:你|您)要是[^，。]{0,4}早|我?(?:早就|肯定(?:会|就|让|早))"
    r"|假如|假设|设想|想象|要是(?:我们|咱们|大家|有人|以后|当初)|如果(?:我们|咱们|以后|当初"
    r"|大家)[^，。]{0,16}(?:会|怎|呢|吗|影响)|万一|会怎么样|可能(?:会|以后|要)|也许|说不定|大概|或许"
    r"|将来(?:可能|也许)|考虑(?:一下|要不要)|在想|不知道(?!就|的|时)|不确定(?!就|的|时)|是否"
)
PAST = re.compile(
    r"以前|之前(?!要|先|必须|都要|得|请|不要|别|不得|一定)|过去|从前|当年|当时|那时|曾经?|原来|上(?:次|回|周"
    r"|个?月|年|季度)|去年|前年|昨天|刚才|早先|小时候|(?:19|20)\d\d ?年(?:那|的?时候|前|我们|那会)|一直以来"
    r"|本来"
)
THIRD = re.compile(
    r"^(?:[^，。]{0,6})?(?:他们?|她们?|(?<!老)人家|别人(?!一概|一律|都不|不行|不许)|有人(?=说|觉得"
    r"|总|老|每|建议|问|喜欢)|有些人|客户(?:那边|自己)"
    r"|对方|隔壁|别的(?:组|团队|部门"
    r"|公司)|其他(?:组|团队|部门)|某(?:些|个)|老板|前(?:老板|领导|同事)|老(?:张|王|李|赵|刘|陈)|小(?:张|王|李"
    r"|赵|刘|陈)|[\u4e00-\u9fff]{1,6}(?:那边|那儿|那里)|[\u4e00-\u9fff]{1,4}(?:组|部|部门|团队|公司|厂)(?:那边"
    r"|里)?(?:规定|要求|一直|总是|每|都|从来|一律))"
    r"|(?:他|她|他们|老板|前辈|师傅|同事|朋友|[王李张刘陈赵]\S?)(?:老|总|常|经常)?(?:说|讲|觉得|认为|提到)|据说"
    r"|(?:^|，)[^，。我]{1,10}(?:写|说|讲|贴|标|规定)的[。！]?$|听说|(?:文档|手册|说明书?|教程|书|邮件"
    r"|网页?|博客|指南|规范|他们)(?:里|上|中)?(?:都"
    r"|也)?(?:面)?(?:说|写"
    r"|建议|要求|讲)|网上(?:说|都)|书上说|跟(?:咱们|我们|我)(?:没|无)关"
    r"|^我(?:已经)?(?:跟|对|和|告诉)[^，。你您]{1,6}(?:说|讲|打过招呼)(?:了|过|好了)|^(?:阿|老|小)[\u4e00-\u9fff](?:每|总|老是|从来|一向|天天)"
)
DENIAL = re.compile(
    r"没(?:有)?(?:说|讲|让|叫|要求)(?:过)?|不是(?:说|让|叫|要|不让)|并(?:不|非)(?:是)?(?:说|要)|又没|又不是"
    r"|谁说|意思(?:可)?不是|不代表|不等于|不见得|未必|不至于"
    r"|不一定|不(?:必|用|需要)(?:每次|总|一直|都|全部)|倒也不|用不着"
)
JEST = re.compile(
    r"(?<!许)(?<!别)(?<!要)(?<!能)(?<!准)(?<!少)开(?:个)?玩笑|玩笑话|哈哈|呵呵|嘿嘿|逗你|说笑|狗头"
    r"|手动|😂|🤣|😏|🙃|可真(?:行|会|棒)|真是(?:太)?(?:天才"
    r"|高明|厉害)|笑死|反话|才怪"
)
SELF = re.compile(
    r"^(?:那|嗯|好|好的|行)?，?(?:下次|改天|回头)?(?:我(?:会|将|带|来|去|请|再|要|一定|自己|从来|从不|每"
    r"|总|老|以后|一直|永远)|我以后)|^(?:你"
    r"|您)(?:总是|老是|每次都|永远|从来)(?!要|得|必须|应)|谢谢|辛苦"
)
COMPLAINT = re.compile(
    r"(?:每次|总是|老是|一直|永远|都|从来)[^，。]{0,10}(?:失败|报错|出错|崩|卡|慢|挂|忘|超时|这样|不行|坏|掉线"
    r"|断|不好|很|太|挺|特别|修不好|不够)|烦死|受不了|气死|真棒|真好"
)
QUESTION = re.compile(
    r"[?？]|(?:吗|么|呢|嘛)[。!！]?$|是不是|要不要|能不能|可不可以|会不会|有没有|该不该|对不对|行不行|为什么"
    r"|为啥|怎么|什么时候|谁|哪(?:个|些|里|儿)|多少|几点|难道|何必|如何"
)
POLITE = re.compile(
    r"(?:能不能|可不可以|可以|能|麻烦(?:你|您)?|可否|能否|请(?:你|您)?)(?:请)?[^？?]{0,20}(?:以后|今后|每次"
    r"|一律|都|统一|别再|不要再|一直|永远|往后)[^？?]*(?:吗|么|？|\?|$)"
)
REMEMBER = re.compile(
    r"^(?:请|麻烦|帮我|你要?|另外|还有|对了|再|补充)*[，, ]?(?:记住|记一下|记下|记得|牢记|别忘了?|不要忘记|请记"
    r"|备注|备忘|注意)(?!吗|不|当|那|我们当)|(?:要|需要|得)(?:你)?(?:记住|记得)的?(?:一点|是)?[：:，]"
    r"|帮我记(?:住|下|一下)"
)
REQUIRE = re.compile(
    r"必须|务必|一定(?:要|得)|应(?:该|当)|需要|(?<![需只不想重主])要(?!是|么|不然|不要|求|点|紧|闻|素|塞)"
    r"|(?<![觉记值懂显使获取舍])得(?=[先用写走经由把按在找问发])|须|请|只(?:能|准|许|可|用|有)|才(?:能|可以?|准"
    r"|算)|先[^，。]{1,14}(?:再|才|然后)|直接(?:提交|走|找|用)|按(?:照)?|改(?:成|为|用)|用[^，。]{1,10}(?:就行"
    r"|即可)|可以|允许"
)
FORBID = re.compile(
    r"不要|(?<![了舍恨巴顾由])不得|不能(?!说)|不许|不准|(?<!势)不可(?!能|以吗|挡|思议|避免|分割|缺|或缺|少|否认)"
    r"|不允许|禁止|严禁|切勿|请勿|勿|莫"
    r"|(?<![特分个区差级告性类识辨])别(?!的|人|处|家|名|墅|说)"
    r"|不用(?=[A-Za-z\u4e00-\u9fff ])|杜绝|避免|谁(?:也|都)(?:不|别)|(?:我们|咱们|这儿|这里|本?项目"
    r"|周[一二三四五六日末])[^，。]{0,6}不(?:发|用|写|做|上|走|收|接|改|加)"
)
PREFER = re.compile(
    r"我(?:更|比较|还是)?(?:喜欢|偏好|习惯|倾向|希望|想要|宁愿|讨厌|不喜欢|不爱|不想|受不了|最烦)(?:再|你|您|看"
    r"|用|听|收|在|回复|答案|简|短|直接|先|代码|把|被|的)"
)
CONVENTION = re.compile(
    r"(?:我们|咱们|咱|这儿|这里|本(?:项目|仓库|组|公司)|这个(?:项目|仓库|组|团队))(?:这儿|这里|这边|项目|组"
    r"|团队|仓库|公司)?(?:里|内|中)?[^，。]{0,8}(?:不用(?!管|说|谢|担心|着急|怕)|不写|不发|只用"
    r"|都用|用的是|统一|一律|只(?!有|是|能|好|不过|要)|都(?!是|很|没|会|不|知"
    r"|去|来|有|在|要)|不(?=[收接上改加走许准做提给放存推合])|从不)"
    r"|(?:新规定|规定|规矩|规则|约定|原则|惯例|例外|底线|红线|要求)(?:是)?[：:]"
)
_TASTE = re.compile(
    r"我(?:最|很|更|比较)?(?:讨厌|不喜欢|喜欢|烦)[^，。]*(?:解释|回答|回复|代码|注释|报告|格式|废话|客套|表格"
    r"|列表|总结|答案)"
)
# "碰到负库存就停止出库", "每周一早上给我一份清单", "账号只给只读权限".
_WHENEVER = re.compile(
    r"^(?:碰到|遇到|遇上|发现|出现|一旦|只要)[^，。？]{2,20}[，]?(?:就|则|先|要|得|应)"
    r"|^每(?:天|周|月|个|晚|年|季|逢)[^，。？]{0,8}(?:给我|发|报|交|推|做|检查|备份|更新|整理|核对)"
    r"|^[^，。？我你他她]{3,20}只(?:给|收|开|发|留|看)[^，。？了]{2,}"
)
_HABIT = re.compile(
    r"要(?:用|写|加|带|有|按|走|附|留|存|标|注明|经过|通过|保留|包含|做)|得(?:用|写|加|带|按|走|附|经过)"
)
_CLAUSE = re.compile(r"[，,；;。！!]")
CONDITION = re.compile(
    r"(?:(?<![小及同])时(?!间)|的时候|前|之前|后|之后|以上|以下|以内|超过|低于|高于|如果|只要|凡|遇到|碰到|一旦"
    r"|若|出现|没有|未|为了)"
)
_DEFINITE = re.compile(r"这里|这儿|那里|这(?:个|条|张|份|里|些|封|台)|那(?:个|条|张|份|些|封|台)|它")


_NOT = re.compile(r"不|没有?我|绝不|勿|无需|讨厌|最烦|受不了|少(?:来|说|讲|用|写|加|发)|免了|省了|打住")
_ASKS = re.compile(
    r"^叫我|就(?:行|好|可以)$|都(?:用|写|按|要|得|改|换|存|放|走)|一律|统一|必须|务必|尽量|(?<![不只])要(?!是"
    r"|不|陪|休)|请|先[^，。]{1,10}再"
)
# A doubt or a lack told of as the occasion: 「遇到拿不准的税率」, 「我看手机不方便」.
_NOT_OF_THE_RULE = re.compile(
    r"拿不(?:定|准)|吃不准|说不准|不(?:确定|清楚|明白|方便|懂|熟|会|够|同|足|合格|一致|舒服|好使)|看不(?:懂|清"
    r"|见)|没(?:有)?把握|听不懂|记不(?:住|得)|"
    r"不(?:久|妨|如|断|止|少|由)|(?:对|用|赶|找|跟|打|联系|等|收)不(?:上|到|着|开|动)|不然|要不是"
)


def negative(sentence: str) -> bool:
    body = re.sub(
        r"没有例外|无例外|不管|不论|不然|不过|不但|不仅|不错|不用(?:说|谢)|别的|别人|别忘了?|不要忘记|差不多"
        r"|不算了?|对不起|要不|不超过|不少于|不低于|记不住",
        "",
        sentence,
    )
    body = _NOT_OF_THE_RULE.sub("", body)
    # The first clause that asks or forbids tells: 「都用表格，不要大段文字」 asks for tables.
    clauses = _clauses(body)
    for i, clause in enumerate(clauses):
        if i + 1 < len(clauses) and re.search(r"(?:的话|时候|时|情况|之?前|之?后)$", clause):
            continue  # the occasion is not the rule
        if FORBID.search(clause) or _NOT.search(clause):
            return True
        if _ASKS.search(clause):
            return False
    return False


# A sentence of more clauses is material, not something said; what follows is not read.
_MOST_CLAUSES = 24


def _clauses(sentence: str) -> list[str]:
    return [c.strip() for c in _CLAUSE.split(sentence, _MOST_CLAUSES) if c.strip()][:_MOST_CLAUSES]


def directive(sentence: str, question: bool) -> bool:
    """Whether one sentence (quotes masked) is a standing directive."""
    body = sentence.strip(" \n\t。！!~～")
    if DENIAL.search(body) or HYPOTHETICAL.search(body):
        return False
    if (
        (question or QUESTION.search(body))
        and not POLITE.search(body)
        and not re.search(r"谁(?:也|都)|谁[^，。]{1,14}谁|不管|无论|凡", body)
    ):
        return False
    if re.search(r"为什么|怎么会|难道|是不是", body):
        return False
    clauses = _clauses(body)
    if any(THIRD.search(c) for c in clauses) and not any(
        re.match(r"(?:但|不过|可是)?(?:咱们|我们|你|您|以后|请)", c) for c in clauses[1:]
    ):
        return False
    if ONE_OFF.search(body) and not STRONG.search(body):
        return False
    if REMEMBER.search(body):
        return bool(len(body) > 5)
    if POLITE.search(body) and PERMANENT.search(body):
        return True
    if PREFER.search(body):
        return not _DEFINITE.search(body) or bool(PERMANENT.search(body))
    if re.match(r"谁[^，。]{1,14}谁[^，。？]+$", body) or _TASTE.search(body):
        return True
    if _WHENEVER.search(body) and not re.search(r"了$|失败|报错|崩|卡|挂", body):
        return not _DEFINITE.search(body)
    if CONVENTION.search(body) and not PAST.search(body) and not COMPLAINT.search(body):
        return True
    # A remark on the past in one clause does not spoil a rule in the next.
    live = [c for c in clauses if not PAST.search(c) or re.search(r"(?:从|自).{1,10}(?:起|开始)", c)]
    for i, clause in enumerate(live):
        rest = "，".join(live[max(0, i - 1) :])
        if SELF.search(clause) or COMPLAINT.search(clause):
            continue
        if _rule_clause(clause, rest, body):
            return True
    return False


def _rule_clause(clause: str, rest: str, body: str) -> bool:
    permanent = bool(PERMANENT.search(rest))
    if FORBID.search(clause):
        if permanent or re.search(r"禁止|严禁|不得|不许|不准|谁也|不允许|切勿|请勿|一定不", clause):
            return not _DEFINITE.search(clause) or permanent
        # "请不要在注释里写人名": a bare prohibition on a class of things.
        return (
            not _DEFINITE.search(clause)
            and bool(re.search(r"[里中上在]|时|前|直接|给|用|写|提|说|问|碰|删|加|跟|对|替|自动|提交|发|改|把", clause))
            and not re.search(r"担心|着急|客气|急|动$|了$|走$|怕", clause)
        )
    if TASK.search(clause) and not _TEMPORAL.search(rest):
        return False
    if re.search(r"以后|今后|往后", clause) and re.search(r"就(?:行|好|可以)|即可|叫我", clause):
        return True
    if re.search(r"尽量|尽可能", clause) and not re.search(r"今|早点?|快|赶|争取", clause):
        return not _DEFINITE.search(body)
    if re.search(r"都(?:用|按|走|改[成用为])", clause) and "把" not in clause and "了" not in clause:
        return True
    if permanent and (
        REQUIRE.search(rest)
        or STRONG.search(rest)
        or (_TEMPORAL.search(rest) and re.search(r"[用写放发走按报跑备先问查加带存给找改删开]", clause))
    ):
        return True
    if re.search(r"(?:时|前|后|的时候)请", body) and not _DEFINITE.search(body):
        return True
    if REQUIRE.search(clause) and CONDITION.search(rest):
        return bool(
            re.search(r"必须|务必|一定要|须|只能|才(?:能|可|准)|不得|先.*再|直接|要|得", clause)
        ) and not _DEFINITE.search(body)
    if _HABIT.search(clause) and not re.search(r"[我你您他她它]|今|现在|马上|赶紧|快|一下", clause):
        return not _DEFINITE.search(body)
    return bool(re.search(r"必须|务必|只(?:能|准|许)", clause)) and not _DEFINITE.search(body)
