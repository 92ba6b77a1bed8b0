import { Script } from "node:vm";
import type { ProgramFiles } from "../lib/program-files.ts";

type Chunk = (exports: object, require: (id: string) => unknown, module: { exports: object }) => void;

export type ChunkLoader = {
  /** What the chunk exports; it runs when it is loaded first. */
  load(name: string): unknown;
  /** Everything compiled so far. */
  scripts: ReadonlyMap<string, Script>;
};

/** Where the chunks are among the files of the program. Their text is ASCII. */
export const chunkFolder = "chunks";

/** What stands around the text of a chunk in its file: the chunk is one function. */
export const chunkWrapper = ["(function (exports, require, module) {", "\n})"];

/** By this name a chunk requires what takes the place of lib/program-files.ts. */
export const programFilesId = "authsvc:program-files";

/**
 * Loads the files that the bundler made. Those that are loaded often come with the bytecode that V8 made of them at build time
 * (`<name>.cache`), as compiling them takes longer than all the rest of a start; the others come compressed (`<name>.zst`).
 * They load each other, the files of the program and what is built into Node, and nothing from a disk.
 */
export function createChunkLoader(files: ProgramFiles): ChunkLoader {
  const scripts = new Map<string, Script>();
  const names = new Set(files.list(chunkFolder));
  const modules = new Map<string, { exports: object }>();

  function load(name: string): object {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
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
    // Bytecode is of one platform; V8 refuses what is not its own. An executable that was built on another platform has none.
    return [files.read(path).toString("latin1"), names.has(`${name}.cache`) ? files.read(`${path}.cache`) : undefined];
  }

  function requireFromChunk(id: string): unknown {
    if (id.startsWith("./")) return load(id.slice("./".length));
    if (id === programFilesId) return { programFiles: files };
    const builtin = process.getBuiltinModule(id) as unknown;
    // Libraries try what may be missing, and look for this code.
    if (builtin === undefined)
      throw Object.assign(new Error(`Cannot find module '${id}'`), { code: "MODULE_NOT_FOUND" });
    return builtin;
  }

  return { load, scripts };
}
