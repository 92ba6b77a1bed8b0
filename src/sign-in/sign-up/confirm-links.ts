/** Finds the purpose of a mailed link, and who may use it. Changes nothing. */
import type { Application } from "../../applications/application.ts";
import * as applications from "../../applications/service.ts";
import * as addressChange from "../../credentials/mailed/address-change.ts";
import type { EmailToken } from "../../credentials/mailed/email-token.ts";
import * as emailTokens from "../../credentials/mailed/service.ts";
import type { Context } from "../../runtime/context.ts";
import * as browserSessions from "../../sessions/browser-sessions.ts";
import { isSignedIn } from "../account-sessions.ts";
import * as users from "../../users/service.ts";
import type { User } from "../../users/user.ts";

/** `sessionId`: of the sign-in that requested the link. */
type ConfirmLink = { token: EmailToken } & (
  | { purpose: "sign-up" | "sign-in"; sessionId: string }
  | { purpose: "verify" | "change" }
);

/** Undefined if the link is no longer valid. */
export async function find(ctx: Context, secret: string): Promise<ConfirmLink | undefined> {
  const token = await emailTokens.find(ctx, secret);
  if (token?.purpose === "sign-up" || token?.purpose === "sign-in")
    return { token, purpose: token.purpose, sessionId: emailTokens.sessionIdOf(ctx, token) ?? "" };
  return token?.purpose === "verify" || token?.purpose === "change" ? { token, purpose: token.purpose } : undefined;
}

/**
 * `signedIn`: set if this browser may verify the address: the user is signed in to the account
 * page, and for a change asked for it there. Undefined if the application is gone.
 */
export async function findAccount(
  ctx: Context,
  token: EmailToken,
  browserDigest: string,
): Promise<{ application: Application; signedIn: { user: User; tie: string } | undefined } | undefined> {
  const { appId, userId } = token;
  const application = await applications.find(ctx, ctx.storage.reader, appId);
  if (!application) return undefined;
  const session = await browserSessions.find(ctx, ctx.storage.reader, browserDigest, application);
  const user = session && session.userId === userId ? await users.find(ctx.storage.reader, userId) : undefined;
  if (!session || !user || user.disabledAt !== null) return { application, signedIn: undefined };
  // Like the account page: a factor that was set up since is asked for first.
  if (!(await isSignedIn(ctx, session, application))) return { application, signedIn: undefined };
  const signedIn = { user, tie: session.tie };
  const isHere = token.purpose !== "change" || addressChange.isOf(ctx, signedIn, token);
  return { application, signedIn: isHere ? signedIn : undefined };
}
