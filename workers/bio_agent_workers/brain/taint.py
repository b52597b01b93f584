"""Words of a remedy that the session first met in untrusted text.

Such a word could have been put there by whoever wrote the page or the output. It may not become part of a rule that is
shown without a person: a host, URL, package, absolute path, or a pipe into a shell.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from bio_agent_schema.types import Act, Episode, Kind, Provenance
from bio_agent_workers.brain.act_forms import operand_kind

#: Word in `Lesson.tainted` that stands for "a download is piped into a shell".
PIPE_TO_SHELL = "| sh"
FETCHERS = frozenset({"curl", "wget", "fetch"})
SHELLS = frozenset({"bash", "sh", "zsh", "dash", "ksh", "python", "perl", "ruby", "node"})
_HOSTLIKE = re.compile(
    r"[a-z][a-z0-9+.-]*://|^(?:[\w-]+@)?(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?(?:/.*)?$|^\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?$",
    re.I,
)
_ABSOLUTE = re.compile(r"(?:^|[=:,])(?:/|~|\$\{?HOME\b|[A-Za-z]:\\)")
_VERSION = re.compile(r"(?<=[\w.)\]-])(?:[=<>~!]=?|@(?=[\w^~*]))[^\s]*$|\[[^\]]*\]$")
#: Options and assignments whose value says where things come from or go to, as whom, or what is run.
_LEADS_AWAY = re.compile(
    r"(?:^|[-_])(?:registry|index|source|repo(?:sitory)?|remote|mirror|proxy|host|server|endpoint|url|uri|image|plugin|preset"
    r"|user(?:name)?|role|profile|account|token|password|passwd|secret|key|command|cmd|exec|shell|hook|script|require|import"
    r"|loader|preload|config)(?:$|[-_])",
    re.I,
)
_FILE = re.compile(
    r"\.(?:py|sh|js|ts|c|h|go|rs|txt|json|ya?ml|toml|md|sql|csv|lock|cfg|ini|env|xml|html|whl|tgz|gz|zip)$"
)


def package_name(word: str) -> str:
    """A package without version and extras: `foo[bar]==1.2` → `foo`, `@scope/x@2` → `@scope/x`."""
    return _VERSION.sub("", _VERSION.sub("", word))


def risky_words(act: Act) -> list[str]:
    """Words of an act that could send an agent somewhere or install something: the ones that taint is about."""
    out: list[str] = []
    for at, operand in enumerate(act.operands):
        if (
            operand_kind(act, at) in ("package", "image", "url", "host")
            and operand not in (".", "-e")
            and not operand.startswith("./")
        ):
            out.append(package_name(operand) if "://" not in operand else operand)
        elif _risky(operand):
            out.append(operand)
    for flag in act.flags:
        value = flag[1:].split(" ")[-1] if flag.startswith("@") else flag.partition("=")[2]
        if value and (_risky(value) or _LEADS_AWAY.search(flag.partition("=")[0])):
            out.append(value)
    if act.tool == "npx" and act.verb:
        out.append(act.verb.split(" ")[0])
    return list(dict.fromkeys(word for word in out if word))


def _risky(value: str) -> bool:
    if _ABSOLUTE.search(value):
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


def _untrusted(episode: Episode) -> str:
    """The part of an episode that nobody vouches for: output of tools and pages, assistants' text excluded."""
    if episode.kind in (Kind.TOOL, Kind.STATE, Kind.EVENT) or episode.provenance is Provenance.UNTRUSTED:
        return f"{episode.content}\n{episode.last_content}"
    return ""


def _vouched(episode: Episode, acts: Sequence[Act]) -> str:
    """What the agent itself typed, or an owner said."""
    said = episode.content if episode.provenance is Provenance.OWNER and episode.kind is Kind.USER else ""
    return "\n".join((episode.command, said, *(act.text for act in acts)))


def _has(word: str, text: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w-])", text, re.IGNORECASE) is not None


def tainted_words(
    remedy: Sequence[Act],
    failure: tuple[Act, int, int],
    ordered: Sequence[Episode],
    acts: Mapping[str, tuple[Act, ...]],
    *,
    known: Collection[str],
) -> list[str]:
    """Risky words of the remedy that untrusted text showed before the agent, an owner or a manifest named them.

    failure: the failed act, and the arrival numbers of the failure and of its fix. known: words typed before or named
    by a manifest. A word that nothing showed before is the agent's own knowledge and clean. The failed command counts
    as typed.
    """
    failed, failed_seq, fixed_seq = failure
    known = {word.lower() for word in known}
    words = [
        word for act in remedy for word in risky_words(act) if word.lower() not in known and not _has(word, failed.text)
    ]
    out: list[str] = []
    for word in dict.fromkeys(words):
        # `command` of an episode was typed before its output was seen; the command comes first in each step.
        for episode in ordered:
            if episode.seq > fixed_seq:
                break
            if _has(word, _vouched(episode, acts.get(episode.id, ()))):
                break
            if _has(word, _untrusted(episode)):
                out.append(word)
                break
    between = [
        act for e in ordered if failed_seq < e.seq <= fixed_seq and not e.is_failure for act in acts.get(e.id, ())
    ]
    if pipes_to_shell(between) and any(act.tool in (*FETCHERS, *SHELLS) for act in remedy):
        seen = any(
            re.search(r"\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b", _untrusted(e)) for e in ordered if e.seq <= fixed_seq
        )
        if seen:
            out.append(PIPE_TO_SHELL)
    return out
