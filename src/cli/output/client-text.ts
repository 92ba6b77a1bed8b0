import type { ClientAnswer } from "../../applications/clients/client.ts";
import type { Screen } from "./screen.ts";
import { facts } from "./text.ts";

export function clientText(client: ClientAnswer, screen: Screen): string {
  const { redirectUris, postLogoutRedirectUris, jwks, lastUsedAt, disabledAt } = client;
  const { resources, resourceScopes } = client;
  const ofResources: [string, string][] =
    resources.length === 0
      ? []
      : [...lines("Resources", resources), ["Their scopes", resourceScopes?.join(", ") ?? "all"]];
  const common: [string, string][] = [
    ["Client ID", client.id],
    ["App ID", client.appId],
    ["Name", client.name],
    ["Kind", client.kind],
    ...ofResources,
  ];
  const state: [string, string][] = [
    ["Public keys", jwks === null ? "-" : `${jwks.keys.length}, audience ${client.assertionAudience}`],
    ["State", disabledAt === null ? "on" : `off since ${screen.moment(disabledAt)}`],
    ["Last used", lastUsedAt === null ? "-" : screen.moment(lastUsedAt)],
  ];
  if (client.kind === "machine") return facts([...common, ...state]);
  const addresses: [string, string][] =
    client.kind === "device"
      ? []
      : [
          ...lines("Redirect URIs", redirectUris),
          ...lines("After logout", postLogoutRedirectUris),
          ["Device grant", client.deviceGrant ? "on" : "off"],
          ["PKCE", client.requirePkce ? "required" : "not required"],
        ];
  return facts([
    ...common,
    ...addresses,
    ["Back-channel logout", client.backchannelLogoutUri ?? "-"],
    ["Scopes", client.scopes.join(", ")],
    ["Consent", client.consent],
    ["ID tokens", `${client.idTokenAlg}, ${client.idTokenClaims} claims`],
    ["Refresh tokens", client.refreshTokens === "always" ? "always" : "with offline_access"],
    ["Allowed groups", client.allowedGroups?.join(", ") ?? "everybody"],
    ["Second factor", client.secondFactor ?? "off"],
    ...state,
  ]);
}

function lines(name: string, values: string[]): [string, string][] {
  return (values.length === 0 ? ["-"] : values).map((value, index) => [index === 0 ? name : "", value]);
}

export function newSecretText({ id, clientId, secret }: { id: string; clientId: string; secret: string }): string {
  return facts([
    ["Secret ID", id],
    ["Client ID", clientId],
    ["Client secret", secret],
  ]);
}

export const secretIsShownOnce = "The client secret is shown only once. Store it where the program reads its secrets.";
