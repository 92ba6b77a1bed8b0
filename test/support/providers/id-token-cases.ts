import { newIssuerKey, signedWithSecret, unsigned, type Claims, type IdTokenMaker } from "./id-tokens.ts";
import type { FakeProvider } from "./provider.ts";

/** How an id_token is wrong, by what is wrong with it (OpenID Connect Core §3.1.3.7; RFC 8725). */
export const wrongIdTokens: Record<string, (provider: FakeProvider) => IdTokenMaker> = {
  "another issuer": changed((provider) => ({ iss: `${provider.origin}/other` })),
  "the issuer with a slash more": changed((provider) => ({ iss: `${provider.issuerOf()}/` })),
  "no issuer": changed(() => ({ iss: undefined })),
  "an issuer that is a list": changed((provider) => ({ iss: [provider.issuerOf()] })),
  "another audience": changed(() => ({ aud: "client-2" })),
  "an audience that only begins like ours": changed(() => ({ aud: "client-1.evil" })),
  "several audiences without ours": changed(() => ({ aud: ["client-2", "client-3"] })),
  "several audiences, issued to another": changed(() => ({ aud: ["client-1", "client-2"], azp: "client-2" })),
  "several audiences, and nobody that it was issued to": changed(() => ({ aud: ["client-1", "client-2"] })),
  "one audience in a list, issued to another": changed(() => ({ aud: ["client-1"], azp: "client-2" })),
  "several audiences, issued to two": changed(() => ({ aud: ["client-1", "client-2"], azp: ["client-1"] })),
  "our audience, issued to another": changed(() => ({ azp: "client-2" })),
  "no audience": changed(() => ({ aud: undefined })),
  "an empty audience": changed(() => ({ aud: [] })),
  "another nonce": changed(() => ({ nonce: "A".repeat(43) })),
  "no nonce": changed(() => ({ nonce: undefined })),
  "an empty nonce": changed(() => ({ nonce: "" })),
  "a nonce in a list": changed((_provider, { nonce }) => ({ nonce: [nonce] })),
  "no subject": changed(() => ({ sub: undefined })),
  "a number for a subject": changed(() => ({ sub: 42 })),
  "an empty subject": changed(() => ({ sub: "" })),
  "a subject of 256 characters": changed(() => ({ sub: "x".repeat(256) })),
  "no time of issue": changed(() => ({ iat: undefined })),
  "a time of issue in the future": changed(() => ({ iat: Math.floor(Date.now() / 1000) + 40 * 86_400 })),
  "the hash of another access token": changed(() => ({ at_hash: "A".repeat(22) })),
  "a hash in a list": changed(() => ({ at_hash: ["A".repeat(22)] })),
  "a word for a time of issue": changed(() => ({ iat: "now" })),
  "no expiry": changed(() => ({ exp: undefined })),
  "a word for an expiry": changed(() => ({ exp: "9999999999" })),
  // Further back than any leeway.
  "an expiry in the past": changed(() => ({ exp: Math.floor(Date.now() / 1000) - 120 })),
  "a beginning in the future": changed(() => ({ nbf: Math.floor(Date.now() / 1000) + 40 * 86_400 })),
  "the signature of another key": () => async (claims) => await (await newIssuerKey()).sign(claims),
  "the signature of a key that it brings itself": () => async (claims) => {
    const key = await newIssuerKey();
    return await key.sign(claims, { jwk: key.publicJwk, jku: "http://127.0.0.1:1/keys" });
  },
  "a key that nobody published": () => async (claims) => await (await newIssuerKey("ES256", "key-2")).sign(claims),
  "the signature cut off": (provider) => async (claims) => (await provider.key.sign(claims)).replace(/[^.]+$/u, ""),
  "other claims under a good signature": (provider) => async (claims) => {
    const [header, , signature] = (await provider.key.sign({ ...claims, sub: "somebody-else" })).split(".");
    return `${header}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${signature}`;
  },
  "alg none": () => (claims) => unsigned(claims),
  "alg nOnE": () => (claims) => unsigned(claims, "nOnE"),
  "alg none with a signature": () => (claims) => `${unsigned(claims)}AAAA`,
  "HS256 with the client secret": (provider) => async (claims) => await signedWithSecret(claims, provider.secret),
  "HS256 with the public key": (provider) => async (claims) =>
    await signedWithSecret(claims, JSON.stringify(provider.key.publicJwk)),
  "a critical extension that nobody knows": (provider) => async (claims) =>
    tamperedHeader(await provider.key.sign(claims), { crit: ["x"], x: 1 }),
  "a string that is no JWT": () => () => "not.a.jwt",
  "an empty string": () => () => "",
  "an encrypted form": () => () => "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA",
};

function changed(change: (provider: FakeProvider, claims: Claims) => Claims) {
  return (provider: FakeProvider): IdTokenMaker =>
    async (claims) =>
      await provider.key.sign({ ...claims, ...change(provider, claims) });
}

function tamperedHeader(token: string, extra: object): string {
  const [header = "", ...rest] = token.split(".");
  const parsed = JSON.parse(Buffer.from(header, "base64url").toString()) as object;
  return [Buffer.from(JSON.stringify({ ...parsed, ...extra })).toString("base64url"), ...rest].join(".");
}
