import { isoTime } from "../lib/clock.ts";

/** What made tokens invalid before their end. */
export type Revocation = {
  /** Empty: every application's. */
  appId: string;
  /** One login. */
  loginId: string | null;
  /** The logins of a user that began before `at`. */
  userId: string | null;
  /** All tokens signed by a key. If none of the three is given: all tokens of the application. */
  keyId: string | null;
  at: number;
};

/**
 * As the feed says it (docs/spec/sdk.md, 1). A reader that does not know a kind asks about every
 * token.
 */
export type RevocationAnswer = { sid: string } | { sub: string; before: string } | { kid: string } | { app: string };

export function answerOf({ appId, loginId, userId, keyId, at }: Revocation): RevocationAnswer {
  if (loginId !== null) return { sid: loginId };
  if (userId !== null) return { sub: userId, before: isoTime(at) };
  return keyId === null ? { app: appId } : { kid: keyId };
}
