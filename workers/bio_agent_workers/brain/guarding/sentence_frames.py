"""Other frames in which people forbid or want to be asked, put into the two that are read: "never do x", "ask me before x".

"Only Ann may deploy", "keep exports out of s3://x", "the file stays as it is", "at most 3 replicas", 只能由我合并,
"muốn đổi giá thì hỏi tôi": each says one of the two in another shape. What a rule speaks of is left word for word.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from bio_agent_workers.brain.guarding.cues import ASK, ASK_AFTER, FORBID

#: Text within a clause: marks that end one do so before a blank only (`v1.2`, `s3://x`, "20,000").
_IN = r"(?:[^,;:.!?，。；：！？\n]|[,.:](?=\S))"
_ROLE = r"(?:the |our )?(?:\w+ )?(?:owner|lead|team|manager|boss|admin|operator|nurse|doctor|cfo|cto|foreman|dba)"
_ME = rf"(?:me|us|{_ROLE}|(?-i:[A-Z][a-z]+))"
_I = rf"(?:(?-i:I)|we|{_ROLE}|(?-i:[A-Z][a-z]+))"
_MY = rf"(?:my|our|{_ROLE}'s|(?-i:[A-Z][a-z]+)'s|an?|the|his|her|prior|explicit|written)"
#: Whoever may do it instead of the agent.
_WHO = r"(?!(?:if|when|after|in|on|at|from|with|by|for|you|agents?|bots?|during|between|use|run)\b)(?:[\w'’-]+ ){0,5}?[\w'’-]+"
_MAY = r"(?:may|can|should|must|(?:is|are) (?:allowed|permitted|entitled) to|gets? to)"
_OK = (
    r"(?:ok(?:ay)?|nod|sign-?off|say-?so|consent|blessing|permission|approval|go-ahead|green light|confirmation|authori[sz]ation"
    r"|clearance|agreement|review|look|pair of eyes)"
)
_ASKED = (
    r"(?:(?:consult|ping|inform|notify|call|warn|tell|ask|contact|message|alert|(?:speak|talk|write|come|turn) to"
    rf"|(?:talk|(?:double-?)?check|confirm|agree|clear (?:it|this|that)) with|run (?:it|this|that) (?:by|past)) {_ME}"
    rf"|(?:get|obtain|seek|secure|wait for) {_MY} (?:\w+ )?{_OK}|give {_ME} a (?:heads-?up|call|ping|shout)|let {_ME} know)(?: first)?"
)
_AIM = r"(?:(?:you|anyone|anybody|we|they) )?(?:(?:want|need|wish|plan|intend|have|are about|are going) to )?"
_AS_IT_IS = (
    r"(?:exactly |just )?(?:(?:as|the way|where) (?:it is|they are|is)\b|alone\b|untouched|unchanged|unmodified|intact\b"
    r"|in peace|be(?=\s*(?:$|[,.;:])))"
)
#: States that are to last, and the act that would end each.
_LASTS = {
    "running": "stop", "switched on": "turn off", "on": "turn off", "enabled": "disable", "switched off": "turn on",
    "off": "turn on", "disabled": "enable", "closed": "open", "shut": "open", "locked": "unlock", "private": "publish",
}  # fmt: skip
_STATE = rf"(?P<state>{'|'.join(_LASTS)})(?=\s*(?:$|[,.;:]|\b(?:at all times|always|unless|until|while|when|during)\b))"
_MUST = r"(?:must|has to|have to|should|shall|is to|are to|needs? to)"
_VI_ME = r"(?:tôi|anh|chị|em|mình|sếp|ông|bà|(?-i:[A-ZĐ]\w+))"


def _lasting(found: re.Match[str]) -> str:
    return f"never {_LASTS[found['state'].lower()]} {found['what'].strip()} "


_CONDITION = re.compile(
    r"\b(?:if|when|while|that|which|who|whose|until|unless|where|once|as long as|because|since)\b[^,;.:]*$", re.I
)


def _not_done(found: re.Match[str]) -> str:
    """ "x is not run" forbids; "a door that is not shut" tells which."""
    return found.group() if _CONDITION.search(found.string[: found.start()]) else "must not be"


_Made = str | Callable[[re.Match[str]], str]
_EN: tuple[tuple[str, _Made], ...] = (
    (
        r",?\s*\b(?:for (?:any|whatever) reason(?: at all)?|in any (?:way|form)|whatsoever|no matter what|on any account"
        r"|(?:on)?to (?:the )?(?:terminal|screen|console|stdout)"
        r"|by (?:any means|hand)|manually)\b,?", " ",
    ),
    (r"\b(?:under no circumstances|on no account|in no case|by no means)(?: (?:may|should|must|shall|can|are you to))?\b", "never"),
    (
        rf"(?<!\bthe )(?<!\ban )(?<!\btheir )(?<![\w-])(?:only|nobody (?:but|except|other than|besides)"
        rf"|no one (?:but|except|other than|besides)) {_WHO} {_MAY}(?! not)\b", "nobody may",
    ),
    (
        rf"\b(?:may|can|must|should|is|are) only (?:be |to be )?(?P<done>[a-z]+(?:ed|en|wn|nt"
        rf"|un)) by {_WHO}(?=\s*(?:$|[,.;]))", r"must not be \g<done>",
    ),
    (rf"\b(?:is|are) (?P<done>[a-z]+(?:ed|en|wn|nt|un)) (?:only by {_WHO}|by {_WHO} (?:only|alone))\b", r"must not be \g<done>"),
    (
        rf"\b(?:is|are) (?:only allowed|allowed only|only permitted|permitted only|only done|only possible) (?:with"
        rf"|after|upon|on) {_MY} (?:\w+ )?{_OK}\b", "needs my approval",
    ),
    (
        r"\b(?:is|are) (?:not|never)(?= (?!allowed|permitted|accepted|tolerated|needed|required|supposed|meant"
        r"|expected)(?:[a-z]+(?:ed|en|wn|nt)|run|put|cut|shut|set|read)\b)", _not_done,
    ),
    (r"\bwhere (?=(?:somebody|someone|people|anyone|anybody|a (?:person|child|patient)|children)\b)", "while "),
    (r"\bturn (?=(?:the |our |any )?[\w' ]{2,40}? (?:above|below|over|under|higher|lower)\b)", "set "),
    (r"\b(?:files? )?(?:with|having|of) the (?:file )?(?:extension|ending|suffix) \.?(?=\w)(?P<end>\w+)", r"*.\g<end> files"),
    (rf"\b(?:is|are) reserved (?:for|to) {_ME}\b", "is forbidden"),
    (r"\b(?:an?|any|the) (?:raw )?(?:block|disk) devices?\b", "a disk such as /dev/sda"),
    (r"\b(turn|switch|shut|power|roll|tear|clear|log)(?:s|es|ting|ing) (off|on|down|back|out)\b", r"\1 \2"),
    (r"\b(?:give|hand)(?:s|ed|ing)? (?=(?:\w+ )?access\b)", "grant "),
    (r"\b(?:is|are) (?:all |always )?kept(?: forever| for good)?(?=\s*(?:$|[.;:,]))", "must not be deleted"),
    (r"\b(?:hand|give|dole)(s|ed|ing)? out\b", "grant"),
    (r"\bforce(?= (?:\w+ ){1,3}?(?:on ?to|to|into) )", "push force"),
    (r"\b(?:refrain|abstain|desist) from\b|\bhold off (?:on|with)\b|\byou have no business\b", "never"),
    (
        rf"\b(?:keep|leave) (?P<what>{_IN}{{2,90}}?) out of (?=\S)", r"never put \g<what> into ",
    ),
    (rf"\bkeep (?P<where>{_IN}{{2,60}}?) (?:free of|clear of) (?P<what>{_IN}{{2,60}})", r"never put \g<what> into \g<where>"),
    (r"\b(?:has|have) no (?:business|place) (?:in|on)\b|\b(?:does not|doesn't|do not|don't) belong (?:in|on)\b", "must not be put into"),
    (r"\b(?:are|is) (?:to be )?kept out of\b", "must not be put into"),
    (
        rf"(?<=\S\.)(?P<ext>\w{{1,8}}) (?:{_MUST} )?(?:stays?|remains?) out of (?=\S)"
        rf"|\b(?P<what>files?|data|secrets?|keys?|exports?|dumps?|logs?|passwords?|credentials?|tokens?"
        rf"|backups?) (?:{_MUST} )?(?:stays?|remains?) out of (?=\S)",
        lambda found: f"{found['ext'] or found['what']} must not be put into ",
    ),
    (rf"\b(?:{_MUST} )?(?:stays?|keeps?|remains?|be kept) (?:out of|away from|clear of) (?=\S)", "must not enter or touch "),
    (r"(?:\b(?:keep your )?hands off|\bsteer clear of)\b:?", "never touch"),
    (rf"\b(?:{_MUST} )?(?:stays?|remains?|be (?:left|kept)|(?:is|are) (?:to be )?(?:left|kept)) {_AS_IT_IS}", "must not be touched"),
    (rf"\b(?:leave|keep) (?P<what>{_IN}{{2,90}}?) {_AS_IT_IS}", r"never touch \g<what>"),
    (
        r"\b(?:is|are) (?:strictly |completely |absolutely )?(?:off[- ]limits|read-?only|out of bounds|untouchable"
        r"|taboo|sacred)\b", "must not be touched",
    ),
    (r"\bkeep (?P<what>[^,;:.]{2,60}?) (?:at or )?(?:below|under|within) (?=[$€£¥]?\d)", r"\g<what> at most "),
    (rf"\b(?:leave|keep) (?P<what>{_IN}{{2,70}}?) {_STATE}", _lasting),
    (rf"(?:^|(?<=[.;:] ))(?P<what>{_IN}{{2,70}}?) (?:{_MUST} )?(?:always )?(?:stays?|remains?|be kept|be left) {_STATE}", _lasting),
    (r"\b(?:(?:is|are|will|shall) (?:not|never)|isn't|aren't|won't|shan't) (?:to )?be\b", "must not be"),
    (r"\b(?:is|are) not to (?=[a-z])", "must not "),
    (r"\b(?:does not|doesn't)(?= (?:go|leave|enter|run|get|travel)\b)", "must not"),
    (
        r"\b(?:is|are) (?:strictly |absolutely |expressly )?(?:banned|disallowed|not (?:permitted|ok(?:ay)?|acceptable)|unacceptable"
        r"|out of the question|an? no-go|ruled out|off the table)\b"
        rf"(?!{_IN}*\bnot\b)", "is forbidden",
    ),
    (rf"\b{_ASKED}(?: {_IN}{{0,30}}?)?\b(?:before|prior to|ahead of|whenever|when|if)\s+{_AIM}(?=[a-z])", "ask me before "),
    (
        rf"\b(?:if|when|whenever) you (?:want|need|wish|have|plan|intend|are about"
        rf"|are going) to (?P<do>{_IN}{{2,90}}), {_ASKED}", r"ask me before you \g<do>",
    ),
    (rf"\b(?:before|prior to)\s+(?P<do>{_IN}{{2,90}}), (?:please )?{_ASKED}", r"before \g<do>, ask me"),
    (
        rf"\b{_I}(?:'d| would)? (?:(?:want|need|like|wish|expect|insist|have)s? to|must|should) (?:be (?:asked|told"
        rf"|consulted|informed|notified)|know|hear)"
        rf"(?: {_IN}{{0,30}}?)?\b(?:before|first when|whenever)\b", "ask me before",
    ),
    (
        rf"\b{_I} (?:(?:want|need|have|would like|ha|wish)s? to|must|will) (?:approve|okay|sign off(?: on)?|confirm|authori[sz]e|review|clear|see) "
        rf"(?:all |any )?(?P<what>{_IN}{{3,120}}?)(?: (?:first|beforehand))?(?=$|[,.;](?:\s|$))", r"\g<what> needs my approval",
    ),
    (
        rf"\b{_I} (?:alone )?decides? (?:about|on|over) (?:all |any |every )?(?P<what>{_IN}{{3,120}}?)(?=$"
        rf"|[,.;](?:\s|$))", r"\g<what> needs my approval",
    ),
    (rf"\byou (?:need|require|must have) {_MY} (?:\w+ )?{_OK} (?:before you|before|to|for)\b", "ask me before you"),
    (rf"\b(?:needs?|requires?|takes?|calls? for|wants?|(?:is|are) subject to) {_MY} (?:\w+ )?{_OK}\b", "needs my approval"),
    (r"\b(?:is|are) (?:mine to \w+|up to me|(?:for me|my (?:call|decision|job|business))(?: to \w+)?|mine alone)\b", "needs my approval"),
    (rf"\b(?:goes|go|has to go|have to go|must go) (?:through|past|by) {_ME}(?: first)?\b", "needs my approval"),
    (rf"\bleave (?P<what>{_IN}{{2,70}}?) to me\b", r"\g<what> needs my approval"),
    (
        rf"\bwithout (?:{_MY} (?:\w+ )?{_OK}|(?:consulting|informing|notifying|involving|clearing it with|running it (?:by|past)) {_ME}|me)\b"
        r"|\b(?:on your own(?: initiative)?|of your own accord|unasked|unprompted|at your own discretion)\b", "without asking me",
    ),
)  # fmt: skip
_ZH_WHO = r"(?:我|本人|[\u4e00-\u9fff]{0,5}?(?:员|负责人|组|师|长|主管|经理|老板|团队|部门))"
_ZH: tuple[tuple[str, _Made], ...] = (
    (r"(?:在)?(?:任何|什么)(?:情况|情形|条件)(?:之?下)?(?:都|也)?|无论如何(?:都|也)?", ""),
    (r"(?<=[A-Za-z_\d]) ?(?:数据)?表(?![格示面达])", " "),
    (r"^除了?[^，。；]{1,10}?(?:以外|之外|外)?[，,]\s*(?=(?:谁|任何人|其他人|别人|所有人|[不严禁]))", ""),
    (rf"(?:只能|只可以?|仅能|只许|只准|只允许|仅限)"
        rf"(?:(?:由|让)(?:{_ZH_WHO}|[A-Za-z]+|[\u4e00-\u9fff]{{2,3}}(?=来))|{_ZH_WHO})(?:本人|自己|亲自)?来?", "不要"),
    (rf"只有(?:{_ZH_WHO}|[A-Za-z]+)(?:本人|自己)?才?(?:能|可以|可|有权|允许)", "不要"),
    (r"(?:一律|必须|要|应|请|得)?(?:保持|维持)(?:原样|原状|不变|不动|现状)|原封不动|不许有任何改动", "不要触碰"),
    (
        r"(?:都|一律)?(?:要|须|必须|需要?|得)(?:先|事先|提前)?(?:经过?|通过|问过|由|让)我"
        r"(?:这关|同意|点头|批准|决定|审批|确认|签字)?", "必须经过我同意",
    ),
    (r"(?:归我(?:管|定|决定)|由我(?:决定|来定|说了算|审批)|我说了算)", "必须经过我同意"),
    (r"(?:先|事先|提前)?(?:跟|和|向|同|给)我(?:说一声|打个?招呼|商量|确认|汇报|报备|请示)", "先问我"),
    (r"(?:都|一律)?(?:要|须|得|由)我(?:来|亲自)?(?:批|审|签|定)(?![评查])", "必须经过我同意"),
    (
        r"(?:先|事先|提前)(?:跟我|和我|向我|同我|给我|找我)?(?:说一声|打(?:个)?招呼|通知我?|告诉我?|告知我?|知会我?|汇报|报备|商量|确认|请示|联系我)",
        "先问我",
    ),
    (r"(?:添加|新增|引入|增加|加入)(?=(?:任何)?新?的?[^，。；]{0,12}?(?:包|依赖|库)(?![存房]))", "安装"),
    (r"(?:先|事先|提前)(?:征得|取得|得到|获得|经过?)(?:我的?)?(?:同意|许可|批准|点头)", "先问我"),
    (r"要改?(?=先问我)|(?<=[，,])(?:要动|要改)(?=的?话?先问我)", "必须"),
    (
        r"(?:最多|上限[为是]?|不超过)(?P<n>\s*[\d.,]+\s*[%％\w]{0,3})[，,；;]\s*"
        r"(?:超过|超出|多于|高于|再多)(?:的|部分|了|就|这个数|此数)*", r"超过\g<n>",
    ),
)  # fmt: skip
_VI: tuple[tuple[str, _Made], ...] = (
    (r"(?<!\w)(?:(?:giá trị|nội dung)(?: của)?|ra (?:màn hình|terminal|console))(?!\w)", " "),
    (r"(?<!\w)thêm (?=(?:gói|thư viện|phụ thuộc|package|module)(?!\w))", "cài "),
    (r"(?<!\w)nâng (?=(?:hạn mức|giá|lương|mức|ngưỡng|giới hạn|số)(?!\w))", "tăng "),
    (r"(?<!\w)(?<=đừng |hông )in(?= )", "in ra"),
    (r"(?<!\w)(?<=đừng |hông |được )vào(?= )", "đi vào"),
    (r"^(?:ngoài|trừ)\s+[^,.;]{1,20}?(?:\s+ra)?,\s*(?=(?:không|đừng|cấm|chẳng))", ""),
    (rf"(?<!\w)chỉ\s+(?:có |mình |riêng |một mình )*(?:{_VI_ME}|[^,.;]{{2,24}}?)\s+(?:mới\s+)?(?:được|có quyền)(?:\s+phép)?(?!\w)", "không ai được"),
    (
        rf"(?<!\w)(?:khi |lúc |nếu )?muốn\s+(?P<do>{_IN}{{2,80}}?),?\s+(?:thì\s+)?(?:phải\s+|nhớ\s+|hãy\s+|cần\s+"
        rf"|nên\s+)?(?:hỏi|báo|xin phép)(?:\s+{_VI_ME})?(?:\s+trước)?(?!\w)", r"hỏi tôi trước khi \g<do>",
    ),
    (
        rf"(?<!\w)(?:nói|nhắn|báo|thông báo|liên hệ|trao đổi|hỏi ý kiến|xin ý kiến|gọi|xác nhận)(?:\s+(?:với"
        rf"|cho))?\s+{_VI_ME}\s+(?:\w+\s+)?trước khi(?!\w)", "hỏi tôi trước khi",
    ),
    (
        r"(?<!\w)(?:phải|cần|hãy|cứ)\s+(?:được\s+)?(?:giữ nguyên(?: trạng)?|để nguyên|để yên)(?!\w)"
        r"|(?<!\w)(?:giữ nguyên(?: trạng)?|để nguyên|để yên)(?=\s*(?:$|[,.;]))|^(?:giữ nguyên|để nguyên|để yên)(?!\w)", "không được động vào",
    ),
    (
        rf"(?<!\w)thì\s+(?:phải\s+|nhớ\s+|hãy\s+|cần\s+)?(?:(?:hỏi|xin phép)\s+{_VI_ME}(?:\s+(?:trước|đã))?"
        rf"|(?:báo|nói với)\s+{_VI_ME}\s+(?:trước|đã|một tiếng))(?!\w)", "phải hỏi tôi",
    ),
    (r"(?<!\w)không ai (?:ngoài|trừ)\s+[^,.;]{2,30}?\s+(?=được(?!\w))", "không ai "),
    (r"(?<!\w)(?:tránh xa|là vùng cấm)(?!\w)", "không được động vào"),
    (
        rf"(?<!\w)(?:phải|cần)\s+(?:qua|thông qua|có)\s+(?:ý kiến (?:của )?|sự đồng ý (?:của )?)?{_VI_ME}(?!\w)"
        rf"|(?<!\w)(?:do|để)\s+(?:tôi|mình)\s+(?:quyết(?: định)?|duyệt)", "phải hỏi tôi",
    ),
    (r"(?<!\w)tối đa(?P<n>\s+[\d.,]+\s*(?:%|\w+)?),\s*(?:quá|hơn|vượt|trên)(?:\s+(?:mức|số)?\s*(?:đó|này|thế))?(?!\w)", r"quá \g<n>"),
)  # fmt: skip
#: What a name begins with, ends in or holds, as a pattern: "whose name starts with acme-", 以 prod- 开头的.
_PART = r"[`'\"“「]?(?P<part>[A-Za-z0-9_][\w./-]*|[-./][\w./-]*\w)[`'\"”」]?"
_NAMED = (
    r"(?:(?:whose|with|having|that|which)\s+)?(?:(?:the|an?|its|their)\s+)?(?:(?:bucket |branch |host |table "
    r"|file )?(?:names?|identifiers?|ids?|titles?|keys?|slugs?)\s+)?(?:that\s+|which\s+)?"
)
_BEGINS = re.compile(
    rf"{_NAMED}\b(?:(?:starts?|begins?|starting|beginning)\s+with|prefixed\s+(?:with|by)|(?:the\s+)?prefix(?:\s+is|\s+of)?)\s+{_PART}"
    rf"|(?:(?:名字|名称|名)?是?以\s*)?{_PART.replace('part', 'zh')}\s*(?:开头|打头|起头|为前缀)的?"
    rf"|(?:有\s*)?前缀[是为]\s*{_PART.replace('part', 'zh2')}的?"
    rf"|(?<!\w)(?:(?:có|mà|với)\s+)?(?:tên\s+)?(?:bắt đầu|mở đầu|khởi đầu)\s+(?:bằng|với|là|bởi)\s+(?:chữ\s+)?{_PART.replace('part', 'vi')}", re.I
)  # fmt: skip
_ENDS = re.compile(
    rf"{_NAMED}\b(?:(?:ends?|ending)\s+(?:in|with|on)|suffixed\s+(?:with|by)|(?:the\s+)?suffix(?:\s+is)?)\s+{_PART}"
    rf"|(?:(?:名字|名称|名)?是?以\s*)?{_PART.replace('part', 'zh')}\s*(?:结尾|收尾|为后缀)的?"
    rf"|(?<!\w)(?:(?:có|mà|với)\s+)?(?:tên\s+)?(?:kết thúc|tận cùng)\s+(?:bằng|với|là|ở)\s+{_PART.replace('part', 'vi')}", re.I
)  # fmt: skip
_FRAMES = {
    lang: tuple((re.compile(said, re.I), made) for said, made in frames)
    for lang, frames in (("en", _EN), ("zh", _ZH), ("vi", _VI))
}
#: A limit that is all a clause says: more than that is what it forbids.
_LIMIT = re.compile(
    r"\b(?:at most|no more than|(?:a )?max(?:imum)?(?: of)?|(?:is |are )?(?:capped|limited) (?:at|to)|(?:must "
    r"|to )?(?:stay|remain|be) (?:at or )?(?:below|under))"
    r"\s+(?=[$€£¥]?\d)|(?:最多|至多|上限[为是]?)\s*(?=\d)|(?<!\w)tối đa\s+(?=\d)", re.I
)  # fmt: skip
_CLAUSES = re.compile(rf"{_IN}+")
#: Asks for what goes beyond a limit named before.
_BEYOND = re.compile(
    rf"[,;.:]\s*(?:and )?(?:(?:please )?{_ASKED}\s+(?:before|for|if|when)\s+(?:\w+ ){{0,3}}?(?:higher|more|above|beyond|over|exceeding)\b{_IN}*"
    rf"|(?:anything |everything |for )?(?:above|beyond|over|more(?: than)?)(?: (?:that|this"
    rf"|it))?\b{_IN}*?(?:needs my approval|ask me|is forbidden)\b{_IN}*)", re.I
)  # fmt: skip
_PATTERNED = re.compile(
    r"start|begin|prefix|suffix|\bend(?:s|ing)\b|[开打起]头|结尾|[前后]缀|đầu|kết thúc|tận cùng", re.I
)
_HAN = re.compile("[\u4e00-\u9fff]")


@lru_cache(maxsize=16_384)
def framed(text: str) -> str:
    """A rule's text with its frames put into "never …", "… must not be …", "ask me before …" and "… needs my approval"."""
    for said, made in _FRAMES["en" if text.isascii() else "zh" if _HAN.search(text) else "vi"]:
        text = said.sub(made, text)
    if _PATTERNED.search(text):
        text = _ENDS.sub(lambda found: f" *{_part(found)} ", _BEGINS.sub(lambda found: f" {_part(found)}* ", text))
    return _limited(text)


def _part(found: re.Match[str]) -> str:
    return next(part for part in found.groupdict().values() if part).rstrip(".,")


def _limited(text: str) -> str:
    limit = _LIMIT.search(text)
    if limit is None:
        return text
    beyond = _BEYOND.search(text, limit.end())
    if beyond is not None:
        text = text[: beyond.start()] + text[beyond.end() :]
    start = max(
        (m.end() for m in re.finditer(r"[,;.:，。；：](?:\s|(?<=[，。；：]))", text[: limit.start()])), default=0
    )
    clause = _CLAUSES.match(text, start)
    if clause is None or any(cue.search(clause.group()) for cue in (FORBID, ASK, ASK_AFTER)):
        return text
    more, ends = (
        ("more than ", " needs my approval" if beyond else " is forbidden") if text.isascii()
        else ("不得超过 ", "") if _HAN.search(text) else ("không được quá ", "")
    )  # fmt: skip
    return text[: limit.start()] + more + text[limit.end() : clause.end()] + ends + text[clause.end() :]
