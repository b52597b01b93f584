"""Sixteen HTTP clients in a process of their own, each with one kept-alive connection: load for the HTTP face.

They are plain sockets, so that the machine's processors go to the service that is measured and not to its load.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Self

from bio_agent_ops.bench.material import observations

CLIENTS = 16
MATERIAL = 2_000  # observations sent again and again; each gets an id of its own at the door
ANSWER_WITHIN_S = 30.0
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")


@dataclass(slots=True)
class Counts:
    """What became of observations (accepted, refused), and of requests that were not taken (busy: 429 or 503)."""

    accepted: int = 0
    refused: int = 0
    busy: int = 0
    failed: int = 0
    seconds: float = 0.0

    def add(self, other: Self) -> None:
        self.accepted += other.accepted
        self.refused += other.refused
        self.busy += other.busy
        self.failed += other.failed

    @property
    def rate(self) -> float:
        return self.accepted / self.seconds

    def take(self, status: int, body: bytes) -> None:
        """Count one answer."""
        if status == 200:
            reply = json.loads(body)
            self.accepted += int(reply["accepted"])
            self.refused += len(reply["refused"])
        elif status in (429, 503):
            self.busy += 1
        else:
            self.failed += 1


def load(port: int, size: int, seconds: float) -> Counts:
    """Run the clients in another process; `size` observations in each request (1: a single one, not a list)."""
    argv = [sys.executable, "-m", "bio_agent_ops.bench.clients", str(port), str(size), str(seconds)]
    done = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=seconds + ANSWER_WITHIN_S * 2)
    return Counts(**json.loads(done.stdout))


def requests(port: int, size: int) -> list[bytes]:
    material = observations(MATERIAL)
    out = []
    for start in range(0, MATERIAL, size):
        body = json.dumps(material[start] if size == 1 else material[start : start + size]).encode()
        head = f"POST /api/ingest HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        out.append(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    return out


def exchange(connection: socket.socket, request: bytes) -> tuple[int, bytes]:
    """(status, body) of one request. Raises OSError when the connection broke."""
    connection.sendall(request)
    data = b""
    while (head := data.find(b"\r\n\r\n")) < 0:
        data += _more(connection)
    length = _LENGTH.search(data, 0, head + 2)
    if length is None:
        raise OSError("an answer without a length")
    end = head + 4 + int(length[1])
    while len(data) < end:
        data += _more(connection)
    return int(data[9:12]), data[head + 4 : end]


def _more(connection: socket.socket) -> bytes:
    piece = connection.recv(65536)
    if not piece:
        raise OSError("the service closed the connection")
    return piece


def _run(port: int, made: Sequence[bytes], first: int, until: float, counts: Counts) -> None:
    connection: socket.socket | None = None
    number = first
    while time.perf_counter() < until:
        try:
            if connection is None:
                connection = socket.create_connection(("127.0.0.1", port), ANSWER_WITHIN_S)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            counts.take(*exchange(connection, made[number % len(made)]))
        except (OSError, ValueError):
            counts.failed += 1
            if connection is not None:
                connection.close()
            connection = None
            time.sleep(0.01)  # a service that is gone is not to be hammered
        number += CLIENTS
    if connection is not None:
        connection.close()


def run(port: int, size: int, seconds: float) -> Counts:
    """What `CLIENTS` clients got done in `seconds`, each sending its next request as soon as the last is answered."""
    made = requests(port, size)
    each = [Counts() for _ in range(CLIENTS)]
    began = time.perf_counter()
    threads = [
        threading.Thread(target=_run, args=(port, made, i, began + seconds, counts)) for i, counts in enumerate(each)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = Counts(seconds=time.perf_counter() - began)
    for counts in each:
        total.add(counts)
    return total


if __name__ == "__main__":
    print(json.dumps(asdict(run(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))))
