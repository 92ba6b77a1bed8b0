import type { Application } from "../../applications/application.ts";
import { provenTime } from "../../factors/assurance.ts";
import { minute, second } from "../../lib/clock.ts";
import type { BrowserSession } from "../../sessions/browser-session-store.ts";
import { maxSingleSignOnSeconds } from "../../storage/column-types.ts";
import type { User } from "../../users/user.ts";
import type { SignInSession } from "../session.ts";

/** The user signed in to this browser. */
export type SignedIn = { browserSession: BrowserSession; user: User };

/** Until its code is redeemed, the browser session must not expire. */
const leftAtLeast = 2 * minute;

/**
 * Whether single sign-on may use this browser session (docs/spec/openid.md, 4). `provenAt` is 0 if
 * the proof is outdated. The time at a provider matters only if the request asks for one.
 */
export function isYoungEnough(
  { provenAt, expiresAt }: Pick<BrowserSession, "provenAt" | "expiresAt">,
  { settings: { singleSignOnSeconds = maxSingleSignOnSeconds } }: Pick<Application, "settings">,
  now: number,
): boolean {
  return provenAt > 0 && now - provenAt < singleSignOnSeconds * second && expiresAt - now > leftAtLeast;
}

/** Whether this person may continue the session without a new proof. */
export function mayContinue(session: SignInSession, { browserSession, user }: SignedIn, now: number): boolean {
  if (session.purpose !== "sign-in" || session.pendingLink !== null) return false;
  if (session.accountUserId !== null && session.accountUserId !== user.id) return false;
  if (session.loginHint !== null && session.loginHint !== user.email) return false;
  const { authorization, authMethod } = session;
  // In whole seconds, as the client compares `auth_time`.
  const provenAt = provenTime(browserSession.provenAt, browserSession.provenElsewhereAt);
  const age = Math.floor(now / second) - Math.floor(provenAt / second);
  const maxAge = authorization ? authorization.maxAge : session.maxAge;
  if (maxAge !== null && (maxAge === 0 || age > maxAge)) return false;
  // The contract's app asked for a method: its person proves it.
  if (authorization === null) return authMethod === null;
  return !authorization.prompt.includes("login");
}

/** Whether they continue by themselves, without a page. */
export function continuesAlone({ authorization }: SignInSession): boolean {
  return authorization !== null && !authorization.prompt.includes("select_account");
}
