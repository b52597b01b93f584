"""A rule speaks of an act however a call comes by it: another tool, code, a loop, a variable, a pipe, a folder."""

from __future__ import annotations

import pytest

from bio_agent_ops.service.guard_calls import call_of
from bio_agent_ops.service.guard_near import plain
from bio_agent_workers.shell import parse_command
from tests.pure.guard_tables import Told, held_against

_TOLD: list[Told] = [
    (
        "Never delete anything in /srv/data.",
        [
            ("mcp__commander__start_process", {"command": "rm -rf /srv/data"}),
            ("launch", {"program": "rm", "args": ["-rf", "/srv/data"]}),
            ("exec", {"command": "rm -rf data", "workdir": "/srv"}),
            ("run_python", {"code": "import shutil\nshutil.rmtree('/srv/data')"}),
            "python3 - <<'E'\nimport os\nfor n in ['a', 'b']:\n    os.remove(f'/srv/data/{n}')\nE",
            "node -e \"require('fs').rmSync('/srv/data/x', {recursive: true})\"",
            "echo /srv/data/x | xargs rm -rf",
            "D=/srv/data; cd $D && rm -rf x",
            'gone() { rm -rf "$1"; }; gone /srv/data',
            "for d in logs data; do rm -rf /srv/$d; done",
            "cat > x.sh <<'E'\nrm -rf /srv/data\nE\nsh x.sh",
            "find /srv/data -name '*.csv' -delete",
            "true; " + ":; " * 3_000 + "rm -rf /srv/data",
        ],
        [
            ("exec", {"command": "rm -rf data", "workdir": "/home"}),
            ("run_python", {"code": "import os\nprint(os.listdir('/srv/data'))"}),
            "python -c \"print('rm -rf /srv/data')\"",
            "for d in logs tmp; do rm -rf /srv/$d; done",
            "cat > x.sh <<'E'\nrm -rf /srv/data\nE\ncat x.sh",
            "cd /srv/data && rm -rf /tmp/x",
        ],
    ),
    (
        "Never force push.",
        [
            ("git", {"args": ["push", "--force"]}),
            ("shell.exec", {"argv": ["git", "push", "--force"]}),
            "X='git push'; $X --force",
            "git -c alias.x='push --force' x",
            "git push --mirror backup",
            "python -c \"import subprocess; subprocess.run(['git', 'push', '--force'])\"",
        ],
        [("robot", {"command": "push"}), ("git", {"args": ["push"]}), "F=--force; git push", "echo 'git push --force'"],
    ),
    (
        "Never run DROP TABLE on the database crm.",
        [
            "printf 'DROP TABLE x;\\n' | mysql --database=crm",
            "psql crm <<E\ndrop table x;\nE",
            "cat <<E | psql -d crm\ndrop table x;\nE",
            "echo 'drop table x' | docker exec -i db psql crm",
        ],
        ["echo 'select 1' | psql crm", "echo 'drop table x' | psql shop", "echo 'drop table x' > crm.sql"],
    ),
    (
        "Don't move or delete the tag v2.0.",
        ["git tag -f v2.0 9c1e77d", "git tag -d v2.0", "git push origin :refs/tags/v2.0"],
        ["git tag v2.0", "git tag -l v2.0", "git push origin v2.0", "git push origin :refs/tags/v1.9"],
    ),
    (
        "Never delete branches on the remote.",
        ["git push origin :topic", "git push origin --delete topic"],
        ["git push origin :refs/tags/v1", "git push origin topic"],
    ),
    (
        "Never delete the crontab of backup.",
        ["sudo -u backup crontab -r", "crontab -u backup -r", "su backup -c 'crontab -r'"],
        ["sudo -u backup crontab -l", "sudo -u web crontab -r", "sudo crontab -r"],
    ),
    (
        "Don't reboot gw-02.",
        [
            'for h in gw-01 gw-02; do ssh "$h" sudo reboot; done',
            ("ssh_exec", {"host": "gw-02", "command": "sudo reboot"}),
            "ssh -T gw-02 <<'E'\nsudo reboot\nE",
        ],
        [
            'for h in gw-01 gw-03; do ssh "$h" sudo reboot; done',
            ("ssh_exec", {"host": "gw-01", "command": "sudo reboot"}),
            ("ssh_exec", {"host": "gw-02", "command": "uptime"}),
        ],
    ),
    (
        "Never open the balcony door.",
        [("robot", {"command": "open", "door": "balcony"}), ("robot", {"command": "open balcony door"})],
        [("robot", {"command": "close", "door": "balcony"}), ("robot", {"command": "open", "door": "kitchen"})],
    ),
]


@pytest.mark.parametrize(("rule", "stopped", "passed"), _TOLD, ids=[told[0] for told in _TOLD])
def test_a_rule_stops_its_act_however_it_is_come_by(rule: str, stopped: list[str], passed: list[str]) -> None:
    assert held_against(rule, stopped, passed) == []


@pytest.mark.parametrize("line", ["env PYTHONUNBUFFERED=1 python scan.py --all", "NO_COLOR=1 python scan.py --all"])
def test_how_output_is_shown_makes_no_other_command(line: str) -> None:
    assert [plain(act).form for act in parse_command(line)] == ["python --all scan.py"]


def test_what_a_command_works_with_makes_another_one() -> None:
    assert [plain(act).form for act in parse_command("DB=test python scan.py")] == ["python DB=test scan.py"]


def test_the_domain_of_the_addresses_that_something_is_done_to_is_a_parameter() -> None:
    def domain(**fields: object) -> object:
        return call_of("erp_call", {"action": "grant_role", **fields}).parameters[0].get("email_domain")

    assert domain(user="s.rao@klp.example", role="admin") == "klp.example"
    assert domain(user="s.rao@klp.example", also=["a@b.example"]) == ["b.example", "klp.example"]
    assert domain(user="U-77", requested_by="s.rao@klp.example") is None
