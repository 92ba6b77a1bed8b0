import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sqliteTables } from "../../src/storage/schema.ts";
import { openStorage } from "../../src/storage/open.ts";
import { copiedTables, nameInDatabase, references, tableNames } from "../../src/storage/table-names.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { testMasterKey } from "../support/service.ts";
import { emptyFolder } from "./command.ts";
import { everyRow, fillEveryTable, manyRows } from "./database-rows.ts";
import { answer, authsvc } from "./in-process.ts";

type Copied = { tables: { table: string; rows: number }[]; from: string; to: string };

/** A folder with a SQLite database that holds something in every table. */
async function filledPlace() {
  const cwd = emptyFolder();
  const place = { url: undefined, file: join(cwd, "data", "authsvc.db") };
  await (await openStorage({ ...place, poolSize: 1 }, 0, () => {})).close();
  await fillEveryTable(place);
  return { cwd, place };
}

/** All but the revocation feed, which every database begins anew. */
function withoutFeed(rows: Record<string, string[]>): Record<string, string[]> {
  return { ...rows, revocations: [], organizationChanges: [] };
}

/** What a copy adds to its target: the line of the audit log that says so. */
function withoutCopies(rows: Record<string, string[]>): Record<string, string[]> {
  const { auditEvents = [], ...others } = rows;
  return { ...others, auditEvents: auditEvents.filter((event) => !event.includes("database.copy")) };
}

describe("db copy", () => {
  it("takes every table of the schema, those that others refer to first", () => {
    expect(tableNames.toSorted()).toEqual(Object.keys(sqliteTables).toSorted());
    const order = tableNames.map(nameInDatabase);
    const late = references().filter(({ table, otherTable }) => order.indexOf(otherTable) >= order.indexOf(table));
    expect(late).toEqual([]);
  });

  it("moves SQLite to PostgreSQL and back without changing a value", async () => {
    const { cwd, place } = await filledPlace();
    const url = await createTestDatabase();
    const original = withoutFeed(await everyRow(place));

    const there = (await answer(["db", "copy", "--to", url], { cwd })) as Copied;
    expect(there).toMatchObject({ from: "sqlite", to: "postgres" });
    expect(there.tables).toHaveLength(copiedTables.length);
    expect(there.tables).toContainEqual({ table: "users", rows: manyRows });
    expect(there.tables.filter(({ rows }) => rows === 0).map(({ table }) => table)).toEqual([
      "organization_changes",
      "revocations",
    ]);
    expect(withoutCopies(await everyRow({ url, file: "" }))).toEqual(original);

    const env = { AUTHSVC_DATABASE__URL: url, AUTHSVC_MASTER_KEY: testMasterKey };
    const back = (await answer(["db", "copy", "--to", "sqlite:back/authsvc.db"], { cwd, env })) as Copied;
    expect(back).toMatchObject({ from: "postgres", to: "sqlite" });
    expect(withoutCopies(await everyRow({ url: undefined, file: join(cwd, "back", "authsvc.db") }))).toEqual(original);
  });

  it("refuses a target in which there is something, and the database itself", async () => {
    const { cwd } = await filledPlace();
    const other = await filledPlace();
    const before = await everyRow(other.place);
    const refused = await authsvc(["db", "copy", "--to", `sqlite:${other.place.file}`], { cwd });
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("not empty") });
    expect(await everyRow(other.place)).toEqual(before);
    const itself = await authsvc(["db", "copy", "--to", "sqlite:data/authsvc.db"], { cwd });
    expect(itself).toMatchObject({ code: 4, stderr: expect.stringContaining("itself") });
  });

  it("leaves nothing behind when the target cannot be filled", async () => {
    const { cwd } = await filledPlace();
    const missing = await authsvc(["db", "copy", "--to", "postgres://nobody@127.0.0.1:1/none"], { cwd });
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("PostgreSQL") });
    const url = await createTestDatabase();
    const unencrypted = await authsvc(["db", "copy", "--to", "postgres://nobody@db.example.com/none"], { cwd });
    expect(unencrypted).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("add sslmode=verify-full") as string,
    });
    const dry = (await answer(["db", "copy", "--to", url, "--dry-run"], { cwd })) as Copied & { dryRun: boolean };
    expect(dry.dryRun).toBe(true);
    expect(dry.tables).toContainEqual({ table: "users", rows: manyRows });
    const untouched = await authsvc(["db", "status", "--json"], { cwd, env: { AUTHSVC_DATABASE__URL: url } });
    expect(JSON.parse(untouched.stdout)).toMatchObject({ tables: [], schema: { applied: [] } });
    await authsvc(["db", "copy", "--to", "sqlite:new/authsvc.db", "--dry-run"], { cwd });
    expect(existsSync(join(cwd, "new"))).toBe(false);
  });

  it("takes an address with a password from a file or standard input only, and repeats it nowhere", async () => {
    const { cwd } = await filledPlace();
    const secret = "postgres://app:hunter2@127.0.0.1:1/none";
    for (const address of [secret, "postgres://127.0.0.1:1/none?user=app&password=hunter2"]) {
      const typed = await authsvc(["db", "copy", "--to", address], { cwd });
      expect(typed).toMatchObject({ code: 2, stderr: expect.stringContaining("--to-file") });
      expect(typed.stdout + typed.stderr).not.toContain("hunter2");
    }
    writeFileSync(join(cwd, "url"), `${secret}\n`);
    const fromFile = await authsvc(["db", "copy", "--to-file", "url"], { cwd });
    const piped = await authsvc(["db", "copy", "--to-stdin"], { cwd, input: secret });
    for (const { code, stdout, stderr } of [fromFile, piped]) {
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("ECONNREFUSED") });
      expect(stdout + stderr).not.toContain("hunter2");
    }
  });

  it.each([
    [["--to", "mysql://db"], "--to: sqlite:FILE"],
    [[], "--to is missing"],
    [["--to", "sqlite:x.db", "--to-file", "y"], "give one of them"],
  ])("says what is wrong with %j", async (flags, reason) => {
    const { code, stderr } = await authsvc(["db", "copy", ...flags], { cwd: emptyFolder() });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(reason) });
  });
});
