import type { Application } from "../applications/application.ts";
import * as applications from "../applications/service.ts";
import { isEnough } from "../factors/assurance.ts";
import * as factors from "../factors/service.ts";
import type { Context } from "../runtime/context.ts";
import type { BrowserSession } from "../sessions/browser-session-store.ts";

/**
 * Whether a browser session still opens the account: its method is allowed, and a factor that was
 * set up or required since was proven. Passkeys may be required or passwords disabled by now.
 */
export async function isSignedIn(ctx: Context, session: BrowserSession, application: Application): Promise<boolean> {
  if (!applications.accepts(application, session.signedInWith, null)) return false;
  const { isRequired, hasFactor } = await factors.demandOn(ctx.storage.reader, application, session.userId);
  return isEnough(session, { isRequired, hasFactor, takesTrust: true });
}
