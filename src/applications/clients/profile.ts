/** The requirements of the FAPI 2.0 Security Profile for a client (docs/decisions/0062). */
import { invalidRequest } from "../../lib/errors.ts";
import type { Application } from "../application.ts";
import { isConfidential, type Client } from "./client.ts";
import { assertionAlgorithms } from "./jwks.ts";
import type { ClientChange } from "./settings.ts";

/** FAPI 2.0 Security Profile §5.4.1 does not allow it. */
const refusedAlgorithm = "RS256";

/** Settings with one possible value. */
const demanded = { requirePkce: true, assertionAudience: "issuer", dpop: "required" } as const;

/**
 * A changed client, with everything that its profile requires. Throws INVALID_REQUEST naming the
 * field that contradicts the profile. `isDevelopment`: http on this machine is allowed.
 */
export function inProfile(
  client: Client,
  change: ClientChange,
  application: Pick<Application, "settings">,
  { isDevelopment }: { isDevelopment: boolean },
): Client {
  const { profile, redirectUris, jwks, idTokenAlg } = client;
  if (profile === null) return client;
  const refuse = (field: string, rule: string): never => {
    throw invalidRequest(field, `${rule} with the profile ${profile}`);
  };
  if (!isConfidential(client)) refuse("profile", "kind web or machine, which have keys,");
  if (change.profile && !isSigningAllowed(application))
    refuse("profile", `the application must not sign its access tokens by ${refusedAlgorithm}`);
  for (const [field, value] of Object.entries(demanded) as [keyof typeof demanded, string | boolean][])
    if ((change[field] ?? value) !== value) refuse(field, `always ${value === true ? "on" : value}`);
  if (change.idTokenAlg === refusedAlgorithm) refuse("idTokenAlg", "ES256 or EdDSA");
  if (jwks?.keys.some(({ alg }) => alg === refusedAlgorithm)) refuse("jwks", `no key for ${refusedAlgorithm}`);
  if (client.trusts.length > 0) refuse("trusts", "none: it authenticates by its own keys");
  const plain = isDevelopment ? -1 : redirectUris.findIndex((uri) => !uri.startsWith("https:"));
  if (plain !== -1) refuse(`redirectUris[${plain}]`, "https only");
  return { ...client, ...demanded, idTokenAlg: idTokenAlg === refusedAlgorithm ? "ES256" : idTokenAlg };
}

/** Whether clients with the profile may get the application's access tokens. */
export function isSigningAllowed({ settings }: Pick<Application, "settings">): boolean {
  return settings.signingAlgorithm !== refusedAlgorithm;
}

/** The algorithms of the client's assertions and DPoP proofs. */
export function signatureAlgorithmsOf({ profile }: Pick<Client, "profile">): string[] {
  return profile === null ? assertionAlgorithms : assertionAlgorithms.filter((name) => name !== refusedAlgorithm);
}
