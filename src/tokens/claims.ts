import { acrOf, isAtLeast, provenTime, type Proven } from "../factors/assurance.ts";
import { second } from "../lib/clock.ts";
import type { Login, LoginToContinue } from "../sessions/login.ts";
import type { SignInProof } from "../storage/column-types.ts";
import { confinedClaim, organizationClaims } from "../organizations/claims.ts";
import { isConfined } from "../organizations/provider/provider.ts";
import { provedTwoFactors, type ProvenFor } from "../organizations/gate.ts";
import type { Membership } from "../organizations/membership-store.ts";
import type { User } from "../users/user.ts";
import { tokenScopes } from "../applications/resources/resource.ts";
import type { AccessTokenClaims, ResourceTokenClaims } from "./access-tokens.ts";

/**
 * Authentication method references of RFC 8176. Providers have no registered value; `fed` is
 * common. Tokens minted by an operator say that nobody authenticated.
 */
const methodReferences: Record<SignInProof | "operator", string[]> = {
  password: ["pwd"],
  passkey: ["pop", "user"],
  "new-passkey": ["pop", "user"],
  oauth: ["fed"],
  organization: ["fed"],
  emailCode: ["otp"],
  operator: ["operator"],
};

/**
 * The login as tokens for an organization tell of it: two factors at its provider count there,
 * while that proof does, and for no other.
 */
export function within<L extends ProvenFor>(login: L, organization: Membership | undefined, now: number): L {
  const counts = provedTwoFactors(organization, login, now) && !isAtLeast(acrOf(login), "urn:authsvc:acr:2");
  return counts ? { ...login, secondFactor: "provider" } : login;
}

/** Every proof, and `mfa` if they are two factors: a passkey is, unless it was just created. */
export function amrOf(proven: Proven): string[] {
  const { proofs, signedInWith, secondFactor } = proven;
  const first = proofs === null ? methodReferences[signedInWith] : proofs.flatMap((proof) => methodReferences[proof]);
  const isTyped = secondFactor === "totp" || secondFactor === "recovery-code" || secondFactor === "new-totp";
  const isMultiFactor = isAtLeast(acrOf(proven), "urn:authsvc:acr:2");
  // A mailed code and one of an authenticator app have the same value.
  return [...new Set([...first, ...(isTyped ? ["otp"] : []), ...(isMultiFactor ? ["mfa"] : [])])];
}

/** Missing if nobody knows: a provider that does not say when may answer with an old session. */
export function authTimeOf(login: Pick<Login, "signedInAt" | "provenElsewhereAt">): { auth_time?: number } {
  const at = provenTime(login.signedInAt, login.provenElsewhereAt);
  return at === 0 ? {} : { auth_time: Math.floor(at / second) };
}

/**
 * The claims of a login's access token, for its application or resource, issued at `now` for
 * `seconds`. `own`: the application's, which never replace the service's. `proofKey`: the key that
 * it is bound to.
 */
export function claimsOf(
  started: LoginToContinue & Partial<Pick<Login, "actor">>,
  user: Pick<User, "id" | "email" | "emailVerified">,
  token: {
    issuer: string;
    id: string;
    seconds: number;
    own: Record<string, unknown>;
    organization?: Membership | undefined;
    proofKey: string | null;
  },
  now: number,
): AccessTokenClaims | ResourceTokenClaims {
  const login = within(started, token.organization, now);
  const issuedAt = Math.floor(now / second);
  const scopes = tokenScopes(login);
  const claims = {
    ...token.own,
    iss: token.issuer,
    sub: user.id,
    aud: login.appId,
    user_id: user.id,
    app_id: login.appId,
    // RFC 9068 §2.2: the client that requested the token. An application is its own first client.
    client_id: login.clientId ?? login.appId,
    ...(scopes.includes("email") ? { email: user.email, email_verified: user.emailVerified } : {}),
    iat: issuedAt,
    exp: issuedAt + token.seconds,
    jti: token.id,
    sid: login.id,
    scope: scopes.join(" "),
    // Omitted if nobody authenticated: an app that requires a fresh sign-in must not accept a
    // minted token.
    ...(login.signedInWith === "operator" ? {} : authTimeOf(login)),
    ...(login.signedInWith === "operator" ? {} : { acr: acrOf(login) }),
    amr: amrOf(login),
    ...organizationClaims(token.organization),
    ...confinedClaim(isConfined(login)),
    ...(login.actor ? { act: { sub: login.actor.name } } : {}),
    ...(token.proofKey === null ? {} : { cnf: { jkt: token.proofKey } }),
  };
  return login.resource === null ? claims : { ...claims, aud: [login.resource] };
}
