import { z } from "zod";
import { actor, address, flag, number, text } from "./parts.ts";

const names = (about: string) => z.array(z.string()).describe(about);
const seconds = (about: string) => number(`${about} Unix time (seconds).`);

const serverMetadata = {
  issuer: address("The `iss` of tokens and of authorization responses."),
  authorization_endpoint: address("Where a client sends a browser."),
  token_endpoint: address("Where a client gets tokens."),
  introspection_endpoint: address("Where a client asks about a token."),
  pushed_authorization_request_endpoint: address("Where a client sends its request before the browser: RFC 9126."),
  revocation_endpoint: address("Where a client ends a login."),
  jwks_uri: address("The key set."),
  scopes_supported: names("Scopes that a client can ask for."),
  response_types_supported: names("Only the code flow."),
  response_modes_supported: names("How the code comes back."),
  grant_types_supported: names("Grants of the token endpoint."),
  token_endpoint_auth_methods_supported: names("How clients authenticate."),
  token_endpoint_auth_signing_alg_values_supported: names("Algorithms of client assertions."),
  introspection_endpoint_auth_methods_supported: names("How clients authenticate there."),
  introspection_endpoint_auth_signing_alg_values_supported: names("Algorithms of client assertions."),
  revocation_endpoint_auth_methods_supported: names("How clients authenticate there."),
  revocation_endpoint_auth_signing_alg_values_supported: names("Algorithms of client assertions."),
  code_challenge_methods_supported: names("Methods of PKCE."),
  authorization_response_iss_parameter_supported: flag("Authorization responses carry `iss`: RFC 9207."),
  ui_locales_supported: names("Languages of the hosted pages."),
};

/** The answers of OAuth 2.0 and OpenID Connect, in the words of their specifications. */
export const openIdAnswers = {
  OAuthTokens: z
    .strictObject({
      access_token: text("A JWT. The same as the access token of a callback, with the client and its scopes."),
      token_type: z.enum(["Bearer"]).describe("Send it as `Authorization: Bearer`."),
      expires_in: number("Seconds until the access token ends."),
      scope: text("The granted scopes, separated by spaces."),
      refresh_token: text(
        "With `offline_access`, or where the client always gets one. Good for one refresh.",
      ).optional(),
      id_token: text("A JWT about the sign-in, for the client only. With the scope `openid`.").optional(),
    })
    .describe("The tokens of a login."),
  UserInfo: z
    .looseObject({
      sub: text("The user's id, `usr_…`."),
      name: text("The display name.").optional(),
      preferred_username: text(
        "The user's address, once it is verified; or the application's own claim of this name.",
      ).optional(),
      picture: address("The user's picture.").optional(),
      locale: text("The language of the pages at the last sign-in.").optional(),
      updated_at: seconds("When the profile was changed.").optional(),
      email: z.email().optional().describe("The user's address."),
      groups: names("The names of the user's groups, with the scope `groups`.").optional(),
      email_verified: flag("Whether the user has proven the address.").optional(),
    })
    .describe(
      "The user, as the scopes and the `claims` parameter of the request show it. Also the application's own claims. Unknown claims are omitted.",
    ),
  Introspection: z
    .looseObject({
      active: flag("Whether the token can be used now."),
      token_type: z.enum(["Bearer"]).optional().describe("Of an access token."),
      iss: address("The issuer.").optional(),
      sub: text("The user's id.").optional(),
      aud: text("The App ID, of an access token.").optional(),
      client_id: text("The client that got the token.").optional(),
      scope: text("Its scopes, separated by spaces.").optional(),
      exp: seconds("When it ends.").optional(),
      iat: seconds("When it was issued.").optional(),
      jti: text("The id of an access token.").optional(),
      sid: text("The login, `lgn_…`.").optional(),
      act: actor.optional(),
    })
    .describe(
      "RFC 7662, and the application's own claims of an access token. For a token that is not active, only `active` is returned.",
    ),
  PushedRequest: z
    .strictObject({
      request_uri: text("For `/oauth2/authorize`, with `client_id`. Good until a sign-in by it ended."),
      expires_in: number("Seconds until it ends."),
    })
    .describe("RFC 9126, section 2.2."),
  Revoked: z.strictObject({}).describe("RFC 7009. The same for a token that was not known."),
  ServerMetadata: z.strictObject(serverMetadata).describe("RFC 8414."),
  Discovery: z
    .strictObject({
      ...serverMetadata,
      userinfo_endpoint: address("Where a client reads about the user."),
      end_session_endpoint: address("Where a client sends a browser to sign out."),
      backchannel_logout_supported: flag("Clients get logout tokens."),
      backchannel_logout_session_supported: flag("With `sid`."),
      subject_types_supported: names("`sub` is the same for every client of an application."),
      id_token_signing_alg_values_supported: names("Algorithms of ID tokens; each client has one."),
      acr_values_supported: names("Two for two factors, one for one."),
      prompt_values_supported: names("Values of `prompt`."),
      claims_supported: names("Claims of ID tokens and of userinfo."),
      claims_parameter_supported: flag("The `claims` parameter is read."),
      request_parameter_supported: flag("Request objects are not read."),
      request_uri_parameter_supported: flag("Nor are those at an address."),
    })
    .describe("OpenID Connect Discovery 1.0, section 3."),
  OAuthError: z
    .strictObject({
      error: text("The code of RFC 6749, section 5.2, or RFC 6750, section 3.1."),
      error_description: text("What is wrong, for developers."),
    })
    .describe("An error of OAuth 2.0."),
} as const;
