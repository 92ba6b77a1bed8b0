import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { chownSync, cpSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
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

// What root in a container has before it.
test("it can be built in a folder of another user", async ({ skip }) => {
  skip(process.getuid?.() !== 0, "only root may give a folder away");
  const root = join(import.meta.dirname, "../..");
  const copy = emptyFolder();
  for (const name of ["scripts", "src", "migrations", "package.json", "package-lock.json"])
    cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  chownSync(copy, 1000, 1000);
  await promisify(execFile)(process.execPath, [join(copy, "scripts/build.ts")]);
  expect(statSync(join(copy, "dist/authsvc")).size).toBeGreaterThan(megabyte);
});

test("the file takes at most 125 MB, and 45 MB compressed", () => {
  const content = readFileSync(file);
  expect(content.length).toBeLessThanOrEqual(125 * megabyte);
  const params = { [constants.ZSTD_c_compressionLevel]: 10, [constants.ZSTD_c_windowLog]: 27 };
  expect(zstdCompressSync(content, { params }).length).toBeLessThanOrEqual(45 * megabyte);
});

test("all of it is in strict mode, as the sources are", () => {
  const folder = join(import.meta.dirname, "../../build/stage/chunks");
  const texts = readdirSync(folder)
    .filter((name) => !name.endsWith(".cache"))
    .map((name) => [name, readFileSync(join(folder, name))] as const)
    .map(([name, content]) => [name, String(name.endsWith(".zst") ? zstdDecompressSync(content) : content)] as const);
  expect(texts.length).toBeGreaterThan(30);
  const loose = texts.filter(([, text]) => !text.startsWith('(function (exports, require, module) {"use strict";'));
  expect(loose.map(([name]) => name)).toEqual([]);
});

// Of drizzle's relations, half is left out (drizzlePlugin of scripts/build/bundle.ts).
test("nothing of ours uses the part of drizzle that is not in it", () => {
  const root = join(import.meta.dirname, "../../src");
  const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  expect(sources.length).toBeGreaterThan(300);
  const asking = sources.filter((name) =>
    /\brelations\b[^;]*from "drizzle-orm|\bdrizzle\([^)]*\bschema\b|\bdb\.query\b/u.test(
      readFileSync(join(root, name), "utf8"),
    ),
  );
  expect(asking).toEqual([]);
});

test("it has the digest of each migration with it", () => {
  const stage = join(import.meta.dirname, "../../build/stage");
  const files = readdirSync(join(stage, "migrations"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".sql"),
  );
  expect(files.length).toBeGreaterThan(6);
  for (const name of files) {
    const migration = join(stage, "migrations", name);
    expect([name, readFileSync(`${migration}.sha256`, "latin1")]).toEqual([
      name,
      hash("sha256", readFileSync(migration)),
    ]);
  }
});

test("it says nothing of the machine that built it", () => {
  const content = readFileSync(file);
  expect(content.includes(join(import.meta.dirname, "../.."))).toBe(false);
});
