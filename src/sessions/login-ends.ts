/**
 * Ends logins before they expire, with what ends together with them, and announces it in the same
 * transaction: to the audit log, the application, its clients and the feed. The table "What ends
 * with what" of docs/security.md says what each act ends.
 */
import { deleteTokensOfOldFactors } from "../credentials/mailed/store.ts";
import * as personalTokens from "../credentials/personal/ends.ts";
import { endTrustOfUser } from "../factors/store.ts";
import { personsSource, type RequestSource } from "../lib/request-source.ts";
import * as audit from "../records/audit/audit.ts";
import type { By } from "../records/audit/audit.ts";
import * as revocationRecords from "../records/revocations/records.ts";
import * as events from "../records/webhooks/events.ts";
import type { Context } from "../runtime/context.ts";
import { cancelCodesOfBrowser, cancelCodesOfUser } from "../sign-in/cancel-store.ts";
import type { EndReason } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import type { IdTokenHint } from "../tokens/id-tokens.ts";
import { lockUser } from "../users/store.ts";
import {
  lockBrowserSession,
  removeTiedBrowserSession,
  voidFactorsOfBrowserSessions,
  type BrowserSession,
} from "./browser-session-store.ts";
import * as browserSessions from "./browser-sessions.ts";
import { listLoginsOfUser } from "./login-list-store.ts";
import {
  endLogin,
  endLoginWithBrowser,
  endLoginsAtClient,
  endLoginsAtHosts,
  endLoginsOfBrowser,
  endLoginsOfUser,
  findLogin,
  listLostConfinedLogins,
  listUsersAtClient,
  voidFactorsOfLogins,
  type EndedLogin,
} from "./login-store.ts";
import type { Login } from "./login.ts";
import { findHinted } from "./own-logins.ts";

/** `by`: who ended it, for the audit log and webhooks. */
export type End = { reason: EndReason; by: By };

/**
 * `keep`: one browser session with its logins, given by its digest or by one login; `signIn`: the
 * digest of a sign-in in progress. `tokens`: the person's personal access tokens too, where the
 * reason does not end them anyway.
 */
export type AccessEnd = End & {
  keep?: { login?: string; browserSession?: string; signIn?: string };
  tokens?: boolean;
};

/** Why all known browsers are forgotten: a stranger may have used them. */
const strangers = new Set<EndReason>(["address-proven", "address-restored", "password-reset"]);

/** With these, personal access tokens end; with the others, only if asked. */
const endingTokens = [
  "address-proven",
  "address-restored",
  "password-reset",
  "method-removed",
  "user-disabled",
] as const satisfies EndReason[];
const askedToEndTokens = ["account", "password-changed"] as const satisfies EndReason[];

/** To the application's server and its client: the webhook and the logout token. */
async function announce(
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

/** The same, and to the audit log. `reason`: if the entry names it. */
async function note(
  ctx: Context,
  tx: Handle,
  ended: EndedLogin[],
  { by, reason }: { by: By; reason?: EndReason },
  now: number,
): Promise<void> {
  for (const login of ended) {
    const { id: loginId, appId, userId } = login;
    const details = { loginId, ...(reason && { reason }) };
    await audit.record(ctx, tx, { ...by, action: "user.logout", result: "success", appId, userId, details }, now);
    await announce(ctx, tx, login, personsSource(by), now);
  }
}

/** The same, and to the feed: one entry for each login. */
async function record(
  ctx: Context,
  tx: Handle,
  ended: EndedLogin[],
  noted: { by: By; reason?: EndReason },
  now: number,
): Promise<void> {
  await revocationRecords.logins(ctx, tx, ended, now);
  await note(ctx, tx, ended, noted, now);
}

/** Ends this login and no other; false if it had ended. */
export async function endAlone(
  ctx: Context,
  tx: Handle,
  id: string,
  { reason, by }: End,
  now: number,
): Promise<boolean> {
  const ended = await endLogin(tx, id, reason, now);
  if (ended) await record(ctx, tx, [ended], { by }, now);
  return ended !== undefined;
}

/** Ends logins that make room for one that begins in this transaction, with the user locked. */
export async function endForNewer(
  ctx: Context,
  tx: Handle,
  ids: readonly string[],
  reason: "too-many" | "replaced",
  source: RequestSource,
  now: number,
): Promise<void> {
  const by = { actor: { kind: "service", name: "logins" }, source } as const;
  for (const id of ids) {
    const ended = await endLogin(tx, id, reason, now);
    if (ended) await record(ctx, tx, [ended], { by, reason }, now);
  }
}

/** Ends the login of a code that was used twice. */
export async function endForCodeReuse(
  ctx: Context,
  tx: Handle,
  loginId: string,
  source: RequestSource,
  now: number,
): Promise<void> {
  const ended = await endLogin(tx, loginId, "code-reuse", now);
  if (!ended) return;
  await revocationRecords.logins(ctx, tx, [ended], now);
  await announce(ctx, tx, ended, null, now);
  await noteReuse(ctx, tx, ended, { action: "code.reuse", source }, now);
}

/** Ends the login of a refresh token that was used twice. */
export async function endForTokenReuse(
  ctx: Context,
  tx: Handle,
  loginId: string,
  source: RequestSource,
  now: number,
): Promise<void> {
  const ended = await endLogin(tx, loginId, "refresh-reuse", now);
  if (!ended) return;
  await revocationRecords.logins(ctx, tx, [ended], now);
  await noteReuse(ctx, tx, ended, { action: "token.reuse", source }, now);
  const { appId, userId, id: sessionId } = ended;
  await events.record(ctx, tx, { kind: "token.reuse", appId, userId, authMethod: null, source, sessionId }, now);
  await announce(ctx, tx, ended, source, now);
}

async function noteReuse(
  ctx: Context,
  tx: Handle,
  { id: loginId, appId, userId }: EndedLogin,
  { action, source }: { action: string; source: RequestSource },
  now: number,
): Promise<void> {
  const actor = { kind: "app", name: appId } as const;
  const details = { loginId };
  await audit.record(ctx, tx, { actor, action, result: "failure", appId, userId, source, details }, now);
}

/**
 * Ends one live login, its browser session, and all logins of OpenID Connect clients that this
 * session opened. Others that the application itself began there stay. True if this call ended
 * the login.
 */
export async function endWithBrowser(
  ctx: Context,
  tx: Handle,
  { id, userId, browserSessionDigest: tie }: Login,
  end: End,
  now: number,
): Promise<boolean> {
  if (tie === null) return await endAlone(ctx, tx, id, end, now);
  const { reason, by } = end;
  await lockUser(tx, userId);
  await removeTiedBrowserSession(tx, tie);
  const ended = await endLoginWithBrowser(tx, id, { userId, tie, reason }, now);
  await record(ctx, tx, ended, { by }, now);
  return ended.some((login) => login.id === id);
}

/**
 * The same in a transaction of its own; repeating it changes nothing. Returns the login as it was
 * before; undefined if there is none, or it is not this user's.
 */
export async function endOne(
  ctx: Context,
  { id, userId }: { id: string; userId?: string },
  end: End,
): Promise<Login | undefined> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const login = await findLogin(tx, id);
    if (!login || (userId !== undefined && login.userId !== userId)) return undefined;
    // A later sign-in of the same browser may have continued the session of an ended login.
    if (login.endedAt === null) await endWithBrowser(ctx, tx, login, end, now);
    return login;
  });
}

/** Ends the login of an ID token with its browser session, unless that is still open. */
export async function endUnlessBrowserOpen(ctx: Context, hint: IdTokenHint, by: By): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write(async (tx) => {
    const login = await findHinted(tx, hint);
    if (login?.endedAt !== null) return;
    const { userId, browserSessionDigest: tie } = login;
    await lockUser(tx, userId);
    const open = tie === null ? undefined : await lockBrowserSession(tx, tie, userId);
    // Only that browser ends it.
    if (open && open.expiresAt > now) return;
    await endWithBrowser(ctx, tx, login, { reason: "logout", by }, now);
  });
}

/** Signs a browser out: of the account page, and of every login that it opened. */
export async function endBrowser(
  ctx: Context,
  session: Pick<BrowserSession, "appId" | "userId" | "tie">,
  reason: EndReason,
  by: By,
): Promise<void> {
  const now = ctx.clock();
  const { userId, tie } = session;
  await ctx.storage.write(async (tx) => {
    await lockUser(tx, userId);
    await browserSessions.close(ctx, tx, session, by, now);
    await record(ctx, tx, await endLoginsOfBrowser(tx, { userId, tie, reason }, now), { by }, now);
    await cancelCodesOfBrowser(tx, session, now);
  });
}

/**
 * Ends the logins of protected hosts that another user left in a browser. That user is not locked:
 * their browser session was removed before, as other ends do first.
 */
export async function endAtHosts(
  ctx: Context,
  tx: Handle,
  { userId, tie }: { userId: string; tie: string },
  source: RequestSource,
  now: number,
): Promise<void> {
  const reason = "other-user";
  const by = { actor: { kind: "service", name: "sign-in" }, source } as const;
  await record(ctx, tx, await endLoginsAtHosts(tx, { userId, tie, reason }, now), { by, reason }, now);
}

/** Ends a user's logins of one client, and returns their number. Lock the user first. */
export async function endAtClient(
  ctx: Context,
  tx: Handle,
  of: { userId: string; clientId: string },
  { reason, by }: End,
  now: number,
): Promise<number> {
  const ended = await endLoginsAtClient(tx, of, reason, now);
  await record(ctx, tx, ended, { by }, now);
  return ended.length;
}

/** Ends the logins of a client for some of its users; true if more may be left. */
export async function endOfClient(ctx: Context, tx: Handle, clientId: string, end: End, now: number): Promise<boolean> {
  const userIds = await listUsersAtClient(tx, clientId);
  for (const userId of userIds) {
    await lockUser(tx, userId);
    await record(ctx, tx, await endLoginsAtClient(tx, { userId, clientId }, end.reason, now), end, now);
  }
  return userIds.length > 0;
}

/**
 * Ends a batch of confined logins that another issuer, or none, left behind; true if more may be
 * left. They are refused since the change itself.
 */
export async function sweepConfined(ctx: Context): Promise<boolean> {
  const now = ctx.clock();
  const lost = await listLostConfinedLogins(ctx.storage.reader);
  if (lost.length === 0) return false;
  const reason = "proof-ended";
  const by = { actor: { kind: "service", name: "logins" } } as const;
  await ctx.storage.write(async (tx) => {
    for (const userId of [...new Set(lost.map((login) => login.userId))].toSorted()) await lockUser(tx, userId);
    for (const { id } of lost) {
      const ended = await endLogin(tx, id, reason, now);
      if (ended) await record(ctx, tx, [ended], { by, reason }, now);
    }
  });
  return true;
}

/** How many live logins `endAccess` would end at `now`. */
export async function countLive(handle: Handle, userId: string, now: number): Promise<number> {
  return (await listLoginsOfUser(handle, userId, { all: false, now })).length;
}

/**
 * Ends what a user's former access allows: logins, browser sessions, codes and proofs in progress,
 * and the trust in every browser. Returns the number of logins that this call ended. Locks the
 * user: whatever would begin a login has done so, and it ends here, or waits and finds its code or
 * proof cancelled.
 */
export async function endAccess(
  ctx: Context,
  tx: Handle,
  userId: string,
  { reason, by, keep = {}, tokens = false }: AccessEnd,
  now: number,
): Promise<number> {
  await lockUser(tx, userId);
  const ends = [...endingTokens, ...(tokens ? askedToEndTokens : [])].find((each) => each === reason);
  if (ends) await personalTokens.end(ctx, tx, { userId }, { reason: ends, by }, now);
  await cancelCodesOfUser(tx, userId, now, keep.signIn);
  const keptLogin = keep.login === undefined ? undefined : await findLogin(tx, keep.login);
  // Read now: if a copy of the cookie signed in meanwhile, the tie belongs to the copy.
  const keptSession =
    keep.browserSession === undefined ? undefined : await browserSessions.findTie(tx, keep.browserSession, now);
  const tie = keptSession ?? keptLogin?.browserSessionDigest ?? undefined;
  await endTrustOfUser(tx, userId);
  await browserSessions.endAll(tx, userId, { keep: tie, forgetBrowsers: strangers.has(reason) });
  const ended = await endLoginsOfUser(tx, userId, { reason, keep: { login: keep.login, tie } }, now);
  const [first] = ended;
  // One entry for the user. Servers then ask about the logins that were kept.
  if (first && ended.length > 1) await revocationRecords.user(ctx, tx, first, now);
  else await revocationRecords.logins(ctx, tx, ended, now);
  await note(ctx, tx, ended, { by, reason }, now);
  return ended.length;
}

/** The same for the user themselves: everything, in all browsers. */
export async function endAll(ctx: Context, userId: string, by: By, { tokens = false } = {}): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write((tx) => endAccess(ctx, tx, userId, { reason: "account", by, tokens }, now));
}

/** The same, but for this browser. `browserSession`: the digest of its session. */
export async function endOthers(ctx: Context, userId: string, browserSession: string, by: By): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write((tx) => endAccess(ctx, tx, userId, { reason: "account", by, keep: { browserSession } }, now));
}

/**
 * Ends what rested on a user's TOTP and recovery codes before they changed: trusted browsers,
 * recovery links, sign-ins in progress, fresh proofs. Logins stay. `falls`: TOTP was removed, so
 * they have one factor less. `session` and `browserSession` (digests) made the change and stay.
 */
export async function endFactors(
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
