// The plugin's settings with their defaults, and the address of the service. Pure but for reading one file.

import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
const SPOOL_MAX_BYTES = 64 * 1024 * 1024;

/** Settings with every default filled in. `given`: the operator's; `env`: the process's environment. */
export function settings(given = {}, env = process.env) {
  const path = (value) => (value.startsWith("~/") ? join(homedir(), value.slice(2)) : value);
  const home = path(given.home || env.BIO_AGENT_HOME || "~/.bio-agent");
  return {
    apiBaseUrl: given.apiBaseUrl || env.BIO_AGENT_URL || "",
    apiKey: given.apiKey || env.BIO_AGENT_KEY || "",
    home,
    agentName: given.agentName || "",
    workspaceId: given.workspaceId || "",
    projectVersion: given.projectVersion || "",
    capture: given.capture ?? true,
    prompts: given.prompts ?? "owner",
    recall: given.recall ?? true,
    recallLimit: given.recallLimit ?? 5,
    warn: given.warn ?? "tell",
    guard: given.guard ?? "on",
    guardTimeoutMs: given.guardTimeoutMs ?? 1000,
    guardFailClosed: given.guardFailClosed ?? false,
    approvalTimeoutMs: given.approvalTimeoutMs ?? 120_000,
    spoolDir: path(given.spoolDir || join(home, "openclaw-spool")),
    spoolMaxBytes: given.spoolMaxBytes ?? SPOOL_MAX_BYTES,
  };
}

/**
 * The service's address as a URL, or null when nothing is known to run. Throws on one that may not be used.
 *
 * Without `apiBaseUrl` it is what the home's supervisor noted, and only while that process lives: after a crash anybody
 * may listen on its port, and would be told everything.
 */
export function address(config) {
  if (config.apiBaseUrl) return allowed(config.apiBaseUrl);
  try {
    const state = JSON.parse(readFileSync(join(config.home, "run", "up.json"), "utf8"));
    process.kill(state.pid, 0);
    return Number.isInteger(state.port) ? new URL(`http://127.0.0.1:${state.port}/`) : null;
  } catch {
    return null;
  }
}

/** `text` as a URL: https anywhere, http on loopback only, for what is sent goes in clear text. */
export function allowed(text) {
  let url;
  try {
    url = new URL(text.endsWith("/") ? text : `${text}/`);
  } catch {
    throw new Error(`apiBaseUrl must look like http://127.0.0.1:8055, not ${JSON.stringify(text)}`);
  }
  if (url.username || url.password) throw new Error("apiBaseUrl must hold no password; set apiKey");
  if (url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.has(url.hostname))) return url;
  throw new Error(`apiBaseUrl must be https, or http on 127.0.0.1 or localhost, not ${url.protocol}//${url.host}`);
}
