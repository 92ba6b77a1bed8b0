import { and, count, eq, gt, inArray, isNull } from "drizzle-orm";
import { mailsWithProof } from "../column-types.ts";
import { feedEpoch } from "../queries/commit-order.ts";
import type { Handle } from "../storage.ts";

/** How many logins and account pages of the backup a restore ends. */
export type EndedAccess = { logins: number; accountPages: number };

/** Makes the feed refuse earlier cursors: the entries since the backup are missing here. */
export async function beginNewFeed({ db, tables: { facts, revocations } }: Handle): Promise<void> {
  await db.delete(revocations);
  await db.delete(facts).where(eq(facts.name, feedEpoch));
}

/**
 * Ends all access that may have ended or been used since the backup: logins with their refresh
 * tokens, personal access tokens, account pages, trusted browsers, unfinished sign-ins with their
 * codes, pushed requests, consents, mailed links and codes.
 */
export async function endRestoredAccess({ db, tables }: Handle, now: number): Promise<EndedAccess> {
  const {
    logins,
    applicationCounters,
    browserSessions,
    signInSessions,
    oauthStates,
    organizationVisits,
    emailTokens,
    mails,
    authorizationRequests,
    consents,
    trustedBrowsers,
    personalTokens,
  } = tables;
  const [alive] = await db.select({ value: count() }).from(logins).where(isNull(logins.endedAt));
  const [pages] = await db.select({ value: count() }).from(browserSessions);
  await db
    .update(logins)
    .set({
      endedAt: now,
      endReason: "restored",
      userEmail: null,
      userEmailVerified: null,
      userName: null,
      userDisabledAt: null,
    })
    .where(isNull(logins.endedAt));
  // A later `ended_at` would be lost: ended ones stay ended.
  await db
    .update(personalTokens)
    .set({ endedAt: now, expiresAt: now, endReason: "restored" })
    .where(and(isNull(personalTokens.endedAt), gt(personalTokens.expiresAt, now)));
  await db.update(applicationCounters).set({ value: 0 }).where(eq(applicationCounters.name, "live"));
  await db.delete(browserSessions);
  await db.delete(signInSessions);
  await db.delete(oauthStates);
  await db.delete(organizationVisits);
  await db.delete(authorizationRequests);
  await db.delete(consents);
  await db.delete(emailTokens);
  await db.delete(trustedBrowsers);
  await db.delete(mails).where(inArray(mails.kind, mailsWithProof));
  return { logins: alive?.value ?? 0, accountPages: pages?.value ?? 0 };
}
