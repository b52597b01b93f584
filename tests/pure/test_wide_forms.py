"""Lessons told of the kind of command, and made for the call at hand: what is left open, what stays, what is never said."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_schema.types import Act, FixKind
from bio_agent_workers.brain.guarding.bound import bound, told_of_call
from bio_agent_workers.brain.guarding.matching import condemns
from bio_agent_workers.brain.lessons.rendering import generalised, resized
from bio_agent_workers.brain.lessons.wide_forms import wide
from bio_agent_workers.brain.remedies.unsafe import lowers_safety
from bio_agent_workers.shell import parse_command


def act(line: str) -> Act:
    (found,) = parse_command(line)
    return found


@pytest.mark.parametrize(
    ("failed", "fixed", "told", "remedy"),
    [
        ("npm run lint", "npm --prefix web run lint", "npm run <script>", "npm --prefix web run <script>"),
        ("node send.js", "REGION=eu node send.js", "node <file>", "REGION=eu node <file>"),
        ("make upload", "make upload STAGE=test", "make <target>", "make <target> STAGE=test"),
        ("make tests", "make check", None, None),
        ("pytest -q tests", "python3 -m pytest -q tests", "pytest <arg>", "python3 -m pytest <arg>"),
        ("sqlite3 -csv x.db 'a b'", "sqlite3 -csv data/x.db 'a b'", "sqlite3 -csv <file> <text>", "sqlite3 -csv data/<file> <text>"),
        ("jq .id r.json", "jq .[].id r.json", "jq .<name> <file>", "jq .[].<name> <file>"),
        ("./gauge", "LD_LIBRARY_PATH=lib ./gauge", "./<script>", "LD_LIBRARY_PATH=lib ./<script>"),
        ("bin/feed --top 3", "FEEDS=in bin/feed --top 3", "./<script> --top 3", "FEEDS=in ./<script> --top 3"),
        ("./gradlew build", "CI=1 ./gradlew build", None, None),
        (".venv/bin/pytest", "CI=1 .venv/bin/pytest", None, None),
        ("npm run e2e", "xvfb-run npm run e2e", None, None),
        ("python3 send.py hi 4", "sh up.sh python3 send.py hi 4", "python3 <file>", "sh up.sh python3 <file>"),
        ("curl http://h:80/v1/a/b", "curl http://h:80/v2/a/b", "curl http://<host>/v1/<path>", "curl http://<host>/v2/<path>"),
        ("curl http://h:3000/up", "curl http://h:8080/up", "curl http://<host>:3000/<path>", "curl http://<host>:8080/<path>"),
        ("curl http://h/x/41", "curl http://h/x/42", None, None),
        ("curl http://h/v1/a", "curl http://i/v2/a", None, None),
        ("git archive main", "git archive main --prefix=a/", "git archive <arg>", "git archive <arg> --prefix=a/"),
        ("git push origin main", "git push --no-thin origin main", None, None),
        ("java Main", "java Main.java", "java <name>", "java <name>.java"),
        ("python3 shop/pay.py", "python3 -m shop.pay", "python3 <dir>/<name>.py", "python3 -m <dir>.<name>"),
        ("pip install d/a-1-py2-any.whl", "pip install d/a-1-py3-any.whl", "pip install <name>-py2-any.whl",
         "pip install <name>-py3-any.whl"),
        ("openssl x509 -inform pem -in a.crt -noout", "openssl x509 -inform der -in a.crt -noout",
         "openssl x509 -inform pem -in <file>", "openssl x509 -inform der -in <file>"),
        ("python3 -m unittest discover -s test", "python3 -m unittest discover -s tests", None, None),
        ("python -m unittest discover -s tests", "PYTHONPATH=src python -m unittest discover -s tests",
         "python -m unittest discover -s <arg>", "PYTHONPATH=src python -m unittest discover -s <arg>"),
        ("curl -s https://a.test/x", "curl -s -L https://a.test/x", "curl <url>", "curl -L <url>"),
        ("unzip a.zip", "tar -xzf a.zip", "unzip <file>", "tar -xzf <file>"),
        ("python3 manage.py migrate", "X=1 python3 manage.py migrate", None, None),
        ("git push origin master", "git push origin main", None, None),
    ],
)  # fmt: skip
def test_what_both_commands_share_is_left_open(failed: str, fixed: str, told: str | None, remedy: str | None) -> None:
    found = wide(act(failed), act(fixed), FixKind.REPLACE)
    assert (found and found.failed.text, found and found.fixed.text) == (told, remedy)


@pytest.mark.parametrize(
    ("line", "step", "told", "done"),
    [
        ("tar -xzf a.tgz -C out", "mkdir -p out", "tar -xzf <file> -C <path>", "mkdir -p <path>"),
        ("cp a.txt old/may/a.txt", "mkdir -p old/may", "cp <file>", "mkdir -p <path>"),
        ("./x.sh", "chmod +x x.sh", "./<script>", "chmod +x <script>"),
        ("join l.txt r.txt", "sort -o l.txt l.txt", "join <file>", "sort -o <file>"),
        ("make pdf", "mkdir -p build", "make <target>", "mkdir -p build"),
    ],
)
def test_a_step_takes_the_names_of_the_command_it_prepares(line: str, step: str, told: str, done: str) -> None:
    found = wide(act(line), act(line), FixKind.PREPARE, [act(step)])
    assert found is not None
    assert (found.failed.text, found.steps[0].text) == (told, done)


def test_the_words_left_open_are_named_as_long_as_they_are_names() -> None:
    found = wide(act("make pdf"), act("make pdf S=1"), FixKind.REPLACE)
    assert found is not None
    assert found.named == ("pdf",)
    long = wide(act(f"node {'x' * 60}.js"), act(f"A=1 node {'x' * 60}.js"), FixKind.REPLACE)
    assert long is not None
    assert long.named == ()
    assert wide(act("make"), act("make"), FixKind.FLAKY) is None


@pytest.mark.parametrize(
    ("failed", "fixed", "now", "remedy"),
    [
        ("ninja", "ninja -C obj", "ninja -j1 coin", "ninja -C obj -j1 coin"),
        ("gzip -d a.xz", "xz -d a.xz", "gzip -dk r.xz", "xz -dk r.xz"),
        ("node s.js", "X=1 node s.js", "node s.js 3", "X=1 node s.js 3"),
        ("patch -p0 -i f", "patch -p1 -i f", "patch --batch -p0 -i z", "patch --batch -p1 -i z"),
        ("make upload", "make upload STAGE=test", "make publish", ""),
        ("git switch x", "git switch -c x && git push", "git switch y", ""),
        ("ls a", "ls a", "ls a", ""),
        ("helm upgrade a ./c", "helm upgrade a ./c --atomic --timeout 10m", "helm upgrade a ./c --timeout 5m",
         "helm upgrade a ./c --atomic --timeout 10m"),
        ("helm upgrade a ./c", "helm upgrade a ./c --atomic --timeout 10m", "helm upgrade a ./c --timeout=5m --wait",
         "helm upgrade a ./c --atomic --timeout 10m --wait"),
        ("helm upgrade a ./c", "helm upgrade a ./c --timeout=10m", "helm upgrade a ./c --timeout 5m", "helm upgrade a ./c --timeout=10m"),
        ("docker build .", "docker build --pull .", "docker build --pull . -t x", "docker build --pull . -t x"),
        ("make", "make -j 1", "make -j 8 all", "make -j 1 all"),
        ("gcc -std=c89 a.c", "gcc -std=c99 a.c", "gcc -O2 -std=c89 b.c", "gcc -O2 -std=c99 b.c"),
        ("curl u", "curl -H x u", "curl -H y u", "curl -H x -H y u"),  # what may be given twice is
    ],
)  # fmt: skip
def test_a_remedy_is_made_for_the_call(failed: str, fixed: str, now: str, remedy: str) -> None:
    assert bound(failed, fixed, now) == remedy


def test_no_word_is_offered_that_the_sentence_leaves_out() -> None:
    failed, fixed, now = act("pip install a"), act("pip install --pre a"), act("pip install b")
    assert "`pip install --pre b`" in told_of_call(
        failed, fixed, now, "`pip install` failed. `pip install --pre <package>`", "en"
    )
    assert "改用" not in told_of_call(failed, fixed, now, "x", "zh")
    assert told_of_call(failed, fixed, now, "`pip install` failed. `pip install <value> <package>` worked.", "en") == ""


words = st.text("abc-./<> '\"`=12", min_size=0, max_size=24)


@given(words, words, words)
def test_no_text_breaks_it_and_nothing_but_the_difference_is_added(failed: str, fixed: str, now: str) -> None:
    out = bound(failed, fixed, now)
    known = set(re.findall(r"(?:[^\s'\"]|'[^']*'|\"[^\"]*\")+", f"{fixed} {now}"))
    assert not out or set(re.findall(r"(?:[^\s'\"]|'[^']*'|\"[^\"]*\")+", out)) <= known
    for a, b in ((parse_command(failed), parse_command(fixed)),):
        if a and b:
            wide(a[0], b[0], FixKind.REPLACE, a)
            wide(a[0], b[0], FixKind.PREPARE, b)


def test_a_number_given_to_an_option_is_a_setting_and_any_other_a_literal() -> None:
    assert resized(act("ssh-keygen -b 512 -f k"), act("ssh-keygen -b 2048 -f k")) == {"512", "2048"}
    assert not resized(act("kill 512"), act("kill 2048"))
    assert not resized(act("ssh-keygen -b 512"), act("openssl -b 2048"))


def test_a_report_left_out_lowers_no_protection() -> None:
    assert not lowers_safety(act("npm install --no-audit --no-fund"))
    assert lowers_safety(act("apt-get install --no-audit x"))
    assert not lowers_safety(act("PERL5LIB=lib perl a.pl"))
    for line in (
        "PERL5LIB=/tmp/x perl a.pl",
        "PERL5LIB=../x perl a.pl",
        "LD_LIBRARY_PATH=a:$HOME/b ./x",
        "PERL5OPT=-Mx perl a.pl",
    ):
        assert lowers_safety(act(line)), line


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("npm test", None),
        ("npm t", None),
        ("yarn test", None),
        ("pnpm start", None),
        ("bun test", None),
        ("npm test -- a.js", "npm test -- <file>"),
        ("npm run lint", "npm run <script>"),
        ("npm i dayjs", "npm i <package>"),
        ("rails test", None),
        ("bin/rails db:migrate", None),
        ("bundle exec rails test", None),
        ("rails test test/a.rb", "rails test <file>"),
        ("./gradlew build", None),
        ("gradle build", None),
        ("mvn verify", None),
        ("mytool deploy shop", "mytool deploy <arg>"),
        ("mytool shop", "mytool <arg>"),
        ("mypy build", "mypy <arg>"),
        ("pytest test", "pytest <arg>"),
        ("mkdir build", "mkdir <arg>"),
    ],
)
def test_what_says_what_is_done_is_no_argument(line: str, told: str | None) -> None:
    prepared = wide(act(line), act(line), FixKind.PREPARE, (act("npm ci"),))
    assert (prepared and prepared.failed.text) == told
    replaced = wide(act(line), act(f"CI=yes {line}"), FixKind.REPLACE)
    assert (replaced and replaced.failed.text) == told


def test_the_guard_holds_the_act_and_not_its_program() -> None:
    for failed, others in (
        ("rails test", ("rails server", "rails db:migrate")),
        ("./gradlew build", ("./gradlew clean",)),
    ):
        told, fixed = generalised(act(failed), act(f"CI=yes {failed}"), FixKind.REPLACE)
        assert condemns(told, act(failed), fixed)
        assert not any(condemns(told, act(other), fixed) for other in others)
