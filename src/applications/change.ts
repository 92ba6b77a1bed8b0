import { isDeepStrictEqual } from "node:util";
import { invalidRequest } from "../lib/errors.ts";
import { checkedName } from "../lib/names.ts";
import type { EndpointType } from "../lib/rate-limits.ts";
import { checkedRedirectUris } from "../lib/redirect-uris.ts";
import type { AppSettings, AuthMethods, Branding, ClientDocumentHosts, OwnText } from "../storage/column-types.ts";
import { hasOrganizations, type Application } from "./application.ts";
import { checkedClaims } from "./claims.ts";
import { checkedProfileFields, refuseHalves, type NewProfileField } from "./profile-fields.ts";
import { checkedOwnWords } from "./own-words.ts";
import { isInRange, problemWith, valueIn, type Setting } from "./setting.ts";
import {
  applicationRows,
  applicationSettings,
  hostName,
  type ApplicationChange,
  type ApplicationField,
} from "./settings.ts";

const endpointTypes: EndpointType[] = ["authentication", "userManagement", "applicationManagement", "webhooks"];

/**
 * Whether an application may list a provider: a well-known one, or one for which it has a client.
 */
export type KnowsProvider = (name: string) => boolean;

/**
 * Applies a change to an application. Checks only the changed fields and those that they depend on.
 * Throws INVALID_REQUEST naming the field.
 */
export function changedApplication(
  application: Application,
  change: ApplicationChange,
  knowsProvider: KnowsProvider,
): Application {
  const { name, domain, authMethods, branding, settings } = change;
  const changed = {
    ...application,
    name: name === undefined ? application.name : checkedName("name", name, 200),
    domain:
      domain === undefined
        ? application.domain
        : (checkedValue("domain", applicationSettings.domain, domain) as string | null),
    redirectUris: changedRedirectUris(application.redirectUris, change),
    authMethods: authMethods
      ? changedMethods(application.authMethods, authMethods, knowsProvider)
      : application.authMethods,
    branding: branding
      ? checkedBranding(merged(application.branding, branding), application.branding)
      : application.branding,
    settings: settings ? changedSettings(application.settings, settings) : application.settings,
    claims: change.claims === undefined ? application.claims : checkedClaims(change.claims),
  };
  refuseOrganizationClaims(changed);
  refuseCompanySignIn(changed);
  refuseHalves(changed.settings, changed.claims);
  return changed;
}

/** Claims that begin with `org_` are the service's while organizations are on. */
function refuseOrganizationClaims(changed: Application): void {
  const taken = changed.claims?.find(({ claim }) => claim.toLowerCase().startsWith("org_"));
  if (taken && hasOrganizations(changed))
    throw invalidRequest("settings.organizations", `on only without the claim ${taken.claim}, which begins with org_`);
}

/** People by a provider of an organization have no passkey here to require. */
function refuseCompanySignIn(changed: Application): void {
  if (changed.settings.companySignIn !== "on") return;
  if (!hasOrganizations(changed)) throw invalidRequest("settings.companySignIn", "on only with organizations");
  if (changed.authMethods.passkey.required)
    throw invalidRequest("settings.companySignIn", "on only without a required passkey");
}

/** Shown on every page, so only a colour, names and https URLs are allowed. */
function checkedBranding(branding: Branding, present: Branding): Branding {
  const values: Record<string, unknown> = branding;
  const before: Record<string, unknown> = present;
  for (const [field, row] of applicationRows)
    if (field.startsWith("branding.")) {
      const name = field.slice("branding.".length);
      checkedValue(field, row, values[name], before[name]);
    }
  return branding;
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

/**
 * The order in which refused settings are reported: these first, then the others in their order.
 */
const checkedFirst: ApplicationField[] = [
  "settings.passwordMinLength",
  "settings.relyingPartyId",
  "settings.singleSignOnSeconds",
  "settings.refreshGraceSeconds",
  "settings.clientDocuments",
  "settings.trustBrowsersDays",
  "settings.mailName",
  "settings.scopes",
];
const ofSettings = applicationRows
  .filter(([field]) => field.startsWith("settings.") && !field.startsWith("settings.rateLimits."))
  .map(([field, row]) => ({ field, row, name: field.slice("settings.".length) }));
const place = (field: ApplicationField) =>
  checkedFirst.includes(field) ? checkedFirst.indexOf(field) : checkedFirst.length;
const asChecked = ofSettings.toSorted((a, b) => place(a.field) - place(b.field));

function changedSettings(settings: AppSettings, change: NonNullable<ApplicationChange["settings"]>): AppSettings {
  const { rateLimits, ...others } = change;
  const before: Record<string, unknown> = settings;
  const next: Record<string, unknown> = merged<Record<string, unknown>>(settings, others);
  for (const { field, row, name } of asChecked) {
    if (field === "settings.clientDocuments" && next[name] !== before[name])
      next[name] = checkedDocumentHosts(next[name] as "off" | ClientDocumentHosts);
    else if (field === "settings.profileFields" && next[name] !== before[name])
      next[name] = checkedProfileFields(next[name] as NewProfileField[] | null);
    else if (field === "settings.texts" && next[name] !== before[name])
      next[name] = checkedOwnWords(next[name] as OwnText[] | null);
    else next[name] = checkedValue(field, row, next[name], before[name]);
  }
  for (const { row, name } of ofSettings) {
    const { [name]: value } = next;
    // A key without a value is not stored; the others of these come last.
    if (value === undefined || row.leavesOutDefault) delete next[name];
    if (row.leavesOutDefault && value !== undefined && value !== row.default) next[name] = value;
  }
  const limits = merged<Record<string, number | null>>(settings.rateLimits, rateLimits);
  for (const [type, calls] of Object.entries(limits)) {
    const row = applicationRows.find(([field]) => field === `settings.rateLimits.${type}`)?.[1];
    if (!row || !(calls === null || isInRange(row, calls)))
      throw invalidRequest("settings.rateLimits", `${endpointTypes.join(", ")}, each from 1 to 1000000`);
  }
  if (next["signingAlgorithm"] !== settings.signingAlgorithm)
    next["previousSigningAlgorithm"] = settings.signingAlgorithm;
  next["rateLimits"] = Object.fromEntries(Object.entries(limits).filter(([, calls]) => calls !== null));
  return next as AppSettings;
}

/** A value in the form in which it is stored. Throws INVALID_REQUEST. */
function checkedValue(field: string, row: Setting, value: unknown, before?: unknown): unknown {
  const problem = problemWith(row, value, before);
  if (problem !== undefined) throw invalidRequest(field, problem);
  return row.kind === "choices"
    ? Object.keys(row.options ?? {}).filter((each) => (value as string[]).includes(each))
    : value;
}

const maxDocumentHosts = 50;

/** In the form of URLs: without the port 443. */
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

const columns = ["name", "domain", "redirectUris", "authMethods", "branding", "settings", "claims"] as const;

/** The names of the columns with another value, as the audit log has them. */
export function changedFields(before: Application, after: Application): string[] {
  const changed = applicationRows.filter(
    ([field, row]) => !isDeepStrictEqual(valueIn(before, field, row), valueIn(after, field, row)),
  );
  return columns.filter((column) => changed.some(([field]) => field.split(".")[0] === column));
}
