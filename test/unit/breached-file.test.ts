import { copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { buildBreachedFile } from "../../src/credentials/passwords/breached/build.ts";
import { openBreachedFile } from "../../src/credentials/passwords/breached/file.ts";
import { emptyFolder } from "../cli/command.ts";
import { lineOf, seededBytes } from "../support/breached.ts";

const seed = Number(process.env["AUTHSVC_FUZZ_SEED"] ?? (process.env["CI"] ? 20_261_126 : Date.now() % 1_000_000_000));
const again = `to repeat: AUTHSVC_FUZZ_SEED=${seed}`;
const folder = emptyFolder();
const intact = join(folder, "intact");
const damaged = join(folder, "damaged");
const headerBytes = 36 + 256 * 20 + 4;

/** What `serve`, `doctor` and `status` do to a file. */
async function verify(path: string): Promise<void> {
  const file = await openBreachedFile(path, "passwords.breachedFile");
  try {
    await file.verify();
  } finally {
    await file.close();
  }
}

const noticed = {
  code: "INVALID_CONFIG",
  message: expect.stringMatching(/^passwords\.breachedFile: the file \S*damaged (?:is damaged \(|does not exist)/u),
};

describe("a file of breached passwords", () => {
  let bytes: Buffer;
  beforeAll(async () => {
    async function* list() {
      yield Buffer.from(Array.from({ length: 2000 }, (_, n) => lineOf(`password ${n}`)).join("\n"));
    }
    await buildBreachedFile(intact, list(), { now: 0, onProgress() {} });
    bytes = readFileSync(intact);
    await verify(intact);
  });

  /** Numbers below `end`, the same ones for the same seed. */
  function sample(count: number, end: number): number[] {
    const random = seededBytes(seed, 4 * count);
    return Array.from({ length: count }, (_, n) => random.readUInt32LE(4 * n) % end);
  }

  test("that is shorter or longer by any number of bytes is noticed", async () => {
    const lengths = [0, 1, 15, 16, 35, headerBytes - 1, headerBytes, headerBytes + 1, bytes.length - 1];
    for (const length of [...lengths, ...sample(20, bytes.length)]) {
      copyFileSync(intact, damaged);
      truncateSync(damaged, length);
      await expect(verify(damaged), `${length} bytes; ${again}`).rejects.toMatchObject(noticed);
    }
    writeFileSync(damaged, Buffer.concat([bytes, Buffer.alloc(1)]));
    await expect(verify(damaged)).rejects.toMatchObject(noticed);
  });

  test("in which any bit is another one is noticed: of its name, version, numbers, table, checksums and shards", async () => {
    const regions: [from: number, to: number, count: number][] = [
      [0, 16, 8],
      [16, 20, 4],
      [20, 36, 8],
      [36, headerBytes - 4, 30],
      [headerBytes - 4, headerBytes, 4],
      [headerBytes, bytes.length, 60],
    ];
    for (const [from, to, count] of regions)
      for (const bit of [0, 8 * (to - from) - 1, ...sample(count, 8 * (to - from))]) {
        const at = from + (bit >> 3);
        const flipped = Buffer.from(bytes);
        flipped.writeUInt8(flipped.readUInt8(at) ^ (1 << (bit & 7)), at);
        writeFileSync(damaged, flipped);
        await expect(verify(damaged), `bit ${bit & 7} of byte ${at}; ${again}`).rejects.toMatchObject(noticed);
      }
  });

  test("that a command looks a password up in is checked where it looks", async () => {
    const flipped = Buffer.from(bytes);
    for (let at = headerBytes; at < bytes.length; at += 1) flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at);
    writeFileSync(damaged, flipped);
    const file = await openBreachedFile(damaged, "passwords.breachedFile");
    await expect(file.has("password 7")).rejects.toMatchObject(noticed);
    await file.close();
  });

  test("is found in by every look-up of the same password, in each Unicode form that it is typed in", async () => {
    const path = join(folder, "forms");
    async function* list() {
      yield Buffer.from(["naïve café", "œuvre"].map((password) => lineOf(password.normalize("NFC"))).join("\n"));
    }
    await buildBreachedFile(path, list(), { now: 0, onProgress() {} });
    const file = await openBreachedFile(path, "FILE");
    expect(await file.has("naïve café".normalize("NFC"))).toBe(true);
    expect(await file.has("naïve café".normalize("NFD"))).toBe(true);
    expect(await file.has("naive cafe")).toBe(false);
    await file.close();
  });
});
