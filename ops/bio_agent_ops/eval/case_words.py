"""How rows call one thing by many names: acts, fields of an input, expectations.

Only names are turned into one another here. What an expectation asks for is held against facts elsewhere; a name that
nothing is known of stays as it is and is reported as not understood.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_PREFIX = re.compile(r"^(?:post|get|put|delete|api|v\d|bio|memory_os|agent|run|do|call|try|case|test|cmd|http)_+")


def _table(lines: str) -> dict[str, str]:
    """Lines of "canonical: name name …", one without a canonical goes on with that before it, as name → canonical."""
    found: dict[str, str] = {}
    canonical = ""
    for line in lines.splitlines():
        if ":" in line:
            canonical, _, line = line.partition(":")
        found |= dict.fromkeys(line.split(), canonical.strip())
    return found


OPS: Mapping[str, str] = _table("""
ingest: observe record capture append push_event push_events send_events event events observation observations
    ingest_batch ingest_event ingest_events log_event write_event stream tell hear turn chat message receive
    on_message add_observation ingest_and_sleep ingest_then_sleep ingest_and_consolidate perceive
consolidate: distill compile extract extraction reflect consolidation run_consolidation hippocampus summarise
    summarize learn llm_consolidate label process parse_llm parse_llm_output llm_output llm
sleep: sleep_cycle sleep_now run_sleep
remember: add_memory store_memory save_memory memorize memorise write_memory memory_add keep note store save
    insert_memory create_memory memory_store remember_memory add_note add_fact store_fact
recall_all: read_all
recall: retrieve retrieval lookup ask query_memory memory_search get_memories
search: search_memories query find search_memory vector_search hybrid_search semantic_search recall_search rank
dedup: deduplicate deduplication duplicate is_duplicate same similarity compare_texts near_duplicate merge_check
relate: relation relation_of compare contradiction contradictions contradicts check_contradiction nli judge
    classify_pair pair reconcile conflict detect_conflict compare_rules relate_rules
render_prompt: build_prompt prompt render render_block build_block inject inject_rules persona context build_context
    make_prompt system_prompt compose_prompt read_block get_persona prompt_block
add_rule: new_rule create_rule rule store_rule insert_rule add_belief create_belief new_belief propose_rule propose
    learn_rule write_rule
decay: forget_curve forgetting retention age ageing aging weight
dream: dream_cycle nightly nightly_dream run_dream dreaming dream_run
clock: exception_at exception_window expiry exception_expiry validity active_at
roundtrip: round_trip time_roundtrip serialise serialize timestamp_roundtrip
concurrent: concurrency parallel race simultaneous in_parallel race_condition
all_read_paths: read_other_tenant cross_tenant read_paths cross_tenant_read tenant_leak isolation leak_check
    foreign_read rls row_level_security
pgbouncer_transaction_mode: pgbouncer pooler connection_pool pooled shared_connection transaction_pooling
celery: redelivery duplicate_delivery redeliver visibility_timeout at_least_once duplicate_message delivered_twice
    task_redelivered replay_task
change_embedding_model: embedding_model_change switch_embedding_model change_embedder embedding_dimension
    embedding_migration swap_embedding_model model_change
fault: crash kill outage failure inject_fault chaos kill_worker broken_dependency dependency_down
check: guard guard_check check_call tool_call pre_tool_use call authorize authorise gate before_tool permission
approve: approve_rule approval accept accept_rule approve_belief self_approve four_eyes
reject: reject_rule decline refuse reject_belief
edit: edit_rule update_rule change_rule edit_belief
exception: add_exception propose_exception request_exception new_exception grant_exception
approve_exception: exception_approve
revoke_exception: revoke
undo: revert rollback undo_act undo_edit
promote: promotion promote_rule promote_belief advance
feedback: give_feedback rule_feedback rate outcome helped hurt
export: dump export_tenant read_out portability
erase: forget forget_memory delete delete_memory erase_memory remove_memory right_to_erasure gdpr_erase purge
redact: redaction scrub sanitise sanitize mask_secrets detect_secret detect_secrets secret_scan scan_secrets
config: settings configure startup start boot load_config validate_config configuration load_settings
    validate_settings env environment check_config doctor init
quota: budget limit limits tenant_quota token_budget rate_limit spend quota_check
health: health_check healthz readiness ready liveness
wait: advance_clock set_clock time_travel clock_advance sleep_for pass_time elapse tick
http: request http_request api_call rest endpoint curl api_request
sequence: steps scenario script flow story multi workflow
""")

_SEEDS = (
    "seed seeds memories corpus facts documents docs notes existing given store kept entries have known stored_memories"
)
FIELDS: Mapping[str, Mapping[str, str]] = {
    "*": _table("""
tenant: tenant_id as_tenant for_tenant org organisation organization company
text: statement body said sentence
by: actor as who caller approver role_of_caller
limit: k top_k topk max_results
workspace: project repo
"""),
    "ingest": _table("""
events: observations messages turns items batch inputs event observation message stream records lines conversation
    transcript log
source: origin channel from_source
trust: provenance trust_level
"""),
    "consolidate": _table("""
events: observations messages turns items batch inputs event observation message records episodes
llm_script: model_replies model_reply responses llm_responses llm_response replies reply completions completion
    llm_output llm_outputs model_output model_outputs llm_replies answers llm provider_script script provider
    model_answers
"""),
    "dedup": _table("a: first left one x\nb: second right two y\ntexts: items pair memories rules statements sentences variants phrases entries"),
    "relate": _table("""
a: left rule_a first premise old existing x text_a rule1 rule_1 one belief_a statement_a earlier before general
b: right rule_b second hypothesis new candidate incoming y text_b rule2 rule_2 two other belief_b statement_b later
    after special exception
"""),
    "search": _table(f"seed: {_SEEDS}\nquery: q question ask text search prompt for\nseed_bulk: bulk bulk_seed sizes"),
    "recall": _table(f"seed: {_SEEDS}\nquery: q question ask search prompt for"),
    "render_prompt": _table("rules: beliefs learned rule block_rules stored_rules learned_rules core_rules items"),
    "decay": _table("""
created_at: learned_at stored_at written_at t0 start begin confirmed_at
clock: now at readings times when checks check_at later moments
importance: weight salience score
"""),
    "clock": _table("now: at clock times readings moments when check_at instants\nexception: terms exemption waiver"),
    "roundtrip": _table("value: at timestamp time instant\nhost_tz: tz timezone zone host_timezone\ntimes: repeat rounds n"),
    "concurrent": _table("do: jobs what acts tasks action actions\nn: count times workers threads parallel"),
    "change_embedding_model": _table("from_dim: from old_dim dim_before from_dimensions\nto_dim: to new_dim dim_after to_dimensions"),
    "fault": _table("fault: what failure kind_of_fault inject event broken down target"),
    "pgbouncer_transaction_mode": _table("interleave: n times rounds requests switches"),
    "quota": _table("""
limit_tokens: budget_tokens budget tokens tokens_a_day limit max_tokens token_budget daily_tokens
spent: used used_tokens tokens_used consumed tokens_spent
do: then act action next
"""),
    "config": _table("env: settings config values variables environment options vars"),
    "redact": _table("text: content value input message line body log"),
    "check": _table("call: tool_call action request invocation\nrules: beliefs policies policy"),
    "health": _table("broken: down away missing dependency unavailable without"),
}  # fmt: skip
EVENT_FIELDS: Mapping[str, str] = _table("""
content: text body message output value data said payload_text stdout stderr
event_id: id obs_id observation_id eid message_id
role: speaker_role author_role from
source: origin channel
trust: provenance trust_level
session: session_id thread thread_id conversation_id
tool: tool_name
tool_input: args arguments
exit_code: exit return_code returncode
occurred_at: timestamp ts time at created_at
workspace: project repo
agent: agent_id
""")

#: Other names of facts, by the name they have here.
FACTS: Mapping[str, str] = _table("""
rules: rule rule_count rules_count n_rules num_rules learned_rules rules_learned learned beliefs_in_force
    rules_in_force active_rules new_rules rules_created rules_made rule_created
memories: memory memory_count memories_count n_memories num_memories active_memories memories_kept memories_stored
dead_letter: dead_letters dead_lettered dlq letters
batch_stored: episodes episode_count episodes_stored events_stored observations_stored stored_events rows_stored
    events_count
support_count: support supports evidence_count
llm_calls: model_calls provider_calls calls calls_to_model
llm_input_tokens: input_tokens prompt_tokens tokens_in_request
attempts: tries retries attempt_count
attempts_counted: crashes_counted counted_attempts crash_count
prompt_rule_lines: prompt_lines rule_lines lines block_lines rendered_rules prompt_rules
prompt: block persona prompt_text injected_text context system_prompt rendered block_text
prompt_wrapper_closed_once: wrapper_closed_once wrapper_intact block_closed_once
stored: storage db database anywhere stored_text persisted everywhere_text saved
status: status_code http_status code http
reason: error error_message refusal why message detail cause explanation
rules_text: rule_text rule_texts
relation: relationship verdict_relation label result outcome_relation
verdict: decision guard action_taken guard_verdict
found: results hits recalled returned result_count matches found_texts answers
state: rule_state_now belief_state
layer: tier
confidence: rule_confidence
scope: rule_scope
duplicates: duplicate_count
lost_after_ack: lost lost_events data_loss
wrong_tenant_reads: leaks leaked cross_reads foreign_reads wrong_reads
rows: leaked_rows foreign_rows rows_leaked rows_visible visible_rows
runs_overlapping: overlap overlapping overlapping_runs
no_5xx: no_server_error
no_crash: no_exception does_not_crash survives no_throw
no_error: no_errors errors_none
events_kept: observations_kept input_kept nothing_lost kept_events
not_deleted: still_there kept retained not_forgotten
value_stable: stable time_stable unchanged_time
truncated: cut shortened clipped
valid_utf8: encodable utf8_ok utf8_valid
order_preserved: in_order order_kept
languages: languages_of_rules rule_languages
needs_person: needs_approval requires_approval needs_human
content_length: stored_length length
tenant_b_unaffected: tenant_B_unaffected other_tenant_unaffected others_unaffected other_tenants_unaffected
output: redacted_text redacted_output text_after clean cleaned
unchanged: untouched not_redacted left_alone
redacted: secret_found detected masked is_secret
quarantined: quarantine
accepted: allowed_in ok_to_store taken ok success succeeded
rejected: refused denied declined
""")
_LESS = {"max": "_max", "at_most": "_max", "le": "_max", "lte": "_max", "upto": "_max", "not_more_than": "_max"}
_MORE = {"min": "_min", "at_least": "_min", "ge": "_min", "gte": "_min", "not_less_than": "_min"}
ENDINGS: Mapping[str, str] = {
    **_LESS, **_MORE, "count": "_count", "eq": "_is", "equals_to": "_is", "is": "_is", "range": "_range", "between": "_range",
    "in": "_in", "one_of": "_in", "any_of": "_in", "not": "_not", "is_not": "_not", "not_in": "_not_in", "not_one_of": "_not_in",
    "not_contains_concat": "_not_contains_concat", "not_contain": "_not_contains", "not_contains": "_not_contains",
    "excludes": "_not_contains", "must_not_contain": "_not_contains", "must_not_mention": "_absent", "lacks": "_not_contains",
    "without": "_not_contains", "absent": "_absent", "not_mention": "_absent", "not_mentions": "_absent", "contains": "_contains",
    "contain": "_contains", "includes": "_contains", "must_contain": "_contains", "has": "_contains", "contains_any": "_contains_any",
    "contains_one_of": "_contains_any", "contains_all": "_contains", "present": "_present", "mentions": "_present",
    "must_mention": "_present", "mention": "_present", "equals": "_equals", "matches": "_matches", "match": "_matches",
    "empty": "_empty", "nonempty": "_nonempty", "not_empty": "_nonempty",
}  # fmt: skip
_BY_LENGTH = sorted(ENDINGS, key=len, reverse=True)
EITHER = ("either", "any_of", "one_of", "either_of", "any")
ALL = ("all_of", "all", "both")


def op(name: str, known: Any) -> str:
    """The name that an act has here; the name itself when nothing is known of it."""
    spelled = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)
    said = re.sub(r"[^a-z0-9]+", "_", spelled.casefold()).strip("_")
    while True:
        if said in known or name in known:
            return said if said in known else name
        if said in OPS:
            return OPS[said]
        shorter = _PREFIX.sub("", said)
        if shorter == said:
            break
        said = shorter
    swapped = "_".join(reversed(said.split("_")))  # rule_add, memory_store
    return OPS.get(swapped, swapped if swapped in known else name)


def fields(act: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The input with its fields called as the act calls them; a field that already has its name keeps it."""
    own = {**FIELDS["*"], **FIELDS.get(act, {})}
    out = dict(given)
    for name in given:
        wanted = own.get(name)
        if wanted and wanted not in given and wanted not in (n for n in out if n != name):
            out[wanted] = out.pop(name)
    return out


def event(given: Any) -> dict[str, Any]:
    """An observation with its fields called as here; a bare text is its content."""
    if not isinstance(given, Mapping):
        return {"content": given if isinstance(given, str) else str(given)}
    out = dict(given)
    for name in given:
        wanted = EVENT_FIELDS.get(name)
        if wanted and wanted not in out:
            out[wanted] = out.pop(name)
    if out.get("trusted") is False or out.get("untrusted") is True:
        out.setdefault("trust", "untrusted")
    return out


def asked(name: str) -> list[tuple[str, str]]:
    """(fact, ending) that the name of an expectation may mean, the likeliest first; the ending is "" for equality."""
    said = re.sub(r"[^a-zA-Z0-9]+", "_", name).strip("_")
    out: list[tuple[str, str]] = []
    for spelled, meant in {**_LESS, **_MORE}.items():
        if said.startswith(f"{spelled}_"):
            out.append((said[len(spelled) + 1 :], meant))
    for ending in _BY_LENGTH:
        if said.endswith(f"_{ending}"):
            out.append((said[: -len(ending) - 1], ENDINGS[ending]))
            break
    out.append((said, ""))
    out += [
        (base.removesuffix(count), ending)
        for base, ending in out
        for count in ("_count", "_number")
        if base.endswith(count)
    ]
    return [(FACTS.get(base, base), ending) for base, ending in out]
