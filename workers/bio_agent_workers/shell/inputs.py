"""What a command does with the text that it is fed: statements for a database client, a script for a shell, words for `xargs`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from bio_agent_workers.shell.nested import SHELLS

#: Database clients, with the option under which each takes statements on its command line; of the last, behind its file.
_CLIENTS: dict[str, tuple[str, ...]] = {
    "psql": ("-c",), "mysql": ("-e",), "mariadb": ("-e",), "clickhouse-client": ("--query",), "sqlite3": (),
}  # fmt: skip
#: Beginnings of the options with which a client is given statements otherwise.
_GIVEN = ("-c", "-e", "-f", "--c", "--e", "--f", "--q")
#: Programs that run a command elsewhere and hand on what they are fed.
_REMOTE = frozenset({"ssh", "docker", "podman", "nerdctl", "kubectl", "oc"})
_SIMPLE = re.compile(r"[\w ./=:@-]+")
#: Words that `xargs` hands on, of those that are read.
_MAX_HANDED = 32


def with_file(words: Sequence[str], stdin: str, files: Mapping[str, str]) -> tuple[list[str], str]:
    """The words of a client and the text it is fed, a file of statements (`psql -f x.sql`) among `files` taken for that."""
    at = next((at for at, word in enumerate(words[:-1]) if word in ("-f", "--file") and words[0] in _CLIENTS), -1)
    known = files.get(words[at + 1].removeprefix("./"), "") if at >= 0 else ""
    return ([*words[:at], *words[at + 2 :]], known) if known else (list(words), stdin)


def with_input(words: Sequence[str], stdin: str) -> list[str]:
    """The words of a command with what it is fed written out as an option, [] where that is nothing it runs."""
    if not stdin:
        return []
    names = [word.rsplit("/", 1)[-1] for word in words]
    remote = names[0] in _REMOTE
    at = next((at for at, name in enumerate(names) if name in _CLIENTS and (at == 0 or remote)), -1)
    if at >= 0:
        behind = words[at + 1 :]
        told = any(word.startswith(_GIVEN) for word in behind) or (names[at] == "sqlite3" and len(behind) > 1)
        return [] if told else [*words, *_CLIENTS[names[at]], stdin]
    if not remote:
        return []
    if names[-1] in SHELLS:
        return [*words, "-c", stdin]
    if names[0] == "ssh" and " " in words[-1] and _SIMPLE.fullmatch(words[-1]):
        inner = words[-1].split()
        fed = [*inner, "-c", stdin] if inner[0] in SHELLS else with_input(inner, stdin)
        return [*words[:-1], shlex.join(fed)] if fed else []
    return [*words, stdin] if names[0] == "ssh" and _is_host_alone(words) else []


def _is_host_alone(words: Sequence[str]) -> bool:
    """Whether `ssh` is given a host and no command, for all that its short options may take values."""
    before = words[-2] if len(words) > 1 else ""
    return len(words) == 2 or (len(words) > 2 and not words[-1].startswith("-") and not before.startswith("-") and any(
        word.startswith("-") for word in words[1:-1]
    )) or (len(words) == 3 and before in ("-T", "-t", "-tt", "-q", "-A", "-n"))  # fmt: skip


def handed(wrapper: Sequence[str], command: list[str], stdin: str) -> list[str]:
    """The command that `xargs` makes of the words it is fed."""
    given = stdin.split()[:_MAX_HANDED]
    marks = [(w[2:] or after) for w, after in zip(wrapper, [*wrapper[1:], ""], strict=True) if w.startswith("-I")]
    mark = marks[0] if marks else ""
    if not mark:
        return [*command, *given]
    out: list[str] = []
    for word in command:
        put = [word.replace(mark, one) for one in given] if mark in word else [word]
        out += ["\n".join(put)] if " " in word else put  # a script is run once for each
    return out
