import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build, type OutputChunk, type Plugin } from "rolldown";
import { chunkWrapper } from "../../src/executable/chunks.ts";
import { compressed } from "./compressed.ts";
import { root } from "./target.ts";

/** As deep in the staging folder as src/lib is in the project: `programFolder` finds the files beside it by the same path. */
const chunkFolder = path.join("src", "chunks");

/** What nearly every command loads, each with all that it imports. Chunks of nothing else are packed compressed, and without bytecode. */
const loadedOften = ["src/cli/run.ts", "src/config/config.ts", "src/lib/log.ts", "src/app.ts", "src/server.ts"];

/** What the program reads at run time (lib/program-folder.ts). */
const files = ["migrations/*/*.sql", "src/pages/*.css", "src/pages/*.svg", "src/pages/built/*"];

/**
 * Fills the staging folder: the sources with their libraries in chunks, so that a command loads what it needs, the first file of the executable,
 * and the files that are read at run time. Answers the folder of the chunks.
 */
export async function bundle(stage: string, plugins: Plugin[]): Promise<string> {
  const folder = path.join(stage, chunkFolder);
  mkdirSync(folder, { recursive: true });
  const options = { cwd: root, platform: "node", tsconfig: false, logLevel: "warn" } as const;
  const { output } = await build({
    ...options,
    input: { authsvc: "src/cli/run.ts" },
    plugins,
    write: false,
    output: {
      // Importing node:http as an ES module reads all that it exports, and so loads Node's fetch: 30 ms, and memory.
      format: "cjs",
      exports: "named",
      comments: false,
      entryFileNames: "[name].js",
      chunkFileNames: "[name].js",
    },
  });
  const chunks = output.filter((part) => part.type === "chunk");
  const often = namesOftenLoaded(chunks);
  for (const { fileName, code } of chunks) {
    const text = chunkWrapper.join(code);
    const file = path.join(folder, fileName);
    if (often.has(fileName)) writeFileSync(file, text);
    else writeFileSync(`${file}.zst`, compressed(Buffer.from(text)));
  }
  await build({
    ...options,
    input: "src/executable/start.ts",
    output: { file: path.join(folder, "start.js"), format: "cjs", comments: false },
  });
  for (const file of globSync(files, { cwd: root })) cpSync(path.join(root, file), path.join(stage, file));
  describe(stage);
  return folder;
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

/** What pkg packs. */
function describe(stage: string): void {
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };
  const description = {
    name: "authsvc",
    version,
    bin: "src/chunks/start.js",
    // As assets, chunks are packed as they are: there is nothing in them for pkg to follow.
    pkg: { assets: ["src/**/*", "migrations/**/*", "native/*"] },
  };
  writeFileSync(path.join(stage, "package.json"), JSON.stringify(description, null, 2));
}
