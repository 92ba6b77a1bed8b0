/** Access tokens that machines get for themselves (RFC 6749 §4.4). */
import type { Application } from "../applications/application.ts";
import type { Client } from "../applications/clients/client.ts";
import * as machineCredentials from "../applications/clients/machine-credentials.ts";
import * as clients from "../applications/clients/service.ts";
import { scopesFor, type Resource } from "../applications/resources/resource.ts";
import * as resources from "../applications/resources/service.ts";
import { second } from "../lib/clock.ts";
import { invalidClient, oauthError } from "../lib/errors.ts";
import { isUsable } from "../organizations/gate.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import * as accessTokens from "./access-tokens.ts";
import { newTokenId, type ResourceTokenClaims } from "./access-tokens.ts";
import * as claimSources from "./claim-sources.ts";

/**
 * `credential`: the id of the presented secret or trust, or the thumbprint of the key. `proofKey`:
 * the key that the token is bound to, if any.
 */
export type MachineCall = {
  client: Pick<Client, "id">;
  credential: string | null;
  resource: string | undefined;
  scope: string | undefined;
  proofKey: string | null;
};

export const machinesOnly = "grant_type: client_credentials is for clients of kind machine";

/** `accessToken`: null for a dry run. */
export type MachineToken = { accessToken: string | null; expiresIn: number; scopes: string[]; resource: string };

/** Without any: those that the client lists. Throws INVALID_REQUEST for more. */
function grantedScopes(resource: Resource, client: Client, asked: string | undefined): string[] {
  const allowed = scopesFor(resource, client);
  if (asked === undefined) return allowed;
  const scopes = [...new Set(asked.split(" ").filter((scope) => scope !== ""))];
  if (scopes.length === 0 || !scopes.every((scope) => allowed.includes(scope)))
    throw oauthError("invalid_scope", "scope: not among those of this client at the resource");
  return scopes;
}

/**
 * A token for one resource. In the transaction the client is locked and its credential is checked
 * again, so whatever ends them now is in the feed after it. Throws INVALID_CLIENT, INVALID_REQUEST
 * with the error of RFC 6749 §5.2 or RFC 8707 §2.
 */
export async function issue(
  ctx: Context,
  call: MachineCall,
  by: By,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<MachineToken> {
  const now = ctx.clock();
  const granted = await ctx.storage.write(async (tx) => {
    const registration = await clients.lock(ctx, tx, call.client);
    const { credential, proofKey } = call;
    if (!registration) throw invalidClient("it was disabled or deleted");
    const { client, application } = registration;
    if (client.kind !== "machine") throw oauthError("unauthorized_client", machinesOnly);
    if (credential === null || !(await machineCredentials.isLive(tx, client, credential, now)))
      throw invalidClient("its secret has ended");
    const resource = await resources.askedByMachine(ctx, tx, client, call.resource ?? "");
    if (!resource) throw oauthError("invalid_target", "resource: required, one that this client may ask for");
    if (!(await isUsable(tx, application, client.organizationId)))
      throw oauthError("unauthorized_client", "its organization was disabled or deleted");
    const scopes = grantedScopes(resource, client, call.scope);
    const id = newTokenId(ctx.random);
    if (!dryRun) {
      const details = { clientId: client.id, credential, resource: resource.identifier, scope: scopes.join(" ") };
      const organizationId = client.organizationId ?? undefined;
      const about = { appId: application.id, organizationId };
      const event = { ...by, action: "machine.token", result: "success", ...about } as const;
      await audit.record(ctx, tx, { ...event, details }, now);
    }
    return { client, application, credential, resource, scopes, proofKey, id };
  });
  const { application, resource, scopes } = granted;
  const accessToken = dryRun ? null : await accessTokens.sign(ctx, claimsOf(ctx, granted, now), application.settings);
  return { accessToken, expiresIn: resource.accessTokenSeconds, scopes, resource: resource.identifier };
}

type Granted = {
  client: Client;
  application: Application;
  credential: string;
  resource: Resource;
  scopes: string[];
  proofKey: string | null;
  id: string;
};

function claimsOf(
  { baseUrl }: Context,
  { client, application, credential, resource, scopes, proofKey, id }: Granted,
  now: number,
): ResourceTokenClaims {
  const issuedAt = Math.floor(now / second);
  return {
    ...claimSources.constants(application),
    iss: baseUrl,
    sub: client.id,
    aud: [resource.identifier],
    app_id: application.id,
    client_id: client.id,
    credential_id: credential,
    iat: issuedAt,
    exp: issuedAt + resource.accessTokenSeconds,
    jti: id,
    scope: scopes.join(" "),
    ...(client.organizationId === null ? {} : { org_id: client.organizationId }),
    ...(proofKey === null ? {} : { cnf: { jkt: proofKey } }),
  };
}
