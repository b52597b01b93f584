"""The terms a text is found under, in three languages, and BM25's properties."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.brain.retrieval.search_terms import MAX_TERMS, bm25, idf, length, terms


def test_english_words_share_their_stem() -> None:
    assert terms("deployments were failing").keys() & terms("a failed deployment").keys() == {"fail", "deploy"}


def test_vietnamese_is_found_with_and_without_marks_and_in_either_normal_form() -> None:
    marked = terms("hóa đơn đã duyệt")
    assert {"hoa", "don", "duyet"} <= marked.keys()
    assert terms("hoa don").keys() <= marked.keys()
    assert terms("ho\u0301a đơn").keys() <= marked.keys()


def test_chinese_is_read_as_bigrams() -> None:
    assert {"发票", "主管"} <= terms("发票由主管批准").keys()


def test_identifiers_are_found_whole_and_in_parts() -> None:
    found = terms("HttpClient.ts raised ERR_MODULE_NOT_FOUND in src/app.py")
    assert {"httpclient", "client", "err_module_not_found", "modul", "src/app.py", "src"} <= found.keys()


def test_words_of_grammar_are_no_terms() -> None:
    assert terms("what is the") == {}
    assert "may" in terms("in May"), "a month is no Vietnamese word of grammar"


@given(st.text(max_size=3_000))
def test_any_text_gives_a_bounded_number_of_terms(text: str) -> None:
    found = terms(text)
    assert len(found) <= MAX_TERMS
    assert length(found) >= len(found)


@given(st.integers(0, 1000), st.integers(0, 1000), st.integers(1, 50), st.integers(1, 500))
def test_rarer_terms_weigh_more_and_longer_texts_less(a: int, b: int, frequency: int, size: int) -> None:
    total = max(a, b) + 1
    assert (idf(a, total) > idf(b, total)) == (a < b)
    weight = idf(a, total)
    assert 0 < bm25(frequency, size + 10, 20.0, weight) < bm25(frequency, size, 20.0, weight)
    assert bm25(frequency, size, 20.0, weight) < bm25(frequency + 1, size, 20.0, weight)
