/** Where a request came from, for what is remembered of it. */
export type ClientInfo = { ipAddress: string; userAgent: string | null; requestId: string };

/**
 * The client of the person who acts, for people and webhooks. An application's server acts for its
 * users, and its address is none of theirs.
 */
export function personsClient(by: { actor: { kind: string }; clientInfo?: ClientInfo | undefined }): ClientInfo | null {
  return by.actor.kind === "app" ? null : (by.clientInfo ?? null);
}
