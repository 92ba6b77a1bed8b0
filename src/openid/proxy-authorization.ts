/** The authorization request of a proxy client: only our own start makes one. */
import type { UsableClient } from "../applications/clients/client.ts";
import { callbackOf } from "../applications/clients/host-addresses.ts";
import { isInTime, openState, type StartState } from "../sign-in/proxy/start-state.ts";
import type { Context } from "../runtime/context.ts";
import type { AuthorizationParameters, AuthorizationRequest } from "./authorization-request.ts";

/**
 * The request, or (`late`) the start of one that took too long. Undefined if our start did not make
 * it for this client and host.
 */
export function proxyAuthorization(
  ctx: Context,
  parameters: AuthorizationParameters,
  { client, redirectUri }: Pick<UsableClient, "client"> & { redirectUri: string },
): AuthorizationRequest | { late: StartState } | undefined {
  const state = parameters.get("state") ?? "";
  const start = openState(ctx, state);
  if (parameters.isRepeated || start?.clientId !== client.id || callbackOf(start.host) !== redirectUri)
    return undefined;
  if (!isInTime(ctx, start)) return { late: start };
  return {
    redirectUri,
    authMethod: null,
    accountUserId: null,
    acr: null,
    state,
    // Its login gets no tokens.
    scopes: [],
    codeChallenge: null,
    loginHint: null,
    locale: null,
    isSilent: false,
    idTokenHint: null,
    organization: null,
    authorization: {
      clientId: client.id,
      responseMode: "query",
      nonce: null,
      prompt: start.asksAgain ? ["select_account"] : [],
      maxAge: null,
      claims: null,
    },
  };
}
