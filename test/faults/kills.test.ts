import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { call, newEmail, redeem, refresh, signUp, type Tokens } from "../support/person.ts";
import { kill, killAll, startProcess } from "../support/process.ts";
import { reportExperiment } from "./experiment.ts";

const rounds = 20;

// A process that a failed test left behind would keep the run from ending.
afterEach(killAll);

it("E1: what was acknowledged survives kill -9, and what was revoked stays revoked", async () => {
  const data = mkdtempSync(join(tmpdir(), "authsvc-kill-"));
  const acknowledged = new Map<string, { tokens: Tokens; state: "live" | "ended" | "unknown" }>();
  const lost: string[] = [];
  let checks = 0;

  // The last start only looks.
  for (let round = 0; round <= rounds; round += 1) {
    const { service, app, process } = await startProcess(data);
    for (const [email, { tokens, state }] of acknowledged) {
      if (state === "unknown") continue;
      const answer = await refresh(service, app, tokens.refreshToken);
      checks += 1;
      if (answer.status !== (state === "live" ? 200 : 401)) lost.push(`${email} is ${state}, and got ${answer.status}`);
      if (answer.status === 200) acknowledged.set(email, { tokens: { ...tokens, ...answer.body }, state });
    }
    if (round === rounds) break;
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
    // At any moment, but not before something was acknowledged: a busy machine is slow at first.
    const enough = acknowledged.size + 12;
    await vi.waitUntil(() => acknowledged.size >= enough, { timeout: 60_000, interval: 20 });
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
    const dying = kill(process);
    stop.abort();
    await Promise.all([dying, ...work.map(async (worker) => await worker.catch(() => {}))]);
  }

  const states = [...acknowledged.values()].map(({ state }) => state);
  expect(states.filter((state) => state === "live").length).toBeGreaterThan(5);
  expect(states.filter((state) => state === "ended").length).toBeGreaterThan(2);
  reportExperiment("kill -9 under load", { rounds, checks, lost });
});
