import type { Application } from "../../applications/application.ts";
import { isConfidential, type ClientAnswer } from "../../applications/clients/client.ts";
import type { SecretAnswer } from "../../applications/clients/secrets.ts";
import type { ResourceAnswer } from "../../applications/resources/resource.ts";
import { day, isoTime } from "../../lib/clock.ts";
import { warning, problem, type Finding } from "./finding.ts";

/** A program that nobody has used for this long is probably gone. */
const unusedFor = 365 * day;
const endsSoon = 14 * day;

/** What is wrong with a client. `secrets`: its own. `resources`: all. */
export function clientFindings(
  client: ClientAnswer,
  secrets: SecretAnswer[],
  { now, isDevelopment, resources }: { now: number; isDevelopment: boolean; resources: ResourceAnswer[] },
): Finding[] {
  if (client.disabledAt !== null) return [];
  return [
    ...(client.kind === "machine" ? [] : redirectFindings(client, isDevelopment)),
    ...resourceFindings(client, resources),
    ...unusedFindings(client, now),
    ...secretFindings(client, secrets, now),
  ];
}

/** Clients that nobody registered take the consent of the application and of a resource. */
export function documentFindings(
  { id, settings }: Pick<Application, "id" | "settings">,
  resources: ResourceAnswer[],
): Finding[] {
  const allowing = resources.filter(({ appId, clientDocuments }) => appId === id && clientDocuments);
  const allows = settings.clientDocuments !== undefined;
  if (allows === allowing.length > 0) return [];
  return allows
    ? [
        warning(
          "clients",
          `${id} allows clients that nobody registered, but none of its resources does.`,
          "authsvc resource update IDENTIFIER --client-documents on",
        ),
      ]
    : [
        warning(
          "clients",
          `${allowing[0]?.identifier} allows clients that nobody registered, but ${id} does not.`,
          `authsvc app update ${id} --client-documents any`,
        ),
      ];
}

function redirectFindings({ id, kind, redirectUris }: ClientAnswer, isDevelopment: boolean): Finding[] {
  const fix = `authsvc client update ${id} --redirect-uri URI`;
  if (redirectUris.length === 0)
    return [warning("clients", `Nobody can sign in to ${id}: it has no redirect URI.`, fix)];
  // Plain http is only for this machine: programs on a device listen on it, and developers do.
  const plain = kind === "native" || isDevelopment ? [] : redirectUris.filter((uri) => uri.startsWith("http:"));
  return plain.map((uri) => warning("clients", `${id} redirects to ${uri}, which is not https.`, fix));
}

function resourceFindings({ id, kind, resources, resourceScopes }: ClientAnswer, all: ResourceAnswer[]): Finding[] {
  if (kind === "machine" && resources.length === 0)
    return [
      warning("clients", `${id} can get no token: it has no resource.`, `authsvc client update ${id} --resource URI`),
    ];
  const known = all
    .filter(({ identifier }) => resources.includes(identifier))
    .flatMap(({ scopes }) => scopes.map(({ name }) => name));
  const unknown = resourceScopes?.filter((scope) => !known.includes(scope)) ?? [];
  if (unknown.length === 0) return [];
  const what = `${id} may request ${unknown.join(", ")}, which no resource of it has.`;
  return [warning("clients", what, `authsvc client update ${id} --scope SCOPE`)];
}

function unusedFindings({ id, createdAt, lastUsedAt }: ClientAnswer, now: number): Finding[] {
  if (now - Date.parse(lastUsedAt ?? createdAt) < unusedFor) return [];
  const since = lastUsedAt === null ? "never been used" : `not been used since ${lastUsedAt}`;
  return [warning("clients", `${id} has ${since}.`, `authsvc client delete ${id}`)];
}

/** An ending secret is no problem while another one lasts. */
function secretFindings({ id, kind, jwks }: ClientAnswer, secrets: SecretAnswer[], now: number): Finding[] {
  if (!isConfidential({ kind }) || jwks !== null) return [];
  const fix = `authsvc client secret create ${id}`;
  const live = secrets.filter(({ state }) => state === "live");
  if (live.length === 0)
    return [problem("clients", `${id} cannot authenticate: it has no live secret and no keys.`, fix)];
  const ends = live.map(({ expiresAt }) => (expiresAt === null ? Infinity : Date.parse(expiresAt)));
  const last = Math.max(...ends);
  return last - now > endsSoon
    ? []
    : [warning("clients", `The last secret of ${id} ends at ${isoTime(last)}.`, `authsvc client secret rotate ${id}`)];
}

/** Programs that ask for an address often refuse people without one. */
export function addressFindings(appId: string, clients: ClientAnswer[]): Finding[] {
  const asking = clients.filter(({ scopes, disabledAt }) => disabledAt === null && scopes.includes("email"));
  if (asking.length === 0) return [];
  const names = asking.map(({ id }) => id).join(", ");
  return [
    warning(
      "clients",
      `Users of ${appId} without an address may not get into ${names}, which may request the scope email.`,
      `authsvc client update ${asking[0]?.id ?? "ID"} --scope openid profile`,
    ),
  ];
}
