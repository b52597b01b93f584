"""The command line's manners: where --home may stand, what hints say, exit codes, one line for one trouble."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bio_agent_ops import local, quota_words, trying
from bio_agent_ops.cli import main
from bio_agent_ops.commands import common
from bio_agent_ops.commands.common import Place
from bio_agent_ops.home import Home
from bio_agent_ops.spooled import Waiting, waiting
from bio_agent_ops.supervisor import _gone, state_file
from bio_agent_schema.revisions import newest


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    for name in ("BIO_AGENT_HOME", "BIO_AGENT_PORT", "BIO_AGENT_KEY", "DATABASE_URL", "REDIS_URL"):
        monkeypatch.delenv(name, raising=False)


def call(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_the_home_may_be_named_before_or_after_the_verb(tmp_path: Path) -> None:
    home = tmp_path / "a home"
    for words in (
        ("--home", home, "rules"),
        ("rules", "--home", home),
        ("--home", tmp_path / "x", "rules", "--home", home),
    ):
        done = call(*words)
        assert done.exit_code == 1
        assert f"bio-agent --home '{home}' up" in done.output
    assert not home.exists()


def test_every_command_takes_the_place_after_its_verb() -> None:
    def leaves(group: object) -> list[object]:
        inner = getattr(group, "commands", None)
        return [group] if inner is None else [leaf for one in inner.values() for leaf in leaves(one)]

    without = {
        leaf.name  # type: ignore[attr-defined]
        for name, command in main.commands.items()
        if name != "eval"  # which works in homes of its own
        for leaf in leaves(command)
        if not {"home", "port", "tenant"} <= {p.name for p in leaf.params}  # type: ignore[attr-defined]
    }
    assert without == set()


def test_hints_name_the_home_only_where_it_is_not_the_usual_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Home.default().command("up") == "bio-agent up"
    assert Home.default().command("up", 9000) == "bio-agent --port 9000 up"
    other = Home(tmp_path / "o'ther")
    assert shlex.split(other.command("up")) == ["bio-agent", "--home", str(other.root), "up"]
    monkeypatch.setenv("BIO_AGENT_HOME", str(other.root))
    assert "--home" in other.command("up"), "the next shell may not have the variable"


@pytest.mark.parametrize("verb", ["replay", "try"])
@pytest.mark.parametrize("text", ["just\nprose\n" * 50, json.dumps({"name": "x", "version": 1}), "", "{}\n" * 88])
def test_a_file_of_another_kind_is_one_refusal(tmp_path: Path, verb: str, text: str) -> None:
    file = tmp_path / "file"
    file.write_text(text)
    done = call(verb, file, "--home", tmp_path / "home")
    assert done.exit_code == 2
    assert len(done.output.strip().splitlines()) == 1
    assert str(file) in done.output
    assert not (tmp_path / "home").exists(), "nothing is started for it"


def test_edit_without_a_text_names_what_is_missing() -> None:
    done = call("decide", "some-id", "edit")
    assert done.exit_code == 2
    assert "--content TEXT" in done.output
    done = call("decide", "some-id", "approve", "--content", "x")
    assert done.exit_code == 2


def test_exec_for_another_tenant_wants_a_key(tmp_path: Path) -> None:
    done = call("--home", tmp_path / "home", "--tenant", "acme", "exec", "--", "true")
    assert done.exit_code == 1
    assert "BIO_AGENT_KEY" in done.output


def test_status_shows_what_waits_in_the_spool(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.create()
    home.spool.mkdir()
    (home.spool / "01700000000000000000-1-a.jsonl").write_bytes(b'{"a":1}\n{"b":2}\n{"half')
    done = call("status", "--home", home.root)
    assert "2 waiting" in done.output
    assert f"`bio-agent --home {home.root} flush`" in done.output
    assert json.loads(call("status", "--json", "--home", home.root).output)["spool"]["count"] == 2


def test_what_was_delivered_does_not_wait(tmp_path: Path) -> None:
    assert waiting(tmp_path / "none") == Waiting()
    segment = tmp_path / "01700000000000000000-1-a.jsonl"
    segment.write_bytes(b'{"a":1}\n{"b":2}\n')
    segment.with_suffix(".done").write_text("8 1")
    assert (waiting(tmp_path).count, waiting(tmp_path).size_bytes) == (1, 8)
    segment.with_suffix(".done").write_text("16 2")
    assert waiting(tmp_path) == Waiting()


def test_the_newest_revision_is_that_of_the_migrations() -> None:
    from bio_agent_schema.db import LATEST

    assert newest() == LATEST


# ------------------------------------------------------------------------------------- a service that is not there yet


def test_a_try_whose_cycles_all_fail_is_a_failure() -> None:
    sent = {"accepted": 5, "duplicates": 0, "refused": 0}
    fine = {"cycle_ids": ["a", "b"], "errors": ["one: boom"], "processed": 5, "pending": 0}
    assert trying.failure(sent, fine) == "", "one that failed was tried again"
    assert "2 of 2" in trying.failure(sent, fine | {"errors": ["one: boom", "two: boom"]})
    assert "nothing of 5" in trying.failure(sent, fine | {"cycle_ids": [], "errors": [], "processed": 0, "pending": 5})
    assert trying.failure(sent | {"accepted": 0}, fine | {"cycle_ids": [], "errors": [], "processed": 0}) == ""


def test_try_calls_nothing_unfixed_that_was_fixed() -> None:
    facts = [
        {"command": "git push", "failures": 1, "fix": "git push -u origin x"},
        {"command": "make", "failures": 2, "fix": ""},
    ]
    said: list[str] = []
    trying.report({"junk": [], "rules": [], "model": "m", "guard_facts": facts, "blocks": [], "guard": [], "seconds": 1.0,
                   "raw_tokens": 1}, said.append)  # fmt: skip
    told = "\n".join(said)
    assert "git push: failed 1 time; then `git push -u origin x` worked in its place" in told
    assert "make: failed 2 times; not fixed yet" in told


def test_try_exits_with_1_when_nothing_was_consolidated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        trying, "run", lambda *_, **__: {"failed": "every cycle of consolidation failed (1 of 1): boom"}
    )
    done = call("try", "--json")
    assert done.exit_code == 1
    assert "every cycle of consolidation failed" in done.stderr
    assert json.loads(done.stdout)["failed"]


def test_a_service_that_stops_is_waited_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.create()
    lock = home.lock().acquire()
    state_file(home).write_text(json.dumps({"pid": os.getpid(), "port": 1, "stopping": True}))
    threading.Timer(0.6, lock.release).start()
    said: list[str] = []
    began = time.monotonic()
    assert local._settled(home, said.append) is None
    assert 0.5 < time.monotonic() - began < 10
    assert len(said) == 1
    assert str(os.getpid()) in said[0]
    monkeypatch.setattr(local, "GONE_S", 0.3)
    with_lock = home.lock().acquire()
    assert local._settled(home, said.append) is None, "then the start itself says who uses the home"
    with_lock.release()


def test_nobody_begins_anything_with_a_service_that_stops(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    monkeypatch.setattr(local.Api, "call", lambda *_, **__: {"ok": True})
    monkeypatch.setattr(local, "status", lambda _: {"running": True, "port": 9, "stopping": True})
    assert local.running_api(home, None) is None
    monkeypatch.setattr(local, "status", lambda _: {"running": True, "port": 9})
    assert local.running_api(home, None) is not None


def test_a_process_is_gone_when_it_has_ended() -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    assert not _gone(child.pid)
    child.kill()
    end = time.monotonic() + 10
    while not _gone(child.pid) and time.monotonic() < end:
        time.sleep(0.02)
    assert _gone(child.pid), "also while nobody has reaped it"
    child.wait()
    assert _gone(child.pid)


# ------------------------------------------------------------------------------------------------- what a person reads

BELIEFS = [
    {"id": "0197c2f1-0000-7000-8000-00000000aaa1", "content": "Run `make` first", "state": "stable", "layer": "core", "confidence": 0.9,
     "scope": "workspace:web"},
    {"id": "0197c2f1-0000-7000-8000-00000000bbb2", "content": "Ask before deploying", "state": "reinforced", "layer": "project",
     "confidence": 0.7, "scope": ""},
    {"id": "0197c2f1-0000-7000-8000-00000000ccc3", "content": "Feed the cat", "state": "proposed", "layer": "adaptive", "confidence": 0.5,
     "scope": "workspace:home"},
]  # fmt: skip


class Asked:
    """A service that answers from a table and keeps what it was asked."""

    def __init__(self, answers: dict[tuple[str, str], Any]) -> None:
        self.answers, self.asked = answers, []  # type: ignore[var-annotated]

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        self.asked.append((method, path, body, query))
        return self.answers[method, path]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Any:
    def put(answers: dict[tuple[str, str], Any]) -> Asked:
        api = Asked({("GET", "/api/beliefs"): BELIEFS, **answers})
        monkeypatch.setattr(Place, "api", lambda _, **__: api)
        return api

    return put


def test_remember_keeps_in_the_folder_s_workspace_and_says_so(
    serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = serve({("POST", "/api/remember"): {"id": "m", "ids": ["m"], "merged": False, "facts": 1}})
    (tmp_path / "shop").mkdir()
    monkeypatch.chdir(tmp_path / "shop")
    assert call("remember", "Tea is at four").output == "remembered in workspace shop: m\n"
    assert api.asked[-1][2]["workspace"] == "shop"
    assert "workspace other" in call("remember", "Tea is at four", "--workspace", "other").output


QUOTAS = {"limits": {"observations_a_day": {"limit": 4, "used": 4, "standing": "reached"},
                     "rules": {"limit": None, "used": 2, "standing": "none"}},
          "held_until": "2026-12-01T00:00:00Z", "tokens_this_month": {}}  # fmt: skip
FREE = {
    "limits": {"rules": {"limit": None, "used": 2, "standing": "none"}},
    "held_until": None,
    "tokens_this_month": {},
}


def test_a_reached_limit_is_told_where_it_holds_something_back(
    serve: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = {"id": "m", "ids": ["m"], "merged": False, "facts": 1, "directive": True}
    serve({("POST", "/api/remember"): kept, ("GET", "/api/quotas"): QUOTAS})
    said = call("remember", "From now on, tea is at four", "--workspace", "w").output
    assert "limit reached (observations a day: 4 of 4)" in said
    assert "not before 2026-12-01 00:00 UTC" in said
    serve({("POST", "/api/remember"): kept, ("GET", "/api/quotas"): FREE})
    assert "limit" not in call("remember", "From now on, tea is at four", "--workspace", "w").output
    assert quota_words.standing(FREE) == "no limits"
    near = {"limits": {"rules": {"limit": 10, "used": 9, "standing": "near"}}, "held_until": None}
    assert quota_words.standing(near) == "near the limit: rules: 9 of 10"

    class Served(local.Api):
        def call(self, method: str, path: str, body: Any = None, timeout_s: float = 330.0, **query: Any) -> Any:
            return QUOTAS if path == "/api/quotas" else {"memories": {"count": 1}, "quotas": QUOTAS}

    for module in ("agent", "running"):
        monkeypatch.setattr(f"bio_agent_ops.commands.{module}.running_api", lambda *_: Served(1, "t"))
    done = call("exec", "--home", tmp_path / "h", "--", "true")
    assert done.exit_code == 0
    assert "limit reached (observations a day: 4 of 4)" in done.stderr
    assert done.stdout == ""
    shown = call("status", "--home", tmp_path / "h").output
    assert "limit reached (observations a day: 4 of 4)" in shown
    assert "{" not in shown


def test_recall_names_what_it_found_and_in_which_order(serve: Any) -> None:
    old = {"id": "id-old", "content": "The lab is in room 3.", "kind": "semantic", "workspace": "lab", "score": 0.9,
           "superseded_by": "id-new"}  # fmt: skip
    new = old | {"id": "id-new", "content": "The lab is in room 7.", "score": 0.4, "superseded_by": None}
    serve({("POST", "/api/recall"): {"memories": [new, old]}})
    lines = call("recall", "where is the lab").output.splitlines()
    assert lines[0] == " 1. semantic   The lab is in room 7."
    assert lines[1].split() == ["id-new", "in", "lab"]
    assert lines[2].startswith(" 2. ")
    assert lines[3].endswith("replaced since")
    assert json.loads(call("recall", "where is the lab", "--json").output)["memories"] == [new, old]


def test_reviews_are_listed_and_answered_by_a_part_of_their_id(serve: Any) -> None:
    waits: dict[str, Any] = {
             "id": "0197c2f1-cc", "kind": "call", "state": "open", "seen": [],
             "question": "May Bash run now: make", "rules": ["b0"], "expires_at": None,
             "said": ["Never run make."], "workspace": "shop", "agent": "coder", "age_s": 240,
             "answers": {"approve": "/api/check/0197c2f1-cc/approve"}}  # fmt: skip
    tie: dict[str, Any] = {
        "id": "0197c2f1-dd",
        "kind": "tie",
        "state": "open",
        "seen": ["black -l 100 shop/cart.py"],
        "question": "Which?",
        "rules": ["b1", "b2"],
        "said": ["Use tabs.", "Use blanks."],
        "workspace": "",
        "agent": "",
        "age_s": 7200,
        "expires_at": None,
        "answers": {},
    }
    granted = waits | {"id": "0197c2f1-ee", "state": "granted", "answers": {"deny": "/api/check/0197c2f1-ee/deny"}}
    api = serve(
        {
            ("GET", "/api/reviews"): [waits, tie, granted],
            ("POST", "/api/check/0197c2f1-cc/approve"): {"state": "granted"},
        }
    )
    said = call("reviews", "list").output
    assert "rule: Never run make." in said
    assert "asked 4 min ago, to run in shop for coder; `bio-agent reviews approve 0197c2f1-cc`" in said
    assert "asked 2 h ago; `bio-agent decide b1 ACT`" in said
    assert "seen: black -l 100 shop/cart.py" in said
    assert "let through, not run yet: `bio-agent reviews deny 0197c2f1-ee` takes it back" in said
    assert "let through already" in call("reviews", "approve", "1-ee").output
    assert "`bio-agent decide b1 ACT`" in said
    done = call("reviews", "approve", "1-cc", "--why", "fine")
    assert done.output == "approved: May Bash run now: make\n  1 more question open: `bio-agent reviews list`\n"
    assert api.asked[-1][:3] == ("POST", "/api/check/0197c2f1-cc/approve", {"why": "fine"})
    assert "no question of yes or no" in call("reviews", "approve", "1-dd").output
    several = call("reviews", "deny", "0197")
    assert several.exit_code == 1
    assert "the last characters tell best" in several.output
    assert "0197c2f1-cc “May Bash run now: make”, 0197c2f1-dd “Which?”" in several.output


def test_memories_are_listed_with_how_they_stand(serve: Any) -> None:
    one = {"id": "0197c2f1-aa", "kind": "semantic", "state": "active", "workspace": "lab", "superseded_by": None,
           "recheck": False, "occurred_at": "2026-11-30T10:00:00Z", "content": "The lab is in room 3. " * 9}  # fmt: skip
    old = one | {"id": "0197c2f1-ab", "superseded_by": "0197c2f1-aa", "content": "The lab\x1b[2J moved."}
    api = serve({("GET", "/api/memories"): [one, old]})
    first, second = call("memories", "--kind", "semantic", "--text", "lab").output.splitlines()
    assert first.startswith("0197c2f1-aa  semantic   active   2026-11-30T10:00  lab")
    assert first.endswith("…")
    assert len(first) < 140
    assert "replaced" in second
    assert "\x1b" not in second
    assert json.loads(call("memories", "--json").output) == [one, old]
    assert (api.asked[0][3]["kind"], api.asked[0][3]["text"]) == ("semantic", "lab")


def test_erase_shows_what_it_would_erase_before_it_asks(serve: Any) -> None:
    whole = {"id": "0197c2f1-aa", "workspace": "lab", "content": "The lab is in room 3."}
    done = {"erased": ["0197c2f1-aa"], "observations": 1, "remade": [], "recheck": [], "rules": []}
    api = serve({("GET", "/api/memories/1-aa"): whole, ("POST", "/api/memories/0197c2f1-aa/erase"): done})
    asked = call("erase", "1-aa")
    assert "The lab is in room 3." in asked.output
    assert asked.exit_code == 1
    assert len(api.asked) == 1
    assert call("erase", "1-aa", "--yes").output == "erased: 1 memory, 1 observation\n"


def test_beliefs_of_a_workspace_are_its_own_and_those_of_everywhere(serve: Any) -> None:
    serve({})
    said = call("beliefs", "--workspace", "web").output
    assert "Run `make`" in said
    assert "Ask before" in said
    assert "cat" not in said


def test_a_part_of_an_id_is_enough_when_it_is_one_belief_s(serve: Any) -> None:
    ident = BELIEFS[1]["id"]
    api = serve({("POST", f"/api/beliefs/{ident}/approve"): BELIEFS[1] | {"layer": "core", "state": "stable"}})
    done = call("decide", "bbb2", "approve")
    assert done.exit_code == 0
    assert "the guard blocks" in done.output
    assert "undo" in done.output
    assert api.asked[-1][1] == f"/api/beliefs/{ident}/approve"
    several = call("decide", "0197c2f1", "approve")
    assert several.exit_code == 1
    assert "more than one belief" in several.output
    assert "there is no belief 'ffff'" in call("decide", "ffff", "approve").output
    assert "4 characters" in call("decide", "b2", "approve").output


def test_explain_is_for_people_unless_asked_for_data(serve: Any) -> None:
    whole = BELIEFS[0] | {
        "support_count": 12, "independent": 2, "contradiction_count": 0, "exceptions": [], "conflicts": [],
        "reviews": [{"id": "r", "kind": "tie", "question": "Which of the two?"}],
        "evidence": [{"at": "2026-05-01T10:00:00Z", "supports": True, "command": "npm test", "failed": True, "text": "x",
                      "episode_id": f"e{n}"} for n in range(12)],
        "history": [{"at": "2026-05-01T10:00:00Z", "act": "belief_moved", "before": "proposed", "after": "stable",
                     "cause": "sustained_support", "actor": ""}],
    }  # fmt: skip
    serve({("GET", f"/api/beliefs/{BELIEFS[0]['id']}"): whole})
    said = call("explain", "aaa1").output
    assert "$ npm test (failed)" in said
    assert "4 more" in said
    assert "proposed → stable (sustained support)" in said
    assert "Which of the two?" in said
    assert json.loads(call("explain", "aaa1", "--json").output)["evidence"] == whole["evidence"]


def test_exceptions_are_granted_within_bounds_and_revoked(serve: Any) -> None:
    made = {"id": "0197c2f1-0000-7000-8000-00000000eee5", "belief_id": BELIEFS[0]["id"], "text": "small refunds", "policy": "",
            "bounds": {"max_amount": 50}, "standing": "in_force", "expires_at": "2026-06-01T00:00:00+00:00"}  # fmt: skip
    api = serve({("POST", "/api/exceptions"): made})
    done = call(
        "exceptions", "grant", "aaa1", "small refunds", "--bound", "max_amount=50", "--bound", 'who=["A","B"]', "--bound",
        "branch=docs", "--days", 7,
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    body = api.asked[-1][2]
    assert body["bounds"] == {"max_amount": 50, "who": ["A", "B"], "branch": "docs"}
    assert body["belief_id"] == BELIEFS[0]["id"]
    assert body["expires_at"]
    assert "max_amount=50" in done.output
    assert call("exceptions", "grant", "aaa1", "small refunds", "--bound", "amount").exit_code == 2
    pages = iter([[made]] * 2)
    api.answers["POST", f"/api/exceptions/{made['id']}/revoke"] = made | {"standing": "revoked"}
    inner = api.call
    api.call = lambda method, path, body=None, **query: (
        next(pages) if (method, path) == ("GET", "/api/exceptions") else inner(method, path, body, **query)
    )
    assert "revoked" in call("exceptions", "revoke", "eee5").output
    assert "small refunds" in call("exceptions", "list").output


def test_no_dead_letter_is_none(serve: Any) -> None:
    serve({("GET", "/api/dead-letters"): []})
    assert call("dead-letters").output == "none\n"
    assert json.loads(call("dead-letters", "--json").output) == []


def test_the_extra_for_mcp_is_installed_with_what_the_environment_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: object())
    with_pip = common.mcp_install()
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with_uv = common.mcp_install()
    assert with_pip.startswith(f"{sys.executable} -m pip install 'mcp")
    assert with_uv.startswith(f"uv pip install --python {sys.executable} 'mcp")
    assert ";" not in with_pip, "no marker of the extra"


def test_taking_a_host_out_is_told_in_a_line(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {f"other{n}": {"command": "x"} for n in range(30)}}, indent=2))
    assert call("connect", "mcp", "--yes", "--file", file, "--home", tmp_path / "home").exit_code == 0
    done = call("connect", "mcp", "--undo", "--yes", "--file", file, "--home", tmp_path / "home")
    assert done.exit_code == 0
    assert len(done.output.splitlines()) == 2
    assert "everything else stays" in done.output
    assert "bio-agent" not in json.loads(file.read_text())["mcpServers"]


def test_what_an_agent_once_read_cannot_move_the_cursor_of_a_person(serve: Any) -> None:
    forged = BELIEFS[0] | {"content": "Run `make`\x1b[2K\x1b[1A first\u202e"}
    serve({("GET", "/api/beliefs"): [forged], ("GET", f"/api/beliefs/{forged['id']}"): forged | {
        "support_count": 1, "independent": 1, "contradiction_count": 0, "exceptions": [], "conflicts": [], "reviews": [], "history": [],
        "evidence": [{"at": "2026-05-01", "supports": True, "command": "", "failed": False, "text": "a\x1b]0;x\x07b", "episode_id": "e"}],
    }})  # fmt: skip
    for said in (call("beliefs").output, call("explain", "aaa1").output):
        assert "Run `make`" in said
        assert not {"\x1b", "\x07", "\u202e"} & set(said)
