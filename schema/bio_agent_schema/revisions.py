"""Which schema a database holds, and whether it is the one of this version. Standard library only: each start asks.

A database records, as the comment on its table `bio.schema_revision`, the digest of the migrations that made it. The
number of the revision alone does not tell: between releases the newest migration may still change under its number.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

VERSIONS = Path(__file__).with_name("migrations") / "versions"
# version_num, and what `mark` gave when it was made (null: before digests were recorded). No row: an empty database.
RECORDED = "select version_num, obj_description('bio.schema_revision'::regclass, 'pg_class') from bio.schema_revision"


class SchemaMismatch(RuntimeError):
    """The database holds tables that this version does not fit; the message says why and what to do."""


def newest(versions: Path = VERSIONS) -> str:
    """The newest revision that is installed: the files of a migration begin with its number."""
    return max(file.name.split("_", 1)[0] for file in versions.glob("[0-9]*_*.py"))


def mark(revision: str, versions: Path = VERSIONS) -> str:
    """What a database at `revision` carries: `sha256:` and the digest of all migrations up to it, in order."""
    total = hashlib.sha256()
    for file in sorted(versions.glob("[0-9]*_*")):
        if file.suffix in (".py", ".sql") and file.name.split("_", 1)[0] <= revision:
            content = file.read_bytes().replace(b"\r\n", b"\n")
            total.update(f"{file.name}\n{len(content)}\n".encode() + content)
    return f"sha256:{total.hexdigest()}"


def fault(revision: str, recorded: str | None, versions: Path = VERSIONS) -> str:
    """Why the migrations here cannot continue a database at `revision` that carries `recorded`; "" when they can."""
    last = newest(versions)
    if revision > last:
        return (
            f"it is at schema revision {revision}, and this version knows revisions up to {last}: a newer version made it. "
            "Nothing was changed. Install that version, or use another home: --home DIRECTORY"
        )
    here = mark(revision, versions)
    if recorded == here:
        return ""
    was = (recorded or "none recorded").removeprefix("sha256:")[:12]
    return (
        f"it was made by another state of schema revision {revision} (migrations {was}; here {here[7:19]}), and its "
        "tables do not fit this version. Nothing was changed. Go back to the version that made it and save it there with "
        "`bio-agent backup FILE` (only that version can restore it), or begin with an empty home: --home DIRECTORY"
    )
