"""Rules of nearly the same words that are not one rule, and the plain reversals that may retire an older one."""

from __future__ import annotations

import pytest

from bio_agent_schema.types import Relation
from bio_agent_workers.brain.relations.contradiction import relate
from bio_agent_workers.brain.relations.distinctions import reverses
from bio_agent_workers.brain.relations.rule_words import stem
from bio_agent_workers.brain.relations.sameness import differ, restates

APART = [
    ("Copy files from host A to host B.", "Copy files from host B to host A."),
    ("Copy files to host B from host A.", "Copy files from host B to host A."),
    ("Only admins may delete users.", "Admins may only delete users."),
    ("Always ask Alice and Bob before a release.", "Always ask Alice or Bob before a release."),
    ("Always run the linter twice.", "Always run the linter."),
]
NO_REVERSAL = [
    ("Never use HTTP.", "Always use HTTPS."),
    ("Never use FTP for uploads.", "Always use FTPS for uploads."),
    ("Never restart server 12 without asking.", "Never restart server 13 without asking."),
    ("Always label crate 1 in hall 1.", "Always label crate 2 in hall 2."),
    ("Never give customers a refund above 100 EUR.", "Always give customers a refund above 100 USD."),
    ("Always back up before and after a migration.", "Always back up before a migration."),
]
REVERSAL = [
    ("Always use tabs.", "Never use tabs."),
    ("Never deploy on Fridays.", "You may deploy on Fridays."),
    ("Use port 8080 for the API.", "Use port 9090 for the API."),
    ("Use npm for the frontend.", "From now on use pnpm for the frontend."),
    ("用制表符缩进。", "用空格缩进。"),
    ("Luôn dùng npm.", "Luôn dùng pnpm."),
]


@pytest.mark.parametrize(("a", "b"), APART)
def test_other_rules_in_the_same_words_are_not_one(a: str, b: str) -> None:
    assert differ(a, b)
    assert differ(b, a)
    assert not restates(a, b)
    assert relate(a, b).relation is not Relation.EQUIVALENT


@pytest.mark.parametrize(("a", "b"), APART + NO_REVERSAL)
def test_what_speaks_of_another_thing_retires_nothing(a: str, b: str) -> None:
    assert not reverses(a, b)
    assert not reverses(b, a)


@pytest.mark.parametrize(("a", "b"), REVERSAL)
def test_a_plain_reversal_is_seen_both_ways(a: str, b: str) -> None:
    assert reverses(a, b)
    assert reverses(b, a)


@pytest.mark.parametrize("name", ["https", "ftps", "ldaps", "redis", "jenkins", "postgres", "kubernetes", "macos"])
def test_a_name_keeps_its_s(name: str) -> None:
    assert stem(name) == name
