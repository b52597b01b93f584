"""Cases of the evaluation: how names of acts, fields and expectations are read, and facts held against them."""

from __future__ import annotations

import json

import pytest

from bio_agent_ops.eval import case_lexicon as lexicon
from bio_agent_ops.eval import case_reading, case_script, case_words, cases
from bio_agent_ops.eval.case_facts import Facts, NotSupported
from bio_agent_ops.eval.case_given import Given, expanded, shaped
from bio_agent_ops.eval.scripted import RESET, Provider


def test_expectations_ask_of_facts() -> None:
    facts = Facts(
        values={"rules": 1, "relation": "neutral"},
        texts={"rules": ["Use the door on the left."], "stored": ["abc", "def"], "scope": ["workspace:a"]},
        alternatives={"quarantined": False},
    )
    assert facts.meets("rules_max", 1)
    assert not facts.meets("rules_max", 0)
    assert facts.meets("rules_count", 1)
    assert facts.meets("relation", "neutral")
    assert facts.meets("rule_not_contains", ["/home"])
    assert not facts.meets("rules_absent", ["DOOR"])
    assert facts.meets("stored_contains", ["b", "e"])
    assert not facts.meets("stored_not_contains", ["e"])
    assert not facts.meets("stored_not_contains_concat", ["a", "b"])
    assert facts.meets("either", ["quarantined", "scope=workspace:a"])
    assert not facts.meets("either", ["quarantined"])
    for unknown in ("weather", "moons_max"):
        with pytest.raises(NotSupported):
            facts.meets(unknown, 1)
    with pytest.raises(NotSupported):
        facts.meets("either", ["dissolved"])


@pytest.mark.parametrize(
    "name, value",
    [
        ("rule_count", 0), ("no_rules", True), ("rules", []), ("max_rules", 0), ("rules_at_most", 0), ("learned", False),
        ("status_code", 403), ("error_contains", ["owner"]), ("error_matches", "own.r"), ("refused", True), ("not_rejected", False),
        ("prompt_excludes", ["secret"]), ("any_of", ["rejected", "vanished"]), ("any_of", [{"status": 403, "rules_max": 0}]),
        ("found_count_min", 2), ("results_empty", False),
    ],
)  # fmt: skip
def test_an_expectation_goes_by_many_names(name: str, value: object) -> None:
    facts = Facts(
        values={"rules": 0, "status": 403},
        texts={"rules": [], "prompt": ["x"], "reason": ["only the owner may"], "found": ["a", "b"]},
        alternatives={"rejected": True, "refused": True},
    )
    assert facts.meets(name, value)


@pytest.mark.parametrize(
    "name, value", [("rule_count", 1), ("learned", True), ("error_contains", ["tenant"]), ("found_count_max", 1)]
)
def test_another_name_does_not_make_an_expectation_hold(name: str, value: object) -> None:
    facts = Facts(values={"rules": 0}, texts={"reason": ["only the owner may"], "found": ["a", "b"]})
    assert not facts.meets(name, value)


@pytest.mark.parametrize(
    "said, op",
    [
        ("capture", "ingest"), ("POST /api/recall", "recall"), ("storeMemory", "remember"), ("rule_add", "add_rule"),
        ("compare_rules", "relate"), ("add_rule", "add_rule"), ("teleport", "teleport"),
    ],
)  # fmt: skip
def test_an_act_goes_by_many_names(said: str, op: str) -> None:
    assert case_words.op(said, cases.KNOWN) == op


def test_fields_get_the_names_that_the_act_reads() -> None:
    assert shaped("relate", {"left": "x", "right": "y"}) == {"a": "x", "b": "y"}
    assert shaped("search", {"notes": ["x"], "q": "y"}) == {"seed": [{"text": "x"}], "query": "y"}
    made = shaped("ingest", {"message": {"text": "x", "trusted": False, "id": "e7"}})
    assert made["events"] == [{"content": "x", "trusted": False, "trust": "untrusted", "event_id": "e7"}]
    assert shaped("consolidate", {"events": ["x"], "model_reply": "{}"})["llm_script"] == ["{}"]


def test_contents_are_made_as_described() -> None:
    made = expanded({"op": "ingest", "events": [
        {"content_parts": ["a", "b"]}, {"content_b64": "aGk="}, {"content_repeat": ["xy", 3]}, "plain",
        {"content": "deep", "metadata_nested_depth": 3}, {"content_random_words": [4, 7]}, {"content_random_words": [4, 7]},
    ]})["events"]  # fmt: skip
    assert [e if isinstance(e, str) else e["content"] for e in made[:5]] == ["ab", "hi", "xyxyxy", "plain", "deep"]
    assert made[4]["metadata"] == {"deep": {"n": {"n": {"n": "leaf"}}}}
    assert made[5] == made[6]
    assert len(made[5]["content"].split()) == 4


def asked(*texts: str) -> dict[str, object]:
    items = "\n".join(json.dumps({"n": n, "text": t}) for n, t in enumerate(texts, 1))
    return {"model": "m", "messages": [{"role": "user", "content": f"<items>\n{items}\n</items>"}]}


def said(provider: Provider, body: dict[str, object]) -> str:
    status, _, text = provider.answer(body)
    assert status == 200
    return str(json.loads(text)["choices"][0]["message"]["content"])


def test_a_script_is_followed_in_the_shape_the_stage_asks_for() -> None:
    script = [
        {"http": 503},
        '```json\n{"rules":[{"text":"Pin it","confidence":2,"evidence":["e2","e99"]}]}\n```',
        '{"rules":[{"text',
    ]
    provider = Provider(script, {"e1": "first thing", "e2": "second thing"})
    body = asked("first thing", "second thing")
    assert provider.answer(body)[0] == 503
    fenced = said(provider, body)
    assert fenced.startswith("```json\n")
    memory = json.loads(fenced.removeprefix("```json\n").removesuffix("\n```"))["memories"][0]
    assert memory == {"kind": "procedural", "is_rule": True, "text": "Pin it", "confidence": 2, "cites": [2, 99]}
    broken = said(provider, body)
    assert broken == '{"memories":[{"text'
    assert said(provider, body) == broken, "the last answer is given again"
    assert provider.calls == 4


# ------------------------------------------------------------------------------------------------- names read by words


@pytest.mark.parametrize(
    "one, other",
    [
        ("rules_learned", "learnedRule"), ("support_unchanged", "support_not_changed"), ("no_crash", "never_crashes"),
        ("dead_letters", "deadLettered"), ("model_calls", "llm_requests"), ("memory_deleted", "memory_not_kept"),
        ("prompt_language", "lang_of_the_prompt"), ("retries", "retried"), ("duration_ms", "elapsed_milliseconds"),
    ],
)  # fmt: skip
def test_names_of_the_same_words_mean_the_same(one: str, other: str) -> None:
    assert lexicon.of_name(one) == lexicon.of_name(other)


@pytest.mark.parametrize(
    "one, other",
    [
        ("rules", "memories"),
        ("deleted", "not_deleted"),
        ("blocked", "prompt"),
        ("only_rules", "rules"),
        ("rule_kept", "rule_changed"),
    ],
)
def test_names_of_other_words_do_not(one: str, other: str) -> None:
    assert lexicon.of_name(one) != lexicon.of_name(other)


FACTS = Facts(
    values={"rules": 1, "no_error": True, "no_crash": True, "llm_calls": 3, "support_unchanged": True, "lost_after_ack": 0,
            "verdict": "block", "state": "proposed", "seconds": 1.2, "milliseconds": 1200.0, "retry_wait_s": 2.0,
            "ingest": "rejected: nested too deep"},
    texts={"rules": ["Pin it"], "prompt": ["- Pin it"], "refused": ["nested too deep"], "audit": ["bisected", "taken_up", "taken_up"],
           "stable_rules": [], "languages": ["vi"]},
    alternatives={"rejected": True, "accepted": False},
)  # fmt: skip


@pytest.mark.parametrize(
    "name, value",
    [
        ("beliefs_learned_at_most", 1), ("maxRules", 1), ("exactly_one_rule", True), ("rule_count", {"min": 1, "max": 3}),
        ("rules", ">= 1"), ("llm_calls", "1-3"), ("model_calls_lte", 3), ("llm_calls_fewer_than", 4), ("errors", 0), ("error_free", True),
        ("crashed", False), ("never_crashes", True), ("support_changed", False), ("changed_support", False), ("nothing_lost", True),
        ("decision", "deny"), ("verdict", ["warn", "block"]), ("verdict", "block|warn"), ("blocked", True), ("allowed", False),
        ("final_state", "pending"), ("is_stable", False), ("duration_s_max", 3), ("within_ms", 3000), ("retry_wait_min_s", 2),
        ("no_stable_rules", True), ("prompt", {"contains": "Pin", "not_contains": ["secret"]}), ("prompt_does_not_contain", "secret"),
        ("prompt_not_starts_with", "x"), ("accepted_or_rejected", True), ("ingest", "rejected"), ("taken_up_count", 2), ("fenced", False),
        ("bisection_audited", True), ("none_of", ["accepted"]), ("either", ["llm_calls=3", "moonlight"]), ("rule_language", "vi"),
    ],
)  # fmt: skip
def test_an_expectation_is_read_by_its_words(name: str, value: object) -> None:
    assert FACTS.meets(name, value)


@pytest.mark.parametrize(
    "name, value",
    [
        ("beliefs_learned_at_most", 0), ("rule_count", {"min": 2}), ("llm_calls", "> 3"), ("crashed", True), ("support_changed", True),
        ("decision", "allow"), ("blocked", False), ("prompt", {"contains": "Pin", "not_contains": ["Pin"]}), ("stable", True),
        ("retry_wait_min_s", 5), ("no_rules", True), ("accepted_and_rejected", True), ("lost_events", 2),
    ],
)  # fmt: skip
def test_what_does_not_hold_fails_or_is_not_understood_under_any_name(name: str, value: object) -> None:
    try:
        assert not FACTS.meets(name, value)
    except NotSupported:
        assert name == "lost_events"


@pytest.mark.parametrize(
    "name",
    [
        "only_rules",
        "rules_of_others",
        "weather",
        "teleport_audited",
        "moons_max",
        "redacted_or_vaporised",
        "blue_rules_at_most",
    ],
)
def test_a_word_that_nothing_is_known_of_is_never_left_out(name: str) -> None:
    with pytest.raises(NotSupported):
        FACTS.meets(name, True if "_or_" in name else 1)


def test_facts_are_looked_up_only_for_what_nothing_else_answers() -> None:
    asked: list[str] = []

    def more() -> Facts:
        asked.append("more")
        return Facts(values={"memories": 2})

    facts = Facts(values={"rules": 0}, more=more)
    assert facts.meets("no_rules", True)
    assert not asked
    assert facts.meets("memory_count", 2)
    assert facts.meets("memories_min", 1)
    assert asked == ["more"]


def test_values_say_their_own_comparison() -> None:
    assert case_reading.compared(">= 2") == [("_min", 2.0)]
    assert case_reading.compared("at most 4") == [("_max", 4.0)]
    assert case_reading.compared("1..3") == [("_range", [1.0, 3.0])]
    assert case_reading.compared({"gte": 1, "lt": 3}) == [("_min", 1), ("_below", 3)]
    for plain in ("2026-01-01", "95%", "hello", {"text": "x"}, 3):
        assert case_reading.compared(plain) is None


def test_a_field_that_an_act_takes_no_notice_of_is_known() -> None:
    given = Given({"op": "x", "query": "a", "tags": ["for people"], "weather": "rain", "empty": []})
    assert given["query"] == "a"
    assert given.get("limit") is None
    assert given.unread() == ["weather"]


@pytest.mark.parametrize("said", ["get_belief", "delete_rule_cache", "put_memory"])
def test_a_verb_is_no_prefix_to_be_left_out(said: str) -> None:
    assert case_words.op(said, cases.KNOWN) not in ("add_rule", "remember")


def test_phrases_tell_of_acts() -> None:
    assert case_words.act_in("run the nightly dream", cases.KNOWN) == ("dream", frozenset({"run"}))
    assert case_words.act_in("inject prompt", cases.KNOWN) == ("render_prompt", frozenset())
    assert case_words.act_in("stand on one leg", cases.KNOWN)[0] == ""


def test_events_are_made_as_often_as_they_are_told() -> None:
    made = shaped("ingest", {"events": [{"content": "order {i}", "repeat": 3}]})["events"]
    assert [e["content"] for e in made] == ["order 0", "order 1", "order 2"]
    assert len(shaped("ingest", {"events_count": 4, "content": "x"})["events"]) == 4
    assert len(shaped("ingest", {"events": [{"event_id": "a", "text": "x"}], "send_twice": True})["events"]) == 2


def test_a_script_may_say_how_the_provider_fails() -> None:
    steps = case_script.steps([{"status": 429, "retry_after": 2}, {"reset": True}, {"empty_choices": True}, {"http": 503, "times": 2},
                               {"rules": []}, None, {"content": "hel", "finish_reason": "length"}])  # fmt: skip
    assert steps[0]["http"] == 429
    assert steps[0]["headers"] == {"Retry-After": "2"}
    assert steps[1]["http"] == RESET
    assert json.loads(steps[2]["raw"])["choices"] == []
    assert [s["http"] for s in steps[3:5]] == [503, 503]
    assert steps[5:7] == ['{"rules": []}', ""]
    assert steps[7]["finish_reason"] == "length"
    with pytest.raises(NotSupported):
        case_script.steps([{"http": 200, "colour": "red"}])
    assert case_script.of_provider("the LLM provider answers 503")
    assert not case_script.of_provider("redis is away")


def test_the_provider_tells_how_long_it_was_left_alone_after_an_error() -> None:
    provider = Provider([{"http": 429}, "{}"], {})
    at = iter([0.0, 2.5])
    provider.clock = lambda: next(at)
    for _ in range(2):
        provider.answer({"messages": []})
    assert provider.waits() == [2.5]
