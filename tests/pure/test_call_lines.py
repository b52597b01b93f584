"""Which calls of a tool run a command line, whatever the host calls its tool and its fields."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bio_agent_workers.shell import act_of, folder_of, is_shell_tool, line_of


@pytest.mark.parametrize(
    ("tool", "given_input", "line"),
    [
        ("execute_bash", {"command": "git push --force"}, "git push --force"),
        ("runCommand", {"CommandLine": "git push --force", "Cwd": "/x"}, "git push --force"),
        ("mcp__commander__start_process", {"command": "rm -rf /x", "timeout_ms": 5}, "rm -rf /x"),
        ("run_in_terminal", {"command": "reboot"}, "reboot"),
        ("local_shell", {"action": {"type": "exec", "command": ["bash", "-lc", "rm x"]}}, "bash -lc 'rm x'"),
        ("spawn", {"argv": ["git", "push", "-f", "my fork"]}, "git push -f 'my fork'"),
        ("process", {"cmd": "git", "args": ["push", "--force"]}, "git push --force"),
        ("process", {"program": "git", "arguments": "push --force"}, "git push --force"),
        ("git", {"args": ["push", "--force"]}, "git push --force"),
        ("git", {"command": "push --force"}, "git push --force"),
        ("task", {"commands": ["git push --force", "ls"]}, "git push --force\nls"),
        ("job", {"script": "set -e\ncd /x\nrm -rf y"}, "set -e\ncd /x\nrm -rf y"),
        ("job", {"command": "./deploy.sh live"}, "./deploy.sh live"),
        ("job", {"command": "cat /etc/shadow"}, "cat /etc/shadow"),
        ("execute_code", {"language": "bash", "code": "rm -rf x"}, "rm -rf x"),
        ("bash", "ls -l", "ls -l"),
        ("bash", '{"command": "git push --force"}', "git push --force"),
        ("write_stdin", {"session_id": 4, "chars": "git push --force\n"}, "git push --force\n"),
        ("exec", {"command": "psql crm", "stdin": "drop table x"}, "psql crm <<'INPUT'\ndrop table x\nINPUT"),
        ("Bash", {}, ""),
    ],
)
def test_a_command_line_is_told_by_its_field_and_what_it_says(tool: str, given_input: Any, line: str) -> None:
    assert line_of(tool, given_input) == line


@pytest.mark.parametrize(
    ("tool", "given_input"),
    [
        ("robot", {"command": "open"}),
        ("robot", {"command": "open the door, then stop; wait"}),
        ("robot", {"command": "go to the kitchen"}),
        ("robot", {"command": "make coffee"}),
        ("robot", {"command": "find the cup"}),
        ("robot", {"command": "move", "args": ["kitchen"]}),
        ("valve", {"command": ["open", "close"]}),
        ("lamp", {"command": "set brightness 50"}),
        ("send_command", {"command": "shutdown"}),
        ("bot", {"command": "/start"}),
        ("psql", {"command": "drop table x"}),
        ("erp", {"script": "month_end"}),
        ("run_payment", {"code": "P1"}),
        ("create_snippet", {"language": "python", "code": "import os\nos.remove('/x')"}),
        ("edit_python_file", {"code": "import os\nos.remove('/x')"}),
        ("sql_query", {"query": "select 1"}),
        ("open_terminal", {"id": 4}),
        ("write_stdin", {"session_id": 4, "chars": "y\n"}),
        ("approve_process", {"process": "invoice", "text": "Approved, go on"}),
    ],
)
def test_what_is_no_command_line_stays_what_it_is(tool: str, given_input: Any) -> None:
    assert line_of(tool, given_input) is None
    (act,) = act_of(tool, given_input, "")
    assert act.tool == tool


@pytest.mark.parametrize(
    ("tool", "given_input"),
    [
        ("python", {"code": "import os\nos.remove('/x')"}),
        ("mcp__notebook__executeCode", {"code": "import os\nos.remove('/x')"}),
        ("execute_code", {"language": "python3", "code": "import os\nos.remove('/x')"}),
        ("run_code", {"lang": "JavaScript", "code": "fs.rmSync('/x')"}),
    ],
)
def test_code_for_an_interpreter_is_run(tool: str, given_input: Any) -> None:
    assert [act.tool for act in act_of(tool, given_input, "")][1:] == ["rm"]


def test_the_folder_of_a_call() -> None:
    assert folder_of({"command": "ls", "workingDirectory": "/srv"}) == "/srv"
    assert folder_of({"action": {"command": ["ls"], "working_directory": "/srv"}}) == "/srv"
    assert folder_of({"command": "ls"}) == folder_of("ls") == ""


@pytest.mark.parametrize("tool", ["Bash", "exec", "terminal", "container.exec", "mcp__host__run_command", "ssh_exec"])
def test_names_of_shells(tool: str) -> None:
    assert is_shell_tool(tool)


@pytest.mark.parametrize(
    "tool", ["start_process", "execute", "run", "run_script", "open_terminal", "ssh", "exec_sql", "read_file", ""]
)
def test_names_of_other_tools(tool: str) -> None:
    assert not is_shell_tool(tool)


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["command", "args", "code", "language", "input", "cmd"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.sampled_from(["Bash", "python", "git", "run_code", "robot"]), _ANY)
def test_any_input_is_read(tool: str, given_input: Any) -> None:
    line = line_of(tool, given_input)
    assert line is None or isinstance(line, str)
    assert isinstance(act_of(tool, given_input, ""), tuple)


@pytest.mark.parametrize(
    "before",
    [
        "true; " * 250,
        "echo " + "$((1))" * 700 + "; ",
        "ls a | wc; " * 700,
        "a='" + "w " * 900 + "'; " + "ls $a; " * 60,
        "ls " + "{1..60} " * 2_000 + "; ",
        "f() { ls $@ $@; f $@ $@; }; " + "f a b; " * 80,
    ],
)
def test_the_end_of_a_long_line_is_read_in_a_moment(before: str) -> None:
    began = time.process_time()
    assert act_of("bash", {"command": before + "rm {x,y}"}, "")[-1].operands == ("x", "y")
    assert time.process_time() - began < 1


@pytest.mark.parametrize("part", ["<", ">", "a=(", "<<<", "<<E ", "f() ", "${", "$(echo ", "a|", "(", "["])
def test_marks_that_do_not_match_are_read_in_a_moment(part: str) -> None:
    began = time.process_time()
    act_of("bash", {"command": part * (60_000 // len(part))}, "")
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("git push $'\\x2df' origin main", "git push -f origin main"),
        ("busybox rm x", "rm x"),
        ("busybox sh -c 'rm x'", "rm x"),
        ("npx -c 'rm x'", "rm x"),
        ("git rebase -x 'rm x' main", "rm x"),
        ("git submodule foreach --recursive 'rm x'", "rm x"),
        ("git bisect run rm x", "rm x"),
        ('rm "$(pwd)/data"', "rm $PWD/data"),
    ],
)
def test_another_way_to_run_the_same(line: str, text: str) -> None:
    assert act_of("bash", {"command": line}, "")[-1].text == text
