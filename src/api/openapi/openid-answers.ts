import { z } from "zod";
import { actor, address, flag, number, text } from "./parts.ts";

const names = (about: string) => z.array(z.string()).describe(about);
const seconds = (about: string) => number(`${about} Unix time (seconds).`);

const serverMetadata = {
  issuer: address("The `iss` of tokens and of authorization responses."),
  authorization_endpoint: address("The authorization endpoint."),
  token_endpoint: address("The token endpoint."),
  introspection_endpoint: address("The introspection endpoint."),
  pushed_authorization_request_endpoint: address("The pushed authorization request endpoint (RFC 9126)."),
  revocation_endpoint: address("The revocation endpoint."),
  jwks_uri: address("The key set."),
  scopes_supported: names("Scopes that a client can request."),
  response_types_supported: names("Only the authorization code flow."),
  response_modes_supported: names("How the code is returned."),
  grant_types_supported: names("Grant types of the token endpoint."),
  token_endpoint_auth_methods_supported: names("How clients authenticate at the token endpoint."),
  token_endpoint_auth_signing_alg_values_supported: names("Algorithms of client assertions."),
  introspection_endpoint_auth_methods_supported: names("How clients authenticate at the introspection endpoint."),
  introspection_endpoint_auth_signing_alg_values_supported: names("Algorithms of client assertions."),
  revocation_endpoint_auth_methods_supported: names("How clients authenticate at the revocation endpoint."),
  revocation_endpoint_auth_signing_alg_values_supported: names("Algorithms of client assertions."),
  code_challenge_methods_supported: names("PKCE methods."),
  authorization_response_iss_parameter_supported: flag("Authorization responses contain `iss` (RFC 9207)."),
  ui_locales_supported: names("Languages of the hosted pages."),
};

/** The answers of OAuth 2.0 and OpenID Connect, in the words of their specifications. */
export const openIdAnswers = {
  OAuthTokens: z
    .strictObject({
      access_token: text(
        "A JWT, like the access token of `POST /auth/callback`, with the client ID and the granted scopes.",
      ),
      token_type: z.enum(["Bearer"]).describe("Send it as `Authorization: Bearer`."),
      expires_in: number("Seconds until the access token expires."),
      scope: text("The granted scopes, separated by spaces."),
      refresh_token: text("With the scope `offline_access`, or if the client always gets one. Works once.").optional(),
      id_token: text("A JWT about the sign-in, for the client only. With the scope `openid`.").optional(),
    })
    .describe("The tokens of a login."),
  UserInfo: z
    .looseObject({
      sub: text("The User ID, `usr_…`."),
      name: text("The display name.").optional(),
      preferred_username: text(
        "The user's email address, if it is verified, or the application's own claim with this name.",
      ).optional(),
      picture: address("The URL of the user's picture.").optional(),
      locale: text("The language of the pages at the last sign-in.").optional(),
      updated_at: seconds("When the profile was last changed.").optional(),
      email: z.email().optional().describe("The user's email address."),
      groups: names("The names of the user's groups, with the scope `groups`.").optional(),
      email_verified: flag("Whether the email address is verified.").optional(),
    })
    .describe(
      "The claims that the granted scopes and the `claims` parameter of the request select, and the application's own claims. Claims without a value are omitted.",
    ),
  Introspection: z
    .looseObject({
      active: flag("Whether the token is valid."),
      token_type: z.enum(["Bearer"]).optional().describe("Only for an access token."),
      iss: address("The issuer.").optional(),
      sub: text("The User ID.").optional(),
      aud: text("The App ID; only for an access token.").optional(),
      client_id: text("The client that the token was issued to.").optional(),
      scope: text("Its scopes, separated by spaces.").optional(),
      exp: seconds("When the token expires.").optional(),
      iat: seconds("When the token was issued.").optional(),
      jti: text("The token's ID; only for an access token.").optional(),
      sid: text("The login, `lgn_…`.").optional(),
      act: actor.optional(),
    })
    .describe(
      "RFC 7662, with the application's own claims for an access token. For an inactive token, only `active` is returned.",
    ),
  PushedRequest: z
    .strictObject({
      request_uri: text("Send it to `/oauth2/authorize` with `client_id`. Valid until a sign-in with it has ended."),
      expires_in: number("Seconds until it expires."),
    })
    .describe("RFC 9126, section 2.2."),
  Revoked: z.strictObject({}).describe("RFC 7009. The same for an unknown token."),
  ServerMetadata: z.strictObject(serverMetadata).describe("RFC 8414."),
  Discovery: z
    .strictObject({
      ...serverMetadata,
      userinfo_endpoint: address("The userinfo endpoint."),
      end_session_endpoint: address("The end-session endpoint."),
      backchannel_logout_supported: flag("Clients can receive logout tokens."),
      backchannel_logout_session_supported: flag("Logout tokens contain `sid`."),
      subject_types_supported: names("`sub` is the same for every client of an application."),
      id_token_signing_alg_values_supported: names("Algorithms of ID tokens; each client has one."),
      acr_values_supported: names("`…:1` for one factor, `…:2` for two."),
      prompt_values_supported: names("Supported values of `prompt`."),
      claims_supported: names("Claims of ID tokens and of userinfo."),
      claims_parameter_supported: flag("The `claims` parameter is supported."),
      request_parameter_supported: flag("Request objects are not supported."),
      request_uri_parameter_supported: flag("Request objects at a URL are not supported."),
    })
    .describe("OpenID Connect Discovery 1.0, section 3."),
} as const;
