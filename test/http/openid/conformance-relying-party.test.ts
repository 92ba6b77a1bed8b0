import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { newEmail } from "../../support/person.ts";
import { newIssuerKey, unsigned, type Claims, type IssuerKey } from "../../support/providers/id-tokens.ts";
import { startProvider, type FakeProvider } from "../../support/providers/provider.ts";
import { usersOf } from "../../support/providers/records.ts";
import { appWith, codeOf, mustBeContent, signInAt } from "../../support/providers/round.ts";
import { describeOnSqlite, type TestApp } from "../../support/service.ts";

function required(key: IssuerKey | undefined): IssuerKey {
  if (!key) throw new Error("the keys are made before the tests");
  return key;
}

/** Modules of the OpenID Foundation's plans for relying parties. */
describeOnSqlite("sign-in by an OpenID Connect provider", (current) => {
  let provider: FakeProvider;
  let app: TestApp;
  let [key1, key2, key3]: IssuerKey[] = [];
  beforeAll(async () => {
    [key1, key2, key3] = await Promise.all(["key-1", "key-2", "key-3"].map((kid) => newIssuerKey("RS256", kid)));
  });
  beforeEach(async () => {
    provider = await startProvider("openid");
    provider.key = required(key1);
    // Claims of scopes only at userinfo, as the suite does it.
    provider.makeIdToken = signedAs(withoutScopes);
    app = await appWith(current(), [provider]);
  });
  afterEach(async () => await provider.close());

  const signedAs = (change: (claims: Claims) => Claims, header: Claims = {}) => {
    return async (claims: Claims) => await provider.key.sign(change(claims), header);
  };
  const withoutScopes = ({ iss, sub, aud, iat, exp, nonce }: Claims): Claims => ({ iss, sub, aud, iat, exp, nonce });
  const ada = () => ({ subject: "ada", email: newEmail(), verified: true, name: "Ada" });
  const paths = () => provider.received.map(({ path }) => path);

  async function signsIn(): Promise<void> {
    codeOf((await signInAt(current(), app, provider, ada())).done);
    mustBeContent(provider);
  }

  async function signsNobodyIn(): Promise<void> {
    const { done } = await signInAt(current(), app, provider, ada());
    expect([done.status, done.headers.get("location")]).toEqual([400, null]);
    expect(await usersOf(current(), app)).toEqual([]);
  }

  describe("oidcc-client-basic-certification-test-plan", () => {
    it.each(["oidcc-client-test", "oidcc-client-test-idtoken-sig-rs256"])("%s", async () => {
      await signsIn();
      expect(paths()).toEqual(
        expect.arrayContaining(["/.well-known/openid-configuration", "/authorize", "/token", "/keys", "/userinfo"]),
      );
    });

    const wrong: [module: string, change: (claims: Claims) => Claims][] = [
      ["oidcc-client-test-invalid-iss", (claims) => ({ ...claims, iss: `${String(claims["iss"])}1` })],
      ["oidcc-client-test-missing-sub", (claims) => ({ ...claims, sub: undefined })],
      ["oidcc-client-test-invalid-aud", (claims) => ({ ...claims, aud: "client-1.invalid" })],
      ["oidcc-client-test-missing-aud", (claims) => ({ ...claims, aud: undefined })],
      ["oidcc-client-test-missing-iat", (claims) => ({ ...claims, iat: undefined })],
      ["oidcc-client-test-nonce-invalid", (claims) => ({ ...claims, nonce: `${String(claims["nonce"])}1` })],
    ];
    it.each(wrong)("%s", async (_module, change) => {
      provider.makeIdToken = signedAs((claims) => change(withoutScopes(claims)));
      await signsNobodyIn();
      expect(paths()).not.toContain("/userinfo");
    });

    it("oidcc-client-test-kid-absent-single-jwks", async () => {
      const keys = [{ ...provider.key.publicJwk, kid: undefined }];
      provider.instead.set("/keys", () => ({ body: { keys } }));
      provider.makeIdToken = signedAs(withoutScopes, { kid: undefined });
      await signsIn();
    });

    it("oidcc-client-test-kid-absent-multiple-jwks", async () => {
      const keys = [required(key2), provider.key].map(({ publicJwk }) => ({ ...publicJwk, kid: undefined }));
      provider.instead.set("/keys", () => ({ body: { keys } }));
      provider.makeIdToken = signedAs(withoutScopes, { kid: undefined });
      // The suite accepts both: which key it was is not known.
      await signsNobodyIn();
    });

    it("oidcc-client-test-ignores-unparseable-key-in-jwks", async () => {
      const unknown = [
        { kty: "AKP", alg: "ML-DSA-1", pub: "AAAA", kid: "post-quantum" },
        { kty: "made-up", kid: "made-up" },
      ];
      provider.instead.set("/keys", () => ({ body: { keys: [...unknown, provider.key.publicJwk] } }));
      await signsIn();
    });

    it("oidcc-client-test-idtoken-sig-none", async () => {
      provider.makeIdToken = (claims) => unsigned(withoutScopes(claims));
      // The suite lets a relying party skip it that asks for signatures.
      await signsNobodyIn();
    });

    it("oidcc-client-test-invalid-sig-rs256", async () => {
      const other = required(key2);
      provider.makeIdToken = async (claims) => await other.sign(withoutScopes(claims), { kid: "key-1" });
      await signsNobodyIn();
    });

    it("oidcc-client-test-invalid-sig-es256", async () => {
      provider.key = await newIssuerKey("ES256");
      const other = await newIssuerKey("ES256");
      provider.makeIdToken = async (claims) => await other.sign(withoutScopes(claims));
      await signsNobodyIn();
    });

    it("oidcc-client-test-userinfo-invalid-sub", async () => {
      const invalid = { sub: "ada-invalid", email: newEmail(), email_verified: true };
      provider.instead.set("/userinfo", () => ({ body: invalid }));
      await signsNobodyIn();
      expect(paths()).toContain("/userinfo");
    });

    it.each(["oidcc-client-test-scope-userinfo-claims", "oidcc-client-test-userinfo-bearer-header"])("%s", async () => {
      await signsIn();
      const [user] = await usersOf(current(), app);
      expect(user).toMatchObject({ name: "Ada", emailVerified: true });
      const asked = provider.received.find(({ path }) => path === "/userinfo");
      expect(asked?.headers.authorization).toMatch(/^Bearer \S+$/u);
      expect(provider.received.find(({ path }) => path === "/authorize")?.query.get("scope")).toBe(
        "openid email profile",
      );
    });

    it("oidcc-client-test-client-secret-basic", async () => {
      await signsIn();
      const { headers, form } = provider.received.find(({ path }) => path === "/token") ?? {};
      expect([headers?.authorization?.slice(0, 6), form?.has("client_secret")]).toEqual(["Basic ", false]);
    });

    // The same plan with the variant client_auth_type=client_secret_post.
    it("sends the secret in the form to a provider that takes it nowhere else", async () => {
      provider.standIn.secretIn = "body";
      const discovery = { ...provider.discovery(), token_endpoint_auth_methods_supported: ["client_secret_post"] };
      provider.instead.set("/.well-known/openid-configuration", () => ({ body: discovery }));
      await signsIn();
    });
  });

  describe("oidcc-client-config-certification-test-plan", () => {
    it("oidcc-client-test-discovery-openid-config", async () => {
      provider.instead.set("/.well-known/openid-configuration", () => ({
        body: { ...provider.discovery(), userinfo_endpoint: `${provider.origin}/elsewhere`, unknown: {} },
      }));
      provider.instead.set("/elsewhere", async (received, response) =>
        provider.rightAnswer({ ...received, path: "/userinfo" }, response),
      );
      await signsIn();
      expect(paths()).toContain("/elsewhere");
    });

    it("oidcc-client-test-discovery-jwks-uri-keys", async () => {
      await signsIn();
      expect(paths()).toContain("/keys");
    });

    it("oidcc-client-test-discovery-issuer-mismatch", async () => {
      const mismatch = { ...provider.discovery(), issuer: `${provider.origin}/invalid` };
      provider.instead.set("/.well-known/openid-configuration", () => ({ body: mismatch }));
      await expect(signInAt(current(), app, provider, ada())).rejects.toThrow("the start answered");
      expect(paths()).toEqual(["/.well-known/openid-configuration"]);
    });

    it("oidcc-client-test-signing-key-rotation", async () => {
      await signsIn();
      provider.key = required(key2);
      await signsIn();
    });

    it("oidcc-client-test-signing-key-rotation-just-before-signing", async () => {
      await signsIn();
      provider.makeIdToken = async (claims) => {
        provider.key = required(key3);
        return await provider.key.sign(withoutScopes(claims));
      };
      await signsIn();
    });
  });
});
