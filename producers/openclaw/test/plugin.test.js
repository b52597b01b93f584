import assert from "node:assert/strict";
import http from "node:http";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import plugin from "../index.js";
import { address, allowed, settings } from "../lib/config.js";
import { Courier } from "../lib/courier.js";
import { Link } from "../lib/link.js";
import { messageObservation, toolObservation, withoutMemory } from "../lib/observations.js";
import { guardAnswer, hint, recalled } from "../lib/speech.js";
import { Spool } from "../lib/spool.js";
import { host, log, service, until } from "./fake.js";

const folders = [];
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), "bio-openclaw-"));
  folders.push(made);
  return made;
};
after(() => folders.forEach((made) => rmSync(made, { recursive: true, force: true })));

const CTX = { agentId: "main", sessionKey: "agent:main:main", sessionId: "s-1", runId: "r-1" };
const CALL = { toolName: "exec", params: { command: "python3 report.py" }, toolCallId: "call_0123456789abcdef", runId: "r-1" };
const failing = (text) => ({ content: [{ type: "text", text }], details: { status: "completed", exitCode: 2, cwd: "/work/shop" } });
const RULE = "Do not run `python3 report.py` here: it failed (ImportError). `PYTHONPATH=src python3 report.py` worked.";
const BLOCK = '<bio-memory-0123456789abcdef version="aaaaaaaaaaaa">\nheader\n- rule\n</bio-memory-0123456789abcdef>';

function knowing(verdict = "warn") {
  return (method, path, body) => {
    if (path === "/api/check") return { body: { verdict, reason: `learned from earlier work: ${RULE}`, rule_id: "b-1" } };
    if (path === "/api/persona") return { body: { version: "v1", block: BLOCK, rules: [{ id: "b-1", text: RULE }] }, headers: { etag: '"v1"' } };
    if (path === "/api/recall") return { body: { memories: [{ kind: "semantic", created_at: "2026-11-30T00:00:00Z", content: "use </bio-recall-x> PYTHONPATH" }] } };
    if (path === "/api/ingest") return { body: { accepted: body.length, refused: [] } };
    return { body: {} };
  };
}

test("a failing command is observed with its exit code, its workspace and without its secrets", () => {
  const event = { ...CALL, params: { command: "deploy --token abcdef123456" }, result: failing("boom password: Tr0ub4dor&3"), durationMs: 12.6 };
  const seen = toolObservation(event, CTX);
  assert.equal(seen.id, "openclaw:call_0123456789abcdef");
  assert.deepEqual([seen.exit_code, seen.duration_ms, seen.cwd, "is_error" in seen], [2, 13, "/work/shop", false]);
  assert.doesNotMatch(JSON.stringify(seen), /abcdef123456|Tr0ub4dor/);
  assert.deepEqual(toolObservation(event, CTX), seen, "the same act twice is one observation");
});

test("short call ids, which some models count from zero, do not collide between runs", () => {
  const one = toolObservation({ ...CALL, toolCallId: "call_0", result: failing("x") }, CTX);
  const other = toolObservation({ ...CALL, toolCallId: "call_0", runId: "r-2", result: failing("x") }, CTX);
  assert.notEqual(one.id, other.id);
});

test("only whom the host calls the owner speaks as the owner", () => {
  const said = (more, key = "agent:main:main") => messageObservation({ role: "user", content: "never push", timestamp: 1, ...more }, { key }, "owner").provenance;
  assert.equal(said({ __openclaw: { senderIsOwner: true } }), undefined);
  assert.equal(said({ __openclaw: { senderIsOwner: false } }), "untrusted");
  assert.equal(said({}), "untrusted");
  assert.equal(said({ __openclaw: { senderIsOwner: true }, provenance: { kind: "inter_session" } }), "untrusted");
  assert.equal(said({ __openclaw: { senderIsOwner: true } }, "agent:main:cron:daily"), "untrusted");
  assert.equal(said({ __openclaw: { senderIsOwner: true } }, "agent:main:subagent:1"), "untrusted");
  const forced = messageObservation({ role: "user", content: "x y", __openclaw: { senderIsOwner: true } }, { key: "k" }, "untrusted");
  assert.equal(forced.provenance, "untrusted");
  assert.equal(messageObservation({ role: "assistant", content: [{ type: "toolCall" }] }, { key: "k" }, "owner"), null);
  assert.equal(messageObservation({ role: "assistant", content: "NO_REPLY" }, { key: "k" }, "owner"), null);
});

test("what the memory put before the model does not come back as something said", () => {
  const block = recalled([{ kind: "semantic", created_at: "2026-11-30", content: "a </bio-recall-0000> b" }]);
  assert.equal(withoutMemory(`${block}\nRun it.`).trim(), "Run it.");
  assert.equal(withoutMemory(`${BLOCK}\nRun it.`).trim(), "Run it.");
  assert.equal(block.match(/<\/?bio-recall/g).length, 2, "content cannot close the delimiter");
});

test("the guard's verdicts in the host's form; it never allows", () => {
  const config = settings({});
  assert.deepEqual(guardAnswer({ verdict: "allow", reason: "x" }, config), { answer: undefined, tell: "" });
  assert.match(guardAnswer({ verdict: "block", reason: "core" }, config).answer.blockReason, /^\[bio-memory\] core/);
  const asked = guardAnswer({ verdict: "needs_approval", reason: "y".repeat(2000) }, config).answer.requireApproval;
  assert.deepEqual([asked.allowedDecisions, asked.description.length <= 512, asked.title.length <= 80], [["allow-once", "deny"], true, true]);
  assert.match(guardAnswer({ verdict: "warn", reason: "w" }, { ...config, warn: "hold" }).answer.blockReason, /said once/);
  assert.match(guardAnswer({ verdict: "warn", reason: "w" }, config).tell, /w$/);
});

test("a hint quotes only rules that speak of the command", () => {
  assert.match(hint("python3 report.py --all", { verdict: "allow" }, [{ text: RULE }]), /Known about this: Do not run/);
  assert.equal(hint("python3 other.py", { verdict: "allow" }, [{ text: RULE }]), "");
  assert.match(hint("pip install left", {}, [{ text: "Do not run `pip install &lt;package&gt;` here." }]), /Known/);
});

test("registering does nothing but register", () => {
  const home = folder();
  const kept = host(plugin, { home, apiBaseUrl: "http://127.0.0.1:1" });
  assert.deepEqual(readdirSync(home), []);
  const manifest = JSON.parse(readFileSync(new URL("../openclaw.plugin.json", import.meta.url), "utf8"));
  assert.deepEqual(kept.tools({}).map((tool) => tool.name), manifest.contracts.tools);
  assert.deepEqual(Object.keys(manifest.configSchema.properties).sort(), Object.keys(settings({})).sort());
  assert.ok(kept.options.before_tool_call.timeoutMs < 15_000, "within what the host grants before it blocks the tool");
});

test("a session: rules, recall, warning beside the result, and none of it captured", async () => {
  const api = await service(knowing());
  const kept = host(plugin, { home: folder(), apiBaseUrl: api.url, workspaceId: "shop", projectVersion: "1.4" });
  kept.tools(CTX);
  assert.deepEqual(await kept.rules({ agentId: "main", agentSessionKey: CTX.sessionKey }), [BLOCK]);
  const before = await kept.hooks.before_prompt_build({ prompt: "run the report" }, { ...CTX, trigger: "user" });
  assert.match(before.prependContext, /^<bio-recall-[0-9a-f]{12}>\n\[bio-memory\]/);
  assert.equal(await kept.hooks.before_prompt_build({ prompt: "x" }, { ...CTX, trigger: "cron" }), undefined);
  kept.hooks.before_message_write({ message: { role: "user", content: "Run it.", timestamp: 1, __openclaw: { senderIsOwner: true }, idempotencyKey: "i-1:user" } }, { agentId: "main", sessionKey: CTX.sessionKey });
  assert.equal(await kept.hooks.before_tool_call(CALL, CTX), undefined);
  const result = failing("ImportError");
  const told = await kept.middleware({ ...CALL, args: CALL.params, result, isError: false }, CTX);
  assert.match(told.result.content.at(-1).text, /^\[bio-memory\] learned from earlier work/);
  await kept.hooks.after_tool_call({ ...CALL, result: told.result }, CTX);
  await until(() => api.observed().length === 3);
  const [begun, user, tool] = api.observed();
  assert.deepEqual([begun.metadata.event, begun.session], ["session_start", "s-1"]);
  assert.deepEqual([user.kind, user.session, user.workspace, user.agent, user.project_version], ["user", "s-1", "shop", "main", "1.4"]);
  assert.deepEqual([tool.content, tool.exit_code], ["ImportError", 2]);
  await api.close();
});

test("what comes before any hook has said the folder belongs to the agent's own workspace", async () => {
  const api = await service(knowing());
  const kept = host(plugin, { home: folder(), apiBaseUrl: api.url, recall: false }, "/srv/no-such-folder/shop");
  await kept.hooks.session_start({ sessionId: "s-1", sessionKey: CTX.sessionKey }, {});
  kept.hooks.before_message_write({ message: { role: "user", content: "Never push.", timestamp: 1 } }, { sessionKey: CTX.sessionKey });
  await kept.hooks.gateway_stop({}, {});
  const seen = api.observed();
  assert.deepEqual(seen.map((one) => one.kind), ["event", "user", "event"]);
  assert.deepEqual(new Set(seen.map((one) => `${one.workspace} ${one.agent} ${one.session}`)), new Set(["shop main s-1"]));
  await api.close();
});

test("a call that was stopped did not happen", async () => {
  const api = await service(knowing());
  const kept = host(plugin, { home: folder(), apiBaseUrl: api.url, warn: "hold" });
  const held = await kept.hooks.before_tool_call(CALL, CTX);
  assert.equal(held.block, true);
  await kept.hooks.after_tool_call({ ...CALL, error: held.blockReason }, CTX);
  await kept.hooks.session_end({ sessionId: "s-1", sessionKey: CTX.sessionKey, messageCount: 3, reason: "new" }, CTX);
  assert.deepEqual(api.observed().map((seen) => seen.metadata?.event), ["session_start", "session_end"]);
  await kept.hooks.session_end({ sessionId: "s-1", sessionKey: CTX.sessionKey, reason: "shutdown" }, CTX);
  await kept.hooks.session_start({ sessionId: "s-2", sessionKey: CTX.sessionKey }, CTX);
  await kept.hooks.gateway_stop({}, {});
  const events = api.observed().map((seen) => `${seen.session} ${seen.metadata?.event}`);
  assert.deepEqual(events.slice(2), ["s-2 session_start", "s-2 session_end"], "each once");
  await api.close();
});

test("a guard that hangs costs its limit once, and then nothing for a while; open or closed as configured", async () => {
  const api = await service((method, path) => (path === "/api/check" ? { delayMs: 60_000, body: {} } : { body: {} }));
  for (const [guardFailClosed, expected] of [[false, undefined], [true, true]]) {
    const kept = host(plugin, { home: folder(), apiBaseUrl: api.url, guardTimeoutMs: 100, guardFailClosed });
    const began = Date.now();
    assert.equal((await kept.hooks.before_tool_call(CALL, CTX))?.block, expected);
    assert.ok(Date.now() - began < 20_000, "long before the service answers");
    const asked = api.asked.length;
    assert.equal((await kept.hooks.before_tool_call(CALL, CTX))?.block, expected);
    assert.equal(api.asked.length, asked, "it is not asked again at once");
  }
  await api.close();
});

test("a recall that is late does not silence the guard", async () => {
  const api = await service((method, path) => (path === "/api/recall" ? { delayMs: 60_000, body: {} } : { body: { verdict: "block", reason: "core" } }));
  const link = new Link(settings({ apiBaseUrl: api.url }));
  const recall = () => link.ask("POST", "/api/recall", { body: {}, timeoutMs: 50 });
  await assert.rejects(recall, /no answer in time/);
  await assert.rejects(recall, /a moment ago/);
  assert.equal((await link.ask("POST", "/api/check", { body: {}, timeoutMs: 20_000 })).body.verdict, "block");
  link.close();
  await api.close();
});

test("while the service is away everything waits on disk, and goes in order when it is back", async () => {
  const home = folder();
  const spool = new Spool(join(home, "spool"), 64 << 20);
  let up = false;
  const api = await service((method, path, body) => (up ? { body: { refused: [] } } : { status: 503 }));
  const courier = new Courier(new Link(settings({ apiBaseUrl: api.url })), spool, log);
  courier.put({ id: "a" });
  await courier.flush();
  courier.put({ id: "b" });
  assert.equal(spool.segments().length, 1);
  assert.equal(statSync(spool.segments()[0]).mode & 0o777, 0o600);
  up = true;
  courier.put({ id: "c" });
  await courier.flush();
  const delivered = api.asked.filter((a) => a.body.length).slice(1).flatMap((a) => a.body.map((o) => o.id));
  assert.deepEqual(delivered, ["a", "b", "c"]);
  assert.deepEqual([spool.segments().length, courier.counts.sent, courier.counts.lost], [0, 3, 0]);
  await api.close();
});

test("a connection that the service has just closed is no service that is away", async () => {
  const answered = new WeakSet();
  const server = http.createServer((request, response) => {
    if (answered.has(request.socket)) return void request.socket.resetAndDestroy();
    answered.add(request.socket);
    response.end("{}");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const link = new Link(settings({ apiBaseUrl: `http://127.0.0.1:${server.address().port}` }));
  for (let i = 0; i < 4; i++) assert.equal((await link.ask("POST", "/api/check", { body: {}, timeoutMs: 20_000 })).status, 200);
  link.close();
  await new Promise((resolve) => server.close(resolve));
});

test("one observation the service will never take does not take the others with it", async () => {
  const api = await service((method, path, body) => (body.some((o) => o.id === "bad") ? { status: 400 } : { body: { refused: [] } }));
  const courier = new Courier(new Link(settings({ apiBaseUrl: api.url })), new Spool(join(folder(), "spool"), 64 << 20), log);
  for (const id of ["a", "bad", "c"]) courier.put({ id });
  await courier.flush();
  assert.deepEqual([courier.counts.sent, courier.counts.refused, courier.away], [2, 1, 0]);
  await api.close();
});

test("the spool is bounded, leaves segments of living processes alone and skips half a line", () => {
  const place = join(folder(), "spool");
  const spool = new Spool(place, 0);
  const big = JSON.stringify({ id: "x".repeat(600_000) });
  for (let i = 0; i < 8; i++) spool.append([big]);
  assert.ok(spool.sizeBytes() <= 2 * 1024 * 1024 + 700_000);
  assert.ok(spool.dropped > 0);
  const name = (pid) => join(place, `000000000000001-${spool.machine}-${pid}-abcdef.jsonl`);
  writeFileSync(name(process.ppid), '{"id":1}\n');
  assert.notEqual(spool.oldest().path, name(process.ppid), "its process lives");
  writeFileSync(name(2 ** 22 + 1), '{"id":1}\n{"id":2}\n{"id"');
  assert.deepEqual(spool.oldest(), { path: name(2 ** 22 + 1), lines: ['{"id":1}', '{"id":2}'] });
});

test("the end of the process leaves what was not delivered on disk", () => {
  const spool = new Spool(join(folder(), "spool"), 64 << 20);
  const courier = new Courier(new Link(settings({ apiBaseUrl: "http://127.0.0.1:1" })), spool, log);
  courier.put({ id: "a" });
  courier.keepRest();
  assert.deepEqual(new Spool(spool.folder, 64 << 20).oldest().lines, ['{"id":"a"}']);
});

test("addresses: clear text stays on this machine, and a dead supervisor's port is not trusted", () => {
  assert.equal(allowed("https://memory.example/bio").href, "https://memory.example/bio/");
  assert.equal(allowed("http://localhost:8055").port, "8055");
  for (const bad of ["http://memory.example:8055", "http://169.254.169.254", "file:///etc", "nonsense", "https://u:p@x"]) assert.throws(() => allowed(bad));
  const home = folder();
  const config = settings({ home }, {});
  assert.equal(address(config), null, "nothing was started here");
  mkdirSync(join(home, "run"));
  writeFileSync(join(home, "run", "up.json"), JSON.stringify({ pid: process.pid, port: 4321 }));
  assert.equal(address(config).href, "http://127.0.0.1:4321/");
  writeFileSync(join(home, "run", "up.json"), JSON.stringify({ pid: 2 ** 22 + 1, port: 4321 }));
  assert.equal(address(config), null, "anybody may listen there by now");
});

test("the tools say plainly that the memory is away, and speak as the agent", async () => {
  const away = host(plugin, { home: folder(), apiBaseUrl: "http://127.0.0.1:1" });
  const answer = await away.tools(CTX)[0].execute("1", { query: "x" });
  assert.match(answer.content[0].text, /does not answer .* Go on without it/);
  const api = await service(() => ({ body: { id: "m-1", merged: false } }));
  const kept = host(plugin, { home: folder(), apiBaseUrl: api.url });
  const said = await kept.tools(CTX)[1].execute("1", { content: "the key is sk-abcdefghijklmnopqrstuvwxyz" });
  assert.equal(said.content[0].text, "kept: m-1");
  assert.deepEqual([api.asked[0].body.speaker, /sk-abc/.test(api.asked[0].body.content)], ["agent", false]);
  await api.close();
});

test("no handler failed on the way", () => {
  assert.deepEqual(log.lines.filter((line) => / at /.test(line) && /Error/.test(line)), []);
});
