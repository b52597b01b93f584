"""Properties that an act gives to its object: "world-writable", "executable", "public", and the modes and fields that do it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bio_agent_schema.types import Act
from bio_agent_workers.brain.guarding.act_forms import options

#: How a sentence says that something becomes what it was not.
_MAKE = (
    r"(?:\b(?:made|mak(?:e|es|ing)|mark(?:s|ed|ing)?|set|turn(?:s|ed|ing)?|become(?:s)?|render(?:s|ed|ing)?|left|leave)\b"
    r"|(?<!\w)(?:đặt|để|làm|biến|trở|cho|chuyển|chia sẻ)(?!\w)|[设改变弄置][为成]|[让把使将])"
)
_EVERYBODY = r"(?:everyone|everybody|anyone|anybody|all(?: users)?|others|the world)"
#: Property → how it is said; in English and Vietnamese it stands behind the verb that makes it so.
_PROPERTIES = {
    name: re.compile(rf"(?P<make>{_MAKE})[^.;。；]{{0,60}}?(?P<said>{said})", re.I)
    for name, said in {
        "world-writable": r"\b(?:world|publicly|globally)[- ]writ(?:e?able)\b"
        rf"|\bwrit(?:e?able) (?:by|for|to) {_EVERYBODY}\b|(?<!\w)(?:ai|mọi người|tất cả) (?:cũng |đều )?(?:có thể )?ghi được"
        r"|ghi được (?:bởi|cho) (?:mọi|tất cả|bất)|(?:所有人|任何人|全局|其他人)[^，。；]{0,4}可写",
        "world-readable": r"\b(?:world|publicly|globally)[- ]readable\b"
        rf"|\breadable (?:by|for|to) {_EVERYBODY}\b|(?<!\w)(?:ai|mọi người|tất cả) (?:cũng |đều )?(?:có thể )?đọc được"
        r"|(?:所有人|任何人|全局|其他人)[^，。；]{0,4}可读",
        "executable": r"\bexecutable\b(?! file)|(?<!\w)(?:thực thi|chạy) được(?!\w)|可执行(?!文件)",
        "setuid": r"\bset-?uid\b",
        "public": r"\bpublic(?:ly (?:accessible|visible|available))?(?=\s*(?:$|[,.;]|(?:without|before|unless|on|in)\b))"
        r"|(?<!\w)công khai(?!\w)|公开",
    }.items()
}  # fmt: skip
#: One of these stands in whatever names a property.
_HINT = re.compile(r"writ|reada|execut|uid\b|public|được|công khai|可|公开", re.I)
_OCTAL = re.compile(r"[0-7]{3,4}")
_SYMBOLIC = re.compile(r"([ugoa]*)([+=-])([rwxXst]*)")
#: Words and options of a command that open something to everybody.
_PUBLISHES = frozenset({"public-read", "public-read-write", "allusers", "--allow-unauthenticated", "--public"})
_ACCESS = frozenset(
    {"visibility", "access", "acl", "privacy", "sharing", "canned_acl", "public_access", "--visibility"}
)
_OPEN_TO_ALL = frozenset(
    {"public", "public-read", "public-read-write", "everyone", "anyone", "anyone_with_link", "world"}
)


def made(name: str) -> str:
    """The act of giving a property, as an action concept."""
    return f"make {name}"


def take_properties(clause: str) -> tuple[set[str], str]:
    """The acts of giving a property that a clause speaks of, and the clause with blanks in place of the words for them."""
    if not _HINT.search(clause):
        return set(), clause
    found = {name: match for name, said in _PROPERTIES.items() if (match := said.search(clause))}
    for start, end in (match.span(part) for match in found.values() for part in ("make", "said")):
        clause = clause[:start] + " " * (end - start) + clause[end:]
    return {made(name) for name in found}, clause


def mode_gives(mode: str) -> set[str]:
    """Properties that a mode of `chmod` gives: "777", "a+w". A class left out is under the umask, which keeps others out."""
    if _OCTAL.fullmatch(mode):
        bits, special = [int(digit) for digit in mode[-3:]], int(mode[0]) if len(mode) == 4 else 0
        given = {"world-writable": bits[2] & 2, "world-readable": bits[2] & 4, "executable": any(b & 1 for b in bits)}
        return {name for name, has in given.items() if has} | ({"setuid"} if special & 4 else set())
    out: set[str] = set()
    for who, sign, what in _SYMBOLIC.findall(mode):
        if sign != "-":
            others = bool({"o", "a"}.intersection(who))
            out |= {"executable"} if {"x", "X"}.intersection(what) else set()
            out |= {"world-writable"} if others and "w" in what else set()
            out |= {"world-readable"} if others and "r" in what else set()
            out |= {"setuid"} if "s" in what and who != "g" else set()
    return out


def act_gives(act: Act, words: Iterable[str]) -> set[str]:
    """Properties that a command gives. words: of the call, lower case."""
    if act.tool == "chmod" and act.operands:
        return mode_gives(act.operands[0])
    shown = {*words, *(option.lower() for option in options(act))}
    asked = {option.partition("=")[2] for option in shown if option.partition("=")[0] in _ACCESS}
    public = shown & _PUBLISHES or asked & _OPEN_TO_ALL or ("--visibility" in shown and "public" in shown)
    return {"public"} if public else set()


def field_gives(key: str, value: str) -> set[str]:
    """Properties that a field of a structured call gives: `visibility: public`, `is_public: true`."""
    name, told = key.rsplit(".", 1)[-1].lower(), value.lower()
    if name in _ACCESS:
        return {"public"} if told in _OPEN_TO_ALL else set()
    plain = name.removeprefix("is_").replace("_", "-")
    return {plain} if plain in _PROPERTIES and told in ("true", "yes", "1") else set()
