import { and, asc, eq, getTableColumns, inArray, isNull, sql } from "drizzle-orm";
import type { WrittenFact } from "../lib/profile-facts.ts";
import { forChange, placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";
import { countLogin, countUsers } from "./counter-store.ts";
import type { User } from "./user.ts";

/** The kinds of methods that can sign a user in; `oauth`: provider names. */
export type MethodKinds = { passkey: boolean; oauth: string[]; password: boolean };

export type UserWithMethods = { user: User; methods: MethodKinds };

/**
 * The user's methods as part of its row, in one statement. Raw SQL, because drizzle omits table
 * names in queries on one table.
 */
const methodColumns = {
  hasPasskey: sql`EXISTS (SELECT 1 FROM passkeys WHERE passkeys.user_id = users.id)`.mapWith(Boolean),
  hasPassword: sql`EXISTS (SELECT 1 FROM passwords WHERE passwords.user_id = users.id)`.mapWith(Boolean),
  /** Names contain no spaces. */
  providers: sql<
    string | null
  >`(SELECT string_agg(oauth_identities.provider, ' ') FROM oauth_identities WHERE oauth_identities.user_id = users.id)`,
};

const prepared = statements(({ db, tables: { users } }) => {
  const row = placeholders(users);
  const withMethods = { ...getTableColumns(users), ...methodColumns };
  return {
    insert: prepare(db.insert(users).values(row).onConflictDoNothing().returning({ id: users.id }), "insert_user"),
    byId: prepare(db.select().from(users).where(eq(users.id, row.id)), "user_by_id"),
    withMethods: prepare(db.select(withMethods).from(users).where(eq(users.id, row.id)), "user_with_methods"),
    byEmail: prepare(
      db
        .select()
        .from(users)
        .where(and(eq(users.appId, row.appId), eq(users.email, row.email))),
      "user_by_email",
    ),
    recordLogin: prepare(
      db
        .update(users)
        .set({
          lastLoginAt: row.lastLoginAt,
          previousLoginAt: sql`${users.lastLoginAt}`,
          lastIpAddress: row.lastIpAddress,
          lastUserAgent: row.lastUserAgent,
          loginCount: sql`${users.loginCount} + 1`,
        })
        .where(and(eq(users.id, row.id), isNull(users.disabledAt)))
        .returning(withMethods),
      "note_login_of_user",
    ),
    recordLocale: prepare(
      db.update(users).set({ locale: row.locale }).where(eq(users.id, row.id)),
      "note_locale_of_user",
    ),
    declinePasskey: prepare(
      db.update(users).set({ passkeyDeclinedAt: row.passkeyDeclinedAt }).where(eq(users.id, row.id)),
      "decline_passkey_of_user",
    ),
    lock: prepare(forChange(db.select().from(users).where(eq(users.id, row.id))), "lock_user"),
    lockForChange: prepare(
      db.update(users).set({ updatedAt: row.updatedAt }).where(eq(users.id, row.id)).returning(),
      "lock_user_for_change",
    ),
    delete: prepare(db.delete(users).where(eq(users.id, row.id)).returning(), "delete_user"),
    verifyEmail: prepare(
      db
        .update(users)
        .set({ updatedAt: row.updatedAt, emailVerified: true })
        .where(and(eq(users.id, row.id), eq(users.email, row.email)))
        .returning({ id: users.id }),
      "verify_email_of_user",
    ),
  };
});

export async function findUser(handle: Handle, id: string): Promise<User | undefined> {
  const [row] = await prepared(handle).byId.execute({ id });
  return row;
}

/** By canonical address, within one application. */
export async function findUserByEmail(handle: Handle, appId: string, email: string): Promise<User | undefined> {
  const [row] = await prepared(handle).byEmail.execute({ appId, email });
  return row;
}

/** False if the application already has a user with this address. */
export async function insertUser(tx: Handle, user: User): Promise<boolean> {
  const inserted = await prepared(tx).insert.execute(user satisfies Row<"users">);
  if (inserted.length === 0) return false;
  countUsers(tx, [user], 1);
  return true;
}

export async function findUserWithMethods(handle: Handle, id: string): Promise<UserWithMethods | undefined> {
  const [row] = await prepared(handle).withMethods.execute({ id });
  return row && userWithMethods(row);
}

/**
 * Records a sign-in and returns the updated user; undefined if there is none or it is disabled.
 */
export async function recordLogin(
  tx: Handle,
  id: string,
  seen: { at: number; ipAddress: string | null; userAgent: string | null },
): Promise<UserWithMethods | undefined> {
  const [row] = await prepared(tx).recordLogin.execute({
    id,
    lastLoginAt: seen.at,
    lastIpAddress: seen.ipAddress,
    lastUserAgent: seen.userAgent,
  });
  if (!row) return undefined;
  const noted = userWithMethods(row);
  countLogin(tx, noted.user, seen.at);
  return noted;
}

export async function recordLocale(tx: Handle, id: string, locale: string): Promise<void> {
  await prepared(tx).recordLocale.execute({ id, locale });
}

export async function declinePasskey(tx: Handle, id: string, now: number): Promise<void> {
  await prepared(tx).declinePasskey.execute({ id, passkeyDeclinedAt: now });
}

/**
 * Locks the user until the transaction ends, and returns its latest committed state. Use it as the
 * first statement of anything that must not run twice at once.
 */
export async function lockUserForChange(tx: Handle, id: string, now: number): Promise<User | undefined> {
  const [row] = await prepared(tx).lockForChange.execute({ id, updatedAt: now });
  return row;
}

/** The same, without changing it. */
export async function lockUser(tx: Handle, id: string): Promise<User | undefined> {
  const [row] = await prepared(tx).lock.execute({ id });
  return row;
}

/** The same for several users, in the order of their ids. Returns those that exist. */
export async function lockUsers(
  { db, tables: { users } }: Handle,
  ids: readonly string[],
): Promise<Pick<User, "id" | "appId">[]> {
  return await forChange(
    db
      .select({ id: users.id, appId: users.appId })
      .from(users)
      .where(inArray(users.id, [...ids]))
      .orderBy(asc(users.id)),
  );
}

/** What a change of a person alters. */
export type UserColumns = Partial<
  Pick<
    User,
    | WrittenFact
    | "email"
    | "emailVerified"
    | "disabledAt"
    | "pendingAt"
    | "mailedMethodAt"
    | "publicMetadata"
    | "privateMetadata"
    | "profile"
  >
> & { updatedAt: number };

/** Changes only the given fields and returns the updated user; undefined if there is none. */
export async function updateUser(
  { db, tables: { users } }: Handle,
  id: string,
  change: UserColumns,
): Promise<User | undefined> {
  const [row] = await db.update(users).set(change).where(eq(users.id, id)).returning();
  return row;
}

/** Deletes a user with all dependent rows. */
export async function deleteUser(tx: Handle, id: string): Promise<void> {
  const [row] = await prepared(tx).delete.execute({ id });
  if (row) countUsers(tx, [row], -1);
}

/** Marks the address as verified; false if it is no longer this user's. */
export async function verifyEmail(
  tx: Handle,
  proven: { id: string; email: string; updatedAt: number },
): Promise<boolean> {
  const verified = await prepared(tx).verifyEmail.execute(proven);
  return verified.length === 1;
}

/**
 * Gives a user a verified address; false if another user has it. If another one gets it at the same
 * moment, the transaction fails with CONFLICT (storage/errors/address-taken.ts).
 */
export async function changeEmail(
  tx: Handle,
  { id: userId, appId }: Pick<User, "id" | "appId">,
  changed: { email: string; updatedAt: number },
): Promise<boolean> {
  const { db, tables } = tx;
  const { users } = tables;
  if (await findUserByEmail(tx, appId, changed.email)) return false;
  const set = { ...changed, emailVerified: true };
  return (await db.update(users).set(set).where(eq(users.id, userId)).returning({ id: users.id })).length === 1;
}

/** Takes an address away from the user who has it without having verified it, and returns them. */
export async function freeUnverifiedEmail(
  { db, tables: { users } }: Handle,
  appId: string,
  email: string,
  now: number,
): Promise<User | undefined> {
  const [row] = await db
    .update(users)
    .set({ email: null, updatedAt: now })
    .where(and(eq(users.appId, appId), eq(users.email, email), eq(users.emailVerified, false)))
    .returning();
  return row;
}

function userWithMethods({
  hasPasskey: passkey,
  hasPassword: password,
  providers,
  ...user
}: User & { hasPasskey: boolean; hasPassword: boolean; providers: string | null }): UserWithMethods {
  const oauth = [...new Set(providers?.split(" "))].toSorted();
  return { user, methods: { passkey, oauth, password } };
}
