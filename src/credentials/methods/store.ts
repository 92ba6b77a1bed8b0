import { and, eq, sql } from "drizzle-orm";
import { placeholders, prepare, statements, type Handle } from "../../storage/storage.ts";
import type { Method } from "./method.ts";

const prepared = statements(({ db, tables: { passkeys, oauthIdentities, passwords } }) => {
  const userId = sql.placeholder("userId");
  const id = sql.placeholder("id");
  const { name } = placeholders(passkeys);
  const common = <T extends typeof passkeys | typeof oauthIdentities | typeof passwords>(table: T) => ({
    id: table.id,
    createdAt: table.createdAt,
    lastUsedAt: table.lastUsedAt,
  });
  const ownPasskey = and(eq(passkeys.id, id), eq(passkeys.userId, userId));
  return {
    passkeys: prepare(
      db
        .select({ ...common(passkeys), name: passkeys.name })
        .from(passkeys)
        .where(eq(passkeys.userId, userId)),
      "passkey_methods_of_user",
    ),
    identities: prepare(
      db
        .select({
          ...common(oauthIdentities),
          provider: oauthIdentities.provider,
          email: oauthIdentities.email,
        })
        .from(oauthIdentities)
        .where(eq(oauthIdentities.userId, userId)),
      "oauth_methods_of_user",
    ),
    passwords: prepare(
      db.select(common(passwords)).from(passwords).where(eq(passwords.userId, userId)),
      "password_methods_of_user",
    ),
    deletePasskey: prepare(db.delete(passkeys).where(ownPasskey), "delete_passkey_method"),
    deleteIdentity: prepare(
      db.delete(oauthIdentities).where(and(eq(oauthIdentities.id, id), eq(oauthIdentities.userId, userId))),
      "delete_oauth_method",
    ),
    deletePassword: prepare(
      db.delete(passwords).where(and(eq(passwords.id, id), eq(passwords.userId, userId))),
      "delete_password_method",
    ),
    rename: prepare(
      db.update(passkeys).set({ name }).where(ownPasskey).returning({ id: passkeys.id }),
      "rename_passkey_method",
    ),
  };
});

/** A user's methods, oldest first. */
export async function listMethods(handle: Handle, userId: string): Promise<Method[]> {
  const { passkeys, identities, passwords } = prepared(handle);
  const methods: Method[] = [
    ...(await passkeys.execute({ userId })).map((row) => ({ type: "passkey", ...row }) as const),
    ...(await identities.execute({ userId })).map((row) => ({ type: "oauth", ...row }) as const),
    ...(await passwords.execute({ userId })).map((row) => ({ type: "password", ...row }) as const),
  ];
  return methods.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

export async function deleteMethod(tx: Handle, userId: string, { type, id }: Method): Promise<void> {
  const { deletePasskey, deleteIdentity, deletePassword } = prepared(tx);
  const statement = { passkey: deletePasskey, oauth: deleteIdentity, password: deletePassword }[type];
  await statement.execute({ id, userId });
}

/** False if the user has no passkey with this id. */
export async function renamePasskey(tx: Handle, userId: string, id: string, name: string): Promise<boolean> {
  return (await prepared(tx).rename.execute({ id, userId, name })).length === 1;
}
