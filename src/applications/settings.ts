/** Every setting of an application, in the order of `export`, help and forms. */
import { isIP } from "node:net";
import { canonicalEmail } from "../lib/email.ts";
import { redirectUriProblem } from "../lib/redirect-uris.ts";
import { hasPlainHost, isHttpsAddress, isShowable, plainTextProblem } from "../lib/text.ts";
import { storedPicture } from "../lib/stored-picture.ts";
import type { EndpointType } from "../lib/rate-limits.ts";
import {
  maxPersonalTokenDays,
  loginMaxima,
  maxSingleSignOnSeconds,
  refreshGraces,
  sessionLives,
  builtInRoles,
  type ApplicationClaim,
  type AppSettings,
  type AuthMethods,
  type Branding,
  type ClientDocumentHosts,
} from "../storage/column-types.ts";
import type { NewProfileField } from "./profile-fields.ts";
import type { Setting, SettingsOf } from "./setting.ts";

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
    Omit<AppSettings, "rateLimits" | "previousSigningAlgorithm" | "development" | "clientDocuments" | "profileFields">
  > & {
    rateLimits?: Partial<Record<EndpointType, number | null>>;
    clientDocuments?: "off" | ClientDocumentHosts | undefined;
    profileFields?: NewProfileField[] | null | undefined;
  };
};

/** `addedRedirectUris` and `removedRedirectUris` change `redirectUris`. */
type Change = Omit<ApplicationChange, "addedRedirectUris" | "removedRedirectUris">;

export const hostName =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/u;

export const secondFactorLabels = { off: "Off", optional: "Optional", required: "Required" };

const hostRule = "a lower-case host name in ASCII, such as example.com or xn--bcher-kva.example";
const addressRule = "an https URL of at most 2048 characters";

function hostProblem(host: string): string | undefined {
  return hostName.test(host) && isIP(host) === 0 ? undefined : hostRule;
}

function addressProblem(address: string): string | undefined {
  return isHttpsAddress(address) ? undefined : (plainTextProblem(address) ?? addressRule);
}

/** A text of one line that pages and mails show. */
function shownText(maxCharacters: number): Pick<Setting<string>, "rule" | "problem"> {
  const rule = `1 to ${maxCharacters} characters, no control characters`;
  const isShown = (text: string) => text.trim() !== "" && text.length <= maxCharacters && isShowable(text);
  return { rule, problem: (text, before) => (text === before || isShown(text) ? undefined : rule) };
}

function link(label: string, about: string, flag: string) {
  return {
    label,
    about,
    kind: "text",
    rule: addressRule,
    problem: addressProblem,
    default: null,
    opensAccess: false,
    flag,
    form: "branding",
    isPublic: true,
  } satisfies Setting<string>;
}

function limit(label: string, calls: string, opensAccess: boolean) {
  return {
    label,
    about: `Calls of ${calls} per minute.`,
    kind: "number",
    unit: "per minute",
    range: { least: 1, most: 1_000_000 },
    rule: "from 1 to 1000000, or empty",
    default: null,
    empty: "as configured",
    opensAccess,
    form: "api",
  } satisfies Setting<number>;
}

const domainsRule = "1 to 200 different domains in lower case and ASCII, such as example.com";
const allowedDomainsRule = `${domainsRule} or *.example.com`;
const mailAddressRule = "an address in lower case, such as team@example.com";

function areDomains(domains: string[]): boolean {
  const isFine = (domain: string) => domain.includes(".") && hostProblem(domain) === undefined;
  return domains.length >= 1 && domains.length <= 200 && domains.every(isFine);
}

const originsRule = "1 to 50 different https origins, such as https://shop.example, without a path";

function areOrigins(origins: string[]): boolean {
  const isOrigin = (origin: string): boolean => {
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    return url?.protocol === "https:" && url.origin === origin && hostProblem(url.hostname) === undefined;
  };
  const isCounted = origins.length >= 1 && origins.length <= 50 && new Set(origins).size === origins.length;
  return isCounted && origins.every(isOrigin);
}

const roleRule = "at most 50 different names of 1 to 32 letters, digits, '_' or '-', not owner, admin or member";

function rolesProblem(roles: string[]): string | undefined {
  const names = roles.map((role) => role.replace(/:owners$/u, "").toLowerCase());
  const isFine =
    names.length <= 50 &&
    new Set([...names, ...builtInRoles]).size === names.length + builtInRoles.length &&
    names.every((name) => /^[a-z0-9_-]{1,32}$/u.test(name));
  return isFine ? undefined : roleRule;
}

export const applicationSettings = {
  name: {
    label: "Name",
    about: "Name that people see when they sign in.",
    kind: "text",
    rule: "1 to 200 characters, no control characters",
    opensAccess: false,
    flag: "--name <name>",
    atCreation: true,
    form: "names",
    byApiKey: true,
    isPublic: true,
  },
  domain: {
    label: "Domain",
    about: "Domain whose passkeys the application shares, such as example.com.",
    kind: "text",
    rule: hostRule,
    problem: hostProblem,
    default: null,
    opensAccess: true,
    flag: "--domain <host>",
    atCreation: true,
    form: "names",
    isPublic: true,
  },
  redirectUris: {
    label: "Redirect URIs",
    about: "Where people return to after signing in.",
    kind: "lines",
    rule: "at most 50 URLs: https, http for localhost, or a private-use scheme with a dot",
    default: [],
    opensAccess: true,
    flag: "--redirect-uri <uri...>",
    atCreation: true,
    form: "names",
    byApiKey: true,
    isPublic: true,
  },
  "authMethods.passkey.enabled": {
    label: "Passkeys",
    about: "Whether people can sign in with passkeys.",
    kind: "switch",
    default: true,
    opensAccess: true,
    byApiKey: true,
  },
  "authMethods.passkey.required": {
    label: "Passkey required",
    about: "Whether every sign-in needs a passkey.",
    kind: "switch",
    rule: "only with authMethods.passkey.enabled",
    default: false,
    opensAccess: true,
    name: "passkeyRequired",
    flag: "--passkey-required <switch>",
    form: "methods",
    byApiKey: true,
  },
  "authMethods.password.enabled": {
    label: "Passwords",
    about: "Whether people can sign in with passwords.",
    kind: "switch",
    default: true,
    opensAccess: true,
    byApiKey: true,
  },
  "authMethods.oauth.enabled": {
    label: "Providers",
    about: "Whether people can sign in with providers.",
    kind: "switch",
    default: false,
    opensAccess: true,
    byApiKey: true,
  },
  "authMethods.oauth.providers": {
    label: "Providers offered",
    about: "Names of the providers to offer, in this order.",
    kind: "list",
    rule: "known providers, and those configured for the application",
    default: [],
    opensAccess: true,
    flag: "--providers <list>",
    form: "methods",
    byApiKey: true,
    isPublic: true,
  },
  "branding.logo": {
    label: "Logo",
    about: "URL of a logo on the pages.",
    kind: "text",
    rule: `${addressRule}, with a plain host name`,
    problem(logo, before) {
      // An uploaded one, which no form can name.
      if (storedPicture(logo) && logo === before) return undefined;
      if (isHttpsAddress(logo) && hasPlainHost(new URL(logo))) return undefined;
      return plainTextProblem(logo) ?? `${addressRule}, with a plain host name`;
    },
    default: null,
    opensAccess: false,
    flag: "--logo <url>",
    form: "branding",
    isPublic: true,
  },
  "branding.primaryColor": {
    label: "Colour",
    about: "Colour of buttons and links, such as #1d4ed8; its contrast is corrected where needed.",
    kind: "text",
    rule: "#rrggbb",
    problem: (colour) => (/^#[0-9a-f]{6}$/iu.test(colour) ? undefined : "#rrggbb"),
    default: null,
    opensAccess: false,
    flag: "--primary-color <color>",
    form: "branding",
    isPublic: true,
  },
  "branding.companyName": {
    label: "Company name",
    about: "Name on the pages and in mails, instead of the application's.",
    kind: "text",
    ...shownText(200),
    default: null,
    opensAccess: false,
    flag: "--company-name <name>",
    form: "branding",
    isPublic: true,
  },
  "branding.termsUrl": link("Terms", "URL of your terms of use, linked on the pages.", "--terms-url <url>"),
  "branding.privacyUrl": link(
    "Privacy policy",
    "URL of your privacy policy, linked on the pages.",
    "--privacy-url <url>",
  ),
  "branding.supportUrl": link(
    "Support",
    "URL of your support, linked on the pages and in mails.",
    "--support-url <url>",
  ),
  "branding.homeUrl": {
    label: "Home page",
    about: "Where the pages link back to.",
    kind: "text",
    rule: "as redirect URIs",
    problem: redirectUriProblem,
    default: null,
    empty: "the origin of a redirect URI",
    opensAccess: false,
    flag: "--home-url <url>",
    atCreation: true,
    form: "branding",
    byApiKey: true,
    isPublic: true,
  },
  "settings.signUp": {
    label: "Sign-up",
    about: "Whether anybody may create an account.",
    kind: "choice",
    options: {
      open: "Open: anybody may create an account",
      closed: "Closed: only people who are invited or imported",
    },
    default: "open",
    opensAccess: true,
    flag: "--sign-up <switch>",
    form: "methods",
  },
  "settings.signUpEmailDomains": {
    label: "Domains for sign-up",
    about: "Domains of new accounts and addresses: example.com alone, or *.example.com for those below it.",
    kind: "list",
    rule: allowedDomainsRule,
    problem: (domains) =>
      areDomains(domains.map((each) => each.replace(/^\*\./u, ""))) ? undefined : allowedDomainsRule,
    default: null,
    leavesOutDefault: true,
    empty: "any domain",
    opensAccess: true,
    flag: "--sign-up-email-domains <list>",
    form: "methods",
    isPublic: true,
  },
  "settings.signUpBlockedDomains": {
    label: "Blocked domains",
    about: "Domains that no new account or address may have, nor what is below them.",
    kind: "list",
    rule: domainsRule,
    problem: (domains) => (areDomains(domains) ? undefined : domainsRule),
    default: null,
    leavesOutDefault: true,
    empty: "none",
    opensAccess: true,
    flag: "--sign-up-blocked-domains <list>",
    form: "methods",
    isPublic: true,
  },
  "settings.signUpBlockDisposable": {
    label: "Block disposable addresses",
    about: "Refuse new accounts and addresses of the domains in disposableDomainsFile.",
    kind: "switch",
    default: false,
    leavesOutDefault: true,
    opensAccess: true,
    flag: "--sign-up-block-disposable <switch>",
    form: "methods",
  },
  "settings.signUpRequireVerified": {
    label: "Verified address required",
    about: "Issue nothing before the address of a new account is verified; needs a mail server.",
    kind: "switch",
    default: false,
    leavesOutDefault: true,
    opensAccess: true,
    flag: "--sign-up-require-verified <switch>",
    form: "methods",
  },
  "settings.signUpShowRules": {
    label: "Refusals name the rule",
    about: "Tell people whose address is refused which domains are allowed.",
    kind: "switch",
    default: false,
    leavesOutDefault: true,
    opensAccess: false,
    flag: "--sign-up-show-rules <switch>",
    form: "methods",
  },
  "settings.signUpApproval": {
    label: "Approval of new accounts",
    about: "Whether new accounts wait until an operator approves them; needs a mail server.",
    kind: "switch",
    default: false,
    leavesOutDefault: true,
    opensAccess: true,
    flag: "--sign-up-approval <switch>",
    form: "methods",
  },
  "settings.signUpApprovalMail": {
    label: "Mail about waiting accounts",
    about: "Address that is mailed, at most once an hour, how many accounts wait for approval.",
    kind: "text",
    rule: mailAddressRule,
    problem: (address) => (canonicalEmail(address) === address ? undefined : mailAddressRule),
    default: null,
    leavesOutDefault: true,
    empty: "the operators who may approve",
    opensAccess: true,
    flag: "--sign-up-approval-mail <address>",
    form: "methods",
  },
  "settings.emailCode": {
    label: "Codes by mail",
    about: "Let people sign in with a code mailed to their address; needs a mail server.",
    kind: "switch",
    default: false,
    opensAccess: true,
    flag: "--email-code <switch>",
    atCreation: true,
    form: "methods",
  },
  "settings.passwordMinLength": {
    label: "Shortest password",
    about: "Minimum length of a new password.",
    kind: "number",
    unit: "characters",
    // Far below the maximum length, so that every password manager can comply.
    range: { least: 8, most: 128 },
    default: 15,
    opensAccess: true,
    flag: "--password-min-length <number>",
    form: "methods",
  },
  "settings.scopes": {
    label: "Scopes",
    about: "Scopes that sign-ins may request.",
    kind: "choices",
    options: { profile: "profile", email: "email", groups: "groups" },
    default: ["profile", "email"],
    opensAccess: true,
    flag: "--scopes <list>",
    form: "tokens",
  },
  claims: {
    label: "Token claims",
    about: "Claims to add to tokens, made of groups and metadata.",
    kind: "other",
    rule: "list of claim, from, value and in",
    default: [],
    opensAccess: true,
    flag: "--claims <json>",
    form: "tokens",
    // Not their values: a constant may be a secret of the programs that read tokens.
    publicPart: (claims) => claims.map(({ claim, from }) => `${claim} from ${from}`),
  },
  "settings.signingAlgorithm": {
    label: "Signing algorithm",
    about: "Algorithm that signs access tokens; a new one signs 15 minutes after its key was published.",
    kind: "choice",
    options: { ES256: "ES256", EdDSA: "EdDSA", RS256: "RS256" },
    default: "ES256",
    opensAccess: false,
    flag: "--signing-algorithm <name>",
    form: "tokens",
  },
  "settings.singleSignOnSeconds": {
    label: "Single sign-on",
    about: "How long one sign-in also counts for the application's other OpenID Connect clients: at most 12h, or off.",
    kind: "duration",
    unit: "seconds",
    range: { least: 0, most: maxSingleSignOnSeconds },
    rule: `from 0 to ${maxSingleSignOnSeconds / 3600} hours`,
    default: maxSingleSignOnSeconds,
    opensAccess: true,
    name: "singleSignOn",
    flag: "--single-sign-on <duration>",
    atCreation: true,
    form: "factors",
  },
  "settings.refreshGraceSeconds": {
    label: "Refresh grace",
    about: "How long a repeated refresh gets the same response, in case it was lost: 10s to 2m.",
    kind: "duration",
    unit: "seconds",
    range: { least: refreshGraces.least, most: refreshGraces.most },
    rule: `from ${refreshGraces.least} to ${refreshGraces.most} seconds`,
    default: refreshGraces.usual,
    opensAccess: true,
    name: "refreshGrace",
    flag: "--refresh-grace <duration>",
    atCreation: true,
    form: "factors",
  },
  "settings.sessionIdleSeconds": {
    label: "Session without use",
    about: "How long a login lasts without a refresh, and a browser session without a visit: 15m to 365d.",
    kind: "duration",
    unit: "seconds",
    range: { least: sessionLives.least, most: sessionLives.most },
    rule: "from 15 minutes to 365 days",
    default: sessionLives.idle,
    leavesOutDefault: true,
    opensAccess: true,
    name: "sessions.idle",
    flag: "--session-idle <duration>",
    atCreation: true,
    form: "factors",
  },
  "settings.sessionAbsoluteSeconds": {
    label: "Session at most",
    about: "How long after the proof a login and a browser session end, in use or not: 15m to 365d.",
    kind: "duration",
    unit: "seconds",
    range: { least: sessionLives.least, most: sessionLives.most },
    rule: "from 15 minutes to 365 days",
    default: sessionLives.absolute,
    leavesOutDefault: true,
    opensAccess: true,
    name: "sessions.absolute",
    flag: "--session-absolute <duration>",
    atCreation: true,
    form: "factors",
  },
  "settings.maxLogins": {
    label: "Logins at once",
    about: "How many logins a person may have at once; one more ends the oldest.",
    kind: "number",
    unit: "logins",
    range: loginMaxima,
    default: loginMaxima.most,
    leavesOutDefault: true,
    opensAccess: true,
    name: "sessions.maxLogins",
    flag: "--max-logins <number>",
    atCreation: true,
    form: "factors",
  },
  "settings.secondFactor": {
    label: "Second factor",
    about: "Whether people may or must set up a second factor.",
    kind: "choice",
    options: secondFactorLabels,
    default: "off",
    leavesOutDefault: true,
    opensAccess: true,
    flag: "--second-factor <policy>",
    atCreation: true,
    form: "factors",
  },
  "settings.trustBrowsersDays": {
    label: "Trusted browsers",
    about: "How long a trusted browser is not asked for the second factor: 1d to 90d, or off.",
    kind: "duration",
    unit: "days",
    range: { least: 0, most: 90 },
    rule: "from 1 to 90 days, or off",
    default: 0,
    leavesOutDefault: true,
    opensAccess: true,
    name: "trustBrowsers",
    flag: "--trust-browsers <duration>",
    atCreation: true,
    form: "factors",
  },
  "settings.clientDocuments": {
    label: "Client documents",
    about: "Unregistered clients, by the hosts of their documents: off, any, or a list.",
    kind: "other",
    rule: "off, any, or 1 to 50 hosts",
    default: "off",
    leavesOutDefault: true,
    opensAccess: true,
    flag: "--client-documents <hosts>",
    form: "api",
    isPublic: true,
  },
  "settings.queryEndpoints": {
    label: "Query endpoints",
    about: "Whether the endpoints that take a token in the query string are enabled.",
    kind: "switch",
    default: true,
    opensAccess: true,
    flag: "--query-endpoints <switch>",
    form: "api",
  },
  "settings.publicClients": {
    label: "Public clients",
    about: "Let pages and mobile apps start sign-ins without an API key, with PKCE.",
    kind: "switch",
    default: false,
    opensAccess: true,
    flag: "--public-clients <switch>",
    form: "api",
  },
  "settings.relyingPartyId": {
    label: "Passkey domain",
    about: "Domain of the passkeys, if it is not the application's: related origins.",
    kind: "text",
    rule: hostRule,
    problem: hostProblem,
    default: null,
    empty: "the domain, else the service's host",
    opensAccess: true,
    flag: "--relying-party-id <host>",
    form: "names",
    isPublic: true,
  },
  "settings.relatedOrigins": {
    label: "Related origins",
    about: "Origins besides the service's that may use the application's passkeys, such as https://shop.example.",
    kind: "list",
    rule: originsRule,
    problem: (origins) => (areOrigins(origins) ? undefined : originsRule),
    default: null,
    leavesOutDefault: true,
    empty: "none",
    opensAccess: true,
    name: "passkeys.relatedOrigins",
    flag: "--related-origins <list>",
    form: "names",
    isPublic: true,
  },
  "settings.mailName": {
    label: "Name in mails",
    about: "Name of the application in mails; API keys cannot change it.",
    kind: "text",
    ...shownText(64),
    default: null,
    empty: "the company name, else the name",
    opensAccess: false,
    flag: "--mail-name <name>",
    form: "names",
    isPublic: true,
  },
  "settings.clientsDefaultAccess": {
    label: "Access to clients",
    about: "Whom clients without allowed groups let in. It does not concern clients of kind proxy.",
    kind: "choice",
    options: {
      everyone: "Everyone of the application",
      groups: "Nobody, until a client has allowed groups",
    },
    default: "everyone",
    leavesOutDefault: true,
    opensAccess: true,
    flag: "--clients-default-access <who>",
    form: "tokens",
  },
  "settings.personalTokens": {
    label: "Personal access tokens",
    about: "Whether people may make tokens for their own programs, and whether these work.",
    kind: "switch",
    default: false,
    leavesOutDefault: true,
    opensAccess: true,
    flag: "--personal-tokens <switch>",
    form: "tokens",
  },
  "settings.personalTokenMaxDays": {
    label: "Longest life of personal access tokens",
    about: "How long a personal access token may last: 1d to 365d. A lower value ends those that last longer.",
    kind: "duration",
    unit: "days",
    range: { least: 1, most: maxPersonalTokenDays },
    rule: `from 1 to ${maxPersonalTokenDays} days`,
    default: maxPersonalTokenDays,
    leavesOutDefault: true,
    opensAccess: true,
    name: "personalTokenLife",
    flag: "--personal-token-life <duration>",
    form: "tokens",
  },
  "settings.organizations": {
    label: "Organizations",
    about: "Whether people belong to organizations, and whether each token names one.",
    kind: "choice",
    options: {
      off: "Off",
      on: "On: people may belong to organizations",
      required: "Required: every token of a person names an organization",
    },
    rule: "on only if no claim of the application begins with org_, and no resource of it has a scope organization",
    default: "off",
    leavesOutDefault: true,
    opensAccess: true,
    flag: "--organizations <policy>",
    form: "organizations",
  },
  "settings.organizationCreation": {
    label: "Who creates organizations",
    about: "Whether people may create organizations themselves.",
    kind: "choice",
    options: {
      server: "Server: only the application's server and operators",
      people: "People: everybody with a verified address",
    },
    default: "server",
    leavesOutDefault: true,
    opensAccess: true,
    flag: "--organization-creation <who>",
    form: "organizations",
  },
  "settings.companySignIn": {
    label: "Company sign-in",
    about:
      "Whether an organization may have a provider of its own, which signs its people in to it and to nothing else.",
    kind: "choice",
    options: {
      off: "Off",
      on: "On: owners of organizations may set a provider",
    },
    rule: "on only with organizations, and without a required passkey; programs must read org_confined",
    default: "off",
    leavesOutDefault: true,
    opensAccess: true,
    flag: "--company-sign-in <policy>",
    form: "organizations",
  },
  "settings.organizationRoles": {
    label: "Roles in organizations",
    about: "Roles besides owner, admin and member, as NAME, or NAME:owners if only owners give it.",
    kind: "list",
    rule: roleRule,
    problem: rolesProblem,
    default: null,
    leavesOutDefault: true,
    empty: "owner, admin and member",
    opensAccess: true,
    flag: "--organization-roles <list>",
    form: "organizations",
    isPublic: true,
  },
  "settings.profileFields": {
    label: "Profile fields",
    about: "Fields of people's profiles beside name and picture, which a sign-in can ask for.",
    kind: "other",
    rule: "list of name, type, label, askAt, required, editableBy, maxLength and options",
    default: null,
    leavesOutDefault: true,
    empty: "none",
    opensAccess: true,
    flag: "--profile-fields <json>",
    form: "profile",
    publicPart: (fields) => fields.map(({ name, type }) => `${name} (${type})`),
  },
  "settings.termsVersion": {
    label: "Version of the terms",
    about: "Version of the terms that people accept when they sign in; a new one asks everybody again.",
    kind: "text",
    ...shownText(64),
    default: null,
    leavesOutDefault: true,
    empty: "nobody is asked",
    opensAccess: true,
    name: "terms.version",
    flag: "--terms-version <text>",
    form: "profile",
    isPublic: true,
  },
  "settings.termsUrl": {
    label: "Terms to accept",
    about: "URL of the terms that people accept when they sign in.",
    kind: "text",
    rule: addressRule,
    problem: addressProblem,
    default: null,
    leavesOutDefault: true,
    empty: "nobody is asked",
    opensAccess: true,
    name: "terms.url",
    flag: "--terms-to-accept <url>",
    form: "profile",
    isPublic: true,
  },
  "settings.termsRequired": {
    label: "Terms required",
    about: "Whether nobody signs in who has not accepted the terms.",
    kind: "switch",
    default: true,
    leavesOutDefault: true,
    opensAccess: true,
    name: "terms.required",
    flag: "--terms-required <switch>",
    form: "profile",
  },
  "settings.texts": {
    label: "Own words",
    about: "Words for places of pages and mails, by language, in place of the service's own.",
    kind: "other",
    rule: "list of place, text and url",
    default: null,
    leavesOutDefault: true,
    empty: "the service's own",
    opensAccess: false,
    flag: "--texts <json>",
    // Not their words: a list of what was changed is enough.
    publicPart: (texts) => texts.map(({ place, text }) => `${place} (${Object.keys(text).join(", ")})`),
  },
  "settings.rateLimits.authentication": limit("Limit of authentication", "/auth and /oauth", true),
  "settings.rateLimits.userManagement": limit("Limit of user management", "/users", false),
  "settings.rateLimits.applicationManagement": limit("Limit of application management", "/applications", false),
  "settings.rateLimits.webhooks": limit("Limit of webhook management", "/webhooks", false),
} satisfies SettingsOf<Change>;

export type ApplicationField = keyof typeof applicationSettings;

export const applicationRows = Object.entries(applicationSettings) as [ApplicationField, Setting][];
