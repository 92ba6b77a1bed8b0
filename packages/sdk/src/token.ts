import { AuthsvcError } from "./errors.ts";
import { fromBase64Url, toText, utf8 } from "./encoding.ts";
import type { KeyRing } from "./keys.ts";
import type { Settings } from "./settings.ts";

/** What every access token says. Times are seconds since 1970. */
export type AnyClaims = {
  iss: string;
  scope: string;
  iat: number;
  exp: number;
  jti: string;
  /** What the sign-in proved: one factor, two, or a passkey. Missing if nobody authenticated. */
  acr?: string;
  auth_time?: number;
  sub: string;
  sid?: string;
  aud: unknown;
  client_id?: string;
  /** The organization that the token is for, and the user's roles in it. */
  org_id?: string;
  org_roles?: string[];
  /** The user came by that organization's own provider, and is there for it and nothing else. */
  org_confined?: true;
  /** Who acts as the user, and with whose token. */
  act?: Act;
  /** The key that it is bound to: each call needs a proof (RFC 9449). */
  cnf?: { jkt: string };
  /** Claims that the application's settings add. */
  [claim: string]: unknown;
};

/** The claims of an access token of the application. */
export type Claims = AnyClaims & {
  /** The user's id. */
  sub: string;
  /** The App ID. */
  aud: string;
  /** The login, which a logout ends. */
  sid: string;
  /** How the user signed in. */
  amr: string[];
  /** With the scope `email`. Never look up an account by an address that is not verified. */
  email?: string | null;
  email_verified?: boolean;
};

/** RFC 8693 §4.1. `act`: who acted before. */
export type Act = { sub: string; act?: Act };

export type VerifiedToken<Kind extends AnyClaims = AnyClaims> = { claims: Kind; kid: string };

/** Why a genuine token is not for the program; undefined if it is. */
export type Purpose<Kind extends AnyClaims> = (claims: Kind) => string | undefined;

/** Longer than any token of the service. */
const maxLength = 16_384;
/** Clocks may differ by this much (seconds). */
const clockAllowance = 300;
/** No token of the service is valid for longer (seconds). */
const maxLife = 86_400;

export function invalidToken(why: string): AuthsvcError {
  return new AuthsvcError("INVALID_TOKEN", `The access token is not valid: ${why}.`);
}

/**
 * Checks signature, kind, issuer, purpose and times.
 * @throws AuthsvcError INVALID_TOKEN; UNREACHABLE if the keys cannot be read.
 */
export async function verifyToken<Kind extends AnyClaims>(
  token: string,
  expected: Pick<Settings, "issuer" | "now">,
  keys: KeyRing,
  problemOf: Purpose<Kind>,
): Promise<VerifiedToken<Kind>> {
  // JavaScript callers may pass undefined for a missing token: refuse it, do not crash.
  const text: unknown = token;
  const parts = typeof text === "string" && text.length <= maxLength ? text.split(".") : [];
  const [header = "", payload = "", signature = "", ...more] = parts;
  const { typ, alg, kid, crit } = parsed(header);
  if (more.length > 0 || typeof kid !== "string") throw invalidToken("it is not a signed JWT");
  // RFC 9068: an ID token or a logout token is signed by the same keys.
  if (typ !== "at+jwt" || crit !== undefined) throw invalidToken("it is not an access token");
  const key = await keys.find(kid);
  if (!key) throw invalidToken("its signing key is unknown");
  // The key decides the algorithm; the token's `alg` must agree.
  if (alg !== key.alg) throw invalidToken("its algorithm does not match its key");
  const isSigned = await crypto.subtle.verify(key.algorithm, key.key, bytesOf(signature), utf8(`${header}.${payload}`));
  if (!isSigned) throw invalidToken("its signature is wrong");

  const claims = parsed(payload) as Kind;
  const { iss, sub, sid = "", exp, iat } = claims;
  if (iss !== expected.issuer) throw invalidToken("another service issued it (iss)");
  const problem = problemOf(claims);
  if (problem !== undefined) throw invalidToken(problem);
  const isComplete =
    typeof sub === "string" && typeof sid === "string" && Number.isInteger(exp) && Number.isInteger(iat);
  if (!isComplete) throw invalidToken("it lacks a claim");
  if (exp * 1000 <= expected.now()) throw invalidToken("it has expired");
  if ((iat - clockAllowance) * 1000 > expected.now() || exp - iat > maxLife)
    throw invalidToken("it is from the future, or too long-lived");
  return { claims, kid };
}

function parsed(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(toText(fromBase64Url(part)));
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Not the text of an object: the same refusal.
  }
  throw invalidToken("it is not a signed JWT");
}

function bytesOf(signature: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64Url(signature);
  } catch {
    throw invalidToken("its signature is wrong");
  }
}
