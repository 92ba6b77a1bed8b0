/** Every setting of a client, in the order of help and forms. */
import { isShowable } from "../../lib/text.ts";
import { originText } from "../../records/audit/changes.ts";
import { loginMaxima, type ProxySettings } from "../../storage/column-types.ts";
import type { Row } from "../../storage/storage.ts";
import type { Setting } from "../setting.ts";
import { applicationSettings, secondFactorLabels } from "../settings.ts";
import { defaultHeaders } from "./proxy.ts";
import type { NewTrust } from "./workload/trust.ts";

/** The changes to a client; omitted fields stay unchanged. */
export type ClientChange = Partial<
  Omit<
    Row<"clients">,
    | "id"
    | "appId"
    | "kind"
    | "jwks"
    | "trusts"
    | "proxy"
    | "organizationId"
    | "createdAt"
    | "updatedAt"
    | "lastUsedAt"
    | "disabledAt"
  >
> & {
  /** A JSON Web Key Set; null removes it. */
  jwks?: unknown;
  /** Replaces all of them. */
  trusts?: NewTrust[];
  enabled?: boolean;
} & Partial<Omit<ProxySettings, "sessionSeconds">> & { sessionSeconds?: Partial<ProxySettings["sessionSeconds"]> };

type Whole = Omit<ClientChange, "sessionSeconds">;
type Rows = { [Field in keyof Whole]-?: Setting<NonNullable<Whole[Field]>> } & Record<
  "sessionSeconds.idle" | "sessionSeconds.absolute",
  Setting<number>
>;

/** The lives of a cookie of a protected host. */
const proxySessions = { least: 5 * 60, most: 365 * 24 * 60 * 60 };
/** The same as the application's, for the logins of a client. The shorter one ends a login. */
function ownLife(label: string, about: string, flag: string, of: "sessionIdleSeconds" | "sessionAbsoluteSeconds") {
  const { range, rule } = applicationSettings[`settings.${of}`];
  return {
    label,
    about,
    kind: "duration",
    unit: "seconds",
    range,
    rule,
    default: null,
    empty: "the application's; the shorter one ends a login",
    opensAccess: true,
    flag,
    form: "client",
  } satisfies Setting<number>;
}

const launchUrlRule = "an http or https URL of at most 2048 characters, without user information";

/** Also asked when it is shown: a bad one must not become a link. */
export function isLaunchUrl(text: string): boolean {
  if (text.length > 2048 || !isShowable(text) || !URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/u.test(protocol) && username === "" && password === "";
}

export const clientSettings = {
  name: {
    label: "Name",
    about: "Name of the program, shown to people who are asked for their consent.",
    kind: "text",
    rule: "1 to 200 characters, no control characters",
    opensAccess: false,
    flag: "--name <name>",
    form: "client",
    isPublic: true,
  },
  redirectUris: {
    label: "Redirect URIs",
    about: "Where people return to after signing in.",
    kind: "lines",
    rule: "at most 50 URLs: https, http for localhost, or a private-use scheme with kind native",
    default: [],
    opensAccess: true,
    flag: "--redirect-uri <uri...>",
    form: "client",
    isPublic: true,
  },
  postLogoutRedirectUris: {
    label: "After signing out",
    about: "Where people may return to after signing out.",
    kind: "lines",
    rule: "as redirect URIs",
    default: [],
    opensAccess: true,
    flag: "--post-logout-redirect-uri <uri...>",
    form: "client",
    isPublic: true,
  },
  backchannelLogoutUri: {
    label: "Back-channel logout",
    about: "URL that receives a logout token when a login ends.",
    kind: "text",
    rule: "an https URL, as of webhooks",
    default: null,
    opensAccess: true,
    flag: "--backchannel-logout-uri <url>",
    form: "client",
    publicPart: (url) => originText(url),
  },
  scopes: {
    label: "Scopes",
    about: "Scopes that it may request.",
    kind: "other",
    rule: "openid, and scopes of the application",
    empty: "all of its application",
    opensAccess: true,
    flag: "--scope <scope...>",
    form: "client",
    isPublic: true,
  },
  consent: {
    label: "Consent",
    about: "Whether people must give their consent first, as for third-party programs.",
    kind: "choice",
    options: { none: "Not asked: your own program", ask: "Asked: a third-party program" },
    default: "none",
    opensAccess: true,
    flag: "--consent <policy>",
    form: "client",
  },
  requirePkce: {
    label: "PKCE required",
    about: "Whether every sign-in requires PKCE; always on without a client secret.",
    kind: "switch",
    default: false,
    opensAccess: true,
    flag: "--require-pkce <switch>",
    form: "client",
  },
  idTokenAlg: {
    label: "Algorithm of ID tokens",
    about: "Algorithm that signs ID tokens.",
    kind: "choice",
    options: { RS256: "RS256", ES256: "ES256", EdDSA: "EdDSA" },
    default: "RS256",
    opensAccess: false,
    flag: "--id-token-alg <name>",
    form: "client",
  },
  idTokenClaims: {
    label: "Claims of ID tokens",
    about: "Whether ID tokens have the claims of the granted scopes, or only the required ones.",
    kind: "choice",
    options: { granted: "Those of the granted scopes", minimal: "Only the required ones" },
    default: "granted",
    opensAccess: true,
    flag: "--id-token-claims <which>",
    form: "client",
  },
  assertionAudience: {
    label: "Audience of private_key_jwt",
    about: "What client assertions name as audience: the issuer, or any, which also accepts endpoints.",
    kind: "choice",
    options: { issuer: "The issuer", any: "Also endpoints" },
    default: "issuer",
    opensAccess: true,
    flag: "--assertion-audience <which>",
    form: "client",
  },
  refreshTokens: {
    label: "Refresh tokens",
    about: "Whether it always gets refresh tokens, or only with the scope offline_access.",
    kind: "choice",
    options: { offline_access: "With the scope offline_access", always: "Always" },
    default: "offline_access",
    opensAccess: true,
    flag: "--refresh-tokens <when>",
    form: "client",
  },
  jwks: {
    label: "Public keys",
    about: "Public keys (a JSON Web Key Set) for private_key_jwt, instead of a secret.",
    kind: "other",
    rule: "a JSON Web Key Set; only with kind web and machine",
    default: null,
    opensAccess: true,
    flag: "--jwks-file <file>",
    form: "client",
  },
  trusts: {
    label: "Trusts",
    about: "Tokens of other issuers that authenticate it; replaces the list.",
    kind: "other",
    rule: "list of issuer, subject and audience; only with kind web and machine",
    default: [],
    opensAccess: true,
  },
  allowedGroups: {
    label: "Allowed groups",
    about: "Groups whose members may sign in.",
    kind: "list",
    rule: "1 to 64 groups of the application",
    default: null,
    empty: "everybody",
    opensAccess: true,
    flag: "--allowed-groups <list>",
    form: "client",
    isPublic: true,
  },
  launchUrl: {
    label: "Start address",
    about: "Where people open it from their account page; hidden there without one.",
    kind: "text",
    rule: launchUrlRule,
    problem: (url) => (isLaunchUrl(url) ? undefined : launchUrlRule),
    default: null,
    opensAccess: true,
    flag: "--launch-url <url>",
    form: "client",
    isPublic: true,
  },
  deviceGrant: {
    label: "Device grant",
    about: "Whether it may sign people in on devices without a browser; always on with kind device.",
    kind: "switch",
    rule: "not with kind web and machine",
    default: false,
    opensAccess: true,
    flag: "--device-grant <switch>",
    form: "client",
  },
  companySignIn: {
    label: "Company sign-in",
    about: "Whether it takes people who signed in by the provider of their organization, and by nothing else.",
    kind: "switch",
    rule: "not with kind proxy and machine; its programs must read org_confined",
    default: false,
    opensAccess: true,
    flag: "--company-sign-in <switch>",
    form: "client",
  },
  secondFactor: {
    label: "Second factor",
    about: "Whether people need a second factor to sign in with it.",
    kind: "choice",
    options: secondFactorLabels,
    default: null,
    none: "off",
    opensAccess: true,
    flag: "--second-factor <policy>",
    form: "client",
  },
  resources: {
    label: "Resources",
    about: "Resources that it may ask tokens for.",
    kind: "lines",
    rule: "at most 50 resources of the application",
    default: [],
    opensAccess: true,
    flag: "--resource <uri...>",
    form: "client",
    isPublic: true,
  },
  resourceScopes: {
    label: "Scopes of its resources",
    about: "Scopes of its resources that it may request.",
    kind: "other",
    rule: "list of the scopes of its resources",
    default: null,
    empty: "all",
    opensAccess: true,
    flag: "--scope <scope...>",
    isPublic: true,
  },
  exchangeTo: {
    label: "Exchanges to",
    about: "Resources that it may exchange users' tokens for.",
    kind: "lines",
    rule: "at most 50 resources of the application; only with kind web and machine, and without consent",
    default: [],
    opensAccess: true,
    flag: "--exchange-to <uri...>",
    form: "client",
    isPublic: true,
  },
  audienceOf: {
    label: "Is the API of",
    about: "Resources whose API it is: it may exchange the tokens that it receives.",
    kind: "lines",
    rule: "at most 50 resources of the application; only with kind web and machine, and without consent",
    default: [],
    opensAccess: true,
    flag: "--audience-of <uri...>",
    form: "client",
    isPublic: true,
  },
  dpop: {
    label: "DPoP",
    about: "Whether its DPoP proofs are ignored, accepted or required.",
    kind: "choice",
    options: { off: "Ignored", optional: "Accepted", required: "Required" },
    default: null,
    empty: "accepted, but not announced",
    opensAccess: true,
    flag: "--dpop <policy>",
    form: "client",
  },
  dpopNonce: {
    label: "DPoP nonce",
    about: "Whether its DPoP proofs need a nonce of the service.",
    kind: "switch",
    default: false,
    opensAccess: true,
    flag: "--dpop-nonce <switch>",
    form: "client",
  },
  profile: {
    label: "Profile",
    about: "Security profile: fapi2 enforces everything that FAPI 2.0 requires.",
    kind: "choice",
    options: { fapi2: "FAPI 2.0" },
    default: null,
    none: "none",
    opensAccess: true,
    flag: "--profile <name>",
    form: "client",
  },
  hosts: {
    label: "Hosts",
    about: "Hosts that it protects, each with its port where that is not 443.",
    kind: "lines",
    rule: "1 to 20 host names; only with kind proxy, which needs one",
    opensAccess: true,
    flag: "--host <host...>",
    form: "client",
    isPublic: true,
    onlyProxy: true,
  },
  access: {
    label: "Access",
    about: "Who may use the hosts: members of the allowed groups, or everyone of the application.",
    kind: "choice",
    options: { groups: "Members of the allowed groups", everyone: "Everyone of the application" },
    rule: "only with kind proxy; everyone not with allowed groups",
    default: "groups",
    opensAccess: true,
    flag: "--access <who>",
    form: "client",
    onlyProxy: true,
  },
  publicPaths: {
    label: "Public paths",
    about: "Paths that need no sign-in, with all below them.",
    kind: "lines",
    rule: "at most 50 paths such as /public; not / itself",
    default: [],
    opensAccess: true,
    flag: "--public-path <path...>",
    form: "client",
    isPublic: true,
    onlyProxy: true,
  },
  headers: {
    label: "Headers",
    about: "Headers that tell the program who it is; the first one is the identity.",
    kind: "other",
    rule: "1 to 20 of NAME=SOURCE: id, email, name, groups, private.KEY, profile.FIELD",
    default: [...defaultHeaders],
    opensAccess: true,
    flag: "--header <name=source...>",
    form: "client",
    publicPart: (headers) => headers.map(({ name, from }) => `${name} from ${from}`),
    onlyProxy: true,
  },
  "sessionSeconds.idle": {
    label: "Sign-in without use",
    about: "How long a sign-in at its hosts lasts without use.",
    kind: "duration",
    unit: "seconds",
    range: proxySessions,
    default: 12 * 60 * 60,
    opensAccess: true,
    flag: "--session-idle <duration>",
    form: "client",
    onlyProxy: true,
  },
  "sessionSeconds.absolute": {
    label: "Sign-in at most",
    about: "How long a sign-in at its hosts lasts at most.",
    kind: "duration",
    unit: "seconds",
    range: proxySessions,
    default: 7 * 24 * 60 * 60,
    opensAccess: true,
    flag: "--session-absolute <duration>",
    form: "client",
    onlyProxy: true,
  },
  basicChallenge: {
    label: "Basic challenge",
    about: "Whether programs without a sign-in are asked for a token by Basic authentication.",
    kind: "switch",
    default: false,
    opensAccess: true,
    flag: "--basic-challenge <switch>",
    form: "client",
    onlyProxy: true,
  },
  passTokens: {
    label: "Pass tokens",
    about: "Whether the program gets tokens of this service, because it verifies them.",
    kind: "switch",
    default: false,
    opensAccess: true,
    flag: "--pass-tokens <switch>",
    form: "client",
    onlyProxy: true,
  },
  loginIdleSeconds: ownLife(
    "Login without use",
    "How long a login of this client lasts without a refresh: 15m to 365d.",
    "--login-idle <duration>",
    "sessionIdleSeconds",
  ),
  loginAbsoluteSeconds: ownLife(
    "Login at most",
    "How long a login of this client lasts, in use or not: 15m to 365d.",
    "--login-absolute <duration>",
    "sessionAbsoluteSeconds",
  ),
  maxLogins: {
    label: "Logins at once",
    about: "How many logins of this client a person may have at once; one more ends the oldest.",
    kind: "number",
    unit: "logins",
    range: loginMaxima,
    default: null,
    empty: "only the application's maximum",
    opensAccess: true,
    flag: "--max-logins <number>",
    form: "client",
  },
  refreshGraceSeconds: {
    label: "Refresh grace",
    about: "How long a repeated refresh of this client gets the same response, in case it was lost: 10s to 2m.",
    kind: "duration",
    unit: "seconds",
    range: applicationSettings["settings.refreshGraceSeconds"].range,
    rule: applicationSettings["settings.refreshGraceSeconds"].rule,
    default: null,
    empty: "the application's",
    opensAccess: true,
    flag: "--refresh-grace <duration>",
    form: "client",
  },
  enabled: {
    label: "Enabled",
    about: "Whether people can sign in and refresh with it.",
    kind: "switch",
    default: true,
    opensAccess: true,
    flag: "--enabled <switch>",
  },
} satisfies Rows;

export type ClientField = keyof typeof clientSettings;

export const clientRows = Object.entries(clientSettings) as [ClientField, Setting][];
