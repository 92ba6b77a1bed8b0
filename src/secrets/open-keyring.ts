import { AppError } from "../lib/errors.ts";
import type { Random } from "../lib/random.ts";
import type { Handle, Storage } from "../storage/storage.ts";
import { createKeyring, type Keyring } from "./keyring.ts";
import { findFact, settleFact } from "./store.ts";
import { createMasterKey, parseMasterKey, readMasterKey } from "./master-key.ts";

const factName = "master-key-check";
const checkText = "authsvc";

/**
 * The keys of this database. A database remembers (encrypted) which master key it belongs to: a wrong one is refused before anything is
 * written with it, and a missing one is never replaced by a new one that could not read what is there.
 */
export async function openKeyring(
  storage: Storage,
  source: { masterKey: string | undefined; file: string },
  random: Random,
): Promise<Keyring> {
  const check = await findFact(storage.reader, factName);
  const key = source.masterKey === undefined ? readMasterKey(source.file) : parseMasterKey(source.masterKey);
  if (!key && (check !== undefined || storage.dialect === "postgres")) {
    const where =
      storage.dialect === "postgres"
        ? "Set masterKey or masterKeyFile: every node on one PostgreSQL database needs the same key."
        : "Restore it from your backup.";
    throw new AppError("INVALID_CONFIG", `The master key ${source.file} is missing. ${where}`);
  }
  const keyring = createKeyring(key ?? createMasterKey(source.file, random), random);
  // Where another process was first, its check is the one to pass.
  const stored = check ?? (await storage.write((tx) => settleFact(tx, factName, keyring.encrypt(checkText, factName))));
  if (!opens(keyring, stored))
    throw new AppError(
      "INVALID_CONFIG",
      "The master key is not the one that this database was made with. Put that one into masterKeyFile.",
    );
  return keyring;
}

/** The keys of this configuration as they are; undefined where there is no master key. Writes nothing. Throws INVALID_CONFIG. */
export function presentKeyring(
  source: { masterKey: string | undefined; file: string },
  random: Random,
): Keyring | undefined {
  const key = source.masterKey === undefined ? readMasterKey(source.file) : parseMasterKey(source.masterKey);
  return key && createKeyring(key, random);
}

/** Whether a database was made with this master key; undefined where it does not say, because nothing was encrypted in it yet. */
export async function belongsTo(handle: Handle, keyring: Keyring | undefined): Promise<boolean | undefined> {
  const check = await findFact(handle, factName);
  if (check === undefined) return undefined;
  return keyring !== undefined && opens(keyring, check);
}

function opens(keyring: Keyring, sealed: string): boolean {
  try {
    return keyring.decrypt(sealed, factName) === checkText;
  } catch {
    return false;
  }
}
