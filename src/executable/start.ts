// The first file of the executable, in the place of bin/authsvc.ts.
import type { run as runCommand } from "../cli/run.ts";
import { createChunkLoader } from "./chunks.ts";
import { filesOfExecutable } from "./files.ts";

const { run } = createChunkLoader(filesOfExecutable()).load("authsvc.js") as { run: typeof runCommand };
void run(process.argv, process).then((exitCode) => {
  process.exitCode = exitCode;
});
