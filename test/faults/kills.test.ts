import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { kill, startProcess, threads } from "../support/process.ts";
import { createAcknowledged, eventually } from "./acknowledged.ts";
import { randomMoments, reportExperiment } from "./experiment.ts";
import { emptyFolder } from "../cli/command.ts";

const rounds = threads === 1 ? 20 : 8;
const moment = randomMoments();

it("E1: what was acknowledged survives kill -9, and what was revoked stays revoked", async () => {
  const data = emptyFolder();
  // Nobody knows whether a call happened that was under way.
  const model = createAcknowledged(true);
  const lost: string[] = [];
  let checks = 0;

  // The last start only looks.
  for (let round = 0; round <= rounds; round += 1) {
    const { service, app, process } = await startProcess(data);
    const seen = await model.check(service, app);
    checks += seen.checks;
    lost.push(...seen.lost);
    if (round === rounds) break;
    const stop = new AbortController();
    const before = model.successes();
    const work = Array.from({ length: 8 }, () => model.work(service, app, stop.signal));
    // At any moment, but not before something was acknowledged: a busy machine is slow at first.
    await eventually(() => model.successes() >= before + 12);
    await pause(moment(400));
    const dying = kill(process);
    stop.abort();
    await Promise.all([dying, ...work]);
  }

  const live = model.liveTokens().length;
  expect(live).toBeGreaterThan(5);
  expect(model.successes() - live).toBeGreaterThan(2);
  reportExperiment("kill -9 under load", { rounds, checks, lost });
});
