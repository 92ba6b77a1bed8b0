import { and, eq, isNull } from "drizzle-orm";
import type { CompanyIdentity } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";

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
