import type { SignInMethod } from "../applications/application.ts";
import { second } from "../lib/clock.ts";
import type { User } from "../users/user.ts";
import type { AccessTokenClaims } from "./access-tokens.ts";
import type { LoginToContinue } from "./rotated-login-store.ts";

/**
 * RFC 8176 authentication method references; a provider's sign-in has no registered value, `fed` is what others say. Nobody proved anything
 * for a token that an operator minted, and it says so.
 */
const methodReferences: Record<SignInMethod | "operator", string[]> = {
  password: ["pwd"],
  passkey: ["pop", "user"],
  oauth: ["fed"],
  operator: ["operator"],
};

/** What an access token says of a login at `now`; it lasts `seconds`. */
export function claimsOf(
  login: LoginToContinue,
  user: Pick<User, "id" | "email">,
  token: { issuer: string; id: string; seconds: number },
  now: number,
): AccessTokenClaims {
  const issuedAt = Math.floor(now / second);
  return {
    iss: token.issuer,
    sub: user.id,
    aud: login.appId,
    user_id: user.id,
    app_id: login.appId,
    ...(login.scopes.includes("email") ? { email: user.email } : {}),
    iat: issuedAt,
    exp: issuedAt + token.seconds,
    jti: token.id,
    sid: login.id,
    scope: login.scopes.join(" "),
    // Absent where nobody authenticated: an app that asks for a fresh sign-in must not take a command for one.
    ...(login.signedInWith === "operator" ? {} : { auth_time: Math.floor(login.signedInAt / second) }),
    amr: methodReferences[login.signedInWith],
  };
}
