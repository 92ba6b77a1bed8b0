import { json, type Answer } from "../http/answer.ts";
import { clientInfoOf, type HttpRequest } from "../http/request.ts";
import { oauthError } from "../lib/errors.ts";
import type { Bearer } from "../tokens/authentication.ts";
import type { ClientCaller } from "./client-guard.ts";
import type { TokenGrants } from "./token-grants.ts";
import type { TokenState } from "./token-state.ts";

/** POST /oauth2/token */
export function tokenHandler(grants: TokenGrants) {
  return async (request: HttpRequest, caller: ClientCaller): Promise<Answer> => {
    const answer = json(await grants.grant(caller, clientInfoOf(request)));
    // RFC 6749 §5.1.
    return { ...answer, headers: { ...answer.headers, pragma: "no-cache" } };
  };
}

/** GET and POST /oauth2/userinfo */
export function userInfoHandler(userInfo: (bearer: Bearer) => Promise<Record<string, unknown>>) {
  return async (_request: HttpRequest, bearer: Bearer): Promise<Answer> => json(await userInfo(bearer));
}

/** POST /oauth2/introspect */
export function introspectHandler(tokenState: TokenState) {
  return async (_request: HttpRequest, caller: ClientCaller): Promise<Answer> =>
    json(await tokenState.introspect(tokenIn(caller), caller));
}

/** POST /oauth2/revoke */
export function revokeHandler(tokenState: TokenState) {
  return async (request: HttpRequest, caller: ClientCaller): Promise<Answer> => {
    await tokenState.revoke(tokenIn(caller), caller, clientInfoOf(request));
    return json({});
  };
}

function tokenIn({ form }: ClientCaller): string {
  const token = form.get("token");
  if (token === undefined) throw oauthError("invalid_request", "token: required");
  return token;
}
