import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Application } from "../../src/applications/application.ts";
import { changedClient, clientFrom, type NewClient } from "../../src/applications/clients/rules.ts";
import { isRegistered } from "../../src/lib/redirect-uris.ts";
import type { ClientKind } from "../../src/storage/column-types.ts";

const application = {
  id: "app_shop",
  settings: { scopes: ["profile", "email"] },
} as unknown as Application;

const noProblem = (): undefined => undefined;

function client(input: Partial<NewClient> = {}) {
  return clientFrom({ appId: "app_shop", name: "Grafana", ...input }, application, "cli_new", noProblem, 1);
}

function detailsOf(input: Partial<NewClient>): unknown {
  try {
    client(input);
    return undefined;
  } catch (error) {
    return (error as { details?: string }).details;
  }
}

const publicJwk = (key: KeyObject): Record<string, unknown> => ({ ...key.export({ format: "jwk" }) });
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ed = generateKeyPairSync("ed25519");
const jwks = (...keys: unknown[]) => ({ keys });

describe("a new client", () => {
  it("has safe defaults", () => {
    expect(client()).toMatchObject({
      id: "cli_new",
      kind: "web",
      scopes: ["openid", "profile", "email", "offline_access"],
      consent: "none",
      requirePkce: false,
      idTokenAlg: "RS256",
      idTokenClaims: "granted",
      assertionAudience: "issuer",
      refreshTokens: "offline_access",
      jwks: null,
      disabledAt: null,
    });
    for (const kind of ["spa", "native"] as const) expect(client({ kind }).requirePkce).toBe(true);
  });

  const refused: [title: string, input: Partial<NewClient>, details: string][] = [
    ["an id with a colon, which Basic would split", { id: "a:b" }, "id: 1 to 64 letters"],
    ["an empty name", { name: " " }, "name: 1 to 200 characters"],
    ["a name that turns the text around it", { name: "a\u202Eb" }, "name: no control characters"],
    ["plain http", { redirectUris: ["http://grafana.example/cb"] }, "redirectUris[0]: https"],
    ["a wildcard", { redirectUris: ["https://*.example/cb"] }, "redirectUris[0]: no wildcard"],
    ["a fragment", { redirectUris: ["https://a.example/#x"] }, "redirectUris[0]: no fragment"],
    ["a scheme of browsers", { redirectUris: ["javascript:alert(1)"] }, "redirectUris[0]: https"],
    ["a scheme without a dot", { kind: "native", redirectUris: ["myapp:/cb"] }, "redirectUris[0]: https, or"],
    ["a private-use scheme in a browser", { kind: "spa", redirectUris: ["com.example:/cb"] }, "redirectUris[0]: https"],
    ["a private-use scheme on a server", { redirectUris: ["com.example:/cb"] }, "redirectUris[0]: https"],
    ["where logout may not go", { postLogoutRedirectUris: ["http://a.example/"] }, "postLogoutRedirectUris[0]: https"],
    ["an unknown scope", { scopes: ["openid", "groups"] }, "scopes[1]: one of openid, profile, email, offline_access"],
    ["no openid", { scopes: ["email"] }, "scopes: openid is missing"],
    ["no PKCE without a secret", { kind: "spa", requirePkce: false }, "requirePkce: required without"],
    ["keys of a program that cannot keep one", { kind: "native", jwks: jwks(publicJwk(ec.publicKey)) }, "jwks: only"],
    ["text instead of keys", { jwks: "[]" }, "jwks: a JSON Web Key Set"],
    ["no keys", { jwks: jwks() }, "jwks: 1 to 10 keys"],
    [
      "too many keys",
      { jwks: jwks(...Array.from({ length: 11 }, () => publicJwk(ec.publicKey))) },
      "jwks: 1 to 10 keys",
    ],
    ["a private key", { jwks: jwks(publicJwk(ec.privateKey)) }, "jwks: key 1 has private members"],
    ["a symmetric key", { jwks: jwks({ kty: "oct", k: "AAAA" }) }, "jwks: key 1 has private members"],
    ["a key for encryption", { jwks: jwks({ ...publicJwk(rsa.publicKey), use: "enc" }) }, "jwks: key 1 is not for sig"],
    ["a broken key", { jwks: jwks(publicJwk(ed.publicKey), { kty: "EC", crv: "P-256" }) }, "jwks: key 2 is not supp"],
    [
      "a short RSA key",
      { jwks: jwks(publicJwk(generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey)) },
      "jwks: key 1 is not supported",
    ],
    [
      "another curve",
      { jwks: jwks(publicJwk(generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey)) },
      "jwks: key 1 is not supported",
    ],
    ["an algorithm of another key", { jwks: jwks({ ...publicJwk(ec.publicKey), alg: "RS256" }) }, "jwks: key 1 has an"],
    [
      "no algorithm",
      { jwks: jwks({ ...publicJwk(ec.publicKey), alg: "none" }) },
      "jwks: key 1 has an unsupported algorithm",
    ],
  ];
  it.each(refused)("R3: a client is refused %s", (_, input, details) => {
    expect(detailsOf(input)).toContain(details);
  });

  it("keeps only the public members of its keys", () => {
    const stored = client({ jwks: jwks({ ...publicJwk(ed.publicKey), kid: "1", x5c: ["x"], note: "y" }) }).jwks;
    expect(Object.keys(stored?.keys[0] ?? {}).toSorted()).toEqual(["crv", "kid", "kty", "x"]);
  });

  it("takes only the scopes that its application grants", () => {
    const narrow = { ...application, settings: { ...application.settings, scopes: ["email"] } } as Application;
    expect(() => changedClient(client(), { scopes: ["openid", "profile"] }, narrow, noProblem, 2)).toThrow();
    expect(changedClient(client(), { scopes: ["email", "openid"] }, narrow, noProblem, 2).scopes).toEqual([
      "openid",
      "email",
    ]);
  });

  it("asks whether logout tokens may go to its address", () => {
    const input = { appId: "app_shop", name: "A", backchannelLogoutUri: "https://10.0.0.1/" };
    expect(() => clientFrom(input, application, "cli_a", () => "an https URL on a public address", 1)).toThrow(
      expect.objectContaining({ details: "backchannelLogoutUri: an https URL on a public address" }),
    );
  });
});

describe("a redirect URI is registered", () => {
  const cases: [kind: ClientKind, registered: string, wanted: string, accepted: boolean][] = [
    ["web", "https://a.example/cb", "https://a.example/cb", true],
    ["web", "https://a.example/cb", "https://a.example/cb/", false],
    ["web", "https://a.example/cb", "https://a.example/cb?x=1", false],
    ["web", "https://a.example/cb", "https://a.example:8443/cb", false],
    ["web", "https://a.example/cb", "https://A.example/cb", false],
    ["web", "https://a.example/cb", "https://a.example.evil.example/cb", false],
    ["web", "http://127.0.0.1:3000/cb", "http://127.0.0.1:3001/cb", false],
    ["spa", "http://127.0.0.1:3000/cb", "http://127.0.0.1:3001/cb", false],
    ["native", "com.example.app:/cb", "com.example.app:/cb", true],
    ["native", "com.example.app:/cb", "com.example.app:/other", false],
    ["native", "http://127.0.0.1/cb", "http://127.0.0.1:51004/cb", true],
    ["native", "http://127.0.0.1:3000/cb", "http://127.0.0.1:51004/cb", true],
    ["native", "http://127.0.0.1:3000/cb", "http://127.0.0.1/cb", true],
    ["native", "http://[::1]/cb", "http://[::1]:51004/cb", true],
    ["native", "http://127.0.0.1/", "http://127.0.0.1:51004/", true],
    ["native", "http://127.0.0.1/cb?a=1", "http://127.0.0.1:51004/cb?a=1", true],
    ["native", "http://127.0.0.1/cb?a=1", "http://127.0.0.1:51004/cb?a=2", false],
    ["native", "http://127.0.0.1/cb", "http://127.0.0.1:51004/other", false],
    ["native", "http://127.0.0.1/cb", "http://127.0.0.2:51004/cb", false],
    ["native", "http://127.0.0.1/cb", "http://[::1]:51004/cb", false],
    ["native", "http://127.0.0.1/cb", "https://127.0.0.1:51004/cb", false],
    ["native", "http://127.0.0.1/cb", "http://127.0.0.1:99999/cb", false],
    ["native", "http://127.0.0.1/cb", "http://127.0.0.1:80@evil.example/cb", false],
    ["native", "http://127.0.0.1/cb", "http://127.0.0.1.evil.example/cb", false],
    ["native", "http://127.0.0.1/cb", "http://127.0.0.1:1/cb#x", false],
    ["native", "http://127.0.0.1/cb", "http://127.0.0.1:1/x/../cb", false],
    ["native", "http://localhost/cb", "http://localhost:51004/cb", true],
    ["native", "http://localhost/cb", "http://localhost.evil.example:51004/cb", false],
    ["native", "https://a.example/cb", "https://a.example:51004/cb", false],
  ];
  it.each(cases)(
    "R1: a redirect URI of a client is compared exactly: %s %s for %s: %s",
    (kind, registered, wanted, accepted) => {
      expect(isRegistered(wanted, [registered], { anyLoopbackPort: kind === "native" })).toBe(accepted);
    },
  );
});
