"""Commands that ask a question and answer "no" by their exit code: a search without a hit, files that differ."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import is_read, word_set

_NO = frozenset({1})
#: Program → exit codes by which it says "no"; higher ones tell of trouble (POSIX grep, diff, cmp, test; procps; systemd).
_PROBES = {
    **dict.fromkeys(
        word_set("grep egrep fgrep zgrep rg ag ack diff cmp colordiff which command type pgrep pidof lsof fuser expr"),
        _NO,
    ),
    "systemctl": frozenset({1, 3, 4}),
    "getent": frozenset({2}),
}
_ASKING_VERBS = {
    "git": word_set("diff merge-base show-ref rev-parse check-ignore grep config ls-files"),
    "systemctl": frozenset(("is-active", "is-enabled", "is-failed", "status")),
}
_HARMLESS = frozenset(("cd", "pushd", "popd", "echo", "printf", "true"))
#: `test …` and `[ … ]`, alone or after a change of folder; what they guard is another command.
_TEST = re.compile(
    r"\s*(?:cd\s+\S+\s*&&\s*)?!?\s*(?:test\s[^|&;]+|\[\s[^|&;]+\]|\[\[\s.+\]\])\s*(?:&&\s*echo\s[^|&;]+)?"
)
#: A program that could not even ask says so.
_TROUBLE = re.compile(
    r"no such file|not a directory|is a directory|permission denied|not a git repository|usage:|invalid option|unknown option"
    r"|syntax error|unmatched|unterminated|^(?:fatal|error)\b",
    re.IGNORECASE | re.MULTILINE,
)
_DIFFERS = re.compile(r"^(?:[<>+@ -]|\d+(?:,\d+)?[acd]\d|diff |index |Binary files|Only in)")


def answered_no(command: str, acts: Sequence[Act], exit_code: int | None, content: str) -> bool:
    """Whether a command that ended with this code did what it was asked and found the answer to be "no".

    All of the line only looks, and its last program is one that answers by its exit code; content: what it printed.
    """
    if exit_code is None or exit_code == 0:
        return False
    said = "\n".join(line for line in content.splitlines() if not _DIFFERS.match(line))
    if _TROUBLE.search(said):
        return False
    if exit_code == 1 and _TEST.fullmatch(command):
        return True
    if not acts or not all(is_read(a) or a.tool in _HARMLESS or _asks(a, exit_code) for a in acts):
        return False
    return _asks(acts[-1], exit_code)


def _asks(act: Act, exit_code: int) -> bool:
    verbs = _ASKING_VERBS.get(act.tool)
    if verbs is not None and act.verb.split(" ")[0] not in verbs:
        return False
    if act.verb == "merge-base" and "--is-ancestor" not in act.flags:
        return False
    return exit_code in _PROBES.get(act.tool, _NO if verbs is not None else frozenset())
