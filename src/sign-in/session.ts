import type { SignInMethod } from "../applications/application.ts";
import { minute, second } from "../lib/clock.ts";

/** What the proof of an identity is for: an app's code, the account page, or one more method on an account. */
export type SessionPurpose = "sign-in" | "account" | "add-method";

/** An authentication under way, from initiate to the code. Only the digests of its id, browser cookie and code are stored. */
export type SignInSession = {
  digest: string;
  appId: string;
  purpose: SessionPurpose;
  redirectUri: string;
  state: string | null;
  /** What the app asked for; null leaves the choice to the person. */
  authMethod: SignInMethod | null;
  provider: string | null;
  scopes: string[];
  codeChallenge: string | null;
  loginHint: string | null;
  locale: string | null;
  /** The only user that this session takes a proof of; null takes anybody's. */
  accountUserId: string | null;
  /** What is to be added to that user's account. */
  adds: SignInMethod | null;
  addsProvider: string | null;
  createdAt: number;
  expiresAt: number;
  browserDigest: string | null;
  /** A proof after which one more step is to come. */
  provenUserId: string | null;
  provenWith: SignInMethod | null;
  provenProvider: string | null;
  provenAt: number | null;
  userId: string | null;
  signedInWith: SignInMethod | null;
  signedInProvider: string | null;
  signedInAt: number | null;
  ipAddress: string | null;
  userAgent: string | null;
  browserSessionDigest: string | null;
  codeDigest: string | null;
  codeExpiresAt: number | null;
  codeUsedAt: number | null;
  loginId: string | null;
};

export const sessionLasts = 10 * minute;
export const codeLasts = 60 * second;
/** For so long a proof of who somebody is lets them change how they sign in (decision 6). */
export const proofIsFresh = 10 * minute;
export const allScopes = ["profile", "email"] as const;

const sessionIdForm = /^sis_[A-Za-z0-9_-]{43}$/u;

/** Whether a text can be a session id at all; anything else is refused without reading storage. */
export function isSessionId(text: string): boolean {
  return sessionIdForm.test(text);
}
