import { and, eq, sql } from "drizzle-orm";
import { prepare, statements, type Handle } from "../storage/storage.ts";
import type { User } from "./user.ts";

const prepared = statements(({ db, tables: { users, passwords, passkeys, oauthIdentities } }) => ({
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
  providersOf: prepare(
    db
      .select({ provider: oauthIdentities.provider })
      .from(oauthIdentities)
      .where(eq(oauthIdentities.userId, sql.placeholder("userId"))),
    "providers_of_user",
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

/** The address is proven from now on; what was put on the user without proof is replaced. */
export async function proveEmail(
  { db, tables: { users } }: Handle,
  id: string,
  proven: { name: string | null; picture: string | null; updatedAt: number },
): Promise<void> {
  await db
    .update(users)
    .set({ ...proven, emailVerified: true })
    .where(eq(users.id, id));
}

/** Which kinds of method can sign this user in. */
export async function findMethodKinds(
  handle: Handle,
  userId: string,
): Promise<{ passkey: boolean; oauth: string[]; password: boolean }> {
  const { passkeysOf, passwordsOf, providersOf } = prepared(handle);
  const passkeys = await passkeysOf.execute({ userId });
  const identities = await providersOf.execute({ userId });
  const passwords = await passwordsOf.execute({ userId });
  return {
    passkey: passkeys.length > 0,
    oauth: [...new Set(identities.map((row) => row.provider))].toSorted(),
    password: passwords.length > 0,
  };
}
