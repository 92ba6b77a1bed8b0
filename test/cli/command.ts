import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { barestEnvironment, executable, program } from "../support/program.ts";

export type Finished = { code: number | null; signal: string | null; stdout: string; stderr: string };

/** `built`: the one file also in a run on the sources, as it starts in a sixth of the time. */
type Surroundings = { cwd: string; env?: Record<string, string>; built?: boolean };

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A new empty folder, removed when the tests of the file are over. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "authsvc-cli-"));
  folders.push(folder);
  return folder;
}

/**
 * Starts the real executable with nothing of this process's environment but what starting needs.
 */
export function start(args: string[], { cwd, env, built }: Surroundings): ChildProcessWithoutNullStreams {
  if (built) return spawn(executable, args, { cwd, env: { PATH: "", HOME: "", ...env } });
  const [file, ...before] = program;
  return spawn(file, [...before, ...args], { cwd, env: { ...barestEnvironment(cwd), ...env } });
}

/** Everything that a process says until it ends. */
export async function finish(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  const { promise, resolve, reject } = Promise.withResolvers<Finished>();
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  // A command that ends without reading what it is sent closes the pipe; that is its right.
  child.stdin.on("error", () => {});
  child.on("error", reject);
  child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  return await promise;
}

/** Runs one command line to its end; `input` is all of its standard input. */
export async function authsvc(
  args: string[],
  { input = "", ...surroundings }: Surroundings & { input?: string | Buffer },
): Promise<Finished> {
  const child = start(args, surroundings);
  const finished = finish(child);
  child.stdin.end(input);
  return await finished;
}

/**
 * Resolves with all of standard output so far as soon as it matches. Rejects with what was said
 * when the process ends before.
 */
export async function outputOf(child: ChildProcessWithoutNullStreams, pattern: RegExp): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let said = "";
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => (complaints += chunk.toString()));
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
    if (pattern.test(said)) resolve(said);
  });
  child.on("close", (code) => reject(new Error(`ended with ${code} before saying ${pattern}: ${said}${complaints}`)));
  return await promise;
}
