"""The words by which a sentence forbids an act or wants to be asked before it, in three languages."""

from __future__ import annotations

import re

#: Behind "không" in the names of things that lack something ("nồi chiên không dầu"), and behind "trừ" where it takes away.
_VI_LACKS = r"(?! (?:dầu|người lái|dây|khí|gian|phận|chổi than)(?!\w))"
VI_EXCEPT = r"trừ(?! (?:sâu|cỏ|mối|bọ|muỗi|dịch|gián|tiền|lương|kho|tồn|công|điểm|phép|thuế|hao|nợ)(?!\w))"
FORBID = re.compile(
    r"\b(?:never|do not|don't|dont|must not|mustn't|should not|shouldn't|may not|cannot|can't|no one|nobody|nothing|none of"
    r"|avoid|"
    r"stop|forbidden|prohibited|not allowed|no)\b|(?<!\w)(?:đừng|không được|không bao giờ|cấm|chớ|tuyệt đối không"
    r"|không nên|"
    rf"không{_VI_LACKS})(?!\w)|不要|不许|不准|不得|不能|禁止|严禁|切勿|请勿|别|勿|不可|[绝决]不",
    re.IGNORECASE,
)
ASK = re.compile(
    r"\b(?:ask|be(?:ing)? asked"
    r"|(?:check|confirm) with (?:me|us|him|her|them|the|our|my|your|(?-i:[A-Z]))|tell|get (?:my )?(?:ok|okay|approval|permission)"
    r"|wait for)\b.{0,40}?\b(?:before|first)\b"
    r"|(?<!\w)(?:hỏi|xin phép|báo)(?!\w).{0,30}?(?<!\w)trước khi(?!\w)|(?:先|事先).{0,6}(?:问|确认|征求|请示)"
    r"|之?前.{0,4}(?:先)?(?:问|确认)",
    re.IGNORECASE,
)
# The same with the act first: "before you deploy, ask me".
ASK_AFTER = re.compile(
    r"\b(?:needs?|requires?)\s+(?:my |your |explicit |prior |an? |the (?:\w+(?:'s)? )?|\w+'s )?(?:approval|permission|confirmation|okay|ok)\b"
    r"|\bmust be (?:approved|confirmed)\b|(?<!\w)(?:phải|cần|nhớ)\s+(?:được\s+)?(?:(?:tôi|anh|chị|em|mình|sếp|chủ|ông|bà)\s+(?:\w+\s+)?)?"
    r"(?:hỏi|xin phép|báo|duyệt|đồng ý|cho phép)(?!\w)"
    r"|(?:必须|需要|须|(?<!不)要)(?:经过?|得到)?.{0,4}(?:批准|同意|审批|许可)"
    r"|\bbefore\b.{2,80}\b(?:ask|check with|confirm with|get (?:my )?(?:ok|okay|approval|permission))\b"
    r"|(?<!\w)trước khi(?!\w).{2,60}(?<!\w)(?:hỏi|xin phép|báo)(?!\w)|.前.{0,4}(?:先|必须|要|需).{0,3}(?:问|确认"
    r"|征求|请示)",
    re.IGNORECASE,
)
