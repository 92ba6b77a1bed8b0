/**
 * Signs and verifies access tokens. Verified tokens are cached by their exact text, so each
 * signature is checked once. Expiry is checked every time; the caller checks in storage that the
 * login is live.
 */
import { LRUCache } from "lru-cache";
import { clockSkew, second } from "../lib/clock.ts";
import type { Random } from "../lib/random.ts";
import { part, type Context } from "../runtime/context.ts";
import type { AppSettings } from "../storage/column-types.ts";
import { parseJwt, signatureProblem, signJwt } from "./jwt.ts";
import * as signingKeys from "./signing-keys.ts";

/** The claims of an access token, of the contract and RFC 9068. Times are epoch seconds. */
export type AccessTokenClaims = {
  iss: string;
  sub: string;
  aud: string;
  user_id: string;
  app_id: string;
  /** The client that requested it. */
  client_id: string;
  /** Both only with the scope `email`. Apps must not trust an unverified address. */
  email?: string | null;
  email_verified?: boolean;
  iat: number;
  exp: number;
  jti: string;
  /** The login, which logout ends. */
  sid: string;
  scope: string;
  /** Missing in tokens minted by an operator. */
  auth_time?: number;
  acr?: string;
  amr: string[];
  /** The organization that it names, and the user's roles there. */
  org_id?: string;
  org_roles?: string[];
  /** It rests on the provider of that organization alone, and is for nothing else. */
  org_confined?: true;
  /** The actor (RFC 8693 §4.1). Such a token cannot change the account. */
  act?: Act;
  /** The key that it requires (RFC 9449 §6.1). */
  cnf?: { jkt: string };
};

/** `act`: the earlier actor. In a token for a resource each `sub` is a client. */
export type Act = { sub: string; act?: Act };

/**
 * The claims of a token for a resource (RFC 8707), which is not valid at this service. In a
 * machine's own token, `sub` is the client, and `credential_id` the secret, key or trust that
 * obtained it.
 */
export type ResourceTokenClaims = Pick<AccessTokenClaims, "iss" | "sub" | "app_id" | "client_id"> &
  Pick<
    AccessTokenClaims,
    "iat" | "exp" | "jti" | "scope" | "auth_time" | "acr" | "act" | "cnf" | "org_id" | "org_roles" | "org_confined"
  > & { aud: [string] } & (
    | { user_id: string; sid: string; amr: string[] }
    | { credential_id: string; sid?: undefined }
  );

/** `kid`: the key that signed it. */
type Genuine<Claims> = { claims: Claims; kid: string } | { reason: string; expired?: true };
export type Verdict = Genuine<AccessTokenClaims>;
export type AnyVerdict = Genuine<AccessTokenClaims | ResourceTokenClaims>;

/** The application settings that determine the signing key. */
export type SigningChoice = Pick<AppSettings, "signingAlgorithm" | "previousSigningAlgorithm">;

/** About 2 KB per entry: the text, the claims and the map around them. */
const maxRemembered = 10_000;
/** So fewer entries, if tokens have many claims. */
const maxRememberedCharacters = 12_000_000;
/** Accepts tokens of a node whose clock is ahead of ours. */
const leewaySeconds = clockSkew / second;

const verifiedTokens = part(
  () =>
    new LRUCache<string, { claims: AccessTokenClaims | ResourceTokenClaims; kid: string }>({
      max: maxRemembered,
      maxSize: maxRememberedCharacters,
      sizeCalculation: (_verdict, token) => token.length,
    }),
);

async function verifyNew(ctx: Context, token: string): Promise<AnyVerdict> {
  const parsed = parseJwt(token);
  if (!parsed) return { reason: "it is not a JWT" };
  const kid = typeof parsed.header["kid"] === "string" ? parsed.header["kid"] : "";
  await signingKeys.refresh(ctx, kid === "" ? undefined : kid);
  const problem = signatureProblem(parsed, (kid) => signingKeys.find(ctx, kid), "at+jwt");
  if (problem !== undefined) return { reason: problem };
  const { claims } = parsed;
  if (!isAccessTokenClaims(claims) && !isResourceTokenClaims(claims))
    return { reason: "its claims are not those of an access token" };
  if (claims.iss !== ctx.baseUrl) return { reason: "it was issued by another service (iss)" };
  const verdict = { claims, kid };
  verifiedTokens(ctx).set(token, verdict);
  return verdict;
}

/** Whether this service signed it, at any time, for itself or for a resource. */
export async function genuine(ctx: Context, token: string): Promise<AnyVerdict> {
  const cached = verifiedTokens(ctx).get(token);
  return cached && signingKeys.find(ctx, cached.kid) ? cached : await verifyNew(ctx, token);
}

function holdsNow(ctx: Context, verdict: AnyVerdict): AnyVerdict {
  if ("reason" in verdict) return verdict;
  const now = ctx.clock() / second;
  if (verdict.claims.exp <= now)
    return { reason: `it expired at ${new Date(verdict.claims.exp * second).toISOString()}`, expired: true };
  if (verdict.claims.iat > now + leewaySeconds) return { reason: "it was issued in the future (iat)" };
  return verdict;
}

export async function sign(
  ctx: Context,
  claims: AccessTokenClaims | ResourceTokenClaims,
  choice: SigningChoice,
): Promise<string> {
  const key = await signingKeys.forSigning(ctx, choice.signingAlgorithm, choice.previousSigningAlgorithm);
  return signJwt(claims, key, "at+jwt");
}

/** The same as `verify`, also for tokens for a resource. */
export async function verifyAny(ctx: Context, token: string): Promise<AnyVerdict> {
  return holdsNow(ctx, await genuine(ctx, token));
}

/** The actors of a token, the last one first. */
export function actorsOf({ act }: { act?: Act }): string[] {
  return act ? [act.sub, ...actorsOf(act)] : [];
}

export function isForResource(claims: AccessTokenClaims | ResourceTokenClaims): claims is ResourceTokenClaims {
  return typeof claims.aud !== "string";
}

/**
 * Whether we signed it for this service and it is valid now; `reason` completes "the token is not
 * valid: …". The caller checks in storage that its login is live and its key was not withdrawn
 * within the last minute.
 */
export async function verify(ctx: Context, token: string): Promise<Verdict> {
  const verdict = await verifyAny(ctx, token);
  if ("reason" in verdict) return verdict;
  const { claims, kid } = verdict;
  return isForResource(claims) ? { reason: "it is for a resource (aud), not for this service" } : { claims, kid };
}

/** A `jti`: 128 random bits. */
export function newTokenId(random: Random): string {
  return Buffer.from(random(16)).toString("base64url");
}

/**
 * The application that a token claims to be for, unverified. Only for deciding who may read an
 * error.
 */
export function claimedApp(token: string): string | undefined {
  const aud = parseJwt(token)?.claims["aud"];
  return typeof aud === "string" ? aud : undefined;
}

/** The resource that a token claims to be for, unverified. */
export function claimedResource(token: string): unknown {
  const aud = parseJwt(token)?.claims["aud"];
  return Array.isArray(aud) ? aud[0] : undefined;
}

/** The client that a token claims to be of, unverified. */
export function claimedClient(token: string): string | undefined {
  const clientId = parseJwt(token)?.claims["client_id"];
  return typeof clientId === "string" ? clientId : undefined;
}

function isAccessTokenClaims(claims: Record<string, unknown>): claims is AccessTokenClaims {
  const { iss, sub, aud, user_id, app_id, client_id, iat, exp, jti, sid, scope } = claims;
  return (
    [iss, sub, aud, client_id, jti, sid, scope].every((value) => typeof value === "string") &&
    sub === user_id &&
    aud === app_id &&
    Number.isInteger(iat) &&
    Number.isInteger(exp)
  );
}

function isResourceTokenClaims(claims: Record<string, unknown>): claims is ResourceTokenClaims {
  const { iss, sub, aud, user_id, app_id, client_id, credential_id, iat, exp, jti, sid, scope } = claims;
  const isOfLogin = sub === user_id && typeof sid === "string";
  const isOfMachine = sub === client_id && typeof credential_id === "string" && sid === undefined;
  return (
    Array.isArray(aud) &&
    [...(aud as unknown[]), iss, sub, app_id, client_id, jti, scope].every((value) => typeof value === "string") &&
    aud.length === 1 &&
    (isOfLogin || isOfMachine) &&
    Number.isInteger(iat) &&
    Number.isInteger(exp)
  );
}
