import { decodeJwt, decodeProtectedHeader } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import { failuresOf } from "../../../src/dev/providers/failures.ts";
import { standIns, type StandIn } from "../../../src/dev/providers/stand-ins.ts";
import { initiate, redeem, Visitor, type Page, type Session, type Tokens } from "../../support/person.ts";
import { sendUntidied } from "../../support/raw-http.ts";
import { demoApp, startTestService, type TestApp, type TestService } from "../../support/service.ts";
import { broughtBack, codeVerifier, StandInClient } from "../../support/stand-in-client.ts";

let running: Awaited<ReturnType<typeof startTestService>>;
let service: TestService;
let demo: TestApp;

beforeAll(async () => {
  running = await startTestService("sqlite", { dev: true });
  service = running.service;
  demo = demoApp(service);
});

afterAll(async () => {
  await running.stop();
});

const named = (name: string): StandIn => standIns.find((standIn) => standIn.name === name) as StandIn;
const clientOf = (name: string): StandInClient => new StandInClient(service, named(name));
const names = standIns.map(({ name }) => name);
const withSecret = names.filter((name) => name !== "apple");

/**
 * The whole round: hosted page, stand-in, callback. Where the service sends the browser, or the
 * page that it shows.
 */
async function round(
  provider: string,
  form: Record<string, string>,
  extra: Record<string, unknown> = {},
): Promise<{ session: Session; done: Page }> {
  const session = await initiate(service, demo, extra);
  const visitor = new Visitor();
  const start = await visitor.submit(await visitor.get(session.authUrl), `/oauth/${provider}`, {});
  expect(start.location.origin).toBe(new URL(clientOf(provider).address).origin);
  const body = new URLSearchParams(form);
  const answer = Object.fromEntries(await broughtBack(await fetch(start.location, { method: "POST", body })));
  const { redirectUri, standIn } = clientOf(provider);
  if (standIn.answersBy === "query")
    return { session, done: await visitor.get(`${redirectUri}?${new URLSearchParams(answer).toString()}`) };
  // As a browser sends it: from another site, so without cookies. The page in between sends it
  // again.
  const between = await new Visitor().post(redirectUri, answer, { origin: "null", "sec-fetch-site": "cross-site" });
  return { session, done: await visitor.submit(between, "/callback", answer) };
}

async function tokensOf({ session, done }: { session: Session; done: Page }): Promise<Tokens> {
  expect([done.status, done.location.origin]).toEqual([303, service.url]);
  return await redeem(service, demo, { session, code: done.location.searchParams.get("code") ?? "" });
}

describe("a round through the service", () => {
  it.each(names)("with %s signs somebody in, and the same person the next time", async (provider) => {
    const person = { name: "Mary Somerville", email: `mary@${provider}.example`, verified: "on" };
    const { user } = await tokensOf(await round(provider, person));
    const proven = !["microsoft", "facebook"].includes(provider);
    expect(user).toMatchObject({ email: person.email, emailVerified: proven, name: person.name });
    expect(user["authMethods"]).toMatchObject({ oauth: [provider] });
    const again = await tokensOf(await round(provider, { ...person, email: person.email.toUpperCase() }));
    expect(again.user["id"]).toBe(user["id"]);
  });

  it.each(names)("with %s ends on the method page when it is cancelled there", async (provider) => {
    const { done } = await round(provider, { cancel: "1" });
    expect(done.text).toContain("without signing in. Try again");
  });

  it.each(standIns.flatMap((standIn) => failuresOf(standIn).map(({ id }) => [standIn.name, id] as const)))(
    "with %s ends on the method page and signs nobody in: %s",
    async (provider, failure) => {
      const { done } = await round(provider, { fail: "1", failure });
      expect(done.status).toBe(400);
      expect(done.text).toContain("answer as expected");
    },
  );

  it.each<[provider: string, times: [how: string, isFresh: boolean][]]>([
    [
      "example",
      [
        ["", true],
        ["auth-time-old", false],
        ["auth-time-future", false],
        ["auth-time-text", false],
        ["auth-time-missing", false],
      ],
    ],
    ["microsoft", [["", true]]],
    ["apple", [["", true]]],
    ["google", [["", false]]],
    ["github", [["", false]]],
    ["discord", [["", false]]],
    ["facebook", [["", false]]],
  ])("with %s proves the time of the sign-in as the real one does", async (provider, times) => {
    const person = { name: "Mary Somerville", email: `time@${provider}.example`, verified: "on" };
    await round(provider, person);
    for (const [failure, isFresh] of times) {
      const how: Record<string, string> = failure === "" ? {} : { fail: "1", failure };
      const { done } = await round(provider, { ...person, ...how }, { maxAge: 0 });
      expect([failure, done.location.searchParams.has("code")]).toEqual([failure, isFresh]);
    }
  });

  it("tells people without an address, or with an unverified one, what to do", async () => {
    for (const provider of names) {
      const { done } = await round(provider, { person: "joan" });
      expect([provider, done.text.includes("share an email address")]).toEqual([provider, true]);
    }
    for (const provider of ["google", "github", "apple", "discord", "example"]) {
      const { done } = await round(provider, { person: "alan" });
      expect([provider, done.text.includes("verified there")]).toEqual([provider, true]);
    }
  });
});

describe("a stand-in", () => {
  it.each(names)("refuses a stranger's request without sending anybody anywhere: %s", async (name) => {
    const client = clientOf(name);
    const wrong = [
      { client_id: "another-client" },
      { client_id: undefined },
      { redirect_uri: "https://evil.example/callback" },
      { redirect_uri: `${client.redirectUri}/` },
      { redirect_uri: undefined },
    ];
    for (const changes of wrong) {
      for (const method of ["GET", "POST"]) {
        const body = method === "POST" ? { body: new URLSearchParams({ person: "ada" }) } : {};
        const response = await fetch(client.authorizeUrl(changes), { method, ...body });
        expect([response.status, response.headers.get("refresh")]).toEqual([400, null]);
        expect(await response.text()).toMatch(/(?:client_id|redirect_uri): /u);
      }
    }
  });

  it.each(names)("sends a wrong request back with what is wrong: %s", async (name) => {
    const client = clientOf(name);
    const wrong: [string, Record<string, string | undefined>][] = [
      ["unsupported_response_type", { response_type: "token" }],
      ["unsupported_response_type", { response_type: undefined }],
      ["invalid_request", { code_challenge: undefined }],
      ["invalid_request", { code_challenge: "short" }],
      ["invalid_request", { code_challenge_method: "plain", code_challenge: codeVerifier }],
      ["invalid_request", { code_challenge_method: undefined }],
      ["invalid_request", { response_mode: name === "apple" ? undefined : "form_post" }],
    ];
    if (["google", "microsoft", "example"].includes(name)) wrong.push(["invalid_scope", { scope: "email" }]);
    if (["google", "discord"].includes(name)) wrong.push(["invalid_request", { prompt: "login" }]);
    for (const [error, changes] of wrong) {
      const answer = await client.agree({ person: "ada" }, client.authorizeUrl(changes));
      expect([answer.get("error"), answer.get("state"), answer.get("code")]).toEqual([error, "state-1", null]);
    }
  });

  it.each(withSecret)("gives no token for a wrong secret, or one in the wrong place: %s", async (name) => {
    const client = clientOf(name);
    const { clientId, clientSecret, secretIn } = client.standIn;
    const inHeader = { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}` };
    const wrongHeader = { authorization: `Basic ${Buffer.from(`${clientId}:wrong`).toString("base64")}` };
    const inBody = { client_id: clientId, client_secret: clientSecret };
    const wrong: [Record<string, string | undefined>, Record<string, string>][] =
      secretIn === "body"
        ? [
            [{ client_secret: "wrong" }, {}],
            [{ client_secret: undefined }, {}],
            [{ client_id: "another-client" }, {}],
            [{ client_id: undefined, client_secret: undefined }, inHeader],
            [{}, inHeader],
          ]
        : [
            [{}, wrongHeader],
            [{}, { authorization: "" }],
            [inBody, { authorization: "" }],
            [inBody, {}],
          ];
    const code = (await client.agree()).get("code") ?? "";
    for (const [fields, headers] of wrong) {
      const { status, body } = await client.redeem(code, fields, headers);
      expect([status, body["error"]]).toEqual([name === "github" ? 200 : 401, "invalid_client"]);
    }
    // None of these used the code up: who asks is checked first.
    expect((await client.redeem(code)).body).toHaveProperty("access_token");
  });

  it.each(withSecret)("gives a token once, for its own code, redirect address and verifier: %s", async (name) => {
    const client = clientOf(name);
    const refused = [name === "github" ? 200 : 400, "invalid_grant"];
    const attempt = async (code: string, changes: Record<string, string | undefined> = {}) => {
      const { status, body } = await client.redeem(code, changes);
      expect(body).not.toHaveProperty("access_token");
      return [status, body["error"]];
    };
    const newCode = async () => (await client.agree()).get("code") ?? "";
    const code = await newCode();
    expect((await client.redeem(code)).body).toHaveProperty("access_token");
    expect(await attempt(code)).toEqual(refused);
    expect(await attempt("unknown")).toEqual(refused);
    expect(await attempt(await newCode(), { redirect_uri: `${client.redirectUri}/` })).toEqual(refused);
    expect(await attempt(await newCode(), { redirect_uri: undefined })).toEqual(refused);
    expect(await attempt(await newCode(), { code_verifier: codeVerifier.toUpperCase() })).toEqual(refused);
    expect(await attempt(await newCode(), { code_verifier: undefined })).toEqual(refused);
    const another = clientOf(name === "google" ? "github" : "google");
    expect(await attempt((await another.agree()).get("code") ?? "")).toEqual(refused);
    const late = await newCode();
    service.clock.advance(60_000);
    expect(await attempt(late)).toEqual(refused);
    expect((await client.redeem(await newCode(), { grant_type: "password" })).body["error"]).toBe(
      "unsupported_grant_type",
    );
    // A wrong try uses the code up.
    const tried = await newCode();
    await attempt(tried, { code_verifier: "wrong" });
    expect(await attempt(tried)).toEqual(refused);
  });

  it("takes for Apple's client secret nothing that the key of the account did not sign", async () => {
    const client = clientOf("apple");
    const code = (await client.agree()).get("code") ?? "";
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const unsigned = `${part({ alg: "none" })}.${part({ iss: "STANDINTM1", sub: client.standIn.clientId })}.`;
    for (const secret of [client.standIn.clientSecret, "", "a.b.c", unsigned]) {
      expect(await client.redeem(code, { client_secret: secret })).toMatchObject({ body: { error: "invalid_client" } });
    }
  });

  it("signs id_tokens with what the client needs, and nothing that the scopes do not cover", async () => {
    for (const name of ["google", "microsoft", "example"]) {
      const client = clientOf(name);
      const { body } = await client.redeem((await client.agree()).get("code") ?? "");
      const idToken = String(body["id_token"]);
      const expected = {
        aud: client.standIn.clientId,
        nonce: "nonce-1",
        email: "ada@example.com",
        name: "Ada Lovelace",
      };
      expect(decodeJwt(idToken)).toMatchObject(expected);
      expect(decodeProtectedHeader(idToken)).toMatchObject({ alg: name === "example" ? "ES256" : "RS256" });
      const keys = (await (await fetch(`${client.address}/keys`)).json()) as { keys: Record<string, unknown>[] };
      expect(keys.keys.map(({ kid }) => kid)).toEqual([decodeProtectedHeader(idToken).kid]);
      expect(keys.keys[0]).not.toHaveProperty("d");
      const little = await client.agree({ person: "ada" }, client.authorizeUrl({ scope: "openid" }));
      const claims = decodeJwt(String((await client.redeem(little.get("code") ?? "")).body["id_token"]));
      expect([claims["email"], claims["name"], claims["email_verified"]]).toEqual([undefined, undefined, undefined]);
    }
  });

  it("names Microsoft's tenant in the issuer, and leaves out what Microsoft does not say", async () => {
    const client = clientOf("microsoft");
    const { body } = await client.redeem((await client.agree()).get("code") ?? "");
    const claims = decodeJwt(String(body["id_token"]));
    expect(claims.iss).toBe(`${client.address}/${String(claims["tid"])}/v2.0`);
    expect(claims).not.toHaveProperty("email_verified");
  });

  it("tells Apple's name once for each person, by a posted form", async () => {
    const client = clientOf("apple");
    const person = { name: "Émilie du Châtelet", email: "emilie@example.com", verified: "on" };
    const user = JSON.parse((await client.agree(person)).get("user") ?? "");
    expect(user).toEqual({ name: { firstName: "Émilie", lastName: "du Châtelet" }, email: person.email });
    expect((await client.agree(person)).has("user")).toBe(false);
  });

  it("describes people as GitHub, Discord and Facebook do, to the holder of a token only", async () => {
    const tokenFrom = async (name: string, scope?: string) => {
      const client = clientOf(name);
      const answer = await client.agree({ person: "alan" }, client.authorizeUrl(scope === undefined ? {} : { scope }));
      return String((await client.redeem(answer.get("code") ?? "")).body["access_token"]);
    };
    const github = await tokenFrom("github");
    expect((await clientOf("github").ask("/user", github)).body).toMatchObject({ id: expect.any(Number), email: null });
    const emails = (await clientOf("github").ask("/user/emails", github)).body as Record<string, unknown>[];
    expect(emails.find(({ primary }) => primary)).toMatchObject({ email: "alan@example.com", verified: false });
    expect((await clientOf("github").ask("/user/emails", await tokenFrom("github", "read:user"))).status).toBe(404);

    const discord = await clientOf("discord").ask("/users/@me", await tokenFrom("discord"));
    expect(discord.body).toMatchObject({
      id: expect.stringMatching(/^\d+$/u),
      email: "alan@example.com",
      verified: false,
    });
    const without = await clientOf("discord").ask("/users/@me", await tokenFrom("discord", "identify"));
    expect(without.body).not.toHaveProperty("email");

    const facebook = await tokenFrom("facebook");
    expect((await clientOf("facebook").ask("/me", facebook)).body).toEqual({
      id: expect.any(String),
      name: "Alan Turing",
    });
    expect((await clientOf("facebook").ask("/me?fields=id,email", facebook)).body).toEqual({
      id: expect.any(String),
      email: "alan@example.com",
    });

    for (const [name, path] of [
      ["github", "/user"],
      ["github", "/user/emails"],
      ["discord", "/users/@me"],
      ["facebook", "/me"],
    ] as const) {
      expect((await clientOf(name).ask(path, "unknown")).status).toBe(401);
      expect((await clientOf(name).ask(path, name === "github" ? facebook : github)).status).toBe(401);
    }
  });

  it("shows what was typed and asked for as text", async () => {
    const attack = `"><script>alert(1)</script>`;
    const client = clientOf("google");
    const page = await (await fetch(client.authorizeUrl({ scope: `openid ${attack}`, state: attack }))).text();
    expect(page).toContain("&lt;script&gt;");
    expect(page).not.toContain("<script>");
    const posted = await fetch(clientOf("apple").authorizeUrl({ state: attack }), {
      method: "POST",
      body: new URLSearchParams({ person: "ada" }),
    });
    expect(await posted.text()).not.toContain("<script>alert");
  });
});

const everyPath = standIns.flatMap(({ name, says }) => {
  const own = { github: ["/user", "/user/emails"], discord: ["/users/@me"], facebook: ["/me"] };
  const below = "idToken" in says ? ["/keys", "/.well-known/openid-configuration"] : own[says.userinfo];
  return [
    ["POST", `/dev/providers/${name}/authorize`],
    ["POST", `/dev/providers/${name}/token`],
  ].concat(["/authorize", ...below].map((path) => ["GET", `/dev/providers/${name}${path}`])) as [string, string][];
});

describe("the stand-ins' addresses", () => {
  it("answer only when the Host header names this machine", async () => {
    const { host } = new URL(service.url);
    const statusFor = async (path: string, method: string, named: string) =>
      (await sendUntidied(service, method, path, { host: named })).status;
    for (const [method, path] of everyPath) {
      expect([path, await statusFor(path, method, "evil.example")]).toEqual([path, 404]);
      expect([path, await statusFor(path, method, host)]).not.toEqual([path, 404]);
    }
  });

  it("follow the service to another port, and a developer's own account with a real provider stays", async () => {
    const other = await startTestService("sqlite", { dev: true });
    try {
      const { ctx } = other.service.server.app;
      const own = { name: "google", clientId: "my-own-client", secret: "my-own-secret" };
      await providers.set(ctx, "app_demo", own, { kind: "cli", name: "test" });
      await other.restart();
      const accounts = await providers.list(other.service.server.app.ctx, "app_demo");
      const addresses = new Map(accounts.map(({ name, endpoints }) => [name, endpoints.authorizationUrl]));
      const { port } = new URL(other.service.url);
      expect(addresses.get("google")).toBe("https://accounts.google.com/o/oauth2/v2/auth");
      expect(addresses.get("github")).toBe(`http://127.0.0.1:${port}/dev/providers/github/authorize`);
      expect(accounts).toHaveLength(names.length);
    } finally {
      await other.stop();
    }
  });
});
