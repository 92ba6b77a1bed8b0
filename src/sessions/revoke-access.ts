import { endTrustOfUser } from "../factors/store.ts";
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import { cancelCodesOfUser } from "../sign-in/cancel-store.ts";
import type { EndReason } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { lockUser } from "../users/store.ts";
import * as browserSessions from "./browser-sessions.ts";
import * as loginEnds from "./login-ends.ts";
import { listLoginsOfUser } from "./login-list-store.ts";
import { findLogin } from "./login-store.ts";

/** `by`: who revoked it, for the audit log and webhooks. */
export type AccessRevocation = {
  reason: EndReason;
  by: By;
  /**
   * Exempt from the end: one browser session with its logins, given by its digest or by one login.
   */
  keep?: { login?: string; browserSession?: string };
};

/** Why all known browsers are forgotten: a stranger may have used them. */
const strangers = new Set<EndReason>(["address-proven", "address-restored", "password-reset"]);

/** How many live logins `revoke` would end at `now`. */
export async function countLive(handle: Handle, userId: string, now: number): Promise<number> {
  return (await listLoginsOfUser(handle, userId, { all: false, now })).length;
}

/**
 * Ends a user's access: logins, browser sessions, codes and proofs in progress, and trusted
 * browsers. Returns the number of logins that this call ended. Locks the user: a concurrent sign-in
 * has committed and is ended here, or waits and finds its code or proof cancelled.
 */
export async function revoke(
  ctx: Context,
  tx: Handle,
  userId: string,
  revocation: AccessRevocation,
  now: number,
): Promise<number> {
  const { reason, by, keep = {} } = revocation;
  await lockUser(tx, userId);
  await cancelCodesOfUser(tx, userId, now);
  const keptLogin = keep.login === undefined ? undefined : await findLogin(tx, keep.login);
  // Read now: if a copy of the cookie signed in meanwhile, the tie belongs to the copy.
  const keptSession =
    keep.browserSession === undefined ? undefined : await browserSessions.findTie(tx, keep.browserSession, now);
  const tie = keptSession ?? keptLogin?.browserSessionDigest ?? undefined;
  await endTrustOfUser(tx, userId);
  await browserSessions.endAll(tx, userId, { keep: tie, forgetBrowsers: strangers.has(reason) });
  const kept = { login: keep.login, tie };
  const ended = await loginEnds.endOfUser(ctx, tx, userId, { reason, keep: kept }, now);
  for (const login of ended) await loginEnds.note(ctx, tx, login, by, now, { reason });
  return ended.length;
}
