import type { Application } from "../applications/application.ts";
import type { Place } from "../credentials/passkeys/service.ts";
import type { RequestSource } from "../lib/request-source.ts";
import type { SignInSession } from "./session.ts";

/** A session in the browser that owns it, with the digests of the browser's other cookies. */
export type SignInAttempt = {
  sessionId: string;
  session: SignInSession;
  application: Application;
  browserDigest: string;
  /** The cookie that replaces it once a proof is kept. */
  renewedBrowser: string;
  /** The new cookie for the account page. */
  browserSession: string;
  /** The cookie that it replaces. */
  currentBrowserSession: string;
  /** The long-lived cookie that recognises the browser. */
  knownBrowser: string;
  /** The cookie of a browser that this user trusts; a new one if there is none. */
  trustedBrowser: (userId: string) => string;
  /** The language of the pages. */
  lang: string;
  source: RequestSource;
};

/** The context of this browser's passkey ceremonies. */
export function passkeyPlaceOf({ digest: sessionDigest }: SignInSession, browserDigest: string): Place {
  return { sessionDigest, browserDigest };
}
