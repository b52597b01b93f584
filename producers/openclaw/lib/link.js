// One HTTP request to the service at a time limit of its own. node:http and not fetch: a gateway may have given fetch a
// proxy, and what is said here is for the address that was configured and nobody else.

import http from "node:http";
import https from "node:https";
import { address } from "./config.js";

const AWAY_MS = 20_000; // after a timeout nothing is asked for so long: a service that hangs must not cost every call its limit
const CLOSED = new Set(["ECONNRESET", "EPIPE"]);
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** No answer that could be used. `status`: the HTTP status, 0 without one. `retryAfterMs`: what the service asked for. */
export class Away extends Error {
  constructor(reason, status = 0, retryAfterMs = 0) {
    super(reason);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

export class Link {
  constructor(config) {
    this.config = config;
    this.restUntil = { recall: 0, other: 0 }; // a recall embeds a text: that it is late says nothing of the guard
    this.agents = { "http:": new http.Agent({ keepAlive: true, maxSockets: 4 }), "https:": new https.Agent({ keepAlive: true, maxSockets: 4 }) };
  }

  /**
   * {status, body, etag}; `body` is the decoded JSON, undefined for 304. Throws Away for everything but 2xx and 304.
   * patient: for deliveries, which nobody waits for; they are tried also while questions rest.
   */
  async ask(method, path, { body, etag = "", timeoutMs, patient = false }) {
    const kind = path.startsWith("/api/recall") ? "recall" : "other";
    if (!patient && Date.now() < Math.max(this.restUntil.other, this.restUntil[kind])) throw new Away("it did not answer in time a moment ago");
    const base = this.#address();
    if (base === null) throw new Away("nothing runs");
    const data = body === undefined ? undefined : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const headers = { accept: "application/json" };
    if (etag) headers["if-none-match"] = etag;
    if (this.config.apiKey) headers.authorization = `Bearer ${this.config.apiKey}`;
    if (data) Object.assign(headers, { "content-type": "application/json", "content-length": data.length });
    const { status, answered, text } = await this.#exchange(new URL(path.slice(1), base), method, headers, data, timeoutMs, patient ? "" : kind);
    if (status !== 304 && (status < 200 || status >= 300)) {
      throw new Away(`HTTP ${status}`, status, 1000 * (Number.parseFloat(answered["retry-after"]) || 0));
    }
    try {
      return { status, body: text ? JSON.parse(text) : undefined, etag: answered.etag ?? "" };
    } catch {
      throw new Away("the answer is not JSON: is something else listening there?");
    }
  }

  #address() {
    try {
      return address(this.config);
    } catch (error) {
      throw new Away(error.message);
    }
  }

  #exchange(url, method, headers, data, timeoutMs, rests, agent = this.agents[url.protocol]) {
    return new Promise((resolve, reject) => {
      const request = (url.protocol === "https:" ? https : http).request(url, { method, headers, agent });
      const away = (error) => {
        // The service closes a connection that was idle; a request that goes out at that moment is told so. Ids and the
        // guard's one warning for a session and call make a second sending harmless.
        if (request.reusedSocket && CLOSED.has(error.code)) resolve(this.#exchange(url, method, headers, data, timeoutMs, rests, false));
        else reject(error instanceof Away ? error : new Away(String(error.code ?? error.message)));
      };
      const limit = setTimeout(() => {
        if (rests) this.restUntil[rests] = Date.now() + AWAY_MS;
        request.destroy(new Away("no answer in time"));
      }, timeoutMs);
      request.on("close", () => clearTimeout(limit));
      request.on("error", away);
      request.on("response", (response) => {
        const parts = [];
        let size = 0;
        response.on("data", (part) => {
          size += part.length;
          if (size > MAX_ANSWER_BYTES) request.destroy(new Away("the answer is too large"));
          else parts.push(part);
        });
        response.on("error", away);
        response.on("close", () => away(new Away("an answer that was cut off")));
        response.on("end", () => resolve({ status: response.statusCode, answered: response.headers, text: Buffer.concat(parts).toString("utf8") }));
      });
      request.end(data);
    });
  }

  close() {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }
}
