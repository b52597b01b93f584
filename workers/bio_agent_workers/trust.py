"""Which stream entries the HTTP face vouches for: it has capped what the credential may claim, and says so with a MAC.

Whoever may only write to the stream can claim no more than the loopback defaults: owner for what a user said, agent
for the rest.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping


def voucher(secret: bytes, wire: bytes) -> bytes:
    """The field `m` of an entry whose provenance was capped by a credential."""
    return hmac.new(secret, b"vouched\0" + wire, hashlib.sha256).digest()[:16]


def vouched(secret: bytes, entry: Mapping[bytes, bytes]) -> bool:
    given = entry.get(b"m")
    return given is not None and hmac.compare_digest(given, voucher(secret, entry.get(b"o", b"")))
