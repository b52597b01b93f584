"""A learned rule is found by what fills its template, never by the words that every rule of the template shares."""

from __future__ import annotations

import pytest

from bio_agent_ops.service.recalling import hollow
from bio_agent_schema.memory_search import Raw
from bio_agent_workers.brain.retrieval.rule_frames import slots
from bio_agent_workers.brain.retrieval.search_terms import terms

FRAMED = [
    ("When `yarn lint` fails with EACCES, first run `chmod u+x bin`; then it worked.", {"yarn", "lint", "chmod"}),
    ("When `rake db` fails for users, first run `bundle`, then `rake prep`; then it worked.", {"users", "bundl", "prep"}),
    ("Do not run `brew up` here: it failed (E404). `brew update` worked.", {"brew", "updat", "e404"}),
    ("`make docs` failed (ETIMEDOUT) and then worked unchanged.", {"make", "etimedout", "doc"}),
    ("这里不要运行 `cnpm i`：它失败了（E401）。`npm ci` 可以成功。", {"cnpm", "npm", "ci"}),
    ("当 `gradle jar` 失败（EPERM）时，先运行 `gradle clean`；之后它就成功了。", {"gradl", "jar", "clean"}),
    ("Khi `sbt test` lỗi (EMFILE), trước hết hãy chạy `sbt reload`; sau đó lệnh chạy được.", {"sbt", "reload"}),
]  # fmt: skip
FRAME_WORDS = {
    "first",
    "run",
    "fail",
    "worked",
    "work",
    "unchang",
    "运行",
    "失败",
    "成功",
    "chạy",
    "chay",
    "lệnh",
    "lenh",
}


@pytest.mark.parametrize(("rule", "about"), FRAMED)
def test_the_words_of_the_frame_are_no_terms_of_a_rule(rule: str, about: set[str]) -> None:
    found = terms(rule).keys()
    assert {a for a in about if a != "users"} <= found
    assert not FRAME_WORDS & found


@pytest.mark.parametrize(
    "said",
    [
        "When the lint fails, first run the fixer; then it worked.",
        "First run `make`.",
        "What he did first was to run `ls`.",
    ],
)
def test_what_a_person_wrote_keeps_all_its_words(said: str) -> None:
    assert slots(said) is None
    assert terms(said).keys() & {"first", "run"}


def test_steps_are_told_apart() -> None:
    assert slots("When `a` fails, first run `b`, then `c`; then it worked.") == "a\n`b`\n`c`"


def raw(vector: float, covered: float = 0.0, graph: int = 0) -> Raw:
    return Raw(vector, covered, covered, graph, hit=True, lang="en", thread="", position=0, superseded_by=None)


def test_a_rule_does_not_come_by_the_tone_of_its_template_alone() -> None:
    rule, fact = FRAMED[0][0], "The demo is on Thursday."
    found = {
        "tone": raw(0.4),
        "near": raw(0.5),
        "words": raw(0.2, 0.4),
        "both": raw(0.3, 0.15),
        "name": raw(0.1, graph=1),
    }
    assert hollow(found, dict.fromkeys(found, rule)) == {"tone"}
    assert hollow(found, dict.fromkeys(found, fact)) == set()


@pytest.mark.parametrize(
    ("question", "about"), [("什么时候吃饭", "吃饭"), ("我们用什么数据库", "数据"), ("máy chủ ở đâu", "chủ")]
)
def test_the_words_of_a_question_carry_nothing(question: str, about: str) -> None:
    found = terms(question).keys()
    assert about in found
    assert not found & {"什么", "们用", "用什", "đâu", "dau"}
