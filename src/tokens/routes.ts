import { z } from "zod";
import type { Application } from "../applications/application.ts";
import { forEverybody, json } from "../http/answer.ts";
import { clientInfoOf, type HttpRequest } from "../http/request.ts";
import { isoTime, second } from "../lib/clock.ts";
import { invalidApiKey } from "../lib/errors.ts";
import { keySetMaxAgeSeconds, type SigningKeys } from "./signing-keys.ts";
import type { Bearer } from "./authentication.ts";
import type { ClaimSourcesService } from "./claim-sources.ts";
import type { Logout } from "./logout.ts";
import type { Tokens } from "./service.ts";

export const refreshBody = z.strictObject({ refreshToken: z.string("required, a string") });

export const logoutBody = z.strictObject({
  refreshToken: z.string("must be a string").optional(),
  allSessions: z.boolean("must be a boolean").optional(),
});

/** POST /auth/refresh */
export function refreshHandler(tokens: Tokens) {
  return async (
    request: HttpRequest,
    { application, withoutApiKey }: { application: Application; withoutApiKey: boolean },
  ) => {
    const body = await request.json(refreshBody).catch((error: unknown) => {
      throw withoutApiKey ? invalidApiKey() : error;
    });
    return json(await tokens.refresh({ ...body, application, withoutApiKey, clientInfo: clientInfoOf(request) }));
  };
}

/** GET /auth/validate. `claims`: the application's own, as they are now. */
export function validateHandler(
  { current }: Pick<ClaimSourcesService, "current">,
  isOwnProgram: (clientId: string) => Promise<boolean>,
) {
  // A cached token's claims are the same object every time.
  const expiries = new WeakMap<Bearer["claims"], string>();
  return (_request: HttpRequest, bearer: Bearer) => {
    const { claims, scopes } = bearer;
    const expiresAt = expiries.get(claims) ?? isoTime(claims.exp * second);
    expiries.set(claims, expiresAt);
    const act = claims.act ? { act: claims.act } : {};
    const answer = { valid: true, user: userOf(bearer), scopes, expiresAt, ...clientOf(bearer), ...act };
    const own = current(bearer, isOwnProgram);
    return own ? own.then((found) => json({ ...answer, ...(found && { claims: found }) })) : json(answer);
  };
}

/**
 * GET /auth/verify-token: the answer for an invalid token is always the same bytes (RFC 7662 §2.2).
 */
export function verifyTokenHandler() {
  return (_request: HttpRequest, bearer: Bearer | undefined) =>
    json(bearer ? { valid: true, user: userOf(bearer), ...clientOf(bearer) } : { valid: false });
}

/** The application's own tokens get the contract's fields and no more. */
function clientOf({ claims: { aud, client_id: clientId } }: Bearer): { clientId?: string } {
  return clientId === aud ? {} : { clientId };
}

/** A client's program knows the name by the scope `profile` alone, as by userinfo. */
function userOf({ claims: { aud, client_id: clientId }, scopes, user }: Bearer) {
  const { id, email, emailVerified } = user;
  const name = clientId === aud || scopes.includes("profile") ? user.name : null;
  return scopes.includes("email") ? { id, email, emailVerified, name } : { id, name };
}

/** POST /auth/logout */
export function logoutHandler(logout: Logout) {
  return async (request: HttpRequest, bearer: Bearer) => {
    await logout.end(bearer, await request.optionalJson(logoutBody), clientInfoOf(request));
    return json({ success: true, message: "Signed out." });
  };
}

/** GET /.well-known/jwks.json */
export function keySetHandler(keys: SigningKeys) {
  return async (request: HttpRequest) => forEverybody(request, json(await keys.keySet()), keySetMaxAgeSeconds);
}
