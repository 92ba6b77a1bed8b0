import { hasOrganizations, type Application } from "../applications/application.ts";
import { managementScope } from "../applications/resources/built-in.ts";
import { sourceOf, type HttpRequest } from "../http/request.ts";
import type { Caller, Guard } from "../http/route.ts";
import { expired, insufficientScope, invalidAppId, invalidRequest, type AppError } from "../lib/errors.ts";
import type { Actor, By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import * as resourceTokens from "../sessions/resource-tokens.ts";
import { claimedResource } from "../tokens/access-tokens.ts";
import { invalidAccessToken, presentedIn, type Presented } from "../tokens/authentication.ts";
import * as proofs from "../tokens/dpop/proofs.ts";
import { appIdOf, serverOfItsApp } from "./guards.ts";

/** An application, and who manages it: its server with an API key, or one of its machines. */
export type Managed = Application & { actor: Actor };

/** The actor of a management request, for the audit log. */
export function byManager(request: HttpRequest, { actor }: Managed): By {
  return { actor, source: sourceOf(request) };
}

/**
 * Who manages an application: its server, or a machine whose token has the scope `management` of
 * this service (docs/decisions/0058). Both are counted as the application.
 */
export const managerOfItsApp: Guard<Managed> = {
  access: "managerOfItsApp",
  async admit(ctx, request) {
    const admitted = await admitManager(ctx, request);
    return { ...admitted, refusal: admitted.refusal ?? whyBy(request, admitted.caller) };
  },
};

/** On behalf of a member is only what happens below an organization, never more by mistake. */
function whyBy(request: HttpRequest, application: Managed): AppError | undefined {
  return hasOrganizations(application) && request.query().has("by")
    ? invalidRequest("by", "only below an organization")
    : undefined;
}

/** Without a look at `?by=`. */
export async function admitManager(ctx: Context, request: HttpRequest): Promise<Caller<Managed>> {
  const presented = presentedIn(request);
  // Only for choosing the check: anything else must be an API key.
  if (claimedResource(presented.token) === ctx.baseUrl) return await asMachine(ctx, request, presented);
  const { caller, ...counted } = await serverOfItsApp.admit(ctx, request);
  return { ...counted, caller: { ...caller, actor: { kind: "app", name: caller.id } } };
}

/** The same, and the application is the one in the path. */
export const managerOfPath: Guard<Managed> = {
  access: "managerOfItsApp",
  async admit(ctx, request) {
    const admitted = await managerOfItsApp.admit(ctx, request);
    if (request.parameter("appId") !== admitted.caller.id) throw invalidAppId();
    return admitted;
  },
};

async function asMachine(ctx: Context, request: HttpRequest, { token, proving }: Presented): Promise<Caller<Managed>> {
  const verified = await resourceTokens.verify(ctx, token);
  if ("reason" in verified) throw invalidAccessToken(verified.expired ? expired : verified.reason);
  const { claims, registration } = verified;
  const { client, application } = registration;
  // A client that stops listing this service loses access at once, unlike with other resources.
  if (claims.sid !== undefined || client.kind !== "machine" || !client.resources.includes(ctx.baseUrl))
    throw invalidAccessToken("its client is not a machine that may manage the application");
  if (claims.cnf || proving) await proofs.requireProof(ctx, proving, token, claims);
  if ((appIdOf(request) ?? application.id) !== application.id) throw invalidAppId();
  const mayManage = [claims.scope.split(" "), client.resourceScopes ?? [managementScope]].every((scopes) =>
    scopes.includes(managementScope),
  );
  return {
    caller: { ...application, actor: { kind: "client", name: client.id } },
    countedAs: `app:${application.id}`,
    limits: application.settings.rateLimits,
    ...(mayManage ? {} : { refusal: insufficientScope(managementScope) }),
  };
}
