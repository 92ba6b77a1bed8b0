import { isoTime } from "../../lib/clock.ts";

/** An entry of the feed: why tokens became invalid before they expired. */
export type Revocation = {
  /** Empty: every application. */
  appId: string;
  /** One login. */
  loginId: string | null;
  /** The logins of a user that began before `at`. */
  userId: string | null;
  /** All tokens signed by a key. If all three ids are null: all tokens of the application. */
  keyId: string | null;
  at: number;
};

/**
 * An entry as callers get it (docs/spec/sdk.md, 1). A caller that does not know its kind validates
 * every token with the service.
 */
export type RevocationAnswer = { sid: string } | { sub: string; before: string } | { kid: string } | { app: string };

export function answerOf({ appId, loginId, userId, keyId, at }: Revocation): RevocationAnswer {
  if (loginId !== null) return { sid: loginId };
  if (userId !== null) return { sub: userId, before: isoTime(at) };
  return keyId === null ? { app: appId } : { kid: keyId };
}
