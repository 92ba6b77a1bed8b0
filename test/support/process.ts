import { spawn, type ChildProcess } from "node:child_process";
import { onTestFinished } from "vitest";
import { authsvc } from "../cli/in-process.ts";
import { exitCodes } from "../../src/cli/exit-codes.ts";
import { servingProgram } from "./program.ts";
import type { Dialect, TestApp, TestService } from "./service.ts";

/** HTTP threads of each service; with several, SQLite alone. */
export const threads = Number(globalThis.process.env["AUTHSVC_TEST_THREADS"] ?? 1);
export const dialectsOfFaults: Dialect[] = threads === 1 ? ["sqlite", "postgres"] : ["sqlite"];

/** Those that `kill` has not ended yet. */
const running = new Set<ChildProcess>();

const app: TestApp = {
  id: "app_kill",
  apiKey: `key-of-the-app.${"0123456789".repeat(3)}`,
  redirectUri: "https://app.example/callback",
  headers: {},
};
app.headers = { authorization: `Bearer ${app.apiKey}`, "x-service-app-id": app.id };

/**
 * The real process, to be killed the hard way. Of the service, only the address is known. Without
 * mail, so that sign-ups wait for none. `command`: what runs it, such as `strace` and its options.
 */
export async function startProcess(
  data: string,
  more: Record<string, string> = {},
  command: readonly string[] = [],
): Promise<{ service: TestService; app: TestApp; process: ChildProcess; log(): string }> {
  const environment = {
    AUTHSVC_PASSWORDS__MEMORY_KIB: "8",
    AUTHSVC_PASSWORDS__ITERATIONS: "1",
    AUTHSVC_PASSWORDS__ATTEMPTS_PER_MINUTE: "100000",
    AUTHSVC_LOG__REQUESTS: "none",
    AUTHSVC_RATE_LIMITS__AUTHENTICATION: "1000000",
    AUTHSVC_LISTEN__THREADS: String(threads),
    ...more,
  };
  await createApp(data, environment);
  const words = [...command, ...servingProgram(environment), "serve", "--port", "0", "--data", data, "--json"];
  const process = spawn(words[0] ?? "", words.slice(1), {
    cwd: data,
    env: {
      PATH: globalThis.process.env["PATH"],
      NODE_COMPILE_CACHE: globalThis.process.env["NODE_COMPILE_CACHE"],
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(process);
  // One that a failed test left behind would keep the run from ending.
  onTestFinished(async () => await kill(process));
  let logged = "";
  process.stderr.setEncoding("utf8").on("data", (text: string) => {
    logged += text;
    globalThis.process.stderr.write(text);
  });
  let output = "";
  for await (const chunk of process.stdout) {
    output += String(chunk);
    if (output.includes("}")) break;
  }
  const { url } = JSON.parse(output) as { url: string };
  return { service: { url } as TestService, app, process, log: () => logged };
}

/** With a key that the test knows; there already after the first start. */
async function createApp(data: string, env: Record<string, string>): Promise<void> {
  const { id, apiKey, redirectUri } = app;
  const words = ["app", "create", "--id", id, "--name", "Acme", "--redirect-uri", redirectUri, "--api-key-stdin"];
  const { code, stderr } = await authsvc([...words, "--data", data], { cwd: data, env, input: apiKey });
  if (code !== 0 && code !== exitCodes.refused) throw new Error(stderr);
}

/** Ends a process with no chance to say goodbye. */
export async function kill(process: ChildProcess): Promise<void> {
  running.delete(process);
  if (process.exitCode !== null || process.signalCode !== null) return;
  const ended = new Promise((resolve) => process.once("exit", resolve));
  process.kill("SIGKILL");
  await ended;
}

/** Asks a process to end, and says with which code it did. */
export async function stop(process: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => process.once("exit", resolve));
  process.kill("SIGTERM");
  const code = await ended;
  running.delete(process);
  return code;
}

export async function killAll(): Promise<void> {
  await Promise.all([...running].map(kill));
}
