"""What /openapi.json says beyond the signatures: each operation's group and description, and the body of ingest."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from bio_agent_client.observation import KINDS, MODES, PROVENANCES

# Group → method and path → what it does. The order is that of the page.
GROUPS: dict[str, dict[str, str]] = {
    "Observe": {
        "POST /api/ingest": "Appends observations to the tenant's stream. The answer counts what was accepted, gives the ids, "
        "and says of each refused one why; a repeated id is a duplicate and changes nothing. Accepted means that the stream "
        "holds it. 429 with Retry-After when the backlog is full.",
        "POST /api/sleep": "Consolidates what was observed now, instead of when the dispatcher would, and waits for its end. "
        "Answers with counts, the cycles that ran, and their errors.",
        "POST /api/feedback": "An agent or a person tells whether a rule helped or hurt in a session; counted once a rule and "
        "session.",
    },
    "Ask": {
        "GET /api/persona": "The rules that hold in a workspace as one block for a system prompt, with a version. With `at` "
        "as they stood then. Has an ETag.",
        "GET /api/context": "Rules, the user's standing wishes, what is recalled for `query`, and what the session has in hand, as "
        "one text of at most `budget` tokens (300 to 8000). `wishes` lists the ids of the wishes in it, `rules.left_out` says how "
        "many rules it has no room for, as the text does.",
        "POST /api/check": "What the guard says of a tool call before it is made: allow, warn, needs_approval or block, with "
        "the rule and the reason. `approval` carries the id that a person approved.",
        "POST /api/check/{approval_id}/{ruling}": "A person approves or denies a call that asked, by the id in the answer's "
        "`approval`.",
        "POST /api/recall": "Memories that fit the query, best first, by words, meaning and time; filters narrow them. "
        "`sessions` are the conversations (threads) they come from, best first, where there are any.",
        "POST /api/remember": "Keeps a fact or a turn of a conversation. An owner's standing directive in it becomes a rule "
        "when it is slept on.",
    },
    "Conversation memory at the root": {
        "POST /remember": "/api/remember in few fields, for clients that know only these routes.",
        "POST /recall": "/api/recall in few fields.",
        "GET /health": "The same as /api/health.",
    },
    "Working state": {
        "GET /api/working/{session}": "The tasks, goals, last snapshot and last acts of a session.",
        "POST /api/working/{session}/push": "Puts a part of the task in hand on top of it.",
        "POST /api/working/{session}/pop": "Ends the task on top and says how.",
        "POST /api/working/{session}/interrupt": "Puts something on top that does not belong to the task in hand.",
        "POST /api/working/{session}/resume": "Goes back to what was interrupted, and ends what came between.",
        "POST /api/working/{session}/goal": "Opens a goal for a time, or ends it.",
        "POST /api/working/{session}/snapshot": "What the agent sees now, and where; replaces the one before.",
        "POST /api/working/{session}/act": "One thing that was done, and how it ended.",
    },
    "Beliefs and exceptions": {
        "GET /api/beliefs": "Beliefs of these states (separated by commas) and this scope, paged by `after`, the last id of "
        "the page before. With `at` as they stood then.",
        "POST /api/beliefs": "A person sets a rule. It is core from the start: learning never changes it, and the guard "
        "blocks what it forbids.",
        "GET /api/beliefs/timeline": "The newest steps in the lives of beliefs.",
        "GET /api/beliefs/{belief_id}": "A belief by its id, or 8 characters or more of it, with the episodes that "
        "taught it, conflicts, exceptions, open questions and history.",
        "POST /api/beliefs/{belief_id}/{act}": "A person's act. approve, pin and edit make it core: learning no longer "
        "changes it and the guard blocks what it forbids. reject silences it, deprecate takes it out of force, quarantine "
        "holds it back, recheck says that it stands although its ground fell, undo takes the last act back.",
        "POST /api/beliefs/{belief_id}/literal": "A person's word that the guard goes by the rule's own words alone, without the "
        "forms of calls that a language model read in it (`guarded_by` shows both); `literal` false takes it back.",
        "GET /api/memories": "What is held, the oldest first, paged by `after`, the last id of the page before: of one kind, "
        "workspace or state (active, cold, merged, erased; erased ones only where asked for), or whose words hold `text`.",
        "GET /api/memories/{memory_id}": "A memory by its id, or 4 characters or more of it; 409 names the candidates when it "
        "is in several.",
        "POST /api/memories/{memory_id}/erase": "A person erases a memory for good, with its twins, the memories and "
        "observations of the same words in its workspace, the observations that taught nothing else, the rules that rest on "
        "nothing else and that no person approved (`rules_erased`; `rules` stand), and the summaries and skills drawn from it; "
        "the next dream makes these anew from what is left.",
        "POST /api/verdicts/erase": "A person erases what a model judged of a pair of rules, of one rule, or of the tenant; "
        "the pairs are judged anew.",
        "POST /api/memories/{memory_id}/recheck": "A person says that a memory holds although what it was derived from fell.",
        "GET /api/exceptions": "Exceptions by how they stand now: proposed, in_force, not_begun, expired, revoked, rejected.",
        "POST /api/exceptions": "An exception to a rule, bounded by the call's parameters and by time. A person's is in force "
        "at once, an agent's waits for one.",
        "GET /api/reviews": "What waits for a person, the oldest first: calls that ask for approval, rules and exceptions that "
        "wait, rules that cannot both hold, a dream that asks; with what the rules say (`said`), the commands they were learned "
        "from (`seen`), its age, and of a call the workspace and the agent. Then the calls that a person let through and that "
        "did not run yet (`state` granted), which can still be denied. `answers` names the routes that say yes and no; `unasked_today` "
        "counts the calls that got no question because too many waited.",
        "POST /api/exceptions/{exception_id}/{ruling}": "A person approves or rejects what was proposed, or revokes what is "
        "in force.",
        "GET /api/graph": "Beliefs, memories, episodes and entities as nodes, with the edges between them.",
    },
    "Dream": {
        "POST /api/dream": "Runs the nightly cycle now and answers with its journal.",
        "GET /api/dream": "The journal of the last dream, or of that night: each change with its reason.",
        "GET /api/dream/times": "The tenant's time zone, hour of dreaming and blackouts.",
        "POST /api/dream/times": "A person sets them; what is left out stays.",
        "POST /api/dream/{ruling}": "A person lets a dream that has spent its budget of changes go on, or stops it.",
    },
    "Operate": {
        "GET /api/health": "200 when Postgres, the stream and the schema can be worked with, else 503 with the cause.",
        "GET /api/status": "Counts, last activity and lag of each component.",
        "GET /api/quotas": "What the tenant may use a day or month, what it used, what waits because of it, and this month's "
        "tokens by stage and model.",
        "POST /api/quotas": "A person sets limits of the tenant's own. Beyond one, what comes in is kept and waits.",
        "GET /api/state": "Stress and what follows from it, open episodes, guard facts, the model and settings in force.",
        "GET /api/episodes": "Episodes in order of arrival, by state and session, paged by `after`.",
        "GET /api/audit": "What happened to an episode, to a subject such as `belief:ID`, or lately.",
        "GET /api/replay": "An episode's way through the stages, with each model's raw input and output.",
        "GET /api/dead-letters": "What could not be processed, newest first, with its cause.",
        "POST /api/dead-letters/{letter_id}/redrive": "A person puts a dead letter back to work.",
    },
}  # fmt: skip

_LABEL = {"type": "string", "maxLength": 256}
_TEXT = {"type": "string", "maxLength": 4096}
_OBSERVATION: dict[str, Any] = {
    "title": "Observation",
    "description": "The full form. Only `kind` is needed; what is left out takes a default. Fields that are not known are "
    "counted and dropped. Secrets are taken out before anything is stored.",
    "type": "object",
    "required": ["kind"],
    "properties": {
        "id": {"type": "string", "maxLength": 128, "description": "A repeated id is a duplicate. Made here if absent."},
        "kind": {"type": "string", "enum": list(KINDS)},
        "content": {"type": "string", "description": "What was said or printed, at most 1 MiB of UTF-8."},
        "workspace": _LABEL | {"description": "Where it belongs, `default` if absent."},
        "agent": _LABEL,
        "user": _LABEL,
        "session": _LABEL,
        "turn": _LABEL | {"description": "Observations of one turn are one episode's context."},
        "source": _LABEL,
        "origin": _TEXT | {"description": "The page, file or message that it came from."},
        "speaker": _LABEL,
        "host": _LABEL,
        "call_id": _LABEL,
        "tool": _LABEL | {"description": "The tool that ran, such as Bash."},
        "tool_input": {"description": "What the tool was given, such as {\"command\": \"npm test\"}."},
        "exit_code": {"type": ["integer", "null"], "description": "Not 0: it failed."},
        "is_error": {"type": ["boolean", "null"], "description": "For tools without an exit code."},
        "duration_ms": {"type": ["number", "null"], "minimum": 0},
        "cwd": _TEXT,
        "task": _TEXT,
        "goal": _TEXT,
        "project_version": _LABEL,
        "mode": {"type": "string", "enum": list(MODES), "default": "normal"},
        "provenance": {
            "type": "string",
            "enum": list(PROVENANCES),
            "description": "Whose word it is; what the credential does not allow is lowered.",
        },
        "entities": {"type": "array", "items": {"type": "string"}, "maxItems": 64},
        "occurred_at": {"type": "string", "format": "date-time", "description": "With its offset; now if absent."},
        "metadata": {"type": "object", "description": "Anything else, at most 32 KiB."},
    },
    "example": {
        "kind": "tool", "tool": "Bash", "tool_input": {"command": "npm test"}, "content": "1 failing", "exit_code": 1,
        "workspace": "web", "session": "s1",
    },
}  # fmt: skip
_PLAIN: dict[str, Any] = {
    "title": "Plain observation",
    "description": "The plain form: a type, a text and metadata, in which tool, exit_code, workspace, session, agent and the "
    "like are read as the fields of the full form.",
    "type": "object",
    "required": ["type"],
    "properties": {
        "type": {
            "type": "string",
            "enum": [
                "run_command", "terminal_output", "tool_result", "user_message", "assistant_message", "erp_event",
            ],
        },
        "content": {"type": "string"},
        "metadata": {"type": "object"},
    },
    "example": {
        "type": "run_command", "content": "npm test\n1 failing", "metadata": {"exit_code": 1, "tool": "Bash"},
    },
}  # fmt: skip
_ONE = {"anyOf": [{"$ref": "#/components/schemas/Observation"}, {"$ref": "#/components/schemas/PlainObservation"}]}
_INGEST = {
    "required": True,
    "description": "One observation, or a list of at most 1000, in the full or in the plain form.",
    "content": {
        "application/json": {"schema": {"anyOf": [*_ONE["anyOf"], {"type": "array", "maxItems": 1000, "items": _ONE}]}}
    },
}


_PROBLEM: dict[str, Any] = {
    "title": "Problem",
    "description": "RFC 9457: what was refused, why, and what to do.",
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"}, "detail": {"type": "string"},
    },
}  # fmt: skip
_REFUSED = "The request cannot be taken; `detail` says where and why."
_CANNOT_HOLD = (
    "Well formed, but it cannot hold: a year beyond the calendar, an end before the beginning, an empty name."
)


def _responses(path: str, operation: dict[str, Any]) -> None:
    """The refusals as the service gives them: 400 for what the generator calls 422, which here is something else."""
    answers = operation["responses"]
    if answers.pop("422", None) is None:
        return
    problem = {"content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}
    answers["400"] = {"description": _REFUSED} | problem
    timed = any(p["name"] == "at" for p in operation.get("parameters", ()))
    if timed or (operation.get("requestBody") and (path.startswith("/api/working/") or path == "/api/exceptions")):
        answers["422"] = {"description": _CANNOT_HOLD} | problem


def describe(app: FastAPI) -> None:
    """Have /openapi.json say all this too."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        schema = plain()
        schema["tags"] = [{"name": group} for group in GROUPS]
        for group, operations in GROUPS.items():
            for name, said in operations.items():
                method, path = name.split(" ")
                operation = schema["paths"].get(path, {}).get(method.lower())
                if operation is not None:
                    operation["tags"], operation["description"] = [group], said
        for path, operations in schema["paths"].items():
            for operation in operations.values():
                _responses(path, operation)
        schema["paths"]["/api/ingest"]["post"]["requestBody"] = _INGEST
        shapes = schema.setdefault("components", {}).setdefault("schemas", {})
        for generated in ("HTTPValidationError", "ValidationError"):
            shapes.pop(generated, None)
        shapes.update({"Observation": _OBSERVATION, "PlainObservation": _PLAIN, "Problem": _PROBLEM})
        return schema

    app.openapi = described  # type: ignore[method-assign] # FastAPI's own way to extend what it generates
