import type { Application } from "../../applications/application.ts";
import { isConfidential, isShutByDefault, type ClientAnswer } from "../../applications/clients/client.ts";
import { isSigningAllowed } from "../../applications/clients/profile.ts";
import type { SecretAnswer } from "../../applications/clients/secrets.ts";
import { builtIn } from "../../applications/resources/built-in.ts";
import type { ResourceAnswer } from "../../applications/resources/resource.ts";
import { day, isoTime } from "../../lib/clock.ts";
import { warning, problem, type Finding } from "./finding.ts";

/** A program that nobody has used for this long is probably gone. */
const unusedFor = 365 * day;
const endsSoon = 14 * day;

type Surroundings = { now: number; isDevelopment: boolean; resources: ResourceAnswer[]; baseUrl: string };

/** The problems of a client. `secrets`: its own. `resources`: all. */
export function clientFindings(
  client: ClientAnswer,
  secrets: SecretAnswer[],
  { now, isDevelopment, resources, baseUrl }: Surroundings,
): Finding[] {
  if (client.disabledAt !== null) return [];
  return [
    ...(["machine", "device", "proxy"].includes(client.kind) ? [] : redirectFindings(client, isDevelopment)),
    ...proofFindings(client),
    ...resourceFindings(client, [...resources, builtIn(baseUrl, client.appId)]),
    ...unusedFindings(client, now),
    ...secretFindings(client, secrets, now),
  ];
}

/** Where clients let nobody in by default: those that nobody may use, or everybody. */
export function accessFindings(
  { id: appId, settings }: Pick<Application, "id" | "settings">,
  clients: ClientAnswer[],
): Finding[] {
  if (settings.clientsDefaultAccess === undefined) return [];
  const enabled = clients.filter((client) => client.appId === appId && client.disabledAt === null);
  return enabled.flatMap((client) => {
    const { id, kind, access } = client;
    if (isShutByDefault({ id: appId, settings }, client))
      return [warning("clients", `Nobody may use ${id}: it has no allowed groups.`, fixOf(id))];
    // With open sign-up, this is a problem that is named elsewhere.
    const isOpen = kind === "proxy" && access === "everyone" && settings.signUp === "closed";
    return isOpen ? [warning("clients", `Everybody of ${appId} may use ${id}.`, fixOf(id))] : [];
  });
}

function fixOf(id: string): string {
  return `authsvc client update ${id} --allowed-groups GROUP`;
}

/** Unregistered clients need the permission of the application and of a resource. */
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
          `${id} allows unregistered clients, but none of its resources does.`,
          "authsvc resource update IDENTIFIER --client-documents on",
        ),
      ]
    : [
        warning(
          "clients",
          `${allowing[0]?.identifier} allows unregistered clients, but ${id} does not.`,
          `authsvc app update ${id} --client-documents any`,
        ),
      ];
}

function redirectFindings({ id, kind, redirectUris, deviceGrant }: ClientAnswer, isDevelopment: boolean): Finding[] {
  const fix = `authsvc client update ${id} --redirect-uri URI`;
  if (redirectUris.length === 0 && !deviceGrant)
    return [warning("clients", `Nobody can sign in to ${id}: it has no redirect URI.`, fix)];
  // Plain http is only for this machine: programs on a device listen on it, and developers do.
  const plain = kind === "native" || isDevelopment ? [] : redirectUris.filter((uri) => uri.startsWith("http:"));
  return plain.map((uri) => warning("clients", `${id} redirects to ${uri}, which is not https.`, fix));
}

type Known = Pick<ResourceAnswer, "identifier" | "scopes">;

function scopesOf(identifiers: string[], all: Known[]): string[] {
  const named = all.filter(({ identifier }) => identifiers.includes(identifier));
  return named.flatMap(({ scopes }) => scopes.map(({ name }) => name));
}

function resourceFindings(client: ClientAnswer, all: Known[]): Finding[] {
  const { id, kind, resources, resourceScopes, exchangeTo } = client;
  if (kind === "machine" && resources.length === 0 && exchangeTo.length === 0)
    return [
      warning("clients", `${id} can get no token: it has no resource.`, `authsvc client update ${id} --resource URI`),
    ];
  const known = scopesOf([...resources, ...exchangeTo], all);
  const unknown = resourceScopes?.filter((scope) => !known.includes(scope)) ?? [];
  const what = `${id} may request ${unknown.join(", ")}, which no resource of it has.`;
  return [
    ...(unknown.length === 0 ? [] : [warning("clients", what, `authsvc client update ${id} --scope SCOPE`)]),
    ...exchangeFindings(client, all),
  ];
}

/** A scope is kept only where both resources have its name. */
function exchangeFindings(client: ClientAnswer, all: Known[]): Finding[] {
  const { id, kind, resources, resourceScopes, exchangeTo, audienceOf } = client;
  const presented = scopesOf([...audienceOf, ...(kind === "machine" ? [] : resources)], all);
  const kept = presented.filter((scope) => resourceScopes?.includes(scope) !== false);
  return exchangeTo
    .filter((target) => !scopesOf([target], all).some((scope) => kept.includes(scope)))
    .map((target) => {
      const what = `${id} can exchange no token for ${target}: no resource whose tokens it has shares a scope with it.`;
      return warning("clients", what, `authsvc client update ${id} --audience-of URI`);
    });
}

function proofFindings({ id, dpop, dpopNonce }: ClientAnswer): Finding[] {
  if (dpop !== "off" || !dpopNonce) return [];
  const what = `${id} demands nonces in DPoP proofs, but its proofs are ignored.`;
  return [warning("clients", what, `authsvc client update ${id} --dpop optional`)];
}

function unusedFindings({ id, createdAt, lastUsedAt }: ClientAnswer, now: number): Finding[] {
  if (now - Date.parse(lastUsedAt ?? createdAt) < unusedFor) return [];
  const since = lastUsedAt === null ? "never been used" : `not been used since ${lastUsedAt}`;
  return [warning("clients", `${id} has ${since}.`, `authsvc client delete ${id}`)];
}

/** An ending secret is not a problem while another one is valid for longer. */
function secretFindings(
  { id, kind, profile, jwks, trusts }: ClientAnswer,
  secrets: SecretAnswer[],
  now: number,
): Finding[] {
  if (!isConfidential({ kind }) || jwks !== null || trusts.length > 0) return [];
  if (profile !== null)
    return [
      problem(
        "clients",
        `${id} cannot authenticate: its profile ${profile} needs keys.`,
        `authsvc client update ${id} --jwks-file FILE`,
      ),
    ];
  const fix = `authsvc client secret create ${id}`;
  const live = secrets.filter(({ state }) => state === "live");
  if (live.length === 0)
    return [
      problem(
        "clients",
        `${id} cannot authenticate: it has no live secret, no keys and no credential of an issuer.`,
        fix,
      ),
    ];
  const ends = live.map(({ expiresAt }) => (expiresAt === null ? Infinity : Date.parse(expiresAt)));
  const last = Math.max(...ends);
  return last - now > endsSoon
    ? []
    : [warning("clients", `The last secret of ${id} ends at ${isoTime(last)}.`, `authsvc client secret rotate ${id}`)];
}

/** Their profile does not allow RS256. */
export function signingFindings(application: Application, clients: ClientAnswer[]): Finding[] {
  const bound = clients.filter(({ appId, profile }) => appId === application.id && profile !== null);
  if (bound.length === 0 || isSigningAllowed(application)) return [];
  const names = bound.map(({ id }) => id).join(", ");
  const what = `${application.id} signs access tokens by RS256, which the profile of ${names} does not allow.`;
  return [problem("clients", what, `authsvc app update ${application.id} --signing-algorithm ES256`)];
}

/** `problems`: why the keys of issuers cannot be read, by issuer. */
export function trustFindings({ id, trusts }: ClientAnswer, problems: Map<string, string>): Finding[] {
  const issuers = [...new Set(trusts.map(({ issuer }) => issuer))];
  return issuers.flatMap((issuer) => {
    const problem = problems.get(issuer);
    const what = `${id} trusts ${issuer}, whose tokens cannot be checked: ${problem ?? ""}.`;
    return problem === undefined ? [] : [warning("clients", what, `authsvc client credential list ${id}`)];
  });
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
