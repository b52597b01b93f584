"""`bio-agent try`: a real session of a coding agent through the whole service, and what came of it.

Everything is the real thing: the service is started (or the running one used), the observations go over HTTP onto the
stream, workers consolidate them, and the rules, the block and the guard's answers are read back over HTTP.
"""

from __future__ import annotations

import html
import tempfile
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bio_agent_ops import data
from bio_agent_ops.home import Home
from bio_agent_ops.live import LiveError, run_live
from bio_agent_ops.local import Api, CommandError, service
from bio_agent_workers.brain.counting import counted

CHUNK = 50  # observations in one request: small enough that progress is seen
BYTES_PER_TOKEN = 3  # as the prompt block counts

Say = Callable[[str], None]


def run(home: Home, port: int | None, file: Path | None, *, keep: bool, say: Say) -> dict[str, Any]:
    """Play the session and return what came of it; `say` is given lines of progress and result.

    The result has `failed`, saying why, when nothing could be consolidated.
    """
    began = time.monotonic()
    observations = _session(file, say)
    say(f"starting Postgres, Valkey, worker, beat, intake and HTTP under {home.root} …")
    with service(home, port, keep=keep, say=say) as api:
        api = _fresh(api)
        say(f"  up on 127.0.0.1:{api.port} after {time.monotonic() - began:.1f} s")
        say(
            "  this plays into the tenant `default`, which is empty: what is learned here is what agents then read"
            if api.tenant == "default"
            else f"  the tenant `default` holds memories already, so this plays into a tenant of its own: {api.tenant}"
        )
        sent = _play(api, observations, say)
        live = _live(api, say) if file is None else []
        say("sleeping on it (label → compile → canonicalize → promote → reconcile) …")
        slept = api.call("POST", "/api/sleep", {})
        say(f"  {counted(slept['processed'], 'episode')} considered in {counted(len(slept['cycle_ids']), 'cycle')}")
        for error in dict.fromkeys(slept["errors"]):
            say(f"  a cycle failed: {_one_line(error, 200)}")
        result = _result(api, observations, sent, slept, live)
        if why := failure(sent, slept):
            result["failed"] = f"{why}; read the logs in {home.logs} and ask `{home.command('doctor')}`"
        result["seconds"] = round(time.monotonic() - began, 1)
        if keep:
            result["url"] = f"http://127.0.0.1:{api.port}"
            result["end_it"] = home.command("down")
    return result


def failure(sent: Mapping[str, Any], slept: Mapping[str, Any]) -> str:
    """Why the session cannot have been consolidated, by what intake took and how the cycles ended; "" when it was."""
    cycles, errors = len(slept["cycle_ids"]), slept["errors"]
    if cycles and len(errors) >= cycles:
        return f"every cycle of consolidation failed ({cycles} of {cycles}): {_one_line(errors[0], 200)}"
    if sent["accepted"] and not slept["processed"]:
        return f"nothing of {counted(sent['accepted'], 'observation')} was consolidated ({slept['pending']} wait)"
    return ""


def _session(file: Path | None, say: Say) -> list[dict[str, Any]]:
    if file is None:
        return data.load()
    from bio_agent_client import replay

    try:
        problems = replay.Problems(say)
        found = list(replay.read(file, on_problem=problems))
        problems.end()
    except (OSError, ValueError) as error:
        raise CommandError(f"cannot play it: {error}", exit_code=2) from error
    if not found:
        raise CommandError(f"{file} holds no observation", exit_code=2)
    return found


def _fresh(api: Api) -> Api:
    """The default tenant when it is empty still, else one of its own: what is played never mixes with real memories."""
    if not api.call("GET", "/api/episodes", limit=1):
        return api
    return api.of(f"try-{datetime.now(UTC):%Y%m%d-%H%M%S}")


def _play(api: Api, observations: Sequence[dict[str, Any]], say: Say) -> dict[str, Any]:
    total = {"accepted": 0, "duplicates": 0, "refused": 0}
    for start in range(0, len(observations), CHUNK):
        answer = api.call("POST", "/api/ingest", list(observations[start : start + CHUNK]))
        total["accepted"] += answer["accepted"]
        total["duplicates"] += answer["duplicates"]
        total["refused"] += len(answer["refused"])
        say(f"  played {min(start + CHUNK, len(observations))} of {counted(len(observations), 'observation')}")
    return total


def _live(api: Api, say: Say) -> list[dict[str, Any]]:
    """Two failures and what fixed them, run here and now in a scratch folder."""
    say("running two failures live in a scratch folder …")
    shown: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="bio-agent-try-") as scratch:
        try:
            results = run_live(Path(scratch), lambda obs: api.call("POST", "/api/ingest", obs))
        except LiveError as error:
            say(f"  skipped: {error}")
            return []
        for r in results:
            say(f"  $ {r.failed}   → exit {r.exit_codes[0]} ({r.error_token})")
            for command, code in zip(r.fixed, r.exit_codes[1:], strict=True):
                say(f"  $ {command}   → exit {code}")
            shown.append(
                {"failed": r.failed, "error": r.error_token, "fixed": list(r.fixed), "exit_codes": list(r.exit_codes)}
            )
    return shown


def _result(
    api: Api,
    observations: Sequence[dict[str, Any]],
    sent: dict[str, Any],
    slept: dict[str, Any],
    live: list[dict[str, Any]],
) -> dict[str, Any]:
    texts = {str(o.get("id", "")): _text(o) for o in observations}
    junk = [
        {"id": e["id"], "why": e["label_reason"], "times": e["folded"], "text": texts.get(e["id"], e["text"])[:160]}
        for e in api.call("GET", "/api/episodes", state="junk", limit=1000)
    ]
    rules = []
    for b in api.call("GET", "/api/beliefs", limit=1000):
        full = api.call("GET", f"/api/beliefs/{b['id']}")
        rules.append({
            "id": b["id"], "text": b["content"], "state": b["state"], "confidence": b["confidence"], "scope": b["scope"],
            "speaks": bool(b["rendering"]) and b["state"] in ("reinforced", "stable"),
            "from": [{"episode": e["episode_id"], "failed": e["failed"], "text": (e["command"] or e["text"])[:120]} for e in full["evidence"]],
        })  # fmt: skip
    workspaces = sorted({str(o.get("workspace") or "default") for o in observations})
    raw = sum(len(_text(o).encode("utf-8", "replace")) for o in observations)
    blocks = []
    for workspace in workspaces:
        persona = api.call("GET", "/api/persona", workspace=workspace)
        blocks.append({
            "workspace": workspace, "version": persona["version"], "block": persona["block"], "rules": len(persona["rules"]),
            "tokens": _tokens(len(persona["block"].encode())),
        })  # fmt: skip
    state = api.call("GET", "/api/state")
    return {
        "tenant": api.tenant, "port": api.port, "model": "offline rules" if state["model"]["offline"] else state["model"]["backend"],
        "observations": len(observations), **sent, "slept": slept, "live": live, "junk": junk, "rules": rules,
        "guard_facts": state["guard_facts"], "blocks": blocks, "raw_tokens": _tokens(raw), "guard": _guard(api, observations, live, state),
    }  # fmt: skip


def _text(o: dict[str, Any]) -> str:
    given = o.get("tool_input")
    command = given.get("command", "") if isinstance(given, dict) else ""
    content = o.get("content", "")
    return f"$ {command}\n{content}" if command else str(content)


def _tokens(size_bytes: int) -> int:
    return -(-size_bytes // BYTES_PER_TOKEN)


def _guard(
    api: Api, observations: Sequence[dict[str, Any]], live: list[dict[str, Any]], state: dict[str, Any]
) -> list[dict[str, Any]]:
    """What the guard says when the commands that failed come again, and what it says of one that worked."""
    asked: dict[tuple[str, str], bool] = {}
    for o in observations:
        command = o.get("tool_input", {}).get("command") if isinstance(o.get("tool_input"), dict) else None
        if command and o.get("exit_code") is not None:
            asked.setdefault((str(o.get("workspace") or "default"), command), bool(o["exit_code"]))
    for r in live:
        asked[("scratch", r["failed"])] = True
        asked[("scratch", r["fixed"][-1])] = False
    answers = []
    for (workspace, command), failed in asked.items():
        said = api.call(
            "POST", "/api/check", {"tool": "Bash", "tool_input": {"command": command}, "workspace": workspace}
        )
        if said["verdict"] != "allow" or failed:
            answers.append({
                "workspace": workspace, "command": command, "failed_before": failed, "verdict": said["verdict"],
                "reason": html.unescape(said["reason"]), "rule_id": said["rule_id"],
            })  # fmt: skip
    return answers


def report(result: dict[str, Any], say: Say) -> None:
    """The result for a person."""
    say("")
    junk = result["junk"]
    folded = sum(j["times"] for j in junk)
    say(
        f"JUNK: noise that is forgotten: {counted(folded, 'observation')} in {counted(len(junk), 'episode')}; for example"
    )
    for j in junk[:4]:
        say(f"  · {_one_line(j['text'], 78)}   ({j['why']}, {j['times']}×)")
    say("")
    say(f"LEARNED: {counted(len(result['rules']), 'rule')} (model: {result['model']})")
    for r in result["rules"]:
        mark = "✓" if r["speaks"] else "…"
        say(f"  {mark} {_wrap(html.unescape(r['text']), 4)}")
        say(
            f"      {r['state']}, confidence {r['confidence']:.2f}, {r['scope'] or 'everywhere'};"
            f" from {', '.join(e['episode'] for e in r['from'][:4])}"
        )
    for f in result["guard_facts"]:
        then = f"then `{_one_line(f['fix'], 70)}` worked in its place" if f["fix"] else "not fixed yet"
        say(f"  ! {f['command']}: failed {counted(f['failures'], 'time')}; {then} (guard fact, warns)")
    say("")
    for b in result["blocks"]:
        say(f"PROMPT BLOCK for workspace {b['workspace']}: {counted(b['rules'], 'rule')}, {counted(b['tokens'], 'token')}; "
            f"the raw log has {result['raw_tokens']} ({result['raw_tokens'] / max(b['tokens'], 1):.0f} times as many)")  # fmt: skip
        say(textwrap.indent(b["block"], "  "))
    say("")
    say("GUARD, when the same commands come again:")
    for g in result["guard"]:
        if g["verdict"] != "allow":
            say(f"  $ {_one_line(g['command'], 70)}")
            say(f"    → {g['verdict']}: {_wrap(g['reason'], 6)}")
    quiet = [g["command"] for g in result["guard"] if g["verdict"] == "allow"]
    if quiet:
        say(
            f"  (no word on {len(quiet)} that failed once or are no mistake by themselves, such as `{_one_line(quiet[0], 50)}`)"
        )
    say("")
    say(
        f"done in {result['seconds']} s."
        + (
            f" The service stays up on {result['url']} (docs: {result['url']}/docs); `{result['end_it']}` ends it."
            if "url" in result
            else ""
        )
    )


def _one_line(text: str, width: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: width - 1] + "…"


def _wrap(text: str, indent: int) -> str:
    return textwrap.fill(" ".join(text.split()), 110, subsequent_indent=" " * indent, break_long_words=False)
