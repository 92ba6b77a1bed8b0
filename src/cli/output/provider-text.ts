import type { ProviderAnswer } from "../../applications/providers/provider-clients.ts";
import { facts } from "./text.ts";

/** An application's provider, for people. */
export function providerFacts({
  name,
  displayName,
  clientId,
  enabled,
  callbackUrl,
  endpoints,
  trustsEmail,
  trustsSecondFactor,
  emailClaim,
}: ProviderAnswer): string {
  const { authorizationUrl, issuer } = endpoints;
  return facts([
    ["Provider", `${displayName} (${name})`],
    ["Client ID", clientId],
    ["Enabled", enabled ? "yes" : "no"],
    ["Redirect URI", callbackUrl],
    ["Trusts email", trustsEmail ? "yes" : "no"],
    ["Trusts second factor", trustsSecondFactor === null ? "no" : `if ${trustsSecondFactor}`],
    ...(emailClaim === "email" ? [] : [["Address", `the claim ${emailClaim}`] as [string, string]]),
    ...(issuer === undefined ? [] : [["Issuer", issuer] as [string, string]]),
    ...(authorizationUrl === undefined ? [] : [["Authorization", authorizationUrl] as [string, string]]),
  ]);
}
