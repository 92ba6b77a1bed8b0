// Writes V8's bytecode beside each chunk in the staging folder (the argument): `<name>.cache`. Run
// it with the executable's Node and flags, and those of scripts/build.ts for reproducibility.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable, Writable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import type { run as runCommand } from "../../src/cli/run.ts";
import type { Io } from "../../src/cli/io.ts";
import { chunkFolder, createChunkLoader } from "../../src/executable/chunks.ts";
import { filesBelow } from "../../src/lib/program-files.ts";

const stage = path.resolve(process.argv[2] ?? "");
const folder = path.join(stage, chunkFolder);
const { load, scripts } = createChunkLoader(filesBelow(stage));
const names = readdirSync(folder).filter((name) => name.endsWith(".js"));
for (const name of names.toSorted()) load(name);

// Bytecode contains only functions that have run, so run what commands have in common.
const data = mkdtempSync(path.join(tmpdir(), "authsvc-build-"));
try {
  await command("version");
  await command("app", "create", "--id", "app_demo", "--name", "Demo");
  await command("app", "show", "app_demo");
  await command("app", "show", "app_demo", "--json");
} finally {
  rmSync(data, { recursive: true });
}

// V8 accepts bytecode only from a run with the same flags, and the executable has neither of these.
setFlagsFromString("--hash-seed=0");
setFlagsFromString("--flush-bytecode");
for (const name of names) {
  const bytecode = scripts.get(name)?.createCachedData();
  if (bytecode !== undefined) writeFileSync(path.join(folder, `${name}.cache`), bytecode);
}

/** Runs a command line on its own database, silently unless it fails. */
async function command(...words: string[]): Promise<void> {
  const { run } = load("authsvc.js") as { run: typeof runCommand };
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const complaints: string[] = [];
  const io = {
    stdin: Readable.from([]),
    stdout: nowhere,
    stderr: new Writable({
      write(chunk, _encoding, done) {
        complaints.push(String(chunk));
        done();
      },
    }),
    env: {},
    cwd: () => data,
    on: () => io,
    off: () => io,
    exit: process.exit,
  } as unknown as Io;
  const exitCode = await run(["node", "authsvc", ...words, "--data", data], io);
  if (exitCode !== 0) throw new Error(`authsvc ${words.join(" ")} ended with ${exitCode}: ${complaints.join("")}`);
}
