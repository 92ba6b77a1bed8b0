import { z } from "zod";
import { metadataPart } from "../fields.ts";
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
} from "./parts.ts";

/**
 * The service's answers for the documentation. Strict: a test compares real answers with these and
 * fails for an undocumented field.
 */
const endpoints = z.array(webhookEndpoint).describe("Oldest first.");

const tokenClient = text(
  "The client ID, if the token was issued to an OpenID Connect client. Reject the token unless this client may use your API.",
).optional();

/** Every answer, by its name in the document. */
export const answers = {
  Session: z
    .strictObject({
      authUrl: address("Where to send the user's browser."),
      sessionId: text("Returned in the redirect, and required by the callback call. Keep it secret until then."),
      expiresAt: instant("When the session expires, ten minutes after its start."),
    })
    .describe("A sign-in session."),
  Tokens: z.strictObject(tokenFields).describe("The tokens of a login."),
  TokensAndUser: z.strictObject({ ...tokenFields, user }).describe("The tokens of a new login, and its user."),
  Validation: z
    .strictObject({
      valid: flag("Always true: an invalid token gets status 401."),
      user: shortUser,
      scopes: z.array(tokenScope).describe("The scopes of the token."),
      expiresAt: instant("When the token expires."),
      claims: z
        .record(z.string(), z.unknown())
        .optional()
        .describe(
          "The current values of the application's own claims, if it has any. The token may have older values.",
        ),
      clientId: tokenClient,
      act: actor.optional(),
    })
    .describe("A valid token."),
  Revocations: z
    .strictObject({
      cursor: text("Send it as `after` in the next call. It is valid for 24 hours."),
      revoked: z
        .array(
          z.union([
            z.strictObject({ sid: text("The login (`sid` of its tokens) that has ended.") }),
            z.strictObject({
              sub: text("The user (`sub`)."),
              before: instant(
                "Logins of the user that began before this time may have ended. Validate each of them once.",
              ),
            }),
            z.strictObject({ kid: text("The signing key (`kid`) that was revoked.") }),
            z.strictObject({ app: text("The App ID. The application is being deleted: validate every token.") }),
          ]),
        )
        .describe("Oldest first. New kinds may be added: after an unknown kind, validate every token."),
      more: flag("Whether there may be more entries. If so, call again at once."),
    })
    .describe("Entries of the revocation feed: tokens that became invalid before they expired."),
  Verification: z
    .strictObject({ valid: flag("Whether the token is valid."), user: shortUser.optional(), clientId: tokenClient })
    .describe("`user` is present only if the token is valid."),
  User: user,
  Profile: user
    .extend({
      metadata: profileMetadata,
      publicMetadata: metadataPart("What the application stores about the user; the user may read it.").optional(),
    })
    .describe("The user, with a summary of the sign-ins."),
  UpdatedProfile: z
    .strictObject({
      id: userFields.id,
      email,
      name: userFields.name,
      picture: address("The user's picture.").nullable(),
      updatedAt: instant("When the profile was last changed."),
    })
    .describe("The profile after a change."),
  ManagedUser: managedUser,
  ManagedUserDetails: managedUser
    .extend({
      metadata: profileMetadata,
      publicMetadata: metadataPart("The part that the user may read; omitted if empty.").optional(),
      privateMetadata: metadataPart("The part that the user cannot read; omitted if empty.").optional(),
    })
    .describe("A user, with a summary of the sign-ins, and what the application stores about them."),
  UserPage: z
    .strictObject({
      users: z.array(managedUser).describe("In the requested order."),
      nextCursor: text("The cursor of the next page; null on the last page.").nullable(),
    })
    .describe("A page of users."),
  EndedLogins: z.strictObject({ ended: number("How many logins this ended.") }).describe("Ended logins."),
  AuthMethods: z
    .strictObject({ methods: z.array(authMethod).describe("Oldest first.") })
    .describe("The user's sign-in methods."),
  Application: z
    .strictObject({
      ...applicationFields,
      redirectUris: z.array(text("A redirect URI.")).describe("Where users return to after signing in."),
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
    .describe("The public settings of an application."),
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
    .strictObject({
      enroll: address("The page for adding a passkey."),
      manage: address("The page for managing passkeys."),
    })
    .describe("For password managers."),
  Health: z
    .strictObject({
      status: z.enum(["ok", "ready", "degraded", "unavailable"]).describe("The state."),
      reason: text("With `degraded`: why the database is not writable.").optional(),
    })
    .describe("The state of the service."),
  OpenApi: z.object({ openapi: text("The version of OpenAPI.") }).describe("An OpenAPI document."),
} as const;

export type AnswerName = keyof typeof answers;
