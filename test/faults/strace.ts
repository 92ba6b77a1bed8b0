import { spawnSync } from "node:child_process";

/**
 * Why strace cannot be used here; undefined if it can. A container may have it and not let it
 * trace.
 */
export function whyNoStrace(): string | undefined {
  const tried = spawnSync("strace", ["-f", "-e", "inject=fdatasync:error=EIO", "-o", "/dev/null", "true"]);
  if (tried.error) return "strace is not installed";
  return tried.status === 0 ? undefined : "this process may not trace another";
}
