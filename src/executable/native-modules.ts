import { createHash, hash, randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { AppError } from "../lib/errors.ts";
import { programFiles } from "../lib/program-files.ts";
import { claimFolder, isOursAlone, nativeFolders } from "./native-folders.ts";

/** A native module in the executable: `native/<name>.node.zst`, and the SHA-256 in hex of what it unpacks to. */
export type PackedModule = { name: string; digest: string };

/**
 * Loads a native module of the executable. The operating system loads programs from files only, so it is unpacked at its first use, and
 * looked at again at each start. Throws INVALID_CONFIG naming what is wrong with each folder that was tried.
 */
export function loadNativeModule(packed: PackedModule): unknown {
  const problems: string[] = [];
  for (const folder of nativeFolders(process.env)) {
    try {
      const module = { exports: {} };
      process.dlopen(module, unpackInto(folder, packed));
      return module.exports;
    } catch (error) {
      problems.push(`${folder} ${problemOf(error)}`);
    }
  }
  throw new AppError(
    "INVALID_CONFIG",
    `The native module ${packed.name} cannot be unpacked: ${problems.join("; ")}. Set AUTHSVC_NATIVE_DIR to a folder of this user where programs may run.`,
  );
}

/** The unpacked file. Its name has the digest in it, so that versions live side by side and a file in use is never written. */
function unpackInto(folder: string, packed: PackedModule): string {
  claimFolder(folder);
  const file = join(folder, `${packed.name}-${packed.digest.slice(0, 16)}.node`);
  if (isIntact(file, packed.digest)) return file;
  const temporary = join(folder, `.${packed.name}-${randomBytes(8).toString("hex")}`);
  try {
    const content = zstdDecompressSync(programFiles.read(`native/${packed.name}.node.zst`));
    if (hash("sha256", content) !== packed.digest) throw new Error("what this executable holds is damaged");
    writeFileSync(temporary, content, { flag: "wx", mode: 0o500 });
    // Whole or not at all: two that start at once each bring their own, and either will do.
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  return file;
}

/** Whether the file is there, of nobody else's making and with the content that the build saw. */
function isIntact(file: string, digest: string): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    return false;
  }
  try {
    const found = fstatSync(descriptor);
    return found.isFile() && isOursAlone(found) && digestOf(descriptor) === digest;
  } finally {
    closeSync(descriptor);
  }
}

/** Read in pieces: memory for all of it would have to be made for this only. */
function digestOf(descriptor: number): string {
  const digest = createHash("sha256");
  const piece = Buffer.allocUnsafeSlow(64 * 1024);
  for (let size = readSync(descriptor, piece); size > 0; size = readSync(descriptor, piece)) {
    digest.update(piece.subarray(0, size));
  }
  return digest.digest("hex");
}

/** What the operator can do something about, by the code of a failed call or the words of the dynamic loader. */
function problemOf(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "EROFS") return "is read-only";
  if (code === "EACCES" || code === "EPERM") return "is not writable";
  if (code === "ENOSPC" || code === "EDQUOT") return "is full";
  if (code === "ENOTDIR" || code === "EEXIST") return "is not a folder";
  // glibc's and musl's words for a mapping that the file system refuses.
  if (/failed to map segment|Operation not permitted/u.test(message)) return "is mounted noexec";
  return `will not do (${message})`;
}
