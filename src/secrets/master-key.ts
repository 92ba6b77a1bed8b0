import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../lib/errors.ts";
import { newSecret, type Random } from "../lib/random.ts";

const form = /^[A-Za-z0-9_-]{43}$/u;
/** Of 32 random bytes, fewer differ once in 10^16 keys; of `xxxx…`, a word or a number written to the end, always. */
const fewestDifferentBytes = 16;

/** 32 bytes from their text form (43 base64url characters), as in `master.key` or the `masterKey` setting. */
export function parseMasterKey(text: string): Buffer {
  if (!form.test(text)) {
    throw new AppError(
      "INVALID_CONFIG",
      "The master key must be 43 base64url characters (256 random bits), as authsvc writes to master.key.",
    );
  }
  const key = Buffer.from(text, "base64url");
  if (new Set(key).size < fewestDifferentBytes)
    throw new AppError("INVALID_CONFIG", "The master key is not random: it repeats itself and can be guessed.");
  return key;
}

/** The key in `file`, or undefined when there is no such file. */
export function readMasterKey(file: string): Buffer | undefined {
  try {
    return parseMasterKey(readFileSync(file, "utf8").trim());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    if (error instanceof AppError) throw error;
    throw new AppError("INVALID_CONFIG", `The master key ${file} cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

/** Writes a new key to `file` (0600) whole or not at all; where another process was first, its key is the answer. */
export function createMasterKey(file: string, random: Random): Buffer {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const key = newSecret(random);
  const temporary = `${file}.${process.pid}.${newSecret(random).slice(0, 8)}`;
  const descriptor = openSync(temporary, "wx", 0o600);
  try {
    writeSync(descriptor, `${key}\n`);
    fsyncSync(descriptor);
    // Unlike rename, link refuses to replace a key that is already there.
    linkSync(temporary, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    closeSync(descriptor);
    rmSync(temporary, { force: true });
  }
  const written = readMasterKey(file);
  if (!written) throw new AppError("INVALID_CONFIG", `The master key ${file} could not be written.`);
  return written;
}
