"""The command line: `bio-agent`. Each command is a few lines over the service, the supervisor or the client."""

from __future__ import annotations

from pathlib import Path

import click

from bio_agent_ops.commands import agent, exceptions, keeping, learned, operation, reviews, running, safekeeping
from bio_agent_ops.commands.common import Place, place_options, told
from bio_agent_ops.connect.command import connect
from bio_agent_ops.eval import command as evaluate
from bio_agent_ops.home import Home
from bio_agent_ops.mcp.command import mcp


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@place_options
@click.version_option(package_name="bio-agent-os")
@click.pass_context
@told
def main(context: click.Context, home: Path | None, port: int | None, tenant: str) -> None:
    """A memory that lets AI agents learn from what happened to them."""
    context.obj = Place(Home.default(home), port, tenant)


# Every command there is; a new one is a line here.
for command in (
    running.try_,
    running.up,
    running.down,
    running.status,
    running.flush,
    running.doctor,
    running.migrate,
    agent.exec_,
    agent.replay,
    agent.remember,
    agent.recall,
    agent.rules,
    agent.check,
    learned.sleep,
    learned.dream,
    learned.beliefs,
    learned.decide,
    learned.explain,
    exceptions.exceptions,
    reviews.reviews,
    keeping.quotas,
    keeping.memories,
    keeping.erase,
    keeping.verdicts,
    operation.keys,
    operation.dead_letters,
    operation.bench,
    evaluate.group,
    safekeeping.backup,
    safekeeping.restore,
    connect,
    mcp,
):
    main.add_command(command)


if __name__ == "__main__":
    main()
