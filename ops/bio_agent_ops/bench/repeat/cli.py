"""The options of `bio-agent bench repeat`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from bio_agent_ops.commands.common import told


@click.command("repeat")
@click.option(
    "--host",
    type=click.Choice(["direct", "claude-code", "codex", "openclaw"]),
    default="direct",
    show_default=True,
    help="The agent host's real program, fetched from the npm registry once; direct needs none.",
)
@click.option(
    "--scenarios",
    "files",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Scenarios of your own instead of those that come with the product; may be given several times.",
)
@click.option(
    "--arm",
    "arms",
    multiple=True,
    type=click.Choice(["none", "exact", "bio", "bio-hold"]),
    help="No memory; a memory of exact failed strings; the product as it is connected; the product with --warn hold."
    "  [default: all]",
)
@click.option("--limit", type=click.IntRange(0), default=0, help="Only the first so many scenarios.")
@click.option(
    "--shift", type=click.IntRange(0, 7), default=0, help="Move every scenario so many places among the cells."
)
@click.option("--harmless/--no-harmless", default=True, show_default=True, help="Run the harmless commands as well.")
@click.option("--json", "as_json", is_flag=True)
@told
def repeat(
    host: str, files: tuple[Path, ...], arms: tuple[str, ...], limit: int, shift: int, harmless: bool, as_json: bool
) -> None:
    """Whether an agent repeats failures less with the memory than without: each scenario twice, three days apart."""
    from bio_agent_ops.bench.repeat import command, hosts

    chosen = tuple(arm for arm in hosts.ARMS if not arms or arm in arms)
    sys.exit(command.main(command.Asked(host, files, chosen, limit, shift, harmless, as_json)))
