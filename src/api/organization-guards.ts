/** Who may call below an organization, and on whose behalf (docs/decisions/0093). */
import { hasOrganizations } from "../applications/application.ts";
import type { Guard } from "../http/route.ts";
import { refuseUnknownParameters } from "../http/query.ts";
import { sourceOf, type HttpRequest } from "../http/request.ts";
import { AppError, invalidAppId, invalidRequest } from "../lib/errors.ts";
import { isId } from "../lib/names.ts";
import * as organizations from "../organizations/service.ts";
import { organizationNotFound, type Acting, type Organization } from "../organizations/organization.ts";
import { rankOf, type Rank } from "../organizations/rights.ts";
import type { Context } from "../runtime/context.ts";
import { admitManager, managerOfPath, type Managed } from "./management-guards.ts";

/** An organization of the caller's application: the row itself, so that no handler reads an id. */
export type OfOrganization = { application: Managed; organization: Organization; acting: Acting; rank: Rank };

/** A manager of an application whose organizations are on. */
export const organizationsOfPath: Guard<Managed> = {
  access: "managerOfItsApp",
  async admit(ctx, request) {
    const admitted = await managerOfPath.admit(ctx, request);
    return { ...admitted, refusal: admitted.refusal ?? whyOff(admitted.caller) };
  },
};

/**
 * The same, below an organization. `?by=` names a member, whose rights decide: an id is no proof,
 * so they are at most those of an admin.
 */
export const organizationOfPath: Guard<OfOrganization> = {
  access: "managerOfItsApp",
  async admit(ctx, request) {
    const admitted = await admitManager(ctx, request);
    if (request.parameter("appId") !== admitted.caller.id) throw invalidAppId();
    const caller = { application: admitted.caller } as OfOrganization;
    const refusal = admitted.refusal ?? whyOff(admitted.caller);
    if (refusal) return { ...admitted, caller, refusal };
    try {
      return { ...admitted, caller: await organizationOf(ctx, request, admitted.caller) };
    } catch (error) {
      // Thrown after the call was counted.
      if (error instanceof AppError) return { ...admitted, caller, refusal: error };
      throw error;
    }
  },
};

function whyOff(application: Managed): AppError | undefined {
  return !hasOrganizations(application) ? organizations.areOff() : undefined;
}

async function organizationOf(ctx: Context, request: HttpRequest, application: Managed): Promise<OfOrganization> {
  // A misspelled `by` must not mean the server.
  refuseUnknownParameters(request.query(), ["by", "limit", "cursor"]);
  const by = request.query().get("by");
  if (by !== undefined && !isId(by)) throw invalidRequest("by", "the id of a member");
  const { reader } = ctx.storage;
  const organization = await namedInPath(ctx, request, application.id);
  const acting: Acting = {
    actor: application.actor,
    source: sourceOf(request),
    ...(by !== undefined && { member: { userId: by, throughServer: true } }),
  };
  return { application, organization, acting, rank: await rankOf(reader, organization, acting) };
}

/** The only reader of the path's id. Throws ORGANIZATION_NOT_FOUND. */
export async function namedInPath(ctx: Context, request: HttpRequest, appId: string): Promise<Organization> {
  const organization = await organizations.find(ctx.storage.reader, appId, request.parameter("orgId"));
  if (!organization) throw organizationNotFound();
  return organization;
}
