import { hash, randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { AppError } from "../lib/errors.ts";
import { programFiles } from "../lib/program-files.ts";
import { claimFolder, isOursAlone, nativeFolders } from "./native-folders.ts";

/**
 * A native module in the executable: its file (compressed if that ends in `.zst`), and the module's
 * SHA-256 in hex.
 */
export type PackedModule = { name: string; file: string; digest: string };

/**
 * Loads a native module of the executable. Operating systems load modules only from files, so it is
 * unpacked at its first use and compared with the executable at each start. Throws INVALID_CONFIG
 * with the problem of each folder that was tried.
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
    `The native module ${packed.name} cannot be unpacked: ${problems.join("; ")}. Set AUTHSVC_NATIVE_DIR to a folder of this user that allows execution.`,
  );
}

/**
 * The unpacked file. Its name contains the digest, so versions coexist and a file in use is never
 * written.
 */
function unpackInto(folder: string, packed: PackedModule): string {
  claimFolder(folder);
  const file = join(folder, `${packed.name}-${packed.digest.slice(0, 16)}.node`);
  const content = contentOf(packed);
  if (isIntact(file, content)) return file;
  const temporary = join(folder, `.${packed.name}-${randomBytes(8).toString("hex")}`);
  try {
    if (hash("sha256", content) !== packed.digest) throw new Error("this executable is damaged");
    writeFileSync(temporary, content, { flag: "wx", mode: 0o500 });
    // Atomic: two concurrent starts write the same content.
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

/** Whether the file exists, is not another user's, and has this content. */
function isIntact(file: string, content: Buffer): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    return false;
  }
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() && isOursAlone(stats) && hasContent(descriptor, content);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Whether the rest of the file is exactly this content. Compares bytes, because a digest would take
 * longer, as would loading `node:crypto`; in pieces, to avoid allocating all of it.
 */
function hasContent(descriptor: number, content: Buffer): boolean {
  const piece = Buffer.allocUnsafeSlow(64 * 1024);
  let position = 0;
  for (let size = readSync(descriptor, piece); size > 0; size = readSync(descriptor, piece)) {
    if (!content.subarray(position, position + size).equals(piece.subarray(0, size))) return false;
    position += size;
  }
  return position === content.length;
}

/** Problems that an operator can fix, by error code or the dynamic loader's message. */
function problemOf(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "EROFS") return "is read-only";
  if (code === "EACCES" || code === "EPERM") return "is not writable";
  if (code === "ENOSPC" || code === "EDQUOT") return "is full";
  if (code === "ENOTDIR" || code === "EEXIST") return "is not a folder";
  // glibc's and musl's messages for a mapping that the file system refuses.
  if (/failed to map segment|Operation not permitted/u.test(message)) return "is mounted noexec";
  return `is not usable (${message})`;
}
