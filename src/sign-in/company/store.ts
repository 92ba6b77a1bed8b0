import { and, eq, gt, isNull } from "drizzle-orm";
import type { OrganizationIdentity } from "../../organizations/provider/identity-store.ts";
import type { CompanyIdentity } from "../../storage/column-types.ts";
import type { Handle, Row } from "../../storage/storage.ts";

type Relink = Row<"organizationRelinks">;
type Place = Pick<Relink, "organizationId" | "userId">;

/**
 * Stores whom the provider named in an open session of this browser, which gets a new cookie; null
 * forgets them. False if there is no such session.
 */
export async function recordCompanyIdentity(
  { db, tables: { signInSessions: sessions } }: Handle,
  { digest, browserDigest, renewedBrowser }: { digest: string; browserDigest: string; renewedBrowser: string },
  companyIdentity: CompanyIdentity | null,
): Promise<boolean> {
  const isOpenHere = and(
    eq(sessions.digest, digest),
    eq(sessions.browserDigest, browserDigest),
    isNull(sessions.signedInAt),
  );
  const change = { companyIdentity, browserDigest: renewedBrowser };
  return (await db.update(sessions).set(change).where(isOpenHere).returning({ digest: sessions.digest })).length === 1;
}

/** Of a person, at any issuer that the organization ever had. */
export async function listIdentitiesOf(
  { db, tables: { organizationIdentities: identities } }: Handle,
  { organizationId, userId }: Place,
): Promise<OrganizationIdentity[]> {
  const isTheirs = and(eq(identities.organizationId, organizationId), eq(identities.userId, userId));
  return await db.select().from(identities).where(isTheirs);
}

/** The one at an issuer, which another takes the place of. */
export async function deleteIdentityOf(
  { db, tables: { organizationIdentities: identities } }: Handle,
  { organizationId, userId, issuer }: Place & { issuer: string },
): Promise<void> {
  const isTheirs = and(eq(identities.organizationId, organizationId), eq(identities.userId, userId));
  await db.delete(identities).where(and(isTheirs, eq(identities.issuer, issuer)));
}

export async function findRelink(
  { db, tables: { organizationRelinks: relinks } }: Handle,
  { organizationId, userId }: Place,
  now: number,
): Promise<Relink | undefined> {
  const isTheirs = and(eq(relinks.organizationId, organizationId), eq(relinks.userId, userId));
  const [row] = await db
    .select()
    .from(relinks)
    .where(and(isTheirs, gt(relinks.expiresAt, now)));
  return row;
}

/** It is used up. */
export async function deleteRelink(
  { db, tables: { organizationRelinks: relinks } }: Handle,
  { organizationId, userId }: Place,
): Promise<void> {
  await db.delete(relinks).where(and(eq(relinks.organizationId, organizationId), eq(relinks.userId, userId)));
}
