import { expect, it } from "vitest";
import { call, newEmail, redeem, signUp } from "../support/person.ts";
import { startProcess } from "../support/process.ts";
import { startReceiver } from "../support/receiver.ts";
import { webhookSecret as secret } from "../support/webhooks.ts";
import { deliverAll, killAtWork } from "./acknowledged.ts";
import { reportExperiment } from "./experiment.ts";
import { emptyFolder } from "../cli/command.ts";

const rounds = 10;

it("E4: every event of an acknowledged sign-in arrives, under one id, whenever the process was killed", async () => {
  const data = emptyFolder();
  const receiver = await startReceiver();
  let calls = 0;
  receiver.always((answer) => void answer.writeHead((calls += 1) % 3 === 0 ? 500 : 204).end());
  const acknowledged = new Set<string>();

  for (let round = 0; round < rounds; round += 1) {
    const { service, app, process } = await startProcess(data, { AUTHSVC_WEBHOOKS__ALLOW_PRIVATE_NETWORKS: "true" });
    if (round === 0) {
      const endpoint = { url: receiver.url, events: ["user.login", "user.created"], secret };
      expect((await call(service, "POST", "/webhooks/endpoints", app.headers, endpoint)).status).toBe(201);
    }
    const atLeast = acknowledged.size + 5;
    const step = async () => {
      const { user } = await redeem(service, app, await signUp(service, app, { email: newEmail() }));
      acknowledged.add(String(user["id"]));
    };
    await killAtWork(process, step, () => acknowledged.size >= atLeast);
  }

  // Later, when leases of the dead have run out and what failed is due again.
  receiver.always(204);
  await deliverAll(data);
  await receiver.stop();

  const lost: string[] = [];
  for (const kind of ["user.created", "user.login"]) {
    const told = receiver.of(kind);
    const byUser = Map.groupBy(told, ({ body }) => String(body.data["userId"]));
    for (const userId of acknowledged) {
      const ofUser = byUser.get(userId) ?? [];
      const ids = new Set(ofUser.map(({ id }) => id)).size;
      if (ids !== 1) lost.push(`${kind} of ${userId} came under ${ids} ids`);
    }
  }
  reportExperiment("kill -9 while webhooks are being sent", { rounds, checks: 2 * acknowledged.size, lost });
});
