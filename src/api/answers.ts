import { z } from "zod";
import { flag, instant, number, profileValues, text } from "./fields.ts";
import type { Act } from "../tokens/access-tokens.ts";
import { named, type Named } from "./operation.ts";
import { answerExample, answerFields } from "./profile-facts.ts";

/** The time in examples. */
export const at = "2026-11-20T10:00:00.000Z";

export const done = named(
  "Done",
  "The call succeeded.",
  () =>
    z.strictObject({
      success: flag("Always true: a failure returns an error."),
      message: text("A message for people."),
    }),
  { success: true, message: "Signed out." },
);

export const methodType = named("AuthMethodType", "A way to sign in.", () => z.enum(["passkey", "oauth", "password"]));

export const scope = named("Scope", "What an access token may be used for.", () =>
  z.enum(["profile", "email", "groups"]),
);

const notInAllScopes = "Absent without the scope `email`.";

export const userFields = () => ({
  id: text("`usr_…`; never reused."),
  email: z.email().nullable().optional().describe(`The user's email address. ${notInAllScopes}`),
  emailVerified: flag(`Whether the email address is verified. ${notInAllScopes}`).optional(),
  ...answerFields("validate"),
});

export const shortUser = named("ShortUser", "A summary of the user.", () => z.strictObject(userFields()), {
  id: "usr_01m839jdta2je02g4aajdct527",
  email: "ada@example.com",
  emailVerified: true,
  ...answerExample("validate"),
});

export const usableMethods = named("UsableMethods", "The user's sign-in methods.", () =>
  z.strictObject({
    passkey: flag("Whether the user has a passkey."),
    oauth: z.array(text("The name of a provider.")).describe("The providers that the user has connected."),
    password: flag("Whether the user has a password."),
  }),
);

/** In answers about a user. */
export const ownFields = "The values of the application's own profile fields; omitted if there are none.";

export const user = named(
  "User",
  "The user, limited to the scopes of the token.",
  () =>
    z.strictObject({
      ...userFields(),
      ...answerFields("callback"),
      createdAt: instant("When the account was created."),
      lastLoginAt: instant("When the user last signed in.").nullable(),
      authMethods: usableMethods.schema,
      profile: profileValues(ownFields).optional(),
    }),
  {
    ...shortUser.example,
    ...answerExample("callback"),
    createdAt: "2026-10-01T08:30:00.000Z",
    lastLoginAt: at,
    authMethods: { passkey: true, oauth: ["github"], password: false },
  },
);

export const profileMetadata = named(
  "ProfileMetadata",
  "A summary of the user's sign-ins.",
  () =>
    z.strictObject({
      loginCount: number("How often the user has signed in."),
      lastIpAddress: text("The IP address of the last sign-in.").nullable(),
      userAgent: text("The browser of the last sign-in.").nullable(),
    }),
  { loginCount: 12, lastIpAddress: "192.0.2.7", userAgent: "Mozilla/5.0" },
);

const methodFields = () => ({
  id: text("`mth_…`, the `methodId` for removing it."),
  createdAt: instant("When it was added."),
  lastUsed: instant("When the user last signed in with it; null until then.").nullable(),
});

const passkeyMethod = named("PasskeyMethod", "A passkey.", () =>
  z.strictObject({
    type: z.literal("passkey").describe("The kind of method."),
    name: text("The device of the passkey.").optional(),
    ...methodFields(),
  }),
);
const oauthMethod = named("OAuthMethod", "An account at a provider.", () =>
  z.strictObject({
    type: z.literal("oauth").describe("The kind of method."),
    provider: text("The name of the provider."),
    email: z.email().nullable().optional().describe(`The email address at the provider. ${notInAllScopes}`),
    ...methodFields(),
  }),
);
const passwordMethod = named("PasswordMethod", "A password.", () =>
  z.strictObject({ type: z.literal("password").describe("The kind of method."), ...methodFields() }),
);
const authMethod = named("AuthMethod", "A sign-in method of the user.", () =>
  z.discriminatedUnion("type", [passkeyMethod.schema, oauthMethod.schema, passwordMethod.schema]),
);

export const authMethods = named(
  "AuthMethods",
  "The user's sign-in methods.",
  () => z.strictObject({ methods: z.array(authMethod.schema).describe("Oldest first.") }),
  {
    methods: [
      { type: "passkey", id: "mth_01m839jdtaq0r4v6x8z2b4d6f8", name: "MacBook", createdAt: at, lastUsed: at },
      {
        type: "oauth",
        id: "mth_01m839jdtb7n9p1r3t5v7x9z1b",
        provider: "github",
        email: "ada@example.com",
        createdAt: at,
        lastUsed: null,
      },
    ],
  },
);

/** The claim `act` of RFC 8693 §4.1. */
export const actor = () =>
  z
    .strictObject({ sub: text("The name that the operator gave.") })
    .describe("Who acts as the user with a token that an operator minted. Omitted if nobody acts as the user.");

/** The same in tokens for a resource, where one client acts after another. */
export const actingClient: Named<z.ZodType<Act>> = named(
  "Actor",
  "Who acts as the user (RFC 8693 §4.1): a client that exchanged a token, or somebody whom an operator named.",
  () =>
    z.strictObject({
      sub: text("The client ID, or the name that the operator gave."),
      act: z
        .lazy(() => actingClient.schema)
        .optional()
        .describe("Who acted before, with the token that was exchanged."),
    }),
  { sub: "cli_agent", act: { sub: "cli_orders" } },
);

/** The claim `cnf` of RFC 9449 §6.1. */
export const confirmation = () =>
  z
    .strictObject({ jkt: text("The thumbprint of the key (RFC 7638).") })
    .describe("The key that the token is bound to. Check the proof of each call for your own URL.");

export const userWasDeleted = { code: "USER_NOT_FOUND", when: "The user was just deleted." } as const;

export const lacksFreshFactor = {
  code: "INSUFFICIENT_SCOPE",
  when: "The user has a second factor, and the sign-in did not use it, or not in the last ten minutes. `details` names `acr` and `max_age`, and `WWW-Authenticate` is the challenge of RFC 9470.",
} as const;
