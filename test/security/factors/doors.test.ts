import { expect, it } from "vitest";
import { accountUrl, openAccount } from "../../support/account.ts";
import { codeAt, firstProof, signedUpWithTotp } from "../../support/factors.ts";
import { authorizeUrl, createTestClient } from "../../support/openid.ts";
import { call, goodPassword, initiate, redeem, refresh, signedUp, Visitor, type Page } from "../../support/person.ts";
import { routes } from "../../../src/routes.ts";
import { addressOf } from "../../support/routes.ts";
import { describeSqliteFirst, updateApp, withApp } from "../../support/service.ts";

const required = { settings: { secondFactor: "required" } } as const;
const optional = { settings: { secondFactor: "optional" } } as const;

/** Whether the browser is sent to the app with a code. */
function hasCode(page: Page): boolean {
  return page.location.searchParams.has("code") && page.location.origin !== new URL(page.url).origin;
}

describeSqliteFirst("before the second factor", (current) => {
  it("M4, M5, CVE-2026-33315, CVE-2025-25068, BetterAuth-9122, BetterAuth-9639, CVE-2026-32246, CVE-2026-9091: no route of the service gives anything for the cookies of the password", async () => {
    const { service, app } = await withApp(current(), required);
    const { email } = await signedUpWithTotp(service, app);
    const { session, visitor, page } = await firstProof(service, app, email);
    const { fields } = page.form("/step/code");
    const { db, tables } = service.server.app.ctx.storage.reader;
    const loginsBefore = await db.select().from(tables.logins);
    const doors: string[] = [];
    for (const { method, path } of routes) {
      // Only these end the session, on purpose.
      if (path.endsWith("/cancel") || path.endsWith("/deny")) continue;
      const address = `${service.url}${addressOf({ path }, { sessionId: session.sessionId, appId: app.id })}?app_id=${app.id}`;
      const browser = visitor.copy();
      const answer =
        method === "POST"
          ? await browser.post(address, { ...fields, credential: "{}", code: "123456", "set-up": "x", trust: "yes" })
          : await browser.get(address);
      doors.push(`${method} ${path}`);
      expect([`${method} ${path}`, hasCode(answer)]).toEqual([`${method} ${path}`, false]);
      expect(answer.text).not.toContain(email);
    }
    expect(doors.length).toBeGreaterThan(80);
    expect(await db.select().from(tables.logins)).toHaveLength(loginsBefore.length);
    // The account page asks for a sign-in.
    expect((await openAccount(service, app, visitor)).status).toBe(303);
    expect((await visitor.get(accountUrl(service, app, "/data"))).status).toBe(303);
  });

  it("M4, CVE-2026-32246, Kratos-3669: authorize with the cookies of the password alone gives no code, silently or not", async () => {
    const { service, app } = await withApp(current(), required);
    const { email } = await signedUpWithTotp(service, app);
    const client = await createTestClient(service, app);
    const { visitor } = await firstProof(service, app, email);
    for (const prompt of [null, "none"]) {
      const page = await visitor.get(authorizeUrl(service, client, { prompt }));
      expect(hasCode(page)).toBe(false);
      expect(page.location.searchParams.get("error") ?? "a page").toMatch(
        prompt === null ? /a page/u : /login_required/u,
      );
    }
  });

  it("M5, Authorizer-e1b23d35, CVE-2023-42818, CVE-2025-64103: a step is taken only where it is due, and the password again is no second factor", async () => {
    const { service, app } = await withApp(current(), required);
    const { email } = await signedUpWithTotp(service, app);
    const { session, visitor, page } = await firstProof(service, app, email);
    const { fields } = page.form("/step/code");
    for (const step of ["set-up", "continue", "skip", "consent", "new-passkey", "take-over"]) {
      const answer = await visitor.post(`${session.authUrl}/step/${step}`, {
        ...fields,
        code: "123456",
        credential: "{}",
      });
      expect([step, hasCode(answer)]).toEqual([step, false]);
    }
    const again = await visitor.post(`${session.authUrl}/password`, { ...fields, email, password: goodPassword });
    expect(hasCode(again)).toBe(false);
    // A new session has no first proof.
    const other = await initiate(service, app);
    const form = (await visitor.get(other.authUrl)).form("/password");
    expect(hasCode(await visitor.post(`${other.authUrl}/step/code`, { ...form.fields, code: "123456" }))).toBe(false);
  });

  it("M6, Kratos-4305: the account page is closed to a browser that was signed in before the factor was set up", async () => {
    const { service, app } = await withApp(current(), optional);
    const { email } = await signedUp(service, app);
    const old = new Visitor();
    const first = await firstProof(service, app, email, { visitor: old });
    expect(hasCode(first.done)).toBe(true);
    expect((await openAccount(service, app, old)).status).toBe(200);
    await updateApp(service, app, required);
    expect((await openAccount(service, app, old)).status).toBe(303);
  });

  it("M6, CVE-2022-30689: each setting does what it says, at the sign-in and at a refresh", async () => {
    const { service, app } = await withApp(current());
    const { email, refreshToken } = await signedUp(service, app);
    for (const [secondFactor, isAsked] of [
      ["off", false],
      ["optional", false],
      ["required", true],
    ] as const) {
      await updateApp(service, app, { settings: { secondFactor } });
      expect([secondFactor, hasCode((await firstProof(service, app, email)).done)]).toEqual([secondFactor, !isAsked]);
    }
    expect((await refresh(service, app, refreshToken)).body.error?.code).toBe("INVALID_TOKEN");
    await updateApp(service, app, optional);
    expect((await refresh(service, app, refreshToken)).status).toBe(200);
  });

  it("M6, CVE-2024-45042: asks for a factor that was set up, where none is required any more", async () => {
    const { service, app } = await withApp(current(), required);
    const { email } = await signedUpWithTotp(service, app);
    for (const secondFactor of ["optional", "off"] as const) {
      await updateApp(service, app, { settings: { secondFactor } });
      expect(hasCode((await firstProof(service, app, email)).done)).toBe(false);
    }
  });

  it("M4, CVE-2025-6013: asks however the address is spelt", async () => {
    const { service, app } = await withApp(current(), required);
    const { email } = await signedUpWithTotp(service, app);
    for (const spelt of [email.toUpperCase(), ` ${email} `, email.replace("@", "@").normalize("NFKD")]) {
      const { done } = await firstProof(service, app, spelt);
      expect(hasCode(done)).toBe(false);
    }
  });

  it("M14, CVE-2025-11794: the page after the password tells nothing about the user", async () => {
    const { service, app } = await withApp(current(), required);
    const { email, key, codes } = await signedUpWithTotp(service, app);
    const { page } = await firstProof(service, app, email);
    for (const secret of [email, key.replaceAll(" ", ""), key, ...codes]) expect(page.text).not.toContain(secret);
  });

  it("M12, Authorizer-22508730: fields that a visitor adds set nothing", async () => {
    const { service, app } = await withApp(current(), required);
    const session = await initiate(service, app);
    const visitor = new Visitor();
    const form = await visitor.get(`${session.authUrl}/create-account`);
    const done = await visitor.submit(form, "/create-account", {
      email: `extra.${process.pid}@example.org`,
      name: "",
      password: goodPassword,
      secondFactor: "totp",
      "second-factor": "off",
      mfa: "true",
      acr: "urn:authsvc:acr:2",
    });
    expect(hasCode(done)).toBe(false);
    const refused = await call(service, "POST", "/auth/initiate", app.headers, {
      redirectUri: app.redirectUri,
      secondFactor: "off",
    });
    expect(refused.body.error?.code).toBe("INVALID_REQUEST");
  });

  it("M6, Kratos-3669: a code that was given before the policy changed begins no login", async () => {
    const { service, app } = await withApp(current());
    const { email } = await signedUp(service, app);
    const { session, done } = await firstProof(service, app, email);
    await updateApp(service, app, required);
    const code = done.location.searchParams.get("code") ?? "";
    await expect(redeem(service, app, { session, code })).rejects.toThrow("400");
  });

  it("M13: a code of the right step after the session of another user is refused", async () => {
    const { service, app } = await withApp(current(), required);
    const [one, other] = [await signedUpWithTotp(service, app), await signedUpWithTotp(service, app)];
    service.clock.advance(60_000);
    const { visitor, page } = await firstProof(service, app, one.email);
    expect((await visitor.submit(page, "/step/code", { code: codeAt(other.key, service.clock.now) })).status).toBe(422);
  });
});
