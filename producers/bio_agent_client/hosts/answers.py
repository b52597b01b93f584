"""What the memory says, in the form in which Claude Code and Codex take it from a hook. Pure functions.

The guard never answers "allow": that would skip the permission prompts the user has set. Silence leaves them in force.
Everything said carries the mark by which the memory knows its own words again.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False  # as `typing` has it, whose import alone costs a quarter of a hook's time
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

MARK = "[bio-memory]"
MAX_CONTEXT_CHARS = 9_000  # Codex cuts at about 10,000; the block has 2,100 bytes by design
MAX_HINTS = 3
#: A quoted command; not the one that a rule says worked, which is no news where it failed.
_QUOTED = re.compile(r"`([^`\n]{2,300})`(?! worked| chạy được| 可以成功)")
_BETWEEN = re.compile(r"&&|\|\|?|;|\n")
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")
_PLACEHOLDER = re.compile(r"&lt;[\w ./-]{1,40}&gt;|<[\w ./-]{1,40}>")

Output = dict[str, "Any"]


def plain(text: str) -> str:
    """A text of the service for reading: quotes and ampersands as typed, angle brackets still escaped (no tag can be
    forged with them)."""
    return text.replace("&quot;", '"').replace("&#x27;", "'").replace("&#39;", "'").replace("&amp;", "&")


def context(event: str, text: str) -> Output:
    """`text` put before the model with the event; nothing when it is empty."""
    if not text:
        return {}
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text[:MAX_CONTEXT_CHARS]}}


def guard(said: Mapping[str, Any], *, hold: bool, can_ask: bool) -> Output:
    """The guard's answer as the host's own permission decision.

    said: the service's {verdict, reason, …}. hold: a warning stops the call once, so that the model reads it before it
    decides; else it is told beside the call. can_ask: somebody is there to approve.
    """
    verdict, reason = said.get("verdict"), f"{MARK} {plain(str(said.get('reason') or ''))}"
    if verdict == "block" or (verdict == "needs_approval" and not can_ask):
        return _decision("deny", reason)
    if verdict == "needs_approval":
        return _decision("ask", reason)
    if verdict == "warn" and hold:
        return _decision("deny", f"{reason} This is said once; run the same call again if it is right all the same.")
    if verdict == "warn":
        return context("PreToolUse", reason)
    return {}


def _decision(decision: str, reason: str) -> Output:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": decision,
            "permissionDecisionReason": reason[:MAX_CONTEXT_CHARS],
        }
    }


def hint(command: str, said: Mapping[str, Any], rules: Sequence[Mapping[str, Any]], already: str = "") -> str:
    """What is known about a failure: what the guard knows of the call, and the rules that quote this command.

    Only sentences that the service rendered itself or an owner said; "" when nothing is known. already: what this very
    call was warned of before it ran; it is not said twice.
    """
    known = []
    if said.get("verdict") in ("warn", "needs_approval", "block"):
        known.append(plain(str(said.get("reason") or "")))
    for rule in rules:
        text = plain(str(rule.get("text") or ""))
        if text and quotes(text, command) and not any(text in other for other in [plain(already), *known]):
            known.append(text)
    return "\n".join(f"{MARK} Known about this: {line}" for line in known[:MAX_HINTS])


def quotes(rule: str, command: str) -> bool:
    """Whether a rule quotes a command form that `command` contains: its words in order, others between them; a placeholder
    in it stands for any one word."""
    parts = [part.split() for part in _BETWEEN.split(command)]
    for form in _QUOTED.findall(rule):
        patterns = [
            re.compile(r"\S+".join(re.escape(piece) for piece in _PLACEHOLDER.split(word)))
            for word in _PLACEHOLDER.sub(lambda m: m[0].replace(" ", "_"), form).split()
        ]
        if any(_in_order(patterns, words) for words in parts):
            return True
    return False


def _in_order(patterns: Sequence[re.Pattern[str]], words: Sequence[str]) -> bool:
    """Whether the first pattern is met where the command begins, behind variables at most, and the others after it."""
    at = next((n for n, word in enumerate(words) if not _VARIABLE.match(word)), len(words))
    left = iter(words if patterns and _VARIABLE.match(patterns[0].pattern) else words[at:])
    if not patterns or (first := next(left, None)) is None or not patterns[0].fullmatch(first):
        return False
    return all(any(pattern.fullmatch(word) for word in left) for pattern in patterns[1:])
