import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { BrowserSession } from "../account/store.ts";
import type { Application } from "../applications/application.ts";
import type { Applications } from "../applications/service.ts";
import type { Browser, Browsers } from "../hosted/browser.ts";
import type { HttpRequest } from "../http/request.ts";
import type { User } from "../users/user.ts";
import type { Users } from "../users/service.ts";

/** Somebody who is signed in to an application in this browser. */
export type SignedInHere = { application: Application; browser: Browser; session: BrowserSession; user: User };

/** Finds who is signed in in this browser, to every application. */
export function createSignedInHere(deps: {
  browsers: Browsers;
  browserSessions: BrowserSessions;
  applications: Applications;
  users: Users;
}) {
  const { browsers, browserSessions, applications, users } = deps;

  return async (request: HttpRequest): Promise<SignedInHere[]> => {
    const sessions = await browserSessions.findAll(browsers.digests(request));
    const found = await Promise.all(
      sessions.map(async (session): Promise<SignedInHere[]> => {
        const browser = browsers.meet(request, { kind: "account", key: session.appId });
        const [application, user] = await Promise.all([applications.find(session.appId), users.find(session.userId)]);
        // A cookie under another name is not this application's.
        return application && user && browser.digest === session.digest
          ? [{ application, browser, session, user }]
          : [];
      }),
    );
    return found.flat().toSorted((a, b) => a.application.name.localeCompare(b.application.name));
  };
}
