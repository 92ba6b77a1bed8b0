import { LRUCache } from "lru-cache";
import { second, type Clock } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { parseJwt, signatureProblem, signJwt, type SigningAlgorithm } from "./jwt.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** The claims of an access token: the contract's (2.6), and jti, sid, scope, auth_time, amr. Times are epoch seconds. */
export type AccessTokenClaims = {
  iss: string;
  sub: string;
  aud: string;
  user_id: string;
  app_id: string;
  email?: string | null;
  iat: number;
  exp: number;
  jti: string;
  /** The login: what logout ends. */
  sid: string;
  scope: string;
  /** Absent from a token that an operator minted. */
  auth_time?: number;
  amr: string[];
};

export type Verdict = { claims: AccessTokenClaims } | { reason: string; expired?: true };

/** About 2 KB an entry: the text, the claims and the map around them. */
const mostRemembered = 10_000;
/** A token from a node whose clock is ahead of ours is still good. */
const leewaySeconds = 5;

export type AccessTokens = ReturnType<typeof createAccessTokens>;

/**
 * Signs and verifies access tokens. A verified token is remembered by its exact text, so that its signature is computed once;
 * expiry is looked at each time, and whether its login still lives is the caller's question to storage.
 */
export function createAccessTokens(deps: { keys: SigningKeys; issuer: string; clock: Clock }) {
  const { keys, issuer, clock } = deps;
  // Made for the first token: setting its places up takes 2 ms, which a command without tokens is spared.
  let remembered: LRUCache<string, { claims: AccessTokenClaims; kid: string }> | undefined;

  async function verifyNew(token: string): Promise<Verdict> {
    const parsed = parseJwt(token);
    if (!parsed) return { reason: "it is not a JWT" };
    const kid = typeof parsed.header["kid"] === "string" ? parsed.header["kid"] : undefined;
    await keys.refresh(kid);
    const problem = signatureProblem(parsed, keys.find);
    if (problem !== undefined) return { reason: problem };
    const { claims } = parsed;
    if (!isAccessTokenClaims(claims)) return { reason: "its claims are not those of an access token" };
    if (claims.iss !== issuer) return { reason: "it was issued by another service (iss)" };
    remembered ??= new LRUCache({ max: mostRemembered });
    remembered.set(token, { claims, kid: kid ?? "" });
    return { claims };
  }

  /** Whether this service signed it, whenever that was. At once for a token that is remembered. */
  function genuine(token: string): Verdict | Promise<Verdict> {
    const known = remembered?.get(token);
    return known && keys.find(known.kid) ? { claims: known.claims } : verifyNew(token);
  }

  function holdsNow(verdict: Verdict): Verdict {
    if ("reason" in verdict) return verdict;
    const now = clock() / second;
    if (verdict.claims.exp <= now)
      return { reason: `it expired at ${new Date(verdict.claims.exp * second).toISOString()}`, expired: true };
    if (verdict.claims.iat > now + leewaySeconds) return { reason: "it was issued in the future (iat)" };
    return verdict;
  }

  return {
    async sign(claims: AccessTokenClaims, algorithm: SigningAlgorithm): Promise<string> {
      return signJwt(claims, await keys.forSigning(algorithm));
    },

    genuine,

    /** Whether this service signed it and it holds now; `reason` completes the sentence "the token is not valid: …". Does not look at logins. */
    verify(token: string): Verdict | Promise<Verdict> {
      const verdict = genuine(token);
      return verdict instanceof Promise ? verdict.then(holdsNow) : holdsNow(verdict);
    },
  };
}

/** A `jti`: 128 random bits. */
export function newTokenId(random: Random): string {
  return Buffer.from(random(16)).toString("base64url");
}

/** The application that a token says it is for. Nothing is verified: good for choosing whom to tell what is wrong with it, and no more. */
export function claimedApp(token: string): string | undefined {
  const aud = parseJwt(token)?.claims["aud"];
  return typeof aud === "string" ? aud : undefined;
}

function isAccessTokenClaims(claims: Record<string, unknown>): claims is AccessTokenClaims {
  const { iss, sub, aud, user_id, app_id, iat, exp, jti, sid, scope } = claims;
  return (
    [iss, sub, aud, jti, sid, scope].every((value) => typeof value === "string") &&
    sub === user_id &&
    aud === app_id &&
    Number.isInteger(iat) &&
    Number.isInteger(exp)
  );
}
