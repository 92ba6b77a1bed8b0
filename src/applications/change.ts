import { isIP } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { invalidRequest } from "../lib/errors.ts";
import { checkedName } from "../lib/names.ts";
import type { EndpointType } from "../lib/rate-limits.ts";
import { checkedRedirectUris, redirectUriProblem } from "../lib/redirect-uris.ts";
import { hasPlainHost, isHttpsAddress, isShowable, plainTextProblem } from "../lib/text.ts";
import {
  maxSingleSignOnSeconds,
  refreshGraces,
  type ApplicationClaim,
  type AppSettings,
  type AuthMethods,
  type Branding,
  type ClientDocumentHosts,
  type Scope,
} from "../storage/column-types.ts";
import type { Application } from "./application.ts";
import { checkedClaims } from "./claims.ts";

/** The changes to an application; omitted fields stay unchanged. */
export type ApplicationChange = {
  name?: string;
  domain?: string | null;
  redirectUris?: string[];
  /** Added to the current ones, or to `redirectUris`. */
  addedRedirectUris?: string[];
  removedRedirectUris?: string[];
  authMethods?: {
    passkey?: Partial<AuthMethods["passkey"]>;
    oauth?: Partial<AuthMethods["oauth"]>;
    password?: Partial<AuthMethods["password"]>;
  };
  branding?: Partial<Branding>;
  /** All of them; null for none. */
  claims?: ApplicationClaim[] | null;
  /** A limit of null restores the configuration's; `trustBrowsersDays` of 0 is off. */
  settings?: Partial<
    Omit<AppSettings, "rateLimits" | "previousSigningAlgorithm" | "development" | "clientDocuments">
  > & {
    rateLimits?: Partial<Record<EndpointType, number | null>>;
    clientDocuments?: "off" | ClientDocumentHosts | undefined;
  };
};

const hostName = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/u;

const fewestPasswordCharacters = 8;
/** Far below the maximum length of a password, so that every password manager can comply. */
const maxOfFewestPasswordCharacters = 128;
const maxCallsPerMinute = 1_000_000;
const allScopes: Scope[] = ["profile", "email", "groups"];
const maxTrustBrowsersDays = 90;
const endpointTypes: EndpointType[] = ["authentication", "userManagement", "applicationManagement", "webhooks"];

/**
 * Whether an application may list a provider: a well-known one, or one for which it has a client.
 */
export type KnowsProvider = (name: string) => boolean;

/**
 * Applies a change to an application. Checks only the changed fields and what they depend on.
 * Throws INVALID_REQUEST naming the field.
 */
export function changedApplication(
  application: Application,
  change: ApplicationChange,
  knowsProvider: KnowsProvider,
): Application {
  const { name, domain, authMethods, branding, settings } = change;
  return {
    ...application,
    name: name === undefined ? application.name : checkedName("name", name, 200),
    domain: domain === undefined ? application.domain : checkedDomain(domain),
    redirectUris: changedRedirectUris(application.redirectUris, change),
    authMethods: authMethods
      ? changedMethods(application.authMethods, authMethods, knowsProvider)
      : application.authMethods,
    branding: branding ? checkedBranding(merged(application.branding, branding)) : application.branding,
    settings: settings ? changedSettings(application.settings, settings) : application.settings,
    claims: change.claims === undefined ? application.claims : checkedClaims(change.claims),
  };
}

/** `base` with the values of `change`; undefined values are ignored. */
function merged<T extends object>(base: T, change: Partial<T> = {}): T {
  const changes = Object.entries(change).filter(([, value]) => value !== undefined);
  return { ...base, ...(Object.fromEntries(changes) as Partial<T>) };
}

function changedMethods(
  methods: AuthMethods,
  change: NonNullable<ApplicationChange["authMethods"]>,
  knowsProvider: KnowsProvider,
): AuthMethods {
  const passkey = merged(methods.passkey, change.passkey);
  if (passkey.required && !passkey.enabled) {
    throw invalidRequest("authMethods.passkey.required", "only with authMethods.passkey.enabled");
  }
  const providerNames = change.oauth?.providers?.map((name) => name.toLowerCase());
  const unknown = providerNames?.findIndex((name) => !knowsProvider(name)) ?? -1;
  if (unknown !== -1) {
    throw invalidRequest(`authMethods.oauth.providers[${unknown}]`, "the application has no such provider");
  }
  const providers = providerNames && [...new Set(providerNames)];
  return {
    passkey,
    oauth: merged(methods.oauth, { ...change.oauth, providers }),
    password: merged(methods.password, change.password),
  };
}

function changedSettings(settings: AppSettings, change: NonNullable<ApplicationChange["settings"]>): AppSettings {
  const { rateLimits, clientDocuments, ...others } = change;
  const next = merged(settings, others);
  if (!isWholeNumber(next.passwordMinLength, fewestPasswordCharacters, maxOfFewestPasswordCharacters)) {
    throw invalidRequest(
      "settings.passwordMinLength",
      `a whole number from ${fewestPasswordCharacters} to ${maxOfFewestPasswordCharacters}`,
    );
  }
  const { relyingPartyId } = next;
  if (relyingPartyId !== null && (!hostName.test(relyingPartyId) || isIP(relyingPartyId) !== 0))
    throw invalidRequest(
      "settings.relyingPartyId",
      "a lower-case host name in ASCII, such as example.com or xn--bcher-kva.example",
    );
  if (!isWholeNumber(next.singleSignOnSeconds ?? 0, 0, maxSingleSignOnSeconds))
    throw invalidRequest("settings.singleSignOnSeconds", `from 0 to ${maxSingleSignOnSeconds / 3600} hours`);
  const { least, most, usual } = refreshGraces;
  if (!isWholeNumber(next.refreshGraceSeconds ?? usual, least, most))
    throw invalidRequest("settings.refreshGraceSeconds", `from ${least} to ${most} seconds`);
  const { secondFactor = "off", trustBrowsersDays = 0, clientDocuments: before = "off", ...rest } = next;
  const documents = clientDocuments === undefined ? before : checkedDocumentHosts(clientDocuments);
  if (!isWholeNumber(trustBrowsersDays, 0, maxTrustBrowsersDays))
    throw invalidRequest("settings.trustBrowsersDays", `from 1 to ${maxTrustBrowsersDays} days, or off`);
  checkMailName(settings.mailName, change.mailName);
  const scopes = allScopes.filter((scope) => next.scopes.includes(scope));
  if (scopes.length === 0) throw invalidRequest("settings.scopes", "at least one of profile, email, groups");
  const limits = merged<Record<string, number | null>>(settings.rateLimits, rateLimits);
  for (const [type, limit] of Object.entries(limits)) {
    if (
      !endpointTypes.some((known) => known === type) ||
      !(limit === null || isWholeNumber(limit, 1, maxCallsPerMinute))
    )
      throw invalidRequest("settings.rateLimits", `${endpointTypes.join(", ")}, each from 1 to ${maxCallsPerMinute}`);
  }
  const algorithmChanged = next.signingAlgorithm !== settings.signingAlgorithm;
  return {
    ...rest,
    ...(secondFactor === "off" ? {} : { secondFactor }),
    ...(trustBrowsersDays === 0 ? {} : { trustBrowsersDays }),
    ...(documents === "off" ? {} : { clientDocuments: documents }),
    ...(algorithmChanged ? { previousSigningAlgorithm: settings.signingAlgorithm } : {}),
    scopes,
    rateLimits: Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null)),
  };
}

const maxDocumentHosts = 50;

/** As URLs write it: without the port 443. */
function isDocumentHost(host: string): boolean {
  const url = `https://${host}`;
  return hostName.test(host.replace(/:\d+$/u, "")) && URL.canParse(url) && new URL(url).host === host;
}

/** Sorted, each once. */
function checkedDocumentHosts(hosts: "off" | ClientDocumentHosts): "off" | ClientDocumentHosts {
  if (typeof hosts === "string") return hosts;
  const field = "settings.clientDocuments";
  if (hosts.length < 1 || hosts.length > maxDocumentHosts)
    throw invalidRequest(field, `off, any, or 1 to ${maxDocumentHosts} hosts`);
  const bad = hosts.findIndex((host) => !isDocumentHost(host));
  if (bad !== -1)
    throw invalidRequest(
      `${field}[${bad}]`,
      "a lower-case host name in ASCII, such as example.com or xn--bcher-kva.example, with a port that is not 443",
    );
  return [...new Set(hosts)].toSorted();
}

function isWholeNumber(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

function checkMailName(before: string | null | undefined, name: string | null | undefined): void {
  if (name === undefined || name === null || name === before) return;
  if (name.trim() === "" || name.length > 64 || !isShowable(name))
    throw invalidRequest("settings.mailName", "1 to 64 characters, no control characters");
}

/** Letters on both sides of a dot, which mail programs turn into a link. */
const likeDomain = /[\p{L}\p{N}-][.\u3002\uFF0E\uFF61]\p{L}{2,}/u;

/**
 * The changes that an API key allows: the name must not look like an address, and mails keep the
 * operator's name. Throws INVALID_REQUEST.
 */
export function changeByApp(application: Application, change: ApplicationChange): ApplicationChange {
  const name = change.name?.trim();
  if (name === undefined || name === application.name) return change;
  if (name.length < 1 || name.length > 64) throw invalidRequest("name", "1 to 64 characters");
  if (/[/@]/u.test(name) || likeDomain.test(name))
    throw invalidRequest("name", "no '/', no '@', and nothing that looks like a web address");
  const { settings, branding } = application;
  const mailName = settings.mailName ?? branding.companyName ?? application.name;
  return { ...change, settings: { ...change.settings, mailName } };
}

function checkedDomain(domain: string | null): string | null {
  if (domain !== null && (!hostName.test(domain) || isIP(domain) !== 0)) {
    throw invalidRequest("domain", "a lower-case host name in ASCII, such as example.com or xn--bcher-kva.example");
  }
  return domain;
}

const brandingLinks = ["termsUrl", "privacyUrl", "supportUrl"] as const;

/** Shown on every page, so only a colour, names and https URLs are allowed. */
function checkedBranding(branding: Branding): Branding {
  const { logo, primaryColor, companyName } = branding;
  if (logo !== null && !(isHttpsAddress(logo) && hasPlainHost(new URL(logo)))) {
    throw invalidRequest(
      "branding.logo",
      plainTextProblem(logo) ?? "an https URL of at most 2048 characters, with a plain host name",
    );
  }
  if (primaryColor !== null && !/^#[0-9a-f]{6}$/iu.test(primaryColor))
    throw invalidRequest("branding.primaryColor", "#rrggbb");
  if (companyName !== null && (companyName.trim() === "" || companyName.length > 200 || !isShowable(companyName))) {
    throw invalidRequest("branding.companyName", "1 to 200 characters, no control characters");
  }
  for (const name of brandingLinks) {
    const address = branding[name] ?? null;
    if (address !== null && !isHttpsAddress(address))
      throw invalidRequest(`branding.${name}`, plainTextProblem(address) ?? "an https URL of at most 2048 characters");
  }
  const { homeUrl = null } = branding;
  const homeProblem = homeUrl === null ? undefined : redirectUriProblem(homeUrl);
  if (homeProblem !== undefined) throw invalidRequest("branding.homeUrl", homeProblem);
  return branding;
}

function changedRedirectUris(
  present: string[],
  { redirectUris, addedRedirectUris = [], removedRedirectUris = [] }: ApplicationChange,
): string[] {
  const base = redirectUris === undefined ? present : checkedRedirectUris(redirectUris);
  const added = checkedRedirectUris(addedRedirectUris, "addedRedirectUris");
  const unknown = removedRedirectUris.findIndex((uri) => !base.includes(uri));
  if (unknown !== -1)
    throw invalidRequest(`removedRedirectUris[${unknown}]`, "the application has no such redirect URI");
  if (added.length === 0 && removedRedirectUris.length === 0) return base;
  return checkedRedirectUris([...base.filter((uri) => !removedRedirectUris.includes(uri)), ...added]);
}

/** The names of the fields that differ. */
export function changedFields(before: Application, after: Application): string[] {
  const fields = ["name", "domain", "redirectUris", "authMethods", "branding", "settings", "claims"] as const;
  return fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));
}
