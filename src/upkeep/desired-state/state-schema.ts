import * as z from "zod";

const secretForm = /^(?:env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/u;

function text(about: string) {
  return z.string("must be a string").describe(about);
}

function list(about: string) {
  return z.array(z.string("must be a string"), "must be a list of strings").describe(about);
}

function flag(about: string) {
  return z.boolean("must be true or false").describe(about);
}

/**
 * A reference, never the secret itself: the file is meant for version control. Reading the file
 * replaces it by the secret.
 */
function secret(about: string) {
  return z
    .string("must be env:NAME or file:PATH")
    .regex(secretForm, "must be env:NAME or file:PATH, not the secret itself")
    .describe(`${about} As env:NAME or file:PATH.`);
}

const group = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape, "must be a group of keys");

function oneOf<const T extends readonly string[]>(values: T, about: string) {
  return z.enum(values, `must be one of ${values.join(", ")}`).describe(about);
}

const secondFactor = oneOf(["off", "optional", "required"], "Whether users may or must set up a second factor.");

const perMinute = z.int("must be a whole number").nullable().describe("Calls per minute; null: the configured limit.");

const provider = group({
  name: text("google, github, microsoft, apple, discord, facebook, or a name you choose, with an issuer."),
  clientId: text("The client ID from the provider."),
  clientSecret: secret("The client secret.").optional(),
  privateKey: secret("Apple: the .p8 key, instead of a client secret.").optional(),
  teamId: text("Apple: team ID.").optional(),
  keyId: text("Apple: ID of the private key.").optional(),
  issuer: text("The issuer of your own OpenID Connect provider.").optional(),
  authorizationUrl: text("Overrides the provider's URL.").optional(),
  tokenUrl: text("Overrides the provider's URL.").optional(),
  userinfoUrl: text("Overrides the provider's URL.").optional(),
  jwksUrl: text("Overrides the provider's URL.").optional(),
  trustsEmail: flag("Only with issuer: whether to trust its verified addresses.").optional(),
  trustsSecondFactor: text(
    "Only with issuer: the claim that says it asked for two factors, such as amr=mfa.",
  ).optional(),
  emailClaim: text("The claim that has the address, such as preferred_username, if it is not email.").optional(),
});

const webhook = group({
  id: text("The Webhook ID to use."),
  url: text("The URL that receives events."),
  events: list("The event types to send."),
  enabled: flag("Whether events are sent.").optional(),
  secret: secret("The signing secret.").optional(),
});

/** The claims that an application adds to its tokens. The service checks the rest. */
const claim = group({
  claim: text("The name of the claim."),
  from: text("groups, public.KEY, private.KEY or value."),
  value: z.unknown().describe("With from: value, the claim's value.").optional(),
  in: z.array(oneOf(["access", "id", "userinfo"], "A place."), "must be a list").describe("Where it appears."),
});
export const claimList = z
  .array(claim, "must be a list")
  .describe("Claims that tokens get, made of groups and metadata.");

const client = group({
  id: text("The client ID to use."),
  name: text("The name of the program.").optional(),
  kind: oneOf(["web", "spa", "native", "machine", "device"], "Where it runs. It cannot be changed.").optional(),
  resources: list("Identifiers of resources that it may ask tokens for.").optional(),
  resourceScopes: list("The scopes of its resources that it may request; null: all.").nullable().optional(),
  exchangeTo: list("Identifiers of resources that it may exchange tokens for.").optional(),
  audienceOf: list("Identifiers of resources whose API it is: it may exchange the tokens that it receives.").optional(),
  redirectUris: list("Where people return to after signing in.").optional(),
  postLogoutRedirectUris: list("Where people may return to after signing out.").optional(),
  backchannelLogoutUri: text("https URL that receives a logout token when a login ends.").nullable().optional(),
  scopes: list("The scopes that it may request.").optional(),
  consent: oneOf(["none", "ask"], "Whether people are asked for their consent.").optional(),
  requirePkce: flag("Whether every sign-in requires PKCE.").optional(),
  idTokenAlg: oneOf(["RS256", "ES256", "EdDSA"], "The algorithm that signs ID tokens.").optional(),
  idTokenClaims: oneOf(["granted", "minimal"], "Which claims ID tokens have.").optional(),
  refreshTokens: oneOf(["offline_access", "always"], "When it gets refresh tokens.").optional(),
  allowedGroups: list("Only members of these groups may sign in; null: everybody.").nullable().optional(),
  secondFactor: secondFactor.describe("Whether people need a second factor to sign in with it.").optional(),
  deviceGrant: flag("Whether it may sign people in on devices without a browser.").optional(),
  jwks: z
    .looseObject({ keys: z.array(z.looseObject({}), "must be a list") }, "must be a JSON Web Key Set")
    .describe("Public keys for private_key_jwt.")
    .nullable()
    .optional(),
  trusts: z
    .array(
      group({
        issuer: text("The issuer (iss) of the tokens."),
        subject: text("Their subject (sub), compared exactly."),
        audience: text("Their audience (aud); null: the issuer of this service.").nullable().optional(),
      }),
      "must be a list",
    )
    .describe("Tokens of other issuers that authenticate it. Replaces the list.")
    .optional(),
  assertionAudience: oneOf(["issuer", "any"], "What client assertions must name as audience.").optional(),
  dpop: oneOf(
    ["off", "optional", "required"],
    "Whether its DPoP proofs are ignored, taken or demanded; null: taken, unannounced.",
  )
    .nullable()
    .optional(),
  dpopNonce: flag("Whether its proofs need a nonce of the service.").optional(),
  profile: oneOf(["fapi2"], "A security profile; it sets what it demands. null: none.").nullable().optional(),
  enabled: flag("Whether people can sign in with it.").optional(),
  secrets: z
    .array(group({ value: secret("The client secret to use.") }), "must be a list")
    .describe("Secrets that must exist. Others are left unchanged.")
    .optional(),
});

const resource = group({
  identifier: text("The https URI that its tokens have as aud. It cannot be changed."),
  name: text("The name that people see.").optional(),
  scopes: z
    .array(group({ name: text("The scope."), sentence: text("What it allows, for people.") }), "must be a list")
    .describe("Its scopes.")
    .optional(),
  accessTokenSeconds: z.int("must be a whole number").describe("How long its tokens are valid.").optional(),
  clientDocuments: flag("Whether clients that nobody registered may ask for it.").optional(),
});

const application = group({
  id: text("The App ID to use."),
  name: text("The name shown to users when they sign in.").optional(),
  domain: text("The domain whose passkeys the application shares.").nullable().optional(),
  redirectUris: list("Where people return to after signing in.").optional(),
  authMethods: group({
    passkey: group({
      enabled: flag("Whether users may sign in with passkeys.").optional(),
      required: flag("Whether every sign-in requires one.").optional(),
    }).optional(),
    password: group({ enabled: flag("Whether users may sign in with passwords.").optional() }).optional(),
    oauth: group({
      enabled: flag("Whether users may sign in with providers.").optional(),
      providers: list("The providers to offer, in this order.").optional(),
    }).optional(),
  }).optional(),
  branding: group({
    logo: text("https URL of an image.").nullable().optional(),
    primaryColor: text("#rrggbb").nullable().optional(),
    companyName: text("Shown instead of the name.").nullable().optional(),
    termsUrl: text("https URL of the terms of use, linked on the pages.").nullable().optional(),
    privacyUrl: text("https URL of the privacy policy, linked on the pages.").nullable().optional(),
    supportUrl: text("https URL of your support, linked on the pages and in mails.").nullable().optional(),
    homeUrl: text("Where the pages link back to; null: the origin of a redirect URI.").nullable().optional(),
  }).optional(),
  signUp: oneOf(["open", "closed"], "Whether anybody may create an account.").optional(),
  emailCode: flag("Whether people may sign in with a code mailed to their address. Needs a mail server.").optional(),
  passwordMinLength: z.int("must be a whole number").describe("Minimum length of a password.").optional(),
  scopes: z
    .array(oneOf(["profile", "email", "groups"], "A scope."), "must be a list")
    .describe("The scopes that sign-ins may request.")
    .optional(),
  signingAlgorithm: oneOf(["ES256", "EdDSA", "RS256"], "The algorithm that signs access tokens.").optional(),
  groups: z
    .array(
      z.union(
        [z.string(), group({ name: text("The name."), secondFactor: secondFactor.optional() })],
        "must be a name, or a group of name and secondFactor",
      ),
      "must be a list",
    )
    .describe("The groups of users that must exist. With --prune, others are deleted.")
    .optional(),
  claims: claimList.optional(),
  singleSignOn: z
    .string("must be a duration, such as 12h, or off")
    .regex(/^(?:off|\d{1,9}[smh])$/u, "must be a duration, such as 12h, or off")
    .describe("How long one sign-in also counts for the other OpenID Connect clients: at most 12h, or off.")
    .optional(),
  refreshGrace: z
    .string("must be 10s to 2m")
    .regex(/^\d{1,9}[smh]$/u, "must be 10s to 2m")
    .describe("For how long the last refresh token gets the same successor again: 10s to 2m.")
    .optional(),
  secondFactor: secondFactor.optional(),
  trustBrowsers: z
    .string("must be 1d to 90d, or off")
    .regex(/^(?:off|\d{1,9}d)$/u, "must be 1d to 90d, or off")
    .describe("For how long people may say that a browser is not asked for the second factor: 1d to 90d, or off.")
    .optional(),
  clientDocuments: z
    .union([z.enum(["off", "any"]), z.array(z.string())], "must be off, any or a list of hosts")
    .describe("Clients that nobody registered, by the hosts of their documents: off, any, or a list.")
    .optional(),
  queryEndpoints: flag("Whether the query-style endpoints are enabled for this application.").optional(),
  publicClients: flag("Whether pages and mobile apps may start sign-ins without an API key, with PKCE.").optional(),
  relyingPartyId: text("The domain of the passkeys, if it is neither the domain nor the service's host.")
    .nullable()
    .optional(),
  mailName: text("The application's name in mails; null: the company name, or the application name.")
    .nullable()
    .optional(),
  rateLimits: group({
    authentication: perMinute.optional(),
    userManagement: perMinute.optional(),
    applicationManagement: perMinute.optional(),
    webhooks: perMinute.optional(),
  }).optional(),
  apiKeys: z
    .array(group({ value: secret("The API key to use.") }), "must be a list")
    .describe("API keys that must exist. Others are left unchanged.")
    .optional(),
  providers: z.array(provider, "must be a list").describe("Configured providers.").optional(),
  webhooks: z.array(webhook, "must be a list").describe("Webhook endpoints.").optional(),
  resources: z.array(resource, "must be a list").describe("APIs that tokens are for.").optional(),
  clients: z.array(client, "must be a list").describe("OpenID Connect clients.").optional(),
});

/** The file for `plan` and `apply`, before its secrets are read. Omitted values stay unchanged. */
export const stateSchema = group({
  version: z.literal(1, "must be 1").describe("The format version."),
  applications: z.array(application, "must be a list").optional(),
});

/** The desired state of the applications. Every secret is either missing or resolved. */
export type DesiredState = z.output<typeof stateSchema>;
export type DesiredApplication = z.output<typeof application>;
export type DesiredProvider = z.output<typeof provider>;
export type DesiredWebhook = z.output<typeof webhook>;
export type DesiredResource = z.output<typeof resource>;
export type DesiredClient = z.output<typeof client>;

/** The JSON Schema of the file, for editors and other programs: https://json-schema.org */
export function stateJsonSchema(): object {
  return z.toJSONSchema(stateSchema, { io: "input" });
}
