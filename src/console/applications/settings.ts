/** What an operator may set of an application, as `app update` does. */
import type { Application } from "../../applications/application.ts";
import type { ApplicationChange } from "../../applications/settings.ts";
import { claimList } from "../../config/state-schema.ts";
import { day, second } from "../../lib/clock.ts";
import { durationText, parseDuration } from "../../lib/durations.ts";
import { invalidRequest } from "../../lib/errors.ts";
import type { EndpointType } from "../../lib/rate-limits.ts";
import { refreshGraces, secondFactorPolicies, type ApplicationClaim } from "../../storage/column-types.ts";
import { linesOf, listOf } from "../parts/fields.ts";
import { cleared, onOff, onOrOff, optionOf, secondFactorOptions, type Setting } from "./setting.ts";

export type ApplicationSetting = Setting<Application, ApplicationChange>;

export const methodNames = ["passkey", "password", "oauth"] as const;
export const methodOptions = [
  ["passkey", "Passkey"],
  ["password", "Password"],
  ["oauth", "Provider"],
] as const;
const scopeNames = ["profile", "email", "groups"] as const;

const name: ApplicationSetting = {
  name: "name",
  label: "Name",
  hint: "People see it when they sign in.",
  of: (application) => application.name,
  change: (value) => ({ name: value }),
  words: (value) => ["--name", value],
};

const redirectUris: ApplicationSetting = {
  name: "redirectUris",
  label: "Redirect URIs",
  hint: "Where people return to after signing in, one a line.",
  kind: "lines",
  of: (application) => application.redirectUris.join("\n"),
  change: (value) => ({ redirectUris: linesOf(value) }),
  words: (value) => ["--redirect-uri", ...(value === "" ? [""] : linesOf(value))],
};

const domain: ApplicationSetting = {
  name: "domain",
  label: "Domain",
  hint: "The host name whose passkeys the application shares, such as example.com.",
  of: (application) => application.domain ?? "",
  change: (value) => ({ domain: cleared(value) }),
  words: (value) => ["--domain", value],
};

const relyingPartyId: ApplicationSetting = {
  name: "relyingPartyId",
  label: "Domain of the passkeys",
  hint: "Only if it is not the domain above (related origins).",
  empty: "the domain, else the service's host",
  refusedAs: "settings.relyingPartyId",
  of: ({ settings }) => settings.relyingPartyId ?? "",
  change: (value) => ({ settings: { relyingPartyId: cleared(value) } }),
  words: (value) => ["--relying-party-id", value],
};

const mailName: ApplicationSetting = {
  name: "mailName",
  label: "Name in mails",
  hint: "Empty: the company name, else the name. API keys cannot change it.",
  empty: "the company name, else the name",
  refusedAs: "settings.mailName",
  of: ({ settings }) => settings.mailName ?? "",
  change: (value) => ({ settings: { mailName: cleared(value) } }),
  words: (value) => ["--mail-name", value],
};

const methods: ApplicationSetting = {
  name: "methods",
  label: "Methods",
  kind: "some-of",
  options: methodOptions,
  of: ({ authMethods }) => methodNames.filter((method) => authMethods[method].enabled).join(","),
  change: (value) => {
    const chosen = listOf(value);
    if (chosen.length === 0) throw invalidRequest("methods", "at least one");
    const has = (method: (typeof methodNames)[number]) => ({ enabled: chosen.includes(method) });
    return { authMethods: { passkey: has("passkey"), password: has("password"), oauth: has("oauth") } };
  },
  words: (value) => ["--methods", value],
};

const passkeyRequired: ApplicationSetting = {
  name: "passkeyRequired",
  label: "Passkey required",
  hint: "On: every sign-in needs a passkey.",
  kind: "one-of",
  options: onOff,
  refusedAs: "authMethods.passkey.required",
  of: ({ authMethods }) => onOrOff(authMethods.passkey.required),
  change: (value) => ({ authMethods: { passkey: { required: value === "on" } } }),
  words: (value) => ["--passkey-required", value],
};

const providers: ApplicationSetting = {
  name: "providers",
  label: "Providers offered",
  hint: "Names, separated by commas. Configure each one under Providers.",
  refusedAs: "authMethods.oauth.providers",
  of: ({ authMethods }) => authMethods.oauth.providers.join(", "),
  change: (value) => ({ authMethods: { oauth: { providers: listOf(value) } } }),
  words: (value) => ["--providers", listOf(value).join(",")],
};

const emailCode: ApplicationSetting = {
  name: "emailCode",
  label: "Sign-in by mail",
  hint: "A code that is mailed to the typed address.",
  kind: "one-of",
  options: onOff,
  of: ({ settings }) => onOrOff(settings.emailCode),
  change: (value) => ({ settings: { emailCode: value === "on" } }),
  words: (value) => ["--email-code", value],
};

const signUp: ApplicationSetting = {
  name: "signUp",
  label: "Sign-up",
  kind: "one-of",
  options: [
    ["open", "Open: anybody may create an account"],
    ["closed", "Closed: only who is invited or imported"],
  ],
  of: ({ settings }) => settings.signUp,
  change: (value) => ({ settings: { signUp: optionOf("signUp", value, ["open", "closed"]) } }),
  words: (value) => ["--sign-up", value],
};

const passwordMinLength: ApplicationSetting = {
  name: "passwordMinLength",
  label: "Shortest password",
  hint: "Characters of a new password.",
  kind: "number",
  refusedAs: "settings.passwordMinLength",
  of: ({ settings }) => String(settings.passwordMinLength),
  change: (value) => ({ settings: { passwordMinLength: wholeNumber(value) } }),
  words: (value) => ["--password-min-length", value],
};

const secondFactor: ApplicationSetting = {
  name: "secondFactor",
  label: "Second factor",
  kind: "one-of",
  options: secondFactorOptions,
  of: ({ settings }) => settings.secondFactor ?? "off",
  change: (value) => ({ settings: { secondFactor: optionOf("secondFactor", value, secondFactorPolicies) } }),
  words: (value) => ["--second-factor", value],
};

const trustBrowsers: ApplicationSetting = {
  name: "trustBrowsers",
  label: "Trusted browsers",
  hint: "For how long a browser is not asked for the second factor: 1d to 90d, or off.",
  refusedAs: "settings.trustBrowsersDays",
  of: ({ settings }) => (settings.trustBrowsersDays === undefined ? "off" : `${settings.trustBrowsersDays}d`),
  change: (value) => ({ settings: { trustBrowsersDays: inUnits(value, day) } }),
  words: (value) => ["--trust-browsers", value],
};

const clientDocuments: ApplicationSetting = {
  name: "clientDocuments",
  label: "Client documents",
  hint: "Clients that nobody registered, by the hosts of their documents, separated by commas; off, or any.",
  refusedAs: "settings.clientDocuments",
  of: ({ settings }) => [settings.clientDocuments ?? "off"].flat().join(", "),
  change: (value) => ({
    settings: { clientDocuments: value === "off" || value === "any" ? value : listOf(value) },
  }),
  words: (value) => ["--client-documents", value],
};

const singleSignOn: ApplicationSetting = {
  name: "singleSignOn",
  label: "Single sign-on",
  hint: "How long one sign-in also counts for the other OpenID Connect clients: at most 12h, or off.",
  refusedAs: "settings.singleSignOnSeconds",
  of: ({ settings: { singleSignOnSeconds: seconds } }) =>
    seconds === 0 ? "off" : seconds === undefined ? "12h" : durationText(seconds * second),
  change: (value) => ({ settings: { singleSignOnSeconds: inUnits(value, second) } }),
  words: (value) => ["--single-sign-on", value],
};

const refreshGrace: ApplicationSetting = {
  name: "refreshGrace",
  label: "Refresh grace",
  hint: "For how long a refresh that is repeated because its answer was lost gets the same answer: 10s to 2m.",
  refusedAs: "settings.refreshGraceSeconds",
  of: ({ settings: { refreshGraceSeconds = refreshGraces.usual } }) => durationText(refreshGraceSeconds * second),
  change: (value) => ({ settings: { refreshGraceSeconds: inUnits(value, second) } }),
  words: (value) => ["--refresh-grace", value],
};

const scopes: ApplicationSetting = {
  name: "scopes",
  label: "Scopes",
  hint: "What sign-ins may request.",
  kind: "some-of",
  options: scopeNames.map((scope) => [scope, scope] as const),
  refusedAs: "settings.scopes",
  of: ({ settings }) => settings.scopes.join(","),
  change: (value) => ({
    settings: { scopes: listOf(value).map((scope) => optionOf("settings.scopes", scope, scopeNames)) },
  }),
  words: (value) => ["--scopes", value],
};

const claims: ApplicationSetting = {
  name: "claims",
  label: "Token claims",
  hint: 'A list in JSON, such as [{"claim": "roles", "from": "groups", "in": ["access", "id"]}]. Empty: none.',
  kind: "lines",
  of: (application) => (application.claims === null ? "" : JSON.stringify(application.claims, null, 1)),
  change: (value) => ({ claims: claimsFrom(value) }),
  words: (value) => ["--claims", value === "" ? "" : JSON.stringify(claimsFrom(value))],
};

const signingAlgorithm: ApplicationSetting = {
  name: "signingAlgorithm",
  label: "Signing algorithm",
  hint: "Of access tokens. A new one signs 15 minutes after its key was published.",
  kind: "one-of",
  options: [
    ["ES256", "ES256"],
    ["EdDSA", "EdDSA"],
    ["RS256", "RS256"],
  ],
  of: ({ settings }) => settings.signingAlgorithm,
  change: (value) => ({
    settings: { signingAlgorithm: optionOf("signingAlgorithm", value, ["ES256", "EdDSA", "RS256"]) },
  }),
  words: (value) => ["--signing-algorithm", value],
};

/** It is about the change, not about the application. */
export const signsNow: ApplicationSetting = {
  name: "signsNow",
  label: "A new signing algorithm",
  kind: "some-of",
  options: [["now", "Sign with it at once. Servers that cache the key set refuse its tokens for up to 10 minutes."]],
  of: () => "",
  change: () => ({}),
  words: () => ["--now"],
};

const publicClients: ApplicationSetting = {
  name: "publicClients",
  label: "Public clients",
  hint: "Pages and mobile apps may start sign-ins without an API key, with PKCE.",
  kind: "one-of",
  options: onOff,
  of: ({ settings }) => onOrOff(settings.publicClients),
  change: (value) => ({ settings: { publicClients: value === "on" } }),
  words: (value) => ["--public-clients", value],
};

const queryEndpoints: ApplicationSetting = {
  name: "queryEndpoints",
  label: "Query endpoints",
  hint: "Endpoints that take a token in the query string.",
  kind: "one-of",
  options: onOff,
  of: ({ settings }) => onOrOff(settings.queryEndpoints),
  change: (value) => ({ settings: { queryEndpoints: value === "on" } }),
  words: (value) => ["--query-endpoints", value],
};

function limit(type: EndpointType, label: string): ApplicationSetting {
  return {
    name: `limit.${type}`,
    label,
    hint: "Calls per minute. Empty: as configured.",
    empty: "as configured",
    kind: "number",
    of: ({ settings }) => String(settings.rateLimits[type] ?? ""),
    change: (value) => ({ settings: { rateLimits: { [type]: value === "" ? null : limitFrom(type, value) } } }),
    words: (value) => ["--limit", `${type}=${value === "" ? "default" : value}`],
  };
}

/** Its range is the service's to say, which names all limits alike. */
function limitFrom(type: EndpointType, value: string): number {
  const calls = wholeNumber(value);
  if (!(calls >= 1 && calls <= 1_000_000)) throw invalidRequest(`limit.${type}`, "from 1 to 1000000, or empty");
  return calls;
}

const limits = [
  limit("authentication", "Limit of authentication"),
  limit("userManagement", "Limit of user management"),
  limit("applicationManagement", "Limit of application management"),
  limit("webhooks", "Limit of webhook management"),
];

function link(
  field: "termsUrl" | "privacyUrl" | "supportUrl" | "homeUrl",
  label: string,
  flag: string,
): ApplicationSetting {
  return {
    name: field,
    label,
    refusedAs: `branding.${field}`,
    of: ({ branding }) => branding[field] ?? "",
    change: (value) => ({ branding: { [field]: cleared(value) } }),
    words: (value) => [flag, value],
  };
}

export const brandingSettings: readonly ApplicationSetting[] = [
  {
    name: "companyName",
    label: "Company name",
    hint: "On the pages and in mails, instead of the application's name.",
    refusedAs: "branding.companyName",
    of: ({ branding }) => branding.companyName ?? "",
    change: (value) => ({ branding: { companyName: cleared(value) } }),
    words: (value) => ["--company-name", value],
  },
  {
    name: "logo",
    label: "Logo",
    hint: "An https URL.",
    refusedAs: "branding.logo",
    of: ({ branding }) => branding.logo ?? "",
    change: (value) => ({ branding: { logo: cleared(value) } }),
    words: (value) => ["--logo", value],
  },
  {
    name: "primaryColor",
    label: "Colour",
    hint: "Of buttons and links, such as #1d4ed8. Its contrast is corrected where needed.",
    refusedAs: "branding.primaryColor",
    of: ({ branding }) => branding.primaryColor ?? "",
    change: (value) => ({ branding: { primaryColor: cleared(value) } }),
    words: (value) => ["--primary-color", value],
  },
  link("termsUrl", "Terms", "--terms-url"),
  link("privacyUrl", "Privacy policy", "--privacy-url"),
  link("supportUrl", "Support", "--support-url"),
  link("homeUrl", "Home page", "--home-url"),
];

export const settingGroups = [
  { id: "names", title: "Names and addresses", settings: [name, redirectUris, domain, relyingPartyId, mailName] },
  {
    id: "methods",
    title: "Ways to sign in",
    settings: [methods, passkeyRequired, providers, emailCode, signUp, passwordMinLength],
  },
  {
    id: "factors",
    title: "Second factor and sessions",
    settings: [secondFactor, trustBrowsers, singleSignOn, refreshGrace],
  },
  { id: "tokens", title: "Tokens", settings: [scopes, claims, signingAlgorithm, signsNow] },
  { id: "api", title: "API and limits", settings: [clientDocuments, publicClients, queryEndpoints, ...limits] },
] as const satisfies { id: string; title: string; settings: ApplicationSetting[] }[];

/** What a new application may be given, as `app create` takes it. */
export const newApplicationSettings: readonly ApplicationSetting[] = [
  name,
  redirectUris,
  domain,
  methods,
  emailCode,
  secondFactor,
];

function wholeNumber(value: string): number {
  return /^\d{1,9}$/u.test(value) ? Number(value) : Number.NaN;
}

/** A duration in units, or `off`, which is 0. The service refuses what is no number. */
function inUnits(value: string, unit: number): number {
  return value === "off" ? 0 : (parseDuration(value) ?? Number.NaN) / unit;
}

function claimsFrom(value: string): ApplicationClaim[] {
  if (value === "") return [];
  const parsed = claimList.safeParse(jsonOf(value));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidRequest("claims", [issue?.path.join("."), issue?.message].filter((part) => part !== "").join(": "));
}

function jsonOf(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch (cause) {
    throw invalidRequest("claims", "not JSON", cause);
  }
}
