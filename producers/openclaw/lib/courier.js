// Delivers observations in their order, in the background: to the service, or to the spool while it is away.

import { Away } from "./link.js";

const SEND_MS = 10_000; // of one delivery, which nobody waits for
const GATHER_MS = 25; // what happens together is sent together
const BATCH = 200; // observations of one request
const BATCH_BYTES = 512 * 1024;
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000];
const REFUSED = new Set([400, 413, 415, 422]); // the service will never take it; the others may be tried again

export class Courier {
  constructor(link, spool, log) {
    this.link = link;
    this.spool = spool;
    this.log = log;
    this.queue = []; // JSON texts, oldest first
    this.sending = []; // on their way; not delivered until answered
    this.away = 0; // failures in a row
    this.running = null;
    this.timer = null;
    this.counts = { sent: 0, spooled: 0, refused: 0, lost: 0 };
  }

  /** Takes one observation. Returns at once; while the service is away it is on disk when this returns. */
  put(observation) {
    const line = JSON.stringify(observation);
    if (this.away) this.#keep([line]);
    else this.queue.push(line);
    this.#wake(this.away ? this.#pauseMs() : GATHER_MS);
  }

  #pauseMs() {
    return RETRY_MS[Math.min(this.away, RETRY_MS.length) - 1];
  }

  /** Delivers what can be delivered now; resolves when that is done or failed. */
  flush() {
    clearTimeout(this.timer);
    this.timer = null;
    this.running ??= this.#run().then((retryMs) => {
      this.running = null;
      if (retryMs) this.#wake(retryMs);
      else if (this.queue.length) this.#wake(GATHER_MS);
    });
    return this.running;
  }

  /** What is not delivered, to the disk; synchronous, for the end of the process. */
  keepRest() {
    const rest = [...this.sending, ...this.queue];
    this.sending = [];
    this.queue = [];
    if (rest.length) this.#keep(rest);
    this.spool.close();
  }

  #wake(inMs) {
    if (this.timer || this.running) return;
    this.timer = setTimeout(() => void this.flush(), inMs);
    this.timer.unref(); // it must not keep a finished process alive; what is left then goes to the disk
  }

  // Returns after how many milliseconds to try again, 0 when all is delivered.
  async #run() {
    try {
      await this.#drain(); // first what waits on disk: a fix must not arrive before its failure
      while (this.queue.length) {
        this.sending = taken(this.queue);
        await this.#post(this.sending);
        this.sending = [];
      }
      if (this.away) this.log.info(`the memory answers again; ${this.counts.sent} observations sent so far`);
      this.away = 0;
      return 0;
    } catch (error) {
      if (!this.away) this.log.warn(`the memory is away (${error.message}); observations wait in ${this.spool.folder}`);
      this.away += 1;
      this.#keep([...this.sending, ...this.queue.splice(0)]);
      this.sending = [];
      return Math.max(this.#pauseMs(), error.retryAfterMs ?? 0);
    }
  }

  async #drain() {
    for (let segment = this.spool.oldest(); segment; segment = this.spool.oldest()) {
      const lines = segment.lines;
      while (lines.length) await this.#post(taken(lines)); // ids make a second sending of a part harmless
      this.spool.remove(segment.path);
    }
  }

  async #post(lines) {
    try {
      const { body } = await this.link.ask("POST", "/api/ingest", { body: `[${lines.join(",")}]`, timeoutMs: SEND_MS, patient: true });
      const refused = body?.refused ?? [];
      this.counts.sent += lines.length - refused.length;
      this.counts.refused += refused.length;
      if (refused.length) this.log.warn(`the memory refused ${refused.length} observations: ${String(refused[0].reason).slice(0, 200)}`);
    } catch (error) {
      if (!(error instanceof Away) || !REFUSED.has(error.status)) throw error;
      if (lines.length > 1) {
        for (const line of lines) await this.#post([line]); // one bad observation must not take the others with it
        return;
      }
      this.counts.refused += 1;
      this.log.warn(`the memory refused an observation (${error.message})`);
    }
  }

  #keep(lines) {
    if (!lines.length) return;
    const before = this.spool.dropped;
    try {
      this.spool.append(lines);
      this.counts.spooled += lines.length;
    } catch (error) {
      this.counts.lost += lines.length;
      this.log.warn(`${lines.length} observations are lost: the spool cannot be written (${error.code ?? error.message})`);
    }
    if (this.spool.dropped > before) this.log.warn(`the spool is full; its oldest ${this.spool.dropped - before} observations are lost`);
  }
}

/** Takes the next request's worth from the front of `lines`. */
function taken(lines) {
  let count = 0;
  for (let size = 0; count < Math.min(lines.length, BATCH) && (count === 0 || size + lines[count].length <= BATCH_BYTES); count++) size += lines[count].length;
  return lines.splice(0, count);
}
