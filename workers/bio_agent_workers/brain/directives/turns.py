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
