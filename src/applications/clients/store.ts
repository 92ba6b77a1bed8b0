import { and, asc, eq, inArray, isNull, lt, or } from "drizzle-orm";
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
  return {
    byId: prepare(db.select().from(clients).where(eq(clients.id, row.id)), "client_by_id"),
    lock: prepare(forShare(db.select().from(clients).where(eq(clients.id, row.id))), "lock_client"),
    machine: prepare(
      db
        .select({ id: clients.id })
        .from(clients)
        .where(and(eq(clients.kind, "machine"), isNull(clients.disabledAt)))
        .limit(1),
      "some_machine",
    ),
    prover: prepare(
      db
        .select({ id: clients.id })
        .from(clients)
        .where(and(inArray(clients.dpop, ["optional", "required"]), isNull(clients.disabledAt)))
        .limit(1),
      "some_prover",
    ),
    nonceDemand: prepare(
      db
        .select({ id: clients.id })
        .from(clients)
        .where(and(eq(clients.dpopNonce, true), isNull(clients.disabledAt)))
        .limit(1),
      "some_nonce_demand",
    ),
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

/** Whether there is an enabled client of kind `machine`. */
export async function hasMachine(handle: Handle): Promise<boolean> {
  return (await prepared(handle).machine.execute()).length > 0;
}

/** Whether an enabled client is set to use DPoP. */
export async function hasProver(handle: Handle): Promise<boolean> {
  return (await prepared(handle).prover.execute()).length > 0;
}

/** Whether an enabled client demands nonces in proofs. */
export async function hasNonceDemand(handle: Handle): Promise<boolean> {
  return (await prepared(handle).nonceDemand.execute()).length > 0;
}

/** Oldest first; of all applications without `appId`. */
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

/** False if the assertion, or proof, was used before. */
export async function useAssertion(handle: Handle, assertion: { digest: string; expiresAt: number }): Promise<boolean> {
  return (await prepared(handle).useAssertion.execute(assertion)).length === 1;
}

/** Removes a batch of expired assertions; true if more may be left. */
export async function sweepAssertions(tx: Handle, before: number): Promise<boolean> {
  return await prepared(tx).sweepAssertions(before);
}
