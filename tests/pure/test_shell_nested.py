"""What a line comes down to: aliases, code given to an interpreter, braces, abbreviations, emptied files, and what chooses."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.shell import parse_command, written_by
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
    ("line", "same"),
    [
        ('for h in a b{1..2}; do ssh "$h" id; done', "ssh a id; ssh b1 id; ssh b2 id"),
        ("for a in x y; do for b in 1 2; do rm $a$b; done; done", "rm x1; rm x2; rm y1; rm y2"),
        ("for n in {1..3}; do rm $n; done", "rm 1; rm 2; rm 3"),
        ("for n in 1 2 3; do make; done", "make"),
        ('while read -r h; do ssh "$h" id; done <<< "gw"', "ssh gw id"),
        ("printf 'a\\nb\\n' | while read h; do rm $h; done", "printf 'a\\nb\\n'; rm a; rm b"),
        ('X="git push"; $X --force', "git push --force"),
        ('C=(git push --force); "${C[@]}" origin', "git push --force origin"),
        ('gone() { rm -rf "$1"; }; gone /x y', "rm -rf /x"),
        ('function gone { rm "$@"; }\ngone a b', "rm a b"),
        ("later() { rm -rf /a; }", "rm -rf /a"),
        ('rm -rf "${D:-/srv/x}"; D=/y; rm ${D:-/z}', "rm -rf /srv/x; rm /y"),
        ("echo 'drop table x' > x.sql; psql crm -f x.sql", "echo 'drop table x'; psql crm -c 'drop table x'"),
        ("echo 'git push' > x.sh; bash < x.sh", "echo 'git push'; git push"),
        ("trap 'git push' EXIT", "git push"),
        ("bash -c 'git push $1' _ --force", "git push --force"),
        ("echo /srv/data | xargs rm -rf", "echo /srv/data; rm -rf /srv/data"),
        ("echo a b | xargs -I{} sh -c 'rm {}/x'", "echo a b; rm a/x; rm b/x"),
        ("echo 'drop table x' | docker exec -i db psql crm", "echo 'drop table x'; docker exec -i db psql crm -c 'drop table x'"),
        ("echo 'drop table x' | ssh db 'psql crm'", "echo 'drop table x'; ssh db \"psql crm -c 'drop table x'\""),
        ("sqlite3 a.db <<< 'drop table x'", "sqlite3 a.db 'drop table x'"),
        ("ssh -T gw <<'E'\nreboot\nE", "ssh -T gw 'reboot\n'"),
        ("ssh gw bash <<'E'\nreboot\nE", "ssh gw bash -c 'reboot\n'"),
        ("cat > x.sh <<'E'\ngit push\nE\nbash ./x.sh", "cat; bash ./x.sh; git push"),
        ("echo 'git push' > x.sh; . ./x.sh", "echo 'git push'; . x.sh; git push"),
        ("cat > a.py <<'E'\nimport os; os.remove('/x')\nE\npython a.py", "cat; python a.py; rm /x"),
        ("cat > a.py <<'E'\nimport os; os.remove('/x')\nE\ncat a.py", "cat; cat a.py"),
        ("python - <<'E'\nimport os; os.remove('/x')\nE", "python; rm /x"),
        ("pwsh -Command git push", "git push"),
        ("flock /tmp/l git push", "git push"),
    ],
)  # fmt: skip
def test_what_a_line_says_literally_is_filled_in(line: str, same: str) -> None:
    assert texts(line) == texts(same)


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("F=/etc/hosts; echo x > $F", ["/etc/hosts"]),
        ("for f in a b; do echo x >> /etc/$f; done", ["/etc/a", "/etc/b"]),
        ("sudo bash -c 'echo x > /etc/hosts'", ["/etc/hosts"]),
        ("cat > x <<'E'\n> y\nE", ["x"]),
        (": > x", ["x"]),
        ("make > /dev/null 2>&1; sort < x", []),
        ("echo '> x'", []),
    ],
)
def test_what_redirections_write_to(line: str, files: list[str]) -> None:
    assert list(written_by(line)) == files


def test_what_is_typed_into_a_terminal_is_run() -> None:
    assert texts("tmux send-keys -t s 'git push' Enter")[-1] == "git push"
    assert len(texts("tmux list-windows -F '#{window_name} #{pane_id}'")) == 1


@pytest.mark.parametrize(
    ("line", "flags"),
    [
        ("sudo -u backup crontab -r", ("@sudo crontab", "@as=backup", "-r")),
        ("sudo --user=backup crontab -r", ("@sudo crontab", "@as=backup", "-r")),
        ("su backup -c 'crontab -r'", ("@su crontab", "@as=backup", "-r")),
        ("runuser -l backup -c 'crontab -r'", ("@su crontab", "@as=backup", "-r")),
        ("sudo crontab -r", ("@sudo crontab", "-r")),
    ],
)
def test_as_whom_a_command_is_run(line: str, flags: tuple[str, ...]) -> None:
    (act,) = parse_command(line)
    assert (act.flags, act.form) == (flags, "crontab -r")


@pytest.mark.parametrize(
    "line",
    [
        "a && " * 20_000 + "git push",
        ":;" * 150_000 + "git push",
        "x" * 300_000 + "; git push",
        "git push; " + "a | b; " * 3_000,
    ],
    ids=["operators", "commands", "characters", "beginning"],
)
def test_of_a_line_beyond_the_limits_the_ends_are_read(line: str) -> None:
    before = time.process_time()
    assert "git push" in texts(line)
    assert time.process_time() - before < 1


@pytest.mark.parametrize(
    "line",
    [
        "for a in {1..60}; do " * 8 + "rm $a; " + "done; " * 8,
        "f() { f; f; rm x; }; f",
        "f() { g $1$1; }; g() { f $1$1; rm $1; }; f a",
        "echo '" + "sh x.sh;" * 500 + "' > x.sh; sh x.sh",
        "python -c '" + 'exec("exec(1)");' * 400 + "'",
    ],
    ids=["loops", "itself", "each other", "file", "code"],
)
def test_what_repeats_itself_is_read_within_bounds(line: str) -> None:
    before = time.process_time()
    assert len(parse_command(line)) <= 200
    assert time.process_time() - before < 1


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
