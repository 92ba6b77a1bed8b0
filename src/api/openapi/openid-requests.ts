import { z } from "zod";

const value = z.string().optional();
const credentials = { client_id: value, client_secret: value, client_assertion: value, client_assertion_type: value };
const aboutCredentials = {
  client_id: "The client ID. Optional if another credential contains it.",
  client_secret: "With `client_secret_post`. The Authorization header (`client_secret_basic`) works as well.",
  client_assertion: "With `private_key_jwt`: a JWT signed by the client.",
  client_assertion_type: "`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`",
};
const example = { client_id: "cli_shop", client_secret: "cs_example" };
const hint = "`access_token` or `refresh_token`. Optional, because the service recognizes both.";

/** The forms of OAuth 2.0. Unknown parameters are ignored, and empty ones count as omitted. */
export const openIdRequests = {
  OAuthTokenRequest: {
    isForm: true as const,
    schema: z.looseObject({
      grant_type: z.enum(["authorization_code", "refresh_token"]),
      code: value,
      redirect_uri: value,
      code_verifier: value,
      refresh_token: value,
      scope: value,
      ...credentials,
    }),
    fields: {
      grant_type: "The grant type.",
      code: "With `authorization_code`. Works once, within 60 seconds.",
      redirect_uri: "With `authorization_code`: the one in the authorization request.",
      code_verifier: "PKCE: the verifier. Its SHA-256 is `code_challenge`.",
      refresh_token: "With `refresh_token`: the newest one of its login.",
      scope: "With `refresh_token`: limits this access token to some of the granted scopes.",
      ...aboutCredentials,
    },
    example: {
      grant_type: "authorization_code" as const,
      code: "IhKYSdciZ15ANiR5hHej9TgVP5JkWXg1RhBzQj2sa7o",
      redirect_uri: "https://shop.example.com/callback",
      ...example,
    },
  },
  IntrospectionRequest: {
    isForm: true as const,
    schema: z.looseObject({ token: z.string(), token_type_hint: value, ...credentials }),
    fields: { token: "An access or refresh token.", token_type_hint: hint, ...aboutCredentials },
    example: { token: "eyJhbGciOiJFUzI1NiJ9.e30.c2ln", ...example },
  },
  RevocationRequest: {
    isForm: true as const,
    schema: z.looseObject({ token: z.string(), token_type_hint: value, ...credentials }),
    fields: { token: "An access or refresh token of this client.", token_type_hint: hint, ...aboutCredentials },
    example: { token: "eyJhbGciOiJFUzI1NiJ9.e30.c2ln", ...example },
  },
  PushedAuthorizationRequest: {
    isForm: true as const,
    schema: z.looseObject({
      response_type: z.enum(["code"]),
      redirect_uri: z.string(),
      scope: z.string(),
      state: value,
      nonce: value,
      code_challenge: value,
      code_challenge_method: z.enum(["S256"]).optional(),
      ...credentials,
    }),
    fields: {
      response_type: "Only the authorization code flow.",
      redirect_uri: "One of the client's redirect URIs, exactly as registered.",
      scope: "Separated by spaces. `openid` requests an ID token.",
      state: "Returned unchanged.",
      nonce: "Returned in the ID token.",
      code_challenge: "PKCE: the base64url SHA-256 of the verifier.",
      code_challenge_method: "With `code_challenge`.",
      ...aboutCredentials,
    },
    example: {
      response_type: "code" as const,
      redirect_uri: "https://shop.example.com/callback",
      scope: "openid email",
      ...example,
    },
  },
  UserInfoRequest: {
    isForm: true as const,
    optional: true as const,
    schema: z.looseObject({ access_token: value }),
    fields: { access_token: "Instead of the Authorization header." },
    example: { access_token: "eyJhbGciOiJFUzI1NiJ9.e30.c2ln" },
  },
};
