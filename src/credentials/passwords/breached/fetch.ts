import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { second } from "../../../lib/clock.ts";
import { replaceDurably } from "../../../lib/durable-files.ts";
import { AppError, invalidRequest } from "../../../lib/errors.ts";
import { buildShard } from "./build.ts";
import { bytesOf, headBytes, headFromBytes, headToBytes, shardCount, writeBreachedFile, type Shard } from "./file.ts";
import { slotCount, type Keys } from "./fuse-filter.ts";
import { HashLines } from "./hash-lines.ts";

export const rangeUrl = "https://api.pwnedpasswords.com/range/XXXXX";

export type Source = {
  /** Two to five X stand for the first digits of a hash. */
  url: string;
  fetch: typeof globalThis.fetch;
  now: number;
  /** How many ranges are done; throws to end the work. */
  onProgress: (done: number, all: number) => void;
  /** Ends the work, with its reason. */
  signal: AbortSignal;
};

type Failure = { problem: string; isFinal?: boolean; waitSeconds?: number | undefined };

const concurrency = 32;
const maxAttempts = 8;
const patienceMilliseconds = 30 * second;
const longestPause = 60 * second;
/** A range of Have I Been Pwned has 50 KB. */
const maxAnswerBytes = 16 * 1024 * 1024;

/**
 * Makes the file from a server with the range API of Have I Been Pwned. Keeps finished shards
 * beside it until all are there: the next call continues. Throws SERVER_ERROR, INVALID_REQUEST.
 */
export async function fetchBreachedFile(path: string, source: Source): Promise<{ entries: number; bytes: number }> {
  const ranges = 16 ** digitsOf(source.url) / shardCount;
  const folder = `${path}.fetching`;
  await mkdir(folder, { mode: 0o700, recursive: true });

  const fileOf = (number: number): string => `${folder}/${number.toString(16).padStart(2, "0")}`;
  for (let number = 0; number < shardCount; number += 1) {
    const onRange = (done: number): void => source.onProgress(number * ranges + done, shardCount * ranges);
    if (!(await keptShard(fileOf(number))))
      await keep(fileOf(number), buildShard(await keysOfShard(number, ranges, source, onRange)));
    onRange(ranges);
  }

  async function* shards(): AsyncGenerator<Shard> {
    for (let number = 0; number < shardCount; number += 1) {
      const shard = await keptShard(fileOf(number));
      if (!shard) throw new AppError("SERVER_ERROR", `${fileOf(number)} was changed or removed.`);
      yield shard;
    }
  }

  const made = await writeBreachedFile(path, shards(), source.now);
  await rm(folder, { recursive: true, force: true });
  return made;
}

function digitsOf(url: string): number {
  const digits = /X{2,5}$/u.exec(url)?.[0].length;
  if (digits === undefined || !URL.canParse(url) || !/^https?:/u.test(url))
    throw invalidRequest("url", "an http or https URL that ends with XXXXX, which stands for a hash's first digits");
  return digits;
}

async function keep(file: string, { head, fingerprints }: Shard): Promise<void> {
  const headPart = headToBytes(head);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(crc32(headPart));
  await writeFile(`${file}.partial`, [headPart, checksum, bytesOf(fingerprints)], { mode: 0o600 });
  replaceDurably(`${file}.partial`, file);
}

/** A shard of an earlier call; undefined if it is missing or damaged. */
async function keptShard(file: string): Promise<Shard | undefined> {
  const bytes = await readFile(file).catch(() => Buffer.alloc(0));
  if (bytes.length < headBytes + 4) return undefined;
  const headPart = bytes.subarray(0, headBytes);
  const head = headFromBytes(headPart);
  const values = bytes.subarray(headBytes + 4);
  if (crc32(headPart) !== bytes.readUInt32LE(headBytes) || values.length !== 2 * slotCount(head)) return undefined;
  if (crc32(values) !== head.checksum) return undefined;
  const fingerprints = new Uint16Array(slotCount(head));
  values.copy(bytesOf(fingerprints));
  return { head, fingerprints };
}

async function keysOfShard(
  number: number,
  ranges: number,
  source: Source,
  onRange: (done: number) => void,
): Promise<Keys> {
  const parts: Keys[] = [];
  const failed = new AbortController();
  const stop = AbortSignal.any([source.signal, failed.signal]);
  let next = number * ranges;
  const end = next + ranges;

  async function work(): Promise<void> {
    while (next < end && !stop.aborted) {
      const prefix = (next++).toString(16).toUpperCase().padStart(digitsOf(source.url), "0");
      parts.push(await keysOfRange(prefix, source, stop));
      onRange(parts.length);
    }
  }

  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    failed.abort();
  }
  const keys = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    keys.set(part, at);
    at += part.length;
  }
  return keys;
}

async function keysOfRange(prefix: string, { url, fetch }: Source, stop: AbortSignal): Promise<Keys> {
  const address = url.replace(/X+$/u, prefix);
  for (let attempt = 1; ; attempt += 1) {
    const answer = await requestRange(address, prefix, fetch, stop);
    stop.throwIfAborted();
    if (!("problem" in answer)) return answer;
    const { problem, isFinal = false, waitSeconds } = answer;
    if (isFinal || attempt === maxAttempts)
      throw new AppError("SERVER_ERROR", `Range ${prefix} cannot be fetched: ${problem}.`);
    const wait = waitSeconds === undefined ? 2 ** attempt * (second / 16) : waitSeconds * second;
    await pause(Math.min(wait, longestPause), undefined, { signal: stop });
  }
}

async function requestRange(
  address: string,
  prefix: string,
  fetch: Source["fetch"],
  stop: AbortSignal,
): Promise<Keys | Failure> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(patienceMilliseconds)]);
  try {
    const response = await fetch(address, { headers: { "user-agent": "authsvc" }, redirect: "error", signal });
    const { status } = response;
    if (status !== 200) {
      await response.body?.cancel();
      const waitSeconds = /^\d+$/u.exec(response.headers.get("retry-after") ?? "")?.[0];
      const isFinal = status < 500 && status !== 429;
      return {
        problem: `status ${status}`,
        isFinal,
        waitSeconds: waitSeconds === undefined ? undefined : Number(waitSeconds),
      };
    }
    return keysIn(await readBounded(response), prefix);
  } catch (error) {
    if (error instanceof AppError) return { problem: "the response is not a list of hashes and counts" };
    if ((error as Error).name === "TimeoutError") return { problem: "no complete answer within 30 s" };
    const { cause } = error as { cause?: NodeJS.ErrnoException };
    return { problem: `no complete answer${cause?.code === undefined ? "" : ` (${cause.code})`}` };
  }
}

async function readBounded(response: Response): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > maxAnswerBytes) throw invalidRequest("range", "at most 16 MiB");
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The answer's lines lack the digits of the address. */
function keysIn(answer: Buffer, prefix: string): Keys {
  const keys: number[] = [];
  const lines = new HashLines((high, low) => keys.push(low, high));
  lines.read(Buffer.from(answer.toString("latin1").replaceAll(/^(?=.)/gmu, prefix), "latin1"));
  lines.end();
  // Every range of a complete list has hashes.
  if (keys.length === 0) throw invalidRequest("range", "not empty");
  return Uint32Array.from(keys);
}
