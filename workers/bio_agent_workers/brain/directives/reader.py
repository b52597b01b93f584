"""An owner's plain standing directive, in the owner's own words.

`find` looks for it sentence by sentence. Whose voice it is comes first: quoted, pasted and code text is masked, and what a turn
takes back as a jest is none. Then a sentence is a directive where its score says so: a logistic regression over its wording
and over what each language's grammar makes of it (mood, person, permanence, tense, one time only, a third party's habit).
Last, neighbours are read together: a heading and its list, a fault and what is wanted instead, "that's how we do it here".
Limits: irony without a mark is taken at its word, and a way to say a rule that is unlike every labelled row is missed; missing
one is the cheaper error, because a directive takes effect at once.
"""

from __future__ import annotations

import re
import unicodedata

from bio_agent_schema.types import Directive, Polarity
from bio_agent_workers.brain.directives import retractions
from bio_agent_workers.brain.directives.answers import answer as answer_to
from bio_agent_workers.brain.directives.answers import ellipsis_joined
from bio_agent_workers.brain.directives.grammar import GRAMMARS, read
from bio_agent_workers.brain.directives.ownership import is_mention, own_words
from bio_agent_workers.brain.directives.parts import MASK, TOOL_CHOICE, Sentence, heads, sentences, under, without_mark
from bio_agent_workers.brain.directives.retraction_words import Manner
from bio_agent_workers.brain.directives.score import SURE, UNLIKELY, score
from bio_agent_workers.brain.directives.secrets import asks_to_keep_secret
from bio_agent_workers.brain.directives.turns import (
    CONFIRMS,
    FAULT,
    HABITUAL,
    PUTS_RIGHT,
    RETRACTS,
    SAME_FOR_ALL,
    STOPS,
)
from bio_agent_workers.brain.text import detect_lang

OWNER = "owner"
__all__ = ["OWNER", "asks_to_keep_secret", "explicit_memory", "find", "revocation"]
# Longer turns are material (a pasted document, a log), not something said to the agent.
MAX_CHARS = 6000

_PAIR_CHARS = 300  # a longer sentence tells of something
# What the score alone is asked about: a short sentence of a short turn; a long message tells of much.
_SCORED_CHARS, _SCORED_SENTENCES = 200, 3


def _nfc_map(text: str) -> tuple[str, list[int]]:
    """NFC form and, for each of its characters plus the end, the position in the original."""
    if unicodedata.is_normalized("NFC", text):
        return text, list(range(len(text) + 1))
    out: list[str] = []
    where: list[int] = []
    i = 0
    while i < len(text):
        j = i + 1
        while j < len(text) and unicodedata.combining(text[j]):
            j += 1
        composed = unicodedata.normalize("NFC", text[i:j])
        out.append(composed)
        where.extend([i] * len(composed))
        i = j
    return "".join(out), [*where, len(text)]


_SAYS = re.compile(r"[^\W\d_]{2}|[\u3400-\u9fff]")  # a word; the number of an item says nothing
# Two words ("Please do.") are no rule of their own unless grammar says so.
_SAYS_ENOUGH = re.compile(r"(?:\w+\W+){2}\w|[\u3400-\u9fff]{4}")


def _own(sentence: Sentence) -> str:
    return without_mark(sentence.masked.replace(MASK, " "))


def _by_grammar(sentence: Sentence) -> bool:
    """Whether the grammar's own rules make a directive of the sentence."""
    grammar, said = read(_own(sentence).strip())
    return not sentence.only_quote and bool(grammar.directive(said, sentence.question))


def _speaks(sentence: Sentence, before: Sentence | None = None, few: bool = True) -> bool:
    """Whether a sentence is a directive. before: the one before it, which may name what it is about; few: the turn has few,
    and so tells of little else."""
    own = _own(sentence).strip()
    if sentence.only_quote:
        return False
    grammar, said = read(own)
    if _by_grammar(sentence):
        # Who says "from now on" or "without exception" means it, whatever the score knows of the words beside it.
        if grammar.STRONG.search(said) or score(own) > UNLIKELY:
            return True
        # "… are useless to me; always add one."
        return before is not None and score(f"{_own(before).strip()} {own}") > UNLIKELY
    if sentence.question or not few or _unsaid(said) or grammar.HYPOTHETICAL.search(said):
        return False
    return TOOL_CHOICE.match(own) is not None or (
        len(own) <= _SCORED_CHARS and _SAYS_ENOUGH.search(own) is not None and score(own) > SURE
    )


# "Have them wait": whoever it may be, in a rule on what to do with them.
_SEND_THEM = re.compile(
    r"(?:让|叫|请|告诉|给|跟)(?:他们?|她们?)|\b(?:bảo|cho|mời|kêu|gửi) (?:họ|người ta)\b"
    r"|\b(?:send|tell|ask|let|refer|point|show|give) (?:them|him|her)\b",
    re.IGNORECASE,
)


def _unsaid(said: str) -> bool:
    """Whether a denial, another speaker or one time only takes back what a sentence would say."""
    grammar = GRAMMARS[detect_lang(said)]
    once = grammar.ONE_OFF.search(said) and not grammar.STRONG.search(said)
    return bool(grammar.DENIAL.search(said) or once or grammar.THIRD.search(_SEND_THEM.sub("", said)))


def _confirms(before: Sentence, sentence: Sentence) -> Polarity | None:
    """What a sentence makes of the one before it: "that's how we do it here", "you keep doing that. Stop it.", else None."""
    first, second = _own(before), _own(sentence)
    if max(len(first), len(second)) > _PAIR_CHARS or sentence.only_quote or before.only_quote or sentence.question:
        return None
    if _unsaid(first) or _unsaid(second):
        return None
    there = GRAMMARS[detect_lang(first)]
    if SAME_FOR_ALL.match(second.strip()) and not there.PAST.search(first):
        return _polarity(before.masked)
    if PUTS_RIGHT.match(second.strip()) and FAULT.search(first):
        return Polarity.POSITIVE
    if STOPS.search(second):
        return Polarity.NEGATIVE if HABITUAL.search(first) else None
    if CONFIRMS.search(second) and not there.PAST.search(first):
        return _polarity(before.masked)
    return None


def _polarity(masked: str) -> Polarity:
    own = masked.replace(MASK, " ")
    return Polarity.NEGATIVE if GRAMMARS[detect_lang(own)].negative(own) else Polarity.POSITIVE


# "Remember that one instead.": what to keep was said just before.
_POINTS_BACK = re.compile(
    r"^\W*(?:and |so |please |but |you should )*(?:remember|keep in mind|note|don't forget|memori[sz]e"
    r"|save) (?:this|that|it)(?: one)?(?: instead| please| for (?:later|next time|the future)"
    r"| from now on)?\W*$"
    r"|^\W*(?:请|你|要|一定)*(?:记住|记下|别忘了?|牢记)(?:这(?:个|点|一点|条)|那个|了|哦|啊|吧)*\W*$"
    r"|^\W*(?:em |hãy |và )*(?:ghi )?(?:nhớ|đừng quên) (?:điều|cái|việc|chuyện)?\s?(?:này|đó|đấy|nhé|giúp anh"
    r"|kỹ)?(?: nhé| nha)?\W*$",
    re.IGNORECASE,
)


def find(text: str, *, context: str = "", speaker: str = OWNER, own: bool = True) -> list[Directive]:
    """Standing directives in one turn, in order.

    text: what was said. context: the assistant's turn before it, "" if none. speaker: who said it; anyone but "owner"
    gives none. own: leave out what the speaker only shows, asks about or has written; False reads the text as it stands,
    whoever's it is. `start`/`end` are positions in `text`; `Directive.text` is exactly that span, except for an answer that
    needs its question ("yes, always"), which reads "<question> — <answer>".
    """
    if speaker != OWNER or not text.strip() or len(text) > MAX_CHARS:
        return []
    body, where = _nfc_map(text)
    body = own_words(body) if own else body
    answer = answer_to(body, context, GRAMMARS[detect_lang(body)]) if context else None
    if answer is not None:
        return [Directive(answer.text, answer.polarity, where[answer.start], where[answer.end], answer.lang)]
    parts = sentences(body)
    turn = " ".join(_own(s) for s in parts)
    # A jest anywhere in the turn takes all of it back.
    if RETRACTS.search(turn.strip()) or any(grammar.JEST.search(turn) for grammar in GRAMMARS.values()):
        return []
    found: list[Directive] = []
    last_end = -1
    heading: Sentence | None = None
    for i, sentence in enumerate(parts):
        if heads(parts, i, body):
            heading = sentence if _speaks(sentence) else None
            continue
        if own and is_mention(body[sentence.start : sentence.end]):
            continue
        made_of_before = _confirms(parts[i - 1], sentence) if i else None
        if made_of_before is not None:
            start, end = parts[i - 1].start, sentence.end
            if found and start < last_end:
                found.pop()
            found.append(
                Directive(body[start:end], made_of_before, where[start], where[end], detect_lang(body[start:end]))
            )
            last_end = end
            continue
        few = len(parts) <= _SCORED_SENTENCES
        if not _speaks(sentence, parts[i - 1] if i else None, few) and not (
            heading is not None and _SAYS.search(_own(sentence)) and _speaks(under(heading, sentence), None, few)
        ):
            continue
        start, end = sentence.start, sentence.end
        # A verbless neighbour belongs to the rule: "Not to main. Branches, always.", "Never force-push. Ever."
        before = parts[i - 1] if i and parts[i - 1].end > last_end and not parts[i - 1].only_quote else None
        if before and (_POINTS_BACK.match(_own(sentence)) or _fragment(body[before.start : before.end])):
            start = before.start
        elif _POINTS_BACK.match(_own(sentence)):
            continue  # "remember that" with nothing before it
        span = body[start:end]
        if i + 1 < len(parts) and re.fullmatch(
            r"\W*(?:ever|always|never|period|no exceptions?|没有例外|绝对|không ngoại lệ)\W*", _own(parts[i + 1]), re.I
        ):
            end = parts[i + 1].end
            span = body[start:end]
        elif i + 1 < len(parts) and _goes_on(sentence, body, parts[i + 1]):
            end = parts[i + 1].end
        if start < last_end:
            continue
        # What follows a semicolon was not taken along: the rule ends before it.
        start += len(body[start:end]) - len(without_mark(body[start:end].lstrip(MASK + " \n")))
        end = start + len(body[start:end].split(MASK)[0].rstrip().rstrip(";；,，").rstrip())
        span = body[start:end]
        words = ellipsis_joined(span, context)
        found.append(Directive(words, _polarity(sentence.masked), where[start], where[end], detect_lang(span)))
        last_end = end
    return found


#: What a clause begins with that says how the rule before it is to be kept: instead, otherwise, why, whom to ask.
_GOES_ON = re.compile(
    r"^\W*(?:(?:please|just|instead|rather|but|always|only|and|so)\W+)*(?:use|prefer|run|ask|tell|check|call|wait"
    r"|try|instead|otherwise"
    r"|because|since|it|they|that|this|those|these|except|unless|stick|switch|keep|leave)\b"
    r"|^\W*(?:请|先|要|都|一律|而是|应该?)*(?:问|用|改用|使用|告诉|等|找|换|运行|否则|不然|因为|除非|它|那)"
    r"|^\W*(?:hãy |nên |cứ |phải |mà |luôn )*(?:dùng|hỏi|chạy|báo|chờ|thay|sử dụng|nếu không|vì|trừ|nó)(?!\w)",
    re.IGNORECASE,
)
_INSTEAD = re.compile(r"\b(?:instead|rather)\b|改用|换用|换成|(?<!\w)(?:thay|thay vào đó)(?!\w)", re.IGNORECASE)
_NOW = re.compile(r"\b(?:now|today|right away)\b|现在|今天|马上|(?<!\w)(?:bây giờ|hôm nay|ngay)(?!\w)", re.IGNORECASE)


def _goes_on(sentence: Sentence, body: str, after: Sentence) -> bool:
    """Whether the clause behind a semicolon belongs to the rule before it: "…; ask me first", and not "…; now fix it"."""
    if not re.search(r"[;；]\s*$", body[sentence.start : sentence.end]) or after.only_quote or after.question:
        return False
    own = _own(after)
    if not _GOES_ON.match(own) or _NOW.search(own):
        return False
    # What is a rule of its own stays one, unless it says what to do instead.
    return not _by_grammar(after) or _INSTEAD.search(own) is not None


def _fragment(text: str) -> bool:
    return bool(re.match(r"^\W*(?:not|no)\b(?!,)[^.!?]{2,40}[.!]$", text, re.IGNORECASE)) and len(text.split()) <= 6


_REMEMBER = {
    "en": re.compile(
        r"^\W*(?:hey,? |ok,? |and |also,? |please |could you |can you |will you |I(?:'d like| want| need) you to )*"
        r"(?:remember|don'?t forget|do not forget|keep in mind|bear in mind|make a note|take a note|note"
        r"|memori[sz]e|save (?:this|that)"
        r"|(?:one more|another|one) thing to remember|note for later|note to self|for future reference"
        r"|for the record)\b"
        r"(?:,? (?:that|this|for (?:later|next time|the future|me)|of|down|please))*\s*[:,-]?\s*(?P<what>.+)",
        re.IGNORECASE | re.DOTALL,
    ),
    "zh": re.compile(
        r"^\W*(?:请|麻烦|帮我|你要?|另外|还有|对了|再)*[，, ]?(?:记住|记一下|记下来?|记得|牢记|别忘了?|不要忘记"
        r"|请记|备注|备忘|帮我记)"
        r"(?:这一?点|一下|哈|啊|了)?[：:，,、 ]*(?P<what>.+)",
        re.DOTALL,
    ),
    "vi": re.compile(
        r"^\W*(?:này,? |à,? |em |bạn |hãy |làm ơn |vui lòng |giúp anh |giúp tôi |cho anh |và |nhờ em )*"
        r"(?:nhớ(?: (?:là|rằng|giúp|giùm|hộ|kỹ|cho|nhé|điều này))*|ghi nhớ(?: (?:là|rằng|giúp|nhé))*"
        r"|đừng quên(?: là| rằng)?|lưu ý(?: là| rằng)?|ghi lại(?: là)?|ghi chú(?: lại)?|lưu lại(?: là)?)"
        r"\b\s*[:,-]?\s*(?P<what>.+)",
        re.IGNORECASE | re.DOTALL,
    ),
}
_NOT_A_REQUEST = re.compile(
    r"^\W*(?:when|how|the (?:time|days|first)|me\b|to\b|him\b|her\b|us\b)|^\W*(?:吗|不记得|当时)|^\W*(?:không\b"
    r"|hồi|ngày xưa|lúc trước|em\b)",
    re.IGNORECASE,
)


def explicit_memory(text: str) -> str | None:
    """What a remember-request ("remember that …", 「记住…」, "nhớ là …") asks to keep, in the speaker's words; None
    when the turn is no such request, asks something, or would hand over a secret."""
    if len(text) > MAX_CHARS:
        return None
    for sentence in sentences(own_words(unicodedata.normalize("NFC", text))):
        own = _own(sentence)
        if sentence.only_quote or sentence.question:
            continue
        pattern = _REMEMBER[detect_lang(own)]
        match = pattern.match(own)
        if not match or _NOT_A_REQUEST.match(match["what"]):
            continue
        body = unicodedata.normalize("NFC", text)
        what = body[sentence.start + match.start("what") :].strip()
        return None if asks_to_keep_secret(body) or len(what) < 3 else what
    return None


def revocation(text: str) -> bool:
    """Whether the speaker takes an earlier instruction back ("scratch that", 「之前说的不算了」, "bỏ quy định đó")."""
    return any(taken.manner is not Manner.REPLACED for taken in retractions.find(text))
