import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answer, authsvc } from "../cli/in-process.ts";
import { call, validate } from "../support/person.ts";
import { startProcess } from "../support/process.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { testMasterKey, type TestService } from "../support/service.ts";
import { setReadOnly } from "../support/unwritable.ts";
import { createAcknowledged, eventually } from "./acknowledged.ts";
import { reportExperiment } from "./experiment.ts";

const rounds = 5;

const readiness = async (node: TestService) => await call(node, "GET", "/readyz", {});

it("PostgreSQL turns read-only under load: tokens are validated on two nodes, backups are made, nothing acknowledged is lost", async () => {
  const url = await createTestDatabase();
  const env = { AUTHSVC_DATABASE__URL: url, AUTHSVC_MASTER_KEY: testMasterKey };
  const data = mkdtempSync(join(tmpdir(), "authsvc-read-only-"));
  // A database that turns read-only cuts its connections here.
  const model = createAcknowledged(true);
  const { service, app } = await startProcess(data, env);
  const second = await startProcess(data, { ...env, AUTHSVC_BASE_URL: service.url });
  const lost: string[] = [];
  let checks = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      const stop = new AbortController();
      const load = Array.from({ length: 4 }, () => model.work(service, app, stop.signal));
      const [before, failed] = [model.successes(), model.failures()];
      await eventually(() => model.successes() >= before + 10);
      await setReadOnly(url, true);
      await eventually(() => model.failures() >= failed + 20);
      stop.abort();
      await Promise.all(load);

      for (const node of [service, second.service]) {
        // A node that writes nothing looks once a second.
        await eventually(async () => (await readiness(node)).body["status"] === "degraded");
        const degraded = { status: "degraded", reason: "the database is read-only" };
        expect(await readiness(node)).toMatchObject({ status: 503, body: degraded });
        for (const token of model.liveTokens().slice(-10)) {
          const { status } = await validate(node, app, token);
          checks += 1;
          if (status !== 200) lost.push(`validate answered ${status} in round ${round}`);
        }
      }
      const place = { cwd: data, env };
      const made = await authsvc(["db", "backup", `${round}.backup`, "--quiet"], place);
      expect(made).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/^authsvc: warning: this backup is not in the audit log/u),
      });
      expect(await answer(["db", "check"], place)).toEqual({ ok: true, problems: [] });
      await answer(["db", "status"], place);
      checks += 3;

      await setReadOnly(url, false);
      for (const node of [service, second.service])
        await eventually(async () => (await readiness(node)).status === 200);
      const seen = await model.check(second.service, app);
      checks += seen.checks;
      lost.push(...seen.lost);
    }
  } finally {
    await setReadOnly(url, false);
  }
  reportExperiment("read-only PostgreSQL, two nodes", { rounds, checks, lost });
});
