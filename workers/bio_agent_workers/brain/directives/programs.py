"""Whether a sentence asks for code at hand to be changed or says what a program is to do, which is a task and no rule.

"Return 404 when a user is missing", "wrap each call in a try block": such sentences quantify as rules do, over what a program
meets; only a word of permanence ("from now on", "in all new code") makes a rule for the agent of them.
"""

from __future__ import annotations

import re

_I = re.IGNORECASE


def _c(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), _I)


_PLACE = (
    r"(?:parsers?|templates?|outputs?|handlers?|pages?|modules?|class|functions?|methods?|scripts?|components?"
    r"|controllers?|routers?"
    r"|navbar|sidebar|constructors?|loops?|blocks?|dockerfile|makefile|header|footer|dropdown|forms?|modal"
    r"|frontend|backend"
    r"|responses?|payload|request|endpoints?|query|queries|regex|schema|codebase|repo(?:sitory)?|folder"
    r"|directory|package|layout"
    r"|stylesheet|middleware|serializer|validator|settings page|login|screen|cli|api)"
)
_THING = (
    r"(?:function|method|class|endpoint|api|button|page|form|field|parser|query|script|test|component"
    r"|service|app|program|system"
    r"|model|server|route|handler|widget|dialog|table|column|constructor|module|cache|queue|worker|job|validator"
    r"|response|input)"
)
_KEEPS = {
    "en": _c(
        r"\b(?:always|never|whenever|from (?:now|here|today|this|next|\w+day) on|(?:going|moving) forward"
        r"|in (?:the )?future|by default|as a rule"
        r"|every time|each time|any ?more|from now|no matter|unless I|until I|in (?:all )?new (?:code"
        r"|files|modules|projects?)|we|our|my|I|please don't)\b"
        r"|\bwhen you\b|\bbefore you\b|\bafter you\b|\byour\b|\b(?:don't|do not|no|stop|avoid|prefer)\b"
    ),
    "zh": re.compile(r"以后|今后|往后|从今|每次|一律|永远|凡是?|始终|我|你|咱|别|不要|不许|不准|禁止|新写的|默认|请"),
    "vi": _c(
        r"\b(?:từ nay|từ giờ|về sau|sau này|luôn|lúc nào cũng|lần nào cũng|mỗi khi|mỗi lần|đừng|không được"
        r"|cấm|anh|chị|tôi|mình|em|nhớ|mặc định)\b"
    ),
}
_TASK = {
    "en": _c(
        r"^\W*(?:please |now |then |also |and )*(?!(?:keep|leave|ask|tell|answer|reply|speak|send|give"
        r"|call)\b)[a-z]+ [^,;]*\b(?:in|on|of|from|under|inside|into|to|across|within) (?:the"
        rf"|this|that|a|our|my|its) (?:[\w.-]+ ){{0,2}}{_PLACE}\W*$",
        r"^\W*(?:please |now |then |also |and )*(?:return|raise|throw|emit|render|parse|yield|catch|cast"
        r"|serialize|deserialize|paginate|debounce|throttle|instantiate|initiali[sz]e"
        r"|validate|implement|expose|sanitize|escape|memoize|refactor)\b",
        r"^\W*(?:please |now |then |also |and )*(?:can you |could you )?(?:write|add|create|implement"
        r"|make|build|define|generate|extend|set up)\b(?: (?:me|us))?(?: (?:a|an|another|the|some|two|three|unit"
        r"|new))* (?:[\w-]+ ){0,2}?"
        r"(?:functions?|methods?|class(?:es)?|checks?|tests?|scripts?|quer(?:y|ies)|endpoints?|hooks?"
        r"|components?|migrations?|validators?|guards?|decorators?|types?|interfaces?|regex|commands?|workflows?|jobs?"
        r"|columns?|fields?|buttons?|pages?|wrappers?|helpers?|assertions?|constraints?) (?:that|which|to|for|so|where"
        r"|with|in|on|of|taking|returning)\b",
        r"\b(?:as|to|return|is|be|equals?) (?:null|none|undefined|nan|true|false|[1-5]\d\d|an? (?:empty"
        r"|error|exception|list|dict|array|string|int|integer|boolean|promise|tuple|object|map|set))\b",
        r"\b[\w/-]+\.(?:py|js|jsx|ts|tsx|go|rs|java|kt|rb|php|c|h|cpp|cs|html|css|scss|sql|sh|ya?ml"
        r"|toml|json|vue|swift)\b",
    ),
    "zh": re.compile(
        r"返回\s*(?:[1-5]\d\d|null|None|空|错误|列表|真|假)|当成?\s*(?:null|None|空值|undefined)|(?:null"
        r"|None|undefined|NaN)\s*处理|抛(?:出)?(?:异常|错)|[\w/-]+\.(?:py|js|jsx|ts|tsx|go|rs|java"
        r"|kt|rb|php|c|h|cpp|cs|html|css|sql|sh|ya?ml|toml|json|vue)"
        r"|^(?:请|再|然后)?(?:在|给|把)[^，。]{1,14}(?:目录|文件夹|函数|方法|组件|模块|接口|页面"
        r"|模板|脚本|处理函数|解析器)(?:里|中|上|下)?[^，。]{0,4}(?:加|写|改|记|用|换|包|放)"
        r"|^(?:写|加|新建|实现|创建|做)(?:一?个)?[^，。]{0,12}(?:函数|方法|类|检查|测试|脚本|接口|组件|校验"
        r"|钩子|按钮|字段)",
    ),
    "vi": _c(
        r"\btrả (?:về )?(?:[1-5]\d\d|null|none|rỗng|lỗi|danh sách|true|false)\b|\b(?:coi như|coi là|xem như) (?:null"
        r"|none|rỗng|undefined)\b|\b(?:ném|quăng) (?:lỗi|exception)\b"
        r"|\b[\w/-]+\.(?:py|js|jsx|ts|tsx|go|rs|java|kt|rb|php|c|h|cpp|cs|html|css|sql|sh|ya?ml|toml|json|vue)\b",
        r"^\W*(?:thêm|viết|bọc|đổi|ghi|dùng|tạo|sửa|sắp) [^,.?]*\b(?:trong|ở|vào|trên) (?:(?:thư mục"
        r"|file|hàm|module|component|template|handler|trang|parser|khối|script|lớp|endpoint)\b)[^,.?]*$",
        r"^\W*(?:thêm|viết|tạo|làm) (?:một )?(?:hàm|kiểm tra|test|script|endpoint|component|lớp"
        r"|nút|trường|validator) \b",
        r"\b(?:ra|cho anh|cho chị) xem\W*$",
    ),
}
_SPEC = {
    "en": _c(
        r"^\W*(?:please |now |also )*(?:add|write|create|implement|make) an? (?:[\w-]+ )?(?:check"
        r"|test|assertion|constraint|guard|function|validation) (?:that|which|to|so)\b",
        rf"^\W*(?:the|this|that|each) (?:[\w-]+ )?{_THING} (?:should|must|needs to|has to|shall|can only|may not"
        r"|never|always) (?:always |never |only |not )?\w+",
    ),
    "zh": re.compile(r"^(?:这个?|该|那个?)?(?:函数|方法|接口|按钮|页面|表单|组件|脚本|程序|系统|服务|字段|测试|队列|缓存)(?:应该"
        r"|必须|要|得|需要|应当)?(?:总是|永远|始终|一直|只)?(?:返回|显示|渲染|抛|接受|支持|最多|只能|输出)"),
    "vi": _c(r"^\W*xong(?: hết)?(?: các| mọi| cả)? [^,.?]{2,16} thì (?:báo|gửi|gọi|nhắn)\b|^\W*(?:hàm"
        r"|api|trang|nút|form|endpoint|script|component|dịch vụ|test|trường|bảng|lớp|hệ thống|chương trình)(?: này"
        r"| đó)? (?:phải |nên |cần )?(?:luôn |chỉ |không bao giờ )?(?:trả|hiển thị|hiện|ném|nhận"
        r"|chấp nhận|chạy|qua|xuất)\b"),
}  # fmt: skip


def of_a_program(sentence: str, lang: str) -> bool:
    """Whether the sentence ("en", "zh", "vi") is a task on code or a specification of it."""
    if _SPEC[lang].search(sentence):
        return True
    return bool(_TASK[lang].search(sentence)) and not _KEEPS[lang].search(sentence)
