import type { ClientAnswer } from "../../applications/clients/client.ts";
import { isOfKind } from "../../applications/clients/rules.ts";
import { clientRows, type ClientField } from "../../applications/clients/settings.ts";
import type { DocumentAnswer } from "../../applications/documents/service.ts";
import { valueIn, type Setting } from "../../applications/setting.ts";
import type { Trust } from "../../storage/column-types.ts";
import type { Screen } from "./screen.ts";
import { settingText } from "./setting-text.ts";
import { facts } from "./text.ts";

const ofSignIns: ClientField[] = [
  "redirectUris",
  "postLogoutRedirectUris",
  "backchannelLogoutUri",
  "scopes",
  "consent",
  "requirePkce",
  "idTokenAlg",
  "idTokenClaims",
  "refreshTokens",
  "allowedGroups",
  "deviceGrant",
  "secondFactor",
];
/** A device has no address that people return to. */
const notOfDevices: ClientField[] = ["redirectUris", "postLogoutRedirectUris", "requirePkce", "deviceGrant"];
const onlyIfGiven: ClientField[] = [
  ...(["resources", "resourceScopes", "exchangeTo", "audienceOf", "trusts", "profile"] as const),
  ...(["loginIdleSeconds", "loginAbsoluteSeconds", "maxLogins", "refreshGraceSeconds"] as const),
];

export function clientText(client: ClientAnswer, screen: Screen): string {
  const { id, appId, name, kind, organizationId, lastUsedAt, disabledAt } = client;
  const settings = clientRows.filter(([field, row]) => {
    if (["name", "dpopNonce", "enabled"].includes(field) || (kind === "machine" && ofSignIns.includes(field)))
      return false;
    if (!isOfKind(kind, field, row)) return false;
    return kind !== "device" || !notOfDevices.includes(field);
  });
  return facts([
    ["Client ID", id],
    ["App ID", appId],
    ["Name", name],
    ["Kind", kind],
    ...(organizationId === undefined ? [] : [["Organization", organizationId] as [string, string]]),
    ...settings.flatMap(([field, row]) => settingFacts(client, field, row)),
    ["State", disabledAt === null ? "on" : `off since ${screen.moment(disabledAt)}`],
    ["Last used", lastUsedAt === null ? "-" : screen.moment(lastUsedAt)],
  ]);
}

function settingFacts(client: ClientAnswer, field: ClientField, row: Setting): [string, string][] {
  const value = field === "enabled" ? undefined : valueIn(client, field, row);
  if (field === "headers")
    return lines(
      row.label,
      (client.headers ?? []).map(({ name, from }) => `${name} from ${from}`),
    );
  if (field === "allowedGroups" && value === null && client.kind === "proxy")
    return [[row.label, client.access === "everyone" ? "-" : "none: nobody gets in"]];
  const isEmpty = value === null || (Array.isArray(value) && value.length === 0);
  if (isEmpty && onlyIfGiven.includes(field)) return [];
  if (field === "jwks") return [[row.label, client.jwks === null ? "-" : String(client.jwks.keys.length)]];
  if (field === "dpop" && client.dpopNonce) return [[row.label, `${settingText(row, value)}, with nonce`]];
  if (field === "trusts")
    return lines(
      row.label,
      client.trusts.map(({ issuer, subject }) => `${subject} of ${issuer}`),
    );
  return row.kind === "lines" ? lines(row.label, value as string[]) : [[row.label, settingText(row, value)]];
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
