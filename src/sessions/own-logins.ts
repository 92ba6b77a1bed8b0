/**
 * A user's own logins, for the account page. Tokens of an ended login are refused from the next
 * call on.
 */
import type { By } from "../records/audit/audit.ts";
import type { Context } from "../runtime/context.ts";
import { cancelCodesOfBrowser } from "../sign-in/cancel-store.ts";
import type { EndReason } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import type { IdTokenHint } from "../tokens/id-tokens.ts";
import type { BrowserSession } from "./browser-session-store.ts";
import * as loginEnds from "./login-ends.ts";
import { listLoginsOfUser } from "./login-list-store.ts";
import { findLogin } from "./login-store.ts";
import type { Login } from "./login.ts";
import * as access from "./revoke-access.ts";

/** The login of an ID token that this service issued, while it is stored. */
async function findHinted(handle: Handle, { sub, sid, clientId }: IdTokenHint): Promise<Login | undefined> {
  const login = await findLogin(handle, sid);
  return login?.userId === sub && (login.clientId ?? login.appId) === clientId ? login : undefined;
}

/** Live logins, newest first. */
export async function list(ctx: Context, userId: string): Promise<Login[]> {
  return await listLoginsOfUser(ctx.storage.reader, userId, { all: false, now: ctx.clock() });
}

/**
 * Ends a login and what its browser opened; repeating it changes nothing. Returns the login
 * as it was before; undefined if it is not this user's.
 */
export async function end(ctx: Context, userId: string, loginId: string, by: By): Promise<Login | undefined> {
  const now = ctx.clock();
  return await ctx.storage.write(async (tx) => {
    const login = await findLogin(tx, loginId);
    if (login?.userId !== userId) return undefined;
    // A later sign-in of the same browser may have continued the session of an ended login.
    if (login.endedAt === null) await loginEnds.endOne(ctx, tx, login, { reason: "account", by }, now);
    return login;
  });
}

/**
 * Ends everything outside this browser: logins, account pages, sign-ins in progress.
 * `browserSession`: the digest of its session.
 */
export async function endOthers(ctx: Context, userId: string, browserSession: string, by: By): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write((tx) =>
    access.revoke(ctx, tx, userId, { reason: "account", by, keep: { browserSession } }, now),
  );
}

/** Signs this browser out: ends its account page session, and every login that it opened. */
export async function endBrowser(ctx: Context, session: BrowserSession, reason: EndReason, by: By): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write(async (tx) => {
    await loginEnds.endBrowser(ctx, tx, session, { reason, by }, now);
    await cancelCodesOfBrowser(tx, session, now);
  });
}

/** Whether this browser session opened the login of an ID token. */
export async function isOf(ctx: Context, { userId, tie }: BrowserSession, hint: IdTokenHint): Promise<boolean> {
  const login = await findHinted(ctx.storage.reader, hint);
  return login?.userId === userId && login.browserSessionDigest === tie;
}

/** Ends the login of an ID token, unless its browser is still signed in. */
export async function endUnlessBrowserOpen(ctx: Context, hint: IdTokenHint, by: By): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write(async (tx) => {
    const login = await findHinted(tx, hint);
    if (login?.endedAt === null) await loginEnds.endUnlessBrowserOpen(ctx, tx, login, { reason: "logout", by }, now);
  });
}

/** Ends everything, in all browsers. */
export async function endAll(ctx: Context, userId: string, by: By): Promise<void> {
  const now = ctx.clock();
  await ctx.storage.write((tx) => access.revoke(ctx, tx, userId, { reason: "account", by }, now));
}
