import Database from "better-sqlite3";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { readMigrations } from "../../src/storage/migrate.ts";
import { openStorage } from "../../src/storage/open.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { testMasterKey } from "../support/service.ts";

const run = promisify(execFile);

type Database_ = {
  open(): Promise<Storage>;
  run(sql: string): Promise<void>;
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
        connection.exec(sql);
        connection.close();
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
        await client.query(sql);
        await client.end();
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

  it("are done once by processes that start at the same moment", async () => {
    const database = await make();
    const command = [
      join(import.meta.dirname, "../../bin/authsvc.ts"),
      "app",
      "list",
      "--json",
      "--data",
      database.folder,
    ];
    const results = await Promise.all(
      Array.from(
        { length: 4 },
        async () => await run(process.execPath, command, { env: database.environment, cwd: tmpdir() }),
      ),
    );
    expect(results.map(({ stdout }) => JSON.parse(stdout) as unknown)).toEqual([[], [], [], []]);
  });

  it("refuse a database that a newer program has changed", async () => {
    const database = await make();
    await (await database.open()).close();
    await database.run("INSERT INTO migrations (name, checksum, applied_at) VALUES ('9999_future', 'x', 0)");
    await expect(database.open()).rejects.toMatchObject({
      code: "UNUSABLE_STORAGE",
      message: expect.stringContaining("9999_future"),
    });
  });

  it("refuse a database whose past is not this program's", async () => {
    const database = await make();
    await (await database.open()).close();
    await database.run("UPDATE migrations SET checksum = 'edited'");
    // With what to do about it.
    await expect(database.open()).rejects.toMatchObject({
      code: "UNUSABLE_STORAGE",
      message: expect.stringMatching(/Another build .*0000_initial.*Run that build, or restore a backup.*deleted/u),
    });
  });
});

describe("migration files", () => {
  it("have the same names for both databases", () => {
    expect(readMigrations("postgres").map(({ name }) => name)).toEqual(
      readMigrations("sqlite").map(({ name }) => name),
    );
  });

  it("are preceded by a snapshot of a SQLite database that holds something", async () => {
    const database = await kinds["sqlite"]?.();
    if (!database) throw new Error("no sqlite");
    await (await database.open()).close();
    await database.run("DELETE FROM migrations; INSERT INTO migrations VALUES ('0000_initial', 'not yet', 0)");
    // An edited past is refused before anything else, so nothing was copied for it either.
    await expect(database.open()).rejects.toMatchObject({ code: "UNUSABLE_STORAGE" });
    expect(readdirSync(database.folder)).toEqual(["authsvc.db"]);
  });
});

describe("a database that cannot be opened", () => {
  it.each([
    ["not a database at all", "this is not a database, but it is long enough to be taken for one: ".repeat(20)],
  ])("is one clear sentence when it is %s", async (_, content) => {
    const file = join(mkdtempSync(join(tmpdir(), "authsvc-migrate-")), "authsvc.db");
    writeFileSync(file, content);
    await expect(openStorage({ url: undefined, poolSize: 1, file }, 0, () => {})).rejects.toMatchObject({
      code: "UNUSABLE_STORAGE",
      message: expect.stringContaining(file),
    });
  });

  it("is one clear sentence when PostgreSQL is away", async () => {
    const url = "postgres://nobody@127.0.0.1:1/none";
    await expect(openStorage({ url, poolSize: 1, file: "" }, 0, () => {})).rejects.toMatchObject({
      code: "UNUSABLE_STORAGE",
      message: expect.stringMatching(/PostgreSQL.*ECONNREFUSED/u),
    });
  });

  it("is one clear sentence when its folder cannot be made", async () => {
    const blocker = join(mkdtempSync(join(tmpdir(), "authsvc-migrate-")), "file");
    writeFileSync(blocker, "");
    expect(existsSync(dirname(blocker))).toBe(true);
    await expect(
      openStorage({ url: undefined, poolSize: 1, file: join(blocker, "data", "authsvc.db") }, 0, () => {}),
    ).rejects.toMatchObject({ code: "UNUSABLE_STORAGE" });
  });
});
