import { Script } from "node:vm";
import type { ProgramFiles } from "../lib/program-files.ts";

type Chunk = (exports: object, require: (id: string) => unknown, module: { exports: object }) => void;

export type ChunkLoader = {
  /** The exports of a chunk, which runs when it is first loaded. */
  load(name: string): unknown;
  /** Everything compiled so far. */
  scripts: ReadonlyMap<string, Script>;
};

/** The folder of the chunks among the program's files. Their text is ASCII. */
export const chunkFolder = "chunks";

/** The text around a chunk in its file: the chunk is one function. */
export const chunkWrapper = ["(function (exports, require, module) {", "\n})"];

/** The id under which a chunk requires the replacement of lib/program-files.ts. */
export const programFilesId = "authsvc:program-files";

/**
 * Loads the bundler's files. Frequently used ones have V8 bytecode from build time
 * (`<name>.cache`), because compiling takes longer than the rest of a start; others are compressed
 * (`<name>.zst`). They can load each other, the program's files and Node's built-in modules, and
 * nothing from disk.
 */
export function createChunkLoader(files: ProgramFiles): ChunkLoader {
  const scripts = new Map<string, Script>();
  const names = new Set(files.list(chunkFolder));
  const modules = new Map<string, { exports: object }>();

  function load(name: string): object {
    const loaded = modules.get(name);
    if (loaded !== undefined) return loaded.exports;
    const [text, cachedData] = read(name);
    const script = new Script(text, { filename: name, cachedData });
    scripts.set(name, script);
    const module = { exports: {} };
    modules.set(name, module);
    const chunk = script.runInThisContext() as Chunk;
    chunk(module.exports, requireFromChunk, module);
    return module.exports;
  }

  function read(name: string): [text: string, bytecode: Buffer | undefined] {
    const path = `${chunkFolder}/${name}`;
    if (!names.has(name)) {
      const { zstdDecompressSync } = process.getBuiltinModule("node:zlib");
      return [zstdDecompressSync(files.read(`${path}.zst`)).toString("latin1"), undefined];
    }
    // Bytecode is specific to a platform, and V8 refuses others'. Cross-built executables have
    // none.
    return [files.read(path).toString("latin1"), names.has(`${name}.cache`) ? files.read(`${path}.cache`) : undefined];
  }

  function requireFromChunk(id: string): unknown {
    if (id.startsWith("./")) return load(id.slice("./".length));
    if (id === programFilesId) return { programFiles: files };
    const builtin = process.getBuiltinModule(id) as unknown;
    // Libraries probe for optional modules and check this code.
    if (builtin === undefined)
      throw Object.assign(new Error(`Cannot find module '${id}'`), { code: "MODULE_NOT_FOUND" });
    return builtin;
  }

  return { load, scripts };
}
