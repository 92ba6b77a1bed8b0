import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { flushesFor, refusesAfterLogout } from "../../../bench/facts.ts";
import { fill, liveLogins, loginId } from "../../../bench/fill.ts";
import { startLoadThread } from "../../../bench/load.ts";
import { placeOf, revive } from "../../../bench/million.ts";
import { sources } from "../../../bench/program.ts";
import { appId, bearer, validatesOf, withSubject, type Wanted } from "../../../bench/subject.ts";
import type { TestLogin } from "../../../src/upkeep/benchmark/logins.ts";
import { answer } from "../../cli/in-process.ts";
import { createTestDatabase } from "../../support/postgres.ts";
import { testMasterKey, type Dialect } from "../../support/service.ts";

const folder = mkdtempSync(join(tmpdir(), "authsvc-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the server that npm run bench measures", () => {
  it("writes with synchronous=FULL, flushes before it answers, and looks for each login in the database", async () => {
    const file = join(folder, "pragmas");
    const environment = {
      NODE_OPTIONS: `--import ${join(import.meta.dirname, "../../support/pragma-probe.ts")}`,
      PRAGMA_PROBE_FILE: file,
    };
    await withSubject({ program: sources, environment, logins: 2 }, async (subject) => {
      const [first, second] = subject.logins;
      if (!first || !second) throw new Error("nobody is signed in");
      // Throws unless the next validate after a logout is refused.
      await refusesAfterLogout(subject, first);
      using thread = startLoadThread();
      const validates = await thread.load(validatesOf(subject, [second]), { seconds: 0.2, connections: 2 });
      expect(validates).toMatchObject({ atOnce: 2, calls: expect.any(Number) });
      await expect(thread.load(validatesOf(subject, [first]), { seconds: 0.2 })).rejects.toThrow("0 did not");
      const refreshes = 5;
      // Without strace nobody sees the flushes; the pragma below is what they hang on.
      expect((await flushesFor(subject, second, refreshes)) ?? refreshes).toBeGreaterThanOrEqual(refreshes);
    });
    const connections = readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { synchronous: number; journal: string; readsOnly: number });
    // The writer and the reader; and the one that looked at the schema.
    expect(connections.map(({ readsOnly }) => readsOnly)).toEqual(expect.arrayContaining([0, 1]));
    const full = 2;
    expect(connections.filter(({ synchronous, journal }) => synchronous !== full || journal !== "wal")).toEqual([]);
  });

  it.each<Dialect>(["sqlite", "postgres"])(
    "has a large database that is sound, with logins that go on (%s)",
    async (dialect) => {
      const environment: Record<string, string> =
        dialect === "sqlite"
          ? {}
          : { AUTHSVC_DATABASE__URL: await createTestDatabase(), AUTHSVC_MASTER_KEY: testMasterKey };
      const users = 70;
      let login: TestLogin | undefined;
      const wanted: Wanted = {
        program: sources,
        environment,
        async prepare(app, config) {
          await fill(placeOf(config), { appId, users, now: app.ctx.clock() });
          const [number = 0] = liveLogins(users, 1);
          login = await revive(app, loginId(number));
        },
      };
      await withSubject(wanted, async ({ server, headers, config, environment: env }) => {
        if (!login) throw new Error("nobody is signed in");
        const validated = await fetch(`${server.url}/auth/validate`, { headers: bearer(login) });
        expect(await validated.json()).toMatchObject({ valid: true, user: { email: "person1@example.org" } });
        const refreshed = await fetch(`${server.url}/auth/refresh`, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body: JSON.stringify({ refreshToken: login.refreshToken }),
        });
        expect(refreshed.status).toBe(200);

        const application = await fetch(`${server.url}/applications/${appId}`, { headers });
        expect(await application.json()).toMatchObject({ stats: { totalUsers: users, totalLogins: 3 * users } });
        const checked = await answer(["db", "check", "--data", config.dataDir], { cwd: folder, env });
        expect(checked).toEqual({ ok: true, problems: [] });
      });
    },
  );
});
