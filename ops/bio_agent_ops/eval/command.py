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
    from bio_agent_schema.revisions import SchemaMismatch

    try:
        with opened(models, settings, home) as house:
            yield house
    except (EvalError, SchemaMismatch) as error:
        raise CommandError(str(error)) from error


# The answers without which a row is not scored, by the form's name; and what rows hold for people and for groups.
SCORED_BY = {
    "contradictions": ("relation",), "distill": ("expect",), "recall queries": ("relevant",), "field cases": ("expected",),
    "directives": ("is_directive",), "redaction": ("spans_parts", "keep"), "guard": ("expect",),
}  # fmt: skip
ANNOTATIONS = {
    "lang",
    "kind",
    "note",
    "why",
    "domain",
    "workspace",
    "mode",
    "type",
    "tags",
    "source",
    "severity",
    "polarity",
}


def unscored(path: Path, form: Form, rows: Sequence[Row]) -> list[str]:
    """Warnings of rows that will not be scored although they hold something that may have been meant as the answer."""
    needed = SCORED_BY.get(form.name, ())
    known = {*form.question, *form.answer, *ANNOTATIONS}
    by_fields: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        unknown = tuple(sorted(str(name)[:80] for name in row if name not in known))
        if unknown and not all(name in row for name in needed):
            by_fields.setdefault(unknown, []).append(row["id"])
    return [
        f"{path.name}: {len(ids)} rows (such as {ids[0][:80]}) have no {' and no '.join(needed)} and are answered, not scored;"
        f" nothing reads their {', '.join(fields)}"
        for fields, ids in by_fields.items()
    ]


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
    for (path, form), (rows, _) in zip(files, read, strict=True):
        for warning in unscored(path, form, rows):
            click.echo(f"warning: {warning}", err=True)
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
    """How pairs of rules relate: by words, then by the model that is configured (NLI_MODEL_PATH, NLI_MODEL_ID or MODEL_ID).

    \b
    Each line of FILE is an object:
      id, a, b       the pair of rules
      relation       the expected answer: contradiction, governed_exception,
                     equivalent or neutral
      exception_of   for an exception: which of "a" and "b" is the general rule
      lang           if given, results are told by it too
    Example: ops/examples/eval/contradictions.jsonl
    """
    from bio_agent_ops.eval import contradictions as it

    _evaluate("contradictions", [(file, it.FORM)], home, as_json, lambda rows, result, house: it.run(rows[0], result, house),
              needs_house=lambda models: models.nli is not None)  # fmt: skip


@group.command()
@click.argument("file", type=FILE)
@_options
@told
def distill(file: Path, home: Path | None, as_json: bool) -> None:
    """What is learned from sessions, through stream, intake and the five stages.

    \b
    Each line of FILE is an object:
      id             the session's
      observations   a list, in the full or the plain form of POST /api/ingest
      expect         the expected answer, an object of
        rules        objects with must_mention (regular expressions) and, if
                     wanted, kind; [] where nothing is to be learned
        junk         indices of observations that are noise
        unresolved   indices of failures that nothing fixed
        secret       texts that must not be stored
      lang           if given, results are told by it too
    Example: ops/examples/eval/distill.jsonl
    """
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
    """Whether recall finds the right memories, beside plain vector search, BM25 and their fusion.

    \b
    Each line of CORPUS is an object:
      id, content, ts   the memory and its time with offset
      type, workspace, lang, tags, source, severity   as far as known
    Each line of QUERIES is an object:
      id, query         with workspace and mode where they matter
      relevant          the expected answer: ids of the corpus
      stale             ids that were true once and must not come first
      lang              if given, results are told by it too
    Example: ops/examples/eval/recall-corpus.jsonl and recall-queries.jsonl
    """
    from bio_agent_ops.eval import recall as it

    _evaluate("recall", [(corpus, it.CORPUS), (queries, it.QUERIES)], home, as_json,
              lambda rows, result, house: it.run(rows[0], rows[1], result, _in(house)))  # fmt: skip


@group.command()
@click.argument("file", type=FILE)
@_options
@told
def cases(file: Path, home: Path | None, as_json: bool) -> None:
    """Inputs that broke systems of this kind, each through the part it concerns.

    \b
    Each line of FILE is an object:
      id         the case's
      input      an object with op, which names the part and the act, and
                 what that takes
      expected   the expected answer: facts that must hold, such as verdict,
                 relation or rules_count
      kind       if given, results are told by it too
    An op, field or fact that is not known makes the case fail and is named.
    Example: ops/examples/eval/cases.jsonl
    """
    from bio_agent_ops.eval import cases as it

    _evaluate(
        "cases", [(file, it.FORM)], home, as_json, lambda rows, result, house: it.run(rows[0], result, _in(house))
    )


@group.command()
@click.argument("file", type=FILE)
@_options
@told
def directives(file: Path, home: Path | None, as_json: bool) -> None:
    """Which turns hold an owner's standing directive.

    \b
    Each line of FILE is an object:
      id, text       the turn
      speaker        owner (if absent), other, pasted, quoted or assistant
      context        what was said before it
      is_directive   the expected answer, true or false
      polarity       of a directive, positive or negative; checked if given
      lang           if given, results are told by it too
    Example: ops/examples/eval/directives.jsonl
    """
    from bio_agent_ops.eval import directives as it

    _evaluate("directives", [(file, it.FORM)], home, as_json, lambda rows, result, house: it.run(rows[0], result),
              needs_house=lambda _: False)  # fmt: skip


@group.command()
@click.argument("file", type=FILE)
@_options
@told
def redaction(file: Path, home: Path | None, as_json: bool) -> None:
    """What redaction takes out, and what it must leave.

    \b
    Each line of FILE is an object:
      id              the text's
      content_parts   the text in parts that are joined, so that no file has
                      to hold a whole secret
      spans_parts     the expected answer: each secret, in parts again
      keep            and texts that must be left (both are needed)
      secret          whether there is one
      kind            if given, results are told by it too
    Example: ops/examples/eval/redaction.jsonl
    """
    from bio_agent_ops.eval import redaction as it

    _evaluate("redaction", [(file, it.FORM)], home, as_json, lambda rows, result, house: it.run(rows[0], result),
              needs_house=lambda _: False)  # fmt: skip


@group.command()
@click.argument("file", type=FILE)
@_options
@told
def guard(file: Path, home: Path | None, as_json: bool) -> None:
    """What the guard says of tool calls under given rules.

    \b
    Each line of FILE is an object:
      id       the case's
      rule     an object with text, kind (core, owner, learned, guard_fact)
               and, where they matter, scope and exception
      also     more such rules
      call     an object with tool, input and, where they matter, now,
               workspace, agent, user, session and mode
      expect   the expected answer: allow, warn, needs_approval or block
      lang     if given, results are told by it too
    Example: ops/examples/eval/guard.jsonl
    """
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
    """Recall in long conversations, from PATH as LoCoMo, LongMemEval, BEAM (a folder) or FactConsolidation publish them.

    \b
    PATH is recognised by its keys:
      LoCoMo              conversation and qa; qa's evidence names the turns
                          that answer (the expected answer)
      LongMemEval         haystack_sessions, haystack_dates, question;
                          expected: has_answer on turns, answer_session_ids
      BEAM                a folder of chat.json and probing_questions.json
      FactConsolidation   context (numbered facts), questions, answers
    Example, in LoCoMo's form: ops/examples/eval/conversations.json
    """
    from bio_agent_ops.eval import conversation_sets
    from bio_agent_ops.eval import conversations as it
    from bio_agent_ops.local import CommandError

    def run(rows: list[list[Row]], result: Result, house: House | None) -> None:
        try:
            it.run(conversation_sets.read(path), result, _in(house), lambda line: click.echo(line, err=True))
        except conversation_sets.SetError as error:
            raise CommandError(str(error), exit_code=2) from error

    _evaluate("conversations", [], home, as_json, run)
