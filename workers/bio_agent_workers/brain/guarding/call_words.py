"""The words of a value in a call: its parts, the environment and the hosts that it names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from bio_agent_workers.brain.guarding.act_forms import word_set

#: Words that name a kind of environment, and those that turn such a name into another one ("prod-test", "non-prod").
_LIVE = word_set("prod production live prd")
_STAGING = word_set("staging stage stg preprod uat")
_NOT_LIVE = word_set("non not no pre test tests testing dev staging stage stg sandbox sim demo like copy backup")
_HOST = re.compile(r"^(?:[a-z][a-z0-9+.-]*://)?(?:[^@\s/]*@)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d+)?(?:[/?#].*)?$")
#: What ends a file's name rather than a host's.
_FILE_ENDINGS = word_set(
    ".txt .md .csv .tsv .json .yaml .yml .toml .ini .cfg .conf .env .xml .html .pdf .doc .docx .xls .xlsx .ppt .pptx .png .jpg",
    ".jpeg .gif .svg .mp4 .zip .gz .tgz .tar .xz .bz2 .7z .sql .db .dump .log .bak .tmp .py .js .ts .tsx .sh .rb .go .java .lock",
)
_MAIL = re.compile(r"[^@\s<>,;]+@([a-z0-9-]+(?:\.[a-z0-9-]+)+)")
#: Which of several hosts of one kind.
_NUMBERED = re.compile(r"[-_]?\d{1,3}(?:\..*)?$")


#: The number that tells one of a kind: `pump-3`.
_LAST_NUMBER = re.compile(r"([a-z]{3,})-(\d{1,4})")


def words_in(text: str, *, labels: bool) -> Iterable[str]:
    """Words of a value: its parts between `/ = : , .` and blanks; a label (`soup_jar`, `hotPan`) also at `_`."""
    lowered = text.lower()
    yield lowered
    parts = re.split(r"[/=:,\s\"'()@;#]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", text).lower() if labels else lowered)
    if labels:
        yield from re.split(r"[/=:,\s\"'()@;#]+", lowered)  # `GmbH` is one word
    for part in parts:
        yield part
        yield from part.split(".")
        if labels:
            yield from re.split(r"[_\s]+", part)
            yield from re.split(r"[_\s.]+", part)
            told = _LAST_NUMBER.fullmatch(part)
            yield from told.groups() if told is not None else ()
            yield part.replace("_", " ")
            yield from (one.replace("_", " ") for one in part.split("."))


def environments(text: str) -> set[str]:
    """ "prod" for a name such as `prod-eu` or `eks_prod`, unless it says that it is none ("non-prod", "prod-test")."""
    out: set[str] = set()
    for token in re.split(r"[/:,=\s]+", text.lower()):
        parts = re.split(r"[-_.]+", token)
        if len(parts) > 1 and not _NOT_LIVE.intersection(parts):
            out.update(_LIVE.intersection(parts))
        if len(parts) > 1 and _STAGING.intersection(parts):
            out.add("staging")
    return out


def hosts_in(lowered: str) -> list[str]:
    """The hosts of the addresses in a value, lower case: of mail, and its own where it is one."""
    hosts = _MAIL.findall(lowered)
    host = _HOST.match(lowered)
    if (
        host is not None
        and ("://" in lowered or posixpath.splitext(host.group(1))[1] not in _FILE_ENDINGS)
        and "@" not in lowered.partition("://")[2] + lowered
    ):
        hosts.append(host.group(1))
    return hosts


def kind_of_host(name: str) -> str:
    """A host's name without which of several it is: `web1` is a web server."""
    return _NUMBERED.sub("", name.lower().rpartition("@")[2])


_RANGE = re.compile(r"(\d{1,5})\s*[-:]\s*(\d{1,5})")
#: Numbers of a range that are spelled out.
_MOST_OF_RANGE = 1_024
_ANY_ADDRESS = re.compile(r"0\.0\.0\.0(?!\d)")
#: Words for what is reached by all.
EVERYBODY = frozenset({"internet", "world", "everyone", "anywhere"})
_EVERYWHERE = frozenset({"0.0.0.0/0", "::/0"})


def meant_by(value: str) -> set[str]:
    """What a value means besides its words: the ports of a range (`20-25`), the whole internet (`0.0.0.0/0`)."""
    found = _RANGE.fullmatch(value)
    out = set(EVERYBODY) if value in _EVERYWHERE else set()
    out |= {"public"} if _ANY_ADDRESS.match(value) else set()
    if found is not None and 0 <= int(found[2]) - int(found[1]) <= _MOST_OF_RANGE:
        out |= {str(number) for number in range(int(found[1]), int(found[2]) + 1)}
    return out


_PARTITION = re.compile(
    r"(/dev/(?:(?:nvme\d+n|mmcblk|loop|md|nbd)\d+(?=p\d)|(?:[shv]|xv)d[a-z]+(?=\d)|disk\d+(?=s\d)))(?:[ps]?\d+)"
)


def is_disk(path: str) -> bool:
    """Whether a path is a disk or a partition of one."""
    return (
        _PARTITION.fullmatch(f"{path}1") is not None
        or _PARTITION.fullmatch(f"{path}p1") is not None
        or bool(disk_of(path))
    )


def disk_of(path: str) -> str:
    """The disk of which a device is a partition (`/dev/sda1` → `/dev/sda`), "" for any other path."""
    found = _PARTITION.fullmatch(path)
    return found[1] if found else ""
