/** The consents of users to clients that ask (docs/spec/openid.md, 5). */
import { isoTime } from "../../lib/clock.ts";
import type { Context } from "../../runtime/context.ts";
import type { Handle } from "../../storage/storage.ts";
import { consented, type ConsentedResource } from "../resources/consented.ts";
import { listResources } from "../resources/store.ts";
import type { Client } from "./client.ts";
import { deleteOldestToDocuments, findConsent, listConsents, lockConsent, saveConsent } from "./consents-store.ts";

/** The consent of a user to a client. Instants are epoch milliseconds. */
type GivenConsent = {
  clientId: string;
  name: string;
  scopes: string[];
  resources: ConsentedResource[];
  createdAt: number;
  updatedAt: number;
};

/** The same, as commands and the user's own data show it. */
export type ConsentAnswer = Omit<GivenConsent, "createdAt" | "updatedAt"> & { createdAt: string; updatedAt: string };

/** Maximum per user, so that nobody fills the database with documents of their own. */
const maxToDocuments = 100;

/**
 * Whether the user must be asked first: only by a client that asks, and only for further scopes.
 */
export async function lacks(
  handle: Handle,
  { client, userId, scopes }: { client: Pick<Client, "id" | "consent" | "document">; userId: string; scopes: string[] },
): Promise<boolean> {
  if (client.consent === "none") return false;
  const granted = await findConsent(handle, userId, client.id);
  // A document with another name, key or address may be another program.
  if (granted === undefined || granted.document !== (client.document ?? null)) return true;
  return scopes.some((scope) => !granted.scopes.includes(scope));
}

/** Oldest first. */
export async function given(ctx: Context, userId: string): Promise<GivenConsent[]> {
  const { reader } = ctx.storage;
  const rows = await listConsents(reader, userId);
  const [first] = rows;
  const resources = first ? await listResources(reader, first.appId) : [];
  return rows.map(({ clientId, name, scopes, createdAt, updatedAt }) => {
    return { clientId, name, ...consented({ scopes, updatedAt }, resources), createdAt, updatedAt };
  });
}

/** Oldest first. */
export async function list(ctx: Context, userId: string): Promise<ConsentAnswer[]> {
  return (await given(ctx, userId)).map(({ createdAt, updatedAt, ...consent }) => {
    return { ...consent, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
  });
}

/** Stores the user's agreement, in addition to earlier ones. */
export async function agree(
  tx: Handle,
  { client, userId, scopes }: { client: Client; userId: string; scopes: string[] },
  now: number,
): Promise<void> {
  // The application itself has no row. It asks only when its request says so.
  if (client.id === client.appId) return;
  const { id: clientId, document = null } = client;
  const granted = await lockConsent(tx, userId, clientId);
  const before = granted?.document === document ? granted.scopes : [];
  const all = [...new Set([...before, ...scopes])];
  await saveConsent(tx, { userId, clientId, scopes: all, document, createdAt: now, updatedAt: now });
  if (document !== null) await deleteOldestToDocuments(tx, userId, maxToDocuments);
}
