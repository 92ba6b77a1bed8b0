import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import { askForReset, linkIn, mailTo, newUser, secretIn } from "../../support/mail-flows.ts";
import { useMailServer } from "../../support/mail.ts";
import { bearer } from "../../support/methods.ts";
import { invalidToken, outcome } from "../../support/outcomes.ts";
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
  type Tokens,
} from "../../support/person.ts";
import { newIssuerKey } from "../../support/providers/id-tokens.ts";
import { describeSqliteFirst, describeOnSqlite, type TestApp, type TestService } from "../../support/service.ts";

const server = await useMailServer();

/** Wherever an access token opens something. */
async function expectNoAccess(service: TestService, app: TestApp, secret: string): Promise<void> {
  const query = `token=${encodeURIComponent(secret)}`;
  for (const answer of [
    await validate(service, app, secret),
    await call(service, "GET", "/users/profile", bearer(secret)),
    await call(service, "GET", "/users/auth-methods", bearer(secret)),
    await call(service, "POST", "/auth/logout", bearer(secret), { allSessions: true }),
    await call(service, "GET", `/api/user?${query}`, {}),
  ])
    expect(answer).toMatchObject(invalidToken);
  const verified = await call(service, "GET", `/auth/verify-token?${query}&app_id=${app.id}`, {});
  expect([verified.status, verified.body]).toEqual([200, { valid: false }]);
}

describeOnSqlite("the kinds of token", { mail: server.mail }, (service) => {
  it("T2: none is taken for another, in either direction", async () => {
    const app = await service.createApp();
    const person = await newUser(service, app, { password: goodPassword });
    const tokens = await redeem(service, app, await signIn(service, app, { email: person.email }));
    const waiting = await signIn(service, app, { email: person.email });
    const asking = await askForReset(service, app, person.email);
    const reset = await mailTo(server, person.email, 1, /reset/iu);
    const issuer = await newIssuerKey();
    const claims = decodeJwt(tokens.accessToken);
    const kinds: Record<string, string> = {
      "refresh token": tokens.refreshToken,
      code: waiting.code,
      "session id": waiting.session.sessionId,
      "reset token": secretIn(reset),
      "reset link": linkIn(reset),
      "API key": app.apiKey,
      cookie: [...asking.visitor.cookies.values()][0] ?? "",
      // What a provider signs about the same person, with our audience and issuer copied in.
      "id token of a provider": await issuer.sign({ ...claims }),
      "app id": app.id,
      "user id": person.id,
      "login id": String(claims["sid"]),
      jti: String(claims.jti),
    };
    for (const [kind, secret] of Object.entries(kinds)) {
      expect(secret.length, kind).toBeGreaterThan(4);
      await expectNoAccess(service, app, secret);
      if (kind !== "refresh token") expect(await refresh(service, app, secret), kind).toMatchObject(invalidToken);
      if (kind !== "code") {
        const body = { code: secret, sessionId: waiting.session.sessionId };
        // The code itself stays good: these are none, so nothing of it is used up.
        if (kind !== "refresh token")
          expect((await call(service, "POST", "/auth/callback", app.headers, body)).status, kind).toBe(400);
      }
      if (!kind.startsWith("reset")) {
        const page = await new Visitor().get(`${service.url}/reset/${encodeURIComponent(secret)}`);
        expect([kind, page.status]).toEqual([kind, 410]);
      }
      if (kind !== "API key") {
        const headers = { ...app.headers, ...bearer(secret) };
        const answer = await call(service, "POST", "/auth/initiate", headers, { redirectUri: app.redirectUri });
        expect(answer, kind).toMatchObject(outcome(401, "INVALID_API_KEY"));
      }
    }
    expect(await refresh(service, app, tokens.accessToken)).toMatchObject(invalidToken);
    expect(await call(service, "GET", `/applications/${app.id}`, bearer(tokens.accessToken))).toMatchObject(
      outcome(401, "INVALID_API_KEY"),
    );
    expect((await validate(service, app, tokens.accessToken)).status).toBe(200);
    expect((await refresh(service, app, tokens.refreshToken)).status).toBe(200);
  });
});

describeOnSqlite("the claims of an access token", (service) => {
  it("T3: its end holds to the second, on every call", async () => {
    const app = await service.createApp();
    const { accessToken } = await signedUp(service, app);
    const end = (decodeJwt(accessToken).exp ?? 0) * 1000;
    const query = `token=${accessToken}&app_id=${app.id}`;
    const asked = async () => [
      (await validate(service, app, accessToken)).status,
      (await call(service, "GET", "/users/profile", bearer(accessToken))).status,
      (await call(service, "GET", `/api/user?token=${accessToken}`, {})).status,
      (await call(service, "GET", `/auth/verify-token?${query}`, {})).body["valid"],
    ];
    service.clock.now = end - 1000;
    expect(await asked()).toEqual([200, 200, 200, true]);
    for (const late of [0, 1, 1000, 3_600_000]) {
      service.clock.now = end + late;
      expect(await asked()).toEqual([401, 401, 401, false]);
    }
  });
});

describeSqliteFirst("whom an access token speaks of", (service) => {
  const expectAllDead = async (app: TestApp, { accessToken, refreshToken }: Tokens) => {
    await expectNoAccess(service, app, accessToken);
    expect(await refresh(service, app, refreshToken)).toMatchObject(invalidToken);
  };

  it("T4, CVE-2026-55670: is gone with the account: the same address later is somebody else, with another id", async () => {
    const app = await service.createApp();
    const ids = new Set<unknown>();
    const email = newEmail();
    const dead: Tokens[] = [];
    for (let life = 0; life < 3; life += 1) {
      const tokens = await redeem(service, app, await signUp(service, app, { email }));
      ids.add(tokens.user["id"]);
      const twin = await redeem(service, app, await signIn(service, app, { email }));
      expect((await call(service, "DELETE", "/users/profile", bearer(tokens.accessToken))).status).toBe(200);
      dead.push(tokens, twin);
    }
    expect(ids.size).toBe(3);
    const alive = await redeem(service, app, await signUp(service, app, { email }));
    expect(ids.has(alive.user["id"])).toBe(false);
    for (const tokens of dead) await expectAllDead(app, tokens);
    expect((await validate(service, app, alive.accessToken)).body).toMatchObject({ user: { id: alive.user["id"] } });
  });

  it("T4, CVE-2026-55670: an address means another person in each app, and the id of a deleted app is not used again", async () => {
    const [app, other] = [await service.createApp(), await service.createApp()];
    const email = newEmail();
    const here = await redeem(service, app, await signUp(service, app, { email }));
    const there = await redeem(service, other, await signUp(service, other, { email }));
    expect(here.user["id"]).not.toBe(there.user["id"]);

    const { ctx } = service.server.app;
    await applications.remove(ctx, app.id, { kind: "cli", name: "test" });
    await expect(service.createApp({ id: app.id })).rejects.toMatchObject({ code: "CONFLICT" });
    expect((await call(service, "GET", `/applications/${app.id}`, app.headers)).status).toBe(401);
    expect((await validate(service, app, here.accessToken)).status).toBe(401);
    expect((await validate(service, other, there.accessToken)).status).toBe(200);
  });
});
