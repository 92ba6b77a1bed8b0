import { createHmac, createPublicKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import * as signingKeys from "../../../src/tokens/signing-keys.ts";
import { invalidToken } from "../../support/outcomes.ts";
import { call, signedUp, validate, type Tokens } from "../../support/person.ts";
import { useApp, describeOnSqlite, type TestApp, type TestService } from "../../support/service.ts";

/**
 * Generous, for a busy machine: it tells a refusal from a computation that an attacker can make
 * endless.
 */
const maxMilliseconds = 10_000;

type Json = Record<string, unknown>;
/**
 * What an attacker has: a token of its own, the published key, keys of its own. `genuine` signs
 * with the service's key, which no attacker can.
 */
type Known = {
  token: string;
  header: Json;
  claims: Json;
  signature: string;
  publicKey: KeyObject;
  genuine(header: Json, claims: Json): string;
};

const attackers = {
  ES256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  EdDSA: generateKeyPairSync("ed25519"),
  RS256: generateKeyPairSync("rsa", { modulusLength: 2048 }),
};
const attackerJwk = attackers.ES256.publicKey.export({ format: "jwk" });

const part = (value: unknown) =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const unsigned = (header: Json, claims: Json) => `${part(header)}.${part(claims)}`;
const withSignature = (input: string, signature: Buffer) => `${input}.${signature.toString("base64url")}`;
const signedBy = (key: KeyObject, input: string) =>
  withSignature(
    input,
    sign(key.asymmetricKeyType === "ed25519" ? null : "sha256", Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }),
  );
/** The victim's claims under a header of the attacker's choice, signed by the attacker. */
const forged =
  (change: Json, algorithm: keyof typeof attackers = "ES256") =>
  ({ header, claims }: Known) =>
    signedBy(attackers[algorithm].privateKey, unsigned({ ...header, ...change }, claims));
const hmac =
  (secret: (key: KeyObject) => string | Buffer) =>
  ({ header, claims, publicKey }: Known) => {
    const input = unsigned({ ...header, alg: "HS256" }, claims);
    return withSignature(input, createHmac("sha256", secret(publicKey)).update(input).digest());
  };
const genuine =
  (change: Json, claimsChange: Json = {}) =>
  (known: Known) =>
    known.genuine({ ...known.header, ...change }, { ...known.claims, ...claimsChange });
const tampered =
  (change: (claims: Json) => Json) =>
  ({ header, claims, signature }: Known) =>
    `${unsigned(header, change(claims))}.${signature}`;
const without = (value: Json, key: string) =>
  Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
/** Signed by the service's key, with these claims or this header instead. */
const genuineOf =
  (claimsOf: (claims: Json) => Json, headerOf: (header: Json) => Json = (header) => header) =>
  (known: Known) =>
    known.genuine(headerOf(known.header), claimsOf(known.claims));
const same = (claims: Json) => claims;
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

function derOf(pair: Buffer): Buffer {
  const number = (bytes: Buffer) => Buffer.concat([Buffer.of(2, bytes.length + 1, 0), bytes]);
  const body = Buffer.concat([number(pair.subarray(0, 32)), number(pair.subarray(32))]);
  return Buffer.concat([Buffer.of(0x30, body.length), body]);
}

const forgeries: [title: string, forge: (known: Known) => string][] = [
  ...["none", "None", "NONE", "nOnE", ""].flatMap((alg): [string, (known: Known) => string][] => [
    [
      `alg ${JSON.stringify(alg)} without a signature`,
      ({ header, claims }) => `${unsigned({ ...header, alg }, claims)}.`,
    ],
    [
      `alg ${JSON.stringify(alg)} with a signature`,
      ({ header, claims, signature }) => `${unsigned({ ...header, alg }, claims)}.${signature}`,
    ],
  ]),
  ["no alg", ({ header, claims, signature }) => `${unsigned(without(header, "alg"), claims)}.${signature}`],
  ["no signature", ({ header, claims }) => `${unsigned(header, claims)}.`],
  ["HS256 keyed with the public PEM", hmac((key) => key.export({ type: "spki", format: "pem" }))],
  ["HS256 keyed with the public DER", hmac((key) => key.export({ type: "spki", format: "der" }))],
  ["HS256 keyed with the public JWK", hmac((key) => JSON.stringify(key.export({ format: "jwk" })))],
  ["HS256 keyed with nothing", hmac(() => "")],
  ["another ES256 key under our kid", forged({})],
  ["an EdDSA key under our kid", forged({ alg: "EdDSA" }, "EdDSA")],
  ["an RS256 key under our kid", forged({ alg: "RS256" }, "RS256")],
  ["r = s = 0", ({ header, claims }) => withSignature(unsigned(header, claims), Buffer.alloc(64))],
  [
    "r = s = 1",
    ({ header, claims }) =>
      withSignature(
        unsigned(header, claims),
        Buffer.concat([Buffer.alloc(31), Buffer.of(1), Buffer.alloc(31), Buffer.of(1)]),
      ),
  ],
  ["r = s = 2^256 - 1", ({ header, claims }) => withSignature(unsigned(header, claims), Buffer.alloc(64, 0xff))],
  ["a signature of one byte", ({ header, claims }) => withSignature(unsigned(header, claims), Buffer.of(0))],
  ["no kid", ({ header, claims }) => signedBy(attackers.ES256.privateKey, unsigned(without(header, "kid"), claims))],
  ...[
    "",
    "unknown",
    "../../../../dev/null",
    "/dev/null",
    "' OR '1'='1",
    "__proto__",
    "constructor",
    "a\u0000b",
    "k".repeat(2000),
    1,
    null,
    true,
    ["x"],
    { x: 1 },
  ].map((kid): [string, (known: Known) => string] => [`kid ${JSON.stringify(kid).slice(0, 40)}`, forged({ kid })]),
  ["our signature under a kid that is not ours", genuine({ kid: "unknown" })],
  ["a key of its own embedded as jwk", forged({ jwk: attackerJwk })],
  [
    "a key of its own embedded as jwk, no kid",
    ({ header, claims }) =>
      signedBy(attackers.ES256.privateKey, unsigned({ ...without(header, "kid"), jwk: attackerJwk }, claims)),
  ],
  ["a key of its own at jku", forged({ jku: "http://127.0.0.1:9/jwks.json" })],
  ["a key of its own at x5u", forged({ x5u: "http://127.0.0.1:9/cert.pem" })],
  ["a certificate of its own", forged({ x5c: [part("certificate")] })],
  ...["RS256", "ES384", "none", "es256"].map((alg): [string, (known: Known) => string] => [
    `our signature under alg ${alg}`,
    genuine({ alg }),
  ]),
  ...["HS384", "HS512"].map((alg): [string, (known: Known) => string] => [
    `${alg} keyed with the public PEM`,
    ({ header, claims, publicKey }) => {
      const input = unsigned({ ...header, alg }, claims);
      const secret = publicKey.export({ type: "spki", format: "pem" });
      return withSignature(input, createHmac(alg.replace("HS", "sha"), secret).update(input).digest());
    },
  ]),
  [
    "our signature as DER, not as two numbers",
    ({ header, claims, signature }) =>
      withSignature(unsigned(header, claims), derOf(Buffer.from(signature, "base64url"))),
  ],
  ["an unknown critical extension", genuine({ crit: ["x"], x: 1 })],
  ["critical claims", genuine({ crit: ["exp"] })],
  ["an unencoded payload (b64)", genuine({ crit: ["b64"], b64: false })],
  ["another type: JWT", genuine({ typ: "JWT" })],
  ["another type: id token", genuine({ typ: "id+jwt" })],
  ["another type: logout token", genuine({ typ: "logout+jwt" })],
  ["no type", genuineOf(same, (header) => without(header, "typ"))],
  ["another issuer", genuine({}, { iss: "https://evil.example" })],
  ["the issuer with a slash", genuineOf((claims) => ({ ...claims, iss: `${String(claims["iss"])}/` }))],
  ["no issuer", genuineOf((claims) => without(claims, "iss"))],
  ["no expiry", genuineOf((claims) => without(claims, "exp"))],
  ["an expiry that is text", genuine({}, { exp: "9999999999" })],
  [
    "an issue in the future",
    genuineOf((claims) => ({ ...claims, iat: Number(claims["iat"]) + 3600, exp: Number(claims["exp"]) + 3600 })),
  ],
  ["no client", genuineOf((claims) => without(claims, "client_id"))],
  ["no login", genuineOf((claims) => without(claims, "sid"))],
  ["another user", genuine({}, { sub: "usr_other", user_id: "usr_other" })],
  ["a subject that is not the user_id", genuine({}, { sub: "usr_other" })],
  ["an audience that is a list", genuineOf((claims) => ({ ...claims, aud: [claims["aud"]] }))],
  ["claims changed: subject", tampered((claims) => ({ ...claims, sub: "usr_other", user_id: "usr_other" }))],
  ["claims changed: expiry", tampered((claims) => ({ ...claims, exp: Number(claims["exp"]) + 1 }))],
  ["claims changed: scope", tampered((claims) => ({ ...claims, scope: "profile email admin" }))],
  ["claims changed: order of keys", tampered((claims) => Object.fromEntries(Object.entries(claims).toReversed()))],
  ["claims that are a list", ({ header, signature }) => `${part(header)}.${part([1])}.${signature}`],
  ["claims that are null", ({ header, signature }) => `${part(header)}.${part("null")}.${signature}`],
  ["claims that are not JSON", ({ header, signature }) => `${part(header)}.${part("x")}.${signature}`],
  ["a header that is null", ({ claims, signature }) => `${part("null")}.${part(claims)}.${signature}`],
  ["a header that nests 400 deep", ({ claims, signature }) => `${part(nested(400))}.${part(claims)}.${signature}`],
  ["claims that nest 1,400 deep", ({ header, signature }) => `${part(header)}.${part(nested(1400))}.${signature}`],
  [
    "the header __proto__",
    ({ claims, signature, header }) =>
      `${part(`{"__proto__":${JSON.stringify(header)}}`)}.${part(claims)}.${signature}`,
  ],
];

describeOnSqlite("forged access tokens", (service) => {
  const app = useApp(service);
  let tokens: Tokens;
  let known: Known;
  beforeAll(async () => {
    tokens = await signedUp(service, app);
    known = await knownOf(service, tokens.accessToken);
  });

  it("would be accepted if the service itself had signed them", async () => {
    expect(
      (await validate(service, app, known.genuine(known.header, { ...known.claims, jti: "another" }))).status,
    ).toBe(200);
  });

  it.each(forgeries)("T1, T2, T3, CVE-2022-23540: %s is refused at every door", async (_title, forge) => {
    const token = forge(known);
    await expectRefusedEverywhere(service, app, token);
    expect((await validate(service, app, tokens.accessToken)).status).toBe(200);
  });
});

/**
 * Wherever a token can be shown: to the header calls, to the query calls, and beside a refresh
 * token of its own.
 */
async function expectRefusedEverywhere(service: TestService, app: TestApp, token: string): Promise<void> {
  const bearer = { authorization: `Bearer ${token}` };
  const begun = performance.now();
  const answers = [
    await validate(service, app, token),
    await call(service, "POST", "/auth/logout", bearer, { allSessions: true }),
    await call(service, "GET", "/users/profile", bearer),
    await call(service, "DELETE", "/users/profile", bearer),
    await call(service, "GET", `/api/user?token=${encodeURIComponent(token)}`, {}),
  ];
  const query = `token=${encodeURIComponent(token)}&app_id=${app.id}`;
  const verified = await call(service, "GET", `/auth/verify-token?${query}`, {});
  expect(performance.now() - begun).toBeLessThan(maxMilliseconds);
  for (const answer of answers) expect(answer).toMatchObject(invalidToken);
  expect([verified.status, verified.body]).toEqual([200, { valid: false }]);
}

async function knownOf(service: TestService, token: string): Promise<Known> {
  const [header = "", claims = "", signature = ""] = token.split(".");
  const decode = (text: string) => JSON.parse(Buffer.from(text, "base64url").toString()) as Json;
  const { body } = await call(service, "GET", "/.well-known/jwks.json", {});
  const [jwk] = (body["keys"] as Json[]).filter(({ kid }) => kid === decode(header)["kid"]);
  const { privateKey } = await signingKeys.forSigning(service.server.app.ctx, "ES256");
  return {
    token,
    header: decode(header),
    claims: decode(claims),
    signature,
    publicKey: createPublicKey({ key: jwk ?? {}, format: "jwk" }),
    genuine: (newHeader, newClaims) => signedBy(privateKey, unsigned(newHeader, newClaims)),
  };
}
