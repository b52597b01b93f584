"""What is known of one command-line tool: its sub-commands, options that take a value, and spellings of one option."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """subs: 1 when the first operand is a sub-command. deep: sub-commands that take a second word ("compose" → "up").
    values: options followed by a value. long: short or alternative spelling → the one that is kept; `-o=Port` stands for
    that setting given through `-o`. cluster: "-xvf" means "-x -v -f". verbs: other names of a sub-command. runs:
    sub-commands whose next operand is a program. abbreviates: sub-commands that any unambiguous beginning names. plain: of a program
    whose long options all take a value, the ones that do not."""

    subs: int = 0
    deep: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()
    long: dict[str, str] = field(default_factory=dict)
    cluster: bool = False
    verbs: dict[str, str] = field(default_factory=dict)
    runs: frozenset[str] = frozenset()
    abbreviates: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()

    def takes(self, name: str) -> bool:
        """Whether the word behind an option is its value."""
        given = bool(self.plain) and name.startswith("--") and not name.startswith("--no-") and name not in self.plain
        return name in self.values or given


def _pairs(text: str) -> dict[str, str]:
    """Pairs of `one:other`; `one>other` where a name itself holds a colon."""
    return dict(item.split(">" if ">" in item else ":", 1) for item in text.split())


def spec(
    *,
    subs: int = 0,
    deep: str = "",
    values: str = "",
    long: str = "",
    cluster: bool = True,
    verbs: str = "",
    runs: str = "",
    abbreviates: str = "",
    plain: str = "",
) -> ToolSpec:
    names = _pairs(long)
    taking = set(values.split())
    taking |= {names[v] for v in taking if v in names}
    return ToolSpec(
        subs=subs,
        deep=frozenset(deep.split()),
        values=frozenset(taking),
        long=names,
        cluster=cluster,
        verbs={k: v.replace("_", " ") for k, v in _pairs(verbs).items()},
        runs=frozenset(runs.split()),
        abbreviates=frozenset(abbreviates.split()),
        plain=frozenset(plain.split()),
    )
