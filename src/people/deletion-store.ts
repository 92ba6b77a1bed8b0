import { and, eq, inArray, isNull, or } from "drizzle-orm";
import type { Handle } from "../storage/storage.ts";

/** Removes a locked user's unfinished flows. Everything else is deleted with the user's row. */
export async function deletePending({ db, tables }: Handle, userId: string): Promise<void> {
  const { signInSessions: sessions, emailTokens } = tables;
  await db.delete(emailTokens).where(eq(emailTokens.userId, userId));
  await db
    .delete(sessions)
    .where(or(eq(sessions.provenUserId, userId), eq(sessions.userId, userId), eq(sessions.accountUserId, userId)));
}

/**
 * Removes an address from unfinished flows without a user: sign-ins continue without it, mail
 * proofs, invitations and set-up links end.
 */
export async function eraseAddress({ db, tables }: Handle, appId: string, email: string): Promise<void> {
  const { signInSessions: sessions, passkeyChallenges: challenges, emailTokens } = tables;
  for (const mailed of [tables.organizationInvitations, tables.organizationSetupLinks])
    await db.delete(mailed).where(and(eq(mailed.appId, appId), eq(mailed.email, email)));
  // Other users' links stay: a link that restores this address must outlive its next holder.
  await db
    .delete(emailTokens)
    .where(and(eq(emailTokens.appId, appId), eq(emailTokens.email, email), isNull(emailTokens.userId)));
  const ofApp = db.select({ digest: sessions.digest }).from(sessions).where(eq(sessions.appId, appId));
  await db.delete(challenges).where(and(eq(challenges.email, email), inArray(challenges.sessionDigest, ofApp)));
  await db
    .update(sessions)
    .set({ loginHint: null })
    .where(and(eq(sessions.appId, appId), eq(sessions.loginHint, email)));
}
