import { and, eq, inArray, notInArray } from "drizzle-orm";
import type { Handle } from "../../storage/storage.ts";

/** Hosts of these that belong to another client. */
export async function hostsOfOthers(
  { db, tables: { proxyHosts } }: Handle,
  clientId: string,
  hosts: readonly string[],
): Promise<string[]> {
  const rows = await db
    .select()
    .from(proxyHosts)
    .where(inArray(proxyHosts.host, [...hosts]));
  return rows.filter((row) => row.clientId !== clientId).map(({ host }) => host);
}

/**
 * Gives a client these hosts and no others, and ends the sign-ins at those that it loses. Returns
 * the hosts that belong to another client, and must then be rolled back.
 */
export async function setHosts(tx: Handle, clientId: string, hosts: readonly string[]): Promise<string[]> {
  const { db, tables } = tx;
  const { proxyHosts, proxyLogins } = tables;
  await db.delete(proxyHosts).where(and(eq(proxyHosts.clientId, clientId), notInArray(proxyHosts.host, [...hosts])));
  await db.delete(proxyLogins).where(and(eq(proxyLogins.clientId, clientId), notInArray(proxyLogins.host, [...hosts])));
  await db
    .insert(proxyHosts)
    .values(hosts.map((host) => ({ host, clientId })))
    .onConflictDoNothing();
  return await hostsOfOthers(tx, clientId, hosts);
}
