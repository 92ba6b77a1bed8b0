import { asc, eq } from "drizzle-orm";
import type { SigningAlgorithm } from "../storage/column-types.ts";
import { prepare, statements, type Handle } from "../storage/storage.ts";

export type SigningKeyRow = {
  /** The `kid`: the RFC 7638 thumbprint of the public key. */
  id: string;
  algorithm: SigningAlgorithm;
  generation: number;
  publicJwk: Record<string, unknown>;
  encryptedPrivateJwk: string;
  createdAt: number;
  signsFrom: number;
};

const prepared = statements(({ db, tables: { signingKeys } }) => ({
  ids: prepare(db.select({ id: signingKeys.id }).from(signingKeys), "signing_key_ids"),
  list: prepare(db.select().from(signingKeys).orderBy(asc(signingKeys.generation)), "list_signing_keys"),
}));

/** Enough to detect changes: a row's key never changes. */
export async function listSigningKeyIds(handle: Handle): Promise<string[]> {
  return (await prepared(handle).ids.execute()).map(({ id }) => id);
}

/** Oldest first. */
export async function listSigningKeys(handle: Handle): Promise<SigningKeyRow[]> {
  return await prepared(handle).list.execute();
}

/** The algorithms that OpenID Connect clients want for their ID tokens. */
export async function listIdTokenAlgorithms({ db, tables: { clients } }: Handle): Promise<SigningAlgorithm[]> {
  return (await db.selectDistinct({ algorithm: clients.idTokenAlg }).from(clients)).map(({ algorithm }) => algorithm);
}

/** False if another node has created this generation of the algorithm. */
export async function insertSigningKey({ db, tables: { signingKeys } }: Handle, key: SigningKeyRow): Promise<boolean> {
  const inserted = await db.insert(signingKeys).values(key).onConflictDoNothing().returning({ id: signingKeys.id });
  return inserted.length === 1;
}

export async function deleteSigningKeys({ db, tables: { signingKeys } }: Handle, ids: string[]): Promise<void> {
  for (const id of ids) await db.delete(signingKeys).where(eq(signingKeys.id, id));
}
