import { cpSync, globSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build, type OutputChunk, type Plugin } from "rolldown";
import { chunkFolder, chunkWrapper, programFilesId } from "../../src/executable/chunks.ts";
import { digestEnding } from "../../src/executable/files.ts";
import { filesBelow } from "../../src/lib/program-files.ts";
import { compressed } from "./compressed.ts";
import { isLoadedLater, withLazyRequires } from "./lazy-requires.ts";
import { root } from "./target.ts";

/** What nearly every command loads, each with all that it imports. Chunks of nothing else are packed compressed, and without bytecode. */
const loadedOften = [
  "src/cli/run.ts",
  "src/config/config.ts",
  "src/registry.ts",
  "src/lib/log.ts",
  "src/app.ts",
  "src/server.ts",
];

/** A chunk of its own that is loaded where it is used first: most commands find no configuration file. */
const yaml = {
  name: "yaml",
  test: /\/node_modules\/yaml\/|\/src\/config\/yaml\.ts$/u,
  includeDependenciesRecursively: false,
};
const lazyChunks = [`./${yaml.name}.js`];

/** What the program reads at run time (lib/program-files.ts). */
const migrations = "migrations/*/*.sql";
const files = [migrations, "src/pages/*.css", "src/pages/*.svg", "src/pages/built/*"];

/** The files of the program are in the executable: the loader of the chunks has them. */
const programFilesPlugin: Plugin = {
  name: "program files",
  resolveId: (id) => (id.endsWith("/lib/program-files.ts") ? { id: programFilesId, external: true } : null),
};

/**
 * Of the relations between tables, which nothing of ours asks drizzle for, one class of its PostgreSQL half is used, and brings forty more to each
 * command on SQLite: there, it is SQLite's class of that name.
 */
const drizzlePlugin: Plugin = {
  name: "drizzle",
  resolveId: (id, importer) =>
    id === "./pg-core/primary-keys.js" && importer?.endsWith("/drizzle-orm/relations.js")
      ? path.join(path.dirname(importer), "sqlite-core", "primary-keys.js")
      : null,
};

/**
 * Fills the staging folder: the sources with their libraries in chunks, so that a command loads what it needs, and the files that are read at
 * run time. `start` is where the first file of the executable goes.
 */
export async function bundle(stage: string, start: string, plugins: Plugin[]): Promise<void> {
  const folder = path.join(stage, chunkFolder);
  mkdirSync(folder, { recursive: true });
  const options = { cwd: root, platform: "node", tsconfig: false, logLevel: "warn" } as const;
  const { output } = await build({
    ...options,
    input: { authsvc: "src/cli/run.ts" },
    // A group without its dependencies demands it.
    preserveEntrySignatures: "allow-extension",
    plugins: [programFilesPlugin, drizzlePlugin, ...plugins],
    write: false,
    output: {
      // Importing node:http as an ES module reads all that it exports, and so loads Node's fetch: 30 ms, and memory.
      format: "cjs",
      exports: "named",
      // As the sources are, being ES modules: the bundler would leave it out.
      strict: true,
      comments: false,
      entryFileNames: "[name].js",
      chunkFileNames: "[name].js",
      codeSplitting: { groups: [yaml] },
    },
  });
  const chunks = output.filter((part) => part.type === "chunk");
  const often = namesOftenLoaded(chunks);
  const texts = chunks.map(({ code }) => ascii(chunkWrapper.join(withLazyRequires(code, lazyChunks))));
  const eager = lazyChunks.filter((chunk) => !isLoadedLater(chunk, texts));
  if (eager.length > 0) throw new Error(`${eager.join(", ")}: no chunk loads it where it is used first`);
  for (const [place, { fileName }] of chunks.entries()) {
    const text = texts[place] ?? "";
    const file = path.join(folder, fileName);
    if (often.has(fileName)) writeFileSync(file, text);
    else writeFileSync(`${file}.zst`, compressed(Buffer.from(text)));
  }
  await build({
    ...options,
    input: "src/executable/start.ts",
    output: { file: start, format: "cjs", strict: true, comments: false },
  });
  for (const file of globSync(files, { cwd: root })) cpSync(path.join(root, file), path.join(stage, file));
  for (const file of globSync(migrations, { cwd: root }))
    writeFileSync(path.join(stage, `${file}${digestEnding}`), filesBelow(root).digest(file));
}

/** One byte a character is read quicker, and takes half the memory. What is not ASCII stands in texts and patterns only, where an escape means the same. */
function ascii(code: string): string {
  return code.replace(/[^\0-\x7F]/g, (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function namesOftenLoaded(chunks: OutputChunk[]): Set<string> {
  const names = new Set<string>();
  const add = (chunk: OutputChunk | undefined): void => {
    if (chunk === undefined || names.has(chunk.fileName)) return;
    names.add(chunk.fileName);
    for (const imported of chunk.imports) add(chunks.find(({ fileName }) => fileName === imported));
  };
  for (const file of loadedOften) {
    const home = chunks.find(({ moduleIds }) => moduleIds.includes(path.join(root, file)));
    if (home === undefined) throw new Error(`no chunk holds ${file}`);
    add(home);
  }
  return names;
}
