import { isoTime } from "../lib/clock.ts";

/** What an endpoint can be told of: the contract's three (section 6), and those that decision 11 adds. */
export const eventKinds = [
  "user.login",
  "user.logout",
  "user.created",
  "user.updated",
  "user.deleted",
  "method.added",
  "method.removed",
  "login.failed",
  "token.reuse",
] as const;

export type EventKind = (typeof eventKinds)[number];

/** What happened, as the domain that did it says it. The address of the user is looked up when somebody is to be told. */
export type NewEvent = {
  kind: EventKind;
  appId: string;
  /** Null where nobody is known, as in `login.failed`. */
  userId: string | null;
  authMethod: "passkey" | "oauth" | "password" | null;
  /** Of the person as far as it is known; null where a command caused it. */
  origin: { ipAddress: string | null; userAgent: string | null } | null;
  /** The id of the login (`lgn_…`), which is `sid` in its access tokens. Never a sign-in session's id, which is a capability. */
  sessionId: string | null;
};

/** What is sent of an event. `occurredAt` in epoch milliseconds. */
export type EventFacts = {
  kind: EventKind;
  occurredAt: number;
  userId: string | null;
  email: string | null;
  authMethod: string | null;
  ipAddress: string | null;
  userAgent: string | null;
  sessionId: string | null;
};

/**
 * The contract's payload, with all six keys of `data` whatever the kind. Made anew from the same columns for every attempt, in this order of keys,
 * so that each attempt sends the same bytes, and an address can be taken out of what still waits.
 */
export function bodyOf(event: EventFacts): string {
  const { kind, occurredAt, userId, email, authMethod, ipAddress, userAgent, sessionId } = event;
  return JSON.stringify({
    event: kind,
    timestamp: isoTime(occurredAt),
    data: { userId, email, authMethod, ipAddress, userAgent, sessionId },
  });
}

/** An event that never happened, about nobody: what a receiver is tested with. */
export function sampleOf(kind: EventKind, now: number): EventFacts {
  const isAboutMethod = kind.startsWith("method.");
  const hasLogin = kind === "user.login" || kind === "user.logout" || kind === "token.reuse";
  return {
    kind,
    occurredAt: now,
    userId: kind === "login.failed" ? null : "usr_00000000000000000000000000",
    email: kind === "login.failed" || kind === "user.deleted" ? null : "test@example.com",
    authMethod: hasLogin || isAboutMethod || kind === "login.failed" || kind === "user.created" ? "passkey" : null,
    ipAddress: kind === "user.deleted" ? null : "192.0.2.1",
    userAgent: kind === "user.deleted" ? null : "authsvc webhook test",
    sessionId: hasLogin ? "lgn_00000000000000000000000000" : null,
  };
}
