// The memory plugin for OpenClaw. Wiring only: which hook asks which part. register() runs several times in one process
// (OpenClaw loads plugins for discovery too), so it does nothing but register; connections and files are made when
// something first happens.

import { address, settings } from "./lib/config.js";
import { Memory } from "./lib/memory.js";
import { tools } from "./lib/tools.js";

const ID = "bio-agent";
const VERSION = "0.1.0";
const GRACE_MS = 2_000; // beyond the guard's own limit, after which the host would block the tool
const STOP_MS = 1_500; // OpenClaw gives all session_end handlers together 2 s when it stops


// Version and configuration → Memory. OpenClaw loads this module more than once in a process (hooks from one copy, the
// tool-result middleware from another); they must share one memory, or the one does not know what the other said.
const memories = (globalThis[Symbol.for("bio-agent.openclaw.memories")] ??= new Map());

function memoryFor(config, log, folderOf) {
  const name = JSON.stringify([VERSION, config]);
  let memory = memories.get(name);
  if (!memory) {
    memory = new Memory(config, log, folderOf);
    memories.set(name, memory);
    process.once("exit", () => memory.end());
  }
  return memory;
}

/** `act`, whose errors are noted and never reach the host. Only the kind of an error is noted: it may hold content. */
function quiet(log, what, act) {
  const noted = (error) => log.warn(`${what}: ${error?.name ?? "Error"} at ${String(error?.stack ?? "").split("\n")[1]?.trim().slice(0, 200) ?? "?"}`);
  return (...given) => {
    try {
      const answer = act(...given);
      return typeof answer?.then === "function" ? answer.catch((error) => void noted(error)) : answer;
    } catch (error) {
      noted(error);
      return undefined;
    }
  };
}

function register(api) {
  const config = settings(api.pluginConfig);
  const log = {
    info: (text) => api.logger.info(`bio-agent: ${text}`),
    warn: (text) => api.logger.warn(`bio-agent: ${text}`),
  };
  try {
    address(config);
  } catch (error) {
    log.warn(`${error.message}; until then the memory counts as away`);
  }
  // Of the hooks only some say where the agent works, and which comes first differs from turn to turn; the host knows it.
  const folderOf = (agentId) => {
    try {
      return String(api.runtime.agent.resolveAgentWorkspaceDir(api.runtime.config.current(), agentId) ?? "");
    } catch {
      return "";
    }
  };
  const memory = () => memoryFor(config, log, folderOf);
  const on = (name, act, options) => api.on(name, quiet(log, name, act), options);

  on("before_message_write", (event, ctx) => void memory().messageWritten(event, ctx));
  on("after_tool_call", (event, ctx) => memory().toolEnded(event, ctx));
  on("session_start", (event, ctx) => memory().sessionChanged("started", event, ctx));
  on("session_end", (event, ctx) => {
    memory().sessionChanged("ended", event, ctx);
    return memory().settle(STOP_MS);
  });
  on("gateway_start", () => void memory().courier.flush()); // what waits from before
  on("gateway_stop", () => memory().stop(STOP_MS));
  on("model_call_started", (_event, ctx) => void memory().sessions.of(ctx));

  on("before_tool_call", (event, ctx) => memory().guard(event, ctx), { timeoutMs: config.guardTimeoutMs + GRACE_MS });
  on("before_prompt_build", async (event, ctx) => {
    const text = await memory().recall(event, ctx);
    return text ? { prependContext: text } : undefined;
  });
  api.registerMemoryPromptPreparation(
    quiet(log, "rules", async ({ agentId, agentSessionKey }) => {
      const session = memory().sessions.of({ agentId, sessionKey: agentSessionKey });
      const { block } = await memory().rules(session);
      return block ? [block] : [];
    }),
  );
  api.registerAgentToolResultMiddleware(
    quiet(log, "hint", async (event, ctx) => {
      const text = await memory().addition(event, ctx);
      return text ? { result: { ...event.result, content: [...(event.result?.content ?? []), { type: "text", text }] } } : undefined;
    }),
    { runtimes: ["openclaw"] },
  );
  api.registerMemoryCapability({ promptBuilder: () => [], deterministicRecallToolName: "memory_recall" });
  const definitions = (ctx) => {
    const session = memory().sessions.of(ctx ?? {});
    return tools((...given) => memory().link.ask(...given), () => memory().sessions.where(session));
  };
  api.registerTool(definitions, { names: ["memory_recall", "memory_remember", "memory_rules", "memory_feedback"] });
}

export default { id: ID, name: "bio-agent memory", description: "Learns from what fails and what fixes it", register };
