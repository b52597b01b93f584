"""No field of a request carries a secret into the store."""

from __future__ import annotations

import base64

import pytest

from bio_agent_client.names import clean_names
from bio_agent_client.observation import Observation
from bio_agent_client.redact import redact
from bio_agent_ops.requests import Feedback, NewException, Remember
from bio_agent_ops.service.cleaning import cleaned, cleaned_name, refuse_secret
from bio_agent_ops.service.context import BadRequest

TOKEN = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


def test_every_string_field_of_a_request() -> None:
    names = dict.fromkeys(("source", "type", "thread", "workspace", "agent", "user"), f"x-{TOKEN}")
    ask = Remember(content="x", tags=[TOKEN, "plain"], origin=f"https://u:{TOKEN}@h.test/", **names)  # type: ignore[arg-type]
    clean = cleaned(ask)
    assert TOKEN not in clean.model_dump_json()
    assert clean.tags[1] == "plain"
    assert cleaned(clean) == clean
    assert cleaned(ask).workspace == cleaned_name(f"x-{TOKEN}"), "the same name stays the same name"
    plain = Remember(content="x", tags=["a"], workspace="web")
    assert cleaned(plain) is plain


def test_sessions_stay_apart() -> None:
    one, two = (cleaned(Feedback(rule_id="r", outcome="helped", session=f"{TOKEN[:-1]}{end}")) for end in "ab")
    assert one.session != two.session
    assert TOKEN[:-1] not in one.session


@pytest.mark.parametrize("bounds", [{"key": TOKEN}, {TOKEN: 1}, {"password": "Sup3rS3cret!9x"}, {"a": {"b": [TOKEN]}}])
def test_bounds_with_a_secret_are_refused(bounds: dict[str, object]) -> None:
    with pytest.raises(BadRequest, match="bounds"):
        refuse_secret(bounds, "bounds")
    refuse_secret({"max_amount": 500, "branch": "HCM"}, "bounds")
    assert TOKEN not in cleaned(NewException(belief_id="b", text="an exception", policy=TOKEN)).policy


def test_entities_and_the_version_of_an_observation() -> None:
    obs = clean_names(Observation(id="x", kind="event", project_version=TOKEN, entities=(TOKEN, "shop")))
    assert TOKEN not in obs.project_version
    assert TOKEN not in obs.entities[0]
    assert obs.entities[1] == "shop"


@pytest.mark.parametrize(
    "wrapped",
    [
        f"{TOKEN[:20]}\n{TOKEN[20:]}", f"here:\r\n{TOKEN[:18]}\r\n{TOKEN[18:]}\r\nend",
        base64.b64encode(b"password=Sup3rS3cret!9x").decode(),
        base64.b64encode(b"x=1\nAWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIabKMDENGbPxRfiCYzzzQ1w2e3r4").decode(),
    ],
)  # fmt: skip
def test_a_wrapping_hides_no_secret(wrapped: str) -> None:
    clean = redact(f"output {wrapped} done")
    assert "[redacted:" in clean
    assert TOKEN[:18] not in clean
    assert TOKEN[20:] not in clean
    assert redact(clean) == clean


@pytest.mark.parametrize(
    "text",
    ["a-long-name-of-a-branch\nanother-long-name-here", base64.b64encode(b"the token count is fine here").decode()],
)
def test_ordinary_wrappings_stay(text: str) -> None:
    assert redact(text) == text
