"""Canonical acts as values: how one is made, its key, which acts only look, and what an operand is.

Pure: acts come from a parser elsewhere; nothing here reads a shell line.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.commands import RUNNERS, meaning


def word_set(*lines: str) -> frozenset[str]:
    """The blank-separated words of some lines."""
    return frozenset(word for line in lines for word in line.split())


#: Characters of a form that are spelled out; the rest of a longer one enters as a digest.
MAX_FORM = 4000
_TLD = "com|net|org|io|dev|edu|gov|vn|cn|test|local|internal|example|localhost|lan|corp|cloud|app|ai|co|invalid"
_LITERAL = re.compile(
    r"(?P<keep><[a-z_]+>|/dev/(?:null|stdin|stdout|stderr))"
    r"|(?P<url>\b[a-z][a-z0-9+.-]{0,20}://[^\s'\"<>|)]+|\b[\w.-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,6}:[\w./~-]+)"
    r"|(?P<id>\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"
    r"|\b[A-Z]{2,8}-\d{3,}(?:-\d+)*\b|\b(?=[A-Za-z_-]{0,64}\d)[A-Za-z0-9_]{24,}\b|\b\d{9,}\b)"
    r"|(?P<date>\b(?:19|20)\d\d-[01]\d-[0-3]\d(?:[T ][0-2]\d:[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?\b)"
    r"|(?P<hash>\bsha(?:1|256|512)[:-][0-9a-zA-Z+/=]{8,}|\b(?=[0-9a-f]{0,64}\d)(?=[0-9]{0,64}[a-f])[0-9a-f]{7,64}\b)"
    r"|(?P<host>\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\blocalhost(?::\d+)?\b"
    rf"|(?<![\w/.-])(?:[\w-]{1, 64}@)?(?:[a-z0-9-]{1, 64}\.){1, 8}(?:{_TLD})(?::\d+)?(?![\w.-]))"
    r"|(?P<path>(?<![\w.>/~-])(?:~[\w-]*|\$\{?(?:HOME|PWD|TMPDIR|OLDPWD)\}?)?/(?:[\w.@+%*?{},$-]+/?)*"
    r"|(?<![\w./-])~(?=\s|$)|\b[A-Za-z]:\\[^\s'\"]+)"
    r"|(?P<n>(?<![\w.,-])(?<![=<>~!]=)\d+(?![\w.-]))",
    re.ASCII,
)
_MAY_HAVE_LITERAL = re.compile(r"[\d/~\\$:@.]")


def placeholders(text: str, project_root: str = "") -> str:
    """Replace literals that belong to one place or one moment: paths, hosts, URLs, hashes, dates, ids, bare numbers.

    project_root: absolute path that becomes `<project_root>` where it occurs. Versions (1.2) and relative paths stay.
    """
    if not _MAY_HAVE_LITERAL.search(text):
        return text
    root = project_root.rstrip("/")
    if root and root in text:
        text = re.sub(re.escape(root) + r"(?![\w.-])(?:/[\w.@+%*?-]+)*/?", "<project_root>", text)
    return _LITERAL.sub(lambda m: m.group() if m.lastgroup == "keep" else f"<{m.lastgroup}>", text)


def make_act(tool: str, verb: str, flags: Iterable[str], operands: Iterable[str], text: str) -> Act:
    """Build an act and its form.

    Besides options, `flags` holds assignments in front of the command ("NODE_OPTIONS=…") and, first and beginning with
    "@", the spelling of the program where it was not the plain name ("@python3 -m pytest", "@sudo pip"). The form
    leaves the spelling out.
    """
    flags, operands = tuple(flags), tuple(operands)
    plain = " ".join(part for part in (tool, verb, *(f for f in flags if f[:1] != "@"), *operands) if part)
    plain = " ".join(plain.split())
    if len(plain) > MAX_FORM:
        rest = hashlib.blake2s(plain[MAX_FORM:].encode("utf-8", "replace")).hexdigest()
        return Act(tool, verb, flags, operands, " ".join(text.split()), f"{placeholders(plain[:MAX_FORM])}#{rest}")
    return Act(tool, verb, flags, operands, " ".join(text.split()), placeholders(plain))


def act_from(stored: Mapping[str, Any]) -> Act:
    """An act as a belief's row holds it."""
    return Act(
        stored["tool"],
        stored["verb"],
        tuple(stored["flags"]),
        tuple(stored["operands"]),
        stored["text"],
        stored["form"],
    )


def lesson_from(stored: Mapping[str, Any]) -> dict[str, Any]:
    """What acts taught, as a belief's row holds it: {kind, failed, fixed, between, token}."""
    return {
        "kind": stored["kind"], "failed": act_from(stored["failed"]), "fixed": act_from(stored["fixed"]),
        "between": [act_from(b) for b in stored.get("between", [])], "token": stored.get("error_token", ""),
    }  # fmt: skip


def same_act(a: Act, b: Act) -> bool:
    """Whether two acts are one act written twice (paths, ids and numbers apart, any spelling of the program)."""
    return a.form == b.form


def family(act: Act) -> str:
    """Tool and verb."""
    return f"{act.tool} {act.verb}".strip()


def spelling(act: Act) -> str:
    """How the program was written where it was not the plain name, else ""."""
    return act.flags[0][1:] if act.flags and act.flags[0].startswith("@") else ""


def options(act: Act) -> frozenset[str]:
    """Options and assignments, without the spelling of the program."""
    return frozenset(flag for flag in act.flags if not flag.startswith("@"))


def core(act: Act) -> str:
    """Tool and verb of what really runs: `uv run pytest` and `pytest` have one core."""
    verb = RUNNERS.get(act.tool)
    if verb is not None and act.verb.startswith(verb) and len(act.verb) > len(verb):
        inner = act.verb[len(verb) :].strip()
        return inner or family(act)
    return family(act)


SHELL_READS = word_set(
    "ls last lastb who cat head tail less more grep rg ag pwd echo printf which whereis type file stat wc "
    "sort uniq diff cmp tree du df ps "
    "top htop env printenv date whoami id uname hostname history man jq yq xxd od hexdump sleep awk cut tr nl basename "
    "dirname realpath readlink command lsof netstat ss nproc free uptime dig nslookup ping strings md5sum sha256sum"
)
#: What a command that only looks does.
_SHOWS = word_set("read print view")
_READ_WORDS = word_set(
    "get read list search find query view fetch check look describe status observe scan "
    "inspect show lookup peek browse open "
    "glob grep ls recall wait sleep count validate preview test verify screenshot snapshot"
)
_EDIT_TOOLS = word_set(
    "edit write multiedit notebookedit str_replace str_replace_based_edit_tool "
    "str_replace_editor apply_patch create_file "
    "write_file edit_file replace insert vim vi nano tee patch ed emacs code update_file"
)

#: Options with which a program that looks writes a file.
_WRITES_WITH = {"sort": ("-o", "--output"), "yq": ("-i", "--inplace"), "uniq": ("--output",)}


@lru_cache(maxsize=4096)
def is_dry(act: Act) -> bool:
    """Whether the act only shows what it would do."""
    if meaning(act).dry:
        return True
    keys = dict(operand.split("=", 1) for operand in act.operands if "=" in operand)
    dry = ("dry_run", "validate_only", "preview", "simulate", "test_run", "check_only", "dryrun", "simulation")
    return any(keys.get(key, "").lower() in ("true", "1", "yes") for key in dry)


def is_edit(act: Act) -> bool:
    """Whether the act writes a file's text by hand: what it did holds for that file alone and teaches no command."""
    if act.tool.lower().rsplit("__", 1)[-1] in _EDIT_TOOLS:
        return True
    return act.tool in ("sed", "perl") and any(flag.startswith(("-i", "--in-place")) for flag in act.flags)


@lru_cache(maxsize=4096)
def is_read(act: Act) -> bool:
    """Whether the act only looks: nothing it does can make a later command succeed. Tests count as looking."""
    if act.tool in _WRITES_WITH and any(flag.startswith(_WRITES_WITH[act.tool]) for flag in act.flags):
        return False
    known = meaning(act)
    if is_dry(act) or act.tool in SHELL_READS or known.looks or (known.does and known.does <= _SHOWS):
        return True
    if known.does == {"test"} and act.tool not in TASK_RUNNERS:
        return True
    if act.tool == "find":
        return not any(flag in ("-delete", "-exec", "-execdir") for flag in act.flags)
    if act.tool in ("curl", "wget"):
        sends = ("--request", "--data", "--form", "--upload-file", "--json", "--output", "--remote-name")
        return act.tool == "curl" and not any(flag.startswith(sends) for flag in act.flags)
    if act.tool in ("psql", "mysql", "sqlite3"):
        said = [f.split("=", 1)[1] for f in act.flags if "=" in f and f.startswith(("--command", "--execute"))]
        said += act.operands[1:] if act.tool == "sqlite3" else ()
        looks = ("select", "show", "explain", "\\d", ".")
        return bool(said) and all(s.lstrip().lower().startswith(looks) for s in said)
    return looks_only(act) and not (act.flags or known.does)


def looks_only(act: Act) -> bool:
    """Whether the name of a structured call says that it only looks: `get_customer`, `erp.listInvoices`."""
    name = act.verb or act.tool.rsplit("__", 1)[-1].rsplit(".", 1)[-1]
    words = re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())
    return bool(words) and words[0] in _READ_WORDS


#: What the operands of a command are, for its rendering: (tool, first word of the verb) → names in order; the last
#: name holds for all further operands.
_OPERANDS: dict[tuple[str, str], tuple[str, ...]] = {
    ("git", "push"): ("remote", "branch"),
    ("git", "pull"): ("remote", "branch"),
    ("git", "fetch"): ("remote", "branch"),
    ("git", "checkout"): ("branch",),
    ("git", "switch"): ("branch",),
    ("git", "merge"): ("branch",),
    ("git", "rebase"): ("branch",),
    ("git", "branch"): ("branch",),
    ("git", "clone"): ("url", "path"),
    ("pip", "install"): ("package",),
    ("uv", "pip"): ("package",),
    ("uv", "add"): ("package",),
    ("poetry", "add"): ("package",),
    ("npm", "install"): ("package",),
    ("pnpm", "install"): ("package",),
    ("yarn", "install"): ("package",),
    ("bun", "install"): ("package",),
    ("apt-get", "install"): ("package",),
    ("dnf", "install"): ("package",),
    ("brew", "install"): ("package",),
    ("apk", "install"): ("package",),
    ("conda", "install"): ("package",),
    ("gem", "install"): ("package",),
    ("cargo", "add"): ("package",),
    ("cargo", "install"): ("package",),
    ("go", "get"): ("package",),
    ("go", "install"): ("package",),
    ("pipx", "install"): ("package",),
    ("snap", "install"): ("package",),
    ("composer", "require"): ("package",),
    ("docker", "stop"): ("container",),
    ("docker", "start"): ("container",),
    ("docker", "restart"): ("container",),
    ("docker", "rm"): ("container",),
    ("docker", "kill"): ("container",),
    ("docker", "exec"): ("container", "command"),
    ("docker", "pull"): ("image",),
    ("docker", "rmi"): ("image",),
    ("docker", "run"): ("image", "command"),
    ("podman", "stop"): ("container",),
    ("podman", "rm"): ("container",),
    ("podman", "kill"): ("container",),
    ("kubectl", "delete"): ("", "name"),
    ("kubectl", "rollout"): ("", "name"),
    ("kubectl", "exec"): ("name", "command"),
    ("kill", ""): ("pid",),
    ("pkill", ""): ("process",),
    ("killall", ""): ("process",),
    ("ssh", ""): ("host", "command"),
    ("tar", ""): ("path",),
    ("npx", ""): ("package",),
}
#: Operands that name one thing of one moment: never part of a rule.
#: Programs whose first operand says what runs: the script is to them what a verb is to `git`.
INTERPRETERS = frozenset({"python", "node", "bash", "sh", "zsh", "perl", "ruby", "php", "deno", "bun", "Rscript"})
_PLAIN_WORD = re.compile(r"[a-z][a-z0-9_:-]*")


def names_the_act(act: Act, index: int) -> bool:
    """Whether operand number `index` says what is done rather than to what: a script, and the word after it that tells
    the script what to do (`manage.py migrate`)."""
    if act.tool not in INTERPRETERS or act.verb or not act.operands:
        return False
    return index == 0 or (index == 1 and _PLAIN_WORD.fullmatch(act.operands[1]) is not None)


INSTANCE_KINDS = frozenset({"container", "pid", "process", "name"})
_FILE_SUFFIX = re.compile(r"^[^\s=]*\.[A-Za-z][A-Za-z0-9]{0,7}$|^[^\s=]*\.tar\.\w+$")


def operand_kind(act: Act, index: int) -> str:
    """What operand number `index` of an act is: "package", "branch", "file", "path", … or "" when unknown."""
    names = _OPERANDS.get((act.tool, act.verb.split(" ", 1)[0]))
    value = act.operands[index]
    if names:
        name = names[min(index, len(names) - 1)]
        if name:
            return name
    if value in (".", "..") or "=" in value or "://" in value:
        return ""
    if "/" in value:
        return "file" if _FILE_SUFFIX.match(value.rsplit("/", 1)[-1]) else "path"
    return "file" if _FILE_SUFFIX.match(value) else ""


#: Options about the look of the output: no part of what failed.
COSMETIC = word_set("--quiet -q --verbose -v --silent -s --no-color --color --progress -vv -vvv --no-progress")
#: Programs whose plain words are tasks: `make publish` is no other spelling of `make clean`.
TASK_RUNNERS = word_set("make ninja just rake gradle gradlew mvn task invoke nox tox")
TRUNKS = frozenset({"main", "master", "trunk", "develop", "dev", "release", "production", "staging", "HEAD"})
#: What a form names in every project alike: it tells nothing of this one, and its absence would read oddly.
EVERYBODYS = frozenset((".", "..", "origin", "upstream"))
