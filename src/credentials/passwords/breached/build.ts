import { randomBytes } from "node:crypto";
import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { bytesOf, shardCount, writeBreachedFile, type Shard } from "./file.ts";
import { buildFilter, type Keys } from "./fuse-filter.ts";
import { HashLines } from "./hash-lines.ts";

const keyBytes = 8;
const blockKeys = 8192;
const blockBytes = blockKeys * keyBytes;

/** How many hashes were read; throws to end the work. */
export type OnProgress = (read: number, all: undefined) => void;

/**
 * Makes the file from lines `SHA1:count` in any order. Needs 8 bytes a line on the disk beside it,
 * and memory for one shard. Throws INVALID_REQUEST for a bad line, and then changes nothing.
 */
export async function buildBreachedFile(
  path: string,
  chunks: AsyncIterable<Buffer>,
  { now, onProgress }: { now: number; onProgress: OnProgress },
): Promise<{ entries: number; bytes: number }> {
  const spill = new Spill(`${path}.${randomBytes(6).toString("hex")}.keys`);
  try {
    let read = 0;
    const lines = new HashLines((high, low) => {
      read += 1;
      spill.add(high, low);
    });
    for await (const chunk of chunks) {
      lines.read(chunk);
      onProgress(read, undefined);
    }
    lines.end();
    return await writeBreachedFile(
      path,
      shardsOf(spill, () => onProgress(read, undefined)),
      now,
    );
  } finally {
    spill.close();
  }
}

async function* shardsOf(spill: Spill, onShard: () => void): AsyncGenerator<Shard> {
  for (let shard = 0; shard < shardCount; shard += 1) {
    // Ctrl-C must reach the process between two shards.
    await nextTurn();
    onShard();
    yield buildShard(spill.keysOf(shard));
  }
}

/** The filter of a shard's keys, which it sorts; duplicates count once. */
export function buildShard(keys: Keys): Shard {
  const distinct = withoutDuplicates(keys);
  const { shape, fingerprints } = buildFilter(distinct);
  const head = { ...shape, entries: distinct.length / 2, checksum: crc32(bytesOf(fingerprints)) };
  return { head, fingerprints };
}

function withoutDuplicates(keys: Keys): Keys {
  new BigUint64Array(keys.buffer, keys.byteOffset, keys.length / 2).sort();
  let end = 0;
  for (let at = 0; at < keys.length; at += 2) {
    if (end > 0 && keys[at] === keys[end - 2] && keys[at + 1] === keys[end - 1]) continue;
    keys.copyWithin(end, at, at + 2);
    end += 2;
  }
  return keys.subarray(0, end);
}

/**
 * Keys sorted by shard, in blocks of a file without a name: it is gone when the process ends, also
 * by a kill.
 */
class Spill {
  private readonly file: number;
  private blocks = 0;
  private readonly shards = Array.from({ length: shardCount }, () => ({
    blocks: [] as number[],
    keys: new Uint32Array(2 * blockKeys),
    used: 0,
  }));

  constructor(path: string) {
    this.file = openSync(path, "wx+", 0o600);
    rmSync(path);
  }

  add(high: number, low: number): void {
    const shard = this.shards[high >>> 24];
    if (!shard) return;
    shard.keys[shard.used] = low;
    shard.keys[shard.used + 1] = high;
    shard.used += 2;
    if (shard.used < shard.keys.length) return;
    writeFully(this.file, Buffer.from(shard.keys.buffer), this.blocks * blockBytes);
    shard.blocks.push(this.blocks);
    shard.used = 0;
    this.blocks += 1;
  }

  keysOf(number: number): Keys {
    const shard = this.shards[number];
    if (!shard) throw new RangeError(`there is no shard ${number}`);
    const keys = new Uint32Array(2 * blockKeys * shard.blocks.length + shard.used);
    const bytes = Buffer.from(keys.buffer);
    for (const [n, block] of shard.blocks.entries())
      readFully(this.file, bytes.subarray(n * blockBytes, (n + 1) * blockBytes), block * blockBytes);
    keys.set(shard.keys.subarray(0, shard.used), 2 * blockKeys * shard.blocks.length);
    return keys;
  }

  close(): void {
    closeSync(this.file);
  }
}

function writeFully(file: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done, bytes.length - done, at + done);
}

function readFully(file: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length;) {
    const read = readSync(file, bytes, done, bytes.length - done, at + done);
    if (read === 0) throw new Error("the file of keys is shorter than what was written to it");
    done += read;
  }
}
