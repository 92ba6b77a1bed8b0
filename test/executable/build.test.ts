import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { copyFileSync, globSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { emptyFolder } from "../cli/command.ts";
import { program } from "../support/program.ts";

const [file] = program;
const megabyte = 1_000_000;

const build = join(import.meta.dirname, "../../build");

/**
 * Loaded before the executable's first file, in plain Node: the executable itself takes no
 * NODE_OPTIONS. Hands out the staged files as the executable would, and notes at the end which
 * chunks of ours and which modules of Node were loaded.
 */
const probe = `
const fs = require("node:fs");
const sea = require("node:sea");
const stage = process.env.PROBE_STAGE;
sea.getAssetKeys = () => fs.readdirSync(stage, { recursive: true });
sea.getRawAsset = (path) => new Uint8Array(fs.readFileSync(stage + "/" + path)).buffer;
const vm = require("node:vm");
const chunks = [];
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    chunks.push(options.filename);
  }
};
process.on("exit", () => {
  const builtins = process.moduleLoadList.flatMap((name) => /^NativeModule (?!internal)(.*)/.exec(name)?.[1] ?? []);
  fs.writeFileSync(process.env.PROBE_FILE, JSON.stringify({ chunks, builtins }));
});
`;

test("commands that only look at applications load neither the other services nor the expensive modules of Node", async () => {
  const cwd = emptyFolder();
  const file = join(cwd, "probe.cjs");
  writeFileSync(file, probe);
  const script = join(cwd, "start.cjs");
  copyFileSync(join(build, "start.js"), script);
  const env = { HOME: cwd, PROBE_STAGE: join(build, "stage"), PROBE_FILE: join(cwd, "loaded.json") };
  async function loadedBy(...args: string[]): Promise<{ chunks: string[]; builtins: string[] }> {
    const start = ["--require", file, script, ...args];
    expect(await promisify(execFile)(process.execPath, start, { cwd, env })).toMatchObject({ stderr: "" });
    return JSON.parse(readFileSync(env.PROBE_FILE, "utf8")) as { chunks: string[]; builtins: string[] };
  }

  const all = await loadedBy("app", "create", "--name", "Shop", "--id", "app_shop", "--quiet");
  expect(all.chunks).toEqual(expect.arrayContaining(["open-context.js", "core.js"]));
  expect(all.builtins).toContain("crypto");
  for (const args of [
    ["app", "show", "app_shop"],
    ["app", "list"],
    ["key", "list"],
    ["audit", "list"],
  ]) {
    const { chunks, builtins } = await loadedBy(...args);
    expect(chunks).toContain("core.js");
    expect(chunks).not.toContain("open-context.js");
    expect(builtins).toContain("net");
    for (const dear of ["child_process", "crypto", "https", "tls", "zlib"]) expect(builtins).not.toContain(dear);
  }
});

test("the file takes at most 128 MB", () => {
  expect(statSync(file).size).toBeLessThanOrEqual(128 * megabyte);
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
  expect(files.toSorted()).toEqual(
    globSync("*/*.sql", { cwd: join(import.meta.dirname, "../../migrations") }).toSorted(),
  );
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
