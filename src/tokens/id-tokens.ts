/** Signs ID tokens (OpenID Connect Core 1.0 §2) and recognizes them as hints. */
import { acrOf, acrValues, isAtLeast } from "../factors/assurance.ts";
import { second } from "../lib/clock.ts";
import { accessTokenHash } from "../lib/token-hash.ts";
import type { Context } from "../runtime/context.ts";
import type { LoginToContinue } from "../sessions/login.ts";
import type { SigningAlgorithm } from "../storage/column-types.ts";
import type { Membership } from "../organizations/membership-store.ts";
import { amrOf, authTimeOf, within } from "./claims.ts";
import { parseJwt, signatureProblem, signJwt } from "./jwt.ts";
import * as signingKeys from "./signing-keys.ts";

const idTokenSeconds = 900;
/** With the longest nonce, name and picture, and 4 KiB of claims of the application. */
const maxCharacters = 14_000;

/** The login claims of an ID token that we issued. The token may have expired. */
export type IdTokenHint = { sub: string; sid: string; clientId: string };

/** `userClaims`: those of the granted scopes and the `claims` parameter. */
export type IdTokenInput = {
  login: LoginToContinue;
  /** Of the access token beside it. */
  organization?: Membership | undefined;
  client: { id: string; idTokenAlg: SigningAlgorithm };
  nonce: string | null;
  accessToken: string;
  userClaims: Record<string, unknown>;
};

export async function sign(
  ctx: Context,
  { login: started, organization, client, nonce, accessToken, userClaims }: IdTokenInput,
): Promise<string> {
  const now = ctx.clock();
  const login = within(started, organization, now);
  const issuedAt = Math.floor(now / second);
  const claims = {
    ...userClaims,
    iss: ctx.baseUrl,
    sub: login.userId,
    aud: client.id,
    azp: client.id,
    iat: issuedAt,
    exp: issuedAt + idTokenSeconds,
    ...authTimeOf(login),
    ...(nonce === null ? {} : { nonce }),
    acr: answeredAcr(login),
    amr: amrOf(login),
    sid: login.id,
    at_hash: accessTokenHash(accessToken, client.idTokenAlg),
  };
  return signJwt(claims, await signingKeys.forSigningExactly(ctx, client.idTokenAlg), "JWT");
}

/**
 * An ID token that this service issued, at any time: expired ones are hints too. Undefined if
 * it did not. The caller checks that it is of its client and browser.
 */
export async function findHint(ctx: Context, idToken: string): Promise<IdTokenHint | undefined> {
  const parsed = parseJwt(idToken, maxCharacters);
  const kid = parsed?.header["kid"];
  if (!parsed || typeof kid !== "string") return undefined;
  await signingKeys.refresh(ctx, kid);
  if (signatureProblem(parsed, (kid) => signingKeys.find(ctx, kid), "JWT") !== undefined) return undefined;
  const { iss, sub, sid, aud: clientId } = parsed.claims;
  if (typeof sub !== "string" || typeof sid !== "string" || typeof clientId !== "string") return undefined;
  return iss === ctx.baseUrl ? { sub, sid, clientId } : undefined;
}

/**
 * The level that was reached, as one of the values that the client asked for, if one is reached.
 */
function answeredAcr(login: LoginToContinue): string {
  const reached = acrOf(login);
  const { value, values = [value] } = login.claimsRequest?.id_token?.["acr"] ?? {};
  const asked = acrValues.filter((acr) => values.includes(acr) && isAtLeast(reached, acr));
  return asked.at(-1) ?? reached;
}
