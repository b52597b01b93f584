// What OpenClaw's hooks hand over, as observations. Pure functions; nothing is sent here.

import { createHash } from "node:crypto";
import { CUT_BYTES, FIRST_CUT_BYTES, cleanText, cut, deriveId, mapJson } from "./text.js";
import { redact, redactJson } from "./redact.js";

export const HOST = "openclaw";
export const OWN_TOOLS = ["memory_recall", "memory_remember", "memory_rules", "memory_feedback"];
// What reads back what is remembered is nothing that happened.
const READING_TOOLS = new Set([...OWN_TOOLS, "memory_search", "memory_get"]);
const SHELL_TOOLS = new Set(["exec", "bash", "shell", "process"]);
const NOT_SAID = new Set(["NO_REPLY", "HEARTBEAT_OK"]); // the host's words for silence
const SECOND_HAND = /:(?:subagent|cron|hook|heartbeat|acp):/; // sessions in whose turns nobody typed
const LONG_ID = 16; // characters from which a tool call's id is unique by itself; some models count from zero in each reply
const LABEL_CHARS = 256;
const RUN = `${process.pid}-${Date.now().toString(36)}`; // this run of the host

/** The text of a message's or result's content: a string, or the text blocks of a list. */
export function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((block) => (typeof block === "string" ? block : block?.type === "text" && typeof block.text === "string" ? block.text : "")).filter(Boolean).join("\n");
}

/** The exit code in a tool's result, null where it has none (yet). */
export function exitCodeOf(result) {
  const code = result?.details?.exitCode;
  return Number.isInteger(code) && Math.abs(code) < 2 ** 31 ? code : null;
}

/** Whether the host says that the act failed. What only its text says is the service's to judge. */
export function failed(event) {
  const code = exitCodeOf(event.result);
  return (typeof event.error === "string" && event.error !== "") || (code !== null ? code !== 0 : event.isError === true);
}

/**
 * The observation in an after_tool_call event, null for tools that only read the memory.
 * added: what the memory put into the result itself; it is taken out again.
 */
export function toolObservation(event, ctx, added = "") {
  const tool = String(event.toolName || "tool");
  if (READING_TOOLS.has(tool)) return null;
  const result = event.result;
  let content = typeof result === "string" ? result : textOf(result?.content);
  if (!content && typeof event.error === "string") content = event.error;
  if (added) content = content.split(added).join("").trimEnd();
  const out = {
    id: callId(event, ctx),
    kind: "tool",
    source: SHELL_TOOLS.has(tool) ? "terminal" : "tool",
    tool: tool.slice(0, LABEL_CHARS),
    tool_input: inputOf(event.params),
    content: said(content),
    is_error: typeof event.error === "string" && event.error !== "",
  };
  if (event.toolCallId) out.call_id = String(event.toolCallId).slice(0, LABEL_CHARS);
  const code = exitCodeOf(result);
  if (code !== null) {
    out.exit_code = code;
    if (!out.is_error) delete out.is_error; // the exit code says it
  } else if (!out.is_error) {
    delete out.is_error; // not said by the host; the service reads the text
  }
  const cwd = result?.details?.cwd;
  if (typeof cwd === "string") out.cwd = redact(cleanText(cwd)).slice(0, 4096);
  if (Number.isFinite(event.durationMs) && event.durationMs >= 0) out.duration_ms = Math.min(Math.round(event.durationMs), 2 ** 31 - 1);
  return out;
}

function callId(event, ctx) {
  const call = String(event.toolCallId ?? ctx.toolCallId ?? "");
  if (call.length >= LONG_ID) return deriveId(HOST, call);
  const params = createHash("sha256").update(JSON.stringify(event.params ?? null)).digest("hex").slice(0, 12);
  return deriveId(HOST, event.runId ?? ctx.runId ?? ctx.sessionId ?? "", call, params);
}

/**
 * The observation in a transcript line (before_message_write), null for lines that nobody said.
 *
 * A user's words are the owner's only where the host itself says that the sender is: group members, scheduled runs and
 * other agents write `user` lines too.
 */
export function messageObservation(message, session, prompts) {
  const text = withoutMemory(textOf(message?.content)).trim();
  if (!text || NOT_SAID.has(text)) return null;
  const at = Number.isFinite(message.timestamp) ? new Date(message.timestamp).toISOString() : new Date().toISOString();
  const second = SECOND_HAND.test(`${session.key}:`);
  if (message.role === "assistant") {
    return {
      id: deriveId(HOST, session.key, message.timestamp ?? at, "assistant", text), kind: "assistant", source: "chat",
      content: said(text), occurred_at: at, ...(second ? { metadata: { sidechain: true } } : {}),
    };
  }
  if (message.role !== "user") return null;
  const from = message.provenance?.kind;
  if (from === "internal_system") return null;
  const owner = message.__openclaw?.senderIsOwner === true && (from === undefined || from === "external_user") && !second;
  const name = message.idempotencyKey ? [message.idempotencyKey] : [session.key, message.timestamp ?? at, text];
  return {
    id: deriveId(HOST, "prompt", ...name), kind: "user", source: "chat", content: said(text), occurred_at: at,
    ...(owner && prompts === "owner" ? {} : { provenance: "untrusted", speaker: owner ? "" : String(message.__openclaw?.senderId ?? "other").slice(0, LABEL_CHARS) }),
  };
}

/** The observation of a session that `started` or `ended`. Its end is the time to learn from it. */
export function sessionObservation(word, sessionId) {
  const name = word === "ended" ? [word, RUN] : [word]; // it may go on after a restart, and ends anew
  return {
    id: deriveId(HOST, sessionId, ...name), kind: "event", source: HOST, content: `session ${word}`,
    metadata: { event: word === "ended" ? "session_end" : "session_start", severity: "debug" },
  };
}

/** `text` without what the memory put before the model; a channel or a client may hand it back. */
export function withoutMemory(text) {
  if (!text.includes("bio-")) return text;
  return text
    .replace(/<(bio-(?:memory|recall)-[0-9a-f]{6,64})(?: [^>\n]{0,200})?>[\s\S]*?(?:<\/\1>|$)/g, "")
    .replace(/^\[bio-memory\].*$\n?/gm, "");
}

function said(text) {
  return cut(redact(cleanText(cut(text, FIRST_CUT_BYTES))), CUT_BYTES);
}

/** A tool's input without secrets, every string cut as a content is: a file that is written whole stands in it. */
export function inputOf(params) {
  return redactJson(mapJson(params ?? {}, (text) => cut(text, CUT_BYTES)));
}
