"""Reading the items of a request: trust, placeholders, entities, and failure → fix among reports without commands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from bio_agent_workers.brain.directives.reader import explicit_memory, find
from bio_agent_workers.brain.text import content_tokens, detect_lang
from bio_agent_workers.brain.wordlists import word_list

Item = Mapping[str, Any]
# Severity of "error", see the attention formula.
ERROR_SEVERITY = 0.8
# Share of the failure's words that a later report must repeat to count as the same act.
_SAME_ACT_SHARE = 0.34

_ID = re.compile(
    r"(?<![\w-])(?:[A-ZĐ]{1,6}\d*[-_/])+[A-Z]*\d[\w-]*|(?<![\w.])\d{5,}(?![\w.])|\b[0-9a-f]{7,40}\b(?=.*)|#\d+"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{20,}\b|\b[\w.+-]+@[\w-]+\.\w+\b"
)
_LITERAL = re.compile(
    r"(?:https?|ftp)://\S+|(?<![\w.])(?:/[\w.@+-]+){2,}/?|\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?\b"
    r"|\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b"
)
_STEP = re.compile(r"^\s*(?:step|bước|步骤|第)\s*[\w/.]+\s*(?:步)?[:,.]?\s+|^\s*\[\w[\w ]*\]\s*", re.I)
_ATTEMPT = re.compile(r"\s*(?:lần \d+|第 ?\d+ ?次|\(?(?:attempt|try|retry) #?\d+\)?|\bretry\b)", re.I)
_NUMBER = re.compile(r"(?<![\w.<-])\d[\d.,]*(?:\s?[%°])?(?![\w-])|(?<=[\u4e00-\u9fff ])\d[\d.,]*(?=[\u4e00-\u9fff ])")
_ENTITY = re.compile(
    r"`([^`\n]{2,60})`|\b([\w-]+\.(?:py|js|ts|tsx|md|json|ya?ml|toml|sql|sh|go|rs|java|cfg|ini|lock|env))\b"
    r"|\b([A-Z][a-z]+[A-Z]\w+)\b|\b([A-Z]{2,8}-\d+)\b"
)
_SUCCESS = re.compile(
    r"\b(?:ok|success(?:ful(?:ly)?)?|succeeded|completed?|passed|posted|released|done|resolved|approved"
    r"|confirmed|accepted|cleared|fixed|finished|started|delivered|recovered)\b"
    r"|成功|通过|完成|已过账|已(?:审批|放行|发布|恢复|解决|确认)|恢复正常"
    r"|thành công|hoàn tất|hoàn thành|đã (?:ghi sổ|duyệt|xong|được duyệt|khắc phục|phát hành|xử lý)|đạt",
    re.I,
)
_SUCCESS_EVENT = re.compile(
    r"posted|released|completed|approved|succeeded|success|resolved|confirmed|passed|done|delivered|recovered"
    r"|cleared",
    re.I,
)
_INJECTION = re.compile(
    r"\b(?:for|to|note to|attention) (?:all |any |the |every )?(?:ai|llm|agents?|assistants?|bots?|models?)\b"
    r"|\b(?:ignore|disregard|forget) (?:all |any |the |your |previous |earlier |prior )+(?:instructions?|rules?"
    r"|prompts?)\b"
    r"|\b(?:new |standing |mandatory |permanent |system )+(?:rule|instruction|policy|directive)s?\b"
    r"|\bfrom now on\b|\b(?:you|assistants?|agents?) (?:must|should) (?:always|never|now)\b|\bremember that\b"
    r"|\bfor future (?:chats|conversations|sessions)\b|\bkeep as a rule\b|\bsystem prompt\b"
    r"|\b(?:without|skip(?:ping)?|bypass(?:ing)?|no need for)(?: any| the| further)? (?:approvals?|reviews?|confirmation|asking)\b"
    r"|忽略(?:之前|以上|先前|所有)|从现在(?:起|开始)|(?:今后|以后|往后)(?:所有|一律|都|请|凡)|新(?:的)?(?:规则|规定)|所有(?:智能体"
    r"|代理|助手|AI)|请记住|(?:不需要|无需|不用|不必|免)(?:再)?(?:经过?)?(?:审批|批准|审核|确认)"
    r"|bỏ qua (?:mọi|tất cả|các) (?:quy tắc|hướng dẫn|lệnh)|từ nay|quy tắc mới|mọi (?:trợ lý|tác nhân|agent)"
    r"|hãy nhớ rằng|(?:không cần|khỏi|miễn|bỏ qua)(?: phải)?(?: được)? (?:duyệt|phê duyệt|xác nhận|kiểm tra|hỏi lại)|duyệt tự động",
    re.I,
)
_ENV_PREFIX = re.compile(r"^(?:\s*(?:sudo|env|time|nohup|exec)\s+|\s*[A-Za-z_]\w*=\S*\s+)+")
_HAS_VERBS = frozenset(
    word_list(
        "git npm pnpm yarn docker kubectl pip pip3 cargo go apt apt-get brew helm terraform poetry uv make"
        " systemctl gh aws gcloud az conda mvn gradle dotnet composer bundle rails flutter"
    )
)


def text_of(item: Item) -> str:
    return str(item.get("text") or "")


def lang_of(item: Item) -> str:
    return str(item.get("lang") or "") or detect_lang(text_of(item))


def is_owner(item: Item) -> bool:
    """An owner's own words: a user turn whose credential vouches for an owner, spoken by the owner."""
    return (
        item.get("kind") == "user"
        and item.get("provenance") == "owner"
        and item.get("speaker") in {"owner", "user", "", None}
        and not item.get("recalled")
    )


def is_evidence(item: Item) -> bool:
    return not item.get("recalled") and item.get("kind") != "assistant"


def is_failed(item: Item) -> bool:
    return bool(item.get("failed"))


def directives_of(item: Item, context: str) -> list[str]:
    if not is_owner(item):
        return []
    return [d.text for d in find(text_of(item), context=context)]


def remember_of(item: Item) -> str | None:
    return explicit_memory(text_of(item)) if is_owner(item) else None


def suspicious(item: Item) -> bool:
    """Text from outside that speaks to agents as if it had a say."""
    outside = item.get("provenance") == "untrusted" or item.get("kind") == "tool"
    return outside and not item.get("recalled") and _gives_orders(text_of(item))


@lru_cache(maxsize=1024)
def _gives_orders(text: str) -> bool:
    return bool(_INJECTION.search(text))


def generic_text(text: str, limit: int = 180) -> str:
    """One line of a report with ids, literals and quantities as placeholders; step and retry marks left out."""
    line = next((part.strip() for part in text.splitlines() if part.strip()), "")
    line = _ATTEMPT.sub("", _STEP.sub("", line))
    line = _LITERAL.sub("<literal>", line)
    line = _ID.sub("<id>", line)
    line = _NUMBER.sub("<n>", line)
    return re.sub(r"\s+", " ", line).strip(" .。")[:limit]


def entities_of(text: str) -> list[str]:
    found: list[str] = []
    for match in _ENTITY.finditer(text[:4000]):
        name = next(g for g in match.groups() if g)[:80]
        if name not in found:
            found.append(name)
    return found[:8]


def family(item: Item) -> str:
    """Program and sub-command of a command ("git push"), "" when there is none."""
    command = _ENV_PREFIX.sub("", str(item.get("command") or ""))
    words = re.findall(r"[^\s;&|]+", command.split("&&")[0].split("|")[0])
    if not words:
        return ""
    program: str = words[0].rsplit("/", 1)[-1]
    if re.fullmatch(r"python[\d.]*|npx|bunx|uvx|node", program):
        rest = [w for w in words[1:] if not w.startswith("-")]
        return rest[0].rsplit("/", 1)[-1] if rest else program
    if program in _HAS_VERBS:
        verbs = [w for w in words[1:] if re.fullmatch(r"[a-z][a-z-]*", w)]
        return f"{program} {verbs[0]}" if verbs else program
    return program


@dataclass(frozen=True, slots=True)
class Remedy:
    """A failure without a command and what followed until it passed. `changed`: (name, before, after) parameters."""

    failures: tuple[int, ...]
    between: tuple[int, ...]
    success: int
    changed: tuple[tuple[str, str, str], ...]


def _ids(text: str) -> set[str]:
    return {m.group() for m in _ID.finditer(text)}


def _act_name(text: str) -> str:
    """ "pour_soup" of "step 4: pour_soup: completed 350 ml", "" when a report names no act."""
    match = re.match(r"\s*([A-Za-z][\w.-]*[_.]\w+|[\w-]{3,40}(?=\s*:))", _STEP.sub("", text))
    return match.group(1).lower() if match else ""


def _leading_words(text: str) -> str:
    """What a report is about: the words before its first identifier."""
    line = _STEP.sub("", text)
    first = _ID.search(line)
    return " ".join(line[: first.start()].split()).casefold() if first else ""


def _stems(text: str) -> set[str]:
    return {t for t in content_tokens(generic_text(text)) if t not in {"<", ">", "id", "n", "literal"}}


def _succeeds(item: Item) -> bool:
    if is_failed(item) or float(item.get("severity") or 0) >= 0.5:
        return False
    return bool(_SUCCESS_EVENT.search(str(item.get("event") or "")) or _SUCCESS.search(text_of(item)))


def _same_act(failure: Item, later: Item) -> bool:
    a, b = text_of(failure), text_of(later)
    if _act_name(a) and _act_name(b):
        return _act_name(a) == _act_name(b)
    if (first := _ID.search(a)) and first.group() in _ids(b):
        return True
    if _ids(a) & _ids(b):
        return _leading_words(a) == _leading_words(b)  # another thing that the failure's line names
    words = _stems(a)
    return bool(words) and len(words & _stems(b)) >= max(1.0, _SAME_ACT_SHARE * min(len(words), len(_stems(b)) or 1))


_PARAM = re.compile(
    r"([^\W\d_][^\W\d_ ]*(?: [^\W\d_]+){0,2})\s*[:=]?\s*(\d+(?:\.\d+)?)\s?([a-z%°µ]+(?:/[a-z]+)?)?", re.I
)


# How a step ended is no part of a parameter's name: "OK approach speed 25 mm/s".
_OUTCOME = re.compile(rf"{_SUCCESS.pattern}|\b(?:fail(?:ed|ure)?|error|retry|aborted)\b|失败|报错|thất bại|lỗi", re.I)


def _params(text: str) -> dict[str, tuple[float, str]]:
    out: dict[str, tuple[float, str]] = {}
    for chunk in re.split(r"[,;()，；、]", _OUTCOME.sub(" ", _STEP.sub("", text))):
        for name, number, unit in _PARAM.findall(chunk):
            out[name.strip().lower()] = (float(number), f"{number} {unit}".strip())
    return out


def _changed(failures: Sequence[Item], success: Item) -> tuple[tuple[str, str, str], ...]:
    after = _params(text_of(success))
    out = []
    for name, (value, shown) in after.items():
        before = [_params(text_of(f)).get(name) for f in failures]
        known = [b for b in before if b is not None]
        # A parameter was tuned when every failure had it on the same side of the value that passed.
        if len(known) == len(failures) and (all(b[0] > value for b in known) or all(b[0] < value for b in known)):
            out.append((name, "lower" if known[0][0] > value else "higher", shown))
    return tuple(out)


def _bearing(failures: Sequence[Item], success: Item, between: list[Item]) -> list[Item]:
    """Of what happened in between, the reports that speak of what failed; all of it where none does."""
    about = frozenset().union(*(_stems(text_of(i)) | _ids(text_of(i)) for i in (*failures, success)))
    on_it = [i for i in between if (_stems(text_of(i)) | _ids(text_of(i))) & about]
    return on_it or between


def remedies(items: Sequence[Item]) -> list[Remedy]:
    """Failure → (what happened between) → success of the same act, among evidence without commands, in order."""
    rows = [
        i
        for i in items
        if not i.get("command")
        and i.get("kind") in {"event", "tool", "state", "outcome"}
        and is_evidence(i)
        and not suspicious(i)
    ]
    out: list[Remedy] = []
    used: set[int] = set()
    for index, item in enumerate(rows):
        n = int(item["n"])
        if not is_failed(item) or n in used:
            continue
        failures: list[Item] = [item]
        between: list[Item] = []
        for later in rows[index + 1 :]:
            fixes = n in (later.get("fixes") or [])
            if is_failed(later):
                if _same_act(item, later):
                    failures.append(later)
                continue
            if fixes or (_succeeds(later) and _same_act(item, later)):
                changed = _changed(failures, later) if not between else ()
                between = _bearing(failures, later, between)
                used.update(int(f["n"]) for f in failures)
                out.append(
                    Remedy(
                        tuple(int(f["n"]) for f in failures),
                        tuple(int(b["n"]) for b in between),
                        int(later["n"]),
                        changed,
                    )
                )
                break
            between.append(later)
    return out
