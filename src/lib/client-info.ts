/**
 * Where a request came from, for what is remembered of it. `timeZone`: of a browser on our pages,
 * null if unknown.
 */
export type ClientInfo = { ipAddress: string; userAgent: string | null; timeZone?: string | null; requestId: string };

/**
 * The client to show to users and in webhooks. Null for an application's server: its address is not
 * the user's.
 */
export function personsClient(by: { actor: { kind: string }; clientInfo?: ClientInfo | undefined }): ClientInfo | null {
  return by.actor.kind === "app" ? null : (by.clientInfo ?? null);
}
