"""Memories to measure recall with, made up: words as frequent as Zipf's law has them, vectors in clusters by topic.

A text begins with its topic, a made-up word; its vector is the topic's own direction and some of the text's own, so that
a query that begins with a topic is near the memories of that topic, and near none of another.
"""

from __future__ import annotations

import hashlib
import random
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from psycopg import Connection
from psycopg.rows import TupleRow

from bio_agent_workers.brain.retrieval import search_terms

TOPICS = 1_000
VOCABULARY = 20_000
ZIPF = 1.07  # exponent; the most frequent words stand in about half of the memories
WORDS = 14  # of a memory, beside its topic
OWN_SHARE = 0.8  # of a text's own direction against its topic's; two texts of a topic then have a cosine around 0.6
_SYLLABLES = [c + v for c in "bdfgklmnprstvz" for v in "aiou"]

Floats = NDArray[np.float32]


@cache
def word(number: int) -> str:
    """A made-up word of three syllables, which stemming leaves alone, the same for the same number."""
    parts = []
    for _ in range(3):
        number, at = divmod(number, len(_SYLLABLES))
        parts.append(_SYLLABLES[at])
    return "".join(parts) + "x"


@cache
def _term(said: str) -> str:
    """What search_terms.terms gives of one made-up word; asked for once a word, since memories are many."""
    (term,) = search_terms.terms(said)
    return term


def topic(number: int) -> str:
    return word(100_000 + number % TOPICS)


def _direction(text: str, dimensions: int) -> Floats:
    drawn = np.frombuffer(hashlib.shake_128(text.encode("utf-8", "replace")).digest(2 * dimensions), dtype="<i2")
    vector: Floats = drawn.astype(np.float32)
    return _unit(vector)


def _unit(vector: Floats) -> Floats:
    length = float(np.sqrt(np.dot(vector, vector))) or 1.0
    made: Floats = (vector / length).astype(np.float32)
    return made


class TopicEmbedder:
    """Vectors by topic, the first word; costs some microseconds and is the same in every process."""

    model_id = "bench/topics"
    dimensions = 384

    def passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.query(t) for t in texts]

    def query(self, text: str) -> list[float]:
        return [float(x) for x in self.vector(text)]

    def vector(self, text: str) -> Floats:
        first, _, _ = text.partition(" ")
        mixed = _direction(first, self.dimensions) + OWN_SHARE * _direction(text, self.dimensions)
        return _unit(mixed)


def texts(tenant: str, count: int) -> Iterator[str]:
    """That many memories of a tenant, no two alike, the same in every run."""
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(tenant.encode()).digest()[:4], "big"))
    rates = 1 / np.arange(1, VOCABULARY + 1) ** ZIPF
    rates /= rates.sum()
    for _ in range(0, count, 1_000):
        drawn = rng.choice(VOCABULARY, size=(1_000, WORDS), p=rates)
        topics = rng.integers(0, TOPICS, size=1_000)
        for t, row in zip(topics, drawn, strict=True):
            yield " ".join([topic(int(t)), *(word(int(w)) for w in row)])


def queries(tenant: str, count: int, number: int, seed: int = 0) -> list[str]:
    """Questions about memories that are there: the topic of one, three of its words, and a frequent word."""
    rng = random.Random(seed)  # noqa: S311 - material, not a secret
    wanted = {rng.randrange(count) for _ in range(number * 2)}
    asked = []
    for n, said in enumerate(texts(tenant, count)):
        if n < count and n in wanted:
            first, *rest = said.split(" ")
            asked.append(" ".join([first, *rng.sample(rest, 3), word(rng.randrange(5))]))
    rng.shuffle(asked)
    return asked[:number]


def _copy_rows(rows: Iterator[tuple[bytes, ...]]) -> Iterator[bytes]:
    """Rows in PostgreSQL's binary COPY format."""
    yield b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
    for fields in rows:
        yield struct.pack(">h", len(fields)) + b"".join(struct.pack(">i", len(f)) + f for f in fields)
    yield struct.pack(">h", -1)


def fill(connection: Connection[TupleRow], tenant: str, count: int) -> None:
    """Write the memories with their terms in bulk. The connection must see all rows: the application's role may not COPY."""
    embedder, each = TopicEmbedder(), WORDS + 1
    name, model = tenant.encode(), embedder.model_id.encode()
    head = struct.pack(">HH", embedder.dimensions, 0)

    def memories() -> Iterator[tuple[bytes, ...]]:
        for n, said in zip(range(count), texts(tenant, count), strict=False):
            yield (
                name, f"bench-{n:08d}".encode(), said.encode(), struct.pack(">i", each),
                head + embedder.vector(said).astype(">f2").tobytes(), model, struct.pack(">i", 1 + n % 10),
            )  # fmt: skip

    def postings() -> Iterator[tuple[bytes, ...]]:
        for n, said in zip(range(count), texts(tenant, count), strict=False):
            for term, often in Counter(_term(w) for w in said.split(" ")).items():
                yield name, term.encode(), f"bench-{n:08d}".encode(), struct.pack(">h", often)

    into = (
        ("bio.memories (tenant, id, content, term_count, embedding, embedding_model, importance)", memories()),
        ("bio.memory_terms (tenant, term, memory_id, frequency)", postings()),
    )
    for table, rows in into:
        with connection.cursor().copy(f"copy {table} from stdin (format binary)".encode()) as copy:
            for piece in _copy_rows(rows):
                copy.write(piece)
    connection.commit()
