import { and, asc, count, eq, exists, gt, isNull, max, sql } from "drizzle-orm";
import type { OperatorRole } from "../storage/column-types.ts";
import { prepareSweep } from "../storage/queries/sweep.ts";
import { statements, type Handle, type Row } from "../storage/storage.ts";

/** An operator with their address. Instants are epoch milliseconds. */
export type OperatorRow = {
  userId: string;
  email: string | null;
  name: string | null;
  role: OperatorRole;
  createdAt: number;
  lastLoginAt: number | null;
  disabledAt: number | null;
  /** By a page of the console; null if no session is live. */
  seenAt: number | null;
  hasPasskey: boolean;
};

/** An operator's browser. `provenAt`: when the passkey was used. */
export type OperatorSession = Pick<OperatorRow, "userId" | "email" | "role"> & {
  digest: string;
  loginId: string;
  seenAt: number;
  provenAt: number;
};

const prepared = statements((handle) => {
  const { operatorSessions: sessions } = handle.tables;
  return {
    sweep: prepareSweep(
      handle,
      { table: sessions, key: sessions.digest, instant: sessions.seenAt },
      "sweep_operator_sessions",
    ),
  };
});

export async function listOperators({ db, tables }: Handle): Promise<OperatorRow[]> {
  const { operators, operatorSessions: sessions, passkeys, users } = tables;
  const hasPasskey = exists(db.select({ id: passkeys.id }).from(passkeys).where(eq(passkeys.userId, operators.userId)));
  const seenAt = db
    .select({ seenAt: max(sessions.seenAt) })
    .from(sessions)
    .where(eq(sessions.userId, operators.userId));
  return await db
    .select({
      userId: operators.userId,
      email: users.email,
      name: users.name,
      role: operators.role,
      createdAt: operators.createdAt,
      lastLoginAt: users.lastLoginAt,
      disabledAt: users.disabledAt,
      seenAt: sql<number | null>`${seenAt}`.mapWith(Number),
      hasPasskey: sql<boolean>`${hasPasskey}`.mapWith(Boolean),
    })
    .from(operators)
    .innerJoin(users, eq(users.id, operators.userId))
    .orderBy(asc(operators.createdAt), asc(operators.userId));
}

export async function countOwners({ db, tables: { operators } }: Handle): Promise<number> {
  const [row] = await db.select({ owners: count() }).from(operators).where(eq(operators.role, "owner"));
  return row?.owners ?? 0;
}

/** Inserts an operator, or changes the role of one. */
export async function saveOperator({ db, tables: { operators } }: Handle, row: Row<"operators">): Promise<void> {
  await db
    .insert(operators)
    .values(row)
    .onConflictDoUpdate({ target: operators.userId, set: { role: row.role } });
}

export async function insertOperatorSession(
  { db, tables: { operatorSessions } }: Handle,
  row: Row<"operatorSessions">,
): Promise<void> {
  await db.insert(operatorSessions).values(row);
}

/** The session of a cookie, while its login is live and its user is an operator. */
export async function findOperatorSession(
  { db, tables }: Handle,
  digest: string,
  alive: { createdAfter: number; seenAfter: number },
): Promise<OperatorSession | undefined> {
  const { operatorSessions: sessions, operators, users, logins } = tables;
  const [row] = await db
    .select({
      digest: sessions.digest,
      loginId: sessions.loginId,
      seenAt: sessions.seenAt,
      userId: operators.userId,
      role: operators.role,
      email: users.email,
      provenAt: logins.signedInAt,
    })
    .from(sessions)
    .innerJoin(operators, eq(operators.userId, sessions.userId))
    .innerJoin(users, eq(users.id, sessions.userId))
    .innerJoin(logins, eq(logins.id, sessions.loginId))
    .where(
      and(
        eq(sessions.digest, digest),
        gt(sessions.createdAt, alive.createdAfter),
        gt(sessions.seenAt, alive.seenAfter),
        isNull(logins.endedAt),
        isNull(users.disabledAt),
      ),
    );
  return row;
}

export async function recordOperatorSeen(
  { db, tables: { operatorSessions } }: Handle,
  digest: string,
  now: number,
): Promise<void> {
  await db.update(operatorSessions).set({ seenAt: now }).where(eq(operatorSessions.digest, digest));
}

export async function deleteOperatorSession(
  { db, tables: { operatorSessions } }: Handle,
  digest: string,
): Promise<void> {
  await db.delete(operatorSessions).where(eq(operatorSessions.digest, digest));
}

/** Removes a batch of sessions that were not used since; true if more may be left. */
export async function sweepOperatorSessions(tx: Handle, seenBefore: number): Promise<boolean> {
  return await prepared(tx).sweep(seenBefore);
}
