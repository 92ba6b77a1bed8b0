import { endTrustOfUser } from "../factors/store.ts";
import { deleteTokensOfOldFactors } from "../credentials/mailed/store.ts";
import { cancelCodesOfUser } from "../sign-in/cancel-store.ts";
import type { Handle } from "../storage/storage.ts";
import { voidFactorsOfBrowserSessions } from "./browser-session-store.ts";
import { voidFactorsOfLogins } from "./login-store.ts";

/**
 * Ends what rested on a user's factors before they changed: trusted browsers, recovery links,
 * sign-ins in progress, fresh proofs. `falls`: a factor was removed, so logins have one factor
 * less. `session` and `browserSession` (digests) made the change and stay.
 */
export async function endFactorsOfUser(
  tx: Handle,
  userId: string,
  { session, browserSession, falls = false }: { session?: string; browserSession?: string; falls?: boolean },
  now: number,
): Promise<void> {
  await endTrustOfUser(tx, userId);
  await deleteTokensOfOldFactors(tx, userId);
  await cancelCodesOfUser(tx, userId, now, session);
  await voidFactorsOfBrowserSessions(tx, userId, browserSession);
  if (falls) await voidFactorsOfLogins(tx, userId);
}
