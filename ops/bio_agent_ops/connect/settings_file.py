"""A JSON settings file that belongs to somebody else: read, changed in one place, written whole or not at all.

What stood there before is kept beside it, so that undoing gives back the very bytes where nobody changed it since.
"""

from __future__ import annotations

import copy
import difflib
import json
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bio_agent_ops.local import CommandError

BACKUP_SUFFIX = ".before-bio-agent"
MAX_BYTES = 4 * 1024 * 1024  # of a settings file; a larger one is something else

Settings = dict[str, Any]
Edit = Callable[[Settings], Settings]


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be done to `path`. before, after: the whole text; None where there is no file. first: `before` holds
    nothing of ours yet, so it is what an undo goes back to. last: nothing of ours is left afterwards."""

    path: Path
    before: str | None
    after: str | None
    first: bool = False
    last: bool = False

    @property
    def nothing(self) -> bool:
        return self.before == self.after

    def diff(self) -> str:
        """The change as a unified diff."""
        old, new = (self.before or "").splitlines(True), (self.after or "").splitlines(True)
        names = (
            "/dev/null" if self.before is None else str(self.path),
            "/dev/null" if self.after is None else str(self.path),
        )
        lines = [line if line.endswith("\n") else line + "\n" for line in difflib.unified_diff(old, new, *names)]
        return "".join(lines)

    def apply(self) -> None:
        """Makes it so, atomically. Raises CommandError when the file is not what it was when it was looked at."""
        real = _real(self.path)
        if read(real) != self.before:
            raise CommandError(f"{self.path} was changed meanwhile; run this again")
        if self.before is not None and not real.stat().st_mode & 0o200:
            raise CommandError(f"{self.path} is read-only; make it writable first (chmod u+w), nothing was changed")
        try:
            backup = real.with_name(real.name + BACKUP_SUFFIX)
            if self.first and self.before is not None:
                _write(backup, self.before, real)
            if self.after is None:
                real.unlink()
            else:
                real.parent.mkdir(parents=True, exist_ok=True)
                _write(real, self.after, real)
            if self.last or (self.first and self.before is None):
                backup.unlink(missing_ok=True)
        except OSError as error:
            raise CommandError(f"cannot write {self.path}: {error.strerror or error}") from error


def connecting(path: Path, edit: Edit, without: Edit) -> Change:
    """The change that `edit` makes. `edit` gets a copy, and keeps whatever it does not know; `without` takes our own
    entries out of a copy."""
    before = read(_real(path))
    found = _parsed(path, before)
    after = edit(copy.deepcopy(found))
    first = without(copy.deepcopy(found)) == found
    return Change(path, before, before if after == found else _text(after, before), first=first)


def disconnecting(path: Path, without: Edit) -> Change:
    """The change that takes our entries out: back to the bytes of before where all else is as it was then."""
    real = _real(path)
    before = read(real)
    if before is None:
        return Change(path, None, None)
    found = _parsed(path, before)
    after = without(copy.deepcopy(found))
    if after == found:
        return Change(path, before, before)
    kept = read(real.with_name(real.name + BACKUP_SUFFIX))
    if kept is not None and without(_parsed(path, kept)) == after:
        return Change(path, before, kept, last=True)
    return Change(path, before, _text(after, before) if after or kept is not None else None, last=True)


def load(path: Path) -> Settings:
    """The settings, {} where there is no file. Raises CommandError when they cannot be read."""
    return _parsed(path, read(_real(path)))


def _real(path: Path) -> Path:
    """Behind a symbolic link lies the file that is meant: people keep their settings in a repository of their own."""
    return Path(os.path.realpath(path))


def read(path: Path) -> str | None:
    """The whole text of a settings file, None where there is none. Raises CommandError when it cannot be one."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise CommandError(f"{path} is larger than {MAX_BYTES} bytes; is it a settings file?")
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise CommandError(f"{path} is not UTF-8; nothing was changed") from error
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror or error}") from error


def _parsed(path: Path, text: str | None) -> Settings:
    if text is None or not text.strip():
        return {}
    try:
        found = json.loads(text.removeprefix("\ufeff"))
    except ValueError as error:
        raise CommandError(f"{path} is not JSON ({error}); put it right first, nothing was changed") from error
    if not isinstance(found, dict):
        raise CommandError(f"{path} holds no JSON object; put it right first, nothing was changed")
    return found


def _text(settings: Settings, before: str | None) -> str:
    """`settings` as text in the style of `before`: its indentation and line ends."""
    indent: int | str = 2
    for line in (before or "").splitlines()[1:]:
        stripped = line.lstrip(" \t")
        if stripped and stripped != line:
            indent = "\t" if line[0] == "\t" else len(line) - len(stripped)
            break
    text = json.dumps(settings, indent=indent, ensure_ascii=False) + "\n"
    return text.replace("\n", "\r\n") if before and "\r\n" in before else text


def _write(path: Path, text: str, like: Path) -> None:
    """Writes the whole file beside its place and moves it there; with the mode of `like`, else for its owner alone."""
    try:
        mode = like.stat().st_mode & 0o777
    except FileNotFoundError:
        mode = 0o600
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(draft, mode)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
