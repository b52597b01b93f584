// One configuration's memory: what is observed, what is said, and the guard. Everything here gives way to the host: an
// error or a service that is away changes nothing of what the host does, save where the operator chose to fail closed.

import { Courier } from "./courier.js";
import { Link } from "./link.js";
import { HOST, OWN_TOOLS, failed, inputOf, messageObservation, sessionObservation, toolObservation } from "./observations.js";
import { redact } from "./redact.js";
import { Sessions } from "./sessions.js";
import { MARK, guardAnswer, hint, recalled } from "./speech.js";
import { Spool } from "./spool.js";

const RULES_MS = 1_000; // longest wait of a turn for the rules; then the last known ones stand in
const HINT_MS = 800; // longest wait of a failed call for what is known about it
const RECALL_MS = 2_500; // longest wait of a turn for memories; the first one embeds with a cold model
const MAX_BLOCKS = 100; // workspaces and agents whose last block is kept

export class Memory {
  /** folderOf: agent id → the folder it works in, "" where the host does not say. */
  constructor(config, log, folderOf = () => "") {
    this.config = config;
    this.log = log;
    this.link = new Link(config);
    this.courier = new Courier(this.link, new Spool(config.spoolDir, config.spoolMaxBytes), log);
    this.sessions = new Sessions(config, (session, word) => this.#put(session, sessionObservation(word, session.id)), folderOf);
    this.blocks = new Map(); // workspace and agent → {etag, persona}
  }

  // ------------------------------------------------------------------------------------------------------- observed

  observe(session, observation) {
    const now = new Date().toISOString();
    if (observation) this.sessions.whenNamed(session, () => this.#put(session, observation, now));
  }

  #put(session, observation, now = new Date().toISOString()) {
    if (!this.config.capture) return;
    const version = this.config.projectVersion ? { project_version: this.config.projectVersion } : {};
    this.courier.put({ occurred_at: now, host: HOST, ...this.sessions.where(session), ...version, ...observation });
  }

  toolEnded(event, ctx) {
    const session = this.sessions.of(ctx);
    const said = session.calls.get(event.toolCallId) ?? {};
    if (said.stopped) return; // it did not run
    this.observe(session, toolObservation(event, ctx, said.added));
  }

  messageWritten(event, ctx) {
    const session = this.sessions.of({ ...ctx, ...(event.sessionKey ? { sessionKey: event.sessionKey } : {}) });
    this.observe(session, messageObservation(event.message, session, this.config.prompts));
  }

  /** The host's own word on a session's start or end; it says neither for every kind of session. */
  sessionChanged(word, event, ctx) {
    const session = this.sessions.of({ agentId: ctx.agentId, sessionKey: event.sessionKey ?? ctx.sessionKey, sessionId: event.sessionId });
    if (word === "ended") this.sessions.ended(session);
  }

  // ---------------------------------------------------------------------------------------------------------- said

  /** The rules' block of a session: asked for with the last version, the last known one when there is no answer. */
  async rules(session, timeoutMs = RULES_MS) {
    const where = this.sessions.where(session);
    const name = JSON.stringify([where.workspace, where.agent]);
    const last = this.blocks.get(name);
    try {
      const query = new URLSearchParams(session.id ? where : { workspace: where.workspace, agent: where.agent });
      const { status, body, etag } = await this.link.ask("GET", `/api/persona?${query}`, { etag: last?.etag, timeoutMs });
      if (status === 304) return last.persona;
      if (this.blocks.size >= MAX_BLOCKS) this.blocks.clear();
      this.blocks.set(name, { etag, persona: body });
      return body;
    } catch {
      return last?.persona ?? { block: "", rules: [] };
    }
  }

  /** Memories that fit what the user said, as context before the turn; "" when nothing does. */
  async recall(event, ctx) {
    const session = this.sessions.of(ctx);
    const query = String(event.currentUserMessage ?? event.prompt ?? "").trim();
    if (!this.config.recall || !query || (ctx.trigger && ctx.trigger !== "user")) return "";
    try {
      const body = { ...this.sessions.where(session), query: redact(query).slice(0, 8000), limit: this.config.recallLimit };
      const answer = await this.link.ask("POST", "/api/recall", { body, timeoutMs: RECALL_MS });
      return recalled(answer.body.memories ?? []);
    } catch {
      return "";
    }
  }

  /** Whether a call may run, as before_tool_call returns it. Within the time limit, whatever the service does. */
  async guard(event, ctx) {
    if (this.config.guard === "off" || OWN_TOOLS.includes(event.toolName)) return undefined;
    const stopped = () => this.sessions.note(this.sessions.of(ctx), event.toolCallId, { stopped: true });
    try {
      const session = this.sessions.of(ctx);
      const said = await this.#check(event, this.sessions.where(session), this.config.guardTimeoutMs);
      const { answer, tell } = guardAnswer(said, this.config);
      if (tell) this.sessions.note(session, event.toolCallId, { warning: tell });
      if (answer?.block) stopped();
      if (answer?.requireApproval) {
        answer.requireApproval.onResolution = (decision) => void (String(decision).startsWith("allow") || stopped());
      }
      return answer;
    } catch (error) {
      if (!this.config.guardFailClosed) return undefined;
      const why = `the guard did not answer (${error.message}), and this installation stops tools then; is \`bio-agent up\` running?`;
      stopped();
      return { block: true, blockReason: `${MARK} ${why}` };
    }
  }

  /** What to add to a tool's result: the warning that was held for it, or what is known about its failure; "" for nothing. */
  async addition(event, ctx) {
    if (OWN_TOOLS.includes(event.toolName)) return "";
    const session = this.sessions.of(ctx);
    const call = session.calls.get(event.toolCallId) ?? {};
    if (call.stopped) return "";
    let text = call.warning ?? "";
    if (!text && failed(event)) text = await this.#hint(event, session);
    if (text) this.sessions.note(session, event.toolCallId, { added: text });
    return text;
  }

  async #hint(event, session) {
    const { workspace, agent } = this.sessions.where(session);
    const asked = { toolName: event.toolName, params: event.args };
    const command = typeof event.args?.command === "string" ? event.args.command : "";
    try {
      // Without a session: asked for information, so that no warning is used up by it.
      const [said, persona] = await Promise.all([this.#check(asked, { workspace, agent }, HINT_MS), this.rules(session, HINT_MS)]);
      return hint(command, said, persona.rules ?? []);
    } catch {
      return "";
    }
  }

  async #check(event, where, timeoutMs) {
    const body = { ...where, tool: String(event.toolName).slice(0, 256), tool_input: inputOf(event.params), can_ask: true };
    return (await this.link.ask("POST", "/api/check", { body, timeoutMs })).body;
  }

  // ---------------------------------------------------------------------------------------------------------- life

  /** The host stops: its sessions end with it, and what can be delivered is, within `limitMs`. */
  stop(limitMs) {
    this.sessions.releaseAll();
    this.sessions.endAll();
    return this.settle(limitMs);
  }

  /** Delivers what can be delivered, within `limitMs`. */
  async settle(limitMs) {
    this.sessions.releaseAll();
    let limit;
    const over = new Promise((resolve) => {
      limit = setTimeout(resolve, limitMs);
    });
    await Promise.race([this.courier.flush(), over]);
    clearTimeout(limit);
  }

  /** Synchronous, for the end of the process: what is left goes to the disk. */
  end() {
    this.sessions.releaseAll();
    this.sessions.endAll();
    this.courier.keepRest();
    this.link.close();
  }
}
