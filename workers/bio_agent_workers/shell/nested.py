"""Scripts inside a command: what a shell, an alias or the code given to an interpreter comes down to, as command lines."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from bio_agent_workers.shell.python_code import SQL, TAKES_SQL, python_lines

SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "ash"})
#: Interpreters, with the options behind which they take code.
_CODE_BEHIND = {
    "python": ("-c",), "node": ("-e", "--eval", "-p", "--print"), "perl": ("-e", "-E"), "ruby": ("-e",), "php": ("-r",),
    "deno": ("eval",), "bun": ("-e", "--eval"),
}  # fmt: skip
#: Programs that run a line later.
_LATER = frozenset({"trap", "at", "batch"})
#: Programs that run a line as another user.
SWITCHES = frozenset({"su", "runuser"})
#: Shells of Windows, with the options behind which they take a line.
_WINDOWS = dict.fromkeys(("pwsh", "powershell", "powershell.exe"), ("-c", "-command")) | dict.fromkeys(
    ("cmd", "cmd.exe"), ("/c", "/k")
)
#: Programs that type a line into a terminal of theirs.
_TERMINALS = frozenset({"tmux", "screen"})
#: Programs that start an interpreter in an environment of theirs (`uv run python -c …`).
_STARTERS = frozenset({"uv", "poetry", "pipenv", "pdm", "hatch", "conda", "npx"})
_VERSION = re.compile(r"(?<=[a-z])[\d.]+$")
#: Characters of code that are read, and calls taken from it.
_MAX_CODE, _MAX_CALLS = 8_000, 32
_LITERAL = re.compile(r"""'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`\n$]*)`""")
#: Functions that run a command line, and those that do what a command does, by the last part of their name.
_RUNS = r"system|popen|run|call|check_call|check_output|getoutput|execsync|spawnsync|execfilesync|exec|spawn|shell_exec|passthru|qx"
_LIKE = {
    "remove": "rm", "unlink": "rm", "unlinksync": "rm", "rm": "rm -r", "rmsync": "rm -r", "rmtree": "rm -r", "remove_tree": "rm -r",
    "rm_rf": "rm -r", "rm_r": "rm -r", "rmdir": "rmdir", "rmdirsync": "rmdir", "removedirs": "rmdir", "truncate": "truncate",
    "chmod": "chmod", "chmodsync": "chmod", "move": "mv", "rename": "mv", "renamesync": "mv", "replace": "mv", "copyfile": "cp",
    "copy": "cp", "copytree": "cp -r", "writefilesync": "tee", "file_put_contents": "tee", "write_text": "tee", "write_bytes": "tee",
}  # fmt: skip
_CALL = re.compile(
    rf"(?<![\w'\"])(?:[A-Za-z_]\w*(?:\.|::))*({_RUNS}|{'|'.join([*_LIKE, *sorted(TAKES_SQL)])})(?:\s*(\()|\s+(?=['\"]))",
    re.I,
)
_BACKTICKED = re.compile(r"`([^`\n$]+)`")
_OCTAL = re.compile(r"\b0o?([0-7]{3,4})\b")


def nested_script(program: str, words: Sequence[str], stdin: str) -> str | None:
    """The script that a shell or `eval` is given as text, None when there is none."""
    if program == "git":
        return _git_alias(words)
    if program == "eval":
        return " ".join(words[1:])
    if program in _LATER and len(words) > (program == "trap"):
        return (words[1] if words[1] != "-" else None) if program == "trap" else stdin or None
    if program in SWITCHES and "-c" in words[:-1]:
        return words[words.index("-c") + 1]
    if program in _WINDOWS and len(words) > 2 and words[1].lower() in _WINDOWS[program]:
        return " ".join(words[2:])
    if program not in SHELLS:
        return None
    at = 1
    while at < len(words) and words[at].startswith(("-", "+")) and words[at] not in ("-", "--"):
        flag = words[at]
        if not flag.startswith("--") and "c" in flag[1:]:
            return words[at + 1] if at + 1 < len(words) else None
        at += 2 if flag in ("-o", "-O", "--rcfile", "--init-file") else 1
    return stdin or None if at >= len(words) or words[at] == "-" or "-s" in words[1:at] else None


def _git_alias(words: Sequence[str]) -> str | None:
    """What a git command runs by an alias that it defines itself (`git -c alias.x="push --force" x origin`)."""
    aliases: dict[str, str] = {}
    at = 1
    while at < len(words) and words[at].startswith("-"):
        if words[at] == "-c" and at + 1 < len(words):
            name, _, told = words[at + 1].partition("=")
            if name.lower().startswith("alias."):
                aliases[name[6:]] = told
        at += 2 if words[at] in ("-c", "-C", "--git-dir", "--work-tree", "--namespace") else 1
    told = aliases.get(words[at], "") if at < len(words) else ""
    rest = " " + shlex.join(words[at + 1 :])
    return (told[1:] if told.startswith("!") else f"git {told}") + rest if told else None


def _git_runs(words: Sequence[str]) -> Iterator[str]:
    """The commands that git itself runs: `rebase -x`, `submodule foreach`, `bisect run`."""
    if "rebase" in words:
        yield from (after for word, after in pairwise(words) if word in ("-x", "--exec"))
        yield from (word[7:] for word in words if word.startswith("--exec="))
    for at, pair in enumerate(pairwise(words)):
        if pair in (("submodule", "foreach"), ("bisect", "run")):
            told = words[at + 2 :]
            told = told[next((n for n, word in enumerate(told) if not word.startswith("-")), len(told)) :]
            yield told[0] if len(told) == 1 else shlex.join(told)


def code_lines(program: str, words: Sequence[str], stdin: str, files: Mapping[str, str]) -> Iterator[str]:
    """Command lines that do what the code given to an interpreter does (`python -c "os.remove('/x')"` → `rm /x`): on its
    command line, by its input, or in a file. files: the text of those that are known, by their path.

    Only calls of well-known functions with literal arguments are read; what code computes is not.
    """
    if program == "git":
        yield from _git_runs(words)
    if program == "npx":
        yield from (after for word, after in pairwise(words) if word in ("-c", "--call"))
    if program in _TERMINALS:
        yield from (word for word in words[1:] if " " in word.strip() and "#{" not in word)
    if program in _STARTERS:
        at = next((at for at, word in enumerate(words) if _VERSION.sub("", word) in _CODE_BEHIND), 0)
        program, words = words[at], words[at:]
    program = _VERSION.sub("", program.rsplit("/", 1)[-1])
    runs = words[1:] if program in _CODE_BEHIND or program in SHELLS or program in (".", "source") else words
    known = files.get(next((w for w in runs if not w.startswith("-")), "").removeprefix("./"), "") if files else ""
    if known and program not in _CODE_BEHIND:
        yield known
    options = _CODE_BEHIND.get(program, ())
    code = next((words[at + 1] for at, word in enumerate(words[:-1]) if word in options), "")
    if not code and options and all(word.startswith("-") for word in words[1:]):
        code = stdin
    code = code or known
    if program == "python":
        yield from python_lines(code[:_MAX_CODE])
    elif code:
        yield from _calls_in(program, code[:_MAX_CODE])


def _calls_in(program: str, code: str) -> Iterator[str]:
    """The command lines in code of a language without a reader of its own, by the look of its calls."""
    if program in ("perl", "ruby", "php"):
        yield from _BACKTICKED.findall(code)
    for number, found in enumerate(_CALL.finditer(code)):
        end = code.find(")", found.end()) if found[2] else code.find(";", found.end())
        given = code[found.end() : end if end >= 0 else None]
        said = ["".join(parts) for parts in _LITERAL.findall(given)]
        name = found[1].lower()
        if number >= _MAX_CALLS:
            return
        if name in TAKES_SQL:
            yield from (shlex.join(["sql", said[0]]) for _ in said[:1] if SQL.match(said[0]))
        elif name not in _LIKE:
            yield shlex.join(said) if given.lstrip().startswith("[") or len(said) > 1 else "".join(said)
        elif said:
            mode = _OCTAL.findall(given) if name.startswith("chmod") else []
            yield shlex.join([*_LIKE[name].split(), *mode, *(said[:1] if _LIKE[name] == "tee" else said)])
