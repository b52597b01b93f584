"""Which later command is taken for the correction of a failed one, and which only looks like it."""

from __future__ import annotations

import pytest

from bio_agent_workers.brain.lessons.acts import link_failures
from bio_agent_workers.brain.lessons.lesson import lessons
from bio_agent_workers.brain.lessons.rendering import render
from tests.pure.test_lessons import session


@pytest.mark.parametrize(
    ("failed", "error", "later"),
    [
        ("make tests", "make: *** No rule to make target 'tests'.  Stop.", "make check"),
        ("npm run build", 'npm error Missing script: "build"', "npm run compile"),
        ("pip install d/a-1-py2-none-any.whl", "ERROR: a-1-py2-none-any.whl is not a supported wheel", "pip install d/a-1-py3-none-any.whl"),
        ("tail -r days.txt > back.txt", "tail: invalid option -- 'r'", "tac days.txt > back.txt"),
        ("find in -name x | xargs cat > all.txt", "cat: in/a: No such file or directory", "find in -name x -print0 | xargs -0 cat > all.txt"),
        ("python3 shop/pay.py", "ImportError: attempted relative import", "python3 -m shop.pay"),
        ("ruff lens.py", "error: unrecognized subcommand 'lens.py'", "ruff check lens.py"),
        ("node write.js", "SyntaxError: Cannot use import statement", "node write.mjs"),
        ("dotnet test", "error NU1101: Unable to find package", "dotnet test --source inner"),
        ("pytest -q --colour=red", "ERROR: usage: pytest [options]\nunrecognized arguments: --colour=red", "pytest -q --colour=red unit"),
        ("git am ../mail/lamp.patch", "Patch format detection failed.", "git apply ../mail/lamp.patch"),
        ("kubectl create -f web.yaml", 'deployments "web" already exists', "kubectl apply -f web.yaml"),
        ("helm install shop ./chart", "cannot re-use a name that is still in use", "helm upgrade shop ./chart"),
        ("npm run e2e", "cannot open display", "xvfb-run -a npm run e2e"),
        ("python3 send.py hi", "ConnectionRefusedError", "sh with_queue.sh python3 send.py hi"),
        ("git describe", "fatal: no annotated tags can describe it: try --tags.", "git describe --tags"),
        ("wc -l --bytes=2 a.txt > n", "wc: unrecognized", "wc -l a.txt > n"),
        ("git describe --long > V", "fatal: no names found", "git describe --long --all > V"),
        ("sha256sum -c out/SUMS", "sha256sum: a: No such file or directory", "cd out && sha256sum -c SUMS"),
        ("sha256sum -c out/SUMS > v", "sha256sum: a: No such file or directory", "(cd out && sha256sum -c SUMS) > v"),
        ("./tools/pack.sh all", "./common.sh: not found", "cd tools && ./pack.sh all"),
        ("python3 -m unittest test_fee", "ModuleNotFoundError: No module named 'test_fee'", "python3 -m unittest unit.test_fee"),
        ("java Main", "Could not find or load main class Main", "java Main.java"),
    ],
)  # fmt: skip
def test_a_correction_is_found(failed: str, error: str, later: str) -> None:
    episodes, acts = session((failed, 1, error), (later, 0, ""))
    assert link_failures(episodes, acts) == [(episodes[0].id, episodes[1].id)]


@pytest.mark.parametrize(
    ("failed", "error", "later"),
    [
        ("make tests", "boom", "make check"),
        ("make tests", "make: *** [Makefile:2: tests] Error 1", "make check"),
        ("npm run build", "build failed: out of memory", "npm run compile"),
        ("pip install d/a-1-py2-none-any.whl", "disk full", "pip install d/a-1-py3-none-any.whl"),
        ("grep a f.txt > out.txt", "", "grep b f.txt > out.txt"),
        ("make test > log.txt", "error: no", "make lint > log.txt"),
        ("python3 shop/pay.py", "ImportError: no", "python3 -m shop.sell"),
        ("node a.js", "SyntaxError: no", "node b.js"),
        ("dotnet test", "Failed: 2", "dotnet test --filter Cart"),
        ("rm a.txt", "rm: cannot remove 'a.txt': No such file or directory", "rm z.log"),
        ("pytest -q", "3 failed", "pytest -q unit"),
        ("pytest -q --colour=red", "unrecognized arguments: --colour=red", "pytest -q unit"),
        ("git push origin main", "rejected: unexpected format", "git pull origin main"),
        ("git apply lamp.patch", "error: while searching for: lamp", "git add lamp.patch"),
        ("kubectl apply -f web.yaml", "unsupported value", "kubectl delete -f web.yaml"),
        ("ruff check a.py", "expected an indented block", "ruff format a.py"),
        ("helm install shop ./chart", "unsupported kind", "helm uninstall shop ./chart"),
        ("npm run e2e", "cannot open display", "ssh ci@far.example npm run e2e"),
        ("npm run e2e", "cannot open display", "echo npm run e2e"),
        ("npm run e2e", "cannot open display", "true npm run e2e"),
        ("git describe", "fatal: no names found", "git describe --all"),
        ("cat out/a.md", "cat: out/a.md: No such file or directory", "cd src && cat a.md"),
        ("python3 -m unittest test_fee", "AssertionError: 1 != 2", "python3 -m unittest unit.test_fee"),
        ("java Main", "Exception in thread main", "java Main.java"),
        ("bash deploy.sh", "boom", "bash deploy.dev.sh"),
    ],
)
def test_another_act_is_no_correction(failed: str, error: str, later: str) -> None:
    episodes, acts = session((failed, 1, error), (later, 0, ""))
    assert link_failures(episodes, acts) == []


def test_what_closed_a_failure_is_a_step_when_the_failed_command_works_after_it() -> None:
    episodes, acts = session(
        ("cmake --build out", 1, "Error: could not load cache"), ("cmake -B out", 0, ""), ("cmake --build out", 0, "")
    )
    (reading,) = lessons(episodes, acts, link_failures(episodes, acts))
    told = render(reading.lesson, "en", reading.wide)
    assert told == "When `cmake --build <arg>` fails for out, first run `cmake -B <arg>`; then it worked."


def test_a_number_beyond_a_limit_stands_for_others_beyond_it() -> None:
    episodes, acts = session(
        ("ssh-keygen -t rsa -b 512 -f k", 1, "Invalid RSA key length: minimum is 1024 bits"),
        ("ssh-keygen -t rsa -b 2048 -f k", 0, ""),
    )
    (reading,) = lessons(episodes, acts, link_failures(episodes, acts))
    told = render(reading.lesson, "en", reading.wide)
    assert "-b <n>" in told.partition(" here")[0]
    assert "-b 2048" in told.partition(" here")[2]
