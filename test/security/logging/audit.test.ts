import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { aggregatedEvents } from "../../../src/records/audit/aggregated-events.ts";
import * as audit from "../../../src/records/audit/audit.ts";
import type { AuditEventAnswer } from "../../../src/records/audit/audit.ts";
import { runSql } from "../../cli/sql.ts";
import { openAccount, press } from "../../support/account.ts";
import { prove, signedUpIn } from "../../support/adding.ts";
import { bearer } from "../../support/methods.ts";
import {
  openPage,
  call,
  initiate,
  redeem,
  refresh,
  signedUp,
  signIn,
  validate,
  Visitor,
} from "../../support/person.ts";
import { useApp, describeEachDatabase, type TestApp, type TestService } from "../../support/service.ts";

type Answered = { status: number; headers: Headers };
type Kept = { events: AuditEventAnswer[]; requestId: string };

/** What the audit log gained by an act, and the request id of the act's last answer. */
async function gained(service: TestService, act: () => Promise<Answered>): Promise<Kept> {
  const { ctx } = service.server.app;
  const known = new Set((await audit.list(ctx, { limit: 10_000 })).map(({ id }) => id));
  const { headers } = await act();
  const events = (await audit.list(ctx, { limit: 10_000 })).filter(({ id }) => !known.has(id));
  return { events, requestId: headers.get("x-request-id") ?? "" };
}

/** Passed on by the one trusted proxy of these tests. */
const from = (address: string): Record<string, string> => ({ "x-forwarded-for": address });

// Every ten seconds the service writes what it counted. Here only `audit.list` and a stop do.
beforeAll(() => void vi.useFakeTimers({ toFake: ["setInterval"] }));
afterAll(() => void vi.useRealTimers());

describeEachDatabase("the audit log", { trustedProxies: ["127.0.0.1"] }, (service, { restart }) => {
  const app = useApp(service);

  const expectOne = ({ events, requestId }: Kept, action: string, expected: Partial<AuditEventAnswer>): void => {
    const found = events.filter((event) => event.action === action);
    expect(found, JSON.stringify(events)).toHaveLength(1);
    const [event] = found;
    expect(event).toMatchObject({ result: "success", requestId, ipAddress: "127.0.0.1", ...expected });
    expect(event?.at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/u);
    expect(Math.abs(Date.parse(event?.at ?? "") - service.clock.now)).toBeLessThan(60_000);
  };

  it("G2: tells of every step of a sign-in by its request, with app, user, method and address", async () => {
    const { session, visitor, page } = await openPage(service, app, {}, "/create-account");
    const person = { email: "g2@example.org", name: "", password: "correct horse battery staple" };
    let code = "";
    const signUp = await gained(service, async () => {
      const done = await visitor.submit(page, "/create-account", person);
      code = done.location.searchParams.get("code") ?? "";
      return done;
    });
    const callback = () => call(service, "POST", "/auth/callback", app.headers, { code, sessionId: session.sessionId });
    let userId = "";
    const redeemed = await gained(service, async () => {
      const done = await callback();
      userId = (done.body["user"] as { id: string }).id;
      return done;
    });
    const about = { appId: app.id, userId, actor: `user:${userId}` };
    expectOne(signUp, "user.create", { ...about, details: { method: "password" } });
    expectOne(signUp, "sign-in", { ...about, details: { method: "password", provider: null } });
    expectOne(redeemed, "user.login", about);
    const again = await gained(service, callback);
    expectOne(again, "code.reuse", { appId: app.id, userId, actor: `app:${app.id}`, result: "failure" });
    expectOne(again, "user.login", { appId: app.id, userId: null, result: "failure" });
  });

  it("G2: tells of a failed sign-in, with the account that it was meant for where there is one", async () => {
    const { user, email } = await signedUp(service, app);
    for (const [typed, userId] of [
      [email, user["id"]],
      ["nobody@example.org", null],
    ] as const) {
      const page = await new Visitor().get((await initiate(service, app)).authUrl);
      const failed = await gained(service, async () => {
        const visitor = new Visitor();
        const own = await visitor.get(page.url);
        return await visitor.submit(own, "/password", { email: typed, password: "not the password of anybody" });
      });
      expectOne(failed, "sign-in", {
        appId: app.id,
        userId: userId as string | null,
        result: "failure",
        details: { method: "password" },
      });
    }
  });

  it("G2: tells of a reused refresh token, a logout, a deletion and what is done on the account page", async () => {
    const first = await signedUpIn(service, app);
    const userId = String(first.user["id"]);
    const about = { appId: app.id, userId };
    await refresh(service, app, first.refreshToken);
    service.clock.advance(60_000);
    const reused = await gained(service, () => refresh(service, app, first.refreshToken));
    expectOne(reused, "token.reuse", { ...about, result: "failure", actor: `app:${app.id}` });
    expectOne(reused, "call.refused", {
      appId: app.id,
      result: "failure",
      details: { code: "INVALID_TOKEN", route: "POST /auth/refresh" },
    });

    const tokens = await redeem(service, app, await signIn(service, app, first));
    const overview = await openAccount(service, app, first.visitor);
    expectOne(await gained(service, () => press(app, first.visitor, overview, "/sign-out")), "account.sign-out", about);
    const logout = await gained(service, () => call(service, "POST", "/auth/logout", bearer(tokens.accessToken), {}));
    expectOne(logout, "user.logout", { ...about, actor: `user:${userId}` });
    const last = await redeem(service, app, await signIn(service, app, first));
    const deletion = await gained(service, () => call(service, "DELETE", "/users/profile", bearer(last.accessToken)));
    // The bare id is all that stays of somebody.
    expectOne(deletion, "user.delete", { ...about, ipAddress: null });
  });

  it("G2: tells of every call that was kept out, and whose it was where that is known", async () => {
    const app = await service.createApp({ settings: { rateLimits: { webhooks: 1 } } });
    const other = await service.createApp();
    const narrow = await redeem(service, app, await signUpNarrow(service, app));
    const userId = String(narrow.user["id"]);
    const initiateWith = (headers: Record<string, string>) => () =>
      call(service, "POST", "/auth/initiate", headers, { redirectUri: app.redirectUri });
    const list = () =>
      call(service, "GET", "/webhooks/endpoints", { authorization: app.headers["authorization"] ?? "" });
    await list();
    const wrongKey = { ...app.headers, ...bearer("ak_wrong") };
    const cases: [act: () => Promise<Answered>, code: string, route: string, more: Partial<AuditEventAnswer>][] = [
      [initiateWith(wrongKey), "INVALID_API_KEY", "POST /auth/initiate", { appId: app.id }],
      [
        initiateWith({ ...wrongKey, "x-service-app-id": "app_nobody" }),
        "INVALID_API_KEY",
        "POST /auth/initiate",
        { appId: null },
      ],
      [
        initiateWith({ ...app.headers, "x-service-app-id": other.id }),
        "INVALID_APP_ID",
        "POST /auth/initiate",
        { appId: other.id },
      ],
      [() => validate(service, app, "forged"), "INVALID_TOKEN", "GET /auth/validate", { appId: app.id }],
      [
        () => call(service, "GET", "/users/profile", bearer(narrow.accessToken)),
        "INSUFFICIENT_SCOPE",
        "GET /users/profile",
        { userId },
      ],
      [list, "RATE_LIMITED", "GET /webhooks/endpoints", { appId: app.id }],
    ];
    for (const [act, code, route, more] of cases) {
      const kept = await gained(service, act);
      expectOne(kept, "call.refused", { result: "failure", details: { code, route }, ...more });
      expect(kept.events).toHaveLength(1);
    }
  });

  it("G2: does not take an access token for an attack that has merely expired", async () => {
    const { accessToken } = await signedUp(service, app);
    service.clock.advance(901_000);
    const kept = await gained(service, () => validate(service, app, accessToken));
    expect(kept.events).toEqual([]);
    expect((await validate(service, app, accessToken)).body.error?.code).toBe("INVALID_TOKEN");
  });

  it("G2: counts what one network repeats in one row, and fills no disk for many networks", async () => {
    const kept = await gained(service, async () => {
      for (let turn = 0; turn < 49; turn += 1) await validate(service, app, `forged${turn}`);
      return await validate(service, app, "forged");
    });
    expect(kept.events).toHaveLength(1);
    expect(kept.events[0]).toMatchObject({ action: "call.refused", details: { count: 50 } });
    expect(kept.events[0]?.requestId).toMatch(/^req_[0-9a-f]{32}$/u);

    const flood = await gained(service, async () => {
      const headers = { ...bearer("forged"), "x-service-app-id": app.id };
      for (let turn = 1; turn < 200; turn += 1)
        await call(service, "GET", "/auth/validate", { ...headers, ...from(`198.51.100.${turn}`) });
      return await call(service, "GET", "/auth/validate", { ...headers, ...from("2001:db8::1") });
    });
    expect(flood.events).toHaveLength(21);
    const rest = flood.events.filter(({ details }) => details["others"] === true);
    expect(rest).toMatchObject([{ ipAddress: null, appId: null, details: { code: "INVALID_TOKEN", count: 180 } }]);
    // The next write has room again.
    const later = await gained(service, () => validate(service, app, "forged"));
    expect(later.events).toHaveLength(1);
  });

  it("G2: nobody hides others behind what one network causes, whatever it claims to be", async () => {
    const kept = await gained(service, async () => {
      for (let turn = 0; turn < 40; turn += 1) {
        const claimed = { ...bearer("forged"), "x-service-app-id": `app_no_${turn}` };
        await call(service, "GET", "/auth/validate", { ...claimed, ...from("203.0.113.7") });
      }
      const headers = { ...bearer("forged"), "x-service-app-id": app.id, ...from("198.51.100.9") };
      return await call(service, "GET", "/auth/validate", headers);
    });
    const other = kept.events.filter(({ ipAddress }) => ipAddress === "198.51.100.9");
    expect(other).toMatchObject([{ appId: app.id, requestId: kept.requestId }]);
    const noisy = kept.events.filter(({ ipAddress }) => ipAddress === "203.0.113.7");
    expect(noisy).toHaveLength(9);
    expect(noisy.filter(({ details }) => details["others"] === true)).toMatchObject([{ details: { count: 32 } }]);
  });

  it("G2: keeps what it could not write, and writes it with the next", async () => {
    const kept = await gained(service, async () => {
      await validate(service, app, "forged");
      await runSql(service, "ALTER TABLE audit_events RENAME TO audit_events_away");
      await expect(aggregatedEvents(service.server.app.ctx).flush()).rejects.toThrow("audit_events");
      await runSql(service, "ALTER TABLE audit_events_away RENAME TO audit_events");
      return await validate(service, app, "forged");
    });
    expect(kept.events).toMatchObject([{ action: "call.refused", appId: app.id, details: { count: 2 } }]);
  });

  it("G2: holds nothing that a stranger chose: no address typed, no text of a header", async () => {
    const canary = "canary-4711";
    const kept = await gained(service, async () => {
      const visitor = new Visitor({ "user-agent": canary, ...from(`${canary}, 192.0.2.9`) });
      await prove(visitor, await initiate(service, app), `${canary}@example.org`, `${canary} is the password`);
      const headers = {
        authorization: `Bearer ${canary}`,
        "x-service-app-id": `app_${canary}`,
        "user-agent": canary,
      };
      return await call(service, "POST", "/auth/initiate", headers, { redirectUri: canary });
    });
    expect(kept.events.map(({ action }) => action).toSorted()).toEqual(["call.refused", "sign-in"]);
    expect(JSON.stringify(kept.events)).not.toContain(canary);
  });

  it("G2, D1: leaves the bare id of a user who is deleted before what was counted is written", async () => {
    const { accessToken, user, email } = await signedUp(service, app);
    await prove(new Visitor(), await initiate(service, app), email, "not the password of anybody");
    await call(service, "DELETE", "/users/profile", bearer(accessToken));
    const events = await audit.list(service.server.app.ctx, { userId: String(user["id"]), limit: 100 });
    expect(events.map(({ action, result }) => `${action} ${result}`)).toContain("sign-in failure");
    expect(events.filter(({ ipAddress }) => ipAddress !== null)).toEqual([]);
  });

  it("G2: writes what was counted also when the service stops", async () => {
    const app = await service.createApp();
    await validate(service, app, "forged");
    await restart();
    const { reader } = service.server.app.ctx.storage;
    const events = await reader.db.select().from(reader.tables.auditEvents);
    expect(events.filter(({ appId }) => appId === app.id).map(({ action }) => action)).toContain("call.refused");
  });
});

async function signUpNarrow(service: TestService, app: TestApp) {
  const { email } = await signedUp(service, app);
  return await signIn(service, app, { email }, { scopes: ["email"] });
}
