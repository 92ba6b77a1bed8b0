import { isoTime } from "../../lib/clock.ts";
import type { EventKind, SignInMethod } from "../../storage/column-types.ts";

/**
 * An event as its domain reports it. The user's address is looked up only if there is a receiver.
 */
export type NewEvent = {
  kind: EventKind;
  appId: string;
  /** Null for an unknown user, as in `login.failed`. */
  userId: string | null;
  /** `totp`: a second factor, in `method.added` and `method.removed`. */
  authMethod: SignInMethod | "totp" | null;
  /** The person's client, as far as known; null for a command. */
  source: { ipAddress: string | null; userAgent: string | null } | null;
  /**
   * The id of the login (`lgn_…`), which is `sid` in its access tokens. Never the id of a sign-in
   * session, which is a capability.
   */
  sessionId: string | null;
  /** The OpenID Connect client of a login that ended: it gets a logout token if it wants them. */
  clientId?: string | null;
  /** Of `organization.…` events, with the roles of a member. */
  organization?: { id: string; roles: string[] | null };
};

/** The content of an event. `occurredAt` is in epoch milliseconds. */
export type EventFacts = {
  kind: EventKind;
  occurredAt: number;
  userId: string | null;
  email: string | null;
  authMethod: string | null;
  ipAddress: string | null;
  userAgent: string | null;
  sessionId: string | null;
  organizationId?: string | null;
  roles?: string[] | null;
};

/**
 * The contract's payload, with all six keys of `data` for every kind, and two more for those of
 * organizations. Built for every attempt from
 * the same columns with the same key order, so all attempts send the same bytes, and an address can
 * be removed from waiting events.
 */
export function bodyOf(event: EventFacts): string {
  const { kind, occurredAt, userId, email, authMethod, ipAddress, userAgent, sessionId } = event;
  const { organizationId = null, roles = null } = event;
  return JSON.stringify({
    event: kind,
    timestamp: isoTime(occurredAt),
    data: {
      userId,
      email,
      authMethod,
      ipAddress,
      userAgent,
      sessionId,
      ...(organizationId !== null && { organizationId, roles }),
    },
  });
}

/** A fictional event for testing a receiver. */
export function sampleOf(kind: EventKind, now: number): EventFacts {
  const isAboutMethod = kind.startsWith("method.");
  const isOfOrganization = kind.startsWith("organization.");
  const isOfMember = kind.startsWith("organization.member.");
  const hasLogin = kind === "user.login" || kind === "user.logout" || kind === "token.reuse";
  const isAboutNobody = kind === "login.failed" || (isOfOrganization && !isOfMember);
  return {
    kind,
    occurredAt: now,
    userId: isAboutNobody ? null : "usr_00000000000000000000000000",
    email: isAboutNobody || kind === "user.deleted" ? null : "test@example.com",
    authMethod: hasLogin || isAboutMethod || kind === "login.failed" || kind === "user.created" ? "passkey" : null,
    ipAddress: kind === "user.deleted" ? null : "192.0.2.1",
    userAgent: kind === "user.deleted" ? null : "authsvc webhook test",
    sessionId: hasLogin ? "lgn_00000000000000000000000000" : null,
    ...(isOfOrganization && {
      organizationId: "org_00000000000000000000000000",
      roles: isOfMember ? ["member"] : null,
    }),
  };
}
