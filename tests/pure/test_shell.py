"""Commands as canonical acts: many spellings of one act, data that only looks like a command, hostile input."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bio_agent_workers.shell import act_of, is_shell_tool, parse_command, parse_pattern


def forms(command: str) -> list[str]:
    return [act.form for act in parse_command(command)]


@pytest.mark.parametrize(
    "spellings",
    [
        [
            "git push -f origin main",
            "git push origin main --force",
            "git push origin +main",
            "sudo git push --force origin main",
        ],
        [
            "rm -rf build",
            "rm -fr build",
            "rm --recursive --force build",
            "rm -r -f -- build",
            "bash -lc 'rm -rf build'",
        ],
        ["tar -xzf a.tgz", "tar xzf a.tgz", "tar zxf a.tgz", "tar --extract --gzip --file=a.tgz", "tar -x -z -f a.tgz"],
        [
            "pytest -x tests",
            "python -m pytest -x tests",
            "python3 -m pytest --exitfirst tests",
            "timeout 60 pytest -x tests",
        ],
        ["pip install foo", "pip3 install foo", "python -m pip install foo", ".venv/bin/pip install foo"],
        ["npm install x", "npm i x", "npm add x"],
        ["npm test", "npm t", "npm run test", "npm run-script test"],
        ["docker compose up -d", "docker-compose up --detach", "nohup docker compose up -d"],
        ["psql -U admin -d bi", "psql --username=admin --dbname bi", "psql -Uadmin -dbi"],
        ["kubectl delete pod api -n pay", "kubectl --namespace=pay delete pods/api", "kubectl -n pay delete po api"],
        ["systemctl restart nginx", "sudo systemctl restart nginx.service", "service nginx restart"],
        ["terraform destroy", "terraform apply -destroy"],
        ["make -C fw -j4 all", "make --directory=fw -j 4 all", "make --directory fw -j4 all"],
    ],
)
def test_spellings_of_one_act_have_one_form(spellings: list[str]) -> None:
    assert {tuple(forms(spelling)) for spelling in spellings} == {tuple(forms(spellings[0]))}
    assert len(forms(spellings[0])) == 1


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cd x && make || echo no; ls | wc -l", ["cd x", "make", "echo no", "ls", "wc -l"]),
        ("(cd x; make)", ["cd x", "make"]),
        ("for f in a b; do rm $f; done", ["rm a", "rm b"]),
        ("echo $(git push -f)", ["git push --force", "echo $(git push -f)"]),
        ("kubectl get pod -o name | xargs -n 1 kubectl delete", ["kubectl get --output=name pod", "kubectl delete"]),
        ("bash <<'E'\nrm -rf x\nE", ["rm --force --recursive x"]),
        ("echo 'rm -rf x' | sh", ["echo rm -rf x", "rm --force --recursive x"]),
        ("alias k=kubectl\nk get pod", ["kubectl get pod"]),
        ("D=data; rm -rf $D/old", ["rm --force --recursive data/old"]),
        ("find logs -name '*.gz' -exec rm {} \\;", ["find -exec -name logs *.gz rm {} ;", "rm logs"]),
        ("make > out.txt 2>&1", ["make"]),
        ("cat > f <<EOF\nrm -rf /\nEOF", ["cat"]),
        ("env A=1 time -p make all", ["make A=<n> all"]),
        ("su deploy -c 'make all'", ["make all"]),
        ("if [ -f x ]; then make; fi", ["make"]),
    ],
)
def test_every_simple_command_is_found(command: str, expected: list[str]) -> None:
    assert forms(command) == expected


@pytest.mark.parametrize(
    "command",
    [
        'echo "git push -f"',
        "printf 'git push -f'",
        'git commit -m "git push -f"',
        "cat <<E\ngit push -f\nE",
        "# git push -f",
    ],
)
def test_quoted_text_is_data(command: str) -> None:
    assert not [act for act in parse_command(command) if (act.tool, act.verb) == ("git", "push")]


def test_wrappers_and_spelling_are_kept_apart() -> None:
    (act,) = parse_command("FOO=bar sudo .venv/bin/pip install -U 'foo>=1'")
    assert (act.tool, act.verb, act.operands) == ("pip", "install", ("foo>=1",))
    assert act.flags == ("@sudo .venv/bin/pip", "--upgrade", "FOO=bar")
    assert act.form == "pip install --upgrade FOO=bar foo>=1"
    assert act.text == "FOO=bar sudo .venv/bin/pip install -U 'foo>=1'"


def test_literals_become_placeholders_in_the_form_only() -> None:
    (act,) = parse_command("scp -P 2222 /srv/a/x.sql https://h.test/y deadbeef12 2026-01-02 10.0.0.1:80")
    assert act.form == "scp -P=<n> <path> <url> <hash> <date> <host>"
    assert "/srv/a/x.sql" in act.text
    assert "/srv/a/x.sql" in act.operands


def test_a_pattern_keeps_its_placeholders() -> None:
    (act,) = parse_pattern("tar -xzf <archive> -C <dir>")
    assert act.flags == ("--directory=<dir>", "--extract", "--file=<archive>", "--gzip")
    assert parse_pattern("./<script>")[0].tool == "./<script>"


def test_other_tools_are_one_act() -> None:
    (act,) = act_of(
        "erp_call", {"action": "post_journal", "company": "VN01", "lines": {"amount": 5, "draft": False}}, ""
    )
    assert (act.tool, act.verb) == ("erp_call", "post_journal")
    assert act.operands == ("company=VN01", "lines.amount=5", "lines.draft=false")
    assert act_of("Bash", {"command": "git push"}, "")[0].verb == "push"
    assert act_of("shell", {"command": ["bash", "-lc", "git push"]}, "")[0].verb == "push"
    assert act_of("", None, "git push")[0].verb == "push"
    assert act_of("", None, "") == ()
    assert is_shell_tool("mcp__host__run_command")
    assert not is_shell_tool("read_file")


@pytest.mark.parametrize(
    "command",
    [
        *("", "\0", "a\0b", "'", '"', "$(", "((", "<<A", "\ud800", "git push '" + "x" * 100_000, "a && " * 20_000),
        *("(" * 50_000, "$(" * 30_000, '"$(' * 20_000, "bash -c " * 9_000, "sudo " * 9_000, "${" * 30_000),
        *("<<A " * 20_000, "{ " * 30_000, "if " * 30_000, "`" * 50_000),
    ],
)
def test_hostile_lines_end_quickly(command: str) -> None:
    start = time.monotonic()
    assert len(parse_command(command)) <= 200
    assert time.monotonic() - start < 3


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="abg it-=/'\"$(){}|&;<>\\\n*[]`!#~", max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for act in (*parse_command(text), *parse_pattern(text)):
        assert act.tool
        assert "\n" not in act.text


@settings(max_examples=60, deadline=None)
@given(st.permutations(["--force", "--tags", "-v", "origin", "main"]))
def test_the_order_of_options_does_not_matter(words: list[str]) -> None:
    operands = [word for word in words if not word.startswith("-")]
    (act,) = parse_command("git push " + " ".join(words))
    assert act.form == "git push --force --tags --verbose " + " ".join(operands)


def test_far_characters_do_not_end_the_process() -> None:
    # The grammar's scanner reads beyond a table for them; what follows is read all the same.
    for far in ("\U0010ffff", "\U000e0041", "\U0001f600"):
        acts = parse_command(f"echo {far}!\t[;;b\r{{{far}<(!)) {far}; git push origin main")
        assert isinstance(acts, tuple)
        assert parse_command(f"git commit -m '{far}' && git push")[-1].verb == "push"
