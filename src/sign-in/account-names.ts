import type { BrowserSessions } from "../account/browser-sessions.ts";
import { maskedEmail } from "../lib/email.ts";
import type { Users } from "../users/service.ts";
import type { User } from "../users/user.ts";
import type { Visit, Visits } from "./visits.ts";

export type AccountNames = ReturnType<typeof createAccountNames>;

/**
 * How a page names its session's account. The name may be masked, because an app without the scope
 * `email` can open the page.
 */
export function createAccountNames(deps: { visits: Visits; users: Users; browserSessions: BrowserSessions }) {
  const { visits, users, browserSessions } = deps;

  async function isTheirBrowser(visit: Visit, user: User): Promise<boolean> {
    const { session, application, browser } = visit;
    const isProven = session.provenUserId === user.id || session.inviteDigest !== null;
    if (isProven && session.browserDigest === browser.digest) return true;
    const signedIn = await browserSessions.find(visits.forProof(visit).currentBrowserSession, application.id);
    return signedIn?.userId === user.id;
  }

  /**
   * In full only for a browser that is signed in as this user or has just proven it; masked
   * otherwise.
   */
  async function nameOf(visit: Visit, user: User): Promise<string> {
    const { email, name, id } = user;
    if (await isTheirBrowser(visit, user)) return email ?? name ?? id;
    if (email !== null) return maskedEmail(email);
    return name === null ? id : `${[...name][0] ?? ""}…`;
  }

  return {
    nameOf,

    /** The name of the only account that this session accepts; undefined if it accepts any. */
    async find(visit: Visit): Promise<string | undefined> {
      const { accountUserId } = visit.session;
      const user = accountUserId === null ? undefined : await users.find(accountUserId);
      return user && (await nameOf(visit, user));
    },
  };
}
