/** Ends logins early with what belongs to them, and announces it in the same transaction. */
import { personsSource, type RequestSource } from "../lib/request-source.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import * as revocationRecords from "../records/revocations/records.ts";
import * as events from "../records/webhooks/events.ts";
import type { Context } from "../runtime/context.ts";
import type { EndReason } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { lockUser } from "../users/store.ts";
import { removeTiedBrowserSession, lockBrowserSession, type BrowserSession } from "./browser-session-store.ts";
import * as browserSessions from "./browser-sessions.ts";
import {
  endLogin,
  endLoginsOfBrowser,
  endLoginsAtClient,
  endLoginsOfUser,
  endLoginWithBrowser,
  listUsersAtClient,
  type EndedLogin,
} from "./login-store.ts";
import type { Login } from "./login.ts";

/** `by`: who ended it, for the audit log and webhooks. */
type End = { reason: EndReason; by: By };

/** For servers that verify tokens themselves. */
async function recordInFeed(ctx: Context, tx: Handle, ended: EndedLogin[], now: number): Promise<EndedLogin[]> {
  await revocationRecords.logins(ctx, tx, ended, now);
  return ended;
}

/** Ends one login, which the caller announces. Undefined if it had ended. */
export async function end(
  ctx: Context,
  tx: Handle,
  id: string,
  reason: EndReason,
  now: number,
): Promise<EndedLogin | undefined> {
  const ended = await endLogin(tx, id, reason, now);
  if (ended) await revocationRecords.logins(ctx, tx, [ended], now);
  return ended;
}

/**
 * Sends the webhook and logout token only. Use it where another audit entry already covers the
 * end.
 */
export async function announce(
  ctx: Context,
  tx: Handle,
  ended: EndedLogin,
  source: RequestSource | null,
  now: number,
): Promise<void> {
  const { id: sessionId, appId, userId, clientId } = ended;
  const event = { kind: "user.logout", appId, userId, authMethod: null, source, sessionId, clientId } as const;
  await events.record(ctx, tx, event, now);
}

/** The same, and to the audit log. */
export async function note(
  ctx: Context,
  tx: Handle,
  ended: EndedLogin,
  by: By,
  now: number,
  why: { reason?: EndReason } = {},
): Promise<void> {
  const { id: loginId, appId, userId } = ended;
  const details = { loginId, ...why };
  await audit.record(ctx, tx, { ...by, action: "user.logout", result: "success", appId, userId, details }, now);
  await announce(ctx, tx, ended, personsSource(by), now);
}

async function endWithBrowser(
  ctx: Context,
  tx: Handle,
  login: Login,
  reason: EndReason,
  now: number,
): Promise<EndedLogin[]> {
  const { id, userId, browserSessionDigest: tie } = login;
  if (tie === null) {
    const ended = await end(ctx, tx, id, reason, now);
    return ended ? [ended] : [];
  }
  await lockUser(tx, userId);
  await removeTiedBrowserSession(tx, tie);
  return await recordInFeed(ctx, tx, await endLoginWithBrowser(tx, id, { userId, tie, reason }, now), now);
}

/**
 * Ends a user's logins except those to `keep`, which the caller announces. Lock the user first.
 */
export async function endOfUser(
  ctx: Context,
  tx: Handle,
  userId: string,
  how: { reason: EndReason; keep: { login?: string | undefined; tie?: string | undefined } },
  now: number,
): Promise<EndedLogin[]> {
  const ended = await endLoginsOfUser(tx, userId, how, now);
  const [first] = ended;
  // One feed entry for the user. Servers then ask about the logins that were kept.
  if (!first || ended.length === 1) return await recordInFeed(ctx, tx, ended, now);
  await revocationRecords.user(ctx, tx, first, now);
  return ended;
}

/**
 * Ends one live login, its browser session, and all logins of OpenID Connect clients that this
 * session opened. Others that the application itself began there stay. True if this call ended
 * the login.
 */
export async function endOne(
  ctx: Context,
  tx: Handle,
  login: Login,
  { reason, by }: End,
  now: number,
): Promise<boolean> {
  const ended = await endWithBrowser(ctx, tx, login, reason, now);
  for (const one of ended) await note(ctx, tx, one, by, now);
  return ended.some(({ id }) => id === login.id);
}

/** The same, unless the browser session is still open: then only that browser ends it. */
export async function endUnlessBrowserOpen(
  ctx: Context,
  tx: Handle,
  login: Login,
  end: End,
  now: number,
): Promise<void> {
  const { userId, browserSessionDigest: tie } = login;
  await lockUser(tx, userId);
  if (tie !== null && (await lockBrowserSession(tx, tie, userId))) return;
  for (const one of await endWithBrowser(ctx, tx, login, end.reason, now)) await note(ctx, tx, one, end.by, now);
}

/** Ends the logins of a client for some of its users; true if more may be left. */
export async function endOfClient(
  ctx: Context,
  tx: Handle,
  clientId: string,
  { reason, by }: End,
  now: number,
): Promise<boolean> {
  const userIds = await listUsersAtClient(tx, clientId);
  for (const userId of userIds) {
    await lockUser(tx, userId);
    const ended = await recordInFeed(ctx, tx, await endLoginsAtClient(tx, { userId, clientId }, reason, now), now);
    for (const login of ended) await note(ctx, tx, login, by, now, { reason });
  }
  return userIds.length > 0;
}

/** Ends a user's logins of one client, and returns their number. Lock the user first. */
export async function endAtClient(
  ctx: Context,
  tx: Handle,
  of: { userId: string; clientId: string },
  { reason, by }: End,
  now: number,
): Promise<number> {
  const ended = await recordInFeed(ctx, tx, await endLoginsAtClient(tx, of, reason, now), now);
  for (const login of ended) await note(ctx, tx, login, by, now);
  return ended.length;
}

/** Ends a browser session and every login that it opened. */
export async function endBrowser(
  ctx: Context,
  tx: Handle,
  session: BrowserSession,
  { reason, by }: End,
  now: number,
): Promise<void> {
  const { userId, tie } = session;
  await lockUser(tx, userId);
  await browserSessions.close(ctx, tx, session, by, now);
  const ended = await recordInFeed(ctx, tx, await endLoginsOfBrowser(tx, { userId, tie, reason }, now), now);
  for (const login of ended) await note(ctx, tx, login, by, now);
}
