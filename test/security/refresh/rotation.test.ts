import { eq } from "drizzle-orm";
import { beforeAll, expect, it } from "vitest";
import { invalidToken } from "../../support/outcomes.ts";
import {
  call,
  isLive,
  newEmail,
  redeem,
  refresh,
  signIn,
  signUp,
  validate,
  type Tokens,
} from "../../support/person.ts";
import { describeEachDatabase, type TestApp } from "../../support/service.ts";

const day = 86_400_000;

/** What is not the refresh token, though near to it. */
const notTheToken: [title: string, change: (token: string) => string][] = [
  ["an empty text", () => ""],
  ["a word", () => "x"],
  ["a truncated one", (token) => token.slice(0, -1)],
  ["its second half", (token) => token.slice(token.length / 2)],
  ["a lengthened one", (token) => `${token}A`],
  ["one with white space", (token) => ` ${token}`],
  ["one with a line break", (token) => `${token}\n`],
  ["one with padding", (token) => `${token}=`],
  ["one in upper case", (token) => token.toUpperCase()],
  ["one in the other base64 alphabet", (token) => Buffer.from(token, "base64url").toString("base64")],
  ["one twice", (token) => token + token],
  ["one with three random characters of noise", (token) => `${token.slice(0, 20)}...${token.slice(23)}`],
  ["10,000 characters", () => "a".repeat(10_000)],
  ["random bytes of the same length", (token) => "Q".repeat(token.length)],
  ["zero bytes of the same length", (token) => "A".repeat(token.length)],
  ["SQL", () => "' OR '1'='1"],
];

describeEachDatabase("a refresh token", (service) => {
  let app: TestApp;
  let other: TestApp;
  const person = { email: newEmail() };
  beforeAll(async () => {
    [app, other] = [await service.createApp(), await service.createApp()];
    await redeem(service, app, await signUp(service, app, person));
  });
  const newLogin = async (): Promise<Tokens> => await redeem(service, app, await signIn(service, app, person));
  const next = async (refreshToken: string): Promise<Tokens> => {
    const { status, body } = await refresh(service, app, refreshToken);
    expect([status, body.error]).toEqual([200, undefined]);
    return body as Tokens;
  };

  it("F9: gives the same successor again for ten seconds: a lost answer logs nobody out", async () => {
    const first = await newLogin();
    const { refreshToken } = await next(first.refreshToken);
    for (const wait of [0, 15_000, 14_900]) {
      service.clock.advance(wait);
      const again = await next(first.refreshToken);
      expect(again.refreshToken).toBe(refreshToken);
      expect(await isLive(service, app, again)).toBe(true);
    }
    expect((await next(refreshToken)).refreshToken).not.toBe(refreshToken);
  });

  it("F1, F2: ends the login when a token comes back after its grace, that login only, and audits it", async () => {
    const [bystander, first] = [await newLogin(), await newLogin()];
    const second = await next(first.refreshToken);
    service.clock.advance(30_100);
    expect(await refresh(service, app, first.refreshToken)).toMatchObject(invalidToken);
    expect(await refresh(service, app, second.refreshToken)).toMatchObject(invalidToken);
    expect(await validate(service, app, first.accessToken)).toMatchObject(invalidToken);
    expect(await validate(service, app, second.accessToken)).toMatchObject(invalidToken);
    expect(await isLive(service, app, bystander)).toBe(true);
    await next(bystander.refreshToken);

    const { db, tables } = service.server.app.ctx.storage.reader;
    const events = await db.select().from(tables.auditEvents).where(eq(tables.auditEvents.at, service.clock.now));
    expect(events).toContainEqual(
      expect.objectContaining({
        result: "failure",
        appId: app.id,
        userId: first.user["id"],
        requestId: expect.any(String),
      }),
    );
  });

  it("F2: gives the grace to the direct predecessor only: an older token is a reuse at any age", async () => {
    const first = await newLogin();
    const { refreshToken } = await next((await next(first.refreshToken)).refreshToken);
    expect(await refresh(service, app, first.refreshToken)).toMatchObject(invalidToken);
    expect(await refresh(service, app, refreshToken)).toMatchObject(invalidToken);
  });

  it("F1: does not prolong the grace by using it", async () => {
    const first = await newLogin();
    await next(first.refreshToken);
    service.clock.advance(16_000);
    await next(first.refreshToken);
    service.clock.advance(16_000);
    expect(await refresh(service, app, first.refreshToken)).toMatchObject(invalidToken);
  });

  it("F7: lives 14 days without use, not longer", async () => {
    const [used, unused] = [await newLogin(), await newLogin()];
    service.clock.advance(14 * day - 60_000);
    const { refreshToken } = await next(used.refreshToken);
    service.clock.advance(61_000);
    expect(await refresh(service, app, unused.refreshToken)).toMatchObject(invalidToken);
    service.clock.advance(14 * day - 120_000);
    await next(refreshToken);
  });

  it("F7: lives 30 days however much it is used, to the second", async () => {
    let { refreshToken } = await newLogin();
    for (let days = 0; days < 29; days += 1) {
      service.clock.advance(day);
      ({ refreshToken } = await next(refreshToken));
    }
    service.clock.advance(day - 1000);
    const last = await next(refreshToken);
    service.clock.advance(2000);
    expect(await refresh(service, app, last.refreshToken)).toMatchObject(invalidToken);
    expect(await refresh(service, app, refreshToken)).toMatchObject(invalidToken);
  });

  it("F6, CVE-2026-55672: is of no use to another app, and stays its owner's", async () => {
    const { refreshToken } = await newLogin();
    for (let n = 0; n < 2; n += 1) expect(await refresh(service, other, refreshToken)).toMatchObject(invalidToken);
    const second = await next(refreshToken);
    service.clock.advance(60_000);
    // Not a reuse either: a stranger's call must end nobody's login.
    expect(await refresh(service, other, refreshToken)).toMatchObject(invalidToken);
    await next(second.refreshToken);
  });

  it("F6, CVE-2026-55672: is of no use with the right App ID and another app's key, nor without a key", async () => {
    const { refreshToken } = await newLogin();
    const key = other.headers["authorization"] ?? "";
    const callers: Record<string, string>[] = [
      { authorization: key, "x-service-app-id": app.id },
      { authorization: app.headers["authorization"] ?? "", "x-service-app-id": other.id },
      { "x-service-app-id": app.id },
      { authorization: key },
    ];
    for (const headers of callers) {
      const answer = await call(service, "POST", "/auth/refresh", headers, { refreshToken });
      expect(answer.status).toBe(401);
      expect(answer.body).not.toHaveProperty("refreshToken");
    }
    service.clock.advance(60_000);
    await next(refreshToken);
  });

  it.each(notTheToken)("T8, CVE-2026-27840: is not %s, which leaves the login alone", async (_title, change) => {
    const { refreshToken } = await newLogin();
    expect(await refresh(service, app, change(refreshToken))).toMatchObject(invalidToken);
    await next(refreshToken);
  });

  it("T8, CVE-2026-27840: is not itself with any one character changed or left out, which leaves the login alone", async () => {
    const { refreshToken } = await newLogin();
    const altered = [...refreshToken].flatMap((character, at) => {
      const [before, after] = [refreshToken.slice(0, at), refreshToken.slice(at + 1)];
      return [`${before}${character === "A" ? "B" : "A"}${after}`, `${before}${after}`];
    });
    const answers = await Promise.all([...new Set(altered)].map((text) => refresh(service, app, text)));
    for (const answer of answers) expect(answer).toMatchObject(invalidToken);
    await next(refreshToken);
  });
});
