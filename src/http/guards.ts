import type { RateLimits } from "../lib/rate-limits.ts";
import type { HttpRequest } from "./request.ts";
import type { Guard } from "./route.ts";

/** The facts of a user's access token by which its call is counted. */
type CountedBearer = { user: { id: string }; claims: { aud: string; client_id: string } };

/**
 * Counts a user's calls by user and by client, so that a third-party program cannot use up what the
 * application needs to serve its user.
 */
export function countedAsUser({ user, claims: { aud, client_id: clientId } }: CountedBearer): string {
  return clientId === aud ? `user:${user.id}` : `user:${user.id}:${clientId}`;
}

/**
 * The same guard; these calls are counted apart from the caller's others, by their own limit or the
 * same number. Calls that are counted by address are not counted apart.
 */
export function countedApart<T>(guard: Guard<T>, name: string, limits?: RateLimits): Guard<T> {
  return {
    ...guard,
    async admit(ctx, request) {
      const admitted = await guard.admit(ctx, request);
      const { countedAs } = admitted;
      return countedAs === undefined
        ? admitted
        : { ...admitted, countedAs: `${countedAs}:${name}`, limits: limits ?? admitted.limits };
    },
  };
}

const scheme = "bearer ";

/**
 * The credential after the scheme `Bearer`, unparsed (RFC 6750 §2.1): it is looked up or verified
 * as a whole.
 */
export function bearerCredential(request: HttpRequest): string | undefined {
  const header = request.header("authorization");
  return header?.slice(0, scheme.length).toLowerCase() === scheme ? header.slice(scheme.length) : undefined;
}

const boundScheme = "dpop ";

/** An access token in the Authorization header; `isBound`: by the scheme DPoP (RFC 9449 §7.1). */
export function tokenCredential(request: HttpRequest): { token: string | undefined; isBound: boolean } {
  const header = request.header("authorization");
  return header?.slice(0, boundScheme.length).toLowerCase() === boundScheme
    ? { token: header.slice(boundScheme.length), isBound: true }
    : { token: bearerCredential(request), isBound: false };
}
