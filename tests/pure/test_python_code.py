"""What Python code does, as command lines."""

from __future__ import annotations

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
