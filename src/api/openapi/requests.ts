import type { z } from "zod";
import { addMethodBody } from "../../sign-in/adding/add-method-body.ts";
import { initiateBody } from "../../sign-in/initiate-body.ts";
import { callbackBody } from "../../sign-in/redemption/redeem.ts";
import { eventKinds } from "../../storage/column-types.ts";
import { applicationBody } from "../applications.ts";
import { profileBody } from "../profile.ts";
import { logoutBody, refreshBody } from "../tokens.ts";
import { newUserBody, userChangeBody } from "../users.ts";
import { endpointChangeBody, endpointTestBody, newEndpointBody } from "../webhooks.ts";
import type { Keywords } from "../operation.ts";
import { code, refreshToken, sessionId } from "./examples.ts";
import { openIdRequests } from "./openid-requests.ts";

type RequestDoc<Schema extends z.ZodObject> = {
  /** The schema with which the handler reads the body. */
  schema: Schema;
  /** The body is a form instead of JSON. */
  isForm?: true;
  /** The body may be omitted altogether. */
  optional?: true;
  fields: { [Field in keyof z.input<Schema>]-?: string | Keywords };
  example: z.input<Schema>;
};

function request<Schema extends z.ZodObject>(doc: RequestDoc<Schema>): RequestDoc<Schema> {
  return doc;
}

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
const kind = { about: "A kind of event.", enum: eventKinds };
const url = { about: "An https URL on a public address.", format: "uri", maxLength: 2048 };
const secret = { minLength: 16, maxLength: 256 };
const name = { minLength: 1, maxLength: 200 };

/** Every request body, by its name in the document. */
export const requests = {
  InitiateRequest: request({
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
    },
    example: { redirectUri: "https://shop.example.com/callback", authMethod: "passkey", state: "cart-42" },
  }),
  CallbackRequest: request({
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
    example: {
      code,
      sessionId: sessionId,
      state: "cart-42",
    },
  }),
  RefreshRequest: request({
    schema: refreshBody,
    fields: { refreshToken: "The newest refresh token of the login." },
    example: { refreshToken: refreshToken },
  }),
  LogoutRequest: request({
    schema: logoutBody,
    optional: true,
    fields: {
      refreshToken: "Ends the login of this token; if omitted, the login of the access token.",
      allSessions: "Ends every login of the user.",
    },
    example: { allSessions: true },
  }),
  AddMethodRequest: request({
    schema: addMethodBody,
    fields: { type: "The kind of method to add.", provider, redirectUri, state, locale },
    example: { type: "passkey", redirectUri: "https://shop.example.com/account" },
  }),
  ProfileRequest: request({
    schema: profileBody,
    fields: {
      name: { about: "The display name, without control characters.", ...name },
      picture: { about: "An https URL, or null for none.", format: "uri", maxLength: 2048 },
    },
    example: { name: "Ada Lovelace" },
  }),
  NewUserRequest: request({
    schema: newUserBody,
    fields: {
      email: {
        about: "Unique in the application. Stored in lower case.",
        format: "email",
        maxLength: 254,
      },
      emailVerified:
        "Whether the email address is verified. Default false: a sign-in that proves the address may take over the account.",
      name: { about: "The display name, without control characters.", maxLength: 200 },
      picture: { about: "An https URL.", format: "uri", maxLength: 2048 },
      password: "An initial password. The application's password rules apply.",
      invite:
        "True: mail a link, valid for 7 days, to choose how to sign in. Only with `email` and `name`. Sent again for a user who has not chosen yet, it replaces the link. Requires a mail server.",
    },
    example: { email: "ada@example.com", emailVerified: true, name: "Ada" },
  }),
  ManagedUserChange: request({
    schema: userChangeBody,
    fields: {
      email: { about: "An email address that no other user of the application has.", format: "email", maxLength: 254 },
      emailVerified: "Whether the email address is verified. If omitted, a new address is unverified.",
      name: { about: "The display name, without control characters, or null for none.", maxLength: 200 },
      picture: { about: "An https URL, or null for none.", format: "uri", maxLength: 2048 },
      disabled: "True ends every login and blocks the user from signing in; false allows it again.",
    },
    example: { email: "ada@example.org", emailVerified: true },
  }),
  ApplicationRequest: request({
    schema: applicationBody,
    fields: {
      name: {
        about:
          "The application's name on its pages: no control characters, no `/` or `@`, and nothing that looks like a web address. Mails keep the name that the operator set. An unchanged name may be longer.",
        ...name,
      },
      redirectUris: {
        about: "Replaces the list.",
        maxItems: 50,
        items: {
          about: "https, http for localhost, or a private-use scheme with a dot.",
          format: "uri",
          maxLength: 2048,
        },
      },
      authMethods: {
        about: "Omitted fields stay as they are.",
        inner: {
          passkey: {
            about: "Passkeys of the application.",
            inner: {
              enabled: "Whether users can sign in with it.",
              required: "Whether every sign-in needs a passkey. Only with `enabled`.",
            },
          },
          oauth: {
            about: "Providers of the application.",
            inner: {
              enabled: "Whether users can sign in with a provider.",
              providers: { about: "Replaces the list.", items: { about: "The name of a provider." } },
            },
          },
          password: {
            about: "Passwords of the application.",
            inner: { enabled: "Whether users can sign in with it." },
          },
        },
      },
      branding: {
        about: "The branding of the hosted pages. The operator sets the rest.",
        inner: {
          homeUrl: {
            about:
              "Where the pages link back to; the rules of redirect URIs apply. Null: the origin of a redirect URI.",
            format: "uri",
            maxLength: 2048,
          },
        },
      },
    },
    example: { authMethods: { password: { enabled: false } } },
  }),
  WebhookEndpointRequest: request({
    schema: newEndpointBody,
    fields: {
      url,
      events: { about: "The events that it receives.", minItems: 1, items: kind },
      secret: {
        about: "Signs every delivery. Never shown again. `whsec_` and base64, or any other text.",
        ...secret,
      },
    },
    example: {
      url: "https://shop.example.com/hooks/auth",
      events: ["user.login", "user.created"],
      secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    },
  }),
  WebhookEndpointChange: request({
    schema: endpointChangeBody,
    fields: {
      url,
      events: { about: "Replaces the list.", minItems: 1, items: kind },
      enabled: "Whether events are sent. True also restarts an endpoint that was disabled for its failures.",
      secret: { about: "A new secret; see `secretOverlapSeconds`.", ...secret },
      secretOverlapSeconds: {
        about: "How long the previous secret also signs. Only with `secret`; default one day.",
        minimum: 0,
        maximum: 2_592_000,
      },
    },
    example: { events: ["user.login"], enabled: true },
  }),
  WebhookTestRequest: request({
    schema: endpointTestBody,
    optional: true,
    fields: {
      event: { ...kind, about: "The kind of the sample. Default: the first kind that the endpoint receives." },
    },
    example: { event: "user.created" },
  }),
  ...openIdRequests,
};

export type RequestName = keyof typeof requests;
