"""One form for what a rule says: modality · action · object · condition · exception · values with units.

Two texts with one key are treated as one rule, so the key keeps every content word, number and name, in order; it
forgets only politeness, permanence, articles, inflection, the passive voice, a few true synonyms, and where in the
sentence a condition stands. Paraphrase beyond that is left to the embedder and NLI.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from bio_agent_schema.types import CanonicalRule, Polarity
from bio_agent_workers.brain import quantities
from bio_agent_workers.brain.relations import rule_words as words
from bio_agent_workers.brain.text import HAN, content_tokens, detect_lang, tokens
from bio_agent_workers.brain.wordlists import word_list

_EDGE = " \t\n,.;:!?，。；：！？、—–-"
# A quantity in its canonical form stands in the text as one token no punctuation rule touches.
_MARK = "\ue001"
_VALUE_TOKEN = re.compile(rf"{_MARK}([^{_MARK}]*){_MARK}")
_CLAUSE_END = {
    "en": re.compile(r"[,;.!?]|\b(?:then|must|never|do not|don't|you (?:should|may|can))\b"),
    "zh": re.compile(r"[,;.!?，；。！？]|(?<=的话)|则|就(?=[要用先得])|必须|不得|不要|禁止|严禁|可以|不许"),
    "vi": re.compile(r"[,;.!?]|\b(?:thì|phải|không được|đừng|cấm|hãy)\b"),
}
# The marker is the whole condition: "with the manager's approval", 经主管批准.
_WHOLE_CONDITION = re.compile(r"approval$|(?:同意|批准|审批)$|期间$")
# Two negations with an "and" between them are two prohibitions, not a double negative.
_JOINED = re.compile("\ue002[^\ue002]*(?:\\b(?:and|or|nor|và|hoặc|cũng)\\b|[和与或且并也])[^\ue002]*\ue002")
_DOUBLE_NEGATIVE = re.compile(r"\bnot (?:acceptable|ok|allowed|permitted) (?:\w+ ){0,6}?not\b")


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence taken apart. mood: "do", "not", "may" or "exempt"; terms in order; conditions sorted."""

    lang: str
    mood: str
    action: tuple[str, ...]
    object: tuple[str, ...]
    condition: tuple[tuple[str, ...], ...]
    exception: tuple[tuple[str, ...], ...]
    values: tuple[tuple[str, str], ...]

    @property
    def polarity(self) -> Polarity:
        return Polarity.NEGATIVE if self.mood in {"not", "exempt"} else Polarity.POSITIVE


def _with_values(text: str) -> str:
    """Folded text with each quantity replaced by its canonical form."""
    folded = quantities.folded(text)
    out, last = [], 0
    for start, end, value, unit in quantities.spans(text):
        if start >= last:
            out += [folded[last:start], f" {_MARK}{value}{unit}{_MARK} "]
            last = end
    out.append(folded[last:])
    return "".join(out).replace("’", "'")


def _split_clauses(text: str, lang: str) -> tuple[str, list[str], list[str]]:
    """(main, conditions, exceptions): a clause runs from its marker to the next comma, marker or end of sentence."""
    conditions: list[str] = []
    exceptions: list[str] = []
    for pattern, into in ((words.EXCEPTION[lang], exceptions), (words.CONDITION[lang], conditions)):
        while m := pattern.search(text):
            rest = text[m.start() :]
            stop = _CLAUSE_END[lang].search(rest, len(m[0]))
            whole = _WHOLE_CONDITION.search(m[0])
            end = m.end() if whole else m.start() + (stop.start() if stop else len(rest))
            into.append(text[m.start() : end])
            text = f"{text[: m.start()]} , {text[end:]}"
    return text, conditions, exceptions


def _terms(text: str, lang: str) -> tuple[str, ...]:
    out: list[str] = []
    position = 0
    for m in [*_VALUE_TOKEN.finditer(text), None]:
        piece = text[position : m.start()] if m else text[position:]
        out += _words(piece, lang)
        if m:
            out.append(m[1])
            position = m.end()
    return tuple(out)


def _words(piece: str, lang: str) -> list[str]:
    if lang == "zh":
        # Whole runs, not bigrams: the key must tell every character apart.
        for old, new in words.ZH_SYNONYMS:
            piece = piece.replace(old, new)
        piece = re.sub(r"做(?=[^，。]{1,12}时)|(?<=[^\s])时(?=[，,\s]|请|要|用|$)|[的了着吧]", "", piece)
        return [t for run in re.findall(rf"[{HAN}]+|[^\s{HAN}]+", piece) if (t := run.strip(_EDGE))]
    if lang == "vi":
        for old, new in words.VI_SYNONYMS:
            piece = re.sub(rf"\b{old}\b", new, piece)
        drop = frozenset(word_list("là thì các những em anh chị bạn mình tôi của rồi cho việc"))
        return [t for t in tokens(piece, "vi") if t not in drop]
    found = [words.SYNONYMS.get(t, t) for t in tokens(piece, "en") if t not in words.ARTICLES]
    return [words.stem(t) for t in found]


def _mood(main: str, lang: str) -> tuple[str, str]:
    """(mood, main without its modal words)."""
    exempt, main = _take(words.EXEMPT[lang], main)
    negations, main = _take(words.FORBID[lang], main)
    permits, main = _take(words.PERMIT[lang], main)
    _, main = _take(words.OBLIGE[lang], main)
    if exempt:
        return ("exempt" if negations % 2 == 0 else "do"), main
    if negations % 2 or (negations and _JOINED.search(main)):
        return "not", main
    # Twice negated obliges ("no order may go out without …" does not); a plain permission stays one.
    return ("may" if permits and not negations else "do"), main


def _take(pattern: re.Pattern[str], text: str) -> tuple[int, str]:
    found = len(pattern.findall(text))
    return found, pattern.sub(" \ue002 ", text)


def _gerund(m: re.Match[str]) -> str:
    """What is forbidden, as a verb: "force-pushing … is forbidden" = "never force-push"."""
    return (m[1] or "") + words.stem(m[2] or m[3])


def _active(main: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(action, object) of an English main clause; "X must be stored in Y" reads as "store X in Y"."""
    cut = main.split("\ue002")
    passive = re.search(r"\b(?:be|gets?|is|are)\s+(?:\ue002\s+)?([a-z]+)\b", main)
    after_modal = cut[-1].split()[:1]
    if passive and words.PARTICIPLE.match(passive[1]) and main[: passive.start()].strip(f"{_EDGE}\ue002"):
        before = main[: passive.start()].replace("\ue002", " ")
        rest = main[passive.end() :].replace("\ue002", " ")
        return (words.stem(passive[1]),), _terms(before, "en") + _terms(rest, "en")
    subject = cut[0].strip(_EDGE) if len(cut) > 1 else ""
    if subject and after_modal and words.PARTICIPLE.match(after_modal[0]):
        # "Dates are never changed": the auxiliary went with the negation.
        rest = " ".join(" ".join(cut[1:]).split()[1:])
        return (words.stem(after_modal[0]),), _terms(subject, "en") + _terms(rest, "en")
    terms = _terms(main.replace("\ue002", " "), "en")
    return terms[:1], terms[1:]


@lru_cache(maxsize=4096)
def read(text: str, lang: str | None = None) -> Reading:
    """The sentence taken apart; see `Reading`."""
    body = _with_values(text)
    lang = lang if lang in words.FILLER else detect_lang(_VALUE_TOKEN.sub(" ", body))
    double = bool(_DOUBLE_NEGATIVE.search(body))
    body = words.FILLER[lang].sub(" ", body)
    main, conditions, exceptions = _split_clauses(body, lang)
    mood, main = _mood(main, lang)
    if double:
        mood = "do"
    main = re.sub(r"[,;，；]+", " ", main)
    main = (
        re.sub(r"\b(\w+-)?(\w{2,}ing)\b(?=[^\ue002]*\ue002)|(?<=\ue002 )(\w{3,}ing)\b", _gerund, main)
        if mood == "not"
        else main
    )
    action, obj = _active(main) if lang == "en" else ((), _terms(main.replace("\ue002", " "), lang))
    if lang != "en" and obj:
        action, obj = obj[:1], obj[1:]
    return Reading(
        lang,
        mood,
        action,
        obj,
        tuple(sorted(filter(None, (_terms(c, lang) for c in conditions)))),
        tuple(sorted(filter(None, (_terms(c, lang) for c in exceptions)))),
        quantities.values(text),
    )


def canonicalize(text: str, lang: str | None = None) -> CanonicalRule:
    """The canonical form of a rule's text. lang: "en", "zh", "vi" or None to detect it."""
    r = read(text, lang)
    main = (*r.action, *r.object)
    joined = "".join(main) if r.lang == "zh" else " ".join(main)
    clauses = [f"if {' '.join(c)}" for c in r.condition] + [f"but {' '.join(c)}" for c in r.exception]
    key = "\x1f".join([r.mood, joined, *clauses])
    if not main and not clauses:
        key = f"text\x1f{quantities.folded(text).strip()}"
    return CanonicalRule(
        lang=r.lang,
        polarity=r.polarity,
        action=r.action,
        object=r.object,
        condition=tuple(t for c in r.condition for t in c),
        exception=tuple(t for c in r.exception for t in c),
        values=r.values,
        key=key,
    )


_LITERALS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b"), "<email>"),
    (re.compile(r"\b(?:https?|ssh|ftp|wss?|postgres(?:ql)?|redis)://[^\s，。）)\"'`]+"), "<url>"),
    (re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.I), "<id>"),
    (re.compile(
        r"(?<![\w/])(?:/(?:home|Users|root|srv|opt|workspaces?|mnt|tmp|var/(?:www|folders|tmp))|~"
        r"|[A-Za-z]:\\)(?:[/\\][\w.@+-]+)*[/\\]?(?=[\s,.;:，。；)\"'`]|$)"), "<project_root>"),
    (re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b"), "<host>"),
    (re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"), "<hash>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?\b"
                r"|\b\d\d?/\d\d?/\d{4}\b"), "<date>"),
    (re.compile(
        r"(?<![\w-])(?:[A-ZĐ]{2,6}-)+\d{3,}\b|(?<![\w.,])\d{6,}(?![\w.,%])"
        r"|(?<=[\u4e00-\u9fff ])\d{7,}(?=[\u4e00-\u9fff ])"), "<id>"),
)  # fmt: skip
_PLACEHOLDER = re.compile(r"<[a-z_]+>")
# Words that name no subject: with one literal they make a remark on that literal, not a rule.
_EMPTY_WORDS = frozenset(
    word_list(
        "run use open read check see look call start stop file path command error failed fail fix fixed exist"
        " exists found order"
        " document invoice host server job id date delete remove edit change is was always never avoid not don't"
        " not"
    )
)
_LEAST_WORDS = 2


def generalise(text: str) -> tuple[str, bool]:
    """(text with literals as placeholders, whether nothing but the literal was said).

    Paths under a home or workspace, hosts, URLs, hashes, e-mail addresses, dates and document ids become placeholders;
    paths of the system (/etc, /usr) and amounts stay.
    """
    general = text
    for pattern, placeholder in _LITERALS:
        general = pattern.sub(placeholder, general)
    if general == text:
        return text, False
    left = _PLACEHOLDER.sub(" ", general)
    lang = detect_lang(left)
    told = [t for t in content_tokens(left, lang) if t not in _EMPTY_WORDS and not t.isdigit()]
    return general, len(set(told)) < _LEAST_WORDS
