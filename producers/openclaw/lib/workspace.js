// Which workspace a folder belongs to: the name of its repository, shared by subfolders and linked worktrees.

import { readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";

const MAX_LEVELS = 64; // folders looked at on the way up; deeper trees are no repositories anybody works in
const KNOWN_MAX = 1000; // folders whose name is kept; the way up is not gone for every call

const known = new Map();

/** The name of the repository's top-level folder; outside a repository the folder's own; "default" for "/" and "". */
export function workspaceOf(folder) {
  if (!folder) return "default";
  let name = known.get(folder);
  if (name === undefined) {
    name = found(real(resolve(folder)));
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
  const path = real(resolve(top, target.slice("gitdir:".length).trim()));
  if (basename(dirname(path)) !== "worktrees") return top; // a submodule is a repository of its own
  const common = dirname(dirname(path));
  if (basename(common).startsWith(".")) return dirname(common); // `.git`, or the hidden bare repository that its worktrees stand around
  return common.endsWith(".git") ? common.slice(0, -".git".length) : common; // a bare repository
}

// Symbolic links are followed: a shell says the path it was told, and a program asks for the real one.
function real(path) {
  try {
    return realpathSync(path);
  } catch {
    return path.includes(sep) && dirname(path) !== path ? join(real(dirname(path)), basename(path)) : path; // not there (any more)
  }
}
