import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdtempSync, readFileSync, statSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { findPostgres, serverAccount } from "./postgres-binaries.ts";

export interface Postgres {
  /** A URL for `pg` that goes over the server's unix socket. */
  url(database: string): string;
  /** Ends the server as an outage would; `bringUp` starts it again on the same data. */
  takeDown(): Promise<void>;
  bringUp(): Promise<void>;
  /** Ends the server and deletes everything that it stored. */
  stop(): Promise<void>;
}

/**
 * Where the server of this test run has its socket; set by `postgres-global-setup.ts`, inherited by
 * the test workers.
 */
export const sharedFolderVariable = "AUTHSVC_TEST_POSTGRES_FOLDER";

/** Present in the shared folder when the server could not be started; holds the reason. */
export const failureFile = "failure";

const startSeconds = 120;

// The server outlives no test run: the shell waits on a pipe from this process, and the pipe closes
// however this process ends.
const keeper = `
dir=$1 bin=$2
shift 2
[ -d "$dir/data" ] || "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C \
  --no-sync --no-instructions >"$dir/server.log" 2>&1 || exit 1
up() {
  "$bin/postgres" -D "$dir/data" -k "$dir" -c listen_addresses= -c max_connections=300 -c fsync=off -c full_page_writes=off \
    -c autovacuum=off "$@" >>"$dir/server.log" 2>&1 </dev/null &
  server=$!
}
down() { kill -QUIT "$server" 2>/dev/null; wait "$server"; }
up "$@"
while read -r command; do "$command" "$@"; echo "$command"; done
down
rm -rf "$dir"
`;

/**
 * Starts a PostgreSQL server of its own on a unix socket, on the data that is in the folder or on
 * new ones; takes about half a second. `settings` (`fsync=on`) override those that spare a test
 * time.
 */
export async function startPostgres(
  folder: string = createPostgresFolder(),
  settings: string[] = [],
): Promise<Postgres> {
  const account = serverAccount();
  const bin = path.join(findPostgres(account, folder), "bin");
  const shell = spawn("/bin/sh", ["-c", keeper, "sh", folder, bin, ...settings.flatMap((setting) => ["-c", setting])], {
    ...account,
    cwd: "/",
    env: { PATH: process.env["PATH"], LC_ALL: "C" },
    stdio: ["pipe", "pipe", "ignore"],
    detached: true,
  });
  // An idle server keeps no process alive: neither a benchmark nor an interrupted run waits for it.
  const handles = [shell, shell.stdin as Socket, shell.stdout as Socket];
  for (const handle of handles) handle.unref();
  const ended = new Promise<void>((resolve) => shell.once("close", () => resolve()));
  await untilReady(folder, shell);

  async function tell(command: "up" | "down"): Promise<void> {
    for (const handle of handles) handle.ref();
    await new Promise<void>((resolve) => {
      shell.stdout.once("data", () => resolve());
      shell.stdin.write(`${command}\n`);
    });
    for (const handle of handles) handle.unref();
  }
  return {
    url: (database) => urlFor(folder, database),
    takeDown: () => tell("down"),
    bringUp: async () => {
      await tell("up");
      await untilReady(folder, shell);
    },
    stop: async () => {
      for (const handle of handles) handle.ref();
      shell.stdin.end();
      await ended;
    },
  };
}

/**
 * A short path that the server's account may use: a socket's path is limited to about 100
 * characters.
 */
export function createPostgresFolder(): string {
  const folder = mkdtempSync(path.join(isFitForSockets(tmpdir()) ? tmpdir() : "/tmp", "authsvc-pg-"));
  const account = serverAccount();
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  return folder;
}

/** A database that others are copies of; `fill` makes what it holds. */
export type Template = { name: string; fill(url: string): Promise<void> };

/**
 * Creates a database with a random name, empty or a copy of `template`, and returns its
 * `postgres://` URL. It lasts until the end of the test run. Uses the server of the test run; where
 * there is none (a benchmark), starts one that ends with this process.
 */
export async function createTestDatabase(template?: Template): Promise<string> {
  const folder = await sharedFolder();
  if (template) await makeTemplate(folder, template);
  const name = `test_${randomBytes(8).toString("hex")}`;
  // Copies files: by the log, as is the default, it takes twice the processor time.
  const from = template?.name ?? "template1";
  await administer(folder, `CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY FILE_COPY`);
  return urlFor(folder, name);
}

const made = new Set<string>();

/** Once for all workers: the others wait for the lock, and find it there. */
async function makeTemplate(folder: string, { name, fill }: Template): Promise<void> {
  if (made.has(name)) return;
  await asAdministrator(folder, async (client) => {
    await client.query("SELECT pg_advisory_lock(1)");
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    if (rowCount === 1) return;
    const unfinished = `${name}_unfinished`;
    await client.query(`DROP DATABASE IF EXISTS ${unfinished}`);
    await client.query(`CREATE DATABASE ${unfinished}`);
    await fill(urlFor(folder, unfinished));
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
  });
  made.add(name);
}

let shared: Promise<string> | undefined;

function sharedFolder(): Promise<string> {
  shared ??= findSharedFolder();
  return shared;
}

async function findSharedFolder(): Promise<string> {
  let folder = process.env[sharedFolderVariable];
  if (folder === undefined) {
    folder = createPostgresFolder();
    process.env[sharedFolderVariable] = folder;
    await startPostgres(folder);
  }
  await untilReady(folder);
  return folder;
}

async function administer(folder: string, statement: string): Promise<void> {
  await asAdministrator(folder, async (client) => void (await client.query(statement)));
}

async function asAdministrator(folder: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: urlFor(folder, "postgres") });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function urlFor(folder: string, database: string): string {
  return `postgres://postgres@localhost/${database}?host=${encodeURIComponent(folder)}`;
}

async function untilReady(folder: string, shell?: ChildProcess): Promise<void> {
  const deadline = Date.now() + startSeconds * 1000;
  for (;;) {
    const failure = path.join(folder, failureFile);
    if (existsSync(failure)) throw new Error(readFileSync(failure, "utf8"));
    if (await answers(folder)) return;
    if (!existsSync(folder) || Date.now() > deadline || (shell !== undefined && shell.exitCode !== null)) {
      throw new Error(`PostgreSQL for the tests did not start: ${lastLogLine(folder)}`);
    }
    await sleep(10);
  }
}

async function answers(folder: string): Promise<boolean> {
  if (!existsSync(path.join(folder, ".s.PGSQL.5432"))) return false;
  try {
    await administer(folder, "SELECT 1");
    return true;
  } catch {
    return false;
  }
}

function lastLogLine(folder: string): string {
  try {
    return readFileSync(path.join(folder, "server.log"), "utf8").trim().split("\n").at(-1) ?? "";
  } catch {
    return "it left no log";
  }
}

function isFitForSockets(folder: string): boolean {
  const isReachable = serverAccount() === undefined || (statSync(folder).mode & 0o001) !== 0;
  return isReachable && folder.length <= 60;
}
