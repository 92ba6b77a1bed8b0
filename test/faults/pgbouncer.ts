import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, chmodSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { freePort } from "../support/free-port.ts";
import { serverAccount } from "../support/postgres-binaries.ts";
import { administer, folderOf } from "./postgres-faults.ts";

/** Where Debian and others have it. */
export const pgbouncer = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].find((file) =>
  existsSync(file),
);

/** PgBouncer as it comes, but for the mode, before a server of `startPostgres`. */
export async function startPgBouncer(databaseUrl: string, mode: string) {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "authsvc-pgbouncer-"));
  chmodSync(folder, 0o755);
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    [
      "[databases]",
      `* = host=${folderOf(databaseUrl)} port=5432 user=postgres`,
      "[pgbouncer]",
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = any",
      `pool_mode = ${mode}`,
      "",
    ].join("\n"),
    { mode: 0o644 },
  );
  // It refuses to run as root.
  const child = spawn(pgbouncer ?? "", [file], { ...serverAccount(), stdio: "ignore", cwd: "/" });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const answers = async () =>
    await administer(url, "SELECT 1").then(
      () => true,
      () => false,
    );
  await expect.poll(answers, { timeout: 120_000 }).toBe(true);
  return {
    url,
    async stop(): Promise<void> {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
