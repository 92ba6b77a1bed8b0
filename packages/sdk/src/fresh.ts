import type { InitiateRequest } from "./api.ts";
import type { Authsvc } from "./authsvc.ts";
import { isInvalidToken } from "./errors.ts";
import { never } from "./recent.ts";
import type { Session } from "./sessions.ts";
import { configurationError } from "./settings.ts";

/**
 * What a route asks of a sign-in. `acr`: two factors ("urn:authsvc:acr:2"), or a passkey ("phr").
 * `maxAge`: the most seconds since the person was proven, at least 60.
 */
export type Needs = Pick<InitiateRequest, "acr" | "maxAge">;

/** The organization to sign in to, by id or slug. */
type Place = { organization?: string };

/** From weak to strong. */
const levels: unknown[] = ["urn:authsvc:acr:1", "urn:authsvc:acr:2", "phr"] satisfies Needs["acr"][];
/** The least `maxAge`: people who come back from the sign-in must still be recent. */
const leastAge = 60;

/** @throws AuthsvcError CONFIGURATION */
export function checkedNeeds(needs: Needs): Needs {
  const { acr, maxAge } = needs;
  const isAcr = acr === undefined ? maxAge !== undefined : levels.includes(acr);
  if (!isAcr) throw configurationError(`requireFresh: acr must be one of ${levels.join(", ")}.`);
  if (maxAge !== undefined && !(Number.isInteger(maxAge) && maxAge >= leastAge))
    throw configurationError(`requireFresh: maxAge must be whole seconds, at least ${leastAge}.`);
  return needs;
}

/** Whether the sign-in of this session is as strong and as recent as asked. */
export async function isFresh({ now, validate }: Authsvc, { user, accessToken }: Session, needs: Needs) {
  const { acr, maxAge } = checkedNeeds(needs);
  const { claims } = user;
  // Without the claim, nobody was ever proven.
  const age = Math.floor(now() / 1000) - (claims.auth_time ?? never);
  if (maxAge !== undefined && age > maxAge) return false;
  if (acr === undefined) return true;
  const reaches = (reached: unknown): boolean => levels.indexOf(reached) >= levels.indexOf(acr);
  if (!reaches(claims.acr) || claims.acr !== levels[1]) return reaches(claims.acr);
  try {
    // The token cannot tell that a factor was removed since.
    return reaches((await validate(accessToken)).acr ?? claims.acr);
  } catch (error) {
    if (isInvalidToken(error)) return false;
    throw error;
  }
}

/** Where a sign-in starts that brings the person back. */
export function signInAddress(signInPath: string, returnTo: string, needs: Needs & Place = {}): string {
  const { acr, maxAge, organization } = needs;
  const asked = Object.entries({ returnTo, acr, maxAge, organization }).filter(([, value]) => value !== undefined);
  return `${signInPath}?${asked.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join("&")}`;
}

/** The wishes in such an address. Anybody can write one, so others are ignored. */
export function needsIn(query: URLSearchParams): Needs & Place {
  const [acr, maxAge] = [query.get("acr"), query.get("maxAge") ?? ""];
  const organization = query.get("organization") ?? "";
  return {
    ...(levels.includes(acr) && { acr: acr as NonNullable<Needs["acr"]> }),
    ...(/^\d{1,9}$/u.test(maxAge) && { maxAge: Number(maxAge) }),
    ...(/^[\w-]{1,64}$/u.test(organization) && { organization }),
  };
}

/** The challenge of RFC 9470, §3. */
export function challengeOf({ acr, maxAge }: Needs): string {
  const asked = [
    'error="insufficient_user_authentication"',
    ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
    ...(maxAge === undefined ? [] : [`max_age="${maxAge}"`]),
  ];
  return `Bearer ${asked.join(", ")}`;
}
