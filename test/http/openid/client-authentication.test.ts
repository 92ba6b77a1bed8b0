import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWTPayload } from "jose";
import { describe, expect, it } from "vitest";
import type { Client } from "../../../src/applications/clients/client.ts";
import type { NewClient } from "../../../src/applications/clients/rules.ts";
import * as clientSecrets from "../../../src/applications/clients/secrets.ts";
import * as clients from "../../../src/applications/clients/service.ts";
import * as apiKeys from "../../../src/applications/keys.ts";
import { newProver, prove } from "../../support/dpop.ts";
import { useApp, describeSqliteFirst, type TestApp } from "../../support/service.ts";

const actor = { kind: "cli", name: "test" } as const;
const minute = 60_000;
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;

type Call = { authorization?: string; form?: Record<string, string>; path?: string };
type Signing = { alg: string; key: CryptoKey; kid?: string };

describeSqliteFirst("client authentication", (current) => {
  const app = useApp(current);
  const ctx = () => current().server.app.ctx;
  const tokenEndpoint = () => `${current().url}/oauth2/token`;
  /** Asks to revoke no token of ours, which every client may do that authenticates. */
  const call = async ({ authorization, form = {}, path = "/oauth2/revoke" }: Call) => {
    const response = await fetch(`${current().url}${path}`, {
      method: "POST",
      headers: authorization === undefined ? {} : { authorization },
      body: new URLSearchParams({ token: "unknown", ...form }),
    });
    return { response, body: (await response.json()) as Record<string, unknown> };
  };
  const outcome = async (sent: Call): Promise<string> => {
    const { response, body } = await call(sent);
    if (response.status === 200) return "ok";
    // A pushed request without parameters is refused after its client has authenticated.
    if (sent.path === "/oauth2/par" && body["error"] !== "invalid_client") return "ok";
    return `${response.status} ${String(body["error"])}`;
  };
  const create = async (app: TestApp, input: Partial<NewClient> = {}, secret?: string) => {
    const created = await clients.create(ctx(), { appId: app.id, name: "A", ...input }, { secret }, { actor });
    return { id: created.client.id, secret: created.secret ?? "" };
  };

  describe("by a secret", () => {
    it("works in the header and in the body", async () => {
      const { id, secret } = await create(app);
      expect(await outcome({ authorization: basic(id, secret) })).toBe("ok");
      expect(await outcome({ authorization: basic(id, secret), form: { client_id: id } })).toBe("ok");
      expect(await outcome({ form: { client_id: id, client_secret: secret } })).toBe("ok");
    });

    it("is form-urlencoded in the header (RFC 6749 §2.3.1)", async () => {
      const { id, secret } = await create(app);
      const encoded = (text: string) => text.replaceAll(/[^a-z]/gu, (one) => `%${one.charCodeAt(0).toString(16)}`);
      expect(await outcome({ authorization: basic(encoded(id), encoded(secret)) })).toBe("ok");
    });

    it("of an application as its own client is any of its live API keys", async () => {
      const other = await current().createApp();
      const second = await apiKeys.createKey(ctx(), { appId: app.id }, actor);
      for (const key of [app.apiKey, second.apiKey])
        expect(await outcome({ authorization: basic(app.id, key) })).toBe("ok");
      expect(await outcome({ authorization: basic(app.id, other.apiKey) })).toBe("401 invalid_client");
      await apiKeys.revokeKey(ctx(), second.id, actor);
      expect(await outcome({ form: { client_id: app.id, client_secret: second.apiKey } })).toBe("401 invalid_client");
      const { id } = await create(app);
      expect(await outcome({ authorization: basic(id, app.apiKey) })).toBe("401 invalid_client");
    });

    it("A3: client authentication is refused with one error for every cause", async () => {
      const [mine, other, disabled] = [await create(app), await create(app), await create(app)];
      const revoked = await clientSecrets.createSecret(ctx(), { clientId: mine.id }, actor);
      await clientSecrets.revokeSecret(ctx(), revoked.id, actor);
      await clients.update(ctx(), disabled.id, { enabled: false }, { actor });
      const calls: Call[] = [
        {},
        { form: { client_id: mine.id } },
        { form: { client_secret: mine.secret } },
        { form: { client_id: "cli_unknown", client_secret: mine.secret } },
        { form: { client_id: mine.id, client_secret: other.secret } },
        { form: { client_id: mine.id, client_secret: "wrong" } },
        { form: { client_id: mine.id, client_secret: `${mine.secret} ` } },
        { form: { client_id: mine.id, client_secret: revoked.secret } },
        { authorization: basic(disabled.id, disabled.secret) },
        { authorization: basic(mine.id, "") },
        { authorization: basic("", mine.secret) },
        { authorization: basic(mine.id, "%zz") },
        { authorization: basic("%00", mine.secret) },
        { authorization: basic("a%00b", mine.secret) },
        { path: `/oauth2/revoke?client_id=${mine.id}&client_secret=${mine.secret}` },
        { authorization: `Basic ${mine.id}:${mine.secret}` },
        { authorization: `Basic ${Buffer.from(mine.id).toString("base64")}` },
        { authorization: `Bearer ${mine.secret}` },
        { authorization: "" },
      ];
      const answers = await Promise.all(calls.map(async (sent) => ({ sent, ...(await call(sent)) })));
      for (const { sent, response, body } of answers) {
        expect([response.status, body["error"]], JSON.stringify(sent)).toEqual([401, "invalid_client"]);
        // RFC 6749 §5.2.
        if (sent.authorization?.startsWith("Basic"))
          expect(response.headers.get("www-authenticate")).toMatch(/^Basic /u);
      }
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    });
  });

  it("without a secret is for programs that cannot keep one", async () => {
    for (const kind of ["spa", "native"] as const) {
      const { id } = await create(app, { kind });
      expect(await outcome({ form: { client_id: id } })).toBe("ok");
      expect(await outcome({ form: { client_id: id, client_secret: "" } })).toBe("ok");
      expect(await outcome({ authorization: basic(id, "") })).toBe("ok");
      expect(await outcome({ form: { client_id: id, client_secret: "x".repeat(40) } })).toBe("401 invalid_client");
    }
    expect(await outcome({ form: { client_id: app.id } })).toBe("401 invalid_client");
  });

  it("C5: by two methods at once is refused (RFC 6749 §2.3)", async () => {
    const { id, secret } = await create(app);
    const header = basic(id, secret);
    const calls: Call[] = [
      { authorization: header, form: { client_id: id, client_secret: secret } },
      { authorization: header, form: { client_assertion: "a.b.c", client_assertion_type: assertionType } },
      { form: { client_id: id, client_secret: secret, client_assertion: "a.b.c" } },
      { authorization: header, form: { client_id: app.id } },
    ];
    for (const call of calls) expect(await outcome(call)).toBe("400 invalid_request");
  });

  it("is recorded as the last use of the client, at most once an hour", async () => {
    const { id, secret } = await create(app);
    const usedAt = async () => {
      await clients.sweep(ctx());
      return (await clients.get(ctx(), id)).lastUsedAt;
    };
    expect(await usedAt()).toBeNull();
    await outcome({ authorization: basic(id, `${secret}x`) });
    expect(await usedAt()).toBeNull();
    await outcome({ authorization: basic(id, secret) });
    expect(await usedAt()).toBe(new Date(current().clock.now).toISOString());
  });

  describe("by a signed assertion", () => {
    const sign = async ({ alg, key, kid }: Signing, claims: JWTPayload): Promise<string> =>
      await new SignJWT(claims).setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) }).sign(key);
    let jtis = 0;
    const claimsOf = (id: string): JWTPayload => {
      jtis += 1;
      const now = Math.floor(current().clock.now / 1000);
      return { iss: id, sub: id, aud: current().url, exp: now + 60, iat: now, jti: `jti ${jtis}` };
    };
    const asserted = async (assertion: string, more: Record<string, string> = {}, path = "/oauth2/revoke") =>
      await outcome({ form: { client_assertion: assertion, client_assertion_type: assertionType, ...more }, path });
    const withKey = async (app: TestApp, alg: string, input: Partial<NewClient> = {}) => {
      const pair = await generateKeyPair(alg, { extractable: true });
      const jwk = { ...(await exportJWK(pair.publicKey)), kid: "k1" };
      const { id } = await create(app, { ...input, jwks: { keys: [jwk] } });
      return { id, pair, jwk, signing: { alg, key: pair.privateKey } };
    };

    it.each(["RS256", "PS256", "ES256", "EdDSA"])("of %s works for the issuer, at every endpoint", async (alg) => {
      const { id, signing } = await withKey(app, alg);
      expect(await asserted(await sign(signing, claimsOf(id)))).toBe("ok");
      expect(await asserted(await sign(signing, claimsOf(id)), {}, "/oauth2/par")).toBe("ok");
      expect(await asserted(await sign({ ...signing, kid: "k1" }, claimsOf(id)), { client_id: id })).toBe("ok");
    });

    it("C5: a client assertion names the issuer alone, as one string, so another server cannot pass it on", async () => {
      const { id, signing } = await withKey(app, "ES256");
      const issuer = current().url;
      const endpoints = ["token", "revoke", "par"].map((name) => `${issuer}/oauth2/${name}`);
      for (const aud of [...endpoints, `${issuer}/`, [issuer], [issuer, tokenEndpoint()]])
        for (const path of ["/oauth2/revoke", "/oauth2/par"])
          expect([aud, await asserted(await sign(signing, { ...claimsOf(id), aud }), {}, path)]).toEqual([
            aud,
            "401 invalid_client",
          ]);
    });

    it("with assertionAudience any: works for the issuer and both endpoints, also in a list", async () => {
      const { id, signing } = await withKey(app, "ES256", { assertionAudience: "any" });
      const par = `${current().url}/oauth2/par`;
      const revocation = `${current().url}/oauth2/revoke`;
      for (const aud of [revocation, tokenEndpoint(), current().url, [current().url, tokenEndpoint()]])
        expect(await asserted(await sign(signing, { ...claimsOf(id), aud }))).toBe("ok");
      for (const aud of [par, tokenEndpoint(), current().url])
        expect(await asserted(await sign(signing, { ...claimsOf(id), aud }), {}, "/oauth2/par")).toBe("ok");
      expect(await asserted(await sign(signing, { ...claimsOf(id), aud: par }))).toBe("401 invalid_client");
    });

    it("S3: a client assertion works once, however many calls send it at once", async () => {
      const { id, signing } = await withKey(app, "ES256");
      // NumericDate allows fractions.
      const claims = claimsOf(id);
      const assertion = await sign(signing, { ...claims, exp: Number(claims.exp) + 0.000_123 });
      const outcomes = await Promise.all(Array.from({ length: 10 }, async () => await asserted(assertion)));
      expect(outcomes.filter((one) => one === "ok")).toHaveLength(1);
      current().clock.advance(2 * minute - 1);
      await clients.sweep(ctx());
      expect(await asserted(assertion)).toBe("401 invalid_client");
    });

    it("S3: two clients may use the same jti, each once, whatever they are called", async () => {
      const [prover, { id: program }] = [await newProver(current()), await create(app, { kind: "native" })];
      const proof = await prover.proof("POST", "/oauth2/token", { claims: { jti: "of a proof" } });
      const form = { grant_type: "authorization_code", code: "unknown", redirect_uri: "https://app.example/callback" };
      const used = await prove(current(), { client: { id: program } as Client, secret: "" }, form, proof);
      expect(used.body["error"]).toBe("invalid_grant");
      const [one, two] = [await withKey(app, "ES256"), await withKey(app, "ES256")];
      const other = await withKey(app, "ES256", { id: "dpop" });
      const jti = `${prover.thumbprint} of a proof`;
      for (const answer of ["ok", "401 invalid_client"])
        for (const { id, signing } of [one, two, other])
          expect([id, await asserted(await sign(signing, { ...claimsOf(id), jti }))]).toEqual([id, answer]);
    });

    it("S3: a client assertion works once, also in the minute in which it has expired", async () => {
      const { id, signing } = await withKey(app, "ES256");
      const [once, late] = [await sign(signing, claimsOf(id)), await sign(signing, claimsOf(id))];
      expect(await asserted(once)).toBe("ok");
      current().clock.advance(90_000);
      await clients.sweep(ctx());
      expect([await asserted(once), await asserted(late)]).toEqual(["401 invalid_client", "ok"]);
    });

    it("is checked against every key of the client", async () => {
      const pairs = [await generateKeyPair("RS256"), await generateKeyPair("ES256"), await generateKeyPair("EdDSA")];
      const keys = await Promise.all(pairs.map(async ({ publicKey }) => await exportJWK(publicKey)));
      const { id } = await create(app, { jwks: { keys } });
      const key = pairs[2]?.privateKey;
      if (!key) throw new Error("no key");
      expect(await asserted(await sign({ alg: "EdDSA", key }, claimsOf(id)))).toBe("ok");
    });

    const seconds = () => Math.floor(current().clock.now / 1000);
    const wrong: [title: string, change: () => JWTPayload][] = [
      ["for another service", () => ({ aud: "https://other.example/token" })],
      ["for another service too", () => ({ aud: [tokenEndpoint(), "https://other.example/token"] })],
      ["for no audience", () => ({ aud: undefined })],
      ["for an empty list of audiences", () => ({ aud: [] })],
      ["of another issuer", () => ({ iss: "cli_other" })],
      ["without a jti", () => ({ jti: undefined })],
      ["with an empty jti", () => ({ jti: "" })],
      ["without an end", () => ({ exp: undefined })],
      ["that has expired", () => ({ exp: seconds() - 61 })],
      ["that lasts for hours", () => ({ exp: seconds() + 3601 })],
      ["that is not valid yet", () => ({ nbf: seconds() + 120 })],
    ];
    it.each(wrong)("%s is refused", async (_, change) => {
      for (const assertionAudience of ["issuer", "any"] as const) {
        const { id, signing } = await withKey(app, "ES256", { assertionAudience });
        expect(await asserted(await sign(signing, { ...claimsOf(id), ...change() }))).toBe("401 invalid_client");
      }
    });

    it("C5: is refused if another key signed it, or none, or the client's secret or public key", async () => {
      const { id, jwk } = await withKey(app, "ES256");
      const { id: other, signing } = await withKey(app, "ES256");
      expect(await asserted(await sign(signing, claimsOf(id)))).toBe("401 invalid_client");
      expect(await asserted(new UnsecuredJWT(claimsOf(id)).encode())).toBe("401 invalid_client");
      for (const sub of ["\0", "\ud800", 7, {}] as string[])
        expect(await asserted(new UnsecuredJWT({ ...claimsOf(id), sub }).encode())).toBe("401 invalid_client");
      for (const shared of [JSON.stringify(jwk), "x".repeat(43)]) {
        const hmac = new SignJWT(claimsOf(id)).setProtectedHeader({ alg: "HS256" });
        expect(await asserted(await hmac.sign(Buffer.from(shared)))).toBe("401 invalid_client");
      }
      expect(await asserted(await sign(signing, claimsOf(other)), { client_id: id })).toBe("400 invalid_request");
      const bare = await create(app);
      expect(await asserted(await sign(signing, claimsOf(bare.id)))).toBe("401 invalid_client");
      expect(await asserted(await sign(signing, claimsOf("cli_unknown")))).toBe("401 invalid_client");
    });

    it("is refused with another assertion type, without one, or if it is no JWT", async () => {
      const { id, signing } = await withKey(app, "ES256");
      const assertion = await sign(signing, claimsOf(id));
      const calls: Record<string, string>[] = [
        { client_assertion: assertion },
        {
          client_assertion: assertion,
          client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:saml2-bearer",
        },
        { client_assertion_type: assertionType },
        { client_assertion: "a.b.c", client_assertion_type: assertionType },
        { client_assertion: "x".repeat(10_000), client_assertion_type: assertionType },
      ];
      for (const form of calls) expect(await outcome({ form: { client_id: id, ...form } })).toBe("401 invalid_client");
      expect(await asserted(assertion)).toBe("ok");
    });
  });
});
