// What `bio-agent doctor` runs with OpenClaw's Node: the plugin registered as OpenClaw registers it, one session that begins
// and ends, one question. Takes {config, session} as JSON on standard input; says {answer, counts, notes} as JSON.

import plugin from "./index.js";

let given = "";
for await (const part of process.stdin) given += part;
const { config, session } = JSON.parse(given);
const notes = [];
const hooks = {};
let tools = () => [];
plugin.register({
  pluginConfig: config,
  logger: { info: () => {}, warn: (text) => notes.push(text) },
  on: (name, act) => (hooks[name] = act),
  registerTool: (make) => (tools = make),
  registerAgentToolResultMiddleware: () => {},
  registerMemoryPromptPreparation: () => {},
  registerMemoryCapability: () => {},
});
const where = { agentId: "main", sessionKey: `agent:main:${session}`, sessionId: session };
hooks.session_start({ sessionId: session, sessionKey: where.sessionKey }, where);
const said = await tools(where).find((tool) => tool.name === "memory_rules").execute("doctor", {});
await hooks.gateway_stop({}, {}); // the session ends, and what was observed is delivered
const [memory] = globalThis[Symbol.for("bio-agent.openclaw.memories")].values();
const error = said.details?.error ?? "";
console.log(JSON.stringify({ answer: said.content[0].text, error, counts: memory.courier.counts, notes }));
