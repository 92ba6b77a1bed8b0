import type { SignInMethod } from "../applications/application.ts";
import { minute, second } from "../lib/clock.ts";

/** An authentication under way, from initiate to the code. Only the digests of its id, browser cookie and code are stored. */
export type SignInSession = {
  digest: string;
  appId: string;
  redirectUri: string;
  state: string | null;
  /** What the app asked for; null leaves the choice to the person. */
  authMethod: SignInMethod | null;
  provider: string | null;
  scopes: string[];
  codeChallenge: string | null;
  loginHint: string | null;
  locale: string | null;
  createdAt: number;
  expiresAt: number;
  browserDigest: string | null;
  userId: string | null;
  signedInWith: SignInMethod | null;
  signedInProvider: string | null;
  signedInAt: number | null;
  ipAddress: string | null;
  userAgent: string | null;
  codeDigest: string | null;
  codeExpiresAt: number | null;
  codeUsedAt: number | null;
  loginId: string | null;
};

export const sessionLasts = 10 * minute;
export const codeLasts = 60 * second;
export const allScopes = ["profile", "email"] as const;

const sessionIdForm = /^sis_[A-Za-z0-9_-]{43}$/u;

/** Whether a text can be a session id at all; anything else is refused without reading storage. */
export function isSessionId(text: string): boolean {
  return sessionIdForm.test(text);
}
