import { expect, it } from "vitest";
import {
  openPage,
  call,
  goodPassword,
  initiate,
  newEmail,
  redeem,
  refresh,
  signedUp,
  signUp,
  validate,
  type Session,
  Visitor,
} from "../../support/person.ts";
import { withApp, updateApp, describeSqliteFirst } from "../../support/service.ts";

describeSqliteFirst("the whole sign-in", (current) => {
  it("goes from initiate to logout with a password, without JavaScript", async () => {
    const { service, app } = await withApp(current());
    const email = newEmail();
    const state = 'state & "ünï" %20+';
    const { session, location } = await signUp(service, app, { email, name: "Ada Lovelace" }, { state });
    expect(location.origin + location.pathname).toBe("https://app.example/callback");
    expect(location.searchParams.get("state")).toBe(state);
    expect(location.searchParams.get("sessionId")).toBe(session.sessionId);

    const tokens = await redeem(service, app, { session, code: location.searchParams.get("code") ?? "" }, { state });
    expect(tokens.expiresIn).toBe(900);
    expect(tokens.user).toEqual({
      id: expect.stringMatching(/^usr_/u),
      email,
      emailVerified: false,
      name: "Ada Lovelace",
      picture: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u),
      lastLoginAt: expect.stringMatching(/Z$/u),
      authMethods: { passkey: false, oauth: [], password: true },
    });

    const valid = await validate(service, app, tokens.accessToken);
    expect(valid.status).toBe(200);
    expect(valid.body).toEqual({
      valid: true,
      user: { id: tokens.user["id"], email, emailVerified: false, name: "Ada Lovelace" },
      scopes: ["profile", "email"],
      expiresAt: expect.stringMatching(/Z$/u),
    });

    const next = await refresh(service, app, tokens.refreshToken);
    expect(next.status).toBe(200);
    expect(Object.keys(next.body).toSorted()).toEqual(["accessToken", "expiresIn", "refreshToken"]);
    expect(next.body["refreshToken"]).not.toBe(tokens.refreshToken);

    const bearer = { authorization: `Bearer ${String(next.body["accessToken"])}` };
    const out = await call(service, "POST", "/auth/logout", bearer, { refreshToken: next.body["refreshToken"] });
    expect(out.body).toEqual({ success: true, message: expect.any(String) });
    for (const token of [tokens.accessToken, String(next.body["accessToken"])]) {
      expect((await validate(service, app, token)).body.error?.code).toBe("INVALID_TOKEN");
    }
    expect((await refresh(service, app, String(next.body["refreshToken"]))).body.error?.code).toBe("INVALID_TOKEN");
  });

  it("keeps the query of a redirect address to the letter", async () => {
    const { service, app } = await withApp(current(), { redirectUris: ["https://app.example/cb?x=%2F&y=a+b"] });
    const { visitor, page } = await openPage(service, app, {}, "/create-account");
    const done = await visitor.submit(page, "/create-account", { email: newEmail(), password: goodPassword });
    expect(done.headers.get("location")).toMatch(
      /^https:\/\/app\.example\/cb\?x=%2F&y=a\+b&code=[\w-]{43}&sessionId=sis_[\w-]{43}$/u,
    );
  });

  it("sends a person who cancels back to the app, and leaves the session open", async () => {
    const { service, app } = await withApp(current());
    const session = await initiate(service, app, { state: "s" });
    const cancelled = await new Visitor().get(`${session.authUrl}/cancel`);
    expect(cancelled.status).toBe(303);
    expect(Object.fromEntries(cancelled.location.searchParams)).toEqual({
      error: "access_denied",
      error_description: expect.any(String),
      state: "s",
      sessionId: session.sessionId,
    });
    expect((await new Visitor().get(session.authUrl)).status).toBe(200);
  });

  it.each(["passkey", "password"] as const)(
    "leads back to the app with method_disabled when its %s was switched off meanwhile",
    async (authMethod) => {
      const { service, app } = await withApp(current(), { methods: ["passkey", "password"] });
      const session = await initiate(service, app, { authMethod, state: "s t" });
      const change = { authMethods: { [authMethod]: { enabled: false } } };
      await updateApp(service, app, change);
      for (const address of [session.authUrl, `${session.authUrl}/create-account`]) {
        const page = await new Visitor().get(address);
        expect(page.status).toBe(303);
        expect(page.location.href.split("?")[0]).toBe(app.redirectUri);
        expect(Object.fromEntries(page.location.searchParams)).toEqual({
          error: "method_disabled",
          error_description: `Signing in by ${authMethod} is not enabled.`,
          state: "s t",
          sessionId: session.sessionId,
        });
      }
    },
  );

  it("continues in a browser that has opened dozens of sign-ins: only the newest leave a cookie, and those still count", async () => {
    const { service, app } = await withApp(current());
    const { email } = await signedUp(service, app);
    const visitor = new Visitor();
    const sessions: Session[] = [];
    for (let opened = 0; opened < 60; opened += 1) {
      const session = await initiate(service, app);
      expect((await visitor.get(session.authUrl)).status).toBe(200);
      sessions.push(session);
    }
    expect(visitor.cookies.size).toBeLessThanOrEqual(21);
    for (const session of sessions.slice(-3)) {
      const page = await visitor.submit(await visitor.get(session.authUrl), "/password", {
        email,
        password: goodPassword,
      });
      await redeem(service, app, { session, code: page.location.searchParams.get("code") ?? "" });
    }
  });
});
