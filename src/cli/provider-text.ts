import type { ProviderAnswer } from "../oauth/accounts.ts";
import { facts } from "./text.ts";

/** A provider of an application for people. */
export function providerFacts({
  name,
  displayName,
  clientId,
  enabled,
  callbackUrl,
  endpoints,
}: ProviderAnswer): string {
  const { authorizationUrl, issuer } = endpoints;
  return facts([
    ["Provider", `${displayName} (${name})`],
    ["Client ID", clientId],
    ["Enabled", enabled ? "yes" : "no"],
    ["Redirect URI", callbackUrl],
    ...(issuer === undefined ? [] : [["Issuer", issuer] as [string, string]]),
    ...(authorizationUrl === undefined ? [] : [["Authorization", authorizationUrl] as [string, string]]),
  ]);
}
