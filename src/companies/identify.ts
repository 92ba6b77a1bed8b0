/** Whom the provider of an organization names, and whether it may speak for their address. */
import type { ConfiguredProvider } from "../applications/providers/provider.ts";
import { providerTemplate } from "../applications/providers/providers.ts";
import * as authorizations from "../credentials/identities/authorization.ts";
import { identifyPatienceMilliseconds, provenAtOf, within } from "../credentials/identities/authorization-requests.ts";
import { claimsOf, type ProviderClaims } from "../credentials/identities/claims.ts";
import { hasTrustedClaim, identityFromClaims, type ProviderIdentity } from "../credentials/identities/identity.ts";
import { ProviderFailure } from "../credentials/identities/provider-fetch.ts";
import { canonicalDomain } from "../lib/email.ts";
import type { Context } from "../runtime/context.ts";
import type { CompanyIdentity } from "../storage/column-types.ts";
import { domainOf } from "../organizations/domains/name.ts";
import { findProved } from "../organizations/domains/store.ts";
import { discover, isGoogle } from "./issuer.ts";
import { providerSecretContext, type OrganizationProvider } from "../organizations/provider/provider.ts";

/**
 * Why the provider does not speak for the address. `unverified`: it says that it is not verified.
 * `hosted`: an account at Google that is not of the address's company; it signs nobody in, not
 * even a subject that is known.
 */
export type EmailProblem = "none" | "unsupported" | "other-domain" | "unverified" | "hosted";

/** The redirect URI to register with the provider. */
export function callbackAddress(
  ctx: Context,
  { organizationId }: Pick<OrganizationProvider, "organizationId">,
): string {
  return `${ctx.baseUrl}/oauth/${organizationId}/callback`;
}

/**
 * The provider's URL for the browser. `silent`: without a page; `asksLogin`: with a new sign-in
 * there. Throws ProviderFailure.
 */
export async function authorizationAddress(
  ctx: Context,
  provider: OrganizationProvider,
  wanted: { state: string; silent: boolean; loginHint: string | null; asksLogin: boolean },
): Promise<string> {
  const { state, silent, loginHint, asksLogin } = wanted;
  const url = new URL(
    authorizations.authorizationAddress(
      await configured(ctx, provider),
      callbackAddress(ctx, provider),
      requestOf(ctx, provider, state),
      { login: asksLogin, maxAge: asksLogin ? 0 : null, selectAccount: false, loginHint },
    ),
  );
  if (silent) url.searchParams.set("prompt", "none");
  return url.href;
}

/** Exchanges the code that a browser brought. Throws ProviderFailure. */
export async function identify(
  ctx: Context,
  provider: OrganizationProvider,
  answer: { state: string; code: string; iss: string | undefined },
): Promise<{ identity: CompanyIdentity; emailProblem?: EmailProblem }> {
  return await within(identifyPatienceMilliseconds, identityFrom(ctx, provider, answer));
}

async function identityFrom(
  ctx: Context,
  provider: OrganizationProvider,
  { state, code, iss }: { state: string; code: string; iss: string | undefined },
): Promise<{ identity: CompanyIdentity; emailProblem?: EmailProblem }> {
  const { issuer } = provider;
  const { keys, fetch } = await discover(ctx, provider);
  const client = await configured(ctx, provider);
  // RFC 9207.
  if (iss === undefined && client.endpoints.namesItself === true)
    throw new ProviderFailure("the response contains no issuer");
  if (iss !== undefined && iss !== issuer) throw new ProviderFailure("the response is from another issuer");
  const { codeVerifier, nonce } = requestOf(ctx, provider, state);
  const callback = callbackAddress(ctx, provider);
  const tokens = await authorizations.exchangeCode(client, callback, code, codeVerifier, fetch);
  const reach = { fetch, keys: () => keys, log: ctx.log };
  return await identityOf(ctx, provider, await claimsOf(reach, client, { tokens, nonce }, ctx.clock()));
}

/** What verified claims say. */
export async function identityOf(
  ctx: Context,
  provider: OrganizationProvider,
  { claims, source, shown }: ProviderClaims,
): Promise<{ identity: CompanyIdentity; emailProblem?: EmailProblem }> {
  const { organizationId, issuer } = provider;
  const said = identityFromClaims(source, { provesEmail: true }, shown);
  const verified = isVerified(source["email_verified"]) ?? (provider.fixedAddresses || undefined);
  const emailProblem = await problemOf(ctx, provider, said, { verified, hd: claims["hd"] });
  const identity = {
    organizationId,
    issuer,
    subject: said.subject,
    email: emailProblem === undefined ? said.email : null,
    emailVerified: verified,
    name: said.name,
    elsewhereAt: provenAtOf(ctx, organizationId, claims),
    twoFactors: hasTrustedClaim(claims, provider.trustsSecondFactor),
  };
  return { identity, ...(emailProblem !== undefined && { emailProblem }) };
}

async function problemOf(
  ctx: Context,
  { organizationId, appId, issuer }: OrganizationProvider,
  { email, brokenEmailRule }: ProviderIdentity,
  { verified, hd }: { verified: boolean | undefined; hd: unknown },
): Promise<EmailProblem | undefined> {
  const domain = email === null ? undefined : domainOf(email);
  if (isGoogle(issuer) && (typeof hd !== "string" || canonicalDomain(hd) !== domain)) return "hosted";
  if (brokenEmailRule !== null) return "unsupported";
  if (domain === undefined) return "none";
  const proved = await findProved(ctx.storage.reader, { appId, domain });
  const isOurs = proved?.organizationId === organizationId && (proved.worksAt ?? 0) <= ctx.clock();
  if (!isOurs) return "other-domain";
  return verified === false ? "unverified" : undefined;
}

/** Undefined: it does not say. Whatever is no "yes" is a "no"; some write booleans as strings. */
function isVerified(said: unknown): boolean | undefined {
  return said === undefined || said === null ? undefined : said === true || said === "true";
}

/** The client at the provider, with what its document says. */
async function configured(ctx: Context, provider: OrganizationProvider): Promise<ConfiguredProvider> {
  const { organizationId, issuer, clientId, encryptedSecret, trustsSecondFactor } = provider;
  const { endpoints } = await discover(ctx, provider);
  const template = providerTemplate(isGoogle(issuer) ? "google" : "organization");
  return {
    ...template,
    secretIn: endpoints.secretIn ?? template.secretIn,
    prompts: template.prompts.filter((word) => endpoints.promptsNamed?.includes(word) ?? true),
    name: organizationId,
    endpoints,
    directory: issuer,
    clientId,
    trustsSecondFactor,
    emailClaim: null,
    clientSecret: async () => ctx.keyring.decrypt(encryptedSecret, providerSecretContext(provider)),
  };
}

/** Verifier and nonce are MACs, so they need not be stored, and fit this provider alone. */
function requestOf(
  ctx: Context,
  { organizationId, issuer }: OrganizationProvider,
  state: string,
): authorizations.AuthorizationRequest {
  const derive = (purpose: string): string =>
    ctx.keyring.mac("oauth", purpose, organizationId, issuer, state).toString("base64url");
  return { state, codeVerifier: derive("code verifier"), nonce: derive("nonce") };
}
