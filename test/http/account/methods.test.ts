import { beforeAll, describe, expect, it } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import * as users from "../../../src/users/service.ts";
import { accountUrl, minutes, openAccount, press, proveAt } from "../../support/account.ts";
import { signedUpIn } from "../../support/adding.ts";
import { giveIdentity, givePasskey, methodsOf, setProvider, bearer } from "../../support/methods.ts";
import { call, goodPassword, signIn, Visitor, newEmail, redeem, signedUp } from "../../support/person.ts";
import { useApp, describeSqliteFirst, type TestApp } from "../../support/service.ts";

const otherPassword = "another horse, another battery";

describeSqliteFirst("ways to sign in on the account page", (current) => {
  const app = useApp(current);
  beforeAll(async () => {
    for (const name of ["google", "github"]) await setProvider(current(), app, name);
  });

  async function someone(...given: ("passkey" | "google")[]) {
    const person = await signedUpIn(current(), app);
    const userId = String(person.user["id"]);
    const ids: string[] = [];
    for (const kind of given)
      ids.push(
        kind === "passkey"
          ? await givePasskey(current(), userId, "Pixel of Ada")
          : await giveIdentity(current(), app, userId),
      );
    const password = (await methodsOf(current(), person)).find(({ type }) => type === "password")?.id ?? "";
    return { ...person, userId, ids: ids as [string, string], password };
  }

  async function change(inApp: TestApp, authMethods: Record<string, unknown>): Promise<void> {
    const changed = await call(current(), "PATCH", `/applications/${inApp.id}`, inApp.headers, { authMethods });
    expect(changed.status).toBe(200);
  }

  async function auditOf(userId: string) {
    const events = await audit.list(current().server.app.ctx, { userId, limit: 20 });
    return events.map(({ action, actor, ipAddress }) => ({ action, actor, ipAddress }));
  }

  it("are listed with names, days and what can be added", async () => {
    const { visitor } = await someone("passkey", "google");
    const page = await openAccount(current(), app, visitor);
    for (const words of ["Pixel of Ada", "Not used yet", "Google", "@provider.example", "Last used now"])
      expect(page.text).toContain(words);
    expect(page.text).toContain("Connect GitHub");
    expect(page.text).not.toContain("Connect Google");
    expect(page.text).not.toContain("Add a password");
    expect(page.text).toContain("Add a passkey");
  });

  it("say so when the app does not let them in now", async () => {
    const limited = await current().createApp();
    const { visitor, user } = await signedUpIn(current(), limited);
    await giveIdentity(current(), limited, String(user["id"]));
    const page = await openAccount(current(), limited, visitor);
    expect(page.text).toContain("doesn&#39;t allow signing in this way right now");
  });

  it("hold what the browser is told about passkeys", async () => {
    const { visitor, userId, email } = await someone("passkey");
    const { text } = await openAccount(current(), app, visitor);
    const signal = JSON.parse((/data-signal="([^"]*)"/u.exec(text)?.[1] ?? "").replaceAll("&quot;", '"'));
    const user = await users.find(current().server.app.ctx.storage.reader, userId);
    expect(signal).toEqual({
      all: {
        rpId: "localhost",
        userId: user?.handle,
        allAcceptedCredentialIds: [expect.stringMatching(/^credential-of-/u)],
      },
      user: { rpId: "localhost", userId: user?.handle, name: email, displayName: email },
    });
  });

  it("take a new password, without a second proof in a browser that has just signed in, and say so", async () => {
    const { visitor, email } = await someone();
    const begun = await press(app, visitor, await openAccount(current(), app, visitor), "/add");
    expect(begun.location.pathname).toMatch(/^\/sign-in\/sis_/u);
    const done = await visitor.submit(await visitor.get(begun.location.href), "/add/password", {
      password: otherPassword,
    });
    expect(done.location.href.startsWith(accountUrl(current(), app))).toBe(true);
    expect((await visitor.get(done.location.href)).text).toContain("Your password is saved.");
    await signIn(current(), app, { email, password: otherPassword });
  });

  it("ask for a proof first when the last one is ten minutes old", async () => {
    const { visitor } = await someone();
    current().clock.advance(10 * minutes);
    const begun = await press(app, visitor, await openAccount(current(), app, visitor), "/add");
    expect((await visitor.get(begun.location.href)).text).toContain("Confirm it&#39;s you");
  });

  it("go to a provider that the app has, and to no other", async () => {
    const { visitor } = await someone();
    const token = (await openAccount(current(), app, visitor)).form(`/add?app_id=${app.id}`).fields["token"] ?? "";
    const add = async (fields: Record<string, string>) =>
      await visitor.post(accountUrl(current(), app, "/add"), { token, ...fields });
    const begun = await add({ adds: "oauth", provider: "github" });
    expect((await visitor.get(begun.location.href)).text).toContain("Add GitHub");
    const wrong: Record<string, string>[] = [
      {},
      { adds: "sms" },
      { adds: "oauth" },
      { adds: "oauth", provider: "discord" },
    ];
    for (const fields of wrong) expect((await add(fields)).status, JSON.stringify(fields)).toBe(404);
  });

  it("are renamed, in words of their owner's", async () => {
    const { visitor, ids, userId, accessToken } = await someone("passkey");
    const page = await openAccount(current(), app, visitor, `/methods/${ids[0]}/rename`);
    expect(page.text).toContain('value="Pixel of Ada"');
    const renamed = await press(app, visitor, page, "/rename", { name: " <b>Work</b> phone " });
    expect(renamed.status).toBe(303);
    const { text } = await visitor.get(renamed.location.href);
    expect(text).toContain("The new name is saved.");
    expect(text).toContain("&lt;b&gt;Work&lt;/b&gt; phone");
    expect((await methodsOf(current(), { accessToken }))[1]).toMatchObject({ name: "<b>Work</b> phone" });
    expect(await auditOf(userId)).toContainEqual({
      action: "method.renamed",
      actor: `user:${userId}`,
      ipAddress: "127.0.0.1",
    });
  });

  it.each([
    ["", "Enter a name."],
    ["  ", "Enter a name."],
    ["a\u0007b", "Use at most 100 characters."],
    ["n".repeat(101), "Use at most 100 characters."],
  ])("keep their name when the new one is no good: %s", async (name, words) => {
    const { visitor, ids } = await someone("passkey");
    const page = await openAccount(current(), app, visitor, `/methods/${ids[0]}/rename`);
    const refused = await press(app, visitor, page, "/rename", { name });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(words);
    expect((await openAccount(current(), app, visitor)).text).toContain("Pixel of Ada");
  });

  it("are removed after one question, and sign nobody in any more", async () => {
    const { visitor, email, password } = await someone("passkey");
    const page = await openAccount(current(), app, visitor, `/methods/${password}/remove`);
    expect(page.text).toContain("Remove your password?");
    await signIn(current(), app, { email });
    const removed = await press(app, visitor, page, "/remove");
    expect((await visitor.get(removed.location.href)).text).toContain("can no longer be used to sign in");
    await expect(signIn(current(), app, { email })).rejects.toThrow("sign-in answered");
  });

  it("keep the last one, and say why", async () => {
    const { visitor, email, password, ids } = await someone("passkey");
    const path = `/methods/${password}/remove`;
    expect((await openAccount(current(), app, visitor)).text).toContain(path);
    const old = await openAccount(current(), app, visitor, path);
    const other = await openAccount(current(), app, visitor, `/methods/${ids[0]}/remove`);
    await press(app, visitor, other, "/remove");
    const refused = await press(app, visitor, old, "/remove");
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("This is your only way to sign in.");
    // From then on, it is not offered.
    expect((await openAccount(current(), app, visitor)).text).not.toContain(path);
    const { status, text } = await openAccount(current(), app, visitor, path);
    expect([status, text.includes("This is your only way to sign in."), text.includes("<form")]).toEqual([
      422,
      true,
      false,
    ]);
    await signIn(current(), app, { email });
  });

  it("are not removed by an open browser alone: after ten minutes it asks for a proof, and then continues", async () => {
    const { visitor, email, ids, accessToken } = await someone("passkey");
    const path = `/methods/${ids[0]}/remove`;
    const page = await openAccount(current(), app, visitor, path);
    current().clock.advance(10 * minutes);
    for (const asked of [
      await press(app, visitor, page, "/remove"),
      await openAccount(current(), app, visitor, path),
    ]) {
      expect(asked.location.pathname).toMatch(/^\/sign-in\/sis_/u);
    }
    expect(await methodsOf(current(), { accessToken })).toHaveLength(2);
    const proven = await proveAt(visitor, await openAccount(current(), app, visitor, path), email);
    const back = await visitor.get(proven.location.href);
    expect(back.location.href).toBe(accountUrl(current(), app, path));
    const removed = await press(app, visitor, await visitor.get(back.location.href), "/remove");
    expect(removed.location.search).toContain("notice=removed");
  });

  it("take a proof from nobody else", async () => {
    const { visitor } = await someone("passkey");
    const stranger = await someone();
    current().clock.advance(10 * minutes);
    const refused = await proveAt(visitor, await openAccount(current(), app, visitor, "/delete"), stranger.email);
    expect(refused.status).not.toBe(303);
    expect(refused.text).toContain("That&#39;s another account.");
  });

  it("K8, GHSA-4vcf-q4xf-f48m: of others are not there", async () => {
    const { visitor, password } = await someone("passkey");
    const stranger = await someone("passkey");
    const elsewhere = await signedUpIn(current(), await current().createApp());
    const foreign = await givePasskey(current(), String(elsewhere.user["id"]));
    const token = (await openAccount(current(), app, visitor)).form(`/add?app_id=${app.id}`).fields["token"] ?? "";
    for (const id of [stranger.ids[0], foreign, stranger.password, "mth_nobody", "__proto__"]) {
      for (const act of ["rename", "remove"]) {
        const path = `/methods/${id}/${act}`;
        expect((await openAccount(current(), app, visitor, path)).status, path).toBe(404);
        const posted = await visitor.post(accountUrl(current(), app, path), { token, name: "Mine" });
        expect(posted.status, path).toBe(404);
        expect(posted.text).toContain("That isn&#39;t here any more");
      }
    }
    expect(await methodsOf(current(), stranger)).toHaveLength(2);
    // Only passkeys have names.
    const renamed = await visitor.post(accountUrl(current(), app, `/methods/${password}/rename`), {
      token,
      name: "Mine",
    });
    expect(renamed.status).toBe(404);
  });

  it("of an app that asks for a passkey are not changed by a browser that signed in without one", async () => {
    const strict = await current().createApp();
    const { visitor, user } = await signedUpIn(current(), strict);
    await givePasskey(current(), String(user["id"]));
    expect((await openAccount(current(), strict, visitor, "/delete")).status).toBe(200);
    await change(strict, { passkey: { required: true } });
    const asked = await openAccount(current(), strict, visitor, "/delete");
    expect(asked.status).toBe(303);
    expect((await visitor.get(asked.location.href)).location.pathname).toMatch(/^\/sign-in\/sis_/u);
  });
});

describeSqliteFirst("every button of the account page", (current) => {
  const actions = [
    "/profile",
    "/verify-email",
    "/verify-email/code",
    "/add",
    "/methods/mth_x/rename",
    "/methods/mth_x/remove",
    "/logins/lgn_x/end",
    "/logins/end-others",
    "/logins/end-all",
    "/data",
    "/delete",
    "/sign-out",
  ];

  describe.each(actions)("%s", (action) => {
    it("refuses a form of another site, one without its token, one with another browser's, and one of nobody's", async () => {
      const app = await current().createApp();
      const { visitor, email } = await signedUpIn(current(), app);
      const other = await signedUpIn(current(), app);
      const tokenOf = async (from: Visitor) =>
        (await openAccount(current(), app, from)).form(`/add?app_id=${app.id}`).fields["token"] ?? "";
      const [token, foreign] = [await tokenOf(visitor), await tokenOf(other.visitor)];
      const url = accountUrl(current(), app, action);
      const values = { adds: "password", name: "N" };
      for (const [fields, headers] of [
        [{ token }, { "sec-fetch-site": "cross-site" }],
        [{ token }, { "sec-fetch-site": "same-site" }],
        [{}, {}],
        [{ token: foreign }, {}],
      ] as const)
        expect((await visitor.post(url, { ...values, ...fields }, headers)).status).toBe(403);
      const nobody = await new Visitor().post(url, { ...values, token });
      expect([nobody.status, nobody.location.href]).toEqual([303, accountUrl(current(), app)]);
      expect((await openAccount(current(), app, visitor)).text).toContain(email);
      await signIn(current(), app, { email, password: goodPassword });
    });
  });
});

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;

describeSqliteFirst("GET /users/auth-methods", (current) => {
  const app = useApp(current);

  it("answers passkeys, identities and the password with the fields of the contract, oldest first", async () => {
    const service = current();
    const email = newEmail();
    const first = await signedUp(service, app, email);
    const userId = String(first.user["id"]);
    service.clock.advance(1000);
    const passkey = await givePasskey(service, userId, "Ada's phone");
    const identity = await giveIdentity(service, app, userId, "github");
    service.clock.advance(1000);
    // The sign-in with the password is its last use.
    const tokens = await redeem(service, app, await signIn(service, app, { email }));
    const answer = await call(service, "GET", "/users/auth-methods", bearer(tokens.accessToken));
    expect(answer.status).toBe(200);
    const times = { createdAt: expect.stringMatching(instant), lastUsed: expect.stringMatching(instant) };
    expect(answer.body).toEqual({
      methods: [
        {
          type: "password",
          id: expect.stringMatching(/^mth_/u),
          createdAt: times.createdAt,
          lastUsed: new Date(service.clock.now).toISOString(),
        },
        { ...times, type: "passkey", id: passkey, name: "Ada's phone", lastUsed: null },
        { ...times, type: "oauth", id: identity, provider: "github", email: `${identity}@provider.example` },
      ],
    });
  });

  it("says the same as the profile does of what there is", async () => {
    const service = current();
    const tokens = await signedUp(service, app);
    const userId = String(tokens.user["id"]);
    const profile = async () =>
      (await call(service, "GET", "/users/profile", bearer(tokens.accessToken))).body["authMethods"];
    expect(await profile()).toEqual({ passkey: false, oauth: [], password: true });
    await givePasskey(service, userId);
    await giveIdentity(service, app, userId, "google");
    await giveIdentity(service, app, userId, "apple");
    const listed = await methodsOf(service, tokens);
    expect(await profile()).toEqual({
      passkey: listed.some(({ type }) => type === "passkey"),
      oauth: listed.flatMap(({ provider }) => provider ?? []).toSorted(),
      password: listed.some(({ type }) => type === "password"),
    });
  });

  it("leaves the addresses out without the scope email, and nothing else", async () => {
    const service = current();
    const tokens = await signedUp(service, app, newEmail(), { scopes: ["profile"] });
    const identity = await giveIdentity(service, app, String(tokens.user["id"]));
    const found = (await methodsOf(service, tokens)).find(({ id }) => id === identity);
    expect(Object.keys(found ?? {})).toEqual(["type", "id", "provider", "createdAt", "lastUsed"]);
  });

  it("shows nobody what is another's, in this app or another", async () => {
    const service = current();
    const other = await service.createApp();
    const [ada, bob, eve] = [
      await signedUp(service, app),
      await signedUp(service, app),
      await signedUp(service, other),
    ];
    await givePasskey(service, String(ada.user["id"]));
    for (const stranger of [bob, eve])
      expect((await methodsOf(service, stranger)).map(({ type }) => type)).toEqual(["password"]);
  });
});
