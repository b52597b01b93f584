"""What worked for another command, in the words of the call at hand: the difference between the failed form and the one
that worked, made to the call."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import placeholders, word_set
from bio_agent_workers.brain.lessons.wide_forms import words_of

MOST = 140  # characters of a call that are repeated to it
#: Options of many programs that add to what is there each time they are given.
_REPEATED = word_set(
    "-H --header -e --env -v --volume --mount -p --publish -l -L -I -D -d --data -F --form --set --set-string --values"
    " --build-arg --label --add-host --exclude --include --filter --file -f -m -o -O -c -W -X -t --tag"
)
_SENTENCES = {
    "en": "`{call}` is of a kind that failed here. `{remedy}` is the form that worked.",
    "zh": "`{call}` 属于在这里失败过的用法。可行的形式是 `{remedy}`。",
    "vi": "`{call}` thuộc dạng lệnh đã lỗi ở đây. Dạng chạy được là `{remedy}`.",
}


def told_of_call(failed: Act, fixed: Act, now: Act, sentence: str, lang: str) -> str:
    """A learned rule's sentence made for one call, "" where the rule's own says it better.

    failed, fixed: the rule's forms; sentence: its own sentence. No word is offered that this one does not show, for what
    it leaves out was not to be said.
    """
    remedy = bound(failed.text, fixed.text, now.text)
    if not remedy or now.text == failed.text or max(len(remedy), len(now.text)) > MOST or "`" in remedy:
        return ""
    new = Counter(words_of(remedy)) - Counter(words_of(now.text))
    shown = set(words_of(re.sub(r"[`。，]", " ", sentence)))
    if any(word not in shown or placeholders(word) != word for word in new):
        return ""
    return _SENTENCES.get(lang, _SENTENCES["en"]).format(call=now.text, remedy=remedy)


def bound(failed: str, fixed: str, now: str) -> str:
    """The call `now` changed as `fixed` changes `failed`, "" where that cannot be said word by word."""
    left, right, call = words_of(failed), words_of(fixed), words_of(now)
    whole = all(" ".join(words_of(text)) == " ".join(text.split()) for text in (failed, fixed, now))
    if not whole or "&&" in right or not left or not call:
        return ""  # quotes that do not close are no words
    gone, come = _less(left, right), _less(right, left)
    if not come or Counter(gone) - Counter(call):
        return ""
    call = _without_rivals(call, right, come, gone)
    if len(gone) == len(come):
        swap = dict(zip(gone, come, strict=True))
        return " ".join(swap.get(word, word) for word in call) if len(swap) == len(gone) else ""
    out = list(call)
    for word in gone:
        out.remove(word)
    at = 0
    for place, word in enumerate(right):
        if word not in come:
            at = out.index(word) + 1 if word in out else at
            continue
        come.remove(word)
        if place == 0:
            at = 0
        elif right[place - 1] not in out and not word.startswith("-"):
            return ""  # it stands behind a name that this call does not have
        out.insert(at, word)
        at += 1
    return " ".join(out)


def _without_rivals(call: Sequence[str], right: Sequence[str], come: Sequence[str], gone: Sequence[str]) -> list[str]:
    """The call without its own options that the remedy gives as well, with a value of its own or with none: `--timeout 5m`
    where it says `--timeout 10m`. Not those that may be given more than once."""
    new = Counter(word.partition("=")[0] for word in come if word.startswith("-"))
    changed = {word.partition("=")[0] for word in gone}
    new = Counter({name: n for name, n in new.items() if n == 1 and name not in _REPEATED | changed})
    valued = {a for a, b in pairwise(right) if a in come and b in come and not b.startswith("-")}
    valued |= {word.partition("=")[0] for word in come if "=" in word}
    out: list[str] = []
    at = 0
    while at < len(call):
        name, given, _ = call[at].partition("=")
        if name not in new:
            out.append(call[at])
        elif name in valued and not given and at + 1 < len(call) and not call[at + 1].startswith("-"):
            at += 1  # its value
        at += 1
    return out


def _less(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """The words that the others lack, in order."""
    left = Counter(others)
    out = []
    for word in words:
        if left[word]:
            left[word] -= 1
        else:
            out.append(word)
    return out
