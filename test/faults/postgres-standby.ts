import { execFileSync } from "node:child_process";
import { appendFileSync, chownSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { expect } from "vitest";
import { serverAccount } from "../support/postgres-binaries.ts";
import { createPostgresFolder, startPostgres, type Postgres } from "../support/postgres.ts";
import { administer, folderOf } from "./postgres-faults.ts";

/**
 * A second server that streams from a quiet first one. Synchronous: the first acknowledges a commit
 * when both have it.
 * https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
export async function startStandby(primaryUrl: string): Promise<Postgres> {
  const folder = createPostgresFolder();
  const data = join(folder, "data");
  const client = new Client({ connectionString: primaryUrl });
  await client.connect();
  await client.query("SELECT pg_backup_start('standby', true)");
  execFileSync("cp", ["-a", join(folderOf(primaryUrl), "data"), data]);
  const { rows } = await client.query<{ labelfile: string }>("SELECT labelfile FROM pg_backup_stop(false)");
  await client.end();
  rmSync(join(data, "postmaster.pid"));
  rmSync(join(data, "postmaster.opts"));
  writeFileSync(join(data, "backup_label"), rows[0]?.labelfile ?? "");
  writeFileSync(join(data, "standby.signal"), "");
  appendFileSync(
    join(data, "postgresql.auto.conf"),
    `primary_conninfo = 'host=${folderOf(primaryUrl)} user=postgres application_name=standby'\n`,
  );
  const account = serverAccount();
  if (account !== undefined)
    for (const file of ["backup_label", "standby.signal"]) chownSync(join(data, file), account.uid, account.gid);

  const standby = await startPostgres(folder);
  await administer(primaryUrl, "ALTER SYSTEM SET synchronous_standby_names = 'standby'");
  await administer(primaryUrl, "SELECT pg_reload_conf()");
  const states = async () => await administer(primaryUrl, "SELECT sync_state FROM pg_stat_replication");
  await expect.poll(states, { timeout: 120_000 }).toEqual([{ sync_state: "sync" }]);
  return standby;
}

/** Leaves the standby behind, and the primary alone. */
export async function endReplication(primaryUrl: string, standbyUrl: string): Promise<void> {
  await administer(primaryUrl, "ALTER SYSTEM RESET synchronous_standby_names");
  await administer(primaryUrl, "SELECT pg_reload_conf()");
  await administer(standbyUrl, "ALTER SYSTEM SET primary_conninfo = ''");
  await administer(standbyUrl, "SELECT pg_reload_conf()");
  await expect.poll(async () => await administer(primaryUrl, "SELECT pid FROM pg_stat_replication")).toEqual([]);
}
