import { expect, it } from "vitest";
import { openApp } from "../../src/process/app.ts";
import { findMiscounts } from "../../src/applications/counter-store.ts";
import { auditedCountsOf, countsOf, withoutUnaudited } from "../support/activity.ts";
import { bearer } from "../support/methods.ts";
import { call, newEmail, redeem, signUp } from "../support/person.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { dialectsOfFaults, startProcess } from "../support/process.ts";
import { testConfig, testMasterKey } from "../support/service.ts";
import { emptyFolder } from "../cli/command.ts";
import { killAtWork } from "./acknowledged.ts";
import { randomMoments, reportExperiment } from "./experiment.ts";

const rounds = 4;
const moment = randomMoments();

it.each(dialectsOfFaults)(
  "the counts of activity equal the audit log, whenever the process was killed (%s)",
  async (dialect) => {
    const data = emptyFolder();
    const url = dialect === "postgres" ? await createTestDatabase() : undefined;
    const masterKey = url === undefined ? undefined : testMasterKey;
    const environment: Record<string, string> =
      url === undefined ? {} : { AUTHSVC_DATABASE__URL: url, AUTHSVC_MASTER_KEY: testMasterKey };
    const lost: string[] = [];
    let checks = 0;
    let acknowledged = 0;

    for (let round = 0; round < rounds; round += 1) {
      const { service, app, process } = await startProcess(data, environment);
      const enough = acknowledged + 8 + moment(20);
      const step = async () => {
        const { accessToken } = await redeem(service, app, await signUp(service, app, { email: newEmail() }));
        acknowledged += 1;
        await call(service, "POST", "/auth/logout", bearer(accessToken), {});
      };
      await killAtWork(process, step, () => acknowledged >= enough);

      const operator = await openApp({ ...testConfig, dataDir: data, database: { url, poolSize: 2 }, masterKey }, {});
      const { reader } = operator.ctx.storage;
      const audited = await auditedCountsOf(reader, app.id);
      for (const span of ["hour", "day"] as const) {
        const counted = withoutUnaudited(await countsOf(reader, app.id, span));
        for (const key of Object.keys({ ...counted, ...audited })) {
          checks += 1;
          if (counted[key] !== audited[key]) lost.push(`${key}: ${counted[key]} counted, ${audited[key]} in the log`);
        }
      }
      for (const { name, counted, present } of await findMiscounts(reader, Date.now()))
        lost.push(`${name}: ${counted} counted, ${present} present`);
      expect(audited["sign-in password"]).toBeGreaterThanOrEqual(acknowledged);
      await operator.close();
    }
    reportExperiment(`kill -9 among sign-ins, ${dialect}: counts against the audit log`, { rounds, checks, lost });
  },
);
