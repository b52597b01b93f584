"""Which workspace a folder belongs to: the name of its repository, shared by subfolders and linked worktrees.

Standard library only, no subprocess: hooks ask this on every call.
"""

from __future__ import annotations

import os

MAX_LEVELS = 64  # folders looked at on the way up; deeper trees are no repositories anybody works in
MAX_POINTER_BYTES = 4096  # of a `.git` file


def workspace_of(folder: str) -> str:
    """The name of the repository's top-level folder; outside a repository the name of `folder`; "default" for "/".

    A linked worktree belongs to its main repository, so that what one branch taught speaks in the others.
    """
    folder = os.path.abspath(folder or ".")
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
    path = os.path.normpath(os.path.join(top, target.removeprefix("gitdir:").strip()))
    head, sep, _ = path.partition(os.sep + os.path.join(".git", "worktrees") + os.sep)
    return head if sep else top  # a submodule is a repository of its own
