import { closeSync, openSync, readSync } from "node:fs";

const kib = 1024;
/** For a secret, a key or a certificate. */
export const maxSecretBytes = 64 * kib;
/** For a file that people write: the configuration, certificates with their chain. */
export const maxTextBytes = 1024 * kib;

/**
 * Reads a file of at most `most` bytes, also a pipe or a device. A larger one is an EFBIG error
 * whose message says so: /dev/zero has no end.
 */
export function readAtMost(file: string, most: number): Buffer {
  const descriptor = openSync(file, "r");
  try {
    const parts: Buffer[] = [];
    for (let size = 0; ;) {
      const part = Buffer.allocUnsafe(maxSecretBytes);
      const bytes = readSync(descriptor, part);
      if (bytes === 0) return Buffer.concat(parts);
      size += bytes;
      if (size > most) throw tooLarge(most);
      parts.push(part.subarray(0, bytes));
    }
  } finally {
    closeSync(descriptor);
  }
}

/** The error of a file with more than `most` bytes. */
export function tooLarge(most: number): Error {
  return Object.assign(new Error(`is larger than ${most / kib} KiB`), { code: "EFBIG" });
}
