// `npm run release:fixture -- EXECUTABLE`: writes test/fixtures/released/VERSION, what an
// installation of this version leaves behind. Without an executable, the sources run.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import Database from "better-sqlite3";
import { startPostgres } from "../../test/support/postgres.ts";
import { startDocumentServer } from "../../test/support/client-documents.ts";
import type { Expected } from "../../test/support/released.ts";
import { readMigrations } from "../../src/storage/migrate.ts";
import { dumpPostgres } from "./fixture/dump.ts";
import { liveThere } from "./fixture/life.ts";

const root = resolve(import.meta.dirname, "../..");
const maxBytes = 1_000_000;

const [executable] = process.argv.slice(2);
const program = executable === undefined ? [process.execPath, join(root, "bin/authsvc.ts")] : [resolve(executable)];
const [command = "", ...before] = program;
const { version } = JSON.parse(execFileSync(command, [...before, "version", "--json"], { encoding: "utf8" })) as {
  version: string;
};
const made = join(root, "test/fixtures/released", version);
const folder = mkdtempSync(join(tmpdir(), "authsvc-fixture-"));
const masterKey = randomBytes(32).toString("base64url");
const keyFile = join(folder, "master.key");
writeFileSync(keyFile, `${masterKey}\n`, { mode: 0o600 });

const documents = await startDocumentServer();
const postgres = await startPostgres();
try {
  const url = postgres.url("postgres");
  const shared = { AUTHSVC_MASTER_KEY: masterKey };
  const sqlite = await liveThere({ program, data: join(folder, "sqlite"), environment: shared, documents });
  const second = { ...shared, AUTHSVC_DATABASE__URL: url };
  const inPostgres = await liveThere({ program, data: join(folder, "postgres"), environment: second, documents });
  const expected: Expected = {
    version,
    migrations: { sqlite: digestsOf("sqlite"), postgres: digestsOf("postgres") },
    sqlite,
    postgres: inPostgres,
  };
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  compact(join(folder, "sqlite/authsvc.db"), join(made, "sqlite.db"));
  writeFileSync(join(made, "postgres.sql"), await dumpPostgres(url));
  cpSync(keyFile, join(made, "master.key"));
  writeFileSync(join(made, "expected.json"), `${JSON.stringify(expected, null, 2)}\n`);
} finally {
  await Promise.all([postgres.stop(), documents.stop()]);
  rmSync(folder, { recursive: true, force: true });
}
const bytes = readdirSync(made).reduce((sum, file) => sum + statSync(join(made, file)).size, 0);
console.log(`${made}: ${bytes} bytes`);
if (bytes > maxBytes) throw new Error(`the fixture has ${bytes} bytes, more than ${maxBytes}`);

function digestsOf(dialect: "sqlite" | "postgres"): Record<string, string> {
  return Object.fromEntries(readMigrations(dialect).map(({ name, checksum }) => [name, checksum]));
}

/** Small pages: most tables have a row or two. */
function compact(from: string, to: string): void {
  const connection = new Database(from);
  connection.pragma("journal_mode = DELETE");
  connection.pragma("page_size = 1024");
  connection.prepare("VACUUM INTO ?").run(to);
  connection.close();
}
