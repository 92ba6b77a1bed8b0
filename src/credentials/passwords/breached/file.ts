/**
 * The file of breached passwords (docs/decisions/0052): a header with the table of 256 shards, then
 * their fingerprints. Numbers are little-endian, as on every platform that we build for.
 */
import { hash, randomBytes } from "node:crypto";
import { readSync, statSync } from "node:fs";
import { open, rm, type FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { replaceDurably } from "../../../lib/durable-files.ts";
import { AppError } from "../../../lib/errors.ts";
import { locate, newPlace, slotCount, type Fingerprints, type Shape } from "./fuse-filter.ts";

/** A shard has the keys with one first byte. */
export const shardCount = 256;

export type ShardHead = Shape & { entries: number; checksum: number };
export type Shard = { head: ShardHead; fingerprints: Fingerprints };

/** `madeAt`: epoch milliseconds. */
export type BreachedFile = {
  path: string;
  entries: number;
  madeAt: number;
  bytes: number;
  /** Whether a password is in it, or looks so by chance (1 of 65,536). Throws if damaged. */
  has(password: string): Promise<boolean>;
  /** Reads all of it. Throws INVALID_CONFIG if it is damaged. */
  verify(): Promise<void>;
  close(): Promise<void>;
};

const magic = Buffer.from("authsvc breached");
const version = 1;
export const headBytes = 20;
const tableAt = 36;
const headerBytes = tableAt + shardCount * headBytes + 4;
const maxReadBytes = 1024 * 1024;

/** The key of a SHA-1 digest: its first eight bytes, of which the first is the shard. */
function keyOf(digest: Buffer): { shard: number; low: number; high: number } {
  return { shard: digest.readUInt8(0), low: digest.readUInt32BE(4), high: digest.readUInt32BE(0) };
}

export function headToBytes({ entries, seed, segmentLength, segmentCount, checksum }: ShardHead): Buffer {
  return Buffer.from(Uint32Array.of(entries, seed, segmentLength, segmentCount, checksum).buffer);
}

export function headFromBytes(bytes: Buffer): ShardHead {
  const number = (index: number): number => bytes.readUInt32LE(4 * index);
  const shape = { seed: number(1), segmentLength: number(2), segmentCount: number(3) };
  return { entries: number(0), ...shape, checksum: number(4) };
}

export function bytesOf(fingerprints: Fingerprints): Buffer {
  return Buffer.from(fingerprints.buffer, fingerprints.byteOffset, fingerprints.byteLength);
}

/**
 * Writes all shards under a temporary name, and renames the file when it is complete and durable.
 * Nothing is left of a failure. Returns the number of entries; throws INVALID_REQUEST for none.
 */
export async function writeBreachedFile(
  path: string,
  shards: AsyncIterable<Shard>,
  now: number,
): Promise<{ entries: number; bytes: number }> {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.partial`;
  try {
    const file = await open(temporary, "wx", 0o644);
    let bytes = headerBytes;
    const heads: ShardHead[] = [];
    try {
      for await (const { head, fingerprints } of shards) {
        await writeAll(file, bytesOf(fingerprints), bytes);
        bytes += fingerprints.byteLength;
        heads.push(head);
      }
      await writeAll(file, headerOf(heads, now), 0);
    } finally {
      await file.close();
    }
    const entries = entriesOf(heads);
    if (entries === 0) throw new AppError("INVALID_REQUEST", "The input has no passwords; no file was written.");
    replaceDurably(temporary, path);
    return { entries, bytes };
  } finally {
    await rm(temporary, { force: true });
  }
}

function headerOf(heads: ShardHead[], madeAt: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  magic.copy(header);
  header.writeUInt32LE(version, 16);
  header.writeDoubleLE(entriesOf(heads), 20);
  header.writeDoubleLE(madeAt, 28);
  for (const [shard, head] of heads.entries()) headToBytes(head).copy(header, tableAt + shard * headBytes);
  header.writeUInt32LE(crc32(header.subarray(0, -4)), headerBytes - 4);
  return header;
}

function entriesOf(heads: ShardHead[]): number {
  return heads.reduce((sum, { entries }) => sum + entries, 0);
}

async function writeAll(file: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, at + done);
    done += bytesWritten;
  }
}

/**
 * Opens the file and checks its header and length. Throws INVALID_CONFIG that names the file.
 * `setting`: what named it, for the message.
 */
export async function openBreachedFile(path: string, setting: string): Promise<BreachedFile> {
  // Opening a pipe that nobody writes to would never end.
  if (statSync(path, { throwIfNoEntry: false })?.isFIFO())
    throw new AppError("INVALID_CONFIG", `${setting}: ${path} is a pipe, not a regular file`);
  const file = await open(path, "r").catch((error: unknown) => {
    throw unreadable(path, setting, error);
  });
  try {
    return await opened(file, path, setting);
  } catch (error) {
    await file.close();
    throw error instanceof AppError ? error : unreadable(path, setting, error);
  }
}

async function opened(file: FileHandle, path: string, setting: string): Promise<BreachedFile> {
  const damaged = (what: string): AppError =>
    new AppError(
      "INVALID_CONFIG",
      `${setting}: the file ${path} is damaged (${what}); make it again: authsvc breached-passwords build, or fetch`,
    );
  const { size } = await file.stat();
  const header = Buffer.alloc(headerBytes);
  if (!(await readAt(file, 0, header)) || !header.subarray(0, magic.length).equals(magic))
    throw damaged("it does not begin like one");
  if (header.readUInt32LE(headerBytes - 4) !== crc32(header.subarray(0, -4))) throw damaged("wrong header");
  if (header.readUInt32LE(16) !== version) throw damaged(`format ${header.readUInt32LE(16)} is unknown`);
  let end = headerBytes;
  const shards = Array.from({ length: shardCount }, (_, shard) => {
    const head = headFromBytes(header.subarray(tableAt + shard * headBytes));
    const at = end;
    end += 2 * slotCount(head);
    return { head, at, end };
  });
  if (size !== end) throw damaged(`${size} bytes instead of ${end}`);
  const verified = new Set<number>();

  function shardAt(shard: number): (typeof shards)[number] {
    const found = shards[shard];
    if (!found) throw new RangeError(`there is no shard ${shard}`);
    return found;
  }

  async function verifyShard(shard: number, buffer: Buffer): Promise<void> {
    const { head, at, end } = shardAt(shard);
    let checksum = 0;
    for (let from = at; from < end; from += buffer.length) {
      const part = buffer.subarray(0, end - from);
      if (!(await readAt(file, from, part))) throw damaged("too short");
      checksum = crc32(part, checksum);
    }
    if (checksum !== head.checksum) throw damaged(`wrong checksum of part ${shard}`);
    verified.add(shard);
  }

  return {
    path,
    entries: header.readDoubleLE(20),
    madeAt: header.readDoubleLE(28),
    bytes: size,

    async has(password) {
      // The service takes both as the same password, and lists have what people typed.
      for (const form of new Set([password, password.normalize("NFC")]))
        if (await hasDigest(hash("sha1", form, "buffer"))) return true;
      return false;
    },

    async verify() {
      const buffer = Buffer.allocUnsafe(maxReadBytes);
      for (const shard of shards.keys()) await verifyShard(shard, buffer);
    },

    close: async () => await file.close(),
  };

  async function hasDigest(digest: Buffer): Promise<boolean> {
    const { shard, low, high } = keyOf(digest);
    // Commands look up one password: they read its shard, not the whole file.
    if (!verified.has(shard)) await verifyShard(shard, Buffer.allocUnsafe(maxReadBytes));
    const { head, at } = shardAt(shard);
    if (head.entries === 0) return false;
    const { first, second, third, fingerprint } = locate(head, low, high, newPlace());
    return (valueAt(at + 2 * first) ^ valueAt(at + 2 * second) ^ valueAt(at + 2 * third)) === fingerprint;
  }

  /** On this thread: two bytes of a local file cost less than a turn of another thread. */
  function valueAt(at: number): number {
    const bytes = Buffer.allocUnsafe(2);
    if (readSync(file.fd, bytes, 0, 2, at) < 2) throw damaged("too short");
    return bytes.readUInt16LE(0);
  }
}

/** Fills the bytes; false at the end of the file. */
async function readAt(file: FileHandle, at: number, bytes: Buffer): Promise<boolean> {
  for (let done = 0; done < bytes.length;) {
    const { bytesRead } = await file.read(bytes, done, bytes.length - done, at + done);
    if (bytesRead === 0) return false;
    done += bytesRead;
  }
  return true;
}

function unreadable(path: string, setting: string, cause: unknown): AppError {
  const { code = "" } = cause as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOENT: "does not exist; make it: authsvc breached-passwords build, or fetch",
    EACCES: "is not readable by this user",
    EISDIR: "is a folder",
  };
  const problem = reasons[code] ?? `cannot be read (${code})`;
  return new AppError("INVALID_CONFIG", `${setting}: the file ${path} ${problem}`, { cause });
}
