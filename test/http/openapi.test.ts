import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../src/openapi/document.ts";
import { answers } from "../../src/openapi/answers.ts";
import { examples } from "../../src/openapi/examples.ts";
import { operations } from "../../src/openapi/operations.ts";
import { requests } from "../../src/openapi/requests.ts";
import { call, initiate, newEmail, redeem, signIn, signUp, type Tokens } from "../support/person.ts";
import { givePasskey } from "../support/methods.ts";
import { createDescription } from "../support/openapi.ts";
import { startReceiver } from "../support/receiver.ts";
import { routesOf } from "../support/routes.ts";
import { describeEachDatabase, type TestApp, type TestService } from "../support/service.ts";
import { localWebhooks } from "../support/webhooks.ts";

type Json = Record<string, unknown>;

const { document, problemOf } = createDescription();

/** Routes that the pages of this service call themselves: nobody else may build on them. */
const ofPages = /^\/(sign-in|account|assets)\b/u;

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const result = await new Validator().validate(structuredClone(document));
    expect(result).toMatchObject({ valid: true });
  });

  it("is not content with an answer that it does not describe", () => {
    const done = { success: true, message: "Logged out." };
    expect(problemOf("logout", 200, done)).toBe("");
    expect(problemOf("logout", 200, { ...done, extra: 1 })).toContain("additional properties");
    expect(problemOf("logout", 200, { success: true })).toContain("message");
    expect(problemOf("logout", 202, done)).toBe("logout does not answer 202");
  });

  it("has an example of every answer and every body, each as its schema wants it", () => {
    for (const [name, schema] of Object.entries(answers)) {
      expect([name, schema.safeParse(examples[name as keyof typeof answers]).error?.issues]).toEqual([name, undefined]);
    }
    for (const [name, { schema, example }] of Object.entries(requests)) {
      expect([name, schema.safeParse(example).error?.issues]).toEqual([name, undefined]);
    }
  });

  it("says something of every field of every body", () => {
    const silent = Object.keys(requests).flatMap((name) => {
      const properties = (document.components.schemas[name]?.["properties"] ?? {}) as Record<string, Json>;
      return Object.entries(properties).flatMap(([field, { description }]) => (description ? [] : `${name}.${field}`));
    });
    expect(silent).toEqual([]);
  });

  it("names everything that it refers to", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/gu)];
    const components = document.components as unknown as Record<string, Json>;
    expect(references.length).toBeGreaterThan(100);
    for (const [, kind = "", name = ""] of references)
      expect([kind, Object.keys(components[kind] ?? {})]).toEqual([kind, expect.arrayContaining([name])]);
  });
});

describeEachDatabase(
  "the OpenAPI document",
  (current) => {
    it("describes every route that is not of a page, and no other", () => {
      const lines = routesOf(current()).filter(({ page, path }) => !page && !ofPages.test(path));
      const facts = ({ method, path, limit }: Pick<(typeof lines)[number], "method" | "path" | "limit">): string =>
        `${method} ${path} ${limit ?? "not limited"}`;
      expect(operations.map(facts).toSorted()).toEqual(lines.map(facts).toSorted());
    });

    it("is what GET /openapi.json answers, for caches to keep", async () => {
      const service = current();
      const { status, headers, body } = await call(service, "GET", "/openapi.json", {});
      expect(status).toBe(200);
      expect(headers.get("cache-control")).toMatch(/^public, max-age=\d+$/u);
      expect(body).toEqual(JSON.parse(JSON.stringify(openApiDocument(service.url))));
    });

    it("says truly what a caller without credentials is told", async () => {
      const service = current();
      for (const operation of operations) {
        const path = operation.path.replaceAll(/:\w+/gu, "x");
        const { status, body } = await call(service, operation.method, path, {});
        const problem = problemOf(operation.id, status, body);
        expect([operation.id, problem]).toEqual([operation.id, ""]);
        const isOpen = operation.access === "anyone";
        expect([operation.id, status]).toEqual([operation.id, isOpen ? 200 : 401]);
      }
    });

    it("holds for what the calls really answer", async () => {
      const walk = createWalk(current(), await current().createApp());
      await walk.authentication();
      await walk.profile();
      await walk.applications();
      await walk.webhooks();
      await walk.queries();
      expect(walk.problems).toEqual([]);
      const untouched = operations.filter(({ id, access }) => access !== "anyone" && !walk.called.has(`${id} ok`));
      // It answers with a redirect.
      expect(untouched.map(({ id }) => id)).toEqual(["authorize"]);
    });
  },
  localWebhooks,
);

/** Calls everything, and holds each answer against the document. */
function createWalk(service: TestService, app: TestApp) {
  const problems: string[] = [];
  const called = new Set<string>();
  const { headers } = app;
  let user: Record<string, string> = {};
  let token = "";

  async function send(
    id: string,
    given: Record<string, string>,
    body?: unknown,
    replaced: Record<string, string> = {},
  ) {
    const operation = operations.find((each) => each.id === id);
    if (!operation) throw new Error(id);
    const path = operation.path.replaceAll(/:(\w+)/gu, (_, name: string) => replaced[name] ?? "");
    const answer = await call(service, operation.method, `${path}${replaced["query"] ?? ""}`, given, body);
    called.add(`${id} ${answer.status < 300 ? "ok" : "refused"}`);
    const problem = problemOf(id, answer.status, answer.body);
    if (problem !== "") problems.push(`${id} ${answer.status}: ${problem}`);
    return answer;
  }

  async function signInAgain(email: string, extra = {}): Promise<Tokens> {
    const tokens = await redeem(service, app, await signIn(service, app, { email }, extra));
    token = tokens.accessToken;
    user = { authorization: `Bearer ${token}`, "x-service-app-id": app.id };
    return tokens;
  }

  const email = newEmail();
  return {
    problems,
    called,

    async authentication() {
      await send("initiate", headers, { redirectUri: app.redirectUri, state: "s" });
      await send("initiate", headers, { redirectUri: "https://elsewhere.example/" });
      await send("initiate", headers, "not json");
      const { code, session } = await signUp(service, app, { email });
      await send("callback", headers, { code, sessionId: session.sessionId });
      await send("callback", headers, { code, sessionId: session.sessionId });
      const { refreshToken } = await signInAgain(email);
      await send("refresh", headers, { refreshToken });
      await send("refresh", headers, { refreshToken: "unknown" });
      await send("validate", user);
      await send("logout", user, { refreshToken: "unknown" });
      await send("logout", user);
      await send("validate", user);
      // Without the scope for the address, answers are shorter.
      await signInAgain(email, { scopes: ["profile"] });
      await send("validate", user);
      await send("getProfile", user);
      await signInAgain(email, { scopes: ["email"] });
      await send("getProfile", user);
    },

    async profile() {
      await signInAgain(email);
      await send("getProfile", user);
      await send("updateProfile", user, { name: "Ada", picture: "https://app.example/ada.png" });
      await send("updateProfile", user, { name: 5 });
      await send("listAuthMethods", user);
      await send("addAuthMethod", user, { type: "passkey", redirectUri: app.redirectUri });
      await send("addAuthMethod", user, { type: "oauth", redirectUri: app.redirectUri });
      await send("removeAuthMethod", user, undefined, { methodId: "mth_unknown" });
    },

    async applications() {
      await send("getApplication", headers, undefined, { appId: app.id });
      const change = { authMethods: { passkey: { enabled: true } } };
      await send("updateApplication", headers, change, { appId: app.id });
      await send("updateApplication", headers, { domain: "x" }, { appId: app.id });
    },

    async webhooks() {
      const receiver = await startReceiver();
      const body = { url: receiver.url, events: ["user.login"], secret: "0123456789abcdef0123" };
      const created = await send("createWebhookEndpoint", headers, body);
      const id = { id: String(created.body["id"]) };
      await send("createWebhookEndpoint", headers, { ...body, url: "ftp://x" });
      await send("listWebhookEndpoints", headers);
      await send("getWebhookEndpoint", headers, undefined, id);
      await send("getWebhookEndpoint", headers, undefined, { id: "whe_unknown" });
      await send("updateWebhookEndpoint", headers, { secret: "abcdef0123456789abcd" }, id);
      await send("testWebhookEndpoint", headers, undefined, id);
      await send("removeWebhookEndpoint", headers, undefined, id);
      await receiver.stop();
    },

    async queries() {
      await send("verifyToken", {}, undefined, { query: `?app_id=${app.id}&token=${token}` });
      await send("verifyToken", {}, undefined, { query: `?app_id=${app.id}&token=bad` });
      await send("getUser", {}, undefined, { query: `?token=${token}` });
      await send("getConfig", {}, undefined, { query: `?app_id=${app.id}` });
      await send("getConfig", {}, undefined, { query: `?app_id=${app.id}&app_id=x` });
      const { sessionId } = await initiate(service, app);
      await send("callback", headers, { code: "x", sessionId });
      const person = newEmail();
      await redeem(service, app, await signUp(service, app, { email: person }));
      const leaving = await signInAgain(person);
      await givePasskey(service, String(leaving.user["id"]));
      const methods = await send("listAuthMethods", user);
      const ids = (methods.body["methods"] as { id: string }[]).map(({ id }) => id);
      // The last one stays.
      for (const methodId of ids) await send("removeAuthMethod", user, undefined, { methodId });
      await send("deleteProfile", user);
      await send("getProfile", user);
    },
  };
}
