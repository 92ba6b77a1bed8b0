import { z } from "zod";
import { json } from "../http/answer.ts";
import { sourceOf } from "../http/request.ts";
import { oauthError } from "../lib/errors.ts";
import type { ClientCaller } from "../openid/client-guard.ts";
import * as deviceAuthorization from "../openid/device-authorization.ts";
import * as pushedRequests from "../openid/pushed-requests.ts";
import * as tokenGrants from "../openid/token-grants.ts";
import * as tokenState from "../openid/token-state.ts";
import { userInfo } from "../openid/userinfo.ts";
import type { Bearer } from "../tokens/authentication.ts";
import * as proofs from "../tokens/dpop/proofs.ts";
import { actingClient, confirmation } from "./answers.ts";
import { accessToken, code, idToken, refreshToken } from "./examples.ts";
import { address, flag, number, text } from "./fields.ts";
import { named, operation, type Operation } from "./operation.ts";
import { claimFields } from "./profile-facts.ts";

// Forms of OAuth 2.0, which the guard reads: unknown parameters are ignored, and empty ones count
// as omitted.
const value = z.string().optional();
const credentials = { client_id: value, client_secret: value, client_assertion: value, client_assertion_type: value };
const aboutCredentials = {
  client_id: "The client ID. Optional if another credential contains it; a token of another issuer does not.",
  client_secret: "With `client_secret_post`. The Authorization header (`client_secret_basic`) works as well.",
  client_assertion:
    "With `private_key_jwt`: a JWT signed by the client. Or a token of an issuer that the client trusts.",
  client_assertion_type: "`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`",
};
const client = { client_id: "cli_shop", client_secret: "cs_example" };
const hint = "`access_token` or `refresh_token`. Optional, because the service recognizes both.";
const tokenForm = z.looseObject({ token: z.string(), token_type_hint: value, ...credentials });
const tokenExample = { token: "eyJhbGciOiJFUzI1NiJ9.e30.c2ln", ...client };

const seconds = (about: string) => number(`${about} Unix time (seconds).`);

export const getTokens: Operation<ClientCaller> = {
  id: "getTokens",
  tag: "OpenID Connect",
  summary: "Exchange a code or a token for tokens",
  description:
    "RFC 6749, RFC 8628, and RFC 8693 for clients that may exchange tokens. A code is consumed before anything else is checked. A second use, also of a device code, ends the login that the first one began. A proof in the header `DPoP` (RFC 9449) binds the tokens to its key.",
  takesProof: true,
  body: {
    name: "OAuthTokenRequest",
    isForm: true,
    schema: z.looseObject({
      grant_type: z.enum(tokenGrants.grantTypes),
      code: value,
      device_code: value,
      redirect_uri: value,
      code_verifier: value,
      refresh_token: value,
      subject_token: value,
      subject_token_type: value,
      requested_token_type: value,
      scope: value,
      resource: value,
      organization: value,
      ...credentials,
    }),
    fields: {
      grant_type:
        "The grant type. `client_credentials` is for clients of kind `machine`, token exchange for those that may exchange tokens.",
      code: "With `authorization_code`. Works once, within 60 seconds.",
      device_code: "With the device grant: from `POST /oauth2/device_authorization`.",
      redirect_uri: "With `authorization_code`: the one in the authorization request.",
      code_verifier: "PKCE: the verifier. Its SHA-256 is `code_challenge`.",
      refresh_token: "With `refresh_token`: the newest one of its login.",
      subject_token:
        "With token exchange: an access token for a resource that the client serves, or one issued to the client.",
      subject_token_type: "With `subject_token`: `urn:ietf:params:oauth:token-type:access_token`",
      requested_token_type: "With token exchange, optional: `urn:ietf:params:oauth:token-type:access_token`",
      scope:
        "With `refresh_token`: limits this access token to some of the granted scopes. With `client_credentials`: some of the client's scopes at the resource. With token exchange: some of those that the subject token and the client have at the resource.",
      resource:
        "The resource that the access token is for. Required with `client_credentials` and token exchange; otherwise optional, the one of the authorization request.",
      organization:
        "With `refresh_token`: the organization that the tokens name, by id or slug; `none`: none. Default: the last one of the login.",
      ...aboutCredentials,
    },
    example: { grant_type: "authorization_code", code, redirect_uri: "https://shop.example.com/callback", ...client },
  },
  answer: {
    schema: named(
      "OAuthTokens",
      "The tokens of a login.",
      () =>
        z.strictObject({
          access_token: text(
            "A JWT, like the access token of `POST /auth/callback`, with the client ID and the granted scopes.",
          ),
          token_type: z
            .enum(["Bearer", "DPoP"])
            .describe("The scheme of the Authorization header. `DPoP`: each call needs a proof of the key (RFC 9449)."),
          expires_in: number("Seconds until the access token expires."),
          scope: text("The granted scopes, separated by spaces."),
          refresh_token: text(
            "With the scope `offline_access`, or if the client always gets one. Works once.",
          ).optional(),
          id_token: text("A JWT about the sign-in, for the client only. With the scope `openid`.").optional(),
          organization: text("The organization that the access token names (`org_id`).").optional(),
          issued_token_type: text(
            "With token exchange: `urn:ietf:params:oauth:token-type:access_token` (RFC 8693).",
          ).optional(),
        }),
      {
        access_token: accessToken,
        token_type: "Bearer",
        expires_in: 900,
        scope: "openid profile email offline_access",
        refresh_token: refreshToken,
        id_token: idToken,
      },
    ),
    about: "The tokens of a login.",
  },
  errors: [
    {
      code: "INVALID_REQUEST",
      when: "The code or refresh token is wrong, used or expired, or was issued to another client or key (`invalid_grant`). With the device grant also `authorization_pending`, `slow_down`, `access_denied` and `expired_token` (RFC 8628 §3.5).",
    },
    {
      code: "INVALID_REQUEST",
      when: "The DPoP proof is wrong, was used before, or is missing (`invalid_dpop_proof`), or needs a nonce (`use_dpop_nonce`).",
    },
  ],
  async respond(ctx, request, caller) {
    const proofKey = await proofs.keyForTokens(ctx, request, caller.client);
    const answer = json(await tokenGrants.grant(ctx, { ...caller, proofKey }, sourceOf(request)));
    // RFC 6749 §5.1.
    return { ...answer, headers: { ...answer.headers, pragma: "no-cache" } };
  },
};

export const getUserInfo: Operation<Bearer> = {
  id: "getUserInfo",
  tag: "OpenID Connect",
  summary: "Read the user's claims",
  description: "Requires the scope `openid`. A logout, and disabling or deleting the user, take effect at once.",
  answer: {
    schema: named(
      "UserInfo",
      "The claims that the granted scopes and the `claims` parameter of the request select, and the application's own claims. Claims without a value are omitted.",
      () => {
        const { name, ...others } = claimFields();
        return z.looseObject({
          sub: text("The User ID, `usr_…`."),
          name,
          preferred_username: text(
            "The user's email address, if it is verified, or the application's own claim with this name.",
          ).optional(),
          ...others,
          updated_at: seconds("When the profile was last changed.").optional(),
          email: z.email().optional().describe("The user's email address."),
          groups: z.array(z.string()).describe("The names of the user's groups, with the scope `groups`.").optional(),
          email_verified: flag("Whether the email address is verified.").optional(),
          org_id: text("The organization that the access token names.").optional(),
          org_slug: text("Its slug.").optional(),
          org_name: text("Its name.").optional(),
          org_roles: z.array(z.string()).describe("The user's roles there.").optional(),
        });
      },
      {
        sub: "usr_01m839jdta2je02g4aajdct527",
        name: "Ada",
        locale: "en",
        updated_at: 1_763_632_800,
        email: "ada@example.com",
        email_verified: true,
        preferred_username: "ada@example.com",
      },
    ),
    about: "The claims of the granted scopes.",
  },
  respond: async (ctx, _request, bearer) => json(await userInfo(ctx, bearer)),
};

export const postUserInfo: Operation<Bearer> = {
  ...getUserInfo,
  id: "postUserInfo",
  summary: "Read the user's claims with POST",
  body: {
    name: "UserInfoRequest",
    isForm: true,
    optional: true,
    schema: z.looseObject({ access_token: value }),
    fields: { access_token: "Instead of the Authorization header." },
    example: { access_token: "eyJhbGciOiJFUzI1NiJ9.e30.c2ln" },
  },
};

export const introspectToken = operation({
  id: "introspectToken",
  tag: "OpenID Connect",
  summary: "Introspect a token",
  description: "RFC 7662, for clients with a secret or key. Tokens of another application are reported as inactive.",
  body: {
    name: "IntrospectionRequest",
    isForm: true,
    schema: tokenForm,
    fields: { token: "An access or refresh token.", token_type_hint: hint, ...aboutCredentials },
    example: tokenExample,
  },
  answer: {
    schema: named(
      "Introspection",
      "RFC 7662, with the application's own claims for an access token. For an inactive token, only `active` is returned.",
      () =>
        z.looseObject({
          active: flag("Whether the token is valid."),
          token_type: z.enum(["Bearer", "DPoP"]).optional().describe("Only for an access token."),
          iss: address("The issuer.").optional(),
          sub: text("The User ID; of a machine's token the client.").optional(),
          aud: z
            .union([z.string(), z.array(z.string())])
            .optional()
            .describe("The App ID, or a list of the resource; only for an access token."),
          client_id: text("The client that the token was issued to.").optional(),
          scope: text("Its scopes, separated by spaces.").optional(),
          exp: seconds("When the token expires.").optional(),
          iat: seconds("When the token was issued.").optional(),
          jti: text("The token's ID; only for an access token.").optional(),
          sid: text("The login, `lgn_…`.").optional(),
          act: actingClient.schema.optional(),
          org_id: text("The organization that an access token names.").optional(),
          org_roles: z.array(z.string()).optional().describe("The user's roles in that organization now."),
          cnf: confirmation().optional(),
        }),
      {
        active: true,
        token_type: "Bearer",
        iss: "https://auth.example.com",
        sub: "usr_01m839jdta2je02g4aajdct527",
        aud: "app_shop",
        client_id: "cli_shop",
        scope: "openid profile",
        exp: 1_763_633_700,
        iat: 1_763_632_800,
        jti: "PkSCh8jfzFMMx5ZhYRyFqA",
        sid: "lgn_01m839jdtag4pt38q71qh7yc8r",
      },
    ),
    about: "Whether the token is valid.",
  },
  handle: (ctx, _request, caller: ClientCaller) => tokenState.introspect(ctx, tokenIn(caller), caller),
});

export const revokeToken = operation({
  id: "revokeToken",
  tag: "OpenID Connect",
  summary: "Revoke a token and end its login",
  description:
    "RFC 7009. Works only for the client's own tokens. For others, the response is the same, but nothing changes.",
  body: {
    name: "RevocationRequest",
    isForm: true,
    schema: tokenForm,
    fields: { token: "An access or refresh token of this client.", token_type_hint: hint, ...aboutCredentials },
    example: tokenExample,
  },
  answer: {
    schema: named("Revoked", "RFC 7009. The same for an unknown token.", () => z.strictObject({}), {}),
    about: "The token is no longer valid.",
  },
  async handle(ctx, request, caller: ClientCaller) {
    await tokenState.revoke(ctx, tokenIn(caller), caller, sourceOf(request));
    return {};
  },
});

function tokenIn({ form }: ClientCaller): string {
  const token = form.get("token");
  if (token === undefined) throw oauthError("invalid_request", "token: required");
  return token;
}

export const pushAuthorizationRequest = operation({
  id: "pushAuthorizationRequest",
  tag: "OpenID Connect",
  summary: "Push an authorization request",
  description:
    "RFC 9126. Takes and checks the parameters of `/oauth2/authorize`. A proof in the header `DPoP` (RFC 9449) binds the code to its key.",
  takesProof: true,
  body: {
    name: "PushedAuthorizationRequest",
    isForm: true,
    schema: z.looseObject({
      response_type: z.enum(["code"]),
      redirect_uri: z.string(),
      scope: z.string(),
      state: value,
      nonce: value,
      resource: value,
      organization: value,
      code_challenge: value,
      code_challenge_method: z.enum(["S256"]).optional(),
      dpop_jkt: value,
      ...credentials,
    }),
    fields: {
      response_type: "Only the authorization code flow.",
      redirect_uri: "One of the client's redirect URIs, exactly as registered.",
      scope: "Separated by spaces. `openid` requests an ID token.",
      state: "Returned unchanged.",
      nonce: "Returned in the ID token.",
      resource: "The resource that the access token is for (RFC 8707).",
      organization: "The organization that the tokens name, by id or slug; `none`: none.",
      code_challenge: "PKCE: the base64url SHA-256 of the verifier.",
      code_challenge_method: "With `code_challenge`.",
      dpop_jkt: "The thumbprint of the key that must redeem the code (RFC 9449). The header `DPoP` does the same.",
      ...aboutCredentials,
    },
    example: {
      response_type: "code",
      redirect_uri: "https://shop.example.com/callback",
      scope: "openid email",
      ...client,
    },
  },
  answer: {
    status: 201,
    schema: named(
      "PushedRequest",
      "RFC 9126, section 2.2.",
      () =>
        z.strictObject({
          request_uri: text(
            "Send it to `/oauth2/authorize` with `client_id`. Valid until a sign-in with it has ended.",
          ),
          expires_in: number("Seconds until it expires."),
        }),
      {
        request_uri: "urn:ietf:params:oauth:request_uri:IhKYSdciZ15ANiR5hHej9TgVP5JkWXg1RhBzQj2sa7o",
        expires_in: 60,
      },
    ),
    about: "What the browser sends instead of the parameters.",
  },
  async handle(ctx, request, { form, ...authenticated }: ClientCaller) {
    const proofKey = await proofs.keyOfClient(ctx, request, authenticated.client);
    return await pushedRequests.push(ctx, authenticated, form, proofKey);
  },
});

export const authorizeDevice = operation({
  id: "authorizeDevice",
  tag: "OpenID Connect",
  summary: "Begin a sign-in on a device without a browser",
  description:
    "RFC 8628. Show the user the code and the address, and poll `POST /oauth2/token` until they have decided.",
  body: {
    name: "DeviceAuthorizationRequest",
    isForm: true,
    schema: z.looseObject({ scope: value, resource: value, organization: value, ...credentials }),
    fields: {
      scope: "Separated by spaces. `openid` requests an ID token, `offline_access` a refresh token.",
      resource: "The resource that the access token is for (RFC 8707).",
      organization: "The organization that the tokens name, by id or slug; `none`: none.",
      ...aboutCredentials,
    },
    example: { client_id: "cli_tv", scope: "openid email offline_access" },
  },
  answer: {
    schema: named(
      "DeviceAuthorization",
      "RFC 8628, section 3.2.",
      () =>
        z.strictObject({
          device_code: text("A secret of the device, for `POST /oauth2/token`."),
          user_code: text("What the user types: 8 letters, such as `WDJB-MJHT`."),
          verification_uri: address("Where the user types it, on any device with a browser."),
          verification_uri_complete: address("The same with the code filled in, for a QR code."),
          expires_in: number("Seconds until both codes expire."),
          interval: number("Seconds to wait between two polls. Each `slow_down` adds 5."),
        }),
      {
        device_code: "IhKYSdciZ15ANiR5hHej9TgVP5JkWXg1RhBzQj2sa7o",
        user_code: "WDJB-MJHT",
        verification_uri: "https://auth.example.com/device",
        verification_uri_complete: "https://auth.example.com/device?user_code=WDJB-MJHT",
        expires_in: 600,
        interval: 5,
      },
    ),
    about: "What the device shows to the user, and what it polls with.",
  },
  errors: [{ code: "INVALID_REQUEST", when: "The client may not use the device grant (`unauthorized_client`)." }],
  handle: (ctx, request, { form, ...authenticated }: ClientCaller) =>
    deviceAuthorization.begin(ctx, authenticated, form, sourceOf(request)),
});
