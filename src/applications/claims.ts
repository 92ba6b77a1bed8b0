import { bytesOfClaim, maxClaimBytes } from "../lib/claim-size.ts";
import { invalidRequest } from "../lib/errors.ts";
import { factsOn, profileFacts } from "../lib/profile-facts.ts";
import { isStorable } from "../lib/text.ts";
import type { ApplicationClaim, ClaimPlace } from "../storage/column-types.ts";

/**
 * Claims that the service or a standard defines, which an application's claim must not imitate: JWT
 * and RFC 9068, OpenID Connect Core 1.0, RFC 7662, RFC 8693, RFC 7800, logout tokens.
 */
const reservedClaims = new Set<string>([
  ...factsOn("claims").map((fact) => profileFacts[fact].claim.name),
  ...[
    "iss sub aud exp nbf iat jti sid scope client_id user_id app_id auth_time nonce acr amr azp at_hash c_hash s_hash",
    "act may_act cnf credential_id events email email_verified updated_at toe typ kid alg",
    "active token_type token_use username valid user scopes constructor prototype",
  ].flatMap((line) => line.split(" ")),
]);

const maxClaims = 32;
const maxValueBytes = 1024;
/** Also a URL, as other services name theirs. */
const claimForm = /^[A-Za-z][A-Za-z0-9_.:/-]{0,127}$/u;
const fromForm = /^(?:groups|value|(?:public|private|profile)\..{1,128})$/su;
const places: readonly ClaimPlace[] = ["access", "id", "userinfo"];

/**
 * Checks the claims that an application adds to its tokens. Null for none. Throws INVALID_REQUEST
 * naming the field.
 */
export function checkedClaims(claims: readonly ApplicationClaim[] | null): ApplicationClaim[] | null {
  if (claims === null || claims.length === 0) return null;
  if (claims.length > maxClaims) throw invalidRequest("claims", `at most ${maxClaims}`);
  const checked = claims.map((one, index) => checkedClaim(one, `claims[${index}]`, claims.slice(0, index)));
  for (const place of places) {
    const constants = checked.filter((one) => one.from === "value" && one.in.includes(place));
    const bytes = constants.reduce((sum, { claim, value }) => sum + bytesOfClaim(claim, value), 0);
    if (bytes > maxClaimBytes)
      throw invalidRequest("claims", `at most ${maxClaimBytes} bytes of JSON in a token, all claims together`);
  }
  return checked;
}

function checkedClaim(given: ApplicationClaim, field: string, before: readonly ApplicationClaim[]): ApplicationClaim {
  const { claim, from, value, in: placed } = given;
  if (!claimForm.test(claim))
    throw invalidRequest(
      `${field}.claim`,
      "1 to 128 letters, digits, '_', '.', ':', '/' or '-', starting with a letter",
    );
  // Some readers compare names without case.
  const lower = claim.toLowerCase();
  if (reservedClaims.has(lower)) throw invalidRequest(`${field}.claim`, `${claim} is reserved; choose another name`);
  if (before.some((other) => other.claim === claim)) throw invalidRequest(`${field}.claim`, `${claim} is given twice`);
  if (!fromForm.test(from) || !isStorable(from))
    throw invalidRequest(`${field}.from`, "one of groups, public.KEY, private.KEY, profile.NAME, value");
  // The scope `groups` fills this claim.
  if (lower === "groups" && from !== "groups")
    throw invalidRequest(`${field}.from`, `must be groups for the claim ${claim}`);
  if (from === "value" && (value === undefined || value === null))
    throw invalidRequest(`${field}.value`, "required if from is value");
  if (from !== "value" && value !== undefined) throw invalidRequest(`${field}.value`, "only if from is value");
  const placesInOrder = places.filter((place) => placed.includes(place));
  if (placesInOrder.length === 0 || placed.some((place) => !places.includes(place)))
    throw invalidRequest(`${field}.in`, `at least one of ${places.join(", ")}`);
  if (from !== "value") return { claim, from, in: placesInOrder };
  const text = JSON.stringify(value);
  if (!isStorable(text) || text.includes(String.raw`\u0000`) || text.includes('"__proto__"'))
    throw invalidRequest(`${field}.value`, "no NUL, no unpaired surrogate, no key __proto__");
  if (Buffer.byteLength(text) > maxValueBytes)
    throw invalidRequest(`${field}.value`, `at most ${maxValueBytes} bytes of JSON`);
  return { claim, from, value, in: placesInOrder };
}
