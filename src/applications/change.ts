import { isIP } from "node:net";
import type { EndpointType } from "../http/route.ts";
import { invalidRequest } from "../lib/errors.ts";
import { isHttpsAddress, isShowable } from "../lib/text.ts";
import type { Application, AppSettings, AuthMethods, Branding, Scope } from "./application.ts";
import { redirectUriProblem } from "./redirect-uris.ts";

/** What can be changed of an application; what is left out stays as it is. */
export type ApplicationChange = {
  name?: string;
  domain?: string | null;
  redirectUris?: string[];
  authMethods?: {
    passkey?: Partial<AuthMethods["passkey"]>;
    oauth?: Partial<AuthMethods["oauth"]>;
    password?: Partial<AuthMethods["password"]>;
  };
  branding?: Partial<Branding>;
  /** A limit of null is that of the configuration again. */
  settings?: Partial<Omit<AppSettings, "rateLimits">> & { rateLimits?: Partial<Record<EndpointType, number | null>> };
};

const hostName = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/u;
const mostRedirectUris = 50;

const fewestPasswordCharacters = 8;
/** Far below what a password may have: nobody's password manager must be beyond it. */
const mostOfFewestPasswordCharacters = 128;
const mostCallsPerMinute = 1_000_000;
const allScopes: Scope[] = ["profile", "email"];
const endpointTypes: EndpointType[] = ["authentication", "userManagement", "applicationManagement", "webhooks"];

/** Whether an application may list a provider of this name: one that everybody knows, or one that it has an account with. */
export type KnowsProvider = (name: string) => boolean;

/** The application after a change; throws INVALID_REQUEST naming the field. Only what is given is checked, and what it must agree with. */
export function changedApplication(
  application: Application,
  change: ApplicationChange,
  knowsProvider: KnowsProvider,
): Application {
  const { name, domain, redirectUris, authMethods, branding, settings } = change;
  return {
    ...application,
    name: name === undefined ? application.name : checkedName(name),
    domain: domain === undefined ? application.domain : checkedDomain(domain),
    redirectUris: redirectUris === undefined ? application.redirectUris : checkedRedirectUris(redirectUris),
    authMethods: authMethods
      ? changedMethods(application.authMethods, authMethods, knowsProvider)
      : application.authMethods,
    branding: branding ? checkedBranding(merged(application.branding, branding)) : application.branding,
    settings: settings ? changedSettings(application.settings, settings) : application.settings,
  };
}

/** `base` with what is given in `change`; a key that is there without a value says nothing. */
function merged<T extends object>(base: T, change: Partial<T> = {}): T {
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  return { ...base, ...(Object.fromEntries(given) as Partial<T>) };
}

function changedMethods(
  methods: AuthMethods,
  change: NonNullable<ApplicationChange["authMethods"]>,
  knowsProvider: KnowsProvider,
): AuthMethods {
  const passkey = merged(methods.passkey, change.passkey);
  if (passkey.required && !passkey.enabled) {
    throw invalidRequest("authMethods.passkey.required: only with authMethods.passkey.enabled");
  }
  const given = change.oauth?.providers?.map((name) => name.toLowerCase());
  const unknown = given?.findIndex((name) => !knowsProvider(name)) ?? -1;
  if (unknown !== -1) {
    throw invalidRequest(`authMethods.oauth.providers[${unknown}]: not a provider of this application`);
  }
  const providers = given && [...new Set(given)];
  return {
    passkey,
    oauth: merged(methods.oauth, { ...change.oauth, providers }),
    password: merged(methods.password, change.password),
  };
}

function changedSettings(settings: AppSettings, change: NonNullable<ApplicationChange["settings"]>): AppSettings {
  const { rateLimits, ...others } = change;
  const next = merged(settings, others);
  if (!isWholeNumber(next.passwordMinLength, fewestPasswordCharacters, mostOfFewestPasswordCharacters)) {
    throw invalidRequest(
      `settings.passwordMinLength: a whole number from ${fewestPasswordCharacters} to ${mostOfFewestPasswordCharacters}`,
    );
  }
  const { relyingPartyId } = next;
  if (relyingPartyId !== null && (!hostName.test(relyingPartyId) || isIP(relyingPartyId) !== 0))
    throw invalidRequest("settings.relyingPartyId: a lower-case host name, such as example.com");
  const scopes = allScopes.filter((scope) => next.scopes.includes(scope));
  if (scopes.length === 0) throw invalidRequest("settings.scopes: at least one of profile, email");
  const limits = merged<Record<string, number | null>>(settings.rateLimits, rateLimits);
  for (const [type, limit] of Object.entries(limits)) {
    if (
      !endpointTypes.some((known) => known === type) ||
      !(limit === null || isWholeNumber(limit, 1, mostCallsPerMinute))
    )
      throw invalidRequest(`settings.rateLimits: ${endpointTypes.join(", ")}, each from 1 to ${mostCallsPerMinute}`);
  }
  return {
    ...next,
    scopes,
    rateLimits: Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null)),
  };
}

function isWholeNumber(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most;
}

function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed.length < 1 || trimmed.length > 200) throw invalidRequest("name: 1 to 200 characters");
  if (!isShowable(trimmed)) throw invalidRequest("name: no control characters");
  return trimmed;
}

function checkedDomain(domain: string | null): string | null {
  if (domain !== null && (!hostName.test(domain) || isIP(domain) !== 0)) {
    throw invalidRequest("domain: a lower-case host name, such as example.com");
  }
  return domain;
}

/** Shown on every page: nothing in it may be more than a colour, a name and an address of a picture. */
function checkedBranding({ logo, primaryColor, companyName }: Branding): Branding {
  if (logo !== null && !isHttpsAddress(logo)) {
    throw invalidRequest("branding.logo: an https address of at most 2048 characters");
  }
  if (primaryColor !== null && !/^#[0-9a-f]{6}$/iu.test(primaryColor))
    throw invalidRequest("branding.primaryColor: #rrggbb");
  if (companyName !== null && (companyName.trim() === "" || companyName.length > 200 || !isShowable(companyName))) {
    throw invalidRequest("branding.companyName: 1 to 200 characters, no control characters");
  }
  return { logo, primaryColor, companyName };
}

/** The addresses, each once. Throws INVALID_REQUEST naming the first that is not fit to be one. */
function checkedRedirectUris(uris: string[]): string[] {
  if (uris.length > mostRedirectUris) throw invalidRequest(`redirectUris: at most ${mostRedirectUris}`);
  for (const [position, uri] of uris.entries()) {
    const problem = redirectUriProblem(uri);
    if (problem !== undefined) throw invalidRequest(`redirectUris[${position}]: ${problem}`);
  }
  return [...new Set(uris)];
}
