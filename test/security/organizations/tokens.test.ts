import { decodeJwt } from "jose";
import { Client } from "pg";
import { expect, it } from "vitest";
import { acrValues } from "../../../src/factors/assurance.ts";
import * as applications from "../../../src/applications/service.ts";
import * as factors from "../../../src/factors/service.ts";
import * as recentMemberships from "../../../src/organizations/recent.ts";
import { findLogin } from "../../../src/sessions/login-store.ts";
import * as operatorTokens from "../../../src/sessions/operator-tokens.ts";
import { parseRefreshToken } from "../../../src/sessions/refresh-tokens.ts";
import { rotate } from "../../../src/sessions/rotation.ts";
import { askFeed } from "../../support/feed.ts";
import { untilWaiting } from "../../support/locks.ts";
import { withMemberships, type WithMemberships } from "../../support/memberships.ts";
import { giveFactor } from "../../support/methods.ts";
import { createTestClient } from "../../support/openid.ts";
import { basic, post, userInfo } from "../../support/openid-tokens.ts";
import { call, validate } from "../../support/person.ts";
import { describeSqliteFirst, updateApp, type TestService } from "../../support/service.ts";

type Tokens = { accessToken: string; refreshToken: string };

const orgOf = (tokens: Record<string, unknown>): unknown => decodeJwt(String(tokens["accessToken"]))["org_id"];

/** What each door says of an access token. */
async function doors(service: TestService, { app }: WithMemberships, token: string): Promise<Record<string, unknown>> {
  const asApp = basic({ client: app, secret: app.apiKey });
  const { body: introspected } = await post(service, "/oauth2/introspect", { token }, asApp);
  const user = { authorization: `Bearer ${token}`, "x-service-app-id": app.id };
  return {
    validate: (await validate(service, app, token)).status,
    introspect: introspected["active"],
    profile: (await call(service, "GET", "/users/profile", user)).status,
  };
}

const open = { validate: 200, introspect: true, profile: 200 };
const closed = { validate: 401, introspect: false, profile: 401 };

describeSqliteFirst("an organization in tokens", (current) => {
  it("Q8: ends at every door when its person is removed or demoted, and the login lives (10, 69, 70, 73)", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme", ["billing", "member"]);
    const tokens = await person.tokens();
    expect(await doors(current(), person, tokens.accessToken)).toEqual(open);
    expect((await validate(current(), person.app, tokens.accessToken)).body).toMatchObject({
      claims: { org_id: acme, org_roles: ["billing", "member"] },
    });
    await person.join(acme, ["member"]);
    expect(await doors(current(), person, tokens.accessToken)).toEqual(closed);
    const demoted = await person.refresh(tokens.refreshToken);
    expect(decodeJwt(String(demoted.body["accessToken"]))).toMatchObject({ org_roles: ["member"] });
    // More than the token says is shown, and needs no new token.
    await person.join(acme, ["admin", "member"]);
    expect((await validate(current(), person.app, String(demoted.body["accessToken"]))).body).toMatchObject({
      claims: { org_roles: ["admin", "member"] },
    });
    await person.leave(acme);
    expect(await doors(current(), person, String(demoted.body["accessToken"]))).toEqual(closed);
    const refused = await person.refresh(String(demoted.body["refreshToken"]));
    expect(refused).toMatchObject({ status: 401, body: { error: { code: "INVALID_TOKEN" } } });
    // The login lives: it continues without one when that is asked for.
    const none = await person.refresh(String(demoted.body["refreshToken"]), "none");
    expect(none.status).toBe(200);
    expect(orgOf(none.body)).toBeUndefined();
  });

  it("Q8: ends its login by a sign-out also after its person was removed", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme");
    const { accessToken, refreshToken } = await person.tokens();
    await person.leave(acme);
    expect(await doors(current(), person, accessToken)).toEqual(closed);
    const bearer = { authorization: `Bearer ${accessToken}` };
    expect((await call(current(), "POST", "/auth/logout", bearer)).status).toBe(200);
    expect((await call(current(), "POST", "/auth/logout", bearer)).status).toBe(401);
    for (const organization of [undefined, "none"])
      expect((await person.refresh(refreshToken, organization)).status).toBe(401);
  });

  it("Q8: a command explains a token as the doors judge it", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme", ["billing", "member"]);
    const { accessToken } = await person.tokens();
    const { ctx } = current().server.app;
    const verdict = async (): Promise<unknown> => {
      current().clock.advance(1000);
      const explained = await operatorTokens.explain(ctx, accessToken);
      return explained.valid ? "valid" : explained.reason;
    };
    const ended = "it says more about its organization than is true now";
    expect(await verdict()).toBe("valid");
    await person.change(acme, { secondFactor: "required" });
    expect(await verdict()).toBe(ended);
    await person.change(acme, { secondFactor: "off" });
    await updateApp(current(), person.app, { settings: { organizations: "off" } });
    expect(await verdict()).toBe(ended);
    await updateApp(current(), person.app, { settings: { organizations: "on" } });
    await person.join(acme, ["member"]);
    expect(await verdict()).toBe(ended);
  });

  it("waits once for a reading that takes longer than readings are known", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme");
    const { ctx } = current().server.app;
    // Every look at this clock is a second and a half later than the one before.
    const slow = { ...ctx, clock: () => (current().clock.advance(1500), current().clock.now) };
    const asked = { loginId: "lgn_1", userId: person.userId, organizationId: acme, version: 0 };
    expect(await recentMemberships.membershipOf(slow, asked)).toMatchObject({ organizationId: acme });
  });

  it("Q8: ends within a second when the organization is disabled or deleted, or the setting is off", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme");
    const tokens = await person.tokens();
    expect(await doors(current(), person, tokens.accessToken)).toEqual(open);
    await person.change(acme, { disabled: true });
    current().clock.advance(1000);
    expect(await doors(current(), person, tokens.accessToken)).toEqual(closed);
    await person.change(acme, { disabled: false });
    current().clock.advance(1000);
    expect(await doors(current(), person, tokens.accessToken)).toEqual(open);
    await updateApp(current(), person.app, { settings: { organizations: "off" } });
    current().clock.advance(1000);
    expect(await doors(current(), person, tokens.accessToken)).toEqual(closed);
    await updateApp(current(), person.app, { settings: { organizations: "on" } });
    current().clock.advance(1000);
    expect(await doors(current(), person, tokens.accessToken)).toEqual(open);
    await person.remove(acme);
    current().clock.advance(1000);
    expect(await doors(current(), person, tokens.accessToken)).toEqual(closed);
    expect((await person.refresh(tokens.refreshToken)).status).toBe(401);
  });

  it("leads on without one where they were turned off, and stays there", async () => {
    const person = await withMemberships(current());
    await person.found("Acme");
    const { refreshToken } = await person.tokens();
    await updateApp(current(), person.app, { settings: { organizations: "off" } });
    expect((await person.refresh(refreshToken, "none")).status).toBe(400);
    const next = await person.refresh(refreshToken);
    expect([next.status, orgOf(next.body)]).toEqual([200, undefined]);
    await updateApp(current(), person.app, { settings: { organizations: "on" } });
    const later = await person.refresh(String(next.body["refreshToken"]));
    expect([later.status, orgOf(later.body)]).toEqual([200, undefined]);
  });

  it("Q8: demands the second factor of a raised policy, at validate and refresh", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme");
    const tokens = await person.tokens();
    await person.change(acme, { secondFactor: "required" });
    current().clock.advance(1000);
    expect(await doors(current(), person, tokens.accessToken)).toEqual(closed);
    expect((await person.refresh(tokens.refreshToken)).status).toBe(401);
    const named = await person.refresh(tokens.refreshToken, acme);
    expect(named).toMatchObject({ status: 403, body: { error: { code: "INSUFFICIENT_SCOPE" } } });
    expect(named.body.error?.details).toContain(acrValues[1]);
    await person.change(acme, { secondFactor: "off" });
    expect((await person.refresh(tokens.refreshToken, acme)).status).toBe(200);
  });

  it("M6: lets its members set a second factor up, and keep it where it requires one", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme");
    const { ctx } = current().server.app;
    const { userId } = person;
    const may = async (): Promise<boolean> => {
      const application = await applications.find(ctx, ctx.storage.reader, person.app.id);
      return application !== undefined && (await factors.maySetUp(ctx.storage.reader, application, userId));
    };
    const by = { actor: { kind: "user", name: userId } } as const;
    expect(await may()).toBe(false);
    await person.change(acme, { secondFactor: "optional" });
    expect(await may()).toBe(true);
    await person.change(acme, { secondFactor: "required", disabled: true });
    expect(await may()).toBe(false);
    await person.change(acme, { disabled: false });
    expect(await may()).toBe(true);
    await giveFactor(current(), userId);
    await expect(factors.remove(ctx, userId, by)).rejects.toMatchObject({ code: "CONFLICT" });
    await person.leave(acme);
    expect(await factors.remove(ctx, userId, by)).toBe(true);
    expect(await may()).toBe(false);
  });

  it("Q7: a refresh keeps the organization, and a switch yields the named one or nothing (78, 79)", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme");
    const best = await person.found("Best", ["billing"]);
    const foreign = await person.found("Foreign", null);
    let tokens: Tokens = await person.tokens({ organization: acme });
    const next = async (organization?: string | null): Promise<unknown> => {
      const { body } = await person.refresh(tokens.refreshToken, organization);
      tokens = body as Tokens;
      return orgOf(body);
    };
    expect(await next()).toBe(acme);
    expect(await next(best)).toBe(best);
    expect(await next()).toBe(best);
    expect(await next("acme")).toBe(acme);
    // Empty and null are absent.
    expect(await next("")).toBe(acme);
    expect(await next(null)).toBe(acme);
    for (const organization of [foreign, "foreign", "org_unknown", "no-such", "' OR 1=1"]) {
      const refused = await person.refresh(tokens.refreshToken, organization);
      expect(refused).toMatchObject({ status: 403, body: { error: { code: "INSUFFICIENT_SCOPE" } } });
      expect(refused.body.error?.details).toBe("organization: not one that this person may use");
    }
    // A refused switch changed nothing.
    expect(await next()).toBe(acme);
    expect(await next("none")).toBeUndefined();
    expect(await next()).toBeUndefined();
    await updateApp(current(), person.app, { settings: { organizations: "required" } });
    expect((await person.refresh(tokens.refreshToken)).status).toBe(401);
    expect((await person.refresh(tokens.refreshToken, "none")).status).toBe(403);
    expect(await next(best)).toBe(best);
  });

  it("Q7: a refresh that names none undoes no switch beside it, where the token stays the same", async ({ skip }) => {
    const { config, server } = current();
    skip(config.database.url === undefined, "they are about PostgreSQL");
    const person = await withMemberships(current());
    const [acme, best] = [await person.found("Acme"), await person.found("Best")];
    const { refreshToken } = await person.tokens({ organization: acme });
    const { ctx } = server.app;
    const presented = parseRefreshToken(refreshToken, ctx.keyring);
    const application = await applications.find(ctx, ctx.storage.reader, person.app.id);
    if (!presented || !application) throw new Error("no refresh token");
    const other = new Client(config.database.url);
    await other.connect();
    await other.query("BEGIN");
    await other.query("UPDATE logins SET organization_id = $1 WHERE id = $2", [best, presented.loginId]);
    const ofApplication = { clientId: null, resource: null, proofKey: null, withoutApiKey: false };
    const source = { ipAddress: "127.0.0.1", userAgent: null, requestId: "req_1" };
    const enters = { named: undefined, scopes: [] };
    const call = { ...ofApplication, refreshToken, application, keeps: true, enters, source };
    const rotated = rotate(ctx, presented, call, ctx.clock());
    await untilWaiting(other, 1);
    await other.query("COMMIT");
    await other.end();
    // As if it had come before the switch.
    expect(await rotated).toMatchObject({ login: { organizationId: acme }, organization: { organizationId: acme } });
    expect((await findLogin(ctx.storage.reader, presented.loginId))?.organizationId).toBe(best);
  });

  it("Q11: within the grace the old token yields one successor, and the organization that is asked for (75)", async () => {
    const person = await withMemberships(current());
    const [acme, best] = [await person.found("Acme"), await person.found("Best")];
    const foreign = await person.found("Foreign", null);
    const { refreshToken } = await person.tokens({ organization: acme });
    const both = await Promise.all([person.refresh(refreshToken, acme), person.refresh(refreshToken, best)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(both.map(({ body }) => orgOf(body))).toEqual([acme, best]);
    const successors = new Set(both.map(({ body }) => body["refreshToken"]));
    expect(successors.size).toBe(1);
    // Cut off, and asked again for each.
    const again = await person.refresh(refreshToken, acme);
    expect([orgOf(again.body), successors.has(again.body["refreshToken"])]).toEqual([acme, true]);
    // Refused for one that the person may not use, without harm.
    expect((await person.refresh(refreshToken, foreign)).status).toBe(403);
    const continued = await person.refresh(String(again.body["refreshToken"]));
    expect(orgOf(continued.body)).toBe(acme);
    // Too late it is a reuse, whatever is asked for: the login ends.
    current().clock.advance(60_000);
    expect((await person.refresh(refreshToken, foreign)).body.error?.code).toBe("INVALID_TOKEN");
    expect((await person.refresh(String(continued.body["refreshToken"]))).status).toBe(401);
  });

  it("Q8: the feed tells those who ask for it, and others of people alone", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme", ["billing", "member"]);
    const { cursor } = await askFeed(current(), person.app);
    const revoked = async (kinds: string): Promise<unknown> => {
      const path = `/auth/revocations?after=${cursor}&kinds=${kinds}`;
      return (await call(current(), "GET", path, person.app.headers)).body["revoked"];
    };
    await person.join(acme, ["admin", "billing", "member"]);
    expect(await revoked("organization")).toEqual([]);
    await person.join(acme, ["member"]);
    const before: unknown = expect.any(String);
    expect(await revoked("organization")).toEqual([{ organization: acme, before, user: person.userId }]);
    expect(await revoked("")).toEqual([{ sub: person.userId, before }]);
    expect((await askFeed(current(), person.app, { after: cursor })).revoked).toEqual([{ sub: person.userId, before }]);
    await person.change(acme, { name: "Acme Inc" });
    await person.change(acme, { disabled: true });
    expect(await revoked("organization,another")).toHaveLength(2);
    expect(await revoked("organization")).toContainEqual({ organization: acme, before });
    expect(await revoked("another")).toEqual([{ sub: person.userId, before }]);
  });

  it("Q8: a minted token names an organization of its user, and only that", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme");
    const foreign = await person.found("Foreign", null);
    const { ctx } = current().server.app;
    const mint = async (organization?: string) => {
      const input = { userId: person.userId, scopes: undefined, seconds: 60, organization };
      return await operatorTokens.mint(ctx, input, { dryRun: false }, { kind: "cli", name: "test" });
    };
    expect(orgOf(await mint())).toBeUndefined();
    const minted = await mint("acme");
    expect(orgOf(minted)).toBe(acme);
    expect(await doors(current(), person, String(minted.accessToken))).toEqual(open);
    await expect(mint(foreign)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await person.leave(acme);
    expect(await doors(current(), person, String(minted.accessToken))).toEqual(closed);
  });

  it("Q8: userinfo names the organization of the token, and ends with it", async () => {
    const person = await withMemberships(current());
    const acme = await person.found("Acme");
    const client = await createTestClient(current(), person.app);
    expect(client.scopes).not.toContain("organization");
    const { ctx } = current().server.app;
    expect(ctx.baseUrl).not.toBe("");
    const tokens = await person.tokens();
    expect((await userInfo(current(), tokens.accessToken)).status).toBe(403);
    await person.leave(acme);
    expect((await userInfo(current(), tokens.accessToken)).status).toBe(401);
  });
});
