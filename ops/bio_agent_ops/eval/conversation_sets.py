"""Public sets of long conversations, read in the form they are published in, as turns and questions about them."""

from __future__ import annotations

import ast
import json
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

# Conversations without dates get them: order is all that is known, and a day between turns keeps it.
UNDATED = datetime(2024, 1, 1, tzinfo=UTC)


class SetError(ValueError):
    """The file is not of a known form; the message names what was looked for."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance. `id` is the set's own; `at` is when it was said, one second after the other within a session."""

    id: str
    session: str
    position: int
    speaker: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """relevant: ids of the turns that answer it (or of sessions, where the set only knows those); newer, older: what
    was said last on the matter and what that replaced; present: a turn that must be in the context given; sides: for each
    side of a contradiction the turns that hold it."""

    text: str
    kind: str
    relevant: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    newer: tuple[str, ...] = ()
    older: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    sides: tuple[tuple[str, ...], ...] = ()


@dataclass(slots=True)
class Conversation:
    id: str
    turns: list[Turn] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


def read(path: Path) -> Iterator[Conversation]:
    """LoCoMo (a list of samples), LongMemEval (a list of questions with their haystack), BEAM (a folder of chats) or
    FactConsolidation (numbered facts). Raises SetError when it is none of these."""
    if path.is_dir():
        chats = sorted(path.rglob("chat.json"), key=lambda p: (len(p.parent.name), p.parent.name))
        if not chats:
            raise SetError(f"{path}: no chat.json below it; a folder must hold chats as BEAM publishes them")
        for chat in chats:
            yield beam(chat.parent)
        return
    try:
        text = path.read_text("utf-8")
        lines = text.strip().splitlines()
        rowwise = len(lines) > 1 and lines[0].startswith("{") and lines[0].endswith("}")
        data = [json.loads(line) for line in lines if line.strip()] if rowwise else json.loads(text)
    except (OSError, ValueError) as error:
        raise SetError(
            f"{path}: {error}; give a JSON file as LoCoMo, LongMemEval or FactConsolidation publish it"
        ) from error
    rows = data if isinstance(data, list) else [data]
    for number, row in enumerate(rows):
        if "conversation" in row and "qa" in row:
            yield locomo(row, number)
        elif "haystack_sessions" in row:
            yield longmemeval(row)
        elif "context" in row and "questions" in row and "answers" in row:
            yield fact_consolidation(row, number)
        else:
            raise SetError(
                f"{path}: entry {number} has the keys {sorted(row)[:8]}; expected conversation and qa (LoCoMo),"
                " haystack_sessions (LongMemEval), or context, questions and answers (FactConsolidation)"
            )


_FORMS = ("%I:%M %p on %d %B, %Y", "%Y/%m/%d (%a) %H:%M", "%B-%d-%Y", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S")


def _when(text: str, fallback: datetime) -> datetime:
    """A date as these sets write them, in UTC; `fallback` for any other."""
    for form in _FORMS:
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return fallback


def locomo(row: Mapping[str, Any], number: int) -> Conversation:
    said = row["conversation"]
    found = Conversation(str(row.get("sample_id", number)))
    names = sorted((k for k in said if re.fullmatch(r"session_\d+", k)), key=lambda k: int(k.split("_")[1]))
    at = UNDATED
    for name in names:
        at = _when(str(said.get(f"{name}_date_time", "")), at + timedelta(days=1))
        for position, turn in enumerate(said[name]):
            picture = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            found.turns.append(Turn(
                turn["dia_id"], name, position, turn["speaker"], turn["text"] + picture, at + timedelta(seconds=position),
            ))  # fmt: skip
    session_of = {t.id: t.session for t in found.turns}
    for q in row["qa"]:
        gold = tuple(i for e in q.get("evidence", ()) for i in re.findall(r"D\d+:\d+", str(e)) if i in session_of)
        found.questions.append(Question(
            str(q["question"]), f"category {q.get('category', '?')}", gold, tuple(dict.fromkeys(session_of[i] for i in gold)),
        ))  # fmt: skip
    return found


def longmemeval(row: Mapping[str, Any]) -> Conversation:
    found = Conversation(str(row.get("question_id", "")))
    ids = row.get("haystack_session_ids") or [str(i) for i in range(len(row["haystack_sessions"]))]
    at = UNDATED
    for place, (session, turns) in enumerate(zip(ids, row["haystack_sessions"], strict=True)):
        at = _when(str((row.get("haystack_dates") or [""] * len(ids))[place]), at + timedelta(days=1))
        for position, turn in enumerate(turns):
            found.turns.append(Turn(
                f"{session}:{position}", session, position, turn["role"], turn["content"], at + timedelta(seconds=position),
            ))  # fmt: skip
    gold = tuple(
        f"{session}:{position}"
        for session, turns in zip(ids, row["haystack_sessions"], strict=True)
        for position, turn in enumerate(turns)
        if turn.get("has_answer")
    )
    kind = str(row.get("question_type", ""))
    if found.id.endswith("_abs"):  # nothing in the haystack answers: no place of it is right
        found.questions.append(Question(row["question"], f"{kind}, no answer"))
    else:
        found.questions.append(
            Question(row["question"], kind, gold, tuple(map(str, row.get("answer_session_ids", ()))))
        )
    return found


def beam(folder: Path) -> Conversation:
    """A chat and its probing questions; batches of the chat are its sessions."""
    found = Conversation(folder.name)
    at = UNDATED
    position = 0
    for batch in json.loads((folder / "chat.json").read_text("utf-8")):
        session = f"batch {batch.get('batch_number', len(found.turns))}"
        for group in batch["turns"]:
            for message in group:
                if message.get("time_anchor"):
                    at = max(at, _when(str(message["time_anchor"]), at))
                at += timedelta(seconds=30)
                text = re.sub(r"\s*->->\s*[\d,]+\s*$", "", message["content"])  # the set's own place mark
                found.turns.append(Turn(str(message["id"]), session, position, message["role"], text, at))
                position += 1
    known = {t.id for t in found.turns}
    for kind, questions in json.loads((folder / "probing_questions.json").read_text("utf-8")).items():
        for q in questions:
            found.questions.append(_beam_question(kind, q, known))
    return found


def _beam_question(kind: str, q: Mapping[str, Any], known: set[str]) -> Question:
    source = q.get("source_chat_ids", ())
    if isinstance(source, str):
        source = ast.literal_eval(source)
    parts = source if isinstance(source, Mapping) else {"all": source}

    def ids(name: str) -> tuple[str, ...]:
        value = parts.get(name, ())
        return tuple(i for i in map(str, value if isinstance(value, list | tuple) else [value]) if i in known)

    every = tuple(dict.fromkeys(i for name in parts for i in ids(name)))
    standing = kind in ("instruction_following", "preference_following")
    return Question(
        q["question"], kind, every, newer=ids("updated_info"), older=ids("original_info"), present=every if standing else (),
        sides=tuple(filter(None, map(ids, parts))) if kind == "contradiction_resolution" else (),
    )  # fmt: skip


_FACT = re.compile(r"^\s*(\d+)[.:)]\s+(.+?)\s*$", re.MULTILINE)


def fact_consolidation(row: Mapping[str, Any], number: int) -> Conversation:
    """Numbered facts, a later one replacing an earlier one on the same matter; the answers are what holds in the end."""
    found = Conversation(str(row.get("id", number)))
    for place, (serial, fact) in enumerate(_FACT.findall(row["context"])):
        found.turns.append(Turn(serial, "facts", place, "", fact, UNDATED + timedelta(hours=place)))
    hops = "_mh" in str((row.get("metadata") or {}).get("source", ""))
    for question, answers in zip(row["questions"], row["answers"], strict=True):
        if hops:  # the answer follows from several facts, which the set does not name
            found.questions.append(Question(question, "newest wins, several hops"))
            continue
        wanted = [str(a).casefold() for a in (answers if isinstance(answers, list) else [answers])]
        holding = [t for t in found.turns if any(a in t.text.casefold() for a in wanted)]
        newer = _nearest_in_words(question, holding)
        if newer is not None:
            found.questions.append(Question(
                question, "newest wins", (newer.id,), newer=(newer.id,), older=_earlier_of(newer, found.turns),
            ))  # fmt: skip
    return found


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _nearest_in_words(question: str, turns: list[Turn]) -> Turn | None:
    asked = _words(question)
    return max(
        turns, key=lambda t: (len(asked & _words(t.text)) / (len(_words(t.text)) or 1), t.position), default=None
    )


def _earlier_of(newer: Turn, turns: list[Turn]) -> tuple[str, ...]:
    """The earlier statements of the same subject and relation: all words but the value are the same."""
    said = newer.text.split()
    return tuple(
        t.id for t in turns
        if t.position < newer.position and len(t.text.split()) == len(said) and t.text != newer.text
        and sum(a != b for a, b in zip(said, t.text.split(), strict=True)) <= max(1, len(said) // 4)
        and t.text.split()[:2] == said[:2]
    )  # fmt: skip


_RELATIONS = (
    ("The capital of {} is", "What is the capital of {}?"), ("The chief engineer of {} is", "Who is the chief engineer of {}?"),
    ("The official language of {} is", "What is the official language of {}?"), ("The author of {} is", "Who is the author of {}?"),
    ("{} was founded in the city of", "Which city was {} founded in?"),
)  # fmt: skip
_SYLLABLES = ["ba", "ko", "ri", "mel", "tan", "vo", "su", "nar", "del", "qui", "fen", "os"]


def made_facts(seed: int, subjects: int = 20, updates: int = 2) -> dict[str, Any]:
    """A sample in FactConsolidation's form: numbered facts about made-up names, each told 1 + `updates` times with another
    value in a shuffled order; the answer to each question is what the last one says."""
    rng = random.Random(seed)  # noqa: S311 - material of an evaluation

    def name() -> str:
        return "".join(rng.choices(_SYLLABLES, k=3)).capitalize()

    matters = [(rng.choice(_RELATIONS), name()) for _ in range(subjects)]
    told = [matter for matter in matters for _ in range(1 + updates)]
    rng.shuffle(told)
    holds: dict[tuple[tuple[str, str], str], str] = {}
    lines = []
    for number, (relation, subject) in enumerate(told):
        holds[relation, subject] = value = name()
        lines.append(f"{number}. {relation[0].format(subject)} {value}.")
    asked = list(dict.fromkeys(matters))
    return {
        "context": "Here is a list of facts:\n" + "\n".join(lines),
        "questions": [relation[1].format(subject) for relation, subject in asked],
        "answers": [[holds[matter]] for matter in asked],
        "metadata": {"source": f"made_sh_{seed}"},
    }  # fmt: skip
