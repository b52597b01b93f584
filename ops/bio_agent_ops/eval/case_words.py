"""How rows call one thing by many names: acts, fields of an input, expectations.

Only names are turned into one another here. What an expectation asks for is held against facts elsewhere; a name that
nothing is known of stays as it is and is reported as not understood.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bio_agent_ops.eval import case_lexicon as lexicon
from bio_agent_ops.eval.case_reading import BEFORE, COMPARISONS

_PREFIX = re.compile(r"^(?:post|api|v\d|bio|memory_os|agent|run|do|call|try|case|test|cmd|http)_+")


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
erase_all: delete_all erase_everything forget_all wipe reset_tenant purge_tenant delete_tenant clear
erase: forget forget_memory delete delete_memory erase_memory remove_memory right_to_erasure gdpr_erase purge
redact: redaction scrub sanitise sanitize mask_secrets detect_secret detect_secrets secret_scan scan_secrets
config: settings configure startup start boot load_config validate_config configuration load_settings
    validate_settings env environment check_config doctor init
quota: budget limit limits tenant_quota token_budget rate_limit spend quota_check
health: health_check healthz readiness ready liveness
show_rule: get_rule read_rule fetch_rule explain_rule lineage explain show
wait: advance_clock set_clock time_travel clock_advance sleep_for pass_time elapse tick
http: request http_request api_call rest endpoint curl api_request
migrate: migration start_instances upgrade_schema run_migrations schema_migration
sequence: steps scenario script flow story multi workflow
""")

_SEEDS = (
    "seed seeds memories corpus facts documents docs notes existing given store kept entries have known stored_memories"
)
_ASKING = """query: q question ask search prompt for
at: as_of as_of_time at_time valid_at point_in_time
since: after from newer_than not_before
until: before to older_than not_after
times: repeat rounds n"""
FIELDS: Mapping[str, Mapping[str, str]] = {
    "*": _table("""
tenant: tenant_id as_tenant for_tenant org organisation organization company
text: statement body said sentence
by: actor as who caller approver role_of_caller
limit: k top_k topk max_results
workspace: project repo
"""),
    "ingest": _table("""
times: repeat deliveries copies
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
    "search": _table(f"seed: {_SEEDS}\nseed_bulk: bulk bulk_seed sizes\n{_ASKING}\nquery: text"),
    "recall": _table(f"seed: {_SEEDS}\n{_ASKING}"),
    "render_prompt": _table("""
budget: budget_tokens token_budget max_tokens tokens_max prompt_budget
rules: beliefs learned rule block_rules stored_rules learned_rules core_rules items
"""),
    "decay": _table("""
created_at: learned_at stored_at written_at t0 start begin confirmed_at
clock: now at readings times when checks check_at later moments
importance: weight salience score
"""),
    "clock": _table("now: at clock times readings moments when check_at instants\nexception: terms exemption waiver"),
    "roundtrip": _table("value: at timestamp time instant\nhost_tz: tz timezone zone host_timezone\ntimes: repeat rounds n"),
    "concurrent": _table("do: jobs what acts tasks action actions\nn: count times workers threads parallel"),
    "change_embedding_model": _table("""
from_model: old_model model_before
to_model: new_model model_after
from_dim: from old_dim dim_before from_dimensions
to_dim: to new_dim dim_after to_dimensions
"""),
    "fault": _table("fault: what failure kind_of_fault inject event broken down target\ntimes: n count repeat kills crashes redelivered deliveries"),
    "pgbouncer_transaction_mode": _table("interleave: n times rounds requests switches"),
    "quota": _table("""
limit_tokens: budget_tokens tokens_a_day tokens_per_day budget tokens tokens_a_day limit max_tokens token_budget daily_tokens
spent: used used_tokens tokens_used consumed tokens_spent
do: then act action next
"""),
    "config": _table("env: settings config values variables environment options vars"),
    "redact": _table("text: content value input message line body log"),
    "check": _table("call: tool_call action request invocation\nrules: beliefs policies policy"),
    "http": _table("method: verb\npath: url uri route endpoint\nbody: json data payload\nauth: token credential key as"),
    "celery": _table("event: message observation task\ntimes: deliveries n copies repeat delivered"),
    "dream": _table(f"seed: {_SEEDS}\nnow: at when clock\ntime_zone: tz timezone zone\ntimes: repeat runs rounds n"),
    "all_read_paths": _table("owner: seed_tenant of victim\nreader: tenant attacker as_tenant\nwhat: paths ways"),
    **dict.fromkeys(("wait", "clock_set", "set_clock", "advance_clock"), _table("now: to at until")),
    "migrate": _table("n: instances workers times processes"),
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
memories: remembered memories_created memories_learned memory memory_count memories_count n_memories num_memories active_memories
    memories_kept memories_stored
dead_letter: dead_letters dead_lettered dlq letters
batch_stored: episodes episode_count episodes_stored events_stored observations_stored stored_events rows_stored
    events_count
support_count: support supports evidence_count
llm_calls: model_calls provider_calls calls calls_to_model
llm_input_tokens: tokens_per_request request_tokens tokens_per_call input_tokens prompt_tokens tokens_in_request
attempts: tries retries attempt_count
attempts_counted: crashes_counted counted_attempts crash_count
prompt_rule_lines: prompt_lines rule_lines lines block_lines rendered_rules prompt_rules
prompt: persona prompt_text injected_text context system_prompt rendered block_text
prompt_wrapper_closed_once: wrapper_closed_once wrapper_intact block_closed_once
stored: storage db database anywhere stored_text persisted everywhere_text saved
status: status_code http_status code http
reason: error error_message refusal why message detail cause explanation
rules_text: rule_text rule_texts
relation: relationship verdict_relation label result outcome_relation
verdict: decision guard action_taken guard_verdict
must_include: must_include_each must_find each_must_include
found: count results hits recalled returned result_count matches found_texts answers
state: rule_state_now belief_state
layer: tier
confidence: rule_confidence
scope: rule_scope
duplicates: duplicate_count
lost_after_ack: lost lost_events data_loss
wrong_tenant_reads: leaks leaked cross_reads foreign_reads wrong_reads leaked_rows foreign_rows rows_leaked
rows: rows_visible visible_rows
runs_overlapping: overlap overlapping overlapping_runs
no_traceback: no_stack_trace no_stacktrace
global_rules: tenant_wide_rules shared_rules company_wide_rules org_wide_rules rules_for_all unscoped_rules
wrappers: wrapper_count prompt_wrappers
second_changes: second_dream_changes
no_5xx: no_server_error
no_crash: no_exception does_not_crash survives no_throw
no_error: no_errors errors_none
events_kept: intake_continues observations_kept input_kept nothing_lost kept_events
not_deleted: not_hard_deleted still_there kept retained not_forgotten
attempts: attempts_made content_attempts
stored_as_data_only: data_only
winners: wins won one_winner
refused_status: other_status losers_status loser_status conflict_status
weight_decreases: weights_descending weight_falls weights_falling weights_decreasing decays
cold: archived
privileged_fields_ignored: extra_fields_ignored model_fields_ignored unknown_fields_ignored
retry_wait_s: wait_s waited_s backoff_s retry_after_s wait_before_retry_s retry_delay_s
longest_wait_s: wait_max_s retry_wait_longest_s
second_changes: second_run_changes changes_on_second_run rerun_changes
stored_bytes: content_bytes bytes_stored
first_wins: first_kept first_one_wins
value_stable: stable time_stable unchanged_time
truncated: cut shortened clipped cut_marked marked_as_cut truncation_marked
valid_utf8: stored_valid_utf8 encodable utf8_ok utf8_valid
order_preserved: in_order order_kept
languages: languages_of_rules rule_languages
needs_person: needs_approval requires_approval needs_human
content_length: stored_length length
tenant_b_unaffected: tenant_B_unaffected other_tenant_unaffected others_unaffected other_tenants_unaffected
output: redacted_text redacted_output text_after clean cleaned
unchanged: untouched not_redacted left_alone
redacted: secret_found detected masked is_secret
quarantined: quarantine
accepted: allowed permitted allowed_in ok_to_store taken ok success succeeded starts started boots comes_up
rejected: refused denied declined
""")
#: Other words of values, by the word they are here.
VALUES: Mapping[str, str] = {
    **_table("""
block: blocked deny denied refuse forbid forbidden stop
allow: allowed permit permitted pass passed
warn: warned warning
needs_approval: ask approval require_approval requires_approval approval_required needs_human confirm
equivalent: duplicate duplicates same identical paraphrase entailment equal
distinct: different separate not_duplicate no_duplicate unique
neutral: unrelated independent no_relation irrelevant
contradiction: conflict contradicts contradictory conflicting
governed_exception: exception
accepted: accept ok stored success
rejected: reject refused declined
retryable: retry_later temporary transient
proposed: pending candidate
""")
}
#: Words that a fact may be, so that `blocked: true` asks whether the verdict is a block.
VOCABULARY: Mapping[str, tuple[str, ...]] = {
    "verdict": ("allow", "warn", "needs_approval", "block"),
    "relation": ("equivalent", "contradiction", "neutral", "governed_exception", "distinct"),
    "state": ("proposed", "reinforced", "stable", "challenged", "deprecated", "archived", "rejected", "quarantined"),
    "layer": ("adaptive", "project", "core"), "exception": ("proposed", "granted", "rejected", "revoked", "expired"),
    "producer_error": ("retryable", "final"),
}  # fmt: skip
#: What the audit records of a tenant: an expectation by such a name asks how often it happened.
_ACTS_OF_AUDIT = """
approval_asked approval_used belief_contradicted belief_created belief_edited belief_moved belief_supported bisected
conflict_let_go dead_letter dreamt embedder_changed exception_added fenced forgotten id_conflict key_created key_revoked
memory_created memory_erased memory_merged memory_superseded person_undo provenance_lowered put_off quotas_set redriven
rule_held_back set_apart stream_entries_lost stream_recreated taken_up verdicts_erased
"""
AUDITED = frozenset(_ACTS_OF_AUDIT.split())
EITHER = ("either", "any_of", "one_of", "either_of", "any", "at_least_one_of", "or")
ALL = ("all_of", "all", "both", "and")
NONE = ("none_of", "neither", "not_any_of")


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
    if swapped in known or swapped in OPS:
        return swapped if swapped in known else OPS[swapped]
    about = lexicon.of_name(re.sub(r"^get_", "fetch_", said))
    for other in (*known, *OPS):  # by its words, in any order and form: storing_memories
        if about == lexicon.of_name(other) and about.words:
            return other if other in known else OPS[other]
    return name


def act_in(said: str, known: Any) -> tuple[str, frozenset[str]]:
    """(the act that a sentence or phrase tells of, its other words); ("", all its words) when it tells of none."""
    words = lexicon.meant(lexicon.split(said)).words
    best: tuple[str, frozenset[str]] = ("", frozenset())
    for name in (*known, *OPS):
        act = OPS.get(name, name) if OPS.get(name, name) in known else name
        about = lexicon.of_name(name).words
        if act in known and about and about <= words and len(about) > len(best[1]):
            best = (act, about)
    rest = words - best[1]
    for name, act in OPS.items():  # "inject prompt": both words are of one act
        if act == best[0] and lexicon.of_name(name).words <= rest:
            rest -= lexicon.of_name(name).words
    return best[0], rest


def fields(act: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The input with its fields called as the act calls them; a field that already has its name keeps it."""
    own = FIELDS.get(act, {})
    return _renamed(given, {**FIELDS["*"], **own, **{name: name for name in own.values()}})


_SINGLE = frozenset(
    [*FIELDS["*"].values(), "query", "content", "event_id", "role", "source", "session", "importance", "created_at", "method", "path",
     "auth", "a", "b", "value", "fault", "times", "n"]
)  # fmt: skip


def _renamed(given: Mapping[str, Any], own: Mapping[str, str]) -> dict[str, Any]:
    """Fields by their names here: as they are spelled, else by their words (`n_events`, `modelReplies`)."""
    out = dict(given)
    names = set(own.values())
    many = {k: v for k, v in own.items() if v not in _SINGLE}
    for name in given:
        by_words = {} if isinstance(given[name], bool) else many if isinstance(given[name], (list, dict)) else own
        wanted = own.get(name) or (
            "" if name in names else _by_words(name, by_words)
        )  # several are no other name of one
        if wanted and wanted != name and wanted not in given and wanted not in (n for n in out if n != name):
            out[wanted] = out.pop(name)
    return out


def _by_words(name: str, own: Mapping[str, str]) -> str:
    about = lexicon.of_name(name)
    for other, wanted in own.items() if name not in ("times", "repeat", "copies") else ():
        if about.words and about in (lexicon.of_name(other), lexicon.of_name(wanted)):
            return wanted
    return ""


def event(given: Any) -> dict[str, Any]:
    """An observation with its fields called as here; a bare text is its content."""
    if not isinstance(given, Mapping):
        return {"content": given if isinstance(given, str) else str(given)}
    out = _renamed(given, EVENT_FIELDS)
    if out.get("trusted") is False or out.get("untrusted") is True:
        out.setdefault("trust", "untrusted")
    return out


def asked(name: str) -> list[tuple[str, str]]:
    """(fact, comparison) that the name of an expectation may mean as it is spelled; the comparison is "" for equality."""
    said = "_".join(re.sub(r"[^a-zA-Z0-9]+", "_", name).strip("_").split("_"))
    out = [(said, "")]
    words = said.split("_")
    for length in range(min(4, len(words) - 1), 0, -1):
        if (after := COMPARISONS.get("_".join(words[-length:]))) is not None:
            out.append(("_".join(words[:-length]), after))
        if (before := COMPARISONS.get("_".join(words[:length]))) in BEFORE:
            out.append(("_".join(words[length:]), str(before)))
    return [(FACTS.get(base, base), comparison) for base, comparison in out]
