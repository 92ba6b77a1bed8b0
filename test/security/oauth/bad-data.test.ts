import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { useService } from "../../support/one-service.ts";
import { newEmail } from "../../support/person.ts";
import { startFakeServer, type FakeServer, type Handler, type Reply } from "../../support/providers/fake-server.ts";
import type { KindName } from "../../support/providers/kinds.ts";
import { startProvider, type FakeProvider } from "../../support/providers/provider.ts";
import { identitiesOf, usersOf } from "../../support/providers/records.ts";
import { appWith, codeOf, signInAt } from "../../support/providers/round.ts";
import type { TestApp } from "../../support/service.ts";
import { sampled } from "../../support/long-run.ts";

const current = useService();
const kinds: KindName[] = ["google", "github", "discord", "facebook", "microsoft", "apple", "openid"];

const providers = new Map<KindName, FakeProvider>();
let app: TestApp;
/** Where redirects lead, and nobody may follow. */
let elsewhere: FakeServer;
beforeAll(async () => {
  elsewhere = await startFakeServer(() => () => ({ body: { access_token: "x", id: 1 } }));
  for (const kind of kinds) providers.set(kind, await startProvider(kind));
  app = await appWith(current(), [...providers.values()]);
});
afterEach(() => {
  for (const provider of providers.values()) provider.reset();
});
afterAll(async () => {
  await Promise.all([...providers.values()].map((provider) => provider.close()));
  await elsewhere.close();
});

function providerOf(kind: KindName): FakeProvider {
  const provider = providers.get(kind);
  if (!provider) throw new Error("no such provider");
  return provider;
}

async function expectPage(provider: FakeProvider, person: Parameters<typeof signInAt>[3]): Promise<void> {
  const before = [await usersOf(current(), app), await identitiesOf(current(), app)];
  const { done } = await signInAt(current(), app, provider, person);
  expect(done.status).toBe(400);
  expect(done.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(done.headers.get("location")).toBeNull();
  expect([await usersOf(current(), app), await identitiesOf(current(), app)]).toEqual(before);
}

/** GHSA-wpfr-6297-9v57: data that name nobody. Each in place of the subject of the provider. */
const subjects: unknown[] = [
  undefined,
  null,
  "",
  {},
  [],
  ["1"],
  true,
  "x".repeat(256),
  "\u0000",
  "a\nb",
  1.5,
  -1,
  0,
  Number.MAX_VALUE,
];

describe.each(kinds)("%s", (kind) => {
  const field = { github: "id", discord: "id", facebook: "id" }[kind as string] ?? "sub";

  it.each(sampled(subjects, 4).map((subject) => [JSON.stringify(subject)?.slice(0, 40) ?? "nothing", subject]))(
    "O12, GHSA-wpfr-6297-9v57: makes no user of a person whose subject is %s",
    async (_title, subject) => {
      // GitHub's are numbers, and any of them but these names somebody.
      if (kind === "github" && subject === 0) return;
      const person = { subject: "1", email: newEmail(), verified: true, raw: { [field]: subject } };
      await expectPage(providerOf(kind), person);
    },
  );
});

const addresses: unknown[] = [
  "not an address",
  "a@x.example,b@y.example",
  "v\uFF20x.example",
  {},
  [],
  5,
  true,
  "a@x.example\r\nBcc: b@y.example",
];

it.each(addresses.map((address) => [JSON.stringify(address), address]))(
  "O12, GHSA-wpfr-6297-9v57: stores no address like %s, verified as it may be said to be",
  async (_title, address) => {
    const own = await appWith(current(), [providerOf("google")]);
    const person = { subject: "somebody", email: newEmail(), verified: true, raw: { email: address } };
    const { done } = await signInAt(current(), own, providerOf("google"), person);
    expect(done.status).toBeLessThan(500);
    for (const user of await usersOf(current(), own)) expect([user.email, user.emailVerified]).toEqual([null, false]);
  },
);

const filler = "x".repeat(1024 * 1024);
const answers: Record<string, () => Reply | Handler> = {
  "500": () => ({ status: 500, body: { error: "server_error" } }),
  "a page": () => ({ body: "<!doctype html><h1>Hello</h1>" }),
  "bad JSON": () => ({ headers: { "content-type": "application/json" }, body: '{"access_token":"x"' }),
  "deep JSON": () => ({ body: "[".repeat(100_000) }),
  "50 MB of JSON": () => (_received, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.on("error", () => {});
    response.write('{"a":"');
    let sent = 0;
    const more = (): void => {
      if (response.destroyed || (sent += 1) > 50) response.end('"}');
      else response.write(filler, more);
    };
    more();
    return undefined;
  },
  "a redirect": () => ({ status: 302, headers: { location: `${elsewhere.origin}/taken` } }),
  "a redirect that keeps the method": () => ({ status: 307, headers: { location: `${elsewhere.origin}/taken` } }),
  "a line that is hung up": () => (_received, response) => {
    response.destroy();
    return undefined;
  },
};

describe.each([
  ["github", "/token"],
  ["github", "/user"],
  ["openid", "/token"],
] as const)("%s at %s", (kind, path) => {
  it.each(Object.entries(answers))(
    "O12: answers %s: a page that says so, and nobody is signed in",
    async (_title, bad) => {
      const provider = providerOf(kind);
      const answer = bad();
      provider.instead.set(path, typeof answer === "function" ? answer : () => answer);
      await expectPage(provider, { subject: "1", email: newEmail(), verified: true });
      expect(elsewhere.received).toEqual([]);
    },
  );
});

it("O12: after all that, everybody can sign in", async () => {
  for (const provider of providers.values()) {
    const own = await appWith(current(), [provider]);
    codeOf((await signInAt(current(), own, provider, { subject: "1", email: newEmail(), verified: true })).done);
  }
});
