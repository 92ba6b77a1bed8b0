import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { zstdDecompressSync } from "node:zlib";

type Chunk = (
  exports: object,
  require: (id: string) => unknown,
  module: { exports: object },
  ...place: string[]
) => void;

export type ChunkLoader = {
  /** What the chunk exports; it runs when it is loaded first. */
  load(name: string): unknown;
  /** Everything compiled so far. */
  scripts: ReadonlyMap<string, Script>;
};

/** What stands around the text of a chunk in its file: the chunk is one function. */
export const chunkWrapper = ["(function (exports, require, module, __filename, __dirname) {", "\n})"];

/**
 * Loads the files that the bundler made. Those that are loaded often come with the bytecode that V8 made of them at build time
 * (`<name>.cache`), as compiling them takes longer than all the rest of a start; the others come compressed (`<name>.zst`).
 * They load each other and what is built into Node, and nothing from a disk.
 */
export function createChunkLoader(folder: string): ChunkLoader {
  const scripts = new Map<string, Script>();
  const files = new Set(readdirSync(folder));
  const modules = new Map<string, { exports: object }>();

  function load(name: string): object {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const file = join(folder, name);
    const [text, cachedData] = read(name);
    const script = new Script(text, { filename: name, cachedData });
    scripts.set(name, script);
    const module = { exports: {} };
    modules.set(name, module);
    const chunk = script.runInThisContext() as Chunk;
    chunk(module.exports, requireFromChunk, module, file, folder);
    return module.exports;
  }

  function read(name: string): [text: string, bytecode: Buffer | undefined] {
    const file = join(folder, name);
    if (!files.has(name)) return [zstdDecompressSync(readFileSync(`${file}.zst`)).toString(), undefined];
    // Bytecode is of one platform; V8 refuses what is not its own. An executable that was built on another platform has none.
    return [readFileSync(file, "utf8"), files.has(`${name}.cache`) ? readFileSync(`${file}.cache`) : undefined];
  }

  function requireFromChunk(id: string): unknown {
    if (id.startsWith("./")) return load(id.slice("./".length));
    const builtin = process.getBuiltinModule(id) as unknown;
    // Libraries try what may be missing, and look for this code.
    if (builtin === undefined)
      throw Object.assign(new Error(`Cannot find module '${id}'`), { code: "MODULE_NOT_FOUND" });
    return builtin;
  }

  return { load, scripts };
}
