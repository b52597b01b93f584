"""Clauses of a rule and their conditions: what is negated where, and what depends on what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from bio_agent_workers.brain.relations.concepts import Item
from bio_agent_workers.brain.wordlists import word_list

_JOINING = frozenset(["and", "or", "nor", "和", "与", "或", "且", "并", "也", "và", "hoặc", "cũng"])


@dataclass(slots=True)
class Part:
    """A stretch of a clause. conditional: it is a condition of the rule. moods: what the words of logic in it say."""

    conditional: bool = False
    lacking: bool = False  # opened by "without": a circumstance, not a condition
    flipped: bool = False  # opened by a word that negates it: unless, without, only if
    items: list[Item] = field(default_factory=list)
    moods: set[str] = field(default_factory=set)
    negations: int = 0
    bare_no: bool = False  # it begins with "no"
    joined: bool = False  # an "and" since the last negation: what follows is negated too, not twice

    @property
    def sign(self) -> int:
        return -1 if (self.negations + self.flipped) % 2 else 1


# Prohibitions that open the rule itself where a condition stood before: 没有审批不得发布.
_FORBIDDING = frozenset(
    [
        *word_list("不得 不要 不能 不许 不准 不可 不可以 不允许 不应 严禁 禁止 不算 cannot can't cấm"),
        *("must not", "may not", "không được", "không được phép"),
    ]
)


_NOBODY = frozenset(
    ["nobody", "no one", "任何人不得", "谁也不得", "谁也不能", "không ai", "không ai được"]
)  # forbids to everyone


_FINITE = frozenset(["is", "are", "was", "were", "get", "gets", "will"])  # what begins the predicate
_REFUSING = "approve"  # the concept whose opposite pole is to refuse
_LACKING = frozenset(["没", "未", "没有", "未经", "尚未", "无", "chưa", "chưa được"])


def _turn(clause: list[Part], fresh: Callable[..., Part]) -> Part:
    """What stood so far in the clause is a condition: 只有 A 才 B, "chỉ A mới B", 下雨时 A."""
    for p in clause:
        p.conditional = p.conditional or not p.lacking
    return fresh()


def _slogan(clause: list[Part], following: tuple[Item, ...]) -> bool:
    """ "No order, no pay": the first is the condition of the second."""
    return len(clause) == 1 and clause[0].bare_no and bool(following) and following[0].surface == "no"


def _settle(clause: list[Part], necessary: bool) -> None:
    """Duties said by denial: "no A without B", "not A unless B", "A only if B" all ask for B wherever A is."""
    conditions = [p for p in clause if p.conditional or p.lacking]
    rules = [p for p in clause if not (p.conditional or p.lacking)]
    if necessary and any(i.name for p in conditions for i in p.items if i.kind in ("concept", "word")):
        for p in rules:
            p.moods.discard("may")
            p.moods.add("must")
    denied = [p for p in conditions if p.sign < 0 and any(i.name for i in p.items)]
    for p in rules if denied else ():
        refusing = [i for i in p.items if i.kind == "concept" and i.name == _REFUSING and i.pole < 0]
        if refusing and not p.negations:  # "orders without a number are refused"
            p.items = [i for i in p.items if i not in refusing]
            p.negations += 1
    if denied and any(p.negations % 2 for p in rules):
        for p in (*denied, *rules):
            if p in denied or p.negations % 2:
                p.negations, p.flipped = 0, False
                p.moods.discard("not")
        for p in rules:
            p.moods.discard("may")
            p.moods.add("must")
    for p in clause:
        if p.negations % 2:
            p.moods.discard("may")  # "no postings are allowed"
        if p.lacking and not any(i.name for i in p.items):
            p.moods.add("exempt")  # "… post without one"


def _denied_circumstance(part: Part) -> bool:
    """Whether a stretch begins with a denial (没, 未, chưa) and names something after it, so that a second denial forbids what
    lacks it."""
    row = part.items
    begins = bool(row) and row[0].kind == "op" and row[0].name == "NOT1" and row[0].surface in _LACKING
    return begins and not part.negations and any(i.name for i in row[1:] if i.kind in ("concept", "word"))


def parts(items: tuple[Item, ...]) -> list[Part]:
    """Clauses in order, each a list of stretches: the rule itself, its conditions, what it is to be without."""
    out: list[Part] = []
    part = Part()
    clause: list[Part] = [part]
    necessary = False

    def fresh(conditional: bool = False, lacking: bool = False, flipped: bool = False) -> Part:
        made = Part(conditional, lacking, flipped)
        clause.append(made)
        return made

    def close() -> None:
        _settle(clause, necessary)
        out.extend(p for p in clause if p.items or p.moods)
        clause.clear()

    for n, item in enumerate(items):
        name = item.name if item.kind == "op" else ""
        if item.kind == "break":
            if item.name == "," and _slogan(clause, items[n + 1 : n + 2]):
                part.conditional = True
                part = fresh()
                continue
            if item.name in (",", "，") and all(p.conditional or p.lacking for p in clause if p.items):
                part = fresh()  # "Without approval, nobody …": a condition in front belongs to what follows
                continue
            close()
            necessary = False
            part = fresh()
        elif name in ("INSTEAD", "BUT"):
            close()
            necessary = False
            part = fresh()
            if name == "INSTEAD":
                part.negations += 1
                part.moods.add("not")
        elif item.surface == "mới" and any("only" in p.moods or p.conditional for p in clause):
            part = _turn(clause, fresh)
            necessary = True
        elif name == "WITHOUT":
            part = fresh(lacking=True, flipped=True)
        elif name in ("IF", "UNLESS", "ONLYIF"):
            necessary |= name == "ONLYIF" or (name == "IF" and "only" in part.moods and not part.conditional)
            part = fresh(conditional=True, flipped=name == "UNLESS")
            if name == "ONLYIF":
                part.moods.add("only")
        elif name == "THENONLY":
            part = _turn(clause, fresh)
            necessary = True
        elif name == "ENDIF":
            part = _turn(clause, fresh)
        elif name == "NOT" and _denied_circumstance(part):
            part.lacking, part.flipped = True, True  # 没拍照就不要装车, "what is not scanned may not …"
            part.items = [i for i in part.items if i.name != "NOT1"]
            part = fresh()
            part.negations += 1
            part.moods.add("not")
        elif name == "NOT":
            if (part.conditional or part.lacking) and part.items and item.surface in _FORBIDDING:
                part = fresh()
            part.bare_no = item.surface == "no" and not part.items
            part.negations += not (part.joined and part.negations)
            part.moods |= {"not", "any"} if item.surface in _NOBODY else {"not"}
        elif name == "EXEMPT":
            part.negations += 1
            part.moods.add("exempt")
        elif name == "ANY":
            part.moods.add("any")
        elif name in ("MAY", "MUST", "ONLY"):
            if (part.conditional or part.lacking) and part.items and name != "ONLY":
                part = fresh()  # "when a file is closed the clerk must …"
            part.moods.add(name.lower())
        else:
            if part.lacking and part.items and item.surface in _FINITE:
                part = fresh()  # "orders without a number are refused"
            part.items.append(item)
            part.joined |= item.surface in _JOINING
    close()
    return out
