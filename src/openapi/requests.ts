import type { z } from "zod";
import { applicationBody } from "../applications/routes.ts";
import { addMethodBody } from "../sign-in/add-method-body.ts";
import { initiateBody } from "../sign-in/initiate-body.ts";
import { callbackBody } from "../sign-in/redeem.ts";
import { logoutBody, refreshBody } from "../tokens/routes.ts";
import { profileBody } from "../users/routes.ts";
import { endpointChangeBody, endpointTestBody, newEndpointBody } from "../webhooks/routes.ts";

type RequestDoc<Schema extends z.ZodObject> = {
  /** The one that the handler reads the body with. */
  schema: Schema;
  /** What a body may leave out altogether. */
  optional?: true;
  fields: { [Field in keyof z.input<Schema>]-?: string };
  example: z.input<Schema>;
};

function request<Schema extends z.ZodObject>(doc: RequestDoc<Schema>): RequestDoc<Schema> {
  return doc;
}

const redirectUri = "One of the application's redirect URIs, to the letter.";
const provider =
  "Only, and always, with `oauth`: google, github, microsoft, apple, discord, facebook, or one of the operator's.";
const state = "Comes back with the redirect, byte for byte.";
const locale = "The language of the pages and mails, such as `pt-BR`; else the browser's.";
const kinds =
  "user.login, user.logout, user.created, user.updated, user.deleted, method.added, method.removed, login.failed, token.reuse.";

/** Every request body by its name in the document. */
export const requests = {
  InitiateRequest: request({
    schema: initiateBody,
    fields: {
      redirectUri,
      authMethod: "Only this method; without it the page offers all that are enabled.",
      provider,
      state,
      scopes: "What the tokens are for; both when left out.",
      codeChallenge: "PKCE: the base64url SHA-256 of a code verifier. Demanded of clients without API key.",
      loginHint: "An address to begin with.",
      locale,
    },
    example: { redirectUri: "https://shop.example.com/callback", authMethod: "passkey", state: "cart-42" },
  }),
  CallbackRequest: request({
    schema: callbackBody,
    fields: {
      code: "From the redirect. Good once, for 60 seconds.",
      sessionId: "From initiate; the redirect carries it, too.",
      state: "Exactly as given to initiate; left out when none was.",
      codeVerifier: "PKCE: 43 to 128 characters, with a `codeChallenge` at initiate.",
    },
    example: {
      code: "cod_8Zx2mQ4nT6vB9yL1",
      sessionId: "sis_Yw7Jx0mZ3nq5R8vT1kB4cD6fG9hL2pS7uV0xA3bE5iM",
      state: "cart-42",
    },
  }),
  RefreshRequest: request({
    schema: refreshBody,
    fields: { refreshToken: "The newest of this login." },
    example: { refreshToken: "rt_lgn_01k9zq8m.0.q3bE5iM7xA9cD1fG3hL5pS" },
  }),
  LogoutRequest: request({
    schema: logoutBody,
    optional: true,
    fields: {
      refreshToken: "Ends the login that it belongs to; that of the access token when left out.",
      allSessions: "Ends every login of the user.",
    },
    example: { allSessions: true },
  }),
  AddMethodRequest: request({
    schema: addMethodBody,
    fields: { type: "What to add.", provider, redirectUri, state, locale },
    example: { type: "passkey", redirectUri: "https://shop.example.com/account" },
  }),
  ProfileRequest: request({
    schema: profileBody,
    fields: {
      name: "1 to 200 characters.",
      picture: "An https address, or null for none.",
    },
    example: { name: "Ada Lovelace" },
  }),
  ApplicationRequest: request({
    schema: applicationBody,
    fields: {
      name: "1 to 200 characters.",
      redirectUris: "At most 50, in place of those before: https, http for this machine, or a scheme with a dot.",
      authMethods: "What is left out stays as it is.",
    },
    example: { authMethods: { password: { enabled: false } } },
  }),
  WebhookEndpointRequest: request({
    schema: newEndpointBody,
    fields: {
      url: "https, and on a public address.",
      events: `At least one of ${kinds}`,
      secret: "16 to 256 characters, or `whsec_` and base64. Signs every delivery; never shown again.",
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
      url: "https, and on a public address.",
      events: `In place of those before, of ${kinds}`,
      enabled: "True gives an endpoint that was switched off for its failures a new start.",
      secret: "A new secret; see `secretOverlapSeconds`.",
      secretOverlapSeconds: "How long the secret before it signs as well: a day when left out, at most 30 days.",
    },
    example: { events: ["user.login"], enabled: true },
  }),
  WebhookTestRequest: request({
    schema: endpointTestBody,
    optional: true,
    fields: { event: `The kind of the sample; the first that the endpoint is told of when left out.` },
    example: { event: "user.created" },
  }),
};

export type RequestName = keyof typeof requests;
