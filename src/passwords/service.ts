import { setImmediate as nextTurn } from "node:timers/promises";
import type { Application } from "../applications/application.ts";
import { day, type Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import { newId, type Random } from "../lib/random.ts";
import type { BrowserSessions } from "../account/browser-sessions.ts";
import type { LimitResult } from "../lib/rate-limits.ts";
import type { Attempt, Attempts } from "../rate-limits/service.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { afterCommit } from "../storage/transaction.ts";
import type { User } from "../users/user.ts";
import type { Hasher } from "./hasher.ts";
import {
  changePassword,
  countPasswordTry,
  deletePasswordsOfUser,
  findPassword,
  findPasswordByEmail,
  forgetPasswordFailures,
  insertPassword,
  listOtherHashes,
  recordPasswordUse,
  renewPasswordHash,
  sweepPasswordFailures,
  type Password,
} from "./store.ts";

/**
 * A checked but not yet counted attempt. Nobody may learn its result before `count` is durable.
 */
export type PasswordProof = {
  /** Who has the address; empty if nobody. */
  userId: string;
  /**
   * Counts the attempt for its account and network, in the transaction that signs in, so parallel
   * attempts gain nothing over sequential ones. Lock the user first. Returns the user; false for a
   * refusal, whose writes must stay; undefined if the checked password was replaced meanwhile.
   */
  count(tx: Handle, now: number): Promise<User | false | undefined>;
  /**
   * Call before reporting a refusal: makes every refusal take as long. Counts an attempt whose
   * transaction was rolled back as a failure. Throws RATE_LIMITED for too many attempts from one
   * network, which do not count for the account.
   */
  refuse(): Promise<void>;
  /** Call after a sign-in: replaces a weaker hash by a current one. Never throws. */
  renew(): Promise<void>;
};

/** Far longer than the longest wait, so that pausing is no way around it. */
const failuresAreKept = day;

export type Passwords = ReturnType<typeof createPasswords>;

export function createPasswords(deps: {
  storage: Storage;
  browserSessions: Pick<BrowserSessions, "meet">;
  hasher: Hasher;
  keyring: Keyring;
  /** By network, over all accounts. */
  attempts: Attempts;
  clock: Clock;
  random: Random;
  log: Log;
}) {
  const { storage, browserSessions, hasher, keyring } = deps;
  const { attempts, clock, random, log } = deps;
  let learning = Promise.resolve();

  /**
   * The keys of failure counts. `browser`: a known browser of this user, unaffected by others'
   * failures.
   */
  function failuresOf(appId: string, email: string, browser?: string): string {
    const whose = browser === undefined ? [appId, email] : [appId, email, browser];
    return keyring.mac("account", ...whose).toString("base64url");
  }

  async function learnHashes(isStopping: () => boolean): Promise<void> {
    let after = "";
    while (!isStopping()) {
      const rows = await listOtherHashes(storage.reader, hasher.todaysForm, after);
      for (const { appId, hash } of rows) hasher.learn(appId, hash);
      const last = rows.at(-1);
      if (!last) return;
      after = last.id;
      await nextTurn();
    }
  }

  async function renewHash(stored: Password, password: string): Promise<void> {
    try {
      const hash = await hasher.hash(password);
      await storage.write((tx) => renewPasswordHash(tx, stored, hash));
    } catch (error) {
      // The next sign-in retries it; this one has succeeded.
      if (!(error instanceof AppError && error.code === "BUSY"))
        log.error("replacing a password hash failed", error, { userId: stored.userId });
    }
  }

  return {
    /**
     * Throws BUSY under overload. Forms call it first, so that excess ones cost no read or write.
     */
    admit: hasher.admit,

    /**
     * Like `admit`, before an attempt that counts for its network. Throws RATE_LIMITED, BUSY. End
     * the attempt.
     */
    admitTry(network: string): Attempt {
      hasher.admit();
      return attempts.admit(network);
    },

    /**
     * Checks an address and a password. An unknown address, a wrong password, a user without one, a
     * disabled user and an account that must wait look the same and take the same time. `browser`:
     * the digest of the long-lived cookie. Throws BUSY under overload.
     */
    async prove(
      application: Application,
      { email, password, browser, attempt }: { email: string; password: string; browser: string; attempt: Attempt },
    ): Promise<PasswordProof> {
      const appId = application.id;
      const found = await findPasswordByEmail(storage.reader, appId, email);
      const meeting = await browserSessions.meet(storage.reader, found?.user.id ?? "", browser, clock());
      const account = failuresOf(appId, email, meeting.isKnown ? browser : undefined);
      // A disabled user is treated as unknown, in timing too.
      const stored = found?.password;
      // The check evens out the cost, which requires the costs of all other hashes.
      if (stored && hasher.isImported(stored.hash)) await learning;
      const turn = { appId, account, isKnown: meeting.isKnown };
      const { isRight, evenOut } = await hasher.verify(stored?.hash, password, turn);
      let ofNetwork: LimitResult | undefined;
      let isCounted = false;
      const countAs = async (tx: Handle, counted: { isRight: boolean }, now: number): Promise<boolean> => {
        ofNetwork = await attempt.count(tx);
        return !ofNetwork.exceeded && (await countPasswordTry(tx, { accountDigest: account, ...counted }, now));
      };
      return {
        userId: found?.user.id ?? "",

        async count(tx, now) {
          if (!(await countAs(tx, { isRight }, now)) || !isRight || stored === undefined) {
            afterCommit(tx, () => (isCounted = true));
            return false;
          }
          if (!(await recordPasswordUse(tx, stored, now))) return undefined;
          await attempt.giveBack(tx);
          return found?.user;
        },

        async refuse() {
          attempt.fail();
          if (!isCounted) await storage.write((tx) => countAs(tx, { isRight: false }, clock()));
          await learning;
          await evenOut();
          if (ofNetwork) attempts.refuseExceeded(ofNetwork);
        },

        async renew() {
          if (isRight && stored && hasher.isWeaker(stored.hash)) await renewHash(stored, password);
        },
      };
    },

    /**
     * Reads the costs of all stored hashes, so that refusals for unknown addresses take as long as
     * for imported users. Refusals and imported users wait for it. Rejects if the database is
     * unreachable.
     */
    async learnStoredHashes(isStopping: () => boolean): Promise<void> {
      const learned = learnHashes(isStopping);
      learning = learned.catch(() => {});
      await learned;
    },

    async removeAll(tx: Handle, userId: string): Promise<void> {
      await deletePasswordsOfUser(tx, userId);
    },

    /** Removes a batch of expired rows; true if more may be left. */
    async sweep(): Promise<boolean> {
      const triedBefore = clock() - failuresAreKept;
      return await storage.write((tx) => sweepPasswordFailures(tx, triedBefore));
    },

    async hasOne(userId: string): Promise<boolean> {
      return (await findPassword(storage.reader, userId)) !== undefined;
    },

    /** When a user's password was chosen; undefined without a password. */
    async chosenAt(userId: string): Promise<number | undefined> {
      return (await findPassword(storage.reader, userId))?.updatedAt;
    },

    /** Sets or replaces a user's password. Proofs with the old one become void. */
    async set(tx: Handle, userId: string, hash: string, now: number): Promise<{ methodId: string; changes: boolean }> {
      const changed = await changePassword(tx, userId, hash, now);
      if (changed !== undefined) return { methodId: changed, changes: true };
      const methodId = newId("mth", now, random);
      await insertPassword(tx, { id: methodId, userId, hash, lastUsedAt: null }, now);
      return { methodId, changes: false };
    },

    /**
     * Clears the failures of an address and of this known browser, after another proof by the
     * owner.
     */
    async forgetFailures(tx: Handle, appId: string, email: string, browser?: string): Promise<void> {
      await forgetPasswordFailures(tx, failuresOf(appId, email));
      if (browser !== undefined) await forgetPasswordFailures(tx, failuresOf(appId, email, browser));
    },

    /** Adds a first password. `lastUsedAt`: now if it signs the user in, else null. */
    async add(
      tx: Handle,
      userId: string,
      { hash, lastUsedAt }: { hash: string; lastUsedAt: number | null },
      now: number,
    ): Promise<void> {
      await insertPassword(tx, { id: newId("mth", now, random), userId, hash, lastUsedAt }, now);
    },
  };
}
