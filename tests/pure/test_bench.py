"""The benchmarks' own sums: a figure that is computed wrongly would be believed."""

from __future__ import annotations

import json
import math
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_client.observation import to_wire
from bio_agent_client.redact import prepare
from bio_agent_ops.bench import clients, conditions, ingest, own
from bio_agent_ops.bench.conditions import Figure
from bio_agent_ops.bench.embedder import DigestEmbedder, WordsEmbedder
from bio_agent_ops.bench.forgetting_material import CHANGES, stream
from bio_agent_ops.bench.material import observations
from bio_agent_workers.settings import Settings

# ------------------------------------------------------------------------------------------------------------- figures


def test_a_figure_is_judged_by_its_median() -> None:
    assert Figure("rate", (90.0, 100.0, 400.0), "/s", 100).meets is True
    assert Figure("rate", (90.0, 99.0, 400.0), "/s", 100).meets is False
    assert Figure("time", (2.0, 9.0, 8.0), "ms", 8, at_least=False).meets is True
    assert Figure("time", (2.0, 9.0, 8.1), "ms", 8, at_least=False).meets is False
    assert Figure("plain", (1.0,), "/s").meets is None


def test_a_figure_without_samples_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one sample"):
        Figure("nothing", (), "/s")


def test_the_report_says_for_each_target_whether_it_was_hit(capsys: pytest.CaptureFixture[str]) -> None:
    figures = [Figure("one", (5.0, 7.0, 6.0), "/s", 4), Figure("two", (5.0,), "s", 4, at_least=False, note="slow")]
    conditions.report("x", {"load_average_before": 0.5}, figures, as_json=False)
    lines = capsys.readouterr().out.splitlines()
    one = next(line for line in lines if line.strip().startswith("one")).split()
    assert one == ["one", "6.00", "5.00", "7.00", "3", "/s", "≥", "4", "hit"]
    assert next(line for line in lines if line.strip().startswith("two")).endswith("≤ 4 MISS slow")
    assert lines[-1].strip() == "1 of 2 targets hit"
    assert any("load average before" in line and line.endswith("0.5") for line in lines)


def test_the_report_as_json_holds_every_sample(capsys: pytest.CaptureFixture[str]) -> None:
    conditions.report("x", {"processors": 2}, [Figure("one", (5.0, 7.0), "/s", 10)], as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["conditions"]["processors"] == 2
    assert (told["targets"], told["targets_met"]) == (1, 0)
    (figure,) = told["figures"]
    assert (figure["min"], figure["median"], figure["max"], figure["samples"]) == (5.0, 6.0, 7.0, [5.0, 7.0])
    assert (figure["meets"], figure["target_is"]) == (False, "at least")


def test_the_conditions_are_those_of_the_disk_and_the_machine(tmp_path: Path) -> None:
    under = conditions.conditions(tmp_path, 1.25, appendfsync="always")
    assert under["load_average_before"] == 1.25
    assert under["disk_syncs_per_s"] > 0
    assert 1 <= under["processors"] <= (os.cpu_count() or 1)
    assert under["appendfsync"] == "always"
    assert not list(tmp_path.iterdir())  # the file that was written to is gone


# --------------------------------------------------------------------------------------------------------------- rates


class _Clock:
    """Stands in for `time` in the bench: it goes on only when a call says how long it took."""

    def __init__(self) -> None:
        self.now = 50.0

    def perf_counter(self) -> float:
        return self.now


def test_a_rate_counts_what_was_sent_and_not_how_often(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, calls = _Clock(), list[int]()
    monkeypatch.setattr(ingest, "time", clock)

    def call(number: int) -> int:
        calls.append(number)
        clock.now += 0.5
        return 7

    assert ingest.rate(call, seconds=2.0) == 14.0  # seven each half second
    assert calls == [0, 1, 2, 3]
    assert ingest.rate(call, seconds=0.0) == 14.0  # at least one call


def test_two_sides_take_turns_on_the_same_material(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, seen = _Clock(), list[tuple[str, int]]()
    monkeypatch.setattr(ingest, "time", clock)

    def side(name: str, took: float, sent: int) -> Callable[[int], int]:
        def call(n: int) -> int:
            seen.append((name, n))
            clock.now += took
            return sent

        return call

    assert ingest.in_turns(side("left", 0.25, 1), side("right", 0.5, 1), seconds=20.0) == (4.0, 2.0)
    assert [n for name, n in seen if name == "left"] == [n for name, n in seen if name == "right"]
    turns = [name for name, _ in seen][:: ingest.TURN]
    assert turns == ["left", "right"] * (len(turns) // 2)
    assert len(turns) >= 4


@given(st.lists(st.tuples(st.integers(1, 5_000), st.floats(0.01, 5.0)), min_size=1, max_size=8))
def test_segments_give_back_what_was_read_and_when(parts: list[tuple[int, float]]) -> None:
    """Marks made from known rates: each part read over the time it took is found again."""
    left, at = sum(n for n, _ in parts), 100.0
    marks = [(at, left)]
    for number, seconds in parts:
        left, at = left - number, at + seconds
        marks.append((at, left))
    for found, (number, seconds) in zip(ingest.segments(marks), parts, strict=True):
        assert math.isclose(found, number / seconds, rel_tol=1e-6)


# ------------------------------------------------------------------------------------------------------------- embedder


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_stand_in_embedder_repeats_itself_and_keeps_texts_apart(a: str, b: str) -> None:
    embedder = DigestEmbedder()
    first, second = embedder.query(a), embedder.passages([b])[0]
    assert len(first) == embedder.dimensions
    assert math.isclose(sum(x * x for x in first), 1.0, rel_tol=1e-9)
    assert first == DigestEmbedder().query(a)
    if a.encode("utf-8", "replace") != b.encode("utf-8", "replace"):
        assert abs(sum(x * y for x, y in zip(first, second, strict=True))) < 0.4
    assert sum(abs(x) > 1e-4 for x in first) > embedder.dimensions * 0.9  # dense


def test_the_embedder_of_words_knows_words_in_common_and_nothing_else() -> None:
    embedder = WordsEmbedder()
    said, alike, other, empty = embedder.passages(
        ["the gate of Mill Road", "Mill Road has a gate", "paint is blue", ""]
    )

    def near(a: list[float], b: list[float]) -> float:
        return sum(x * y for x, y in zip(a, b, strict=True))

    assert all(math.isclose(near(v, v), 1.0, rel_tol=1e-9) for v in (said, alike, other, empty))
    assert near(said, alike) > 0.8
    assert abs(near(said, other)) < 0.3


def test_the_months_of_the_forgetting_bench_are_the_same_for_a_seed_and_no_sentence_comes_twice() -> None:
    rounds = stream(10, 7)
    said = [one.content for some in rounds for one in some]
    assert rounds == stream(10, 7) != stream(10, 8)
    assert len(set(said)) == len(said)
    changed = [one for some in rounds for one in some if one.what == CHANGES]
    assert {one.outdates for one in changed if one.outdates} == {one.content for one in changed if one.outdated}


def test_the_material_is_about_three_hundred_bytes_and_the_same_for_a_seed() -> None:
    sizes = [len(to_wire(prepare(o))) for o in observations(500)]
    assert 250 <= sum(sizes) / len(sizes) <= 400
    assert observations(50, seed=3) == observations(50, seed=3)
    assert observations(50, seed=3) != observations(50, seed=4)


# ---------------------------------------------------------------------------------------------------------- environment


def test_the_bench_takes_no_setting_from_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://somebody.test/precious")
    monkeypatch.setenv("DATABASE_ADMIN_URL", "postgresql://admin.test/precious")
    monkeypatch.setenv("LLM_BACKEND", "anthropic")
    monkeypatch.setenv("HIPPOCAMPUS_BATCH_SIZE", "3")
    monkeypatch.setenv("SOMETHING_ELSE", "stays")
    plain = own.plain_environment()
    assert not {"DATABASE_URL", "DATABASE_ADMIN_URL", "LLM_BACKEND", "HIPPOCAMPUS_BATCH_SIZE"} & plain.keys()
    assert plain["SOMETHING_ELSE"] == "stays"
    settings = own.default_settings(Path("/nowhere"), "postgresql://bench.test/own", "redis://127.0.0.1:1/0")
    assert settings.llm_backend == "offline"
    assert settings.batch_size == Settings.model_fields["batch_size"].default
    assert "bench.test" in settings.database_url


# ------------------------------------------------------------------------------------------------------------- clients


class _Service:
    """Answers requests on one port with the given (status, body) in turn; the last one again and again."""

    def __init__(self, answers: list[tuple[int, bytes]]) -> None:
        self.answers = answers
        self.bodies: list[bytes] = []
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            while lines.readline():
                length = 0
                while (line := lines.readline()).strip():
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                body = lines.read(length)
                with self._lock:
                    self.bodies.append(body)
                    status, answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
                if not status:
                    return
                head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nContent-Length: {len(answer)}\r\n\r\n"
                for part in (head[:9].encode(), head[9:].encode(), answer):  # an answer may come in pieces
                    connection.sendall(part)

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def service() -> Iterator[_Service]:
    one = _Service([])
    yield one
    one.close()


TAKEN = json.dumps(
    {"accepted": 2, "ids": ["a", "b"], "duplicates": 0, "refused": [{"index": 2, "reason": "no"}]}
).encode()


def test_clients_count_what_was_accepted_refused_turned_away_and_lost(service: _Service) -> None:
    service.answers = [(429, b"{}"), (503, b"{}"), (500, b"x"), (0, b""), (200, TAKEN)]
    total = clients.run(service.port, 100, 0.4)
    requests = len(service.bodies)
    assert (total.busy, total.failed) == (2, 2)
    assert total.accepted == 2 * (requests - 4)
    assert total.refused == requests - 4
    assert total.rate == total.accepted / total.seconds
    assert total.seconds >= 0.4
    assert all(len(json.loads(body)) == 100 for body in service.bodies)


def test_a_single_request_is_one_object_and_no_list(service: _Service) -> None:
    service.answers = [(200, TAKEN)]
    with socket.create_connection(("127.0.0.1", service.port)) as connection:
        assert clients.exchange(connection, clients.requests(service.port, 1)[0]) == (200, TAKEN)
        assert clients.exchange(connection, clients.requests(service.port, 1)[1]) == (200, TAKEN)  # kept alive
    assert json.loads(service.bodies[0])["workspace"] == "bench"


def test_a_service_that_is_not_there_is_a_failure_and_no_rate() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = int(taken.getsockname()[1])
    total = clients.run(port, 1, 0.05)
    assert total.accepted == 0
    assert total.failed > 0
