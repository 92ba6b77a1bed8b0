import type { ClientAnswer } from "../../applications/clients/client.ts";
import type { DocumentAnswer } from "../../applications/documents/service.ts";
import type { Trust } from "../../storage/column-types.ts";
import type { Screen } from "./screen.ts";
import { facts } from "./text.ts";

export function clientText(client: ClientAnswer, screen: Screen): string {
  const { redirectUris, postLogoutRedirectUris, jwks, lastUsedAt, disabledAt } = client;
  const { resources, resourceScopes, exchangeTo, audienceOf, trusts } = client;
  const named = (name: string, uris: string[]) => (uris.length === 0 ? [] : lines(name, uris));
  const ofResources: [string, string][] = [
    ...named("Resources", resources),
    ...named("Exchanges to", exchangeTo),
    ...named("Is the API of", audienceOf),
    ...(resources.length + exchangeTo.length === 0
      ? []
      : ([["Their scopes", resourceScopes?.join(", ") ?? "all"]] as [string, string][])),
  ];
  const common: [string, string][] = [
    ["Client ID", client.id],
    ["App ID", client.appId],
    ["Name", client.name],
    ["Kind", client.kind],
    ...ofResources,
    ...(client.profile === null ? [] : [["Profile", client.profile] satisfies [string, string]]),
  ];
  const state: [string, string][] = [
    ["DPoP", `${client.dpop ?? "optional"}${client.dpopNonce ? ", with nonce" : ""}`],
    ["Public keys", jwks === null ? "-" : `${jwks.keys.length}, audience ${client.assertionAudience}`],
    ...named(
      "Trusts",
      trusts.map(({ issuer, subject }) => `${subject} of ${issuer}`),
    ),
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

/** An unregistered client. */
export function documentText(document: DocumentAnswer, screen: Screen): string {
  const { id, name, appIds, users, lastUsedAt, createdAt, updatedAt, blockedAt } = document;
  return facts([
    ["Client ID", id],
    ["Calls itself", name ?? "-"],
    ["Kind", "document"],
    ...lines("App IDs", appIds),
    ["Users", String(users)],
    ["First seen", screen.moment(createdAt)],
    ["Last change", screen.moment(updatedAt)],
    ["State", blockedAt === null ? "on" : `blocked since ${screen.moment(blockedAt)}`],
    ["Last used", lastUsedAt === null ? "-" : screen.moment(lastUsedAt)],
  ]);
}

function lines(name: string, values: string[]): [string, string][] {
  return (values.length === 0 ? ["-"] : values).map((value, index) => [index === 0 ? name : "", value]);
}

export function trustText({ id, issuer, subject, audience }: Trust, ownIssuer: string): string {
  return facts([
    ["Credential ID", id],
    ["Issuer", issuer],
    ["Subject", subject],
    ["Audience", audience ?? ownIssuer],
  ]);
}

export function newSecretText({ id, clientId, secret }: { id: string; clientId: string; secret: string }): string {
  return facts([
    ["Secret ID", id],
    ["Client ID", clientId],
    ["Client secret", secret],
  ]);
}

export const secretIsShownOnce = "The client secret is shown only once. Store it where the program reads its secrets.";
