import { assertionAlgorithms } from "../applications/clients/jwks.ts";
import { forEverybody, json, type Answer } from "../http/answer.ts";
import type { HttpRequest } from "../http/request.ts";
import { userClaimNames } from "../openid/user-claims.ts";
import { pageLanguages } from "../pages/texts/texts.ts";
import type { Context } from "../runtime/context.ts";

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

/** Of a client that can keep a secret. */
const confidentialMethods = ["client_secret_basic", "client_secret_post", "private_key_jwt"];

/** What clients need to know of this authorization server (RFC 8414 §2). */
function serverMetadata(issuer: string, assertionAlgorithms: readonly string[]) {
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
    scopes_supported: ["openid", "profile", "email", "groups", "offline_access"],
    response_types_supported: ["code"],
    response_modes_supported: ["query", "form_post"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: any.methods,
    token_endpoint_auth_signing_alg_values_supported: any.algorithms,
    introspection_endpoint_auth_methods_supported: confidential.methods,
    introspection_endpoint_auth_signing_alg_values_supported: confidential.algorithms,
    revocation_endpoint_auth_methods_supported: any.methods,
    revocation_endpoint_auth_signing_alg_values_supported: any.algorithms,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    ui_locales_supported: [...pageLanguages.keys()],
  };
}

/** The same with what OpenID Connect adds (Discovery 1.0 §3). False: what defaults to true. */
function providerMetadata(issuer: string, assertionAlgorithms: readonly string[]) {
  return {
    ...serverMetadata(issuer, assertionAlgorithms),
    userinfo_endpoint: `${issuer}/oauth2/userinfo`,
    end_session_endpoint: `${issuer}/oauth2/end-session`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: signingAlgorithms,
    acr_values_supported: ["urn:authsvc:acr:1", "urn:authsvc:acr:2"],
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    claims_supported: [...idTokenClaimNames, ...userClaimNames],
    claims_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
}

/** `assertionAlgorithms`: of client assertions. */
export function discoveryDocuments(issuer: string, assertionAlgorithms: readonly string[]) {
  return {
    Discovery: providerMetadata(issuer, assertionAlgorithms),
    ServerMetadata: serverMetadata(issuer, assertionAlgorithms),
  };
}

/** GET /.well-known/openid-configuration */
export function discoveryHandler({ baseUrl }: Context, request: HttpRequest): Answer {
  const { Discovery: document } = discoveryDocuments(baseUrl, assertionAlgorithms);
  return forEverybody(request, json(document), maxAgeSeconds);
}

/** GET /.well-known/oauth-authorization-server */
export function serverMetadataHandler({ baseUrl }: Context, request: HttpRequest): Answer {
  const { ServerMetadata: document } = discoveryDocuments(baseUrl, assertionAlgorithms);
  return forEverybody(request, json(document), maxAgeSeconds);
}
