import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { call, signUp } from "../../support/person.ts";
import { useApp, describeSqliteFirst } from "../../support/service.ts";

const redirectUri = "https://app.example/callback";
const refused = (field: string) => ({
  status: 400,
  body: { error: { code: "INVALID_REQUEST", details: expect.stringContaining(field) } },
});
const notScopes = [
  "profile",
  { 0: "profile" },
  [["profile"]],
  [null],
  [""],
  ["admin"],
  ["profile", "admin"],
  ["PROFILE"],
];

/** What breaks the rule of one field. `details` must name the field. */
const badFields: [field: string, body: Record<string, unknown>][] = [
  ["redirectUri", {}],
  ["redirectUri", { redirectUri: null }],
  ["redirectUri", { redirectUri: "" }],
  ["redirectUri", { redirectUri: "https://other.example/callback" }],
  ["authMethod", { redirectUri, authMethod: "" }],
  ["authMethod", { redirectUri, authMethod: "PASSWORD" }],
  ["authMethod", { redirectUri, authMethod: "email" }],
  ["authMethod", { redirectUri, authMethod: "oauth", provider: "google" }],
  ["state", { redirectUri, state: "s".repeat(2049) }],
  ["codeChallenge", { redirectUri, codeChallenge: "" }],
  ["codeChallenge", { redirectUri, codeChallenge: "a".repeat(42) }],
  ["codeChallenge", { redirectUri, codeChallenge: "a".repeat(44) }],
  ["codeChallenge", { redirectUri, codeChallenge: `${"a".repeat(43)}=` }],
  ["codeChallenge", { redirectUri, codeChallenge: `+/${"a".repeat(41)}` }],
  ["loginHint", { redirectUri, loginHint: "not an address" }],
  ["loginHint", { redirectUri, loginHint: `a@${"x".repeat(300)}.example` }],
  ["loginHint", { redirectUri, loginHint: "a@example.org,b@example.org" }],
  ...notScopes.map((scopes): [string, Record<string, unknown>] => ["scopes", { redirectUri, scopes }]),
];

describeSqliteFirst("POST /auth/initiate", (current) => {
  const app = useApp(current, { redirectUris: [redirectUri] });
  const send = async (body: unknown) => await call(current(), "POST", "/auth/initiate", app.headers, body);

  it("answers the address to send the person to, the session and its end in ten minutes", async () => {
    const { status, headers, body } = await send({ redirectUri });
    expect(status).toBe(200);
    expect(body).toEqual({
      authUrl: `${current().url}/sign-in/${String(body["sessionId"])}`,
      sessionId: expect.stringMatching(/^sis_[A-Za-z0-9_-]{43}$/u),
      expiresAt: new Date(current().clock.now + 600_000).toISOString(),
    });
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("takes every documented field at once", async () => {
    const all = {
      redirectUri,
      authMethod: "password",
      state: "s",
      scopes: ["email"],
      codeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      loginHint: "ada@example.org",
      locale: "en",
    };
    expect((await send(all)).status).toBe(200);
  });

  it.each(["passkey", "password"])("takes %s as the method where the app has it", async (authMethod) => {
    expect((await send({ redirectUri, authMethod })).status).toBe(200);
  });

  describe("refuses", () => {
    it.each(badFields)("a bad %s and names it: %j", async (field, body) => {
      expect(await send(body)).toMatchObject(refused(field));
    });

    it("a method that the app has not enabled, and takes it again once it has (security rule O9)", async () => {
      const passkeysOnly = await current().createApp({ redirectUris: [redirectUri], methods: ["passkey"] });
      const ask = async (authMethod: string) =>
        await call(current(), "POST", "/auth/initiate", passkeysOnly.headers, { redirectUri, authMethod });
      expect(await ask("password")).toMatchObject(refused("authMethod"));
      expect((await ask("passkey")).status).toBe(200);
      await current().server.app.ctx.storage.write(async ({ db, tables: { applications } }) => {
        const authMethods = {
          passkey: { enabled: false, required: false },
          oauth: { enabled: false, providers: [] },
          password: { enabled: true },
        };
        await db.update(applications).set({ authMethods }).where(eq(applications.id, passkeysOnly.id));
      });
      expect((await ask("password")).status).toBe(200);
      expect(await ask("passkey")).toMatchObject(refused("authMethod"));
    });

    it.each([undefined, "github", "gitlab", "", "__proto__"])(
      "oauth with the provider %j where the app has only google",
      async (provider) => {
        const withGoogle = await current().createApp({ redirectUris: [redirectUri] });
        await current().server.app.ctx.storage.write(async ({ db, tables: { applications } }) => {
          const authMethods = {
            passkey: { enabled: true, required: false },
            oauth: { enabled: true, providers: ["google"] },
            password: { enabled: true },
          };
          await db.update(applications).set({ authMethods }).where(eq(applications.id, withGoogle.id));
        });
        const answer = await call(current(), "POST", "/auth/initiate", withGoogle.headers, {
          redirectUri,
          authMethod: "oauth",
          provider,
        });
        expect(answer).toMatchObject(refused("provider"));
      },
    );
  });

  it("sends no state where none was given", async () => {
    const { location } = await signUp(current(), app);
    expect(location.searchParams.has("state")).toBe(false);
  });
});
