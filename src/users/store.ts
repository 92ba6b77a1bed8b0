import { and, eq, sql } from "drizzle-orm";
import { prepare, statements, type Handle } from "../storage/storage.ts";
import type { User } from "./user.ts";

const prepared = statements(({ db, tables: { users, passwords, passkeys } }) => ({
  byId: prepare(
    db
      .select()
      .from(users)
      .where(eq(users.id, sql.placeholder("id"))),
    "user_by_id",
  ),
  byEmail: prepare(
    db
      .select()
      .from(users)
      .where(and(eq(users.appId, sql.placeholder("appId")), eq(users.email, sql.placeholder("email")))),
    "user_by_email",
  ),
  passwordsOf: prepare(
    db
      .select({ id: passwords.id })
      .from(passwords)
      .where(eq(passwords.userId, sql.placeholder("userId"))),
    "passwords_of_user",
  ),
  passkeysOf: prepare(
    db
      .select({ id: passkeys.id })
      .from(passkeys)
      .where(eq(passkeys.userId, sql.placeholder("userId")))
      .limit(1),
    "passkeys_of_user",
  ),
}));

export async function findUser(handle: Handle, id: string): Promise<User | undefined> {
  const [row] = await prepared(handle).byId.execute({ id });
  return row;
}

/** By the canonical address, within one application. */
export async function findUserByEmail(handle: Handle, appId: string, email: string): Promise<User | undefined> {
  const [row] = await prepared(handle).byEmail.execute({ appId, email });
  return row;
}

/** False when the application has a user with this address already. */
export async function insertUser({ db, tables: { users } }: Handle, user: User): Promise<boolean> {
  const inserted = await db.insert(users).values(user).onConflictDoNothing().returning({ id: users.id });
  return inserted.length === 1;
}

/** Notes a sign-in; the user as it is afterwards, undefined when there is none or it is disabled. */
export async function noteLogin(
  { db, tables: { users } }: Handle,
  id: string,
  seen: { at: number; ipAddress: string | null; userAgent: string | null },
): Promise<User | undefined> {
  const [user] = await db
    .update(users)
    .set({
      lastLoginAt: seen.at,
      lastIpAddress: seen.ipAddress,
      lastUserAgent: seen.userAgent,
      loginCount: sql`${users.loginCount} + 1`,
    })
    .where(and(eq(users.id, id), sql`${users.disabledAt} IS NULL`))
    .returning();
  return user;
}

/** Which kinds of method can sign this user in. */
export async function findMethodKinds(
  handle: Handle,
  userId: string,
): Promise<{ passkey: boolean; oauth: string[]; password: boolean }> {
  const { passkeysOf, passwordsOf } = prepared(handle);
  const passkeys = await passkeysOf.execute({ userId });
  const passwords = await passwordsOf.execute({ userId });
  return { passkey: passkeys.length > 0, oauth: [], password: passwords.length > 0 };
}
