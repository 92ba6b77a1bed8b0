// Generated from the OpenAPI document by `npm run sdk-types`. Do not edit.

/** Every call of the service by method and path. */
export type Operations = {
  /** Start a sign-in. */
  "POST /auth/initiate": { body: InitiateRequest; answer: Session };
  /** Exchange the code of the redirect for tokens. */
  "POST /auth/callback": { body: CallbackRequest; answer: TokensAndUser };
  /** Replace a refresh token. */
  "POST /auth/refresh": { body: RefreshRequest; answer: Tokens };
  /** Ask whether an access token is valid now. */
  "GET /auth/validate": { answer: Validation };
  /** Read the revocation feed. */
  "GET /auth/revocations": { query?: { after?: string; wait?: number }; answer: Revocations };
  /** End the login of this token, of a refresh token, or all of them. */
  "POST /auth/logout": { body?: LogoutRequest; answer: Done };
  /** Read the user's profile. */
  "GET /users/profile": { answer: Profile };
  /** Change name and picture. */
  "PATCH /users/profile": { body: ProfileRequest; answer: UpdatedProfile };
  /** Delete the account, for good. */
  "DELETE /users/profile": { answer: Done };
  /** List what the user can sign in with. */
  "GET /users/auth-methods": { answer: AuthMethods };
  /** Start adding a method. */
  "POST /users/auth-methods": { body: AddMethodRequest; answer: Session };
  /** Remove a method. */
  "DELETE /users/auth-methods/{methodId}": { path: { methodId: string }; answer: Done };
  /** Read the application. */
  "GET /applications/{appId}": { answer: Application };
  /** Change name, redirect URIs and methods. */
  "PATCH /applications/{appId}": { body: ApplicationRequest; answer: Application };
  /** Register an endpoint. */
  "POST /webhooks/endpoints": { body: WebhookEndpointRequest; answer: WebhookEndpoint };
  /** List the endpoints of the application. */
  "GET /webhooks/endpoints": { answer: WebhookEndpoints };
  /** Read an endpoint. */
  "GET /webhooks/endpoints/{id}": { path: { id: string }; answer: WebhookEndpoint };
  /** Change an endpoint, or its secret. */
  "PATCH /webhooks/endpoints/{id}": { path: { id: string }; body: WebhookEndpointChange; answer: WebhookEndpoint };
  /** Remove an endpoint with what waits for it. */
  "DELETE /webhooks/endpoints/{id}": { path: { id: string }; answer: Done };
  /** Send an endpoint a sample. */
  "POST /webhooks/endpoints/{id}/test": { path: { id: string }; body?: WebhookTestRequest; answer: WebhookTestResult };
  /** List the groups. */
  "GET /applications/{appId}/groups": { answer: Groups };
  /** Read a group. */
  "GET /applications/{appId}/groups/{name}": { path: { name: string }; answer: GroupDetails };
  /** Create a group. */
  "PUT /applications/{appId}/groups/{name}": { path: { name: string }; body?: EmptyRequest; answer: Group };
  /** Delete a group. */
  "DELETE /applications/{appId}/groups/{name}": { path: { name: string }; answer: Done };
  /** List the members of a group. */
  "GET /applications/{appId}/groups/{name}/members": { path: { name: string }; query?: { limit?: number; cursor?: string }; answer: GroupMembers };
  /** Add a user to a group. */
  "PUT /applications/{appId}/groups/{name}/members/{userId}": { path: { name: string; userId: string }; body?: EmptyRequest; answer: Done };
  /** Remove a user from a group. */
  "DELETE /applications/{appId}/groups/{name}/members/{userId}": { path: { name: string; userId: string }; answer: Done };
  /** List the groups of a user. */
  "GET /applications/{appId}/users/{userId}/groups": { path: { userId: string }; answer: GroupsOfUser };
  /** Read a user's metadata. */
  "GET /applications/{appId}/users/{userId}/metadata": { path: { userId: string }; answer: Metadata };
  /** Change a user's metadata. */
  "PATCH /applications/{appId}/users/{userId}/metadata": { path: { userId: string }; body: MetadataRequest; answer: Metadata };
  /** List users. */
  "GET /applications/{appId}/users": { query?: { email?: string; name?: string; group?: string; state?: "active" | "disabled"; createdSince?: string; createdBefore?: string; lastLoginSince?: string; lastLoginBefore?: string; sort?: "createdAt" | "-createdAt" | "name" | "-name" | "lastLoginAt" | "-lastLoginAt"; limit?: number; cursor?: string }; answer: UserPage };
  /** Create a user. */
  "POST /applications/{appId}/users": { body: NewUserRequest; answer: ManagedUser };
  /** Read a user. */
  "GET /applications/{appId}/users/{userId}": { path: { userId: string }; answer: ManagedUserDetails };
  /** Change a user. */
  "PATCH /applications/{appId}/users/{userId}": { path: { userId: string }; body: ManagedUserChange; answer: ManagedUserDetails };
  /** Delete a user, for good. */
  "DELETE /applications/{appId}/users/{userId}": { path: { userId: string }; answer: Done };
  /** Sign a user out everywhere. */
  "POST /applications/{appId}/users/{userId}/logout": { path: { userId: string }; body?: EmptyRequest; answer: EndedLogins };
  /** List what a user can sign in with. */
  "GET /applications/{appId}/users/{userId}/auth-methods": { path: { userId: string }; answer: AuthMethods };
  /** Remove a method of a user, such as a lost phone's passkey. */
  "DELETE /applications/{appId}/users/{userId}/auth-methods/{methodId}": { path: { userId: string; methodId: string }; answer: Done };
};

/** The reason, for programs. */
export type ErrorCode = "INVALID_APP_ID" | "INVALID_API_KEY" | "INVALID_TOKEN" | "INSUFFICIENT_SCOPE" | "USER_NOT_FOUND" | "METHOD_NOT_FOUND" | "INVALID_REQUEST" | "RATE_LIMITED" | "SERVER_ERROR";

/** The body of a webhook. */
export type WebhookEvent = {
  event: WebhookEventKind;
  /** When it happened. ISO 8601, UTC. */
  timestamp: string;
  data: WebhookEventData;
};

/** A JSON Web Key Set, RFC 7517. */
export type KeySet = {
  /** The keys. */
  keys: JsonWebKey[];
};

/** The body of `POST /auth/initiate`. */
export type InitiateRequest = {
  /** One of the application's redirect URIs, to the letter. */
  redirectUri: string;
  /** Only this method; without it the page offers all that are enabled. */
  authMethod?: AuthMethodType;
  /** Required with `oauth`, and not allowed otherwise: google, github, microsoft, apple, discord, facebook, or one of the operator's. Letter case does not matter. */
  provider?: string;
  /** Comes back with the redirect, byte for byte. */
  state?: string;
  /** What the tokens are for; both when left out. */
  scopes?: Scope[];
  /** PKCE: the base64url SHA-256 of a code verifier. Demanded of clients without API key. */
  codeChallenge?: string;
  /** An address that the form starts with. */
  loginHint?: string;
  /** The language of the pages and mails, such as `pt-BR`; otherwise the browser's. */
  locale?: string;
};

/** A sign-in session. */
export type Session = {
  /** Where to send the user's browser. */
  authUrl: string;
  /** Comes back with the redirect, and goes into the callback call. Keep it secret until then. */
  sessionId: string;
  /** When the session ends, ten minutes after its start. ISO 8601, UTC. */
  expiresAt: string;
};

/** The body of `POST /auth/callback`. */
export type CallbackRequest = {
  /** From the redirect. Good once, for 60 seconds. */
  code: string;
  /** From initiate; the redirect carries it, too. */
  sessionId: string;
  /** Exactly as given to initiate; left out when none was. */
  state?: string;
  /** PKCE: what `codeChallenge` at initiate is the SHA-256 of. */
  codeVerifier?: string;
};

/** The tokens of a new login, and its user. */
export type TokensAndUser = {
  /** A JWT, for `Authorization: Bearer`. The key set at `/.well-known/jwks.json` verifies it. */
  accessToken: string;
  /** Opaque. Good for one refresh. */
  refreshToken: string;
  /** Seconds until the access token ends. */
  expiresIn: number;
  user: User;
};

/** The body of `POST /auth/refresh`. */
export type RefreshRequest = {
  /** The newest of this login. */
  refreshToken: string;
};

/** The tokens of a login. */
export type Tokens = {
  /** A JWT, for `Authorization: Bearer`. The key set at `/.well-known/jwks.json` verifies it. */
  accessToken: string;
  /** Opaque. Good for one refresh. */
  refreshToken: string;
  /** Seconds until the access token ends. */
  expiresIn: number;
};

/** A token that is good. */
export type Validation = {
  /** True: a token that is not good is answered with 401. */
  valid: boolean;
  user: ShortUser;
  /** The scopes of the token. */
  scopes: TokenScope[];
  /** When the token ends. ISO 8601, UTC. */
  expiresAt: string;
  /** The application's own claims as they are now, if it has any. The token may have older ones. */
  claims?: Record<string, unknown>;
  /** Only for a token of an OpenID Connect client: the client's id. Refuse it unless this client may use your API. */
  clientId?: string;
  /** Who acts as the user, with a token that an operator minted. Missing if nobody acts as the user. */
  act?: {
    /** Their name, as the operator gave it. */
    sub: string;
  };
};

/** Entries of the revocation feed: tokens that became invalid before they expired. */
export type Revocations = {
  /** Send it as `after` in the next call. It is valid for 24 hours. */
  cursor: string;
  /** Oldest first. Kinds may be added: validate every token after one that you do not know. */
  revoked: ({
    /** The login (`sid` of its tokens) that has ended. */
    sid: string;
  } | {
    /** The user (`sub`). */
    sub: string;
    /** Logins of the user that began before may have ended: validate each of them once. ISO 8601, UTC. */
    before: string;
  } | {
    /** The signing key (`kid`) that was withdrawn. */
    kid: string;
  } | {
    /** The application, which is being deleted: validate every token. */
    app: string;
  })[];
  /** Whether there may be more entries: call again at once. */
  more: boolean;
};

/** The body of `POST /auth/logout`. */
export type LogoutRequest = {
  /** Ends the login that it belongs to; that of the access token when left out. */
  refreshToken?: string;
  /** Ends every login of the user. */
  allSessions?: boolean;
};

/** The call succeeded. */
export type Done = {
  /** Always true: a failure is answered with an error. */
  success: boolean;
  /** For people. */
  message: string;
};

/** The user, with a summary of the sign-ins. */
export type Profile = {
  /** `usr_…`, never given to another user. */
  id: string;
  /** The user's address. Absent without the scope `email`. */
  email?: string | null;
  /** Whether the user has proven the address. Absent without the scope `email`. */
  emailVerified?: boolean;
  /** The user's display name. */
  name: string | null;
  /** The user's picture. */
  picture: string | null;
  /** When the account was created. ISO 8601, UTC. */
  createdAt: string;
  /** When the user last signed in. ISO 8601, UTC. */
  lastLoginAt: string | null;
  authMethods: UsableMethods;
  metadata: ProfileMetadata;
  /** What the application stores about the user, who may read it. */
  publicMetadata?: Record<string, unknown>;
};

/** The body of `PATCH /users/profile`. */
export type ProfileRequest = {
  /** The display name, without control characters. */
  name?: string;
  /** An https address, or null for none. */
  picture?: string | null;
};

/** The profile after a change. */
export type UpdatedProfile = {
  /** `usr_…`, never given to another user. */
  id: string;
  /** The user's address. Absent without the scope `email`. */
  email?: string | null;
  /** The user's display name. */
  name: string | null;
  /** The user's picture. */
  picture: string | null;
  /** When the profile was changed. ISO 8601, UTC. */
  updatedAt: string;
};

/** What the user can sign in with. */
export type AuthMethods = {
  /** Oldest first. */
  methods: AuthMethod[];
};

/** The body of `POST /users/auth-methods`. */
export type AddMethodRequest = {
  /** What to add. */
  type: AuthMethodType;
  /** Required with `oauth`, and not allowed otherwise: google, github, microsoft, apple, discord, facebook, or one of the operator's. Letter case does not matter. */
  provider?: string;
  /** One of the application's redirect URIs, to the letter. */
  redirectUri: string;
  /** Comes back with the redirect, byte for byte. */
  state?: string;
  /** The language of the pages and mails, such as `pt-BR`; otherwise the browser's. */
  locale?: string;
};

/** An application. */
export type Application = {
  /** The App ID. */
  id: string;
  /** The name of the application. */
  name: string;
  /** The domain to which its passkeys belong, when it has its own. */
  domain: string | null;
  /** Where people are sent back to. */
  redirectUris: string[];
  authMethods: ApplicationMethods;
  branding: ApplicationBranding;
  stats: Statistics;
};

/** The body of `PATCH /applications/{appId}`. */
export type ApplicationRequest = {
  /** The name of the application on its pages, without control characters, `/`, `@` and anything that looks like a web address. Mails keep the name that the operator gave. A name that stays as it is may be longer. */
  name?: string;
  /** Replaces the list. */
  redirectUris?: string[];
  /** Omitted fields stay as they are. */
  authMethods?: {
    /** Passkeys of the application. */
    passkey?: {
      /** Whether users can sign in with it. */
      enabled?: boolean;
      /** Whether every sign-in needs a passkey. Only with `enabled`. */
      required?: boolean;
    };
    /** Providers of the application. */
    oauth?: {
      /** Whether users can sign in with a provider. */
      enabled?: boolean;
      /** Replaces the list. */
      providers?: string[];
    };
    /** Passwords of the application. */
    password?: {
      /** Whether users can sign in with it. */
      enabled?: boolean;
    };
  };
  /** What the hosted pages look like. The operator sets the rest of it. */
  branding?: {
    /** Where the pages lead back to, in the form of a redirect URI. Null: the origin of one. */
    homeUrl?: string | null;
  };
};

/** The body of `POST /webhooks/endpoints`. */
export type WebhookEndpointRequest = {
  /** https, and on a public address. */
  url: string;
  /** The events that it receives. */
  events: WebhookEventKind[];
  /** Signs every delivery, and is never shown again. `whsec_` and base64, or any other text. */
  secret: string;
};

/** A webhook endpoint. */
export type WebhookEndpoint = {
  /** `whe_…` */
  id: string;
  /** The App ID of its application. */
  appId: string;
  /** Where deliveries are sent. */
  url: string;
  /** The events that it receives. */
  events: WebhookEventKind[];
  /** Whether deliveries are sent. */
  enabled: boolean;
  /** Why it is disabled: by the operator, because it answered 410, or because it failed for five days. */
  disabledReason: "operator" | "gone" | "failing" | null;
  /** Since when every delivery has failed. ISO 8601, UTC. */
  failingSince: string | null;
  /** Until then deliveries are signed with the previous secret as well. ISO 8601, UTC. */
  oldSecretUntil: string | null;
  /** When it was registered. ISO 8601, UTC. */
  createdAt: string;
  /** When it was last changed. ISO 8601, UTC. */
  updatedAt: string;
};

/** The endpoints of an application. */
export type WebhookEndpoints = {
  /** Oldest first. */
  endpoints: WebhookEndpoint[];
};

/** The body of `PATCH /webhooks/endpoints/{id}`. */
export type WebhookEndpointChange = {
  /** https, and on a public address. */
  url?: string;
  /** Replaces the list. */
  events?: WebhookEventKind[];
  /** True gives an endpoint that was switched off for its failures a new start. */
  enabled?: boolean;
  /** A new secret; see `secretOverlapSeconds`. */
  secret?: string;
  /** How long the previous secret signs too. Only with `secret`; default one day. */
  secretOverlapSeconds?: number;
};

/** The body of `POST /webhooks/endpoints/{id}/test`. */
export type WebhookTestRequest = {
  /** The kind of the sample; default the first kind that the endpoint receives. */
  event?: WebhookEventKind;
};

/** The result of a sample delivery. */
export type WebhookTestResult = {
  /** Whether the receiver answered with 2xx. */
  delivered: boolean;
  event: WebhookEventKind;
  /** The `webhook-id` of the sample, `evt_test_…`. */
  eventId: string;
  /** The receiver's HTTP status. */
  status: number | null;
  /** How long the receiver took. */
  durationMilliseconds: number;
  /** Why it was not delivered. */
  error: string | null;
};

/** The groups of an application. */
export type Groups = {
  /** Sorted by name. */
  groups: ({
    /** Unique in the application. */
    name: string;
    /** When it was created. ISO 8601, UTC. */
    createdAt: string;
  })[];
};

/** A group with the number of its members. */
export type GroupDetails = {
  /** Unique in the application. */
  name: string;
  /** When it was created. ISO 8601, UTC. */
  createdAt: string;
  /** How many users are in it. */
  members: number;
};

/** The body of `PUT /applications/{appId}/groups/{name}`. */
export type EmptyRequest = {
};

/** A group of users. */
export type Group = {
  /** Unique in the application. */
  name: string;
  /** When it was created. ISO 8601, UTC. */
  createdAt: string;
};

/** A page of a group's members. */
export type GroupMembers = {
  /** Sorted by User ID. */
  members: ({
    /** The user, `usr_…`. */
    id: string;
    /** The user's address. */
    email: string | null;
    /** The display name. */
    name: string | null;
    /** When the user became a member. ISO 8601, UTC. */
    addedAt: string;
  })[];
  /** Leads to the next page; null on the last. */
  nextCursor: string | null;
};

/** The names of the groups that a user is in. */
export type GroupsOfUser = {
  /** Sorted. */
  groups: string[];
};

/** What the application stores about a user. */
export type Metadata = {
  /** The user may read it. */
  public: Record<string, unknown>;
  /** Only the application's server and the operator read it, unless a claim shows it. */
  private: Record<string, unknown>;
};

/** The body of `PATCH /applications/{appId}/users/{userId}/metadata`. */
export type MetadataRequest = {
  /** A JSON merge patch (RFC 7396) of at most 4,096 bytes and 8 levels afterwards; null removes all. */
  public?: Record<string, unknown>;
  /** The same for the private part. */
  private?: Record<string, unknown>;
};

/** A page of users. */
export type UserPage = {
  /** In the requested order. */
  users: ManagedUser[];
  /** Leads to the next page; null on the last. */
  nextCursor: string | null;
};

/** The body of `POST /applications/{appId}/users`. */
export type NewUserRequest = {
  /** Unique in the application. Stored in lower case. */
  email: string;
  /** Whether the address is known to be the user's. Default false: a sign-in that proves it may take over the account. */
  emailVerified?: boolean;
  /** The display name, without control characters. */
  name?: string;
  /** An https address. */
  picture?: string;
  /** A first password, by the application's rules. */
  password?: string;
  /** True: mail a link with which the user chooses how to sign in, for 7 days. Only with `email` and `name`. Again for a user who has not chosen yet, it replaces the link. Needs a mail server. */
  invite?: boolean;
};

/** A user, as the application's server sees them. */
export type ManagedUser = {
  /** `usr_…`, never given to another user. */
  id: string;
  /** The App ID of the user's application. */
  appId: string;
  /** The user's address. */
  email: string | null;
  /** Whether the address is known to be the user's. */
  emailVerified: boolean;
  /** The user's display name. */
  name: string | null;
  /** The user's picture. */
  picture: string | null;
  /** When the account was created. ISO 8601, UTC. */
  createdAt: string;
  /** When the account was last changed. ISO 8601, UTC. */
  updatedAt: string;
  /** When the user last signed in. ISO 8601, UTC. */
  lastLoginAt: string | null;
  /** When the user was disabled. ISO 8601, UTC. */
  disabledAt: string | null;
  authMethods: UsableMethods;
};

/** A user, with a summary of the sign-ins, and what the application stores about them. */
export type ManagedUserDetails = {
  /** `usr_…`, never given to another user. */
  id: string;
  /** The App ID of the user's application. */
  appId: string;
  /** The user's address. */
  email: string | null;
  /** Whether the address is known to be the user's. */
  emailVerified: boolean;
  /** The user's display name. */
  name: string | null;
  /** The user's picture. */
  picture: string | null;
  /** When the account was created. ISO 8601, UTC. */
  createdAt: string;
  /** When the account was last changed. ISO 8601, UTC. */
  updatedAt: string;
  /** When the user last signed in. ISO 8601, UTC. */
  lastLoginAt: string | null;
  /** When the user was disabled. ISO 8601, UTC. */
  disabledAt: string | null;
  authMethods: UsableMethods;
  metadata: ProfileMetadata;
  /** What the user may read; omitted if it is empty. */
  publicMetadata?: Record<string, unknown>;
  /** What the user does not read; omitted if it is empty. */
  privateMetadata?: Record<string, unknown>;
};

/** The body of `PATCH /applications/{appId}/users/{userId}`. */
export type ManagedUserChange = {
  /** Not taken by another user of the application. */
  email?: string;
  /** Whether the address is known to be the user's. False for another address when left out. */
  emailVerified?: boolean;
  /** The display name, without control characters, or null for none. */
  name?: string | null;
  /** An https address, or null for none. */
  picture?: string | null;
  /** True ends every login and lets the user sign in no more; false lets them again. */
  disabled?: boolean;
};

/** Ended logins. */
export type EndedLogins = {
  /** How many logins this ended. */
  ended: number;
};

/** What happened. */
export type WebhookEventKind = "user.login" | "user.logout" | "user.created" | "user.updated" | "user.deleted" | "method.added" | "method.removed" | "login.failed" | "token.reuse";

/** Always all six fields; null where one does not apply. */
export type WebhookEventData = {
  /** `usr_…`; null when nobody is known. */
  userId: string | null;
  /** The user's address, while there is a user. */
  email: string | null;
  /** With what, where that is known. */
  authMethod: AuthMethodType | null;
  /** Of the person, as far as it is known. */
  ipAddress: string | null;
  /** Of the person, as far as it is known. */
  userAgent: string | null;
  /** The login, `lgn_…`: the `sid` of its access tokens. */
  sessionId: string | null;
};

/** A public key. */
export type JsonWebKey = EcKey | OkpKey | RsaKey;

/** A way to sign in. */
export type AuthMethodType = "passkey" | "oauth" | "password";

/** What an access token may be used for. */
export type Scope = "profile" | "email" | "groups";

/** The user, as the scopes of the token show it. */
export type User = {
  /** `usr_…`, never given to another user. */
  id: string;
  /** The user's address. Absent without the scope `email`. */
  email?: string | null;
  /** Whether the user has proven the address. Absent without the scope `email`. */
  emailVerified?: boolean;
  /** The user's display name. */
  name: string | null;
  /** The user's picture. */
  picture: string | null;
  /** When the account was created. ISO 8601, UTC. */
  createdAt: string;
  /** When the user last signed in. ISO 8601, UTC. */
  lastLoginAt: string | null;
  authMethods: UsableMethods;
};

/** The user in short. */
export type ShortUser = {
  /** `usr_…`, never given to another user. */
  id: string;
  /** The user's address. Absent without the scope `email`. */
  email?: string | null;
  /** Whether the user has proven the address. Absent without the scope `email`. */
  emailVerified?: boolean;
  /** The user's display name. */
  name: string | null;
};

/** What an access token may be used for. The last two only in tokens of OpenID Connect. */
export type TokenScope = "profile" | "email" | "groups" | "openid" | "offline_access";

/** What the user can sign in with. */
export type UsableMethods = {
  /** Whether the user has a passkey. */
  passkey: boolean;
  /** The providers that the user has connected. */
  oauth: string[];
  /** Whether the user has a password. */
  password: boolean;
};

/** About the user's sign-ins. */
export type ProfileMetadata = {
  /** How often the user has signed in. */
  loginCount: number;
  /** The address of the last sign-in. */
  lastIpAddress: string | null;
  /** The browser of the last sign-in. */
  userAgent: string | null;
};

/** A way in which the user can sign in. */
export type AuthMethod = PasskeyMethod | OAuthMethod | PasswordMethod;

/** The ways to sign in to the application. */
export type ApplicationMethods = {
  passkey: PasskeySwitch;
  oauth: OAuthSwitch;
  password: PasswordSwitch;
};

/** What the hosted pages look like, and where they lead back to. */
export type ApplicationBranding = {
  /** The logo on the hosted pages. */
  logo: string | null;
  /** `#rrggbb` */
  primaryColor: string | null;
  /** The name on the hosted pages. */
  companyName: string | null;
  /** Where the pages lead back to, if it was set. */
  homeUrl?: string;
};

/** Counts of the application. */
export type Statistics = {
  /** Users of the application. */
  totalUsers: number;
  /** Users who signed in within 30 days. */
  activeUsers: number;
  /** Sign-ins so far. */
  totalLogins: number;
};

/** A key for ES256. */
export type EcKey = {
  /** The kind of key. */
  kty: "EC";
  /** The algorithm of its signatures. */
  alg: "ES256";
  /** The curve. */
  crv: "P-256";
  /** Public part of the key, base64url. */
  x: string;
  /** Public part of the key, base64url. */
  y: string;
  /** The RFC 7638 thumbprint; the `kid` of tokens that it verifies. */
  kid: string;
  /** For signatures. */
  use: "sig";
};

/** A key for EdDSA. */
export type OkpKey = {
  /** The kind of key. */
  kty: "OKP";
  /** The algorithm of its signatures. */
  alg: "EdDSA";
  /** The curve. */
  crv: "Ed25519";
  /** Public part of the key, base64url. */
  x: string;
  /** The RFC 7638 thumbprint; the `kid` of tokens that it verifies. */
  kid: string;
  /** For signatures. */
  use: "sig";
};

/** A key for RS256. */
export type RsaKey = {
  /** The kind of key. */
  kty: "RSA";
  /** The algorithm of its signatures. */
  alg: "RS256";
  /** Public part of the key, base64url. */
  n: string;
  /** Public part of the key, base64url. */
  e: string;
  /** The RFC 7638 thumbprint; the `kid` of tokens that it verifies. */
  kid: string;
  /** For signatures. */
  use: "sig";
};

/** A passkey. */
export type PasskeyMethod = {
  /** The kind of method. */
  type: "passkey";
  /** The device of the passkey. */
  name?: string;
  /** `mth_…`, the `methodId` for removing it. */
  id: string;
  /** When it was added. ISO 8601, UTC. */
  createdAt: string;
  /** When the user last signed in with it; null until then. ISO 8601, UTC. */
  lastUsed: string | null;
};

/** An account at a provider. */
export type OAuthMethod = {
  /** The kind of method. */
  type: "oauth";
  /** The name of the provider. */
  provider: string;
  /** The address at the provider. Absent without the scope `email`. */
  email?: string | null;
  /** `mth_…`, the `methodId` for removing it. */
  id: string;
  /** When it was added. ISO 8601, UTC. */
  createdAt: string;
  /** When the user last signed in with it; null until then. ISO 8601, UTC. */
  lastUsed: string | null;
};

/** A password. */
export type PasswordMethod = {
  /** The kind of method. */
  type: "password";
  /** `mth_…`, the `methodId` for removing it. */
  id: string;
  /** When it was added. ISO 8601, UTC. */
  createdAt: string;
  /** When the user last signed in with it; null until then. ISO 8601, UTC. */
  lastUsed: string | null;
};

/** Passkeys of the application. */
export type PasskeySwitch = {
  /** Whether users can sign in with it. */
  enabled: boolean;
  /** Whether every sign-in needs a passkey. */
  required: boolean;
};

/** Providers of the application. */
export type OAuthSwitch = {
  /** Whether users can sign in with a provider. */
  enabled: boolean;
  /** The providers that are offered. */
  providers: string[];
};

/** Passwords of the application. */
export type PasswordSwitch = {
  /** Whether users can sign in with it. */
  enabled: boolean;
};
