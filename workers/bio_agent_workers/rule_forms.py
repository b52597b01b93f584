"""People's rules read once by the language model, in the background: which forms of calls each speaks against.

Only rules of persons that are in force are read, only where a model of a service is configured, and again only when the
text changes. The reply is kept beside the rule with the text it was made from; what the guard makes of it is the guard's.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Sequence

from celery import Celery
from sqlalchemy import bindparam, text
from sqlalchemy.exc import InterfaceError, OperationalError
from sqlmodel import Session

from bio_agent_schema import ledger
from bio_agent_schema.beliefs import ACTIVE
from bio_agent_schema.ledger import Entry
from bio_agent_schema.tables import CycleRow
from bio_agent_schema.types import Layer, Provenance
from bio_agent_workers.models.protocol import FORMS_SCHEMA, ModelError, ModelRequest, Role
from bio_agent_workers.runner import Runtime, over_tenants
from bio_agent_workers.settings import Settings
from bio_agent_workers.stages import asking, prompts

log = logging.getLogger("bio.forms")

EVERY_S = 30.0
AT_ONCE = 4  # rules in one request: what is said of each takes some hundred tokens
FIRING_S = 60.0  # of work in one firing, over all tenants
OF_A_RULE = 2048  # tokens of the reply, at most
LITERAL = "literal"  # under this key a person has said that the rule means its words alone

BEAT = {"forms": {"task": "bio.forms", "schedule": EVERY_S, "options": {"expires": EVERY_S}}}
ROUTES = {"bio.forms": {"queue": "bio.think"}}

_UNREAD = text(
    """
    select id, content, lang from bio.beliefs
    where tenant = :t and state in :states and not recheck and (layer = :core or (rank = :owner and directive))
      and coalesce(forms ->> 'of', '') <> encode(sha256(convert_to(content, 'UTF8')), 'hex')
      and not (forms ? 'literal')
    order by created_at, id limit :n
    """
).bindparams(bindparam("states", expanding=True))
_KEEP = text(
    """
    update bio.beliefs set forms = cast(:forms as jsonb), updated_at = bio.now()
    where tenant = :t and id = :id and content = :content and not (forms ? 'literal') returning id
    """
)


def mark_of(content: str) -> str:
    """What tells which text a reading is of."""
    return hashlib.sha256(content.encode()).hexdigest()


def tend(rt: Runtime, seconds: float = FIRING_S) -> int:
    """One firing over all tenants. Returns how many rules were read."""
    if rt.models.of(Role.FORMS).offline:
        return 0
    until, done = time.monotonic() + seconds, 0

    def work(tenant: str) -> bool:
        nonlocal done
        done += tend_tenant(rt, tenant, until)
        return True

    over_tenants(rt, until, work, log)
    return done


def tend_tenant(rt: Runtime, tenant: str, until: float) -> int:
    """Read the tenant's rules that were not read yet, the oldest first. Raises ModelError; what was read before it is kept."""
    done = 0
    while time.monotonic() < until:
        with rt.db.tenant(tenant) as session:
            rows = session.execute(
                _UNREAD,
                {"t": tenant, "states": list(ACTIVE), "core": Layer.CORE, "owner": Provenance.OWNER, "n": AT_ONCE},
            ).all()
        if not rows:
            break
        said = _asked(rt, tenant, [(row.content, row.lang) for row in rows])
        with rt.db.tenant(tenant) as session:
            for row, forms in zip(rows, said, strict=True):
                done += keep(session, tenant, row.id, row.content, forms, rt.models.of(Role.FORMS).model_id)
    return done


def _asked(rt: Runtime, tenant: str, rules: Sequence[tuple[str, str]]) -> list[dict[str, object]]:
    """The same of rules of which the model may refuse one: then each is asked about by itself, and the refused one is kept as
    one of which nothing was read. So is one that it leaves out twice. Raises ModelError while the model is away."""
    try:
        said = ask(rt, tenant, rules)
    except ModelError as error:
        if error.transient or len(rules) == 1:
            if error.transient:
                raise
            log.warning("the model reads nothing in a rule: %s", error)
            return [{}]
        said = [{} for _ in rules]
    if len(rules) == 1:
        return said
    return [one or _asked(rt, tenant, [rule])[0] for one, rule in zip(said, rules, strict=True)]


def ask(rt: Runtime, tenant: str, rules: Sequence[tuple[str, str]]) -> list[dict[str, object]]:
    """What the model says of each rule (text, language): {forms, meant, not_meant}; {} of one that it left out. Raises ModelError."""
    request = ModelRequest(
        role=Role.FORMS, prompt_version=prompts.FORMS_VERSION, instructions=prompts.FORMS, reply_schema=FORMS_SCHEMA,
        items=tuple({"n": n, "text": said, "lang": lang} for n, (said, lang) in enumerate(rules, 1)),
        max_output_tokens=OF_A_RULE * len(rules),
    )  # fmt: skip
    reply = asking.ask(rt, CycleRow(tenant=tenant, id="forms"), request, [])
    told = {one["n"]: one for one in reply.data.get("rules", [])}
    return [{k: v for k, v in told.get(n, {}).items() if k != "n"} for n in range(1, len(rules) + 1)]


def keep(session: Session, tenant: str, belief_id: str, content: str, said: dict[str, object], model_id: str) -> bool:
    """Whether it was kept: not where the rule was reworded, or is meant literally, since it was asked about."""
    forms = json.dumps({"of": mark_of(content), "by": model_id, **said}, ensure_ascii=False)
    kept = session.execute(_KEEP, {"t": tenant, "id": belief_id, "content": content, "forms": forms}).first()
    if kept is None:
        return False
    entry = Entry("rule_read", subject=f"belief:{belief_id}", actor="system", cause="forms", data={"by": model_id})
    ledger.audit(session, tenant, [entry])
    return True


def register(app: Celery, open_runtime: Callable[[Settings], Runtime]) -> None:
    @app.task(name="bio.forms", queue="bio.think", ignore_result=True)  # type: ignore[untyped-decorator]
    def forms_task() -> int:
        """Have the model read people's rules that are new or were reworded."""
        try:
            return tend(open_runtime(Settings()))
        except (OperationalError, InterfaceError) as error:
            log.warning("forms: Postgres is away (%s); the next firing looks again", type(error).__name__)
            return 0
