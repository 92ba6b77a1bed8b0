import { getTableColumns, getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { describe, expect, expectTypeOf, it } from "vitest";
import { sqliteKit, type Kit } from "../../src/storage/schema/kit.ts";
import { postgresKit } from "../../src/storage/postgres/kit.ts";
import { defineTables, sqliteTables } from "../../src/storage/schema.ts";

const postgresTables = defineTables(postgresKit);

/**
 * How a value of a column looks to the program: the same for both databases, or the one cast of
 * storage/ is a lie.
 */
const programTypes: Record<string, string> = {
  string: "string",
  number: "number",
  boolean: "boolean",
  json: "json",
};

describe("one schema for two databases", () => {
  it("is shown to drizzle-kit as a whole: a table that it does not see gets no migration", async () => {
    const all = Object.keys(sqliteTables).toSorted();
    expect(Object.keys(await import("../../src/storage/tables/sqlite.ts")).toSorted()).toEqual(all);
    expect(Object.keys(await import("../../src/storage/tables/postgres.ts")).toSorted()).toEqual(all);
  });

  it("has the same kit for both", () => {
    expectTypeOf(postgresKit).toEqualTypeOf<Kit>();
    expect(Object.keys(postgresKit).toSorted()).toEqual(Object.keys(sqliteKit).toSorted());
  });

  it.each(Object.keys(sqliteTables) as (keyof typeof sqliteTables)[])("has the same columns in %s", (key) => {
    const describeColumns = (table: object) =>
      Object.entries(getTableColumns(table as unknown as PgTable)).map(([name, column]) => ({
        name,
        column: column.name,
        type: programTypes[column.dataType],
        notNull: column.notNull,
        primary: column.primary,
      }));
    expect(getTableName(postgresTables[key])).toBe(getTableName(sqliteTables[key]));
    expect(describeColumns(postgresTables[key])).toEqual(describeColumns(sqliteTables[key]));
  });
});
