import type { PoolClient } from "pg";
import { AppError } from "../../lib/errors.ts";
import { nameInDatabase, tableNames } from "../table-names.ts";
import type { HostClient } from "./hosts.ts";
import { isOurs } from "./postgres.ts";

type Found = {
  role: string;
  database: string;
  schema: string | null;
  encoding: string;
  isOurs: boolean;
  mayCreate: boolean | null;
  /** Tables of our names, in a schema that is not ours. */
  taken: string[];
  /** Other schemas of the search path that hold tables of authsvc. */
  elsewhere: string[];
};

const found = `SELECT current_user AS role, current_database() AS database, quote_ident(current_schema()) AS schema,
  current_setting('server_encoding') AS encoding, ${isOurs("'migrations'")} AS "isOurs",
  has_schema_privilege(current_schema(), 'CREATE') AS "mayCreate",
  ARRAY(SELECT relname::text FROM pg_class WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relname = ANY($1) ORDER BY 1) AS taken,
  ARRAY(SELECT quote_ident(name) FROM unnest($2::text[]) name WHERE ${isOurs("format('%I.migrations', name)")}) AS elsewhere`;

/**
 * Refuses a database in which the first migration would fail, or create tables in an unexpected
 * place (docs/decisions/0082). Throws UNUSABLE_STORAGE.
 */
export async function refuseUnusableSchema(client: PoolClient): Promise<void> {
  const { searchPath } = client as unknown as HostClient;
  const ours = [...tableNames.map(nameInDatabase), "migrations"];
  const { rows } = await client.query<Found>(found, [ours, searchPath.schemas.slice(1)]);
  const problem = rows[0] && problemOf(rows[0], searchPath.text);
  if (problem !== undefined) throw new AppError("UNUSABLE_STORAGE", problem);
}

function problemOf(place: Found, searchPath: string): string | undefined {
  const { role, database, schema, encoding, mayCreate, taken, elsewhere } = place;
  const own = `CREATE SCHEMA authsvc AUTHORIZATION "${role}"; and add search_path=authsvc to database.url`;
  if (schema === null)
    return `No schema of the search_path (${searchPath}) exists in the database ${database}, or the role ${role} may not use it: ${own}`;
  if (place.isOurs) return undefined;
  if (elsewhere.length > 0)
    return `The schema ${elsewhere[0]} has tables of authsvc, but ${schema} comes first in the search_path (${searchPath}): add search_path=${elsewhere[0]} to database.url, or search_path=${schema} for a new database`;
  if (taken.length > 0)
    return `The schema ${schema} of the database ${database} has tables of another program (${taken.join(", ")}): ${own}`;
  if (mayCreate !== true)
    return `The role ${role} may not create tables in the schema ${schema} of the database ${database}: GRANT CREATE ON SCHEMA ${schema} TO "${role}", or ${own}`;
  if (encoding !== "UTF8")
    return `The database ${database} has the encoding ${encoding}, which cannot store every name: create one with ENCODING 'UTF8' TEMPLATE template0`;
  return undefined;
}
