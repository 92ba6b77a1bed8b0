import { and, asc, eq, inArray, isNull, lt, ne, or, type SQL } from "drizzle-orm";
import { digestOf } from "../../lib/random.ts";
import type { RecordUse } from "../../storage/queries/last-uses.ts";
import { prepareSweep } from "../../storage/queries/sweep.ts";
import { beginsWith, placeholders, forShare, prepare, statements, type Handle } from "../../storage/storage.ts";
import type { Client } from "./client.ts";
import { deleteConsentsTo } from "./consents-store.ts";

const prepared = statements((handle) => {
  const { db, tables } = handle;
  const { clients, usedAssertions } = tables;
  const row = placeholders(clients);
  const assertion = placeholders(usedAssertions);
  const some = (has: SQL, name: string) =>
    prepare(
      db
        .select({ id: clients.id })
        .from(clients)
        .where(and(has, isNull(clients.disabledAt)))
        .limit(1),
      `some_${name}`,
    );
  return {
    byId: prepare(db.select().from(clients).where(eq(clients.id, row.id)), "client_by_id"),
    lock: prepare(forShare(db.select().from(clients).where(eq(clients.id, row.id))), "lock_client"),
    machine: some(eq(clients.kind, "machine"), "machine"),
    device: some(eq(clients.deviceGrant, true), "device"),
    exchanger: some(ne(clients.exchangeTo, []), "exchanger"),
    prover: some(inArray(clients.dpop, ["optional", "required"]), "prover"),
    useAssertion: prepare(
      db.insert(usedAssertions).values(assertion).onConflictDoNothing().returning({ digest: usedAssertions.digest }),
      "use_assertion",
    ),
    sweepAssertions: prepareSweep(
      handle,
      { table: usedAssertions, key: usedAssertions.digest, instant: usedAssertions.expiresAt },
      "sweep_used_assertions",
    ),
  };
});

export async function findClient(handle: Handle, id: string): Promise<Client | undefined> {
  const [row] = await prepared(handle).byId.execute({ id });
  return row;
}

/** The same, and locks it: it can neither change nor be deleted until the transaction ends. */
export async function lockClient(tx: Handle, id: string): Promise<Client | undefined> {
  const [row] = await prepared(tx).lock.execute({ id });
  return row;
}

/**
 * Whether there is an enabled client that is a machine, has the device grant, may exchange tokens,
 * or is set to use DPoP.
 */
export async function isThere(handle: Handle, what: "machine" | "device" | "exchanger" | "prover"): Promise<boolean> {
  return (await prepared(handle)[what].execute()).length > 0;
}

/** Oldest first; without `appId`, of all applications. */
export async function listClients({ db, tables: { clients } }: Handle, appId: string | undefined): Promise<Client[]> {
  return await db
    .select()
    .from(clients)
    .where(appId === undefined ? undefined : eq(clients.appId, appId))
    .orderBy(asc(clients.createdAt), asc(clients.id));
}

/** Clients whose id begins with a prefix, for shell completion. */
export async function findClientsBeginning(
  { db, tables: { clients } }: Handle,
  prefix: string,
  limit: number,
): Promise<{ id: string; name: string }[]> {
  return await db
    .select({ id: clients.id, name: clients.name })
    .from(clients)
    .where(beginsWith(clients.id, prefix))
    .orderBy(asc(clients.id))
    .limit(limit);
}

export async function isUserId({ db, tables: { users } }: Handle, id: string): Promise<boolean> {
  return (await db.select({ id: users.id }).from(users).where(eq(users.id, id))).length > 0;
}

export async function insertClient({ db, tables: { clients } }: Handle, client: Client): Promise<void> {
  await db.insert(clients).values(client);
}

/** Locks the client until the transaction ends, and returns its latest committed state. */
export async function lockClientForChange(
  { db, tables: { clients } }: Handle,
  id: string,
  now: number,
): Promise<Client | undefined> {
  const [row] = await db.update(clients).set({ updatedAt: now }).where(eq(clients.id, id)).returning();
  return row;
}

/** Writes a client that this transaction has locked and changed. */
export async function saveClient({ db, tables: { clients } }: Handle, { id, ...changed }: Client): Promise<void> {
  await db.update(clients).set(changed).where(eq(clients.id, id));
}

/** Deletes a client with its secrets, consents and back-channel receiver. */
export async function deleteClient(tx: Handle, id: string): Promise<boolean> {
  const {
    db,
    tables: { clients },
  } = tx;
  await deleteConsentsTo(tx, id);
  return (await db.delete(clients).where(eq(clients.id, id)).returning({ id: clients.id })).length === 1;
}

export const recordClientUse: RecordUse = async ({ db, tables: { clients } }, { key, usedAt, notAfter }) => {
  const isLater = or(isNull(clients.lastUsedAt), lt(clients.lastUsedAt, notAfter));
  await db
    .update(clients)
    .set({ lastUsedAt: usedAt })
    .where(and(eq(clients.id, key), isLater));
};

/**
 * The scope in which the `jti` of an assertion or proof is unique: its kind, and its issuer or key.
 */
export type AssertionId =
  | [kind: "client", clientId: string, jti: string]
  | [kind: "issuer", issuer: string, jti: string]
  | [kind: "dpop", thumbprint: string, jti: string];

/** False if the assertion, or proof, was used before. */
export async function useAssertion(handle: Handle, id: AssertionId, expiresAt: number): Promise<boolean> {
  const digest = digestOf(JSON.stringify(id));
  return (await prepared(handle).useAssertion.execute({ digest, expiresAt })).length === 1;
}

/** Removes a batch of expired assertions; true if more may be left. */
export async function sweepAssertions(tx: Handle, before: number): Promise<boolean> {
  return await prepared(tx).sweepAssertions(before);
}

/** Whether the application has this organization, which is then not deleted until the commit. */
export async function lockOrganizationOf(
  { db, tables: { organizations } }: Handle,
  { appId, id }: { appId: string; id: string },
): Promise<boolean> {
  const isTheirs = and(eq(organizations.id, id), eq(organizations.appId, appId), isNull(organizations.deletedAt));
  return (await forShare(db.select({ id: organizations.id }).from(organizations).where(isTheirs))).length === 1;
}
