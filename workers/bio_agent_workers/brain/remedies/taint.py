"""Words of a remedy that came from text nobody vouches for, and packages that nobody vouches for at all.

A word that the session met in untrusted text first could have been put there by whoever wrote the page or the output. It
may not become part of a rule that is shown without a person: a host, URL, absolute path, a name of a source, or a pipe
into a shell. A package, image or extension needs a voucher even where no text showed it (installs.py), save one of the
system's own archive: nobody can register a name there, so that it is the agent's own knowledge like any other word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from bio_agent_schema.types import Act, Episode, Kind, Provenance
from bio_agent_workers.brain.guarding.act_forms import is_edit, is_read, operand_kind
from bio_agent_workers.brain.remedies.installs import (
    archive_names,
    foreign_names,
    is_manifest,
    manifest_text,
    missing_names,
    package_name,
    same_distribution,
)
from bio_agent_workers.brain.remedies.leaves_out import narrowed_to
from bio_agent_workers.brain.remedies.sends_out import sends_out
from bio_agent_workers.brain.remedies.sources import moves_to_production, moves_trust

__all__ = ["FETCHERS", "PIPE_TO_SHELL", "SHELLS", "package_name", "pipes_to_shell", "risky_words", "tainted_words"]

#: Word in `Lesson.tainted` that stands for "a download is piped into a shell", or anything else of which nothing may be
#: told before a person agreed.
PIPE_TO_SHELL = "| sh"
#: How a text says that its middle was left out: what stood there cannot be looked at.
CUT_MARK = "bytes cut …]"
FETCHERS = frozenset({"curl", "wget", "fetch"})
SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "python", "perl", "ruby", "node"})
_HOSTLIKE = re.compile(
    r"[a-z][a-z0-9+.-]*://|^(?:[\w-]+@)?(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:/.*)?$|^\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?$",
    re.I,
)
#: `user@host:path`, `host:` and `host:path` as copies between machines write them, and `npm:other-name` for a package.
_PLACE = re.compile(
    r"^[\w.+-]+@[\w.-]+:\S*$|^\w[\w.-]+:(?:$|[~/.]|[^:/\s]+/)"
    r"|(?:^|=)(?:npm|jsr|github|gitlab|bitbucket|gist|git|file|link|portal|patch)(?:\+\w+)?:\S",
    re.I,
)
_ABSOLUTE = re.compile(r"(?:^|[=:,])(?:/|~|\$\{?HOME\b|[A-Za-z]:\\)")
#: Options and assignments whose value says where things come from or go to, as whom, or what is run.
_LEADS_AWAY = re.compile(
    r"(?:^|[-_])(?:registry|index|source|repo(?:sitory)?|remote|mirror|proxy|host|server|endpoint|url|uri|image|plugin|preset"
    r"|user(?:name)?|role|profile|account|token|password|passwd|secret|key|command|cmd|exec|shell|hook|script|require|import"
    r"|loader|preload|config)(?:$|[-_])",
    re.I,
)
_FILE = re.compile(
    r"\.(?:py|sh|[cm]?[jt]sx?|c|h|go|rs|java|class|jar|txt|json|ya?ml|toml|md|sql|sqlite|db|csv|log|conf|lock|cfg|ini|env|xml"
    r"|html|whl|tgz|gz|zip)$"
)
#: Files that say which archives the system's distribution installs from.
_ARCHIVES = re.compile(r"/etc/(?:apt|yum|dnf|zypp|apk|pacman)|yum\.repos\.d|sources\.list")
_PART = re.compile(r"[^\W_]{3,}")
_SPLIT_FROM = 8  # characters of a word that is looked for in pieces


def risky_words(act: Act) -> list[str]:
    """Words of an act that could send an agent somewhere or install something: the ones that taint is about."""
    out = foreign_names(act)
    if "/" in act.tool and _risky(act.tool):
        out.append(act.tool)
    for at, operand in enumerate(act.operands):
        if operand_kind(act, at) in ("url", "host") and operand not in (".", "-e") and not operand.startswith("./"):
            out.append(operand if "://" in operand else package_name(operand))
        elif _risky(operand) and package_name(operand) not in out:
            value = operand.partition("=")[2]
            out.append(value if _PLACE.search(value) else operand)
    for flag in act.flags:
        value = flag[1:].split(" ")[-1] if flag.startswith("@") else flag.partition("=")[2]
        if value and (_risky(value) or _LEADS_AWAY.search(flag.partition("=")[0])):
            out.append(value)
    return list(dict.fromkeys(word for word in out if word))


def _risky(value: str) -> bool:
    if _ABSOLUTE.search(value) or _PLACE.search(value):
        return True
    return bool(_HOSTLIKE.search(value)) and not _FILE.search(value)


def pipes_to_shell(acts: Sequence[Act]) -> bool:
    """Whether a download is run by a shell: a fetcher followed by a shell that was given no script."""
    fetched = False
    for act in acts:
        if fetched and act.tool in SHELLS and not act.verb and not act.operands:
            return True
        fetched = fetched or act.tool in FETCHERS
    return False


def untrusted_text(episode: Episode) -> str:
    """The part of an episode that nobody vouches for: output of tools and pages, assistants' text excluded."""
    if episode.kind in (Kind.TOOL, Kind.STATE, Kind.EVENT) or episode.provenance is Provenance.UNTRUSTED:
        return f"{episode.content}\n{episode.last_content}"
    return ""


def _owner_said(episode: Episode) -> str:
    return episode.content if episode.provenance is Provenance.OWNER and episode.kind is Kind.USER else ""


def _used(episode: Episode, acts: Sequence[Act]) -> str:
    """What the agent itself did with success; looking for a word, or failing with it, vouches for nothing."""
    if episode.is_failure:
        return ""
    return "\n".join(act.text for act in acts if not is_read(act))


def _has(word: str, text: str) -> bool:
    return bool(text) and re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE) is not None


def shows(word: str, text: str) -> bool:
    """Whether a text shows a word, whole or in the pieces it is made of, or says that it left something out."""
    if not text:
        return False
    if _has(word, text) or CUT_MARK in text:
        return True
    parts = set(_PART.findall(word.lower()))
    if len(parts) < 2 or len(word) < _SPLIT_FROM:
        return False
    low = text.lower()
    return all(part in low for part in parts)


def tainted_words(
    remedy: Sequence[Act],
    failure: tuple[Act, int, int],
    ordered: Sequence[Episode],
    acts: Mapping[str, tuple[Act, ...]],
    *,
    known: Collection[str],
) -> list[str]:
    """Risky words of the remedy that untrusted text showed before an act, an owner or a manifest vouched for them, and
    packages that neither a manifest, nor the failure's own "… is missing", nor an owner named. One of the system's own
    archive counts as any other word, unless the session changed where code comes from. PIPE_TO_SHELL is among them
    as well where the remedy moves to production, runs fewer tests than what failed, or sends something out.

    failure: the failed act, and the arrival numbers of the failure and of its fix. known: words vouched for before this
    stretch. Another word that nothing showed before is the agent's own knowledge and clean. The failed command counts
    as typed.
    """
    failed, failed_seq, fixed_seq = failure
    known = {word.lower() for word in known}
    packages = {name for act in remedy for name in foreign_names(act)}
    words = [
        word for act in remedy for word in risky_words(act) if word.lower() not in known and not _has(word, failed.text)
    ]
    earlier = [e for e in ordered if e.seq <= fixed_seq]
    if not any(_changes_archives(e, acts.get(e.id, ())) for e in earlier):
        packages -= {name for act in remedy for name in archive_names(act)}
    missing = missing_names("\n".join(untrusted_text(e) for e in earlier if e.seq == failed_seq and e.is_failure))
    out: list[str] = []
    for word in dict.fromkeys(words):
        if word in packages:
            if word.lower() in missing or same_distribution(word, failed) or _is_named(word, earlier, acts, failed_seq):
                continue
            out.append(word)
        elif _shown_first(word, earlier, acts):
            out.append(word)
    between = [act for e in earlier if failed_seq < e.seq and not e.is_failure for act in acts.get(e.id, ())]
    if pipes_to_shell(between) and any(act.tool in (*FETCHERS, *SHELLS) for act in remedy):
        if any(re.search(r"\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b", untrusted_text(e)) for e in earlier):
            out.append(PIPE_TO_SHELL)
    if PIPE_TO_SHELL not in out and any(
        moves_to_production(failed, act) or narrowed_to(failed, act) or sends_out(act) for act in remedy
    ):
        out.append(PIPE_TO_SHELL)
    return out


def _changes_archives(episode: Episode, acts: Sequence[Act]) -> bool:
    return _ARCHIVES.search(_typed(episode, acts)) is not None or any(moves_trust(act) for act in acts)


def _shown_first(word: str, earlier: Sequence[Episode], acts: Mapping[str, tuple[Act, ...]]) -> bool:
    """Whether untrusted text showed a word before anybody vouched for it."""
    for episode in earlier:
        mine = acts.get(episode.id, ())
        # The command of an episode was typed before its output was seen; it comes first in each step.
        if (
            _has(word, _owner_said(episode))
            or _has(word, _used(episode, mine))
            or _has(word, manifest_text(episode, mine))
        ):
            return False
        if shows(word, untrusted_text(episode)):
            return True
    return False


def _is_named(word: str, earlier: Sequence[Episode], acts: Mapping[str, tuple[Act, ...]], failed_seq: int) -> bool:
    """Whether an owner or a manifest named a package. What the agent wrote itself after untrusted text had shown the
    word, or after the failure, is no manifest's word."""
    shown = written = False
    for episode in earlier:
        mine = acts.get(episode.id, ())
        if _has(word, _owner_said(episode)):
            return True
        writes = any(is_edit(act) or not is_read(act) for act in mine) and word.lower() in _typed(episode, mine).lower()
        if writes and not shown and episode.seq < failed_seq and not episode.is_failure and _edits_manifest(mine):
            return True
        written = written or writes
        held = manifest_text(episode, mine)
        if held and not written and _has(word, held):
            return True
        shown = shown or (not held and shows(word, untrusted_text(episode)))
    return False


def _typed(episode: Episode, acts: Sequence[Act]) -> str:
    return "\n".join((episode.command, *(act.text for act in acts)))


def _edits_manifest(acts: Sequence[Act]) -> bool:
    return any(is_edit(act) and any(is_manifest(o.rpartition("=")[2]) for o in act.operands) for act in acts)
