/** Authorization requests that clients send before the browser (RFC 9126). */
import type { AuthenticatedClient } from "../applications/clients/authentication.ts";
import * as clients from "../applications/clients/service.ts";
import { countWaiting } from "../applications/clients/waiting.ts";
import { second } from "../lib/clock.ts";
import { oauthError } from "../lib/errors.ts";
import { digestOf, newSecret } from "../lib/random.ts";
import type { Context } from "../runtime/context.ts";
import {
  authorizationParameters,
  authorizationRequest,
  parameterNames,
  resourceAsked,
} from "./authorization-request.ts";
import { findPushedRequest, insertPushedRequest, sweepPushedRequests } from "./pushed-requests-store.ts";

const prefix = "urn:ietf:params:oauth:request_uri:";
const lastsSeconds = 60;

/**
 * Stores a checked request for 60 seconds and one sign-in. `proofKey`: of the call's DPoP proof,
 * which binds the code like `dpop_jkt`. Throws INVALID_REQUEST, RATE_LIMITED.
 */
export async function push(
  ctx: Context,
  { client, application, method }: AuthenticatedClient,
  form: { get(name: string): string | undefined },
  proofKey: string | null,
): Promise<{ request_uri: string; expires_in: number }> {
  const bound = proofKey ?? form.get("dpop_jkt");
  if ((form.get("dpop_jkt") ?? bound) !== bound)
    throw oauthError("invalid_request", "dpop_jkt: not the key of the DPoP proof");
  const pairs = parameterNames.flatMap((name): [string, string][] => {
    const value = name === "dpop_jkt" ? bound : form.get(name);
    return value === undefined || name === "client_id" ? [] : [[name, value]];
  });
  const redirectUri = form.get("redirect_uri");
  if (redirectUri === undefined || !clients.allowsRedirect(client, redirectUri))
    throw oauthError("invalid_request", "redirect_uri: not registered for this client");
  const parameters = authorizationParameters(pairs);
  const resource = await resourceAsked(ctx.storage.reader, parameters, client);
  const checked = authorizationRequest(parameters, { client, application, redirectUri, resource });
  // RFC 9126 §2.1: a pushed request never refers to another one.
  if ("error" in checked)
    throw oauthError(
      checked.error === "request_uri_not_supported" ? "invalid_request" : checked.error,
      checked.description,
    );
  if (method === "none" || client.document !== undefined)
    await countWaiting(ctx, "pushed request", { appId: application.id, clientId: client.id });
  const secret = newSecret(ctx.random);
  await ctx.storage.write((tx) =>
    insertPushedRequest(tx, {
      digest: digestOf(secret),
      appId: application.id,
      clientId: client.id,
      parameters: Object.fromEntries(pairs),
      expiresAt: ctx.clock() + lastsSeconds * second,
    }),
  );
  return { request_uri: `${prefix}${secret}`, expires_in: lastsSeconds };
}

/** Whether a `request_uri` has the form of those that `push` returns. */
export function isOurs(requestUri: string): boolean {
  return requestUri.startsWith(prefix);
}

/**
 * This client's request; undefined if unknown, ended or expired. A page may be reloaded, so a visit
 * does not consume it.
 */
export async function find(
  ctx: Context,
  requestUri: string,
  clientId: string,
): Promise<{ digest: string; appId: string; pairs: [name: string, value: string][] } | undefined> {
  const digest = digestOf(requestUri.slice(prefix.length));
  const row = await findPushedRequest(ctx.storage.reader, { digest, clientId }, ctx.clock());
  return row && { digest, appId: row.appId, pairs: Object.entries(row.parameters) };
}

/** Removes a batch of expired rows; true if more may be left. */
export async function sweep(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  return await ctx.storage.write((tx) => sweepPushedRequests(tx, now));
}
