import { z } from "zod";
import { hasOrganizations } from "../applications/application.ts";
import * as applications from "../applications/service.ts";
import * as passkeys from "../credentials/passkeys/service.ts";
import { sourceOf } from "../http/request.ts";
import { invalidApiKey, invalidAppId, invalidRequest } from "../lib/errors.ts";
import { addMethodBody } from "../sign-in/adding/add-method-body.ts";
import { initiateBody } from "../sign-in/initiate-body.ts";
import * as redemption from "../sign-in/redemption/redeem.ts";
import { callbackBody } from "../sign-in/redemption/redeem.ts";
import * as signIn from "../sign-in/service.ts";
import { requireSecondFactor, type Bearer } from "../tokens/authentication.ts";
import { user, userWasDeleted } from "./answers.ts";
import { accessToken, code, refreshToken, sessionId } from "./examples.ts";
import { address, instant, number, text } from "./fields.ts";
import type { AppOrPublicClient } from "./guards.ts";
import { named, operation } from "./operation.ts";

const redirectUri = {
  about: "One of the application's redirect URIs, exactly as registered.",
  format: "uri",
  maxLength: 2048,
};
const provider = {
  about:
    "Required with `oauth`, otherwise not allowed: google, github, microsoft, apple, discord, facebook, or a provider that the operator named. Letter case does not matter.",
  minLength: 1,
};
const state = "Returned unchanged in the redirect.";
const locale = "The language of the pages and mails, such as `pt-BR`; otherwise the browser's.";

const session = named(
  "Session",
  "A sign-in session.",
  () =>
    z.strictObject({
      authUrl: address("Where to send the user's browser."),
      sessionId: text("Returned in the redirect, and required by the callback call. Keep it secret until then."),
      expiresAt: instant("When the session expires, ten minutes after its start."),
    }),
  {
    authUrl: `https://auth.example.com/sign-in/${sessionId}`,
    sessionId,
    expiresAt: "2026-11-20T10:10:00.000Z",
  },
);

/** As in version 1.0, also what it answers to the field. */
const initiateWhileOff = initiateBody.omit({ organization: true });

export const initiate = operation({
  id: "initiate",
  tag: "Authentication",
  summary: "Start a sign-in",
  description:
    "Send the browser to `authUrl`. It returns to `redirectUri` with `code`, `state` and `sessionId`, or with `error`. Without an API key, `codeChallenge` is required, and the application must allow public clients (`app update --public-clients on`).",
  body: {
    name: "InitiateRequest",
    schema: initiateBody,
    fields: {
      redirectUri,
      authMethod: "Offers only this method. If omitted, the page offers all enabled methods.",
      provider,
      state,
      scopes: {
        about: "The scopes of the tokens. Default: all scopes of the application.",
        uniqueItems: true,
        items: { about: "A scope." },
      },
      codeChallenge: "PKCE: the base64url SHA-256 of a code verifier. Required without an API key.",
      loginHint: { about: "An email address that prefills the form.", format: "email" },
      locale,
      maxAge: "Maximum age of the authentication in seconds; 0 always asks again.",
      acr: "The required assurance level: one factor, two factors, or phishing-resistant (`phr`).",
      organization:
        "The organization that the tokens name, by id or slug; `none`: none. Only for an application with organizations.",
    },
    example: { redirectUri: "https://shop.example.com/callback", authMethod: "passkey", state: "cart-42" },
  },
  answer: { schema: session, about: "A sign-in session, valid for ten minutes." },
  schemaFor: ({ application }: AppOrPublicClient) => (hasOrganizations(application) ? initiateBody : initiateWhileOff),
  handle(ctx, _request, { application, withoutApiKey }: AppOrPublicClient, body) {
    // Otherwise anybody who sees the code could redeem it.
    if (withoutApiKey && body.codeChallenge === undefined)
      throw invalidRequest("codeChallenge", "required without an API key");
    return signIn.initiate(ctx, application, body, { isKnown: !withoutApiKey });
  },
});

const activeOrganization = named("ActiveOrganization", "The organization that an access token names.", () =>
  z.strictObject({
    id: text("The organization, `org_…`; `org_id` in the token."),
    slug: text("Its slug."),
    name: text("Its name."),
    roles: z.array(z.string()).describe("The user's roles there."),
  }),
);

const tokenFields = () => ({
  accessToken: text("A JWT, for `Authorization: Bearer`. The key set at `/.well-known/jwks.json` verifies it."),
  refreshToken: text("Opaque. Works once."),
  expiresIn: number("Seconds until the access token expires."),
  organization: activeOrganization.schema.optional(),
});
const tokensExample = { accessToken, refreshToken, expiresIn: 900 };

export const tokens = named("Tokens", "The tokens of a login.", () => z.strictObject(tokenFields()), tokensExample);

export const callback = operation({
  id: "callback",
  tag: "Authentication",
  summary: "Exchange the code of the redirect for tokens",
  description:
    "A code works once: of several calls with it, one succeeds. A second use ends the login that the first one began.",
  body: {
    name: "CallbackRequest",
    schema: callbackBody,
    fields: {
      code: "From the redirect. Works once, within 60 seconds.",
      sessionId: "From `POST /auth/initiate`; also in the redirect.",
      state: "Exactly as sent to `POST /auth/initiate`; omitted if none was sent.",
      codeVerifier: {
        about: "PKCE: the verifier. Its SHA-256 is the `codeChallenge` sent to `POST /auth/initiate`.",
        pattern: "^[A-Za-z0-9._~-]{43,128}$",
      },
    },
    example: { code, sessionId, state: "cart-42" },
  },
  answer: {
    schema: named(
      "TokensAndUser",
      "The tokens of a new login, and its user.",
      () => z.strictObject({ ...tokenFields(), user: user.schema }),
      { ...tokensExample, user: user.example },
    ),
    about: "The tokens of a new login.",
  },
  badBody: keyFirst,
  async handle(ctx, request, caller: AppOrPublicClient, body) {
    if (caller.withoutApiKey && body.codeVerifier === undefined) throw invalidApiKey();
    return await redemption.redeem(ctx, { body, ...caller, source: sourceOf(request) });
  },
});

/**
 * Without a key, the caller must first prove to be a public client; other errors in its body do not
 * matter.
 */
export function keyFirst({ withoutApiKey }: AppOrPublicClient) {
  return withoutApiKey ? invalidApiKey() : undefined;
}

export const addAuthMethod = operation({
  id: "addAuthMethod",
  tag: "Sign-in methods",
  summary: "Start adding a method",
  description:
    "Send the browser to `authUrl`. It returns with `status=added` (`status=changed` for a replaced password) and `methodId`, or with `error`.",
  body: {
    name: "AddMethodRequest",
    schema: addMethodBody,
    fields: { type: "The kind of method to add.", provider, redirectUri, state, locale },
    example: { type: "passkey", redirectUri: "https://shop.example.com/account" },
  },
  answer: { schema: session, about: "A session for this user, valid for ten minutes." },
  errors: [userWasDeleted],
  async handle(ctx, _request, bearer: Bearer, body) {
    await requireSecondFactor(ctx, bearer);
    const {
      user: { id },
      claims,
    } = bearer;
    const application = await applications.find(ctx, ctx.storage.reader, claims.aud);
    if (!application) throw invalidAppId();
    if (body.type === "passkey" && !(await passkeys.hasRoom(ctx.storage.reader, id)))
      throw invalidRequest("type", "the user already has the maximum number of passkeys");
    return await signIn.initiateAdding(ctx, application, id, body);
  },
});
