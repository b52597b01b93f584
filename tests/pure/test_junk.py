"""What is settled as noise without asking a model, and what never is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bio_agent_schema.types import Episode, Kind, Provenance
from bio_agent_workers.brain.lessons.junk import is_junk

BASE = Episode(
    id="e1", seq=1, workspace="w", agent="a", user="u", session="s", turn="t", kind=Kind.TOOL, source="terminal",
    origin="", speaker="tool", provenance=Provenance.AGENT, content="", tool="", tool_input=None, command="",
    exit_code=None, is_failure=False, error_token="", severity=0.2, cwd="", task="", goal="", mode="normal",
    occurred_at=datetime(2026, 1, 1, tzinfo=UTC),
)  # fmt: skip


@pytest.mark.parametrize(
    "changes",
    [
        {"source": "scheduler", "content": "[beat] agent online, seq 101"},
        {"source": "cron", "content": "temp folder cleaned, 0 files removed"},
        {"source": "scheduler", "content": "[定时] 清理缓存，删除 3 个文件"},
        {"source": "scheduler", "content": "[định kỳ] dọn thư mục tạm, xóa 0 tệp"},
        {"source": "terminal", "content": "heartbeat ok 4412"},
        {"source": "terminal", "content": "[心跳] 节点在线，序号 7"},
        {"content": "Downloading 12%\nDownloading 55%\nDownloading 100%"},
        {"content": "[=====>     ] 45%  1.2 MB/s eta 00:12"},
        {"content": "Receiving objects:  63% (120/190), 1.10 MiB | 500.00 KiB/s"},
        {"content": "正在下载 33%"},
        {"content": "   \n "},
        {"content": "\ufffd\ufffdPK\ufffd\x02\ufffd\ufffd"},
        {"content": "worker 3 processed batch 77 of 90", "folded": 12},
        {"command": "pwd", "exit_code": 0, "content": "pwd\n/srv/app"},
        {"kind": Kind.USER, "content": "thanks!"},
        {"kind": Kind.USER, "content": "Good morning"},
        {"kind": Kind.USER, "content": "great, thank you"},
        {"kind": Kind.USER, "content": "谢谢，辛苦了"},
        {"kind": Kind.USER, "content": "Cảm ơn em nhé"},
        {"kind": Kind.USER, "content": "👍"},
        {"kind": Kind.USER, "content": ""},
        {"kind": Kind.ASSISTANT, "content": "Sure, will do."},
        {"kind": Kind.ASSISTANT, "content": "好的，收到。"},
        {"kind": Kind.ASSISTANT, "content": "Dạ vâng ạ."},
    ],
)
def test_noise(changes: dict[str, object]) -> None:
    junk, reason = is_junk(replace(BASE, **changes))
    assert junk
    assert reason


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": Kind.USER, "content": "no"},
        {"kind": Kind.USER, "content": "yes, always"},
        {"kind": Kind.USER, "content": "4300"},
        {"kind": Kind.USER, "content": "ok"},
        {"kind": Kind.USER, "content": "不行"},
        {"kind": Kind.USER, "content": "không"},
        {"kind": Kind.USER, "content": "???"},
        {"kind": Kind.USER, "content": "Great, but never do that again."},
        {"kind": Kind.ASSISTANT, "content": "Should I run the formatter before each commit?"},
        {"kind": Kind.ASSISTANT, "content": "Done, 14 occurrences replaced."},
        {"source": "scheduler", "content": "backup failed: disk full"},
        {"source": "scheduler", "content": "[定时] 备份失败"},
        {"source": "scheduler", "severity": 0.5, "content": "queue length 900"},
        {"content": "Downloading 100%\nerror: checksum mismatch"},
        {"command": "npm test", "exit_code": 0, "content": "12 passed"},
        {"command": "docker stop old", "exit_code": 0, "content": ""},
        {"kind": Kind.EVENT, "source": "erp", "content": "Order 4410 released", "folded": 9},
        {"kind": Kind.OUTCOME, "content": ""},
        {"content": "listening on 0.0.0.0:8080"},
    ],
)
def test_not_noise(changes: dict[str, object]) -> None:
    assert is_junk(replace(BASE, **changes)) == (False, "")


@pytest.mark.parametrize("content", ["", "heartbeat 1", "Downloading 10%"])
def test_failures_and_what_is_linked_are_never_junk(content: str) -> None:
    noise = replace(BASE, content=content, source="scheduler")
    assert is_junk(noise)[0]
    assert not is_junk(noise, linked=True)[0]
    assert not is_junk(replace(noise, is_failure=True))[0]
    assert not is_junk(replace(noise, unresolved=True))[0]
    assert not is_junk(replace(noise, resolved_by="e9"))[0]
