import { expect, it } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import * as resources from "../../../src/applications/resources/service.ts";
import * as personalTokens from "../../../src/credentials/personal/service.ts";
import { maxPersonalTokens } from "../../../src/credentials/personal/rules.ts";
import { openAccount, press } from "../../support/account.ts";
import { ownerOf } from "../../support/address-change.ts";
import { introspected } from "../../support/exchange.ts";
import { allSent, mailTo } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { bearer } from "../../support/methods.ts";
import { invalidToken } from "../../support/outcomes.ts";
import { call, decoded, validate } from "../../support/person.ts";
import { askForToken, newPersonalToken, tokenIn, tokensOnPage } from "../../support/personal-tokens.ts";
import { by, createResource, newMachine } from "../../support/resources.ts";
import { describeEachDatabase, describeOnSqlite, updateApp, useApp, withApp } from "../../support/service.ts";

const server = await useMailServer();
const on = { settings: { personalTokens: true } };
const day = 86_400_000;

describeEachDatabase("personal access tokens", { mail: server.mail }, (service) => {
  const app = useApp(service, on);

  it("are shown once, and mean what their owner chose", async () => {
    const owner = await ownerOf(service, app);
    const token = await newPersonalToken(service, app, owner.visitor, { "scope.email": "on" });
    expect(await tokensOnPage(service, app, owner.visitor)).toEqual(["Backup script"]);
    expect((await openAccount(service, app, owner.visitor)).text).not.toContain(token);
    const { status, body } = await validate(service, app, token);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      valid: true,
      user: { id: owner.id, email: owner.email },
      scopes: ["profile", "email"],
      acr: "urn:authsvc:acr:1",
      personalToken: { sub: owner.id, aud: app.id, jti: expect.stringMatching(/^ptk_/u), email: owner.email },
    });
    const narrow = await newPersonalToken(service, app, owner.visitor);
    expect((await validate(service, app, narrow)).body["user"]).not.toHaveProperty("email");
    expect((await call(service, "GET", "/users/profile", bearer(narrow))).body).toMatchObject({ id: owner.id });
  });

  it("end by hand at once, and their holder reads since when", async () => {
    const { id, visitor } = await ownerOf(service, app);
    const token = await newPersonalToken(service, app, visitor);
    const [made] = await personalTokens.list(service.server.app.ctx, id, { all: false });
    const page = await openAccount(service, app, visitor);
    const ended = await press(app, visitor, page, `/tokens/${made?.id}/end`);
    expect(ended.location.searchParams.get("notice")).toBe("token-ended");
    const since = new Date(service.clock.now).toISOString();
    const refused = await validate(service, app, token);
    expect(refused).toMatchObject(invalidToken);
    expect(JSON.stringify(refused.body)).toContain(since);
    const strange = await validate(service, app, `${token.slice(0, 4)}${token.slice(4, 47).toUpperCase()}_000000`);
    expect(JSON.stringify(strange.body)).not.toContain("ended");
    expect((await press(app, visitor, page, `/tokens/${made?.id}/end`)).status).toBe(404);
  });

  it("end by themselves at the end of the day, in the zone of their owner's browser", async () => {
    const { id, visitor } = await ownerOf(service, app);
    visitor.cookies.set("authsvc_time_zone", "America/New_York");
    const zoned = new Intl.DateTimeFormat("en-CA", { timeZone: "America/New_York", dateStyle: "short" });
    const until = zoned.format(service.clock.now + 3 * day);
    const token = await newPersonalToken(service, app, visitor, { until });
    const [made] = await personalTokens.list(service.server.app.ctx, id, { all: false });
    const ends = made?.expiresAt ?? 0;
    expect([zoned.format(ends - 1), zoned.format(ends) > until]).toEqual([until, true]);
    service.clock.advance(ends - 1 - service.clock.now);
    expect((await validate(service, app, token)).status).toBe(200);
    service.clock.advance(1);
    expect(await validate(service, app, token)).toMatchObject(invalidToken);
  });

  it("are refused without a name, a choice or a day that is allowed, and nothing is written", async () => {
    const { id, visitor } = await ownerOf(service, app);
    const late = new Date(service.clock.now + 366 * day).toISOString().slice(0, 10);
    const wrong: [values: Record<string, string>, says: string][] = [
      [{ name: " " }, "Enter a name."],
      [{ name: "x".repeat(65) }, "64 characters"],
      [{ name: "a\u0007b" }, "Enter a name."],
      [{ until: "2026-02-30" }, "Choose a day, today or later."],
      [{ until: "2020-01-01" }, "Choose a day, today or later."],
      [{ until: late }, "or an earlier day."],
      [{ "scope.groups": "on" }, "Choose at least one thing"],
      [{ "scope.openid": "on" }, "Choose at least one thing"],
      [{ "host.example.com": "on" }, "Choose at least one thing"],
    ];
    for (const [values, says] of wrong) {
      const page = await askForToken(service, app, visitor, values);
      expect([values, page.status, decoded(page.text).includes(says)]).toEqual([values, 422, true]);
    }
    const form = await openAccount(service, app, visitor, "/new-token");
    const none = await press(app, visitor, form, "/account/new-token", { name: "Nothing", until: late });
    expect(none.status).toBe(422);
    expect(await personalTokens.list(service.server.app.ctx, id, { all: true })).toEqual([]);
  });

  it("are for one resource, with the scopes that it still has", async () => {
    const { app: shop } = await withApp(service, on);
    const orders = await createResource(service, shop);
    const party = await newMachine(service, {}, shop);
    const { id, visitor } = await ownerOf(service, shop);
    const token = await newPersonalToken(service, shop, visitor, { "scope.read": "on", "scope.write": "on" }, orders);
    expect(await validate(service, shop, token)).toMatchObject(invalidToken);
    expect(await introspected(service, party, token)).toMatchObject({
      active: true,
      aud: [orders],
      sub: id,
      scope: "read write",
      client_id: shop.id,
      acr: "urn:authsvc:acr:1",
    });
    const { ctx } = service.server.app;
    await resources.update(ctx, orders, { scopes: [{ name: "write", sentence: "Change" }] }, by);
    expect(await introspected(service, party, token)).toMatchObject({ active: true, scope: "write" });
    await resources.update(ctx, orders, { scopes: [] }, by);
    expect(await introspected(service, party, token)).toEqual({ active: false });
    await resources.remove(ctx, orders, by);
    service.clock.advance(1000);
    await createResource(service, shop, { identifier: orders });
    expect(await introspected(service, party, token)).toEqual({ active: false });
    const mixed = await askForToken(service, shop, visitor, { "scope.profile": "on" }, orders);
    expect(mixed.status).toBe(422);
  });

  it("have the scopes that the application still has; none is nothing", async () => {
    const { app: shop } = await withApp(service, on);
    const { visitor } = await ownerOf(service, shop);
    const party = await newMachine(service, {}, shop);
    const token = await newPersonalToken(service, shop, visitor, { "scope.email": "on" });
    await updateApp(service, shop, { settings: { scopes: ["email"] } });
    expect((await validate(service, shop, token)).body).toMatchObject({ scopes: ["email"] });
    expect(await introspected(service, party, token)).toMatchObject({ scope: "email", email_verified: true });
    await updateApp(service, shop, { settings: { scopes: ["groups"] } });
    expect(await validate(service, shop, token)).toMatchObject(invalidToken);
    expect(await introspected(service, party, token)).toEqual({ active: false });
  });

  it("work only while the application has them on; off ends none", async () => {
    const { app: shop } = await withApp(service, on);
    const { visitor } = await ownerOf(service, shop);
    const token = await newPersonalToken(service, shop, visitor);
    await updateApp(service, shop, { settings: { personalTokens: false } });
    expect(await validate(service, shop, token)).toMatchObject(invalidToken);
    expect((await openAccount(service, shop, visitor)).text).toContain("accept these tokens right now");
    expect((await openAccount(service, shop, visitor, "/new-token")).status).toBe(303);
    await updateApp(service, shop, on);
    expect((await validate(service, shop, token)).status).toBe(200);
  });

  it("end with a lower maximum, for good", async () => {
    const { app: shop } = await withApp(service, on);
    const { visitor } = await ownerOf(service, shop);
    const soon = new Date(service.clock.now + 5 * day).toISOString().slice(0, 10);
    const short = await newPersonalToken(service, shop, visitor, { name: "Short", until: soon });
    const long = await newPersonalToken(service, shop, visitor, { name: "Long" });
    await updateApp(service, shop, { settings: { personalTokenMaxDays: 30 } });
    await updateApp(service, shop, { settings: { personalTokenMaxDays: 365 } });
    expect((await validate(service, shop, short)).status).toBe(200);
    expect(await validate(service, shop, long)).toMatchObject(invalidToken);
    expect(await tokensOnPage(service, shop, visitor)).toEqual(["Short"]);
  });

  it("are not offered where they could do nothing: the account page says why", async () => {
    const { app: shop } = await withApp(service, on);
    const { visitor } = await ownerOf(service, shop);
    expect((await openAccount(service, shop, visitor)).text).toContain("/account/new-token");
    await updateApp(service, shop, { settings: { organizations: "required" } });
    const { text } = await openAccount(service, shop, visitor);
    expect(text).not.toContain("/account/new-token");
    expect(decoded(text)).toContain("A token can't do anything here right now");
    expect((await openAccount(service, shop, visitor, "/new-token")).status).toBe(303);
  });

  it("are at most 50 for a person, also of 50 made at once", async () => {
    const { id, visitor } = await ownerOf(service, app);
    const { ctx } = service.server.app;
    const until = new Date(service.clock.now + 5 * day).toISOString().slice(0, 10);
    const wanted = { name: "n", scopes: ["profile"], resource: null, hosts: [], twoFactors: false };
    const make = async () =>
      await personalTokens.make(
        ctx,
        { userId: id, appId: app.id },
        { ...wanted, lastDay: until, timeZone: "UTC" },
        { actor: { kind: "user", name: id } },
      );
    for (let made = 0; made < 10; made += 1) await make();
    const results = await Promise.all(Array.from({ length: 50 }, make));
    const full = results.filter((result) => result && "problem" in result && result.problem === "full");
    expect([full.length, await personalTokens.list(ctx, id, { all: true })]).toEqual([
      10,
      expect.objectContaining({ length: maxPersonalTokens }),
    ]);
    expect((await askForToken(service, app, visitor)).text).toContain("You have 50 tokens.");
  });

  it("say when they were last used, to five minutes", async () => {
    const { id, visitor } = await ownerOf(service, app);
    const token = await newPersonalToken(service, app, visitor);
    const { ctx } = service.server.app;
    const lastUsed = async () => (await personalTokens.list(ctx, id, { all: false }))[0]?.lastUsedAt ?? null;
    const first = service.clock.now;
    await validate(service, app, token);
    await expect.poll(lastUsed, { timeout: 20_000 }).toBe(first);
    service.clock.advance(5 * 60_000 - 1);
    await validate(service, app, token);
    service.clock.advance(1);
    await validate(service, app, token);
    await expect.poll(lastUsed, { timeout: 20_000 }).toBe(first + 5 * 60_000);
  });

  it("are reported: a mail when made, the audit log, and a week's warning if in use", async () => {
    const owner = await ownerOf(service, app);
    const token = await newPersonalToken(service, app, owner.visitor);
    const made = await mailTo(server, owner.email, 1, /New personal access token/u);
    await newPersonalToken(service, app, owner.visitor, { name: "Unused" });
    expect(made.text).toContain("Token: Backup script");
    const last = new Date(service.clock.now + 90 * day);
    expect(made.text).toContain(
      `Last day: ${new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" }).format(last)}`,
    );
    expect(made.text).not.toContain(token);
    const { ctx } = service.server.app;
    const [entry] = await audit.list(ctx, { userId: owner.id, action: "personal-token.create", limit: 1 });
    expect(entry).toMatchObject({ actor: `user:${owner.id}`, details: { tokenId: expect.stringMatching(/^ptk_/u) } });
    service.clock.advance(82 * day);
    await validate(service, app, token);
    await expect
      .poll(
        async () => (await personalTokens.list(ctx, owner.id, { all: false })).some(({ lastUsedAt }) => lastUsedAt),
        {
          timeout: 20_000,
        },
      )
      .toBe(true);
    await service.server.app.sweep();
    await allSent(service);
    expect(server.to(owner.email).filter(({ subject }) => /ends soon/u.test(subject))).toEqual([]);
    service.clock.advance(2 * day);
    await service.server.app.sweep();
    await service.server.app.sweep();
    const warning = await mailTo(server, owner.email, 1, /ends soon/u);
    expect(warning.text).toContain("Token: Backup script");
    await allSent(service);
    expect(server.to(owner.email).filter(({ subject }) => /ends soon/u.test(subject))).toHaveLength(1);
  });

  it("can be made only by people with a verified address", async () => {
    const { visitor } = await ownerOf(service, app, false);
    expect((await openAccount(service, app, visitor)).text).toContain("verify your email address first");
    expect((await openAccount(service, app, visitor, "/new-token")).status).toBe(303);
    const post = await visitor.post(`${service.url}/account/new-token?app_id=${app.id}`, {});
    expect(post.text).not.toContain("pat_");
  });
});

describeOnSqlite("without personal access tokens", (service) => {
  it("the account page does not mention them", async () => {
    const app = await service.createApp();
    const { visitor } = await ownerOf(service, app);
    const page = await openAccount(service, app, visitor);
    expect(page.text).not.toMatch(/personal access token/iu);
    expect((await openAccount(service, app, visitor, "/new-token")).status).toBe(303);
    expect(() => tokenIn(page)).toThrow("no token");
  });
});
