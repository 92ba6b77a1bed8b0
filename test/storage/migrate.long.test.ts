import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import Database from "better-sqlite3";
import { Client } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { changedMigrations } from "../../scripts/release/released-migrations.ts";
import { stageBackup } from "../../src/storage/backup/restore.ts";
import { readMigrations } from "../../src/storage/migrate.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { asNextVersion, becomeNextVersion } from "../support/next-version.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { testMasterKey } from "../support/service.ts";

const run = promisify(execFile);

type Database_ = {
  open(): Promise<Storage>;
  run(sql: string): Promise<unknown[]>;
  folder: string;
  environment: Record<string, string>;
};

const kinds: Record<string, () => Promise<Database_>> = {
  async sqlite() {
    const folder = mkdtempSync(join(tmpdir(), "authsvc-migrate-"));
    const file = join(folder, "authsvc.db");
    return {
      folder,
      environment: {},
      open: async () => await openStorage({ url: undefined, poolSize: 1, file }, 1_700_000_000_000, () => {}),
      async run(sql) {
        const connection = new Database(file);
        const statement = connection.prepare(sql);
        const rows = statement.reader ? statement.all() : [statement.run()];
        connection.close();
        return rows;
      },
    };
  },
  async postgres() {
    const url = await createTestDatabase();
    return {
      folder: mkdtempSync(join(tmpdir(), "authsvc-migrate-")),
      environment: { AUTHSVC_DATABASE__URL: url, AUTHSVC_MASTER_KEY: testMasterKey },
      open: async () => await openStorage({ url, poolSize: 3, file: "" }, 1_700_000_000_000, () => {}),
      async run(sql) {
        const client = new Client(url);
        await client.connect();
        const { rows } = await client.query(sql);
        await client.end();
        return rows;
      },
    };
  },
};

describe.each(Object.keys(kinds))("migrations (%s)", (kind) => {
  const make = async (): Promise<Database_> => {
    const maker = kinds[kind];
    if (!maker) throw new Error(kind);
    return await maker();
  };

  it("make a new database, and leave an up-to-date one alone", async () => {
    const database = await make();
    for (let start = 0; start < 2; start += 1) await (await database.open()).close();
    expect(readdirSync(database.folder)).toEqual(kind === "sqlite" ? ["authsvc.db"] : []);
  });

  /** What processes print that start at the same moment and list the applications. */
  async function startAtOnce(count: number, { folder, environment }: Database_, more = {}): Promise<unknown[]> {
    const program = join(import.meta.dirname, "../../bin/authsvc.ts");
    const command = [program, "app", "list", "--json", "--data", folder];
    const { NODE_COMPILE_CACHE } = process.env;
    const options = { env: { NODE_COMPILE_CACHE, ...environment, ...more }, cwd: tmpdir() };
    const results = await Promise.all(
      Array.from({ length: count }, async () => await run(process.execPath, command, options)),
    );
    return results.map(({ stdout }) => JSON.parse(stdout) as unknown);
  }

  /** Until the test has ended, this process is a version that has these migrations, too. */
  function becomeNext(migrations: Record<string, string>): void {
    onTestFinished(becomeNextVersion(migrations));
  }

  it("are done once by processes that start at the same moment", async () => {
    const database = await make();
    expect(await startAtOnce(2, database)).toEqual([[], []]);
    await database.run("INSERT INTO facts (name, value) VALUES ('kept', 'a')");
    // The second time, its column would be there already.
    expect(await startAtOnce(2, database, asNextVersion)).toEqual([[], []]);
    expect(await database.run("SELECT value, twice FROM facts WHERE name = 'kept'")).toEqual([
      { value: "a", twice: "aa" },
    ]);
  });

  it("are applied in order to a database of the version before, which keeps its rows", async () => {
    const database = await make();
    await (await database.open()).close();
    await database.run("INSERT INTO facts (name, value) VALUES ('kept', 'a')");
    becomeNext({
      "9998_second": "ALTER TABLE notes ADD COLUMN reader text; INSERT INTO notes SELECT value, 'b' FROM facts",
      "9997_first": "CREATE TABLE notes (text text)",
    });
    for (let start = 0; start < 2; start += 1) await (await database.open()).close();
    expect(await database.run("SELECT * FROM notes")).toEqual([{ text: "a", reader: "b" }]);
    const applied = await database.run("SELECT name FROM migrations WHERE name > '9' ORDER BY name");
    expect(applied).toEqual(["9997_first", "9998_second"].map((name) => ({ name })));
  });

  it("that fail change nothing, and those before them stay", async () => {
    const database = await make();
    await (await database.open()).close();
    becomeNext({
      "9997_first": "CREATE TABLE notes (text text)",
      "9998_second": "INSERT INTO notes VALUES ('a'); ALTER TABLE notes ADD COLUMN text text",
    });
    await expect(database.open()).rejects.toMatchObject({ code: "UNUSABLE_STORAGE" });
    expect(await database.run("SELECT * FROM notes")).toEqual([]);
    const applied = await database.run("SELECT name FROM migrations WHERE name > '9' ORDER BY name");
    expect(applied).toEqual([{ name: "9997_first" }]);
  });

  it("refuse a database whose past is not this program's", async () => {
    const database = await make();
    await (await database.open()).close();
    await database.run("UPDATE migrations SET checksum = 'edited'");
    // With what to do about it.
    await expect(database.open()).rejects.toMatchObject({
      code: "UNUSABLE_STORAGE",
      message: expect.stringMatching(
        /Another build .*unreleased.*0000_initial.*Run that build, or restore a backup.*deleted/u,
      ),
    });
  });
});

describe("migration files", () => {
  it("are what was released", () => {
    expect(changedMigrations(join(import.meta.dirname, "../.."))).toEqual([]);
  });

  it("have the same names for both databases", () => {
    expect(readMigrations("postgres").map(({ name }) => name)).toEqual(
      readMigrations("sqlite").map(({ name }) => name),
    );
  });

  it("are applied to a backup of the version before when it is restored", async () => {
    const database = await kinds["sqlite"]?.();
    if (!database) throw new Error("no sqlite");
    await (await database.open()).close();
    await database.run("INSERT INTO facts (name, value) VALUES ('kept', 'a')");
    onTestFinished(becomeNextVersion());
    const staged = join(database.folder, "restored", "authsvc.db");
    const options = { keepLogins: false, now: 1, onProgress: () => {} };
    await stageBackup(join(database.folder, "authsvc.db"), staged, options);
    expect(readdirSync(dirname(staged))).toEqual(["authsvc.db"]);
    const restored = new Database(staged, { readonly: true });
    expect(restored.prepare("SELECT twice FROM facts WHERE name = 'kept'").all()).toEqual([{ twice: "aa" }]);
    restored.close();
  });

  it("of another past leave no snapshot of a SQLite database that is refused", async () => {
    const database = await kinds["sqlite"]?.();
    if (!database) throw new Error("no sqlite");
    await (await database.open()).close();
    await database.run("UPDATE migrations SET checksum = 'edited'");
    onTestFinished(becomeNextVersion());
    await expect(database.open()).rejects.toMatchObject({ code: "UNUSABLE_STORAGE" });
    expect(readdirSync(database.folder)).toEqual(["authsvc.db"]);
  });
});
