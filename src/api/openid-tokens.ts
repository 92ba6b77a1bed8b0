import { json, type Answer } from "../http/answer.ts";
import { sourceOf, type HttpRequest } from "../http/request.ts";
import { oauthError } from "../lib/errors.ts";
import type { ClientCaller } from "../openid/client-guard.ts";
import * as tokenGrants from "../openid/token-grants.ts";
import * as tokenState from "../openid/token-state.ts";
import { userInfo } from "../openid/userinfo.ts";
import type { Context } from "../runtime/context.ts";
import type { Bearer } from "../tokens/authentication.ts";

/** POST /oauth2/token */
export async function tokenHandler(ctx: Context, request: HttpRequest, caller: ClientCaller): Promise<Answer> {
  const answer = json(await tokenGrants.grant(ctx, caller, sourceOf(request)));
  // RFC 6749 §5.1.
  return { ...answer, headers: { ...answer.headers, pragma: "no-cache" } };
}

/** GET and POST /oauth2/userinfo */
export async function userInfoHandler(ctx: Context, _request: HttpRequest, bearer: Bearer): Promise<Answer> {
  return json(await userInfo(ctx, bearer));
}

/** POST /oauth2/introspect */
export async function introspectHandler(ctx: Context, _request: HttpRequest, caller: ClientCaller): Promise<Answer> {
  return json(await tokenState.introspect(ctx, tokenIn(caller), caller));
}

/** POST /oauth2/revoke */
export async function revokeHandler(ctx: Context, request: HttpRequest, caller: ClientCaller): Promise<Answer> {
  await tokenState.revoke(ctx, tokenIn(caller), caller, sourceOf(request));
  return json({});
}

function tokenIn({ form }: ClientCaller): string {
  const token = form.get("token");
  if (token === undefined) throw oauthError("invalid_request", "token: required");
  return token;
}
