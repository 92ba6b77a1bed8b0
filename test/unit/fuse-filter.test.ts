import { describe, expect, test } from "vitest";
import { buildShard } from "../../src/credentials/passwords/breached/build.ts";
import { buildFilter, slotCount } from "../../src/credentials/passwords/breached/fuse-filter.ts";
import { found, keysOf } from "../support/breached.ts";

describe("a binary fuse filter", () => {
  test("has each of 200,000 keys, and of others at most 2 in 65,536", () => {
    const keys = keysOf(1, 200_000);
    const filter = buildFilter(keys);
    expect(found(filter, keys)).toBe(200_000);
    expect(found(filter, keysOf(-1, 2_000_000)) / 2_000_000).toBeLessThanOrEqual(2 / 65_536);
    expect(slotCount(filter.shape)).toBeLessThan(1.2 * 200_000);
  });

  test("has each of its keys, however few they are", () => {
    for (const count of [1, 2, 3, 4, 5, 7, 10, 16, 33, 64, 100, 257, 1000])
      for (let seed = 1; seed <= 20; seed += 1) {
        const keys = keysOf(seed, count);
        expect([count, seed, found(buildFilter(keys), keys)]).toEqual([count, seed, count]);
      }
  });

  test("is the same for the same keys in any order and number", () => {
    const keys = keysOf(1, 1000);
    const reversed = Uint32Array.from(
      Array.from({ length: 1000 }, (_, n) => [...keys.subarray(2 * (999 - n), 2 * (1000 - n))]).flat(),
    );
    const twice = new Uint32Array([...reversed, ...reversed]);
    const shard = buildShard(keys.slice());
    expect(shard.head.entries).toBe(1000);
    expect(buildShard(twice)).toEqual(shard);
  });
});
