import { expect, it } from "vitest";
import * as audit from "../../../src/records/audit/audit.ts";
import { accountUrl, minutes, openAccount, press, proveAt } from "../../support/account.ts";
import { signedUpIn } from "../../support/adding.ts";
import { codeAt } from "../../support/factors.ts";
import { giveFactor, giveIdentity, givePasskey } from "../../support/methods.ts";
import { goodPassword, signIn, validate, Visitor } from "../../support/person.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";

describeSqliteFirst("a profile on the account page", (current) => {
  const app = useApp(current);

  it("takes a name and a picture, and writes down that it did", async () => {
    const { visitor, user } = await signedUpIn(current(), app);
    const form = await openAccount(current(), app, visitor, "/profile");
    const saved = await press(app, visitor, form, "/profile", {
      name: " Ada <i>Lovelace</i> ",
      picture: "https://example.com/ada.png",
    });
    const { text } = await visitor.get(saved.location.href);
    for (const words of ["Your profile is saved.", "Ada &lt;i&gt;Lovelace&lt;/i&gt;", "https://example.com/ada.png"])
      expect(text).toContain(words);
    expect(text).not.toContain("<img");
    const events = await audit.list(current().server.app.ctx, { userId: String(user["id"]), limit: 20 });
    expect(events.find(({ action }) => action === "user.update")?.details).toEqual({ fields: "name, picture" });
  });

  it("takes the picture away again, but not the name", async () => {
    const { visitor } = await signedUpIn(current(), app);
    const save = async (values: Record<string, string>) =>
      await press(app, visitor, await openAccount(current(), app, visitor, "/profile"), "/profile", values);
    await save({ name: "Ada", picture: "https://example.com/ada.png" });
    await save({ name: "Ada", picture: "" });
    expect((await openAccount(current(), app, visitor)).text).not.toContain("ada.png");
    const refused = await save({ name: "", picture: "" });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain("Enter your name.");
    expect((await openAccount(current(), app, visitor)).text).toContain("Ada");
  });

  it("asks nobody for a name who has none", async () => {
    const { visitor } = await signedUpIn(current(), app);
    const form = await openAccount(current(), app, visitor, "/profile");
    expect((await press(app, visitor, form, "/profile", { name: "", picture: "" })).status).toBe(303);
  });

  it.each([
    [{ name: "n".repeat(201), picture: "" }, "Use at most 200 characters."],
    [{ name: "Ada", picture: "javascript:alert(1)" }, "Enter an address like https://example.com/me.png."],
    [{ name: "Ada", picture: "http://example.com/a.png" }, "Enter an address like https://example.com/me.png."],
  ])("refuses what the API refuses, keeps what was typed, and says what is wrong: %j", async (values, words) => {
    const { visitor } = await signedUpIn(current(), app);
    const form = await openAccount(current(), app, visitor, "/profile");
    const refused = await press(app, visitor, form, "/profile", values);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(words);
    expect(refused.text).toContain(`value="${values.name}"`);
    expect((await openAccount(current(), app, visitor)).text).toContain("Not set");
  });
});

describeSqliteFirst("one's own data on the account page", (current) => {
  const app = useApp(current);

  it("comes as a file in the API's words: profile, methods and logins, and no secret", async () => {
    const { visitor, email, user, refreshToken } = await signedUpIn(current(), app);
    const userId = String(user["id"]);
    const passkey = await givePasskey(current(), userId, "A phone");
    const identity = await giveIdentity(current(), app, userId);
    const form = await openAccount(current(), app, visitor, "/data");
    const file = await press(app, visitor, form, "/data");
    expect(file.status).toBe(200);
    expect(file.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(file.headers.get("content-disposition")).toMatch(/^attachment; filename="account-\d{4}-\d\d-\d\d\.json"$/u);
    expect(file.headers.get("cache-control")).toBe("no-store");
    const data = file.json() as Record<string, Record<string, unknown>[]>;
    expect(Object.keys(data)).toEqual([
      "exportedAt",
      "profile",
      "methods",
      "secondFactor",
      "logins",
      "consents",
      "groups",
    ]);
    expect(data["profile"]).toMatchObject({ id: userId, email, authMethods: { passkey: true, password: true } });
    expect(data["methods"]?.map(({ type }) => type).toSorted()).toEqual(["oauth", "passkey", "password"]);
    expect(data["methods"]).toContainEqual(expect.objectContaining({ id: passkey, name: "A phone" }));
    expect(data["methods"]).toContainEqual(expect.objectContaining({ id: identity, provider: "google" }));
    expect(data["logins"]).toEqual([expect.objectContaining({ userId, ipAddress: "127.0.0.1", endedAt: null })]);
    expect(file.text).not.toMatch(/argon2|publicKey|hash|digest|handle/iu);
    expect(file.text).not.toContain(refreshToken);
    const events = await audit.list(current().server.app.ctx, { userId, limit: 20 });
    expect(events.map(({ action }) => action)).toContain("user.download");
  });

  it("says that there is a second factor and since when, and where it is not asked, and never its secret", async () => {
    const service = current();
    const { email, user } = await signedUpIn(service, app);
    const key = await giveFactor(service, String(user["id"]));
    const visitor = new Visitor();
    const form = await visitor.get((await openAccount(service, app, visitor)).location.href);
    const step = await visitor.submit(form, "/password", { email, password: goodPassword });
    const asked = await visitor.get(step.location.href);
    const done = await visitor.submit(asked, "/step/code", { code: codeAt(key, service.clock.now) });
    await visitor.get(done.location.href);
    const file = await press(app, visitor, await openAccount(service, app, visitor, "/data"), "/data");
    expect(file.json()).toMatchObject({
      secondFactor: {
        totp: { setUpAt: new Date(service.clock.now).toISOString() },
        recoveryCodes: 1,
        trustedBrowsers: [{ userAgent: "Firefox/140.0" }],
      },
    });
    expect(file.text).not.toMatch(/digest|secret"/iu);
    expect(file.text).not.toContain(key);
  });

  it.each(["/data", "/delete"])(
    "is not for anybody who finds an open browser: %s asks for a fresh proof",
    async (act) => {
      const { visitor, email } = await signedUpIn(current(), app);
      const form = await openAccount(current(), app, visitor, act);
      current().clock.advance(10 * minutes);
      expect((await press(app, visitor, form, act)).location.pathname).toMatch(/^\/sign-in\/sis_/u);
      const proven = await proveAt(visitor, await openAccount(current(), app, visitor, act), email);
      const back = await visitor.get(proven.location.href);
      expect(back.location.href).toBe(accountUrl(current(), app, act));
      expect((await visitor.get(back.location.href)).status).toBe(200);
    },
  );

  it("is deleted after one question, at once and completely", async () => {
    const service = current();
    const { visitor, email, user, accessToken } = await signedUpIn(service, app);
    const userId = String(user["id"]);
    const form = await openAccount(service, app, visitor, "/delete");
    expect(form.text).toContain(email);
    expect(await validate(service, app, accessToken)).toMatchObject({ status: 200 });
    const gone = await press(app, visitor, form, "/delete");
    expect(gone.location.href).toBe(accountUrl(service, app, "/deleted"));
    expect((await visitor.get(gone.location.href)).text).toContain("Your account is deleted");
    expect((await validate(service, app, accessToken)).status).toBe(401);
    await expect(signIn(service, app, { email })).rejects.toThrow("sign-in answered");
    expect((await openAccount(service, app, visitor)).status).toBe(303);
    const { db, tables } = service.server.app.ctx.storage.reader;
    for (const [name, table] of Object.entries(tables)) {
      const rows = JSON.stringify(await db.select().from(table));
      expect(rows.includes(userId), name).toBe(name === "auditEvents");
      expect(rows.includes(email), name).toBe(false);
    }
  });

  it("is not deleted twice: a second press finds nobody", async () => {
    const { visitor } = await signedUpIn(current(), app);
    const form = await openAccount(current(), app, visitor, "/delete");
    const copy = visitor.copy();
    await press(app, visitor, form, "/delete");
    const second = await press(app, copy, form, "/delete");
    expect([second.status, second.location.href]).toEqual([303, accountUrl(current(), app)]);
  });
});
