import { hasOrganizations, type Application } from "../applications/application.ts";
import type { Client } from "../applications/clients/client.ts";
import { allowedScopes, scopesFor, type Resource } from "../applications/resources/resource.ts";
import { maxIdentifierCharacters } from "../applications/resources/rules.ts";
import * as resources from "../applications/resources/service.ts";
import { acrValues } from "../factors/assurance.ts";
import { canonicalEmail } from "../lib/email.ts";
import type { OAuthErrorCode } from "../lib/errors.ts";
import { namesOrganizations } from "../organizations/gate.ts";
import { namedOrganization } from "../sign-in/organization-choice.ts";
import type { AuthorizationAsked } from "../sign-in/service.ts";
import type { AuthorizationDetails, Acr, ClaimsRequest } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";
import { parseClaimsRequest } from "./claims-request.ts";
import { supportedLocale } from "./ui-locales.ts";

/** Public: `description` never contains a submitted value. */
export type AuthorizationRefusal = { error: Exclude<OAuthErrorCode, "invalid_client">; description: string };

/** A checked request. `isSilent`: `prompt=none`, so no page may be shown. */
export type AuthorizationRequest = Omit<AuthorizationAsked, "organizationId"> & {
  isSilent: boolean;
  idTokenHint: string | null;
  /** An id, a slug or `none`; null: none is demanded. */
  organization: string | null;
};

/** Parameters by name. An empty one counts as omitted (RFC 6749 §3.1). */
export type AuthorizationParameters = {
  get(name: string): string | undefined;
  isRepeated: boolean;
  /** May be given twice (RFC 8707 §2). */
  resources: string[];
  /** Unknown to an application without organizations, so another rule refuses a second one. */
  organizations: string[];
};

export const maxScopeCharacters = 1024;

/**
 * Maximum length of each parameter that we read; others are ignored. If a wrong value may be longer
 * than a right one, the limit is too: then its own rule reports the error.
 */
const longest: Record<string, number> = {
  response_type: 64,
  client_id: 256,
  redirect_uri: 2048,
  scope: maxScopeCharacters,
  resource: maxIdentifierCharacters,
  organization: Number.POSITIVE_INFINITY,
  state: 4096,
  response_mode: 32,
  nonce: 1024,
  prompt: 64,
  max_age: 64,
  login_hint: 2048,
  ui_locales: 256,
  acr_values: 512,
  id_token_hint: 8192,
  claims: 4096,
  code_challenge: 128,
  code_challenge_method: 64,
  dpop_jkt: 128,
  request: 8192,
  request_uri: 2048,
  registration: 4096,
};

export const parameterNames = Object.keys(longest);

/** `isRepeated`: a parameter that we know was given twice, which RFC 6749 §3.1 forbids. */
export function authorizationParameters(pairs: readonly (readonly [string, string])[]): AuthorizationParameters {
  const recognized = pairs.filter(([name]) => Object.hasOwn(longest, name));
  const values = new Map(recognized.filter(([, value]) => value !== ""));
  const single = recognized.map(([name]) => name).filter((name) => name !== "resource" && name !== "organization");
  const all = (wanted: string) =>
    recognized.flatMap(([name, value]) => (name === wanted && value !== "" ? [value] : []));
  return {
    get: (name) => values.get(name),
    isRepeated: new Set(single).size < single.length,
    resources: all("resource"),
    organizations: all("organization"),
  };
}

/** Sent back with any error, even if it is itself too long (RFC 6749 §4.1.2.1). */
export function stateOf(parameters: AuthorizationParameters): string | null {
  return parameters.get("state") ?? null;
}

/** How to send an error: in the query if the requested mode is itself invalid. */
export function responseModeOf(
  parameters: AuthorizationParameters,
  redirectUri: string,
): AuthorizationDetails["responseMode"] {
  return parameters.get("response_mode") === "form_post" && takesForms(redirectUri) ? "form_post" : "query";
}

/** Browsers cannot post a form to the URL scheme of a native app. */
function takesForms(redirectUri: string): boolean {
  return /^https?:/u.test(redirectUri);
}

/** The resource of the token; null: none, undefined: one that this client may not request. */
export async function resourceAsked(
  handle: Handle,
  { resources: asked }: AuthorizationParameters,
  client: Client,
): Promise<Resource | null | undefined> {
  const [identifier, ...more] = asked;
  // Without a resource, nothing determines whose users such a client signs in.
  if (identifier === undefined) return client.document === undefined ? null : undefined;
  return more.length > 0 ? undefined : await resources.askedBy(handle, client, identifier);
}

/**
 * The request of a client whose redirect URI is already known to be right (OpenID Connect Core 1.0
 * §3.1.2.2, RFC 7636 §4.4.1).
 */
export function authorizationRequest(
  parameters: AuthorizationParameters,
  {
    client,
    application,
    redirectUri,
    resource,
  }: { client: Client; application: Application; redirectUri: string; resource: Resource | null | undefined },
): AuthorizationRequest | AuthorizationRefusal {
  const parameter = (name: string): string | null => parameters.get(name) ?? null;
  const invalid = (description: string) => ({ error: "invalid_request", description }) as const;
  if (parameters.isRepeated) return invalid("a parameter is given twice");
  for (const name of ["request", "request_uri", "registration"] as const)
    if (parameter(name) !== null) return { error: `${name}_not_supported`, description: `${name}: not supported` };
  if (resource === undefined)
    return { error: "invalid_target", description: "resource: one resource that this client may ask for" };
  for (const [name, most] of Object.entries(longest))
    if ((parameter(name)?.length ?? 0) > most) return invalid(`${name}: at most ${most} characters`);

  const responseType = parameter("response_type");
  if (responseType === null) return invalid("response_type: required");
  if (responseType !== "code")
    return { error: "unsupported_response_type", description: "response_type: must be code" };
  const mode = parameter("response_mode") ?? "query";
  if (mode !== "query" && mode !== "form_post") return invalid("response_mode: must be query or form_post");
  if (mode === "form_post" && !takesForms(redirectUri))
    return invalid("response_mode: form_post requires an http or https redirect_uri");

  const scopes = scopesAsked(parameter("scope"), client, application, resource);
  if (scopes.length === 0 && (resource === null || parameter("scope") !== null))
    return { error: "invalid_scope", description: "scope: this client may request none of these" };

  const [organization = null, ...more] = hasOrganizations(application) ? parameters.organizations : [];
  if (more.length > 0) return invalid("a parameter is given twice");
  const problem = organizationProblem(organization ?? undefined, { client, application, scopes });
  if (problem) return problem;

  const codeChallenge = parameter("code_challenge");
  const method = parameter("code_challenge_method");
  if (codeChallenge === null ? method !== null : method !== "S256")
    return invalid("code_challenge_method: must be S256, with code_challenge");
  if (codeChallenge !== null && !/^[A-Za-z0-9_-]{43}$/u.test(codeChallenge))
    return invalid("code_challenge: must be the base64url SHA-256 of the code verifier, 43 characters");
  if (codeChallenge === null && (client.requirePkce || client.kind !== "web"))
    return invalid("code_challenge: required for this client");

  const proofKey = client.dpop === "off" ? null : parameter("dpop_jkt");
  if (proofKey !== null && !/^[A-Za-z0-9_-]{43}$/u.test(proofKey))
    return invalid("dpop_jkt: must be the thumbprint of a key, 43 characters");

  const prompts = wordsOf(parameter("prompt"));
  const prompt = prompts.filter((word) => word !== "none");
  if (!prompt.every(isPrompt)) return invalid("prompt: must be none, login, consent or select_account");
  const isSilent = prompts.length > prompt.length;
  if (isSilent && prompt.length > 0) return invalid("prompt: none cannot be combined with other values");

  const maxAge = parameter("max_age");
  if (maxAge !== null && !/^\d{1,10}$/u.test(maxAge)) return invalid("max_age: must be a whole number of seconds");
  const claimsText = parameter("claims");
  const claims = claimsText === null ? null : parseClaimsRequest(claimsText);
  if (claims === undefined) return invalid("claims: must be JSON as in OpenID Connect Core 1.0, section 5.5");

  const wishes = wordsOf(parameter("acr_values"));
  const acr = leastAcr(claims, wishes);
  const isPasskeyAsked = acr === "phr";
  if (acr === undefined || (isPasskeyAsked && !application.authMethods.passkey.enabled))
    return {
      error: "unmet_authentication_requirements",
      description: "acr: no sign-in here reaches what is asked for",
    };

  return {
    redirectUri,
    authMethod: isPasskeyAsked ? "passkey" : null,
    accountUserId: null,
    acr,
    state: parameter("state"),
    scopes,
    codeChallenge,
    loginHint: canonicalEmail(parameter("login_hint") ?? "") ?? null,
    locale: supportedLocale(parameter("ui_locales")),
    isSilent,
    idTokenHint: parameter("id_token_hint"),
    organization,
    authorization: {
      clientId: client.id,
      responseMode: mode,
      nonce: parameter("nonce"),
      prompt,
      maxAge: maxAge === null ? null : Number(maxAge),
      claims: withAcrValues(claims, wishes),
      ...(resource === null ? {} : { resource: resource.identifier }),
      ...(client.document === undefined ? {} : { document: { name: client.name, digest: client.document } }),
      ...(proofKey === null ? {} : { proofKey }),
    },
  };
}

/**
 * Why a client may not demand this organization, or (undefined) get tokens without one; undefined
 * if it may. Whether there is such an organization, only a member learns.
 */
export function organizationProblem(
  named: string | undefined,
  { client, application, scopes }: { client: Client; application: Application; scopes: string[] },
): { error: "invalid_request" | "invalid_scope"; description: string } | undefined {
  if (!hasOrganizations(application)) return undefined;
  if (named !== undefined && !namedOrganization.safeParse(named).success)
    return { error: "invalid_request", description: "organization: at most 64 characters" };
  const isNeeded = named !== undefined || application.settings.organizations === "required";
  return isNeeded && !namesOrganizations(application, client, scopes)
    ? { error: "invalid_scope", description: "scope: organization is required" }
    : undefined;
}

function wordsOf(text: string | null): string[] {
  return [...new Set(text?.split(" ").filter((word) => word !== ""))];
}

function isPrompt(word: string): word is AuthorizationDetails["prompt"][number] {
  return word === "login" || word === "consent" || word === "select_account";
}

/**
 * The requested scopes that the client and its application or resource have. Others are ignored
 * (OpenID Connect Core 1.0 §3.1.2.1). Without any: all of the resource.
 */
export function scopesAsked(
  text: string | null,
  client: Client,
  application: Application,
  resource: Resource | null,
): string[] {
  if (text === null) return resource === null ? [] : scopesFor(resource, client);
  const allowed = allowedScopes(client, application, resource);
  return wordsOf(text).filter((scope) => allowed.includes(scope));
}

/**
 * The weakest `acr` that satisfies the client: an essential one (OpenID Connect Core 1.0 §5.5.1.1),
 * or `acr_values`. Null: any. Undefined: this service supports none of the essential values.
 * Unknown values of `acr_values` are ignored.
 */
function leastAcr(claims: ClaimsRequest | null, wishes: string[]): Acr | null | undefined {
  const asked = claims?.id_token?.["acr"];
  const isEssential = asked?.essential === true;
  const values = isEssential ? (asked.values ?? (asked.value === undefined ? [acrValues[0]] : [asked.value])) : wishes;
  const [least] = acrValues.filter((acr) => values.includes(acr));
  if (least === undefined) return isEssential ? undefined : null;
  return least === acrValues[0] ? null : least;
}

/** The requested values for the ID token's `acr`, stored with the login. */
function withAcrValues(claims: ClaimsRequest | null, wishes: string[]): ClaimsRequest | null {
  if (wishes.length === 0 || claims?.id_token?.["acr"]) return claims;
  return { ...claims, id_token: { ...claims?.id_token, acr: { values: wishes } } };
}
