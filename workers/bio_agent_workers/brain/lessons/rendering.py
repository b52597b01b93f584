"""The sentence for a lesson, made of its slots; and the general form of the acts in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from bio_agent_schema.types import Act, FixKind, Lesson
from bio_agent_workers.brain.guarding.act_forms import (
    COSMETIC,
    EVERYBODYS,
    INSTANCE_KINDS,
    TASK_RUNNERS,
    TRUNKS,
    make_act,
    names_the_act,
    operand_kind,
    placeholders,
    spelling,
    word_set,
)
from bio_agent_workers.brain.lessons.wide_forms import WideForms, subcommand
from bio_agent_workers.brain.lessons.word_pairs import ASKING, other_part
from bio_agent_workers.brain.remedies.installs import foreign_names
from bio_agent_workers.brain.remedies.taint import PIPE_TO_SHELL, package_name

#: Characters of one command in a sentence.
_MAX_COMMAND = 200
#: Options whose value is a file the command writes or reads, for the general form.
_FILE_OPTIONS = {
    "-o": "<out>",
    "--output": "<out>",
    "--file": "<file>",
    "--filename": "<file>",
    "--directory": "<path>",
    "--command": "<command>",
    "--execute": "<command>",
    "--eval": "<code>",
    "--message": "<text>",
}
#: The templates of the sentences, by language.
SENTENCES = {
    "en": {
        "replace": "Do not run `{failed}` here: it failed{error}{named}. `{fixed}` worked.",
        "prepare": "When `{failed}` fails{with_error}{named}, first run {steps}; then it worked.",
        "flaky": "`{failed}` failed{error} and then worked unchanged.",
        "error": " ({token})", "with_error": " with {token}", "then": ", then ", "named": " for {words}",
    },
    "zh": {
        "replace": "这里不要运行 `{failed}`：它失败了{error}{named}。`{fixed}` 可以成功。",
        "prepare": "当 `{failed}` 失败{with_error}{named}时，先运行 {steps}；之后它就成功了。",
        "flaky": "`{failed}` 失败过{error}，原样重试后成功。",
        "error": "（{token}）", "with_error": "（{token}）", "then": "，再运行 ", "named": "（如 {words}）",
    },
    "vi": {
        "replace": "Đừng chạy `{failed}` ở đây: lệnh này đã lỗi{error}{named}. `{fixed}` chạy được.",
        "prepare": "Khi `{failed}` lỗi{with_error}{named}, trước hết hãy chạy {steps}; sau đó lệnh chạy được.",
        "flaky": "`{failed}` đã lỗi{error} rồi chạy được khi thử lại y nguyên.",
        "error": " ({token})", "with_error": " ({token})", "then": ", rồi ", "named": " với {words}",
    },
}  # fmt: skip


_QUOTED_PROSE = re.compile(r"'[^']*\s[^']*'|\"[^\"]*\s[^\"]*\"")
#: A quoted command that fetches what is run: a person who is asked must see that it does.
_FETCHED = re.compile(r"(['\"])[$<]\(\s*(?:curl|wget|fetch)\s[^'\"`]*\)\1$")
_TASK = re.compile(r"[A-Za-z][\w:-]*", re.ASCII)
#: The tool of a lesson about how a script is called, whichever it is.
_ANY_SCRIPT = "./<script>"


_NUMBER = re.compile(r"\d{1,6}")
#: Programs that set a number, and how they write it.
_SETTERS = word_set("chmod install ulimit umask sysctl renice prlimit tune2fs")
_SET_NUMBER = re.compile(r"(?:[A-Za-z][\w.-]*=)?\d{1,12}", re.ASCII)
#: A name with a date or a running number in it, or somebody's address: the next one has another.
_OF_ONE_MOMENT = re.compile(r"(?=.*[A-Za-z_])\S*(?:\d{3,}|@)\S*")


def resized(failed: Act, fixed: Act) -> frozenset[str]:
    """The numbers in which two otherwise equal commands differ, each given to an option (`-b 512`, `--jobs=8`): a setting,
    and no literal of one moment."""
    if (failed.tool, failed.verb, spelling(failed)) != (fixed.tool, fixed.verb, spelling(fixed)):
        return frozenset()
    if len(failed.operands) != len(fixed.operands) or len(failed.flags) != len(fixed.flags):
        return frozenset()
    before = dict(pairwise(failed.text.split()[::-1]))  # word → the word in front of it
    pairs = [(a, b, before.get(a, "")) for a, b in zip(failed.operands, fixed.operands, strict=True) if a != b]
    for a, b in zip(failed.flags, fixed.flags, strict=True):
        if a != b:
            name, _, value = a.partition("=")
            pairs.append((value, b.partition("=")[2], name if b.startswith(f"{name}=") else ""))
    numbers = all(_NUMBER.fullmatch(a) and _NUMBER.fullmatch(b) and name.startswith("-") for a, b, name in pairs)
    return frozenset(n for a, b, _ in pairs for n in (a, b)) if numbers else frozenset()


def readdressed(failed: Act, fixed: Act) -> Mapping[str, str]:
    """The addresses that two commands give another part each, with their wide forms (`http://h/v1/x` → `http://h/v2/x`)."""
    out: dict[str, str] = {}
    alike = (failed.tool, failed.verb, len(failed.operands)) == (fixed.tool, fixed.verb, len(fixed.operands))
    if alike and failed.tool in ASKING:
        for a, b in zip(failed.operands, fixed.operands, strict=True):
            if a != b and (told := other_part(a, b)):
                out |= {a: told[0], b: told[1]}
    return out


def general_flags(act: Act, other: Act) -> tuple[str, ...]:
    """Options of an act with what is incidental left out: looks, and values that both acts share and name files."""
    out: list[str] = []
    for flag in act.flags:
        name, found, value = flag.partition("=")
        shared = flag in other.flags
        if shared and (name in COSMETIC or flag.startswith("@")):
            continue
        if shared and found and flag.startswith("-"):
            if name in _FILE_OPTIONS:
                out.append(f"{name}={_FILE_OPTIONS[name]}")
            # Another shared setting (a host, a database) is no part of what went wrong.
            continue
        out.append(f"{name}={placeholders(value)}" if found and value not in resized(act, other) else flag)
    return tuple(out)


def general_operands(act: Act, other: Act) -> tuple[str, ...]:
    """Operands of an act: shared ones as placeholders of their kind, one of a kind once; others kept."""
    out: list[str] = []
    addresses = readdressed(act, other)
    for at, operand in enumerate(act.operands):
        kind = operand_kind(act, at)
        if operand in addresses:
            general = addresses[operand]
        elif operand in resized(act, other):
            general = operand
        elif _names_the_act(act, at):
            general = placeholders(operand)
        elif operand in other.operands and (kind or "/" in operand):
            general = f"<{kind or 'path'}>"
        elif kind in INSTANCE_KINDS or _own_branch(kind, operand):
            general = f"<{kind}>"
        elif (
            operand in other.operands
            and operand not in (".", "..")
            and not operand.startswith("-")
            and "=" not in operand
        ):
            general = "<arg>"
        else:
            general = placeholders(operand)
        if general not in out or not general.startswith("<"):
            out.append(general)
    return tuple(out)


def _names_the_act(act: Act, at: int) -> bool:
    """Whether operand number `at` says what is done: a script, what a script is asked for, a task, or a sub-command."""
    task = act.tool in TASK_RUNNERS and _TASK.fullmatch(act.operands[at]) is not None
    return task or names_the_act(act, at) or subcommand(act, at)


def _own_branch(kind: str, operand: str) -> bool:
    """Whether a branch is one piece of work's own; a trunk's name is what such a lesson is about, and so is the sign by
    which a push overwrites or deletes (`+main`, `:main`)."""
    return kind == "branch" and operand[:1] not in ("<", "+", ":") and operand not in TRUNKS


def generalised(failed: Act, fixed: Act, kind: FixKind) -> tuple[Act, Act]:
    """The pair with incidental literals as placeholders in flags, operands and form; `text` keeps the words."""
    if kind is FixKind.PREPARE:
        return failed, fixed
    tool, other = failed.tool, fixed.tool
    if "/" in tool and any(tool.removeprefix("./") == operand.removeprefix("./") for operand in fixed.operands):
        # `./x.sh` → `bash x.sh`: which script it was does not matter.
        tool = _ANY_SCRIPT
    a = make_act(tool, failed.verb, general_flags(failed, fixed), general_operands(failed, fixed), failed.text)
    b = make_act(other, fixed.verb, general_flags(fixed, failed), general_operands(fixed, failed), fixed.text)
    return a, b


def shown(
    act: Act, tainted: Sequence[str] = (), shared: frozenset[str] = frozenset(), kept: frozenset[str] = frozenset()
) -> str:
    """An act as it stands in a sentence: literals, tainted words and names of one moment as placeholders. kept: numbers
    that are none."""
    text = act.text
    said = (spelling(act) or act.tool).removeprefix("sudo ").split(" ", 1)[0]
    if "/" in said and placeholders(said).startswith("<") and said not in tainted:
        # The folder of a program is a literal, its name is not.
        text = text.replace(said, f"<path>/{said.rsplit('/', 1)[-1]}", 1)
    for word in sorted(tainted, key=len, reverse=True):
        text = re.sub(
            rf"(?<![\w.-]){re.escape(word)}(?:\[[^\]\s]*\])?(?:[=<>~!]=?[^\s'\"]*|@[\w.^~-]+)?(?![\w-])",
            _slot(act, word),
            text,
        )
    for at, operand in enumerate(act.operands):
        if _names_the_act(act, at) or operand in act.verb.split():
            continue
        kind = operand_kind(act, at) if not operand.startswith("<") else ""
        # What both forms name is no part of the lesson: the sentence says no more of it than is matched.
        common = kind and operand in shared and operand not in EVERYBODYS
        if kind in INSTANCE_KINDS or _own_branch(kind, operand) or common:
            text = re.sub(rf"(?<![\w./-]){re.escape(operand)}(?![\w./-])", f"<{kind}>", text)
    general = placeholders(text) if not kept else " ".join(w if w in kept else placeholders(w) for w in text.split(" "))
    text = re.sub(r"(<[a-z_]+>)(?: \1)+", r"\1", general)
    # What stands in quotes with blanks in it is prose or code, not a form: it is nobody's advice.
    text = _QUOTED_PROSE.sub(lambda m: m.group() if _FETCHED.match(m.group()) else "<text>", text).replace("`", "'")
    return text if len(text) <= _MAX_COMMAND else text[: _MAX_COMMAND - 1] + "…"


def _slot(act: Act, word: str) -> str:
    if "://" in word:
        return "<url>"
    for at, operand in enumerate(act.operands):
        if operand_kind(act, at) == "package" and package_name(operand) == word:
            return "<package>"
    if act.verb.split(" ")[0] == word:
        return "<package>"
    found = placeholders(word)
    if found.startswith("<"):
        return found
    return "<host>" if "." in word and "/" not in word else "<value>"


def render(lesson: Lesson, lang: str = "en", wide: WideForms | None = None) -> str:
    """The server's sentence for a lesson in English ("en"), Chinese ("zh") or Vietnamese ("vi"; else English).

    wide: forms that tell it of the kind of command; without them it is told of the command that failed.
    """
    words = SENTENCES.get(lang, SENTENCES["en"])
    token = re.sub(r"[^\w .()/-]", "", lesson.error_token, flags=re.ASCII)[:50].strip()
    failed, fixed = forms(lesson)
    between = lesson.between
    named: tuple[str, ...] = ()
    if wide is not None:
        told = [shown(act, lesson.tainted, kept=wide.numbers) for act in (wide.failed, wide.fixed)]
        if lesson.kind is FixKind.PREPARE or told[0] != told[1]:
            (failed, fixed), between = told, wide.steps or between
            named = tuple(
                w for w in wide.named
                if w not in lesson.tainted and not placeholders(w).startswith("<") and not _OF_ONE_MOMENT.fullmatch(w)
            )  # fmt: skip
    steps = words["then"].join(f"`{shown(act, lesson.tainted, kept=set_numbers(act))}`" for act in between)
    return words[lesson.kind.value].format(
        failed=failed,
        fixed=fixed,
        steps=steps,
        error=words["error"].format(token=token) if token else "",
        with_error=words["with_error"].format(token=token) if token else "",
        named=words["named"].format(words=", ".join(named)) if named else "",
    )


def set_numbers(act: Act) -> frozenset[str]:
    """The numbers of an act that does nothing but set one: `chmod 600 <file>`, `sysctl -w vm.max_map_count=262144`."""
    if act.tool not in _SETTERS and "config" not in act.verb.split():
        return frozenset()
    return frozenset(w for w in act.text.split(" ") if _SET_NUMBER.fullmatch(w))


def forms(lesson: Lesson) -> tuple[str, str]:
    """The failed and the fixed form as the sentence shows them."""
    failed, fixed = _with_words(lesson.failed), _with_words(lesson.fixed)
    if lesson.kind is not FixKind.REPLACE:
        return shown(failed, lesson.tainted), shown(fixed, lesson.tainted)
    shared = frozenset(failed.text.split()) & frozenset(fixed.text.split())
    if failed.tool == _ANY_SCRIPT:
        script = next((w for w in failed.text.split() if "/" in w), "")
        failed = replace(failed, text=failed.text.replace(script, _ANY_SCRIPT, 1))
        words = ["<script>" if w.removeprefix("./") == script.removeprefix("./") else w for w in fixed.text.split()]
        fixed = replace(fixed, text=" ".join(words))
    return shown(failed, lesson.tainted, shared), shown(fixed, lesson.tainted, shared)


def _with_words(act: Act) -> Act:
    """The act with the operands of its text, so that names shown in the text are recognised for what they are."""
    # Steps in front of it ("git switch -c x && …") are acts of their own.
    words = act.text.rsplit(" && ", 1)[-1].split()
    start = next((i for i, w in enumerate(words) if w.rsplit("/", 1)[-1].rstrip("0123456789.") == act.tool), None)
    if start is None:
        start = next((i for i, w in enumerate(words) if act.tool in (w, w.rsplit("/", 1)[-1])), 0)
    start += 1
    verbs = act.verb.split()
    rest = [w for w in words[start:] if not w.startswith("-")]
    if verbs and rest[:1] == words[start : start + 1] and rest[0] != verbs[0] and rest[0] not in act.operands:
        rest = rest[1:]  # the short for the verb: `npm i`
    while verbs and rest and rest[0] == verbs[0]:
        rest, verbs = rest[1:], verbs[1:]
    return replace(act, operands=tuple(rest))


def stripped_is_empty(lesson: Lesson) -> bool:
    """Whether nothing is left of the remedy without its tainted words: no option, no verb, no clean operand of "
    "its own."""
    if PIPE_TO_SHELL in lesson.tainted:
        return True
    if lesson.kind is FixKind.PREPARE:
        return all(_hollow(act, lesson.tainted) for act in lesson.between)
    added_flags = set(lesson.fixed.flags) - set(lesson.failed.flags)
    if spelling(lesson.fixed) or lesson.fixed.verb != lesson.failed.verb or lesson.fixed.tool != lesson.failed.tool:
        return _hollow(lesson.fixed, lesson.tainted)
    # A value that only a placeholder stands for is no option of its own either.
    kept_flags = [
        f for f in added_flags
        if not any(word in f for word in lesson.tainted) and not re.fullmatch(r"<[a-z_]+>", f.partition("=")[2])
    ]  # fmt: skip
    added = [o for o in lesson.fixed.operands if o not in lesson.failed.operands]
    return not kept_flags and not [o for o in added if package_name(o) not in lesson.tainted and not o.startswith("<")]


def _hollow(act: Act, tainted: Sequence[str]) -> bool:
    """Whether an act is only a carrier of tainted words: a fetch, a remote login, a run of a foreign package."""
    if not any(word in act.text for word in tainted):
        return False
    if act.tool in ("curl", "wget", "ssh", "scp", "npx", "bash", "sh", "source", "pipx") or act.verb in ("clone",):
        return True
    if act.tool in tainted:
        return True
    names = foreign_names(act)
    return bool(names) and all(name in tainted for name in names)
