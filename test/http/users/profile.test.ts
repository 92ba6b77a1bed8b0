import { describe, expect, it } from "vitest";
import { bearer, giveIdentity, givePasskey } from "../../support/methods.ts";
import {
  call,
  newEmail,
  redeem,
  refresh,
  signedUp,
  signIn,
  signUp,
  validate,
  type Tokens,
} from "../../support/person.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;

describeSqliteFirst("/users/profile", (current) => {
  const app = useApp(current);
  const get = async (token: string) => await call(current(), "GET", "/users/profile", bearer(token));
  const patch = async (token: string, body: unknown) =>
    await call(current(), "PATCH", "/users/profile", bearer(token), body);
  /** Tokens that lack a scope. */
  const signedUpFor = async (scopes: string[]): Promise<Tokens> =>
    await signedUp(current(), app, newEmail(), { scopes });

  describe("GET", () => {
    it("answers every field of the contract, unknown ones as null", async () => {
      const email = newEmail();
      const tokens = await signedUp(current(), app, email);
      const { status, body } = await get(tokens.accessToken);
      expect(status).toBe(200);
      expect(body).toEqual({
        id: tokens.user["id"],
        email,
        emailVerified: false,
        name: null,
        picture: null,
        createdAt: expect.stringMatching(instant),
        lastLoginAt: expect.stringMatching(instant),
        authMethods: { passkey: false, oauth: [], password: true },
        metadata: { loginCount: 1, lastIpAddress: "127.0.0.1", userAgent: expect.any(String) },
      });
      expect(Object.keys(body)).toEqual([
        "id",
        "email",
        "emailVerified",
        "name",
        "picture",
        "createdAt",
        "lastLoginAt",
        "authMethods",
        "metadata",
      ]);
    });

    it("counts sign-ins and names what the user has to sign in with", async () => {
      const service = current();
      const person = { email: newEmail(), name: "Ada" };
      const { user } = await redeem(service, app, await signUp(service, app, person));
      const userId = String(user["id"]);
      await givePasskey(service, userId);
      await giveIdentity(service, app, userId, "github");
      service.clock.advance(60_000);
      const { accessToken } = await redeem(service, app, await signIn(service, app, person));
      expect((await get(accessToken)).body).toMatchObject({
        name: "Ada",
        lastLoginAt: new Date(service.clock.now).toISOString(),
        authMethods: { passkey: true, oauth: ["github"], password: true },
        metadata: { loginCount: 2 },
      });
    });

    it("leaves email and emailVerified out without the scope email", async () => {
      const { accessToken } = await signedUpFor(["profile"]);
      const { body } = await get(accessToken);
      expect(Object.keys(body)).not.toContain("email");
      expect(Object.keys(body)).not.toContain("emailVerified");
      expect(body).toHaveProperty("metadata");
    });
  });

  describe("PATCH", () => {
    it("changes what is given, leaves the rest, and answers the five fields of the contract", async () => {
      const service = current();
      const { accessToken, user, email } = await signedUp(service, app);
      service.clock.advance(1000);
      const picture = "https://pictures.example/ada.png?size=64";
      const first = await patch(accessToken, { name: "  Ada Lovelace ", picture });
      const updatedAt = new Date(service.clock.now).toISOString();
      expect(first).toMatchObject({ status: 200 });
      expect(first.body).toEqual({ id: user["id"], email, name: "Ada Lovelace", picture, updatedAt });
      service.clock.advance(1000);
      expect((await patch(accessToken, { name: "Ada" })).body).toMatchObject({ name: "Ada", picture });
      expect((await patch(accessToken, { picture: null })).body).toMatchObject({ name: "Ada", picture: null });
      expect((await get(accessToken)).body).toMatchObject({ name: "Ada", picture: null });
      // At once everywhere else, too.
      expect((await validate(service, app, accessToken)).body["user"]).toMatchObject({ name: "Ada" });
    });

    it("takes an empty object for no change, and says how things stand", async () => {
      const service = current();
      const { accessToken } = await signedUp(service, app);
      const before = await patch(accessToken, { name: "Grace" });
      service.clock.advance(5000);
      const after = await patch(accessToken, {});
      expect(after.status).toBe(200);
      expect(after.body).toEqual(before.body);
    });

    it("answers no address without the scope email", async () => {
      const { accessToken } = await signedUpFor(["profile"]);
      const { status, body } = await patch(accessToken, { name: "Ada" });
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(["id", "name", "picture", "updatedAt"]);
    });

    const zeroWidth = ["Ada\u202Enimda", "Ada\u061C", "A\u200Bda", "\u3164", "Ada \u{E0041}"];
    const badNames = ["", "   ", "a".repeat(201), "a\u0007b", ...zeroWidth];
    const badPictures = [
      ..."http://pictures.example/a.png javascript:alert(1) data:image/png;base64,AAAA https://a@b.example/".split(" "),
      'https://a.example/"><b>',
      "",
      `https://a.example/${"x".repeat(2031)}`,
    ];
    it.each<[details: string, body: unknown]>([
      ...badNames.map((name): [string, unknown] => ["name: 1 to 200 characters, no control characters", { name }]),
      ...badPictures.map((picture): [string, unknown] => [
        "picture: an https URL of at most 2048 characters, or null",
        { picture },
      ]),
      ...["https://a.example/\n", "https://a.example/ü.png"].map((picture): [string, unknown] => [
        "picture: ASCII without spaces: a host with other letters is written with xn--, other characters as in %C3%BC",
        { picture },
      ]),
      ["name: must be a string", { name: 7 }],
      ["picture: must be a string or null", { picture: false }],
      [`body: unknown key "email"`, { email: "other@example.org" }],
      [`body: unknown key "emailVerified"`, { name: "Ada", emailVerified: true }],
      [`body: unknown key "id"`, { id: "usr_other" }],
      [`body: unknown key "__proto__"`, `{"__proto__":{"name":"x"}}`],
      [`body: unknown key "constructor"`, `{"constructor":{"prototype":{}}}`],
      ["body: a key is given twice", `{"name":"a","name":"b"}`],
      ["body: must be JSON in UTF-8", "name=Ada"],
    ])("refuses a body: %s", async (details, body) => {
      const { accessToken } = await signedUp(current(), app);
      const answer = await patch(accessToken, body);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "INVALID_REQUEST", details } } });
      expect((await get(accessToken)).body).toMatchObject({ name: null, picture: null });
    });

    it("keeps both of two changes at once", async () => {
      const { accessToken } = await signedUp(current(), app);
      for (let round = 1; round <= 5; round += 1) {
        const picture = `https://pictures.example/${round}.png`;
        const answers = await Promise.all([
          patch(accessToken, { name: `Round ${round}` }),
          patch(accessToken, { picture }),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200]);
        expect((await get(accessToken)).body).toMatchObject({ name: `Round ${round}`, picture });
      }
    });

    it("is seen in the next token's user, and in the audit log without a value", async () => {
      const service = current();
      const { accessToken, refreshToken, user } = await signedUp(service, app);
      await patch(accessToken, { name: "A Rare Name", picture: "https://rare.example/" });
      const renewed = await refresh(service, app, refreshToken);
      expect((await validate(service, app, String(renewed.body["accessToken"]))).body["user"]).toMatchObject({
        name: "A Rare Name",
      });
      const { db, tables } = service.server.app.ctx.storage.reader;
      const events = (await db.select().from(tables.auditEvents)).filter(
        ({ userId, action }) => userId === user["id"] && action === "user.update",
      );
      expect(events).toMatchObject([{ actor: `user:${String(user["id"])}`, details: { fields: "name, picture" } }]);
      expect(JSON.stringify(events)).not.toMatch(/rare/iu);
    });
  });
});
