import * as clients from "../applications/clients/service.ts";
import * as recentApplications from "../applications/recent.ts";
import { countedAsUser } from "../http/guards.ts";
import type { HttpRequest } from "../http/request.ts";
import type { Guard } from "../http/route.ts";
import { AppError, insufficientScope, oauthError, withoutCredential } from "../lib/errors.ts";
import { confinedClaim, namedOrganizationClaims } from "../organizations/claims.ts";
import type { Context } from "../runtime/context.ts";
import { findLogin } from "../sessions/login-store.ts";
import * as authentication from "../tokens/authentication.ts";
import type { Bearer, Presented } from "../tokens/authentication.ts";
import * as claimSources from "../tokens/claim-sources.ts";
import * as users from "../users/service.ts";
import { requestable, userClaims, withRequestedGroups } from "./user-claims.ts";

/**
 * A signed-in user whose token has the scope `openid`. Throws INVALID_TOKEN, INSUFFICIENT_SCOPE,
 * and INVALID_REQUEST for a token in two places.
 */
export const userWithOpenId: Guard<Bearer> = {
  access: "userWithOpenId",
  async admit(ctx, request) {
    const bearer = await authentication.authenticate(ctx, await tokenOf(request), undefined, { takesConfined: true });
    return {
      caller: bearer,
      countedAs: countedAsUser(bearer),
      limits: await recentApplications.rateLimits(ctx, bearer.claims.aud),
      refusal: bearer.scopes.includes("openid") ? undefined : insufficientScope("openid"),
    };
  },
};

/** RFC 6750 §2.1 and §2.2. A token in the query is not read. */
async function tokenOf(request: HttpRequest): Promise<Presented> {
  const hasForm = request.method === "POST" && request.header("content-type") !== undefined;
  const inForm = hasForm ? (await request.form()).get("access_token") : undefined;
  const inHeader = request.header("authorization") === undefined ? undefined : authentication.presentedIn(request);
  if (inForm !== undefined && inHeader !== undefined) throw oauthError("invalid_request", "access_token: given twice");
  if (inHeader) return inHeader;
  if (inForm !== undefined) return { token: inForm, proving: null };
  throw new AppError("INVALID_TOKEN", "The access token is missing or not valid.", { cause: withoutCredential });
}

/** The answer of the userinfo endpoint (OpenID Connect Core 1.0 §5.3). */
export async function userInfo(
  ctx: Context,
  { claims, scopes, user: { id }, membership, isConfined }: Bearer,
): Promise<Record<string, unknown>> {
  const [user, login] = await Promise.all([
    users.find(ctx.storage.reader, id),
    findLogin(ctx.storage.reader, claims.sid),
  ]);
  const registration = login && (await clients.find(ctx, ctx.storage.reader, login.clientId ?? login.appId));
  // A disabled client can do nothing, not even with its existing tokens.
  if (!user || !registration) throw new AppError("INVALID_TOKEN", "The access token is missing or not valid.");
  const requested = login.claimsRequest?.userinfo ?? {};
  const allowed = requestable(registration.client, registration.application, login);
  const own = await claimSources.forAnswer(ctx, "userinfo", {
    ...registration,
    scopes: withRequestedGroups(scopes, requested, allowed),
    userId: id,
    isConfined,
  });
  const known = userClaims(ctx, user, { scopes, requested, allowed, isConfined: isConfined === true }, own);
  return { sub: id, ...known, ...namedOrganizationClaims(membership), ...confinedClaim(isConfined) };
}
