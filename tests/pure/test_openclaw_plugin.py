"""The OpenClaw plugin's own tests, run by Node, and what it must have in common with the Python client."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bio_agent_client.clean import clean_text
from bio_agent_client.hosts.answers import quotes
from bio_agent_client.hosts.workspace import workspace_of
from bio_agent_client.observation import derive_id
from bio_agent_client.redact import redact

PLUGIN = Path(__file__).parents[2] / "producers" / "openclaw"
LEAST_NODE = 20
_EVALUATE = """
import * as text from "./lib/text.js";
import { redact } from "./lib/redact.js";
import { quotes } from "./lib/speech.js";
import { workspaceOf } from "./lib/workspace.js";
const known = { ...text, redact, quotes, workspaceOf };
let given = "";
for await (const part of process.stdin) given += part;
console.log(JSON.stringify(JSON.parse(given).map(([name, ...rest]) => known[name](...rest))));
"""


@pytest.fixture(scope="module")
def node() -> str:
    found = shutil.which("node")
    if found is None:
        pytest.skip("there is no Node here; the OpenClaw plugin is JavaScript")
    version = subprocess.run([found, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version.removeprefix("v").split(".")[0]) < LEAST_NODE:
        pytest.skip(f"the OpenClaw plugin needs Node {LEAST_NODE} or newer; here is {version}")
    return found


def evaluate(node: str, calls: list[tuple[Any, ...]]) -> list[Any]:
    done = subprocess.run(
        [node, "--input-type=module", "-e", _EVALUATE],
        cwd=PLUGIN, input=json.dumps(calls), capture_output=True, text=True, timeout=30, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


def test_the_plugins_own_tests_pass(node: str) -> None:
    done = subprocess.run(
        [node, "--test", "test/"], cwd=PLUGIN, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout[-6000:]
    assert "# fail 0" in done.stdout
    assert "# skipped 0" in done.stdout


def test_names_and_versions_agree() -> None:
    manifest = json.loads((PLUGIN / "openclaw.plugin.json").read_text())
    package = json.loads((PLUGIN / "package.json").read_text())
    assert manifest["version"] == package["version"]
    assert f'const VERSION = "{package["version"]}"' in (PLUGIN / "index.js").read_text()
    assert manifest["kind"] == "memory", "it takes the memory slot"
    assert set(package["files"]) >= {"index.js", "lib", "openclaw.plugin.json"}
    assert "dependencies" not in package
    assert all((PLUGIN / name).exists() for name in package["files"])


def test_ids_cleaning_and_workspaces_are_those_of_the_python_client(node: str, tmp_path: Path) -> None:
    parts = [
        ("openclaw", "call_1"),
        ("openclaw", "a b", "c"),
        ("openclaw", "ab", "c"),
        ("x", "được\x00", "y"),
        ("a" * 200,),
    ]
    texts = [
        "plain",
        "a\x1b[31mred\x1b[0m",
        "10%\r20%\r100%\nok\r\n",
        "a\x00b\u202ec",
        "x\x08y",
        "lỗi 错误 ✅",
        "\ud800x",
        "\x1b]0;t\x07z",
    ]
    main, linked, inner = tmp_path / "shop", tmp_path / "branch", tmp_path / "shop" / "src"
    for made in (main / ".git" / "worktrees" / "branch", linked, inner):
        made.mkdir(parents=True)
    (linked / ".git").write_text(f"gitdir: {main}/.git/worktrees/branch\n")
    bare, link = tmp_path / "bare", tmp_path / "link"
    bare.mkdir()
    (bare / ".git").write_text(f"gitdir: {tmp_path}/depot.git/worktrees/bare\n")
    link.symlink_to(inner)
    folders = [str(f) for f in (main, inner, linked, tmp_path, bare, link, tmp_path / "gone" / "away")]
    calls = (
        [("deriveId", *p) for p in parts] + [("cleanText", t) for t in texts] + [("workspaceOf", f) for f in folders]
    )
    wanted = [derive_id(*p) for p in parts] + [clean_text(t) for t in texts] + [workspace_of(f) for f in folders]
    assert evaluate(node, calls) == wanted


def test_rules_are_found_in_commands_as_the_hooks_find_them(node: str) -> None:
    rules = ["Do not run `npm test` here.", "Do not run `pip install &lt;package&gt;`.", "Never `rm -rf (x)` it.",
             "`A=1 jq .&lt;name&gt; &lt;a file&gt;` failed."]  # fmt: skip
    commands = ["npm  test", "cd a && npm test -- --all", "npm tests", "pip install left-pad", "rm -rf (x)", "",
                "pip -v install --user left-pad", "CI=1 npm --silent test", "A=1 jq -r .id x.json", "jq .id x.json", "A=1"]  # fmt: skip
    pairs = [(rule, command) for rule in rules for command in commands]
    assert evaluate(node, [("quotes", *pair) for pair in pairs]) == [quotes(*pair) for pair in pairs]


SECRETS = {
    "export AWS_SECRET_ACCESS_KEY=wJa7rXUtnFEMIK7MDENGbPxRfiCY9vQ2LkT4zz": "wJa7rXUtnFEMI",
    "curl -H 'Authorization: Bearer abcdef0123456789abcdef' https://x": "abcdef0123456789",
    "psql postgres://app:hunter2pass@db/x": "hunter2pass",
    "mysql -uroot -pS3cret99 db": "S3cret99",
    "password: Tr0ub4dor&3": "Tr0ub4dor",
    "git push https://x-access-token:ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5@github.com/a/b": "ghp_aB3d",
    "OPENAI_API_KEY=sk-proj-abcdefghijklmnopqrstuvwxyz123456": "sk-proj-abcd",
    '{"client_secret": "9f8e7d6c5b4a"}': "9f8e7d6c5b4a",
    "mật khẩu là Abc!2345": "Abc!2345",
    "密码是 Abc12345xyz": "Abc12345xyz",
    "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIBn1\n-----END EC PRIVATE KEY-----": "MHcCAQEEIBn1",
}
HARMLESS = [
    "git checkout 3f786850e387550fdab836ed7e6dc881de23001b", "ModuleNotFoundError: No module named 'tokenizers'",
    "12 passed, 1 failed in 0.42s", "max_tokens: 4096", "token = os.environ['TOKEN']", "password=$DB_PASS",
    "uuid 123e4567-e89b-12d3-a456-426614174000", "npm ERR! code ELIFECYCLE", "ping: 12.5 ms", "passing: 14",
]  # fmt: skip


def test_secrets_leave_neither_here_nor_there_and_ordinary_text_stays(node: str) -> None:
    found = evaluate(node, [("redact", text) for text in SECRETS])
    for (text, secret), clean in zip(SECRETS.items(), found, strict=True):
        assert secret not in clean, f"{text} → {clean}"
        assert secret not in redact(text)
        assert "[redacted:" in clean
    assert evaluate(node, [("redact", clean) for clean in found]) == found, "twice changes nothing"
    assert evaluate(node, [("redact", text) for text in HARMLESS]) == HARMLESS


def test_long_output_keeps_head_tail_and_the_lines_around_errors(node: str) -> None:
    text = "head\n" + "filler line\n" * 20_000 + "Error: the cause\n" + "filler line\n" * 20_000 + "tail lỗi"
    (short,) = evaluate(node, [("cut", text)])
    assert len(short.encode()) <= 32 * 1024
    assert short.startswith("head\n")
    assert "Error: the cause" in short
    assert short.endswith("tail lỗi")
    assert "bytes cut" in short
