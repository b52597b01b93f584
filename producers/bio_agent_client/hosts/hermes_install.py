"""Writes the memory's plugin into Hermes' home, or takes it out: `python -m bio_agent_client.hosts.hermes_install`."""

from __future__ import annotations

import argparse
import ast
import json
import os
import shutil
import sys
from pathlib import Path

from bio_agent_client.hosts.hermes import plugin_files

FOLDER = Path("plugins") / "bio-agent"  # below Hermes' home
_OURS = "bio_agent_client.hosts.hermes"  # by this a file of ours is known
_SETTINGS = "SETTINGS = json.loads("  # begins the line that holds them


def write(hermes_home: Path, settings: dict[str, str]) -> Path:
    """Writes the plugin; returns its folder. Raises FileExistsError when something else is there."""
    folder = hermes_home / FOLDER
    if folder.exists() and not is_ours(folder):
        raise FileExistsError(f"{folder} is there already and not ours; move it away first")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in plugin_files(settings, str(Path(__file__).parents[1])).items():
        draft = folder / f".{name}.new"
        draft.write_text(text, encoding="utf-8")
        draft.replace(folder / name)
    return folder


def remove(hermes_home: Path) -> bool:
    """Takes the plugin out; False when it was not there. Raises FileExistsError when what is there is not ours."""
    folder = hermes_home / FOLDER
    if not folder.exists():
        return False
    if not is_ours(folder):
        raise FileExistsError(f"{folder} is not ours; nothing was changed")
    shutil.rmtree(folder)
    return True


def is_ours(folder: Path) -> bool:
    try:
        return _OURS in (folder / "__init__.py").read_text(encoding="utf-8")
    except OSError:
        return False


def settings_in(folder: Path) -> dict[str, str]:
    """The settings of a plugin that was written, {} when they cannot be read."""
    try:
        text = (folder / "__init__.py").read_text(encoding="utf-8")
        line = next(one for one in text.splitlines() if one.startswith(_SETTINGS))
        found = json.loads(ast.literal_eval(line[len(_SETTINGS) : -1]))
    except (OSError, StopIteration, SyntaxError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bio_agent_client.hosts.hermes_install", description=__doc__)
    parser.add_argument("--hermes-home", default=os.environ.get("HERMES_HOME") or "~/.hermes")
    parser.add_argument("--home", default=os.environ.get("BIO_AGENT_HOME") or "~/.bio-agent", help="of bio-agent")
    parser.add_argument("--workspace", default="", help="[default: the name of the repository Hermes works in]")
    parser.add_argument("--agent", default="", help="[default: hermes]")
    parser.add_argument("--url", default="", help="http://127.0.0.1:PORT; [default: what runs on the home]")
    parser.add_argument("--warn", choices=("tell", "hold"), default="tell")
    parser.add_argument("--prompts", choices=("owner", "untrusted"), default="owner")
    parser.add_argument("--undo", action="store_true", help="take the plugin out again")
    given = parser.parse_args(argv)
    hermes_home = Path(given.hermes_home).expanduser()
    try:
        if given.undo:
            print("taken out" if remove(hermes_home) else "it was not there")
            print("now run: hermes plugins disable bio-agent && hermes config set memory.provider ''")
            return 0
        names = ("workspace", "agent", "url", "warn", "prompts")
        settings = {"home": str(Path(given.home).expanduser())} | {
            n: getattr(given, n) for n in names if getattr(given, n)
        }
        folder = write(hermes_home, settings)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"written: {folder}")
    print("now run: hermes config set memory.provider bio-agent && hermes plugins enable bio-agent")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
