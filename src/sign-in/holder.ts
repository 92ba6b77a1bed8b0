import type { Application } from "../applications/application.ts";
import type { Place } from "../credentials/passkeys/service.ts";
import type { ClientInfo } from "../lib/client-info.ts";
import type { SignInSession } from "./session.ts";

/** A session in the browser that owns it, with the digests of the browser's other cookies. */
export type Holder = {
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
  /** The language of the pages. */
  lang: string;
  clientInfo: ClientInfo;
};

/** The context of this browser's passkey ceremonies. */
export function passkeyPlaceOf({ digest: sessionDigest }: SignInSession, browserDigest: string): Place {
  return { sessionDigest, browserDigest };
}
