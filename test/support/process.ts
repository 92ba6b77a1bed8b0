import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { TestApp, TestService } from "./service.ts";

const executable = join(import.meta.dirname, "../../bin/authsvc.ts");

/** Those that `kill` has not ended yet. */
const running = new Set<ChildProcess>();

/** The real process in development mode, to be killed the hard way. Of the service, only the address is known. */
export async function startProcess(
  data: string,
  more: Record<string, string> = {},
): Promise<{ service: TestService; app: TestApp; process: ChildProcess }> {
  const environment = {
    AUTHSVC_PASSWORDS__MEMORY_KIB: "8",
    AUTHSVC_PASSWORDS__ITERATIONS: "1",
    AUTHSVC_PASSWORDS__ATTEMPTS_PER_MINUTE: "100000",
    AUTHSVC_RATE_LIMITS__AUTHENTICATION: "1000000",
    ...more,
  };
  const process = spawn(
    globalThis.process.execPath,
    [executable, "serve", "--dev", "--port", "0", "--data", data, "--json"],
    { cwd: data, env: environment, stdio: ["ignore", "pipe", "inherit"] },
  );
  running.add(process);
  let output = "";
  for await (const chunk of process.stdout) {
    output += String(chunk);
    if (output.includes("}")) break;
  }
  const { url, appId, apiKey, demoUrl } = JSON.parse(output) as Record<string, string>;
  const app: TestApp = {
    id: appId ?? "",
    apiKey: apiKey ?? "",
    redirectUri: `${demoUrl}/callback`,
    headers: { authorization: `Bearer ${apiKey}`, "x-service-app-id": appId ?? "" },
  };
  return { service: { url } as TestService, app, process };
}

/** Ends a process with no chance to say goodbye. */
export async function kill(process: ChildProcess): Promise<void> {
  running.delete(process);
  if (process.exitCode !== null || process.signalCode !== null) return;
  const ended = new Promise((resolve) => process.once("exit", resolve));
  process.kill("SIGKILL");
  await ended;
}

export async function killAll(): Promise<void> {
  await Promise.all([...running].map(kill));
}
