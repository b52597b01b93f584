"""Two ways round a failure that change the object and not the command: the same line from the object's own folder, and the
same line on something that was made of the object.

Only the words of the commands are compared: every one but the object stays, or there is no detour.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bio_agent_schema.types import Act, Episode, Kind
from bio_agent_workers.brain.guarding.act_forms import is_dry, is_edit, word_set
from bio_agent_workers.brain.lessons.rendering import set_numbers
from bio_agent_workers.brain.lessons.wide_forms import WideForms, wide_swap
from bio_agent_workers.brain.lessons.word_pairs import bare, words_of
from bio_agent_workers.brain.remedies.destructive import destroys
from bio_agent_workers.brain.remedies.gives_up import gives_up
from bio_agent_workers.brain.remedies.taint import FETCHERS

#: The file that a line writes its output to.
INTO = re.compile(r"(?<![0-9&>])>{1,2}\s*([\w./+-]+)\s*$")
_FROM = re.compile(r"(?<![<0-9])<\s*([\w./+-]+)")
#: Programs that make their last word of the others, and options before a file that is made.
_MAKERS = word_set(
    "cp mv ln install rsync ditto convert magick ffmpeg sox pandoc qpdf pdftk dos2unix unix2dos objcopy strip cwebp inkscape"
)
#: Of these, those that keep what something says: its rights, its order, its encoding, its line ends.
_KEEPS = word_set("install sort dos2unix unix2dos iconv expand unexpand")
_OUT = word_set("-o -out --out --output -O --output-file")
MOST_READ = 1000  # characters of a command that is compared word by word
_SUBSHELL = re.compile(r"\(\s*(?:cd|pushd)\s")
_NAME = re.compile(r"[\w./@+-]*[\w@+-]", re.ASCII)


@dataclass(frozen=True, slots=True)
class Swap:
    """The one word in which two commands differ: as the failed one has it, and as the later one."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Detour:
    """A way round. step: what is done first; episode_id: where; wide: the two forms as the sentence shows them; made: the
    file that the step made, "" for none."""

    step: Act
    episode_id: str
    wide: WideForms | None
    made: str = ""

    @property
    def changes(self) -> bool:
        """Whether the step may have changed what a check refused (a setting, a rule, a signature, a name): no remedy
        without a person."""
        return bool(self.made) and self.step.tool not in _KEEPS


def swapped(failed: Act, later: Act) -> Swap | None:
    """The word in which two commands of one program differ, wherever it stands; None where more than one does."""
    if max(len(failed.text), len(later.text)) > MOST_READ:
        return None
    left, right = words_of(failed.text), words_of(later.text)
    if len(left) != len(right):
        return None
    differ = {(bare(a), bare(b)) for a, b in zip(left, right, strict=True) if bare(a) != bare(b)}
    if len(differ) != 1:
        return None
    old, new = differ.pop()
    return Swap(old, new) if _NAME.fullmatch(old) and _NAME.fullmatch(new) else None


def from_its_folder(failed: Act, line: Sequence[Act]) -> tuple[Act, Act, Swap] | None:
    """(change of folder, the act after it, the word) where a line goes into the folder of what a failed command named, and
    does the same there: `sha256sum -c dist/SUMS`, then `cd dist && sha256sum -c SUMS`."""
    for at, step in enumerate(line[:-1]):
        folder = bare(step.operands[0]) if step.tool in ("cd", "pushd") and len(step.operands) == 1 else ""
        if not folder or folder.startswith(("/", "~", "$", "-")):
            continue
        for act in line[at + 1 :]:
            swap = swapped(failed, act)
            if swap is not None and posixpath.normpath(f"{folder}/{swap.new}") == posixpath.normpath(swap.old):
                return step, act, swap
    return None


def products(line: str, acts: Sequence[Act]) -> Iterator[tuple[Act, frozenset[str], str]]:
    """What a line makes: (the act, the names it may have made it of, the file). An act that writes to a file by `>` has it
    among its words."""
    if len(line) > MOST_READ:
        return
    doing = [act for act in acts if act.tool not in ("cd", "pushd") and not is_dry(act) and not is_edit(act)]
    for act in doing:
        if act.tool not in _MAKERS and not any(f" {option} " in act.text for option in _OUT):
            continue
        words = [bare(word) for word in words_of(act.text)]
        file = next((b for a, b in pairwise(words) if a in _OUT), "")
        file = file or (words[-1] if act.tool in _MAKERS and len(words) > 2 else "")
        if _NAME.fullmatch(file):
            yield act, frozenset(words) - {file}, file
    into = INTO.search(line)
    if into is not None and len(doing) == 1:
        act, of = doing[0], _FROM.search(line)
        text = act.text + (f" < {of[1]}" if of else "") + f" > {into[1]}"
        made = Act(act.tool, act.verb, act.flags, (*act.operands, into[1]), text, f"{act.form} > {into[1]}")
        yield made, frozenset(bare(word) for word in words_of(text)) - {bare(into[1])}, bare(into[1])


def detour(
    failed: Act,
    fixed: Act,
    pair: tuple[Episode, Episode],
    ordered: Sequence[Episode],
    acts: Mapping[str, tuple[Act, ...]],
) -> Detour | None:
    """The way round by which `fixed` did what `failed` could not, None where it was none. pair: their episodes."""
    fix = pair[1]
    moved = from_its_folder(failed, acts.get(fix.id, ()))
    if moved is not None and moved[1] is fixed:
        step, _, swap = moved
        what = "<script>" if bare(words_of(failed.text)[0]) == swap.old else "<file>"
        line = "(cd ./<dir> && {})" if _SUBSHELL.search(fix.command) else "cd ./<dir> && {}"
        return Detour(step, fix.id, _told(failed, fixed, swap, (f"<dir>/{what}", what), line))
    other = swapped(failed, fixed) if failed.tool not in FETCHERS else None
    found = _made(other, pair, ordered, acts) if other is not None else None
    if other is None or found is None:
        return None
    made, episode_id = found
    if destroys(made) or gives_up(made):
        return Detour(made, episode_id, None, other.new)
    slots = {other.old: "<file>", other.new: "<new_file>"}
    how = " ".join(slots.get(bare(word), word) for word in words_of(made.text)).replace("{", "{{").replace("}", "}}")
    told = _told(failed, fixed, other, ("<file>", "<new_file>"), how + " && {}")
    return Detour(made, episode_id, told and replace(told, numbers=set_numbers(made)), other.new)


def _told(failed: Act, fixed: Act, swap: Swap, slots: tuple[str, str], line: str) -> WideForms | None:
    """The wide forms, with `{}` in `line` for the one that worked."""
    told = wide_swap(failed, fixed, (swap.old, swap.new), slots)
    return told and replace(told, fixed=replace(told.fixed, text=line.format(told.fixed.text)))


def _made(
    swap: Swap, pair: tuple[Episode, Episode], ordered: Sequence[Episode], acts: Mapping[str, tuple[Act, ...]]
) -> tuple[Act, str] | None:
    """The act between a failure and its fix that made the one's object of the other's, with the file that it wrote to, and
    its episode; None where none did."""
    failure, fix = pair
    for episode in reversed(ordered):
        if failure.seq < episode.seq <= fix.seq and episode.kind is Kind.TOOL and not episode.is_failure:
            for act, sources, file in products(episode.command, acts.get(episode.id, ())):
                if swap.old in sources and swap.new == file:
                    return act, episode.id
    return None
