// Secrets out of text and JSON before anything is written to disk or sent. The service redacts again at its door, with
// more forms; this is the part that must not leave the process. Every pattern is linear in the text.

import { mapJson } from "./text.js";

// Credentials known by the shape their vendors publish.
const VENDORS = [
  ["private_key", /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]{0,8000}?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g],
  ["aws_access_key", /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7][A-Z0-9]{15}\b/g],
  ["github_token", /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{30,})/g],
  ["gitlab_token", /\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct|rtr|wt)-[A-Za-z0-9_.-]{16,}/g],
  ["slack_token", /\b(?:xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{20,})/g],
  ["slack_webhook", /https:\/\/hooks\.slack\.com\/[\w/]{20,}/g],
  ["api_key", /\bsk-[A-Za-z0-9][A-Za-z0-9_-]{18,}/g],
  ["stripe_key", /\b(?:[sr]k_(?:live|test|prod)_[A-Za-z0-9_]{10,}|whsec_[A-Za-z0-9+/=]{20,})/g],
  ["google_key", /\b(?:AIza[\w-]{30,}|ya29\.[\w.-]{20,}|GOCSPX-[\w-]{20,})/g],
  ["package_registry_token", /\b(?:npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|rubygems_[0-9a-f]{40,}|dckr_[po]at_[\w-]{20,})/g],
  ["cloud_token", /\b(?:do[opr]_v1_[0-9a-f]{40,}|HRKU-[\w-]{30,}|dapi[0-9a-f]{32}|hv[sbr]\.[\w-]{20,}|pul-[0-9a-f]{40}|tskey-[\w-]{16,}|LTAI[A-Za-z0-9]{12,26}\b|AKID[A-Za-z0-9]{28,})/g],
  ["workspace_token", /\b(?:secret_[A-Za-z0-9]{40,}|ntn_[A-Za-z0-9]{30,}|lin_(?:api|oauth)_[A-Za-z0-9]{30,}|ATATT3[\w=-]{40,}|figd_[\w-]{30,}|SG\.[\w-]{16,}\.[\w-]{16,}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32,})/g],
  ["ai_key", /\b(?:hf_[A-Za-z0-9]{24,}|gsk_[A-Za-z0-9]{24,}|xai-[\w-]{24,}|pplx-[A-Za-z0-9]{24,}|r8_[A-Za-z0-9]{24,}|nvapi-[\w-]{30,}|tvly-[\w-]{20,}|lsv2_[a-z]{2}_\w{30,})/g],
  ["bot_token", /\b(?:bot)?\d{8,10}:AA[\w-]{32,}/g],
  ["discord_token", /\b[MNO][A-Za-z0-9_-]{22,28}\.[\w-]{6}\.[\w-]{27,}/g],
  ["bio_agent_key", /\bbio_[A-Za-z0-9_-]{40,}/g],
  ["age_key", /\bAGE-SECRET-KEY-1[A-Z0-9]{40,}/g],
  ["jwt", /\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{8,})?/g],
];

// Names that say that what follows is a secret. A name may stand inside a longer one (DB_PASSWORD, x-api-key).
const NAME =
  "pass(?:word|wd|phrase|code)?|pwd|secret(?:[_-]?(?:access[_-]?)?key)?|api[_-]?key|apikey|access[_-]?key|private[_-]?key|" +
  "auth[_-]?key|signing[_-]?key|encryption[_-]?key|master[_-]?key|account[_-]?key|token|credentials?|authorization|cookie|" +
  "session[_-]?id|client[_-]?secret|webhook[_-]?url|mnemonic|otp|pin";
const QUOTES = `\\\\?["'\`]`;
const ASSIGNED = new RegExp(
  `(?<![A-Za-z])(?<name>[A-Za-z0-9_.-]{0,48}?(?:${NAME})[A-Za-z0-9_-]{0,24})(?<gap>(?:${QUOTES})?\\s{0,8}(?::=|=>|==?|:)\\s{0,8})` +
    `(?:(?<quote>${QUOTES})(?<quoted>(?:(?!\\k<quote>)[^\\n]){1,4096}?)\\k<quote>|(?<bare>[^\\s"'\`,;)}\\]&<>|]{1,1024}))`,
  "gi",
);
const FLAG = /(?<head>(?:^|\s)--?(?:password|passwd|pass|pw|token|secret|api-key|apikey|access-token|auth-token|client-secret)(?:\s+|=))(?<value>"[^"\n]{1,1024}"|'[^'\n]{1,1024}'|[^\s"'-][^\s]{0,1023})/gi;
const GLUED = /(?<head>\b(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|mongo|mongosh|sshpass|7z|clickhouse-client)\b[^\n|;&]{0,400}?\s-p)(?<value>[^\s'"-][^\s]{2,200})/g;
const BASIC = /(?<head>(?:^|\s)(?:-u|--user)[\s=]{1,4}["']?[^\s:"']{1,128}:)(?<value>[^\s"']{1,512})/g;
const URL_PASSWORD = /(?<head>\b[a-z][a-z0-9+.-]{1,24}:\/\/[^\s/:@"'<>]{0,256}:)(?<value>[^\s/@"'<>]{1,512})(?=@)/gi;
const SCHEME = /(?<head>\b(?:bearer|basic|token|bot|apikey|digest)[ \t]{1,4})(?<value>[A-Za-z0-9+/_.=~-]{12,4096})/gi;
const SAID = /(?<head>(?:password|passphrase|mật khẩu|mã pin|contraseña|密码|口令|密钥|令牌)(?:\s{0,4}(?:is|are|was|là|es|是|为|：|:)\s{0,4}))(?<value>["'「“]?[^\s"'」”，。,;]{3,256})/gi;

const COUNTED = /^(?:max|min|n|num|count|total|prompt|completion|input|output|cached?|reasoning)[_-]|tokens?[_-]?(?:count|limit|budget|used|type|s)|tokens$|passed|passing|passive|passage|passport|passenger|bypass|compass|pinned|pinning|opinion|spinn|shipping|typing|mapping|ping$|ping[^a-z]|tokeni[sz]|_id$|_ids$|_name$|_path$|_file$|_url$/i;
const PLACEHOLDER = /^(?:\$|%[A-Z_]+%|\{\{?|<|\[|\*{3,}|x{3,}$|\.{3}|…|null$|none$|nil$|true$|false$|undefined$|required$|optional$|string$|str$|int$|example|changeme$|your[_-]|my[_-]|redacted|os\.|process\.|env\.|getenv|self\.|this\.|config\.|settings\.|args\.|params\.|req\.|request\.)/i;

/** Whether a value under a secret's name looks like one. */
function isSecret(value, quoted) {
  const text = value.replace(/^[\\"'`]+|[\\"'`]+$/g, "");
  if (text.length < 4 || PLACEHOLDER.test(text) || text.startsWith("[redacted:")) return false;
  if (/^[\d.,:/-]{1,12}$/.test(text) && text.length < 6) return false;
  if (quoted) return !/\s.*\s.*\s/.test(text); // a sentence in quotes is a message
  return /\d/.test(text) || /[^\w.()-]/.test(text) || text.length >= 12;
}

/** `text` without its secrets: each becomes `[redacted:kind]`. Redacting twice changes nothing. */
export function redact(text) {
  if (text.length < 8) return text;
  let out = text;
  for (const [kind, form] of VENDORS) out = out.replace(form, `[redacted:${kind}]`);
  out = replaced(out, URL_PASSWORD, "url_password", () => true);
  out = replaced(out, SCHEME, "authorization", (value) => /\d/.test(value) || value.length >= 24);
  out = replaced(out, FLAG, "password", (value) => isSecret(value, /^["']/.test(value)) || value.length >= 6);
  out = replaced(out, GLUED, "password", () => true);
  out = replaced(out, BASIC, "password", () => true);
  out = replaced(out, SAID, "password", (value) => /\d|[^\p{L}\p{N}]/u.test(value));
  return out.replace(ASSIGNED, (...found) => {
    const { name, gap, quote, quoted, bare } = found.at(-1);
    const value = quoted ?? bare;
    const phrase = quoted !== undefined && /phrase|mnemonic/i.test(name);
    if (COUNTED.test(name) || !(phrase || isSecret(value, quoted !== undefined))) return found[0];
    const mark = "[redacted:secret]";
    return quote === undefined ? `${name}${gap}${mark}` : `${name}${gap}${quote}${mark}${quote}`;
  });
}

function replaced(text, form, kind, judge) {
  return text.replace(form, (...found) => {
    const { head, value } = found.at(-1);
    return PLACEHOLDER.test(value.replace(/^["']/, "")) || !judge(value) ? found[0] : `${head}[redacted:${kind}]`;
  });
}

/** `value` as plain JSON without secrets; under a secret's name a string goes as a whole. */
export function redactJson(value) {
  return named(mapJson(value, redact), "");
}

function named(value, name) {
  if (typeof value === "string") {
    return new RegExp(NAME, "i").test(name) && !COUNTED.test(name) && isSecret(value, true) ? "[redacted:secret]" : value;
  }
  if (Array.isArray(value)) return value.map((item) => named(item, name));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, named(item, key)]));
}
