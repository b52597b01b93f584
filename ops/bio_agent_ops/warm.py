"""A program imported ahead of time: `python -m bio_agent_ops.warm MODULE` imports MODULE, waits for one line on standard
input, a JSON object with what is to be added to the environment, and then is MODULE (calls its `main`).

The HTTP face takes a second or more to import, about as long as the databases take to start; so both happen together.
An end of input instead of a line means that it is not needed.
"""

from __future__ import annotations

import importlib
import json
import os
import sys


def main(name: str) -> None:
    module = importlib.import_module(name)
    line = sys.stdin.readline()
    if not line:
        return
    os.environ.update(json.loads(line))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.argv = [str(module.__file__)]
    module.main()


if __name__ == "__main__":
    main(sys.argv[1])
