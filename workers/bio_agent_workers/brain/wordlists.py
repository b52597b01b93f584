"""Word lists written as lines of text."""

from __future__ import annotations


def word_list(*lines: str) -> tuple[str, ...]:
    """The blank-separated words of some lines, in order."""
    return tuple(word for line in lines for word in line.split())
