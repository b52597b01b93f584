"""Ask a model once: a reply already stored under the same digest is used again, a new one is stored before it is used."""

from __future__ import annotations

from collections.abc import Sequence

from bio_agent_schema import ledger, quotas
from bio_agent_schema.tables import CycleRow, ModelCallRow
from bio_agent_workers.models.protocol import ModelError, ModelReply, ModelRequest
from bio_agent_workers.models.too_long import RequestTooLong, parts, together
from bio_agent_workers.runner import Runtime, fault

BYTES_A_TOKEN = 4  # of a prompt, at least: what is about to be spent is not guessed too high
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
        if not model.offline:
            _within_budget(rt, cycle.tenant, request)
        try:
            reply = model.complete(request)
        except RequestTooLong as refused:
            replies.append(_in_parts(rt, cycle, request, episode_ids, refused))
            continue
        waiting.append(_row(cycle, request, digest, episode_ids, reply))
        if not model.offline:
            _store(rt, cycle, waiting)
        replies.append(reply)
    _store(rt, cycle, waiting)
    fault(f"{asked[0][0].role.value}:stored")
    return replies


def _in_parts(
    rt: Runtime, cycle: CycleRow, request: ModelRequest, episode_ids: Sequence[str], refused: RequestTooLong
) -> ModelReply:
    """The reply to a request that the model has no room for, put together from those to its parts. Each is stored under
    its own digest, with all episodes of the whole, because its items keep their numbers. Raises ModelError."""
    smaller = parts(request)
    if not smaller:
        raise ModelError(
            f"{refused}: it does not hold the instructions and one short observation; set a model with a larger context",
            transient=True,
        )
    replies = ask_all(rt, cycle, [(part, episode_ids) for part in smaller])
    data = together([r.data for r in replies])
    raw = ("\n".join(r.raw_input for r in replies), "\n".join(r.raw_output for r in replies))
    return ModelReply(data, *raw, replies[0].model_id)


def _within_budget(rt: Runtime, tenant: str, request: ModelRequest) -> None:
    """Raises ModelError when the tenant's tokens are used up or do not hold what is about to be asked: its model is away
    until the day or month is over, and what needs none goes on."""
    said = len(request.instructions.encode()) + sum(
        len(str(v).encode()) for item in request.items for v in item.values()
    )
    with rt.db.tenant(tenant) as session:
        limits = quotas.limits_of(session, tenant, rt.settings.limits())
        if name := quotas.over(session, tenant, limits, "tokens", said // BYTES_A_TOKEN):
            left = quotas.seconds_left(session, name)
            raise ModelError(
                f"the tenant's {name} are used up; its model rests for {left / 3600:.1f} h more, or until a person raises the"
                " limit (`bio-agent quotas`)",
                transient=True,
                retry_after_s=left,
            )


def _store(rt: Runtime, cycle: CycleRow, rows: list[ModelCallRow]) -> None:
    if rows:
        with rt.db.tenant(cycle.tenant) as session:
            limits = quotas.limits_of(session, cycle.tenant, rt.settings.limits())
            for row in rows:
                ledger.store_reply(session, row)
                tokens = row.input_tokens + row.output_tokens
                quotas.spend(session, cycle.tenant, "tokens", tokens, limits)
                quotas.note(session, cycle.tenant, f"tokens {row.role} {row.model_id}", tokens)
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
