"""The API's page works without any other machine, and what it reads describes every operation."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from bio_agent_client.observation import _KNOWN, parse
from bio_agent_ops import docs_text
from bio_agent_ops.http import create_app
from bio_agent_workers.settings import Settings


@pytest.fixture(scope="module")
def app() -> FastAPI:
    return create_app(Settings(database_url="postgresql://nobody@127.0.0.1:1/none"))


@pytest.fixture(scope="module")
def client(app: FastAPI) -> TestClient:
    return TestClient(app, base_url="http://127.0.0.1")  # not entered: no connection is opened


def test_the_page_loads_nothing_from_elsewhere(client: TestClient) -> None:
    page = client.get("/docs")
    assert page.status_code == 200
    assert not re.findall(r"https?://|//cdn|@import|<link|<img|src=", page.text)
    script = re.search(r"<script>(.*)</script>", page.text, re.S)
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert f"'sha256-{digest}'" in page.headers["content-security-policy"], "else the browser would not run it"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert client.get("/redoc").status_code == 404


def test_every_operation_is_described_and_in_a_group(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    there = {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods}
    told = [name for operations in docs_text.GROUPS.values() for name in operations]
    assert sorted(told) == sorted(there)
    for methods in paths.values():
        for operation in methods.values():
            assert operation["description"].strip()
            assert operation["tags"]


def test_what_is_refused_is_promised_as_the_service_answers(client: TestClient) -> None:
    schema = client.get("/openapi.json").json()
    assert "ValidationError" not in str(schema)
    check = schema["paths"]["/api/check"]["post"]["responses"]
    assert sorted(check) == ["200", "400"]
    assert check["400"]["content"]["application/problem+json"]["schema"]["$ref"] == "#/components/schemas/Problem"
    assert set(client.get("/nowhere").json()) == set(schema["components"]["schemas"]["Problem"]["required"])
    assert "422" in schema["paths"]["/api/exceptions"]["post"]["responses"], "an end before the beginning"
    assert "422" in schema["paths"]["/api/persona"]["get"]["responses"], "a year beyond the calendar"


def test_the_body_of_ingest_is_what_intake_reads(client: TestClient) -> None:
    schema = client.get("/openapi.json").json()
    body = schema["paths"]["/api/ingest"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert [one.get("$ref", one.get("type")) for one in body["anyOf"]] == [
        "#/components/schemas/Observation",
        "#/components/schemas/PlainObservation",
        "array",
    ]
    full, plain = (schema["components"]["schemas"][n] for n in ("Observation", "PlainObservation"))
    assert set(full["properties"]) == _KNOWN - {"tenant", "lowered_from", "v", "type", "unknown_fields"}
    for form in (full, plain):
        assert parse(form["example"]).kind == "tool"
    for kind in plain["properties"]["type"]["enum"]:
        assert parse({"type": kind, "content": "x"}).content == "x"
