// A bounded queue on disk for what could not be delivered: a folder of segments, one JSON object a line, owner-only.
//
// Each process appends to a segment of its own. Others take a segment only when its process is gone; should two take the
// same one, its observations arrive twice, which their ids make harmless. A line is with the operating system when
// `append` returns: it survives the death of the process.

import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, unlinkSync } from "node:fs";
import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";

const SEGMENT_BYTES = 1024 * 1024; // a segment is closed at this size; also what one drop at the bound loses
const FOREIGN_MS = 10 * 60_000; // a segment of another machine or container is taken when untouched for so long

export class Spool {
  /** maxBytes: the oldest segments go beyond it; `dropped` counts the observations lost so. */
  constructor(folder, maxBytes) {
    this.folder = folder;
    this.maxBytes = Math.max(maxBytes, 2 * SEGMENT_BYTES);
    this.machine = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
    this.dropped = 0;
    this.own = "";
    this.ownBytes = 0;
  }

  /** Adds lines. Throws when the disk refuses. */
  append(lines) {
    const data = lines.map((line) => `${line}\n`).join("");
    if (!this.own || this.ownBytes + data.length > SEGMENT_BYTES || !existsSync(this.own)) this.#open();
    appendFileSync(this.own, data, { mode: 0o600 });
    this.ownBytes += Buffer.byteLength(data);
    this.#bound();
  }

  /** Ends the own segment; what comes next goes into a new one. */
  close() {
    this.own = "";
  }

  /** The oldest segment that may be taken, as {path, lines}, or null. Its unfinished last line is left out. */
  oldest() {
    for (const path of this.segments()) {
      if (path === this.own) this.close();
      else if (!this.#free(path)) continue;
      let text;
      try {
        text = readFileSync(path, "utf8");
      } catch {
        continue;
      }
      const lines = text.split("\n").slice(0, -1).filter(isObject);
      if (lines.length) return { path, lines };
      this.remove(path);
    }
    return null;
  }

  remove(path) {
    try {
      unlinkSync(path);
    } catch {
      // Somebody else delivered it.
    }
  }

  /** Paths of all segments, oldest first: their names start with the time of their creation. */
  segments() {
    try {
      return readdirSync(this.folder).filter((name) => name.endsWith(".jsonl")).sort().map((name) => join(this.folder, name));
    } catch {
      return [];
    }
  }

  sizeBytes() {
    return this.segments().reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
  }

  #open() {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    chmodSync(this.folder, 0o700);
    const name = `${String(Date.now()).padStart(15, "0")}-${this.machine}-${process.pid}-${randomBytes(3).toString("hex")}.jsonl`;
    this.own = join(this.folder, name);
    this.ownBytes = 0;
  }

  // Whether the process that wrote a segment is this one or gone.
  #free(path) {
    const [, machine, pid] = path.slice(this.folder.length + 1).split("-");
    if (machine !== this.machine) return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > FOREIGN_MS;
    if (Number(pid) === process.pid) return true;
    try {
      process.kill(Number(pid), 0);
      return false;
    } catch (error) {
      return error.code === "ESRCH";
    }
  }

  #bound() {
    let total = this.sizeBytes();
    for (const path of this.segments()) {
      if (total <= this.maxBytes) return;
      if (path === this.own || !this.#free(path)) continue;
      try {
        const data = readFileSync(path, "utf8");
        this.remove(path);
        total -= Buffer.byteLength(data);
        this.dropped += data.split("\n").length - 1;
      } catch {
        // Gone meanwhile.
      }
    }
  }
}

function isObject(line) {
  try {
    const value = JSON.parse(line);
    return value !== null && typeof value === "object" && !Array.isArray(value);
  } catch {
    return false;
  }
}
