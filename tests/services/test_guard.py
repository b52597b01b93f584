"""The guard as the service answers it: rules, hours, exceptions, facts, approvals, many rules."""

from __future__ import annotations

import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from bio_agent_client.observation import uuid7
from bio_agent_ops.auth import Caller
from bio_agent_ops.requests import Check, PersonAct
from bio_agent_ops.service import approvals, guarding, people, reviews
from bio_agent_ops.service.approvals import Ruling
from bio_agent_ops.service.context import Conflict, Context, NotFound
from bio_agent_schema import beliefs, guard_facts
from bio_agent_schema.db import ensure_tenant, move_clock
from bio_agent_schema.guard_facts import Happened
from bio_agent_schema.tables import BeliefRow, ExceptionRow
from bio_agent_schema.types import BeliefState, Layer, Provenance
from bio_agent_workers import shell
from bio_agent_workers.brain.lifecycle import Act
from bio_agent_workers.brain.relations.canonical import canonicalize
from bio_agent_workers.brain.text import detect_lang

pytestmark = pytest.mark.services

OWNER = Caller("default", "owner", True, "owner")


def put(ctx: Context, said: str, kind: str = "owner", scope: str = "workspace:shop", **fields: Any) -> str:
    """A rule in force: core, an owner's, or learned."""
    form = canonicalize(said, detect_lang(said))
    with ctx.db.tenant("default") as session:
        now = beliefs.now(session)
        row = BeliefRow(**{
            "tenant": "default", "id": uuid7(), "content": said, "rendering": said, "lang": detect_lang(said),
            "canonical_key": form.key, "canonical": asdict(form), "scope_path": scope, "state": BeliefState.STABLE.value,
            "layer": (Layer.CORE if kind == "core" else Layer.PROJECT).value, "directive": kind == "owner",
            "rank": (Provenance.AGENT if kind == "learned" else Provenance.OWNER).value, "confidence": 0.9,
            "valid_from": now, "created_at": now, "updated_at": now, **fields,
        })  # fmt: skip
        session.add(row)
        return row.id


def ask(ctx: Context, call: str | dict[str, Any], tool: str = "Bash", **more: Any) -> dict[str, Any]:
    approval, actor = more.pop("approval", ""), more.pop("actor", "loopback")
    tool_input = {"command": call} if isinstance(call, str) else call
    body = Check(tool=tool, tool_input=tool_input, workspace=more.pop("workspace", "shop"), **more)
    return guarding.check(ctx, "default", body, actor, approval)


def verdict(ctx: Context, call: str | dict[str, Any], **more: Any) -> str:
    return str(ask(ctx, call, **more)["verdict"])


def test_rules_stop_what_they_speak_of_and_nothing_else(ctx: Context) -> None:
    core = put(ctx, "Never call pay_invoice above 5000 without approval.", "core", scope="")
    put(ctx, "不要删除 /srv/live 目录。", "owner")
    put(ctx, "Do not run `git push origin main` here: it failed. `git push -u origin <branch>` worked.", "learned")
    said = ask(ctx, {"invoice": "I-1", "amount": 7000}, tool="pay_invoice", workspace="other")
    assert (said["verdict"], said["rule_id"]) == ("block", core)
    assert verdict(ctx, {"invoice": "I-1", "amount": 4000}, tool="pay_invoice") == "allow"
    assert verdict(ctx, "cd /srv && sudo rm -rf live") == "needs_approval"
    assert verdict(ctx, "ssh store-1 'rm -rf /srv/live'") == "needs_approval", "on another machine too"
    assert verdict(ctx, "rm -rf /srv/live", workspace="other") == "allow"
    assert verdict(ctx, "rm -rf /srv/live", can_ask=False) == "block"
    shown = ask(ctx, "git push -u origin main")
    assert shown["verdict"] == "warn"
    assert "`git push -u origin <branch>`" in shown["reason"], "placeholders stay readable"
    assert verdict(ctx, "git push -u origin feature/x") == "allow"


def test_a_change_of_the_rules_is_seen_at_once(ctx: Context) -> None:
    assert verdict(ctx, "docker system prune") == "allow"
    made = put(ctx, "Never run docker system prune.", "core")
    assert verdict(ctx, "docker system prune") == "block"
    with ctx.db.tenant("default") as session:
        row = beliefs.get(session, "default", made)
        assert row is not None
        beliefs.move(session, row, BeliefState.REJECTED, cause="test")
    assert verdict(ctx, "docker system prune") == "allow"


def test_hours_are_read_by_the_databases_clock(ctx: Context, urls: dict[str, str]) -> None:
    put(ctx, "Do not restart nginx between 9:00 and 17:00 UTC.", "owner")
    with ctx.db.tenant("default") as session:
        now = beliefs.now(session)
    for hour, expected in ((10, "needs_approval"), (18, "allow")):
        wanted = now.replace(hour=hour, minute=0) + timedelta(days=1)
        move_clock(urls["ADMIN_URL"], f"{int((wanted - now).total_seconds())} seconds")
        assert verdict(ctx, "sudo systemctl restart nginx") == expected


def test_an_exception_is_bound_to_what_the_command_says(ctx: Context) -> None:
    rule = put(ctx, "Nothing is pushed to main.", "core")
    with ctx.db.tenant("default") as session:
        session.add(ExceptionRow(
            tenant="default", id=uuid7(), belief_id=rule, text="hotfixes may", bounds={"source_branch": "hotfix/*"},
            state="approved", proposed_by="owner", approved_by="owner", valid_from=beliefs.now(session),
        ))  # fmt: skip
    assert verdict(ctx, "git push origin hotfix/a:main") == "allow"
    assert verdict(ctx, "git push origin feature/a:main") == "block"
    assert verdict(ctx, "git push origin hotfix/a:main && git push origin feature/a:main") == "block", (
        "each act for itself"
    )
    lied = {"command": "git push origin feature/a:main", "source_branch": "hotfix/a"}
    assert verdict(ctx, lied) == "block", "a field beside the command cannot say what the command does"


def test_a_bare_push_goes_to_the_branch_the_session_is_on(ctx: Context) -> None:
    put(ctx, "Never push to main.", "core")
    assert verdict(ctx, "git push", session="s") == "allow", "nobody knows where it goes"
    assert verdict(ctx, "git checkout main && git push") == "block"
    with ctx.db.tenant("default") as session:
        for n, command in enumerate(("git checkout main", "git switch -c feature/a", "git checkout main")):
            session.execute(
                text(
                    "insert into bio.episodes (tenant, id, seq, workspace, session, kind, command, occurred_at)"
                    " overriding system value values ('default', :i, :n, 'shop', :s, 'tool', :c, bio.now())"
                ),
                {"i": f"e{n}", "n": n + 1, "s": "s" if n < 2 else "t", "c": command},
            )
    assert verdict(ctx, "git push", session="s") == "allow"
    assert verdict(ctx, "git push", session="t") == "block"
    assert verdict(ctx, "git push origin HEAD", session="t") == "block"
    assert verdict(ctx, "git push origin feature/b", session="t") == "allow"


def test_a_fact_warns_once_a_session_and_command_and_ends_at_a_success(ctx: Context) -> None:
    def happened(command: str, failed: bool) -> None:
        with ctx.db.tenant("default") as session:
            acts = shell.act_of("Bash", {"command": command}, command)
            guard_facts.record(session, "default", [Happened("shop", acts, failed, "E1", uuid7(), datetime.now(UTC))])

    put(ctx, "`npm ci` failed (E1); use `npm ci --legacy-peer-deps`.", "learned")
    happened("pytest tests/a.py", True)
    assert verdict(ctx, "pytest tests/a.py") == "allow", "one failure may be a typing mistake"
    happened("python -m pytest tests/a.py", True)
    for mode in ("normal", "debug", "plan", "deploy"):
        assert verdict(ctx, "pytest tests/a.py", mode=mode, session=mode) == "warn", (
            "a mode of one's own choosing frees nobody"
        )
    assert verdict(ctx, "pytest tests/a.py", session="s") == "warn"
    assert verdict(ctx, "pytest tests/a.py", session="s") == "allow", "it was told"
    assert verdict(ctx, "npm ci", session="s") == "warn", "another command"
    assert verdict(ctx, "npm ci --omit=dev", session="s") == "warn", "the same rule, another command"
    assert verdict(ctx, "npm ci", session="s") == "allow"
    assert verdict(ctx, "pytest tests/a.py", workspace="other") == "allow"
    assert verdict(ctx, "pytest tests/b.py") == "allow"
    happened("pytest tests/a.py", False)
    assert verdict(ctx, "pytest tests/a.py", session="new") == "allow"


def test_a_core_rule_that_wants_to_be_asked_asks(ctx: Context) -> None:
    put(ctx, "Ask me before you run npm publish.", "core")
    put(ctx, "Never delete the branch main.", "core")
    assert verdict(ctx, "npm publish") == "needs_approval"
    assert verdict(ctx, "git branch -D main") == "block"


# -- approvals -------------------------------------------------------------------------------------------------------

PAY = {"action": "pay_invoice", "invoice": "I-7", "amount": 9000}


@pytest.fixture
def waiting(ctx: Context) -> str:
    put(ctx, "Ask me before you pay an invoice.", "owner")
    said = ask(ctx, PAY, tool="erp", session="s")
    assert said["verdict"] == "needs_approval"
    again = ask(ctx, PAY, tool="erp", session="s")
    assert again["approval"]["id"] == said["approval"]["id"], "one question for one call"
    return str(said["approval"]["id"])


def test_a_granted_approval_lets_exactly_that_call_through_once(ctx: Context, waiting: str) -> None:
    said = approvals.decide(ctx, OWNER, waiting, Ruling.APPROVE, "month end")
    assert said["state"] == "granted"
    assert verdict(ctx, PAY | {"amount": 9001}, tool="erp", session="s") == "needs_approval"
    assert verdict(ctx, PAY, tool="erp", session="other") == "needs_approval"
    assert verdict(ctx, PAY, tool="erp", session="s", approval="another-id") == "needs_approval"
    let = ask(ctx, PAY, tool="erp", session="s", approval=waiting)
    assert let["verdict"] == "allow"
    assert "approved by owner" in let["reason"]
    assert let["approval"] is None
    replay = ask(ctx, PAY, tool="erp", session="s", approval=waiting)
    assert replay["verdict"] == "needs_approval"
    assert replay["approval"]["id"] != waiting
    with pytest.raises(Conflict, match="used"):
        approvals.decide(ctx, OWNER, waiting, Ruling.APPROVE)


def question_of(ctx: Context, said: dict[str, Any]) -> str:
    with ctx.db.tenant("default") as session:
        return next(r.question for r in beliefs.reviews(session, "default") if r.id == said["approval"]["id"])


def test_a_person_sees_the_whole_call_that_a_grant_covers(ctx: Context) -> None:
    put(ctx, "Ask me before you run npm publish.")
    put(ctx, "Ask me before you pay an invoice.")
    call = {"command": f"npm publish && echo {'x' * 600} && rm -rf /srv > ~/.ssh/keys\nls", "cwd": "/srv/shop"}
    shown = question_of(ctx, ask(ctx, call))
    assert "rm -rf /srv > ~/.ssh/keys" in shown.replace("&gt;", ">")
    assert "/srv/shop" in shown
    assert "\n" not in shown
    named = question_of(ctx, ask(ctx, PAY, tool="erp\n ghp_" + "a1B2" * 9))
    assert named.startswith("May erp")
    assert "ghp_" not in named
    assert "\n" not in named
    endless = ask(ctx, {"command": f"npm publish && echo {'x' * 9000}"})
    assert endless["verdict"] == "needs_approval"
    assert endless["approval"] is None
    assert "cannot be shown whole" in endless["reason"]


@pytest.mark.parametrize(
    "call",
    [
        "npm publish password=hunter2longer&&rm${IFS}-rf${IFS}~",
        "npm publish --token=`rm${IFS}-rf${IFS}~`",
        "npm publish a\u200bb",
    ],
)
def test_what_a_person_could_not_see_cannot_be_granted(ctx: Context, call: str) -> None:
    put(ctx, "Ask me before you run npm publish.")
    said = ask(ctx, call)
    assert said["verdict"] == "needs_approval"
    assert said["approval"] is None
    assert "Nobody can approve it" in said["reason"]
    plain = ask(ctx, "npm publish --token=abcdef1234567890abcdef && ls")
    assert plain["approval"] is not None


def test_of_simultaneous_calls_one_passes(ctx: Context, waiting: str) -> None:
    approvals.decide(ctx, OWNER, waiting, Ruling.APPROVE)
    with ThreadPoolExecutor(4) as pool:
        said = list(pool.map(lambda _: verdict(ctx, PAY, tool="erp", session="s"), range(4)))
    assert said.count("allow") == 1


def test_a_denied_call_is_blocked_until_it_may_be_asked_anew(ctx: Context, urls: dict[str, str], waiting: str) -> None:
    approvals.decide(ctx, OWNER, waiting, Ruling.DENY, "no")
    said = ask(ctx, PAY, tool="erp", session="s")
    assert said["verdict"] == "block"
    assert "denied" in said["reason"]
    move_clock(urls["ADMIN_URL"], "31 minutes")
    assert verdict(ctx, PAY, tool="erp", session="s") == "needs_approval"


def test_a_grant_that_no_call_used_can_be_taken_back(ctx: Context, waiting: str) -> None:
    approvals.decide(ctx, OWNER, waiting, Ruling.APPROVE)
    (shown,) = reviews.open_reviews(ctx, "default")
    assert (shown["id"], shown["state"], list(shown["answers"])) == (waiting, "granted", ["deny"])
    assert approvals.decide(ctx, OWNER, waiting, Ruling.DENY, "wrong invoice")["state"] == "denied"
    assert verdict(ctx, PAY, tool="erp", session="s", approval=waiting) == "block"
    assert reviews.open_reviews(ctx, "default") == []
    with pytest.raises(Conflict, match="denied"):
        approvals.decide(ctx, OWNER, waiting, Ruling.DENY)


def test_an_approval_ends(ctx: Context, urls: dict[str, str], waiting: str) -> None:
    approvals.decide(ctx, OWNER, waiting, Ruling.APPROVE)
    move_clock(urls["ADMIN_URL"], "31 minutes")
    fresh = ask(ctx, PAY, tool="erp", session="s")
    assert fresh["verdict"] == "needs_approval"
    move_clock(urls["ADMIN_URL"], "62 minutes")
    with pytest.raises(Conflict, match="expired"):
        approvals.decide(ctx, OWNER, fresh["approval"]["id"], Ruling.APPROVE)


def test_a_changed_rule_voids_the_grant(ctx: Context, waiting: str) -> None:
    approvals.decide(ctx, OWNER, waiting, Ruling.APPROVE)
    with ctx.db.tenant("default") as session:
        session.execute(
            text("update bio.beliefs set version = version + 1, updated_at = bio.now() where tenant = 'default'")
        )
    assert verdict(ctx, PAY, tool="erp", session="s") == "needs_approval"


def test_nobody_approves_their_own_call_and_tenants_stay_apart(ctx: Context) -> None:
    put(ctx, "Ask me before you pay an invoice.", "owner")
    mine = ask(ctx, PAY, tool="erp", actor="owner")["approval"]["id"]
    with pytest.raises(Conflict, match="may not approve"):
        approvals.decide(ctx, OWNER, mine, Ruling.APPROVE)
    with ctx.db.tenant("beta") as session:
        ensure_tenant(session, "beta")
    for unknown in ("nope", mine):
        with pytest.raises(NotFound):
            approvals.decide(ctx, Caller("beta", "owner", True, "owner"), unknown, Ruling.APPROVE)


def test_over_http_a_person_grants_and_nobody_else(ctx: Context) -> None:
    from fastapi.testclient import TestClient
    from pydantic import SecretStr

    from bio_agent_ops.http import create_app

    put(ctx, "Ask me before you pay an invoice.", "owner")
    token = "the-owners-token"
    person = {"Authorization": f"Bearer {token}"}
    body = {"tool": "erp", "tool_input": PAY, "workspace": "shop"}
    settings = ctx.settings.model_copy(update={"owner_token": SecretStr(token)})
    with TestClient(create_app(settings), base_url="http://127.0.0.1:8055", raise_server_exceptions=False) as http:
        asked = http.post("/api/check", json=body).json()["approval"]["id"]
        assert http.post(f"/api/check/{asked}/approve").status_code == 403
        assert http.post("/api/check/unknown/approve", headers=person).status_code == 404
        assert http.post(f"/api/check/{asked}/postpone", headers=person).status_code == 400
        granted = http.post(f"/api/check/{asked}/approve", headers=person, json={"why": "paid by hand"})
        assert granted.json()["state"] == "granted"
        assert http.post(f"/api/check/{asked}/approve", headers=person).status_code == 409
        assert http.post("/api/check", params={"approval": asked}, json=body).json()["verdict"] == "allow"
        assert http.post(f"/api/check/{asked}/deny", headers=person).status_code == 409, "it ran"
        assert http.post("/api/check", params={"approval": asked}, json=body).json()["verdict"] == "needs_approval"


def learned_acts() -> dict[str, Any]:
    def act(flags: list[str], said: str) -> dict[str, Any]:
        return {"tool": "docker", "verb": "", "flags": flags, "operands": [], "text": said, "form": "docker"}

    failed, fixed = act(["@docker-compose"], "docker-compose"), act([], "docker compose")
    return {"kind": "replace", "failed": failed, "fixed": fixed, "between": [], "error_token": "command-not-found"}


@pytest.mark.parametrize("said", [
    "Do not run docker-compose here; use: docker compose", "Do not run `docker-compose` here; use: `docker compose`",
])  # fmt: skip
def test_an_edited_rule_guards_by_its_new_words_and_what_it_was_learned_from(ctx: Context, said: str) -> None:
    text_before = "Do not run `docker-compose` here: it failed. `docker compose` worked."
    rule = put(ctx, text_before, "core", rank="agent", acts=learned_acts())
    assert verdict(ctx, "docker-compose up -d") == "block"
    view = people.act(ctx, OWNER, rule, Act.EDIT, PersonAct(content=said))
    assert view["guarded"]
    assert view["guarded_by"] == ["`docker-compose`"]
    assert verdict(ctx, "sudo docker-compose up -d --build") == "block"
    assert verdict(ctx, "docker compose up -d") == verdict(ctx, "docker ps") == "allow"
    with ctx.db.tenant("default") as session:
        assert beliefs.get(session, "default", rule).acts["kind"] == "replace"  # type: ignore[union-attr]
    view = people.act(ctx, OWNER, rule, Act.EDIT, PersonAct(content="docker-compose may be run here."))
    assert not view["guarded"]
    assert verdict(ctx, "docker-compose up -d") == "allow"
    people.act(ctx, OWNER, rule, Act.UNDO, PersonAct())
    assert verdict(ctx, "docker-compose up -d") == "block"


def test_a_commit_goes_to_the_branch_the_session_is_on(ctx: Context) -> None:
    put(ctx, "Never commit directly to main.")
    assert verdict(ctx, "git checkout main && git commit -m x") == "needs_approval"
    assert verdict(ctx, "git checkout -b fix/a && git commit -m x") == "allow"


def test_a_core_rule_is_not_for_approval(ctx: Context) -> None:
    put(ctx, "Ask me before you pay an invoice.", "owner")
    put(ctx, "Never pay invoice I-7.", "core")
    said = ask(ctx, PAY, tool="erp")
    assert (said["verdict"], said["approval"]) == ("block", None)


# -- many rules ------------------------------------------------------------------------------------------------------


def test_ten_thousand_rules_are_checked_within_the_time(ctx: Context) -> None:
    kinds = (
        "Never delete the table archive_{n}.", "Ask me before you restart worker-{n}.", "禁止部署 service-{n}。",
        "Do not run `npm run job-{n}` here: it failed. `npm run job-{n} -- --fresh` worked.", "Never touch /srv/app{n}/data.",
    )  # fmt: skip
    texts = [kinds[n % len(kinds)].format(n=n) for n in range(10_000)]
    with ctx.db.tenant("default") as session:
        session.execute(
            text(
                """
                insert into bio.beliefs (tenant, id, content, rendering, canonical_key, canonical, state, directive, rank,
                    confidence, scope_path)
                select 'default', 'r' || n, said, said, said, '{"polarity": "negative"}', 'stable', true, 'owner', 0.9,
                    'workspace:shop'
                from unnest(cast(:texts as text[])) with ordinality as x(said, n)
                """
            ),
            {"texts": texts},
        )
    assert verdict(ctx, "sudo systemctl restart worker-1") == "needs_approval"
    calls = (
        ("sudo systemctl restart worker-6", "needs_approval"), ("rm -rf /srv/app4", "needs_approval"), ("make test", "allow"),
        ("npm run job-13", "needs_approval"), ("npm run job-13 -- --fresh", "allow"), ("rm -rf /srv/app4-old", "allow"),
    )  # fmt: skip
    took: list[float] = []
    for _ in range(5):
        for command, expected in calls:
            begin = time.perf_counter()
            got = verdict(ctx, command, session="s")
            took.append(time.perf_counter() - begin)
            assert got == expected, command
    # A generous bound for a busy machine; a scan of all the rules takes a second.
    assert statistics.median(took) < 0.15
