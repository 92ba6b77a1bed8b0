import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type CryptoKey, type JWTPayload } from "jose";
import { describe, expect, it } from "vitest";
import type { NewClient } from "../../src/clients/rules.ts";
import { describeEachDatabase, type TestApp } from "../support/service.ts";

const actor = { kind: "cli", name: "test" } as const;
const minute = 60_000;
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;

type Call = { authorization?: string; form?: Record<string, string>; endpoint?: string };
type Signing = { alg: string; key: CryptoKey; kid?: string };

describeEachDatabase("client authentication", (current) => {
  const services = () => current().server.app.services;
  const tokenEndpoint = () => `${current().url}/oauth2/token`;
  const authenticate = async ({ authorization, form = {}, endpoint = tokenEndpoint() }: Call) => {
    const parameters = new Map(Object.entries(form));
    return await services().clientAuthentication.authenticate({ authorization, form: parameters, endpoint });
  };
  const outcome = async (call: Call): Promise<string> =>
    await authenticate(call).then(
      ({ client, method }) => `${client.id} ${method}`,
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    );
  const create = async (app: TestApp, input: Partial<NewClient> = {}, secret?: string) => {
    const created = await services().clients.create({ appId: app.id, name: "A", ...input }, { secret }, { actor });
    return { id: created.client.id, secret: created.secret ?? "" };
  };

  describe("by a secret", () => {
    it("works in the header and in the body", async () => {
      const app = await current().createApp();
      const { id, secret } = await create(app);
      expect(await outcome({ authorization: basic(id, secret) })).toBe(`${id} client_secret_basic`);
      expect(await outcome({ authorization: basic(id, secret), form: { client_id: id } })).toBe(
        `${id} client_secret_basic`,
      );
      expect(await outcome({ form: { client_id: id, client_secret: secret } })).toBe(`${id} client_secret_post`);
      const { client, application } = await authenticate({ authorization: basic(id, secret) });
      expect([client.appId, application.id]).toEqual([app.id, app.id]);
    });

    it("is form-urlencoded in the header (RFC 6749 §2.3.1)", async () => {
      const app = await current().createApp();
      const { id, secret } = await create(app);
      const encoded = (text: string) => text.replaceAll(/[^a-z]/gu, (one) => `%${one.charCodeAt(0).toString(16)}`);
      expect(await outcome({ authorization: basic(encoded(id), encoded(secret)) })).toBe(`${id} client_secret_basic`);
    });

    it("of an application as its own client is any of its live API keys", async () => {
      const app = await current().createApp();
      const other = await current().createApp();
      const second = await services().applications.createKey({ appId: app.id }, actor);
      for (const key of [app.apiKey, second.apiKey])
        expect(await outcome({ authorization: basic(app.id, key) })).toBe(`${app.id} client_secret_basic`);
      expect(await outcome({ authorization: basic(app.id, other.apiKey) })).toBe("INVALID_CLIENT");
      await services().applications.revokeKey(second.id, actor);
      expect(await outcome({ form: { client_id: app.id, client_secret: second.apiKey } })).toBe("INVALID_CLIENT");
      const { id } = await create(app);
      expect(await outcome({ authorization: basic(id, app.apiKey) })).toBe("INVALID_CLIENT");
    });

    it("A3: client authentication is refused with one error for every cause", async () => {
      const app = await current().createApp();
      const [mine, other, disabled] = [await create(app), await create(app), await create(app)];
      const revoked = await services().clients.createSecret({ clientId: mine.id }, actor);
      await services().clients.revokeSecret(revoked.id, actor);
      await services().clients.update(disabled.id, { enabled: false }, { actor });
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
        { authorization: `Basic ${mine.id}:${mine.secret}` },
        { authorization: `Basic ${Buffer.from(mine.id).toString("base64")}` },
        { authorization: `Bearer ${mine.secret}` },
        { authorization: "" },
      ];
      const errors = await Promise.all(
        calls.map(async (call) => await authenticate(call).catch((error: unknown) => error as Error)),
      );
      for (const error of errors) expect(error).toMatchObject({ code: "INVALID_CLIENT", details: "" });
      expect(new Set(errors.map((error) => (error as Error).message)).size).toBe(1);
    });
  });

  it("without a secret is for programs that cannot keep one", async () => {
    const app = await current().createApp();
    for (const kind of ["spa", "native"] as const) {
      const { id } = await create(app, { kind });
      expect(await outcome({ form: { client_id: id } })).toBe(`${id} none`);
      expect(await outcome({ form: { client_id: id, client_secret: "" } })).toBe(`${id} none`);
      expect(await outcome({ authorization: basic(id, "") })).toBe(`${id} none`);
      expect(await outcome({ form: { client_id: id, client_secret: "x".repeat(40) } })).toBe("INVALID_CLIENT");
    }
    expect(await outcome({ form: { client_id: app.id } })).toBe("INVALID_CLIENT");
  });

  it("by two methods at once is refused (RFC 6749 §2.3)", async () => {
    const app = await current().createApp();
    const { id, secret } = await create(app);
    const header = basic(id, secret);
    const calls: Call[] = [
      { authorization: header, form: { client_id: id, client_secret: secret } },
      { authorization: header, form: { client_assertion: "a.b.c", client_assertion_type: assertionType } },
      { form: { client_id: id, client_secret: secret, client_assertion: "a.b.c" } },
      { authorization: header, form: { client_id: app.id } },
    ];
    for (const call of calls) expect(await outcome(call)).toBe("INVALID_REQUEST");
  });

  it("is recorded as the last use of the client, at most once an hour", async () => {
    const app = await current().createApp();
    const { id, secret } = await create(app);
    const usedAt = async () => {
      await services().clients.sweep();
      return (await services().clients.get(id)).lastUsedAt;
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
      return { iss: id, sub: id, aud: tokenEndpoint(), exp: now + 60, iat: now, jti: `jti ${jtis}` };
    };
    const asserted = async (assertion: string, more: Record<string, string> = {}, endpoint?: string) =>
      await outcome({
        form: { client_assertion: assertion, client_assertion_type: assertionType, ...more },
        ...(endpoint === undefined ? {} : { endpoint }),
      });
    const withKey = async (app: TestApp, alg: string) => {
      const pair = await generateKeyPair(alg, { extractable: true });
      const jwk = { ...(await exportJWK(pair.publicKey)), kid: "k1" };
      const { id } = await create(app, { jwks: { keys: [jwk] } });
      return { id, pair, jwk, signing: { alg, key: pair.privateKey } };
    };

    it.each(["RS256", "PS256", "ES256", "EdDSA"])("of %s works, for the issuer and both endpoints", async (alg) => {
      const app = await current().createApp();
      const { id, signing } = await withKey(app, alg);
      const par = `${current().url}/oauth2/par`;
      for (const aud of [tokenEndpoint(), current().url, [current().url, tokenEndpoint()]])
        expect(await asserted(await sign(signing, { ...claimsOf(id), aud }))).toBe(`${id} private_key_jwt`);
      for (const aud of [par, tokenEndpoint(), current().url])
        expect(await asserted(await sign(signing, { ...claimsOf(id), aud }), {}, par)).toBe(`${id} private_key_jwt`);
      expect(await asserted(await sign({ ...signing, kid: "k1" }, claimsOf(id)), { client_id: id })).toBe(
        `${id} private_key_jwt`,
      );
    });

    it("S3: a client assertion works once, however many calls send it at once", async () => {
      const app = await current().createApp();
      const { id, signing } = await withKey(app, "ES256");
      const assertion = await sign(signing, claimsOf(id));
      const outcomes = await Promise.all(Array.from({ length: 10 }, async () => await asserted(assertion)));
      expect(outcomes.filter((one) => one === `${id} private_key_jwt`)).toHaveLength(1);
      current().clock.advance(2 * minute - 1);
      await services().clients.sweep();
      expect(await asserted(assertion)).toBe("INVALID_CLIENT");
    });

    it("is checked against every key of the client", async () => {
      const app = await current().createApp();
      const pairs = [await generateKeyPair("RS256"), await generateKeyPair("ES256"), await generateKeyPair("EdDSA")];
      const keys = await Promise.all(pairs.map(async ({ publicKey }) => await exportJWK(publicKey)));
      const { id } = await create(app, { jwks: { keys } });
      const key = pairs[2]?.privateKey;
      if (!key) throw new Error("no key");
      expect(await asserted(await sign({ alg: "EdDSA", key }, claimsOf(id)))).toBe(`${id} private_key_jwt`);
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
      const app = await current().createApp();
      const { id, signing } = await withKey(app, "ES256");
      expect(await asserted(await sign(signing, { ...claimsOf(id), ...change() }))).toBe("INVALID_CLIENT");
    });

    it("is refused if another key signed it, or none, or the client's secret or public key", async () => {
      const app = await current().createApp();
      const { id, jwk } = await withKey(app, "ES256");
      const { id: other, signing } = await withKey(app, "ES256");
      expect(await asserted(await sign(signing, claimsOf(id)))).toBe("INVALID_CLIENT");
      expect(await asserted(new UnsecuredJWT(claimsOf(id)).encode())).toBe("INVALID_CLIENT");
      for (const shared of [JSON.stringify(jwk), "x".repeat(43)]) {
        const hmac = new SignJWT(claimsOf(id)).setProtectedHeader({ alg: "HS256" });
        expect(await asserted(await hmac.sign(Buffer.from(shared)))).toBe("INVALID_CLIENT");
      }
      expect(await asserted(await sign(signing, claimsOf(other)), { client_id: id })).toBe("INVALID_REQUEST");
      const bare = await create(app);
      expect(await asserted(await sign(signing, claimsOf(bare.id)))).toBe("INVALID_CLIENT");
      expect(await asserted(await sign(signing, claimsOf("cli_unknown")))).toBe("INVALID_CLIENT");
    });

    it("is refused with another assertion type, without one, or if it is no JWT", async () => {
      const app = await current().createApp();
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
      for (const form of calls) expect(await outcome({ form: { client_id: id, ...form } })).toBe("INVALID_CLIENT");
      expect(await asserted(assertion)).toBe(`${id} private_key_jwt`);
    });
  });
});
