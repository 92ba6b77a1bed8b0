import { and, eq, inArray } from "drizzle-orm";
import { insertPictures } from "../pictures/store.ts";
import type { Handle, Row } from "../storage/storage.ts";

/** Complete rows of users that are created together. */
export type NewRows = {
  users: Row<"users">[];
  passwords: Row<"passwords">[];
  passkeys: Row<"passkeys">[];
  identities: Row<"oauthIdentities">[];
  memberships: Row<"groupMembers">[];
  pictures: Row<"pictures">[];
};

/** The parts of a batch that are already in use. Identities by `identityKey`. */
export type Taken = {
  ids: Map<string, { appId: string; email: string | null }>;
  /** The ids of clients: a machine's is the `sub` of its tokens. */
  clientIds: Set<string>;
  emails: Map<string, string>;
  handles: Set<string>;
  credentials: Set<string>;
  identities: Set<string>;
};

/** An identity's key within an application. */
export type IdentityKey = { provider: string; issuer: string; subject: string };

export function identityKey({ provider, issuer, subject }: IdentityKey): string {
  return `${provider} ${issuer} ${subject}`;
}

export type Wanted = {
  ids: string[];
  emails: string[];
  handles: string[];
  credentials: string[];
  identities: IdentityKey[];
};

/**
 * The ids, handles and credentials that are in use in any application, and the addresses and
 * identities in this one.
 */
export async function findTaken({ db, tables }: Handle, appId: string, wanted: Wanted): Promise<Taken> {
  const { users, passkeys, oauthIdentities, clients, deletedApplications } = tables;
  const columns = { id: users.id, appId: users.appId, email: users.email, handle: users.handle };
  const byId = await db.select(columns).from(users).where(inArray(users.id, wanted.ids));
  const ofClients = await db.select({ id: clients.id }).from(clients).where(inArray(clients.id, wanted.ids));
  const ofDeleted = await db
    .select({ id: deletedApplications.id })
    .from(deletedApplications)
    .where(inArray(deletedApplications.id, wanted.ids));
  const byEmail = await db
    .select(columns)
    .from(users)
    .where(and(eq(users.appId, appId), inArray(users.email, wanted.emails)));
  const byHandle = await db.select(columns).from(users).where(inArray(users.handle, wanted.handles));
  const credentials = await db
    .select({ credentialId: passkeys.credentialId })
    .from(passkeys)
    .where(inArray(passkeys.credentialId, wanted.credentials));
  const identities = await db
    .select({ provider: oauthIdentities.provider, issuer: oauthIdentities.issuer, subject: oauthIdentities.subject })
    .from(oauthIdentities)
    .where(
      and(
        eq(oauthIdentities.appId, appId),
        inArray(oauthIdentities.provider, [...new Set(wanted.identities.map(({ provider }) => provider))]),
        inArray(
          oauthIdentities.subject,
          wanted.identities.map(({ subject }) => subject),
        ),
      ),
    );
  return {
    ids: new Map(byId.map(({ id, ...user }) => [id, user])),
    clientIds: new Set([...ofClients, ...ofDeleted].map(({ id }) => id)),
    emails: new Map(byEmail.map(({ id, email }) => [email ?? "", id])),
    handles: new Set(byHandle.map(({ handle }) => handle)),
    credentials: new Set(credentials.map(({ credentialId }) => credentialId)),
    identities: new Set(identities.map(identityKey)),
  };
}

/**
 * Inserts everything. False if another writer was first; then the transaction must be rolled back.
 */
export async function insertRows(tx: Handle, rows: NewRows): Promise<boolean> {
  const { db, tables } = tx;
  const { users, passwords, passkeys, oauthIdentities, groupMembers } = tables;
  let missing = 0;
  for (const chunk of chunksOf(rows.users)) {
    const { length } = await db.insert(users).values(chunk).onConflictDoNothing().returning({ id: users.id });
    missing += chunk.length - length;
  }
  if (missing > 0) return false;
  for (const chunk of chunksOf(rows.passwords)) await db.insert(passwords).values(chunk);
  for (const chunk of chunksOf(rows.passkeys)) {
    const { length } = await db.insert(passkeys).values(chunk).onConflictDoNothing().returning({ id: passkeys.id });
    missing += chunk.length - length;
  }
  for (const chunk of chunksOf(rows.identities)) {
    const { length } = await db
      .insert(oauthIdentities)
      .values(chunk)
      .onConflictDoNothing()
      .returning({ id: oauthIdentities.id });
    missing += chunk.length - length;
  }
  await insertPictures(tx, rows.pictures);
  for (const chunk of chunksOf(rows.memberships)) await db.insert(groupMembers).values(chunk);
  return missing === 0;
}

/** The ids of an application's groups, by name. */
export async function findGroupIds({ db, tables: { groups } }: Handle, appId: string): Promise<Map<string, string>> {
  const rows = await db.select({ id: groups.id, name: groups.name }).from(groups).where(eq(groups.appId, appId));
  return new Map(rows.flatMap(({ id, name }): [string, string][] => (name === null ? [] : [[name, id]])));
}

/** Far below SQLite's limit of 32,766 values per statement. */
const maxRows = 500;

function chunksOf<T>(rows: T[]): T[][] {
  return Array.from({ length: Math.ceil(rows.length / maxRows) }, (_, index) =>
    rows.slice(index * maxRows, (index + 1) * maxRows),
  );
}
