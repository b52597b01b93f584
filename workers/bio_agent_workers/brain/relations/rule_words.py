"""Words of rules in English, Chinese and Vietnamese: modality, clauses, synonyms, alternatives.

Lists are of grammar and of general office and engineering vocabulary. A synonym pair stands here only where the two
words are interchangeable in every rule; a doubtful pair is left out, because two texts with one
key are treated as one rule.
"""

from __future__ import annotations

import re

from bio_agent_workers.brain.wordlists import word_list

_I = re.IGNORECASE


def _c(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), _I)


# What a rule says without changing what it asks: politeness, permanence, who is told.
FILLER = {
    "en": _c(
        r"\b(?:from (?:now|today|this point) on(?:wards?)?|going forward|moving forward|in (?:the )?future"
        r"|at all times|under (?:no|any) circumstances"
        r"|no matter what|without exception|no exceptions?|make sure (?:that |to |you )?|be sure to"
        r"|remember (?:that|to)|keep in mind that|note that|it is important (?:that|to)"
        r"|please|kindly|always|just|really|simply|any ?more|again|ever|ok(?:ay)?|strictly|absolutely)\b"
    ),
    "zh": _c(
        r"从今(?:以|往)?后|从现在(?:起|开始)|即日起|以后|今后|往后|一律|务必|请(?!假|求|购|款)|麻烦|记住|切记"
        r"|永远|始终|没有例外|无论如何|一定(?=要|不)|绝对(?=不)|千万(?=别|不)|再(?=用|次)"
    ),
    "vi": _c(
        r"\b(?:(?:kể )?từ (?:nay|giờ|bây giờ|hôm nay)(?: trở đi)?|sau này|về sau|trở đi|luôn luôn|luôn"
        r"|lúc nào cũng|hãy|vui lòng|làm ơn|xin|nhớ(?: là| rằng)?|ghi nhớ(?: là)?|nhé|nha|ạ|giúp (?:anh|chị|tôi"
        r"|mình)|nữa|tuyệt đối(?= không))\b"
    ),
}
# Obligation is the default mood of a rule: "must push" = "push".
OBLIGE = {
    "en": _c(
        r"\b(?:must|should|shall|ought to|(?:has|have|needs?) to|(?:is|are) (?:to|required to|supposed to)"
        r"|(?:is|are) (?:mandatory|compulsory|obligatory|required))\b(?! not)"
    ),
    "zh": _c(
        r"必须(?:要)?|应该|应当|需要|须要|(?<![必只需重主不想])要(?!求|点|是)|须|应(?=[^用收付急变])"
        r"|得(?=[先用写走经由把找])"
    ),
    "vi": _c(r"\b(?:bắt buộc(?: phải)?|cần phải|phải|cần|nên)\b"),
}
PERMIT = {
    "en": _c(
        r"\b(?:(?:is|are) (?:allowed|permitted|free|ok|fine|tolerated)(?: to)?|may|can|could|(?:is"
        r"|are) acceptable)\b(?! not)"
    ),
    "zh": _c(r"可以|允许|准许|可(?=在|直接|由|先|用|不|以)|能够|得以"),
    "vi": _c(
        r"\b(?:được phép|có thể|được(?= (?:chi|dùng|sửa|gửi|ứng|xóa|ghi|phép|làm|đẩy|xuất|nhập|duyệt|triển khai)))\b"
    ),
}
EXEMPT = {
    "en": _c(
        r"\b(?:(?:do|does) not (?:have|need) to|(?:don't|doesn't) (?:have|need) to|need not|needn't|no need to"
        r"|(?:is|are) (?:optional|not (?:required|necessary|mandatory)))\b"
    ),
    "zh": _c(r"不必|不用(?=[^A-Za-z ])|无需|无须|不需要|用不着|不要求"),
    "vi": _c(r"\b(?:không (?:cần(?: phải)?|bắt buộc|nhất thiết|phải)(?! là)|miễn)\b"),
}
FORBID = {
    "en": _c(
        r"\b(?:(?:is|are|it is|it's) (?:strictly )?(?:forbidden|prohibited|banned|not (?:allowed|permitted"
        r"|acceptable|ok))(?: to| for)?|isn't (?:allowed|permitted|acceptable)|aren't (?:allowed|permitted)"
        r"|do not|don't|dont|does not|doesn't|must not|mustn't|should not|shouldn't|shall not|may not|cannot"
        r"|can not|can't|never|(?:is|are) not to|(?:is|are) never(?: to)?|isn't|aren't|(?:is|are) not)\b"
        r"|^\W*(?:avoid|stop|refrain from|quit|no more)\b|^\W*no(?:body|one)?\b(?! (?:matter|later|more than))"
    ),
    "zh": _c(
        r"不(?:得|要|能|许|准|可以?|允许|应该?|该|再)|严禁|禁止|切勿|请?勿|别(?!的|人|处)|绝不|决不|从不|杜绝"
        r"|避免|谁(?:也|都)(?=不)|(?<=[^不])不(?=[用写发做改直提上走])|^不"
    ),
    "vi": _c(
        r"\b(?:không (?:được(?: phép)?|nên|bao giờ(?: được)?)|đừng bao giờ|đừng|chớ|nghiêm cấm|cấm|tránh|không)\b"
    ),
}
CONDITION = {
    "en": _c(
        r"\b(?:when(?:ever)?|if|once|as soon as|as long as|before|after|during|while|until|provided(?: that)?"
        r"|in case(?: of)?|only (?:if|when|after|with)|with (?:the )?[\w' -]{0,24}approval|in an? emergency)\b"
    ),
    "zh": _c(
        r"如果|要是|若(?=[^干])|假如|一旦|只要|凡(?:是)?|遇到?|当(?=[^前地天日])|经[^，。]{1,10}(?:同意|批准"
        r"|审批)|只有|凭|期间"
    ),
    "vi": _c(r"\b(?:nếu|khi|hễ|trước khi|sau khi|trong lúc|trong khi|một khi|chỉ khi|miễn là|trường hợp)\b"),
}
EXCEPTION = {
    "en": _c(r"\b(?:unless|except(?:ing)?(?: (?:for|when|if|in|on))?|apart from|other than)\b"),
    "zh": _c(r"除非|除了|(?<![删清解免扣移排拆消去])除(?=[^，。]{1,16}外)|例外[是：:]"),
    "vi": _c(r"\b(?:trừ khi|ngoại trừ|trừ(?: trường hợp)?)\b"),
}
ARTICLES = frozenset(
    word_list(
        "a an the of to be is are was were been being you we i they it its this that there our your my us me by do"
        " does and"
    )
)
ORDER_WORDS = frozenset(
    word_list(
        "before after from into onto over under than instead not rather first then until between without above below"
    )
)

SYNONYMS: dict[str, str] = {
    alias: word
    for word, aliases in {
        "use": "utilize utilise employ",
        "repository": "repo repos repositories",
        "directory": "folder dir",
        "database": "db databases",
        "production": "prod",
        "configuration": "config",
        "purchase_order": "po",
        "pull_request": "pr prs",
        "javascript": "js",
        "typescript": "ts",
        "kubernetes": "k8s",
        "delete": "remove erase",
        "every": "each",
        "email": "e-mail mail",
        "before": "prior",
        "using": "via through with",
    }.items()
    for alias in aliases.split()
}
ZH_SYNONYMS = (
    ("使用", "用"),
    ("采用", "用"),
    ("利用", "用"),
    ("直推", "直接推"),
    ("推送", "推"),
    ("数据库", "库"),
    ("改动", "修改"),
    ("更改", "修改"),
    ("变更", "修改"),
    ("文件夹", "目录"),
    ("生产环境", "生产"),
    ("线上环境", "生产"),
    ("代码仓库", "仓库"),
    ("发版", "发布"),
    ("上线", "发布"),
    ("运行", "跑"),
    ("单元测试", "单测"),
    ("之前", "前"),
    ("以前", "前"),
    ("之后", "后"),
    ("的时候", "时"),
    ("里面", "里"),
    ("进行", ""),
)
VI_SYNONYMS = (
    ("hạch toán", "ghi sổ"),
    ("tập tin", "file"),
    ("tệp", "file"),
    ("thư điện tử", "email"),
    ("sử dụng", "dùng"),
    ("máy chủ thật", "máy chủ chính"),
    ("chạy kiểm thử", "chạy test"),
    ("kiểm thử", "test"),
    ("cơ sở dữ liệu", "csdl"),
    ("xoá", "xóa"),
    ("khoá", "khóa"),
    ("hằng", "hàng"),
    ("phê duyệt", "duyệt"),
)

# Members of one set exclude each other in one slot.
_ALTERNATIVE_WORDS: tuple[frozenset[str], ...] = tuple(
    frozenset(line.split())
    for line in (
        "tab space",
        "single double",
        "before after",
        "on off",
        "enable disable",
        "rebase merge squash",
        "npm yarn pnpm bun",
        "snake camel pascal kebab",
        "uppercase lowercase",
        "ascending descending",
        "light dark",
        "optional mandatory",
        "daily weekly monthly yearly",
        "bcrypt argon2id scrypt",
        "eur usd vnd cny",
        "gross net",
        "hot cold",
        "keep delete",
        "include exclude",
        "allow block",
        "大写 小写",
        "单引 双引",
        "升序 降序",
        "串行 并行",
        "浅色 深色",
        "含税 未税",
        "trước sau",
        "bật tắt",
        "thường hoa",
        "tăng giảm",
    )
)
_IRREGULAR = {
    "sent": "send",
    "kept": "keep",
    "written": "write",
    "run": "run",
    "paid": "pay",
    "put": "put",
    "held": "hold",
    "made": "make",
    "done": "do",
    "given": "give",
    "taken": "take",
    "shown": "show",
    "built": "build",
    "left": "leave",
    "set": "set",
    "read": "read",
    "told": "tell",
    "sold": "sell",
    "bought": "buy",
    "found": "find",
    "begun": "begin",
    "cut": "cut",
    "shut": "shut",
    "drawn": "draw",
    "spoken": "speak",
    "thrown": "throw",
    "frozen": "freeze",
    "split": "split",
    "met": "meet",
    "brought": "bring",
    "stored": "store",
}
# Names that end in "s" and are no plurals: without it they would be other names, or none.
NAMES_IN_S = frozenset(
    word_list(
        "https ftps ldaps imaps smtps mqtts amqps mtls dtls wss nfs dns tls css aws rds ecs eks sqs sns kms gcs gps rss sms"
        " ipfs hdfs zfs xfs btrfs ntfs apfs ios macos tvos watchos centos redis jenkins postgres kubernetes pandas keras"
        " nodejs nextjs vuejs rails nats atlas saas paas iaas cors xss hsts"
    )
)
PARTICIPLE = re.compile(rf"^(?:\w{{2,}}ed|{'|'.join(_IRREGULAR)})$")


def stem(word: str) -> str:
    """Light English stem shared by forms of one word: pushes, pushed, pushing → push. Not a word for display."""
    if not word.isascii() or not re.fullmatch(r"[a-z]{4,}", word):
        return _IRREGULAR.get(word, word).removesuffix("e") if word in _IRREGULAR else word
    if word in NAMES_IN_S:
        return word
    if word in _IRREGULAR:
        return _IRREGULAR[word].removesuffix("e")
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) > len(ending) + 2 and re.search("[aeiouy]", word[: -len(ending)]):
            base = word[: -len(ending)]
            if len(base) > 3 and base[-1] == base[-2] and base[-1] not in "sl":
                base = base[:-1]
            return base.removesuffix("e")
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if re.search(r"(?:sh|ch|x|ss|z)es$", word):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1].removesuffix("e")
    return word.removesuffix("e")


ALTERNATIVES: tuple[frozenset[str], ...] = tuple(frozenset(stem(w) for w in group) for group in _ALTERNATIVE_WORDS)
