import { z } from "zod";

/**
 * What the service answers, as the documentation has it. Strict: a test holds real answers against these, and a field that is answered but not
 * written down here fails it.
 */
const instant = () => z.iso.datetime();
const method = () => z.enum(["passkey", "oauth", "password"]);
const notInAllScopes = "Absent without the scope `email`.";

const userId = () => z.string().describe("Never given to another user.");
const email = () => z.string().nullable().optional().describe(notInAllScopes);
const emailVerified = () => z.boolean().optional().describe(notInAllScopes);

const done = z.strictObject({ success: z.literal(true), message: z.string() });

const session = z.strictObject({
  authUrl: z.url().describe("Where to send the user's browser."),
  sessionId: z
    .string()
    .describe("Comes back with the redirect, and goes into the callback call. Keep it secret until then."),
  expiresAt: instant(),
});

const shortUser = z.strictObject({
  id: userId(),
  email: email(),
  emailVerified: emailVerified(),
  name: z.string().nullable(),
});

const user = z.strictObject({
  id: userId(),
  email: email(),
  emailVerified: emailVerified(),
  name: z.string().nullable(),
  picture: z.url().nullable(),
  createdAt: instant(),
  lastLoginAt: instant().nullable(),
  authMethods: z.strictObject({
    passkey: z.boolean(),
    oauth: z.array(z.string()).describe("Names of providers."),
    password: z.boolean(),
  }),
});

const tokenPair = z.strictObject({
  accessToken: z
    .string()
    .describe("A JWT, for `Authorization: Bearer`. The key set at `/.well-known/jwks.json` verifies it."),
  refreshToken: z.string().describe("Good for one refresh. Opaque."),
  expiresIn: z.int().describe("Seconds until the access token ends."),
});

const profile = user.extend({
  metadata: z.strictObject({
    loginCount: z.int(),
    lastIpAddress: z.string().nullable(),
    userAgent: z.string().nullable(),
  }),
});

const authMethod = z.strictObject({
  type: method(),
  id: z.string().describe("The `methodId` for removing it."),
  name: z.string().optional().describe("The device of a passkey."),
  provider: z.string().optional().describe("With `oauth`."),
  email: z.string().nullable().optional().describe(`The address at the provider, with \`oauth\`. ${notInAllScopes}`),
  createdAt: instant(),
  lastUsed: instant().nullable(),
});

const switches = {
  passkey: z.strictObject({ enabled: z.boolean(), required: z.boolean() }),
  password: z.strictObject({ enabled: z.boolean() }),
};
const branding = z.strictObject({
  logo: z.url().nullable(),
  primaryColor: z.string().nullable().describe("`#rrggbb`"),
  companyName: z.string().nullable(),
});

const application = z.strictObject({
  id: z.string(),
  name: z.string(),
  domain: z.string().nullable(),
  redirectUris: z.array(z.string()),
  authMethods: z.strictObject({
    ...switches,
    oauth: z.strictObject({ enabled: z.boolean(), providers: z.array(z.string()) }),
  }),
  branding,
  stats: z.strictObject({
    totalUsers: z.int(),
    activeUsers: z.int().describe("Who signed in within 30 days."),
    totalLogins: z.int(),
  }),
});

const publicConfig = z.strictObject({
  id: z.string(),
  name: z.string(),
  domain: z.string().nullable(),
  branding,
  authMethods: z.strictObject({
    ...switches,
    oauth: z.strictObject({
      enabled: z.boolean(),
      providers: z.array(
        z.strictObject({
          name: z.string(),
          displayName: z.string(),
          authorizeUrl: z.url().describe("Complete but for `redirect_uri`."),
        }),
      ),
    }),
  }),
  passwordRules: z.strictObject({ minLength: z.int(), maxLength: z.int() }),
  issuer: z.url(),
  jwksUri: z.url(),
  scopes: z.array(z.string()),
});

const webhookEndpoint = z.strictObject({
  id: z.string(),
  appId: z.string(),
  url: z.url(),
  events: z.array(z.string()),
  enabled: z.boolean(),
  disabledReason: z.enum(["operator", "gone", "failing"]).nullable(),
  failingSince: instant().nullable(),
  oldSecretUntil: instant().nullable().describe("Until then deliveries are signed with the secret before as well."),
  createdAt: instant(),
  updatedAt: instant(),
});

const webhookTest = z.strictObject({
  delivered: z.boolean(),
  event: z.string(),
  eventId: z.string(),
  status: z.int().nullable().describe("The receiver's HTTP status."),
  durationMilliseconds: z.int(),
  error: z.string().nullable(),
});

const jsonWebKey = z.object({
  kty: z.string(),
  kid: z.string(),
  alg: z.enum(["ES256", "EdDSA", "RS256"]),
  use: z.literal("sig"),
});

const discovery = z.strictObject({
  issuer: z.url(),
  jwks_uri: z.url(),
  scopes_supported: z.array(z.string()),
  claims_supported: z.array(z.string()),
  code_challenge_methods_supported: z.array(z.string()),
  ui_locales_supported: z.array(z.string()),
});

const error = z.strictObject({
  error: z.strictObject({
    code: z.enum([
      "INVALID_APP_ID",
      "INVALID_API_KEY",
      "INVALID_TOKEN",
      "INSUFFICIENT_SCOPE",
      "USER_NOT_FOUND",
      "METHOD_NOT_FOUND",
      "INVALID_REQUEST",
      "RATE_LIMITED",
      "SERVER_ERROR",
    ]),
    message: z.string().describe("For people. Never holds what was sent."),
    details: z.string().describe("Of a refused value: the field and the rule. Else empty, or a hint."),
    requestId: z.string().describe("The same as `X-Request-Id`. The service's log has it, too."),
  }),
});

/** Every answer by its name in the document. */
export const answers = {
  Session: session,
  Tokens: tokenPair,
  TokensAndUser: tokenPair.extend({ user }),
  Validation: z.strictObject({
    valid: z.literal(true),
    user: shortUser,
    scopes: z.array(z.string()),
    expiresAt: instant(),
  }),
  Verification: z.union([
    z.strictObject({ valid: z.literal(true), user: shortUser }),
    z.strictObject({ valid: z.literal(false) }),
  ]),
  User: user,
  Profile: profile,
  UpdatedProfile: z.strictObject({
    id: userId(),
    email: email(),
    name: z.string().nullable(),
    picture: z.url().nullable(),
    updatedAt: instant(),
  }),
  AuthMethods: z.strictObject({ methods: z.array(authMethod) }),
  Application: application,
  PublicConfig: publicConfig,
  WebhookEndpoint: webhookEndpoint,
  WebhookEndpoints: z.strictObject({ endpoints: z.array(webhookEndpoint) }),
  WebhookTest: webhookTest,
  KeySet: z.strictObject({ keys: z.array(jsonWebKey) }),
  Discovery: discovery,
  PasskeyEndpoints: z.strictObject({ enroll: z.url(), manage: z.url() }),
  Health: z.strictObject({ status: z.enum(["ok", "ready", "unavailable"]) }),
  OpenApi: z.object({ openapi: z.literal("3.1.1") }),
  Done: done,
  Error: error,
} as const;

export type AnswerName = keyof typeof answers;
