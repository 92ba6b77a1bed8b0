import { createPrivateKey } from "node:crypto";
import { isSafeAddress } from "../../credentials/identities/discovery.ts";
import { invalidRequest } from "../../lib/errors.ts";
import { didYouMean } from "../../lib/nearest.ts";
import { plainTextProblem } from "../../lib/text.ts";
import type { OpenProviderRow } from "./provider-store.ts";
import { isKnownProvider, nearestKnownProvider, providerNameForm, providerTemplate } from "./providers.ts";

/**
 * The input of `app provider set`. URLs override the table's (GitHub Enterprise, tests) or complete
 * an issuer.
 */
export type ProviderInput = {
  name: string;
  clientId: string;
  /** The client secret; for Apple, the .p8 key in PEM. */
  secret: string;
  teamId?: string | undefined;
  keyId?: string | undefined;
  issuer?: string | undefined;
  authorizationUrl?: string | undefined;
  tokenUrl?: string | undefined;
  userinfoUrl?: string | undefined;
  jwksUrl?: string | undefined;
  /** Only for a custom issuer: whether its verified addresses count as proven (default: yes). */
  trustsEmail?: boolean | undefined;
  /** Only for a custom issuer: the claim of its ID tokens that says "two factors", as `amr=mfa`. */
  trustsSecondFactor?: string | undefined;
  /** Only with ID tokens: the claim that has the address, such as `preferred_username`. */
  emailClaim?: string | undefined;
};

const addressFields = ["issuer", "authorizationUrl", "tokenUrl", "userinfoUrl", "jwksUrl"] as const;

/** A change of the client that is set. An empty secret is kept. */
export type ProviderEdit = { name: string; change(present: ProviderInput): ProviderInput };

/** Without the secret. */
export function inputOf(row: Omit<OpenProviderRow, "appId" | "createdAt" | "updatedAt">): ProviderInput {
  const { name, clientId, trustsEmail, ...others } = row;
  const texts = [...addressFields, "teamId", "keyId", "trustsSecondFactor", "emailClaim"] as const;
  const given = Object.fromEntries(texts.map((field) => [field, others[field] ?? undefined]));
  return { ...given, name, clientId, secret: "", trustsEmail: trustsEmail ?? undefined };
}

/** Throws INVALID_REQUEST. */
export function checkProviderName(name: string): void {
  if (!providerNameForm.test(name))
    throw invalidRequest("name", "1 to 32 lower-case letters, digits or '-', starting with a letter");
}

/**
 * The row for an operator's input, without the secret, which is yet to be encrypted. Throws
 * INVALID_REQUEST naming the field.
 */
export function providerRow(appId: string, name: string, input: ProviderInput, now: number): OpenProviderRow {
  checkProviderName(name);
  // RFC 6749 appendix A.1.
  if (!/^[\x20-\x7E]{1,512}$/u.test(input.clientId.trim()))
    throw invalidRequest("clientId", "1 to 512 printable ASCII characters");
  if (input.secret.trim() === "" || input.secret.length > 8192) throw invalidRequest("secret", "1 to 8192 characters");
  if (!isKnownProvider(name) && input.issuer === undefined)
    throw invalidRequest("issuer", `required for a provider of your own${didYouMean(nearestKnownProvider(name))}`);
  if (input.trustsEmail !== undefined && isKnownProvider(name))
    throw invalidRequest("trustsEmail", "only for a provider of your own");
  if (input.trustsSecondFactor !== undefined && isKnownProvider(name))
    throw invalidRequest("trustsSecondFactor", "only for a provider of your own");
  if (
    input.trustsSecondFactor !== undefined &&
    !/^[\x21-\x3C\x3E-\x7E]{1,128}=[\x21-\x7E]{1,128}$/u.test(input.trustsSecondFactor)
  )
    throw invalidRequest("trustsSecondFactor", "a claim and its value, such as amr=mfa");
  if (input.emailClaim !== undefined && providerTemplate(name).source !== "id-token")
    throw invalidRequest("emailClaim", "only for a provider with ID tokens");
  if (input.emailClaim !== undefined && !/^[\x21-\x7E]{1,128}$/u.test(input.emailClaim))
    throw invalidRequest("emailClaim", "the name of a claim, such as preferred_username");
  const isApple = name === "apple";
  for (const field of ["teamId", "keyId"] as const) {
    const id = input[field];
    if (isApple && id === undefined) throw invalidRequest(field, "required for apple");
    if (!isApple && id !== undefined) throw invalidRequest(field, "only for apple");
    if (id !== undefined && !/^[A-Za-z0-9]{1,32}$/u.test(id)) throw invalidRequest(field, "letters and digits");
  }
  if (isApple) requireP8Key(input.secret);
  for (const field of addressFields) requireAddress(field, input[field]);
  return {
    appId,
    name,
    clientId: input.clientId.trim(),
    teamId: input.teamId ?? null,
    keyId: input.keyId ?? null,
    // Kept exactly, with any trailing slash: `iss` of an ID token must match it.
    issuer: input.issuer ?? null,
    authorizationUrl: input.authorizationUrl ?? null,
    tokenUrl: input.tokenUrl ?? null,
    userinfoUrl: input.userinfoUrl ?? null,
    jwksUrl: input.jwksUrl ?? null,
    trustsEmail: input.trustsEmail ?? null,
    trustsSecondFactor: input.trustsSecondFactor ?? null,
    emailClaim: input.emailClaim === "email" ? null : (input.emailClaim ?? null),
    createdAt: now,
    updatedAt: now,
  };
}

function requireAddress(field: string, address: string | undefined): void {
  if (address === undefined) return;
  // Stored and sent as written, so it must not contain anything that a URL parser drops.
  const plainProblem = plainTextProblem(address);
  if (plainProblem !== undefined) throw invalidRequest(field, plainProblem);
  if (address === "" || address.length > 2048 || address.includes("#") || !isSafeAddress(address))
    throw invalidRequest(field, "an https URL (http only for this machine)");
  if (field === "issuer" && address.includes("?")) throw invalidRequest("issuer", "a URL without a query");
  if (field === "issuer" && /\/\.well-known\/openid-configuration\/?$/u.test(address))
    throw invalidRequest("issuer", "a URL that does not end with /.well-known/openid-configuration");
}

function requireP8Key(pem: string): void {
  try {
    if (createPrivateKey(pem).asymmetricKeyDetails?.namedCurve === "prime256v1") return;
  } catch {
    // Reported below.
  }
  throw invalidRequest("secret", "the .p8 key from Apple (PEM, P-256)");
}

export function providerSecretContext(appId: string, name: string): string {
  return `oauth_providers/${appId}/${name}`;
}
