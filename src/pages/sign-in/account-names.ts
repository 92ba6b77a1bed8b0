/**
 * How a page names its session's account. The name may be masked, because an app without the scope
 * `email` can open the page.
 */
import { maskedEmail } from "../../lib/email.ts";
import type { Context } from "../../runtime/context.ts";
import * as browserSessions from "../../sessions/browser-sessions.ts";
import * as users from "../../users/service.ts";
import type { User } from "../../users/user.ts";
import * as visits from "./visits.ts";
import type { Visit } from "./visits.ts";

async function isTheirBrowser(ctx: Context, visit: Visit, user: User): Promise<boolean> {
  const { session, application, browser } = visit;
  const isProven = session.provenUserId === user.id || session.inviteDigest !== null;
  if (isProven && session.browserDigest === browser.digest) return true;
  const signedIn = await browserSessions.find(
    ctx,
    ctx.storage.reader,
    visits.forProof(ctx, visit).currentBrowserSession,
    application,
  );
  return signedIn?.userId === user.id;
}

/**
 * In full only for a browser that is signed in as this user or has just proven it; masked
 * otherwise.
 */
export async function nameOf(ctx: Context, visit: Visit, user: User): Promise<string> {
  const { email, name, id } = user;
  if (await isTheirBrowser(ctx, visit, user)) return email ?? name ?? id;
  if (email !== null) return maskedEmail(email);
  return name === null ? id : `${[...name][0] ?? ""}…`;
}

/** The name of the only account that this session accepts; undefined if it accepts any. */
export async function find(ctx: Context, visit: Visit): Promise<string | undefined> {
  const { accountUserId } = visit.session;
  const user = accountUserId === null ? undefined : await users.find(ctx.storage.reader, accountUserId);
  return user && (await nameOf(ctx, visit, user));
}
