"""Flower's settings (`celery … flower --conf=…/flower_config.py`): look, don't touch, and never without a password.

The user and password come from the environment, FLOWER_BASIC_AUTH=user:password. `/metrics` and `/healthcheck` answer
without them, so Flower stays bound to loopback or to a private network.
"""

import os
import re

if not re.fullmatch(r"[^:,\s]+:[^,\s]{12,}", os.environ.get("FLOWER_BASIC_AUTH", "")):
    raise SystemExit("Flower needs FLOWER_BASIC_AUTH=user:password, the password of at least 12 characters")

# No revoking, no shutting down, no applying of tasks from the page.
read_only = True
max_tasks = 10_000
natural_time = True
enable_events = True
