import type { Application } from "../applications/application.ts";
import type { Client } from "../applications/clients/client.ts";
import { second } from "../lib/clock.ts";
import { factsOn, profileFacts } from "../lib/profile-facts.ts";
import { pictureAddress } from "../lib/stored-picture.ts";
import type { Login } from "../sessions/login.ts";
import type { ClaimRequest } from "../storage/column-types.ts";
import type { User } from "../users/user.ts";

/** The claims of each scope (OpenID Connect Core 1.0 §5.4), as far as we know them of a user. */
const claimsOfScope: Record<string, Record<string, (user: User) => unknown>> = {
  profile: {
    ...Object.fromEntries(factsOn("claims").map((fact) => [profileFacts[fact].claim.name, (user: User) => user[fact]])),
    updated_at: ({ updatedAt }) => Math.floor(updatedAt / second),
  },
  email: {
    email: ({ email }) => email,
    email_verified: ({ email, emailVerified }) => (email === null ? null : emailVerified),
  },
};

/**
 * The scopes whose claims a client may name in the `claims` parameter: all of its own, or with
 * consent only the granted ones.
 */
export function requestable(
  client: Pick<Client, "consent" | "scopes">,
  { settings }: Application,
  login: Pick<Login, "scopes">,
): string[] {
  return settings.scopes.filter((scope) => (client.consent === "none" ? client : login).scopes.includes(scope));
}

const preferredUsername = "preferred_username";

/** The names of all claims about users. */
export const userClaimNames = [
  ...Object.values(claimsOfScope).flatMap((claims) => Object.keys(claims)),
  preferredUsername,
  "groups",
];

/** The scopes, and `groups` if the `claims` parameter asks for that claim and it is allowed. */
export function withRequestedGroups(
  scopes: readonly string[],
  requested: Record<string, ClaimRequest>,
  allowed: readonly string[],
): string[] {
  const isAsked = Object.hasOwn(requested, "groups") && allowed.includes("groups");
  return isAsked && !scopes.includes("groups") ? [...scopes, "groups"] : [...scopes];
}

/** Of somebody who came by an organization's provider alone, beside the application's constants. */
const confinedNames = ["name", "picture", "email", "email_verified"];

/**
 * The claims about a user by scope, and those that the `claims` parameter names, if `allowed` has
 * their scope; beside the application's `own`. Unknown values are omitted (OpenID Connect Core 1.0
 * §5.3.2).
 */
export function userClaims(
  { baseUrl }: { baseUrl: string },
  { picture, ...person }: User,
  granted: {
    scopes: readonly string[];
    requested: Record<string, ClaimRequest>;
    allowed: readonly string[];
    isConfined: boolean;
  },
  own: Record<string, unknown>,
): Record<string, unknown> {
  const isGranted = (scope: string, name: string): boolean =>
    granted.scopes.includes(scope) || (Object.hasOwn(granted.requested, name) && granted.allowed.includes(scope));
  const user = { ...person, picture: pictureAddress(baseUrl, picture) };
  const values: Record<string, unknown> = {};
  for (const [scope, claims] of Object.entries(claimsOfScope)) {
    for (const [name, valueOf] of Object.entries(claims)) {
      if (!isGranted(scope, name)) continue;
      const value = valueOf(user);
      if (value !== null) values[name] = value;
    }
  }
  // People sign in by their address. Programs match accounts by this claim, so only a verified one.
  if (values["email"] !== undefined && user.emailVerified && isGranted("profile", preferredUsername))
    values[preferredUsername] = own[preferredUsername] ?? user.email;
  const told = Object.entries(values).filter(([name]) => !granted.isConfined || confinedNames.includes(name));
  return { ...own, ...Object.fromEntries(told) };
}
