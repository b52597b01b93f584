"""What a rule names must be borne in the role that the rule gives it: source or target, set or asked for, by its own kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.brain.guarding.roles import deeds
from bio_agent_workers.brain.guarding.statements import statements
from bio_agent_workers.shell import parse_command
from tests.pure.guard_tables import Given, held_against

ROLES: list[tuple[str, list[Given], list[Given]]] = [
    (
        "Never delete anything in the bucket acme-backups.",
        [
            "aws s3 sync . s3://acme-backups --delete --exclude '*.tmp'",
            "rclone sync ./empty remote:acme-backups",
            "aws s3 mv s3://acme-backups/a.tgz .",
        ],
        ["aws s3 sync s3://acme-backups . --delete", "rclone sync remote:acme-backups ./local"],
    ),
    (
        "Do not copy anything to the host backup-2.",
        ["scp dump.sql backup-2:/srv", "rsync -a /data backup-2:/data"],
        ["scp backup-2:/srv/dump.sql .", "rsync -a backup-2:/data /data"],
    ),
    ("Do not move files out of /srv/legal.", ["mv /srv/legal/a.pdf /tmp/"], ["mv /tmp/a.pdf /srv/legal/"]),
    (
        "Never transfer money from the account 0071-22.",
        [("transfer", {"from_account": "0071-22", "to_account": "0099-11", "amount": 10})],
        [("transfer", {"from_account": "0099-11", "to_account": "0071-22", "amount": 10})],
    ),
    (
        "Never change the email column of users.",
        [("sql_query", {"query": "UPDATE users SET name='x', email = lower(email) WHERE id=1"})],
        [("sql_query", {"query": "UPDATE users SET active=false WHERE email LIKE '%@old.example'"})],
    ),
    (
        "Ask me before rows are deleted from the payments table.",
        ["psql shop -c 'begin; delete from payments; commit'"],
        [
            'psql -c "DELETE FROM orders WHERE payment_id IN (SELECT id FROM payments)"',
            'psql -c "DELETE FROM sessions; SELECT * FROM payments"',
            'psql -c "INSERT INTO archive SELECT * FROM payments"',
        ],
    ),
    ("The tables a and stock_items are never truncated.", ["psql -c 'TRUNCATE a, b, shop.stock_items'"], []),
    (
        "Never grant the role admin to anyone.",
        [("grant_role", {"user": "bob", "role": "admin"})],
        [("grant_role", {"user": "admin", "role": "viewer"})],
    ),
    ("Never stop the container db.", ["docker stop db", "docker rm -f db"], ["docker stop web", "docker stop db-test"]),
    (
        "Never delete the namespace monitoring.",
        ["kubectl delete ns monitoring"],
        ["kubectl delete pod x -n monitoring", "kubectl delete ns test"],
    ),
    (
        "The branch develop must not be rebased.",
        ["git checkout develop && git rebase main"],
        ["git checkout feature/develop && git rebase main", "git checkout feature/x && git rebase develop"],
    ),
    (
        "The robot must not enter the nursery while the baby is asleep.",
        [("robot_action", {"action": "navigate", "target": "nursery", "baby_asleep": True})],
        [
            ("robot_action", {"action": "navigate", "target": "nursery", "baby_asleep": False}),
            ("robot_action", {"action": "navigate", "target": "kitchen", "baby_asleep": True}),
        ],
    ),
    (
        "有人在房间里时不要开扫地机。",
        [("robot_action", {"action": "start", "device": "robot_vacuum", "person_in_room": True})],
        [("robot_action", {"action": "start", "device": "robot_vacuum", "person_in_room": False})],
    ),
    (
        "Files in the archive folder are read-only: never change them.",
        ["echo x >> archive/a.txt"],
        ["cp archive/a.txt work/", "echo x > work/archive.txt"],
    ),
    (
        "Đừng hạ nhiệt độ phòng server xuống dưới 18 độ.",
        [("hvac", {"action": "set_temperature", "room": "server_room", "temperature": 16})],
        [("hvac", {"action": "set_temperature", "room": "office", "temperature": 16})],
    ),
    (
        "Do not lower the blinds when the window is open.",
        [("home", {"action": "lower", "device": "blinds", "window_open": True})],
        [("home", {"action": "raise", "device": "blinds", "window_open": True})],
    ),
    ("Never ship an order before it has been paid.", [], [("ship_order", {"order": "A", "status": "paid"})]),
    ("Never write to /dev/sda.", ["mkfs.ext4 /dev/sda1", "cat a.img > /dev/sda"], ["mkfs.ext4 /dev/sdb1"]),
    (
        "Never write to a disk such as /dev/sda or /dev/nvme0n1.",
        ["dd if=a.img of=/dev/sdc", "zcat a.gz | sudo tee /dev/nvme1n1p2"],
        ["dd if=/dev/sdc of=a.img", "echo x > /dev/null"],
    ),
    (
        "Never truncate the log files in /var/log/app.",
        ["sudo sh -c ': > /var/log/app/a.log'"],
        [": > /var/log/web/a.log"],
    ),
    (
        "Ask me before you remove a worktree or a branch of the repo.",
        ["git branch -D old", "git worktree remove ../x"],
        ["git branch", "git worktree list"],
    ),
]

CHOSEN: list[tuple[str, list[Given], list[Given]]] = [
    (
        "Ask me before a container labelled tier=web is stopped.",
        ["docker stop $(docker ps -q --filter label=tier=web)"],
        [
            "docker stop $(docker ps -q --filter label=tier=db)",
            "docker ps -q --filter label=tier=web | xargs docker inspect",
        ],
    ),
    (
        "Ask me before a pod in the namespace billing is deleted.",
        [
            "kubectl get pods -n billing -o name | xargs -r kubectl delete",
            "for p in $(kubectl get po -n billing -o name); do kubectl delete $p; done",
        ],
        ["kubectl get po -n shop -o name | xargs kubectl delete"],
    ),
    ("Do not remove node_modules.", ["find . -name node_modules -exec rm -rf {} +"], ["find . -name dist -delete"]),
]


@pytest.mark.parametrize(
    ("rule", "stopped", "passed"), ROLES + CHOSEN, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_name_counts_in_the_role_that_the_rule_gives_it(rule: str, stopped: list[Given], passed: list[Given]) -> None:
    assert held_against(rule, stopped, passed) == []


LEARNED: list[tuple[str, list[Given], list[Given]]] = [
    (
        "`bq load <table>` failed; use `bq load --replace_all=false <table>`.",
        ["bq load shop.visits"],
        ["bq load --noreplace_all shop.visits", "bq load --no-replace-all shop.visits"],
    ),
    (
        "`ssh <host>` failed (Permission denied); use `ssh -i ~/.ssh/ops <host>`.",
        ["ssh -p 22 web1"],
        ["ssh -o IdentityFile=~/.ssh/ops web1"],
    ),
    (
        "`ffmpeg -i <in> -c:v av1 <out>` failed; use `ffmpeg -i <in> -c:v libaom-av1 <out>`.",
        ["ffmpeg -i a.mov -vcodec av1 a.mp4"],
        ["ffmpeg -c:v av1 -i a.mov -c:v libaom-av1 a.mp4"],
    ),
    (
        "`node <script>` failed (Cannot find module); use `node --import tsx <script>`.",
        ["node src/b.ts --x"],
        ["node --import=tsx b.ts"],
    ),
    ("`yarn` failed (engine); use `yarn --ignore-engines`.", ["yarn"], ["yarn build", "yarn --ignore-engines"]),
    (
        "`go test ./...` failed (cgo); use `CGO_ENABLED=0 go test ./...`.",
        ["go test ./..."],
        ["export CGO_ENABLED=0; go test ./..."],
    ),
]


@pytest.mark.parametrize(
    ("rule", "stopped", "passed"), LEARNED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_remedy_is_known_in_each_of_its_spellings(rule: str, stopped: list[Given], passed: list[Given]) -> None:
    assert held_against(rule, stopped, passed) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select a from b", []),
        ("update t set a = b + 1, c = 'x' where d > 5", ["update t set a = 1, c = 'x' 5"]),
        ("delete from t using u where t.u_id = u.id; drop table v", ["delete from t  where  = u.id", "drop table v"]),
        ("insert into t (a) select a from u", ["insert into t (a)"]),
    ],
)
def test_a_statement_is_left_with_what_it_changes(text: str, expected: list[str]) -> None:
    assert [" ".join(one.split()) for one in statements(text)] == [" ".join(one.split()) for one in expected]


@given(st.text(max_size=200))
def test_any_text_may_be_read_as_statements(text: str) -> None:
    assert all(one.strip() == one and one for one in statements(f"update {text}"))


@given(st.lists(st.sampled_from(["a", "b:", "s3://x", "--delete", "-n", "s/"]), max_size=6))
def test_every_act_is_at_least_one_deed(words: list[str]) -> None:
    for act in parse_command(" ".join(["rsync", *words])):
        assert deeds(act)
