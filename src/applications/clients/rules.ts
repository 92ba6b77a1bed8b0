import { isDeepStrictEqual } from "node:util";
import { AppError, invalidRequest } from "../../lib/errors.ts";
import { checkedId, checkedName } from "../../lib/names.ts";
import { checkedRedirectUris, redirectUriProblem } from "../../lib/redirect-uris.ts";
import type { ClientKind } from "../../storage/column-types.ts";
import type { Application } from "../application.ts";
import { isScopeName } from "../resources/rules.ts";
import { objectOf, problemWith, valueIn, type Setting } from "../setting.ts";
import { bareClient, flatClient, isConfidential, scopesOf, type Client } from "./client.ts";
import { checkedJwks } from "./jwks.ts";
import { checkedHeaders, checkedHosts, checkedPublicPaths, proxyFields } from "./proxy.ts";
import { clientRows, type ClientChange, type ClientField } from "./settings.ts";

export type NewClient = ClientChange & {
  id?: string;
  appId: string;
  name: string;
  kind?: ClientKind;
  /** Of a machine; it never changes. */
  organizationId?: string | null;
};

/** Why logout tokens cannot be sent to a URL; undefined if they can. */
export type UrlProblem = (url: string) => string | undefined;

/** The client that `input` describes. Throws INVALID_REQUEST naming the field. */
export function clientFrom(
  input: NewClient,
  application: Application,
  newId: string,
  urlProblem: UrlProblem,
  now: number,
): Client {
  const own = { id: checkedId(input.id ?? newId), name: input.name, kind: input.kind ?? "web" };
  // Its id is the `sub` of its tokens (RFC 9700 §4.15).
  if (own.kind === "machine" && own.id.startsWith("usr_"))
    throw invalidRequest("id", "must not start with usr_: a machine must not look like a user");
  const { organizationId = null } = input;
  if (organizationId !== null && own.kind !== "machine")
    throw invalidRequest("organizationId", "only with kind machine; people choose theirs when they sign in");
  const bare = { ...bareClient(own, application, now), organizationId };
  if (own.kind === "proxy" && input.hosts === undefined) throw invalidRequest("hosts", "needed with kind proxy");
  return changedClient(bare, input, application, urlProblem, now);
}

/**
 * Applies a change to a client. Checks only the changed fields. Throws INVALID_REQUEST naming the
 * field.
 */
export function changedClient(
  client: Client,
  wanted: ClientChange,
  application: Application,
  urlProblem: UrlProblem,
  now: number,
): Client {
  const change = ofItsKind(client, wanted);
  const problemOf = (uri: string): string | undefined => clientUriProblem(client.kind, uri);
  if (change.requirePkce === false && client.kind !== "web")
    throw invalidRequest("requirePkce", "required without a client secret (kind spa and native)");
  if (change.jwks !== undefined && change.jwks !== null && !isConfidential(client))
    throw invalidRequest("jwks", "only with kind web and machine; the others have no credentials");
  if (client.kind === "machine") refuseSignIns(change);
  refuseExchange(client, change);
  if (client.kind === "device") refuseRedirects(change);
  if (change.deviceGrant === true && isConfidential(client))
    throw invalidRequest("deviceGrant", "not with kind web or machine: only for programs that cannot keep a secret");
  const checks: Checks = {
    name: (name) => checkedName("name", name, 200),
    redirectUris: (uris) => checkedRedirectUris(uris, "redirectUris", problemOf),
    postLogoutRedirectUris: (uris) => checkedRedirectUris(uris, "postLogoutRedirectUris", problemOf),
    backchannelLogoutUri: (uri) => checkedLogoutUri(uri, urlProblem),
    scopes: (scopes) => (client.kind === "machine" ? client.scopes : checkedScopes(scopes, application)),
    allowedGroups: checkedGroups,
    secondFactor: (policy) => (policy === "off" ? null : policy),
    resources: (identifiers) => checkedResources("resources", identifiers),
    exchangeTo: (identifiers) => checkedResources("exchangeTo", identifiers),
    audienceOf: (identifiers) => checkedResources("audienceOf", identifiers),
    resourceScopes: checkedResourceScopes,
    jwks: (jwks) => (jwks === null ? null : checkedJwks(jwks)),
    hosts: checkedHosts,
    publicPaths: checkedPublicPaths,
    headers: checkedHeaders,
  };
  // The service checks the rules of trusts.
  const own = clientRows.filter(
    ([field]) => field !== "trusts" && field !== "enabled" && givenIn(change, field) !== undefined,
  );
  const given: Record<string, unknown> = Object.fromEntries(own.map(([field]) => [field, givenIn(change, field)]));
  for (const [field, check] of Object.entries(checks) as [string, (value: unknown) => unknown][])
    if (field in given) given[field] = check(given[field]);
  for (const [field, row] of own) {
    const problem = problemWith(row, given[field]);
    if (problem !== undefined) throw invalidRequest(field, problem);
  }
  const { enabled } = change;
  const disabledAt = enabled === undefined ? client.disabledAt : enabled ? null : (client.disabledAt ?? now);
  const after = withProxy(client, objectOf(Object.entries(given)));
  if (after.proxy?.access === "everyone" && after.allowedGroups !== null)
    throw invalidRequest("access", "everyone, or allowed groups: not both");
  return { ...after, disabledAt };
}

function givenIn(change: ClientChange, field: string): unknown {
  const [first = "", second] = field.split(".");
  const value = (change as Record<string, unknown>)[first];
  return second === undefined ? value : (value as Record<string, unknown> | undefined)?.[second];
}

/** The settings of a proxy are one column. */
function withProxy(client: Client, given: ClientChange): Client {
  const { proxy } = client;
  if (!proxy) return { ...client, ...(given as object) };
  const names: readonly string[] = proxyFields;
  const entries = Object.entries(given);
  const own = Object.fromEntries(entries.filter(([name]) => names.includes(name)));
  const others = Object.fromEntries(entries.filter(([name]) => !names.includes(name)));
  const sessionSeconds = { ...proxy.sessionSeconds, ...given.sessionSeconds };
  return { ...client, ...others, proxy: { ...proxy, ...own, sessionSeconds } };
}

const alsoOfProxies: ClientField[] = ["name", "launchUrl", "allowedGroups", "secondFactor", "enabled"];

/** Whether clients of this kind have a setting: those of a proxy are its own. */
export function isOfKind(kind: ClientKind, field: ClientField, { onlyProxy }: Setting): boolean {
  return kind === "proxy" ? onlyProxy === true || alsoOfProxies.includes(field) : !onlyProxy;
}

/**
 * The change without what clients of this kind do not have, which is refused unless it changes
 * nothing.
 */
function ofItsKind(client: Client, change: ClientChange): ClientChange {
  const isProxy = client.kind === "proxy";
  const current = flatClient(client);
  const foreign = clientRows.filter(([field, row]) => !isOfKind(client.kind, field, row));
  for (const [field, row] of foreign) {
    const value = givenIn(change, field);
    if (value === undefined || isDeepStrictEqual(value, isProxy ? valueIn(current, field, row) : row.default)) continue;
    if (value === null || value === false || (Array.isArray(value) && value.length === 0)) continue;
    throw invalidRequest(field, isProxy ? "not with kind proxy: its program knows no sign-in" : "only with kind proxy");
  }
  const names = new Set(foreign.map(([field]) => field.split(".")[0]));
  return Object.fromEntries(Object.entries(change).filter(([name]) => !names.has(name))) as ClientChange;
}

/**
 * Functions that normalise a given value to its stored form, or refuse it; applied in this order.
 */
type Checks = { [Field in keyof ClientChange]?: (value: Exclude<ClientChange[Field], undefined>) => unknown };

/** The names of the fields that differ. */
export function changedFields(before: Client, after: Client): string[] {
  const { lastUsedAt: _, updatedAt: __, ...fields } = flatClient(after);
  const earlier = flatClient(before);
  return (Object.keys(fields) as (keyof typeof fields)[])
    .filter((field) => !isDeepStrictEqual(earlier[field], fields[field]))
    .map((field) => (field === "disabledAt" ? "enabled" : field));
}

/** Only programs on a person's device receive private-use schemes (RFC 8252 §7.1). */
function clientUriProblem(kind: ClientKind, uri: string): string | undefined {
  const problem = redirectUriProblem(uri);
  if (problem !== undefined || kind === "native" || /^https?:/u.test(uri)) return problem;
  return "https (private-use schemes only with kind native)";
}

function checkedLogoutUri(uri: string | null, urlProblem: UrlProblem): string | null {
  const problem = uri === null ? undefined : urlProblem(uri);
  if (problem !== undefined) throw invalidRequest("backchannelLogoutUri", problem);
  return uri;
}

function checkedScopes(scopes: readonly string[], application: Application): string[] {
  const possible = scopesOf(application);
  const unknown = scopes.findIndex((scope) => !possible.includes(scope));
  if (unknown !== -1) throw invalidRequest(`scopes[${unknown}]`, `one of ${possible.join(", ")}`);
  if (!scopes.includes("openid")) throw invalidRequest("scopes", "openid is missing");
  return possible.filter((scope) => scopes.includes(scope));
}

/** Nobody signs in to a machine: it has no redirect URI and no scopes for users. */
function refuseSignIns(change: ClientChange): void {
  const { redirectUris, postLogoutRedirectUris, scopes, backchannelLogoutUri, allowedGroups, secondFactor } = change;
  const { loginIdleSeconds, loginAbsoluteSeconds, maxLogins, refreshGraceSeconds } = change;
  const signIns = {
    redirectUris: redirectUris?.length,
    postLogoutRedirectUris: postLogoutRedirectUris?.length,
    scopes: scopes?.length,
    backchannelLogoutUri,
    allowedGroups,
    secondFactor: secondFactor === "off" ? null : secondFactor,
    consent: change.consent === "ask",
    companySignIn: change.companySignIn,
    loginIdleSeconds,
    loginAbsoluteSeconds,
    maxLogins,
    refreshGraceSeconds,
  };
  const [field] = Object.entries(signIns).find(([, value]) => Boolean(value)) ?? [];
  if (field !== undefined) throw invalidRequest(field, "not with kind machine: nobody signs in to it");
}

/** Only the operator's own programs, with a secret or keys, may exchange tokens. */
function refuseExchange(client: Client, change: ClientChange): void {
  const { exchangeTo, audienceOf, consent } = { ...client, ...change };
  const field = exchangeTo.length > 0 ? "exchangeTo" : audienceOf.length > 0 ? "audienceOf" : undefined;
  if (field === undefined) return;
  if (!isConfidential(client))
    throw invalidRequest(field, "only with kind web and machine; the others have no credentials");
  if (consent === "ask")
    throw invalidRequest(field, "not with consent ask: only first-party programs may act for users");
}

/** A device has no browser that could return to it. */
function refuseRedirects({ redirectUris, postLogoutRedirectUris, deviceGrant }: ClientChange): void {
  const uris = { redirectUris, postLogoutRedirectUris };
  const [field] = Object.entries(uris).find(([, value]) => value !== undefined && value.length > 0) ?? [];
  if (field !== undefined) throw invalidRequest(field, "not with kind device: it has no redirect");
  if (deviceGrant === false) throw invalidRequest("deviceGrant", "always on with kind device; disable the client");
}

const maxClientResources = 50;

/** Sorted, each once. The service checks that they exist. */
function checkedResources(field: string, identifiers: readonly string[]): string[] {
  if (identifiers.length > maxClientResources) throw invalidRequest(field, `at most ${maxClientResources}`);
  return [...new Set(identifiers)].toSorted();
}

/** Sorted, each once. A scope that no resource has is never granted; `doctor` names it. */
function checkedResourceScopes(names: readonly string[] | null): string[] | null {
  if (names === null) return null;
  const bad = names.findIndex((name) => !isScopeName(name));
  if (bad !== -1) throw invalidRequest(`resourceScopes[${bad}]`, "the name of a scope of its resources");
  return [...new Set(names)].toSorted();
}

const maxAllowedGroups = 64;

/** Sorted, each once. The service checks that they exist. */
function checkedGroups(names: readonly string[] | null): string[] | null {
  if (names === null) return null;
  if (names.length < 1 || names.length > maxAllowedGroups)
    throw invalidRequest("allowedGroups", `1 to ${maxAllowedGroups} groups, or null for everybody`);
  return [...new Set(names)].toSorted();
}

/** Throws CONFLICT for a client without secrets. */
export function refuseSecrets({ kind, profile }: Client): void {
  if (!isConfidential({ kind }))
    throw new AppError(
      "CONFLICT",
      `A client of kind ${kind} cannot have a secret, because it could not keep it secret.`,
    );
  if (profile !== null)
    throw new AppError(
      "CONFLICT",
      `A client with the profile ${profile} cannot have a secret: it signs with its keys.`,
    );
}
