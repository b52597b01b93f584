// What is known of the sessions that run here. A host's session key names a conversation that goes on for months; the
// session id changes with every reset, and it is the id that is a session of the memory.

import { workspaceOf } from "./workspace.js";

const MAX_SESSIONS = 500; // the least recently used goes first
const MAX_CALLS = 200; // tool calls of a session about which something was said
const AGENT_OF_KEY = /^agent:([^:]+):/;
const HOLD_MS = 2_000; // longest wait for a session's id; then the key stands in

export class Sessions {
  /** changed: told (session, "started" | "ended") when a session is first seen and when another took its place. folderOf:
   * agent id → the folder it works in, for hooks that do not say it. */
  constructor(config, changed = () => {}, folderOf = () => "") {
    this.config = config;
    this.changed = changed;
    this.folderOf = folderOf;
    this.known = new Map();
  }

  /** The session of a hook's context, made when first seen. `where`: {agentId?, sessionKey?, sessionId?, workspaceDir?}. */
  of(where) {
    const key = where.sessionKey || where.sessionId || "default";
    let session = this.known.get(key);
    if (!session) session = { key, id: "", agentId: "", workspaceDir: "", over: "", calls: new Map(), held: [], timer: null };
    else this.known.delete(key);
    this.known.set(key, session); // newest last
    if (this.known.size > MAX_SESSIONS) {
      const [oldest, gone] = this.known.entries().next().value;
      this.release(gone);
      this.known.delete(oldest);
    }
    if (where.agentId) session.agentId = where.agentId;
    if (where.workspaceDir) session.workspaceDir = where.workspaceDir;
    if (where.sessionId && where.sessionId !== session.id) {
      this.ended(session);
      session.id = where.sessionId;
      this.changed(session, "started");
      this.release(session);
    }
    return session;
  }

  /** Notes that a session ended; once. What comes under its key afterwards is another one. */
  ended(session) {
    if (!session.id || session.over === session.id) return;
    session.over = session.id;
    this.changed(session, "ended");
  }

  /** {workspace, agent, session} as the service takes them. */
  where(session) {
    const agent = session.agentId || AGENT_OF_KEY.exec(session.key)?.[1] || "";
    return {
      workspace: this.config.workspaceId || workspaceOf(session.workspaceDir || this.folderOf(agent || "main")),
      agent: this.config.agentName || agent || "openclaw",
      session: (session.id || session.key).slice(0, 256),
    };
  }

  /** Calls `then` once the session's id is known, in order; after HOLD_MS without it. */
  whenNamed(session, then) {
    if (session.id && !session.held.length) {
      then();
      return;
    }
    session.held.push(then);
    session.timer ??= setTimeout(() => this.release(session), HOLD_MS).unref();
  }

  release(session) {
    clearTimeout(session.timer);
    session.timer = null;
    for (const then of session.held.splice(0)) then();
  }

  releaseAll() {
    for (const session of this.known.values()) this.release(session);
  }

  endAll() {
    for (const session of this.known.values()) this.ended(session);
  }

  /** Remembers what was said about a tool call: {stopped?, warning?, added?}. */
  note(session, callId, said) {
    session.calls.set(callId, { ...session.calls.get(callId), ...said });
    if (session.calls.size > MAX_CALLS) session.calls.delete(session.calls.keys().next().value);
  }
}
