import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { authsvc, emptyFolder } from "../cli/command.ts";
import { refresh, signedUp } from "../support/person.ts";
import { startPostgres, type Postgres } from "../support/postgres.ts";
import { killAll, startProcess } from "../support/process.ts";
import { testMasterKey } from "../support/service.ts";
import { reportExperiment } from "./experiment.ts";
import { pgbouncer, startPgBouncer } from "./pgbouncer.ts";
import { leftOut } from "../support/left-out.ts";

const missing = pgbouncer === undefined ? "there is no pgbouncer here (Debian: apt-get install pgbouncer)" : undefined;

describe.skipIf(pgbouncer === undefined)(`PgBouncer${leftOut(missing)}`, () => {
  let postgres: Postgres;
  let pooler: Awaited<ReturnType<typeof startPgBouncer>> | undefined;

  beforeEach(async () => {
    postgres = await startPostgres();
  });
  afterEach(async () => {
    await killAll();
    await pooler?.stop();
    await postgres.stop();
  });

  async function throughPooler(mode: string): Promise<Record<string, string>> {
    pooler = await startPgBouncer(postgres.url("postgres"), mode);
    return { AUTHSVC_DATABASE__URL: pooler.url, AUTHSVC_MASTER_KEY: testMasterKey };
  }

  it("in session mode works, as it comes", async () => {
    const env = { ...(await throughPooler("session")), AUTHSVC_DATABASE__POOL_SIZE: "5" };
    const { service, app } = await startProcess(mkdtempSync(join(tmpdir(), "authsvc-pooled-")), env);
    const people = await Promise.all(Array.from({ length: 20 }, async () => await signedUp(service, app)));
    const answers = await Promise.all(people.map(async (person) => await refresh(service, app, person.refreshToken)));
    const lost = answers.flatMap(({ status }, at) => (status === 200 ? [] : [`refresh ${at} answered ${status}`]));
    reportExperiment("PgBouncer in session mode", { rounds: 1, checks: answers.length, lost });
  });

  it.each([
    ["transaction", /assigns a connection per transaction: set pool_mode = session/u],
    ["statement", /statement pooling/u],
  ])("in %s mode is refused at the start, in one sentence", async (mode, reason) => {
    const env = { ...(await throughPooler(mode)), AUTHSVC_LISTEN__PORT: "0" };
    for (let start = 0; start < 3; start += 1) {
      const failed = await authsvc(["serve"], { cwd: emptyFolder(), env });
      expect(failed.stderr).toMatch(reason);
      expect(failed.stderr).toMatch(/^authsvc: [^\n]*\n$/u);
      expect(failed).toMatchObject({ code: 1, stdout: "" });
    }
  });
});
