// Ids, cleaning and cutting, as the Python client does them. Pure functions.

import { createHash } from "node:crypto";

export const CUT_BYTES = 32 * 1024; // of a content, in UTF-8: head, tail and the lines around errors of any tool's output
export const FIRST_CUT_BYTES = 64 * 1024; // before redaction, whose time grows with the text
const ID_MAX_CHARS = 128;
const MAX_DEPTH = 32;
const MAX_NODES = 10_000;
const MAX_KEY_CHARS = 256;

/** `text` without controls, escape sequences, bidi marks and lone surrogates; rewritten lines keep their last frame. */
export function cleanText(text) {
  if (/^[\x20-\x7e\t\n]*$/.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/(?:\x1b\[|\x9b)(?:2K|1?G)/g, "\r")
    .replace(/\x1b\][^\x07\x1b\n]*(?:\x07|\x1b\\)?|\x1b[PX^_][^\x1b\n]*(?:\x1b\\)?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g, "")
    .replace(/\r+\n|[\x0b\x0c\x85]/g, "\n")
    .replace(/[^\n]*\r[^\n]*/g, (line) => line.split("\r").findLast((frame) => frame.trim()) ?? "")
    .replace(/[^\n\x08]\x08/g, "")
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu, "");
}

/** `value` as plain JSON of bounded depth and size, every string and key cleaned and passed through `each`. */
export function mapJson(value, each, depth = MAX_DEPTH, left = { nodes: MAX_NODES }) {
  if (typeof value === "string") return each(cleanText(value));
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object") return value === undefined ? null : each(cleanText(String(value)));
  if (depth <= 0) return `[cut: nested deeper than ${MAX_DEPTH} levels]`;
  if (--left.nodes <= 0) return `[cut: more than ${MAX_NODES} values]`;
  if (Array.isArray(value)) {
    const items = [];
    for (const item of value) {
      if (left.nodes <= 0) break;
      items.push(mapJson(item, each, depth - 1, left));
    }
    return items;
  }
  const out = {};
  for (const [key, item] of Object.entries(value)) {
    if (left.nodes <= 0) break;
    left.nodes--;
    out[each(cleanText(key)).slice(0, MAX_KEY_CHARS)] = mapJson(item, each, depth - 1, left);
  }
  return out;
}

/** The id of an act its host has named. Readable where every part is a plain name and it fits, else a SHA-256. */
export function deriveId(...parts) {
  const texts = parts.map((part) => cleanText(String(part)));
  const readable = texts.join(":");
  if (readable.length <= ID_MAX_CHARS && texts.every((text) => /^[A-Za-z0-9_.-]+$/.test(text))) return readable;
  const digest = createHash("sha256");
  for (const text of texts) {
    const data = Buffer.from(text);
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(data.length));
    digest.update(length).update(data); // length-prefixed: ("ab", "c") is not ("a", "bc")
  }
  return `h-${digest.digest("hex").slice(0, 48)}`;
}

const ERROR = /error|fail|exception|traceback|fatal|panic|denied|refused|not found|undefined|killed|critical|错误|失败|异常|lỗi|thất bại/i;
const AROUND = 2; // lines kept on each side of an error line: the statement before, the cause after
const LONG_LINE = 600; // characters of a line that is kept for its error; longer ones are dumps

/** `text` within `limit` bytes of UTF-8: head, tail and the lines around errors, a mark where something went. */
export function cut(text, limit = CUT_BYTES) {
  if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return text;
  const side = Math.floor((limit - 256) * 0.35);
  const head = bytesFrom(text, side, false);
  const tail = bytesFrom(text.slice(head.length), side, true);
  const middle = text.slice(head.length, text.length - tail.length);
  let budget = limit - Buffer.byteLength(head) - Buffer.byteLength(tail) - 256;
  const kept = [];
  const lines = middle.split("\n");
  let until = -1;
  for (let i = 0; i < lines.length && budget > LONG_LINE; i++) {
    if (i <= until || !ERROR.test(lines[i])) continue;
    const from = Math.max(until + 1, i - AROUND);
    until = Math.min(lines.length - 1, i + AROUND);
    const part = lines.slice(from, until + 1).map((line) => line.slice(0, LONG_LINE)).join("\n");
    const size = Buffer.byteLength(part) + 64;
    if (size > budget) break;
    budget -= size;
    kept.push(part);
  }
  const mark = (count) => `[… ${count} bytes cut …]`;
  const gone = Buffer.byteLength(middle) - kept.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
  return [head, ...kept.flatMap((part) => ["[…]", part]), mark(Math.max(0, gone)), tail].join("\n");
}

function bytesFrom(text, size, atEnd) {
  const data = Buffer.from(atEnd ? text.slice(-size) : text.slice(0, size));
  const piece = atEnd ? data.subarray(Math.max(0, data.length - size)) : data.subarray(0, size);
  const whole = piece.toString("utf8");
  return atEnd ? whole.replace(/^\ufffd+/, "") : whole.replace(/\ufffd+$/, "");
}
