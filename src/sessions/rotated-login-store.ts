import { sql, type SQL } from "drizzle-orm";
import { noOrganization } from "../organizations/gate.ts";
import type { Handle } from "../storage/storage.ts";
import type { Login, LoginToContinue } from "./login.ts";

/**
 * How a login began, which decides whether its application may continue it. `isRequired`: whether
 * the client, or a group of the user, requires a second factor now.
 */
export type LoginStart = Pick<
  Login,
  | "appId"
  | "userId"
  | "signedInWith"
  | "provider"
  | "publicClient"
  | "clientId"
  | "resource"
  | "organizationId"
  | "proofKey"
  | "proofs"
  | "secondFactor"
  | "organizationProofs"
> & { isRequired: boolean };

/** With its user's address, and whether that is verified. */
export type RotatedLogin = LoginToContinue &
  Pick<Login, "createdAt" | "expiresAt"> & { email: string | null; emailVerified: boolean };

/** What a login names after a rotation. `asked`: as in a `LoginRotation`. */
export function rotatedOrganization({ logins }: Handle["tables"], asked: SQL): SQL {
  return sql`NULLIF(COALESCE(${asked}, ${logins.organizationId}), ${noOrganization})`;
}

/** The columns of a `RotatedLogin`, for an update of `logins`. */
export function rotatedLoginOf({ logins }: Handle["tables"]) {
  return {
    id: logins.id,
    appId: logins.appId,
    userId: logins.userId,
    signedInWith: logins.signedInWith,
    provider: logins.provider,
    proofs: logins.proofs,
    secondFactor: logins.secondFactor,
    organizationProofs: logins.organizationProofs,
    scopes: logins.scopes,
    publicClient: logins.publicClient,
    clientId: logins.clientId,
    claimsRequest: logins.claimsRequest,
    resource: logins.resource,
    organizationId: logins.organizationId,
    signedInAt: logins.signedInAt,
    provenElsewhereAt: logins.provenElsewhereAt,
    createdAt: logins.createdAt,
    expiresAt: logins.expiresAt,
    email: logins.userEmail,
    // Null only in ended logins, which are never rotated.
    emailVerified: sql<boolean>`${logins.userEmailVerified}`.mapWith(logins.userEmailVerified),
  };
}
