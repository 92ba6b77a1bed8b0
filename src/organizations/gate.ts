/** Whether a person may use an organization now: for sign-in, redemption, refresh and exchange. */
import { hasOrganizations, type Application } from "../applications/application.ts";
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
async function idOf(handle: Handle, application: Application, named: string): Promise<string | undefined> {
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

/**
 * The membership that new tokens name, or what is missing; undefined: they name none. `wanted`: an
 * id, a slug or `none`. `scopes`: of the tokens. `proven`: undefined if nobody authenticated.
 */
export async function enter(
  handle: Handle,
  of: {
    wanted: string;
    application: Application;
    client: Asking;
    scopes: readonly string[];
    userId: string;
    proven: Proven | undefined;
  },
): Promise<Membership | Missing | undefined> {
  const { wanted, application, client, scopes, userId, proven } = of;
  // Turned off: nothing acts in an organization any more.
  if (!hasOrganizations(application)) return undefined;
  if (wanted === noOrganization) return application.settings.organizations === "required" ? "organization" : undefined;
  if (!namesOrganizations(application, client, scopes)) return "consent";
  const organizationId = await idOf(handle, application, wanted);
  const membership = organizationId && (await findMembership(handle, { organizationId, userId }));
  if (!membership || membership.appId !== application.id) return "membership";
  const asked = { isRequired: true, hasFactor: false, takesTrust: true };
  if (proven && requiresFactor(membership) && !isEnough(proven, asked)) return "second-factor";
  const entries = [consentEntry(membership.organizationId)];
  if (client && (await consents.lacks(handle, { client, userId, scopes: entries }))) return "consent";
  return membership;
}
