import type { Endpoints } from "../../applications/providers/providers.ts";
import { hour } from "../../lib/clock.ts";
import { part, type Context } from "../../runtime/context.ts";
import { isShowable } from "../../lib/text.ts";
import { fetchProvider, jsonObject, ProviderFailure } from "./provider-fetch.ts";

const keptFor = hour;

/**
 * Reads an issuer's endpoints from its discovery document (OpenID Connect Discovery §4), once an
 * hour. Only operators configure issuers.
 */
export async function discover(ctx: Context, issuer: string): Promise<Endpoints> {
  const last = discoveries(ctx).get(issuer);
  if (last && Math.abs(ctx.clock() - last.at) < keptFor) return await last.endpoints;
  const reading = {
    endpoints: readEndpoints(ctx, issuer),
    at: ctx.clock(),
  };
  discoveries(ctx).set(issuer, reading);
  // Concurrent requests share one reading; a failed one is repeated by the next request.
  reading.endpoints.catch(() => discoveries(ctx).delete(issuer));
  return await reading.endpoints;
}

const discoveries = part(() => new Map<string, { endpoints: Promise<Endpoints>; at: number }>());

/** Reads them now. Throws ProviderFailure, which names the document. */
async function readEndpoints(ctx: Context, issuer: string, patience?: number): Promise<Endpoints> {
  const address = documentOf(issuer);
  return endpointsIn(jsonObject(await fetchProvider(ctx, "discovery", address, {}, patience)), issuer);
}

/** Where an issuer's document is (§4.1). */
export function documentOf(issuer: string): string {
  return `${issuer.replace(/\/$/u, "")}/.well-known/openid-configuration`;
}

/** The endpoints that a document names. Throws ProviderFailure. `issuer`: no slash at its end. */
export function endpointsIn(document: Record<string, unknown>, issuer: string): Endpoints & { issuer: string } {
  // §4.3: a document with another issuer is not valid for this one.
  const { issuer: named } = document;
  if (typeof named !== "string" || named.replace(/\/$/u, "") !== issuer)
    throw new ProviderFailure(`discovery returned another issuer: ${shownIssuer(named)}`);
  const endpoint = (name: string): string => addressIn(document, name, issuer);
  return {
    authorizationUrl: endpoint("authorization_endpoint"),
    tokenUrl: endpoint("token_endpoint"),
    userinfoUrl: (document["userinfo_endpoint"] ?? null) === null ? undefined : endpoint("userinfo_endpoint"),
    jwksUrl: endpoint("jwks_uri"),
    issuer: named,
    namesItself: document["authorization_response_iss_parameter_supported"] === true,
    ...(Array.isArray(document["prompt_values_supported"]) && { promptsNamed: document["prompt_values_supported"] }),
    ...(takesSecretInBodyOnly(document["token_endpoint_auth_methods_supported"]) && { secretIn: "body" }),
  };
}

/** For commands, where an operator waits. */
const trialPatienceMilliseconds = 5000;

/**
 * Asks an issuer, and its keys, as a sign-in would. Returns what is wrong; undefined if both can be
 * used. `jwksUrl`: skips the issuer's document.
 */
export async function tryIssuer(
  ctx: Context,
  { issuer, jwksUrl, needsDocument }: { issuer: string; jwksUrl: string | undefined; needsDocument: boolean },
): Promise<string | undefined> {
  try {
    const read = needsDocument
      ? await readEndpoints(ctx, issuer.replace(/\/$/u, ""), trialPatienceMilliseconds)
      : undefined;
    const address = jwksUrl ?? read?.jwksUrl ?? "";
    return keysProblem(jsonObject(await fetchProvider(ctx, "keys", address, {}, trialPatienceMilliseconds)));
  } catch (error) {
    if (error instanceof ProviderFailure) return error.message;
    throw error;
  }
}

export function keysProblem({ keys }: Record<string, unknown>): string | undefined {
  return Array.isArray(keys) && keys.some(verifies) ? undefined : "keys: the set has none that verifies signatures";
}

/** By its own `use`: not one of an issuer that publishes keys for encryption only. */
function verifies(key: unknown): boolean {
  const { kty, use = "sig" } = (key ?? {}) as { kty?: unknown; use?: unknown };
  return ["RSA", "EC", "OKP"].some((kind) => kind === kty) && use === "sig";
}

/** The error repeats the other issuer only if it is a URL. */
function shownIssuer(named: unknown): string {
  return typeof named === "string" && named.length <= 256 && isShowable(named) && isSafeAddress(named) ? named : "none";
}

/** Without the list it takes the header (Discovery 1.0 §3). */
function takesSecretInBodyOnly(methods: unknown): boolean {
  return Array.isArray(methods) && methods.includes("client_secret_post") && !methods.includes("client_secret_basic");
}

function addressIn(document: Record<string, unknown>, name: string, issuer: string): string {
  const value = document[name];
  if (typeof value !== "string" || !isSafeAddress(value))
    throw new ProviderFailure(`discovery returned no endpoint that can be used: ${name}`);
  // An https issuer's document must not make us send the secret or fetch keys without TLS.
  if (issuer.startsWith("https:") && !value.startsWith("https:"))
    throw new ProviderFailure(`discovery of an https issuer returns an http endpoint: ${name}`);
  return value;
}

/** Whether secrets and tokens may be sent there: https, or http on this machine. */
export function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== "" || password !== "") return false;
  return protocol === "https:" || (protocol === "http:" && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/u.test(hostname));
}
