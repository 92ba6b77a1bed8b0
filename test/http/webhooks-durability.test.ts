import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { minute } from "../../src/lib/clock.ts";
import { startServer } from "../../src/server.ts";
import { call, newEmail, redeem, signUp } from "../support/person.ts";
import { startReceiver, until } from "../support/receiver.ts";
import { testConfig, type TestApp, type TestService } from "../support/service.ts";
import { localWebhooks, webhookSecret as secret } from "../support/webhooks.ts";

const executable = join(import.meta.dirname, "../../bin/authsvc.ts");

async function startProcess(data: string): Promise<{ service: TestService; app: TestApp; process: ChildProcess }> {
  const env = {
    AUTHSVC_PASSWORDS__MEMORY_KIB: "8",
    AUTHSVC_PASSWORDS__ITERATIONS: "1",
    AUTHSVC_PASSWORDS__ATTEMPTS_PER_MINUTE: "100000",
    AUTHSVC_RATE_LIMITS__AUTHENTICATION: "1000000",
  };
  const args = [executable, "serve", "--dev", "--port", "0", "--data", data, "--json"];
  const process = spawn(globalThis.process.execPath, args, { cwd: data, env, stdio: ["ignore", "pipe", "ignore"] });
  let output = "";
  for await (const chunk of process.stdout) {
    output += String(chunk);
    if (output.includes("}")) break;
  }
  const { url, appId = "", apiKey = "", demoUrl } = JSON.parse(output) as Record<string, string>;
  const headers = { authorization: `Bearer ${apiKey}`, "x-service-app-id": appId };
  return {
    service: { url } as TestService,
    app: { id: appId, apiKey, redirectUri: `${demoUrl}/callback`, headers },
    process,
  };
}

it("E4: every event of an acknowledged sign-in arrives, under one id, whenever the process was killed", async () => {
  const data = mkdtempSync(join(tmpdir(), "authsvc-kill-"));
  const receiver = await startReceiver();
  let calls = 0;
  receiver.always((answer) => void answer.writeHead((calls += 1) % 3 === 0 ? 500 : 204).end());
  const acknowledged = new Set<string>();

  for (let round = 0; round < 4; round += 1) {
    const { service, app, process } = await startProcess(data);
    if (round === 0) {
      const endpoint = { url: receiver.url, events: ["user.login", "user.created"], secret };
      expect((await call(service, "POST", "/webhooks/endpoints", app.headers, endpoint)).status).toBe(201);
    }
    const atLeast = acknowledged.size + 5;
    const stop = new AbortController();
    const work = Array.from({ length: 4 }, async () => {
      while (!stop.signal.aborted) {
        const { user } = await redeem(service, app, await signUp(service, app, { email: newEmail() }));
        acknowledged.add(String(user["id"]));
      }
    });
    await until(() => acknowledged.size >= atLeast);
    const ended = new Promise((resolve) => process.once("exit", resolve));
    process.kill("SIGKILL");
    stop.abort();
    await Promise.all([ended, ...work.map(async (worker) => await worker.catch(() => {}))]);
  }

  // A minute later, when leases of the dead have run out and what failed is due again.
  receiver.always(204);
  const database = { url: undefined, poolSize: 1 };
  const server = await startServer(
    { ...testConfig, ...localWebhooks, dataDir: data, database },
    { clock: () => Date.now() + 10 * minute },
  );
  const { db, tables } = server.app.storage.reader;
  await until(async () =>
    (await db.select().from(tables.webhookDeliveries)).every((row) => row.status === "delivered"),
  );
  await server.close();
  await receiver.stop();

  for (const kind of ["user.created", "user.login"]) {
    const told = receiver.of(kind);
    const ids = Map.groupBy(told, ({ body }) => String(body.data["userId"]));
    for (const userId of acknowledged) {
      const ofUser = ids.get(userId) ?? [];
      expect(ofUser.length, `${kind} of ${userId}`).toBeGreaterThan(0);
      expect(new Set(ofUser.map(({ id }) => id)).size, `ids of ${kind} of ${userId}`).toBe(1);
    }
  }
}, 60_000);
