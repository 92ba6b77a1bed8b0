import { organizationScope } from "../applications/clients/client.ts";
import { assertionAlgorithms } from "../applications/clients/jwks.ts";
import { z } from "zod";
import { acrValues } from "../factors/assurance.ts";
import { forEverybody, json } from "../http/answer.ts";
import { grantTypesOf } from "../openid/token-grants.ts";
import { offered, type Offered } from "../openid/offered.ts";
import { userClaimNames } from "../openid/user-claims.ts";
import { organizationClaimNames } from "../organizations/claims.ts";
import { pageLanguages } from "../look/texts/texts.ts";
import { proofAlgorithms } from "../tokens/dpop/proof.ts";
import { address, flag } from "./fields.ts";
import { named, type Operation } from "./operation.ts";

const maxAgeSeconds = 600;

const signingAlgorithms = ["RS256", "ES256", "EdDSA"];

const idTokenClaimNames = [
  "sub",
  "iss",
  "aud",
  "azp",
  "exp",
  "iat",
  "auth_time",
  "nonce",
  "acr",
  "amr",
  "sid",
  "at_hash",
];

/** For clients that can keep a secret. */
const confidentialMethods = ["client_secret_basic", "client_secret_post", "private_key_jwt"];

/** The metadata of this authorization server (RFC 8414 §2). */
function serverMetadata(issuer: string, offer: Offered) {
  const { devices, clientDocuments, dpop, organizations } = offer;
  const authentication = (methods: string[]) => ({ methods, algorithms: [...assertionAlgorithms] });
  const [confidential, any] = [authentication(confidentialMethods), authentication([...confidentialMethods, "none"])];
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth2/authorize`,
    token_endpoint: `${issuer}/oauth2/token`,
    introspection_endpoint: `${issuer}/oauth2/introspect`,
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    pushed_authorization_request_endpoint: `${issuer}/oauth2/par`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    scopes_supported: [
      "openid",
      "profile",
      "email",
      "groups",
      "offline_access",
      ...(organizations ? [organizationScope] : []),
    ],
    response_types_supported: ["code"],
    response_modes_supported: ["query", "form_post"],
    grant_types_supported: grantTypesOf(offer),
    token_endpoint_auth_methods_supported: any.methods,
    token_endpoint_auth_signing_alg_values_supported: any.algorithms,
    introspection_endpoint_auth_methods_supported: confidential.methods,
    introspection_endpoint_auth_signing_alg_values_supported: confidential.algorithms,
    revocation_endpoint_auth_methods_supported: any.methods,
    revocation_endpoint_auth_signing_alg_values_supported: any.algorithms,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    ui_locales_supported: [...pageLanguages.keys()],
    ...(devices ? { device_authorization_endpoint: `${issuer}/oauth2/device_authorization` } : {}),
    ...(dpop ? { dpop_signing_alg_values_supported: [...proofAlgorithms] } : {}),
    ...(clientDocuments ? { client_id_metadata_document_supported: true } : {}),
  };
}

/**
 * The same, with the members of OpenID Connect (Discovery 1.0 §3). False: members whose default is
 * true.
 */
function providerMetadata(issuer: string, offered: Offered) {
  return {
    ...serverMetadata(issuer, offered),
    userinfo_endpoint: `${issuer}/oauth2/userinfo`,
    end_session_endpoint: `${issuer}/oauth2/end-session`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: signingAlgorithms,
    acr_values_supported: [...acrValues],
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    claims_supported: [
      ...idTokenClaimNames,
      ...userClaimNames,
      ...(offered.organizations ? organizationClaimNames : []),
    ],
    claims_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
}

const names = (about: string) => z.array(z.string()).describe(about);

const serverFields = () => ({
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
  device_authorization_endpoint: address(
    "The device authorization endpoint (RFC 8628), while a client may use it.",
  ).optional(),
  dpop_signing_alg_values_supported: names(
    "Algorithms of DPoP proofs. Only if a client is set to use DPoP.",
  ).optional(),
  client_id_metadata_document_supported: flag(
    "A client ID may be the URL of a metadata document (draft-ietf-oauth-client-id-metadata-document). Omitted if not supported.",
  ).optional(),
});

const exampleIssuer = "https://auth.example.com";
const exampleOffer: Offered = {
  machines: false,
  devices: false,
  exchange: false,
  clientDocuments: false,
  dpop: false,
  organizations: false,
};

export const getDiscovery: Operation<unknown> = {
  id: "getDiscovery",
  tag: "OpenID Connect",
  summary: "Read the OpenID Connect discovery document",
  description: "OpenID Connect Discovery 1.0. A library needs only the issuer, the client ID and the secret.",
  answer: {
    schema: named(
      "Discovery",
      "OpenID Connect Discovery 1.0, section 3.",
      () =>
        z.strictObject({
          ...serverFields(),
          userinfo_endpoint: address("The userinfo endpoint."),
          end_session_endpoint: address("The end-session endpoint."),
          backchannel_logout_supported: flag("Clients can receive logout tokens."),
          backchannel_logout_session_supported: flag("Logout tokens contain `sid`."),
          subject_types_supported: names("`sub` is the same for every client of an application."),
          id_token_signing_alg_values_supported: names("Algorithms of ID tokens; each client has one."),
          acr_values_supported: names("`…:1` for one factor, `…:2` for two, `phr` for a passkey."),
          prompt_values_supported: names("Supported values of `prompt`."),
          claims_supported: names("Claims of ID tokens and of userinfo."),
          claims_parameter_supported: flag("The `claims` parameter is supported."),
          request_parameter_supported: flag("Request objects are not supported."),
          request_uri_parameter_supported: flag("Request objects at a URL are not supported."),
        }),
      providerMetadata(exampleIssuer, exampleOffer),
    ),
    about: "Exactly what the service supports. May be cached.",
    hasTag: true,
  },
  respond: async (ctx, request) =>
    forEverybody(request, json(providerMetadata(ctx.baseUrl, await offered(ctx))), maxAgeSeconds),
};

export const getServerMetadata: Operation<unknown> = {
  id: "getServerMetadata",
  tag: "OpenID Connect",
  summary: "Read the OAuth 2.0 server metadata",
  description: "RFC 8414.",
  answer: {
    schema: named(
      "ServerMetadata",
      "RFC 8414.",
      () => z.strictObject(serverFields()),
      serverMetadata(exampleIssuer, exampleOffer),
    ),
    about: "May be cached.",
    hasTag: true,
  },
  respond: async (ctx, request) =>
    forEverybody(request, json(serverMetadata(ctx.baseUrl, await offered(ctx))), maxAgeSeconds),
};
