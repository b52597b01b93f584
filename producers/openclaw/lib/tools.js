// The tools the model may call. They speak as the agent: what only a person may do stays a person's.

import { Away } from "./link.js";
import { redact } from "./redact.js";
import { recalledList, rulesList } from "./speech.js";

const TOOL_MS = 20_000; // recall and remember embed a text
const KINDS = ["episodic", "semantic", "procedural", "exception", "goal", "preference"];

const words = (description, more = {}) => ({ type: "string", description, ...more });
const object = (properties, required) => ({ type: "object", additionalProperties: false, properties, required });

/** The definitions of the tools for one run. ask: link.ask; where: () => {workspace, agent, session}. */
export function tools(ask, where) {
  const post = async (path, body) => (await ask("POST", path, { body, timeoutMs: TOOL_MS })).body;
  return [
    tool("memory_recall", "Search the memory: earlier failures and what fixed them, facts, preferences, procedures.",
      object({ query: words("What you want to know.", { minLength: 1 }), limit: { type: "integer", minimum: 1, maximum: 20 }, kind: { type: "string", enum: KINDS } }, ["query"]),
      async ({ query, limit, kind }) => {
        const body = { ...where(), query: redact(String(query)).slice(0, 8000), limit: limit ?? 8, ...(kind ? { kind: [kind] } : {}) };
        return recalledList((await post("/api/recall", body)).memories);
      }),
    tool("memory_remember", "Keep a lasting fact, preference or decision. Never a secret.",
      object({ content: words("One statement, complete in itself.", { minLength: 1 }), kind: { type: "string", enum: KINDS }, tags: { type: "array", items: { type: "string" }, maxItems: 32 } }, ["content"]),
      async ({ content, kind, tags }) => {
        const { workspace, agent } = where();
        const body = { workspace, agent, content: redact(String(content)), type: kind ?? "", tags: tags ?? [], source: "openclaw", speaker: "agent" };
        const kept = await post("/api/remember", body);
        return kept.merged ? `already known, confirmed: ${kept.id}` : `kept: ${kept.id}`;
      }),
    tool("memory_rules", "The rules that hold in this workspace, with their ids.", object({}, []),
      async () => rulesList((await ask("GET", `/api/persona?${new URLSearchParams(where())}`, { timeoutMs: TOOL_MS })).body)),
    tool("memory_feedback", "Say whether a rule helped or hurt in this session.",
      object({ rule_id: words("Its id, from memory_rules."), outcome: { type: "string", enum: ["helped", "hurt"] }, why: words("In a few words.") }, ["rule_id", "outcome"]),
      async ({ rule_id, outcome, why }) => {
        const counted = await post("/api/feedback", { rule_id: String(rule_id), outcome, why: redact(String(why ?? "")).slice(0, 500), session: where().session });
        return counted.counted === false ? "this session has said so already" : `noted: ${outcome}`;
      }),
  ];
}

function tool(name, description, parameters, answer) {
  return {
    name, label: name.replace("_", " "), description, parameters,
    async execute(_id, params) {
      try {
        return { content: [{ type: "text", text: await answer(params ?? {}) }], details: {} };
      } catch (error) {
        if (!(error instanceof Away)) throw error;
        const why = error.status >= 400 && error.status < 500 ? `refused it (${error.message})` : `does not answer (${error.message})`;
        return { content: [{ type: "text", text: `The memory ${why}. Go on without it.` }], details: { error: error.message } };
      }
    },
  };
}
