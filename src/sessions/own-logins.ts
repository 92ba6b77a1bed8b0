/** A user's own logins, for the account page. */
import type { Context } from "../runtime/context.ts";
import type { Handle } from "../storage/storage.ts";
import type { IdTokenHint } from "../tokens/id-tokens.ts";
import type { BrowserSession } from "./browser-session-store.ts";
import { listHostsOfLogins, listLoginsOfUser } from "./login-list-store.ts";
import { findLogin } from "./login-store.ts";
import type { Login } from "./login.ts";

/** The login of an ID token that this service issued, while it is stored. */
export async function findHinted(handle: Handle, { sub, sid, clientId }: IdTokenHint): Promise<Login | undefined> {
  const login = await findLogin(handle, sid);
  return login?.userId === sub && (login.clientId ?? login.appId) === clientId ? login : undefined;
}

/** Live logins, newest first. */
export async function list(ctx: Context, userId: string): Promise<Login[]> {
  return await listLoginsOfUser(ctx.storage.reader, userId, { all: false, now: ctx.clock() });
}

/** The protected hosts that these logins have opened, by the id of each. */
export async function hostsOf(ctx: Context, logins: readonly Login[]): Promise<Map<string, string[]>> {
  return await listHostsOfLogins(ctx.storage.reader, logins);
}

/** Whether this browser session opened the login of an ID token. */
export async function isOf(ctx: Context, { userId, tie }: BrowserSession, hint: IdTokenHint): Promise<boolean> {
  const login = await findHinted(ctx.storage.reader, hint);
  return login?.userId === userId && login.browserSessionDigest === tie;
}
