import type { GoodPersonalToken } from "../credentials/personal/service.ts";
import { acrValues } from "../factors/assurance.ts";
import { second } from "../lib/clock.ts";
import type { Context } from "../runtime/context.ts";
import type { AccessTokenClaims, ResourceTokenClaims } from "./access-tokens.ts";

/**
 * The claims of a personal access token, as if it were an access token of its application. It has
 * no login: its own id stands for one. One factor at most, however it was made.
 */
export function claimsOfPersonal(
  ctx: Context,
  { token, scopes }: GoodPersonalToken,
): AccessTokenClaims | ResourceTokenClaims {
  const { id, appId, userId, resource, createdAt, expiresAt } = token;
  const common = {
    iss: ctx.baseUrl,
    sub: userId,
    user_id: userId,
    app_id: appId,
    client_id: appId,
    iat: Math.floor(createdAt / second),
    exp: Math.floor(expiresAt / second),
    jti: id,
    sid: id,
    scope: scopes.join(" "),
    acr: acrValues[0],
    amr: [],
  };
  return resource === null ? { ...common, aud: appId } : { ...common, aud: [resource] };
}
