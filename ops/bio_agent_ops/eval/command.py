"""`bio-agent eval …`: one command per kind of examples."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from bio_agent_ops.commands.common import told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bio_agent_ops.eval.house import House
    from bio_agent_ops.eval.report import Result
    from bio_agent_ops.eval.rows import Form, Refusal, Row
    from bio_agent_workers.models import Models
    from bio_agent_workers.settings import Settings

FILE = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)


@click.group("eval")
def group() -> None:
    """Measure rules and models on examples (JSON lines): totals with a 95 % interval, causes of what was missed.

    Runs with the models that the environment configures, on databases of its own under a temporary folder. Exit code 2
    when a line was refused; rows without the expected answers are answered, not scored.
    """


def _options(command: Callable[..., Any]) -> Callable[..., Any]:
    command = click.option("--json", "as_json", is_flag=True, help="The result as data, with one item per row.")(
        command
    )
    return click.option(
        "--home",
        type=click.Path(file_okay=False, path_type=Path),
        help="Keep the evaluation's databases under this folder.",
    )(command)


def _configured() -> tuple[Models, Settings]:
    from bio_agent_ops.local import CommandError
    from bio_agent_workers.models import configured
    from bio_agent_workers.settings import Settings

    try:
        settings = Settings()
        return configured(settings), settings
    except ValueError as error:
        raise CommandError(str(error)) from error


def _read(path: Path, form: Form) -> tuple[list[Row], list[Refusal]]:
    from bio_agent_ops.eval.rows import read
    from bio_agent_ops.local import CommandError

    try:
        return read(path, form)
    except OSError as error:
        raise CommandError(f"cannot read {path}: {error.strerror}") from error


@contextmanager
def _house(models: Models, settings: Settings, home: Path | None) -> Iterator[House]:
    from bio_agent_ops.eval.house import EvalError, opened
    from bio_agent_ops.local import CommandError

    try:
        with opened(models, settings, home) as house:
            yield house
    except EvalError as error:
        raise CommandError(str(error)) from error


def _evaluate(
    name: str, files: Sequence[tuple[Path, Form]], home: Path | None, as_json: bool,
    run: Callable[[list[list[Row]], Result, House | None], None], *, needs_house: Callable[[Models], bool] = lambda _: True,
) -> None:  # fmt: skip
    """Read, run, report; ends the process with code 2 when lines were refused."""
    from bio_agent_ops.eval import report

    result = report.Result(name)
    read = [_read(path, form) for path, form in files]
    result.refused = [r for _, refused in read for r in refused]
    for refusal in result.refused:
        click.echo(f"refused {refusal}", err=True)
    models, settings = _configured()
    given = [rows for rows, _ in read]
    with report.timed(result, report.models_used(models, settings), len(given[-1]) if given else 0):
        if needs_house(models):
            with _house(models, settings, home) as house:
                run(given, result, house)
        else:
            run(given, result, None)
    if as_json:
        click.echo(report.as_json(result), nl=False)
    else:
        report.show(result, click.echo)
    sys.exit(2 if result.refused else 0)


def _in(house: House | None) -> House:
    assert house is not None
    return house


@group.command()
@click.argument("file", type=FILE)
@_options
@told
def contradictions(file: Path, home: Path | None, as_json: bool) -> None:
    """How pairs of rules relate: by words, then by the NLI model where one is configured (NLI_MODEL_ID)."""
    from bio_agent_ops.eval import contradictions as it

    _evaluate("contradictions", [(file, it.FORM)], home, as_json, lambda rows, result, house: it.run(rows[0], result, house),
              needs_house=lambda models: models.nli is not None)  # fmt: skip


@group.command()
@click.argument("file", type=FILE)
@_options
@told
def distill(file: Path, home: Path | None, as_json: bool) -> None:
    """What is learned from sessions, through stream, intake and the five stages."""
    from bio_agent_ops.eval import distill as it

    _evaluate(
        "distill", [(file, it.FORM)], home, as_json, lambda rows, result, house: it.run(rows[0], result, _in(house))
    )


@group.command()
@click.argument("corpus", type=FILE)
@click.argument("queries", type=FILE)
@_options
@told
def recall(corpus: Path, queries: Path, home: Path | None, as_json: bool) -> None:
    """Whether recall finds the right memories, beside plain vector search, BM25 and their fusion."""
    from bio_agent_ops.eval import recall as it

    _evaluate("recall", [(corpus, it.CORPUS), (queries, it.QUERIES)], home, as_json,
              lambda rows, result, house: it.run(rows[0], rows[1], result, _in(house)))  # fmt: skip


@group.command()
@click.argument("file", type=FILE)
@_options
@told
def cases(file: Path, home: Path | None, as_json: bool) -> None:
    """Inputs that broke systems of this kind, each through the part it concerns."""
    from bio_agent_ops.eval import cases as it

    _evaluate(
        "cases", [(file, it.FORM)], home, as_json, lambda rows, result, house: it.run(rows[0], result, _in(house))
    )


@group.command()
@click.argument("file", type=FILE)
@_options
@told
def directives(file: Path, home: Path | None, as_json: bool) -> None:
    """Which turns hold an owner's standing directive."""
    from bio_agent_ops.eval import directives as it

    _evaluate("directives", [(file, it.FORM)], home, as_json, lambda rows, result, house: it.run(rows[0], result),
              needs_house=lambda _: False)  # fmt: skip


@group.command()
@click.argument("file", type=FILE)
@_options
@told
def redaction(file: Path, home: Path | None, as_json: bool) -> None:
    """What redaction takes out, and what it must leave."""
    from bio_agent_ops.eval import redaction as it

    _evaluate("redaction", [(file, it.FORM)], home, as_json, lambda rows, result, house: it.run(rows[0], result),
              needs_house=lambda _: False)  # fmt: skip


@group.command()
@click.argument("file", type=FILE)
@_options
@told
def guard(file: Path, home: Path | None, as_json: bool) -> None:
    """What the guard says of tool calls under given rules."""
    from bio_agent_ops.eval import guard as it

    _evaluate(
        "guard", [(file, it.FORM)], home, as_json, lambda rows, result, house: it.run(rows[0], result, _in(house))
    )


@group.command()
@_options
@told
def stress(home: Path | None, as_json: bool) -> None:
    """A narrated run: failing deploys raise stress to its worked values and change the order of consolidation."""
    from bio_agent_ops.eval import stress as it

    def run(rows: list[list[Row]], result: Result, house: House | None) -> None:
        it.run(result, _in(house))
        if not as_json:
            for item in result.items:
                wanted = f" (worked value {item['expected']:.2f})" if item["expected"] is not None else ""
                click.echo(f"{item['step']}: stress {item['stress']:.2f}{wanted}, {item['band']}")
                for place, text in enumerate(item["order"], 1):
                    click.echo(f"    {place}. {text}")

    _evaluate("stress", [], home, as_json, run)


@group.command()
@click.argument("path", type=click.Path(exists=True, readable=True, path_type=Path))
@_options
@told
def conversations(path: Path, home: Path | None, as_json: bool) -> None:
    """Recall in long conversations, from PATH as LoCoMo, LongMemEval, BEAM (a folder) or FactConsolidation publish them."""
    from bio_agent_ops.eval import conversation_sets
    from bio_agent_ops.eval import conversations as it
    from bio_agent_ops.local import CommandError

    def run(rows: list[list[Row]], result: Result, house: House | None) -> None:
        try:
            it.run(conversation_sets.read(path), result, _in(house))
        except conversation_sets.SetError as error:
            raise CommandError(str(error), exit_code=2) from error

    _evaluate("conversations", [], home, as_json, run)
