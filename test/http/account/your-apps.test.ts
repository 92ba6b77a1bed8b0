import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { examine } from "../../../src/upkeep/doctor/service.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import * as groups from "../../../src/users/groups/service.ts";
import { openAccount, press } from "../../support/account.ts";
import { ownerOf, signedInAt } from "../../support/address-change.ts";
import { exchange, newExchange } from "../../support/exchange.ts";
import { ask, cookieAt, createProxy, forProxies, personAt } from "../../support/forward-auth.ts";
import { operator } from "../../support/groups.ts";
import { authorize, createTestClient } from "../../support/openid.ts";
import { codeFor, newParty, post, basic, tokensFor } from "../../support/openid-tokens.ts";
import { redeem, signIn } from "../../support/person.ts";
import { parseJwt } from "../../../src/tokens/jwt.ts";
import { describeOnSqlite, updateApp, withApp, type TestApp, type TestService } from "../../support/service.ts";
import { authsvc } from "../../cli/in-process.ts";
import { placeOf } from "../../cli/service-place.ts";

async function appsOn(service: TestService, app: TestApp, visitor: Parameters<typeof openAccount>[2]) {
  const { text } = await openAccount(service, app, visitor);
  const [, section = ""] = text.split('<h2 id="apps">');
  return [...(section.split("</section>")[0] ?? "").matchAll(/<a href="([^"]*)"[^>]*><bdi>([^<]*)/gu)].map(
    ([, href, name]) => [name, href],
  );
}

const mailbox = { ...forProxies, dev: true } as const;

describeOnSqlite("your apps", mailbox, (service) => {
  it("are those with a start address that the person may use, the last used first", async () => {
    const { app } = await withApp(service);
    const { ctx } = service.server.app;
    await groups.create(ctx, app.id, "staff", operator);
    const { id, visitor } = await ownerOf(service, app);
    expect(await appsOn(service, app, visitor)).toEqual([]);
    const wiki = await createTestClient(service, app, { name: "Wiki", launchUrl: "https://wiki.example/start" });
    const board = await createTestClient(service, app, { name: "Board", launchUrl: "http://board.example/" });
    await createTestClient(service, app, { name: "Hidden" });
    await createTestClient(service, app, { name: "Staff", launchUrl: "https://s.example/", allowedGroups: ["staff"] });
    const shown = [
      ["Board", "http://board.example/"],
      ["Wiki", "https://wiki.example/start"],
    ];
    expect(await appsOn(service, app, visitor)).toEqual(shown);
    await authorize(service, wiki, { email: (await ownerOf(service, app)).email });
    await groups.add(ctx, app.id, "staff", [id], operator);
    expect(await appsOn(service, app, visitor)).toEqual([
      ...shown.slice(0, 1),
      ["Staff", "https://s.example/"],
      ...shown.slice(1),
    ]);
    // Of a row that went bad, and of a disabled client, only that one is hidden.
    const { tables } = ctx.storage.reader;
    await ctx.storage.write(async (tx) => {
      await tx.db
        .update(tables.clients)
        .set({ launchUrl: "javascript:alert(1)" })
        .where(eq(tables.clients.id, board.id));
    });
    expect((await appsOn(service, app, visitor)).map(([name]) => name)).toEqual(["Staff", "Wiki"]);
    await clients.update(ctx, wiki.id, { enabled: false }, operator);
    expect((await appsOn(service, app, visitor)).map(([name]) => name)).toEqual(["Staff"]);
  });

  it("are in the order of their last use, also of a host, and after its login ended", async () => {
    const { app } = await withApp(service);
    const { ctx } = service.server.app;
    const everyone = { access: "everyone" } as const;
    const [first, second] = [await createProxy(service, app, everyone), await createProxy(service, app, everyone)];
    for (const [name, { client }] of [["First", first] as const, ["Second", second] as const])
      await clients.update(ctx, client.id, { name, launchUrl: `https://${name}.example/` }, operator);
    const names = async (visitor: Parameters<typeof openAccount>[2]) =>
      (await appsOn(service, app, visitor)).map(([name]) => name);
    const { visitor, email } = await ownerOf(service, app);
    const cookieOf = async (of: typeof first) => {
      const { accessToken } = await redeem(service, app, await signIn(service, app, { email }));
      return await cookieAt(service, of, String(parseJwt(accessToken)?.claims["sid"]));
    };
    const cookie = await cookieOf(first);
    service.clock.advance(3_600_000);
    await cookieOf(second);
    expect(await names(visitor)).toEqual(["Second", "First"]);
    service.clock.advance(3_600_000);
    expect((await ask(service, "proxy", first.host, { cookie })).status).toBe(200);
    await expect.poll(async () => await names(visitor)).toEqual(["First", "Second"]);
    await press(app, visitor, await openAccount(service, app, visitor), "/logins/end-all");
    expect((await ask(service, "proxy", first.host, { cookie })).status).toBe(401);
    expect(await names(await signedInAt(service, app, email))).toEqual(["First", "Second"]);
  });

  it("have a start address of http or https, without user information", async () => {
    const { app } = await withApp(service);
    for (const launchUrl of [
      "javascript:alert(1)",
      "https://a:b@c.example/",
      "ftp://c.example/",
      "/start",
      "com.acme.app:/x",
    ])
      await expect(createTestClient(service, app, { launchUrl })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });
});

describeOnSqlite("clients that let nobody in by default", mailbox, (service) => {
  it("admit nobody without allowed groups: at a sign-in, a code, a refresh; the application itself does", async () => {
    const { app } = await withApp(service);
    const { ctx } = service.server.app;
    const party = await newParty(service, {}, app);
    const tokens = await tokensFor(service, party, { scope: "openid offline_access" });
    const form = await codeFor(service, party);
    await updateApp(service, app, { settings: { clientsDefaultAccess: "groups" } });
    const redeemed = await post(service, "/oauth2/token", form, basic(party));
    expect(redeemed.status).toBe(400);
    const refreshed = { grant_type: "refresh_token", refresh_token: tokens.refresh_token };
    expect((await post(service, "/oauth2/token", refreshed, basic(party))).status).toBe(400);
    await expect(codeFor(service, party)).rejects.toThrow("access_denied");
    const { visitor, id } = await ownerOf(service, app);
    expect((await openAccount(service, app, visitor)).status).toBe(200);
    await groups.create(ctx, app.id, "staff", operator);
    await clients.update(ctx, party.client.id, { allowedGroups: ["staff"] }, operator);
    await expect(codeFor(service, party)).rejects.toThrow("access_denied");
    const known = await ctx.storage.reader.db.select().from(ctx.storage.reader.tables.users);
    const person = known.find(({ email }) => email === party.email);
    await groups.add(ctx, app.id, "staff", [person?.id ?? id], operator);
    expect(await codeFor(service, party)).toHaveProperty("code");
  });

  it("does not concern a machine, which acts for people and can have no groups", async () => {
    const { app, agent, subject, archive } = await newExchange(service);
    await updateApp(service, app, { settings: { clientsDefaultAccess: "groups" } });
    expect((await exchange(service, agent, { subject_token: subject, resource: archive })).status).toBe(200);
  });

  it("does not concern proxies; client create and doctor say so", async () => {
    const { app } = await withApp(service, { settings: { clientsDefaultAccess: "groups" } });
    const proxied = await createProxy(service, app);
    const { cookie } = await personAt(service, app, proxied);
    expect((await ask(service, "proxy", proxied.host, { cookie })).status).toBe(200);
    const place = placeOf(service);
    const create = [
      "client",
      "create",
      "--app",
      app.id,
      "--name",
      "Graphs",
      "--id",
      "graphs",
      "--redirect-uri",
      "https://graphs.example/cb",
    ];
    expect((await authsvc(create, place)).stderr).toContain("Nobody may use it yet");
    const text = JSON.stringify(await examine(service.server.app.ctx, { isQuick: true }));
    expect(text).toContain("Nobody may use graphs: it has no allowed groups.");
    expect(text).toContain(`${proxied.client.id} admits everyone, and sign-up is open.`);
    expect(text).not.toContain(`Everybody of ${app.id}`);
    await updateApp(service, app, { settings: { signUp: "closed" } });
    const closed = JSON.stringify(await examine(service.server.app.ctx, { isQuick: true }));
    expect(closed).toContain(`Everybody of ${app.id} may use ${proxied.client.id}.`);
  });
});
