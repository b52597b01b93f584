"""Ask a model once: a reply already stored under the same digest is used again, a new one is stored before it is used."""

from __future__ import annotations

from collections.abc import Sequence

from bio_agent_schema import ledger
from bio_agent_schema.tables import CycleRow, ModelCallRow
from bio_agent_workers.models.protocol import ModelReply, ModelRequest
from bio_agent_workers.runner import Runtime, fault

Asked = tuple[ModelRequest, Sequence[str]]  # a request, and its episodes in the order of the items' numbers


def ask(rt: Runtime, cycle: CycleRow, request: ModelRequest, episode_ids: Sequence[str]) -> ModelReply:
    """One request; see `ask_all`."""
    return ask_all(rt, cycle, [(request, episode_ids)])[0]


def ask_all(rt: Runtime, cycle: CycleRow, asked: Sequence[Asked]) -> list[ModelReply]:
    """The replies in order. Raises ModelError; what was answered before it stays stored, and is not paid for twice.

    A service's reply is stored at once. The offline model costs nothing to ask again, so its replies share a commit.
    """
    if not asked:
        return []
    digests = [request.digest(rt.models.of(request.role).model_id) for request, _ in asked]
    with rt.db.tenant(cycle.tenant) as session:
        stored = ledger.stored_replies(session, cycle.tenant, digests)
    replies: list[ModelReply] = []
    waiting: list[ModelCallRow] = []
    for (request, episode_ids), digest in zip(asked, digests, strict=True):
        if digest in stored:
            known = stored[digest]
            replies.append(ModelReply(known.data, known.raw_input, known.raw_output, known.model_id))
            continue
        model = rt.models.of(request.role)
        reply = model.complete(request)
        waiting.append(_row(cycle, request, digest, episode_ids, reply))
        if not model.offline:
            _store(rt, cycle, waiting)
        replies.append(reply)
    _store(rt, cycle, waiting)
    fault(f"{asked[0][0].role.value}:stored")
    return replies


def _store(rt: Runtime, cycle: CycleRow, rows: list[ModelCallRow]) -> None:
    if rows:
        with rt.db.tenant(cycle.tenant) as session:
            for row in rows:
                ledger.store_reply(session, row)
        rows.clear()


def _row(
    cycle: CycleRow, request: ModelRequest, digest: str, episode_ids: Sequence[str], reply: ModelReply
) -> ModelCallRow:
    return ModelCallRow(
        tenant=cycle.tenant,
        digest=digest,
        cycle_root=cycle.root or cycle.id,
        cycle_id=cycle.id,
        role=request.role.value,
        model_id=reply.model_id,
        prompt_version=request.prompt_version,
        episode_ids=list(episode_ids),
        raw_input=reply.raw_input,
        raw_output=reply.raw_output,
        data=dict(reply.data),
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
    )
