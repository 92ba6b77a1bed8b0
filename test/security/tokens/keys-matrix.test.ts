import { beforeAll, expect, it } from "vitest";
import * as apiKeys from "../../../src/applications/keys.ts";
import * as methods from "../../../src/credentials/methods/service.ts";
import type { Access, Route } from "../../../src/http/route.ts";
import * as webhooks from "../../../src/records/webhooks/service.ts";
import { routes } from "../../../src/routes.ts";
import { signedUp, type Tokens } from "../../support/person.ts";
import { sendUntidied } from "../../support/raw-http.ts";
import { accessOf, addressOf } from "../../support/routes.ts";
import { describeOnSqlite, type TestApp } from "../../support/service.ts";

type Tenant = { app: TestApp; tokens: Tokens & { email: string } };
/** What a call shows: an API key or a token of one app, and the App IDs that it names. */
type Shown = { by?: string | undefined; header?: string | undefined; query?: string | undefined; path?: string };
type Answered = Awaited<ReturnType<typeof sendUntidied>>;

const key = ["INVALID_API_KEY", "The API key is missing or not valid."] as const;
const token = ["INVALID_TOKEN", "The access token is missing or not valid."] as const;
const appId = ["INVALID_APP_ID", "The App ID is missing or not valid."] as const;

/** What a call without any credential is told. Undefined: it needs none. */
const toStrangers: Record<Access, readonly [code: string, message: string, details?: string] | undefined> = {
  anyone: undefined,
  namedApp: appId,
  tokenOfNamedApp: appId,
  queryUserWithProfile: token,
  serverOfItsApp: key,
  managerOfItsApp: key,
  serverOrAllowedPublicClient: [
    ...key,
    "authorization: missing; only applications that allow public clients need no API key here",
  ],
  serverOrPublicClient: key,
  user: token,
  userWithProfile: token,
  userOfNamedApp: token,
  // OAuth routes, which say it in other words.
  client: ["invalid_client", "The client is unknown or did not authenticate."],
  userWithOpenId: ["invalid_token", "The access token is missing or not valid."],
};
const byKey: Access[] = ["serverOfItsApp", "managerOfItsApp", "serverOrAllowedPublicClient", "serverOrPublicClient"];
const byToken: Access[] = ["user", "userWithProfile", "userOfNamedApp"];
const byQuery: Access[] = ["queryUserWithProfile", "tokenOfNamedApp"];
const namesItself: Access[] = ["serverOrAllowedPublicClient", "serverOrPublicClient", "userOfNamedApp"];

describeOnSqlite("credentials, of every route and three applications", (current) => {
  let tenants: Tenant[];
  let guarded: { route: Route; access: Access }[];
  beforeAll(async () => {
    tenants = await Promise.all(
      [1, 2, 3].map(async (): Promise<Tenant> => {
        const app = await current().createApp();
        return { app, tokens: await signedUp(current(), app) };
      }),
    );
    guarded = routes.flatMap((route) => {
      const access = accessOf(route);
      return access === undefined ? [] : [{ route, access }];
    });
  });

  /**
   * Sends a body that no route takes: whoever gets as far as that was let in, and nothing has
   * happened.
   */
  async function send(route: Route, shown: Shown = {}, token?: string): Promise<Answered> {
    const query = [
      ...(shown.query === undefined ? [] : [`app_id=${shown.query}`]),
      ...(token === undefined ? [] : [`token=${token}`]),
    ];
    const address = addressOf(route, { appId: shown.path ?? "app_unknown", provider: "google" });
    const headers = {
      ...(shown.by === undefined ? {} : { authorization: `Bearer ${shown.by}` }),
      ...(shown.header === undefined ? {} : { "x-service-app-id": shown.header }),
      "content-type": route.errors === "oauth" ? "application/x-www-form-urlencoded" : "application/json",
    };
    const nobodysBody = route.errors === "oauth" ? "nobody=takes+this" : '{"nobody":"takes this"}';
    const body = route.method === "POST" || route.method === "PATCH" ? nobodysBody : "";
    return await sendUntidied(
      current(),
      route.method,
      query.length > 0 ? `${address}?${query.join("&")}` : address,
      headers,
      body,
    );
  }

  it("A3, CVE-2025-61928: without a credential every route that is not open refuses, whatever ids the address and the body name", async () => {
    const [mine] = tenants as [Tenant];
    const ids = {
      userId: mine.tokens.user["id"],
      user_id: mine.tokens.user["id"],
      appId: mine.app.id,
      app_id: mine.app.id,
    };
    const claims = JSON.stringify({
      ...ids,
      apiKey: mine.app.apiKey,
      accessToken: mine.tokens.accessToken,
      sub: ids.userId,
    });
    const words = new URLSearchParams({
      ...ids,
      api_key: mine.app.apiKey,
      access_token: mine.tokens.accessToken,
    } as Record<string, string>);
    for (const { route, access } of guarded) {
      const wanted = toStrangers[access];
      if (!wanted) continue;
      expectRefusal(await send(route, { path: mine.app.id }), wanted);
      // Group B takes its App ID from the query by contract; everything else must not.
      if (["namedApp", "tokenOfNamedApp"].includes(access)) continue;
      for (const cookie of ["", `token=${mine.tokens.accessToken}; authsvc=${mine.app.apiKey}`]) {
        const isForm = route.errors === "oauth";
        const type = isForm ? "application/x-www-form-urlencoded" : "application/json";
        const headers = { "content-type": type, ...(cookie === "" ? {} : { cookie }) };
        const address = `${addressOf(route, { appId: mine.app.id })}?${words.toString()}`;
        const body = isForm ? new URLSearchParams(ids as Record<string, string>).toString() : claims;
        expectRefusal(await sendUntidied(current(), route.method, address, headers, body), wanted);
      }
      for (const name of ["x-api-key", "x-user-id", "x-access-token", "x-authenticated-user", "proxy-authorization"]) {
        const value = `Bearer ${name === "x-access-token" ? mine.tokens.accessToken : mine.app.apiKey}`;
        expectRefusal(
          await sendUntidied(current(), route.method, addressOf(route, { appId: mine.app.id }), { [name]: value }),
          wanted,
        );
      }
    }
  });

  it("A3: without a credential, an application that allows public clients starts, redeems and refreshes, and no more", async () => {
    const { id } = await current().createApp({ settings: { publicClients: true } });
    const admitted: string[] = [];
    for (const { route, access } of guarded.filter((each) => byKey.includes(each.access))) {
      const answer = await send(route, { header: id, path: id });
      if (access === "serverOrAllowedPublicClient") expectAdmitted(route, answer);
      else expectRefusal(answer, key);
      if (access.endsWith("PublicClient")) admitted.push(`${route.method} ${route.path}`);
    }
    // The other two need a code or login of a public client (http/contract/pkce.test.ts).
    expect(admitted).toEqual(["POST /auth/initiate", "POST /auth/callback", "POST /auth/refresh"]);
  });

  it("A3: a route that needs no credential is one of these, or a page", async () => {
    const open = routes.filter((route) => {
      const access = accessOf(route);
      return route.errors !== "page" && (access === undefined || toStrangers[access] === undefined);
    });
    expect(open.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      "GET /.well-known/change-password",
      "GET /.well-known/jwks.json",
      "GET /.well-known/oauth-authorization-server",
      "GET /.well-known/openid-configuration",
      "GET /.well-known/passkey-endpoints",
      "GET /.well-known/webauthn",
      "GET /assets/:file",
      "GET /favicon.ico",
      "GET /healthz",
      "GET /openapi.json",
      "GET /pictures/:random/:digest",
      "GET /readyz",
      "GET /robots.txt",
      "POST /reset/:token/password-check",
      "POST /sign-in/:sessionId/add/passkey/options",
      "POST /sign-in/:sessionId/create-account/passkey/options",
      "POST /sign-in/:sessionId/passkey/options",
      "POST /sign-in/:sessionId/password-check",
      "POST /sign-in/:sessionId/step/new-passkey/options",
      "POST /sign-in/:sessionId/step/passkey/options",
    ]);
  });

  it("A2, A6, CVE-2025-64431: an API key opens its own application, on every route, whichever App IDs the call names", async () => {
    let admitted = 0;
    for (const { route, access } of guarded.filter((each) => byKey.includes(each.access))) {
      const inPath = route.path.includes(":appId");
      for (const { app } of tenants) {
        const ids = [...tenants.map((tenant) => tenant.app.id), "app_unknown"];
        for (const header of [undefined, "", ...ids]) {
          for (const path of inPath ? ids : [app.id]) {
            const answer = await send(route, { by: app.apiKey, header, path });
            const named = header === undefined ? !namesItself.includes(access) : header === app.id;
            if (named && path === app.id) admitted += expectAdmitted(route, answer);
            else expectRefusal(answer, appId);
          }
        }
      }
    }
    // Each route by each of the three, with the App ID, and without it where it need not be named.
    expect(admitted).toBeGreaterThanOrEqual(guarded.filter((each) => byKey.includes(each.access)).length * 3);
  });

  it("A2, A6, CVE-2025-64431: a user's token opens its own application, on every route, whichever App ID the call names", async () => {
    for (const { route, access } of guarded.filter((each) => byToken.includes(each.access))) {
      for (const { app } of tenants) {
        const own = async (): Promise<string> => (await signedUp(current(), app)).accessToken;
        const accessToken = await own();
        for (const header of ["", "app_unknown", ...tenants.map((tenant) => tenant.app.id)]) {
          if (header !== app.id) expectRefusal(await send(route, { by: accessToken, header }), appId);
        }
        // Last: this may delete the user.
        expectAdmitted(route, await send(route, { by: accessToken, header: app.id }));
        const unnamed = await send(route, { by: await own() });
        if (namesItself.includes(access)) expectRefusal(unnamed, appId);
        else expectAdmitted(route, unnamed);
      }
    }
  });

  it("A6, CVE-2025-64431: a token in the query opens its own application, whichever App IDs the call names", async () => {
    const ids = [...tenants.map((tenant) => tenant.app.id), "app_unknown", ""];
    for (const { route, access } of guarded.filter((each) => byQuery.includes(each.access))) {
      for (const { app, tokens } of tenants) {
        for (const query of [undefined, ...ids]) {
          for (const header of [undefined, ...ids]) {
            const answer = await send(route, { query, header }, tokens.accessToken);
            const isNone = query === undefined && access === "tokenOfNamedApp";
            const isOwn = [query, header].every((id) => id === undefined || id === app.id) && !isNone;
            const isKnown = tenants.some((tenant) => tenant.app.id === query);
            if (isOwn)
              expect(JSON.parse(answer.text)).toMatchObject(
                access === "tokenOfNamedApp" ? { valid: true } : { id: tokens.user["id"] },
              );
            else if (access === "tokenOfNamedApp" && isKnown && (header === undefined || header === query))
              expect(answer.text).toBe('{"valid":false}');
            else expectRefusal(answer, appId);
          }
        }
      }
    }
  });

  it("A6: an App ID in the header is held against the one in the query where no credential says whose the call is", async () => {
    const [mine, other] = tenants as [Tenant, Tenant];
    for (const { route } of guarded.filter(({ access }) => access === "namedApp")) {
      for (const header of ["", "app_unknown", other.app.id])
        expectRefusal(await send(route, { query: mine.app.id, header }), appId);
      const named = await send(route, { query: mine.app.id, header: mine.app.id });
      expect(named.text).not.toContain("INVALID_APP_ID");
    }
  });

  it("A2: keys open no route of users, tokens no route of servers, and neither is taken for the other", async () => {
    const [{ app, tokens }] = tenants as [Tenant];
    for (const { route, access } of guarded) {
      const shown = { header: app.id, path: app.id };
      if (byKey.includes(access)) {
        for (const by of [tokens.accessToken, tokens.refreshToken, app.id])
          expectRefusal(await send(route, { ...shown, by }), key);
      } else if (byToken.includes(access) || access === "queryUserWithProfile") {
        for (const by of [app.apiKey, tokens.refreshToken, String(tokens.user["id"])])
          expectRefusal(await send(route, { ...shown, by }), token);
      }
    }
  });

  it("A2, CVE-2025-64431: another application's webhook, method and user are as unknown as what never was", async () => {
    const [mine, other] = tenants as [Tenant, Tenant];
    const { ctx } = current().server.app;
    const secret = "a secret of thirty characters.";
    const endpoint = { url: "https://hooks.example.com/", events: ["user.login"], secret };
    const theirs = await webhooks.create(ctx, other.app.id, endpoint, { actor: { kind: "cli", name: "test" } });
    const [method] = await methods.list(ctx.storage.reader, String(other.tokens.user["id"]));
    const foreign: Record<string, string> = { id: theirs.id, methodId: method?.id ?? "" };
    const own = { appId: mine.app.id, userId: String(mine.tokens.user["id"]) };
    const withIds = guarded.filter(({ route }) => /:(?:id|methodId)\b/u.test(route.path));
    expect(withIds.length).toBeGreaterThan(4);
    for (const { route, access } of withIds) {
      const credential = byKey.includes(access) ? mine.app.apiKey : mine.tokens.accessToken;
      const headers = { authorization: `Bearer ${credential}`, "content-type": "application/json" };
      const body = route.method === "PATCH" ? '{"enabled":false}' : route.method === "POST" ? "{}" : "";
      const answers = [];
      for (const values of [foreign, {}]) {
        const address = addressOf(route, { ...own, ...values });
        answers.push(await sendUntidied(current(), route.method, address, headers, body));
      }
      expect(answers.map(({ status }) => status)).toEqual([404, 404]);
      expect(withoutId(answers[0])).toEqual(withoutId(answers[1]));
    }
    expect(await webhooks.get(ctx, theirs.id)).toMatchObject({ enabled: true });
    expect(await methods.list(ctx.storage.reader, String(other.tokens.user["id"]))).toHaveLength(1);
  });

  it("A2: unknown and foreign App IDs are answered with the same bytes", async () => {
    const [mine, other] = tenants as [Tenant, Tenant];
    for (const { route, access } of guarded.filter((each) => byKey.includes(each.access))) {
      const answers = [];
      for (const id of [
        other.app.id,
        "app_unknown",
        "__proto__",
        "%00",
        `${mine.app.id}x`,
        mine.app.id.toUpperCase(),
      ]) {
        const shown = route.path.includes(":appId") ? { path: id } : { header: id };
        answers.push(withoutId(await send(route, { by: mine.app.apiKey, ...shown })));
      }
      expect([access, new Set(answers.map((answer) => JSON.stringify(answer))).size]).toEqual([access, 1]);
    }
  });

  it("A2: a key that was revoked, or a login that has ended, opens no route any more", async () => {
    const app = await current().createApp();
    const tokens = await signedUp(current(), app);
    const { ctx } = current().server.app;
    for (const { id } of await apiKeys.listKeys(ctx, app.id))
      await apiKeys.revokeKey(ctx, id, { kind: "cli", name: "test" });
    const ended = await sendUntidied(current(), "POST", "/auth/logout", {
      authorization: `Bearer ${tokens.accessToken}`,
    });
    expect(ended.status).toBe(200);
    for (const { route, access } of guarded) {
      const shown = { header: app.id, path: app.id };
      if (byKey.includes(access)) expectRefusal(await send(route, { ...shown, by: app.apiKey }), key);
      if (byToken.includes(access)) expectRefusal(await send(route, { ...shown, by: tokens.accessToken }), token);
    }
  });
});

/** The whole error object, and nothing else of the answer that could tell more. */
function expectRefusal(
  { status, headers, text }: Answered,
  [code, message, details]: readonly [code: string, message: string, details?: string],
): void {
  const isOAuth = code === code.toLowerCase();
  expect(JSON.parse(text)).toEqual(
    isOAuth
      ? { error: code, error_description: message }
      : {
          error: {
            code,
            message,
            details: details ?? expect.stringMatching(/^(?:app_id: missing or not valid)?$/u),
            requestId: headers["x-request-id"],
          },
        },
  );
  expect(status).toBe(401);
  expect(headers["cache-control"]).toBe("no-store");
  expect(headers.location).toBeUndefined();
}

/**
 * Past every check of who calls: what is wrong now, if anything, is the body or what the path
 * names.
 */
function expectAdmitted({ method, path }: Route, { status, text }: Answered): 1 {
  expect([
    method,
    path,
    [200, 400, 404].includes(status),
    text.includes("INVALID_A"),
    text.includes("INVALID_T"),
  ]).toEqual([method, path, true, false, false]);
  return 1;
}

function withoutId(answer: Answered | undefined) {
  const { error } = JSON.parse(answer?.text ?? "{}") as { error: Record<string, string> };
  return { status: answer?.status, ...error, requestId: "" };
}
