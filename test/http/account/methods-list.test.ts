import { expect, it, beforeAll, describe } from "vitest";
import { bearer, giveIdentity, givePasskey, methodsOf } from "../../support/methods.ts";
import { call, newEmail, redeem, signedUp, signIn } from "../../support/person.ts";
import { describeSqliteFirst, type TestApp } from "../../support/service.ts";

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u;

describeSqliteFirst("GET /users/auth-methods", (current) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await current().createApp();
  });

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

  describe("a passkey's name", () => {
    const actor = { kind: "user", name: "somebody" } as const;

    it("can be changed by its owner, as it is trimmed", async () => {
      const service = current();
      const { methods } = service.server.app.services;
      const tokens = await signedUp(service, app);
      const userId = String(tokens.user["id"]);
      const id = await givePasskey(service, userId);
      await methods.rename(userId, id, "  Work laptop ", { actor });
      expect((await methodsOf(service, tokens)).find((method) => method.id === id)).toMatchObject({
        name: "Work laptop",
      });
    });

    it.each(["", " ", "a".repeat(101), "a\nb"])("is never %j", async (name) => {
      const service = current();
      const userId = String((await signedUp(service, app)).user["id"]);
      const id = await givePasskey(service, userId);
      await expect(service.server.app.services.methods.rename(userId, id, name, { actor })).rejects.toMatchObject({
        code: "INVALID_REQUEST",
      });
    });

    it("belongs to its owner's passkeys only", async () => {
      const service = current();
      const { methods } = service.server.app.services;
      const [ada, bob] = [await signedUp(service, app), await signedUp(service, app)];
      const passkey = await givePasskey(service, String(bob.user["id"]));
      const adaId = String(ada.user["id"]);
      const [password] = await methodsOf(service, ada);
      for (const id of [passkey, password?.id ?? "", "mth_unknown"]) {
        await expect(methods.rename(adaId, id, "Mine", { actor })).rejects.toMatchObject({ code: "METHOD_NOT_FOUND" });
      }
      await expect(methods.rename("usr_gone", passkey, "Mine", { actor })).rejects.toMatchObject({
        code: "USER_NOT_FOUND",
      });
    });
  });
});
