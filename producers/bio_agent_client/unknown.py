"""What is said of fields that nothing reads: a misspelt one would lose what it says, so none is passed over. Standard library
only."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import get_close_matches
from typing import Final

MOST_TOLD: Final = 3
MAX_CHARS: Final = 64  # of a name that is repeated to its sender
_ALIKE: Final = 0.7  # of two names, as `difflib` counts
#: Where what others call by these names belongs.
_ALSO_CALLED: Final = {
    **dict.fromkeys(("command", "cmd", "input", "args", "arguments", "params", "parameters"), "tool_input"),
    **dict.fromkeys(("text", "message", "output", "result", "stdout", "body"), "content"),
    **dict.fromkeys(("timestamp", "time", "ts", "at", "date", "created_at"), "occurred_at"),
    **dict.fromkeys(("error", "failed"), "is_error"),
    **dict.fromkeys(("status", "code", "returncode", "rc"), "exit_code"),
    **dict.fromkeys(("role", "event_type"), "kind"),
    **dict.fromkeys(("trust", "trusted"), "provenance"),
    **dict.fromkeys(("duration", "elapsed_ms"), "duration_ms"),
    **dict.fromkeys(("name", "tool_name"), "tool"),
    **dict.fromkeys(("project", "repo"), "workspace"),
}


def unknown_names(names: Sequence[str], known: Collection[str]) -> str:
    """The reason of a refusal: the unknown names, each with the known one that it is nearest to. names: at least one."""
    told = [_told(name, known) for name in names[:MOST_TOLD]]
    if len(names) > MOST_TOLD:
        told.append(f"{len(names) - MOST_TOLD} more")
    return "; ".join([*told, "your own fields go under `metadata`"])


def _told(name: str, known: Collection[str]) -> str:
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name[:MAX_CHARS]).replace("-", "_").lower()
    meant = _ALSO_CALLED.get(plain) or next(iter(get_close_matches(plain, sorted(known), 1, _ALIKE)), "")
    return f"unknown field `{name[:MAX_CHARS]}`" + (f"; did you mean `{meant}`?" if meant else "")
