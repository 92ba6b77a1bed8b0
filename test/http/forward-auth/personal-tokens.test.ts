import { expect, it } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import * as groups from "../../../src/users/groups/service.ts";
import { openAccount, press } from "../../support/account.ts";
import { ownerOf } from "../../support/address-change.ts";
import { ask, createProxy, forProxies } from "../../support/forward-auth.ts";
import { operator } from "../../support/groups.ts";
import { validate } from "../../support/person.ts";
import { askForToken, givePersonalToken, newPersonalToken } from "../../support/personal-tokens.ts";
import { describeOnSqlite, updateApp, useApp } from "../../support/service.ts";

const on = { settings: { personalTokens: true } };

describeOnSqlite("a personal access token at a protected host", forProxies, (service) => {
  const app = useApp(service, on);
  const asBearer = (token: string): [string, string][] => [["Authorization", `Bearer ${token}`]];
  const asPassword = (token: string): [string, string][] => [
    ["Authorization", `Basic ${Buffer.from(`ada:${token}`).toString("base64")}`],
  ];

  it("opens the hosts that its owner named, none ticked, and no others", async () => {
    const [one, two] = [await createProxy(service, app), await createProxy(service, app)];
    const { id, visitor } = await ownerOf(service, app);
    const form = await openAccount(service, app, visitor, "/new-token");
    expect(form.text).toContain(`name="host.${one.host}"`);
    expect(form.text).not.toMatch(/name="host\.[^"]*"[^>]*checked/u);
    const token = await newPersonalToken(service, app, visitor, { [`host.${one.host}`]: "on" });
    for (const more of [asBearer(token), asPassword(token)]) {
      const opened = await ask(service, "proxy", one.host, { more });
      expect([opened.status, opened.headers["remote-user"], opened.headers["authorization"]]).toEqual([
        200,
        id,
        undefined,
      ]);
      expect((await ask(service, "proxy", two.host, { more })).status).toBe(401);
    }
    const without = await newPersonalToken(service, app, visitor);
    expect((await ask(service, "proxy", one.host, { more: asBearer(without) })).status).toBe(401);
    const only = { [`host.${one.host}`]: "on" };
    const start = await openAccount(service, app, visitor, "/new-token");
    const until = new Date(service.clock.now + 86_400_000).toISOString().slice(0, 10);
    const made = await press(app, visitor, start, "/account/new-token", { name: "Only", until, ...only });
    const [alone = ""] = /pat_\w+/u.exec(made.text) ?? [];
    expect((await ask(service, "proxy", one.host, { more: asBearer(alone) })).status).toBe(200);
    expect((await validate(service, app, alone)).status).toBe(401);
  });

  it("opens a host only while its owner may use it", async () => {
    const { ctx } = service.server.app;
    await groups.create(ctx, app.id, "staff", operator);
    const place = await createProxy(service, app, { allowedGroups: ["staff"] });
    const { id, visitor } = await ownerOf(service, app);
    const refused = await askForToken(service, app, visitor, { [`host.${place.host}`]: "on" });
    expect(refused.status).toBe(422);
    await groups.add(ctx, app.id, "staff", [id], operator);
    const token = await newPersonalToken(service, app, visitor, { [`host.${place.host}`]: "on" });
    const status = async () => (await ask(service, "nginx", place.host, { more: asBearer(token) })).status;
    const opened = await ask(service, "nginx", place.host, { more: asBearer(token) });
    expect([opened.status, opened.headers["remote-groups"]]).toEqual([200, "staff"]);
    await groups.remove(ctx, app.id, "staff", [id], operator);
    expect(await status()).not.toBe(200);
    await groups.add(ctx, app.id, "staff", [id], operator);
    expect(await status()).toBe(200);
    await updateApp(service, app, { settings: { personalTokens: false } });
    expect(await status()).toBe(401);
    await updateApp(service, app, on);
  });

  it("counts where a second factor is required if it was made with two", async () => {
    const { ctx } = service.server.app;
    const place = await createProxy(service, app, { secondFactor: "required" });
    const { id } = await ownerOf(service, app);
    const hosts = [place.host];
    const [one, two] = [
      await givePersonalToken(service, id, { hosts }),
      await givePersonalToken(service, id, { hosts, twoFactors: true }),
    ];
    expect((await ask(service, "proxy", place.host, { more: asBearer(one) })).status).toBe(401);
    expect((await ask(service, "proxy", place.host, { more: asBearer(two) })).status).toBe(200);
    await clients.update(ctx, place.client.id, { secondFactor: "off" }, operator);
    expect((await ask(service, "proxy", place.host, { more: asBearer(one) })).status).toBe(200);
  });
});
