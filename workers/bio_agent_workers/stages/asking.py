"""Ask a model once: a reply already stored under the same digest is used again, a new one is stored before it is used."""

from __future__ import annotations

from collections.abc import Sequence

from bio_agent_schema import ledger
from bio_agent_schema.tables import CycleRow, ModelCallRow
from bio_agent_workers.models.protocol import ModelReply, ModelRequest
from bio_agent_workers.runner import Runtime, fault


def ask(rt: Runtime, cycle: CycleRow, request: ModelRequest, episode_ids: Sequence[str]) -> ModelReply:
    """`episode_ids` in the order of the items' numbers. Raises ModelError."""
    model = rt.models.of(request.role)
    digest = request.digest(model.model_id)
    with rt.db.tenant(cycle.tenant) as session:
        stored = ledger.stored_reply(session, cycle.tenant, digest)
        if stored is not None:
            return ModelReply(stored.data, stored.raw_input, stored.raw_output, stored.model_id)
    reply = model.complete(request)
    with rt.db.tenant(cycle.tenant) as session:
        ledger.store_reply(session, ModelCallRow(
            tenant=cycle.tenant, digest=digest, cycle_root=cycle.root or cycle.id, cycle_id=cycle.id,
            role=request.role.value, model_id=reply.model_id, prompt_version=request.prompt_version,
            episode_ids=list(episode_ids), raw_input=reply.raw_input, raw_output=reply.raw_output,
            data=dict(reply.data), input_tokens=reply.input_tokens, output_tokens=reply.output_tokens,
        ))  # fmt: skip
    fault(f"{request.role.value}:stored")
    return reply
