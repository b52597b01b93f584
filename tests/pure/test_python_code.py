"""What Python code does, as command lines."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.shell.python_code import is_python, python_lines


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("import subprocess as sp\nsp.run(['git', 'push'], cwd='/srv/app', check=True)", ["cd /srv/app && git push"]),
        ("from os import remove as r, system\nr('/x'); system(f'rm {p} /y')", ["rm /x", "rm $ /y"]),
        ("from pathlib import Path\np = Path('/srv') / 'a'\np.unlink(); Path('/q').chmod(0o777)", ["rm /srv/a", "chmod 777 /q"]),
        ("import subprocess\nfor h in ['a', 'b']:\n    subprocess.run(['ssh', h, 'reboot'])", ["ssh a reboot", "ssh b reboot"]),
        ("import shutil\nD = '/srv' + '/data'\nshutil.rmtree(D, ignore_errors=True)", ["rm -r /srv/data"]),
        ("import os\ndef clean():\n    os.unlink(os.path.join('/a', 'b'))", ["rm /a/b"]),
        ("import requests\nrequests.delete('https://api.x.test/orders/7')", ["curl -X DELETE https://api.x.test/orders/7"]),
        ("__import__('os').system('reboot')", ["reboot"]),
        ("import os\nos.execvp('git', ['git', 'push'])", ["git push"]),
        ("exec(\"import os; os.remove('/k')\")", ["rm /k"]),
        ("open('/a', 'w').write('x')\nwith open('/b') as f: f.read()\nopen('/c')", ["tee /a", "cat /b"]),
        ("!git push --force\nimport os\n", ["git push --force"]),
        ("%%bash\ngit push --force", ["\ngit push --force"]),
        ("import os\nos.remove('/z')\nthis is cut off", ["rm /z"]),
        ("import subprocess\nsubprocess.run('git push'.split() + ['--force'])", ["git push --force"]),
        ("from shutil import *\nrmtree('/q')", ["rm -r /q"]),
        ("import os\na, b = '/x', '/y'\nos.remove(b)", ["rm /y"]),
    ],
)  # fmt: skip
def test_calls_with_literal_arguments_are_read(code: str, lines: list[str]) -> None:
    assert list(python_lines(code)) == lines


@pytest.mark.parametrize(
    "code",
    [
        "print('rm -rf /srv')",
        "names = []\nnames.remove('x')",
        "import re\nre.search('x', 'rm -rf /')",
        "import os\nos.listdir('/srv')",
        "text.replace('a', 'b')",
        "import os\nos.remove(path)",
        "'''os.system(\"rm x\")'''",
        "not python at all; rm -rf /",
        "(" * 4_000,
        "x = " + "'a' + " * 3_000 + "'b'\nprint(x)",
    ],
)
def test_what_does_nothing_or_is_computed_is_not_read(code: str) -> None:
    assert list(python_lines(code)) == []


def test_what_is_python() -> None:
    assert is_python("import os\nos.remove('/x')")
    assert not is_python("P1")
    assert not is_python("git push --force")


@given(st.text(alphabet="abos.()[]'\"=:\n !%f+/", max_size=60))
def test_any_code_is_read(code: str) -> None:
    assert all(isinstance(line, str) for line in python_lines("import os as o\n" + code))


@pytest.mark.parametrize("before", ["x = open('x')\n", "for i in y: pass\n", "for i in 'a b c'.split(): print(i)\n"])
def test_the_end_of_long_code_is_read(before: str) -> None:
    lines = list(python_lines(before * 100 + "import shutil\nshutil.rmtree('data')"))
    assert lines[-1] == "rm -r data"
    assert len(lines) <= 64


@pytest.mark.parametrize(
    "code",
    [
        "a = '" + "a" * 1_000 + "'\n" + "a = a + a\n" * 60,
        "a = ['x', 'y']\n" + "a = [*a, *a, *a]\n" * 60,
        "a = 'xy'\n" + "a = f'{a}{a}{a}'\n" * 60,
        "a = 'xy'\n" + "a = a.join([a, a, a])\n" * 60,
        "".join(" " * n + "for i in ['a', 'b', 'c', 'd']:\n" for n in range(40)) + " " * 40 + "pass",
        "a = 'exec(1)'\n" + "exec(a)\n" * 60,
    ],
)
def test_code_that_grows_without_end_is_read_in_a_moment(code: str) -> None:
    began = time.process_time()
    lines = list(python_lines(code + "\nimport os\nos.remove('/z')\nos.system(a)"))
    assert lines[0] == "rm /z"
    assert sum(map(len, lines)) < 20_000
    assert time.process_time() - began < 1
