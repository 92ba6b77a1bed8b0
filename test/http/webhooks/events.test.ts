import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import * as resetLinks from "../../../src/credentials/mailed/reset-links.ts";
import * as deliveries from "../../../src/records/webhooks/deliveries.ts";
import { eventKinds, type EventKind } from "../../../src/storage/column-types.ts";
import * as userAdministration from "../../../src/people/administration.ts";
import * as newUsers from "../../../src/people/new-users.ts";
import { addingSession, signedUpIn } from "../../support/adding.ts";
import { bearer, removeMethod } from "../../support/methods.ts";
import { call, initiate, newEmail, redeem, refresh, signedUp, signIn, signUp, Visitor } from "../../support/person.ts";
import { startProvider, type Provider } from "../../support/providers/provider.ts";
import { atProvider, codeOf, comeBack, setProvider, signInAt } from "../../support/providers/round.ts";
import { until, type Received, useReceiver } from "../../support/receiver.ts";
import { describeSqliteFirst, type TestApp } from "../../support/service.ts";
import { answerTerms, ask, signInToStep, someTerms } from "../../support/waiting-steps.ts";
import { createEndpoint, localWebhooks } from "../../support/webhooks.ts";

describeSqliteFirst("what an app is told of", localWebhooks, (current) => {
  const receiver = useReceiver();
  let provider: Provider;
  let app: TestApp;
  let endpoint: string;
  beforeAll(async () => {
    provider = await startProvider("google");
  });
  beforeEach(async () => {
    app = await current().createApp({ methods: ["password", "oauth"] });
    endpoint = await createEndpoint(current(), app, { url: receiver.url, events: [...eventKinds] });
    receiver.received.length = 0;
  });
  afterAll(async () => {
    await provider.close();
  });

  /** Everything that was told, once so much was and nothing else is on its way. */
  async function told(count: number): Promise<EventKind[]> {
    const { ctx } = current().server.app;
    await until(async () => {
      const all = await deliveries.list(ctx, endpoint, { limit: 100 });
      return all.length >= count && all.every(({ status }) => status === "delivered");
    });
    return receiver.received.map(({ body }) => body.event as EventKind).toSorted();
  }

  const only = (kind: EventKind): Received["body"] => {
    const [call, ...more] = receiver.of(kind);
    expect(more).toEqual([]);
    return call?.body ?? { event: "none", timestamp: "", data: {} };
  };

  const person = { ipAddress: "127.0.0.1", userAgent: "node" };

  it("a sign-up: the user when it is created, the login when its code is redeemed", async () => {
    const email = newEmail();
    const started = await signUp(current(), app, { email });
    expect(await told(1)).toEqual(["user.created"]);
    const { user, accessToken } = await redeem(current(), app, started);
    expect(await told(2)).toEqual(["user.created", "user.login"]);
    const userId = user["id"];
    const claims = decodeJwt(accessToken) as {
      sid: string;
    };
    expect(only("user.created").data).toEqual({ userId, email, authMethod: "password", ...person, sessionId: null });
    expect(only("user.login").data).toEqual({
      userId,
      email,
      authMethod: "password",
      ...person,
      sessionId: claims.sid,
    });
  });

  it("no address where the app may not have it, and it where a login still may", async () => {
    const { ctx } = current().server.app;
    const setScopes = async (scopes: ("profile" | "email")[]) =>
      await applications.update(ctx, app.id, { settings: { scopes } }, { kind: "cli", name: "test" });
    const known = await signedUp(current(), app);
    await told(2);
    receiver.received.length = 0;
    await setScopes(["profile"]);
    const stranger = await signedUp(current(), app);
    await told(4);
    for (const kind of ["user.created", "user.login"] as const) expect(only(kind).data).toMatchObject({ email: null });
    expect(JSON.stringify(receiver.received)).not.toContain(stranger.email);
    // Of a login from before, by its own scopes.
    await call(current(), "POST", "/auth/logout", bearer(known.accessToken));
    await told(5);
    expect(only("user.logout").data).toMatchObject({ email: known.email });
  });

  it("accepted terms, and not declined ones", async () => {
    const { email } = await signedUp(current(), app);
    await ask(current(), app, { ...someTerms, termsRequired: false });
    const declined = await signInToStep(current(), app, { email });
    await answerTerms(declined.visitor, declined.page, "no");
    await ask(current(), app, { termsVersion: "2" });
    const { visitor, page } = await signInToStep(current(), app, { email });
    await answerTerms(visitor, page, "yes");
    expect(await told(3)).toEqual(["user.created", "user.login", "user.terms"]);
    expect(only("user.terms").data).toMatchObject({ email, authMethod: null, ipAddress: "127.0.0.1", sessionId: null });
  });

  it("every login that ends, and nothing when it had ended before", async () => {
    const { accessToken, email } = await signedUp(current(), app);
    const again = await redeem(current(), app, await signIn(current(), app, { email }));
    const logout = async (token: string, body?: unknown) =>
      await call(current(), "POST", "/auth/logout", bearer(token), body);
    await logout(accessToken);
    await logout(accessToken);
    await logout(again.accessToken, { allSessions: true });
    expect(await told(5)).toEqual(["user.created", "user.login", "user.login", "user.logout", "user.logout"]);
    const sessions = (kind: EventKind) => new Set(receiver.of(kind).map(({ body }) => body.data["sessionId"]));
    expect(sessions("user.logout")).toEqual(sessions("user.login"));
  });

  it("a refresh token that came twice, and the end of its login", async () => {
    const { refreshToken } = await signedUp(current(), app);
    const next = await refresh(current(), app, refreshToken);
    current().clock.advance(31_000);
    await refresh(current(), app, String(next.body["refreshToken"]));
    expect((await refresh(current(), app, refreshToken)).status).toBe(401);
    expect(await told(4)).toEqual(["token.reuse", "user.created", "user.login", "user.logout"]);
    expect(only("token.reuse").data["sessionId"]).toBe(only("user.login").data["sessionId"]);
  });

  it("a code that came twice ends the login that it bought", async () => {
    const started = await signUp(current(), app);
    await redeem(current(), app, started);
    await expect(redeem(current(), app, started)).rejects.toThrow("callback answered 400");
    expect(await told(3)).toEqual(["user.created", "user.login", "user.logout"]);
  });

  it("a failed sign-in, without saying whose it was", async () => {
    const email = newEmail();
    const { authUrl } = await initiate(current(), app);
    const visitor = new Visitor();
    const page = await visitor.get(authUrl);
    await visitor.submit(page, "/password", { email, password: "a wrong password" });
    await told(1);
    const { data } = only("login.failed");
    expect(data).toEqual({ userId: null, email: null, authMethod: "password", ...person, sessionId: null });
    expect(JSON.stringify(receiver.received)).not.toContain(email);
  });

  it("a changed profile, and a deleted one by its id alone, with the logins that end with it", async () => {
    const { accessToken, user } = await signedUp(current(), app);
    await call(current(), "PATCH", "/users/profile", bearer(accessToken), { name: "Ada" });
    await call(current(), "DELETE", "/users/profile", bearer(accessToken));
    expect(await told(5)).toEqual(["user.created", "user.deleted", "user.login", "user.logout", "user.updated"]);
    expect(only("user.logout").data).toMatchObject({ email: null, ipAddress: null, userAgent: null });
    expect(only("user.logout").data["sessionId"]).toBe(only("user.login").data["sessionId"]);
    expect(only("user.deleted").data).toEqual({
      userId: user["id"],
      email: null,
      authMethod: null,
      ipAddress: null,
      userAgent: null,
      sessionId: null,
    });
  });

  it("a method that is added, when it is there and not when its adding was begun, and one that is removed", async () => {
    await setProvider(current(), app, provider);
    const person = await signedUpIn(current(), app);
    const userId = String(person.user["id"]);
    const asked = { type: "oauth", provider: "google" };
    const session = await addingSession(current(), app, person.accessToken, asked);
    const left = await person.visitor.submit(await person.visitor.get(session.authUrl), "/add/oauth", {});
    const back = await atProvider(left.location, provider, { subject: "1", email: newEmail() });
    expect(await told(2)).toEqual(["user.created", "user.login"]);
    const done = await comeBack(person.visitor, back);
    expect(done.location.searchParams.get("status")).toBe("added");
    const methodId = done.location.searchParams.get("methodId") ?? "";
    expect((await removeMethod(current(), person, methodId)).status).toBe(200);
    expect(await told(4)).toEqual(["method.added", "method.removed", "user.created", "user.login"]);
    for (const kind of ["method.removed", "method.added"] as const)
      expect(only(kind).data).toMatchObject({ userId, email: person.email, authMethod: "oauth", sessionId: null });
  });

  it("a reset that gives somebody the first password adds a method, and the next one changes the user", async () => {
    const { ctx } = current().server.app;
    const actor = { kind: "cli", name: "test" } as const;
    const input = { appId: app.id, email: newEmail(), emailVerified: true, name: null, password: undefined };
    const { id: userId } = await newUsers.create(ctx, input, { dryRun: false }, { actor });
    const reset = async (password: string): Promise<void> => {
      const { link } = await resetLinks.linkFor(ctx, userId, { send: false, dryRun: false }, actor);
      const visitor = new Visitor();
      const page = await visitor.get(String(link));
      expect((await visitor.submit(page, new URL(String(link)).pathname, { password })).status).toBe(200);
    };
    await reset("the first of two passwords");
    expect(await told(2)).toEqual(["method.added", "user.created"]);
    expect(only("method.added").data).toMatchObject({ userId, authMethod: "password", sessionId: null });
    await reset("the second of two passwords");
    expect(await told(3)).toEqual(["method.added", "user.created", "user.updated"]);
  });

  it("a sign-up with a provider, once", async () => {
    await setProvider(current(), app, provider);
    const email = newEmail();
    const { done, session } = await signInAt(current(), app, provider, { subject: "2", email });
    await redeem(current(), app, { session, code: codeOf(done) });
    expect(await told(2)).toEqual(["user.created", "user.login"]);
    expect(only("user.created").data).toMatchObject({ email, authMethod: "oauth", ...person });
  });

  it("what an operator does: users that are made, logins that are ended", async () => {
    const { ctx } = current().server.app;
    const actor = { kind: "cli", name: "test" } as const;
    const input = { appId: app.id, email: newEmail(), emailVerified: true, name: null, password: undefined };
    const made = await newUsers.create(ctx, input, { dryRun: false }, { actor });
    const { user } = await signedUp(current(), app);
    await userAdministration.disable(ctx, String(user["id"]), { dryRun: false }, { actor });
    expect(await told(4)).toEqual(["user.created", "user.created", "user.login", "user.logout"]);
    const [byCommand] = receiver.of("user.created").filter(({ body }) => body.data["userId"] === made.id);
    expect(byCommand?.body.data).toMatchObject({ authMethod: null, ipAddress: null, userAgent: null });
  });
});
