"""Flower's settings, and its start: look, don't touch, and never without a password.

    FLOWER_BASIC_AUTH=user:password python -m bio_agent_ops.flower_config --address=127.0.0.1 --port=5555

becomes `celery flower` with this file as its `--conf`. `/metrics` and `/healthcheck` answer without the password, so
Flower stays bound to loopback or to a private network.
"""

import os
import re
import sys

if not re.fullmatch(r"[^:,\s]+:[^,\s]{12,}", os.environ.get("FLOWER_BASIC_AUTH", "")):
    raise SystemExit("Flower needs FLOWER_BASIC_AUTH=user:password, the password of at least 12 characters")

# No revoking, no shutting down, no applying of tasks from the page.
read_only = True
max_tasks = 10_000
natural_time = True
enable_events = True

if __name__ == "__main__":
    celery = [sys.executable, "-m", "celery", "--quiet", "--app=bio_agent_workers.app"]
    os.execv(sys.executable, [*celery, "flower", f"--conf={os.path.abspath(__file__)}", *sys.argv[1:]])  # noqa: S606
