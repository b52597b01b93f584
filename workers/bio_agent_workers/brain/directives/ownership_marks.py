"""The marks that pasted material carries of itself: a document's, a letter's, a log's, a thread's, a named speaker's.

Every pattern is matched on lines. `FROM_HERE`: from the mark on nothing is the owner's. `NAMED` and `SHOWN`: a line that
names, announces or asks about what stands below it. `SIGNED`: an end that makes all before it a letter. `OWN_HEAD`: a line
by which an owner heads a list of his own.
"""

from __future__ import annotations

import re

from bio_agent_workers.brain.directives.ownership_speakers import REPORTED, speaks_first

_FLAGS = re.IGNORECASE | re.MULTILINE


def _c(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), _FLAGS)


_AGO = (
    r"(?:(?:\d+|an?|one|two|three) (?:second|minute|min|hour|day|week|month|year)s? ago|yesterday|just now"
    r"|on (?:\d|(?-i:[A-Z])[a-z]{2,8} \d))"
)
_ZAGO = r"(?:[\d一二两三几]+ ?(?:秒|分钟|个?小时|天|周|个月|年)前|昨天|前天|刚刚|\d{1,4}[-/年月.:]\d{1,2})"
_VAGO = r"(?:(?:\d+|một|hai) (?:giây|phút|giờ|ngày|tuần|tháng|năm) trước|hôm qua|vừa xong|(?:lúc|vào) \d)"
_LEVEL = r"(?-i:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)"
FROM_HERE = _c(
    # A document: headings, rules between sections, task lists, comments, markup that is not closed, a bracketed caption.
    r"^[ \t]*#{1,6}[ \t]+\S",
    r"^(?=[^\n]*\S)[^\n]+\n[ \t]*(?:={3,}|-{3,})[ \t]*$",
    r"^[ \t]*(?:-{3,}|\*{3,}|_{3,}|={3,}|\+{3,})[ \t]*$",
    r"^[ \t]*\*\*[^*\n]{1,60}\*\*[:：]?[ \t]*$",
    r"^[ \t]*[-*+] \[[ x]\] ",
    r"^[ \t]*<(?:!--|!doctype|\?xml)",
    r"^[ \t]*</?[a-z][\w:-]*(?:[ \t][^>\n]*)?>[ \t]*$",
    r"^[ \t]*<[a-z][\w:-]*>(?=[^\s<])",
    r"^[ \t]*(?:\[[^\]\n]{2,80}\]|【[^】\n]{1,40}】)[:：]?[ \t]*$",
    r"^[ \t]*\[[^\]\n]{0,40}\b(?:from|tool|result|output|system|page|web\w*|document|message|e-?mail|content|forwarded)\b[^\]\n]{0,40}\]",
    r"^[ \t]*【[^】\n]{0,20}(?:来自|工具|结果|输出|系统|网页|页面|文档|消息|邮件|内容|转发)[^】\n]{0,20}】",
    # A log, a console, a diff.
    r"^[ \t]*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^[ \t]*\[?\d\d:\d\d:\d\d",
    rf"^[ \t]*(?:\[{_LEVEL}\]|{_LEVEL}(?:[ \t]*[:|]|[ \t]{{2,}}))",
    r"^[ \t]*(?:\$ \S|>>> |[✓✔✗✘] |(?:not )?ok \d+\b|(?-i:PASS|PASSED|FAIL|FAILED)\b)",
    r"^[ \t]*(?:step|stage|task|job|bước|步骤|阶段)[ \t]*#?\d+[^\n]{0,40}?\b(?:ok|done|pass(?:ed)?|fail(?:ed)?|success(?:ful)?"
    r"|completed?|error|xong|đạt|lỗi)[ \t]*$|^[ \t]*(?:步骤|阶段|第)[ \t]*\d+[^\n]{0,16}(?:成功|完成|通过|失败)[ \t]*$",
    r"^(?:diff --git |@@ -\d|index [0-9a-f]{7}|--- a/|\+\+\+ b/)",
    # A thread: who wrote it and when.
    rf"^[ \t]*@?[\w.-]+(?: [\w.-]+){{0,3}} (?:commented|opened|created|posted|wrote|replied|reviewed|requested|edited|said|asked|answered"
    rf"|approved|reported|added|filed|shared|sent)\b[^\n]{{0,60}}\b{_AGO}[^\n]{{0,30}}$",
    rf"^[ \t]*@?[\w.-]+(?: [\w.-]+)?[ \t]*[·•|,(-]?[ \t]+{_AGO}\)?[ \t]*[:：]?[ \t]*$",
    r"^[ \t]*@?[\w.-]+(?: [\w.-]+)?[ \t]+\[?\(?\d{1,2}:\d\d(?: ?[ap]m)?[\])]?[ \t]*$",
    r"^[ \t]*(?:(?:昨天|今天|前天|hôm qua|hôm nay|today|yesterday) )?\d{1,2}:\d\d(?: ?[ap]m)?[ \t]+[^\s。.]{1,20}[ \t]*$",
    r"^[ \t]*(?:by|written by|posted by|sent by|作者|tác giả|viết bởi)[ :：]+(?-i:[A-ZĐ\u4e00-\u9fff])[^\n.!?]{1,40}$",
    r"^[ \t]*(?-i:[A-ZĐ]\w+ [A-ZĐ]\w+)[ \t]*[(,|][^\n.!?]{2,40}$|^[ \t]*re[:：] |^[ \t]*npm (?-i:ERR|WARN)",
    rf"^[^\n。，,]{{1,20}}(?:评论|发表|回复|提问|提交|发布|创建|打开|编辑|写|说)[^\n。，,]{{0,8}}{_ZAGO}[^\n。]{{0,12}}$",
    rf"^[^\n。，,]{{1,20}}{_ZAGO}[^\n。，,]{{0,4}}(?:评论|发表|回复|提问|提交|发布|创建|编辑|写道|说)[^\n。，,]{{0,8}}$",
    rf"^[^\n.,]{{1,40}}\b(?:bình luận|đăng|trả lời|viết|mở|tạo|gửi)\b[^\n.]{{0,30}}\b{_VAGO}[^\n.]{{0,20}}$",
)

_SOURCE = (
    r"(?:outputs?|logs?|traces?|transcript|stdout|stderr|read ?me|e-?mail|mail|message body|ticket|issue|comment|thread|page|web ?page|site"
    r"|article|post|screenshot|diff|description|body|response|results?|changelog|docs?|document|documentation|wiki|run ?book|manual"
    r"|content|text|paste|attachment|excerpt|snippet|file|spec|report|answer|reply|summary|note)"
)
_OWN = (
    r"(?!(?:my|our|what (?:I|we)|how (?:I|we)|(?:(?:the|an?|one|another|some|two|three|a few) )?(?:[\w-]+ ){0,2}"
    r"(?:rules?|deal|things?|plan|preferences?|conventions?|points?|requests?|wish(?:es)?))\b)"
)
_PLEASE = r"(?:(?:ok(?:ay)?|hey|hi|hello|so|fyi|please|pls|can you|could you|would you|will you|just|now|first)[,!]? )*"
_JUDGED = (
    r"(?:ok(?:ay)?|good|fine|right|correct|true|safe|legit|real|sound|reasonable|sensible|accurate|valid|clear|enough|spam|trustworthy"
    r"|sense|work|apply|acceptable|appropriate|worth|genuine)"
)
_ENDS = r"[^:：\n]{0,60}$"
# A page or a file alone on a line; looked for with quotes and code marks in place.
NAMED = _c(
    r"^[ \t]*[`*<(]{0,2}(?:(?:https?|ftp|file)://|www\.)\S+[ \t]*[:：]?[ \t]*$",
    r"^[ \t]*[`*<(]{0,2}(?:[\w.~@-]{0,80}[/\\]){0,12}[\w.@-]{1,80}\.[a-z][a-z0-9]{0,5}[`*>)]{0,2}[:：]?[ \t]*$",
)
# Announces or asks about what stands below; a line of its own.
SHOWN = _c(
    rf"^(?!(?:for|in|on|every|all|each|my|our|rules?|about|when|with|to)\b)[ \t]*(?:[\w'’./#-]+ ){{0,3}}{_SOURCE}(?: [\w#-]+){{0,3}}[:：][ \t]*$",
    r"^[^：:\n，。]{0,10}(?:输出|日志|原文|邮件|工单|内容|正文|描述|截图|评论|报错|文档|网页|页面|消息|回复|结果|附件)[：:][ \t]*$",
    r"^(?:[\w-]+ ){0,3}(?:log|đầu ra|kết quả|nội dung|e-?mail|thư|tin nhắn|ticket|bình luận|tài liệu|mô tả|trang|đoạn)(?: [\w-]+){0,3}:[ \t]*$",
    rf"^[ \t]*{_PLEASE}(?:here(?:'s|’s| is| are| comes?)|sharing|attaching|pasting|attached(?: is)?) {_OWN}{_ENDS}",
    rf"^[ \t]*{_PLEASE}(?:review|read|check(?: out)?|look (?:at|over|into)|have a look at|take a look at|go over|go through|see|consider"
    rf"|assess|evaluate|comment on|translate|summari[sz]e|proofread|explain|triage|process|parse|reply to|respond to|answer)"
    rf" (?:this|these|the (?:following|attached|below))\b{_ENDS}",
    rf"^[ \t]*{_PLEASE}(?:fix|handle|close|merge|do|work on) (?:this|these|the following) (?:[\w-]+ ){{0,2}}{_SOURCE}\b{_ENDS}",
    rf"^[ \t]*{_PLEASE}(?:is|are|does|do|would|will|should|was) (?:this|that|it|these|they)\b[^?\n]{{0,30}}\b{_JUDGED}\b[^?\n]{{0,20}}[?？][ \t]*$",
    r"^(?!.*\b(?:did|have|had|were) you\b)[ \t]*[^?\n]{2,60}\b(?:this|these|the following|below)(?: [\w-]+){0,3}[ \t]*[?？][ \t]*$",
    r"^[ \t]*(?:(?:any )?(?:thoughts|opinions?|comments|feedback|objections)|what do you (?:think|make)[^?\n]{0,20}|wdyt|agreed?|make sense"
    r"|what(?:'s| is) (?:this|that)[^?\n]{0,20})[ \t]*[?？][ \t]*$",
    r"^(?:请|帮我|麻烦|你|先)*(?:看|审|评审|检查|读|评|处理|回复|审阅)(?:一下|看|下)*(?:这|以下|下面)[^：:\n]{0,16}$",
    r"^(?:这是|这里是|以下是|下面是|附上|贴一下|给你看|发你)(?!我|[^\n]{0,6}(?:要求|规则|规定|约定|原则))[^：:\n]{1,20}$",
    r"^(?:请问)?(?:这|以下|下面)[^？?\n]{0,16}(?:吗|呢|么|不|没有|没问题|如何|怎么样)[？?][ \t]*$",
    r"^(?:你们?)?(?:觉得|怎么看|有(?:什么|没有)?(?:意见|看法|想法))[^？?\n]{0,10}[？?][ \t]*$",
    r"^(?:(?:nhờ|em|hãy|giúp|anh|chị|vui lòng|làm ơn) )*(?:xem|đọc|kiểm tra|review|duyệt|đánh giá|xử lý|trả lời|dịch|tóm tắt)(?: \w+){0,5}"
    r" (?:này|sau|dưới(?: đây)?)\b[^:\n]{0,30}$",
    r"^(?:đây|dưới đây|sau đây|gửi em|gửi bạn)(?: là)? (?!(?:các |những )?(?:quy tắc|quy định|yêu cầu)|[^\n]*của (?:tôi|anh|chị|mình)\b)"
    r"[^:\n]{1,40}$",
    r"^[^?\n]{0,30}\b(?:này|sau|dưới đây)\b[^?\n]{0,24}\?[ \t]*$",
    r"^(?:nhìn|trông|cái|đoạn|câu|thế|vậy|như)\b[^?\n]{0,20}\b(?:ổn|được|đúng|hợp lý|tốt) (?:không|chưa)\b[^?\n]{0,10}\?[ \t]*$",
    r"^(?:(?:em|bạn|mọi người) )?(?:thấy|nghĩ) (?:sao|thế nào|gì)[^?\n]{0,12}\?[ \t]*$",
)

_NAME = r"(?:(?-i:[A-ZĐ])[\w.'’-]*(?:[ ,]+[\w.&'’()@-]+){0,5}|[\u4e00-\u9fff]{2,10})"
_SIGNS = r"(?!(?:always|never|do|don'?t|no|use|please|from|luôn|không|đừng|từ)\b)"
SIGNED = _c(
    r"^[ \t]*</[a-z][\w:-]*>[ \t]*$",  # closes what was opened before the text that was copied
    rf"^[ \t]*(?:--|—|–)[ \t]*\n[ \t]*{_SIGNS}[^\n]{{1,60}}(?:\n[^\n]{{0,60}}){{0,5}}\Z",
    rf"^[ \t]*(?:--|—|–|~)[ \t]*{_SIGNS}{_NAME}\Z",
    r"^[ \t]*(?:(?:(?:kind|best|warm|with|many) )*regards|sincerely(?: yours)?|yours (?:truly|sincerely|faithfully)|best wishes|respectfully"
    r"|此致|敬上|敬礼|顺颂\S{0,4}|祝好|trân trọng|thân ái|thân mến|kính thư)[^\n]{0,24}$",
    rf"^[ \t]*(?:thanks|thank you|many thanks|thx|cheers|best|谢谢|感谢|cảm ơn|xin cảm ơn)[,.!，。！ \t]{{0,9}}\n\s{{0,20}}{_SIGNS}{_NAME}\Z",
    r"^[ \t]*(?:sent from my \w+|发自我的[^\n]{1,12}|được gửi từ[^\n]{1,30}|you are receiving this\b[^\n]*|unsubscribe)[^\n]{0,30}\Z",
)

# Heads a list that is the owner's: it says from when on, on which occasion, or whose rules they are, and names nobody who
# said, sent or wrote them.
_RULES = r"(?:rules?|instructions?|requests?|wish(?:es)?|preferences?|conventions?|points?|requirements?|guidelines?)"
_BY_OTHERS = (
    r"\b(?:said|says?|wrote|sent|posted|told|asked|wants?|suggest\w*|recommend\w*|cop(?:y|ied)|pasted?|forwarded|quoted?|found|gave|got"
    r"|received|according|per|via)\b|说|写道|写的|写着|发来|发的|转|抄|贴|复制|收到|看到|\b(?:nói|bảo|gửi|dặn|(?<!tin )nhắn|chép|dán|trích)\b"
)
_LIST = r"(?=[ \t]*\n\s*(?:[-*+•][ \t]|(?:\d{1,2}|[a-z])[.)、．][ \t]?\S))"
_MINE = r"(?:tôi|anh|chị|mình|chúng tôi)\b(?! (?-i:[A-ZĐ]))"
OWN_HEAD = _c(
    rf"^(?![^\n]*(?:{_BY_OTHERS}))(?:[^\n]{{0,12}}?(?:"
    r"\bfrom (?:now|here|this (?:point|moment|day))(?: on(?:wards?)?)?\b"
    r"|\bfrom (?:today|tomorrow|then|next \w+|[^\W\d_]+day|(?:version|release|sprint|week|day) [\w.]+)(?: on(?:wards?)?\b|(?=[ \t]*[,:\n]))"
    rf"|\b(?:my|our) (?:\w+ ){{0,2}}{_RULES}\b|\b{_RULES} from me\b|\bhow (?:I|we)\b|\bwhat (?:I|we) (?:want|need|expect|ask)\b"
    r"|我们?的(?:要求|规则|规定|约定|原则|习惯)|\btừ (?:nay|giờ|bây giờ|hôm nay|ngày mai|tuần (?:sau|tới)|lúc này|rày)\b"
    rf"|\b(?:quy tắc|quy định|yêu cầu|nguyên tắc|luật)(?: \w+){{0,3}} của {_MINE})"
    r"|[ \t]*(?:when(?:ever)?|before|after|(?:every|each) time) (?:you\b|[^\W\d_]+ing\b)|[ \t]*(?:mỗi khi|khi|trước khi|sau khi) "
    r"|[ \t]*(?:好的?|请|那)?[，, ]?(?:(?:从|自)[^\n。，,：:]{1,8}?(?:起|开始|以后|往后)|以后|今后|往后|此后)"
    rf")[^\n]{{0,60}}{_LIST}",
)


def from_here(shown: str) -> int | None:
    """Where the first mark of a document, a log, a thread or a named speaker stands; None without one. shown: the text with
    its delimited material blanked."""
    found = [m.start() for p in (FROM_HERE, REPORTED) if (m := p.search(shown))]
    spoken = speaks_first(shown)
    return min([*found, *([] if spoken is None else [spoken])], default=None)
