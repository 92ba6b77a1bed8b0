import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Program } from "./program.ts";

const runs = 11;

/** The median time of a command in several runs, as from a terminal. */
export function commandMilliseconds(
  { command, before }: Program,
  words: string[],
  environment: Record<string, string>,
): number {
  const timer = join(import.meta.dirname, "command-timer.ts");
  const line = [timer, String(runs), command, ...before, ...words];
  return Number(execFileSync(process.execPath, line, { env: environment, encoding: "utf8" }));
}
