import { hash, randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { AppError } from "../lib/errors.ts";
import { programFiles } from "../lib/program-files.ts";
import { claimFolder, isOursAlone, nativeFolders } from "./native-folders.ts";

/** A native module in the executable: in which of its files (compressed, where that ends in `.zst`), and the SHA-256 of the module in hex. */
export type PackedModule = { name: string; file: string; digest: string };

/**
 * Loads a native module of the executable. The operating system loads programs from files only, so it is unpacked at its first use, and
 * compared with what the executable holds at each start. Throws INVALID_CONFIG naming what is wrong with each folder that was tried.
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
  const content = contentOf(packed);
  if (isIntact(file, content)) return file;
  const temporary = join(folder, `.${packed.name}-${randomBytes(8).toString("hex")}`);
  try {
    if (hash("sha256", content) !== packed.digest) throw new Error("what this executable holds is damaged");
    writeFileSync(temporary, content, { flag: "wx", mode: 0o500 });
    // Whole or not at all: two that start at once each bring their own, and either will do.
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  return file;
}

function contentOf({ file }: PackedModule): Buffer {
  const content = programFiles.read(file);
  return file.endsWith(".zst") ? zstdDecompressSync(content) : content;
}

/** Whether the file is there, of nobody else's making and with this content. */
function isIntact(file: string, content: Buffer): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    return false;
  }
  try {
    const found = fstatSync(descriptor);
    return found.isFile() && isOursAlone(found) && holds(descriptor, content);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Whether what is left to read is this content, to its last byte and nothing behind it. Byte by byte, where a digest would take longer, and longer
 * still to load `node:crypto` for it; in pieces, as memory for all of it would have to be made for this only.
 */
function holds(descriptor: number, content: Buffer): boolean {
  const piece = Buffer.allocUnsafeSlow(64 * 1024);
  let position = 0;
  for (let size = readSync(descriptor, piece); size > 0; size = readSync(descriptor, piece)) {
    if (!content.subarray(position, position + size).equals(piece.subarray(0, size))) return false;
    position += size;
  }
  return position === content.length;
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
