// A service on loopback for the tests, and a host that keeps what the plugin registers.

import http from "node:http";

/** Starts a service. `answer(method, path, body)` returns {status?, body?, headers?, delayMs?}. */
export async function service(answer) {
  const asked = [];
  const server = http.createServer((request, response) => {
    let text = "";
    request.on("data", (part) => (text += part));
    request.on("end", () => {
      const body = text ? JSON.parse(text) : undefined;
      asked.push({ method: request.method, path: request.url, body, headers: request.headers });
      const said = answer(request.method, request.url.split("?")[0], body, request.headers) ?? {};
      const late = setTimeout(() => {
        response.writeHead(said.status ?? 200, { "content-type": "application/json", connection: "close", ...said.headers });
        response.end(said.body === undefined ? "" : JSON.stringify(said.body));
      }, said.delayMs ?? 0);
      if (said.delayMs) late.unref();
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref(); // a test that fails before it closes the service must fail, not hang
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, asked, observed: () => asked.filter((a) => a.path === "/api/ingest").flatMap((a) => a.body), close: () => (server.closeAllConnections(), server.close()) };
}

export const log = { lines: [], info: (text) => log.lines.push(text), warn: (text) => log.lines.push(text) };

/** Registers the plugin with a host that keeps everything: {hooks, tools, middleware, rules}. folder: where its agents work. */
export function host(plugin, config, folder = "") {
  const kept = { hooks: {}, options: {}, tools: null, middleware: null, rules: null, config };
  plugin.register({
    pluginConfig: config, logger: log, runtime: { config: { current: () => ({}) }, agent: { resolveAgentWorkspaceDir: () => folder } },
    on: (name, act, options) => ((kept.hooks[name] = act), (kept.options[name] = options)),
    registerTool: (make) => (kept.tools = make),
    registerAgentToolResultMiddleware: (act) => (kept.middleware = act),
    registerMemoryPromptPreparation: (act) => (kept.rules = act),
    registerMemoryCapability: () => {},
  });
  return kept;
}

export async function until(holds, limitMs = 20_000) {
  const end = Date.now() + limitMs;
  while (!holds()) {
    if (Date.now() > end) throw new Error("it did not happen in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
