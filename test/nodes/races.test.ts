import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as resetLinks from "../../src/credentials/mailed/reset-links.ts";
import * as clients from "../../src/applications/clients/service.ts";
import { allowDevice, beginOnDevice, openDecision, poll } from "../support/devices.ts";
import { basic, codeFor, post, userInfo } from "../support/openid-tokens.ts";
import {
  call,
  goodPassword,
  newEmail,
  redeem,
  refresh,
  signedUp,
  signIn,
  signUp,
  validate,
  Visitor,
} from "../support/person.ts";
import { createTestDatabase } from "../support/postgres.ts";
import type { TestApp } from "../support/service.ts";
import { startCluster, startPatience, type Cluster, type Node } from "./cluster.ts";

describe.each([2, 4])("%i nodes on one database", (count) => {
  let cluster: Cluster;
  let app: TestApp;
  beforeAll(async () => {
    cluster = await startCluster(count, await createTestDatabase());
    app = await cluster.createApp();
  }, startPatience);
  afterAll(async () => await cluster.stop());

  /** The same call, many times at once, spread over the nodes. */
  async function everywhere<T>(times: number, send: (node: Node) => Promise<T>): Promise<T[]> {
    return await Promise.all(Array.from({ length: times }, (_, turn) => send(cluster.nodes[turn % count] as Node)));
  }

  it("redeem a code once, no matter which node is asked", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { session, code } = await signUp(cluster.service, app);
      const body = { code, sessionId: session.sessionId };
      const answers = await everywhere(20, ({ service }) => call(service, "POST", "/auth/callback", app.headers, body));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(19);
    }
  });

  it("redeem the code of an OpenID Connect client once, and its reuse ends the login everywhere", async () => {
    const party = { client: { id: app.id, redirectUris: [app.redirectUri] }, secret: app.apiKey };
    const { email } = await signedUp(cluster.service, app);
    for (let round = 0; round < 5; round += 1) {
      const form = await codeFor(cluster.service, { ...party, email });
      const answers = await everywhere(50, ({ service }) => post(service, "/oauth2/token", form, basic(party)));
      const [won, ...others] = answers.filter(({ status }) => status === 200);
      expect(others).toEqual([]);
      expect(answers.filter(({ body }) => body["error"] === "invalid_grant")).toHaveLength(49);
      for (const { service } of cluster.nodes)
        expect((await userInfo(service, String(won?.body["access_token"]))).status).toBe(401);
    }
  });

  it("rotate a refresh token to one successor, which continues", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { refreshToken } = await signedUp(cluster.service, app);
      const answers = await everywhere(20, ({ service }) => refresh(service, app, refreshToken));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      const successors = new Set(answers.map(({ body }) => body["refreshToken"]));
      expect(successors.size).toBe(1);
      expect((await refresh(cluster.service, app, String([...successors][0]))).status).toBe(200);
    }
  });

  it("take a reset link once, and every login ends", async () => {
    const { email, accessToken, user } = await signedUp(cluster.service, app);
    const operator = { kind: "cli", name: "test" } as const;
    const made = await resetLinks.linkFor(
      cluster.operator.ctx,
      String(user["id"]),
      { send: false, dryRun: false },
      operator,
    );
    // All pages are open before the first of them is sent.
    const open = await everywhere(8, async (node) => {
      const visitor = new Visitor();
      const page = await visitor.get(String(made.link).replace(cluster.balancer.url, node.url));
      return { visitor, page };
    });
    const attempts = await Promise.all(
      open.map(async ({ visitor, page }) => {
        const password = `a new long password ${Math.random()}`;
        const { action, fields } = page.form("");
        const posted = { ...fields, password };
        const done = await visitor.post(new URL(action, page.url).href, posted, { origin: cluster.balancer.url });
        return { status: done.status, password };
      }),
    );
    const taken = attempts.filter(({ status }) => status < 400);
    expect(taken).toHaveLength(1);
    const changed = { email, password: taken[0]?.password ?? "" };
    await redeem(cluster.service, app, await signIn(cluster.service, app, changed));
    expect((await validate(cluster.service, app, accessToken)).status).toBe(401);
    await expect(signIn(cluster.service, app, { email, password: goodPassword })).rejects.toThrow();
  });

  it("let a device in whose polls and whose person are at different nodes, once", async () => {
    const client = await clients.create(
      cluster.operator.ctx,
      { appId: app.id, name: "TV", kind: "device" },
      {},
      { actor: { kind: "cli", name: "test" } },
    );
    const { email } = await signedUp(cluster.service, app);
    const [device, person] = [cluster.nodes[0] as Node, cluster.nodes[1] as Node];
    const party = { client: client.client, app, email };
    const codes = await beginOnDevice(device.service, party);
    expect((await poll(device.service, party, codes)).body["error"]).toBe("authorization_pending");
    expect((await poll(person.service, party, codes)).body["error"]).toBe("slow_down");
    await allowDevice(cluster.service, party, codes);
    const answers = await everywhere(50, ({ service }) => poll(service, party, codes));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body["error"] === "invalid_grant")).toHaveLength(49);

    const more = await beginOnDevice(person.service, party);
    const visitor = new Visitor();
    const page = await openDecision(cluster.service, party, more, visitor);
    await visitor.submit(page, "/step/deny", {});
    expect((await poll(device.service, party, more)).body["error"]).toBe("access_denied");
  });

  it("see a logout of another node with the next call", async () => {
    for (let round = 0; round < 20; round += 1) {
      const { accessToken } = await signedUp(cluster.service, app, newEmail());
      const [first, second] = [cluster.nodes[round % count] as Node, cluster.nodes[(round + 1) % count] as Node];
      const bearer = { authorization: `Bearer ${accessToken}`, "x-service-app-id": app.id };
      expect((await call(second.service, "GET", "/auth/validate", bearer)).status).toBe(200);
      expect((await call(first.service, "POST", "/auth/logout", bearer, {})).status).toBe(200);
      expect((await call(second.service, "GET", "/auth/validate", bearer)).status).toBe(401);
    }
  });

  it("sign somebody in whose every step is another node's", async () => {
    const { email } = await signedUp(cluster.service, app);
    const tokens = await redeem(cluster.service, app, await signIn(cluster.service, app, { email }));
    expect((await validate(cluster.service, app, tokens.accessToken)).body["valid"]).toBe(true);
  });
});
