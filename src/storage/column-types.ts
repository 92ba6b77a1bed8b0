import type { EndpointType } from "../lib/rate-limits.ts";

// Types of column values, below the domains that give them meaning: the schema imports no domain.

/** The sign-in methods of an account, which an application enables in `authMethods`. */
export type MethodType = "passkey" | "oauth" | "password";

/**
 * How somebody signs in. A mailed code belongs to no account: the address is enough.
 * `organization`: by the provider of an organization, and by nothing else.
 */
export type SignInMethod = MethodType | "emailCode" | "organization";

/** `new-passkey`: created during this sign-in, after another proof. */
export type SignInProof = SignInMethod | "new-passkey";

/**
 * That a person came from the provider of an organization, which opens only that organization.
 * Instants are epoch milliseconds. `elsewhereAt`: when the provider authenticated them, by its
 * claim; 0: unknown. `twoFactors`: by the claim that the server named for it.
 */
export type OrganizationProof = {
  organizationId: string;
  issuer: string;
  provenAt: number;
  elsewhereAt: number;
  twoFactors: boolean;
};

/** The roles of an operator in the console, from least to most (`console/operator.ts`). */
export const operatorRoles = ["viewer", "support", "owner"] as const;
export type OperatorRole = (typeof operatorRoles)[number];

/** Whether users must, may or cannot set up a second factor. */
export const secondFactorPolicies = ["off", "optional", "required"] as const;
export type SecondFactorPolicy = (typeof secondFactorPolicies)[number];

/**
 * The proof of a sign-in besides the first one. `provider`: the provider's own second factor.
 * `new-totp`: set up during this sign-in. `trusted`: this browser is not asked. `organization`: of
 * an organization's provider, for its tokens only.
 */
export type SecondFactorProof = "totp" | "recovery-code" | "provider" | "new-totp" | "trusted" | "organization";

/** Assurance level: one factor, two, or phishing-resistant. */
export type Acr = "urn:authsvc:acr:1" | "urn:authsvc:acr:2" | "phr";

export type AuthMethods = {
  passkey: { enabled: boolean; required: boolean };
  oauth: { enabled: boolean; providers: string[] };
  password: { enabled: boolean };
};

/** The appearance of pages and mails. The HTTP API has only the first three and `homeUrl`. */
export type Branding = {
  logo: string | null;
  primaryColor: string | null;
  companyName: string | null;
  /** Links. Missing means null. */
  termsUrl?: string | null;
  privacyUrl?: string | null;
  supportUrl?: string | null;
  /** Where "Back to Acme" leads; by default the origin of a redirect URI. */
  homeUrl?: string | null;
};

/** The ground that a transparent logo needs to be seen: light under a dark one. */
export type LogoGround = "light" | "dark";

/** Values of a user that an application stores: a JSON object. */
export type Metadata = Record<string, unknown>;

export const profileFieldTypes = ["text", "number", "date", "choice", "checkbox", "phone"] as const;

/** By language (`en`, `pt`); pages show their own, else English, else the first. */
export type Labels = Record<string, string>;

/** An application's own words for one place of pages or mails. `url`: of a link in the footer. */
export type OwnText = { place: string; text: Labels; url?: string };

/**
 * A field of people's profiles that an application defines. `signUp`: asked at an account's first
 * sign-in. `maxLength`: of a text. `options`: of a choice.
 */
export type ProfileField = {
  name: string;
  type: (typeof profileFieldTypes)[number];
  label: Labels;
  askAt: "signUp" | "nextSignIn" | "never";
  required: boolean;
  editableBy: "user" | "server";
  maxLength?: number;
  options?: { value: string; label: Labels }[];
};

/** A person's values by the names of fields; null: asked and left empty. */
export type ProfileValues = Record<string, string | number | boolean | null>;

/** Whether an application has organizations, and whether each of its tokens names one. */
export const organizationPolicies = ["off", "on", "required"] as const;

/** The roles that every organization has, from most to least. */
export const builtInRoles = ["owner", "admin", "member"] as const;

/** How a member joined. `creator`: made the organization. `provider` is for a later version. */
export type JoinedBy = "invitation" | "domain" | "provider" | "server" | "creator";

/** How an invitation ended, apart from expiring. `ended`: with its inviter or organization. */
export type InvitationEnd = "accepted" | "refused" | "withdrawn" | "replaced" | "ended";

/** `waiting`: proved, and held by another organization until its own checks lapse. */
export type DomainState = "pending" | "waiting" | "proved" | "lapsed";

/** Whether people with an address of a domain join its organization. */
export const domainJoins = ["off", "ask", "on"] as const;
export type DomainJoin = (typeof domainJoins)[number];

/**
 * What DNS said of a domain's record. `unknown`: no definite answer; `reason` is then an error
 * code, such as `ESERVFAIL`. `values`: the texts found there. `isDoubled`: the record is at
 * `….acme.com.acme.com`, because the zone was added to a name that had it already.
 */
export type DomainAnswer = {
  result: "found" | "missing" | "unknown";
  reason: string | null;
  values: string[];
  isDoubled: boolean;
};

/** Where a claim of an application appears. */
export type ClaimPlace = "access" | "id" | "userinfo";

/**
 * A claim that an application adds to its tokens. `from` is `groups`, `public.KEY` or `private.KEY`
 * of the user's metadata, or `value`: then it is the constant `value`.
 */
export type ApplicationClaim = { claim: string; from: string; value?: unknown; in: ClaimPlace[] };

export type Scope = "profile" | "email" | "groups";

export type SigningAlgorithm = "ES256" | "EdDSA" | "RS256";

/**
 * `web` and `machine` have a secret or keys; the others cannot keep one (RFC 6749 §2.1). `machine`:
 * nobody signs in; it gets tokens for itself (§4.4). `device`: there is no browser (RFC 8628).
 * `proxy`: a program behind a reverse proxy, which asks at every request.
 */
export const clientKinds = ["web", "spa", "native", "machine", "device", "proxy"] as const;
export type ClientKind = (typeof clientKinds)[number];

/** A header of an answer that lets somebody in: `from` is `email`, or `private.employeeId`. */
export type ProxyHeader = { name: string; from: string };

/** What only a client of kind `proxy` has. */
export type ProxySettings = {
  /** `syncthing.example.com`, or `home.example.com:8443`; in lower case. */
  hosts: string[];
  publicPaths: string[];
  /** `groups`: only the client's allowed groups. */
  access: "groups" | "everyone";
  sessionSeconds: { idle: number; absolute: number };
  /** The first one is the identity. */
  headers: ProxyHeader[];
  /** Whether a request that is no browser's is asked for a token by Basic authentication. */
  basicChallenge: boolean;
  /** Whether the program gets our own tokens, because it verifies them. */
  passTokens: boolean;
};

/** A scope of a resource, and what it allows, in a sentence for the consent page. */
export type ResourceScope = { name: string; sentence: string };

/**
 * Trusted tokens of another issuer: those with this subject and audience; null: the address of this
 * service.
 */
export type Trust = { id: string; issuer: string; subject: string; audience: string | null };

/** Whether a client's users are asked: never (the operator's own programs), or once per scope. */
export type ConsentPolicy = "none" | "ask";

/** Whether a client's DPoP proofs are ignored, accepted or required (RFC 9449). */
export const dpopPolicies = ["off", "optional", "required"] as const;
export type DpopPolicy = (typeof dpopPolicies)[number];

/** When a client gets refresh tokens: with the scope `offline_access`, or always. */
export type RefreshTokenPolicy = "offline_access" | "always";

/** A security profile that a client follows: FAPI 2.0. */
export type ClientProfile = "fapi2";

/** `issuer`: only the issuer as audience. `any`: also endpoints, and lists. */
export type AssertionAudience = "issuer" | "any";
/** The claims of an ID token: those of the granted scopes, or only the required ones. */
export type IdTokenClaimsPolicy = "granted" | "minimal";

/** One member of the `claims` parameter (OpenID Connect Core 1.0 §5.5.1). */
export type ClaimRequest = { essential?: boolean; value?: unknown; values?: unknown[] } | null;

/** The `claims` parameter (OpenID Connect Core 1.0 §5.5), by claim name. */
export type ClaimsRequest = { userinfo?: Record<string, ClaimRequest>; id_token?: Record<string, ClaimRequest> };

/**
 * The parts of a client's document that users consent to: its name, and a digest of everything that
 * matters.
 */
export type ClientDocumentSeen = { name: string; digest: string };

/** The hosts (with a port that is not 443) whose documents make clients; `any`: all. */
export type ClientDocumentHosts = "any" | string[];

/** The parameters of an authorization request, besides those of every sign-in session. */
export type AuthorizationDetails = {
  /** A client's id, or the application's for its first client. */
  clientId: string;
  responseMode: "query" | "form_post";
  nonce: string | null;
  prompt: ("login" | "consent" | "select_account")[];
  /** In seconds. */
  maxAge: number | null;
  claims: ClaimsRequest | null;
  /** The identifier of the resource that the access token will be for; missing: the application. */
  resource?: string;
  /** The thumbprint of the key that must redeem the code (`dpop_jkt`, RFC 9449 §10). */
  proofKey?: string;
  /** The pushed request that it came from. */
  pushedDigest?: string;
  /** The document of an unregistered client, as it was then. */
  document?: ClientDocumentSeen;
  /** Digest of the device code: the sign-in approves a device, and returns nowhere. */
  device?: string;
};

/** The default and the maximum of `singleSignOnSeconds`: browser sessions last as long. */
export const maxSingleSignOnSeconds = 12 * 3600;

/** For how many seconds the last refresh token gets the same successor again. */
export const refreshGraces = { least: 10, most: 120, usual: 30 };

export const maxPersonalTokenDays = 365;
/**
 * In seconds. The least is the life of an access token: a program that is in use refreshes by then.
 */
export const sessionLives = { least: 15 * 60, most: 365 * 24 * 3600, idle: 14 * 24 * 3600, absolute: 30 * 24 * 3600 };

/** Logins of a user at once. */
export const loginMaxima = { least: 1, most: 100 };

export type AppSettings = {
  /** Whether visitors may create accounts. */
  signUp: "open" | "closed";
  /** Whether people may sign in with a code mailed to their address; missing: no. */
  emailCode?: boolean;
  passwordMinLength: number;
  /** The scopes that the application's sign-ins may request. */
  scopes: Scope[];
  signingAlgorithm: SigningAlgorithm;
  /**
   * Signs until the key of `signingAlgorithm` has been published long enough; missing if the
   * algorithm never changed.
   */
  previousSigningAlgorithm?: SigningAlgorithm;
  /** Whether the query-style endpoints are on (docs/spec/http-api.md, 4.6). */
  queryEndpoints: boolean;
  /** Whether sign-ins may start without an API key, with PKCE; missing: no. */
  publicClients?: boolean;
  /**
   * The relying party of the passkeys, if neither the domain nor the service's host (WebAuthn
   * related origins); null uses those.
   */
  relyingPartyId: string | null;
  /**
   * The name in mails, set only by the operator; otherwise the company's name, then the
   * application's.
   */
  mailName?: string | null;
  /** Calls per minute, where they differ from the configuration. */
  rateLimits: Partial<Record<EndpointType, number>>;
  /**
   * How many seconds after a proof a browser signs the same person in to other clients, at most 12
   * hours; missing: 12 hours, 0: off.
   */
  singleSignOnSeconds?: number;
  /** Missing: `refreshGraces.usual`. */
  refreshGraceSeconds?: number;
  /** How long logins and browser sessions live without use; missing: `sessionLives.idle`. */
  sessionIdleSeconds?: number;
  /** The same, counted from the proof; missing: `sessionLives.absolute` from their start. */
  sessionAbsoluteSeconds?: number;
  /**
   * Live logins of a user; one more ends the oldest. Missing: 100, and no browser replaces its own.
   */
  maxLogins?: number;
  /** Missing: off. */
  secondFactor?: SecondFactorPolicy;
  /** How many days a browser can be trusted, 1 to 90; missing or 0: not at all. */
  trustBrowsersDays?: number;
  /** Missing: no unregistered client. */
  clientDocuments?: ClientDocumentHosts;
  /** Whom clients without groups of their own let in; missing: everyone. */
  clientsDefaultAccess?: "everyone" | "groups";
  /** Whether people may make personal access tokens, and those work; missing: no. */
  personalTokens?: boolean;
  /** How long these may last at most; missing: `maxPersonalTokenDays`. */
  personalTokenMaxDays?: number;
  /** Missing: off. */
  organizations?: (typeof organizationPolicies)[number];
  /** Who creates organizations; missing: the application's server. */
  organizationCreation?: "server" | "people";
  /** Whether organizations may have providers of their own; missing: off. */
  companySignIn?: "off" | "on";
  /** Roles besides the built-in ones; `NAME:owners`: only owners give and take it. */
  organizationRoles?: string[] | null;
  /** The only domains of new accounts and addresses; `*.x`: only below x. Missing: any. */
  signUpEmailDomains?: string[] | null;
  /** Never for new accounts and addresses, nor what is below. */
  signUpBlockedDomains?: string[] | null;
  /** Missing: off. The list is a file of each node (`disposableDomainsFile`). */
  signUpBlockDisposable?: boolean;
  /** Whether nothing is issued before a new account's address is proved; missing: off. */
  signUpRequireVerified?: boolean;
  /** Whether a refusal names the rule; missing: no. */
  signUpShowRules?: boolean;
  /** Whether new accounts wait until an operator approves them; missing: off. */
  signUpApproval?: boolean;
  /** Who is told that accounts wait; missing: the operators who may approve them. */
  signUpApprovalMail?: string | null;
  /** Missing: none. */
  profileFields?: ProfileField[] | null;
  /** The terms that people accept, given together; missing: none. */
  termsVersion?: string | null;
  termsUrl?: string | null;
  /** Whether nobody signs in without them; missing: yes. */
  termsRequired?: boolean;
  /** In place of the service's own words; missing: none. */
  texts?: OwnText[] | null;
  /** Origins besides the service's that may use the passkeys of the domain; missing: none. */
  relatedOrigins?: string[] | null;
  /** Created by development mode, and unusable without it. */
  development?: true;
};

/**
 * "users", "logins" (sign-ins) and "live" (logins that have not ended) are totals, with day 0.
 * "active" counts users by the UTC day of their last sign-in. Updated in `users/counter-store.ts`.
 */
export type CounterName = "users" | "logins" | "active" | "live";

export type ActivitySpan = "hour" | "day";

/** The events that are counted over time. The comment explains `kind`. */
export const activityEvents = [
  /** The method, or `oauth:` and the provider. */
  "sign-in",
  /** The attempted method. */
  "sign-in.failed",
  "second-factor",
  "second-factor.failed",
  /** The method. */
  "sign-up",
  /** The first sign-in of a user on a UTC day. */
  "active",
  "password.reset",
  /** Who caused it: user, app, client, cli or service. The same for deletions. */
  "logout",
  "user.deleted",
  /** The error code. */
  "refusal",
  /** Attempts. */
  "webhook.delivered",
  "webhook.failed",
  /** The kind of mail. */
  "mail.sent",
  "mail.failed",
  "mail.dropped",
] as const;

export type ActivityEvent = (typeof activityEvents)[number];

/**
 * The purpose of the proof: an app's code, the account page, adding a method, or an organization's
 * page of tiles, from which no program began it.
 */
export type SessionPurpose = "sign-in" | "account" | "add-method" | "tile";

/**
 * An identity stored in its browser's session. `link`: until another method proves its user;
 * `take-over`: until the person agrees to the removal of the user's unproven methods.
 */
export type PendingLink = { userId: string; provider: string; issuer: string; subject: string } & (
  | { kind: "link" }
  /** `email`: the user's, and proven by the provider. `provenAt`: as of an identity. */
  | { kind: "take-over"; email: string; provenAt?: number }
);

/** `waiting`: to be tried, confirmed, or for its time; `active`: it works. */
export type OrganizationProviderState = "active" | "waiting";

/** `trial`: "Try it" of an owner; `silent`: with `prompt=none`. */
export type OrganizationVisitPurpose = "sign-in" | "silent" | "trial";

/** Whom an organization's provider named, in the sign-in that brought them. */
export type CompanyIdentity = {
  organizationId: string;
  issuer: string;
  subject: string;
  /** In the form of stored addresses; null: none that it may speak for. */
  email: string | null;
  /** Undefined: it did not say, and a mailed code proves the address. */
  emailVerified: boolean | undefined;
  name: string | null;
  elsewhereAt: number;
  twoFactors: boolean;
  /** A code mailed in this sign-in proved the mailbox. */
  mailboxProven?: true;
};

/**
 * The purpose of a passkey challenge. `conditional`: the browser adds a passkey without asking,
 * right after a password.
 */
export type PasskeyCeremony = "sign-in" | "sign-up" | "add" | "conditional";

/** A credential whose creation was verified (WebAuthn §7.1). */
export type VerifiedAttestation = {
  credentialId: string;
  publicKey: string;
  signCount: number;
  transports: string[];
  aaguid: string;
  backedUp: boolean;
  backupEligible: boolean;
  discoverable: boolean;
};

/** A passkey that was just created, with its user. */
export type NewPasskey = { email: string; name: string | null; userHandle: string; credential: VerifiedAttestation };

/**
 * The purpose of a mail: proving a new account's address or an existing one's, or allowing a new
 * password. `sign-in`: signs its reader in; `change`: proves an account's new address; `undo`:
 * restores the earlier one; `invite`: for an account without a method; `recovery`: made by an
 * operator, not mailed.
 */
export type EmailTokenPurpose = "sign-up" | "sign-in" | "verify" | "reset" | "change" | "undo" | "invite" | "recovery";

/** The data of a sign-up, kept until its address is verified. */
export type EmailTokenPayload = { name: string | null } & (
  | { passwordHash: string }
  | { identity: { provider: string; issuer: string; subject: string; picture: string | null } }
  | { passkey: NewPasskey; userAgent: string | null }
  /** Of a link that a mailed code and the second factor gave: it makes a first method. */
  | { firstMethod: true }
);

/** A person, such as a support agent, who acts as a user (RFC 8693 §4.1), and why. */
export type LoginActor = { name: string; reason: string };

/** Why a login ended. */
export type EndReason =
  | "logout"
  | "logout-all"
  | "account"
  | "address-proven"
  | "address-restored"
  | "password-changed"
  | "password-reset"
  | "method-removed"
  | "user-deleted"
  | "refresh-reuse"
  | "code-reuse"
  | "operator"
  | "user-disabled"
  | "client-deleted"
  | "client-blocked"
  | "restored"
  | "too-many"
  | "other-user"
  /** A newer one of the same browser took its place (`maxLogins`). */
  | "replaced"
  /** What it rested on, a proof by an organization's provider or the membership, ended. */
  | "proof-ended";

/** Why a personal access token ended before its time. `account`: by its owner. */
export type PersonalTokenEnd =
  | Extract<
      EndReason,
      | "account"
      | "operator"
      | "user-disabled"
      | "password-changed"
      | "password-reset"
      | "address-proven"
      | "address-restored"
      | "method-removed"
      | "restored"
    >
  | "factor-removed"
  | "maximum-lowered";

export type MailKind =
  | "sign-up"
  | "sign-in"
  | "verify"
  | "reset"
  | "password-form"
  | "change-address"
  | "address-changed"
  | "address-replaced"
  | "address-restored"
  | "invite"
  | "known-address"
  | "method-added"
  | "method-removed"
  | "password-changed"
  | "new-device"
  | "factor-added"
  | "factor-removed"
  | "recovery-code-used"
  | "recovery-codes-new"
  | "factor-guessed"
  | "recovery-link-made"
  | "personal-token-made"
  | "personal-token-ending"
  | "domain-missing"
  | "domain-lost"
  | "organization-invite"
  | "organization-setup"
  | "organization-setup-code"
  | "organization-declined"
  | "organization-owner-added"
  | "organization-owner-removed"
  | "organization-deleted"
  | "organization-provider-changes"
  | "organization-provider-fails"
  | "organization-relink"
  | "approved"
  | "refused"
  | "accounts-waiting";

/** Mails with a link or a code. */
export const mailsWithProof: MailKind[] = [
  "sign-up",
  "sign-in",
  "verify",
  "reset",
  "password-form",
  "change-address",
  "address-changed",
  "invite",
  "organization-invite",
  "organization-setup",
  "organization-setup-code",
];

/**
 * The events that a webhook endpoint can subscribe to (docs/spec/http-api.md, 6;
 * docs/spec/decisions.md, 11).
 */
export const eventKinds = [
  "user.login",
  "user.logout",
  "user.created",
  "user.pending",
  "user.updated",
  "user.deleted",
  "user.terms",
  "method.added",
  "method.removed",
  "login.failed",
  "token.reuse",
  "personal-token.created",
  "personal-token.ended",
  "organization.created",
  "organization.updated",
  "organization.deleted",
  "organization.ownerless",
  "organization.member.added",
  "organization.member.updated",
  "organization.member.removed",
  "organization.domain.proved",
  "organization.domain.lost",
  "organization.provider.updated",
] as const;

export type EventKind = (typeof eventKinds)[number];

/**
 * Why a webhook endpoint is disabled. `operator`: by the app or a command. `gone`: it answered 410.
 * `failing`: only failures for five days.
 */
export type DisabledReason = "operator" | "gone" | "failing";

export type DeliveryStatus =
  /** Waiting for the first or another attempt. */
  | "waiting"
  | "delivered"
  /** Given up, unless somebody requests a redelivery. */
  | "failed";

/** The result of one attempt. `at` is in epoch milliseconds. */
export type DeliveryAttempt = {
  at: number;
  /** The receiver's HTTP status; null without an answer. */
  status: number | null;
  durationMilliseconds: number;
  /** Why it does not count as delivered, in our own words; null if it does. */
  error: string | null;
  /** The first KiB of the receiver's answer. */
  response: string;
};

/**
 * How far somebody has read the audit log, in the order of its commits. Positions are those of
 * `storage/queries/commit-order.ts`.
 */
export type AuditCursor = {
  /** Identifies the database and its history. */
  origin: string;
  /** Everything up to here was read. Null: nothing. */
  after: string | null;
  /** Within a reading that goes up to `until`: the last entry that was read. */
  rest: { until: string; at: number; id: string } | null;
};

/**
 * What an audit entry says of changed settings, by field: what was and what is, as text, without
 * secrets. Lists name only what was removed and what was added.
 */
export type SettingChanges = Record<string, { from: string; to: string }>;
