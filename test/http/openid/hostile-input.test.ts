import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { expect, it } from "vitest";
import { authorizeUrl, createTestClient } from "../../support/openid.ts";
import { Visitor } from "../../support/person.ts";
import { describeSqliteFirst, type TestService } from "../../support/service.ts";

const actor = { kind: "cli", name: "test" } as const;
const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

/** The method, or the code of the error. */
async function authenticate(
  { server, url }: TestService,
  { authorization, assertion }: { authorization?: string; assertion?: string },
): Promise<string> {
  const form = { client_assertion: assertion ?? "", client_assertion_type: assertion ? assertionType : "" };
  return await server.app.services.clientAuthentication
    .authenticate({ authorization, form: new Map(Object.entries(form)), endpoint: `${url}/oauth2/token` })
    .then(
      ({ method }) => method,
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    );
}

describeSqliteFirst("what a database cannot store", (current) => {
  it.each([
    ["a claim's name", '{"userinfo":{"a\\u0000":null}}'],
    ["a claim's value", '{"userinfo":{"name":{"value":"\\u0000"}}}'],
    ["half a character", '{"userinfo":{"name":{"values":["\\ud800"]}}}'],
    ["the wanted subject", '{"id_token":{"sub":{"value":"\\u0000"}}}'],
  ])("is refused in the claims parameter, escaped as JSON has it: %s", async (_, claims) => {
    const service = current();
    const client = await createTestClient(service, await service.createApp());
    const { location } = await new Visitor().get(authorizeUrl(service, client, { claims }));
    expect(location.searchParams.get("error")).toBe("invalid_request");
  });

  it("is no client id, escaped in the header or in an assertion", async () => {
    for (const text of ["%00:", "%00:secret", "a%00b:secret"])
      expect(await authenticate(current(), { authorization: basic(text) })).toBe("INVALID_CLIENT");
    for (const sub of ["\0", "\ud800", 7, {}] as string[])
      expect(await authenticate(current(), { assertion: new UnsecuredJWT({ sub }).encode() })).toBe("INVALID_CLIENT");
  });
});

describeSqliteFirst("a client assertion (RFC 7523 §3)", (current) => {
  it("may expire within a second, as NumericDate allows, and is used once", async () => {
    const service = current();
    const app = await service.createApp();
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const jwks = { keys: [await exportJWK(publicKey)] };
    const { client } = await service.server.app.services.clients.create(
      { appId: app.id, name: "A", jwks },
      {},
      { actor },
    );
    const assertion = await new SignJWT({ exp: service.clock.now / 1000 + 60.000_123, jti: "one" })
      .setProtectedHeader({ alg: "ES256" })
      .setIssuer(client.id)
      .setSubject(client.id)
      .setAudience(service.url)
      .sign(privateKey);
    expect(await authenticate(service, { assertion })).toBe("private_key_jwt");
    expect(await authenticate(service, { assertion })).toBe("INVALID_CLIENT");
  });
});
