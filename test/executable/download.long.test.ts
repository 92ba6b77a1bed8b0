import { readFileSync } from "node:fs";
import { constants, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { program } from "../support/program.ts";

const [file] = program;
const megabyte = 1_000_000;

test("the file takes at most 45 MB to download, compressed", () => {
  const params = { [constants.ZSTD_c_compressionLevel]: 10, [constants.ZSTD_c_windowLog]: 27 };
  expect(zstdCompressSync(readFileSync(file), { params }).length).toBeLessThanOrEqual(45 * megabyte);
});
