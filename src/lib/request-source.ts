/**
 * Where a request came from, as stored with its effects. `timeZone`: of a browser on our pages,
 * null if unknown.
 */
export type RequestSource = {
  ipAddress: string;
  userAgent: string | null;
  timeZone?: string | null;
  requestId: string;
};

/**
 * The source to show to users and in webhooks. Null for an application's server, its machines and
 * an operator: their address is not the user's.
 */
export function personsSource(by: {
  actor: { kind: string };
  source?: RequestSource | undefined;
}): RequestSource | null {
  return ["app", "client", "operator"].includes(by.actor.kind) ? null : (by.source ?? null);
}
