import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { call, initiate, newEmail, redeem, refresh, signUp, validate, type Tokens } from "../support/person.ts";
import type { TestApp, TestService } from "../support/service.ts";

const executable = join(import.meta.dirname, "../../bin/authsvc.ts");

/** The real process in development mode, to be killed the hard way. */
async function startProcess(data: string): Promise<{ service: TestService; app: TestApp; process: ChildProcess }> {
  const environment = {
    AUTHSVC_PASSWORDS__MEMORY_KIB: "8",
    AUTHSVC_PASSWORDS__ITERATIONS: "1",
    AUTHSVC_PASSWORDS__ATTEMPTS_PER_MINUTE: "100000",
    AUTHSVC_RATE_LIMITS__AUTHENTICATION: "1000000",
  };
  const process = spawn(
    globalThis.process.execPath,
    [executable, "serve", "--dev", "--port", "0", "--data", data, "--json"],
    {
      cwd: data,
      env: environment,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
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

async function kill(process: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => process.once("exit", resolve));
  process.kill("SIGKILL");
  await ended;
}

it("E1: what was acknowledged survives kill -9, and what was revoked stays revoked", async () => {
  const data = mkdtempSync(join(tmpdir(), "authsvc-kill-"));
  const acknowledged = new Map<string, { tokens: Tokens; state: "live" | "ended" | "unknown" }>();

  for (let round = 0; round < 6; round += 1) {
    const { service, app, process } = await startProcess(data);
    for (const [email, { tokens, state }] of acknowledged) {
      if (state === "unknown") continue;
      const answer = await refresh(service, app, tokens.refreshToken);
      expect(answer.status, `${email} is ${state}`).toBe(state === "live" ? 200 : 401);
      if (answer.status === 200) acknowledged.set(email, { tokens: { ...tokens, ...answer.body }, state });
    }
    const stop = new AbortController();
    const work = Array.from({ length: 8 }, async () => {
      while (!stop.signal.aborted) {
        const email = newEmail();
        const tokens = await redeem(service, app, await signUp(service, app, { email }));
        acknowledged.set(email, { tokens, state: "live" });
        // While its answer is under way, a call has neither happened nor not happened.
        acknowledged.set(email, { tokens, state: "unknown" });
        const next = await refresh(service, app, tokens.refreshToken);
        acknowledged.set(email, { tokens: { ...tokens, ...next.body }, state: "live" });
        if (acknowledged.size % 3 !== 0) continue;
        acknowledged.set(email, { tokens, state: "unknown" });
        await call(
          service,
          "POST",
          "/auth/logout",
          { authorization: `Bearer ${tokens.accessToken}` },
          { allSessions: true },
        );
        acknowledged.set(email, { tokens: { ...tokens, ...next.body }, state: "ended" });
      }
    });
    await new Promise((resolve) => setTimeout(resolve, 150 + Math.random() * 400));
    const dying = kill(process);
    stop.abort();
    await Promise.all([dying, ...work.map(async (worker) => await worker.catch(() => {}))]);
  }

  const states = [...acknowledged.values()].map(({ state }) => state);
  expect(states.filter((state) => state === "live").length).toBeGreaterThan(5);
  expect(states.filter((state) => state === "ended").length).toBeGreaterThan(2);
}, 60_000);

it("F9: a refresh whose answer was lost with the process can be tried again", async () => {
  const data = mkdtempSync(join(tmpdir(), "authsvc-kill-"));
  const first = await startProcess(data);
  const tokens = await redeem(first.service, first.app, await signUp(first.service, first.app));
  const answered = await refresh(first.service, first.app, tokens.refreshToken);
  await kill(first.process);
  const second = await startProcess(data);
  const again = await refresh(second.service, second.app, tokens.refreshToken);
  expect(again.status).toBe(200);
  expect(again.body["refreshToken"]).toBe(answered.body["refreshToken"]);
  // The issuer holds the port, and this process has another one.
  expect((await validate(second.service, second.app, String(again.body["accessToken"]))).status).toBe(200);
  expect((await initiate(second.service, second.app)).sessionId).toMatch(/^sis_/u);
  await kill(second.process);
}, 30_000);
