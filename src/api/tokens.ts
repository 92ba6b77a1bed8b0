import { z } from "zod";
import type { Application } from "../applications/application.ts";
import { forEverybody, json } from "../http/answer.ts";
import { sourceOf, type HttpRequest } from "../http/request.ts";
import { isoTime, second } from "../lib/clock.ts";
import { invalidApiKey } from "../lib/errors.ts";
import { part, type Context } from "../runtime/context.ts";
import * as logout from "../sessions/logout.ts";
import * as tokens from "../sessions/token-pairs.ts";
import type { Bearer } from "../tokens/authentication.ts";
import * as claimSources from "../tokens/claim-sources.ts";
import * as signingKeys from "../tokens/signing-keys.ts";
import { keySetMaxAgeSeconds } from "../tokens/signing-keys.ts";

export const refreshBody = z.strictObject({ refreshToken: z.string("required, a string") });

export const logoutBody = z.strictObject({
  refreshToken: z.string("must be a string").optional(),
  allSessions: z.boolean("must be a boolean").optional(),
});

/** POST /auth/refresh */
export async function refreshHandler(
  ctx: Context,
  request: HttpRequest,
  { application, withoutApiKey }: { application: Application; withoutApiKey: boolean },
) {
  const body = await request.json(refreshBody).catch((error: unknown) => {
    throw withoutApiKey ? invalidApiKey() : error;
  });
  return json(await tokens.refresh(ctx, { ...body, application, withoutApiKey, source: sourceOf(request) }));
}

/** When tokens expire, as text. A cached token's claims are the same object every time. */
const expiries = part(() => new WeakMap<Bearer["claims"], string>());

/** GET /auth/validate. `claims`: the application's own, as they are now. */
export function validateHandler(ctx: Context, _request: HttpRequest, bearer: Bearer) {
  const { claims, scopes } = bearer;
  const expiresAt = expiries(ctx).get(claims) ?? isoTime(claims.exp * second);
  expiries(ctx).set(claims, expiresAt);
  const act = claims.act ? { act: claims.act } : {};
  const answer = { valid: true, user: userOf(bearer), scopes, expiresAt, ...clientOf(bearer), ...act };
  const own = claimSources.current(ctx, bearer);
  return own ? own.then((found) => json({ ...answer, ...(found && { claims: found }) })) : json(answer);
}

/**
 * GET /auth/verify-token: the answer for an invalid token is always the same bytes (RFC 7662 §2.2).
 */
export function verifyTokenHandler(_ctx: Context, _request: HttpRequest, bearer: Bearer | undefined) {
  return json(bearer ? { valid: true, user: userOf(bearer), ...clientOf(bearer) } : { valid: false });
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
export async function logoutHandler(ctx: Context, request: HttpRequest, bearer: Bearer) {
  await logout.end(ctx, bearer, await request.optionalJson(logoutBody), sourceOf(request));
  return json({ success: true, message: "Signed out." });
}

/** GET /.well-known/jwks.json */
export async function keySetHandler(ctx: Context, request: HttpRequest) {
  return forEverybody(request, json(await signingKeys.keySet(ctx)), keySetMaxAgeSeconds);
}
