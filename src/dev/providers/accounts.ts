import type { ProviderInput } from "../../applications/providers/provider-input.ts";
import { addressOf, appleTeam, issuerOf, type StandIn } from "./stand-ins.ts";
import { userinfoPaths } from "./userinfo.ts";

/** An app's client of a stand-in, configured as the real provider's documentation says. */
export function accountWith(standIn: StandIn, origin: string, appleKeyPem: string): ProviderInput {
  const { name, clientId, clientSecret, says } = standIn;
  const address = addressOf(origin, standIn);
  const client = { name, clientId, secret: clientSecret };
  // Left to discovery, like a custom issuer.
  if (name === "example") return { ...client, issuer: address };
  const complete = { ...client, authorizationUrl: `${address}/authorize`, tokenUrl: `${address}/token` };
  if ("userinfo" in says) {
    const [path = ""] = Object.keys(userinfoPaths[says.userinfo]);
    return { ...complete, userinfoUrl: `${address}${path}${name === "facebook" ? "?fields=id,name,email" : ""}` };
  }
  const withKeys = { ...complete, jwksUrl: `${address}/keys`, issuer: issuerOf(origin, standIn, "{tenantid}") };
  return name === "apple" ? { ...withKeys, ...appleTeam, secret: appleKeyPem } : withKeys;
}

/** OpenID Connect Discovery §3. */
export function discoveryOf(standIn: StandIn, origin: string): object {
  const address = addressOf(origin, standIn);
  return {
    issuer: issuerOf(origin, standIn),
    authorization_endpoint: `${address}/authorize`,
    token_endpoint: `${address}/token`,
    jwks_uri: `${address}/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: "idToken" in standIn.says ? [standIn.says.idToken] : [],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: standIn.namesIssuer,
  };
}
