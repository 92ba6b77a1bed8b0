import type { Handle } from "../storage/storage.ts";
import { afterCommit } from "../storage/transaction.ts";
import type { Revocation } from "./revocation.ts";
import { insertRevocation, insertRevocations } from "./store.ts";

export type RevocationRecords = ReturnType<typeof createRevocationRecords>;

const nothing = { loginId: null, userId: null, keyId: null };

/** Writes the entries of the feed, in the transaction that makes the tokens invalid. */
export function createRevocationRecords() {
  let onRecorded = (_appId: string): void => {};

  async function record(tx: Handle, revocation: Revocation): Promise<void> {
    await insertRevocation(tx, revocation);
    afterCommit(tx, () => onRecorded(revocation.appId));
  }

  return {
    /** The logins have ended. */
    async logins(tx: Handle, logins: readonly { appId: string; id: string }[], now: number): Promise<void> {
      const entries = logins.map(({ appId, id }) => ({ ...nothing, appId, loginId: id, at: now }));
      const [first] = entries;
      if (!first) return;
      if (entries.length === 1) return await record(tx, first);
      await insertRevocations(tx, entries);
      for (const appId of new Set(entries.map((entry) => entry.appId))) afterCommit(tx, () => onRecorded(appId));
    },

    /** All logins of a user that began before `now` may have ended. */
    async user(tx: Handle, { appId, userId }: { appId: string; userId: string }, now: number): Promise<void> {
      await record(tx, { ...nothing, appId, userId, at: now });
    },

    /** Tokens signed by this key are invalid, in every application. */
    async key(tx: Handle, keyId: string, now: number): Promise<void> {
      await record(tx, { ...nothing, appId: "", keyId, at: now });
    },

    /** All tokens of an application are invalid, or soon will be. */
    async application(tx: Handle, appId: string, now: number): Promise<void> {
      await record(tx, { ...nothing, appId, at: now });
    },

    /** Calls `listener` after each commit that wrote an entry, with its `appId`. */
    whenRecorded(listener: (appId: string) => void): void {
      onRecorded = listener;
    },
  };
}
