/** Organizations that sign their people in themselves, by an address's domain or by their id. */
import { hasOrganizations, type Application } from "../../applications/application.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import { domainOf } from "../domains/name.ts";
import { findDomain, findProved, listDomains } from "../domains/store.ts";
import type { Domain } from "../domains/rules.ts";
import type { Organization } from "../organization.ts";
import { findOrganization } from "../store.ts";
import { findProvider } from "./provider-store.ts";
import type { OrganizationProvider } from "./provider.ts";

/** `domain`: one that it proved; undefined: it has none any more, and only known people come in. */
export type Company = {
  organization: Pick<Organization, "id" | "name">;
  domain: string | undefined;
  provider: OrganizationProvider;
};

export function hasCompanySignIn(application: Pick<Application, "settings">): boolean {
  return hasOrganizations(application) && application.settings.companySignIn === "on";
}

/** The company of an address: its domain alone decides, not who has it. */
export async function byAddress(
  ctx: Context,
  handle: Handle,
  application: Pick<Application, "id" | "settings">,
  email: string,
): Promise<Company | undefined> {
  if (!hasCompanySignIn(application)) return undefined;
  const found = await findProved(handle, { appId: application.id, domain: domainOf(email) });
  if (!found || !speaksFor(ctx, found)) return undefined;
  const provider = await findProvider(handle, found.organizationId);
  return provider && { organization: { id: found.organizationId, name: found.name }, domain: found.domain, provider };
}

export async function byId(
  ctx: Context,
  handle: Handle,
  application: Pick<Application, "id" | "settings">,
  organizationId: string,
): Promise<Company | undefined> {
  if (!hasCompanySignIn(application)) return undefined;
  const organization = await findOrganization(handle, organizationId);
  if (organization?.appId !== application.id || organization.disabledAt !== null || organization.deletedAt !== null)
    return undefined;
  const provider = await findProvider(handle, organizationId);
  if (!provider) return undefined;
  const proved = (await listDomains(handle, organizationId)).find((domain) => speaksFor(ctx, domain));
  return { organization, domain: proved?.domain, provider };
}

/** Whether the organization's provider may speak for the address: not after the domain was lost. */
export async function maySpeakFor(
  ctx: Context,
  handle: Handle,
  organizationId: string,
  email: string,
): Promise<boolean> {
  const domain = await findDomain(handle, { organizationId, domain: domainOf(email) });
  return domain !== undefined && speaksFor(ctx, domain);
}

/** Not one that moved here lately, or that nobody with the right has confirmed. */
function speaksFor(ctx: Context, { state, worksAt, setupLinkId }: Domain): boolean {
  return state === "proved" && setupLinkId === null && (worksAt === null || worksAt <= ctx.clock());
}
