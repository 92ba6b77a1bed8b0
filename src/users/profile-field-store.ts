import { and, asc, count, eq, gt, isNull, or, sql, type SQL } from "drizzle-orm";
import type { ProfileField, ProfileValues } from "../storage/column-types.ts";
import type { Handle } from "../storage/storage.ts";

/** In JSON a quote within a text is escaped, so only a key looks like this. */
function hasKey(column: unknown, name: string, value = ""): SQL {
  // `_` is a letter of names, and a wildcard.
  const pattern = `%"${name.replaceAll("_", String.raw`\_`)}":${value}%`;
  return sql`CAST(${column} AS text) LIKE ${pattern} ESCAPE '\\'`;
}

/** PostgreSQL writes a blank after the colon. */
function hasValue(column: unknown, name: string, value: string): SQL {
  return sql`(${hasKey(column, name, value)} OR ${hasKey(column, name, ` ${value}`)})`;
}

/**
 * How many enabled users of an application lack a value of one of these required fields. Those
 * asked at sign-up count for people who have never signed in.
 */
export async function countLacking(
  { db, tables: { users } }: Handle,
  appId: string,
  fields: readonly Pick<ProfileField, "name" | "type" | "askAt">[],
): Promise<number> {
  if (fields.length === 0) return 0;
  const lacks = fields.map(({ name, type, askAt }) => {
    const empty = hasValue(users.profile, name, "null");
    const unticked = type === "checkbox" ? sql`OR ${hasValue(users.profile, name, "false")}` : sql``;
    const isMissing = sql`(${users.profile} IS NULL OR NOT ${hasKey(users.profile, name)} OR ${empty} ${unticked})`;
    return askAt === "signUp" ? and(isMissing, isNull(users.lastLoginAt)) : isMissing;
  });
  const [row] = await db
    .select({ people: count() })
    .from(users)
    .where(and(eq(users.appId, appId), isNull(users.disabledAt), or(...lacks)));
  return row?.people ?? 0;
}

/** The ids of some users with a value of this name, in the order of ids. */
export async function listWithValue(
  { db, tables: { users } }: Handle,
  appId: string,
  name: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.appId, appId), gt(users.id, after), hasKey(users.profile, name)))
    .orderBy(asc(users.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** How many users of an application have a value of this name. */
export async function countWithValue({ db, tables: { users } }: Handle, appId: string, name: string): Promise<number> {
  const [row] = await db
    .select({ people: count() })
    .from(users)
    .where(and(eq(users.appId, appId), hasKey(users.profile, name)));
  return row?.people ?? 0;
}

/** Not a change of the person: `updatedAt` stays. */
export async function saveProfile(
  { db, tables: { users } }: Handle,
  userId: string,
  profile: ProfileValues | null,
): Promise<void> {
  await db.update(users).set({ profile }).where(eq(users.id, userId));
}
