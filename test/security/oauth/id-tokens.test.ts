import { beforeAll, describe, expect, it } from "vitest";
import { useService } from "../../support/one-service.ts";
import { newEmail } from "../../support/person.ts";
import { wrongIdTokens } from "../../support/providers/id-token-cases.ts";
import { signedWithSecret, newIssuerKey } from "../../support/providers/id-tokens.ts";
import { startProvider, useProviders, type FakeProvider } from "../../support/providers/provider.ts";
import { identitiesOf, usersOf } from "../../support/providers/records.ts";
import { appWith, atProvider, codeOf, comeBack, signInAt, startRound } from "../../support/providers/round.ts";
import type { TestApp } from "../../support/service.ts";

const [openid, microsoft] = await useProviders("openid", "microsoft");
const providers = { openid, microsoft };

const service = useService();

describe("an id_token", () => {
  describe.each(["openid", "microsoft"] as const)("of %s", (kind) => {
    const provider = providers[kind];

    const person = () => ({ subject: "ada", email: newEmail(), verified: true });

    it.each(Object.entries(wrongIdTokens))(
      "O7, CVE-2026-55669: an id_token with %s signs nobody in",
      async (_title, wrong) => {
        const app = await appWith(service, [provider]);
        provider.makeIdToken = wrong(provider);
        const { done } = await signInAt(service, app, provider, person());
        expect(done.status).toBe(400);
        expect(done.headers.get("location")).toBeNull();
        expect(done.text).toContain(`${provider.displayName} didn&#39;t answer as expected`);
        expect(await usersOf(service, app)).toEqual([]);
        expect(await identitiesOf(service, app)).toEqual([]);
      },
    );

    it.each([
      ["several audiences, ours among them", () => ({ aud: ["client-1", "client-2"], azp: "client-1" })],
      ["claims that nobody asked for", () => ({ groups: ["a"], extra: { deep: [1] } })],
      ["an expiry less than a minute ago", () => ({ exp: Math.floor(Date.now() / 1000) - 20 })],
    ])("O7: an id_token with %s is good, so that the refusals mean something", async (_title, extra) => {
      // Seconds count here: other tests moved the clock.
      service.clock.now = Date.now();
      const app = await appWith(service, [provider]);
      provider.makeIdToken = async (claims) => await provider.key.sign({ ...claims, ...extra() });
      codeOf((await signInAt(service, app, provider, person())).done);
    });

    it("O7: an id_token is good once: the one of an earlier round is another's nonce", async () => {
      const app = await appWith(service, [provider]);
      let kept = "";
      provider.makeIdToken = async (claims) => (kept = await provider.key.sign(claims));
      codeOf((await signInAt(service, app, provider, person())).done);
      provider.makeIdToken = () => kept;
      expect((await signInAt(service, app, provider, person())).done.status).toBe(400);
    });
  });

  it("O7: an id_token signed with HS256 by a key that both share and the issuer publishes signs nobody in", async () => {
    const issuer = await startProvider("openid");
    const app = await appWith(service, [issuer]);
    const shared = { kty: "oct", k: Buffer.from(issuer.secret).toString("base64url"), kid: "key-1", alg: "HS256" };
    issuer.instead.set("/keys", () => ({ body: { keys: [shared] } }));
    issuer.makeIdToken = async (claims) => await signedWithSecret(claims, issuer.secret);
    const { done } = await signInAt(service, app, issuer, { subject: "x", email: newEmail(), verified: true });
    await issuer.close();
    expect(done.status).toBe(400);
    expect(await usersOf(service, app)).toEqual([]);
  });

  describe("Microsoft's tenants", () => {
    const other = "72f988bf-86f1-41af-91ab-2d7cd011db47";

    it("O7: Microsoft's tenants each sign in under their own issuer", async () => {
      const app = await appWith(service, [microsoft]);
      microsoft.makeIdToken = async (claims) =>
        await microsoft.key.sign({ ...claims, tid: other, iss: microsoft.issuerOf(other) });
      codeOf((await signInAt(service, app, microsoft, { subject: "x", email: newEmail() })).done);
    });

    it.each([
      ["the issuer of one tenant and the tid of another", { tid: other }],
      ["no tid", { tid: undefined }],
      ["a tid of another type", { tid: [other] }],
      ["the template itself", { tid: "{tenantid}" }],
    ])("O7, CVE-2026-31813: Microsoft's tenants do not speak for each other: %s", async (_title, changed) => {
      const app = await appWith(service, [microsoft]);
      microsoft.makeIdToken = async (claims) => await microsoft.key.sign({ ...claims, ...changed });
      const { done } = await signInAt(service, app, microsoft, { subject: "x", email: newEmail() });
      expect(done.status).toBe(400);
      expect(await usersOf(service, app)).toEqual([]);
    });
  });

  describe("an answer that names its issuer (RFC 9207)", () => {
    it("O8: an answer that names the right issuer is taken (RFC 9207)", async () => {
      const app = await appWith(service, [openid]);
      openid.extra = { iss: openid.origin };
      codeOf((await signInAt(service, app, openid, { subject: "x", email: newEmail(), verified: true })).done);
    });

    it("O8: an answer without an issuer is refused before its code is sent anywhere, where the provider says that it names itself (RFC 9207)", async () => {
      const own = await startProvider("openid");
      const app = await appWith(service, [own]);
      const announced = { ...own.discovery(), authorization_response_iss_parameter_supported: true };
      own.instead.set("/.well-known/openid-configuration", () => ({ body: announced }));
      const ada = { subject: "x", email: newEmail(), verified: true };
      const round = await startRound(service, app, own);
      // The code is one that the token endpoint would take.
      expect((await comeBack(round.visitor, await atProvider(round.address, own, ada))).status).toBe(400);
      expect(own.received.map(({ path }) => path)).not.toContain("/token");
      expect(await usersOf(service, app)).toEqual([]);
      own.extra = { iss: own.origin };
      codeOf((await signInAt(service, app, own, ada)).done);
      await own.close();
    });

    it.each(["https://honest.example", "", "HTTP://127.0.0.1", "null"])(
      "O8: an answer that names %j as its issuer is refused before its code is sent anywhere (RFC 9207)",
      async (iss) => {
        const app = await appWith(service, [openid]);
        openid.extra = { iss };
        const round = await startRound(service, app, openid);
        const back = await atProvider(round.address, openid, { subject: "x", email: newEmail(), verified: true });
        expect((await comeBack(round.visitor, back)).status).toBe(400);
        // The code must not reach the token endpoint of the wrong issuer.
        expect(openid.received.filter(({ path }) => path === "/token")).toEqual([]);
        expect(await usersOf(service, app)).toEqual([]);
      },
    );
  });
});

const [google, corp, evil] = await useProviders("google", "openid", "openid");

/**
 * Two issuers that the app trusts, and one that an attacker runs: each signs rightly under its own
 * name.
 */
let app: TestApp;
beforeAll(async () => {
  evil.key = await newIssuerKey("ES256", "key-1");
  app = await appWith(service, [google, corp]);
});

const victim = { subject: "victim", email: newEmail(), verified: true };

async function expectNobody(provider: FakeProvider): Promise<void> {
  const before = [await usersOf(service, app), await identitiesOf(service, app)];
  const { done } = await signInAt(service, app, provider, victim);
  expect(done.status).toBe(400);
  expect(done.headers.get("location")).toBeNull();
  expect([await usersOf(service, app), await identitiesOf(service, app)]).toEqual(before);
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
  const own = await appWith(service, [fresh]);
  fresh.instead.set("/keys", () => ({ body: { keys: [evil.key.publicJwk] } }));
  const { done } = await signInAt(service, own, fresh, victim);
  expect(done.status).toBe(400);
  expect(await usersOf(service, own)).toEqual([]);
  await fresh.close();
});

it("O7, O8: a code of one issuer is worth nothing at another's callback, and is sent to neither's token endpoint", async () => {
  const round = await startRound(service, app, google);
  const { url } = await atProvider(round.address, google, victim);
  const page = await comeBack(round.visitor, { url: url.replace("/oauth/google/", "/oauth/corp/"), fields: undefined });
  expect(page.headers.get("location")).toBeNull();
  for (const provider of [google, corp]) expect(provider.received.some(({ path }) => path === "/token")).toBe(false);
});
