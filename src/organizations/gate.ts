/** Whether a person may use an organization now: for sign-in, redemption, refresh and exchange. */
import { hasOrganizations, type Application } from "../applications/application.ts";
import { organizationScope, type Client } from "../applications/clients/client.ts";
import * as consents from "../applications/clients/consents.ts";
import type { Resource } from "../applications/resources/resource.ts";
import { acrOf, acrValues, isEnough, type Proven } from "../factors/assurance.ts";
import type { Handle } from "../storage/storage.ts";
import { findMembership, type Membership } from "./membership-store.ts";
import { confinedTo, isConfined, liveProof, type WithProofs } from "./provider/provider.ts";
import { findNamed } from "./store.ts";

/** The word for no organization. No slug is like it. */
export const noOrganization = "none";

/**
 * What a person lacks for an organization. `organization`: the application requires one.
 * `provider`: a proof by the organization's own provider. `confined`: a proof of their own.
 */
export type Missing = "membership" | "second-factor" | "consent" | "organization" | "provider" | "confined";

/** The same, for the `details` of an error. */
export const missingWords: Record<Missing, string> = {
  membership: "organization: not one that this person may use",
  "second-factor": `acr: ${acrValues[1]}, because the organization requires a second factor`,
  consent: "organization: the person has not agreed that this client acts in it",
  organization: "organization: required by the application",
  provider: "organization: its people sign in by its own provider",
  confined: "organization: this login, by an organization's provider, is for that one only, and not for every program",
};

/** The client that asks; undefined: the application itself. */
type Asking = Pick<Client, "id" | "consent" | "document" | "companySignIn"> | undefined;

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

/**
 * Whether tokens may rest on the provider of an organization alone. Never those of other people's
 * programs: only a proof of their own lets a person consent (docs/decisions/0108).
 */
export function takesConfined(
  { settings }: Pick<Application, "settings">,
  client: Pick<Client, "consent" | "companySignIn"> | undefined,
  resource?: Pick<Resource, "companySignIn"> | null,
): boolean {
  const clientTakes = client === undefined || (client.companySignIn && client.consent === "none");
  return settings.companySignIn === "on" && clientTakes && resource?.companySignIn !== false;
}

/** The proofs of a sign-in, code or login, which decide about an organization. */
export type ProvenFor = Proven & Pick<WithProofs, "organizationProofs">;

/**
 * Whether the organization asks for a proof by its provider, and there is none. An owner enters all
 * the same by an own proof with a second factor, and who is exempt by any own one.
 */
export function lacksProvider(
  { settings }: Pick<Application, "settings">,
  { provider, providerExempt, roles }: Membership,
  proven: ProvenFor,
  now: number,
): boolean {
  const isOn = settings.companySignIn === "on";
  if (isOn && liveProof(proven, provider, now)) return false;
  if (isConfined(proven)) return true;
  if (!isOn || provider?.state !== "active" || provider.requiredSince === null || providerExempt) return false;
  const isSecond = proven.secondFactor === "totp" || proven.secondFactor === "recovery-code";
  return !(roles.includes("owner") && (isSecond || acrOf(proven) === "phr"));
}

/** Whether the organization's provider proved two factors, which counts for this one only. */
export function provedTwoFactors(membership: Membership | undefined, proven: ProvenFor, now: number): boolean {
  return membership !== undefined && liveProof(proven, membership.provider, now)?.twoFactors === true;
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
 * id, a slug or `none`. `scopes`, `resource`: of the tokens. `proven`: undefined if nobody
 * authenticated.
 */
export async function enter(
  handle: Handle,
  of: {
    wanted: string;
    application: Application;
    client: Asking;
    resource?: Pick<Resource, "companySignIn"> | null;
    scopes: readonly string[];
    userId: string;
    proven: ProvenFor | undefined;
    now: number;
  },
): Promise<Membership | Missing | undefined> {
  const { wanted, application, client, resource, scopes, userId, proven, now } = of;
  const confined = proven !== undefined && isConfined(proven);
  // Turned off: nothing acts in an organization any more.
  if (!hasOrganizations(application)) return confined ? "confined" : undefined;
  if (confined && (wanted === noOrganization || !takesConfined(application, client, resource))) return "confined";
  if (wanted === noOrganization) return application.settings.organizations === "required" ? "organization" : undefined;
  if (!namesOrganizations(application, client, scopes)) return "consent";
  const organizationId = await idOf(handle, application, wanted);
  if (confined && organizationId !== confinedTo(proven)) return "confined";
  const membership = organizationId && (await findMembership(handle, { organizationId, userId }));
  if (!membership || membership.appId !== application.id) return "membership";
  if (proven && lacksProvider(application, membership, proven, now)) return "provider";
  const asked = { isRequired: true, hasFactor: false, takesTrust: true };
  if (proven && requiresFactor(membership) && !provedTwoFactors(membership, proven, now) && !isEnough(proven, asked))
    return "second-factor";
  const entries = [consentEntry(membership.organizationId)];
  if (client && (await consents.lacks(handle, { client, userId, scopes: entries }))) return "consent";
  return membership;
}
