/** Tokens for a resource (RFC 8707): of somebody's login, or of a machine for itself. */
import type { UsableClient } from "../applications/clients/client.ts";
import * as machineCredentials from "../applications/clients/machine-credentials.ts";
import * as clients from "../applications/clients/service.ts";
import { findResource } from "../applications/resources/store.ts";
import type { Context } from "../runtime/context.ts";
import { findLiveUser, findLogin } from "./login-store.ts";
import * as accessTokens from "../tokens/access-tokens.ts";
import type { ResourceTokenClaims } from "../tokens/access-tokens.ts";
import * as claimSources from "../tokens/claim-sources.ts";
import { listSigningKeyIds } from "../tokens/signing-key-store.ts";

/** `own`: the application's claims, as they are now. */
export type ResourceToken = { claims: ResourceTokenClaims; own: Record<string, unknown> };

type Checked = { own: Record<string, unknown> } | { reason: string };

/** Why what the token rests on makes it invalid; the application's claims of now if it does not. */
async function checked(ctx: Context, claims: ResourceTokenClaims, kid: string): Promise<Checked> {
  const { reader } = ctx.storage;
  const resource = await findResource(reader, claims.aud[0]);
  if (resource?.appId !== claims.app_id) return { reason: "its resource was deleted" };
  const registration = await clients.find(ctx, reader, claims.client_id, { resource: claims.aud[0] });
  if (registration?.application.id !== claims.app_id) return { reason: "its client was disabled or deleted" };
  return claims.sid === undefined
    ? await checkedMachine(ctx, registration, claims.credential_id, kid)
    : await checkedLogin(ctx, registration, { userId: claims.sub, loginId: claims.sid, kid });
}

async function checkedMachine(
  ctx: Context,
  { client, application }: UsableClient,
  credential: string,
  kid: string,
): Promise<Checked> {
  const { reader } = ctx.storage;
  if (!(await machineCredentials.isLive(reader, client, credential, ctx.clock())))
    return { reason: "the secret or key that got it has ended" };
  // The process may not know yet that another one withdrew the key.
  if (!(await listSigningKeyIds(reader)).includes(kid)) return { reason: "its signing key was withdrawn" };
  return { own: claimSources.constants(application) };
}

async function checkedLogin(
  ctx: Context,
  { client, application }: UsableClient,
  { userId, loginId, kid }: { userId: string; loginId: string; kid: string },
): Promise<Checked> {
  const { reader } = ctx.storage;
  const user = await findLiveUser(reader, { loginId, kid, now: ctx.clock() });
  const login = user?.id === userId ? await findLogin(reader, loginId) : undefined;
  if (!login) return { reason: "its login has ended or its key was withdrawn" };
  return { own: await claimSources.forAnswer(ctx, "access", { application, client, scopes: login.scopes, userId }) };
}

/** A token for a resource that is valid now; `reason` otherwise. */
export async function verify(ctx: Context, token: string): Promise<ResourceToken | { reason: string }> {
  const verdict = await accessTokens.verifyAny(ctx, token);
  if ("reason" in verdict) return verdict;
  const { claims, kid } = verdict;
  if (!accessTokens.isForResource(claims)) return { reason: "it is not for a resource (aud)" };
  const result = await checked(ctx, claims, kid);
  return "reason" in result ? result : { claims, own: result.own };
}
