import { execFile } from "node:child_process";
import { createReadStream, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Writable } from "node:stream";
import { promisify } from "node:util";
import { createGzip } from "node:zlib";
import { expect, test } from "vitest";
import { emptyFolder } from "../cli/command.ts";
import { program } from "../support/program.ts";

const [file] = program;
const megabyte = 1_000_000;

test("two builds of the same sources are the same, byte by byte", async () => {
  const again = join(emptyFolder(), "authsvc");
  const script = join(import.meta.dirname, "../../scripts/build.ts");
  await promisify(execFile)(process.execPath, [script, "--out", again]);
  expect(readFileSync(again).equals(readFileSync(file))).toBe(true);
});

test("the file takes at most 125 MB, and 45 MB compressed", async () => {
  expect(statSync(file).size).toBeLessThanOrEqual(125 * megabyte);
  let compressed = 0;
  const count = new Writable({
    write(chunk: Buffer, _encoding, done) {
      compressed += chunk.length;
      done();
    },
  });
  await pipeline(createReadStream(file), createGzip({ level: 6 }), count);
  expect(compressed).toBeLessThanOrEqual(45 * megabyte);
});

test("it says nothing of the machine that built it", () => {
  const content = readFileSync(file);
  expect(content.includes(join(import.meta.dirname, "../.."))).toBe(false);
});
