"""The hook of agent hosts: captures what happened, puts rules before the model, asks the guard before a tool runs.

Run by the host for every event as `python -I -S hook.py HOST --home DIR …` with the event as JSON on standard input. It
needs nothing but the standard library and this package's own files, found by path, so that no installed package can
break or slow it. It never breaks the host: whatever goes wrong, it says nothing, exits 0, and notes the error in the
home. Only an answer of the guard stops a tool.

The host waits for this process, so it does what the host needs and no more: what happened is cleaned, freed of secrets
and delivered by a forked process of its own, in the order of the session.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False  # as `typing` has it, whose import alone costs a quarter of a hook's time
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MAX_PAYLOAD_BYTES = 64 * 1024 * 1024
ANSWER_S = 6  # nothing here takes a second in order; beyond this something is wrong
CAPTURE_S = 30  # of the forked process, which nobody waits for
LOG_MAX_BYTES = 256 * 1024


def _find_package() -> None:
    """Makes `bio_agent_client` importable from this file's place, without running its __init__ (it imports redis)."""
    if "bio_agent_client" not in sys.modules:
        package = type(sys)("bio_agent_client")
        package.__path__ = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
        sys.modules["bio_agent_client"] = package


class Options:
    """The command line, read by hand: argparse alone costs a third of a hook's time.

    host, then --home DIR (needed), --workspace NAME, --agent NAME, --url http://127.0.0.1:PORT, --warn tell|hold,
    --prompts owner|untrusted.
    """

    def __init__(self, argv: list[str]) -> None:
        self.host = argv[0]
        given = dict(zip(argv[1::2], argv[2::2], strict=True))
        self.home = given["--home"]
        self.workspace = given.get("--workspace", "")
        self.agent = given.get("--agent", "") or self.host
        self.url = given.get("--url", "")
        self.hold = given.get("--warn", "tell") == "hold"
        self.prompts = given.get("--prompts", "owner")


class Event:
    """One event of one session of a host."""

    def __init__(self, options: Options, payload: Mapping[str, Any], environ: Mapping[str, str]) -> None:
        from bio_agent_client.hosts.link import Link
        from bio_agent_client.hosts.workspace import workspace_of

        self.options, self.payload, self.at = options, payload, time.time()
        self.name = str(payload.get("hook_event_name") or "")
        self.session = str(payload.get("session_id") or "")[:256]
        self.link = Link(options.home, options.url, environ.get("BIO_AGENT_KEY", ""))
        folder = environ.get("CLAUDE_PROJECT_DIR") or str(payload.get("cwd") or "")
        workspace = options.workspace or workspace_of(folder)
        if not workspace.isascii():  # a folder's name may be no text at all
            workspace = workspace.encode("utf-8", "replace").decode()
        self.where = {"workspace": workspace, "agent": options.agent}
        self.prompts = environ.get("BIO_AGENT_PROMPTS") or options.prompts
        self.can_ask = options.host == "claude-code" and _attended(payload, environ)

    # -------------------------------------------------------------------------------------------------- what is said

    def answer(self) -> dict[str, Any]:
        """The output for the host, {} for silence."""
        from bio_agent_client.hosts import answers, link, payloads

        try:
            if self.name == "PreToolUse":
                return self._guard()
            if self.name == "SessionStart":
                fresh = self.payload.get("source") != "resume"  # a resumed one still has its block before it
                return answers.context(self.name, self._rules("" if fresh else self.link.note(self.session, "block")))
            if self.name == "UserPromptSubmit":
                return answers.context(self.name, self._rules(self.link.note(self.session, "block")))
            if payloads.failed(self.options.host, self.payload):
                return answers.context(self.name, self._hint())
        except link.Away:
            pass
        return {}

    def _guard(self) -> dict[str, Any]:
        from bio_agent_client.hosts import answers

        said = self._check(self.session)
        if said.get("verdict") == "warn":  # so that a failure of this very call does not say it again
            self.link.keep_note(self.session, "warned", f"{self.payload.get('tool_use_id')}\n{said.get('reason')}")
        return answers.guard(said, hold=self.options.hold, can_ask=self.can_ask)

    def _check(self, session: str) -> Mapping[str, Any]:
        """The guard's word on this tool call. Without a session it is asked for information: no warning is noted."""
        from bio_agent_client.clean import clean_json, compact
        from bio_agent_client.hosts.suspicion import may_hold_secret

        tool_input = clean_json(self.payload.get("tool_input"))
        if may_hold_secret(compact(tool_input)):
            from bio_agent_client.redact import redact_json

            tool_input = redact_json(tool_input)
        body = {
            **self.where, "session": session, "tool": str(self.payload.get("tool_name") or "tool")[:256],
            "tool_input": tool_input, "can_ask": self.can_ask,
        }  # fmt: skip
        _, said, _ = self.link.ask("POST", "/api/check", compact(body).encode())
        return said if isinstance(said, dict) else {}

    def _rules(self, told: str) -> str:
        """The block of rules, "" when the session has this version already."""
        from bio_agent_client.hosts.link import query

        path = "/api/persona?" + query({**self.where, "session": self.session})
        status, said, version = self.link.ask("GET", path, etag=told)
        if status == 304 or not isinstance(said, dict) or version == told:
            return ""
        self.link.keep_note(self.session, "block", version)
        block = str(said.get("block") or "")
        if not told:
            return block
        if not block:
            return "The rules given before no longer hold."
        return f"These rules replace those given before.\n{block}"

    def _hint(self) -> str:
        from bio_agent_client.hosts import answers
        from bio_agent_client.hosts.link import query

        tool_input = self.payload.get("tool_input")
        command = tool_input.get("command") if isinstance(tool_input, dict) else None
        call, _, warned = self.link.note(self.session, "warned").partition("\n")
        already = warned if call == str(self.payload.get("tool_use_id")) else ""
        said = {} if already else self._check("")
        rules: Any = []
        if isinstance(command, str):
            _, persona, _ = self.link.ask("GET", "/api/persona?" + query(self.where))
            rules = persona.get("rules") if isinstance(persona, dict) else []
        return answers.hint(command if isinstance(command, str) else "", said, rules or [], already)

    # ---------------------------------------------------------------------------------------------- what is observed

    @property
    def is_captured(self) -> bool:
        return self.name != "PreToolUse"

    def capture(self) -> None:
        """What happened, cleaned and without secrets, to the service or the spool."""
        from bio_agent_client.hosts.payloads import observation
        from bio_agent_client.observation import Refused, to_wire
        from bio_agent_client.redact import first_cut, prepare

        found, wires = observation(self.options.host, self.payload), []
        if found is not None:
            at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(self.at)) + f".{int(self.at % 1 * 1e6):06d}Z"
            body = {
                **found, **self.where, "host": self.options.host, "session": self.session, "occurred_at": at,
                "turn": str(self.payload.get("prompt_id") or self.payload.get("turn_id") or "")[:256],
                "cwd": str(self.payload.get("cwd") or ""), "content": first_cut(found["content"]),
            }  # fmt: skip
            if found["kind"] == "user" and self.prompts != "owner":
                body["provenance"] = "untrusted"
            if self.payload.get("permission_mode") == "plan":
                body["mode"] = "plan"
            try:
                wires.append(to_wire(prepare(body, loopback_defaults=False, oversize="cut")))
            except Refused as refusal:
                note_error(self.options.home, f"not observed: {refusal.field}: {refusal.reason}")
        self.link.deliver(wires)
        if self.name == "SessionEnd":
            self.link.sweep()


def run(event: Event) -> None:
    """Answers the host, then captures: in a process of its own, save at the end of a session, after which the host
    (and a container with it) may be gone."""
    import json

    if output := event.answer():
        sys.stdout.write(json.dumps(output))
        sys.stdout.flush()
    if not event.is_captured:
        return
    event.link.in_turn(event.session)
    if event.name != "SessionEnd" and hasattr(os, "fork"):
        if os.fork():
            return
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):  # the host waits until its pipes are closed
            os.dup2(nothing, standard)
        _limit_time(CAPTURE_S)
    event.capture()


def _attended(payload: Mapping[str, Any], environ: Mapping[str, str]) -> bool:
    """Whether Claude Code has somebody to ask. Where not (and in Codex, whose hooks cannot ask), what needs approval is
    stopped instead."""
    if environ.get("CLAUDE_CODE_SESSION_ATTENDED") == "0":
        return False
    return payload.get("permission_mode") not in ("bypassPermissions", "dontAsk")


# -------------------------------------------------------------------------------------------------------------- trouble


def note_error(home: str, text: str) -> None:
    """One line in the home's log of hooks, which `bio-agent doctor` reads. Never what was observed."""
    try:
        path = os.path.join(home, "logs", "hooks.log")
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        if os.path.exists(path) and os.path.getsize(path) > LOG_MAX_BYTES:
            flags |= os.O_TRUNC
        with os.fdopen(os.open(path, flags, 0o600), "a", encoding="utf-8", errors="replace") as log:
            log.write(f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {' '.join(text.split())[:300]}\n")
    except OSError:
        pass


def _place(error: BaseException) -> str:
    """The type of an error and the line it came from; its message may hold what was observed."""
    trace, where = error.__traceback__, "?"
    while trace is not None:
        where = f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__} at {where}"


class TooLong(BaseException):
    """The hook took longer than it may."""


def _limit_time(seconds: int) -> None:
    import signal

    def over(*_: object) -> None:
        raise TooLong

    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, over)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def main(argv: list[str]) -> None:
    home = ""
    try:
        _find_package()
        options = Options(argv)
        home = options.home
        _limit_time(ANSWER_S)
        import json

        payload = json.loads(sys.stdin.buffer.read(MAX_PAYLOAD_BYTES))
        if isinstance(payload, dict):
            run(Event(options, payload, os.environ))
    except BaseException as error:  # the host goes on, whatever this was
        if home:
            note_error(home, _place(error))


if __name__ == "__main__":
    main(sys.argv[1:])
