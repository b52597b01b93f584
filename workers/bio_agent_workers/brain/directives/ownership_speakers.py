"""Who is named as the speaker of what follows: `bob: …`, 「小王：…」, "The user said: …", "Sếp bảo: …".

A name and a topic before a colon look alike ("git: …", "Tests: …"): what the vocabulary of rules knows is a topic.
"""

from __future__ import annotations

import re

from bio_agent_workers.brain.guarding.act_forms import word_set
from bio_agent_workers.brain.relations import vocabulary

_ROLES = word_set(
    "user human person customer client agent assistant system tool bot ai claude gpt chatgpt gemini codex developer dev reviewer"
    " author maintainer admin boss manager support vendor owner speaker colleague teammate"
    " 用户 客户 顾客 助手 系统 工具 机器人 老板 同事 领导 经理 客服 供应商 作者 管理员 sếp khách user"
)
# What stands before a colon and is nobody's name, where the vocabulary does not hold it.
_LABELS = word_set(
    "rule rules note notes reminder reminders important nb ps fyi warning caution policy policies preference preferences style convention"
    " conventions tip tips request requests requirement requirements guideline guidelines also btw please remember attention one two"
    " three first second third finally lastly next update correction clarification feedback todo scope context goal format language"
    " tone naming example answer yes no ok okay sure and but so because thanks sorry always never must instead otherwise again plus"
    " general default exception hint ask wish process workflow agreed decision summary memo hello hi hey listen look"
    " git github gitlab docker podman python javascript typescript java kotlin swift rust go golang node npm pnpm yarn pip uv sql"
    " postgres mysql redis kafka kubernetes helm terraform ansible aws gcp azure linux windows macos bash zsh vim slack jira css html"
    " react vue django flask rails commits deploys merges branches pytest make cargo maven gradle"
    " luật nhớ nhắc chú lưu ghi quy yêu từ git code"
)
_ZLABELS = word_set(
    "注意 提示 规则 要求 规定 说明 备注 另外 补充 提醒 原则 约定 记住 总之 重要 例外 格式 语言 风格 流程"
)
_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董潘袁蔡蒋余杜叶程魏苏吕丁沈任姚卢姜崔钟谭陆汪廖石金韦贾夏付"
    "方邹熊白孟秦邱侯江尹薛阎段雷龙黎史陶贺顾毛郝龚邵万覃武钱戴严莫孔汤"
)
_LATIN = re.compile(
    r"^[ \t]*(?:[-*] )?(?P<handle>@)?(?P<who>[^\W\d_][\w.'’-]{0,24}(?: (?=[A-ZĐ])[\w.'’-]{1,20}){0,3})(?: ?\([^)\n]{1,30}\))?[ \t]*:(?=\s)",
    re.MULTILINE,
)
_CHINESE = re.compile(
    rf"^[ \t]*(?P<who>@?[老小阿][\u4e00-\u9fff]|[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}|{'|'.join(w for w in sorted(_ROLES) if not w.isascii())})"
    r"[ \t]*[:：]",
    re.MULTILINE,
)
_ADDRESS = re.compile(
    r"^[ \t]*(?P<title>the |an? |anh |chị |bạn |cô |chú |ông |bà )(?P<who>[\w-]+)[ \t]*:(?=\s)"
    r"|^[ \t]*(?:người dùng|khách hàng|quản lý|quản trị viên|trợ lý|hệ thống|đồng nghiệp)[ \t]*:(?=\s)",
    re.IGNORECASE | re.MULTILINE,
)
_OCCASION = r"(?:(?:when|whenever|if|once|every time|before|after|as|whatever|no matter|unless|until|in case)\b|khi\b|nếu\b|mỗi\b|如果|当|每)"
# A third party's saying, with what was said after a colon.
_ZWHO = (
    r"(?:他们?|她们?|用户|客户|顾客|老板|同事|领导|经理|客服|助手|供应商|作者|管理员|有人|别人|对方|群里|网上|网页|文档|邮件|页面"
    rf"|[老小阿][\u4e00-\u9fff]|[{_SURNAMES}][\u4e00-\u9fff]{{1,2}}|(?-i:[A-Z])\w+)"
)
_VWHO = (
    r"(?:sếp|khách(?: hàng)?|người dùng|người ta|họ|nó|ai đó|đồng nghiệp|quản lý|quản trị viên|trang(?: web)?|tài liệu|e-?mail|thư"
    r"|(?:anh|chị|bạn|cô|chú|ông|bà|em) (?-i:[A-ZĐ])\w+"
    r"|(?-i:(?!Tôi|Anh|Chị|Mình|Em|Đã|Như)[A-ZĐ])\w+(?= (?:(?:đã|vừa|có|mới) )?(?:nói|bảo|viết|nhắn|dặn|yêu cầu|hỏi|đề nghị|khuyên)\b))"
)
REPORTED = re.compile(
    rf"^(?![^\w\n]{{0,9}}{_OCCASION})(?![^:\n]*\b(?:I|we|you) (?:just |already |have |had )?(?:said|told|asked|wrote|mentioned))[^:：\n]{{1,60}}"
    r"\b(?:said|says|wrote|writes|told (?:me|us|you)|tells"
    r"|asked|asks|replied|answered|requested|commented|announced|suggested|insisted|insists|posted|stated|states|demanded|instructed"
    r"|recommended|recommends|mentioned|reported)\b[^:：\n]{0,40}[:：]"
    r"|^[ \t]*(?:from|quoting|according to|via) (?!(?:now|today|tomorrow|here|me|my|our|this|next)\b|[\w. ]{1,20} on(?:wards?)?[:：])"
    r"[^:：\n]{2,40}[:：]"
    rf"|^(?![^\w\n]{{0,9}}{_OCCASION}){_ZWHO}[^：:\n，,。]{{0,10}}(?:说|讲|表示|回复|要求|写道|写着|问|告诉我们?|留言|反馈|提到|建议)(?:了|过|道|的)?"
    r"[^：:\n，,。]{0,4}[：:]"
    rf"|^(?![^\w\n]{{0,9}}{_OCCASION}){_VWHO}\b[^:\n]{{0,24}}\b(?:nói|bảo|viết|nhắn|dặn|yêu cầu|hỏi|trả lời|kêu|đề nghị|khuyên|ghi)\b[^:\n]{{0,24}}:",
    re.IGNORECASE | re.MULTILINE,
)


def speaks_first(shown: str) -> int | None:
    """Where the first line stands that a named speaker opens, None without one."""
    at = [m.start() for m in _LATIN.finditer(shown) if m["handle"] or _is_name(m["who"])][:1]
    at += [m.start() for m in _CHINESE.finditer(shown) if m["who"] not in _ZLABELS][:1]
    at += [m.start() for m in _ADDRESS.finditer(shown) if _is_role(m)][:1]
    return min(at, default=None)


def _is_role(named: re.Match[str]) -> bool:
    english = (named["title"] or "").strip().casefold() in ("the", "a", "an")
    return not english or named["who"].casefold() in _ROLES


def _is_name(who: str) -> bool:
    words = who.casefold().split()
    if len(words) == 1:
        return words[0] in _ROLES or not _is_topic(words[0], who, ("en", "vi"))
    # A name of several words may hold one that is a thing's too: "Lan Anh", "Bill Short".
    return not all(_is_topic(w, who, ("en",)) for w in words)


def _is_topic(word: str, written: str, langs: tuple[str, ...]) -> bool:
    known = vocabulary.vocabulary()
    if len(written) > 1 and written.isupper():
        return True  # an abbreviation
    if word in _LABELS or "." in word or "'" in word or "’" in word:
        return True
    keys = {word, *(key for lang in langs for key in vocabulary.keys(word, lang))}
    tables = [known.table, known.values, known.scopes, known.ops]
    return any(key in table.get(lang, {}) for table in tables for lang in langs for key in keys)
