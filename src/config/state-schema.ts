import * as z from "zod";

const secretForm = /^(?:env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/u;

function text(about: string) {
  return z.string("must be a text").describe(about);
}

function list(about: string) {
  return z.array(z.string("must be a text"), "must be a list of texts").describe(about);
}

function flag(about: string) {
  return z.boolean("must be true or false").describe(about);
}

/** Never the secret itself: the file is meant for version control. Becomes the secret when it is resolved. */
function secret(about: string) {
  return z
    .string("must be env:NAME or file:PATH")
    .regex(secretForm, "must be env:NAME or file:PATH: the secret itself does not belong in this file")
    .describe(`${about} As env:NAME or file:PATH.`);
}

const group = <Shape extends z.ZodRawShape>(shape: Shape) => z.strictObject(shape, "must be a group of keys");

function oneOf<const T extends readonly string[]>(values: T, about: string) {
  return z.enum(values, `must be one of ${values.join(", ")}`).describe(about);
}

const perMinute = z
  .int("must be a whole number")
  .nullable()
  .describe("Calls a minute; null: as the configuration says.");

const provider = group({
  name: text("google, github, microsoft, apple, discord, facebook, or a name of yours with an issuer."),
  clientId: text("The client id that the provider gave you."),
  clientSecret: secret("The client secret.").optional(),
  privateKey: secret("Apple: the .p8 key, instead of a client secret.").optional(),
  teamId: text("Apple: team id.").optional(),
  keyId: text("Apple: id of the private key.").optional(),
  issuer: text("An OpenID Connect issuer of your own.").optional(),
  authorizationUrl: text("Instead of the provider's own.").optional(),
  tokenUrl: text("Instead of the provider's own.").optional(),
  userinfoUrl: text("Instead of the provider's own.").optional(),
  jwksUrl: text("Instead of the provider's own.").optional(),
});

const webhook = group({
  id: text("An id of your choice."),
  url: text("Where events are sent to."),
  events: list("Which events."),
  enabled: flag("Whether events are sent.").optional(),
  secret: secret("What signs the events.").optional(),
});

const application = group({
  id: text("App ID of your choice."),
  name: text("The name that people see when they sign in.").optional(),
  domain: text("The domain whose passkeys the application shares.").nullable().optional(),
  redirectUris: list("Where people return to after signing in.").optional(),
  authMethods: group({
    passkey: group({
      enabled: flag("Whether people may sign in with passkeys.").optional(),
      required: flag("Whether nobody gets in without one.").optional(),
    }).optional(),
    password: group({ enabled: flag("Whether people may sign in with passwords.").optional() }).optional(),
    oauth: group({
      enabled: flag("Whether people may sign in with providers.").optional(),
      providers: list("Which of the providers are offered, in this order.").optional(),
    }).optional(),
  }).optional(),
  branding: group({
    logo: text("https address of a picture.").nullable().optional(),
    primaryColor: text("#rrggbb").nullable().optional(),
    companyName: text("Shown instead of the name.").nullable().optional(),
  }).optional(),
  signUp: oneOf(["open", "closed"], "Whether strangers may create accounts.").optional(),
  passwordMinLength: z.int("must be a whole number").describe("Characters that a password has at least.").optional(),
  scopes: z
    .array(oneOf(["profile", "email"], "A scope."), "must be a list")
    .describe("What sign-ins may ask for.")
    .optional(),
  signingAlgorithm: oneOf(["ES256", "EdDSA", "RS256"], "How access tokens are signed.").optional(),
  queryEndpoints: flag("Whether the query-style endpoints answer for this application.").optional(),
  relyingPartyId: text("Whose passkeys these are, where it is neither the domain nor the service's host.")
    .nullable()
    .optional(),
  rateLimits: group({
    authentication: perMinute.optional(),
    userManagement: perMinute.optional(),
    applicationManagement: perMinute.optional(),
    webhooks: perMinute.optional(),
  }).optional(),
  apiKeys: z
    .array(group({ value: secret("An API key of your choice.") }), "must be a list")
    .describe("API keys that must work. Others are left alone.")
    .optional(),
  providers: z.array(provider, "must be a list").describe("Accounts with providers.").optional(),
  webhooks: z.array(webhook, "must be a list").describe("Webhook endpoints.").optional(),
});

/** The file of `plan` and `apply`, before its secrets are read. What it leaves out stays as it is. */
export const stateSchema = group({
  version: z.literal(1, "must be 1").describe("The version of this form."),
  applications: z.array(application, "must be a list").optional(),
});

/** What applications are meant to be. Every secret is either missing or the secret itself. */
export type DesiredState = z.output<typeof stateSchema>;
export type DesiredApplication = z.output<typeof application>;
export type DesiredProvider = z.output<typeof provider>;
export type DesiredWebhook = z.output<typeof webhook>;

/** The form of the file for editors and other programs: https://json-schema.org */
export function stateJsonSchema(): object {
  return z.toJSONSchema(stateSchema, { io: "input" });
}
