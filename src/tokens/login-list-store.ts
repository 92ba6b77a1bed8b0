import { and, desc, eq, gt, isNull } from "drizzle-orm";
import type { Handle } from "../storage/storage.ts";
import type { Login } from "./login-store.ts";

/** The logins of a user, newest first; unless `all`, those that are live at `now`. */
export async function listLoginsOfUser(
  { db, tables: { logins } }: Handle,
  userId: string,
  { all, now }: { all: boolean; now: number },
): Promise<Login[]> {
  const isLive = and(isNull(logins.endedAt), gt(logins.expiresAt, now));
  return await db
    .select()
    .from(logins)
    .where(and(eq(logins.userId, userId), all ? undefined : isLive))
    .orderBy(desc(logins.createdAt), desc(logins.id));
}
