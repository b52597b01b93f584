"""The owner's token in the tests of the HTTP face, and the header with it."""

from __future__ import annotations

BASE = "http://127.0.0.1:8055"
OWNER = "the-owner-token-of-the-tests"
PERSON = {"Authorization": f"Bearer {OWNER}"}
