// Writes beside each chunk in a folder (the argument) the bytecode that V8 made of it: `<name>.cache`. Runs in the very Node that the executable
// is made of, with its flags (runtime-flags.ts) and --hash-seed=1 --no-flush-bytecode: with a seed of its own, each run would write other bytes.
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { createChunkLoader } from "../../src/executable/chunks.ts";

const folder = path.resolve(process.argv[2] ?? "");
const { load, scripts } = createChunkLoader(folder);
// Functions that have run by now are in it; the rest is compiled when it is called.
for (const name of readdirSync(folder).toSorted()) {
  if (name.endsWith(".js") && name !== "start.js") load(name);
}
// V8 takes bytecode only from a run with the same flags, and the executable has neither of these.
setFlagsFromString("--hash-seed=0");
setFlagsFromString("--flush-bytecode");
for (const [name, script] of scripts) writeFileSync(path.join(folder, `${name}.cache`), script.createCachedData());
