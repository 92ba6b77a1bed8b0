import { AppError } from "../lib/errors.ts";
import type { Random } from "../lib/random.ts";
import { underLock } from "../storage/locks/file-lock.ts";
import { lockOf, removeAbandonedKeys } from "../storage/locks/half-made.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { checkMetadata, checkOf, isCheckOf } from "./check.ts";
import { macKeysFrom, MasterKey } from "./key.ts";
import { createKeyring, createOpener, type Keyring, type Opener } from "./keyring.ts";
import { createMasterKey, parseMasterKeys, readMasterKeys } from "./master-key.ts";
import { findMetadata, settleMetadata } from "./store.ts";

/**
 * The location of the master key: the setting, the file that it was read from (if any), or `file`
 * in the data folder. Each has one key, or several during a rotation, the new one first.
 */
export type KeySource = { masterKey: string | undefined; masterKeyFile?: string | undefined; file: string };

export const macKeysMetadata = "mac-keys";
/** Epoch milliseconds. */
export const masterKeySinceMetadata = "master-key-since";

/**
 * Opens the keys of this database, which recognises its master key by an encrypted value. A wrong
 * key is refused before anything is written, and a missing one is never replaced by a new one that
 * could not read the existing data.
 */
export async function openKeyring(
  storage: Storage,
  source: KeySource,
  { random, now }: { random: Random; now: number },
): Promise<Keyring> {
  const check = await findMetadata(storage.reader, checkMetadata);
  const present = presentKeys(source, random);
  if (present.length === 0 && (check !== undefined || storage.isShared)) {
    const where = storage.isShared
      ? "Set masterKey or masterKeyFile: every node on one PostgreSQL database needs the same key."
      : "Restore it from your backup.";
    throw new AppError("INVALID_CONFIG", `The master key ${source.file} is missing. ${where}`);
  }
  removeAbandonedKeys(source.file);
  // Under the lock, so that the unfinished file is not removed as abandoned.
  const make = async (): Promise<Buffer[]> => createMasterKey(source.file, random);
  const keys =
    present.length > 0
      ? present
      : (await underLock(lockOf(source.file), make)).map((key) => new MasterKey(key, random));
  const [first] = keys;
  // If another process was first, its check must match.
  const stored = check ?? (first && (await settleCheck(storage, first, now))) ?? "";
  const key = keys.find((candidate) => isCheckOf(candidate, stored));
  if (!key)
    throw new AppError(
      "INVALID_CONFIG",
      "The master key does not belong to this database. Put the right one in masterKeyFile.",
    );
  const reread = (): MasterKey[] => keysNow(source, random);
  // Read after the check: if that is of a second key, these exist.
  const macKeys = await findMetadata(storage.reader, macKeysMetadata);
  return createKeyring({
    keys,
    reread,
    macKeys:
      macKeys === undefined ? key.macKeys() : macKeysFrom(createOpener(keys, reread).decrypt(macKeys, macKeysMetadata)),
  });
}

async function settleCheck(storage: Storage, key: MasterKey, now: number): Promise<string> {
  return await storage.write(async (tx) => {
    await settleMetadata(tx, masterKeySinceMetadata, String(now));
    return await settleMetadata(tx, checkMetadata, checkOf(key));
  });
}

/** The configured master keys, or none. Writes nothing. Throws INVALID_CONFIG. */
export function presentKeys({ masterKey, file }: KeySource, random: Random): MasterKey[] {
  const keys = masterKey === undefined ? readMasterKeys(file) : parseMasterKeys(masterKey);
  return keys.map((key) => new MasterKey(key, random));
}

/** Reads the current keys again, including a setting's file; none if they cannot be read. */
function keysNow({ masterKey, masterKeyFile, file }: KeySource, random: Random): MasterKey[] {
  const path = masterKey === undefined ? file : masterKeyFile;
  try {
    return path === undefined ? [] : readMasterKeys(path).map((key) => new MasterKey(key, random));
  } catch {
    return [];
  }
}

/**
 * Whether one of these master keys fits the database; undefined if nothing was encrypted in it yet.
 */
export async function belongsTo(handle: Handle, opener: Opener): Promise<boolean | undefined> {
  const check = await findMetadata(handle, checkMetadata);
  return check === undefined ? undefined : isCheckOf(opener, check);
}
