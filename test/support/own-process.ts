import { spawnSync } from "node:child_process";
import { expect } from "vitest";

/**
 * Runs a module's text in a Node process of its own and returns the JSON that it prints. For what
 * belongs to a process: its threads, its open files, what a library sets up once.
 */
export function inOwnProcess(text: string, environment: Record<string, string> = {}): unknown {
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", text], {
    env: environment,
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}
