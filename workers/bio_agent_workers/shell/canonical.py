"""From the words of one simple command to its canonical act: wrappers taken off, options normalised."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import make_act
from bio_agent_workers.shell.grammar import MAX_COMMANDS, Simple, commands
from bio_agent_workers.shell.inputs import handed, with_file, with_input
from bio_agent_workers.shell.nested import SWITCHES, code_lines, nested_script
from bio_agent_workers.shell.spellings import Parsed, one_spelling
from bio_agent_workers.shell.tool_spec import ToolSpec
from bio_agent_workers.shell.tools import MODULE_COMMANDS, PROGRAMS, spec_of
from bio_agent_workers.shell.words import MAX_WORD, Names

#: Levels of scripts inside scripts (`bash -c "bash -c …"`) that are opened.
MAX_NESTING = 4
#: Wrappers that run the command behind them, with their options that take a value.
WRAPPERS = {
    "time": "-f -o",
    "nohup": "",
    "nice": "-n",
    "ionice": "-c -n -p",
    "stdbuf": "-i -o -e",
    "setsid": "",
    "command": "",
    "builtin": "",
    "exec": "-a",
    "xargs": "-n -I -P -d -L -s -a -E --max-args --max-procs --delimiter --replace",
    "timeout": "-k -s --signal --kill-after",
    "env": "-u --unset -C --chdir -S",
    "sudo": "-u -g -h -p -C -r -t -U -D -R",
    "doas": "-u -C",
    "runuser": "-u -g -G",
    "watch": "-n --interval",
    "unbuffer": "",
    "busybox": "",
    "toybox": "",
    "chronic": "",
    "flock": "-w -E",
    "taskset": "",
    "systemd-run": "-p -u --unit --property --uid --gid",
    "caffeinate": "-t",
    "parallel": "-j --jobs",
    "then": "",
    "do": "",
    "!": "",
}
#: Wrappers with one operand of their own before the command.
_OPERANDS = {"timeout": 1, "flock": 1, "taskset": 1}
_ELEVATING = frozenset({"sudo", "doas", "runuser"})
#: Beginning of the mark of an act that is done as another user, beside the spelling of its program.
AS_USER = "@as="
_BIN_DIRS = frozenset({"bin", "sbin", ".bin", "Scripts"})
_SYSTEM_DIRS = frozenset({"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"})
_CONTAINERS = frozenset({"docker", "podman", "nerdctl"})
#: A file that is named by way of the folder it lies in: `./site.yml` is `site.yml`, but `./pkg` may be no package of that name.
_HERE = re.compile(r"\./\w[\w@+./-]*\.[A-Za-z]\w{0,7}")
_INFO_FLAGS = frozenset({"-v", "-V"})


def acts_in(source: str, depth: int = 0, names: Names | None = None) -> Iterator[Act]:
    """Canonical acts of a command line, nested scripts opened; MAX_COMMANDS of them at most."""
    names = names if names is not None else Names()
    every = (act for simple in commands(source, names) for act in _expand(simple, depth, names))
    yield from islice(every, MAX_COMMANDS)


def _expand(simple: Simple, depth: int, names: Names) -> Iterator[Act]:
    words, env, elevated = _unwrap(list(simple.words), dict(simple.env), simple.stdin)
    if not words:
        return
    program = words[0].rsplit("/", 1)[-1]
    nested = nested_script(program, words, simple.stdin) if depth < MAX_NESTING else None
    if nested is not None:
        given = words[words.index(nested) + 1 :] if nested in words else []
        names.variables |= {str(at): word for at, word in enumerate(given)} | (
            {"@": " ".join(given[1:])[:MAX_WORD]} if given else {}
        )
        user = next((w for w in words[1:] if w[:1] != "-" and w != nested), "root") if program in SWITCHES else ""
        yield from (_as(act, user) for act in acts_in(nested, depth + 1, names))
        return
    if program == "find" and depth < MAX_NESTING:
        yield canonical(words, env, elevated)
        yield from _find_actions(words, depth, names)
        return
    fed = with_input(*with_file(words, simple.stdin, names.files)) if simple.stdin or names.files else []
    if fed:  # what it is fed is what it runs
        act = canonical(fed, env, elevated)
        yield make_act(act.tool, act.verb, act.flags, act.operands, canonical(words, env, elevated).text)
        return
    if words[0] in ("true", ":", "[", "test", "set", "shopt", "local", "return", "exit", "fi", "done"):
        return
    yield canonical(words, env, elevated)
    if depth < MAX_NESTING:
        for line in code_lines(program, words, simple.stdin, names.files):
            yield from acts_in(line, depth + 1, names)


def _as(act: Act, user: str) -> Act:
    """The act, done as another user; "" for nobody else."""
    if not user:
        return act
    at = 1 if act.flags[:1] and act.flags[0].startswith("@") else 0
    spelled = act.flags[:1] if at else (f"@su {act.tool}",)
    return replace(act, flags=(*spelled, f"{AS_USER}{user}", *act.flags[at:]))


def _unwrap(words: list[str], env: dict[str, str], stdin: str = "") -> tuple[list[str], dict[str, str], str]:
    """Take off wrappers. Returns the words, all assignments, and where the act was elevated by what, and as whom where
    that is said ("sudo", "doas backup"). stdin: literal words that `xargs` hands on."""
    elevated = ""
    for _ in range(16):
        name = words[0].rsplit("/", 1)[-1] if words else ""
        if (
            name not in WRAPPERS
            or (name == "command" and len(words) > 1 and words[1] in _INFO_FLAGS)
            or (name == "runuser" and "-c" in words)
        ):
            break
        taking = WRAPPERS[name].split()
        rest = words[1:]
        while rest:
            head = rest[0]
            if head == "--":
                rest = rest[1:]
                break
            if head.startswith("-") and len(head) > 1:
                if name == "env" and head in ("-S", "--split-string") and len(rest) > 1:
                    first = next(iter(commands(rest[1])), None)
                    rest = list(first.words) + rest[2:] if first else rest[2:]
                    break
                rest = rest[2:] if head in taking else rest[1:]
            elif "=" in head and name in ("env", "sudo", "doas") and head.split("=", 1)[0].isidentifier():
                key, _, value = head.partition("=")
                env[key] = value
                rest = rest[1:]
            else:
                break
        rest = rest[_OPERANDS.get(name, 0) :]
        if not rest:
            # `env`, `sudo -i`, `time` alone: the wrapper is the act.
            return words, env, elevated
        if name in _ELEVATING:
            elevated = f"{name} {_user(words[: len(words) - len(rest)])}".strip()
        if name == "xargs" and stdin:
            rest = handed(words[: len(words) - len(rest)], rest, stdin)
        words = rest
    return words, env, elevated


def _user(words: Sequence[str]) -> str:
    """Whom `sudo -u backup` stands for, "" for root."""
    for at, word in enumerate(words):
        if word in ("-u", "--user") and at + 1 < len(words):
            return words[at + 1]
        if word.startswith(("-u", "--user=")):
            return word.removeprefix("--user=").removeprefix("-u")
    return ""


def _find_actions(words: Sequence[str], depth: int, names: Names) -> Iterator[Act]:
    """`find X -exec CMD {} \\;` and `-delete` act on what was found below X."""
    roots: list[str] = []
    for word in words[1:]:
        if word.startswith(("-", "(", "!")):
            break
        roots.append(word)
    roots = roots or ["."]
    if "-delete" in words:
        yield canonical(["rm", "-r", *roots], {}, "")
    for at, word in enumerate(words):
        if word in ("-exec", "-execdir", "-ok"):
            inner: list[str] = []
            for part in words[at + 1 :]:
                if part in (";", "+", "\\;"):
                    break
                inner.extend(roots if part == "{}" else [part])
            yield from _expand(Simple(tuple(inner)), depth + 1, names)


def _program(words: Sequence[str]) -> tuple[list[str], list[str], str]:
    """Canonical program words, the words behind them, and the spelling where that differs."""
    name, rest = words[0], list(words[1:])
    spelled = name
    if "/" in name:
        folder, base = name.rsplit("/", 1)
        if folder == "/etc/init.d" and rest:
            return ["systemctl"], [rest[0], base], " ".join(words[:1])
        if base and (folder in _SYSTEM_DIRS or folder.rsplit("/", 1)[-1] in _BIN_DIRS):
            name = base
            spelled = base if folder in _SYSTEM_DIRS else spelled
    stem = name.removesuffix(".exe")
    if stem.startswith(("python", "pip")) and stem.lstrip("pythoni").replace(".", "").isdigit():
        stem = "python" if stem.startswith("python") else "pip"
    program = PROGRAMS.get(stem, stem).split() or [stem]  # a name of blanks is one too
    if program == ["python"]:
        module = _module(rest)
        if module is not None:
            spelled = f"{spelled} -m {module}"
            rest = rest[rest.index("-m") + 2 :]
            if module.split(".")[0] not in MODULE_COMMANDS:
                return ["python", f"-m {module}"], rest, "" if words[0] == "python" else words[0]
            program = ["pre-commit" if module == "pre_commit" else module.split(".")[0]]
    if program == ["service"] and len(rest) >= 2:
        return ["systemctl"], [rest[1], rest[0], *rest[2:]], "service"
    return program, rest, "" if spelled == program[0] else spelled


def _module(rest: Sequence[str]) -> str | None:
    for at, word in enumerate(rest):
        if word == "-m":
            return rest[at + 1] if at + 1 < len(rest) else None
        if not word.startswith("-") or word == "-c":
            return None
    return None


def canonical(words: Sequence[str], env: dict[str, str], elevated: str) -> Act:
    """The act of one simple command without wrappers."""
    program, rest, spelled = _program(words)
    tool, parsed = program[0], Parsed(verb=program[1:])
    if tool == "tar" and rest and rest[0].isalpha() and set(rest[0]) & set("xctru"):
        rest = _old_style(rest)
    if tool == "pipx" and parsed.verb:
        _run_inner(rest, parsed)
    else:
        _parse(tool, rest, parsed)
    one_spelling(tool, parsed)
    parsed.operands = [o[2:] if _HERE.fullmatch(o) else o for o in parsed.operands]
    flags = sorted(set(parsed.flags))
    elevated, _, user = elevated.partition(" ")
    if spelled or elevated:
        flags.insert(0, "@" + " ".join(part for part in (elevated, spelled or tool) if part))
    if user:
        flags.insert(1, f"{AS_USER}{user}")
    flags += [f"{key}={value}" for key, value in sorted(env.items())]
    shown = [f"{key}={shlex.quote(value)}" for key, value in env.items()]
    shown += [elevated] if elevated else []
    shown += [_shown(word) for word in words]
    return make_act(tool, " ".join(parsed.verb), flags, parsed.operands, " ".join(shown))


def _shown(word: str) -> str:
    line = " ".join(word.split())
    plain = line and not any(c in " \"'`|&;()<>\\" for c in line)
    return line if plain or (line.startswith("<") and line.endswith(">")) else shlex.quote(line)


def _old_style(rest: list[str]) -> list[str]:
    """`tar xzf a.tgz`: letters in one word, their values behind it in the same order."""
    letters, values = rest[0], rest[1:]
    out: list[str] = []
    for letter in letters:
        out.append(f"-{letter}")
        if letter in "fCXTIb" and values:
            out.append(values.pop(0))
    return out + values


def _run_inner(rest: Sequence[str], parsed: Parsed) -> None:
    """The program that a runner starts (`uv run pytest`): its words belong to the act of the runner."""
    inner = canonical(rest, {}, "") if rest else None
    if inner is not None:
        parsed.verb += [inner.tool, *inner.verb.split()]
        parsed.flags += inner.flags
        parsed.operands += inner.operands


def _parse(tool: str, rest: list[str], parsed: Parsed) -> None:
    spec = spec_of(tool)
    wanted = spec.subs if not parsed.verb else 0
    if tool == "docker" and parsed.verb == ["compose"]:
        wanted, spec = 1, spec_of("docker compose")
    at = 0
    while at < len(rest):
        word = rest[at]
        at += 1
        if word == "--":
            parsed.operands += rest[at:]
            return
        if word.startswith("-") and len(word) > 1 and not word[1].isdigit():
            at = _flag(word, rest, at, spec, parsed)
            continue
        if wanted > 0 and tool in ("cargo", "rustup") and word.startswith("+"):
            parsed.flags.append(word)  # the toolchain
            continue
        if wanted > 0 and word.strip() and not word.startswith(("$", "<")):
            wanted -= 1
            name = spec.verbs.get(word) or _whole(word, spec) if not parsed.verb else word
            parsed.verb += name.split()
            if parsed.verb[-1] in spec.runs and len(parsed.verb) == 1:
                while at < len(rest) and rest[at].startswith("-"):
                    at = _flag(rest[at], rest, at + 1, spec, parsed)
                _run_inner(rest[at:], parsed)
                return
            if len(parsed.verb) == 1 and parsed.verb[0] in spec.deep:
                wanted += 1
            spec = spec_of(tool, " ".join(parsed.verb))
            if tool == "docker" and parsed.verb[0] == "compose":
                spec = spec_of("docker compose")
            continue
        if tool == "npx" and not parsed.verb:
            _run_inner(rest[at - 1 :], parsed)
            return
        parsed.operands.append(word)
        if tool == "ssh" or (tool in _CONTAINERS and parsed.verb[-1:] in (["exec"], ["run"])):
            # What follows is another program's command with options of its own.
            parsed.operands += rest[at:]
            return


def _whole(word: str, spec: ToolSpec) -> str:
    """A sub-command in full where the word is the beginning of one alone (`npm pub`)."""
    begun = {full for full in spec.abbreviates if full.startswith(word)} if word not in spec.abbreviates else set()
    full = begun.pop() if len(begun) == 1 else word
    return spec.verbs.get(full, full)


def _flag(word: str, rest: Sequence[str], at: int, spec: ToolSpec, parsed: Parsed) -> int:
    """Add one option (with its value) and return the index of the next word."""
    after = _add_flag(word, rest, at, spec, parsed)
    name, _, value = parsed.flags[-1].partition("=")
    setting, found, told = value.partition("=")
    if found and f"{name}={setting}" in spec.long:  # `ssh -o Port=2222` is `ssh -p 2222`
        parsed.flags[-1] = f"{spec.long[f'{name}={setting}']}={told}"
    return after


def _add_flag(word: str, rest: Sequence[str], at: int, spec: ToolSpec, parsed: Parsed) -> int:
    if word.startswith("--") or not spec.cluster:
        name, found, value = word.partition("=")
        name = spec.long.get(name, name)
        if not found and spec.takes(name) and at < len(rest) and (name in spec.values or not rest[at].startswith("-")):
            value, found, at = rest[at], "=", at + 1
        if not word.startswith("--") and not found and name not in spec.long.values():
            for short in spec.values:
                # A value glued to its option: `-Idir`, `-ofile`.
                if len(short) == 2 and word.startswith(short) and len(word) > 2 and word[1] in "IL":
                    name, found, value = short, "=", word[2:]
        parsed.flags.append(f"{name}={value}" if found else name)
        return at
    letters = word[1:]
    for index, letter in enumerate(letters):
        short = f"-{letter}"
        name = spec.long.get(short, short)
        if short in spec.values or name in spec.values:
            value = letters[index + 1 :].removeprefix("=")
            if not value and at < len(rest):
                value, at = rest[at], at + 1
            parsed.flags.append(f"{name}={value}")
            return at
        if short == "-j" and index == len(letters) - 1 and at < len(rest) and rest[at].isdigit():
            # Number of jobs; without it `-j` takes no value.
            parsed.flags.append(f"{name}={rest[at]}")
            return at + 1
        if not letter.isalnum():
            parsed.flags.append(word)
            return at
        if letters[index + 1 :].isdigit():
            parsed.flags.append(f"{name}={letters[index + 1 :]}")
            return at
        parsed.flags.append(name)
    return at
