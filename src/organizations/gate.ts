/** Whether a person may use an organization now: for sign-in, redemption, refresh and exchange. */
import type { Application } from "../applications/application.ts";
import { organizationScope, type Client } from "../applications/clients/client.ts";
import * as consents from "../applications/clients/consents.ts";
import { acrValues, isEnough, type Proven } from "../factors/assurance.ts";
import type { Handle } from "../storage/storage.ts";
import { findMembership, type Membership } from "./membership-store.ts";
import { findNamed } from "./store.ts";

/** The word for no organization. No slug is like it. */
export const noOrganization = "none";

/** What a person lacks for an organization. `organization`: the application requires one. */
export type Missing = "membership" | "second-factor" | "consent" | "organization";

/** The same, for the `details` of an error. */
export const missingWords: Record<Missing, string> = {
  membership: "organization: not one that this person may use",
  "second-factor": `acr: ${acrValues[1]}, because the organization requires a second factor`,
  consent: "organization: the person has not agreed that this client acts in it",
  organization: "organization: required by the application",
};

/** The client that asks; undefined: the application itself. */
type Asking = Pick<Client, "id" | "consent" | "document"> | undefined;

export function hasOrganizations({ settings }: Pick<Application, "settings">): boolean {
  return settings.organizations !== undefined && settings.organizations !== "off";
}

/** Whether tokens of these scopes name an organization. */
export function namesOrganizations(
  application: Pick<Application, "settings">,
  client: Pick<Client, "consent"> | undefined,
  scopes: readonly string[],
): boolean {
  return hasOrganizations(application) && (client?.consent !== "ask" || scopes.includes(organizationScope));
}

/** How a consent names an organization. */
export function consentEntry(organizationId: string): string {
  return `${organizationScope}:${organizationId}`;
}

export function requiresFactor(membership: Membership | undefined): boolean {
  return membership?.secondFactor === "required";
}

/** The id that a request names itself, or by a slug; undefined for an unknown slug. */
export async function idOf(handle: Handle, application: Application, named: string): Promise<string | undefined> {
  return /^org_\w{1,60}$/u.test(named) ? named : (await findNamed(handle, application.id, named))?.id;
}

/** Whether a machine of this organization may have tokens; null: it has none. */
export async function isUsable(
  handle: Handle,
  application: Application,
  organizationId: string | null,
): Promise<boolean> {
  if (organizationId === null) return true;
  return (
    hasOrganizations(application) && (await findNamed(handle, application.id, organizationId))?.disabledAt === null
  );
}

/** The person's membership, or what is missing. `proven`: undefined if nobody authenticated. */
export async function enter(
  handle: Handle,
  of: { organizationId: string; appId: string; userId: string; client?: Asking; proven: Proven | undefined },
): Promise<Membership | Missing> {
  const { organizationId, appId, userId, client, proven } = of;
  const membership = await findMembership(handle, { organizationId, userId });
  if (membership?.appId !== appId) return "membership";
  const asked = { isRequired: true, hasFactor: false, takesTrust: true };
  if (proven && requiresFactor(membership) && !isEnough(proven, asked)) return "second-factor";
  const scopes = [consentEntry(organizationId)];
  if (client && (await consents.lacks(handle, { client, userId, scopes }))) return "consent";
  return membership;
}
