import { expect, it } from "vitest";
import { startVerifier } from "../support/feed.ts";
import { bearer } from "../support/methods.ts";
import { call, isLive, newEmail, redeem, signIn, signUp } from "../support/person.ts";
import { kill, startProcess } from "../support/process.ts";
import { killAtWork } from "./acknowledged.ts";
import { reportExperiment } from "./experiment.ts";
import { emptyFolder } from "../cli/command.ts";

const rounds = 6;

it("E4: the feed tells of every acknowledged logout, whenever the process was killed", async () => {
  const data = emptyFolder();
  const lost: string[] = [];
  let checks = 0;
  let verifier: Awaited<ReturnType<typeof startVerifier>> | undefined;

  for (let round = 0; round < rounds; round += 1) {
    const { service, app, process } = await startProcess(data);
    const email = newEmail();
    await redeem(service, app, await signUp(service, app, { email }));
    verifier ??= await startVerifier(service, app);
    const acknowledged: string[] = [];
    const step = async () => {
      const { accessToken } = await redeem(service, app, await signIn(service, app, { email }));
      const { status } = await call(service, "POST", "/auth/logout", bearer(accessToken), {});
      if (status === 200) acknowledged.push(accessToken);
    };
    await killAtWork(process, step, () => acknowledged.length >= 8);

    const again = await startProcess(data);
    verifier.moveTo(again.service);
    await verifier.listen();
    for (const accessToken of acknowledged) {
      checks += 1;
      if (verifier.verdict(accessToken) !== "refused") lost.push("the feed does not tell of an acknowledged logout");
      if (await isLive(again.service, app, { accessToken })) lost.push("an acknowledged logout is undone");
    }
    await kill(again.process);
  }
  expect(checks).toBeGreaterThan(rounds * 8 - 1);
  reportExperiment("kill -9 between a logout's answer and the feed's", { rounds, checks: 2 * checks, lost });
});
