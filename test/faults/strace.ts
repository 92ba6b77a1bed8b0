import { spawnSync } from "node:child_process";
import { noProgram } from "../support/left-out.ts";

/**
 * Why strace cannot be used here; undefined if it can. A container may have it and not let it
 * trace.
 */
export function whyNoStrace(): string | undefined {
  const missing = noProgram("strace");
  if (missing !== undefined) return missing;
  const tried = spawnSync("strace", ["-f", "-e", "inject=fdatasync:error=EIO", "-o", "/dev/null", "true"]);
  return tried.status === 0 ? undefined : "this process may not trace another";
}
