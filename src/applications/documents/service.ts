/**
 * Document clients, which nobody registered: their id is the URL of a document
 * (docs/decisions/0060). `find`, `known` and `lock` decide whether one may be used;
 * `clients/service.ts` asks them for all callers.
 */
import { LRUCache } from "lru-cache";
import { addressKey } from "../../http/addresses.ts";
import { day, isOver, isoTime, second } from "../../lib/clock.ts";
import { AppError } from "../../lib/errors.ts";
import { rateLimits } from "../../rate-limits/service.ts";
import * as audit from "../../records/audit/audit.ts";
import { DocumentProblem } from "../../records/webhooks/documents.ts";
import { part, type Context } from "../../runtime/context.ts";
import type { AppSettings, ClientDocumentSeen } from "../../storage/column-types.ts";
import type { Handle } from "../../storage/storage.ts";
import type { Application } from "../application.ts";
import { bareClient, clientNotFound, type Client, type UsableClient } from "../clients/client.ts";
import { findResource } from "../resources/store.ts";
import * as applications from "../service.ts";
import { digestOfDocument, documentHost, documentUrlProblem, type ClientDocument } from "./document.ts";
import { documentPolicy, fetchDocument } from "./fetch.ts";
import { findDocument, listDocumentUses, lockDocument, saveDocument } from "./store.ts";

const maxInMemory = 1000;
/** A document that cannot be used is fetched again no sooner. */
const problemLasts = 10 * second;
/** How long a document may be used for tokens if its server does not respond. */
const usableFor = day;
/** Fetches per minute, so that nobody uses this service to load other servers. */
const maxFetches = { address: 60, host: 120 };

/** `problem`: of the last fetch. If it is set, `document` may still be used for tokens. */
type Known = { document?: ClientDocument; readAt: number; problem?: DocumentProblem; until: number };

const memory = part(() => ({
  known: new LRUCache<string, Known>({ max: maxInMemory }),
  running: new Map<string, Promise<Known>>(),
}));

/** What is known about the client of a call or login, besides the id. */
export type About = {
  /** The identifier of the resource, which determines the application. */
  resource?: string | null;
  /** The document, if the person has seen it. */
  document?: ClientDocumentSeen;
  redirectUri?: string;
};

function allows({ clientDocuments: hosts = [] }: AppSettings, url: string): boolean {
  return hosts === "any" || hosts.includes(documentHost(url));
}

function clientOf(
  url: string,
  application: Application,
  { name, redirectUris, mayBePublic, jwks, digest }: ClientDocument & { digest: string },
  now: number,
): Client {
  return {
    ...bareClient({ id: url, name, kind: mayBePublic ? "native" : "web" }, application, now),
    redirectUris,
    consent: "ask",
    requirePkce: true,
    jwks,
    document: digest,
  };
}

async function countFetch(ctx: Context, url: string, ipAddress: string): Promise<void> {
  const { limiter } = rateLimits(ctx);
  const counts = [
    [`document-address ${addressKey(ipAddress)}`, maxFetches.address],
    [`document-host ${new URL(url).hostname}`, maxFetches.host],
  ] as const;
  for (const [key, most] of counts) {
    const { exceeded, retryAfterSeconds } = await limiter.count(key, most, "stranger");
    if (exceeded) throw new AppError("RATE_LIMITED", "Too many requests.", { retryAfterSeconds });
  }
}

async function fetched(ctx: Context, url: string, before: Known | undefined): Promise<Known> {
  try {
    const { document, freshUntil: until } = await fetchDocument(ctx, url);
    return { document, readAt: ctx.clock(), until };
  } catch (problem) {
    if (!(problem instanceof DocumentProblem)) throw problem;
    const until = ctx.clock() + problemLasts;
    return { ...(problem.passes ? before : {}), readAt: before?.readAt ?? 0, problem, until };
  }
}

/**
 * From memory, or by the only running fetch of this URL. `ipAddress`: whose fetch it counts as;
 * undefined for a document that somebody has allowed.
 */
async function read(ctx: Context, url: string, ipAddress: string | undefined): Promise<Known> {
  const { known, running } = memory(ctx);
  const before = known.get(url);
  if (before && !isOver(before.until, usableFor, ctx.clock())) return before;
  const other = running.get(url);
  if (other) return await other;
  if (ipAddress !== undefined) await countFetch(ctx, url, ipAddress);
  const fetching = running.get(url) ?? fetched(ctx, url, before);
  running.set(url, fetching);
  try {
    const now = await fetching;
    known.set(url, now);
    return now;
  } finally {
    running.delete(url);
  }
}

/**
 * The client of a document, which is fetched if it is not known. Undefined if the application does
 * not allow it, or it is blocked. `forTokens`: it needs not be fresh if its server does not answer.
 * Throws DocumentProblem, RATE_LIMITED.
 */
export async function find(
  ctx: Context,
  url: string,
  { appId, ipAddress, forTokens }: { appId: string; ipAddress: string; forTokens: boolean },
): Promise<UsableClient | undefined> {
  const application = await applications.find(ctx, ctx.storage.reader, appId);
  const urlProblem = documentUrlProblem(url, documentPolicy(ctx));
  if (urlProblem !== undefined) throw new DocumentProblem(urlProblem);
  if (!application || !allows(application.settings, url)) return undefined;
  const row = await findDocument(ctx.storage.reader, url);
  if (row?.blockedAt) return undefined;
  const isInUse = Boolean(row?.digest);
  const { document, readAt, problem } = await read(ctx, url, isInUse ? undefined : ipAddress);
  const now = ctx.clock();
  if (problem && (!forTokens || isOver(readAt + usableFor, usableFor, now)))
    // This only says that no server responded, which matters only to holders of tokens.
    throw isInUse ? problem : new DocumentProblem(problem.message);
  if (!document) throw problem ?? new Error("a document that was read is missing");
  return { client: clientOf(url, application, { ...document, digest: digestOfDocument(document) }, now), application };
}

/** The same without a fetch, for an existing sign-in or token. */
export async function known(
  ctx: Context,
  handle: Handle,
  url: string,
  about: About,
): Promise<UsableClient | undefined> {
  const { resource: identifier, document, redirectUri } = about;
  const resource = identifier ? await findResource(handle, identifier) : undefined;
  const application = resource?.clientDocuments && (await applications.find(ctx, handle, resource.appId));
  if (!application || !allows(application.settings, url)) return undefined;
  if ((await findDocument(handle, url))?.blockedAt) return undefined;
  const { name, digest } = document ?? { name: documentHost(url), digest: "" };
  const redirectUris = redirectUri === undefined ? [] : [redirectUri];
  const seen = { name, digest, redirectUris, mayBePublic: true, jwks: null };
  return { client: clientOf(url, application, seen, ctx.clock()), application };
}

/**
 * Locks the client of a document against being blocked until the transaction ends, and stores its
 * metadata. Undefined if it is blocked or no longer allowed.
 */
export async function lock(ctx: Context, tx: Handle, client: Client): Promise<UsableClient | undefined> {
  const { id: url, appId, name, document: digest = "" } = client;
  const application = await applications.find(ctx, tx, appId);
  if (!application || !allows(application.settings, url)) return undefined;
  const row = await lockDocument(tx, url);
  if (row?.digest === digest) return row.blockedAt === null ? { client, application } : undefined;
  const now = ctx.clock();
  const firstSeenAt = await saveDocument(tx, { url, name, digest }, now);
  if (firstSeenAt === undefined) return undefined;
  const action = firstSeenAt === now ? "client.seen" : "client.changed";
  const actor = { kind: "service", name: "authsvc" } as const;
  const about = { appId, details: { clientId: url }, target: url };
  await audit.record(ctx, tx, { actor, action, result: "success", ...about }, now);
  return { client, application };
}

/** An unregistered client, as commands show it. */
export type DocumentAnswer = {
  id: string;
  kind: "document";
  name: string | null;
  /** The documents that users of the application have allowed. */
  appIds: string[];
  users: number;
  lastUsedAt: string | null;
  /** When a user first allowed it. */
  createdAt: string;
  /** When its change was noticed, or when it was blocked. */
  updatedAt: string;
  blockedAt: string | null;
};

function isoOrNull(at: number | null): string | null {
  return at === null ? null : isoTime(at);
}

/** Documents that somebody has allowed or that are blocked, oldest first. */
export async function list(
  ctx: Context,
  only: { url?: string; appId?: string | undefined },
): Promise<DocumentAnswer[]> {
  const rows = await listDocumentUses(ctx.storage.reader, only);
  const byUrl = Map.groupBy(rows, ({ document }) => document.url);
  return [...byUrl.values()].flatMap((all) => {
    const [first] = all;
    if (!first) return [];
    const { url: id, name, createdAt, updatedAt, blockedAt } = first.document;
    const lastUses = all.flatMap(({ use }) => use.lastUsedAt ?? []);
    return {
      id,
      kind: "document",
      name,
      appIds: all.flatMap(({ use }) => use.appId ?? []),
      users: all.reduce((sum, { use }) => sum + use.users, 0),
      lastUsedAt: lastUses.length === 0 ? null : isoTime(Math.max(...lastUses)),
      createdAt: isoTime(createdAt),
      updatedAt: isoTime(updatedAt),
      blockedAt: isoOrNull(blockedAt),
    };
  });
}

/** Throws CLIENT_NOT_FOUND. */
export async function get(ctx: Context, url: string): Promise<DocumentAnswer> {
  const [found] = await list(ctx, { url });
  if (!found) throw clientNotFound();
  return found;
}
