import { createCipheriv, hash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";
import { locate, newPlace, type buildFilter, type Keys } from "../../src/credentials/passwords/breached/fuse-filter.ts";

/** The line of a password in a list of breached ones. */
export function lineOf(password: string, count = 3): string {
  return `${hash("sha1", password, "hex").toUpperCase()}:${count}`;
}

/** The same random bytes for the same seed. */
export function seededBytes(seed: number, length: number): Buffer {
  const key = hash("sha256", `seed ${seed}`, "buffer").subarray(0, 16);
  return createCipheriv("aes-128-ctr", key, Buffer.alloc(16)).update(Buffer.alloc(length));
}

/** Different keys for each seed. */
export function keysOf(seed: number, count: number): Keys {
  const bytes = seededBytes(seed, 8 * count);
  return new Uint32Array(bytes.buffer, bytes.byteOffset, 2 * count).slice();
}

/** How many of the keys a fuse filter has. */
export function found({ shape, fingerprints }: ReturnType<typeof buildFilter>, keys: Keys): number {
  const place = newPlace();
  let count = 0;
  for (let at = 0; at < keys.length; at += 2) {
    locate(shape, keys[at] ?? 0, keys[at + 1] ?? 0, place);
    const [one, two, three] = [place.first, place.second, place.third].map((slot) => fingerprints[slot] ?? Number.NaN);
    if (((one ?? 0) ^ (two ?? 0) ^ (three ?? 0)) === place.fingerprint) count += 1;
  }
  return count;
}

/**
 * A real server with the range API, whose ranges have this many digits: `passwords` are in it, and
 * two more hashes in every range.
 */
export function useRangeServer(passwords: string[], digits: 2 | 3 | 4) {
  const asked: string[] = [];
  let open = 0;
  let maxOpen = 0;
  let answer: ((range: string, response: ServerResponse) => boolean) | undefined;
  const known = passwords.map((password) => lineOf(password));
  const linesOf = (range: string): string[] => [
    ...known.filter((line) => line.startsWith(range)).map((line) => line.slice(digits)),
    ...[1, 2].map((n) => lineOf(`filling ${n} of ${range}`).slice(digits)),
    // Padding, as the real one sends it on request.
    `${"0".repeat(40 - digits)}:0`,
  ];
  const server = createServer((request: IncomingMessage, response) => {
    const range = request.url?.slice("/range/".length) ?? "";
    asked.push(range);
    open += 1;
    maxOpen = Math.max(maxOpen, open);
    response.on("close", () => (open -= 1));
    if (answer?.(range, response)) return;
    const isRange = range.length === digits && /^[0-9A-F]+$/u.test(range);
    // After every request that has arrived by now.
    setImmediate(() => {
      response.writeHead(isRange ? 200 : 404, { "content-type": "text/plain" });
      response.end(isRange ? linesOf(range).join("\r\n") : "");
    });
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/range/${"X".repeat(digits)}`,
    asked,
    maxOpen: () => maxOpen,
    /** From now on, `by` may answer a range itself; then it returns true. */
    answerBy(by: typeof answer): void {
      answer = by;
    },
  };
}
