"""What a call says that takes it out of a person's rule: who asked for it, or the state that the rule excepts.

"Only Ann may approve payroll" with `approved_by: ann`, "unless I ask for it" with `requested_by: owner`, "unless the
customer is gold tier" with `customer_tier: gold`. A field that names somebody else, or no such field, changes nothing.
"""

from __future__ import annotations

import re
import unicodedata

from bio_agent_workers.brain.guarding.act_forms import word_set
from bio_agent_workers.brain.guarding.call_view import Call

_ONLY = re.compile(
    r"(?:^|[.;,:]\s*)(?:only|nobody (?:but|except|other than|besides)|no one (?:but|except|other than|besides))\s+(?P<en>[^,.;]{1,60}?)\s+"
    r"(?:may|can|must|should|(?:is|are) (?:allowed|permitted) to|gets? to)\b"
    r"|(?<!\w)chỉ\s+(?:có |mình |riêng |một mình )*(?P<vi>[^,.;]{1,40}?)\s+(?:mới\s+)?(?:được|có quyền)(?!\w)"
    r"|只有(?P<zh>[^，。；]{1,12}?)(?:本人|自己)?才?(?:能|可以|可|有权)",
    re.I,
)
_UNLESS = re.compile(
    r"(?:\bunless|\bexcept (?:when|if|where)|(?<!\w)(?:trừ|ngoại trừ) (?:khi|phi|nếu)(?!\w)|除非)\s*(?P<what>[^,.;，。；]+)",
    re.I,
)
#: The rule's own author asks: "I ask for it myself".
_I_ASK = re.compile(
    r"^I (?:\w+ )?(?:ask|say|tell|told|request|order|want|said)|^(?:tôi|anh|chị|mình) (?:\w+ )?(?:yêu cầu|bảo|nhờ|ra lệnh|nói)(?!\w)"
    r"|^(?:是)?我(?:自己|本人|亲自)?(?:要求|让|叫|说|吩咐|要)", re.I
)  # fmt: skip
#: Something is something: "the customer is gold tier".
_BEING = re.compile(
    r"^(?P<of>.+?)(?:\s+(?:is|are|was|has)\s+(?:an?\s+|the\s+|in\s+|of\s+)?|\s+(?:là|thuộc)\s+|[是为属]于?\s*)(?P<what>[\w -]+?)\s*$",
    re.I,
)
_NOT = word_set("not no never without unless and or but không chưa và hoặc")
_ACTORS = word_set("actor requester approver operator on_behalf_of")
_DOER = re.compile(r"^(?P<done>request|approv|ask|order|initiat|perform|execut|sign|confirm|do)\w*_by$")
_ROLES = word_set("person user role team employee staff human agent")
_FILLERS = word_set("or and the a an our my members of chị anh ông bà cô chú em sếp")
_TOLD = word_set("tier level class status state type kind member")


def at_odds(text: str, call: Call) -> bool:
    """Whether a call shows that a rule does not speak of it. text: the whole rule."""
    found = _ONLY.search(text)
    if found is not None and _asked_by(_people(found["en"] or found["vi"] or found["zh"]), call):
        return True
    for said in _UNLESS.finditer(text):
        what = said["what"].strip()
        if _asked_by(frozenset({"owner"}), call) if _I_ASK.search(what) else _is_so(what, call):
            return True
    return False


def _people(said: str) -> frozenset[str]:
    """The words by which a rule names those who may; none where it says who may not."""
    words = _words(re.sub(r"\w+['’]s\b", " ", said))
    if not words.isdisjoint(_NOT - {"or", "and", "hoac", "va"}) or {"other", "except"} & words:
        return frozenset()
    return (words - _folded(_FILLERS)) | ({"owner"} if words & {"i", "me", "toi", "我"} else set())


def _asked_by(people: frozenset[str], call: Call) -> bool:
    """Whether every field for who asked or approved names one of these; of several that of the act's own counts."""
    given: dict[str, str] = {}
    for key, value in call.texts.items():
        name = re.sub(r"[\s-]", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower())
        doer = _DOER.match(name)
        if doer is not None or name in _ACTORS:
            given[doer["done"] if doer is not None else name] = value
    own = [value for done, value in given.items() if any(action.startswith(done) for action in call.actions)]
    told = [_words(value) - _ROLES for value in own or given.values()]
    return bool(told) and all(words and words <= people for words in told)


def _is_so(what: str, call: Call) -> bool:
    """Whether a field of the call says just what a clause says of something; a clause of several conditions is left."""
    said = _BEING.match(what)
    if said is None or not _words(what).isdisjoint(_NOT) or re.search(r"\d|n't|[不没未且并]", what):
        return False
    of, told = _words(said["of"]), _words(said["what"])
    for key, value in call.texts.items():
        named, shown = _words(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key)), _words(value)
        if shown == {"true"} and named <= of | told:
            shown = named & told  # `urgent: true`
        elif named.isdisjoint(of) and (what.isascii() or shown != told):
            continue
        if shown and shown <= told <= shown | named | _TOLD:
            return True
    return False


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", _plain(text)))


def _folded(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(_plain, words))


def _plain(text: str) -> str:
    """Lower case, without the marks over letters: "Hạnh" is `hanh`."""
    plain = unicodedata.normalize("NFD", text.lower().replace("đ", "d"))
    return "".join(c for c in plain if not unicodedata.combining(c))
