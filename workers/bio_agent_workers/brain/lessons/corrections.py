"""Whether a later command reaches what a failed one wanted: in a corrected form, with another name, by another program.

Precise rather than greedy: a wrong pair becomes a wrong rule.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import (
    TASK_RUNNERS,
    core,
    family,
    is_dry,
    is_read,
    options,
    word_set,
)
from bio_agent_workers.brain.lessons.word_pairs import FILE, is_file_of

#: Two words this similar (Ratcliff–Obershelp ratio) are one word corrected.
_TYPO = 0.75
#: Share of equal `key=value` operands from which two structured calls are one goal with other parameters.
_SHARED = 0.4

#: Tools that do one job: `npm install` may be corrected by `pnpm install`.
RIVALS = tuple(
    frozenset(group.split())
    for group in (
        "npm yarn pnpm bun",
        "pip uv poetry conda pipenv pdm pipx",
        "docker podman nerdctl",
        "apt-get dnf brew apk snap pacman",
        "gcc clang cc g++ clang++ c++",
        "curl wget",
        "make ninja cmake just",
        "python py pypy",
        "terraform opentofu",
        "tar unzip 7z bsdtar gunzip xz gzip bzip2 bunzip2 unxz zstd",
        "systemctl service rc-service",
        "bash sh zsh source .",
        "vitest jest mocha",
    )
)
#: Options that name what a command acts on; two commands with different ones have different goals.
_OBJECT_OPTIONS = word_set(
    "--file --filename --command --eval --execute --message --name --url --manifest-path --kustomize -run -c"
)
_OBJECT_KEYS = word_set(
    "id name object target document document_id doc_id doc order order_id invoice invoice_id "
    "file file_path path url item "
    "customer supplier ref reference journal entry table query selector"
)
#: Verbs of package managers that want the same thing.
_INSTALLS = word_set("install ci i add")
_VERSION = re.compile(r"(?:[=<>~!]=?.*|(?<=.)@[\d^~v].*|\[.*\])$")

_WRONG_NAME = re.compile(
    r"no such|not found|no module named|does not exist|doesn't exist|did you mean|unknown|unrecognized|invalid|missing"
    r"|not a .{1,20}command"
    r"|no matching|not match|could not find|cannot find|can't open|404|không tìm thấy|không tồn tại|不存在|找不到"
    r"|未找到"
)


@lru_cache(maxsize=512)
def says_wrong_name(error: str) -> bool:
    return _WRONG_NAME.search(error) is not None


_SUBCOMMAND = re.compile(r"[a-z][a-z0-9_:-]*")
_TASK = re.compile(r"[a-z][\w:.-]*")
# What task runners say of a task that the project does not have.
_UNKNOWN_TASK = re.compile(
    r"no rule to make target|unknown target|missing script|(?:task|target|recipe|script|session) .{0,60}(?:not found|does not (?:exist|contain)"
    r"|not exist)|(?:no|unknown) (?:such )?(?:task|target|recipe|script)|don't know how to (?:make|build)"
)
_NO_FILE = re.compile(
    r"no such file|can't open|cannot open|cannot find|could not (?:find|open)|not found|does not exist"
    r"|không tìm thấy|không tồn tại|不存在|找不到|未找到"
)


# What a program says that was asked in a way it does not take: even a look is then worth a correction.
MISUSED = re.compile(
    r"\b(?:usage|try '[^']*--help)|invalid (?:option|argument|format|preceding|regular|reference|back|range|regexp)"
    r"|unmatched|unterminated|unrecognized (?:option|argument)|unknown option"
    r"|illegal option|cannot (?:index|iterate|read file system)|syntax error|parse error"
)


def _similar(a: str, b: str) -> bool:
    if a == b:
        return True
    if min(len(a), len(b)) < 3:
        return False
    return SequenceMatcher(None, a[:200], b[:200], autojunk=False).ratio() >= _TYPO


@lru_cache(maxsize=4096)
def _bare(operand: str) -> str:
    """An operand without version, leading `./` or trailing slash."""
    return _VERSION.sub("", operand).removeprefix("./").rstrip("/").lower() or operand


def operands_of(act: Act) -> frozenset[str]:
    named = [f.partition("=")[2] for f in act.flags if f.startswith("--file=")] if act.tool in ("tar", "bsdtar") else []
    return frozenset(_bare(operand) for operand in (*named, *act.operands) if operand)


def _operands_agree(a: Act, b: Act, mistaken: bool) -> bool:
    """Whether two operand lists name one object: both none, one in common, or one the longer or corrected name.

    mistaken: the failure said that a name was wrong; only then are similar names one name (test_a is not test_b).
    """
    left, right = operands_of(a), operands_of(b)
    if not left or not right:
        return not left and not right
    if left & right:
        return True
    pairs = [(x, y) for x in left for y in right]
    if len(pairs) > 64:
        return False
    return any(
        _longer(x, y) or _longer(y, x) or (mistaken and (_similar(x, y) or _dotted(x, y) or _dotted(y, x)))
        for x, y in pairs
    )


def _longer(x: str, y: str) -> bool:
    return x.startswith(y + "-") or x.endswith("/" + y)


def _dotted(x: str, y: str) -> bool:
    """Whether a name is another one with its package in front or its ending behind: `tests.test_rates`, `test_rates`."""
    return is_file_of(x, y) or (x.endswith(f".{y}") and y.isidentifier())


def _options_agree(a: Act, b: Act, mistaken: bool) -> bool:
    left, right = _option_map(a), _option_map(b)
    for name in left.keys() & right.keys() & _OBJECT_OPTIONS:
        loose = mistaken or name in ("--command", "--execute", "--eval", "-c")
        if left[name] != right[name] and not (loose and _similar(left[name], right[name])):
            return False
    # `psql -f schema.sql`, then `psql -c 'select 1'`: another thing was asked for. A message may come from a file instead.
    lost, got = ({n: v[n] for n in (v.keys() - w.keys()) & _OBJECT_OPTIONS} for v, w in ((left, right), (right, left)))
    return not got or "--message" in lost or all(any(old in new for new in got.values()) for old in lost.values())


#: Options that choose a part: what succeeds then is less than what failed.
_CHOOSES = word_set(
    "-k -m -t -g -n -p -run --filter --grep --test --tests --testNamePattern --test-name-pattern --only --spec --project --package"
    " --workspace --changed --since --module --file --select --tags --exclude --ignore --skip"
)


def _only_more_options(failed: Act, later: Act) -> bool:
    """Whether a look or a test was repeated with options that choose no part of it; words behind them are their values."""
    said = later.text.split()
    added = [w for w in said if w.startswith("-") and w not in failed.text.split()]
    values = {b for a, b in pairwise(said) if a in added and "=" not in a}
    return bool(added) and _CHOOSES.isdisjoint(w.split("=", 1)[0] for w in added) and values.issuperset(later.operands)


def _option_map(act: Act) -> dict[str, str]:
    return dict(flag.split("=", 1) for flag in act.flags if flag.startswith("-") and "=" in flag)


def _renamed(failed: Act, later: Act, error: str) -> bool:
    """Whether all that changed is one operand that the failure named: a file of like name, or a task that is unknown."""
    if (failed.tool, failed.verb, options(failed)) != (later.tool, later.verb, options(later)):
        return False
    if len(failed.operands) != len(later.operands):
        return False
    changed = [(a, b) for a, b in zip(failed.operands, later.operands, strict=True) if a != b]
    if len(changed) != 1 or not changed[0][0]:
        return False
    old, new = (word.rsplit("/", 1)[-1].lower() for word in changed[0])
    told = [line for line in error.splitlines() if _has_word(old, line)]
    if failed.tool in TASK_RUNNERS and _TASK.fullmatch(old) and _TASK.fullmatch(new):
        return any(_UNKNOWN_TASK.search(line) for line in told)
    return bool(told) and "." in old and _similar(old, new)


def _other_task(failed: Act, later: Act, error: str) -> bool:
    """Whether the project knows no task of the name that was asked for, and another one was run (`npm run x`)."""
    before, after = (re.fullmatch(r"(?:run|run-script) (\S+)", act.verb) for act in (failed, later))
    if before is None or after is None or options(failed) != options(later):
        return False
    return any(_has_word(before[1].lower(), line) and _UNKNOWN_TASK.search(line) for line in error.splitlines())


def _other_ending(first: str, second: str) -> bool:
    """Whether two names are one under different endings: `x.js`, `x.mjs`."""
    return first != second and first.rpartition(".")[0] == second.rpartition(".")[0] != ""


#: What a failure says of an object that is of another kind than the sub-command takes, or in the way of it.
_UNFIT = re.compile(
    r"\bformat\b|\bnot an? [\w-]+ (?:file|archive|image|patch|key|bundle|chart|repository)|\bexpect(?:ed|ing)\b|\bunsupported\b"
    r"|already exists|still in use|\bwrong (?:type|kind)|\bcannot (?:parse|decode)|不支持|格式|đã tồn tại|không hỗ trợ|định dạng"
)
#: Sub-commands that end, empty or fetch: a step on the way or a way out, and never the same by another name.
_ELSEWHERE = word_set(
    "pull fetch init add stash login logout lock sync update config clean clear delete remove rm uninstall down stop kill"
    " restore reset revert abort prune purge destroy generate download list show check lint format fmt fix test run exec"
)


def _other_subcommand(failed: Act, later: Act, error: str) -> bool:
    """Whether another sub-command did with the same object what the first could not: `git am x.patch`, `git apply x.patch`.

    The object is a file or a folder, and the failure says that it does not fit, or names the other sub-command.
    """
    if not failed.verb or not later.verb or failed.verb == later.verb or failed.operands != later.operands:
        return False
    if is_read(failed) or is_read(later) or not options(failed) <= options(later):
        return False
    objects = (*later.operands, *(o.partition("=")[2] for o in options(later)))
    if not any(FILE.fullmatch(o) or "/" in o.strip("/") for o in objects):
        return False
    words = later.verb.lower().split()
    return _ELSEWHERE.isdisjoint(words) and (_UNFIT.search(error) is not None or _has_word(words[-1], error))


#: Programs that take a command's words and run none of it, or run it somewhere else.
_NOT_HERE = word_set("true false : test [ man info help apropos alias hash touch mkdir rm cp mv git gh pip apt-get ssh")


def _wrapped(failed: Act, later: Act) -> bool:
    """Whether the whole of a failed command was handed to another: `npm test`, then `xvfb-run npm test`."""
    idle = is_read(later) or later.tool in _NOT_HERE
    return " " in failed.text and later.text.endswith(f" {failed.text}") and not idle


def names_added_option(failed: Act, later: Act, error: str) -> bool:
    """Whether all that a later command adds is options of which the failure told one: `git describe`, "try --tags"."""
    added = {o.partition("=")[0] for o in options(later) - options(failed)}
    same = (failed.tool, failed.verb, failed.operands) == (later.tool, later.verb, later.operands)
    return same and options(failed) <= options(later) and any(o[:2] == "--" and _has_word(o, error) for o in added)


def _as_module(failed: Act, later: Act) -> bool:
    """Whether a script was run as the module it is: `python a/b.py`, then `python -m a.b`."""
    script = script_of(failed)
    return bool(script) and later.verb == f"-m {script.removesuffix('.py').replace('/', '.')}"


def _subcommand_left_out(failed: Act, later: Act, error: str) -> bool:
    """Whether a program took a name for a sub-command and was then given one in front of it: `ruff x.py`, `ruff check x.py`."""
    taken = failed.verb.lower()
    return bool(taken) and taken in map(str.lower, later.operands) and _has_word(taken, error)


def _has_word(word: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", text) is not None


def _structured(act: Act) -> bool:
    return bool(act.operands) and all("=" in operand for operand in act.operands) and not act.flags


def _same_goal_structured(a: Act, b: Act) -> bool:
    left = dict(operand.split("=", 1) for operand in a.operands)
    right = dict(operand.split("=", 1) for operand in b.operands)
    named = left.keys() & right.keys() & _OBJECT_KEYS
    if any(left[key] != right[key] for key in named):
        return False
    equal = sum(left.get(key) == value for key, value in right.items())
    return bool(named) or equal >= _SHARED * max(len(left), len(right))


def _verbs_agree(a: str, b: str, mistaken: bool) -> bool:
    if a == b or {a, b} <= _INSTALLS:
        return True
    return bool(a and b) and (b.startswith(a + ":") or a.startswith(b + ":") or (mistaken and _similar(a, b)))


def _rivals(a: str, b: str) -> bool:
    return any(a in group and b in group for group in RIVALS)


def script_of(act: Act) -> str:
    """The script an act runs, "" for none: `./x.sh`, `bash x.sh`, `python x.py`."""
    if "/" in act.tool or act.tool.endswith((".sh", ".py")):
        return _bare(act.tool)
    if act.tool in ("bash", "sh", "zsh", "python", "node", "source", ".", "perl", "ruby") and act.operands:
        return "" if act.verb or "-c" in act.flags else _bare(act.operands[0])
    return ""


def _subcommands_agree(a: Act, b: Act, mistaken: bool) -> bool:
    """Whether two runs of one script (`manage.py migrate`) ask it for the same thing: its first plain word is a verb."""
    if not script_of(a) or script_of(a) != script_of(b):
        return True
    first, second = (next((o for o in act.operands if _SUBCOMMAND.fullmatch(o)), "") for act in (a, b))
    return not first or not second or first == second or (mistaken and _similar(first, second))


def _other_script(failed: Act, later: Act, error: str) -> bool:
    """Whether two acts run different scripts: different acts, unless the failure said that the script itself was missing."""
    first, second = script_of(failed), script_of(later)
    if not first or not second or first == second or _longer(second, first) or _longer(first, second):
        return False
    if _other_ending(first, second):
        return False
    missing = any(first in line and _NO_FILE.search(line) for line in error.splitlines())
    return not (missing and (_similar(first, second) or is_file_of(second, first)))


def corrects(failed: Act, later: Act, error: str) -> bool:
    """Whether `later` reaches what `failed` wanted in another form. error: what the failure said, lower case."""
    if _structured(failed) and _structured(later):
        return family(failed) == family(later) and _same_goal_structured(failed, later)
    if is_dry(later) and not is_dry(failed):
        return False
    if _wrapped(failed, later):
        return True
    mistaken = says_wrong_name(error)
    if _other_script(failed, later, error):
        return False
    if not _options_agree(failed, later, mistaken) or not _subcommands_agree(failed, later, mistaken):
        return False
    agree = _operands_agree(failed, later, mistaken) or _renamed(failed, later, error)
    if failed.tool == later.tool:
        if _other_ending(script_of(failed), script_of(later)):
            return options(later) >= options(failed) and failed.operands[1:] == later.operands[1:]
        if _as_module(failed, later) or _subcommand_left_out(failed, later, error):
            return True
        if _other_subcommand(failed, later, error):
            return True
        if not _verbs_agree(failed.verb, later.verb, mistaken) and not _other_task(failed, later, error):
            return False
        if agree:
            return True
        # `docker build .` → `docker build -f x .` agree; `make` → `make all` add an object to none.
        if failed.operands or not (failed.verb or options(later) >= options(failed)):
            return False
        # A line that was refused as it stood has asked for nothing yet: what is named then is what was wanted.
        refused = options(later) >= options(failed) and MISUSED.search(error) is not None
        return not is_read(failed) or refused or _only_more_options(failed, later)
    script = script_of(failed)
    if script and script == script_of(later):
        return True
    if core(failed) == core(later):
        return agree
    if _rivals(failed.tool, later.tool):
        verbs = _verbs_agree(failed.verb.split(" ")[-1], later.verb.split(" ")[-1], mistaken) if failed.verb else True
        return agree and verbs
    named = (
        len(later.tool) > 2
        and later.tool.lower() in error
        and re.search(rf"(?<![\w-]){re.escape(later.tool.lower())}(?![\w-])", error) is not None
    )
    return named and bool(operands_of(failed) & operands_of(later))
