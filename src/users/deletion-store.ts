import { and, eq, inArray } from "drizzle-orm";
import type { Handle } from "../storage/storage.ts";

/**
 * Removes an address from where it stands without its user: sign-ins that were begun with it, which go on without it, and
 * mails that carry a proof of it. What belongs to the user
 * by a foreign key goes with the user's row.
 */
export async function eraseAddress({ db, tables }: Handle, appId: string, email: string): Promise<void> {
  const { signInSessions: sessions, passkeyChallenges: challenges, emailTokens } = tables;
  const ofApp = db.select({ digest: sessions.digest }).from(sessions).where(eq(sessions.appId, appId));
  await db.delete(challenges).where(and(eq(challenges.email, email), inArray(challenges.sessionDigest, ofApp)));
  await db
    .update(sessions)
    .set({ loginHint: null })
    .where(and(eq(sessions.appId, appId), eq(sessions.loginHint, email)));
  await db.delete(emailTokens).where(and(eq(emailTokens.appId, appId), eq(emailTokens.email, email)));
}
