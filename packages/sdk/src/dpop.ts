import { fromBase64Url, sha256, toBase64Url, toText, utf8 } from "./encoding.ts";
import { kinds, type KeyKind } from "./keys.ts";

/** `method` and `url`: the request that the client sent. `thumbprint`: `cnf.jkt` of its token. */
export type ProvenRequest = { method: string; url: URL; token: string; thumbprint: string };

const pss: KeyKind = { import: { name: "RSA-PSS", hash: "SHA-256" }, verify: { name: "RSA-PSS", saltLength: 32 } };
const algorithms: Record<string, KeyKind> = { ...kinds, Ed25519: kinds.EdDSA, PS256: pss };
export const proofAlgorithms = Object.keys(algorithms);

/** A proof is at most this old, or ahead of this clock (milliseconds). */
const window = 60_000;
const maxLength = 8192;
/** About 150 bytes each. */
const maxRemembered = 200_000;

/** Checks DPoP proofs (RFC 9449 §4.3). Each one counts once in this process. */
export function createProofs(now: () => number, max = maxRemembered) {
  /** Until when, in the order of arrival: all are kept equally long. */
  const used = new Map<string, number>();

  function use(name: string): string | undefined {
    for (const [oldest, until] of used) {
      if (until > now()) break;
      used.delete(oldest);
    }
    if (used.has(name)) return "it was used before";
    // To forget one would let it be used again.
    if (used.size >= max) return "too many came at once";
    used.set(name, now() + 2 * window);
    return undefined;
  }

  /** Why the proof does not count; undefined if it does. */
  return async (proof: string, { method, url, token, thumbprint }: ProvenRequest): Promise<string | undefined> => {
    if (proof === "") return "it is missing";
    const [header = "", payload = "", signature = "", ...more] = proof.length <= maxLength ? proof.split(".") : [];
    try {
      const { typ, alg, jwk, crit } = partOf(header);
      const kind = Object.hasOwn(algorithms, String(alg)) ? algorithms[String(alg)] : undefined;
      if (more.length > 0 || typ !== "dpop+jwt" || !kind || crit !== undefined) return "it is not a DPoP proof";
      const { crv, d, e, k, kty, n, x, y } = Object(jwk) as Record<string, string | undefined>;
      if (d !== undefined || k !== undefined) return "its key is not public";
      const known = { crv, e, kty, n, x, y } as Record<string, string>;
      if (toBase64Url(await sha256(JSON.stringify(known))) !== thumbprint) return "the token is bound to another key";
      const key = await crypto.subtle.importKey("jwk", known, kind.import, false, ["verify"]);
      const isSigned = await crypto.subtle.verify(
        kind.verify,
        key,
        fromBase64Url(signature),
        utf8(`${header}.${payload}`),
      );
      if (!isSigned) return "its signature is wrong";
      const { htm, htu, ath, iat, jti } = partOf(payload);
      if (htm !== method) return "it is for another method (htm)";
      if (addressOf(String(htu)) !== addressOf(url.href)) return "it is for another address (htu)";
      if (ath !== toBase64Url(await sha256(token))) return "it is for another token (ath)";
      if (typeof iat !== "number" || Math.abs(now() - iat * 1000) > window) return "it is too old, or from the future";
      if (typeof jti !== "string" || jti === "") return "it has no jti";
      return use(toBase64Url(await sha256(`${thumbprint} ${jti}`)));
    } catch {
      return "it is malformed";
    }
  };
}

/** Without query and fragment (RFC 9449 §4.3). @throws if it is not a URL */
function addressOf(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}

/** @throws if it is not the text of an object. */
function partOf(text: string): Record<string, unknown> {
  return Object(JSON.parse(toText(fromBase64Url(text)))) as Record<string, unknown>;
}
