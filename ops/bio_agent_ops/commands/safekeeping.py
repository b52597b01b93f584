"""`backup` and `restore`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from bio_agent_ops.commands.common import Place, placed, show
from bio_agent_workers.brain.counting import counted


def _told(manifest: dict[str, Any]) -> str:
    counts = manifest["counts"]
    return (
        f"{counted(counts['episodes'], 'episode')}, {counted(counts['memories'], 'memory')},"
        f" {counted(counts['beliefs'], 'belief')} of {counted(counts['tenants'], 'tenant')},"
        f" {counted(manifest['unread'], 'observation')} not read yet"
    )


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="What was saved, as data.")
@placed
def backup(place: Place, file: Path, as_json: bool) -> None:
    """Save everything that is remembered to FILE; the service may run meanwhile."""
    from bio_agent_ops.backup import backup as save

    saved = save(place.home, file)
    if as_json:
        show(saved)
    else:
        click.echo(f"{saved['file']} ({saved['bytes'] / 1024**2:.1f} MiB): {_told(saved)}")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="What came back, as data.")
@placed
def restore(place: Place, file: Path, as_json: bool) -> None:
    """Bring FILE, a backup of yours, back into a home that is empty and not running."""
    from bio_agent_ops.backup import restore as load

    loaded = load(place.home, file)
    if as_json:
        show(loaded)
    else:
        click.echo(f"restored into {place.home.root}: {_told(loaded)}")
        click.echo(f"start it with `{place.home.command('up')}`")
