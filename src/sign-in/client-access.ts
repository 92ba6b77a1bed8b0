/** Whether a user may sign in to the OpenID Connect client of a session, and must agree first. */
import type { Client, UsableClient } from "../applications/clients/client.ts";
import * as consents from "../applications/clients/consents.ts";
import * as clients from "../applications/clients/service.ts";
import { allowedScopes, type Resource } from "../applications/resources/resource.ts";
import * as resources from "../applications/resources/service.ts";
import { sealAccount } from "./proxy/start-state.ts";
import { aggregatedEvents } from "../records/audit/aggregated-events.ts";
import type { Context } from "../runtime/context.ts";
import type { SignInMethod } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import * as groups from "../users/groups/service.ts";
import type { User } from "../users/user.ts";
import { authorizationResponse, type AuthorizationResponse } from "./authorization-response.ts";
import { consentTo, type SignInSession } from "./session.ts";
import type { SignInAttempt } from "./sign-in-attempt.ts";

/** The client that began a session; undefined if none did, or it is disabled or deleted. */
export async function registrationOf(
  ctx: Context,
  handle: Handle,
  { authorization, redirectUri }: SignInSession,
): Promise<UsableClient | undefined> {
  if (authorization === null) return undefined;
  return await clients.find(ctx, handle, authorization.clientId, { ...authorization, redirectUri });
}

export async function clientOf(ctx: Context, handle: Handle, session: SignInSession): Promise<Client | undefined> {
  return (await registrationOf(ctx, handle, session))?.client;
}

/**
 * The scopes and resource of the request that the session's client may still have; `resource` null:
 * none was requested. Undefined if it may no longer request the resource.
 */
export async function granted(
  handle: Handle,
  { scopes: asked, authorization, createdAt }: Pick<SignInSession, "scopes" | "authorization" | "createdAt">,
  { client, application }: UsableClient,
): Promise<{ resource: Resource | null; scopes: string[] } | undefined> {
  const identifier = authorization?.resource;
  const resource = identifier === undefined ? null : await resources.askedBy(handle, client, identifier, createdAt);
  if (resource === undefined) return undefined;
  const allowed = allowedScopes(client, application, resource);
  return { resource, scopes: asked.filter((scope) => allowed.includes(scope)) };
}

/** The resource of the request; undefined: none, or none that the client may ask for. */
export async function resourceOf(
  handle: Handle,
  { authorization, createdAt }: Pick<SignInSession, "authorization" | "createdAt">,
  client: Client | undefined,
): Promise<Resource | undefined> {
  const identifier = authorization?.resource;
  return client && identifier !== undefined
    ? await resources.askedBy(handle, client, identifier, createdAt)
    : undefined;
}

/** Whether the client's allowed groups admit the user. */
export async function admits(tx: Handle, client: Client | undefined, userId: string): Promise<boolean> {
  return client === undefined || (await groups.admits(tx, client, userId));
}

/** Whether the person must first consent to the client's request. */
export async function asksConsent(
  tx: Handle,
  session: SignInSession,
  client: Client | undefined,
  userId: string,
): Promise<boolean> {
  const { device, prompt = [] } = session.authorization ?? {};
  // A device is never let in by itself (docs/decisions/0059).
  if (device !== undefined || prompt.includes("consent")) return true;
  // Any program on a person's computer can say that it is this one (RFC 8252 §8.6).
  if (client?.document !== undefined && !session.redirectUri.startsWith("https:")) return true;
  return client !== undefined && (await consents.lacks(tx, { client, userId, scopes: consentTo(session) }));
}

/** To our own page, in a sign-in that approves a device. */
export const accountNotAdmitted = "account_not_admitted";

/**
 * The answer to a client whose allowed groups do not admit the user, or to a request for an
 * organization that they may not use.
 */
export function denial(
  ctx: Context,
  { session, sessionId }: Pick<SignInAttempt, "session" | "sessionId">,
  { description = "This account may not use this program.", user }: { description?: string; user?: User } = {},
): { response: AuthorizationResponse; usedWay: null } {
  const error = session.authorization?.device === undefined ? "access_denied" : accountNotAdmitted;
  const account = user && sealAccount(ctx, session, user.email ?? user.name ?? user.id);
  const parameters = { error, error_description: description, ...(account === undefined ? {} : { account }) };
  return {
    response: authorizationResponse(session, parameters, { issuer: ctx.baseUrl, sessionId }),
    usedWay: null,
  };
}

/** The answer to an app or client that asks for more than the user can prove. */
export function unmet(
  ctx: Context,
  { session, sessionId }: Pick<SignInAttempt, "session" | "sessionId">,
): { response: AuthorizationResponse; usedWay: null } {
  const parameters = {
    error: "unmet_authentication_requirements",
    error_description: "This account cannot sign in as strongly as this program asks.",
  };
  return {
    response: authorizationResponse(session, parameters, { issuer: ctx.baseUrl, sessionId }),
    usedWay: null,
  };
}

/** Counts a denial in the audit log. Call it outside the transaction, which was rolled back. */
export function noteDenial(
  ctx: Context,
  { application, source }: SignInAttempt,
  { userId, method, reason }: { userId: string; method: SignInMethod; reason: "groups" | "organization" },
): void {
  const refused = { action: "sign-in", result: "failure", details: { method, reason } } as const;
  aggregatedEvents(ctx).note({ ...refused, app: application, userId, source });
}
