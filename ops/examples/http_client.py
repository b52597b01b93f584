"""The whole service from another program, with aiohttp alone: a failing command, a night's sleep, and the rule.

python ops/examples/http_client.py [http://127.0.0.1:8055]
"""

from __future__ import annotations

import asyncio
import sys

import aiohttp

SESSION = [
    {"type": "run_command", "content": "npm test\nError: Cannot find module 'left-pad'", "metadata": {"exit_code": 1}},
    {"type": "run_command", "content": "npm ci\nadded 214 packages", "metadata": {"exit_code": 0}},
    {"type": "run_command", "content": "npm test\n42 passing", "metadata": {"exit_code": 0}},
    {"type": "user_message", "content": "From now on never push straight to main.", "metadata": {}},
]


async def main(base: str) -> None:
    async with aiohttp.ClientSession(base) as http:

        async def call(method: str, path: str, body: object = None) -> object:
            async with http.request(method, path, json=body) as answer:
                data = await answer.json(content_type=None)
                if answer.status >= 400:
                    raise SystemExit(f"{method} {path}: {data['title']}: {data['detail']}")
                return data

        print("ingest ", await call("POST", "/api/ingest", SESSION))
        print("sleep  ", await call("POST", "/api/sleep", {}))
        for belief in await call("GET", "/api/beliefs"):  # type: ignore[attr-defined]
            print("belief ", belief["state"], belief["confidence"], belief["content"])
        graph = await call("GET", "/api/graph")
        print("graph  ", len(graph["nodes"]), "nodes,", len(graph["edges"]), "edges")  # type: ignore[index]
        print("persona", (await call("GET", "/api/persona"))["block"])  # type: ignore[index]
        asked = {"tool": "Bash", "tool_input": {"command": "git push origin main"}}
        print("check  ", (await call("POST", "/api/check", asked))["verdict"])  # type: ignore[index]


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8055"))
