"""Scopes: reading, writing, enclosing."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_schema.types import Scope
from bio_agent_workers.brain.scopes import (
    ScopeError,
    applies,
    encloses,
    format_path,
    format_scope,
    narrowest_common,
    of_workspace,
    parse,
    siblings,
    widened,
)

VN01 = parse("company:VN01")
ACCOUNTING = parse("company:VN01/branch:HCM/module:accounting")
SG02 = parse("company:SG02")


def test_read_and_write() -> None:
    assert parse("workspace:web").path == (("workspace", "web"),)
    assert ACCOUNTING.path == (("company", "VN01"), ("branch", "HCM"), ("module", "accounting"))
    assert parse("") == Scope()
    assert format_path(ACCOUNTING.path) == "company:VN01/branch:HCM/module:accounting"
    assert format_scope(Scope(user="mai")) == "tenant user=mai"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("web", "type:name"),
        ("workspace:", "type:name"),
        (":web", "type:name"),
        ("company:A//module:b", "type:name"),
        ("Company:A", "lower-case"),
        ("tenant:t1/workspace:web", "credential"),
        ("company:A/company:B", "two segments"),
        ("workspace:a:b", "%3A"),
        ("workspace:50%", "%25"),
        ("workspace:a\u202eb", "invisible"),
        ("workspace:%20", "blank"),
        ("workspace:" + "x" * 129, "at most 128"),
        ("/".join(f"t{i}:x" for i in range(9)), "at most 8"),
    ],
)
def test_what_is_wrong_is_said(text: str, says: str) -> None:
    with pytest.raises(ScopeError, match=says):
        parse(text)


def test_the_workspace_a_host_sends() -> None:
    assert of_workspace("web") == parse("workspace:web")
    assert of_workspace("company:VN01/module:accounting") == parse("company:VN01/module:accounting")
    assert of_workspace("/home/mai/my project").path == (("workspace", "/home/mai/my project"),)
    assert of_workspace("C:\\work").path == (("workspace", "C:\\work"),)
    assert of_workspace("  ") == Scope()


def test_enclosing() -> None:
    assert encloses(Scope(), ACCOUNTING)
    assert encloses(VN01, ACCOUNTING)
    assert not encloses(ACCOUNTING, VN01)
    assert not encloses(SG02, ACCOUNTING)
    assert not encloses(parse("company:VN0"), VN01)


def test_limits_must_equal_the_callers() -> None:
    rule = parse("workspace:web", user="mai")
    assert applies(rule, parse("workspace:web", user="mai", agent="a1"))
    assert not applies(rule, parse("workspace:web", user="tam"))
    assert not applies(rule, parse("workspace:web"))


def test_siblings() -> None:
    assert siblings(VN01, SG02)
    assert not siblings(VN01, ACCOUNTING)
    assert not siblings(VN01, VN01)
    assert siblings(parse("workspace:web", user="mai"), parse("workspace:web", user="tam"))
    assert not siblings(parse("workspace:web", user="mai"), parse("workspace:web"))


def test_narrowest_common() -> None:
    hn = parse("company:VN01/branch:HN").path
    assert narrowest_common([ACCOUNTING.path, hn]) == VN01.path
    assert narrowest_common([ACCOUNTING.path, SG02.path]) == ()
    assert narrowest_common([hn]) == hn
    with pytest.raises(ScopeError, match="no path"):
        narrowest_common([])


def test_widened_keeps_limits() -> None:
    assert widened(parse("company:VN01/branch:HN", user="mai")) == Scope(path=VN01.path, user="mai")
    assert widened(Scope()) == Scope()


names = (
    st.text(st.characters(blacklist_categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Cn", "Co"]), min_size=1, max_size=20)
    .map(lambda s: unicodedata.normalize("NFC", s))
    .filter(lambda s: s == s.strip() and s)
)
paths = st.lists(names, max_size=4).map(
    lambda found: tuple(zip(("company", "branch", "module", "workspace"), found, strict=False))
)


@given(paths)
def test_round_trip(path: tuple[tuple[str, str], ...]) -> None:
    assert parse(format_path(path)).path == path


@given(st.lists(paths, min_size=1, max_size=5))
def test_the_narrowest_common_path_encloses_all_and_no_longer_one_does(
    given_paths: list[tuple[tuple[str, str], ...]],
) -> None:
    common = narrowest_common(given_paths)
    assert all(encloses(Scope(common), Scope(p)) for p in given_paths)
    longer = given_paths[0][: len(common) + 1]
    assert longer == common or not all(encloses(Scope(longer), Scope(p)) for p in given_paths)


@given(paths, paths)
def test_either_one_encloses_the_other_or_they_are_siblings(
    a: tuple[tuple[str, str], ...], b: tuple[tuple[str, str], ...]
) -> None:
    sa, sb = Scope(a), Scope(b)
    assert siblings(sa, sb) == siblings(sb, sa) == (not encloses(sa, sb) and not encloses(sb, sa))
