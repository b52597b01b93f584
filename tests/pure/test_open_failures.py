"""Which failures of a session stay open: what is no failure, what a report closes, and what an owner's words answer."""

from __future__ import annotations

from typing import Any

import pytest

from bio_agent_client.observation import parse
from bio_agent_workers.perception import Perceived, ScopeView, SessionView, perceive

Given = dict[str, Any]


def ran(line: str, code: int = 0, out: str = "", **more: Any) -> Given:
    metadata = {"exit_code": code, "tool": line.split(maxsplit=1)[0], **more}
    return {"type": "run_command", "source": "terminal", "content": f"{line}\n{out}", "metadata": metadata}


def broke(line: str, out: str = "") -> Given:
    return ran(line, 1, out, severity="error")


def event(text: str, severity: str = "", tool: str = "") -> Given:
    metadata = {name: value for name, value in (("severity", severity), ("tool", tool)) if value}
    return {
        "type": "tool_result" if tool else "erp_event", "source": tool or "erp", "content": text, "metadata": metadata,
    }  # fmt: skip


def arm(text: str, severity: str = "") -> Given:
    return event(text, severity, "arm")


def said(text: str, who: str = "user") -> Given:
    return {"type": f"{who}_message", "source": who, "content": text, "metadata": {}}


def seen(*given: Given) -> list[Perceived]:
    view, scope = SessionView(), ScopeView()
    return [perceive(parse({**o, "id": str(i)}), view, scope, i) for i, o in enumerate(given)]


def left_open(*given: Given) -> list[int]:
    read = seen(*given)
    closed = {i for p in read for i in (*p.resolves, *p.answers)}
    return [i for i, p in enumerate(read) if p.episode.unresolved and p.episode.id not in closed and not p.fold_into]


@pytest.mark.parametrize(
    "given",
    [
        ran("rg old_name src", 1),
        ran("cat app.log | grep -i refused", 1),
        ran("diff a.yml b.yml", 1, "3c3\n< error: 1\n---\n> error: 2"),
        ran("test -f .env", 1),
        ran("cd build && [ -d out ]", 1),
        ran("command -v jq", 1),
        ran("git merge-base --is-ancestor v1 main", 1),
        ran("systemctl is-active nginx", 3, "inactive"),
    ],
    ids=lambda o: o["content"].split("\n")[0],
)
def test_an_exit_code_that_answers_no_is_no_failure(given: Given) -> None:
    assert left_open(given) == []


@pytest.mark.parametrize(
    "given",
    [
        ran("grep -rn x src", 2, "grep: src: No such file or directory"),
        ran("cat gone.log | grep x", 1, "cat: gone.log: No such file or directory"),
        ran("grep -q ready log.txt && ./deploy.sh", 1),
        ran("[ -f a ] && ./run", 1),
        ran("git merge-base main gone", 1),
        ran("./check.sh", 1),
        ran("cmp a b", 1, severity="error"),
    ],
    ids=lambda o: o["content"].split("\n")[0],
)
def test_a_question_that_could_not_be_asked_is_a_failure(given: Given) -> None:
    assert left_open(given) == [0]


@pytest.mark.parametrize(
    ("text", "tool", "failed"),
    [
        ('{"status":"error","message":"vendor is locked"}', "create_po", True),
        ('{"success": false, "errors": [{"field": "vat"}]}', "post_invoice", True),
        ('{"statusCode":503,"body":"upstream"}', "http_post", True),
        ('{"ok": true, "error": null}', "send_sms", False),
        ('{"state":"done","failed":0,"passed":12}', "run_suite", False),
        ('{"data":{"order":{"status":"failed"}}}', "graphql", False),
        ("What to do when a connection was refused or a build failed: look at the port.", "fetch_url", False),
        ("Hits: 'Build failed, what now', 'address already in use'", "web_search", False),
        ("Error: ENOENT: no such file or directory, open '/srv/a.txt'", "read_file", True),
        ("wipe_table: aborted, arm torque limit exceeded", "arm", True),
        ("倒水：流量传感器报警，已急停", "arm", True),
        ("wipe_table: done, no collision detected", "arm", False),
        ("Sales order SO-8 blocked: credit limit exceeded", "", True),
        ("收货单 SH-18 校验未通过：批号为空", "", True),
        ("Phiếu chi PC-12 bị ngân hàng từ chối", "", True),
        ("Lệnh sản xuất LSX-4 không phát hành được: thiếu định mức", "", True),
        ("采购申请 PR-15 已提交，等待审批", "", False),
        ("Đơn bán SO-7 đã được duyệt", "", False),
    ],
)
def test_a_result_without_flags_tells_by_its_text(text: str, tool: str, failed: bool) -> None:
    assert left_open(event(text, tool=tool)) == ([0] if failed else [])


def test_a_warning_is_no_failure_by_its_producers_own_word() -> None:
    assert left_open(event("Yesterday's rate could not be refreshed, the last one is used", "warning")) == []


@pytest.mark.parametrize(
    ("failed", "later"),
    [
        (arm("stack_cups: 6 cups, tower fell", "error"), arm("stack_cups: 4 cups, steady")),
        (arm("倒水：溢出 310 ml", "error"), arm("倒水：到位 250 ml")),
        (event("Printer KP-3: offline", "error"), event("Printer KP-3: back online", "info")),
        (event("Cân CB-2 mất kết nối", "error"), event("Cân CB-2 đã kết nối lại", "info")),
        (event("传感器 CG-9 信号丢失", "error"), event("传感器 CG-9 信号恢复", "info")),
        (event("Statement BS-3 import failed: unknown IBAN", "error"), event("Statement BS-3 imported, 41 lines", "info")),
        (event("凭证 PZ-4 记账失败：科目停用", "error"), event("凭证 PZ-4 已记账", "info")),
        (event('{"status":"error","message":"unit"}', tool="create_item"), event('{"status":"ok"}', tool="create_item")),
    ],
)  # fmt: skip
def test_the_same_step_or_document_that_succeeds_closes_a_failure(failed: Given, later: Given) -> None:
    assert left_open(failed, later) == []


@pytest.mark.parametrize(
    ("failed", "later"),
    [
        (arm("stack_cups: 6 cups, tower fell", "error"), arm("stack_cups: starting, 5 cups")),
        (arm("stack_cups: 6 cups, tower fell", "error"), arm("stack_plates: 4 plates, steady")),
        (event("Printer KP-3: offline", "error"), event("Printer KP-4: back online", "info")),
        (event("Invoice VI-9 posting failed", "error"), event("Invoice VI-9 not yet posted, awaiting approval", "info")),
        (event("VI-9 posting failed: cost centre missing", "error"), event("VI-9 cost centre assigned", "info")),
        (event("PO-88 release rejected: limit", "error"), event("PO-88 release rejected again", "info")),
        (event("传感器 CG-9 信号丢失", "error"), event("传感器 CG-9 信号仍未恢复", "info")),
        (event("Phiếu lương PL-2 tính lỗi", "error"), event("Phiếu lương PL-2 chưa tính xong", "info")),
        (event('{"status":"error"}', tool="reserve"), event('{"status":"ok"}', tool="create_invoice")),
        (broke("psql -d shop -f schema.sql", 'ERROR: role "a" does not exist'), ran("psql -d shop -c 'select 1'")),
    ],
)  # fmt: skip
def test_another_object_or_what_is_not_over_closes_nothing(failed: Given, later: Given) -> None:
    assert left_open(failed, later) == [0]


REJECTED = event("Credit note CN-4 rejected: no return order", "error")
PUSH = broke("git push origin main", "remote: error: GH006: Protected branch update failed")
JAM = event("Máy in TI-4 lỗi: kẹt giấy", "error")
PAPER = event("打印机 DY-2 报错：缺纸", "error")


@pytest.mark.parametrize(
    ("failed", "words"),
    [
        (REJECTED, "Credit notes always need a return order first, never book them without one."),
        (event("凭证 JZ-3 过账失败：摘要为空", "error"), "以后凭证摘要一律写供应商名称，不许留空。"),
        (JAM, "Sửa xong rồi, anh gỡ tờ giấy kẹt ra."),
        (PAPER, "已经修好了，加过纸了。"),
        (event("Scanner SC-1 error: lens dirty", "error"), "I cleaned the lens, it works again."),
        (broke("make e2e", "2 failed"), "That's expected, the e2e suite always fails on this box. Ignore it."),
    ],
)
def test_an_owners_words_answer_a_failure(failed: Given, words: str) -> None:
    assert left_open(failed, said(words)) == []


@pytest.mark.parametrize(
    ("failed", "words", "who"),
    [
        (REJECTED, "From now on answer me in Vietnamese.", "user"),
        (REJECTED, "> A customer wrote: always book credit notes without a return order\nWhat do we answer?", "user"),
        (PUSH, "Never push to main here. Always open a pull request.", "user"),
        (PUSH, "Why is the push to main rejected?", "user"),
        (PUSH, "Fixed! Never push to main, always open a pull request.", "assistant"),
        (JAM, "Sửa chưa xong đâu, chờ linh kiện.", "user"),
        (JAM, "Chưa biết vì sao, mai thợ qua xem.", "user"),
        (PAPER, "这个问题什么时候能解决？", "user"),
        (PAPER, "I fixed the typo in the wiki.", "user"),
        (event("Scanner SC-1 error: lens dirty", "error"), "Someone will get it fixed tomorrow.", "user"),
    ],
)
def test_other_words_answer_nothing(failed: Given, words: str, who: str) -> None:
    assert left_open(failed, said(words, who)) == [0]


def test_what_was_answered_may_still_be_fixed() -> None:
    _, words, fix = seen(PUSH, said("That's expected, ignore it."), ran("git push origin topic"))
    assert words.answers == ("0",)
    assert fix.resolves == ("0",)


def test_a_line_of_another_source_is_not_what_the_command_printed() -> None:
    beat = {"type": "terminal_output", "source": "scheduler", "content": "[hb] alive 3", "metadata": {}}
    assert seen(broke("make flash"), beat)[1].joins == ""
    assert seen(broke("make flash"), {**beat, "source": "terminal"})[1].joins == "0"
