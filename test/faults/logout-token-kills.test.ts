import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import { answer } from "../cli/in-process.ts";
import { bearer } from "../support/methods.ts";
import { tokensFor, type Party } from "../support/openid-tokens.ts";
import { call, newEmail, signUp } from "../support/person.ts";
import { startProcess } from "../support/process.ts";
import { startReceiver } from "../support/receiver.ts";
import { deliverAll, killAtWork } from "./acknowledged.ts";
import { reportExperiment } from "./experiment.ts";
import { emptyFolder } from "../cli/command.ts";

const rounds = 6;
const secret = `secret-of-the-client.${"0123456789".repeat(3)}`;
const redirectUri = "https://wiki.example/callback";
const env = { AUTHSVC_WEBHOOKS__ALLOW_PRIVATE_NETWORKS: "true" };

it("E4: the client gets the logout token of every acknowledged logout, whenever the process was killed", async () => {
  const data = emptyFolder();
  const receiver = await startReceiver();
  const acknowledged = new Set<string>();
  const taken: string[] = [];

  for (let round = 0; round < rounds; round += 1) {
    const { service, app, process } = await startProcess(data, env);
    if (round === 0) {
      const words = ["--app", app.id, "--id", "wiki", "--name", "Wiki", "--redirect-uri", redirectUri];
      const more = ["--backchannel-logout-uri", receiver.url, "--secret-stdin", "--data", data];
      await answer(["client", "create", ...words, ...more], { cwd: data, env, input: secret });
    }
    const email = newEmail();
    await signUp(service, app, { email });
    const party = { app, client: { id: "wiki", redirectUris: [redirectUri] }, secret, email } as Party;

    // Every second round the receiver takes nothing: each process dies with all its tokens untold.
    let calls = 0;
    receiver.always((response, { body }) => {
      if (round % 2 === 0) return;
      const takes = (calls += 1) % 3 !== 0;
      if (takes) taken.push(String(body.data["logout_token"]));
      response.writeHead(takes ? 204 : 500).end();
    });
    const atLeast = acknowledged.size + 5;
    const step = async () => {
      const { access_token: accessToken } = await tokensFor(service, party);
      const { status } = await call(service, "POST", "/auth/logout", bearer(accessToken), {});
      if (status === 200) acknowledged.add(String(decodeJwt(accessToken)["sid"]));
    };
    await killAtWork(process, step, () => acknowledged.size >= atLeast);
  }

  // Later, when leases of the dead have run out and what failed is due again.
  receiver.always((response, { body }) => {
    taken.push(String(body.data["logout_token"]));
    response.writeHead(204).end();
  });
  const stored = Map.groupBy(await deliverAll(data), ({ sessionId }) => sessionId);
  await receiver.stop();

  const claims = taken.map((token) => decodeJwt(token));
  expect(new Set(claims.map(({ jti }) => jti)).size).toBe(taken.length);
  const told = new Set(claims.map(({ sid }) => sid));
  const lost: string[] = [];
  for (const login of acknowledged) {
    if (!told.has(login)) lost.push(`the client was not told of ${login}`);
    const times = stored.get(login)?.length ?? 0;
    if (times !== 1) lost.push(`${login} is to be told ${times} times`);
  }
  reportExperiment("kill -9 while logout tokens are being sent", { rounds, checks: 2 * acknowledged.size, lost });
});
