"""Secrets go, look-alikes stay, time is bounded. Every secret-shaped string is put together when the test runs."""

import random
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_client.observation import parse
from bio_agent_client.redact import prepare, redact, redact_json, redact_observation, spans
from bio_agent_client.secret_budget import SHORT_CHARS, Words

rng = random.Random(20261130)
BASE62 = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase + string.digits


def drawn(length: int, alphabet: str = BASE62) -> str:
    while True:
        text = "".join(rng.choice(alphabet) for _ in range(length))
        if any(map(str.isdigit, text)) and len(set(text)) > min(8, length // 2) and any(map(str.isalpha, text)):
            return text


HEX32, HEX64, TOKEN36, PASSWORD = (
    drawn(32, "0123456789abcdef"),
    drawn(64, "0123456789abcdef"),
    drawn(36),
    "Melon_77" + "ab",
)
UUID = "-".join(HEX64[a:b] for a, b in ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32)))
JWT = ".".join(["eyJ" + drawn(33), "eyJ" + drawn(60), drawn(43)])
PEM = "\n".join(["-----BEGIN RSA " + "PRIVATE KEY-----", drawn(64), drawn(64), "-----END RSA " + "PRIVATE KEY-----"])

SECRETS = [
    ("here is {} for you", "gh" + "p_" + TOKEN36),
    ("here is {} for you", "gl" + "pat-" + drawn(20)),
    ("here is {} for you", "sk" + "-proj-" + drawn(48)),
    ("here is {} for you", "xo" + "xb-" + "123456789012-" + drawn(24)),
    ("here is {} for you", "AK" + "IA" + drawn(16, string.ascii_uppercase + "234567")),
    ("here is {} for you", "zz" + "_live_" + drawn(40)),  # a vendor nobody knows
    ("at step\\n{}\\nend", "gh" + "p_" + TOKEN36),
    ("rejected {} (aud)", JWT),
    ("Authorization: Bearer {}", TOKEN36),
    ("curl -H 'X-Api-Key: {}' https://h.test", HEX32),
    ("ACME_API_KEY={}\nPORT=1", HEX32),
    ("consul_http_token: {}", UUID),
    ('{{"a": "{{\\"api_key\\": \\"{}\\"}}"}}', HEX32),
    ('os.environ["X_SECRET"] = "{}"', HEX32),
    ('{{"name": "DB_PASSWORD", "value": "{}"}}', PASSWORD),
    ("<password>{}</password>", PASSWORD),
    ('<add key="SmtpPassword" value="{}" />', PASSWORD),
    ("Server=h;User Id=a;Password={};Encrypt=yes", PASSWORD),
    ("postgresql://bio:{}@db.test:5432/bio", PASSWORD),
    ("https://{}@git.test/a.git", drawn(30)),
    ("https://h.test/x?a=1&access_token={}&b=2", TOKEN36),
    ("mysql -uroot -p{} -h db", PASSWORD),
    ("sshpass -p '{}' ssh h", PASSWORD),
    ("curl -u admin:{} https://h.test/", PASSWORD),
    ("redis-cli -a {} ping", PASSWORD),
    ("tool --db-password {} run", PASSWORD),
    ("ALTER ROLE bio WITH PASSWORD '{}';", PASSWORD),
    ("machine git.test login bao password {}", PASSWORD),
    ("db:5432:app:bao:{}", PASSWORD),
    ("[Interface]\nPrivateKey = {}=\nAddress = 10.0.0.2", drawn(43)),
    ("Set-Cookie: PHPSESSID={}; path=/", drawn(26, LOWER)),
    ("kind: Secret\ndata:\n  a: {}\nmetadata:\n  name: x", "c2VjcmV0" + "MTIzNDU2"),
    ("user,password,branch\nbao,{},HCM\n", PASSWORD),
    ("| key | secret |\n|---|---|\n| a | {} |\n", PASSWORD),
    ("('mail_api_key', '{}', 'bao')", HEX32),
    ("the admin password is {} please", "Sun" + "flower_77"),
    ("登录密码 {} 不对吗", "Tundra" + "#2679"),
    ("数据库口令我改成了 {} ，旧的失效", drawn(16)),
    ("Mật khẩu wifi tầng 3 là {} nhé", "Banhmi" + "!1050"),
    ("mã OTP là {}, đừng cho ai", "4829" + "13"),
    ("our key for the staging box: {} thanks", HEX32),
    ("seed phrase: {}", " ".join(["cactus", "harbor", "lantern", "velvet"] * 3)),
    ("{}", PEM),
    ("key: |\n{}", PEM.split("\n", 1)[1]),  # the first line scrolled away
    ('"private_key": "{}"', PEM.replace("\n", "\\n")),
    ("https://hooks.test/services/T0AB1CD2E/B0AB1CD2E/{}", drawn(24)),
]


@pytest.mark.parametrize("text, secret", SECRETS)
def test_secrets_go(text: str, secret: str) -> None:
    out = redact(text.format(secret))
    assert secret not in out
    assert secret.split("\n", maxsplit=1)[0] not in out or secret.startswith("-----")
    assert "[redacted:" in out
    assert redact(out) == out


KEPT = [
    "HEAD is now at 36e61aba70ddc54afa4b49ac6a4abe3593b23276",
    "order 6f1c1d0e-8a34-4c1e-9d0a-2f5b9c7d4e21 failed",
    "idempotency-key: decb7100-7b9f-489b-9814-5ba96e2411e1",
    "rules_go@3.16.1 depends on lodash.merge@^3.19.16",
    "integrity sha512-xndUvGkb2TBYCdLs0KXJNGXzbDh+qoAq3SbTZVbvk4jHgxLMkOAF38xIvFG+rwJ4axgxu3/LnKRXj8pvIBVf96==",
    "token = os.environ['GITHUB_TOKEN']",
    "api_key=os.getenv('OPENAI_API_KEY')",
    "export GITHUB_TOKEN=<your-token>",
    "password: required",
    'mysql -p"$MYSQL_PWD" -h db',
    "password must be at least 12 characters",
    "密码至少12位，每69天更换一次",
    "Mật khẩu đã đổi lúc 21:40:31",
    "max_tokens=4096 temperature=0.2",
    "session started 2026-11-30 by agent-7",
    "https://user:password@host.test/path",
    "SELECT password_changed_at FROM users WHERE id = 80447",
    "for key, value in items: print(key)",
    "sort by key: createdAt2024",
    "key=lambda x: x[1]",
    "secretKeyRef: {name: db, key: password}",
    "PASSWORD_FILE=/run/secrets/db_password",
    "rule github: ^ghp_[A-Za-z0-9]{36}$",
    "Basic authentication realm=Admin2",
    "git push origin feature/token-refresh-2024",
    "docker run -p 8080:80 nginx:1.25",
    "![logo](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAsqq9GWkalPWFxTmZD6gvyoG)",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIxKNXoNHmliXJ8CzsCIeKFiNYW968pajvo1LV9mPgVK3 linh@db36",
    "secretaryDeskPhoneDirectory is not a function",
    "secret=*** region=ap-southeast-1",
]


@pytest.mark.parametrize("text", KEPT)
def test_look_alikes_stay(text: str) -> None:
    assert redact(text) == text


def test_only_the_secret_goes() -> None:
    out = redact(f"DATABASE_URL=postgresql://bio:{PASSWORD}@db.internal:5432/bio and more")
    assert out == "DATABASE_URL=postgresql://bio:[redacted:url_password]@db.internal:5432/bio and more"
    assert redact(f"A_TOKEN={TOKEN36}\nHOME=/root") == "A_TOKEN=[redacted:token]\nHOME=/root"


@pytest.mark.parametrize("joint", ["\\\n", '" + "', '" \\\n    "', "\\\r\n  "])
def test_a_secret_over_a_joint(joint: str) -> None:
    secret = "gh" + "p_" + TOKEN36
    out = redact(f'export TOKEN="{secret[:18]}{joint}{secret[18:]}"\nend')
    assert secret[:18] not in out
    assert secret[18:] not in out
    assert out.endswith("\nend")


def test_json_names_its_values() -> None:
    out = redact_json(
        {
            "password": "sunflower", "user": "bao", "headers": [["authorization", f"Bearer {TOKEN36}"], ["host", "h.test"]],
            "env": [{"name": "X_TOKEN", "value": HEX32}], "command": f"mysql -p{PASSWORD}", "n": 3, "keys": ["a", "b"],
        }
    )  # fmt: skip
    assert out["password"] == "[redacted:password]"
    assert out["user"] == "bao"
    assert out["headers"] == [["authorization", "Bearer [redacted:token]"], ["host", "h.test"]]
    assert out["env"] == [{"name": "X_TOKEN", "value": "[redacted:token]"}]
    assert out["command"] == "mysql -p[redacted:password]"
    assert (out["n"], out["keys"]) == (3, ["a", "b"])


def test_an_observation_leaves_without_secrets_and_cut() -> None:
    secret = "gh" + "p_" + TOKEN36
    obs = prepare(
        {"kind": "tool", "content": f"{secret} " + "quiet " * 40_000 + secret, "goal": f"use {secret}",
         "tool_input": {"command": f"deploy --token {secret}"}, "metadata": {"note": secret}}
    )  # fmt: skip
    assert secret not in repr(obs)
    assert len(obs.content.encode()) <= 32 * 1024
    plain = parse({"kind": "user", "content": "nothing to hide"})
    assert redact_observation(plain) is plain


@given(
    st.text(max_size=200), st.sampled_from([s for t, s in SECRETS if t == "here is {} for you"]), st.text(max_size=200)
)
def test_known_forms_go_wherever_they_stand(before: str, secret: str, after: str) -> None:
    assert secret not in redact(f"{before} {secret} {after}")


@given(st.text(max_size=300))
def test_spans_are_ordered_and_within(text: str) -> None:
    at = 0
    for start, end, kind in spans(text):
        assert at <= start < end <= len(text)
        assert kind
        at = end


SHAPES = [
    "a", "key=", "key=aBcdef12 ", "password ", "password is Abc123!x ", 'password="', "gh" + "p_aaaaaaaaaaaaaaaaaaaaa ",
    "://a:", "://a:b@", "-----BEGIN " + "PRIVATE KEY-----\n", "-----END " + "PRIVATE KEY-----\n", "password,token\n",
    "curl -u ", "mysql mysql -p", "Cookie: a=b; ", '\\"', '" + "', "a\\\n", "https://hook/hook", "seed phrase word ",
    "bearer ", "kind: Secret\ndata:\n  a: bcdefgh\n", "密码", " --password x", 'password" value', "aB3", "otp ", "1234:",
    "--token abc1234 ", "set -x token abc123 ",
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_time_is_bounded_on_hostile_text(shape: str) -> None:
    """1 MiB made to be slow: a quarter of a second of processor time at most; the test allows for a slower machine.
    What an observation may hold is cut before it is searched, so `observe` pays a small part of that."""
    text = (shape * (1024 * 1024 // len(shape) + 1))[: 1024 * 1024]
    started = time.process_time()
    redact(text)
    whole = time.process_time() - started
    started = time.process_time()
    prepare({"kind": "tool", "content": text}, oversize="cut")
    assert whole < 0.6
    assert time.process_time() - started < 0.3


def test_no_half_of_a_secret_stays_at_a_cut() -> None:
    secret = "gh" + "p_" + TOKEN36
    for shift in range(0, 60, 7):
        obs = prepare({"kind": "tool", "content": "x" * shift + f" {secret}" * 8000}, oversize="cut")
        assert not any(secret[at : at + 20] in obs.content for at in range(0, 20, 4))


def test_past_the_budget_secrets_still_go() -> None:
    lines = [f"password for host {i} is Abc{i}!xYz" for i in range(6000)]
    out = redact("\n".join(lines))
    assert "Abc5999!xYz" not in out
    assert "Abc10!xYz" not in out
    assert "password for host" in out


def test_a_session_is_looked_at_only_where_a_value_could_be_its_secret() -> None:
    for text in ("session 12 done\nstock index cache", "the session was closed", "new session: web"):
        assert redact(text) == text
    drawn = "k3J9" + "x7Qm2Lp8" + "Vz4T"
    for text in ("JSESSIONID={}", "curl --session {} http://h.test", 'sess = "{}"', "phpsessid={}; path=/"):
        assert drawn not in redact(text.format(drawn))
    joined = redact(f'sess="{drawn[:7]}" +\n  "{drawn[7:]}"')  # neither half is long enough by itself
    assert drawn[:7] not in joined
    assert drawn[7:] not in joined


def test_more_flags_than_are_judged_hide_no_secret() -> None:
    """Beyond the budget every word with a letter and a digit goes: none of them slips through."""
    text = " ".join(f"--token q{n}Wx7z" for n in range(5_000)) + " --password Tr0ub4dor&3"
    out = redact(text)
    assert "Tr0ub4dor&3" not in out
    assert "Wx7z" not in out


@given(
    st.lists(
        st.sampled_from(["curl", "xcurl ", "az ", "http", "https ", " ", "é", "7z", "zipunzip", "oc\n"]), max_size=30
    )
)
def test_words_are_found_at_the_same_places_in_short_and_in_long_text(pieces: list[str]) -> None:
    words = Words("curl", "az ", "http", "https", "7z", "zip", "unzip", "oc ")
    text = "".join(pieces)
    padding = " " * (SHORT_CHARS + 1)
    short, unseen = words.places(text)
    long, _ = words.places(text + padding)
    assert (sorted(set(long)), unseen) == (short, len(text))
    assert words.within(text) is bool(short)
