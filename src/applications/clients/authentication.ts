/** Authenticates the clients that call OAuth endpoints (OpenID Connect Core 1.0 §9). */
import { minute } from "../../lib/clock.ts";
import { isPossibleCredential } from "../../lib/credentials.ts";
import { AppError, invalidClient } from "../../lib/errors.ts";
import { assertedClaims, verifyClientAssertion } from "../../lib/jose.ts";
import { keyThumbprint } from "../../lib/key-thumbprint.ts";
import type { Context } from "../../runtime/context.ts";
import * as applications from "../service.ts";
import { isConfidential, type UsableClient } from "./client.ts";
import { clientCredentials, type ClientAuthenticationMethod, type ClientCredentials } from "./credentials.ts";
import { signatureAlgorithmsOf } from "./profile.ts";
import * as clientSecrets from "./secrets.ts";
import { useAssertion } from "./store.ts";
import { clientUses } from "./uses.ts";
import * as workload from "./workload/authentication.ts";

/** The longest validity: longer ones would keep rows of `used_assertions` for long. */
const longestAssertion = 60 * minute;
const maxAssertionCharacters = 8192;

/**
 * `credential`: the id of the client secret or trust, or the thumbprint of the key; null for any
 * other.
 */
export type AuthenticatedClient = UsableClient & { method: ClientAuthenticationMethod; credential: string | null };

type Proof = Pick<AuthenticatedClient, "credential">;

/** A client's own secret, or any live API key of the application that is its own client. */
async function hasSecret(
  ctx: Context,
  registration: UsableClient | undefined,
  clientId: string,
  secret: string,
): Promise<Proof | undefined> {
  if (!isPossibleCredential(secret)) return undefined;
  if (registration && isItsOwnClient(registration)) {
    const owner = await applications.authenticate(ctx, secret).catch(refusedKey);
    return owner?.id === clientId ? { credential: null } : undefined;
  }
  // For an unknown client too, so that its answer takes as long.
  const credential = await clientSecrets.liveId(ctx, clientId, secret);
  return credential !== undefined && registration && isConfidential(registration.client) ? { credential } : undefined;
}

/** RFC 7523 §3. An assertion is used once, and only after it was verified. */
async function hasAsserted(
  ctx: Context,
  registration: UsableClient | undefined,
  clientId: string,
  assertion: string,
  endpoint: string,
): Promise<Proof | undefined> {
  const keys = registration?.client.jwks?.keys ?? [];
  const now = ctx.clock();
  // Another server can name our endpoint as its own, and pass on an assertion for it
  // (CVE-2025-27370). RFC 9126 §2 allows these endpoints.
  const tokenEndpoint = `${ctx.baseUrl}/oauth2/token`;
  const audiences =
    registration?.client.assertionAudience === "any" ? [ctx.baseUrl, endpoint, tokenEndpoint] : ctx.baseUrl;
  const verified = await verifyClientAssertion(assertion, keys, {
    clientId,
    audiences,
    algorithms: registration ? signatureAlgorithmsOf(registration.client) : [],
    now,
  });
  if (!verified || verified.expiresAt > now + longestAssertion) return undefined;
  // Kept a minute longer than it is accepted.
  const expiresAt = verified.expiresAt + 2 * minute;
  const isFirst = await ctx.storage.write((tx) => useAssertion(tx, ["client", clientId, verified.jti], expiresAt));
  return isFirst ? { credential: keyThumbprint(verified.key) } : undefined;
}

async function proves(
  ctx: Context,
  registration: UsableClient | undefined,
  credentials: ClientCredentials,
  endpoint: string,
): Promise<Proof | { reason: string } | undefined> {
  const { clientId } = credentials;
  switch (credentials.method) {
    case "client_secret_basic":
    case "client_secret_post":
      return await hasSecret(ctx, registration, clientId, credentials.secret);
    case "private_key_jwt":
      return await hasAsserted(ctx, registration, clientId, credentials.assertion, endpoint);
    case "issuer_jwt":
      return await workload.credentialOf(ctx, registration?.client.trusts ?? [], credentials);
    case "none":
      return registration !== undefined && isPublic(registration) ? { credential: null } : undefined;
  }
}

/**
 * The client of a call. `authorization`: the header. `form`: the body, each parameter once.
 * `endpoint`: the URL that was called. `find`: the client with an id. Throws INVALID_CLIENT, the
 * same for every cause, and INVALID_REQUEST for two methods at once.
 */
export async function authenticate<Found extends UsableClient>(
  ctx: Context,
  {
    authorization,
    form,
    endpoint,
    find,
  }: {
    authorization: string | undefined;
    form: ReadonlyMap<string, string>;
    endpoint: string;
    find: (id: string) => Promise<Found | undefined>;
  },
): Promise<AuthenticatedClient & Found> {
  const credentials = clientCredentials(authorization, form, (assertion) =>
    assertion.length > maxAssertionCharacters ? undefined : assertedClaims(assertion),
  );
  const registration = await find(credentials.clientId);
  const proof = await proves(ctx, registration, credentials, endpoint);
  if (!registration) throw invalidClient(`${credentials.method} of an unknown client`);
  if (!proof) throw invalidClient(`${credentials.method} of ${registration.client.id} failed`);
  if ("reason" in proof)
    throw invalidClient(`${credentials.method} of ${registration.client.id} failed: ${proof.reason}`);
  if (!isItsOwnClient(registration)) clientUses(ctx).note(registration.client.id, ctx.clock());
  return { ...registration, ...proof, method: credentials.method };
}

/** An application that allows public clients is also one: its pages sign in again silently. */
function isPublic(registration: UsableClient): boolean {
  return (
    !isConfidential(registration.client) ||
    (isItsOwnClient(registration) && registration.application.settings.publicClients === true)
  );
}

function isItsOwnClient({ client, application }: UsableClient): boolean {
  return client.id === application.id;
}

/** A wrong API key is a wrong secret; anything else is passed on. */
function refusedKey(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== "INVALID_API_KEY") throw error;
}
