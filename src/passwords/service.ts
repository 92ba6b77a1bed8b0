import type { Application } from "../applications/application.ts";
import { day, type Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import { newId, type Random } from "../lib/random.ts";
import type { Attempts } from "../rate-limits/service.ts";
import type { Standing } from "../rate-limits/standing.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import type { Users } from "../users/service.ts";
import { loadCommonPasswords } from "./common-passwords.ts";
import type { Hasher } from "./hasher.ts";
import { passwordProblem, type PasswordProblem } from "./rules.ts";
import {
  changePassword,
  countPasswordTry,
  deletePasswordsOfUser,
  findPassword,
  forgetPasswordFailures,
  insertPassword,
  notePasswordUse,
  renewPasswordHash,
  sweepPasswordFailures,
  type Password,
} from "./store.ts";

/** A try with a password, which was looked at, but is not counted yet: until `count` is on the disk nobody may hear what came of it. */
export type PasswordProof = {
  /**
   * Counts the try for its account and its network, in the transaction that signs in: parallel tries get no further than tries in a row. Answers
   * whom it signs in; false for a refusal, which must stand; undefined where the password is no longer the one that was looked at.
   */
  count(tx: Handle, now: number): Promise<string | false | undefined>;
  /**
   * Comes before it is told that the try signs nobody in: every refusal takes as long. A try whose transaction was rolled back is counted now, as a
   * failure. Throws RATE_LIMITED for too many tries from one network: those do not count against the account.
   */
  refuse(): Promise<void>;
  /** Comes after a sign-in: stores a hash of today's cost in the place of a weaker one. Never throws. */
  renew(): Promise<void>;
};

/** Far longer than the longest wait, so that leaving an account alone for a while is no way around it. */
const failuresAreKept = day;

export type Passwords = ReturnType<typeof createPasswords>;

export function createPasswords(deps: {
  storage: Storage;
  users: Users;
  hasher: Hasher;
  keyring: Keyring;
  /** By network, over all accounts. */
  attempts: Attempts;
  clock: Clock;
  random: Random;
  log: Log;
}) {
  const { storage, users, hasher, keyring, attempts, clock, random, log } = deps;

  function accountDigest(appId: string, email: string): string {
    return keyring.mac("account", appId, email).toString("base64url");
  }

  async function renewHash(stored: Password, password: string): Promise<void> {
    try {
      const hash = await hasher.hash(password);
      await storage.write((tx) => renewPasswordHash(tx, stored, hash));
    } catch (error) {
      // It waits for the next sign-in; this one has succeeded.
      if (!(error instanceof AppError && error.code === "BUSY"))
        log.error("a password's hash could not be renewed", error, { userId: stored.userId });
    }
  }

  return {
    /** Throws BUSY under overload: a form asks first, so that one too many costs neither a read of its user nor a write. */
    admit: hasher.admit,

    /** The same before a try, which is counted for its network in memory. Throws RATE_LIMITED, BUSY. */
    admitTry(network: string): void {
      hasher.admit();
      attempts.admit(network);
    },

    /**
     * Checks an address and a password. An unknown address, a wrong password, a user without one, a disabled user and an account that must wait all
     * look the same and take the same time. `admitTry` comes before. Throws BUSY under overload.
     */
    async prove(
      application: Application,
      { email, password, network }: { email: string; password: string; network: string },
    ): Promise<PasswordProof> {
      const digest = accountDigest(application.id, email);
      const user = await users.findByEmail(application.id, email);
      const found = await findPassword(storage.reader, user?.id ?? "");
      // Whoever is disabled is as unknown as anybody, in the time it takes, too.
      const stored = user?.disabledAt === null ? found : undefined;
      const { isRight, evenOut } = await hasher.verify(stored?.hash, password);
      let ofNetwork: Standing | undefined;
      let stands = false;
      const countAs = async (tx: Handle, counted: { isRight: boolean }, now: number): Promise<boolean> => {
        ofNetwork = await attempts.count(tx, network);
        return !ofNetwork.exceeded && (await countPasswordTry(tx, { accountDigest: digest, ...counted }, now));
      };
      return {
        async count(tx, now) {
          stands = !(await countAs(tx, { isRight }, now)) || !isRight;
          if (stands || stored === undefined) return false;
          return (await notePasswordUse(tx, stored, now)) ? stored.userId : undefined;
        },

        async refuse() {
          if (!stands) await storage.write((tx) => countAs(tx, { isRight: false }, clock()));
          await evenOut();
          if (ofNetwork) attempts.refuseExceeded(ofNetwork);
        },

        async renew() {
          if (isRight && stored && hasher.isWeaker(stored.hash)) await renewHash(stored, password);
        },
      };
    },

    async removeAll(tx: Handle, userId: string): Promise<void> {
      await deletePasswordsOfUser(tx, userId);
    },

    /** Removes a batch of what has expired; true when more may be left. */
    async sweep(): Promise<boolean> {
      const triedBefore = clock() - failuresAreKept;
      return await storage.write((tx) => sweepPasswordFailures(tx, triedBefore));
    },

    /** Why a new password is refused, or undefined. */
    async problemWith(password: string, application: Application, email: string): Promise<PasswordProblem | undefined> {
      const { name, branding, settings } = application;
      return passwordProblem(password, {
        minLength: settings.passwordMinLength,
        email,
        names: [name, branding.companyName],
        isCommon: await loadCommonPasswords(),
      });
    },

    /**
     * The hash of a new password. Throws RATE_LIMITED for too many tries from one network, BUSY under overload. `network`: undefined for an
     * operator's command, which is counted by nobody.
     */
    async hash(password: string, network: string | undefined): Promise<string> {
      hasher.admit();
      if (network !== undefined) {
        attempts.admit(network);
        attempts.refuseExceeded(await storage.write((tx) => attempts.count(tx, network)));
      }
      return await hasher.hash(password);
    },

    async hasOne(userId: string): Promise<boolean> {
      return (await findPassword(storage.reader, userId)) !== undefined;
    },

    /** When a user's password was chosen; undefined when there is none. */
    async chosenAt(userId: string): Promise<number | undefined> {
      return (await findPassword(storage.reader, userId))?.updatedAt;
    },

    /** Gives a user this password, in place of the one it may have; answers the method's id. What was proven with the old one is worth nothing. */
    async set(tx: Handle, userId: string, hash: string, now: number): Promise<string> {
      const changed = await changePassword(tx, userId, hash, now);
      if (changed !== undefined) return changed;
      const id = newId("mth", now, random);
      await insertPassword(tx, { id, userId, hash }, now);
      return id;
    },

    /** Forgets the failed tries for an address: its owner has shown by other means who they are. */
    async forgetFailures(tx: Handle, appId: string, email: string): Promise<void> {
      await forgetPasswordFailures(tx, accountDigest(appId, email));
    },

    /** Gives a user without a password this one. */
    async add(tx: Handle, userId: string, hash: string, now: number): Promise<void> {
      await insertPassword(tx, { id: newId("mth", now, random), userId, hash }, now);
    },
  };
}
