"""What Python code does, as command lines: `shutil.rmtree("/x")` → `rm -r /x`. Read from the syntax tree of the code.

Only calls of the standard library's functions (and of HTTP clients) are read, and of their arguments only what the code
says literally or by a name that it gave a literal. Nothing is run; what code computes is not read.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

#: Lines that are kept of one code, from its beginning and from its end, and values that a name of a loop is given.
_MAX_LINES, _MAX_TURNS = 32, 8
#: Nodes of the tree after which a loop is gone through once, and codes inside code that are read.
_MAX_NODES, _MAX_CODES = 2_000, 8
#: Characters of a text and items of a list that the code puts together; what grows larger is not known.
_MAX_TEXT, _MAX_ITEMS = 10_000, 1_000
#: Prefixes of code that are tried where all of it is no Python: a word that was cut, or a cell with a mistake at its end.
_MAX_TRIES = 4
_Value = str | list[str] | None
#: Functions that run a command, given as one line or as a list of words.
_RUNS = frozenset(
    f"{module}.{name}"
    for module, names in {
        "os": "system popen",
        "subprocess": "run call check_call check_output Popen getoutput getstatusoutput",
        "pty": "spawn",
        "asyncio": "create_subprocess_shell create_subprocess_exec",
        "asyncio.subprocess": "create_subprocess_shell create_subprocess_exec",
        "commands": "getoutput",
    }.items()
    for name in names.split()
)
#: Methods that run a command line whatever they are called on: of a remote login, of a notebook.
_RUN_BY = frozenset({"exec_command", "getoutput", "check_output", "check_call", "create_subprocess_shell"})
#: Functions that replace the process: how many arguments stand before the words.
_EXECS = {
    "execv": 1,
    "execvp": 1,
    "execve": 1,
    "execvpe": 1,
    "execl": 1,
    "execlp": 1,
    "spawnv": 2,
    "spawnvp": 2,
    "spawnlp": 2,
}
#: Functions that do what a command does to the paths in their arguments.
_LIKE = {
    "os.remove": "rm", "os.unlink": "rm", "os.rmdir": "rmdir", "os.removedirs": "rmdir -p", "os.rename": "mv",
    "os.renames": "mv", "os.replace": "mv", "os.truncate": "truncate", "os.chmod": "chmod", "os.chown": "chown",
    "os.mkdir": "mkdir", "os.makedirs": "mkdir -p", "os.symlink": "ln -s", "os.link": "ln", "os.chdir": "cd",
    "os.kill": "kill", "shutil.rmtree": "rm -r", "shutil.move": "mv", "shutil.copy": "cp", "shutil.copy2": "cp",
    "shutil.copyfile": "cp", "shutil.copytree": "cp -r", "shutil.chown": "chown",
}  # fmt: skip
#: The same for what is done on a path object.
_ON_PATH = {
    "unlink": "rm", "rmdir": "rmdir", "rename": "mv", "replace": "mv", "chmod": "chmod", "write_text": "tee",
    "write_bytes": "tee", "touch": "touch", "mkdir": "mkdir", "read_text": "cat", "read_bytes": "cat",
    "symlink_to": "ln -s", "rmtree": "rm -r",
}  # fmt: skip
_FIRST_IS_ENOUGH = frozenset({"chmod", "truncate", "tee", "chown", "cat", "touch", "mkdir", "kill"})
_PATHS = frozenset({"pathlib.Path", "pathlib.PosixPath", "Path"})
#: Methods that are given a statement for a database, and those that change something there.
TAKES_SQL = frozenset({"execute", "executemany", "executescript", "query", "raw", "exec_driver_sql"})
SQL = re.compile(r"\s*(?:drop|delete|truncate|alter|update|insert|create|grant|revoke|replace|merge)\s", re.I)
_OPENS = frozenset({"open", "io.open", "codecs.open"})
_CLIENTS = frozenset({"requests", "httpx"})
_METHODS = frozenset({"post", "put", "patch", "delete"})


@dataclass(slots=True)
class _Reader:
    """What the code has said so far: texts by name, modules and functions by name, names of path objects, and calls of
    whose result it makes no use; codes: code inside it that was read."""

    names: dict[str, _Value] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)
    paths: set[str] = field(default_factory=set)
    unused: set[ast.AST] = field(default_factory=set)
    codes: set[str] = field(default_factory=set)

    def called(self, node: ast.expr) -> str:
        """The dotted name of what is called, imports under another name undone; "" for what has none."""
        if isinstance(node, ast.Name):
            return self.modules.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            base = self.called(node.value)
            return f"{base}.{node.attr}" if base else ""
        if isinstance(node, ast.Call) and self.called(node.func) in ("__import__", "importlib.import_module"):
            said = self.value(node.args[0]) if node.args else None
            return said if isinstance(said, str) else ""
        return ""

    def value(self, node: ast.expr) -> _Value:
        """What an expression is worth where the code says it: a text, or a list of texts; None for what is too large."""
        said = self._said(node)
        if isinstance(said, list):
            return said if len(said) <= _MAX_ITEMS and sum(map(len, said)) <= _MAX_TEXT else None
        return said if said is None or len(said) <= _MAX_TEXT else None

    def _said(self, node: ast.expr) -> _Value:
        if isinstance(node, ast.Constant):
            said = node.value.decode("utf-8", "replace") if isinstance(node.value, bytes) else node.value
            return said if isinstance(said, str) else str(said) if isinstance(said, int) else None
        if isinstance(node, ast.Name):
            return self.names.get(node.id)
        if isinstance(node, (ast.List, ast.Tuple)):
            items = [self.value(item.value if isinstance(item, ast.Starred) else item) for item in node.elts]
            return [word for item in items for word in (item if isinstance(item, list) else [item or "$"])]
        if isinstance(node, ast.JoinedStr):
            parts = [self.value(p.value if isinstance(p, ast.FormattedValue) else p) for p in node.values]
            return "".join(part if isinstance(part, str) else "$" for part in parts)
        if isinstance(node, ast.BinOp):
            left, right = self.value(node.left), self.value(node.right)
            if isinstance(node.op, ast.Div) and isinstance(left, str) and isinstance(right, str):
                return f"{left}/{right}"
            if isinstance(node.op, ast.Add) and isinstance(left, str) and isinstance(right, str):
                return left + right
            if isinstance(node.op, ast.Add) and isinstance(left, list) and isinstance(right, list):
                return [*left, *right]
        if isinstance(node, ast.Call):
            return self._of_call(node)
        return None

    def _of_call(self, node: ast.Call) -> _Value:
        name = self.called(node.func)
        given = [self.value(arg) for arg in node.args]
        texts = [one for one in given if isinstance(one, str)]
        first = given[0] if given else None
        if name in _PATHS or name == "os.path.join":
            return "/".join(texts) if texts and len(texts) == len(given) else None
        if name in ("os.path.expanduser", "os.path.abspath", "os.fspath", "str", "shlex.quote", "list"):
            return first
        if name == "shlex.split" and isinstance(first, str):
            return first.split()
        if isinstance(node.func, ast.Attribute):
            base = self.value(node.func.value)
            if node.func.attr == "split" and isinstance(base, str) and not node.args:
                return base.split()
            if node.func.attr == "join" and isinstance(base, str) and isinstance(first, list):
                return base.join(first)
            if node.func.attr in ("expanduser", "resolve", "strip", "absolute"):
                return base
        return None

    def is_path(self, node: ast.expr) -> bool:
        """Whether an expression is a path object by the way it is made."""
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, ast.Div) and self.is_path(node.left)
        if isinstance(node, ast.Name):
            return node.id in self.paths
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and self.is_path(node.func.value):
            return True
        return isinstance(node, ast.Call) and self.called(node.func) in _PATHS

    def learn(self, node: ast.AST) -> None:
        """Note what an import or an assignment gives a name, and what is called for nothing."""
        if isinstance(node, ast.Expr):
            self.unused.add(node.value)
        if isinstance(node, ast.Import):
            for alias in node.names:
                known = alias.name if alias.asname else alias.name.split(".")[0]
                self.modules[alias.asname or known] = known
        elif isinstance(node, ast.ImportFrom):
            every = [name for name in (*_LIKE, *_RUNS) if name.rpartition(".")[0] == node.module]
            for name in every if node.names[0].name == "*" else ():
                self.modules[name.rpartition(".")[2]] = name
            for alias in node.names:
                self.modules[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"
        elif isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    self._name(target.id, node.value)
                elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    for one, value in zip(target.elts, node.value.elts, strict=False):
                        if isinstance(one, ast.Name):
                            self._name(one.id, value)

    def _name(self, name: str, node: ast.expr) -> None:
        self.names[name] = self.value(node)
        (self.paths.add if self.is_path(node) else self.paths.discard)(name)
        aliased = self.called(node)
        if aliased and self.names[name] is None:
            self.modules[name] = aliased

    def lines(self, node: ast.Call) -> Iterator[str]:
        """The command lines that one call comes down to."""
        name = self.called(node.func)
        last = node.func.attr if isinstance(node.func, ast.Attribute) else name.rsplit(".", 1)[-1]
        given = [self.value(arg) for arg in node.args]
        named = {key.arg: self.value(key.value) for key in node.keywords if key.arg}
        first = given[0] if given else named.get("args") or named.get("path") or named.get("file") or named.get("cmd")
        texts = [one for one in given if isinstance(one, str)]
        on = self.value(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if name in _RUNS or (last in _RUN_BY and first is not None):
            yield from _run(texts if name.endswith("_exec") else first, named.get("cwd"))
        elif name.startswith("os.") and last in _EXECS:
            words = given[_EXECS[last] :]
            yield from _run(words[0] if words and isinstance(words[0], list) else texts[_EXECS[last] :], None)
        elif name in _LIKE or (
            last in _ON_PATH and isinstance(node.func, ast.Attribute) and self.is_path(node.func.value)
        ):
            like = _LIKE.get(name) or _ON_PATH[last]
            paths = texts if name in _LIKE else [on, *texts] if isinstance(on, str) else []
            if not paths and isinstance(first, str):
                paths = [first]
            if paths:
                yield _like(like, paths, node)
        elif name in _OPENS or (last == "open" and isinstance(on, str)):
            path, mode = (first, (given[1:2] or [None])[0]) if name in _OPENS else (on, first)
            mode = named.get("mode") or mode
            writes = isinstance(mode, str) and not set("wax+").isdisjoint(mode)
            if isinstance(path, str) and (writes or node not in self.unused):
                yield shlex.join(["tee" if writes else "cat", path])
        elif last in _METHODS and name.split(".")[0] in _CLIENTS and isinstance(first, str):
            yield shlex.join(["curl", "-X", last.upper(), first])
        elif last in TAKES_SQL and isinstance(first, str) and SQL.match(first):
            yield shlex.join(["sql", first])
        elif name in ("exec", "eval", "compile") and isinstance(first, str):
            if first not in self.codes and len(self.codes) < _MAX_CODES:
                self.codes.add(first)
                yield from python_lines(first, self.codes)


def _run(told: _Value, folder: _Value) -> Iterator[str]:
    line = shlex.join(told) if isinstance(told, list) else told
    if line:
        yield f"cd {shlex.quote(folder)} && {line}" if isinstance(folder, str) else line


def _like(like: str, paths: Sequence[str], node: ast.Call) -> str:
    command = like.split()
    if command[0] == "chmod":
        modes = [arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, int)]
        return shlex.join(["chmod", *(f"{mode:o}" for mode in modes[:1]), paths[0]])
    return shlex.join([*command, *(paths[:1] if command[0] in _FIRST_IS_ENOUGH else paths)])


def _parsed(code: str) -> ast.Module | None:
    """The tree of the longest beginning that is Python, of a few that are tried."""
    for _ in range(_MAX_TRIES):
        try:
            return ast.parse(code)
        except SyntaxError as fault:
            rest = code.split("\n")[: max(0, (fault.lineno or 1) - 1)]
            if not any(rest):
                return None
            code = "\n".join(rest)
        except (ValueError, RecursionError, MemoryError):
            return None
    return None


def is_python(code: str) -> bool:
    """Whether all of a text is Python that calls or imports something."""
    tree = _parsed(code)
    return tree is not None and any(isinstance(n, (ast.Call, ast.Import, ast.ImportFrom)) for n in ast.walk(tree))


def python_lines(code: str, codes: set[str] | None = None) -> Iterator[str]:
    """Command lines that do what Python code does, in order. Lines of a notebook that begin with `!` are command lines
    themselves. Of many lines the first and the last are given. codes: what was read of the code that this one stands in.
    Never raises; () for what is no Python."""
    plain: list[str] = []
    for line in code.split("\n"):
        shell = line.strip().startswith(("!", "%"))
        if shell and line.strip().startswith("!"):
            yield line.strip()[1:]
        if line.strip() in ("%%bash", "%%sh"):
            yield code.split(line, 1)[1]
            return
        plain.append(line[: len(line) - len(line.lstrip())] + "pass" if shell else line)
    tree = _parsed("\n".join(plain))
    if tree is None:
        return
    lines = _lines_in(tree, _Reader(codes=codes if codes is not None else set()))
    yield from islice(lines, _MAX_LINES)
    yield from deque(lines, _MAX_LINES)


def _lines_in(tree: ast.Module, reader: _Reader) -> Iterator[str]:
    """The lines of all calls in a tree, depth first in the order of the code."""
    # In place of a node there may be a turn of a loop: its name, the value of that, and its body.
    stack: list[ast.AST | tuple[str, str, list[ast.stmt]]] = [tree]
    count = 0
    while stack:
        node = stack.pop()
        count += 1
        if isinstance(node, tuple):
            reader.names[node[0]] = node[1]
            stack += reversed(node[2]) if count < _MAX_NODES else ()
            continue
        try:
            reader.learn(node)
            lines = list(reader.lines(node)) if isinstance(node, ast.Call) else []
            values = reader.value(node.iter) if isinstance(node, ast.For) else None
        except RecursionError:
            continue
        yield from lines
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            turns = values[:_MAX_TURNS] if isinstance(values, list) else []
            if turns:
                stack += [(node.target.id, value, node.body) for value in reversed(turns[1:])]
                stack += reversed(node.body)
                reader.names[node.target.id] = turns[0]
                continue
            reader.names.pop(node.target.id, None)
        stack.extend(reversed(list(ast.iter_child_nodes(node))))
