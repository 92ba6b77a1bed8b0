/** Whether a set-up link works: it ends with its maker's right. */
import type { Handle } from "../../storage/storage.ts";
import { findMembership } from "../membership-store.ts";
import { organizationNotFound, type Organization } from "../organization.ts";
import { rankOfRoles } from "../rights.ts";
import { findOrganization } from "../store.ts";
import { findSetupLink, type SetupLink } from "./setup-link-store.ts";

/** A link that works, and its organization. */
export type OpenLink = { link: SetupLink; organization: Organization };

/** Undefined: it does not work, or no longer. */
export async function findWorking(
  handle: Handle,
  which: Parameters<typeof findSetupLink>[1],
  now: number,
): Promise<OpenLink | undefined> {
  const link = await findSetupLink(handle, which);
  if (!link || link.endedAt !== null || link.expiresAt <= now) return undefined;
  const { organizationId, makerId } = link;
  const organization = await findOrganization(handle, organizationId);
  if (!organization || organization.deletedAt !== null || organization.disabledAt !== null) return undefined;
  const maker = makerId === null ? undefined : await findMembership(handle, { organizationId, userId: makerId });
  const mayStill = makerId === null || (maker !== undefined && rankOfRoles(maker.roles) === "owner");
  return mayStill ? { link, organization } : undefined;
}

/** With the organization locked, before the link adds something. Throws ORGANIZATION_NOT_FOUND. */
export async function requireWorking(tx: Handle, id: string, now: number): Promise<void> {
  if (!(await findWorking(tx, { id }, now))) throw organizationNotFound();
}
