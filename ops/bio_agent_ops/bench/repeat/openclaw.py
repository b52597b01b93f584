"""One turn of OpenClaw's agent in a project, with or without the product's plugin."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bio_agent_ops.hosts_trial import drive
from bio_agent_ops.hosts_trial import openclaw as host

PACKAGE = drive.Package("openclaw", host.OPENCLAW, "openclaw")
PLUGIN_ID = "bio-agent"
YIELDS_AFTER_MS = 110_000  # its shell tool would put a slower command into the background
CONTEXT_TOKENS = 1_000_000  # a long session is not to be summarised on the way


def plugin() -> Path:
    """The product's plugin in this checkout. Raises NotHere."""
    for above in Path(__file__).resolve().parents:
        found = above / "producers" / "openclaw"
        if (found / "openclaw.plugin.json").exists():
            return found
    raise drive.NotHere(
        "the plugin for OpenClaw lies in the repository (producers/openclaw), not in the installed package"
    )


def installed(folder: Path) -> Path:
    """A file below `folder` that names the installed program. Raises NotHere."""
    program, _ = host.installed(folder), plugin()
    names = folder / f"openclaw-{host.OPENCLAW}" / "program.json"
    names.write_text(json.dumps({"node": str(program.node), "script": str(program.script)}), encoding="utf-8")
    return names


def run(
    program: Path,
    prompt: str,
    *,
    url: str,
    project: Path,
    home: Path,
    plugin_settings: Mapping[str, Any] | None,
    seconds: float,
) -> drive.Ran:
    """`openclaw agent --local` in `project`. program: as `installed` gave it. plugin_settings: None runs without it."""
    names = json.loads(program.read_text(encoding="utf-8"))
    state = home / ".openclaw"
    state.mkdir(parents=True, exist_ok=True)
    configuration = state / "openclaw.json"
    configuration.write_text(json.dumps(_settings(url, project, plugin_settings)), encoding="utf-8")
    kept = {name: os.environ[name] for name in ("LANG", "TMPDIR") if name in os.environ}
    done = subprocess.run(
        [names["node"], names["script"], "agent", "--local", "--agent", "main", "--session-key",
         f"agent:main:{project.name}-{os.urandom(4).hex()}", "--message", prompt, "--json"],
        cwd=project,
        env={**kept, "PATH": f"{Path(names['node']).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
             "HOME": str(home), "OPENCLAW_STATE_DIR": str(state), "OPENCLAW_CONFIG_PATH": str(configuration)},
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds, check=False,
    )  # fmt: skip
    return drive.Ran(done.returncode, done.stdout.decode("utf-8", "replace"))


def _settings(url: str, project: Path, plugin_settings: Mapping[str, Any] | None) -> dict[str, Any]:
    given = host.settings(url, project, 18_977)
    for provider in given["models"]["providers"].values():
        for model in provider["models"]:
            model["contextWindow"] = CONTEXT_TOKENS
    given["plugins"] = {"enabled": True, "slots": {"memory": "none"}}
    if plugin_settings is not None:
        hooks = {"allowConversationAccess": True, "allowPromptInjection": True}
        given["plugins"] = {
            "enabled": True, "load": {"paths": [str(plugin())]}, "slots": {"memory": PLUGIN_ID},
            "entries": {PLUGIN_ID: {"enabled": True, "hooks": hooks, "config": dict(plugin_settings)}},
        }  # fmt: skip
    return given
