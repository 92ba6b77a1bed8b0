import { expect, it } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import type { ClientChange } from "../../../src/applications/clients/settings.ts";
import type { Client } from "../../../src/applications/clients/client.ts";
import { openAccount } from "../../support/account.ts";
import { claimsOf } from "../../support/feed.ts";
import { authorizeUrl } from "../../support/openid.ts";
import { basic, newParty, post, refreshWith, tokensFor, type Party } from "../../support/openid-tokens.ts";
import { invalidToken } from "../../support/outcomes.ts";
import { isLive, newEmail, refresh, signedUp, signIn, Visitor, type Tokens } from "../../support/person.ts";
import { describeEachDatabase, describeSqliteFirst, updateApp, type TestService } from "../../support/service.ts";

const minute = 60_000;
const hour = 60 * minute;
const actor = { kind: "cli", name: "test" } as const;

async function updateClient({ server }: TestService, { id }: Pick<Client, "id">, change: ClientChange) {
  await clients.update(server.app.ctx, id, change, { actor });
}

const active = async (service: TestService, party: Party, token: string) =>
  (await post(service, "/oauth2/introspect", { token }, basic(party))).body["active"];

describeEachDatabase("the lives of a login", (service) => {
  it("F7: ends without a refresh for the idle time, and every refresh counts", async () => {
    const app = await service.createApp();
    await updateApp(service, app, { settings: { sessionIdleSeconds: 3600 } });
    let { refreshToken } = await signedUp(service, app);
    for (let turn = 0; turn < 3; turn += 1) {
      service.clock.advance(hour - 1);
      const answer = await refresh(service, app, refreshToken);
      expect(answer.status).toBe(200);
      ({ refreshToken } = answer.body as Tokens);
    }
    service.clock.advance(hour);
    expect(await refresh(service, app, refreshToken)).toMatchObject(invalidToken);
  });

  it("F7: ends the absolute time after the proof, in use or not, for everything that asks", async () => {
    const app = await service.createApp();
    await updateApp(service, app, { settings: { sessionAbsoluteSeconds: 3600 } });
    let tokens: Tokens = await signedUp(service, app);
    for (let turn = 0; turn < 5; turn += 1) {
      service.clock.advance(11 * minute);
      tokens = (await refresh(service, app, tokens.refreshToken)).body as Tokens;
    }
    // Five minutes are left: no token outlives its login.
    expect(tokens.expiresIn).toBe(300);
    expect(claimsOf(tokens.accessToken)).toMatchObject({ exp: claimsOf(tokens.accessToken).iat + 300 });
    service.clock.advance(5 * minute - 1000);
    expect(await isLive(service, app, tokens)).toBe(true);
    service.clock.advance(1000);
    expect(await isLive(service, app, tokens)).toBe(false);
    expect(await refresh(service, app, tokens.refreshToken)).toMatchObject(invalidToken);
  });

  it("F7: are the shorter ones of the application and of the client", async () => {
    const party = await newParty(service, { refreshTokens: "always" });
    const { app, client } = party;
    await updateApp(service, app, { settings: { sessionIdleSeconds: 7200, sessionAbsoluteSeconds: 4 * 3600 } });
    await updateClient(service, client, { loginIdleSeconds: 3600, loginAbsoluteSeconds: 86_400 });
    const [mine, theirs] = [await tokensFor(service, party), await signedUp(service, app)];
    service.clock.advance(hour);
    expect((await refreshWith(service, party, mine.refresh_token)).body).toMatchObject({ error: "invalid_grant" });
    expect(await active(service, party, mine.refresh_token)).toBe(false);
    let { refreshToken } = (await refresh(service, app, theirs.refreshToken)).body as Tokens;
    service.clock.advance(2 * hour - minute);
    ({ refreshToken } = (await refresh(service, app, refreshToken)).body as Tokens);
    service.clock.advance(hour + minute);
    expect(await refresh(service, app, refreshToken)).toMatchObject(invalidToken);
  });

  it("F7: hold for logins that began before they were set, and no longer once they are removed", async () => {
    const app = await service.createApp();
    const [early, kept] = [await signedUp(service, app), await signedUp(service, app)];
    service.clock.advance(2 * hour);
    await updateApp(service, app, { settings: { sessionAbsoluteSeconds: 3600 } });
    expect(await refresh(service, app, early.refreshToken)).toMatchObject(invalidToken);
    await updateApp(service, app, { settings: { sessionAbsoluteSeconds: 30 * 86_400, sessionIdleSeconds: 3 * 3600 } });
    const once = (await refresh(service, app, kept.refreshToken)).body as Tokens;
    await updateApp(service, app, { settings: { sessionIdleSeconds: 14 * 86_400 } });
    const twice = (await refresh(service, app, once.refreshToken)).body as Tokens;
    // The refused refresh ended nothing: the operator may have made a mistake.
    expect((await refresh(service, app, early.refreshToken)).status).toBe(200);
    service.clock.advance(13 * 24 * hour);
    expect((await refresh(service, app, twice.refreshToken)).status).toBe(200);
  });

  it("F7: may be longer than the built-in ones", async () => {
    const app = await service.createApp();
    await updateApp(service, app, {
      settings: { sessionIdleSeconds: 60 * 86_400, sessionAbsoluteSeconds: 90 * 86_400 },
    });
    const { refreshToken } = await signedUp(service, app);
    service.clock.advance(59 * 24 * hour);
    const { body } = await refresh(service, app, refreshToken);
    service.clock.advance(31 * 24 * hour);
    expect(await refresh(service, app, String(body["refreshToken"]))).toMatchObject(invalidToken);
  });

  it("F2: a client has its own grace", async () => {
    const party = await newParty(service, { refreshTokens: "always" });
    await updateClient(service, party.client, { refreshGraceSeconds: 120 });
    const { refresh_token: first } = await tokensFor(service, party);
    const { body } = await refreshWith(service, party, first);
    service.clock.advance(119 * 1000);
    expect((await refreshWith(service, party, first)).body["refresh_token"]).toBe(body["refresh_token"]);
    service.clock.advance(1000);
    expect((await refreshWith(service, party, first)).status).toBe(400);
    expect(await active(service, party, String(body["refresh_token"]))).toBe(false);
  });
});

describeSqliteFirst("the lives of a browser session", (service) => {
  it("S12: ends the absolute time after the proof", async () => {
    const party = await newParty(service);
    await updateApp(service, party.app, { settings: { sessionAbsoluteSeconds: 3600 } });
    const visitor = new Visitor();
    await tokensFor(service, party, {}, visitor);
    service.clock.advance(hour - 3 * minute);
    const silent = async () => (await visitor.get(authorizeUrl(service, party.client, { prompt: "none" }))).location;
    expect((await silent()).searchParams.has("code")).toBe(true);
    expect((await openAccount(service, party.app, visitor)).status).toBe(200);
    service.clock.advance(3 * minute);
    expect((await silent()).searchParams.get("error")).toBe("login_required");
    expect((await openAccount(service, party.app, visitor)).text).not.toContain(party.email);
  });

  it("S12: lasts as long as it is visited within the idle time", async () => {
    const app = await service.createApp();
    const email = newEmail();
    await signedUp(service, app, email);
    await updateApp(service, app, { settings: { sessionIdleSeconds: 3600 } });
    const visitor = new Visitor();
    await signIn(service, app, { email }, {}, visitor);
    const isOpen = async () => (await openAccount(service, app, visitor)).text.includes(email);
    for (let turn = 0; turn < 3; turn += 1) {
      service.clock.advance(50 * minute);
      expect(await isOpen()).toBe(true);
    }
    service.clock.advance(hour);
    expect(await isOpen()).toBe(false);
  });

  it("S12: is at most 12 hours, whatever the application sets, and follows a setting that became shorter", async () => {
    const app = await service.createApp();
    const email = newEmail();
    await signedUp(service, app, email);
    await updateApp(service, app, { settings: { sessionIdleSeconds: 86_400, sessionAbsoluteSeconds: 90 * 86_400 } });
    const [lasting, shortened] = [new Visitor(), new Visitor()];
    await signIn(service, app, { email }, {}, lasting);
    await signIn(service, app, { email }, {}, shortened);
    const isOpen = async (visitor: Visitor) => (await openAccount(service, app, visitor)).text.includes(email);
    service.clock.advance(12 * hour - 1);
    expect(await isOpen(lasting)).toBe(true);
    await updateApp(service, app, { settings: { sessionAbsoluteSeconds: 3600 } });
    expect(await isOpen(shortened)).toBe(false);
    await updateApp(service, app, { settings: { sessionAbsoluteSeconds: 90 * 86_400 } });
    service.clock.advance(1);
    expect(await isOpen(lasting)).toBe(false);
  });
});

describeSqliteFirst("lives that are not set", (service) => {
  it("leave the end of a login and of its tokens as they were", async () => {
    const app = await service.createApp();
    const { refreshToken } = await signedUp(service, app);
    const endsIn = async () => {
      const { db, tables } = service.server.app.ctx.storage.reader;
      const [login] = await db.select().from(tables.logins);
      return [(login?.expiresAt ?? 0) - (login?.createdAt ?? 0), login?.browserDigest];
    };
    expect(await endsIn()).toEqual([30 * 24 * hour, null]);
    service.clock.advance(13 * 24 * hour);
    const { body } = await refresh(service, app, refreshToken);
    expect(await endsIn()).toEqual([30 * 24 * hour, null]);
    service.clock.advance(14 * 24 * hour - 1);
    const last = (await refresh(service, app, String(body["refreshToken"]))).body as Tokens;
    service.clock.advance(3 * 24 * hour);
    const end = (await refresh(service, app, last.refreshToken)).body as Tokens;
    expect(end.expiresIn).toBe(900);
  });
});
