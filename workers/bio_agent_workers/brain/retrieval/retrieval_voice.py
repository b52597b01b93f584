"""Whose words a question asks for: the user's own, as most do, or what the agent answered."""

from __future__ import annotations

import re

from bio_agent_workers.brain.text import fold

# What was answered, told in the past: "would you suggest" and 「你建议怎么做」 ask for a new answer.
_AGENTS = re.compile(
    r"\bdid you (?:\w+ )?(?:recommend|suggest|advise|propose|say|tell|give|mention|explain|show|describe|list|write|warn|come up)\b"
    r"|\byou(?:'ve|'d| have| had)?(?: \w+)? (?:recommended|suggested|advised|proposed|said|told|gave|given|mentioned|explained"
    r"|showed|shown|described|listed|wrote|written|warned|came up with)\b"
    r"|\byour (?:\w+ )?(?:advice|suggestions?|recommendations?|answers?|repl(?:y|ies)|explanations?|proposals?)\b"
    r"|[你您](?:之前|上次|刚才|当时|以前|曾经?).{0,6}(?:说|建议|推荐|提|告诉|给|讲|解释|写)"
    r"|[你您](?:说|建议|推荐|提到?|告诉我?|讲|解释|写)过|[你您]的(?:建议|推荐|回答|答复|解释|方案)"
    r"|\b(?:bạn|anh|chị|em|mày|cậu) (?:\S+ )?(?:đã|từng|vừa) (?:nói|khuyên|đề xuất|gợi ý|bảo|giải thích|đưa ra|nhắc|giới thiệu|viết)"
    r"|(?:lời khuyên|gợi ý|đề xuất|câu trả lời|giải thích) của (?:bạn|anh|chị|em|cậu)\b"
)


def asks_what_the_agent_said(query: str) -> bool:
    """Whether a question is about an answer that the agent gave."""
    return _AGENTS.search(fold(query)) is not None
