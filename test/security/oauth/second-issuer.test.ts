import { beforeAll, expect, it } from "vitest";
import { useService } from "../../support/one-service.ts";
import { newEmail } from "../../support/person.ts";
import { newIssuerKey } from "../../support/providers/id-tokens.ts";
import { startProvider, useProviders, type FakeProvider } from "../../support/providers/provider.ts";
import { identitiesOf, usersOf } from "../../support/providers/records.ts";
import { appWith, atProvider, comeBack, signInAt, startRound } from "../../support/providers/round.ts";
import type { TestApp } from "../../support/service.ts";

const [google, corp, evil] = await useProviders("google", "openid", "openid");

const current = useService();

/**
 * Two issuers that the app trusts, and one that an attacker runs: each signs rightly under its own
 * name.
 */
let app: TestApp;
beforeAll(async () => {
  evil.key = await newIssuerKey("ES256", "key-1");
  app = await appWith(current(), [google, corp]);
});

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
