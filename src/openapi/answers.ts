import { z } from "zod";
import { groupAnswers, metadataPart } from "./group-answers.ts";
import { openIdAnswers } from "./openid-answers.ts";
import {
  actor,
  instant,
  scope,
  tokenScope,
  eventKind,
  text,
  number,
  flag,
  address,
  email,
  userFields,
  shortUser,
  user,
  managedUser,
  profileMetadata,
  tokenFields,
  authMethod,
  applicationMethods,
  applicationBranding,
  branding,
  statistics,
  applicationFields,
  publicMethods,
  passwordRules,
  webhookEndpoint,
  jsonWebKey,
  errorDetail,
} from "./parts.ts";

/**
 * The service's answers for the documentation. Strict: a test compares real answers with these and
 * fails for an undocumented field.
 */
const endpoints = z.array(webhookEndpoint).describe("Oldest first.");

const tokenClient = text(
  "Only for a token of an OpenID Connect client: the client's id. Refuse it unless this client may use your API.",
).optional();

/** Every answer, by its name in the document. */
export const answers = {
  Session: z
    .strictObject({
      authUrl: address("Where to send the user's browser."),
      sessionId: text("Comes back with the redirect, and goes into the callback call. Keep it secret until then."),
      expiresAt: instant("When the session ends, ten minutes after its start."),
    })
    .describe("A sign-in session."),
  Tokens: z.strictObject(tokenFields).describe("The tokens of a login."),
  TokensAndUser: z.strictObject({ ...tokenFields, user }).describe("The tokens of a new login, and its user."),
  Validation: z
    .strictObject({
      valid: flag("True: a token that is not good is answered with 401."),
      user: shortUser,
      scopes: z.array(tokenScope).describe("The scopes of the token."),
      expiresAt: instant("When the token ends."),
      claims: z
        .record(z.string(), z.unknown())
        .optional()
        .describe("The application's own claims as they are now, if it has any. The token may have older ones."),
      clientId: tokenClient,
      act: actor.optional(),
    })
    .describe("A token that is good."),
  Revocations: z
    .strictObject({
      cursor: text("Send it as `after` in the next call. It is valid for 24 hours."),
      revoked: z
        .array(
          z.union([
            z.strictObject({ sid: text("The login (`sid` of its tokens) that has ended.") }),
            z.strictObject({
              sub: text("The user (`sub`)."),
              before: instant("Logins of the user that began before may have ended: validate each of them once."),
            }),
            z.strictObject({ kid: text("The signing key (`kid`) that was withdrawn.") }),
            z.strictObject({ app: text("The application, which is being deleted: validate every token.") }),
          ]),
        )
        .describe("Oldest first. Kinds may be added: validate every token after one that you do not know."),
      more: flag("Whether there may be more entries: call again at once."),
    })
    .describe("Entries of the revocation feed: tokens that became invalid before they expired."),
  Verification: z
    .strictObject({ valid: flag("Whether the token is good."), user: shortUser.optional(), clientId: tokenClient })
    .describe("With `user` when the token is good, and without when it is not."),
  User: user,
  Profile: user
    .extend({
      metadata: profileMetadata,
      publicMetadata: metadataPart("What the application stores about the user, who may read it.").optional(),
    })
    .describe("The user, with a summary of the sign-ins."),
  ...groupAnswers,
  UpdatedProfile: z
    .strictObject({
      id: userFields.id,
      email,
      name: userFields.name,
      picture: address("The user's picture.").nullable(),
      updatedAt: instant("When the profile was changed."),
    })
    .describe("The profile after a change."),
  ManagedUser: managedUser,
  ManagedUserDetails: managedUser
    .extend({
      metadata: profileMetadata,
      publicMetadata: metadataPart("What the user may read; omitted if it is empty.").optional(),
      privateMetadata: metadataPart("What the user does not read; omitted if it is empty.").optional(),
    })
    .describe("A user, with a summary of the sign-ins, and what the application stores about them."),
  UserPage: z
    .strictObject({
      users: z.array(managedUser).describe("In the requested order."),
      nextCursor: text("Leads to the next page; null on the last.").nullable(),
    })
    .describe("A page of users."),
  EndedLogins: z.strictObject({ ended: number("How many logins this ended.") }).describe("Ended logins."),
  AuthMethods: z
    .strictObject({ methods: z.array(authMethod).describe("Oldest first.") })
    .describe("What the user can sign in with."),
  Application: z
    .strictObject({
      ...applicationFields,
      redirectUris: z.array(text("A redirect URI.")).describe("Where people are sent back to."),
      authMethods: applicationMethods,
      branding: applicationBranding,
      stats: statistics,
    })
    .describe("An application."),
  PublicConfig: z
    .strictObject({
      ...applicationFields,
      branding,
      authMethods: publicMethods,
      passwordRules,
      issuer: address("The `iss` of access tokens."),
      jwksUri: address("The key set that verifies access tokens."),
      scopes: z.array(scope).describe("The scopes of the application."),
    })
    .describe("What anybody may know of an application."),
  WebhookEndpoint: webhookEndpoint,
  WebhookEndpoints: z.strictObject({ endpoints }).describe("The endpoints of an application."),
  WebhookTestResult: z
    .strictObject({
      delivered: flag("Whether the receiver answered with 2xx."),
      event: eventKind,
      eventId: text("The `webhook-id` of the sample, `evt_test_…`."),
      status: number("The receiver's HTTP status.").nullable(),
      durationMilliseconds: number("How long the receiver took."),
      error: text("Why it was not delivered.").nullable(),
    })
    .describe("The result of a sample delivery."),
  KeySet: z.strictObject({ keys: z.array(jsonWebKey).describe("The keys.") }).describe("A JSON Web Key Set, RFC 7517."),
  ...openIdAnswers,
  PasskeyEndpoints: z
    .strictObject({ enroll: address("Where a passkey is added."), manage: address("Where passkeys are looked after.") })
    .describe("For password managers."),
  Health: z
    .strictObject({
      status: z.enum(["ok", "ready", "degraded", "unavailable"]).describe("The state."),
      reason: text("With `degraded`: why the database cannot be written.").optional(),
    })
    .describe("The state of the service."),
  OpenApi: z.object({ openapi: text("The version of OpenAPI.") }).describe("An OpenAPI document."),
  Done: z
    .strictObject({ success: flag("Always true: a failure is answered with an error."), message: text("For people.") })
    .describe("The call succeeded."),
  Error: z.strictObject({ error: errorDetail }).describe("Every error has this shape."),
} as const;

export type AnswerName = keyof typeof answers;
