import { describe, expect, it, vi } from "vitest";
import { call, newEmail, redeem, refresh, signUp, type Tokens } from "../support/person.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { dialectsOfFaults, startProcess, stop } from "../support/process.ts";
import { testMasterKey, type TestApp, type TestService } from "../support/service.ts";
import { randomMoments, reportExperiment } from "./experiment.ts";
import { emptyFolder } from "../cli/command.ts";

const rounds = 5;
const moment = randomMoments();
const workers = 8;

type Known = { refreshToken: string; state: "live" | "ended" };

/** What the sign-ins, refreshes and logouts of a worker came to, until nobody listens any more. */
async function work(service: TestService, app: TestApp, known: Map<string, Known>): Promise<string | undefined> {
  let email = "";
  try {
    for (;;) {
      email = newEmail();
      const tokens = await redeem(service, app, await signUp(service, app, { email }));
      known.set(email, { refreshToken: tokens.refreshToken, state: "live" });
      const { body } = (await refresh(service, app, tokens.refreshToken)) as unknown as { body: Tokens };
      known.set(email, { refreshToken: body.refreshToken, state: "live" });
      if (known.size % 3 !== 0) continue;
      await call(service, "POST", "/auth/logout", { authorization: `Bearer ${body.accessToken}` }, {});
      known.set(email, { refreshToken: body.refreshToken, state: "ended" });
    }
  } catch (error) {
    const { code = String(error) } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    // Whoever is refused a connection knows that nothing happened.
    if (code === "ECONNREFUSED") return undefined;
    // A slow client finds its idle connection closed, and does not know
    // (test/cli/graceful-stop.long.test.ts has quick ones).
    known.delete(email);
    return ["ECONNRESET", "UND_ERR_SOCKET", "EPIPE"].includes(code) ? undefined : `a call ended with ${code}`;
  }
}

describe.each(dialectsOfFaults)("SIGTERM under load (%s)", (dialect) => {
  it("E14: ends with 0 within 10 s, and what was acknowledged is there after the next start", async () => {
    const data = emptyFolder();
    const database: Record<string, string> =
      dialect === "sqlite"
        ? {}
        : { AUTHSVC_DATABASE__URL: await createTestDatabase(), AUTHSVC_MASTER_KEY: testMasterKey };
    const known = new Map<string, Known>();
    const lost: string[] = [];
    let checks = 0;

    // The last start only looks.
    for (let round = 0; round <= rounds; round += 1) {
      const { service, app, process } = await startProcess(data, database);
      for (const [email, { refreshToken, state }] of known) {
        const answer = await refresh(service, app, refreshToken);
        checks += 1;
        if (answer.status !== (state === "live" ? 200 : 401))
          lost.push(`${email} is ${state}, and got ${answer.status}`);
        if (answer.status === 200) known.set(email, { refreshToken: String(answer.body["refreshToken"]), state });
      }
      const working = round === rounds ? [] : Array.from({ length: workers }, () => work(service, app, known));
      // At any moment, but not before something was acknowledged, in the first round a logout: a
      // busy machine is slow at first.
      const enough = known.size + working.length / 2;
      const hasEnded = (): boolean => round > 0 || [...known.values()].some(({ state }) => state === "ended");
      await vi.waitUntil(() => known.size >= enough && hasEnded(), { timeout: 120_000, interval: 20 });
      await new Promise((resolve) => setTimeout(resolve, moment(400)));
      const before = performance.now();
      const code = await stop(process);
      expect([code, performance.now() - before]).toEqual([0, expect.toSatisfy((took: number) => took < 10_000)]);
      for (const failure of await Promise.all(working)) if (failure !== undefined) lost.push(failure);
      checks += working.length;
    }

    const states = [...known.values()].map(({ state }) => state);
    expect(states).toContain("ended");
    reportExperiment(`SIGTERM under load, ${dialect}`, { rounds, checks, lost });
  });
});
