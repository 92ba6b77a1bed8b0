import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle, type Row } from "../storage/storage.ts";
import { countLogin, countUsers } from "./counter-store.ts";
import type { User } from "./user.ts";

/** Which kinds of method can sign a user in; `oauth`: by the names of the providers. */
export type MethodKinds = { passkey: boolean; oauth: string[]; password: boolean };

export type UserWithMethods = { user: User; methods: MethodKinds };

/** The methods beside the row of their user, in one statement: written out, because drizzle names no table where it knows of one only. */
const methodColumns = {
  hasPasskey: sql`EXISTS (SELECT 1 FROM passkeys WHERE passkeys.user_id = users.id)`.mapWith(Boolean),
  hasPassword: sql`EXISTS (SELECT 1 FROM passwords WHERE passwords.user_id = users.id)`.mapWith(Boolean),
  /** No name has a space. */
  providers: sql<
    string | null
  >`(SELECT string_agg(oauth_identities.provider, ' ') FROM oauth_identities WHERE oauth_identities.user_id = users.id)`,
};

const prepared = statements(({ db, tables: { users } }) => {
  const given = placeholders(users);
  const withMethods = { ...getTableColumns(users), ...methodColumns };
  return {
    insert: prepare(db.insert(users).values(given).onConflictDoNothing().returning({ id: users.id }), "insert_user"),
    byId: prepare(db.select().from(users).where(eq(users.id, given.id)), "user_by_id"),
    withMethods: prepare(db.select(withMethods).from(users).where(eq(users.id, given.id)), "user_with_methods"),
    byEmail: prepare(
      db
        .select()
        .from(users)
        .where(and(eq(users.appId, given.appId), eq(users.email, given.email))),
      "user_by_email",
    ),
    noteLogin: prepare(
      db
        .update(users)
        .set({
          lastLoginAt: given.lastLoginAt,
          previousLoginAt: sql`${users.lastLoginAt}`,
          lastIpAddress: given.lastIpAddress,
          lastUserAgent: given.lastUserAgent,
          loginCount: sql`${users.loginCount} + 1`,
        })
        .where(and(eq(users.id, given.id), isNull(users.disabledAt)))
        .returning(withMethods),
      "note_login_of_user",
    ),
    noteLocale: prepare(
      db.update(users).set({ locale: given.locale }).where(eq(users.id, given.id)),
      "note_locale_of_user",
    ),
    declinePasskey: prepare(
      db.update(users).set({ passkeyDeclinedAt: given.passkeyDeclinedAt }).where(eq(users.id, given.id)),
      "decline_passkey_of_user",
    ),
    hold: prepare(
      db
        .update(users)
        .set({ updatedAt: sql`${users.updatedAt}` })
        .where(eq(users.id, sql.placeholder("id")))
        .returning({ id: users.id }),
      "hold_user",
    ),
    take: prepare(
      db.update(users).set({ updatedAt: given.updatedAt }).where(eq(users.id, given.id)).returning(),
      "take_user",
    ),
    delete: prepare(db.delete(users).where(eq(users.id, given.id)).returning(), "delete_user"),
    proveEmail: prepare(
      db
        .update(users)
        .set({ name: given.name, picture: given.picture, updatedAt: given.updatedAt, emailVerified: true })
        .where(eq(users.id, given.id)),
      "prove_email_of_user",
    ),
    verifyEmail: prepare(
      db
        .update(users)
        .set({ updatedAt: given.updatedAt, emailVerified: true })
        .where(and(eq(users.id, given.id), eq(users.email, given.email)))
        .returning({ id: users.id }),
      "verify_email_of_user",
    ),
  };
});

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
export async function insertUser(tx: Handle, user: User): Promise<boolean> {
  const inserted = await prepared(tx).insert.execute(user satisfies Row<"users">);
  if (inserted.length === 0) return false;
  await countUsers(tx, [user], 1);
  return true;
}

export async function findUserWithMethods(handle: Handle, id: string): Promise<UserWithMethods | undefined> {
  const [row] = await prepared(handle).withMethods.execute({ id });
  return row && userWithMethods(row);
}

/** Notes a sign-in; the user as it is afterwards, undefined when there is none or it is disabled. */
export async function noteLogin(
  tx: Handle,
  id: string,
  seen: { at: number; ipAddress: string | null; userAgent: string | null },
): Promise<UserWithMethods | undefined> {
  const [row] = await prepared(tx).noteLogin.execute({
    id,
    lastLoginAt: seen.at,
    lastIpAddress: seen.ipAddress,
    lastUserAgent: seen.userAgent,
  });
  if (!row) return undefined;
  const noted = userWithMethods(row);
  await countLogin(tx, noted.user, seen.at);
  return noted;
}

export async function noteLocale(tx: Handle, id: string, locale: string): Promise<void> {
  await prepared(tx).noteLocale.execute({ id, locale });
}

export async function declinePasskey(tx: Handle, id: string, now: number): Promise<void> {
  await prepared(tx).declinePasskey.execute({ id, passkeyDeclinedAt: now });
}

/** The user as it was committed last, locked until the transaction ends: the first statement of what must not happen twice at once. */
export async function takeUser(tx: Handle, id: string, now: number): Promise<User | undefined> {
  const [row] = await prepared(tx).take.execute({ id, updatedAt: now });
  return row;
}

/** Locks a user until the transaction ends, and changes nothing. False when there is none. */
export async function holdUser(tx: Handle, id: string): Promise<boolean> {
  return (await prepared(tx).hold.execute({ id })).length === 1;
}

/** Changes what is given and nothing else; the user afterwards, undefined when there is none. */
export async function updateUser(
  { db, tables: { users } }: Handle,
  id: string,
  change: { name?: string; picture?: string | null; updatedAt: number },
): Promise<User | undefined> {
  const [row] = await db.update(users).set(change).where(eq(users.id, id)).returning();
  return row;
}

/** Removes a user with everything that is only theirs; the user as it was, undefined when there is none. */
export async function deleteUser(tx: Handle, id: string): Promise<User | undefined> {
  const [row] = await prepared(tx).delete.execute({ id });
  if (row) await countUsers(tx, [row], -1);
  return row;
}

/** The address is proven from now on; what was put on the user without proof is replaced. */
export async function proveEmail(
  tx: Handle,
  id: string,
  proven: { name: string | null; picture: string | null; updatedAt: number },
): Promise<void> {
  await prepared(tx).proveEmail.execute({ ...proven, id });
}

/** The address is proven from now on; false when it is no longer this user's. */
export async function verifyEmail(
  tx: Handle,
  proven: { id: string; email: string; updatedAt: number },
): Promise<boolean> {
  const verified = await prepared(tx).verifyEmail.execute(proven);
  return verified.length === 1;
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
