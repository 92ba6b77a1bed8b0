import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addingSession, signedUpIn } from "../../support/adding.ts";
import { call, Visitor, type Page, type Session } from "../../support/person.ts";
import { startProvider, type Provider } from "../../support/providers/provider.ts";
import { changeUser, identitiesOf } from "../../support/providers/records.ts";
import { appWith, atProvider, codeOf, comeBack, mustBeContent, signInAt } from "../../support/providers/round.ts";
import { describeSqliteFirst, type TestApp } from "../../support/service.ts";

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
