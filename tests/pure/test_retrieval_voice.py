"""Whose words a question asks for."""

from __future__ import annotations

import pytest

from bio_agent_workers.brain.retrieval.retrieval_voice import asks_what_the_agent_said


@pytest.mark.parametrize(
    "query",
    [
        "What did you suggest for the slow query?", "Which port had you recommended back then?",
        "Remind me of your advice about the backup.", "you said the index was enough, why",
        "你之前建议我用哪个数据库？", "你说过备份放在哪里", "把您的方案再说一遍",
        "Bạn đã khuyên tôi dùng thư viện nào?", "lời khuyên của bạn về sao lưu là gì",
    ],
)  # fmt: skip
def test_an_answer_is_asked_for(query: str) -> None:
    assert asks_what_the_agent_said(query)


@pytest.mark.parametrize(
    "query",
    [
        "Have I used the staging cluster before?", "What steps would you suggest I take?", "Could you show me the login flow?",
        "Which database do I use?", "When did your colleague call?", "你建议我怎么做？", "我用的是哪个数据库",
        "Bạn khuyên tôi nên dùng gì?", "Tôi đã nói gì về bản phát hành?",
    ],
)  # fmt: skip
def test_the_users_own_words_are_asked_for(query: str) -> None:
    assert not asks_what_the_agent_said(query)
