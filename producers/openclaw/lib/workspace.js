// Which workspace a folder belongs to: the name of its repository, shared by subfolders and linked worktrees.

import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join, normalize, resolve, sep } from "node:path";

const MAX_LEVELS = 64; // folders looked at on the way up; deeper trees are no repositories anybody works in
const KNOWN_MAX = 1000; // folders whose name is kept; the way up is not gone for every call

const known = new Map();

/** The name of the repository's top-level folder; outside a repository the folder's own; "default" for "/" and "". */
export function workspaceOf(folder) {
  if (!folder) return "default";
  let name = known.get(folder);
  if (name === undefined) {
    name = found(resolve(folder));
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(folder, name);
  }
  return name;
}

function found(folder) {
  let at = folder;
  for (let level = 0; level < MAX_LEVELS; level++) {
    const git = join(at, ".git");
    const kind = statSync(git, { throwIfNoEntry: false });
    if (kind) return basename(kind.isDirectory() ? at : mainRepository(git, at)) || "default";
    const parent = dirname(at);
    if (parent === at) break;
    at = parent;
  }
  return basename(folder) || "default";
}

// A linked worktree belongs to its main repository, so that what one branch taught speaks in the others.
function mainRepository(git, top) {
  let target = "";
  try {
    target = readFileSync(git, "utf8").slice(0, 4096).trim();
  } catch {
    return top;
  }
  if (!target.startsWith("gitdir:")) return top;
  const path = normalize(resolve(top, target.slice("gitdir:".length).trim()));
  const at = path.indexOf(`${sep}.git${sep}worktrees${sep}`);
  return at < 0 ? top : path.slice(0, at); // a submodule is a repository of its own
}
