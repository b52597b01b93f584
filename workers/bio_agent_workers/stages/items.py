"""An episode as a numbered item of a model request: quoted, cut to what a model needs, nothing privileged in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bio_agent_client.clean import cut
from bio_agent_schema.types import Episode, Kind, Provenance
from bio_agent_workers.brain.text import detect_lang

ITEM_BYTES = 3_000  # of one item's text: head, tail and the lines around errors
INPUT_CHARS = 600  # of a tool's input, where it is no command
BATCH_BYTES = 36_000  # of all items of one call, about 12,000 tokens; a larger group is cut down item by item


def item_of(
    n: int, episode: Episode, fixes: Sequence[int], resolved_by: int | None, limit: int = ITEM_BYTES
) -> dict[str, Any]:
    content = episode.content
    if episode.folded > 1 and episode.last_content and episode.last_content != content:
        content = f"{content}\n… {episode.folded - 2} more like it …\n{episode.last_content}"
    output_only = episode.kind is Kind.TOOL and not episode.command
    return {
        "n": n,
        "kind": episode.kind.value,
        "speaker": episode.speaker,
        # The act is the host's word, its output is not: what a tool printed stays untrusted whoever reported it.
        "provenance": (Provenance.UNTRUSTED if output_only else episode.provenance).value,
        "source": episode.source,
        "tool": episode.tool,
        "input": "" if episode.command or not episode.tool_input else _input(episode.tool_input),
        "text": cut(content, limit),
        "command": episode.command[:1000],
        "exit_code": episode.exit_code,
        "failed": episode.is_failure,
        "error_token": episode.error_token,
        "fixes": list(fixes),
        "resolved_by": resolved_by,
        "folded": episode.folded,
        "workspace": episode.workspace,
        "task": episode.task,
        "goal": episode.goal,
        "severity": round(episode.severity, 3),
        "event": str(episode.metadata.get("event", ""))[:120],
        "recalled": episode.recalled,
        "lang": detect_lang(content[:400]),
    }


def items_of(episodes: Sequence[Episode]) -> list[dict[str, Any]]:
    """Items numbered from 1 in the given order, with links as numbers; long batches are cut evenly."""
    number = {e.id: i + 1 for i, e in enumerate(episodes)}
    fixes: Mapping[str, list[int]] = {e.id: [] for e in episodes}
    for e in episodes:
        if e.resolved_by and e.resolved_by in fixes:
            fixes[e.resolved_by].append(number[e.id])
    limit = max(300, min(ITEM_BYTES, BATCH_BYTES // max(len(episodes), 1)))
    return [
        item_of(number[e.id], e, fixes[e.id], number.get(e.resolved_by) if e.resolved_by else None, limit)
        for e in episodes
    ]


def _input(given: Mapping[str, Any]) -> str:
    told = json.dumps(given, ensure_ascii=False, default=str)
    return told if len(told) <= INPUT_CHARS else f"{told[:INPUT_CHARS]}…"
