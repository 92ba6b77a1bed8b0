import type { Application } from "../../applications/application.ts";
import * as applications from "../../applications/service.ts";
import type { HttpRequest } from "../../http/request.ts";
import * as browsers from "../hosted/browser.ts";
import type { Browser } from "../hosted/browser.ts";
import type { Context } from "../../runtime/context.ts";
import type { BrowserSession } from "../../sessions/browser-session-store.ts";
import * as browserSessions from "../../sessions/browser-sessions.ts";
import * as users from "../../users/service.ts";
import type { User } from "../../users/user.ts";

/** Somebody who is signed in to an application in this browser. */
export type SignedInHere = { application: Application; browser: Browser; session: BrowserSession; user: User };

/** Finds who is signed in in this browser, to every application. */
export async function signedInHere(ctx: Context, request: HttpRequest): Promise<SignedInHere[]> {
  const sessions = await browserSessions.findAll(ctx, browsers.digests(ctx, request));
  const rows = await Promise.all(
    sessions.map(async (session): Promise<SignedInHere[]> => {
      const browser = browsers.meet(ctx, request, { kind: "account", key: session.appId });
      const [application, user] = await Promise.all([
        applications.find(ctx, ctx.storage.reader, session.appId),
        users.find(ctx.storage.reader, session.userId),
      ]);
      // A cookie under another name is not this application's.
      return application && user && browser.digest === session.digest ? [{ application, browser, session, user }] : [];
    }),
  );
  return rows.flat().toSorted((a, b) => a.application.name.localeCompare(b.application.name, "en"));
}
