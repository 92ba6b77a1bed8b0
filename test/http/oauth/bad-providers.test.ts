import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import * as providers from "../../../src/applications/providers/provider-clients.ts";
import { sampled } from "../../support/long-run.ts";
import { newEmail, type Page } from "../../support/person.ts";
import { startFakeServer, type FakeServer, type Handler, type Reply } from "../../support/providers/fake-server.ts";
import type { KindName } from "../../support/providers/kinds.ts";
import { startProvider, type FakeProvider } from "../../support/providers/provider.ts";
import { auditOf, identitiesOf, usersOf } from "../../support/providers/records.ts";
import { withProviders, appWith, codeOf, signInAt, startFromPage, startRound } from "../../support/providers/round.ts";
import { describeOnSqlite, type TestApp, type TestService } from "../../support/service.ts";

const filler = "x".repeat(1024 * 1024);
/** Where redirects lead, and nobody may follow. */
let elsewhere: FakeServer;

/** Answers of a provider on a bad day, at whichever endpoint. */
const badAnswers: Record<string, () => Reply | Handler> = {
  "an error of its own": () => ({ status: 500, body: { error: "server_error" } }),
  "503 and a page": () => ({ status: 503, headers: { "retry-after": "3600" }, body: "<h1>Down</h1>" }),
  "400 and an OAuth error": () => ({ status: 400, body: { error: "invalid_grant", error_description: "nope" } }),
  "401": () => ({ status: 401, headers: { "www-authenticate": "Basic" }, body: {} }),
  "429": () => ({ status: 429, body: {} }),
  "200 and an error": () => ({ body: { error: "bad_verification_code", error_description: "nope" } }),
  "200 and an empty object": () => ({ body: {} }),
  "200 and nothing": () => ({ body: "" }),
  "204": () => ({ status: 204 }),
  "201 with the right words": () => ({ status: 201, body: { access_token: "x", id_token: "x", id: 1, keys: [] } }),
  "200 and a page": () => ({ body: "<!doctype html><h1>Hello</h1>" }),
  "a JSON text cut short": () => ({ headers: { "content-type": "application/json" }, body: '{"access_token":"x"' }),
  "JSON null": () => ({ body: "null" }),
  "a JSON string": () => ({ body: '"access_token"' }),
  "a JSON list of lists": () => ({ body: [[], {}, null, 1] }),
  "deep JSON": () => ({ body: "[".repeat(100_000) }),
  "fields of other types": () => ({ body: { access_token: { a: 1 }, id_token: 7, id: {}, sub: 1, keys: "none" } }),
  "an access token that no header can hold": () => ({ body: { access_token: "a\r\nx: y\u2603", id_token: "a\n.b.c" } }),
  "bytes that are no text": () => ({ body: "\u0000\u0001\uFFFD{" }),
  "302 to elsewhere": () => ({ status: 302, headers: { location: `${elsewhere.origin}/taken` } }),
  "307 to elsewhere": () => ({ status: 307, headers: { location: `${elsewhere.origin}/taken` } }),
  "301 to itself": () => ({ status: 301, headers: { location: "?again" } }),
  "5 MB": () => ({ headers: { "content-type": "application/json" }, body: `{"a":"${filler.repeat(5)}"}` }),
  "5 MB in pieces, without a length": () => (_received, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    // Whoever reads only the first megabyte hangs up in the middle.
    response.on("error", () => {});
    for (let n = 0; n < 5; n += 1) response.write(filler);
    response.end();
    return undefined;
  },
  "a hung-up line": () => (_received, response) => {
    response.destroy();
    return undefined;
  },
  "half an answer": () => (_received, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
    response.write('{"access_token":');
    setTimeout(() => response.destroy(), 10);
    return undefined;
  },
};

const endpoints: [kind: KindName, path: string][] = [
  ["github", "/token"],
  ["github", "/user"],
  ["github", "/user/emails"],
  ["discord", "/users/@me"],
  ["facebook", "/me"],
  ["apple", "/token"],
  ["openid", "/token"],
  ["openid", "/keys"],
];

const long = "x".repeat(256);
/** In place of the subject that the provider knows a person by. */
const nobodies: unknown[] = [
  undefined,
  null,
  "",
  {},
  [],
  ["1"],
  true,
  long,
  "\u0000",
  "a\nb",
  1.5,
  -1,
  Number.MAX_VALUE,
];
const noAddresses: unknown[] = [
  "not an address",
  "a@x.example,b@y.example",
  "v\uFF20x.example",
  {},
  [],
  5,
  "a@x.example\r\nBcc: b@y.example",
];

describeOnSqlite("O12: a provider on a bad day", (current) => {
  beforeAll(async () => {
    elsewhere = await startFakeServer(() => () => ({ body: { access_token: "x", id: 1 } }));
  });
  afterAll(async () => await elsewhere.close());

  describe.each(sampled(endpoints, 2))("%s at %s", (kind, path) => {
    let provider: FakeProvider;
    beforeAll(async () => {
      provider = await startProvider(kind);
    });
    afterEach(() => provider.reset());
    afterAll(async () => await provider.close());

    it.each(Object.entries(badAnswers))(
      "answers %s: a page that says so, and nobody is signed in",
      async (_title, bad) => {
        const { service, app } = await withProviders(current(), [provider]);
        // Keys are kept for a while: another issuer's are not.
        const fresh = path === "/keys" ? await startProvider(kind) : provider;
        if (fresh !== provider)
          await providers.set(service.server.app.ctx, app.id, fresh.settings(), { kind: "cli", name: "test" });
        const answer = bad();
        fresh.instead.set(path, typeof answer === "function" ? answer : () => answer);
        const before = Date.now();
        const { done } = await signInAt(service, app, fresh, { subject: "1", email: newEmail(), verified: true });
        await expectFailure(service, app, fresh, done);
        expect(Date.now() - before).toBeLessThan(10_000);
        expect(elsewhere.received).toEqual([]);
        if (fresh !== provider) await fresh.close();
      },
    );

    it.each([
      [1000, true],
      [1100, false],
      [5000, false],
    ])("answers rightly and adds %i KiB of spaces: read up to 1 MiB (%s)", async (kibibytes, isRead) => {
      const service = current();
      const fresh = await startProvider(kind);
      const app = await appWith(service, [fresh]);
      fresh.instead.set(path, async (received, response) => {
        const { body } = await fresh.rightAnswer(received, response);
        const json = { "content-type": "application/json" };
        return { headers: json, body: JSON.stringify(body) + " ".repeat(kibibytes * 1024) };
      });
      const { done } = await signInAt(service, app, fresh, { subject: "1", email: newEmail(), verified: true });
      await fresh.close();
      if (isRead) codeOf(done);
      else await expectFailure(service, app, fresh, done);
    });

    it("answers rightly, but with status 500: a page that says so, and nobody is signed in", async () => {
      const service = current();
      const fresh = await startProvider(kind);
      const app = await appWith(service, [fresh]);
      fresh.instead.set(path, async (received, response) => ({
        ...(await fresh.rightAnswer(received, response)),
        status: 500,
      }));
      const { done } = await signInAt(service, app, fresh, { subject: "1", email: newEmail(), verified: true });
      await fresh.close();
      await expectFailure(service, app, fresh, done);
    });

    it("lets the same person in as soon as it is well again", async () => {
      const { service, app } = await withProviders(current(), [provider]);
      provider.instead.set(path === "/keys" ? "/token" : path, () => ({ status: 500 }));
      const person = { subject: "1", email: newEmail(), verified: true };
      const { done, visitor } = await signInAt(service, app, provider, person);
      provider.reset();
      // The page of the failure has the button, and the session is still good.
      const again = await visitor.submit(done, `/oauth/${provider.name}`, {});
      expect(again.status).toBe(303);
      codeOf((await signInAt(service, app, provider, person)).done);
    });
  });

  async function expectFailure(service: TestService, app: TestApp, provider: FakeProvider, page: Page): Promise<void> {
    expect(page.status).toBe(400);
    expect(page.headers.get("location")).toBeNull();
    expect(page.text).toMatch(/try again, or sign in another way\./iu);
    expect(page.text).toContain(provider.displayName);
    expect(await usersOf(service, app)).toEqual([]);
    expect(await identitiesOf(service, app)).toEqual([]);
    const actions = (await auditOf(service, app)).map(({ action, result }) => `${action} ${result}`);
    expect(actions).not.toContain("sign-in success");
  }

  describe.each([
    ["github", "id"],
    ["openid", "sub"],
  ] as const)("%s, whose word of a person names nobody", (kind, field) => {
    it.each(sampled(nobodies, 4).map((subject) => [JSON.stringify(subject)?.slice(0, 40) ?? "nothing", subject]))(
      "O12, GHSA-wpfr-6297-9v57: makes no user of a person whose subject is %s",
      async (_title, subject) => {
        const provider = await startProvider(kind);
        const app = await appWith(current(), [provider]);
        const person = { subject: "1", email: newEmail(), verified: true, raw: { [field]: subject } };
        const { done } = await signInAt(current(), app, provider, person);
        await provider.close();
        expect([done.status, done.headers.get("location")]).toEqual([400, null]);
        expect([await usersOf(current(), app), await identitiesOf(current(), app)]).toEqual([[], []]);
      },
    );
  });

  it.each(noAddresses.map((address) => [JSON.stringify(address), address]))(
    "O12, GHSA-wpfr-6297-9v57: stores no address like %s, verified as it may be said to be",
    async (_title, address) => {
      const provider = await startProvider("google");
      const app = await appWith(current(), [provider]);
      const person = { subject: "somebody", email: newEmail(), verified: true, raw: { email: address } };
      const { done } = await signInAt(current(), app, provider, person);
      await provider.close();
      expect(done.status).toBeLessThan(500);
      for (const user of await usersOf(current(), app)) expect([user.email, user.emailVerified]).toEqual([null, false]);
    },
  );

  describe("at the discovery of an issuer", () => {
    const documents: [title: string, change: (provider: FakeProvider) => object | string][] = [
      ["names another issuer", ({ origin }) => ({ issuer: `${origin}.evil.example` })],
      ["names no issuer", () => ({ issuer: undefined })],
      ["names a list of issuers", ({ origin }) => ({ issuer: [origin] })],
      ["has no authorization endpoint", () => ({ authorization_endpoint: undefined })],
      ["has no token endpoint", () => ({ token_endpoint: null })],
      ["has no keys", () => ({ jwks_uri: undefined })],
      ["sends people to a script", () => ({ authorization_endpoint: "javascript:alert(1)" })],
      ["sends people to a file", () => ({ authorization_endpoint: "file:///etc/passwd" })],
      ["has an endpoint that is no address", () => ({ token_endpoint: "/token" })],
      ["has the token endpoint on plain http elsewhere", () => ({ token_endpoint: "http://idp.example/token" })],
      ["sends people to plain http elsewhere", () => ({ authorization_endpoint: "http://idp.example/authorize" })],
    ];

    it.each(documents)("whose document %s: a page that says so, and no redirect", async (_title, change) => {
      const service = current();
      const provider = await startProvider("openid");
      const app = await appWith(service, [provider]);
      provider.instead.set("/.well-known/openid-configuration", () => ({
        body: { ...provider.discovery(), ...(change(provider) as object) },
      }));
      await expect(startRound(service, app, provider)).rejects.toThrow("the start answered 400");
      await expect(startFromPage(service, app, provider)).rejects.toThrow("the start answered 400");
      await provider.close();
    });

    it.each(Object.entries(badAnswers))("that answers %s: a page that says so", async (_title, bad) => {
      const service = current();
      const provider = await startProvider("openid");
      const app = await appWith(service, [provider]);
      const answer = bad();
      provider.instead.set("/.well-known/openid-configuration", typeof answer === "function" ? answer : () => answer);
      await expect(startRound(service, app, provider)).rejects.toThrow("the start answered 400");
      provider.instead.clear();
      expect((await startRound(service, app, provider)).start.status).toBe(303);
      expect(elsewhere.received).toEqual([]);
      await provider.close();
    });
  });
});
