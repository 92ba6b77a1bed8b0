/** The PostgreSQL of a run, from before virtual time begins. */
import { startPostgres } from "../support/postgres.ts";
import type { Cluster } from "./world.ts";

/**
 * `given`: the URL of a server that lets the user in without a password; empty for one that ends
 * with this process; undefined for SQLite.
 */
export async function clusterOf(given: string | undefined): Promise<Cluster | undefined> {
  if (given === undefined) return undefined;
  if (given === "") return { url: (await startPostgres()).url, signals: "stops processes" };
  const url = (database: string): string => Object.assign(new URL(given), { pathname: `/${database}` }).href;
  return { url, signals: "none" };
}
