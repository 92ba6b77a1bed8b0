import { describe, expect, test } from "vitest";
import type { createAuthsvc } from "../../packages/sdk/src/index.ts";
import * as members from "../../src/organizations/members.ts";
import * as organizations from "../../src/organizations/service.ts";
import { useService } from "../support/one-service.ts";
import { call, signedUp } from "../support/person.ts";
import { packagesOf } from "../support/released.ts";
import { updateApp } from "../support/service.ts";
import { usePython } from "./python.ts";
import { verifiers } from "./verifiers.ts";

const current = useService();
const by = { actor: { kind: "cli", name: "test" } } as const;
const invalid = { code: "INVALID_TOKEN" };
const released = packagesOf("1.0.0");
const { createAuthsvc: create } = (await import(released.sdk)) as { createAuthsvc: typeof createAuthsvc };
const { listeningClient } = verifiers(current, create);

/** What a client of 1.0 says of a token, for each line. */
const program = `
import json, sys, time
time.time = lambda: given["now"]
import authsvc
clients = {}
for line in sys.stdin:
    given = json.loads(line)
    app = given["client"][1]
    clients[app] = clients.get(app) or authsvc.Authsvc(*given["client"])
    try:
        answer = clients[app].verify(given["token"])["user"]["id"]
    except authsvc.AuthsvcError as error:
        answer = error.code
    print(json.dumps(answer), flush=True)
`;
const python = usePython(program, released.python);

/** Somebody in two organizations of an application, with a token for each. */
async function inTwo() {
  const app = await current().createApp();
  const made = await listeningClient(app, { feed: "on-demand" });
  await updateApp(current(), app, { settings: { organizations: "on" } });
  const { user, refreshToken } = await signedUp(current(), app);
  const userId = String(user["id"]);
  const { ctx } = current().server.app;
  const [acme, best] = [
    await organizations.create(ctx, app, { name: "Acme", owner: userId }, by),
    await organizations.create(ctx, app, { name: "Best", owner: userId }, by),
  ];
  const rowOf = async ({ id }: { id: string }) => await organizations.named(ctx.storage.reader, app.id, id);
  const tokenFor = async (token: string, organization: string) => {
    const { body } = await call(current(), "POST", "/auth/refresh", app.headers, { refreshToken: token, organization });
    return body as { accessToken: string; refreshToken: string };
  };
  const inAcme = await tokenFor(refreshToken, acme.id);
  const inBest = await tokenFor(inAcme.refreshToken, best.id);
  return {
    ...made,
    app,
    userId,
    inAcme: inAcme.accessToken,
    inBest: inBest.accessToken,
    best: best.id,
    refreshToken: inBest.refreshToken,
    async remove(id = acme.id): Promise<void> {
      await members.remove(ctx, await rowOf({ id }), userId, by);
      current().clock.advance(6000);
    },
    async disable(): Promise<void> {
      await organizations.update(ctx, await rowOf(acme), { disabled: true }, by);
      current().clock.advance(6000);
    },
  };
}

describe("the packages of 1.0 with the feed of now", () => {
  test("ask nothing without organizations, and end what a logout ended", async () => {
    const app = await current().createApp();
    const { client, asked } = await listeningClient(app, { feed: "on-demand" });
    const { accessToken } = await signedUp(current(), app);
    await client.verify(accessToken);
    expect(asked()).toBe(0);
    await call(current(), "POST", "/auth/logout", { authorization: `Bearer ${accessToken}` });
    current().clock.advance(6000);
    await expect(client.verify(accessToken)).rejects.toMatchObject(invalid);
    expect(asked()).toBe(0);
  });

  test("Q8: refuse the token of somebody who was removed, and no token of another person", async () => {
    const { client, asked, app, inAcme, remove } = await inTwo();
    const other = await signedUp(current(), app);
    for (const token of [inAcme, other.accessToken]) await client.verify(token);
    expect(asked()).toBe(0);
    await remove();
    await client.verify(other.accessToken);
    expect(asked()).toBe(0);
    await expect(client.verify(inAcme)).rejects.toMatchObject(invalid);
    await expect(client.validate(inAcme)).rejects.toMatchObject(invalid);
  });

  test("are told nothing of a whole organization, and do not begin to ask for each token", async () => {
    const { client, asked, inAcme, inBest, disable } = await inTwo();
    await disable();
    for (let time = 0; time < 3; time += 1) for (const token of [inAcme, inBest]) await client.verify(token);
    expect(asked()).toBe(0);
    await expect(client.validate(inAcme)).rejects.toMatchObject(invalid);
  });

  test("Q17: renew tokens of the same organization, and of no other after a removal", async () => {
    const { client, best, refreshToken, remove } = await inTwo();
    const renewed = await client.refresh(refreshToken);
    expect(renewed.organization).toMatchObject({ id: best });
    await remove(best);
    await expect(client.refresh(renewed.refreshToken)).rejects.toMatchObject(invalid);
  });

  test("Q8: in Python, too", async () => {
    const { app, userId, inAcme, remove, disable } = await inTwo();
    const verdict = async (token: string): Promise<string> => {
      const now = current().clock.now / 1000;
      return await python({ client: [current().url, app.id, app.apiKey], now, token });
    };
    expect(await verdict(inAcme)).toBe(userId);
    await remove();
    expect(await verdict(inAcme)).toBe("INVALID_TOKEN");
    await disable();
    expect(await verdict((await signedUp(current(), app)).accessToken)).toMatch(/^usr_/u);
  });
});
