"""Two words of which one stands for the other in the command that worked: a script and its module, one name with another
ending, one address with another part.
"""

from __future__ import annotations

import posixpath
import re

from bio_agent_workers.brain.guarding.act_forms import TRUNKS, word_set

_WORD = re.compile(r"(?:[^\s'\"]|'[^']*'|\"[^\"]*\")+")
FILE = re.compile(r"[^\s=]*[^\s=/.][^\s=/]*\.[A-Za-z][A-Za-z0-9]{0,7}")
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*://)([^/?#:]*)(?::(\d{2,5}))?((?:/[^?#]*)?)(.*)", re.DOTALL)
#: Programs that ask an address for something, and install nothing from it.
ASKING = word_set("curl wget http https xh ab wrk hey")
#: A part of an address that says which version is asked: any other part says what is done, or to whom.
_VERSION = re.compile(r"v\d{1,3}(?:[._]\d{1,3})*(?:alpha\d*|beta\d*)?", re.ASCII)


def words_of(text: str) -> list[str]:
    """The words of a command line, quotes kept around what they hold together."""
    return _WORD.findall(text)


def bare(word: str) -> str:
    """A word without quotes, leading `./` or trailing slash."""
    return word.replace("'", "").replace('"', "").removeprefix("./").rstrip("/")


def as_module(old: str, new: str) -> tuple[str, str] | None:
    """The wide forms of a script and of the module that it is: `a/b.py`, `a.b`."""
    script = old.removeprefix("./")
    module = script.removesuffix(".py").replace("/", ".")
    return ("<dir>/<name>.py", "<dir>.<name>") if "/" in script and script != new == module else None


def other_form(old: str, new: str) -> tuple[str, str] | None:
    """The wide forms of two operands that are one name, None where they are not: `x.db` and `data/x.db`, `.id` and
    `.[].id`, `Main` and `Main.java`."""
    if is_file_of(new, old):
        return "<name>", f"<name>{new[len(old) :]}"
    return _other_tag(old, new) or _other_tail(old, new)


def is_file_of(file: str, name: str) -> bool:
    """Whether a word is a name with the ending of its file: `Main.java` of `Main`."""
    return file.startswith(f"{name}.") and file.count(".") == name.count(".") + 1 and FILE.fullmatch(file) is not None


def other_part(old: str, new: str) -> tuple[str, str] | None:
    """The wide forms of two addresses that differ in the version they ask, or in the port; None for any other two."""
    before, after = _ADDRESS.fullmatch(old), _ADDRESS.fullmatch(new)
    if before is None or after is None or before.group(1, 2, 5) != after.group(1, 2, 5):
        return None
    start = before[1] + ("<path>" if before[1] == "file://" else "<host>")
    if before[4] == after[4]:
        rest = "/<path>" if before[4].strip("/") else before[4]
        ports = before[3], after[3]
        return (
            (f"{start}:{ports[0]}{rest}", f"{start}:{ports[1]}{rest}") if all(ports) and ports[0] != ports[1] else None
        )
    parts, others = before[4].split("/"), after[4].split("/")
    differ = [at for at, (a, b) in enumerate(zip(parts, others, strict=False)) if a != b]
    if before[3] != after[3] or len(parts) != len(others) or len(differ) != 1:
        return None
    at = differ[0]
    if not all(map(_VERSION.fullmatch, (parts[at], others[at]))):
        return None
    start += "/<path>" if at > 1 and start.endswith("<host>") else ""
    rest = "/<path>" if any(parts[at + 1 :]) else ""
    return f"{start}/{parts[at]}{rest}", f"{start}/{others[at]}{rest}"


def _other_tail(old: str, new: str) -> tuple[str, str] | None:
    """Names that end alike behind another folder, or another beginning."""
    tail = _common_tail(old, new)
    if not tail or tail in TRUNKS:
        return None
    kind = "<file>" if FILE.fullmatch(tail) else "<name>"
    return old[: -len(tail)] + kind, new if "://" in new else new[: -len(tail)] + kind


def _other_tag(old: str, new: str) -> tuple[str, str] | None:
    """Names that differ in their ending, or in one part with a number in it, a version or a platform, with what stands
    before it left open: `x.db` and `x.sqlite`, `a-1.0-py2-none.whl` and `a-1.0-py3-none.whl`."""
    stem, ending = posixpath.splitext(old)
    if ending and posixpath.splitext(new)[0] == stem and posixpath.splitext(new)[1]:
        return f"<name>{ending}", f"<name>{posixpath.splitext(new)[1]}"
    parts, others = re.split(r"([-_/])", old), re.split(r"([-_/])", new)
    differ = [at for at, (a, b) in enumerate(zip(parts, others, strict=False)) if a != b]
    if len(parts) != len(others) or len(differ) != 1 or differ[0] < 2:
        return None
    at = differ[0]
    if not any(c.isdigit() for c in parts[at]) or not any(c.isdigit() for c in others[at]) or at + 1 == len(parts):
        return None
    rest = "".join(parts[at + 1 :])
    return f"<name>{parts[at - 1]}{parts[at]}{rest}", f"<name>{others[at - 1]}{others[at]}{rest}"


def _common_tail(old: str, new: str) -> str:
    """The longest run of whole names at the end of both."""
    size = 0
    while size < min(len(old), len(new)) and old[-1 - size] == new[-1 - size]:
        size += 1
    tail = old[len(old) - size :]
    while tail and (not (tail[0].isalnum() or tail[0] in "_.") or _inside(old, tail) or _inside(new, tail)):
        tail = tail[1:]
    tail = tail.lstrip(".") if not FILE.fullmatch(tail) else tail
    if FILE.fullmatch(old) and not FILE.fullmatch(tail):
        return ""  # an ending is no name
    return tail if len(tail) > 1 and tail[0].isalnum() and not tail.isdigit() and " " not in tail else ""


def _inside(word: str, tail: str) -> bool:
    """Whether `tail` begins in the middle of a name of `word`."""
    before = word[: len(word) - len(tail)][-1:]
    return bool(before) and (before.isalnum() or before in "_-") and (tail[0].isalnum() or tail[0] == "_")
