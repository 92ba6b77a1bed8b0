import { day } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { demoCallbackPath, originPage } from "../lib/redirect-uris.ts";
import {
  maxPersonalTokenDays,
  type ApplicationClaim,
  type AppSettings,
  type AuthMethods,
  type Branding,
} from "../storage/column-types.ts";

/** A client application. Instants are epoch milliseconds. */
export type Application = {
  id: string;
  name: string;
  /** The host name whose passkeys are shared, if the service's host belongs to it. */
  domain: string | null;
  redirectUris: string[];
  authMethods: AuthMethods;
  branding: Branding;
  settings: AppSettings;
  claims: ApplicationClaim[] | null;
  createdAt: number;
  updatedAt: number;
};

/** Whether people belong to organizations. The default, `off`, is never stored. */
export function hasOrganizations({ settings }: Pick<Application, "settings">): boolean {
  return settings.organizations !== undefined;
}

/** Whether profiles have fields of the application's own. */
export function hasProfileFields({ settings }: Pick<Application, "settings">): boolean {
  return settings.profileFields !== undefined && settings.profileFields !== null;
}

/**
 * The holder, present or past, of an id. An App ID is also a client id, so both share one set of
 * ids.
 */
export type IdOwner = "application" | "client" | "deleted";

export function idIsTaken(owner: IdOwner): AppError {
  if (owner === "application") return new AppError("CONFLICT", "An application with this id already exists.");
  if (owner === "client") return new AppError("CONFLICT", "A client with this id already exists.");
  return new AppError("CONFLICT", "This id belonged to a deleted application or client. Choose another id.");
}

/**
 * Where "Back to Acme" leads: the operator's address, else the origin of `redirectUri`, by default
 * the first that is not the demo page's. A private-use scheme has none.
 */
export function appHome(
  { branding, redirectUris }: Application,
  redirectUri = redirectUris.find((uri) => !uri.endsWith(demoCallbackPath)) ?? redirectUris[0],
): string | undefined {
  if (branding.homeUrl) return branding.homeUrl;
  return redirectUri === undefined ? undefined : originPage(redirectUri);
}

/** How long a personal access token may last, in milliseconds. */
export function longestTokenLife(settings: Pick<AppSettings, "personalTokenMaxDays">): number {
  return (settings.personalTokenMaxDays ?? maxPersonalTokenDays) * day;
}
