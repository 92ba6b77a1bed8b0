import { isoTime } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import type { ProxySettings } from "../../storage/column-types.ts";
import type { Row } from "../../storage/storage.ts";
import { hasOrganizations, type Application } from "../application.ts";
import { objectOf, type Setting } from "../setting.ts";
import { clientSettings } from "./settings.ts";

/**
 * A program that signs in an application's users by OpenID Connect (docs/spec/openid.md, 1).
 * Instants are epoch milliseconds. `document`: the digest of its document, if unregistered.
 */
export type Client = Row<"clients"> & { document?: string };

/** An enabled client, and the application whose users it signs in. */
export type UsableClient = { client: Client; application: Application };

/** A client as shown. */
export type ClientAnswer = Omit<
  Client,
  "createdAt" | "updatedAt" | "lastUsedAt" | "disabledAt" | "organizationId" | "proxy"
> & {
  /** Missing if it has none. */
  organizationId?: string;
  createdAt: string;
  updatedAt: string;
  /** Accurate to an hour; null if never used. */
  lastUsedAt: string | null;
  disabledAt: string | null;
} & Partial<ProxySettings>;

/**
 * Whether nobody may use a client, because its application lets nobody in by default. Nobody signs
 * in to a machine, so it has no groups.
 */
export function isShutByDefault(
  { id, settings }: Pick<Application, "id" | "settings">,
  client: Pick<Client, "id" | "kind" | "allowedGroups">,
): boolean {
  const isOfPeople = client.id !== id && !["machine", "proxy"].includes(client.kind);
  return isOfPeople && settings.clientsDefaultAccess !== undefined && client.allowedGroups === null;
}

/** With an empty list of allowed groups if nobody may use it by default. */
export function withDefaultAccess({ client, application }: UsableClient): UsableClient {
  return { client: isShutByDefault(application, client) ? { ...client, allowedGroups: [] } : client, application };
}

/** The fields that name a client's resources. */
export const resourceFields = ["resources", "exchangeTo", "audienceOf"] as const;

/** Whether a client of this kind can keep a secret, or keys. */
export function isConfidential({ kind }: Pick<Client, "kind">): boolean {
  return kind === "web" || kind === "machine";
}

const { name: _, enabled: __, ...settings } = clientSettings;
const rows: [string, Setting][] = Object.entries(settings);
const defaultsOf = (some: typeof rows): object => objectOf(some.map(([field, row]) => [field, row.default]));
const defaults = defaultsOf(rows.filter(([, { onlyProxy }]) => !onlyProxy)) as Omit<
  Client,
  "id" | "appId" | "name" | "kind" | "proxy" | "createdAt" | "updatedAt" | "lastUsedAt" | "disabledAt"
>;
const proxyDefaults = {
  hosts: [],
  ...defaultsOf(rows.filter(([, { onlyProxy }]) => onlyProxy)),
} as object as ProxySettings;

/** A client with the defaults of its kind. */
export function bareClient(
  { id, name, kind }: Pick<Client, "id" | "name" | "kind">,
  application: Application,
  now: number,
): Client {
  return {
    id,
    appId: application.id,
    name,
    kind,
    ...defaults,
    scopes: kind === "machine" ? [] : kind === "proxy" ? ["openid"] : scopesOf(application),
    requirePkce: kind !== "web",
    deviceGrant: kind === "device",
    proxy: kind === "proxy" ? proxyDefaults : null,
    organizationId: null,
    createdAt: now,
    updatedAt: now,
    lastUsedAt: null,
    disabledAt: null,
  };
}

/**
 * The application as its own first client: its id, its redirect URIs, and its API keys as secrets.
 */
export function applicationAsClient(application: Application): Client {
  const { id, name, redirectUris, createdAt, updatedAt } = application;
  const bare = bareClient({ id, name, kind: "web" }, application, createdAt);
  const companySignIn = application.settings.companySignIn === "on";
  return { ...bare, redirectUris, postLogoutRedirectUris: redirectUris, companySignIn, updatedAt };
}

/** The scope by which a client that asks for consent learns of the person's organization. */
export const organizationScope = "organization";

/** The scopes that clients of an application may have. */
export function scopesOf(application: Application): string[] {
  const ofOrganizations = hasOrganizations(application) ? [organizationScope] : [];
  return ["openid", ...application.settings.scopes, "offline_access", ...ofOrganizations];
}

/** The client as its settings are named: those of a proxy beside all others. */
export function flatClient({ proxy, ...client }: Client): Omit<Client, "proxy"> & Partial<ProxySettings> {
  return { ...client, ...proxy };
}

export function clientAnswer(client: Client): ClientAnswer {
  const { createdAt, updatedAt, lastUsedAt, disabledAt, organizationId, ...rest } = flatClient(client);
  return {
    ...rest,
    ...(organizationId === null ? {} : { organizationId }),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
    lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
    disabledAt: disabledAt === null ? null : isoTime(disabledAt),
  };
}

export function clientNotFound(): AppError {
  return new AppError("CLIENT_NOT_FOUND", "There is no client with this id.");
}
