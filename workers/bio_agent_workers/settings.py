"""Every setting: name, unit, range, default, and where it comes from (environment, then `.env`, then the default).

Read once, at the entry points, by `Settings()`; nothing else in the code reads the environment.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import AliasChoices, Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from bio_agent_schema.db import normal_url
from bio_agent_schema.quotas import Limits


def default_home() -> Path:
    return Path.home() / ".bio-agent"


def _env(*names: str) -> Any:
    return AliasChoices(*names)


class Settings(BaseSettings):
    model_config = SettingsConfigDict(env_file=".env", env_file_encoding="utf-8", extra="ignore", populate_by_name=True)

    # Where things are
    home: Path = Field(
        default_factory=default_home,
        validation_alias=_env("BIO_AGENT_HOME"),
        description="folder of everything the embedded stack writes",
    )
    port: int = Field(
        default=8055, ge=1, le=65535, validation_alias=_env("BIO_AGENT_PORT"), description="HTTP port on 127.0.0.1"
    )
    host: str = Field(
        default="127.0.0.1", validation_alias=_env("BIO_AGENT_HOST"), description="address the HTTP face binds to"
    )
    database_url: str = Field(
        default="", validation_alias=_env("DATABASE_URL"), description="Postgres, as the application's role"
    )
    redis_url: str = Field(
        default="", validation_alias=_env("REDIS_URL"), description="Redis or Valkey, with append-only file on"
    )

    owner_token: SecretStr = Field(
        default=SecretStr(""),
        validation_alias=_env("BIO_OWNER_TOKEN"),
        description="the owner's token; empty: the file owner.token in the home",
    )

    # L1 and consolidation
    l1_max_size: int = Field(
        default=100,
        ge=10,
        le=10_000,
        validation_alias=_env("L1_MAX_SIZE"),
        description="episodes that attention ranks per scope",
    )
    default_ttl: int = Field(
        default=2,
        ge=0,
        le=100,
        validation_alias=_env("DEFAULT_TTL"),
        description="cycles an uncited episode stays before it decays",
    )
    ebbinghaus_lambda: float = Field(
        default=0.3, gt=0, le=5, validation_alias=_env("EBBINGHAUS_LAMBDA"), description="decay of retention, per cycle"
    )
    batch_size: int = Field(
        default=16, ge=1, le=256, validation_alias=_env("HIPPOCAMPUS_BATCH_SIZE"), description="episodes in one batch"
    )
    min_confidence: float = Field(
        default=0.4,
        ge=0,
        le=1,
        validation_alias=_env("MIN_CONFIDENCE_FOR_PROMOTION"),
        description="below it a candidate stays a memory",
    )
    enable_dream_cycle: bool = Field(
        default=True, validation_alias=_env("ENABLE_DREAM_CYCLE"), description="whether the nightly dream runs"
    )
    heuristic_overlap: float = Field(
        default=0.6,
        ge=0,
        le=1,
        validation_alias=_env("HEURISTIC_OVERLAP_THRESHOLD"),
        description="moves the probability asked of a contradiction: higher says it less often",
    )
    use_nli_cache: bool = Field(
        default=True, validation_alias=_env("USE_NLI_CACHE"), description="whether verdicts on pairs are kept"
    )

    # Models
    llm_backend: Literal["offline", "openai", "ollama", "gemini", "vllm", "lmstudio"] = Field(
        default="offline",
        validation_alias=_env("LLM_BACKEND"),
        description="which language model service; offline needs none",
    )
    model_id: str = Field(
        default="", validation_alias=_env("MODEL_ID"), description="model of every role that names none of its own"
    )
    label_model_id: str = Field(
        default="", validation_alias=_env("LABEL_MODEL_ID"), description="model of the label stage"
    )
    compile_model_id: str = Field(
        default="", validation_alias=_env("COMPILE_MODEL_ID"), description="model of the compile stage"
    )
    nli_model_id: str = Field(
        default="",
        validation_alias=_env("NLI_MODEL_ID"),
        description="model that judges pairs of rules the words leave open; empty: MODEL_ID; none: the words alone",
    )
    nli_model_path: str = Field(
        default="",
        validation_alias=_env("NLI_MODEL_PATH"),
        description="folder of an ONNX cross-encoder that judges pairs instead (needs the extra nli)",
    )
    llm_timeout_s: float = Field(
        default=120, gt=0, le=600, validation_alias=_env("LLM_TIMEOUT"), description="seconds until a call is given up"
    )
    openai_api_key: SecretStr = Field(
        default=SecretStr(""),
        validation_alias=_env("OPENAI_API_KEY"),
        description="key of the OpenAI-compatible service",
    )
    openai_base_url: str = Field(
        default="", validation_alias=_env("OPENAI_BASE_URL"), description="base URL of the OpenAI-compatible service"
    )
    ollama_base_url: str = Field(
        default="http://127.0.0.1:11434", validation_alias=_env("OLLAMA_BASE_URL"), description="base URL of Ollama"
    )
    gemini_api_key: SecretStr = Field(
        default=SecretStr(""), validation_alias=_env("GEMINI_API_KEY"), description="key of the Gemini service"
    )
    embedding_model_id: str = Field(
        default="",
        validation_alias=_env("EMBEDDING_MODEL_ID"),
        description="embedding model of the same service; empty: the bundled multilingual one",
    )
    embedding_base_url: str = Field(
        default="",
        validation_alias=_env("EMBEDDING_BASE_URL"),
        description="base URL of an OpenAI-compatible embeddings service",
    )

    rerank_url: str = Field(
        default="",
        validation_alias=_env("RERANK_URL"),
        description="a Cohere-compatible /rerank endpoint that puts what recall found in order; empty: none",
    )
    rerank_model_id: str = Field(
        default="", validation_alias=_env("RERANK_MODEL_ID"), description="model of that endpoint"
    )
    rerank_api_key: SecretStr = Field(
        default=SecretStr(""), validation_alias=_env("RERANK_API_KEY"), description="key of that endpoint"
    )

    # Limits of the running service
    max_backlog: int = Field(
        default=200_000,
        ge=100,
        validation_alias=_env("MAX_BACKLOG"),
        description="unread observations of a tenant before HTTP answers 429",
    )
    max_waiting: int = Field(
        default=1_000_000,
        ge=100,
        validation_alias=_env("MAX_WAITING"),
        description="episodes of a tenant that wait for consolidation before HTTP answers 429",
    )
    cycles_at_once: int = Field(
        default=6,
        ge=1,
        le=1_000,
        validation_alias=_env("TENANT_CYCLES_AT_ONCE"),
        description="consolidations of one tenant in work at once; fewer than the workers' threads leaves some to the others",
    )
    observations_a_day: int = Field(
        default=0,
        ge=0,
        validation_alias=_env("TENANT_OBSERVATIONS_A_DAY"),
        description="observations of a tenant and UTC day that are consolidated; more are kept for the next day; 0: no limit",
    )
    tokens_a_day: int = Field(
        default=0,
        ge=0,
        validation_alias=_env("TENANT_TOKENS_A_DAY"),
        description="tokens of a tenant and UTC day, in and out, after which its models rest; 0: no limit",
    )
    tokens_a_month: int = Field(
        default=0,
        ge=0,
        validation_alias=_env("TENANT_TOKENS_A_MONTH"),
        description="the same for a month",
    )
    max_rules: int = Field(
        default=0,
        ge=0,
        validation_alias=_env("TENANT_MAX_RULES"),
        description="rules of a tenant, proposed and in force, beyond which what acts teach stays a memory; 0: no limit",
    )
    guard_can_ask: bool = Field(
        default=True,
        validation_alias=_env("GUARD_CAN_ASK"),
        description="whether the host can ask its user for approval",
    )

    @field_validator("database_url")
    @classmethod
    def _psycopg(cls, value: str) -> str:
        return normal_url(value) if value else value

    def limits(self) -> Limits:
        """What a tenant without limits of its own may use."""
        return Limits(self.observations_a_day, self.tokens_a_day, self.tokens_a_month, self.max_rules)

    def owner_token_value(self) -> str:
        """The token that proves a person's act, "" when there is none (then no act of a person is taken)."""
        given = self.owner_token.get_secret_value()
        file = self.home.expanduser() / "owner.token"
        if given or not file.is_file():
            return given
        return file.read_text(encoding="ascii").strip()

    def public(self) -> dict[str, dict[str, Any]]:
        """Name → value, default, range and meaning, as `GET /api/state` shows them; secrets and addresses left out."""
        shown: dict[str, dict[str, Any]] = {}
        for name, info in type(self).model_fields.items():
            value = getattr(self, name)
            if isinstance(value, SecretStr) or name in ("database_url", "redis_url", "home"):
                continue
            alias = info.validation_alias
            key = str(alias.choices[0]) if isinstance(alias, AliasChoices) else name
            limits = {k: getattr(m, k) for m in info.metadata for k in ("ge", "gt", "le", "lt") if hasattr(m, k)}
            shown[key] = {"value": value, "default": info.default, "range": limits, "meaning": info.description}
        return shown
