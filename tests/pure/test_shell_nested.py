"""What a line comes down to: aliases, code given to an interpreter, braces, abbreviations, emptied files, and what chooses."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.shell import parse_command
from bio_agent_workers.shell.feeds import feeds


def texts(line: str) -> list[str]:
    return [f"{act.tool} {' '.join([act.verb, *act.flags, *act.operands])}".strip() for act in parse_command(line)]


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ('git -c alias.p="push --force" p origin main', "git push --force origin main"),
        ("git -c alias.z='!rm -rf /srv/x' z", "rm -rf /srv/x"),
        ("rm -rf /srv/{a,b}/x", "rm -rf /srv/a/x /srv/b/x"),
        ("docker stop web{1..3}", "docker stop web1 web2 web3"),
        ("npm pub --access public", "npm publish --access public"),
        ("npm un x", "npm uninstall x"),
        (": > /var/log/x.log", "truncate --size=0 /var/log/x.log"),
        ("cat /dev/null > x.log", "truncate --size=0 x.log"),
        ("ssh -o Port=2222 h uptime", "ssh -p 2222 h uptime"),
        ("ansible-playbook ./site.yml", "ansible-playbook site.yml"),
    ],
)
def test_other_spellings_of_one_line(line: str, same: str) -> None:
    assert texts(line) == texts(same)


@pytest.mark.parametrize(
    ("line", "done"),
    [
        (
            "python3 -c \"import os; os.remove('/etc/x'); os.system('git push --force')\"",
            ["rm /etc/x", "git push --force"],
        ),
        ("python -c \"import subprocess; subprocess.run(['rm', '-rf', '/x'])\"", ["rm -rf /x"]),
        ("python -c \"from pathlib import Path; Path('/x').unlink(); open('/y', 'w')\"", ["rm /x", "tee /y"]),
        ("node -e \"require('fs').rmSync('/srv/x', {recursive: true})\"", ["rm -r /srv/x"]),
        ('perl -e \'unlink "/etc/p"; system("reboot")\'', ["rm /etc/p", "reboot"]),
        ("python -c \"print('rm -rf /')\"", []),
        ("python -c \"open('/y')\"", []),
    ],
)
def test_what_the_code_of_an_interpreter_does(line: str, done: list[str]) -> None:
    assert texts(line)[1:] == [text for one in done for text in texts(one)]


@pytest.mark.parametrize(
    ("line", "consumer", "chosen"),
    [
        (
            "docker stop $(docker ps -q --filter label=x)",
            "docker stop '$(docker ps -q --filter label=x)'",
            ["docker ps"],
        ),
        ("zfs list -t snapshot p/d | head -3 | xargs -n1 sudo zfs destroy", "sudo zfs destroy", ["zfs list"]),
        ("for p in $(kubectl get po); do kubectl delete $p; done", "kubectl delete $p", ["kubectl get"]),
        ("ls /x | while read f; do rm $f; done", "rm $f", ["ls"]),
        ("kubectl get ns | grep -v prod | xargs kubectl delete ns", "kubectl delete ns", ["kubectl get"]),
    ],
)
def test_what_chooses_the_objects_of_a_command(line: str, consumer: str, chosen: list[str]) -> None:
    assert [f"{act.tool} {act.verb}".strip() for act in feeds(line)[consumer]] == chosen


@given(st.text(alphabet="ab{},.1$()|`' ;", max_size=60))
def test_any_line_is_read(line: str) -> None:
    assert isinstance(parse_command(line), tuple)
    assert isinstance(feeds(line), dict)


def test_what_chooses_is_read_within_bounds() -> None:
    assert len(feeds("a | xargs b " * 400)) <= 1
    assert all(len(chosen) <= 8 for chosen in feeds("echo " + "$(ls /a) " * 300).values())


def test_a_folder_named_like_a_package_stays_a_folder() -> None:
    assert texts("pip install ./numpy") != texts("pip install numpy")


@pytest.mark.parametrize(
    "before",
    [
        "cat > x.js <<'EOF'\n" + "if (a || b) { c(); d(); }\n" * 1_100 + "EOF",
        "cat > notes.md <<EOF\n" + "| a | b | c | d |\n" * 1_000 + "EOF",
        "cat > long.txt <<-EOF\n" + "some words of prose that fill the page\n" * 2_000 + "EOF",
        "\n".join(f"echo {n}" for n in range(300)),
        "; ".join(f"echo {n}" for n in range(300)) + ";",
    ],
    ids=["code", "table", "prose", "lines", "commands"],
)
def test_what_ends_a_long_line_is_read(before: str) -> None:
    assert parse_command(f"{before}\ngit push --force origin main")[-1].form == "git push --force origin main"


def test_what_nests_deeply_is_read_in_time() -> None:
    before = time.process_time()
    feeds("echo " + "$(" * 200 + "true" + ")" * 200)
    assert time.process_time() - before < 0.5
