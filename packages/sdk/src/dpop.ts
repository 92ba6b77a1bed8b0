import { fromBase64Url, sha256, toBase64Url, toText, utf8 } from "./encoding.ts";
import { sendRepeatedly } from "./call.ts";
import { isInvalidToken } from "./errors.ts";
import { kinds as signingKinds } from "./keys.ts";
import type { Settings } from "./settings.ts";
import { invalidToken, type AnyClaims } from "./token.ts";
import type { ProofCheck } from "./verify.ts";

/** The call that brought a token with the scheme DPoP. */
export type ProvenCall = {
  method: string;
  /** As your clients call it: behind a proxy, its public address. */
  url: string;
  /** The header DPoP. */
  proof: string | null | undefined;
};

/** What a proof of a key says. `jkt`: the thumbprint of the key, as in `cnf` of a bound token. */
export type Proof = { jkt: string; jti: string };

/** How far `iat` may be from now, either way (milliseconds). */
const proofLasts = 60_000;
/** Of used proofs: about 200 bytes each. */
const maxRemembered = 200_000;
/** Of one key, so that its holder cannot use up what the others need. */
const maxOfKey = 10_000;
const maxLength = 8192;
/** Of members of a key: 32 bytes of a curve, 8,192 bits of RSA, 32 bits of an exponent. */
const keyLengths: Record<string, [least: number, most: number]> = {
  x: [43, 43],
  y: [43, 43],
  n: [342, 1366],
  e: [1, 6],
};
const privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

type Kind = { name: string; hash?: string; namedCurve?: string; saltLength?: number };

const kinds: Record<string, Kind> = {
  ...signingKinds,
  Ed25519: signingKinds.EdDSA,
  PS256: { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 },
};
export const proofAlgorithms = Object.keys(kinds);

/**
 * Checks a DPoP proof (RFC 9449, section 4.3) for a call with this access token, all but whether it
 * was used before. @throws AuthsvcError INVALID_TOKEN, whatever a stranger wrote
 */
async function verifyProof(call: ProvenCall, accessToken: string, now: number): Promise<Proof> {
  try {
    return await checkedProof(call, accessToken, now);
  } catch (error) {
    throw isInvalidToken(error) ? error : invalidProof("the header DPoP must be one JWT");
  }
}

async function checkedProof(call: ProvenCall, accessToken: string, now: number): Promise<Proof> {
  const text = call.proof ?? "";
  const [header = "", payload = "", signature = "", ...more] = text.length > maxLength ? [] : text.split(".");
  if (more.length > 0 || signature === "") throw invalidProof("the header DPoP must be one JWT");
  const { typ, alg, jwk, crit } = parsed(header);
  if (typ !== "dpop+jwt" || crit !== undefined) throw invalidProof("it is no proof (typ)");
  const key = await importKey(String(alg), jwk);
  const isSigned = await verified(key, signature, `${header}.${payload}`);
  if (!isSigned) throw invalidProof("its signature is wrong");

  const { jti, htm, htu, iat, ath } = parsed(payload);
  // Half a surrogate pair has no bytes of its own: two such texts would look the same.
  if (typeof jti !== "string" || jti === "" || /\p{Cs}/u.test(jti)) throw invalidProof("it has no jti");
  if (htm !== call.method) throw invalidProof("it is for another method (htm)");
  if (typeof htu !== "string" || !isSameTarget(htu, call.url)) throw invalidProof("it is for another URL (htu)");
  if (typeof iat !== "number" || !(Math.abs(now - iat * 1000) <= proofLasts))
    throw invalidProof("it is not of now (iat)");
  if (ath !== toBase64Url(await sha256(accessToken))) throw invalidProof("it is for another token (ath)");
  const { crv, e, kty, n, x, y } = key.jwk;
  return { jkt: toBase64Url(await sha256(JSON.stringify({ crv, e, kty, n, x, y }))), jti };
}

/**
 * Checks proofs for `verify`. Keep it as long as your program runs: a proof works once for each.
 * `now`, `max` and `perKey`: for tests.
 */
export function createProofs({
  now = Date.now,
  max = maxRemembered,
  perKey = maxOfKey,
}: { now?: () => number; max?: number; perKey?: number } = {}) {
  /** In the order of arrival, and so of `until`. */
  const used = new Map<string, { jkt: string; until: number }>();
  const counts = new Map<string, number>();

  function forgetOld(): void {
    for (const [key, { jkt, until }] of used) {
      // A proof of `until` itself is still good.
      if (until >= now()) break;
      used.delete(key);
      const left = (counts.get(jkt) ?? 1) - 1;
      if (left === 0) counts.delete(jkt);
      else counts.set(jkt, left);
    }
  }

  return {
    /** The check of one call, whose token came with the scheme DPoP. */
    of:
      (call: ProvenCall): ProofCheck =>
      async (token, cnf) => {
        const { jkt, jti } = await verifyProof(call, token, now());
        if (jkt !== cnf?.jkt) throw invalidProof("it is of another key (cnf)");
        const key = toBase64Url(await sha256(`${jkt} ${jti}`));
        forgetOld();
        if (used.has(key)) throw invalidProof("it was used before (jti)");
        const count = counts.get(jkt) ?? 0;
        // To forget one would let it be used again.
        if (used.size >= max || count >= perKey) throw invalidProof("too many came at once");
        used.set(key, { jkt, until: now() + 2 * proofLasts });
        counts.set(jkt, count + 1);
        return introspect;
      },
  };
}

/** A proof is for your own URL, so your server asks without one (RFC 7662). */
export async function introspect(settings: Settings, token: string): Promise<AnyClaims> {
  const { issuer, appId, apiKey } = settings;
  const headers = {
    authorization: `Basic ${btoa(`${encodeURIComponent(appId)}:${encodeURIComponent(apiKey)}`)}`,
    "content-type": "application/x-www-form-urlencoded",
  };
  const request = { method: "POST", headers, body: new URLSearchParams({ token }).toString() };
  const answer = await sendRepeatedly(settings, `${issuer}/oauth2/introspect`, request, true, {});
  if ((answer as { active: unknown }).active !== true) throw invalidToken("its login has ended");
  return answer as AnyClaims;
}

async function importKey(
  alg: string,
  jwk: unknown,
): Promise<{ key: CryptoKey; alg: string; jwk: Record<string, unknown> }> {
  const kind = Object.hasOwn(kinds, alg) ? kinds[alg] : undefined;
  if (!kind) throw invalidProof("its algorithm is not supported (alg)");
  if (typeof jwk !== "object" || jwk === null || privateMembers.some((member) => member in jwk))
    throw invalidProof("it has no public key (jwk)");
  const { kty, crv, x, y, n, e } = jwk as Record<string, unknown>;
  // Only what makes up the key: other members could forbid its use.
  const given = Object.entries({ kty, crv, x, y, n, e }).filter(([, value]) => value !== undefined);
  // Before anything is computed with it.
  const isSized = given.every(([name, value]) => {
    const [least, most] = keyLengths[name] ?? [1, 10];
    return typeof value === "string" && value.length >= least && value.length <= most;
  });
  if (!isSized) throw invalidProof("its key is not supported (jwk)");
  try {
    const key = await crypto.subtle.importKey("jwk", Object.fromEntries(given), kind, true, ["verify"]);
    const { modulusLength = 2048 } = key.algorithm as { modulusLength?: number };
    // As the platform writes it: the same for all spellings.
    if (modulusLength >= 2048) return { key, alg, jwk: { ...(await crypto.subtle.exportKey("jwk", key)) } };
  } catch {
    // Not a key of this algorithm: the same refusal.
  }
  throw invalidProof("its key is not supported (jwk)");
}

async function verified({ key, alg }: { key: CryptoKey; alg: string }, signature: string, input: string) {
  try {
    return await crypto.subtle.verify(kinds[alg] ?? "", key, fromBase64Url(signature), utf8(input));
  } catch {
    return false;
  }
}

function isSameTarget(htu: string, url: string): boolean {
  // A URL is ASCII, without spaces and backslashes: parsers differ about the rest.
  const target = /^https?:\/\/[!-[\]-~]+$/iu.test(htu) ? targetOf(htu) : undefined;
  return target !== undefined && target === targetOf(url);
}

/** A URL without query and fragment, normalized; undefined if it is none. */
function targetOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, pathname, username, password } = new URL(text);
  return `${username}${password}` === "" ? origin + pathname.replaceAll(/%[0-9a-f]{2}/giu, normalOctet) : undefined;
}

function normalOctet(octet: string): string {
  const character = String.fromCharCode(Number.parseInt(octet.slice(1), 16));
  return /[\w.~-]/u.test(character) ? character : octet.toUpperCase();
}

function parsed(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(toText(fromBase64Url(part)));
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Not the text of an object: the same refusal.
  }
  throw invalidProof("the header DPoP must be one JWT");
}

function invalidProof(why: string): Error {
  return invalidToken(`the DPoP proof is wrong: ${why}`);
}
