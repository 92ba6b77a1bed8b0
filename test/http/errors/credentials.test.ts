import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { call, signedUp, signUp } from "../../support/person.ts";
import { describeSqliteFirst, type TestApp, type TestService } from "../../support/service.ts";

const body = { redirectUri: "https://app.example/callback" };
const serverRoutes = ["/auth/initiate", "/auth/callback", "/auth/refresh"];
const invalidKey = { status: 401, body: { error: { code: "INVALID_API_KEY" } } };
const invalidAppId = { status: 401, body: { error: { code: "INVALID_APP_ID" } } };

/**
 * What Authorization may say instead of a good key. `key` is a good one, `token` a good access
 * token.
 */
const badAuthorizations: [title: string, value: (key: string, token: string, appId: string) => string | undefined][] = [
  ["nothing at all", () => undefined],
  ["an empty value", () => ""],
  ["a scheme without a key", () => "Bearer"],
  ["a key without a scheme", (key) => key],
  ["Basic", (key) => `Basic ${Buffer.from(`${key}:`).toString("base64")}`],
  ["another scheme", (key) => `Token ${key}`],
  ["two keys", (key) => `Bearer ${key}, Bearer ${key}`],
  ["words after the key", (key) => `Bearer ${key} x`],
  ["a truncated key", (key) => `Bearer ${key.slice(0, -1)}`],
  ["a lengthened key", (key) => `Bearer ${key}0`],
  [
    "a key with its first half changed",
    (key) => `Bearer ${key.slice(0, 8)}${key[8] === "a" ? "b" : "a"}${key.slice(9)}`,
  ],
  ["a key with its end changed", (key) => `Bearer ${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`],
  ["a key in lower case", (key) => `Bearer ${key.toLowerCase()}`],
  ["a key in upper case", (key) => `Bearer ${key.toUpperCase()}`],
  ["the end of a key", (key) => `Bearer ${key.slice(4)}`],
  ["a key in quotes", (key) => `Bearer "${key}"`],
  ["SQL", () => "Bearer '||(select/**/key_digest/**/from/**/api_keys)||'"],
  ["8,000 characters", () => `Bearer ${"a".repeat(8000)}`],
  ["the App ID", (_key, _token, appId) => `Bearer ${appId}`],
  ["a user's access token", (_key, token) => `Bearer ${token}`],
];

const badAppIds: [title: string, value: (id: string, otherId: string) => string | undefined][] = [
  ["nothing at all", () => undefined],
  ["an empty value", () => ""],
  ["an unknown one", () => "app_unknown"],
  ["another app's", (_id, otherId) => otherId],
  ["one in upper case", (id) => id.toUpperCase()],
  ["one with more behind", (id) => `${id}x`],
  ["its beginning", (id) => id.slice(0, -1)],
  ["two", (id, otherId) => `${id}, ${otherId}`],
  ["the same twice", (id) => `${id}, ${id}`],
  ["a pattern", () => "%"],
  ["a property of every object", () => "__proto__"],
];

describeSqliteFirst("API keys and App IDs", (current) => {
  let app: TestApp;
  let other: TestApp;
  let token: string;
  beforeAll(async () => {
    [app, other] = [await current().createApp(), await current().createApp()];
    token = (await signedUp(current(), app)).accessToken;
  });

  describe.each(serverRoutes)("POST %s", (path) => {
    it.each(badAuthorizations)(
      "answers INVALID_API_KEY, always the same, to %s as API key (security rule A1)",
      async (_title, value) => {
        const authorization = value(app.apiKey, token, app.id);
        const answer = await call(
          current(),
          "POST",
          path,
          { "x-service-app-id": app.id, ...(authorization === undefined ? {} : { authorization }) },
          body,
        );
        expect(answer).toMatchObject(invalidKey);
        const unknown = await call(
          current(),
          "POST",
          path,
          { "x-service-app-id": app.id, authorization: `Bearer ${"z".repeat(40)}` },
          body,
        );
        // What is missing may be named: the caller knows it.
        const { details } = withoutId(answer);
        expect(withoutId(answer)).toEqual({
          ...withoutId(unknown),
          ...(authorization === undefined ? { details } : {}),
        });
      },
    );

    it.each(badAppIds)(
      "answers INVALID_APP_ID, unknown or foreign alike, to %s as App ID (security rule A2)",
      async (_title, value) => {
        const appId = value(app.id, other.id);
        const headers = {
          authorization: `Bearer ${app.apiKey}`,
          ...(appId === undefined ? {} : { "x-service-app-id": appId }),
        };
        const answer = await call(current(), "POST", path, headers, body);
        expect(answer).toMatchObject(invalidAppId);
        const unknown = await call(current(), "POST", path, { ...headers, "x-service-app-id": "app_nobody" }, body);
        expect(withoutId(answer)).toEqual(withoutId(unknown));
      },
    );

    it("refuses a revoked key at once, and leaves the app's other key alone (security rule A5)", async () => {
      const rotating = await current().createApp();
      const second = await createKey(current(), rotating);
      const withSecond = { ...rotating.headers, authorization: `Bearer ${second.apiKey}` };
      expect((await call(current(), "POST", path, withSecond, body)).body.error?.code).not.toBe("INVALID_API_KEY");
      await setKey(current(), second.id, { revokedAt: current().clock.now });
      expect(await call(current(), "POST", path, withSecond, body)).toMatchObject(invalidKey);
      expect((await call(current(), "POST", path, rotating.headers, body)).body.error?.code).not.toBe(
        "INVALID_API_KEY",
      );
    });

    it("refuses a key from the moment that it expires", async () => {
      const rotating = await current().createApp();
      const second = await createKey(current(), rotating);
      const withSecond = { ...rotating.headers, authorization: `Bearer ${second.apiKey}` };
      await setKey(current(), second.id, { expiresAt: current().clock.now + 60_000 });
      current().clock.advance(59_000);
      expect((await call(current(), "POST", path, withSecond, body)).body.error?.code).not.toBe("INVALID_API_KEY");
      current().clock.advance(2000);
      expect(await call(current(), "POST", path, withSecond, body)).toMatchObject(invalidKey);
    });
  });

  it("lets each of three keys in for its own app only (security rule A2)", async () => {
    const apps = [app, other, await current().createApp()];
    for (const key of apps) {
      for (const named of apps) {
        const headers = { authorization: `Bearer ${key.apiKey}`, "x-service-app-id": named.id };
        const answer = await call(current(), "POST", "/auth/initiate", headers, body);
        if (key === named) expect(answer.status).toBe(200);
        else expect(answer).toMatchObject(invalidAppId);
      }
    }
  });

  it("takes no ids in a body or a query for a credential (security rule A3)", async () => {
    const claims = { appId: app.id, app_id: app.id, apiKey: app.apiKey, userId: "usr_1", ...body };
    const query = `?app_id=${app.id}&api_key=${app.apiKey}&token=${token}`;
    for (const path of serverRoutes)
      expect(await call(current(), "POST", path + query, {}, claims)).toMatchObject(invalidKey);
    const invalidToken = { status: 401, body: { error: { code: "INVALID_TOKEN" } } };
    expect(await call(current(), "GET", `/auth/validate${query}`, { "x-service-app-id": app.id })).toMatchObject(
      invalidToken,
    );
    expect(await call(current(), "POST", `/auth/logout${query}`, {}, { accessToken: token })).toMatchObject(
      invalidToken,
    );
  });

  it("redeems no code and refreshes no token for a caller that names another app's ID", async () => {
    const service = current();
    const { session, code } = await signUp(service, app);
    const theirs = { code, sessionId: session.sessionId };
    const foreign = { ...app.headers, "x-service-app-id": other.id };
    expect(await call(service, "POST", "/auth/callback", foreign, theirs)).toMatchObject(invalidAppId);
    const good = await call(service, "POST", "/auth/callback", app.headers, theirs);
    expect(good.status).toBe(200);
    const { refreshToken } = good.body;
    expect(await call(service, "POST", "/auth/refresh", foreign, { refreshToken })).toMatchObject(invalidAppId);
    expect((await call(service, "POST", "/auth/refresh", app.headers, { refreshToken })).status).toBe(200);
  });
});

/** An error answer without what is different in each. */
function withoutId({ status, body: { error } }: Awaited<ReturnType<typeof call>>) {
  return { status, ...error, requestId: "" };
}

async function createKey(service: TestService, app: TestApp) {
  return await service.server.app.services.applications.createKey({ appId: app.id }, { kind: "cli", name: "test" });
}

async function setKey(
  service: TestService,
  id: string,
  change: { revokedAt?: number; expiresAt?: number },
): Promise<void> {
  await service.server.app.storage.write(async ({ db, tables: { apiKeys } }) => {
    await db.update(apiKeys).set(change).where(eq(apiKeys.id, id));
  });
}
