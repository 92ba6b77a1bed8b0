import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build, type OutputChunk, type Plugin } from "rolldown";
import { chunkFolder, chunkWrapper, programFilesId } from "../../src/executable/chunks.ts";
import { digestEnding } from "../../src/executable/files.ts";
import { filesBelow } from "../../src/lib/program-files.ts";
import { compressed } from "./compressed.ts";
import { isLoadedLater, withLazyRequires } from "./lazy-requires.ts";
import { root } from "./target.ts";

/**
 * Modules that nearly every command loads, with their imports. All other chunks are compressed and
 * have no bytecode.
 */
const loadedOften = [
  "src/cli/run.ts",
  "src/config/load.ts",
  "src/process/core.ts",
  "src/process/open-context.ts",
  "src/lib/log.ts",
  "src/process/app.ts",
  "src/process/server.ts",
];

/**
 * Separate chunks, loaded on demand: most commands find no configuration file, and most services
 * show few languages.
 */
const lazy = [
  { name: "yaml", test: /\/node_modules\/yaml\/|\/src\/config\/yaml\.ts$/u },
  ...["ar", "de", "es", "fr", "ja", "pt"].map((tag) => ({
    name: `texts-${tag}`,
    test: new RegExp(String.raw`/src/(?:look|records/mail)/texts/${tag}(?:abic)?\.ts$`, "u"),
  })),
].map((group) => ({ ...group, includeDependenciesRecursively: false }));
const lazyChunks = lazy.map(({ name }) => `./${name}.js`);

/** Files that the program reads at run time (lib/program-files.ts). */
const migrations = "migrations/*/*.sql";
const files = [
  migrations,
  "src/pages/assets/*.css",
  "src/pages/assets/*.svg",
  "src/pages/built/*",
  "deploy/release-key.pem",
];

/** Replaces the program's files by those of the chunk loader, inside the executable. */
const programFilesPlugin: Plugin = {
  name: "program files",
  resolveId: (id) => (id.endsWith("/lib/program-files.ts") ? { id: programFilesId, external: true } : null),
};

/**
 * Fills the staging folder: sources and libraries in chunks, so that a command loads only what it
 * needs, and files read at run time. `start`: the output path of the executable's first file.
 */
export async function bundle(stage: string, start: string, plugins: Plugin[]): Promise<void> {
  const folder = path.join(stage, chunkFolder);
  mkdirSync(folder, { recursive: true });
  // Without comments that name the files: they depend on where node_modules really is.
  const experimental = { attachDebugInfo: "none" } as const;
  const options = { cwd: root, platform: "node", tsconfig: false, logLevel: "warn", experimental } as const;
  const { output } = await build({
    ...options,
    input: {
      authsvc: "src/cli/run.ts",
      "http-thread": "src/process/http-thread.ts",
      "search-thread": "src/process/search-thread.ts",
    },
    // Required by a group without its dependencies.
    preserveEntrySignatures: "allow-extension",
    plugins: [programFilesPlugin, ...plugins],
    write: false,
    output: {
      // Importing node:http as an ES module loads all its exports, including fetch: 30 ms, and
      // memory.
      format: "cjs",
      exports: "named",
      // The sources are ES modules and therefore strict, which the bundler would omit.
      strict: true,
      comments: false,
      entryFileNames: "[name].js",
      chunkFileNames: "[name].js",
      codeSplitting: { groups: lazy },
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
  // A worker is a single file: it shares no chunk with the program.
  for (const worker of globSync("src/**/*-worker.ts", { cwd: root })) {
    const file = path.join(stage, worker);
    await build({ ...options, input: worker, output: { file, format: "cjs", strict: true, comments: false } });
    writeFileSync(`${file}.zst`, compressed(Buffer.from(ascii(readFileSync(file, "utf8")))));
    rmSync(file);
  }
  for (const file of globSync(files, { cwd: root })) cpSync(path.join(root, file), path.join(stage, file));
  for (const file of globSync(migrations, { cwd: root }))
    writeFileSync(path.join(stage, `${file}${digestEnding}`), filesBelow(root).digest(file));
}

/**
 * Latin 1 is read faster and takes half the memory. Only strings and patterns contain other
 * characters, and an escape means the same there.
 */
function ascii(code: string): string {
  return code.replace(/[^\0-\x7F]/g, (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function namesOftenLoaded(chunks: OutputChunk[]): Set<string> {
  const names = new Set<string>();
  const add = (chunk: OutputChunk | undefined): void => {
    if (chunk === undefined || names.has(chunk.fileName) || lazyChunks.includes(`./${chunk.fileName}`)) return;
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
