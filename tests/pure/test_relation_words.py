"""The vocabulary files of rules, and how words outside them are read: senses, roots, names, quantities."""

from __future__ import annotations

import re
import time
from importlib.resources import files

import pytest

from bio_agent_workers.brain.relations import designators, senses, vocabulary
from bio_agent_workers.brain.relations.slots import read

WORDS = files("bio_agent_workers.brain") / "words"
CONCEPTS = ("acts.txt", "things.txt", "qualities.txt")


def test_every_line_has_three_columns_and_clean_phrases() -> None:
    for name in (*CONCEPTS, "light.txt"):
        for mark, columns in vocabulary.entries(name):
            assert len(columns) == 3, (name, mark, columns)
            for phrase in (p for column in columns for p in column):
                assert not re.search(r"[|;…#]|^_|_$|__", phrase), (name, phrase)
    for name in ("values.txt", "scopes.txt"):
        for line in vocabulary.lines(name):
            assert all(member.count("|") == 2 for member in line.removeprefix("+ ").rstrip(";").split(";")), line


def test_no_phrase_stands_for_both_poles_of_one_concept() -> None:
    found: dict[tuple[str, str, str], int] = {}
    for kind, name in (("act", CONCEPTS[0]), ("thing", CONCEPTS[1]), ("quality", CONCEPTS[2])):
        for entry, columns in vocabulary.concepts_of(kind, name):
            for lang, phrases in zip(vocabulary.LANGS, columns, strict=True):
                for phrase in phrases:
                    assert found.setdefault((lang, entry.id, phrase), entry.pole) == entry.pole, (entry.id, phrase)


def test_no_value_stands_in_two_members_of_one_set() -> None:
    known = vocabulary.vocabulary()
    for sets in (known.values, known.scopes):
        for lang in ("zh", "vi"):
            for phrase, pairs in sets[lang].items():
                numbers = [number for number, _ in pairs]
                assert len(numbers) == len(set(numbers)), phrase


def test_the_vocabulary_is_large_and_read_in_a_moment() -> None:
    vocabulary.vocabulary.cache_clear()
    began = time.process_time()
    known = vocabulary.vocabulary()
    assert time.process_time() - began < 2.0  # a tenth of it on a free machine
    assert all(len(known.table[lang]) > 5_000 for lang in vocabulary.LANGS)
    assert vocabulary.vocabulary() is known


def test_what_the_vocabulary_reads_is_in_the_package() -> None:
    assert {f.name for f in WORDS.iterdir()} >= {*CONCEPTS, "values.txt", "cues.txt", "relation_weights.json"}


@pytest.mark.parametrize(
    ("x", "y", "lang", "same"),
    [
        ("validity", "valid", "en", True),
        ("sterilisation", "sterilised", "en", True),
        ("spare part", "spare parts", "en", True),
        ("node-11", "node-17", "en", False),
        ("billing-a", "billing-b", "en", False),
        ("port", "portrait", "en", False),
        ("冷链货物", "货物", "zh", True),
        ("库", "仓库", "zh", False),
        ("bảng chấm công", "bảng công", "vi", True),
        ("kho lạnh", "kho bán", "vi", False),
    ],
)
def test_words_outside_the_vocabulary_are_matched_by_form(x: str, y: str, lang: str, same: bool) -> None:
    assert senses.alike(x, y, lang) is same
    assert senses.alike(y, x, lang) is same


def test_a_word_takes_the_sense_that_the_other_rule_speaks_of() -> None:
    left, right = senses.resolve(read("Never share passwords."), read("Không chia sẻ mật khẩu."))
    assert {m.name for m in left.mentions} & {m.name for m in right.mentions}
    alone = read("Water the ferns.")
    assert senses.resolve(alone, read("Pay the rent."))[0] == alone


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Connect to pg-prod-1 first.", {"pg-prod-1"}),
        ("For the Gdansk site order paper.", {"gdansk"}),
        ("Use plan B.", {"#b"}),
        ("Máy ép số 3 bảo trì hôm nay.", {"#3"}),
        ("二号机床每天加油。", {"#二"}),
        ("Close the door.", set()),
        ("Backups run at 10:00.", set()),
    ],
)
def test_names_say_which_one_is_meant(text: str, names: set[str]) -> None:
    assert designators.names(text) == names


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("Trucks over 7.5 t use the gate.", "mass", "7500000"),
        ("Stir at 60 rpm.", "rpm", "60"),
        ("每分钟40转。", "rpm", "40"),
        ("Lift after 3 minutes 20 seconds.", "duration", "200"),
        ("Answer within a quarter of an hour.", "duration", "900"),
        ("当天回复。", "duration", "86400"),
        ("Keep it for a full year.", "duration", "31536000"),
        ("Lương trả vào mùng 10 hằng tháng.", "monthday", "10"),
        ("Phải có ít nhất ba báo giá.", "#quotation", "3"),
    ],
)
def test_more_quantities(text: str, dimension: str, value: str) -> None:
    assert (dimension, value) in {(q.dimension, q.value) for q in read(text).quantities}


def test_an_hour_in_words_is_a_time() -> None:
    assert [(w.start, w.end) for w in read("Phone the tenant at nine in the morning.").windows] == [(540, 540)]


@pytest.mark.parametrize(
    "text",
    ["没拍照就不要装车。", "Orders without a number are refused.", "Không được rời bàn mà chưa khóa máy."],
)
def test_a_denial_of_what_lacks_something_asks_for_it(text: str) -> None:
    found = read(text)
    assert "not" not in found.moods
    assert {m.sign for m in found.mentions} == {1}
