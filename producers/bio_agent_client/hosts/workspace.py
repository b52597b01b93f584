"""Which workspace a folder belongs to: the name of its repository, shared by subfolders and linked worktrees.

Standard library only, no subprocess: hooks ask this on every call.
"""

from __future__ import annotations

import os

MAX_LEVELS = 64  # folders looked at on the way up; deeper trees are no repositories anybody works in
MAX_POINTER_BYTES = 4096  # of a `.git` file


def workspace_of(folder: str) -> str:
    """The name of the repository's top-level folder; outside a repository the name of `folder`; "default" for "/".

    A linked worktree belongs to its main repository, so that what one branch taught speaks in the others. Symbolic links
    are followed: a shell says the path it was told, and a program asks for the real one; both are the same place.
    """
    folder = _real(folder or ".")
    at = folder
    for _ in range(MAX_LEVELS):
        git = os.path.join(at, ".git")
        if os.path.exists(git):
            return os.path.basename(_main_repository(git, at)) or "default"
        parent = os.path.dirname(at)
        if parent == at:
            break
        at = parent
    return os.path.basename(folder) or "default"


def _main_repository(git: str, top: str) -> str:
    """The top-level folder of the repository that a `.git` entry belongs to."""
    if os.path.isdir(git):
        return top
    try:
        with open(git, encoding="utf-8", errors="replace") as pointer:
            target = pointer.read(MAX_POINTER_BYTES).strip()
    except OSError:
        return top
    if not target.startswith("gitdir:"):
        return top
    path = _real(os.path.join(top, target.removeprefix("gitdir:").strip()))
    common, kind = os.path.split(os.path.dirname(path))
    if kind != "worktrees":
        return top  # a submodule is a repository of its own
    folder, name = os.path.split(common)
    if name.startswith("."):  # `.git`, or the hidden bare repository that its worktrees stand around
        return folder
    return common.removesuffix(".git")  # a bare repository


def _real(path: str) -> str:
    """The absolute path without symbolic links; a path that cannot be one (a null byte) as it stands."""
    try:
        return os.path.realpath(path)
    except ValueError:
        return os.path.normpath(path)
