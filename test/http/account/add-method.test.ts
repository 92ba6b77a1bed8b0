import { beforeAll, describe, expect, it, afterAll } from "vitest";
import { openAccount, press } from "../../support/account.ts";
import { addingSession, askToAdd, signedUpIn } from "../../support/adding.ts";
import { bearer, givePasskey } from "../../support/methods.ts";
import {
  call,
  goodPassword,
  signedUp,
  signIn,
  validate,
  Visitor,
  type Page,
  type Session,
} from "../../support/person.ts";
import { startProvider, type Provider } from "../../support/providers/provider.ts";
import { changeUser, identitiesOf } from "../../support/providers/records.ts";
import { appWith, atProvider, codeOf, comeBack, mustBeContent, signInAt } from "../../support/providers/round.ts";
import { useApp, updateApp, describeSqliteFirst, type TestApp } from "../../support/service.ts";

const otherPassword = "another horse, another battery";
const minutes = 60_000;

describeSqliteFirst("POST /users/auth-methods", (current) => {
  const app = useApp(current);

  it("answers an address, a session id and ten minutes", async () => {
    const { accessToken } = await signedUp(current(), app);
    const answer = await askToAdd(current(), accessToken, { type: "passkey", redirectUri: app.redirectUri });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body).toSorted()).toEqual(["authUrl", "expiresAt", "sessionId"]);
    expect(answer.body["authUrl"]).toBe(`${current().url}/sign-in/${String(answer.body["sessionId"])}`);
    expect(Date.parse(String(answer.body["expiresAt"])) - current().clock.now).toBeLessThanOrEqual(10 * minutes);
  });

  it.each([
    ["an unknown type", { type: "sms" }, "type"],
    ["no type", {}, "type"],
    ["a redirect address of nobody's", { type: "password", redirectUri: "https://evil.example/" }, "redirectUri"],
    ["a disabled method", { type: "oauth", provider: "github" }, "type"],
    ["a provider without oauth", { type: "password", provider: "github" }, "provider"],
    ["an extra key", { type: "password", scopes: ["profile"] }, "scopes"],
  ])("refuses %s by name", async (_title, body, field) => {
    const { accessToken } = await signedUp(current(), app);
    const answer = await askToAdd(current(), accessToken, { redirectUri: app.redirectUri, ...body });
    expect(answer.status).toBe(400);
    expect(answer.body.error?.code).toBe("INVALID_REQUEST");
    expect(answer.body.error?.details).toContain(field);
  });
});

describeSqliteFirst("adding a password", (current) => {
  const app = useApp(current);

  it("changes the one that there is: in the browser that has just signed in, with the account named", async () => {
    const { accessToken, email, visitor } = await signedUpIn(current(), app);
    const session = await addingSession(current(), app, accessToken, { type: "password", state: "s 1" });
    const page = await visitor.get(session.authUrl);
    expect(page.text).toContain("Change your password");
    expect(page.text).toContain(email);
    const done = await visitor.submit(page, "/add/password", { password: otherPassword });
    expect(done.status).toBe(303);
    const query = done.location.searchParams;
    expect(done.location.href.startsWith(app.redirectUri)).toBe(true);
    expect(Object.fromEntries(query)).toEqual({
      status: "changed",
      methodId: expect.stringMatching(/^mth_/u),
      state: "s 1",
      sessionId: session.sessionId,
    });
    await expect(signIn(current(), app, { email })).rejects.toThrow("401");
    await signIn(current(), app, { email, password: otherPassword });
    expect((await validate(current(), app, accessToken)).status).toBe(200);
  });

  it("names the account in full only in a browser that is signed in as its user, or has just proven it", async () => {
    const { accessToken, email } = await signedUpIn(current(), app);
    const session = await addingSession(current(), app, accessToken, { type: "password" });
    const stranger = new Visitor();
    const page = await stranger.get(session.authUrl);
    expect(page.status).toBe(200);
    expect(page.text).not.toContain(email);
    expect(page.text).toContain(`${email.slice(0, 1)}…@e…${email.slice(email.lastIndexOf("."))}`);
    // Nor to somebody who is signed in as another.
    const other = await signedUpIn(current(), app);
    const { text } = await other.visitor.get(session.authUrl);
    expect(text).not.toContain(email);
    const wrong = await stranger.submit(page, "/password", { email: other.email, password: goodPassword });
    expect(wrong.text).not.toContain(email);
    const proven = await stranger.submit(page, "/password", { email, password: goodPassword });
    expect((await stranger.get(proven.location.href)).text).toContain(email);
  });

  it("adds a first one, which was never used until it signs somebody in", async () => {
    const { accessToken, email, visitor, user } = await signedUpIn(current(), app);
    await givePasskey(current(), String(user["id"]));
    const password = async () => {
      const { body } = await call(current(), "GET", "/users/auth-methods", bearer(accessToken));
      return (body["methods"] as { type: string; id: string; lastUsed: string | null }[]).find(
        ({ type }) => type === "password",
      );
    };
    const { id = "", lastUsed } = (await password()) ?? {};
    expect(lastUsed).not.toBeNull();
    await press(app, visitor, await openAccount(current(), app, visitor, `/methods/${id}/remove`), "/remove");
    const session = await addingSession(current(), app, accessToken, { type: "password" });
    const page = await visitor.get(session.authUrl);
    const done = await visitor.submit(page, "/add/password", { password: otherPassword });
    expect(done.location.searchParams.get("status")).toBe("added");
    expect(await password()).toMatchObject({ lastUsed: null });
    await signIn(current(), app, { email, password: otherPassword });
    expect((await password())?.lastUsed).toMatch(/Z$/u);
  });

  it("holds the new password against the rules, and uses nothing up", async () => {
    const { accessToken, email, visitor } = await signedUpIn(current(), app);
    const session = await addingSession(current(), app, accessToken, { type: "password" });
    const page = await visitor.get(session.authUrl);
    for (const [password, words] of [
      ["short", "Too short"],
      ["", "Enter a password"],
      [email, "Use something other than your email"],
    ] as const) {
      const refused = await visitor.submit(page, "/add/password", { password });
      expect(refused.status).toBe(422);
      expect(refused.text).toContain(words);
    }
    expect((await visitor.submit(page, "/add/password", { password: otherPassword })).status).toBe(303);
  });

  it("works once", async () => {
    const { accessToken, email, visitor } = await signedUpIn(current(), app);
    const session = await addingSession(current(), app, accessToken, { type: "password" });
    const page = await visitor.get(session.authUrl);
    await visitor.submit(page, "/add/password", { password: otherPassword });
    const again = await visitor.submit(page, "/add/password", { password: "a third password altogether" });
    expect(again.status).toBe(200);
    expect(again.text).not.toContain("methodId");
    await signIn(current(), app, { email, password: otherPassword });
  });

  describe("a stolen or forwarded authUrl alone adds nothing (docs/spec/decisions.md, 6)", () => {
    it("adds nothing by a GET, and nothing without the form's token", async () => {
      const { accessToken, email, visitor } = await signedUpIn(current(), app);
      const session = await addingSession(current(), app, accessToken, { type: "password" });
      await visitor.get(session.authUrl);
      expect((await visitor.get(`${session.authUrl}/add/password`)).status).toBe(405);
      const bare = await visitor.post(`${session.authUrl}/add/password`, { password: otherPassword });
      expect(bare.status).toBe(403);
      await signIn(current(), app, { email });
    });
  });

  it("is refused once the app has switched passwords off", async () => {
    const { accessToken, visitor } = await signedUpIn(current(), app);
    const session = await addingSession(current(), app, accessToken, { type: "password" });
    const page = await visitor.get(session.authUrl);
    await updateApp(current(), app, { authMethods: { password: { enabled: false } } });
    const refused = await visitor.submit(page, "/add/password", { password: otherPassword });
    expect(refused.location.searchParams.get("status")).toBeNull();
    await updateApp(current(), app, { authMethods: { password: { enabled: true } } });
  });

  it("gives the person a way back without adding anything", async () => {
    const { accessToken, email, visitor } = await signedUpIn(current(), app);
    const session = await addingSession(current(), app, accessToken, { type: "password" });
    await visitor.get(session.authUrl);
    const back = await visitor.get(`${session.authUrl}/cancel`);
    expect(back.location.searchParams.get("error")).toBe("access_denied");
    await signIn(current(), app, { email, password: goodPassword });
  });
});

const person = { subject: "4711", email: "somebody@else.example", emailVerified: true };

describeSqliteFirst("adding an account at a provider", (current) => {
  let provider: Provider;
  let app: TestApp;
  beforeAll(async () => {
    provider = await startProvider("google");
    app = await appWith(current(), [provider]);
  });
  afterAll(async () => {
    mustBeContent(provider);
    await provider.close();
  });

  const ask = async (accessToken: string): Promise<Session> =>
    await addingSession(current(), app, accessToken, { type: "oauth", provider: "Google" });

  /** From the page that names the account, to the provider and back. */
  async function add(visitor: Visitor, page: Page, who: typeof person): Promise<Page> {
    const left = await visitor.submit(page, "/add/oauth", {});
    expect(left.status).toBe(303);
    return await comeBack(visitor, await atProvider(left.location, provider, who));
  }

  it("links the identity to the account that the page names, whatever its address is, and signs in with it", async () => {
    const who = { ...person, subject: "1" };
    const { accessToken, email, visitor } = await signedUpIn(current(), app);
    const session = await ask(accessToken);
    const page = await visitor.get(session.authUrl);
    expect(page.text).toContain("Add Google");
    expect(page.text).toContain(email);
    const done = await add(visitor, page, who);
    expect(done.location.searchParams.get("status")).toBe("added");
    expect(done.location.searchParams.get("sessionId")).toBe(session.sessionId);
    expect(done.location.searchParams.get("code")).toBeNull();
    const [identity] = await identitiesOf(current(), app);
    expect(identity).toMatchObject({ subject: "1", provider: "google" });
    expect(done.location.searchParams.get("methodId")).toBe(identity?.id);
    const signedIn = await signInAt(current(), app, provider, who);
    expect(codeOf(signedIn.done)).toHaveLength(43);
  });

  it("gives a nameless account the name that the provider knows, and leaves any other name", async () => {
    for (const [subject, name, expected] of [
      ["31", null, "Ada at Google"],
      ["32", "Countess", "Countess"],
    ] as const) {
      const who = { ...person, subject, email: `${subject}@else.example`, name: "Ada at Google" };
      const { accessToken, email, visitor } = await signedUpIn(current(), app);
      await changeUser(current(), email, { name });
      await add(visitor, await visitor.get((await ask(accessToken)).authUrl), who);
      const profile = await call(current(), "GET", "/users/profile", { authorization: `Bearer ${accessToken}` });
      expect(profile.body["name"]).toBe(expected);
    }
  });

  it("says so when the identity is there already", async () => {
    const who = { ...person, subject: "3" };
    const { accessToken, visitor } = await signedUpIn(current(), app);
    await add(visitor, await visitor.get((await ask(accessToken)).authUrl), who);
    const again = await add(visitor, await visitor.get((await ask(accessToken)).authUrl), who);
    expect(again.status).toBe(422);
    expect(again.text).toContain("You can already sign in with that");
  });

  it("comes back to its page when the person turns round at the provider", async () => {
    const { accessToken, visitor } = await signedUpIn(current(), app);
    const session = await ask(accessToken);
    const left = await visitor.submit(await visitor.get(session.authUrl), "/add/oauth", {});
    const state = left.location.searchParams.get("state") ?? "";
    const back = await visitor.get(`${current().url}/oauth/google/callback?error=access_denied&state=${state}`);
    expect(back.status).toBe(422);
    expect(back.text).toContain("Add Google");
  });

  describe("what an attacker would try", () => {
    it("has nothing linked by signing in at the provider where a proof of the account is asked for", async () => {
      const who = { ...person, subject: "5", email: "fifth@else.example" };
      const { accessToken } = await signedUpIn(current(), app);
      const session = await ask(accessToken);
      const stranger = new Visitor();
      const left = await stranger.submit(await stranger.get(session.authUrl), "/oauth/google", {});
      const back = await comeBack(stranger, await atProvider(left.location, provider, who));
      expect(back.status).toBe(400);
      // Nobody is created either: this page is no sign-up.
      expect((await identitiesOf(current(), app)).some(({ subject }) => subject === "5")).toBe(false);
    });

    it("has nothing linked once the account was disabled on the way", async () => {
      const who = { ...person, subject: "6" };
      const { accessToken, email, visitor } = await signedUpIn(current(), app);
      const session = await ask(accessToken);
      const left = await visitor.submit(await visitor.get(session.authUrl), "/add/oauth", {});
      await changeUser(current(), email, { disabledAt: 1 });
      const back = await comeBack(visitor, await atProvider(left.location, provider, who));
      expect(back.status).not.toBe(303);
      expect((await identitiesOf(current(), app)).some(({ subject }) => subject === "6")).toBe(false);
    });

    it("gets no proof of one account by a provider identity of another", async () => {
      const who = { ...person, subject: "7", email: "seventh@else.example" };
      await signInAt(current(), app, provider, who);
      const { accessToken } = await signedUpIn(current(), app);
      const session = await ask(accessToken);
      const thief = new Visitor();
      const left = await thief.submit(await thief.get(session.authUrl), "/oauth/google", {});
      const back = await comeBack(thief, await atProvider(left.location, provider, who));
      expect(back.text).toContain("That&#39;s another account");
      const forced = await thief.post(`${session.authUrl}/add/oauth`, back.form("/password").fields);
      expect(forced.location.href).toBe(session.authUrl);
    });
  });
});
