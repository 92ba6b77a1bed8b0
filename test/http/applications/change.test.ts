import { beforeEach, describe, expect, it } from "vitest";
import * as applications from "../../../src/applications/service.ts";
import { bearer, setProvider } from "../../support/methods.ts";
import { call, initiate, signedUp } from "../../support/person.ts";
import { describeSqliteFirst, type TestApp } from "../../support/service.ts";

describeSqliteFirst("/applications/{appId}", (current) => {
  let app: TestApp;
  let number = 0;
  beforeEach(async () => {
    number += 1;
    const name = `Shop ${number}`;
    app = await current().createApp({ name, domain: "shop.example", branding: { primaryColor: "#112233" } });
  });
  const get = async () => await call(current(), "GET", `/applications/${app.id}`, bearer(app.apiKey));
  const patch = async (body: unknown) =>
    await call(current(), "PATCH", `/applications/${app.id}`, bearer(app.apiKey), body);

  it("GET answers every field of the contract", async () => {
    await signedUp(current(), app);
    const { status, body } = await get();
    expect(status).toBe(200);
    expect(body).toEqual({
      id: app.id,
      name: `Shop ${number}`,
      domain: "shop.example",
      redirectUris: [app.redirectUri],
      authMethods: {
        passkey: { enabled: true, required: false },
        oauth: { enabled: false, providers: [] },
        password: { enabled: true },
      },
      branding: { logo: null, primaryColor: "#112233", companyName: null },
      stats: { totalUsers: 1, activeUsers: 1, totalLogins: 1 },
    });
  });

  describe.each(["GET", "PATCH"])("%s", (method) => {
    const send = async (id: string, headers: Record<string, string>) =>
      await call(
        current(),
        method,
        `/applications/${id}`,
        headers,
        method === "PATCH" ? { unknown: "key" } : undefined,
      );

    it("is counted as application management, by app, and not open to browsers", async () => {
      const { headers } = await send(app.id, { ...bearer(app.apiKey), origin: new URL(app.redirectUri).origin });
      expect(headers.get("x-ratelimit-remaining")).toBe(String(1_000_000_000 - 1));
      expect(headers.get("access-control-allow-origin")).toBeNull();
    });
  });

  describe("PATCH", () => {
    it("changes what is given at any depth, leaves the rest, and answers the whole application", async () => {
      await setProvider(current(), app, "google");
      const { body: before } = await get();
      const required = await patch({ authMethods: { passkey: { required: true } } });
      expect(required.status).toBe(200);
      expect(required.body).toEqual({
        ...before,
        authMethods: { ...(before["authMethods"] as object), passkey: { enabled: true, required: true } },
      });
      const redirectUris = ["https://shop.example/cb", "http://localhost:3000/cb"];
      const all = await patch({
        name: "  New name ",
        redirectUris,
        authMethods: {
          oauth: { enabled: false, providers: ["GitHub", "google", "github"] },
          password: { enabled: false },
        },
      });
      expect(all.body).toMatchObject({
        name: "New name",
        redirectUris,
        authMethods: {
          passkey: { enabled: true, required: true },
          oauth: { enabled: false, providers: ["github", "google"] },
          password: { enabled: false },
        },
      });
      expect((await get()).body).toEqual(all.body);
    });

    it("takes an empty object for no change", async () => {
      const { body } = await get();
      for (const empty of [{}, { authMethods: {} }, { authMethods: { passkey: {}, oauth: {} } }]) {
        const answer = await patch(empty);
        expect([answer.status, answer.body]).toEqual([200, body]);
      }
    });

    it("counts from the next request on", async () => {
      const service = current();
      await patch({ redirectUris: ["https://new.example/cb"] });
      await expect(initiate(service, app)).rejects.toThrow("initiate answered 400");
      const moved = { ...app, redirectUri: "https://new.example/cb" };
      await initiate(service, moved, { authMethod: "password" });
      await patch({ authMethods: { password: { enabled: false } } });
      await expect(initiate(service, moved, { authMethod: "password" })).rejects.toThrow("authMethod");
    });

    it.each<[details: string, body: unknown]>([
      ["name: 1 to 64 characters", { name: " " }],
      ["name: 1 to 64 characters", { name: "a".repeat(65) }],
      ["name: no '/', no '@', and nothing that looks like a web address", { name: "Visit https://evil.example" }],
      ["name: no '/', no '@', and nothing that looks like a web address", { name: "evil/now" }],
      ["name: no '/', no '@', and nothing that looks like a web address", { name: "refunds@evil" }],
      [
        "name: no '/', no '@', and nothing that looks like a web address",
        { name: "Your parcel waits at evil.example" },
      ],
      ["name: no '/', no '@', and nothing that looks like a web address", { name: "Win at evil\u3002example" }],
      ["name: no control characters", { name: "a\tb" }],
      ["name: no control characters", { name: "Acme\u202Eknab" }],
      ["name: no control characters", { name: "\u2066Acme\u2069" }],
      ["name: must be a string", { name: 7 }],
      ["redirectUris: must be an array", { redirectUris: "https://a.example/" }],
      ["redirectUris.0: must be a string", { redirectUris: [null] }],
      ["redirectUris: at most 50", { redirectUris: Array.from({ length: 51 }, (_, n) => `https://a.example/${n}`) }],
      ["redirectUris[1]: no fragment", { redirectUris: ["https://a.example/", "https://a.example/#x"] }],
      ["authMethods: must be an object", { authMethods: 7 }],
      ["authMethods.passkey: must be an object", { authMethods: { passkey: true } }],
      ["authMethods.passkey.enabled: must be a boolean", { authMethods: { passkey: { enabled: "yes" } } }],
      [
        "authMethods.passkey.required: only with authMethods.passkey.enabled",
        { authMethods: { passkey: { enabled: false, required: true } } },
      ],
      ["authMethods.oauth.providers: must be an array", { authMethods: { oauth: { providers: "google" } } }],
      [
        "authMethods.oauth.providers[1]: the application has no such provider",
        { authMethods: { oauth: { providers: ["google", "myspace"] } } },
      ],
      [
        "authMethods.oauth.providers[0]: the application has no such provider",
        { authMethods: { oauth: { providers: ["constructor"] } } },
      ],
      [`body: unknown key "domain"`, { domain: "other.example" }],
      [`branding: unknown key "companyName"`, { branding: { companyName: "X" } }],
      [`body: unknown key "settings"`, { name: "X", settings: { signUp: "closed" } }],
      [`body: unknown key "id"`, { id: "app_other" }],
      [`body: unknown key "stats"`, { stats: {} }],
      [`authMethods: unknown key "sms"`, { authMethods: { sms: { enabled: true } } }],
      [`authMethods.passkey: unknown key "require"`, { authMethods: { passkey: { require: true } } }],
      [`authMethods.password: unknown key "minLength"`, { authMethods: { password: { minLength: 1 } } }],
      [`body: unknown key "__proto__"`, `{"__proto__":{"name":"x"}}`],
      [`body: unknown key "__proto__"`, `{"authMethods":{"__proto__":{"passkey":{"enabled":false}}}}`],
      [`authMethods.passkey: unknown key "constructor"`, `{"authMethods":{"passkey":{"constructor":{"prototype":1}}}}`],
      ["body: a key is given twice", `{"name":"a","name":"b"}`],
      ["body: must be JSON in UTF-8", "name"],
    ])("refuses %s, and changes nothing", async (details, body) => {
      const { body: before } = await get();
      const answer = await patch(body);
      expect(answer).toMatchObject({ status: 400, body: { error: { code: "INVALID_REQUEST", details } } });
      expect((await get()).body).toEqual(before);
      expect(({} as Record<string, unknown>)["passkey"]).toBeUndefined();
    });

    it("keeps every one of many changes at once", async () => {
      const changes = [
        { name: "Changed" },
        { redirectUris: ["https://changed.example/"] },
        { authMethods: { passkey: { required: true } } },
        { authMethods: { password: { enabled: false } } },
        { authMethods: { oauth: { providers: ["apple"] } } },
        { authMethods: { oauth: { enabled: true } } },
      ];
      const answers = await Promise.all(changes.map(async (change) => await patch(change)));
      expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
      expect((await get()).body).toMatchObject({
        name: "Changed",
        redirectUris: ["https://changed.example/"],
        authMethods: {
          passkey: { enabled: true, required: true },
          oauth: { enabled: true, providers: ["apple"] },
          password: { enabled: false },
        },
      });
    });

    it("is in the audit log with the names of what has changed", async () => {
      await patch({ name: "Audited", authMethods: { passkey: { enabled: true } } });
      await patch({ name: "Audited" });
      // Neither no value nor a default is another one.
      await patch({ branding: { homeUrl: null } });
      const { ctx } = current().server.app;
      await applications.update(ctx, app.id, { settings: { emailCode: false } }, { kind: "cli", name: "root" });
      const { db, tables } = current().server.app.ctx.storage.reader;
      const events = (await db.select().from(tables.auditEvents)).filter(
        ({ appId, action }) => appId === app.id && action === "application.update",
      );
      expect(events).toMatchObject([{ actor: `app:${app.id}`, details: { fields: "name" } }]);
    });
  });
});
