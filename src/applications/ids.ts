/** The ids of applications and clients, which share one set: an App ID is also a client id. */
import type { Handle } from "../storage/storage.ts";
import { idIsTaken } from "./application.ts";
import { AppError } from "../lib/errors.ts";
import { consoleAppId } from "./console-app.ts";
import { findIdOwner, lockApplication, lockId } from "./store.ts";

/** `mayReuseId`: the id may have belonged to something that is deleted. */
type Options = { mayReuseId?: boolean | undefined };

/** Throws CONFLICT if an application or client has or had this id. */
export async function refuseTakenId(handle: Handle, id: string, { mayReuseId = false }: Options = {}): Promise<void> {
  if (id === consoleAppId) throw new AppError("CONFLICT", "This id is reserved for the console. Choose another id.");
  const owner = await findIdOwner(handle, id);
  if (owner !== undefined && !(owner === "deleted" && mayReuseId)) throw idIsTaken(owner);
}

/** The same, in the transaction that assigns the id: of two concurrent ones, one gets it. */
export async function claimId(tx: Handle, id: string, now: number, options: Options = {}): Promise<void> {
  await lockId(tx, id, now);
  await refuseTakenId(tx, id, options);
}

/**
 * Locks an application until the transaction ends, for parts of it that are counted. False if there
 * is none.
 */
export async function lock(tx: Handle, id: string, now: number): Promise<boolean> {
  return (await lockApplication(tx, id, now)) !== undefined;
}
