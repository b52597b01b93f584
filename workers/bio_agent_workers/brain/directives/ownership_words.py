"""How English, Chinese and Vietnamese announce words that are somebody else's, ask about a text, and mention a wish.

All patterns but `OPENS` and `LEAD_IN` are matched on one sentence or line without its closing line break.
"""

from __future__ import annotations

import re

_I = re.IGNORECASE


def _c(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), _I)


# -- English -----------------------------------------------------------------------------------------------------------

_SRC = (
    r"(?:(?:run|play|hand) ?books?|manuals?|guides?|guidelines?|wikis?|read ?me(?:\.md)?|\w+\.(?:md|txt|pdf|html)|docs?|documents?"
    r"|documentation|(?:web ?)?(?:pages?|sites?)|articles?|posts?|blogs?|e-?mails?|mails?|messages?|answers?|reply|replies"
    r"|responses?|comments?|tickets?|issues?|threads?|transcripts?|logs?|outputs?|screenshots?|notes?|memos?|letters?|tweets?"
    r"|videos?|chats?|channels?|forums?|books?|specs?|changelogs?|tutorials?|newsletters?|portals?|prompts?|snippets?|excerpts?"
    r"|quotes?|paragraphs?|passages?|sections?|texts?|content|policy|slides?|pdfs?|attachments?|handouts?|advice|tips?"
    r"|confluence|notion|slack|discord|reddit|stack ?overflow|github|jira|quora|twitter|linkedin|whatsapp|telegram|internet|web"
    r"|online|chat ?gpt|gpt[\w.-]*|gemini|copilot|claude|llama|perplexity|assistant|chat ?bot|bot|llm)"
)
_SAID = (
    r"(?:gave|give[sn]?|said|says?|told|tells?|wrote|writes?|written|sent|sends?|replied|repl(?:y|ies)|answer(?:ed|s)|suggest(?:ed|s)"
    r"|recommend(?:ed|s)|advise[sd]|posted|posts|left|shared|shares|threw|put|stuck|showed"
    r"|circulate[ds]|broadcast|announced|issued|passed (?:on|along|around)"
    r"|quoted|cited|added|inserted|told (?:me|us) to [^.]{1,20}|forwarded|pinged"
    r"|dm'?e?d|e-?mailed|mailed|texted|messaged|handed"
    r"|printed|generated|produced|contain(?:s|ed)?|reads?|states?|stated|goes|returned|responded|published|dropped|came up with"
    r"|spat out|wanted|wants)"
)
# The rest of a sentence that names a source and says nothing about its topic: "about", "that …" would go on to it.
_TAIL = r"(?:(?!\b(?:that|which|about|because|and|but|so|regarding|for you)\b)[^.!?\n]){0,60}\W*$"
_NOT_ME = r"(?!(?:I|we|you)\b)"
_MEDIUM = (
    r"(?:e-?mail|mail|message|announcement|memo|notice|letter|post|tweet|sign|poster|banner|reply|note|slogan|headline|reminder"
    r"|invitation|speech|story|poem|dialogue|page|leaflet|flyer|newsletter|toast|caption)"
)
_EN = [
    rf"\b(?:this|these|that|it|the (?:text|part|bit|rest|lines?|following)|following|below|above)(?: one)?(?:'s|'re| is| are| was| were| came"
    rf"| comes) (?:all |just |straight |directly |only )?(?:an? (?:quote|copy|paste|excerpt|snippet|passage|extract) )?"
    rf"(?:from|out of|off|copied|pasted|quoted|forwarded|taken|lifted|scraped|in)\b[^.!?\n]{{0,40}}\b{_SRC}\b{_TAIL}",
    rf"\b(?:this|these)(?:'s| is| are| was| were| came| comes)? (?:just |all )?(?:copied|pasted|quoted|forwarded|scraped|from (?-i:[A-Z]))"
    rf"{_TAIL}",
    rf"\b(?:this|that|here|following|below)(?:'s| is| was) (?:what|how|the way) {_NOT_ME}[^.!?\n]{{1,60}}\b{_SAID}\b{_TAIL}",
    rf"^(?!\W*(?:I|we|you)\b)[^.!?\n]{{2,80}}\b{_SAID}(?: (?:me|us|out|back|in|to (?:me|us)|up))*(?: with)?"
    rf" (?:this|these|the following|it like this|like this|as follows|something like this|the below)"
    rf"(?: (?:new |short |nice )?(?:part|one|bit|line|rules?|instructions?|reminder|warning|notice|statement|{_SRC}))?"
    rf"(?: (?:to|in|on|at|from|over|via|today|yesterday|earlier|just now)\b{_TAIL}|\W*$)",
    rf"^(?:fyi,?|so,?|hey,?|ok,?)*\s*(?:(?:I|we)(?:'ve| have)? )?(?:just )?(?:was sent|got sent|copied|pasted|grabbed|lifted|scraped"
    rf"|received|forwarded|forwarding|quoting|pasting|copy(?:ing)?[- ]?past(?:e|ed|ing)) (?:in |over )?(?:this|that|it|these|from|off|out of"
    rf"|some|an?|the|what)\b{_TAIL}",
    rf"^(?:fyi,?|so,?|hey,?|ok,?)*\s*(?:(?:I|we)(?:'ve| have)? )?(?:just )?(?:got|found|saw|read|heard|picked up|came across"
    rf"|stumbled (?:up)?on) (?:(?:this|that|it|these|the following)\b(?: \w+)? (?:on|in|from|at|off|over|via|through|by|somewhere|online)\b"
    rf"{_TAIL}|(?:an?|some|another) (?:[\w-]+ )?{_SRC}\b{_TAIL})",
    rf"^(?!\W*(?:I|we|you)\b)[^.!?\n]{{2,50}}\b(?:left|posted|wrote|sent|put up|shared|published|dropped|forwarded|gave)"
    rf" (?:me |us )?(?:an?|some|another|his|her|their) (?:[\w-]+ ){{0,2}}{_SRC}\b{_TAIL}",
    rf"\b(?:{_SRC}|errors?|exception|trace(?:back)?)\b[^.!?\n]{{0,30}}\b(?:follows|below|attached|underneath|pasted|as follows)\W*$",
    r"^(?:please )?(?:see|look at|check|read) (?:the )?(?:attach(?:ment|ed)s?|below|following|screenshot|quote)(?: (?:below|above|here))?\W*$",
    r"(?<!do )(?<!follow )(?<!remember )(?<!observe )(?<!note )(?<!apply )(?<!respect )\b(?:the following|as follows|what follows"
    r"|the below)\W*$",
    # Text to be worked on, and a piece of writing of which no topic is given.
    r"^(?:please |can you |could you )*(?:translate|proofread|rephrase|paraphrase|reword|rewrite|summari[sz]e|polish|shorten|spell-?check"
    r"|correct|explain)\b(?: (?:this|it|these|the (?:text|following|below|sentence|paragraph|passage|message|e-?mail)|below|following|for"
    r" me|please|(?:in)?to \w+|in \w+|from \w+))*\W*$",
    rf"^(?:please |can you |could you |now )*(?:write|draft|compose|prepare|send|create|make|print|post|design)(?: (?:me|us|up|out))?"
    rf" (?:an?|the|another|one) (?:[\w-]+ ){{0,3}}{_MEDIUM}(?: (?:to|for|in|on) {_TAIL}|\W*$)",
]
_EN += [
    rf"^(?:below|following|attached|here) (?:is|are|comes?|you(?:'ll| will| can)? (?:find|see))\b(?! (?:my|our|what (?:I|we)|how (?:I"
    rf"|we))\b){_TAIL}",
    rf"^this(?: one)? (?:popped up|showed up|shows up|appeared|appears|arrived|came (?:in|up|through|with)|landed|turned up|was (?:on|in|at)"
    rf"|is (?:on|in)|got posted|went round)\b{_TAIL}",
    rf"\b(?:this|these|that)(?: one)?(?:'s| is| are| was| were| came| comes) (?:straight |all )?(?:from|by) (?:(?:the|an?|our|my|his|her|their"
    rf"|some) )?"
    rf"(?:[\w-]+ )?(?:vendor|supplier|boss|client|customer|colleague|manager|support|hr|it|legal|intern|friend|admin|agency|bank|consultant"
    rf"|contractor|other team|marketing|sales|headquarters|hq|partner|user|reader|competitor)\b{_TAIL}",
    r"^(?:according to|per|as per|via|courtesy of|as (?:seen|read|posted) (?:in|on)|quot(?:e|ing) from|words (?:of|from|by)|in the words of)\b"
    r"[^,.:!?]{2,50}$",
    rf"^(?:I(?:'m| am)|we(?:'re| are)) (?:reading|watching|listening to|looking at|quoting|pasting|forwarding)\b[^.!?\n]{{0,40}}\b(?:{_SRC}"
    rf"|podcast"
    rf"|this|what)\b[^.!?\n]{{0,30}}$",
    rf"^(?:please |can you |could you )*(?:turn|convert|transform|put|format|typeset|print|read|say|repeat|sing|type|set) (?:this"
    rf"|the following|these|it)"
    rf"(?: (?:into|to|as|in|out|aloud|on|back)\b{_TAIL}|\W*$)",
]
_EN += [
    r"^(?:\w+ )?(?:voice ?mail|paste|message|mail|e-?mail|note|letter|quote|extract|excerpt|screenshot|snippet|announcement|memo) (?:from|by)"
    r" (?!me\b|us\b)[^.,!?\n]{2,40}$",
    r"^(?:found|seen|read|heard|spotted|published|taken|copied)(?: this| it)? (?:on|in|at|from|off) [^.,!?\n]{2,40}$",
    rf"^(?:this|these|here|below)(?:'s| is| are) (?:an?|some|part of|another|one) (?!bug|new)[^.!?\n]{{0,30}}\b(?:{_SRC}|example|sample)\b{_TAIL}",
    rf"^(?:this|the|a) {_SRC} (?:popped up|showed up|appeared|arrived|came (?:in|up|through)|landed|turned up)\b{_TAIL}",
    r"^(?:please )?(?:read|look at|see|consider|assess|judge|rate|comment on|evaluate|have a look at|take a look at) (?:this|these|the following)"
    r"(?: (?:and|then|text|paragraph|passage|sentence|message)\b[^.!?\n]{0,40})\W*$",
    rf"^(?:please |can you )*(?:shorten|polish|translate|rephrase|rewrite|reword|proofread|summari[sz]e|explain|correct) (?:this|that|the|these)"
    rf" (?:{_SRC}|sentence|lines?|slogan|caption)\b{_TAIL}",
    rf"^(?!\W*(?:I|we|you)\b)[^.!?\n]{{2,40}}\b(?:made|designed|drew|painted|printed|hung up) (?:an?|another|this) (?:[\w-]+ ){{0,2}}{_MEDIUM}\b"
    rf"{_TAIL}",
]
_EN += [
    rf"^(?:the )?[\w-]+(?: [\w-]+)?'s? (?:{_SRC}|words|view|take|opinion|recommendation|suggestion)\W*$",
    rf"^(?!\W*(?:I|we|you)\b)[^.!?\n]{{2,40}}\b(?:put|hung|stuck|pinned|taped|nailed|left|keeps|has) "
    rf"(?:up )?(?:an?|this|another) (?:{_MEDIUM}|sticker)\b{_TAIL}",
]
_EN_HEADS = [
    rf"^(?:lines?|parts?|sections?|text|words?|rules?|points?|page|items?|steps?|chapter|from|out of)\b(?! now\b)[^.!?\n]{{0,40}}\b(?:{_SRC}|faq)$",
    r"^(?!.*\bfrom (?:now|today)\b)(?:\w+ ){0,2}(?:paste|copy|message|mail|word|news|note|reply|answer|post|quote|extract|clip|clipping|dump"
    r"|print-?out|text"
    r"|advice|notice|instructions?) (?:from|by|of) [^.!?\n]{2,40}$",
    rf"^(?!.*\bfrom (?:now|today)\b)(?!(?:my|our)\b)[^.!?:\n]{{0,40}}\b(?:{_SRC}|words)\b(?: \w+)? (?:from|of|by|in|on|at) (?!every|all|each)"
    rf"[^.!?\n]{{2,40}}$",
    r"^(?:\w+ ){0,2}(?:transcript|excerpt|traceback|screenshot|scraped|verbatim|changelog|stack ?overflow|chat ?gpt|gemini|copilot|log output"
    r"|error output|console output|page content|quoted? text|copy-?paste|pasted)\b[^.!?\n]{0,40}$",
    r"^(?:ok(?:ay)?,? |so,? )?(?:here (?:you go|it is|goes|we go|they are)|there you go|look at this|see this|check this(?: out)?|this one)\W*$",
]
_EN_BACK = [
    rf"^\(?(?:that|this|it|which)(?:'s| is| was| came| comes)? (?:a quote |straight |all )?(?:what (?!I\b|we\b)[^.!?\n]{{1,40}}\b{_SAID}"
    rf"|from (?:the |an? |our |their )?(?:[\w-]+ )?{_SRC})\b{_TAIL}",
    r"^[(\[]?(?:copied|pasted|quoted|taken|lifted|forwarded|source|seen|found|via|from)(?: from|:| on| in"
    r"| off)? (?!now\b)[^.!?\n]{0,40}[)\]]\W*$",
    rf"^(?:so |thus )?(?:said|says|wrote|writes|according to)\b[^.!?\n]{{1,30}}(?:{_SRC}|(?-i:[A-Z])\w+)\W*$",
]
_EN_ASKS = [
    r"\bwhat (?:does|do|did|could|would|might|is|are) (?:this|these|that|it)(?: \w+){0,2}? (?:mean|say|refer to|supposed to mean|about)\W*$",
    r"\b(?:make (?:any )?sense of|what do you (?:make|think) of|do you (?:agree|disagree) with|have you seen) (?:this|these|that|the following"
    r"|it)\b"
    r"[^?]{0,20}\?",
    r"\b(?:is|are|was) (?:this|these|that|the following|it) (?:\w+ ){0,2}?(?:advice|true|legit\w*|phishing|spam|real|a scam|trustworthy|sound"
    r"|reasonable|good practice|best practice|sensible)\b[^?]{0,20}\?",
    r"\bwhere (?:does|did|is|do) (?:this|that|these|the|it)\b[^?]{0,30}\bfrom\b|\bwho (?:wrote|said|sent|posted|says|told) (?:this|that|it"
    r"|these)\b",
    r"\bshould (?:I|we|one) (?:follow|trust|believe|listen to|take) (?:this|that|it|these)\b|\bwhy (?:does|do|did|would) (?:it|this|the \w+"
    r"|they)"
    r" (?:say|tell|recommend|suggest|claim)\b",
    r"\b(?:call|consider|find|think) (?:this|that|it|these) (?:\w+ )?(?:reasonable|sensible|true|good|right|legit|safe|sound|advice|wise)\b",
    r"\b(?:if|whether) (?:this|that|the following|it)(?:'s| is| are| was) (?:\w+ ){0,3}?(?:advice|true|legit\w*|phishing|spam|scam|trustworthy"
    r"|sound|reasonable"
    r"|sensible|good practice|best practice)\b",
    r"\bwhat (?:this|that|it|these) (?:is about|means?|says?|refers? to|is supposed to)\b|\bwhat you (?:think|make) of (?:this|it|these)\b",
    r"\bcan you (?:explain|interpret|parse|decode) (?:this|these|that|it|the following)\b",
]
# A capital inside a sentence where none belongs opens somebody's title, label or line.
_MENTION_EN = [
    r"(?-i:(?:^|\s)(?!(?:and|but|please|so|also|then|you|must|should|to|or|is|we|i|just|rule|that) )[a-z][\w'-]* [\"']?(?:Always|Never|Don'?t"
    r"|Do not"
    r"|From now on|No more) )",
    r"^\W*(?:please |can you )*(?:set|rename|change|call|name|label|relabel|title|retitle|switch|update)\b[^.]{2,60}\b(?:to|as|into)\b [\"']?"
    r"(?-i:Always|Never|Don'?t|Do not|From now)\b",
    r"\b(?:titled|entitled|captioned|labell?ed|saying|(?:that|which) (?:says|reads)|reading|reads|stating|slogan|motto|headline)[ :]+[\"'“]?"
    r"(?:that )?(?:always|never|don'?t|do not|from now on)\b",
    r"^\W*(?:please )?(?:make|have|let)\b[^.]{2,50}\b(?:say|read|show|print|display)[ :]+(?:always|never|don'?t|do not|from now)\b",
    r"\b(?:if|when|whenever|in case|should|suppose|what if|imagine) [^,.]{1,30}?\b(?:ever )?(?:says?|said|types?|typed|tells?|told|writes?"
    r"|wrote|asks?"
    r"|asked|claims?)(?: \w+)?(?: that| to|:)?,? [\"'“]?(?:always|never|from now on|don'?t)\b",
    r"\b(?:the|this|a) (?:phrase|saying|expression|motto|slogan|idiom|proverb|song|string|words?|line) [\"'“]?(?:always|never|from now|don'?t"
    r"|do not)\b",
    r"\b(?:a |the )?(?:rules?|something|instructions?|things?) like [\"'“]?(?:always|never|from now|don'?t|do not)\b",
    r"^\W*(?:please )?(?:write|draft|implement|code|configure)\b[^.:]{0,20}\b(?:rule|check|test|policy|hook|prompt|comment"
    r"|assertion)s?\b[^.:]{0,40}:",
    r"\b(?:don'?t|do not) take (?:this|that|it|me) (?:too )?(?:literally|seriously)\b",
    r"^\W*(?:just |only )?(?:for )?(?:today|tonight) only\b",
]

# -- Chinese -----------------------------------------------------------------------------------------------------------

_ZSRC = (
    r"(?:手册|文档|维基|wiki|日志|网页|网站|页面|邮件|消息|短信|回答|答案|回复|评论|工单|帖子?|论坛|博客|微博|推文|群|聊天|记录|文章|说明书?"
    r"|公告|通知|教程|书|README|ChatGPT|Gemini|GPT[\w.-]*|Claude|模型|助手|机器人|Stack ?Overflow|知乎|百度|网上|截图|附件|门户|Slack"
    r"|Confluence|报错|错误信息|输出|文字|内容|段落|原文|提示词|公众号|朋友圈|新闻|内网|弹窗|窗口|终端|屏幕|视频|播客|规范|条款|政策)"
)
_ZTHIRD = (
    r"(?:有人|别人|同事|老板|客户|他们?|她们?|供应商|实习生|朋友|领导|前辈|网友|助手|对方|[老小]\S|[A-Z][\w.]+"
    + rf"|{_ZSRC})"
)
_ZSAY = r"(?:发|写|转|贴|给|推荐|建议|回答|回复|答|说|讲|转发|分享|生成|留|告诉|要求)"
_ZH = [
    rf"(?:这|以下|下面|下列|后面)(?:个|些|段|条|里)?(?:都)?(?:是)?[^。，,]{{0,16}}{_ZSRC}(?:里|上|中|里面)?(?:的)?(?:一段|一句|内容|文字)?\W*$",
    r"^(?:这(?:是|个|段|些)?|内容)?(?:我)?(?:是)?(?:从|在)[^。，,]{1,14}(?:抄|复制|粘贴|摘|拷|转|找|截|看)(?:来|下来|过来|到)?(?:的|了)?(?:一[段条句篇]|这[段条句个])?\W*$",
    rf"{_ZSAY}(?:给|了|着|来|过来)?(?:我|我们|大家)?(?:了)?(?:这个|这段(?:话)?|这条|这些|下面(?:这[段个些条]|的(?:话|内容|文字))?|以下(?:内容)?|如下|这样|这么一段)\W*$",
    rf"^(?!.*(?:代码|函数|脚本|测试|文件|报告|程序|数据|数字|用))[^。，,]{{0,10}}{_ZTHIRD}[^。，,]{{0,10}}{_ZSAY}(?:来|过来|给我|给大家|我)?的"
    r"(?:回答|答案|建议|内容|话|消息|邮件|文字|一段|东西)?\W*$",
    rf"{_ZSRC}[^。，,]{{0,6}}(?:如下|在下面|在后面|见下)|见附件|见下文",
    r"(?:里|上|中)(?:面)?(?:有|写着|写了|贴着|看到|出现)(?:了)?(?:这么|这样|如下)?(?:一|这)(?:段|句|条|行|些)[^。，]{0,6}\W*$",
    rf"(?:看到|读到|收到|听到|刷到|翻到)(?:了)?(?:一|这)(?:条|个|段|篇|封|句|则)[^。，,]{{0,8}}{_ZSRC}\W*$",
    r"^(?:请|帮我|麻烦)*(?:把)?(?:下面|以下|这段|这句|这些)?(?:的)?(?:话|文字|内容)?(?:翻译|翻|润色|改写|校对|总结|概括|缩写|解释)"
    r"(?:[成为][^。，]{1,6}|一下)?(?:这段|下面|以下|这句)?(?:话|文字|内容)?\W*$",
    r"^(?:请|帮我|麻烦|给我)*(?:写|起草|拟|发|做|准备|编)(?:一)?(?:封|则|条|个|份|篇|段|张)(?![^。]*关于)[^。，,]{0,12}"
    r"(?:邮件|通知|公告|消息|信|帖子|海报|标语|文章|博客|微博|短信|便条|告示|演讲稿)(?:给|发给|发到|贴在)?[^。，,]{0,14}\W*$",
]
_ZH += [
    r"^(?:以下|下面|下列|附上?|后面)(?:是|为)(?![^。]*(?:我|要求))[^。，,]{1,30}$",
    rf"^[^。，,]{{0,6}}{_ZSRC}(?:里|上|中)?[^。，,]{{0,4}}(?:看|听|读|弹|收|刷|翻|抄|搜|跳)(?:到|来|出来|出)(?:的|了)?(?:这个|这[条段句]|一[条段句])?(?:消息|提示|话)?\W*$",
    r"(?:跟|和|对|向|叫|让|教|要)我(?:们)?(?:说|讲|做)?[^。，,]{0,8}(?:这样|这么|如此)[^。，,]{0,4}\W*$",
    rf"{_ZSRC}[^。，,]{{0,6}}(?:写的?是|写着|显示(?:的是)?|说的?是|里说|是这[样么](?:的|写的|说的|回答的)?)\W*$",
]
_ZH += [
    r"^(?:我)?(?:贴|转|附|粘|引)(?:上)?(?:一)?(?:段|条|个|份|点|张|篇)[^。，,]{0,14}\W*$",
    r"^这(?:是|些是)(?:一)?[^。，,]{0,12}(?:例子|示例|样本|范例)\W*$",
    r"^(?:请|你)?(?:看|读|评|瞧)(?:一下|看|评)?(?:一下)?(?:这段|这条|这句|下面|以下)(?:话|文字|内容)?\W*(?:$|[，,])",
    r"^(?!我[写做画发贴印]|你)[^。，,]{1,8}(?:写|做|画|发|贴|印)了一(?:张|封|条|篇|个|份|段)[^。，,]{0,8}(?:海报|邮件|信|消息|帖子|公告|通知|文章|标语)\W*$",
    r"^(?!我|你)[^。，,]{1,8}的(?:语音)?(?:留言|消息|邮件|短信|信|帖子|回复|通知|笔记|回答|答案|建议|说法|观点|常见问题)\W*$",
    r"(?:收到|拿到|看到|接到)(?:了)?(?:这|一)(?:份|封|条|张|段|篇|则)[^。，,]{0,6}\W*$",
    r"(?:这么|这样|如此)(?:回答|回复|说|写|建议|告诉|教)(?:我|我们|的)?\W*$",
]
_ZH += [
    r"(?:发来|发给|转来|转给|寄来|传来|送来)(?:了)?(?:我|我们|大家)?(?:这|一)[条个份封张段](?:新)?[^。，,]{0,8}\W*$",
    r"^(?!我|你)[^。，,]{1,12}(?:写着|写道|写的是|印着|贴着|标着|刻着)\W*$",
    r"^(?:请|帮我|麻烦)*(?:给|为)[^。，,]{1,6}(?:写|起草|拟|做)(?:一)?(?:封|则|条|个|份|篇|张)(?![^。]*关于)[^。，,]{0,8}(?:邮件|通知|公告|消息|信|海报|标语|告示)\W*$",
]
_ZH_HEADS = [
    r"^[^。！？\n]{0,14}(?:摘录|节选|摘抄|选段|引文|片段)$",
    r"^[^。！？\n]{0,16}第\s?\d+[^。！？\n]{0,10}(?:行|页|条|章|节|段)$",
    rf"^[^。，,：:！？]{{0,16}}(?:{_ZSRC}|说明)(?:摘录|原文|内容|文字|全文|截图|记录)?\W*$(?<!以后)",
    r"^(?:请看|看这个|看看这个|如下|给你)\W*$",
]
_ZH_BACK = [
    rf"^[^。，,]{{0,8}}{_ZSRC}(?:上|里|中)?(?:面)?(?:就|也|都)?(?:是)?(?:这么|这样|如此)(?:写|说|讲|建议)的?\W*$",
    r"^[（(]?(?:摘自|来自|出自|引自|转自|复制自|抄自|引用自)[^。]{1,24}",
    rf"^(?:这|以上|上面)(?:句|段|些|都)?(?:话)?(?:都)?是{_ZTHIRD}[^。，]{{0,8}}(?:说|写|发|要求|建议)的\W*$",
]
_ZH_ASKS = [
    r"(?:这|那|上面|下面|以下)(?!样)(?:句话?|段话?|个|条|些|种)?(?:说的|写的|讲的|建议|说法|话|内容|规定|消息|邮件|文字|东西)?(?:到底|究竟)?(?:是)?"
    r"(?:什么意思|啥意思|从?哪[里儿]来|谁[写说发]|靠不?靠?谱|是?真的吗|可信|合理吗|有道理|怎么[看理]解?|(?:说|写|讲)的?(?:是)?(?:什么|啥))",
    r"(?:这|上面|下面|以下)(?:个|条|种|些)?(?:建议|说法|做法|观点|文章|话|规定|内容)[^。，]{0,4}(?:好吗|对吗|对不对|正确吗|行吗)",
    r"(?:网上|他们?|她们?|人家|文章|书上?|新闻|帖子)(?:里|上|中)?(?:说|写|讲|建议)的[^。，？]{0,6}(?:真|对|靠谱|正确|可信)",
    r"同意(?:这|上面|下面|以下|他|她)",
]
_ZWISH = r"[\"“「]?(?:请务必|请|以后|今后|永远|一律|从现在|从今|不要|务必|别|总是|绝不|始终|必须)"
_MENTION_ZH = [
    r"(?:加|写|添|贴|印|打|挂|换|补|放|插|改)(?:上|成|一|入)*(?:句|行|段|条|个|张|块|则)?[^，。“「]{0,8}[“「『\"][^”」』\"]{2,}",
    rf"(?:写上|写着|写成|写道|命名为|改名为|改名叫|取名|叫做|名为|名叫|设为|设成|题为|标题[是为]|文字[是为]|改成|显示为?){_ZWISH}",
    rf"(?:如果|要是|假如|当|若|万一|有人)[^。，]{{0,8}}(?:说|让你|叫你|告诉你|输入|要求你|问){_ZWISH}",
    rf"(?:类似|比如|例如|好像|就像){_ZWISH}",
]

# -- Vietnamese --------------------------------------------------------------------------------------------------------

_VSRC = (
    r"(?:runbook|sổ tay|tài liệu|wiki|log|nhật ký|trang(?: web)?|bài(?: viết| đăng| báo)?|email|mail|thư|tin nhắn|câu trả lời|bình luận|comment"
    r"|ticket|diễn đàn|blog|readme|chat ?gpt|gemini|gpt[\w.-]*|claude|trợ lý|mạng|ghi chú|biên bản|nội dung|đoạn|văn bản|ảnh chụp"
    r"|(?:tệp )?đính kèm|thông báo|hướng dẫn|cổng|stack ?overflow|slack|confluence|nhóm|facebook|zalo|sách|output|lỗi|kết quả|forum)"
)
_VSAY = r"(?:viết|gửi|nhắn|đăng|nói|trả lời|gợi ý|đề xuất|bảo|khuyên|chuyển|đưa|cho|share|chia sẻ|để lại|tạo|ghi)"
_VTAIL = r"(?:(?!\b(?:về|rằng|là|vì|nên|và|nhưng)\b)[^.,!?\n]){0,40}\W*$"
_VI = [
    rf"^(?:cái|đoạn|câu|phần|nội dung|bài|mấy dòng)?\s?(?:này|sau|dưới đây|sau đây)(?: là| được| anh| tôi)* (?:lấy|chép|trích|dán|sao chép"
    rf"|copy|từ|của"
    rf"|do|trong|ở trong|chuyển)\b{_VTAIL}",
    rf"^(?:đây|dưới đây|sau đây) là (?:\w+ ){{0,3}}{_VSRC}\b{_VTAIL}",
    rf"^(?!\W*(?:anh|tôi|chị|mình|em)\b)[^.,!?\n]{{2,40}}\b{_VSAY}\b[^.,!?\n]{{0,24}}\b(?:đoạn (?:này|sau|dưới)|cái này|thế này|như vầy"
    rf"|như sau|như này"
    r"|vậy|thế|điều sau|câu này|như thế)\W*$",
    rf"^(?:trên|trong|ở)\b[^.,]{{1,24}}\b(?:có|thấy|ghi|viết) (?:một )?(?:đoạn|phần|câu|dòng|mục|ghi chú|bài)\b{_VTAIL}",
    rf"^(?:(?:hôm nay|hôm qua|sáng nay|vừa rồi|vừa|mới|anh|tôi|chị|mình) )*(?:chép|copy|dán|sao chép|trích|đọc được|đọc|thấy|nhận được|lượm"
    rf"|lấy)\b"
    rf"(?: được)?(?: (?:cái này|đoạn này|câu này|một))?(?: (?:từ|trên|ở|trong))?[^.,]{{0,12}}\b{_VSRC}\b(?! của (?:em|bạn)){_VTAIL}",
    rf"\b{_VSRC}\b[^.,]{{0,14}}\b(?:ở dưới|dưới đây|bên dưới|như sau|sau đây|đính kèm)\W*$",
    r"^(?:em |hãy |giúp \w+ )*(?:dịch|viết lại|tóm tắt|sửa lỗi|giải thích|hiệu đính)(?: (?:giúp|hộ|cho) \w+)?(?: (?:sang|ra)(?: \w+){1,2}"
    r"| (?:đoạn|câu|cái|bài)"
    r" (?:này|sau|dưới))*\W*$",
    r"^(?:em |hãy |giúp \w+ )*(?:viết|soạn|thảo|làm|gửi|đăng|in)(?: (?:giúp|hộ|cho))?(?: (?:anh|tôi|chị|mình))?(?: (?:một|cái|tấm|bức))*"
    rf" (?:email|thư|thông báo|tin nhắn|bài đăng|bài viết|bài blog|biển|bảng|poster|khẩu hiệu|thiệp|lời nhắn)\b{_VTAIL}",
]
_VI += [
    rf"^(?!\W*(?:anh|tôi|chị|mình|em|sửa|xem|làm|kiểm)\b)[^.,!?\n]{{1,30}}\b(?:thả|hiện(?: ra| lên)?|bật(?: ra| lên)?|quăng|ném|dán|in ra|post"
    rf"|{_VSAY})"
    rf"(?: cho \w+)? (?:cái|đoạn|câu|dòng chữ|dòng|tin)(?: này| sau)?\b{_VTAIL}",
    rf"^(?:thấy|đọc|nghe|xem)(?: được)? (?:trong|trên|ở|từ) {_VTAIL}",
    r"^(?:em |hãy )*(?:viết|chuyển|đổi|biến|làm|in|đọc)(?: lại)? (?:câu|đoạn|cái|bài|dòng) (?:này|sau|dưới)\b[^.,]{0,20}$",
]
_VI += [
    r"^(?:tin nhắn|thư|email|lời nhắn|bài viết|câu trả lời|lời khuyên|ý kiến|gợi ý)(?: \w+){0,2} (?:của|từ) (?!em|bạn|anh\b|tôi)[^.,!?\n]{2,30}$",
    r"^(?!\W*(?:tôi|mình|em|hãy)\b)[^.,!?\n]{2,30}\b(?:làm|viết|vẽ|đăng|gửi) (?:một )?(?:tấm|bức|bài|cái|lá)? ?"
    r"(?:poster|thư|email|bài viết|thông báo|khẩu hiệu)"
    r"\W*$",
]
_VI += [
    r"^(?:(?:hôm nay|hôm qua|vừa|mới|anh|tôi|chị|mình) )*nhận(?: được)? [^.,!?\n]{2,20} (?:này|sau)(?: (?:qua|từ|trên) [^.,!?\n]{2,20})?\W*$"
]
_VI += [
    r"^(?!\W*(?:tôi|mình|em|hãy)\b)[^.,!?\n]{2,30}\b(?:gửi|chuyển|đưa|phát|dán)\b[^.,!?\n]{0,20}\b"
    r"(?:quy định|thông báo|tin|thư|email|đoạn|câu|hướng dẫn|chỉ thị"
    r"|nội dung|lời)\b[^.,!?\n]{0,8} (?:này|sau|sau đây)\W*$",
    r"^(?:(?:hôm nay|hôm qua|vừa|mới|anh|tôi|chị|mình) )*(?:thấy|đọc|xem|nghe)(?: được)? trên [^.,!?\n]{2,24}$",
]
_VI_HEADS = [
    r"^(?:tin|thư|email|lời|thông báo|bài|chỉ thị) (?:từ|của) [^.!?\n]{2,30}$",
    r"^(?:nội dung|ghi chú phát hành|biên bản|trích|văn bản|bản ghi|log|kết quả|đoạn|câu trả lời|tin nhắn|email|thư|bình luận)\b(?! (?:commit"
    r"|của (?:anh|tôi)))"
    r"[^.,:!?\n]{0,40}$",
    r"^(?:xem cái này|cái này|nhìn này|đây|của em đây)\W*$",
]
_VI_BACK = [
    r"^(?:trên|trong|theo)\b[^.,]{1,24}\b(?:ghi|viết|nói|bảo)\b[^.,]{0,10}\b(?:thế|vậy|như thế|như vậy|đấy)\W*$",
    r"^[(（](?:trích|chép|lấy|theo|nguồn|copy|dán)\b",
    r"^(?:đó|đây|câu (?:đó|này)) là (?:lời|câu|ý)\b[^.,]{2,30}\W*$",
]
_VI_ASKS = [
    r"\b(?:câu|đoạn|lời khuyên|cái|điều|tin|thông tin|ý|quy định)\b(?: \w+)? ?(?:này|đó|trên|dưới)\b[^.?]{0,24}\b(?:nghĩa|đúng không|có đúng"
    r"|ở đâu|từ đâu"
    r"|ai (?:viết|nói|gửi)|thật không|đáng tin|hợp lý|nên theo)\b",
    r"\b(?:họ|người ta|nó)\b(?: \w+)? (?:viết|nói|ghi|bảo)\b[^.?]{0,16}(?:đúng không|thật không|tin được không|đúng chưa)",
    r"\bđồng ý với (?:câu|đoạn|ý|điều|lời)\b",
]
_VWISH = r"[\"“]?(?:từ nay|từ giờ|đừng|luôn|không bao giờ|hãy|phải)\b"
_MENTION_VI = [
    r"(?-i:(?:^|\s)(?!(?:và|nhưng|thì|à|nhé|nên|hãy) )[a-zà-ỹđ]+ [\"']?(?:Từ nay|Đừng|Luôn|Không bao giờ|Hãy) )",
    rf"\b(?:bảng|biển|poster|khẩu hiệu|dòng chữ|tiêu đề|nút|nhãn|chữ|bài hát|playlist)\b[^.]{{0,24}}\b(?:ghi|là|viết|thành|nói) {_VWISH}",
    rf"^\W*(?:câu|cụm từ|lời|bài hát|khẩu hiệu) {_VWISH}",
    rf"\b(?:khi|nếu|lỡ|giả sử)\b[^,.]{{0,24}}\b(?:gõ|nói|bảo|viết|nhập|yêu cầu)(?: \w+)? {_VWISH}",
]

_NOT_MINE = [
    r"\b(?:his|her|their|\w+'s) words\b|\bnot (?:mine|my (?:own )?words|written by me|from me)\b",
    r"原话|不是我(?:的(?:话|意思)?|说的|写的)\W*$",
    r"\bkhông phải (?:của|lời|do|ý)(?: của)? (?:anh|tôi|mình|chị)\W*$",
]

# -- what reads them ---------------------------------------------------------------------------------------------------

ANNOUNCES = (*map(_c, _EN), *map(_c, _ZH), *map(_c, _VI), *map(_c, _NOT_MINE))
# Only as a line of its own above something.
HEADS = (*map(_c, _EN_HEADS), *map(_c, _ZH_HEADS), *map(_c, _VI_HEADS))
# What comes before these was not the speaker's: "that's what the wiki says".
BACKWARD = (*map(_c, _EN_BACK), *map(_c, _ZH_BACK), *map(_c, _VI_BACK), *map(_c, _NOT_MINE))
ASKS_OF_TEXT = (*map(_c, _EN_ASKS), *map(_c, _ZH_ASKS), *map(_c, _VI_ASKS))
MENTION = (*map(_c, _MENTION_EN), *map(_c, _MENTION_ZH), *map(_c, _MENTION_VI))
# Mail headers, forwards, stack traces: from here on nothing is the owner's.
OPENS = re.compile(
    r"^[ \t]*(?:from|subject|sender|reply-to|发件人|寄件人|主题|người gửi|tiêu đề|chủ đề)[ \t]*[:：][^\n]*\n"
    r"|^[ \t]*(?:fwd?|forwarded|forwarding|转发|转|转载|摘自|chuyển tiếp|trích|nguyên văn)[ \t]*[:：]"
    r"|^[ \t]*(?:source|author|credit|来源|出处|作者|nguồn|tác giả)[ \t]*[:：]"
    r"|^[ \t]*\[?(?-i:[A-ZĐ])[\w.-]{1,20}[ ,]{0,2}[(\[]?\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m)?[)\]]?[ \t]*[:：]?"
    r"|^[ \t]*[-=_*]{2,}[ \t]*[^\n]{0,30}(?:forwarded|original message|转发|原始|chuyển tiếp|thư gốc|tin gốc)[^\n]*$"
    r"|^[ \t]*(?:on [^\n]{4,80} wrote|begin forwarded message|[^\n]{4,60} 写道|vào [^\n]{4,60} đã viết)[ \t]*[:：][ \t]*$"
    r"|^[ \t]*(?:traceback \(most recent|exception in thread|caused by:|panic: |goroutine \d|\s+at [\w.$]+\(|\s*file \"[^\"\n]+\", line \d)"
    r"|^[ \t]*[\w.]*(?:error|exception)(?:\[\w+\])?: [^\n]*\n",
    re.IGNORECASE | re.MULTILINE,
)
GREETING = re.compile(
    r"^[ \t]*(?:hi|hello|dear|hey|good (?:morning|afternoon)) (?:all|team|every(?:one|body)|folks|colleagues?|sir|madam|mr|ms|mrs|customer"
    r"|[\w ]{2,24})\b[,.!]?"
    r"[ \t]*$|^[ \t]*(?:各位|尊敬的|亲爱的|大家好|你好)[^\n]{0,12}[:：，,][ \t]*$"
    r"|^[ \t]*(?:kính gửi|thân gửi|chào (?:cả nhà|mọi người|các))[^\n]{0,40}$",
    re.IGNORECASE | re.MULTILINE,
)
# Whom the turn speaks to, as its first line: no name of a source.
GREETS = _c(
    r"^(?:hi|hello|hey|good (?:morning|afternoon|evening))(?:[ ,]+(?!(?:from|by|in|on)\b)[\w-]+){0,2}\W*$"
    r"|^(?:你好|嗨|早上好)[^\n。]{0,10}$|^(?:xin )?chào(?: [\w-]+){0,3}\W*$"
)
VALEDICTION = re.compile(
    r"^[ \t]*(?:(?:kind|best|warm)? ?regards|sincerely|yours|best(?: wishes)?|cheers|thanks(?: and regards)?|thank you)\b[^\n]{0,30}$"
    r"|^[ \t]*(?:此致|敬上|敬礼|祝好|顺颂)[^\n]{0,8}$|^[ \t]*(?:trân trọng|thân ái|thân mến|kính thư)\b[^\n]{0,20}$",
    re.IGNORECASE | re.MULTILINE,
)
LEAD_IN = re.compile(
    rf"^(?:[\w-]+ ){{0,2}}(?!note\b){_SRC} (?:of|from|by) (?!now\b|me\b|today\b)[^:\n.]{{2,40}}[:：]|"
    rf"\bhere(?: is|'s| are)\b[^\n:：]{{0,60}}[:：]|\bi (?:got|found|copied|pasted|saw|read)\b[^\n:：]{{0,30}}\b(?:this|it|these"
    rf"|{_SRC})\b[^\n:：]{{0,30}}[:：]"
    r"|\b(?:page|site|readme|article|e-?mail|message|error|log|doc|ticket|output|customer|vendor|client|he|she|they|it|\w+\.md) (?:\w+ ){0,3}"
    r"(?:says?|said|reads?|wrote|writes|told|states?)\b[^\n:：]{0,60}[:：]"
    r"|\b(?:please )?(?:translate|summari[sz]e|review|proofread|rephrase|rewrite|explain|fix|check)\b[^\n:：]{0,60}[:：]"
    r"|\b(?:wrote|sent|forwarded|told|gave) (?:me|us) (?:this|the following)\b"
    rf"|\b(?:[\w-]+'s|their|his|her|an?|nice|funny|odd|weird) (?:\w+ )?(?!note|comment:){_SRC}(?: (?:in|on|from|of"
    rf"|at) [^:\n.]{{1,30}})?[ \t]*[:：]"
    r"|\blook at this[^\n:：]{0,10}[:：]"
    r"|(?:翻译|总结|润色|审阅|校对|改写|解释|看看)[^\n。：:]{0,16}[：:]"
    r"|(?:网页|页面|邮件|消息|文章|文档|原文|日志|客户|供应商)[^\n。：:]{0,12}(?:内容|如下|写道|说|写着)[^\n。：:]{0,4}[：:]"
    r"|(?<!\w)(?:dịch|tóm tắt|xem lại|giải thích|viết lại|kiểm tra)[^\n.:]{0,30}:"
    r"|(?<!\w)(?:nội dung|trang|email|thư|tin nhắn|khách|tài liệu)[^\n.:]{0,24}(?:là|viết|ghi|như sau|sau|README)?[^\n.:]{0,10}:",
    _I,
)
