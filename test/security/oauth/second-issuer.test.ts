import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { useService } from "../../support/one-service.ts";
import { newEmail } from "../../support/person.ts";
import { newIssuerKey } from "../../support/providers/id-tokens.ts";
import { startProvider, type FakeProvider } from "../../support/providers/provider.ts";
import { identitiesOf, usersOf } from "../../support/providers/records.ts";
import { appWith, atProvider, codeOf, comeBack, signInAt, startRound } from "../../support/providers/round.ts";
import type { TestApp } from "../../support/service.ts";

const current = useService();

/**
 * Two issuers that the app trusts, and one that an attacker runs: each signs rightly under its own
 * name.
 */
let google: FakeProvider;
let corp: FakeProvider;
let evil: FakeProvider;
let app: TestApp;
beforeAll(async () => {
  [google, corp, evil] = await Promise.all([startProvider("google"), startProvider("openid"), startProvider("openid")]);
  evil.key = await newIssuerKey("ES256", "key-1");
  app = await appWith(current(), [google, corp]);
});
afterEach(() => {
  for (const provider of [google, corp, evil]) provider.reset();
});
afterAll(async () => await Promise.all([google, corp, evil].map((provider) => provider.close())));

const victim = { subject: "victim", email: newEmail(), verified: true };

async function expectNobody(provider: FakeProvider): Promise<void> {
  const before = [await usersOf(current(), app), await identitiesOf(current(), app)];
  const { done } = await signInAt(current(), app, provider, victim);
  expect(done.status).toBe(400);
  expect(done.headers.get("location")).toBeNull();
  expect([await usersOf(current(), app), await identitiesOf(current(), app)]).toEqual(before);
}

it("O7, CVE-2026-31813: a token that another issuer has signed rightly under its own name signs nobody in at this one", async () => {
  for (const [provider, other] of [
    [google, corp],
    [corp, google],
    [google, evil],
    [corp, evil],
  ] as const) {
    provider.makeIdToken = async (claims) => await other.key.sign({ ...claims, iss: other.issuerOf() });
    await expectNobody(provider);
    // Nor under this one's name.
    provider.makeIdToken = async (claims) => await other.key.sign(claims);
    await expectNobody(provider);
    provider.reset();
  }
});

it("O7, CVE-2026-31813: a token says in no way where its keys are: iss, jku, x5u, jwk and kid lead nowhere", async () => {
  const keys = `${evil.origin}/keys`;
  const headers: Record<string, unknown>[] = [
    { jku: keys },
    { x5u: keys },
    { jwk: evil.key.publicJwk },
    { kid: keys },
    { kid: "../../../../dev/null" },
    { jku: keys, kid: "evil" },
  ];
  for (const header of headers)
    for (const iss of [google.issuerOf(), evil.origin]) {
      google.makeIdToken = async (claims) => await evil.key.sign({ ...claims, iss }, header);
      await expectNobody(google);
    }
  expect(evil.received).toEqual([]);
});

it("O7: an issuer whose keys are answered with another's is not believed under the old signature either", async () => {
  const fresh = await startProvider("openid");
  const own = await appWith(current(), [fresh]);
  fresh.instead.set("/keys", () => ({ body: { keys: [evil.key.publicJwk] } }));
  const { done } = await signInAt(current(), own, fresh, victim);
  expect(done.status).toBe(400);
  expect(await usersOf(current(), own)).toEqual([]);
  await fresh.close();
});

it("O7, O8: a code of one issuer is worth nothing at another's callback, and is sent to neither's token endpoint", async () => {
  const round = await startRound(current(), app, google);
  const { url } = await atProvider(round.address, google, victim);
  const page = await comeBack(round.visitor, { url: url.replace("/oauth/google/", "/oauth/corp/"), fields: undefined });
  expect(page.headers.get("location")).toBeNull();
  for (const provider of [google, corp]) expect(provider.received.some(({ path }) => path === "/token")).toBe(false);
});

it("O7: claims about somebody else at the userinfo endpoint are not believed (OIDC Core §5.3.2)", async () => {
  const { email, ...bare } = victim;
  corp.makeIdToken = async (claims) => {
    const { email: _email, email_verified: _verified, ...rest } = claims;
    return await corp.key.sign(rest);
  };
  corp.instead.set("/userinfo", () => ({ body: { sub: "somebody-else", email, email_verified: true } }));
  const { done } = await signInAt(current(), app, corp, { ...bare, email });
  expect(done.headers.get("location")).toBeNull();
  expect((await usersOf(current(), app)).map((user) => user.email)).not.toContain(email);
  corp.instead.set("/userinfo", () => ({ body: { sub: bare.subject, email, email_verified: true } }));
  codeOf((await signInAt(current(), app, corp, { ...bare, email })).done);
});

it("O6: a code challenge of S256 and a nonce go with every start, are new each time, and fit what is sent later", async () => {
  const seen = new Set<string | null>();
  for (let n = 0; n < 5; n += 1) {
    const { address } = await startRound(current(), app, google);
    expect(address.searchParams.get("code_challenge_method")).toBe("S256");
    for (const name of ["state", "nonce", "code_challenge"]) seen.add(address.searchParams.get(name));
  }
  expect(seen.size).toBe(15);
  for (const value of seen) expect(value).toMatch(/^[\w-]{43}$/u);
  // Its verifier is checked by the provider; a nonce that is not the round's is refused.
  codeOf((await signInAt(current(), app, google, { subject: "pkce", email: newEmail(), verified: true })).done);
  expect(google.complaints).toEqual([]);
  google.makeIdToken = async (claims) => await google.key.sign({ ...claims, nonce: [...seen][1] });
  await expectNobody(google);
});
