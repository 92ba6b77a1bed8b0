// Generated from the OpenAPI document by `npm run sdk-types`. Do not edit.

/** Every call of the service by method and path. */
export type Operations = {
  /** Start a sign-in. */
  "POST /auth/initiate": { body: InitiateRequest; answer: Session };
  /** Exchange the code of the redirect for tokens. */
  "POST /auth/callback": { body: CallbackRequest; answer: TokensAndUser };
  /** Exchange a refresh token for new tokens. */
  "POST /auth/refresh": { body: RefreshRequest; answer: Tokens };
  /** Check whether an access token is valid. */
  "GET /auth/validate": { answer: Validation };
  /** Read the revocation feed. */
  "GET /auth/revocations": { query?: { after?: string; wait?: number; kinds?: "organization" }; answer: Revocations };
  /** End one login or all logins of the user. */
  "POST /auth/logout": { body?: LogoutRequest; answer: Done };
  /** Read the user's profile. */
  "GET /users/profile": { answer: Profile };
  /** Change name and picture. */
  "PATCH /users/profile": { body: ProfileRequest; answer: UpdatedProfile };
  /** Delete the account permanently. */
  "DELETE /users/profile": { answer: Done };
  /** List the user's sign-in methods. */
  "GET /users/auth-methods": { answer: AuthMethods };
  /** Start adding a method. */
  "POST /users/auth-methods": { body: AddMethodRequest; answer: Session };
  /** Remove a method. */
  "DELETE /users/auth-methods/{methodId}": { path: { methodId: string }; answer: Done };
  /** List the user's own organizations. */
  "GET /users/organizations": { answer: Memberships };
  /** Leave an organization. */
  "DELETE /users/organizations/{orgId}": { path: { orgId: string }; answer: Done };
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
  /** Remove an endpoint and its waiting deliveries. */
  "DELETE /webhooks/endpoints/{id}": { path: { id: string }; answer: Done };
  /** Send a sample to an endpoint. */
  "POST /webhooks/endpoints/{id}/test": { path: { id: string }; body?: WebhookTestRequest; answer: WebhookTestResult };
  /** List the groups. */
  "GET /applications/{appId}/groups": { answer: Groups };
  /** Read a group. */
  "GET /applications/{appId}/groups/{name}": { path: { name: string }; answer: GroupDetails };
  /** Create a group. */
  "PUT /applications/{appId}/groups/{name}": { path: { name: string }; body?: GroupRequest; answer: Group };
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
  "GET /applications/{appId}/users": { query?: { email?: string; name?: string; search?: string; group?: string; state?: "active" | "disabled" | "pending"; createdSince?: string; createdBefore?: string; lastLoginSince?: string; lastLoginBefore?: string; sort?: "createdAt" | "-createdAt" | "name" | "-name" | "lastLoginAt" | "-lastLoginAt"; limit?: number; cursor?: string }; answer: UserPage };
  /** Create a user. */
  "POST /applications/{appId}/users": { body: NewUserRequest; answer: ManagedUser };
  /** Read a user. */
  "GET /applications/{appId}/users/{userId}": { path: { userId: string }; answer: ManagedUserDetails };
  /** Change a user. */
  "PATCH /applications/{appId}/users/{userId}": { path: { userId: string }; body: ManagedUserChange; answer: ManagedUserDetails };
  /** Delete a user permanently. */
  "DELETE /applications/{appId}/users/{userId}": { path: { userId: string }; answer: Done };
  /** Approve a user who signed up. */
  "POST /applications/{appId}/users/{userId}/approve": { path: { userId: string }; body: ApprovalRequest; answer: ApprovalDecision };
  /** Refuse a user who signed up. */
  "POST /applications/{appId}/users/{userId}/refuse": { path: { userId: string }; body: RefusalRequest; answer: ApprovalDecision };
  /** Read a user's second factor. */
  "GET /applications/{appId}/users/{userId}/factors": { path: { userId: string }; answer: SecondFactor };
  /** Remove a user's second factor. */
  "DELETE /applications/{appId}/users/{userId}/factors": { path: { userId: string }; answer: Done };
  /** Sign a user out everywhere. */
  "POST /applications/{appId}/users/{userId}/logout": { path: { userId: string }; body?: EmptyRequest; answer: EndedLogins };
  /** Require a new password of a user. */
  "POST /applications/{appId}/users/{userId}/require-new-password": { path: { userId: string }; body?: EmptyRequest; answer: RequiredPassword };
  /** List a user's sign-in methods. */
  "GET /applications/{appId}/users/{userId}/auth-methods": { path: { userId: string }; answer: AuthMethods };
  /** Remove a method of a user, such as a lost phone's passkey. */
  "DELETE /applications/{appId}/users/{userId}/auth-methods/{methodId}": { path: { userId: string; methodId: string }; answer: Done };
  /** List a user's personal access tokens. */
  "GET /applications/{appId}/users/{userId}/personal-tokens": { path: { userId: string }; answer: PersonalTokens };
  /** End a personal access token of a user. */
  "DELETE /applications/{appId}/users/{userId}/personal-tokens/{tokenId}": { path: { userId: string; tokenId: string }; answer: Done };
  /** List the organizations. */
  "GET /applications/{appId}/organizations": { query?: { limit?: number; cursor?: string }; answer: OrganizationPage };
  /** Create an organization. */
  "POST /applications/{appId}/organizations": { body: NewOrganizationRequest; answer: Organization };
  /** Read an organization. */
  "GET /applications/{appId}/organizations/{orgId}": { path: { orgId: string }; query?: { by?: string }; answer: OrganizationDetails };
  /** Change an organization. */
  "PATCH /applications/{appId}/organizations/{orgId}": { path: { orgId: string }; query?: { by?: string }; body: OrganizationRequest; answer: Organization };
  /** Delete an organization. */
  "DELETE /applications/{appId}/organizations/{orgId}": { path: { orgId: string }; query?: { by?: string }; answer: Done };
  /** List the members of an organization. */
  "GET /applications/{appId}/organizations/{orgId}/members": { path: { orgId: string }; query?: { limit?: number; cursor?: string; by?: string }; answer: OrganizationMembers };
  /** Add a member, or replace the roles. */
  "PUT /applications/{appId}/organizations/{orgId}/members/{userId}": { path: { orgId: string; userId: string }; query?: { by?: string }; body: MemberRequest; answer: OrganizationMember };
  /** Replace the roles of a member. */
  "PATCH /applications/{appId}/organizations/{orgId}/members/{userId}": { path: { orgId: string; userId: string }; query?: { by?: string }; body: MemberRequest; answer: OrganizationMember };
  /** Remove a member. */
  "DELETE /applications/{appId}/organizations/{orgId}/members/{userId}": { path: { orgId: string; userId: string }; query?: { by?: string }; answer: Done };
  /** List the open invitations. */
  "GET /applications/{appId}/organizations/{orgId}/invitations": { path: { orgId: string }; query?: { limit?: number; cursor?: string; by?: string }; answer: OrganizationInvitations };
  /** Invite people. */
  "POST /applications/{appId}/organizations/{orgId}/invitations": { path: { orgId: string }; query?: { by?: string }; body: InvitationsRequest; answer: InvitationResults };
  /** Withdraw an invitation. */
  "DELETE /applications/{appId}/organizations/{orgId}/invitations/{invitationId}": { path: { orgId: string; invitationId: string }; query?: { by?: string }; answer: Done };
  /** List the domains of an organization. */
  "GET /applications/{appId}/organizations/{orgId}/domains": { path: { orgId: string }; query?: { by?: string }; answer: OrganizationDomains };
  /** Claim a domain. */
  "POST /applications/{appId}/organizations/{orgId}/domains": { path: { orgId: string }; query?: { by?: string }; body: DomainRequest; answer: OrganizationDomain };
  /** Set who joins by a domain, or confirm it. */
  "PATCH /applications/{appId}/organizations/{orgId}/domains/{domain}": { path: { orgId: string; domain: string }; query?: { by?: string }; body: DomainChange; answer: OrganizationDomain };
  /** Remove a domain. */
  "DELETE /applications/{appId}/organizations/{orgId}/domains/{domain}": { path: { orgId: string; domain: string }; query?: { by?: string }; answer: Done };
  /** Ask DNS about a domain now. */
  "POST /applications/{appId}/organizations/{orgId}/domains/{domain}/check": { path: { orgId: string; domain: string }; query?: { by?: string }; body?: EmptyRequest; answer: OrganizationDomain };
  /** Mail a set-up link. */
  "POST /applications/{appId}/organizations/{orgId}/setup-links": { path: { orgId: string }; query?: { by?: string }; body: OrganizationSetupLinkRequest; answer: OrganizationSetupLink };
  /** Read the provider of an organization. */
  "GET /applications/{appId}/organizations/{orgId}/provider": { path: { orgId: string }; query?: { by?: string }; answer: OrganizationProviders };
  /** Set the provider of an organization. */
  "PUT /applications/{appId}/organizations/{orgId}/provider": { path: { orgId: string }; query?: { by?: string }; body: OrganizationProviderRequest; answer: OrganizationProviders };
  /** Remove the provider of an organization. */
  "DELETE /applications/{appId}/organizations/{orgId}/provider": { path: { orgId: string }; query?: { by?: string }; answer: OrganizationProviderRemoved };
  /** Ask a provider whether it answers. */
  "POST /applications/{appId}/organizations/{orgId}/provider/test": { path: { orgId: string }; query?: { by?: string }; body?: EmptyRequest; answer: OrganizationProviderTest };
  /** Confirm a provider that waits. */
  "POST /applications/{appId}/organizations/{orgId}/provider/confirm": { path: { orgId: string }; query?: { by?: string }; body: OrganizationProviderConfirmation; answer: OrganizationProviders };
  /** List the organizations of a user. */
  "GET /applications/{appId}/users/{userId}/organizations": { path: { userId: string }; answer: Memberships };
};

/** The error code, for programs. */
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
  /** One of the application's redirect URIs, exactly as registered. */
  redirectUri: string;
  /** Offers only this method. If omitted, the page offers all enabled methods. */
  authMethod?: AuthMethodType;
  /** Required with `oauth`, otherwise not allowed: google, github, microsoft, apple, discord, facebook, or a provider that the operator named. Letter case does not matter. */
  provider?: string;
  /** Returned unchanged in the redirect. */
  state?: string;
  /** The scopes of the tokens. Default: all scopes of the application. */
  scopes?: Scope[];
  /** PKCE: the base64url SHA-256 of a code verifier. Required without an API key. */
  codeChallenge?: string;
  /** An email address that prefills the form. */
  loginHint?: string;
  /** Maximum age of the authentication in seconds; 0 always asks again. */
  maxAge?: number;
  /** The required assurance level: one factor, two factors, or phishing-resistant (`phr`). */
  acr?: "urn:authsvc:acr:1" | "urn:authsvc:acr:2" | "phr";
  /** The language of the pages and mails, such as `pt-BR`; otherwise the browser's. */
  locale?: string;
  /** The organization that the tokens name, by id or slug; `none`: none. Only for an application with organizations. */
  organization?: string | null;
};

/** A sign-in session. */
export type Session = {
  /** Where to send the user's browser. */
  authUrl: string;
  /** Returned in the redirect, and required by the callback call. Keep it secret until then. */
  sessionId: string;
  /** When the session expires, ten minutes after its start. ISO 8601, UTC. */
  expiresAt: string;
};

/** The body of `POST /auth/callback`. */
export type CallbackRequest = {
  /** From the redirect. Works once, within 60 seconds. */
  code: string;
  /** From `POST /auth/initiate`; also in the redirect. */
  sessionId: string;
  /** Exactly as sent to `POST /auth/initiate`; omitted if none was sent. */
  state?: string;
  /** PKCE: the verifier. Its SHA-256 is the `codeChallenge` sent to `POST /auth/initiate`. */
  codeVerifier?: string;
};

/** The tokens of a new login, and its user. */
export type TokensAndUser = {
  /** A JWT, for `Authorization: Bearer`. The key set at `/.well-known/jwks.json` verifies it. */
  accessToken: string;
  /** Opaque. Works once. */
  refreshToken: string;
  /** Seconds until the access token expires. */
  expiresIn: number;
  organization?: ActiveOrganization;
  user: User;
};

/** The body of `POST /auth/refresh`. */
export type RefreshRequest = {
  /** The newest refresh token of the login. */
  refreshToken: string;
  /** The organization that the new access token names, by id or slug; `none`: none. Default: the one that the login named last. */
  organization?: string | null;
};

/** The tokens of a login. */
export type Tokens = {
  /** A JWT, for `Authorization: Bearer`. The key set at `/.well-known/jwks.json` verifies it. */
  accessToken: string;
  /** Opaque. Works once. */
  refreshToken: string;
  /** Seconds until the access token expires. */
  expiresIn: number;
  organization?: ActiveOrganization;
};

/** A valid token. */
export type Validation = {
  /** Always true: an invalid token gets status 401. */
  valid: boolean;
  user: ShortUser;
  /** The scopes of the token. */
  scopes: TokenScope[];
  /** When the token expires. ISO 8601, UTC. */
  expiresAt: string;
  /** Current assurance level, if the token's `acr` says two factors; lower if a factor was removed since. */
  acr?: string;
  /** The current values of the application's own claims, if it has any, and `org_id` and `org_roles` if the token names an organization. The token may have older values. */
  claims?: Record<string, unknown>;
  /** The current values of the profile fields that the application's claims are made of. */
  profile?: Record<string, string | number | boolean>;
  /** The client ID, if the token was issued to an OpenID Connect client. Reject the token unless this client may use your API. */
  clientId?: string;
  /** Who acts as the user with a token that an operator minted. Omitted if nobody acts as the user. */
  act?: {
    /** The name that the operator gave. */
    sub: string;
  };
  /** Only if its user made it for a program of theirs, as a personal access token: the claims that an access token would have. `jti` and `sid` are its id, `ptk_…`. */
  personalToken?: Record<string, unknown>;
};

/** Entries of the revocation feed: tokens that became invalid before they expired. */
export type Revocations = {
  /** Send it as `after` in the next call. It is valid for 24 hours. */
  cursor: string;
  /** Oldest first. New kinds may be added: after an unknown kind, validate every token. */
  revoked: ({
    /** The login (`sid` of its tokens) that has ended. */
    sid: string;
  } | {
    /** The user (`sub`). */
    sub: string;
    /** Logins of the user that began before this time may have ended. Validate each of them once. ISO 8601, UTC. */
    before: string;
  } | {
    /** The organization (`org_id`). */
    organization: string;
    /** Tokens that name the organization and were issued before this time may say too much. Validate each of them once. ISO 8601, UTC. */
    before: string;
    /** Only tokens of this user (`sub`). */
    user?: string;
  } | {
    /** The signing key (`kid`) that was revoked. */
    kid: string;
  } | {
    /** The App ID. The application is being deleted: validate every token. */
    app: string;
  })[];
  /** Whether there may be more entries. If so, call again at once. */
  more: boolean;
};

/** The body of `POST /auth/logout`. */
export type LogoutRequest = {
  /** Ends the login of this token; if omitted, the login of the access token. */
  refreshToken?: string;
  /** Ends every login of the user. */
  allSessions?: boolean;
};

/** The call succeeded. */
export type Done = {
  /** Always true: a failure returns an error. */
  success: boolean;
  /** A message for people. */
  message: string;
};

/** The user, with a summary of the sign-ins. */
export type Profile = {
  /** `usr_…`; never reused. */
  id: string;
  /** The user's email address. Absent without the scope `email`. */
  email?: string | null;
  /** Whether the email address is verified. Absent without the scope `email`. */
  emailVerified?: boolean;
  /** The user's display name. */
  name: string | null;
  /** The URL of the user's picture. */
  picture: string | null;
  /** When the account was created. ISO 8601, UTC. */
  createdAt: string;
  /** When the user last signed in. ISO 8601, UTC. */
  lastLoginAt: string | null;
  authMethods: UsableMethods;
  /** The values of the application's own profile fields; omitted if there are none. */
  profile?: Record<string, string | number | boolean>;
  metadata: ProfileMetadata;
  /** What the application stores about the user; the user may read it. */
  publicMetadata?: Record<string, unknown>;
};

/** The body of `PATCH /users/profile`. */
export type ProfileRequest = {
  /** The display name, without control characters. */
  name?: string;
  /** An https URL, or null for none. */
  picture?: string | null;
  /** Values of the application's own profile fields, by name. Null clears; omitted fields stay. Only if the application has such fields. */
  profile?: Record<string, unknown>;
};

/** The profile after a change. */
export type UpdatedProfile = {
  /** `usr_…`; never reused. */
  id: string;
  /** The user's email address. Absent without the scope `email`. */
  email?: string | null;
  /** The user's display name. */
  name: string | null;
  /** The user's picture. */
  picture: string | null;
  /** When the profile was last changed. ISO 8601, UTC. */
  updatedAt: string;
  /** The values of the application's own profile fields; omitted if there are none. */
  profile?: Record<string, string | number | boolean>;
};

/** The user's sign-in methods. */
export type AuthMethods = {
  /** Oldest first. */
  methods: AuthMethod[];
};

/** The body of `POST /users/auth-methods`. */
export type AddMethodRequest = {
  /** The kind of method to add. */
  type: AuthMethodType;
  /** Required with `oauth`, otherwise not allowed: google, github, microsoft, apple, discord, facebook, or a provider that the operator named. Letter case does not matter. */
  provider?: string;
  /** One of the application's redirect URIs, exactly as registered. */
  redirectUri: string;
  /** Returned unchanged in the redirect. */
  state?: string;
  /** The language of the pages and mails, such as `pt-BR`; otherwise the browser's. */
  locale?: string;
};

/** The organizations of a user. */
export type Memberships = {
  /** Sorted by ID. Without those that are disabled. */
  organizations: ({
    /** `org_…`. */
    id: string;
    /** The name. */
    name: string;
    /** The slug. */
    slug: string;
    /** The user's roles there, sorted. */
    roles: string[];
    /** When the user became a member. ISO 8601, UTC. */
    joinedAt: string;
  })[];
};

/** An application. */
export type Application = {
  /** The App ID. */
  id: string;
  /** The name of the application. */
  name: string;
  /** The domain of its passkeys, if it has its own. */
  domain: string | null;
  /** Where people return to after signing in. */
  redirectUris: string[];
  authMethods: ApplicationMethods;
  branding: ApplicationBranding;
  stats: Statistics;
};

/** The body of `PATCH /applications/{appId}`. */
export type ApplicationRequest = {
  /** The application's name on its pages: no control characters, no `/` or `@`, and nothing that looks like a web address. Mails keep the name that the operator set. An unchanged name may be longer. */
  name?: string;
  /** Replaces the list. */
  redirectUris?: string[];
  /** Omitted fields stay as they are. */
  authMethods?: {
    /** Passkeys of the application. */
    passkey?: {
      /** Whether people can sign in with passkeys. */
      enabled?: boolean;
      /** Whether every sign-in needs a passkey. Only with `enabled`. */
      required?: boolean;
    };
    /** Providers of the application. */
    oauth?: {
      /** Whether people can sign in with providers. */
      enabled?: boolean;
      /** Replaces the list. */
      providers?: string[];
    };
    /** Passwords of the application. */
    password?: {
      /** Whether people can sign in with passwords. */
      enabled?: boolean;
    };
  };
  /** The branding of the hosted pages. The operator sets the rest. */
  branding?: {
    /** Where the pages link back to; the rules of redirect URIs apply. Null: the origin of a redirect URI. */
    homeUrl?: string | null;
  };
};

/** The body of `POST /webhooks/endpoints`. */
export type WebhookEndpointRequest = {
  /** An https URL on a public address. */
  url: string;
  /** The events that it receives. */
  events: WebhookEventKind[];
  /** Signs every delivery. Never shown again. `whsec_` and base64, or any other text. */
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
  /** Why it is disabled: by the operator, because it responded with 410, or because it failed for five days. */
  disabledReason: "operator" | "gone" | "failing" | null;
  /** Since when every delivery has failed. ISO 8601, UTC. */
  failingSince: string | null;
  /** Until then, deliveries are also signed with the previous secret. ISO 8601, UTC. */
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
  /** An https URL on a public address. */
  url?: string;
  /** Replaces the list. */
  events?: WebhookEventKind[];
  /** Whether events are sent. True also restarts an endpoint that was disabled for its failures. */
  enabled?: boolean;
  /** A new secret; see `secretOverlapSeconds`. */
  secret?: string;
  /** How long the previous secret also signs. Only with `secret`; default one day. */
  secretOverlapSeconds?: number;
};

/** The body of `POST /webhooks/endpoints/{id}/test`. */
export type WebhookTestRequest = {
  /** The kind of the sample. Default: the first kind that the endpoint receives. */
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
    /** Whether its members may or must have a second factor. */
    secondFactor: "off" | "optional" | "required";
    /** When it was created. ISO 8601, UTC. */
    createdAt: string;
  })[];
};

/** A group with the number of its members. */
export type GroupDetails = {
  /** Unique in the application. */
  name: string;
  /** Whether its members may or must have a second factor. */
  secondFactor: "off" | "optional" | "required";
  /** When it was created. ISO 8601, UTC. */
  createdAt: string;
  /** The number of members. */
  members: number;
};

/** The body of `PUT /applications/{appId}/groups/{name}`. */
export type GroupRequest = {
  /** Whether members may or must have a second factor. The strictest of application, groups and client wins. Default of a new group: `off`. */
  secondFactor?: "off" | "optional" | "required";
};

/** A group of users. */
export type Group = {
  /** Unique in the application. */
  name: string;
  /** Whether its members may or must have a second factor. */
  secondFactor: "off" | "optional" | "required";
  /** When it was created. ISO 8601, UTC. */
  createdAt: string;
};

/** A page of a group's members. */
export type GroupMembers = {
  /** Sorted by User ID. */
  members: ({
    /** The User ID, `usr_…`. */
    id: string;
    /** The user's email address. */
    email: string | null;
    /** The display name. */
    name: string | null;
    /** When the user became a member. ISO 8601, UTC. */
    addedAt: string;
  })[];
  /** The cursor of the next page; null on the last page. */
  nextCursor: string | null;
};

/** The body of `PUT /applications/{appId}/groups/{name}/members/{userId}`. */
export type EmptyRequest = {
};

/** The names of a user's groups. */
export type GroupsOfUser = {
  /** Sorted. */
  groups: string[];
};

/** The application's data about a user. */
export type Metadata = {
  /** The part that the user may read. */
  public: Record<string, unknown>;
  /** The part that only the application's server and the operator can read, unless a claim contains it. */
  private: Record<string, unknown>;
};

/** The body of `PATCH /applications/{appId}/users/{userId}/metadata`. */
export type MetadataRequest = {
  /** A JSON merge patch (RFC 7396); null removes everything. The result may have at most 4,096 bytes and 8 levels. */
  public?: Record<string, unknown>;
  /** The same for the private part. */
  private?: Record<string, unknown>;
};

/** A page of users. */
export type UserPage = {
  /** In the requested order. */
  users: ManagedUser[];
  /** The cursor of the next page; null on the last page. */
  nextCursor: string | null;
  /** With `search`: how many users it cannot find yet, after an upgrade or an import. 10001: more than 10,000 users of all applications wait for it. Omitted if none. */
  notSearchable?: number;
};

/** The body of `POST /applications/{appId}/users`. */
export type NewUserRequest = {
  /** Unique in the application. Stored in lower case, its domain in ASCII. */
  email: string;
  /** Whether the email address is verified. Default false: a sign-in that proves the address may take over the account. */
  emailVerified?: boolean;
  /** The display name, without control characters. */
  name?: string;
  /** An https URL. */
  picture?: string;
  /** An initial password. The application's password rules apply. */
  password?: string;
  /** Values of the application's own profile fields, by name. Null clears; omitted fields stay. Only if the application has such fields. */
  profile?: Record<string, unknown>;
  /** True: mail a link, valid for 7 days, to choose how to sign in. Only with `email` and `name`. Sent again for a user who has not chosen yet, it replaces the link. Requires a mail server. */
  invite?: boolean;
};

/** A user, as the application's server sees them. */
export type ManagedUser = {
  /** `usr_…`; never reused. */
  id: string;
  /** The App ID of the user's application. */
  appId: string;
  /** The user's email address. */
  email: string | null;
  /** Whether the email address is verified. */
  emailVerified: boolean;
  /** The user's display name. */
  name: string | null;
  /** The URL of the user's picture. */
  picture: string | null;
  /** When the account was created. ISO 8601, UTC. */
  createdAt: string;
  /** When the account was last changed. ISO 8601, UTC. */
  updatedAt: string;
  /** When the user last signed in. ISO 8601, UTC. */
  lastLoginAt: string | null;
  /** When the user was disabled, or signed up and began to wait for approval. ISO 8601, UTC. */
  disabledAt: string | null;
  /** The user waits for approval. Omitted otherwise. */
  state?: "pending";
  authMethods: UsableMethods;
};

/** A user, with a summary of the sign-ins, and what the application stores about them. */
export type ManagedUserDetails = {
  /** `usr_…`; never reused. */
  id: string;
  /** The App ID of the user's application. */
  appId: string;
  /** The user's email address. */
  email: string | null;
  /** Whether the email address is verified. */
  emailVerified: boolean;
  /** The user's display name. */
  name: string | null;
  /** The URL of the user's picture. */
  picture: string | null;
  /** When the account was created. ISO 8601, UTC. */
  createdAt: string;
  /** When the account was last changed. ISO 8601, UTC. */
  updatedAt: string;
  /** When the user last signed in. ISO 8601, UTC. */
  lastLoginAt: string | null;
  /** When the user was disabled, or signed up and began to wait for approval. ISO 8601, UTC. */
  disabledAt: string | null;
  /** The user waits for approval. Omitted otherwise. */
  state?: "pending";
  authMethods: UsableMethods;
  /** Of a user who waits for approval: an earlier sign-up was refused in the last 90 days. Omitted otherwise. */
  refusedBefore?: true;
  metadata: ProfileMetadata;
  /** The part that the user may read; omitted if empty. */
  publicMetadata?: Record<string, unknown>;
  /** The part that the user cannot read; omitted if empty. */
  privateMetadata?: Record<string, unknown>;
  /** The password proves nothing until it is replaced; omitted otherwise. */
  passwordMustChange?: true;
  /** The values of the application's own profile fields; omitted if there are none. */
  profile?: Record<string, string | number | boolean>;
  /** The versions of the application's terms that the user answered; omitted if none. */
  terms?: ({
    /** The version. */
    version: string;
    /** Where it was. */
    url: string;
    /** False: declined, while it was not required. */
    accepted: boolean;
    /** When the user answered. ISO 8601, UTC. */
    at: string;
    /** From which IP address. */
    ipAddress: string | null;
  })[];
};

/** The body of `PATCH /applications/{appId}/users/{userId}`. */
export type ManagedUserChange = {
  /** An email address that no other user of the application has. */
  email?: string;
  /** Whether the email address is verified. If omitted, a new address is unverified. */
  emailVerified?: boolean;
  /** The display name, without control characters, or null for none. */
  name?: string | null;
  /** An https URL, or null for none. */
  picture?: string | null;
  /** True ends every login and blocks the user from signing in; false allows it again. */
  disabled?: boolean;
  /** Values of the application's own profile fields, by name. Null clears; omitted fields stay. Only if the application has such fields. */
  profile?: Record<string, unknown>;
};

/** The body of `POST /applications/{appId}/users/{userId}/approve`. */
export type ApprovalRequest = {
  /** A sentence that is mailed to the user. */
  message?: string;
};

/** A decision about a user who waited for approval. */
export type ApprovalDecision = {
  /** `usr_…`; never reused. */
  id: string;
  /** The user's email address. */
  email: string | null;
  /** What was decided. */
  decision: "approved" | "refused";
  /** Whether the user is mailed about it: only at a verified address. */
  mailed: boolean;
};

/** The body of `POST /applications/{appId}/users/{userId}/refuse`. */
export type RefusalRequest = {
  /** A sentence that is mailed to the user. */
  message?: string;
};

/** A user's second factor. */
export type SecondFactor = {
  /** The authenticator app; null without one. */
  totp: {
    /** When it was set up. ISO 8601, UTC. */
    setUpAt: string;
    /** When a code was last used. ISO 8601, UTC. */
    lastUsedAt: string;
  } | null;
  /** How many recovery codes are left. */
  recoveryCodes: number;
  /** How many wrong codes were entered in a row. */
  failures: number;
  /** True after too many wrong codes: codes are not checked until a passkey is used as the second step, or the app is replaced or removed. */
  blocked: boolean;
};

/** Ended logins. */
export type EndedLogins = {
  /** How many logins this ended. */
  ended: number;
};

/** A password that must change. */
export type RequiredPassword = {
  /** Whether this call required it; false if it was required before. */
  required: boolean;
  /** How the user can choose a new one: in the sign-in; by a reset, as they have no proved address, passkey or second factor; or only with a link that an operator makes. */
  way: "sign-in" | "reset" | "link";
};

/** A user's live personal access tokens. */
export type PersonalTokens = {
  /** Newest first. */
  tokens: PersonalToken[];
};

/** A page of organizations. */
export type OrganizationPage = {
  /** Sorted by ID. */
  organizations: Organization[];
  /** The cursor of the next page; null on the last page. */
  nextCursor: string | null;
};

/** The body of `POST /applications/{appId}/organizations`. */
export type NewOrganizationRequest = {
  /** 1 to 64 characters. Nothing that looks like a web address, except a proved domain of its own. */
  name: string;
  /** 2 to 48 of a–z, 0–9 and `-`. An organization can change it three times. Default: derived from the name. */
  slug?: string;
  /** The strictest of application, groups, client and organization wins. */
  secondFactor?: "off" | "optional" | "required";
  /** 1 to 10,000; null: 10,000. */
  maxMembers?: number | null;
  /** A JSON merge patch (RFC 7396). The result may have at most 4,096 bytes and 8 levels. */
  publicMetadata?: Record<string, unknown>;
  /** The ID of a user, or an address to which an invitation is mailed. */
  owner: string;
};

/** An organization of users. */
export type Organization = {
  /** `org_…`; never reused. */
  id: string;
  /** The name. */
  name: string;
  /** Unique in the application; never given to another organization. */
  slug: string;
  /** Whether its members may or must have a second factor. */
  secondFactor: "off" | "optional" | "required";
  /** The most members that it may have; null: 10,000. */
  maxMembers: number | null;
  /** Your data about it, which its owners and admins may read. */
  publicMetadata: Record<string, unknown>;
  /** When it was created. ISO 8601, UTC. */
  createdAt: string;
  /** When it was last changed. ISO 8601, UTC. */
  updatedAt: string;
  /** When it was disabled. ISO 8601, UTC. */
  disabledAt: string | null;
  /** When it will be deleted, after an owner deleted it. ISO 8601, UTC. */
  deletesAt: string | null;
};

/** An organization. For a plain member in `by`: only id, name, slug and the member's roles. */
export type OrganizationDetails = {
  /** `org_…`; never reused. */
  id: string;
  /** The name. */
  name: string;
  /** Unique in the application; never given to another organization. */
  slug: string;
  /** Whether its members may or must have a second factor. */
  secondFactor?: "off" | "optional" | "required";
  /** The most members that it may have; null: 10,000. */
  maxMembers?: number | null;
  /** Your data about it, which its owners and admins may read. */
  publicMetadata?: Record<string, unknown>;
  /** When it was created. ISO 8601, UTC. */
  createdAt?: string;
  /** When it was last changed. ISO 8601, UTC. */
  updatedAt?: string;
  /** When it was disabled. ISO 8601, UTC. */
  disabledAt?: string | null;
  /** When it will be deleted, after an owner deleted it. ISO 8601, UTC. */
  deletesAt?: string | null;
  /** How many members it has. */
  members?: number;
  /** How many of them are owners that are not disabled, at most 50. */
  owners?: number;
  /** The roles of the member in `by`. */
  roles?: string[];
};

/** The body of `PATCH /applications/{appId}/organizations/{orgId}`. */
export type OrganizationRequest = {
  /** 1 to 64 characters. Nothing that looks like a web address, except a proved domain of its own. */
  name?: string;
  /** 2 to 48 of a–z, 0–9 and `-`. An organization can change it three times. */
  slug?: string;
  /** The strictest of application, groups, client and organization wins. */
  secondFactor?: "off" | "optional" | "required";
  /** 1 to 10,000; null: 10,000. */
  maxMembers?: number | null;
  /** A JSON merge patch (RFC 7396). The result may have at most 4,096 bytes and 8 levels. */
  publicMetadata?: Record<string, unknown>;
  /** A disabled organization is in no token. Either value also ends an owner's deletion: `true` keeps it disabled. */
  disabled?: boolean;
};

/** A page of an organization's members. */
export type OrganizationMembers = {
  /** Sorted by User ID. */
  members: OrganizationMember[];
  /** The cursor of the next page; null on the last page. */
  nextCursor: string | null;
};

/** The body of `PUT /applications/{appId}/organizations/{orgId}/members/{userId}`. */
export type MemberRequest = {
  /** 1 to 16 of `owner`, `admin`, `member` and the application's own roles. Replaces all others. */
  roles: string[];
  /** Whether the member may do without the organization's provider. Not for a member in `by`. */
  providerExempt?: boolean;
};

/** A member of an organization. */
export type OrganizationMember = {
  /** The User ID, `usr_…`. */
  id: string;
  /** The user's email address. */
  email: string | null;
  /** The display name. */
  name: string | null;
  /** Sorted. */
  roles: string[];
  /** How the user became a member. */
  joinedBy: "invitation" | "domain" | "provider" | "server" | "creator";
  /** When the user became a member. ISO 8601, UTC. */
  joinedAt: string;
  /** Whether the user is disabled, and the membership grants nothing. */
  disabled: boolean;
  /** The user waits for approval, and is disabled until then. Omitted otherwise. */
  pending?: true;
  /** The member may do without the organization's provider. Omitted otherwise. */
  providerExempt?: true;
};

/** A page of open invitations. */
export type OrganizationInvitations = {
  /** Sorted by ID. */
  invitations: OrganizationInvitation[];
  /** The cursor of the next page; null on the last page. */
  nextCursor: string | null;
};

/** The body of `POST /applications/{appId}/organizations/{orgId}/invitations`. */
export type InvitationsRequest = {
  /** 1 to 50. */
  invitations: ({
    /** The address. */
    email: string;
    /** The roles that the person will have. */
    roles: string[];
    /** A redirect URI of the application, where accepting ends. Default: its home. */
    redirectUri?: string | null;
    /** Whether the member may do without the organization's provider. Not for a member in `by`. */
    providerExempt?: boolean;
  })[];
};

/** The result for each address. */
export type InvitationResults = {
  /** In the order of the call. */
  results: ({
    /** The address, as given if it is not valid. */
    email: string;
    /** The invitation, if it was sent. */
    invitation: OrganizationInvitation | null;
    /** Why it was not sent. */
    error: {
      /** An error code. */
      code: string;
      /** A message for people. */
      message: string;
      /** What is wrong with it. */
      details: string;
    } | null;
  })[];
};

/** The domains of an organization. */
export type OrganizationDomains = {
  /** Sorted by name. */
  domains: OrganizationDomain[];
};

/** The body of `POST /applications/{appId}/organizations/{orgId}/domains`. */
export type DomainRequest = {
  /** A domain such as `acme.com`, without its subdomains. */
  domain: string;
  /** `off`: nobody. `ask`: people with a verified address of the domain may join. `on`: accounts made after the proof join by themselves, others may. Default of a new domain: `off`. */
  join?: "off" | "ask" | "on";
};

/** A domain that an organization claims. */
export type OrganizationDomain = {
  /** In ASCII: `xn--bcher-kva.example` for `bücher.example`. */
  domain: string;
  /** `waiting`: its record is there, and another organization holds it. `lapsed`: it was proved, and its record was missing on three days. */
  state: "pending" | "waiting" | "proved" | "lapsed";
  /** Who joins by it: nobody, people who are asked, or new accounts by themselves. */
  join: "off" | "ask" | "on";
  /** The TXT record that proves it; null if an operator vouches for it. */
  record: {
    /** Its name. */
    name: string;
    /** Its value. */
    value: string;
  } | null;
  /** When it was claimed. ISO 8601, UTC. */
  createdAt: string;
  /** When it was last proved. ISO 8601, UTC. */
  provedAt: string | null;
  /** When people can join by it, if it came from another organization. ISO 8601, UTC. */
  worksAt: string | null;
  /** When DNS was last asked. ISO 8601, UTC. */
  checkedAt: string | null;
  /** What DNS answered. */
  answer: {
    /** `unknown`: no definite answer, which changes nothing. */
    result: "found" | "missing" | "unknown";
    /** Why it is unknown, such as `ESERVFAIL` or `ETIMEOUT`. */
    reason: string | null;
    /** The values of TXT records found at this name, at most 10. */
    values: string[];
    /** Whether the record is at `….acme.com.acme.com`, because the DNS provider added the zone. */
    isDoubled: boolean;
  } | null;
  /** On how many days the record of a proved domain was missing. With the third it is lost. */
  misses: number;
  /** The set-up link that added it. It has no effect until an owner or your server confirms it; null: it is confirmed. */
  setupLinkId: string | null;
};

/** The body of `PATCH /applications/{appId}/organizations/{orgId}/domains/{domain}`. */
export type DomainChange = {
  /** `off`: nobody. `ask`: people with a verified address of the domain may join. `on`: accounts made after the proof join by themselves, others may. Default of a new domain: `off`. */
  join?: "off" | "ask" | "on";
  /** Confirms a domain that a set-up link added. */
  confirmed?: true;
};

/** The body of `POST /applications/{appId}/organizations/{orgId}/setup-links`. */
export type OrganizationSetupLinkRequest = {
  /** Who sets it up. An earlier link for this address ends. */
  email: string;
};

/** A link by which somebody who is no owner adds a domain and a provider. Never the link itself. */
export type OrganizationSetupLink = {
  /** Its ID. */
  id: string;
  /** Whom it was mailed to. */
  email: string;
  /** The owner who made it; null: your server or an operator. */
  makerId: string | null;
  /** When it was made. ISO 8601, UTC. */
  createdAt: string;
  /** When it ends. ISO 8601, UTC. */
  expiresAt: string;
};

/** The provider of an organization, and one that waits. Never a secret. */
export type OrganizationProviders = {
  /** The redirect URI to register with the provider. */
  callbackUrl: string;
  /** The one that works. */
  provider: {
    /** Its issuer, which is compared exactly. */
    issuer: string;
    /** The client at the provider. */
    clientId: string;
    /** People cannot choose their address there: a missing `email_verified` counts as true. */
    fixedAddresses: boolean;
    /** The claim that says that somebody used two factors, such as `amr=mfa`. */
    trustsSecondFactor: string | null;
    /** How long a sign-in by it lasts. */
    sessionSeconds: number;
    /** Since when members must sign in by it; null: they need not. ISO 8601, UTC. */
    requiredSince: string | null;
    /** The member who set it; null: your server, an operator, or a set-up link. */
    setterId: string | null;
    /** The set-up link by which it was added. */
    setupLinkId: string | null;
    /** When a sign-in or a test by it first succeeded. ISO 8601, UTC. */
    triedAt: string | null;
    /** Of one that waits: when it begins to work; null: it waits for a confirmation. ISO 8601, UTC. */
    worksAt: string | null;
    /** When it was set. ISO 8601, UTC. */
    createdAt: string;
    /** When it was last changed. ISO 8601, UTC. */
    updatedAt: string;
    /** Since when it fails; null: it does not. ISO 8601, UTC. */
    failingSince: string | null;
    /** Why it fails. */
    failure: string | null;
  } | null;
  /** One that waits to be tried and confirmed, or for its time. */
  waiting: {
    /** Its issuer, which is compared exactly. */
    issuer: string;
    /** The client at the provider. */
    clientId: string;
    /** People cannot choose their address there: a missing `email_verified` counts as true. */
    fixedAddresses: boolean;
    /** The claim that says that somebody used two factors, such as `amr=mfa`. */
    trustsSecondFactor: string | null;
    /** How long a sign-in by it lasts. */
    sessionSeconds: number;
    /** Since when members must sign in by it; null: they need not. ISO 8601, UTC. */
    requiredSince: string | null;
    /** The member who set it; null: your server, an operator, or a set-up link. */
    setterId: string | null;
    /** The set-up link by which it was added. */
    setupLinkId: string | null;
    /** When a sign-in or a test by it first succeeded. ISO 8601, UTC. */
    triedAt: string | null;
    /** Of one that waits: when it begins to work; null: it waits for a confirmation. ISO 8601, UTC. */
    worksAt: string | null;
    /** When it was set. ISO 8601, UTC. */
    createdAt: string;
    /** When it was last changed. ISO 8601, UTC. */
    updatedAt: string;
    /** Since when it fails; null: it does not. ISO 8601, UTC. */
    failingSince: string | null;
    /** Why it fails. */
    failure: string | null;
  } | null;
};

/** The body of `PUT /applications/{appId}/organizations/{orgId}/provider`. */
export type OrganizationProviderRequest = {
  /** Its issuer. One that serves many companies is refused, except Google. */
  issuer: string;
  /** The client at the provider. */
  clientId: string;
  /** The client's secret. Can be omitted while the issuer stays. */
  clientSecret?: string;
  /** True only if people cannot choose their address there: a missing `email_verified` counts as true. Default: `false`. */
  fixedAddresses?: boolean;
  /** A claim and its value, such as `amr=mfa`, by which it says that somebody used two factors. It counts for this organization only. */
  trustsSecondFactor?: string | null;
  /** How long a sign-in by it lasts: 300 to 604,800. Default: 43,200. */
  sessionSeconds?: number;
  /** Whether members must sign in by it. True only after somebody has signed in by it. */
  required?: boolean;
};

/** The provider was removed. */
export type OrganizationProviderRemoved = {
  /** How many people have no sign-in method of their own. */
  withoutMethod: number;
};

/** The result of a test. */
export type OrganizationProviderTest = {
  /** The issuer that was asked. */
  issuer: string;
  /** What is wrong with it; null: it answers as a sign-in needs. */
  problem: string | null;
};

/** The body of `POST /applications/{appId}/organizations/{orgId}/provider/confirm`. */
export type OrganizationProviderConfirmation = {
  /** The issuer that waits: it may have been changed. */
  issuer: string;
};

/** The kind of event. */
export type WebhookEventKind = "user.login" | "user.logout" | "user.created" | "user.pending" | "user.updated" | "user.deleted" | "user.terms" | "method.added" | "method.removed" | "login.failed" | "token.reuse" | "personal-token.created" | "personal-token.ended" | "organization.created" | "organization.updated" | "organization.deleted" | "organization.ownerless" | "organization.member.added" | "organization.member.updated" | "organization.member.removed" | "organization.domain.proved" | "organization.domain.lost" | "organization.provider.updated";

/** Always has the first six fields; those that do not apply are null. */
export type WebhookEventData = {
  /** `usr_…`; null if the user is unknown. */
  userId: string | null;
  /** The user's email address, as long as the user exists. */
  email: string | null;
  /** The sign-in method, if known. `emailCode`: a code mailed to the address. */
  authMethod: "passkey" | "oauth" | "password" | "emailCode" | null;
  /** The user's IP address, if known. */
  ipAddress: string | null;
  /** The user's browser (`User-Agent`), if known. */
  userAgent: string | null;
  /** The login, `lgn_…`: the `sid` of its access tokens. */
  sessionId: string | null;
  /** The organization, `org_…`: only of `organization.…` events. */
  organizationId?: string;
  /** The roles of the member, if it is about one. */
  roles?: string[] | null;
};

/** A public key. */
export type JsonWebKey = EcKey | OkpKey | RsaKey;

/** A way to sign in. */
export type AuthMethodType = "passkey" | "oauth" | "password";

/** What an access token may be used for. */
export type Scope = "profile" | "email" | "groups";

/** The organization that an access token names. */
export type ActiveOrganization = {
  /** The organization, `org_…`; `org_id` in the token. */
  id: string;
  /** Its slug. */
  slug: string;
  /** Its name. */
  name: string;
  /** The user's roles there. */
  roles: string[];
};

/** The user, limited to the scopes of the token. */
export type User = {
  /** `usr_…`; never reused. */
  id: string;
  /** The user's email address. Absent without the scope `email`. */
  email?: string | null;
  /** Whether the email address is verified. Absent without the scope `email`. */
  emailVerified?: boolean;
  /** The user's display name. */
  name: string | null;
  /** The URL of the user's picture. */
  picture: string | null;
  /** When the account was created. ISO 8601, UTC. */
  createdAt: string;
  /** When the user last signed in. ISO 8601, UTC. */
  lastLoginAt: string | null;
  authMethods: UsableMethods;
  /** The values of the application's own profile fields; omitted if there are none. */
  profile?: Record<string, string | number | boolean>;
};

/** A summary of the user. */
export type ShortUser = {
  /** `usr_…`; never reused. */
  id: string;
  /** The user's email address. Absent without the scope `email`. */
  email?: string | null;
  /** Whether the email address is verified. Absent without the scope `email`. */
  emailVerified?: boolean;
  /** The user's display name. */
  name: string | null;
};

/** What an access token may be used for. The last three occur only in tokens of OpenID Connect clients. */
export type TokenScope = "profile" | "email" | "groups" | "openid" | "offline_access" | "organization";

/** The user's sign-in methods. */
export type UsableMethods = {
  /** Whether the user has a passkey. */
  passkey: boolean;
  /** The providers that the user has connected. */
  oauth: string[];
  /** Whether the user has a password. */
  password: boolean;
};

/** A summary of the user's sign-ins. */
export type ProfileMetadata = {
  /** How often the user has signed in. */
  loginCount: number;
  /** The IP address of the last sign-in. */
  lastIpAddress: string | null;
  /** The browser of the last sign-in. */
  userAgent: string | null;
};

/** A sign-in method of the user. */
export type AuthMethod = PasskeyMethod | OAuthMethod | PasswordMethod;

/** The ways to sign in to the application. */
export type ApplicationMethods = {
  passkey: PasskeySwitch;
  oauth: OAuthSwitch;
  password: PasswordSwitch;
};

/** The branding of the hosted pages, and where they link back to. */
export type ApplicationBranding = {
  /** The URL of the logo on the hosted pages. */
  logo: string | null;
  /** `#rrggbb` */
  primaryColor: string | null;
  /** The name on the hosted pages. */
  companyName: string | null;
  /** Where the pages link back to, if set. */
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

/** A live personal access token, without its secret. */
export type PersonalToken = {
  /** `ptk_…`; `jti` in the answers of validate and introspection. */
  id: string;
  /** The name that the user gave it. */
  name: string;
  /** The scopes that the user chose. */
  scopes: string[];
  /** The resource that it is for; null for the application. */
  resource: string | null;
  /** The protected hosts that it opens. */
  hosts: string[];
  /** When it was made. ISO 8601, UTC. */
  createdAt: string;
  /** When it ends. ISO 8601, UTC. */
  expiresAt: string;
  /** When it was last used, accurate to five minutes. ISO 8601, UTC. */
  lastUsedAt: string | null;
};

/** An open invitation. Its link is only in the mail. */
export type OrganizationInvitation = {
  /** `inv_…`. */
  id: string;
  /** The invited address. */
  email: string;
  /** The roles that the person will have, sorted. */
  roles: string[];
  /** The member who invited; null: the application. */
  inviterId: string | null;
  /** When it was sent. ISO 8601, UTC. */
  createdAt: string;
  /** When it ends: 7 days later. ISO 8601, UTC. */
  expiresAt: string;
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
  /** The email address at the provider. Absent without the scope `email`. */
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
  /** Whether people can sign in with passkeys. */
  enabled: boolean;
  /** Whether every sign-in needs a passkey. */
  required: boolean;
};

/** Providers of the application. */
export type OAuthSwitch = {
  /** Whether people can sign in with providers. */
  enabled: boolean;
  /** The providers that are offered. */
  providers: string[];
};

/** Passwords of the application. */
export type PasswordSwitch = {
  /** Whether people can sign in with passwords. */
  enabled: boolean;
};
