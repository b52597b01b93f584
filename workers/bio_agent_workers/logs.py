"""Logs: one readable line an event on standard error, never an observation's content."""

from __future__ import annotations

import logging
import os
import sys


def set_up(name: str) -> None:
    level = os.environ.get("BIO_LOG", "INFO").upper()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname).1s %(name)s %(message)s", "%H:%M:%S"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("bio").setLevel(level if level in logging.getLevelNamesMapping() else "INFO")
    logging.getLogger("bio").debug("logging of %s is set up", name)
