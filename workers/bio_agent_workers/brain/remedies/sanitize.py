"""One line of remembered text made safe to stand in a prompt: it can neither look like markup nor end its block.

The text stays readable for people and models; what could be rendered, executed or taken for a turn of the dialogue
loses that power.
"""

from __future__ import annotations

import re
import unicodedata

from bio_agent_workers.brain.guarding.act_forms import word_set

IMAGE_REMOVED = "[image removed]"
CUT_MARK = "…"

#: What may stand in angle brackets unescaped: names of arguments, as rules about commands show them. A closed list, so
#: that no role of a dialogue, no markup and no delimiter can be written with it.
PLACEHOLDER_NAMES = word_set(
    "address amount any arg args archive author branch bucket channel class cluster code column command "
    "commit company config container count customer database date device dir directory domain email env "
    "environment error expression field file filename flag folder hash host hostname id image index interface "
    "invoice job key lang line model module month n name namespace node number order out owner package path "
    "pattern pid platform pod port process product profile project project_root query queue ref region "
    "release remote repo repository resource root row schema script service size source status table tag "
    "target term test text time timeout token type unit url value vendor version volume word workspace year"
)
PLACEHOLDER = re.compile(r"<([a-z][a-z_]{0,19})>")
_SHOWN_PLACEHOLDER = re.compile(r"&lt;([a-z][a-z_]{0,19})&gt;")
_ENTITY_LIKE = re.compile(r"&(?=[#A-Za-z])")

_READ_FACTOR = 4  # characters read per byte wanted: bounds the work on a hostile text, whatever of it is removed

_BLANK_CATEGORIES = frozenset(("Zl", "Zp", "Zs"))
# Controls, invisible formatting (bidi, zero width, tags), lone surrogates, private use, unassigned.
_DROPPED_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co", "Cn"))
# Letters and marks by category, invisible all the same: fillers, joiner, variation selectors.
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_IMAGE = re.compile(r"!\s?\[([^\[\]]*)\]\s?(?:\([^()]*(?:\([^()]*\)[^()]*)*\)?|\[[^\[\]]*\])")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*(?:\([^()]*\)[^()]*)*\)?")
_IMAGE_ADDRESS = re.compile(
    r"!\s?\[[^\[\]]{0,200}\]\s?\(\s?(?:https?:)?//|<\s?(?:img|iframe|script|object|embed)\b[^>]{0,200}\bsrc\b", re.I
)
_FILLED_ADDRESS = re.compile(r"https?://[^\s\"'<>]{1,300}[?&=#](?:[\w.%-]*=)?(?:\{\{?|\$\{?|%7B)[a-z_]", re.I)
_CONTROL_TOKEN = re.compile(r"\[(/?[A-Z][A-Z_]{2,})\]")  # [INST], [/INST], [TOOL_CALLS]
_FENCE = re.compile(r"`{2,}|~{2,}")
_BLOCK_START = re.compile(r"^(?:[#>*+\-=|]+\s+|[#>=|]+)+")
_PIPES = re.compile(r"<\s*[|｜]|[|｜]\s*>")  # <|im_start|> and its full-width kin


def safe_line(text: str, max_bytes: int) -> str:
    """`text` as one escaped line of at most `max_bytes` UTF-8 bytes before escaping.

    `<` and `>` are escaped, except around the name of an argument (`<path>`, see PLACEHOLDER_NAMES); `&` only where it
    could be read as the begin of an entity.

    Newlines fold to blanks; control, bidi and invisible characters go; markdown images go with their address, links
    keep only their words; code fences shrink to one backtick, and a lone backtick becomes an apostrophe; tokens of
    chat templates are broken by a blank. html.unescape() gives the text back as shown. "" when nothing is left.
    """
    line = _visible(text if len(text) <= _READ_FACTOR * max_bytes else text[: _READ_FACTOR * max_bytes] + CUT_MARK)
    line = _without_markdown(line)
    line = _PIPES.sub(lambda m: " ".join(m.group().replace(" ", "")), line)
    line = _CONTROL_TOKEN.sub(r"[ \1 ]", line)
    line = _BLOCK_START.sub("", line)
    line = cut_to_bytes(" ".join(line.split()), max_bytes)
    return _escape(_balanced_backticks(line))


def carries_out(text: str) -> bool:
    """Whether following the text would send data away: an image or link whose address is loaded when it is shown, or an
    address with a gap in its query that somebody's data would fill."""
    return bool(_IMAGE_ADDRESS.search(text) or _FILLED_ADDRESS.search(text))


def _escape(line: str) -> str:
    if "&" in line:
        line = _ENTITY_LIKE.sub("&amp;", line)
    if "<" not in line and ">" not in line:
        return line
    line = line.replace("<", "&lt;").replace(">", "&gt;")
    return _SHOWN_PLACEHOLDER.sub(lambda m: f"<{m[1]}>" if m[1] in PLACEHOLDER_NAMES else m.group(), line)


def without_placeholders(line: str) -> str:
    """An escaped line without the placeholders that may stand in it: no angle bracket is left in it."""
    return PLACEHOLDER.sub(lambda m: "" if m[1] in PLACEHOLDER_NAMES else m.group(), line)


def cut_to_bytes(text: str, max_bytes: int) -> str:
    """`text` cut to at most `max_bytes` UTF-8 bytes, marked where it was cut, after a whole word if one is near."""
    encoded = text.encode()
    if len(encoded) <= max_bytes:
        return text
    head = encoded[: max(0, max_bytes - len(CUT_MARK.encode()))].decode(errors="ignore")
    word_end = head.rfind(" ")
    if word_end > len(head) * 2 // 3:
        head = head[:word_end]
    return head.rstrip() + CUT_MARK


def _visible(text: str) -> str:
    """One line without what cannot be seen. Tabs and line ends are blanks."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible_char, _INVISIBLE.sub("", text)))


def _visible_char(char: str) -> str:
    if char in "\t\n\r\x0b\x0c\x85":
        return " "
    category = unicodedata.category(char)
    if category in _BLANK_CATEGORIES:
        return " "
    return "" if category in _DROPPED_CATEGORIES else char


def _without_markdown(line: str) -> str:
    line = _IMAGE.sub(IMAGE_REMOVED, line)
    line = _LINK.sub(r"\1", line)
    # What the two patterns left (nested or unfinished forms) can no longer be read as a link, image or definition.
    line = line.replace("](", "] (").replace("][", "] [").replace("]:", "] :").replace("![", "! [")
    return _FENCE.sub(lambda m: m.group()[0], line)


def _balanced_backticks(line: str) -> str:
    if line.count("`") % 2 == 0:
        return line
    last = line.rfind("`")
    return f"{line[:last]}'{line[last + 1 :]}"
