import { decodeJwt } from "jose";
import { expect, it } from "vitest";
import { codeAt, codesIn, firstProof, keyIn, signedUpWithTotp } from "../../support/factors.ts";
import { newUser } from "../../support/mail-flows.ts";
import { authorizeUrl, createTestClient } from "../../support/openid.ts";
import { goodPassword, initiate, redeem, Visitor, type Page } from "../../support/person.ts";
import { describeSqliteFirst, updateApp, withApp, type TestApp, type TestService } from "../../support/service.ts";

/** A sign-in that waits for somebody's next step, in their browser. */
type Waiting = { visitor: Visitor; page: Page; authUrl: string; sessionId?: string };

const byPassword = async (service: TestService, app: TestApp, email: string): Promise<Waiting> => {
  const { session, visitor, page } = await firstProof(service, app, email);
  return { visitor, page, ...session };
};

const withoutFactor = async (service: TestService, app: TestApp): Promise<Waiting> =>
  await byPassword(service, app, (await newUser(service, app, { password: goodPassword })).email);

/** How far the first person came. */
const steps: Record<string, (service: TestService, app: TestApp) => Promise<Waiting>> = {
  "their password": async (service, app) =>
    await byPassword(service, app, (await signedUpWithTotp(service, app)).email),
  async "a recovery code"(service, app) {
    const { email, codes } = await signedUpWithTotp(service, app);
    const waiting = await byPassword(service, app, email);
    await waiting.visitor.submit(waiting.page, "/step/code", { code: codes[0] ?? "" });
    return { ...waiting, page: await waiting.visitor.get(waiting.authUrl) };
  },
  "a password where an app is set up next": withoutFactor,
  async "the code of a new app"(service, app) {
    const waiting = await withoutFactor(service, app);
    const code = codeAt(keyIn(waiting.page), service.clock.now);
    const page = await waiting.visitor.submit(waiting.page, "/step/set-up", { code });
    expect(codesIn(page)).toHaveLength(10);
    return { ...waiting, page };
  },
  async "a password where a passkey is created next"(service, app) {
    await updateApp(service, app, { authMethods: { passkey: { enabled: true, required: true } } });
    const waiting = await withoutFactor(service, app);
    expect(waiting.page.text).toContain("/step/new-passkey");
    await updateApp(service, app, { authMethods: { passkey: { required: false } } });
    return waiting;
  },
  async "a password where a passkey is offered next"(service, app) {
    await updateApp(service, app, {
      settings: { secondFactor: "optional" },
      authMethods: { passkey: { enabled: true } },
    });
    const { email } = await newUser(service, app, { password: goodPassword });
    const session = await initiate(service, app);
    const visitor = new Visitor();
    const typed = { email, password: goodPassword, passkeys: "1" };
    const done = await visitor.submit(await visitor.get(session.authUrl), "/password", typed);
    const page = await visitor.get(done.location.href);
    expect(page.text).toContain("/step/skip");
    return { visitor, page, ...session };
  },
  async "everything but consent"(service, app) {
    const { email, key } = await signedUpWithTotp(service, app);
    const client = await createTestClient(service, app, { consent: "ask" });
    const visitor = new Visitor();
    const form = await visitor.get((await visitor.get(authorizeUrl(service, client))).location.href);
    await visitor.submit(form, "/password", { email, password: goodPassword });
    service.clock.advance(60_000);
    const asked = await visitor.get(form.url);
    await visitor.submit(asked, "/step/code", { code: codeAt(key, service.clock.now) });
    const page = await visitor.get(form.url);
    expect(page.text).toContain("/step/consent");
    return { visitor, page, authUrl: form.url };
  },
};

/** The hidden fields of whichever form a page has. */
function fieldsOf(page: Page): Record<string, string> {
  const action = /<form\b[^>]*\baction="([^"]*\/(?:step|password)[^"]*)"/u.exec(page.text)?.[1];
  return page.form(action ?? "no form").fields;
}

const hasCode = (page: Page): boolean => page.location.searchParams.has("code");

describeSqliteFirst("two people in one sign-in", (service) => {
  it.each(Object.keys(steps))(
    "M5, M13: after one gave %s, the password of another leads to the other's own second step",
    async (step) => {
      const { app } = await withApp(service, { settings: { secondFactor: "required" } });
      const other = await signedUpWithTotp(service, app);
      const waiting = await steps[step]?.(service, app);
      if (!waiting) throw new Error("no such step");
      const { visitor, page, authUrl, sessionId } = waiting;
      service.clock.advance(60_000);
      const typed = { email: other.email, password: goodPassword };
      const proven = await visitor.post(`${authUrl}/password`, { ...fieldsOf(page), ...typed });
      expect(hasCode(proven)).toBe(false);
      const next = await visitor.get(authUrl);
      const { fields } = next.form("/step/code");
      for (const skipped of ["continue", "skip", "consent", "set-up"])
        expect([skipped, hasCode(await visitor.post(`${authUrl}/step/${skipped}`, fields))]).toEqual([skipped, false]);
      const done = await visitor.submit(next, "/step/code", { code: codeAt(other.key, service.clock.now) });
      // At a client, the other is asked for consent of their own.
      if (sessionId === undefined) expect((await visitor.get(authUrl)).text).toContain("/step/consent");
      if (sessionId === undefined) return;
      const code = done.location.searchParams.get("code") ?? "";
      const tokens = await redeem(service, app, { session: { authUrl, sessionId, expiresAt: "" }, code });
      expect(tokens.user["id"]).toBe(other.tokens.user["id"]);
      expect(decodeJwt(tokens.accessToken)).toMatchObject({
        acr: "urn:authsvc:acr:2",
        amr: ["pwd", "otp", "mfa"],
      });
    },
  );
});
