"""What the tests of what is kept share: memories as they are, and observations of a tenant."""

from __future__ import annotations

from bio_agent_client.observation import to_wire, uuid7
from bio_agent_client.redact import prepare
from bio_agent_ops.bench.embedder import DigestEmbedder
from bio_agent_ops.service.context import Context
from bio_agent_schema import memories
from bio_agent_schema.tables import MemoryRow


def observe(
    ctx: Context, *contents: str, tenant: str = "default", kind: str = "event", workspace: str = "shop"
) -> None:
    for n, content in enumerate(contents):
        said = {"kind": kind, "content": content, "workspace": workspace, "session": f"s{n}"}
        ctx.redis.xadd(f"bio:obs:{tenant}", {"o": to_wire(prepare(said))})


def keep(ctx: Context, *rows: MemoryRow) -> list[str]:
    with ctx.db.tenant("default") as session:
        for row in rows:
            memories.insert(session, row, {"word": 1})
    return [r.id for r in rows]


def memory(content: str, **more: object) -> MemoryRow:
    fields: dict[str, object] = {
        "id": uuid7(),
        "kind": "episodic",
        "type": "episodic",
        "workspace": "shop",
        "provenance": "agent",
    }
    return MemoryRow(
        tenant="default", content=content, embedding=DigestEmbedder().query(content),
        embedding_model=DigestEmbedder.model_id, **(fields | more),
    )  # fmt: skip
