import { isoTime } from "../../lib/clock.ts";

/** An entry of the feed: why tokens became invalid before they expired. */
export type Revocation = {
  /** Empty: every application. */
  appId: string;
  /** One login. */
  loginId: string | null;
  /** The logins of a user that began before `at`. */
  userId: string | null;
  /** All tokens signed by a key. If all ids are null: all tokens of the application. */
  keyId: string | null;
  /** The tokens issued before `at` that name an organization; with `userId`, only this user's. */
  organizationId: string | null;
  at: number;
};

/**
 * An entry as callers get it (docs/spec/sdk.md, 1). A caller that does not know its kind validates
 * every token with the service.
 */
export type RevocationAnswer =
  | { sid: string }
  | { sub: string; before: string }
  | { kid: string }
  | { app: string }
  | { organization: string; before: string; user?: string };

/** Kinds of entries that only callers get who ask for them. */
export const askedKinds = ["organization"] as const;
export type AskedKind = (typeof askedKinds)[number];

/**
 * Undefined: nothing for this caller. One that does not know organizations gets the change of a
 * person as one of all their logins (docs/decisions/0095).
 */
export function answerOf(
  { appId, loginId, userId, keyId, organizationId: organization, at }: Revocation,
  kinds: readonly AskedKind[],
): RevocationAnswer | undefined {
  if (loginId !== null) return { sid: loginId };
  const before = isoTime(at);
  if (organization !== null && kinds.includes("organization"))
    return { organization, before, ...(userId === null ? {} : { user: userId }) };
  if (userId !== null) return { sub: userId, before };
  if (organization !== null) return undefined;
  return keyId === null ? { app: appId } : { kid: keyId };
}
