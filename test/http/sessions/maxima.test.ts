import { expect, it } from "vitest";
import * as clients from "../../../src/applications/clients/service.ts";
import { withoutRoom } from "../../../src/sessions/login-maxima.ts";
import * as operatorTokens from "../../../src/sessions/operator-tokens.ts";
import { claimsOf, startVerifier } from "../../support/feed.ts";
import { newParty, tokensFor } from "../../support/openid-tokens.ts";
import { isLive, newEmail, redeem, refresh, signedUp, signIn, Visitor, type Tokens } from "../../support/person.ts";
import {
  describeEachDatabase,
  describeSqliteFirst,
  updateApp,
  type TestApp,
  type TestService,
} from "../../support/service.ts";

const hour = 3_600_000;

/** A login in a browser, of somebody who has an account. */
async function loginIn(service: TestService, app: TestApp, email: string, visitor = new Visitor()): Promise<Tokens> {
  service.clock.advance(1000);
  return await redeem(service, app, await signIn(service, app, { email }, {}, visitor));
}

const live = async (service: TestService, app: TestApp, all: Tokens[]): Promise<boolean[]> =>
  await Promise.all(all.map((tokens) => isLive(service, app, tokens)));

async function appWithMaximum(service: TestService, maxLogins: number): Promise<{ app: TestApp; email: string }> {
  const app = await service.createApp();
  await updateApp(service, app, { settings: { maxLogins } });
  const email = newEmail();
  await signedUp(service, app, email);
  return { app, email };
}

describeEachDatabase("a maximum of logins", (service) => {
  it("S13: ends the oldest, and tells the application and the feed", async () => {
    const { app, email } = await appWithMaximum(service, 2);
    const verifier = await startVerifier(service, app);
    const all = [await loginIn(service, app, email), await loginIn(service, app, email)];
    all.push(await loginIn(service, app, email));
    expect(await live(service, app, all)).toEqual([false, true, true]);
    await verifier.listen();
    expect(all.map(({ accessToken }) => verifier.verdict(accessToken))).toEqual(["refused", "good", "good"]);
    const { db, tables } = service.server.app.ctx.storage.reader;
    const entries = (await db.select().from(tables.auditEvents)).filter(({ action }) => action === "user.logout");
    const { sid } = claimsOf(all[0]?.accessToken ?? "") as unknown as { sid: string };
    expect(entries.map(({ details }) => details)).toContainEqual({ loginId: sid, reason: "too-many" });
  });

  it("S13: holds for 12 codes that are redeemed at once", async () => {
    const { app, email } = await appWithMaximum(service, 3);
    // Later than the sign-up, whose login is then the oldest.
    service.clock.advance(1000);
    const codes = await Promise.all(Array.from({ length: 12 }, () => signIn(service, app, { email })));
    const all = await Promise.all(codes.map((code) => redeem(service, app, code)));
    expect((await live(service, app, all)).filter(Boolean)).toHaveLength(3);
  });

  it("S13: a browser replaces its own, also after its session has ended", async () => {
    const { app, email } = await appWithMaximum(service, 2);
    const [laptop, phone] = [new Visitor(), new Visitor()];
    const first = await loginIn(service, app, email, laptop);
    const other = await loginIn(service, app, email, phone);
    const second = await loginIn(service, app, email, laptop);
    expect(await live(service, app, [first, other, second])).toEqual([false, true, true]);
    service.clock.advance(13 * hour);
    const kept = (await refresh(service, app, other.refreshToken)).body as Tokens;
    const third = await loginIn(service, app, email, laptop);
    expect(await live(service, app, [kept, third])).toEqual([true, true]);
    expect((await refresh(service, app, second.refreshToken)).status).toBe(401);
  });

  it("S13: does not count ended, idle and minted logins", async () => {
    const { app, email } = await appWithMaximum(service, 2);
    const idle = await loginIn(service, app, email);
    service.clock.advance(15 * 24 * hour);
    const kept = await loginIn(service, app, email);
    const input = { userId: String(kept.user["id"]), scopes: undefined, seconds: 3600 };
    const { ctx } = service.server.app;
    const minted = await operatorTokens.mint(ctx, input, { dryRun: false }, { kind: "cli", name: "test" });
    const accessToken = minted.accessToken ?? "";
    const last = await loginIn(service, app, email);
    expect(await isLive(service, app, { accessToken })).toBe(true);
    expect(await live(service, app, [kept, last])).toEqual([true, true]);
    const { db, tables } = ctx.storage.reader;
    const ended = (await db.select().from(tables.logins)).filter(({ endedAt }) => endedAt !== null);
    const { sid } = claimsOf(idle.accessToken) as unknown as { sid: string };
    expect(ended.map(({ id }) => id)).not.toContain(sid);
  });
});

describeSqliteFirst("a client's maximum of logins", (service) => {
  it("S13: counts its own logins, and is not a reason to end others", async () => {
    const party = await newParty(service, { refreshTokens: "always" });
    const { app, client, email } = party;
    const { ctx } = service.server.app;
    await clients.update(ctx, client.id, { maxLogins: 1 }, { actor: { kind: "cli", name: "test" } });
    const theirs = await loginIn(service, app, email);
    const first = await tokensFor(service, party);
    service.clock.advance(1000);
    const second = await tokensFor(service, party);
    const tokens = [theirs.accessToken, first.access_token, second.access_token];
    const states = await Promise.all(tokens.map((accessToken) => isLive(service, app, { accessToken })));
    expect(states).toEqual([true, false, true]);
  });

  it("S13: the hosts that a browser opens count as one", () => {
    const proxy = (id: string, browser: string) => ({
      id,
      clientId: `proxy ${id}`,
      browserDigest: browser,
      browserSessionDigest: null,
      isOfProxy: true,
      signedInWith: "password" as const,
      organizationId: null,
    });
    const own = { ...proxy("new", "laptop"), isOfProxy: false, clientId: null };
    const all = [own, proxy("a", "phone"), proxy("b", "laptop"), proxy("c", "phone"), proxy("d", "laptop")];
    const room = (maxLogins: number) =>
      withoutRoom(all, own, { application: { settings: { maxLogins } } as never }).beyond;
    expect([room(3), room(2), room(1)]).toEqual([[], ["b", "d"], ["a", "b", "c", "d"]]);
  });
});
