"""What the sentences of a turn make of one another: a fault and what is wanted instead, the same for all, a turn taken back."""

from __future__ import annotations

import re

#: What the agent's work is found wanting in, again and again; and, after it, what is wanted.
FAULT = re.compile(
    r"\byou (?:tend to|always|keep|constantly|never|still|'re always)\b|\byour (?:last|latest|recent|past) (?:two"
    r"|three|four|few|\d+|couple of)? ?\w+s\b.*\b(?:no|not|n't|never|without|too|missing|lack\w*)\b"
    r"|\b(?:third|second|fourth|fifth|nth) time\b|^\W*(?:your \w+s|every \w+ (?:of yours|you \w+))\b.*\b(?:no"
    r"|not|n't|never|without|too|missing|lack\w*)\b"
    r"|(?:你|您).{0,6}(?:老是?|总是?|一直|每次)|(?:你|您)(?:最近|上)[^，。]{1,8}(?:都|总)[^，。]*(?:没"
    r"|不|太|缺|少)|第[二三四五六七八九十]次"
    r"|\b(?:em|bạn)\b.{0,20}\b(?:hay|cứ|toàn|lúc nào cũng|lần nào cũng|hoài)\b"
    r"|\b(?:mấy|hai|ba|bốn|các) \w+(?: \w+){0,2} (?:gần đây|vừa rồi|trước)(?: của em)?\b.*\b(?:không"
    r"|chưa|thiếu|quá|toàn)\b|\blần thứ (?:hai|ba|tư|\d+)\b",
    re.IGNORECASE,
)
SAME_FOR_ALL = re.compile(
    r"^(?:please )?(?:do|apply) (?:that|this|it|the same) (?:for|with|in|on|to) (?:all"
    r"|every|each|any) [\w -]{2,24}[.!]?$|^(?:the )?same (?:for|with|goes for) (?:all"
    r"|every|each|any) [\w -]{2,24}[.!]?$"
    r"|^(?:所有|每[个份张条次])[^，。？?]{1,8}都(?:是)?(?:这样|这么|如此)[^，。？?]{0,4}[。！!]?$"
    r"|^(?:\w+ ){1,3}nào cũng (?:vậy|thế|như vậy|làm vậy)(?: nhé| nha)?[.!]?$",
    re.IGNORECASE,
)
PUTS_RIGHT = re.compile(
    r"^(?:so |please |just )*(?:put|move|keep|make|use|start with|lead with|write|spell|give|add|say|show|leave"
    r"|stick to)\b (?!me\b|the kettle)[^.?!]{1,40}[.!]?$|^I (?:want|need|expect) (?!you to (?:come"
    r"|go|help)|to (?:know|see you|go)|a (?:break|coffee|holiday)|help|some)[^.?!]{2,30}[.!]?$"
    r"|^(?:请|要|得|都)*(?:放|写|用|给|改|加|先|标|列|说)[^。？?，]{1,14}[。！!]?$|^我(?:要看?|需要|想看)(?!你|休"
    r"|走|喝|吃|去|睡)[^。？?，]{1,10}[。！!]?$"
    r"|^(?:để|đưa|viết|ghi|dùng|thêm|cho|nêu|xếp) [^.?!]{2,36}[.!]?$|^(?:anh|chị|tôi) (?:cần"
    r"|muốn) (?!nghỉ|đi|ăn|ngủ|em (?:tới|đi|giúp))[^.?!]{2,30}[.!]?$",
    re.IGNORECASE,
)
#: What closes a turn that takes back what it began to say.
RETRACTS = re.compile(
    r"(?:\.\.+|…|—| - |\bwait,|\bactually,) ?(?:oh |wait |no |actually |well |hm+ )*,? ?(?:never ?mind"
    r"|forget (?:it|that|I said anything)|scratch that|ignore (?:that|me))\W*(?:forget (?:it|that))?\W*$"
    r"|[.!] (?:oh |no |actually )*,?(?:never ?mind|scratch that|forget I said (?:anything|that))\W*$"
    r"|(?:……|…|\.\.+|。|——)(?:啊|唉|哎)?(?:算了|当我没说|没事了|不说了|你别管了)(?:吧)?[，,]?(?:当我没说"
    r"|没事)?\W*$|，当我没说\W*$"
    r"|(?:\.\.+|…) ?(?:mà )?(?:thôi(?:,? (?:bỏ đi|khỏi|kệ))?|bỏ đi)\W*$|\bmà thôi,? (?:bỏ đi|khỏi|kệ)\W*$"
    r"|\bcoi như (?:anh|chị|tôi) chưa nói\W*$",
    re.IGNORECASE,
)
_WITH_US = (
    r"(?:ở đây|bên mình|nhóm mình|team mình|đội mình|công ty mình|chỗ mình|nhà mình|tụi mình|bọn mình|bên này"
    r"|của (?:mình|nhóm|team|công ty|dự án|bên mình|tụi mình|chúng ta|quán|tiệm|xưởng))"
)
_A_PIECE = (
    r"(?:báo cáo|câu trả lời|trả lời|tin nhắn|e?mail|thư|file|code|commit|bản|bảng|tài liệu|tóm tắt|ghi chú|số liệu"
    r"|hợp đồng|hóa đơn|báo giá|biểu đồ|kế hoạch)"
)
#: A whole sentence that says the one before it is how things are done: "That's our rule here."
CONFIRMS = re.compile(
    r"^\W*(?:and )?(?:that|this|it)(?:'s| is)(?: (?:just|simply|how|always))* (?:(?:how|the way|what) we(?: all"
    r"| always)? (?:do|work|handle|keep|want|like"
    r"|run|name|file|prefer|go about|use)\b[^.?!]{0,40}|our (?:\w+ ){0,2}(?:convention|rule|policy|standard|custom"
    r"|way|practice|norm|style|agreement)\b[^.?!]{0,30}"
    r"|the (?:\w+ ){0,2}(?:convention|rule|policy|standard|custom|practice|norm|style|agreement)(?: here"
    r"| around here| in this \w+| with us| we (?:use|follow|keep|have))"
    r"|(?:the|a) (?:house|team|company|shop|standing|golden) (?:convention|rule|policy|standard|custom|style))\W*$"
    r"|"
    r"^\W*(?:以后|今后|往后|每次)(?:都|就|也|一律|请)*(?:照)?(?:这样|这么|如此|这个样子)(?:做|办|来|写|弄|干|处理)?(?:吧|好了|就行|好吗)*\W*$|^\W*(?:这|那|这就"
    r"|这都)?是(?:我们?|咱们?|这儿|这里|公司|组里|团队|家里|店里|厂里)(?:这儿|这边)?的?(?:老)?(?:规矩|惯例|约定|规定|做法|习惯|传统)(?:了)?\W*$"
    r"|^\W*(?:我们|咱们?|这儿|这里)(?:这儿|这边)?(?:向来|一向|历来|都|就)?(?:是)?(?:这么|这样)(?:做|办|来|写|放|弄|分|干)的?\W*$"
    r"|"
    rf"^\W*(?:từ nay|từ giờ|sau này|về sau|lần sau|lần nào|lúc nào)(?: cũng| thì| em| cứ| nhớ)* (?:làm )?(?:vậy|thế"
    rf"|như vậy|như thế|như này)(?: nhé| nha| giúp \w+| đi)*\W*$|^\W*(?:đó là |đấy là |đó |thế là )?(?:(?:quy ước"
    rf"|quy định|lệ|luật|cách làm|thông lệ|nguyên tắc|nếp) (?:{_WITH_US})|{_WITH_US} (?:vẫn |luôn |toàn |đều |quen |xưa nay "
    rf"|trước giờ )*(?:làm|quen|để|chia|xếp)"
    r" (?:vậy|thế|như vậy|như thế))(?: \w+){0,2}\W*$",
    re.IGNORECASE,
)
#: A whole sentence that tells the agent to give up what the one before it complains of.
STOPS = re.compile(
    r"^\W*(?:so |and |please |just |can you |could you |will you )*(?:(?:stop|quit|drop|cut"
    r"|knock)(?: doing)? (?:that|this|it)(?: off| out| stuff| nonsense| habit)?(?: please"
    r"| already| now| for good)*|(?:don't|do not|never) do (?:that|this|it)(?: again| any ?more| please| ever)*"
    r"|no more of (?:that|this)"
    r"|I (?:don't|do not) (?:want|like|need|appreciate) (?:that|this|it)(?: any ?more| again)?|enough of (?:that"
    r"|this)|not again(?:,? please)?)\W*$"
    r"|"
    r"^\W*(?:请|麻烦|你|快|赶紧)*(?:别|不要|不许|甭|停止)(?:再)?(?:这样|这么|那样|那么)(?:做|干|弄|搞|写|来|了)*(?:了|啦|好吗)*\W*$|^\W*(?:请|快|赶紧"
    r"|你)*改(?:掉|改|了吧|一改|过来)\W*$"
    r"|^\W*(?:这|那)(?:个)?(?:毛病|习惯|坏习惯)(?:得|要|该|必须)?改(?:改|掉|一改)?(?:了|吧)*\W*$"
    r"|"
    r"^\W*(?:em |bạn |làm ơn |xin |thôi |nhớ )*(?:đừng|thôi|bỏ|dẹp|ngừng|ngưng|chừa|không được)(?: ngay"
    r"| hẳn)? (?:làm |cái |kiểu |trò |thói |tật )*(?:thế|vậy|đó|đấy|như vậy|như thế|kiểu đó)(?: nữa| đi| nhé"
    r"| nha)*\W*$",
    re.IGNORECASE,
)
#: What the agent does again and again, as its owner complains of it.
HABITUAL = re.compile(
    r"\byou(?:'ve| have| keep| always| constantly| again| still|'re always|'re constantly|r \w+ (?:always|keep"
    r"|are full of))\b|\byou \w+(?:ed)? (?:it |my \w+ |this |that )?again\b"
    r"|\b(?:third|second|fourth|fifth|tenth|nth|hundredth) time\b.*\byou(?:'ve|r)?\b|\bevery (?:single )?(?:time"
    r"|answer|reply|report|message|commit|mail)\b"
    r"|\byour (?:\w+ )?(?:answers|replies|reports|messages|commits|mails|summaries|comments)\b"
    r"|"
    r"(?:你|您).{0,6}(?:又|老是?|总是?|一直|每次|还是|屡次|三番五次|第[二三四五六七八九十]次)|第[二三四五六七八九十]次.{0,6}(?:你|您)|(?:每次|每份|每封).{0,10}都"
    r"|"
    r"\b(?:em|bạn|cậu)\b.{0,20}\b(?:lại|cứ|lúc nào cũng|lần nào cũng|hoài|toàn|suốt|mãi)\b|\blần thứ (?:hai|ba|tư"
    r"|năm|\d+)\b.*\b(?:em|bạn)\b"
    rf"|\b{_A_PIECE} nào (?:của em )?cũng\b",
    re.IGNORECASE,
)
