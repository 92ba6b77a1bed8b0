import { expect, test } from "vitest";
import { buildFilter } from "../../src/credentials/passwords/breached/fuse-filter.ts";
import { found, keysOf } from "../support/breached.ts";

test.each([
  ["ten filters of a million keys", 10, 1_000_000],
  ["two filters of five million keys", 2, 5_000_000],
])("%s have each of them, and of as many others at most 2 in 65,536", (_title, filters, count) => {
  for (let seed = 1; seed <= filters; seed += 1) {
    const keys = keysOf(seed, count);
    const filter = buildFilter(keys);
    expect(found(filter, keys)).toBe(count);
    expect(found(filter, keysOf(-seed, count)) / count).toBeLessThanOrEqual(2 / 65_536);
  }
});
