import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { writePrivately } from "../lib/durable-files.ts";
import { AppError } from "../lib/errors.ts";
import { maxSecretBytes, readAtMost } from "../lib/read-file.ts";
import { foreignOwner, repairOf } from "../lib/own-files.ts";
import { makePrivateFolder } from "../lib/private-folder.ts";
import { newSecret, type Random } from "../lib/random.ts";
import { lockFile } from "../storage/locks/file-lock.ts";
import { lockOf } from "../storage/locks/half-made.ts";

const form = /^[A-Za-z0-9_-]{43}$/u;
/**
 * 32 random bytes have fewer different values once in 10^16 keys; words, numbers or `xxxx…` always
 * do.
 */
const fewestDifferentBytes = 16;

/**
 * Parses 32 bytes from text (43 base64url characters), as in `master.key` or the `masterKey`
 * setting.
 */
export function parseMasterKey(text: string): Buffer {
  if (!form.test(text)) {
    throw new AppError(
      "INVALID_CONFIG",
      "The master key must be 43 base64url characters (256 random bits), as authsvc writes to master.key.",
    );
  }
  const key = Buffer.from(text, "base64url");
  if (new Set(key).size < fewestDifferentBytes)
    throw new AppError(
      "INVALID_CONFIG",
      "The master key is not random: it has a repeating pattern and can be guessed.",
    );
  return key;
}

/**
 * One key, or several during a rotation, separated by line breaks or spaces. Throws INVALID_CONFIG.
 */
export function parseMasterKeys(text: string): Buffer[] {
  const keys = text.trim().split(/\s+/u).map(parseMasterKey);
  if (new Set(keys.map((key) => key.toString("hex"))).size < keys.length)
    throw new AppError("INVALID_CONFIG", "Two of the master keys are the same: remove one.");
  return keys;
}

/** The keys in `file`; none if it does not exist. Throws INVALID_CONFIG. */
export function readMasterKeys(file: string): Buffer[] {
  try {
    const text = readAtMost(file, maxSecretBytes).toString();
    for (const path of [file, dirname(file)]) {
      const repair = repairOf(path);
      if (repair !== undefined)
        throw new AppError(
          "INVALID_CONFIG",
          `The master key ${file} can be changed by other users of this machine: ${repair}`,
        );
    }
    return parseMasterKeys(text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    if (error instanceof AppError) throw error;
    throw new AppError(
      "INVALID_CONFIG",
      `The master key ${file} cannot be read: ${foreignOwner(file) ?? `${(error as Error).message}.`}`,
      {
        cause: error,
      },
    );
  }
}

/** Until unlocked, nobody else can change a key file or restore a database. Throws CONFLICT. */
export function lockMasterKey(file: string): () => void {
  const unlock = lockFile(lockOf(file));
  if (!unlock)
    throw new AppError(
      "CONFLICT",
      "Another authsvc process is rotating the master key or restoring the database. Try again when it is done.",
    );
  return unlock;
}

/**
 * A rotation would replace the link by a file and leave the old key at its target. Throws
 * INVALID_CONFIG.
 */
export function refuseLinkedKey(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new AppError(
      "INVALID_CONFIG",
      `The master key ${file} is a symbolic link, which a rotation cannot replace. Put the file itself there, or set its path in masterKeyFile.`,
    );
}

/**
 * Atomically writes a new key to `file` (0600). If another process was first, returns its keys.
 */
export function createMasterKey(file: string, random: Random): Buffer[] {
  makePrivateFolder(dirname(file));
  try {
    writePrivately(file, `${newSecret(random)}\n`, "new");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const written = readMasterKeys(file);
  if (written.length === 0) throw new AppError("INVALID_CONFIG", `The master key ${file} could not be written.`);
  return written;
}
