import { z } from "zod";
import { hasOrganizations } from "../applications/application.ts";
import { acrValues } from "../factors/assurance.ts";
import { forEverybody, json } from "../http/answer.ts";
import { sourceOf } from "../http/request.ts";
import { isoTime, second } from "../lib/clock.ts";
import { part } from "../runtime/context.ts";
import * as logouts from "../sessions/logout.ts";
import { namedOrganization } from "../sign-in/organization-choice.ts";
import * as pairs from "../sessions/token-pairs.ts";
import { acrNow, type Bearer } from "../tokens/authentication.ts";
import * as claimSources from "../tokens/claim-sources.ts";
import * as signingKeys from "../tokens/signing-keys.ts";
import { keySetMaxAgeSeconds } from "../tokens/signing-keys.ts";
import { actor, done, shortUser } from "./answers.ts";
import { kid, refreshToken } from "./examples.ts";
import { flag, instant, profileValues, text } from "./fields.ts";
import type { AppOrPublicClient } from "./guards.ts";
import { named, operation, type Operation } from "./operation.ts";
import { keyFirst, tokens } from "./sign-in.ts";

const refreshBody = z.strictObject({
  refreshToken: z.string("required, a string"),
  organization: namedOrganization.nullable().optional(),
});
/** As in version 1.0, also what it answers to the field. */
const refreshWhileOff = refreshBody.omit({ organization: true });

export const refresh = operation({
  id: "refresh",
  tag: "Authentication",
  summary: "Exchange a refresh token for new tokens",
  description:
    "A refresh token works once. For a while after its use (`refreshGrace` of the application, 30 seconds by default), it returns the same successor again, so a client can retry after a lost response. Using it later ends the login.",
  body: {
    name: "RefreshRequest",
    schema: refreshBody,
    fields: {
      refreshToken: "The newest refresh token of the login.",
      organization:
        "The organization that the new access token names, by id or slug; `none`: none. Default: the one that the login named last.",
    },
    example: { refreshToken },
  },
  answer: { schema: tokens, about: "New tokens of the same login." },
  errors: [
    {
      code: "INVALID_TOKEN",
      when: "The refresh token is unknown, expired or used, or belongs to another application. Or the person may no longer use the organization that the login named last; the login then stays.",
    },
    {
      code: "INSUFFICIENT_SCOPE",
      when: "The person may not use the organization. `details` says what is missing, and the refresh token still works.",
    },
  ],
  badBody: keyFirst,
  schemaFor: ({ application }) => (hasOrganizations(application) ? refreshBody : refreshWhileOff),
  handle(ctx, request, caller: AppOrPublicClient, { refreshToken, organization }) {
    // Empty counts as omitted.
    const named = organization === "" ? undefined : (organization ?? undefined);
    return pairs.refresh(ctx, { refreshToken, organization: named, ...caller, source: sourceOf(request) });
  },
});

const tokenScope = named(
  "TokenScope",
  "What an access token may be used for. The last three occur only in tokens of OpenID Connect clients.",
  () => z.enum(["profile", "email", "groups", "openid", "offline_access", "organization"]),
);

const tokenClient = () =>
  text(
    "The client ID, if the token was issued to an OpenID Connect client. Reject the token unless this client may use your API.",
  ).optional();

/** When tokens expire, as text. A cached token's claims are the same object every time. */
const expiries = part(() => new WeakMap<Bearer["claims"], string>());

export const validate: Operation<Bearer> = {
  id: "validate",
  tag: "Authentication",
  summary: "Check whether an access token is valid",
  description: "A logout, and disabling or deleting the user, take effect at once.",
  answer: {
    schema: named(
      "Validation",
      "A valid token.",
      () =>
        z.strictObject({
          valid: flag("Always true: an invalid token gets status 401."),
          user: shortUser.schema,
          scopes: z.array(tokenScope.schema).describe("The scopes of the token."),
          expiresAt: instant("When the token expires."),
          acr: text(
            "Current assurance level, if the token's `acr` says two factors; lower if a factor was removed since.",
          ).optional(),
          claims: z
            .record(z.string(), z.unknown())
            .optional()
            .describe(
              "The current values of the application's own claims, if it has any, and `org_id` and `org_roles` if the token names an organization. The token may have older values.",
            ),
          profile: profileValues(
            "The current values of the profile fields that the application's claims are made of.",
          ).optional(),
          clientId: tokenClient(),
          act: actor().optional(),
          personalToken: z
            .record(z.string(), z.unknown())
            .optional()
            .describe(
              "Only if its user made it for a program of theirs, as a personal access token: the claims that an access token would have. `jti` and `sid` are its id, `ptk_…`.",
            ),
        }),
      {
        valid: true,
        user: shortUser.example,
        scopes: ["profile", "email"],
        expiresAt: "2026-11-20T10:15:00.000Z",
      },
    ),
    about: "The token is valid.",
  },
  /** `claims`: the application's own, with current values; `profile`: what they are made of. */
  respond(ctx, _request, bearer) {
    const { claims, scopes } = bearer;
    const expiresAt = expiries(ctx).get(claims) ?? isoTime(claims.exp * second);
    expiries(ctx).set(claims, expiresAt);
    const act = claims.act ? { act: claims.act } : {};
    // Only for a sign-in with a second factor, which may have been removed since.
    const acr = claims.acr === acrValues[1] ? { acr: acrNow(bearer) } : {};
    const answer = { valid: true, user: userOf(bearer), scopes, expiresAt, ...clientOf(bearer), ...act, ...acr };
    const [own, profile] = [claimSources.current(ctx, bearer), claimSources.currentProfile(ctx, bearer)];
    if (!(own instanceof Promise) && profile === undefined && !bearer.isPersonal)
      return json(own ? { ...answer, claims: own } : answer);
    return Promise.all([own, profile]).then(([claims, values]) =>
      json({
        ...answer,
        ...(claims && { claims }),
        ...(values && { profile: values }),
        ...(bearer.isPersonal && personalAnswer(bearer, claims)),
      }),
    );
  },
};

/** What the token of a program cannot say itself: the claims, with the application's own. */
function personalAnswer({ claims, scopes, user }: Bearer, own: Record<string, unknown> | undefined) {
  const { email, emailVerified: email_verified } = user;
  const personalToken = { ...own, ...claims, ...(scopes.includes("email") ? { email, email_verified } : {}) };
  return { acr: claims.acr, personalToken };
}

export const verifyToken = operation({
  id: "verifyToken",
  tag: "Query-style",
  summary: "Check whether an access token is valid",
  description: "Send the access token in the parameter `token` or in the Authorization header.",
  query: { app_id: { required: true, about: "App ID" } },
  answer: {
    schema: named(
      "Verification",
      "`user` is present only if the token is valid.",
      () =>
        z.strictObject({
          valid: flag("Whether the token is valid."),
          user: shortUser.schema.optional(),
          clientId: tokenClient(),
        }),
      { valid: true, user: shortUser.example },
    ),
    about: "Every invalid token gets the same response.",
  },
  // The answer for an invalid token is always the same bytes (RFC 7662 §2.2).
  handle: (_ctx, _request, bearer: Bearer | undefined) =>
    bearer ? { valid: true, user: userOf(bearer), ...clientOf(bearer) } : { valid: false },
});

/** The application's own tokens get the contract's fields and no more. */
function clientOf({ claims: { aud, client_id: clientId } }: Bearer): { clientId?: string } {
  return clientId === aud ? {} : { clientId };
}

/** A client's program gets the name only with the scope `profile`, as from userinfo. */
function userOf({ claims: { aud, client_id: clientId }, scopes, user }: Bearer) {
  const { id, email, emailVerified } = user;
  const name = clientId === aud || scopes.includes("profile") ? user.name : null;
  return scopes.includes("email") ? { id, email, emailVerified, name } : { id, name };
}

export const logout = operation({
  id: "logout",
  tag: "Authentication",
  summary: "End one login or all logins of the user",
  description:
    "By default, ends the login of the access token. With `allSessions`, ends every login of the user; with `refreshToken`, the login of that token. If that token is unknown, belongs to another user or its login has already ended, the login of the access token ends instead. Success always means that a login ended.",
  body: {
    name: "LogoutRequest",
    schema: z.strictObject({
      refreshToken: z.string("must be a string").optional(),
      allSessions: z.boolean("must be a boolean").optional(),
    }),
    optional: true,
    fields: {
      refreshToken: "Ends the login of this token; if omitted, the login of the access token.",
      allSessions: "Ends every login of the user.",
    },
    example: { allSessions: true },
  },
  answer: { schema: done, about: "The login has ended. Its tokens are rejected from the next call on." },
  async handle(ctx, request, bearer: Bearer, body) {
    await logouts.logOut(ctx, bearer, body, sourceOf(request));
    return { success: true, message: "Signed out." };
  },
});

const keyFields = () => ({
  kid: text("The RFC 7638 thumbprint; the `kid` of tokens that it verifies."),
  use: z.literal("sig").describe("For signatures."),
});
const coordinate = () => text("Public part of the key, base64url.");

const ecKey = named("EcKey", "A key for ES256.", () =>
  z.strictObject({
    kty: z.literal("EC").describe("The kind of key."),
    alg: z.literal("ES256").describe("The algorithm of its signatures."),
    crv: z.literal("P-256").describe("The curve."),
    x: coordinate(),
    y: coordinate(),
    ...keyFields(),
  }),
);
const okpKey = named("OkpKey", "A key for EdDSA.", () =>
  z.strictObject({
    kty: z.literal("OKP").describe("The kind of key."),
    alg: z.literal("EdDSA").describe("The algorithm of its signatures."),
    crv: z.literal("Ed25519").describe("The curve."),
    x: coordinate(),
    ...keyFields(),
  }),
);
const rsaKey = named("RsaKey", "A key for RS256.", () =>
  z.strictObject({
    kty: z.literal("RSA").describe("The kind of key."),
    alg: z.literal("RS256").describe("The algorithm of its signatures."),
    n: coordinate(),
    e: coordinate(),
    ...keyFields(),
  }),
);
const jsonWebKey = named("JsonWebKey", "A public key.", () =>
  z.discriminatedUnion("kty", [ecKey.schema, okpKey.schema, rsaKey.schema]),
);

export const getKeySet: Operation<unknown> = {
  id: "getKeySet",
  tag: "Service",
  summary: "Read the public keys that verify access tokens and ID tokens",
  description:
    "For servers that verify access tokens themselves. Unless they also read the revocation feed, they notice a sign-out only when the token expires.",
  answer: {
    schema: named(
      "KeySet",
      "A JSON Web Key Set, RFC 7517.",
      () => z.strictObject({ keys: z.array(jsonWebKey.schema).describe("The keys.") }),
      {
        keys: [
          {
            kty: "EC",
            x: "51fOdatjojJxi-ZFHWgwEstHsKIgfm6iWMgSqGODJYc",
            y: "0lHqdsuGjEAMPTEVLqgDsYI_9aqnfJceEtGUNGsOzA0",
            crv: "P-256",
            kid,
            alg: "ES256",
            use: "sig",
          },
        ],
      },
    ),
    about: "RFC 7517. May be cached: a key is published before it signs.",
    hasTag: true,
  },
  respond: async (ctx, request) => forEverybody(request, json(await signingKeys.keySet(ctx)), keySetMaxAgeSeconds),
};
