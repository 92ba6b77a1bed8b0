import type { Handle } from "../storage/storage.ts";
import { idIsTaken } from "./application.ts";
import { findIdOwner, lockApplication, lockId, retireId } from "./store.ts";

/** `mayReuseId`: the id may have belonged to something that is deleted. */
type Options = { mayReuseId?: boolean | undefined };

/** Throws CONFLICT if an application or client has or had this id. */
async function refuseTakenId(handle: Handle, id: string, { mayReuseId = false }: Options = {}): Promise<void> {
  const owner = await findIdOwner(handle, id);
  if (owner !== undefined && !(owner === "deleted" && mayReuseId)) throw idIsTaken(owner);
}

/** The ids of applications and clients, which share one set: an App ID is also a client id. */
export const ids = {
  refuseTakenId,

  /** The same for an id that this transaction gives away: of two concurrent ones, one gets it. */
  async claimId(tx: Handle, id: string, now: number, options: Options = {}): Promise<void> {
    await lockId(tx, id, now);
    await refuseTakenId(tx, id, options);
  },

  retireId,

  /**
   * Locks an application until the transaction ends, for parts of it that are counted. False if
   * there is none.
   */
  async lock(tx: Handle, id: string, now: number): Promise<boolean> {
    return (await lockApplication(tx, id, now)) !== undefined;
  },
};
