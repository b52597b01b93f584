"""Chinese rules read clause by clause: a reason and the rule it leads to, a class of things and what is done with it, an
occasion and the act.
"""

from __future__ import annotations

import re
from itertools import pairwise

from bio_agent_workers.brain.directives.zh_elsewhere import (
    LONG_AGO,
    NOW,
    SELF,
)
from bio_agent_workers.brain.directives.zh_things import (
    ACT,
    ADV,
    KIN,
    MADE,
    NOT,
    OUTSIDERS,
    WHO,
)

_COMMAND = re.compile(
    rf"^(?:[\u4e00-\u9fff]{{0,4}}?{MADE}|(?!然后|后来|于是|虽然|却)[\u4e00-\u9fff]{{1,3}}(?=也"
    rf"|都|一律|就|要|得|先))?{ADV}(?:把[^，。]{{1,12}}{ADV}|给[^，。我]{{1,8}}{ADV})?(?:{ACT}"
    r"|(?:别|不要|不许|不准|不得|切勿|甭|不用|不必)(?!了$))"
)
_OCCASION = re.compile(
    r"^(?!然后|后来|于是|接着|虽然|其实|不过|而且|半年|一[年天会])(?:但凡|凡是?|只要|如果|要是|若是?|一旦|每当"
    r"|每逢)?[^，。这那今刚他她]{2,16}(?:的话|的时候|时|之?前|之?后|两次以上的?|以上的?|以下的?|了的|的)$"
    r"|^(?:遇到|遇上|碰到|碰上|凡是?|只要|有人|发现|一旦|如果|要是|若是?|但凡"
    r"|拿不准|没有|不是|每)[^，。这那今他她]{2,18}$|^[^，。这那今我你他她]{0,10}(?:没"
    r"|未|不)[^，。我你了]{1,8}$|^[^，。这那今我你他她]{1,8}(?:要是|如果|若是?|万一)[^，。我]{2,14}$"
)
_DONE = re.compile(
    r"(?:(?<!算)(?<!行)(?<!好)(?<!够)了|过|完|着|呢)[。！!]?$|(?:又|还|已经?|刚|正在|终于|居然|竟然?"
    r"|才)(?![能可准算]|.{0,4}(?:别|不要))|很|太|真|非常|有点|挺|特别(?!标|注|说)"
)
_AT_HAND = re.compile(
    r"这(?:次|回|个(?!人)|份|张|条|单|批|些|封|篇|页|段|周|趟|台|件|家|里|边|么)|那(?:个|份|张|条|单"
    r"|批|些|封|篇|台|件)(?!都)|今[天晚早年]|明[天早晚]|现在(?!改|起|开)|马上(?=就"
    r"|要)|刚才|暂时|待会|回头|整[张份个篇]|全名单|上午就|下午就|待办"
)
_TOPIC = re.compile(
    r"^(?:顺便说一句|顺便提一下|另外|还有|对了|请|辛苦啦?)?，?(?!我(?!们)|他|她|它|这|那|你(?!的)|谁|某"
    rf"|把|将)(?P<topic>[^，。我你他她把将]{{0,8}}?{MADE}[^，。我你他她把将]{{0,6}}?)，?{ADV}"
    r"(?P<act>(?:用|写|放|排|标|注|记|列|短|长|按|先|(?<![增参更有所])加(?!了|大|强|重|剧|速|多)|附|含|取|留"
    r"|控制|最多"
    r"|最少|至少|不超过|精确到|保留|以[^，。]{1,6}为|一[天周月][^，。]{0,3}次|[一二三每][天周月]"
    rf"|包|盖|{NOT}(?!了|错|好|够|多|少|行|对|见|得[了已]|[一]样|大|太|是|会|能[^，。]|足|准|清"
    r"|知|到|全|齐|稳|动)[^，。了]|"
    r"(?:都|一律|统一|全部?)(?:用|写|放|排|标|注|记|列|按|加|附|含|走|经|存|归|发|给|交|转|送|由|换|改"
    r"|从|算|当|叫|称|配|带|以|得|要|先)))[^。]*$"
)
_ONE_PERSON = re.compile(r"[他她](?!们)")
#: "You keep doing it, …": what is to be done instead.
_COMPLAINS = re.compile(
    r"^(?:你|您)(?:怎么)?(?:老是?"
    rf"|总是?|又|一直|每次都?|动不动就?)[^，。？?]{{2,20}}，(?:[^，。]{{0,10}}，)?{ADV}(?:{ACT}"
    rf"|{NOT}(?!错|是|够|好))"
)
#: 「按邮编排，不按姓氏排」: this way and not that way.
_CONTRAST = re.compile(
    r"^(?!我|他|她|它|这|那)[^，。了]{0,10}(?:按|用|写|放|走|以|跟|由)[^，。了]{1,8}，(?:而)?(?:不"
    r"|别|不要)(?:按|用|写|放|走|要|以|外|让)[^，。了]{0,6}$"
)
_WANTS = re.compile(
    rf"(?:^|，)我(?:希望|要求|指望)(?:你|您)?[^，。]*(?:{MADE})[^，。]*(?:前|后|时|都|每|先|由|[两三]个人|再)"
    r"|^(?:你|您)(?:最近|上)?[^，。]{0,10}(?:都|又|总|老)[^，。]{2,16}，我(?:要看|想看|需要|要的是)"
)
_AT_MOST = re.compile(
    rf"^(?!我|他|她|这|那)(?=.*(?:{MADE}|每|一[期次份天周封页]))(?:每|一)?[^，。]{{1,10}}(?:里"
    r"|中|内)?(?:最多|至少|不超过|不得超过|控制在)[^，。了]{1,10}$"
)
_ALL_MUST = re.compile(
    rf"^(?!我(?!们)|他|她|这|那|(?!孩子){KIN}|{OUTSIDERS})[^，。了]{{2,14}}的[^，。了]{{1,6}}(?:都"
    r"|一律)(?:要|得|必须|不能|不许|不要|别)(?!是)[^，。了]+$"
)
_MEASURED = re.compile(
    r"^(?!我|他|她|这|那)[^，。了]{1,10}(?:不到|低于|少于|超过|高于|多于|大于|小于|不足)[^，。了]{1,10}，(?:就"
    r"|要|得|先|都|一律|请|得先)*[^，。我他她会能可很]{0,6}(?:前|先|就|要|把|加|停|换|报|退|转|分"
    r"|给|叫|通知|别|不要)[^，。了]*$"
)
_TO_ME = re.compile(
    r"^(?:跟|和|对)我(?:说话|讲话|汇报|沟通|解释)[^，。了]{0,4}(?:直接|简单|客气|正式|慢|快|大声|随意|坦白"
    r"|干脆)[^，。了]{0,3}(?:点|些|就)?"
)
_RATHER = re.compile(r"^与其[^，。]{1,12}，(?:还|倒)?不如(?:你|您)?(?:直接|先|告诉|给|说|把|写|问|用)")
_MY_WAY = re.compile(r"我(?:一概|一律|从来都?|通通|统统)不(?:参加|接|看|回|收|批|签|要|认|听)")
_ONLY_IF_I = re.compile(r"(?:等|要)?我(?:说|发话|同意|点头|通知|批准|确认|让|叫)了?[^，。]{0,4}(?:再|才)[^，。了]{1,}$")
#: 「花瓶都裹两层，不然会裂」, 「暖气保持十九度，除非有人生病」: what happens otherwise, and when it does not hold.
_OR_ELSE = re.compile(
    r"^(?!我|他|她|这|那|快|赶|现在|你(?!的))[^，。了快]{2,16}(?:都"
    r"|要|得|先|别|不要|必须|一定)[^，。了]{1,10}，(?:不然|否则|要不然|免得|省得|以免)(?!我)"
)
_UNLESS = re.compile(
    r"^(?!我|他|她|这|那|它)[^，。了会]{1,10}(?:保持|留|用|开|别|不要|不|设|放|按|定)[^，。了]{1,10}，除非(?!下"
    r"|出|发生|奇迹)[^，。了]{2,}$"
)
_SAME_DAY = re.compile(
    rf"^{MADE}[^，。我他她了]{{0,6}}(?:当天|第二天|一到|之?前|之?后|三天内|\d+天内)(?:就"
    r"|都)?(?:要|得|必须)[^，。了]{1,8}$"
)
_KEEP_TO = re.compile(
    r"(?:，|^)(?:就|都|一律|请)?(?:按|照)(?:着)?(?:这个|此|上面的?|这样的?)(?:顺序|办法|格式|规矩|标准"
    r"|样子|比例)(?:来|做|办|写|排|走)(?:就行|就好|吧)?$"
)
_PARALLEL = re.compile(
    r"^(?!我|他|她|你)[^，。了]{1,5}(?:用|按|放|走|写|归)[^，。了]{1,5}，(?!我|他|她|你)[^，。了]{1,5}(?:用"
    r"|按|放|走|写|归)[^，。了]{1,5}$"
)
_I_BEG = re.compile(
    r"^我(?:只|就)?(?:求|拜托|恳求)(?:你|您)(?:一件事|一点|个事)?[，：]?(?:以后|千万)?(?:别|不要|每|都)"
)
_SETTLED = re.compile(
    r"^(?:更正一下|纠正一下|说定了?|说好了?|定了|补充一?[点句]|提醒一下|我再说一遍)[：:，](?=[^？?]*(?:以后"
    r"|往后|每|都|一律|别|不要|不|先|只|必须|要))[^？?了]+$"
)
#: 「我们说…，不说…」, 「刷卡可以，支票不行」, 「有事发短信，别打电话」: the one and not the other.
_NOT_THE_OTHER = re.compile(
    r"^(?:我们|咱们?|这儿|这里)(?:说|叫|写|用|讲|称)[^，。了]{1,8}，(?:不|别|从不)(?:说|叫|写|用|讲|称)"
    r"|^(?!我|他|她|这|那|今)[^，。了]{1,5}(?:可以|行)，[^，。了我]{1,5}(?:不行|不可以|不收|不准)"
    r"|(?:^|，)(?:有事|平时|一般|要找[^，。]{0,3})[^，。了]{1,10}，(?:别|不要|不用)(?:再)?(?:打|发|用"
    r"|写|放|走|给|找|叫)[^，。了]{1,8}$|^(?:给|替|帮)[^，。我他她]{1,6}只(?:订|买|用|选|安排|发|送)"
)
_MY_TONGUE = re.compile(
    r"^我(?:用|写|说|问|讲)[^，。了]{2,10}(?:的时候|时|的话)?，?(?:你|您)?就?(?:也)?用[^，。了]{1,6}(?:回"
    r"|答|写|说)"
)
_THIS_REPO = re.compile(
    r"^(?:这个|本)(?:仓库|项目|代码库)[^，。了]{0,6}(?:缩进|命名|换行|引号|提交信息|分支名)(?!.*的$)"
)
#: 「每周五清空一次邮箱」, 「群里不谈工资」, a thing that comes again and a place with its ban.
_EACH_TIME_ONCE = re.compile(
    r"^每(?:隔[^，。]{1,3})?[天周月年季晚早][一二三四五六日天]?[^，。我他她了的]{1,6}(?:一次"
    r"|一遍|两次|两遍|一回)[^，。了我他她]{0,8}$"
)
_NOT_THERE = re.compile(
    r"^(?!我|他|她|这|那)[^，。了我他她]{1,6}(?:里|上|中|内)不(?:谈|提|聊|发|放|用|写|留|传|带|贴|存|接)(?!了|到"
    r"|出|起|下|过|好|完)[^，。了]{1,8}$"
)
#: 「一有空房就通知保洁」, 「只用自己拍的照片」, 「请不要直呼病人的名字」, 「我们不跟中介合作」.
_AS_SOON_AS = re.compile(
    r"^一(?:有|到|收到|发现|出现|接到)[^，。了我他她]{1,10}，?就(?:马上|立刻|立即|先)?(?:通知|告诉|报|叫"
    r"|发|打|停|提醒|给|关|开|找|转)[^，。了]+$"
)
_ONLY_THESE = re.compile(
    rf"^(?:请|你|以后)?只(?:用|收|发|订|买|放|写|要|接|看)(?=[^，。]*{MADE})[^，。了这那今]{{2,}}$"
)
_PLEASE_NOT = re.compile(rf"^请(?:不要|勿|别)(?=[^，。]*(?:{MADE}|{WHO}))[^，。了这那今它]{{3,}}$")
_NOT_WITH = re.compile(
    r"^(?:我们|咱们?|本[店司])不(?:跟|和|与|向|给|替|对)[^，。了]{1,8}(?:合作|打交道|报价|签|做生意|赊账|谈|来往"
    r"|开|发|提供)[^，。了]{0,4}$"
)
_IN_TONGUE = re.compile(
    r"^你?(?:回复?|回答|跟|和|给|对)我(?:的时候|写|说|回)?[^，。]{0,3}用[^，。]{1,5}[语文话](?:就|说|写|回|即|都)"
)
_NOT_SO = re.compile(
    r"(?:怎么|为什么|是不是|吗|呢|什么时候|多少|哪(?!怕))[^，。]*$|失败|报错|崩|卡住|坏|丢|漏|错[了误]|迟"
    r"|晚到|涨|跌|升|降了|亏|赚|好看|难看|漂亮|不错|贵|便宜|变[^成]|越来越"
)
_REASONS = re.compile(
    r"，(?=(?:我(?:希望|要求|要看|想要)|所以|因此|但|不过|可是|麻烦|请|以后|往后|今后|替我|给我|别|不要|都|保留"
    r"|发之?前|写之?前|用|改成|现在改|咱们?的|我们的|换成|那就|就))"
)
_PREFER = re.compile(
    r"我(?:还是|更|比较|最|很|平时|看[^，。]{0,6})*(?:愿意|喜欢|爱|想|习惯|乐意|看得?惯|偏爱"
    r"|受用)(?:看|听|读|收|用)[^，。]{1,}|我(?:不爱|不喜欢|看不惯|不习惯|最烦|不想|懒得|不耐烦|讨厌|怕|最怕)(?:看"
    r"|听|读|收|写|用)?[^，。]{1,12}(?:，|$)"
    r"|^[^，。]{3,}，我(?:每次|这样|这么|才|就)*(?:看着?|读|用|找)(?:着|起来)?(?:才|就|也|更|比较|都)*(?:顺"
    r"|方便|舒服|清楚|省|快|容易|轻松)"
)
_WHEN_END = re.compile(r"(?:的话|的时候|时)$")
_CANT_STAND = re.compile(rf"^{MADE}(?:里|中|上)[^，。了]{{1,12}}我(?:受不了|看不惯|不喜欢|不爱看|很烦|最烦)$")
#: 「…的时候，灯开两个钟头」: behind an occasion a thing and what is done with it.
_THING_DONE = re.compile(
    r"^[\u4e00-\u9fff]{1,4}?(?<![人他她我你它会能])(?:开|关|放|调|换|收|盖|排|减|挂|交|留|存|写|停)[^，。了]{2,}$"
)
_POLITE = re.compile(
    r"^(?=[^？?]*(?:以后|往后|今后|每|都|一律|统一|就别|别再|不要再|时候|最多|至少|不超过))(?:[^？?]*(?:好吗"
    r"|行吗|可以吗|成吗|好不好|行不行|可好|行么|好么|怎么样|如何|吧)|[^？?]*(?:能不能"
    r"|可不可以|能否|可否|可以|麻烦|请|能)[^？?]*(?:吗|么|呢)?)[？?]?$"
)
_POLITE_NOT = re.compile(
    r"是不是|为什么|怎么(?!样)|难道|真的|有没有|该不该|谁|会不会|什么(?!时候都)|合理|道理|[^别]要[^，。]{1,8}吗"
    r"|规定|必要|了吗|过吗|^我(?:让|叫|说|要|以后|每|是|可)|^(?:要是|如果|假如)|会怎|哪|多少"
)
_DECIDES = re.compile(
    r"^(?!.*(.)不\1)[^，。他她]{1,10}(?:只有|都?由|归|全凭|得由)(?!别人|外)[^，。他]{1,5}(?:说了算"
    r"|拍板|决定|能[批改定动签]|来定|负责|管|批准|点头)"
)
_CORRECTED = re.compile(
    r"^[^。]{0,16}(?:不算了?|作废|取消了?|改了|变了|不用了|改主意了?"
    r"|忘了吧|别管了?|不作数)[^，。：:]{0,4}[，：:。][^？?]*(?:现在|改[成为用]|换成|一律|都|以后|往后"
    r"|今后|统一|对)[^？?]*$|^(?:之前|原来|上次|先前|早先|本来|以前)(?:我)?(?:让"
    r"|叫|要|说|跟)(?:过)?你?[^，。]{1,14}，(?:以后|现在|往后|今后|改|如今)[^？?]+$"
)
_AHEAD = re.compile(
    r"^(?:[^，。]{0,8}，)?(?:下回|下次|以后|往后|今后|将来|日后|从[^，。]{1,8}(?:起|开始))(?:再)?(?:记得|请|的|呢"
    r"|啊|遇到|碰到)*[，：:]?[^，。]{0,3}(?P<then>[^？?]{3,})$"
)
_BARE_NOT = re.compile(
    r"^(?:请|麻烦|一律|概|绝|坚决)?(?:不(?=[收接卖做发报退赊借租]))(?!到"
    r"|起|好|完|了|出|住|得|着|过)[^，。了吗我你]{2,8}$"
)
_BEFORE_TEN = re.compile(
    r"^[^，。我今明这那]{1,8}(?:以前|之前|以后|之后|期间)，?(?:请|都|一律)?(?:别|不要|不许|不准|不)(?!是"
    r"|会|能|知|好)[^，。了]{2,}(?:，[^，。]*)?$"
)


def parts(sentence: str) -> list[str]:
    """The clauses that follow a reason, a thank-you or a complaint, each to be read by itself."""
    body = sentence.strip(" \n\t。！!~～")
    return [re.sub(r"^(?:所以|因此|但|不过|可是|那)+", "", p) for p in _REASONS.split(body)[1:] if len(p) > 3]


def asks(clause: str) -> bool:
    """Whether a clause by itself asks or forbids."""
    return bool(
        _COMMAND.match(clause)
        or _CUE.match(clause)
        or re.search(r"必须|务必|一律|不准|不许|不得|以后|往后|今后|都", clause)
    ) and not _DONE.search(clause)


def rule(sentence: str, question: bool) -> bool:
    """Whether the sentence is a standing rule for the agent by one of the forms of this module."""
    body = sentence.strip(" \n\t。！!~～")
    if _CORRECTED.match(body) and not question:
        return True
    if (
        _MY_TONGUE.match(body)
        or _EACH_TIME_ONCE.match(body)
        or any(p.match(body) for p in (_AS_SOON_AS, _ONLY_THESE, _PLEASE_NOT, _NOT_WITH))
        or _NOT_THERE.match(body)
        or _THIS_REPO.match(body)
        or _NOT_THE_OTHER.search(body)
        or _KEEP_TO.search(body)
        or _PARALLEL.match(body)
        or _I_BEG.match(body)
        or _SETTLED.match(body)
    ):
        return True
    if _AT_HAND.search(body) or (LONG_AGO.search(body) and not NOW.search(body)):
        return False
    if question or re.search(r"(?:行不行|好不好|可不可以|[好行成]吗)$", body):
        return bool(_POLITE.match(body)) and not _POLITE_NOT.search(body)
    if _NOT_SO.search(body):
        return False
    if (
        any(
            p.search(body)
            for p in (_OR_ELSE, _UNLESS, _SAME_DAY, _ALL_MUST, _MEASURED, _TO_ME, _RATHER, _MY_WAY, _ONLY_IF_I)
        )
        or _CONTRAST.match(body)
        or _WANTS.search(body)
        or _AT_MOST.match(body)
        or _COMPLAINS.match(body)
        or _IN_TONGUE.match(body)
        or _DECIDES.match(body)
        or _BARE_NOT.match(body)
        or _BEFORE_TEN.match(body)
    ):
        return True
    if _CANT_STAND.match(body):
        return True
    if _PREFER.search(body) and (
        re.search(MADE, body) or re.search(r"文字|要点|英文|中文|长篇|缩写|寒暄|套话|图|表|数字", body)
    ):
        return True
    ahead = _AHEAD.match(body)
    if (
        ahead
        and re.search(MADE, body)
        and not _DONE.search(body)
        and not re.search(r"我(?:自己|来|会|再)|可能|也许|会不会|再说", body)
    ):
        return True
    for part in [body, *parts(body)]:
        topic = None if _ONE_PERSON.search(part) else _TOPIC.match(part)
        if topic and not _DONE.search(topic["act"]) and not _DONE.search(part):
            return True
        if _by_occasion(part):
            return True
    return False


_LACKING = re.compile(
    r"^(?:没有?|缺|无|未|不带|带有?|超过|低于)[^，。我你他她这那了]{1,10}的(?!话"
    rf"|时候)[^，。我你会能]{{1,6}}?{ADV}(?:先"
    r"|都|一律|别|不要|退|压|不收|不[受接]|转|交|单独|拒)"
)
_TOWARDS = re.compile(
    r"^(?:对|跟|和|给|向)(?!我|他|她|你)[^，。这那了]{1,8}(?:说话|讲话|写信|回信|沟通|解释|介绍|报价"
    r"|打电话|回复)[^，。]{0,4}(?:要|得|用|别|不要|尽量|客气|热情)"
)
# What marks a clause as asked for, whatever its verb.
_CUE = re.compile(
    r"^(?:替|帮|给|为|跟)(?:他|她|客人|对方)(?:们)?[^，。了]{2,}$|"
    r"^(?!虽|然|却|也并|还是|就说|才|又)(?!.*(?:会|可能|也许|能|可以)(?!议|员))[^我他她它]{0,6}(?:把"
    r"|先|让|给|跟我|都要|一律|要(?!是)|别|不要|空着|优先|记得|务必|尽量|最好)"
)
_CLASH = re.compile(r"^(?!这|那|今|我|你|他)[^，。]{2,12}(?:撞了|冲突了?|重了|重复了?|撞车了?|对不上|不一致|有出入)$")


#: Occasion and act in one clause: 「用 sudo 之前先问我」.
_JOINED = re.compile(
    r"^(?:(?:替我|给我|帮我|跟我|对我|回复我)?(?!把|将)[^我你他她这那]{1,12}(?:的话"
    r"|的时候|时|(?<!以)之?前|(?<!以)之?后|拿不准|以上的?|以下的?)|有人[^我你他她这那]{2,8}?)(?P<act>.+)$"
)


def _by_occasion(part: str) -> bool:
    """Whether some clause names an occasion, or a class of things, and the next says what is to be done."""
    if re.match(r"然后|后来|于是|接着|结果", part):
        return False
    clauses = [c.strip() for c in re.split(r"[，,；;：:]", part) if c.strip()][:8]
    for occasion, act in pairwise(clauses):
        if _OCCASION.match(occasion) and _COMMAND.match(act) and not _DONE.search(act) and not SELF.match(act):
            return True
    for occasion, act in pairwise(clauses):
        if (
            (_OCCASION.match(occasion) or _CLASH.match(occasion))
            and (_CUE.search(act) or (_WHEN_END.search(occasion) and _THING_DONE.match(act)))
            and not _DONE.search(act)
            and not SELF.match(act)
        ):
            return True
    one = clauses[0] if clauses else ""
    if _LACKING.match(one) or _TOWARDS.match(one):
        return not _DONE.search(one)
    for clause in clauses:
        joined = _JOINED.match(clause)
        if joined and (_CUE.match(joined["act"]) or _COMMAND.match(joined["act"])) and not _DONE.search(clause):
            return True
    return bool(
        re.match(
            rf"^[^我你他她这那]{{2,10}}的(?:东西|货|[^，。]{{0,4}}{MADE})?[^，。]{{0,6}}(?:再"
            r"|才|然后)(?:装|发|给|放|交|走|寄|送|入|出|上)",
            one,
        )
    ) and not _DONE.search(one)
