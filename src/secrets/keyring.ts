import { createCipheriv, createHmac, timingSafeEqual } from "node:crypto";
import { AppError } from "../lib/errors.ts";
import type { Log } from "../lib/log.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { isCheckOf, rotationMetadata } from "./check.ts";
import type { MacKeys, MacPurpose, MasterKey } from "./key.ts";
import { findCheck, findMetadata } from "./store.ts";

/** The operations of the master key. */
export type Keyring = ReturnType<typeof createKeyring>;

/** The part of a cursor that authenticates it: an initial value of AES. */
const sealBytes = 16;

/** Decrypts with any of several keys. Throws if none fits or the text was changed. */
export type Opener = { decrypt(text: string, context: string): string };

/** The first key that decrypts the text. If none does, tries the keys of `more`. */
export function createOpener(keys: MasterKey[], more: () => MasterKey[] = () => []): Opener {
  return {
    decrypt(text, context) {
      let failure: unknown = new Error("no master key");
      for (const candidates of [() => keys, more]) {
        for (const key of candidates()) {
          try {
            return key.decrypt(text, context);
          } catch (error) {
            failure = error;
          }
        }
      }
      throw failure;
    },
  };
}

function keyMissing(): AppError {
  return new AppError(
    "INVALID_CONFIG",
    "The master key was rotated, but this process does not have the new one: add it to masterKeyFile (or masterKey), before the old one.",
  );
}

/**
 * `keys` decrypt the database; during a rotation there are several. `reread` reads them again, so
 * that a running process learns of a new key when decryption fails. `macKeys` stay the same over
 * rotations (docs/decisions/0039).
 */
export function createKeyring({
  keys,
  reread,
  macKeys,
}: {
  keys: MasterKey[];
  reread: () => MasterKey[];
  macKeys: MacKeys;
}) {
  const masterKeys = [...keys];
  let current: { check: string; key: MasterKey } | undefined;

  /**
   * Adds new keys from the source. Keys that disappeared there are kept: rows read before may need
   * them.
   */
  function learn(): MasterKey[] {
    const newKeys = reread().filter((key) => !masterKeys.some((other) => other.text() === key.text()));
    masterKeys.unshift(...newKeys);
    return newKeys;
  }

  /** The key under which the database is currently encrypted. */
  async function currentKey(handle: Handle): Promise<MasterKey | undefined> {
    const check = await findCheck(handle);
    if (check === undefined) return masterKeys[0];
    if (current?.check !== check) {
      const isIt = (key: MasterKey): boolean => isCheckOf(key, check);
      const key = masterKeys.find(isIt) ?? learn().find(isIt);
      current = key && { check, key };
    }
    return current?.key;
  }

  /** HMAC-SHA256, 32 bytes. */
  function mac(purpose: MacPurpose, ...parts: (string | Uint8Array)[]): Buffer {
    const made = createHmac("sha256", macKeys[purpose]);
    // Each part with its length, so that ("ab", "c") and ("a", "bc") differ.
    for (const part of parts) {
      if (typeof part === "string") made.update(`${Buffer.byteLength(part)}:${part}`);
      else made.update(`${part.byteLength}:`).update(part);
    }
    // Via text: getting a Buffer directly from the digest costs a third of the total time.
    return Buffer.from(made.digest("base64url"), "base64url");
  }

  /** Hides or shows a text. The same both ways. */
  function masked(tag: Uint8Array, text: Uint8Array): Buffer {
    return createCipheriv("aes-256-ctr", mac("cursor", "mask"), tag).update(text);
  }

  return {
    ...createOpener(masterKeys, learn),

    /**
     * Checks whether this process has the current key, before work that other processes can do too.
     * Logs once what it leaves to others, and why.
     */
    watch({ storage, log }: { storage: Storage; log: Log }, left: string): () => Promise<boolean> {
      let isMissing = false;
      return async () => {
        const isHere = (await currentKey(storage.reader)) !== undefined;
        if (!isHere && !isMissing) log.error(`${left} is left to other processes`, keyMissing());
        isMissing = !isHere;
        return isHere;
      };
    },

    /**
     * Whether it has that key and no value is left under an older one. Then a value that it cannot
     * decrypt is unreadable for everyone.
     */
    knowsAll: async (tx: Handle): Promise<boolean> =>
      (await currentKey(tx)) !== undefined && (await findMetadata(tx, rotationMetadata)) === undefined,

    /**
     * AES-256-GCM under the current master key. `tx` is the transaction that writes the value:
     * after a rotation switched keys, new transactions never write under the old one. `context`
     * (table and row) is authenticated. Throws INVALID_CONFIG if the key is not here.
     */
    async encrypt(tx: Handle, plaintext: string, context: string): Promise<string> {
      const key = await currentKey(tx);
      if (!key) throw keyMissing();
      return key.encrypt(plaintext, context);
    },

    mac,

    /**
     * A cursor that callers can neither read nor forge. Its MAC is also the initial value of its
     * cipher (as in RFC 5297), so equal texts have equal cursors. `use`: where it is valid.
     */
    sealCursor(text: string, ...use: string[]): string {
      const tag = mac("cursor", "seal", ...use, text).subarray(0, sealBytes);
      return Buffer.concat([tag, masked(tag, Buffer.from(text))]).toString("base64url");
    },

    /** Undefined unless `sealCursor` made it for the same use. */
    openCursor(cursor: string, ...use: string[]): string | undefined {
      const bytes = Buffer.from(cursor, "base64url");
      if (bytes.length < sealBytes || bytes.toString("base64url") !== cursor) return undefined;
      const tag = bytes.subarray(0, sealBytes);
      const text = masked(tag, bytes.subarray(sealBytes)).toString();
      return timingSafeEqual(tag, mac("cursor", "seal", ...use, text).subarray(0, sealBytes)) ? text : undefined;
    },
  };
}
