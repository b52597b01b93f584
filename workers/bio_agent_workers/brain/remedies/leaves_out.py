"""Ways to make a failing test run pass without mending anything: tests removed or moved away, or left out of the run.

Told by the parse of an act, by classes of paths and options over any runner.
"""

from __future__ import annotations

import re

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import word_set

__all__ = ["leaves_tests_out", "narrowed_to"]

_READ = 300  # characters of one word that are read
_RUNNERS = word_set(
    "pytest py.test unittest nose2 jest vitest mocha ava tap karma playwright cypress rspec minitest phpunit pest tox nox ctest bats",
    "nextest test gotestsum busted ginkgo jasmine wtr web-test-runner testcafe robot behave cucumber detox",
)
_TEST_FOLDER = re.compile(r"(?:^|/)(?:__tests__|__snapshots__|tests?|specs?|e2e|cypress|features)(?:/|$)", re.I)
_TEST_FILE = re.compile(
    r"(?:^|/)(?:test_[^/.]*|[^/.]+_(?:test|spec)|[^/]+\.(?:test|spec|cy|e2e)|[^/.]*[a-z](?:Tests?|Spec|IT)|conftest)"
    r"\.(?:py|[cm]?[jt]sx?|rb|go|rs|java|kts?|cs|fs|swift|php|exs?|sh|feature|scala|dart|c|cc|cpp|bats|snap|vue|lua)$"
)
_MADE = re.compile(
    r"__pycache__|\.pyc$|(?:^|/)(?:\.\w*cache|node_modules|results?|output|tmp|reports?)(?:/|$)|\.(?:log|tmp|xml|lock)$"
)
_LEFT_OUT = re.compile(
    r"^--?(?:ignore(?:-glob)?|deselect|exclude(?!-standard)[\w-]*|skip(?!-build|-install)[\w-]*|grep-invert|invert|exclude-regex|label-exclude"
    r"|\w*IgnorePatterns?|pass-?with-?no-?tests|(?:allow|no)-?(?:empty|no-tests)|no-tests|(?-i:LE|E))(?:$|=)",
    re.I,
)  # fmt: skip
_SELECTS = re.compile(
    r"^--?(?:k|m|t|g|run|grep|filter|tags?|tests?|spec|testNamePattern|testPathPattern\w*|D(?:test|groups|surefire\S*|it\.test)|only|D?excludedGroups)(?:$|=)"
)
_NEGATED = re.compile(
    r"(?:^|[\s(&|=,])(?:not\s|[!~](?=\w)|-(?=\w))|!=|!~|\(\?!|^(?:none|null|/dev/null|\^\$|nothing)$", re.I
)
#: Programs that run named tasks, and names of tasks that do nothing in place of a check: `test:noop`, `lint-off`.
_TASKS = word_set("npm yarn pnpm bun make just task gradle gradlew mvn nx turbo rake invoke poe hatch tox nox")
_IDLE = re.compile(
    r"(?:^|[:_./-])(?:noop|none|off|skip(?:ped)?|fake|dummy|disabled?|nothing|unchecked|no-?(?:check|verify|test|lint)s?)$",
    re.I,
)
_NEGATED_GROUPS = re.compile(r"^-DexcludedGroups=", re.I)


def leaves_tests_out(act: Act) -> str:
    """The word of an act by which tests are removed, moved where no runner looks, or left out; "" for none of them."""
    operands = [o[:_READ] for o in act.operands]
    first = act.verb.split()[:1]
    removes = act.tool in ("rm", "del", "trash", "unlink", "rmdir", "Remove-Item") or (
        act.tool == "git" and first == ["rm"]
    )
    if removes:
        return next((o for o in operands if _is_test(o)), "")
    if len(operands) > 1 and (act.tool in ("mv", "move", "rename") or (act.tool == "git" and first == ["mv"])):
        return next((o for o in operands[:-1] if _is_test(o) and not _still_found(o, operands[-1])), "")
    if act.tool in _TASKS and (idle := next((w for w in [*act.verb.split(), *operands] if _IDLE.search(w)), "")):
        return idle
    if not _runs_tests(act):
        return ""
    for at, word in enumerate(words := [*(f[:_READ] for f in act.flags), *operands]):
        if not word.startswith("-"):
            continue
        if _LEFT_OUT.search(word) or _NEGATED_GROUPS.search(word):
            return word
        if _SELECTS.search(word):
            # Where the runner's options are unknown, the value stands as a word of its own.
            values = [word.partition("=")[2]] if "=" in word else words[at + 1 :] if at >= len(act.flags) else operands
            if found := next((v for v in values if _NEGATED.search(v) and not v.startswith("--")), ""):
                return found
    return ""


def narrowed_to(failed: Act, fixed: Act) -> str:
    """The option by which the run that passed takes a selection of the tests of the run that failed; "" without one."""
    if not _runs_tests(failed) or not _runs_tests(fixed) or any(_SELECTS.search(f) for f in failed.flags):
        return ""
    return next((f for f in fixed.flags if _SELECTS.search(f[:_READ])), "")


def _runs_tests(act: Act) -> bool:
    words = (act.tool, *act.verb.split(), *act.operands[:2])
    return not _RUNNERS.isdisjoint(words) and act.tool not in ("git", "docker", "echo", "grep", "find", "ls")


def _is_test(path: str) -> bool:
    return not _MADE.search(path) and bool(_TEST_FILE.search(path) or _TEST_FOLDER.search(path))


def _still_found(source: str, target: str) -> bool:
    """Whether what is moved is still a test, or part of them, in its new place."""
    if _TEST_FILE.search(target):
        return True
    into_folder = "." not in target.rstrip("/").rpartition("/")[2]
    return bool(_TEST_FOLDER.search(target)) and (into_folder or not _TEST_FILE.search(source))
