"""Whether a text may hold a secret: cheap, and rather too often yes. Standard library only.

The redaction itself takes 40 ms to load, most of it for patterns; the guard is asked before every tool call and a person
waits. So what clearly holds nothing of the kind is not given to it. Everything the redaction gates on is gated on here
(a test holds the two together), save runs of letters alone, which none of the published forms of credentials are.
"""

from __future__ import annotations

import re

_WORDS = re.compile(
    "pass(?!ed|es|ing|ive|age|port|eng)|secret|token|key|auth|cred|cookie|sess|://|bearer|basic |private|signature|psk"
    "|hook|phrase|mnemonic|pwd|jwt|login|identified|stdin| code |otp|@|senha|hmac|salt|seed| words|mot de passe|/p:"
    r"|/user:| -[puwabk]|si[gd][=:\"\\]|sign[=:]| pin|pin[ :=]|pat[=:'\" \\]|pw[=: \"\\]|_pw|mk[ :=]|\$[1256y7]"
    r"|\$argon|\$apr1|\$scrypt|\$pbkdf|:5432:|:3306:|:\*:|begin |:aa"
)
_RUN = re.compile(r"(?=[A-Za-z_\-.~]*[0-9])[A-Za-z0-9_\-.~]{16}")


def may_hold_secret(text: str) -> bool:
    """False only where the redaction would find nothing; anything but ASCII is left to it."""
    return not text.isascii() or bool(_WORDS.search(text.lower())) or bool(_RUN.search(text))
