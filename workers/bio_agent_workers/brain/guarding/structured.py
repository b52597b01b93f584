"""Structured calls: which fields hold text for people, which acts only prepare, and what a wished state does."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bio_agent_workers.brain.guarding.act_forms import word_set
from bio_agent_workers.brain.guarding.act_words import ACTION_OF, LIGHT_VERBS, NOMINAL_ACTIONS

#: Fields whose value is text for people: who or what it mentions is not what the call acts on.
_FREE_TEXT = word_set(
    "body text message content html subject title description note notes comment summary reason caption memo prompt",
    "commit_message markdown body_html body_text text_body noi_dung nội_dung ghi_chú tiêu_đề 内容 正文 备注 标题 主题",
)
_RUNS_TEXT = word_set("sql query db database psql postgres mysql sqlite execute exec run eval shell console")
#: Names of what is only prepared, and the verbs behind which it is no longer.
_PREPARED = word_set(
    "draft drafts preview previews compose template templates mockup simulation simulate estimate outline"
)
_PREPARES = LIGHT_VERBS | word_set("save update edit write store prepare generate get list delete discard remove")
#: A state that is asked for, and the act that brings it about.
STATES = {
    "restarted": "restart", "reloaded": "reload", "stopped": "stop", "started": "start", "running": "start",
    "absent": "delete", "deleted": "delete", "removed": "delete", "present": "create", "latest": "update",
    "disabled": "disable", "enabled": "enable", "published": "publish", "cancelled": "cancel", "canceled": "cancel",
    "approved": "approve", "posted": "post", "paid": "pay", "released": "release", "off": "power off", "on": "power on",
}  # fmt: skip
_STATE_FIELDS = frozenset({"state", "desired_state", "target_state", "new_state", "new_status", "set_status", "power"})
#: Acts that reach other people, which a draft does not.
_REACHES = frozenset({"send", "publish", "pay", "post", "release", "share", "transfer", "refund", "ship"})


def is_free_text(key: str) -> bool:
    """Whether a field, by its dotted key, holds text for people."""
    return any(part.lower() in _FREE_TEXT for part in key.split("."))


def runs_statements(tool: str) -> bool:
    """Whether a tool, by its name, runs what it is given as text."""
    return not _RUNS_TEXT.isdisjoint(re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", tool).lower()))


def prepares(labels: Sequence[str]) -> bool:
    """Whether a call, by the words of its name, only prepares: `draft_email`, `create_email_draft`; not `send_draft`."""
    at = next((n for n, word in enumerate(labels) if word in _PREPARED), -1)
    return at == 0 or (at > 0 and labels[0] in _PREPARES)


def without_reach(actions: set[str]) -> set[str]:
    """The actions of what is only prepared."""
    return {action for action in actions if action not in _REACHES}


def state_action(key: str, value: str) -> str:
    """What a field that asks for a state does, "" for none."""
    return STATES.get(value.lower(), "") if key.rsplit(".", 1)[-1].lower() in _STATE_FIELDS else ""


def nominal_actions(labels: Sequence[str]) -> set[str]:
    """What the nouns behind a light verb stand for: "create_payment" pays, "send_draft" does what it says."""
    if not labels or labels[0] not in LIGHT_VERBS:
        return set()
    return {NOMINAL_ACTIONS[word] for word in labels[1:] if word in NOMINAL_ACTIONS}


def known_action(word: str) -> str:
    return ACTION_OF.get(word, NOMINAL_ACTIONS.get(word, ""))
