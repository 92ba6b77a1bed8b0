import { importLines } from "../../../src/people/import.ts";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { errorAnswer } from "../../../src/api/openapi/errors.ts";
import { bodyOf, sampleOf } from "../../../src/records/webhooks/event.ts";
import { routes } from "../../../src/routes.ts";
import { eventKinds } from "../../../src/storage/column-types.ts";
import { givePasskey } from "../../support/methods.ts";
import { givePersonalToken } from "../../support/personal-tokens.ts";
import { createDescription } from "../../support/openapi.ts";
import { applicationParty, basic, codeFor, post, tokensFor } from "../../support/openid-tokens.ts";
import { createTestClient } from "../../support/openid.ts";
import { call, initiate, newEmail, redeem, signIn, signUp, type Tokens } from "../../support/person.ts";
import { startReceiver } from "../../support/receiver.ts";
import { openApiDocument, operations } from "../../support/routes.ts";
import { companyConfig, useCompanyProvider } from "../../support/company-provider.ts";
import { describeOnSqlite, updateApp, type TestApp, type TestService } from "../../support/service.ts";
import { localWebhooks } from "../../support/webhooks.ts";

type Json = Record<string, unknown>;

const { document, problemOf } = createDescription();

/**
 * Routes that the pages of this service or browsers call by themselves: nobody else may build on
 * them.
 */
const ofPages = /^\/(sign-in|reset|account|assets|pictures|favicon\.ico|robots\.txt|\.well-known\/change-password)\b/u;

const company = await useCompanyProvider();

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
    for (const { answer, body } of operations) {
      for (const named of [answer.schema, body]) {
        if (!named) continue;
        const { name, schema, example } = named;
        expect([name, schema.safeParse(example).error?.issues]).toEqual([name, undefined]);
      }
    }
  });

  it("describes every field, parameter, header and operation", () => {
    const silent: string[] = [];
    const look = (value: unknown, place: string): void => {
      if (typeof value !== "object" || value === null) return;
      const { properties, parameters, operationId, description } = value as Record<string, unknown>;
      const parts = [...Object.entries(properties ?? {}), ...Object.entries((parameters as Json[] | undefined) ?? [])];
      for (const [name, part] of parts as [string, Json][])
        if (part["$ref"] === undefined && !part["description"]) silent.push(`${place}.${name}`);
      if (operationId !== undefined && !description) silent.push(place);
      for (const [name, inner] of Object.entries(value))
        if (name !== "example" && name !== "examples") look(inner, `${place}/${name}`);
    };
    look(document, "");
    for (const [name, part] of Object.entries({ ...document.components.schemas, ...document.components.headers }))
      if (!part["description"]) silent.push(name);
    expect(silent).toEqual([]);
  });

  it("leaves a linter nothing to say", async () => {
    // A sign-in that begins with a link is answered with a redirect; and every document here is
    // served by example.com or localhost.
    const rules = { "operation-2xx-response": "off", "no-server-example.com": "off" } as const;
    const config = await createConfig({ extends: ["recommended"], rules });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it("says on every error of a limited call what is left of the limit", () => {
    const limited = Object.values(document.paths).flatMap((path) =>
      Object.values(path).filter((each) => "x-rate-limit" in each),
    );
    expect(limited.length).toBeGreaterThan(20);
    for (const { operationId, responses } of limited) {
      for (const [status, named] of Object.entries(responses)) {
        const response = document.components.responses[named.$ref?.split("/").at(-1) ?? ""] ?? named;
        expect([operationId, status, Object.keys((response as { headers: Json }).headers)]).toEqual([
          operationId,
          status,
          expect.arrayContaining(["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]),
        ]);
      }
    }
  });

  it("describes the webhook of every kind of event", () => {
    expect(Object.keys(document.webhooks)).toEqual([...eventKinds]);
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile({
      ...document.components.schemas["WebhookEvent"],
      components: document.components,
    });
    for (const kind of eventKinds) {
      expect([kind, validate(JSON.parse(bodyOf(sampleOf(kind, Date.now())))), validate.errors]).toEqual([
        kind,
        true,
        null,
      ]);
    }
  });

  it("names everything that it refers to", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([\w-]+)"/gu)];
    const components = document.components as unknown as Record<string, Json>;
    expect(references.length).toBeGreaterThan(100);
    for (const [, kind = "", name = ""] of references)
      expect([kind, Object.keys(components[kind] ?? {})]).toEqual([kind, expect.arrayContaining([name])]);
  });
});

describeOnSqlite("the OpenAPI document", { ...localWebhooks, ...companyConfig }, (current) => {
  it("describes every route that is not of a page, and no other", () => {
    const lines = routes.filter(({ errors, path }) => errors !== "page" && !ofPages.test(path));
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
      // No application of this test has related origins.
      const open = operation.id === "getRelatedOrigins" ? 404 : 200;
      expect([operation.id, status]).toEqual([operation.id, operation.access === "anyone" ? open : 401]);
    }
  });

  it("holds for what the calls really answer", async () => {
    const walk = createWalk(current(), await current().createApp());
    await walk.authentication();
    await walk.profile();
    await walk.applications();
    await walk.groups();
    await walk.organizations();
    await walk.users();
    await walk.webhooks();
    await walk.queries();
    await walk.openId();
    expect(walk.problems).toEqual([]);
    const untouched = operations.filter(({ id, access }) => access !== "anyone" && !walk.called.has(`${id} ok`));
    // Three need a mail server, one an owner at a browser, and one answers with a redirect.
    const elsewhere = [
      "inviteToOrganization",
      "withdrawOrganizationInvitation",
      "makeOrganizationSetupLink",
      "confirmOrganizationProvider",
      "authorize",
    ];
    expect(untouched.map(({ id }) => id)).toEqual(elsewhere);
    expectExamplesOf(walk.answered);
  });
});

const examples = new Map<string, unknown>([
  ["Error", errorAnswer.example],
  ...operations.flatMap(({ answer: { schema } }) => (schema ? [[schema.name, schema.example] as const] : [])),
]);

/** Ids, capabilities and tokens in the examples have the form of those that the service gave. */
function expectExamplesOf(answered: [name: string, body: unknown][]): void {
  const compared = new Set<string>();
  for (const [name, body] of answered) {
    const shown = formsOf(examples.get(name));
    for (const [place, form] of formsOf(body)) {
      // An App ID is the operator's choice.
      // A cursor is as long as its numbers.
      if (!shown.has(place) || form.startsWith("app_") || place === "/cursor") continue;
      compared.add(`${name}${place}`);
      expect([name, place, shown.get(place)]).toEqual([name, place, form]);
    }
  }
  const tokens = answered.flatMap(([, body]) => (body as { accessToken?: string }).accessToken ?? []);
  const { accessToken, refreshToken } = examples.get("Tokens") as Record<string, string>;
  const [shownClaims, ...issued] = [accessToken ?? "", ...tokens].map((token) =>
    claimsOf(Buffer.from(token.split(".")[1] ?? "", "base64url")),
  );
  for (const claims of issued) expect(shownClaims).toEqual(expect.arrayContaining(claims));
  const must = ["Session/sessionId", "Session/authUrl", "Tokens/refreshToken", "TokensAndUser/accessToken"];
  const others = ["User/id", "WebhookEndpoint/id", "WebhookTestResult/eventId", "Error/error/requestId"];
  expect([...compared]).toEqual(expect.arrayContaining([...must, ...others]));
  const sent = (id: string) => operations.find((each) => each.id === id)?.body?.example as Record<string, string>;
  const { code, sessionId } = sent("callback");
  expect([code?.length, { sessionId }, sent("refresh")]).toEqual([
    43,
    { sessionId: (examples.get("Session") as Json)["sessionId"] },
    { refreshToken },
  ]);
}

/** Of every text that nobody chose, by its place: the form that it has. */
function formsOf(value: unknown, place = ""): Map<string, string> {
  if (typeof value === "string") return new Map(formOf(value).map((form) => [place, form]));
  if (typeof value !== "object" || value === null) return new Map();
  return new Map(
    Object.entries(value).flatMap(([key, each]) => [
      ...formsOf(each, Array.isArray(value) ? place : `${place}/${key}`),
    ]),
  );
}

function claimsOf(part: Buffer): string[] {
  return Object.keys(JSON.parse(part.toString()) as Json).toSorted();
}

function formOf(text: string): string[] {
  const [header, claims, signature] = text.split(".").map((part) => Buffer.from(part, "base64url"));
  if (text.startsWith("eyJ") && header && claims && signature) {
    return [`${claimsOf(header).join()} and a signature of ${signature.length} bytes`];
  }
  const last = text.slice(text.lastIndexOf("/") + 1);
  const [, prefix = "", rest = ""] = /^((?:[a-z]{3,4}_)(?:test_)?)?([\w-]{16,})$/u.exec(last) ?? [];
  const alphabet = ["0-9a-f", "0-9a-hjkmnp-tv-z", "\\w-"].find((each) => new RegExp(`^[${each}]+$`, "u").test(rest));
  return alphabet === undefined || (prefix === "" && rest.length < 40)
    ? []
    : [`${prefix}[${alphabet}]{${rest.length}}`];
}

/** Calls everything, and holds each answer against the document. */
function createWalk(service: TestService, app: TestApp) {
  const problems: string[] = [];
  const called = new Set<string>();
  /** By the name of the answer. */
  const answered: [name: string, body: unknown][] = [];
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
    const address = `${path}${replaced["query"] ?? ""}`;
    const answer =
      body instanceof URLSearchParams
        ? await post(service, address, Object.fromEntries(body), given)
        : await call(service, operation.method, address, given, body);
    called.add(`${id} ${answer.status < 300 ? "ok" : "refused"}`);
    if (answer.status < 300) answered.push([operation.answer.schema?.name ?? "", answer.body]);
    else if (typeof answer.body["error"] === "object") answered.push(["Error", answer.body]);
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
    answered,

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
      const { body: feed } = await send("listRevocations", headers);
      await send("logout", user);
      await send("listRevocations", headers, undefined, { query: `?after=${String(feed["cursor"])}` });
      await send("listRevocations", headers, undefined, { query: "?after=unknown" });
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

    async groups() {
      const { id: appId } = app;
      const userId = String((await signInAgain(email)).user["id"]);
      const name = "staff";
      await send("createGroup", headers, undefined, { appId, name });
      await send("createGroup", headers, { secondFactor: "always" }, { appId, name });
      await send("createGroup", headers, undefined, { appId, name: "-" });
      await send("addGroupMember", headers, {}, { appId, name, userId });
      await send("addGroupMember", headers, {}, { appId, name, userId: "usr_unknown" });
      await send("listGroups", headers, undefined, { appId });
      await send("getGroup", headers, undefined, { appId, name });
      await send("listGroupMembers", headers, undefined, { appId, name });
      await send("listGroupMembers", headers, undefined, { appId, name, query: "?limit=0" });
      await send("listGroupsOfUser", headers, undefined, { appId, userId });
      await send("removeGroupMember", headers, undefined, { appId, name, userId });
      await send("deleteGroup", headers, undefined, { appId, name });
      await send("getGroup", headers, undefined, { appId, name });
      const change = { public: { plan: "pro" }, private: { customer: 1 } };
      await send("updateMetadata", headers, change, { appId, userId });
      await send("updateMetadata", headers, { public: [] }, { appId, userId });
      await send("getMetadata", headers, undefined, { appId, userId });
      await send("getProfile", user);
    },

    async organizations() {
      const ofApp = { appId: app.id };
      await send("listOrganizations", headers, undefined, ofApp);
      await updateApp(service, app, { settings: { organizations: "on" } });
      const userId = String((await signInAgain(email)).user["id"]);
      const { body } = await send("createOrganization", headers, { name: "Acme", owner: userId }, ofApp);
      await send("createOrganization", headers, { name: "acme.com", owner: userId }, ofApp);
      await send("listOrganizations", headers, undefined, ofApp);
      const acme = { ...ofApp, orgId: String(body["id"]) };
      await send("getOrganization", headers, undefined, acme);
      await send("getOrganization", headers, undefined, { ...acme, query: `?by=${userId}` });
      await send("getOrganization", headers, undefined, { ...acme, orgId: "org_unknown" });
      await send("updateOrganization", headers, { maxMembers: 2 }, acme);
      await send("updateOrganization", headers, { maxMembers: 3 }, { ...acme, query: `?by=${userId}` });
      const { body: bob } = await send("createUser", headers, { email: newEmail() }, ofApp);
      const asBob = { ...acme, userId: String(bob["id"]) };
      await send("updateOrganizationMember", headers, { roles: ["member"] }, asBob);
      await send("putOrganizationMember", headers, { roles: ["admin"] }, asBob);
      await send("updateOrganizationMember", headers, { roles: ["member"] }, asBob);
      await send("listOrganizationMembers", headers, undefined, acme);
      await send("listOrganizationMembers", headers, undefined, { ...acme, query: "?limit=0" });
      await send("inviteToOrganization", headers, { invitations: [] }, acme);
      await send("listOrganizationInvitations", headers, undefined, acme);
      await send("listOrganizationDomains", headers, undefined, acme);
      const { body: claimed } = await send("addOrganizationDomain", headers, { domain: "acme.example" }, acme);
      await send("addOrganizationDomain", headers, { domain: "com" }, acme);
      const ofAcme = { ...acme, domain: String(claimed["domain"]) };
      await send("updateOrganizationDomain", headers, { join: "ask" }, ofAcme);
      await send("updateOrganizationDomain", headers, { join: "ask" }, { ...ofAcme, domain: "other.example" });
      await send("checkOrganizationDomain", headers, undefined, ofAcme);
      await send("removeOrganizationDomain", headers, undefined, ofAcme);
      const { issuer, clientId, secret: clientSecret } = company;
      await send("putOrganizationProvider", headers, { issuer, clientId, clientSecret }, acme);
      await updateApp(service, app, { settings: { companySignIn: "on" } });
      await send("testOrganizationProvider", headers, undefined, acme);
      await send("putOrganizationProvider", headers, { issuer, clientId, clientSecret }, acme);
      await send("getOrganizationProvider", headers, undefined, acme);
      await send("testOrganizationProvider", headers, undefined, acme);
      await send("confirmOrganizationProvider", headers, { issuer }, acme);
      await send("removeOrganizationProvider", headers, undefined, acme);
      await send("removeOrganizationProvider", headers, undefined, acme);
      await send("listOrganizationsOfUser", headers, undefined, asBob);
      await send("listOwnOrganizations", user);
      await send("leaveOrganization", user, undefined, acme);
      await send("leaveOrganization", user, undefined, { orgId: "org_unknown" });
      await send("putOrganizationMember", headers, { roles: ["owner"] }, asBob);
      await send("leaveOrganization", user, undefined, acme);
      await send("removeOrganizationMember", headers, undefined, asBob);
      await send("deleteOrganization", headers, undefined, acme);
    },

    async users() {
      const ofApp = { appId: app.id };
      const created = await send("createUser", headers, { email: newEmail(), name: "Bob" }, ofApp);
      await send("createUser", headers, { email: created.body["email"] }, ofApp);
      await send("listUsers", headers, undefined, { ...ofApp, query: "?limit=1" });
      await send("listUsers", headers, undefined, { ...ofApp, query: "?limit=0" });
      const bob = { ...ofApp, userId: String(created.body["id"]) };
      await send("getManagedUser", headers, undefined, bob);
      await send("getManagedUser", headers, undefined, { ...ofApp, userId: "usr_unknown" });
      await send("updateManagedUser", headers, { name: "Robert", disabled: false }, bob);
      await send("updateManagedUser", headers, { email: "nonsense" }, bob);
      await send("logoutManagedUser", headers, undefined, bob);
      await send("requireNewPassword", headers, undefined, bob);
      const { user: withPassword } = await signInAgain(email);
      await send("requireNewPassword", headers, undefined, { ...ofApp, userId: String(withPassword["id"]) });
      await send("getManagedUser", headers, undefined, { ...ofApp, userId: String(withPassword["id"]) });
      await givePersonalToken(service, bob.userId);
      const listed = await send("listPersonalTokens", headers, undefined, bob);
      await send("listPersonalTokens", headers, undefined, { ...ofApp, userId: "usr_unknown" });
      const [live] = listed.body["tokens"] as { id: string }[];
      for (const _ of [1, 2]) await send("endPersonalToken", headers, undefined, { ...bob, tokenId: live?.id ?? "" });
      await send("getManagedUserFactors", headers, undefined, bob);
      await send("getManagedUserFactors", headers, undefined, { ...ofApp, userId: "usr_unknown" });
      await send("resetManagedUserFactors", headers, undefined, bob);
      await send("resetManagedUserFactors", headers, undefined, { ...ofApp, userId: "usr_unknown" });
      await givePasskey(service, bob.userId);
      await givePasskey(service, bob.userId);
      const { body } = await send("listManagedUserMethods", headers, undefined, bob);
      for (const { id: methodId } of body["methods"] as { id: string }[])
        await send("removeManagedUserMethod", headers, undefined, { ...bob, methodId });
      await send("deleteManagedUser", headers, undefined, bob);
      const lines = ["usr_waits_1", "usr_waits_2"].map((id, line) => {
        const user = { id, email: `${id}@example.com`, emailVerified: true, state: "pending" };
        return { line, json: JSON.stringify(user) };
      });
      await importLines(service.server.app.ctx, app.id, lines, { dryRun: false }, { kind: "cli", name: "test" });
      await send("getManagedUser", headers, undefined, { ...ofApp, userId: "usr_waits_1" });
      await send("approveManagedUser", headers, { message: "Welcome." }, { ...ofApp, userId: "usr_waits_1" });
      await send("approveManagedUser", headers, {}, { ...ofApp, userId: "usr_waits_1" });
      await send("refuseManagedUser", headers, {}, { ...ofApp, userId: "usr_waits_2" });
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

    async openId() {
      const party = await applicationParty(service);
      const form = (fields: Record<string, string>): URLSearchParams => new URLSearchParams(fields);
      const scope = { scope: "openid profile email offline_access", nonce: "n" };
      const code = form(await codeFor(service, party, scope));
      const client = basic(party);
      const { body } = await send("getTokens", client, code);
      await send("getTokens", client, code);
      const tokens = await tokensFor(service, party, scope);
      const bearer = { authorization: `Bearer ${tokens.access_token}` };
      await send("getUserInfo", bearer);
      await send("getUserInfo", { authorization: `Bearer ${String(body["access_token"])}` });
      await send("postUserInfo", bearer);
      for (const token of [tokens.access_token, tokens.refresh_token, "unknown"])
        await send("introspectToken", client, form({ token }));
      await send("introspectToken", client, form({}));
      await send("revokeToken", client, form({ token: tokens.refresh_token }));
      await send("revokeToken", client, form({}));
      const redirectUri = party.client.redirectUris[0] ?? "";
      const asked = { response_type: "code", redirect_uri: redirectUri, scope: "openid" };
      await send("pushAuthorizationRequest", client, form(asked));
      await send("pushAuthorizationRequest", client, form({}));
      const device = await createTestClient(service, party.app, { kind: "device", redirectUris: [] });
      await send("authorizeDevice", {}, form({ scope: "openid", client_id: device.id }));
      await send("authorizeDevice", client, form({ scope: "openid" }));
    },
  };
}
