import { z } from "zod";
import { eventKinds } from "../../storage/column-types.ts";

export const instant = (about: string) => z.iso.datetime().describe(`${about} ISO 8601, UTC.`);
const method = z.enum(["passkey", "oauth", "password"]).describe("A way to sign in.");
export const scope = z.enum(["profile", "email", "groups"]).describe("What an access token may be used for.");
export const tokenScope = z
  .enum(["profile", "email", "groups", "openid", "offline_access"])
  .describe("What an access token may be used for. The last two occur only in tokens of OpenID Connect clients.");
export const eventKind = z.enum(eventKinds).describe("The kind of event.");
const notInAllScopes = "Absent without the scope `email`.";
export const text = (about: string) => z.string().describe(about);
export const number = (about: string) => z.int().nonnegative().describe(about);
export const flag = (about: string) => z.boolean().describe(about);
export const address = (about: string) => z.url().describe(about);

export const email = z.email().nullable().optional().describe(`The user's email address. ${notInAllScopes}`);
const emailVerified = flag(`Whether the email address is verified. ${notInAllScopes}`).optional();
export const userFields = {
  id: text("`usr_…`; never reused."),
  email,
  emailVerified,
  name: text("The user's display name.").nullable(),
};
export const shortUser = z.strictObject(userFields).describe("A summary of the user.");

const usableMethods = z
  .strictObject({
    passkey: flag("Whether the user has a passkey."),
    oauth: z.array(text("The name of a provider.")).describe("The providers that the user has connected."),
    password: flag("Whether the user has a password."),
  })
  .describe("The user's sign-in methods.");

export const user = z
  .strictObject({
    ...userFields,
    picture: address("The URL of the user's picture.").nullable(),
    createdAt: instant("When the account was created."),
    lastLoginAt: instant("When the user last signed in.").nullable(),
    authMethods: usableMethods,
  })
  .describe("The user, limited to the scopes of the token.");

const managedFields = {
  id: userFields.id,
  appId: text("The App ID of the user's application."),
  email: z.email().nullable().describe("The user's email address."),
  emailVerified: flag("Whether the email address is verified."),
  name: userFields.name,
  picture: address("The URL of the user's picture.").nullable(),
  createdAt: instant("When the account was created."),
  updatedAt: instant("When the account was last changed."),
  lastLoginAt: instant("When the user last signed in.").nullable(),
  disabledAt: instant("When the user was disabled.").nullable(),
  authMethods: usableMethods,
};
export const managedUser = z.strictObject(managedFields).describe("A user, as the application's server sees them.");

export const profileMetadata = z
  .strictObject({
    loginCount: number("How often the user has signed in."),
    lastIpAddress: text("The IP address of the last sign-in.").nullable(),
    userAgent: text("The browser of the last sign-in.").nullable(),
  })
  .describe("A summary of the user's sign-ins.");

export const tokenFields = {
  accessToken: text("A JWT, for `Authorization: Bearer`. The key set at `/.well-known/jwks.json` verifies it."),
  refreshToken: text("Opaque. Works once."),
  expiresIn: number("Seconds until the access token expires."),
};

const methodFields = {
  id: text("`mth_…`, the `methodId` for removing it."),
  createdAt: instant("When it was added."),
  lastUsed: instant("When the user last signed in with it; null until then.").nullable(),
};
const passkeyMethod = z
  .strictObject({
    type: z.literal("passkey").describe("The kind of method."),
    name: text("The device of the passkey.").optional(),
    ...methodFields,
  })
  .describe("A passkey.");
const oauthMethod = z
  .strictObject({
    type: z.literal("oauth").describe("The kind of method."),
    provider: text("The name of the provider."),
    email: z.email().nullable().optional().describe(`The email address at the provider. ${notInAllScopes}`),
    ...methodFields,
  })
  .describe("An account at a provider.");
const passwordMethod = z
  .strictObject({ type: z.literal("password").describe("The kind of method."), ...methodFields })
  .describe("A password.");
export const authMethod = z
  .discriminatedUnion("type", [passkeyMethod, oauthMethod, passwordMethod])
  .describe("A sign-in method of the user.");

const passkeySwitch = z
  .strictObject({
    enabled: flag("Whether users can sign in with it."),
    required: flag("Whether every sign-in needs a passkey."),
  })
  .describe("Passkeys of the application.");
const passwordSwitch = z
  .strictObject({ enabled: flag("Whether users can sign in with it.") })
  .describe("Passwords of the application.");
const oauthSwitch = z
  .strictObject({
    enabled: flag("Whether users can sign in with a provider."),
    providers: z.array(text("The name of a provider.")).describe("The providers that are offered."),
  })
  .describe("Providers of the application.");
export const applicationMethods = z
  .strictObject({ passkey: passkeySwitch, oauth: oauthSwitch, password: passwordSwitch })
  .describe("The ways to sign in to the application.");
export const branding = z
  .strictObject({
    logo: address("The URL of the logo on the hosted pages.").nullable(),
    primaryColor: text("`#rrggbb`").nullable(),
    companyName: text("The name on the hosted pages.").nullable(),
  })
  .describe("The branding of the hosted pages.");
export const applicationBranding = branding
  .extend({ homeUrl: address("Where the pages link back to, if set.").optional() })
  .describe("The branding of the hosted pages, and where they link back to.");
export const statistics = z
  .strictObject({
    totalUsers: number("Users of the application."),
    activeUsers: number("Users who signed in within 30 days."),
    totalLogins: number("Sign-ins so far."),
  })
  .describe("Counts of the application.");

export const applicationFields = {
  id: text("The App ID."),
  name: text("The name of the application."),
  domain: text("The domain of its passkeys, if it has its own.").nullable(),
};

const publicProvider = z
  .strictObject({
    name: text("The name in paths and requests."),
    displayName: text("The display name."),
    authorizeUrl: address("Complete except for `redirect_uri`."),
  })
  .describe("A provider that is offered.");
const publicProviders = z
  .strictObject({
    enabled: flag("Whether users can sign in with a provider."),
    providers: z.array(publicProvider).describe("The providers that are offered."),
  })
  .describe("Providers of the application, each with its URL.");
export const publicMethods = z
  .strictObject({ passkey: passkeySwitch, oauth: publicProviders, password: passwordSwitch })
  .describe("The ways to sign in, for sign-in buttons.");
export const passwordRules = z
  .strictObject({
    minLength: number("Minimum number of characters of a new password."),
    maxLength: number("Maximum number of characters of a password."),
  })
  .describe("The rules for a new password.");

export const webhookEndpoint = z
  .strictObject({
    id: text("`whe_…`"),
    appId: text("The App ID of its application."),
    url: address("Where deliveries are sent."),
    events: z.array(eventKind).describe("The events that it receives."),
    enabled: flag("Whether deliveries are sent."),
    disabledReason: z
      .enum(["operator", "gone", "failing"])
      .nullable()
      .describe(
        "Why it is disabled: by the operator, because it responded with 410, or because it failed for five days.",
      ),
    failingSince: instant("Since when every delivery has failed.").nullable(),
    oldSecretUntil: instant("Until then, deliveries are also signed with the previous secret.").nullable(),
    createdAt: instant("When it was registered."),
    updatedAt: instant("When it was last changed."),
  })
  .describe("A webhook endpoint.");

const keyFields = {
  kid: text("The RFC 7638 thumbprint; the `kid` of tokens that it verifies."),
  use: z.literal("sig").describe("For signatures."),
};
const coordinate = text("Public part of the key, base64url.");
const ecKey = z
  .strictObject({
    kty: z.literal("EC").describe("The kind of key."),
    alg: z.literal("ES256").describe("The algorithm of its signatures."),
    crv: z.literal("P-256").describe("The curve."),
    x: coordinate,
    y: coordinate,
    ...keyFields,
  })
  .describe("A key for ES256.");
const okpKey = z
  .strictObject({
    kty: z.literal("OKP").describe("The kind of key."),
    alg: z.literal("EdDSA").describe("The algorithm of its signatures."),
    crv: z.literal("Ed25519").describe("The curve."),
    x: coordinate,
    ...keyFields,
  })
  .describe("A key for EdDSA.");
const rsaKey = z
  .strictObject({
    kty: z.literal("RSA").describe("The kind of key."),
    alg: z.literal("RS256").describe("The algorithm of its signatures."),
    n: coordinate,
    e: coordinate,
    ...keyFields,
  })
  .describe("A key for RS256.");
export const jsonWebKey = z.discriminatedUnion("kty", [ecKey, okpKey, rsaKey]).describe("A public key.");

const eventData = z
  .strictObject({
    userId: text("`usr_…`; null if the user is unknown.").nullable(),
    email: z.email().nullable().describe("The user's email address, as long as the user exists."),
    authMethod: method.nullable().describe("The sign-in method, if known."),
    ipAddress: text("The IP address of the person, if known.").nullable(),
    userAgent: text("The user agent of the person, if known.").nullable(),
    sessionId: text("The login, `lgn_…`: the `sid` of its access tokens.").nullable(),
  })
  .describe("Always has all six fields; those that do not apply are null.");

/** Named components of answers, requests and webhook bodies. */
export const parts = {
  AuthMethodType: method,
  Scope: scope,
  TokenScope: tokenScope,
  WebhookEventKind: eventKind,
  WebhookEvent: z
    .strictObject({
      event: eventKind,
      timestamp: instant("When it happened."),
      data: eventData,
    })
    .describe("The body of a webhook."),
  WebhookEventData: eventData,
  ShortUser: shortUser,
  UsableMethods: usableMethods,
  ProfileMetadata: profileMetadata,
  AuthMethod: authMethod,
  PasskeyMethod: passkeyMethod,
  OAuthMethod: oauthMethod,
  PasswordMethod: passwordMethod,
  ApplicationMethods: applicationMethods,
  PasskeySwitch: passkeySwitch,
  OAuthSwitch: oauthSwitch,
  PasswordSwitch: passwordSwitch,
  Branding: branding,
  ApplicationBranding: applicationBranding,
  Statistics: statistics,
  PublicMethods: publicMethods,
  PublicProviders: publicProviders,
  PublicProvider: publicProvider,
  PasswordRules: passwordRules,
  JsonWebKey: jsonWebKey,
  EcKey: ecKey,
  OkpKey: okpKey,
  RsaKey: rsaKey,
} as const;

/** The claim `act` of RFC 8693 §4.1. */
export const actor = z
  .strictObject({ sub: text("The name that the operator gave.") })
  .describe("Who acts as the user with a token that an operator minted. Omitted if nobody acts as the user.");
