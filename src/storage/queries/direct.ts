import { Column, is, Param, Placeholder } from "drizzle-orm";
import type { Statement } from "./statement.ts";

type Values = Record<string, unknown>;
type Decoder = { mapFromDriverValue(value: unknown): unknown };
type Decode = ((value: unknown) => unknown) | undefined;

/** The internals of drizzle's prepared query for better-sqlite3. */
type SqliteQuery = {
  mode: "sync";
  executeMethod: "run" | "all" | "get";
  stmt: { raw(): void; all(...parameters: unknown[]): unknown[][]; run(...parameters: unknown[]): unknown };
  query: { params: unknown[] };
  fields: { path: string[]; field: unknown }[] | undefined;
  customResultMapper: unknown;
};

/**
 * Runs the same statement without drizzle's work per parameter and cell, and without its promises;
 * this saves a tenth of a refresh (docs/decisions/0026). Queries that do not return rows of one
 * table are left to drizzle.
 */
export function direct<Result>(prepared: Statement<Result>): Statement<Result> {
  const query: unknown = prepared;
  if (!isPlain(query)) return prepared;
  const { stmt, executeMethod } = query;
  const read = query.query.params.map(parameterReader);
  const parametersOf = (values: Values): unknown[] => read.map((from) => from(values));
  const columns = query.fields?.map(({ path: [name = ""], field }) => ({ name, decode: decoderOf(field) }));
  if (columns) stmt.raw();

  function run(values: Values): unknown {
    if (!columns || executeMethod === "run") return stmt.run(...parametersOf(values));
    return stmt.all(...parametersOf(values)).map((cells) => {
      const row: Values = {};
      // The hottest loop of all: by index, without an iterator.
      for (let place = 0; place < columns.length; place += 1) {
        const { name, decode } = columns[place] as (typeof columns)[number];
        const cell = cells[place];
        row[name] = cell === null || decode === undefined ? cell : decode(cell);
      }
      return row;
    });
  }

  // Async like drizzle's: errors reject instead of being thrown.
  const execute = async (values: Values = {}): Promise<unknown> => run(values);
  return { execute: execute as Statement<unknown>["execute"] as Statement<Result>["execute"] };
}

/** An SQLite query that returns rows of one table, or nothing. */
function isPlain(query: unknown): query is SqliteQuery {
  const { mode, fields, executeMethod, customResultMapper } = query as Partial<SqliteQuery>;
  if (mode !== "sync" || customResultMapper !== undefined) return false;
  return executeMethod === "run" || (fields?.every(({ path }) => path.length === 1) ?? false);
}

function parameterReader(parameter: unknown): (values: Values) => unknown {
  if (is(parameter, Placeholder)) return (values) => valueOf(values, parameter.name);
  if (is(parameter, Param) && is(parameter.value, Placeholder)) {
    const { encoder, value } = parameter;
    return (values) => encoder.mapToDriverValue(valueOf(values, value.name));
  }
  return () => parameter;
}

function valueOf(values: Values, name: string): unknown {
  if (!(name in values)) throw new Error(`No value for placeholder "${name}" was provided`);
  return values[name];
}

/** Undefined if the cell needs no decoding, as most do not. */
function decoderOf(field: unknown): Decode {
  const decoder = is(field, Column) ? field : decoderOfExpression(field);
  if (decoder.mapFromDriverValue === Column.prototype.mapFromDriverValue) return undefined;
  return (value) => decoder.mapFromDriverValue(value);
}

function decoderOfExpression(field: unknown): Decoder {
  const { decoder, sql } = field as { decoder?: Decoder; sql?: { decoder: Decoder } };
  const chosen = decoder ?? sql?.decoder;
  if (!chosen) throw new Error("a selected expression without a decoder");
  return chosen;
}
