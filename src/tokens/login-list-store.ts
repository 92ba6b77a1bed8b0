import { and, count, desc, eq, gt, isNull, sql } from "drizzle-orm";
import type { Handle } from "../storage/storage.ts";
import { loginColumns, type Login } from "./login-store.ts";

/** The logins of a user, newest first; unless `all`, those that are live at `now`. */
export async function listLoginsOfUser(
  { db, tables }: Handle,
  userId: string,
  { all, now }: { all: boolean; now: number },
): Promise<Login[]> {
  const { logins } = tables;
  const isLive = and(isNull(logins.endedAt), gt(logins.expiresAt, now));
  return await db
    .select(loginColumns(tables))
    .from(logins)
    .where(and(eq(logins.userId, userId), all ? undefined : isLive))
    .orderBy(desc(logins.createdAt), desc(logins.id));
}

/** How many logins that live say something else of their user than is so: none, as long as nobody writes past the triggers that keep them equal. */
export async function countLoginsAtOdds({ db, tables: { logins, users } }: Handle): Promise<number> {
  const [row] = await db
    .select({ value: count() })
    .from(logins)
    .leftJoin(users, eq(users.id, logins.userId))
    .where(
      and(
        isNull(logins.endedAt),
        sql`(${users.id} IS NULL OR ${logins.userEmail} IS DISTINCT FROM ${users.email} OR ${logins.userEmailVerified} IS DISTINCT FROM ${users.emailVerified}
          OR ${logins.userName} IS DISTINCT FROM ${users.name} OR ${logins.userDisabledAt} IS DISTINCT FROM ${users.disabledAt})`,
      ),
    );
  return row?.value ?? 0;
}
